//! What was seen of each agent, by version: `planners/<agent>/evidence.jsonc`. Pure: it may not ask a client
//! anything, and it never takes a document's word for a capability.
//!
//! A capability is false until somebody has captured it: a declared method *and* a passing row whose fixture
//! exists (spec 6.2).

use crate::error::Error;
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Every capability that there is.
pub const CAPABILITIES: [&str; 14] = [
    "lifecycle.sessionStart",
    "lifecycle.sessionResume",
    "lifecycle.sessionEnd",
    "lifecycle.heartbeat",
    "lifecycle.childSessions",
    "context.startupInjection",
    "context.beforeTurnInjection",
    "context.safePointInjection",
    "guards.beforeRead",
    "guards.beforeWrite",
    "guards.beforeShell",
    "delivery.nextTurn",
    "delivery.livePush",
    "delivery.replyRoute",
];

/// Those that the gate needs; `doctor` lists them.
pub const NEEDED: [&str; 7] = [
    "guards.beforeShell",
    "guards.beforeWrite",
    "guards.beforeRead",
    "lifecycle.sessionStart",
    "lifecycle.sessionEnd",
    "context.beforeTurnInjection",
    "context.safePointInjection",
];

/// One agent's evidence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The client whose rows count: the agent's name.
    #[serde(skip)]
    pub client: String,
    /// Declared methods: capability → the agent's event by which gitvow would have it.
    pub methods: BTreeMap<String, String>,
    /// What was tried.
    #[serde(default)]
    pub evidence: Vec<Row>,
    /// What was tried with answers that gitvow doesn't give: they decide nothing, and say why it doesn't give them.
    #[serde(default)]
    pub answers: Vec<Row>,
}

/// One thing that was tried with one version on one platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Row {
    /// Whose version it is.
    pub client: String,
    /// A release triple, with a prerelease or build behind it as it may be.
    pub version: String,
    /// `linux-x64` and the like.
    pub platform: String,
    /// `2026-11-30`.
    pub observed_at: String,
    /// One of [`CAPABILITIES`].
    pub capability: String,
    /// The capture, a path in the source tree: `fixtures/<agent>/captures/…`.
    pub fixture: String,
    /// The answer tried, in a row of [`Evidence::answers`]: a line of the fixture has that name.
    #[serde(default)]
    pub answer: Option<String>,
    /// What it doesn't show.
    #[serde(default)]
    pub limitations: Vec<String>,
    /// Did it work?
    pub result: Outcome,
    /// How an idle session behaved.
    #[serde(default)]
    pub idle_behavior: Option<String>,
    /// How a busy session behaved.
    #[serde(default)]
    pub busy_behavior: Option<String>,
    /// What the answer has authority over.
    #[serde(default)]
    pub authority_level: Option<String>,
}

/// How an experiment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It worked.
    Pass,
    /// It didn't: this can never switch the capability on.
    Fail,
}

/// Whether a capability of a client is proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Proven.
    pub on: bool,
    /// Why not.
    pub reason: Option<Reason>,
    /// The version that decided.
    pub version: Option<String>,
}

/// Why a capability is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// gitvow doesn't claim it for this agent.
    Undeclared,
    /// Nobody has captured it.
    Unobserved,
    /// The client is older than every capture.
    OlderThanEvidence,
    /// It was tried and failed.
    RecordedFailure,
}

impl Reason {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Undeclared => "undeclared",
            Self::Unobserved => "unobserved",
            Self::OlderThanEvidence => "older-than-evidence",
            Self::RecordedFailure => "recorded-failure",
        }
    }
}

macro_rules! texts {
    ($($name:literal),*) => {
        /// Each built-in's evidence, as it stands in its folder.
        pub const TEXTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../planners/", $name, "/evidence.jsonc")))),*];
        /// The rows that decide, without comments (`build.rs`).
        const DECIDING: &[(&str, &str)] =
            &[$(($name, include_str!(concat!(env!("OUT_DIR"), "/", $name, ".evidence.json")))),*];
    };
}

texts!(
    "claude",
    "codex",
    "gemini",
    "cursor",
    "copilot",
    "factory",
    "antigravity",
    "grok",
    "kimi",
    "opencode",
    "qwen"
);

impl Evidence {
    /// Reads one file; `client`: the agent's name. Refused: unknown keys and capabilities, a version that is no triple, the same experiment twice.
    pub fn parse(client: &str, text: &str) -> Result<Self, Error> {
        let wrong = |why: String| Error::bug("the evidence can't be read").because(why);
        let mut evidence: Self =
            jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
                .map_err(|e| wrong(e.to_string()))?;
        client.clone_into(&mut evidence.client);
        let rows = || evidence.evidence.iter().chain(&evidence.answers);
        let named = rows().map(|r| &r.capability);
        for name in evidence.methods.keys().chain(named) {
            if !CAPABILITIES.contains(&name.as_str()) {
                return Err(wrong(format!("there is no capability `{name}`")));
            }
        }
        let of_ours = evidence.evidence.iter().all(|r| r.answer.is_none());
        if !of_ours || evidence.answers.iter().any(|r| r.answer.is_none()) {
            return Err(wrong(
                "`answer` belongs to the rows of `answers`".to_owned(),
            ));
        }
        for (n, row) in rows().enumerate() {
            if triple(&row.version).is_none() {
                return Err(wrong(format!("`{}` is no version", row.version)));
            }
            let key = |r: &Row| {
                let r = r.clone();
                (r.client, r.version, r.platform, r.capability, r.answer)
            };
            if rows().take(n).any(|r| key(r) == key(row)) {
                return Err(wrong(format!(
                    "{} of {} stands there twice",
                    row.capability, row.version
                )));
            }
        }
        Ok(evidence)
    }

