//! Finding chapter: the receipts of a harness (FND-22 to FND-28), and the ids (FND-6 to FND-10).

use crate::bytes::{hash_text, hex, is_hash, sha256};
use crate::canonical_json;
use crate::cbor::Cbor;
use crate::digest::field;
use crate::json::Node;
use crate::statement::Statement;
use std::collections::{BTreeSet, HashMap};

/// Raw arguments of calls, by the hash of the receipt about each.
pub type Arguments = HashMap<String, Node>;

fn fields(texts: &[&str]) -> Vec<u8> {
    let mut out = vec![];
    for text in texts {
        field(&mut out, text);
    }
    out
}

pub fn finding_id(harness: &str, test: &str, cited: &str) -> String {
    format!("finding_{}", hex(&sha256(&fields(&[harness, test, cited]))[..8]))
}

pub fn stable_id(harness: &str, test: &str, args: &str, policy: Option<&str>) -> String {
    hash_text(&fields(&[harness, test, args, policy.unwrap_or("")]))
}

pub fn occurrence_of(kind: &str, content: &str, key: &str) -> String {
    let hash = hash_text(&fields(&["ruleprint/occurrence/1", kind, key, content]));
    format!("{kind}@{}", hash.trim_start_matches("sha256:"))
}

/// FND-10: a kind and a hash; a number would move.
fn is_occurrence(text: &str) -> bool {
    let Some((kind, digits)) = text.split_once('@') else { return false };
    let letters =
        |kind: &str| kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let starts = kind.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    starts && kind.len() <= 64 && letters(kind) && is_hash(&format!("sha256:{digits}"))
}

/// What the id of a finding of the model hashes, or the code with which it has none. `None` where the finding is no finding.
pub fn preimage(finding: &Node, occurrence: Option<&str>) -> Option<Result<Vec<u8>, &'static str>> {
    let text = |node: &Node, name: &str| node.get(name).and_then(Node::as_text).map(str::to_string);
    let rule = text(finding, "rule_id")?;
    let mut out = fields(&["ruleprint/finding-id/1"]);
    if let Some(path) = finding.get("capability_path") {
        if occurrence.is_some() {
            return Some(Err("field-conflict"));
        }
        let agent = text(finding, "affected_agent")?;
        let target = [text(path, "agent_id")?, text(path, "target_id")?, text(path, "target_type")?];
        out.extend(fields(&["scope:agent", &rule, &agent, &target[0], &target[1], &target[2]]));
        let hops = path.get("hops")?.items()?; // FND-8
        out.extend((hops.len() as u32).to_be_bytes());
        for hop in hops {
            field(&mut out, &text(hop, "edge_id")?);
        }
        return Some(Ok(out));
    }
    if occurrence.is_some_and(|occurrence| !is_occurrence(occurrence)) {
        return Some(Err("bad-value"));
    }
    // FND-9: each once, by their bytes, which is the order of `str`
    let paths: BTreeSet<String> =
        finding.get("evidence")?.items()?.iter().filter_map(|one| text(one, "path")).collect();
    out.extend(fields(&["scope:repository", &rule]));
    out.extend((paths.len() as u32).to_be_bytes());
    for path in &paths {
        field(&mut out, path);
    }
    match occurrence {
        None => field(&mut out, "occurrence:none"),
        Some(label) => out.extend(fields(&["occurrence:label", label])),
    }
    Some(Ok(out))
}

/// What the findings of one chain have cited and claimed so far.
#[derive(Default)]
pub struct Claims<'a> {
    cited: HashMap<String, &'a Statement>,
    /// By the id that follows from them.
    inputs: HashMap<String, [String; 3]>,
    /// Of harness and test, as their first finding says.
    expectations: HashMap<[String; 2], String>,
}

/// A member of the block, which the grammar has seen to.
fn said<'c>(block: &'c Cbor, name: &str) -> &'c str {
    block.get(name).and_then(Cbor::as_text).unwrap_or("")
}

impl<'a> Claims<'a> {
    pub fn remember(&mut self, hash: &str, statement: &'a Statement) {
        self.cited.entry(hash.to_string()).or_insert(statement);
    }

