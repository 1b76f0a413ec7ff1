"""Chapter receipt: the verifier and its answer (RCP-12 to RCP-24), and the record of LED-2."""

from dataclasses import dataclass, field

from . import cbor, cose, match
from .decision import Engine, canonical_request
from .digest import policy_digest
from .problem import Problem, Refused
from .statement import NOT_DECIDED, ROLE_OF, statement_problems

AXES = ("bytes", "signature", "key-trust", "order", "completeness", "timeline", "rules", "re-decision", "approvals", "findings", "mapping")
PASS, FAIL, NOT_CHECKED = "pass", "fail", "not-checked"
RECORDED_BYTES = 786_432
REPORTED = 10_000  # problems of many receipts (RCP-24)


@dataclass
class Finding:
    """A problem in a report."""

    axis: str
    code: str
    status: str  # what it makes of its axis
    where: dict = field(default_factory=dict)


@dataclass
class Receipt:
    """What steps 1 to 8 made of the bytes."""

    problems: list  # of bytes
    readable: bool = False  # the statement is one of the grammar, whatever it records
    message: cose.Message | None = None  # there when steps 1 to 7 passed
    value: object = None  # of the payload, where the walk passed
    recorded: "Receipt | None" = None

    @property
    def statement(self):
        return None if self.problems else self.value


def read_receipt(data, also_algorithms=(), base=0, inside_record=False):
    """Steps 1 to 8."""
    try:
        message = cose.read_message(data, also_algorithms, base=base)
    except Refused as refused:
        return Receipt([refused.problem()])
    try:
        value = cbor.decode(message.payload, message.payload_at)
    except Refused as refused:
        return Receipt([refused.problem()], message=message)
    problems = statement_problems(value)
    receipt = Receipt(problems, not problems, message, value)
    if receipt.readable and value["statement"] == "record" and not inside_record:
        read_recorded(receipt, also_algorithms)
    return receipt


def read_recorded(receipt, also_algorithms):
    """LED-2"""
    recorded = receipt.value["recorded"]
    if len(recorded) > RECORDED_BYTES:
        receipt.problems.append(Problem("limit", {"pointer": "/recorded"}))
        return
    inner = read_receipt(recorded, also_algorithms, inside_record=True)
    receipt.recorded = inner
    for problem in inner.problems:
        where = {"pointer": "/recorded"} | {k: v for k, v in problem.where.items() if k == "offset"}
        receipt.problems.append(Problem(problem.code, where))
    if inner.problems:
        return
    if ROLE_OF[inner.value["statement"]] == "engine":
        receipt.problems.append(Problem("record-kind", {"pointer": "/recorded"}))
    elif inner.value["engine_id"] != receipt.value["engine_id"]:
        receipt.problems.append(Problem("record-engine", {"pointer": "/recorded"}))


class Axes:
    """The lines of one receipt or entry: a status for each axis that was looked at, and the problems."""

    def __init__(self):
        self.status = {}
        self.findings = []

    def set(self, axis, status):
        self.status[axis] = status

    def problem(self, axis, code, status=FAIL, where=None):
        self.findings.append(Finding(axis, code, status, where or {}))
        if self.status.get(axis) != FAIL:
            self.status[axis] = status

    def answer(self, axis, status):
        """In place of whatever was said about the axis."""
        self.findings = [finding for finding in self.findings if finding.axis != axis]
        self.status[axis] = status

    def passed(self, axis):
        return self.status.get(axis) == PASS

    def failed(self, axis):
        return self.status.get(axis) == FAIL

    def default(self, axis, status):
        self.status.setdefault(axis, status)


def check_bytes(axes, receipt):
    for problem in receipt.problems:
        axes.problem("bytes", problem.code, FAIL, problem.where)
    axes.default("bytes", PASS)


def check_signature(axes, receipt, trust):
    """Step 9 (RCP-20): gives the entry of the trust store, where the signature passes."""
    if receipt.message is None:
        axes.set("signature", NOT_CHECKED)  # rests on the COSE part of bytes
        return None
    entry = trust.keys.get(receipt.message.kid)  # RCP-11: by kid, from the store alone
    if entry is None:
        axes.problem("key-trust", "key-unknown")
        axes.set("signature", NOT_CHECKED)
        return None
    code = cose.signature_problem(receipt.message, entry.key)
    if code:
        axes.problem("signature", code)
        return None
    axes.set("signature", PASS)
    return entry


def key_trust_codes(entry, statement, time, seq):
    """Step 10 (RCP-21, LED-3): the codes, in the order of the step. "key-revoked-later" is not a failure. seq is that in a chain, or None."""
    codes = []
    if entry.role != ROLE_OF[statement["statement"]]:
        codes.append("key-role")
    if statement["engine_id"] not in entry.engine_ids:
        codes.append("key-engine")
    codes += entry.window_problems(time)
    if entry.revoked_at is not None and time >= entry.revoked_at:
        codes.append("key-revoked")
    if not codes and entry.revoked_at is not None and not below_revoked_seq(entry, statement["engine_id"], seq):
        codes.append("key-revoked-later")
    return codes


def below_revoked_seq(entry, engine_id, seq):
    return seq is not None and engine_id in entry.revoked_from_seq and seq < entry.revoked_from_seq[engine_id]


