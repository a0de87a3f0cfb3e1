//! Payloads for a rehearsal, in each agent's own shape (fixtures/*/captures; Cursor and Antigravity: documents).
//! They name no file that exists and no person.

use serde_json::{Map, Value, json};

/// What the rehearsal's own policy says of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing.
    Allow,
    /// That it must not run.
    Deny,
    /// That a person is to be asked.
    Ask,
}

impl Wanted {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }

    fn word(self) -> String {
        format!("selftest-{}", self.name())
    }
}

/// The policy that the samples are judged by: the user's own may say anything, so it is only loaded.
pub(super) fn policy() -> String {
    json!({
        "bash_deny": [{"pattern": "selftest-deny", "reason": "the selftest asks for a denial"}],
        "bash_confirm": [{"pattern": "selftest-ask", "reason": "the selftest asks for a question"}],
        "path_deny": [{"pattern": "selftest-deny", "reason": "the selftest asks for a denial"}],
        "path_confirm": [{"pattern": "selftest-ask", "reason": "the selftest asks for a question"}],
        "mcp_deny": ["mcp__selftest__selftest-deny"],
    })
    .to_string()
}

/// The answers that a sample of this event can provoke: an MCP tool can't be asked about by a pattern.
pub(super) fn provokes(event: &str, before_tool: bool) -> &'static [Wanted] {
    match (before_tool, event) {
        (false, _) => &[Wanted::Allow],
        (true, "beforeMCPExecution") => &[Wanted::Allow, Wanted::Deny],
        (true, _) => &[Wanted::Allow, Wanted::Deny, Wanted::Ask],
    }
}

/// What `agent` would send for `event`; `cwd`: the directory it works in.
pub(super) fn payload(agent: &str, event: &str, wanted: Wanted, cwd: &str) -> Value {
    let line = format!("echo {}", wanted.word());
    match agent {
        "cursor" => cursor(event, wanted, &line, cwd),
        "antigravity" => antigravity(event, &line, cwd),
        "copilot" => copilot(event, &line, cwd),
        _ => claude_like(agent, event, &line, cwd),
    }
}

fn with(mut base: Value, more: Value) -> Value {
    if let (Value::Object(base), Value::Object(more)) = (&mut base, more) {
        base.extend::<Map<_, _>>(more);
    }
    base
}

fn is_tool(event: &str) -> bool {
    let event = event.to_ascii_lowercase();
    event.contains("tool") || event.contains("shell")
}

fn claude_like(agent: &str, event: &str, line: &str, cwd: &str) -> Value {
    let base = json!({
        "session_id": "selftest", "transcript_path": "/nonexistent", "cwd": cwd, "hook_event_name": event,
        "permission_mode": "default",
    });
    let tool = match agent {
        "gemini" | "qwen" => "run_shell_command",
        "factory" => "Execute",
        "grok" => "run_terminal_command",
        "opencode" => "bash",
        _ => "Bash",
    };
    let input = json!({"command": line, "description": "selftest"});
    let mut out = if is_tool(event) {
        with(
            base,
            json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t1"}),
        )
    } else {
        with(
            base,
            json!({"prompt": "selftest", "source": "startup", "reason": "other", "stop_hook_active": false}),
        )
    };
    match agent {
        "codex" => out = with(out, json!({"turn_id": "t", "model": "m"})),
        "kimi" => {
            out = with(
                out,
                json!({"client_type": "kimi_code_cli", "tool_call_id": "t1"}),
            );
        }
        "gemini" => out = with(out, json!({"timestamp": "2026-11-30T10:00:00.000Z"})),
        "grok" => {
            let mut both = json!({"hookEventName": snake(event), "sessionId": "selftest", "workspaceRoot": cwd});
            if is_tool(event) {
                both = with(
                    both,
                    json!({"toolName": tool, "toolInput": input, "toolUseId": "t1"}),
                );
            }
            out = with(out, both);
        }
        _ => {}
    }
    out
}

fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn copilot(event: &str, line: &str, cwd: &str) -> Value {
    let base = json!({"sessionId": "selftest", "timestamp": 1, "cwd": cwd});
    if is_tool(event) {
        let args = json!({"command": line, "description": "selftest"});
        return with(base, json!({"toolName": "bash", "toolArgs": args}));
    }
    with(
        base,
        json!({"source": "new", "prompt": "selftest", "reason": "complete"}),
    )
}

fn cursor(event: &str, wanted: Wanted, line: &str, cwd: &str) -> Value {
    let base = json!({
        "conversation_id": "selftest", "generation_id": "g", "model": "m", "hook_event_name": event,
        "cursor_version": "2026.07.16", "workspace_roots": [cwd], "transcript_path": null,
    });
    let more = match event {
        // A shell call is asked about at beforeShellExecution: here a file is written.
        "preToolUse" => json!({
            "tool_name": "Write", "tool_use_id": "t1", "cwd": cwd,
            "tool_input": {"file_path": format!("{cwd}/{}.txt", wanted.word()), "content": "x"},
        }),
        "beforeShellExecution" => json!({"command": line, "cwd": cwd, "sandbox": false}),
        "afterShellExecution" => json!({"command": line, "cwd": cwd, "output": ""}),
        "beforeMCPExecution" => json!({
            "mcp_server_name": "selftest", "tool_name": wanted.word(), "tool_input": "{}",
        }),
        "afterFileEdit" => json!({"file_path": format!("{cwd}/selftest.txt"), "edits": []}),
        _ => {
            json!({"prompt": "selftest", "attachments": [], "status": "completed", "loop_count": 0})
        }
    };
    with(base, more)
}

fn antigravity(event: &str, line: &str, cwd: &str) -> Value {
    let base = json!({
        "conversationId": "selftest", "workspacePaths": [cwd], "stepIdx": 1, "modelName": "m",
        "transcriptPath": "/nonexistent", "artifactDirectoryPath": "/nonexistent",
    });
    if is_tool(event) {
        let call = json!({"name": "run_command", "args": {"CommandLine": line, "Cwd": cwd}});
        return with(base, json!({"toolCall": call}));
    }
    base
}
