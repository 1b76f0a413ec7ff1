//! Receipt chapter, verifier step 8 (RCP-19), with the statements of the ledger chapter (LED-1, LED-2): what is wrong with a
//! payload.

use crate::bytes::is_hash;
use crate::cbor::{self, Cbor};
use crate::cose::{self, Message, Profile};
use crate::decision::{ACTIONS, Action, Decision, Request, STRING_BYTES, check_argument};
use crate::door::{NAME_BYTES, PROBLEMS, check_http_method, check_name};
use crate::json::pointer_step;
use crate::policy::ARGV;
use crate::statement_audit;
use crate::statement_grammar::{ACTION_KINDS, Field, Kind, role_of, shape_of};

pub const RECORDED_BYTES: usize = 786_432;

/// What is wrong with the bytes of a receipt: a code, and the offset or the pointer where it is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    pub code: &'static str,
    pub offset: Option<usize>,
    pub pointer: Option<String>,
}

fn wrong(code: &'static str, pointer: &str) -> Wrong {
    Wrong { code, offset: None, pointer: Some(pointer.to_string()) }
}

impl From<cose::Refused> for Wrong {
    fn from(refused: cose::Refused) -> Wrong {
        Wrong { code: refused.code, offset: refused.offset, pointer: None }
    }
}

/// A statement of the grammar.
#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: &'static str,
    pub map: Cbor,
    pub recorded: Option<Box<Receipt>>,
}

/// A message and its statement, where the steps 1 to 8 passed.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub message: Message,
    pub statement: Statement,
}

// --- Step 8 ---------------------------------------------------------------------------------------------------------

/// Reads the payload of a message: the statement as far as it can be read, and what is wrong. `also_algorithms` is what a
/// recorded receipt may use besides.
pub fn read(message: &Message, also_algorithms: &[i64]) -> (Option<Statement>, Vec<Wrong>) {
    let mut statement = match read_payload(message) {
        Ok(statement) => statement,
        Err(wrong) => return (None, wrong),
    };
    let mut wrong = vec![];
    if statement.kind == "record" {
        match read_recorded(&statement, also_algorithms) {
            Ok(receipt) => statement.recorded = Some(Box::new(receipt)),
            Err(inside) => wrong = inside,
        }
    }
    (Some(statement), wrong)
}

fn read_payload(message: &Message) -> Result<Statement, Vec<Wrong>> {
    let map = cbor::read(&message.payload, message.payload_offset)
        .map_err(|broken| vec![Wrong { code: broken.code, offset: Some(broken.offset), pointer: None }])?;
    if !matches!(map, Cbor::Map(_)) {
        return Err(vec![wrong("wrong-type", "")]);
    }
    let kind = match map.get("statement") {
        None => return Err(vec![wrong("missing-key", "")]),
        Some(Cbor::Text(kind)) => kind,
        Some(_) => return Err(vec![wrong("wrong-type", "/statement")]),
    };
    let Some(shape) = shape_of(kind) else {
        return Err(vec![wrong("unknown-statement", "/statement")]);
    };
    let mut judge = Judge { problems: vec![] };
    judge.map(&map, shape.fields, "");
    if judge.problems.is_empty() && fields_conflict(shape.kind, &map) {
        judge.problems.push(wrong("field-conflict", ""));
    }
    judge.problems.truncate(PROBLEMS);
    if judge.problems.is_empty() {
        Ok(Statement { kind: shape.kind, map, recorded: None })
    } else {
        Err(judge.problems)
    }
}

/// LED-2: a receipt by the steps 1 to 8, of a statement that is not the engine's, about the same engine. A record in a record
/// is not looked into further.
fn read_recorded(record: &Statement, also_algorithms: &[i64]) -> Result<Receipt, Vec<Wrong>> {
    let bytes = record.bytes("recorded").unwrap_or(&[]);
    if bytes.len() > RECORDED_BYTES {
        return Err(vec![wrong("limit", "/recorded")]);
    }
    let here = |wrong: Wrong| Wrong { pointer: Some("/recorded".to_string()), ..wrong };
    let message =
        cose::read(bytes, 0, &receipt_profile(also_algorithms)).map_err(|refused| vec![here(refused.into())])?;
    let statement = read_payload(&message).map_err(|inside| inside.into_iter().map(here).collect::<Vec<_>>())?;
    if role_of(statement.kind) == "engine" {
        return Err(vec![wrong("record-kind", "/recorded")]);
    }
    if statement.engine_id() != record.engine_id() {
        return Err(vec![wrong("record-engine", "/recorded")]);
    }
    Ok(Receipt { message, statement })
}

struct Judge {
    problems: Vec<Wrong>,
}

impl Judge {
    fn refuse(&mut self, code: &'static str, pointer: &str) {
        self.problems.push(wrong(code, pointer));
    }

