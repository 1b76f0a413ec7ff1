// Ledgers (spec/ledger.md, Verifier): order, key trust, completeness, timeline, approvals.
package main

import (
	"bytes"
	"maps"
	"slices"
)

// LedgerOptions is what a verifier of a ledger is given.
type LedgerOptions struct {
	Options
	Folder      bool // a folder; else a file of entries
	Durable     *Durable
	Checkpoints [][]byte
	Engines     []string          // that the caller expects
	Arguments   map[string]*Value // raw, by the hash of the receipt about them
}

// Durable is what durable.json says of the last synced entry.
type Durable struct {
	Seq  int64
	Hash string
}

// entry is a receipt of a ledger with its place.
type entry struct {
	*Verified
	chain     *chain // nil for one that is standalone or cannot be read
	finding   bool   // one, or the record of one
	effective int64  // the highest time at or before it in its chain (LED-12); its own where there is none
}

// chain is what is known of one engine id.
type chain struct {
	ledgerID []byte // of its genesis
	seq      int64  // of the entry before
	hash     string // of the entry before
	highest  int64  // time so far
	hashes   map[int64][]string

	install       *Statement // in force, nil before the first
	installs      int        // so far
	asks          map[string]*ask
	recorded      map[string]*Statement // that can be cited, by their own receipt hash (LED-2)
	usedAsks      map[string]bool       // by a release
	usedApprovals map[string]bool
	claims        *claims
}

// ask is a decision that may be released.
type ask struct {
	*Statement
	installs int // before it
}

// checkpoint is one from outside or a recorded one.
type checkpoint struct {
	statement *Statement // nil where the bytes are no checkpoint
	key       *TrustedKey
	recorded  bool
	trusted   bool // its signature and its key pass
	good      bool // and the chain bears it out
}

// ledger is the state of a verifier.
type ledger struct {
	options     *LedgerOptions
	entries     []*entry
	chains      map[string]*chain
	checkpoints []*checkpoint
	told        map[*TrustedKey]bool // revoked later, and named
	extra       []Problem            // that are not about one entry
	extraAxes   map[string][]string  // what they make of their axes
}

// verifyLedger answers for the segments of a ledger, or for a file of receipts, whose chains are walked in the same
// way (LED-11). Two passes are made: what a checkpoint covers is known only at the end of the first.
func verifyLedger(segments [][]byte, options *LedgerOptions) *Report {
	l := &ledger{options: options, chains: map[string]*chain{}, told: map[*TrustedKey]bool{}, extraAxes: map[string][]string{}}
	for _, segment := range segments { // LED-9: the seam is an ordinary link
		for _, v := range readSequence(segment, &options.Options) {
			l.entries = append(l.entries, &entry{Verified: v})
		}
	}
	for _, e := range l.entries {
		l.order(e)
	}
	l.tail()
	l.readCheckpoints()
	l.completeness()
	for _, e := range l.entries {
		l.keyTrust(e)
		l.timeline(e)
		e.verifyDecisionInChain(&options.Options)
		l.approvals(e)
		l.findings(e)
		l.remember(e)
	}
	return l.report()
}

func (l *ledger) tell(axis, status string, code code, engine string) {
	l.extra = append(l.extra, Problem{Axis: axis, Status: status, Code: code, Engine: engine})
}

// --- LED-11

