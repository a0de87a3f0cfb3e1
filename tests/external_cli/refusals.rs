//! What an adapter's `install` block can't do: nothing is written.

use crate::home::Home;
use serde_json::json;

#[track_caller]
fn refused(h: &Home, args: &[&str], part: &str) {
    // The lock is no part of what is written for an agent.
    let files = || {
        let mut files = h.files();
        files.retain(|p, _| !p.ends_with("lock"));
        files
    };
    let before = files();
    let did = h.gitvow(args);
    assert_eq!(did.code, 1, "{did:?}");
    assert!(did.err.contains(part), "wanted `{part}`: {did:?}");
    assert_eq!(files(), before);
}

fn block(user_file: &str) -> serde_json::Value {
    json!({"user_file": user_file, "repo_file": user_file, "format": "json",
           "repo_command": {"allow": "exit 0", "block": "exit 2"},
           "entries": {"beforeTool": [{"command": "__GITVOW__ hook --agent x beforeTool"}]}})
}

#[test]
fn a_path_into_a_relocated_state_home() {
    let mut h = Home::new();
    let state = h.path("st/ate").display().to_string();
    fs_err::create_dir_all(h.path("st/ate/agents")).unwrap();
    h.vars.insert("GITVOW_HOME".into(), state);
    let from = h.info_only("x", &block("st/ate/policy.json"));
    fs_err::rename(from, h.path("st/ate/agents/gitvow-agent-x")).unwrap();
    refused(&h, &["install", "--agent", "x"], "st/ate");
}

#[test]
fn a_link_that_leaves_the_repository() {
    let h = Home::new();
    h.info_only("x", &block("conf/hooks.json"));
    h.agent_runs("cd / && /usr/bin/git init -q \"$OLDPWD\"", "");
    assert!(h.work().join(".git").exists());
    fs_err::create_dir(h.path("outside")).unwrap();
    std::os::unix::fs::symlink(h.path("outside"), h.work().join("conf")).unwrap();
    refused(&h, &["install", "--agent", "x", "--scope", "repo"], "conf");
    fs_err::remove_file(h.work().join("conf")).unwrap();
    std::os::unix::fs::symlink(".git", h.work().join("conf")).unwrap();
    refused(&h, &["install", "--agent", "x", "--scope", "repo"], ".git");
}

#[test]
fn one_failing_adapter_does_not_stop_the_others() {
    let h = Home::new();
    h.adapter("bad", "#!/bin/sh\nexit 9\n");
    h.info_only("x", &block(".x/hooks.json"));
    let did = h.gitvow(&["install", "--agent", "bad", "--agent", "x", "--json"]);
    assert_eq!(did.code, 1, "{did:?}");
    let json: serde_json::Value = serde_json::from_str(&did.out).unwrap();
    let bad = json["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|a| a["agent"] == "bad")
        .unwrap();
    assert!(
        bad["error"]["message"]
            .as_str()
            .unwrap()
            .contains("exited with 9"),
        "{bad}"
    );
    assert!(h.path(".x/hooks.json").exists());
}

#[test]
fn an_unknown_agent_is_wrong_usage() {
    let h = Home::new();
    let did = h.gitvow(&["install", "--agent", "nobody"]);
    assert_eq!(did.code, 2, "{did:?}");
    assert!(did.err.contains("nobody"), "{did:?}");
}

#[test]
fn repository_scope_without_a_repo_command_names_the_key_to_add() {
    let h = Home::new();
    let mut install = block(".x/hooks.json");
    let forms = install.as_object_mut().unwrap().remove("repo_command");
    h.info_only("x", &install);
    h.agent_runs("PATH=/usr/bin:/bin; export PATH; git init -q .", "");
    let args = ["install", "--agent", "x", "--scope", "repo"];
    refused(&h, &args, "no `install.repo_command`");
    let did = h.gitvow(&args);
    let key = "\"repo_command\": {\"allow\": \"exit 0\", \"block\": \"exit 2\"}";
    assert!(did.err.contains(key), "{did:?}");
    assert!(!h.work().join(".x").exists());
    // What it says to add is what makes it work.
    install["repo_command"] = serde_json::from_str::<serde_json::Value>(&format!("{{{key}}}"))
        .unwrap()["repo_command"]
        .clone();
    assert_eq!(forms.as_ref(), Some(&install["repo_command"]));
    h.info_only("x", &install);
    h.ok(&args);
    let text = fs_err::read_to_string(h.work().join(".x/hooks.json")).unwrap();
    assert!(text.contains("else exit 0; fi"), "{text}");
    h.ok(&["uninstall", "--agent", "x", "--scope", "repo"]);
    assert!(!h.work().join(".x").exists());
}
