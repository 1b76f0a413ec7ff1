// Receipts (spec/receipt.md, Verifier and The answer): the steps 8 to 12 over one receipt; ledger.go has files of receipts.
package main

import (
	"slices"
	"strconv"
)

// Options is what a verifier is given beside the bytes.
type Options struct {
	Trust         *TrustStore
	Policies      map[string]*Policy // by digest
	PoliciesGiven bool               // even none
	Require       []string
	Also          []string // EdDSA, ES256
}

// Verified is one receipt with the answers of its axes.
type Verified struct {
	Message   *Message   // nil where the steps 1 to 7 failed
	Statement *Statement // nil where it cannot be read; that of a record can be read whatever is recorded
	Hash      string
	Key       *TrustedKey
	Signed    bool        // its own signature passes, whatever that of what it records
	Inner     *TrustedKey // of what it records
	Axes      map[string]string
	Problems  []Problem
}

func (v *Verified) tell(axis, status string, code code) {
	v.Axes[axis] = together([]string{status, statusOr(v.Axes[axis], status)})
	v.Problems = append(v.Problems, Problem{Axis: axis, Status: status, Code: code})
}

func statusOr(status, other string) string {
	if status == "" {
		return other
	}
	return status
}

// passes sets an axis that nothing was told of.
func (v *Verified) passes(axis string) {
	if v.Axes[axis] == "" {
		v.Axes[axis] = pass
	}
}

// verifyBytes runs the steps 1 to 9 over data[from:to]: bytes and signature, and key-unknown.
func verifyBytes(data []byte, from, to int, options *Options) *Verified {
	v := &Verified{Axes: map[string]string{}}
	bytesProblem := func(p Problem) {
		p.Axis, p.Status = "bytes", fail
		v.Axes["bytes"] = fail
		v.Problems = append(v.Problems, p)
	}
	message, problem := readMessage(data, from, to, receiptRules(options.Also))
	if problem != nil {
		bytesProblem(*problem)
		return v
	}
	v.Message, v.Hash = message, message.hash()
	statement, problems := readStatement(data, message.PayloadAt, message.EndAt)
	if statement != nil && statement.Kind == "record" {
		statement.Recorded, problems = statement.readRecorded(options.Also)
	}
	for _, p := range problems {
		bytesProblem(p)
	}
	v.Statement = statement
	v.passes("bytes")
	// RCP-20: done whenever the steps 1 to 7 passed
	v.Key, v.Signed = v.verifySigned(message, options.Trust)
	if v.Signed && statement != nil && statement.Recorded != nil { // LED-2: on the axes of the record
		v.Inner, _ = v.verifySigned(statement.Recorded.Message, options.Trust)
	}
	return v
}

// verifySigned is step 9.
func (v *Verified) verifySigned(message *Message, trust *TrustStore) (*TrustedKey, bool) {
	key := trust.ByKid[string(message.Kid)]
	if key == nil {
		v.Axes["signature"] = notChecked
		v.tell("key-trust", fail, "key-unknown")
		return nil, false
	}
	if problem := message.verify(key.PublicKey, nil); problem != "" {
		v.Axes["signature"] = ""
		v.tell("signature", fail, problem)
		return key, false
	}
	v.passes("signature")
	return key, true
}

// known says whether bytes and signature pass: all else rests on them.
func (v *Verified) known() bool { return v.Axes["bytes"] == pass && v.Axes["signature"] == pass }

// keyProblems is step 10 (RCP-21): what is wrong with the key that makes this statement, at the time t.
func (key *TrustedKey) keyProblems(s *Statement, t int64) (codes []code) {
	if key.Role != speakers[s.Kind] { // LED-3
		codes = append(codes, "key-role")
	}
	if !slices.Contains(key.EngineIDs, s.EngineID) {
		codes = append(codes, "key-engine")
	}
	if key.ValidFrom != nil && t < *key.ValidFrom { // RCP-10
		codes = append(codes, "key-not-yet-valid")
	}
	if key.ValidUntil != nil && t >= *key.ValidUntil {
		codes = append(codes, "key-expired")
	}
	if key.RevokedAt != nil && t >= *key.RevokedAt {
		codes = append(codes, "key-revoked")
	}
	return codes
}

// place is the seq in a chain; the seq of a checkpoint is the place of another entry.
func (s *Statement) place() *int64 {
	if speakers[s.Kind] != "engine" {
		return nil
	}
	return s.Seq
}

// verifyKey tells the problems of one key on the axis of the receipt. pinned says whether the chain holds what it
// signed before a later revocation; told keeps the keys that were named already (nil: each is named).
func (v *Verified) verifyKey(key *TrustedKey, s *Statement, t int64, pinned bool, told map[*TrustedKey]bool) {
	codes := key.keyProblems(s, t)
	for _, code := range codes {
		v.tell("key-trust", fail, code)
	}
	if len(codes) > 0 || key.RevokedAt == nil || pinned {
		return
	}
	if told[key] { // LED-12: once for a key
		v.Axes["key-trust"] = together([]string{notChecked, statusOr(v.Axes["key-trust"], notChecked)})
		return
	}
	v.tell("key-trust", notChecked, "key-revoked-later")
	if told != nil {
		told[key] = true
	}
}

