//! What the installed commands do: allow, deny, ask, and every way of failing.

use crate::home::{Did, Home};
use serde_json::{Value, json};

const BOTH: [(&str, &str, &str); 2] = [
    (
        "example",
        "gitvow-agent-example",
        ".example-agent/hooks.json",
    ),
    (
        "example-sh",
        "gitvow-agent-example-sh",
        ".example-sh/hooks.json",
    ),
];

/// Runs the command that the file names for `event`.
fn fire(h: &Home, file: &str, event: &str, payload: &Value) -> Did {
    let written: Value = serde_json::from_str(&h.read(file)).unwrap();
    let command = written["hooks"][event][0]["command"]
        .as_str()
        .unwrap()
        .to_owned();
    h.agent_runs(&command, &payload.to_string())
}

fn tool(h: &Home, command: &str) -> Value {
    json!({"sid": "s", "dir": h.work(), "tool": "sh", "args": {"cmd": command}})
}

#[test]
fn the_examples_allow_deny_and_ask() {
    for (name, file, settings) in BOTH {
        let h = Home::new();
        h.example(file, name);
        h.ok(&["install", "--agent", name]);
        for (command, verdict) in [
            ("ls", "allow"),
            ("git push --force", "deny"),
            ("git reset --hard", "ask"),
        ] {
            let did = fire(&h, settings, "beforeTool", &tool(&h, command));
            let answer: Value =
                serde_json::from_str(&did.out).unwrap_or_else(|e| panic!("{e}: {did:?}"));
            assert_eq!(
                (did.code, answer["verdict"].as_str()),
                (0, Some(verdict)),
                "{name} {command}: {did:?}"
            );
            let why = answer["why"].as_str().unwrap();
            assert_eq!(why.starts_with("BLOCKED"), verdict == "deny", "{why}");
        }
        let after = fire(&h, settings, "afterTool", &tool(&h, "ls"));
        assert_eq!(after.code, 0, "{after:?}");
    }
}

/// An adapter whose three subcommands are these shell texts.
fn with_parts(h: &Home, normalize: &str, respond: &str) {
    let info = json!({"protocol": 1, "name": "x", "events": ["beforeTool", "afterTool"], "install": {
        "user_file": ".x/hooks.json", "format": "json", "version_key": null, "entries": {
            "beforeTool": [{"command": "__GITVOW__ hook --agent x beforeTool"}],
            "afterTool": [{"command": "__GITVOW__ hook --agent x afterTool"}]}}});
    h.adapter("x", &format!(
        "#!/bin/sh\ncase $1 in\ninfo) cat <<'EOT'\n{info}\nEOT\n;;\nnormalize) {normalize} ;;\nrespond) {respond} ;;\nesac\n"
    ));
}

const CALL: &str = r#"echo '{"calls":[{"event":"PreToolUse","payload":{"tool_name":"Bash","tool_input":{"command":"git push --force"}}}]}'"#;
const ANSWER: &str = r#"echo '{"exit_code":7,"stdout":"out","stderr":"own words"}'"#;

#[test]
fn a_failing_normalize_blocks_before_a_tool_and_nowhere_else() {
    for bad in [
        "exit 3",
        "echo nonsense",
        "echo '{}'",
        r#"echo '{"calls":[{"event":"Nope","payload":{}}]}'"#,
        "printf '\\377'",
    ] {
        let h = Home::new();
        with_parts(&h, bad, ANSWER);
        h.ok(&["install", "--agent", "x"]);
        let did = fire(&h, ".x/hooks.json", "beforeTool", &json!({}));
        assert_eq!(did.code, 2, "{bad}: {did:?}");
        assert!(did.err.contains("BLOCKED"), "{bad}: {did:?}");
        let did = fire(&h, ".x/hooks.json", "afterTool", &json!({}));
        assert_eq!(did.code, 0, "{bad}: {did:?}");
        let log = h.read(".gitvow/hooks.log");
        assert!(log.contains("adapter_failed"), "{bad}: {log}");
    }
}

