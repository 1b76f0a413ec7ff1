//! Receipt chapter, receipt.cddl: the grammar of statements as tables; those of an audit are in `statement_audit`.

use crate::policy::{EFFECTS, FILE_METHODS};
use crate::statement_audit;

const REASONS: [&str; 5] = ["no-rule", "no-policy", "unmapped", "not-canonical", "fault"];

#[derive(Clone, Copy)]
pub enum Kind {
    Statement,
    Name,
    Uint,
    Between(i64, i64),
    Hash,
    BareHash, // without a prefix
    Bool,
    False,
    Bytes(usize),
    Recorded,
    Text,   // a path or a host: judged at re-decision
    Source, // a text as long as a name
    Argv,
    Words(&'static [&'static str]),
    HttpMethod,
    Actions,
    Map(&'static [Field]),
    List { item: &'static Kind, least: usize, most: usize },
}

pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
}

pub const fn must(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: true }
}

pub const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: false }
}

pub const STATEMENT: Field = must("statement", Kind::Statement);
pub const ENGINE_ID: Field = must("engine_id", Kind::Name);
pub const TIME: Field = must("time", Kind::Uint);
// What the seq and prev of a statement of an engine must be is for LED-1: `fields_conflict`.
const SEQ: Field = may("seq", Kind::Uint);
const PREV: Field = may("prev", Kind::Hash);

const OUTCOME: &[Field] = &[
    must("effect", Kind::Words(&EFFECTS)),
    may("rule", Kind::Name),
    may("action", Kind::Uint),
    may("reason", Kind::Words(&REASONS)),
];

pub const ACTION_KINDS: [Field; 4] = [
    may("filesystem", Kind::Map(&[must("path", Kind::Text), must("method", Kind::Words(&FILE_METHODS))])),
    may(
        "network",
        Kind::Map(&[must("host", Kind::Text), must("port", Kind::Between(1, 65535)), may("method", Kind::HttpMethod)]),
    ),
    may("process", Kind::Map(&[must("argv", Kind::Argv)])),
    may("tool", Kind::Map(TOOL)),
];

const TOOL: &[Field] = &[must("server", Kind::Name), must("name", Kind::Name)];

const REPRO: &[Field] = &[
    must("tool", Kind::Map(TOOL)),
    must("args_digest", Kind::Hash),
    must("expected_decision", Kind::Words(&EFFECTS)),
    must("actual_decision", Kind::Words(&EFFECTS)),
];

const X_FINDING: &[Field] = &[
    must("action", Kind::Words(&["reported"])),
    must("finding_id", Kind::Name),
    must("stable_id", Kind::Hash),
    must("harness", Kind::Name),
    must("test_id", Kind::Name),
    must("verdict", Kind::Words(&["confirmed", "refuted", "expected_pass"])),
    must("cited_receipt", Kind::Hash),
    must("repro", Kind::Map(REPRO)),
    must("detected_at", Kind::Uint),
    may("args_salt", Kind::Text),
    may("plan", Kind::Hash),
    may("note", Kind::Name),
];

/// A statement, the role that may make it (LED-3), and its fields.
pub struct Shape {
    pub kind: &'static str,
    pub role: &'static str,
    pub fields: &'static [Field],
}

/// The closed list, with the three of an audit.
const SHAPES: [Shape; 9] = [
    Shape {
        kind: "decision",
        role: "engine",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            SEQ,
            PREV,
            must("agent", Kind::Name),
            must("actions", Kind::Actions),
            must("decision", Kind::Map(OUTCOME)),
            may("policy_version", Kind::Uint),
            may("policy_digest", Kind::Hash),
            may("match_profile", Kind::Name),
            may("args_digest", Kind::Hash),
            may("call_id", Kind::Name),
            may("mapping", Kind::Hash),
            may("enforced", Kind::False),
        ],
    },
    Shape {
        kind: "genesis",
        role: "engine",
        fields: &[STATEMENT, ENGINE_ID, TIME, SEQ, PREV, must("ledger_id", Kind::Bytes(16))],
    },
    Shape {
        kind: "install",
        role: "engine",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            SEQ,
            PREV,
            must("policy_version", Kind::Uint),
            may("policy_digest", Kind::Hash),
            may("match_profile", Kind::Name),
            may("replaces", Kind::Hash),
            may("authorization", Kind::Hash),
        ],
    },
    Shape {
        kind: "release",
        role: "engine",
        fields: &[STATEMENT, ENGINE_ID, TIME, SEQ, PREV, must("ask", Kind::Hash), must("approval", Kind::Hash)],
    },
    Shape {
        kind: "record",
        role: "engine",
        fields: &[STATEMENT, ENGINE_ID, TIME, SEQ, PREV, must("recorded", Kind::Recorded)],
    },
    Shape {
        kind: "authorization",
        role: "installer",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("policy_version", Kind::Uint),
            must("policy_digest", Kind::Hash),
            may("replaces", Kind::Hash),
        ],
    },
    Shape {
        kind: "approval",
        role: "approver",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("ask", Kind::Hash),
            must("args_digest", Kind::Hash),
            must("approved", Kind::Bool),
            must("expires", Kind::Uint),
            must("approver", Kind::Name),
        ],
    },
    Shape {
        kind: "finding",
        role: "harness",
        fields: &[STATEMENT, ENGINE_ID, TIME, must("x_finding", Kind::Map(X_FINDING))],
    },
    Shape {
        kind: "checkpoint",
        role: "auditor",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("ledger_id", Kind::Bytes(16)),
            must("seq", Kind::Uint),
            must("receipt_hash", Kind::Hash),
        ],
    },
];

pub fn shape_of(kind: &str) -> Option<&'static Shape> {
    SHAPES.iter().chain(&statement_audit::SHAPES).find(|shape| shape.kind == kind)
}

pub fn role_of(kind: &str) -> &'static str {
    shape_of(kind).map_or("", |shape| shape.role)
}
