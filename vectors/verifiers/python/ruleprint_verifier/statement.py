"""Chapters receipt and ledger: the grammar of statements, step 8 of the verifier (RCP-19, LED-1). Those of an audit stand in audit_evidence.py."""

import re

from . import audit_evidence
from .decision import ACTIONS
from .policy import ARGV_ITEMS, EFFECTS, FILE_METHODS, KINDS
from .problem import PROBLEMS, Problem, pointer
from .text import REQUEST_STRING_BYTES, is_http_method, name_problem, text_problem

HASH = re.compile(r"sha256:[0-9a-f]{64}")
REASONS = ("no-rule", "no-policy", "unmapped", "not-canonical", "fault")
VERDICTS = ("confirmed", "refuted", "expected_pass")
NOT_DECIDED = ("unmapped", "not-canonical", "fault")

# LED-3: who may make which statement
ROLE_OF = {
    "genesis": "engine",
    "install": "engine",
    "decision": "engine",
    "release": "engine",
    "record": "engine",
    "authorization": "installer",
    "approval": "approver",
    "finding": "harness",
    "checkpoint": "auditor",
    **{statement: "harness" for statement in audit_evidence.STATEMENTS},
}


class Grammar:
    """Collects the problems of one statement. Every check takes a value and its pointer."""

    def __init__(self):
        self.problems = []

    def add(self, code, where):
        if len(self.problems) < PROBLEMS:
            self.problems.append(Problem(code, {"pointer": where}))

    # -- kinds of values

    def uint(self, value, where):
        if isinstance(value, bool) or not isinstance(value, int):
            self.add("wrong-type", where)
        elif value < 0:
            self.add("bad-integer", where)

    def port(self, value, where):
        if isinstance(value, int) and not isinstance(value, bool) and (value == 0 or value > 65_535):
            self.add("bad-value", where)
        else:
            self.uint(value, where)

    def text(self, value, where, check=lambda text: None):
        if not isinstance(value, str):
            self.add("wrong-type", where)
            return
        code = text_problem(value, REQUEST_STRING_BYTES) or check(value)
        if code:
            self.add(code, where)

    def name(self, value, where):
        self.text(value, where, name_problem)

    def hash(self, value, where):
        self.text(value, where, lambda text: None if HASH.fullmatch(text) else "bad-value")

    def word(self, words):
        return lambda value, where: self.text(value, where, lambda text: None if text in words else "bad-value")

    def http_method(self, value, where):
        self.text(value, where, lambda text: None if is_http_method(text) else "bad-value")

    def argument(self, value, where):
        self.text(value, where, lambda text: "nul-character" if "\0" in text else None)

    def boolean(self, value, where):
        if not isinstance(value, bool):
            self.add("wrong-type", where)

    def only_false(self, value, where):
        self.boolean(value, where)
        if value is True:
            self.add("bad-value", where)

    def ledger_id(self, value, where):
        if not isinstance(value, bytes):
            self.add("wrong-type", where)
        elif len(value) != 16:
            self.add("bad-value", where)

    def some_bytes(self, value, where):
        if not isinstance(value, bytes):
            self.add("wrong-type", where)

    # -- maps and lists

    def map(self, value, where, required, optional=None):
        """First the missing keys, then the members as they stand."""
        if not isinstance(value, dict):
            self.add("wrong-type", where)
            return
        for key in required:
            if key not in value:
                self.add("missing-key", where)
        checks = required | (optional or {})
        for key, member in value.items():
            place = pointer(where, key)
            if key in checks:
                checks[key](member, place)
            else:
                self.add("unknown-key", place)

    def list(self, value, where, check, limit, least):
        if not isinstance(value, list):
            self.add("wrong-type", where)
            return
        if len(value) < least:
            self.add("empty-list", where)
        if len(value) > limit:
            self.add("limit", where)
            return
        for i, item in enumerate(value):
            check(item, f"{where}/{i}")

    def action(self, value, where):
        kinds = {"filesystem": self.filesystem, "network": self.network, "process": self.process, "tool": self.tool}
        if isinstance(value, dict) and sum(kind in value for kind in KINDS) != 1:
            self.add("exactly-one", where)
        self.map(value, where, {}, kinds)

    def filesystem(self, value, where):
        self.map(value, where, {"path": self.text, "method": self.word(FILE_METHODS)})

    def network(self, value, where):
        self.map(value, where, {"host": self.text, "port": self.port}, {"method": self.http_method})

    def process(self, value, where):
        argv = lambda v, w: self.list(v, w, self.argument, ARGV_ITEMS, least=1)
        self.map(value, where, {"argv": argv})

    def tool(self, value, where):
        self.map(value, where, {"server": self.name, "name": self.name})

    def outcome(self, value, where):
        optional = {"rule": self.name, "action": self.uint, "reason": self.word(REASONS)}
        self.map(value, where, {"effect": self.word(EFFECTS)}, optional)

    def repro(self, value, where):
        effect = self.word(EFFECTS)
        self.map(value, where, {"tool": self.tool, "args_digest": self.hash, "expected_decision": effect, "actual_decision": effect})

    def x_finding(self, value, where):
        required = {
            "action": self.word(("reported",)), "finding_id": self.name, "stable_id": self.hash, "harness": self.name, "test_id": self.name,
            "verdict": self.word(VERDICTS), "cited_receipt": self.hash, "repro": self.repro, "detected_at": self.uint,
        }
        self.map(value, where, required, {"args_salt": self.text, "plan": self.hash, "note": self.name})

    # -- statements

    def members_of(self, statement):
        """The required and the optional members of a statement, in the order of the grammar."""
        said = {"statement": self.text, "engine_id": self.name, "time": self.uint}
        chain = {"seq": self.uint, "prev": self.hash}
        policy = {"policy_version": self.uint, "policy_digest": self.hash, "match_profile": self.name}
        version = {"policy_version": self.uint}
        if statement == "decision":
            actions = lambda v, w: self.list(v, w, self.action, ACTIONS, least=0)
            facts = {"args_digest": self.hash, "call_id": self.name, "mapping": self.hash, "enforced": self.only_false}
            return said | {"agent": self.name, "actions": actions, "decision": self.outcome}, chain | policy | facts
        if statement == "genesis":
            return said | {"ledger_id": self.ledger_id}, chain
        if statement == "install":
            optional = {"policy_digest": self.hash, "match_profile": self.name, "replaces": self.hash, "authorization": self.hash}
            return said | version, chain | optional
        if statement == "release":
            return said | {"ask": self.hash, "approval": self.hash}, chain
        if statement == "record":
            return said | {"recorded": self.some_bytes}, chain
        if statement == "authorization":
            return said | version | {"policy_digest": self.hash}, {"replaces": self.hash}
        if statement == "approval":
            members = {"ask": self.hash, "args_digest": self.hash, "approved": self.boolean, "expires": self.uint, "approver": self.name}
            return said | members, {}
        if statement == "finding":
            return said | {"x_finding": self.x_finding}, {}
        if statement in audit_evidence.STATEMENTS:
            required, optional = audit_evidence.members_of(self, statement)
            return said | required, optional
        return said | {"ledger_id": self.ledger_id, "seq": self.uint, "receipt_hash": self.hash}, {}  # checkpoint


