//! Agents × events × tools × answers: whatever the policy and the payload are, each agent gets an answer that it obeys
//! before a tool, and one that stops nothing at any other event.

use crate::judge::{Effect, effect};
use crate::run::{Said, hook};
use crate::{ALLOW, ASK, Case, DENY, cases};
use std::collections::BTreeSet;

/// Policies that can't be used, with what is quoted of them.
const BROKEN: [(&str, &str); 5] = [
    ("[]", "policy.json"),
    ("{", "policy.json"),
    (r#"{"bash_deny":[{"pattern":"(?=x)"}]}"#, "(?=x)"),
    (r#"{"path_confirm":{}}"#, "path_confirm"),
    (r#"{"mcp_deny":["["]}"#, "`[`"),
];

/// Payloads that can't be judged.
fn payloads() -> Vec<Vec<u8>> {
    let deep = format!("{{\"tool_input\":{}", "[".repeat(500));
    let texts = [
        "",
        " \n",
        "{",
        "[1]",
        "hello",
        "null",
        "true",
        "42",
        "\"x\"",
        "{}",
        "{\"tool_name\":7}",
        &deep,
    ];
    texts.iter().map(|t| t.as_bytes().to_vec()).collect()
}

/// What a case is about.
fn shape(case: &Case) -> &'static str {
    let (event, calls) = case.normalized();
    let tool = |at: usize| calls[at]["tool_name"].as_str().unwrap_or_default();
    match event.name() {
        "SessionStart" => "start",
        "UserPromptSubmit" => "prompt",
        "PostToolUse" => "after",
        "Stop" | "SessionEnd" => "stop",
        _ if calls.len() > 1 => "files",
        _ => match tool(0) {
            "Bash" => "shell",
            "Write" => "write",
            "Edit" | "MultiEdit" | "NotebookEdit" => "edit",
            name if name.starts_with("mcp__") => "mcp",
            _ => "read",
        },
    }
}

#[test]
fn every_agent_has_a_case_of_every_shape_that_it_knows() {
    let all = cases();
    for builtin in gitvow::spec::builtin::ALL {
        let have: BTreeSet<_> = all
            .iter()
            .filter(|c| c.agent == builtin.name)
            .map(shape)
            .collect();
        let mut wanted = BTreeSet::from([
            "start", "prompt", "after", "stop", "shell", "edit", "write", "mcp", "read", "files",
        ]);
        let none: &[&str] = match builtin.name {
            // Its edits are patches.
            "codex" => &["edit", "write"],
            // It registers no event for prompts; an edit names one file.
            "antigravity" => &["prompt", "files"],
            // An edit names one file.
            "claude" | "cursor" | "gemini" | "kimi" | "qwen" => &["files"],
            _ => &[],
        };
        wanted.retain(|shape| !none.contains(shape));
        let lacks: Vec<_> = wanted.difference(&have).collect();
        assert!(lacks.is_empty(), "{}: no case of {lacks:?}", builtin.name);
    }
}

#[test]
fn every_agent_obeys_the_answer_it_gets() {
    for case in cases().iter().filter(|c| c.is_gate()) {
        let name = format!("{}/{}", case.agent, case.name);
        let judged = |said: &Said| effect(&case.agent, &case.event, &case.input, said);
        let allowed = case.hook(ALLOW);
        assert_eq!(judged(&allowed), Effect::Runs, "{name}");
        assert!(
            !allowed.stdout.contains("auto_approve")
                && !allowed.stdout.contains("permissionDecision"),
            "{name}"
        );
        match shape(case) {
            // No rule is about reading.
            "read" => {
                assert_eq!(judged(&case.hook(DENY)), Effect::Runs, "{name}");
                assert_eq!(judged(&case.hook(ASK)), Effect::Runs, "{name}");
            }
            "mcp" => stops(case, "deny list", "allow list"),
            _ => stops(case, "golden reason", "golden reason"),
        }
        for (policy, reason) in BROKEN {
            assert_blocks(&judged(&case.hook(policy)), reason, &name);
        }
        for payload in payloads() {
            let said = hook(
                &["--agent", &case.agent, &case.event],
                &payload,
                Some(ALLOW),
            );
            // A Copilot payload that can't be read has no variant: the flat form is obeyed by both.
            let effect = effect(&case.agent, &case.event, &payload, &said);
            assert_blocks(&effect, "payload", &name);
        }
        let said = hook(
            &["--agent", &case.agent, "--frob", &case.event],
            &case.input,
            Some(ALLOW),
        );
        assert_blocks(&judged(&said), "--frob", &name);
    }
}

/// A denial and a question are obeyed, or the question becomes a denial.
fn stops(case: &Case, denied: &str, asked: &str) {
    let name = format!("{}/{}", case.agent, case.name);
    let judged = |policy: &str| effect(&case.agent, &case.event, &case.input, &case.hook(policy));
    assert_blocks(&judged(DENY), denied, &name);
    let effect = judged(ASK);
    if case.agent == "cursor"
        && case.event == "preToolUse"
        && ["shell", "mcp"].contains(&shape(case))
    {
        // The specific event asks.
        assert_eq!(effect, Effect::Runs, "{name}");
    } else if can_ask(case) {
        assert!(
            matches!(&effect, Effect::Asks(r) if r.contains(asked) && !r.starts_with("BLOCKED")),
            "{name}: {effect:?}"
        );
    } else {
        assert_blocks(&effect, asked, &name);
        assert!(
            matches!(&effect, Effect::Blocks(r) if r.contains("To allow it")),
            "{name}: {effect:?}"
        );
    }
}

/// Where a person can be asked (facts 13 and 18.2).
fn can_ask(case: &Case) -> bool {
    match case.agent.as_str() {
        "claude" => !case.input.windows(17).any(|w| w == b"bypassPermissions"),
        "cursor" => case.event != "preToolUse",
        "copilot" | "antigravity" | "qwen" => true,
        _ => false,
    }
}

/// At any other event nothing is stopped, whatever is wrong: a broken hook can stop an edit, but can't lose a session.
#[test]
fn no_other_event_stops_anything() {
    for case in cases().iter().filter(|c| !c.is_gate()) {
        let name = format!("{}/{}", case.agent, case.name);
        let usual = case.hook(ALLOW);
        goes_on(case, &usual, &name);
        for policy in [DENY, ASK] {
            assert_eq!(case.hook(policy), usual, "{name}");
        }
        for (policy, _) in BROKEN {
            goes_on(case, &case.hook(policy), &name);
        }
        for payload in payloads() {
            let said = hook(&["--agent", &case.agent, &case.event], &payload, Some("{"));
            goes_on(case, &said, &name);
        }
        let said = hook(
            &["--agent", &case.agent, "--frob", &case.event],
            &case.input,
            Some(ALLOW),
        );
        goes_on(case, &said, &name);
    }
}

/// Exit 0, nothing on standard error (Gemini takes it for an answer), and on standard output nothing that stops: text
/// for the model, or what this event must have.
fn goes_on(case: &Case, said: &Said, name: &str) {
    assert_eq!(
        (said.exit, said.stderr.as_str()),
        (0, ""),
        "{name}: {said:?}"
    );
    for word in [
        "deny",
        "block\"",
        "ask\"",
        "\"continue\":false",
        "permission",
    ] {
        assert!(
            !said.stdout.contains(word) || said.stdout.contains("will deny every"),
            "{name}: {said:?}"
        );
    }
    if case.agent == "cursor" && case.event == "beforeSubmitPrompt" {
        assert_eq!(said.stdout, "{\"continue\":true}\n", "{name}");
    }
}

fn assert_blocks(effect: &Effect, reason: &str, name: &str) {
    match effect {
        Effect::Blocks(said) => {
            assert!(said.starts_with("BLOCKED"), "{name}: {said}");
            assert!(
                said.contains(reason),
                "{name}: `{reason}` is not in `{said}`"
            );
        }
        other => panic!("{name}: {other:?} where {reason} should block"),
    }
}
