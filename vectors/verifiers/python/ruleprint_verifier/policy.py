"""Chapter policy: which documents are policies (POL-1 to POL-10), and the limits."""

from . import match
from .document import SAFE_INTEGER, Shape, from_object, plain, read_json, rule_text
from .problem import Refused
from .text import RULE_STRING_BYTES, is_http_method, name_problem

RULES = 100_000
SET_ITEMS = 10_000
ARGV_ITEMS = 256
EFFECTS = ("allow", "ask", "deny")
FILE_METHODS = ("read", "write", "delete", "execute")
KINDS = ("filesystem", "network", "process", "tool")


def policy_from_json(data):
    door, root = read_json(data)
    return judge(door, root)


def policy_from_object(value):
    door, root = from_object(value)
    return judge(door, root)


def judge(door, root):
    PolicyShape(door).policy(root)
    door.finish()
    return plain(root)


def code_of(parse):
    """A check that gives the code with which a pattern is refused (POL-10)."""

    def check(text):
        try:
            parse(text)
            return None
        except Refused as refused:
            return refused.code

    return check


def pattern(parse):
    return rule_text(code_of(parse), RULE_STRING_BYTES)


def tool_pattern(text):
    return name_problem(text) or code_of(match.parse_text_pattern)(text)


def http_method(text):
    return None if is_http_method(text) else "bad-value"


def file_method(text):
    return None if text in FILE_METHODS else "bad-value"


class PolicyShape(Shape):
    def policy(self, root):
        members = self.members(root, "", ("version", "rules"))
        if "version" in members:
            self.integer(*members["version"], least=1, greatest=SAFE_INTEGER)
        names = set()
        for node, where in self.list(*members["rules"], limit=RULES) if "rules" in members else ():
            self.rule(node, where, names)

    def rule(self, node, where, names):
        checks = {"name": lambda n, w: self.name(n, w, names), "effect": lambda n, w: self.word(n, w, EFFECTS), "agents": self.agents, "action": self.action}
        self.each(node, where, checks)

    def each(self, node, where, checks):
        for key, (value, place) in self.members(node, where, tuple(checks)).items():
            checks[key](value, place)

    def name(self, node, where, names):
        name = self.text(node, where, name_problem)
        if name is not None and name in names:  # POL-6
            self.door.add("duplicate-name", node.at, where)
        names.add(name)

    def agents(self, node, where):
        if node.kind == "text":
            self.word(node, where, ("any",))
        else:
            self.each(node, where, {"one_of": lambda n, w: self.set(n, w, name_problem, SET_ITEMS)})

    def action(self, node, where):
        kinds = {"filesystem": self.filesystem, "network": self.network, "process": self.process, "tool": self.tool}
        if node.kind == "object" and sum(key in KINDS for key in node.value) != 1:  # POL-2
            self.door.add("exactly-one", node.at, where)
        for key, (value, place) in self.members(node, where, (), KINDS).items():
            kinds[key](value, place)

    def filesystem(self, node, where):
        path = lambda n, w: self.text(n, w, pattern(match.parse_path_pattern))
        self.each(node, where, {"path": path, "methods": lambda n, w: self.methods(n, w, file_method)})

    def network(self, node, where):
        host = lambda n, w: self.text(n, w, pattern(match.parse_host_pattern))
        methods = lambda n, w: self.methods(n, w, rule_text(http_method, RULE_STRING_BYTES))
        self.each(node, where, {"host": host, "ports": self.ports, "methods": methods})

    def methods(self, node, where, check):
        if node.kind == "text":
            self.word(node, where, ("any",))
        else:
            self.set(node, where, check, SET_ITEMS)

    def ports(self, node, where):
        if node.kind == "text":
            self.word(node, where, ("any",))
        else:
            port = lambda n, w: self.integer(n, w, greatest=65_535)  # POL-9: as written, from above to is legal
            self.each(node, where, {"from": port, "to": port})

    def process(self, node, where):
        self.each(node, where, {"argv": self.argv})

    def argv(self, node, where):
        items = self.list(node, where, limit=ARGV_ITEMS, least=1)
        for i, (item, place) in enumerate(items):
            last = i == len(items) - 1
            self.text(item, place, pattern(lambda text, last=last: match.parse_argv_item(text, last)))

    def tool(self, node, where):
        text = lambda n, w: self.text(n, w, tool_pattern)
        self.each(node, where, {"server": text, "name": text})
