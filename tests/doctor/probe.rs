//! `--probe`: what the agents say themselves. The clients here are scripts that print what the real ones printed
//! (fixtures/*/captures), paths put back.

use super::home::{Home, codes, only};
use serde_json::Value;

/// A client that says its version, and prints a capture when it is asked for its hooks.
fn client(home: &Home, command: &str, version: &str, capture: &str) {
    let text = std::fs::read_to_string(format!("fixtures/{capture}")).unwrap();
    let text = text
        .replace("/home/me", home.home().to_str().unwrap())
        .replace(
            "/work/repo",
            home.repo("").to_str().unwrap().trim_end_matches('/'),
        );
    let answer = home.dir.path().join(format!("{command}.answer"));
    std::fs::write(&answer, text).unwrap();
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo '{version}'; exit; }}\n\
         while IFS= read -r line; do echo \"$line\"; done < '{}'\n",
        answer.display()
    );
    home.client(command, &script);
}

/// The programs that the probe of Codex needs besides it.
fn tools(home: &Home) {
    home.client("cat", "#!/bin/sh\nexec /bin/cat\n");
    home.client("sleep", "#!/bin/sh\nexit 0\n");
}

fn probed(home: &Home, agent: &str) -> Value {
    home.agent_with(agent, "user", &["--probe"])
}

#[test]
fn clients_that_have_registered_everything() {
    let home = Home::installed();
    tools(&home);
    for (agent, command, version, capture) in [
        (
            "claude",
            "claude",
            "2.1.332 (Claude Code)",
            "claude/captures/2.1.332-doctor.txt",
        ),
        (
            "grok",
            "grok",
            "grok 1.0.41 (4220f3b224a6)",
            "grok/captures/1.0.41-inspect.json",
        ),
        ("kimi", "kimi", "2.1.0", "kimi/captures/2.1.0-doctor.txt"),
    ] {
        let before = home.agent(agent, "user");
        client(&home, command, version, capture);
        let now = probed(&home, agent);
        assert_eq!(codes(&before), codes(&now), "{now:#}");
        let version = version
            .trim_start_matches("grok ")
            .split(' ')
            .next()
            .unwrap();
        assert_eq!(
            (now["state"].as_str(), now["client"]["version"].as_str()),
            (Some("ok"), Some(version))
        );
    }
}

#[test]
fn what_a_client_says_against_our_file() {
    let home = Home::installed();
    for (agent, command, version, capture, word) in [
        (
            "claude",
            "claude",
            "2.1.332",
            "claude/captures/2.1.332-doctor-malformed.txt",
            "malformed JSON",
        ),
        (
            "claude",
            "claude",
            "2.1.332",
            "claude/captures/2.1.332-doctor-entries.txt",
            "entry ignored",
        ),
        (
            "kimi",
            "kimi",
            "2.1.0",
            "kimi/captures/2.1.0-doctor-key.txt",
            "colour",
        ),
        (
            "grok",
            "grok",
            "1.0.41",
            "grok/captures/1.0.41-inspect-bom.json",
            "5 of gitvow's hooks",
        ),
    ] {
        let before = home.agent(agent, "user");
        client(&home, command, version, capture);
        let found = only(
            "vendor-cannot-read",
            "broken",
            &before,
            &probed(&home, agent),
        );
        assert!(
            found
                .iter()
                .any(|f| f["message"].as_str().unwrap().contains(word)),
            "{found:?}"
        );
    }
}

/// The capture has one hook untrusted, one modified (its entry in config.toml is there, its hash is another), three
/// trusted: only Codex itself can tell the second.
#[test]
fn codex_compares_the_hash() {
    let home = Home::installed();
    tools(&home);
    let before = home.agent("codex", "user");
    client(
        &home,
        "codex",
        "codex-cli 0.171.0",
        "codex/captures/0.171.0-hooks-list.jsonl",
    );
    let found = only("untrusted", "broken", &before, &probed(&home, "codex"));
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("PreToolUse, PostToolUse") && !message.contains("Stop"),
        "{message}"
    );
    client(
        &home,
        "codex",
        "0.171.0",
        "codex/captures/0.171.0-hooks-list-untrusted.jsonl",
    );
    let found = only("untrusted", "broken", &before, &probed(&home, "codex"));
    assert!(found[0]["message"].as_str().unwrap().contains("Stop"));
}

#[test]
fn a_client_that_says_nothing_useful_is_a_note() {
    let home = Home::installed();
    tools(&home);
    for (agent, command) in [("codex", "codex"), ("grok", "grok"), ("antigravity", "agy")] {
        let before = home.agent(agent, "user");
        home.client(
            command,
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 99.0.0 || echo what\n",
        );
        only("client-missing", "ok", &before, &probed(&home, agent));
    }
    let before = home.agent("qwen", "user");
    home.client("qwen", "#!/bin/sh\nexit 3\n");
    only("client-missing", "ok", &before, &probed(&home, "qwen"));
}
