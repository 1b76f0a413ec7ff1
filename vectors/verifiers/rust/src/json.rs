//! Policy chapter, "One strict door": a reader of JSON text that keeps every place, every number as it is written, and
//! every string by its code units, since an escape may stand for half a character (POL-4, POL-7, POL-11 to POL-13, POL-17).

use std::collections::HashSet;

/// A string of a document. `Broken` holds the UTF-16 code units of what is no well-formed Unicode (POL-7).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    Good(String),
    Broken(Vec<u16>),
}

impl Text {
    pub fn from_units(units: Vec<u16>) -> Text {
        match String::from_utf16(&units) {
            Ok(text) => Text::Good(text),
            Err(_) => Text::Broken(units),
        }
    }

    pub fn good(&self) -> Option<&str> {
        match self {
            Text::Good(text) => Some(text),
            Text::Broken(_) => None,
        }
    }

    pub fn lossy(&self) -> String {
        match self {
            Text::Good(text) => text.clone(),
            Text::Broken(units) => String::from_utf16_lossy(units),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub at: usize,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Number(String),
    Text(Text),
    List(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Clone, Debug)]
pub struct Member {
    pub key: Text,
    pub at: usize,
    pub node: Node,
}

/// A refusal and its place: `at` is a byte offset in the document, turned into line and column by `position`.
#[derive(Clone, Debug)]
pub struct Problem {
    pub code: &'static str,
    pub pointer: Option<String>,
    pub at: Option<usize>,
    pub canonical: Option<String>,
}

impl Problem {
    pub fn new(code: &'static str, pointer: &str, at: usize) -> Problem {
        Problem { code, pointer: Some(pointer.to_string()), at: Some(at), canonical: None }
    }
}

/// What was read: the tree without second and forbidden keys, and a problem for each of those.
pub struct Document {
    pub root: Node,
    pub problems: Vec<Problem>,
}

/// Reads JSON text. What ends the reading (`utf8`, `syntax`, the nesting `limit`) is reported alone.
pub fn read(bytes: &[u8], depth_limit: usize) -> Result<Document, Problem> {
    let alone = |code, at| Problem { code, pointer: None, at: Some(at), canonical: None };
    let text = std::str::from_utf8(bytes).map_err(|error| alone("utf8", error.valid_up_to()))?; // POL-11
    let mut reader =
        Reader { bytes: text.as_bytes(), text, at: 0, depth: 0, depth_limit, path: vec![], problems: vec![] };
    reader.blanks(); // a byte order mark is no blank, so it is `syntax`
    let root = reader.value()?;
    reader.blanks();
    if reader.at < bytes.len() {
        return Err(reader.syntax());
    }
    Ok(Document { root, problems: reader.problems })
}

/// Line and column from 1, columns and offset in UTF-16 code units (POL-17). A line ends at LF, CR or both.
pub fn position(text: &str, at: usize) -> (usize, usize, usize) {
    let (mut line, mut column, mut offset) = (1, 1, 0);
    let mut after_return = false;
    for (index, letter) in text.char_indices() {
        if index >= at {
            break;
        }
        offset += letter.len_utf16();
        column += letter.len_utf16();
        if letter == '\r' || letter == '\n' {
            line += usize::from(!(letter == '\n' && after_return));
            column = 1;
        }
        after_return = letter == '\r';
    }
    (line, column, offset)
}

/// RFC 6901
pub fn pointer_step(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    depth: usize,
    depth_limit: usize,
    path: Vec<String>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn pointer(&self) -> String {
        self.path.iter().fold(String::new(), |pointer, step| pointer_step(&pointer, step))
    }

    fn syntax(&self) -> Problem {
        Problem { code: "syntax", pointer: None, at: Some(self.at), canonical: None }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Result<(), Problem> {
        if self.peek() != Some(byte) {
            return Err(self.syntax());
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self) -> Result<Node, Problem> {
        let at = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => {
                let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
                let found = words.into_iter().find(|(word, _)| self.text[at..].starts_with(word));
                let (word, value) = found.ok_or_else(|| self.syntax())?;
                self.at += word.len();
                value
            }
        };
        Ok(Node { at, value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Problem>) -> Result<Value, Problem> {
        if self.depth == self.depth_limit {
            return Err(Problem::new("limit", &self.pointer(), self.at)); // nesting, the outermost counted
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Value, Problem> {
        let mut items = vec![];
        self.blanks();
        while self.peek() != Some(b']') {
            if !items.is_empty() {
                self.take(b',')?;
                self.blanks();
            }
            self.path.push(items.len().to_string());
            items.push(self.value()?);
            self.path.pop();
            self.blanks();
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    fn object(&mut self) -> Result<Value, Problem> {
        let mut members = vec![];
        let mut seen = HashSet::new();
        let mut first = true;
        self.blanks();
        while self.peek() != Some(b'}') {
            if !first {
                self.take(b',')?;
                self.blanks();
            }
            first = false;
            let at = self.at;
            let key = self.string()?;
            self.path.push(key.lossy());
            let forbidden = key == Text::Good("__proto__".into());
            let second = !seen.insert(key.clone());
            if forbidden {
                self.problems.push(Problem::new("forbidden-key", &self.pointer(), at)); // POL-13
            } else if second {
                self.problems.push(Problem::new("duplicate-key", &self.pointer(), at)); // POL-12
            }
            self.blanks();
            self.take(b':')?;
            self.blanks();
            let node = self.value()?;
            self.path.pop();
            if !forbidden && !second {
                members.push(Member { key, at, node });
            }
            self.blanks();
        }
        self.at += 1;
        Ok(Value::Object(members))
    }

    fn string(&mut self) -> Result<Text, Problem> {
        self.take(b'"')?;
        let mut units = vec![];
        loop {
            let letter = self.text[self.at..].chars().next().ok_or_else(|| self.syntax())?;
            match letter {
                '"' => break,
                '\\' => units.push(self.escape()?),
                '\0'..='\x1f' => return Err(self.syntax()),
                _ => {
                    units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
                    self.at += letter.len_utf8();
                }
            }
        }
        self.at += 1;
        Ok(Text::from_units(units))
    }

    fn escape(&mut self) -> Result<u16, Problem> {
        self.at += 1;
        let unit = match self.peek() {
            Some(letter @ (b'"' | b'\\' | b'/')) => letter.into(),
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => 10,
            Some(b'r') => 13,
            Some(b't') => 9,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or_else(|| self.syntax())?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(self.syntax());
                }
                self.at += 4;
                digits.iter().fold(0, |unit, digit| unit << 4 | (*digit as char).to_digit(16).unwrap() as u16)
            }
            _ => return Err(self.syntax()),
        };
        self.at += 1;
        Ok(unit)
    }

    fn digits(&mut self) -> Result<(), Problem> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.syntax());
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::Number(self.text[start..self.at].to_string()))
    }
}

impl Node {
    pub fn new(value: Value) -> Node {
        Node { at: 0, value }
    }

    pub fn text(text: &str) -> Node {
        Node::new(Value::Text(Text::Good(text.to_string())))
    }

    pub fn number(number: impl std::fmt::Display) -> Node {
        Node::new(Value::Number(number.to_string()))
    }

    pub fn list(items: impl IntoIterator<Item = Node>) -> Node {
        Node::new(Value::List(items.into_iter().collect()))
    }

    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Node)>) -> Node {
        let member = |(key, node): (&str, Node)| Member { key: Text::Good(key.into()), at: 0, node };
        Node::new(Value::Object(members.into_iter().map(member).collect()))
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Object(members) = &self.value else { return None };
        members.iter().find(|member| member.key.good() == Some(key)).map(|member| &member.node)
    }

    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => text.good(),
            _ => None,
        }
    }

    pub fn as_integer(&self) -> Option<i64> {
        match &self.value {
            Value::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// The same value: places and the order of keys aside.
    pub fn same(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Value::Object(a), Value::Object(b)) => {
                let found =
                    |member: &Member| b.iter().any(|other| other.key == member.key && other.node.same(&member.node));
                a.len() == b.len() && a.iter().all(found)
            }
            _ => false,
        }
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |text: &Text| {
            let mut out = String::from("\"");
            for letter in text.lossy().chars() {
                match letter {
                    '"' | '\\' => out.extend(['\\', letter]),
                    '\0'..='\x1f' | '\x7f'..='\u{9f}' => out.push_str(&format!("\\u{:04x}", letter as u32)),
                    _ => out.push(letter),
                }
            }
            out + "\""
        };
        match &self.value {
            Value::Null => write!(f, "null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{}", quoted(text)),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Node::to_string).collect();
                write!(f, "[{}]", items.join(","))
            }
            Value::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|member| format!("{}:{}", quoted(&member.key), member.node)).collect();
                write!(f, "{{{}}}", members.join(","))
            }
        }
    }
}
