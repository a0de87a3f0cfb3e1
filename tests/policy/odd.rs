//! Policy files that are odd: what can't be meant denies every call and says where, in `check` and in the hook; what is
//! only unusual is read.

use crate::run::{command, home, run};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// `check --json` of a line; the same must come of the hook.
fn said(home: &Path, line: &str) -> (String, String) {
    let check = run(command(home, &["check", "--json", "--", line]), b"");
    let value: Value =
        serde_json::from_str(&check.stdout).unwrap_or_else(|e| panic!("{e}: {check:?}"));
    let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    assert_eq!(keys, ["reason", "rule", "schema", "verdict"]);
    assert_eq!(value["schema"], 1);
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let payload = json!({"session_id": "s", "cwd": home, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}});
    let hook = run(
        command(home, &["hook", "PreToolUse"]),
        payload.to_string().as_bytes(),
    );
    let verdict = text("verdict");
    let hooked = match hook.stdout.as_str() {
        "" => "allow",
        s if s.contains("\"deny\"") => "deny",
        _ => "ask",
    };
    assert_eq!(hooked, verdict, "{line}: {hook:?}");
    assert_eq!(check.exit, i32::from(verdict != "allow"));
    (verdict, text("reason"))
}

fn of(policy: &[u8], line: &str) -> (String, String) {
    let home = home(None);
    fs::create_dir(home.path().join(".gitvow")).unwrap();
    fs::write(home.path().join(".gitvow/policy.json"), policy).unwrap();
    said(home.path(), line)
}

