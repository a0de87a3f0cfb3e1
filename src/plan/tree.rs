//! Files that are wholly ours, decided one by one (spec 2.2). Pure.

use super::matching::same;
use super::reconcile::{Goal, Known, Outcome, reconcile};
use crate::doc::{Comma, Container, Doc, Element, Fault, Hang, Root, Shape};
use crate::ledger::{Entry, Merge, Origin, Owner, OwnerState, Print, State, TreeFile};
use crate::spec::Format;
use crate::spec::command::{commands, own_form};
use serde_json::Value;

/// What an install does with one tree file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// It is there as wanted and recorded.
    Nothing,
    /// It is there as wanted: record it.
    Record,
    /// Write it (over what is there, if anything is).
    Write,
    /// Another gitvow's file stands there: write over it, a copy first.
    Adopt,
    /// The user edited it: left.
    Edited,
    /// Somebody's file stands there.
    Taken,
    /// Another gitvow's file stands there: `--adopt` takes it over.
    Adoptable,
}

/// Decides what an install does. `there`: fingerprint and text of the file.
pub fn put(
    there: Option<(&Print, &str)>,
    record: Option<&TreeFile>,
    wanted: &Print,
    json: bool,
    legacy: &[String],
    force: bool,
    adopt: bool,
) -> Put {
    let Some((print, text)) = there else {
        return Put::Write;
    };
    match record {
        Some(r) if r.state.is_active() && r.print == *print => {
            if print == wanted {
                Put::Nothing
            } else {
                Put::Write
            }
        }
        Some(_) if print == wanted => Put::Record,
        Some(_) if force => Put::Write,
        Some(_) => Put::Edited,
        None if print == wanted => Put::Record,
        None if json && wholly_own(text) || is_older(text, legacy) => {
            if adopt {
                Put::Adopt
            } else {
                Put::Adoptable
            }
        }
        None => Put::Taken,
    }
}

/// Does its first line begin as an older gitvow's did?
fn is_older(text: &str, legacy: &[String]) -> bool {
    let text = text.strip_prefix(crate::doc::text::BOM).unwrap_or(text);
    legacy.iter().any(|line| text.starts_with(line.as_str()))
}

/// Every command in a JSON text is of gitvow's own form, and there is one.
fn wholly_own(text: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    let mut found = Vec::new();
    collect(&value, &mut found);
    !found.is_empty() && found.iter().all(|c| own_form(c).is_some())
}

fn collect<'v>(value: &'v Value, out: &mut Vec<&'v str>) {
    match value {
        Value::Object(map) if crate::spec::command::is_entry(map) => out.extend(commands(value)),
        Value::Object(map) => map.values().for_each(|v| collect(v, out)),
        Value::Array(items) => items.iter().for_each(|v| collect(v, out)),
        _ => {}
    }
}

/// The fingerprint by which a tree file is judged. In a repository git may have converted its newlines, which
/// nobody did by hand: there a text counts as it would with LF.
pub fn judged(text: &str, in_repository: bool) -> Print {
    if in_repository && text.contains("\r\n") {
        return super::print_of(std::iter::once(text.replace("\r\n", "\n").as_str()));
    }
    super::print_of(std::iter::once(text))
}

/// What an uninstall does with one recorded tree file.
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// It is gone.
    Gone,
    /// It is as we wrote it: away with it.
    Remove,
    /// The user edited it and it is no JSON, or nothing of ours can be told apart: kept.
    Keep,
    /// The user edited it: our entries go, theirs stay.
    Cut(Box<Outcome>),
}

/// Decides what an uninstall does.
pub fn take(there: Option<(&Print, &str)>, record: &TreeFile, force: bool) -> Result<Take, Fault> {
    let Some((print, text)) = there else {
        return Ok(Take::Gone);
    };
    if *print == record.print || force {
        return Ok(Take::Remove);
    }
    let (Some(ours), Some(owner)) = (&record.json, &record.owner) else {
        return Ok(Take::Keep);
    };
    let out = cut_ours(text, ours, owner)?;
    Ok(if out.splices.is_empty() && out.unfinished {
        Take::Keep
    } else {
        Take::Cut(Box::new(out))
    })
}