    /// The missing keys in the order of the grammar, then the members in the order of their bytes.
    fn map(&mut self, map: &Cbor, fields: &[Field], pointer: &str) {
        let Cbor::Map(entries) = map else { return self.refuse("wrong-type", pointer) };
        for field in fields {
            if field.required && map.get(field.name).is_none() {
                self.refuse("missing-key", pointer);
            }
        }
        for (key, value) in entries {
            let name = match key {
                Cbor::Text(name) => name.clone(),
                Cbor::Integer(number) => number.to_string(),
                _ => String::new(),
            };
            let at = pointer_step(pointer, &name);
            match fields.iter().find(|field| key.as_text() == Some(field.name)) {
                Some(field) => self.value(value, field.kind, &at),
                None => self.refuse("unknown-key", &at),
            }
        }
    }

    fn value(&mut self, value: &Cbor, kind: Kind, pointer: &str) {
        match (kind, value) {
            (Kind::Map(fields), _) => self.map(value, fields, pointer),
            (Kind::Actions, Cbor::Array(actions)) if actions.len() > ACTIONS => self.refuse("limit", pointer), // DEC-4
            (Kind::Actions, Cbor::Array(actions)) => {
                for (index, action) in actions.iter().enumerate() {
                    self.action(action, &pointer_step(pointer, &index.to_string()));
                }
            }
            (Kind::Argv, Cbor::Array(items)) if items.is_empty() => self.refuse("empty-list", pointer), // DEC-2
            (Kind::Argv, Cbor::Array(items)) if items.len() > ARGV => self.refuse("limit", pointer),    // DEC-4
            (Kind::Argv, Cbor::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.text(item, check_argument, &pointer_step(pointer, &index.to_string()));
                }
            }
            (Kind::List { most, .. }, Cbor::Array(items)) if items.len() > most => self.refuse("limit", pointer), // AUE-3
            (Kind::List { least, .. }, Cbor::Array(items)) if items.len() < least => self.refuse("empty-list", pointer),
            (Kind::List { item, .. }, Cbor::Array(items)) => {
                for (index, one) in items.iter().enumerate() {
                    self.value(one, *item, &pointer_step(pointer, &index.to_string()));
                }
            }
            (Kind::Uint | Kind::Between(..), Cbor::Integer(number)) if *number < 0 => {
                self.refuse("bad-integer", pointer);
            }
            (Kind::Uint, Cbor::Integer(_)) => {}
            (Kind::Between(least, most), Cbor::Integer(number)) => {
                if !(least..=most).contains(number) {
                    self.refuse("bad-value", pointer);
                }
            }
            (Kind::Bool, Cbor::Bool(_)) | (Kind::False, Cbor::Bool(false)) => {}
            (Kind::False, Cbor::Bool(true)) => self.refuse("bad-value", pointer),
            (Kind::Bytes(size), Cbor::Bytes(bytes)) => {
                if bytes.len() != size {
                    self.refuse("bad-value", pointer);
                }
            }
            (Kind::Recorded, Cbor::Bytes(_)) => {} // LED-2: `read_recorded`
            (Kind::Statement, Cbor::Text(_)) => {}
            (Kind::Name, Cbor::Text(_)) => self.text(value, check_name, pointer),
            (Kind::Text, Cbor::Text(_)) => self.text(value, |_| Ok(()), pointer),
            (Kind::Source, Cbor::Text(_)) => {
                self.text(value, |text| if text.len() > NAME_BYTES { Err("limit") } else { Ok(()) }, pointer);
            }
            (Kind::BareHash, Cbor::Text(_)) => {
                let is_bare = |text: &str| is_hash(&format!("sha256:{text}"));
                self.text(value, |text| if is_bare(text) { Ok(()) } else { Err("bad-value") }, pointer);
            }
            (Kind::HttpMethod, Cbor::Text(_)) => self.text(value, check_http_method, pointer),
            (Kind::Hash, Cbor::Text(_)) => {
                self.text(value, |text| if is_hash(text) { Ok(()) } else { Err("bad-value") }, pointer);
            }
            (Kind::Words(words), Cbor::Text(_)) => {
                self.text(value, |text| if words.contains(&text) { Ok(()) } else { Err("bad-value") }, pointer);
            }
            _ => self.refuse("wrong-type", pointer),
        }
    }

    fn text(&mut self, value: &Cbor, check: impl Fn(&str) -> Result<(), &'static str>, pointer: &str) {
        let judged = match value {
            Cbor::Text(text) if text.len() > STRING_BYTES => Err("limit"),
            Cbor::Text(text) => check(text),
            _ => Err("wrong-type"),
        };
        if let Err(code) = judged {
            self.refuse(code, pointer);
        }
    }

    fn action(&mut self, action: &Cbor, pointer: &str) {
        let kinds = ACTION_KINDS.iter().filter(|kind| action.get(kind.name).is_some()).count();
        if matches!(action, Cbor::Map(_)) && kinds != 1 {
            self.refuse("exactly-one", pointer); // before its members
        }
        self.map(action, &ACTION_KINDS, pointer);
    }
}

