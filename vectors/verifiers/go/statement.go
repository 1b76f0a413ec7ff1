// Statements (spec/receipt.md, step 8; spec/receipt.cddl; spec/ledger.md, Statements).
package main

import (
	"slices"
	"strconv"
	"strings"
)

// Statement holds the fields of all statements; which are there, Kind says. Absent texts are "".
type Statement struct {
	Kind          string
	EngineID      string
	Time          int64
	Seq           *int64
	Prev          string
	Agent         string
	Actions       []Action
	Decision      Decision
	PolicyVersion *int64
	PolicyDigest  string
	MatchProfile  string
	ArgsDigest    string
	Observed      bool // enforced: false
	LedgerID      []byte
	Replaces      string
	Authorization string
	Ask, Approval string
	Approved      bool
	Expires       int64
	ReceiptHash   string
	RecordedBytes []byte
	Claim         *Claim
	Audit         *AuditSaid
	Recorded      *Recorded // nil where the bytes are none that may be recorded
}

// Recorded is a receipt by another key that was taken into a chain (LED-2).
type Recorded struct {
	Message   *Message
	Statement *Statement
}

// speakers is the role that makes each statement (RCP-21, LED-3); the list of statements is closed (RCP-19).
var speakers = map[string]string{
	"decision": "engine", "genesis": "engine", "install": "engine", "release": "engine", "record": "engine",
	"authorization": "installer", "approval": "approver", "finding": "harness", "checkpoint": "auditor",
	"audit-plan": "harness", "audit-epoch": "harness", "audit-report": "harness",
}

const maxRecordedBytes = 786432 // LED-2

// member is a field of the grammar: what is wrong with a value is told by check.
type member struct {
	key      string
	required bool
	check    func(item *Item, pointer string)
}

// grammar checks one statement and fills it.
type grammar struct {
	out      *Statement
	problems []Problem
}

func (g *grammar) tell(code code, pointer string) {
	g.problems = append(g.problems, Problem{Code: code, Pointer: &pointer})
}

// readStatement is step 8 over the payload at data[from:to] (RCP-19). Either the statement or the problems are given.
func readStatement(data []byte, from, to int) (*Statement, []Problem) {
	item, problem := walkItem(data, from, to)
	if problem != nil {
		return nil, []Problem{{Code: problem.code, Offset: &problem.offset}}
	}
	g := &grammar{out: &Statement{Decision: Decision{Action: -1}}}
	if g.is(item, majorMap, "") && g.kind(item) {
		g.fields(item, "", g.members())
		if len(g.problems) == 0 && g.conflict() {
			g.tell("field-conflict", "")
		}
	}
	if len(g.problems) > 0 {
		return nil, atMost(maxDocumentProblems, g.problems)
	}
	return g.out, nil
}

// kind reads which statement it is; what is wrong here ends the step.
func (g *grammar) kind(item *Item) bool {
	for _, e := range item.Entries {
		if e.Key.Major == majorText && e.Key.Text == "statement" {
			if !g.is(e.Value, majorText, "/statement") {
				return false
			}
			if speakers[e.Value.Text] == "" {
				g.tell("unknown-statement", "/statement")
				return false
			}
			g.out.Kind = e.Value.Text
			return true
		}
	}
	g.tell("missing-key", "")
	return false
}

func (g *grammar) is(item *Item, major int, pointer string) bool {
	if item.Major != major {
		g.tell("wrong-type", pointer)
		return false
	}
	return true
}

// fields checks a map: first the missing keys in the order of the grammar, then its members.
func (g *grammar) fields(item *Item, pointer string, members []member) {
	for _, m := range members {
		if m.required && !slices.ContainsFunc(item.Entries, func(e Entry) bool { return e.Key.Major == majorText && e.Key.Text == m.key }) {
			g.tell("missing-key", pointer)
		}
	}
	for _, e := range item.Entries {
		key := e.Key.Text
		if e.Key.Major != majorText {
			key = strconv.FormatInt(e.Key.Integer, 10)
		}
		own := child(pointer, key)
		at := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		if at < 0 || e.Key.Major != majorText {
			g.tell("unknown-key", own)
			continue
		}
		members[at].check(e.Value, own)
	}
}

// --- Values

// text is a text within the limit, then what its kind asks.
func (g *grammar) text(out *string, limit int, kind func(string) code) func(*Item, string) {
	return func(item *Item, pointer string) {
		if !g.is(item, majorText, pointer) {
			return
		}
		if problem := checkText(item.Text, limit, kind); problem != "" {
			g.tell(problem, pointer)
			return
		}
		*out = item.Text
	}
}

func (g *grammar) name(out *string) func(*Item, string) { return g.text(out, 4096, checkName) } // POL-8

func (g *grammar) hash(out *string) func(*Item, string) {
	return g.text(out, maxText, func(text string) code {
		digits, ok := strings.CutPrefix(text, "sha256:")
		if !ok || len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
			return "bad-value"
		}
		return ""
	})
}

func (g *grammar) word(out *string, words ...string) func(*Item, string) {
	return g.text(out, maxText, func(text string) code {
		if !slices.Contains(words, text) {
			return "bad-value"
		}
		return ""
	})
}

