"""Chapter ledger: the verifier of chains (LED-1 to LED-16), with the findings that they hold (FND-23 to FND-28).

Two walks over the entries. The first reads, links and dates them and collects the checkpoints; between the walks
the checkpoints are judged; the second judges key trust with them, then timeline, rules, re-decision and approvals.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

from .document import Shape, plain, read_json
from .finding import Claims
from .policy import policy_from_json
from .problem import SeveralRefused
from .receipt import (
    AXES, FAIL, NOT_CHECKED, PASS, REPORTED, Axes, Policies, Receipt, check_bytes, check_signature, check_statement, join,
    key_trust_codes, read_receipt, split_sequence,
)
from .statement import HASH, ROLE_OF

NOTE = "note"
CARRIED = ("policy_version", "policy_digest", "match_profile")


@dataclass
class Entry:
    receipt: Receipt
    axes: Axes = field(default_factory=Axes)
    key: object = None  # the entry of the trust store, where its own signature passes
    recorded_key: object = None  # likewise for what it records
    signers: list = field(default_factory=list)  # where all signatures pass: its own, then that of what it records
    engine_id: str | None = None
    seq: int | None = None
    time: int = 0  # effective
    hash: str = ""

    @property
    def said(self):
        """The statement, if it can be read (what it records may be wrong)."""
        return self.receipt.value if self.receipt.readable else None

    @property
    def kind(self):
        return self.said["statement"] if self.said else None

    @property
    def sound(self):
        """What everything rests on."""
        return self.axes.passed("bytes") and self.axes.passed("signature")


@dataclass
class Signer:
    """A key that signed an entry or what it records, and what RCP-21 says about it."""

    key: object  # the entry of the trust store
    codes: list

    @property
    def fails(self):
        return any(code != "key-revoked-later" for code in self.codes)


@dataclass
class Chain:
    """What is kept for one engine id."""

    seq: int | None = None  # of the entry before
    hash: str = ""
    time: int = 0  # the highest
    ledger_id: bytes | None = None
    hashes: dict = field(default_factory=dict)  # by seq
    good: list = field(default_factory=list)  # checkpoints: (seq, time, kid)
    in_force: dict | None = None
    installs: int = 0
    asks: dict = field(default_factory=dict)  # statement and number of installs, by hash
    approvals: dict = field(default_factory=dict)
    authorizations: dict = field(default_factory=dict)
    used: set = field(default_factory=set)  # asks and approvals of releases
    claims: Claims = field(default_factory=Claims)


@dataclass
class Problem:
    axis: str
    code: str
    status: str
    engine: str | None = None
    seq: int | None = None


@dataclass
class Report:
    axes: dict
    problems: list
    asked: tuple

    @property
    def ok(self):
        return FAIL not in self.axes.values() and all(self.axes[axis] == PASS for axis in self.asked)


class LedgerVerifier:
    def __init__(self, trust, kind="folder", policies=None, checkpoints=(), durable=None, require=(), expect_engines=(), also_algorithms=(), arguments=None):
        self.trust = trust
        self.kind = kind
        self.policies = None if policies is None else Policies(policies)
        self.external = checkpoints
        self.durable = durable
        self.expect_engines = expect_engines
        self.also = also_algorithms
        self.arguments = arguments or {}  # by the hash of the receipt about them
        asked = ["bytes", "signature", "key-trust"]
        asked += ["order"] if kind == "folder" else []
        asked += ["rules", "re-decision"] if policies is not None else []
        asked += ["timeline"] if policies is not None and kind == "folder" else []
        asked += ["completeness"] if checkpoints else []
        self.asked = (*asked, *require)
        self.chains = {}
        self.entries = []
        self.recorded_checkpoints = []  # (statement, signer)
        self.problems = []  # of no entry
        self.told = set()  # keys of which "key-revoked-later" was reported

    def verify(self, segments):
        for segment in segments:
            self.read_segment(segment)
        self.check_tail()
        self.check_completeness()
        for entry in self.entries:
            self.judge(entry)
        return self.report()

    # ---- first walk: read, link, date

    def read_segment(self, data):
        parts, broken_at = split_sequence(data)
        for at, part in parts:
            entry = Entry(read_receipt(part, self.also, base=at))
            check_bytes(entry.axes, entry.receipt)
            if at == broken_at:
                entry.axes.problem("bytes", "sequence-broken")
            entry.key = check_signature(entry.axes, entry.receipt, self.trust)
            if entry.kind == "record" and entry.sound:
                entry.recorded_key = self.check_recorded_signature(entry)
            self.entries.append(entry)
            if entry.said:
                self.place(entry)

    def check_recorded_signature(self, entry):
        """LED-2: on the axes of the record."""
        axes = Axes()
        key = check_signature(axes, entry.receipt.recorded, self.trust)
        entry.axes.findings += axes.findings
        for axis, status in axes.status.items():
            entry.axes.set(axis, join([entry.axes.status.get(axis, PASS), status]))
        return key

    def place(self, entry):
        said = entry.said
        entry.engine_id = said["engine_id"]
        entry.hash = entry.receipt.message.hash()
        entry.time = said["time"]
        if ROLE_OF[entry.kind] == "engine" and "seq" in said:
            entry.seq = said["seq"]
            self.link(entry, self.chains.setdefault(entry.engine_id, Chain()))
        elif self.kind == "folder" and entry.sound:
            entry.axes.problem("order", "seq-missing")
        if entry.sound:
            self.date_keys(entry)

    def link(self, entry, chain):
        """LED-11: the walk goes on from every entry whose statement can be read, whatever is wrong with it."""
        if entry.sound:
            code = order_problem(entry, chain)
            if code:
                entry.axes.problem("order", code)
            entry.axes.default("order", PASS)
            if entry.time < chain.time:
                self.problems.append(Problem("order", "time-back", NOTE, entry.engine_id, entry.seq))
        if chain.seq is None and entry.kind == "genesis":
            chain.ledger_id = entry.said["ledger_id"]
        chain.seq, chain.hash = entry.seq, entry.hash
        chain.hashes.setdefault(entry.seq, entry.hash)
        if entry.key is not None:  # LED-12: the effective time; a time that nobody signed counts for nothing
            entry.time = chain.time = max(entry.time, chain.time)

    def date_keys(self, entry):
        """LED-12, and LED-2: what is recorded takes the time and the seq of its record."""
        entry.signers.append(Signer(entry.key, key_trust_codes(entry.key, entry.said, entry.time, entry.seq)))
        if entry.kind != "record":
            return
        recorded = entry.receipt.recorded.value
        signer = Signer(entry.recorded_key, key_trust_codes(entry.recorded_key, recorded, entry.time, entry.seq))
        entry.signers.append(signer)
        if recorded["statement"] == "checkpoint":
            self.recorded_checkpoints.append((recorded, signer))

    def check_tail(self):
        """LED-11: what durable.json names is there."""
        if self.kind != "folder" or self.durable is None:
            return
        if not any(chain.hashes.get(self.durable["seq"]) == self.durable["hash"] for chain in self.chains.values()):
            self.problems.append(Problem("order", "tail-missing", FAIL))

    # ---- between the walks: checkpoints (LED-13)

    def check_completeness(self):
        for said, signer in self.recorded_checkpoints:
            if not signer.codes:
                self.check_checkpoint(said, signer.key)
        for data in self.external:
            receipt = read_receipt(data, self.also)
            key = check_signature(Axes(), receipt, self.trust)
            said = receipt.statement
            if said and said["statement"] != "checkpoint":
                said = None
            if said and key and not key_trust_codes(key, said, said["time"], None):
                self.check_checkpoint(said, key)
            else:
                engine_id = said["engine_id"] if said else None
                self.problems.append(Problem("completeness", "checkpoint-untrusted", NOT_CHECKED, engine_id))
        for engine_id in self.expect_engines:
            if engine_id not in self.chains:
                self.problems.append(Problem("completeness", "engine-missing", FAIL, engine_id))

    def check_checkpoint(self, said, key):
        if key.revoked_at is not None:  # LED-12: it makes no good checkpoint
            return
        chain = self.chains.get(said["engine_id"])
        if chain is None:
            code = "checkpoint-beyond"
        elif said["ledger_id"] != chain.ledger_id:
            code = "checkpoint-ledger"
        elif said["seq"] not in chain.hashes:
            code = "checkpoint-beyond"
        elif said["receipt_hash"] != chain.hashes[said["seq"]]:
            code = "checkpoint-differs"
        else:
            chain.good.append((said["seq"], said["time"], key.key.kid))
            return
        self.problems.append(Problem("completeness", code, FAIL, said["engine_id"]))

    def pinned(self, key, entry):
        """LED-12: at or below a good checkpoint by another key, made before the revocation."""
        chain = self.chains.get(entry.engine_id)
        if entry.seq is None or chain is None:
            return False
        return any(at >= entry.seq and time < key.revoked_at and kid != key.key.kid for at, time, kid in chain.good)

    # ---- second walk: key trust, timeline, rules, approvals

    def judge(self, entry):
        axes = entry.axes
        for signer in entry.signers:
            self.judge_key(entry, signer)
        if entry.sound:
            axes.default("key-trust", PASS)
        chain = self.chains[entry.engine_id] if entry.seq is not None else None
        if chain is None and entry.sound and self.kind != "folder":
            check_statement(axes, entry.said, self.policies)  # standalone
        if chain is not None:
            if entry.sound and axes.passed("order"):
                self.judge_in_chain(entry, chain)
                self.judge_rules(entry)
            self.judge_finding(entry, chain)
            self.change_state(entry, chain)
        elif entry.kind == "finding":  # standalone
            axes.set("findings", NOT_CHECKED)
        for axis in ("bytes", "signature", "key-trust", "order", "timeline", "rules", "re-decision", "approvals"):
            axes.default(axis, NOT_CHECKED)

    def judge_key(self, entry, signer):
        for code in signer.codes:
            if code != "key-revoked-later":
                entry.axes.problem("key-trust", code)
            elif not self.pinned(signer.key, entry):
                if signer.key.key.kid not in self.told:  # once for a key
                    entry.axes.problem("key-trust", code, NOT_CHECKED)
                    self.told.add(signer.key.key.kid)
                entry.axes.default("key-trust", NOT_CHECKED)

    def judge_in_chain(self, entry, chain):
        said = entry.said
        codes = {"timeline": None, "approvals": None}
        if entry.kind == "install":
            codes["timeline"] = install_problem(said, chain, self.trust.require_installer)
        elif entry.kind == "decision":
            codes["timeline"] = decision_problem(said, chain.in_force)
        elif entry.kind == "release":
            codes["approvals"] = release_problem(said, entry, chain)
        for axis, code in codes.items():
            if code:
                entry.axes.problem(axis, code)
            entry.axes.default(axis, PASS)

    def judge_rules(self, entry):
        """LED-15"""
        if not entry.axes.passed("timeline"):
            return
        check_statement(entry.axes, entry.said, self.policies)
        if self.policies is not None and entry.kind == "decision" and "policy_version" not in entry.said:
            entry.axes.answer("rules", PASS)  # the timeline has answered

    def judge_finding(self, entry, chain):
        inner = entry.receipt.recorded if entry.kind == "record" else None
        said = inner.statement if inner else None
        if said is None or said["statement"] != "finding" or said["engine_id"] != entry.engine_id:
            return
        by_engine = entry.recorded_key is not None and entry.recorded_key.role == "engine"
        if entry.sound and not entry.axes.failed("order"):
            if by_engine or inner.message.kid == entry.receipt.message.kid:  # FND-23
                entry.axes.problem("findings", "finding-by-engine")
            elif not entry.signers[1].fails:
                for code in chain.claims.problems(said["x_finding"], self.arguments):
                    entry.axes.problem("findings", code)
                entry.axes.default("findings", PASS)
        entry.axes.default("findings", NOT_CHECKED)

    def change_state(self, entry, chain):
        said = entry.said
        if entry.kind == "install":  # whatever is wrong with it
            chain.in_force = {key: said[key] for key in CARRIED if key in said}
            chain.installs += 1
        if not entry.sound:
            return
        if not any(signer.fails for signer in entry.signers):  # FND-24
            chain.claims.cited.setdefault(entry.hash, said)
        if entry.kind == "record" and not entry.signers[1].fails:
            chain.claims.cited.setdefault(entry.receipt.recorded.message.hash(), entry.receipt.recorded.value)
        if entry.kind == "decision" and said["decision"]["effect"] == "ask" and not entry.signers[0].fails:
            chain.asks[entry.hash] = (said, chain.installs)
        elif entry.kind == "release":  # even where it fails
            chain.used |= {said["ask"], said["approval"]}
        elif entry.kind == "record" and not entry.signers[1].fails:
            inner = entry.receipt.recorded
            kept = {"approval": chain.approvals, "authorization": chain.authorizations}.get(inner.value["statement"])
            if kept is not None:
                kept[inner.message.hash()] = inner.value

    # ---- the answer

    def report(self):
        problems = list(self.problems)
        for entry in self.entries:
            problems += [Problem(f.axis, f.code, f.status, entry.engine_id, entry.seq) for f in entry.axes.findings]
        axes = {}
        for axis in AXES:
            statuses = [entry.axes.status[axis] for entry in self.entries if axis in entry.axes.status]
            statuses += [p.status for p in self.problems if p.axis == axis and p.status == FAIL]
            if axis == "completeness":
                statuses += [PASS if chain.good else NOT_CHECKED for chain in self.chains.values()]
                statuses += [NOT_CHECKED for entry in self.entries if entry.seq is None]
            axes[axis] = join(statuses)
        return Report(axes, problems[:REPORTED], self.asked)


def order_problem(entry, chain):
    """LED-11"""
    first = chain.seq is None
    if first:
        return None if entry.kind == "genesis" else "genesis-missing"
    if entry.kind == "genesis":
        return "genesis-again"
    if entry.seq <= chain.seq:
        return "seq-repeat"
    if entry.seq > chain.seq + 1:
        return "seq-gap"
    return None if entry.said.get("prev") == chain.hash else "prev-differs"


def install_problem(said, chain, require_installer):
    """LED-14, in its order."""
    before = chain.in_force or {}
    if before and said["policy_version"] <= before["policy_version"]:
        return "install-not-rising"
    if said.get("replaces") != before.get("policy_digest"):
        return "install-replaces"
    if "authorization" in said:
        found = chain.authorizations.get(said["authorization"], {})
        same = ("policy_version", "policy_digest", "replaces")
        return None if found and all(found.get(key) == said.get(key) for key in same) else "authorization-differs"
    return "install-unauthorized" if require_installer else None


def decision_problem(said, in_force):
    """LED-14, in its order: a decision cites what the install in force has."""
    if in_force is None:
        return "policy-before-install" if "policy_version" in said else None
    if said["decision"].get("reason") == "no-policy":
        return "no-policy-after-install"
    if said.get("policy_version") != in_force["policy_version"]:
        return "version-differs"
    for key, name in (("policy_digest", "digest"), ("match_profile", "profile")):
        if key in in_force and key not in said:
            return f"{name}-missing"
        if said.get(key) != in_force.get(key):
            return f"{name}-differs"
    return None


def release_problem(said, entry, chain):
    """LED-16, in its order."""
    if said["ask"] not in chain.asks:
        return "ask-missing"
    ask, installs = chain.asks[said["ask"]]
    if "args_digest" not in ask or "enforced" in ask:
        return "ask-not-releasable"
    if said["ask"] in chain.used:
        return "ask-again"
    if installs != chain.installs:
        return "install-between"
    approval = chain.approvals.get(said["approval"])
    if approval is None:
        return "approval-missing"
    if said["approval"] in chain.used:
        return "approval-again"
    if approval["ask"] != said["ask"] or approval["args_digest"] != ask["args_digest"]:
        return "approval-differs"
    if not approval["approved"]:
        return "approval-refused"
    return "approval-expired" if entry.time >= approval["expires"] else None


# ---- the folder

def read_folder(folder):
    """Segments in order, durable.json or None, and the policies that are policies."""
    folder = Path(folder)
    segments = [path.read_bytes() for path in sorted(folder.glob("segment-*.cbor"))]
    durable = folder / "durable.json"
    policies = []
    for path in sorted((folder / "policies").glob("*.json")):
        try:
            policies.append(policy_from_json(path.read_bytes()))
        except SeveralRefused:
            pass  # no policy: whatever cites it will miss it
    return segments, read_durable(durable.read_bytes()) if durable.exists() else None, policies


def read_durable(data):
    """One that cannot be read names an entry that nobody has (LED-11)."""
    try:
        return durable_of(data)
    except SeveralRefused:
        return {"seq": -1, "hash": ""}


def durable_of(data):
    door, root = read_json(data)
    shape = Shape(door)
    members = shape.members(root, "", ("segment", "start", "offset", "seq", "hash"))
    for key, (node, where) in members.items():
        if key == "hash":
            shape.text(node, where, lambda text: None if HASH.fullmatch(text) else "bad-value")
        else:
            shape.integer(node, where)
    door.finish()
    return plain(root)


def verify_folder(folder, trust, checkpoints=()):
    segments, durable, policies = read_folder(folder)
    return LedgerVerifier(trust, "folder", policies or None, checkpoints, durable).verify(segments)


def report_line(report):
    problems = [{"axis": p.axis, "code": p.code, "status": p.status, "engine": p.engine, "seq": p.seq} for p in report.problems]
    return json.dumps({"ok": report.ok, "axes": report.axes, "problems": problems}, ensure_ascii=True)
