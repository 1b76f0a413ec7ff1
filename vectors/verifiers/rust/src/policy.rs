//! Policy chapter: which documents are policies. A verifier takes them as JSON text, by the one strict door.

use crate::door::{Door, NAME_BYTES, check_http_method, check_name, read_json};
use crate::json::{Node, Problem, Value, pointer_step};
use crate::matching::{HostPattern, PathGlob, Refused, TextGlob, argv_item};
use std::collections::HashSet;

pub const RULES: usize = 100_000;
pub const IDS: usize = 10_000;
pub const ARGV: usize = 256;
pub const FILE_METHODS: [&str; 4] = ["read", "write", "delete", "execute"];
pub const EFFECTS: [&str; 3] = ["allow", "ask", "deny"];

#[derive(Clone, Debug)]
pub struct Policy {
    pub version: u64,
    pub rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    pub effect: &'static str,
    pub agents: AnyOr<Vec<String>>,
    pub action: Pattern,
}

#[derive(Clone, Debug)]
pub enum AnyOr<T> {
    Any,
    Some(T),
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Filesystem { path: PathGlob, methods: AnyOr<Vec<String>> },
    Network { host: HostPattern, ports: AnyOr<(u64, u64)>, methods: AnyOr<Vec<String>> },
    Process { items: Vec<TextGlob>, rest: bool }, // `rest`: `**` stood at the end
    Tool { server: TextGlob, name: TextGlob },
}

/// A policy document, or all of its problems in document order.
pub fn read_policy(document: &[u8]) -> Result<Policy, Vec<Problem>> {
    let document = read_json(document)?;
    let mut door = Door::default();
    let policy = policy(&mut door, &document.root);
    door.close(policy, document.problems)
}

/// A policy that has been read as JSON before.
pub fn policy_of(node: &Node) -> Result<Policy, Vec<Problem>> {
    let mut door = Door::default();
    let policy = policy(&mut door, node);
    door.close(policy, vec![])
}

fn policy(door: &mut Door, node: &Node) -> Option<Policy> {
    let fields = door.fields(node, "", &["version", "rules"], &[])?;
    let version = fields.get("version").and_then(|(node, at)| door.integer(node, &at, 1..=u64::MAX));
    let mut names = HashSet::new();
    let mut rules = vec![];
    if let Some((node, pointer)) = fields.get("rules") {
        for (index, node) in door.list(node, &pointer, RULES)?.iter().enumerate() {
            rules.extend(rule(door, node, &pointer_step(&pointer, &index.to_string()), &mut names));
        }
    }
    Some(Policy { version: version?, rules })
}

fn rule(door: &mut Door, node: &Node, pointer: &str, names: &mut HashSet<String>) -> Option<Rule> {
    let fields = door.fields(node, pointer, &["name", "effect", "agents", "action"], &[])?;
    let name = fields.get("name").and_then(|(node, at)| {
        let name = door.name(node, &at)?;
        if !names.insert(name.clone()) {
            door.refuse("duplicate-name", node, &at); // POL-6
        }
        Some(name)
    });
    let effect = fields.get("effect").and_then(|(node, at)| door.word(node, &at, &EFFECTS));
    let agents = fields.get("agents").and_then(|(node, at)| {
        any_or(door, node, &at, |door, node, at| match node.value {
            Value::Object(_) => {
                let fields = door.fields(node, at, &["one_of"], &[])?;
                let (node, at) = fields.get("one_of")?;
                door.set(node, &at, IDS, Door::name)
            }
            _ => wrong_type(door, node, at),
        })
    });
    let action = fields.get("action").and_then(|(node, at)| action(door, node, &at));
    Some(Rule { name: name?, effect: effect?, agents: agents?, action: action? })
}

fn wrong_type<T>(door: &mut Door, node: &Node, pointer: &str) -> Option<T> {
    door.refuse("wrong-type", node, pointer);
    None
}

/// `any`, or what `other` reads. Another text is `bad-value`.
fn any_or<T>(
    door: &mut Door,
    node: &Node,
    pointer: &str,
    other: impl FnOnce(&mut Door, &Node, &str) -> Option<T>,
) -> Option<AnyOr<T>> {
    match node.value {
        Value::Text(_) => door.word(node, pointer, &["any"]).map(|_| AnyOr::Any),
        _ => other(door, node, pointer).map(AnyOr::Some),
    }
}

const KINDS: [&str; 4] = ["filesystem", "network", "process", "tool"];

