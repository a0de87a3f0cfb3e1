//! A user's file with our entries in it: what became of them and of the file. Pure.

use super::codes::{
    CONTAINER_EMPTIED, Code, ENTRY_DUPLICATED, ENTRY_EDITED, ENTRY_MISSING, ENTRY_MOVED,
    ENTRY_OUTDATED, Effect, FILE_MISSING, FILE_REFORMATTED, FILE_REPLACED, FILE_UNPARSEABLE,
    SHADOWED, TIMEOUT_UNIT, UNRECORDED_ENTRY,
};
use super::{Found, Sight, command, inert, take, trust};
use crate::doc::{Fault, lookup, text::position};
use crate::error::Error;
use crate::ledger::{Body, Merge, OwnerState, Record};
use crate::plan::admit::{self, quoted};
use crate::plan::agent::put;
use crate::plan::matching::same;
use crate::plan::paths::{self, MergeTarget};
use crate::plan::reconcile::{Finding, Known, Look, Seen, Stand, Wish, look};
use crate::plan::world::Actual;
use crate::spec::Format;
use serde_json::Value;
use std::path::Path;

/// Judges one recorded file.
pub(super) fn judge(sight: &Sight<'_>, record: &Record, merge: &Merge, out: &mut Vec<Found>) {
    let path = &record.path;
    let Some(text) = readable(sight, record, out) else {
        return;
    };
    let Some(state) = merge
        .owners
        .iter()
        .find(|o| o.owner == *sight.subject.owner)
    else {
        return;
    };
    let looked = match read(sight, text, Some(merge), merge.format, state) {
        Ok(looked) => looked,
        Err(fault) => {
            out.push(unparseable(path, &admit::fault(path, text, &fault)));
            return;
        }
    };
    let planned = planned(sight, path);
    let wrong_unit: Vec<&Seen> = looked
        .seen
        .iter()
        .filter(|s| timeout(s, &planned).is_some())
        .collect();
    for seen in &wrong_unit {
        let message = timeout(seen, &planned).unwrap_or_default();
        out.push(placed(sight, TIMEOUT_UNIT, path, text, seen, message));
    }
    for finding in &looked.findings {
        // A timeout that is all that differs is told once, by what it does.
        if wrong_unit
            .iter()
            .any(|s| Some(s.at) == finding.at && only_timeout_differs(s))
        {
            continue;
        }
        out.extend(differs(sight, path, text, finding));
    }
    let clean = looked
        .findings
        .iter()
        .all(|f| f.code == "unrecorded-entry" || f.code == "entry-duplicated");
    if clean && !looked.exact {
        out.push(Found::at(
            FILE_REFORMATTED,
            path,
            "the file was laid out anew since: every entry of gitvow's is there, and an uninstall gives the file back equal in meaning, no longer in bytes",
            format!("{} --dry-run", sight.command("uninstall")),
        ));
    }
    let shadowed = shadowed(sight, path, text, &looked, out);
    if !shadowed {
        outdated(sight, path, text, &looked, &planned, out);
    }
    let programs: Vec<_> = looked
        .seen
        .iter()
        .flat_map(|s| {
            let at = Some(position(text, s.at));
            let event = event_of(
                &s.entry.path,
                &s.value,
                s.entry.path.len() > state.root.len(),
            );
            command::in_value(&s.value, sight.ctx)
                .into_iter()
                .map(move |p| (p, at, event.clone()))
        })
        .collect();
    command::judge(sight, path, &programs, out);
    inert::text(sight, path, merge.format, text, out);
    trust::judge(sight, record, text, &looked.seen, out);
}

