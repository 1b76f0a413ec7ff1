//! Runs the vector files: each case is answered by the chapter that it is about, and the answer is compared with what the
//! case expects. A file or a case of an unknown form is a failure.

use crate::bytes::{hash_text, hex, sha256, unhex};
use crate::canonical_json;
use crate::cbor::{self, Cbor};
use crate::cose;
use crate::decision::{Action, Decision, Request, check_install, decide, read_request, trace};
use crate::digest::{policy_digest, policy_preimage, rule_preimage};
use crate::finding::{finding_id, occurrence_of, preimage, stable_id};
use crate::folder::report_line;
use crate::json::{self, Member, Node, Text, Value};
use crate::keys::{PrivateKey, PublicKey};
use crate::ledger::{Ledger, verify_ledger};
use crate::mapping::Mapper;
use crate::mapping_table::read_table;
use crate::matching::{HostPattern, PathGlob, TextGlob, argv_covers, argv_item, canonical_host, canonical_path};
use crate::policy::{AnyOr, Pattern, Policy, argv_texts, policy_of, read_policy};
use crate::receipt::{AXES, Axis, Given, Report, verify_file, verify_receipt};
use crate::trust::{TrustStore, read_trust, trust_of};
use crate::vectors_audit::{digest_of_tree, run_audit, skipped};
use std::collections::BTreeMap;
use std::path::Path;

