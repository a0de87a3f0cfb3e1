//! JSON with comments and trailing commas: the document as one scan found it. Pure.
//!
//! Strict JSON is the same grammar; whether a vendor reads the extras is judged from [`Extras`].

use super::{
    Addition, Container, Cut, CutRequest, Element, Extras, Fault, Insertion, Root, Shape, Splice,
};
use scan::{Item, Kind, Located, Trail, decode_key, scan};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;
use style::{Layout, Style, has_newline, line_indent};

mod cut;
mod insert;
mod layout;
mod scan;
mod shells;
mod style;
mod verify;

/// A scanned document.
#[derive(Debug)]
pub struct JsonDoc<'a> {
    text: &'a str,
    root: Option<(Range<usize>, Kind)>,
    /// The root object first, then every located container below it.
    containers: Vec<Located>,
    extras: Extras,
}

impl<'a> JsonDoc<'a> {
    /// Scans `text` for the lists under `roots`. Only what isn't grammatical is refused here; what stands in
    /// the way of an insertion is refused by [`Self::insert`], so that taking out always stays possible.
    pub fn open(text: &'a str, roots: &[Root]) -> Result<Self, Fault> {
        let found = scan(text, &Trail::new(roots))?;
        Ok(Self {
            text,
            root: found.root,
            containers: found.containers,
            extras: found.extras,
        })
    }

    /// Elements that may be ours: those whose text mentions gitvow, plainly or escaped. The others are
    /// nobody's business, and parsing them could cost as much as the file is large.
    /// `known`: see [`super::Doc::elements_knowing`].
    pub fn elements(&self, known: &[(&str, &Value)]) -> Vec<Element> {
        let mut out: Vec<Element> = Vec::new();
        for list in self.containers.iter().filter(|c| c.list) {
            for (index, item) in list.items.iter().enumerate() {
                let slice = &self.text[item.span()];
                if let Some((_, value)) = known.iter().find(|(text, _)| *text == slice) {
                    let said = ((*value).clone(), false);
                    out.push(self.element(list, &list.path, index, said));
                } else if slice.contains("gitvow") || slice.contains("\\u") {
                    out.push(self.element(list, &list.path, index, read(slice)));
                }
            }
        }
        out.sort_by_key(|e| e.span.start);
        out
    }

    fn element(
        &self,
        list: &Located,
        path: &[String],
        index: usize,
        (value, comments): (Value, bool),
    ) -> Element {
        Element {
            path: path.to_vec(),
            index,
            span: list.items[index].span(),
            value,
            comments,
            behind: list.items.len() - index - 1,
        }
    }

    /// All elements of the list under `key` in one element, ours or not.
    pub fn handlers(&self, element: &Element, key: &str) -> Vec<Element> {
        let lists = cut::lists_within(self.text, element.span.clone());
        let Some(list) = lists.into_iter().find(|l| l.path == [key]) else {
            return Vec::new();
        };
        let items = list.items.iter().enumerate();
        items
            .map(|(index, item)| {
                let said = read(&self.text[item.span()]);
                self.element(&list, &element.path, index, said)
            })
            .collect()
    }

    /// A top-level member.
    pub fn member(&self, key: &str) -> Option<(Range<usize>, Value)> {
        let root = self.containers.first()?;
        let item = root
            .items
            .iter()
            .find(|i| self.key(i).as_deref() == Some(key))?;
        Some((
            item.span(),
            parse(&self.text[item.value.0 as usize..item.end()])?,
        ))
    }

    /// The root object's keys.
    pub fn top_level(&self) -> Vec<(String, usize)> {
        let items = self.containers.first().map_or(&[][..], |root| &root.items);
        items
            .iter()
            .map(|i| (self.key(i).unwrap_or_default().into_owned(), i.start()))
            .collect()
    }

    /// See [`super::Doc::insert`].
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

    /// See [`super::Doc::shells`].
    pub fn shells(
        &self,
        taken: &[Range<usize>],
        also: &[Range<usize>],
        known: &[Container],
    ) -> Vec<Container> {
        shells::shells(self, taken, also, known)
    }

