"""Chapter receipt, step 3 of the verifier: deterministic CBOR, walked from the left (RCP-14)."""

from .problem import Refused

SAFE_INTEGER = 2**53 - 1
DEPTH = 8
UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE = range(8)


class Walk:
    """Gives the value of one item. base is where data[0] stands in what was received."""

    def __init__(self, data, base=0, at=0):
        self.data = data
        self.base = base
        self.at = at

    def refuse(self, code, at):
        raise Refused(code, offset=self.base + at)

    def whole(self):
        """One item, and nothing after it."""
        value = self.item(1)
        if self.at < len(self.data):
            self.refuse("cbor-trailing", self.at)
        return value

    def item(self, depth):
        at = self.at
        if at >= len(self.data):
            self.refuse("cbor-truncated", at)
        major, info = self.data[at] >> 5, self.data[at] & 31
        if 28 <= info <= 30 or (info == 31 and not BYTES <= major <= MAP):
            self.refuse("cbor-reserved", at)
        if info == 31:
            self.refuse("cbor-indefinite", at)
        size = {24: 1, 25: 2, 26: 4, 27: 8}.get(info, 0)
        if at + 1 + size > len(self.data):
            self.refuse("cbor-truncated", at)
        argument = int.from_bytes(self.data[at + 1 : at + 1 + size], "big") if size else info
        self.at = at + 1 + size
        left = len(self.data) - self.at
        if major == TAG:
            self.refuse("cbor-tag", at)
        if major == SIMPLE:
            if 25 <= info <= 27:
                self.refuse("cbor-float", at)
            if info not in (20, 21):
                self.refuse("cbor-simple", at)
            return info == 21
        if size and argument < (24 if size == 1 else 1 << (4 * size)):
            self.refuse("cbor-not-shortest", at)
        if major in (UNSIGNED, NEGATIVE):
            value = argument if major == UNSIGNED else -1 - argument
            if abs(value) > SAFE_INTEGER:
                self.refuse("cbor-integer", at)
            return value
        if major in (BYTES, TEXT):
            if argument > left:
                self.refuse("cbor-truncated", at)
            content = bytes(self.data[self.at : self.at + argument])
            self.at += argument
            if major == BYTES:
                return content
            try:
                return content.decode("utf-8")
            except UnicodeDecodeError:
                self.refuse("cbor-utf8", at)
        if depth > DEPTH:
            self.refuse("cbor-depth", at)
        if argument > (left if major == ARRAY else left // 2):
            self.refuse("cbor-truncated", at)
        if major == ARRAY:
            return [self.item(depth + 1) for _ in range(argument)]
        return self.map(argument, depth)

    def map(self, count, depth):
        value = {}
        before = None
        for _ in range(count):
            at = self.at
            if at < len(self.data) and self.data[at] >> 5 not in (UNSIGNED, NEGATIVE, TEXT):
                self.refuse("cbor-key-type", at)
            key = self.item(depth + 1)
            encoded = self.data[at : self.at]
            if before is not None and encoded <= before:
                self.refuse("cbor-duplicate-key" if encoded == before else "cbor-unsorted", at)
            before = encoded
            value[key] = self.item(depth + 1)
        return value


def decode(data, base=0, at=0):
    return Walk(data, base, at).whole()


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << (8 * size):
            return bytes([major << 5 | info]) + argument.to_bytes(size, "big")
    raise ValueError("beyond 64 bits")


def encode(value):
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(UNSIGNED, value) if value >= 0 else head(NEGATIVE, -1 - value)
    if isinstance(value, bytes):
        return head(BYTES, len(value)) + value
    if isinstance(value, str):
        data = value.encode("utf-8")
        return head(TEXT, len(data)) + data
    if isinstance(value, list):
        return head(ARRAY, len(value)) + b"".join(encode(item) for item in value)
    entries = sorted((encode(key), encode(member)) for key, member in value.items())
    return head(MAP, len(entries)) + b"".join(key + member for key, member in entries)


def end_of_item(data, at):
    """Where the well-formed item (RFC 8949 section 5.3.1) that begins at `at` ends, or None. Anything that has an
    end is well-formed enough here: tags, floats, indefinite lengths, any depth."""
    open_items = [1]  # items still to come at each level; None is an indefinite length, "pairs" one of a map
    while open_items:
        if at >= len(data):
            return None
        major, info = data[at] >> 5, data[at] & 31
        if data[at] == 0xFF:
            top = open_items.pop()
            if not isinstance(top, list) or (top[0] == MAP and top[1] % 2):
                return None
            at += 1
            finish(open_items)
            continue
        top = open_items[-1]
        if isinstance(top, list) and top[0] in (BYTES, TEXT) and (major != top[0] or info == 31):
            return None
        if 28 <= info <= 30 or (info == 31 and not BYTES <= major <= MAP):
            return None
        size = {24: 1, 25: 2, 26: 4, 27: 8}.get(info, 0)
        if at + 1 + size > len(data):
            return None
        argument = int.from_bytes(data[at + 1 : at + 1 + size], "big") if size else info
        if major == SIMPLE and info == 24 and argument < 32:
            return None
        at += 1 + size
        if info == 31:
            open_items.append([major, 0])
        elif major in (ARRAY, MAP, TAG):
            count = 1 if major == TAG else argument * (2 if major == MAP else 1)
            if count > len(data) - at:
                return None
            if count:
                open_items.append(count)
            else:
                finish(open_items)
        else:
            if major in (BYTES, TEXT):
                at += argument
                if at > len(data):
                    return None
            finish(open_items)
    return at


def finish(open_items):
    """One item has ended: count it where it stands, and end what it completes."""
    while open_items:
        top = open_items[-1]
        if isinstance(top, list):
            top[1] += 1
            return
        open_items[-1] -= 1
        if open_items[-1]:
            return
        open_items.pop()
