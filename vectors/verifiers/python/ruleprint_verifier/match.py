"""Chapter match: canonical paths and hosts, and what patterns cover (ruleprint-match/1)."""

import re
from dataclasses import dataclass

from .problem import Refused

PROFILE = "ruleprint-match/1"

# A token of a glob is a literal code point or one of these.
RUN = object()  # "*": any run, the empty one included
ONE = object()  # "?": one code point
DEEP = object()  # "**" as a whole segment, or as the last item of argv


def glob_covers(tokens, text):
    """Goes back to the last run alone, so the work is at most pattern times text (MAT-1)."""
    at = i = 0
    run = None
    run_at = 0
    while at < len(text):
        if i < len(tokens) and tokens[i] is RUN:
            run, run_at = i, at
            i += 1
        elif i < len(tokens) and (tokens[i] is ONE or tokens[i] == text[at]):
            i += 1
            at += 1
        elif run is not None:
            run_at += 1
            i, at = run + 1, run_at
        else:
            return False
    return all(token is RUN for token in tokens[i:])


# ---- paths

PATH_ESCAPABLE = "*?[]{}()!@+"


def canonical_path(path):
    if "\0" in path or "\\" in path:  # MAT-2
        raise Refused("path-character")
    if not path.startswith("/"):  # MAT-3
        raise Refused("path-relative")
    if path.startswith("//"):  # MAT-4
        raise Refused("path-leading-slashes")
    segments = path.split("/")[1:]
    if ".." in segments:  # MAT-5
        raise Refused("path-dot-dot")
    return "/" + "/".join(s for s in segments if s not in ("", "."))  # MAT-6


def parse_segment(segment):
    """The tokens of one segment of a path glob (MAT-9)."""
    if segment == "**":
        return DEEP
    tokens = []
    opener = False  # the code point before was one of @ ? * + ! without a backslash
    i = 0
    while i < len(segment):
        c = segment[i]
        if c == "\\":
            if i + 1 == len(segment) or segment[i + 1] not in PATH_ESCAPABLE:
                raise Refused("pattern-syntax")
            tokens.append(segment[i + 1])
            opener = False
            i += 2
            continue
        if c in "[]{}" or (c == "(" and opener) or segment.startswith("**", i):
            raise Refused("pattern-syntax")
        tokens.append(RUN if c == "*" else ONE if c == "?" else c)
        opener = c in "@?*+!"
        i += 1
    return tokens


def parse_path_pattern(pattern):
    """The segments of a path glob, each DEEP or a list of tokens."""
    if "\0" in pattern:  # MAT-7
        raise Refused("path-character")
    if not pattern.startswith("/"):
        raise Refused("path-relative")
    if pattern.startswith("//"):
        raise Refused("path-leading-slashes")
    if pattern == "/":
        return []
    parsed = []
    for segment in pattern.split("/")[1:]:
        if segment == "":  # MAT-8
            raise path_not_canonical(pattern)
        tokens = parse_segment(segment)
        if segment == "..":  # MAT-10; a dot takes no escape
            raise Refused("path-dot-dot")
        if segment == ".":
            raise path_not_canonical(pattern)
        parsed.append(tokens)
    return parsed


def path_not_canonical(pattern):
    refused = Refused("pattern-not-canonical")
    refused.canonical = "/" + "/".join(s for s in pattern.split("/")[1:] if s not in ("", "."))  # MAT-21
    return refused


def path_covers(parsed, path):
    """The same walk as glob_covers, over segments: DEEP is the run."""
    segments = [] if path == "/" else path.split("/")[1:]
    at = i = 0
    run = None
    run_at = 0
    while at < len(segments):
        if i < len(parsed) and parsed[i] is DEEP:
            run, run_at = i, at
            i += 1
        elif i < len(parsed) and glob_covers(parsed[i], segments[at]):
            i += 1
            at += 1
        elif run is not None:
            run_at += 1
            i, at = run + 1, run_at
        else:
            return False
    return all(segment is DEEP for segment in parsed[i:])