/// Files of the agent that no record of this owner is about: own-form entries in them.
pub(super) fn unrecorded(sight: &Sight<'_>, records: &[&Record], out: &mut Vec<Found>) {
    for path in take::planned_paths(sight.ctx, &sight.subject) {
        if sight.record_of(records, &path).is_some() {
            continue;
        }
        let Some(actual) = sight.world.get(&path) else {
            continue;
        };
        // The same file under another name.
        if records.iter().any(|r| actual.real() == Some(&r.real)) {
            continue;
        }
        let Ok(admitted) = admit::readable(&path, actual) else {
            continue;
        };
        let Some(text) = admitted
            .text
            .filter(|t| t.contains("gitvow") || t.contains("\\u"))
        else {
            continue;
        };
        let (Some(target), Some(install)) = (target(sight), sight.install()) else {
            continue;
        };
        let root = if target.path == path {
            target.root.clone()
        } else {
            let other = target.alternatives.iter().find(|a| a.path == path);
            other.map(|a| a.root.clone()).unwrap_or_default()
        };
        let state = OwnerState {
            owner: sight.subject.owner.clone(),
            root,
            list: matches!(install.entries, crate::spec::Entries::List(_)),
            block: false,
            adapter: None,
        };
        let merge = sight.ctx.records.iter().find_map(|r| match &r.body {
            Body::Merge(m) if r.path == path || actual.real() == Some(&r.real) => Some(m),
            _ => None,
        });
        if let Ok(looked) = read(sight, text, merge, install.format, &state) {
            for finding in looked
                .findings
                .iter()
                .filter(|f| f.code == "unrecorded-entry")
            {
                out.extend(differs(sight, &path, text, finding));
            }
        }
    }
}

/// The text of a recorded file, or the finding that says why there is none.
fn readable<'w>(sight: &'w Sight<'_>, record: &Record, out: &mut Vec<Found>) -> Option<&'w str> {
    let path = &record.path;
    let actual = sight.world.get(path)?;
    let shown = path.display();
    let look_at = format!("ls -ld {}", quoted(path));
    match actual {
        Actual::Absent { missing, .. } => {
            let away = !missing.is_empty() && !missing.iter().all(|d| record.dirs.contains(d));
            let message = if away {
                format!(
                    "`{shown}` is gone, and so is its directory (an unmounted volume, a moved repository?)"
                )
            } else {
                format!("`{shown}` is gone, and gitvow's entries with it")
            };
            out.push(Found::at(
                FILE_MISSING,
                path,
                message,
                sight.command("install"),
            ));
            None
        }
        Actual::File(file) if file.real != record.real => {
            let message = format!(
                "`{shown}` leads to `{}` now; it was `{}` when gitvow wrote it",
                file.real.display(),
                record.real.display()
            );
            out.push(Found::at(FILE_REPLACED, path, message, look_at));
            None
        }
        Actual::Other(..) | Actual::Dangling(..) | Actual::Loop | Actual::NotADirectory(_) => {
            let error = admit::readable(path, actual).err()?;
            let help = error.help.clone().unwrap_or(look_at);
            out.push(Found::at(FILE_REPLACED, path, error.sentence(), help));
            None
        }
        Actual::File(_) | Actual::Unreadable(_) => match admit::readable(path, actual) {
            Ok(admitted) => admitted.text,
            Err(e) => {
                let mut found = unparseable(path, &e);
                if matches!(actual, Actual::Unreadable(_)) {
                    found.effect = Effect::Unknown;
                }
                out.push(found);
                None
            }
        },
    }
}

fn unparseable(path: &Path, e: &Error) -> Found {
    let help = e
        .help
        .clone()
        .unwrap_or_else(|| format!("ls -l {}", quoted(path)));
    let mut found = Found::at(FILE_UNPARSEABLE, path, e.sentence(), help);
    found.position = e.place.as_ref().and_then(|p| p.position);
    found
}

fn read(
    sight: &Sight<'_>,
    text: &str,
    record: Option<&Merge>,
    format: Format,
    state: &OwnerState,
) -> Result<Look, Fault> {
    let known = Known {
        text: Some(text),
        record,
        format: record.map_or(format, |m| m.format),
        shortcut: true,
    };
    let wish = Wish {
        owner: state.clone(),
        entries: Vec::new(),
        version_key: None,
        names: sight.names(),
    };
    look(&known, &wish)
}

