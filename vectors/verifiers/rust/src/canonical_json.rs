//! Digest chapter, "Arguments and mappings": the RFC 8785 form and the digests over it.

use crate::bytes::hash_text;
use crate::digest::field;
use crate::door::GREATEST_INTEGER;
use crate::json::{Node, Text, Value};

const ARGS_BYTES: usize = 16 << 20;

/// DIG-8 to DIG-11: the form of a value, or the code with which it has none.
pub fn form(node: &Node) -> Result<String, &'static str> {
    let mut out = String::new();
    write(&mut out, node)?;
    if out.len() > ARGS_BYTES { Err("limit") } else { Ok(out) }
}

fn write(out: &mut String, node: &Node) -> Result<(), &'static str> {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(written) => out.push_str(&number(written)?),
        Value::Text(text) => string(out, text)?,
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // by UTF-16 code units; `str` is ordered by bytes
            members.sort_by_key(|member| member.key.lossy().encode_utf16().collect::<Vec<_>>());
            out.push('{');
            for (index, member) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(out, &member.key)?;
                out.push(':');
                write(out, &member.node)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn string(out: &mut String, text: &Text) -> Result<(), &'static str> {
    out.push('"');
    for letter in text.good().ok_or("lone-surrogate")?.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out.push('"');
    Ok(())
}

/// DIG-9, then Number::toString of ECMA-262 over the shortest digits.
fn number(written: &str) -> Result<String, &'static str> {
    let value: f64 = written.parse().map_err(|_| "syntax")?;
    if !value.is_finite() {
        return Err("not-plain-data");
    }
    if value.trunc() == value && value.abs() > GREATEST_INTEGER as f64 {
        return Err("bad-integer");
    }
    if value == 0.0 {
        return Ok("0".to_string());
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').ok_or("syntax")?;
    let exponent: i32 = exponent.parse().map_err(|_| "syntax")?;
    let digits = mantissa.replace('.', "");
    let count = digits.len() as i32;
    let point = exponent + 1;
    let zeros = |count: i32| "0".repeat(count as usize);
    let sign = if value < 0.0 { "-" } else { "" };
    Ok(match point {
        _ if count <= point && point <= 21 => format!("{sign}{digits}{}", zeros(point - count)),
        1..=21 => format!("{sign}{}.{}", &digits[..point as usize], &digits[point as usize..]),
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        _ => {
            let fraction = if count > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            let plus = if exponent < 0 { "" } else { "+" };
            format!("{sign}{}{fraction}e{plus}{exponent}", &digits[..1])
        }
    })
}

/// DIG-10
pub fn args_digest(form: &str, salt: &str) -> String {
    let mut out = vec![];
    for text in ["ruleprint/args-digest/1", salt, form] {
        field(&mut out, text);
    }
    hash_text(&out)
}

/// DIG-12: over one table, or over the list of several in the order of their servers, the one without a server first.
pub fn mapping_digest(tables: &[Node]) -> Result<String, &'static str> {
    let mut ordered: Vec<&Node> = tables.iter().collect();
    ordered.sort_by_key(|table| table.get("server").and_then(Node::as_text));
    let whole = match ordered.as_slice() {
        [one] => form(one)?,
        several => form(&Node::list(several.iter().map(|table| (*table).clone())))?,
    };
    let mut out = vec![];
    field(&mut out, "ruleprint/mapping-digest/1");
    field(&mut out, &whole);
    Ok(hash_text(&out))
}