/// Treats an edited file as a merge of the entries that we wrote into it.
fn cut_ours(text: &str, ours: &str, owner: &Owner) -> Result<Outcome, Fault> {
    let root = Root {
        path: vec!["hooks".to_owned()],
        shape: Shape::Events,
    };
    let written = Doc::open(Format::Json, ours, &[root])?;
    let elements = written.elements();
    let lists = elements.chunk_by(|a, b| a.path == b.path);
    let containers = lists.enumerate().filter_map(|(n, list)| {
        let comma = if n == 0 { Comma::First } else { Comma::Before };
        list_of(ours, list.first()?, list.last()?, comma)
    });
    let containers = containers.collect();
    let entries = elements.into_iter().map(|e| Entry {
        owner: owner.clone(),
        path: e.path,
        text: ours.get(e.span.clone()).unwrap_or_default().to_owned(),
        value: e.value,
        hang: Hang {
            lead: white_before(ours, e.span.start),
            comma: if e.index == 0 {
                Comma::First
            } else {
                Comma::Before
            },
        },
        state: State::Active,
    });
    let state = OwnerState {
        owner: owner.clone(),
        root: vec!["hooks".to_owned()],
        list: false,
        block: false,
        adapter: None,
    };
    let nothing = super::print_of(std::iter::empty());
    let merge = Merge {
        format: Format::Json,
        origin: Origin {
            existed: true,
            print: nothing.clone(),
        },
        after: nothing,
        inserted: Vec::new(),
        owners: vec![state],
        entries: entries.collect(),
        containers,
        version: None,
        layout: None,
    };
    let known = Known {
        text: Some(text),
        record: Some(&merge),
        format: Format::Json,
        shortcut: false,
    };
    reconcile(
        &known,
        &Goal::Take {
            owner,
            wish: None,
            force: false,
        },
    )
}

/// The list whose first and last elements these are, as we made it: it goes when nothing is left in it.
fn list_of(ours: &str, first: &Element, last: &Element, comma: Comma) -> Option<Container> {
    let key = format!("{}:", serde_json::to_string(first.path.last()?).ok()?);
    // The nearest before its elements: a text that says the same can only stand within another value, farther away.
    let at = ours.get(..first.span.start)?.rfind(&key)?;
    let behind = ours.get(last.span.end..)?;
    let tail = behind.len() - behind.trim_start_matches([' ', '\t', '\n', '\r']).len();
    Some(Container {
        path: first.path.clone(),
        created: Some(Hang {
            lead: white_before(ours, at),
            comma,
        }),
        tail: behind.get(..tail)?.to_owned(),
        behind: String::new(),
    })
}

fn white_before(text: &str, at: usize) -> String {
    let head = text.get(..at).unwrap_or_default();
    head.get(head.trim_end_matches([' ', '\t', '\n', '\r']).len()..)
        .unwrap_or_default()
        .to_owned()
}

/// Nothing of the user's is in what an uninstall would leave of a JSON tree file: it says what ours says less its
/// entries, with or without the lists that held them.
pub fn only_skeleton(left: &str, ours: &str) -> bool {
    fn without_lists(value: &Value, all: bool) -> Value {
        match value {
            Value::Object(map) => map
                .iter()
                .filter(|(_, v)| !v.as_array().is_some_and(|list| all || list.is_empty()))
                .map(|(k, v)| (k.clone(), without_lists(v, all)))
                .collect(),
            other => other.clone(),
        }
    }
    match (
        serde_json::from_str::<Value>(left),
        serde_json::from_str::<Value>(ours),
    ) {
        (Ok(left), Ok(ours)) => same(&without_lists(&left, false), &without_lists(&ours, true)),
        _ => false,
    }
}
