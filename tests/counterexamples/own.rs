//! What users do to OUR entries, and what install and uninstall make of it (spec 2.4 and 2.5).

use crate::common::engine::{File, one, owner};
use gitvow::plan::reconcile::{Outcome, Wish};
use gitvow::spec::Format;
use serde_json::json;

pub(crate) const OURS: &str = r#"{"matcher":"Bash","hooks":[{"type":"command","command":"/b/gitvow hook --agent claude PreToolUse","timeout":30}]}"#;
pub(crate) const BASE: &str = r#"{"model":"x","hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"command":"/u/guard.sh"}]}]}}"#;
pub(crate) const MINE: &str = r#"{"matcher":"Edit","hooks":[{"command":"/u/guard.sh"}]}"#;

pub(crate) fn wishes() -> Wish {
    one(
        &["hooks", "PreToolUse"],
        json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "/b/gitvow hook --agent claude PreToolUse", "timeout": 30}]}),
    )
}

pub(crate) fn installed() -> File {
    let mut file = File::new(Format::Jsonc, Some(BASE));
    file.edits_ours = true;
    file.put(&wishes(), false, false).unwrap();
    assert_eq!(file.str(), BASE.replace(MINE, &format!("{MINE},{OURS}")));
    file
}

/// `BASE` with `ours` in the place of our entry.
pub(crate) fn with(ours: &str) -> String {
    BASE.replace(MINE, &format!("{MINE},{ours}"))
}

/// One user's edit and what each command makes of it. Texts of the whole file.
struct Case {
    name: &'static str,
    edited: String,
    /// install: text, whether it is unfinished, the findings' codes.
    install: (String, bool, &'static [&'static str]),
    /// install --force.
    forced: (String, &'static [&'static str]),
    /// uninstall: text, unfinished, codes.
    uninstall: (String, bool, &'static [&'static str]),
    /// uninstall a second time: text, unfinished.
    twice: (String, bool),
    /// uninstall --force: text, unfinished.
    uninstall_forced: (String, bool),
}

/// An edit inside our entry: kept until somebody says `--force`.
fn kept(name: &'static str, ours: &str) -> Case {
    let edited = with(ours);
    Case {
        name,
        install: (edited.clone(), true, &["entry-edited"]),
        forced: (with(OURS), &["entry-edited"]),
        uninstall: (edited.clone(), true, &["entry-edited"]),
        twice: (edited.clone(), true),
        uninstall_forced: (BASE.to_owned(), false),
        edited,
    }
}

/// Somebody's handler in our group: it stays whatever is said, ours goes.
fn shared(name: &'static str, group: &str, theirs: &str) -> Case {
    let (edited, left) = (with(group), with(theirs));
    Case {
        name,
        install: (edited.clone(), true, &["entry-edited"]),
        forced: (with(&format!("{theirs},{OURS}")), &["entry-edited"]),
        uninstall: (left.clone(), false, &["entry-shared"]),
        twice: (left.clone(), false),
        uninstall_forced: (left, false),
        edited,
    }
}