// order walks the chains. The walk goes on from every entry whose statement can be read, whatever is wrong with it.
func (l *ledger) order(e *entry) {
	s := e.Statement
	if s == nil {
		return // it leaves a gap
	}
	e.effective = s.Time
	seq := s.place()
	if seq == nil { // standalone
		if l.options.Folder && e.known() {
			e.tell("order", fail, "seq-missing")
		}
		return
	}
	c := l.chains[s.EngineID]
	first := c == nil
	if first {
		c = &chain{
			hashes: map[int64][]string{}, asks: map[string]*ask{}, recorded: map[string]*Statement{},
			usedAsks: map[string]bool{}, usedApprovals: map[string]bool{}, claims: newClaims(),
		}
		l.chains[s.EngineID] = c
	}
	e.chain = c
	e.effective = max(s.Time, c.highest)
	if e.known() { // rests on bytes and signature
		switch { // the first of these, one for an entry
		case first && s.Kind != "genesis":
			e.tell("order", fail, "genesis-missing")
		case first:
		case s.Kind == "genesis":
			e.tell("order", fail, "genesis-again")
		case *seq <= c.seq:
			e.tell("order", fail, "seq-repeat")
		case *seq > c.seq+1:
			e.tell("order", fail, "seq-gap")
		case s.Prev != c.hash:
			e.tell("order", fail, "prev-differs")
		}
		e.passes("order")
		if s.Time < c.highest {
			e.Problems = append(e.Problems, Problem{Axis: "order", Status: note, Code: "time-back"})
		}
	}
	if e.Signed { // a time that nobody signed would move all that follow
		c.highest = e.effective
	}
	if first {
		c.ledgerID = s.LedgerID
	}
	c.seq, c.hash = *seq, e.Hash
	c.hashes[*seq] = append(c.hashes[*seq], e.Hash)
}

// tail: the entries reach what durable.json names, with that hash there.
func (l *ledger) tail() {
	durable := l.options.Durable
	if durable == nil {
		return
	}
	for _, c := range l.chains {
		if slices.Contains(c.hashes[durable.Seq], durable.Hash) {
			return
		}
	}
	l.tell("order", fail, "tail-missing", "")
	l.extraAxes["order"] = []string{fail}
}

// --- LED-12

// keyTrust judges the key of an entry, and that of what it records, at its effective time.
func (l *ledger) keyTrust(e *entry) {
	if e.chain == nil {
		e.verifyKeyTrust()
		return
	}
	if !e.known() {
		return
	}
	s := e.Statement
	e.verifyKey(e.Key, s, e.effective, l.pinned(e.Key, s), l.told)
	if s.Recorded != nil {
		e.verifyKey(e.Inner, s.Recorded.Statement, e.effective, l.pinned(e.Inner, s), l.told)
	}
	e.passes("key-trust")
}

// pinned: below revoked_from_seq, or at or below the seq of a good checkpoint by another key from before the revocation.
func (l *ledger) pinned(key *TrustedKey, s *Statement) bool {
	if from, known := key.RevokedFromSeq[s.EngineID]; known && *s.Seq < from {
		return true
	}
	return key.RevokedAt != nil && slices.ContainsFunc(l.checkpoints, func(c *checkpoint) bool {
		return c.good && c.statement.EngineID == s.EngineID && !bytes.Equal(c.key.Kid, key.Kid) &&
			c.statement.Time < *key.RevokedAt && *s.Seq <= *c.statement.Seq
	})
}

// --- LED-13

// readCheckpoints gathers those from outside and the recorded ones.
func (l *ledger) readCheckpoints() {
	for _, data := range l.options.Checkpoints {
		v := verifyBytes(data, 0, len(data), &l.options.Options)
		c := &checkpoint{key: v.Key}
		if v.Statement != nil && v.Statement.Kind == "checkpoint" {
			c.statement = v.Statement
			c.trusted = v.known() && trustsAuditor(v.Key, c.statement, c.statement.Time)
		}
		l.checkpoints = append(l.checkpoints, c)
	}
	for _, e := range l.entries {
		if s := e.Statement; s != nil && s.Recorded != nil && s.Recorded.Statement.Kind == "checkpoint" {
			l.checkpoints = append(l.checkpoints, &checkpoint{
				statement: s.Recorded.Statement, key: e.Inner, recorded: true,
				trusted: e.known() && trustsAuditor(e.Inner, s.Recorded.Statement, e.effective),
			})
		}
	}
	for _, c := range l.checkpoints {
		c.good = c.trusted && l.against(c) == ""
	}
}

