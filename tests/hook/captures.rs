//! What the real clients sent (`fixtures/<agent>/captures/<version>-<Event>[-what].json`): the calls that become of
//! it, and whether the entries that are written would have been asked at all. `UPDATE=1` rewrites the calls.

use crate::judge::{Effect, effect};
use crate::run;
use gitvow::hook::agent::{Agent, Event};
use gitvow::hook::call::Call;
use gitvow::hook::{caller, json::Json, normalize};
use gitvow::spec::builtin;
use gitvow::spec::evidence::Evidence;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// One captured payload.
struct Capture {
    agent: &'static str,
    file: String,
    event: String,
    /// `mcp`, `read`, `write`, … where the name says so.
    what: Option<String>,
    bytes: Vec<u8>,
}

impl Capture {
    fn calls<T>(&self, look: impl Fn(&[Call<'_>]) -> T) -> T {
        let agent = Agent::load(builtin::by_name(self.agent).unwrap()).unwrap();
        let payload = Json::parse(&self.bytes).unwrap();
        let named = caller::by_payload(&payload, self.agent);
        assert!(named.is_none_or(|n| n == self.agent), "{self}: {named:?}");
        let data = agent.event(&self.event).unwrap();
        let calls = normalize::normalize(&agent, data.event(), data.special(), &payload);
        look(&calls.unwrap_or_else(|e| panic!("{self}: {e}")))
    }

    fn is_gate(&self) -> bool {
        self.calls(|calls| calls[0].event == Event::PreToolUse)
    }

    /// The tool as the agent calls it.
    fn tool(&self) -> String {
        let payload: Value = serde_json::from_slice(&self.bytes).unwrap();
        let name = payload.get("tool_name").or(payload.get("toolName"));
        name.unwrap().as_str().unwrap().to_owned()
    }
}

impl std::fmt::Display for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.agent, self.file)
    }
}

fn folder(agent: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    root.join(agent).join("captures")
}

fn captures() -> Vec<Capture> {
    let mut all = Vec::new();
    for builtin in builtin::ALL {
        let agent = Agent::load(builtin).unwrap();
        let Ok(files) = fs::read_dir(folder(builtin.name)) else {
            continue;
        };
        let mut paths: Vec<_> = files.map(|f| f.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|p| p.extension().unwrap() == "json") {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let mut words = stem.splitn(3, '-').skip(1);
            let event = words.next().unwrap().to_owned();
            // `inspect` and the like are answers of the client, not payloads.
            if agent.event(&event).is_some() {
                all.push(Capture {
                    agent: builtin.name,
                    file: path.file_name().unwrap().to_str().unwrap().to_owned(),
                    event,
                    what: words.next().map(str::to_owned),
                    bytes: fs::read(path).unwrap(),
                });
            }
        }
    }
    all
}

#[test]
fn captures_become_calls() {
    let all = captures();
    assert!(all.len() > 60, "only {}", all.len());
    for builtin in builtin::ALL {
        let mine = all.iter().filter(|c| c.agent == builtin.name);
        let lines: Vec<String> = mine
            .map(|c| {
                let calls = c.calls(|calls| calls.iter().map(Call::to_json).collect::<Vec<_>>());
                serde_json::json!({"capture": c.file, "calls": calls}).to_string() + "\n"
            })
            .collect();
        if lines.is_empty() {
            continue;
        }
        let path = folder(builtin.name).join("calls.jsonl");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, lines.concat()).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            lines.concat(),
            expected,
            "{}: `UPDATE=1 cargo test --test hook`, and read the diff",
            path.display()
        );
    }
}

/// The stand-in model called `look_up` of the server `team_notes`. No agent's spelling of it may dodge a rule.
#[test]
fn a_captured_mcp_tool_is_stopped_by_the_rule_that_names_it() {
    let deny = r#"{"mcp_deny": ["mcp__team_notes__look_up"]}"#;
    let other = r#"{"mcp_deny": ["mcp__other_notes__look_up", "mcp__team_notes__look"]}"#;
    let mut seen = Vec::new();
    for capture in captures() {
        if capture.what.as_deref() != Some("mcp") {
            continue;
        }
        seen.push(capture.agent);
        capture.calls(|calls| {
            let tool = calls[0].tool.as_ref().unwrap();
            let readings: Vec<String> = tool.doubt.as_ref().map_or_else(Vec::new, |d| {
                d.readings
                    .iter()
                    .map(gitvow::hook::mcp::Reading::name)
                    .collect()
            });
            assert!(
                tool.name == "mcp__team_notes__look_up"
                    || readings.iter().any(|r| r == "mcp__team_notes__look_up"),
                "{capture}: {} {readings:?}",
                tool.name
            );
        });
        let ends = |policy: &str| {
            let args = ["--agent", capture.agent, &capture.event];
            let said = run::hook(&args, &capture.bytes, Some(policy));
            effect(capture.agent, &capture.event, &capture.bytes, &said)
        };
        assert!(
            matches!(ends(deny), Effect::Blocks(reason) if reason.starts_with("BLOCKED") && reason.contains("look_up")),
            "{capture}: {:?}",
            ends(deny)
        );
        assert_eq!(ends(other), Effect::Runs, "{capture}");
    }
    assert_eq!(seen.len(), 9, "{seen:?}");
}

