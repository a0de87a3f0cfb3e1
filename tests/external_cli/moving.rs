//! Homes and repositories that the Python gitvow 0.42.0 set up are taken over and come out clean.
//! Its output is in `fixtures/python-0.42.0`. Where pip can have that program from PyPI, it sets them up itself, and the
//! fixtures are compared with that. `GITVOW_TEST_PYPI=0`: the fixtures, without asking.

use crate::home::{Did, Home};
use crate::python::python;
use serde_json::Value;
use std::path::{Path, PathBuf};

const LEDGER: &str = ".gitvow/ledger/11111111-2222-3333-4444-555555555555.json";
const POLICY: &str = ".gitvow/policy.json";

/// Every agent that the Python program knew, and its file.
const AGENTS: [(&str, &str); 7] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("copilot", COPILOT),
    ("factory", DROID),
    ("opencode", OPENCODE),
];
const COPILOT: &str = ".copilot/hooks/gitvow.json";
const DROID: &str = ".factory/hooks.json";
const OPENCODE: &str = ".config/opencode/plugins/gitvow.js";

/// Those whose files are in `fixtures/python-0.42.0/repo`.
const IN_REPO: [(&str, &str); 3] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("copilot", ".github/hooks/gitvow.json"),
];

/// The path that stands in the old entries.
fn old() -> String {
    python().unwrap_or("/opt/venv/bin/gitvow").to_owned()
}

fn fixture(h: &Home, tree: &str, file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/python-0.42.0");
    let home = h.path("").display().to_string();
    fs_err::read_to_string(root.join(tree).join(file))
        .unwrap()
        .replace("@GITVOW@", &old())
        .replace("@HOME@", home.trim_end_matches('/'))
}

#[track_caller]
fn with_python(h: &Home, args: &str) -> Option<Did> {
    let python = python()?;
    let did = h.agent_runs(
        &format!("PATH=/usr/bin:/bin; export PATH; '{python}' {args}"),
        "",
    );
    assert_eq!(did.code, 0, "{did:?}");
    Some(did)
}

/// Has the Python program set the home up for an agent, or does as it did.
fn set_up(h: &Home, tree: &str, agent: &str, file: &str) {
    let wanted = fixture(h, tree, file);
    if with_python(h, &format!("install --user --agent {agent}")).is_some() {
        assert_eq!(h.read(file), wanted, "the fixture is out of date");
    } else {
        h.write(file, &wanted);
        h.write(POLICY, &fixture(h, "home", POLICY));
    }
    h.write(LEDGER, &fixture(h, "home", LEDGER));
}

/// What the agents' files still hold of gitvow. Git's own settings are no agent's file: the Python program's are left.
fn traces(h: &Home) -> Vec<PathBuf> {
    let mut files = h.files();
    files.retain(|path, bytes| {
        !path.ends_with(".gitconfig") && String::from_utf8_lossy(bytes).contains("gitvow")
    });
    files.into_keys().collect()
}

/// A file that held nothing else is empty, but for a version key: it is there, since nobody recorded who made it.
#[track_caller]
fn nothing_is_left(text: &str) {
    let left: Value = serde_json::from_str(text).unwrap();
    let left = left.as_object().unwrap();
    assert!(
        left.iter().all(|(k, v)| k == "version" && *v == 1),
        "{text}"
    );
}

fn is_tree(file: &str) -> bool {
    file.contains("/gitvow.")
}

#[test]
fn without_adopt_the_old_entries_are_named_and_left() {
    for (agent, file) in AGENTS {
        let h = Home::new();
        set_up(&h, "home", agent, file);
        let before = h.read(file);
        let did = h.gitvow(&["install", "--agent", agent]);
        assert_eq!(did.code, i32::from(is_tree(file)), "{agent}: {did:?}");
        let said = format!("{}{}", did.out, did.err);
        assert!(said.contains("--adopt"), "{agent}: {did:?}");
        assert!(said.contains(file), "{agent}: {did:?}");
        assert!(h.read(file).contains(&old()), "{agent}");
        h.ok(&["uninstall", "--agent", agent]);
        assert_eq!(h.read(file), before, "{agent}");
    }
}

#[test]
fn adopt_takes_them_over_and_uninstall_leaves_nothing() {
    for (agent, file) in AGENTS {
        let h = Home::new();
        set_up(&h, "home", agent, file);
        let state = (h.read(POLICY), h.read(LEDGER));
        let before = h.files();
        let dry = h.ok(&["install", "--agent", agent, "--adopt", "--dry-run"]);
        assert!(dry.out.contains(&old()), "{agent}: {dry:?}");
        assert_eq!(h.files(), before, "{agent}");
        h.ok(&["install", "--agent", agent, "--adopt"]);
        let now = h.files();
        let text = |f: &Vec<u8>| String::from_utf8_lossy(f).into_owned();
        assert!(!now.values().any(|f| text(f).contains(&old())), "{agent}");
        assert!(
            now.values()
                .any(|f| text(f).contains("/.gitvow/bin/gitvow")),
            "{agent}"
        );
        h.ok(&["install", "--agent", agent, "--adopt"]);
        assert_eq!(h.files(), now, "{agent}: a second one writes nothing");
        h.ok(&["uninstall", "--agent", agent]);
        assert_eq!(traces(&h), Vec::<PathBuf>::new(), "{agent}");
        if is_tree(file) {
            assert!(!h.path(file).exists(), "{agent}");
        } else {
            nothing_is_left(&h.read(file));
        }
        assert_eq!((h.read(POLICY), h.read(LEDGER)), state);
    }
}

