//! From a tool's arguments to what a policy may look at: a shell line, the files that are written. Pure.
//!
//! Every file that a call names is judged, so one payload may become several tools. Where an argument stands
//! is the planner's data (`hook.arguments`); `*` in a path stands for every item of a list.

use super::agent::{Agent, Event};
use super::call::Tool;
use super::dialect::patch;
use super::json::Json;
use super::reach;
use crate::spec::words::quoted;
use std::borrow::Cow;

/// Where a tool's arguments are looked for.
#[derive(Clone, Copy)]
pub struct Arguments<'n, 'b> {
    /// The agent, for the names.
    pub agent: &'n Agent,
    /// What happens: before a tool nothing may be missing.
    pub event: Event,
    /// The arguments; text where they are nothing but text.
    pub input: Option<&'b Json<'b>>,
}

/// The usual names of the arguments, for agents that say nothing else.
const USUAL: [(&str, &[&str]); 8] = [
    ("command", &["command"]),
    ("words", &[]),
    ("patch", &["command", "input", "patch"]),
    ("file_path", &["file_path", "notebook_path"]),
    ("old_string", &["old_string"]),
    ("new_string", &["new_string", "new_source"]),
    ("content", &["content"]),
    ("edits", &["edits"]),
];

impl<'n, 'b> Arguments<'n, 'b> {
    /// What a tool of this name is about to do; one tool a file.
    pub fn tools(self, name: &str) -> Result<Vec<Tool<'b>>, String> {
        let before = self.event == Event::PreToolUse;
        let bare = || self.input.and_then(Json::str).map(Cow::Borrowed);
        match name {
            "patch" => {
                let text = bare().or_else(|| self.text(self.input?, "patch"));
                self.patched(&text.ok_or("the patch has no text")?)
            }
            "Bash" | "keys" => {
                let command = bare().or_else(|| self.line());
                if before && command.is_none() && name == "Bash" {
                    return Err("the shell tool's payload has no command".to_owned());
                }
                let command = match command {
                    // Copilot's `write_bash` spells the return key so.
                    Some(typed) if name == "keys" => {
                        Some(Cow::Owned(typed.replace("{enter}", "\n")))
                    }
                    other => other,
                };
                Ok(vec![Tool {
                    name: "Bash".into(),
                    command,
                    ..Tool::default()
                }])
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                let tools = self.written(name);
                if !tools.is_empty() {
                    return Ok(tools);
                }
                if before {
                    return Err(format!("the payload of {name} names no file"));
                }
                Ok(vec![Tool {
                    name: known(name),
                    ..Tool::default()
                }])
            }
            mcp if mcp.starts_with("mcp__") => Ok(reach::tools(known(mcp), self.input)),
            other => {
                let tools = if before && self.may_write() {
                    self.written("Edit")
                } else {
                    Vec::new()
                };
                if !tools.is_empty() {
                    return Ok(tools);
                }
                Ok(vec![Tool {
                    name: known(other),
                    ..Tool::default()
                }])
            }
        }
    }

    /// Where an argument may stand.
    fn names(self, argument: &str) -> impl Iterator<Item = &'n str> {
        let own = self.agent.arguments.get(argument);
        let usual = USUAL
            .iter()
            .find(|(name, _)| own.is_none() && *name == argument);
        let usual = usual.map_or(&[][..], |(_, names)| names);
        own.map_or(&[][..], Vec::as_slice)
            .iter()
            .chain(usual)
            .copied()
    }

    fn text(self, from: &'b Json<'b>, argument: &str) -> Option<Cow<'b, str>> {
        self.names(argument)
            .find_map(|n| from.at(n)?.str().map(Cow::Borrowed))
    }

    /// The shell line; of an argument vector the line that means the same.
    fn line(self) -> Option<Cow<'b, str>> {
        let input = self.input?;
        let line = self.names("command").find_map(|n| match input.at(n)? {
            Json::String(line) => Some(Cow::Borrowed(line.as_ref())),
            Json::Array(words) => Some(Cow::Owned(vector(words)?)),
            _ => None,
        })?;
        let more = self
            .names("words")
            .find_map(|n| vector(input.at(n)?.items()?));
        Some(match more.filter(|m| !m.is_empty()) {
            Some(more) => Cow::Owned(format!("{line} {more}")),
            None => line,
        })
    }

    /// A tool that nobody knows: does it carry text for a file?
    fn may_write(self) -> bool {
        let Some(input @ Json::Object(_)) = self.input else {
            return false;
        };
        ["content", "old_string", "new_string", "edits"]
            .iter()
            .any(|argument| self.names(argument).any(|n| input.at(n).is_some()))
    }

    /// One tool for each file that is named.
    fn written(self, name: &str) -> Vec<Tool<'b>> {
        let mut tools: Vec<Tool<'b>> = Vec::new();
        let Some(input) = self.input else {
            return tools;
        };
        let mut plain = 0;
        for path in self.names("file_path") {
            let mut found = Vec::new();
            every(input, input, path, &mut found);
            for (around, file) in found {
                // A list's items are edits of their own, unless the call as a whole names their file.
                let mut others = tools.iter().take(plain);
                if others.any(|t| t.file_path.as_deref() == Some(file)) {
                    continue;
                }
                plain += usize::from(!path.contains('*'));
                let text = |argument: &str| {
                    self.text(around, argument)
                        .or_else(|| self.joined(around, argument))
                };
                tools.push(Tool {
                    name: known(name),
                    file_path: Some(Cow::Borrowed(file)),
                    old_string: text("old_string"),
                    new_string: text("new_string"),
                    content: self.text(around, "content"),
                    ..Tool::default()
                });
            }
        }
        tools
    }

    /// The texts of a list of edits, one behind the other.
    fn joined(self, around: &'b Json<'b>, argument: &str) -> Option<Cow<'b, str>> {
        let edits = self.names("edits").find_map(|n| around.at(n)?.items())?;
        let texts: Vec<_> = edits
            .iter()
            .filter_map(|e| self.text(e, argument))
            .collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    }

    /// One tool for each file of a patch.
    fn patched(self, text: &str) -> Result<Vec<Tool<'b>>, String> {
        let some = |s: String| (!s.is_empty()).then_some(Cow::Owned(s));
        let changes = match patch::read(text) {
            Ok(changes) => changes,
            Err(_) if self.event == Event::PostToolUse => vec![patch::Change::default()],
            Err(e) => return Err(e),
        };
        let one = |change: patch::Change| Tool {
            name: Cow::Borrowed(if change.adds { "Write" } else { "Edit" }),
            file_path: Some(Cow::Owned(change.path)),
            content: change.adds.then(|| Cow::Owned(change.after.clone())),
            old_string: some(change.before),
            new_string: some(change.after).filter(|_| !change.adds),
            ..Tool::default()
        };
        Ok(changes.into_iter().map(one).collect())
    }
}

