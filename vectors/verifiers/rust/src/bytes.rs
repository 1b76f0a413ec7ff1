//! Conventions (SPEC.md): hex, base64, SHA-256 and the spelling of hashes.

use sha2::{Digest, Sha256};

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lower-case hex alone: another spelling is another text.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// hash = "sha256:" and 64 lower-case hex digits
pub fn hash_text(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&sha256(bytes)))
}

pub fn is_hash(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|rest| rest.len() == 64 && unhex(rest).is_some())
}

/// Base64 of one spelling: whole alphabet, padding as asked, unused bits zero.
pub fn unbase64(text: &str, url: bool) -> Option<Vec<u8>> {
    let body = if url {
        text
    } else {
        if !text.len().is_multiple_of(4) {
            return None;
        }
        text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text)
    };
    if body.len() % 4 == 1 {
        return None;
    }
    let (plus, slash) = if url { (b'-', b'_') } else { (b'+', b'/') };
    let mut out = Vec::with_capacity(body.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for byte in body.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ if byte == plus => 62,
            _ if byte == slash => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    if bits != 0 { None } else { Some(out) }
}

pub fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(ALPHABET[(word >> (18 - 6 * place)) as usize & 63] as char);
        }
    }
    out
}
