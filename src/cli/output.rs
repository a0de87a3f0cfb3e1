//! The documents that `--json` prints, and that the text renderer is given. Plain data: nothing here reads,
//! decides or prints.
//!
//! `docs/schema/output.json` is their JSON Schema. Fields are only ever added.

mod health;
mod lists;

pub use health::{AgentHealth, Capability, Client, Doctor, Finding, Health, Severity};
pub use lists::{AgentList, Checked, KnownAgent, KnownFile, Rehearsal, RehearsalStep, Selftest};

use crate::error::{Error, Kind};
use crate::spec::Scope;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The schema of every document here.
pub const SCHEMA: u32 = 1;

/// What `install` and `uninstall` print.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changes {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Which of the two.
    pub command: Direction,
    /// Nothing was written; everything below says what would be.
    pub dry_run: bool,
    /// The scope asked for; `null` for every scope.
    pub scope: Option<Scope>,
    /// Nothing was refused, failed or is still live.
    pub ok: bool,
    /// Some file was (in a dry run: would be) created, edited or removed.
    pub changed: bool,
    /// gitvow's own copy; `null` when the command doesn't concern it.
    pub launcher: Option<Launcher>,
    /// One per agent and scope, in the order they were taken.
    pub agents: Vec<AgentChange>,
}

/// The two directions of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// `gitvow install`.
    Install,
    /// `gitvow uninstall`.
    Uninstall,
}

impl Direction {
    /// `install` or `uninstall`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Uninstall => "uninstall",
        }
    }
}

/// What happens to gitvow's own copy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Launcher {
    /// Absolute path.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// What happens to it.
    pub action: Action,
}

/// One agent in one scope.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentChange {
    /// Its name.
    pub agent: String,
    /// Its scope.
    pub scope: Scope,
    /// How it stands afterwards.
    pub status: Status,
    /// Its files.
    pub artifacts: Vec<Artifact>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// What only a person can do now.
    pub steps: Vec<String>,
    /// What was left in place although it came from gitvow, and why.
    pub kept: Vec<Kept>,
    /// Why it was refused or failed.
    pub error: Option<Fault>,
}

impl AgentChange {
    /// An agent of which nothing is known yet but that it is unchanged.
    pub fn new(agent: impl Into<String>, scope: Scope) -> Self {
        Self {
            agent: agent.into(),
            scope,
            status: Status::Unchanged,
            artifacts: Vec::new(),
            notes: Vec::new(),
            steps: Vec::new(),
            kept: Vec::new(),
            error: None,
        }
    }
}

/// How an agent stands after the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Its entries were written.
    Installed,
    /// Nothing had to be done.
    Unchanged,
    /// Its entries were taken out.
    Removed,
    /// Nothing of ours was there.
    NotInstalled,
    /// Something that the user edited was left.
    Kept,
    /// Nothing was written, on purpose.
    Refused,
    /// The outside world failed; whatever had begun was settled.
    Failed,
}

impl Status {
    /// How an agent stands that an error ended.
    pub fn after(e: &Error) -> Self {
        match e.kind {
            Kind::Refused | Kind::Usage => Self::Refused,
            Kind::Failed | Kind::Bug => Self::Failed,
        }
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::NotInstalled => "not-installed",
            Self::Kept => "kept",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// One file of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Artifact {
    /// Whose file it is.
    pub kind: ArtifactKind,
    /// Absolute, as planned.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Absolute, behind all links.
    #[serde(serialize_with = "lossy")]
    pub real_path: PathBuf,
    /// What happens to it.
    pub action: Action,
    /// Its bytes before.
    pub before: State,
    /// Its bytes after.
    pub after: State,
    /// A unified diff; absent under `--no-diff` and in a real run's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Whose file an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    /// Entries in a file that the user owns.
    Merge,
    /// A file of gitvow's.
    Tree,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It comes.
    Create,
    /// Its bytes change.
    Edit,
    /// It goes.
    Remove,
    /// It stays although it, or something in it, came from gitvow.
    Keep,
    /// Nothing had to be done.
    Unchanged,
    /// It is not touched, on purpose.
    Refuse,
}

impl Action {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Remove => "remove",
            Self::Keep => "keep",
            Self::Unchanged => "unchanged",
            Self::Refuse => "refuse",
        }
    }

    /// Does it write?
    pub fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Edit | Self::Remove)
    }
}

