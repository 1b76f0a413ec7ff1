//! Decision chapter: requests made canonical, the procedure and its trace, installs.

use crate::door::{GREATEST_INTEGER, check_http_method, check_name};
use crate::json::{Node, Text, Value, pointer_step};
use crate::matching::{argv_covers, canonical_host, canonical_path};
use crate::policy::{ARGV, AnyOr, FILE_METHODS, Pattern, Policy, Rule};

pub const ACTIONS: usize = 64;
pub const STRING_BYTES: usize = 65_536;
pub const ALL_STRINGS_BYTES: usize = 524_288;

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub agent: String,
    pub actions: Vec<Action>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Filesystem { path: String, method: String },
    Network { host: String, port: u64, method: Option<String> },
    Process { argv: Vec<String> },
    Tool { server: String, name: String },
}

/// A refused request: the first problem and its JSON pointer.
pub type Refusal = (&'static str, String);

// --- Request --------------------------------------------------------------------------------------------------------

/// Reads a request and makes it canonical (DEC-1 to DEC-4).
pub fn read_request(node: &Node) -> Result<Request, Refusal> {
    fields(node, "", &["agent", "actions"], &[])?;
    let agent = string(node, "agent", "", check_name)?;
    let (list, pointer) = list(node, "actions", "", ACTIONS)?;
    let mut request = Request { agent, actions: vec![] };
    for (index, node) in list.iter().enumerate() {
        request.actions.push(read_action(node, &pointer_step(&pointer, &index.to_string()))?);
    }
    if total_bytes(&request, node) > ALL_STRINGS_BYTES {
        return Err(("limit", String::new())); // DEC-4
    }
    Ok(request)
}

/// DEC-4: the strings as they were given or as they are canonical, whichever is longer.
fn total_bytes(request: &Request, node: &Node) -> usize {
    fn sum(node: &Node) -> usize {
        match &node.value {
            Value::Text(text) => text.good().map_or(0, str::len),
            Value::List(items) => items.iter().map(sum).sum(),
            Value::Object(members) => members.iter().map(|member| sum(&member.node)).sum(),
            _ => 0,
        }
    }
    let given = request.agent.len() + node.get("actions").map_or(0, sum);
    given.max(all_strings_bytes(request))
}

fn read_action(node: &Node, pointer: &str) -> Result<Action, Refusal> {
    let Value::Object(members) = &node.value else { return Err(("wrong-type", pointer.to_string())) };
    let [member] = members.as_slice() else { return Err(("exactly-one", pointer.to_string())) };
    let kind = member.key.good().unwrap_or("");
    let (node, at) = (&member.node, &pointer_step(pointer, kind));
    match kind {
        "filesystem" => {
            fields(node, at, &["path", "method"], &[])?;
            let path = string(node, "path", at, |_| Ok(()))?;
            let path = canonical_path(&path).map_err(|code| (code, pointer_step(at, "path")))?;
            let word = |text: &str| if FILE_METHODS.contains(&text) { Ok(()) } else { Err("bad-value") };
            Ok(Action::Filesystem { path, method: string(node, "method", at, word)? })
        }
        "network" => {
            fields(node, at, &["host", "port"], &["method"])?;
            let host = string(node, "host", at, |_| Ok(()))?;
            let host = canonical_host(&host).map_err(|code| (code, pointer_step(at, "host")))?.to_string();
            let port = port(node.get("port").unwrap()).map_err(|code| (code, pointer_step(at, "port")))?;
            let method = match node.get("method") {
                Some(_) => Some(string(node, "method", at, check_http_method)?),
                None => None,
            };
            Ok(Action::Network { host, port, method })
        }
        "process" => {
            fields(node, at, &["argv"], &[])?;
            let (items, at) = list(node, "argv", at, ARGV)?;
            let item = |(index, node): (usize, &Node)| {
                check_string(node, &pointer_step(&at, &index.to_string()), check_argument)
            };
            Ok(Action::Process { argv: items.iter().enumerate().map(item).collect::<Result<_, _>>()? })
        }
        "tool" => {
            fields(node, at, &["server", "name"], &[])?;
            let server = string(node, "server", at, check_name)?;
            Ok(Action::Tool { server, name: string(node, "name", at, check_name)? })
        }
        _ => Err(("exactly-one", pointer.to_string())),
    }
}

pub fn check_argument(text: &str) -> Result<(), &'static str> {
    if text.contains('\0') { Err("nul-character") } else { Ok(()) } // DEC-2
}

