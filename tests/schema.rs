//! Documents made from the types in `cli::output` against `docs/schema/output.json`, and documents that the
//! schema must refuse: a schema that takes everything would prove nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

mod common {
    pub mod schema;
}

use common::schema::{schema, valid, validate};
use gitvow::cli::output::{
    Action, AgentChange, AgentHealth, AgentList, Artifact, ArtifactKind, Capability, Changes,
    Checked, Client, Direction, Doctor, Failure, Fault, Finding, Health, Kept, KnownAgent,
    KnownFile, Launcher, Rehearsal, RehearsalStep, SCHEMA, Selftest, Severity, State, Status,
    document,
};
use gitvow::error::Error;
use gitvow::spec::Scope;
use serde_json::{Value, json};

fn fault() -> Fault {
    Fault::from(
        &Error::refused("unparseable", "`/f` is not valid JSON")
            .at("/f")
            .position(3, 7)
            .because("expected a comma")
            .help("fix the file"),
    )
}

fn changes() -> Changes {
    let mut agents = Vec::new();
    for (status, action) in [
        (Status::Installed, Action::Create),
        (Status::Unchanged, Action::Unchanged),
        (Status::Removed, Action::Remove),
        (Status::NotInstalled, Action::Unchanged),
        (Status::Kept, Action::Keep),
        (Status::Refused, Action::Refuse),
        (Status::Failed, Action::Edit),
    ] {
        let mut agent = AgentChange::new("claude", Scope::Local);
        agent.status = status;
        for (kind, diff) in [
            (ArtifactKind::Merge, Some(String::new())),
            (ArtifactKind::Tree, None),
        ] {
            agent.artifacts.push(Artifact {
                kind,
                path: "/home/a/.claude/settings.json".into(),
                real_path: "/home/a/dotfiles/x".into(),
                action,
                before: State::Absent,
                after: State::Sha256("0a".repeat(32)),
                diff,
            });
        }
        agent.notes.push("a note".into());
        agent.steps.push("a step".into());
        agent.kept.push(Kept {
            path: "/f".into(),
            reason: "edited".into(),
        });
        agent.error = Some(fault());
        agents.push(agent);
    }
    agents.push(AgentChange::new("codex", Scope::User));
    Changes {
        schema: SCHEMA,
        command: Direction::Uninstall,
        dry_run: true,
        scope: None,
        ok: false,
        changed: true,
        launcher: Some(Launcher {
            path: "/home/a/.gitvow/bin/gitvow".into(),
            action: Action::Remove,
        }),
        agents,
    }
}

fn doctor() -> Doctor {
    let finding = |severity, path: Option<&str>| Finding {
        code: "entry-edited".into(),
        severity,
        path: path.map(Into::into),
        line: path.map(|_| 1),
        column: None,
        event: Some("Stop".into()),
        message: "x".into(),
        help: None,
    };
    let agents = [
        Health::Ok,
        Health::NotInstalled,
        Health::Unknown,
        Health::Drifted,
        Health::Broken,
    ];
    Doctor {
        schema: SCHEMA,
        ok: false,
        agents: agents
            .into_iter()
            .map(|state| AgentHealth {
                agent: "claude".into(),
                scope: Scope::Repo,
                state,
                client: Client::default(),
                findings: vec![
                    finding(Severity::Note, Some("/f")),
                    finding(Severity::Warning, None),
                ],
                capabilities: vec![
                    Capability {
                        name: "guards.beforeShell".into(),
                        on: false,
                        reason: Some("older-than-evidence".into()),
                        version: Some("2.1.332".into()),
                    },
                    Capability {
                        name: "guards.beforeWrite".into(),
                        on: true,
                        reason: None,
                        version: None,
                    },
                ],
            })
            .collect(),
        findings: vec![finding(Severity::Error, Some("/f"))],
        notes: vec!["kimi has no such file".into()],
    }
}

#[test]
fn every_document_is_what_the_schema_says() {
    valid("changes", &document(&changes()).unwrap());
    valid("doctor", &document(&doctor()).unwrap());
    valid(
        "failure",
        &document(&Failure::new("agents", &Error::bug(""))).unwrap(),
    );
    let agents = AgentList {
        schema: SCHEMA,
        agents: vec![KnownAgent {
            agent: "claude".into(),
            title: "Claude Code".into(),
            aliases: vec!["claude-code".into()],
            detected: true,
            detected_by: Some("/usr/bin/claude".into()),
            files: vec![KnownFile {
                scope: Scope::Repo,
                kind: ArtifactKind::Merge,
                path: ".claude/settings.json".into(),
            }],
            installed: vec![Scope::User],
        }],
    };
    valid("agents", &document(&agents).unwrap());
    let checked = Checked {
        schema: SCHEMA,
        verdict: "ask".into(),
        reason: Some("x".into()),
        rule: None,
    };
    valid("check", &document(&checked).unwrap());
    let rehearsed = Selftest {
        schema: SCHEMA,
        ok: true,
        agents: vec![Rehearsal {
            agent: "claude".into(),
            ok: true,
            steps: vec![RehearsalStep {
                name: "install".into(),
                ok: true,
                message: String::new(),
            }],
        }],
    };
    valid("selftest", &document(&rehearsed).unwrap());
}

#[test]
fn the_schema_as_printed_takes_each_of_them() {
    let whole = jsonschema::validator_for(&schema()).unwrap();
    for text in [document(&changes()).unwrap(), document(&doctor()).unwrap()] {
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(whole.is_valid(&value));
    }
    assert!(!whole.is_valid(&json!({"schema": 1})));
}

#[test]
fn every_field_counts() {
    let good: Value = serde_json::from_str(&document(&changes()).unwrap()).unwrap();
    let fields = [
        "schema", "command", "dry_run", "scope", "ok", "changed", "launcher", "agents",
    ];
    for field in fields {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(field);
        assert!(
            validate("changes", &bad.to_string()).is_err(),
            "without {field}"
        );
    }
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/agents/0/status", json!("done")),
        ("/agents/0/artifacts/0/before", json!("sha256:xyz")),
        ("/agents/0/artifacts/0/path", json!("relative")),
        ("/agents/0/error/message", json!("")),
        ("/agents/0/error/line", json!(0)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(validate("changes", &bad.to_string()).is_err(), "{pointer}");
    }
    let twice = format!("{good}{good}");
    assert!(validate("changes", &twice).is_err(), "two documents");
}
