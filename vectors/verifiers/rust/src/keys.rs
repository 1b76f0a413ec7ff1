//! Receipt chapter, "Keys" (RCP-5 to RCP-8): which public keys are taken, and the two signature equations.

use crate::bytes::{base64url, hex, sha256, unbase64};
use crate::cbor::{self, Cbor};
use crate::cose;
use crate::json::{Node, Value};
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use sha2::{Digest, Sha512};

#[derive(Clone, Debug)]
pub enum PublicKey {
    Ed25519 { bytes: [u8; 32], point: EdwardsPoint },
    P256 { x: [u8; 32], y: [u8; 32], key: VerifyingKey },
}

/// The prefixes of a SubjectPublicKeyInfo: everything in front of the 32 bytes, or of x and y of an uncompressed point.
const SPKI_ED25519: &str = "302a300506032b6570032100";
const SPKI_P256: &str = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";

/// The beginning and the length of the forms of PKCS #8 that are in use: Ed25519; P-256 with its public part and without.
const PKCS8: [(&str, usize); 3] = [
    ("302e020100300506032b657004220420", 48),
    ("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420", 138),
    ("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420", 67),
];

#[derive(Clone, Copy)]
enum Curve {
    Ed25519,
    P256,
}

impl PublicKey {
    /// RCP-6: the canonical encoding of a point that is not of small order and has no torsion part. The library decodes a y
    /// above p and the sign of an x that is 0; encoding the point again shows both.
    pub fn ed25519(bytes: &[u8]) -> Result<PublicKey, &'static str> {
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| "key-format")?;
        let point = CompressedEdwardsY(bytes).decompress().ok_or("key-point")?;
        if point.compress().to_bytes() != bytes || point.is_small_order() || !point.is_torsion_free() {
            return Err("key-point");
        }
        Ok(PublicKey::Ed25519 { bytes, point })
    }

    /// RCP-6: a point on the curve other than infinity. Infinity has no uncompressed form.
    pub fn p256(x: &[u8], y: &[u8]) -> Result<PublicKey, &'static str> {
        let x: [u8; 32] = x.try_into().map_err(|_| "key-format")?;
        let y: [u8; 32] = y.try_into().map_err(|_| "key-format")?;
        let uncompressed = [&[4], x.as_slice(), y.as_slice()].concat();
        let key = VerifyingKey::from_sec1_bytes(&uncompressed).map_err(|_| "key-point")?;
        Ok(PublicKey::P256 { x, y, key })
    }

    pub fn from_jwk(jwk: &Node) -> Result<PublicKey, &'static str> {
        if !matches!(jwk.value, Value::Object(_)) {
            return Err("key-format");
        }
        let member = |name| jwk.get(name).and_then(Node::as_text);
        let number = |name| match jwk.get(name) {
            None => Ok(None),
            Some(node) => node.as_text().and_then(|text| unbase64(text, true)).map(Some).ok_or("key-format"),
        };
        let alg = match jwk.get("alg") {
            None => None,
            Some(node) => Some(node.as_text().and_then(cose::alg_number).ok_or("key-format")?),
        };
        let curve = match (member("kty"), member("crv")) {
            (Some("OKP"), Some("Ed25519")) => Curve::Ed25519,
            (Some("EC"), Some("P-256")) => Curve::P256,
            _ => return Err("key-format"),
        };
        PublicKey::from_parts(curve, alg, number("x")?, number("y"), number("d")?)
    }

    pub fn from_cose(bytes: &[u8]) -> Result<PublicKey, &'static str> {
        let key = cbor::read(bytes, 0).map_err(|_| "key-format")?;
        let integer = |label| match key.label(label) {
            Some(Cbor::Integer(number)) => Some(*number),
            _ => None,
        };
        let number = |label| match key.label(label) {
            None => Ok(None),
            Some(value) => value.as_bytes().map(|bytes| Some(bytes.to_vec())).ok_or("key-format"),
        };
        let alg = match key.label(3) {
            None => None,
            Some(_) => Some(integer(3).ok_or("key-format")?),
        };
        let curve = match (integer(1), integer(-1)) {
            (Some(1), Some(6)) => Curve::Ed25519,
            (Some(2), Some(1)) => Curve::P256,
            _ => return Err("key-format"),
        };
        PublicKey::from_parts(curve, alg, number(-2)?, number(-3), number(-4)?)
    }

    /// The format first (an algorithm that is not the curve's, lengths, a public part that is not that of the private one),
    /// then that a public key is wanted, then the point.
    fn from_parts(
        curve: Curve,
        alg: Option<i64>,
        x: Option<Vec<u8>>,
        y: Result<Option<Vec<u8>>, &'static str>, // of P-256 alone: other members are not looked at
        d: Option<Vec<u8>>,
    ) -> Result<PublicKey, &'static str> {
        let x = x.ok_or("key-format")?;
        let (public, name, algorithms) = match curve {
            Curve::Ed25519 => (PublicKey::ed25519(&x), "Ed25519", [-19, -8]),
            Curve::P256 => (PublicKey::p256(&x, &y?.ok_or("key-format")?), "ESP256", [-9, -7]),
        };
        if alg.is_some_and(|alg| !algorithms.contains(&alg)) {
            return Err("key-format");
        }
        let Some(d) = d else { return public };
        let secret: [u8; 32] = d.try_into().map_err(|_| "key-format")?;
        let private = PrivateKey::new(name, secret).ok_or("key-format")?.public();
        let own = public.is_ok_and(|public| public.kid() == private.kid());
        Err(if own { "key-private" } else { "key-format" })
    }

    pub fn from_pem(pem: &str) -> Result<PublicKey, &'static str> {
        let mut lines = pem.trim().lines();
        let label = lines.next().and_then(|line| line.strip_prefix("-----BEGIN ")?.strip_suffix("-----"));
        let Some(label @ ("PUBLIC KEY" | "PRIVATE KEY")) = label else { return Err("key-format") };
        let lines: Vec<&str> = lines.collect();
        let Some((last, body)) = lines.split_last() else { return Err("key-format") };
        if *last != format!("-----END {label}-----") {
            return Err("key-format");
        }
        let der = hex(&unbase64(&body.concat(), false).ok_or("key-format")?);
        if label == "PRIVATE KEY" {
            let taken = PKCS8.iter().any(|(prefix, length)| der.starts_with(prefix) && der.len() == 2 * length);
            return Err(if taken { "key-private" } else { "key-format" });
        }
        let content = |prefix: &str, length: usize| {
            let rest = der.strip_prefix(prefix).filter(|rest| rest.len() == 2 * length)?;
            crate::bytes::unhex(rest)
        };
        if let Some(point) = content(SPKI_ED25519, 32) {
            return PublicKey::ed25519(&point);
        }
        match content(SPKI_P256, 64) {
            Some(point) => PublicKey::p256(&point[..32], &point[32..]),
            None => Err("key-format"),
        }
    }

    pub fn alg_name(&self) -> &'static str {
        match self {
            PublicKey::Ed25519 { .. } => "Ed25519",
            PublicKey::P256 { .. } => "ESP256",
        }
    }

    /// What the COSE Key Thumbprint (RFC 9679) is the SHA-256 of.
    pub fn thumbprint_input(&self) -> Vec<u8> {
        let integer = Cbor::Integer;
        let entries = match self {
            PublicKey::Ed25519 { bytes, .. } => {
                vec![(1, integer(1)), (-1, integer(6)), (-2, Cbor::Bytes(bytes.to_vec()))]
            }
            PublicKey::P256 { x, y, .. } => {
                vec![(1, integer(2)), (-1, integer(1)), (-2, Cbor::Bytes(x.to_vec())), (-3, Cbor::Bytes(y.to_vec()))]
            }
        };
        Cbor::Map(entries.into_iter().map(|(label, value)| (integer(label), value)).collect()).encode()
    }

    pub fn kid(&self) -> [u8; 32] {
        sha256(&self.thumbprint_input())
    }

    pub fn jwk(&self) -> Node {
        let text = |bytes: &[u8]| Node::text(&base64url(bytes));
        match self {
            PublicKey::Ed25519 { bytes, .. } => {
                Node::object([("kty", Node::text("OKP")), ("crv", Node::text("Ed25519")), ("x", text(bytes))])
            }
            PublicKey::P256 { x, y, .. } => {
                Node::object([("kty", Node::text("EC")), ("crv", Node::text("P-256")), ("x", text(x)), ("y", text(y))])
            }
        }
    }

    /// The signature has 64 bytes (RCP-18).
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), &'static str> {
        match self {
            PublicKey::Ed25519 { bytes, point } => verify_ed25519(bytes, point, message, signature),
            PublicKey::P256 { key, .. } => verify_p256(key, message, signature),
        }
    }
}

