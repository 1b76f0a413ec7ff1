//! Receipt chapter, verifier step 3 (RCP-14): the walk over deterministic CBOR, its codes and offsets; and the encoder.

use crate::door::GREATEST_INTEGER;
use std::cmp::Ordering;

pub const DEPTH: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub enum Cbor {
    Integer(i64),
    Bytes(Vec<u8>),
    Text(String),
    Array(Vec<Cbor>),
    Map(Vec<(Cbor, Cbor)>),
    Bool(bool),
}

/// A code and the offset of the byte where it is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broken {
    pub code: &'static str,
    pub offset: usize,
}

/// One item and nothing behind it. `base` is the offset of the first byte.
pub fn read(bytes: &[u8], base: usize) -> Result<Cbor, Broken> {
    read_placed(bytes, base).map(|(item, _)| item)
}

/// The same, with the offset at which the content of each item of the outermost array begins.
pub fn read_placed(bytes: &[u8], base: usize) -> Result<(Cbor, Vec<usize>), Broken> {
    let mut walk = Walk { bytes, at: 0, depth: 0, contents: vec![] };
    let place = |(code, at)| Broken { code, offset: base + at };
    let item = walk.item().map_err(place)?;
    if walk.at < bytes.len() {
        return Err(place(("cbor-trailing", walk.at)));
    }
    Ok((item, walk.contents.iter().map(|at| base + at).collect()))
}

type Refusal = (&'static str, usize);

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    contents: Vec<usize>, // where the content of each item at depth 1 begins
}

impl Walk<'_> {
    fn item(&mut self) -> Result<Cbor, Refusal> {
        let start = self.at;
        let refuse = |code| Err((code, start));
        let Some(first) = self.bytes.get(start).copied() else { return refuse("cbor-truncated") };
        let (major, info) = (first >> 5, first & 31);
        if (28..=30).contains(&info) || info == 31 && !(2..=5).contains(&major) {
            return refuse("cbor-reserved");
        }
        if info == 31 {
            return refuse("cbor-indefinite");
        }
        let width = if info < 24 { 0 } else { 1 << (info - 24) };
        let Some(argument) = self.bytes.get(start + 1..start + 1 + width) else { return refuse("cbor-truncated") };
        let argument =
            if width == 0 { info.into() } else { argument.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)) };
        match (major, info) {
            (6, _) => return refuse("cbor-tag"),
            (7, 25..=27) => return refuse("cbor-float"),
            (7, 20 | 21) => {}
            (7, _) => return refuse("cbor-simple"),
            _ => {}
        }
        let shortest = match width {
            0 => true,
            1 => argument >= 24,
            2 => argument > 0xff,
            4 => argument > 0xffff,
            _ => argument > 0xffff_ffff,
        };
        if !shortest {
            return refuse("cbor-not-shortest");
        }
        let content = start + 1 + width;
        let left = self.bytes.len() - content;
        self.at = content;
        if self.depth == 1 {
            self.contents.push(content);
        }
        match major {
            0 if argument > GREATEST_INTEGER => refuse("cbor-integer"),
            0 => Ok(Cbor::Integer(argument as i64)),
            1 if argument >= GREATEST_INTEGER => refuse("cbor-integer"),
            1 => Ok(Cbor::Integer(-1 - argument as i64)),
            2 | 3 if argument > left as u64 => refuse("cbor-truncated"),
            2 | 3 => {
                self.at += argument as usize;
                let content = self.bytes[content..self.at].to_vec();
                if major == 2 {
                    return Ok(Cbor::Bytes(content));
                }
                String::from_utf8(content).map(Cbor::Text).or(refuse("cbor-utf8"))
            }
            7 => Ok(Cbor::Bool(info == 21)),
            _ if self.depth == DEPTH => refuse("cbor-depth"),
            4 if argument > left as u64 => refuse("cbor-truncated"),
            5 if argument > left as u64 / 2 => refuse("cbor-truncated"),
            _ => {
                self.depth += 1;
                let item = if major == 4 { self.array(argument) } else { self.map(argument) };
                self.depth -= 1;
                item
            }
        }
    }

    fn array(&mut self, count: u64) -> Result<Cbor, Refusal> {
        let mut items = vec![];
        for _ in 0..count {
            items.push(self.item()?);
        }
        Ok(Cbor::Array(items))
    }

    fn map(&mut self, count: u64) -> Result<Cbor, Refusal> {
        let mut entries = vec![];
        let mut before: &[u8] = &[];
        let bytes = self.bytes;
        for _ in 0..count {
            let start = self.at;
            match bytes.get(start).map(|first| first >> 5) {
                Some(0 | 1 | 3) | None => {}
                Some(_) => return Err(("cbor-key-type", start)),
            }
            let key = self.item()?;
            let encoded = &bytes[start..self.at];
            match encoded.cmp(before) {
                Ordering::Equal => return Err(("cbor-duplicate-key", start)),
                Ordering::Less => return Err(("cbor-unsorted", start)),
                Ordering::Greater => before = encoded,
            }
            entries.push((key, self.item()?));
        }
        Ok(Cbor::Map(entries))
    }
}

