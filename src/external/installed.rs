//! `adapters/<name>.json`: what `hook` needs of an installed adapter, so that it touches no ledger and
//! needs no PATH. Loading is strict: a file that can't be read is an error, never "not installed".
//! It runs nothing.

use crate::error::{Error, Result};
use crate::external::discover::{Found, check_name, discover};
use crate::external::escape::shown;
use crate::external::protocol::HOOK_LIMIT;
use crate::hook::gate::may_be_gate;
use crate::spec::{AgentSpec, Entries};
use crate::sys::Sys;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The schema of the file.
pub const SCHEMA: u32 = 1;

const CAP: u64 = 1 << 20;
/// What is left to the agent of its own limit, so that we answer before it goes on without us.
const MARGIN: Duration = Duration::from_secs(2);
const LEAST: Duration = Duration::from_secs(1);

/// An adapter that `hook` may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The agent's name.
    pub name: String,
    /// The executable's absolute path; an installed adapter is run from there and nowhere else.
    pub path: PathBuf,
    /// sha256 of its bytes when it was installed. `hook` doesn't compare it (an adapter may be improved
    /// in place); `doctor` does.
    pub sha256: String,
    /// The agent's events.
    pub events: Vec<String>,
    /// Those that come before a tool; absent: judged by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_tool: Option<Vec<String>>,
    /// Event → the agent's own time limit for our entry, in milliseconds, where the entry names one.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

impl Ready {
    /// Does `event` come before a tool runs, so that a failure must block?
    pub fn is_before_tool(&self, event: &str) -> bool {
        match &self.before_tool {
            Some(events) => events.iter().any(|e| e == event),
            None => may_be_gate(event),
        }
    }

    /// How long the adapter may take for `event`, its calls together: 12 s, and 2 s less than the agent
    /// waits for us.
    pub fn budget(&self, event: &str) -> Duration {
        match self.limits.get(event) {
            Some(ms) => Duration::from_millis(*ms)
                .saturating_sub(MARGIN)
                .clamp(LEAST, HOOK_LIMIT),
            None => HOOK_LIMIT,
        }
    }
}

/// The adapter that `hook --agent <name>` runs: the installed one, else one that is found on PATH or in
/// `<state>/agents`. `state` is the state home.
pub fn ready(sys: &Sys<'_>, state: &Path, name: &str) -> Result<Ready> {
    check_name(name)?;
    if let Some(ready) = installed(sys, state, name)? {
        return Ok(ready);
    }
    let found = discover(sys, state, name)?;
    Ok(Ready {
        schema: SCHEMA,
        name: found.name,
        path: found.path,
        sha256: found.sha256,
        events: Vec::new(),
        before_tool: None,
        limits: BTreeMap::new(),
    })
}

/// Reads `adapters/<name>.json`; `None` when there is none.
pub fn installed(sys: &Sys<'_>, state: &Path, name: &str) -> Result<Option<Ready>> {
    check_name(name)?;
    let file = state.join(file_name(name));
    let bytes = match sys.disk.read(&file, CAP) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("read", &file, &e)),
    };
    let broken = |why: String| {
        Error::failed(
            "broken-state",
            format!("`{}` can't be used: {why}", file.display()),
        )
        .at(&file)
        .help(format!("gitvow install --agent {name}"))
    };
    let ready: Ready = serde_json::from_slice(&bytes).map_err(|e| broken(e.to_string()))?;
    if ready.schema != SCHEMA {
        return Err(broken(format!(
            "its schema is {}, and this gitvow knows {SCHEMA}",
            ready.schema
        )));
    }
    if ready.name != name {
        return Err(broken(format!("it is about `{}`", shown(&ready.name, 60))));
    }
    if !ready.path.is_absolute() {
        return Err(broken("its `path` is not absolute".to_owned()));
    }
    Ok(Some(ready))
}

/// What an install leaves for `hook`: the file's name relative to the state home, and its text.
pub fn state_file(spec: &AgentSpec, found: &Found) -> (String, String) {
    let ready = Ready {
        schema: SCHEMA,
        name: found.name.clone(),
        path: found.path.clone(),
        sha256: found.sha256.clone(),
        events: spec.events.clone(),
        before_tool: spec.before_tool.clone(),
        limits: limits(spec),
    };
    // Strings, numbers and lists: this can't fail to print.
    let mut text = serde_json::to_string_pretty(&ready).unwrap_or_default();
    text.push('\n');
    (file_name(&found.name), text)
}

/// `adapters/<name>.json`, relative to the state home.
pub fn file_name(name: &str) -> String {
    format!("adapters/{name}.json")
}

/// The shortest limit that an event's entries name. Agents count in seconds or (Gemini) milliseconds and
/// nothing says which: a value from 1,000 up is taken for milliseconds, so that a wrong guess only ever
/// makes us answer early.
fn limits(spec: &AgentSpec) -> BTreeMap<String, u64> {
    let mut limits = BTreeMap::new();
    let Some(Entries::Events(events)) = spec.install.as_ref().map(|i| &i.entries) else {
        return limits;
    };
    for (event, entries) in events {
        let mut shortest = None;
        for entry in entries.as_array().into_iter().flatten() {
            note(entry, &mut shortest);
            for handler in entry
                .get("hooks")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                note(handler, &mut shortest);
            }
        }
        if let Some(ms) = shortest {
            limits.insert(event.clone(), ms);
        }
    }
    limits
}

fn note(entry: &Value, shortest: &mut Option<u64>) {
    for key in ["timeout", "timeoutSec"] {
        let Some(n) = entry.get(key).and_then(Value::as_u64).filter(|n| *n > 0) else {
            continue;
        };
        let ms = if n < 1000 { n * 1000 } else { n };
        *shortest = Some(shortest.map_or(ms, |s| s.min(ms)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(install: Value, before: Option<Vec<&str>>) -> AgentSpec {
        let mut value = json!({"protocol": 1, "name": "x", "events": ["a"], "install": install});
        if let Some(before) = before {
            value["before_tool"] = json!(before);
        }
        serde_json::from_value(value).unwrap()
    }

    fn ready_of(spec: &AgentSpec) -> Ready {
        let found = Found {
            name: "x".into(),
            path: "/bin/gitvow-agent-x".into(),
            sha256: "00".into(),
        };
        let (name, text) = state_file(spec, &found);
        assert_eq!(name, "adapters/x.json");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_entrys_limit_becomes_the_budget() {
        let install = json!({"entries": {
            "seconds": [{"hooks": [{"timeout": 5}, {"timeout": 8}]}],
            "millis": [{"timeout": 7000}],
            "long": [{"timeoutSec": 60}],
            "tiny": [{"timeout": 1}],
            "none": [{"command": "c"}],
        }});
        let ready = ready_of(&spec(install, None));
        let ms = |event| ready.budget(event).as_millis();
        assert_eq!(
            (
                ms("seconds"),
                ms("millis"),
                ms("long"),
                ms("tiny"),
                ms("none")
            ),
            (3000, 5000, 12000, 1000, 12000)
        );
    }

    #[test]
    fn before_tool_is_what_info_lists_else_judged_by_name() {
        let listed = ready_of(&spec(json!({}), Some(vec!["guard"])));
        assert!(listed.is_before_tool("guard") && !listed.is_before_tool("beforeTool"));
        let none = ready_of(&spec(json!({}), Some(vec![])));
        assert!(!none.is_before_tool("beforeTool"));
        let named = ready_of(&spec(json!({}), None));
        assert!(named.is_before_tool("beforeTool") && !named.is_before_tool("afterTool"));
    }
}
