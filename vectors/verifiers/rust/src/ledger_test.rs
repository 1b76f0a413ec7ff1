//! Ledger chapter, against chains that are signed here: one change of a good chain for each code.

use crate::bytes::sha256;
use crate::cbor::Cbor;
use crate::cose;
use crate::digest::policy_digest;
use crate::json;
use crate::keys::PrivateKey;
use crate::ledger::{Ledger, verify_ledger};
use crate::matching::PROFILE;
use crate::policy::{Policy, read_policy};
use crate::receipt::{AXES, Axis, Given, Report};
use crate::trust::{TrustStore, trust_of};

fn key(name: &str) -> PrivateKey {
    PrivateKey::new("Ed25519", sha256(name.as_bytes())).unwrap()
}

fn policy_document(version: u64) -> String {
    let rule = |name: &str, effect: &str, methods: &str| {
        format!(
            r#"{{"name":"{name}","effect":"{effect}","agents":"any","action":{{"filesystem":{{"path":"/srv/**","methods":["{methods}"]}}}}}}"#
        )
    };
    let (read, write) = (rule(&format!("read-{version}"), "allow", "read"), rule("write", "ask", "write"));
    format!(r#"{{"version":{version},"rules":[{read},{write}]}}"#)
}

fn policy(version: u64) -> Policy {
    read_policy(policy_document(version).as_bytes()).unwrap()
}

fn digest(version: u64) -> String {
    policy_digest(&policy(version))
}

type Fields = Vec<(&'static str, Cbor)>;

fn text(text: &str) -> Cbor {
    Cbor::text(text)
}

fn map(fields: Fields) -> Cbor {
    Cbor::Map(fields.into_iter().map(|(name, value)| (text(name), value)).collect())
}

/// Signs a statement; gives the receipt and its hash.
fn signed(signer: &str, fields: Fields) -> (Vec<u8>, String) {
    let key = key(signer);
    let protected = cose::receipt_header(cose::ED25519, &key.public().kid());
    let payload = map(fields).encode();
    let structure = cose::sig_structure(&protected, &[], &payload);
    let signature = key.sign(&structure);
    (cose::message(protected, payload, signature), crate::bytes::hash_text(&structure))
}

fn said(statement: &str, time: u64) -> Fields {
    vec![("statement", text(statement)), ("engine_id", text("e")), ("time", Cbor::Integer(time as i64))]
}

/// A chain under construction.
struct Chain {
    entries: Vec<Vec<u8>>,
    hashes: Vec<String>,
    next: u64,
    time: u64,
    signer: &'static str,
}

const LEDGER_ID: [u8; 16] = [7; 16];

impl Chain {
    fn new() -> Chain {
        let mut chain = Chain { entries: vec![], hashes: vec![], next: 0, time: 1000, signer: "engine" };
        chain.add("genesis", vec![("ledger_id", Cbor::Bytes(LEDGER_ID.to_vec()))]);
        chain
    }

    fn add(&mut self, statement: &str, fields: Fields) -> String {
        self.time += 10;
        let mut all = said(statement, self.time);
        all.push(("seq", Cbor::Integer(self.next as i64)));
        if self.next > 0 {
            all.push(("prev", text(self.hashes.last().map_or("", String::as_str))));
        }
        for field in fields {
            all.retain(|(name, _)| *name != field.0);
            all.push(field);
        }
        let (receipt, hash) = signed(self.signer, all);
        self.entries.push(receipt);
        self.hashes.push(hash.clone());
        self.next += 1;
        hash
    }

    fn install(&mut self, version: u64, more: Fields) -> String {
        let mut fields = vec![
            ("policy_version", Cbor::Integer(version as i64)),
            ("policy_digest", text(&digest(version))),
            ("match_profile", text(PROFILE)),
        ];
        fields.extend(more);
        self.add("install", fields)
    }

    fn decision(&mut self, version: u64, method: &str, more: Fields) -> String {
        let (effect, rule) =
            if method == "read" { ("allow", format!("read-{version}")) } else { ("ask", "write".to_string()) };
        let body = map(vec![("path", text("/srv/a")), ("method", text(method))]);
        let outcome = map(vec![("effect", text(effect)), ("rule", text(&rule)), ("action", Cbor::Integer(0))]);
        let mut fields = vec![
            ("agent", text("a")),
            ("actions", Cbor::Array(vec![map(vec![("filesystem", body)])])),
            ("decision", outcome),
            ("policy_version", Cbor::Integer(version as i64)),
            ("policy_digest", text(&digest(version))),
            ("match_profile", text(PROFILE)),
        ];
        for field in more {
            fields.retain(|(name, _)| *name != field.0);
            if field.1 != Cbor::Bool(true) {
                fields.push(field); // `true` stands for: leave it off
            }
        }
        self.add("decision", fields)
    }

    fn no_policy(&mut self) -> String {
        let outcome = map(vec![("effect", text("deny")), ("reason", text("no-policy"))]);
        let action = map(vec![("tool", map(vec![("server", text("s")), ("name", text("n"))]))]);
        self.add("decision", vec![("agent", text("a")), ("actions", Cbor::Array(vec![action])), ("decision", outcome)])
    }

    fn record(&mut self, recorded: Vec<u8>) -> String {
        self.add("record", vec![("recorded", Cbor::Bytes(recorded))])
    }

    fn approved(&mut self, ask: &str, more: Fields) -> String {
        let mut fields = said("approval", self.time);
        fields.extend([
            ("ask", text(ask)),
            ("args_digest", text(&args())),
            ("approved", Cbor::Bool(true)),
            ("expires", Cbor::Integer(5000)),
            ("approver", text("human")),
        ]);
        for field in more {
            fields.retain(|(name, _)| *name != field.0);
            fields.push(field);
        }
        let (receipt, hash) = signed("approver", fields);
        self.record(receipt);
        hash
    }

    fn release(&mut self, ask: &str, approval: &str) -> String {
        self.add("release", vec![("ask", text(ask)), ("approval", text(approval))])
    }

    fn checkpoint(&self, seq: usize, more: Fields) -> Vec<u8> {
        let mut fields = said("checkpoint", self.time);
        fields.extend([
            ("ledger_id", Cbor::Bytes(LEDGER_ID.to_vec())),
            ("seq", Cbor::Integer(seq as i64)),
            ("receipt_hash", text(self.hashes.get(seq).map_or(&args(), |hash| hash))),
        ]);
        for field in more {
            fields.retain(|(name, _)| *name != field.0);
            fields.push(field);
        }
        signed("auditor", fields).0
    }
}

fn args() -> String {
    crate::bytes::hash_text(b"args")
}

fn with_args() -> Fields {
    vec![("args_digest", text(&args()))]
}

/// A trust store of five keys; `more` are members of the entry of the engine, `top` of the store.
fn trust(more: &str, top: &str) -> TrustStore {
    let entry = |role: &str, more: &str| {
        format!(r#"{{"role":"{role}","engine_ids":["e"],"key":{}{more}}}"#, key(role).public().jwk())
    };
    let roles = ["installer", "approver", "auditor", "harness"].map(|role| entry(role, ""));
    let document = format!(r#"{{"keys":[{},{}]{top}}}"#, entry("engine", more), roles.join(","));
    trust_of(&json::read(document.as_bytes(), 32).unwrap().root).unwrap()
}

struct Asked {
    trust: TrustStore,
    checkpoints: Vec<Vec<u8>>,
    durable: Option<(u64, String)>,
    engines: Vec<String>,
    folder: bool,
}

fn asked() -> Asked {
    Asked { trust: trust("", ""), checkpoints: vec![], durable: None, engines: vec![], folder: true }
}

fn run(entries: &[Vec<u8>], asked: &Asked) -> Report {
    let policies = [policy(1), policy(2), policy(3)];
    let given =
        Given { trust: &asked.trust, policies: Some(&policies), require: &[Axis::Approvals], also_algorithms: &[] };
    let ledger = Ledger {
        segments: &[entries.concat()],
        folder: asked.folder,
        durable: asked.durable.clone(),
        checkpoints: &asked.checkpoints,
        expect_engines: &asked.engines,
        arguments: &Default::default(),
    };
    verify_ledger(&ledger, &given)
}

fn told(report: &Report) -> Vec<String> {
    let seq = |seq: Option<u64>| seq.map_or(String::new(), |seq| format!("@{seq}"));
    report.problems.iter().map(|p| format!("{} {} {}{}", p.axis.name(), p.code, p.status.name(), seq(p.seq))).collect()
}

fn axes(report: &Report) -> String {
    let letter = |axis| match report.axis(axis).name() {
        "pass" => 'P',
        "fail" => 'F',
        _ => '-',
    };
    AXES.iter().take(9).map(|(axis, _)| letter(*axis)).collect()
}

/// The nine axes in their order, and every problem.
fn check(entries: &[Vec<u8>], asked: &Asked, expect_axes: &str, expect: &[&str]) {
    let report = run(entries, asked);
    assert_eq!(
        (axes(&report).as_str(), told(&report)),
        (expect_axes, expect.iter().map(ToString::to_string).collect())
    );
}

fn good_chain() -> Chain {
    let mut chain = Chain::new();
    chain.no_policy();
    chain.install(1, vec![]);
    chain.decision(1, "read", vec![]);
    chain.install(2, vec![("replaces", text(&digest(1)))]);
    chain.decision(2, "read", vec![]);
    chain
}

#[test]
fn passes_a_good_chain() {
    let chain = good_chain();
    let report = run(&chain.entries, &asked());
    assert!(report.ok());
    check(&chain.entries, &asked(), "PPPP-PPPP", &[]);
}

#[test]
fn passes_an_ask_that_was_approved_and_released() {
    let mut chain = good_chain();
    let ask = chain.decision(2, "write", with_args());
    let approval = chain.approved(&ask, vec![]);
    chain.release(&ask, &approval);
    check(&chain.entries, &asked(), "PPPP-PPPP", &[]);
}

#[test]
fn tells_one_problem_for_one_fault_of_order() {
    let good = good_chain();
    let without = |index: usize| [&good.entries[..index], &good.entries[index + 1..]].concat();
    check(&without(0), &asked(), "PPPF-----", &["order genesis-missing fail@1"]);
    check(&without(1), &asked(), "PPPF-----", &["order seq-gap fail@2"]);
    let twice = [&good.entries[..4], &good.entries[3..]].concat();
    check(&twice, &asked(), "PPPF-----", &["order seq-repeat fail@3"]);

    let mut again = good_chain();
    again.next = 0;
    again.add("genesis", vec![("ledger_id", Cbor::Bytes(LEDGER_ID.to_vec()))]);
    check(&again.entries, &asked(), "PPPF-----", &["order genesis-again fail@0"]);

    let mut other = good_chain();
    other.hashes.push(args());
    other.decision(2, "read", vec![]);
    check(&other.entries, &asked(), "PPPF-----", &["order prev-differs fail@6"]);

    let mut standalone = good_chain();
    let (receipt, _) = signed("approver", {
        let mut fields = said("approval", 1);
        fields.extend([("ask", text(&args())), ("args_digest", text(&args()))]);
        fields.extend([("approved", Cbor::Bool(true)), ("expires", Cbor::Integer(1)), ("approver", text("h"))]);
        fields
    });
    standalone.entries.push(receipt);
    check(&standalone.entries, &asked(), "PPPF-----", &["order seq-missing fail"]);
}

#[test]
fn notes_a_time_that_steps_back() {
    let mut chain = good_chain();
    chain.time = 0;
    chain.decision(2, "read", vec![]);
    let report = run(&chain.entries, &asked());
    assert!(report.ok());
    assert_eq!(told(&report), ["order time-back note@6"]);
}

#[test]
fn sees_a_tail_that_was_cut() {
    let chain = good_chain();
    let durable = |seq: usize, hash: &str| Asked { durable: Some((seq as u64, hash.to_string())), ..asked() };
    check(&chain.entries, &durable(5, &chain.hashes[5]), "PPPP-PPPP", &[]);
    check(&chain.entries[..5], &durable(5, &chain.hashes[5]), "PPPF-PPPP", &["order tail-missing fail"]);
    check(&chain.entries, &durable(5, &chain.hashes[4]), "PPPF-PPPP", &["order tail-missing fail"]);
    check(&[], &durable(5, &chain.hashes[5]), "---F-----", &["order tail-missing fail"]);
}

#[test]
fn goes_on_behind_an_entry_with_a_wrong_signature() {
    let mut chain = good_chain();
    *chain.entries[3].last_mut().unwrap() ^= 1;
    check(&chain.entries, &asked(), "PF-------", &["signature signature-invalid fail@3"]);
}

#[test]
fn refuses_bytes_and_goes_on_behind_them() {
    let mut chain = good_chain();
    chain.entries[5] = vec![0xd2, 0x80];
    check(&chain.entries, &asked(), "F--------", &["bytes cose-shape fail"]);
}

#[test]
fn judges_statements_by_the_grammar_of_chains() {
    let code = |build: &dyn Fn(&mut Chain)| {
        let mut chain = good_chain();
        build(&mut chain);
        told(&run(&chain.entries, &asked()))
    };
    let statement = |statement: &'static str, fields: Fields| {
        code(&move |chain: &mut Chain| {
            chain.add(statement, fields.clone());
        })
    };
    assert_eq!(
        statement("genesis", vec![("ledger_id", Cbor::Bytes(LEDGER_ID.to_vec()))]),
        ["bytes field-conflict fail"]
    );
    assert_eq!(
        statement("release", vec![("seq", Cbor::Integer(0)), ("ask", text(&args())), ("approval", text(&args()))]),
        ["bytes field-conflict fail"]
    );
    assert_eq!(statement("release", vec![("ask", text("x"))]), ["bytes missing-key fail", "bytes bad-value fail"]);
    assert_eq!(statement("record", vec![("recorded", Cbor::Bytes(vec![0xd2]))]), ["bytes cbor-truncated fail@6"]);
    assert_eq!(statement("record", vec![("recorded", Cbor::Bytes(vec![0; 786_433]))]), ["bytes limit fail@6"]);
    assert_eq!(statement("plan", vec![]), ["bytes unknown-statement fail"]);
    let own = good_chain().entries[3].clone();
    assert_eq!(statement("record", vec![("recorded", Cbor::Bytes(own))]), ["bytes record-kind fail@6"]);
    let about = good_chain().checkpoint(0, vec![("engine_id", text("f"))]);
    assert_eq!(statement("record", vec![("recorded", Cbor::Bytes(about))]), ["bytes record-engine fail@6"]);
    let prev = good_chain().checkpoint(0, vec![("prev", text(&args()))]);
    assert_eq!(statement("record", vec![("recorded", Cbor::Bytes(prev))]), ["bytes unknown-key fail@6"]);
}

#[test]
fn judges_keys_at_the_effective_time() {
    let with = |more: &str| Asked { trust: trust(more, ""), ..asked() };
    let mut chain = good_chain(); // times 1010 to 1060
    check(&chain.entries, &with(r#","valid_until":1060"#), "PPFP-P--P", &["key-trust key-expired fail@5"]);
    check(
        &chain.entries,
        &with(r#","revoked_at":1060"#),
        "PPFP-P--P",
        &["key-trust key-revoked-later not-checked@0", "key-trust key-revoked fail@5"],
    );
    check(&chain.entries, &with(r#","revoked_at":1061,"revoked_from_seq":{"e":6}"#), "PPPP-PPPP", &[]);
    let pinned =
        |seq, more| Asked { checkpoints: vec![good_chain().checkpoint(seq, more)], ..with(r#","revoked_at":1061"#) };
    check(&chain.entries, &pinned(5, vec![]), "PPPPPPPPP", &[]);
    check(&chain.entries, &pinned(4, vec![]), "PP-PPPPPP", &["key-trust key-revoked-later not-checked@5"]);
    let late = pinned(5, vec![("time", Cbor::Integer(1061))]);
    assert_eq!(told(&run(&chain.entries, &late)), ["key-trust key-revoked-later not-checked@0"]);
    // a time that steps back does not bring the key back
    chain.time = 900;
    chain.decision(2, "read", vec![]);
    check(
        &chain.entries,
        &with(r#","valid_until":1060"#),
        "PPFP-P--P",
        &["order time-back note@6", "key-trust key-expired fail@5", "key-trust key-expired fail@6"],
    );
    chain.signer = "auditor";
    chain.time = 1060;
    chain.decision(2, "read", vec![]);
    assert!(told(&run(&chain.entries, &asked())).contains(&"key-trust key-role fail@7".to_string()));
}

#[test]
fn answers_completeness_by_checkpoints_alone() {
    let chain = good_chain();
    let with = |checkpoint: Vec<u8>| Asked { checkpoints: vec![checkpoint], ..asked() };
    check(&chain.entries, &with(chain.checkpoint(3, vec![])), "PPPPPPPPP", &[]);
    check(
        &chain.entries,
        &with(chain.checkpoint(3, vec![("receipt_hash", text(&args()))])),
        "PPPPFPPPP",
        &["completeness checkpoint-differs fail"],
    );
    check(&chain.entries, &with(chain.checkpoint(9, vec![])), "PPPPFPPPP", &["completeness checkpoint-beyond fail"]);
    check(&[], &with(chain.checkpoint(3, vec![])), "----F----", &["completeness checkpoint-beyond fail"]);
    let other = chain.checkpoint(3, vec![("ledger_id", Cbor::Bytes(vec![8; 16]))]);
    check(&chain.entries, &with(other), "PPPPFPPPP", &["completeness checkpoint-ledger fail"]);
    let mut broken = chain.checkpoint(3, vec![]);
    *broken.last_mut().unwrap() ^= 1;
    check(&chain.entries, &with(broken), "PPPP-PPPP", &["completeness checkpoint-untrusted not-checked"]);
    let engines = Asked { engines: vec!["e".into(), "f".into()], ..asked() };
    check(&chain.entries, &engines, "PPPPFPPPP", &["completeness engine-missing fail"]);

    let mut recorded = good_chain();
    let checkpoint = recorded.checkpoint(3, vec![]);
    recorded.record(checkpoint);
    check(&recorded.entries, &asked(), "PPPPPPPPP", &[]);
}

#[test]
fn answers_the_timeline() {
    let last = |build: &dyn Fn(&mut Chain), more: &str| {
        let mut chain = good_chain();
        build(&mut chain);
        told(&run(&chain.entries, &Asked { trust: trust("", more), ..asked() }))
    };
    let decision = |version: u64, more: Fields| {
        last(&move |chain: &mut Chain| drop(chain.decision(version, "read", more.clone())), "")
    };
    assert_eq!(decision(1, vec![]), ["timeline version-differs fail@6"]);
    assert_eq!(decision(2, vec![("policy_digest", Cbor::Bool(true))]), ["timeline digest-missing fail@6"]);
    assert_eq!(decision(2, vec![("match_profile", Cbor::Bool(true))]), ["timeline profile-missing fail@6"]);
    assert_eq!(decision(2, vec![("match_profile", text("x"))]), ["timeline profile-differs fail@6"]);
    assert_eq!(last(&|chain| drop(chain.no_policy()), ""), ["timeline no-policy-after-install fail@6"]);
    let install =
        |version: u64, more: Fields| last(&move |chain: &mut Chain| drop(chain.install(version, more.clone())), "");
    let two = || vec![("replaces", text(&digest(2)))];
    assert_eq!(install(2, two()), ["timeline install-not-rising fail@6"]);
    assert_eq!(install(3, vec![]), ["timeline install-replaces fail@6"]);
    assert_eq!(
        install(3, vec![("replaces", text(&digest(2))), ("authorization", text(&args()))]),
        ["timeline authorization-differs fail@6"]
    );

    // one fault is one problem: the version of an install that fails counts
    let after = |chain: &mut Chain| {
        chain.install(3, vec![]);
        chain.decision(3, "read", vec![]);
    };
    assert_eq!(last(&after, ""), ["timeline install-replaces fail@6"]);

    let mut early = Chain::new();
    early.decision(1, "read", vec![]);
    check(&early.entries, &asked(), "PPPP-F--P", &["timeline policy-before-install fail@1"]);
    let asks_for_one = Asked { trust: trust("", r#","require_installer":true"#), ..asked() };
    let report = run(&good_chain().entries, &asks_for_one);
    assert_eq!(told(&report), ["timeline install-unauthorized fail@2", "timeline install-unauthorized fail@4"]);

    let mut authorized = Chain::new();
    let mut fields = said("authorization", 1);
    fields.extend([("policy_version", Cbor::Integer(1)), ("policy_digest", text(&digest(1)))]);
    let (receipt, hash) = signed("installer", fields);
    authorized.record(receipt);
    authorized.install(1, vec![("authorization", text(&hash))]);
    check(&authorized.entries, &asks_for_one, "PPPP-PPPP", &[]);
}

#[test]
fn makes_decisions_again() {
    let mut chain = good_chain();
    let outcome = map(vec![("effect", text("allow")), ("rule", text("write")), ("action", Cbor::Integer(0))]);
    chain.decision(2, "read", vec![("decision", outcome)]);
    check(&chain.entries, &asked(), "PPPP-PPFP", &["re-decision decision-differs fail@6"]);
}

#[test]
fn answers_approvals_in_order() {
    type Build = dyn Fn(&mut Chain);
    let last = |build: &Build| {
        let mut chain = good_chain();
        build(&mut chain);
        let report = run(&chain.entries, &asked());
        let problems: Vec<&'static str> = report.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(axes(&report), "PPPP-PPPF", "{problems:?}");
        problems
    };
    let approval = |more: Fields| {
        last(&move |chain: &mut Chain| {
            let ask = chain.decision(2, "write", with_args());
            let approval = chain.approved(&ask, more.clone());
            chain.release(&ask, &approval);
        })
    };
    assert_eq!(last(&|chain| drop(chain.release(&args(), &args()))), ["ask-missing"]);
    let not_releasable = |more: Fields| {
        last(&move |chain: &mut Chain| {
            let ask = chain.decision(2, "write", more.clone());
            chain.release(&ask, &args());
        })
    };
    assert_eq!(not_releasable(vec![]), ["ask-not-releasable"]);
    assert_eq!(
        not_releasable(vec![("args_digest", text(&args())), ("enforced", Cbor::Bool(false))]),
        ["ask-not-releasable"]
    );
    assert_eq!(approval(vec![("ask", text(&args()))]), ["approval-differs"]);
    assert_eq!(approval(vec![("approved", Cbor::Bool(false))]), ["approval-refused"]);
    assert_eq!(approval(vec![("expires", Cbor::Integer(1090))]), ["approval-expired"]);
    let again = |chain: &mut Chain| {
        let ask = chain.decision(2, "write", with_args());
        let approval = chain.approved(&ask, vec![]);
        chain.release(&ask, &approval);
        chain.release(&ask, &approval);
    };
    assert_eq!(last(&again), ["ask-again"]);
    let used = |chain: &mut Chain| {
        let ask = chain.decision(2, "write", with_args());
        let other = chain.decision(2, "write", with_args());
        let approval = chain.approved(&ask, vec![]);
        chain.release(&ask, &approval);
        chain.release(&other, &approval);
    };
    assert_eq!(last(&used), ["approval-again"]);
    let missing = |chain: &mut Chain| {
        let ask = chain.decision(2, "write", with_args());
        chain.release(&ask, &args());
    };
    assert_eq!(last(&missing), ["approval-missing"]);
    let between = |chain: &mut Chain| {
        let ask = chain.decision(2, "write", with_args());
        let approval = chain.approved(&ask, vec![]);
        chain.install(3, vec![("replaces", text(&digest(2)))]);
        chain.release(&ask, &approval);
    };
    assert_eq!(last(&between), ["install-between"]);
}

#[test]
fn walks_a_file_of_receipts_like_a_folder() {
    let chain = good_chain();
    let file = Asked { folder: false, ..asked() };
    check(&chain.entries, &file, "PPPP-PPPP", &[]);
    check(&chain.entries[3..4], &file, "PPPF-----", &["order genesis-missing fail@3"]);
}

#[test]
fn reads_a_folder() {
    let chain = good_chain();
    let folder = std::env::temp_dir().join(format!("ruleprint-verifier-{}", std::process::id()));
    let policies = folder.join("policies");
    std::fs::create_dir_all(&policies).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    write("segment-000000000000.cbor", &chain.entries[..3].concat());
    write("segment-000000000003.cbor", &chain.entries[3..].concat());
    write(
        "durable.json",
        format!(r#"{{"segment":3,"start":0,"offset":1,"seq":5,"hash":"{}"}}"#, chain.hashes[5]).as_bytes(),
    );
    let role = |role: &str, name: &str| {
        format!(r#"{{"role":"{role}","engine_ids":["e"],"key":{}}}"#, key(name).public().jwk())
    };
    write(
        "trust.json",
        format!(r#"{{"keys":[{},{}]}}"#, role("engine", "engine"), role("auditor", "auditor")).as_bytes(),
    );
    for version in [1, 2] {
        let name = format!("{}.json", &digest(version)["sha256:".len()..]);
        std::fs::write(policies.join(name), policy_document(version)).unwrap();
    }
    let report = crate::folder::verify_folder(&folder, &folder.join("trust.json"), &[chain.checkpoint(5, vec![])]);
    std::fs::remove_dir_all(&folder).unwrap();
    let report = report.unwrap();
    assert!(report.ok());
    assert_eq!((axes(&report).as_str(), told(&report)), ("PPPPPPPPP", vec![]));
}