// trustsAuditor: a key that was revoked at all makes no good checkpoint (LED-12).
func trustsAuditor(key *TrustedKey, s *Statement, t int64) bool {
	return len(key.keyProblems(s, t)) == 0 && key.RevokedAt == nil
}

// against is what the chain has against a checkpoint; "" is nothing.
func (l *ledger) against(c *checkpoint) code {
	s := c.statement
	chain := l.chains[s.EngineID]
	switch {
	case chain == nil:
		return "checkpoint-beyond"
	case !bytes.Equal(chain.ledgerID, s.LedgerID):
		return "checkpoint-ledger"
	case slices.Max(slices.Collect(maps.Keys(chain.hashes))) < *s.Seq:
		return "checkpoint-beyond"
	case !slices.Contains(chain.hashes[*s.Seq], s.ReceiptHash):
		return "checkpoint-differs"
	}
	return ""
}

func (l *ledger) completeness() {
	status := map[string]string{}
	for engine := range l.chains {
		status[engine] = notChecked // a count alone proves nothing
	}
	for _, c := range l.checkpoints {
		if !c.trusted { // it counts for nothing; a recorded one is judged by LED-2
			engine := ""
			if c.statement != nil {
				engine = c.statement.EngineID
			}
			if !c.recorded {
				l.tell("completeness", notChecked, "checkpoint-untrusted", engine)
			}
			continue
		}
		engine := c.statement.EngineID
		if problem := l.against(c); problem != "" {
			l.tell("completeness", fail, problem, engine)
			status[engine] = fail
		} else if status[engine] != fail {
			status[engine] = pass // up to its seq
		}
	}
	for _, engine := range l.options.Engines {
		if l.chains[engine] == nil {
			l.tell("completeness", fail, "engine-missing", engine)
			status[engine] = fail
		}
	}
	l.extraAxes["completeness"] = slices.Collect(maps.Values(status))
}

// --- LED-14

func (l *ledger) timeline(e *entry) {
	if e.Axes["order"] != pass { // rests on order, and is not checked for what is standalone
		return
	}
	if problem := l.timelineProblem(e); problem != "" {
		e.tell("timeline", fail, problem)
	}
	e.passes("timeline")
}

// timelineProblem is the first that is wrong, or "".
func (l *ledger) timelineProblem(e *entry) code {
	s, inForce := e.Statement, e.chain.install
	switch s.Kind {
	case "install":
		authorization := e.chain.recorded[s.Authorization]
		switch {
		case inForce != nil && *s.PolicyVersion <= *inForce.PolicyVersion:
			return "install-not-rising"
		case s.Replaces != digestOf(inForce):
			return "install-replaces"
		case s.Authorization == "":
			if l.options.Trust.RequireInstaller {
				return "install-unauthorized"
			}
		case authorization == nil || authorization.Kind != "authorization" || *authorization.PolicyVersion != *s.PolicyVersion ||
			authorization.PolicyDigest != s.PolicyDigest || authorization.Replaces != s.Replaces:
			return "authorization-differs"
		}
	case "decision":
		switch {
		case inForce == nil && s.PolicyVersion != nil:
			return "policy-before-install"
		case inForce == nil:
		case s.Decision.Reason == "no-policy":
			return "no-policy-after-install"
		case s.PolicyVersion == nil || *s.PolicyVersion != *inForce.PolicyVersion:
			return "version-differs"
		case s.PolicyDigest == "" && inForce.PolicyDigest != "":
			return "digest-missing"
		case s.PolicyDigest != inForce.PolicyDigest:
			return "digest-differs"
		case s.MatchProfile == "" && inForce.MatchProfile != "":
			return "profile-missing"
		case s.MatchProfile != inForce.MatchProfile:
			return "profile-differs"
		}
	}
	return ""
}

func digestOf(install *Statement) string {
	if install == nil {
		return ""
	}
	return install.PolicyDigest
}

// --- LED-15

