// Calls to actions (spec/mapping.md). Shell rows are read and not mapped.
package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mapper holds the tables by their servers, "" for the one without.
type mapper struct {
	tables            map[string]*Value
	server, cwd, home *string
}

// notMapped ends the mapping of a call; names is true where tool or server is no name.
type notMapped struct {
	code  code
	names bool
}

func stop(problem code) {
	if problem != "" {
		panic(notMapped{problem, false})
	}
}

// reason is MAP-17.
func (r notMapped) reason() string {
	if r.names || strings.HasPrefix(r.code, "path-") || strings.HasPrefix(r.code, "host-") {
		return "not-canonical"
	}
	return "unmapped"
}

func textOf(v *Value) *string {
	if v == nil {
		return nil
	}
	return &v.Text
}

func newMapper(tables []*Value, server, cwd, home *Value) *mapper {
	m := &mapper{tables: map[string]*Value{}, server: textOf(server), cwd: textOf(cwd), home: textOf(home)}
	for _, table := range tables {
		name := ""
		if own := table.get("server"); own != nil {
			name = own.Text
		}
		m.tables[name] = table
	}
	if m.server == nil && len(tables) == 1 {
		m.server = textOf(tables[0].get("server"))
	}
	return m
}

func (m *mapper) table(server string) *Value {
	if table := m.tables[server]; table != nil {
		return table
	}
	return m.tables[""]
}

// mapCall gives the actions of a call, or why there are none.
func (m *mapper) mapCall(call *Value) (actions []*Value, refused *notMapped) {
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case notMapped:
			actions, refused = nil, &stopped
		default:
			panic(stopped)
		}
	}()
	server, tool := m.names(call)
	actions = []*Value{object("tool", object("server", text(server), "name", text(tool)))}
	if table := m.table(server); table != nil {
		if entry := toolOf(table, tool); entry != nil {
			cwd := m.cwd
			if own := call.get("cwd"); own != nil {
				path, problem := canonicalPath(own.Text)
				stop(problem)
				cwd = &path
			}
			args := call.get("args")
			if args == nil {
				args = &Value{Kind: jsonObject}
			}
			r := &rowReader{table: table, args: args, cwd: cwd, home: m.home}
			actions = append(actions, r.derive(entry)...)
		}
	}
	if len(actions) > maxActions {
		stop("limit")
	}
	var unique []*Value
	for _, action := range actions {
		if !slices.ContainsFunc(unique, func(other *Value) bool { return sameJSON(action, other) }) {
			unique = append(unique, action)
		}
	}
	return unique, nil
}

// names is MAP-4 and MAP-6.
func (m *mapper) names(call *Value) (string, string) {
	server, tool := textOf(call.get("server")), call.get("tool").Text
	if server == nil {
		server = m.server
	}
	if server == nil {
		panic(notMapped{"wrong-type", true})
	}
	name := *server
	if table := m.table(name); table != nil && table.get("mcp_names") != nil && strings.HasPrefix(tool, "mcp__") {
		parts := strings.Split(tool, "__")
		if len(parts) != 3 || parts[1] == "" || parts[2] == "" || strings.HasSuffix(parts[1], "_") || strings.HasPrefix(parts[2], "_") {
			stop("tool-split")
		}
		name, tool = parts[1], parts[2]
	}
	for _, each := range []string{name, tool} {
		if problem := checkText(each, 4096, checkName); problem != "" {
			panic(notMapped{problem, true})
		}
	}
	return name, tool
}

// fold is a name as a lax server reads it (MAP-5).
func fold(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '_' || c == '-':
			return -1
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return c
	}, name)
}

func toolOf(table *Value, name string) *Value {
	tools := table.get("tools")
	if tool := tools.get(name); tool != nil {
		return tool
	}
	for _, m := range tools.Members {
		if fold(m.Key) == fold(name) {
			stop("tool-case")
		}
	}
	return nil
}

type rowReader struct {
	table, args *Value
	cwd, home   *string
}

func (r *rowReader) derive(tool *Value) (actions []*Value) {
	if r.args.Kind != jsonObject {
		stop("argument-type")
	}
	r.checkNames(tool)
	for _, row := range tool.get("actions").Items {
		kind, body := row.Members[0].Key, row.Members[0].Value
		if r.isOff(body) {
			continue
		}
		switch kind {
		case "filesystem":
			actions = append(actions, r.filesystem(body)...)
		case "network":
			actions = append(actions, r.network(body)...)
		case "process":
			actions = append(actions, r.process(body)...)
		default:
			stop("shell-parser") // MAP-15
		}
	}
	return actions
}

