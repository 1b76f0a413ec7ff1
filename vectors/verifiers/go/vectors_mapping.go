// mapping.json: arguments, tables, calls.
package main

import "fmt"

func checkMappingCase(input, expect *Value) string {
	switch {
	case input.get("args_json") != nil:
		return checkArguments(input, expect)
	case input.get("document") != nil:
		table, problems := parseTable([]byte(input.get("document").Text))
		if table == nil {
			return refusedAs(expect, problems)
		}
		return checkMappingDigest([]*Value{table}, expect)
	case input.get("call") == nil:
		return checkMappingDigest(input.get("tables").Items, expect)
	}
	m := newMapper(input.get("tables").Items, input.get("server"), input.get("cwd"), input.get("home"))
	actions, refused := m.mapCall(input.get("call"))
	if refused != nil {
		if got := differ(expect.get("error"), refused.code); got != "" {
			return got
		}
		return differ(expect.get("reason"), refused.reason())
	}
	got := &Value{Kind: jsonList, Items: actions}
	if expected := expect.get("actions"); expected == nil || !sameJSON(expected, got) {
		form, _ := formOf(got)
		return form
	}
	return ""
}

func checkArguments(input, expect *Value) string {
	args, problems := readJSON([]byte(input.get("args_json").Text), false) // any numbers, but no key twice (DIG-11)
	if len(problems) > 0 {
		return differ(expect.get("error"), problems[0].Code)
	}
	form, problem := formOf(args)
	if problem != "" {
		return differ(expect.get("error"), problem)
	}
	if got := differ(expect.get("form"), form); got != "" {
		return got
	}
	return differ(expect.get("args_digest"), argsDigest(form, textOr(input.get("salt"))))
}

func checkMappingDigest(tables []*Value, expect *Value) string {
	digest, problem := mappingDigest(tables)
	if problem != "" {
		return fmt.Sprint("no form: ", problem)
	}
	return differ(expect.get("mapping_digest"), digest)
}
