//! Finding recorded entries in a document as it is now, and entries of ours that nobody recorded. Pure.
//!
//! An entry is judged by its whole value, unordered and with numbers compared by what they are: vendors
//! re-serialise, re-order keys and decode escapes (vendor-facts 0.4). It is *found* by its command.

use crate::doc::{Doc, Element};
use crate::ledger::Entry;
use crate::spec::command::{OwnForm, commands, own_form};
use serde_json::Value;

/// What became of a recorded entry; numbers are indices into the elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Match {
    /// It says what was recorded.
    Same(usize),
    /// It is there and says something else, or a comment stands in it.
    Edited(usize),
    /// It says what was recorded, in another list.
    Moved(usize),
    /// It isn't there.
    Gone,
}

impl Match {
    /// The element, if there is one.
    pub(super) fn element(&self) -> Option<usize> {
        match self {
            Self::Same(n) | Self::Edited(n) | Self::Moved(n) => Some(*n),
            Self::Gone => None,
        }
    }
}

/// Matches each entry to at most one element and each element to at most one entry.
pub(super) fn match_entries(text: &str, elements: &[Element], entries: &[Entry]) -> Vec<Match> {
    let mut taken = vec![false; elements.len()];
    let mut out = vec![Match::Gone; entries.len()];
    // Same bytes behind the same white space first, then the last equal one; sure matches before doubtful ones.
    let passes: [fn(&str, &Element, &Entry) -> bool; 6] = [
        |text, el, e| {
            text[el.span.clone()] == e.text && led_by(text, el, &e.hang.lead) && is_same(el, e)
        },
        |_, el, e| is_same(el, e),
        |_, el, e| el.path == e.path && holds_command(el, e),
        |_, el, e| el.path != e.path && !el.comments && same(&el.value, &e.value),
        |_, el, e| el.path != e.path && holds_command(el, e),
        |_, el, e| el.path == e.path && is_broken(&el.value, &e.value),
    ];
    for (n, pass) in passes.iter().enumerate() {
        for (i, entry) in entries.iter().enumerate() {
            if out[i] != Match::Gone {
                continue;
            }
            let found = (0..elements.len())
                .rev()
                .find(|k| !taken[*k] && pass(text, &elements[*k], entry));
            if let Some(k) = found {
                taken[k] = true;
                out[i] = match n {
                    0 | 1 => Match::Same(k),
                    3 => Match::Moved(k),
                    _ => Match::Edited(k),
                };
            }
        }
    }
    out
}

fn is_same(element: &Element, entry: &Entry) -> bool {
    element.path == entry.path && !element.comments && same(&element.value, &entry.value)
}

fn led_by(text: &str, element: &Element, lead: &str) -> bool {
    text[..element.span.start].ends_with(lead)
}

/// Does one of the entry's recorded commands stand in a command of the element?
fn holds_command(element: &Element, entry: &Entry) -> bool {
    let recorded = commands(&entry.value);
    commands(&element.value)
        .iter()
        .any(|c| recorded.iter().any(|r| c.contains(r)))
}

/// Is it what was recorded but for its commands, which mention gitvow and are of no form that it writes: a quote too
/// many, a wrapper? What runs gitvow as it stands is somebody's and was not recorded.
fn is_broken(found: &Value, recorded: &Value) -> bool {
    fn masked(value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains("gitvow") => Value::Null,
            Value::Array(list) => list.iter().map(masked).collect(),
            Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), masked(v))).collect(),
            other => other.clone(),
        }
    }
    let all = commands(found);
    !all.is_empty()
        && all
            .iter()
            .all(|c| c.contains("gitvow") && own_form(c).is_none())
        && same(&masked(found), &masked(recorded))
}

