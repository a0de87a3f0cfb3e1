//! A normalised call: the shape of Claude Code, and nothing that isn't named here. Pure.

use super::agent::Event;
use super::mcp::Doubt;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One call. Text points into the payload where it can.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'a> {
    /// The session.
    pub session_id: Option<Cow<'a, str>>,
    /// The session's record on disk.
    pub transcript_path: Option<Cow<'a, str>>,
    /// The working directory; `None` when the payload names none.
    pub cwd: Option<Cow<'a, str>>,
    /// What happens.
    pub event: Event,
    /// The agent whose payload it is.
    pub agent: String,
    /// The tool, for tool events.
    pub tool: Option<Tool<'a>>,
    /// The agent's mode of permissions.
    pub permission_mode: Option<Cow<'a, str>>,
    /// What the person has written.
    pub prompt: Option<Cow<'a, str>>,
    /// Why the session ended.
    pub end_reason: Option<Cow<'a, str>>,
}

/// A tool with the arguments that a policy may look at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tool<'a> {
    /// `Bash`, `Edit`, `Write`, `MultiEdit`, `NotebookEdit`, `mcp__server__tool`, or the agent's own name.
    pub name: Cow<'a, str>,
    /// The other readings of an MCP tool's name.
    pub doubt: Option<Box<Doubt>>,
    /// The agent's number for this use.
    pub id: Option<Cow<'a, str>>,
    /// A shell line.
    pub command: Option<Cow<'a, str>>,
    /// The file.
    pub file_path: Option<Cow<'a, str>>,
    /// What is replaced.
    pub old_string: Option<Cow<'a, str>>,
    /// What it is replaced by.
    pub new_string: Option<Cow<'a, str>>,
    /// The whole new content.
    pub content: Option<Cow<'a, str>>,
}

impl Tool<'_> {
    /// The same, pointing nowhere.
    pub fn into_owned(self) -> Tool<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|t| Cow::Owned(t.into_owned()));
        Tool {
            name: Cow::Owned(self.name.into_owned()),
            doubt: self.doubt,
            id: owned(self.id),
            command: owned(self.command),
            file_path: owned(self.file_path),
            old_string: owned(self.old_string),
            new_string: owned(self.new_string),
            content: owned(self.content),
        }
    }

    /// Does it run a shell line?
    pub fn is_shell(&self) -> bool {
        self.name == "Bash"
    }

    /// Does it write a file?
    pub fn is_edit(&self) -> bool {
        matches!(
            self.name.as_ref(),
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit"
        )
    }

    /// The name of an MCP tool.
    pub fn mcp(&self) -> Option<&str> {
        self.name.starts_with("mcp__").then_some(self.name.as_ref())
    }

    /// What it is about, in a few words: for the log.
    pub fn detail(&self) -> &str {
        self.command
            .as_deref()
            .or(self.file_path.as_deref())
            .unwrap_or_default()
    }
}

impl Call<'_> {
    /// As a provider and the fixtures see it.
    pub fn to_json(&self) -> Value {
        let mut out = Map::new();
        put(&mut out, "session_id", self.session_id.as_ref());
        put(&mut out, "transcript_path", self.transcript_path.as_ref());
        put(&mut out, "cwd", self.cwd.as_ref());
        out.insert("hook_event_name".into(), self.event.name().into());
        out.insert("agent".into(), self.agent.clone().into());
        put(&mut out, "permission_mode", self.permission_mode.as_ref());
        if let Some(tool) = &self.tool {
            out.insert("tool_name".into(), tool.name.as_ref().into());
            let mut input = Map::new();
            put(&mut input, "command", tool.command.as_ref());
            put(&mut input, "file_path", tool.file_path.as_ref());
            put(&mut input, "old_string", tool.old_string.as_ref());
            put(&mut input, "new_string", tool.new_string.as_ref());
            put(&mut input, "content", tool.content.as_ref());
            out.insert("tool_input".into(), input.into());
            put(&mut out, "tool_use_id", tool.id.as_ref());
        }
        put(&mut out, "prompt", self.prompt.as_ref());
        put(&mut out, "end_reason", self.end_reason.as_ref());
        Value::Object(out)
    }
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<&Cow<'_, str>>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.as_ref().into());
    }
}
