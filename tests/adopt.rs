//! Entries of gitvow's own form that nobody recorded: taken in (by being equal to ours, or by `--adopt`) and out again,
//! with the lists that only they were in. What is left is the user's: their empty lists, their comments, their file.

// A test fails loudly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/properties.rs"]
mod common;

use common::engine::{File, JSON_AGENTS, comments, one, owner, seeds, tree, wish};
use common::json_text::{Rng, document};
use common::tree::Tree;
use gitvow::plan::reconcile::Wish;
use gitvow::spec::Format;
use serde_json::{Value, json};

fn claude(bin: &str) -> Wish {
    one(
        &["hooks", "PreToolUse"],
        json!({"matcher": "Bash", "hooks": [{"type": "command", "command": format!("{bin} hook --agent claude PreToolUse")}]}),
    )
}

const NEW: &str = "/h/.gitvow/bin/gitvow";

/// Before, and what `--adopt` and an uninstall leave of it. `$` is an old entry.
const CASES: [(&str, &str, &str); 14] = [
    ("all of it", r#"{"hooks":{"PreToolUse":[$]}}"#, "{}"),
    (
        "spread out",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      $\n    ],\n    \"Stop\": [\n      $\n    ]\n  }\n}\n",
        "{}\n",
    ),
    (
        "a version key",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"PreToolUse\": [\n      $\n    ]\n  }\n}",
        "{\n  \"version\": 1\n}",
    ),
    (
        "settings around it",
        "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [$]\n\t},\n\t\"b\": 2\n}",
        "{\n\t\"a\": 1,\n\t\"b\": 2\n}",
    ),
    (
        "hooks in front",
        r#"{"hooks": {"PreToolUse": [$]}, "b": 2}"#,
        r#"{ "b": 2}"#,
    ),
    (
        "the user's list behind",
        r#"{"hooks":{"PreToolUse":[$],"Stop":[{"command":"/u/x"}]}}"#,
        r#"{"hooks":{"Stop":[{"command":"/u/x"}]}}"#,
    ),
    (
        "the user's list before",
        r#"{"hooks":{"Stop":[{"command":"/u/x"}],"PreToolUse":[$]}}"#,
        r#"{"hooks":{"Stop":[{"command":"/u/x"}]}}"#,
    ),
    (
        "the user's entry in the list",
        r#"{"hooks":{"PreToolUse":[{"command":"/u/x"},$],"Stop":[$]}}"#,
        r#"{"hooks":{"PreToolUse":[{"command":"/u/x"}]}}"#,
    ),
    (
        "the user's empty list",
        r#"{"hooks":{"Stop":[ ],"PreToolUse":[$,$]}}"#,
        r#"{"hooks":{"Stop":[ ]}}"#,
    ),
    (
        "the user's empty list behind",
        r#"{"hooks":{"PreToolUse":[$], "Stop":[ ]}}"#,
        r#"{"hooks":{ "Stop":[ ]}}"#,
    ),
    (
        "another key beside the events",
        r#"{"hooks":{"PreToolUse":[$],"note":"mine"}}"#,
        r#"{"hooks":{"note":"mine"}}"#,
    ),
    (
        "a comment in the list",
        "{\"hooks\":{\"PreToolUse\":[ /* mine */ $],\"Stop\":[$]}}",
        "{\"hooks\":{\"PreToolUse\":[ /* mine */]}}",
    ),
    (
        "a comment in hooks",
        "{\"hooks\":{ // mine\n\"PreToolUse\":[$]}}",
        "{\"hooks\":{ // mine\n}}",
    ),
    (
        "a comment beside hooks",
        "{\n  // mine\n  \"hooks\": {\"PreToolUse\": [$]}, // too\n  \"a\": 1\n}",
        "{\n  // mine\n  // too\n  \"a\": 1\n}",
    ),
];

fn old_entry() -> String {
    claude("/opt/venv/bin/gitvow").entries[0].value.to_string()
}

#[test]
fn what_held_nothing_but_old_entries_goes_with_them() {
    for shortcut in [true, false] {
        for (name, before, after) in CASES {
            let before = before.replace('$', &old_entry());
            let mut file = File::new(Format::Jsonc, Some(&before));
            file.shortcut = shortcut;
            file.put(&claude(NEW), false, true).unwrap();
            assert!(!file.str().contains("/opt/venv"), "{name}: {}", file.str());
            assert_eq!(file.str().matches(NEW).count(), 1, "{name}: {}", file.str());
            assert_eq!(comments(Format::Jsonc, &before), file.comments(), "{name}");
            let again = file.put(&claude(NEW), false, true).unwrap();
            assert!(again.splices.is_empty(), "{name}: {again:?}");
            file.take(&owner("claude"), Some(&claude(NEW)), false)
                .unwrap();
            assert_eq!(
                tree(Format::Jsonc, file.str()),
                tree(Format::Jsonc, after),
                "{name}: {}",
                file.str()
            );
            assert_eq!(comments(Format::Jsonc, &before), file.comments(), "{name}");
            assert!(file.record.is_none(), "{name}");
            if !before.contains("/*") && !before.contains("//") {
                assert_eq!(file.str(), after, "{name}");
            }
        }
    }
}

#[test]
fn without_adopt_nothing_of_it_is_touched() {
    for (name, before, _) in CASES {
        let before = before.replace('$', &old_entry());
        let mut file = File::new(Format::Jsonc, Some(&before));
        file.put(&claude(NEW), false, false).unwrap();
        file.take(&owner("claude"), Some(&claude(NEW)), false)
            .unwrap();
        assert_eq!(file.str(), before, "{name}");
    }
}

