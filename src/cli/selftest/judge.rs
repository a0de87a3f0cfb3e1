//! What an agent does with an answer, by its own rules: measured for most (vendor-facts 13 and 18, versions there), by
//! documents for Cursor and Antigravity. It knows nothing of how gitvow writes answers, on purpose.

use serde_json::Value;

/// What a hook's process left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) exit: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// What then happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The tool runs.
    Runs,
    /// A person is asked first.
    Asks,
    /// It doesn't run.
    Blocks,
}

impl Effect {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Runs => "the tool runs",
            Self::Asks => "a person is asked",
            Self::Blocks => "the tool doesn't run",
        }
    }
}

/// Before a tool.
pub(super) fn gate(agent: &str, event: &str, said: &Said) -> Effect {
    let json: Value = serde_json::from_str(&said.stdout).unwrap_or(Value::Null);
    let word = |pointer: &str| json.pointer(pointer).and_then(Value::as_str);
    let nested = word("/hookSpecificOutput/permissionDecision");
    let flat = word("/permissionDecision");
    let decision = word("/decision");
    let by = |blocks: bool, asks: bool| match (blocks, asks) {
        (true, _) => Effect::Blocks,
        (_, true) => Effect::Asks,
        _ => Effect::Runs,
    };
    match (agent, said.exit) {
        // Any failure denies there.
        ("copilot", 1..) | ("opencode", 1..) | ("gemini", 2..) | ("cursor", 1..) => Effect::Blocks,
        (_, 2) => Effect::Blocks,
        ("opencode", _) => Effect::Runs,
        ("claude", _) => by(
            nested == Some("deny") || decision == Some("block") && said.exit == 0,
            nested == Some("ask"),
        ),
        ("qwen", _) => by(
            nested == Some("deny") || matches!(decision, Some("block" | "deny")) && said.exit == 0,
            nested == Some("ask"),
        ),
        ("codex", 0) => by(nested == Some("deny") || decision == Some("block"), false),
        ("kimi" | "factory", 0) => by(nested == Some("deny"), false),
        ("gemini", 0) => by(matches!(decision, Some("block" | "deny")), false),
        ("grok", _) => by(
            matches!(decision, Some("block" | "deny")) || nested == Some("deny"),
            // Asked before 1.0.6x it ran.
            false,
        ),
        ("copilot", 0) => by(flat == Some("deny"), flat == Some("ask")),
        ("cursor", 0) => match word("/permission") {
            Some("allow") => Effect::Runs,
            Some("ask") if event == "preToolUse" => Effect::Runs,
            Some("ask") => Effect::Asks,
            _ => Effect::Blocks,
        },
        ("antigravity", 0) => match decision {
            Some("allow" | "auto_approve") => Effect::Runs,
            Some("ask" | "force_ask") => Effect::Asks,
            _ => Effect::Blocks,
        },
        _ => Effect::Runs,
    }
}

/// At any other event: does the answer leave the agent alone? Else why not.
pub(super) fn disturbs(said: &Said) -> Option<String> {
    if said.exit != 0 {
        return Some(format!("it ended with exit code {}", said.exit));
    }
    let json: Value = match serde_json::from_str(&said.stdout) {
        Ok(json) => json,
        Err(_) if said.stdout.trim().is_empty() => return None,
        Err(_) => return Some("it printed something that is no JSON".to_owned()),
    };
    let stops = json.get("continue") == Some(&Value::Bool(false))
        || matches!(
            json.get("decision").and_then(Value::as_str),
            Some("block" | "deny")
        );
    stops.then(|| "its answer would stop the agent".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(exit: i32, stdout: &str) -> Said {
        Said {
            exit,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        }
    }

    /// The deny matrix, where the forms differ between agents.
    #[test]
    fn agents_read_answers_as_measured() {
        let nested = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let decision = r#"{"decision":"deny"}"#;
        let flat = r#"{"permissionDecision":"deny"}"#;
        let silent = "";
        for (agent, answer, exit, effect) in [
            ("claude", nested, 0, Effect::Blocks),
            ("claude", nested, 1, Effect::Blocks),
            ("claude", decision, 0, Effect::Runs),
            ("codex", nested, 1, Effect::Runs),
            ("gemini", nested, 0, Effect::Runs),
            ("gemini", decision, 0, Effect::Blocks),
            ("gemini", silent, 127, Effect::Blocks),
            ("copilot", nested, 0, Effect::Runs),
            ("copilot", flat, 0, Effect::Blocks),
            ("copilot", silent, 127, Effect::Blocks),
            ("claude", silent, 127, Effect::Runs),
            ("kimi", decision, 0, Effect::Runs),
            ("grok", decision, 0, Effect::Blocks),
            ("cursor", silent, 0, Effect::Blocks),
            ("cursor", r#"{"permission":"allow"}"#, 0, Effect::Runs),
            ("antigravity", silent, 0, Effect::Blocks),
            ("opencode", silent, 2, Effect::Blocks),
        ] {
            assert_eq!(
                gate(agent, "preToolUse", &said(exit, answer)),
                effect,
                "{agent} {answer} {exit}"
            );
        }
        for agent in crate::spec::builtin::names() {
            assert_eq!(
                gate(agent, "PreToolUse", &said(2, "")),
                Effect::Blocks,
                "{agent}"
            );
        }
    }

    #[test]
    fn other_events_are_left_alone() {
        assert_eq!(disturbs(&said(0, "")), None);
        assert_eq!(disturbs(&said(0, "{}\n")), None);
        for bad in [
            said(2, ""),
            said(0, "x"),
            said(0, r#"{"continue":false}"#),
            said(0, r#"{"decision":"block"}"#),
        ] {
            assert!(disturbs(&bad).is_some(), "{bad:?}");
        }
    }
}
