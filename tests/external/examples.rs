//! The two examples of `examples/agents`, run as they stand.

use crate::support::Scratch;
use gitvow::external::Found;
use gitvow::external::protocol::{info, normalize, respond};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const BOTH: [(&str, &str); 2] = [
    ("example", "gitvow-agent-example"),
    ("example-sh", "gitvow-agent-example-sh"),
];

/// A copy in the scratch `bin/`: a checkout may lie below a directory that others may write.
fn copy(s: &Scratch, file: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/agents")
        .join(file);
    let to = s.path("bin").join(file);
    fs_err::copy(from, &to).unwrap();
    to
}

fn each(f: impl Fn(&Scratch, &str, &Path)) {
    for (name, file) in BOTH {
        let s = Scratch::new();
        let path = copy(&s, file);
        f(&s, name, &path);
    }
}

#[test]
fn info_says_what_the_seed_asks_for() {
    each(|s, name, path| {
        let found: Found = s.find(name).unwrap();
        assert_eq!(found.path, path);
        let spec = s.with(|sys| info(sys, &s.state(), &found)).unwrap();
        assert_eq!(spec.events, ["beforeTool", "afterTool"]);
        let install = spec.install.unwrap();
        assert_eq!(install.root, ["hooks"]);
        assert_eq!(install.version_key.as_deref(), Some("version"));
        assert_eq!(
            install.user_file,
            Some(format!(
                ".{}/hooks.json",
                if name == "example" {
                    "example-agent"
                } else {
                    name
                }
            ))
        );
    });
}

#[test]
fn payloads_become_calls() {
    each(|s, name, path| {
        let calls = |event: &str, payload: Value| {
            s.call(path, 10_000, |sys, call| {
                normalize(sys, call, event, &payload)
            })
            .unwrap()
            .into_iter()
            .map(|c| (c.event, Value::Object(c.payload)))
            .collect::<Vec<_>>()
        };
        let hard = "git push --force \"a b\" \\ ü 日本 \u{1} {[,:]} 'x'\n$HOME";
        assert_eq!(
            calls(
                "beforeTool",
                json!({"sid": "s1", "dir": "/w", "tool": "sh", "args": {"cmd": hard}})
            ),
            [(
                "PreToolUse".to_owned(),
                json!({
                "session_id": "s1", "cwd": "/w", "tool_name": "Bash", "tool_input": {"command": hard},
                "hook_event_name": "PreToolUse"})
            )],
            "{name}"
        );
        assert_eq!(
            calls(
                "afterTool",
                json!({"sid": "s", "tool": "edit", "args": {"path": "f", "before": "a\"", "after": "b"}})
            ),
            [(
                "PostToolUse".to_owned(),
                json!({
                "session_id": "s", "tool_name": "Edit",
                "tool_input": {"file_path": "f", "old_string": "a\"", "new_string": "b"},
                "hook_event_name": "PostToolUse"})
            )],
            "{name}"
        );
        // A key of that name deeper down, and one inside a string, are not the one that is meant.
        let odd = json!({"x": {"tool": "edit", "args": {"cmd": "no"}}, "tool": "sh",
                         "args": {"y": [{"cmd": "no"}], "cmd": "\"cmd\":\"no\""}});
        let call = calls("beforeTool", odd).remove(0).1;
        assert_eq!(call["tool_name"], "Bash", "{name}");
        assert_eq!(call["tool_input"]["command"], "\"cmd\":\"no\"", "{name}");
        assert_eq!(calls("somethingElse", json!({})), [], "{name}");
    });
}

#[test]
fn an_unusable_payload_is_a_failure() {
    each(|s, name, path| {
        let e = s
            .call(path, 10_000, |sys, call| {
                normalize(sys, call, "beforeTool", &json!({"sid": "s"}))
            })
            .unwrap_err();
        assert!(
            e.message.contains("`normalize` exited with 1"),
            "{name}: {e}"
        );
    });
}

#[test]
fn decisions_become_answers() {
    each(|s, name, path| {
        let verdict = |code: u8, message: &str| {
            let reply = s
                .call(path, 10_000, |sys, call| respond(sys, call, code, message))
                .unwrap();
            assert_eq!((reply.exit_code, reply.stderr.as_str()), (0, ""), "{name}");
            let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
            assert_eq!(answer["why"], message, "{name}");
            answer["verdict"].as_str().unwrap().to_owned()
        };
        assert_eq!(verdict(0, ""), "allow");
        assert_eq!(
            verdict(2, "BLOCKED: \"quoted\" \\ back\nnew ü \u{7} %s"),
            "deny"
        );
        assert_eq!(verdict(2, "sure about `git reset --hard`?"), "ask");
    });
}

#[test]
fn a_wrong_subcommand_fails_with_its_usage() {
    each(|s, _, path| {
        let out = s.with(|sys| {
            sys.runner
                .run(&gitvow::sys::Child {
                    program: path.to_owned(),
                    args: vec!["dance".into()],
                    env: vec![],
                    cwd: "/".into(),
                    stdin: b"",
                    limit: std::time::Duration::from_secs(10),
                    stdout_cap: 1000,
                })
                .unwrap()
        });
        assert_eq!(out.code, Some(1));
        assert!(String::from_utf8_lossy(&out.stderr).starts_with("usage: "));
    });
}
