//! Proofs that an edit did what it says. May not repair anything: what can't be shown is refused as `unproven`.
//!
//! For every text: both readers accept the result, and the token sequences, comments included, differ by exactly the edit.
//! Up to 1 MiB the trees that `toml_edit` reads are compared too (0.25.20 reads about 12 MB/s, facts/engine.md 1.3).

use super::lists::{self, List, Place};
use super::marks::Mark;
use super::strict::{Token, Tokens};
use super::{TomlDoc, read};
use crate::doc::{Addition, Element, Fault, Splice, apply};
use serde_json::{Map, Value};
use std::ops::Range;
use toml_edit::{Document, Item, Table};

/// Larger texts are proven by tokens alone.
const TREES: usize = 1 << 20;

/// A step from the top of a document to a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// A member.
    Key(String),
    /// An element.
    Index(usize),
}

/// A node that an edit takes out.
#[derive(Debug)]
pub(super) struct Removed {
    /// The way to it.
    pub path: Vec<Step>,
    /// It is a block, so its array of tables and this many implicit tables around that go when they get empty.
    pub prune: Option<usize>,
}

/// Proves an insertion.
pub(super) fn insertion(
    doc: &TomlDoc<'_>,
    splices: &[Splice],
    additions: &[Addition],
    version: Option<&str>,
) -> Result<(), Fault> {
    let text = doc.scan.text;
    let new = apply(text, splices);
    let mut inserted = Vec::with_capacity(splices.len());
    let mut grown = 0;
    for splice in splices {
        let start = splice.range.start + grown;
        inserted.push(start..start + splice.text.len());
        grown += splice.text.len();
    }
    let (scan, tokens) = read(&new).map_err(spoilt)?;
    same_tokens((&new, &tokens, &inserted), (text, &doc.tokens, &[]))?;
    if without(&new, &inserted) != text {
        return Err(unproven("the insertions don't come out again"));
    }
    for (i, addition) in additions.iter().enumerate() {
        let behind = additions
            .iter()
            .skip(i + 1)
            .filter(|a| a.path == addition.path)
            .count();
        let last = found(&scan, &addition.path)
            .into_iter()
            .find(|e| e.behind == behind);
        if last.is_none_or(|e| e.value != addition.value) {
            return Err(unproven("an entry doesn't read back as it was meant"));
        }
    }
    if new.len() > TREES {
        return Ok(());
    }
    let mut expected = tree(text)?;
    for addition in additions {
        let list = slot(&mut expected, &addition.path);
        match list {
            Some(list @ Value::Null) => *list = Value::Array(vec![addition.value.clone()]),
            Some(Value::Array(items)) => items.push(addition.value.clone()),
            _ => return Err(unproven("a list isn't where it should be")),
        }
    }
    if let (Some(key), Value::Object(map)) = (version, &mut expected) {
        map.insert(key.to_owned(), Value::from(1));
    }
    same_tree(&expected, &new)
}

/// Proves a cut; gives nothing back but its rightness.
pub(super) fn removal(
    doc: &TomlDoc<'_>,
    ranges: &[Range<usize>],
    spans: &[Range<usize>],
    mut nodes: Vec<Removed>,
) -> Result<(), Fault> {
    let text = doc.scan.text;
    let new = without(text, ranges);
    let (_, tokens) = read(&new).map_err(spoilt)?;
    let dropped = same_tokens((text, &doc.tokens, ranges), (&new, &tokens, &[]))?;
    for token in dropped {
        let at = token.start as usize;
        if !spans.iter().any(|s| s.contains(&at)) && token.mark != Mark::Comma {
            return Err(unproven("more than the entry would go"));
        }
    }
    if text.len() > TREES {
        return Ok(());
    }
    let mut expected = tree(text)?;
    nodes.sort_by(|a, b| b.path.cmp(&a.path));
    for node in &nodes {
        remove(&mut expected, node)
            .ok_or_else(|| unproven("an entry to take out is not where it was"))?;
    }
    same_tree(&expected, &new)
}

/// Proves a replacement.
pub(super) fn replacement(
    doc: &TomlDoc<'_>,
    element: &Element,
    value: &Value,
    splice: &Splice,
) -> Result<(), Fault> {
    let text = doc.scan.text;
    let new = apply(text, std::slice::from_ref(splice));
    let (scan, tokens) = read(&new).map_err(spoilt)?;
    let start = splice.range.start;
    let fresh = start..start + splice.text.len();
    same_tokens(
        (&new, &tokens, std::slice::from_ref(&fresh)),
        (text, &doc.tokens, std::slice::from_ref(&splice.range)),
    )?;
    let place = match scan.block_with(&fresh) {
        Some(item) => Some(super::value::of_node(&scan, item)),
        None => scan
            .value_at(start)
            .filter(|v| v.span == fresh)
            .map(|v| super::value::of(&new, &v)),
    };
    if place.as_ref() != Some(value) {
        return Err(unproven("the new entry doesn't read back as it was meant"));
    }
    let list = found(&scan, &element.path);
    let same_place = list
        .iter()
        .any(|e| e.index == element.index && e.span == fresh);
    // A handler's path runs through a list; then the tokens around it say enough.
    if !list.is_empty() && !same_place {
        return Err(unproven("the new entry stands elsewhere"));
    }
    Ok(())
}

fn found(scan: &super::Scan<'_>, path: &[String]) -> Vec<Element> {
    let place = match lists::find(scan, path) {
        lists::Found::Blocks(id) => Place::Blocks(id),
        lists::Found::Value { val, .. } => Place::Array(val),
        _ => return Vec::new(),
    };
    let path = path.to_vec();
    lists::elements(scan, &List { path, place })
}

