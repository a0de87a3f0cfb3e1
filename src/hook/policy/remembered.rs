//! Remembers that a policy's patterns were compiled, by size, times and inode, and its index: in
//! `<state>/policy-checked`, for each policy a line with the index's length, then the index.
//!
//! It only saves work. A note that can't be read or written changes nothing but the time it takes.

use crate::sys::{Like, Stat, Sys};
use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

const FILE: &str = "policy-checked";
/// Policies that are remembered, and the file's most bytes; the oldest goes first.
const MOST: usize = 16;
const CAP: usize = 2 << 20;
/// In place of a length: there is no index.
const NONE: &str = "*";

/// What is known of a policy, as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its index ([`super::index`]); `None` where it has to be parsed whole.
    pub index: Option<Cow<'static, str>>,
}

/// Has this policy been checked by this version, as it stands?
pub fn knows(state: &Path, policy: &Path, stat: &Stat, sys: &Sys<'_>) -> Option<Known> {
    let bytes = sys.disk.read(&state.join(FILE), CAP as u64).ok()?;
    let mut text = String::from_utf8(bytes).ok()?;
    let wanted = key(policy, stat);
    let found = notes(&text).find(|n| n.key == wanted)?;
    if found.length == NONE {
        return Some(Known { index: None });
    }
    // Cut out where it stands: a copy would touch as many pages again.
    let start = found.index.as_ptr().addr() - text.as_ptr().addr();
    text.truncate(start + found.index.len());
    text.drain(..start);
    Some(Known {
        index: Some(Cow::Owned(text)),
    })
}

/// One policy's note.
struct Note<'a> {
    key: &'a str,
    length: &'a str,
    index: &'a str,
}

fn notes(mut rest: &str) -> impl Iterator<Item = Note<'_>> {
    std::iter::from_fn(move || {
        let (head, behind) = rest.split_once('\n')?;
        let (key, length) = head.rsplit_once('\t')?;
        let index = match length {
            NONE => "",
            length => behind.get(..length.parse().ok()?)?,
        };
        rest = behind.get(index.len()..)?;
        Some(Note { key, length, index })
    })
}

/// Would a later change of it be seen? Not within one tick of the file system's clock (10 ms at most on Linux, 2 s where it
/// keeps whole seconds): then both have one time. `now` is when `stat` was asked for, or before.
pub fn may_be_noted(stat: &Stat, now: Duration) -> bool {
    let tick = match stat.ctime_ns % 1_000_000_000 {
        0 => Duration::from_secs(3),
        _ => Duration::from_millis(30),
    };
    let now = i128::try_from(now.as_nanos()).unwrap_or(0);
    now - stat.ctime_ns > i128::try_from(tick.as_nanos()).unwrap_or(i128::MAX)
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
    let put = |text: &mut String, key: &str, length: &str, index: &str| {
        for part in [key, "\t", length, "\n", index] {
            text.push_str(part);
        }
    };
    let mut text = String::new();
    let key = key(policy, stat);
    match known.index.as_deref() {
        Some(index) => put(&mut text, &key, &index.len().to_string(), index),
        None => put(&mut text, &key, NONE, ""),
    }
    let ending = format!(" {name}");
    let others = notes(&old).filter(|n| !n.key.ends_with(&ending));
    for note in others.take(MOST - 1) {
        if text.len() + note.key.len() + note.index.len() + 16 < CAP {
            put(&mut text, note.key, note.length, note.index);
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
        "4 {} {} {} {} {} {} {}",
        env!("CARGO_PKG_VERSION"),
        stat.len,
        stat.mtime_ns,
        stat.ctime_ns,
        stat.id.0,
        stat.id.1,
        policy.display()
    )
}
