//! The tables of `planners/<agent>/COMPATIBILITY.md`, generated so that no fact is kept twice.

use gitvow::plan::paths::scopes;
use gitvow::spec::{AgentSpec, Entries, Install, Scope, builtin};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

const BEGIN: &str = "<!-- generated from planner.jsonc and evidence.jsonc by `UPDATE=1 cargo test --test planners` -->\n";
const END: &str = "<!-- end of the generated part -->\n";

#[test]
fn compatibility_tables_are_the_planners() {
    let mut stale = Vec::new();
    for builtin in builtin::ALL {
        let spec = builtin.spec().unwrap();
        let path = folder(builtin.name).join("COMPATIBILITY.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text
            .split_once(BEGIN)
            .unwrap_or_else(|| panic!("{}", path.display()));
        let (_, after) = rest
            .split_once(END)
            .unwrap_or_else(|| panic!("{}", path.display()));
        let fresh = format!("{before}{BEGIN}{}{END}{after}", tables(&spec));
        if fresh != text && std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        } else if fresh != text {
            stale.push(builtin.name);
        }
    }
    assert!(
        stale.is_empty(),
        "stale: {stale:?}; run `UPDATE=1 cargo test --test planners` and read the diff"
    );
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("planners")
        .join(name)
}

fn tables(spec: &AgentSpec) -> String {
    let install = spec.install.as_ref().unwrap();
    let mut out = String::from("\n## Files\n\n| scope | file | what |\n|---|---|---|\n");
    for scope in scopes(spec) {
        for (file, what) in files(install, scope) {
            let _ = writeln!(out, "| {} | `{file}` | {what} |", scope.name());
        }
    }
    for (variable, dir) in &install.home_env {
        let dir = if dir.is_empty() {
            "the home directory".to_owned()
        } else {
            format!("`~/{dir}`")
        };
        let _ = writeln!(out, "\n`{variable}` replaces {dir}.");
    }
    if let Some(reads) = &install.reads {
        let yes = |b: bool| if b { "read" } else { "not read" };
        let _ = writeln!(out, "\n## What its reader takes\n\n| | |\n|---|---|");
        let _ = writeln!(out, "| byte order mark | {} |", yes(reads.bom));
        let _ = writeln!(out, "| comments | {} |", yes(reads.comments));
        let _ = writeln!(out, "| trailing commas | {} |", yes(reads.trailing_commas));
        if let Some(keys) = &reads.top_keys {
            let _ = writeln!(out, "| top-level keys | only {} |", code(keys));
        }
        for (key, kind) in &reads.requires {
            let _ = writeln!(out, "| `{key}` | needed, a {kind} |");
        }
        for switch in &reads.switches {
            let file = switch
                .file
                .as_deref()
                .map_or(String::new(), |f| format!(" in `{f}`"));
            let _ = writeln!(
                out,
                "| `{}`{file} | hooks are off when it is `{}` |",
                switch.path.join("."),
                switch.off
            );
        }
    }
    out.push_str("\n## Events\n\n| event | before a tool | matcher | limit |\n|---|---|---|---|\n");
    let before = spec.before_tool.clone().unwrap_or_default();
    for event in &spec.events {
        let entry = entry(install, event);
        let matcher = entry.as_ref().and_then(|e| e["matcher"].as_str());
        let matcher = matcher.map_or("all".to_owned(), |m| format!("`{}`", m.replace('|', "\\|")));
        let gate = if before.contains(event) { "yes" } else { "" };
        let limit = entry.map_or("in the plugin".to_owned(), |e| limit(&e));
        let _ = writeln!(out, "| `{event}` | {gate} | {matcher} | {limit} |");
    }
    if !spec.loads.is_empty() {
        out.push_str("\n## It also loads\n\n");
        for (agent, scopes) in &spec.loads {
            let _ = writeln!(out, "- {agent}'s files: {}", scopes.join(", "));
        }
    }
    if !spec.steps.is_empty() {
        out.push_str("\n## What only a person can do\n\n");
        for (scope, steps) in &spec.steps {
            for step in steps {
                let _ = writeln!(out, "- {scope}: {step}");
            }
        }
    }
    out.push_str("\n## Evidence\n\n");
    let rows = rows(&spec.name, "evidence");
    if rows.is_empty() {
        out.push_str("None: this client was never driven here.\n");
    } else {
        out.push_str("| client | version | platform | observed | capability | result | limits |\n|---|---|---|---|---|---|---|\n");
    }
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap();
        let limits: Vec<&str> = row["limitations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| l.as_str().unwrap())
            .collect();
        let cells = [
            "client",
            "version",
            "platform",
            "observedAt",
            "capability",
            "result",
        ]
        .map(text);
        let _ = writeln!(out, "| {} | {} |", cells.join(" | "), limits.join("; "));
    }
    let ignored = self::rows(&spec.name, "answers");
    if let Some(first) = ignored.first() {
        let named = |row: &Value| format!("`{}`", row["answer"].as_str().unwrap());
        let fixture = first["fixture"].as_str().unwrap();
        let answers: Vec<String> = ignored.iter().map(named).collect();
        let answers = answers.join(", ");
        let _ = writeln!(
            out,
            "\nThe tool ran all the same after: {answers} (`{fixture}`)."
        );
    }
    out.push('\n');
    out
}