/// The answer to a case, in the words of `expect`.
pub enum Answer {
    Got(Node),
    Skipped(&'static str),
    Unknown(&'static str),
}

type Answered = Result<Node, &'static str>;

#[derive(Default)]
pub struct Count {
    pub passed: usize,
    pub failed: usize,
    pub skipped: BTreeMap<String, usize>,
}

/// Vector files nest deeper than documents: they hold values that do.
const VECTOR_NESTING: usize = 128;

pub fn run_folder(folder: &Path) -> Result<Count, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = listed.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    let mut count = Count::default();
    for path in files {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
        let before = (count.passed, count.failed, count.skipped.values().sum::<usize>());
        match json::read(&bytes, VECTOR_NESTING) {
            Ok(document) => run_file(&name, &document.root, &mut count),
            Err(problem) => fail(&mut count, &name, "(file)", "a vector file", problem.code),
        }
        let skipped = count.skipped.values().sum::<usize>() - before.2;
        println!("{name}: {} passed, {} failed, {skipped} skipped", count.passed - before.0, count.failed - before.1);
    }
    Ok(count)
}

fn fail(count: &mut Count, file: &str, id: &str, expected: impl std::fmt::Display, got: impl std::fmt::Display) {
    count.failed += 1;
    let short = |text: String| {
        if text.chars().count() > 2000 { text.chars().take(2000).collect::<String>() + "…" } else { text }
    };
    println!("FAILED {file} {id}\n  expected {}\n  got      {}", short(expected.to_string()), short(got.to_string()));
}

fn run_file(file: &str, root: &Node, count: &mut Count) {
    let run: fn(&Node, &Node) -> Answer = match file {
        "match.json" => |input, expect| answered(run_match(input, expect)),
        "policy.json" => run_policy,
        "decision.json" => |input, expect| answered(run_decision(input, expect)),
        "digest.json" => |input, _| answered(run_digest(input)),
        "mapping.json" => |input, _| answered(run_mapping(input)),
        "cbor.json" => |input, _| answered(run_cbor(input)),
        "receipt.json" => |input, expect| answered(run_receipt(input, expect)),
        "ledger.json" => |input, _| answered(run_ledger(input)),
        "finding.json" => |input, _| answered(run_finding(input)),
        "audit.json" => |input, _| match skipped(input) {
            Some(reason) => Answer::Skipped(reason),
            None => answered(run_audit(input)),
        },
        _ => return fail(count, file, "(file)", "a known file", "an unknown one"),
    };
    let agrees = match file {
        "ledger.json" => same_report,
        "finding.json" => |expect: &Node, got: &Node| {
            if got.get("axes").is_some() { same_report(expect, got) } else { agrees(expect, got) }
        },
        _ => agrees,
    };
    let digests = match file {
        "digest.json" => digests_by_id(root, digest_of_policy),
        "audit.json" => digests_by_id(root, digest_of_tree),
        _ => BTreeMap::new(),
    };
    for group in root.get("groups").and_then(Node::items).unwrap_or(&[]) {
        for case in group.get("cases").and_then(Node::items).unwrap_or(&[]) {
            let id = case.get("id").and_then(Node::as_text).unwrap_or("(no id)");
            let (Some(input), Some(expect)) = (case.get("input"), case.get("expect")) else {
                fail(count, file, id, "input and expect", "neither");
                continue;
            };
            match run(&expand(input), expect) {
                Answer::Skipped(reason) => *count.skipped.entry(format!("{file}: {reason}")).or_default() += 1,
                Answer::Unknown(what) => fail(count, file, id, "a case of a known form", what),
                Answer::Got(got) if agrees(expect, &got) && digests_agree(id, expect, &digests) => count.passed += 1,
                Answer::Got(got) => fail(count, file, id, expect, got),
            }
        }
    }
}

fn answered(answered: Answered) -> Answer {
    match answered {
        Ok(got) => Answer::Got(got),
        Err(what) => Answer::Unknown(what),
    }
}

// --- Comparing ------------------------------------------------------------------------------------------------------

/// Whether everything that is expected was got. Of a place only what is expected is compared; lists of problems in any order.
fn agrees(expect: &Node, got: &Node) -> bool {
    let Value::Object(members) = &expect.value else { return expand(expect).same(got) };
    let one = |member: &Member| {
        let key = member.key.good().unwrap_or("");
        match (key, got.get(key)) {
            ("same_digest_as" | "other_digest_than", _) => true, // compared by `digests_agree`
            ("problems", Some(got)) => same_problems(member.node.items(), got.items(), agrees),
            ("where" | "axes", Some(got)) => agrees(&member.node, got),
            ("more", Some(got)) => match (member.node.items(), got.items()) {
                (Some(expect), Some(got)) => {
                    expect.len() == got.len() && expect.iter().zip(got).all(|(a, b)| agrees(a, b))
                }
                _ => false,
            },
            (_, Some(got)) => expand(&member.node).same(got),
            (_, None) => false,
        }
    };
    // an error is no result, nor the reverse; more problems than expected are a mismatch
    let extra = |key: &str| got.get(key).is_some() && expect.get(key).is_none();
    members.iter().all(one) && !extra("error") && !(extra("more") && expect.get("where").is_some())
}

/// The report on a ledger: everything that it says, problems as a multiset.
fn same_report(expect: &Node, got: &Node) -> bool {
    let both = |key| Some((expect.get(key)?, got.get(key)?));
    let same = |key| both(key).is_some_and(|(expect, got)| expect.same(got));
    same("ok")
        && same("axes")
        && both("problems").is_some_and(|(expect, got)| same_problems(expect.items(), got.items(), Node::same))
}

fn same_problems(expect: Option<&[Node]>, got: Option<&[Node]>, agrees: fn(&Node, &Node) -> bool) -> bool {
    let (Some(expect), Some(got)) = (expect, got) else { return false };
    let mut left: Vec<&Node> = got.iter().collect();
    // those that say most about their place first, so that the others find what is left
    let mut expect: Vec<&Node> = expect.iter().collect();
    expect.sort_by_key(|problem| std::cmp::Reverse(problem.to_string().len()));
    let mut find = |problem: &&Node| match left.iter().position(|other| agrees(problem, other)) {
        Some(index) => {
            left.remove(index);
            true
        }
        None => false,
    };
    expect.iter().all(&mut find) && left.is_empty()
}

/// The notation of the vectors: `$utf16_hex` for what is no well-formed Unicode, `$repeat` and `$concat` for what is long.
fn expand(node: &Node) -> Node {
    let value = match &node.value {
        Value::List(items) => Value::List(items.iter().map(expand).collect()),
        Value::Object(members) => match members.as_slice() {
            [member] if member.key.good() == Some("$utf16_hex") => {
                let bytes = member.node.as_text().and_then(unhex).unwrap_or_default();
                let units = bytes.chunks(2).map(|pair| u16::from(pair[0]) << 8 | u16::from(pair[1])).collect();
                Value::Text(Text::from_units(units))
            }
            [member] if member.key.good() == Some("$repeat") => match member.node.items() {
                Some([piece, times]) => {
                    let times = times.as_integer().and_then(|times| usize::try_from(times).ok()).unwrap_or(0);
                    Value::Text(Text::Good(piece.as_text().unwrap_or("").repeat(times)))
                }
                _ => node.value.clone(),
            },
            [member] if member.key.good() == Some("$concat") => {
                let parts = member.node.items().unwrap_or(&[]).iter().map(expand);
                Value::Text(Text::Good(parts.map(|part| part.as_text().unwrap_or("").to_string()).collect()))
            }
            _ => Value::Object(
                members.iter().map(|member| Member { node: expand(&member.node), ..member.clone() }).collect(),
            ),
        },
        other => other.clone(),
    };
    Node { at: node.at, value }
}

fn error(code: &str) -> Node {
    Node::object([("error", Node::text(code))])
}

fn texts(node: &Node) -> Option<Vec<&str>> {
    node.items()?.iter().map(Node::as_text).collect()
}

fn hex_of(node: &Node, key: &str) -> Option<Vec<u8>> {
    node.get(key).and_then(Node::as_text).and_then(unhex)
}

// --- match.json -----------------------------------------------------------------------------------------------------

fn run_match(input: &Node, expect: &Node) -> Answered {
    let text = |key| input.get(key).and_then(Node::as_text);
    let covers = |covers: bool| Node::object([("covers", Node::new(Value::Bool(covers)))]);
    let canonical = |path: Result<String, &str>| match path {
        Ok(canonical) => Node::object([("canonical", Node::text(&canonical))]),
        Err(code) => error(code),
    };
    let refused = |refused: crate::matching::Refused| {
        let hint = refused.canonical.filter(|_| expect.get("canonical").is_some());
        let members = [("error", Some(Node::text(refused.code))), ("canonical", hint.map(|hint| Node::text(&hint)))];
        Node::object(members.into_iter().filter_map(|(key, node)| Some((key, node?))))
    };
    let taken = || Node::object([("taken", Node::new(Value::Bool(true)))]);
    if let Some(pattern) = text("path_pattern") {
        return Ok(match (PathGlob::parse(pattern), text("path").map(canonical_path)) {
            (Err(why), _) => refused(why),
            (Ok(_), None) => taken(),
            (Ok(glob), Some(path)) => path.map_or_else(error, |path| covers(glob.covers(&path))),
        });
    }
    if let Some(pattern) = text("host_pattern") {
        return Ok(match (HostPattern::parse(pattern), text("host").map(canonical_host)) {
            (Err(why), _) => refused(why),
            (Ok(_), None) => taken(),
            (Ok(pattern), Some(host)) => host.map_or_else(error, |host| covers(pattern.covers(&host))),
        });
    }
    if let Some(pattern) = text("text_pattern") {
        return Ok(match (TextGlob::parse(pattern), text("text")) {
            (Err(code), _) => error(code),
            (Ok(_), None) => taken(),
            (Ok(glob), Some(text)) => covers(glob.covers(text)),
        });
    }
    if let Some(items) = input.get("argv_pattern") {
        let items = texts(items).ok_or("argv_pattern")?;
        let last = items.len().saturating_sub(1);
        let parsed: Result<Vec<_>, _> =
            items.iter().enumerate().map(|(index, text)| argv_item(text, index == last)).collect();
        let globs = match parsed {
            Ok(globs) => globs,
            Err(code) => return Ok(error(code)),
        };
        let rest = globs.iter().any(Option::is_none);
        let globs: Vec<TextGlob> = globs.into_iter().flatten().collect();
        let Some(argv) = input.get("argv") else { return Ok(taken()) };
        let argv: Vec<String> = texts(argv).ok_or("argv")?.into_iter().map(str::to_string).collect();
        return Ok(covers(argv_covers(&globs, rest, &argv)));
    }
    if let Some(path) = text("path") {
        return Ok(canonical(canonical_path(path)));
    }
    let host = text("host").ok_or("no input that is known")?;
    Ok(canonical(canonical_host(host).map(|host| host.to_string())))
}

// --- mapping.json ---------------------------------------------------------------------------------------------------

fn run_mapping(input: &Node) -> Answered {
    let text = |key| input.get(key).and_then(Node::as_text);
    let digest = |tables: &[Node]| match canonical_json::mapping_digest(tables) {
        Ok(digest) => Node::object([("mapping_digest", Node::text(&digest))]),
        Err(code) => error(code),
    };
    if let Some(args) = text("args_json") {
        return Ok(match arguments_form(args) {
            Ok(form) => {
                let digest = canonical_json::args_digest(&form, text("salt").unwrap_or(""));
                Node::object([("form", Node::text(&form)), ("args_digest", Node::text(&digest))])
            }
            Err(code) => error(code),
        });
    }
    if let Some(document) = text("document") {
        return Ok(match read_table(document.as_bytes()) {
            Ok(table) => digest(&[table]),
            Err(problems) => problems_node(&problems, document),
        });
    }
    let tables = input.get("tables").and_then(Node::items).ok_or("tables")?;
    let Some(call) = input.get("call") else { return Ok(digest(tables)) };
    Ok(match Mapper::new(tables, text("server"), text("cwd"), text("home")).map(call) {
        Ok(actions) => Node::object([("actions", Node::list(actions))]),
        Err(refused) => Node::object([("error", Node::text(refused.code)), ("reason", Node::text(refused.reason()))]),
    })
}

/// Arguments as text: any numbers, but no key twice (DIG-11).
fn arguments_form(args: &str) -> Result<String, &'static str> {
    let document = json::read(args.as_bytes(), crate::door::NESTING).map_err(|problem| problem.code)?;
    match document.problems.first() {
        Some(problem) => Err(problem.code),
        None => canonical_json::form(&document.root),
    }
}