pub fn receipt_profile(also_algorithms: &[i64]) -> Profile<'_> {
    Profile { kid_bytes: Some(32), typ: Some(cose::TYP), also_algorithms, external_data: &[] }
}

/// Each field is good; whether they agree (RCP-19, LED-1, AUE-4 to AUE-15).
fn fields_conflict(kind: &str, map: &Cbor) -> bool {
    let seq = map.get("seq").and_then(Cbor::as_uint);
    let place = match kind {
        "genesis" => seq == Some(0),
        "install" | "release" | "record" => seq.is_some_and(|seq| seq > 0),
        "decision" => true,
        _ => return statement_audit::conflicts(kind, map), // no place in a chain
    };
    let prev_agrees = map.get("prev").is_some() == seq.is_some_and(|seq| seq > 0);
    !place || !prev_agrees || kind == "decision" && decision_conflicts(map)
}

fn decision_conflicts(map: &Cbor) -> bool {
    let has = |name| map.get(name).is_some();
    let Some(outcome) = map.get("decision") else { return true };
    let Some(Cbor::Array(actions)) = map.get("actions") else { return true };
    let effect = outcome.get("effect").and_then(Cbor::as_text);
    let rule = outcome.get("rule").is_some();
    let reason = outcome.get("reason").and_then(Cbor::as_text);
    let index = outcome.get("action").and_then(Cbor::as_uint);

    let one_of_rule_and_reason = rule != reason.is_some();
    let reason_denies = reason.is_none() || effect == Some("deny");
    let index_agrees = match index {
        Some(index) => (rule || reason == Some("no-rule")) && index < actions.len() as u64,
        None => !rule && reason != Some("no-rule"),
    };
    let not_decided = matches!(reason, Some("unmapped" | "not-canonical" | "fault"));
    let actions_agree = match actions.as_slice() {
        [] => not_decided,
        [action] if not_decided => action.get("tool").is_some(),
        _ => !not_decided,
    };
    let version_agrees = if has("policy_version") {
        reason != Some("no-policy")
    } else {
        !has("policy_digest") && !has("match_profile") && (not_decided || reason == Some("no-policy"))
    };
    !(one_of_rule_and_reason && reason_denies && index_agrees && actions_agree && version_agrees)
}

// --- What a statement says ------------------------------------------------------------------------------------------

impl Statement {
    pub fn text(&self, name: &str) -> Option<&str> {
        self.map.get(name).and_then(Cbor::as_text)
    }

    pub fn uint(&self, name: &str) -> Option<u64> {
        self.map.get(name).and_then(Cbor::as_uint)
    }

    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.map.get(name).and_then(Cbor::as_bytes)
    }

    pub fn is_false(&self, name: &str) -> bool {
        self.map.get(name) == Some(&Cbor::Bool(false))
    }

    pub fn engine_id(&self) -> &str {
        self.text("engine_id").unwrap_or("")
    }

    pub fn time(&self) -> u64 {
        self.uint("time").unwrap_or(0)
    }

    /// The place in a chain. The `seq` of a checkpoint is that of the entry it speaks of.
    pub fn seq(&self) -> Option<u64> {
        if role_of(self.kind) == "engine" { self.uint("seq") } else { None }
    }

    /// The recorded request of a decision.
    pub fn request(&self) -> Option<Request> {
        let Some(Cbor::Array(actions)) = self.map.get("actions") else { return None };
        let actions = actions.iter().map(action_of).collect::<Option<Vec<_>>>()?;
        Some(Request { agent: self.text("agent")?.to_string(), actions })
    }

    /// The recorded outcome of a decision.
    pub fn decision(&self) -> Option<Decision> {
        let outcome = self.map.get("decision")?;
        let text = |name| outcome.get(name).and_then(Cbor::as_text).map(str::to_string);
        Some(Decision {
            effect: text("effect")?,
            rule: text("rule"),
            action: outcome.get("action").and_then(Cbor::as_uint),
            reason: text("reason"),
        })
    }
}

fn action_of(action: &Cbor) -> Option<Action> {
    let Cbor::Map(entries) = action else { return None };
    let [(Cbor::Text(kind), body)] = entries.as_slice() else { return None };
    let text = |name| body.get(name).and_then(Cbor::as_text).map(str::to_string);
    Some(match kind.as_str() {
        "filesystem" => Action::Filesystem { path: text("path")?, method: text("method")? },
        "network" => {
            Action::Network { host: text("host")?, port: body.get("port")?.as_uint()?, method: text("method") }
        }
        "process" => {
            let Some(Cbor::Array(items)) = body.get("argv") else { return None };
            Action::Process {
                argv: items.iter().map(|item| item.as_text().map(str::to_string)).collect::<Option<_>>()?,
            }
        }
        "tool" => Action::Tool { server: text("server")?, name: text("name")? },
        _ => return None,
    })
}