/// A text less ranges (ascending, not overlapping).
pub(super) fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

type Side<'s> = (&'s str, &'s Tokens, &'s [Range<usize>]);

/// Are the tokens outside the ranges the same? Gives those of the first text that lie inside its ranges.
fn same_tokens<'s>(one: Side<'s>, two: Side<'s>) -> Result<Vec<&'s Token>, Fault> {
    let mut dropped = Vec::new();
    let mut ignored = Vec::new();
    let mut left = Outside::new(one);
    let mut right = Outside::new(two);
    loop {
        match (left.next(&mut dropped)?, right.next(&mut ignored)?) {
            (None, None) => return Ok(dropped),
            (Some(a), Some(b)) if a == b => {}
            _ => return Err(unproven("the rest of the text would change")),
        }
    }
}

struct Outside<'s> {
    text: &'s str,
    tokens: std::slice::Iter<'s, Token>,
    ranges: std::iter::Peekable<std::slice::Iter<'s, Range<usize>>>,
}

impl<'s> Outside<'s> {
    fn new((text, tokens, ranges): Side<'s>) -> Self {
        Self {
            text,
            tokens: tokens.list.iter(),
            ranges: ranges.iter().peekable(),
        }
    }

    fn next(&mut self, inside: &mut Vec<&'s Token>) -> Result<Option<(Mark, &'s str)>, Fault> {
        for token in self.tokens.by_ref() {
            let (start, end) = (token.start as usize, token.end as usize);
            while self.ranges.peek().is_some_and(|r| r.end <= start) {
                self.ranges.next();
            }
            match self.ranges.peek() {
                Some(r) if r.start < end => {
                    if start < r.start || end > r.end {
                        return Err(unproven("an edit would cut through a token"));
                    }
                    inside.push(token);
                }
                _ => {
                    let text = self.text.get(start..end).unwrap_or_default();
                    return Ok(Some((token.mark, text)));
                }
            }
        }
        Ok(None)
    }
}

fn same_tree(expected: &Value, new: &str) -> Result<(), Fault> {
    if *expected == tree(new)? {
        Ok(())
    } else {
        Err(unproven("the document would say something else"))
    }
}

/// The member at a path, made where it is missing.
fn slot<'v>(mut value: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    for key in path {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        value = value
            .as_object_mut()?
            .entry(key.as_str())
            .or_insert(Value::Null);
    }
    Some(value)
}

fn step<'v>(value: &'v mut Value, step: &Step) -> Option<&'v mut Value> {
    match (value, step) {
        (Value::Object(map), Step::Key(key)) => map.get_mut(key),
        (Value::Array(items), Step::Index(i)) => items.get_mut(*i),
        _ => None,
    }
}

fn walk<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, step)
}

/// Takes a node out of a tree.
fn remove(tree: &mut Value, node: &Removed) -> Option<()> {
    let (last, parents) = node.path.split_last()?;
    match (walk(tree, parents)?, last) {
        (Value::Object(map), Step::Key(key)) => {
            map.shift_remove(key)?;
        }
        (Value::Array(items), Step::Index(i)) if *i < items.len() => {
            items.remove(*i);
        }
        _ => return None,
    }
    let Some(implicit) = node.prune else {
        return Some(());
    };
    let mut path = parents;
    for _ in 0..=implicit {
        let empty = match walk(tree, path)? {
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        let (last, parents) = path.split_last()?;
        if let (true, Value::Object(map), Step::Key(key)) = (empty, walk(tree, parents)?, last) {
            map.shift_remove(key)?;
        } else {
            break;
        }
        path = parents;
    }
    Some(())
}

fn unproven(message: &str) -> Fault {
    Fault::whole("unproven", message)
}

/// The result of an edit is no TOML: the edit's fault, not the user's.
fn spoilt(fault: Fault) -> Fault {
    if fault.code == "duplicate-key" {
        return Fault::whole("conflict", fault.message);
    }
    Fault::whole(
        "unproven",
        format!("the result would be broken: {}", fault.message),
    )
}

/// What `toml_edit` reads; dates marked so that they don't equal strings.
fn tree(text: &str) -> Result<Value, Fault> {
    let doc = Document::parse(text).map_err(|e| Fault {
        code: "unparseable",
        message: e.message().to_owned(),
        at: e.span().map(|s| s.start),
    })?;
    Ok(of_table(doc.as_table()))
}

fn of_table(table: &Table) -> Value {
    let members = table.iter().map(|(k, v)| (k.to_owned(), of_item(v)));
    Value::Object(members.collect())
}

fn of_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => of_value(value),
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(of_table).collect(),
    }
}

fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(s) => Value::String(s.value().clone()),
        toml_edit::Value::Integer(n) => Value::from(*n.value()),
        toml_edit::Value::Float(f) => serde_json::Number::from_f64(*f.value())
            .map_or_else(|| Value::String(format!("\0{}", f.value())), Value::Number),
        toml_edit::Value::Boolean(b) => Value::Bool(*b.value()),
        toml_edit::Value::Datetime(d) => Value::String(format!("\0{}", d.value())),
        toml_edit::Value::Array(items) => items.iter().map(of_value).collect(),
        toml_edit::Value::InlineTable(table) => {
            let members = table.iter().map(|(k, v)| (k.to_owned(), of_value(v)));
            Value::Object(members.collect())
        }
    }
}
