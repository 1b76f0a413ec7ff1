//! Mapping chapter: the actions that tables make of a call. Shell rows are read and not mapped.

use crate::door::{check_http_method, check_name};
use crate::json::{Node, Value};
use crate::matching::{canonical_host, canonical_path};
use std::collections::HashSet;

const ACTIONS: usize = 64;
const TEXT_BYTES: usize = 65_536;

/// Why a call is not mapped. `is_name`: tool or server is no name.
pub struct NotMapped {
    pub code: &'static str,
    is_name: bool,
}

impl From<&'static str> for NotMapped {
    fn from(code: &'static str) -> NotMapped {
        NotMapped { code, is_name: false }
    }
}

impl NotMapped {
    /// MAP-17
    pub fn reason(&self) -> &'static str {
        let is_place = self.code.starts_with("path-") || self.code.starts_with("host-");
        if self.is_name || is_place { "not-canonical" } else { "unmapped" }
    }
}

pub struct Mapper<'a> {
    tables: &'a [Node],
    server: Option<&'a str>,
    cwd: Option<&'a str>,
    home: Option<&'a str>,
}

impl<'a> Mapper<'a> {
    pub fn new(tables: &'a [Node], server: Option<&'a str>, cwd: Option<&'a str>, home: Option<&'a str>) -> Mapper<'a> {
        let only = match tables {
            [table] => server_of(table),
            _ => None,
        };
        Mapper { tables, server: server.or(only), cwd, home }
    }

    fn table(&self, server: &str) -> Option<&'a Node> {
        let with = |name: Option<&str>| self.tables.iter().find(|table| server_of(table) == name);
        with(Some(server)).or_else(|| with(None))
    }

    pub fn map(&self, call: &Node) -> Result<Vec<Node>, NotMapped> {
        let (server, tool) = self.names(call)?;
        let name = Node::object([("server", Node::text(server)), ("name", Node::text(tool))]);
        let mut actions = vec![Node::object([("tool", name)])];
        if let Some(table) = self.table(server)
            && let Some(entry) = tool_of(table, tool)?
        {
            let cwd = match call.get("cwd").and_then(Node::as_text) {
                Some(own) => Some(canonical_path(own)?),
                None => self.cwd.map(str::to_string),
            };
            let empty = Node::object([]);
            let args = call.get("args").unwrap_or(&empty);
            let rows = Rows { rules: table.get("paths"), args, cwd, home: self.home };
            actions.extend(rows.derive(entry)?);
        }
        if actions.len() > ACTIONS {
            return Err("limit".into());
        }
        let mut unique: Vec<Node> = vec![];
        for action in actions {
            if !unique.iter().any(|other| other.same(&action)) {
                unique.push(action);
            }
        }
        Ok(unique)
    }

    /// MAP-4, MAP-6
    fn names<'c>(&'c self, call: &'c Node) -> Result<(&'c str, &'c str), NotMapped> {
        let name = |code| NotMapped { code, is_name: true };
        let tool = call.get("tool").and_then(Node::as_text).ok_or(name("wrong-type"))?;
        let server = call.get("server").and_then(Node::as_text).or(self.server).ok_or(name("wrong-type"))?;
        let splits = self.table(server).is_some_and(|table| table.get("mcp_names").is_some());
        let (server, tool) = if splits && tool.starts_with("mcp__") {
            match tool.split("__").collect::<Vec<_>>().as_slice() {
                [_, server, tool]
                    if !server.is_empty() && !tool.is_empty() && !server.ends_with('_') && !tool.starts_with('_') =>
                {
                    (*server, *tool)
                }
                _ => return Err("tool-split".into()),
            }
        } else {
            (server, tool)
        };
        check_name(server).and_then(|()| check_name(tool)).map_err(name)?;
        Ok((server, tool))
    }
}

fn server_of(table: &Node) -> Option<&str> {
    table.get("server").and_then(Node::as_text)
}

