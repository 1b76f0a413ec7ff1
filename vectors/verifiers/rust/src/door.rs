//! Policy chapter, "Shape" and the checks on one string: what policies, trust stores and requests have in common.

use crate::json::{self, Node, Problem, Text, Value, pointer_step};
use std::collections::HashSet;

pub const GREATEST_INTEGER: u64 = (1 << 53) - 1;
pub const NAME_BYTES: usize = 4096;
pub const JSON_BYTES: usize = 64 << 20;
pub const NESTING: usize = 32;
/// POL-17: no more problems of a document are reported, nor of a statement (RCP-19).
pub const PROBLEMS: usize = 100;

/// Reads a document of a named format, JSON, up to its shape.
pub fn read_json(bytes: &[u8]) -> Result<json::Document, Vec<Problem>> {
    if bytes.len() > JSON_BYTES {
        return Err(vec![Problem::new("limit", "", 0)]);
    }
    json::read(bytes, NESTING).map_err(|problem| vec![problem])
}

/// POL-8: names and ids, after the checks on every string.
pub fn check_name(text: &str) -> Result<(), &'static str> {
    if text.len() > NAME_BYTES {
        return Err("limit");
    }
    if text.is_empty() {
        return Err("empty-text");
    }
    let control =
        |c| matches!(c, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.chars().any(control) { Err("control-character") } else { Ok(()) }
}

/// POL-3: `[A-Z][A-Z0-9_-]*`
pub fn check_http_method(text: &str) -> Result<(), &'static str> {
    let first = text.starts_with(|c: char| c.is_ascii_uppercase());
    let rest = text.chars().all(|c| matches!(c, 'A'..='Z' | '0'..='9' | '_' | '-'));
    if first && rest { Ok(()) } else { Err("bad-value") }
}

/// POL-4: plain digits, at most 2^53-1. A leading zero is no JSON.
pub fn plain_integer(written: &str) -> Option<u64> {
    if !written.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    written.parse().ok().filter(|number| *number <= GREATEST_INTEGER)
}

/// Collects the problems of a document, each with its pointer and its place.
#[derive(Default)]
pub struct Door {
    pub problems: Vec<Problem>,
}

/// The members of an object whose keys have been judged.
pub struct Fields<'a> {
    object: &'a Node,
    pointer: String,
}

impl<'a> Fields<'a> {
    pub fn get(&self, key: &str) -> Option<(&'a Node, String)> {
        self.object.get(key).map(|node| (node, pointer_step(&self.pointer, key)))
    }
}

impl Door {
    pub fn refuse(&mut self, code: &'static str, node: &Node, pointer: &str) {
        self.problems.push(Problem::new(code, pointer, node.at));
    }

    /// The problems in document order (POL-17), or what was read.
    pub fn close<T>(mut self, read: Option<T>, mut text_problems: Vec<Problem>) -> Result<T, Vec<Problem>> {
        text_problems.append(&mut self.problems);
        text_problems.sort_by_key(|problem| problem.at);
        match read {
            Some(value) if text_problems.is_empty() => Ok(value),
            _ => {
                text_problems.truncate(PROBLEMS);
                Err(text_problems)
            }
        }
    }

    /// POL-1: every required field is there (else `missing-key`, at the object) and no other (`unknown-key`, at the key).
    pub fn fields<'a>(
        &mut self,
        node: &'a Node,
        pointer: &str,
        required: &[&str],
        optional: &[&str],
    ) -> Option<Fields<'a>> {
        let Value::Object(members) = &node.value else {
            self.refuse("wrong-type", node, pointer);
            return None;
        };
        for key in required {
            if node.get(key).is_none() {
                self.refuse("missing-key", node, pointer);
            }
        }
        for member in members {
            let known = |key: &&str| member.key.good() == Some(*key);
            if !required.iter().any(known) && !optional.iter().any(known) {
                let pointer = pointer_step(pointer, &member.key.lossy());
                self.problems.push(Problem::new("unknown-key", &pointer, member.at));
            }
        }
        Some(Fields { object: node, pointer: pointer.to_string() })
    }

    pub fn list<'a>(&mut self, node: &'a Node, pointer: &str, limit: usize) -> Option<&'a [Node]> {
        let Value::List(items) = &node.value else {
            self.refuse("wrong-type", node, pointer);
            return None;
        };
        if items.len() > limit {
            self.refuse("limit", node, pointer);
            return None;
        }
        Some(items)
    }

    /// POL-5: a set has at least one item and none twice. An item that is refused for itself is not compared.
    pub fn set<T: Clone + Eq + std::hash::Hash>(
        &mut self,
        node: &Node,
        pointer: &str,
        limit: usize,
        mut item: impl FnMut(&mut Door, &Node, &str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.list(node, pointer, limit)?;
        if items.is_empty() {
            self.refuse("empty-list", node, pointer);
            return None;
        }
        let mut seen = HashSet::new();
        let mut set = vec![];
        for (index, node) in items.iter().enumerate() {
            let pointer = pointer_step(pointer, &index.to_string());
            let Some(value) = item(self, node, &pointer) else { continue };
            if seen.insert(value.clone()) {
                set.push(value);
            } else {
                self.refuse("duplicate-item", node, &pointer);
            }
        }
        Some(set)
    }

    /// One of a few words: any other text is `bad-value`, whatever it holds.
    pub fn word(&mut self, node: &Node, pointer: &str, words: &[&'static str]) -> Option<&'static str> {
        let Value::Text(text) = &node.value else {
            self.refuse("wrong-type", node, pointer);
            return None;
        };
        let found = words.iter().find(|word| text.good() == Some(**word)).copied();
        if found.is_none() {
            self.refuse("bad-value", node, pointer);
        }
        found
    }

    /// A string by its checks in order: `lone-surrogate`, `limit`, then those of its kind.
    pub fn string(
        &mut self,
        node: &Node,
        pointer: &str,
        limit: usize,
        kind: impl FnOnce(&str) -> Result<(), &'static str>,
    ) -> Option<String> {
        let Value::Text(text) = &node.value else {
            self.refuse("wrong-type", node, pointer);
            return None;
        };
        let judged = match text {
            Text::Broken(_) => Err("lone-surrogate"), // POL-7
            Text::Good(text) if text.len() > limit => Err("limit"),
            Text::Good(text) => kind(text).map(|()| text.clone()),
        };
        judged.map_err(|code| self.refuse(code, node, pointer)).ok()
    }

    pub fn name(&mut self, node: &Node, pointer: &str) -> Option<String> {
        self.string(node, pointer, NAME_BYTES, check_name)
    }

    /// POL-4, then the range (POL-3).
    pub fn integer(&mut self, node: &Node, pointer: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let Value::Number(written) = &node.value else {
            self.refuse("wrong-type", node, pointer);
            return None;
        };
        let judged = match plain_integer(written) {
            None => Err("bad-integer"),
            Some(number) if !range.contains(&number) => Err("bad-value"),
            Some(number) => Ok(number),
        };
        judged.map_err(|code| self.refuse(code, node, pointer)).ok()
    }
}