// --- policy.json ----------------------------------------------------------------------------------------------------

fn run_policy(input: &Node, _: &Node) -> Answer {
    let text = |key| input.get(key).and_then(Node::as_text);
    match text("format") {
        Some("json") => {}
        Some("yaml") => return Answer::Skipped("YAML: a verifier takes policies as JSON"),
        _ => return Answer::Unknown("format"),
    }
    let document = text("document").map(|text| text.as_bytes().to_vec()).or_else(|| hex_of(input, "document_hex"));
    let Some(document) = document else { return Answer::Unknown("no document") };
    Answer::Got(match read_policy(&document) {
        Ok(policy) => {
            let digest = Node::text(&policy_digest(&policy));
            Node::object([("policy", policy_node(&policy)), ("policy_digest", digest)])
        }
        Err(problems) => problems_node(&problems, std::str::from_utf8(&document).unwrap_or("")),
    })
}

/// The first problem, and the others as `more`.
fn problems_node(problems: &[json::Problem], document: &str) -> Node {
    let one = |problem: &json::Problem| {
        let mut place = vec![];
        place.extend(problem.pointer.as_ref().map(|pointer| ("pointer", Node::text(pointer))));
        if let Some(at) = problem.at {
            let (line, column, offset) = json::position(document, at);
            place.extend([
                ("line", Node::number(line)),
                ("column", Node::number(column)),
                ("offset", Node::number(offset)),
            ]);
        }
        vec![("error", Node::text(problem.code)), ("where", Node::object(place))]
    };
    let Some((first, more)) = problems.split_first() else { return error("(refused without a problem)") };
    let mut members = one(first);
    if !more.is_empty() {
        members.push(("more", Node::list(more.iter().map(|problem| Node::object(one(problem))))));
    }
    Node::object(members)
}