// uint: wrong-type, bad-integer below 0, bad-value outside.
func (g *grammar) uint(least, most int64, set func(int64)) func(*Item, string) {
	return func(item *Item, pointer string) {
		switch {
		case item.Major == majorNegative:
			g.tell("bad-integer", pointer)
		case !g.is(item, majorUnsigned, pointer):
		case item.Integer < least || item.Integer > most:
			g.tell("bad-value", pointer)
		default:
			set(item.Integer)
		}
	}
}

func (g *grammar) time(out *int64) func(*Item, string) {
	return g.uint(0, maxInteger, func(n int64) { *out = n })
}

func (g *grammar) optionalUint(out **int64) func(*Item, string) {
	return g.uint(0, maxInteger, func(n int64) { *out = &n })
}

func (g *grammar) bool(set func(value bool) code) func(*Item, string) {
	return func(item *Item, pointer string) {
		if g.is(item, majorSimple, pointer) {
			if problem := set(item.Bool); problem != "" {
				g.tell(problem, pointer)
			}
		}
	}
}

// --- Grammar

func (g *grammar) members() []member {
	s := g.out
	said := []member{
		{"statement", true, func(*Item, string) {}},
		{"engine_id", true, g.name(&s.EngineID)},
		{"time", true, g.time(&s.Time)},
	}
	// Whether seq and prev have to be there is a question of fields that agree (LED-1, RCP-19).
	chain := append(said, member{"seq", false, g.optionalUint(&s.Seq)}, member{"prev", false, g.hash(&s.Prev)})
	version := func(required bool) member {
		return member{"policy_version", required, g.optionalUint(&s.PolicyVersion)}
	}
	digest := func(required bool) member { return member{"policy_digest", required, g.hash(&s.PolicyDigest)} }
	replaces := member{"replaces", false, g.hash(&s.Replaces)}
	profile := member{"match_profile", false, g.name(&s.MatchProfile)}
	ledgerID := member{"ledger_id", true, g.ledgerID}
	ask := member{"ask", true, g.hash(&s.Ask)}
	unused := new(string)
	switch s.Kind {
	case "decision":
		return append(chain,
			member{"agent", true, g.name(&s.Agent)},
			member{"actions", true, g.actions},
			member{"decision", true, g.outcome},
			version(false), digest(false), profile,
			member{"args_digest", false, g.hash(&s.ArgsDigest)},
			member{"call_id", false, g.name(unused)},
			member{"mapping", false, g.hash(unused)},
			member{"enforced", false, g.bool(func(value bool) code {
				s.Observed = true
				if value {
					return "bad-value"
				}
				return ""
			})})
	case "genesis":
		return append(chain, ledgerID)
	case "install":
		return append(chain, version(true), digest(false), profile, replaces,
			member{"authorization", false, g.hash(&s.Authorization)})
	case "release":
		return append(chain, ask, member{"approval", true, g.hash(&s.Approval)})
	case "record":
		return append(chain, member{"recorded", true, g.recorded})
	case "authorization":
		return append(said, version(true), digest(true), replaces)
	case "approval":
		return append(said, ask,
			member{"args_digest", true, g.hash(&s.ArgsDigest)},
			member{"approved", true, g.bool(func(value bool) code { s.Approved = value; return "" })},
			member{"expires", true, g.time(&s.Expires)},
			member{"approver", true, g.name(unused)})
	case "finding":
		return append(said, member{"x_finding", true, g.claim})
	case "checkpoint":
		return append(said, ledgerID,
			member{"seq", true, g.optionalUint(&s.Seq)},
			member{"receipt_hash", true, g.hash(&s.ReceiptHash)})
	case "audit-plan", "audit-epoch", "audit-report":
		return append(said, g.auditMembers()...)
	}
	panic("the list of statements is closed")
}

func (g *grammar) ledgerID(item *Item, pointer string) {
	if !g.is(item, majorBytes, pointer) {
		return
	}
	if len(item.Bytes) != 16 {
		g.tell("bad-value", pointer)
		return
	}
	g.out.LedgerID = item.Bytes
}

func (g *grammar) outcome(item *Item, pointer string) {
	if !g.is(item, majorMap, pointer) {
		return
	}
	d := &g.out.Decision
	g.fields(item, pointer, []member{
		{"effect", true, g.word(&d.Effect, effects...)},
		{"rule", false, g.name(&d.Rule)},
		{"action", false, g.time(&d.Action)},
		{"reason", false, g.word(&d.Reason, "no-rule", "no-policy", "unmapped", "not-canonical", "fault")},
	})
}

func (g *grammar) actions(item *Item, pointer string) {
	if !g.is(item, majorArray, pointer) {
		return
	}
	if len(item.Items) > maxActions { // DEC-4
		g.tell("limit", pointer)
		return
	}
	g.out.Actions = make([]Action, len(item.Items))
	for i, each := range item.Items {
		g.action(&g.out.Actions[i], each, pointer+"/"+strconv.Itoa(i))
	}
}

