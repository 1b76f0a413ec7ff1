//! Ledger chapter, "Verifier" (LED-11 to LED-16). Entries are read once and kept; then each axis walks over them.

use crate::finding::{Arguments, Claims};
use crate::policy::Policy;
use crate::receipt::{
    Axis, Entry, Given, Judged, Moment, Problem, Report, Status, by_digest, check_key, check_rules, check_signature,
    judge_bytes, judge_decision, read_entry, read_sequence, worst,
};
use crate::statement::{Receipt, Statement};
use crate::trust::{TrustStore, TrustedKey};
use std::collections::{BTreeMap, HashMap, HashSet};

pub struct Ledger<'a> {
    pub segments: &'a [Vec<u8>],
    /// A folder, or a file of receipts, in which entries without `seq` are standalone.
    pub folder: bool,
    /// `seq` and `hash` of durable.json
    pub durable: Option<(u64, String)>,
    pub checkpoints: &'a [Vec<u8>],
    pub expect_engines: &'a [String],
    pub arguments: &'a Arguments,
}

/// A receipt, the entry itself or what it records, with its key and what was found out about both.
struct Signed<'a> {
    statement: &'a Statement,
    kid: &'a [u8],
    hash: String,
    key: Option<&'a TrustedKey>,
    signature: Status,
    key_trust: Status,
}

impl<'a> Signed<'a> {
    fn new(statement: &'a Statement, message: &'a crate::cose::Message, trust: &'a TrustStore) -> (Signed<'a>, Judged) {
        let found = check_signature(message, trust);
        let (key, judged) = found.map_or((None, (Status::NotChecked, None)), |(key, judged)| (Some(key), judged));
        let key_trust = if key.is_some() { Status::NotChecked } else { Status::Fail };
        let signature = judged.0;
        (Signed { statement, kid: &message.kid, hash: message.hash(), key, signature, key_trust }, judged)
    }

    /// Whether it can be cited: its signature passed, its key did not fail.
    fn citable(&self) -> bool {
        self.signature == Status::Pass && self.key_trust != Status::Fail
    }
}

/// An entry whose statement can be read, with what the walks find out about it.
struct Place<'a> {
    own: Signed<'a>,
    recorded: Option<Signed<'a>>,
    bytes: Status,
    order: Status,
    timeline: Status,
    effective: u64,
    blank: Problem,
}

impl Place<'_> {
    fn engine(&self) -> &str {
        self.own.statement.engine_id()
    }

    fn seq(&self) -> Option<u64> {
        self.own.statement.seq()
    }

    /// *bytes* and *signature*, of the entry and of what it records, on which all other axes rest.
    fn stands(&self) -> bool {
        let recorded = self.recorded.as_ref().is_none_or(|recorded| recorded.signature == Status::Pass);
        self.bytes == Status::Pass && self.own.signature == Status::Pass && recorded
    }

    fn key_trust_failed(&self) -> bool {
        let failed = |signed: &Signed| signed.key_trust == Status::Fail;
        failed(&self.own) || self.recorded.as_ref().is_some_and(failed)
    }
}

/// What the walk of *order* keeps for an engine id.
#[derive(Default)]
struct Chain {
    ledger_id: Option<Vec<u8>>,
    last: Option<(u64, String)>,
    highest_seq: u64,
    highest_time: u64,
    hashes: HashMap<u64, Vec<String>>,
}

type Chains = BTreeMap<String, Chain>;

/// A checkpoint that is good: it pins what is at or below it.
struct Good {
    engine: String,
    seq: u64,
    time: u64,
    kid: Vec<u8>,
}