fn policy_node(policy: &Policy) -> Node {
    let any = || Node::text("any");
    let list = |items: &[String]| Node::list(items.iter().map(|item| Node::text(item)));
    let methods = |methods: &AnyOr<Vec<String>>| match methods {
        AnyOr::Any => any(),
        AnyOr::Some(items) => list(items),
    };
    let rules = policy.rules.iter().map(|rule| {
        let agents = match &rule.agents {
            AnyOr::Any => any(),
            AnyOr::Some(ids) => Node::object([("one_of", list(ids))]),
        };
        let action = match &rule.action {
            Pattern::Filesystem { path, methods: of } => {
                ("filesystem", Node::object([("path", Node::text(&path.text)), ("methods", methods(of))]))
            }
            Pattern::Network { host, ports, methods: of } => {
                let ports = match ports {
                    AnyOr::Any => any(),
                    AnyOr::Some((from, to)) => Node::object([("from", Node::number(from)), ("to", Node::number(to))]),
                };
                (
                    "network",
                    Node::object([("host", Node::text(&host.text)), ("ports", ports), ("methods", methods(of))]),
                )
            }
            Pattern::Process { items, rest } => {
                let argv = Node::list(argv_texts(items, *rest).into_iter().map(Node::text));
                ("process", Node::object([("argv", argv)]))
            }
            Pattern::Tool { server, name } => {
                ("tool", Node::object([("server", Node::text(&server.text)), ("name", Node::text(&name.text))]))
            }
        };
        Node::object([
            ("name", Node::text(&rule.name)),
            ("effect", Node::text(rule.effect)),
            ("agents", agents),
            ("action", Node::object([action])),
        ])
    });
    Node::object([("version", Node::number(policy.version)), ("rules", Node::list(rules))])
}

// --- decision.json --------------------------------------------------------------------------------------------------

fn run_decision(input: &Node, expect: &Node) -> Answered {
    if let Some(versions) = input.get("install_versions") {
        let mut in_force = None;
        let mut refused = None;
        for version in versions.items().ok_or("install_versions")? {
            let version = version.as_integer().and_then(|version| u64::try_from(version).ok()).ok_or("version")?;
            match check_install(in_force, version) {
                Ok(()) => in_force = Some(version),
                Err(code) => refused = Some(code),
            }
        }
        let mut members = vec![("version_in_force", Node::number(in_force.unwrap_or(0)))];
        members.extend(refused.map(|code| ("error", Node::text(code))));
        return Ok(Node::object(members));
    }
    let request = match read_request(input.get("request").ok_or("no request")?) {
        Ok(request) => request,
        Err((code, pointer)) => {
            let place = Node::object([("pointer", Node::text(&pointer))]);
            return Ok(Node::object([("error", Node::text(code)), ("where", place)]));
        }
    };
    if expect.get("canonical").is_some() {
        return Ok(Node::object([("canonical", request_node(&request))]));
    }
    let policy = match input.get("policy") {
        None | Some(Node { value: Value::Null, .. }) => None,
        Some(node) => Some(policy_of(node).map_err(|_| "a policy that is refused")?),
    };
    let decision = decide(policy.as_ref(), &request);
    let words = |words: Vec<&'static str>| Node::list(words.into_iter().map(Node::text));
    let trace = Node::list(trace(policy.as_ref(), &request).into_iter().map(words));
    Ok(Node::object([("decision", decision_node(&decision)), ("trace", trace)]))
}

