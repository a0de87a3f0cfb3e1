//! What each agent does with an answer: held to the recorded runs by `transcripts`. Cursor, Antigravity and VS Code:
//! documents and third parties only.

use crate::run::Said;
use serde_json::Value;

/// What happens to the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It runs, with the agent's own prompts.
    Runs,
    /// A person is asked, with this text.
    Asks(String),
    /// It doesn't run, and the model sees this text (empty: none of ours).
    Blocks(String),
}

/// What `agent` does.
pub fn effect(agent: &str, event: &str, payload: &[u8], said: &Said) -> Effect {
    let json: Value = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
    let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str);
    let owned = |pointer: &str| text(pointer).unwrap_or_default().to_owned();
    let hso = text("/hookSpecificOutput/permissionDecision");
    let hso_reason = || owned("/hookSpecificOutput/permissionDecisionReason");
    let decision = text("/decision");
    let stops = json.get("continue") == Some(&Value::Bool(false));
    let stderr = || said.stderr.trim().to_owned();
    let shaped: Value = serde_json::from_slice(payload).unwrap_or(Value::Null);
    match (agent, said.exit) {
        ("gemini", 2..) | ("opencode", 2) => Effect::Blocks(stderr()),
        ("opencode", 0) => Effect::Runs,
        ("opencode", _) => Effect::Blocks(stderr()),
        ("copilot", 1..) => Effect::Blocks(String::new()),
        (_, 2) => Effect::Blocks(stderr()),
        ("claude" | "qwen", _) if hso == Some("deny") => Effect::Blocks(hso_reason()),
        ("claude" | "qwen", _) if hso == Some("ask") => Effect::Asks(hso_reason()),
        ("claude", 0) if decision == Some("block") => Effect::Blocks(owned("/reason")),
        ("qwen", 0) if matches!(decision, Some("block" | "deny")) => {
            Effect::Blocks(owned("/reason"))
        }
        // In a headless run; whether it asks a person elsewhere nobody has seen.
        ("qwen", 0) if decision == Some("ask") => Effect::Blocks(owned("/reason")),
        ("qwen", 0) if stops => Effect::Blocks(owned("/stopReason")),
        // The session hangs or ends; the model is told nothing.
        ("gemini", 0) if decision == Some("ask") || stops => Effect::Blocks(String::new()),
        ("factory", 0) if stops => Effect::Blocks(String::new()),
        ("factory", _) if hso == Some("deny") => Effect::Blocks(hso_reason()),
        ("codex" | "kimi", 0) if hso == Some("deny") => Effect::Blocks(hso_reason()),
        ("codex", 0) if decision == Some("block") => Effect::Blocks(owned("/reason")),
        ("gemini", 0) if matches!(decision, Some("block" | "deny")) => {
            Effect::Blocks(owned("/reason"))
        }
        ("grok", _) if matches!(decision, Some("block" | "deny")) => {
            Effect::Blocks(owned("/reason"))
        }
        ("grok", _) if hso == Some("deny") => Effect::Blocks(hso_reason()),
        ("copilot", 0) => {
            let flat = text("/permissionDecision");
            let flat_reason = owned("/permissionDecisionReason");
            // VS Code's shape takes Claude's form alone; PascalCase takes both; camelCase the flat one alone.
            let vscode = shaped.get("hookEventName").is_some();
            let pascal = shaped.get("hook_event_name").is_some();
            match (flat.filter(|_| !vscode), hso.filter(|_| vscode || pascal)) {
                (Some("deny"), _) => Effect::Blocks(flat_reason),
                (Some("ask"), _) => Effect::Asks(flat_reason),
                (_, Some("deny")) => Effect::Blocks(hso_reason()),
                (_, Some("ask")) => Effect::Asks(hso_reason()),
                _ => Effect::Runs,
            }
        }
        ("cursor", 0) => match text("/permission") {
            Some("allow") => Effect::Runs,
            Some("deny") => Effect::Blocks(owned("/agent_message")),
            // `preToolUse` accepts the word and runs the tool.
            Some("ask") if event == "preToolUse" => Effect::Runs,
            Some("ask") => Effect::Asks(owned("/user_message")),
            _ => Effect::Blocks(String::new()),
        },
        ("antigravity", 0) => match decision {
            Some("allow" | "auto_approve") => Effect::Runs,
            Some("deny") => Effect::Blocks(owned("/reason")),
            Some("ask" | "force_ask") => Effect::Asks(owned("/reason")),
            _ => Effect::Blocks(String::new()),
        },
        _ => Effect::Runs,
    }
}
