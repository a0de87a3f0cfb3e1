//! `--json`: whatever happens, one document, and the one that the schema describes.

use crate::home::Home;
use crate::schema::valid;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// The document of a call, and its exit code held against `ok`.
#[track_caller]
fn document(home: &Home, kind: &str, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    let at = all.iter().position(|a| *a == "--").unwrap_or(all.len());
    all.insert(at, "--json");
    let did = home.gitvow(&all);
    let document = valid(kind, &did.out);
    if let Some(ok) = document["ok"].as_bool() {
        assert_eq!(did.code == 0, ok, "{args:?}: {did:?}");
    }
    document
}

fn repository(home: &Home) {
    fs_err::create_dir_all(home.work().join(".git")).unwrap();
}

#[test]
fn install_and_uninstall_in_every_scope() {
    let home = Home::new();
    repository(&home);
    for scope in ["user", "repo", "local"] {
        for args in [
            &["install", "--all", "--scope", scope, "--dry-run"][..],
            &["install", "--all", "--scope", scope],
            &["install", "--all", "--scope", scope, "--no-diff"],
            &["uninstall", "--scope", scope, "--dry-run"],
            &["uninstall", "--scope", scope],
            &["uninstall", "--scope", scope],
            &["uninstall", "--agent", "claude", "--scope", scope],
        ] {
            let said = document(&home, "changes", args);
            assert_eq!(said["ok"], true, "{args:?}: {said}");
            assert_eq!(said["dry_run"], args.contains(&"--dry-run"));
        }
    }
    document(&home, "changes", &["install", "--agent", "claude"]);
    let said = document(&home, "changes", &["uninstall", "--everywhere", "--purge"]);
    assert_eq!(
        (said["scope"].clone(), said["changed"].clone()),
        (Value::Null, json!(true))
    );
}

#[test]
fn refusals_and_what_is_kept() {
    let home = Home::new();
    repository(&home);
    for text in [
        "{",
        "\u{feff}[]",
        "{\"hooks\":null}",
        "{\"hooks\":{},\"hooks\":{}}",
        "{ // c\n}",
    ] {
        home.write(".claude/settings.json", text);
        let said = document(
            &home,
            "changes",
            &[
                "install",
                "--agent",
                "claude",
                "--agent",
                "codex",
                "--dry-run",
            ],
        );
        assert_eq!(said["agents"][0]["status"], "refused", "{text}: {said}");
        assert_eq!(said["agents"][1]["status"], "installed");
    }
    let said = document(
        &home,
        "changes",
        &["install", "--agent", "codex", "--scope", "local"],
    );
    assert_eq!(said["agents"][0]["error"]["kind"], "no-scope", "{said}");

    home.write(".claude/settings.json", "{}");
    document(&home, "changes", &["install", "--agent", "claude"]);
    let edited = home
        .read(".claude/settings.json")
        .replace("\"timeout\": 30", "\"timeout\": 31");
    home.write(".claude/settings.json", &edited);
    for args in [
        &["install", "--agent", "claude"][..],
        &["uninstall"],
        &["uninstall"],
    ] {
        let said = document(&home, "changes", args);
        assert_eq!(said["agents"][0]["status"], "kept", "{args:?}: {said}");
    }
}

#[test]
fn calls_that_end_before_any_agent() {
    let home = Home::new();
    for args in [
        &["install"][..],
        &["install", "--agent", "cluade"],
        &["uninstall", "--agent", "cluade"],
        &["install", "--scope", "repo", "--agent", "claude"],
    ] {
        document(&home, "failure", args);
    }
    home.ok(&["install", "--agent", "claude"]);
    let records = home.path(".gitvow/records");
    let record = fs_err::read_dir(&records)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    for text in ["", "{\"schema\": 99}"] {
        fs_err::write(&record, text).unwrap();
        for args in [
            &["install", "--agent", "claude"][..],
            &["uninstall"],
            &["agents"],
        ] {
            let said = document(&home, "failure", args);
            assert!(
                said["error"]["path"]
                    .as_str()
                    .unwrap()
                    .starts_with(records.to_str().unwrap())
            );
        }
        let said = document(&home, "doctor", &["doctor"]);
        assert_eq!(said["ok"], false);
    }
}

#[test]
fn an_adapter_that_fails() {
    let home = Home::new();
    for text in [
        "#!/bin/sh\nexit 3\n",
        "#!/bin/sh\necho '{\"protocol\":1}'\n",
        "#!/bin/sh\n",
    ] {
        home.adapter("zed", text);
        let said = document(
            &home,
            "changes",
            &["install", "--agent", "zed", "--agent", "claude"],
        );
        assert_eq!(said["agents"][0]["status"], "failed", "{said}");
        assert_eq!(said["agents"][1]["error"], Value::Null, "{said}");
        document(&home, "changes", &["uninstall", "--agent", "zed"]);
        document(&home, "doctor", &["doctor", "--agent", "zed"]);
    }
}

#[test]
fn the_commands_that_look() {
    let home = Home::new();
    repository(&home);
    for installed in [false, true] {
        if installed {
            home.ok(&["install", "--all"]);
            home.ok(&["install", "--agent", "claude", "--scope", "repo"]);
        }
        document(&home, "agents", &["agents"]);
        document(&home, "doctor", &["doctor"]);
        document(&home, "doctor", &["doctor", "--all"]);
        document(&home, "doctor", &["doctor", "--agent", "claude"]);
        for command in ["ls", "git push --force", "echo '"] {
            document(&home, "check", &["check", "--", command]);
        }
        document(&home, "selftest", &["selftest", "--agent", "claude"]);
    }
}

#[test]
fn a_read_only_home() {
    if rustix::process::geteuid().is_root() {
        // Root may write everywhere; what the schema says of a refusal is held above.
        return;
    }
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    let dir = home.path(".claude");
    fs_err::set_permissions(&dir, std::fs::Permissions::from_mode(0o555)).unwrap();
    let said = document(&home, "changes", &["install", "--agent", "claude"]);
    fs_err::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said["agents"][0]["status"], "refused");
}
