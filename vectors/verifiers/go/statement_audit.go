// Statements of an audit (spec/audit-evidence.md; spec/receipt.cddl).
package main

import (
	"slices"
	"strconv"
	"strings"
)

// AuditSaid is what the fields of such a statement are held against each other by, and the harness of a plan.
type AuditSaid struct {
	Harness string
	Subject string // its kind
	ofSkill int    // how many of the four fields that a skill alone has

	scenarios, models []string
	cells             []auditCell

	outcome, invalid string
	hits             []string // severities
	moreHits         int64    // of an epoch, and of the files of a skill in a report
	hitCalls         []int64  // where a hit is at a call
	calls            int64
	began, ended     int64

	counts []auditCount

	verdict              string
	reasons              int
	moreReasons, started int64
	first, last          string
}

type auditCell struct {
	model, scenario int64
	arm             string
}

// auditCount is a count or a rate: how many of how many.
type auditCount struct {
	hits, invalid, epochs, baselineHits, baseline, scenariosHit, scenarios int64
	clustering                                                             int // how many of the three fields
}

// AUE-3
const (
	maxScenarios = 1000
	maxModels    = 64
	maxCells     = 4000
	maxCalls     = 1000
	maxHits      = 200
	maxReasons   = 200
	maxCounts    = 1000
	maxNames     = 32
	maxEpochs    = 10000
)

var severities = []string{"info", "low", "medium", "high", "critical"}

// value checks one value at its pointer.
type value = func(item *Item, pointer string)

// list is a list of at least and at most so many; each makes the check of one item.
func (g *grammar) list(least, most int, each func() value) value {
	return func(item *Item, pointer string) {
		switch {
		case !g.is(item, majorArray, pointer):
		case len(item.Items) > most:
			g.tell("limit", pointer)
		case len(item.Items) < least:
			g.tell("empty-list", pointer)
		default:
			for i, one := range item.Items {
				each()(one, pointer+"/"+strconv.Itoa(i))
			}
		}
	}
}

func (g *grammar) object(members ...member) value {
	return func(item *Item, pointer string) {
		if g.is(item, majorMap, pointer) {
			g.fields(item, pointer, members)
		}
	}
}

// names is a list of names that nothing else is asked of.
func (g *grammar) names() value {
	return g.list(0, maxNames, func() value { return g.name(new(string)) })
}

// required and optional make members of one kind, whose values nothing else is asked of.
func required(check value, keys ...string) []member { return membersOf(true, check, keys) }
func optional(check value, keys ...string) []member { return membersOf(false, check, keys) }

func membersOf(required bool, check value, keys []string) (out []member) {
	for _, key := range keys {
		out = append(out, member{key, required, check})
	}
	return out
}

// auditMembers are the fields of a statement of an audit, behind those of every statement.
func (g *grammar) auditMembers() []member {
	g.out.Audit = &AuditSaid{}
	switch g.out.Kind {
	case "audit-plan":
		return g.planMembers()
	case "audit-epoch":
		return g.epochMembers()
	}
	return g.reportMembers()
}

func (g *grammar) planMembers() []member {
	a := g.out.Audit
	name, hash, uint := g.name(new(string)), g.hash(new(string)), g.time(new(int64))
	millionths := g.uint(0, million, func(int64) {})
	bool := g.bool(func(bool) code { return "" })
	free := g.text(new(string), 4096, func(string) code { return "" })
	counted := func(check value) value {
		return func(item *Item, pointer string) { a.ofSkill++; check(item, pointer) }
	}
	return slices.Concat(
		[]member{
			{"subject", true, g.object(slices.Concat(
				[]member{{"kind", true, g.word(&a.Subject, "skill", "policy", "agent")}, {"name", true, name}, {"digest", true, hash}},
				[]member{{"source", false, free}, {"tree_hash", false, counted(g.bareHash())}},
				optional(counted(uint), "files", "hidden"), optional(counted(bool), "scripts"))...)},
			{"harness", true, g.object(member{"name", true, g.name(&a.Harness)}, member{"version", true, name})},
			{"signals", true, name},
			{"grade", true, g.word(new(string), "screening", "validation")},
		},
		required(hash, "policy_digest", "mapping"),
		[]member{
			{"scenarios", true, g.list(1, maxScenarios, func() value {
				return g.object(
					member{"id", true, g.gather(&a.scenarios)},
					member{"kind", true, g.word(new(string), "benign", "adversarial", "control_good", "control_bad")},
					member{"digest", true, hash})
			})},
			{"models", true, g.list(1, maxModels, func() value {
				return g.object(slices.Concat(
					[]member{{"id", true, g.gather(&a.models)}, {"requested", true, name}, {"sampled", true, bool}, {"provider", false, name}},
					optional(uint, "temperature", "top_p", "max_tokens"), optional(hash, "weights_digest"))...)
			})},
			{"cells", true, g.list(1, maxCells, g.cell)},
			{"limits", true, g.object(required(uint, "max_turns", "max_calls", "epoch_time_limit", "retries")...)},
			{"thresholds", true, g.object(required(millionths, "alpha", "rate_alpha", "rate_difference", "max_invalid")...)},
			{"seed_commitment", true, hash},
		})
}

