//! The hook as agents see it: golden payloads and answers, and a judge that obeys each agent's measured
//! rules (facts 13). `UPDATE=1` rewrites the expected files; read the diff before committing it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "hook/captures.rs"]
mod captures;
#[path = "hook/failing.rs"]
mod failing;
#[path = "hook/judge.rs"]
mod judge;
#[path = "hook/logging.rs"]
mod logging;
#[path = "hook/lost.rs"]
mod lost;
#[path = "hook/outside.rs"]
mod outside;
#[path = "common/program.rs"]
mod program;
#[path = "hook/run.rs"]
mod run;
#[path = "hook/slow.rs"]
mod slow;
#[path = "hook/table.rs"]
mod table;
#[path = "hook/transcripts.rs"]
mod transcripts;

use gitvow::hook::agent::{Agent, Event};
use gitvow::hook::{caller, json::Json, normalize};
use gitvow::spec::builtin;
use run::{Said, hook};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ALLOW: &str = "{}";
const DENY: &str = r#"{"bash_deny":[{"pattern":"","reason":"golden reason"}],"path_deny":[{"pattern":"","reason":"golden reason"}],"mcp_deny":[".*"]}"#;
const ASK: &str = r#"{"bash_confirm":[{"pattern":"","reason":"golden reason"}],"path_confirm":[{"pattern":"","reason":"golden reason"}],"mcp_allow":["none"]}"#;

/// One folder of `fixtures/<agent>/events/`.
struct Case {
    agent: String,
    name: String,
    event: String,
    dir: PathBuf,
    input: Vec<u8>,
}

impl Case {
    fn normalized(&self) -> (Event, Vec<Value>) {
        let payload = Json::parse(&self.input).unwrap();
        let named = caller::by_payload(&payload, &self.agent);
        assert!(
            named.is_none_or(|n| n == self.agent),
            "{}/{}: taken for {named:?}",
            self.agent,
            self.name
        );
        let agent = Agent::load(builtin::by_name(&self.agent).unwrap()).unwrap();
        let data = agent.event(&self.event).unwrap();
        let calls = normalize::normalize(&agent, data.event(), data.special(), &payload).unwrap();
        (data.event(), calls.iter().map(|c| c.to_json()).collect())
    }

    fn is_gate(&self) -> bool {
        self.normalized().0 == Event::PreToolUse
    }

    fn hook(&self, policy: &str) -> Said {
        hook(
            &["--agent", &self.agent, &self.event],
            &self.input,
            Some(policy),
        )
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = Vec::new();
    for builtin in builtin::ALL {
        let events = root.join(builtin.name).join("events");
        let mut dirs: Vec<_> = fs::read_dir(&events)
            .unwrap_or_else(|e| panic!("{}: {e}", events.display()))
            .map(|d| d.unwrap().path())
            .collect();
        dirs.sort();
        for dir in dirs {
            let name = dir.file_name().unwrap().to_string_lossy().into_owned();
            cases.push(Case {
                agent: builtin.name.to_owned(),
                event: name.split('-').next().unwrap().to_owned(),
                input: fs::read(dir.join("in.json")).unwrap(),
                dir,
                name,
            });
        }
    }
    cases
}

fn compare(file: &Path, actual: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, actual).unwrap();
    } else if fs::read_to_string(file).unwrap_or_default() != actual {
        wrong.push(format!("{}:\n{actual}", file.display()));
    }
}

