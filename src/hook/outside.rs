//! One call of an agent that isn't built in: its adapter translates, we judge, its adapter answers
//! (spec 5.1). What goes wrong before a tool is a denial in the form that blocks everywhere.

use super::agent::{Agent, Event, may_be_gate};
use super::answer::Answer;
use super::gate::HELP;
use super::json::Json;
use super::policy::{self, Ruling, Verdict};
use super::request::Request;
use super::{Noted, Outcome, Place, message, normalize};
use crate::external::{self, Conversation, Reply};
use crate::spec::builtin;
use crate::sys::Sys;

/// Answers a call of an external agent in what is left of the time.
pub fn answer(
    request: &Request,
    payload: Result<&[u8], String>,
    place: &mut Place,
    sys: &Sys<'_>,
) -> Outcome {
    let named = request.event.is_empty() || may_be_gate(&request.event);
    let denial =
        |gate: bool, what: &str| gate.then(|| Answer::plain_denial(&message::failed(what, HELP)));
    super::lay_down(&denial(named, "it did not end by itself").unwrap_or_default());
    let ready = match external::ready(sys, &place.state, &request.agent) {
        Ok(ready) => ready,
        Err(e) => {
            let mut what = e.sentence();
            if let Some(help) = &e.help {
                what = format!("{what} ({help})");
            }
            return Outcome::fault(denial(named, &what), "adapter_failed", what);
        }
    };
    let gate = request.event.is_empty() || ready.is_before_tool(&request.event);
    super::lay_down(&denial(gate, "it did not end by itself").unwrap_or_default());
    if let Some(fault) = &request.fault {
        let what = format!("the hook's arguments are wrong: {fault}");
        return Outcome::fault(denial(gate, &what), "usage_failed", what);
    }
    let value =
        match payload.and_then(|text| serde_json::from_slice(text).map_err(|e| e.to_string())) {
            Ok(value) => value,
            Err(e) => return Outcome::fault(denial(gate, &e), "payload_failed", e),
        };
    // The agent's own limit runs since it started us, and so does ours.
    let left = place.until.saturating_sub(sys.clock.now());
    let gone = super::WORK_LIMIT.saturating_sub(left);
    let budget = ready.budget(&request.event).saturating_sub(gone).min(left);
    let (state, cwd) = (place.state.clone(), place.cwd.clone());
    let talk = Conversation::begin(sys, &ready, &state, &cwd, budget);
    let normalized = match talk.normalize(&request.event, &value) {
        Ok(calls) => calls,
        Err(e) => {
            let what = e.sentence();
            let mut outcome = Outcome::fault(denial(gate, &what), "adapter_failed", what);
            // The part that works may know how its agent is told.
            if gate && let Ok(reply) = talk.respond(2, outcome.answer.stderr.trim()) {
                outcome.answer.stdout = reply.stdout;
                outcome.answer.stderr.push_str(&reply.stderr);
            }
            return outcome;
        }
    };
    let mut ruling = Ruling::allow();
    let mut noted = Vec::new();
    let mut gates = gate;
    for call in &normalized {
        gates |= call.event == "PreToolUse";
        match judged(
            &call.event,
            &serde_json::Value::Object(call.payload.clone()),
            place,
            sys,
        ) {
            Ok((one, line)) => {
                noted.push(line);
                ruling = ruling.stricter(one);
            }
            Err(e) => {
                let denial = denial(call.event == "PreToolUse", &e);
                if denial.is_some() {
                    return Outcome::fault(denial, "policy_failed", e);
                }
                noted.push(Noted::fault("payload_failed", e));
            }
        }
    }
    let text = match ruling.verdict {
        Verdict::Allow => String::new(),
        Verdict::Deny => message::denied(&ruling),
        Verdict::Ask => message::asked(&ruling),
    };
    let code = if ruling.verdict == Verdict::Allow {
        0
    } else {
        2
    };
    match talk.respond(code, &text) {
        Ok(Reply {
            exit_code,
            stdout,
            stderr,
        }) => Outcome {
            answer: Answer {
                exit: exit_code,
                stdout,
                stderr,
            },
            noted,
            stops: code == 2 && gates,
        },
        Err(e) => {
            let what = e.sentence();
            let mut outcome = Outcome::fault(denial(gates, &what), "adapter_failed", what);
            if code == 2 && gates {
                outcome.answer = Answer::plain_denial(&match ruling.verdict {
                    Verdict::Ask => message::unasked(&ruling, &request.agent),
                    _ => text,
                });
            }
            outcome.noted.extend(noted);
            outcome
        }
    }
}

/// Judges one call in Claude Code's shape.
fn judged(
    event: &str,
    payload: &serde_json::Value,
    place: &mut Place,
    sys: &Sys<'_>,
) -> Result<(Ruling, Noted), String> {
    let claude = builtin::by_name("claude").ok_or("a build without claude")?;
    let mut agent = Agent::load(claude)?;
    place.agent.clone_into(&mut agent.name);
    let text = payload.to_string();
    let json = Json::parse(text.as_bytes())?;
    let event = match event {
        "Subagent" => Event::Subagent,
        _ => agent.event(event).map_or(Event::Stop, |d| d.event()),
    };
    let calls = normalize::normalize(&agent, event, None, &json)?;
    place.settle(calls.first().and_then(|c| c.cwd.as_deref()), &json, sys);
    let ruling = match event {
        Event::PreToolUse => policy::decide(&calls, &place.ground(), sys)?,
        _ => Ruling::allow(),
    };
    let mut noted = Noted::of(&calls, &ruling);
    noted.kind = match (event, ruling.verdict) {
        (Event::PreToolUse, Verdict::Allow) => "allowed",
        (Event::PreToolUse, Verdict::Ask) => "confirm_required",
        (Event::PreToolUse, Verdict::Deny) => "blocked",
        (Event::SessionStart, _) => "session_start",
        (Event::UserPromptSubmit, _) => "prompt",
        (Event::PostToolUse, _) => "tool_done",
        (Event::Subagent, _) => "subagent",
        (Event::Stop | Event::SessionEnd, _) => "session_stop",
    };
    Ok((ruling, noted))
}
