//! A file of gitvow's own: is it as it was written? Pure.

use super::codes::{
    ENTRY_OUTDATED, FILE_REPLACED, FILE_UNPARSEABLE, MODE_CHANGED, TREE_FILE_EDITED,
    TREE_FILE_FOREIGN, TREE_FILE_MISSING, UNRECORDED_ENTRY,
};
use super::{Found, Sight, command};
use crate::ledger::{Print, Record, TreeFile};
use crate::plan::admit::{self, quoted};
use crate::plan::agent::strays;
use crate::plan::matching::{self, difference};
use crate::plan::paths::TreeTarget;
use crate::plan::tree;
use crate::plan::world::Actual;
use crate::spec::command::TreeText;
use crate::spec::{Scope, TreeSpec};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Judges one recorded file of ours.
pub(super) fn judge(sight: &Sight<'_>, record: &Record, tree: &TreeFile, out: &mut Vec<Found>) {
    let path = &record.path;
    let Some(actual) = sight.world.get(path) else {
        return;
    };
    let shown = path.display();
    foreign(sight, record, out);
    let file = match actual {
        Actual::Absent { .. } => {
            out.push(Found::at(
                TREE_FILE_MISSING,
                path,
                format!("`{shown}` is gone"),
                sight.command("install"),
            ));
            return;
        }
        Actual::File(file) if file.real == record.real => file,
        Actual::File(file) => {
            let message = format!(
                "`{shown}` leads to `{}` now; it was `{}` when gitvow wrote it",
                file.real.display(),
                record.real.display()
            );
            out.push(Found::at(
                FILE_REPLACED,
                path,
                message,
                format!("ls -ld {}", quoted(path)),
            ));
            return;
        }
        Actual::Unreadable(why) => {
            let mut found = Found::at(
                FILE_UNPARSEABLE,
                path,
                format!("`{shown}` can't be read: {why}"),
                format!("ls -l {}", quoted(path)),
            );
            found.effect = super::Effect::Unknown;
            out.push(found);
            return;
        }
        other => {
            let error = admit::readable(path, other).err();
            let message = error.as_ref().map_or_else(String::new, |e| e.sentence());
            let help = error.and_then(|e| e.help);
            let help = help.unwrap_or_else(|| format!("ls -ld {}", quoted(path)));
            out.push(Found::at(FILE_REPLACED, path, message, help));
            return;
        }
    };
    let repo = tree.owner.as_ref().is_some_and(|o| o.scope == Scope::Repo);
    mode(record, tree.mode, file.mode, repo, out);
    let text = String::from_utf8_lossy(&file.bytes);
    let programs = command::in_tree(&text, sight.of.ctx);
    // In a repository git may have converted the newlines.
    let read = if repo && text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        text.clone()
    };
    let print = |t: &str| Print::of(t.as_bytes()) == tree.print;
    if std::str::from_utf8(&file.bytes).is_ok() && (print(&read) || print(&text)) {
        outdated(sight, path, tree, &read, &programs, out);
    } else {
        out.push(edited(sight, path, tree, &text));
    }
    let programs: Vec<_> = programs
        .into_iter()
        .map(|path| command::Named { path, seen: None })
        .collect();
    command::judge(sight, path, &text, 0, &programs, out);
}

fn edited(sight: &Sight<'_>, path: &Path, tree: &TreeFile, text: &str) -> Found {
    let mut found = Found::at(
        TREE_FILE_EDITED,
        path,
        String::new(),
        format!("{} --force", sight.command("install")),
    );
    let mut written = tree.json.clone();
    let value = |t: &str| serde_json::from_str::<Value>(t);
    let what = match (written.as_deref().map(value), value(text)) {
        (None, _) => {
            // Of a program no text is recorded: it is today's planner's where that hasn't changed since.
            let target = sight.target_of(path);
            let today = target.and_then(|t| wanted(sight, t, tree.block));
            let same = |w: &TreeText| Print::of(w.text.as_bytes()) == tree.print;
            written = today.filter(same).map(|w| w.text);
            String::new()
        }
        (Some(_), Err(e)) => {
            found.torn = true;
            found.position = Some((e.line(), e.column().max(1)));
            format!(": it can't be read ({e})")
        }
        // No value differs: only the layout does.
        (Some(Ok(ours)), Ok(now)) if matching::same(&ours, &now) => {
            ": its layout, not what it says".to_owned()
        }
        (Some(ours), Ok(now)) => format!(": {}", difference(&ours.unwrap_or_default(), &now)),
    };
    found.message = format!("`{}` was edited{what}", path.display());
    if let (None, Some(written)) = (found.position, &written) {
        let both = written.lines().zip(text.lines());
        let line = both.take_while(|(a, b)| a == b).count() + 1;
        found.position = Some((line, 1));
    }
    found
}

