//! Audit chapter, AUD-14 and AUD-15: names that hide.

use crate::tree::{TreeFile, folders_of};
use std::collections::{BTreeMap, BTreeSet};

/// What systems leave behind, in lower case.
const JUNK: [&str; 11] = [
    ".ds_store",
    "thumbs.db",
    "desktop.ini",
    ".localized",
    ".spotlight-v100",
    ".trashes",
    ".fseventsd",
    "__macosx",
    ".git",
    ".svn",
    ".hg",
];

fn is_junk(name: &str) -> bool {
    let lower = name.to_lowercase();
    JUNK.contains(&lower.as_str()) || lower.starts_with("._")
}

/// The files whose name hides them, or is for some reader the name of another, each with the reason, in the order given.
pub fn hidden_files(files: &[TreeFile]) -> Vec<(&str, &'static str)> {
    let mut spellings: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in files.iter().flat_map(|file| names(&file.path)) {
        spellings.entry(seen_as(name)).or_default().insert(name);
    }
    let collides = |name: &str| spellings.get(&seen_as(name)).is_some_and(|spelled| spelled.len() > 1);
    let reason = |file: &TreeFile| {
        if file.path.split('/').any(is_junk) {
            return Some("junk-name");
        }
        names(&file.path).any(collides).then_some("name-collides")
    };
    files.iter().filter_map(|file| Some((file.path.as_str(), reason(file)?))).collect()
}

/// The folders above a file, and the file.
fn names(path: &str) -> impl Iterator<Item = &str> {
    folders_of(path).chain([path])
}

/// What a name is on volumes that ignore case or normalise, and for an eye. The standard library has no tables of NFKC: letters of
/// Latin with one mark and full-width ASCII are put together here, and nothing else is.
fn seen_as(name: &str) -> String {
    let lower = composed(name).to_lowercase().replace('ς', "σ");
    composed(&lower.chars().filter(|letter| !takes_no_place(*letter)).collect::<String>())
}

/// Format characters, joiners, fillers, selectors, tags, and marks that combine with what stands before.
fn takes_no_place(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{20d0}'..='\u{20ff}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{fe20}'..='\u{fe2f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d165}'..='\u{1d182}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A letter and the mark behind it as one; full-width ASCII as ASCII.
fn composed(text: &str) -> String {
    let mut out: Vec<char> = vec![];
    for letter in text.chars() {
        let letter = match letter {
            '\u{ff01}'..='\u{ff5e}' => char::from((letter as u32 - 0xff01 + 0x21) as u8),
            _ => letter,
        };
        match out.last_mut().and_then(|last| Some((compose(*last, letter)?, last))) {
            Some((whole, last)) => *last = whole,
            None => out.push(letter),
        }
    }
    out.into_iter().collect()
}

/// Latin-1 and Latin Extended-A, whole: each letter with what it is under the mark.
const COMPOSITIONS: [(char, &str); 13] = [
    ('\u{300}', "AÀEÈIÌOÒUÙaàeèiìoòuù"),
    ('\u{301}', "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"),
    ('\u{302}', "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"),
    ('\u{303}', "AÃNÑOÕaãnñoõIĨiĩUŨuũ"),
    ('\u{304}', "AĀaāEĒeēIĪiīOŌoōUŪuū"),
    ('\u{306}', "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"),
    ('\u{307}', "CĊcċEĖeėGĠgġIİZŻzż"),
    ('\u{308}', "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"),
    ('\u{30a}', "AÅaåUŮuů"),
    ('\u{30b}', "OŐoőUŰuű"),
    ('\u{30c}', "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"),
    ('\u{327}', "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"),
    ('\u{328}', "AĄaąEĘeęIĮiįUŲuų"),
];

fn compose(letter: char, mark: char) -> Option<char> {
    let (_, pairs) = COMPOSITIONS.iter().find(|(of, _)| *of == mark)?;
    let pairs: Vec<char> = pairs.chars().collect();
    pairs.chunks(2).find(|pair| pair[0] == letter).map(|pair| pair[1])
}