pub fn verify_ledger(ledger: &Ledger, given: &Given) -> Report {
    let entries: Vec<Entry> =
        ledger.segments.iter().flat_map(|segment| read_sequence(segment, given.also_algorithms)).collect();
    let outside: Vec<Entry> =
        ledger.checkpoints.iter().map(|bytes| read_entry(bytes, 0, given.also_algorithms)).collect();
    let mut asked = given.asked();
    if ledger.folder {
        asked.push(Axis::Order);
        if given.policies.is_some() {
            asked.push(Axis::Timeline);
        }
    }
    if !outside.is_empty() {
        asked.push(Axis::Completeness);
    }

    // An axis that can be judged is judged, asked or not.
    let mut judged = vec![Axis::Bytes, Axis::Signature, Axis::KeyTrust, Axis::Order, Axis::Timeline];
    if given.policies.is_some() {
        judged.extend([Axis::Rules, Axis::ReDecision]);
    }
    judged.push(Axis::Approvals);
    let mut report = Report::new(asked);
    if !entries.is_empty() {
        report.begin(&judged); // RCP-24: where there is no receipt at all, nothing is checked
    }

    let mut places = read_places(&entries, given.trust, &judged, &mut report);
    let chains = walk_order(&mut places, ledger, &mut report);
    let good = walk_checkpoints(&places, &outside, &chains, ledger, given.trust, &mut report);
    walk_key_trust(&mut places, &good, &mut report);
    walk_statements(&mut places, given, &mut report);
    walk_findings(&places, ledger.arguments, &mut report);
    report
}

/// *bytes* and *signature*. An entry that cannot be read leaves every other axis open.
fn read_places<'a>(
    entries: &'a [Entry],
    trust: &'a TrustStore,
    judged: &[Axis],
    report: &mut Report,
) -> Vec<Place<'a>> {
    let mut places = vec![];
    let behind: Vec<Axis> = judged.iter().copied().filter(|axis| *axis > Axis::Signature).collect();
    for (index, entry) in entries.iter().enumerate() {
        let statement = entry.statement.as_ref();
        let blank = Problem {
            receipt: Some(index),
            engine: statement.map(|statement| statement.engine_id().to_string()),
            seq: statement.and_then(Statement::seq),
            ..Problem::new(Axis::Bytes, "", Status::Fail)
        };
        judge_bytes(entry, &blank, report);
        let mut say = |found: Judged, key_known: bool| {
            report.judged(Axis::Signature, found, &blank);
            if !key_known {
                report.judged(Axis::KeyTrust, (Status::Fail, Some("key-unknown")), &blank); // RCP-20
            }
        };
        match &entry.message {
            None => say((Status::NotChecked, None), true),
            Some(message) if statement.is_none() => match check_signature(message, trust) {
                Some((_, found)) => say(found, true),
                None => say((Status::NotChecked, None), false),
            },
            Some(_) => {}
        }
        let (Some(message), Some(statement)) = (&entry.message, statement) else {
            report.not_checked(&behind);
            continue;
        };
        let (own, found) = Signed::new(statement, message, trust);
        say(found, own.key.is_some());
        // LED-2: judged as those of an entry, on the axes of the record
        let recorded = statement.recorded.as_ref().map(|recorded| {
            let (recorded, found) = Signed::new(&recorded.statement, &recorded.message, trust);
            say(found, recorded.key.is_some());
            recorded
        });
        let place = Place {
            own,
            recorded,
            bytes: if entry.wrong.is_empty() { Status::Pass } else { Status::Fail },
            order: Status::NotChecked,
            timeline: Status::NotChecked,
            effective: statement.time(),
            blank,
        };
        if !place.stands() {
            report.not_checked(&behind);
        }
        places.push(place);
    }
    places
}

