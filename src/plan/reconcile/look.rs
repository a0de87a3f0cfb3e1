//! What became of an owner's entries: doctor's question. Pure; it plans nothing, and it matches exactly as
//! install and uninstall do.

use super::Finding;
use super::{Known, Match, Matched, Wish};
use crate::doc::layout::LINE_ENDS;
use crate::doc::{Doc, Element, Fault, lookup};
use crate::ledger::Entry;
use crate::plan::matching::{difference, same};
use crate::plan::pieces::Pieces;
use crate::spec::Scope;
use crate::spec::command::{commands, own_form};
use serde_json::Value;

/// What is there of one owner.
#[derive(Debug)]
pub struct Look<'k> {
    /// What differs from the record, in the order of its entries, then what nobody recorded.
    pub findings: Vec<Finding>,
    /// The recorded entries that are there in some form.
    pub seen: Vec<Seen<'k>>,
    /// What somebody laid out anew, each as a phrase; empty: an uninstall gives the rest back byte for byte.
    pub anew: Vec<&'static str>,
    /// The text, read.
    pub doc: Doc<'k>,
}

/// One recorded entry that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen<'k> {
    /// As recorded.
    pub entry: &'k Entry,
    /// Keys from the root to the list in which it stands.
    pub keys: Vec<String>,
    /// Its place in that list.
    pub index: usize,
    /// Byte offset.
    pub at: usize,
    /// What it says now.
    pub value: Value,
    /// Compared with the record.
    pub stand: Stand,
}

/// How an entry stands to its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// It says what was recorded, where it was.
    Same,
    /// It says something else.
    Edited,
    /// It says the same in another list.
    Moved,
    /// Nobody recorded it, yet but for the program that it runs it is a recorded entry that is gone.
    Rerouted,
}

/// Looks at the entries of one owner. `wish`: who, and the names by which a command may call that agent; of its
/// entries nothing is asked.
pub fn look<'k>(known: &Known<'k>, wish: &Wish) -> Result<Look<'k>, Fault> {
    let before = known
        .text
        .map(|t| crate::plan::print_of(std::iter::once(t)));
    let mut m = Matched::new(known, before.as_ref(), Some(wish))?;
    let owner = &wish.owner.owner;
    let (mut findings, mut seen): (Vec<Finding>, Vec<Seen<'k>>) = (Vec::new(), Vec::new());
    let mut emptied: Vec<Vec<String>> = Vec::new();
    let (mut strangers, others): (Vec<_>, Vec<_>) = m
        .unrecorded_of_all()
        .into_iter()
        .partition(|u| u.is_for(&wish.names));
    for (entry, found) in m.entries.iter().zip(&m.matches) {
        if entry.owner != *owner {
            continue;
        }
        let mut find = |code, n, detail| {
            findings.push(m.finding(code, owner, &entry.path, n, detail));
        };
        let stand = match found {
            Match::Same(_) => Stand::Same,
            Match::Edited(n) => {
                let element = &m.elements[*n];
                let detail = difference(&entry.value, &element.value);
                let at = other_command(m.text, element, entry);
                find("entry-edited", Some(*n), detail);
                if let (Some(at), Some(last)) = (at, findings.last_mut()) {
                    last.at = Some(at);
                }
                Stand::Edited
            }
            Match::Moved(n) => {
                let keys = m.elements[*n].path.join(".");
                find(
                    "entry-moved",
                    Some(*n),
                    format!("it stands under `{keys}` now"),
                );
                Stand::Moved
            }
            Match::Gone => {
                let twin = strangers.iter().position(|s| rewired(&s.element, entry));
                if let Some(n) = twin {
                    let element = strangers.remove(n).element;
                    let stand = if for_the_same(&element.value, &entry.value) {
                        Stand::Rerouted
                    } else {
                        findings.push(Finding {
                            code: "entry-rewired",
                            owner: owner.clone(),
                            keys: entry.path.clone(),
                            at: Some(element.span.start),
                            detail: difference(&entry.value, &element.value),
                        });
                        Stand::Edited
                    };
                    seen.push(Seen {
                        entry,
                        keys: element.path,
                        index: element.index,
                        at: element.span.start,
                        value: element.value,
                        stand,
                    });
                    continue;
                }
                // Made to call another agent: whose it is now can't be told.
                if let Some(other) = others.iter().find(|s| rewired(&s.element, entry)) {
                    findings.push(Finding {
                        code: "entry-renamed",
                        owner: owner.clone(),
                        keys: entry.path.clone(),
                        at: Some(other.element.span.start),
                        detail: difference(&entry.value, &other.element.value),
                    });
                    continue;
                }
                match empty_container(known, &entry.path) {
                    Some((at, keys)) if !emptied.contains(&keys) => {
                        findings.push(Finding {
                            code: "container-emptied",
                            owner: owner.clone(),
                            keys: keys.clone(),
                            at: Some(at),
                            detail: format!("`{}` is empty", keys.join(".")),
                        });
                        emptied.push(keys);
                    }
                    Some(_) => {}
                    None => find("entry-missing", None, "it is not in the file".to_owned()),
                }
                continue;
            }
        };
        if let Some(n) = found.element() {
            let element = &mut m.elements[n];
            seen.push(Seen {
                entry,
                keys: element.path.clone(),
                index: element.index,
                at: element.span.start,
                // Matched once, and asked for nothing more below.
                value: element.value.take(),
                stand,
            });
        }
    }
    m.duplicates(owner, &mut findings);
    findings.retain(|f| f.owner == *owner);
    for stranger in strangers {
        let at = stranger.element.span.start;
        if findings.iter().any(|f| f.at == Some(at)) {
            continue;
        }
        findings.push(Finding {
            code: "unrecorded-entry",
            owner: owner.clone(),
            keys: stranger.element.path.clone(),
            at: Some(at),
            detail: wish.stranger(&stranger.element.path, &stranger.form.path),
        });
    }
    Ok(Look {
        findings,
        seen,
        anew: anew(known, &m, wish),
        doc: m.doc,
    })
}