def check_key_trust(axes, receipt, entry):
    statement = receipt.statement
    if entry is not None and statement is not None:
        # a standalone receipt: revoked_from_seq counts in a chain alone, whatever seq the holder of the key wrote
        for code in key_trust_codes(entry, statement, statement["time"], None):
            axes.problem("key-trust", code, NOT_CHECKED if code == "key-revoked-later" else FAIL)
        axes.default("key-trust", PASS)
    axes.default("key-trust", NOT_CHECKED)


class Policies:
    """The policies at hand, by digest."""

    def __init__(self, policies):
        self.by_digest = {policy_digest(policy): policy for policy in policies}
        self.engines = {}

    def engine(self, digest):
        if digest not in self.engines:
            self.engines[digest] = Engine(self.by_digest[digest])
        return self.engines[digest]


def check_rules(axes, statement, policies):
    """Step 11 (RCP-22)"""
    digest = statement.get("policy_digest")
    if statement["decision"].get("reason") == "no-policy":
        axes.set("rules", NOT_CHECKED)
    elif digest is None:
        axes.problem("rules", "digest-absent", NOT_CHECKED)
    elif digest not in policies.by_digest:
        axes.problem("rules", "policy-missing", NOT_CHECKED)
    else:
        axes.set("rules", PASS)


def check_redecision(axes, statement, policies):
    """Step 12 (RCP-23)"""
    reason = statement["decision"].get("reason")
    digest = statement.get("policy_digest")
    if reason in NOT_DECIDED:
        axes.set("re-decision", PASS)
        return
    if reason != "no-policy":
        if digest not in policies.by_digest:
            axes.set("re-decision", NOT_CHECKED)
            return
        if statement.get("match_profile") != match.PROFILE:
            axes.problem("re-decision", "profile-unknown", NOT_CHECKED)
            return
    request = {"agent": statement["agent"], "actions": statement["actions"]}
    where = action_not_canonical(request)
    if where is not None:
        axes.problem("re-decision", "action-not-canonical", FAIL, where)
    elif reason != "no-policy" and policies.engine(digest).decide(request) != statement["decision"]:
        axes.problem("re-decision", "decision-differs")
    axes.default("re-decision", PASS)


def action_not_canonical(request):
    """The place of the first action that is not canonical, or None."""
    for i, action in enumerate(request["actions"]):
        try:
            if canonical_request({"agent": request["agent"], "actions": [action]})["actions"] != [action]:
                return {"pointer": f"/actions/{i}"}
        except Refused:
            return {"pointer": f"/actions/{i}"}
    try:
        canonical_request(request)
        return None
    except Refused:  # the sum of all texts
        return {"pointer": ""}


def check_statement(axes, statement, policies):
    """Steps 11 and 12, which rest on signature and key trust (RCP-24)."""
    if policies is None or statement is None or not axes.passed("signature") or axes.failed("key-trust"):
        return
    if statement["statement"] == "decision":
        check_rules(axes, statement, policies)
        check_redecision(axes, statement, policies)
    axes.default("rules", PASS)
    axes.default("re-decision", PASS)


def verify_one(data, trust, policies=None, also_algorithms=(), base=0):
    """One standalone receipt."""
    axes = Axes()
    receipt = read_receipt(data, also_algorithms, base)
    check_bytes(axes, receipt)
    entry = check_signature(axes, receipt, trust)
    check_key_trust(axes, receipt, entry)
    check_statement(axes, receipt.statement, policies)
    for axis in AXES:
        axes.default(axis, NOT_CHECKED)
    return axes


# ---- the answer (RCP-24)

@dataclass
class Report:
    axes: dict
    findings: list
    asked: tuple

    @property
    def ok(self):
        return FAIL not in self.axes.values() and all(self.axes[axis] == PASS for axis in self.asked)


def join(statuses):
    """An axis fails if it fails for one, is else not checked if it is not checked for one, else passes."""
    statuses = list(statuses)
    for status in (FAIL, NOT_CHECKED):
        if status in statuses:
            return status
    return PASS if statuses else NOT_CHECKED


def asked_axes(policies, require):
    return ("bytes", "signature", "key-trust", *(("rules", "re-decision") if policies is not None else ()), *require)


def verify_receipt(data, trust, policies=None, require=(), also_algorithms=()):
    policies = None if policies is None else Policies(policies)
    axes = verify_one(data, trust, policies, also_algorithms)
    return Report(axes.status, axes.findings, asked_axes(policies, require))


def split_sequence(data):
    """The receipts of a file as (offset, bytes), and where reading had to end, or None."""
    parts = []
    at = 0
    while at < len(data):
        end = cbor.end_of_item(data, at)
        if end is None:
            parts.append((at, data[at:]))
            return parts, at
        parts.append((at, data[at:end]))
        at = end
    return parts, None


def verify_sequence(data, trust, policies=None, require=(), also_algorithms=()):
    policies = None if policies is None else Policies(policies)
    parts, broken_at = split_sequence(data)
    all_axes = []
    findings = []
    for i, (at, part) in enumerate(parts):
        axes = verify_one(part, trust, policies, also_algorithms, base=at)
        if i == len(parts) - 1 and broken_at is not None:
            axes.problem("bytes", "sequence-broken", FAIL, {"offset": broken_at})
        all_axes.append(axes)
        findings += [Finding(f.axis, f.code, f.status, {"receipt": i} | f.where) for f in axes.findings]
    status = {axis: join(axes.status[axis] for axes in all_axes) for axis in AXES}
    return Report(status, findings[:REPORTED], asked_axes(policies, require))