#[test]
fn what_cannot_be_meant_denies_every_call_and_says_where() {
    let deep = format!("{{\"bash_deny\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for (policy, place) in [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("null", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("\"x\"", "not a JSON object"),
        ("{} x", "not valid JSON"),
        ("// c\n{}", "not valid JSON"),
        ("{/* c */}", "not valid JSON"),
        (r#"{"bash_deny":[],}"#, "not valid JSON"),
        (r#"{'bash_deny':[]}"#, "not valid JSON"),
        (&deep, "not valid JSON"),
        (
            r#"{"bash_deny":null}"#,
            "`bash_deny` must be a list, not null",
        ),
        (
            r#"{"bash_deny":"rm"}"#,
            "`bash_deny` must be a list, not a string",
        ),
        (
            r#"{"path_confirm":{"pattern":"x"}}"#,
            "`path_confirm` must be a list",
        ),
        (
            r#"{"bash_deny":["rm"]}"#,
            "`bash_deny[0]` must be an object",
        ),
        (
            r#"{"bash_deny":[{}]}"#,
            "`bash_deny[0]` needs a `pattern` or a `program`",
        ),
        (
            r#"{"bash_deny":[{"pattern":7}]}"#,
            "`bash_deny[0].pattern` must be a string",
        ),
        (
            r#"{"bash_deny":[{"pattern":"x","reason":null}]}"#,
            "`bash_deny[0].reason` must be a string",
        ),
        (
            r#"{"bash_deny":[{"program":true}]}"#,
            "`bash_deny[0].program` must be a list",
        ),
        (
            r#"{"bash_deny":[{"program":[1]}]}"#,
            "`bash_deny[0].program` must hold strings",
        ),
        (
            r#"{"bash_deny":[{"program":[]}]}"#,
            "needs a `pattern` or a `program`",
        ),
        (
            r#"{"bash_deny":[{"program":"git"},{"program":[""]}]}"#,
            "`bash_deny[1].program` is empty",
        ),
        (
            r#"{"bash_deny":[{"program":"git","verbs":{}}]}"#,
            "`bash_deny[0].verbs` must be a list",
        ),
        (
            r#"{"bash_confirm":[{"program":"x","when":"Immediate"}]}"#,
            "`bash_confirm[0].when` is unknown: `Immediate`",
        ),
        (
            r#"{"path_deny":[{"program":"x"}]}"#,
            "`path_deny[0]` needs a `pattern`",
        ),
        (r#"{"mcp_deny":"x"}"#, "`mcp_deny` must be a list"),
        (r#"{"mcp_allow":[null]}"#, "`mcp_allow` must hold strings"),
        (r#"{"providers":{}}"#, "`providers` must be a list"),
        (
            r#"{"providers":[{"command":"/bin/x"}]}"#,
            "`providers[0].command` must be a list",
        ),
        (r#"{"providers":[{"command":["x"]}]}"#, "absolute path"),
        (
            r#"{"providers":[{"command":["/x"],"timeout":0}]}"#,
            "`providers[0].timeout`",
        ),
        // Of two one would be dropped without a word.
        (
            r#"{"bash_deny":[{"pattern":"x"}],"bash_deny":[]}"#,
            "`bash_deny` stands twice",
        ),
        (
            r#"{"mcp_allow":[],"mcp_allow":["x"]}"#,
            "`mcp_allow` stands twice",
        ),
        (
            r#"{"bash_deny":[{"pattern":"x","pattern":"y"}]}"#,
            "`bash_deny[0].pattern` stands twice",
        ),
        (
            r#"{"providers":[{"command":["/x"],"command":["/y"]}]}"#,
            "`providers[0].command` stands twice",
        ),
        // Patterns, quoted.
        (
            r#"{"bash_deny":[{"pattern":"(?=a)b"}]}"#,
            "bash_deny[0]: the pattern `(?=a)b`",
        ),
        (r#"{"bash_deny":[{"pattern":"(?!a)b"}]}"#, "`(?!a)b`"),
        (r#"{"bash_deny":[{"pattern":"(?<=a)b"}]}"#, "`(?<=a)b`"),
        (r#"{"bash_deny":[{"pattern":"(?<!a)b"}]}"#, "`(?<!a)b`"),
        (r#"{"bash_deny":[{"pattern":"(a)\\1"}]}"#, r"`(a)\1`"),
        (
            r#"{"bash_deny":[{"pattern":"(?P<n>a)(?P=n)"}]}"#,
            "`(?P<n>a)(?P=n)`",
        ),
        (r#"{"bash_deny":[{"pattern":"(?(1)a|b)"}]}"#, "`(?(1)a|b)`"),
        (r#"{"bash_deny":[{"pattern":"(?>a)"}]}"#, "`(?>a)`"),
        (r#"{"bash_deny":[{"pattern":"a(?#c)"}]}"#, "`a(?#c)`"),
        (r#"{"bash_deny":[{"pattern":"\\p{L}"}]}"#, r"`\p{L}`"),
        (r#"{"bash_deny":[{"pattern":"(?i)É"}]}"#, "`(?i)É`"),
        (r#"{"bash_deny":[{"pattern":"\\bé"}]}"#, r"`\bé`"),
        (r#"{"bash_deny":[{"pattern":"(a"}]}"#, "`(a`"),
        (r#"{"bash_deny":[{"pattern":"a)"}]}"#, "`a)`"),
        (r#"{"bash_deny":[{"pattern":"[a"}]}"#, "`[a`"),
        (r#"{"bash_deny":[{"pattern":"*a"}]}"#, "`*a`"),
        (r#"{"bash_deny":[{"pattern":"a{2,1}"}]}"#, "`a{2,1}`"),
        (
            r#"{"bash_deny":[{"pattern":"(a{1000}){1000}"}]}"#,
            "size limit",
        ),
        (
            r#"{"bash_deny":[{"program":"x","operands":["("]}]}"#,
            "bash_deny[0]: the pattern `(`",
        ),
        (
            r#"{"bash_deny":[{"program":"x","line":"("}]}"#,
            "bash_deny[0]: the pattern `(`",
        ),
        (
            r#"{"path_confirm":[{"pattern":"x"},{"pattern":"["}]}"#,
            "path_confirm[1]: the pattern `[`",
        ),
        (r#"{"mcp_deny":["a","("]}"#, "mcp_deny[1]: the pattern `(`"),
    ] {
        let (verdict, reason) = of(policy.as_bytes(), "ls");
        assert_eq!(verdict, "deny", "{policy}");
        assert!(
            reason.contains(place) && reason.contains("policy.json"),
            "{policy}: {reason}"
        );
    }
    for bytes in [
        &b"\xff\xfe{\x00"[..],
        b"{\"a\":\"\xff\"}",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
    ] {
        assert_eq!(of(bytes, "ls").0, "deny", "{bytes:?}");
    }
}

#[test]
fn what_is_only_unusual_is_read() {
    let rules = |pattern: &str| json!({"bash_deny": [{"pattern": pattern}]}).to_string();
    let bom = "\u{feff}{\"bash_deny\":[{\"pattern\":\"push\"}]}\r\n\r\n";
    let large = format!(
        "{{\"_comment\":\"{}\",\"bash_deny\":[{}{{\"pattern\":\"push\"}}]}}",
        "x".repeat(1 << 20),
        "{\"pattern\":\"never [a-z]+ such\"},".repeat(20_000)
    );
    for (policy, line, expected) in [
        (bom, "git push", "deny"),
        (&large, "git push", "deny"),
        (&large, "ls", "allow"),
        (
            r#"{"unknown":1,"unknown":2,"_a":1,"$schema":"x","bash_deny":[{"pattern":"push","target":"x","note":{}}]}"#,
            "git push",
            "deny",
        ),
        (
            r#"{"bash_deny":[{"pattern":"push","program":"git"}]}"#,
            "x push",
            "deny",
        ),
        (r#"{"bash_deny":[]}"#, "git push -f", "allow"),
        ("{}", "git push -f", "allow"),
        (" \n{ } \n", "git push -f", "allow"),
        // Patterns that mean the same here and in Python.
        (&rules(r"\bpush\b"), "git push x", "deny"),
        (&rules(r"\bpush\b"), "git pushed", "allow"),
        (&rules("(?i)PUSH"), "git push", "deny"),
        (&rules("(?i:PUSH) x"), "git push x", "deny"),
        (&rules("(?im)^push"), "ls\nPUSH", "deny"),
        (&rules("(?s)ls.*push"), "ls\ngit push", "deny"),
        (&rules("ls.*push"), "ls\ngit push", "allow"),
        (&rules("(?x) p u s h  # comment"), "git push", "deny"),
        (&rules("(?P<verb>push)"), "git push", "deny"),
        (&rules(r"p\u0075s\x68"), "git push", "deny"),
        (&rules(r"\Agit push\Z"), "git push", "deny"),
        (&rules("push$"), "git push\n", "deny"),
        (&rules("push$"), "git push x", "allow"),
        (&rules("é+"), "echo éé", "deny"),
        (&rules("^echo .$"), "echo 日", "deny"),
        (&rules("[à-ü]"), "echo é", "deny"),
        (&rules(r"push\s+--force"), "git push\u{a0}--force", "allow"),
        (&rules(r"[[:alpha:]]+push"), "gitpush", "deny"),
        (&rules(""), "ls", "deny"),
    ] {
        let (verdict, reason) = of(policy.as_bytes(), line);
        let head: String = policy.chars().take(120).collect();
        assert_eq!(verdict, expected, "{head} {line:?}: {reason}");
    }
}

#[test]
fn what_is_no_file_denies_every_call_at_once() {
    for what in ["directory", "fifo", "loop", "link to nothing", "too large"] {
        let home = home(None);
        let state = home.path().join(".gitvow");
        fs::create_dir(&state).unwrap();
        let policy = state.join("policy.json");
        match what {
            "directory" => fs::create_dir(&policy).unwrap(),
            "fifo" => {
                let made = std::process::Command::new("mkfifo").arg(&policy).status();
                assert!(made.unwrap().success());
            }
            "loop" => symlink("policy.json", &policy).unwrap(),
            "link to nothing" => symlink("nowhere", &policy).unwrap(),
            _ => fs::File::create(&policy)
                .unwrap()
                .set_len(17 << 20)
                .unwrap(),
        }
        let begun = std::time::Instant::now();
        let (verdict, reason) = said(home.path(), "ls");
        assert_eq!(verdict, "deny", "{what}");
        assert!(
            reason.contains("policy.json") && reason.contains("can't be read"),
            "{what}: {reason}"
        );
        assert!(begun.elapsed().as_secs() < 5, "{what}");
    }
    // A link to a policy is followed: dotfiles.
    let home = home(None);
    fs::create_dir(home.path().join(".gitvow")).unwrap();
    fs::write(
        home.path().join("mine.json"),
        r#"{"bash_deny":[{"pattern":"push","reason":"mine"}]}"#,
    )
    .unwrap();
    symlink("../mine.json", home.path().join(".gitvow/policy.json")).unwrap();
    assert_eq!(
        said(home.path(), "git push"),
        ("deny".to_owned(), "mine".to_owned())
    );
}

#[test]
fn check_explains_a_policy_to_people() {
    let home = home(Some(r#"{"bash_deny":[{"pattern":"("}],"bash_confirm":[]}"#));
    let said = run(command(home.path(), &["check", "--", "ls"]), b"");
    assert_eq!((said.exit, said.stderr.as_str()), (1, ""));
    assert!(
        said.stdout.starts_with("deny: the policy `") && said.stdout.ends_with("[policy]\n"),
        "{said:?}"
    );
    let said = run(command(home.path(), &["check", "--policy"]), b"");
    assert_eq!((said.exit, said.stdout.as_str()), (1, ""));
    assert!(
        said.stderr.contains("bash_deny[0]: the pattern `(`")
            && said.stderr.contains("repair that file"),
        "{said:?}"
    );
    // What a reason holds can't reach the terminal as it stands.
    let red = r#"{"bash_deny":[{"pattern":"ls","reason":"a\u001b[31mb\nc"}]}"#;
    fs::write(home.path().join(".gitvow/policy.json"), red).unwrap();
    let said = run(command(home.path(), &["check", "--", "ls"]), b"");
    assert!(
        !said.stdout.contains('\u{1b}') && said.stdout.lines().count() == 1,
        "{said:?}"
    );
    fs::write(
        home.path().join(".gitvow/policy.json"),
        r#"{"decisions":1,"bash_deny":[{"pattern":"x","target":"y"}]}"#,
    )
    .unwrap();
    let said = run(command(home.path(), &["check", "--policy"]), b"");
    assert!(
        said.exit == 0
            && said.stderr.contains("`decisions`")
            && said.stderr.contains("`bash_deny[0].target`"),
        "{said:?}"
    );
}