/// A name as a lax server reads it (MAP-5).
fn fold(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn tool_of<'a>(table: &'a Node, name: &str) -> Result<Option<&'a Node>, NotMapped> {
    let Some(tools) = table.get("tools") else { return Ok(None) };
    if let Some(tool) = tools.get(name) {
        return Ok(Some(tool));
    }
    let Value::Object(members) = &tools.value else { return Ok(None) };
    let alike = members.iter().any(|member| fold(&member.key.lossy()) == fold(name));
    if alike { Err("tool-case".into()) } else { Ok(None) }
}

fn row_of(row: &Node) -> Option<(&str, &Node)> {
    let Value::Object(members) = &row.value else { return None };
    members.first().and_then(|member| Some((member.key.good()?, &member.node)))
}

fn list_of(node: Option<&Node>) -> Vec<&str> {
    node.and_then(Node::items).unwrap_or(&[]).iter().filter_map(Node::as_text).collect()
}

struct Rows<'a> {
    rules: Option<&'a Node>,
    args: &'a Node,
    cwd: Option<String>,
    home: Option<&'a str>,
}

impl<'a> Rows<'a> {
    fn derive(&self, tool: &Node) -> Result<Vec<Node>, NotMapped> {
        let Value::Object(args) = &self.args.value else { return Err("argument-type".into()) };
        let rows: Vec<(&str, &Node)> =
            tool.get("actions").and_then(Node::items).unwrap_or(&[]).iter().filter_map(row_of).collect();
        check_names(&rows, tool.get("arguments"), args.iter().map(|member| member.key.lossy()))?;
        let mut actions = vec![];
        for (kind, body) in rows {
            if self.is_off(body)? {
                continue;
            }
            match kind {
                "filesystem" => self.filesystem(body, &mut actions)?,
                "network" => self.network(body, &mut actions)?,
                "process" => self.process(body, &mut actions)?,
                _ => return Err("shell-parser".into()), // MAP-15
            }
        }
        Ok(actions)
    }

    // MAP-7

    fn is_off(&self, body: &Node) -> Result<bool, NotMapped> {
        let Some(unless) = body.get("unless") else { return Ok(false) };
        let argument = unless.get("argument").and_then(Node::as_text).unwrap_or("");
        match (self.args.get(argument).map(|node| &node.value), unless.get("is").map(|node| &node.value)) {
            (None, _) => Ok(false),
            (Some(Value::Bool(value)), Some(Value::Bool(is))) => Ok(value == is),
            _ => Err("argument-type".into()),
        }
    }

    fn is_absent(&self, argument: &str, body: &Node) -> Result<bool, NotMapped> {
        if self.args.get(argument).is_some() {
            return Ok(false);
        }
        let is_none = body.get("absent").and_then(Node::as_text) == Some("none");
        if is_none { Ok(true) } else { Err("argument-missing".into()) }
    }

