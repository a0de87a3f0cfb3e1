//! The commands that stand in the files: what they run, and whether it is there. Pure; what stands at a path is
//! asked of whoever looks.

use super::codes::{
    COMMAND_NOT_EXECUTABLE, COMMAND_NOT_FOUND, COMMAND_STALE, LAUNCHER_DANGLING,
    LAUNCHER_OTHER_BUILD,
};
use super::entries::event_of;
use super::{Found, Sight};
use crate::doc::text::position;
use crate::ledger::{Body, Record};
use crate::plan::admit::quoted;
use crate::plan::agent::Context;
use crate::plan::reconcile::{Seen, Stand};
use crate::spec::Scope;
use crate::spec::command::{PORTABLE, commands, is_entry, own_form};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What stands where a command says that gitvow is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// Nothing.
    Missing,
    /// A link to nothing: where it leads.
    Dangling(PathBuf),
    /// A file without the right to run it, or something else than a file.
    NotExecutable,
    /// A file that may be run and isn't gitvow: why it is known.
    NotGitvow(&'static str),
    /// A program.
    Runs,
}

/// The command lines of an owner's entries in one file, as recorded; none for a plugin.
pub fn recorded_commands(record: &Record, agent: &str, scope: Scope) -> Vec<String> {
    let mut out = Vec::new();
    let mut take = |entry: &Value| out.extend(commands(entry).into_iter().map(str::to_owned));
    match &record.body {
        Body::Merge(merge) => merge
            .entries
            .iter()
            .filter(|e| e.owner.agent == agent && e.owner.scope == scope)
            .for_each(|e| take(&e.value)),
        Body::Tree(tree) => {
            if let Some(value) = tree
                .json
                .as_deref()
                .and_then(|t| serde_json::from_str(t).ok())
            {
                walk(&value, &mut take);
            }
        }
    }
    out
}

/// The programs that an entry runs.
pub(super) fn in_value(value: &Value, ctx: &Context<'_>) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = commands(value)
        .iter()
        .filter_map(|c| own_form(c))
        .map(|form| expand(&form.path, ctx))
        .collect();
    out.sort();
    out.dedup();
    out
}

/// The programs that a tree file runs: those of its entries, or the one that a plugin's text names.
pub(super) fn in_tree(text: &str, ctx: &Context<'_>) -> Vec<PathBuf> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return in_text(text, ctx);
    };
    let mut out = Vec::new();
    walk(&value, &mut |entry| out.extend(in_value(entry, ctx)));
    out.sort();
    out.dedup();
    out
}

fn walk(value: &Value, found: &mut dyn FnMut(&Value)) {
    match value {
        Value::Object(map) if is_entry(map) => found(value),
        Value::Object(map) => map.values().for_each(|v| walk(v, found)),
        Value::Array(list) => list.iter().for_each(|v| walk(v, found)),
        _ => {}
    }
}

/// Programs named in strings of a text of any kind: paths that end in `gitvow`, and own-form commands.
fn in_text(text: &str, ctx: &Context<'_>) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for line in text.lines().filter(|l| l.contains("gitvow")) {
        for literal in literals(line) {
            if let Some(form) = own_form(&literal) {
                out.push(expand(&form.path, ctx));
            } else if literal.ends_with("/gitvow") && !literal.contains([' ', '`', ';']) {
                let path = expand(&literal, ctx);
                out.extend(path.is_absolute().then_some(path));
            }
        }
    }
    out
}

/// The double-quoted literals of a line, unescaped as JSON; JavaScript and TOML agree for what gitvow writes.
fn literals(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let body = rest.get(start + 1..).unwrap_or_default();
        let mut escaped = false;
        let end = body.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(end) = end else { break };
        let literal = rest.get(start..start + 2 + end).unwrap_or_default();
        out.extend(serde_json::from_str::<String>(literal));
        rest = body.get(end + 1..).unwrap_or_default();
    }
    out
}