/// The matchers of `event` in a planner, wherever they stand; an entry without one is `.*`.
fn matchers(value: &Value, event: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(entries) = map.get(event).and_then(Value::as_array) {
                out.extend(entries.iter().map(matcher));
            }
            if map.get("event").and_then(Value::as_str) == Some(event) {
                out.push(matcher(value));
            }
            map.values().for_each(|v| matchers(v, event, out));
        }
        Value::Array(items) => items.iter().for_each(|v| matchers(v, event, out)),
        _ => {}
    }
}

fn matcher(entry: &Value) -> String {
    let found = entry.get("matcher").and_then(Value::as_str);
    found.filter(|m| *m != "*").unwrap_or(".*").to_owned()
}

/// A gate that isn't asked is none: Droid 0.225.2 calls MCP tools `server___tool`, and an entry for `mcp__.*` never fired.
#[test]
fn the_entries_before_a_tool_fire_for_every_captured_call_that_is_declared() {
    let mut seen = 0;
    for capture in captures() {
        let planner = builtin::by_name(capture.agent).unwrap().text;
        let options = jsonc_parser::ParseOptions::default();
        let planner: Value = jsonc_parser::parse_to_serde_value(planner, &options).unwrap();
        let mut all = Vec::new();
        matchers(&planner["install"], &capture.event, &mut all);
        // OpenCode's plugin asks about every tool by itself.
        if !capture.is_gate() {
            continue;
        }
        let tool = capture.tool();
        let fires = all.iter().all(|m| {
            let whole = regex_lite::Regex::new(&format!("^(?:{m})$"));
            whole.unwrap().is_match(&tool)
        });
        let wanted = if capture.what.as_deref() == Some("read") {
            let evidence = Evidence::of(capture.agent).unwrap().unwrap();
            evidence.methods.contains_key("guards.beforeRead")
        } else {
            true
        };
        assert_eq!(fires, wanted, "{capture}: {tool}, {all:?}");
        seen += 1;
    }
    assert!(seen >= 28, "only {seen}");
}

/// The stand-in model wrote or edited `Jenkinsfile`.
#[test]
fn captured_writes_name_their_file() {
    let mut seen = 0;
    for capture in captures() {
        let (tool, key, text) = match capture.what.as_deref() {
            Some("write") => ("Write", "content", "new text\n"),
            Some("edit") => ("Edit", "new_string", "kept"),
            _ => continue,
        };
        let calls = capture.calls(|calls| calls.iter().map(Call::to_json).collect::<Vec<_>>());
        assert_eq!(calls.len(), 1, "{capture}");
        assert_eq!(calls[0]["tool_name"], tool, "{capture}");
        let input = &calls[0]["tool_input"];
        assert_eq!(input["file_path"], "/work/repo/Jenkinsfile", "{capture}");
        assert_eq!(input[key], text, "{capture}");
        seen += 1;
    }
    assert!(seen >= 15, "only {seen} captures of writes");
}

/// Copilot reads a repository's Claude file, Grok the user's too: our entry for Claude is run, and answers in their form.
#[test]
fn who_runs_claudes_entry_is_known_by_the_payload() {
    let deny = r#"{"bash_deny":[{"pattern":"ran","reason":"no"}],"path_deny":[{"pattern":"written","reason":"no"}],"mcp_deny":[".*"]}"#;
    let mut gates = 0;
    for capture in captures() {
        if !capture
            .what
            .as_deref()
            .is_some_and(|w| w.starts_with("claudes-file"))
        {
            continue;
        }
        let payload = Json::parse(&capture.bytes).unwrap();
        let caller = caller::by_payload(&payload, "claude");
        assert_eq!(caller, Some(capture.agent), "{capture}");
        if !capture.is_gate() {
            continue;
        }
        gates += 1;
        let ends = |policy: &str| {
            let args = ["--agent", "claude", &capture.event];
            let said = run::hook(&args, &capture.bytes, Some(policy));
            effect(capture.agent, &capture.event, &capture.bytes, &said)
        };
        assert_eq!(ends("{}"), Effect::Runs, "{capture}");
        let denied = ends(deny);
        assert!(
            matches!(&denied, Effect::Blocks(reason) if reason.starts_with("BLOCKED")),
            "{capture}: {denied:?}"
        );
    }
    assert!(gates >= 4, "only {gates}");
}

/// Whatever the tool is called: Grok 1.0.41 has `monitor` beside its shell, and it runs a line as well.
#[test]
fn a_captured_tool_that_takes_a_command_is_judged_as_the_shell() {
    let mut seen = 0;
    for capture in captures().iter().filter(|c| c.is_gate()) {
        let payload: Value = serde_json::from_slice(&capture.bytes).unwrap();
        let input = payload.get("tool_input").or(payload.get("toolArgs"));
        let line = input.and_then(|i| i["command"].as_str()).unwrap_or("*** ");
        // A patch's text is called `command` too.
        if line.starts_with("*** ") {
            continue;
        }
        let call = capture.calls(|calls| calls[0].to_json());
        assert_eq!(call["tool_name"], "Bash", "{capture}");
        assert_eq!(call["tool_input"]["command"], line, "{capture}");
        seen += 1;
    }
    assert!(seen >= 12, "only {seen}");
}
