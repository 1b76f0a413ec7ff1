//! Audit run and audit evidence chapters: what an audit derives.

use crate::bytes::{hash_text, hex, sha256, unhex};
use crate::digest::field;
use crate::json::Text;

/// AUR-17, over the RFC 8785 form of the document.
pub fn scenario_digest(form: &str) -> String {
    hash_fields(&["ruleprint/scenario-digest/1", form])
}

/// AUD-18: an agent by what the operator tells it.
pub fn agent_digest(name: &str, prompt: &str) -> String {
    hash_fields(&["ruleprint/agent-digest/1", name, prompt])
}

fn hash_fields(texts: &[&str]) -> String {
    let mut out = vec![];
    for text in texts {
        field(&mut out, text);
    }
    hash_text(&out)
}

/// AUR-10
pub fn epoch_seed(seed: &[u8], epoch: u32) -> u32 {
    let mut out = vec![];
    field(&mut out, "ruleprint/epoch-seed/1");
    out.extend(seed);
    out.extend(epoch.to_be_bytes());
    let digest = sha256(&out);
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) >> 1
}

/// AUR-16: of each epoch the index of its cell, in rounds, from the numbers of epochs of the cells.
pub fn schedule(cells: &[u64]) -> Vec<u64> {
    let rounds = 0..cells.iter().copied().max().unwrap_or(0);
    let round = |round: u64| (0u64..).zip(cells).filter(move |(_, epochs)| round < **epochs).map(|(index, _)| index);
    rounds.flat_map(round).collect()
}

/// AUE-18: the tree hash of RFC 9162 over digests; nothing where one of them is none.
pub fn transcripts_root(digests: &[&str]) -> Option<String> {
    let leaves: Option<Vec<_>> = digests.iter().map(|digest| unhex(digest.strip_prefix("sha256:")?)).collect();
    Some(format!("sha256:{}", hex(&tree_hash(&leaves?))))
}

fn tree_hash(leaves: &[Vec<u8>]) -> [u8; 32] {
    match leaves {
        [] => sha256(&[]),
        [leaf] => sha256(&[&[0][..], leaf].concat()),
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            sha256(&[&[1][..], &tree_hash(left), &tree_hash(right)].concat())
        }
    }
}

/// A message of the assistant.
pub struct Said<'a> {
    pub text: &'a Text,
    pub thoughts: Option<&'a Text>,
    /// Name and arguments, as written.
    pub calls: Vec<(&'a Text, &'a Text)>,
}

/// AUE-20: what the agent said and did, with slots in the places of planted values. `canaries` are slots and values in the order
/// of the transcript's head.
pub fn said_words(messages: &[Said], canaries: &[(&str, &str)]) -> String {
    let call = |(name, raw): &(&Text, &Text)| format!("[{},{}]", stringified(name), stringified(raw));
    let said = |message: &Said| {
        let thoughts = message.thoughts.map_or("\"\"".to_string(), stringified);
        let calls: Vec<_> = message.calls.iter().map(call).collect();
        format!("[{},{thoughts},[{}]]", stringified(message.text), calls.join(","))
    };
    let words = format!("[{}]", messages.iter().map(said).collect::<Vec<_>>().join(","));
    canaries.iter().fold(words, |words, (slot, value)| words.replace(value, &format!("{{{{canary:{slot}}}}}")))
}

/// What JSON.stringify makes of a text: half characters are escaped.
fn stringified(text: &Text) -> String {
    let units: Vec<u16> = match text {
        Text::Good(text) => text.encode_utf16().collect(),
        Text::Broken(units) => units.clone(),
    };
    let letters = char::decode_utf16(units).map(|letter| match letter {
        Ok(letter @ ('"' | '\\')) => format!("\\{letter}"),
        Ok('\x08') => "\\b".to_string(),
        Ok('\t') => "\\t".to_string(),
        Ok('\n') => "\\n".to_string(),
        Ok('\x0c') => "\\f".to_string(),
        Ok('\r') => "\\r".to_string(),
        Ok(letter @ '\0'..='\x1f') => format!("\\u{:04x}", letter as u32),
        Ok(letter) => letter.to_string(),
        Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
    });
    format!("\"{}\"", letters.collect::<String>())
}
