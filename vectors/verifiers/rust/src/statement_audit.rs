//! Audit evidence chapter: the statements of an audit, as tables, and what their fields agree on (AUE-4 to AUE-15, AUE-40 to AUE-43).

use crate::cbor::Cbor;
use crate::policy::EFFECTS;
use crate::statement_grammar::{ENGINE_ID, Field, Kind, STATEMENT, Shape, TIME, may, must};
use std::collections::HashSet;

// AUE-3
const SCENARIOS: usize = 1000;
const MODELS: usize = 64;
const CELLS: usize = 4000;
const CALLS: usize = 1000;
const HITS: usize = 200;
const REASONS: usize = 200;
const COUNTS: usize = 1000;
const NAMES: usize = 32;

const MILLIONTHS: Kind = Kind::Between(0, 1_000_000);
const ARM: Kind = Kind::Words(&["with_skill", "baseline"]);
const SEVERITY: Kind = Kind::Words(&["info", "low", "medium", "high", "critical"]);

const fn list(item: &'static Kind, least: usize, most: usize) -> Kind {
    Kind::List { item, least, most }
}

const NAME_LIST: Kind = list(&Kind::Name, 0, NAMES);

const SUBJECT: &[Field] = &[
    must("kind", Kind::Words(&["skill", "policy", "agent"])),
    must("name", Kind::Name),
    must("digest", Kind::Hash),
    may("source", Kind::Source),
    may("tree_hash", Kind::BareHash),
    may("files", Kind::Uint),
    may("hidden", Kind::Uint),
    may("scripts", Kind::Bool),
];

const SCENARIO: &[Field] = &[
    must("id", Kind::Name),
    must("kind", Kind::Words(&["benign", "adversarial", "control_good", "control_bad"])),
    must("digest", Kind::Hash),
];

const MODEL: &[Field] = &[
    must("id", Kind::Name),
    must("requested", Kind::Name),
    must("sampled", Kind::Bool),
    may("provider", Kind::Name),
    may("temperature", Kind::Uint),
    may("top_p", Kind::Uint),
    may("max_tokens", Kind::Uint),
    may("weights_digest", Kind::Hash),
];

const CELL: &[Field] = &[
    must("model", Kind::Uint),
    must("scenario", Kind::Uint),
    must("arm", ARM),
    must("epochs", Kind::Between(1, 10_000)),
];

const LIMITS: &[Field] = &[
    must("max_turns", Kind::Uint),
    must("max_calls", Kind::Uint),
    must("epoch_time_limit", Kind::Uint),
    must("retries", Kind::Uint),
];

const THRESHOLDS: &[Field] = &[
    must("alpha", MILLIONTHS),
    must("rate_alpha", MILLIONTHS),
    must("rate_difference", MILLIONTHS),
    must("max_invalid", MILLIONTHS),
];

const CALL: &[Field] = &[
    must("receipt", Kind::Hash),
    must("decision", Kind::Words(&EFFECTS)),
    must("parsed", Kind::Words(&["ok", "malformed", "truncated"])),
    must("answered", Kind::Bool),
    must("args_bytes", Kind::Uint),
    must("result_digest", Kind::Hash),
    may("args_digest", Kind::Hash),
    may("policy_digest", Kind::Hash),
];

const HIT: &[Field] = &[
    must("signal", Kind::Name),
    must("rule_version", Kind::Uint),
    must("severity", SEVERITY),
    must("locus", Kind::Name),
    must("excerpt_digest", Kind::Hash),
    may("call", Kind::Uint),
    may("message", Kind::Uint),
];

const HIT_LIST: Kind = list(&Kind::Map(HIT), 0, HITS);

const REASON: &[Field] = &[
    must("why", Kind::Name),
    may("signal", Kind::Name),
    may("severity", SEVERITY),
    may("model", Kind::Name),
    may("scenario", Kind::Name),
    may("locus", Kind::Name),
    may("epochs", Kind::Uint),
];