/// What reconcile found, as doctor says it.
fn differs(sight: &Sight<'_>, path: &Path, text: &str, finding: &Finding) -> Option<Found> {
    let event = finding.event();
    let shown = path.display();
    let at = finding.at.map(|at| position(text, at));
    let place = at.map_or_else(String::new, |(line, _)| format!("+{line} "));
    let edit = format!("${{EDITOR:-vi}} {place}{}", quoted(path));
    let (code, message, help): (&'static Code, String, String) = match finding.code {
        "entry-missing" => (
            ENTRY_MISSING,
            format!("the entry for `{event}` is no longer in `{shown}`"),
            sight.command("install"),
        ),
        "entry-edited" => (
            ENTRY_EDITED,
            format!("the entry for `{event}` was edited: {}", finding.detail),
            format!("{} --force", sight.command("install")),
        ),
        "entry-duplicated" => (
            ENTRY_DUPLICATED,
            format!(
                "the entry for `{event}` stands there more than once; gitvow wrote one of them"
            ),
            edit,
        ),
        "entry-moved" => (
            ENTRY_MOVED,
            format!("the entry for `{event}` was moved: {}", finding.detail),
            format!(
                "{} && {}",
                sight.command("uninstall"),
                sight.command("install")
            ),
        ),
        "container-emptied" => (
            CONTAINER_EMPTIED,
            format!(
                "gitvow's entries are gone from `{shown}`: {}",
                finding.detail
            ),
            sight.command("install"),
        ),
        "unrecorded-entry" => (
            UNRECORDED_ENTRY,
            format!(
                "an entry for `{event}` is not gitvow's by its record: {}",
                finding.detail
            ),
            format!("{} --adopt", sight.command("install")),
        ),
        _ => return None,
    };
    let mut found = Found::at(code, path, message, help);
    found.position = at;
    found.event = Some(event.to_owned()).filter(|e| !e.is_empty() && code != CONTAINER_EMPTIED);
    Some(found)
}

fn placed(
    sight: &Sight<'_>,
    code: &'static Code,
    path: &Path,
    text: &str,
    seen: &Seen,
    message: String,
) -> Found {
    let mut found = Found::at(
        code,
        path,
        message,
        format!("{} --force", sight.command("install")),
    );
    found.position = Some(position(text, seen.at));
    found.event = event_of(&seen.entry.path, &seen.value, true);
    found
}

/// The event that an entry is for: the name of its list, or (Kimi) what it says itself.
fn event_of(path: &[String], value: &Value, named: bool) -> Option<String> {
    let own = value.get("event").and_then(Value::as_str);
    let list = path.last().filter(|_| named).map(String::as_str);
    own.or(list).map(str::to_owned)
}

fn target(sight: &Sight<'_>) -> Option<MergeTarget> {
    let spec = sight.subject.spec?;
    paths::targets(spec, sight.subject.owner.scope, &sight.ctx.ground)
        .ok()?
        .merge
}

/// What today's planner would write into this file: keys and value.
fn planned(sight: &Sight<'_>, path: &Path) -> Vec<(Vec<String>, Value)> {
    let (Some(spec), Some(target)) = (sight.subject.spec, target(sight)) else {
        return Vec::new();
    };
    let Some(install) = &spec.install else {
        return Vec::new();
    };
    put::wishes(
        sight.ctx,
        &sight.subject,
        spec,
        install,
        &target,
        sight.world,
    )
    .into_iter()
    .filter(|(p, _)| p == path)
    .flat_map(|(_, wish)| wish.entries)
    .map(|a| (a.path, a.value))
    .collect()
}

/// Entries whose text today's planner would write otherwise. One that runs another program is another matter.
fn outdated(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    looked: &Look,
    planned: &[(Vec<String>, Value)],
    out: &mut Vec<Found>,
) {
    if planned.is_empty() {
        return;
    }
    let launcher = Path::new(sight.ctx.launcher);
    let stale = |s: &Seen| {
        command::in_value(&s.value, sight.ctx)
            .iter()
            .any(|p| p != launcher && sight.subject.owner.scope != crate::spec::Scope::Repo)
    };
    let mut add = |position, event: Option<String>, message: String| {
        let mut found = Found::at(ENTRY_OUTDATED, path, message, sight.command("install"));
        found.position = position;
        found.event = event;
        out.push(found);
    };
    let mut used = vec![false; planned.len()];
    let mut others: Vec<&Seen> = Vec::new();
    for seen in &looked.seen {
        let equal = planned.iter().zip(&used).position(|((p, v), used)| {
            !used && *p == seen.entry.path && same(v, &seen.entry.value)
        });
        match equal {
            Some(n) => used.iter_mut().skip(n).take(1).for_each(|u| *u = true),
            None => others.push(seen),
        }
    }
    for seen in others {
        let twin = planned.iter().zip(&used).position(|((p, v), used)| {
            let event = |v: &Value| v.get("event").cloned();
            !used && *p == seen.entry.path && event(v) == event(&seen.entry.value)
        });
        if let Some(n) = twin {
            used.iter_mut().skip(n).take(1).for_each(|u| *u = true);
        }
        if seen.stand != Stand::Same || stale(seen) {
            continue;
        }
        let event = event_of(&seen.entry.path, &seen.value, true);
        let name = event.as_deref().unwrap_or_default();
        let message = match twin {
            Some(_) => format!("this gitvow would write the entry for `{name}` otherwise"),
            None => format!("this gitvow would no longer write the entry for `{name}`"),
        };
        add(Some(position(text, seen.at)), event, message);
    }
    // What is missing was told; what was never recorded is new in this gitvow.
    let gone = |keys: &[String]| {
        looked
            .findings
            .iter()
            .any(|f| keys.starts_with(&f.keys) && !f.keys.is_empty())
    };
    for ((keys, value), _) in planned.iter().zip(&used).filter(|(_, used)| !**used) {
        if gone(keys) {
            continue;
        }
        let event = event_of(keys, value, true);
        let name = event.clone().unwrap_or_default();
        add(
            None,
            event,
            format!("this gitvow would also write an entry for `{name}`"),
        );
    }
}