fn action(door: &mut Door, node: &Node, pointer: &str) -> Option<Pattern> {
    if matches!(node.value, Value::Object(_)) && KINDS.iter().filter(|kind| node.get(kind).is_some()).count() != 1 {
        door.refuse("exactly-one", node, pointer); // POL-2; its members are judged all the same
    }
    let fields = door.fields(node, pointer, &[], &KINDS)?;
    let mut pattern = None;
    if let Some((node, at)) = fields.get("filesystem") {
        pattern = filesystem(door, node, &at);
    }
    if let Some((node, at)) = fields.get("network") {
        pattern = network(door, node, &at);
    }
    if let Some((node, at)) = fields.get("process") {
        pattern = process(door, node, &at);
    }
    if let Some((node, at)) = fields.get("tool") {
        pattern = tool(door, node, &at);
    }
    pattern
}

/// POL-10: a string that is parsed as a pattern; a refusal keeps its canonical spelling (MAT-21).
fn pattern<T>(
    door: &mut Door,
    node: &Node,
    pointer: &str,
    parse: impl FnOnce(&str) -> Result<T, Refused>,
) -> Option<T> {
    let mut canonical = None;
    let mut parsed = None;
    let read = door.string(node, pointer, NAME_BYTES, |text| match parse(text) {
        Ok(value) => {
            parsed = Some(value);
            Ok(())
        }
        Err(refused) => {
            canonical = refused.canonical;
            Err(refused.code)
        }
    });
    if read.is_none()
        && let Some(problem) = door.problems.last_mut()
    {
        problem.canonical = canonical;
    }
    parsed
}

fn methods(
    door: &mut Door,
    node: &Node,
    pointer: &str,
    item: impl FnMut(&mut Door, &Node, &str) -> Option<String>,
) -> Option<AnyOr<Vec<String>>> {
    any_or(door, node, pointer, |door, node, pointer| door.set(node, pointer, IDS, item))
}

fn filesystem(door: &mut Door, node: &Node, pointer: &str) -> Option<Pattern> {
    let fields = door.fields(node, pointer, &["path", "methods"], &[])?;
    let path = fields.get("path").and_then(|(node, at)| pattern(door, node, &at, PathGlob::parse));
    let word = |door: &mut Door, node: &Node, at: &str| door.word(node, at, &FILE_METHODS).map(str::to_string);
    let methods = fields.get("methods").and_then(|(node, at)| methods(door, node, &at, word));
    Some(Pattern::Filesystem { path: path?, methods: methods? })
}

fn network(door: &mut Door, node: &Node, pointer: &str) -> Option<Pattern> {
    let fields = door.fields(node, pointer, &["host", "ports", "methods"], &[])?;
    let host = fields.get("host").and_then(|(node, at)| pattern(door, node, &at, HostPattern::parse));
    let ports = fields.get("ports").and_then(|(node, at)| {
        any_or(door, node, &at, |door, node, at| {
            let fields = door.fields(node, at, &["from", "to"], &[])?;
            let from = fields.get("from").and_then(|(node, at)| door.integer(node, &at, 0..=65535));
            let to = fields.get("to").and_then(|(node, at)| door.integer(node, &at, 0..=65535));
            Some((from?, to?)) // POL-9: as written
        })
    });
    let method = |door: &mut Door, node: &Node, at: &str| door.string(node, at, NAME_BYTES, check_http_method);
    let methods = fields.get("methods").and_then(|(node, at)| methods(door, node, &at, method));
    Some(Pattern::Network { host: host?, ports: ports?, methods: methods? })
}

fn process(door: &mut Door, node: &Node, pointer: &str) -> Option<Pattern> {
    let fields = door.fields(node, pointer, &["argv"], &[])?;
    let (node, pointer) = fields.get("argv")?;
    let list = door.list(node, &pointer, ARGV)?;
    if list.is_empty() {
        door.refuse("empty-list", node, &pointer);
    }
    let mut items = vec![];
    let mut rest = false;
    let mut all = true;
    for (index, node) in list.iter().enumerate() {
        let last = index + 1 == list.len();
        let at = pointer_step(&pointer, &index.to_string());
        match pattern(door, node, &at, |text| Ok(argv_item(text, last)?)) {
            Some(Some(glob)) => items.push(glob),
            Some(None) => rest = true,
            None => all = false,
        }
    }
    all.then_some(Pattern::Process { items, rest })
}

fn tool(door: &mut Door, node: &Node, pointer: &str) -> Option<Pattern> {
    let fields = door.fields(node, pointer, &["server", "name"], &[])?;
    let parse = |text: &str| {
        check_name(text)?; // POL-8
        Ok(TextGlob::parse(text)?)
    };
    let server = fields.get("server").and_then(|(node, at)| pattern(door, node, &at, parse));
    let name = fields.get("name").and_then(|(node, at)| pattern(door, node, &at, parse));
    Some(Pattern::Tool { server: server?, name: name? })
}

/// The argv of a rule as it stands in the policy.
pub fn argv_texts(items: &[TextGlob], rest: bool) -> Vec<&str> {
    items.iter().map(|item| item.text.as_str()).chain(rest.then_some("**")).collect()
}