def statement_problems(value):
    """What is wrong with the value of a payload."""
    if not isinstance(value, dict):
        return [Problem("wrong-type", {"pointer": ""})]
    if "statement" not in value:
        return [Problem("missing-key", {"pointer": ""})]
    statement = value["statement"]
    if not isinstance(statement, str):
        return [Problem("wrong-type", {"pointer": "/statement"})]
    if statement not in ROLE_OF:
        return [Problem("unknown-statement", {"pointer": "/statement"})]
    grammar = Grammar()
    grammar.map(value, "", *grammar.members_of(statement))
    if not grammar.problems and conflict(value):
        grammar.add("field-conflict", "")
    return grammar.problems


def conflict(value):
    """Whether fields that are good by themselves do not agree."""
    statement = value["statement"]
    if statement in audit_evidence.STATEMENTS:
        return audit_evidence.conflict(value)
    if ROLE_OF[statement] != "engine":
        return False
    seq = value.get("seq")
    if ("prev" in value) != (seq is not None and seq != 0):
        return True
    if statement == "decision":
        return decision_conflict(value)
    return seq is None or (statement == "genesis") != (seq == 0)  # LED-1


def decision_conflict(value):
    decision, actions = value["decision"], value["actions"]
    reason = decision.get("reason")
    if ("rule" in decision) == (reason is not None):
        return True
    if reason is not None and decision["effect"] != "deny":
        return True
    if ("action" in decision) != ("rule" in decision or reason == "no-rule"):
        return True
    if "action" in decision and decision["action"] >= len(actions):
        return True
    if reason in NOT_DECIDED:
        if actions and not (len(actions) == 1 and "tool" in actions[0]):
            return True
    elif not actions:
        return True
    if "policy_version" in value:
        return reason == "no-policy"
    if "policy_digest" in value or "match_profile" in value:
        return True
    return reason not in ("no-policy", *NOT_DECIDED)
