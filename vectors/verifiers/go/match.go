// The match profile ruleprint-match/1 (spec/match.md): canonical paths and hosts, and what patterns cover.
package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const matchProfile = "ruleprint-match/1"

// code is an error code of spec/errors.md; "" is none.
type code = string

// --- Canonical path

// canonicalPath is the canonical spelling of a path of a request (MAT-2 to MAT-6).
func canonicalPath(path string) (string, code) {
	if strings.ContainsAny(path, "\x00\\") {
		return "", "path-character" // MAT-2
	}
	if !strings.HasPrefix(path, "/") {
		return "", "path-relative" // MAT-3
	}
	if strings.HasPrefix(path, "//") {
		return "", "path-leading-slashes" // MAT-4
	}
	var segments []string
	for _, segment := range strings.Split(path, "/") {
		if segment == ".." {
			return "", "path-dot-dot" // MAT-5
		}
		if segment != "" && segment != "." { // MAT-6
			segments = append(segments, segment)
		}
	}
	return "/" + strings.Join(segments, "/"), ""
}

// --- Globs

// token is one part of a glob: a literal code point, a run, or one code point.
type token struct {
	kind    byte // 'l', '*', '?'
	literal rune
}

// globCovers says whether the tokens cover all of the text. A run is tried short first; where the rest
// does not fit, the last run takes one more: at most tokens times text steps (MAT-1).
func globCovers(tokens []token, text []rune) bool {
	t, i := 0, 0
	run, runFrom := -1, 0
	for i < len(text) {
		switch {
		case t < len(tokens) && tokens[t].kind == '*':
			run, runFrom = t, i
			t++
		case t < len(tokens) && (tokens[t].kind == '?' || tokens[t].literal == text[i]):
			t++
			i++
		case run >= 0:
			runFrom++
			t, i = run+1, runFrom
		default:
			return false
		}
	}
	for t < len(tokens) && tokens[t].kind == '*' {
		t++
	}
	return t == len(tokens)
}

// --- Path glob

type pathSegment struct {
	any    bool // **: zero or more segments
	tokens []token
}

type pathPattern []pathSegment

// parsePathPattern reads a path glob. With pattern-not-canonical goes the canonical spelling (MAT-21).
func parsePathPattern(text string) (pattern pathPattern, problem code, canonical string) {
	switch { // MAT-7
	case strings.Contains(text, "\x00"):
		return nil, "path-character", ""
	case !strings.HasPrefix(text, "/"):
		return nil, "path-relative", ""
	case strings.HasPrefix(text, "//"):
		return nil, "path-leading-slashes", ""
	}
	if text == "/" {
		return pathPattern{}, "", ""
	}
	for _, segment := range strings.Split(text[1:], "/") {
		parsed, problem := parsePathSegment(segment)
		if problem == "pattern-not-canonical" {
			return nil, problem, canonicalPathPattern(text)
		}
		if problem != "" {
			return nil, problem, ""
		}
		pattern = append(pattern, parsed)
	}
	return pattern, "", ""
}

func parsePathSegment(segment string) (pathSegment, code) {
	if segment == "" {
		return pathSegment{}, "pattern-not-canonical" // MAT-8
	}
	if segment == "**" {
		return pathSegment{any: true}, ""
	}
	var tokens []token
	runes := []rune(segment)
	before := rune(0)                 // the code point before, 0 if it was escaped
	for i := 0; i < len(runes); i++ { // MAT-9
		c := runes[i]
		switch c {
		case '[', ']', '{', '}':
			return pathSegment{}, "pattern-syntax"
		case '(':
			if before != 0 && strings.ContainsRune("@?*+!", before) {
				return pathSegment{}, "pattern-syntax"
			}
			tokens = append(tokens, token{'l', c})
		case '\\':
			if i+1 == len(runes) || !strings.ContainsRune("*?[]{}()!@+", runes[i+1]) {
				return pathSegment{}, "pattern-syntax"
			}
			i++
			tokens = append(tokens, token{'l', runes[i]})
			c = 0
		case '*':
			if before == '*' {
				return pathSegment{}, "pattern-syntax"
			}
			tokens = append(tokens, token{kind: '*'})
		case '?':
			tokens = append(tokens, token{kind: '?'})
		default:
			tokens = append(tokens, token{'l', c})
		}
		before = c
	}
	switch segment { // MAT-10; a dot cannot be escaped
	case "..":
		return pathSegment{}, "path-dot-dot"
	case ".":
		return pathSegment{}, "pattern-not-canonical"
	}
	return pathSegment{tokens: tokens}, ""
}

