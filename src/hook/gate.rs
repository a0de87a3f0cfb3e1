//! One call of a built-in agent, from its payload to its answer. Reads through [`Sys`], writes nothing.

pub use super::agent::may_be_gate;
use super::agent::{Agent, Answers, Event, EventData, Special};
use super::answer::{self, Answer};
use super::call::Call;
use super::json::Json;
use super::policy::{self, Ground, Ruling, Verdict};
use super::request::Request;
use super::{Noted, Outcome, Place, caller, message, normalize};
use crate::spec::builtin::{self, Builtin};
use crate::sys::Sys;

/// Who is answered, and how.
struct Seat<'a> {
    agent: Agent,
    data: Option<EventData>,
    request: &'a Request,
    /// The entry's agent is another one.
    foreign: bool,
    /// The environment names another agent than the payload and the entry do.
    doubted: bool,
}

/// Answers a call of a built-in. `payload` is what came on stdin, or why nothing usable did.
pub fn answer(
    asked: &'static Builtin,
    request: &Request,
    payload: Result<&Json<'_>, String>,
    place: &mut Place,
    sys: &Sys<'_>,
) -> Outcome {
    let json = payload.as_ref().ok().copied();
    let caller = json.and_then(|p| caller::by_payload(p, asked.name));
    let form = caller.and_then(builtin::by_name).unwrap_or(asked);
    let seat = match Agent::load(form).and_then(|agent| seat(agent, asked, request, json, sys)) {
        Ok(seat) => seat,
        Err(e) => {
            // Only a faulty build gets here.
            let gate = may_be_gate(&request.event);
            return Outcome::fault(
                gate.then(|| Answer::plain_denial(&message::failed(&e, HELP))),
                "failed",
                e,
            );
        }
    };
    place.agent.clone_from(&seat.agent.name);
    let gate = match &seat.data {
        Some(data) => data.event() == Event::PreToolUse,
        None => request.event.is_empty() || may_be_gate(&request.event),
    };
    // The payload may say that a tool is about to run where the entry doesn't.
    let gate = gate
        || json.is_some_and(|p| {
            let named = ["hook_event_name", "hookEventName"];
            let event = named.iter().find_map(|k| p.get(k)?.str());
            event.is_some_and(|e| match seat.agent.event(e) {
                Some(data) => data.event() == Event::PreToolUse,
                None => false,
            })
        });
    let forms = seat.forms(json);
    let failed = |kind: &'static str, what: String, help: &str| {
        let answer = match gate {
            true => seat.deny(forms, &message::failed(&what, help)),
            false => seat.usual(),
        };
        Outcome::fault(Some(answer), kind, what)
    };
    super::lay_down(&match gate {
        true => seat.deny(forms, LAST_WORD),
        false => seat.usual(),
    });
    if let Some(fault) = &request.fault
        && (gate || seat.data.is_none())
    {
        return failed(
            "usage_failed",
            format!("the hook's arguments are wrong: {fault}"),
            REINSTALL,
        );
    }
    let payload = match payload {
        Ok(payload) => payload,
        Err(e) => return failed("payload_failed", e, HELP),
    };
    let Some(data) = &seat.data else {
        if gate {
            let what = format!(
                "the event `{}` of {} is unknown",
                request.event, seat.agent.name
            );
            return failed("event_unknown", what, REINSTALL);
        }
        return Outcome::default();
    };
    let event = if gate {
        Event::PreToolUse
    } else {
        data.event()
    };
    let calls = match normalize::normalize(&seat.agent, event, data.special(), payload) {
        Ok(calls) => calls,
        Err(e) => return failed("payload_failed", e, HELP),
    };
    place.settle(calls.first().and_then(|c| c.cwd.as_deref()), payload, sys);
    let ground = place.ground();
    if event != Event::PreToolUse {
        return seat.other(event, &calls, forms, &ground, sys);
    }
    match policy::decide(&calls, &ground, sys) {
        Ok(ruling) => seat.ruled(&ruling, &calls, forms),
        Err(e) => failed("policy_failed", e, POLICY_HELP),
    }
}

/// What is said when the run can't end by itself.
pub const LAST_WORD: &str = "BLOCKED: gitvow could not finish its check (a fault of gitvow, or no time was left), so nothing \
     was run. Try again; `gitvow doctor` looks for the cause.";
/// The help for most faults.
pub const HELP: &str = "Try again; `gitvow doctor` looks for the cause.";
const REINSTALL: &str = "`gitvow install` writes the entry anew.";
const POLICY_HELP: &str = "Repair that file; `gitvow check --policy` reads it again.";