/// RCP-7: S below L, and the encoding of [S]B - [k]A is R as bytes.
fn verify_ed25519(a_bytes: &[u8; 32], a: &EdwardsPoint, message: &[u8], signature: &[u8]) -> Result<(), &'static str> {
    let (r, s) = signature.split_at_checked(32).ok_or("signature-invalid")?;
    let s: Option<Scalar> = s.try_into().ok().and_then(|s| Scalar::from_canonical_bytes(s).into());
    let s = s.ok_or("signature-invalid")?;
    let k = Scalar::from_bytes_mod_order_wide(&sha512(&[r, a_bytes, message]));
    let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &-a, &s);
    if expected.compress().as_bytes() == r { Ok(()) } else { Err("signature-invalid") }
}

/// RCP-8: r and s in range, then s at most half the order, then the equation.
fn verify_p256(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), &'static str> {
    let signature = Signature::from_slice(signature).map_err(|_| "signature-invalid")?; // zero, or not below the order
    if signature.normalize_s() != signature {
        return Err("signature-high-s");
    }
    key.verify(message, &signature).map_err(|_| "signature-invalid")
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    parts.iter().fold(Sha512::new(), |hash, part| hash.chain_update(part)).finalize().into()
}

/// A private key of 32 bytes. A verifier needs none: this makes again the published receipts of the vectors (RCP-5).
pub enum PrivateKey {
    Ed25519([u8; 32]),
    P256(SigningKey),
}

