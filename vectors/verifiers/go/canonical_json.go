// The RFC 8785 form and the digests over it (spec/digest.md, Arguments and mappings).
package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const maxArgsBytes = 16 << 20 // DIG-11

// formOf writes the form of a value, or gives the code with which it has none (DIG-8 to DIG-11).
func formOf(v *Value) (string, code) {
	var out strings.Builder
	problem := writeForm(&out, v)
	if problem == "" && out.Len() > maxArgsBytes {
		problem = "limit"
	}
	return out.String(), problem
}

func writeForm(out *strings.Builder, v *Value) code {
	switch v.Kind {
	case jsonNull:
		out.WriteString("null")
	case jsonBool:
		out.WriteString(strconv.FormatBool(v.Bool))
	case jsonNumber:
		text, problem := formNumber(v.Text)
		out.WriteString(text)
		return problem
	case jsonText:
		return writeFormText(out, v.Text)
	case jsonList:
		out.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			if problem := writeForm(out, item); problem != "" {
				return problem
			}
		}
		out.WriteByte(']')
	case jsonObject:
		// by UTF-16 code units (DIG-8); Go compares strings by bytes
		members := slices.SortedFunc(slices.Values(v.Members), func(a, b Member) int {
			return slices.Compare(utf16.Encode([]rune(a.Key)), utf16.Encode([]rune(b.Key)))
		})
		out.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				out.WriteByte(',')
			}
			if problem := writeFormText(out, m.Key); problem != "" {
				return problem
			}
			out.WriteByte(':')
			if problem := writeForm(out, m.Value); problem != "" {
				return problem
			}
		}
		out.WriteByte('}')
	}
	return ""
}

var shortEscapes = map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}

func writeFormText(out *strings.Builder, text string) code {
	if !utf8.ValidString(text) {
		return "lone-surrogate"
	}
	out.WriteByte('"')
	for _, c := range text {
		switch short := shortEscapes[c]; {
		case short != "":
			out.WriteString(short)
		case c < 0x20:
			out.WriteString(`\u00` + strconv.FormatInt(int64(c)+0x100, 16)[1:])
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('"')
	return ""
}

// formNumber is DIG-9, then Number::toString of ECMA-262 over the shortest digits.
func formNumber(written string) (string, code) {
	n, err := strconv.ParseFloat(written, 64)
	if math.IsInf(n, 0) {
		return "", "not-plain-data"
	}
	if err != nil {
		return "", "syntax"
	}
	if n == math.Trunc(n) && math.Abs(n) > maxInteger {
		return "", "bad-integer"
	}
	if n == 0 {
		return "0", ""
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(math.Abs(n), 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(power)
	digits := strings.Replace(mantissa, ".", "", 1)
	point, sign := exponent+1, ""
	if n < 0 {
		sign = "-"
	}
	switch {
	case len(digits) <= point && point <= 21:
		return sign + digits + strings.Repeat("0", point-len(digits)), ""
	case 0 < point && point <= 21:
		return sign + digits[:point] + "." + digits[point:], ""
	case -6 < point && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits, ""
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	tail := strconv.Itoa(exponent)
	if exponent >= 0 {
		tail = "+" + tail
	}
	return sign + digits + "e" + tail, ""
}

func argsDigest(form, salt string) string {
	return hashOf(field(field(field(nil, "ruleprint/args-digest/1"), salt), form)) // DIG-10
}

// mappingDigest is over one table, or over the list of several in the order of their servers (DIG-12).
func mappingDigest(tables []*Value) (string, code) {
	order := func(table *Value) string {
		if server := table.get("server"); server != nil {
			return "\x01" + server.Text
		}
		return ""
	}
	ordered := slices.SortedFunc(slices.Values(tables), func(a, b *Value) int { return strings.Compare(order(a), order(b)) })
	whole := &Value{Kind: jsonList, Items: ordered}
	if len(ordered) == 1 {
		whole = ordered[0]
	}
	form, problem := formOf(whole)
	return hashOf(field(field(nil, "ruleprint/mapping-digest/1"), form)), problem
}
