"""Chapter finding: the receipts of a harness (FND-22 to FND-28), and the ids (FND-6 to FND-10)."""

import re

from .canonical_json import args_digest, form
from .digest import field, sha256, u32be
from .document import from_object
from .problem import Refused

OCCURRENCE = re.compile(r"[a-z][a-z0-9-]{0,63}@[0-9a-f]{64}")


def finding_id(harness, test_id, cited_receipt):
    return "finding_" + sha256(field(harness) + field(test_id) + field(cited_receipt))[7:23]


def stable_id(harness, test_id, digest, policy_digest):
    return sha256(field(harness) + field(test_id) + field(digest) + field(policy_digest or ""))


def preimage(finding, occurrence=None):
    """Identity of a finding of the model."""
    out = field("ruleprint/finding-id/1")
    path = finding.get("capability_path")
    if path is not None:
        if occurrence is not None:
            raise Refused("field-conflict")
        texts = ["scope:agent", finding["rule_id"], finding["affected_agent"], path["agent_id"], path["target_id"], path["target_type"]]
        hops = [field(hop["edge_id"]) for hop in path["hops"]]  # FND-8
        return out + b"".join(map(field, texts)) + u32be(len(hops)) + b"".join(hops)
    if occurrence is not None and not OCCURRENCE.fullmatch(occurrence):
        raise Refused("bad-value")
    paths = sorted({one["path"].encode("utf-8") for one in finding["evidence"] if "path" in one})  # FND-9
    out += field("scope:repository") + field(finding["rule_id"]) + u32be(len(paths))
    out += b"".join(u32be(len(path)) + path for path in paths)
    return out + (field("occurrence:none") if occurrence is None else field("occurrence:label") + field(occurrence))


def occurrence_of(kind, content, key=""):
    return f"{kind}@{sha256(field('ruleprint/occurrence/1') + field(kind) + field(key) + field(content))[7:]}"


class Claims:
    """What the findings of one chain have cited and claimed so far."""

    def __init__(self):
        self.cited = {}  # statements by hash
        self.inputs = {}  # by the id that follows from them
        self.expectations = {}  # by harness and test

    def problems(self, claim, arguments):
        return [*self.id_problems(claim), *self.cited_problems(claim, arguments), *self.verdict_problems(claim), *self.plan_problems(claim)]

    def id_problems(self, claim):
        """FND-26"""
        inputs = (claim["harness"], claim["test_id"], claim["cited_receipt"])
        own = finding_id(*inputs)
        if claim["finding_id"] != own:
            yield "finding-id-differs"
        if self.inputs.get(claim["finding_id"], inputs) != inputs:
            yield "finding-id-again"
        if claim["finding_id"] == own:
            self.inputs.setdefault(own, inputs)

    def cited_problems(self, claim, arguments):
        """FND-24, FND-25"""
        cited = self.cited.get(claim["cited_receipt"])
        if cited is None:
            yield "cited-missing"
            return
        if cited["statement"] != "decision":
            yield "cited-not-decision"
            return
        repro = claim["repro"]
        if repro["actual_decision"] != cited["decision"]["effect"]:
            yield "cited-misreported"
        tools = [action["tool"] for action in cited["actions"] if "tool" in action]
        if tools[:1] != [repro["tool"]]:
            yield "repro-tool-differs"
        if "args_digest" not in cited:
            yield "cited-args-missing"
        elif cited["args_digest"] != repro["args_digest"]:
            yield "repro-args-differ"
        if claim["cited_receipt"] in arguments:
            if derived(arguments[claim["cited_receipt"]], claim.get("args_salt", "")) != repro["args_digest"]:
                yield "args-not-derived"
        if claim["stable_id"] != stable_id(claim["harness"], claim["test_id"], repro["args_digest"], cited.get("policy_digest")):
            yield "stable-id-differs"

    def verdict_problems(self, claim):
        """FND-27"""
        expected, actual = claim["repro"]["expected_decision"], claim["repro"]["actual_decision"]
        follows = "confirmed" if expected != actual else "expected_pass" if expected == "allow" else "refuted"
        if claim["verdict"] != follows:
            yield "verdict-differs"
        if self.expectations.setdefault((claim["harness"], claim["test_id"]), expected) != expected:
            yield "expectation-differs"

    def plan_problems(self, claim):
        """FND-28"""
        if "plan" not in claim:
            return
        plan = self.cited.get(claim["plan"])
        if plan is None or plan["statement"] != "audit-plan":
            yield "finding-plan-missing"
        elif plan["harness"]["name"] != claim["harness"]:
            yield "finding-plan-harness"


def derived(arguments, salt):
    """None where they have no digest."""
    try:
        return args_digest(form(from_object(arguments)[1]), salt)
    except Refused:
        return None
