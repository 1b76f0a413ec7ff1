//! Audit chapter, "Canaries": the value that is planted in one slot of one epoch.

use crate::bytes::sha256;
use crate::digest::field;

/// AUD-20: 26 characters, 130 bits. The seed has 32 bytes.
pub fn canary_value(seed: &[u8], plan: &str, epoch: u32, slot: &str) -> String {
    let mut message = vec![];
    field(&mut message, "ruleprint/canary/1");
    field(&mut message, plan);
    message.extend(epoch.to_be_bytes());
    field(&mut message, slot);
    base32(&hmac(seed, &message)).chars().take(26).collect()
}

/// RFC 2104, for keys of up to a block.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let pad = |byte: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).unwrap_or(&0) ^ byte).collect() };
    let inner = sha256(&[&pad(0x36), message].concat());
    sha256(&[&pad(0x5c)[..], &inner].concat())
}

/// RFC 4648, upper case, of whole groups of five bits: what is behind the last one is left out.
fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes[at / 8] >> (7 - at % 8) & 1;
    let group = |at: usize| (at..at + 5).fold(0, |value, at| value << 1 | bit(at));
    let letter = |value| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from(value)]);
    (0..bytes.len() * 8 / 5).map(|index| letter(group(index * 5))).collect()
}
