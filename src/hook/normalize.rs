//! From an agent's payload to calls: a whitelist, driven by the planner's data. Pure.
//!
//! What can't be judged (no tool, a shell tool without a line, an edit without a file) is an error: before
//! a tool that is a denial.

use super::agent::{Agent, Event, Special};
use super::arguments::Arguments;
use super::call::{Call, Tool};
use super::json::Json;
use super::mcp;
use std::borrow::Cow;

/// Reads a payload of `agent` for `event`. Several calls come from a patch of several files.
pub fn normalize<'a>(
    agent: &Agent,
    event: Event,
    special: Option<&Special>,
    payload: &'a Json<'a>,
) -> Result<Vec<Call<'a>>, String> {
    let text = |field: &str, usual: &[&str]| field_text(agent, payload, field, usual);
    let mut call = Call {
        session_id: text("session_id", &["session_id"]),
        transcript_path: text("transcript_path", &["transcript_path"]),
        cwd: text("cwd", &["cwd"]),
        event,
        agent: agent.name.clone(),
        tool: None,
        permission_mode: text("permission_mode", &["permission_mode"]),
        prompt: None,
        end_reason: None,
    };
    match event {
        Event::PreToolUse | Event::PostToolUse => return tools(agent, special, payload, &call),
        Event::UserPromptSubmit => {
            call.prompt = value(agent, payload, "prompt", &["prompt"]).and_then(prompt);
        }
        Event::Stop | Event::SessionEnd => {
            call.end_reason = text("end_reason", &["reason"]);
        }
        Event::SessionStart | Event::Subagent => {}
    }
    Ok(vec![call])
}

fn value<'a>(
    agent: &Agent,
    from: &'a Json<'a>,
    field: &str,
    usual: &[&str],
) -> Option<&'a Json<'a>> {
    let there = |path: &str| from.at(path).filter(|v| !matches!(v, Json::Null));
    match agent.fields.get(field) {
        // An empty text (Cursor's `cwd`, seen by a third party in 2026.07.16) is as good as none.
        Some(paths) => paths
            .iter()
            .find_map(|p| there(p).filter(|v| v.str() != Some(""))),
        None => usual.iter().find_map(|p| there(p)),
    }
}

fn field_text<'a>(
    agent: &Agent,
    from: &'a Json<'a>,
    field: &str,
    usual: &[&str],
) -> Option<Cow<'a, str>> {
    value(agent, from, field, usual)
        .and_then(Json::str)
        .map(Cow::Borrowed)
}

/// A prompt is text, or (Kimi 2.1.0) a list of parts of which some are text.
fn prompt<'a>(value: &'a Json<'a>) -> Option<Cow<'a, str>> {
    if let Some(text) = value.str() {
        return Some(Cow::Borrowed(text));
    }
    let parts = value.items()?.iter();
    let texts: Vec<_> = parts
        .filter_map(|p| p.str().or_else(|| p.get("text")?.str()))
        .collect();
    (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
}

fn tools<'a>(
    agent: &Agent,
    special: Option<&Special>,
    payload: &'a Json<'a>,
    call: &Call<'a>,
) -> Result<Vec<Call<'a>>, String> {
    let input = match special.and_then(|s| s.input) {
        Some(".") => Some(payload),
        Some(path) => payload.at(path),
        None => value(agent, payload, "tool_input", &["tool_input"]),
    };
    let own = match special.and_then(|s| s.tool) {
        Some(template) => Cow::Owned(filled(template, payload).ok_or("the payload names no tool")?),
        None => field_text(agent, payload, "tool_name", &["tool_name"])
            .filter(|name| !name.is_empty())
            .ok_or("the payload names no tool")?,
    };
    let (name, doubt) = match agent.tools.get(own.as_ref()) {
        Some(ours) => (Cow::Borrowed(*ours), None),
        None => match mcp::read(&agent.mcp, payload, &own) {
            Some((name, doubt)) => (Cow::Owned(name), doubt),
            None => (own, None),
        },
    };
    let id = field_text(agent, payload, "tool_use_id", &["tool_use_id"]);
    // Copilot documents its arguments as a JSON text inside the JSON; 1.0.102 sends an object.
    let tools: Vec<Tool<'_>> = match input.and_then(Json::str) {
        Some(text) if text.trim_start().starts_with('{') && name != "patch" => {
            let object = Json::parse(text.as_bytes())
                .map_err(|e| format!("the tool's arguments are not valid JSON ({e})"))?;
            let input = Some(&object);
            let tools = Arguments {
                agent,
                event: call.event,
                input,
            }
            .tools(&name)?;
            tools.into_iter().map(Tool::into_owned).collect()
        }
        _ => Arguments {
            agent,
            event: call.event,
            input,
        }
        .tools(&name)?,
    };
    let one = |tool: Tool<'a>| Call {
        tool: Some(Tool {
            id: id.clone(),
            doubt: doubt.clone(),
            ..tool
        }),
        ..call.clone()
    };
    Ok(tools.into_iter().map(one).collect())
}

/// `MCP:{tool_name}` with the payload's fields.
fn filled(template: &str, payload: &Json<'_>) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('{') {
        let (name, behind) = tail.split_once('}').unwrap_or((tail, ""));
        out.push_str(before);
        out.push_str(payload.get(name)?.str()?);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}
