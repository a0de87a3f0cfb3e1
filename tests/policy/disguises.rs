//! The adversary of the shell reader: what the built-in policy denies in every way that a shell, a wrapper or a program
//! can be told to do it, and what only looks like that.

use crate::all_are;
use crate::forced::FORCED;
use crate::lookalikes::ALLOWED;
use crate::removals::DENIED;
use crate::wrapped::WRAPPED;

#[test]
fn forced_pushes_are_denied_in_disguise() {
    assert!(FORCED.len() >= 150);
    all_are(FORCED, "deny");
}

#[test]
fn forced_pushes_are_denied_behind_wrappers() {
    assert!(WRAPPED.len() >= 150);
    all_are(WRAPPED, "deny");
}

#[test]
fn everything_else_is_denied_in_disguise() {
    all_are(DENIED, "deny");
}

#[test]
fn look_alikes_are_allowed() {
    assert!(ALLOWED.len() >= 150);
    all_are(ALLOWED, "allow");
}

/// Lines made to keep the reader busy or to run it out of memory: each is answered soon, and none is let through that
/// might hold a forced push beyond what is read.
#[test]
fn no_line_takes_long() {
    let n = |text: &str, n: usize| text.repeat(n);
    let lines = [
        format!("{}true", n("echo a|sh|", 5_000)),
        format!("{}git push -f", n("find . -exec ", 4_000)),
        format!("{}git push -f", n("watch ", 8_000)),
        format!("{}git push -f", n("docker run ", 5_000)),
        format!("{}git push -f", n("tmux new 'a b' ", 4_000)),
        format!("{}git push -f", n("sudo ", 12_000)),
        format!("{}git push -f", n("cd a;rm -r x;", 4_000)),
        format!("{}git push -f{}", n("$(", 20_000), n(")", 20_000)),
        format!("{}git push -f", n("`echo` ", 8_000)),
        format!(
            "a=xxxxxxxx;{} git push -f",
            (0..200)
                .map(|i| format!("a{i}=$a$a$a$a;a=$a{i};"))
                .collect::<String>()
        ),
        format!(
            "{} git push -f",
            (0..5_000).map(|i| format!("v{i}=1;")).collect::<String>()
        ),
        format!("git {} push -f", n("-c alias.push='push -f' ", 2_000)),
        format!("touch {}; git push -f", n("/a/b/c/d/e/f ", 4_000)),
        format!("eval {}git push -f", n("eval ", 10_000)),
        format!("cat {}\ngit push -f", n("<<E ", 10_000)),
        format!("echo a | {} git push -f", n("xargs -I{} ", 5_000)),
        format!("{}git push -f", n("env -S ", 8_000)),
        format!("{}git push -f", n("su -c ", 8_000)),
        format!("{}git push -f", n("sh -c 'echo \"", 4_000)),
        format!("{}git push -f", n("for i in a b; do ", 3_000)),
        format!("{}git push -f", n("printf '%s%s' a b c d|sh|", 2_500)),
        format!(
            "find {}-exec rm {} \\; ; git push -f",
            n("a ", 9_000),
            n("{} ", 9_000)
        ),
    ];
    let home = crate::home(Some(
        r#"{"bash_deny":[{"program":"git","verbs":["push"],"flags":["-f"],"reason":"forced push"}]}"#,
    ));
    for line in lines {
        let begun = std::time::Instant::now();
        let payload = serde_json::json!({"session_id": "s", "cwd": "/", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}});
        let hook = crate::command(home.path(), &["hook", "PreToolUse"]);
        let said = crate::feed(hook, payload.to_string().as_bytes());
        let head: String = line.chars().take(60).collect();
        println!("{head}: {:?} {}", begun.elapsed(), said.stdout.len());
        assert!(
            begun.elapsed().as_secs() < 10,
            "{head}: {:?}",
            begun.elapsed()
        );
        let stopped = said.stdout.contains("\"deny\"") || said.stdout.contains("\"ask\"");
        assert_eq!(stopped, line.contains("git"), "{head}: {said:?}");
    }
}
