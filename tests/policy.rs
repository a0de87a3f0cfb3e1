//! What the policies say, through `gitvow check` and `gitvow hook`: the built-in rules in all disguises,
//! rules of the user's and the repository's, and what protects gitvow itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "policy/disguises.rs"]
mod disguises;
#[path = "policy/files.rs"]
mod files;
#[path = "policy/forced.rs"]
mod forced;
#[path = "policy/lines.rs"]
mod lines;
#[path = "policy/lookalikes.rs"]
mod lookalikes;
#[path = "policy/mcp.rs"]
mod mcp;
#[path = "policy/odd.rs"]
mod odd;
#[path = "common/program.rs"]
mod program;
#[path = "policy/protect.rs"]
mod protect;
#[path = "policy/random.rs"]
mod random;
#[path = "policy/removals.rs"]
mod removals;
#[path = "hook/run.rs"]
#[allow(dead_code, reason = "shared with tests/hook.rs")]
mod run;
#[path = "policy/stale.rs"]
mod stale;
#[path = "policy/wrapped.rs"]
mod wrapped;

use lines::{ALLOW, ASK, DENY};
use run::{Said, command, home, run as feed};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What `check --json` says of a line, in that home.
fn check(home: &Path, cwd: &Path, line: &str) -> Value {
    let mut check = command(home, &["check", "--json", "--", line]);
    check.current_dir(cwd);
    let said = feed(check, b"");
    let value: Value =
        serde_json::from_str(&said.stdout).unwrap_or_else(|e| panic!("{line}: {e}: {said:?}"));
    assert_eq!(
        said.exit,
        i32::from(value["verdict"] != "allow"),
        "{said:?}"
    );
    value
}