/// Permission bits: any other than those that the file had when gitvow had written it. In a repository git keeps the
/// x bit alone, and the rest is whatever umask the checkout had.
fn mode(record: &Record, recorded: u32, now: u32, repo: bool, out: &mut Vec<Found>) {
    let counted = if repo { 0o100 } else { 0o7777 };
    if recorded & counted != now & counted {
        out.push(Found::at(
            MODE_CHANGED,
            &record.path,
            format!(
                "`{}` has the permissions {now:04o}; gitvow left it with {recorded:04o}",
                record.path.display()
            ),
            format!("chmod {recorded:04o} {}", quoted(&record.path)),
        ));
    }
}

/// Other files in a directory that gitvow made for this one.
fn foreign(sight: &Sight<'_>, record: &Record, out: &mut Vec<Found>) {
    let Some(dir) = record.real.parent() else {
        return;
    };
    let Some(names) = sight.folders.get(dir) else {
        return;
    };
    let known = |name: &str| {
        let path = dir.join(name);
        sight
            .of
            .ctx
            .records
            .iter()
            .any(|r| r.real == path || r.dirs.contains(&path))
    };
    for name in names.iter().filter(|n| !known(n)) {
        let path = dir.join(name);
        if out
            .iter()
            .any(|f| f.code == TREE_FILE_FOREIGN && f.path.as_ref() == Some(&path))
        {
            continue;
        }
        out.push(Found::at(
            TREE_FILE_FOREIGN,
            &path,
            format!(
                "`{}` is not gitvow's and stands in a directory that gitvow made; an uninstall leaves both",
                path.display()
            ),
            format!("ls -l {}", quoted(&path)),
        ));
    }
}

/// Files where a planner has its own that nobody recorded: another gitvow's, or ours with the record lost.
pub(super) fn unrecorded(sight: &Sight<'_>, out: &mut Vec<Found>) {
    let targets = sight.of.targets.iter().flat_map(|t| &t.trees);
    for target in targets {
        let path = &target.path;
        let Some(Actual::File(file)) = sight.world.get(path) else {
            continue;
        };
        let known = |r: &Record| r.path == *path || r.real == file.real;
        if sight.of.ctx.records.iter().any(known) {
            continue;
        }
        let (Ok(text), Some(tree)) = (std::str::from_utf8(&file.bytes), tree(sight, target)) else {
            continue;
        };
        let Some(wanted) = wanted(sight, target, sight.of.ctx.block) else {
            continue;
        };
        let repo = sight.of.subject.owner.scope == Scope::Repo;
        let print = tree::judged(text, repo);
        let after = Print::of(wanted.text.as_bytes());
        let there = Some((&print, text));
        let put = tree::put(there, None, &after, wanted.json, &tree.legacy, false, false);
        let whose = match put {
            tree::Put::Record => "as gitvow writes it",
            tree::Put::Adoptable => "another gitvow's",
            _ => continue,
        };
        out.push(Found::at(
            UNRECORDED_ENTRY,
            path,
            format!("`{}` is {whose}, and nobody recorded it", path.display()),
            format!("{} --adopt", sight.command("install")),
        ));
    }
}

fn tree<'s>(sight: &'s Sight<'_>, target: &TreeTarget) -> Option<&'s TreeSpec> {
    sight.install()?.trees.get(target.tree)
}

/// What today's planner would write there.
fn wanted(sight: &Sight<'_>, target: &TreeTarget, block: bool) -> Option<TreeText> {
    let scope = sight.of.subject.owner.scope;
    strays::wanted(sight.of.ctx, sight.install()?, scope, target, block)
}

/// Today's planner would write another text than this one, which is as recorded. One that runs another program is
/// another matter.
fn outdated(
    sight: &Sight<'_>,
    path: &Path,
    tree: &TreeFile,
    text: &str,
    programs: &[PathBuf],
    out: &mut Vec<Found>,
) {
    let target = sight.target_of(path);
    let Some(wanted) = target.and_then(|t| wanted(sight, t, tree.block)) else {
        return;
    };
    let launcher = Path::new(sight.of.ctx.launcher);
    let repo = sight.of.subject.owner.scope == Scope::Repo;
    let stale = !repo && programs.iter().any(|p| p != launcher);
    if wanted.text != text && !stale {
        out.push(Found::at(
            ENTRY_OUTDATED,
            path,
            format!("this gitvow would write `{}` otherwise", path.display()),
            sight.command("install"),
        ));
    }
}
