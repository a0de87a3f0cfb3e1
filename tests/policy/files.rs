//! Every file that a call names is judged, wherever it stands among others.

use crate::run::{command, home, run};
use serde_json::{Value, json};

const POLICY: &str = r#"{"path_deny":[{"pattern":"(^|/)guarded$","reason":"guarded file"}]}"#;

/// Tools that write more than one file, or that carry a file under an unusual name: `@` stands for the file looked for.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Update File: b\n*** Move to: @\n*** End Patch\n";
    let last = "*** Begin Patch\n*** Add File: a\n+1\n*** Delete File: @\n*** End Patch\n";
    let claude = |tool: &str, input: Value| {
        json!({"session_id": "s", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
    };
    let vscode = |tool: &str, input: Value| json!({"sessionId": "s", "hookEventName": "PreToolUse", "tool_name": tool, "tool_input": input});
    let copilot = |tool: &str, args: Value| json!({"sessionId": "s", "timestamp": 1, "toolName": tool, "toolArgs": args});
    let codex = |input: Value| json!({"session_id": "s", "turn_id": "1", "model": "m", "tool_name": "apply_patch", "tool_input": input});
    let kimi = |tool: &str, input: Value| json!({"client_type": "kimi_code_cli", "session_id": "s", "tool_name": tool, "tool_input": input});
    let agy = |tool: &str, args: Value| json!({"conversationId": "c", "workspacePaths": ["/"], "toolCall": {"name": tool, "args": args}});
    let cursor = |tool: &str, input: Value| json!({"conversation_id": "c", "generation_id": "g", "tool_name": tool, "tool_input": input});
    let replacements = json!({"replacements": [{"filePath": "/a", "oldString": "x", "newString": "y"},
        {"filePath": "@", "oldString": "x", "newString": "y"}]});
    let edits =
        json!([{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}]);
    vec![
        (
            "claude",
            "PreToolUse",
            claude("MultiEdit", json!({"file_path": "@", "edits": edits})),
        ),
        (
            "claude",
            "PreToolUse",
            claude(
                "NotebookEdit",
                json!({"notebook_path": "@", "new_source": "x"}),
            ),
        ),
        (
            "claude",
            "PreToolUse",
            claude("NewEditor", json!({"file_path": "@", "content": "x"})),
        ),
        (
            "claude",
            "PreToolUse",
            vscode("multi_replace_string_in_file", replacements.clone()),
        ),
        (
            "copilot",
            "PreToolUse",
            vscode("multi_replace_string_in_file", replacements),
        ),
        (
            "copilot",
            "PreToolUse",
            vscode("apply_patch", json!({"input": patch})),
        ),
        (
            "copilot",
            "PreToolUse",
            vscode(
                "insert_edit_into_file",
                json!({"filePath": "@", "code": "x"}),
            ),
        ),
        (
            "copilot",
            "PreToolUse",
            vscode(
                "edit_notebook_file",
                json!({"filePath": "@", "newCode": "x"}),
            ),
        ),
        (
            "copilot",
            "preToolUse",
            copilot("apply_patch", json!(patch)),
        ),
        (
            "copilot",
            "preToolUse",
            copilot("apply_patch", json!({"patch": last})),
        ),
        (
            "copilot",
            "preToolUse",
            copilot("edit", json!("{\"path\": \"@\", \"old_str\": \"1\"}")),
        ),
        ("codex", "PreToolUse", codex(json!({"command": patch}))),
        ("codex", "PreToolUse", codex(json!({"input": last}))),
        (
            "factory",
            "PreToolUse",
            claude("ApplyPatch", json!({"input": patch})),
        ),
        (
            "factory",
            "PreToolUse",
            claude("MultiEdit", json!({"file_path": "@", "edits": edits})),
        ),
        (
            "opencode",
            "PreToolUse",
            json!({"tool_name": "multiedit", "tool_input": {"filePath": "/a",
            "edits": [{"filePath": "/a", "oldString": "1"}, {"filePath": "@", "oldString": "1"}]}}),
        ),
        (
            "opencode",
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"patchText": last}}),
        ),
        (
            "kimi",
            "PreToolUse",
            kimi("Edit", json!({"path": "@", "edits": edits})),
        ),
        (
            "kimi",
            "PreToolUse",
            kimi("Write", json!({"path": "@", "content": "x"})),
        ),
        (
            "qwen",
            "PreToolUse",
            claude(
                "notebook_edit",
                json!({"notebook_path": "@", "new_source": "x"}),
            ),
        ),
        (
            "grok",
            "PreToolUse",
            claude("apply_patch", json!({"patch": patch})),
        ),
        (
            "grok",
            "PreToolUse",
            claude(
                "hashline_edit",
                json!({"path": "@", "edits": [{"op": "x"}]}),
            ),
        ),
        (
            "antigravity",
            "PreToolUse",
            agy(
                "multi_replace_file_content",
                json!({"TargetFile": "@", "ReplacementChunks": []}),
            ),
        ),
        (
            "antigravity",
            "PreToolUse",
            agy("sed_file", json!({"TargetFile": "@"})),
        ),
        (
            "cursor",
            "preToolUse",
            cursor("Delete", json!({"path": "@"})),
        ),
        (
            "cursor",
            "preToolUse",
            cursor(
                "StrReplace",
                json!({"path": "@", "old_string": "x", "new_string": "y"}),
            ),
        ),
        (
            "gemini",
            "BeforeTool",
            json!({"hook_event_name": "BeforeTool", "tool_name": "replace", "tool_input": {"file_path": "@", "new_string": "x"}}),
        ),
    ]
}

