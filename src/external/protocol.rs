//! One call of an adapter: `info`, `normalize` or `respond`. It decides nothing: it runs the executable
//! within its limits and turns what comes back into checked data, or into an error that names the key.
//!
//! The process group is killed at the limit and once the adapter has exited, so a child that holds the
//! pipe delays nothing. Standard output is one UTF-8 JSON document of at most [`STDOUT_CAP`] bytes.

use crate::error::{Error, Result};
use crate::external::discover::{Found, check_safe};
use crate::external::escape::{shown, shown_bytes};
use crate::spec::AgentSpec;
use crate::spec::parse::{Source, parse};

use crate::sys::{Child, FileKind, Sys};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The protocol's version.
pub const PROTOCOL: u64 = 1;
/// The longest that one call may take.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);
/// The longest that all calls of one hook run may take together.
pub const HOOK_LIMIT: Duration = Duration::from_secs(12);
/// The most that is taken from an adapter's standard output.
pub const STDOUT_CAP: usize = 10 << 20;
/// The most calls that one payload may become.
pub const MOST_CALLS: usize = 10_000;
/// What `normalize` may answer with.
pub const EVENTS: [&str; 6] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "Subagent",
];

/// What an adapter's environment holds, where we have it ourselves. Nothing else is handed on: tokens in
/// the environment of an agent are not an adapter's business. `PATH` and `GITVOW_HOME` are always set.
const HANDED_ON: [&str; 7] = [
    "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "LOGNAME",
];

/// Where and how long an adapter runs.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The executable, absolute.
    pub path: &'a Path,
    /// Its working directory: the user's, or the payload's. One that isn't there becomes `/`.
    pub cwd: &'a Path,
    /// The state home, handed over as `GITVOW_HOME`.
    pub state: &'a Path,
    /// When its process group is killed; [`CALL_LIMIT`] at most counts.
    pub limit: Duration,
}

/// One call that `normalize` answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalized {
    /// One of [`EVENTS`].
    pub event: String,
    /// In Claude Code's shape; `hook_event_name` is set to `event`.
    pub payload: Map<String, Value>,
}

/// What `respond` answered with, to be passed on as it stands: these bytes are for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The exit code that the agent is to see.
    pub exit_code: u8,
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

/// Asks an adapter what its agent is. The answer is checked like a planner, and its name must be the
/// one that was asked for.
pub fn info(sys: &Sys<'_>, state: &Path, found: &Found) -> Result<AgentSpec> {
    let cwd = sys.env.cwd().unwrap_or_else(|_| PathBuf::from("/"));
    let call = Call {
        path: &found.path,
        cwd: &cwd,
        state,
        limit: CALL_LIMIT,
    };
    let text_said = run(sys, &call, "info", b"")?;
    let answer = object(&call, "info", &text_said)?;
    let wrong = |why: String| nonsense(&call, "info", &why);
    match answer.get("protocol") {
        Some(v) if v.as_u64() == Some(PROTOCOL) => {}
        Some(v) => {
            return Err(wrong(format!(
                "`protocol` is {}, and this gitvow speaks {PROTOCOL}",
                brief(v)
            )));
        }
        None => {
            return Err(wrong(format!(
                "`protocol` is missing; it must be {PROTOCOL}"
            )));
        }
    }
    let name = text(answer.get("name"), "name").map_err(wrong)?;
    if name != found.name {
        return Err(wrong(format!(
            "`name` is `{}`, but `{}` was asked for",
            shown(&name, 60),
            found.name
        )));
    }
    // The spec's own reader says which key is wrong; what it quotes is the adapter's.
    parse(&text_said, Source::External).map_err(|e| wrong(shown(&e.sentence(), 400)))
}

/// Has an agent's payload translated. None, one or several calls come back.
pub fn normalize(
    sys: &Sys<'_>,
    call: &Call<'_>,
    event: &str,
    payload: &Value,
) -> Result<Vec<Normalized>> {
    let input = json!({"event": event, "payload": payload}).to_string();
    let answer = object(
        call,
        "normalize",
        &run(sys, call, "normalize", input.as_bytes())?,
    )?;
    calls(answer).map_err(|why| nonsense(call, "normalize", &why))
}

/// Has a decision put into the agent's own form. `code` is 0 or 2.
pub fn respond(sys: &Sys<'_>, call: &Call<'_>, code: u8, message: &str) -> Result<Reply> {
    let input = json!({"code": code, "message": message}).to_string();
    let answer = object(
        call,
        "respond",
        &run(sys, call, "respond", input.as_bytes())?,
    )?;
    reply(&answer, code).map_err(|why| nonsense(call, "respond", &why))
}

fn calls(mut answer: Map<String, Value>) -> Result<Vec<Normalized>, String> {
    let list = match answer.remove("calls") {
        Some(Value::Array(list)) => list,
        Some(v) => return Err(format!("`calls` must be a list, not {}", kind(&v))),
        None => return Err("`calls` is missing; it may be empty".to_owned()),
    };
    if list.len() > MOST_CALLS {
        return Err(format!(
            "`calls` has {} items; {MOST_CALLS} are allowed",
            list.len()
        ));
    }
    list.into_iter()
        .enumerate()
        .map(|(i, item)| {
            let Value::Object(mut item) = item else {
                return Err(format!(
                    "`calls[{i}]` must be an object, not {}",
                    kind(&item)
                ));
            };
            let event = text(item.get("event"), &format!("calls[{i}].event"))?;
            if !EVENTS.contains(&event.as_str()) {
                return Err(format!(
                    "`calls[{i}].event` is `{}`, none of {}",
                    shown(&event, 60),
                    EVENTS.join(", ")
                ));
            }
            match item.remove("payload") {
                Some(Value::Object(mut payload)) => {
                    payload.insert("hook_event_name".to_owned(), Value::String(event.clone()));
                    Ok(Normalized { event, payload })
                }
                Some(v) => Err(format!(
                    "`calls[{i}].payload` must be an object, not {}",
                    kind(&v)
                )),
                None => Err(format!("`calls[{i}].payload` is missing")),
            }
        })
        .collect()
}

