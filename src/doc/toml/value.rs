//! What keys and values say. May not judge: escapes and numbers that are wrong were refused by the strict reader before.

use super::cursor::{Form, Val};
use super::scan::{Kind, Scan};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::ops::Range;
use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::{Raw, Span};

/// The name that a quoted key stands for.
pub(super) fn key(raw: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed("");
    raw_of(raw).decode_key(&mut out, &mut ());
    out
}

/// A value of the text as JSON; dates, infinities and not-a-number as strings.
pub(super) fn of(text: &str, val: &Val<'_>) -> Value {
    match &val.form {
        Form::Scalar => scalar(text.get(val.span.clone()).unwrap_or_default()),
        Form::Array(slots) => slots.iter().map(|s| of(text, &s.val)).collect(),
        Form::Table(entries) => {
            let mut map = Map::new();
            for (path, val) in entries {
                let mut inner = &mut map;
                let Some((last, parents)) = path.split_last() else {
                    continue;
                };
                for key in parents {
                    let next = inner
                        .entry(key.as_ref())
                        .or_insert_with(|| Value::Object(Map::new()));
                    let Value::Object(next) = next else {
                        return Value::Null;
                    };
                    inner = next;
                }
                inner.insert(last.to_string(), of(text, val));
            }
            Value::Object(map)
        }
    }
}

/// Everything under a node of the scan as JSON.
pub(super) fn of_node(scan: &Scan<'_>, id: u32) -> Value {
    match scan.kind(id) {
        Kind::Value { val, .. } => of_range(scan, val),
        Kind::Tables(items) => items.iter().map(|i| of_node(scan, *i)).collect(),
        Kind::Table { children, .. } => {
            let mut map = Map::new();
            for child in children {
                map.insert(scan.key(*child).to_owned(), of_node(scan, *child));
            }
            Value::Object(map)
        }
    }
}

fn of_range(scan: &Scan<'_>, range: &Range<usize>) -> Value {
    scan.value_at(range.start)
        .map_or(Value::Null, |v| of(scan.text, &v))
}

fn scalar(raw: &str) -> Value {
    let mut out = Cow::Borrowed("");
    match raw_of(raw).decode_scalar(&mut out, &mut ()) {
        ScalarKind::Boolean(b) => Value::Bool(b),
        ScalarKind::Integer(radix) => match i64::from_str_radix(&out, radix.value()) {
            Ok(n) => Value::from(n),
            Err(_) => Value::String(raw.to_owned()),
        },
        ScalarKind::Float => out
            .parse::<f64>()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| Value::String(raw.to_owned()), Value::Number),
        ScalarKind::String => Value::String(out.into_owned()),
        ScalarKind::DateTime => Value::String(raw.to_owned()),
    }
}

fn raw_of(raw: &str) -> Raw<'_> {
    let encoding = if raw.starts_with("\"\"\"") {
        Some(Encoding::MlBasicString)
    } else if raw.starts_with("'''") {
        Some(Encoding::MlLiteralString)
    } else if raw.starts_with('"') {
        Some(Encoding::BasicString)
    } else if raw.starts_with('\'') {
        Some(Encoding::LiteralString)
    } else {
        None
    };
    Raw::new_unchecked(raw, encoding, Span::new_unchecked(0, raw.len()))
}
