//! `uninstall --everywhere --purge`: gitvow's own state. It removes what gitvow writes there, by name, and nothing else.

use super::session::Session;
use super::{Console, escape};
use crate::error::{Error, Result};
use crate::hook::log;
use crate::ledger::store::is_record_name;
use crate::sys::FileKind;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of the state home; `hooks.log` also with a rotation's suffix.
const FILES: [&str; 4] = ["policy.json", "config.json", "journal.json", "lock"];
/// Its directories.
const DIRS: [&str; 3] = ["records", "adapters", "saved"];

/// Removes the state, or says what would go.
pub fn run(
    session: &mut Session<'_>,
    dry_run: bool,
    logs: &[PathBuf],
    console: &mut Console<'_>,
) -> Result<()> {
    let root = session.state.root().to_path_buf();
    let disk = session.sys.disk;
    let mut files: Vec<PathBuf> = Vec::new();
    let names = disk.list(&root).unwrap_or_default();
    for path in names.iter().map(|n| root.join(n)) {
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        if FILES.contains(&name.as_str())
            || name.starts_with("hooks.log")
            || name.starts_with("policy-checked")
        {
            files.push(path);
        }
    }
    let dirs: Vec<PathBuf> = DIRS.iter().map(|d| root.join(d)).collect();
    for dir in &dirs {
        files.extend(
            disk.list(dir)
                .unwrap_or_default()
                .into_iter()
                .filter(|n| !dir.ends_with("records") || is_record_name(n))
                .map(|n| dir.join(n)),
        );
    }
    files.retain(|f| disk.stat(f).is_ok_and(|s| s.kind == FileKind::File));
    for file in &files {
        let verb = if dry_run { "would remove" } else { "removed" };
        if !dry_run {
            match disk.unlink(file) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err(Error::io("remove", file, &e));
                }
                _ => {}
            }
        }
        console.say(&format!("{verb} {}\n", escape::path(file)));
    }
    if !dry_run {
        for dir in dirs.iter().chain([&root]) {
            let _ = disk.remove_dir(dir);
        }
    }
    for left in left(session, &root) {
        console.say(&format!(
            "note: {} is not gitvow's to remove\n",
            escape::path(&left)
        ));
    }
    for log in logs {
        console.say(&format!("note: {} stays\n", escape::path(log)));
    }
    console.say("note: hooks wrote logs into every repository that an agent worked in: `<git directory>/gitvow-hooks.log`\n");
    Ok(())
}

/// The logs in the git directories of repositories that the ledger knows. Asked before the ledger is empty.
pub fn repository_logs(session: &Session<'_>) -> Vec<PathBuf> {
    let disk = session.sys.disk;
    let files = session.records.iter().map(|r| r.real.as_path());
    let here = session.sys.env.cwd().ok();
    let tops = files.chain(here.as_deref()).flat_map(Path::ancestors);
    let gits = tops.map(|top| top.join(".git"));
    let gits = gits.filter(|git| disk.stat(git).is_ok());
    let logs: BTreeSet<PathBuf> = gits
        .map(|git| log::place(Some(&git), session.state.root(), session.sys))
        .filter(|log| !log.starts_with(session.state.root()))
        .collect();
    logs.iter()
        .flat_map(|log| with_rotated(session, log))
        .collect()
}

/// A log and those that were set aside beside it.
fn with_rotated(session: &Session<'_>, log: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (log.parent(), log.file_name()) else {
        return Vec::new();
    };
    let names = session.sys.disk.list(dir).unwrap_or_default();
    let stem = name.to_string_lossy();
    let ours = |n: &PathBuf| n.to_string_lossy().starts_with(stem.as_ref());
    names
        .into_iter()
        .filter(ours)
        .map(|n| dir.join(n))
        .collect()
}

fn left(session: &Session<'_>, root: &Path) -> Vec<PathBuf> {
    let names = session.sys.disk.list(root).unwrap_or_default();
    names
        .into_iter()
        .map(|n| root.join(n))
        .filter(|p| {
            ["agents", "ledger", "records"]
                .iter()
                .any(|n| p.ends_with(n))
        })
        .filter(|p| !session.sys.disk.list(p).unwrap_or_default().is_empty())
        .collect()
}