    fn text(&self, argument: Option<&str>) -> Result<Option<&'a str>, NotMapped> {
        match argument.and_then(|argument| self.args.get(argument)).map(|node| &node.value) {
            None => Ok(None),
            Some(Value::Text(text)) => text.good().map(Some).ok_or("lone-surrogate".into()),
            Some(_) => Err("argument-type".into()),
        }
    }

    fn list(&self, argument: &str) -> Result<Vec<&'a str>, NotMapped> {
        let items = self.args.get(argument).and_then(Node::items).ok_or("argument-type")?;
        items.iter().map(|item| item.as_text().ok_or("argument-type".into())).collect()
    }

    /// The texts of the main argument; one `None` where it is absent and stands for the working folder.
    fn texts(&self, argument: &str, body: &Node) -> Result<Vec<Option<&'a str>>, NotMapped> {
        let stands_for_folder = body.get("absent").and_then(Node::as_text) == Some("cwd");
        if self.args.get(argument).is_none() && stands_for_folder {
            return Ok(vec![None]);
        }
        if self.is_absent(argument, body)? {
            return Ok(vec![]);
        }
        if body.get("each").is_some() {
            return Ok(self.list(argument)?.into_iter().map(Some).collect());
        }
        Ok(vec![self.text(Some(argument))?])
    }

    // rows

    fn filesystem(&self, body: &Node, actions: &mut Vec<Node>) -> Result<(), NotMapped> {
        let argument = body.get("path").and_then(Node::as_text).unwrap_or("");
        let is_tree = body.get("subtree").is_some() || body.get("glob").is_some();
        for written in self.texts(argument, body)? {
            let path = self.path(body, written)?;
            for method in list_of(body.get("methods")) {
                let mut put = |path: &str| {
                    let fields = Node::object([("path", Node::text(path)), ("method", Node::text(method))]);
                    actions.push(Node::object([("filesystem", fields)]));
                };
                put(&path);
                if is_tree {
                    put(&format!("{}/**", path.trim_end_matches('/'))); // MAP-14
                }
            }
        }
        Ok(())
    }

    fn path(&self, body: &Node, written: Option<&str>) -> Result<String, NotMapped> {
        let folder = self.written(written.unwrap_or("."), written.is_none(), self.cwd.as_deref())?;
        let Some(glob) = body.get("glob").and_then(Node::as_text) else { return Ok(folder) };
        let pattern = self.text(Some(glob))?.ok_or("argument-missing")?;
        let base = glob_base(pattern)?;
        if base.is_empty() { Ok(folder) } else { self.written(&base, true, Some(&folder)) }
    }

    fn rule(&self, name: &str, word: &str) -> bool {
        self.rules.and_then(|rules| rules.get(name)).and_then(Node::as_text) == Some(word)
    }

    /// MAP-9 to MAP-11
    fn written(&self, text: &str, takes_relative: bool, cwd: Option<&str>) -> Result<String, NotMapped> {
        if text.len() > TEXT_BYTES {
            return Err("limit".into());
        }
        if text.contains(['\0', '\\']) || text.trim_matches(is_white) != text {
            return Err("path-character".into());
        }
        let path = if text.starts_with('/') {
            text.to_string()
        } else if let Some(rest) = text.strip_prefix('~') {
            let expands = self.rule("home", "expand") && (rest.is_empty() || rest.starts_with('/'));
            under(self.home.filter(|_| expands).ok_or("path-relative")?, rest)
        } else {
            let takes = (takes_relative || self.rule("relative", "cwd")) && !text.is_empty() && !looks_otherwise(text);
            under(cwd.filter(|_| takes).ok_or("path-relative")?, &format!("/{text}"))
        };
        if path.starts_with("//") {
            return Err("path-leading-slashes".into());
        }
        if !self.rule("dot_dot", "resolve") {
            return Ok(canonical_path(&path)?);
        }
        let mut kept = vec![];
        for segment in path.split('/') {
            match segment {
                ".." => drop(kept.pop()),
                "" | "." => {}
                _ => kept.push(segment),
            }
        }
        Ok(canonical_path(&format!("/{}", kept.join("/")))?)
    }

    fn network(&self, body: &Node, actions: &mut Vec<Node>) -> Result<(), NotMapped> {
        let argument = body.get("url").and_then(Node::as_text).unwrap_or("");
        for url in self.texts(argument, body)?.into_iter().flatten() {
            let (host, port) = host_and_port(url)?;
            let own = self.text(body.get("method_argument").and_then(Node::as_text))?;
            let method = match own.map(str::to_ascii_uppercase) {
                Some(method) => {
                    check_http_method(&method)?;
                    Some(method)
                }
                None => body.get("method").and_then(Node::as_text).map(str::to_string),
            };
            let mut fields = vec![("host", Node::text(&host)), ("port", Node::number(port))];
            fields.extend(method.map(|method| ("method", Node::text(&method))));
            actions.push(Node::object([("network", Node::object(fields))]));
        }
        Ok(())
    }

    fn process(&self, body: &Node, actions: &mut Vec<Node>) -> Result<(), NotMapped> {
        let names = list_of(body.get("argv"));
        if self.is_absent(names.first().copied().unwrap_or(""), body)? {
            return Ok(());
        }
        let mut argv = vec![];
        for name in names {
            match self.args.get(name).map(|node| &node.value) {
                None => {}
                Some(Value::Text(_)) => argv.extend(self.text(Some(name))?.map(Node::text)),
                Some(_) => argv.extend(self.list(name)?.into_iter().map(Node::text)),
            }
        }
        actions.push(Node::object([("process", Node::object([("argv", Node::list(argv))]))]));
        Ok(())
    }
}