/// LED-11
fn walk_order(places: &mut [Place], ledger: &Ledger, report: &mut Report) -> Chains {
    let mut chains = Chains::new();
    for place in places.iter_mut() {
        let statement = place.own.statement;
        let Some(seq) = statement.seq() else {
            // in a file that is no folder it is standalone
            let judged = if ledger.folder { (Status::Fail, Some("seq-missing")) } else { (Status::NotChecked, None) };
            if place.stands() {
                place.order = judged.0;
                report.judged(Axis::Order, judged, &place.blank);
            }
            continue;
        };
        let chain = chains.entry(place.engine().to_string()).or_default();
        let genesis = statement.kind == "genesis";
        let code = match &chain.last {
            None if !genesis => Some("genesis-missing"),
            None => None,
            Some(_) if genesis => Some("genesis-again"),
            Some((before, _)) if seq <= *before => Some("seq-repeat"),
            Some((before, _)) if seq > before + 1 => Some("seq-gap"),
            Some((_, hash)) if statement.text("prev") != Some(hash) => Some("prev-differs"),
            Some(_) => None,
        };
        if place.stands() {
            place.order = if code.is_some() { Status::Fail } else { Status::Pass };
            report.judged(Axis::Order, (place.order, code), &place.blank);
            if statement.time() < chain.highest_time {
                report.judged(Axis::Order, (Status::Note, Some("time-back")), &place.blank);
            }
        }
        // The walk goes on from every entry whose statement can be read, whatever is wrong with it.
        if genesis && chain.last.is_none() {
            chain.ledger_id = statement.bytes("ledger_id").map(<[u8]>::to_vec);
        }
        chain.last = Some((seq, place.own.hash.clone()));
        chain.hashes.entry(seq).or_default().push(place.own.hash.clone());
        chain.highest_seq = chain.highest_seq.max(seq);
        chain.highest_time = chain.highest_time.max(statement.time());
        place.effective = chain.highest_time; // LED-12
    }
    if let Some((seq, hash)) = &ledger.durable {
        let there = |chain: &Chain| chain.hashes.get(seq).is_some_and(|hashes| hashes.contains(hash));
        if !chains.values().any(there) {
            // for the folder and for no engine
            report.judged(
                Axis::Order,
                (Status::Fail, Some("tail-missing")),
                &Problem::new(Axis::Order, "", Status::Fail),
            );
        }
    }
    chains
}

/// LED-13: what counts as a good checkpoint, and *completeness*.
fn walk_checkpoints(
    places: &[Place],
    outside: &[Entry],
    chains: &Chains,
    ledger: &Ledger,
    trust: &TrustStore,
    report: &mut Report,
) -> Vec<Good> {
    let place_of = |engine: Option<&str>| Problem {
        engine: engine.map(str::to_string),
        ..Problem::new(Axis::Completeness, "", Status::Fail)
    };
    // Those whose signature and key pass: from outside at their own time, recorded ones at the effective time of the record.
    let mut trusted: Vec<Signed> = vec![];
    for entry in outside {
        let (Some(message), Some(statement)) = (&entry.message, &entry.statement) else {
            report.list(untrusted(place_of(None)));
            continue;
        };
        if statement.kind != "checkpoint" {
            report.list(untrusted(place_of(None)));
            continue;
        }
        let (signed, _) = Signed::new(statement, message, trust);
        if makes_good(&signed, Moment { effective: statement.time(), seq: None, pinned: false }) {
            trusted.push(signed);
        } else {
            report.list(untrusted(place_of(Some(statement.engine_id()))));
        }
    }
    for (place, recorded) in recorded_receipts(places) {
        let (signed, _) = Signed::new(&recorded.statement, &recorded.message, trust);
        let moment = Moment { effective: place.effective, seq: place.seq(), pinned: false };
        if signed.statement.kind == "checkpoint" && place.stands() && makes_good(&signed, moment) {
            trusted.push(signed);
        }
    }

    let mut good: Vec<Good> = vec![];
    for Signed { statement, kid, .. } in trusted {
        match compare_checkpoint(statement, chains) {
            None => good.push(Good {
                engine: statement.engine_id().to_string(),
                seq: statement.uint("seq").unwrap_or(0),
                time: statement.time(),
                kid: kid.to_vec(),
            }),
            code => report.judged(Axis::Completeness, (Status::Fail, code), &place_of(Some(statement.engine_id()))),
        }
    }
    for engine in ledger.expect_engines {
        if !places.iter().any(|place| place.engine() == engine) {
            report.judged(Axis::Completeness, (Status::Fail, Some("engine-missing")), &place_of(Some(engine)));
        }
    }
    for engine in chains.keys() {
        // passes up to the seq of the checkpoint; a count alone proves nothing
        let status = if good.iter().any(|good| good.engine == *engine) { Status::Pass } else { Status::NotChecked };
        report.answer(Axis::Completeness, status);
    }
    good
}

