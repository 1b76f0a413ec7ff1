// Chains that are signed here, for what ledger.json does not ask.
package main

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const policyText = `{"version":1,"rules":[
 {"name":"read-srv","effect":"allow","agents":"any","action":{"filesystem":{"path":"/srv/**","methods":["read"]}}},
 {"name":"ask-write","effect":"ask","agents":"any","action":{"filesystem":{"path":"/srv/**","methods":["write"]}}}]}`

var zeros = "sha256:" + strings.Repeat("0", 64)

// maker signs entries of one chain. A change touches the fields of one entry before it is signed.
type maker struct {
	seq     int
	prev    string
	entries [][]byte
	hashes  []string
	digest  string
	changes map[int]func([]pair) []pair
}

func set(key string, value any) func([]pair) []pair {
	return func(fields []pair) []pair { return append(drop(key)(fields), pair{key, value}) }
}

func drop(key string) func([]pair) []pair {
	return func(fields []pair) []pair {
		return slices.DeleteFunc(slices.Clone(fields), func(p pair) bool { return p.key == key })
	}
}

func (m *maker) add(statement string, fields ...pair) string {
	fields = append(fields, pair{"statement", statement}, pair{"engine_id", "engine-a"}, pair{"time", 1000 + m.seq}, pair{"seq", m.seq})
	if m.seq > 0 {
		fields = append(fields, pair{"prev", m.prev})
	}
	if change := m.changes[m.seq]; change != nil {
		fields = change(fields)
	}
	_, structure, _, message := makeReceipt("Ed25519", "engine", encode(fields))
	m.seq, m.prev = m.seq+1, hashOf(structure)
	m.entries, m.hashes = append(m.entries, message), append(m.hashes, m.prev)
	return m.prev
}

func (m *maker) decision(method, effect, rule string) string {
	return m.add("decision", pair{"agent", "builder"},
		pair{"actions", []any{[]pair{{"filesystem", []pair{{"path", "/srv/a"}, {"method", method}}}}}},
		pair{"decision", []pair{{"effect", effect}, {"rule", rule}, {"action", 0}}},
		pair{"policy_version", 1}, pair{"policy_digest", m.digest}, pair{"match_profile", matchProfile}, pair{"args_digest", zeros})
}

// other makes a statement by another key.
func other(label, statement string, fields ...pair) (message []byte, hash string) {
	fields = append(fields, pair{"statement", statement}, pair{"engine_id", "engine-a"})
	_, structure, _, message := makeReceipt("Ed25519", label, encode(fields))
	return message, hashOf(structure)
}

var ledgerID = []byte("0123456789abcdef")

// chainOf makes nine entries: genesis, record of an authorization, install, allow, ask, record of an approval, release, record of a checkpoint, allow.
func chainOf(changes map[int]func([]pair) []pair) (*maker, []byte) {
	policy, _ := parsePolicy([]byte(policyText))
	m := &maker{digest: policy.digest(), changes: changes}
	m.add("genesis", pair{"ledger_id", ledgerID})
	message, authorization := other("installer", "authorization", pair{"time", 900}, pair{"policy_version", 1}, pair{"policy_digest", m.digest})
	m.add("record", pair{"recorded", message})
	m.add("install", pair{"policy_version", 1}, pair{"policy_digest", m.digest}, pair{"match_profile", matchProfile}, pair{"authorization", authorization})
	m.decision("read", "allow", "read-srv")
	asked := m.decision("write", "ask", "ask-write")
	message, approval := other("approver", "approval", pair{"time", 1005}, pair{"ask", asked}, pair{"args_digest", zeros},
		pair{"approved", true}, pair{"expires", 2000}, pair{"approver", "me"})
	m.add("record", pair{"recorded", message})
	m.add("release", pair{"ask", asked}, pair{"approval", approval})
	message, _ = other("auditor", "checkpoint", pair{"time", 1007}, pair{"ledger_id", ledgerID}, pair{"seq", 6}, pair{"receipt_hash", m.hashes[6]})
	m.add("record", pair{"recorded", message})
	m.decision("read", "allow", "read-srv")
	outside, _ := other("auditor", "checkpoint", pair{"time", 1009}, pair{"ledger_id", ledgerID}, pair{"seq", 8}, pair{"receipt_hash", m.hashes[8]})
	return m, outside
}

func trustOf(t *testing.T, extra string) *TrustStore {
	var entries []string
	for _, role := range roles {
		key, _ := keyOfLabel("Ed25519", role)
		more := ""
		if role == "engine" {
			more = extra
		}
		entries = append(entries, fmt.Sprintf(`{"role":%q,"engine_ids":["engine-a"],"key":{"kty":"OKP","crv":"Ed25519","x":%q}%s}`,
			role, base64.RawURLEncoding.EncodeToString(key.X), more))
	}
	store, problems := parseTrustStore([]byte(`{"require_installer":true,"keys":[` + strings.Join(entries, ",") + `]}`))
	if store == nil {
		t.Fatal(problems)
	}
	return store
}