/// Equal in meaning: key order aside, numbers by value.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(v, w)| same(v, w))
        }
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// The first thing in which `found` differs from `recorded`, as a phrase.
pub(super) fn difference(recorded: &Value, found: &Value) -> String {
    fn walk(path: &str, recorded: &Value, found: &Value) -> Option<String> {
        let below = |key: &str| {
            if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            }
        };
        match (recorded, found) {
            _ if same(recorded, found) => None,
            (Value::Object(r), Value::Object(f)) => {
                for (key, value) in r {
                    match f.get(key) {
                        None => return Some(format!("`{}` is gone", below(key))),
                        Some(other) if !same(value, other) => {
                            return walk(&below(key), value, other);
                        }
                        Some(_) => {}
                    }
                }
                f.keys()
                    .find(|k| !r.contains_key(*k))
                    .map(|k| format!("`{}` was added", below(k)))
            }
            (Value::Array(r), Value::Array(f)) if r.len() == f.len() => {
                let at = r.iter().zip(f).position(|(a, b)| !same(a, b))?;
                walk(&format!("{path}[{at}]"), &r[at], &f[at])
            }
            (Value::Array(r), Value::Array(f)) => Some(format!(
                "`{path}` has {} elements, gitvow wrote {}",
                f.len(),
                r.len()
            )),
            _ => Some(format!("`{path}` is {found}, gitvow wrote {recorded}")),
        }
    }
    walk("", recorded, found).unwrap_or_else(|| "a comment stands in it".to_owned())
}

/// Handlers of one element that are ours as recorded, and whether anything else is in their list.
pub(super) struct Handlers {
    /// Ours, unedited.
    pub(super) ours: Vec<Element>,
    /// Ours, edited: a recorded command stands in them.
    pub(super) edited: Vec<Element>,
    /// Somebody else's.
    pub(super) foreign: usize,
}

/// The handlers of an entry that is a group (`hooks` below a matcher); `None` when it has no such list.
pub(super) fn handlers(doc: &Doc<'_>, element: &Element, entry: &Entry) -> Option<Handlers> {
    let recorded = entry.value.get("hooks")?.as_array()?;
    let mut out = Handlers {
        ours: Vec::new(),
        edited: Vec::new(),
        foreign: 0,
    };
    let commands_of = |v: &Value| {
        commands(v)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let wanted: Vec<String> = recorded.iter().flat_map(commands_of).collect();
    for handler in doc.handlers(element, "hooks") {
        if !handler.comments && recorded.iter().any(|r| same(r, &handler.value)) {
            out.ours.push(handler);
        } else if commands(&handler.value)
            .iter()
            .any(|c| wanted.iter().any(|w| c.contains(w.as_str())))
            || recorded.iter().any(|r| is_broken(&handler.value, r))
        {
            out.edited.push(handler);
        } else {
            out.foreign += 1;
        }
    }
    Some(out)
}

/// An element in which commands of gitvow's own form stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Unrecorded {
    /// The element.
    pub element: Element,
    /// Its first own-form command.
    pub form: OwnForm,
    /// Every command in it is of own form.
    pub whole: bool,
}

impl Unrecorded {
    /// Does it call one of these? Without `--agent`, claude is meant (4.1).
    pub(super) fn is_for(&self, names: &[String]) -> bool {
        let agent = self.form.agent.as_deref().unwrap_or("claude");
        names.iter().any(|n| n == agent)
    }
}

/// Own-form elements among those that no record claims.
pub(super) fn unrecorded(elements: &[Element], claimed: &[bool]) -> Vec<Unrecorded> {
    let free = elements
        .iter()
        .zip(claimed)
        .filter(|(_, claimed)| !**claimed)
        .map(|(e, _)| e);
    free.filter_map(|element| {
        let all = commands(&element.value);
        let mut forms = all.iter().filter_map(|c| own_form(c));
        let form = forms.next()?;
        let whole = 1 + forms.count() == all.len();
        Some(Unrecorded {
            element: element.clone(),
            form,
            whole,
        })
    })
    .collect()
}
