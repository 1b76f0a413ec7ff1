//! Match chapter, profile `ruleprint-match/1`: canonical paths and hosts, and what patterns cover. The work of every match is
//! at most the length of the pattern times the length of the input (MAT-1).

pub const PROFILE: &str = "ruleprint-match/1";

/// A refused pattern. With `pattern-not-canonical` it names the canonical spelling (MAT-21).
#[derive(Debug, PartialEq)]
pub struct Refused {
    pub code: &'static str,
    pub canonical: Option<String>,
}

impl From<&'static str> for Refused {
    fn from(code: &'static str) -> Refused {
        Refused { code, canonical: None }
    }
}

fn not_canonical(canonical: String) -> Refused {
    Refused { code: "pattern-not-canonical", canonical: Some(canonical) }
}

// --- Canonical path -------------------------------------------------------------------------------------------------

pub fn canonical_path(path: &str) -> Result<String, &'static str> {
    if path.contains(['\0', '\\']) {
        return Err("path-character"); // MAT-2
    }
    if !path.starts_with('/') {
        return Err("path-relative"); // MAT-3
    }
    if path.starts_with("//") {
        return Err("path-leading-slashes"); // MAT-4
    }
    if path.split('/').any(|segment| segment == "..") {
        return Err("path-dot-dot"); // MAT-5
    }
    Ok(join_segments(path)) // MAT-6
}

/// Drops empty segments and `.` segments.
fn join_segments(path: &str) -> String {
    let kept: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    format!("/{}", kept.join("/"))
}

// --- Runs: what path globs and text globs share ---------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Literal(char),
    One, // `?`
    Run, // `*`
}

/// Whether the pieces cover all of the items. After a mismatch the last run takes one item more, and no earlier run ever
/// has to be tried again: so a pair of piece and item is looked at once for each run.
fn covers<P, I>(pieces: &[P], items: &[I], is_run: impl Fn(&P) -> bool, fits: impl Fn(&P, &I) -> bool) -> bool {
    let (mut piece, mut item) = (0, 0);
    let mut last_run: Option<(usize, usize)> = None;
    while item < items.len() {
        if piece < pieces.len() && is_run(&pieces[piece]) {
            last_run = Some((piece, item));
            piece += 1;
        } else if piece < pieces.len() && fits(&pieces[piece], &items[item]) {
            piece += 1;
            item += 1;
        } else if let Some((run, taken)) = last_run {
            last_run = Some((run, taken + 1));
            piece = run + 1;
            item = taken + 1;
        } else {
            return false;
        }
    }
    pieces[piece..].iter().all(is_run)
}

fn covers_text(pieces: &[Piece], text: &[char]) -> bool {
    let fits = |piece: &Piece, letter: &char| match piece {
        Piece::Literal(literal) => literal == letter,
        Piece::One => true,
        Piece::Run => false,
    };
    covers(pieces, text, |piece| *piece == Piece::Run, fits)
}

// --- Path glob ------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
enum Segment {
    Any, // `**`
    One(Vec<Piece>),
}

#[derive(Clone, Debug)]
pub struct PathGlob {
    pub text: String,
    segments: Vec<Segment>,
}

impl PathGlob {
    pub fn parse(text: &str) -> Result<PathGlob, Refused> {
        // MAT-7
        if text.contains('\0') {
            return Err("path-character".into());
        }
        if !text.starts_with('/') {
            return Err("path-relative".into());
        }
        if text.starts_with("//") {
            return Err("path-leading-slashes".into());
        }
        let mut segments = vec![];
        if text != "/" {
            for segment in text[1..].split('/') {
                if segment.is_empty() {
                    return Err(not_canonical(join_segments(text))); // MAT-8
                }
                segments.push(path_segment(segment)?); // MAT-9
                match segment {
                    ".." => return Err("path-dot-dot".into()), // MAT-10; a dot takes no escape
                    "." => return Err(not_canonical(join_segments(text))),
                    _ => {}
                }
            }
        }
        Ok(PathGlob { text: text.to_string(), segments })
    }

