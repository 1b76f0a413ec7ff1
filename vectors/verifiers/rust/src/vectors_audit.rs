//! audit.json: trees, bounds, rates, canaries, what is derived.

use crate::audit_run::{Said, agent_digest, epoch_seed, said_words, scenario_digest, schedule, transcripts_root};
use crate::bytes::{hash_text, hex, unhex};
use crate::canary::canary_value;
use crate::canonical_json::form;
use crate::json::{Node, Text, Value};
use crate::statistics::{Rate, rate_test, upper_bound};
use crate::tree::{TreeFile, interchange_hash, sorted_tree, tree_preimage};
use crate::tree_names::hidden_files;

/// Answers a case by the members of its input, all of which must be known.
pub fn run_audit(input: &Node) -> Result<Node, &'static str> {
    if let Some(files) = input.get("files") {
        only(input, &["files"])?;
        return Ok(match tree_of(files)? {
            Err(code) => Node::object([("error", Node::text(code))]),
            Ok(files) => tree_node(&files),
        });
    }
    if input.get("k").is_some() {
        only(input, &["k", "n", "alpha", "tests"])?;
        let bound = upper_bound(rate(input)?, number(input, "alpha")?, number(input, "tests")?);
        return Ok(Node::object([("upper_bound", Node::number(bound))]));
    }
    if let (Some(with_skill), Some(baseline)) = (input.get("with_skill"), input.get("baseline")) {
        only(input, &["with_skill", "baseline", "alpha", "difference", "tests"])?;
        let [alpha, difference, tests] = ["alpha", "difference", "tests"].map(|name| number(input, name));
        let (p, failed) = rate_test(rate(with_skill)?, rate(baseline)?, alpha?, difference?, tests?);
        return Ok(Node::object([("p", Node::number(p)), ("failed", Node::new(Value::Bool(failed)))]));
    }
    let text = |name: &'static str| input.get(name).and_then(Node::as_text).ok_or(name);
    if let Some(scenario) = input.get("scenario") {
        only(input, &["scenario"])?;
        let form = form(scenario)?;
        return Ok(Node::object([
            ("form", Node::text(&form)),
            ("scenario_digest", Node::text(&scenario_digest(&form))),
        ]));
    }
    if input.get("agent").is_some() {
        only(input, &["agent", "prompt"])?;
        return Ok(Node::object([("agent_digest", Node::text(&agent_digest(text("agent")?, text("prompt")?)))]));
    }
    if let Some(cells) = input.get("cells") {
        only(input, &["cells"])?;
        let epochs = cells.items().ok_or("cells")?.iter().map(|cell| number(cell, "epochs"));
        let order = schedule(&epochs.collect::<Result<Vec<_>, _>>()?);
        return Ok(Node::object([("order", Node::list(order.into_iter().map(Node::number)))]));
    }
    if input.get("messages").is_some() {
        only(input, &["messages", "canaries"])?;
        let words = words_of(input)?;
        let digest = hash_text(words.as_bytes());
        return Ok(Node::object([
            ("words_hex", Node::text(&hex(words.as_bytes()))),
            ("said_digest", Node::text(&digest)),
        ]));
    }
    if let Some(transcripts) = input.get("transcripts") {
        only(input, &["transcripts"])?;
        let digests: Option<Vec<_>> = transcripts.items().ok_or("transcripts")?.iter().map(Node::as_text).collect();
        let root = digests.and_then(|digests| transcripts_root(&digests)).ok_or("transcripts")?;
        return Ok(Node::object([("transcripts_root", Node::text(&root))]));
    }
    if input.get("slot").is_none() {
        only(input, &["seed_hex", "epoch"])?;
        let seed = unhex(text("seed_hex")?).ok_or("seed_hex")?;
        let epoch = u32::try_from(number(input, "epoch")?).map_err(|_| "epoch")?;
        return Ok(Node::object([("epoch_seed", Node::number(epoch_seed(&seed, epoch)))]));
    }
    only(input, &["seed_hex", "plan_digest", "epoch", "slot"])?;
    let seed = unhex(text("seed_hex")?).ok_or("seed_hex")?;
    let epoch = u32::try_from(number(input, "epoch")?).map_err(|_| "epoch")?;
    let canary = canary_value(&seed, text("plan_digest")?, epoch, text("slot")?);
    Ok(Node::object([("canary", Node::text(&canary)), ("commitment", Node::text(&hash_text(&seed)))])) // AUD-21
}

