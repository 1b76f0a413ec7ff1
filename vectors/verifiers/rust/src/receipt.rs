//! Receipt chapter, verifier steps 9 to 12 (RCP-20 to RCP-23) and "The answer" (RCP-24).

use crate::cbor;
use crate::cose::{self, Message};
use crate::decision::{decide, first_not_canonical, over_all_strings};
use crate::digest::policy_digest;
use crate::matching::PROFILE;
use crate::policy::Policy;
use crate::statement::{self, Statement, Wrong, receipt_profile};
use crate::statement_grammar::role_of;
use crate::trust::{TrustStore, TrustedKey};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    Bytes,
    Signature,
    KeyTrust,
    Order,
    Completeness,
    Timeline,
    Rules,
    ReDecision,
    Approvals,
    Findings,
    Mapping,
}

pub const AXES: [(Axis, &str); 11] = [
    (Axis::Bytes, "bytes"),
    (Axis::Signature, "signature"),
    (Axis::KeyTrust, "key-trust"),
    (Axis::Order, "order"),
    (Axis::Completeness, "completeness"),
    (Axis::Timeline, "timeline"),
    (Axis::Rules, "rules"),
    (Axis::ReDecision, "re-decision"),
    (Axis::Approvals, "approvals"),
    (Axis::Findings, "findings"),
    (Axis::Mapping, "mapping"),
];

