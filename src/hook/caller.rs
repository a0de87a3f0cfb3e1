//! Who is really calling (facts 14). Pure.
//!
//! Agents load each other's files: `--agent claude` may be run by Grok, Copilot, Cursor or VS Code. The
//! payload decides whose form is answered; a variable of the environment leaks into nested agents and
//! decides nothing, but where it alone disagrees a denial takes the form that all obey.

use super::json::Json;

/// The agent that the payload names or is shaped as, when that can be told. `asked` is the entry's agent.
pub fn by_payload(payload: &Json<'_>, asked: &str) -> Option<&'static str> {
    let has = |key: &str| payload.get(key).is_some();
    let text = |key: &str| payload.get(key).and_then(Json::str);
    if payload.get("toolCall").is_some_and(Json::is_object)
        || (has("conversationId") && (has("workspacePaths") || has("artifactDirectoryPath")))
    {
        return Some("antigravity");
    }
    if has("cursor_version") || (has("conversation_id") && has("generation_id")) {
        return Some("cursor");
    }
    if text("client_type") == Some("kimi_code_cli") {
        return Some("kimi");
    }
    // Grok 1.0.41 sends both spellings, older ones camelCase with a value in snake_case.
    let snake = text("hookEventName").is_some_and(|e| e.contains('_') || e == e.to_lowercase());
    if (has("hookEventName") && has("hook_event_name"))
        || (has("hookEventName") && snake)
        || (has("sessionId") && has("workspaceRoot"))
        || (has("toolInput") && has("tool_input"))
    {
        return Some("grok");
    }
    // Droid's documents show camelCase too, and nobody else loads its file.
    if asked == "factory" {
        return None;
    }
    // VS Code mixes `sessionId` with `tool_name`; Copilot's camelCase has `toolArgs`. One planner has both.
    if has("toolArgs") || (has("sessionId") && has("hookEventName")) {
        return Some("copilot");
    }
    if has("sessionId")
        && payload
            .get("timestamp")
            .is_some_and(|t| matches!(t, Json::Number(_)))
    {
        return Some("copilot");
    }
    if has("turn_id") && has("model") {
        return Some("codex");
    }
    let event = text("hook_event_name").unwrap_or_default();
    if matches!(
        event,
        "BeforeTool" | "AfterTool" | "BeforeAgent" | "AfterAgent"
    ) {
        return Some("gemini");
    }
    // Copilot 1.0.102 runs Claude's file with Claude's names of events and tools, but its own arguments, a time, and
    // neither transcript nor permission mode.
    let bare = !has("transcript_path") && !has("permission_mode");
    if asked == "claude" && bare && has("hook_event_name") && text("timestamp").is_some() {
        return Some("copilot");
    }
    match text("tool_name") {
        Some("run_shell_command") if has("permission_mode") => Some("qwen"),
        Some("Execute" | "ApplyPatch") => Some("factory"),
        _ => None,
    }
}

/// Does the environment name another agent than `agent`?
pub fn environment_disagrees(agent: &str, var: &dyn Fn(&str) -> bool) -> bool {
    let signs: [(&str, &[&str]); 7] = [
        ("grok", &["GROK_HOOK_EVENT"]),
        ("copilot", &["COPILOT_CLI", "COPILOT_PROJECT_DIR"]),
        ("gemini", &["GEMINI_SESSION_ID"]),
        ("qwen", &["QWEN_CODE_SESSION_ID", "QWEN_CODE"]),
        ("cursor", &["CURSOR_VERSION"]),
        ("factory", &["DROID_PROJECT_DIR"]),
        ("claude", &["CLAUDECODE"]),
    ];
    signs
        .iter()
        .any(|(name, variables)| *name != agent && variables.iter().any(|v| var(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_name_their_agents() {
        for (payload, expected) in [
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","prompt_id":"p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash"}"#,
                None,
            ),
            (
                r#"{"session_id":"s","turn_id":"1","model":"gpt","hook_event_name":"PreToolUse"}"#,
                Some("codex"),
            ),
            (
                r#"{"hook_event_name":"BeforeTool","session_id":"s","timestamp":"x"}"#,
                Some("gemini"),
            ),
            (
                r#"{"cursor_version":"1","hook_event_name":"preToolUse"}"#,
                Some("cursor"),
            ),
            (
                r#"{"sessionId":"s","timestamp":1,"toolName":"bash","toolArgs":"{}"}"#,
                Some("copilot"),
            ),
            (
                r#"{"sessionId":"s","hookEventName":"PreToolUse","tool_name":"run_in_terminal"}"#,
                Some("copilot"),
            ),
            (
                r#"{"toolCall":{"name":"run_command"}}"#,
                Some("antigravity"),
            ),
            (
                r#"{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","sessionId":"s","session_id":"s"}"#,
                Some("grok"),
            ),
            (
                r#"{"hookEventName":"pre_tool_use","sessionId":"s","toolName":"x"}"#,
                Some("grok"),
            ),
            (
                r#"{"client_type":"kimi_code_cli","hook_event_name":"PreToolUse"}"#,
                Some("kimi"),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","permission_mode":"yolo","tool_name":"run_shell_command"}"#,
                Some("qwen"),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Execute"}"#,
                Some("factory"),
            ),
        ] {
            let json = Json::parse(payload.as_bytes()).unwrap();
            assert_eq!(by_payload(&json, "claude"), expected, "{payload}");
        }
    }

    #[test]
    fn the_environment_disagrees_only_by_another_agents_sign() {
        let grok = |v: &str| v == "GROK_HOOK_EVENT";
        assert!(environment_disagrees("claude", &grok));
        assert!(!environment_disagrees("grok", &grok));
        assert!(!environment_disagrees("claude", &|v| v == "CLAUDECODE"));
        assert!(environment_disagrees("codex", &|v| v == "CLAUDECODE"));
    }
}
