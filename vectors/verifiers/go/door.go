// The shape of documents: what policies and trust stores have in common (POL-1 to POL-8).
package main

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

const maxInteger = 1<<53 - 1 // SPEC.md, Conventions

// door collects what is wrong with a document.
type door struct{ problems []Problem }

func (d *door) tell(code code, pointer string, pos int) {
	d.problems = append(d.problems, Problem{Code: code, Pointer: &pointer, at: pos})
}

// is tells wrong-type where the value is of another type (POL-3). A value of which the reader told a problem is left alone.
func (d *door) is(v *Value, kind int, pointer string) bool {
	if v == nil || v.Refused {
		return false
	}
	if v.Kind != kind {
		d.tell("wrong-type", pointer, v.At)
		return false
	}
	return true
}

// object checks the keys of an object (POL-1): a missing key is placed at the object, an unknown one at itself (POL-17).
func (d *door) object(v *Value, pointer string, required, optional []string) bool {
	if !d.is(v, jsonObject, pointer) {
		return false
	}
	for _, key := range required {
		if v.get(key) == nil {
			d.tell("missing-key", pointer, v.At)
		}
	}
	for _, m := range v.Members {
		if !slices.Contains(required, m.Key) && !slices.Contains(optional, m.Key) {
			d.tell("unknown-key", child(pointer, m.Key), m.At)
		}
	}
	return true
}

// list checks the number of items (POL-5, POL limits).
func (d *door) list(v *Value, pointer string, least, most int) bool {
	if !d.is(v, jsonList, pointer) {
		return false
	}
	if len(v.Items) < least {
		d.tell("empty-list", pointer, v.At)
		return false
	}
	if len(v.Items) > most {
		d.tell("limit", pointer, v.At)
		return false
	}
	return true
}

// word is one of a few words; any other text is bad-value, whatever it holds (POL-3).
func (d *door) word(v *Value, pointer string, words ...string) string {
	if !d.is(v, jsonText, pointer) {
		return ""
	}
	if !slices.Contains(words, v.Text) {
		d.tell("bad-value", pointer, v.At)
		return ""
	}
	return v.Text
}

// text runs the checks of one string in their order: lone-surrogate, limit, then those of its kind.
func (d *door) text(v *Value, pointer string, kind func(string) code) (string, bool) {
	if !d.is(v, jsonText, pointer) {
		return "", false
	}
	problem := checkText(v.Text, 4096, kind)
	if problem != "" {
		d.tell(problem, pointer, v.At)
	}
	return v.Text, problem == ""
}

func checkText(text string, limit int, kind func(string) code) code {
	if !utf8.ValidString(text) {
		return "lone-surrogate" // POL-7
	}
	if len(text) > limit {
		return "limit"
	}
	return kind(text)
}

// checkName is POL-8 behind the limit.
func checkName(text string) code {
	if text == "" {
		return "empty-text"
	}
	for _, c := range text {
		if c <= 0x1f || c >= 0x7f && c <= 0x9f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
			return "control-character"
		}
	}
	return ""
}

// checkHTTPMethod is [A-Z][A-Z0-9_-]* (POL-3).
func checkHTTPMethod(text string) code {
	for i, c := range []byte(text) {
		upper := c >= 'A' && c <= 'Z'
		if !upper && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			return "bad-value"
		}
	}
	if text == "" {
		return "bad-value"
	}
	return ""
}

// set is a list of texts without duplicates, which are told at the second (POL-5).
func (d *door) set(v *Value, pointer string, item func(v *Value, pointer string) (string, bool)) []string {
	if !d.list(v, pointer, 1, 10000) {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for i, each := range v.Items {
		own := pointer + "/" + strconv.Itoa(i)
		text, ok := item(each, own)
		if !ok {
			continue
		}
		if seen[text] {
			d.tell("duplicate-item", own, each.At)
			continue
		}
		seen[text] = true
		out = append(out, text)
	}
	return out
}

// integer is least .. most (POL-3, POL-4).
func (d *door) integer(v *Value, pointer string, least, most int64) int64 {
	if !d.is(v, jsonNumber, pointer) {
		return 0
	}
	n, whole := wholeNumber(v.Text)
	switch {
	case !whole || n > maxInteger || v.Text[0] == '-':
		d.tell("bad-integer", pointer, v.At)
	case n < float64(least) || n > float64(most):
		d.tell("bad-value", pointer, v.At)
	default:
		return int64(n)
	}
	return 0
}

// wholeNumber reads a number as an object holds it: 1.0 is 1.
func wholeNumber(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && n == math.Trunc(n)
}