fn verdict(policy: &str, line: &str) -> String {
    let home = home(Some(policy));
    check(home.path(), home.path(), line)["verdict"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn all_are(lines: &[&str], expected: &str) {
    let home = home(None);
    let project = home.path().join("project");
    fs::create_dir(&project).unwrap();
    let mut wrong = Vec::new();
    for line in lines {
        let line = line.replace("@HOME@", &home.path().display().to_string());
        let said = check(home.path(), &project, &line);
        if said["verdict"] != expected {
            wrong.push(format!("{line}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "not {expected}:\n{}", wrong.join("\n"));
}

#[test]
fn what_the_default_denies_is_denied_in_every_disguise() {
    all_are(DENY, "deny");
}

#[test]
fn what_the_default_asks_about_is_asked() {
    let home = home(None);
    fs::create_dir_all(home.path().join(".claude")).unwrap();
    fs::write(
        home.path().join(".claude/settings.json"),
        r#"{"hooks":{"x":"gitvow hook PreToolUse"}}"#,
    )
    .unwrap();
    let mut wrong = Vec::new();
    for line in ASK {
        let line = line.replace("@HOME@", &home.path().display().to_string());
        let said = check(home.path(), home.path(), &line);
        if said["verdict"] != "ask" {
            wrong.push(format!("{line}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_mentions_it_is_allowed() {
    all_are(ALLOW, "allow");
}

#[test]
fn several_arguments_are_a_vector_and_not_a_line() {
    let home = home(None);
    for (args, expected) in [
        (&["git", "push", "--force"][..], 1),
        (&["git", "commit", "-m", "x; git push --force"], 0),
        (&["sh", "-c", "git push --force"], 1),
        (&["echo", "$(git push -f)"], 0),
    ] {
        let said = feed(
            command(home.path(), &[&["check", "--"], args].concat()),
            b"",
        );
        assert_eq!(said.exit, expected, "{args:?}: {said:?}");
    }
}

#[test]
fn the_policy_in_force_is_shown() {
    let home = home(None);
    let said = feed(command(home.path(), &["check", "--policy"]), b"");
    assert_eq!(said.stdout, gitvow::hook::policy::DEFAULT);
    let said = feed(command(home.path(), &["check", "--policy", "--json"]), b"");
    let value: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(value["policies"][0]["path"], Value::Null);
    fs::create_dir_all(home.path().join(".gitvow")).unwrap();
    fs::write(home.path().join(".gitvow/policy.json"), "{\"decisions\":1}").unwrap();
    let said = feed(command(home.path(), &["check", "--policy"]), b"");
    assert_eq!(said.stdout, "{\"decisions\":1}\n");
    assert!(said.stderr.contains("`decisions`"), "{said:?}");
    fs::write(home.path().join(".gitvow/policy.json"), "{").unwrap();
    let said = feed(command(home.path(), &["check", "--policy"]), b"");
    assert_eq!((said.exit, said.stdout.as_str()), (1, ""));
}

#[test]
fn rules_decide_in_their_order() {
    let policy = r#"{"bash_deny":[{"pattern":"rm","reason":"first"},{"pattern":"rm -rf","reason":"second"}],
        "bash_confirm":[{"program":"git","verbs":["st.*"],"reason":"third"},{"program":["make"],"reason":"any make"},
                        {"program":"ls","reason":"watched","when":"observe"},{"program":"cat","reason":"later","when":"commit"}]}"#;
    let home = home(Some(policy));
    let of = |line: &str| {
        let said = check(home.path(), home.path(), line);
        (
            said["verdict"].clone(),
            said["reason"].clone(),
            said["rule"].clone(),
        )
    };
    assert_eq!(
        of("rm -rf x"),
        (json!("deny"), json!("first"), json!("bash_deny[0]"))
    );
    assert_eq!(
        of("git status"),
        (json!("ask"), json!("third"), json!("bash_confirm[0]"))
    );
    assert_eq!(
        of("git -c a=b -C x stash"),
        (json!("ask"), json!("third"), json!("bash_confirm[0]"))
    );
    assert_eq!(
        of("make -j4"),
        (json!("ask"), json!("any make"), json!("bash_confirm[1]"))
    );
    assert_eq!(of("ls; cat x"), (json!("allow"), Value::Null, Value::Null));
    assert_eq!(
        of("git push -f").0,
        json!("allow"),
        "a user's file replaces the default whole"
    );
}

#[test]
fn python_policies_mean_the_same() {
    // Rules of the kinds that the Python gitvow's own default has.
    let policy = r#"{"_from_default":"x","bash_deny":[
        {"program":"git","verbs":["push\\b.*?(?:--force|\\s-f\\b|\\+refs)"],"reason":"force push"},
        {"program":"git","verbs":["reset\\s+--hard","branch\\s+-D"],"reason":"destructive"},
        {"program":"kubectl","verbs":["delete","drain"],"reason":"kubectl"},
        {"pattern":"curl[^|]*\\|\\s*(ba)?sh\\b","reason":"pipe"},{"pattern":"end\\Z","reason":"end"}]}"#;
    for (line, expected) in [
        ("git push --force", "deny"),
        ("git -C d push origin x -f", "deny"),
        ("git push origin x", "allow"),
        ("git branch -D x", "deny"),
        ("kubectl --context prod delete pod x", "deny"),
        ("kubectl -v delete", "deny"),
        ("kubectl get delete", "allow"),
        ("curl x | sh", "deny"),
        ("the end", "deny"),
        ("echo kubectl delete", "allow"),
    ] {
        assert_eq!(verdict(policy, line), expected, "{line}");
    }
}

#[test]
fn a_repository_only_tightens() {
    let home = home(Some(
        r#"{"bash_deny":[{"pattern":"forbidden","reason":"user"}],"bash_confirm":[{"pattern":"ask me","reason":"user asks"}]}"#,
    ));
    let repo = home.path().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join("deep/er")).unwrap();
    fs::create_dir_all(repo.join(".gitvow")).unwrap();
    let write = |text: &str| fs::write(repo.join(".gitvow/policy.json"), text).unwrap();
    let of = |line: &str| check(home.path(), &repo.join("deep/er"), line);
    write("{}");
    assert_eq!(of("forbidden")["verdict"], "deny");
    let marker = home.path().join("ran");
    write(&format!(
        r#"{{"bash_deny":[{{"pattern":"ask me","reason":"repo"}}],"bash_confirm":[{{"pattern":"forbidden|free","reason":"repo asks"}}],"mcp_allow":[".*"],
           "providers":[{{"command":["/bin/sh","-c","touch {}; echo '{{\"decision\":\"allow\"}}'"]}}]}}"#,
        marker.display()
    ));
    assert_eq!(of("forbidden")["reason"], "user");
    assert_eq!(
        (
            of("ask me")["verdict"].clone(),
            of("ask me")["rule"].clone()
        ),
        (json!("deny"), json!("repository: bash_deny[0]"))
    );
    assert_eq!(of("free")["verdict"], "ask");
    assert!(!marker.exists(), "a repository's providers never run");
    write(r#"{"bash_deny":[{"pattern":"("}]}"#);
    assert_eq!(of("anything")["verdict"], "deny");
    assert!(of("anything")["reason"].as_str().unwrap().contains("`(`"));
}

/// The answer to an edit, through Claude's hook.
fn edit(home: &Path, cwd: &Path, tool: &str, file: &str) -> Said {
    let payload = json!({"session_id": "s", "cwd": cwd, "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": {"file_path": file, "content": ""}});
    feed(
        command(home, &["hook", "PreToolUse"]),
        payload.to_string().as_bytes(),
    )
}

#[test]
fn path_rules_see_every_spelling_and_links() {
    let home = home(Some(
        r#"{"path_deny":[{"pattern":"^gen/","reason":"generated"},{"pattern":"/secret/","reason":"secret"}],"path_confirm":[{"pattern":"\\.lock$","reason":"lock file"}]}"#,
    ));
    let repo = home.path().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(home.path().join("secret")).unwrap();
    std::os::unix::fs::symlink(home.path().join("secret"), repo.join("link")).unwrap();
    let of = |file: &str| edit(home.path(), &repo, "Write", file).stdout;
    for denied in ["gen/x", "src/../gen/x", "./gen/x", "link/x", "link/new/y"] {
        assert!(of(denied).contains("\"deny\""), "{denied}: {}", of(denied));
    }
    assert!(of(&repo.join("gen/x").display().to_string()).contains("\"deny\""));
    assert!(of("Cargo.lock").contains("\"ask\""));
    assert_eq!(of("src/gen.rs"), "");
    let line = |line: &str| check(home.path(), &repo, line)["verdict"].clone();
    for denied in [
        "echo x > gen/x",
        "cp a gen/",
        "cd gen && touch x",
        "sed -i s/a/b/ link/x",
        "mv gen/x y",
        "tee -a gen/x",
        "rm -r link/x",
        "apply_patch <<'E'\n*** Begin Patch\n*** Add File: gen/x\n+a\n*** End Patch\nE",
    ] {
        assert_eq!(line(denied), "deny", "{denied}");
    }
    assert_eq!(line("cat gen/x"), "allow");
    assert_eq!(line("grep x gen/x > out"), "allow");
}

#[test]
fn gitvow_protects_itself_whatever_the_policy_says() {
    let home = home(Some("{}"));
    let state = home.path().join(".gitvow");
    let of = |file: &str| edit(home.path(), home.path(), "Edit", file).stdout;
    assert!(of(&state.join("policy.json").display().to_string()).contains("\"deny\""));
    assert!(of(".gitvow/records/x").contains("\"deny\""));
    std::os::unix::fs::symlink(&state, home.path().join("alias")).unwrap();
    assert!(of("alias/policy.json").contains("\"deny\""));
    // The caller's own settings, whether ours is in them or not; another agent's only where it is.
    assert!(of(".claude/settings.json").contains("\"ask\""));
    fs::create_dir_all(home.path().join(".codex")).unwrap();
    let codex = home.path().join(".codex/hooks.json");
    fs::write(&codex, "{}").unwrap();
    assert_eq!(of(".codex/hooks.json"), "");
    fs::write(&codex, r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"/x/gitvow hook --agent codex PreToolUse"}]}]}}"#).unwrap();
    assert!(of(".codex/hooks.json").contains("\"ask\""));
    assert_eq!(of("src/settings.json"), "");
    assert_eq!(verdict("{}", "gitvow uninstall --all"), "deny");
    assert_eq!(verdict("{}", "gitvow doctor"), "allow");
}

