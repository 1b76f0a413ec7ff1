// Finding receipts and ids (spec/finding.md, Finding receipts, Identity).
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"slices"
)

// Claim is the block x_finding: what a harness says that it saw.
type Claim struct {
	FindingID, StableID string
	Harness, TestID     string
	Verdict             string
	Cited               string
	Server, Tool        string
	ArgsDigest          string
	Expected, Actual    string
	Salt                string
	Plan                string
}

// claims are what the findings of one chain have cited and claimed so far.
type claims struct {
	cited        map[string]*Statement // that can be cited, by receipt hash
	inputs       map[string][3]string  // by the id that follows from them
	expectations map[[2]string]string  // of harness and test, as their first finding says
}

func newClaims() *claims {
	return &claims{map[string]*Statement{}, map[string][3]string{}, map[[2]string]string{}}
}

func findingID(harness, test, cited string) string {
	sum := sha256.Sum256(field(field(field(nil, harness), test), cited))
	return "finding_" + hex.EncodeToString(sum[:8])
}

func stableID(harness, test, args, policy string) string {
	return hashOf(field(field(field(field(nil, harness), test), args), policy))
}

// findings answers the axis for a record of a finding, and for nothing else. It rests on bytes, signature and order.
func (l *ledger) findings(e *entry) {
	s := e.Statement
	if s == nil {
		return
	}
	if s.Kind == "finding" { // standalone
		e.finding = true
		return
	}
	if s.Recorded == nil || s.Recorded.Statement.Kind != "finding" {
		return
	}
	e.finding = true
	if !e.known() || e.Axes["order"] == fail || e.chain == nil {
		return
	}
	if e.Inner.Role == "engine" { // FND-23
		e.tell("findings", fail, "finding-by-engine")
		return
	}
	if len(e.Inner.keyProblems(s.Recorded.Statement, e.effective)) > 0 { // rests on key trust
		return
	}
	for _, problem := range e.chain.claims.problems(s.Recorded.Statement.Claim, l.options.Arguments) {
		e.tell("findings", fail, problem)
	}
	e.passes("findings")
}

func (c *claims) problems(claim *Claim, arguments map[string]*Value) []code {
	return slices.Concat(c.idProblems(claim), c.citedProblems(claim, arguments), c.verdictProblems(claim), c.planProblems(claim))
}

// idProblems is FND-26. An id that does not follow takes nothing from the finding that has it rightly.
func (c *claims) idProblems(claim *Claim) (out []code) {
	inputs := [3]string{claim.Harness, claim.TestID, claim.Cited}
	own := findingID(claim.Harness, claim.TestID, claim.Cited)
	if claim.FindingID != own {
		out = append(out, "finding-id-differs")
	}
	other, known := c.inputs[claim.FindingID]
	if known && other != inputs {
		out = append(out, "finding-id-again")
	}
	if claim.FindingID == own && !known {
		c.inputs[own] = inputs
	}
	return out
}

// citedProblems is FND-24 and FND-25.
func (c *claims) citedProblems(claim *Claim, arguments map[string]*Value) (out []code) {
	cited := c.cited[claim.Cited]
	switch {
	case cited == nil:
		return []code{"cited-missing"}
	case cited.Kind != "decision":
		return []code{"cited-not-decision"}
	}
	if claim.Actual != cited.Decision.Effect {
		out = append(out, "cited-misreported")
	}
	tool := slices.IndexFunc(cited.Actions, func(a Action) bool { return a.Kind == "tool" })
	if tool < 0 || cited.Actions[tool].Server != claim.Server || cited.Actions[tool].Tool != claim.Tool {
		out = append(out, "repro-tool-differs")
	}
	if cited.ArgsDigest == "" {
		out = append(out, "cited-args-missing")
	} else if cited.ArgsDigest != claim.ArgsDigest {
		out = append(out, "repro-args-differ")
	}
	if raw := arguments[claim.Cited]; raw != nil {
		form, problem := formOf(raw)
		if problem != "" || argsDigest(form, claim.Salt) != claim.ArgsDigest {
			out = append(out, "args-not-derived")
		}
	}
	if claim.StableID != stableID(claim.Harness, claim.TestID, claim.ArgsDigest, cited.PolicyDigest) {
		out = append(out, "stable-id-differs")
	}
	return out
}

// verdictProblems is FND-27.
func (c *claims) verdictProblems(claim *Claim) (out []code) {
	follows := "refuted"
	switch {
	case claim.Expected != claim.Actual:
		follows = "confirmed"
	case claim.Expected == "allow":
		follows = "expected_pass"
	}
	if claim.Verdict != follows {
		out = append(out, "verdict-differs")
	}
	test := [2]string{claim.Harness, claim.TestID}
	before, known := c.expectations[test]
	if !known {
		c.expectations[test] = claim.Expected
	} else if before != claim.Expected {
		out = append(out, "expectation-differs")
	}
	return out
}

