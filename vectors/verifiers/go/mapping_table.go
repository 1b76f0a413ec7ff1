// Mapping tables (spec/mapping.md, Table): which documents are tables.
package main

import (
	"slices"
	"strconv"
)

const maxRows = 64

// parseTable takes the text of a table in JSON. Either the table or the problems are given.
func parseTable(text []byte) (*Value, []Problem) {
	value, problems := readJSON(text, true)
	if value != nil {
		d := &door{}
		d.table(value)
		problems = append(problems, d.problems...)
	}
	problems = atMost(maxDocumentProblems, inDocumentOrder(problems))
	placeInText(text, problems)
	if len(problems) > 0 {
		return nil, problems
	}
	return value, nil
}

// fields runs a check for each member that is there.
type fields map[string]func(v *Value, pointer string)

func (d *door) fields(v *Value, pointer string, required []string, checks fields) {
	if !d.object(v, pointer, required, keysOf(checks)) {
		return
	}
	for _, m := range v.Members {
		if check := checks[m.Key]; check != nil {
			check(m.Value, child(pointer, m.Key))
		}
	}
}

func keysOf(checks fields) (out []string) {
	for key := range checks {
		out = append(out, key)
	}
	return out
}

func (d *door) named(v *Value, pointer string) { d.text(v, pointer, checkName) }

func (d *door) oneWordOf(words ...string) func(*Value, string) {
	return func(v *Value, pointer string) { d.word(v, pointer, words...) }
}

func (d *door) yes(v *Value, pointer string) {
	if d.is(v, jsonBool, pointer) && !v.Bool {
		d.tell("bad-value", pointer, v.At)
	}
}

// names is a set of names, which may be empty where least is 0 (MAP-2).
func (d *door) names(least int) func(*Value, string) {
	return func(v *Value, pointer string) {
		if v.Kind == jsonList && (len(v.Items) > maxRows || least == 0 && len(v.Items) == 0) {
			d.list(v, pointer, least, maxRows)
			return
		}
		d.set(v, pointer, func(v *Value, pointer string) (string, bool) { return d.text(v, pointer, checkName) })
	}
}

func (d *door) table(v *Value) {
	d.fields(v, "", []string{"format", "tools"}, fields{
		"format":    d.oneWordOf("ruleprint-mapping/1"),
		"server":    d.named,
		"mcp_names": d.yes,
		"tools":     d.tools,
		"paths": func(v *Value, pointer string) {
			d.fields(v, pointer, []string{"relative", "home", "dot_dot"}, fields{
				"relative": d.oneWordOf("refuse", "cwd"), "home": d.oneWordOf("refuse", "expand"), "dot_dot": d.oneWordOf("refuse", "resolve"),
			})
		},
	})
}

func (d *door) tools(v *Value, pointer string) {
	if !d.is(v, jsonObject, pointer) {
		return
	}
	for _, m := range v.Members {
		own := child(pointer, m.Key)
		if problem := checkText(m.Key, 4096, checkName); problem != "" {
			d.tell(problem, own, m.At)
		}
		d.fields(m.Value, own, []string{"actions"}, fields{"actions": d.rows, "arguments": d.names(0)})
	}
}

func (d *door) rows(v *Value, pointer string) {
	if !d.list(v, pointer, 0, maxRows) {
		return
	}
	unless := func(v *Value, pointer string) {
		d.fields(v, pointer, []string{"argument", "is"}, fields{"argument": d.named, "is": func(v *Value, pointer string) { d.is(v, jsonBool, pointer) }})
	}
	none := d.oneWordOf("none")
	checks := fields{
		"filesystem": func(v *Value, pointer string) {
			methods := func(v *Value, pointer string) {
				d.set(v, pointer, func(v *Value, pointer string) (string, bool) {
					word := d.word(v, pointer, fileMethods...)
					return word, word != ""
				})
			}
			d.fields(v, pointer, []string{"path", "methods"}, fields{
				"path": d.named, "methods": methods, "each": d.yes, "subtree": d.yes, "glob": d.named, "absent": d.oneWordOf("none", "cwd"), "unless": unless,
			})
		},
		"network": func(v *Value, pointer string) {
			method := func(v *Value, pointer string) { d.text(v, pointer, checkHTTPMethod) }
			d.fields(v, pointer, []string{"url"}, fields{
				"url": d.named, "each": d.yes, "method": method, "method_argument": d.named, "absent": none, "unless": unless,
			})
		},
		"process": func(v *Value, pointer string) {
			d.fields(v, pointer, []string{"argv"}, fields{"argv": d.names(1), "absent": none, "unless": unless})
		},
		"shell": func(v *Value, pointer string) {
			d.fields(v, pointer, []string{"command"}, fields{"command": d.named, "cwd": d.named, "absent": none, "unless": unless})
		},
	}
	for i, row := range v.Items {
		own := pointer + "/" + strconv.Itoa(i)
		known := 0
		for _, m := range row.Members {
			if slices.Contains(keysOf(checks), m.Key) {
				known++
			}
		}
		if row.Kind == jsonObject && known != 1 {
			d.tell("exactly-one", own, row.At)
		}
		d.fields(row, own, nil, checks)
	}
}
