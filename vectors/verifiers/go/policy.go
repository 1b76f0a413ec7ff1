// Policies (spec/policy.md): which documents are policies.
package main

import "strconv"

type Policy struct {
	Version int64
	Rules   []*Rule
}

type Rule struct {
	Name, Effect string
	AnyAgent     bool
	Agents       []string
	Kind         string // filesystem, network, process, tool
	Path         string
	Host         string
	AnyPort      bool
	From, To     int64
	AnyMethod    bool
	Methods      []string
	Argv         []string
	Server, Tool string

	path         pathPattern
	host         hostPattern
	argv         argvPattern
	server, tool []token
}

var effects = []string{"allow", "ask", "deny"}
var fileMethods = []string{"read", "write", "delete", "execute"}
var kinds = []string{"filesystem", "network", "process", "tool"}

const (
	maxRules = 100000
	maxArgv  = 256
)

// parsePolicy takes the text of a policy in JSON. Either the policy or the problems are given.
func parsePolicy(text []byte) (*Policy, []Problem) {
	value, problems := readJSON(text, true)
	var policy *Policy
	if value != nil {
		var more []Problem
		policy, more = judgePolicy(value)
		problems = append(problems, more...)
	}
	problems = atMost(maxDocumentProblems, inDocumentOrder(problems))
	placeInText(text, problems)
	if len(problems) > 0 {
		return nil, problems
	}
	return policy, nil
}

// judgePolicy takes a document that has been read, or an object.
func judgePolicy(v *Value) (*Policy, []Problem) {
	d := &door{}
	policy := &Policy{}
	if d.object(v, "", []string{"version", "rules"}, nil) {
		policy.Version = d.integer(v.get("version"), "/version", 1, maxInteger)
		if rules := v.get("rules"); d.list(rules, "/rules", 0, maxRules) {
			names := map[string]bool{}
			for i, each := range rules.Items {
				policy.Rules = append(policy.Rules, d.rule(each, "/rules/"+strconv.Itoa(i), names))
			}
		}
	}
	problems := atMost(maxDocumentProblems, inDocumentOrder(d.problems))
	if len(problems) > 0 {
		return nil, problems
	}
	return policy, nil
}

func (d *door) rule(v *Value, pointer string, names map[string]bool) *Rule {
	rule := &Rule{}
	if !d.object(v, pointer, []string{"name", "effect", "agents", "action"}, nil) {
		return rule
	}
	var ok bool
	if rule.Name, ok = d.text(v.get("name"), pointer+"/name", checkName); ok {
		if names[rule.Name] { // POL-6, at the second
			d.tell("duplicate-name", pointer+"/name", v.get("name").At)
		}
		names[rule.Name] = true
	}
	rule.Effect = d.word(v.get("effect"), pointer+"/effect", effects...)
	d.agents(rule, v.get("agents"), pointer+"/agents")
	d.action(rule, v.get("action"), pointer+"/action")
	return rule
}

func (d *door) agents(rule *Rule, v *Value, pointer string) {
	if v != nil && v.Kind == jsonText {
		rule.AnyAgent = d.word(v, pointer, "any") == "any"
		return
	}
	if d.object(v, pointer, []string{"one_of"}, nil) {
		rule.Agents = d.set(v.get("one_of"), pointer+"/one_of", func(v *Value, pointer string) (string, bool) {
			return d.text(v, pointer, checkName)
		})
	}
}

func (d *door) action(rule *Rule, v *Value, pointer string) {
	if !d.object(v, pointer, nil, kinds) {
		return
	}
	found := 0
	for _, kind := range kinds {
		body := v.get(kind)
		if body == nil {
			continue
		}
		found++
		rule.Kind = kind
		own := pointer + "/" + kind
		switch kind {
		case "filesystem":
			d.filesystem(rule, body, own)
		case "network":
			d.network(rule, body, own)
		case "process":
			d.process(rule, body, own)
		case "tool":
			d.tool(rule, body, own)
		}
	}
	if found != 1 { // POL-2
		d.tell("exactly-one", pointer, v.At)
	}
}

func (d *door) filesystem(rule *Rule, v *Value, pointer string) {
	if !d.object(v, pointer, []string{"path", "methods"}, nil) {
		return
	}
	rule.Path, _ = d.text(v.get("path"), pointer+"/path", func(text string) (problem code) { // POL-10
		rule.path, problem, _ = parsePathPattern(text)
		return problem
	})
	d.methods(rule, v.get("methods"), pointer+"/methods", func(v *Value, pointer string) (string, bool) {
		word := d.word(v, pointer, fileMethods...)
		return word, word != ""
	})
}

func (d *door) network(rule *Rule, v *Value, pointer string) {
	if !d.object(v, pointer, []string{"host", "ports", "methods"}, nil) {
		return
	}
	rule.Host, _ = d.text(v.get("host"), pointer+"/host", func(text string) (problem code) { // POL-10
		rule.host, problem, _ = parseHostPattern(text)
		return problem
	})
	ports := v.get("ports")
	if ports != nil && ports.Kind == jsonText {
		rule.AnyPort = d.word(ports, pointer+"/ports", "any") == "any"
	} else if d.object(ports, pointer+"/ports", []string{"from", "to"}, nil) { // POL-9: as written
		rule.From = d.integer(ports.get("from"), pointer+"/ports/from", 0, 65535)
		rule.To = d.integer(ports.get("to"), pointer+"/ports/to", 0, 65535)
	}
	d.methods(rule, v.get("methods"), pointer+"/methods", func(v *Value, pointer string) (string, bool) {
		return d.text(v, pointer, checkHTTPMethod)
	})
}

func (d *door) methods(rule *Rule, v *Value, pointer string, item func(*Value, string) (string, bool)) {
	if v != nil && v.Kind == jsonText {
		rule.AnyMethod = d.word(v, pointer, "any") == "any"
		return
	}
	rule.Methods = d.set(v, pointer, item)
}

func (d *door) process(rule *Rule, v *Value, pointer string) {
	if !d.object(v, pointer, []string{"argv"}, nil) || !d.list(v.get("argv"), pointer+"/argv", 1, maxArgv) {
		return
	}
	items := v.get("argv").Items
	for i, each := range items {
		text, _ := d.text(each, pointer+"/argv/"+strconv.Itoa(i), func(text string) code { // POL-10
			tokens, rest, problem := parseArgvItem(text, i == len(items)-1)
			if rest {
				rule.argv.rest = true
			} else {
				rule.argv.items = append(rule.argv.items, tokens)
			}
			return problem
		})
		rule.Argv = append(rule.Argv, text)
	}
}

func (d *door) tool(rule *Rule, v *Value, pointer string) {
	if !d.object(v, pointer, []string{"server", "name"}, nil) {
		return
	}
	pattern := func(tokens *[]token) func(string) code {
		return func(text string) (problem code) { // POL-8, then POL-10
			if problem = checkName(text); problem == "" {
				*tokens, problem = parseTextPattern(text)
			}
			return problem
		}
	}
	rule.Server, _ = d.text(v.get("server"), pointer+"/server", pattern(&rule.server))
	rule.Tool, _ = d.text(v.get("name"), pointer+"/name", pattern(&rule.tool))
}
