//! One pass over a TOML document: where every table, array of tables and value stands. May not change or judge values.
//!
//! The rules for tables defined twice follow TOML 1.0; where the text is silent, what `toml_edit` 0.25 refuses is refused.

use super::cursor::{Cursor, Val};
use super::marks::{Mark, Marks};
use crate::doc::{Fault, text};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Tables of more children are looked up by hash.
const FEW: usize = 12;

/// How far apart cuts are, in bytes.
const PIECE: usize = 32 << 10;

/// The top of the document.
pub(super) const ROOT: u32 = 0;

/// How a table came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The document itself.
    Root,
    /// Named on the way of a header, never defined itself.
    Implicit,
    /// `[x]`.
    Header,
    /// `x.y = …`.
    Dotted,
    /// `[[x]]`: its block, and whether parts of it stand apart from it, behind somebody else's table.
    Item(Block),
}

/// Where the element of an array of tables stands: sections counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    first: usize,
    last: usize,
    /// A sub-table stands further down, behind a foreign header.
    pub scattered: bool,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    /// A table and its children in the order of the text.
    Table { origin: Origin, children: Vec<u32> },
    /// An array of tables and its elements.
    Tables(Vec<u32>),
    /// `key = value`; `line` runs from the key to the end of the line's content, its comment included.
    Value {
        line: Range<usize>,
        val: Range<usize>,
    },
}

#[derive(Debug)]
struct Node<'a> {
    parent: u32,
    key: Cow<'a, str>,
    at: usize,
    kind: Kind,
}

/// A document, located.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Every comment, ascending.
    pub comments: Vec<Range<usize>>,
    /// The tokens seen, to be compared with the strict reader's.
    pub marks: Marks,
    /// Starts of lines at which an expression begins, at least [`PIECE`] apart: there the text can be read in pieces.
    pub cuts: Vec<usize>,
    nodes: Vec<Node<'a>>,
    names: HashMap<(u32, Cow<'a, str>), u32>,
    sections: Vec<Range<usize>>,
    /// Room for the key at hand.
    path: Vec<Cow<'a, str>>,
}

static NOTHING: Kind = Kind::Tables(Vec::new());

impl<'a> Scan<'a> {
    /// Reads the text.
    pub fn new(text: &'a str) -> Result<Self, Fault> {
        let mut scan = Self {
            text,
            comments: Vec::new(),
            marks: Marks::default(),
            cuts: Vec::new(),
            nodes: vec![Node {
                parent: ROOT,
                key: Cow::Borrowed(""),
                at: 0,
                kind: Kind::Table {
                    origin: Origin::Root,
                    children: Vec::new(),
                },
            }],
            names: HashMap::new(),
            sections: Vec::new(),
            path: Vec::new(),
        };
        let mut cursor = Cursor::new(text, text::bom_len(text));
        let mut table = ROOT;
        loop {
            if cursor.at >= scan.cuts.last().copied().unwrap_or_default() + PIECE {
                scan.cuts.push(cursor.at);
            }
            cursor.ws();
            match cursor.peek() {
                None => break,
                Some(b'\n' | b'\r' | b'#') => {}
                Some(b'[') => table = scan.header(&mut cursor)?,
                Some(_) => scan.pair(&mut cursor, table)?,
            }
            cursor.ws();
            cursor.comment();
            if !cursor.newline()? && cursor.peek().is_some() {
                return Err(cursor.fault("expected the end of the line"));
            }
        }
        scan.comments = cursor.comments;
        scan.marks = cursor.marks;
        Ok(scan)
    }

    /// What a node is.
    pub fn kind(&self, id: u32) -> &Kind {
        self.nodes.get(id as usize).map_or(&NOTHING, |n| &n.kind)
    }

    /// A node's name in its parent; an element of an array of tables has none.
    pub fn key(&self, id: u32) -> &str {
        self.nodes.get(id as usize).map_or("", |n| &n.key)
    }

    /// Where a node was first named.
    pub fn at(&self, id: u32) -> usize {
        self.nodes.get(id as usize).map_or(0, |n| n.at)
    }

    /// The node that holds this one; the root's is the root.
    pub fn parent(&self, id: u32) -> u32 {
        self.nodes.get(id as usize).map_or(ROOT, |n| n.parent)
    }

