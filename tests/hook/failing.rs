//! Spec 4.3, item by item: before a tool whatever goes wrong is a denial, and it comes at once.

use crate::judge::{Effect, effect};
use crate::run::{Said, command, home, hook, run};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LS: &[u8] = br#"{"session_id":"s","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
const FORCE: &[u8] = br#"{"session_id":"s","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force"}}"#;

fn blocks(agent: &str, said: &Said, reason: &str) {
    match effect(agent, "PreToolUse", b"{}", said) {
        Effect::Blocks(text) => {
            assert!(
                text.starts_with("BLOCKED") && text.contains(reason),
                "{said:?}"
            );
        }
        other => panic!("{other:?}: {said:?}"),
    }
}

fn silent(said: &Said) {
    assert_eq!(
        (said.exit, said.stdout.as_str(), said.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn payloads_that_cannot_be_judged_are_denied() {
    let deep = format!("{{\"tool_input\":{}", "[".repeat(5000));
    let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20));
    for (payload, reason) in [
        ("", "no payload"),
        ("   \n", "no payload"),
        ("not json", "not valid JSON"),
        ("{\"a\":", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ("null", "not a JSON object"),
        (" true\n", "not a JSON object"),
        ("false", "not a JSON object"),
        ("42", "not a JSON object"),
        ("-0.5e3", "not a JSON object"),
        ("\"x\"", "not a JSON object"),
        ("[{\"tool_name\":\"Bash\"}]", "not a JSON object"),
        ("nul", "not valid JSON"),
        ("undefined", "not valid JSON"),
        (&deep, "nested deeper"),
        (&huge, "larger than 16 MiB"),
        ("{}", "names no tool"),
        (r#"{"tool_name":"Bash"}"#, "no command"),
        (
            r#"{"tool_name":"Bash","tool_input":{"command":7}}"#,
            "no command",
        ),
        (r#"{"tool_name":"Edit","tool_input":{}}"#, "names no file"),
        (r#"{"tool_name":7}"#, "names no tool"),
    ] {
        for agent in ["claude", "gemini", "grok"] {
            let event = if agent == "gemini" {
                "BeforeTool"
            } else {
                "PreToolUse"
            };
            blocks(
                agent,
                &hook(&["--agent", agent, event], payload.as_bytes(), None),
                reason,
            );
        }
        // On other events the agent goes on.
        silent(&hook(
            &["--agent", "claude", "PostToolUse"],
            payload.as_bytes(),
            None,
        ));
    }
}

#[test]
fn a_missing_directory_is_no_fault() {
    let payload =
        br#"{"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    silent(&hook(&["PreToolUse"], payload, None));
    let payload = br#"{"cwd":"/no/such/dir","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    silent(&hook(&["PreToolUse"], payload, None));
}

#[test]
fn unknown_names_and_wrong_arguments_are_denied_before_a_tool_only() {
    for args in [
        &["--agent", "nobody", "PreToolUse"][..],
        &["--agent", "entire:nobody", "beforeTool"],
        &["--agent", "claude", "beforeShellExecution"],
        &["--agent", "claude", "PRE_command"],
        &["--agent", "claude", "--frob", "PreToolUse"],
        &["--agent", "claude", "PreToolUse", "again"],
        &["--agent", "claude"],
        &["--agent"],
        &[],
    ] {
        let said = hook(args, LS, None);
        assert!(
            said.stdout.contains("BLOCKED")
                || (said.exit == 2 && said.stderr.starts_with("BLOCKED")),
            "{args:?}: {said:?}"
        );
    }
    for args in [
        &["--agent", "nobody", "SessionStart"][..],
        &["--agent", "claude", "--frob", "SessionStart"],
        &["--agent", "claude", "PermissionRequest"],
        &["--agent", "claude", "SomethingNew"],
        &["--agent", "cursor", "afterAgentThought"],
    ] {
        let said = hook(args, br#"{"session_id":"s"}"#, None);
        silent(&said);
    }
    // An unknown agent blocks everywhere: exit 2.
    let said = hook(&["--agent", "nobody", "PreToolUse"], LS, None);
    assert_eq!((said.exit, said.stdout.as_str()), (2, ""));
    assert!(
        said.stderr.starts_with("BLOCKED") && said.stderr.contains("nobody"),
        "{said:?}"
    );
}

#[test]
fn a_policy_that_cannot_be_used_denies_and_is_quoted() {
    for (policy, reason) in [
        ("[]", "not a JSON object"),
        ("", "not valid JSON"),
        (r#"{"bash_deny":[{"pattern":"a(?!b)"}]}"#, "`a(?!b)`"),
        (r#"{"mcp_allow":["["]}"#, "`[`"),
        (r#"{"bash_deny":{}}"#, "must be a list"),
    ] {
        blocks("claude", &hook(&["PreToolUse"], LS, Some(policy)), reason);
        silent(&hook(&["Stop"], br#"{"session_id":"s"}"#, Some(policy)));
        // The session's start says so, where the agent has a way to be told.
        let said = hook(&["SessionStart"], br#"{"session_id":"s"}"#, Some(policy));
        assert!(
            said.exit == 0 && said.stdout.contains("additionalContext"),
            "{said:?}"
        );
    }
    let home = home(None);
    fs::create_dir_all(home.path().join(".gitvow/policy.json")).unwrap();
    let said = run(command(home.path(), &["hook", "PreToolUse"]), LS);
    blocks("claude", &said, "policy.json");
}

#[test]
fn an_open_stdin_is_answered_at_once() {
    for (payload, reason) in [
        (FORCE, "forced push"),
        (&b"{nonsense"[..], "not valid JSON"),
        (b"[", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"nulx", "not valid JSON"),
    ] {
        let home = home(None);
        let begun = Instant::now();
        let mut child = command(home.path(), &["hook", "PreToolUse"])
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload).unwrap();
        let mut stdout = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut stdout)
            .unwrap();
        assert!(
            stdout.contains("BLOCKED") && stdout.contains(reason),
            "{stdout}"
        );
        assert!(child.wait().unwrap().success());
        // Far below the time that is waited for a payload (10 s), on a busy machine too.
        assert!(begun.elapsed() < Duration::from_secs(8));
        drop(stdin);
    }
}

#[test]
fn a_caller_that_writes_on_meets_no_closed_pipe() {
    let home = home(None);
    let mut child = command(home.path(), &["hook", "PreToolUse"])
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(FORCE).unwrap();
    stdin.write_all(b"\n").unwrap();
    drop(stdin);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn a_closed_stdin_is_denied() {
    let home = home(None);
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "exec \"$0\" hook PreToolUse <&-",
            env!("CARGO_BIN_EXE_gitvow"),
        ])
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    blocks("claude", &run(command, b""), "payload");
}

#[test]
fn who_really_calls_is_answered_in_its_form() {
    let grok = br#"{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","sessionId":"s","session_id":"s","toolName":"run_terminal_command","tool_name":"run_terminal_command","toolInput":{"command":"git push -f"},"tool_input":{"command":"git push -f"},"cwd":"/"}"#;
    blocks(
        "grok",
        &hook(&["--agent", "claude", "PreToolUse"], grok, None),
        "forced push",
    );
    let ask = String::from_utf8_lossy(grok).replace("push -f", "reset --hard");
    blocks(
        "grok",
        &hook(&["--agent", "claude", "PreToolUse"], ask.as_bytes(), None),
        "uncommitted",
    );
    let cursor = br#"{"cursor_version":"1","conversation_id":"c","workspace_roots":["/"],"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"git reset --hard"}}"#;
    // Through Claude's file no specific event of ours asks: it is a denial.
    blocks(
        "cursor",
        &hook(&["--agent", "claude", "PreToolUse"], cursor, None),
        "uncommitted",
    );
    let copilot = br#"{"sessionId":"s","timestamp":1,"cwd":"/","toolName":"bash","toolArgs":"{\"command\":\"git push --force\"}"}"#;
    blocks(
        "copilot",
        &hook(&["--agent", "claude", "PreToolUse"], copilot, None),
        "forced push",
    );
    let vscode = br#"{"sessionId":"s","hookEventName":"PreToolUse","tool_name":"run_in_terminal","tool_input":{"command":"git push -f"},"cwd":"/"}"#;
    let said = hook(&["--agent", "claude", "PreToolUse"], vscode, None);
    assert!(
        said.stdout.contains("\"permissionDecision\":\"deny\"")
            && said.stdout.contains("hookSpecificOutput"),
        "{said:?}"
    );
    // The entry's event names no tool, the payload's does.
    blocks(
        "claude",
        &hook(&["--agent", "claude", "PostToolUse"], FORCE, None),
        "forced push",
    );
}

#[test]
fn an_environment_that_disagrees_gets_the_denial_that_all_obey() {
    let home = home(None);
    let mut nested = command(home.path(), &["hook", "PreToolUse"]);
    nested.env("GROK_HOOK_EVENT", "pre_tool_use");
    let said = run(nested, FORCE);
    assert_eq!((said.exit, said.stdout.as_str()), (2, ""));
    assert!(said.stderr.starts_with("BLOCKED by policy"), "{said:?}");
    let mut own = command(home.path(), &["hook", "PreToolUse"]);
    own.env("CLAUDECODE", "1");
    blocks("claude", &run(own, FORCE), "forced push");
    let mut calm = command(home.path(), &["hook", "PreToolUse"]);
    calm.env("GROK_HOOK_EVENT", "pre_tool_use");
    silent(&run(calm, LS));
}

#[test]
fn a_hanging_provider_is_cut_and_asks() {
    let home = home(Some(
        r#"{"providers":[{"command":["/bin/sh","-c","sleep 60"],"timeout":0.3}]}"#,
    ));
    let begun = Instant::now();
    let said = run(command(home.path(), &["hook", "PreToolUse"]), LS);
    assert!(
        said.stdout.contains("\"ask\"") && said.stdout.contains("no answer within"),
        "{said:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn lines_are_logged_in_the_repository_or_the_state_home() {
    let home = home(None);
    let repo = home.path().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join("sub")).unwrap();
    let payload = format!(
        r#"{{"session_id":"s1","cwd":"{}","permission_mode":"default","tool_name":"Bash","tool_input":{{"command":"git push -f https://me:pw@host/x"}}}}"#,
        repo.join("sub").display()
    );
    run(
        command(home.path(), &["hook", "PreToolUse"]),
        payload.as_bytes(),
    );
    let text = fs::read_to_string(repo.join(".git/gitvow-hooks.log")).unwrap();
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["kind"], "blocked");
    assert_eq!(
        (&line["agent"], &line["event"], &line["tool"]),
        (&"claude".into(), &"PreToolUse".into(), &"Bash".into())
    );
    assert_eq!(line["detail"], "git push -f https://[redacted]@host/x");
    assert!(line["ts"].as_str().unwrap().ends_with('Z'));
    run(command(home.path(), &["hook", "PreToolUse"]), b"{");
    let text = fs::read_to_string(home.path().join(".gitvow/hooks.log")).unwrap();
    assert!(text.contains("payload_failed"), "{text}");
    // A log that is a link, or too large, changes no verdict.
    let log = repo.join(".git/gitvow-hooks.log");
    fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink(home.path().join("elsewhere"), &log).unwrap();
    blocks(
        "claude",
        &run(
            command(home.path(), &["hook", "PreToolUse"]),
            payload.as_bytes(),
        ),
        "forced push",
    );
    assert!(!home.path().join("elsewhere").exists());
    fs::remove_file(&log).unwrap();
    fs::File::create(&log).unwrap().set_len(11 << 20).unwrap();
    run(
        command(home.path(), &["hook", "PreToolUse"]),
        payload.as_bytes(),
    );
    assert!(fs::metadata(&log).unwrap().len() < 4096);
    let names = fs::read_dir(repo.join(".git")).unwrap().count();
    assert_eq!(names, 2, "the old log is kept beside the new one");
}

/// An environment in which asking for one thing panics.
struct Panics<'a> {
    home: &'a std::path::Path,
    at: &'a str,
}

impl gitvow::sys::Env for Panics<'_> {
    fn var(&self, _: &str) -> Option<String> {
        None
    }
    fn home(&self) -> Option<std::path::PathBuf> {
        assert!(self.at != "judging" || std::env::var_os("GITVOW_TEST_HOME").is_none());
        Some(self.home.to_owned())
    }
    fn cwd(&self) -> std::io::Result<std::path::PathBuf> {
        Ok(self.home.to_owned())
    }
    fn exe(&self) -> std::io::Result<std::path::PathBuf> {
        Ok(self.home.join(".gitvow/bin/gitvow"))
    }
    fn uid(&self) -> u32 {
        assert!(self.at != "logging");
        0
    }
    fn is_terminal(&self, _: u8) -> bool {
        false
    }
}

/// Not a test by itself: [`a_panic_answers_in_the_agents_form`] runs it in a process of its own.
#[test]
#[ignore = "a child of another test"]
fn child_that_panics() {
    let home = std::env::var_os("GITVOW_TEST_HOME").unwrap();
    let at = std::env::var("GITVOW_TEST_AT").unwrap();
    let env = Panics {
        home: std::path::Path::new(&home),
        at: &at,
    };
    let sys = gitvow::sys::Sys {
        disk: &gitvow::sys::real::RealDisk,
        env: &env,
        runner: &gitvow::sys::real::RealRunner,
        clock: &gitvow::sys::real::RealClock,
    };
    gitvow::sys::lastword::on_panic();
    let args = ["--agent", "claude", "PreToolUse"].map(std::ffi::OsString::from);
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let exit = gitvow::hook::run(&args, &mut &FORCE[..], &mut out, &mut err, &sys);
    std::process::exit(i32::from(exit) + 40);
}

#[test]
fn a_panic_answers_in_the_agents_form() {
    for (at, expected) in [("judging", "could not finish"), ("logging", "forced push")] {
        let home = home(Some(
            r#"{"bash_deny":[{"program":"git","verbs":["push"],"reason":"forced push"}]}"#,
        ));
        fs::write(home.path().join(".gitvow/hooks.log"), "").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args([
                "--exact",
                "failing::child_that_panics",
                "--ignored",
                "--nocapture",
            ])
            .env("GITVOW_TEST_HOME", home.path())
            .env("GITVOW_TEST_AT", at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let said = run(child, b"");
        assert_eq!(said.exit, 0, "{said:?}");
        let answers: Vec<_> = said.stdout.lines().filter(|l| l.starts_with('{')).collect();
        assert_eq!(answers.len(), 1, "{said:?}");
        let said = Said {
            stdout: answers[0].to_owned(),
            ..said
        };
        blocks("claude", &said, expected);
    }
}