# ---- hosts

HOST_CHARACTERS = re.compile(r"[A-Za-z0-9._\-:\[\]]*")
LABEL = re.compile(r"[a-z0-9_-]{1,63}")
ENDS_IN_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
BITS = re.compile(r"0|[1-9][0-9]*")


@dataclass
class Host:
    text: str  # the canonical spelling
    family: int  # 4, 6, or 0 for a name
    number: int = 0
    mapped: bool = False  # it was written inside ::ffff:0:0/96


def read_host(text):
    if text == "":  # MAT-11
        raise Refused("host-empty")
    if not text.isascii():
        raise Refused("host-not-ascii")
    if not HOST_CHARACTERS.fullmatch(text):  # MAT-12
        raise Refused("host-character")
    text = text.lower()
    if any(c in text for c in ":[]"):  # MAT-13
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        groups = read_ipv6(text)
        number = sum(group << (16 * (7 - i)) for i, group in enumerate(groups))
        if number >> 32 == 0xFFFF:
            return Host(write_ipv4(number & 0xFFFFFFFF), 4, number & 0xFFFFFFFF, mapped=True)
        return Host(write_ipv6(groups), 6, number)
    if text.endswith("."):
        text = text[:-1]
    if text == "":
        raise Refused("host-empty")
    labels = text.split(".")
    if ENDS_IN_NUMBER.fullmatch(labels[-1]):  # MAT-14
        number = read_ipv4(labels)
        return Host(write_ipv4(number), 4, number)
    if not all(LABEL.fullmatch(label) for label in labels):  # MAT-15
        raise Refused("host-label")
    if len(text) > 253:
        raise Refused("host-too-long")
    return Host(text, 0)


def canonical_host(text):
    return read_host(text).text