fn request_node(request: &Request) -> Node {
    let action = |action: &Action| {
        Node::object([match action {
            Action::Filesystem { path, method } => {
                ("filesystem", Node::object([("path", Node::text(path)), ("method", Node::text(method))]))
            }
            Action::Network { host, port, method } => {
                let mut members = vec![("host", Node::text(host)), ("port", Node::number(port))];
                members.extend(method.as_ref().map(|method| ("method", Node::text(method))));
                ("network", Node::object(members))
            }
            Action::Process { argv } => {
                ("process", Node::object([("argv", Node::list(argv.iter().map(|item| Node::text(item))))]))
            }
            Action::Tool { server, name } => {
                ("tool", Node::object([("server", Node::text(server)), ("name", Node::text(name))]))
            }
        }])
    };
    let actions = Node::list(request.actions.iter().map(action));
    Node::object([("agent", Node::text(&request.agent)), ("actions", actions)])
}

fn decision_node(decision: &Decision) -> Node {
    let text = |text: &Option<String>| text.as_ref().map(|text| Node::text(text));
    let members = [
        ("effect", Some(Node::text(&decision.effect))),
        ("rule", text(&decision.rule)),
        ("action", decision.action.map(Node::number)),
        ("reason", text(&decision.reason)),
    ];
    Node::object(members.into_iter().filter_map(|(key, node)| Some((key, node?))))
}

// --- digest.json ----------------------------------------------------------------------------------------------------

fn run_digest(input: &Node) -> Answered {
    let policy = match policy_of(input.get("policy").ok_or("no policy")?) {
        Ok(policy) => policy,
        Err(problems) => return Ok(problems_node(&problems, "")),
    };
    let rule = |preimage: Vec<u8>| {
        Node::object([
            ("preimage_hex", Node::text(&hex(&preimage))),
            ("rule_digest", Node::text(&hash_text(&preimage))),
        ])
    };
    Ok(Node::object([
        ("preimage_hex", Node::text(&hex(&policy_preimage(&policy)))),
        ("policy_digest", Node::text(&policy_digest(&policy))),
        ("rules", Node::list(policy.rules.iter().map(|of| rule(rule_preimage(of))))),
    ]))
}

/// Our own digest of each case, for the cases that are compared with others.
fn digests_by_id(root: &Node, digest_of: fn(&Node) -> Option<String>) -> BTreeMap<String, String> {
    let groups = root.get("groups").and_then(Node::items).unwrap_or(&[]);
    let cases = groups.iter().flat_map(|group| group.get("cases").and_then(Node::items).unwrap_or(&[]));
    let digest = |case: &Node| Some((case.get("id")?.as_text()?.to_string(), digest_of(&expand(case.get("input")?))?));
    cases.filter_map(digest).collect()
}

fn digest_of_policy(input: &Node) -> Option<String> {
    Some(policy_digest(&policy_of(input.get("policy")?).ok()?))
}

fn digests_agree(id: &str, expect: &Node, digests: &BTreeMap<String, String>) -> bool {
    let all = |key: &str, same: bool| {
        let others = expect.get(key).and_then(texts).unwrap_or_default();
        others.iter().all(|other| digests.contains_key(*other) && (digests.get(id) == digests.get(*other)) == same)
    };
    all("same_digest_as", true) && all("other_digest_than", false)
}

// --- cbor.json ------------------------------------------------------------------------------------------------------

/// A value is written, and what was written is read again as the same value.
fn run_cbor(input: &Node) -> Answered {
    if let Some(value) = input.get("value") {
        let value = cbor_of(value).ok_or("a value of an unknown notation")?;
        let bytes = value.encode();
        return Ok(match cbor::read(&bytes, 0) {
            Ok(again) if again.encode() == bytes => Node::object([("cbor_hex", Node::text(&hex(&bytes)))]),
            Ok(_) => error("(another value was read)"),
            Err(broken) => error(broken.code),
        });
    }
    let bytes = hex_of(input, "cbor_hex").ok_or("neither value nor cbor_hex")?;
    Ok(match cbor::read(&bytes, 0) {
        Ok(_) => Node::object([("taken", Node::new(Value::Bool(true)))]),
        Err(broken) => {
            let place = Node::object([("offset", Node::number(broken.offset))]);
            Node::object([("error", Node::text(broken.code)), ("where", place)])
        }
    })
}

