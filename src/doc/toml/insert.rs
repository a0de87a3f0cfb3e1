//! Where our elements go and what is written there. Only inserts; it may not touch a byte that stands.

use super::cursor::{Cursor, Form, Slot, Val};
use super::lists::{self, Found, INLINE};
use super::scan::ROOT;
use super::{TomlDoc, print, prove};
use crate::doc::{Addition, Comma, Container, Element, Fault, Hang, Insertion, Splice, text};
use serde_json::Value;

/// See [`crate::doc::Doc::insert`].
pub(super) fn insert(
    doc: &TomlDoc<'_>,
    additions: &[Addition],
    version: Option<&str>,
) -> Result<Insertion, Fault> {
    let text = doc.scan.text;
    let newline = text::newline(text);
    let mut splices = Vec::new();
    let mut containers = Vec::new();
    let version = version.filter(|key| doc.scan.child(ROOT, key).is_none());
    if let Some(key) = version {
        let line = print::version(key) + newline;
        splices.push(splice(text::bom_len(text), line));
    }
    let mut lead = block_lead(text, newline, version.is_some());
    let mut arrays: Vec<(&[String], Grow)> = Vec::new();
    let mut hangs = Vec::with_capacity(additions.len());
    let mut texts = Vec::with_capacity(additions.len());
    for addition in additions {
        let path = addition.path.as_slice();
        let known = arrays.iter().position(|(p, _)| *p == path);
        let grow = match (known, target(doc, path)?) {
            (Some(known), _) => arrays.get_mut(known),
            (None, Some(val)) => {
                let grow = Grow::new(text, newline, &val, &mut splices);
                arrays.push((path, grow));
                arrays.last_mut()
            }
            (None, None) => None,
        };
        if let Some((_, grow)) = grow {
            let (hang, splice, text) = grow.add(&addition.value)?;
            texts.push(text);
            hangs.push(hang);
            splices.push(splice);
            continue;
        }
        let block = print::block(&print::header(path), &addition.value, newline)?;
        splices.push(splice(text.len(), format!("{lead}{block}{newline}")));
        texts.push(block);
        let first = std::mem::replace(&mut lead, newline.to_owned());
        hangs.push(Hang {
            lead: first,
            comma: Comma::First,
        });
    }
    for (path, grow) in arrays {
        if let Some(tail) = grow.filled {
            if !tail.is_empty() {
                splices.push(splice(grow.anchor, tail.clone()));
            }
            containers.push(Container {
                path: path.to_vec(),
                created: None,
                tail,
                behind: String::new(),
            });
        }
    }
    splices.sort_by_key(|s| s.range.start);
    prove::insertion(doc, &splices, additions, version)?;
    Ok(Insertion {
        splices,
        hangs,
        texts,
        containers,
        version: version.map(|_| Hang {
            lead: String::new(),
            comma: Comma::First,
        }),
    })
}

/// See [`crate::doc::Doc::replace`]. A comment inside goes with the old element: the caller decides that.
pub(super) fn replace(
    doc: &TomlDoc<'_>,
    element: &Element,
    value: &Value,
) -> Result<Splice, Fault> {
    let scan = &doc.scan;
    let old = scan.text.get(element.span.clone()).unwrap_or_default();
    let new = if scan.block_with(&element.span).is_some() {
        let header = header_of(old);
        print::block(header, value, text::newline(scan.text))?
    } else {
        print::inline(value)?
    };
    let splice = Splice {
        range: element.span.clone(),
        text: new,
    };
    prove::replacement(doc, element, value, &splice)?;
    Ok(splice)
}

/// The header of a block, as its owner spelt it.
fn header_of(block: &str) -> &str {
    let mut cursor = Cursor::new(block, 2);
    let end = cursor.key(&mut Vec::new()).map_or(0, |()| cursor.at + 2);
    block.get(..end).unwrap_or_default()
}

fn splice(at: usize, text: String) -> Splice {
    Splice {
        range: at..at,
        text,
    }
}

/// The value array to extend, or `None` where a block is due.
fn target<'a>(doc: &TomlDoc<'a>, path: &[String]) -> Result<Option<Val<'a>>, Fault> {
    let name = path.join(".");
    let wrong = |at, what| {
        Fault::at(
            "wrong-kind",
            at,
            format!("`{name}` is {what} where a list is due"),
        )
    };
    match lists::find(&doc.scan, path) {
        Found::Missing | Found::Blocks(_) => Ok(None),
        Found::Table(id) => Err(wrong(doc.scan.at(id), "a table")),
        Found::Value { val, inside: true } => Err(Fault::at(
            "conflict",
            val.span.start,
            format!("`{name}` stands inside an inline table"),
        )),
        Found::Value { val, .. } => match val.form {
            Form::Array(_) => Ok(Some(val)),
            Form::Table(_) => Err(wrong(val.span.start, "an inline table")),
            Form::Scalar => Err(wrong(val.span.start, "a single value")),
        },
        Found::Wrong { at, what, key } => Err(Fault::at(
            if what == INLINE {
                "conflict"
            } else {
                "wrong-kind"
            },
            at,
            format!("`{key}` is {what}: `{name}` can't be added below it"),
        )),
    }
}