// checkNames is MAP-8.
func (r *rowReader) checkNames(tool *Value) {
	known := texts(tool.get("arguments"))
	for _, row := range tool.get("actions").Items {
		body := row.Members[0].Value
		for _, key := range []string{"path", "glob", "url", "method_argument", "command", "cwd"} {
			if name := body.get(key); name != nil {
				known = append(known, name.Text)
			}
		}
		known = append(known, texts(body.get("argv"))...)
		if unless := body.get("unless"); unless != nil {
			known = append(known, unless.get("argument").Text)
		}
	}
	for _, m := range r.args.Members {
		if slices.Contains(known, m.Key) {
			continue
		}
		if slices.ContainsFunc(known, func(name string) bool { return fold(name) == fold(m.Key) }) {
			stop("argument-case")
		}
		if tool.get("arguments") != nil {
			stop("argument-unknown")
		}
	}
}

// MAP-7

func (r *rowReader) isOff(body *Value) bool {
	unless := body.get("unless")
	value := r.args.get(textOr(unless.get("argument")))
	if unless == nil || value == nil {
		return false
	}
	if value.Kind != jsonBool {
		stop("argument-type")
	}
	return value.Bool == unless.get("is").Bool
}

func textOr(v *Value) string {
	if v == nil {
		return ""
	}
	return v.Text
}

func (r *rowReader) isAbsent(argument string, body *Value) bool {
	if r.args.get(argument) != nil {
		return false
	}
	if textOr(body.get("absent")) != "none" {
		stop("argument-missing")
	}
	return true
}

func (r *rowReader) text(argument *Value) *string {
	if argument == nil {
		return nil
	}
	value := r.args.get(argument.Text)
	if value != nil && value.Kind != jsonText {
		stop("argument-type")
	}
	return textOf(value)
}

func (r *rowReader) list(argument string) (out []*string) {
	value := r.args.get(argument)
	if value.Kind != jsonList {
		stop("argument-type")
	}
	for _, item := range value.Items {
		if item.Kind != jsonText {
			stop("argument-type")
		}
		out = append(out, &item.Text)
	}
	return out
}

// texts are those of the main argument; one nil where it is absent and stands for the working folder.
func (r *rowReader) texts(argument, body *Value) []*string {
	if r.args.get(argument.Text) == nil && textOr(body.get("absent")) == "cwd" {
		return []*string{nil}
	}
	if r.isAbsent(argument.Text, body) {
		return nil
	}
	if body.get("each") != nil {
		return r.list(argument.Text)
	}
	return []*string{r.text(argument)}
}

func (r *rowReader) filesystem(body *Value) (actions []*Value) {
	for _, written := range r.texts(body.get("path"), body) {
		path := r.path(body, written)
		for _, method := range texts(body.get("methods")) {
			actions = append(actions, fileAction(path, method))
			if body.get("subtree") != nil || body.get("glob") != nil { // MAP-14
				actions = append(actions, fileAction(strings.TrimSuffix(path, "/")+"/**", method))
			}
		}
	}
	return actions
}

func fileAction(path, method string) *Value {
	return object("filesystem", object("path", text(path), "method", text(method)))
}

func (r *rowReader) path(body *Value, written *string) string {
	folder := ""
	if written == nil {
		folder = r.written(".", true, r.cwd)
	} else {
		folder = r.written(*written, false, r.cwd)
	}
	if body.get("glob") == nil {
		return folder
	}
	pattern := r.text(body.get("glob"))
	if pattern == nil {
		stop("argument-missing")
	}
	if base := globBase(*pattern); base != "" {
		return r.written(base, true, &folder)
	}
	return folder
}

func (r *rowReader) rule(name, word string) bool {
	return textOr(r.table.get("paths").get(name)) == word
}

const whiteSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

var looksOtherwise = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// written is MAP-9 to MAP-11.
func (r *rowReader) written(text string, takesRelative bool, cwd *string) string {
	stop(checkText(text, 65536, func(string) code { return "" }))
	if strings.ContainsAny(text, "\x00\\") || strings.Trim(text, whiteSpace) != text {
		stop("path-character")
	}
	path := text
	switch {
	case strings.HasPrefix(text, "/"):
	case strings.HasPrefix(text, "~"):
		if !r.rule("home", "expand") || text != "~" && text[1] != '/' || r.home == nil {
			stop("path-relative")
		}
		path = under(*r.home, text[1:])
	default:
		if !takesRelative && !r.rule("relative", "cwd") || text == "" || looksOtherwise.MatchString(text) || cwd == nil {
			stop("path-relative")
		}
		path = under(*cwd, "/"+text)
	}
	if strings.HasPrefix(path, "//") {
		stop("path-leading-slashes")
	}
	if r.rule("dot_dot", "resolve") {
		var kept []string
		for _, segment := range strings.Split(path, "/") {
			switch segment {
			case "..":
				kept = kept[:max(0, len(kept)-1)]
			case "", ".":
			default:
				kept = append(kept, segment)
			}
		}
		path = "/" + strings.Join(kept, "/")
	}
	canonical, problem := canonicalPath(path)
	stop(problem)
	return canonical
}

