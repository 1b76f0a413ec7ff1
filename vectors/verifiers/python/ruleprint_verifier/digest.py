"""Chapter digest: the preimage byte by byte."""

import hashlib

POLICY_TAG = "ruleprint/policy-digest/1"
RULE_TAG = "ruleprint/rule-digest/1"


def u32be(n):
    return n.to_bytes(4, "big")


def field(text):
    """DIG-6, DIG-7"""
    data = text.encode("utf-8")
    return u32be(len(data)) + data


def one_of(tag, items):
    """DIG-2: a set, by its UTF-8 bytes."""
    return field(tag) + u32be(len(items)) + b"".join(field(i) for i in sorted(items, key=lambda i: i.encode("utf-8")))


def agents(value):
    return field("agents:any") if value == "any" else one_of("agents:one_of", value["one_of"])


def methods(value):
    return field("methods:any") if value == "any" else one_of("methods:one_of", value)


def ports(value):
    """DIG-3: as written."""
    if value == "any":
        return field("ports:any")
    return field("ports:range") + u32be(value["from"]) + u32be(value["to"])


def action(value):
    ((kind, body),) = value.items()
    head = field("action:" + kind)
    if kind == "filesystem":
        return head + field(body["path"]) + methods(body["methods"])
    if kind == "network":
        return head + field(body["host"]) + ports(body["ports"]) + methods(body["methods"])
    if kind == "process":
        return head + u32be(len(body["argv"])) + b"".join(field(arg) for arg in body["argv"])
    return head + field(body["server"]) + field(body["name"])


def rule(value):
    return field(value["name"]) + field(value["effect"]) + agents(value["agents"]) + action(value["action"])


def policy_preimage(policy):
    """DIG-1: rules in order; DIG-4: no version."""
    return field(POLICY_TAG) + u32be(len(policy["rules"])) + b"".join(rule(r) for r in policy["rules"])


def rule_preimage(value):
    return field(RULE_TAG) + rule(value)


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def policy_digest(policy):
    return sha256(policy_preimage(policy))
