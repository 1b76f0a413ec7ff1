//! Receipt chapter, "Trust store" (RCP-9 to RCP-11).

use crate::bytes::hex;
use crate::door::{Door, GREATEST_INTEGER, check_name, read_json};
use crate::json::{Node, Problem, Text, Value, pointer_step};
use crate::keys::PublicKey;
use crate::policy::IDS;
use std::collections::{BTreeMap, HashSet};

pub const ROLES: [&str; 5] = ["engine", "installer", "approver", "harness", "auditor"];

#[derive(Clone, Debug, Default)]
pub struct TrustStore {
    pub keys: Vec<TrustedKey>,
    pub require_installer: bool,
}

#[derive(Clone, Debug)]
pub struct TrustedKey {
    pub role: &'static str,
    pub engine_ids: Vec<String>,
    pub key: PublicKey,
    pub kid: [u8; 32],
    pub valid_from: Option<u64>,
    pub valid_until: Option<u64>,
    pub revoked_at: Option<u64>,
    pub revoked_from_seq: BTreeMap<String, u64>,
}

impl TrustStore {
    /// RCP-11: keys come from here alone, by kid.
    pub fn find(&self, kid: &[u8]) -> Option<&TrustedKey> {
        self.keys.iter().find(|key| key.kid == kid)
    }
}

pub fn read_trust(document: &[u8]) -> Result<TrustStore, Vec<Problem>> {
    let document = read_json(document)?;
    let mut door = Door::default();
    let store = store(&mut door, &document.root, document.problems.is_empty());
    door.close(store, document.problems)
}

pub fn trust_of(node: &Node) -> Result<TrustStore, Vec<Problem>> {
    let mut door = Door::default();
    let store = store(&mut door, node, true);
    door.close(store, vec![])
}

fn store(door: &mut Door, node: &Node, text_is_good: bool) -> Option<TrustStore> {
    let fields = door.fields(node, "", &["keys"], &["require_installer"])?;
    let mut shapes = vec![];
    if let Some((node, pointer)) = fields.get("keys") {
        for (index, node) in door.list(node, &pointer, usize::MAX)?.iter().enumerate() {
            shapes.extend(shape_of(door, node, &pointer_step(&pointer, &index.to_string())));
        }
    }
    let require_installer = match fields.get("require_installer") {
        None => Some(false),
        Some((Node { value: Value::Bool(value), .. }, _)) => Some(*value),
        Some((node, at)) => {
            door.refuse("wrong-type", node, &at);
            None
        }
    };
    if !text_is_good || !door.problems.is_empty() {
        return None;
    }
    // The shape is good. The keys in their order; the first problem alone is reported.
    let mut kids = HashSet::new();
    let keys = shapes.into_iter().map(|shaped| trusted_key(door, shaped, &mut kids)).collect::<Option<Vec<_>>>()?;
    Some(TrustStore { keys, require_installer: require_installer? })
}

/// The shape of an entry, and what RCP-9 judges where the shape of all is good: its key and its kid.
struct Shaped<'a> {
    entry: (&'a Node, String),
    role: &'static str,
    engine_ids: Vec<String>,
    key: (&'a Node, String),
    kid: Option<(&'a Node, String)>,
    valid_from: Option<u64>,
    valid_until: Option<u64>,
    revoked_at: Option<u64>,
    revoked_from_seq: Option<BTreeMap<String, u64>>,
}

fn shape_of<'a>(door: &mut Door, node: &'a Node, pointer: &str) -> Option<Shaped<'a>> {
    let optional = ["kid", "valid_from", "valid_until", "revoked_at", "revoked_from_seq"];
    let fields = door.fields(node, pointer, &["role", "engine_ids", "key"], &optional)?;
    let role = fields.get("role").and_then(|(node, at)| door.word(node, &at, &ROLES));
    let engine_ids = fields.get("engine_ids").and_then(|(node, at)| door.set(node, &at, IDS, Door::name));
    let key = fields.get("key");
    if let Some((node, at)) = &key
        && !matches!(node.value, Value::Object(_))
    {
        door.refuse("wrong-type", node, at);
    }
    let kid = fields.get("kid");
    if let Some((node, at)) = &kid {
        door.string(node, at, usize::MAX, |_| Ok(()));
    }
    let mut time = |name| fields.get(name).and_then(|(node, at)| door.integer(node, &at, 0..=GREATEST_INTEGER));
    let (valid_from, valid_until, revoked_at) = (time("valid_from"), time("valid_until"), time("revoked_at"));
    let revoked_from_seq = fields.get("revoked_from_seq").and_then(|(node, at)| revoked_from_seq(door, node, &at));
    Some(Shaped {
        entry: (node, pointer.to_string()),
        role: role?,
        engine_ids: engine_ids?,
        key: key?,
        kid,
        valid_from,
        valid_until,
        revoked_at,
        revoked_from_seq,
    })
}

/// RCP-9: what would revoke nothing, the key, whether it stands twice, the kid beside it.
fn trusted_key(door: &mut Door, shaped: Shaped, kids: &mut HashSet<[u8; 32]>) -> Option<TrustedKey> {
    if shaped.revoked_from_seq.is_some() && shaped.revoked_at.is_none() {
        let (node, at) = shaped.entry;
        door.refuse("missing-key", node, &at);
        return None;
    }
    let (node, at) = shaped.key;
    let key = PublicKey::from_jwk(node).map_err(|code| door.refuse(code, node, &at)).ok()?;
    let kid = key.kid();
    if !kids.insert(kid) {
        door.refuse("kid-duplicate", node, &at);
        return None;
    }
    if let Some((node, at)) = shaped.kid
        && node.as_text() != Some(&hex(&kid))
    {
        door.refuse("kid-mismatch", node, &at);
        return None;
    }
    Some(TrustedKey {
        role: shaped.role,
        engine_ids: shaped.engine_ids,
        key,
        kid,
        valid_from: shaped.valid_from,
        valid_until: shaped.valid_until,
        revoked_at: shaped.revoked_at,
        revoked_from_seq: shaped.revoked_from_seq.unwrap_or_default(),
    })
}

/// Engine ids and the seq from which on the key is revoked for each.
fn revoked_from_seq(door: &mut Door, node: &Node, pointer: &str) -> Option<BTreeMap<String, u64>> {
    let Value::Object(members) = &node.value else {
        door.refuse("wrong-type", node, pointer);
        return None;
    };
    let mut seqs = BTreeMap::new();
    for member in members {
        let at = pointer_step(pointer, &member.key.lossy());
        let named = match &member.key {
            Text::Broken(_) => Err("lone-surrogate"),
            Text::Good(id) => check_name(id).map(|()| id.clone()),
        };
        let seq = door.integer(&member.node, &at, 0..=GREATEST_INTEGER);
        match named {
            Ok(id) => drop(seqs.insert(id, seq?)),
            Err(code) => door.problems.push(Problem::new(code, &at, member.at)),
        }
    }
    Some(seqs)
}