/// Entries in the agent's main file whose event another file of it has too: that one counts (Droid).
fn shadowed(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    looked: &Look,
    out: &mut Vec<Found>,
) -> bool {
    let Some(target) = target(sight).filter(|t| t.path == path) else {
        return false;
    };
    let mut any = false;
    for other in &target.alternatives {
        let bytes = sight.world.get(&other.path).and_then(|a| a.bytes());
        let Some(theirs) = bytes.and_then(|b| std::str::from_utf8(b).ok()) else {
            continue;
        };
        for seen in looked.seen.iter().filter(|s| s.stand == Stand::Same) {
            let event = seen.entry.path.get(target.root.len()..).unwrap_or_default();
            let keys: Vec<String> = other.root.iter().chain(event).cloned().collect();
            if event.is_empty() || lookup(target.format, theirs, &keys).is_none() {
                continue;
            }
            let name = event.join(".");
            let mut found = placed(
                sight,
                SHADOWED,
                path,
                text,
                seen,
                format!(
                    "`{}` has `{name}` too, and that file counts: {} never runs the entry here",
                    other.path.display(),
                    sight.title()
                ),
            );
            found.help = format!(
                "{} && {}",
                sight.command("uninstall"),
                sight.command("install")
            );
            out.push(found);
            any = true;
        }
    }
    any
}

/// A timeout in a unit that isn't the agent's, judged by what today's planner writes: milliseconds from 1,000 up.
fn timeout(seen: &Seen, planned: &[(Vec<String>, Value)]) -> Option<String> {
    let (key, now) = number(&seen.value)?;
    let (_, usual) = planned
        .iter()
        .filter(|(keys, _)| *keys == seen.entry.path)
        .find_map(|(_, value)| number(value))?;
    if usual >= 1000.0 && now < 1000.0 {
        Some(format!(
            "`{key}` is {now}: this agent counts milliseconds, so the hook is killed after {} s",
            now / 1000.0
        ))
    } else if usual < 1000.0 && now >= 1000.0 {
        Some(format!(
            "`{key}` is {now}: this agent counts seconds, so a hook that hangs would hold it up for {:.0} minutes",
            now / 60.0
        ))
    } else {
        None
    }
}

fn number(value: &Value) -> Option<(&'static str, f64)> {
    let nested = value
        .get("hooks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    std::iter::once(value).chain(nested).find_map(|v| {
        ["timeout", "timeoutSec"]
            .into_iter()
            .find_map(|key| v.get(key).and_then(Value::as_f64).map(|n| (key, n)))
    })
}

fn only_timeout_differs(seen: &Seen) -> bool {
    fn without(value: &Value) -> Value {
        match value {
            Value::Object(map) => map
                .iter()
                .filter(|(k, _)| *k != "timeout" && *k != "timeoutSec")
                .map(|(k, v)| (k.clone(), without(v)))
                .collect(),
            Value::Array(list) => list.iter().map(without).collect(),
            other => other.clone(),
        }
    }
    same(&without(&seen.value), &without(&seen.entry.value))
}
