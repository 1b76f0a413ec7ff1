// Deterministic CBOR (spec/receipt.md, step 3; RFC 8949 section 4.2.1): the strict walk, the end of an item, and the writer.
package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"
)

// Major types of RFC 8949.
const (
	majorUnsigned = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

// Item is an item with its place. True and false are majorSimple.
type Item struct {
	Major   int
	Integer int64
	Bool    bool
	Bytes   []byte // of a byte string
	Text    string
	Items   []*Item // of an array
	Entries []Entry // of a map
	Start   int     // of its head
	Content int     // behind its head
}

type Entry struct{ Key, Value *Item }

// cborProblem is a code and the offset of the byte that it is about.
type cborProblem struct {
	code   code
	offset int
}

const maxDepth = 8

// walk reads the bytes from the left up to the end of data; it stops at the first problem (RCP-14).
type walk struct {
	data []byte
	pos  int
}

// walkItem walks one item that takes all of data[from:to]. Offsets count from the beginning of data.
func walkItem(data []byte, from, to int) (item *Item, problem *cborProblem) {
	w := &walk{data[:to], from}
	item, problem = w.item(1)
	if problem == nil && w.pos < to {
		return nil, &cborProblem{"cbor-trailing", w.pos}
	}
	return item, problem
}

// item runs the checks of a head in their order. depth is that of an array or map that begins here.
func (w *walk) item(depth int) (*Item, *cborProblem) {
	start := w.pos
	refuse := func(code code) (*Item, *cborProblem) { return nil, &cborProblem{code, start} }
	if start >= len(w.data) {
		return refuse("cbor-truncated")
	}
	major, info := int(w.data[start]>>5), w.data[start]&31
	if info == 31 && major >= majorBytes && major <= majorMap {
		return refuse("cbor-indefinite")
	}
	if info >= 28 {
		return refuse("cbor-reserved")
	}
	argument, size := uint64(info), 0
	if info >= 24 {
		size = 1 << (info - 24)
		if len(w.data)-start-1 < size {
			return refuse("cbor-truncated")
		}
		argument = 0
		for _, b := range w.data[start+1 : start+1+size] {
			argument = argument<<8 | uint64(b)
		}
	}
	w.pos = start + 1 + size
	left := uint64(len(w.data) - w.pos)
	item := &Item{Major: major, Start: start, Content: w.pos}
	switch {
	case major == majorTag:
		return refuse("cbor-tag")
	case major == majorSimple && info >= 25:
		return refuse("cbor-float")
	case major == majorSimple && info != 20 && info != 21:
		return refuse("cbor-simple")
	case size > 0 && argument < leastOf(size):
		return refuse("cbor-not-shortest")
	case major == majorUnsigned && argument > maxInteger,
		major == majorNegative && argument > maxInteger-1:
		return refuse("cbor-integer")
	case (major == majorBytes || major == majorText) && argument > left:
		return refuse("cbor-truncated")
	}
	switch major {
	case majorUnsigned:
		item.Integer = int64(argument)
	case majorNegative:
		item.Integer = -1 - int64(argument)
	case majorSimple:
		item.Bool = info == 21
	case majorBytes, majorText:
		content := w.data[w.pos : w.pos+int(argument)]
		w.pos += int(argument)
		if major == majorBytes {
			item.Bytes = content
		} else if !utf8.Valid(content) {
			return refuse("cbor-utf8")
		} else {
			item.Text = string(content)
		}
	case majorArray, majorMap:
		if depth > maxDepth {
			return refuse("cbor-depth")
		}
		if argument > left || major == majorMap && argument > left/2 {
			return refuse("cbor-truncated")
		}
		if major == majorMap {
			return item, w.entries(item, int(argument), depth)
		}
		for range argument {
			each, problem := w.item(depth + 1)
			if problem != nil {
				return nil, problem
			}
			item.Items = append(item.Items, each)
		}
	}
	return item, nil
}

// leastOf is the least argument that needs this many bytes.
func leastOf(size int) uint64 {
	if size == 1 {
		return 24
	}
	return 1 << (4 * size)
}

// entries reads the entries of a map: keys are integers or text, each after the one before in the order of their bytes.
func (w *walk) entries(item *Item, count, depth int) *cborProblem {
	var before []byte
	for range count {
		start := w.pos
		if start < len(w.data) {
			if major := w.data[start] >> 5; major != majorUnsigned && major != majorNegative && major != majorText {
				return &cborProblem{"cbor-key-type", start}
			}
		}
		key, problem := w.item(depth + 1)
		if problem != nil {
			return problem
		}
		encoded := w.data[start:w.pos]
		if before != nil {
			switch order := bytes.Compare(encoded, before); {
			case order == 0:
				return &cborProblem{"cbor-duplicate-key", start}
			case order < 0:
				return &cborProblem{"cbor-unsorted", start}
			}
		}
		before = encoded
		value, problem := w.item(depth + 1)
		if problem != nil {
			return problem
		}
		item.Entries = append(item.Entries, Entry{key, value})
	}
	return nil
}

// get is the value of an integer key of a map, or nil.
func (item *Item) get(label int64) *Item {
	for _, e := range item.Entries {
		if e.Key.Major != majorText && e.Key.Integer == label {
			return e.Value
		}
	}
	return nil
}

// --- The end of an item

// openItem is an item whose inside is still being read.
type openItem struct {
	major      int
	indefinite bool
	left       uint64 // items still to come, where the length is definite
	key        bool   // a key of an indefinite map was read, its value is still to come
}

// itemEnd finds the end of an item that is well-formed (RFC 8949 appendix C), whatever else is wrong with it,
// so that what follows in a sequence can be read (RCP-24). It keeps its own stack: nesting has no limit here.
func itemEnd(data []byte, pos int) (int, bool) {
	open := []openItem{{left: 1}}
	for len(open) > 0 {
		top := &open[len(open)-1]
		if !top.indefinite && top.left == 0 {
			open = open[:len(open)-1]
			continue
		}
		if pos >= len(data) {
			return 0, false
		}
		major, info := int(data[pos]>>5), data[pos]&31
		pos++
		if major == majorSimple && info == 31 { // the break
			if !top.indefinite || top.key {
				return 0, false
			}
			open = open[:len(open)-1]
			continue
		}
		switch {
		case !top.indefinite:
			top.left--
		case top.major == majorMap:
			top.key = !top.key
		case top.major != majorArray && (major != top.major || info == 31): // chunks of a string
			return 0, false
		}
		if info == 31 && major >= majorBytes && major <= majorMap {
			open = append(open, openItem{major: major, indefinite: true})
			continue
		}
		if info >= 28 {
			return 0, false
		}
		argument := uint64(info)
		if info >= 24 {
			size := 1 << (info - 24)
			if len(data)-pos < size {
				return 0, false
			}
			argument = 0
			for _, b := range data[pos : pos+size] {
				argument = argument<<8 | uint64(b)
			}
			pos += size
		}
		if major >= majorBytes && major <= majorMap && argument > uint64(len(data)-pos) {
			return 0, false // each item takes at least a byte
		}
		switch major {
		case majorBytes, majorText:
			pos += int(argument)
		case majorArray:
			open = append(open, openItem{left: argument})
		case majorMap:
			open = append(open, openItem{left: 2 * argument})
		case majorTag:
			open = append(open, openItem{left: 1})
		case majorSimple:
			if info == 24 && argument < 32 {
				return 0, false
			}
		}
	}
	return pos, true
}

// --- Writer

func cborHead(major int, argument uint64) []byte {
	first := byte(major << 5)
	switch {
	case argument < 24:
		return []byte{first | byte(argument)}
	case argument <= math.MaxUint8:
		return []byte{first | 24, byte(argument)}
	case argument <= math.MaxUint16:
		return binary.BigEndian.AppendUint16([]byte{first | 25}, uint16(argument))
	case argument <= math.MaxUint32:
		return binary.BigEndian.AppendUint32([]byte{first | 26}, uint32(argument))
	}
	return binary.BigEndian.AppendUint64([]byte{first | 27}, argument)
}

// pair is an entry of a map to be written.
type pair struct{ key, value any }

// encode writes int, int64, bool, string, []byte, []any and []pair. Keys come in the order of their bytes.
func encode(value any) []byte {
	switch v := value.(type) {
	case int:
		return encode(int64(v))
	case int64:
		if v < 0 {
			return cborHead(majorNegative, uint64(-1-v))
		}
		return cborHead(majorUnsigned, uint64(v))
	case bool:
		if v {
			return []byte{0xf5}
		}
		return []byte{0xf4}
	case string:
		return append(cborHead(majorText, uint64(len(v))), v...)
	case []byte:
		return append(cborHead(majorBytes, uint64(len(v))), v...)
	case []any:
		out := cborHead(majorArray, uint64(len(v)))
		for _, each := range v {
			out = append(out, encode(each)...)
		}
		return out
	case []pair:
		var entries [][2][]byte
		for _, p := range v {
			entries = append(entries, [2][]byte{encode(p.key), encode(p.value)})
		}
		slices.SortFunc(entries, func(a, b [2][]byte) int { return bytes.Compare(a[0], b[0]) })
		out := cborHead(majorMap, uint64(len(v)))
		for _, e := range entries {
			out = append(append(out, e[0]...), e[1]...)
		}
		return out
	}
	panic("not a value of deterministic CBOR")
}
