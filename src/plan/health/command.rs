//! The commands that stand in the files: what they run, and whether it is there. Pure; what stands at a path is
//! asked of whoever looks.

use super::codes::{
    COMMAND_NOT_EXECUTABLE, COMMAND_NOT_FOUND, COMMAND_STALE, LAUNCHER_DANGLING,
    LAUNCHER_OTHER_BUILD,
};
use super::{Found, Sight, take};
use crate::ledger::{Body, Record};
use crate::plan::admit::quoted;
use crate::plan::agent::{Context, Subject};
use crate::plan::world::World;
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
    /// A program.
    Runs,
}

/// The programs that an owner's files run by gitvow's own form, as they stand: each path once.
pub fn programs(ctx: &Context<'_>, subject: &Subject<'_>, world: &World) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for record in take::records(ctx, subject) {
        let bytes = world.get(&record.path).and_then(|a| a.bytes());
        let Some(text) = bytes.and_then(|b| std::str::from_utf8(b).ok()) else {
            continue;
        };
        match &record.body {
            Body::Tree(_) => out.extend(in_tree(text, ctx)),
            // What is recorded: an edited one names its program as well, and is looked up by the text below.
            Body::Merge(merge) => {
                let own = merge.entries.iter().filter(|e| e.owner == *subject.owner);
                out.extend(own.flat_map(|e| in_value(&e.value, ctx)));
                out.extend(in_text(text, ctx));
            }
        }
    }
    out.sort();
    out.dedup();
    out
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

/// A program and where it is named.
pub(super) struct Named {
    pub(super) path: PathBuf,
    pub(super) position: Option<(usize, usize)>,
    pub(super) event: Option<String>,
    /// Somebody put it there in place of what was recorded.
    pub(super) edited: bool,
}

/// What is the matter with the programs of one file; each is told once, where it is named first.
pub(super) fn judge(sight: &Sight<'_>, file: &Path, programs: &[Named], out: &mut Vec<Found>) {
    let launcher = Path::new(sight.ctx.launcher);
    let mut told: Vec<&Path> = Vec::new();
    for Named {
        path,
        position,
        event,
        edited,
    } in programs
    {
        let install = sight.command("install");
        let again = if *edited {
            format!("{install} --adopt")
        } else {
            install
        };
        if told.contains(&path.as_path()) {
            continue;
        }
        told.push(path);
        let shown = path.display();
        let seen = sight.programs.get(path).unwrap_or(&Program::Missing);
        let several = programs.iter().filter(|p| p.path == *path).count() > 1;
        let mut add = |code, message: String, help: String| {
            let mut found = Found::at(code, file, message, help);
            found.position = *position;
            found.event = event.clone().filter(|_| !several);
            out.push(found);
        };
        match seen {
            Program::Missing => add(
                COMMAND_NOT_FOUND,
                format!("the hooks run `{shown}`, which is not there"),
                again,
            ),
            Program::Dangling(to) => add(
                LAUNCHER_DANGLING,
                format!(
                    "the hooks run `{shown}`, a link to `{}`, which is not there",
                    to.display()
                ),
                format!("rm {} && {again}", quoted(path)),
            ),
            Program::NotExecutable => add(
                COMMAND_NOT_EXECUTABLE,
                format!("the hooks run `{shown}`, which can't be run"),
                format!("chmod 0755 {}", quoted(path)),
            ),
            Program::Runs if path != launcher && !is_portable(path, sight) => add(
                COMMAND_STALE,
                format!(
                    "the hooks run `{shown}`, not this gitvow's launcher `{}`",
                    launcher.display()
                ),
                again,
            ),
            Program::Runs => {
                if let Some(why) = sight.other_build.filter(|_| path == launcher) {
                    let mut found = Found::at(
                        LAUNCHER_OTHER_BUILD,
                        launcher,
                        format!("the launcher {why}"),
                        sight.command("install"),
                    );
                    found.event = None;
                    if !out.iter().any(|f| f.code == LAUNCHER_OTHER_BUILD) {
                        out.push(found);
                    }
                }
            }
        }
    }
}

/// Repository scope's own path, whatever the state home is now.
fn is_portable(path: &Path, sight: &Sight<'_>) -> bool {
    path == sight.ctx.ground.home.join(".gitvow/bin/gitvow")
        && sight.subject.owner.scope == Scope::Repo
}
