//! A policy that was changed counts as it stands, whatever the note about it says and however the change was made.

use crate::check;
use crate::run::home;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

const OLD: &str = r#"{"bash_deny":[{"pattern":"aaaa","reason":"x"}]}"#;
const NEW: &str = r#"{"bash_deny":[{"pattern":"bbbb","reason":"x"}]}"#;

/// As `touch -r` and `cp -p` leave it.
fn write(path: &Path, text: &str, at: SystemTime) {
    fs::write(path, text).unwrap();
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(at)
        .unwrap();
}

/// Long enough for a policy to be noted.
fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

fn verdicts(home: &Path) -> [String; 2] {
    ["ls aaaa", "ls bbbb"].map(|line| {
        let said = check(home, home, line);
        said["verdict"].as_str().unwrap().to_owned()
    })
}

/// Same size, same mtime, and where it can be the same inode.
#[test]
fn a_policy_that_was_changed_behind_its_mtime_counts() {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    type Change = fn(&Path, SystemTime);
    let changes: [(&str, Change); 4] = [
        ("in place", |policy, at| write(policy, NEW, at)),
        ("by rename", |policy, at| {
            let other = policy.with_file_name("other");
            write(&other, NEW, at);
            fs::rename(other, policy).unwrap();
        }),
        ("a link instead", |policy, at| {
            let other = policy.with_file_name("other");
            write(&other, NEW, at);
            fs::remove_file(policy).unwrap();
            std::os::unix::fs::symlink(other, policy).unwrap();
        }),
        ("put back from a hard link", |policy, at| {
            let other = policy.with_file_name("other");
            fs::rename(policy, &other).unwrap();
            write(&other, NEW, at);
            fs::hard_link(&other, policy).unwrap();
        }),
    ];
    for (how, change) in changes {
        let home = home(Some(""));
        let policy = home.path().join(".gitvow/policy.json");
        write(&policy, OLD, at);
        settle();
        assert_eq!(verdicts(home.path()), ["deny", "allow"], "{how}");
        let note = home.path().join(".gitvow/policy-checked");
        assert!(note.exists(), "{how}: nothing to be misled by");
        change(&policy, at);
        assert_eq!(verdicts(home.path()), ["allow", "deny"], "{how}");
    }
}

#[test]
fn a_link_that_is_turned_between_two_policies_counts_each_time() {
    let home = home(Some(""));
    let state = home.path().join(".gitvow");
    let (link, at) = (
        state.join("policy.json"),
        SystemTime::UNIX_EPOCH + Duration::from_secs(9),
    );
    for (name, text) in [("a", OLD), ("b", NEW)] {
        write(&state.join(name), text, at);
    }
    settle();
    for (to, expected) in [
        ("a", ["deny", "allow"]),
        ("b", ["allow", "deny"]),
        ("a", ["deny", "allow"]),
        ("b", ["allow", "deny"]),
    ] {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(to, &link).unwrap();
        assert_eq!(verdicts(home.path()), expected, "{to}");
    }
}

/// A file system's clock ticks every few milliseconds: two edits within a tick have one time.
#[test]
fn edits_in_quick_succession_count_each_time() {
    let home = home(Some(OLD));
    let policy = home.path().join(".gitvow/policy.json");
    for _ in 0..10 {
        fs::write(&policy, OLD).unwrap();
        assert_eq!(
            check(home.path(), home.path(), "ls bbbb")["verdict"],
            "allow"
        );
        fs::write(&policy, NEW).unwrap();
        assert_eq!(
            check(home.path(), home.path(), "ls bbbb")["verdict"],
            "deny"
        );
    }
}