impl Axis {
    pub fn name(self) -> &'static str {
        AXES.iter().find(|(axis, _)| *axis == self).map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Axis> {
        AXES.iter().find(|(_, known)| *known == name).map(|(axis, _)| *axis)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pass,
    NotChecked,
    Fail,
    Note, // of a problem alone: reported, and fails nothing
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::NotChecked => "not-checked",
            Status::Fail => "fail",
            Status::Note => "note",
        }
    }

    /// An axis fails if it fails for one, is else not checked if it is not checked for one, else passes.
    fn and(self, other: Status) -> Status {
        match (self, other) {
            (Status::Fail, _) | (_, Status::Fail) => Status::Fail,
            (Status::NotChecked, _) | (_, Status::NotChecked) => Status::NotChecked,
            _ => Status::Pass,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub axis: Axis,
    pub code: &'static str,
    pub status: Status,
    pub receipt: Option<usize>,
    pub offset: Option<usize>,
    pub pointer: Option<String>,
    pub engine: Option<String>,
    pub seq: Option<u64>,
}

impl Problem {
    pub fn new(axis: Axis, code: &'static str, status: Status) -> Problem {
        Problem { axis, code, status, receipt: None, offset: None, pointer: None, engine: None, seq: None }
    }
}

/// What a step says: the status of its axis, and a code where it is a problem.
pub type Judged = (Status, Option<&'static str>);

const PROBLEMS: usize = 10_000;

/// One line for each axis, and every problem. There is no bare "valid".
#[derive(Debug)]
pub struct Report {
    answers: BTreeMap<Axis, Status>,
    pub problems: Vec<Problem>,
    pub asked: Vec<Axis>,
}

impl Report {
    pub fn new(asked: Vec<Axis>) -> Report {
        Report { answers: BTreeMap::new(), problems: vec![], asked }
    }

    pub fn answer(&mut self, axis: Axis, status: Status) {
        let before = self.answers.get(&axis).copied().unwrap_or(Status::Pass);
        self.answers.insert(axis, before.and(status));
    }

    /// An axis that is judged for each receipt passes until one says otherwise.
    pub fn begin(&mut self, axes: &[Axis]) {
        axes.iter().for_each(|axis| self.answer(*axis, Status::Pass));
    }

    pub fn not_checked(&mut self, axes: &[Axis]) {
        axes.iter().for_each(|axis| self.answer(*axis, Status::NotChecked));
    }

    /// The answer of one axis for one receipt, and its problem where it has a code. `blank` has the place.
    pub fn judged(&mut self, axis: Axis, (status, code): Judged, blank: &Problem) {
        if status != Status::Note {
            self.answer(axis, status);
        }
        if let Some(code) = code {
            self.list(Problem { axis, code, status, ..blank.clone() });
        }
    }

    /// RCP-24: of many receipts 10,000 problems at the most.
    pub fn list(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// What nobody answered is not checked.
    pub fn axis(&self, axis: Axis) -> Status {
        self.answers.get(&axis).copied().unwrap_or(Status::NotChecked)
    }

    /// Good only when nothing failed and all that was asked passed.
    pub fn ok(&self) -> bool {
        let failed = AXES.iter().any(|(axis, _)| self.axis(*axis) == Status::Fail);
        !failed && self.asked.iter().all(|axis| self.axis(*axis) == Status::Pass)
    }
}

// --- Steps 1 to 8 ---------------------------------------------------------------------------------------------------

/// A receipt as far as it could be read. A record whose content is wrong has a statement all the same (LED-2).
#[derive(Clone, Debug)]
pub struct Entry {
    pub message: Option<Message>,
    pub statement: Option<Statement>,
    pub wrong: Vec<Wrong>,
}

pub fn read_entry(bytes: &[u8], base: usize, also_algorithms: &[i64]) -> Entry {
    let message = match cose::read(bytes, base, &receipt_profile(also_algorithms)) {
        Ok(message) => message,
        Err(refused) => return Entry { message: None, statement: None, wrong: vec![refused.into()] },
    };
    let (statement, wrong) = statement::read(&message, also_algorithms);
    Entry { message: Some(message), statement, wrong }
}

/// A CBOR sequence (RFC 8742). A receipt whose end cannot be found ends the reading.
pub fn read_sequence(bytes: &[u8], also_algorithms: &[i64]) -> Vec<Entry> {
    let mut entries = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let end = cbor::end_of_item(&bytes[at..]).map(|length| at + length);
        let mut entry = read_entry(&bytes[at..end.unwrap_or(bytes.len())], at, also_algorithms);
        if end.is_none() {
            entry.wrong.push(Wrong { code: "sequence-broken", offset: Some(at), pointer: None });
        }
        entries.push(entry);
        at = end.unwrap_or(bytes.len());
    }
    entries
}

// --- Steps 9 and 10 -------------------------------------------------------------------------------------------------

/// Step 9, RCP-20: the key of this kid and whether the signature is its own. No key: `None`.
pub fn check_signature<'a>(message: &Message, trust: &'a TrustStore) -> Option<(&'a TrustedKey, Judged)> {
    let key = trust.find(&message.kid)?;
    let judged = if cose::fits(message.alg, &key.key) {
        key.key.verify(&message.sig_structure, &message.signature)
    } else {
        Err("cose-alg-key")
    };
    Some((key, judged.map_or_else(|code| (Status::Fail, Some(code)), |()| (Status::Pass, None))))
}

/// What key trust is judged at: the effective time (the own one of a standalone receipt), the place in the chain of a ledger
/// (a standalone receipt has none, whatever its `seq` says), and whether a good checkpoint by another key stands above it
/// (LED-12).
#[derive(Clone, Copy)]
pub struct Moment {
    pub effective: u64,
    pub seq: Option<u64>,
    pub pinned: bool,
}

/// Step 10, RCP-21: everything that is wrong with the key, in the order of the step.
pub fn check_key(key: &TrustedKey, statement: &Statement, moment: Moment) -> Vec<(&'static str, Status)> {
    let mut problems = vec![];
    let mut refuse = |wrong: bool, code| {
        if wrong {
            problems.push((code, Status::Fail));
        }
    };
    let time = moment.effective;
    refuse(key.role != role_of(statement.kind), "key-role"); // LED-3
    refuse(!key.engine_ids.iter().any(|id| id == statement.engine_id()), "key-engine");
    // RCP-10: windows are half-open
    refuse(key.valid_from.is_some_and(|from| time < from), "key-not-yet-valid");
    refuse(key.valid_until.is_some_and(|until| time >= until), "key-expired");
    refuse(key.revoked_at.is_some_and(|at| time >= at), "key-revoked");
    if problems.is_empty() && key.revoked_at.is_some() {
        let from_seq = key.revoked_from_seq.get(statement.engine_id());
        let below = matches!((moment.seq, from_seq), (Some(seq), Some(from)) if seq < *from);
        if !below && !moment.pinned {
            problems.push(("key-revoked-later", Status::NotChecked));
        }
    }
    problems
}

pub fn worst(problems: &[(&'static str, Status)]) -> Status {
    problems.iter().fold(Status::Pass, |status, (_, next)| status.and(*next))
}

// --- Steps 11 and 12 ------------------------------------------------------------------------------------------------

/// Policies at hand, by their digest.
pub fn by_digest(policies: &[Policy]) -> BTreeMap<String, &Policy> {
    policies.iter().map(|policy| (policy_digest(policy), policy)).collect()
}

fn reason_of(statement: &Statement) -> Option<String> {
    statement.decision().and_then(|decision| decision.reason)
}

/// Step 11, RCP-22. Other statements than decisions have no rules to name.
pub fn check_rules(statement: &Statement, policies: &BTreeMap<String, &Policy>) -> Judged {
    if statement.kind != "decision" {
        return (Status::Pass, None);
    }
    if reason_of(statement).as_deref() == Some("no-policy") {
        return (Status::NotChecked, None);
    }
    match statement.text("policy_digest") {
        None => (Status::NotChecked, Some("digest-absent")),
        Some(digest) if policies.contains_key(digest) => (Status::Pass, None),
        Some(_) => (Status::NotChecked, Some("policy-missing")),
    }
}

/// Step 12, RCP-23: the answer, and the pointer of the first action that is not canonical.
pub fn check_re_decision(statement: &Statement, policies: &BTreeMap<String, &Policy>) -> (Judged, Option<String>) {
    let answer = |status, code| ((status, code), None);
    let (Some(request), Some(recorded)) = (statement.request(), statement.decision()) else {
        return answer(Status::Pass, None); // no decision
    };
    let reason = recorded.reason.as_deref();
    if matches!(reason, Some("unmapped" | "not-canonical" | "fault")) {
        return answer(Status::Pass, None); // cannot be made again
    }
    let policy = statement.text("policy_digest").and_then(|digest| policies.get(digest));
    if reason != Some("no-policy") {
        if policy.is_none() {
            return answer(Status::NotChecked, None);
        }
        if statement.text("match_profile") != Some(PROFILE) {
            return answer(Status::NotChecked, Some("profile-unknown"));
        }
    }
    if let Some(index) = first_not_canonical(&request) {
        return ((Status::Fail, Some("action-not-canonical")), Some(format!("/actions/{index}")));
    }
    if over_all_strings(&request) {
        return answer(Status::Fail, Some("action-not-canonical")); // DEC-4: no engine would have decided it
    }
    // DEC-5: `no-policy` follows from no policy
    if decide(policy.copied(), &request) == recorded {
        answer(Status::Pass, None)
    } else {
        answer(Status::Fail, Some("decision-differs"))
    }
}

// --- Standalone receipts --------------------------------------------------------------------------------------------

/// What a caller gives beside the receipts.
pub struct Given<'a> {
    pub trust: &'a TrustStore,
    pub policies: Option<&'a [Policy]>,
    pub require: &'a [Axis],
    pub also_algorithms: &'a [i64],
}

impl Given<'_> {
    /// Asked by default; policies add two; a caller may require any.
    pub fn asked(&self) -> Vec<Axis> {
        let mut asked = vec![Axis::Bytes, Axis::Signature, Axis::KeyTrust];
        if self.policies.is_some() {
            asked.extend([Axis::Rules, Axis::ReDecision]);
        }
        asked.extend(self.require);
        asked
    }
}

pub fn verify_receipt(bytes: &[u8], given: &Given) -> Report {
    verify_standalone(&[read_entry(bytes, 0, given.also_algorithms)], false, given)
}

pub fn verify_file(bytes: &[u8], given: &Given) -> Report {
    verify_standalone(&read_sequence(bytes, given.also_algorithms), true, given)
}

/// Order, completeness, timeline and approvals of standalone receipts are not checked: standalone.
fn verify_standalone(entries: &[Entry], numbered: bool, given: &Given) -> Report {
    let mut report = Report::new(given.asked());
    report.begin(&[Axis::Bytes, Axis::Signature, Axis::KeyTrust]);
    let policies = given.policies.map(by_digest);
    if policies.is_some() {
        report.begin(&[Axis::Rules, Axis::ReDecision]);
    }
    for (index, entry) in entries.iter().enumerate() {
        let blank = Problem { receipt: numbered.then_some(index), ..Problem::new(Axis::Bytes, "", Status::Fail) };
        judge_bytes(entry, &blank, &mut report);
        let trusted = judge_origin(entry, &blank, given.trust, &mut report);
        match (&policies, &entry.statement) {
            (Some(policies), Some(statement)) if trusted => {
                judge_decision(statement, policies, check_rules(statement, policies), &blank, &mut report);
            }
            _ => report.not_checked(&[Axis::Rules, Axis::ReDecision]),
        }
    }
    report
}

/// Steps 11 and 12.
pub fn judge_decision(
    statement: &Statement,
    policies: &BTreeMap<String, &Policy>,
    rules: Judged,
    blank: &Problem,
    report: &mut Report,
) {
    report.judged(Axis::Rules, rules, blank);
    let (re_decision, pointer) = check_re_decision(statement, policies);
    report.judged(Axis::ReDecision, re_decision, &Problem { pointer, ..blank.clone() });
}

/// Steps 1 to 8. `blank` has the place of the receipt.
pub fn judge_bytes(entry: &Entry, blank: &Problem, report: &mut Report) {
    report.answer(Axis::Bytes, if entry.wrong.is_empty() { Status::Pass } else { Status::Fail });
    for Wrong { code, offset, pointer } in entry.wrong.clone() {
        report.list(Problem { code, offset, pointer, ..blank.clone() });
    }
}

/// Steps 9 and 10 of a standalone receipt. Whether rules and re-decision, which rest on both, may be judged.
fn judge_origin(entry: &Entry, blank: &Problem, trust: &TrustStore, report: &mut Report) -> bool {
    let Some(message) = &entry.message else {
        report.not_checked(&[Axis::Signature, Axis::KeyTrust]);
        return false;
    };
    let recorded = entry.statement.as_ref().and_then(|statement| statement.recorded.as_deref());
    let mut keys = vec![];
    for message in std::iter::once(message).chain(recorded.map(|recorded| &recorded.message)) {
        let Some((key, signature)) = check_signature(message, trust) else {
            report.not_checked(&[Axis::Signature]);
            report.judged(Axis::KeyTrust, (Status::Fail, Some("key-unknown")), blank);
            continue;
        };
        report.judged(Axis::Signature, signature, blank);
        if signature.0 == Status::Pass {
            keys.push(key);
        }
    }
    let signed = keys.len() == 1 + usize::from(recorded.is_some()) && entry.wrong.is_empty();
    let Some(statement) = entry.statement.as_ref().filter(|_| signed) else {
        report.not_checked(&[Axis::KeyTrust]);
        return false;
    };
    // LED-2: what is recorded is judged at the time of the record
    let statements = std::iter::once(statement).chain(recorded.map(|recorded| &recorded.statement));
    let mut trusted = true;
    for (key, said) in keys.into_iter().zip(statements) {
        let problems = check_key(key, said, Moment { effective: statement.time(), seq: None, pinned: false });
        for (code, status) in &problems {
            report.judged(Axis::KeyTrust, (*status, Some(code)), blank);
        }
        trusted &= worst(&problems) != Status::Fail;
    }
    trusted
}
