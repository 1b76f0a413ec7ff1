// Decisions (spec/decision.md): requests made canonical, and the procedure.
package main

import (
	"slices"
	"strconv"
	"strings"
)

type Request struct {
	Agent   string
	Actions []Action
}

type Action struct {
	Kind         string
	Path         string
	Host         string
	Port         int64
	Method       string // "" is absent
	Argv         []string
	Server, Tool string
	host         host
}

type Decision struct {
	Effect, Rule, Reason string
	Action               int64 // -1 is absent
}

const (
	maxActions      = 64 // DEC-4
	maxText         = 65536
	maxRequestBytes = 524288
)

// refused stops at the first problem of a request.
type refused struct{ problem Problem }

type requestDoor struct{ door }

func (d *requestDoor) first() {
	if len(d.problems) > 0 {
		panic(refused{d.problems[0]})
	}
}

// canonicalRequest takes a request as an object (DEC-1 to DEC-4). The first problem ends it.
func canonicalRequest(v *Value) (request *Request, problem *Problem) {
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case refused:
			request, problem = nil, &stop.problem
		default:
			panic(stop)
		}
	}()
	d := &requestDoor{}
	d.object(v, "", []string{"agent", "actions"}, nil)
	d.first()
	request = &Request{}
	request.Agent = d.string(v.get("agent"), "/agent", 4096, checkName)
	actions := v.get("actions")
	d.list(actions, "/actions", 1, maxActions)
	d.first()
	for i, each := range actions.Items {
		action := d.action(each, "/actions/"+strconv.Itoa(i))
		request.Actions = append(request.Actions, action)
	}
	if textBytes(v) > maxRequestBytes {
		d.tell("limit", "", 0)
		d.first()
	}
	return request, nil
}

// string: well-formed and within its limit before anything else is asked of it (DEC-2).
func (d *requestDoor) string(v *Value, pointer string, limit int, kind func(string) code) string {
	if d.is(v, jsonText, pointer) {
		if problem := checkText(v.Text, limit, kind); problem != "" {
			d.tell(problem, pointer, 0)
		}
	}
	d.first()
	return v.Text
}

func (d *requestDoor) action(v *Value, pointer string) (action Action) {
	if !d.is(v, jsonObject, pointer) {
		d.first()
	}
	found := 0
	for _, kind := range kinds {
		if v.get(kind) != nil {
			found++
			action.Kind = kind
		}
	}
	if found != 1 {
		d.tell("exactly-one", pointer, 0)
	}
	d.first()
	d.object(v, pointer, []string{action.Kind}, nil)
	d.first()
	body, own := v.get(action.Kind), pointer+"/"+action.Kind
	fields := func(required []string, optional ...string) {
		d.object(body, own, required, optional)
		d.first()
	}
	switch action.Kind {
	case "filesystem":
		fields([]string{"path", "method"})
		d.string(body.get("path"), own+"/path", maxText, func(text string) (problem code) { // DEC-3
			action.Path, problem = canonicalPath(text)
			return problem
		})
		action.Method = d.string(body.get("method"), own+"/method", maxText, checkFileMethod)
	case "network":
		fields([]string{"host", "port"}, "method")
		d.string(body.get("host"), own+"/host", maxText, func(text string) (problem code) { // DEC-3
			action.host, problem = canonicalHost(text)
			action.Host = action.host.text
			return problem
		})
		action.Port = d.port(body.get("port"), own+"/port")
		if method := body.get("method"); method != nil {
			action.Method = d.string(method, own+"/method", maxText, checkHTTPMethod)
		}
	case "process":
		fields([]string{"argv"})
		argv := body.get("argv")
		d.list(argv, own+"/argv", 1, maxArgv)
		d.first()
		for i, each := range argv.Items {
			action.Argv = append(action.Argv, d.string(each, own+"/argv/"+strconv.Itoa(i), maxText, checkArgument))
		}
	case "tool":
		fields([]string{"server", "name"})
		action.Server = d.string(body.get("server"), own+"/server", 4096, checkName)
		action.Tool = d.string(body.get("name"), own+"/name", 4096, checkName)
	}
	return action
}

