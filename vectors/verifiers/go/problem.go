// Problems and axes: what a report is made of (spec/errors.md; spec/receipt.md, The answer).
package main

import (
	"slices"
	"sort"
	"strings"
)

// Problem is one line of a report: a code and its place. What is not known stays nil.
type Problem struct {
	Axis    string
	Code    string
	Status  string // "fail", "not-checked" or "note"
	Pointer *string
	Offset  *int // bytes for CBOR, UTF-16 code units for the text of a document
	Line    *int
	Column  *int
	Receipt *int
	Engine  string
	Seq     *int64
	at      int // byte in the text of a document, for the order of problems
}

func at[T any](v T) *T { return &v }

const (
	pass       = "pass"
	fail       = "fail"
	notChecked = "not-checked"
	note       = "note"
)

var allAxes = []string{
	"bytes", "signature", "key-trust", "order", "completeness", "timeline",
	"rules", "re-decision", "approvals", "findings", "mapping",
}

// together says what an axis is for several entries: RCP-24, last paragraph of "The answer".
func together(statuses []string) string {
	if slices.Contains(statuses, fail) {
		return fail
	}
	if len(statuses) == 0 || slices.Contains(statuses, notChecked) {
		return notChecked
	}
	return pass
}

// Report is the answer of a verifier (RCP-24): never a bare "valid".
type Report struct {
	OK       bool
	Axes     map[string]string
	Problems []Problem
}

// judge sets OK: nothing failed, and all that was asked passed (RCP-24).
func (r *Report) judge(asked []string) {
	r.OK = true
	for _, axis := range allAxes {
		if r.Axes[axis] == "" {
			r.Axes[axis] = notChecked
		}
		if r.Axes[axis] == fail || (slices.Contains(asked, axis) && r.Axes[axis] != pass) {
			r.OK = false
		}
	}
}

// child is the JSON pointer of a member (RFC 6901).
func child(pointer, key string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

const (
	maxDocumentProblems = 100   // POL-17, RCP-19
	maxReportProblems   = 10000 // RCP-24
)

// atMost keeps the first of the problems.
func atMost(most int, problems []Problem) []Problem { return problems[:min(most, len(problems))] }

// inDocumentOrder sorts problems by their place in the text; those of one place keep their order (POL-17).
func inDocumentOrder(problems []Problem) []Problem {
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].at < problems[j].at })
	return problems
}