// verifyDecisionInChain: rules and re-decision rest on order and timeline as well.
func (e *entry) verifyDecisionInChain(options *Options) {
	if e.Axes["order"] != fail && e.Axes["timeline"] != fail {
		e.verifyDecision(options, e.chain != nil)
	}
}

// --- LED-16

func (l *ledger) approvals(e *entry) {
	if e.Axes["order"] != pass { // rests on order, and is not checked for what is standalone
		return
	}
	if problem := e.approvalProblem(); problem != "" {
		e.tell("approvals", fail, problem)
	}
	e.passes("approvals")
}

// approvalProblem is the first that is wrong with a release, or "".
func (e *entry) approvalProblem() code {
	s, c := e.Statement, e.chain
	if s.Kind != "release" {
		return ""
	}
	asked, approval := c.asks[s.Ask], c.recorded[s.Approval]
	switch {
	case asked == nil:
		return "ask-missing"
	case asked.ArgsDigest == "" || asked.Observed:
		return "ask-not-releasable"
	case c.usedAsks[s.Ask]:
		return "ask-again"
	case asked.installs != c.installs:
		return "install-between"
	case approval == nil || approval.Kind != "approval":
		return "approval-missing"
	case c.usedApprovals[s.Approval]:
		return "approval-again"
	case approval.Ask != s.Ask || approval.ArgsDigest != asked.ArgsDigest:
		return "approval-differs"
	case !approval.Approved:
		return "approval-refused"
	case approval.Expires <= e.effective: // RCP-10: half-open
		return "approval-expired"
	}
	return ""
}

// remember takes what later entries are judged by.
func (l *ledger) remember(e *entry) {
	s, c := e.Statement, e.chain
	if c == nil {
		return
	}
	if s.Kind == "install" { // counts whatever is wrong with it
		c.install = s
		c.installs++
	}
	if !e.known() {
		return
	}
	if s.Kind == "release" { // even where it fails
		c.usedAsks[s.Ask], c.usedApprovals[s.Approval] = true, true
	}
	if s.Kind == "decision" && s.Decision.Effect == "ask" && e.Axes["key-trust"] != fail {
		c.asks[e.Hash] = &ask{Statement: s, installs: c.installs}
	}
	if e.Axes["key-trust"] != fail { // FND-24
		c.claims.cited[e.Hash] = s
	}
	// The key of what is recorded must not fail; of the record, the signature alone.
	if s.Recorded != nil && len(e.Inner.keyProblems(s.Recorded.Statement, e.effective)) == 0 {
		c.recorded[s.Recorded.Message.hash()] = s.Recorded.Statement // cited by its own receipt hash (LED-2)
		c.claims.cited[s.Recorded.Message.hash()] = s.Recorded.Statement
	}
}

// --- The answer

func (l *ledger) report() *Report {
	var receipts []*Verified
	for _, e := range l.entries {
		if e.Statement != nil {
			for i := range e.Problems {
				e.Problems[i].Engine, e.Problems[i].Seq = e.Statement.EngineID, e.Statement.place()
			}
		}
		receipts = append(receipts, e.Verified)
	}
	report := collect(receipts, true)
	report.Problems = atMost(maxReportProblems, append(l.extra, report.Problems...))
	var findings []string // of findings alone: an entry that is none answers nothing
	for _, e := range l.entries {
		if e.finding {
			findings = append(findings, statusOr(e.Axes["findings"], notChecked))
		}
	}
	report.Axes["findings"] = together(findings)
	for axis, statuses := range l.extraAxes {
		if axis != "completeness" && len(l.entries) > 0 { // which is of chains, not of entries
			statuses = append(statuses, report.Axes[axis])
		}
		report.Axes[axis] = together(statuses)
	}
	askedFor := asked(&l.options.Options)
	if l.options.Folder { // by default
		askedFor = append(askedFor, "order")
		if l.options.PoliciesGiven {
			askedFor = append(askedFor, "timeline")
		}
	}
	if len(l.options.Checkpoints) > 0 {
		askedFor = append(askedFor, "completeness")
	}
	report.judge(askedFor)
	return report
}
