//! Receipt chapter, verifier steps 1 to 7 (RCP-12 to RCP-18), for receipts and for the COSE layer alone.

use crate::bytes::hash_text;
use crate::cbor::{self, Broken, Cbor};

pub const RECEIPT_BYTES: usize = 1_048_576;
pub const TYP: &str = "application/ruleprint+cose";
pub const ED25519: i64 = -19;
pub const ESP256: i64 = -9;
pub const EDDSA: i64 = -8;
pub const ES256: i64 = -7;

/// A refusal of bytes: the code, and the offset where the step gives one.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub code: &'static str,
    pub offset: Option<usize>,
}

impl From<Broken> for Refused {
    fn from(broken: Broken) -> Refused {
        Refused { code: broken.code, offset: Some(broken.offset) }
    }
}

impl From<&'static str> for Refused {
    fn from(code: &'static str) -> Refused {
        Refused { code, offset: None }
    }
}

/// What a message has to look like: a receipt, or whatever the caller of the COSE layer wants.
pub struct Profile<'a> {
    pub kid_bytes: Option<usize>,
    pub typ: Option<&'a str>,
    pub also_algorithms: &'a [i64],
    pub external_data: &'a [u8],
}

#[derive(Clone, Debug)]
pub struct Message {
    pub alg: i64,
    pub kid: Vec<u8>,
    pub payload: Vec<u8>,
    pub payload_offset: usize,
    pub signature: Vec<u8>,
    pub sig_structure: Vec<u8>,
}

impl Message {
    /// RCP-4: it binds the protected header and the payload, and nothing that an outsider can vary.
    pub fn hash(&self) -> String {
        hash_text(&self.sig_structure)
    }
}

pub fn sig_structure(protected: &[u8], external_data: &[u8], payload: &[u8]) -> Vec<u8> {
    let bytes = |bytes: &[u8]| Cbor::Bytes(bytes.to_vec());
    Cbor::Array(vec![Cbor::text("Signature1"), bytes(protected), bytes(external_data), bytes(payload)]).encode()
}

/// `base` is the offset of the first byte.
pub fn read(bytes: &[u8], base: usize, profile: &Profile) -> Result<Message, Refused> {
    // Step 1, RCP-12
    if bytes.len() > RECEIPT_BYTES {
        return Err("limit".into());
    }
    let Some(first) = bytes.first() else { return Err(Broken { code: "cbor-truncated", offset: base }.into()) };
    // Step 2, RCP-13
    if *first != 0xd2 {
        return Err(Broken { code: "cose-tag", offset: base }.into());
    }
    // Step 3, RCP-14
    let (item, contents) = cbor::read_placed(&bytes[1..], base + 1)?;
    // Step 4, RCP-15
    let Cbor::Array(parts) = &item else { return Err("cose-shape".into()) };
    let [Cbor::Bytes(protected), Cbor::Map(unprotected), Cbor::Bytes(payload), Cbor::Bytes(signature)] =
        parts.as_slice()
    else {
        return Err("cose-shape".into());
    };
    // Step 5, RCP-16
    if protected.is_empty() {
        return Err("cose-protected".into());
    }
    let header = cbor::read(protected, contents[0])?;
    let Cbor::Map(labels) = &header else { return Err("cose-protected".into()) };
    // Step 6, RCP-17, in this order
    let crit = |labels: &[(Cbor, Cbor)]| labels.iter().any(|(label, _)| *label == Cbor::Integer(2));
    if crit(labels) || crit(unprotected) {
        return Err("cose-crit".into());
    }
    let named = [Cbor::Integer(1), Cbor::Integer(4), Cbor::Integer(16)];
    if labels.iter().any(|(label, _)| !named.contains(label)) || !unprotected.is_empty() {
        return Err("cose-header".into());
    }
    let alg = match header.label(1) {
        Some(Cbor::Integer(alg)) if [ED25519, ESP256].contains(alg) || profile.also_algorithms.contains(alg) => *alg,
        _ => return Err("cose-alg".into()),
    };
    let kid = match header.label(4) {
        Some(Cbor::Bytes(kid)) if profile.kid_bytes.map_or(!kid.is_empty(), |length| kid.len() == length) => kid,
        _ => return Err("cose-kid".into()),
    };
    if header.label(16) != profile.typ.map(Cbor::text).as_ref() {
        return Err("cose-typ".into());
    }
    // Step 7, RCP-18
    if signature.len() != 64 {
        return Err("cose-signature-size".into());
    }
    Ok(Message {
        alg,
        kid: kid.clone(),
        payload: payload.clone(),
        payload_offset: contents[2],
        signature: signature.clone(),
        sig_structure: sig_structure(protected, profile.external_data, payload),
    })
}

/// RCP-20: whether the algorithm fits the key.
pub fn fits(alg: i64, key: &crate::keys::PublicKey) -> bool {
    match key {
        crate::keys::PublicKey::Ed25519 { .. } => [ED25519, EDDSA].contains(&alg),
        crate::keys::PublicKey::P256 { .. } => [ESP256, ES256].contains(&alg),
    }
}

pub fn alg_number(name: &str) -> Option<i64> {
    match name {
        "Ed25519" => Some(ED25519),
        "ESP256" => Some(ESP256),
        "EdDSA" => Some(EDDSA),
        "ES256" => Some(ES256),
        _ => None,
    }
}

/// The protected header of a receipt.
pub fn receipt_header(alg: i64, kid: &[u8]) -> Vec<u8> {
    let entries = [(1, Cbor::Integer(alg)), (4, Cbor::Bytes(kid.to_vec())), (16, Cbor::text(TYP))];
    Cbor::Map(entries.into_iter().map(|(label, value)| (Cbor::Integer(label), value)).collect()).encode()
}

/// A whole message: tag 18 and the array of four.
pub fn message(protected: Vec<u8>, payload: Vec<u8>, signature: Vec<u8>) -> Vec<u8> {
    let parts = vec![Cbor::Bytes(protected), Cbor::Map(vec![]), Cbor::Bytes(payload), Cbor::Bytes(signature)];
    [vec![0xd2], Cbor::Array(parts).encode()].concat()
}
