//! Written commands under `/bin/sh -c`: at odd paths, with and without a launcher.

use crate::program::program;
use gitvow::spec::command::{Command as Written, Guard, render};
use gitvow::spec::{RepoCommand, builtin};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A stand-in for gitvow that prints its arguments, one a line, and exits 7.
fn launcher(at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    program(at, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n");
}

fn sh(line: &str, home: &Path) -> Output {
    Command::new("/bin/sh")
        .args(["-c", line])
        .env_clear()
        .env("HOME", home)
        .current_dir("/")
        .output()
        .unwrap()
}

fn answered(out: &Output) -> (Option<i32>, String, String) {
    (
        out.status.code(),
        String::from_utf8(out.stdout.clone()).unwrap(),
        String::from_utf8(out.stderr.clone()).unwrap(),
    )
}

#[test]
fn user_scope_runs_from_any_path() {
    let scratch = tempfile::tempdir().unwrap();
    for name in [
        "plain",
        "a b",
        "o'brien",
        "say \"hi\"",
        "$HOME",
        "${x}",
        "a&b",
        "a;b",
        "a\\b",
        "new\nline",
        "tab\there",
        "ünïcødé 日本",
        "*",
        "a(b)",
        "#c",
        "`id`",
        "~",
        "!x",
        "-dash",
        "a=b",
        "{a,b}",
        "%d",
        "'",
        "''",
        "\\'",
    ] {
        let path = scratch.path().join(name).join(".gitvow/bin/gitvow");
        launcher(&path);
        let command = Written::absolute(path.to_str().unwrap());
        let line = render(
            &Value::from("__GITVOW__ hook --agent claude PreToolUse"),
            &command,
        );
        let line = line.as_str().unwrap();
        assert!(line.contains("gitvow hook "), "{line}");
        let out = answered(&sh(line, Path::new("/nowhere")));
        let words = "hook\n--agent\nclaude\nPreToolUse\n".to_owned();
        assert_eq!(out, (Some(7), words, String::new()), "{line}");
    }
}

fn guarded(forms: &RepoCommand, block: bool, agent: &str, event: &str) -> String {
    let command = Written::guarded(Guard { forms, block });
    let line = render(
        &Value::from(format!("__GITVOW__ hook --agent {agent} {event}")),
        &command,
    );
    line.as_str().unwrap().to_owned()
}

#[test]
fn repository_scope_runs_the_launcher_of_whoever_runs_it() {
    let scratch = tempfile::tempdir().unwrap();
    for home in ["plain", "o'brien x y", "$HOME \"q\""] {
        let home = scratch.path().join(home);
        launcher(&home.join(".gitvow/bin/gitvow"));
        for (spec, event, forms) in every() {
            for block in [false, true] {
                let line = guarded(&forms, block, &spec, &event);
                assert!(!line.contains(scratch.path().to_str().unwrap()));
                let words = format!("hook\n--agent\n{spec}\n{event}\n");
                assert_eq!(
                    answered(&sh(&line, &home)),
                    (Some(7), words, String::new()),
                    "{line}"
                );
            }
        }
    }
}

#[test]
fn without_a_launcher_each_agent_reads_go_on_or_a_denial() {
    let home = tempfile::tempdir().unwrap();
    for (agent, event, forms) in every() {
        let spec = builtin::by_name(&agent).unwrap().spec().unwrap();
        let gate = spec.before_tool.unwrap().contains(&event);
        let (code, stdout, stderr) =
            answered(&sh(&guarded(&forms, false, &agent, &event), home.path()));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{agent} {event}");
        let allow = match (agent.as_str(), event.as_str(), gate) {
            ("cursor", _, true) => r#"{"permission":"allow"}"#,
            ("cursor", "beforeSubmitPrompt", _) => r#"{"continue":true}"#,
            ("antigravity", _, true) => r#"{"decision":"allow"}"#,
            ("cursor" | "antigravity", _, false) => "{}",
            _ => "",
        };
        assert_eq!(stdout.trim_end(), allow, "{agent} {event}");

        let (code, stdout, stderr) =
            answered(&sh(&guarded(&forms, true, &agent, &event), home.path()));
        let json: Value = serde_json::from_str(&stdout).unwrap_or_default();
        let denied = match agent.as_str() {
            "cursor" => json["permission"] == "deny" && said(&json["agent_message"]),
            "copilot" => {
                json["permissionDecision"] == "deny" && said(&json["permissionDecisionReason"])
            }
            "antigravity" => json["decision"] == "deny" && said(&json["reason"]),
            "opencode" => code == Some(2),
            _ => code == Some(2) && stderr.starts_with("BLOCKED"),
        };
        // OpenCode's plugin runs no shell, so its text isn't told apart by event.
        assert_eq!(
            denied,
            gate || agent == "opencode",
            "{agent} {event}: {code:?} {stdout} {stderr}"
        );
        if !denied {
            assert_eq!(code, Some(0), "{agent} {event}");
        }
    }
}

fn said(reason: &Value) -> bool {
    reason.as_str().is_some_and(|r| r.starts_with("BLOCKED"))
}

/// Agent, event, forms: all that can be committed to a repository.
fn every() -> Vec<(String, String, RepoCommand)> {
    let mut out = Vec::new();
    for builtin in builtin::ALL {
        let spec = builtin.spec().unwrap();
        let Some(forms) = spec.install.unwrap().repo_command else {
            continue;
        };
        for event in spec.events {
            out.push((spec.name.clone(), event, forms.clone()));
        }
    }
    assert_eq!(out.iter().filter(|(agent, ..)| agent == "kimi").count(), 0);
    out
}
