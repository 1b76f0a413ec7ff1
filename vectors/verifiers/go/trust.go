// Trust stores (spec/receipt.md, Trust store): which key may say what, for which engine, and when.
package main

import (
	"encoding/hex"
	"strconv"
	"strings"
)

type TrustedKey struct {
	*PublicKey
	Role           string
	EngineIDs      []string
	ValidFrom      *int64
	ValidUntil     *int64
	RevokedAt      *int64
	RevokedFromSeq map[string]int64
}

type TrustStore struct {
	Keys             []*TrustedKey // in the order of the store
	ByKid            map[string]*TrustedKey
	RequireInstaller bool
}

var roles = []string{"engine", "installer", "approver", "harness", "auditor"}

// parseTrustStore takes the text of a trust store: the strict door of policies, JSON only (RCP-9).
func parseTrustStore(text []byte) (*TrustStore, []Problem) {
	value, problems := readJSON(text, true)
	var store *TrustStore
	if value != nil {
		var more []Problem
		store, more = trustShape(value)
		if problems = append(problems, more...); len(problems) == 0 {
			problems = store.judgeKeys(value)
		}
	}
	problems = atMost(maxDocumentProblems, inDocumentOrder(problems))
	placeInText(text, problems)
	if len(problems) > 0 {
		return nil, problems
	}
	return store, nil
}

// judgeTrustStore takes a trust store that has been read.
func judgeTrustStore(v *Value) (*TrustStore, []Problem) {
	store, problems := trustShape(v)
	if len(problems) == 0 {
		problems = store.judgeKeys(v)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return store, nil
}

func trustShape(v *Value) (*TrustStore, []Problem) {
	d := &door{}
	store := &TrustStore{ByKid: map[string]*TrustedKey{}}
	if d.object(v, "", []string{"keys"}, []string{"require_installer"}) {
		if require := v.get("require_installer"); d.is(require, jsonBool, "/require_installer") {
			store.RequireInstaller = require.Bool
		}
		if keys := v.get("keys"); d.is(keys, jsonList, "/keys") {
			for i, each := range keys.Items {
				store.Keys = append(store.Keys, d.trustedKey(each, "/keys/"+strconv.Itoa(i)))
			}
		}
	}
	return store, atMost(maxDocumentProblems, inDocumentOrder(d.problems))
}

// judgeKeys: where the shape is good, in their order; the first problem alone is reported (RCP-9).
func (store *TrustStore) judgeKeys(v *Value) []Problem {
	for i, trusted := range store.Keys {
		if problem := store.judgeKey(trusted, v.get("keys").Items[i], "/keys/"+strconv.Itoa(i)); problem != nil {
			return []Problem{*problem}
		}
	}
	return nil
}

// judgeKey reads the key of an entry whose shape is good.
func (store *TrustStore) judgeKey(trusted *TrustedKey, v *Value, pointer string) *Problem {
	jwk, kid := v.get("key"), v.get("kid")
	key, problem := keyFromJWK(jwk)
	if problem != "" {
		return &Problem{Code: problem, Pointer: at(pointer + "/key"), at: jwk.At}
	}
	if kid != nil && kid.Text != hex.EncodeToString(key.Kid) {
		return &Problem{Code: "kid-mismatch", Pointer: at(pointer + "/kid"), at: kid.At}
	}
	if store.ByKid[string(key.Kid)] != nil { // one key has one role
		return &Problem{Code: "kid-duplicate", Pointer: at(pointer + "/key"), at: jwk.At}
	}
	trusted.PublicKey = key
	store.ByKid[string(key.Kid)] = trusted
	return nil
}

// trustedKey checks the shape of an entry.
func (d *door) trustedKey(v *Value, pointer string) *TrustedKey {
	trusted := &TrustedKey{RevokedFromSeq: map[string]int64{}}
	if !d.object(v, pointer, []string{"role", "engine_ids", "key"},
		[]string{"kid", "valid_from", "valid_until", "revoked_at", "revoked_from_seq"}) {
		return trusted
	}
	trusted.Role = d.word(v.get("role"), pointer+"/role", roles...)
	trusted.EngineIDs = d.set(v.get("engine_ids"), pointer+"/engine_ids", func(v *Value, pointer string) (string, bool) {
		return d.text(v, pointer, checkName)
	})
	time := func(name string) *int64 {
		if v.get(name) == nil {
			return nil
		}
		return at(d.integer(v.get(name), pointer+"/"+name, 0, maxInteger))
	}
	trusted.ValidFrom, trusted.ValidUntil, trusted.RevokedAt = time("valid_from"), time("valid_until"), time("revoked_at")
	before := len(d.problems)
	if seqs := v.get("revoked_from_seq"); d.is(seqs, jsonObject, pointer+"/revoked_from_seq") {
		for _, m := range seqs.Members {
			trusted.RevokedFromSeq[m.Key] = d.integer(m.Value, child(pointer+"/revoked_from_seq", m.Key), 0, maxInteger)
		}
		if len(d.problems) == before && v.get("revoked_at") == nil { // RCP-9: it would revoke nothing
			d.tell("missing-key", pointer, v.At)
		}
	}
	if kid := v.get("kid"); kid != nil {
		d.text(kid, pointer+"/kid", func(text string) code {
			if len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "" {
				return "bad-value"
			}
			return ""
		})
	}
	d.is(v.get("key"), jsonObject, pointer+"/key")
	return trusted
}
