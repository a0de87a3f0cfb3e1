//! The real binary, killed at its system calls by strace: afterwards the user's file is before or after, the
//! next run settles the rest, and an uninstall gives everything back.
//!
//! A sample by default; `GITVOW_KILL_FULL=1` kills at every call that install and uninstall make.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs
)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OLD: &str = "{\n  \"model\": \"opus\"\n}\n";

/// System calls (`?`: on some machines only), and how many of one kind lie between two kills in the sample.
const CALLS: [(&str, usize); 14] = [
    ("?open", 11),
    ("openat", 11),
    ("write", 3),
    ("?copy_file_range", 1),
    ("fsync", 5),
    ("?fchmod", 4),
    ("?rename", 1),
    ("?renameat", 1),
    ("renameat2", 1),
    ("?unlink", 1),
    ("unlinkat", 3),
    ("?mkdir", 1),
    ("mkdirat", 1),
    ("flock", 1),
];

/// One with a file that it owns, one with a plugin that is ours: edits, files and directories.
const AGENTS: [&str; 4] = ["--agent", "claude", "--agent", "opencode"];

type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        let shm = Path::new("/dev/shm");
        let dir = match shm.is_dir() {
            true => tempfile::tempdir_in(shm),
            false => tempfile::tempdir(),
        };
        let scratch = Self(dir.unwrap());
        scratch.reset();
        scratch
    }

    /// The same paths for every run: what is written names them.
    fn reset(&self) {
        for entry in fs_err::read_dir(self.0.path()).unwrap() {
            fs_err::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        fs_err::create_dir_all(self.home().join(".claude")).unwrap();
        fs_err::write(self.settings(), OLD).unwrap();
        let private = std::fs::Permissions::from_mode(0o600);
        fs_err::set_permissions(self.settings(), private).unwrap();
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    /// `around` comes before gitvow's own words (strace and its options).
    fn gitvow(&self, around: &[&str], command: &str) -> Output {
        let own = [env!("CARGO_BIN_EXE_gitvow")]
            .into_iter()
            .chain(command.split(' '));
        let own = own.chain(AGENTS);
        let words: Vec<&str> = around.iter().copied().chain(own).collect();
        let (program, args) = words.split_first().unwrap();
        Command::new(program)
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.home())
            .output()
            .unwrap()
    }

    #[track_caller]
    fn works(&self, command: &str, note: &str) {
        let output = self.gitvow(&[], command);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{note}: {command}: {text}");
    }

    /// All of the user's files; the state home left out.
    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.home(), &mut tree);
        tree.retain(|path, _| !path.starts_with(self.home().join(".gitvow")));
        tree
    }

    /// State home and all; but for the lock.
    fn everything(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.home(), &mut tree);
        tree.remove(&self.home().join(".gitvow/lock"));
        tree
    }

    /// Half-made files anywhere, and the journal.
    fn remains(&self) -> Vec<PathBuf> {
        let mut tree = Tree::new();
        walk(&self.home(), &mut tree);
        let remains = |p: &PathBuf| {
            let name = p.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with(".gitvow-") || name == "journal.json"
        };
        tree.into_keys().filter(remains).collect()
    }
}

#[test]
fn an_install_killed_at_its_system_calls() {
    killed("install");
}

#[test]
fn an_uninstall_killed_at_its_system_calls() {
    killed("uninstall");
}

fn killed(command: &str) {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new();
    let before = scratch.tree();
    scratch.works("install", "reference");
    let after = scratch.tree();
    assert_ne!(before, after);
    scratch.works("uninstall", "reference");
    assert_eq!(scratch.tree(), before);
    let full = std::env::var("GITVOW_KILL_FULL").is_ok_and(|v| v == "1");
    let mut kills = 0;
    for (calls, step) in CALLS {
        let step = if full { 1 } else { step };
        let mut at = 1;
        while kill_at(&scratch, command, calls, at, &before, &after) {
            kills += 1;
            at += step;
        }
        println!("{command}: {calls} up to {at}");
    }
    println!("{command}: killed {kills} times");
    assert!(kills > 20, "only {kills} kills");
}

/// Kills the command at its `at`-th such call and checks everything; `false`: it never made so many.
fn kill_at(
    s: &Scratch,
    command: &str,
    calls: &str,
    at: usize,
    before: &Tree,
    after: &Tree,
) -> bool {
    s.reset();
    if command == "uninstall" {
        s.works("install", "preparing");
    }
    let note = format!("{command} killed at {calls} {at}");
    let trace = format!("trace={calls}");
    let inject = format!("inject={calls}:signal=KILL:when={at}");
    let around = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &trace,
        "-e",
        &inject,
    ];
    let output = s.gitvow(&around, command);
    let was_killed = output.status.signal() == Some(9) || output.status.code() == Some(137);
    if !was_killed {
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{note}: {text}");
        return false;
    }
    for (path, found) in s.tree() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = Some(&found);
        assert!(
            name.starts_with(".gitvow-") || found == before.get(&path) || found == after.get(&path),
            "{note}: {path:?} is neither before nor after"
        );
    }
    if !s.remains().is_empty() {
        let all = s.everything();
        s.works("install --dry-run", &note);
        assert_eq!(s.everything(), all, "{note}: a dry run wrote something");
    }
    // Half of the cases are completed by the same command again, the others undone by its opposite.
    if at.is_multiple_of(2) {
        s.works("install", &note);
        assert_eq!(s.remains(), Vec::<PathBuf>::new(), "{note}");
        assert_eq!(&s.tree(), after, "{note}");
    }
    s.works("uninstall", &note);
    assert_eq!(s.remains(), Vec::<PathBuf>::new(), "{note}");
    assert_eq!(&s.tree(), before, "{note}");
    assert!(
        !s.home().join(".gitvow/bin").exists(),
        "{note}: the launcher stays"
    );
    true
}

fn has_strace() -> bool {
    let probe = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .output();
    if probe.is_ok_and(|o| o.status.success()) {
        return true;
    }
    assert!(
        std::env::var("CI").is_err(),
        "strace is missing or can't trace"
    );
    eprintln!("skipped: strace is missing or can't trace");
    false
}

fn walk(dir: &Path, tree: &mut Tree) {
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let facts = path.symlink_metadata().unwrap();
        let bytes = facts.is_file().then(|| fs_err::read(&path).unwrap());
        tree.insert(path.clone(), (facts.permissions().mode() & 0o7777, bytes));
        if facts.is_dir() {
            walk(&path, tree);
        }
    }
}
