// The strict JSON door (spec/policy.md, One strict door): RFC 8259 text with its places, nothing repaired.
package main

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Kinds of JSON values.
const (
	jsonNull = iota
	jsonBool
	jsonNumber
	jsonText
	jsonList
	jsonObject
)

// Value is a JSON value with its place in the text. Text may hold half characters, which are
// written as three bytes each; such a text is no UTF-8, and POL-7 refuses it.
type Value struct {
	Kind    int
	At, End int
	Bool    bool
	Text    string // of a text; of a number as it is written
	Items   []*Value
	Members []Member
	Refused bool // the reader has told a problem of this value, nothing more is asked of it
}

type Member struct {
	Key   string
	At    int
	Value *Value
}

// get is the member of this key, or nil.
func (v *Value) get(key string) *Value {
	if v == nil {
		return nil
	}
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

const (
	maxNesting   = 32       // POL limits
	maxJSONBytes = 64 << 20 // POL limits
)

// reader walks the text once. A fatal problem ends the reading, the others are collected.
type reader struct {
	text     []byte
	pos      int
	plain    bool // numbers have to be integers in plain digits (POL-4); vector files are read without
	problems []Problem
}

type fatal struct{ problem Problem }

// readJSON reads a document. It gives nil where the text ends the reading: utf8, syntax, limit.
func readJSON(text []byte, plain bool) (value *Value, problems []Problem) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case fatal:
			value, problems = nil, []Problem{stop.problem}
		default:
			panic(stop)
		}
	}()
	r := &reader{text: text, plain: plain}
	if len(text) > maxJSONBytes && plain {
		r.stop("limit", 0, "")
	}
	for i := 0; i < len(text); { // POL-11
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size <= 1 {
			r.stop("utf8", i, "")
		}
		i += size
	}
	if len(text) >= 3 && string(text[:3]) == "\ufeff" {
		r.stop("syntax", 0, "")
	}
	r.blanks()
	value = r.value("", 1)
	r.blanks()
	if r.pos < len(text) {
		r.stop("syntax", r.pos, "")
	}
	return value, r.problems
}

func (r *reader) stop(code string, pos int, pointer string) {
	p := Problem{Code: code, at: pos}
	if code == "limit" { // the only one of them that is about a value
		p.Pointer = &pointer
	}
	panic(fatal{p})
}

func (r *reader) tell(code string, pos int, pointer string) {
	r.problems = append(r.problems, Problem{Code: code, Pointer: &pointer, at: pos})
}