fn seat<'a>(
    agent: Agent,
    asked: &'static Builtin,
    request: &'a Request,
    payload: Option<&Json<'_>>,
    sys: &Sys<'_>,
) -> Result<Seat<'a>, String> {
    let foreign = agent.name != asked.name;
    let mut event = request.event.as_str();
    if event.is_empty() {
        // An entry without its event: the payload may say it.
        let named = ["hook_event_name", "hookEventName"];
        event = named
            .iter()
            .find_map(|k| payload?.get(k)?.str())
            .unwrap_or_default();
    }
    let mut data = agent.event(event).cloned();
    if data.is_none() && foreign {
        // Another agent's file names its own events; what is special about them isn't true here.
        data = Agent::load(asked)?
            .event(event)
            .map(|d| EventData::Plain(d.event()));
    }
    let set = |name: &str| sys.env.var(name).is_some();
    Ok(Seat {
        doubted: caller::environment_disagrees(&agent.name, &set),
        agent,
        data,
        request,
        foreign,
    })
}

impl Seat<'_> {
    fn special(&self) -> Option<&Special> {
        self.data.as_ref().and_then(EventData::special)
    }

    fn forms(&self, payload: Option<&Json<'_>>) -> &Answers {
        self.special()
            .and_then(|s| s.answers.as_ref())
            .unwrap_or_else(|| answer::forms(&self.agent, payload))
    }

    fn deny(&self, forms: &Answers, text: &str) -> Answer {
        if self.doubted {
            return Answer::plain_denial(text);
        }
        answer::stop(forms, Verdict::Deny, text, &self.request.event)
    }

    /// The answer to a ruling.
    fn ruled(&self, ruling: &Ruling, calls: &[Call<'_>], forms: &Answers) -> Outcome {
        let event = &self.request.event;
        let mut noted = Noted::of(calls, ruling);
        let answer = match ruling.verdict {
            Verdict::Allow => answer::allow(forms, event),
            Verdict::Deny => {
                noted.kind = "blocked";
                self.deny(forms, &message::denied(ruling))
            }
            Verdict::Ask if self.can_ask(calls, forms) => {
                noted.kind = "confirm_required";
                answer::stop(forms, Verdict::Ask, &message::asked(ruling), event)
            }
            Verdict::Ask if self.asked_elsewhere(calls) => answer::allow(forms, event),
            Verdict::Ask => {
                noted.kind = "blocked";
                self.deny(forms, &message::unasked(ruling, &self.agent.name))
            }
        };
        Outcome {
            answer,
            stops: noted.kind != "allowed",
            noted: vec![noted],
        }
    }

    /// Is there a form for it, and somebody to answer?
    fn can_ask(&self, calls: &[Call<'_>], forms: &Answers) -> bool {
        forms.ask.is_some()
            && self.agent.ask_modes.as_ref().is_none_or(|modes| {
                let mode = calls.first().and_then(|c| c.permission_mode.as_deref());
                mode.is_some_and(|mode| modes.contains(&mode))
            })
    }

    /// Does another of our entries of the same agent ask about this tool? Only in the agent's own file.
    fn asked_elsewhere(&self, calls: &[Call<'_>]) -> bool {
        let others = self.special().map_or(&[][..], |s| &s.asked_elsewhere);
        !self.foreign
            && calls.iter().all(|c| {
                let name = c.tool.as_ref().map_or("", |t| &t.name);
                others.iter().any(|start| name.starts_with(start))
            })
    }

    /// What an event hears that stops nothing: silence, or the form that it must have.
    fn usual(&self) -> Answer {
        let own = self.special().and_then(|s| s.answers.as_ref());
        own.map_or_else(Answer::silence, |f| answer::allow(f, &self.request.event))
    }

    /// Events that stop nothing. A session's start says so when every call is going to be denied.
    fn other(
        &self,
        event: Event,
        calls: &[Call<'_>],
        forms: &Answers,
        ground: &Ground,
        sys: &Sys<'_>,
    ) -> Outcome {
        let mut noted = Noted::of(calls, &Ruling::allow());
        noted.kind = match event {
            Event::SessionStart => "session_start",
            Event::UserPromptSubmit => "prompt",
            Event::PostToolUse => "tool_done",
            Event::Stop => "session_stop",
            Event::SessionEnd => "session_end",
            Event::Subagent | Event::PreToolUse => "subagent",
        };
        let own = self.special().and_then(|s| s.answers.as_ref());
        let mut answer = self.usual();
        // Kimi reads nothing at a session's start, and what is printed at a prompt: then that event has a form.
        let context = match event {
            Event::SessionStart => forms.context.as_ref(),
            _ => own.and_then(|f| f.context.as_ref()),
        };
        if let Some(context) = context
            && let Err(e) = policy::texts(&ground.state, ground.top.as_deref(), sys).and_then(|t| {
                let all = std::iter::once(&t.user).chain(&t.repo);
                all.into_iter()
                    .try_for_each(|source| source.check(sys).map(drop))
            })
        {
            noted.reason.clone_from(&e);
            let text = format!(
                "gitvow will deny every tool call in this session: {}. {POLICY_HELP}",
                message::shown(&e)
            );
            answer = answer::filled(context, &text, &self.request.event);
        }
        Outcome {
            answer,
            stops: false,
            noted: vec![noted],
        }
    }
}
