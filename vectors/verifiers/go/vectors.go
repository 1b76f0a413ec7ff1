// The vectors (vectors/README.md): every case of every file, its result or its code, and the place where one is given.
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// runner counts. A check gives "" where the case is as expected, else what was found.
type runner struct {
	passed, failed int
	skipped        map[string]int
}

// skip is what a check gives for a case that is not run.
const skip = "skip: "

type check func(input, expect *Value) string

// runVectors runs all files of the folder; true where nothing failed.
func runVectors(folder string) bool {
	checks := map[string]func(*Value) check{
		"policy.json":   func(*Value) check { return checkPolicyCase },
		"match.json":    func(*Value) check { return checkMatchCase },
		"decision.json": func(*Value) check { return checkDecisionCase },
		"digest.json":   checkDigestFile,
		"mapping.json":  func(*Value) check { return checkMappingCase },
		"cbor.json":     func(*Value) check { return checkCBORCase },
		"receipt.json":  func(*Value) check { return checkReceiptCase },
		"ledger.json":   func(*Value) check { return checkLedgerCase },
		"finding.json":  func(*Value) check { return checkFindingCase },
		"audit.json":    checkAuditFile,
	}
	r := &runner{skipped: map[string]int{}}
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	if len(files) == 0 {
		r.failed++
		fmt.Println("no vectors in", folder)
	}
	for _, path := range files {
		name := filepath.Base(path)
		before := *r
		makeCheck := checks[name]
		text, err := os.ReadFile(path)
		file, problems := readJSON(text, false)
		switch {
		case err != nil:
			r.fail(name, "file", "", err.Error())
		case makeCheck == nil:
			r.fail(name, "file", "a file of vectors that is known", "another")
		case file == nil || len(problems) > 0:
			r.fail(name, "file", "JSON", fmt.Sprint(problems))
		default:
			r.file(name, text, file, makeCheck(file))
		}
		fmt.Printf("%s: %d passed, %d failed\n", name, r.passed-before.passed, r.failed-before.failed)
	}
	total := 0
	for _, reason := range slices.Sorted(keys(r.skipped)) {
		fmt.Printf("skipped %d: %s\n", r.skipped[reason], reason)
		total += r.skipped[reason]
	}
	fmt.Printf("%d passed, %d failed", r.passed, r.failed)
	if total > 0 {
		fmt.Printf(", %d skipped", total)
	}
	fmt.Println()
	return r.failed == 0
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// known are the members of input and expect that the checks look at: a case with another is not answered by them.
var known = map[string]string{
	"policy.json":   "format document document_hex | policy policy_digest error where more",
	"match.json":    "path host text argv path_pattern host_pattern text_pattern argv_pattern | canonical covers error",
	"decision.json": "request policy install_versions | canonical decision trace version_in_force error where",
	"digest.json":   "policy | preimage_hex policy_digest rules same_digest_as other_digest_than error where",
	"mapping.json":  "args_json salt document tables server cwd home call | form args_digest mapping_digest actions error reason where",
	"cbor.json":     "value cbor_hex | cbor_hex error where",
	"receipt.json": "alg label public_key_jwk public_key_pem public_key_cose_hex key statement trust_document receipt_hex sequence_hex " +
		"trust policies require also_algorithms cose_hex keys external_aad_hex typ | d_hex x_hex y_hex thumbprint_input_hex kid jwk alg " +
		"protected_hex signed_core_cbor_hex sig_structure_hex receipt_hash signature_hex cose_sign1_hex keys require_installer " +
		"ok axes problems kid_hex payload_hex hash error where",
	"finding.json": "segments_hex kind trust policies require args claim finding occurrence occurrence_of | " +
		"ok axes problems finding_id stable_id preimage_hex id occurrence error",
	"audit.json": "files k n alpha tests with_skill baseline difference seed_hex plan_digest epoch slot " +
		"scenario agent prompt cells messages canaries transcripts plan epochs static_hits | " +
		"preimage_hex tree_digest interchange_hash hidden same_digest_as other_digest_than error upper_bound p failed canary commitment " +
		"form scenario_digest agent_digest epoch_seed order words_hex said_digest transcripts_root " +
		"verdict reasons started planned counts rates rate_tests distinct_transcripts",
	"ledger.json": "segments_hex durable kind trust policies checkpoints_hex require expect_engines also_algorithms | ok axes problems",
}

// unknownMember is a member of the case that no check looks at, or "".
func unknownMember(name string, input, expect *Value) string {
	inputs, expects, _ := strings.Cut(known[name], "|")
	for _, side := range []struct {
		value *Value
		known string
	}{{input, inputs}, {expect, expects}} {
		for _, m := range side.value.Members {
			if !slices.Contains(strings.Fields(side.known), m.Key) {
				return m.Key
			}
		}
	}
	return ""
}

func (r *runner) file(name string, text []byte, file *Value, check check) {
	for _, group := range file.get("groups").Items {
		for _, each := range group.get("cases").Items {
			id, expect := each.get("id").Text, each.get("expect")
			got := ""
			if member := unknownMember(name, each.get("input"), expect); member != "" {
				got = "a member that is not known: " + member
			} else {
				got = run(check, each.get("input"), expect)
			}
			reason, skipped := strings.CutPrefix(got, skip)
			switch {
			case skipped:
				r.skipped[reason]++
			case got == "":
				r.passed++
			default:
				r.fail(name, id, string(text[expect.At:expect.End]), got)
			}
		}
	}
}

// run keeps a check that breaks from ending the others.
func run(check check, input, expect *Value) (got string) {
	defer func() {
		if broken := recover(); broken != nil {
			got = fmt.Sprint("broken: ", broken)
		}
	}()
	return check(input, expect)
}

func (r *runner) fail(file, id, expected, got string) {
	r.failed++
	fmt.Printf("FAIL %s %s\n  expected %s\n  got      %s\n", file, id, short(expected), short(got))
}

func short(text string) string {
	if len(text) > 1000 {
		return text[:1000] + "..."
	}
	return text
}

// --- Reading cases

// plainText replaces the notations of text: UTF-16 code units in hex, and a piece and how often it stands.
func plainText(v *Value) *Value {
	if v == nil {
		return nil
	}
	out := *v
	if units := v.get("$utf16_hex"); units != nil {
		var text []byte
		high := -1
		for i := 0; i < len(units.Text); i += 4 {
			unit, _ := strconv.ParseUint(units.Text[i:i+4], 16, 16)
			text, high = appendUnit(text, high, int(unit))
		}
		return &Value{Kind: jsonText, Text: string(text), At: v.At}
	}
	if repeat := v.get("$repeat"); repeat != nil {
		return &Value{Kind: jsonText, Text: strings.Repeat(repeat.Items[0].Text, int(integer(repeat.Items[1]))), At: v.At}
	}
	out.Items, out.Members = nil, nil
	for _, item := range v.Items {
		out.Items = append(out.Items, plainText(item))
	}
	for _, m := range v.Members {
		out.Members = append(out.Members, Member{m.Key, m.At, plainText(m.Value)})
	}
	return &out
}

// hexBytes reads hex or its notation: parts one after another, a piece and how often it stands.
func hexBytes(v *Value) []byte {
	if v == nil {
		return nil
	}
	if v.Kind == jsonText {
		return mustHex(v.Text)
	}
	if parts := v.get("$concat"); parts != nil {
		var out []byte
		for _, part := range parts.Items {
			out = append(out, hexBytes(part)...)
		}
		return out
	}
	repeat := v.get("$repeat")
	return slices.Repeat(mustHex(repeat.Items[0].Text), int(integer(repeat.Items[1])))
}

func integer(v *Value) int64 {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func texts(v *Value) (out []string) {
	if v != nil {
		for _, item := range v.Items {
			out = append(out, item.Text)
		}
	}
	return out
}

// sameJSON compares two values as JSON does: the order of keys means nothing.
func sameJSON(a, b *Value) bool {
	if a.Kind != b.Kind || a.Bool != b.Bool || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Items {
		if !sameJSON(a.Items[i], b.Items[i]) {
			return false
		}
	}
	for _, m := range a.Members {
		other := b.get(m.Key)
		if other == nil || !sameJSON(m.Value, other) {
			return false
		}
	}
	return true
}

// differ gives what was found where it is not what the case expects.
func differ(expected *Value, got string) string {
	if expected == nil && got == "" || expected != nil && expected.Text == got {
		return ""
	}
	return fmt.Sprintf("%q", got)
}

// fits says whether a problem is the expected one: its code, and of its place what the case gives.
func fits(expected *Value, got Problem) bool {
	code := expected.get("error")
	if code == nil {
		code = expected.get("code")
	}
	if code.Text != got.Code {
		return false
	}
	text := func(v *Value, has string) bool { return v == nil || v.Text == has }
	number := func(v *Value, has *int) bool { return v == nil || has != nil && int(integer(v)) == *has }
	if !text(expected.get("axis"), got.Axis) || !text(expected.get("status"), got.Status) || !text(expected.get("engine"), got.Engine) {
		return false
	}
	if seq := expected.get("seq"); seq != nil && (got.Seq == nil || *got.Seq != integer(seq)) {
		return false
	}
	if status := expected.get("status"); status != nil { // of a ledger: what is not there is not there in the report
		if expected.get("engine") == nil && got.Engine != "" || expected.get("seq") == nil && got.Seq != nil {
			return false
		}
	}
	where := expected.get("where")
	if where == nil {
		return true
	}
	if pointer := where.get("pointer"); pointer != nil && (got.Pointer == nil || *got.Pointer != pointer.Text) {
		return false
	}
	return number(where.get("offset"), got.Offset) && number(where.get("line"), got.Line) &&
		number(where.get("column"), got.Column) && number(where.get("receipt"), got.Receipt)
}

// sameProblems compares as multisets: of the members of one map the order is free (RCP-19).
func sameProblems(expected []*Value, got []Problem) bool {
	rest := slices.Clone(got)
	for _, e := range expected {
		i := slices.IndexFunc(rest, func(p Problem) bool { return fits(e, p) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return len(rest) == 0
}

// refusedAs compares the first problem of a document, and all of them (POL-17).
func refusedAs(expect *Value, problems []Problem) string {
	expected := []*Value{expect}
	if more := expect.get("more"); more != nil {
		expected = append(expected, more.Items...)
	}
	if expect.get("error") == nil || len(problems) != len(expected) {
		return fmt.Sprint(problems)
	}
	for i := range expected { // in document order
		if !fits(expected[i], problems[i]) {
			return fmt.Sprint(problems)
		}
	}
	return ""
}

// --- policy.json

func checkPolicyCase(input, expect *Value) string {
	if input.get("format").Text == "yaml" {
		return skip + "YAML: a verifier takes policies as JSON"
	}
	document := hexBytes(input.get("document_hex"))
	if text := input.get("document"); text != nil {
		document = []byte(text.Text)
	}
	policy, problems := parsePolicy(document)
	if policy == nil {
		return refusedAs(expect, problems)
	}
	if expect.get("policy") == nil {
		return "taken"
	}
	again, problems := judgePolicy(expect.get("policy"))
	if again == nil {
		return fmt.Sprint("the expected policy is refused: ", problems)
	}
	value, _ := readJSON(document, true)
	if !sameJSON(value, expect.get("policy")) {
		return "another policy"
	}
	return differ(expect.get("policy_digest"), policy.digest())
}

// --- match.json

func checkMatchCase(input, expect *Value) string {
	var problem code
	canonical := ""
	covers := false
	canonicalIn := func(text string, kind func(string) (string, code)) string {
		out, refused := kind(text)
		if refused != "" {
			panic("the text to cover is refused: " + refused)
		}
		return out
	}
	hostText := func(text string) (string, code) {
		h, problem := canonicalHost(text)
		return h.text, problem
	}
	path, host, text, argv := input.get("path"), input.get("host"), input.get("text"), input.get("argv")
	switch {
	case input.get("path_pattern") != nil:
		var pattern pathPattern
		pattern, problem, canonical = parsePathPattern(input.get("path_pattern").Text)
		if problem == "" && path != nil {
			covers = pattern.covers(canonicalIn(path.Text, canonicalPath))
		}
	case input.get("host_pattern") != nil:
		var pattern hostPattern
		pattern, problem, canonical = parseHostPattern(input.get("host_pattern").Text)
		if problem == "" && host != nil {
			h, _ := canonicalHost(canonicalIn(host.Text, hostText))
			covers = pattern.covers(h)
		}
	case input.get("text_pattern") != nil:
		var pattern []token
		pattern, problem = parseTextPattern(input.get("text_pattern").Text)
		if problem == "" && text != nil {
			covers = globCovers(pattern, []rune(text.Text))
		}
	case input.get("argv_pattern") != nil:
		var pattern argvPattern
		items := texts(input.get("argv_pattern"))
		for i, item := range items {
			tokens, rest, refused := parseArgvItem(item, i == len(items)-1)
			if problem == "" {
				problem = refused
			}
			if rest {
				pattern.rest = true
			} else {
				pattern.items = append(pattern.items, tokens)
			}
		}
		covers = pattern.covers(texts(argv))
	case path != nil:
		canonical, problem = canonicalPath(path.Text)
	case host != nil:
		canonical, problem = hostText(host.Text)
	}
	if problem != "" || expect.get("error") != nil {
		if got := differ(expect.get("error"), problem); got != "" {
			return got
		}
	}
	if expected := expect.get("canonical"); expected != nil {
		return differ(expected, canonical)
	}
	if expected := expect.get("covers"); expected != nil && expected.Bool != covers {
		return fmt.Sprint("covers: ", covers)
	}
	return ""
}

// --- decision.json

func checkDecisionCase(input, expect *Value) string {
	if versions := input.get("install_versions"); versions != nil {
		return checkInstalls(versions, expect)
	}
	var policy *Policy
	if given := input.get("policy"); given != nil && given.Kind == jsonObject {
		var problems []Problem
		if policy, problems = judgePolicy(given); policy == nil {
			return fmt.Sprint("the policy is refused: ", problems)
		}
	}
	request, problem := canonicalRequest(plainText(input.get("request")))
	if problem != nil {
		return refusedAs(expect, []Problem{*problem})
	}
	if expect.get("error") != nil {
		return "taken"
	}
	if canonical := expect.get("canonical"); canonical != nil {
		if !sameJSON(request.value(), plainText(canonical)) {
			return fmt.Sprintf("%+v", request)
		}
		return ""
	}
	if got := decide(policy, request); got != decisionOf(expect.get("decision")) {
		return fmt.Sprintf("%+v", got)
	}
	var got [][]string
	for i := range request.Actions {
		words := []string{}
		if policy != nil {
			for _, rule := range policy.Rules {
				word := rule.fails(request.Agent, &request.Actions[i])
				if word == "" {
					word = "matched"
				}
				words = append(words, word)
			}
		}
		got = append(got, words)
	}
	for i, words := range expect.get("trace").Items {
		if len(got) != len(expect.get("trace").Items) || !slices.Equal(got[i], texts(words)) {
			return fmt.Sprint("trace ", got)
		}
	}
	return ""
}

func decisionOf(v *Value) Decision {
	d := Decision{Effect: v.get("effect").Text, Action: -1}
	if rule := v.get("rule"); rule != nil {
		d.Rule = rule.Text
	}
	if reason := v.get("reason"); reason != nil {
		d.Reason = reason.Text
	}
	if action := v.get("action"); action != nil {
		d.Action = integer(action)
	}
	return d
}

// value writes a request as JSON has it.
func (request *Request) value() *Value {
	text := func(s string) *Value { return &Value{Kind: jsonText, Text: s} }
	object := func(members ...Member) *Value { return &Value{Kind: jsonObject, Members: members} }
	actions := &Value{Kind: jsonList}
	for _, a := range request.Actions {
		var body *Value
		switch a.Kind {
		case "filesystem":
			body = object(Member{Key: "path", Value: text(a.Path)}, Member{Key: "method", Value: text(a.Method)})
		case "network":
			body = object(Member{Key: "host", Value: text(a.Host)},
				Member{Key: "port", Value: &Value{Kind: jsonNumber, Text: strconv.FormatInt(a.Port, 10)}})
			if a.Method != "" {
				body.Members = append(body.Members, Member{Key: "method", Value: text(a.Method)})
			}
		case "process":
			argv := &Value{Kind: jsonList}
			for _, arg := range a.Argv {
				argv.Items = append(argv.Items, text(arg))
			}
			body = object(Member{Key: "argv", Value: argv})
		case "tool":
			body = object(Member{Key: "server", Value: text(a.Server)}, Member{Key: "name", Value: text(a.Tool)})
		}
		actions.Items = append(actions.Items, object(Member{Key: a.Kind, Value: body}))
	}
	return object(Member{Key: "agent", Value: text(request.Agent)}, Member{Key: "actions", Value: actions})
}

// checkInstalls installs versions one after another (DEC-12).
func checkInstalls(versions, expect *Value) string {
	inForce, problem := int64(-1), ""
	for _, v := range versions.Items {
		switch version := integer(v); {
		case version == inForce:
			problem = "version-equal"
		case version < inForce:
			problem = "version-lower"
		default:
			inForce = version
		}
	}
	if inForce != integer(expect.get("version_in_force")) {
		return fmt.Sprint("in force: ", inForce)
	}
	return differ(expect.get("error"), problem)
}

// --- digest.json

// checkDigestFile knows the digests of the whole file, which cases compare.
func checkDigestFile(file *Value) check {
	digests := map[string]string{}
	for _, group := range file.get("groups").Items {
		for _, each := range group.get("cases").Items {
			if policy, _ := judgePolicy(plainText(each.get("input").get("policy"))); policy != nil {
				digests[each.get("id").Text] = policy.digest()
			}
		}
	}
	return func(input, expect *Value) string {
		policy, problems := judgePolicy(plainText(input.get("policy")))
		if policy == nil {
			return refusedAs(expect, problems)
		}
		if expect.get("error") != nil {
			return "taken"
		}
		if got := differ(expect.get("preimage_hex"), hex.EncodeToString(policy.preimage())); got != "" {
			return got
		}
		if got := differ(expect.get("policy_digest"), policy.digest()); got != "" {
			return got
		}
		rules := expect.get("rules").Items
		if len(rules) != len(policy.Rules) {
			return fmt.Sprint(len(policy.Rules), " rules")
		}
		for i, rule := range policy.Rules {
			if got := differ(rules[i].get("preimage_hex"), hex.EncodeToString(rule.preimage())); got != "" {
				return got
			}
			if got := differ(rules[i].get("rule_digest"), hashOf(rule.preimage())); got != "" {
				return got
			}
		}
		return comparedDigests(policy.digest(), expect, digests)
	}
}

// --- cbor.json

func checkCBORCase(input, expect *Value) string {
	if value := input.get("value"); value != nil { // written, and read again
		written := encode(cborValue(value))
		if got := differ(expect.get("cbor_hex"), hex.EncodeToString(written)); got != "" {
			return got
		}
		item, problem := walkItem(written, 0, len(written))
		if problem != nil {
			return problem.code
		}
		if again := encode(item.value()); !slices.Equal(again, written) {
			return "read as " + hex.EncodeToString(again)
		}
		return ""
	}
	data := hexBytes(input.get("cbor_hex"))
	_, problem := walkItem(data, 0, len(data))
	if problem == nil {
		return "taken"
	}
	return refusedAs(expect, []Problem{{Code: problem.code, Offset: &problem.offset}})
}

// cborValue reads the notation of values: bytes and maps by theirs, all else as JSON.
func cborValue(v *Value) any {
	switch v.Kind {
	case jsonBool:
		return v.Bool
	case jsonNumber:
		return integer(v)
	case jsonText:
		return v.Text
	case jsonList:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, cborValue(item))
		}
		return out
	}
	if bytes := v.get("$bytes_hex"); bytes != nil {
		return mustHex(bytes.Text)
	}
	out := []pair{}
	for _, entry := range v.get("$map").Items {
		out = append(out, pair{cborValue(entry.Items[0]), cborValue(entry.Items[1])})
	}
	return out
}

// value is the item as the writer takes it.
func (item *Item) value() any {
	switch item.Major {
	case majorUnsigned, majorNegative:
		return item.Integer
	case majorBytes:
		return item.Bytes
	case majorText:
		return item.Text
	case majorSimple:
		return item.Bool
	case majorArray:
		out := []any{}
		for _, each := range item.Items {
			out = append(out, each.value())
		}
		return out
	}
	out := []pair{}
	for _, e := range item.Entries {
		out = append(out, pair{e.Key.value(), e.Value.value()})
	}
	return out
}