#[test]
fn a_whole_home_is_moved_at_once() {
    let h = Home::new();
    for (agent, file) in AGENTS {
        set_up(&h, "home", agent, file);
    }
    h.ok(&["install", "--adopt"]);
    for (agent, file) in AGENTS {
        assert!(!h.read(file).contains(&old()), "{agent}");
    }
    h.ok(&["uninstall"]);
    assert_eq!(traces(&h), Vec::<PathBuf>::new());
    assert!(!h.path(".gitvow/bin").exists());
}

#[test]
fn a_repository_is_moved_too() {
    for (agent, file) in IN_REPO {
        let h = Home::new();
        h.agent_runs("PATH=/usr/bin:/bin; export PATH; git init -q .", "");
        let path = h.work().join(file);
        let wanted = fixture(&h, "repo", file);
        if with_python(&h, &format!("install --agent {agent} .")).is_some() {
            assert_eq!(fs_err::read_to_string(&path).unwrap(), wanted);
        } else {
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, &wanted).unwrap();
        }
        let scope = ["--agent", agent, "--scope", "repo"];
        h.ok(&[&["install", "--adopt"][..], &scope].concat());
        let now = fs_err::read_to_string(&path).unwrap();
        assert!(
            now.contains("/.gitvow/bin/gitvow ]; then"),
            "{agent}: {now}"
        );
        assert!(!now.contains("\"gitvow hook"), "{agent}: {now}");
        h.ok(&[&["uninstall"][..], &scope].concat());
        if is_tree(file) {
            assert!(!path.exists(), "{agent}");
        } else {
            nothing_is_left(&fs_err::read_to_string(&path).unwrap());
        }
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
    // The Python program had dropped the last newline, and nothing else here.
    assert_eq!(h.read(file), own.trim_end());
}

#[test]
fn opencodes_old_plugin_is_replaced_with_a_copy_and_a_users_own_is_not() {
    for edit in ["", "// mine\n"] {
        let h = Home::new();
        set_up(&h, "home", "opencode", OPENCODE);
        let before = format!("{}{edit}", h.read(OPENCODE));
        h.write(OPENCODE, &before);
        let did = h.ok(&["install", "--agent", "opencode", "--adopt"]);
        assert!(did.err.contains("saved/"), "{did:?}");
        assert!(h.read(OPENCODE).starts_with("// Written by gitvow."));
        let saved: Vec<String> = fs_err::read_dir(h.path(".gitvow/saved"))
            .unwrap()
            .map(|e| fs_err::read_to_string(e.unwrap().path()).unwrap())
            .collect();
        assert_eq!(saved, [before]);
        h.ok(&["uninstall", "--agent", "opencode"]);
        assert!(!h.path(OPENCODE).exists());
    }
    let own = "export const Mine = async () => ({});\n// gitvow: installed by `gitvow install --agent opencode`\n";
    let h = Home::new();
    h.write(OPENCODE, own);
    for args in [
        &["install", "--agent", "opencode"][..],
        &["install", "--agent", "opencode", "--adopt"],
        &["install", "--agent", "opencode", "--adopt", "--force"],
    ] {
        let did = h.gitvow(args);
        assert_eq!(did.code, 1, "{did:?}");
        assert!(did.err.contains(OPENCODE), "{did:?}");
        assert_eq!(h.read(OPENCODE), own);
    }
}

#[test]
fn in_droids_dead_wrapper_the_users_own_hooks_stay() {
    let h = Home::new();
    set_up(&h, "home", "factory", DROID);
    let mut dead: Value = serde_json::from_str(&h.read(DROID)).unwrap();
    let own = serde_json::json!({"hooks": [{"type": "command", "command": "/u/mine"}]});
    dead["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(own.clone());
    dead["hooks"]["Notification"] = serde_json::json!([]);
    h.write(DROID, &format!("{dead:#}"));
    let did = h.ok(&["install", "--agent", "factory", "--adopt"]);
    assert!(did.err.contains("doesn't read"), "{did:?}");
    let settings = h.read(".factory/settings.json");
    assert!(settings.contains("hook --agent factory PreToolUse"));
    let left: Value = serde_json::from_str(&h.read(DROID)).unwrap();
    assert_eq!(
        left,
        serde_json::json!({"hooks": {"Stop": [own], "Notification": []}})
    );
    h.ok(&["uninstall", "--agent", "factory"]);
    assert!(!h.path(".factory/settings.json").exists());
    assert_eq!(serde_json::from_str::<Value>(&h.read(DROID)).unwrap(), left);
}

#[test]
fn a_second_file_that_cant_be_read_stops_the_install() {
    // It isn't known then which events that file takes over, so the gate might stand where Droid doesn't look.
    let h = Home::new();
    h.write(DROID, "{\"hooks\": {\"Stop\": [ gitvow");
    for args in [
        &["install", "--agent", "factory"][..],
        &["install", "--agent", "factory", "--adopt"],
    ] {
        let did = h.gitvow(args);
        assert_eq!(did.code, 1, "{did:?}");
        assert!(did.err.contains(DROID), "{did:?}");
        assert!(!h.path(".factory/settings.json").exists());
    }
}