/// `exit_code` defaults to the code that was asked for and the texts to nothing, as in the Python gitvow
/// 0.42.0: its adapters go on working, and a refusal stays one.
fn reply(answer: &Map<String, Value>, code: u8) -> Result<Reply, String> {
    let exit_code = match answer.get("exit_code") {
        None => code,
        Some(v) => v
            .as_u64()
            .and_then(|n| u8::try_from(n).ok())
            .ok_or_else(|| {
                format!(
                    "`exit_code` must be a whole number from 0 to 255, not {}",
                    brief(v)
                )
            })?,
    };
    let optional = |key: &str| match answer.get(key) {
        None => Ok(String::new()),
        some => text(some, key),
    };
    Ok(Reply {
        exit_code,
        stdout: optional("stdout")?,
        stderr: optional("stderr")?,
    })
}

/// Runs one subcommand; what it printed.
fn run(sys: &Sys<'_>, call: &Call<'_>, subcommand: &str, stdin: &[u8]) -> Result<String> {
    check_safe(sys, call.path)?;
    let failed = |why: String| failure(call, subcommand, &why);
    let there = sys
        .disk
        .stat(call.cwd)
        .is_ok_and(|s| s.kind != FileKind::Other);
    let limit = call.limit.min(CALL_LIMIT);
    let ended = sys
        .runner
        .run(&Child {
            program: call.path.to_owned(),
            args: vec![subcommand.to_owned()],
            env: environment(sys, call.state),
            cwd: if there && call.cwd.is_absolute() {
                call.cwd.to_owned()
            } else {
                PathBuf::from("/")
            },
            stdin,
            limit,
            stdout_cap: STDOUT_CAP,
        })
        .map_err(|e| failed(format!("can't be run: {e}")))?;
    let stderr = shown_bytes(&ended.stderr, 400);
    let said = if stderr.is_empty() {
        String::new()
    } else {
        format!(": {stderr}")
    };
    if ended.timed_out {
        return Err(failed(format!(
            "gave no answer within {:.1} s{said}",
            limit.as_secs_f64()
        )));
    }
    if ended.overflowed {
        return Err(failed(format!(
            "printed more than {} MiB{said}",
            STDOUT_CAP >> 20
        )));
    }
    match ended.code {
        Some(0) => {}
        Some(code) => return Err(failed(format!("exited with {code}{said}"))),
        None => return Err(failed(format!("was ended by a signal{said}"))),
    }
    let text = String::from_utf8(ended.stdout).map_err(|e| {
        failed(format!(
            "printed text that is not UTF-8, at byte {}",
            e.utf8_error().valid_up_to()
        ))
    })?;
    if text.trim().is_empty() {
        return Err(failed(format!("printed nothing{said}")));
    }
    Ok(text)
}

/// Exactly one JSON document, and it is an object.
fn object(call: &Call<'_>, subcommand: &str, text: &str) -> Result<Map<String, Value>> {
    let failed = |why: String| failure(call, subcommand, &why);
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(answer)) => Ok(answer),
        Ok(v) => Err(failed(format!("printed {}, not a JSON object", kind(&v)))),
        Err(e) => Err(failed(format!(
            "printed something that is not one JSON document: {e}: {}",
            shown(text.trim(), 80)
        ))),
    }
}

fn environment(sys: &Sys<'_>, state: &Path) -> Vec<(String, String)> {
    let mut env = Vec::new();
    // Relative entries would mean whatever repository the agent stands in.
    let path = sys.env.var("PATH").unwrap_or_default();
    let absolute: Vec<&str> = path.split(':').filter(|p| p.starts_with('/')).collect();
    env.push((
        "PATH".to_owned(),
        if absolute.is_empty() {
            "/usr/bin:/bin".to_owned()
        } else {
            absolute.join(":")
        },
    ));
    if let Some(home) = sys.env.home() {
        env.push(("HOME".to_owned(), home.to_string_lossy().into_owned()));
    }
    env.push((
        "GITVOW_HOME".to_owned(),
        state.to_string_lossy().into_owned(),
    ));
    for name in HANDED_ON {
        if let Some(value) = sys.env.var(name) {
            env.push((name.to_owned(), value));
        }
    }
    env
}

fn failure(call: &Call<'_>, subcommand: &str, why: &str) -> Error {
    Error::failed(
        "adapter-failed",
        format!(
            "the adapter `{}` failed: `{subcommand}` {why}",
            shown(&call.path.to_string_lossy(), 400)
        ),
    )
    .at(call.path)
    .help("see what it says by hand: docs/writing-an-adapter.md")
}

fn nonsense(call: &Call<'_>, subcommand: &str, why: &str) -> Error {
    failure(call, subcommand, &format!("answered wrongly: {why}"))
}

fn text(value: Option<&Value>, key: &str) -> Result<String, String> {
    match value {
        Some(Value::String(s)) => Ok(s.clone()),
        Some(v) => Err(format!("`{key}` must be text, not {}", kind(v))),
        None => Err(format!("`{key}` is missing")),
    }
}

/// What a value is, for a sentence.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A short value as it stands, a long one by its kind.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        v => shown(&v.to_string(), 40),
    }
}
