"""Chapter audit: digests of trees (AUD-10 to AUD-16), exact bounds and rates (AUD-1 to AUD-4), canaries (AUD-20, AUD-21)."""

import base64
import hashlib
import hmac
import re
import unicodedata
from fractions import Fraction
from math import ceil, comb

from .digest import field, sha256, u32be
from .problem import Refused
from .text import text_problem

MILLION = 1_000_000
PATH_BYTES = 1_024
FILES = 10_000
FILE_BYTES = 16 * 2**20
TREE_BYTES = 64 * 2**20
STRANGE = re.compile("[\\\\\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]")
JUNK = {  # AUD-14
    ".ds_store", "thumbs.db", "desktop.ini", ".localized", ".spotlight-v100", ".trashes", ".fseventsd", "__macosx", ".git", ".svn", ".hg",
}
SKIPPED = {".DS_Store", "Thumbs.db", "desktop.ini"}  # AUD-16
NO_PLACE = re.compile(  # AUD-15
    "[\u00ad\u0300-\u036f\u0483-\u0489\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20d0-\u20ff\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d165-\U0001d182\U000e0000-\U000e0fff]"
)


# ---- trees: files are (path, executable, bytes)

def sorted_tree(files):
    """By the UTF-8 bytes of the paths; refuses what is no tree (AUD-12)."""
    if not files:
        raise Refused("tree-empty")
    if len(files) > FILES:
        raise Refused("limit")
    for path, _, data in files:
        code = text_problem(path, PATH_BYTES)
        if code:
            raise Refused(code)
        if any(segment in ("", ".", "..") for segment in path.split("/")) or STRANGE.search(path):
            raise Refused("tree-path")
        if len(data) > FILE_BYTES:
            raise Refused("limit")
    if sum(len(data) for _, _, data in files) > TREE_BYTES:
        raise Refused("limit")
    paths = {path for path, _, _ in files}
    if len(paths) < len(files) or any(folder in paths for path in paths for folder in folders_of(path)):
        raise Refused("tree-path")
    return sorted(files, key=lambda file: file[0].encode("utf-8"))


def folders_of(path):
    segments = path.split("/")
    return ["/".join(segments[:i]) for i in range(1, len(segments))]


def tree_preimage(files):
    """AUD-10, AUD-11"""
    out = field("ruleprint/tree-digest/1") + u32be(len(files))
    for path, executable, data in sorted_tree(files):
        out += field(path) + field("executable" if executable else "file") + hashlib.sha256(data).digest()
    return out


def interchange_hash(files):
    """AUD-16"""
    hasher = hashlib.sha256()
    for path, _, data in sorted_tree(files):
        if path.split("/")[-1] not in SKIPPED:
            name = path.encode("utf-8")
            hasher.update(len(name).to_bytes(8, "big") + name + hashlib.sha256(data).digest())
    return hasher.hexdigest()


def hidden_files(files):
    """In the order given: AUD-14, then AUD-15."""
    spellings = {}
    for path, _, _ in files:
        for name in (*folders_of(path), path):
            spellings.setdefault(seen_as(name), set()).add(name)
    named = []
    for path, _, _ in files:
        if any(name.lower() in JUNK or name.startswith("._") for name in path.split("/")):
            named.append({"path": path, "reason": "junk-name"})
        elif any(len(spellings[seen_as(name)]) > 1 for name in (*folders_of(path), path)):
            named.append({"path": path, "reason": "name-collides"})
    return named


def seen_as(name):
    lower = unicodedata.normalize("NFKC", name).lower().replace("ς", "σ")
    return unicodedata.normalize("NFKC", NO_PLACE.sub("", lower))


# ---- numbers

def upper_bound(k, n, alpha):
    """AUD-2: the smallest m with P(X <= k) <= alpha for n trials of rate m / MILLION, in integers. `alpha` is a Fraction."""
    if k == n:
        return MILLION
    low, high = 0, MILLION  # it falls with m, and is 0 at a rate of one
    while low < high:
        m = (low + high) // 2
        if tail(k, n, m) * alpha.denominator <= alpha.numerator * MILLION**n:
            high = m
        else:
            low = m + 1
    return low


def tail(k, n, m):
    """P(X <= k) times MILLION ** n."""
    return sum(comb(n, i) * m**i * (MILLION - m) ** (n - i) for i in range(k + 1))


def rate_test(with_skill, baseline, alpha, difference, tests):
    """AUD-4: p in millionths, rounded up, and whether the test fails. Arms are (k, n)."""
    (k1, n1), (k0, n0) = with_skill, baseline
    seen = k1 + k0
    ways = sum(comb(n1, k) * comb(n0, seen - k) for k in range(k1, min(n1, seen) + 1) if seen - k <= n0)
    p = Fraction(ways, comb(n1 + n0, seen))
    is_rare = p < share_of(alpha, tests)
    is_enough = n1 > 0 and n0 > 0 and Fraction(k1, n1) - Fraction(k0, n0) >= Fraction(difference, MILLION)
    return ceil(p * MILLION), is_rare and is_enough


def share_of(millionths, tests):
    return Fraction(millionths, MILLION * tests)


# ---- canaries

def canary(seed, plan_digest, epoch, slot):
    """AUD-20"""
    message = field("ruleprint/canary/1") + field(plan_digest) + u32be(epoch) + field(slot)
    return base64.b32encode(hmac.new(seed, message, hashlib.sha256).digest()).decode()[:26]


def commitment(seed):
    """AUD-21"""
    return sha256(seed)