#[test]
fn payloads_become_calls() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (_, calls) = case.normalized();
        let text = serde_json::to_string_pretty(&calls).unwrap() + "\n";
        compare(&case.dir.join("calls.json"), &text, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_survives_that_is_not_on_the_whitelist() {
    let known = [
        "session_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "agent",
        "permission_mode",
        "tool_name",
        "tool_input",
        "tool_use_id",
        "prompt",
        "end_reason",
    ];
    let inputs = [
        "command",
        "file_path",
        "old_string",
        "new_string",
        "content",
    ];
    for case in cases() {
        for call in case.normalized().1 {
            for (key, value) in call.as_object().unwrap() {
                assert!(
                    known.contains(&key.as_str()),
                    "{}/{}: {key}",
                    case.agent,
                    case.name
                );
                if key == "tool_input" {
                    for key in value.as_object().unwrap().keys() {
                        assert!(
                            inputs.contains(&key.as_str()),
                            "{}/{}: {key}",
                            case.agent,
                            case.name
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_event_that_an_agent_registers_has_a_fixture() {
    let cases = cases();
    for builtin in builtin::ALL {
        let spec = builtin.spec().unwrap();
        let agent = Agent::load(builtin).unwrap();
        for event in &spec.events {
            assert!(
                agent.events.contains_key(event.as_str()),
                "{}: {event} is not mapped",
                builtin.name
            );
            assert!(
                cases
                    .iter()
                    .any(|c| c.agent == builtin.name && c.event == *event),
                "{}: no fixture for {event}",
                builtin.name
            );
        }
    }
}

#[test]
fn answers_are_in_the_agents_form() {
    let mut wrong = Vec::new();
    for case in cases() {
        let answers: &[(&str, &str)] = if case.is_gate() {
            &[("allow.out", ALLOW), ("deny.out", DENY), ("ask.out", ASK)]
        } else {
            &[("allow.out", ALLOW)]
        };
        for (file, policy) in answers {
            compare(&case.dir.join(file), &case.hook(policy).shown(), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where an agent can be told that every call is going to be denied it is told, in `context.out`; else it hears what it
/// always hears.
#[test]
fn a_broken_policy_is_announced_where_the_agent_listens() {
    let mut wrong = Vec::new();
    let mut told = BTreeSet::new();
    for case in cases().iter().filter(|c| !c.is_gate()) {
        let (usual, said) = (case.hook(ALLOW), case.hook("[]"));
        let file = case.dir.join("context.out");
        if said == usual {
            assert!(!file.exists(), "{}: nothing is said", file.display());
            continue;
        }
        let name = format!("{}/{}", case.agent, case.name);
        assert!(
            said.exit == 0 && said.stdout.contains("will deny every tool call"),
            "{name}: {said:?}"
        );
        let home = said
            .shown()
            .split('`')
            .nth(1)
            .unwrap_or_default()
            .replace("/.gitvow/policy.json", "");
        compare(&file, &said.shown().replace(&home, "@HOME@"), &mut wrong);
        told.insert((case.agent.clone(), case.normalized().0.name()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let start = |agent: &str| (agent.to_owned(), "SessionStart");
    // Antigravity documents a form for an event that gitvow doesn't register; OpenCode's plugin passes nothing on.
    let mut expected: BTreeSet<_> = [
        "claude", "codex", "copilot", "cursor", "factory", "gemini", "grok", "qwen",
    ]
    .map(start)
    .into();
    expected.insert(("kimi".to_owned(), "UserPromptSubmit"));
    assert_eq!(told, expected);
}

#[test]
fn entries_leave_time_for_the_longest_answer() {
    for builtin in builtin::ALL {
        let planner: Value =
            jsonc_parser::parse_to_serde_value(builtin.text, &Default::default()).unwrap();
        let mut limits = Vec::new();
        collect(&planner["install"], &mut limits);
        for limit in limits {
            let seconds = if builtin.name == "gemini" {
                limit / 1000.0
            } else {
                limit
            };
            assert!(
                seconds >= gitvow::hook::LIMIT.as_secs_f64() + 2.0,
                "{}: {limit}",
                builtin.name
            );
        }
    }
}

fn collect(value: &Value, limits: &mut Vec<f64>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if key.starts_with("timeout")
                    && let Some(n) = value.as_f64()
                {
                    limits.push(n);
                }
                collect(value, limits);
            }
        }
        Value::Array(items) => items.iter().for_each(|v| collect(v, limits)),
        _ => {}
    }
}
