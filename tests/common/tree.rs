//! Oracles for what a document says, sharing no code with the engine: trees by `jsonc-parser` (strict options) and
//! `toml_edit`, tokens and comments by a small lexer of its own.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;

/// A value; numbers as they are spelt, members in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

impl Tree {
    pub fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value as V;
        match value {
            V::Null => Self::Null,
            V::Bool(b) => Self::Bool(*b),
            V::Number(n) => Self::Number(n.to_string()),
            V::String(s) => Self::Text(s.clone()),
            V::Array(l) => Self::List(l.iter().map(Self::of).collect()),
            V::Object(m) => Self::Map(m.iter().map(|(k, v)| (k.clone(), Self::of(v))).collect()),
        }
    }

    /// Members sorted: order doesn't matter any more.
    pub fn sorted(&self) -> Self {
        match self {
            Self::List(l) => Self::List(l.iter().map(Self::sorted).collect()),
            Self::Map(m) => {
                let mut m: Vec<_> = m.iter().map(|(k, v)| (k.clone(), v.sorted())).collect();
                m.sort();
                Self::Map(m)
            }
            other => other.clone(),
        }
    }

    pub fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |at, key| match at {
            Self::Map(m) => m.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        })
    }

    pub fn at_mut(&mut self, path: &[String]) -> Option<&mut Self> {
        path.iter().try_fold(self, |at, key| match at {
            Self::Map(m) => m.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        })
    }

    /// How many elements of the list at `path` say `value`.
    pub fn count(&self, path: &[String], value: &Self) -> usize {
        let value = value.sorted();
        match self.at(path) {
            Some(Self::List(l)) => l.iter().filter(|v| v.sorted() == value).count(),
            _ => 0,
        }
    }

    /// Takes the last element that says `value` out of the list at `path`.
    pub fn remove(&mut self, path: &[String], value: &Self) -> bool {
        let value = value.sorted();
        if let Some(Self::List(l)) = self.at_mut(path)
            && let Some(at) = l.iter().rposition(|v| v.sorted() == value)
        {
            l.remove(at);
            return true;
        }
        false
    }

    /// Takes the member at `path` out if it holds nothing.
    pub fn drop_empty(&mut self, path: &[String]) {
        let Some((last, parents)) = path.split_last() else {
            return;
        };
        if let Some(Self::Map(m)) = self.at_mut(parents) {
            let empty = |v: &Self| match v {
                Self::List(l) => l.is_empty(),
                Self::Map(m) => m.is_empty(),
                _ => false,
            };
            m.retain(|(k, v)| k != last || !empty(v));
        }
    }

    /// As JSON: decoded, `unit` wide (`None`: on one line), members reversed when `reverse`.
    pub fn print(&self, out: &mut String, unit: Option<usize>, depth: usize, reverse: bool) {
        let line = |out: &mut String, depth: usize| {
            if let Some(unit) = unit {
                out.push('\n');
                out.push_str(&" ".repeat(unit * depth));
            }
        };
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(b) => out.push_str(&b.to_string()),
            Self::Number(n) => out.push_str(n),
            Self::Text(t) => out.push_str(&serde_json::Value::from(t.as_str()).to_string()),
            Self::List(l) => {
                out.push('[');
                for (i, v) in l.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    v.print(out, unit, depth + 1, reverse);
                }
                if !l.is_empty() {
                    line(out, depth);
                }
                out.push(']');
            }
            Self::Map(m) => {
                out.push('{');
                for i in 0..m.len() {
                    let (k, v) = if reverse { &m[m.len() - 1 - i] } else { &m[i] };
                    if i > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    out.push_str(&serde_json::Value::from(k.as_str()).to_string());
                    out.push_str(if unit.is_some() { ": " } else { ":" });
                    v.print(out, unit, depth + 1, reverse);
                }
                if !m.is_empty() {
                    line(out, depth);
                }
                out.push('}');
            }
        }
    }
}

/// Comments and trailing commas, and nothing looser.
pub fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// What a JSON text says; `None` inside for a text without a value. The generator's one lone surrogate is read as
/// U+FFFD: `jsonc-parser` can't decode it.
pub fn json_tree(text: &str) -> Result<Option<Tree>, String> {
    fn of(value: &ast::Value<'_>) -> Tree {
        match value {
            ast::Value::NullKeyword(_) => Tree::Null,
            ast::Value::BooleanLit(b) => Tree::Bool(b.value),
            ast::Value::NumberLit(n) => Tree::Number(n.value.to_owned()),
            ast::Value::StringLit(s) => Tree::Text(s.value.to_string()),
            ast::Value::Array(a) => Tree::List(a.elements.iter().map(of).collect()),
            ast::Value::Object(o) => Tree::Map(
                o.properties
                    .iter()
                    .map(|p| (p.name.as_str().to_owned(), of(&p.value)))
                    .collect(),
            ),
        }
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\"\\ud800\"", "\"\\uFFFD\"");
    let result =
        parse_to_ast(&text, &CollectOptions::default(), &strict()).map_err(|e| e.to_string())?;
    Ok(result.value.as_ref().map(of))
}