    /// See [`super::Doc::replace`].
    pub fn replace(&self, element: &Element, value: &Value) -> Result<Splice, Fault> {
        let style = Style::of(self.text, self.containers.first());
        let old = &self.text[element.span.clone()];
        let indent = line_indent(self.text, element.span.start);
        let layout = if has_newline(old) {
            Layout::Lines {
                indent: indent.to_owned(),
            }
        } else {
            Layout::OneLine {
                space: old.contains(": ") || !old.contains(':'),
            }
        };
        let mut text = String::new();
        style.print(&mut text, value, &layout);
        let splice = Splice {
            range: element.span.clone(),
            text,
        };
        let new = super::apply(self.text, std::slice::from_ref(&splice));
        let without = cut::without(
            self.text,
            0..self.text.len(),
            std::slice::from_ref(&element.span),
        );
        let end = splice.range.start + splice.text.len();
        // The text without the element isn't grammatical by itself, so the two are proven against a stand-in.
        let stand_in = format!(
            "{}0{}",
            &without[..splice.range.start],
            &without[splice.range.start..]
        );
        let ends = scan(&new, &Trail::default()).and_then(|_| scan(&stand_in, &Trail::default()));
        ends.map_err(|_| {
            Fault::at(
                "unproven",
                splice.range.start,
                "the replacement can't be proven",
            )
        })?;
        if parse(&new[splice.range.start..end]).as_ref() != Some(value) {
            return Err(Fault::at(
                "unproven",
                splice.range.start,
                "the replacement can't be proven",
            ));
        }
        Ok(splice)
    }

    /// What strict JSON forbids.
    pub fn extras(&self) -> Extras {
        self.extras
    }

    /// See [`super::Doc::overruled`].
    pub fn overruled(&self, path: &[String], at: usize) -> Option<(usize, String)> {
        let mut host = self.containers.first()?;
        for key in path {
            let last = self.last(host, key)?;
            if !last.span().contains(&at) {
                return Some((last.start(), key.clone()));
            }
            host = self.containers.get(last.inner as usize)?;
        }
        None
    }

    /// The member of that name which readers take: of several the last.
    fn last(&self, object: &'_ Located, key: &str) -> Option<Item> {
        let mut items = object.items.iter().rev();
        items.find(|i| self.key(i).as_deref() == Some(key)).copied()
    }

    fn key(&self, item: &Item) -> Option<Cow<'a, str>> {
        let quoted = self.text.get(item.key.0 as usize..item.key.1 as usize)?;
        let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
        if inner.contains('\\') {
            decode_key(quoted).map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inner))
        }
    }
}

/// What jsonc-parser may read: comments and trailing commas where `extras` says so, and none of its other leniencies, which let damage
/// pass for health (a missing comma, single quotes, names without quotes).
pub fn strictness(extras: bool) -> jsonc_parser::ParseOptions {
    jsonc_parser::ParseOptions {
        allow_comments: extras,
        allow_trailing_commas: extras,
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

/// What a piece says, and whether a comment stands in it.
fn read(slice: &str) -> (Value, bool) {
    let comment = |(token, _)| matches!(token, verify::Token::Comment { .. });
    let comments = verify::Tokens::new(slice).any(comment);
    (parse(slice).unwrap_or(Value::Null), comments)
}

/// A small piece of JSON as a value; comments and trailing commas allowed. `None` where the library can't
/// decode it (lone surrogates, nesting beyond its limit): such a piece is never ours.
fn parse(text: &str) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(text, &strictness(true)).ok()
}

/// See [`super::layout`].
pub(super) fn members(text: &str, limit: usize) -> Option<(Vec<super::layout::Member>, bool)> {
    layout::members(text, limit)
}

/// The value at a path of keys, with its offset.
pub fn lookup(text: &str, path: &[String]) -> Option<(usize, Value)> {
    let (last, parents) = path.split_last()?;
    // Without an escape a key stands there as it is: most questions need no reading.
    if !text.contains('\\') && !text.contains(&**last) {
        return None;
    }
    let root = Root {
        path: parents.to_vec(),
        shape: Shape::Events,
    };
    let doc = JsonDoc::open(text, &[root]).ok()?;
    let mut holder = doc.containers.first()?;
    for key in parents {
        holder = doc.containers.get(doc.last(holder, key)?.inner as usize)?;
    }
    let item = doc.last(holder, last)?;
    Some((
        item.value.0 as usize,
        parse(&text[item.value.0 as usize..item.end()])?,
    ))
}
