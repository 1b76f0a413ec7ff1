//! Audit chapter, "The tree": one digest over every path, mode bit and byte.

use crate::bytes::{hex, sha256};
use crate::digest::field;
use crate::door::check_name;
use std::collections::BTreeSet;

const FILES: usize = 10_000;
const FILE_BYTES: usize = 16 << 20;
const ALL_BYTES: usize = 64 << 20;
const PATH_BYTES: usize = 1024;

#[derive(Clone)]
pub struct TreeFile {
    pub path: String,
    pub executable: bool,
    pub bytes: Vec<u8>,
}

/// AUD-12: the files in the order of the UTF-8 bytes of their paths, which is that of `str`; or the code with which they are no tree.
pub fn sorted_tree(files: &[TreeFile]) -> Result<Vec<&TreeFile>, &'static str> {
    if files.is_empty() {
        return Err("tree-empty");
    }
    if files.len() > FILES {
        return Err("limit");
    }
    let mut all = 0;
    for file in files {
        check_path(&file.path)?;
        all += file.bytes.len();
        if file.bytes.len() > FILE_BYTES || all > ALL_BYTES {
            return Err("limit");
        }
    }
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_below_a_file = |path: &&str| folders_of(path).any(|folder| paths.contains(folder));
    if paths.len() < files.len() || paths.iter().any(is_below_a_file) {
        return Err("tree-path");
    }
    let mut sorted: Vec<&TreeFile> = files.iter().collect();
    sorted.sort_by_key(|file| &file.path);
    Ok(sorted)
}

/// Relative, in its one spelling, nothing in it that would mislead whoever reads it.
fn check_path(path: &str) -> Result<(), &'static str> {
    if path.len() > PATH_BYTES {
        return Err("limit");
    }
    let strange = path.split('/').any(|segment| matches!(segment, "" | "." | ".."));
    let misleads = check_name(path).is_err() || path.contains(['\\', '\u{2028}', '\u{2029}']);
    if strange || misleads { Err("tree-path") } else { Ok(()) }
}

/// Every folder above a path, the nearest last.
pub fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// AUD-10, AUD-11: what the digest of a tree hashes.
pub fn tree_preimage(sorted: &[&TreeFile]) -> Vec<u8> {
    let mut out = vec![];
    field(&mut out, "ruleprint/tree-digest/1");
    out.extend((sorted.len() as u32).to_be_bytes());
    for file in sorted {
        field(&mut out, &file.path);
        field(&mut out, if file.executable { "executable" } else { "file" });
        out.extend(sha256(&file.bytes));
    }
    out
}

/// AUD-16: the `tree_hash` of AbstractSkill.
pub fn interchange_hash(sorted: &[&TreeFile]) -> String {
    let mut out = vec![];
    for file in sorted {
        let name = file.path.rsplit('/').next().unwrap_or("");
        if ![".DS_Store", "Thumbs.db", "desktop.ini"].contains(&name) {
            out.extend((file.path.len() as u64).to_be_bytes());
            out.extend(file.path.as_bytes());
            out.extend(sha256(&file.bytes));
        }
    }
    hex(&sha256(&out))
}
