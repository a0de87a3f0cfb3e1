//! The real binary on a machine that gets in its way: a full disk, directories that may not be written,
//! odd umasks, seven others of itself. As an ordinary user where root would hide the refusal.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr,
    missing_docs
)]

#[path = "common/transactions.rs"]
#[allow(dead_code, reason = "shared with the tests of the writer")]
mod transactions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use transactions::{Tree, set_mode, tree_of};

const OLD: &str = "{\n  \"model\": \"opus\"\n}\n";
const AGENTS: [&str; 8] = [
    "claude", "codex", "gemini", "cursor", "copilot", "factory", "kimi", "qwen",
];

/// A home with a private settings file, and a copy of gitvow that every user may run.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        let shm = Path::new("/dev/shm");
        let dir = match shm.is_dir() {
            true => tempfile::tempdir_in(shm),
            false => tempfile::tempdir(),
        };
        let scratch = Self(dir.unwrap());
        fs_err::create_dir_all(scratch.home().join(".claude")).unwrap();
        fs_err::write(scratch.settings(), OLD).unwrap();
        set_mode(&scratch.settings(), 0o600);
        fs_err::copy(env!("CARGO_BIN_EXE_gitvow"), scratch.gitvow()).unwrap();
        scratch
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    fn gitvow(&self) -> PathBuf {
        self.0.path().join("gitvow")
    }

    /// A shell script in which `$G` is gitvow and `$HOME` the home; `around` comes before the shell.
    fn sh(&self, around: &[&str], script: &str) -> Output {
        let words: Vec<&str> = around
            .iter()
            .copied()
            .chain(["/bin/sh", "-c", script])
            .collect();
        let (program, args) = words.split_first().unwrap();
        Command::new(program)
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("G", self.gitvow())
            .env("OLD", OLD)
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .current_dir("/")
            .output()
            .unwrap()
    }

    /// The user's files; the state home left out.
    fn tree(&self) -> Tree {
        let mut tree = tree_of(&self.home());
        tree.retain(|path, _| !path.starts_with(".gitvow"));
        tree
    }

    fn mode(&self, name: &str) -> u32 {
        tree_of(&self.home())[Path::new(name)].0
    }
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_disk_that_is_full() {
    let scratch = Scratch::new();
    let namespace = ["unshare", "-r", "-m"];
    let mount = "mount -t tmpfs -o size=1m tmpfs \"$HOME\"";
    if !scratch.sh(&namespace, mount).status.success() {
        eprintln!("skipped: no file system may be mounted here");
        return;
    }
    let size = fs_err::metadata(scratch.gitvow()).unwrap().len();
    let (mut full, mut fits) = (0, 0);
    for room in (0..).map(|n| n * 4096) {
        // From "not even half of the launcher" over each single page to "enough".
        let room = if room == 0 { size / 2 } else { size + room };
        let script = format!(
            r#"set -e
            mount -t tmpfs -o size={room} tmpfs "$HOME"; cd "$HOME"
            mkdir .claude; printf %s "$OLD" > .claude/settings.json; chmod 600 .claude/settings.json
            code=0; "$G" install --agent claude >/dev/null 2>said || code=$?
            find . -name '.gitvow-?*' -o -name journal.json | sed 's/^/left: /'
            printf %s "$OLD" | cmp -s - .claude/settings.json && echo "as before: $code" || echo "changed: $code"
            test $code = 0 || ! test -e .gitvow/bin || echo "left: the launcher"
            mount -o remount,size=200m "$HOME"
            "$G" install --agent claude >/dev/null 2>&1; "$G" uninstall --agent claude >/dev/null 2>&1
            printf %s "$OLD" | cmp - .claude/settings.json; stat -c %a .claude/settings.json
            find . -name '.gitvow-?*' -o -name journal.json -o -name bin | sed 's/^/left: /'"#
        );
        let said = succeeds(&scratch.sh(&namespace, &script));
        match said.as_str() {
            "as before: 1\n600\n" => full += 1,
            "changed: 0\n600\n" => fits += 1,
            other => panic!("{other} (room for {room})"),
        }
        if fits == 2 {
            break;
        }
    }
    assert!(full > 2, "{full} times full");
}

/// The kernel ends a program that writes beyond this limit, unless it doesn't try.
#[test]
fn a_limit_on_the_size_of_files() {
    for blocks in [0, 1, 64] {
        let scratch = Scratch::new();
        let before = scratch.tree();
        let run = |verb: &str| {
            scratch.sh(
                &[],
                &format!("ulimit -f {blocks}; \"$G\" {verb} --agent claude"),
            )
        };
        for output in [run("install"), run("install")] {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{blocks}: {said}");
            assert!(said.contains("too large"), "{blocks}: {said}");
            assert_eq!(scratch.tree(), before);
        }
        let left = scratch.sh(&[], "ls -A \"$HOME/.gitvow\" | grep -v '^lock$\\|^records$\\|^bin$'; ls -A \"$HOME/.gitvow/bin\" \"$HOME/.gitvow/records\" | grep -v :");
        assert_eq!(String::from_utf8_lossy(&left.stdout).trim(), "", "{blocks}");
        succeeds(&scratch.sh(&[], "\"$G\" install --agent claude"));
        if blocks == 0 {
            assert_eq!(run("uninstall").status.code(), Some(1));
        }
        succeeds(&scratch.sh(&[], "\"$G\" uninstall --agent claude"));
        assert_eq!(scratch.tree(), before);
    }
}