const COUNT: &[Field] = &[
    must("model", Kind::Name),
    must("signal", Kind::Name),
    must("hits", Kind::Uint),
    must("epochs", Kind::Uint),
    must("invalid", Kind::Uint),
    must("bound", MILLIONTHS),
    must("worst_case", MILLIONTHS),
    must("baseline_hits", Kind::Uint),
    must("baseline_epochs", Kind::Uint),
    must("scenarios_hit", Kind::Uint),
    must("scenarios", Kind::Uint),
    must("scenario_bound", MILLIONTHS),
    may("icc", MILLIONTHS),
    may("design_effect", Kind::Uint),
    may("effective_size", Kind::Uint),
];

const RATE: &[Field] = &[
    must("model", Kind::Name),
    must("scenario", Kind::Name),
    must("signal", Kind::Name),
    must("hits", Kind::Uint),
    must("epochs", Kind::Uint),
    must("baseline_hits", Kind::Uint),
    must("baseline_epochs", Kind::Uint),
    must("p", MILLIONTHS),
    must("failed", Kind::Bool),
];

pub const SHAPES: [Shape; 3] = [
    Shape {
        kind: "audit-plan",
        role: "harness",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("subject", Kind::Map(SUBJECT)),
            must("harness", Kind::Map(&[must("name", Kind::Name), must("version", Kind::Name)])),
            must("signals", Kind::Name),
            must("grade", Kind::Words(&["screening", "validation"])),
            must("policy_digest", Kind::Hash),
            must("mapping", Kind::Hash),
            must("scenarios", list(&Kind::Map(SCENARIO), 1, SCENARIOS)),
            must("models", list(&Kind::Map(MODEL), 1, MODELS)),
            must("cells", list(&Kind::Map(CELL), 1, CELLS)),
            must("limits", Kind::Map(LIMITS)),
            must("thresholds", Kind::Map(THRESHOLDS)),
            must("seed_commitment", Kind::Hash),
        ],
    },
    Shape {
        kind: "audit-epoch",
        role: "harness",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("plan", Kind::Hash),
            must("epoch", Kind::Uint),
            must("model", Kind::Uint),
            must("scenario", Kind::Name),
            must("variant", Kind::Uint),
            must("arm", ARM),
            must("seed", Kind::Between(0, (1 << 31) - 1)),
            must("started_at", Kind::Uint),
            must("ended_at", Kind::Uint),
            must("ending", Kind::Words(&["done", "turn-limit", "call-limit"])),
            may("failure", Kind::Name),
            must("turns", Kind::Uint),
            must("attempts", Kind::Uint),
            must("models_reported", NAME_LIST),
            must("fingerprints", NAME_LIST),
            must("finish_reasons", NAME_LIST),
            must("prompt_tokens", Kind::Uint),
            must("completion_tokens", Kind::Uint),
            must("calls", list(&Kind::Map(CALL), 0, CALLS)),
            must("outcome", Kind::Words(&["hit", "invalid", "clean"])),
            may("invalid", Kind::Name),
            must("hits", HIT_LIST),
            must("more_hits", Kind::Uint),
            must("seen", NAME_LIST),
            must("violated", NAME_LIST),
            must("transcript_digest", Kind::Hash),
            must("transcript_bytes", Kind::Uint),
            must("said_digest", Kind::Hash),
        ],
    },
    Shape {
        kind: "audit-report",
        role: "harness",
        fields: &[
            STATEMENT,
            ENGINE_ID,
            TIME,
            must("plan", Kind::Hash),
            must("seed", Kind::Bytes(32)), // AUE-16
            must("verdict", Kind::Words(&["pass", "fail", "inconclusive"])),
            must("reasons", list(&Kind::Map(REASON), 0, REASONS)),
            must("more_reasons", Kind::Uint),
            must("started", Kind::Uint),
            must("planned", Kind::Uint),
            may("first_epoch", Kind::Hash),
            may("last_epoch", Kind::Hash),
            must("static_hits", HIT_LIST),
            must("more_static_hits", Kind::Uint),
            must("counts", list(&Kind::Map(COUNT), 0, COUNTS)),
            must("rates", list(&Kind::Map(RATE), 0, COUNTS)),
            must("rate_tests", Kind::Uint),
            must("distinct_transcripts", Kind::Uint),
            must("transcripts_root", Kind::Hash),
            must("findings", Kind::Uint),
            must("not_claimed", NAME_LIST),
        ],
    },
];

