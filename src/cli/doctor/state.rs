//! gitvow's own state: the ledger, an interrupted run, permissions, the policy. It looks and repairs nothing.

use super::{from_error, output};
use crate::cli::output::{Finding, Severity};
use crate::cli::session::{Session, facts};
use crate::hook::policy;
use crate::plan::agent::quoted;
use crate::plan::health::Found;
use crate::plan::health::codes::{
    JOURNAL_PENDING, LEDGER_CORRUPT, POLICY_INVALID, STATE_PERMISSIONS,
};
use std::path::{Path, PathBuf};

/// Everything there is to say of it.
pub(super) fn findings(session: &Session<'_>) -> Vec<Finding> {
    let mut found: Vec<Found> = session
        .troubles
        .iter()
        .map(|e| from_error(LEDGER_CORRUPT, e))
        .collect();
    if session.overlay.is_some() {
        let journal = session.state.journal();
        found.push(Found::at(
            JOURNAL_PENDING,
            &journal,
            "an interrupted run waits to be settled; what is said here is how things stand once it is",
            "gitvow install",
        ));
    }
    permissions(session, &mut found);
    let mut out: Vec<Finding> = found.iter().map(output).collect();
    out.extend(policy_findings(session));
    out
}

/// Directories 0700 and files 0600; the root may be shared with the Python gitvow, which makes it 0755: then only
/// rights to write count.
fn permissions(session: &Session<'_>, out: &mut Vec<Found>) {
    let disk = session.sys.disk;
    let state = &session.state;
    let root = state.root();
    if disk.stat(root).is_err() {
        return;
    }
    let shared = ["ledger", "git-hooks"]
        .iter()
        .any(|n| disk.stat(&root.join(n)).is_ok());
    let mut check = |path: &Path, forbidden: u32, good: u32| {
        if let Some(stat) = facts(session.sys, path)
            && stat.mode & forbidden != 0
        {
            let what = if stat.mode & forbidden & 0o022 != 0 {
                "change"
            } else {
                "read"
            };
            out.push(Found::at(
                STATE_PERMISSIONS,
                path,
                format!(
                    "others may {what} `{}`: its permissions are {:04o}",
                    path.display(),
                    stat.mode & 0o7777
                ),
                format!("chmod {good:04o} {}", quoted(path)),
            ));
        }
    };
    check(root, if shared { 0o022 } else { 0o077 }, 0o700);
    for dir in [state.records(), state.saved(), state.adapters()] {
        check(&dir, 0o077, 0o700);
        let names = disk.list(&dir).unwrap_or_default();
        // What somebody else put among the records is no business of ours (spec 1.6).
        let ours = |n: &PathBuf| dir != state.records() || crate::ledger::store::is_record_name(n);
        for name in names.into_iter().filter(ours) {
            check(&dir.join(name), 0o077, 0o600);
        }
    }
    check(&state.bin(), 0o022, 0o700);
    check(&state.launcher(), 0o022, 0o755);
    for file in [state.journal(), state.hooks_log()] {
        check(&file, 0o077, 0o600);
    }
    for file in [state.policy(), state.config()] {
        check(&file, 0o022, 0o600);
    }
}

/// A policy that can't be used makes every hook deny, so it is told here; keys that only the Python gitvow knows
/// are a note.
fn policy_findings(session: &Session<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let root = session.state.root();
    let mut broken = |path: PathBuf, why: String| {
        let help = format!("${{EDITOR:-vi}} {}", quoted(&path));
        out.push(output(&Found::at(POLICY_INVALID, &path, why, help)));
    };
    let texts = match policy::texts(root, session.repo.as_deref(), session.sys) {
        Ok(texts) => texts,
        Err(why) => {
            let repo = session.repo.as_ref().map(|r| r.join(".gitvow/policy.json"));
            let path = repo.filter(|p| why.contains(&p.display().to_string()));
            broken(path.unwrap_or_else(|| session.state.policy()), why);
            return out;
        }
    };
    let mut ignored = Vec::new();
    for source in std::iter::once(&texts.user).chain(&texts.repo) {
        // The built-in one is checked by the tests.
        let Some(path) = source.path.clone() else {
            continue;
        };
        match source.check(session.sys) {
            Ok(unused) if !unused.is_empty() => ignored.push((path, unused.join(", "))),
            Ok(_) => {}
            Err(why) => broken(path, why),
        }
    }
    for (path, keys) in ignored {
        let help = "nothing has to be done: the Python gitvow reads them";
        let mut note = output(&Found::at(
            POLICY_INVALID,
            &path,
            format!(
                "`{}` holds what this gitvow doesn't use: {keys}",
                path.display()
            ),
            help,
        ));
        note.severity = Severity::Note;
        out.push(note);
    }
    out
}
