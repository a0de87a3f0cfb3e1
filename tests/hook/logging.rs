//! The log with the real program: parallel hooks tear and lose no line, rotation replaces nothing, and whatever
//! stands in the log's place changes no verdict and isn't followed.

use crate::run::{Said, command, home, run};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home with a repository; its log.
fn repo(home: &Path) -> (PathBuf, PathBuf) {
    let repo = home.join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    let log = repo.join(".git/gitvow-hooks.log");
    (repo, log)
}

fn ask(home: &Path, cwd: &Path, session: &str, line: &str) -> Said {
    let payload = json!({"session_id": session, "cwd": cwd, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}});
    run(
        command(home, &["hook", "PreToolUse"]),
        payload.to_string().as_bytes(),
    )
}

/// `hooks` processes at a time, each `times` times after another; the sessions that were used.
fn storm(home: &Path, cwd: &Path, hooks: usize, times: usize) -> BTreeSet<String> {
    let all: BTreeSet<String> = (0..hooks * times).map(|n| format!("s{n}")).collect();
    // Long enough that a line would be torn if it were written in parts.
    let line = format!("echo {}", "word ".repeat(60));
    std::thread::scope(|scope| {
        for hook in 0..hooks {
            let line = &line;
            scope.spawn(move || {
                for n in 0..times {
                    let said = ask(home, cwd, &format!("s{}", hook * times + n), line);
                    assert_eq!((said.exit, said.stdout.as_str()), (0, ""), "{said:?}");
                }
            });
        }
    });
    all
}

/// The sessions in a log; every line must be whole.
fn sessions(log: &Path) -> Vec<String> {
    let text = fs::read_to_string(log).unwrap();
    assert!(text.ends_with('\n'), "{}", log.display());
    let session = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        value["session_id"].as_str().unwrap_or_default().to_owned()
    };
    text.lines().map(session).collect()
}