/// MAP-8
fn check_names(
    rows: &[(&str, &Node)],
    others: Option<&Node>,
    keys: impl Iterator<Item = String>,
) -> Result<(), NotMapped> {
    let mut known: HashSet<&str> = list_of(others).into_iter().collect();
    for (_, body) in rows {
        let single = ["path", "glob", "url", "method_argument", "command", "cwd"];
        known.extend(single.iter().filter_map(|key| body.get(key).and_then(Node::as_text)));
        known.extend(list_of(body.get("argv")));
        known.extend(body.get("unless").and_then(|unless| unless.get("argument")).and_then(Node::as_text));
    }
    for key in keys {
        if known.contains(key.as_str()) {
            continue;
        }
        if known.iter().any(|name| fold(name) == fold(&key)) {
            return Err("argument-case".into());
        }
        if others.is_some() {
            return Err("argument-unknown".into());
        }
    }
    Ok(())
}

/// MAP-10: what JavaScript trims.
fn is_white(letter: char) -> bool {
    matches!(letter, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// MAP-9: a drive, or the scheme of a URL.
fn looks_otherwise(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '.' | '-'))
}

fn under(base: &str, rest: &str) -> String {
    if base == "/" && !rest.is_empty() { rest.to_string() } else { format!("{base}{rest}") }
}

/// MAP-12
fn glob_base(pattern: &str) -> Result<String, NotMapped> {
    if pattern.len() > TEXT_BYTES {
        return Err("limit".into());
    }
    let segments: Vec<&str> = pattern.split('/').collect();
    let is_front = |(index, segment): &(usize, &&str)| {
        let magic = ['*', '?', '[', ']', '{', '}', '(', ')', '!', '@', '+', '|', ',', '\\'];
        if segment.is_empty() { *index == 0 } else { !segment.contains(magic) }
    };
    let front = segments.iter().enumerate().take_while(is_front).count();
    let behind = &segments[front..];
    if pattern.is_empty() || pattern.contains('\0') || behind.iter().any(|segment| !is_wild(segment)) {
        return Err("glob-reach".into());
    }
    let base = segments[..front].join("/");
    Ok(if base.is_empty() && pattern.starts_with('/') { "/".to_string() } else { base })
}

/// Text without brackets, or a star in front of text and flat groups in braces.
fn is_wild(segment: &str) -> bool {
    if matches!(segment, "" | "." | "..") || segment.contains(['[', ']', '(', ')', '\\']) {
        return false;
    }
    if !segment.contains(['{', '}']) {
        return true;
    }
    let mut is_open = false;
    for letter in segment.chars() {
        match letter {
            '{' if is_open => return false,
            '}' if !is_open => return false,
            '{' | '}' => is_open = !is_open,
            _ => {}
        }
    }
    segment.starts_with('*') && !is_open
}

/// MAP-13
fn host_and_port(url: &str) -> Result<(String, u32), NotMapped> {
    if url.len() > TEXT_BYTES {
        return Err("limit".into());
    }
    let (host, port) = parts_of(url).ok_or("url-syntax")?;
    Ok((canonical_host(host)?.to_string(), port))
}

fn parts_of(url: &str) -> Option<(&str, u32)> {
    if url.contains(|letter: char| matches!(letter, '\0'..=' ' | '\x7f' | '\\')) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let default = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        _ => return None,
    };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let (host, port) = if authority.starts_with('[') {
        let end = authority.find(']')? + 1;
        (&authority[..end], &authority[end..])
    } else {
        authority.split_at(authority.find(':').unwrap_or(authority.len()))
    };
    let is_inside = |letter: char| letter.is_ascii_hexdigit() || matches!(letter, ':' | '.');
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let good = match host.strip_prefix('[').and_then(|inside| inside.strip_suffix(']')) {
        Some(inside) => !inside.is_empty() && inside.chars().all(is_inside),
        None => !host.is_empty() && host.chars().all(is_name),
    };
    if !good {
        return None;
    }
    if port.is_empty() {
        return Some((host, default));
    }
    let digits = port.strip_prefix(':')?;
    let is_plain = !digits.starts_with('0') && digits.len() <= 5 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number: u32 = digits.parse().ok().filter(|_| is_plain)?;
    (number <= 65_535).then_some((host, number))
}
