//! A second reader of the ruleprint specification, in Rust: it shares no code with the package.
//!
//! `verify VECTORS_DIR` runs every vector file; `ledger FOLDER TRUST.json [--checkpoint FILE]...` verifies a ledger folder.

mod audit_run;
mod bignum;
mod bytes;
mod canary;
mod canonical_json;
mod cbor;
mod cose;
mod decision;
mod digest;
mod door;
mod finding;
mod folder;
mod json;
mod keys;
mod ledger;
#[cfg(test)]
mod ledger_test;
mod mapping;
mod mapping_table;
mod matching;
mod policy;
mod receipt;
mod statement;
mod statement_audit;
mod statement_grammar;
mod statistics;
mod tree;
mod tree_names;
mod trust;
mod vectors;
mod vectors_audit;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let good = match arguments.as_slice() {
        ["verify", folder] => verify(Path::new(folder)),
        ["ledger", folder, trust, options @ ..] => ledger(Path::new(folder), Path::new(trust), options),
        _ => Err("usage: verify VECTORS_DIR | ledger FOLDER TRUST.json [--checkpoint FILE]...".to_string()),
    };
    match good {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn verify(folder: &Path) -> Result<bool, String> {
    let count = vectors::run_folder(folder)?;
    for (reason, number) in &count.skipped {
        println!("skipped {number} of {reason}");
    }
    let skipped: usize = count.skipped.values().sum();
    let tail = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    println!("{} passed, {} failed{tail}", count.passed, count.failed);
    Ok(count.failed == 0 && count.passed > 0)
}

fn ledger(folder: &Path, trust: &Path, options: &[&str]) -> Result<bool, String> {
    let mut checkpoints = vec![];
    for option in options.chunks(2) {
        match option {
            ["--checkpoint", file] => checkpoints.push(folder::read_file(Path::new(file))?),
            _ => return Err(format!("unknown option: {}", option.join(" "))),
        }
    }
    let report = folder::verify_folder(folder, trust, &checkpoints)?;
    println!("{}", folder::report_line(&report));
    Ok(report.ok())
}