/// The bytes of a file: `sha256:HEX`, or `absent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// No file.
    Absent,
    /// sha256 as lower-case hex.
    Sha256(String),
}

impl Serialize for State {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => to.serialize_str("absent"),
            Self::Sha256(hex) => to.collect_str(&format_args!("sha256:{hex}")),
        }
    }
}

/// Something that came from gitvow and stays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// Its file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// What in it and why, in one sentence.
    pub reason: String,
}

/// An error, as a program reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// A stable word ([`Error::code`]).
    pub kind: String,
    /// The file it is about.
    #[serde(serialize_with = "lossy_option")]
    pub path: Option<PathBuf>,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// Never empty.
    pub message: String,
    /// What helps.
    pub help: Option<String>,
    /// The line of the file that `line` names, for the text output.
    #[serde(skip)]
    pub source: Option<String>,
}

impl From<&Error> for Fault {
    fn from(e: &Error) -> Self {
        let place = e.place.as_ref();
        let position = place.and_then(|p| p.position);
        let message = e.sentence();
        Self {
            kind: e.code.to_owned(),
            path: place.map(|p| p.path.clone()).filter(|p| p != Path::new("")),
            line: position.map(|p| p.0),
            column: position.map(|p| p.1),
            message: if message.trim().is_empty() {
                format!("{} without a message", e.code)
            } else {
                message
            },
            help: e.help.clone(),
            source: None,
        }
    }
}

impl Fault {
    /// Takes the named line out of the file's text, so that it can be shown.
    #[must_use]
    pub fn with_source(mut self, text: &str) -> Self {
        self.source = self
            .line
            .and_then(|n| lines(text).nth(n.saturating_sub(1)))
            .map(str::to_owned);
        self
    }
}

/// Lines as [`crate::doc::text::position`] counts them: LF, CRLF and a lone CR end one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix(crate::doc::text::BOM).unwrap_or(text);
    text.split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// What any command prints under `--json` when an error ended it before it came to an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The command's name.
    pub command: &'static str,
    /// Always `false`.
    pub ok: bool,
    /// Always `false`.
    pub changed: bool,
    /// Always empty.
    pub agents: [AgentChange; 0],
    /// What it was.
    pub error: Fault,
}

impl Failure {
    /// From the error that ended `command`.
    pub fn new(command: &'static str, e: &Error) -> Self {
        Self {
            schema: SCHEMA,
            command,
            ok: false,
            changed: false,
            agents: [],
            error: e.into(),
        }
    }
}

/// A path as text: what isn't UTF-8 is replaced, since a document that ends in an error helps nobody.
fn lossy<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

fn lossy_option<S: serde::Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|p| p.to_string_lossy()).serialize(to)
}

/// One document as it is printed: two spaces of indentation and a final newline.
pub fn document(value: &impl Serialize) -> crate::error::Result<String> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|e| Error::bug("a result cannot be written as JSON").because(e.to_string()))?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_always_has_a_message() {
        let fault = Fault::from(&Error::refused("wrong-kind", "").position(2, 3));
        assert!(!fault.message.trim().is_empty());
        assert_eq!(
            (fault.path, fault.line, fault.column),
            (None, Some(2), Some(3))
        );
    }

    #[test]
    fn the_source_line_is_the_one_the_position_counts() {
        for text in ["\u{feff}a\nb\nc", "a\r\nb\r\nc", "a\rb\rc\r"] {
            let e = Error::refused("unparseable", "x").position(2, 1);
            assert_eq!(
                Fault::from(&e).with_source(text).source.as_deref(),
                Some("b")
            );
        }
    }

    #[test]
    fn states_are_written_as_the_schema_says() {
        let states = [State::Absent, State::Sha256("ab".into())];
        assert_eq!(
            serde_json::to_string(&states).unwrap(),
            r#"["absent","sha256:ab"]"#
        );
    }

    #[test]
    fn a_path_that_is_not_utf8_does_not_end_the_document() {
        use std::os::unix::ffi::OsStrExt;
        let odd = PathBuf::from(std::ffi::OsStr::from_bytes(b"/a\xff"));
        let mut change = AgentChange::new("claude", Scope::User);
        change.kept.push(Kept {
            path: odd,
            reason: "x".into(),
        });
        assert!(document(&change).unwrap().contains("/a\u{fffd}"));
    }
}