#[test]
fn an_ordinary_user_who_may_not_write() {
    let scratch = Scratch::new();
    let root = rustix::process::geteuid().is_root();
    let user = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
    ];
    let around: &[&str] = if root { &user } else { &[] };
    if root {
        set_mode(scratch.0.path(), 0o755);
        succeeds(&scratch.sh(&[], "chown -R 65534:65534 \"$HOME\""));
    }
    if !scratch.sh(around, "\"$G\" --version").status.success() {
        eprintln!("skipped: no other user can be taken on here");
        return;
    }
    let before = scratch.tree();
    for locked in [".claude", ".claude/settings.json"] {
        let path = scratch.home().join(locked);
        let mode = scratch.mode(locked);
        set_mode(&path, mode & 0o555);
        let output = scratch.sh(around, "\"$G\" install --agent claude");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{locked}: {error}");
        assert!(error.contains(".claude"), "{error}");
        set_mode(&path, mode);
        assert_eq!(scratch.tree(), before, "{locked}");
        assert!(
            !scratch.home().join(".gitvow/bin/gitvow").exists(),
            "{locked}"
        );
    }
    // A state home that can't be made: nothing is touched.
    fs_err::remove_dir_all(scratch.home().join(".gitvow")).unwrap();
    set_mode(&scratch.home(), 0o555);
    let output = scratch.sh(around, "\"$G\" install --agent claude");
    assert_eq!(output.status.code(), Some(1));
    set_mode(&scratch.home(), 0o755);
    assert_eq!(scratch.tree(), before);
    succeeds(&scratch.sh(around, "\"$G\" install --agent claude"));
    assert_ne!(scratch.tree(), before);
    succeeds(&scratch.sh(around, "\"$G\" uninstall --agent claude"));
    assert_eq!(scratch.tree(), before);
}

#[test]
fn every_umask() {
    for (umask, created, dir) in [
        ("000", 0o666, 0o777),
        ("022", 0o644, 0o755),
        ("077", 0o600, 0o700),
    ] {
        let scratch = Scratch::new();
        let before = scratch.tree();
        let script = format!("umask {umask}; \"$G\" install --agent claude --agent opencode");
        succeeds(&scratch.sh(&[], &script));
        assert_eq!(scratch.mode(".claude/settings.json"), 0o600);
        for (path, (mode, bytes)) in tree_of(&scratch.home()) {
            let expected = match (path.starts_with(".gitvow"), &bytes) {
                (true, _) if path == Path::new(".gitvow/bin/gitvow") => 0o755 & dir,
                (true, Some(_)) => 0o600,
                (true, None) => 0o700,
                (false, Some(_)) if before.contains_key(&path) => 0o600,
                // What is made for agents is 0644 and 0755, less the umask.
                (false, Some(_)) => 0o644 & created,
                (false, None) if before.contains_key(&path) => mode,
                (false, None) => 0o755 & dir,
            };
            assert_eq!(mode, expected, "umask {umask}: {path:?} is {mode:o}");
        }
        succeeds(&scratch.sh(&[], "\"$G\" uninstall --agent claude --agent opencode"));
        assert_eq!(scratch.tree(), before);
    }
}

#[test]
fn eight_gitvows_at_once() {
    let scratch = Scratch::new();
    let before = scratch.tree();
    let all = |command: &str| {
        let results: BTreeMap<&str, Output> = std::thread::scope(|scope| {
            let start = |agent: &'static str| {
                let script = format!("\"$G\" {command} --agent {agent}");
                let scratch = &scratch;
                (agent, scope.spawn(move || scratch.sh(&[], &script)))
            };
            let started: Vec<_> = AGENTS.into_iter().map(start).collect();
            started
                .into_iter()
                .map(|(agent, t)| (agent, t.join().unwrap()))
                .collect()
        });
        for (agent, output) in results {
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command} {agent}: {error}");
        }
    };
    all("install");
    let listed = succeeds(&scratch.sh(&[], "\"$G\" doctor --json || true; ls ~/.gitvow/records"));
    let records = listed
        .lines()
        .filter(|l| l.len() == 69 && l.ends_with(".json"))
        .count();
    assert!(records >= 9, "{listed}");
    all("install");
    all("uninstall");
    assert_eq!(scratch.tree(), before);
    assert!(!scratch.home().join(".gitvow/bin").exists());
}
