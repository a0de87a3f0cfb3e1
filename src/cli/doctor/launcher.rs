//! Is the launcher the copy that was recorded, and if not, is it gitvow at all? Starts nothing: it is read.

use crate::cli::session::{Session, real};
use crate::ledger::Body;
use crate::plan::health::Program;

/// What every gitvow says when it can't go on; no other program holds it.
const MARK: &[u8] = b"gitvow could not finish its check";
/// The largest program that is read, in bytes.
const CAP: u64 = 256 << 20;

/// What was seen.
pub(super) struct Launcher {
    /// It isn't the recorded copy, or is older than this program: a phrase.
    pub(super) other_build: Option<String>,
    /// What it is, where it is a file that may be run.
    pub(super) program: Program,
}

/// Looks at it.
pub(super) fn look(session: &Session<'_>) -> Launcher {
    let other_build = other_build(session);
    let path = real(session.sys, &session.state.launcher());
    let program = match other_build {
        // What it is was looked at when it was recorded.
        None => Program::Runs,
        Some(_) => match session.sys.disk.read(&path, CAP) {
            Ok(bytes) => judge(&bytes),
            // Not to be read isn't not to be run.
            Err(_) => Program::Runs,
        },
    };
    Launcher {
        other_build,
        program,
    }
}

fn other_build(session: &Session<'_>) -> Option<String> {
    let path = session.state.launcher();
    let record = session.records.iter().find(|r| r.path == path)?;
    let Body::Tree(tree) = &record.body else {
        return None;
    };
    let noted = tree.launcher.as_ref()?;
    let stat = session.sys.disk.stat(&real(session.sys, &path)).ok()?;
    let touched = noted.mtime_ns == 0
        || i128::from(noted.mtime_ns) != stat.mtime_ns
        || stat.len != tree.print.len;
    if touched && session.sys.disk.hash(&real(session.sys, &path)).ok()? != tree.print.sha256 {
        return Some("is not the copy that gitvow put there".to_owned());
    }
    let own = env!("CARGO_PKG_VERSION");
    crate::plan::launcher::newer(own, &noted.version)
        .then(|| format!("is gitvow {}, older than this one ({own})", noted.version))
}

fn judge(bytes: &[u8]) -> Program {
    if bytes.is_empty() {
        return Program::NotGitvow("it is empty");
    }
    if is_cut_off(bytes) == Some(true) {
        return Program::NotGitvow("it is cut off");
    }
    match bytes.windows(MARK.len()).any(|w| w == MARK) {
        true => Program::Runs,
        false => Program::NotGitvow("it is another program"),
    }
}

/// Does a segment of an ELF program end behind the file's end? `None`: it is of another kind.
fn is_cut_off(bytes: &[u8]) -> Option<bool> {
    let number = |at: usize, len: usize| -> Option<u64> {
        let digits = bytes.get(at..at.checked_add(len)?)?.iter().rev();
        Some(digits.fold(0, |n, b| n << 8 | u64::from(*b)))
    };
    // 64 bits, little-endian: what gitvow is built for on Linux.
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = usize::try_from(number(0x20, 8)?).ok()?;
    let (size, count) = (number(0x36, 2)?, number(0x38, 2)?);
    for n in 0..count {
        let Some(end) = usize::try_from(n * size)
            .ok()
            .and_then(|at| table.checked_add(at))
            .and_then(|at| number(at + 8, 8)?.checked_add(number(at + 32, 8)?))
        else {
            return Some(true);
        };
        if end > bytes.len() as u64 {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::gate::LAST_WORD;

    #[test]
    fn a_gitvow_is_known_by_what_it_says() {
        assert!(LAST_WORD.as_bytes().windows(MARK.len()).any(|w| w == MARK));
        assert_eq!(judge(LAST_WORD.as_bytes()), Program::Runs);
        assert_eq!(judge(b""), Program::NotGitvow("it is empty"));
        assert_eq!(
            judge(b"#!/bin/sh\n"),
            Program::NotGitvow("it is another program")
        );
    }
}