/// The end of a well-formed item (RFC 8949 appendix C), whatever else is wrong with it, or `None` where it cannot be found.
/// Without recursion: the sender chooses the depth.
pub fn end_of_item(bytes: &[u8]) -> Option<usize> {
    enum Open {
        Counted(u64),         // items still to come
        Array,                // up to its break
        Map { inside: bool }, // up to its break, which cannot stand inside an entry
        Pieces(u8),           // a string in pieces of this major type
    }
    let mut open = vec![Open::Counted(1)];
    let mut at = 0;
    loop {
        while matches!(open.last(), Some(Open::Counted(0))) {
            open.pop();
        }
        let Some(top) = open.last_mut() else { return Some(at) };
        let first = *bytes.get(at)?;
        let (major, info) = (first >> 5, first & 31);
        if first == 0xff {
            if matches!(top, Open::Counted(_) | Open::Map { inside: true }) {
                return None;
            }
            open.pop();
            at += 1;
            continue;
        }
        match top {
            Open::Counted(left) => *left -= 1,
            Open::Array => {}
            Open::Map { inside } => *inside = !*inside,
            Open::Pieces(kind) if major != *kind || info == 31 => return None,
            Open::Pieces(_) => {}
        }
        at += 1;
        if info == 31 {
            open.push(match major {
                2 | 3 => Open::Pieces(major),
                4 => Open::Array,
                5 => Open::Map { inside: false },
                _ => return None,
            });
            continue;
        }
        if info > 27 {
            return None;
        }
        let width = if info < 24 { 0 } else { 1 << (info - 24) };
        let argument = bytes.get(at..at + width)?;
        let argument = if width == 0 { info.into() } else { argument.iter().fold(0u64, |n, b| n << 8 | u64::from(*b)) };
        at += width;
        match major {
            2 | 3 => {
                at = usize::try_from(argument).ok().and_then(|length| at.checked_add(length))?;
                if at > bytes.len() {
                    return None;
                }
            }
            4 => open.push(Open::Counted(argument)),
            5 => open.push(Open::Counted(argument.checked_mul(2)?)),
            6 => open.push(Open::Counted(1)),
            7 if info == 24 && argument < 32 => return None,
            _ => {}
        }
    }
}

impl Cbor {
    pub fn text(text: impl Into<String>) -> Cbor {
        Cbor::Text(text.into())
    }

    pub fn get(&self, key: &str) -> Option<&Cbor> {
        let Cbor::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| matches!(name, Cbor::Text(name) if name == key)).map(|(_, value)| value)
    }

    pub fn label(&self, label: i64) -> Option<&Cbor> {
        let Cbor::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| *name == Cbor::Integer(label)).map(|(_, value)| value)
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Cbor::Text(text) = self { Some(text) } else { None }
    }

    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Cbor::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    pub fn as_uint(&self) -> Option<u64> {
        if let Cbor::Integer(number) = self { u64::try_from(*number).ok() } else { None }
    }

    /// Deterministic CBOR: shortest heads, keys in the order of their encoded bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![];
        match self {
            Cbor::Integer(number) if *number >= 0 => head(&mut out, 0, *number as u64),
            Cbor::Integer(number) => head(&mut out, 1, (-1 - number) as u64),
            Cbor::Bytes(bytes) => {
                head(&mut out, 2, bytes.len() as u64);
                out.extend(bytes);
            }
            Cbor::Text(text) => {
                head(&mut out, 3, text.len() as u64);
                out.extend(text.as_bytes());
            }
            Cbor::Array(items) => {
                head(&mut out, 4, items.len() as u64);
                items.iter().for_each(|item| out.extend(item.encode()));
            }
            Cbor::Map(entries) => {
                head(&mut out, 5, entries.len() as u64);
                let mut entries: Vec<_> = entries.iter().map(|(key, value)| (key.encode(), value.encode())).collect();
                entries.sort();
                entries.into_iter().for_each(|(key, value)| out.extend([key, value].concat()));
            }
            Cbor::Bool(value) => out.push(if *value { 0xf5 } else { 0xf4 }),
        }
        out
    }
}

fn head(out: &mut Vec<u8>, major: u8, argument: u64) {
    let major = major << 5;
    match argument {
        0..=23 => out.push(major | argument as u8),
        24..=0xff => out.extend([major | 24, argument as u8]),
        0x100..=0xffff => {
            out.push(major | 25);
            out.extend((argument as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 26);
            out.extend((argument as u32).to_be_bytes());
        }
        _ => {
            out.push(major | 27);
            out.extend(argument.to_be_bytes());
        }
    }
}
