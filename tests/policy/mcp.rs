//! Rules about MCP tools, in every agent's spelling.

use crate::run::{Said, command, home, run};
use serde_json::{Value, json};

fn asked(policy: &str, agent: &str, event: &str, payload: &Value) -> Said {
    let home = home(Some(policy));
    let hook = command(home.path(), &["hook", "--agent", agent, event]);
    run(hook, payload.to_string().as_bytes())
}

/// One call of the tool `drop_table` of the server `my_db`, as each agent spells it.
fn spellings() -> Vec<(&'static str, &'static str, Value)> {
    let canonical = |extra: Value| {
        let mut payload = json!({"session_id": "s", "hook_event_name": "PreToolUse", "permission_mode": "default",
            "tool_name": "mcp__my_db__drop_table", "tool_input": {}});
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        payload
    };
    let gemini = |context: Value| {
        json!({"session_id": "s", "hook_event_name": "BeforeTool", "timestamp": "x",
        "tool_name": "mcp_my_db_drop_table", "tool_input": {}, "mcp_context": context})
    };
    let agy =
        |call: Value| json!({"conversationId": "c", "workspacePaths": ["/"], "toolCall": call});
    vec![
        ("claude", "PreToolUse", canonical(json!({}))),
        (
            "codex",
            "PreToolUse",
            canonical(json!({"turn_id": "1", "model": "m"})),
        ),
        (
            "factory",
            "PreToolUse",
            canonical(json!({"tool_name": "my_db___drop_table"})),
        ),
        (
            "grok",
            "PreToolUse",
            json!({"hookEventName": "pre_tool_use", "toolName": "my_db__drop_table", "toolInput": {}}),
        ),
        (
            "grok",
            "PreToolUse",
            json!({"hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse",
            "tool_name": "use_tool", "tool_input": {"tool_name": "my_db__drop_table"}}),
        ),
        (
            "kimi",
            "PreToolUse",
            canonical(json!({"client_type": "kimi_code_cli"})),
        ),
        ("qwen", "PreToolUse", canonical(json!({}))),
        (
            "gemini",
            "BeforeTool",
            gemini(json!({"server_name": "my_db", "tool_name": "drop_table"})),
        ),
        ("gemini", "BeforeTool", gemini(Value::Null)),
        (
            "cursor",
            "beforeMCPExecution",
            json!({"conversation_id": "c", "generation_id": "g",
            "tool_name": "drop_table", "tool_input": "{}", "command": "npx my-db"}),
        ),
        (
            "cursor",
            "preToolUse",
            json!({"conversation_id": "c", "generation_id": "g", "tool_name": "MCP:drop_table", "tool_input": {}}),
        ),
        (
            "copilot",
            "preToolUse",
            json!({"sessionId": "s", "timestamp": 1, "toolName": "my_db-drop_table", "toolArgs": {}}),
        ),
        (
            "copilot",
            "PreToolUse",
            json!({"sessionId": "s", "hookEventName": "PreToolUse", "tool_name": "mcp_my_db_drop_table", "tool_input": {}}),
        ),
        (
            "opencode",
            "PreToolUse",
            json!({"session_id": "s", "tool_name": "my_db_drop_table", "tool_input": {}}),
        ),
        (
            "antigravity",
            "PreToolUse",
            agy(
                json!({"name": "call_mcp_tool", "args": {"ServerName": "my_db", "ToolName": "drop_table"}}),
            ),
        ),
        (
            "antigravity",
            "PreToolUse",
            agy(json!({"name": "mcp_my_db_drop_table", "args": {}})),
        ),
    ]
}

#[test]
fn a_deny_rule_is_obeyed_in_every_agents_spelling() {
    for policy in [
        r#"{"mcp_deny":["mcp__my_db__drop_.*"]}"#,
        r#"{"mcp_deny":["mcp__(my|your)_db__drop_table"]}"#,
        r#"{"mcp_deny":["mcp__.*__drop_.*"]}"#,
    ] {
        for (agent, event, payload) in spellings() {
            let said = asked(policy, agent, event, &payload);
            let text = said.stdout.clone() + &said.stderr;
            assert!(
                text.contains("BLOCKED by policy") && text.contains("deny list"),
                "{agent} {payload}: {said:?}"
            );
        }
    }
    for (agent, event, payload) in spellings() {
        let said = asked(
            r#"{"mcp_deny":["mcp__my_db__list_.*"]}"#,
            agent,
            event,
            &payload,
        );
        assert!(
            !(said.stdout + &said.stderr).contains("BLOCKED"),
            "{agent} {payload}"
        );
    }
}