/// `$HOME` as repository scope writes it becomes the home directory.
fn expand(path: &str, ctx: &Context<'_>) -> PathBuf {
    let portable = PORTABLE.replace('"', "");
    match path.strip_prefix("$HOME/") {
        Some(rest) if path.starts_with("$HOME/") || path == portable => ctx.ground.home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// A program and the entry that names it; `None`: a file of ours does.
pub(super) struct Named<'s> {
    pub(super) path: PathBuf,
    pub(super) seen: Option<&'s Seen<'s>>,
}

/// What is the matter with the programs of one file; each is told once, where it is named first. `root`: how many
/// keys lead to the file's lists, so that an event has a name of its own.
pub(super) fn judge(
    sight: &Sight<'_>,
    file: &Path,
    text: &str,
    root: usize,
    programs: &[Named<'_>],
    out: &mut Vec<Found>,
) {
    let launcher = Path::new(sight.of.ctx.launcher);
    for (n, Named { path, seen }) in programs.iter().enumerate() {
        if programs.iter().take(n).any(|p| p.path == *path) {
            continue;
        }
        // Somebody put it there in place of what was recorded.
        let edited = seen.is_some_and(|s| s.stand == Stand::Rerouted);
        let again = || {
            let install = sight.command("install");
            if edited {
                format!("{install} --adopt")
            } else {
                install
            }
        };
        let shown = path.display();
        let mut add = |code, message: String, help: String| {
            let mut found = Found::at(code, file, message, help);
            let at = seen.map(|s| s.at).or_else(|| named_at(text, path));
            found.position = at.map(|at| position(text, at));
            let several = programs.iter().filter(|p| p.path == *path).count() > 1;
            found.event = seen.filter(|_| !several).and_then(|s| {
                let keys = &s.entry.path;
                event_of(keys, &s.value, keys.len() > root)
            });
            out.push(found);
        };
        match (sight.program)(path) {
            Program::Missing => add(
                COMMAND_NOT_FOUND,
                format!("the hooks run `{shown}`, which is not there"),
                again(),
            ),
            Program::Dangling(to) => add(
                LAUNCHER_DANGLING,
                format!(
                    "the hooks run `{shown}`, a link to `{}`, which is not there",
                    to.display()
                ),
                format!("rm {} && {}", quoted(path), again()),
            ),
            Program::NotExecutable => add(
                COMMAND_NOT_EXECUTABLE,
                format!("the hooks run `{shown}`, which can't be run"),
                format!("chmod 0755 {}", quoted(path)),
            ),
            Program::NotGitvow(why) => add(
                COMMAND_NOT_EXECUTABLE,
                format!("the hooks run `{shown}`, which is no gitvow: {why}"),
                again(),
            ),
            Program::Runs if path != launcher && !is_portable(path, sight) => add(
                COMMAND_STALE,
                format!(
                    "the hooks run `{shown}`, not this gitvow's launcher `{}`",
                    launcher.display()
                ),
                again(),
            ),
            Program::Runs => {
                let told = out.iter().any(|f| f.code == LAUNCHER_OTHER_BUILD);
                if let Some(why) = sight.other_build.filter(|_| path == launcher && !told) {
                    out.push(Found::at(
                        LAUNCHER_OTHER_BUILD,
                        launcher,
                        format!("the launcher {why}"),
                        sight.command("install"),
                    ));
                }
            }
        }
    }
}

/// Where a text names a program: as it is, else by the end of its path, for a file may write the rest otherwise.
fn named_at(text: &str, path: &Path) -> Option<usize> {
    let mut ends = path.ancestors().take(2).filter_map(Path::file_name);
    let (name, dir) = (ends.next()?, ends.next()?);
    let end = format!("{}/{}", dir.to_string_lossy(), name.to_string_lossy());
    text.find(&*path.to_string_lossy())
        .or_else(|| text.find(&end))
}

/// Repository scope's own path, whatever the state home is now.
fn is_portable(path: &Path, sight: &Sight<'_>) -> bool {
    path == sight.of.ctx.ground.home.join(".gitvow/bin/gitvow")
        && sight.of.subject.owner.scope == Scope::Repo
}