/// It counts for nothing: the problem is listed, and the axis is answered without it.
fn untrusted(blank: Problem) -> Problem {
    Problem { code: "checkpoint-untrusted", status: Status::NotChecked, ..blank }
}

fn recorded_receipts<'a>(places: &'a [Place<'a>]) -> impl Iterator<Item = (&'a Place<'a>, &'a Receipt)> {
    places.iter().filter_map(|place| Some((place, place.own.statement.recorded.as_deref()?)))
}

/// Signature and key trust pass. An auditor's key that was revoked at all makes no good checkpoint.
fn makes_good(checkpoint: &Signed, moment: Moment) -> bool {
    checkpoint.signature == Status::Pass
        && checkpoint.key.is_some_and(|key| {
            key.revoked_at.is_none() && worst(&check_key(key, checkpoint.statement, moment)) == Status::Pass
        })
}

fn compare_checkpoint(statement: &Statement, chains: &Chains) -> Option<&'static str> {
    let seq = statement.uint("seq").unwrap_or(0);
    let Some(chain) = chains.get(statement.engine_id()) else { return Some("checkpoint-beyond") };
    if chain.ledger_id.as_deref() != statement.bytes("ledger_id") {
        return Some("checkpoint-ledger");
    }
    if seq > chain.highest_seq {
        return Some("checkpoint-beyond");
    }
    let there = |hashes: &Vec<String>| hashes.iter().any(|hash| Some(hash.as_str()) == statement.text("receipt_hash"));
    if chain.hashes.get(&seq).is_some_and(there) { None } else { Some("checkpoint-differs") }
}

/// LED-12: at or below the seq of a good checkpoint by another key, whose own time is before the revocation.
fn is_pinned(engine: &str, seq: Option<u64>, kid: &[u8], key: &TrustedKey, good: &[Good]) -> bool {
    let (Some(seq), Some(revoked_at)) = (seq, key.revoked_at) else { return false };
    good.iter().any(|good| good.engine == engine && seq <= good.seq && good.kid != kid && good.time < revoked_at)
}

/// LED-12
fn walk_key_trust(places: &mut [Place], good: &[Good], report: &mut Report) {
    let mut told_later: HashSet<Vec<u8>> = HashSet::new();
    for place in places.iter_mut().filter(|place| place.stands()) {
        let (effective, seq, engine) = (place.effective, place.seq(), place.engine().to_string());
        for signed in [Some(&mut place.own), place.recorded.as_mut()].into_iter().flatten() {
            let Some(key) = signed.key else { continue }; // key-unknown was said
            let pinned = is_pinned(&engine, seq, signed.kid, key, good);
            let problems = check_key(key, signed.statement, Moment { effective, seq, pinned });
            signed.key_trust = worst(&problems);
            for (code, status) in problems {
                // once for a key, with the first of its entries
                let again = code == "key-revoked-later" && seq.is_some() && !told_later.insert(signed.kid.to_vec());
                report.judged(Axis::KeyTrust, (status, Some(code).filter(|_| !again)), &place.blank);
            }
        }
    }
}

// --- Timeline, rules, re-decision, approvals ------------------------------------------------------------------------

/// The install in force.
struct InForce {
    version: Option<u64>,
    digest: Option<String>,
    profile: Option<String>,
}

struct Ask {
    args_digest: Option<String>,
    not_enforced: bool,
    installs: usize,
}

/// What later entries of an engine id are judged by.
#[derive(Default)]
struct State<'a> {
    in_force: Option<InForce>,
    installs: usize,
    authorizations: HashMap<String, &'a Statement>,
    approvals: HashMap<String, &'a Statement>,
    asks: HashMap<String, Ask>,
    /// What a release used up: hashes of asks and of approvals.
    used_asks: HashSet<String>,
    used_approvals: HashSet<String>,
}