#[test]
fn parallel_hooks_tear_and_lose_no_line() {
    let home = home(None);
    let (repo, log) = repo(home.path());
    let expected = storm(home.path(), &repo, 16, 50);
    let found = sessions(&log);
    assert_eq!(found.len(), 800);
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn a_rotation_under_way_loses_and_replaces_nothing() {
    let home = home(None);
    let (repo, log) = repo(home.path());
    // One line short of the limit, so that several processes find it full at once.
    let filler = format!("{}\n", json!({"session_id": "old", "pad": "x".repeat(900)}));
    let count = (10 << 20) / filler.len() + 1;
    fs::write(&log, filler.repeat(count)).unwrap();
    // A name that a rotation in this very second would take: it must stay as it is.
    let now = Command::new("date")
        .args(["-u", "+%Y%m%dT%H%M%SZ"])
        .output()
        .unwrap();
    let now = String::from_utf8(now.stdout).unwrap();
    let taken = repo.join(format!(".git/gitvow-hooks.log.{}", now.trim()));
    fs::write(&taken, "{\"session_id\":\"taken\"}\n").unwrap();
    let mut expected = storm(home.path(), &repo, 16, 10);
    // In the second of the taken name nobody could set the full log aside; now it's over.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    ask(home.path(), &repo, "s-last", "ls");
    expected.insert("s-last".to_owned());
    assert_eq!(
        fs::read_to_string(&taken).unwrap(),
        "{\"session_id\":\"taken\"}\n"
    );
    let mut found = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(repo.join(".git")).unwrap() {
        let path = entry.unwrap().path();
        files += 1;
        found.extend(sessions(&path));
    }
    assert!(
        files >= 3,
        "the full log, the new one and the name that was taken"
    );
    assert_eq!(found.iter().filter(|s| *s == "old").count(), count);
    let new: Vec<_> = found.into_iter().filter(|s| s.starts_with('s')).collect();
    assert_eq!(new.len(), 161);
    assert_eq!(new.into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(fs::metadata(&log).unwrap().len() < 1 << 20);
}

/// The verdicts of a denied and an allowed line, whatever the log is.
fn verdicts(home: &Path, repo: &Path, what: &str) {
    let begun = std::time::Instant::now();
    let denied = ask(home, repo, "s", "git push --force");
    assert!(
        denied.exit == 0 && denied.stdout.contains("BLOCKED by policy"),
        "{what}: {denied:?}"
    );
    assert_eq!(denied.stderr, "", "{what}");
    let allowed = ask(home, repo, "s", "ls");
    assert_eq!(
        (
            allowed.exit,
            allowed.stdout.as_str(),
            allowed.stderr.as_str()
        ),
        (0, "", ""),
        "{what}"
    );
    assert!(begun.elapsed().as_secs() < 8, "{what}");
}

#[test]
fn whatever_stands_in_the_logs_place_changes_no_verdict_and_is_not_followed() {
    let root = rustix::process::geteuid().is_root();
    for what in [
        "link",
        "link to nothing",
        "fifo",
        "directory",
        "foreign",
        "read-only",
        "read-only directory",
        "socket",
        "git is a link",
        "git names nothing",
    ] {
        let home = home(None);
        let (repo, log) = repo(home.path());
        let other = home.path().join("other");
        match what {
            "link" => {
                fs::write(&other, "mine\n").unwrap();
                symlink(&other, &log).unwrap();
            }
            "link to nothing" => symlink(&other, &log).unwrap(),
            "fifo" => assert!(Command::new("mkfifo").arg(&log).status().unwrap().success()),
            "directory" => fs::create_dir(&log).unwrap(),
            "foreign" => {
                fs::write(&log, "theirs\n").unwrap();
                if root {
                    std::os::unix::fs::chown(&log, Some(12_345), None).unwrap();
                }
            }
            "read-only" => {
                fs::write(&log, "kept\n").unwrap();
                fs::set_permissions(&log, fs::Permissions::from_mode(0o444)).unwrap();
            }
            "read-only directory" => {
                fs::set_permissions(repo.join(".git"), fs::Permissions::from_mode(0o555)).unwrap();
            }
            "socket" => drop(std::os::unix::net::UnixListener::bind(&log).unwrap()),
            "git is a link" => {
                fs::remove_dir(repo.join(".git")).unwrap();
                fs::create_dir(&other).unwrap();
                symlink(&other, repo.join(".git")).unwrap();
            }
            _ => {
                fs::remove_dir(repo.join(".git")).unwrap();
                fs::write(repo.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
            }
        }
        verdicts(home.path(), &repo, what);
        match what {
            "link" => assert_eq!(fs::read_to_string(&other).unwrap(), "mine\n"),
            "link to nothing" => assert!(fs::symlink_metadata(&other).is_err()),
            "foreign" if root => assert_eq!(fs::read_to_string(&log).unwrap(), "theirs\n"),
            "read-only" if !root => assert_eq!(fs::read_to_string(&log).unwrap(), "kept\n"),
            "read-only directory" => {
                fs::set_permissions(repo.join(".git"), fs::Permissions::from_mode(0o755)).unwrap();
            }
            "git is a link" => {
                // The link isn't followed: the line is in the state home's log.
                assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
                let log = home.path().join(".gitvow/hooks.log");
                assert_eq!(sessions(&log).len(), 2);
            }
            _ => {}
        }
    }
}

#[test]
fn a_state_home_that_takes_no_log_changes_no_verdict() {
    for what in ["file", "link", "log is a directory"] {
        let home = home(None);
        let state = home.path().join(".gitvow");
        match what {
            "file" => fs::write(&state, "").unwrap(),
            "link" => symlink("/nowhere", &state).unwrap(),
            _ => fs::create_dir_all(state.join("hooks.log")).unwrap(),
        }
        verdicts(home.path(), home.path(), what);
    }
}
