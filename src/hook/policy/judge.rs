//! One call against one policy. May not read anything: the facts are gathered before.
//!
//! Order: deny rules, then confirm rules, then allow; the first match gives the reason (spec 4.4).

use super::load::{List, Policy, Rule, Test, When};
use super::mcp::{self, Hit};
use super::paths::Target;
use super::{pattern, rules};
use crate::hook::mcp::Doubt;
use crate::hook::shell::Reading;
use std::path::Path;

/// The three verdicts, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It goes on, with the agent's own prompts.
    Allow,
    /// A person decides.
    Ask,
    /// It doesn't run.
    Deny,
}

impl Verdict {
    /// `allow`, `ask` or `deny`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A verdict with its ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What is to happen.
    pub verdict: Verdict,
    /// The rule's reason; empty for allow.
    pub reason: String,
    /// The rule (`bash_deny[3]`, `self-protection`), for `check` and the log.
    pub rule: Option<String>,
    /// Reasons of rules that only observe.
    pub observed: Vec<String>,
}

impl Ruling {
    /// Nothing stands against it.
    pub fn allow() -> Self {
        Self {
            verdict: Verdict::Allow,
            reason: String::new(),
            rule: None,
            observed: Vec::new(),
        }
    }

    /// A verdict by a rule.
    pub fn new(verdict: Verdict, reason: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: reason.into(),
            rule: Some(rule.into()),
            observed: Vec::new(),
        }
    }

    /// The stricter of two; the first where they are equal. Observations add up.
    #[must_use]
    pub fn stricter(mut self, mut other: Self) -> Self {
        let (mut strict, mild) = if other.verdict > self.verdict {
            (std::mem::replace(&mut other, Self::allow()), &mut self)
        } else {
            (std::mem::replace(&mut self, Self::allow()), &mut other)
        };
        strict.observed.append(&mut mild.observed);
        strict
    }
}

/// What a policy looks at.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The shell line, for shell tools.
    pub line: Option<&'a str>,
    /// What could be read of it.
    pub reading: Reading,
    /// The files that are written, with every spelling that rules see.
    pub targets: Vec<(Target, Vec<String>)>,
    /// The name of an MCP tool.
    pub mcp: Option<&'a str>,
    /// Its other readings.
    pub doubt: Option<&'a Doubt>,
    /// The working directory.
    pub cwd: Option<&'a Path>,
    /// The home directory, to see `~` in it.
    pub home: String,
}

/// Judges. An error is a pattern that can't be used; the caller denies with it.
pub fn judge(policy: &Policy<'_>, facts: &Facts<'_>) -> Result<Ruling, String> {
    for list in [List::BashDeny, List::PathDeny] {
        for rule in policy.rules(list) {
            if on(rule, facts)? {
                return Ok(found(Verdict::Deny, rule));
            }
        }
    }
    let mut maybe = None;
    if let Some(tool) = facts.mcp {
        for (at, pattern) in policy.mcp_deny.iter().enumerate() {
            let shown = facts.doubt.map_or(tool, |d| &d.own);
            let rule = format!("mcp_deny[{at}]");
            match mcp::denied(pattern, tool, facts.doubt)? {
                Hit::Yes => {
                    let reason = format!("the MCP tool {shown} is on the deny list");
                    return Ok(Ruling::new(Verdict::Deny, reason, rule));
                }
                Hit::Maybe if maybe.is_none() => {
                    let reason = format!(
                        "the MCP tool {shown} may be on the deny list: nothing says which server it belongs to"
                    );
                    maybe = Some(Ruling::new(Verdict::Ask, reason, rule));
                }
                Hit::Maybe | Hit::No => {}
            }
        }
    }
    let mut observed = Vec::new();
    for list in [List::BashConfirm, List::PathConfirm] {
        for rule in policy.rules(list) {
            if !on(rule, facts)? {
                continue;
            }
            if rule.when == When::Immediate {
                let mut ruling = found(Verdict::Ask, rule);
                ruling.observed = observed;
                return Ok(ruling);
            }
            observed.push(rule.reason.to_string());
        }
    }
    let mut ruling = match (maybe, facts.mcp) {
        (Some(maybe), _) => maybe,
        (None, Some(tool)) if !mcp::allowed(&policy.mcp_allow, tool, facts.doubt)? => {
            let shown = facts.doubt.map_or(tool, |d| &d.own);
            let why = match facts.doubt {
                Some(_) => " in every reading of its name",
                None => "",
            };
            let reason = format!("the MCP tool {shown} is not on the allow list{why}");
            Ruling::new(Verdict::Ask, reason, "mcp_allow")
        }
        _ => unreadable(policy, facts).unwrap_or_else(Ruling::allow),
    };
    ruling.observed = observed;
    Ok(ruling)
}

fn found(verdict: Verdict, rule: &Rule<'_>) -> Ruling {
    Ruling::new(verdict, rule.reason.as_ref(), rule.place.name())
}

fn on(rule: &Rule<'_>, facts: &Facts<'_>) -> Result<bool, String> {
    match rule.place.list {
        List::BashDeny | List::BashConfirm => on_line(rule, facts),
        List::PathDeny | List::PathConfirm => on_paths(rule, facts),
    }
}

fn on_line(rule: &Rule<'_>, facts: &Facts<'_>) -> Result<bool, String> {
    let Some(line) = facts.line else {
        return Ok(false);
    };
    match &rule.test {
        // In Python, whose patterns these often are, `$` also stands before the last line break.
        Test::Pattern(pattern) => {
            let bare = line.trim_end_matches('\n');
            Ok(pattern::search(pattern, line)?
                || (bare.len() < line.len() && pattern::search(pattern, bare)?))
        }
        Test::Program(program) => {
            for (at, command) in facts.reading.commands.iter().enumerate() {
                let spot = rules::Spot {
                    line,
                    reading: &facts.reading,
                    at,
                    home: &facts.home,
                    cwd: facts.cwd.unwrap_or(Path::new("/")),
                };
                if rules::program(program, command, &spot)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

fn on_paths(rule: &Rule<'_>, facts: &Facts<'_>) -> Result<bool, String> {
    let Test::Pattern(pattern) = &rule.test else {
        return Ok(false);
    };
    for (_, spellings) in &facts.targets {
        for spelling in spellings {
            if pattern::search(pattern, spelling)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// A line that can't be tokenised may hide a program that a rule is about: then it is asked.
fn unreadable(policy: &Policy<'_>, facts: &Facts<'_>) -> Option<Ruling> {
    let line = facts.line.filter(|_| facts.reading.unreadable)?;
    let lists = [List::BashDeny, List::BashConfirm];
    let name = lists
        .iter()
        .flat_map(|list| policy.rules(*list))
        .filter(|r| r.when == When::Immediate)
        .filter_map(|r| match &r.test {
            Test::Program(program) => program.programs.iter().find(|p| mentions(line, p)),
            Test::Pattern(_) => None,
        })
        .next()?;
    let reason = format!("the shell line can't be read as it stands, and it names `{name}`");
    Some(Ruling::new(Verdict::Ask, reason, "unreadable"))
}

/// Does the word stand in the text by itself?
pub fn mentions(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(part) && !behind.is_some_and(part)
    })
}
