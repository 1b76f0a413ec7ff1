//! Digest chapter: the preimage of the rules, byte by byte.

use crate::bytes::hash_text;
use crate::policy::{AnyOr, Pattern, Policy, Rule, argv_texts};

const POLICY_TAG: &str = "ruleprint/policy-digest/1"; // DIG-5: tags are written out
const RULE_TAG: &str = "ruleprint/rule-digest/1";

pub fn policy_preimage(policy: &Policy) -> Vec<u8> {
    let mut out = vec![];
    field(&mut out, POLICY_TAG);
    u32be(&mut out, policy.rules.len() as u64); // DIG-4: no version
    for rule in &policy.rules {
        add_rule(&mut out, rule); // DIG-1: in the order of the policy
    }
    out
}

pub fn policy_digest(policy: &Policy) -> String {
    hash_text(&policy_preimage(policy))
}

pub fn rule_preimage(rule: &Rule) -> Vec<u8> {
    let mut out = vec![];
    field(&mut out, RULE_TAG);
    add_rule(&mut out, rule);
    out
}

fn u32be(out: &mut Vec<u8>, number: u64) {
    out.extend((number as u32).to_be_bytes());
}

/// DIG-6, DIG-7: the length in bytes, and the text as it stands.
pub fn field(out: &mut Vec<u8>, text: &str) {
    u32be(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// DIG-2: sorted by UTF-8 bytes, which is the order of Rust's `str`.
fn set(out: &mut Vec<u8>, kind: &str, items: &AnyOr<Vec<String>>) {
    match items {
        AnyOr::Any => field(out, &format!("{kind}:any")),
        AnyOr::Some(items) => {
            let mut sorted: Vec<&String> = items.iter().collect();
            sorted.sort();
            field(out, &format!("{kind}:one_of"));
            u32be(out, sorted.len() as u64);
            sorted.iter().for_each(|item| field(out, item));
        }
    }
}

fn add_rule(out: &mut Vec<u8>, rule: &Rule) {
    field(out, &rule.name);
    field(out, rule.effect);
    set(out, "agents", &rule.agents);
    match &rule.action {
        Pattern::Filesystem { path, methods } => {
            field(out, "action:filesystem");
            field(out, &path.text);
            set(out, "methods", methods);
        }
        Pattern::Network { host, ports, methods } => {
            field(out, "action:network");
            field(out, &host.text);
            match ports {
                AnyOr::Any => field(out, "ports:any"),
                AnyOr::Some((from, to)) => {
                    field(out, "ports:range");
                    u32be(out, *from); // DIG-3: as written
                    u32be(out, *to);
                }
            }
            set(out, "methods", methods);
        }
        Pattern::Process { items, rest } => {
            let argv = argv_texts(items, *rest);
            field(out, "action:process");
            u32be(out, argv.len() as u64);
            argv.iter().for_each(|item| field(out, item));
        }
        Pattern::Tool { server, name } => {
            field(out, "action:tool");
            field(out, &server.text);
            field(out, &name.text);
        }
    }
}
