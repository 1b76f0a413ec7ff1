"""Chapter audit evidence: the statements of an audit (AUE-1 to AUE-16, AUE-40 to AUE-43), as the grammar of statement.py checks them."""

import re

from .policy import EFFECTS
from .text import RULE_STRING_BYTES, text_problem

STATEMENTS = ("audit-plan", "audit-epoch", "audit-report")
BARE_HASH = re.compile(r"[0-9a-f]{64}")
MILLION = 1_000_000
SUBJECTS = ("skill", "policy", "agent")
SCENARIOS = ("benign", "adversarial", "control_good", "control_bad")
ARMS = ("with_skill", "baseline")
SEVERITIES = ("info", "low", "medium", "high", "critical")
OF_SKILLS = ("tree_hash", "files", "hidden", "scripts")  # AUE-4

# AUE-3
HITS = 200
REASONS = 200
NAMES = 32


def members_of(grammar, statement):
    """The required and the optional members, without those that every statement by another key has."""
    g = Members(grammar)
    return {"audit-plan": g.plan, "audit-epoch": g.epoch, "audit-report": g.report}[statement]()


class Members:
    def __init__(self, grammar):
        self.g = grammar

    # -- kinds of values

    def between(self, least, most):
        def check(value, where):
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0 and not least <= value <= most:
                self.g.add("bad-value", where)
            else:
                self.g.uint(value, where)
        return check

    def bare_hash(self, value, where):
        self.g.text(value, where, lambda text: None if BARE_HASH.fullmatch(text) else "bad-value")

    def source(self, value, where):
        self.g.text(value, where, lambda text: text_problem(text, RULE_STRING_BYTES))

    def seed(self, value, where):
        """AUE-16"""
        if not isinstance(value, bytes):
            self.g.add("wrong-type", where)
        elif len(value) != 32:
            self.g.add("bad-value", where)

    def map(self, required, optional=None):
        return lambda value, where: self.g.map(value, where, required, optional)

    def list(self, check, limit, least=0):
        return lambda value, where: self.g.list(value, where, check, limit, least)

    def uints(self, *names):
        return {name: self.g.uint for name in names}

    def hits(self):
        required = {
            "signal": self.g.name, "rule_version": self.g.uint, "severity": self.g.word(SEVERITIES), "locus": self.g.name, "excerpt_digest": self.g.hash,
        }
        return self.list(self.map(required, self.uints("call", "message")), HITS)

    # -- statements

    def plan(self):
        g = self.g
        millionths = self.between(0, MILLION)
        subject = {"kind": g.word(SUBJECTS), "name": g.name, "digest": g.hash}
        of_skills = {"source": self.source, "tree_hash": self.bare_hash, "files": g.uint, "hidden": g.uint, "scripts": g.boolean}
        scenario = {"id": g.name, "kind": g.word(SCENARIOS), "digest": g.hash}
        model = {"id": g.name, "requested": g.name, "sampled": g.boolean}
        of_models = {"provider": g.name, **self.uints("temperature", "top_p", "max_tokens"), "weights_digest": g.hash}
        cell = {"model": g.uint, "scenario": g.uint, "arm": g.word(ARMS), "epochs": self.between(1, 10_000)}
        return {
            "subject": self.map(subject, of_skills),
            "harness": self.map({"name": g.name, "version": g.name}),
            "signals": g.name,
            "grade": g.word(("screening", "validation")),
            "policy_digest": g.hash,
            "mapping": g.hash,
            "scenarios": self.list(self.map(scenario), 1_000, least=1),
            "models": self.list(self.map(model, of_models), 64, least=1),
            "cells": self.list(self.map(cell), 4_000, least=1),
            "limits": self.map(self.uints("max_turns", "max_calls", "epoch_time_limit", "retries")),
            "thresholds": self.map({name: millionths for name in ("alpha", "rate_alpha", "rate_difference", "max_invalid")}),
            "seed_commitment": g.hash,
        }, {}

    def epoch(self):
        g = self.g
        names = self.list(g.name, NAMES)
        call = {
            "receipt": g.hash, "decision": g.word(EFFECTS), "parsed": g.word(("ok", "malformed", "truncated")), "answered": g.boolean,
            "args_bytes": g.uint, "result_digest": g.hash,
        }
        return {
            "plan": g.hash,
            "epoch": g.uint,
            "model": g.uint,
            "scenario": g.name,
            "variant": g.uint,
            "arm": g.word(ARMS),
            "seed": self.between(0, 2**31 - 1),
            **self.uints("started_at", "ended_at"),
            "ending": g.word(("done", "turn-limit", "call-limit")),
            **self.uints("turns", "attempts"),
            "models_reported": names,
            "fingerprints": names,
            "finish_reasons": names,
            **self.uints("prompt_tokens", "completion_tokens"),
            "calls": self.list(self.map(call, {"args_digest": g.hash, "policy_digest": g.hash}), 1_000),
            "outcome": g.word(("hit", "invalid", "clean")),
            "hits": self.hits(),
            "more_hits": g.uint,
            "seen": names,
            "violated": names,
            "transcript_digest": g.hash,
            "transcript_bytes": g.uint,
            "said_digest": g.hash,
        }, {"failure": g.name, "invalid": g.name}

    def report(self):
        g = self.g
        millionths = self.between(0, MILLION)
        why = {"signal": g.name, "severity": g.word(SEVERITIES), "model": g.name, "scenario": g.name, "locus": g.name, "epochs": g.uint}
        count = {
            "model": g.name, "signal": g.name, **self.uints("hits", "epochs", "invalid"), "bound": millionths, "worst_case": millionths,
            **self.uints("baseline_hits", "baseline_epochs", "scenarios_hit", "scenarios"), "scenario_bound": millionths,
        }
        clustering = {"icc": millionths, "design_effect": g.uint, "effective_size": g.uint}
        rate = {
            "model": g.name, "scenario": g.name, "signal": g.name, **self.uints("hits", "epochs", "baseline_hits", "baseline_epochs"),
            "p": millionths, "failed": g.boolean,
        }
        return {
            "plan": g.hash,
            "seed": self.seed,
            "verdict": g.word(("pass", "fail", "inconclusive")),
            "reasons": self.list(self.map({"why": g.name}, why), REASONS),
            **self.uints("more_reasons", "started", "planned"),
            "static_hits": self.hits(),
            "more_static_hits": g.uint,
            "counts": self.list(self.map(count, clustering), 1_000),
            "rates": self.list(self.map(rate), 1_000),
            **self.uints("rate_tests", "distinct_transcripts"),
            "transcripts_root": g.hash,
            "findings": g.uint,
            "not_claimed": self.list(g.name, NAMES),
        }, {"first_epoch": g.hash, "last_epoch": g.hash}


