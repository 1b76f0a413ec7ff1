"""Runs every file of vectors/ and compares what it says with what this verifier says."""

import base64
import hashlib
import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ed25519

from . import audit, audit_run, audit_verdict, canonical_json, cbor, cose, decision, digest, finding, ledger, mapping, match, receipt
from .keys import key_from_cose, key_from_jwk, key_from_pem, public_part
from .policy import policy_from_json, policy_from_object
from .problem import Refused, SeveralRefused
from .trust import trust_from_json, trust_from_object


class Skip(Exception):
    """A case that is not run, with the reason."""


# ---- notations

def expand(value):
    """Texts in their notation become texts; everything else stays."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$utf16_hex"}:
        return bytes.fromhex(value["$utf16_hex"]).decode("utf-16-be", "surrogatepass")
    if set(value) == {"$repeat"}:
        piece, times = value["$repeat"]
        return piece * times
    return {key: expand(member) for key, member in value.items()}


def long_hex(value):
    if isinstance(value, str):
        return bytes.fromhex(value)
    if "$concat" in value:
        return b"".join(long_hex(part) for part in value["$concat"])
    piece, times = value["$repeat"]
    return bytes.fromhex(piece) * times


def cbor_value(value):
    if isinstance(value, list):
        return [cbor_value(item) for item in value]
    if isinstance(value, dict):
        if "$bytes_hex" in value:
            return bytes.fromhex(value["$bytes_hex"])
        return {key: cbor_value(member) for key, member in value["$map"]}
    return value


# ---- what this verifier says to one case, in the words of the vectors

def run_match(input):
    if "path_pattern" in input:
        parsed = match.parse_path_pattern(input["path_pattern"])
        return {"covers": match.path_covers(parsed, match.canonical_path(input["path"]))} if "path" in input else {}
    if "host_pattern" in input:
        parsed = match.parse_host_pattern(input["host_pattern"])
        return {"covers": match.host_covers(parsed, input["host"])} if "host" in input else {}
    if "text_pattern" in input:
        tokens = match.parse_text_pattern(input["text_pattern"])
        return {"covers": match.glob_covers(tokens, input["text"])} if "text" in input else {}
    if "argv_pattern" in input:
        parsed = match.parse_argv_pattern(input["argv_pattern"])
        return {"covers": match.argv_covers(parsed, input["argv"])} if "argv" in input else {}
    if "path" in input:
        return {"canonical": match.canonical_path(input["path"])}
    return {"canonical": match.canonical_host(input["host"])}


def run_decision(input):
    if "install_versions" in input:
        in_force = None
        for version in input["install_versions"]:
            try:
                in_force = decision.install(in_force, version)
            except Refused as refused:
                return {"error": refused.code, "version_in_force": in_force}
        return {"version_in_force": in_force}
    request = decision.canonical_request(input["request"])
    if "policy" not in input:
        return {"canonical": request}
    if input["policy"] is None:
        return {"decision": decision.decide(None, request), "trace": [[] for _ in request["actions"]]}
    engine = decision.Engine(policy_from_object(input["policy"]))
    return {"decision": engine.decide(request), "trace": engine.trace(request)}


def run_digest(input):
    policy = policy_from_object(input["policy"])
    rules = [digest.rule_preimage(rule) for rule in policy["rules"]]
    preimage = digest.policy_preimage(policy)
    rules = [{"preimage_hex": rule.hex(), "rule_digest": digest.sha256(rule)} for rule in rules]
    return {"preimage_hex": preimage.hex(), "policy_digest": digest.sha256(preimage), "rules": rules}


def run_mapping(input):
    if "args_json" in input:
        form = canonical_json.form(canonical_json.parse_args(input["args_json"]))
        return {"form": form, "args_digest": canonical_json.args_digest(form, input.get("salt", ""))}
    if "document" in input:
        return {"mapping_digest": mapping.digest_of([mapping.table_from_json(input["document"])])}
    tables = [mapping.table_from_object(table) for table in input["tables"]]
    if "call" not in input:
        return {"mapping_digest": mapping.digest_of(tables)}
    mapper = mapping.Mapper(tables, input.get("server"), input.get("cwd"), input.get("home"))
    try:
        return {"actions": mapper.map(input["call"])}
    except Refused as refused:
        return {"error": refused.code, "reason": mapping.reason_of(refused)}


def run_policy(input):
    data = bytes.fromhex(input["document_hex"]) if "document_hex" in input else input["document"]
    if input["format"] != "json":
        raise Skip("a verifier takes policies as JSON; this case is YAML")
    policy = policy_from_json(data)
    return {"policy": policy, "policy_digest": digest.policy_digest(policy)}


def run_cbor(input):
    if "value" in input:
        value = cbor_value(input["value"])
        encoded = cbor.encode(value)
        if cbor.decode(encoded) != value:
            raise AssertionError("reads back as another value")
        return {"cbor_hex": encoded.hex()}
    return {"cbor_hex": cbor.encode(cbor.decode(bytes.fromhex(input["cbor_hex"]))).hex()}


def run_receipt(input):
    if "label" in input:
        return derived_key(input["alg"], input["label"])
    if "statement" in input:
        return made_receipt(input["key"], input["statement"])
    for name, read in (("public_key_jwk", key_from_jwk), ("public_key_pem", key_from_pem)):
        if name in input:
            return key_answer(read(input[name]))
    if "public_key_cose_hex" in input:
        return key_answer(key_from_cose(bytes.fromhex(input["public_key_cose_hex"])))
    if "trust_document" in input:
        trust = trust_from_json(input["trust_document"])
        keys = [{"role": entry.role, "kid": kid.hex()} for kid, entry in trust.keys.items()]
        return {"keys": keys, "require_installer": trust.require_installer}
    if "cose_hex" in input:
        return layer_answer(input)
    trust = trust_from_object(input["trust"])
    policies = [policy_from_object(p) for p in input["policies"]] if "policies" in input else None
    options = (trust, policies, input.get("require", ()), input.get("also_algorithms", ()))
    if "sequence_hex" in input:
        return report_answer(receipt.verify_sequence(long_hex(input["sequence_hex"]), *options))
    return report_answer(receipt.verify_receipt(long_hex(input["receipt_hex"]), *options))


def run_ledger(input):
    trust = trust_from_object(input["trust"])
    policies = [policy_from_object(p) for p in input["policies"]] if "policies" in input else None
    checkpoints = [long_hex(checkpoint) for checkpoint in input.get("checkpoints_hex", ())]
    arguments = {each["receipt"]: each["arguments"] for each in input.get("args", ())}
    options = (input.get("durable"), input.get("require", ()), input.get("expect_engines", ()), input.get("also_algorithms", ()), arguments)
    verifier = ledger.LedgerVerifier(trust, input["kind"], policies, checkpoints, *options)
    report = verifier.verify([b"".join(map(long_hex, segment)) for segment in input["segments_hex"]])
    return {"ok": report.ok, "axes": report.axes, "problems": [problem_answer(p) for p in report.problems]}


def run_finding(input):
    if "claim" in input:
        claim = input["claim"]
        who = (claim["harness"], claim["test_id"])
        return {
            "finding_id": finding.finding_id(*who, claim["cited_receipt"]),
            "stable_id": finding.stable_id(*who, claim["args_digest"], claim.get("policy_digest")),
        }
    if "finding" in input:
        preimage = finding.preimage(input["finding"], input.get("occurrence"))
        return {"preimage_hex": preimage.hex(), "id": "ruleprint:finding:" + digest.sha256(preimage)}
    if "occurrence_of" in input:
        return {"occurrence": finding.occurrence_of(**input["occurrence_of"])}
    return run_ledger(input)


def run_audit(input):
    if "files" in input:
        files = [(file["path"], file["executable"], bytes.fromhex(file["bytes_hex"])) for file in input["files"]]
        preimage = audit.tree_preimage(files)
        return {
            "preimage_hex": preimage.hex(),
            "tree_digest": digest.sha256(preimage),
            "interchange_hash": audit.interchange_hash(files),
            "hidden": audit.hidden_files(files),
        }
    if "scenario" in input:
        form = canonical_json.form(canonical_json.parse_args(json.dumps(input["scenario"])))
        return {"form": form, "scenario_digest": audit_run.scenario_digest(form)}
    if "agent" in input:
        return {"agent_digest": audit_run.agent_digest(input["agent"], input["prompt"])}
    if "cells" in input:
        return {"order": audit_run.schedule([cell["epochs"] for cell in input["cells"]])}
    if "messages" in input:
        words = audit_run.said_words(input["messages"], [(canary["slot"], canary["value"]) for canary in input["canaries"]])
        return {"words_hex": words.hex(), "said_digest": digest.sha256(words)}
    if "transcripts" in input:
        return {"transcripts_root": audit_run.transcripts_root(input["transcripts"])}
    if "plan" in input:
        audit_verdict.check_plan(input["plan"])
        return audit_verdict.result(input["plan"], started_epochs(input["epochs"]), input["static_hits"])
    if "seed_hex" in input and "slot" not in input:
        return {"epoch_seed": audit_run.epoch_seed(bytes.fromhex(input["seed_hex"]), input["epoch"])}
    if "slot" in input:
        seed = bytes.fromhex(input["seed_hex"])
        return {"canary": audit.canary(seed, input["plan_digest"], input["epoch"], input["slot"]), "commitment": audit.commitment(seed)}
    if "with_skill" in input:
        arms = [(input[arm]["k"], input[arm]["n"]) for arm in ("with_skill", "baseline")]
        p, failed = audit.rate_test(*arms, input["alpha"], input["difference"], input["tests"])
        return {"p": p, "failed": failed}
    return {"upper_bound": audit.upper_bound(input["k"], input["n"], audit.share_of(input["alpha"], input["tests"]))}


def started_epochs(groups):
    """Each of the epochs that went alike, with what stands for its said_digest."""
    bare = {"hits": [], "seen": [], "violated": []}
    return [bare | group | {"said": group["said"][i % len(group["said"])]} for group in groups for i in range(group["times"])]


def problem_answer(p):
    """A problem of no engine, or without a seq, says so by leaving it off."""
    place = {"engine": p.engine, "seq": p.seq}
    return {"axis": p.axis, "code": p.code, "status": p.status} | {key: value for key, value in place.items() if value is not None}


def report_answer(report):
    problems = [{"axis": f.axis, "error": f.code, "where": f.where} for f in report.findings]
    return {"ok": report.ok, "axes": report.axes, "problems": problems}


def key_answer(key):
    return {"alg": key.alg, "kid": key.kid.hex()}


def layer_answer(input):
    keys = {bytes.fromhex(key["kid_hex"]): key_from_jwk(key["jwk"]) for key in input["keys"]}
    external = bytes.fromhex(input.get("external_aad_hex", ""))
    message = cose.verify_layer(bytes.fromhex(input["cose_hex"]), keys, input.get("typ"), external)
    return {"alg": message.alg, "kid_hex": message.kid.hex(), "payload_hex": message.payload.hex(), "hash": message.hash(external)}


def secret(label):
    return hashlib.sha256(label.encode("utf-8")).digest()


def public_jwk(alg, label):
    x, y = public_part(alg, secret(label))
    if alg == "Ed25519":
        return {"kty": "OKP", "crv": "Ed25519", "x": b64url(x)}
    return {"kty": "EC", "crv": "P-256", "x": b64url(x), "y": b64url(y)}


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def derived_key(alg, label):
    jwk = public_jwk(alg, label)
    key = key_from_jwk(jwk)
    answer = {"d_hex": secret(label).hex(), "x_hex": key.x.hex(), "thumbprint_input_hex": key.thumbprint_input.hex(), "kid": key.kid.hex(), "jwk": jwk}
    return answer | ({"y_hex": key.y.hex()} if key.y else {})


def made_receipt(key, statement):
    """Everything but the signature of an ESP256 receipt, which a verifier cannot repeat: see signature_stands."""
    public = key_from_jwk(public_jwk(key["alg"], key["label"]))
    alg = {name: number for number, name in cose.ALGORITHMS.items()}[public.alg]
    protected = cbor.encode({cose.ALG: alg, cose.KID: public.kid, cose.TYP: cose.TYP_RECEIPT})
    payload = cbor.encode(statement)
    message = cose.Message(public.alg, public.kid, protected, payload, 0, b"")
    answer = {
        "protected_hex": protected.hex(),
        "signed_core_cbor_hex": payload.hex(),
        "sig_structure_hex": message.sig_structure().hex(),
        "receipt_hash": message.hash(),
    }
    if public.alg == "Ed25519":
        private = ed25519.Ed25519PrivateKey.from_private_bytes(secret(key["label"]))
        signature = private.sign(message.sig_structure())
        answer["signature_hex"] = signature.hex()
        answer["cose_sign1_hex"] = (b"\xd2" + cbor.encode([protected, {}, payload, signature])).hex()
    return answer


# ---- comparing

def where_fits(expected, got):
    return all(got.get(key) == value for key, value in expected.items())


def problem_fits(expected, got):
    members = {key for key in (*expected, *got) if key != "where"}
    same = all(expected.get(key) == got.get(key) for key in members)
    return same and where_fits(expected.get("where", {}), got.get("where", {}))


def problems_fit(expected, got):
    """As multisets, since the chapter leaves part of the order open."""
    left = list(got)
    for problem in sorted(expected, key=lambda p: -len(p.get("where", {}))):
        fitting = next((g for g in left if problem_fits(problem, g)), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return not left


def fits(case, got):
    expected = expand(case["expect"])
    if "error" in expected:
        # a document is refused with all its problems; the first stands in the open, others in "more"
        if expected["error"] != got.get("error") or not where_fits(expected.get("where", {}), got.get("where", {})):
            return False
        if "more" in expected or "document" in case["input"]:
            more = expected.get("more", [])
            if len(more) != len(got.get("more", [])) or not all(map(problem_fits, more, got.get("more", []))):
                return False
        return all(got.get(key) == value for key, value in expected.items() if key not in ("error", "where", "more"))
    if "problems" in expected:
        axes = {axis: status for axis, status in got["axes"].items() if axis in expected["axes"]}
        return expected["ok"] == got["ok"] and expected["axes"] == axes and problems_fit(expected["problems"], got["problems"])
    if "signed_core_cbor_hex" in expected and "signature_hex" not in got:
        return signature_stands(case["input"]["key"], expected) and all(expected[key] == value for key, value in got.items())
    return all(got.get(key) == value for key, value in expected.items() if key not in ("same_digest_as", "other_digest_than"))


def signature_stands(key, expected):
    public = key_from_jwk(public_jwk(key["alg"], key["label"]))
    message = cose.read_message(bytes.fromhex(expected["cose_sign1_hex"]))
    same = message.signature.hex() == expected["signature_hex"] and message.payload.hex() == expected["signed_core_cbor_hex"]
    return same and cose.signature_problem(message, public) is None


def refusal(problems):
    first, *more = [{"error": p.code, "where": p.where} for p in problems]
    return first | ({"more": more} if more else {})


def answer(run, input):
    try:
        return run(expand(input) if run in (run_match, run_decision, run_digest, run_audit) else input)
    except SeveralRefused as refused:
        return refusal(refused.problems)
    except Refused as refused:
        got = refusal([refused.problem()])
        return got | ({"canonical": refused.canonical} if refused.canonical is not None else {})


# Each file: how it is run, and the members that an input may have. A member that nobody reads would be a question that
# nobody answered.
RUNS = {
    "match": (run_match, "path path_pattern host host_pattern text text_pattern argv argv_pattern"),
    "decision": (run_decision, "policy request install_versions"),
    "digest": (run_digest, "policy"),
    "mapping": (run_mapping, "args_json salt document tables server cwd home call"),
    "policy": (run_policy, "format document document_hex"),
    "cbor": (run_cbor, "value cbor_hex"),
    "receipt": (
        run_receipt,
        "alg label key statement public_key_jwk public_key_pem public_key_cose_hex trust_document receipt_hex sequence_hex"
        " trust policies require also_algorithms cose_hex keys external_aad_hex typ",
    ),
    "ledger": (
        run_ledger,
        "segments_hex durable kind trust policies checkpoints_hex require expect_engines also_algorithms",
    ),
    "finding": (run_finding, "segments_hex kind trust policies require args claim finding occurrence occurrence_of"),
    "audit": (run_audit, (
        "files k n alpha tests with_skill baseline difference seed_hex plan_digest epoch slot"
        " scenario agent prompt cells messages canaries transcripts plan epochs static_hits"
    )),
}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = {}

    def fail(self, file, id, expected, got):
        self.failed += 1
        print(f"{file} {id}\n  expected {json.dumps(expected)[:2000]}\n  got      {json.dumps(got)[:2000]}")


def related_digests(file, cases, answers, tally):
    """same_digest_as and other_digest_than name other cases of the file."""
    for case in cases:
        for key, same in (("same_digest_as", True), ("other_digest_than", False)):
            for other in case["expect"].get(key, ()):
                mine, others = (answers[id].get("policy_digest", answers[id].get("tree_digest")) for id in (case["id"], other))
                if (mine == others) is not same:
                    tally.fail(file, f"{case['id']} {key} {other}", others, mine)


def run_file(path, tally):
    if path.stem not in RUNS:
        tally.fail(path.name, "-", "a file that is known", "an unknown file")
        return
    run, members = RUNS[path.stem]
    cases = [case for group in json.loads(path.read_text("utf-8"))["groups"] for case in group["cases"]]
    answers = {}
    counts = [tally.passed, tally.failed, sum(tally.skipped.values())]
    for case in cases:
        try:
            unknown = set(case["input"]) - set(members.split())
            got = answers[case["id"]] = {"unknown_members": sorted(unknown)} if unknown else answer(run, case["input"])
        except Skip as skip:
            tally.skipped[str(skip)] = tally.skipped.get(str(skip), 0) + 1
            continue
        except Exception as error:  # a verifier answers every input; this is a fault of its own
            got = answers[case["id"]] = {"exception": repr(error)}
        if "exception" not in got and fits(case, got):
            tally.passed += 1
        else:
            tally.fail(path.name, case["id"], case["expect"], got)
    related_digests(path.name, cases, answers, tally)
    now = [tally.passed, tally.failed, sum(tally.skipped.values())]
    passed, failed, skipped = (after - before for before, after in zip(counts, now))
    print(f"{path.name}: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))


def verify_vectors(folder):
    tally = Tally()
    for path in sorted(Path(folder).glob("*.json")):
        run_file(path, tally)
    for reason, count in tally.skipped.items():
        print(f"skipped {count}: {reason}")
    skipped = sum(tally.skipped.values())
    print(f"{tally.passed} passed, {tally.failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return tally.failed == 0 and tally.passed > 0