fn walk_statements(places: &mut [Place], given: &Given, report: &mut Report) {
    let policies: Option<BTreeMap<String, &Policy>> = given.policies.map(by_digest);
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    for place in places.iter_mut() {
        let statement = place.own.statement;
        let in_chain = statement.seq().is_some();
        let state = states.entry(place.engine().to_string()).or_default();

        // LED-14, LED-16; rest on *order*. A standalone receipt has neither.
        if place.order == Status::Pass {
            let code = judge_timeline(statement, state, given.trust);
            place.timeline = if code.is_some() { Status::Fail } else { Status::Pass };
            report.judged(Axis::Timeline, (place.timeline, code), &place.blank);
            if statement.kind == "release"
                && let Err(code) = judge_release(place, state)
            {
                report.judged(Axis::Approvals, (Status::Fail, Some(code)), &place.blank);
            }
        } else {
            report.not_checked(&[Axis::Timeline, Axis::Approvals]);
        }

        // LED-15; rest on *timeline*, *order*, *signature* and *key trust*, where these failed
        if let Some(policies) = &policies {
            let failed = [place.order, place.timeline].contains(&Status::Fail) || place.key_trust_failed();
            if failed || !place.stands() {
                report.not_checked(&[Axis::Rules, Axis::ReDecision]);
            } else {
                let answered = in_chain && statement.uint("policy_version").is_none(); // by the timeline
                let rules = if answered { (Status::Pass, None) } else { check_rules(statement, policies) };
                judge_decision(statement, policies, rules, &place.blank, report);
            }
        }

        if in_chain {
            note(place, state);
        }
    }
}

/// FND-23 to FND-28: records of findings answer the axis, and nothing else does.
fn walk_findings(places: &[Place], arguments: &Arguments, report: &mut Report) {
    let mut chains: BTreeMap<String, Claims> = BTreeMap::new();
    let records = |place: &Place| place.recorded.as_ref().is_some_and(|recorded| recorded.statement.kind == "finding");
    let is_about = |place: &&Place| records(place) || place.own.statement.kind == "finding";
    if places.iter().any(|place| is_about(&place)) {
        report.begin(&[Axis::Findings]);
    }
    for place in places {
        let claims = chains.entry(place.engine().to_string()).or_default();
        match &place.recorded {
            Some(recorded) if records(place) => judge_finding(place, recorded, claims, arguments, report),
            _ if place.own.statement.kind == "finding" => report.not_checked(&[Axis::Findings]), // standalone
            _ => {}
        }
        if !place.stands() || place.seq().is_none() {
            continue;
        }
        if !place.key_trust_failed() {
            claims.remember(&place.own.hash, place.own.statement); // FND-24
        }
        if let Some(recorded) = place.recorded.as_ref().filter(|recorded| recorded.citable()) {
            claims.remember(&recorded.hash, recorded.statement);
        }
    }
}

fn judge_finding<'a>(
    place: &Place<'a>,
    recorded: &Signed<'a>,
    claims: &mut Claims<'a>,
    arguments: &Arguments,
    report: &mut Report,
) {
    let by_engine = recorded.key.is_some_and(|key| key.role == "engine");
    if !place.stands() || place.order != Status::Pass || (!by_engine && recorded.key_trust == Status::Fail) {
        report.not_checked(&[Axis::Findings]);
    } else if by_engine {
        report.judged(Axis::Findings, (Status::Fail, Some("finding-by-engine")), &place.blank); // FND-23
    } else {
        for code in claims.problems(recorded.statement, arguments) {
            report.judged(Axis::Findings, (Status::Fail, Some(code)), &place.blank);
        }
    }
}