func (r *reader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

func (r *reader) blanks() {
	for r.pos < len(r.text) && (r.text[r.pos] == ' ' || r.text[r.pos] == '\t' || r.text[r.pos] == '\n' || r.text[r.pos] == '\r') {
		r.pos++
	}
}

func (r *reader) expect(c byte, pointer string) {
	if r.pos >= len(r.text) || r.text[r.pos] != c {
		r.stop("syntax", r.pos, pointer)
	}
	r.pos++
}

// value reads one value. depth counts objects and lists, the outermost is 1 (POL limits).
func (r *reader) value(pointer string, depth int) *Value {
	v := &Value{At: r.pos}
	c := r.peek()
	if (c == '{' || c == '[') && depth > maxNesting {
		r.stop("limit", r.pos, pointer)
	}
	switch {
	case c == '{':
		v.Kind = jsonObject
		r.object(v, pointer, depth)
	case c == '[':
		v.Kind = jsonList
		r.list(v, pointer, depth)
	case c == '"':
		v.Kind = jsonText
		v.Text = r.string(pointer)
	case c == '-' || (c >= '0' && c <= '9'):
		v.Kind = jsonNumber
		r.number(v, pointer)
	case r.word("true"):
		v.Kind, v.Bool = jsonBool, true
	case r.word("false"):
		v.Kind = jsonBool
	case r.word("null"):
		v.Kind = jsonNull
	default:
		r.stop("syntax", r.pos, pointer)
	}
	v.End = r.pos
	return v
}

func (r *reader) word(word string) bool {
	end := r.pos + len(word)
	if end > len(r.text) || string(r.text[r.pos:end]) != word {
		return false
	}
	r.pos = end
	return true
}

func (r *reader) object(v *Value, pointer string, depth int) {
	r.pos++
	seen := map[string]bool{}
	r.blanks()
	if r.peek() == '}' {
		r.pos++
		return
	}
	for {
		r.blanks()
		keyAt := r.pos
		if r.peek() != '"' {
			r.stop("syntax", r.pos, pointer)
		}
		key := r.string(pointer)
		own := child(pointer, key)
		twice := seen[key]
		seen[key] = true
		if key == "__proto__" { // POL-13
			r.tell("forbidden-key", keyAt, own)
		} else if twice { // POL-12, at the second
			r.tell("duplicate-key", keyAt, own)
		}
		r.blanks()
		r.expect(':', own)
		r.blanks()
		value := r.value(own, depth+1)
		if key != "__proto__" && !twice {
			v.Members = append(v.Members, Member{key, keyAt, value})
		}
		r.blanks()
		if r.peek() == '}' {
			r.pos++
			return
		}
		r.expect(',', pointer)
	}
}

func (r *reader) list(v *Value, pointer string, depth int) {
	r.pos++
	r.blanks()
	if r.peek() == ']' {
		r.pos++
		return
	}
	for {
		r.blanks()
		v.Items = append(v.Items, r.value(pointer+"/"+strconv.Itoa(len(v.Items)), depth+1))
		r.blanks()
		if r.peek() == ']' {
			r.pos++
			return
		}
		r.expect(',', pointer)
	}
}

// number reads a number of RFC 8259; POL-4 takes it only in plain digits and up to 2^53-1.
func (r *reader) number(v *Value, pointer string) {
	start, plain := r.pos, true
	digits := func() {
		from := r.pos
		for r.peek() >= '0' && r.peek() <= '9' {
			r.pos++
		}
		if r.pos == from {
			r.stop("syntax", r.pos, pointer)
		}
	}
	if r.peek() == '-' {
		r.pos++
		plain = false
	}
	if r.peek() == '0' {
		r.pos++
	} else {
		digits()
	}
	if r.peek() == '.' {
		r.pos++
		plain = false
		digits()
	}
	if r.peek() == 'e' || r.peek() == 'E' {
		r.pos++
		plain = false
		if r.peek() == '+' || r.peek() == '-' {
			r.pos++
		}
		digits()
	}
	v.Text = string(r.text[start:r.pos])
	if !r.plain {
		return
	}
	if n, err := strconv.ParseUint(v.Text, 10, 64); !plain || err != nil || n > maxInteger {
		r.tell("bad-integer", start, pointer)
		v.Refused = true
	}
}

// string reads a string. A pair of escaped halves is one character; a half alone stays a half.
func (r *reader) string(pointer string) string {
	r.pos++
	var out []byte
	high := -1 // where in out a high half stands that was the last thing read
	for {
		if r.pos >= len(r.text) || r.text[r.pos] < 0x20 {
			r.stop("syntax", r.pos, pointer)
		}
		c := r.text[r.pos]
		r.pos++
		if c == '"' {
			return string(out)
		}
		if c != '\\' {
			out, high = append(out, c), -1
			continue
		}
		escape := r.peek()
		r.pos++
		if simple, ok := simpleEscapes[escape]; ok {
			out, high = append(out, simple), -1
			continue
		}
		if escape != 'u' || r.pos+4 > len(r.text) {
			r.stop("syntax", r.pos-1, pointer)
		}
		unit := 0
		for _, h := range r.text[r.pos : r.pos+4] {
			digit, err := strconv.ParseUint(string(h), 16, 8)
			if err != nil {
				r.stop("syntax", r.pos, pointer)
			}
			unit = unit<<4 | int(digit)
		}
		r.pos += 4
		out, high = appendUnit(out, high, unit)
	}
}

var simpleEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnit adds one UTF-16 code unit. high is the place of a high half that stands at the end of out, or -1.
func appendUnit(out []byte, high, unit int) ([]byte, int) {
	if unit >= 0xdc00 && unit <= 0xdfff && high >= 0 {
		first := int(out[high]&0xf)<<12 | int(out[high+1]&0x3f)<<6 | int(out[high+2]&0x3f)
		return utf8.AppendRune(out[:high], rune((first-0xd800)<<10+(unit-0xdc00)+0x10000)), -1
	}
	if unit >= 0xd800 && unit <= 0xdfff { // a half: three bytes that are no UTF-8
		here := -1
		if unit < 0xdc00 {
			here = len(out)
		}
		return append(out, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f), here
	}
	return utf8.AppendRune(out, rune(unit)), -1
}

// placeInText adds line, column and offset to the problems of a document (POL-17).
func placeInText(text []byte, problems []Problem) {
	line, lineStart, offset, pos := 1, 0, 0, 0
	for i := range inDocumentOrder(problems) {
		p := &problems[i]
		for pos < p.at {
			c, size := utf8.DecodeRune(text[pos:])
			pos += size
			offset++
			if c > 0xffff {
				offset++
			}
			if c == '\n' {
				line, lineStart = line+1, offset
			}
		}
		p.Line, p.Column, p.Offset = at(line), at(offset-lineStart+1), at(offset)
	}
}

func (p Problem) String() string {
	out := p.Code
	if p.Axis != "" {
		out = p.Axis + ":" + out
	}
	if p.Status != "" && p.Status != fail {
		out += "(" + p.Status + ")"
	}
	if p.Pointer != nil {
		out += fmt.Sprintf(" %q", *p.Pointer)
	}
	if p.Offset != nil {
		out += fmt.Sprintf(" @%d", *p.Offset)
	}
	if p.Line != nil {
		out += fmt.Sprintf(" %d:%d", *p.Line, *p.Column)
	}
	if p.Receipt != nil {
		out += fmt.Sprintf(" #%d", *p.Receipt)
	}
	if p.Engine != "" {
		out += " " + p.Engine
	}
	if p.Seq != nil {
		out += fmt.Sprintf(" seq %d", *p.Seq)
	}
	return out
}