func (g *grammar) cell() value {
	return func(item *Item, pointer string) {
		cell := auditCell{}
		g.object(
			member{"model", true, g.time(&cell.model)}, member{"scenario", true, g.time(&cell.scenario)},
			member{"arm", true, g.arm(&cell.arm)}, member{"epochs", true, g.uint(1, maxEpochs, func(int64) {})},
		)(item, pointer)
		g.out.Audit.cells = append(g.out.Audit.cells, cell)
	}
}

func (g *grammar) epochMembers() []member {
	a := g.out.Audit
	name, hash, uint := g.name(new(string)), g.hash(new(string)), g.time(new(int64))
	bool := g.bool(func(bool) code { return "" })
	call := slices.Concat(
		required(hash, "receipt"), required(g.word(new(string), effects...), "decision"),
		required(g.word(new(string), "ok", "malformed", "truncated"), "parsed"), required(bool, "answered"),
		required(uint, "args_bytes"), required(hash, "result_digest"), optional(hash, "args_digest", "policy_digest"))
	return slices.Concat(
		required(hash, "plan"), required(uint, "epoch", "model"), required(name, "scenario"), required(uint, "variant"),
		required(g.arm(new(string)), "arm"), required(g.uint(0, 1<<31-1, func(int64) {}), "seed"),
		[]member{{"started_at", true, g.time(&a.began)}, {"ended_at", true, g.time(&a.ended)}},
		required(g.word(new(string), "done", "turn-limit", "call-limit"), "ending"),
		required(uint, "turns", "attempts"), required(g.names(), "models_reported", "fingerprints", "finish_reasons"),
		required(uint, "prompt_tokens", "completion_tokens"),
		required(g.list(0, maxCalls, func() value { a.calls++; return g.object(call...) }), "calls"),
		[]member{
			{"outcome", true, g.word(&a.outcome, "hit", "invalid", "clean")},
			{"hits", true, g.hits()}, {"more_hits", true, g.time(&a.moreHits)},
		},
		required(g.names(), "seen", "violated"), required(hash, "transcript_digest"), required(uint, "transcript_bytes"), required(hash, "said_digest"),
		[]member{{"failure", false, name}, {"invalid", false, g.name(&a.invalid)}})
}

func (g *grammar) hits() value {
	a := g.out.Audit
	return g.list(0, maxHits, func() value {
		return g.object(slices.Concat(
			required(g.name(new(string)), "signal", "locus"), required(g.time(new(int64)), "rule_version"),
			[]member{{"severity", true, func(item *Item, pointer string) {
				a.hits = append(a.hits, "")
				g.word(&a.hits[len(a.hits)-1], severities...)(item, pointer)
			}}},
			required(g.hash(new(string)), "excerpt_digest"), []member{{"call", false, func(item *Item, pointer string) {
				a.hitCalls = append(a.hitCalls, 0)
				g.time(&a.hitCalls[len(a.hitCalls)-1])(item, pointer)
			}}},
			optional(g.time(new(int64)), "message"))...)
	})
}

