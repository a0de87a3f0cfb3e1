//! `uninstall --everywhere --purge`: gitvow's own state. It removes what gitvow writes there, by name, and nothing else.

use super::session::Session;
use super::{Console, escape};
use crate::error::{Error, Result};
use crate::sys::FileKind;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of the state home; `hooks.log` also with a rotation's suffix.
const FILES: [&str; 4] = ["policy.json", "config.json", "journal.json", "lock"];
/// Its directories.
const DIRS: [&str; 3] = ["records", "adapters", "saved"];

/// Removes the state, or says what would go.
pub fn run(session: &mut Session<'_>, dry_run: bool, console: &mut Console<'_>) -> Result<()> {
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
            || name.starts_with("policy.checked")
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
    console.say("note: logs that hooks wrote into repositories stay there: `<git directory>/gitvow-hooks.log`\n");
    Ok(())
}

fn left(session: &Session<'_>, root: &Path) -> Vec<PathBuf> {
    let names = session.sys.disk.list(root).unwrap_or_default();
    names
        .into_iter()
        .map(|n| root.join(n))
        .filter(|p| p.ends_with("agents") || p.ends_with("ledger"))
        .collect()
}