#[test]
fn a_failing_respond_cannot_turn_a_denial_into_leave() {
    for bad in [
        "exit 3",
        "echo '{\"exit_code\":\"0\"}'",
        "echo '{\"exit_code\":-1}'",
        "exit 0",
    ] {
        let h = Home::new();
        with_parts(&h, CALL, bad);
        h.ok(&["install", "--agent", "x"]);
        let did = fire(&h, ".x/hooks.json", "beforeTool", &json!({}));
        assert_eq!(did.code, 2, "{bad}: {did:?}");
        assert!(did.err.contains("BLOCKED"), "{bad}: {did:?}");
    }
}

#[test]
fn the_adapters_own_form_passes_as_it_stands() {
    let h = Home::new();
    with_parts(&h, CALL, ANSWER);
    h.ok(&["install", "--agent", "x"]);
    let did = fire(&h, ".x/hooks.json", "beforeTool", &json!({}));
    assert_eq!(
        (did.code, did.out.as_str(), did.err.as_str()),
        (7, "out", "own words")
    );
}

#[test]
fn an_adapter_that_is_gone_blocks_before_a_tool() {
    let h = Home::new();
    with_parts(&h, CALL, ANSWER);
    h.ok(&["install", "--agent", "x"]);
    fs_err::remove_file(h.path(".gitvow/agents/gitvow-agent-x")).unwrap();
    let did = fire(&h, ".x/hooks.json", "beforeTool", &json!({}));
    assert_eq!(did.code, 2, "{did:?}");
    assert!(
        did.err.contains("BLOCKED") && did.err.contains("not there any more"),
        "{did:?}"
    );
    assert_eq!(fire(&h, ".x/hooks.json", "afterTool", &json!({})).code, 0);
}

#[test]
fn an_installed_adapter_is_run_from_its_path_and_no_other() {
    let h = Home::new();
    with_parts(&h, CALL, ANSWER);
    h.ok(&["install", "--agent", "x"]);
    fs_err::create_dir(h.path("evil")).unwrap();
    let mark = h.path("ran");
    let evil = h.adapter("x2", &format!("#!/bin/sh\ntouch {}\n", mark.display()));
    fs_err::rename(evil, h.path("evil/gitvow-agent-x")).unwrap();
    let command = format!(
        "PATH={}:/usr/bin:/bin; export PATH; {} hook --agent x beforeTool",
        h.path("evil").display(),
        h.path(".gitvow/bin/gitvow").display()
    );
    let did = h.agent_runs(&command, "{}");
    assert_eq!(did.code, 7, "{did:?}");
    assert!(!mark.exists());
}

/// 4.3: judged before any adapter is run, so an adapter can't make a call of it.
#[test]
fn a_payload_that_is_no_object_never_reaches_the_adapter() {
    for installed in [true, false] {
        let h = Home::new();
        let mark = h.path("ran");
        let touch = format!("touch '{}'; {CALL}", mark.display());
        with_parts(&h, &touch, &format!("touch '{}'; {ANSWER}", mark.display()));
        let run = |event: &str, payload: &str| {
            let launcher = h.path(".gitvow/bin/gitvow").display().to_string();
            let program = if installed {
                launcher.as_str()
            } else {
                env!("CARGO_BIN_EXE_gitvow")
            };
            h.agent_runs(&format!("'{program}' hook --agent x {event}"), payload)
        };
        if installed {
            h.ok(&["install", "--agent", "x"]);
        }
        for payload in [
            "[]",
            "[{}]",
            "\"x\"",
            "null",
            "true",
            "7",
            "",
            " ",
            "{",
            "nonsense",
            "[{\"a\":1}]{}",
        ] {
            let did = run("beforeTool", payload);
            assert_eq!(did.code, 2, "{payload}: {did:?}");
            assert!(did.err.contains("BLOCKED"), "{payload}: {did:?}");
            let did = run("afterTool", payload);
            assert_eq!(did.code, 0, "{payload}: {did:?}");
            assert!(!mark.exists(), "{payload}");
        }
        assert_eq!(run("beforeTool", "{}").code, 7);
        assert!(mark.exists());
    }
}