#[test]
fn an_allow_rule_is_satisfied_by_every_reading_or_not_at_all() {
    let policy = r#"{"mcp_allow":["mcp__my_db__.*"]}"#;
    for (agent, event, payload) in spellings() {
        let said = asked(policy, agent, event, &payload);
        let text = said.stdout + &said.stderr;
        let tool = &payload["toolCall"]["name"];
        let sure = match agent {
            "gemini" => payload["mcp_context"].is_object(),
            "copilot" => event == "preToolUse",
            "antigravity" => tool == "call_mcp_tool",
            // `preToolUse` leaves the question to the specific event.
            "cursor" => event == "preToolUse",
            "opencode" => false,
            _ => true,
        };
        assert_eq!(
            !text.contains("allow list"),
            sure,
            "{agent} {payload}: {text}"
        );
    }
    // Every reading, or the agent's own spelling.
    for policy in [
        r#"{"mcp_allow":["mcp__my_.*"]}"#,
        r#"{"mcp_allow":["my_db_.*"]}"#,
    ] {
        let payload = json!({"session_id": "s", "tool_name": "my_db_drop_table", "tool_input": {}});
        assert_eq!(
            asked(policy, "opencode", "PreToolUse", &payload).exit,
            0,
            "{policy}"
        );
    }
    // The agent's own tools are none, and a server can't take our spelling for a disguise.
    let of = |tool: &str| {
        asked(
            policy,
            "opencode",
            "PreToolUse",
            &json!({"session_id": "s", "tool_name": tool, "tool_input": {}}),
        )
        .exit
    };
    assert_eq!(
        (of("plan_exit"), of("read"), of("mcp__my_db__x")),
        (0, 0, 2)
    );
}

#[test]
fn a_rule_that_names_a_server_asks_where_nothing_names_it() {
    let payload = json!({"conversation_id": "c", "generation_id": "g", "tool_name": "drop_table", "tool_input": "{}"});
    let said = asked(
        r#"{"mcp_deny":["mcp__my_db.*"]}"#,
        "cursor",
        "beforeMCPExecution",
        &payload,
    );
    assert!(
        said.stdout.contains("\"ask\"") && said.stdout.contains("may be on the deny list"),
        "{said:?}"
    );
    let payload = json!({"conversationId": "c", "workspacePaths": ["/"], "toolCall": {"name": "call_mcp_tool", "args": {}}});
    let said = asked(
        r#"{"mcp_deny":["mcp__my_db__drop"]}"#,
        "antigravity",
        "PreToolUse",
        &payload,
    );
    assert!(said.stdout.contains("force_ask"), "{said:?}");
    let said = asked("{}", "antigravity", "PreToolUse", &payload);
    assert!(said.stdout.contains("\"allow\""), "{said:?}");
}

