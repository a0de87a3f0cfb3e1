//! A user's file with our entries in it: what became of them and of the file. Pure.

use super::codes::{
    CONTAINER_EMPTIED, Code, ENTRY_DUPLICATED, ENTRY_EDITED, ENTRY_MISSING, ENTRY_MOVED, Effect,
    FILE_MISSING, FILE_REFORMATTED, FILE_REPLACED, FILE_UNPARSEABLE, TIMEOUT_UNIT,
    UNRECORDED_ENTRY,
};
use super::today::{Today, only_timeout_differs, overruled, shadowed};
use super::{Found, Sight, command, inert, trust};
use crate::doc::{Fault, text::position};
use crate::error::Error;
use crate::ledger::{Body, Merge, OwnerState, Record};
use crate::plan::admit::{self, quoted};
use crate::plan::reconcile::{Finding, Known, Look, Seen, Stand, Wish, look};
use crate::plan::world::Actual;
use crate::spec::Format;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Judges one recorded file.
pub(super) fn judge(sight: &Sight<'_>, record: &Record, merge: &Merge, out: &mut Vec<Found>) {
    let path = &record.path;
    let Some(text) = readable(sight, record, out) else {
        return;
    };
    let Some(state) = merge
        .owners
        .iter()
        .find(|o| o.owner == *sight.of.subject.owner)
    else {
        return;
    };
    let legacy = sight
        .target()
        .map_or_else(Vec::new, |t| t.legacy_roots(path));
    let looked = match read(sight, text, Some(merge), merge.format, state, legacy) {
        Ok(looked) => looked,
        Err(fault) => {
            out.push(unparseable(path, &admit::fault(path, text, &fault)));
            return;
        }
    };
    let today = Today::new(sight, path, &looked.seen);
    let wrong_unit: Vec<(&Seen<'_>, String)> = looked
        .seen
        .iter()
        .filter_map(|s| Some((s, today.timeout(s)?)))
        .collect();
    for (seen, message) in &wrong_unit {
        out.push(placed(
            sight,
            TIMEOUT_UNIT,
            path,
            text,
            seen,
            message.clone(),
        ));
    }
    for finding in &looked.findings {
        // A timeout that is all that differs is told once, by what it does.
        if wrong_unit
            .iter()
            .any(|(s, _)| Some(s.at) == finding.at && only_timeout_differs(s))
        {
            continue;
        }
        out.extend(differs(sight, path, text, finding));
    }
    let clean = looked
        .findings
        .iter()
        .all(|f| f.code == "unrecorded-entry" || f.code == "entry-duplicated")
        && looked.seen.iter().all(|s| s.stand == Stand::Same);
    if clean && !looked.anew.is_empty() {
        out.push(Found::at(
            FILE_REFORMATTED,
            path,
            format!(
                "somebody laid the file out anew since ({}): every entry of gitvow's is there, and an uninstall gives the file back equal in meaning, no longer in bytes",
                looked.anew.join(", ")
            ),
            format!("{} --dry-run", sight.command("uninstall")),
        ));
    }
    overruled(sight, path, text, &looked, out);
    let shadowed = shadowed(sight, path, text, &looked, out);
    if !shadowed {
        today.outdated(sight, path, text, &looked, out);
    }
    let programs = programs(sight, &looked, &today);
    command::judge(sight, path, text, state.root.len(), &programs, out);
    inert::text(sight, path, text, &looked.doc, out);
    // Of two equal entries it isn't known which one was approved.
    let twice = |s: &Seen<'_>| {
        looked
            .findings
            .iter()
            .any(|f| f.code == "entry-duplicated" && f.keys == s.keys)
    };
    let single: Vec<&Seen<'_>> = looked.seen.iter().filter(|s| !twice(s)).collect();
    trust::judge(sight, record, text, &single, out);
}

/// What the entries run. All that are as today's planner writes them run the same.
fn programs<'s>(
    sight: &Sight<'_>,
    looked: &'s Look<'_>,
    today: &Today<'_>,
) -> Vec<command::Named<'s>> {
    let mut usual: Option<Vec<PathBuf>> = None;
    let mut out = Vec::new();
    for (n, seen) in looked.seen.iter().enumerate() {
        let read = || command::in_value(&seen.value, sight.of.ctx);
        let paths = match seen.stand == Stand::Same && today.is_equal(n) {
            true => usual.get_or_insert_with(read).clone(),
            false => read(),
        };
        let seen = Some(seen);
        out.extend(paths.into_iter().map(|path| command::Named { path, seen }));
    }
    out
}

/// Files of the agent that no record of this owner is about: own-form entries in them.
pub(super) fn unrecorded(sight: &Sight<'_>, out: &mut Vec<Found>) {
    let records = &sight.of.records;
    let (Some(target), Some(install)) = (sight.target(), sight.install()) else {
        return;
    };
    for path in target.paths() {
        if records.iter().any(|r| r.path == path) {
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
        let root = if target.path == path {
            target.root.clone()
        } else {
            let other = target.alternatives.iter().find(|a| a.path == path);
            other.map(|a| a.root.clone()).unwrap_or_default()
        };
        let state = OwnerState {
            owner: sight.of.subject.owner.clone(),
            root,
            list: matches!(install.entries, crate::spec::Entries::List(_)),
            block: false,
            adapter: None,
        };
        let merge = sight.of.ctx.records.iter().find_map(|r| match &r.body {
            Body::Merge(m) if r.path == path || actual.real() == Some(&r.real) => Some(m),
            _ => None,
        });
        let legacy = target.legacy_roots(&path);
        if let Ok(looked) = read(sight, text, merge, install.format, &state, legacy) {
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
                    found.torn = false;
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
    found.torn = true;
    found
}

fn read<'t>(
    sight: &Sight<'_>,
    text: &'t str,
    record: Option<&'t Merge>,
    format: Format,
    state: &OwnerState,
    legacy: Vec<Vec<String>>,
) -> Result<Look<'t>, Fault> {
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
        legacy,
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
        // Another event or agent in its command: reinstalling would only add ours beside it.
        "entry-rewired" => (
            ENTRY_EDITED,
            format!("the entry for `{event}` was edited: {}", finding.detail),
            format!("{} --adopt", sight.command("install")),
        ),
        "entry-renamed" => (
            ENTRY_EDITED,
            format!("the entry for `{event}` was edited: {}", finding.detail),
            format!("{edit} (then: {})", sight.command("install")),
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

pub(super) fn placed(
    sight: &Sight<'_>,
    code: &'static Code,
    path: &Path,
    text: &str,
    seen: &Seen<'_>,
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
pub(super) fn event_of(path: &[String], value: &Value, named: bool) -> Option<String> {
    let own = value.get("event").and_then(Value::as_str);
    let list = path.last().filter(|_| named).map(String::as_str);
    own.or(list).map(str::to_owned)
}