fn cases() -> Vec<Case> {
    let handler =
        r#"{"type":"command","command":"/b/gitvow hook --agent claude PreToolUse","timeout":30}"#;
    let group = |handlers: &str| format!(r#"{{"matcher":"Bash","hooks":[{handlers}]}}"#);
    let theirs = r#"{"command":"/u/own.sh"}"#;
    let mut cases = vec![
        kept("the timeout changed", &OURS.replace("30", "90")),
        kept("the matcher changed", &OURS.replace("Bash", "Bash|Write")),
        kept(
            "the command wrapped",
            &OURS.replace("/b/gitvow", "nice -n 5 /b/gitvow"),
        ),
        kept(
            "a key added",
            &OURS.replace(r#""matcher""#, r#""note":"mine","matcher""#),
        ),
        kept(
            "a comment typed inside",
            &OURS.replace(r#","hooks""#, r#",/* why */"hooks""#),
        ),
        shared(
            "a handler behind ours",
            &group(&format!("{handler},{theirs}")),
            &group(theirs),
        ),
        shared(
            "a handler before ours",
            &group(&format!("{theirs},{handler}")),
            &group(theirs),
        ),
    ];
    // An edited handler beside somebody's: neither goes.
    let both = group(&format!("{},{theirs}", handler.replace("30", "90")));
    cases.push(Case {
        forced: (
            with(&format!("{},{OURS}", group(theirs))),
            &["entry-edited"],
        ),
        uninstall_forced: (with(&group(theirs)), false),
        ..kept("a handler behind ours, and ours edited", &both)
    });
    let gone = BASE.to_owned();
    cases.push(Case {
        name: "the entry deleted",
        edited: gone.clone(),
        install: (with(OURS), false, &["entry-missing"]),
        forced: (with(OURS), &["entry-missing"]),
        uninstall: (gone.clone(), false, &["entry-missing"]),
        twice: (gone.clone(), false),
        uninstall_forced: (gone, false),
    });
    let twice = with(&format!("{OURS},{OURS}"));
    cases.push(Case {
        name: "the entry duplicated",
        edited: twice.clone(),
        install: (twice.clone(), false, &["entry-duplicated"]),
        forced: (twice, &["entry-duplicated"]),
        // What equals today's entry is ours without a record too (1.5), so every copy goes at once: one left behind
        // would only run a launcher that is gone, and the next uninstall would take it anyway.
        uninstall: (BASE.to_owned(), false, &["entry-duplicated"]),
        twice: (BASE.to_owned(), false),
        uninstall_forced: (BASE.to_owned(), false),
    });
    let moved = BASE.replace("]}]}}", &format!("]}}],\"Stop\":[{OURS}]}}}}"));
    let unmoved = BASE.replace("]}]}}", "]}],\"Stop\":[]}}");
    cases.push(Case {
        name: "moved to another event",
        edited: moved.clone(),
        install: (moved.clone(), false, &["entry-moved"]),
        forced: (moved, &["entry-moved"]),
        uninstall: (unmoved.clone(), false, &[]),
        twice: (unmoved.clone(), false),
        uninstall_forced: (unmoved, false),
    });
    let empty = r#"{"model":"x","hooks":{"PreToolUse":[]}}"#;
    let refilled = format!(r#"{{"model":"x","hooks":{{"PreToolUse":[{OURS}]}}}}"#);
    cases.push(Case {
        name: "the list emptied",
        edited: empty.to_owned(),
        install: (refilled.clone(), false, &["entry-missing"]),
        forced: (refilled, &["entry-missing"]),
        uninstall: (empty.to_owned(), false, &["entry-missing"]),
        twice: (empty.to_owned(), false),
        uninstall_forced: (empty.to_owned(), false),
    });
    cases
}

fn check(case: &Case, what: &str, file: &File, out: &Outcome, text: &str, unfinished: bool) {
    assert_eq!(
        file.bytes(),
        Some(text.as_bytes()),
        "{}: {what}\n{}",
        case.name,
        file.str()
    );
    assert_eq!(
        out.unfinished, unfinished,
        "{}: {what} {:?}",
        case.name, out.findings
    );
}

pub(crate) fn codes(out: &Outcome) -> Vec<&'static str> {
    out.findings.iter().map(|f| f.code).collect()
}

#[test]
fn edits_to_our_entries_end_as_the_tables_say() {
    let claude = owner("claude");
    let wish = wishes();
    for case in cases() {
        let mut edited = installed();
        edited.text = Some(case.edited.clone());

        let mut file = edited.clone();
        let out = file.put(&wish, false, false).unwrap();
        check(
            &case,
            "install",
            &file,
            &out,
            &case.install.0,
            case.install.1,
        );
        assert_eq!(codes(&out), case.install.2, "{}: install", case.name);
        let (text, record) = (file.text.clone(), file.record.clone());
        file.put(&wish, false, false).unwrap();
        assert_eq!(
            (&file.text, &file.record),
            (&text, &record),
            "{}: installed again",
            case.name
        );

        let mut file = edited.clone();
        let out = file.put(&wish, true, false).unwrap();
        check(&case, "install --force", &file, &out, &case.forced.0, false);
        assert_eq!(codes(&out), case.forced.1, "{}: install --force", case.name);

        let mut file = edited.clone();
        let out = file.take(&claude, Some(&wish), false).unwrap();
        check(
            &case,
            "uninstall",
            &file,
            &out,
            &case.uninstall.0,
            case.uninstall.1,
        );
        assert_eq!(codes(&out), case.uninstall.2, "{}: uninstall", case.name);
        assert_eq!(
            file.record.is_some(),
            case.uninstall.1,
            "{}: a record stays with what is kept",
            case.name
        );
        let out = file.take(&claude, Some(&wish), false).unwrap();
        check(
            &case,
            "uninstall twice",
            &file,
            &out,
            &case.twice.0,
            case.twice.1,
        );

        let mut file = edited.clone();
        let out = file.take(&claude, Some(&wish), true).unwrap();
        check(
            &case,
            "uninstall --force",
            &file,
            &out,
            &case.uninstall_forced.0,
            case.uninstall_forced.1,
        );
    }
}

#[test]
fn after_force_an_uninstall_leaves_the_users_part() {
    let wish = wishes();
    for case in cases() {
        let mut file = installed();
        file.text = Some(case.edited.clone());
        file.put(&wish, true, false).unwrap();
        file.take(&owner("claude"), Some(&wish), false).unwrap();
        let left = match case.name {
            "the list emptied" => case.edited.clone(),
            "moved to another event" => case.uninstall.0.clone(),
            _ if case.edited.contains("/u/own.sh") => case.uninstall_forced.0.clone(),
            _ => BASE.to_owned(),
        };
        assert_eq!(file.str(), left, "{}", case.name);
    }
}

#[test]
fn an_edited_entry_is_named_although_another_owner_wrote_since() {
    let wish = wishes();
    let other = crate::common::engine::wish("qwen", 0);
    for case in cases().iter().filter(|c| c.uninstall.1) {
        let mut file = installed();
        file.text = Some(case.edited.clone());
        file.put(&other, false, false).unwrap();
        file.take(&owner("qwen"), Some(&other), false).unwrap();
        assert_eq!(file.str(), case.edited, "{}", case.name);
        let mut forced = file.clone();
        let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
        assert!(
            out.unfinished && file.record.is_some(),
            "{} {:?}",
            case.name,
            out.findings
        );
        forced.put(&wish, true, false).unwrap();
        assert_eq!(forced.str(), case.forced.0, "{}", case.name);
        forced.take(&owner("claude"), Some(&wish), false).unwrap();
        assert_eq!(forced.str(), case.uninstall_forced.0, "{}", case.name);
    }
}

#[test]
fn a_copy_or_a_moved_entry_goes_although_another_owner_wrote_since() {
    let wish = wishes();
    let other = crate::common::engine::wish("qwen", 0);
    for case in cases().iter().filter(|c| !c.uninstall.1) {
        let mut file = installed();
        file.text = Some(case.edited.clone());
        file.put(&other, false, false).unwrap();
        file.take(&owner("qwen"), Some(&other), false).unwrap();
        let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
        assert_eq!(file.str(), case.uninstall.0, "{}", case.name);
        assert_eq!(codes(&out), case.uninstall.2, "{}", case.name);
    }
}

#[test]
fn an_entry_both_moved_and_edited_is_put_back_where_it_belongs() {
    let wish = wishes();
    let elsewhere = OURS.replace("30", "90");
    let moved = BASE.replace("]}]}}", &format!("]}}],\"Stop\":[{elsewhere}]}}}}"));
    let mut file = installed();
    file.text = Some(moved.clone());
    let out = file.put(&wish, false, false).unwrap();
    assert!(out.unfinished && file.str() == moved);
    file.put(&wish, true, false).unwrap();
    assert_eq!(file.str(), with(OURS).replace("]}]}}", "]}],\"Stop\":[]}}"));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(file.str(), BASE.replace("]}]}}", "]}],\"Stop\":[]}}"));
}

#[test]
fn a_list_replaced_by_null_is_refused_by_install_and_left_by_uninstall() {
    let text = r#"{"model":"x","hooks":{"PreToolUse":null}}"#;
    let wish = wishes();
    for force in [false, true] {
        let mut file = installed();
        file.text = Some(text.to_owned());
        assert_eq!(
            file.put(&wish, force, false).unwrap_err().code,
            "wrong-kind"
        );
        let out = file.take(&owner("claude"), Some(&wish), force).unwrap();
        assert_eq!(file.str(), text);
        assert!(file.record.is_none() && !out.unfinished);
        assert_eq!(codes(&out), ["entry-missing"]);
    }
}