/// What a TOML text says; tables and dotted keys alike, members sorted.
pub fn toml_tree(text: &str) -> Result<Option<Tree>, String> {
    use toml_edit::{Item, Value};
    fn value(v: &Value) -> Tree {
        match v {
            Value::String(s) => Tree::Text(s.value().clone()),
            Value::Integer(n) => Tree::Number(n.value().to_string()),
            Value::Float(n) => Tree::Number(format!("{:?}", n.value())),
            Value::Boolean(b) => Tree::Bool(*b.value()),
            Value::Datetime(d) => Tree::Text(d.value().to_string()),
            Value::Array(a) => Tree::List(a.iter().map(value).collect()),
            Value::InlineTable(t) => {
                Tree::Map(t.iter().map(|(k, v)| (k.to_owned(), value(v))).collect())
            }
        }
    }
    fn table(t: &toml_edit::Table) -> Tree {
        Tree::Map(t.iter().map(|(k, v)| (k.to_owned(), item(v))).collect())
    }
    fn item(i: &Item) -> Tree {
        match i {
            Item::None => Tree::Null,
            Item::Value(v) => value(v),
            Item::Table(t) => table(t),
            Item::ArrayOfTables(a) => Tree::List(a.iter().map(table).collect()),
        }
    }
    let document: toml_edit::DocumentMut = text
        .parse()
        .map_err(|e: toml_edit::TomlError| e.to_string())?;
    Ok(Some(table(document.as_table()).sorted()))
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Open(u8),
    Close,
    Colon,
    Comma,
    Text,
    Word,
    LineComment,
    BlockComment,
}

/// A token of JSON or a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// The tokens of a grammatical text.
pub fn json_tokens(text: &str) -> Vec<Token> {
    let b = text.as_bytes();
    let mut i = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut out = Vec::new();
    while i < b.len() {
        let start = i;
        let kind = match b[i] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                i += 1;
                continue;
            }
            c @ (b'{' | b'[') => Kind::Open(c),
            b'}' | b']' => Kind::Close,
            b':' => Kind::Colon,
            b',' => Kind::Comma,
            b'"' => {
                i += 1;
                while b[i] != b'"' {
                    i += if b[i] == b'\\' { 2 } else { 1 };
                }
                Kind::Text
            }
            b'/' if b[i + 1] == b'/' => {
                while i < b.len() && b[i] != b'\n' && b[i] != b'\r' {
                    i += 1;
                }
                i -= 1;
                Kind::LineComment
            }
            b'/' => {
                i += 2;
                while &b[i..i + 2] != b"*/" {
                    i += 1;
                }
                i += 1;
                Kind::BlockComment
            }
            _ => {
                while i < b.len() && !b" \t\r\n,:[]{}\"/".contains(&b[i]) {
                    i += 1;
                }
                i -= 1;
                Kind::Word
            }
        };
        i += 1;
        out.push(Token {
            kind,
            range: start..i,
        });
    }
    out
}

/// Comments, sorted: a multiset.
pub fn json_comments(text: &str) -> Vec<String> {
    let is = |t: &Token| matches!(t.kind, Kind::LineComment | Kind::BlockComment);
    let tokens = json_tokens(text).into_iter().filter(is);
    let mut all: Vec<String> = tokens.map(|t| text[t.range].to_owned()).collect();
    all.sort();
    all
}

/// Comments of a TOML text, sorted.
pub fn toml_comments(text: &str) -> Vec<String> {
    let mut rest = text;
    let mut out = Vec::new();
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '#' => {
                let end = rest.find('\n').unwrap_or(rest.len());
                out.push(rest[..end].trim_end_matches('\r').to_owned());
                end
            }
            '"' | '\'' => toml_string(rest),
            _ => c.len_utf8(),
        };
        rest = &rest[len..];
    }
    out.sort();
    out
}

/// Length of the string that a text begins with.
pub fn toml_string(text: &str) -> usize {
    let quote = &text[..1];
    let triple = quote.repeat(3);
    let (open, close) = if text.starts_with(&triple) {
        (3, triple.as_str())
    } else {
        (1, quote)
    };
    let mut i = open;
    loop {
        if text[i..].starts_with(close) {
            i += close.len();
            // Up to two quotes may stand right before the closing three.
            while close.len() == 3 && text[i..].starts_with(quote) {
                i += 1;
            }
            return i;
        }
        let c = text[i..].chars().next().expect("a closed string");
        i += c.len_utf8();
        if c == '\\' && quote == "\"" {
            i += text[i..]
                .chars()
                .next()
                .expect("an escaped character")
                .len_utf8();
        }
    }
}