// verifyKeyTrust is step 10 for a standalone receipt, at its own time.
func (v *Verified) verifyKeyTrust() {
	if !v.known() {
		return
	}
	s := v.Statement
	v.verifyKey(v.Key, s, s.Time, false, nil)
	if s.Recorded != nil {
		v.verifyKey(v.Inner, s.Recorded.Statement, s.Time, false, nil)
	}
	v.passes("key-trust")
}

// verifyDecision is the steps 11 and 12; they rest on signature and key trust (RCP-24). chained says that the
// timeline of a ledger has answered what is in force.
func (v *Verified) verifyDecision(options *Options, chained bool) {
	s := v.Statement
	if !options.PoliciesGiven || !v.known() || v.Axes["key-trust"] == fail {
		return
	}
	if s.Kind != "decision" { // RCP-24, LED-15
		v.passes("rules")
		v.passes("re-decision")
		return
	}
	noPolicy := s.Decision.Reason == "no-policy"
	policy := options.Policies[s.PolicyDigest]
	switch { // RCP-22
	case chained && s.PolicyVersion == nil: // LED-15: the timeline has answered
	case noPolicy:
		v.Axes["rules"] = notChecked
	case s.PolicyDigest == "":
		v.tell("rules", notChecked, "digest-absent")
	case policy == nil:
		v.tell("rules", notChecked, "policy-missing")
	}
	v.passes("rules")
	switch { // RCP-23
	case slices.Contains([]string{"unmapped", "not-canonical", "fault"}, s.Decision.Reason): // cannot be re-decided
	case !noPolicy && policy == nil:
		v.Axes["re-decision"] = notChecked
	case !noPolicy && s.MatchProfile != matchProfile:
		v.tell("re-decision", notChecked, "profile-unknown")
	default:
		request, notCanonical := s.recordedRequest()
		if notCanonical != nil {
			v.tell("re-decision", fail, "action-not-canonical")
			v.Problems[len(v.Problems)-1].Pointer = notCanonical
		} else if decide(policy, request) != s.Decision {
			v.tell("re-decision", fail, "decision-differs")
		}
	}
	v.passes("re-decision")
}

// recordedRequest is the request of a decision, or the pointer of the first action that is not canonical.
func (s *Statement) recordedRequest() (*Request, *string) {
	request := &Request{s.Agent, slices.Clone(s.Actions)}
	size := len(s.Agent)
	for i := range request.Actions {
		a := &request.Actions[i]
		size += len(a.Path) + len(a.Host) + len(a.Method) + len(a.Server) + len(a.Tool)
		for _, arg := range a.Argv {
			size += len(arg)
		}
		if a.Kind == "filesystem" {
			if path, problem := canonicalPath(a.Path); problem != "" || path != a.Path {
				return nil, at("/actions/" + strconv.Itoa(i))
			}
		}
		if a.Kind == "network" {
			host, problem := canonicalHost(a.Host)
			if problem != "" || host.text != a.Host {
				return nil, at("/actions/" + strconv.Itoa(i))
			}
			a.host = host
		}
	}
	if size > maxRequestBytes { // DEC-4
		return nil, at("")
	}
	return request, nil
}

// asked is what is asked of receipts (RCP-24).
func asked(options *Options) []string {
	out := []string{"bytes", "signature", "key-trust"}
	if options.PoliciesGiven {
		out = append(out, "rules", "re-decision")
	}
	return append(out, options.Require...)
}

// verifyReceipt answers for one standalone receipt, whatever its seq.
func verifyReceipt(data []byte, options *Options) *Report {
	v := verifyBytes(data, 0, len(data), options)
	v.verifyKeyTrust()
	v.verifyDecision(options, false)
	report := collect([]*Verified{v}, false)
	report.judge(asked(options))
	return report
}

// readSequence takes a sequence apart. A receipt whose end cannot be found ends the reading (RCP-24).
func readSequence(data []byte, options *Options) (out []*Verified) {
	for pos := 0; pos < len(data); {
		end, found := itemEnd(data, pos)
		if !found {
			end = len(data)
		}
		v := verifyBytes(data, pos, end, options)
		if !found {
			v.Problems = append(v.Problems, Problem{Axis: "bytes", Status: fail, Code: "sequence-broken", Offset: at(pos)})
		}
		out = append(out, v)
		pos = end
	}
	return out
}

// collect puts the answers for several receipts together.
func collect(receipts []*Verified, counted bool) *Report {
	report := &Report{Axes: map[string]string{}}
	for _, axis := range allAxes {
		var statuses []string
		for _, v := range receipts {
			statuses = append(statuses, statusOr(v.Axes[axis], notChecked))
		}
		report.Axes[axis] = together(statuses)
	}
	for i, v := range receipts {
		for _, p := range v.Problems {
			if counted {
				p.Receipt = at(i)
			}
			report.Problems = append(report.Problems, p)
		}
	}
	report.Problems = atMost(maxReportProblems, report.Problems)
	return report
}