func checkFileMethod(text string) code {
	if !slices.Contains(fileMethods, text) {
		return "bad-value"
	}
	return ""
}

func checkArgument(text string) code {
	if strings.Contains(text, "\x00") {
		return "nul-character"
	}
	return ""
}

// port: wrong-type for text, bad-integer for a fraction, bad-value outside (DEC-2).
func (d *requestDoor) port(v *Value, pointer string) int64 {
	if d.is(v, jsonNumber, pointer) {
		n, whole := wholeNumber(v.Text)
		if !whole {
			d.tell("bad-integer", pointer, 0)
		} else if n < 1 || n > 65535 {
			d.tell("bad-value", pointer, 0)
		} else {
			return int64(n)
		}
	}
	d.first()
	return 0
}

// textBytes is the bytes of all strings of an object, its keys not counted (DEC-4).
func textBytes(v *Value) int {
	sum := 0
	if v.Kind == jsonText {
		sum = len(v.Text)
	}
	for _, item := range v.Items {
		sum += textBytes(item)
	}
	for _, m := range v.Members {
		sum += textBytes(m.Value)
	}
	return sum
}

// --- Procedure

// fails is the first part of the rule that does not cover the action (DEC-11); "" is a match.
func (rule *Rule) fails(agent string, action *Action) string {
	if !rule.AnyAgent && !slices.Contains(rule.Agents, agent) { // DEC-8
		return "agents"
	}
	if rule.Kind != action.Kind {
		return "kind"
	}
	switch rule.Kind {
	case "filesystem":
		if !rule.path.covers(action.Path) {
			return "path"
		}
		if !rule.coversMethod(action.Method) {
			return "methods"
		}
	case "network":
		if !rule.host.covers(action.host) {
			return "host"
		}
		if !rule.AnyPort && (action.Port < rule.From || action.Port > rule.To) { // DEC-10
			return "ports"
		}
		if !rule.coversMethod(action.Method) {
			return "methods"
		}
	case "process":
		if !rule.argv.covers(action.Argv) {
			return "argv"
		}
	case "tool":
		if !globCovers(rule.server, []rune(action.Server)) {
			return "server"
		}
		if !globCovers(rule.tool, []rune(action.Tool)) {
			return "name"
		}
	}
	return ""
}

// coversMethod: an absent method is covered by any, and by every deny rule (DEC-9).
func (rule *Rule) coversMethod(method string) bool {
	if method == "" {
		return rule.AnyMethod || rule.Effect == "deny"
	}
	return rule.AnyMethod || slices.Contains(rule.Methods, method)
}

// decide is the procedure over a canonical request (DEC-5 to DEC-7).
func decide(policy *Policy, request *Request) Decision {
	if policy == nil {
		return Decision{Effect: "deny", Reason: "no-policy", Action: -1} // DEC-5
	}
	var outcome Decision
	restriction := []string{"", "allow", "ask", "deny"}
	for i := range request.Actions {
		one := decideAction(policy, request.Agent, &request.Actions[i])
		one.Action = int64(i)
		if slices.Index(restriction, one.Effect) > slices.Index(restriction, outcome.Effect) { // DEC-7
			outcome = one
		}
	}
	return outcome
}

func decideAction(policy *Policy, agent string, action *Action) Decision {
	for _, effect := range []string{"deny", "ask", "allow"} { // DEC-6
		for _, rule := range policy.Rules {
			if rule.Effect == effect && rule.fails(agent, action) == "" {
				return Decision{Effect: effect, Rule: rule.Name}
			}
		}
	}
	return Decision{Effect: "deny", Reason: "no-rule"}
}