/// JSON and the notation for bytes and maps.
fn cbor_of(node: &Node) -> Option<Cbor> {
    Some(match &node.value {
        Value::Null => return None,
        Value::Bool(value) => Cbor::Bool(*value),
        Value::Number(_) => Cbor::Integer(node.as_integer()?),
        Value::Text(text) => Cbor::text(text.good()?),
        Value::List(items) => Cbor::Array(items.iter().map(cbor_of).collect::<Option<_>>()?),
        Value::Object(members) => match members.as_slice() {
            [member] if member.key.good() == Some("$bytes_hex") => Cbor::Bytes(unhex(member.node.as_text()?)?),
            [member] if member.key.good() == Some("$map") => {
                let entry = |entry: &Node| match entry.items() {
                    Some([key, value]) => Some((cbor_of(key)?, cbor_of(value)?)),
                    _ => None,
                };
                Cbor::Map(member.node.items()?.iter().map(entry).collect::<Option<_>>()?)
            }
            _ => {
                let entry = |member: &Member| Some((Cbor::text(member.key.good()?), cbor_of(&member.node)?));
                Cbor::Map(members.iter().map(entry).collect::<Option<_>>()?)
            }
        },
    })
}

// --- receipt.json ---------------------------------------------------------------------------------------------------

fn run_receipt(input: &Node, expect: &Node) -> Answered {
    let text = |key| input.get(key).and_then(Node::as_text);
    if let Some(label) = text("label") {
        return derived_key(text("alg").ok_or("alg")?, label);
    }
    if let Some(jwk) = input.get("public_key_jwk") {
        return Ok(key_node(PublicKey::from_jwk(jwk)));
    }
    if let Some(pem) = text("public_key_pem") {
        return Ok(key_node(PublicKey::from_pem(pem)));
    }
    if let Some(cose_key) = hex_of(input, "public_key_cose_hex") {
        return Ok(key_node(PublicKey::from_cose(&cose_key)));
    }
    if let Some(statement) = input.get("statement") {
        return made_receipt(input.get("key").ok_or("key")?, statement);
    }
    if let Some(document) = text("trust_document") {
        return Ok(match read_trust(document.as_bytes()) {
            Ok(store) => store_node(&store),
            Err(problems) => problems_node(&problems, document),
        });
    }
    if input.get("cose_hex").is_some() {
        return cose_layer(input);
    }
    let caller = Caller::read(input)?;
    let report = match (hex_of(input, "receipt_hex"), hex_of(input, "sequence_hex")) {
        (Some(bytes), _) => verify_receipt(&bytes, &caller.given()),
        (_, Some(bytes)) => verify_file(&bytes, &caller.given()),
        _ => return Err("no input that is known"),
    };
    Ok(report_node(&report, expect))
}

fn derived_key(alg: &str, label: &str) -> Answered {
    let secret = sha256(label.as_bytes());
    let public = PrivateKey::new(alg, secret).ok_or("alg")?.public();
    let (x, y) = match &public {
        PublicKey::Ed25519 { bytes, .. } => (bytes, None),
        PublicKey::P256 { x, y, .. } => (x, Some(y)),
    };
    let mut members = vec![
        ("d_hex", Node::text(&hex(&secret))),
        ("x_hex", Node::text(&hex(x))),
        ("thumbprint_input_hex", Node::text(&hex(&public.thumbprint_input()))),
        ("kid", Node::text(&hex(&public.kid()))),
        ("jwk", public.jwk()),
    ];
    members.extend(y.map(|y| ("y_hex", Node::text(&hex(y)))));
    Ok(Node::object(members))
}

fn key_node(key: Result<PublicKey, &'static str>) -> Node {
    match key {
        Ok(key) => Node::object([("alg", Node::text(key.alg_name())), ("kid", Node::text(&hex(&key.kid())))]),
        Err(code) => error(code),
    }
}

