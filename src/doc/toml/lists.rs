//! From key paths to the lists of a scanned document. May not change anything.

use super::cursor::{Form, Val};
use super::scan::{Kind, ROOT, Scan};
use super::value;
use crate::doc::{Element, Root, Shape};
use serde_json::Value;
use std::ops::Range;

/// What an inline table is called in refusals.
pub(super) const INLINE: &str = "an inline table";

/// What stands at a key path.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// Nothing, and a header may define it.
    Missing,
    /// An array of tables.
    Blocks(u32),
    /// A table.
    Table(u32),
    /// A value; `inside` an inline table or not.
    Value { val: Val<'a>, inside: bool },
    /// Something that is no table stands on the way.
    Wrong {
        at: usize,
        what: &'static str,
        key: String,
    },
}

/// A list under a root.
#[derive(Debug)]
pub(super) struct List<'a> {
    /// Keys from the top.
    pub path: Vec<String>,
    /// Its elements.
    pub place: Place<'a>,
}

/// The two spellings of a list.
#[derive(Debug)]
pub(super) enum Place<'a> {
    /// `[[x]]`.
    Blocks(u32),
    /// `x = […]`.
    Array(Val<'a>),
}

/// Follows a key path.
pub(super) fn find<'a>(scan: &Scan<'a>, path: &[String]) -> Found<'a> {
    let mut id = ROOT;
    for (i, key) in path.iter().enumerate() {
        let wrong = |what| Found::Wrong {
            at: scan.at(id),
            what,
            key: scan.key(id).to_owned(),
        };
        match scan.kind(id) {
            Kind::Table { .. } => match scan.child(id, key) {
                Some(child) => id = child,
                None => return Found::Missing,
            },
            Kind::Tables(_) => return wrong("an array of tables"),
            Kind::Value { val, .. } => {
                let Some(mut val) = scan.value_at(val.start) else {
                    return wrong("a value");
                };
                for key in path.iter().skip(i) {
                    let what = match val.form {
                        Form::Table(_) => INLINE,
                        Form::Array(_) => "an array",
                        Form::Scalar => "a single value",
                    };
                    match within(val, key) {
                        Some(inner) => val = inner,
                        None => return wrong(what),
                    }
                }
                return Found::Value { val, inside: true };
            }
        }
    }
    match scan.kind(id) {
        Kind::Table { .. } => Found::Table(id),
        Kind::Tables(_) => Found::Blocks(id),
        Kind::Value { val, .. } => match scan.value_at(val.start) {
            Some(val) => Found::Value { val, inside: false },
            None => Found::Missing,
        },
    }
}

fn within<'a>(val: Val<'a>, key: &str) -> Option<Val<'a>> {
    let Form::Table(entries) = val.form else {
        return None;
    };
    entries
        .into_iter()
        .find(|(path, _)| matches!(path.as_slice(), [only] if only == key))
        .map(|(_, v)| v)
}

/// The lists under a root.
pub(super) fn under<'a>(scan: &Scan<'a>, root: &Root) -> Vec<List<'a>> {
    let array = |val: Val<'a>| matches!(val.form, Form::Array(_)).then_some(Place::Array(val));
    let mut out = Vec::new();
    let mut push = |path: Vec<String>, place: Option<Place<'a>>| {
        if let Some(place) = place {
            out.push(List { path, place });
        }
    };
    let below = |key: &str| {
        let mut path = root.path.clone();
        path.push(key.to_owned());
        path
    };
    match (find(scan, &root.path), root.shape) {
        (Found::Blocks(id), Shape::List) => push(root.path.clone(), Some(Place::Blocks(id))),
        (Found::Value { val, .. }, Shape::List) => push(root.path.clone(), array(val)),
        (Found::Table(id), Shape::Events) => {
            if let Kind::Table { children, .. } = scan.kind(id) {
                for child in children {
                    push(below(scan.key(*child)), place(scan, *child));
                }
            }
        }
        (Found::Value { val, .. }, Shape::Events) => {
            if let Form::Table(entries) = val.form {
                for (path, val) in entries {
                    if let [key] = path.as_slice() {
                        push(below(key), array(val));
                    }
                }
            }
        }
        _ => {}
    }
    out
}

/// A node as a list, if it is one.
pub(super) fn place<'a>(scan: &Scan<'a>, id: u32) -> Option<Place<'a>> {
    match scan.kind(id) {
        Kind::Tables(_) => Some(Place::Blocks(id)),
        Kind::Value { val, .. } => scan
            .value_at(val.start)
            .filter(|v| matches!(v.form, Form::Array(_)))
            .map(Place::Array),
        Kind::Table { .. } => None,
    }
}

/// The elements of a list.
pub(super) fn elements(scan: &Scan<'_>, list: &List<'_>) -> Vec<Element> {
    let parts: Vec<(Range<usize>, Value)> = match &list.place {
        Place::Blocks(id) => {
            let Kind::Tables(items) = scan.kind(*id) else {
                return Vec::new();
            };
            items
                .iter()
                .filter_map(|item| Some((scan.block(*item)?.0, value::of_node(scan, *item))))
                .collect()
        }
        Place::Array(val) => {
            let Form::Array(slots) = &val.form else {
                return Vec::new();
            };
            slots
                .iter()
                .map(|s| (s.val.span.clone(), value::of(scan.text, &s.val)))
                .collect()
        }
    };
    let count = parts.len();
    parts
        .into_iter()
        .enumerate()
        .map(|(index, (span, value))| Element {
            path: list.path.clone(),
            index,
            comments: scan.comment_in(&span),
            span,
            value,
            behind: count - 1 - index,
        })
        .collect()
}

/// The list under `key` inside an element.
pub(super) fn nested<'a>(scan: &Scan<'a>, element: &Element, key: &str) -> Option<List<'a>> {
    let mut path = element.path.clone();
    path.push(key.to_owned());
    let item = scan.block_with(&element.span);
    let place = match item {
        Some(item) => place(scan, scan.child(item, key)?)?,
        None => {
            let val = scan.value_at(element.span.start)?;
            Place::Array(within(val, key).filter(|v| matches!(v.form, Form::Array(_)))?)
        }
    };
    Some(List { path, place })
}
