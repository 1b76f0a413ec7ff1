"""Chapter policy, "One strict door": JSON text with the place of every value (POL-11 to POL-13, POL-17).

Both doors, text and object, give nodes; what is judged are nodes.
"""

import re
from dataclasses import dataclass, field

from .problem import PROBLEMS, Problem, SeveralRefused, pointer
from .text import text_problem

DOCUMENT_BYTES = 64 * 1024 * 1024
NESTING = 32
SAFE_INTEGER = 2**53 - 1

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
PLAIN_INTEGER = re.compile(r"0|[1-9][0-9]*")
PLAIN_CHARACTERS = re.compile(r'[^"\\\u0000-\u001f]*')
BLANKS = re.compile(r"[ \t\r\n]*")
HEX4 = re.compile(r"[0-9a-fA-F]{4}")
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass
class Node:
    kind: str  # "object", "list", "text", "number", "boolean" or "null"
    value: object  # members by key, items, the text, the digits of a number, True or False
    at: int  # where it begins, in code points; at the object door a running number
    key_at: dict = field(default_factory=dict)  # of an object: where each key begins


class Door:
    """Collects the problems of one document."""

    def __init__(self, text=None):
        self.text = text
        self.found = []

    def add(self, code, at, where):
        self.found.append((at, len(self.found), code, where))

    def finish(self):
        """Raises where anything was found, in document order (POL-17)."""
        if not self.found:
            return
        found = sorted(self.found)[:PROBLEMS]
        places = [{}] * len(found) if self.text is None else positions(self.text, [at for at, *_ in found])
        raise SeveralRefused([Problem(code, {"pointer": where} | place) for (_, _, code, where), place in zip(found, places)])


def positions(text, places):
    """Line and column from 1, column and offset in UTF-16 code units, of rising places."""
    units = lambda part: len(part.encode("utf-16-le", "surrogatepass")) // 2
    line, column, offset, before = 1, 1, 0, 0
    for at in places:
        passed = text[before:at]
        offset += units(passed)
        last = passed.rfind("\n")
        column = column + units(passed) if last < 0 else 1 + units(passed[last + 1 :])
        line += passed.count("\n")
        before = at
        yield {"line": line, "column": column, "offset": offset}


def position(text, at):
    return next(positions(text, [at]))


