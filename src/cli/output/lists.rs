//! What `agents`, `check` and `selftest` print. Plain data.

use super::ArtifactKind;
use crate::spec::Scope;
use serde::Serialize;
use std::path::PathBuf;

/// What `agents` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentList {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// Every agent known.
    pub agents: Vec<KnownAgent>,
}

/// One agent that gitvow knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownAgent {
    /// Its name on the command line.
    pub agent: String,
    /// The product's name.
    pub title: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// Its command is on PATH, or its configuration directory exists and isn't ours.
    pub detected: bool,
    /// That command or directory.
    #[serde(serialize_with = "super::lossy_option")]
    pub detected_by: Option<PathBuf>,
    /// The files that an install concerns.
    pub files: Vec<KnownFile>,
    /// Scopes in which it is installed.
    pub installed: Vec<Scope>,
}

/// One file of a known agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownFile {
    /// In which scope.
    pub scope: Scope,
    /// Whose file it is.
    pub kind: ArtifactKind,
    /// Absolute where the scope's directory is known, else relative to the repository.
    #[serde(serialize_with = "super::lossy")]
    pub path: PathBuf,
}

/// What `check` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// Why.
    pub reason: Option<String>,
    /// The rule that decided.
    pub rule: Option<String>,
}

/// What `selftest` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selftest {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// Every step held.
    pub ok: bool,
    /// One per agent.
    pub agents: Vec<Rehearsal>,
}

/// One agent's rehearsal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rehearsal {
    /// Its name.
    pub agent: String,
    /// Every step held.
    pub ok: bool,
    /// In the order taken, up to the first lie.
    pub steps: Vec<RehearsalStep>,
}

/// One step of a rehearsal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RehearsalStep {
    /// What was tried.
    pub name: String,
    /// It held.
    pub ok: bool,
    /// What was seen.
    pub message: String,
}
