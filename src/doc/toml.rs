//! TOML 1.0: locating, inserting, cutting. Nothing here prints a user's byte or decides what is wanted.
//!
//! Two readers: our own scan (`toml/scan.rs`) locates, `toml_parser` (`toml/strict.rs`) says whether the text is TOML; they
//! must report the same tokens at the same places. Every edit is proven with both, and up to 1 MiB with
//! `toml_edit`'s tree as well (`toml/prove.rs`).

use super::{
    Addition, Container, Cut, CutRequest, Element, Extras, Fault, Insertion, Root, Splice, text,
};
use lists::{Found, List};
use scan::{Kind, ROOT, Scan};
use serde_json::Value;
use std::ops::Range;
use strict::Tokens;

mod array;
mod cursor;
mod cut;
mod insert;
mod layout;
mod lists;
mod marks;
mod print;
mod prove;
mod scan;
mod strict;
mod value;

/// The largest text that is read; TOML settings are a few KiB.
const LIMIT: usize = 16 << 20;

/// A document.
#[derive(Debug)]
pub struct TomlDoc<'a> {
    scan: Scan<'a>,
    tokens: Tokens,
    roots: Vec<Root>,
}

impl<'a> TomlDoc<'a> {
    /// Reads a text of at most 16 MiB, which must be TOML 1.0: a key defined twice is refused here, since
    /// no vendor reads on. See [`super::Doc::open`].
    pub fn open(text: &'a str, roots: &[Root]) -> Result<Self, Fault> {
        let (scan, tokens) = read(text)?;
        let mut own: Vec<Root> = Vec::with_capacity(roots.len());
        for root in roots {
            if !own.contains(root) {
                own.push(root.clone());
            }
        }
        Ok(Self {
            scan,
            tokens,
            roots: own,
        })
    }

    /// See [`super::Doc::elements`].
    pub fn elements(&self) -> Vec<Element> {
        let mut out: Vec<Element> = self
            .roots
            .iter()
            .flat_map(|root| lists::under(&self.scan, root))
            .flat_map(|list| lists::elements(&self.scan, &list))
            .collect();
        out.sort_by_key(|e| e.span.start);
        out.dedup_by(|a, b| a.span == b.span);
        out
    }

    /// See [`super::Doc::handlers`]. Their path is the element's path and `key`.
    pub fn handlers(&self, element: &Element, key: &str) -> Vec<Element> {
        lists::nested(&self.scan, element, key)
            .map(|list: List<'_>| lists::elements(&self.scan, &list))
            .unwrap_or_default()
    }

    /// The line's content (a comment on it included) of a top-level `key = value`, and the value. A table has no line:
    /// its span is empty, where it is first named.
    pub fn member(&self, key: &str) -> Option<(Range<usize>, Value)> {
        let id = self.scan.child(ROOT, key)?;
        let span = match self.scan.kind(id) {
            Kind::Value { line, .. } => line.clone(),
            _ => self.scan.at(id)..self.scan.at(id),
        };
        Some((span, value::of_node(&self.scan, id)))
    }

    /// The value at a path of keys and its offset; that of a table is where it is first named.
    pub fn lookup(&self, path: &[String]) -> Option<(usize, Value)> {
        let scan = &self.scan;
        match lists::find(scan, path) {
            Found::Blocks(id) | Found::Table(id) => Some((scan.at(id), value::of_node(scan, id))),
            Found::Value { val, .. } => Some((val.span.start, value::of(scan.text, &val))),
            Found::Missing | Found::Wrong { .. } => None,
        }
    }

    /// See [`super::Doc::insert`]. A list that is absent or an array of tables gets a block at the end of the file, a
    /// value array is extended. The version key becomes the first line.
    pub fn insert(
        &self,
        additions: &[Addition],
        version: Option<&str>,
    ) -> Result<Insertion, Fault> {
        insert::insert(self, additions, version)
    }

    /// See [`super::Doc::cut`].
    pub fn cut(&self, requests: &[CutRequest], containers: &[Container]) -> Result<Cut, Fault> {
        cut::cut(self, requests, containers)
    }

    /// See [`super::Doc::replace`]. A block keeps its header line.
    pub fn replace(&self, element: &Element, value: &Value) -> Result<Splice, Fault> {
        insert::replace(self, element, value)
    }

    /// TOML has comments and trailing commas of its own: only a byte order mark is extra.
    pub fn extras(&self) -> Extras {
        Extras {
            bom: text::bom_len(self.scan.text) > 0,
            comment: None,
            trailing_comma: None,
        }
    }
}

/// See [`super::lookup`].
pub fn lookup(text: &str, path: &[String]) -> Option<(usize, Value)> {
    // Without an escape a key stands there as it is: most questions need no reading.
    if !text.contains('\\') && path.iter().any(|key| !text.contains(&**key)) {
        return None;
    }
    TomlDoc::open(text, &[]).ok()?.lookup(path)
}

/// See [`super::layout`].
pub(super) fn members(text: &str, limit: usize) -> Option<(Vec<super::layout::Member>, bool)> {
    let scan = Scan::new(text).ok()?;
    Some((layout::members(&scan, limit), !scan.comments.is_empty()))
}

/// Reads a text with both readers; they must agree.
fn read(text: &str) -> Result<(Scan<'_>, Tokens), Fault> {
    if text.len() > LIMIT {
        return Err(Fault::whole(
            "unparseable",
            format!(
                "{} bytes are more than the {LIMIT} (16 MiB) that are read of a TOML file",
                text.len()
            ),
        ));
    }
    let scan = match Scan::new(text) {
        Ok(scan) => scan,
        // What the strict reader says of it is better known; only tables defined twice are ours alone.
        Err(fault) => return Err(strict::read(text, &[]).err().unwrap_or(fault)),
    };
    let tokens = strict::read(text, &scan.cuts)?;
    if scan.marks != tokens.marks {
        return Err(Fault::whole(
            "unproven",
            "two readers of this TOML text disagree about it",
        ));
    }
    Ok((scan, tokens))
}