// canonicalPathPattern drops what a canonical path does not have; "" where nothing legal is left.
func canonicalPathPattern(text string) string {
	var kept []string
	for _, segment := range strings.Split(text, "/") {
		if segment != "" && segment != "." {
			kept = append(kept, segment)
		}
	}
	canonical := "/" + strings.Join(kept, "/")
	if _, problem, _ := parsePathPattern(canonical); problem != "" {
		return ""
	}
	return canonical
}

// covers is for a canonical path. Segments are tried as characters are in globCovers.
func (pattern pathPattern) covers(path string) bool {
	var segments []string
	if path != "/" {
		segments = strings.Split(path[1:], "/")
	}
	p, s := 0, 0
	run, runFrom := -1, 0
	for s < len(segments) {
		switch {
		case p < len(pattern) && pattern[p].any:
			run, runFrom = p, s
			p++
		case p < len(pattern) && globCovers(pattern[p].tokens, []rune(segments[s])):
			p++
			s++
		case run >= 0:
			runFrom++
			p, s = run+1, runFrom
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p].any {
		p++
	}
	return p == len(pattern)
}

// --- Text glob

// parseTextPattern reads a text glob (MAT-19).
func parseTextPattern(text string) ([]token, code) {
	var tokens []token
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; c {
		case '\\':
			if i+1 == len(runes) || !strings.ContainsRune(`*?\`, runes[i+1]) {
				return nil, "pattern-syntax"
			}
			i++
			tokens = append(tokens, token{'l', runes[i]})
		case '*':
			if i+1 < len(runes) && runes[i+1] == '*' {
				return nil, "pattern-syntax"
			}
			tokens = append(tokens, token{kind: '*'})
		case '?':
			tokens = append(tokens, token{kind: '?'})
		default:
			tokens = append(tokens, token{'l', c})
		}
	}
	return tokens, ""
}

type argvPattern struct {
	items [][]token
	rest  bool // ** as the last item
}

// parseArgvItem reads one item of an argv pattern; rest is true for ** at the end (MAT-19).
func parseArgvItem(text string, last bool) (tokens []token, rest bool, problem code) {
	if last && text == "**" {
		return nil, true, ""
	}
	if tokens, problem = parseTextPattern(text); problem != "" {
		return nil, false, problem
	}
	if strings.Contains(text, "\x00") {
		return nil, false, "nul-character"
	}
	return tokens, false, ""
}

// covers: as many items, or with ** at least as many as stand before it (MAT-20).
func (pattern argvPattern) covers(argv []string) bool {
	if len(argv) < len(pattern.items) || (len(argv) > len(pattern.items) && !pattern.rest) {
		return false
	}
	for i, item := range pattern.items {
		if !globCovers(item, []rune(argv[i])) {
			return false
		}
	}
	return true
}

// --- Canonical host

// host is a canonical host: a name, or an address of 4 or 16 bytes.
type host struct {
	text    string
	address []byte
}

// canonicalHost is the canonical form of a host of a request (MAT-11 to MAT-15).
func canonicalHost(text string) (host, code) {
	if text == "" {
		return host{}, "host-empty" // MAT-11
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c > 0x7f }) {
		return host{}, "host-not-ascii" // MAT-11
	}
	if strings.ContainsFunc(text, func(c rune) bool {
		return !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.ContainsRune("._-:[]", c))
	}) {
		return host{}, "host-character" // MAT-12
	}
	text = strings.ToLower(text)
	if strings.ContainsAny(text, ":[]") { // MAT-13
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			text = text[1 : len(text)-1]
		}
		groups, ok := parseIPv6(text)
		if !ok {
			return host{}, "host-ipv6"
		}
		return addressHost(groups), ""
	}
	text = strings.TrimSuffix(text, ".")
	if text == "" {
		return host{}, "host-empty"
	}
	labels := strings.Split(text, ".")
	if endsInNumber(labels[len(labels)-1]) { // MAT-14
		address, ok := parseIPv4(labels)
		if !ok {
			return host{}, "host-number"
		}
		return ipv4Host(address), ""
	}
	for _, label := range labels { // MAT-15
		if len(label) < 1 || len(label) > 63 {
			return host{}, "host-label"
		}
	}
	if len(text) > 253 {
		return host{}, "host-too-long"
	}
	return host{text: text}, ""
}

// endsInNumber: all digits, or 0x followed by hex digits or nothing (MAT-14).
func endsInNumber(label string) bool {
	digits, set := label, "0123456789"
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		digits, set = hex, "0123456789abcdef"
	}
	return label != "" && strings.Trim(digits, set) == ""
}

// parseIPv4 is the WHATWG IPv4 parser, without the dot at the end, which is dropped before.
func parseIPv4(parts []string) (uint32, bool) {
	if len(parts) > 4 {
		return 0, false
	}
	address := uint64(0)
	for i, part := range parts {
		digits, base := part, 10
		if hex, ok := strings.CutPrefix(part, "0x"); ok {
			digits, base = hex, 16
		} else if len(part) >= 2 && part[0] == '0' {
			digits, base = part[1:], 8
		}
		if part == "" {
			return 0, false
		}
		number := uint64(0)
		if digits != "" { // 0x alone is 0
			var err error
			if number, err = strconv.ParseUint(digits, base, 64); err != nil {
				return 0, false
			}
		}
		if i < len(parts)-1 {
			if number > 255 {
				return 0, false
			}
			address |= number << (8 * (3 - i))
		} else {
			if number >= 1<<(8*(4-i)) { // the last part fills the remaining bytes
				return 0, false
			}
			address |= number
		}
	}
	return uint32(address), true
}

// parseIPv6 is the WHATWG IPv6 parser, step by step.
func parseIPv6(text string) (groups [8]uint16, ok bool) {
	index, compress, i := 0, -1, 0
	if strings.HasPrefix(text, ":") {
		if !strings.HasPrefix(text, "::") {
			return groups, false
		}
		i, index, compress = 2, 1, 1
	}
	for i < len(text) {
		if index == 8 {
			return groups, false
		}
		if text[i] == ':' {
			if compress >= 0 {
				return groups, false
			}
			i, index = i+1, index+1
			compress = index
			continue
		}
		value, length := uint16(0), 0
		for length < 4 && i < len(text) && isHex(text[i]) {
			digit, _ := strconv.ParseUint(text[i:i+1], 16, 16)
			value = value<<4 | uint16(digit)
			i, length = i+1, length+1
		}
		if i < len(text) && text[i] == '.' {
			if length == 0 || index > 6 {
				return groups, false
			}
			address, ok := parseDotted(text[i-length:])
			if !ok {
				return groups, false
			}
			groups[index], groups[index+1] = uint16(address>>16), uint16(address)
			index += 2
			break
		}
		if i < len(text) {
			if text[i] != ':' || i+1 == len(text) {
				return groups, false
			}
			i++
		}
		groups[index] = value
		index++
	}
	if compress < 0 {
		return groups, index == 8
	}
	for swaps, from := index-compress, 7; from != 0 && swaps > 0; swaps, from = swaps-1, from-1 {
		groups[from], groups[compress+swaps-1] = groups[compress+swaps-1], groups[from]
	}
	return groups, true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// parseDotted reads the IPv4 address at the end of an IPv6 address: four numbers without leading zeros.
func parseDotted(text string) (uint32, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return 0, false
	}
	address := uint32(0)
	for _, part := range parts {
		number, err := strconv.ParseUint(part, 10, 8)
		if err != nil || strconv.FormatUint(number, 10) != part {
			return 0, false
		}
		address = address<<8 | uint32(number)
	}
	return address, true
}

func ipv4Host(address uint32) host {
	b := []byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}
	return host{fmt.Sprintf("%d.%d.%d.%d", b[0], b[1], b[2], b[3]), b}
}

// addressHost: ::ffff:0:0/96 is its IPv4 address, any other is written as RFC 5952 section 4 has it (MAT-13).
func addressHost(groups [8]uint16) host {
	if slices.Equal(groups[:6], []uint16{0, 0, 0, 0, 0, 0xffff}) {
		return ipv4Host(uint32(groups[6])<<16 | uint32(groups[7]))
	}
	zeroFrom, zeros := -1, 1 // the first of the longest runs of at least two zero groups
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && groups[i+n] == 0 {
			n++
		}
		if n > zeros {
			zeroFrom, zeros = i, n
		}
	}
	var address []byte
	text := ""
	for i, group := range groups {
		address = append(address, byte(group>>8), byte(group))
		switch {
		case i == zeroFrom:
			text += "::"
		case zeroFrom >= 0 && i > zeroFrom && i < zeroFrom+zeros:
		default:
			if text != "" && !strings.HasSuffix(text, ":") {
				text += ":"
			}
			text += strconv.FormatUint(uint64(group), 16)
		}
	}
	return host{text, address}
}

// --- Host pattern

type hostPattern struct {
	any   bool // **
	below bool // *.
	block bool
	bits  int
	host  host
}

// parseHostPattern reads a host pattern. With pattern-not-canonical goes the canonical spelling (MAT-21).
func parseHostPattern(text string) (pattern hostPattern, problem code, canonical string) {
	if text == "**" {
		return hostPattern{any: true}, "", ""
	}
	rest, below := strings.CutPrefix(text, "*.")
	if strings.Contains(rest, "*") {
		return pattern, "pattern-syntax", "" // MAT-16
	}
	if !below && strings.Contains(rest, "/") {
		return parseBlock(rest)
	}
	found, problem := canonicalHost(rest) // MAT-18
	if problem != "" {
		return pattern, problem, ""
	}
	if below && len(found.address) == 4 {
		return pattern, "host-number", ""
	}
	if below && len(found.address) == 16 {
		return pattern, "host-ipv6", ""
	}
	if found.text != rest {
		canonical = found.text
		if below {
			canonical = "*." + canonical
		}
		return pattern, "pattern-not-canonical", canonical
	}
	return hostPattern{below: below, host: found}, "", ""
}

// parseBlock reads a CIDR block (MAT-17).
func parseBlock(text string) (pattern hostPattern, problem code, canonical string) {
	front, bitsText, _ := strings.Cut(text, "/")
	found, problem := canonicalHost(front)
	if problem != "" {
		return pattern, problem, ""
	}
	mapped := len(found.address) == 4 && strings.Contains(front, ":")
	if found.address == nil || mapped {
		return pattern, "cidr", ""
	}
	if found.text != front {
		canonical = found.text + "/" + bitsText
		if _, problem, _ := parseBlock(canonical); problem != "" {
			canonical = "" // the address in its spelling does not make a pattern of it
		}
		return pattern, "pattern-not-canonical", canonical
	}
	bits, err := strconv.ParseUint(bitsText, 10, 8)
	if err != nil || strconv.FormatUint(bits, 10) != bitsText || int(bits) >= 8*len(found.address) {
		return pattern, "cidr", ""
	}
	if !slices.Equal(found.address, firstBits(found.address, int(bits))) {
		return pattern, "cidr", ""
	}
	return hostPattern{block: true, bits: int(bits), host: found}, "", ""
}

// firstBits is the address with all bits beyond the first cleared.
func firstBits(address []byte, bits int) []byte {
	out := slices.Clone(address)
	for i := range out {
		switch keep := bits - 8*i; {
		case keep <= 0:
			out[i] = 0
		case keep < 8:
			out[i] &= 0xff << (8 - keep)
		}
	}
	return out
}

// covers is for a canonical host.
func (pattern hostPattern) covers(h host) bool {
	switch {
	case pattern.any:
		return true
	case pattern.block: // of its own family only
		return len(h.address) == len(pattern.host.address) &&
			slices.Equal(firstBits(h.address, pattern.bits), pattern.host.address)
	case pattern.below: // one or more labels in front
		return h.address == nil && strings.HasSuffix(h.text, "."+pattern.host.text)
	default:
		return h.text == pattern.host.text
	}
}
