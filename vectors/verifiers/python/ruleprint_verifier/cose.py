"""Chapter receipt, steps 1 to 7 of the verifier, and "COSE layer alone"."""

from dataclasses import dataclass

from . import cbor
from .digest import sha256
from .problem import Refused

RECEIPT_BYTES = 1_048_576
TAG_18 = 0xD2
ALG, CRIT, KID, TYP = 1, 2, 4, 16
TYP_RECEIPT = "application/ruleprint+cose"
ALGORITHMS = {-19: "Ed25519", -9: "ESP256"}
LOOSE_ALGORITHMS = {"EdDSA": (-8, "Ed25519"), "ES256": (-7, "ESP256")}


@dataclass
class Message:
    alg: str  # that of the key it needs: "Ed25519" or "ESP256"
    kid: bytes
    protected: bytes
    payload: bytes
    payload_at: int  # the place of the first byte of the payload
    signature: bytes

    def sig_structure(self, external_aad=b""):
        return cbor.encode(["Signature1", self.protected, external_aad, self.payload])

    def hash(self, external_aad=b""):
        """RCP-4"""
        return sha256(self.sig_structure(external_aad))


def read_message(data, also_algorithms=(), typ=TYP_RECEIPT, thumbprint_kid=True, base=0):
    if len(data) > RECEIPT_BYTES:  # RCP-12
        raise Refused("limit")
    if not data:
        raise Refused("cbor-truncated", offset=base)
    if data[0] != TAG_18:  # RCP-13
        raise Refused("cose-tag", offset=base)
    value = cbor.decode(data, base, at=1)  # RCP-14
    kinds = (bytes, dict, bytes, bytes)
    if not isinstance(value, list) or len(value) != 4 or not all(map(isinstance, value, kinds)):  # RCP-15
        raise Refused("cose-shape", offset=base + 1)
    protected_bytes, unprotected, payload, signature = value
    protected_at = 2 + len(cbor.head(cbor.BYTES, len(protected_bytes)))
    if not protected_bytes:  # RCP-16
        raise Refused("cose-protected", offset=base + 2)
    protected = cbor.decode(protected_bytes, base + protected_at)
    if not isinstance(protected, dict):
        raise Refused("cose-protected", offset=base + protected_at)

    # RCP-17, in this order
    if CRIT in protected or CRIT in unprotected:
        raise Refused("cose-crit")
    if unprotected or any(label not in (ALG, KID, TYP) for label in protected):
        raise Refused("cose-header")
    taken = ALGORITHMS | dict(LOOSE_ALGORITHMS[name] for name in also_algorithms)
    alg = protected.get(ALG)
    if not isinstance(alg, int) or isinstance(alg, bool) or alg not in taken:
        raise Refused("cose-alg")
    kid = protected.get(KID)
    if not isinstance(kid, bytes) or (len(kid) != 32 if thumbprint_kid else not kid):
        raise Refused("cose-kid")
    if protected.get(TYP) != typ:  # None: the caller names no type, and there must be none
        raise Refused("cose-typ")

    if len(signature) != 64:  # RCP-18
        raise Refused("cose-signature-size")
    after_protected = protected_at + len(protected_bytes) + 1  # the empty unprotected header has one byte
    payload_at = base + after_protected + len(cbor.head(cbor.BYTES, len(payload)))
    return Message(taken[alg], kid, protected_bytes, payload, payload_at, signature)


def signature_problem(message, key, external_aad=b""):
    """The end of step 9: the algorithm fits the key, and the signature verifies (RCP-20)."""
    if key.alg != message.alg:
        return "cose-alg-key"
    return key.signature_problem(message.sig_structure(external_aad), message.signature)


def verify_layer(data, keys, typ=None, external_aad=b""):
    """COSE alone: any payload, keys by kid."""
    message = read_message(data, typ=typ, thumbprint_kid=False)
    if message.kid not in keys:
        raise Refused("key-unknown")
    code = signature_problem(message, keys[message.kid], external_aad)
    if code:
        raise Refused(code)
    return message
