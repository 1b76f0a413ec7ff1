"""Chapter mapping: tables, and the actions that they make of a call. Shell rows are read and not mapped."""

import re

from . import match
from .canonical_json import form, mapping_digest
from .document import Shape, from_object, plain, read_json
from .policy import FILE_METHODS
from .problem import Refused, pointer
from .text import REQUEST_STRING_BYTES, is_http_method, name_problem, text_problem

FORMAT = "ruleprint-mapping/1"
ROWS = 64
ACTIONS = 64
STRICT = {"relative": "refuse", "home": "refuse", "dot_dot": "refuse"}
WHITE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
LOOKS_OTHERWISE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
LITERAL = re.compile(r"[^*?\[\]{}()!@+|,\\]+")
WILD = re.compile(r"[^\[\](){}\\]+|\*[^\[\](){}\\]*(?:\{[^\[\](){}\\]*\}[^\[\](){}\\]*)*")
URL = re.compile(r"([A-Za-z]{2,5})://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([1-9][0-9]{0,4}))?(?:[/?#].*)?", re.DOTALL)
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


# ---- tables (MAP-1, MAP-2)

def table_from_json(data):
    door, root = read_json(data)
    return judge(door, root)


def table_from_object(value):
    door, root = from_object(value)
    return judge(door, root)


def judge(door, root):
    TableShape(door).table(root)
    door.finish()
    return plain(root)


def digest_of(tables):
    """DIG-12"""
    ordered = sorted(tables, key=lambda table: (b"\1" + table["server"].encode("utf-8")) if "server" in table else b"")
    return mapping_digest(form(from_object(ordered[0] if len(ordered) == 1 else ordered)[1]))


class TableShape(Shape):
    def fields(self, node, where, required, optional):
        for key, (value, place) in self.members(node, where, tuple(required), tuple(optional)).items():
            (required.get(key) or optional[key])(value, place)

    def words(self, *words):
        return lambda node, where: self.word(node, where, words)

    def yes(self, node, where):
        value = self.boolean(node, where)
        if value is False:
            self.door.add("bad-value", node.at, where)

    def named(self, node, where):
        self.text(node, where, name_problem)

    def names(self, least):
        def check(node, where):
            if node.kind == "list" and not node.value and least == 0:
                return
            self.set(node, where, name_problem, ROWS)

        return check

    def table(self, root):
        rules = {"relative": self.words("refuse", "cwd"), "home": self.words("refuse", "expand"), "dot_dot": self.words("refuse", "resolve")}
        optional = {"server": self.named, "mcp_names": self.yes, "paths": lambda n, w: self.fields(n, w, rules, {})}
        self.fields(root, "", {"format": self.words(FORMAT), "tools": self.tools}, optional)

    def tools(self, node, where):
        if node.kind != "object":
            self.door.add("wrong-type", node.at, where)
            return
        for key, tool in node.value.items():
            code = name_problem(key)
            if code:
                self.door.add(code, node.key_at[key], pointer(where, key))
            self.fields(tool, pointer(where, key), {"actions": self.rows}, {"arguments": self.names(0)})

    def rows(self, node, where):
        for row, place in self.list(node, where, ROWS):
            kinds = {"filesystem": self.filesystem, "network": self.network, "process": self.process, "shell": self.shell}
            if row.kind == "object" and sum(key in kinds for key in row.value) != 1:
                self.door.add("exactly-one", row.at, place)
            self.fields(row, place, {}, kinds)

    def unless(self, node, where):
        self.fields(node, where, {"argument": self.named, "is": self.boolean}, {})

    def filesystem(self, node, where):
        methods = lambda n, w: self.set(n, w, lambda text: None if text in FILE_METHODS else "bad-value", len(FILE_METHODS))
        optional = {"each": self.yes, "subtree": self.yes, "glob": self.named, "absent": self.words("none", "cwd"), "unless": self.unless}
        self.fields(node, where, {"path": self.named, "methods": methods}, optional)

    def network(self, node, where):
        method = lambda n, w: self.text(n, w, lambda text: name_problem(text) or (None if is_http_method(text) else "bad-value"))
        optional = {"each": self.yes, "method": method, "method_argument": self.named, "absent": self.words("none"), "unless": self.unless}
        self.fields(node, where, {"url": self.named}, optional)

    def process(self, node, where):
        self.fields(node, where, {"argv": self.names(1)}, {"absent": self.words("none"), "unless": self.unless})

    def shell(self, node, where):
        self.fields(node, where, {"command": self.named}, {"cwd": self.named, "absent": self.words("none"), "unless": self.unless})


