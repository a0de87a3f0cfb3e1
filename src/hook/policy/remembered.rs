//! Remembers that a policy's patterns were compiled, by size, mtime and inode: `<state>/policy-checked`.
//!
//! It only saves work. A note that can't be read or written changes nothing but the time it takes.

use crate::sys::{Like, Stat, Sys};
use std::path::Path;

const FILE: &str = "policy-checked";
/// Policies that are remembered; the oldest goes first.
const MOST: usize = 32;

/// Has this policy been checked by this version, as it stands?
pub fn knows(state: &Path, policy: &Path, stat: &Stat, sys: &Sys<'_>) -> bool {
    let wanted = line(policy, stat);
    sys.disk
        .read(&state.join(FILE), 64 << 10)
        .is_ok_and(|bytes| bytes.split(|b| *b == b'\n').any(|l| l == wanted.as_bytes()))
}

/// Notes that it has been checked.
pub fn note(state: &Path, policy: &Path, stat: &Stat, sys: &Sys<'_>) {
    let file = state.join(FILE);
    let old = sys.disk.read(&file, 64 << 10).unwrap_or_default();
    let old = String::from_utf8_lossy(&old).into_owned();
    let ending = format!(" {}", policy.display());
    let mut lines = vec![line(policy, stat)];
    lines.extend(
        old.lines()
            .filter(|l| !l.ends_with(&ending))
            .take(MOST - 1)
            .map(str::to_owned),
    );
    let text = lines.join("\n") + "\n";
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

fn line(policy: &Path, stat: &Stat) -> String {
    format!(
        "1 {} {} {} {} {} {}",
        env!("CARGO_PKG_VERSION"),
        stat.len,
        stat.mtime_ns,
        stat.id.0,
        stat.id.1,
        policy.display()
    )
}