// planProblems is FND-28.
func (c *claims) planProblems(claim *Claim) []code {
	if claim.Plan == "" {
		return nil
	}
	plan := c.cited[claim.Plan]
	switch {
	case plan == nil || plan.Kind != "audit-plan":
		return []code{"finding-plan-missing"}
	case plan.Audit.Harness != claim.Harness:
		return []code{"finding-plan-harness"}
	}
	return nil
}

// --- The grammar

func (g *grammar) claim(item *Item, pointer string) {
	if !g.is(item, majorMap, pointer) {
		return
	}
	c := &Claim{}
	g.out.Claim = c
	unused, detected := new(string), new(int64)
	g.fields(item, pointer, []member{
		{"action", true, g.word(unused, "reported")},
		{"finding_id", true, g.name(&c.FindingID)},
		{"stable_id", true, g.hash(&c.StableID)},
		{"harness", true, g.name(&c.Harness)},
		{"test_id", true, g.name(&c.TestID)},
		{"verdict", true, g.word(&c.Verdict, "confirmed", "refuted", "expected_pass")},
		{"cited_receipt", true, g.hash(&c.Cited)},
		{"repro", true, g.repro},
		{"detected_at", true, g.time(detected)},
		{"args_salt", false, g.text(&c.Salt, maxText, func(string) code { return "" })},
		{"plan", false, g.hash(&c.Plan)},
		{"note", false, g.name(unused)},
	})
}

func (g *grammar) repro(item *Item, pointer string) {
	if !g.is(item, majorMap, pointer) {
		return
	}
	c := g.out.Claim
	g.fields(item, pointer, []member{
		{"tool", true, func(item *Item, pointer string) {
			if g.is(item, majorMap, pointer) {
				g.fields(item, pointer, []member{{"server", true, g.name(&c.Server)}, {"name", true, g.name(&c.Tool)}})
			}
		}},
		{"args_digest", true, g.hash(&c.ArgsDigest)},
		{"expected_decision", true, g.word(&c.Expected, effects...)},
		{"actual_decision", true, g.word(&c.Actual, effects...)},
	})
}

// --- Identity

var occurrenceShape = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}@[0-9a-f]{64}$`)

func fieldAll(out []byte, texts ...string) []byte {
	for _, text := range texts {
		out = field(out, text)
	}
	return out
}

// findingPreimage is what the id of a finding of the model hashes, or the code with which it has none.
func findingPreimage(finding, occurrence *Value) ([]byte, code) {
	out := field(nil, "ruleprint/finding-id/1")
	rule := finding.get("rule_id").Text
	if path := finding.get("capability_path"); path != nil {
		if occurrence != nil {
			return nil, "field-conflict"
		}
		out = fieldAll(out, "scope:agent", rule, finding.get("affected_agent").Text)
		out = fieldAll(out, path.get("agent_id").Text, path.get("target_id").Text, path.get("target_type").Text)
		hops := path.get("hops").Items // FND-8
		out = binary.BigEndian.AppendUint32(out, uint32(len(hops)))
		for _, hop := range hops {
			out = field(out, hop.get("edge_id").Text)
		}
		return out, ""
	}
	if occurrence != nil && !occurrenceShape.MatchString(occurrence.Text) { // FND-10
		return nil, "bad-value"
	}
	var paths []string // FND-9
	for _, one := range finding.get("evidence").Items {
		if path := one.get("path"); path != nil {
			paths = append(paths, path.Text)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	out = fieldAll(out, "scope:repository", rule)
	out = fieldAll(binary.BigEndian.AppendUint32(out, uint32(len(paths))), paths...)
	if occurrence == nil {
		return field(out, "occurrence:none"), ""
	}
	return fieldAll(out, "occurrence:label", occurrence.Text), ""
}

// --- finding.json

func checkFindingCase(input, expect *Value) string {
	if claim := input.get("claim"); claim != nil {
		harness, test := claim.get("harness").Text, claim.get("test_id").Text
		if got := differ(expect.get("finding_id"), findingID(harness, test, claim.get("cited_receipt").Text)); got != "" {
			return got
		}
		policy := ""
		if digest := claim.get("policy_digest"); digest != nil {
			policy = digest.Text
		}
		return differ(expect.get("stable_id"), stableID(harness, test, claim.get("args_digest").Text, policy))
	}
	if finding := input.get("finding"); finding != nil {
		preimage, problem := findingPreimage(finding, input.get("occurrence"))
		if problem != "" {
			return differ(expect.get("error"), problem)
		}
		if got := differ(expect.get("preimage_hex"), hex.EncodeToString(preimage)); got != "" {
			return got
		}
		return differ(expect.get("id"), "ruleprint:finding:"+hashOf(preimage))
	}
	if of := input.get("occurrence_of"); of != nil {
		kind, key := of.get("kind").Text, ""
		if given := of.get("key"); given != nil {
			key = given.Text
		}
		hash := hashOf(fieldAll(nil, "ruleprint/occurrence/1", kind, key, of.get("content").Text))
		return differ(expect.get("occurrence"), kind+"@"+hash[len("sha256:"):])
	}
	return checkLedgerCase(input, expect)
}