    /// The path is canonical.
    pub fn covers(&self, path: &str) -> bool {
        let path: Vec<Vec<char>> =
            path.split('/').filter(|segment| !segment.is_empty()).map(|segment| segment.chars().collect()).collect();
        let fits = |segment: &Segment, text: &Vec<char>| match segment {
            Segment::Any => false,
            Segment::One(pieces) => covers_text(pieces, text),
        };
        covers(&self.segments, &path, |segment| *segment == Segment::Any, fits)
    }
}

fn path_segment(segment: &str) -> Result<Segment, &'static str> {
    if segment == "**" {
        return Ok(Segment::Any);
    }
    let mut pieces = vec![];
    let mut before = None; // the character before, where it was unescaped
    let mut letters = segment.chars();
    while let Some(letter) = letters.next() {
        let escaped = letter == '\\';
        let piece = match letter {
            '[' | ']' | '{' | '}' => return Err("pattern-syntax"),
            '(' if matches!(before, Some('@' | '?' | '*' | '+' | '!')) => return Err("pattern-syntax"),
            '\\' => match letters.next() {
                Some(next) if "*?[]{}()!@+".contains(next) => Piece::Literal(next),
                _ => return Err("pattern-syntax"),
            },
            '*' if before == Some('*') => return Err("pattern-syntax"),
            '*' => Piece::Run,
            '?' => Piece::One,
            _ => Piece::Literal(letter),
        };
        before = if escaped { None } else { Some(letter) };
        pieces.push(piece);
    }
    Ok(Segment::One(pieces))
}

// --- Canonical host -------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub enum Host {
    Name(String),
    V4(u32),
    V6([u16; 8]),
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Host::Name(name) => write!(f, "{name}"),
            Host::V4(address) => {
                let [a, b, c, d] = address.to_be_bytes();
                write!(f, "{a}.{b}.{c}.{d}")
            }
            Host::V6(groups) => write!(f, "{}", v6_text(groups)),
        }
    }
}

pub fn canonical_host(host: &str) -> Result<Host, &'static str> {
    if host.is_empty() {
        return Err("host-empty"); // MAT-11
    }
    if !host.is_ascii() {
        return Err("host-not-ascii");
    }
    if !host.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-:[]".contains(&b)) {
        return Err("host-character"); // MAT-12
    }
    let host = host.to_ascii_lowercase();
    if host.contains([':', '[', ']']) {
        // MAT-13
        let inside = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&host);
        let groups = parse_v6(inside.as_bytes()).ok_or("host-ipv6")?;
        return Ok(match groups {
            [0, 0, 0, 0, 0, 0xffff, high, low] => Host::V4(u32::from(high) << 16 | u32::from(low)),
            _ => Host::V6(groups),
        });
    }
    let host = host.strip_suffix('.').unwrap_or(&host);
    if host.is_empty() {
        return Err("host-empty");
    }
    let last = host.rsplit('.').next().unwrap_or(host);
    let digits = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
    let hex = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
    if digits || hex {
        return parse_v4(host).map(Host::V4).ok_or("host-number"); // MAT-14
    }
    if host.split('.').any(|label| label.is_empty() || label.len() > 63) {
        return Err("host-label"); // MAT-15; the characters were judged in MAT-12
    }
    if host.len() > 253 {
        return Err("host-too-long");
    }
    Ok(Host::Name(host.to_string()))
}

/// The IPv4 parser of the WHATWG URL standard, for text without a trailing dot.
fn parse_v4(text: &str) -> Option<u32> {
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    let numbers = parts.iter().map(|part| v4_number(part)).collect::<Option<Vec<u64>>>()?;
    let (last, front) = numbers.split_last()?;
    if front.iter().any(|number| *number > 255) || *last >= 1 << (8 * (4 - front.len())) {
        return None;
    }
    let front = front.iter().enumerate().fold(0, |sum, (index, number)| sum + (number << (8 * (3 - index))));
    u32::try_from(front + last).ok()
}

fn v4_number(part: &str) -> Option<u64> {
    let (digits, radix) = match part.strip_prefix("0x") {
        Some(rest) => (rest, 16),
        None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
        None => (part, 10),
    };
    if part.is_empty() {
        return None;
    }
    let digit =
        |sum: u64, c: char| Some((sum.checked_mul(radix.into())?).checked_add(c.to_digit(radix)?.into())?.min(1 << 40));
    digits.chars().try_fold(0, digit)
}

