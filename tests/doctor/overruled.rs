//! A key that stands a second time further down: the agents' readers take the last one, and our entries are dead text.

use super::home::{Home, IN_REPO, MERGES, changed, only};
use std::path::Path;

/// Writes a member to the end of the object whose closing brace is the last of `closing`.
fn append(path: &Path, closing: &str, member: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    let at = text.rfind(closing).unwrap();
    let (before, behind) = text.split_at(at);
    std::fs::write(path, format!("{},\n{member}{behind}", before.trim_end())).unwrap();
    serde_json::from_str::<serde_json::Value>(&std::fs::read_to_string(path).unwrap()).unwrap();
}

fn event(agent: &str) -> &'static str {
    match agent {
        "gemini" => "BeforeTool",
        "cursor" => "preToolUse",
        _ => "PreToolUse",
    }
}

fn judge(home: &Home, agent: &str, scope: &str, path: &Path) {
    let before = home.agent(agent, scope);
    let root = match agent {
        "antigravity" => "gitvow",
        _ => "hooks",
    };
    let escaped = root.replace('h', "\\u0068").replace('g', "\\u0067");
    let event = event(agent);
    for (closing, member, one) in [
        ("}", format!("  \"{root}\": {{}}\n"), false),
        ("}", format!("  \"{escaped}\": null\n"), false),
        ("}\n}", format!("    \"{event}\": []\n  "), true),
    ] {
        changed(
            path,
            |path| append(path, closing, &member),
            || {
                let now = home.agent(agent, scope);
                let found = only("shadowed", "broken", &before, &now);
                assert_eq!(found.len() == 1, one, "{agent}: {found:#?}");
                let said = found[0]["message"].as_str().unwrap();
                assert!(said.contains("stands a second time"), "{said}");
                assert!(found[0]["line"].is_number(), "{agent}");
                // Install says so too, where it said that everything is as wanted.
                let text = std::fs::read(path).unwrap();
                let args = ["install", "--agent", agent, "--scope", scope];
                let output = home.gitvow(&args);
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(1), "{agent}: {said}");
                assert!(said.contains("a second time"), "{agent}: {said}");
                assert_eq!(std::fs::read(path).unwrap(), text);
            },
        );
    }
    // A key of the same name before ours takes nothing from it.
    changed(
        path,
        |path| {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(
                path,
                text.replacen('{', &format!("{{\n  \"{root}\": {{}},"), 1),
            )
            .unwrap();
        },
        || {
            let now = home.agent(agent, scope);
            let findings = now["findings"].as_array().unwrap();
            assert!(findings.iter().all(|f| f["code"] != "shadowed"), "{now:#}");
        },
    );
}

#[test]
fn our_entries_are_overruled_in_their_own_file() {
    let home = Home::installed();
    for (agent, file) in MERGES {
        if agent != "kimi" {
            judge(&home, agent, "user", &home.file(file));
        }
    }
}

#[test]
fn and_in_a_repository_s() {
    let home = Home::in_repo();
    for (scope, agent, file) in IN_REPO {
        if !["copilot", "grok"].contains(&agent) {
            judge(&home, agent, scope, &home.repo(file));
        }
    }
}

/// Uninstall takes the dead ones out, and nothing of the user's.
#[test]
fn what_is_overruled_is_taken_out_all_the_same() {
    let home = Home::new();
    let path = home.file(".claude/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{\n  \"model\": \"x\"\n}\n").unwrap();
    home.gitvow(&["install", "--agent", "claude"]);
    append(&path, "}", "  \"hooks\": {\"Stop\": []}\n");
    let output = home.gitvow(&["uninstall", "--agent", "claude"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "{\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": []}\n}\n"
    );
}

/// A switch that stands twice: the last one counts for the agent.
#[test]
fn a_switch_that_is_overruled_counts_as_the_agent_reads_it() {
    for (agent, file, key) in [
        ("claude", ".claude/settings.json", "disableAllHooks"),
        ("qwen", ".qwen/settings.json", "disableAllHooks"),
    ] {
        let home = Home::new();
        let path = home.file(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for (first, last, code) in [("false", "true", 1), ("true", "false", 0)] {
            std::fs::write(&path, format!("{{\"{key}\": {first}, \"{key}\": {last}}}")).unwrap();
            let output = home.gitvow(&["install", "--agent", agent, "--dry-run"]);
            assert_eq!(output.status.code(), Some(code), "{agent} {first} {last}");
        }
    }
}
