//! What `doctor` prints. Plain data.

use crate::spec::Scope;
use serde::Serialize;
use std::path::PathBuf;

/// What `doctor` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doctor {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// Every state is `ok` or `not-installed`, and no finding here is an error.
    pub ok: bool,
    /// One per agent and scope.
    pub agents: Vec<AgentHealth>,
    /// Findings about gitvow's own state.
    pub findings: Vec<Finding>,
    /// Who was left out, and why.
    pub notes: Vec<String>,
}

/// One agent in one scope.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentHealth {
    /// Its name.
    pub agent: String,
    /// Its scope.
    pub scope: Scope,
    /// How it is.
    pub state: Health,
    /// The agent's own program.
    pub client: Client,
    /// What is worth knowing.
    pub findings: Vec<Finding>,
    /// Which capabilities that the gate needs are proven for this client.
    pub capabilities: Vec<Capability>,
}

/// How an installation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// As gitvow left it.
    Ok,
    /// Not installed, which is not a fault.
    NotInstalled,
    /// Could not be judged.
    Unknown,
    /// Changed since.
    Drifted,
    /// Would not work.
    Broken,
}

impl Health {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotInstalled => "not-installed",
            Self::Unknown => "unknown",
            Self::Drifted => "drifted",
            Self::Broken => "broken",
        }
    }
}

/// An agent's own program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Client {
    /// The command's name.
    pub command: Option<String>,
    /// Where it is.
    #[serde(serialize_with = "super::lossy_option")]
    pub path: Option<PathBuf>,
    /// What it says its version is; asked only under `--probe`.
    pub version: Option<String>,
}

/// One thing that doctor found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// A stable word (`entry-edited`, …).
    pub code: String,
    /// Whether something has to be done.
    pub severity: Severity,
    /// The file.
    #[serde(serialize_with = "super::lossy_option")]
    pub path: Option<PathBuf>,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// The agent's event.
    pub event: Option<String>,
    /// One sentence.
    pub message: String,
    /// One command or action that helps.
    pub help: Option<String>,
}

/// How grave a finding is, gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Worth doing something about.
    Warning,
    /// Has to be repaired.
    Error,
}

/// Whether a capability of a client is proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capability {
    /// Its name (`guards.beforeShell`).
    pub name: String,
    /// Proven.
    pub on: bool,
    /// Why not: `undeclared`, `unobserved`, `older-than-evidence`, `recorded-failure`.
    pub reason: Option<String>,
    /// The client version whose evidence decided.
    pub version: Option<String>,
}
