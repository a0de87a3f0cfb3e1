use super::*;
use serde_json::json;

fn forms() -> RepoCommand {
    serde_json::from_value(json!({
        "allow": "exit 0", "block": "echo 'no' >&2; exit 2",
        "events": {"Stop": {"block": "exit 0"}, "preToolUse": {"allow": "echo '{\"permission\":\"allow\"}'"}}
    }))
    .unwrap()
}

fn line(text: &str, command: &Command<'_>) -> String {
    render(&Value::from(text), command)
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn paths_are_quoted_only_where_needed() {
    for (path, written) in [
        (
            "/home/o/.gitvow/bin/gitvow",
            "/home/o/.gitvow/bin/gitvow hook --agent a E",
        ),
        (
            "/home/o'brien/x y/.gitvow/bin/gitvow",
            r"'/home/o'\''brien/x y/.gitvow/bin'/gitvow hook --agent a E",
        ),
        ("/h/$x&\\/gitvow", r"'/h/$x&\'/gitvow hook --agent a E"),
        ("/h/ü/gitvow", "'/h/ü'/gitvow hook --agent a E"),
        ("/h/a\nb/gitvow", "'/h/a\nb'/gitvow hook --agent a E"),
        ("/gitvow", "/gitvow hook --agent a E"),
    ] {
        let written_now = line("__GITVOW__ hook --agent a E", &Command::absolute(path));
        assert_eq!(written_now, written);
        let own = own_form(&written_now).unwrap();
        assert_eq!(
            (
                own.path.as_str(),
                own.agent.as_deref(),
                own.event.as_str(),
                own.guarded
            ),
            (path, Some("a"), "E", false)
        );
    }
}

#[test]
fn the_key_decides_the_shell_and_other_values_stay() {
    let entry = json!({"type": "command", "bash": "__GITVOW__ hook e", "powershell": "__GITVOW__ hook e", "timeout": 30,
        "hooks": [{"command": "__GITVOW__ hook e", "x": null}]});
    assert_eq!(
        render(&entry, &Command::absolute("/o'b/gitvow")),
        json!({"type": "command", "bash": r"'/o'\''b'/gitvow hook e", "powershell": "& '/o''b/gitvow' hook e", "timeout": 30,
            "hooks": [{"command": r"'/o'\''b'/gitvow hook e", "x": null}]})
    );
}

#[test]
fn repository_scope_guards_per_event() {
    let forms = forms();
    let guard = |block| {
        Command::guarded(Guard {
            forms: &forms,
            block,
        })
    };
    let p = "\"$HOME\"/.gitvow/bin/gitvow";
    assert_eq!(
        line("__GITVOW__ hook --agent claude PreToolUse", &guard(false)),
        format!("if [ -x {p} ]; then {p} hook --agent claude PreToolUse; else exit 0; fi")
    );
    assert!(
        line("__GITVOW__ hook --agent claude PreToolUse", &guard(true))
            .ends_with("else echo 'no' >&2; exit 2; fi")
    );
    assert!(line("__GITVOW__ hook --agent claude Stop", &guard(true)).ends_with("else exit 0; fi"));
    assert!(
        line("__GITVOW__ hook --agent cursor preToolUse", &guard(false))
            .ends_with("else echo '{\"permission\":\"allow\"}'; fi")
    );
    for block in [false, true] {
        for event in ["PreToolUse", "Stop", "preToolUse"] {
            let own = own_form(&line(
                &format!("__GITVOW__ hook --agent claude {event}"),
                &guard(block),
            ))
            .unwrap();
            assert_eq!(
                (own.path.as_str(), own.event.as_str(), own.guarded),
                ("$HOME/.gitvow/bin/gitvow", event, true)
            );
        }
    }
    let shell = render(
        &json!({"powershell": "__GITVOW__ hook --agent copilot preToolUse"}),
        &guard(false),
    );
    let own = own_form(shell["powershell"].as_str().unwrap()).unwrap();
    assert!(own.guarded && own.event == "preToolUse");
}

#[test]
fn own_forms_are_known_whoever_wrote_them() {
    for (text, path, agent, event) in [
        ("gitvow hook PreToolUse", "gitvow", None, "PreToolUse"),
        (
            "/usr/local/bin/gitvow hook --agent codex Stop",
            "/usr/local/bin/gitvow",
            Some("codex"),
            "Stop",
        ),
        (
            "  \"/a b/gitvow\"  hook\t--agent claude-code Stop ",
            "/a b/gitvow",
            Some("claude-code"),
            "Stop",
        ),
        (
            "$HOME/.gitvow/bin/gitvow hook Stop",
            "$HOME/.gitvow/bin/gitvow",
            None,
            "Stop",
        ),
        (
            "'C:\\Program Files\\gitvow.exe' hook Stop",
            "C:\\Program Files\\gitvow.exe",
            None,
            "Stop",
        ),
        (
            "& 'C:\\o''b\\gitvow.EXE' hook --agent copilot preToolUse",
            "C:\\o'b\\gitvow.EXE",
            Some("copilot"),
            "preToolUse",
        ),
        (
            "gitvow hook --agent entire:pi tool",
            "gitvow",
            Some("entire:pi"),
            "tool",
        ),
    ] {
        let own = own_form(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            (own.path.as_str(), own.agent.as_deref(), own.event.as_str()),
            (path, agent, event)
        );
    }
}

#[test]
fn what_only_mentions_gitvow_is_the_users() {
    let p = "\"$HOME\"/.gitvow/bin/gitvow";
    for text in [
        "nice gitvow hook Stop",
        "gitvow hook Stop # mine",
        "echo gitvow hook Stop",
        "echo 'gitvow hook Stop'",
        "gitvow hook Stop extra",
        "gitvow hook --agent a Stop extra",
        "gitvow hook Stop > /tmp/x",
        "gitvow hook Stop 2>&1",
        "gitvow hook Stop; echo done",
        "gitvow hook Stop && x",
        "gitvow hook Stop || true",
        "gitvow hook",
        "gitvow hook --agent a",
        "gitvow check x",
        "my-gitvow hook Stop",
        "/x/gitvow.sh hook Stop",
        "/x/gitvow/run hook Stop",
        "FOO=1 gitvow hook Stop",
        "gitvow hook \"Stop now\"",
        "gitvow hook --agent 'a b' Stop",
        "gitvow hook $EVENT",
        "& 'C:\\gitvow.exe' hook Stop; ls",
        "& 'C:\\gitvow.exe",
        "",
        "gitvow",
        &format!("if [ -x {p} ]; then {p} hook Stop; fi"),
        &format!("if [ -x {p} ]; then {p} hook Stop; else exit 0; fi; echo x"),
        &format!("if [ -x {p} ]; then {p} hook Stop; else exit 0; fi; if true; then echo x; fi"),
        &format!("if [ -x /other/gitvow ]; then {p} hook Stop; else exit 0; fi"),
        &format!("if [ -x {p} ]; then {p} hook Stop && x; else exit 0; fi"),
        &format!("if [ -x {p} ]; then echo; {p} hook Stop; else exit 0; fi"),
        "if [ -x /x/other ]; then /x/other hook Stop; else exit 0; fi",
        "if true; then gitvow hook Stop; else exit 0; fi",
    ] {
        assert_eq!(own_form(text), None, "{text}");
    }
}

#[test]
fn commands_are_found_where_agents_keep_them() {
    let entry = json!({"matcher": "Bash", "command": "a", "bash": "b", "powershell": "c", "commandWindows": "d",
        "exec": ["e", "f"], "description": "not me", "hooks": [{"type": "command", "command": "g"}, {"run": "__GITVOW__ hook x"}]});
    assert_eq!(
        commands(&entry),
        ["a", "b", "c", "d", "e", "f", "g", "__GITVOW__ hook x"]
    );
    assert!(commands(&json!("x")).is_empty());
}

#[test]
fn tree_texts_hold_json_literals() {
    let tree: TreeSpec = serde_json::from_value(json!({"path": "p", "files": {
        "a.js": "const g = __GITVOW__, m = __GITVOW_ON_MISSING__;\n",
        "b.json": {"version": 1, "hooks": {"e": [{"bash": "__GITVOW__ hook e"}]}}
    }}))
    .unwrap();
    let texts = tree_texts(&tree, &Command::absolute("/a\"b\\/gitvow"));
    assert_eq!(
        texts[0].text,
        "const g = \"/a\\\"b\\\\/gitvow\", m = \"block\";\n"
    );
    assert!(!texts[0].json && texts[1].json);
    assert!(texts[1].text.ends_with("}\n"));
    let value: Value = serde_json::from_str(&texts[1].text).unwrap();
    assert_eq!(value["hooks"]["e"][0]["bash"], "'/a\"b\\'/gitvow hook e");
    let forms = forms();
    for (block, word) in [(false, "allow"), (true, "block")] {
        let text = &tree_texts(
            &tree,
            &Command::guarded(Guard {
                forms: &forms,
                block,
            }),
        )[0]
        .text;
        assert_eq!(
            *text,
            format!("const g = \"$HOME/.gitvow/bin/gitvow\", m = \"{word}\";\n")
        );
    }
}

#[test]
fn entries_come_with_their_event() {
    let install: Install = serde_json::from_value(json!({"user_file": "a",
        "entries": {"E": [{"command": "__GITVOW__ hook E"}], "F": [{"command": "__GITVOW__ hook F"}]}}))
    .unwrap();
    let all = templates(&install);
    assert_eq!(
        all[1],
        (Some("F"), &json!({"command": "__GITVOW__ hook F"}))
    );
    let list: Install = serde_json::from_value(
        json!({"user_file": "a", "entries": [{"event": "E", "command": "__GITVOW__ hook E"}]}),
    )
    .unwrap();
    assert_eq!(templates(&list)[0].0, None);
}

#[test]
fn an_entry_says_what_its_template_renders_to_and_nothing_else() {
    let template = json!({"type": "command", "timeout": 30, "hooks": [{"powershell": "__GITVOW__ hook E"}, "x"]});
    for path in ["/h/gitvow", "/h o'b/gitvow"] {
        let command = Command::absolute(path);
        let entry = render(&template, &command);
        assert!(says(&entry, &template, &command));
        assert!(!says(
            &entry,
            &template,
            &Command::absolute("/other/gitvow")
        ));
        let turned = json!({"hooks": entry["hooks"], "timeout": 30.0, "type": "command"});
        assert!(says(&turned, &template, &command));
        for (key, value) in [
            ("timeout", json!(31)),
            ("more", json!(1)),
            ("hooks", json!([])),
        ] {
            let mut other = entry.clone();
            other[key] = value;
            assert!(!says(&other, &template, &command), "{other}");
        }
    }
}
