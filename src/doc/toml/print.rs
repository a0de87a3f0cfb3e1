//! Prints *our* values as TOML 1.0. May not print anything of the user's.

use crate::doc::Fault;
use serde_json::Value;
use std::fmt::Write as _;

/// A block: `[[header]]` and one line a key, without the last newline. An element that is no object can't be a block.
pub(super) fn block(header: &str, value: &Value, newline: &str) -> Result<String, Fault> {
    let Value::Object(map) = value else {
        return Err(refuse("an array of tables holds only tables"));
    };
    let mut out = header.to_owned();
    for (key, value) in map {
        out.push_str(newline);
        write_key(&mut out, key);
        out.push_str(" = ");
        write_value(&mut out, value)?;
    }
    Ok(out)
}

/// `[[a."b c"]]`
pub(super) fn header(path: &[String]) -> String {
    let mut out = "[[".to_owned();
    for (i, key) in path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        write_key(&mut out, key);
    }
    out.push_str("]]");
    out
}

/// `key = 1`
pub(super) fn version(key: &str) -> String {
    let mut out = String::new();
    write_key(&mut out, key);
    out.push_str(" = 1");
    out
}

/// A value on one line.
pub(super) fn inline(value: &Value) -> Result<String, Fault> {
    let mut out = String::new();
    write_value(&mut out, value)?;
    Ok(out)
}

fn refuse(message: &str) -> Fault {
    Fault::whole("wrong-kind", message)
}

fn write_key(out: &mut String, key: &str) {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !key.is_empty() && key.bytes().all(bare) {
        out.push_str(key);
    } else {
        write_string(out, key);
    }
}

fn write_value(out: &mut String, value: &Value) -> Result<(), Fault> {
    match value {
        Value::Null => return Err(refuse("TOML has no null")),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) if n.is_u64() && n.as_i64().is_none() => {
            return Err(refuse("a number too large for TOML"));
        }
        Value::Number(n) => out.push_str(&n.to_string()),
        Value::String(s) => write_string(out, s),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(out, item)?;
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push_str(if map.is_empty() { "{" } else { "{ " });
            for (i, (key, value)) in map.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_key(out, key);
                out.push_str(" = ");
                write_value(out, value)?;
            }
            out.push_str(if map.is_empty() { "}" } else { " }" });
        }
    }
    Ok(())
}

/// As a literal string where that saves escapes, so that commands stay readable.
fn write_string(out: &mut String, s: &str) {
    let control = |c: char| c < ' ' || c == '\u{7f}';
    if s.contains(['"', '\\']) && !s.contains('\'') && !s.contains(control) {
        out.push('\'');
        out.push_str(s);
        out.push('\'');
        return;
    }
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if control(c) => {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