/// Our own digest of the tree of a case, for the cases that are compared with it.
pub fn digest_of_tree(input: &Node) -> Option<String> {
    let files = tree_of(input.get("files")?).ok()?.ok()?;
    Some(hash_text(&tree_preimage(&sorted_tree(&files).ok()?)))
}

/// A case that is not run, and why.
pub fn skipped(input: &Node) -> Option<&'static str> {
    let reason = "verdict: it follows from counts of epochs, which this verifier does not make";
    input.get("plan").map(|_| reason)
}

fn words_of(input: &Node) -> Result<String, &'static str> {
    let words = |node: &'_ Node, name: &'static str| match node.get(name).map(|node| &node.value) {
        Some(Value::Text(text)) => Ok(text.clone()),
        _ => Err(name),
    };
    let mut owned = vec![];
    for message in input.get("messages").and_then(Node::items).ok_or("messages")? {
        if message.get("role").and_then(Node::as_text) != Some("assistant") {
            continue;
        }
        let calls = message.get("calls").and_then(Node::items).unwrap_or(&[]);
        let calls = calls.iter().map(|call| Ok((words(call, "name")?, words(call, "raw")?)));
        let calls: Vec<(Text, Text)> = calls.collect::<Result<_, &'static str>>()?;
        owned.push((words(message, "text")?, words(message, "reasoning").ok(), calls));
    }
    let said = owned.iter().map(|(text, thoughts, calls)| Said {
        text,
        thoughts: thoughts.as_ref(),
        calls: calls.iter().map(|(name, raw)| (name, raw)).collect(),
    });
    let canaries = input.get("canaries").and_then(Node::items).ok_or("canaries")?.iter();
    let canaries = canaries
        .map(|canary| Some((canary.get("slot")?.as_text()?, canary.get("value")?.as_text()?)))
        .collect::<Option<Vec<_>>>()
        .ok_or("canaries")?;
    Ok(said_words(&said.collect::<Vec<_>>(), &canaries))
}

fn only(input: &Node, known: &[&str]) -> Result<(), &'static str> {
    let Value::Object(members) = &input.value else { return Err("an input that is no object") };
    let all = members.iter().all(|member| member.key.good().is_some_and(|key| known.contains(&key)));
    if all { Ok(()) } else { Err("an unknown member") }
}

fn number(node: &Node, name: &'static str) -> Result<u64, &'static str> {
    node.get(name).and_then(Node::as_integer).and_then(|number| u64::try_from(number).ok()).ok_or(name)
}

fn rate(node: &Node) -> Result<Rate, &'static str> {
    Ok(Rate { k: number(node, "k")?, n: number(node, "n")? })
}

/// The files of a case. A path that is no well-formed text is refused before anything else is asked.
fn tree_of(files: &Node) -> Result<Result<Vec<TreeFile>, &'static str>, &'static str> {
    let mut out = vec![];
    for file in files.items().ok_or("files")? {
        let path = match file.get("path").map(|path| &path.value) {
            Some(Value::Text(Text::Good(path))) => path.clone(),
            Some(Value::Text(Text::Broken(_))) => return Ok(Err("lone-surrogate")),
            _ => return Err("path"),
        };
        let executable = match file.get("executable").map(|executable| &executable.value) {
            Some(Value::Bool(executable)) => *executable,
            _ => return Err("executable"),
        };
        let bytes = file.get("bytes_hex").and_then(Node::as_text).and_then(unhex).ok_or("bytes_hex")?;
        out.push(TreeFile { path, executable, bytes });
    }
    Ok(Ok(out))
}

fn tree_node(files: &[TreeFile]) -> Node {
    let sorted = match sorted_tree(files) {
        Ok(sorted) => sorted,
        Err(code) => return Node::object([("error", Node::text(code))]),
    };
    let preimage = tree_preimage(&sorted);
    let hidden = hidden_files(files).into_iter();
    let hidden =
        hidden.map(|(path, reason)| Node::object([("path", Node::text(path)), ("reason", Node::text(reason))]));
    Node::object([
        ("preimage_hex", Node::text(&hex(&preimage))),
        ("tree_digest", Node::text(&hash_text(&preimage))),
        ("interchange_hash", Node::text(&interchange_hash(&sorted))),
        ("hidden", Node::list(hidden)),
    ])
}