# ---- calls (MAP-3 to MAP-17)

class NameRefused(Refused):
    """About the names of tool and server: not canonical."""


def reason_of(refused):
    """MAP-17"""
    return "not-canonical" if isinstance(refused, NameRefused) or re.match("(path|host)-", refused.code) else "unmapped"


def fold(name):
    return re.sub("[A-Z]", lambda letter: letter.group().lower(), name).replace("_", "").replace("-", "")


class Mapper:
    def __init__(self, tables, server=None, cwd=None, home=None):
        self.tables = {table.get("server"): table for table in tables}
        only = tables[0].get("server") if len(tables) == 1 else None
        self.server = server if server is not None else only
        self.cwd, self.home = cwd, home

    def table_of(self, server):
        return self.tables.get(server) or self.tables.get(None)

    def map(self, call):
        server, tool = self.names(call)
        actions = [{"tool": {"server": server, "name": tool}}]
        table = self.table_of(server)
        if table is not None:
            entry = tool_of(table, tool)
            if entry is not None:
                cwd = match.canonical_path(call["cwd"]) if "cwd" in call else self.cwd
                actions += Rows(table.get("paths", STRICT), cwd, self.home, call.get("args", {})).derive(entry)
        if len(actions) > ACTIONS:
            raise Refused("limit")
        return [action for i, action in enumerate(actions) if action not in actions[:i]]

    def names(self, call):
        """MAP-4, MAP-6"""
        server, tool = call.get("server", self.server), call["tool"]
        if server is None:
            raise NameRefused("wrong-type")
        table = self.table_of(server)
        if table is not None and "mcp_names" in table and tool.startswith("mcp__"):
            parts = tool.split("__")
            if len(parts) != 3 or not parts[1] or not parts[2] or parts[1].endswith("_") or parts[2].startswith("_"):
                raise Refused("tool-split")
            server, tool = parts[1:]
        for name in (server, tool):
            code = name_problem(name)
            if code:
                raise NameRefused(code)
        return server, tool


def tool_of(table, name):
    """MAP-5"""
    if name in table["tools"]:
        return table["tools"][name]
    if fold(name) in map(fold, table["tools"]):
        raise Refused("tool-case")
    return None


def body_of(row):
    ((kind, body),) = row.items()
    return kind, body


def arguments_of(row):
    kind, body = body_of(row)
    names = {"filesystem": ("path", "glob"), "network": ("url", "method_argument"), "process": (), "shell": ("command", "cwd")}[kind]
    found = [body[name] for name in names if name in body] + (body["argv"] if kind == "process" else [])
    return found + ([body["unless"]["argument"]] if "unless" in body else [])


