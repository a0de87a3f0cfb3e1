//! Codes about what stands around an installation, and which agents doctor looks at.

use super::home::{Home, IN_REPO, MERGES, TREES, changed, codes, edit, lists, only};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_healthy_install_of_everything_is_ok_and_runs_nothing() {
    let home = Home::installed();
    let document = home.doctor(&[]);
    assert_eq!(document["ok"], true, "{document:#}");
    let agents = document["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 11);
    for agent in agents {
        assert_eq!(agent["state"], "ok");
        assert!(agent["client"]["path"].is_string() && agent["client"]["version"].is_null());
        assert_eq!(agent["capabilities"].as_array().unwrap().len(), 7);
    }
    assert!(
        !home.dir.path().join("ran").exists(),
        "plain doctor started a client"
    );
    let document = Home::in_repo().doctor(&[]);
    assert_eq!(document["ok"], true, "{document:#}");
    let scopes = |scope: &str| {
        let list = document["agents"].as_array().unwrap();
        list.iter().filter(|a| a["scope"] == scope).count()
    };
    assert_eq!(
        (scopes("user"), scopes("repo"), scopes("local")),
        (0, 10, 2)
    );
}

#[test]
fn nothing_installed_is_no_fault() {
    let home = Home::new();
    let document = home.doctor(&[]);
    assert_eq!(document["ok"], true);
    let text = home.gitvow(&["doctor"]);
    assert_eq!(text.status.code(), Some(0));
    let said = String::from_utf8(text.stdout).unwrap();
    assert!(
        said.contains("gitvow install") && said.contains("claude"),
        "{said}"
    );
    assert_eq!(home.agent("grok", "user")["state"], "not-installed");
    assert_eq!(
        home.doctor(&["--all"])["agents"].as_array().unwrap().len(),
        11
    );
    assert_eq!(
        home.gitvow(&["doctor", "--agent", "nobody"]).status.code(),
        Some(2)
    );
    assert_eq!(
        home.gitvow(&["doctor", "--agent", "kimi", "--scope", "repo"])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn another_agent_loads_the_file() {
    let home = Home::new();
    std::fs::remove_file(home.dir.path().join("bin/grok")).unwrap();
    for agent in ["claude", "cursor"] {
        home.gitvow(&["install", "--agent", agent, "--json"]);
        let before = home.agent(agent, "user");
        assert!(codes(&before).iter().all(|c| c != "double-load"));
        home.client("grok", "#!/bin/sh\n");
        only("double-load", "ok", &before, &home.agent(agent, "user"));
        std::fs::remove_file(home.dir.path().join("bin/grok")).unwrap();
    }
    for scope in ["repo", "local"] {
        std::fs::remove_file(home.dir.path().join("bin/copilot")).ok();
        home.gitvow(&["install", "--agent", "claude", "--scope", scope, "--json"]);
        let before = home.agent("claude", scope);
        home.client("copilot", "#!/bin/sh\n");
        only("double-load", "ok", &before, &home.agent("claude", scope));
    }
}

#[test]
fn two_scopes_run_both() {
    let home = Home::in_repo();
    for (scope, agent, _) in IN_REPO.into_iter().filter(|e| e.0 == "repo") {
        let before = home.agent(agent, scope);
        home.gitvow(&["install", "--agent", agent, "--json"]);
        let found = only("two-scopes", "ok", &before, &home.agent(agent, scope));
        assert_eq!(
            found[0]["help"],
            format!("gitvow uninstall --agent {agent} --scope user")
        );
    }
}

#[test]
fn an_entry_that_nobody_recorded() {
    let home = Home::installed();
    let other = "/opt/other/bin/gitvow";
    for (agent, file) in MERGES {
        let before = home.agent(agent, "user");
        let file = home.file(file);
        let text = std::fs::read_to_string(&file).unwrap();
        let launcher = home.file(".gitvow/bin/gitvow");
        let add = |path: &std::path::Path| {
            if agent == "kimi" {
                let block = text.rsplit("[[hooks]]").next().unwrap();
                let block = block.replace(launcher.to_str().unwrap(), other);
                std::fs::write(path, format!("{text}\n[[hooks]]{block}")).unwrap();
                return;
            }
            edit(path, |value| {
                let list = lists(value).values_mut().find(|v| v.is_array()).unwrap();
                let entry = list[0]
                    .to_string()
                    .replace(launcher.to_str().unwrap(), other);
                list.as_array_mut()
                    .unwrap()
                    .push(serde_json::from_str(&entry).unwrap());
            });
        };
        changed(&file, add, || {
            let found = only(
                "unrecorded-entry",
                "ok",
                &before,
                &home.agent(agent, "user"),
            );
            assert!(found[0]["message"].as_str().unwrap().contains(other));
        });
        // The ledger is gone: the entries are told, and nothing is installed by what we know.
        let record = home.record(&file);
        let kept = std::fs::read(&record).unwrap();
        std::fs::remove_file(&record).unwrap();
        let now = home.agent(agent, "user");
        assert_eq!(
            (now["state"].as_str(), codes(&now)),
            (Some("not-installed"), vec!["unrecorded-entry".to_owned()])
        );
        std::fs::write(&record, kept).unwrap();
    }
}

#[test]
fn what_others_have_in_the_file_is_theirs() {
    // Two owners in one file: an external adapter writes into Claude's.
    let home = Home::new();
    adapter(&home, ".claude/settings.json");
    home.gitvow(&["install", "--agent", "claude", "--agent", "toy", "--json"]);
    let before = home.agent("claude", "user");
    edit(&home.file(".claude/settings.json"), |v| {
        let list = v["hooks"]["Stop"].as_array_mut().unwrap();
        list.retain(|e| !e.to_string().contains("toy"));
    });
    let now = home.agent("claude", "user");
    assert_eq!(codes(&before), codes(&now), "{now:#}");
    only(
        "entry-missing",
        "drifted",
        &json!({"findings": []}),
        &home.agent("toy", "user"),
    );
}

/// An external adapter in the state home.
fn adapter(home: &Home, file: &str) {
    let info = json!({
        "protocol": 1, "name": "toy", "events": ["Stop", "PreToolUse"],
        "install": {"user_file": file, "entries": {
            "Stop": [{"hooks": [{"type": "command", "command": "__GITVOW__ hook --agent toy Stop"}]}]
        }},
    });
    let dir = home.file(".gitvow/agents");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::set_permissions(home.file(".gitvow"), PermissionsExt::from_mode(0o700)).unwrap();
    let path = dir.join("gitvow-agent-toy");
    crate::program::program(&path, &format!("#!/bin/sh\necho '{info}'\n"));
}

#[test]
fn an_adapter_that_is_not_what_was_installed() {
    let home = Home::new();
    adapter(&home, ".toy/hooks.json");
    home.gitvow(&["install", "--agent", "toy", "--json"]);
    let before = home.agent("toy", "user");
    assert_eq!(
        (before["state"].as_str(), codes(&before)),
        (Some("ok"), Vec::new()),
        "{before:#}"
    );
    let path = home.file(".gitvow/agents/gitvow-agent-toy");
    changed(
        &path,
        |p| std::fs::write(p, "#!/bin/sh\n").unwrap(),
        || {
            only(
                "adapter-changed",
                "broken",
                &before,
                &home.agent("toy", "user"),
            );
        },
    );
    std::fs::remove_file(&path).unwrap();
    only(
        "adapter-changed",
        "broken",
        &before,
        &home.agent("toy", "user"),
    );
}

#[test]
fn a_client_that_is_not_there() {
    let home = Home::installed();
    for (agent, _) in MERGES.into_iter().chain(TREES) {
        let before = home.agent(agent, "user");
        let command = before["client"]["command"].as_str().unwrap();
        std::fs::rename(
            home.dir.path().join("bin").join(command),
            home.dir.path().join("away"),
        )
        .unwrap();
        let now = home.agent(agent, "user");
        only("client-missing", "ok", &before, &now);
        assert!(now["client"]["path"].is_null());
        std::fs::rename(
            home.dir.path().join("away"),
            home.dir.path().join("bin").join(command),
        )
        .unwrap();
    }
}

#[test]
fn a_client_older_than_every_capture() {
    let home = Home::installed();
    for (agent, command) in [
        ("claude", "claude"),
        ("codex", "codex"),
        ("gemini", "gemini"),
        ("copilot", "copilot"),
        ("factory", "droid"),
        ("grok", "grok"),
        ("kimi", "kimi"),
        ("opencode", "opencode"),
        ("qwen", "qwen"),
    ] {
        let before = home.agent(agent, "user");
        home.client(
            command,
            "#!/bin/sh\n[ \"$1\" = --version ] && echo \"x 0.0.1 (y)\"\n",
        );
        let now = home.agent_with(agent, "user", &["--probe"]);
        assert_eq!(now["client"]["version"], "0.0.1");
        let quiet: Vec<Value> = now["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| f["code"] != "client-missing")
            .cloned()
            .collect();
        let now =
            json!({"findings": quiet, "state": now["state"], "capabilities": now["capabilities"]});
        only("client-too-old", "unknown", &before, &now);
        assert_eq!(now["capabilities"][0]["reason"], "older-than-evidence");
        home.client(
            command,
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 99.0.0\n",
        );
        let now = home.agent_with(agent, "user", &["--probe"]);
        assert_eq!(now["capabilities"][0]["on"], true, "{now:#}");
    }
}

#[test]
fn agents_that_block_everything_without_gitvow_say_so() {
    let home = Home::installed();
    let none = json!({"findings": []});
    for (agent, _) in MERGES.into_iter().chain(TREES) {
        let mut now = home.agent(agent, "user");
        now["findings"]
            .as_array_mut()
            .unwrap()
            .retain(|f| f["code"] != "double-load");
        if ["copilot", "gemini", "cursor", "opencode"].contains(&agent) {
            only("agent-bricked-if-removed", "ok", &none, &now);
        } else {
            assert!(codes(&now).is_empty(), "{now:#}");
        }
    }
    // The guarded command of a repository goes on without gitvow.
    let home = Home::in_repo();
    for agent in ["copilot", "gemini", "cursor", "opencode"] {
        let now = home.agent(agent, "repo");
        assert!(!codes(&now).contains(&"agent-bricked-if-removed".to_owned()));
    }
}

/// As install and uninstall do: nobody is left out without a word.
#[test]
fn agents_that_lack_the_scope_are_named() {
    let home = Home::in_repo();
    for (scope, there) in [("local", 2), ("repo", 10), ("user", 11)] {
        let document = home.doctor(&["--all", "--scope", scope]);
        assert_eq!(document["agents"].as_array().unwrap().len(), there);
        let notes = document["notes"].as_array().unwrap();
        assert_eq!(notes.len(), 11 - there, "{document:#}");
        let text = home.gitvow(&["doctor", "--all", "--scope", scope]);
        let text = String::from_utf8(text.stdout).unwrap();
        for note in notes {
            let note = note.as_str().unwrap();
            assert!(note.contains(&format!("no --scope {scope}")), "{note}");
            assert!(text.contains(&format!("note: {note}")), "{text}");
        }
    }
    // Who asks for nobody in particular is told of those that are there.
    let document = home.doctor(&["--scope", "local"]);
    assert_eq!(document["notes"], json!([]));
}

/// Entries that nobody recorded are told of agents that aren't installed, too: an older gitvow's still run.
#[test]
fn what_nobody_recorded_is_found_in_agents_that_are_not_installed() {
    let home = Home::new();
    home.gitvow(&["install", "--agent", "claude", "--json"]);
    let plugin = home.file(".config/opencode/plugins/gitvow.js");
    std::fs::create_dir_all(plugin.parent().unwrap()).unwrap();
    let text = "// gitvow: installed by `gitvow install --agent opencode`\n";
    std::fs::write(plugin, text).unwrap();
    let hooks = home.file(".qwen/settings.json");
    std::fs::create_dir_all(hooks.parent().unwrap()).unwrap();
    let old = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command",
        "command": "/opt/venv/bin/gitvow hook --agent qwen PreToolUse"}]}]}});
    std::fs::write(hooks, old.to_string()).unwrap();
    let document = home.doctor(&[]);
    assert_eq!(document["ok"], true);
    let rows = document["agents"].as_array().unwrap().iter();
    let rows: Vec<(&str, &str, Vec<String>)> = rows
        .map(|a| {
            let word = |key: &str| a[key].as_str().unwrap();
            (word("agent"), word("state"), codes(a))
        })
        .collect();
    let stray = || vec!["unrecorded-entry".to_owned()];
    assert_eq!(
        rows[1..],
        [
            ("opencode", "not-installed", stray()),
            ("qwen", "not-installed", stray())
        ]
    );
    assert_eq!(rows[0].0, "claude");
}
