//! Runs the real binary as an agent would: a scratch home, a clean environment, bytes on stdin.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// As the golden files hold it.
    pub fn shown(&self) -> String {
        format!(
            "exit {}\n--- stdout\n{}--- stderr\n{}",
            self.exit, self.stdout, self.stderr
        )
    }
}

/// A command in that home, nothing else in its environment.
pub fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gitvow"));
    command
        .args(args)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A home with that policy.
pub fn home(policy: Option<&str>) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    if let Some(policy) = policy {
        let state = home.path().join(".gitvow");
        fs::create_dir(&state).unwrap();
        fs::write(state.join("policy.json"), policy).unwrap();
    }
    home
}

/// `gitvow hook ARGS` with that payload.
pub fn hook(args: &[&str], payload: &[u8], policy: Option<&str>) -> Said {
    let home = home(policy);
    run(command(home.path(), &[&["hook"], args].concat()), payload)
}

/// Feeds it and waits.
pub fn run(mut command: Command, payload: &[u8]) -> Said {
    let mut child = command.spawn().unwrap();
    // Answers may come before everything is taken (too big): a closed pipe is no fault then.
    let _ = child.stdin.take().unwrap().write_all(payload);
    let out = child.wait_with_output().unwrap();
    Said {
        exit: out.status.code().unwrap_or(-1),
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
    }
}
