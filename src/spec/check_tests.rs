use super::super::parse::{Source, parse};
use super::*;

fn says(extra: &str) -> String {
    let text = format!("{{\"protocol\": 1, \"name\": \"x\"{extra}}}");
    match parse(&text, Source::External) {
        Ok(_) => String::new(),
        Err(e) => e.message,
    }
}

fn install(extra: &str) -> String {
    says(&format!(
        ", \"install\": {{\"user_file\": \"a/b.json\", \"entries\": {{\"pre\": [{{\"command\": \"__GITVOW__ hook --agent x pre\"}}]}}{extra}}}"
    ))
}

fn tree(extra: &str) -> String {
    says(&format!(", \"install\": {{\"trees\": [{{{extra}}}]}}"))
}

#[test]
fn a_plain_block_passes() {
    assert_eq!(install(""), "");
    assert_eq!(
        tree(r#""path": "a/hooks", "files": {"x.js": "const g = __GITVOW__;"}"#),
        ""
    );
}

#[test]
fn bad_paths_are_refused_wherever_a_path_stands() {
    let bad = [
        ("", "is an empty path"),
        (".", "has the part `.`"),
        ("./a", "has the part `.`"),
        ("a/./b", "has the part `.`"),
        ("/etc/x", "is an absolute path"),
        ("C:/x", "is an absolute path"),
        ("..", "has the part `..`"),
        ("a/../../b", "has the part `..`"),
        ("a//b", "has an empty part (`//`, or a `/` at its end)"),
        ("a/", "has an empty part (`//`, or a `/` at its end)"),
        ("~/a", "begins with `~`: it is relative to HOME already"),
        (".git/hooks/x", "leads into a `.git` directory"),
        (".GIT/config", "leads into a `.git` directory"),
        ("sub/.git/config", "leads into a `.git` directory"),
        (".git", "leads into a `.git` directory"),
        (".gitvow/policy.json", "leads into gitvow's own directory"),
        (".GitVow/x", "leads into gitvow's own directory"),
        ("a\u{0}b", "holds a NUL"),
        ("a\nb", "holds a control character"),
        ("a\\b", "holds a backslash: write `/` between directories"),
    ];
    for (path, fault) in bad {
        let quoted = Value::from(path).to_string();
        assert_eq!(path_fault(path).as_deref(), Some(fault), "{path:?}");
        let fault = if path.is_empty() {
            fault.to_owned()
        } else {
            format!("{fault}: `{}`", path.escape_debug())
        };
        for key in ["user_file", "repo_file", "local_file"] {
            let text = format!(
                ", \"install\": {{\"{key}\": {quoted}, \"entries\": {{\"pre\": [{{\"command\": \"__GITVOW__ hook pre\"}}]}}}}"
            );
            assert_eq!(says(&text), format!("`install.{key}` {fault}"));
        }
        for key in ["path", "repo_path"] {
            let text = format!("\"{key}\": {quoted}, \"files\": {{\"x\": \"__GITVOW__\"}}");
            assert_eq!(tree(&text), format!("`install.trees[0].{key}` {fault}"));
        }
        let text = format!("\"path\": \"a\", \"files\": {{{quoted}: \"__GITVOW__\"}}");
        assert!(tree(&text).ends_with(&fault), "{path:?}: {}", tree(&text));
        let text = format!(", \"alternatives\": [{{\"user_file\": {quoted}}}]");
        assert_eq!(
            install(&text),
            format!("`install.alternatives[0].user_file` {fault}")
        );
        let text = format!(
            ", \"reads\": {{\"switches\": [{{\"file\": {quoted}, \"path\": [\"a\"], \"off\": true}}]}}"
        );
        assert_eq!(
            install(&text),
            format!("`install.reads.switches[0].file` {fault}")
        );
        if !path.is_empty() {
            let text = format!(", \"home_env\": {{\"X_HOME\": {quoted}}}");
            assert_eq!(install(&text), format!("`install.home_env.X_HOME` {fault}"));
        }
    }
    let text = format!(
        ", \"reads\": {{\"switches\": [{{\"file\": \"{}\", \"path\": [\"a\"], \"off\": 1}}]}}",
        "a/".repeat(600) + "b"
    );
    assert!(install(&text).contains("is longer than 1024 bytes: `a/a/"));
    assert!(path_fault(&"a".repeat(256)).unwrap().contains("255"));
    for good in [
        ".claude/settings.json",
        "..a/b",
        ".github/hooks/x.json",
        ".gitignore",
        "a/.gitvow",
        "a b/ü.json",
    ] {
        assert_eq!(path_fault(good), None, "{good}");
    }
}

#[test]
fn entries_must_carry_the_placeholder_and_be_objects_in_lists() {
    let entry = |entry: &str| {
        says(&format!(
            ", \"install\": {{\"user_file\": \"a\", \"entries\": {{\"pre\": [{entry}]}}}}"
        ))
    };
    assert_eq!(
        entry(r#"{"command": "gitvow hook pre"}"#),
        "`install.entries.pre[0]` has a command that doesn't carry `__GITVOW__`: \"gitvow hook pre\""
    );
    assert_eq!(
        entry(r#"{"matcher": "x"}"#),
        "`install.entries.pre[0]` has no command that carries `__GITVOW__`"
    );
    assert_eq!(
        entry(r#"{"hooks": [{"command": "__GITVOW__ hook pre"}, {"command": "rm -rf x"}]}"#),
        "`install.entries.pre[0]` has a command that doesn't carry `__GITVOW__`: \"rm -rf x\""
    );
    assert_eq!(
        entry(r#"{"bash": "__GITVOW__ hook pre", "powershell": "other"}"#),
        "`install.entries.pre[0]` has a command that doesn't carry `__GITVOW__`: \"other\""
    );
    assert!(
        entry(r#"{"command": "__GITVOW__", "args": ["hook", "pre"]}"#).contains("arguments apart")
    );
    assert_eq!(entry(""), "`install.entries.pre` is an empty list");
    assert_eq!(entry(r#"{"run": "__GITVOW__ hook pre"}"#), "");
    let list = |root: &str| {
        says(&format!(
            ", \"install\": {{\"user_file\": \"a\", \"root\": {root}, \"entries\": [{{\"command\": \"__GITVOW__ hook pre\"}}]}}"
        ))
    };
    assert_eq!(list("[\"hooks\"]"), "");
    assert!(list("[]").contains("`root` must name the list"));
}

#[test]
fn a_block_that_writes_nothing_or_nowhere_is_refused() {
    assert!(says(", \"install\": {}").contains("writes nothing"));
    assert!(says(", \"install\": {\"user_file\": \"a\"}").contains("missing or empty"));
    assert!(
        says(", \"install\": {\"entries\": {\"a\": [{\"command\": \"__GITVOW__ hook a\"}]}}")
            .contains("no file to go to")
    );
}

#[test]
fn root_and_version_key_must_be_possible() {
    assert_eq!(
        install(", \"root\": [\"\"]"),
        "`install.root[0]` is an empty key"
    );
    assert!(
        install(", \"root\": [\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]")
            .contains("deeper")
    );
    assert_eq!(
        install(", \"version_key\": \"\""),
        "`install.version_key` is an empty key"
    );
    assert!(install(", \"version_key\": \"hooks\"").contains("where the entries go"));
    assert!(install(", \"root\": [], \"version_key\": \"pre\"").contains("where the entries go"));
    assert!(install(", \"version_key\": \"version\", \"reads\": {\"top_keys\": [\"description\", \"hooks\"]}").contains("refuses a file that has it"));
    assert_eq!(
        install(
            ", \"version_key\": \"version\", \"reads\": {\"top_keys\": [\"version\", \"hooks\"]}"
        ),
        ""
    );
    assert!(
        install(", \"root\": [\"other\"], \"reads\": {\"top_keys\": [\"hooks\"]}")
            .contains("reads.top_keys")
    );
}

#[test]
fn names_protocol_and_scopes() {
    assert!(
        parse("{\"protocol\": 2, \"name\": \"x\"}", Source::External)
            .unwrap_err()
            .message
            .contains("is 2")
    );
    for name in ["", "a b", "a/b", "-a", "a.b", "ä"] {
        let text = format!("{{\"protocol\": 1, \"name\": {}}}", Value::from(name));
        assert!(
            parse(&text, Source::External)
                .unwrap_err()
                .message
                .starts_with("`name` must be a name"),
            "{name}"
        );
    }
    assert!(says(", \"aliases\": [\"x\"]").contains("twice"));
    assert!(says(", \"aliases\": [\"y\", \"y\"]").contains("`aliases[1]`"));
    assert!(says(", \"events\": [\"a b\"]").starts_with("`events[0]` must be a name"));
    assert!(says(", \"events\": [\"a\", \"a\"]").contains("twice"));
    assert!(
        says(", \"events\": [\"a\"], \"before_tool\": [\"b\"]").contains("not one of `events`")
    );
    assert!(says(", \"steps\": {\"team\": []}").contains("`user`, `repo` or `local`"));
    assert!(says(", \"loads\": {\"claude\": [\"team\"]}").contains("`loads.claude[0]`"));
    assert!(says(", \"detect\": {\"commands\": [\"/bin/x\"]}").contains("`detect.commands[0]`"));
    assert!(says(", \"detect\": {\"dirs\": [\"../x\"]}").contains("`detect.dirs[0]`"));
    for variable in ["HOME", "GITVOW_HOME", "A-B", "1A", ""] {
        assert!(
            install(&format!(", \"home_env\": {{\"{variable}\": \"\"}}"))
                .contains("no name of an environment"),
            "{variable}"
        );
    }
    assert_eq!(install(", \"home_env\": {\"GEMINI_CLI_HOME\": \"\"}"), "");
}

#[test]
fn trees_must_be_files_that_run_gitvow() {
    assert!(tree("\"files\": {\"x\": \"__GITVOW__\"}").contains("neither `path` nor `repo_path`"));
    assert!(tree("\"path\": \"a\", \"files\": {}").contains("is empty"));
    assert!(
        tree("\"path\": \"a\", \"files\": {\"x\": \"nothing\"}").contains("no file that carries")
    );
    assert!(tree("\"path\": \"a\", \"files\": {\"x\": 1}").contains("must be a text"));
    assert!(
        tree(r#""path": "a", "files": {"x.json": {"hooks": {"pre": [{"bash": "echo"}]}}}"#)
            .contains("doesn't carry")
    );
    assert_eq!(
        tree(
            r#""path": "a", "files": {"x.json": {"version": 1, "hooks": {"pre": [{"bash": "__GITVOW__ hook pre", "timeoutSec": 1}]}}}"#
        ),
        ""
    );
    for (mode, word) in [
        ("0999", "octal"),
        ("100644", "octal"),
        ("0444", "owner"),
        ("0666", "others"),
        ("x", "octal"),
    ] {
        assert!(
            tree(&format!(
                "\"path\": \"a\", \"files\": {{\"x\": \"__GITVOW__\"}}, \"mode\": \"{mode}\""
            ))
            .contains(word),
            "{mode}"
        );
    }
    assert_eq!(
        tree("\"path\": \"a\", \"files\": {\"x\": \"__GITVOW__\"}, \"mode\": \"0755\""),
        ""
    );
}

#[test]
fn guards_must_be_one_simple_branch() {
    let forms = |allow: &str| {
        install(&format!(
            ", \"repo_command\": {{\"allow\": {}, \"block\": \"exit 2\"}}",
            Value::from(allow)
        ))
    };
    for good in [
        "exit 0",
        "echo '{\"permission\":\"allow\"}'",
        "echo 'a; fi' >&2; exit 2",
        ":",
    ] {
        assert_eq!(forms(good), "", "{good}");
    }
    for bad in [
        "",
        " ",
        "exit 0; fi; rm x; if true; then :",
        "echo 'a",
        "a\nb",
        "a # b",
        "echo `x`",
    ] {
        assert!(
            forms(bad).contains("`install.repo_command.allow` must be a simple"),
            "{bad}"
        );
    }
    assert!(install(", \"repo_command\": {\"allow\": \"exit 0\", \"block\": \"exit 2\", \"events\": {\"e\": {\"block\": \"\"}}}")
        .starts_with("`install.repo_command.events.e.block`"));
}

#[test]
fn absurd_counts_are_refused() {
    let many = vec![r#"{"command": "__GITVOW__ hook e"}"#; MAX_LIST + 1].join(",");
    assert!(
        says(&format!(
            ", \"install\": {{\"user_file\": \"a\", \"entries\": {{\"e\": [{many}]}}}}"
        ))
        .contains("more than 256")
    );
    let names: Vec<String> = (0..=MAX_LIST).map(|i| format!("\"e{i}\"")).collect();
    assert!(says(&format!(", \"events\": [{}]", names.join(","))).contains("more than 256"));
}

#[test]
fn an_older_gitvows_places_are_checked_like_the_others() {
    let bad = |text: &str| install(text);
    assert_eq!(
        bad(", \"legacy\": [{\"user_file\": \"../x.json\"}]"),
        install(", \"alternatives\": [{\"user_file\": \"../x.json\"}]")
            .replace("alternatives", "legacy")
    );
    assert_eq!(
        bad(", \"legacy\": [{\"user_file\": \"a/b.json\", \"root\": [\"hooks\"]}]"),
        "`install.legacy[0].user_file` is `install.user_file` itself"
    );
    assert_eq!(
        bad(", \"legacy\": [{\"user_file\": \"a/b.json\", \"root\": [\"old\"]}]"),
        ""
    );
    assert_eq!(
        bad(", \"legacy\": [{\"repo_file\": \"a/c.json\"}]"),
        "`install.legacy[0].repo_file` has no `install.repo_file` to stand for"
    );
    for line in ["// mine", "", "// gitvow\\n"] {
        let text = format!(
            ", \"trees\": [{{\"path\": \"t\", \"legacy\": [\"{line}\"], \"files\": {{\"x\": \"__GITVOW__\"}}}}]"
        );
        assert_eq!(
            install(&text),
            "`install.trees[0].legacy[0]` must be the beginning of a line that names gitvow"
        );
    }
}

#[test]
fn alternatives_stand_for_something_else() {
    assert!(
        install(", \"alternatives\": [{\"user_file\": \"a/b.json\"}]")
            .contains("is `install.user_file` itself")
    );
    assert!(
        install(", \"alternatives\": [{\"repo_file\": \"a/c.json\"}]")
            .contains("has no `install.repo_file`")
    );
    assert_eq!(
        install(", \"alternatives\": [{\"user_file\": \"a/c.json\", \"root\": []}]"),
        ""
    );
}