    pub fn problems(&mut self, statement: &Statement, arguments: &Arguments) -> Vec<&'static str> {
        let (Some(block), Some(repro)) =
            (statement.map.get("x_finding"), statement.map.get("x_finding").and_then(|block| block.get("repro")))
        else {
            return vec![];
        };
        let mut problems = self.id_problems(block);
        problems.extend(self.cited_problems(block, repro, arguments));
        problems.extend(self.verdict_problems(block, repro));
        problems.extend(self.plan_problem(block));
        problems
    }

    /// FND-26. An id that does not follow takes nothing from the finding that has it rightly.
    fn id_problems(&mut self, block: &Cbor) -> Vec<&'static str> {
        let mut problems = vec![];
        let inputs = ["harness", "test_id", "cited_receipt"].map(|name| said(block, name).to_string());
        let own = finding_id(&inputs[0], &inputs[1], &inputs[2]);
        let id = said(block, "finding_id");
        if id != own {
            problems.push("finding-id-differs");
        }
        if self.inputs.get(id).is_some_and(|other| *other != inputs) {
            problems.push("finding-id-again");
        }
        if id == own {
            self.inputs.entry(own).or_insert(inputs);
        }
        problems
    }

    /// FND-24, FND-25
    fn cited_problems(&self, block: &Cbor, repro: &Cbor, arguments: &Arguments) -> Vec<&'static str> {
        let hash = said(block, "cited_receipt");
        let Some(cited) = self.cited.get(hash) else { return vec!["cited-missing"] };
        if cited.kind != "decision" {
            return vec!["cited-not-decision"];
        }
        let mut problems = vec![];
        let effect = cited.decision().map(|decision| decision.effect);
        if effect.as_deref() != Some(said(repro, "actual_decision")) {
            problems.push("cited-misreported");
        }
        let actions = match cited.map.get("actions") {
            Some(Cbor::Array(actions)) => actions.as_slice(),
            _ => &[],
        };
        let tool = actions.iter().find_map(|action| action.get("tool"));
        let same = |name| tool.zip(repro.get("tool")).is_some_and(|(a, b)| said(a, name) == said(b, name));
        if !(same("server") && same("name")) {
            problems.push("repro-tool-differs");
        }
        let digest = said(repro, "args_digest");
        match cited.text("args_digest") {
            None => problems.push("cited-args-missing"),
            Some(own) if own != digest => problems.push("repro-args-differ"),
            Some(_) => {}
        }
        if let Some(raw) = arguments.get(hash) {
            let derived =
                canonical_json::form(raw).map(|form| canonical_json::args_digest(&form, said(block, "args_salt")));
            if derived.as_deref() != Ok(digest) {
                problems.push("args-not-derived");
            }
        }
        let stable = stable_id(said(block, "harness"), said(block, "test_id"), digest, cited.text("policy_digest"));
        if said(block, "stable_id") != stable {
            problems.push("stable-id-differs");
        }
        problems
    }

    /// FND-27
    fn verdict_problems(&mut self, block: &Cbor, repro: &Cbor) -> Vec<&'static str> {
        let mut problems = vec![];
        let (expected, actual) = (said(repro, "expected_decision"), said(repro, "actual_decision"));
        let follows = match (expected == actual, expected) {
            (false, _) => "confirmed",
            (true, "allow") => "expected_pass",
            (true, _) => "refuted",
        };
        if said(block, "verdict") != follows {
            problems.push("verdict-differs");
        }
        let test = [said(block, "harness").to_string(), said(block, "test_id").to_string()];
        if self.expectations.entry(test).or_insert_with(|| expected.to_string()) != expected {
            problems.push("expectation-differs");
        }
        problems
    }
    /// FND-28
    fn plan_problem(&self, block: &Cbor) -> Option<&'static str> {
        let hash = block.get("plan").and_then(Cbor::as_text)?;
        let harness = match self.cited.get(hash) {
            Some(plan) if plan.kind == "audit-plan" => plan.map.get("harness"),
            _ => return Some("finding-plan-missing"),
        };
        let is_own = harness.is_some_and(|harness| said(harness, "name") == said(block, "harness"));
        if is_own { None } else { Some("finding-plan-harness") }
    }
}
