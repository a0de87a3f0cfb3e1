//! Entries against what today's planner would write: out of date, in the file that doesn't count, a timeout in
//! the wrong unit. Pure.

use super::codes::{ENTRY_OUTDATED, SHADOWED};
use super::entries::{event_of, placed};
use super::{Found, Sight, command};
use crate::doc::{lookup, text::position};
use crate::plan::agent::put;
use crate::plan::matching::same;
use crate::plan::reconcile::{Look, Seen, Stand};
use crate::spec::Scope;
use serde_json::Value;
use std::path::Path;

/// What today's planner would write into this file: keys and value.
pub(super) fn planned(sight: &Sight<'_>, path: &Path) -> Vec<(Vec<String>, Value)> {
    let (Some(spec), Some(target), Some(install)) =
        (sight.of.subject.spec, sight.target(), sight.install())
    else {
        return Vec::new();
    };
    let (ctx, subject) = (sight.of.ctx, &sight.of.subject);
    put::wishes(ctx, subject, spec, install, target, sight.world)
        .into_iter()
        .filter(|(p, _)| p == path)
        .flat_map(|(_, wish)| wish.entries)
        .map(|a| (a.path, a.value))
        .collect()
}

/// Entries whose text today's planner would write otherwise. One that runs another program is another matter.
pub(super) fn outdated(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    looked: &Look<'_>,
    planned: &[(Vec<String>, Value)],
    out: &mut Vec<Found>,
) {
    if planned.is_empty() {
        return;
    }
    let launcher = Path::new(sight.of.ctx.launcher);
    let stale = |s: &Seen<'_>| {
        command::in_value(&s.value, sight.of.ctx)
            .iter()
            .any(|p| p != launcher && sight.of.subject.owner.scope != Scope::Repo)
    };
    let mut add = |position, event: Option<String>, message: String| {
        let mut found = Found::at(ENTRY_OUTDATED, path, message, sight.command("install"));
        found.position = position;
        found.event = event;
        out.push(found);
    };
    let mut used = vec![false; planned.len()];
    let mut others: Vec<&Seen<'_>> = Vec::new();
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
pub(super) fn shadowed(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    looked: &Look<'_>,
    out: &mut Vec<Found>,
) -> bool {
    let Some(target) = sight.target().filter(|t| t.path == path) else {
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
pub(super) fn timeout(seen: &Seen<'_>, planned: &[(Vec<String>, Value)]) -> Option<String> {
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

pub(super) fn only_timeout_differs(seen: &Seen<'_>) -> bool {
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