    /// All nodes in the order in which they were first named.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// A child by name.
    pub fn child(&self, id: u32, key: &str) -> Option<u32> {
        let Kind::Table { children, .. } = self.kind(id) else {
            return None;
        };
        if children.len() > FEW {
            return self.names.get(&(id, Cow::Borrowed(key))).copied();
        }
        children.iter().copied().find(|c| self.key(*c) == key)
    }

    /// The bytes of an element of an array of tables: header to the end of its last line's content.
    pub fn block(&self, id: u32) -> Option<(Range<usize>, &Block)> {
        let Kind::Table {
            origin: Origin::Item(block),
            ..
        } = self.kind(id)
        else {
            return None;
        };
        let first = self.sections.get(block.first)?;
        let last = self.sections.get(block.last)?;
        Some((first.start..last.end, block))
    }

    /// The element of an array of tables that has exactly this span.
    pub fn block_with(&self, span: &Range<usize>) -> Option<u32> {
        self.ids()
            .find(|id| self.block(*id).is_some_and(|(s, _)| s == *span))
    }

    /// The value that begins at an offset, in detail.
    pub fn value_at(&self, at: usize) -> Option<Val<'a>> {
        Cursor::new(self.text, at).value(0).ok()
    }

    /// Does a comment begin in the range?
    pub fn comment_in(&self, range: &Range<usize>) -> bool {
        let next = self.comments.partition_point(|c| c.start < range.start);
        self.comments.get(next).is_some_and(|c| c.start < range.end)
    }

    /// `[x]` or `[[x]]`, up to and with its bracket; gives the table that the next lines belong to.
    fn header(&mut self, cursor: &mut Cursor<'a>) -> Result<u32, Fault> {
        let start = cursor.at;
        cursor.at += 1;
        let double = cursor.peek() == Some(b'[');
        cursor.at += usize::from(double);
        cursor.mark(Mark::Header, start);
        let mut path = Vec::new();
        cursor.key(&mut path)?;
        let close = cursor.at;
        if cursor.peek() != Some(b']') {
            return Err(cursor.fault("expected `]`"));
        }
        cursor.at += 1;
        if double {
            if cursor.peek() != Some(b']') {
                return Err(cursor.fault("expected `]]`"));
            }
            cursor.at += 1;
        }
        cursor.mark(Mark::HeaderEnd, close);
        let section = self.sections.len();
        self.sections.push(start..content_end(cursor));
        let Some((last, parents)) = path.split_last() else {
            return Err(cursor.fault("expected a key"));
        };
        let mut table = ROOT;
        for key in parents {
            table = self.descend(table, key.clone(), start, section)?;
        }
        self.define(table, last.clone(), start, section, double)
    }

    /// One step on a header's way.
    fn descend(
        &mut self,
        table: u32,
        key: Cow<'a, str>,
        at: usize,
        section: usize,
    ) -> Result<u32, Fault> {
        let Some(id) = self.child(table, &key) else {
            return Ok(self.add_table(table, key, at, Origin::Implicit));
        };
        match self.nodes.get(id as usize).map(|n| &n.kind) {
            Some(Kind::Table { .. }) => Ok(id),
            Some(Kind::Tables(items)) => {
                let item = items.last().copied().unwrap_or(id);
                self.touch(item, section);
                Ok(item)
            }
            _ => Err(again(&key, at)),
        }
    }

    /// A section under an element of an array of tables: is it still in one piece?
    fn touch(&mut self, item: u32, section: usize) {
        if let Some(Node {
            kind:
                Kind::Table {
                    origin: Origin::Item(block),
                    ..
                },
            ..
        }) = self.nodes.get_mut(item as usize)
        {
            if section == block.last + 1 && !block.scattered {
                block.last = section;
            } else {
                block.scattered = true;
            }
        }
    }

    fn define(
        &mut self,
        table: u32,
        key: Cow<'a, str>,
        at: usize,
        section: usize,
        double: bool,
    ) -> Result<u32, Fault> {
        let found = self.child(table, &key);
        if double {
            let list = match found {
                None => self.add(table, key, at, Kind::Tables(Vec::new())),
                Some(id) if matches!(self.kind(id), Kind::Tables(_)) => id,
                Some(_) => return Err(again(&key, at)),
            };
            let origin = Origin::Item(Block {
                first: section,
                last: section,
                scattered: false,
            });
            let item = self.push_node(list, Cow::Borrowed(""), at, fresh(origin));
            if let Some(Node {
                kind: Kind::Tables(items),
                ..
            }) = self.nodes.get_mut(list as usize)
            {
                items.push(item);
            }
            return Ok(item);
        }
        let Some(id) = found else {
            return Ok(self.add_table(table, key, at, Origin::Header));
        };
        match self.nodes.get_mut(id as usize).map(|n| &mut n.kind) {
            Some(Kind::Table { origin, .. }) if *origin == Origin::Implicit => {
                *origin = Origin::Header;
                Ok(id)
            }
            _ => Err(again(&key, at)),
        }
    }

    /// `key = value`, without its comment.
    fn pair(&mut self, cursor: &mut Cursor<'a>, mut table: u32) -> Result<(), Fault> {
        let start = cursor.at;
        let mut path = std::mem::take(&mut self.path);
        cursor.key(&mut path)?;
        cursor.expect(b'=', Mark::Equals)?;
        cursor.ws();
        let val = cursor.value(0)?;
        let Some((last, parents)) = path.split_last() else {
            return Err(cursor.fault("expected a key"));
        };
        for key in parents {
            table = match self.child(table, key) {
                None => self.add_table(table, key.clone(), start, Origin::Dotted),
                Some(id) => match self.nodes.get_mut(id as usize).map(|n| &mut n.kind) {
                    Some(Kind::Table { origin, .. })
                        if matches!(origin, Origin::Implicit | Origin::Dotted) =>
                    {
                        *origin = Origin::Dotted;
                        id
                    }
                    _ => return Err(again(key, start)),
                },
            };
        }
        if self.child(table, last).is_some() {
            return Err(again(last, start));
        }
        let line = start..content_end(cursor);
        if let Some(section) = self.sections.last_mut() {
            section.end = line.end;
        }
        let val = val.span;
        self.add(table, last.clone(), start, Kind::Value { line, val });
        self.path = path;
        Ok(())
    }

    fn add_table(&mut self, parent: u32, key: Cow<'a, str>, at: usize, origin: Origin) -> u32 {
        self.add(parent, key, at, fresh(origin))
    }

    fn add(&mut self, parent: u32, key: Cow<'a, str>, at: usize, kind: Kind) -> u32 {
        let id = self.push_node(parent, key, at, kind);
        let mut named = 0..0;
        if let Some(Node {
            kind: Kind::Table { children, .. },
            ..
        }) = self.nodes.get_mut(parent as usize)
        {
            children.push(id);
            let count = children.len();
            // The map learns a table's names when it outgrows a search one by one.
            named = match count {
                0..=FEW => 0..0,
                _ if count == FEW + 1 => 0..count,
                _ => count - 1..count,
            };
        }
        for n in named {
            if let Kind::Table { children, .. } = self.kind(parent)
                && let Some(child) = children.get(n).copied()
                && let Some(key) = self.nodes.get(child as usize).map(|c| c.key.clone())
            {
                self.names.insert((parent, key), child);
            }
        }
        id
    }

    fn push_node(&mut self, parent: u32, key: Cow<'a, str>, at: usize, kind: Kind) -> u32 {
        // A text of at most 16 MiB has fewer nodes than that.
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node {
            parent,
            key,
            at,
            kind,
        });
        id
    }
}

fn fresh(origin: Origin) -> Kind {
    Kind::Table {
        origin,
        children: Vec::new(),
    }
}

fn again(key: &str, at: usize) -> Fault {
    Fault::at("duplicate-key", at, format!("`{key}` is defined twice"))
}

/// The end of a line's content when the cursor stands behind its value: its comment, if it has one.
fn content_end(cursor: &Cursor<'_>) -> usize {
    let rest = cursor.text.get(cursor.at..).unwrap_or_default();
    let line = rest.find('\n').map_or(rest, |nl| &rest[..nl]);
    if line.trim_start_matches([' ', '\t']).starts_with('#') {
        cursor.at + line.strip_suffix('\r').unwrap_or(line).len()
    } else {
        cursor.at
    }
}