fn filled(payload: &Value, file: &str) -> String {
    payload.to_string().replace('@', file)
}

#[test]
fn no_file_hides_behind_another() {
    let home = home(Some(POLICY));
    for (agent, event, payload) in calls() {
        let said = |file: &str| {
            let said = run(
                command(home.path(), &["hook", "--agent", agent, event]),
                filled(&payload, file).as_bytes(),
            );
            said.stdout + &said.stderr
        };
        assert!(
            said("/w/guarded").contains("guarded file"),
            "{agent} {payload}: {}",
            said("/w/guarded")
        );
        assert!(
            !said("/w/free").contains("BLOCKED"),
            "{agent} {payload}: {}",
            said("/w/free")
        );
    }
}

#[test]
fn reading_a_file_is_no_write() {
    let home = home(Some(POLICY));
    for tool in ["Read", "Grep", "Glob", "LS"] {
        let payload = json!({"session_id": "s", "permission_mode": "default", "tool_name": tool,
            "tool_input": {"file_path": "/w/guarded", "path": "/w/guarded", "pattern": "x", "limit": 5}});
        let said = run(
            command(home.path(), &["hook", "PreToolUse"]),
            payload.to_string().as_bytes(),
        );
        assert_eq!((said.exit, said.stdout.as_str()), (0, ""), "{tool}");
    }
}

#[test]
fn every_tool_that_runs_a_line_is_the_shell() {
    let home = home(None);
    for (agent, event, payload) in [
        (
            "claude",
            "PreToolUse",
            json!({"tool_name": "Monitor", "tool_input": {"command": "git push -f"}}),
        ),
        (
            "claude",
            "PreToolUse",
            json!({"tool_name": "PowerShell", "tool_input": {"command": "git push -f"}}),
        ),
        (
            "codex",
            "PreToolUse",
            json!({"turn_id": "1", "model": "m", "tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "git push -f"]}}),
        ),
        (
            "codex",
            "PreToolUse",
            json!({"turn_id": "1", "model": "m", "tool_name": "shell", "tool_input": {"command": ["git", "push", "-f"]}}),
        ),
        (
            "qwen",
            "PreToolUse",
            json!({"permission_mode": "x", "tool_name": "monitor", "tool_input": {"command": "git push -f"}}),
        ),
        (
            "grok",
            "PreToolUse",
            json!({"hookEventName": "pre_tool_use", "toolName": "run_terminal_cmd", "toolInput": {"command": "git push -f"}}),
        ),
        (
            "copilot",
            "preToolUse",
            json!({"sessionId": "s", "timestamp": 1, "toolName": "write_bash", "toolArgs": {"input": "git push -f{enter}"}}),
        ),
        (
            "copilot",
            "PreToolUse",
            json!({"sessionId": "s", "hookEventName": "PreToolUse", "tool_name": "create_and_run_task",
            "tool_input": {"task": {"command": "git", "args": ["push", "--force"]}}}),
        ),
        (
            "copilot",
            "PreToolUse",
            json!({"sessionId": "s", "hookEventName": "PreToolUse", "tool_name": "send_to_terminal", "tool_input": {"id": "1", "command": "git push -f"}}),
        ),
        (
            "antigravity",
            "PreToolUse",
            json!({"toolCall": {"name": "send_command_input", "args": {"CommandId": "1", "Input": "git push -f\n"}}}),
        ),
    ] {
        let said = run(
            command(home.path(), &["hook", "--agent", agent, event]),
            payload.to_string().as_bytes(),
        );
        let text = said.stdout + &said.stderr;
        assert!(text.contains("forced push"), "{agent} {payload}: {text}");
    }
    // Typing nothing, and vectors whose words only look like a line.
    let nothing = json!({"toolCall": {"name": "send_command_input", "args": {"CommandId": "1", "Terminate": true}}});
    let said = run(
        command(
            home.path(),
            &["hook", "--agent", "antigravity", "PreToolUse"],
        ),
        nothing.to_string().as_bytes(),
    );
    assert!(said.stdout.contains("allow"), "{said:?}");
    let vector = json!({"turn_id": "1", "model": "m", "tool_name": "shell", "tool_input": {"command": ["echo", "x; git push -f"]}});
    let said = run(
        command(home.path(), &["hook", "--agent", "codex", "PreToolUse"]),
        vector.to_string().as_bytes(),
    );
    assert_eq!(said.stdout, "", "{said:?}");
}