// --- Agreements -----------------------------------------------------------------------------------------------------

/// Each field of a statement of an audit is good; whether they do not agree.
pub fn conflicts(kind: &str, map: &Cbor) -> bool {
    match kind {
        "audit-plan" => plan_conflicts(map),
        "audit-epoch" => epoch_conflicts(map),
        "audit-report" => report_conflicts(map),
        _ => false,
    }
}

fn plan_conflicts(map: &Cbor) -> bool {
    let [scenarios, models, cells] = ["scenarios", "models", "cells"].map(|name| items(map, name));
    let subject = map.get("subject");
    let is_skill = subject.is_some_and(|subject| text(subject, "kind") == Some("skill"));
    let of_skills = ["tree_hash", "files", "hidden", "scripts"];
    let agrees = |name: &&str| subject.is_some_and(|subject| subject.get(name).is_some()) == is_skill;
    let ids = |of: &[Cbor]| of.iter().map(|one| text(one, "id")).collect::<HashSet<_>>().len();
    let outside = |cell: &Cbor| {
        let is_outside = |name, of: &[Cbor]| number(cell, name) >= of.len() as u64;
        is_outside("model", models) || is_outside("scenario", scenarios)
    };
    let cell = |cell| (number(cell, "model"), number(cell, "scenario"), text(cell, "arm"));
    !of_skills.iter().all(agrees) // AUE-4
        || ids(scenarios) < scenarios.len() // AUE-5
        || ids(models) < models.len() // AUE-6
        || cells.iter().any(outside) // AUE-7
        || cells.iter().map(cell).collect::<HashSet<_>>().len() < cells.len() // AUE-8
}

fn epoch_conflicts(map: &Cbor) -> bool {
    let hits = items(map, "hits");
    let is_hit = hits.iter().any(|hit| text(hit, "severity") != Some("info"));
    let outcome = text(map, "outcome");
    is_hit != (outcome == Some("hit")) // AUE-9
        || !is_hit && map.get("invalid").is_some() != (outcome == Some("invalid")) // AUE-10
        || number(map, "more_hits") > 0 && hits.len() < HITS // AUE-11
        || hits.iter().any(|hit| hit.get("call").is_some() && number(hit, "call") >= items(map, "calls").len() as u64) // AUE-40
        || number(map, "ended_at") < number(map, "started_at") // AUE-41
}

fn report_conflicts(map: &Cbor) -> bool {
    let reasons = items(map, "reasons");
    let not_started = number(map, "started") == 0;
    (text(map, "verdict") == Some("pass")) != reasons.is_empty() // AUE-13
        || number(map, "more_reasons") > 0 && reasons.len() < REASONS // AUE-14
        || number(map, "more_static_hits") > 0 && items(map, "static_hits").len() < HITS
        || ["first_epoch", "last_epoch"].iter().any(|name| map.get(name).is_none() != not_started) // AUE-15
        || items(map, "counts").iter().chain(items(map, "rates")).any(more_than_all) // AUE-42
        || items(map, "counts").iter().any(half_clustered) // AUE-43
}

/// Of a count or a rate; what a rate does not have is none of none.
fn more_than_all(count: &Cbor) -> bool {
    let [hits, invalid, epochs] = ["hits", "invalid", "epochs"].map(|name| number(count, name));
    hits.saturating_add(invalid) > epochs
        || number(count, "baseline_hits") > number(count, "baseline_epochs")
        || number(count, "scenarios_hit") > number(count, "scenarios")
}

fn half_clustered(count: &Cbor) -> bool {
    let there = ["icc", "design_effect", "effective_size"].map(|name| count.get(name).is_some());
    there.contains(&true) && there.contains(&false)
}

fn items<'a>(map: &'a Cbor, name: &str) -> &'a [Cbor] {
    match map.get(name) {
        Some(Cbor::Array(items)) => items,
        _ => &[],
    }
}

fn text<'a>(map: &'a Cbor, name: &str) -> Option<&'a str> {
    map.get(name).and_then(Cbor::as_text)
}

fn number(map: &Cbor, name: &str) -> u64 {
    map.get(name).and_then(Cbor::as_uint).unwrap_or(0)
}
