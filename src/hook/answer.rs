//! A decision in the agent's own form, from the planner's templates. Pure.

use super::agent::{Agent, Answers, Form, Template};
use super::json::Json;
use super::policy::Verdict;

/// What the process says and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The exit code.
    pub exit: u8,
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

impl Answer {
    /// Exit 0 without a word.
    pub fn silence() -> Self {
        Self::default()
    }

    /// The denial that every agent driven obeys: exit 2, the reason on standard error (facts 13).
    pub fn plain_denial(message: &str) -> Self {
        Self {
            exit: 2,
            stdout: String::new(),
            stderr: format!("{message}\n"),
        }
    }
}

/// The forms of an agent for a payload of this shape.
pub fn forms<'a>(agent: &'a Agent, payload: Option<&Json<'_>>) -> &'a Answers {
    agent
        .variants
        .iter()
        .find(|v| payload.is_some_and(|p| v.when.iter().all(|key| p.get(key).is_some())))
        .map_or(&agent.answers, |v| &v.answers)
}

/// Go on: silence, or the form that this agent needs.
pub fn allow(forms: &Answers, event: &str) -> Answer {
    forms
        .allow
        .as_ref()
        .map_or_else(Answer::silence, |form| filled(form, "", event))
}

/// A stop in the agent's form. Asking where there is no form for it isn't possible: the caller has made it a denial.
pub fn stop(forms: &Answers, verdict: Verdict, message: &str, event: &str) -> Answer {
    let form = match verdict {
        Verdict::Ask => forms.ask.as_ref(),
        _ => forms.deny.as_ref(),
    };
    form.map_or_else(
        || Answer::plain_denial(message),
        |form| filled(form, message, event),
    )
}

/// A template with its places filled.
pub fn filled(form: &Form, message: &str, event: &str) -> Answer {
    let line = |text: String| text + "\n";
    let stdout = match &form.stdout {
        None => String::new(),
        Some(Template::Text(text)) => line(text_filled(text, message, event)),
        Some(Template::Json(json)) => line(text_filled(json, &escaped(message), &escaped(event))),
    };
    let stderr = form
        .stderr
        .map_or_else(String::new, |text| line(text_filled(text, message, event)));
    Answer {
        exit: form.exit,
        stdout,
        stderr,
    }
}

/// As it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let inner = quoted.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}

/// The event first: a message that holds a placeholder stays as it is.
fn text_filled(text: &str, message: &str, event: &str) -> String {
    text.replace("__EVENT__", event)
        .replace("__REASON__", message)
}
