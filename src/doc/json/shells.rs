//! Containers that hold nothing but certain elements. Only looks; whether they may go is decided elsewhere.

use super::JsonDoc;
use super::scan::{Located, NONE};
use super::style::white_before;
use crate::doc::{Comma, Container, Hang};
use std::collections::HashSet;
use std::ops::Range;

/// See [`crate::doc::Doc::shells`].
pub(super) fn shells(
    doc: &JsonDoc<'_>,
    taken: &[Range<usize>],
    also: &[Range<usize>],
    known: &[Container],
) -> Vec<Container> {
    let key = |r: &Range<usize>| (r.start, r.end);
    let taken: HashSet<_> = taken.iter().map(key).collect();
    let also: HashSet<_> = also.iter().map(key).collect();
    let all = &doc.containers;
    let mut shell = vec![false; all.len()];
    let mut out = Vec::new();
    // Children stand behind their parents.
    for (n, c) in all.iter().enumerate().rev() {
        let twice = all.iter().filter(|o| o.path == c.path).count() > 1;
        if c.items.is_empty() || twice || remark(doc, c) || known.iter().any(|k| k.path == c.path) {
            continue;
        }
        let (mut fresh, mut only) = (false, true);
        for item in &c.items {
            let span = item.span();
            if c.list && taken.contains(&key(&span)) {
                fresh = true;
            } else if c.list && also.contains(&key(&span)) {
                // Ours already.
            } else if !c.list && item.inner != NONE {
                let inner = item.inner as usize;
                let path = all.get(inner).map(|i| &i.path);
                let made = |k: &Container| k.created.is_some() && Some(&k.path) == path;
                let is_shell = shell.get(inner).copied().unwrap_or(false);
                fresh |= is_shell;
                only &= is_shell || known.iter().any(made);
            } else {
                only = false;
            }
        }
        // A comment beside what is in it holds a container; to the root object it is the user's content.
        only &= !remarked(doc, c);
        if let (true, true, Some(mark)) = (fresh, only, shell.get_mut(n)) {
            *mark = true;
            out.push(container(doc, c));
        }
    }
    out.reverse();
    out
}

/// Does a comment stand between its key and it? Nothing else there has a slash.
fn remark(doc: &JsonDoc<'_>, c: &Located) -> bool {
    let item = c.parent.and_then(|(parent, item)| {
        let parent = doc.containers.get(parent)?;
        parent.items.get(item)
    });
    item.is_some_and(|item| {
        let gap = doc.text.get(item.key.1 as usize..item.value.0 as usize);
        gap.is_none_or(|gap| gap.contains('/'))
    })
}

/// Does a comment stand in it, beside its items?
fn remarked(doc: &JsonDoc<'_>, c: &Located) -> bool {
    let ends = std::iter::once(c.open + 1).chain(c.items.iter().map(|i| i.end()));
    let starts = c.items.iter().map(|i| i.start());
    let mut gaps = ends.zip(starts.chain([c.close]));
    gaps.any(|(from, to)| doc.text.get(from..to).is_none_or(|gap| gap.contains('/')))
}

/// As it would be recorded, read off the text. The root object was there: only its interior comes back.
fn container(doc: &JsonDoc<'_>, c: &Located) -> Container {
    let hang = c.parent.and_then(|(parent, item)| {
        let parent = doc.containers.get(parent)?;
        let start = parent.items.get(item)?.start();
        let run = white_before(doc.text, parent.open + 1, start);
        let line = run.rfind(['\n', '\r']).map_or(0, |at| {
            if run[..=at].ends_with("\r\n") {
                at - 1
            } else {
                at
            }
        });
        Some(Hang {
            lead: run[line..].to_owned(),
            comma: if item == 0 {
                Comma::First
            } else {
                Comma::Before
            },
        })
    });
    Container {
        path: c.path.clone(),
        created: hang,
        tail: white_before(doc.text, c.open + 1, c.close).to_owned(),
        behind: String::new(),
    }
}
