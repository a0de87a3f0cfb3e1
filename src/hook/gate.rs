//! Which events may come before a tool runs, judged by name alone (spec 4.1). Pure.

/// Could an agent be asking leave here? `PreToolUse`, or a name with `pre` or `before` together with `tool`,
/// `shell`, `exec`, `command`, `mcp`, `edit`, `write` or `file`, in any case. When something fails, such
/// an event is denied and every other goes on.
pub fn may_be_gate(event: &str) -> bool {
    const EARLY: [&str; 2] = ["pre", "before"];
    const TOOL: [&str; 8] = [
        "tool", "shell", "exec", "command", "mcp", "edit", "write", "file",
    ];
    let event = event.to_ascii_lowercase();
    EARLY.iter().any(|w| event.contains(w)) && TOOL.iter().any(|w| event.contains(w))
}

#[cfg(test)]
mod tests {
    use super::may_be_gate;

    #[test]
    fn names_of_gates() {
        for gate in [
            "PreToolUse",
            "preToolUse",
            "BeforeTool",
            "beforeTool",
            "beforeShellExecution",
            "beforeMCPExecution",
            "tool.execute.before",
            "PRE_WRITE",
            "before-file-edit",
        ] {
            assert!(may_be_gate(gate), "{gate}");
        }
        for other in [
            "PostToolUse",
            "afterTool",
            "SessionStart",
            "Stop",
            "PreCompact",
            "beforeSubmitPrompt",
            "afterFileEdit",
            "",
        ] {
            assert!(!may_be_gate(other), "{other}");
        }
    }
}
