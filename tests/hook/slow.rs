//! Agents give a hook a time limit and take its passing for "allow": whatever is slow, the denial comes before.

use crate::judge::{Effect, effect};
use crate::program::program;
use crate::run::{Said, command, home};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

/// One hook under way, with its stdin where it must stay open.
struct Slow {
    name: &'static str,
    child: Child,
    stdin: Option<ChildStdin>,
    begun: Instant,
}

fn begin(name: &'static str, home: &Path, args: &[&str], payload: &str, open: bool) -> Slow {
    let mut command = command(home, &[&["hook"], args].concat());
    command.env("PATH", "/usr/bin:/bin");
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(payload.as_bytes());
    Slow {
        name,
        child,
        stdin: open.then_some(stdin),
        begun,
    }
}

fn bash(cwd: &Path, line: &str) -> String {
    json!({"session_id": "s", "cwd": cwd, "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": line}})
    .to_string()
}

/// Patterns that take minutes for a line of some kilobytes: never exponential, but large.
fn heavy() -> String {
    let rule = |n: usize| json!({"pattern": format!("(?:(?:(?:a?b?){{30}}){{30}}){{9}}c{n}|z"), "reason": "slow"});
    json!({"bash_deny": (0..60).map(rule).collect::<Vec<_>>()}).to_string()
}

fn adapter(home: &Path, script: &str) {
    let agents = home.join(".gitvow/agents");
    fs::create_dir_all(&agents).unwrap();
    for dir in [home, &home.join(".gitvow"), &agents] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let file = agents.join("gitvow-agent-slow");
    program(&file, script);
}

/// The longest that any answer may take, with what a busy machine needs to start and end a process.
const BOUND: Duration = Duration::from_secs(17);

#[test]
fn whatever_is_slow_is_denied_in_time() {
    let (user, repo, provider, never, outside, twice, all) = (
        home(Some(&heavy())),
        home(None),
        home(Some(
            r#"{"providers":[{"command":["/bin/sh","-c","sleep 60"],"timeout":50}]}"#,
        )),
        home(None),
        home(None),
        home(None),
        home(Some("{}")),
    );
    let line = "ab".repeat(4000);
    let top = repo.path().join("repo");
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::create_dir_all(top.join(".gitvow")).unwrap();
    fs::write(top.join(".gitvow/policy.json"), heavy()).unwrap();
    adapter(outside.path(), "#!/bin/sh\nexec sleep 60\n");
    // Each of its calls takes 8 s: within 10 s, and both together beyond 12 s.
    adapter(
        twice.path(),
        "#!/bin/sh\ncat >/dev/null\nsleep 8\ncase $1 in normalize) echo '{\"calls\":[]}';; *) echo '{\"exit_code\":0,\"stdout\":\"late\",\"stderr\":\"\"}';; esac\n",
    );
    let cursor = json!({"conversation_id": "c", "generation_id": "g", "workspace_roots": [top], "command": line}).to_string();
    let runs = [
        begin(
            "user's policy",
            user.path(),
            &["PreToolUse"],
            &bash(user.path(), &line),
            false,
        ),
        begin(
            "repository's policy",
            repo.path(),
            &["PreToolUse"],
            &bash(&top, "git push --force"),
            false,
        ),
        begin(
            "repository's policy, another form",
            repo.path(),
            &["--agent", "cursor", "beforeShellExecution"],
            &cursor,
            false,
        ),
        begin(
            "provider",
            provider.path(),
            &["PreToolUse"],
            &bash(provider.path(), "ls"),
            false,
        ),
        begin(
            "stdin",
            never.path(),
            &["PreToolUse"],
            "{\"session_id\":",
            true,
        ),
        begin(
            "adapter",
            outside.path(),
            &["--agent", "slow", "beforeTool"],
            "{}",
            false,
        ),
        begin(
            "adapter, all calls",
            twice.path(),
            &["--agent", "slow", "beforeTool"],
            "{}",
            false,
        ),
        begin(
            "no stdin at all",
            all.path(),
            &["--agent", "gemini", "BeforeTool"],
            "",
            true,
        ),
    ];
    let waits = runs.map(|slow| {
        std::thread::spawn(move || {
            let Slow {
                name,
                child,
                stdin,
                begun,
            } = slow;
            let out = child.wait_with_output().unwrap();
            drop(stdin);
            (name, begun.elapsed(), out)
        })
    });
    for (name, took, out) in waits.map(|w| w.join().unwrap()) {
        println!("{name}: {took:?}");
        assert!(took < BOUND, "{name}: {took:?}");
        let said = Said {
            exit: out.status.code().unwrap(),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
        };
        let (agent, event) = match name {
            "repository's policy, another form" => ("cursor", "beforeShellExecution"),
            "no stdin at all" => ("gemini", "BeforeTool"),
            _ => ("claude", "PreToolUse"),
        };
        match effect(agent, event, b"{}", &said) {
            Effect::Blocks(text) => assert!(text.starts_with("BLOCKED"), "{name}: {said:?}"),
            Effect::Asks(text) if name == "provider" => {
                assert!(
                    text.contains("no answer within") || text.contains("no time"),
                    "{said:?}"
                );
            }
            other => panic!("{name}: {other:?}: {said:?}"),
        }
    }
}