/// Where a command stands in an element that isn't one of the entry's.
fn other_command(text: &str, element: &Element, entry: &Entry) -> Option<usize> {
    let recorded = commands(&entry.value);
    let mut all = commands(&element.value).into_iter();
    let other = all.find(|c| !recorded.contains(c))?;
    let literal = Value::from(other).to_string();
    let at = text.get(element.span.clone())?.find(&literal)?;
    Some(element.span.start + at)
}

/// What was laid out anew since gitvow wrote the file. In a repository git may have given it other line ends.
fn anew(known: &Known<'_>, m: &Matched<'_>, wish: &Wish) -> Vec<&'static str> {
    if m.untouched {
        return Vec::new();
    }
    let cut = m.cut_with_version(m.standing().collect(), &m.containers, true);
    if let (Some(record), Ok(Some((cut, _)))) = (known.record, &cut) {
        let mut rest = Pieces::new(m.text, &[]);
        rest.splice(&super::cuts(&cut.ranges));
        // Whatever it looks like: to the byte what was there, or a file of our making that goes.
        let goes = !record.origin.existed && rest.is_blank();
        if goes || rest.print() == record.origin.print {
            return Vec::new();
        }
    }
    let layout = known.record.and_then(|r| r.layout.as_ref());
    let mut out = layout.map_or_else(Vec::new, |l| l.differs(known.format, m.text));
    if wish.owner.owner.scope == Scope::Repo {
        out.retain(|what| *what != LINE_ENDS);
    }
    let exact = cut.is_ok_and(|cut| cut.is_none_or(|(cut, _)| cut.exact));
    if out.is_empty() && !exact {
        out.push("what stands around gitvow's entries");
    }
    out
}

/// Is this element the entry, but for the commands of own form in it?
fn rewired(element: &Element, entry: &Entry) -> bool {
    element.path == entry.path
        && !element.comments
        && same(
            &without_commands(&element.value),
            &without_commands(&entry.value),
        )
}

/// Do both run gitvow for the same agent and event?
fn for_the_same(a: &Value, b: &Value) -> bool {
    let what = |value: &Value| -> Vec<(Option<String>, String)> {
        let forms = commands(value).into_iter().filter_map(own_form);
        forms.map(|form| (form.agent, form.event)).collect()
    };
    what(a) == what(b)
}

fn without_commands(value: &Value) -> Value {
    match value {
        Value::String(text) if own_form(text).is_some() => Value::Null,
        Value::Array(list) => list.iter().map(without_commands).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(k, v)| (k.clone(), without_commands(v)))
            .collect(),
        other => other.clone(),
    }
}

/// The innermost of these keys that is there, if nothing is in it any more: its place and its keys.
fn empty_container(known: &Known<'_>, path: &[String]) -> Option<(usize, Vec<String>)> {
    let text = known.text?;
    let (at, value, keys) = (1..=path.len()).rev().find_map(|n| {
        let keys = path.get(..n)?;
        lookup(known.format, text, keys).map(|(at, value)| (at, value, keys))
    })?;
    let empty = match &value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    empty.then(|| (at, keys.to_vec()))
}