def read_ipv4(parts):
    """The WHATWG IPv4 parser, for lower-case text."""
    if len(parts) > 4:
        raise Refused("host-number")
    numbers = []
    for part in parts:
        digits, base, allowed = part, 10, r"[0-9]+"
        if part.startswith("0x"):
            digits, base, allowed = part[2:] or "0", 16, r"[0-9a-f]+"  # "0x" alone is 0
        elif len(part) > 1 and part.startswith("0"):
            digits, base, allowed = part[1:], 8, r"[0-7]+"
        if not re.fullmatch(allowed, digits):
            raise Refused("host-number")
        # as an int it may be very long; beyond this length it is above every limit
        numbers.append(int(digits, base) if len(digits.lstrip("0")) <= 16 else 1 << 64)
    if any(n > 255 for n in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        raise Refused("host-number")
    return numbers[-1] + sum(n << (8 * (3 - i)) for i, n in enumerate(numbers[:-1]))


def write_ipv4(number):
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def read_ipv6(text):
    """The WHATWG IPv6 parser: eight groups. A "::" takes the place of one group at least."""
    groups = []
    compress = None
    i = 0
    n = len(text)
    if text.startswith(":"):
        if not text.startswith("::"):
            raise Refused("host-ipv6")
        groups.append(0)
        compress = 1
        i = 2
    while i < n:
        if len(groups) == 8:
            raise Refused("host-ipv6")
        if text[i] == ":":
            if compress is not None:
                raise Refused("host-ipv6")
            groups.append(0)
            compress = len(groups)
            i += 1
            continue
        start = i
        while i < n and i - start < 4 and text[i] in "0123456789abcdef":
            i += 1
        if i < n and text[i] == "." and i > start and len(groups) <= 6:
            groups += read_dotted(text[start:])
            break
        if i < n and (text[i] != ":" or i + 1 == n):
            raise Refused("host-ipv6")
        groups.append(int(text[start:i] or "0", 16))
        i += 1
    if compress is not None:
        groups[compress:compress] = [0] * (8 - len(groups))
    if len(groups) != 8:
        raise Refused("host-ipv6")
    return groups


def read_dotted(text):
    """Dotted decimal at the end of an IPv6 address: four numbers without leading zeros."""
    parts = text.split(".")
    if len(parts) != 4 or not all(re.fullmatch(r"0|[1-9][0-9]{0,2}", p) and int(p) <= 255 for p in parts):
        raise Refused("host-ipv6")
    a, b, c, d = map(int, parts)
    return [a << 8 | b, c << 8 | d]


def write_ipv6(groups):
    """RFC 5952 section 4, in hex groups only."""
    best, best_length = None, 1
    i = 0
    while i < 8:
        j = i
        while j < 8 and groups[j] == 0:
            j += 1
        if j - i > best_length:
            best, best_length = i, j - i
        i = max(j, i + 1)
    words = [format(group, "x") for group in groups]
    if best is None:
        return ":".join(words)
    return ":".join(words[:best]) + "::" + ":".join(words[best + best_length:])


@dataclass
class HostPattern:
    kind: str  # "any", "exact", "below" or "block"
    text: str = ""
    family: int = 0
    number: int = 0
    bits: int = 0


def parse_host_pattern(pattern):
    if pattern == "**":
        return HostPattern("any")
    front = "*." if pattern.startswith("*.") else ""  # MAT-16
    rest = pattern[len(front):]
    if "*" in rest:
        raise Refused("pattern-syntax")
    if not front and "/" in rest:
        return parse_block(rest)
    host = read_host(rest)  # MAT-18
    if front and host.family:
        raise Refused("host-number" if host.family == 4 else "host-ipv6")
    if host.text != rest:
        raise host_not_canonical(front + host.text)
    return HostPattern("below" if front else "exact", host.text)


def parse_block(pattern):
    """A CIDR block (MAT-17)."""
    address, bits = pattern.split("/", 1)
    host = read_host(address)
    if host.family == 0 or host.mapped:
        raise Refused("cidr")
    if host.text != address:
        raise host_not_canonical(f"{host.text}/{bits}")
    width = 32 if host.family == 4 else 128
    if not BITS.fullmatch(bits) or len(bits) > 3 or int(bits) >= width:
        raise Refused("cidr")
    if host.number & ((1 << (width - int(bits))) - 1):
        raise Refused("cidr")
    return HostPattern("block", family=host.family, number=host.number, bits=int(bits))


def host_not_canonical(canonical):
    refused = Refused("pattern-not-canonical")
    refused.canonical = canonical  # MAT-21
    return refused


def host_covers(parsed, text):
    host = read_host(text)
    if parsed.kind == "any":
        return True
    if parsed.kind == "exact":
        return host.text == parsed.text
    if parsed.kind == "below":
        return host.family == 0 and host.text.endswith("." + parsed.text)
    shift = (32 if parsed.family == 4 else 128) - parsed.bits
    return host.family == parsed.family and host.number >> shift == parsed.number >> shift


# ---- texts and argv

def parse_text_pattern(pattern):
    """The tokens of a text glob (MAT-19)."""
    tokens = []
    i = 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            if i + 1 == len(pattern) or pattern[i + 1] not in "*?\\":
                raise Refused("pattern-syntax")
            tokens.append(pattern[i + 1])
            i += 2
            continue
        if pattern.startswith("**", i):
            raise Refused("pattern-syntax")
        tokens.append(RUN if c == "*" else ONE if c == "?" else c)
        i += 1
    return tokens


def parse_argv_item(item, last):
    if last and item == "**":
        return DEEP
    tokens = parse_text_pattern(item)
    if "\0" in item:
        raise Refused("nul-character")
    return tokens


def parse_argv_pattern(items):
    return [parse_argv_item(item, i == len(items) - 1) for i, item in enumerate(items)]


def argv_covers(parsed, argv):
    """MAT-20"""
    open_end = bool(parsed) and parsed[-1] is DEEP
    items = parsed[:-1] if open_end else parsed
    if len(argv) < len(items) or (len(argv) > len(items) and not open_end):
        return False
    return all(glob_covers(tokens, arg) for tokens, arg in zip(items, argv))