/// The rows of `evidence.jsonc`, those under `evidence` or under `answers`.
fn rows(name: &str, key: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder(name).join("evidence.jsonc")).unwrap();
    let value: Value =
        jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).unwrap();
    value[key].as_array().cloned().unwrap_or_default()
}

#[test]
fn every_row_of_evidence_has_its_keys_and_its_capture() {
    const KEYS: [&str; 8] = [
        "client",
        "version",
        "platform",
        "observedAt",
        "capability",
        "fixture",
        "limitations",
        "result",
    ];
    for builtin in builtin::ALL {
        let deciding = rows(builtin.name, "evidence");
        for row in deciding.iter().chain(&rows(builtin.name, "answers")) {
            let all = row.as_object().unwrap().keys().map(String::as_str);
            let keys: Vec<&str> = all.filter(|k| *k != "answer").collect();
            assert_eq!(keys, KEYS, "{}", builtin.name);
            let fixture = row["fixture"].as_str().unwrap();
            let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(fixture);
            let capture =
                std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{fixture}: {e}"));
            let one_a_line = fixture.ends_with(".jsonl");
            let parts = if one_a_line {
                capture.lines().collect()
            } else {
                vec![capture.as_str()]
            };
            assert!(!parts.is_empty(), "{fixture}");
            for part in parts {
                let payload: Value = serde_json::from_str(part).unwrap();
                assert!(payload.is_object(), "{fixture}");
            }
            assert!(
                fixture.contains(row["version"].as_str().unwrap()),
                "{fixture}"
            );
            assert!(["pass", "fail"].contains(&row["result"].as_str().unwrap()));
        }
    }
}

fn files(install: &Install, scope: Scope) -> Vec<(String, String)> {
    let pick = |user: &Option<String>, repo: &Option<String>, local: &Option<String>| match scope {
        Scope::User => user.as_ref().map(|f| format!("~/{f}")),
        Scope::Repo => repo.clone(),
        Scope::Local => local.clone(),
    };
    let at = |root: &[String]| match root {
        [] => "at the top level".to_owned(),
        path => format!("under `{}`", path.join(".")),
    };
    let mut out = Vec::new();
    if let Some(file) = pick(&install.user_file, &install.repo_file, &install.local_file) {
        out.push((file, format!("entries merged {}", at(&install.root))));
    }
    for other in &install.alternatives {
        if let Some(file) = pick(&other.user_file, &other.repo_file, &other.local_file) {
            out.push((
                file,
                format!(
                    "instead, for an event that it has already: {}",
                    at(&other.root)
                ),
            ));
        }
    }
    for tree in &install.trees {
        if let Some(dir) = pick(&tree.path, &tree.repo_path, &None) {
            out.extend(
                tree.files
                    .keys()
                    .map(|f| (format!("{dir}/{f}"), "a file of gitvow's".to_owned())),
            );
        }
    }
    out
}

/// The innermost object that holds the command, with its group's matcher.
fn entry(install: &Install, event: &str) -> Option<Value> {
    let first = match &install.entries {
        Entries::List(list) => list.iter().find(|e| e["event"] == event).cloned(),
        Entries::Events(events) => events.get(event).map(|list| list[0].clone()),
    };
    let in_tree = || {
        let file = install.trees.first()?.files.values().next()?;
        file.get("hooks")?.get(event).map(|list| list[0].clone())
    };
    let group = first.or_else(in_tree)?;
    let mut inner = group
        .get("hooks")
        .map_or(group.clone(), |hooks| hooks[0].clone());
    if let Some(matcher) = group.get("matcher") {
        inner["matcher"] = matcher.clone();
    }
    Some(inner)
}

fn limit(entry: &Value) -> String {
    match (entry["timeout"].as_u64(), entry["timeoutSec"].as_u64()) {
        (Some(ms), _) if ms >= 1000 => format!("{ms} ms"),
        (Some(s), _) | (None, Some(s)) => format!("{s} s"),
        (None, None) => "the agent's own".to_owned(),
    }
}

fn code(names: &[String]) -> String {
    names
        .iter()
        .map(|n| format!("`{n}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
