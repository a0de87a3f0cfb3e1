//! How a document is laid out, read from the document and never imposed; and printing of *our* values in
//! that layout. It may not print anything of the user's.

use super::scan::{Located, comment_end};
use crate::doc::text;
use serde_json::Value;

/// The document's habits.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) newline: &'static str,
    /// One level of indentation.
    pub(super) unit: String,
}

/// How children stand in one container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// On lines of their own, indented by this.
    Lines { indent: String },
    /// On one line; a space behind commas and colons or not.
    OneLine { space: bool },
}

impl Style {
    pub(super) fn of(text: &str, root: Option<&Located>) -> Self {
        let unit = root
            .and_then(|root| {
                root.items
                    .iter()
                    .find_map(|i| own_line_indent(text, root, i.start()))
            })
            .map(|indent| {
                let base = root.map_or("", |r| line_indent(text, r.open));
                indent.strip_prefix(base).unwrap_or(&indent).to_owned()
            });
        Self {
            newline: text::newline(text),
            unit: unit.unwrap_or_else(|| "  ".to_owned()),
        }
    }

    /// Appends `value` as it stands in a container of this layout.
    pub(super) fn print(&self, out: &mut String, value: &Value, layout: &Layout) {
        match value {
            Value::Array(items) => {
                let children = items.iter().map(|v| (None, v));
                self.print_children(out, ['[', ']'], children, layout);
            }
            Value::Object(members) => {
                let children = members.iter().map(|(k, v)| (Some(k.as_str()), v));
                self.print_children(out, ['{', '}'], children, layout);
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    fn print_children<'v>(
        &self,
        out: &mut String,
        brackets: [char; 2],
        children: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
        layout: &Layout,
    ) {
        out.push(brackets[0]);
        let inner = self.deeper(layout);
        let mut empty = true;
        for (key, value) in children {
            if !empty {
                out.push(',');
            }
            out.push_str(&self.lead(&inner, empty));
            empty = false;
            if let Some(key) = key {
                self.print_key(out, key, &inner);
            }
            self.print(out, value, &inner);
        }
        if !empty {
            out.push_str(&self.tail(layout));
        }
        out.push(brackets[1]);
    }

    /// `"key": `
    pub(super) fn print_key(&self, out: &mut String, key: &str, layout: &Layout) {
        out.push_str(&Value::from(key).to_string());
        out.push(':');
        if *layout != (Layout::OneLine { space: false }) {
            out.push(' ');
        }
    }

    /// The layout of a child's own children.
    pub(super) fn deeper(&self, layout: &Layout) -> Layout {
        match layout {
            Layout::Lines { indent } => Layout::Lines {
                indent: format!("{indent}{}", self.unit),
            },
            one => one.clone(),
        }
    }

    /// The white space before a child.
    pub(super) fn lead(&self, layout: &Layout, first: bool) -> String {
        match layout {
            Layout::Lines { indent } => format!("{}{indent}", self.newline),
            Layout::OneLine { space } if *space && !first => " ".to_owned(),
            Layout::OneLine { .. } => String::new(),
        }
    }

    /// The white space before the closing bracket of a container that itself stands in `layout`.
    pub(super) fn tail(&self, layout: &Layout) -> String {
        match layout {
            Layout::Lines { indent } => format!("{}{indent}", self.newline),
            Layout::OneLine { .. } => String::new(),
        }
    }
}

/// The indentation of an item that is the first thing on its line.
fn own_line_indent(text: &str, container: &Located, start: usize) -> Option<String> {
    let run = white_before(text, container.open + 1, start);
    let line = run.rfind(['\n', '\r'])?;
    Some(run[line + 1..].to_owned())
}

/// The white space right before `at`, going back no further than `floor`.
pub(super) fn white_before(text: &str, floor: usize, at: usize) -> &str {
    let trimmed = text[floor..at].trim_end_matches([' ', '\t', '\n', '\r']);
    &text[floor + trimmed.len()..at]
}

/// The white space at the start of the line on which `at` stands.
pub(super) fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at]
        .rfind(['\n', '\r'])
        .map_or(text::bom_len(text), |i| i + 1);
    let rest = &text[start..at];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// How the children of `container` stand, or would stand.
pub(super) fn layout_of(text: &str, style: &Style, all: &[Located], container: &Located) -> Layout {
    if let (Some(first), Some(last)) = (container.items.first(), container.items.last()) {
        let own_line = own_line_indent(text, container, last.start())
            .or_else(|| own_line_indent(text, container, first.start()));
        return match own_line {
            Some(indent) => Layout::Lines { indent },
            None => Layout::OneLine {
                space: spaced(text, container),
            },
        };
    }
    let parent = container.parent.map(|(p, _)| &all[p]);
    let in_lines = match parent {
        _ if has_newline(&text[container.open..container.close]) => true,
        None => true,
        Some(parent) => parent
            .items
            .first()
            .is_some_and(|first| has_newline(&text[parent.open..first.start()])),
    };
    if in_lines {
        Layout::Lines {
            indent: format!("{}{}", line_indent(text, container.open), style.unit),
        }
    } else {
        Layout::OneLine {
            space: parent.is_none_or(|p| spaced(text, p)),
        }
    }
}

/// Is a space put behind commas and colons here?
fn spaced(text: &str, container: &Located) -> bool {
    let item = container.items.iter().find(|i| i.key.1 > i.key.0);
    if let Some(item) = item {
        let gap = &text[item.key.1 as usize..item.value.0 as usize];
        return gap.ends_with([' ', '\t']);
    }
    let inside = &text[container.open..container.close];
    match inside.find([':', ',']) {
        Some(i) => inside[i + 1..].starts_with([' ', '\t', '\n', '\r']),
        None => true,
    }
}

pub(super) fn has_newline(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// The end of the comments that stand behind `at` on the same line, and whether the last is a line comment.
pub(super) fn same_line_comments(text: &str, at: usize) -> Option<(usize, bool)> {
    let b = text.as_bytes();
    let mut end = None;
    let mut i = at;
    loop {
        match b.get(i) {
            Some(b' ' | b'\t') => i += 1,
            Some(b'/') => {
                let stop = comment_end(b, i)?;
                let line = b.get(i + 1) == Some(&b'/');
                end = Some((stop, line));
                if line || has_newline(&text[i..stop]) {
                    return end;
                }
                i = stop;
            }
            _ => return end,
        }
    }
}

/// The end of the last comment in a stretch of white space and comments.
pub(super) fn last_comment_end(text: &str, from: usize, to: usize) -> Option<usize> {
    let b = text.as_bytes();
    let (mut i, mut end) = (from, None);
    while i < to {
        if b[i] == b'/'
            && let Some(stop) = comment_end(b, i)
        {
            end = Some(stop);
            i = stop;
        } else {
            i += 1;
        }
    }
    end
}