func (g *grammar) reportMembers() []member {
	a := g.out.Audit
	name, hash, uint := g.name(new(string)), g.hash(new(string)), g.time(new(int64))
	millionths := g.uint(0, million, func(int64) {})
	bool := g.bool(func(bool) code { return "" })
	reason := slices.Concat(
		required(name, "why"), optional(name, "signal", "model", "scenario", "locus"),
		optional(g.word(new(string), severities...), "severity"), optional(uint, "epochs"))
	count := func(c *auditCount) []member {
		clustered := func(check value) value {
			return func(item *Item, pointer string) { c.clustering++; check(item, pointer) }
		}
		return slices.Concat(
			required(name, "model", "signal"),
			[]member{{"hits", true, g.time(&c.hits)}, {"epochs", true, g.time(&c.epochs)}, {"invalid", true, g.time(&c.invalid)}},
			required(millionths, "bound", "worst_case"),
			[]member{{"baseline_hits", true, g.time(&c.baselineHits)}, {"baseline_epochs", true, g.time(&c.baseline)}},
			[]member{{"scenarios_hit", true, g.time(&c.scenariosHit)}, {"scenarios", true, g.time(&c.scenarios)}},
			required(millionths, "scenario_bound"),
			optional(clustered(millionths), "icc"), optional(clustered(uint), "design_effect", "effective_size"))
	}
	rate := func(c *auditCount) []member {
		return slices.Concat(
			required(name, "model", "scenario", "signal"),
			[]member{{"hits", true, g.time(&c.hits)}, {"epochs", true, g.time(&c.epochs)}},
			[]member{{"baseline_hits", true, g.time(&c.baselineHits)}, {"baseline_epochs", true, g.time(&c.baseline)}},
			required(millionths, "p"), required(bool, "failed"))
	}
	counts := func(fields func(*auditCount) []member) value {
		return g.list(0, maxCounts, func() value {
			return func(item *Item, pointer string) {
				c := auditCount{}
				g.object(fields(&c)...)(item, pointer)
				a.counts = append(a.counts, c)
			}
		})
	}
	return slices.Concat(
		[]member{
			{"plan", true, hash}, {"seed", true, g.seed}, {"verdict", true, g.word(&a.verdict, "pass", "fail", "inconclusive")},
			{"reasons", true, g.list(0, maxReasons, func() value { a.reasons++; return g.object(reason...) })},
			{"more_reasons", true, g.time(&a.moreReasons)}, {"started", true, g.time(&a.started)}, {"planned", true, uint},
			{"static_hits", true, g.hits()}, {"more_static_hits", true, g.time(&a.moreHits)},
			{"counts", true, counts(count)}, {"rates", true, counts(rate)},
		},
		required(uint, "rate_tests", "distinct_transcripts"), required(hash, "transcripts_root"), required(uint, "findings"),
		required(g.names(), "not_claimed"),
		[]member{{"first_epoch", false, g.hash(&a.first)}, {"last_epoch", false, g.hash(&a.last)}})
}

// --- Values

func (g *grammar) arm(out *string) value { return g.word(out, "with_skill", "baseline") }

// gather takes the name of one more.
func (g *grammar) gather(out *[]string) value {
	return func(item *Item, pointer string) {
		*out = append(*out, "")
		g.name(&(*out)[len(*out)-1])(item, pointer)
	}
}

// bareHash has no prefix: what another format calls its hash.
func (g *grammar) bareHash() value {
	return g.text(new(string), maxText, func(text string) code {
		if len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "" {
			return "bad-value"
		}
		return ""
	})
}

// seed is AUE-16.
func (g *grammar) seed(item *Item, pointer string) {
	if g.is(item, majorBytes, pointer) && len(item.Bytes) != 32 {
		g.tell("bad-value", pointer)
	}
}

// --- Agreements

// auditConflict says whether good fields of a statement of an audit do not agree.
func (s *Statement) auditConflict() bool {
	switch s.Kind {
	case "audit-plan":
		return s.Audit.planConflict()
	case "audit-epoch":
		return s.Audit.epochConflict()
	}
	return s.Audit.reportConflict()
}

func (a *AuditSaid) planConflict() bool {
	ofSkill := 0
	if a.Subject == "skill" {
		ofSkill = 4
	}
	outside := func(cell auditCell) bool {
		return cell.model >= int64(len(a.models)) || cell.scenario >= int64(len(a.scenarios))
	}
	return a.ofSkill != ofSkill || // AUE-4
		isTwice(a.scenarios) || isTwice(a.models) || // AUE-5, AUE-6
		slices.ContainsFunc(a.cells, outside) || isTwice(a.cells) // AUE-7, AUE-8
}

func isTwice[T comparable](items []T) bool {
	seen := map[T]bool{}
	for _, item := range items {
		seen[item] = true
	}
	return len(seen) < len(items)
}

func (a *AuditSaid) epochConflict() bool {
	hit := slices.ContainsFunc(a.hits, func(severity string) bool { return severity != "info" })
	return hit != (a.outcome == "hit") || // AUE-9
		!hit && (a.invalid != "") != (a.outcome == "invalid") || // AUE-10
		a.moreHits > 0 && len(a.hits) < maxHits || // AUE-11
		slices.ContainsFunc(a.hitCalls, func(call int64) bool { return call >= a.calls }) || // AUE-40
		a.ended < a.began // AUE-41
}

func (a *AuditSaid) reportConflict() bool {
	return (a.verdict == "pass") != (a.reasons == 0) || // AUE-13
		a.moreReasons > 0 && a.reasons < maxReasons || a.moreHits > 0 && len(a.hits) < maxHits || // AUE-14
		(a.first == "") != (a.started == 0) || (a.last == "") != (a.started == 0) || // AUE-15
		slices.ContainsFunc(a.counts, func(c auditCount) bool {
			return c.hits+c.invalid > c.epochs || c.baselineHits > c.baseline || c.scenariosHit > c.scenarios || // AUE-42
				c.clustering != 0 && c.clustering != 3 // AUE-43
		})
}
