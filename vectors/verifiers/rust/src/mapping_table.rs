//! Mapping chapter, "Table": which documents are tables. What is read stays JSON.

use crate::door::{Door, NAME_BYTES, check_http_method, check_name, read_json};
use crate::json::{Node, Problem, Text, Value, pointer_step};
use crate::policy::FILE_METHODS;

const ROWS: usize = 64;
const KINDS: [&str; 4] = ["filesystem", "network", "process", "shell"];

type Check = fn(&mut Door, &Node, &str);

/// A table, or all of its problems in document order.
pub fn read_table(document: &[u8]) -> Result<Node, Vec<Problem>> {
    let document = read_json(document)?;
    let mut door = Door::default();
    table(&mut door, &document.root);
    let read = door.problems.is_empty().then(|| document.root.clone());
    door.close(read, document.problems)
}

/// Runs a check for each member that is there.
fn members(door: &mut Door, node: &Node, pointer: &str, required: &[(&str, Check)], optional: &[(&str, Check)]) {
    let required_keys: Vec<&str> = required.iter().map(|(key, _)| *key).collect();
    let optional_keys: Vec<&str> = optional.iter().map(|(key, _)| *key).collect();
    let Some(fields) = door.fields(node, pointer, &required_keys, &optional_keys) else { return };
    for (key, check) in required.iter().chain(optional) {
        if let Some((node, at)) = fields.get(key) {
            check(door, node, &at);
        }
    }
}

fn named(door: &mut Door, node: &Node, pointer: &str) {
    door.name(node, pointer);
}

fn boolean(door: &mut Door, node: &Node, pointer: &str) {
    if !matches!(node.value, Value::Bool(_)) {
        door.refuse("wrong-type", node, pointer);
    }
}

/// `true` alone: false is spelled by leaving it off.
fn yes(door: &mut Door, node: &Node, pointer: &str) {
    boolean(door, node, pointer);
    if matches!(node.value, Value::Bool(false)) {
        door.refuse("bad-value", node, pointer);
    }
}

/// A set of names, which may be empty (MAP-2).
fn names(door: &mut Door, node: &Node, pointer: &str) {
    if node.items().is_none_or(|items| !items.is_empty()) {
        some_names(door, node, pointer);
    }
}

fn some_names(door: &mut Door, node: &Node, pointer: &str) {
    door.set(node, pointer, ROWS, |door, node, at| door.name(node, at));
}

fn table(door: &mut Door, node: &Node) {
    let format: Check = |door, node, at| {
        door.word(node, at, &["ruleprint-mapping/1"]);
    };
    let optional: [(&str, Check); 3] = [("server", named), ("mcp_names", yes), ("paths", paths)];
    members(door, node, "", &[("format", format), ("tools", tools)], &optional);
}

fn paths(door: &mut Door, node: &Node, pointer: &str) {
    let relative: Check = |door, node, at| {
        door.word(node, at, &["refuse", "cwd"]);
    };
    let home: Check = |door, node, at| {
        door.word(node, at, &["refuse", "expand"]);
    };
    let dot_dot: Check = |door, node, at| {
        door.word(node, at, &["refuse", "resolve"]);
    };
    members(door, node, pointer, &[("relative", relative), ("home", home), ("dot_dot", dot_dot)], &[]);
}

fn tools(door: &mut Door, node: &Node, pointer: &str) {
    let Value::Object(all) = &node.value else { return door.refuse("wrong-type", node, pointer) };
    for member in all {
        let at = pointer_step(pointer, &member.key.lossy());
        let judged = match &member.key {
            Text::Broken(_) => Err("lone-surrogate"),
            Text::Good(name) => check_name(name),
        };
        if let Err(code) = judged {
            door.problems.push(Problem::new(code, &at, member.at));
        }
        members(door, &member.node, &at, &[("actions", rows)], &[("arguments", names)]);
    }
}

fn rows(door: &mut Door, node: &Node, pointer: &str) {
    let checks: [(&str, Check); 4] =
        [("filesystem", filesystem), ("network", network), ("process", process), ("shell", shell)];
    for (index, row) in door.list(node, pointer, ROWS).unwrap_or(&[]).iter().enumerate() {
        let at = pointer_step(pointer, &index.to_string());
        if matches!(row.value, Value::Object(_)) && KINDS.iter().filter(|kind| row.get(kind).is_some()).count() != 1 {
            door.refuse("exactly-one", row, &at);
        }
        members(door, row, &at, &[], &checks);
    }
}

fn unless(door: &mut Door, node: &Node, pointer: &str) {
    members(door, node, pointer, &[("argument", named), ("is", boolean)], &[]);
}

fn none(door: &mut Door, node: &Node, pointer: &str) {
    door.word(node, pointer, &["none"]);
}

fn filesystem(door: &mut Door, node: &Node, pointer: &str) {
    let methods: Check = |door, node, at| {
        door.set(node, at, FILE_METHODS.len(), |door, node, at| door.word(node, at, &FILE_METHODS));
    };
    let absent: Check = |door, node, at| {
        door.word(node, at, &["none", "cwd"]);
    };
    let optional: [(&str, Check); 5] =
        [("each", yes), ("subtree", yes), ("glob", named), ("absent", absent), ("unless", unless)];
    members(door, node, pointer, &[("path", named), ("methods", methods)], &optional);
}

fn network(door: &mut Door, node: &Node, pointer: &str) {
    let method: Check = |door, node, at| {
        door.string(node, at, NAME_BYTES, check_http_method);
    };
    let optional: [(&str, Check); 5] =
        [("each", yes), ("method", method), ("method_argument", named), ("absent", none), ("unless", unless)];
    members(door, node, pointer, &[("url", named)], &optional);
}

fn process(door: &mut Door, node: &Node, pointer: &str) {
    members(door, node, pointer, &[("argv", some_names)], &[("absent", none), ("unless", unless)]);
}

fn shell(door: &mut Door, node: &Node, pointer: &str) {
    members(door, node, pointer, &[("command", named)], &[("cwd", named), ("absent", none), ("unless", unless)]);
}
