//! Makes a program that tests then run.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes `text` to `path`, executable. A child writes it: while this process had the file open, another test's child
/// could be started with it, and running the program would fail with "text file busy" (seen once in hundreds of runs).
pub fn program(path: &Path, text: &str) {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success(), "{}", path.display());
}
