//! Homes that the Python gitvow 0.42.0 set up are taken over and come out clean.
//! Its output is in `fixtures/python-0.42.0`. With `GITVOW_TEST_PYTHON=/abs/path` of that program (`pip install
//! gitvow==0.42.0` into a virtual environment) it sets the home up itself, and the fixtures are compared with that.

use crate::home::Home;
use serde_json::Value;
use std::path::Path;

const LEDGER: &str = ".gitvow/ledger/11111111-2222-3333-4444-555555555555.json";
const POLICY: &str = ".gitvow/policy.json";

/// Agents whose file is the same in both programs, and that file.
const MERGED: [(&str, &str); 4] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
];

/// The Python program, when it can be run.
#[allow(clippy::disallowed_methods, reason = "a test's own switch")]
fn python() -> Option<String> {
    std::env::var("GITVOW_TEST_PYTHON")
        .ok()
        .filter(|p| p.starts_with('/'))
}

/// The path that stands in the old entries.
fn old() -> String {
    python().unwrap_or_else(|| "/opt/venv/bin/gitvow".to_owned())
}

fn fixture(h: &Home, tree: &str, file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/python-0.42.0");
    let home = h.path("").display().to_string();
    fs_err::read_to_string(root.join(tree).join(file))
        .unwrap()
        .replace("@GITVOW@", &old())
        .replace("@HOME@", home.trim_end_matches('/'))
}

/// Has the Python program set the home up for an agent, or does as it did.
fn set_up(h: &Home, tree: &str, agent: &str, file: &str) {
    if let Some(python) = python() {
        let line =
            format!("PATH=/usr/bin:/bin; export PATH; {python} install --user --agent {agent}");
        let did = h.agent_runs(&line, "");
        assert_eq!(did.code, 0, "{did:?}");
        assert_eq!(
            h.read(file),
            fixture(h, tree, file),
            "the fixture is out of date"
        );
    } else {
        h.write(file, &fixture(h, tree, file));
        h.write(POLICY, &fixture(h, "home", POLICY));
    }
    h.write(LEDGER, &fixture(h, "home", LEDGER));
}

#[test]
fn without_adopt_the_old_entries_are_named_and_left() {
    for (agent, file) in MERGED {
        let h = Home::new();
        set_up(&h, "home", agent, file);
        let did = h.ok(&["install", "--agent", agent]);
        let said = format!("{}{}", did.out, did.err);
        assert!(said.contains("--adopt"), "{agent}: {did:?}");
        assert!(h.read(file).contains(&old()), "{agent}");
    }
}

#[test]
fn adopt_takes_them_over_and_uninstall_takes_them_out() {
    let copilot = ("copilot", ".copilot/hooks/gitvow.json");
    for (agent, file) in MERGED.into_iter().chain([copilot]) {
        let h = Home::new();
        set_up(&h, "home", agent, file);
        let state = (h.read(POLICY), h.read(LEDGER));
        h.ok(&["install", "--agent", agent, "--adopt"]);
        let now = h.read(file);
        assert!(!now.contains(&old()), "{agent}: {now}");
        assert!(now.contains("/.gitvow/bin/gitvow hook"), "{agent}: {now}");
        h.ok(&["uninstall", "--agent", agent]);
        let left = if h.path(file).exists() {
            h.read(file)
        } else {
            String::new()
        };
        assert!(!left.contains("gitvow"), "{agent}: {left}");
        assert_eq!((h.read(POLICY), h.read(LEDGER)), state);
    }
}

#[test]
fn a_users_own_settings_survive_the_move() {
    let h = Home::new();
    let file = ".claude/settings.json";
    let own = fixture(&h, "merged-before", file);
    h.write(file, &own);
    set_up(&h, "merged", "claude", file);
    h.ok(&["install", "--agent", "claude", "--adopt"]);
    h.ok(&["uninstall", "--agent", "claude"]);
    let mut left: Value = serde_json::from_str(&h.read(file)).unwrap();
    // Lists of events that the Python gitvow had added stay behind, empty: who made them can't be known.
    let events = left["hooks"].as_object_mut().unwrap();
    events.retain(|_, list| list.as_array().is_none_or(|l| !l.is_empty()));
    assert_eq!(left, serde_json::from_str::<Value>(&own).unwrap());
}

#[test]
fn opencodes_old_plugin_is_refused_untouched_until_it_is_removed() {
    let h = Home::new();
    let file = ".config/opencode/plugins/gitvow.js";
    set_up(&h, "home", "opencode", file);
    let before = h.read(file);
    for args in [
        &["install", "--agent", "opencode"][..],
        &["install", "--agent", "opencode", "--adopt"],
    ] {
        let did = h.gitvow(args);
        assert_eq!(did.code, 1, "{did:?}");
        assert!(did.err.contains(file), "{did:?}");
        assert_eq!(h.read(file), before);
    }
    fs_err::remove_file(h.path(file)).unwrap();
    h.ok(&["install", "--agent", "opencode"]);
    h.ok(&["uninstall", "--agent", "opencode"]);
    assert!(!h.path(file).exists());
}

#[test]
fn droids_dead_file_is_left_and_is_in_nobodys_way() {
    let h = Home::new();
    let file = ".factory/hooks.json";
    set_up(&h, "home", "factory", file);
    let before = h.read(file);
    h.ok(&["install", "--agent", "factory"]);
    assert!(
        h.read(".factory/settings.json")
            .contains("hook --agent factory PreToolUse")
    );
    h.ok(&["uninstall", "--agent", "factory"]);
    assert!(!h.path(".factory/settings.json").exists());
    assert_eq!(h.read(file), before);
}
