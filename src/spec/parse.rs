//! From text to [`AgentSpec`]. May not read a file and may not guess: a wrong type or (in a built-in) an
//! unknown key is an error that names the key by its path.
//!
//! One shape table serves both sources, so a built-in printed as an external's `info` means the same.

use super::AgentSpec;
use super::{check, shape};
use crate::doc::json::strictness;
use crate::error::Error;
use jsonc_parser::CollectOptions;
use jsonc_parser::ast;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Longest text that is read, in bytes: ten times the largest planner that makes sense.
pub const MAX_TEXT: usize = 1 << 20;

/// Where a planner comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `planners/<agent>/planner.jsonc`: comments and trailing commas allowed, unknown keys refused.
    BuiltIn,
    /// The `info` of an external adapter: strict JSON, unknown keys ignored.
    External,
}

/// Reads and checks one planner. Errors have the code `planner` and name the key (`install.entries.PreToolUse[0].timeout`);
/// for a built-in they also have line and column.
pub fn parse(text: &str, source: Source) -> Result<AgentSpec, Error> {
    if text.len() > MAX_TEXT {
        return Err(planner_error(format!(
            "the planner is {} bytes long, more than {MAX_TEXT}",
            text.len()
        )));
    }
    if source == Source::External {
        serde_json::from_str::<Value>(text).map_err(|e| planner_error(format!("not JSON: {e}")))?;
    }
    let parsed = jsonc_parser::parse_to_ast(
        text,
        &CollectOptions::default(),
        &strictness(source == Source::BuiltIn),
    )
    .map_err(|e| {
        planner_error(format!("not JSON: {}", e.kind()))
            .position(e.line_display(), e.column_display())
    })?;
    let Some(tree) = parsed.value else {
        return Err(planner_error("not JSON: the text is empty"));
    };
    let refuse = |bad: Bad| located(bad, text, &tree, source);
    let value = convert(&tree, &mut Vec::new()).map_err(refuse)?;
    shape::check(&value, source).map_err(refuse)?;
    let spec: AgentSpec = serde_json::from_value(value)
        .map_err(|e| planner_error(format!("the planner can't be read: {e}")))?;
    check::check(&spec).map_err(refuse)?;
    Ok(spec)
}

/// One step of the way to a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Into an object.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// What is wrong, and at which key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// From the top of the planner.
    pub path: Vec<Step>,
    /// One clause that follows the key's name: `is an absolute path`.
    pub message: String,
}

/// A path as people write it: `install.entries.PreToolUse[0].timeout`; a name with odd characters as `["…"]`.
pub fn show_path(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Index(i) => {
                let _ = write!(out, "[{i}]");
            }
            Step::Key(k) if plain(k) && out.is_empty() => out.push_str(k),
            Step::Key(k) if plain(k) => {
                let _ = write!(out, ".{k}");
            }
            Step::Key(k) => {
                let _ = write!(out, "[{}]", Value::from(k.as_str()));
            }
        }
    }
    if out.is_empty() {
        out.push_str("the planner");
    }
    out
}

fn plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'))
}

fn planner_error(message: impl Into<String>) -> Error {
    Error::refused("planner", message).help("gitvow generate schema planner")
}

fn located(bad: Bad, text: &str, tree: &ast::Value<'_>, source: Source) -> Error {
    let error = planner_error(format!("`{}` {}", show_path(&bad.path), bad.message));
    if source == Source::External {
        return error;
    }
    let before = text.get(..offset(tree, &bad.path)).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    error.position(line, column)
}

/// Where the deepest part of `path` that exists begins: a member at its key, an element at its value.
fn offset(tree: &ast::Value<'_>, path: &[Step]) -> usize {
    use jsonc_parser::common::Ranged;
    let mut node = tree;
    let mut at = node.range().start;
    for step in path {
        let next = match (step, node) {
            (Step::Key(k), ast::Value::Object(o)) => o
                .properties
                .iter()
                .rev()
                .find(|p| p.name.as_str() == k)
                .map(|p| (p.range.start, &p.value)),
            (Step::Index(i), ast::Value::Array(a)) => {
                a.elements.get(*i).map(|v| (v.range().start, v))
            }
            _ => None,
        };
        let Some((start, value)) = next else { break };
        at = start;
        node = value;
    }
    at
}

/// The tree as plain data. A key that stands twice is refused: readers disagree on which one counts.
fn convert(node: &ast::Value<'_>, path: &mut Vec<Step>) -> Result<Value, Bad> {
    Ok(match node {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(b) => Value::Bool(b.value),
        ast::Value::StringLit(s) => Value::String(s.value.clone().into_owned()),
        ast::Value::NumberLit(n) => serde_json::from_str(n.value).map_err(|_| Bad {
            path: path.clone(),
            message: format!("is no number that can be kept: {}", n.value),
        })?,
        ast::Value::Array(a) => {
            let mut out = Vec::with_capacity(a.elements.len());
            for (i, element) in a.elements.iter().enumerate() {
                path.push(Step::Index(i));
                out.push(convert(element, path)?);
                path.pop();
            }
            Value::Array(out)
        }
        ast::Value::Object(o) => {
            let mut out = Map::new();
            for member in &o.properties {
                let key = member.name.as_str().to_owned();
                path.push(Step::Key(key.clone()));
                if out.contains_key(&key) {
                    return Err(Bad {
                        path: path.clone(),
                        message: "stands twice".to_owned(),
                    });
                }
                out.insert(key, convert(&member.value, path)?);
                path.pop();
            }
            Value::Object(out)
        }
    })
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