func under(base, rest string) string {
	if base == "/" && rest != "" {
		return rest
	}
	return base + rest
}

var literalSegment = regexp.MustCompile(`^[^*?\[\]{}()!@+|,\\]+$`)
var wildSegment = regexp.MustCompile(`^(?:[^\[\](){}\\]+|\*[^\[\](){}\\]*(?:\{[^\[\](){}\\]*\}[^\[\](){}\\]*)*)$`)

// globBase is MAP-12.
func globBase(pattern string) string {
	stop(checkText(pattern, 65536, func(string) code { return "" }))
	segments := strings.Split(pattern, "/")
	front := 0
	for front < len(segments) && (literalSegment.MatchString(segments[front]) || segments[front] == "" && front == 0) {
		front++
	}
	if pattern == "" || strings.Contains(pattern, "\x00") {
		stop("glob-reach")
	}
	for _, segment := range segments[front:] {
		if segment == "." || segment == ".." || !wildSegment.MatchString(segment) {
			stop("glob-reach")
		}
	}
	base := strings.Join(segments[:front], "/")
	if base == "" && strings.HasPrefix(pattern, "/") {
		return "/"
	}
	return base
}

func (r *rowReader) network(body *Value) (actions []*Value) {
	for _, url := range r.texts(body.get("url"), body) {
		host, port := hostAndPort(*url)
		method := textOf(body.get("method"))
		if own := r.text(body.get("method_argument")); own != nil {
			upper := strings.Map(func(c rune) rune {
				if c >= 'a' && c <= 'z' {
					return c + 'A' - 'a'
				}
				return c
			}, *own)
			stop(checkHTTPMethod(upper))
			method = &upper
		}
		action := object("host", text(host), "port", &Value{Kind: jsonNumber, Text: strconv.Itoa(port)})
		if method != nil {
			action.Members = append(action.Members, Member{Key: "method", Value: text(*method)})
		}
		actions = append(actions, object("network", action))
	}
	return actions
}

var plainURL = regexp.MustCompile(`(?s)^([A-Za-z]{2,5})://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([1-9][0-9]{0,4}))?(?:[/?#].*)?$`)
var outsideOfURLs = regexp.MustCompile(`[\x00-\x20\x7f\\]`)
var defaultPorts = map[string]int{"http": 80, "https": 443, "ws": 80, "wss": 443}

// hostAndPort is MAP-13.
func hostAndPort(url string) (string, int) {
	stop(checkText(url, 65536, func(string) code { return "" }))
	found := plainURL.FindStringSubmatch(url)
	if found == nil || outsideOfURLs.MatchString(url) {
		stop("url-syntax")
	}
	port := defaultPorts[strings.ToLower(found[1])]
	if port == 0 {
		stop("url-syntax")
	}
	if found[3] != "" {
		port, _ = strconv.Atoi(found[3])
	}
	if port > 65535 {
		stop("url-syntax")
	}
	host, problem := canonicalHost(found[2])
	stop(problem)
	return host.text, port
}

func (r *rowReader) process(body *Value) []*Value {
	names := texts(body.get("argv"))
	if r.isAbsent(names[0], body) {
		return nil
	}
	argv := &Value{Kind: jsonList}
	for _, name := range names {
		switch value := r.args.get(name); {
		case value == nil:
		case value.Kind == jsonText:
			argv.Items = append(argv.Items, text(value.Text))
		default:
			for _, item := range r.list(name) {
				argv.Items = append(argv.Items, text(*item))
			}
		}
	}
	return []*Value{object("process", object("argv", argv))}
}

func text(s string) *Value { return &Value{Kind: jsonText, Text: s} }

// object takes keys and values in turns.
func object(members ...any) *Value {
	out := &Value{Kind: jsonObject}
	for i := 0; i < len(members); i += 2 {
		out.Members = append(out.Members, Member{Key: members[i].(string), Value: members[i+1].(*Value)})
	}
	return out
}