/// Every text at a path, with the object that it stands in.
pub(super) fn every<'b>(
    around: &'b Json<'b>,
    from: &'b Json<'b>,
    path: &str,
    out: &mut Vec<(&'b Json<'b>, &'b str)>,
) {
    let Some((before, behind)) = path.split_once('*') else {
        out.extend(
            from.at(path)
                .and_then(Json::str)
                .filter(|s| !s.is_empty())
                .map(|s| (around, s)),
        );
        return;
    };
    let list = match before.trim_end_matches('.') {
        "" => Some(from),
        name => from.at(name),
    };
    for item in list.and_then(Json::items).unwrap_or_default() {
        match behind.trim_start_matches('.') {
            "" => out.extend(item.str().filter(|s| !s.is_empty()).map(|s| (around, s))),
            rest => every(item, item, rest, out),
        }
    }
}

/// An argument vector as a line of a POSIX shell; `None` when it holds anything but text.
fn vector(words: &[Json<'_>]) -> Option<String> {
    let words: Option<Vec<_>> = words.iter().map(|w| w.str().map(quoted)).collect();
    Some(words?.join(" "))
}

/// The names that we give, without a copy.
fn known(name: &str) -> Cow<'static, str> {
    let ours = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
    match ours.into_iter().find(|ours| *ours == name) {
        Some(ours) => Cow::Borrowed(ours),
        None => Cow::Owned(name.to_owned()),
    }
}
