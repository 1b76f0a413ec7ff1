"""Chapters audit run and audit evidence: what is derived (AUR-10, AUR-16, AUR-17, AUD-18, AUE-18, AUE-20)."""

import hashlib

from .canonical_json import SHORT
from .digest import field, sha256, u32be
from .text import SURROGATE


def scenario_digest(formed):
    """AUR-17"""
    return sha256(field("ruleprint/scenario-digest/1") + field(formed))


def agent_digest(name, prompt):
    """AUD-18"""
    return sha256(field("ruleprint/agent-digest/1") + field(name) + field(prompt))


def epoch_seed(seed, epoch):
    """AUR-10"""
    digest = hashlib.sha256(field("ruleprint/epoch-seed/1") + seed + u32be(epoch)).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def schedule(cells):
    """AUR-16: of each epoch the index of its cell. `cells` are the numbers of epochs."""
    rounds = range(max(cells, default=0))
    return [index for round in rounds for index, epochs in enumerate(cells) if round < epochs]


def said_words(messages, canaries):
    """AUE-20, as bytes. `canaries` are (slot, value) in the order of the transcript's head."""
    said = []
    for message in messages:
        if message["role"] == "assistant":
            calls = [f"[{string(call['name'])},{string(call['raw'])}]" for call in message.get("calls", ())]
            said.append(f"[{string(message['text'])},{string(message.get('reasoning', ''))},[{','.join(calls)}]]")
    words = f"[{','.join(said)}]"
    for slot, value in canaries:
        words = words.replace(value, "{{canary:" + slot + "}}")
    return words.encode("utf-8")


def string(text):
    """JSON.stringify: a surrogate without its partner is escaped."""
    whole = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    escaped = "".join(SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in whole)
    return '"' + SURROGATE.sub(lambda found: "".join(f"\\u{ord(c):04x}" for c in found[0]), escaped) + '"'


def transcripts_root(digests):
    """AUE-18"""
    return "sha256:" + tree_hash([bytes.fromhex(digest.removeprefix("sha256:")) for digest in digests]).hex()


def tree_hash(leaves):
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:left]) + tree_hash(leaves[left:])).digest()
