#!/usr/bin/env python3
"""A second opinion on the vectors, in another language and with nothing but its standard library.

    python3 vectors/check.py            prints "N passed, N failed", and each case that failed

Rebuilt from the inputs and compared: preimages and digests; CBOR, written and walked; keys from their labels, thumbprints, points that are
none; protected headers, payloads, Sig_structures, receipt hashes, signatures (RFC 8032, RFC 6979) and messages; steps 1 to 7 and 9 of the
verifier. Policy documents, the match profile, decisions, statements and trust stores are left to other readers.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


# ---- Files and their notation (README.md)

def load(topic):
    groups = json.loads((HERE / f"{topic}.json").read_text("ascii"))["groups"]
    return {group["name"]: group["cases"] for group in groups}


def long_hex(value):
    if isinstance(value, str):
        return bytes.fromhex(value)
    if "$concat" in value:
        return b"".join(map(long_hex, value["$concat"]))
    piece, times = value["$repeat"]
    return bytes.fromhex(piece) * times


def sha256(data):
    return hashlib.sha256(data).digest()


def hash_text(data):
    return "sha256:" + sha256(data).hex()


# ---- Digest (spec/digest.md)

def u32be(number):
    return number.to_bytes(4, "big")


def field(text):
    data = text.encode("utf-8")
    return u32be(len(data)) + data


def fields(texts):
    return u32be(len(texts)) + b"".join(map(field, texts))


def as_set(texts):
    return fields(sorted(texts, key=lambda text: text.encode("utf-8")))


def methods_bytes(methods):
    return field("methods:any") if methods == "any" else field("methods:one_of") + as_set(methods)


def action_bytes(action):
    [(kind, body)] = action.items()
    if kind == "filesystem":
        return field("action:filesystem") + field(body["path"]) + methods_bytes(body["methods"])
    if kind == "network":
        ports = body["ports"]
        span = field("ports:any") if ports == "any" else field("ports:range") + u32be(ports["from"]) + u32be(ports["to"])
        return field("action:network") + field(body["host"]) + span + methods_bytes(body["methods"])
    if kind == "process":
        return field("action:process") + fields(body["argv"])
    return field("action:tool") + field(body["server"]) + field(body["name"])


def rule_bytes(rule):
    agents = rule["agents"]
    matcher = field("agents:any") if agents == "any" else field("agents:one_of") + as_set(agents["one_of"])
    return field(rule["name"]) + field(rule["effect"]) + matcher + action_bytes(rule["action"])


def rule_preimage(rule):
    return field("ruleprint/rule-digest/1") + rule_bytes(rule)


def policy_preimage(policy):
    rules = policy["rules"]
    return field("ruleprint/policy-digest/1") + u32be(len(rules)) + b"".join(map(rule_bytes, rules))


# ---- CBOR (spec/receipt.md, RCP-14)

class Refused(Exception):
    def __init__(self, code, offset=None):
        super().__init__(code)
        self.code, self.offset = code, offset


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    size = next(size for size in (1, 2, 4, 8) if argument < 1 << 8 * size)
    return bytes([major << 5 | 24 + (1, 2, 4, 8).index(size)]) + argument.to_bytes(size, "big")


def encode(value):
    """Deterministic CBOR. A dict is a map; so is a list of pairs in the notation `$map`."""
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, str):
        data = value.encode("utf-8")
        return head(3, len(data)) + data
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    if set(value) == {"$bytes_hex"}:
        return encode(bytes.fromhex(value["$bytes_hex"]))
    entries = value["$map"] if set(value) == {"$map"} else value.items()
    pairs = sorted((encode(key), encode(member)) for key, member in entries)
    return head(5, len(pairs)) + b"".join(key + member for key, member in pairs)


GREATEST = 2**53 - 1


def walk(data, at, depth=1):
    """One item from `at`: its value (a map as a list of pairs) and the offset after it."""
    start = at
    if at >= len(data):
        raise Refused("cbor-truncated", start)
    major, info = data[at] >> 5, data[at] & 31
    if 28 <= info <= 30 or info == 31 and not 2 <= major <= 5:
        raise Refused("cbor-reserved", start)
    if info == 31:
        raise Refused("cbor-indefinite", start)
    size = 0 if info < 24 else 1 << info - 24
    at += 1 + size
    if at > len(data):
        raise Refused("cbor-truncated", start)
    argument = info if info < 24 else int.from_bytes(data[start + 1 : at], "big")
    if major == 6:
        raise Refused("cbor-tag", start)
    if major == 7:
        if info >= 25:
            raise Refused("cbor-float", start)
        if info not in (20, 21):
            raise Refused("cbor-simple", start)
        return info == 21, at
    if len(head(major, argument)) != 1 + size:
        raise Refused("cbor-not-shortest", start)
    left = len(data) - at
    if major <= 1:
        if argument > GREATEST - major:
            raise Refused("cbor-integer", start)
        return (argument if major == 0 else -1 - argument), at
    if major <= 3:
        if argument > left:
            raise Refused("cbor-truncated", start)
        content = data[at : at + argument]
        if major == 2:
            return content, at + argument
        try:
            return content.decode("utf-8"), at + argument
        except UnicodeDecodeError:
            raise Refused("cbor-utf8", start) from None
    if depth > 8:
        raise Refused("cbor-depth", start)
    if argument * (major - 3) > left:
        raise Refused("cbor-truncated", start)
    items, before = [], None
    for _ in range(argument):
        if major == 4:
            item, at = walk(data, at, depth + 1)
            items.append(item)
            continue
        here = at
        if here < len(data) and data[here] >> 5 not in (0, 1, 3):
            raise Refused("cbor-key-type", here)
        key, at = walk(data, here, depth + 1)
        spelled = data[here:at]
        if before is not None and spelled <= before:
            raise Refused("cbor-duplicate-key" if spelled == before else "cbor-unsorted", here)
        before = spelled
        member, at = walk(data, at, depth + 1)
        items.append((key, member))
    return (items if major == 4 else tuple(items)), at


def walk_whole(data, at=0):
    value, end = walk(data, at)
    if end != len(data):
        raise Refused("cbor-trailing", end)
    return value


# ---- Ed25519 (RFC 8032): points as (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ZERO = (0, 1, 1, 0)


def ed_add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def ed_times(scalar, point):
    out = ZERO
    while scalar > 0:
        if scalar & 1:
            out = ed_add(out, point)
        point, scalar = ed_add(point, point), scalar >> 1
    return out


def ed_encode(point):
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def ed_decode(data):
    """The point of a canonical encoding, or None."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P if y < P else None
    if square is None:
        return None
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or x == 0 and sign:
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = ed_decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_zero(point):
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0


