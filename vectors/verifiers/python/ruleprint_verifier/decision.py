"""Chapter decision: the canonical request, the procedure, the trace."""

from . import match
from .policy import ARGV_ITEMS, FILE_METHODS, KINDS
from .problem import Refused, pointer
from .text import REQUEST_STRING_BYTES, is_http_method, name_problem, text_problem, utf8_length

ACTIONS = 64
REQUEST_BYTES = 524_288
STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


# ---- request (DEC-1 to DEC-4); the first problem is raised

def canonical_request(request):
    members(request, "", ("agent", "actions"))
    sizes = []
    name(request["agent"], "/agent", sizes)
    actions = items(request["actions"], "/actions", ACTIONS)
    canonical = {"agent": request["agent"], "actions": [canonical_action(a, f"/actions/{i}", sizes) for i, a in enumerate(actions)]}
    if sum(sizes) > REQUEST_BYTES:  # DEC-4
        raise Refused("limit", pointer="")
    return canonical


def canonical_action(action, where, sizes):
    if not isinstance(action, dict):
        raise Refused("wrong-type", pointer=where)
    kinds = [kind for kind in KINDS if kind in action]
    if len(kinds) != 1:
        raise Refused("exactly-one", pointer=where)
    members(action, where, kinds)
    kind = kinds[0]
    return {kind: BODIES[kind](action[kind], f"{where}/{kind}", sizes)}


def filesystem(body, where, sizes):
    members(body, where, ("path", "method"))
    path = canonical(match.canonical_path, body["path"], f"{where}/path", sizes)
    if text(body["method"], f"{where}/method", sizes) not in FILE_METHODS:
        raise Refused("bad-value", pointer=f"{where}/method")
    return {"path": path, "method": body["method"]}


def network(body, where, sizes):
    members(body, where, ("host", "port"), ("method",))
    host = canonical(match.canonical_host, body["host"], f"{where}/host", sizes)
    made = {"host": host, "port": port(body["port"], f"{where}/port")}
    if "method" in body:
        if not is_http_method(text(body["method"], f"{where}/method", sizes)):
            raise Refused("bad-value", pointer=f"{where}/method")
        made["method"] = body["method"]
    return made


def process(body, where, sizes):
    members(body, where, ("argv",))
    argv = items(body["argv"], f"{where}/argv", ARGV_ITEMS)
    for i, arg in enumerate(argv):
        if "\0" in text(arg, f"{where}/argv/{i}", sizes):
            raise Refused("nul-character", pointer=f"{where}/argv/{i}")
    return {"argv": list(argv)}


def tool(body, where, sizes):
    members(body, where, ("server", "name"))
    name(body["server"], f"{where}/server", sizes)
    name(body["name"], f"{where}/name", sizes)
    return dict(body)


BODIES = {"filesystem": filesystem, "network": network, "process": process, "tool": tool}


def members(value, where, required, optional=()):
    if not isinstance(value, dict):
        raise Refused("wrong-type", pointer=where)
    if any(key not in value for key in required):
        raise Refused("missing-key", pointer=where)
    for key in value:
        if key not in required and key not in optional:
            raise Refused("unknown-key", pointer=pointer(where, key))


def items(value, where, limit):
    if not isinstance(value, list):
        raise Refused("wrong-type", pointer=where)
    if not value:
        raise Refused("empty-list", pointer=where)
    if len(value) > limit:
        raise Refused("limit", pointer=where)
    return value


def text(value, where, sizes):
    if not isinstance(value, str):
        raise Refused("wrong-type", pointer=where)
    code = text_problem(value, REQUEST_STRING_BYTES)
    if code:
        raise Refused(code, pointer=where)
    sizes.append(utf8_length(value))
    return value


def name(value, where, sizes):
    code = name_problem(text(value, where, sizes))
    if code:
        raise Refused(code, pointer=where)


def canonical(make, value, where, sizes):
    text(value, where, sizes)
    try:
        return make(value)
    except Refused as refused:
        raise Refused(refused.code, pointer=where) from None


def port(value, where):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused("wrong-type", pointer=where)
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise Refused("bad-integer", pointer=where)
    if not 1 <= value <= 65_535:
        raise Refused("bad-value", pointer=where)
    return int(value)


# ---- procedure (DEC-5 to DEC-10)

class Engine:
    """A policy with its patterns parsed once."""

    def __init__(self, policy):
        self.rules = [Rule(rule) for rule in policy["rules"]]

    def decide(self, request):
        outcomes = [self.outcome(request["agent"], action) for action in request["actions"]]
        index = max(range(len(outcomes)), key=lambda i: (STRICTNESS[outcomes[i]["effect"]], -i))  # DEC-7
        return outcomes[index] | {"action": index}

    def outcome(self, agent, action):
        """DEC-6"""
        for effect in ("deny", "ask", "allow"):
            for rule in self.rules:
                if rule.effect == effect and rule.first_miss(agent, action) is None:
                    return {"effect": effect, "rule": rule.name}
        return {"effect": "deny", "reason": "no-rule"}

    def trace(self, request):
        """DEC-11"""
        return [[rule.first_miss(request["agent"], action) or "matched" for rule in self.rules] for action in request["actions"]]


def decide(policy, request):
    """The decision on a canonical request; without a policy it is a denial (DEC-5)."""
    if policy is None:
        return {"effect": "deny", "reason": "no-policy"}
    return Engine(policy).decide(request)


class Rule:
    def __init__(self, rule):
        self.name = rule["name"]
        self.effect = rule["effect"]
        self.agents = None if rule["agents"] == "any" else frozenset(rule["agents"]["one_of"])
        ((self.kind, body),) = rule["action"].items()
        self.body = body
        self.patterns = {}
        if self.kind == "filesystem":
            self.patterns["path"] = match.parse_path_pattern(body["path"])
        elif self.kind == "network":
            self.patterns["host"] = match.parse_host_pattern(body["host"])
        elif self.kind == "process":
            self.patterns["argv"] = match.parse_argv_pattern(body["argv"])
        else:
            self.patterns = {key: match.parse_text_pattern(body[key]) for key in ("server", "name")}

    def first_miss(self, agent, action):
        """None where the rule matches, else the first part that does not."""
        if self.agents is not None and agent not in self.agents:  # DEC-8
            return "agents"
        if self.kind not in action:
            return "kind"
        return getattr(self, self.kind)(action[self.kind])

    def filesystem(self, action):
        if not match.path_covers(self.patterns["path"], action["path"]):
            return "path"
        return None if self.body["methods"] == "any" or action["method"] in self.body["methods"] else "methods"

    def network(self, action):
        if not match.host_covers(self.patterns["host"], action["host"]):
            return "host"
        ports = self.body["ports"]
        if ports != "any" and not ports["from"] <= action["port"] <= ports["to"]:  # DEC-10
            return "ports"
        methods = self.body["methods"]
        if methods == "any":
            return None
        if "method" not in action:  # DEC-9
            return None if self.effect == "deny" else "methods"
        return None if action["method"] in methods else "methods"

    def process(self, action):
        return None if match.argv_covers(self.patterns["argv"], action["argv"]) else "argv"

    def tool(self, action):
        for key in ("server", "name"):
            if not match.glob_covers(self.patterns[key], action[key]):
                return key
        return None


# ---- install (DEC-12)

def install(in_force, version):
    if in_force is not None and version == in_force:
        raise Refused("version-equal")
    if in_force is not None and version < in_force:
        raise Refused("version-lower")
    return version
