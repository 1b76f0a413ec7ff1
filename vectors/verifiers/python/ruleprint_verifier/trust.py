"""Chapter receipt, "Trust store" (RCP-9 to RCP-11)."""

from dataclasses import dataclass, field

from .document import Shape, from_object, plain, pointer, read_json
from .keys import Key, key_from_jwk
from .problem import Problem, Refused, SeveralRefused
from .text import SURROGATE, name_problem

ROLES = ("engine", "installer", "approver", "harness", "auditor")


@dataclass
class Entry:
    role: str
    engine_ids: list
    key: Key
    valid_from: int | None = None
    valid_until: int | None = None
    revoked_at: int | None = None
    revoked_from_seq: dict = field(default_factory=dict)

    def window_problems(self, t):
        """RCP-10: half-open."""
        if self.valid_from is not None and t < self.valid_from:
            yield "key-not-yet-valid"
        if self.valid_until is not None and t >= self.valid_until:
            yield "key-expired"


@dataclass
class Trust:
    keys: dict  # by kid, 32 bytes
    require_installer: bool


def trust_from_json(data):
    return judge(*read_json(data))


def trust_from_object(value):
    return judge(*from_object(value))


def judge(door, root):
    TrustShape(door).store(root)
    door.finish()
    value = plain(root)
    keys = {}
    # RCP-9: where the shape is good, in their order, the first problem alone
    for i, entry in enumerate(value["keys"]):
        place = f"/keys/{i}"
        if "revoked_from_seq" in entry and "revoked_at" not in entry:  # it would revoke nothing
            raise SeveralRefused([Problem("missing-key", {"pointer": place})])
        try:
            key = key_from_jwk(entry["key"])
        except Refused as refused:
            raise SeveralRefused([Problem(refused.code, {"pointer": f"{place}/key"})]) from None
        if "kid" in entry and entry["kid"] != key.kid.hex():
            raise SeveralRefused([Problem("kid-mismatch", {"pointer": f"{place}/kid"})])
        if key.kid in keys:  # one key has one role
            raise SeveralRefused([Problem("kid-duplicate", {"pointer": f"{place}/key"})])
        optional = {k: entry[k] for k in ("valid_from", "valid_until", "revoked_at", "revoked_from_seq") if k in entry}
        keys[key.kid] = Entry(entry["role"], entry["engine_ids"], key, **optional)
    return Trust(keys, value.get("require_installer", False))


class TrustShape(Shape):
    def store(self, root):
        members = self.members(root, "", ("keys",), ("require_installer",))
        for node, where in self.list(*members["keys"]) if "keys" in members else ():
            self.entry(node, where)
        if "require_installer" in members:
            self.boolean(*members["require_installer"])

    def entry(self, node, where):
        optional = ("kid", "valid_from", "valid_until", "revoked_at", "revoked_from_seq")
        members = self.members(node, where, ("role", "engine_ids", "key"), optional)
        if "role" in members:
            self.word(*members["role"], ROLES)
        if "engine_ids" in members:
            self.set(*members["engine_ids"], name_problem, None)
        if "key" in members and members["key"][0].kind != "object":
            self.door.add("wrong-type", members["key"][0].at, members["key"][1])
        if "kid" in members:
            self.text(*members["kid"], lambda text: "lone-surrogate" if SURROGATE.search(text) else None)
        for key in ("valid_from", "valid_until", "revoked_at"):
            if key in members:
                self.integer(*members[key])
        if "revoked_from_seq" in members:
            self.seqs(*members["revoked_from_seq"])

    def seqs(self, node, where):
        """A map from engine ids to integers."""
        if node.kind != "object":
            self.door.add("wrong-type", node.at, where)
            return
        for engine_id, value in node.value.items():
            place = pointer(where, engine_id)
            code = name_problem(engine_id)
            if code:
                self.door.add(code, node.key_at[engine_id], place)
            self.integer(value, place)
