"""Chapter receipt, "Keys": public keys, their points and thumbprints, and the two signatures (RCP-5 to RCP-8).

The points are checked here. The equations are the library's: OpenSSL's Ed25519 is the one of RCP-7 (it wants
S < L and compares the encoding of [S]B - [k]A with R; its lax reading of A does not matter behind RCP-6).
"""

import base64
import hashlib
import re
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_der_private_key

from . import cbor
from .problem import Refused

B64 = re.compile(r"[A-Za-z0-9_-]*")
PEM = re.compile(r"\s*-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----\s*", re.ASCII)
SPKI_ED25519 = bytes.fromhex("302a300506032b6570032100")
SPKI_P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


@dataclass
class Key:
    alg: str  # "Ed25519" or "ESP256"
    x: bytes
    y: bytes = b""

    @property
    def thumbprint_input(self):
        if self.alg == "Ed25519":
            return cbor.encode({1: 1, -1: 6, -2: self.x})
        return cbor.encode({1: 2, -1: 1, -2: self.x, -3: self.y})

    @property
    def kid(self):
        return hashlib.sha256(self.thumbprint_input).digest()

    def signature_problem(self, message, signature):
        """The code of what is wrong with 64 bytes of signature, or None."""
        if self.alg == "Ed25519":
            return ed25519_problem(self.x, message, signature)
        return esp256_problem(self.x, self.y, message, signature)


# ---- reading: first key-format, then key-private, then key-point

JWK_ALGORITHMS = {"Ed25519": ("Ed25519", "EdDSA"), "ESP256": ("ESP256", "ES256")}
COSE_ALGORITHMS = {"Ed25519": (-19, -8), "ESP256": (-9, -7)}


def key_from_jwk(jwk):
    kind = {("OKP", "Ed25519"): "Ed25519", ("EC", "P-256"): "ESP256"}
    names = tuple(name if isinstance(name, str) else None for name in (jwk.get("kty"), jwk.get("crv")))
    alg = kind.get(names)
    if alg is None or ("alg" in jwk and jwk["alg"] not in JWK_ALGORITHMS[alg]):
        raise Refused("key-format")
    x, y = b64url(jwk.get("x")), b64url(jwk.get("y")) if alg == "ESP256" else b""
    return made(alg, x, y, b64url(jwk["d"]) if "d" in jwk else None)


def key_from_cose(data):
    try:
        key = cbor.decode(data)
    except Refused:
        raise Refused("key-format") from None
    if not isinstance(key, dict):
        raise Refused("key-format")
    kind = {(1, 6): "Ed25519", (2, 1): "ESP256"}
    alg = kind.get(tuple(value if type(value) is int else None for value in (key.get(1), key.get(-1))))
    if alg is None or (3 in key and (type(key[3]) is not int or key[3] not in COSE_ALGORITHMS[alg])):
        raise Refused("key-format")
    return made(alg, key.get(-2), key.get(-3) if alg == "ESP256" else b"", key.get(-4))


def key_from_pem(text):
    found = PEM.fullmatch(text)
    if not found or found[1] not in ("PUBLIC KEY", "PRIVATE KEY"):
        raise Refused("key-format")
    try:
        der = base64.b64decode("".join(found[2].split()), validate=True)
    except ValueError:
        raise Refused("key-format") from None
    if found[1] == "PRIVATE KEY":
        raise Refused("key-private" if is_pkcs8(der) else "key-format")
    for alg, prefix, width in (("Ed25519", SPKI_ED25519, 32), ("ESP256", SPKI_P256, 64)):
        if der.startswith(prefix) and len(der) == len(prefix) + width:
            return made(alg, der[len(prefix) :][:32], der[len(prefix) + 32 :])
    raise Refused("key-format")


def is_pkcs8(der):
    try:
        key = load_der_private_key(der, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return isinstance(key.curve, ec.SECP256R1)
    return isinstance(key, ed25519.Ed25519PrivateKey)


def b64url(text):
    """Without padding, and with no second spelling of the same bytes."""
    if not isinstance(text, str) or not B64.fullmatch(text) or len(text) % 4 == 1:
        raise Refused("key-format")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise Refused("key-format")
    return data


def made(alg, x, y, d=None):
    parts = [x, *([y] if alg == "ESP256" else []), *([d] if d is not None else [])]
    if not all(isinstance(part, bytes) and len(part) == 32 for part in parts):
        raise Refused("key-format")
    if d is not None:
        raise Refused("key-private" if public_part(alg, d) == (x, y) else "key-format")
    if not (good_ed25519_point(x) if alg == "Ed25519" else good_p256_point(x, y)):
        raise Refused("key-point")
    return Key(alg, x, y)


def public_part(alg, d):
    """x and y of a private key; None for a number that is no private key."""
    if alg == "Ed25519":
        return ed25519.Ed25519PrivateKey.from_private_bytes(d).public_key().public_bytes_raw(), b""
    if not 0 < int.from_bytes(d, "big") < ORDER:
        return None
    numbers = ec.derive_private_key(int.from_bytes(d, "big"), ec.SECP256R1()).public_key().public_numbers()
    return numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")


# ---- points (RCP-6)

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def good_ed25519_point(data):
    point = decode_point(data)
    # [8]A is the identity for a small order, [L]A is another point for a torsion part
    return point is not None and not is_identity(multiply(8, point)) and is_identity(multiply(L, point))


def decode_point(data):
    """RFC 8032 section 5.1.3, canonical encodings alone; None for no point."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (v * x * x - u) % P:
        return None
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def add(p, q):
    """RFC 8032 section 5.1.4, extended coordinates; it doubles too."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    result = IDENTITY
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def is_identity(point):
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0


FIELD = 2**256 - 2**224 + 2**192 + 2**96 - 1
CURVE_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def good_p256_point(x_bytes, y_bytes):
    x, y = int.from_bytes(x_bytes, "big"), int.from_bytes(y_bytes, "big")
    return x < FIELD and y < FIELD and (y * y - (x * x * x - 3 * x + CURVE_B)) % FIELD == 0


# ---- signatures

def ed25519_problem(x, message, signature):
    """RCP-7"""
    if int.from_bytes(signature[32:], "little") >= L:
        return "signature-invalid"
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(x).verify(signature, message)
        return None
    except InvalidSignature:
        return "signature-invalid"


def esp256_problem(x, y, message, signature):
    """RCP-8"""
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not 0 < r < ORDER or not 0 < s < ORDER:
        return "signature-invalid"
    if s > ORDER // 2:
        return "signature-high-s"
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(x, "big"), int.from_bytes(y, "big"), ec.SECP256R1())
    try:
        numbers.public_key().verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
        return None
    except InvalidSignature:
        return "signature-invalid"