class Rows:
    def __init__(self, rules, cwd, home, args):
        if not isinstance(args, dict):
            raise Refused("argument-type")
        self.rules, self.cwd, self.home, self.args = rules, cwd, home, args

    def derive(self, tool):
        self.check_names(tool)
        actions = []
        for row in tool["actions"]:
            kind, body = body_of(row)
            if not self.is_off(body):
                actions += getattr(self, kind)(body)
        return actions

    def check_names(self, tool):
        """MAP-8"""
        known = {name for row in tool["actions"] for name in arguments_of(row)} | set(tool.get("arguments", ()))
        folded = set(map(fold, known))
        for key in self.args:
            if key in known:
                continue
            if fold(key) in folded:
                raise Refused("argument-case")
            if "arguments" in tool:
                raise Refused("argument-unknown")

    # MAP-7

    def is_off(self, body):
        if "unless" not in body or body["unless"]["argument"] not in self.args:
            return False
        value = self.args[body["unless"]["argument"]]
        if not isinstance(value, bool):
            raise Refused("argument-type")
        return value is body["unless"]["is"]

    def is_absent(self, argument, body):
        if argument in self.args:
            return False
        if body.get("absent") != "none":
            raise Refused("argument-missing")
        return True

    def text(self, argument):
        value = self.args.get(argument) if argument in self.args else None
        if argument in self.args and not isinstance(value, str):
            raise Refused("argument-type")
        return value

    def list(self, argument):
        value = self.args[argument]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Refused("argument-type")
        return value

    def texts(self, argument, body):
        if argument not in self.args and body.get("absent") == "cwd":
            return [None]
        if self.is_absent(argument, body):
            return []
        return self.list(argument) if "each" in body else [self.text(argument)]

    # rows

    def filesystem(self, body):
        tree = "subtree" in body or "glob" in body
        for text in self.texts(body["path"], body):
            path = self.path(body, text)
            for method in body["methods"]:
                yield {"filesystem": {"path": path, "method": method}}
                if tree:  # MAP-14
                    yield {"filesystem": {"path": path.rstrip("/") + "/**", "method": method}}

    def path(self, body, text):
        loose = self.rules | {"relative": "cwd"}
        folder = written_path(".", loose, self.cwd, self.home) if text is None else written_path(text, self.rules, self.cwd, self.home)
        if "glob" not in body:
            return folder
        pattern = self.text(body["glob"])
        if pattern is None:
            raise Refused("argument-missing")
        base = glob_base(pattern)
        return written_path(base, loose, folder, self.home) if base else folder

    def network(self, body):
        for url in self.texts(body["url"], body):
            host, port = host_and_port(url)
            action = {"host": host, "port": port}
            method = self.text(body["method_argument"]) if "method_argument" in body else None
            if method is not None:
                method = re.sub("[a-z]", lambda letter: letter.group().upper(), method)
                if not is_http_method(method):
                    raise Refused("bad-value")
            method = body.get("method") if method is None else method
            yield {"network": action | ({"method": method} if method is not None else {})}

    def process(self, body):
        if self.is_absent(body["argv"][0], body):
            return
        argv = []
        for argument in body["argv"]:
            if argument in self.args:
                argv += [self.args[argument]] if isinstance(self.args[argument], str) else self.list(argument)
        yield {"process": {"argv": argv}}

    def shell(self, body):
        raise Refused("shell-parser")  # MAP-15


def check_text(text):
    code = text_problem(text, REQUEST_STRING_BYTES)
    if code:
        raise Refused(code)


def written_path(text, rules, cwd, home):
    """MAP-9 to MAP-11"""
    check_text(text)
    if "\0" in text or "\\" in text or text[:1] in WHITE and text or text[-1:] in WHITE and text:
        raise Refused("path-character")
    path = text if text.startswith("/") else below(text, rules, cwd, home)
    if path.startswith("//"):
        raise Refused("path-leading-slashes")
    if rules["dot_dot"] == "resolve":
        kept = []
        for segment in path.split("/"):
            if segment == "..":
                kept = kept[:-1]
            elif segment not in ("", "."):
                kept.append(segment)
        path = "/" + "/".join(kept)
    return match.canonical_path(path)


def below(text, rules, cwd, home):
    if text.startswith("~"):
        if rules["home"] != "expand" or not (text == "~" or text.startswith("~/")) or home is None:
            raise Refused("path-relative")
        return under(home, text[1:])
    if rules["relative"] == "refuse" or text == "" or LOOKS_OTHERWISE.match(text) or cwd is None:
        raise Refused("path-relative")
    return under(cwd, "/" + text)


def under(base, rest):
    return rest if base == "/" and rest else base + rest


def glob_base(pattern):
    """MAP-12"""
    check_text(pattern)
    segments = pattern.split("/")
    front = 0
    while front < len(segments) and (LITERAL.fullmatch(segments[front]) or segments[front] == "" and front == 0):
        front += 1
    if pattern == "" or "\0" in pattern or any(s in (".", "..") or not WILD.fullmatch(s) for s in segments[front:]):
        raise Refused("glob-reach")
    base = "/".join(segments[:front])
    return "/" if base == "" and pattern.startswith("/") else base


def host_and_port(url):
    """MAP-13"""
    check_text(url)
    found = URL.fullmatch(url)
    scheme = found and found.group(1).lower()
    if not found or scheme not in PORTS or re.search(r"[\0-\x20\x7f\\]", url):
        raise Refused("url-syntax")
    port = int(found.group(3)) if found.group(3) else PORTS[scheme]
    if port > 65_535:
        raise Refused("url-syntax")
    return match.canonical_host(found.group(2)), port