/// A receipt byte by byte (RCP-1, RCP-4, RCP-5).
fn made_receipt(key: &Node, statement: &Node) -> Answered {
    let text = |name| key.get(name).and_then(Node::as_text);
    let alg = text("alg").ok_or("alg")?;
    let key = PrivateKey::new(alg, sha256(text("label").ok_or("label")?.as_bytes())).ok_or("alg")?;
    let protected = cose::receipt_header(cose::alg_number(alg).ok_or("alg")?, &key.public().kid());
    let payload = cbor_of(statement).ok_or("a statement of an unknown notation")?.encode();
    let structure = cose::sig_structure(&protected, &[], &payload);
    let signature = key.sign(&structure);
    let whole = cose::message(protected.clone(), payload.clone(), signature.clone());
    Ok(Node::object([
        ("protected_hex", Node::text(&hex(&protected))),
        ("signed_core_cbor_hex", Node::text(&hex(&payload))),
        ("sig_structure_hex", Node::text(&hex(&structure))),
        ("receipt_hash", Node::text(&hash_text(&structure))),
        ("signature_hex", Node::text(&hex(&signature))),
        ("cose_sign1_hex", Node::text(&hex(&whole))),
    ]))
}

fn store_node(store: &TrustStore) -> Node {
    let keys = store
        .keys
        .iter()
        .map(|key| Node::object([("role", Node::text(key.role)), ("kid", Node::text(&hex(&key.kid)))]));
    Node::object([("keys", Node::list(keys)), ("require_installer", Node::new(Value::Bool(store.require_installer)))])
}

/// "COSE layer alone": steps 1 to 7 and the signature, for any payload and any kid.
fn cose_layer(input: &Node) -> Answered {
    let message = hex_of(input, "cose_hex").ok_or("cose_hex")?;
    let external_data = hex_of(input, "external_aad_hex").unwrap_or_default();
    let profile = cose::Profile {
        kid_bytes: None,
        typ: input.get("typ").and_then(Node::as_text),
        also_algorithms: &[],
        external_data: &external_data,
    };
    let message = match cose::read(&message, 0, &profile) {
        Ok(message) => message,
        Err(refused) => return Ok(error(refused.code)),
    };
    let keys = input.get("keys").and_then(Node::items).ok_or("keys")?;
    let Some(key) = keys.iter().find(|key| hex_of(key, "kid_hex").as_ref() == Some(&message.kid)) else {
        return Ok(error("key-unknown"));
    };
    let key = PublicKey::from_jwk(key.get("jwk").ok_or("jwk")?).map_err(|_| "a key that is refused")?;
    if !cose::fits(message.alg, &key) {
        return Ok(error("cose-alg-key"));
    }
    if let Err(code) = key.verify(&message.sig_structure, &message.signature) {
        return Ok(error(code));
    }
    Ok(Node::object([
        ("alg", Node::text(key.alg_name())),
        ("kid_hex", Node::text(&hex(&message.kid))),
        ("payload_hex", Node::text(&hex(&message.payload))),
        ("hash", Node::text(&message.hash())),
    ]))
}

/// What a case gives beside the receipts.
struct Caller {
    trust: TrustStore,
    policies: Option<Vec<Policy>>,
    require: Vec<Axis>,
    also_algorithms: Vec<i64>,
}

impl Caller {
    fn read(input: &Node) -> Result<Caller, &'static str> {
        let words = |key| input.get(key).map_or(Some(vec![]), texts).unwrap_or_default();
        let policies = match input.get("policies") {
            None => None,
            Some(list) => {
                let list = list.items().ok_or("policies")?;
                Some(
                    list.iter()
                        .map(policy_of)
                        .collect::<Result<Vec<_>, _>>()
                        .map_err(|_| "a policy that is refused")?,
                )
            }
        };
        Ok(Caller {
            trust: trust_of(input.get("trust").ok_or("trust")?).map_err(|_| "a trust store that is refused")?,
            policies,
            require: words("require").into_iter().map(Axis::named).collect::<Option<_>>().ok_or("an unknown axis")?,
            also_algorithms: words("also_algorithms")
                .into_iter()
                .map(cose::alg_number)
                .collect::<Option<_>>()
                .ok_or("alg")?,
        })
    }

    fn given(&self) -> Given<'_> {
        Given {
            trust: &self.trust,
            policies: self.policies.as_deref(),
            require: &self.require,
            also_algorithms: &self.also_algorithms,
        }
    }
}

