//! Locating and splicing text. Pure: `&str` in, splices out; nothing here reads a file or decides.
//!
//! The rule of the house: *locate structurally, cut textually, verify semantically*. A user's document is
//! never printed by a library. [`Doc::insert`] only inserts, [`Doc::cut`] only deletes, and both hand their result to
//! an independent reader before anybody sees it.
//!
//! Offsets are bytes into the text as it stands on disk, a byte order mark included.

use crate::spec::Format;
use serde_json::Value;
use std::ops::Range;

pub mod json;
pub mod layout;
pub mod text;
pub mod toml;

/// Where an owner's lists live in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Keys from the top of the document.
    pub path: Vec<String>,
    /// What stands there.
    pub shape: Shape,
}

/// What a [`Root`] names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An object whose members are lists, one an event.
    Events,
    /// A list itself (Kimi's `[[hooks]]`).
    List,
}

/// Why a document is refused. Positions are byte offsets into the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A stable word: `unparseable`, `duplicate-key`, `wrong-kind`, `not-an-object`, `unproven`, `conflict`, `too-deep`.
    pub code: &'static str,
    /// One sentence, lower case, no final stop.
    pub message: String,
    /// Where, when there is a where.
    pub at: Option<usize>,
}

impl Fault {
    /// A fault at a byte offset.
    pub fn at(code: &'static str, at: usize, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: Some(at),
        }
    }

    /// A fault of the whole document.
    pub fn whole(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
        }
    }
}

/// A replacement of the bytes `range` by `text`. An insertion has an empty range, a cut an empty text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Splice {
    /// What goes.
    pub range: Range<usize>,
    /// What comes.
    pub text: String,
}

/// One value to append to the list at `path` (an event's array; for TOML also an array of tables).
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// Keys from the root object to the list. The list and its parents are created when missing.
    pub path: Vec<String>,
    /// The element.
    pub value: Value,
}

/// How an element or member of ours hangs in its container; what [`Doc::cut`] needs to take exactly it out again.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hang {
    /// The whitespace we put right before it (TOML block: the newlines before its header).
    pub lead: String,
    /// Who brought which comma.
    pub comma: Comma,
}

/// Who brought which comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comma {
    /// No comma: the container was empty, or the format has none (a TOML block).
    First,
    /// We put one behind the element before us.
    Before,
    /// As `Before`, with comments between that comma and us.
    Apart,
    /// The container used trailing commas: we put one behind us.
    After,
}

/// A container that we created or filled, as it must be known to give it back. Belongs to the file, not to an owner.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Container {
    /// Keys from the root; empty = the root object itself.
    pub path: Vec<String>,
    /// How it hangs in its parent, when we created it; `None`: it was there and empty.
    pub created: Option<Hang>,
    /// The whitespace that we put before its closing bracket.
    pub tail: String,
    /// Created by giving a blank file a root (then `path` is empty): the text put before the opening bracket
    /// is `created.lead`, the text behind the closing bracket is this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behind: String,
}

/// What [`Doc::insert`] does.
#[derive(Debug, Clone, PartialEq)]
pub struct Insertion {
    /// Pure insertions in ascending order; several at one offset stand in the order of the list.
    pub splices: Vec<Splice>,
    /// One per addition, in its order.
    pub hangs: Vec<Hang>,
    /// The bytes of each addition, in its order.
    pub texts: Vec<String>,
    /// Containers created or filled, parents first.
    pub containers: Vec<Container>,
    /// The version key was inserted: how it hangs in the root object.
    pub version: Option<Hang>,
}

/// An element of a list under the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Keys from the root object to its list.
    pub path: Vec<String>,
    /// Its place in that list, from 0.
    pub index: usize,
    /// Its bytes (TOML block: from its header to the end of its last line's content).
    pub span: Range<usize>,
    /// What it says; TOML dates and the like as strings.
    pub value: Value,
    /// It holds a comment.
    pub comments: bool,
    /// Elements that stand behind it in the same list.
    pub behind: usize,
}

/// One element or member to take out.
#[derive(Debug, Clone, PartialEq)]
pub struct CutRequest {
    /// Its bytes as [`Doc::elements`], [`Doc::handlers`] or [`Doc::member`] gave them.
    pub span: Range<usize>,
    /// As recorded; `None` for something of which we don't know how it hangs (another gitvow's entry, a handler in a group).
    pub hang: Option<Hang>,
}

/// What [`Doc::cut`] does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// What goes, ascending, not overlapping.
    pub ranges: Vec<Range<usize>>,
    /// Paths of recorded containers that went with it (they were ours and this cut emptied them).
    pub gone: Vec<Vec<String>>,
    /// Paths of recorded containers that hold foreign content now, and stay.
    pub kept: Vec<Vec<String>>,
    /// Every separator was found as recorded (then the rest is what it was, byte for byte).
    pub exact: bool,
}

/// What strictness forbids and a document has all the same; offsets of the first of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extras {
    /// It begins with a byte order mark.
    pub bom: bool,
    /// A comment.
    pub comment: Option<usize>,
    /// A trailing comma.
    pub trailing_comma: Option<usize>,
}