/// A lost ledger, a teammate's install, dotfiles on a second machine: the entries are exactly ours.
#[test]
fn equal_entries_are_recorded_in_place_and_taken_out() {
    let ours = claude(NEW).entries[0].value.to_string();
    for shortcut in [true, false] {
        for (name, before, after) in CASES {
            // One entry only: a second equal one would be a duplicate.
            let before = before.replacen('$', &ours, 1);
            if before.contains('$') || !before.contains(&format!("\"PreToolUse\":[{ours}]")) {
                continue;
            }
            let mut file = File::new(Format::Jsonc, Some(&before));
            file.shortcut = shortcut;
            let out = file.put(&claude(NEW), false, false).unwrap();
            assert!(out.splices.is_empty(), "{name}");
            file.put(&claude(NEW), false, false).unwrap();
            assert_eq!(file.str(), before, "{name}");
            file.take(&owner("claude"), Some(&claude(NEW)), false)
                .unwrap();
            assert_eq!(file.str(), after, "{name}");
            assert!(file.record.is_none(), "{name}");
        }
    }
}

#[test]
fn an_uninstall_without_a_record_leaves_no_shell_either() {
    let ours = claude(NEW).entries[0].value.to_string();
    for (name, before, after) in CASES {
        let before = before.replacen('$', &ours, 1);
        if before.contains('$') || !before.contains(&format!("\"PreToolUse\":[{ours}]")) {
            continue;
        }
        let mut file = File::new(Format::Jsonc, Some(&before));
        file.take(&owner("claude"), Some(&claude(NEW)), false)
            .unwrap();
        assert_eq!(file.str(), after, "{name}");
    }
}

/// Entries of this install stood beside the old ones already when `--adopt` came.
#[test]
fn adopt_after_a_plain_install_leaves_no_shell() {
    for (name, before, after) in CASES {
        let before = before.replace('$', &old_entry());
        let mut file = File::new(Format::Jsonc, Some(&before));
        file.put(&claude(NEW), false, false).unwrap();
        file.put(&claude(NEW), false, true).unwrap();
        assert!(!file.str().contains("/opt/venv"), "{name}: {}", file.str());
        file.take(&owner("claude"), Some(&claude(NEW)), false)
            .unwrap();
        assert_eq!(
            tree(Format::Jsonc, file.str()),
            tree(Format::Jsonc, after),
            "{name}: {}",
            file.str()
        );
        assert_eq!(comments(Format::Jsonc, &before), file.comments(), "{name}");
    }
}

/// The tree less the elements that `old` says, and less the containers on their way that held nothing else.
fn less(before: &Tree, old: &Wish) -> Tree {
    let mut left = before.clone();
    for entry in &old.entries {
        let value = Tree::of(&entry.value);
        while left.remove(&entry.path, &value) {
            for depth in (1..=entry.path.len()).rev() {
                left.drop_empty(&entry.path[..depth]);
            }
        }
    }
    left
}

fn without_shells(mut tree: Tree, old: &Wish) -> Tree {
    for entry in &old.entries {
        for depth in (1..=entry.path.len()).rev() {
            tree.drop_empty(&entry.path[..depth]);
        }
    }
    tree
}

/// Over random documents: an old gitvow's install (by this engine, its ledger lost), the user's edits none, `--adopt` and
/// uninstall leave the document less the old entries and what held only them; all comments are there.
#[test]
fn adopt_and_uninstall_leave_what_was_not_gitvows() {
    let mut seen = 0;
    for seed in seeds("adopt") {
        let mut rng = Rng::new(seed ^ 0x0ADD);
        let strict = seed % 2 == 0;
        let format = if strict { Format::Json } else { Format::Jsonc };
        let agent = rng.pick(&JSON_AGENTS);
        let (old, new) = (wish(agent, 1), wish(agent, 0));
        let mut file = File::new(format, Some(&document(seed, strict)));
        file.shortcut = rng.chance(50);
        if file.put(&old, false, false).is_err() {
            continue;
        }
        file.record = None;
        let lost = file.str().to_owned();
        let equal = rng.chance(50);
        let taken_by = if equal { &old } else { &new };
        if rng.chance(30) {
            file.put(taken_by, false, false)
                .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{lost}"));
        }
        file.put(taken_by, false, true)
            .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{lost}"));
        if !equal {
            assert!(!file.str().contains("/v1/"), "seed {seed}\n{}", file.str());
        }
        file.take(&owner(agent), Some(taken_by), false).unwrap();
        let before = tree(format, &lost).unwrap();
        let left = tree(format, file.str()).unwrap();
        let mut wanted = less(&before, &old);
        let mut left = left;
        if !file.comments().is_empty() {
            // A container that holds a comment stays, empty.
            wanted = without_shells(wanted, &old);
            left = without_shells(left, &old);
        }
        assert_eq!(left, wanted, "seed {seed}\n{lost}\n{}", file.str());
        assert_eq!(comments(format, &lost), file.comments(), "seed {seed}");
        assert!(file.record.is_none(), "seed {seed}");
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_value_that_only_mentions_gitvow_is_nobodys_shell() {
    let text = r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"nice /o/gitvow hook --agent claude PreToolUse"}]}]}}"#;
    let mut file = File::new(Format::Json, Some(text));
    file.put(&claude(NEW), false, true).unwrap();
    file.take(&owner("claude"), Some(&claude(NEW)), false)
        .unwrap();
    assert_eq!(file.str(), text);
    assert!(serde_json::from_str::<Value>(text).is_ok());
}