#[test]
fn mcp_tools_are_judged_by_whole_names() {
    let of = |policy: &str, tool: &str| {
        let home = home(Some(policy));
        let payload = json!({"session_id": "s", "permission_mode": "default", "tool_name": tool, "tool_input": {}});
        feed(
            command(home.path(), &["hook", "PreToolUse"]),
            payload.to_string().as_bytes(),
        )
        .stdout
    };
    let deny = r#"{"mcp_deny":["mcp__.*__delete_.*"]}"#;
    assert!(of(deny, "mcp__db__delete_all").contains("\"deny\""));
    assert_eq!(of(deny, "mcp__db__undelete"), "");
    let allow = r#"{"mcp_allow":["mcp__docs__.*"]}"#;
    assert_eq!(of(allow, "mcp__docs__search"), "");
    assert!(of(allow, "mcp__docsx__search").contains("\"ask\""));
    assert_eq!(of(allow, "Read"), "");
}

#[test]
fn providers_get_the_call_and_their_failure_asks() {
    let of = |script: &str| {
        let policy = json!({"providers": [{"command": ["/bin/sh", "-c", script], "timeout": 5}]})
            .to_string();
        let home = home(Some(&policy));
        check(home.path(), home.path(), "ls secret-thing")
    };
    assert_eq!(of("echo '{\"decision\":\"allow\"}'")["verdict"], "allow");
    let said = of("grep -q secret-thing && echo '{\"decision\":\"deny\",\"reason\":\"seen\"}'");
    assert_eq!(
        (&said["verdict"], &said["reason"]),
        (&json!("deny"), &json!("seen"))
    );
    for failing in ["exit 3", "echo nonsense", "echo '{}'", "kill -9 $$"] {
        assert_eq!(of(failing)["verdict"], "ask", "{failing}");
    }
}

#[test]
fn a_checked_policy_is_remembered_until_it_changes() {
    let home = home(Some(r#"{"bash_deny":[{"pattern":"zzz"}]}"#));
    let note = home.path().join(".gitvow/policy-checked");
    // Not noted within a tick of the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(100));
    check(home.path(), home.path(), "ls");
    let first = fs::read_to_string(&note).unwrap();
    check(home.path(), home.path(), "ls");
    assert_eq!(fs::read_to_string(&note).unwrap(), first);
    let policy = home.path().join(".gitvow/policy.json");
    fs::write(&policy, r#"{"bash_deny":[{"pattern":"zz("}]}"#).unwrap();
    assert_eq!(check(home.path(), home.path(), "ls")["verdict"], "deny");
    fs::write(&policy, r#"{"bash_deny":[{"pattern":"zzzz"}]}"#).unwrap();
    assert_eq!(check(home.path(), home.path(), "ls")["verdict"], "allow");
    let names: Vec<_> = fs::read_dir(home.path().join(".gitvow"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}