/// A document read once, for the roots that somebody asks about.
#[derive(Debug)]
pub enum Doc<'a> {
    /// JSON and JSONC.
    Json(json::JsonDoc<'a>),
    /// TOML.
    Toml(toml::TomlDoc<'a>),
}

impl<'a> Doc<'a> {
    /// Reads `text`. JSON is always read with comments and trailing commas allowed: whether the vendor can
    /// read them is another question ([`Doc::extras`]). Refuses only what isn't grammatical: what stands in
    /// the way of an insertion (a root that isn't an object, a duplicate key or a node of the wrong kind on
    /// the way) is refused by [`Doc::insert`], so that taking out stays possible.
    /// Text without any value counts as an empty root.
    pub fn open(format: Format, text: &'a str, roots: &[Root]) -> Result<Self, Fault> {
        match format {
            Format::Json | Format::Jsonc => json::JsonDoc::open(text, roots).map(Self::Json),
            Format::Toml => toml::TomlDoc::open(text, roots).map(Self::Toml),
        }
    }

    /// Every element of every list under the roots, in the order of the text.
    pub fn elements(&self) -> Vec<Element> {
        self.elements_knowing(&[])
    }

    /// As [`Self::elements`]. `known`: what texts without a comment say, by those who wrote them; an element that is
    /// one of them to the byte isn't parsed again.
    pub fn elements_knowing(&self, known: &[(&str, &Value)]) -> Vec<Element> {
        match self {
            Self::Json(d) => d.elements(known),
            Self::Toml(d) => d.elements(),
        }
    }

    /// The elements of the list under `key` inside one element (a group's handlers); none when there is no such list.
    pub fn handlers(&self, element: &Element, key: &str) -> Vec<Element> {
        match self {
            Self::Json(d) => d.handlers(element, key),
            Self::Toml(d) => d.handlers(element, key),
        }
    }

    /// The span of a top-level member (key to value; TOML: its whole line's content) and its value.
    pub fn member(&self, key: &str) -> Option<(Range<usize>, Value)> {
        match self {
            Self::Json(d) => d.member(key),
            Self::Toml(d) => d.member(key),
        }
    }

    /// The key on the way to an element at `at` in the list under `path` that stands again further down, and where:
    /// readers take the last one, so that what stands in the others is dead. Never in TOML, where it is no grammar.
    pub fn overruled(&self, path: &[String], at: usize) -> Option<(usize, String)> {
        match self {
            Self::Json(d) => d.overruled(path, at),
            Self::Toml(_) => None,
        }
    }

    /// The top-level keys with the offsets of their values (keys of the root object; none for TOML, whose vendors
    /// don't restrict them).
    pub fn top_level(&self) -> Vec<(String, usize)> {
        match self {
            Self::Json(d) => d.top_level(),
            Self::Toml(_) => Vec::new(),
        }
    }

    /// Appends. With `version` that top-level key is also set to 1 unless it is there.
    /// Proven before it is returned: taking the insertions out gives the text back, the new text is
    /// grammatical, its value is the old one plus the additions, every comment is still there.
    pub fn insert(
        &self,
        additions: &[Addition],
        version: Option<&str>,
    ) -> Result<Insertion, Fault> {
        match self {
            Self::Json(d) => d.insert(additions, version),
            Self::Toml(d) => d.insert(additions, version),
        }
    }

    /// Cuts the requested elements and members, and then each recorded container that this left empty:
    /// created ones go, filled ones get their old interior back.
    /// Proven before it is returned: the new text is grammatical, its value is the old one less exactly
    /// those nodes, every comment outside the requested spans is still there (one inside goes with its element:
    /// the caller decides that). `unproven` otherwise.
    pub fn cut(&self, requests: &[CutRequest], containers: &[Container]) -> Result<Cut, Fault> {
        match self {
            Self::Json(d) => d.cut(requests, containers),
            Self::Toml(d) => d.cut(requests, containers),
        }
    }

    /// Lists that hold only elements with the spans `taken` and `also`, one of `taken` at least, and objects that hold only
    /// such lists and containers of `known` that we created: whoever wrote the elements made them. Parents first, how they
    /// hang read off the text; those of `known` are left out, the root object counts as one that was there and empty.
    /// None in TOML: gitvow writes blocks there, which bring no container.
    pub fn shells(
        &self,
        taken: &[Range<usize>],
        also: &[Range<usize>],
        known: &[Container],
    ) -> Vec<Container> {
        match self {
            Self::Json(d) => d.shells(taken, also, known),
            Self::Toml(_) => Vec::new(),
        }
    }

    /// Replaces one element in its place by another value, in the style of its surroundings.
    pub fn replace(&self, element: &Element, value: &Value) -> Result<Splice, Fault> {
        match self {
            Self::Json(d) => d.replace(element, value),
            Self::Toml(d) => d.replace(element, value),
        }
    }

    /// What strictness would forbid.
    pub fn extras(&self) -> Extras {
        match self {
            Self::Json(d) => d.extras(),
            Self::Toml(d) => d.extras(),
        }
    }
}

/// The value at a path of keys and its offset, in any document, of a key that stands twice the last, as readers have it; `None` when it isn't there or the text can't be read.
pub fn lookup(format: Format, text: &str, path: &[String]) -> Option<(usize, Value)> {
    match format {
        Format::Json | Format::Jsonc => json::lookup(text, path),
        Format::Toml => toml::lookup(text, path),
    }
}

/// Applies splices (ascending, not overlapping) to a text.
pub fn apply(text: &str, splices: &[Splice]) -> String {
    let more = splices.iter().map(|s| s.text.len()).sum::<usize>();
    let mut out = String::with_capacity(text.len() + more);
    let mut at = 0;
    for splice in splices {
        out.push_str(&text[at..splice.range.start]);
        out.push_str(&splice.text);
        at = splice.range.end;
    }
    out.push_str(&text[at..]);
    out
}