def ed_is_key(x):
    point = ed_decode(x)
    return point is not None and not is_zero(ed_times(8, point)) and is_zero(ed_times(L, point))


def ed_challenge(r, x, message):
    return int.from_bytes(hashlib.sha512(r + x + message).digest(), "little") % L


def ed_halves(seed):
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]


def ed_public(seed):
    return ed_encode(ed_times(ed_halves(seed)[0], BASE))


def ed_sign(seed, message):
    scalar, prefix = ed_halves(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    r = ed_encode(ed_times(nonce, BASE))
    return r + ((nonce + ed_challenge(r, ed_public(seed), message) * scalar) % L).to_bytes(32, "little")


def ed_fault(x, message, signature):
    """RCP-7: the encoding of [S]B - [k]A has to be R."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if s >= L:
        return "signature-invalid"
    point = ed_add(ed_times(s, BASE), ed_times(L - ed_challenge(r, x, message), ed_decode(x)))
    return None if ed_encode(point) == r else "signature-invalid"


# ---- P-256 (FIPS 186-5): points as (x, y) or None for infinity

Q = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
CURVE_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
GENERATOR = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def ec_is_key(x, y):
    x, y = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    return x < Q and y < Q and (y * y - x * x * x + 3 * x - CURVE_B) % Q == 0


def ec_add(one, other):
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % Q == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, Q) if one == other else (y2 - y1) * pow(x2 - x1, -1, Q)
    x = (slope * slope - x1 - x2) % Q
    return x, (slope * (x1 - x) - y1) % Q


def ec_times(scalar, point):
    out = None
    while scalar > 0:
        if scalar & 1:
            out = ec_add(out, point)
        point, scalar = ec_add(point, point), scalar >> 1
    return out


def ec_public(d):
    x, y = ec_times(int.from_bytes(d, "big"), GENERATOR)
    return x.to_bytes(32, "big"), y.to_bytes(32, "big")


def ec_sign(d, message):
    """With the nonce of RFC 6979, and s in the lower half."""
    digest, secret = sha256(message), int.from_bytes(d, "big")
    reduced = (int.from_bytes(digest, "big") % N).to_bytes(32, "big")
    k, v = b"\x00" * 32, b"\x01" * 32
    for mark in (b"\x00", b"\x01"):
        k = hmac.new(k, v + mark + d + reduced, "sha256").digest()
        v = hmac.new(k, v, "sha256").digest()
    v = hmac.new(k, v, "sha256").digest()
    nonce = int.from_bytes(v, "big")  # out of range once in 2^32; not for these labels
    r = ec_times(nonce, GENERATOR)[0] % N
    s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * secret) % N
    return r.to_bytes(32, "big") + min(s, N - s).to_bytes(32, "big")


def ec_fault(x, y, message, signature):
    """RCP-8."""
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return "signature-invalid"
    if s > N // 2:
        return "signature-high-s"
    inverse, number = pow(s, -1, N), int.from_bytes(sha256(message), "big")
    key = (int.from_bytes(x, "big"), int.from_bytes(y, "big"))
    point = ec_add(ec_times(number * inverse % N, GENERATOR), ec_times(r * inverse % N, key))
    return None if point is not None and point[0] % N == r else "signature-invalid"


# ---- Keys and messages (spec/receipt.md)

def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def cose_key(jwk):
    x = {"$bytes_hex": unbase64url(jwk["x"]).hex()}
    if jwk["kty"] == "OKP":
        return encode({"$map": [[1, 1], [-1, 6], [-2, x]]})
    return encode({"$map": [[1, 2], [-1, 1], [-2, x], [-3, {"$bytes_hex": unbase64url(jwk["y"]).hex()}]]})


def jwk_of(alg, d):
    if alg == "Ed25519":
        return {"kty": "OKP", "crv": "Ed25519", "x": base64url(ed_public(d))}
    x, y = ec_public(d)
    return {"kty": "EC", "crv": "P-256", "x": base64url(x), "y": base64url(y)}


ALGORITHMS = {"Ed25519": -19, "ESP256": -9, "EdDSA": -8, "ES256": -7}
KINDS = {-19: "OKP", -8: "OKP", -9: "EC", -7: "EC"}
TYPE = "application/ruleprint+cose"


def sig_structure(header, payload, aad=b""):
    return encode(["Signature1", header, aad, payload])


def message_of(header, payload, signature):
    return b"\xd2" + head(4, 4) + encode(header) + b"\xa0" + encode(payload) + encode(signature)


def cose_part(data, also=(), typ=TYPE, kid_size=32):
    """Steps 1 to 7: (header, payload, signature, alg, kid), or the first problem."""
    if len(data) > 1048576:
        raise Refused("limit")
    if not data:
        raise Refused("cbor-truncated", 0)
    if data[0] != 0xD2:
        raise Refused("cose-tag", 0)
    parts = walk_whole(data, 1)
    if not isinstance(parts, list) or list(map(type, parts)) != [bytes, tuple, bytes, bytes]:
        raise Refused("cose-shape")
    header, unprotected, payload, signature = parts
    if not header:
        raise Refused("cose-protected")
    before = 2 + len(encode(header)) - len(header)
    try:
        pairs = walk_whole(header)
    except Refused as problem:
        raise Refused(problem.code, before + problem.offset) from None
    if not isinstance(pairs, tuple):
        raise Refused("cose-protected")
    labels = dict(pairs)
    if 2 in labels or 2 in dict(unprotected):
        raise Refused("cose-crit")
    if unprotected or set(labels) - {1, 4, 16}:
        raise Refused("cose-header")
    alg, kid = labels.get(1), labels.get(4)
    if type(alg) is not int or alg not in [-19, -9] + [ALGORITHMS[name] for name in also]:
        raise Refused("cose-alg")
    if type(kid) is not bytes or (len(kid) == 0 if kid_size is None else len(kid) != kid_size):
        raise Refused("cose-kid")
    if labels.get(16) != typ:
        raise Refused("cose-typ")
    if len(signature) != 64:
        raise Refused("cose-signature-size")
    return header, payload, signature, alg, kid


def signature_fault(jwk, alg, message, signature):
    if KINDS[alg] != jwk["kty"]:
        return "cose-alg-key"
    x = unbase64url(jwk["x"])
    return ed_fault(x, message, signature) if jwk["kty"] == "OKP" else ec_fault(x, unbase64url(jwk["y"]), message, signature)


# ---- What each kind of case has to be. A function gives what it found; it is compared with what the vector says.

def check_digest(case):
    policy = case["input"]["policy"]
    rules = [{"preimage_hex": rule_preimage(rule).hex(), "rule_digest": hash_text(rule_preimage(rule))} for rule in policy["rules"]]
    found = {"preimage_hex": policy_preimage(policy).hex(), "policy_digest": hash_text(policy_preimage(policy)), "rules": rules}
    return found, {key: case["expect"][key] for key in found}


def check_policy(case):
    policy = case["expect"]["policy"]
    found = {"policy": policy, "policy_digest": hash_text(policy_preimage(policy))}
    if case["input"]["format"] == "json":
        found["policy"] = json.loads(case["input"]["document"])
    return found, case["expect"]


def check_written(case):
    data = bytes.fromhex(case["expect"]["cbor_hex"])
    walk_whole(data)
    return {"cbor_hex": encode(case["input"]["value"]).hex()}, case["expect"]


def check_walk(case):
    try:
        return walk_whole(bytes.fromhex(case["input"]["cbor_hex"])), case["expect"]
    except Refused as problem:
        return {"error": problem.code, "where": {"offset": problem.offset}}, case["expect"]


def check_derived(case):
    alg, d = case["input"]["alg"], sha256(case["input"]["label"].encode("utf-8"))
    jwk = jwk_of(alg, d)
    found = {"d_hex": d.hex(), "x_hex": unbase64url(jwk["x"]).hex()}
    if "y" in jwk:
        found["y_hex"] = unbase64url(jwk["y"]).hex()
    found.update({"thumbprint_input_hex": cose_key(jwk).hex(), "kid": sha256(cose_key(jwk)).hex(), "jwk": jwk})
    return found, case["expect"]


def check_point(case):
    jwk = case["input"]["public_key_jwk"]
    x = unbase64url(jwk["x"])
    good = ed_is_key(x) if jwk["kty"] == "OKP" else ec_is_key(x, unbase64url(jwk["y"]))
    return {} if good else {"error": "key-point"}, case["expect"]


def check_read(case):
    jwk = case["input"]["public_key_jwk"]
    return {"alg": "Ed25519" if jwk["kty"] == "OKP" else "ESP256", "kid": sha256(cose_key(jwk)).hex()}, case["expect"]


def check_made(case):
    alg, d = case["input"]["key"]["alg"], sha256(case["input"]["key"]["label"].encode("utf-8"))
    kid = {"$bytes_hex": sha256(cose_key(jwk_of(alg, d))).hex()}
    header = encode({"$map": [[1, ALGORITHMS[alg]], [4, kid], [16, TYPE]]})
    payload = encode(case["input"]["statement"])
    to_sign = sig_structure(header, payload)
    signature = ed_sign(d, to_sign) if alg == "Ed25519" else ec_sign(d, to_sign)
    found = {
        "protected_hex": header.hex(),
        "signed_core_cbor_hex": payload.hex(),
        "sig_structure_hex": to_sign.hex(),
        "receipt_hash": hash_text(to_sign),
        "signature_hex": signature.hex(),
        "cose_sign1_hex": message_of(header, payload, signature).hex(),
    }
    return found, case["expect"]


def check_verified(case):
    """Steps 1 to 7 and the signature; of the axis bytes also the walk of the payload."""
    given, expected = case["input"], case["expect"]
    wanted = {axis: next((each["error"] for each in expected["problems"] if each["axis"] == axis), None) for axis in ("bytes", "signature")}
    offset = next((each["where"]["offset"] for each in expected["problems"] if "offset" in each.get("where", {})), None)
    found = {"bytes": None, "signature": None}
    try:
        header, payload, signature, alg, kid = cose_part(long_hex(given["receipt_hex"]), given.get("also_algorithms", ()))
    except Refused as problem:
        found["bytes"] = problem.code
        if offset is not None and problem.offset != offset:
            found["offset"] = problem.offset
        return found, wanted
    start = 2 + len(encode(header)) + 1 + len(encode(payload)) - len(payload)
    try:
        walk_whole(payload)
        found["bytes"] = wanted["bytes"] if not (wanted["bytes"] or "").startswith("cbor-") else None  # the statement is for other readers
    except Refused as problem:
        found["bytes"] = problem.code
        if problem.offset + start != offset:
            found["offset"] = problem.offset + start
    jwk = next((key["key"] for key in given["trust"]["keys"] if sha256(cose_key(key["key"])) == kid), None)
    if jwk is not None:
        found["signature"] = signature_fault(jwk, alg, sig_structure(header, payload), signature)
    return found, wanted


def check_layer(case):
    given, expected = case["input"], case["expect"]
    aad = bytes.fromhex(given.get("external_aad_hex", ""))
    try:
        header, payload, signature, alg, kid = cose_part(bytes.fromhex(given["cose_hex"]), typ=given.get("typ"), kid_size=None)
    except Refused as problem:
        return {"error": problem.code}, expected
    jwk = next((key["jwk"] for key in given["keys"] if bytes.fromhex(key["kid_hex"]) == kid), None)
    to_sign = sig_structure(header, payload, aad)
    fault = "key-unknown" if jwk is None else signature_fault(jwk, alg, to_sign, signature)
    if fault is not None:
        return {"error": fault}, expected
    name = "Ed25519" if jwk["kty"] == "OKP" else "ESP256"
    return {"alg": name, "kid_hex": kid.hex(), "payload_hex": payload.hex(), "hash": hash_text(to_sign)}, expected


def related(cases):
    """The digests that are said to be equal are, and those that are said to differ do."""
    digests = {case["id"]: case["expect"]["policy_digest"] for case in cases}
    for case in cases:
        here = digests[case["id"]]
        for other in case["expect"].get("same_digest_as", []):
            yield f"{case['id']} same as {other}", digests[other] == here
        for other in case["expect"].get("other_digest_than", []):
            yield f"{case['id']} other than {other}", digests[other] != here


def all_checks():
    digest, policy, cbor, receipt = map(load, ("digest", "policy", "cbor", "receipt"))
    made = {case["id"]: bytes.fromhex(case["expect"]["signed_core_cbor_hex"]) for case in receipt["receipts made"]}
    points = [case for case in receipt["keys refused"] if case["expect"]["error"] == "key-point"]
    singles = [case for cases in receipt.values() for case in cases if "receipt_hex" in case["input"]]
    plan = [
        (check_digest, digest["digest"]),
        (check_policy, [case for cases in policy.values() for case in cases if "policy" in case["expect"]]),
        (check_written, cbor["written and read"]),
        (check_walk, cbor["refused"]),
        (check_derived, receipt["keys derived"]),
        (check_read, [case for case in receipt["keys read"] if "public_key_jwk" in case["input"]]),
        (check_point, points),
        (check_made, receipt["receipts made"]),
        (check_verified, singles),
        (check_layer, receipt["COSE layer alone"]),
    ]
    for check, cases in plan:
        assert cases, f"{check.__name__} has no cases"
        for case in cases:
            found, wanted = check(case)
            yield f"{check.__name__} {case['id']}", found == wanted
    yield from related(digest["digest"])
    first, fourth = (dict(walk_whole(made[name])) for name in ("receipt-1-allow", "receipt-4-allow-digest"))
    yield "the fourth receipt is the first with the digest", set(fourth) - set(first) == {"policy_digest"} and first.items() <= fourth.items()


def main():
    results = list(all_checks())
    failed = [name for name, passed in results if not passed]
    for name in failed:
        print(f"FAILED {name}", file=sys.stderr)
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
