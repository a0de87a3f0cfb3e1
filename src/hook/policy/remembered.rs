//! Remembers that a policy's patterns were compiled, by size, mtime and inode, and what must occur for any
//! of its rules to match: one line a policy in `<state>/policy-checked`.
//!
//! It only saves work. A note that can't be read or written changes nothing but the time it takes.

use crate::sys::{Like, Stat, Sys};
use std::path::Path;

const FILE: &str = "policy-checked";
/// Policies that are remembered, and the file's most bytes; the oldest goes first.
const MOST: usize = 16;
const CAP: usize = 512 << 10;

/// What is known of a policy, as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its needles ([`super::needles`]); `None` where some rule may match anything.
    pub needles: Option<String>,
}

/// Has this policy been checked by this version, as it stands?
pub fn knows(state: &Path, policy: &Path, stat: &Stat, sys: &Sys<'_>) -> Option<Known> {
    let bytes = sys.disk.read(&state.join(FILE), CAP as u64).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let wanted = key(policy, stat);
    text.lines().find_map(|line| {
        let needles = line.strip_prefix(wanted.as_str())?.strip_prefix('\t')?;
        Some(Known {
            needles: needles.strip_prefix('=').map(str::to_owned),
        })
    })
}

/// Notes that it has been checked.
pub fn note(state: &Path, policy: &Path, stat: &Stat, known: &Known, sys: &Sys<'_>) {
    let name = policy.display().to_string();
    if name.contains(['\n', '\t']) {
        return;
    }
    let file = state.join(FILE);
    let old = sys.disk.read(&file, CAP as u64).unwrap_or_default();
    let old = String::from_utf8_lossy(&old).into_owned();
    let needles = known
        .needles
        .as_ref()
        .map_or_else(|| "*".to_owned(), |n| format!("={n}"));
    let mut text = format!("{}\t{needles}\n", key(policy, stat));
    let ending = format!(" {name}");
    let others = old
        .lines()
        .filter(|l| !l.split('\t').next().unwrap_or_default().ends_with(&ending));
    for line in others.take(MOST - 1) {
        if text.len() + line.len() < CAP {
            text.push_str(line);
            text.push('\n');
        }
    }
    if text.len() > CAP {
        return;
    }
    let temporary = state.join(format!("{FILE}.{}", sys.clock.now().as_nanos()));
    if sys
        .disk
        .create(&temporary, text.as_bytes(), Like::Mode(0o600))
        .is_ok()
        && sys.disk.rename(&temporary, &file, true).is_err()
    {
        let _ = sys.disk.unlink(&temporary);
    }
}

fn key(policy: &Path, stat: &Stat) -> String {
    format!(
        "2 {} {} {} {} {} {}",
        env!("CARGO_PKG_VERSION"),
        stat.len,
        stat.mtime_ns,
        stat.id.0,
        stat.id.1,
        policy.display()
    )
}