/// The IPv6 parser of the WHATWG URL standard, step by step.
fn parse_v6(input: &[u8]) -> Option<[u16; 8]> {
    let mut address = [0u16; 8];
    let mut piece = 0;
    let mut compress = None;
    let mut at = 0;
    let c = |at: usize| input.get(at).copied();
    if c(at) == Some(b':') {
        if c(at + 1) != Some(b':') {
            return None;
        }
        at += 2;
        piece += 1;
        compress = Some(piece);
    }
    while at < input.len() {
        if piece == 8 {
            return None;
        }
        if c(at) == Some(b':') {
            if compress.is_some() {
                return None;
            }
            at += 1;
            piece += 1;
            compress = Some(piece);
            continue;
        }
        let (mut value, mut length) = (0u16, 0);
        while let Some(digit) = c(at).and_then(|byte| (byte as char).to_digit(16)) {
            if length == 4 {
                break;
            }
            value = value << 4 | digit as u16;
            at += 1;
            length += 1;
        }
        match c(at) {
            Some(b'.') => {
                if length == 0 || piece > 6 {
                    return None;
                }
                at -= length;
                let mut numbers_seen = 0;
                while at < input.len() {
                    if numbers_seen > 0 {
                        if c(at) != Some(b'.') || numbers_seen == 4 {
                            return None;
                        }
                        at += 1;
                    }
                    let mut number: Option<u16> = None;
                    while let Some(digit) = c(at).filter(u8::is_ascii_digit) {
                        let digit = u16::from(digit - b'0');
                        number = match number {
                            None => Some(digit),
                            Some(0) => return None, // a leading zero
                            Some(number) => Some(number * 10 + digit),
                        };
                        if number > Some(255) {
                            return None;
                        }
                        at += 1;
                    }
                    address[piece] = address[piece] << 8 | number?;
                    numbers_seen += 1;
                    if numbers_seen == 2 || numbers_seen == 4 {
                        piece += 1;
                    }
                }
                if numbers_seen != 4 {
                    return None;
                }
                break;
            }
            Some(b':') => {
                at += 1;
                if at == input.len() {
                    return None;
                }
            }
            Some(_) => return None,
            None => {}
        }
        address[piece] = value;
        piece += 1;
    }
    match compress {
        Some(compress) => address[compress..].rotate_right(8 - piece),
        None if piece != 8 => return None,
        None => {}
    }
    Some(address)
}

/// RFC 5952 section 4: the first longest run of two zero groups or more becomes `::`, hex without leading zeros, never mixed.
fn v6_text(groups: &[u16; 8]) -> String {
    let (mut start, mut length) = (0, 0);
    for from in 0..8 {
        let run = groups[from..].iter().take_while(|group| **group == 0).count();
        if run > length {
            (start, length) = (from, run);
        }
    }
    let hex = |groups: &[u16]| groups.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":");
    if length < 2 {
        return hex(groups);
    }
    format!("{}::{}", hex(&groups[..start]), hex(&groups[start + length..]))
}

// --- Host pattern ---------------------------------------------------------------------------------------------------

#[derive(Clone, Debug)]
enum HostKind {
    Any,
    Same(Host),
    Below(String),    // `*.name`: the dot and the name
    Block4(u32, u32), // the address and the bits of it that count
    Block6(u128, u128),
}

#[derive(Clone, Debug)]
pub struct HostPattern {
    pub text: String,
    kind: HostKind,
}

fn v6_number(groups: &[u16; 8]) -> u128 {
    groups.iter().fold(0, |number, group| number << 16 | u128::from(*group))
}

impl HostPattern {
    pub fn parse(text: &str) -> Result<HostPattern, Refused> {
        Ok(HostPattern { text: text.to_string(), kind: host_kind(text)? })
    }

    /// The host is canonical.
    pub fn covers(&self, host: &Host) -> bool {
        match (&self.kind, host) {
            (HostKind::Any, _) => true,
            (HostKind::Same(same), _) => same == host,
            (HostKind::Below(tail), Host::Name(name)) => name.len() > tail.len() && name.ends_with(tail),
            (HostKind::Block4(block, mask), Host::V4(address)) => address & mask == *block,
            (HostKind::Block6(block, mask), Host::V6(groups)) => v6_number(groups) & mask == *block,
            _ => false,
        }
    }
}

