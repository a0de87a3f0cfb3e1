//! Where our text goes in. It only inserts: it may not touch a byte that is there.

use super::JsonDoc;
use super::scan::{Kind, Located, NONE};
use super::style::{
    Layout, Style, has_newline, last_comment_end, layout_of, line_indent, same_line_comments,
};
use super::verify::prove;
use crate::doc::{Addition, Comma, Container, Fault, Hang, Insertion, Splice, text::bom_len};
use serde_json::Value;

/// New children of a container: members with what they hold, then elements with the addition they are.
#[derive(Default)]
struct New<'v> {
    members: Vec<(&'v str, New<'v>)>,
    elements: Vec<(&'v Value, usize)>,
    version: Option<&'v str>,
}

impl<'v> New<'v> {
    fn below(&mut self, path: &'v [String]) -> &mut Self {
        path.iter().fold(self, |new, key| {
            let at = new
                .members
                .iter()
                .position(|(k, _)| k == key)
                .unwrap_or_else(|| {
                    new.members.push((key, New::default()));
                    new.members.len() - 1
                });
            &mut new.members[at].1
        })
    }

    fn is_list(&self) -> bool {
        !self.elements.is_empty()
    }
}

/// What the writing of new children yields besides text.
struct Marks {
    hangs: Vec<Option<(Hang, String)>>,
    containers: Vec<Container>,
    version: Option<Hang>,
}

pub(super) fn insert(
    doc: &JsonDoc<'_>,
    additions: &[Addition],
    version: Option<&str>,
) -> Result<Insertion, Fault> {
    let text = doc.text;
    let style = Style::of(text, doc.containers.first());
    let mut marks = Marks {
        hangs: vec![None; additions.len()],
        containers: Vec::new(),
        version: None,
    };
    let mut splices: Vec<Splice> = Vec::new();
    match doc.root {
        None => {
            let mut new = New {
                version,
                ..New::default()
            };
            for (i, addition) in additions.iter().enumerate() {
                new.below(&addition.path)
                    .elements
                    .push((&addition.value, i));
            }
            splices.push(blank(text, &style, &new, &mut marks));
        }
        Some(_) => {
            let mut hosts: Vec<(usize, New<'_>)> = Vec::new();
            for (i, addition) in additions.iter().enumerate() {
                let (host, depth) = host_of(doc, &addition.path)?;
                let at = hosts
                    .iter()
                    .position(|(h, _)| *h == host)
                    .unwrap_or_else(|| {
                        hosts.push((host, New::default()));
                        hosts.len() - 1
                    });
                let new = hosts[at].1.below(&addition.path[depth..]);
                new.elements.push((&addition.value, i));
            }
            for (host, new) in &hosts {
                extend(
                    doc,
                    &style,
                    &doc.containers[*host],
                    new,
                    &mut splices,
                    &mut marks,
                );
            }
        }
    }
    splices.sort_by_key(|s| s.range.start);
    let hangs: Option<Vec<(Hang, String)>> = marks.hangs.into_iter().collect();
    let hangs = hangs.ok_or_else(|| Fault::whole("unproven", "an entry got lost on the way"))?;
    let (hangs, texts) = hangs.into_iter().unzip();
    let insertion = Insertion {
        splices,
        hangs,
        texts,
        containers: marks.containers,
        version: marks.version,
    };
    let new_text = crate::doc::apply(text, &insertion.splices);
    prove(&new_text, &inserted_ranges(&insertion.splices), text, None)?;
    Ok(insertion)
}

/// Where pure insertions stand in the new text.
fn inserted_ranges(splices: &[Splice]) -> Vec<std::ops::Range<usize>> {
    let mut shift = 0;
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::with_capacity(splices.len());
    for splice in splices {
        let start = splice.range.start + shift;
        shift += splice.text.len();
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = start + splice.text.len(),
            _ => ranges.push(start..start + splice.text.len()),
        }
    }
    ranges
}

/// The innermost existing container on the way to a list, and how many keys lead to it.
fn host_of(doc: &JsonDoc<'_>, path: &[String]) -> Result<(usize, usize), Fault> {
    if !matches!(doc.root, Some((_, Kind::Object))) {
        let at = doc.root.as_ref().map(|(span, _)| span.start);
        return Err(Fault {
            code: "not-an-object",
            message: "the document is not an object".into(),
            at,
        });
    }
    let mut host = 0;
    for (depth, key) in path.iter().enumerate() {
        let container = &doc.containers[host];
        let mut found = container
            .items
            .iter()
            .filter(|i| doc.key(i) == Some(key.as_str().into()));
        let Some(item) = found.next() else {
            return Ok((host, depth));
        };
        if let Some(second) = found.next() {
            return Err(Fault::at(
                "duplicate-key",
                second.start(),
                format!("the key `{key}` stands here a second time"),
            ));
        }
        let list = depth + 1 == path.len();
        let wanted = if list { Kind::Array } else { Kind::Object };
        if item.kind != wanted || item.inner == NONE {
            let what = if list { "an array" } else { "an object" };
            let place = path[..=depth].join(".");
            return Err(Fault::at(
                "wrong-kind",
                item.value.0 as usize,
                format!("`{place}` is not {what}"),
            ));
        }
        host = item.inner as usize;
    }
    Ok((host, path.len()))
}

