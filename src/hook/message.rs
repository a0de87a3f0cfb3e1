//! The sentences that people and models read. Pure. A denial begins `BLOCKED`, any other stop is a
//! confirmation (spec 4.2).

use super::policy::Ruling;
use crate::escape;

/// The longest reason that is passed on, in characters: a repository's policy is untrusted.
const LONGEST: usize = 600;

/// A rule denies.
pub fn denied(ruling: &Ruling) -> String {
    let by = match ruling.rule.as_deref() {
        Some("self-protection") => "gitvow",
        _ => "policy",
    };
    format!("BLOCKED by {by} ({}).", reason(ruling))
}

/// A rule asks, and somebody is there.
pub fn asked(ruling: &Ruling) -> String {
    format!("CONFIRMATION REQUIRED ({}).", reason(ruling))
}

/// A rule asks, and nobody can be asked: says how a person allows it.
pub fn unasked(ruling: &Ruling, agent: &str) -> String {
    let rule = match ruling.rule.as_deref() {
        Some("self-protection") | None => String::new(),
        Some(rule) => format!(", or change the rule {rule} (`gitvow check --policy` shows it)"),
    };
    format!(
        "BLOCKED: a person must confirm this ({}), and {agent} can't ask here. To allow it, run it yourself in a \
         terminal{rule}.",
        reason(ruling)
    )
}

/// Something went wrong before a tool.
pub fn failed(what: &str, help: &str) -> String {
    format!(
        "BLOCKED: gitvow can't judge this call: {}. {help}",
        shown(what)
    )
}

fn reason(ruling: &Ruling) -> String {
    shown(&ruling.reason)
}

/// One line, escaped, cut where it is too long.
pub fn shown(text: &str) -> String {
    let line = escape::line(text);
    match line.char_indices().nth(LONGEST) {
        None => line.into_owned(),
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
    }
}