fn host_kind(text: &str) -> Result<HostKind, Refused> {
    if text == "**" {
        return Ok(HostKind::Any);
    }
    let below = text.strip_prefix("*.");
    let left = below.unwrap_or(text);
    if left.contains('*') {
        return Err("pattern-syntax".into()); // MAT-16
    }
    if below.is_none()
        && let Some((address, bits)) = left.split_once('/')
    {
        return cidr(address, bits);
    }
    // MAT-18
    let host = canonical_host(left)?;
    if below.is_some() {
        match host {
            Host::V4(_) => return Err("host-number".into()),
            Host::V6(_) => return Err("host-ipv6".into()),
            Host::Name(_) => {}
        }
    }
    let canonical = host.to_string();
    if canonical != left {
        let star = if below.is_some() { "*." } else { "" };
        return Err(not_canonical(format!("{star}{canonical}")));
    }
    Ok(if below.is_some() { HostKind::Below(format!(".{canonical}")) } else { HostKind::Same(host) })
}

/// MAT-17
fn cidr(address: &str, bits: &str) -> Result<HostKind, Refused> {
    let host = canonical_host(address)?;
    let width = match host {
        Host::Name(_) => return Err("cidr".into()),
        Host::V4(_) if address.contains(':') => return Err("cidr".into()), // inside ::ffff:0:0/96
        Host::V4(_) => 32,
        Host::V6(_) => 128,
    };
    let canonical = host.to_string();
    if canonical != address {
        return Err(not_canonical(format!("{canonical}/{bits}")));
    }
    let plain = !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit()) && (bits == "0" || !bits.starts_with('0'));
    let bits: u32 = bits.parse().ok().filter(|bits| plain && *bits < width).ok_or("cidr")?;
    let kind = match host {
        Host::V4(address) => HostKind::Block4(address, !(u32::MAX >> bits)),
        Host::V6(groups) => HostKind::Block6(v6_number(&groups), !(u128::MAX >> bits)),
        Host::Name(_) => return Err("cidr".into()),
    };
    let beyond = match kind {
        HostKind::Block4(address, mask) => address & !mask != 0,
        HostKind::Block6(address, mask) => address & !mask != 0,
        _ => true,
    };
    if beyond { Err("cidr".into()) } else { Ok(kind) }
}

// --- Text glob ------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug)]
pub struct TextGlob {
    pub text: String,
    pieces: Vec<Piece>,
}

impl TextGlob {
    pub fn parse(text: &str) -> Result<TextGlob, &'static str> {
        let mut pieces = vec![];
        let mut letters = text.chars();
        let mut after_star = false;
        while let Some(letter) = letters.next() {
            if letter == '*' && after_star {
                return Err("pattern-syntax"); // MAT-19
            }
            after_star = letter == '*';
            pieces.push(match letter {
                '*' => Piece::Run,
                '?' => Piece::One,
                '\\' => match letters.next() {
                    Some(next @ ('*' | '?' | '\\')) => Piece::Literal(next),
                    _ => return Err("pattern-syntax"), // MAT-19
                },
                _ => Piece::Literal(letter),
            });
        }
        Ok(TextGlob { text: text.to_string(), pieces })
    }

    pub fn covers(&self, text: &str) -> bool {
        covers_text(&self.pieces, &text.chars().collect::<Vec<_>>())
    }
}

/// An item of an argv pattern (MAT-19). `None` is `**` as the last item.
pub fn argv_item(text: &str, last: bool) -> Result<Option<TextGlob>, &'static str> {
    if text == "**" && last {
        return Ok(None);
    }
    let glob = TextGlob::parse(text)?;
    if text.contains('\0') { Err("nul-character") } else { Ok(Some(glob)) }
}

/// MAT-20: `items` without the `**` at the end, and whether it stood there.
pub fn argv_covers(items: &[TextGlob], rest: bool, argv: &[String]) -> bool {
    let count = if rest { argv.len() >= items.len() } else { argv.len() == items.len() };
    count && items.iter().zip(argv).all(|(item, text)| item.covers(text))
}