/// DEC-1: missing fields first, then unknown ones, then the values in the order of the fields.
fn fields(node: &Node, pointer: &str, required: &[&str], optional: &[&str]) -> Result<(), Refusal> {
    let Value::Object(members) = &node.value else { return Err(("wrong-type", pointer.to_string())) };
    if required.iter().any(|key| node.get(key).is_none()) {
        return Err(("missing-key", pointer.to_string()));
    }
    let known = |key: &Text| required.iter().chain(optional).any(|name| key.good() == Some(name));
    match members.iter().find(|member| !known(&member.key)) {
        Some(member) => Err(("unknown-key", pointer_step(pointer, &member.key.lossy()))),
        None => Ok(()),
    }
}

fn string(
    node: &Node,
    key: &str,
    pointer: &str,
    kind: impl FnOnce(&str) -> Result<(), &'static str>,
) -> Result<String, Refusal> {
    check_string(node.get(key).unwrap(), &pointer_step(pointer, key), kind)
}

/// DEC-2: well-formed and within its limit before anything else is asked of it.
fn check_string(
    node: &Node,
    pointer: &str,
    kind: impl FnOnce(&str) -> Result<(), &'static str>,
) -> Result<String, Refusal> {
    let judged = match &node.value {
        Value::Text(Text::Broken(_)) => Err("lone-surrogate"), // POL-7
        Value::Text(Text::Good(text)) if text.len() > STRING_BYTES => Err("limit"), // DEC-4
        Value::Text(Text::Good(text)) => kind(text).map(|()| text.clone()),
        _ => Err("wrong-type"),
    };
    judged.map_err(|code| (code, pointer.to_string()))
}

fn list<'a>(node: &'a Node, key: &str, pointer: &str, limit: usize) -> Result<(&'a [Node], String), Refusal> {
    let pointer = pointer_step(pointer, key);
    match &node.get(key).unwrap().value {
        Value::List(items) if items.is_empty() => Err(("empty-list", pointer)),
        Value::List(items) if items.len() > limit => Err(("limit", pointer)),
        Value::List(items) => Ok((items, pointer)),
        _ => Err(("wrong-type", pointer)),
    }
}

/// A request is data and no text: 443.0 is the integer 443 (DEC-2).
fn port(node: &Node) -> Result<u64, &'static str> {
    let Value::Number(written) = &node.value else { return Err("wrong-type") };
    let number: f64 = written.parse().map_err(|_| "bad-integer")?;
    if number.fract() != 0.0 || number.abs() > GREATEST_INTEGER as f64 {
        return Err("bad-integer");
    }
    if (1.0..=65535.0).contains(&number) { Ok(number as u64) } else { Err("bad-value") }
}

/// RCP-23: whether the recorded request is the canonical form of itself.
pub fn first_not_canonical(request: &Request) -> Option<usize> {
    let canonical = |action: &Action| match action {
        Action::Filesystem { path, .. } => canonical_path(path).as_ref() == Ok(path),
        Action::Network { host, .. } => canonical_host(host).is_ok_and(|canonical| canonical.to_string() == *host),
        Action::Process { .. } | Action::Tool { .. } => true,
    };
    request.actions.iter().position(|action| !canonical(action))
}

/// DEC-4, for a request that was recorded and not asked.
pub fn over_all_strings(request: &Request) -> bool {
    all_strings_bytes(request) > ALL_STRINGS_BYTES
}

fn all_strings_bytes(request: &Request) -> usize {
    let bytes = |action: &Action| match action {
        Action::Filesystem { path, method } => path.len() + method.len(),
        Action::Network { host, method, .. } => host.len() + method.as_ref().map_or(0, String::len),
        Action::Process { argv } => argv.iter().map(String::len).sum(),
        Action::Tool { server, name } => server.len() + name.len(),
    };
    request.agent.len() + request.actions.iter().map(bytes).sum::<usize>()
}