impl PrivateKey {
    pub fn new(alg: &str, secret: [u8; 32]) -> Option<PrivateKey> {
        match alg {
            "Ed25519" => Some(PrivateKey::Ed25519(secret)),
            "ESP256" => SigningKey::from_slice(&secret).ok().map(PrivateKey::P256),
            _ => None,
        }
    }

    pub fn public(&self) -> PublicKey {
        let public = match self {
            PrivateKey::Ed25519(seed) => {
                let (scalar, _) = expand(seed);
                PublicKey::ed25519(EdwardsPoint::mul_base(&scalar).compress().as_bytes())
            }
            PrivateKey::P256(key) => {
                let point = key.verifying_key().to_sec1_point(false);
                PublicKey::p256(&point.as_bytes()[1..33], &point.as_bytes()[33..])
            }
        };
        public.expect("a private key has a good public one")
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            PrivateKey::Ed25519(seed) => {
                // RFC 8032 section 5.1.6
                let (scalar, prefix) = expand(seed);
                let r = Scalar::from_bytes_mod_order_wide(&sha512(&[&prefix, message]));
                let r_bytes = EdwardsPoint::mul_base(&r).compress().to_bytes();
                let a_bytes = EdwardsPoint::mul_base(&scalar).compress().to_bytes();
                let k = Scalar::from_bytes_mod_order_wide(&sha512(&[&r_bytes, &a_bytes, message]));
                [r_bytes, (r + k * scalar).to_bytes()].concat()
            }
            PrivateKey::P256(key) => {
                let signature: Signature = key.sign(message); // RFC 6979
                signature.normalize_s().to_bytes().to_vec()
            }
        }
    }
}

fn expand(seed: &[u8; 32]) -> (Scalar, [u8; 32]) {
    let hash = sha512(&[seed]);
    let low: [u8; 32] = hash[..32].try_into().expect("half of 64 bytes");
    let high: [u8; 32] = hash[32..].try_into().expect("half of 64 bytes");
    (Scalar::from_bytes_mod_order(clamp_integer(low)), high)
}

#[cfg(test)]
mod test {
    use super::*;
    use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};

    fn encoded(point: &EdwardsPoint) -> [u8; 32] {
        point.compress().to_bytes()
    }

    #[test]
    fn refuses_keys_of_small_order_and_keys_with_a_torsion_part() {
        let good = ED25519_BASEPOINT_POINT * Scalar::from(7u64);
        assert!(PublicKey::ed25519(&encoded(&good)).is_ok());
        for torsion in EIGHT_TORSION {
            assert_eq!(PublicKey::ed25519(&encoded(&torsion)).err(), Some("key-point"));
            let mixed = PublicKey::ed25519(&encoded(&(good + torsion)));
            assert_eq!(mixed.is_ok(), torsion == EIGHT_TORSION[0]);
        }
    }

    #[test]
    fn refuses_every_second_encoding_of_a_point() {
        for low in 0xed..=0xff {
            for high in [0x7f, 0xff] {
                let mut bytes = [0xff; 32]; // y of p and above
                (bytes[0], bytes[31]) = (low, high);
                assert_eq!(PublicKey::ed25519(&bytes).err(), Some("key-point"));
            }
        }
    }

    #[test]
    fn verifies_by_the_equation_without_the_cofactor() {
        let (a, r, message) = (Scalar::from(7u64), Scalar::from(11u64), b"message");
        let a_bytes = encoded(&EdwardsPoint::mul_base(&a));
        let key = PublicKey::ed25519(&a_bytes).unwrap();
        for torsion in EIGHT_TORSION {
            let r_bytes = encoded(&(EdwardsPoint::mul_base(&r) + torsion));
            let k = Scalar::from_bytes_mod_order_wide(&sha512(&[&r_bytes, &a_bytes, message]));
            let s = r + k * a; // [8][S]B = [8]R + [8][k]A holds for each of them
            let judged = key.verify(message, &[r_bytes, s.to_bytes()].concat());
            assert_eq!(judged.is_ok(), torsion == EIGHT_TORSION[0]);
        }
    }

    #[test]
    fn refuses_an_s_that_is_not_below_the_order() {
        const L: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
        let key = PrivateKey::Ed25519([1; 32]);
        let mut signature = key.sign(b"message");
        assert_eq!(key.public().verify(b"message", &signature), Ok(()));
        let mut carry = 0;
        for (byte, add) in signature[32..].iter_mut().zip(crate::bytes::unhex(L).unwrap()) {
            carry += u16::from(*byte) + u16::from(add);
            *byte = carry as u8;
            carry >>= 8;
        }
        assert_eq!(key.public().verify(b"message", &signature), Err("signature-invalid"));
    }
}