/// Gives a text without any value a root object.
fn blank(text: &str, style: &Style, new: &New<'_>, marks: &mut Marks) -> Splice {
    let comment = last_comment_end(text, bom_len(text), text.len());
    let at = comment.unwrap_or(bom_len(text));
    let lead = if comment.is_some() { style.newline } else { "" };
    let behind = if has_newline(&text[at..]) {
        ""
    } else {
        style.newline
    };
    let layout = Layout::Lines {
        indent: style.unit.clone(),
    };
    let mut out = format!("{lead}{{");
    let tail = style.newline.to_owned();
    marks.containers.push(Container {
        path: Vec::new(),
        created: Some(Hang {
            lead: lead.to_owned(),
            comma: Comma::First,
        }),
        tail: tail.clone(),
        behind: behind.to_owned(),
    });
    write_children(&mut out, style, &layout, new, &[], Comma::First, marks);
    out.push_str(&tail);
    out.push('}');
    out.push_str(behind);
    Splice {
        range: at..at,
        text: out,
    }
}

/// Appends new children to a container that is there.
fn extend(
    doc: &JsonDoc<'_>,
    style: &Style,
    host: &Located,
    new: &New<'_>,
    splices: &mut Vec<Splice>,
    marks: &mut Marks,
) {
    let text = doc.text;
    let mut layout = layout_of(text, style, &doc.containers, host);
    let mut out = String::new();
    let Some(last) = host.items.last() else {
        let at = last_comment_end(text, host.open + 1, host.close).unwrap_or(host.open + 1);
        let tail = match &layout {
            Layout::Lines { .. } if !has_newline(&text[at..host.close]) => {
                format!("{}{}", style.newline, line_indent(text, host.open))
            }
            _ => String::new(),
        };
        marks.containers.push(Container {
            path: host.path.clone(),
            created: None,
            tail: tail.clone(),
            behind: String::new(),
        });
        write_children(
            &mut out,
            style,
            &layout,
            new,
            &host.path,
            Comma::First,
            marks,
        );
        out.push_str(&tail);
        splices.push(Splice {
            range: at..at,
            text: out,
        });
        return;
    };
    let trailing = last.comma != NONE;
    let edge = if trailing {
        last.comma as usize + 1
    } else {
        last.end()
    };
    let comments = same_line_comments(text, edge);
    // Behind a line comment only a new line can begin our text.
    if matches!(comments, Some((_, true))) && matches!(layout, Layout::OneLine { .. }) {
        layout = Layout::Lines {
            indent: format!("{}{}", line_indent(text, host.open), style.unit),
        };
    }
    let at = comments.map_or(edge, |(end, _)| end);
    let comma = match (trailing, at == edge) {
        (true, _) => Comma::After,
        (false, true) => Comma::Before,
        (false, false) => Comma::Apart,
    };
    match comma {
        Comma::Before => out.push(','),
        Comma::Apart => splices.push(Splice {
            range: edge..edge,
            text: ",".to_owned(),
        }),
        Comma::After | Comma::First => {}
    }
    write_children(&mut out, style, &layout, new, &host.path, comma, marks);
    splices.push(Splice {
        range: at..at,
        text: out,
    });
}

/// Writes new children one behind the other; `comma` is how the first of them hangs.
fn write_children(
    out: &mut String,
    style: &Style,
    layout: &Layout,
    new: &New<'_>,
    path: &[String],
    comma: Comma,
    marks: &mut Marks,
) {
    let mut first = true;
    let mut begin = |out: &mut String| {
        let hang = if first {
            Hang {
                lead: style.lead(layout, comma == Comma::First),
                comma,
            }
        } else if comma == Comma::After {
            Hang {
                lead: style.lead(layout, false),
                comma,
            }
        } else {
            out.push(',');
            Hang {
                lead: style.lead(layout, false),
                comma: Comma::Before,
            }
        };
        first = false;
        out.push_str(&hang.lead);
        hang
    };
    let end = |out: &mut String| {
        if comma == Comma::After {
            out.push(',');
        }
    };
    if let Some(key) = new.version {
        marks.version = Some(begin(out));
        style.print_key(out, key, layout);
        out.push('1');
        end(out);
    }
    for (key, child) in &new.members {
        let hang = begin(out);
        style.print_key(out, key, layout);
        let mut path = path.to_vec();
        path.push((*key).to_owned());
        let tail = style.tail(layout);
        marks.containers.push(Container {
            path: path.clone(),
            created: Some(hang),
            tail: tail.clone(),
            behind: String::new(),
        });
        out.push(if child.is_list() { '[' } else { '{' });
        write_children(
            out,
            style,
            &style.deeper(layout),
            child,
            &path,
            Comma::First,
            marks,
        );
        out.push_str(&tail);
        out.push(if child.is_list() { ']' } else { '}' });
        end(out);
    }
    for (value, index) in &new.elements {
        let hang = begin(out);
        let start = out.len();
        style.print(out, value, layout);
        marks.hangs[*index] = Some((hang, out[start..].to_owned()));
        end(out);
    }
}