def read_json(data):
    """The door of a text and its root node; raises SeveralRefused where the text alone is refused."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if len(data) > DOCUMENT_BYTES:
        raise SeveralRefused([Problem("limit")])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise SeveralRefused([Problem("utf8")]) from None
    door = Door(text)
    return door, Reader(door).document()


class Reader:
    """RFC 8259, with nothing added. A byte order mark is no blank, so it is a syntax error like any other."""

    def __init__(self, door):
        self.door = door
        self.text = door.text
        self.at = 0

    def document(self):
        node = self.value("", 1)
        self.blanks()
        if self.at < len(self.text):
            self.syntax()
        return node

    def syntax(self):
        raise SeveralRefused([Problem("syntax", position(self.text, min(self.at, len(self.text))))])

    def blanks(self):
        self.at = BLANKS.match(self.text, self.at).end()

    def take(self, wanted):
        if not self.text.startswith(wanted, self.at):
            self.syntax()
        self.at += len(wanted)

    def peek(self):
        self.blanks()
        return self.text[self.at : self.at + 1]

    def value(self, where, depth):
        first = self.peek()
        at = self.at
        if first in ("{", "["):
            if depth > NESTING:
                raise SeveralRefused([Problem("limit", {"pointer": where} | position(self.text, at))])
            return self.object(where, depth) if first == "{" else self.list(where, depth)
        if first == '"':
            return Node("text", self.string(), at)
        for word, kind, value in (("true", "boolean", True), ("false", "boolean", False), ("null", "null", None)):
            if self.text.startswith(word, at):
                self.at += len(word)
                return Node(kind, value, at)
        number = NUMBER.match(self.text, at)
        if not number:
            self.syntax()
        self.at = number.end()
        return Node("number", number.group(), at)

    def list(self, where, depth):
        node = Node("list", [], self.at)
        self.take("[")
        if self.peek() == "]":
            self.at += 1
            return node
        while True:
            node.value.append(self.value(f"{where}/{len(node.value)}", depth + 1))
            if self.peek() == "]":
                self.at += 1
                return node
            self.take(",")

    def object(self, where, depth):
        node = Node("object", {}, self.at)
        self.take("{")
        if self.peek() == "}":
            self.at += 1
            return node
        while True:
            self.blanks()
            key_at = self.at
            key = self.string()
            self.blanks()
            self.take(":")
            place = pointer(where, key)
            value = self.value(place, depth + 1)
            if key == "__proto__":  # POL-13
                self.door.add("forbidden-key", key_at, place)
            elif key in node.value:  # POL-12
                self.door.add("duplicate-key", key_at, place)
            else:
                node.value[key] = value
                node.key_at[key] = key_at
            if self.peek() == "}":
                self.at += 1
                return node
            self.take(",")

    def string(self):
        self.take('"')
        parts = []
        while True:
            plain = PLAIN_CHARACTERS.match(self.text, self.at)
            parts.append(plain.group())
            self.at = plain.end()
            if self.text[self.at : self.at + 1] == '"':
                self.at += 1
                break
            self.take("\\")
            escape = self.text[self.at : self.at + 1]
            self.at += 1
            if escape == "u":
                digits = HEX4.match(self.text, self.at)
                if not digits:
                    self.syntax()
                parts.append(chr(int(digits.group(), 16)))
                self.at += 4
            elif escape in ESCAPES:
                parts.append(ESCAPES[escape])
            else:
                self.syntax()
        # two halves that follow each other are one code point; a half alone stays what it is (POL-7)
        return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def from_object(value):
    """The object door: nodes of plain Python data, numbered in document order."""
    counter = iter(range(10**9))

    def node(value):
        at = next(counter)
        if isinstance(value, dict):
            made = Node("object", {}, at)
            for key, member in value.items():
                made.key_at[key] = next(counter)
                made.value[key] = node(member)
            return made
        if isinstance(value, list):
            return Node("list", [node(item) for item in value], at)
        if isinstance(value, str):
            return Node("text", value, at)
        if isinstance(value, bool):
            return Node("boolean", value, at)
        return Node("null", None, at) if value is None else Node("number", str(value), at)

    return Door(), node(value)


class Shape:
    """Judges nodes by a shape; every problem goes to the door. Each check gives the value, or None."""

    def __init__(self, door):
        self.door = door

    def object(self, node, where, required, optional=()):
        """POL-1: every field of the shape, and no other."""
        if node.kind != "object":
            self.door.add("wrong-type", node.at, where)
            return None
        for key in required:
            if key not in node.value:
                self.door.add("missing-key", node.at, where)
        for key in node.value:
            if key not in required and key not in optional:
                self.door.add("unknown-key", node.key_at[key], pointer(where, key))
        return node.value

    def members(self, node, where, required, optional=()):
        """The fields of an object that are there and known, with their pointers."""
        members = self.object(node, where, required, optional) or {}
        return {key: (members[key], pointer(where, key)) for key in (*required, *optional) if key in members}

    def list(self, node, where, limit=None, least=0):
        if node.kind != "list":
            self.door.add("wrong-type", node.at, where)
            return []
        if len(node.value) < least:  # POL-5
            self.door.add("empty-list", node.at, where)
        if limit is not None and len(node.value) > limit:
            self.door.add("limit", node.at, where)
            return []
        return [(item, f"{where}/{i}") for i, item in enumerate(node.value)]

    def text(self, node, where, check):
        """check gives the code of what is wrong with the text, or None."""
        if node.kind != "text":
            self.door.add("wrong-type", node.at, where)
            return None
        code = check(node.value)
        if code:
            self.door.add(code, node.at, where)
            return None
        return node.value

    def word(self, node, where, words):
        return self.text(node, where, lambda text: None if text in words else "bad-value")

    def set(self, node, where, check, limit):
        """POL-5: at least one item, none of them twice."""
        seen = set()
        for item, place in self.list(node, where, limit, least=1):
            text = self.text(item, place, check)
            if text is not None and text in seen:
                self.door.add("duplicate-item", item.at, place)
            seen.add(text)
        return seen

    def integer(self, node, where, least=0, greatest=SAFE_INTEGER):
        """POL-4 for the digits, POL-3 for the value."""
        if node.kind != "number":
            self.door.add("wrong-type", node.at, where)
            return None
        digits = node.value
        if not PLAIN_INTEGER.fullmatch(digits) or len(digits) > 16 or int(digits) > SAFE_INTEGER:
            self.door.add("bad-integer", node.at, where)
            return None
        if not least <= int(digits) <= greatest:
            self.door.add("bad-value", node.at, where)
            return None
        return int(digits)

    def boolean(self, node, where):
        if node.kind != "boolean":
            self.door.add("wrong-type", node.at, where)
            return None
        return node.value


def plain(node):
    """A node as Python data."""
    if node.kind == "object":
        return {key: plain(value) for key, value in node.value.items()}
    if node.kind == "list":
        return [plain(item) for item in node.value]
    return int(node.value) if node.kind == "number" else node.value


def rule_text(check, limit):
    """A check that runs behind POL-7 and the limit of a string."""
    return lambda text: text_problem(text, limit) or check(text)
