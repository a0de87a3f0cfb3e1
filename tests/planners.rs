//! The planners as the outside world sees them: their schema, their commands under a real shell, OpenCode's plugin
//! under a real `node`, and the tables that are generated from them.

// A test touches the machine itself and fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr
)]

#[path = "planners/plugin.rs"]
mod plugin;
#[path = "common/program.rs"]
mod program;
#[path = "planners/shell.rs"]
mod shell;
#[path = "planners/tables.rs"]
mod tables;

use gitvow::cli::generate::PLANNER_SCHEMA;
use gitvow::spec::{AgentSpec, Entries, builtin, command};
use serde_json::{Value, json};

fn specs() -> Vec<AgentSpec> {
    builtin::ALL.iter().map(|b| b.strict().unwrap()).collect()
}

#[test]
fn the_schema_takes_every_built_in() {
    let schema: Value = serde_json::from_str(PLANNER_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for spec in specs() {
        let info = builtin::as_info(&spec);
        let errors: Vec<String> = validator
            .iter_errors(&info)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", spec.name);
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    use gitvow::spec::parse::{Source, parse};
    let schema: Value = serde_json::from_str(PLANNER_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = json!({"protocol": 1, "name": "x", "install": {"user_file": "a/b",
        "entries": {"pre": [{"command": "__GITVOW__ hook pre"}]}}});
    assert!(validator.is_valid(&good) && parse(&good.to_string(), Source::External).is_ok());
    let with = |at: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(at).unwrap() = value;
        bad
    };
    let set = |at: &str, key: &str, value: Value| {
        let mut bad = good.clone();
        bad.pointer_mut(at).unwrap()[key] = value;
        bad
    };
    let mut bad = vec![
        with("/protocol", json!(2)),
        with("/name", json!("a b")),
        with("/install/entries", json!({"pre": []})),
        with(
            "/install/entries",
            json!({"a b": [{"command": "__GITVOW__ hook"}]}),
        ),
        with("/install/entries/pre/0", json!([])),
        with("/install", json!({"user_file": "a"})),
        set("/install", "format", json!("yaml")),
        set("/install", "version_key", json!("")),
        set("/install", "root", json!([""])),
        set("/install", "home_env", json!({"HOME": ""})),
        set("/install", "repo_command", json!({"allow": "exit 0"})),
        set(
            "/install",
            "reads",
            json!({"requires": {"version": "integer"}}),
        ),
        set("/install", "trees", json!([{"path": "a", "files": {}}])),
        set(
            "/install",
            "trees",
            json!([{"path": "a", "mode": "0666", "files": {"x": "__GITVOW__"}}]),
        ),
        set("", "steps", json!({"team": []})),
    ];
    for path in [
        "",
        ".",
        "..",
        "a/../b",
        "/a",
        "a//b",
        "a/",
        ".git/x",
        "a/.GIT",
        ".gitvow/x",
        "~/a",
        "C:/a",
        "a\\b",
        "a\nb",
        "./a",
    ] {
        bad.push(with("/install/user_file", json!(path)));
    }
    for bad in bad {
        assert!(!validator.is_valid(&bad), "the schema takes {bad}");
        assert!(
            parse(&bad.to_string(), Source::External).is_err(),
            "the reader takes {bad}"
        );
    }
}

#[test]
fn every_agent_registers_what_the_hook_needs_and_a_time_limit_each() {
    for spec in specs() {
        let before = spec.before_tool.clone().unwrap();
        assert!(
            !before.is_empty() && spec.events.len() >= 4,
            "{}",
            spec.name
        );
        let install = spec.install.as_ref().unwrap();
        let mut seen = Vec::new();
        match &install.entries {
            Entries::Events(events) => {
                for (event, list) in events {
                    seen.push(event.clone());
                    limits(&spec.name, list);
                }
            }
            Entries::List(list) => {
                for entry in list {
                    seen.push(entry["event"].as_str().unwrap().to_owned());
                    limits(&spec.name, entry);
                }
            }
        }
        for tree in &install.trees {
            for content in tree.files.values() {
                for (event, list) in content["hooks"].as_object().into_iter().flatten() {
                    seen.push(event.clone());
                    limits(&spec.name, list);
                }
            }
        }
        if spec.name != "opencode" {
            assert_eq!(seen, spec.events, "{}", spec.name);
        }
    }
}

/// In the agent's own unit: seconds, Gemini milliseconds.
fn limits(agent: &str, value: &Value) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| limits(agent, v)),
        Value::Object(map) if map.contains_key("hooks") => limits(agent, &map["hooks"]),
        Value::Object(map) => {
            let key = if agent == "copilot" {
                "timeoutSec"
            } else {
                "timeout"
            };
            let expected = if agent == "gemini" { 30_000 } else { 30 };
            assert_eq!(map[key], json!(expected), "{agent}: {value}");
        }
        _ => panic!("{agent}: {value}"),
    }
}

#[test]
fn every_command_names_its_agent_and_its_own_event() {
    for spec in specs() {
        let install = spec.install.as_ref().unwrap();
        let launcher = command::Command::absolute("/h/.gitvow/bin/gitvow");
        for (event, template) in command::templates(install) {
            let entry = command::render(template, &launcher);
            assert!(command::says(&entry, template, &launcher));
            let event = event.or_else(|| entry.get("event").and_then(Value::as_str));
            own(&spec, &entry, event.unwrap());
        }
        for tree in &install.trees {
            for file in command::tree_texts(tree, &launcher)
                .iter()
                .filter(|f| f.json)
            {
                let value: Value = serde_json::from_str(&file.text).unwrap();
                for (event, list) in value["hooks"].as_object().unwrap() {
                    list.as_array()
                        .unwrap()
                        .iter()
                        .for_each(|e| own(&spec, e, event));
                }
            }
        }
    }
}

fn own(spec: &AgentSpec, entry: &Value, event: &str) {
    let commands = command::commands(entry);
    assert!(!commands.is_empty());
    for line in commands {
        let own = command::own_form(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(own.agent.as_deref(), Some(spec.name.as_str()), "{line}");
        assert_eq!(own.event, event, "{line}");
    }
}

#[test]
fn kimi_has_only_the_keys_that_it_allows() {
    let spec = builtin::by_name("kimi").unwrap().spec().unwrap();
    let Entries::List(list) = spec.install.unwrap().entries else {
        panic!("kimi's entries are a list");
    };
    for entry in list {
        for key in entry.as_object().unwrap().keys() {
            assert!(
                ["event", "matcher", "command", "timeout"].contains(&key.as_str()),
                "{key}"
            );
        }
        assert!((1..=600).contains(&entry["timeout"].as_u64().unwrap()));
    }
}

#[test]
fn the_plugin_in_the_planner_is_the_file_beside_it() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("planners/opencode");
    let source = std::fs::read_to_string(folder.join("gitvow.js")).unwrap();
    let planner = folder.join("planner.jsonc");
    let text = std::fs::read_to_string(&planner).unwrap();
    let line = format!("          \"gitvow.js\": {}", Value::from(source));
    if std::env::var_os("UPDATE").is_some() {
        let fresh: Vec<&str> = text
            .lines()
            .map(|l| {
                if l.trim_start().starts_with("\"gitvow.js\": ") {
                    line.as_str()
                } else {
                    l
                }
            })
            .collect();
        std::fs::write(&planner, fresh.join("\n") + "\n").unwrap();
        return;
    }
    assert!(
        text.lines().any(|l| l == line),
        "run `UPDATE=1 cargo test --test planners` and read the diff"
    );
}