    /// A built-in's rows that decide; `None`: the agent isn't one.
    pub fn of(agent: &str) -> Option<Result<Self, Error>> {
        let (name, _) = TEXTS.iter().find(|(name, _)| *name == agent)?;
        let (_, plain) = DECIDING.iter().find(|(name, _)| *name == agent)?;
        // What is embedded has passed [`Self::parse`] in the tests.
        let read = serde_json::from_str::<Self>(plain);
        let wrong =
            |e: serde_json::Error| Error::bug("the evidence can't be read").because(e.to_string());
        Some(read.map_err(wrong).map(|evidence| Self {
            client: (*name).to_owned(),
            ..evidence
        }))
    }

    /// What the evidence says of one capability of the installed client. `version`: what the client printed, or
    /// what was made of it; `platform`: where it runs.
    pub fn verdict(&self, capability: &str, version: Option<&str>, platform: &str) -> Verdict {
        let declared = self.methods.contains_key(capability);
        resolve(
            declared,
            &self.evidence,
            &self.client,
            capability,
            version,
            platform,
        )
    }

    /// The lowest version with a row of that capability.
    pub fn floor(&self, capability: &str) -> Option<&str> {
        let rows = self
            .evidence
            .iter()
            .filter(|r| r.client == self.client && r.capability == capability);
        rows.min_by(|a, b| order(a, b)).map(|r| r.version.as_str())
    }
}

/// The rules of spec 6.2: rows of that capability at or below the client's version → those of this platform,
/// else all → the highest version decides → on when every row at it passes.
pub fn resolve(
    declared: bool,
    rows: &[Row],
    client: &str,
    capability: &str,
    version: Option<&str>,
    platform: &str,
) -> Verdict {
    let off = |reason, version: Option<&Row>| Verdict {
        on: false,
        reason: Some(reason),
        version: version.map(|r| r.version.clone()),
    };
    if !declared {
        return off(Reason::Undeclared, None);
    }
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|r| r.client == client && r.capability == capability)
        .collect();
    let Some(lowest) = rows.iter().min_by(|a, b| order(a, b)).copied() else {
        return off(Reason::Unobserved, None);
    };
    let client = version.and_then(triple);
    // A version that can't be read reaches every row.
    let within = |r: &&&Row| client.is_none_or(|c| triple(&r.version).is_some_and(|t| t <= c));
    let reached: Vec<&Row> = rows.iter().filter(within).copied().collect();
    let here: Vec<&Row> = reached
        .iter()
        .filter(|r| r.platform == platform)
        .copied()
        .collect();
    let counted = if here.is_empty() { reached } else { here };
    let Some(highest) = counted.iter().filter_map(|r| triple(&r.version)).max() else {
        return off(Reason::OlderThanEvidence, Some(lowest));
    };
    let deciding = counted
        .iter()
        .filter(|r| triple(&r.version) == Some(highest));
    let failed = deciding.clone().find(|r| r.result == Outcome::Fail);
    match failed {
        Some(row) => off(Reason::RecordedFailure, Some(row)),
        None => Verdict {
            on: true,
            reason: None,
            version: deciding.clone().next().map(|r| r.version.clone()),
        },
    }
}

fn order(a: &Row, b: &Row) -> Ordering {
    triple(&a.version).cmp(&triple(&b.version))
}

/// The release triple of a version; a prerelease or build behind it doesn't count. `None`: it has none.
pub fn triple(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|p| p.parse::<u64>().ok());
    let triple = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(triple)
}

/// The first release triple in what a client prints for `--version`, with a prerelease or build behind it.
pub fn version_in(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes
            .get(from..)
            .map_or(0, |b| b.iter().take_while(|c| c.is_ascii_digit()).count())
    };
    let dot = |at: usize| bytes.get(at) == Some(&b'.');
    let mut at = 0;
    while at < bytes.len() {
        let one = digits(at);
        if one == 0 {
            at += 1;
            continue;
        }
        let second = at + one + 1;
        let two = if dot(at + one) { digits(second) } else { 0 };
        let third = second + two + 1;
        let three = if two > 0 && dot(second + two) {
            digits(third)
        } else {
            0
        };
        if three == 0 {
            at += one;
            continue;
        }
        let end = third + three;
        let rest = text.get(end..).unwrap_or_default();
        let more = if rest.starts_with(['-', '+']) {
            rest.char_indices()
                .find(|(i, c)| {
                    *i > 0 && !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
                })
                .map_or(rest.len(), |(i, _)| i)
        } else {
            0
        };
        return text.get(at..end + more).map(str::to_owned);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_clients_print() {
        for (text, found) in [
            ("2.1.332 (Claude Code)", Some("2.1.332")),
            ("codex-cli 0.171.0\n", Some("0.171.0")),
            ("v1.3.0-rc.1 built", Some("1.3.0-rc.1")),
            ("grok 1.0.41+abc", Some("1.0.41+abc")),
            ("1.2", None),
            ("unknown", None),
            ("10 of 3.4 at 5.6.7", Some("5.6.7")),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), found, "{text}");
        }
    }

    #[test]
    fn every_file_is_read() {
        for (agent, text) in TEXTS {
            let whole = Evidence::parse(agent, text).unwrap();
            assert_eq!(whole.client, *agent);
            let deciding = Evidence::of(agent).unwrap().unwrap();
            let answers = Vec::new();
            assert_eq!(deciding, Evidence { answers, ..whole });
        }
    }
}
