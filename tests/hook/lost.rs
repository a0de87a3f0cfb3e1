//! What a process may not do on this machine loses no denial: write to its standard output, write a file.
#![cfg(target_os = "linux")]

use crate::judge::{Effect, effect};
use crate::run::{Said, command, home, run};
use gitvow::hook::agent::{Agent, Event};
use gitvow::spec::builtin;
use std::path::Path;
use std::time::Duration;

const AAAA: &[u8] = br#"{"tool_name":"Bash","tool_input":{"command":"aaaa"}}"#;
const BBBB: &[u8] = br#"{"tool_name":"Bash","tool_input":{"command":"bbbb"}}"#;
const POLICY: &str = r#"{"bash_deny":[{"pattern":"aaaa","reason":"a reason"}],"bash_confirm":[{"pattern":"cccc","reason":"a reason"}]}"#;

/// The hook, started by a shell that does `before` first and sends its output to `out`.
fn shell(home: &Path, before: &str, args: &str, out: &str, payload: &[u8]) -> Said {
    let gitvow = env!("CARGO_BIN_EXE_gitvow");
    let script = format!("{before} exec '{gitvow}' hook {args} {out}");
    let mut sh = std::process::Command::new("/bin/sh");
    let like = command(home, &[]);
    sh.args(["-c", &script])
        .env_clear()
        .envs(like.get_envs().filter_map(|(k, v)| Some((k, v?))))
        .current_dir(home)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    run(sh, payload)
}

/// A full disk behind a redirection, a reader that has left: a denial in words that nobody got would be an exit with 0.
#[test]
fn a_denial_that_can_t_be_written_is_an_exit_that_blocks() {
    let home = home(Some(POLICY));
    for builtin in builtin::ALL {
        let agent = Agent::load(builtin).unwrap();
        let gates = agent.events.iter();
        for (event, _) in gates.filter(|(_, data)| data.event() == Event::PreToolUse) {
            let args = format!("--agent {} {event}", builtin.name);
            let said = shell(home.path(), "", &args, ">/dev/full", b"");
            match effect(builtin.name, event, b"{}", &said) {
                Effect::Blocks(_) => {}
                other => panic!("{args}: {other:?} {said:?}"),
            }
        }
    }
    for (payload, exit) in [(AAAA, 2), (BBBB, 0)] {
        for out in [">/dev/full", "| true"] {
            let said = shell(home.path(), "", "--agent claude PreToolUse", out, payload);
            if out.starts_with('>') {
                assert_eq!(said.exit, exit, "{said:?}");
            }
        }
    }
    let asked =
        br#"{"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"cccc"}}"#;
    let said = shell(home.path(), "", "PreToolUse", ">/dev/full", asked);
    assert_eq!(said.exit, 2, "{said:?}");
    let other = br#"{"hook_event_name":"SessionStart"}"#;
    std::fs::write(home.path().join(".gitvow/policy.json"), "{").unwrap();
    let said = shell(home.path(), "", "SessionStart", ">/dev/full", other);
    assert_eq!(said.exit, 0, "nothing is stopped there: {said:?}");
}

/// Found 2026-11-30: under `ulimit -f 0` the kernel ended the hook at its note on the policy, before it had said a word.
#[test]
fn a_limit_on_files_ends_no_hook() {
    let home = home(Some(POLICY));
    std::thread::sleep(Duration::from_millis(150));
    for limit in ["ulimit -f 0;", "ulimit -f 1;", ""] {
        for (payload, denied) in [(AAAA, true), (BBBB, false)] {
            let said = shell(home.path(), limit, "--agent claude PreToolUse", "", payload);
            assert_eq!(said.exit, 0, "{limit} {said:?}");
            assert_eq!(said.stdout.contains("a reason"), denied, "{limit} {said:?}");
        }
        let state = std::fs::read_dir(home.path().join(".gitvow")).unwrap();
        let names: Vec<_> = state.map(|e| e.unwrap().file_name()).collect();
        let known = ["policy.json", "policy-checked", "hooks.log"];
        assert!(
            names.iter().all(|n| known.iter().any(|k| n == k)),
            "{names:?}"
        );
    }
}