/// What nine real clients sent when the model called the tool `look_up` of the server `team_notes`.
#[test]
fn captured_calls_obey_rules_in_the_canonical_spelling() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seen = 0;
    for builtin in gitvow::spec::builtin::ALL {
        let Ok(captures) = std::fs::read_dir(root.join(builtin.name).join("captures")) else {
            continue;
        };
        for file in captures.map(|f| f.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let Some(event) = name
                .strip_suffix("-mcp.json")
                .and_then(|n| n.split('-').nth(1))
            else {
                continue;
            };
            let payload: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            let text = |policy: &str| {
                let said = asked(policy, builtin.name, event, &payload);
                said.stdout + &said.stderr
            };
            let denied = text(r#"{"mcp_deny":["mcp__team_notes__look_.*"]}"#);
            assert!(denied.contains("deny list"), "{name}: {denied}");
            let other = text(r#"{"mcp_deny":["mcp__team_notes__forget","mcp__other__look_up"]}"#);
            assert!(!other.contains("list"), "{name}: {other}");
            let allowed = text(r#"{"mcp_allow":["mcp__team_notes__.*"]}"#);
            // OpenCode's `team_notes_look_up` may be the tool `notes_look_up` of `team`.
            assert_eq!(
                !allowed.contains("allow list"),
                builtin.name != "opencode",
                "{name}: {allowed}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 9, "only {seen} captures of MCP calls");
}

/// A shell line or a file stays what it is when an MCP server is asked to run or write it.
#[test]
fn servers_that_run_lines_and_write_files_are_judged_by_them_too() {
    let policy = r#"{"bash_deny":[{"program":"git","verbs":["push"],"flags":["-f"],"reason":"forced push"}],
        "path_deny":[{"pattern":"/guarded$","reason":"guarded file"}]}"#;
    let claude = |tool: &str, input: Value| json!({"session_id": "s", "permission_mode": "default", "tool_name": tool, "tool_input": input});
    let agy = |tool: &str, args: Value| json!({"toolCall": {"name": "call_mcp_tool", "args": {"ServerName": "fs", "ToolName": tool, "Arguments": args}}});
    for (agent, event, payload, expected) in [
        (
            "claude",
            "PreToolUse",
            claude("mcp__workspace__bash", json!({"command": "git push -f"})),
            "forced push",
        ),
        (
            "claude",
            "PreToolUse",
            claude("mcp__sh__execute", json!({"cmd": "sudo git push -f"})),
            "forced push",
        ),
        (
            "claude",
            "PreToolUse",
            claude(
                "mcp__fs__write_file",
                json!({"path": "/w/guarded", "content": ""}),
            ),
            "guarded file",
        ),
        (
            "claude",
            "PreToolUse",
            claude(
                "mcp__fs__moveFile",
                json!({"source": "/w/x", "destination": "/w/guarded"}),
            ),
            "guarded file",
        ),
        (
            "claude",
            "PreToolUse",
            claude(
                "mcp__fs__edit",
                json!({"edits": [{"path": "/w/a"}, {"path": "/w/guarded"}]}),
            ),
            "guarded file",
        ),
        (
            "claude",
            "PreToolUse",
            claude(
                "mcp__fs__write_file",
                json!({"path": "~/.gitvow/policy.json"}),
            ),
            "gitvow's own state",
        ),
        (
            "copilot",
            "preToolUse",
            json!({"sessionId": "s", "timestamp": 1, "toolName": "fs-write_file", "toolArgs": {"path": "/w/guarded"}}),
            "guarded file",
        ),
        (
            "opencode",
            "PreToolUse",
            json!({"tool_name": "fs_write_file", "tool_input": {"path": "/w/guarded"}}),
            "guarded file",
        ),
        (
            "cursor",
            "beforeMCPExecution",
            json!({"conversation_id": "c", "generation_id": "g", "tool_name": "write_file", "tool_input": "{\"path\":\"/w/guarded\"}"}),
            "guarded file",
        ),
        (
            "antigravity",
            "PreToolUse",
            agy("write_file", json!({"path": "/w/guarded"})),
            "guarded file",
        ),
        (
            "gemini",
            "BeforeTool",
            json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_fs_write_file", "tool_input": {"file_path": "/w/guarded"}}),
            "guarded file",
        ),
    ] {
        let said = asked(policy, agent, event, &payload);
        assert!(
            (said.stdout.clone() + &said.stderr).contains(expected),
            "{agent} {payload}: {said:?}"
        );
    }
    for payload in [
        claude("mcp__fs__read_file", json!({"path": "/w/guarded"})),
        claude(
            "mcp__fs__write_file",
            json!({"path": "/w/free", "content": "git push -f"}),
        ),
        claude("mcp__sh__run", json!({"command": "git push"})),
        claude("mcp__db__query", json!({"command": {"find": 1}})),
        claude(
            "mcp__notes__create",
            json!({"title": "git push -f", "text": "/w/guarded"}),
        ),
    ] {
        assert_eq!(
            asked(policy, "claude", "PreToolUse", &payload).stdout,
            "",
            "{payload}"
        );
    }
}
