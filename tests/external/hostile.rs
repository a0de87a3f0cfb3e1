//! Adapters that misbehave can be refused and nothing else. Each with its message.

use crate::support::{Scratch, fails, says};
use gitvow::error::Result;
use gitvow::external::protocol::{Normalized, normalize, respond};
use gitvow::external::{Conversation, Reply};
use serde_json::json;
use std::time::{Duration, Instant};

/// What `normalize` makes of an adapter with that body, within `limit_ms`.
fn calls(body: &str, limit_ms: u64) -> Result<Vec<Normalized>> {
    let s = Scratch::new();
    let path = s.adapter("x", body);
    s.call(&path, limit_ms, |sys, call| {
        normalize(sys, call, "beforeTool", &json!({"tool": "sh"}))
    })
}

fn reply(code: u8, body: &str) -> Result<Reply> {
    let s = Scratch::new();
    let path = s.adapter("x", body);
    s.call(&path, 10_000, |sys, call| {
        respond(sys, call, code, "BLOCKED: no")
    })
}

#[test]
fn slow() {
    let start = Instant::now();
    fails(
        calls("echo waiting for the moon >&2; sleep 30", 300),
        "`normalize` gave no answer within 0.3 s: waiting for the moon",
    );
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_conversation_ends_with_its_budget() {
    let s = Scratch::new();
    s.adapter(
        "x",
        "case $1 in normalize) sleep 1; echo '{\"calls\":[]}';; *) sleep 30;; esac",
    );
    let start = Instant::now();
    s.with(|sys| {
        let state = s.state();
        let ready = gitvow::external::ready(sys, &state, "x").unwrap();
        let total = Duration::from_millis(1500);
        let talk = Conversation::begin(sys, &ready, &state, &s.path("work"), total);
        assert_eq!(talk.normalize("e", &json!({})).unwrap(), []);
        fails(talk.respond(0, ""), "`respond` gave no answer within 0.");
        fails(talk.respond(0, ""), "no time is left for `respond`");
    });
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn silent() {
    fails(calls("exit 0", 10_000), "`normalize` printed nothing");
    fails(
        calls("echo; echo oh no >&2", 10_000),
        "`normalize` printed nothing: oh no",
    );
    fails(reply(0, "exit 0"), "`respond` printed nothing");
}

#[test]
fn failing() {
    let e = fails(
        calls(
            "echo '{\"calls\":[]}'; printf 'bad\\nluck\\033[2J' >&2; exit 7",
            10_000,
        ),
        "`normalize` exited with 7: bad\\nluck\\x1b[2J",
    );
    assert!(e.help.is_some() && e.place.is_some());
    fails(
        calls("kill -9 $$", 10_000),
        "`normalize` was ended by a signal",
    );
}

#[test]
fn no_interpreter() {
    let s = Scratch::new();
    let path = s.path("bin/gitvow-agent-x");
    fs_err::write(&path, "#!/no/such/interpreter\n").unwrap();
    crate::support::chmod(&path, 0o755);
    let result = s.call(&path, 5000, |sys, call| {
        normalize(sys, call, "e", &json!({}))
    });
    fails(result, "`normalize` can't be run");
}

#[test]
fn endless_output() {
    let start = Instant::now();
    fails(
        calls("exec yes", 10_000),
        "`normalize` printed more than 10 MiB",
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn endless_talk_on_stderr_is_cut() {
    let e = fails(
        calls("exec yes noise >&2", 300),
        "`normalize` gave no answer",
    );
    assert!(e.message.chars().count() < 1000);
}

#[test]
fn forks_that_keep_the_pipe_open() {
    let start = Instant::now();
    let calls = calls("sleep 60 & sleep 61 & echo '{\"calls\":[]}'", 10_000).unwrap();
    assert_eq!(calls, []);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn it_reads_nothing() {
    let s = Scratch::new();
    let path = s.adapter("x", "echo '{\"calls\":[]}'");
    let big = json!({"text": "x".repeat(1 << 20)});
    let result = s.call(&path, 10_000, |sys, call| normalize(sys, call, "e", &big));
    assert_eq!(result.unwrap(), []);
}

#[test]
fn not_utf8_not_json_not_one_document_not_an_object() {
    fails(
        calls("printf '{\"calls\":[\"\\377\"]}'", 10_000),
        "not UTF-8, at byte 11",
    );
    fails(calls("echo hello", 10_000), "not one JSON document");
    fails(
        calls("echo '{\"calls\":[]} {}'", 10_000),
        "not one JSON document",
    );
    fails(
        calls("echo '{\"calls\":[]'", 10_000),
        "not one JSON document",
    );
    fails(
        calls("printf '\\357\\273\\277{\"calls\":[]}'", 10_000),
        "not one JSON document",
    );
    fails(
        calls("echo '[]'", 10_000),
        "printed a list, not a JSON object",
    );
    fails(
        calls("echo 7", 10_000),
        "printed a number, not a JSON object",
    );
    let deep = format!("echo '{}'", "[".repeat(5000));
    fails(calls(&deep, 10_000), "not one JSON document");
    fails(
        calls("printf '\\033]0;title\\007'", 10_000),
        "\\x1b]0;title\\x07",
    );
}

#[test]
fn wrong_types_in_normalize() {
    for (said, part) in [
        ("{}", "`calls` is missing; it may be empty"),
        (r#"{"calls":null}"#, "`calls` must be a list, not null"),
        (r#"{"calls":{}}"#, "`calls` must be a list, not an object"),
        (
            r#"{"calls":[7]}"#,
            "`calls[0]` must be an object, not a number",
        ),
        (
            r#"{"calls":[{"payload":{}}]}"#,
            "`calls[0].event` is missing",
        ),
        (
            r#"{"calls":[{"event":1,"payload":{}}]}"#,
            "`calls[0].event` must be text, not a number",
        ),
        (
            r#"{"calls":[{"event":"beforeTool","payload":{}}]}"#,
            "`calls[0].event` is `beforeTool`, none of SessionStart",
        ),
        (
            r#"{"calls":[{"event":"\u001b[2J","payload":{}}]}"#,
            "is `\\x1b[2J`",
        ),
        (
            r#"{"calls":[{"event":"Stop"}]}"#,
            "`calls[0].payload` is missing",
        ),
        (
            r#"{"calls":[{"event":"Stop","payload":{}},{"event":"Stop","payload":"x"}]}"#,
            "`calls[1].payload` must be an object, not text",
        ),
    ] {
        fails(calls(&says(said), 10_000), part);
    }
    let many =
        r#"printf '{"calls":['; yes '{"event":"Stop","payload":{}},' | head -n 10000; echo '{}]}'"#;
    fails(calls(many, 10_000), "`calls` has 10001 items");
}

#[test]
fn good_answers_of_normalize() {
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "Subagent",
    ] {
        let said = format!(
            r#"{{"calls":[{{"event":"{event}","payload":{{"hook_event_name":"lie","k":1}},"more":1}}],"more":2}}"#
        );
        let got = calls(&says(&said), 10_000).unwrap();
        assert_eq!(got.len(), 1);
        assert_eq!(got[0].event, event);
        assert_eq!(got[0].payload["hook_event_name"], event);
        assert_eq!(got[0].payload["k"], 1);
    }
}

#[test]
fn wrong_types_in_respond() {
    for code in [
        "256",
        "-1",
        "1.5",
        "2.0",
        "\"2\"",
        "null",
        "true",
        "[]",
        "1e1",
        "18446744073709551618",
    ] {
        fails(
            reply(2, &says(&format!("{{\"exit_code\":{code}}}"))),
            "`exit_code` must be a whole number from 0 to 255, not ",
        );
    }
    fails(
        reply(2, &says(r#"{"exit_code":2,"stdout":1}"#)),
        "`stdout` must be text, not a number",
    );
    fails(
        reply(2, &says(r#"{"exit_code":2,"stderr":null}"#)),
        "`stderr` must be text, not null",
    );
}

#[test]
fn good_answers_of_respond() {
    let full = reply(
        2,
        &says(r#"{"exit_code":255,"stdout":"a\u001b\n","stderr":"b","more":1}"#),
    );
    let raw = Reply {
        exit_code: 255,
        stdout: "a\u{1b}\n".into(),
        stderr: "b".into(),
    };
    assert_eq!(
        full.unwrap(),
        raw,
        "what is for the agent passes as it stands"
    );
    for code in [0, 2] {
        let bare = Reply {
            exit_code: code,
            stdout: String::new(),
            stderr: String::new(),
        };
        assert_eq!(
            reply(code, "echo '{}'").unwrap(),
            bare,
            "as in the Python gitvow 0.42.0"
        );
    }
}

#[test]
fn the_environment_is_what_the_documentation_says() {
    let mut s = Scratch::new();
    s.vars.insert("PATH".into(), "rel:/usr/bin:.:/bin".into());
    s.vars.insert("SECRET_TOKEN".into(), "hunter2".into());
    s.vars.insert("LANG".into(), "C.UTF-8".into());
    let dump = s.path("dump");
    let path = s.adapter(
        "x",
        &format!("env > {}; pwd >> {0}; echo '{{}}'", dump.display()),
    );
    s.call(&path, 10_000, |sys, call| respond(sys, call, 0, ""))
        .unwrap();
    let mut lines: Vec<String> = fs_err::read_to_string(&dump)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.retain(|l| !l.starts_with("_=") && !l.starts_with("OLDPWD=") && !l.starts_with("SHLVL="));
    lines.sort();
    let work = s.path("work");
    let mut wanted = vec![
        format!("GITVOW_HOME={}", s.state().display()),
        format!("HOME={}", s.path("home").display()),
        "LANG=C.UTF-8".to_owned(),
        "PATH=/usr/bin:/bin".to_owned(),
        format!("PWD={}", work.display()),
        work.display().to_string(),
    ];
    wanted.sort();
    assert_eq!(lines, wanted);
}
