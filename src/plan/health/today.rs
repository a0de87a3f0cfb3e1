//! Entries against what today's planner would write: out of date, in the file that doesn't count, a timeout in
//! the wrong unit. Pure.

use super::codes::{ENTRY_OUTDATED, SHADOWED};
use super::entries::{event_of, placed};
use super::{Found, Sight, command};
use crate::doc::{lookup, text::position};
use crate::plan::admit::quoted;
use crate::plan::agent::put;
use crate::plan::matching::same;
use crate::plan::reconcile::{Look, Seen, Stand};
use crate::spec::Scope;
use crate::spec::command::{Command, says, templates};
use serde_json::Value;
use std::path::Path;

/// What today's planner would write into one file.
pub(super) struct Today<'s> {
    /// How gitvow is to be run; `None`: there is no planner.
    command: Option<Command<'s>>,
    /// Keys and entry, the command not filled in.
    planned: Vec<(Vec<String>, &'s Value)>,
    /// For each entry that was seen, the planned one that says the same.
    equal: Vec<Option<usize>>,
}

impl<'s> Today<'s> {
    pub(super) fn new(sight: &'s Sight<'_>, path: &Path, seen: &[Seen<'_>]) -> Self {
        let mut today = Self {
            command: None,
            planned: Vec::new(),
            equal: vec![None; seen.len()],
        };
        let (Some(target), Some(install)) = (sight.target(), sight.install()) else {
            return today;
        };
        let command = put::command(sight.of.ctx, install, sight.of.subject.owner.scope);
        let files = std::iter::once((&target.path, &target.root));
        let others = target.alternatives.iter().map(|a| (&a.path, &a.root));
        let files: Vec<_> = files.chain(others).collect();
        for (event, template) in templates(install) {
            let at = put::destination(target, event, sight.world);
            if let Some((_, root)) = files.get(at).filter(|(file, _)| *file == path) {
                let event = event.map(str::to_owned);
                let keys = root.iter().cloned().chain(event).collect();
                today.planned.push((keys, template));
            }
        }
        for (n, seen) in seen.iter().enumerate() {
            today.equal[n] = today.planned.iter().enumerate().position(|(i, (keys, t))| {
                !today.equal.contains(&Some(i))
                    && *keys == seen.entry.path
                    && says(&seen.entry.value, t, &command)
            });
        }
        today.command = Some(command);
        today
    }

    /// Does this entry, by its record, say what would be written today?
    pub(super) fn is_equal(&self, seen: usize) -> bool {
        self.equal.get(seen).is_some_and(Option::is_some)
    }

    /// Entries whose text today's planner would write otherwise. One that runs another program is another matter.
    pub(super) fn outdated(
        &self,
        sight: &Sight<'_>,
        path: &Path,
        text: &str,
        looked: &Look<'_>,
        out: &mut Vec<Found>,
    ) {
        if self.planned.is_empty() {
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
        let mut used = vec![false; self.planned.len()];
        for n in self.equal.iter().flatten() {
            used[*n] = true;
        }
        let event = |v: &Value| v.get("event").cloned();
        let others = looked.seen.iter().zip(&self.equal);
        for (seen, _) in others.filter(|(_, equal)| equal.is_none()) {
            let twin = self
                .planned
                .iter()
                .zip(&used)
                .position(|((keys, t), used)| {
                    !used && *keys == seen.entry.path && event(t) == event(&seen.entry.value)
                });
            if let Some(n) = twin {
                used[n] = true;
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
        for ((keys, template), _) in self.planned.iter().zip(&used).filter(|(_, used)| !**used) {
            if gone(keys) {
                continue;
            }
            let event = event_of(keys, template, true);
            let name = event.clone().unwrap_or_default();
            add(
                None,
                event,
                format!("this gitvow would also write an entry for `{name}`"),
            );
        }
    }

    /// A timeout in a unit that isn't the agent's, judged by what today's planner writes: milliseconds from 1,000 up.
    pub(super) fn timeout(&self, seen: &Seen<'_>) -> Option<String> {
        let (key, now) = number(&seen.value)?;
        let (_, usual) = self
            .planned
            .iter()
            .filter(|(keys, _)| *keys == seen.entry.path)
            .find_map(|(_, template)| number(template))?;
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

/// Entries under a key that stands again further down: the agent reads that one.
pub(super) fn overruled(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    looked: &Look<'_>,
    out: &mut Vec<Found>,
) {
    for seen in &looked.seen {
        let Some((at, key)) = looked.doc.overruled(&seen.keys, seen.at) else {
            continue;
        };
        let (line, column) = position(text, at);
        let message = format!(
            "`{key}` stands a second time in `{}`, in line {line}, column {column}, and that one counts: {} never runs the entry here",
            path.display(),
            sight.title()
        );
        let mut found = placed(sight, SHADOWED, path, text, seen, message);
        found.help = format!(
            "keep one of the two: ${{EDITOR:-vi}} +{line} {}",
            quoted(path)
        );
        out.push(found);
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
