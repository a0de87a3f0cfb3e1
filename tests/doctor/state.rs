//! Codes about gitvow's own state: they stand at the top of the document.

use super::home::{Home, only};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The top-level findings, as [`only`] wants them.
fn top(document: &Value) -> Value {
    let state = if document["ok"] == true { "ok" } else { "bad" };
    json!({"findings": document["findings"], "state": state})
}

fn provoke(home: &Home, code: &str, change: impl FnOnce()) -> Vec<Value> {
    let before = home.doctor(&[]);
    assert_eq!(before["ok"], true, "{before:#}");
    change();
    only(code, "bad", &top(&before), &top(&home.doctor(&[])))
}

#[test]
fn a_record_that_cannot_be_read() {
    for text in ["{", "{}", "{\"schema\": 99}"] {
        let home = Home::installed();
        let record = home.record(&home.file(".claude/settings.json"));
        let found = provoke(&home, "ledger-corrupt", || {
            std::fs::write(&record, text).unwrap();
        });
        assert_eq!(found[0]["path"], record.to_str().unwrap());
        // The others are judged all the same.
        assert_eq!(home.agent("grok", "user")["state"], "ok");
    }
}

/// What a newer gitvow has written is no damage: the message says whose it is, and the help runs that one.
#[test]
fn a_record_or_journal_of_a_newer_gitvow() {
    let home = Home::installed();
    let record = home.record(&home.file(".claude/settings.json"));
    let journal = home.file(".gitvow/journal.json");
    for (path, text) in [
        (&record, "{\"schema\": 2, \"kind\": {\"new\": []}}"),
        (&journal, "{\"schema\": 2}"),
    ] {
        let kept = std::fs::read(path).ok();
        let found = provoke(&home, "ledger-corrupt", || {
            std::fs::write(path, text).unwrap();
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
        });
        let word = |key: &str| found[0][key].as_str().unwrap().to_owned();
        assert!(word("message").contains("a newer gitvow"), "{found:?}");
        let launcher = home.file(".gitvow/bin/gitvow");
        let help = word("help");
        assert!(
            help.contains(launcher.to_str().unwrap()) && !help.contains("mv "),
            "{help}"
        );
        match kept {
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
    }
}

#[test]
fn a_journal_that_cannot_be_read() {
    let home = Home::installed();
    provoke(&home, "ledger-corrupt", || {
        let path = home.file(".gitvow/journal.json");
        std::fs::write(&path, "{").unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
    });
}

#[test]
fn an_interrupted_run() {
    let home = Home::installed();
    // What a run leaves that was killed before its first swap: a journal whose only step is to come.
    let journal = home.file(".gitvow/journal.json");
    let text = pending(&home);
    let found = provoke(&home, "journal-pending", || {
        std::fs::write(&journal, text).unwrap();
        std::fs::set_permissions(&journal, PermissionsExt::from_mode(0o600)).unwrap();
    });
    assert_eq!(found[0]["path"], journal.to_str().unwrap());
    assert!(journal.exists(), "doctor settled it");
}

/// A journal as the product itself writes it, of a run that was stopped at once.
fn pending(home: &Home) -> String {
    let path = home.file(".claude/late.json");
    let print = gitvow::ledger::Print::of(b"x");
    let transaction = json!({
        "steps": [{"step": "write", "path": path, "expect": null, "after": print,
                   "content": {"from": "text", "text": "x"}, "mode": 420, "in_place": false}],
        "save": [], "forget": [], "keep_copies": [], "state_files": [], "drop_state_files": []
    });
    let temp = home.file(".claude/.gitvow-late");
    json!({"schema": 1, "gitvow": "0.1.0", "transaction": transaction, "marks": [{"temp": temp}]})
        .to_string()
}

#[test]
fn rights_of_others() {
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    let cases: [(&str, u32); 5] = [
        ("", 0o755),
        ("records", 0o750),
        ("bin", 0o777),
        ("bin/gitvow", 0o757),
        ("policy.json", 0o666),
    ];
    for (name, bits) in cases {
        let home = Home::installed();
        let path = home.file(".gitvow").join(name);
        if name == "policy.json" {
            std::fs::write(&path, "{}").unwrap();
            mode(&path, 0o600);
        }
        let found = provoke(&home, "state-permissions", || mode(&path, bits));
        assert!(
            found[0]["help"].as_str().unwrap().starts_with("chmod 0"),
            "{found:?}"
        );
    }
    let home = Home::installed();
    let record = home.record(&home.file(".claude/settings.json"));
    provoke(&home, "state-permissions", || mode(&record, 0o644));
    // The Python gitvow makes the same folder for everybody to read.
    let home = Home::installed();
    std::fs::create_dir(home.file(".gitvow/ledger")).unwrap();
    mode(&home.file(".gitvow"), 0o755);
    assert_eq!(home.doctor(&[])["ok"], true);
}

#[test]
fn a_policy_that_cannot_be_used() {
    for text in [
        "{",
        "[]",
        "{\"bash_deny\": [{\"pattern\": \"(\", \"reason\": \"x\"}]}",
    ] {
        let home = Home::installed();
        let policy = home.file(".gitvow/policy.json");
        let found = provoke(&home, "policy-invalid", || {
            std::fs::write(&policy, text).unwrap();
        });
        assert_eq!(found[0]["path"], policy.to_str().unwrap());
        let home = Home::in_repo();
        let policy = home.repo(".gitvow/policy.json");
        std::fs::create_dir_all(policy.parent().unwrap()).unwrap();
        let found = provoke(&home, "policy-invalid", || {
            std::fs::write(&policy, text).unwrap();
        });
        assert_eq!(found[0]["path"], policy.to_str().unwrap());
    }
    let home = Home::installed();
    std::fs::write(home.file(".gitvow/policy.json"), "{\"from_python\": 1}").unwrap();
    let document = home.doctor(&[]);
    assert_eq!(
        (&document["ok"], &document["findings"][0]["severity"]),
        (&json!(true), &json!("note"))
    );
}
