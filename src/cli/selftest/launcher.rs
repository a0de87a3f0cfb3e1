//! The launcher that is installed: the rehearsal's commands run a copy of this very program, those in the user's files
//! run that one. A copy of it is asked like any hook, in a state home of its own: the user's stays as it is.

use super::judge::{self, Effect, Said};
use super::samples::{Wanted, payload, policy};
use super::scratch::Scratch;
use super::told;
use crate::cli::session::{Session, real};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Does it allow and deny? `None`: none is installed.
pub(super) fn judged(
    scratch: &Scratch<'_>,
    session: &Session<'_>,
) -> Option<std::result::Result<String, String>> {
    let launcher = session.state.launcher();
    session.records.iter().find(|r| r.path == launcher)?;
    let shown = launcher.display();
    let copy = match copied(scratch, &real(session.sys, &launcher)) {
        Ok(copy) => copy,
        Err(e) => return Some(Err(format!("`{shown}` can't be read: {}", told(&e)))),
    };
    let ask = |wanted| {
        let cwd = scratch.repo.to_string_lossy();
        let text = payload("claude", "PreToolUse", wanted, &cwd).to_string();
        let args = ["hook", "--agent", "claude", "PreToolUse"].map(str::to_owned);
        let ended = scratch.run(copy.clone(), args.to_vec(), Vec::new(), text.as_bytes());
        let ended = ended.map_err(|e| format!("`{shown}` can't be run: {}", told(&e)))?;
        let said = Said {
            exit: ended.code.unwrap_or(-1),
            stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
        };
        Ok(judge::gate("claude", "PreToolUse", &said))
    };
    let outcome = ask(Wanted::Allow).and_then(|allow| Ok((allow, ask(Wanted::Deny)?)));
    Some(outcome.and_then(|both| match both {
        (Effect::Runs, Effect::Blocks) => Ok(format!("`{shown}` allows and denies")),
        (Effect::Runs, _) => Err(format!(
            "`{shown}` does not deny what the policy denies: it is no gitvow that works (`gitvow install` puts it back)"
        )),
        _ => Err(format!(
            "`{shown}` does not allow what the policy allows: it is no gitvow that works (`gitvow install` puts it back)"
        )),
    }))
}

/// A copy with its permissions, in a state home with the rehearsal's policy: a launcher's state is where it stands.
fn copied(scratch: &Scratch<'_>, launcher: &Path) -> Result<PathBuf> {
    let disk = scratch.sys().disk;
    let io = |e| Error::io("read", launcher, &e);
    let mode = disk.stat(launcher).map_err(io)?.mode & 0o777;
    let bytes = disk.read(launcher, 512 << 20).map_err(io)?;
    let state = scratch.home.join("launcher/.gitvow");
    scratch.write(&state.join("policy.json"), policy().as_bytes(), 0o600)?;
    let copy = state.join("bin/gitvow");
    scratch.write(&copy, &bytes, mode)?;
    Ok(copy)
}