/// The state for later entries.
fn note<'a>(place: &Place<'a>, state: &mut State<'a>) {
    let statement = place.own.statement;
    let text = |name| statement.text(name).map(str::to_string);
    match statement.kind {
        // An install counts whatever is wrong with it.
        "install" => {
            state.in_force = Some(InForce {
                version: statement.uint("policy_version"),
                digest: text("policy_digest"),
                profile: text("match_profile"),
            });
            state.installs += 1;
        }
        "record" => {
            // What was cited once stays: a spoiled copy takes nothing from a good one.
            if let Some(recorded) = place.recorded.as_ref().filter(|recorded| recorded.citable() && place.stands()) {
                match recorded.statement.kind {
                    "authorization" => drop(state.authorizations.insert(recorded.hash.clone(), recorded.statement)),
                    "approval" => drop(state.approvals.insert(recorded.hash.clone(), recorded.statement)),
                    _ => {}
                }
            }
        }
        "decision" if place.own.citable() => {
            if statement.decision().is_some_and(|decision| decision.effect == "ask") {
                let ask = Ask {
                    args_digest: text("args_digest"),
                    not_enforced: statement.is_false("enforced"),
                    installs: state.installs,
                };
                state.asks.insert(place.own.hash.clone(), ask);
            }
        }
        // A release whose signature passes uses up both even where it fails.
        "release" if place.stands() => {
            state.used_asks.extend(text("ask"));
            state.used_approvals.extend(text("approval"));
        }
        _ => {}
    }
}

/// LED-14: the first that is wrong with an install or a decision at its place.
fn judge_timeline(statement: &Statement, state: &State, trust: &TrustStore) -> Option<&'static str> {
    match statement.kind {
        "install" => judge_install(statement, state, trust),
        "decision" => judge_cited(statement, state.in_force.as_ref()),
        _ => None,
    }
}

fn judge_install(install: &Statement, state: &State, trust: &TrustStore) -> Option<&'static str> {
    let before = state.in_force.as_ref();
    let version = install.uint("policy_version");
    if before.is_some_and(|before| version <= before.version) {
        return Some("install-not-rising");
    }
    if install.text("replaces") != before.and_then(|before| before.digest.as_deref()) {
        return Some("install-replaces");
    }
    match install.text("authorization") {
        Some(hash) => {
            let same = |authorization: &&Statement| {
                authorization.uint("policy_version") == version
                    && authorization.text("policy_digest") == install.text("policy_digest")
                    && authorization.text("replaces") == install.text("replaces")
            };
            if state.authorizations.get(hash).is_some_and(same) { None } else { Some("authorization-differs") }
        }
        None if trust.require_installer => Some("install-unauthorized"),
        None => None, // self-installed
    }
}

/// A decision cites what the install in force has.
fn judge_cited(decision: &Statement, in_force: Option<&InForce>) -> Option<&'static str> {
    let version = decision.uint("policy_version");
    let Some(in_force) = in_force else { return version.map(|_| "policy-before-install") };
    if decision.decision().is_some_and(|decision| decision.reason.as_deref() == Some("no-policy")) {
        return Some("no-policy-after-install");
    }
    if version != in_force.version {
        return Some("version-differs");
    }
    let cites = |name, installed: &Option<String>, missing, differs| match (decision.text(name), installed) {
        (None, Some(_)) => Some(missing),
        (cited, installed) if cited != installed.as_deref() => Some(differs),
        _ => None,
    };
    cites("policy_digest", &in_force.digest, "digest-missing", "digest-differs")
        .or_else(|| cites("match_profile", &in_force.profile, "profile-missing", "profile-differs"))
}

/// LED-16, in this order; the first problem is told.
fn judge_release(place: &Place, state: &State) -> Result<(), &'static str> {
    let cited = |name| place.own.statement.text(name).unwrap_or("");
    let ask = state.asks.get(cited("ask")).ok_or("ask-missing")?;
    if ask.args_digest.is_none() || ask.not_enforced {
        return Err("ask-not-releasable");
    }
    if state.used_asks.contains(cited("ask")) {
        return Err("ask-again");
    }
    if ask.installs != state.installs {
        return Err("install-between");
    }
    let approval = state.approvals.get(cited("approval")).ok_or("approval-missing")?;
    if state.used_approvals.contains(cited("approval")) {
        return Err("approval-again");
    }
    if approval.text("ask") != Some(cited("ask")) || approval.text("args_digest") != ask.args_digest.as_deref() {
        return Err("approval-differs");
    }
    if approval.is_false("approved") {
        return Err("approval-refused");
    }
    if approval.uint("expires").is_none_or(|expires| expires <= place.effective) {
        return Err("approval-expired");
    }
    Ok(())
}