func (g *grammar) action(a *Action, item *Item, pointer string) {
	if !g.is(item, majorMap, pointer) {
		return
	}
	found := 0
	for _, e := range item.Entries {
		if e.Key.Major == majorText && slices.Contains(kinds, e.Key.Text) {
			a.Kind = e.Key.Text
			found++
		}
	}
	if found != 1 { // before its members
		g.tell("exactly-one", pointer)
	}
	body := func(members ...member) func(*Item, string) {
		return func(item *Item, pointer string) {
			if g.is(item, majorMap, pointer) {
				g.fields(item, pointer, members)
			}
		}
	}
	free := func(string) code { return "" } // whether it is canonical is asked at re-decision (RCP-23)
	g.fields(item, pointer, []member{
		{"filesystem", false, body(
			member{"path", true, g.text(&a.Path, maxText, free)},
			member{"method", true, g.word(&a.Method, fileMethods...)})},
		{"network", false, body(
			member{"host", true, g.text(&a.Host, maxText, free)},
			member{"port", true, g.uint(1, 65535, func(n int64) { a.Port = n })},
			member{"method", false, g.text(&a.Method, maxText, checkHTTPMethod)})},
		{"process", false, body(member{"argv", true, g.argv(a)})},
		{"tool", false, body(
			member{"server", true, g.name(&a.Server)},
			member{"name", true, g.name(&a.Tool)})},
	})
}

// argv as in DEC-2 and DEC-4.
func (g *grammar) argv(a *Action) func(*Item, string) {
	return func(item *Item, pointer string) {
		if !g.is(item, majorArray, pointer) {
			return
		}
		switch {
		case len(item.Items) == 0:
			g.tell("empty-list", pointer)
			return
		case len(item.Items) > maxArgv:
			g.tell("limit", pointer)
			return
		}
		a.Argv = make([]string, len(item.Items))
		for i, each := range item.Items {
			g.text(&a.Argv[i], maxText, checkArgument)(each, pointer+"/"+strconv.Itoa(i))
		}
	}
}

// recorded takes the bytes of a recorded receipt; what they hold is looked at when the record itself is good.
func (g *grammar) recorded(item *Item, pointer string) {
	if g.is(item, majorBytes, pointer) {
		g.out.RecordedBytes = item.Bytes
	}
}

// readRecorded looks into a record (LED-2): a receipt by the steps 1 to 8, of a statement that is not the engine's,
// about the same engine. What is wrong is told at this pointer; an offset counts from the first byte of the recorded receipt.
func (s *Statement) readRecorded(also []string) (*Recorded, []Problem) {
	refuse := func(problems ...Problem) (*Recorded, []Problem) {
		for i := range problems {
			problems[i].Pointer = at("/recorded")
		}
		return nil, problems
	}
	rules := receiptRules(also)
	rules.maxBytes = maxRecordedBytes
	message, problem := readMessage(s.RecordedBytes, 0, len(s.RecordedBytes), rules)
	if problem != nil {
		return refuse(*problem)
	}
	inner, problems := readStatement(s.RecordedBytes, message.PayloadAt, message.EndAt)
	switch {
	case len(problems) > 0:
		return refuse(problems...)
	case speakers[inner.Kind] == "engine": // a record in a record is not looked into further
		return refuse(Problem{Code: "record-kind"})
	case inner.EngineID != s.EngineID:
		return refuse(Problem{Code: "record-engine"})
	}
	return &Recorded{message, inner}, nil
}

// conflict says whether good fields do not agree (RCP-19, LED-1, AUE-4 to AUE-15).
func (g *grammar) conflict() bool {
	s := g.out
	if s.Audit != nil {
		return s.auditConflict()
	}
	if s.Kind == "decision" && s.decisionConflict() {
		return true
	}
	if speakers[s.Kind] != "engine" {
		return false
	}
	if s.Kind != "decision" && s.Seq == nil { // LED-1
		return true
	}
	if s.Seq != nil && s.Kind != "decision" && (s.Kind == "genesis") != (*s.Seq == 0) { // LED-1
		return true
	}
	return (s.Prev != "") != (s.Seq != nil && *s.Seq != 0)
}

func (s *Statement) decisionConflict() bool {
	d := s.Decision
	outside := slices.Contains([]string{"unmapped", "not-canonical", "fault"}, d.Reason) // not by the rules
	switch {
	case (d.Rule != "") == (d.Reason != ""):
		return true
	case d.Reason != "" && d.Effect != "deny":
		return true
	case (d.Action >= 0) != (d.Rule != "" || d.Reason == "no-rule"):
		return true
	case d.Action >= int64(len(s.Actions)) && d.Action >= 0:
		return true
	case outside && !(len(s.Actions) == 0 || len(s.Actions) == 1 && s.Actions[0].Kind == "tool"):
		return true
	case !outside && len(s.Actions) == 0:
		return true
	case s.PolicyVersion == nil && (s.PolicyDigest != "" || s.MatchProfile != ""):
		return true
	case s.PolicyVersion == nil && !outside && d.Reason != "no-policy":
		return true
	case d.Reason == "no-policy" && s.PolicyVersion != nil:
		return true
	}
	return false
}
