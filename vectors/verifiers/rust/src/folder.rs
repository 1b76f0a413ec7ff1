//! Ledger chapter, "The folder": reads what a ledger wrote, and prints the report as one line of JSON.

use crate::door::{plain_integer, read_json};
use crate::json::{Node, Value};
use crate::ledger::{Ledger, verify_ledger};
use crate::policy::{Policy, read_policy};
use crate::receipt::{AXES, Given, Report};
use crate::trust::read_trust;
use std::path::{Path, PathBuf};

pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of a folder whose names begin and end so, in the order of their names.
fn listed(folder: &Path, begin: &str, end: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let named = |entry: &std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(begin) && name.ends_with(end)
    };
    let mut paths: Vec<PathBuf> = entries.flatten().filter(named).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

pub fn verify_folder(folder: &Path, trust: &Path, checkpoints: &[Vec<u8>]) -> Result<Report, String> {
    let segments: Result<Vec<Vec<u8>>, String> =
        listed(folder, "segment-", ".cbor")?.iter().map(|path| read_file(path)).collect();
    let trust = read_trust(&read_file(trust)?).map_err(|problems| {
        let told: Vec<String> = problems
            .iter()
            .map(|problem| format!("{} {}", problem.code, problem.pointer.as_deref().unwrap_or("")))
            .collect();
        format!("trust store: {}", told.join(", "))
    })?;
    let durable = folder.join("durable.json");
    let durable = if durable.exists() { Some(read_durable(&read_file(&durable)?)) } else { None };
    // A file that is no policy counts for nothing: then *rules* says which policy is missing.
    let mut policies: Vec<Policy> = vec![];
    let beside = folder.join("policies");
    let beside = if beside.exists() { listed(&beside, "", ".json")? } else { vec![] };
    for path in &beside {
        policies.extend(read_policy(&read_file(path)?));
    }
    let ledger = Ledger {
        segments: &segments?,
        folder: true,
        durable,
        checkpoints,
        expect_engines: &[],
        arguments: &Default::default(),
    };
    let given = Given {
        trust: &trust,
        policies: if beside.is_empty() { None } else { Some(&policies) },
        require: &[],
        also_algorithms: &[],
    };
    Ok(verify_ledger(&ledger, &given))
}

/// `seq` and `hash`. A file that cannot be read names an entry that nobody has (LED-11).
fn read_durable(bytes: &[u8]) -> (u64, String) {
    let none = (u64::MAX, String::new());
    let Ok(document) = read_json(bytes) else { return none };
    let integer = |key: &str| match document.root.get(key).map(|node| &node.value) {
        Some(Value::Number(written)) => plain_integer(written),
        _ => None,
    };
    let whole = ["segment", "start", "offset"].iter().all(|key| integer(key).is_some());
    match (integer("seq"), document.root.get("hash").and_then(Node::as_text)) {
        (Some(seq), Some(hash)) if whole => (seq, hash.to_string()),
        _ => none,
    }
}

pub fn report_line(report: &Report) -> Node {
    let axes = AXES.iter().map(|(axis, name)| (*name, Node::text(report.axis(*axis).name())));
    let problems = report.problems.iter().map(|problem| {
        let mut members = vec![
            ("axis", Node::text(problem.axis.name())),
            ("code", Node::text(problem.code)),
            ("status", Node::text(problem.status.name())),
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
