//! The `hook` part of a planner: how that agent's payloads are read and how it is answered. Pure.
//!
//! Only the calling agent's part is parsed; its texts stay where they are in the program (spec 4.6).

use super::mcp::Spelling;
use crate::spec::builtin::Builtin;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// Ours for a vendor's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, serde::Serialize)]
pub enum Event {
    /// A session begins.
    SessionStart,
    /// The person has written something.
    UserPromptSubmit,
    /// Before a tool: the gate.
    PreToolUse,
    /// After a tool.
    PostToolUse,
    /// The agent has finished its turn.
    Stop,
    /// The session is over.
    SessionEnd,
    /// A sub-agent has finished.
    Subagent,
}

impl Event {
    /// Its name, as in Claude Code.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
            Self::Subagent => "Subagent",
        }
    }
}

/// The `hook` object of a planner.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Agent {
    /// The agent's name; not in the data.
    #[serde(skip)]
    pub name: String,
    /// The vendor's event → what it is.
    pub events: BTreeMap<&'static str, EventData>,
    /// A call's field → where it may stand in the payload (dotted); the first that is there counts. Fields not named are
    /// where Claude Code has them.
    #[serde(default)]
    pub fields: BTreeMap<&'static str, Vec<&'static str>>,
    /// The vendor's tool → `Bash`, `Edit`, `Write`, `patch`; others keep their names.
    #[serde(default)]
    pub tools: BTreeMap<&'static str, &'static str>,
    /// A tool's argument → its names there.
    #[serde(default)]
    pub arguments: BTreeMap<&'static str, Vec<&'static str>>,
    /// How MCP tools are called, where not `mcp__server__tool`.
    #[serde(default)]
    pub mcp: Vec<Spelling>,
    /// The permission modes in which somebody is there to be asked; absent: all.
    #[serde(default)]
    pub ask_modes: Option<Vec<&'static str>>,
    /// The forms of answers before a tool.
    pub answers: Answers,
    /// Other forms for other payload shapes; the first whose keys are all there counts.
    #[serde(default)]
    pub variants: Vec<Variant>,
}

/// One event of a vendor: in the data its name, or an object.
#[derive(Debug, Clone, PartialEq)]
pub enum EventData {
    /// What it is.
    Plain(Event),
    /// What it is, and what is special about it.
    Special(Box<Special>),
}

/// What the payload of an event doesn't say by itself.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Special {
    /// What it is.
    #[serde(rename = "as")]
    pub event: Event,
    /// The tool; `{field}` is replaced by that field of the payload.
    #[serde(default)]
    pub tool: Option<&'static str>,
    /// Where the tool's input stands; `.` is the payload itself.
    #[serde(default)]
    pub input: Option<&'static str>,
    /// Tools (by the start of their name) whose confirmations another event of this agent asks for.
    #[serde(default)]
    pub asked_elsewhere: Vec<&'static str>,
    /// Its own forms.
    #[serde(default)]
    pub answers: Option<Answers>,
}

/// The forms of one agent.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Answers {
    /// Go on; absent: silence and exit 0.
    #[serde(default)]
    pub allow: Option<Form>,
    /// It doesn't run.
    #[serde(default)]
    pub deny: Option<Form>,
    /// A person decides; absent: nobody can be asked, so it is a denial.
    #[serde(default)]
    pub ask: Option<Form>,
    /// Text for the model at the start of a session; absent: there is no way.
    #[serde(default)]
    pub context: Option<Form>,
}

/// One answer: `__REASON__` and `__EVENT__` stand for the message and the vendor's event.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The exit code.
    #[serde(default)]
    pub exit: u8,
    /// What goes to standard output.
    #[serde(default)]
    pub stdout: Option<Template>,
    /// What goes to standard error.
    #[serde(default)]
    pub stderr: Option<&'static str>,
}

/// What is printed, with its places: in the data a string, or any other value.
#[derive(Debug, Clone, PartialEq)]
pub enum Template {
    /// Plain text.
    Text(String),
    /// JSON, compact: what fills a place is escaped.
    Json(&'static str),
}

/// The forms for payloads that have these keys.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Variant {
    /// Top-level keys, all of which are there.
    pub when: Vec<&'static str>,
    /// The forms.
    pub answers: Answers,
}

impl EventData {
    /// What it is.
    pub fn event(&self) -> Event {
        match self {
            Self::Plain(event) => *event,
            Self::Special(special) => special.event,
        }
    }

    /// What is special about it.
    pub fn special(&self) -> Option<&Special> {
        match self {
            Self::Plain(_) => None,
            Self::Special(special) => Some(special),
        }
    }
}

impl Agent {
    /// Reads the `hook` part of a built-in's planner. A fault of the build, so the error is for us.
    pub fn load(builtin: &Builtin) -> Result<Self, String> {
        let mut agent: Self = serde_json::from_str(builtin.hook)
            .map_err(|e| format!("planners/{}/planner.jsonc, `hook`: {e}", builtin.name))?;
        builtin.name.clone_into(&mut agent.name);
        Ok(agent)
    }

    /// The event of that name, or of one that differs only in case and underscores (`preToolUse`, `pre_tool_use`).
    pub fn event(&self, name: &str) -> Option<&EventData> {
        self.events.get(name).or_else(|| {
            let folded = fold(name);
            self.events
                .iter()
                .find_map(|(known, data)| (fold(known) == folded).then_some(data))
        })
    }
}

impl<'de: 'static> Deserialize<'de> for EventData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de: 'static> Visitor<'de> for Read {
            type Value = EventData;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event's name or an object")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<EventData, E> {
                Event::deserialize(serde::de::value::StrDeserializer::new(name))
                    .map(EventData::Plain)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EventData, A::Error> {
                let special = Special::deserialize(MapAccessDeserializer::new(map))?;
                Ok(EventData::Special(Box::new(special)))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de: 'static> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        if raw.starts_with('"') {
            return serde_json::from_str(raw)
                .map(Self::Text)
                .map_err(Error::custom);
        }
        Ok(Self::Json(raw))
    }
}

/// Lower case, without underscores.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// May an event of this name come before a tool? Then, unknown, it is denied (spec 4.1).
pub fn may_be_gate(name: &str) -> bool {
    let name = fold(name);
    name == "pretooluse"
        || ((name.contains("pre") || name.contains("before"))
            && [
                "tool", "shell", "exec", "command", "mcp", "edit", "write", "file",
            ]
            .iter()
            .any(|word| name.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_hook_part_is_the_planners_own() {
        for builtin in crate::spec::builtin::ALL {
            let whole: Value =
                jsonc_parser::parse_to_serde_value(builtin.text, &Default::default()).unwrap();
            assert_eq!(builtin.hook, whole["hook"].to_string(), "{}", builtin.name);
            Agent::load(builtin).unwrap();
        }
    }

    #[test]
    fn events_that_may_be_gates_are_known_by_name() {
        for gate in [
            "PreToolUse",
            "pre_tool_use",
            "beforeShellExecution",
            "BeforeTool",
            "pre_run_command",
            "beforeReadFile",
            "PREWRITE",
        ] {
            assert!(may_be_gate(gate), "{gate}");
        }
        for other in [
            "PostToolUse",
            "SessionStart",
            "afterFileEdit",
            "Stop",
            "preCompact",
            "beforeSubmitPrompt",
        ] {
            assert!(!may_be_gate(other), "{other}");
        }
    }
}