# ---- what has to agree

def conflict(value):
    return {"audit-plan": plan_conflict, "audit-epoch": epoch_conflict, "audit-report": report_conflict}[value["statement"]](value)


def twice(items):
    return len(set(items)) < len(items)


def plan_conflict(plan):
    subject, scenarios, models, cells = plan["subject"], plan["scenarios"], plan["models"], plan["cells"]
    if any((name in subject) != (subject["kind"] == "skill") for name in OF_SKILLS):  # AUE-4
        return True
    if twice([scenario["id"] for scenario in scenarios]) or twice([model["id"] for model in models]):  # AUE-5, AUE-6
        return True
    if any(cell["model"] >= len(models) or cell["scenario"] >= len(scenarios) for cell in cells):  # AUE-7
        return True
    return twice([(cell["model"], cell["scenario"], cell["arm"]) for cell in cells])  # AUE-8


def epoch_conflict(epoch):
    outcome, hits = epoch["outcome"], epoch["hits"]
    is_hit = any(hit["severity"] != "info" for hit in hits)
    if is_hit != (outcome == "hit"):  # AUE-9
        return True
    if not is_hit and ("invalid" in epoch) != (outcome == "invalid"):  # AUE-10
        return True
    if epoch["more_hits"] > 0 and len(hits) < HITS:  # AUE-11
        return True
    if any(hit.get("call", -1) >= len(epoch["calls"]) for hit in hits):  # AUE-40
        return True
    return epoch["ended_at"] < epoch["started_at"]  # AUE-41


def report_conflict(report):
    if (report["verdict"] == "pass") != (report["reasons"] == []):  # AUE-13
        return True
    if report["more_reasons"] > 0 and len(report["reasons"]) < REASONS:  # AUE-14
        return True
    if report["more_static_hits"] > 0 and len(report["static_hits"]) < HITS:
        return True
    if any((name in report) != (report["started"] > 0) for name in ("first_epoch", "last_epoch")):  # AUE-15
        return True
    if any(more_than_all(count) for count in (*report["counts"], *report["rates"])):  # AUE-42
        return True
    clustering = ("icc", "design_effect", "effective_size")
    return any(len({name in count for name in clustering}) > 1 for count in report["counts"])  # AUE-43


def more_than_all(count):
    pairs = (
        (count["hits"] + count.get("invalid", 0), count["epochs"]),
        (count["baseline_hits"], count["baseline_epochs"]),
        (count.get("scenarios_hit", 0), count.get("scenarios", 0)),
    )
    return any(some > all for some, all in pairs)