/// The newlines before a block: one blank line between it and what stands there, none in an empty file.
fn block_lead(text: &str, newline: &str, version: bool) -> String {
    let body = text.get(text::bom_len(text)..).unwrap_or_default();
    let Some(lines) = body.strip_suffix('\n') else {
        return match (body.is_empty(), version) {
            (true, false) => String::new(),
            (true, true) => newline.to_owned(),
            (false, _) => newline.repeat(2),
        };
    };
    let lines = lines.strip_suffix('\r').unwrap_or(lines);
    let blank = lines.is_empty() || lines.ends_with('\n');
    if blank {
        String::new()
    } else {
        newline.to_owned()
    }
}

/// A value array that takes elements at its end.
struct Grow {
    anchor: usize,
    lead: String,
    comma: Comma,
    /// Nothing of ours stands in it yet.
    first: bool,
    /// It was empty: the white space due before its closing bracket.
    filled: Option<String>,
}

impl Grow {
    /// Reads the array's style; puts the comma behind its last element when it has none.
    fn new(text: &str, newline: &str, val: &Val<'_>, splices: &mut Vec<Splice>) -> Self {
        let Form::Array(slots) = &val.form else {
            return Self::empty(text, newline, val);
        };
        let Some(last) = slots.last() else {
            return Self::empty(text, newline, val);
        };
        let behind = last.comma.map_or(last.val.span.end, |c| c + 1);
        let comment = same_line_comment(text, behind);
        let anchor = comment.unwrap_or(behind);
        let comma = match (last.comma, comment) {
            (Some(_), _) => Comma::After,
            (None, Some(_)) => Comma::Apart,
            (None, None) => Comma::Before,
        };
        if last.comma.is_none() {
            splices.push(splice(last.val.span.end, ",".to_owned()));
        }
        Self {
            anchor,
            lead: lead(text, newline, val, slots, last, comment.is_some()),
            comma,
            first: true,
            filled: None,
        }
    }

    fn empty(text: &str, newline: &str, val: &Val<'_>) -> Self {
        let close = val.span.end.saturating_sub(1);
        let mut cursor = Cursor::new(text, val.span.start + 1);
        // Comments inside an empty array stay before us.
        let mut anchor = cursor.at;
        while cursor.at < close {
            if cursor.comment() {
                anchor = cursor.at;
            } else {
                cursor.at += 1;
            }
        }
        let indent = indent(text, val.span.start);
        let rest = text.get(anchor..close).unwrap_or_default();
        Self {
            anchor,
            lead: format!("{newline}{indent}  "),
            comma: Comma::First,
            first: true,
            filled: Some(if rest.contains('\n') {
                String::new()
            } else {
                format!("{newline}{indent}")
            }),
        }
    }

    fn add(&mut self, value: &Value) -> Result<(Hang, Splice, String), Fault> {
        let text = print::inline(value)?;
        let lead = &self.lead;
        let first = std::mem::take(&mut self.first);
        let (comma, whole) = match self.comma {
            Comma::After => (Comma::After, format!("{lead}{text},")),
            // The comma of the user's last element has its own splice.
            comma if first => (comma, format!("{lead}{text}")),
            _ => (Comma::Before, format!(",{lead}{text}")),
        };
        let hang = Hang {
            lead: lead.clone(),
            comma,
        };
        Ok((hang, splice(self.anchor, whole), text))
    }
}

/// Where the comment on the rest of this line ends, if there is one.
fn same_line_comment(text: &str, at: usize) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    cursor.ws();
    cursor.comment().then_some(cursor.at)
}

/// The white space before a new last element.
fn lead(
    text: &str,
    newline: &str,
    val: &Val<'_>,
    slots: &[Slot<'_>],
    last: &Slot<'_>,
    after_comment: bool,
) -> String {
    let start = last.val.span.start;
    let before = text.get(val.span.start..start).unwrap_or_default();
    let run = &before[before.trim_end_matches([' ', '\t', '\r', '\n']).len()..];
    if run.contains('\n') {
        return format!("{newline}{}", indent(text, start));
    }
    if after_comment {
        return format!("{newline}{}  ", indent(text, val.span.start));
    }
    if slots.len() > 1 {
        run.to_owned()
    } else {
        " ".to_owned()
    }
}

/// The white space at the start of the line that an offset stands in.
fn indent(text: &str, at: usize) -> &str {
    let before = text.get(text::bom_len(text)..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(before, |nl| &before[nl + 1..]);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