func verifyChain(t *testing.T, m *maker, trust *TrustStore, outside ...[]byte) *Report {
	policy, _ := parsePolicy([]byte(policyText))
	options := &LedgerOptions{Folder: true, Checkpoints: outside, Durable: &Durable{8, m.hashes[len(m.hashes)-1]}}
	options.Trust, options.PoliciesGiven = trust, true
	options.Policies = map[string]*Policy{policy.digest(): policy}
	half := len(m.entries) / 2
	return verifyLedger([][]byte{slices.Concat(m.entries[:half]...), slices.Concat(m.entries[half:]...)}, options)
}

func TestGoodChain(t *testing.T) {
	m, outside := chainOf(nil)
	report := verifyChain(t, m, trustOf(t, ""), outside)
	if !report.OK || len(report.Problems) > 0 {
		t.Fatal(report)
	}
	for _, axis := range allAxes[:9] {
		if report.Axes[axis] != pass {
			t.Error(axis, report.Axes[axis])
		}
	}
}

func TestChanges(t *testing.T) {
	type change = func([]pair) []pair
	for _, c := range []struct {
		name    string
		trust   string
		changes map[int]change
		cut     int // entry to be left out, 0 for none
		want    string
	}{
		{name: "a version", changes: map[int]change{8: set("policy_version", 2)}, want: "timeline:version-differs"},
		{name: "no digest", changes: map[int]change{8: drop("policy_digest")}, want: "timeline:digest-missing"},
		{name: "no authorization", changes: map[int]change{2: drop("authorization")}, want: "timeline:install-unauthorized"},
		{name: "another authorization", changes: map[int]change{2: set("policy_version", 2), 3: set("policy_version", 2), 4: set("policy_version", 2), 8: set("policy_version", 2)},
			want: "timeline:authorization-differs"},
		{name: "an ask without arguments", changes: map[int]change{4: drop("args_digest")}, want: "approvals:ask-not-releasable"},
		{name: "an observed ask", changes: map[int]change{4: set("enforced", false)}, want: "approvals:ask-not-releasable"},
		{name: "no such ask", changes: map[int]change{6: set("ask", zeros)}, want: "approvals:ask-missing"},
		{name: "no such approval", changes: map[int]change{6: set("approval", zeros)}, want: "approvals:approval-missing"},
		{name: "too late", changes: map[int]change{6: set("time", 2000)}, want: "approvals:approval-expired order:time-back order:time-back"},
		{name: "prev", changes: map[int]change{5: set("prev", zeros)}, want: "order:prev-differs"},
		{name: "gap", cut: 3, want: "order:seq-gap"}, // the ask behind the gap can be cited: its signature and key did not fail
		{name: "another authorization and replaces", changes: map[int]change{2: func(f []pair) []pair {
			return set("replaces", zeros)(set("authorization", zeros)(drop("authorization")(f)))
		}}, want: "timeline:install-replaces"},
		{name: "no genesis", changes: map[int]change{0: set("statement", "release")}, want: "bytes"},
		{name: "another engine inside", changes: map[int]change{1: set("engine_id", "engine-b")}, want: "bytes:record-engine order:seq-gap"}, // it has its place in the other chain
		{name: "expired", trust: `,"valid_until":1008`, want: "key-trust:key-expired"},
		{name: "revoked later, and all below the checkpoint", trust: `,"revoked_at":5000`, want: ""},
		{name: "revoked at the second last", trust: `,"revoked_at":1008`, want: "key-trust:key-revoked key-trust:key-revoked-later"}, // seq 7 is behind the last checkpoint from before
		{name: "below the seq", trust: `,"revoked_at":5000,"revoked_from_seq":{"engine-a":9}`, want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, outside := chainOf(c.changes)
			if c.cut > 0 {
				m.entries = slices.Delete(m.entries, c.cut, c.cut+1)
			}
			report := verifyChain(t, m, trustOf(t, c.trust), outside)
			var got []string
			for _, p := range report.Problems {
				got = append(got, p.Axis+":"+p.Code)
			}
			slices.Sort(got)
			if c.want == "bytes" {
				if report.Axes["bytes"] != fail {
					t.Error(report)
				}
				return
			}
			if strings.Join(got, " ") != c.want || report.OK != (c.want == "") {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

// Every byte of a good entry changed is seen, and nothing breaks.
func TestEveryByte(t *testing.T) {
	m, _ := chainOf(nil)
	trust := trustOf(t, "")
	message := m.entries[5]
	for i := range message {
		for _, mask := range []byte{1, 0x20, 0x80, 0xff} {
			changed := slices.Clone(message)
			changed[i] ^= mask
			if verifyReceipt(changed, &Options{Trust: trust}).OK {
				t.Fatal("byte", i)
			}
			itemEnd(changed, 0)
		}
	}
}