// --- Procedure ------------------------------------------------------------------------------------------------------

#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub effect: String,
    pub rule: Option<String>,
    pub action: Option<u64>,
    pub reason: Option<String>,
}

/// The request is canonical.
pub fn decide(policy: Option<&Policy>, request: &Request) -> Decision {
    let deny =
        |action, reason: &str| Decision { effect: "deny".into(), rule: None, action, reason: Some(reason.into()) };
    let Some(policy) = policy else { return deny(None, "no-policy") }; // DEC-5
    let mut decision: Option<Decision> = None;
    for (index, action) in request.actions.iter().enumerate() {
        // DEC-6
        let find = |effect: &str| {
            policy.rules.iter().find(|rule| rule.effect == effect && unmatched(rule, &request.agent, action).is_none())
        };
        let outcome = match find("deny").or_else(|| find("ask")).or_else(|| find("allow")) {
            Some(rule) => Decision {
                effect: rule.effect.into(),
                rule: Some(rule.name.clone()),
                action: Some(index as u64),
                reason: None,
            },
            None => deny(Some(index as u64), "no-rule"),
        };
        // DEC-7: the first of the most restrictive
        if decision.as_ref().is_none_or(|before| strictness(&outcome.effect) > strictness(&before.effect)) {
            decision = Some(outcome);
        }
    }
    decision.unwrap_or_else(|| deny(None, "no-rule"))
}

fn strictness(effect: &str) -> u8 {
    match effect {
        "allow" => 0,
        "ask" => 1,
        _ => 2,
    }
}

/// DEC-11: for each action and each rule `matched`, or the first part that did not.
pub fn trace(policy: Option<&Policy>, request: &Request) -> Vec<Vec<&'static str>> {
    let rules: &[Rule] = policy.map_or(&[], |policy| &policy.rules);
    let word = |action, rule| unmatched(rule, &request.agent, action).unwrap_or("matched");
    request.actions.iter().map(|action| rules.iter().map(|rule| word(action, rule)).collect()).collect()
}

/// The first part of the rule that does not cover the action.
fn unmatched(rule: &Rule, agent: &str, action: &Action) -> Option<&'static str> {
    let parts: Vec<(&'static str, bool)> = match (&rule.action, action) {
        _ if matches!(&rule.agents, AnyOr::Some(ids) if !ids.iter().any(|id| id == agent)) => {
            vec![("agents", false)] // DEC-8
        }
        (Pattern::Filesystem { path, methods }, Action::Filesystem { path: asked, method }) => {
            vec![("path", path.covers(asked)), ("methods", method_covered(methods, Some(method), rule.effect))]
        }
        (Pattern::Network { host, ports, methods }, Action::Network { host: asked, port, method }) => vec![
            ("host", canonical_host(asked).is_ok_and(|asked| host.covers(&asked))),
            (
                "ports",
                matches!(ports, AnyOr::Any) || matches!(ports, AnyOr::Some((from, to)) if from <= port && port <= to),
            ), // DEC-10
            ("methods", method_covered(methods, method.as_ref(), rule.effect)),
        ],
        (Pattern::Process { items, rest }, Action::Process { argv }) => vec![("argv", argv_covers(items, *rest, argv))],
        (Pattern::Tool { server, name }, Action::Tool { server: asked_server, name: asked_name }) => {
            vec![("server", server.covers(asked_server)), ("name", name.covers(asked_name))]
        }
        _ => vec![("kind", false)],
    };
    parts.into_iter().find(|(_, covered)| !covered).map(|(part, _)| part)
}

/// DEC-9
fn method_covered(methods: &AnyOr<Vec<String>>, method: Option<&String>, effect: &str) -> bool {
    match (methods, method) {
        (AnyOr::Any, _) => true,
        (AnyOr::Some(list), Some(method)) => list.contains(method),
        (AnyOr::Some(_), None) => effect == "deny",
    }
}

// --- Install --------------------------------------------------------------------------------------------------------

/// DEC-12
pub fn check_install(in_force: Option<u64>, version: u64) -> Result<(), &'static str> {
    match in_force {
        Some(current) if version == current => Err("version-equal"),
        Some(current) if version < current => Err("version-lower"),
        _ => Ok(()),
    }
}
