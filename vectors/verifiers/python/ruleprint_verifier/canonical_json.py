"""Chapter digest, "Arguments and mappings": the RFC 8785 form and the digests over it (DIG-8 to DIG-12)."""

import math

from .digest import field, sha256
from .document import SAFE_INTEGER, read_json
from .problem import Refused
from .text import SURROGATE

ARGS_BYTES = 16 * 1024 * 1024
SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def form(node):
    """The form of a node; raises Refused where it has none."""
    text = write(node)
    if len(text.encode("utf-8")) > ARGS_BYTES:
        raise Refused("limit")
    return text


def write(node):
    if node.kind == "null":
        return "null"
    if node.kind == "boolean":
        return "true" if node.value else "false"
    if node.kind == "number":
        return number(float(node.value))
    if node.kind == "text":
        return string(node.value)
    if node.kind == "list":
        return "[" + ",".join(map(write, node.value)) + "]"
    keys = sorted(node.value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{string(key)}:{write(node.value[key])}" for key in keys) + "}"


def string(text):
    if SURROGATE.search(text):
        raise Refused("lone-surrogate")
    return '"' + "".join(SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def number(value):
    """DIG-9, then Number::toString of ECMA-262: repr has the digits, not their layout."""
    if not math.isfinite(value):
        raise Refused("not-plain-data")
    if value == int(value) and abs(value) > SAFE_INTEGER:
        raise Refused("bad-integer")
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number(-value)
    mantissa, _, power = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(power or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    tail = f"e{'-' if point < 1 else '+'}{abs(point - 1)}"
    return digits + tail if len(digits) == 1 else f"{digits[0]}.{digits[1:]}{tail}"


def parse_args(text):
    """Arguments as text: any numbers, but no key twice (DIG-11)."""
    door, node = read_json(text)
    door.finish()
    return node


def args_digest(formed, salt=""):
    return sha256(field("ruleprint/args-digest/1") + field(salt) + field(formed))


def mapping_digest(formed):
    return sha256(field("ruleprint/mapping-digest/1") + field(formed))