/// The report in the words of `expect`: of the axes those that it names.
fn report_node(report: &Report, expect: &Node) -> Node {
    let named = |axis: &&(Axis, &str)| expect.get("axes").is_some_and(|axes| axes.get(axis.1).is_some());
    let axes = AXES.iter().filter(named).map(|(axis, name)| (*name, Node::text(report.axis(*axis).name())));
    let problems = report.problems.iter().map(|problem| {
        let mut place = vec![];
        place.extend(problem.receipt.map(|receipt| ("receipt", Node::number(receipt))));
        place.extend(problem.offset.map(|offset| ("offset", Node::number(offset))));
        place.extend(problem.pointer.as_ref().map(|pointer| ("pointer", Node::text(pointer))));
        let mut members = vec![
            ("axis", Node::text(problem.axis.name())),
            ("error", Node::text(problem.code)),
            ("code", Node::text(problem.code)),
            ("status", Node::text(problem.status.name())),
            ("where", Node::object(place)),
        ];
        members.extend(problem.engine.as_ref().map(|engine| ("engine", Node::text(engine))));
        members.extend(problem.seq.map(|seq| ("seq", Node::number(seq))));
        Node::object(members)
    });
    Node::object([
        ("ok", Node::new(Value::Bool(report.ok()))),
        ("axes", Node::object(axes)),
        ("problems", Node::list(problems)),
    ])
}

// --- ledger.json ----------------------------------------------------------------------------------------------------

fn run_ledger(input: &Node) -> Answered {
    let hex_list = |node: &Node| texts(node)?.into_iter().map(unhex).collect::<Option<Vec<Vec<u8>>>>();
    let segments = input.get("segments_hex").and_then(Node::items).ok_or("segments_hex")?;
    let segments: Option<Vec<Vec<u8>>> = segments.iter().map(|entries| Some(hex_list(entries)?.concat())).collect();
    let segments = segments.ok_or("segments_hex")?;
    let folder = match input.get("kind").and_then(Node::as_text) {
        Some("folder") => true,
        Some("file") => false,
        _ => return Err("kind"),
    };
    let durable = match input.get("durable") {
        None => None,
        Some(durable) => {
            let seq = durable.get("seq").and_then(Node::as_integer).and_then(|seq| u64::try_from(seq).ok());
            let hash = durable.get("hash").and_then(Node::as_text).map(str::to_string);
            Some((seq.ok_or("durable")?, hash.ok_or("durable")?))
        }
    };
    let checkpoints = input.get("checkpoints_hex").map_or(Some(vec![]), hex_list).ok_or("checkpoints_hex")?;
    let engines = input.get("expect_engines").map_or(Some(vec![]), texts).ok_or("expect_engines")?;
    let engines: Vec<String> = engines.into_iter().map(str::to_string).collect();
    let caller = Caller::read(input)?;
    let raw = |each: &Node| Some((each.get("receipt")?.as_text()?.to_string(), each.get("arguments")?.clone()));
    let arguments = input.get("args").and_then(Node::items).unwrap_or(&[]);
    let arguments = arguments.iter().map(raw).collect::<Option<_>>().ok_or("args")?;
    let ledger = Ledger {
        segments: &segments,
        folder,
        durable,
        checkpoints: &checkpoints,
        expect_engines: &engines,
        arguments: &arguments,
    };
    Ok(report_line(&verify_ledger(&ledger, &caller.given())))
}

// --- finding.json ---------------------------------------------------------------------------------------------------

fn run_finding(input: &Node) -> Answered {
    let known = [
        "segments_hex",
        "kind",
        "trust",
        "policies",
        "require",
        "args",
        "claim",
        "finding",
        "occurrence",
        "occurrence_of",
    ];
    let Value::Object(members) = &input.value else { return Err("an input that is no object") };
    if !members.iter().all(|member| member.key.good().is_some_and(|key| known.contains(&key))) {
        return Err("an unknown member");
    }
    let text = |node: &Node, name: &str| node.get(name).and_then(Node::as_text).map(str::to_string);
    let must = |node: &Node, name: &'static str| text(node, name).ok_or(name);
    if let Some(claim) = input.get("claim") {
        let (harness, test) = (must(claim, "harness")?, must(claim, "test_id")?);
        let stable = stable_id(&harness, &test, &must(claim, "args_digest")?, text(claim, "policy_digest").as_deref());
        let id = finding_id(&harness, &test, &must(claim, "cited_receipt")?);
        return Ok(Node::object([("finding_id", Node::text(&id)), ("stable_id", Node::text(&stable))]));
    }
    if let Some(finding) = input.get("finding") {
        return Ok(match preimage(finding, text(input, "occurrence").as_deref()).ok_or("finding")? {
            Err(code) => Node::object([("error", Node::text(code))]),
            Ok(bytes) => Node::object([
                ("preimage_hex", Node::text(&hex(&bytes))),
                ("id", Node::text(&format!("ruleprint:finding:{}", hash_text(&bytes)))),
            ]),
        });
    }
    if let Some(of) = input.get("occurrence_of") {
        let label = occurrence_of(&must(of, "kind")?, &must(of, "content")?, &text(of, "key").unwrap_or_default());
        return Ok(Node::object([("occurrence", Node::text(&label))]));
    }
    run_ledger(input)
}
