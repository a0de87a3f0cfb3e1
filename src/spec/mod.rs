//! What an agent is: its files, entries, events and answers. Pure: no disk, no environment.
//!
//! Built-ins (`planners/<agent>/planner.jsonc`) and external adapters (`info`) are parsed by the same
//! code into the same [`AgentSpec`]; built-ins refuse unknown keys, externals ignore them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub mod builtin;
pub mod check;
pub mod command;
pub mod evidence;
pub mod names;
pub mod parse;
pub mod shape;
pub mod words;

/// What stands for the command that runs gitvow in entries and tree files.
pub const PLACEHOLDER: &str = "__GITVOW__";

/// The three places an agent reads settings from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user's own file.
    User,
    /// The file that the team commits.
    Repo,
    /// The vendor's untracked per-clone file.
    Local,
}

impl Scope {
    /// `user`, `repo` or `local`.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Repo => "repo",
            Self::Local => "local",
        }
    }
}

/// The dialect of a file: what its vendor's reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Strict JSON (a BOM is kept).
    #[default]
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML 1.0.
    Toml,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The protocol's version; 1.
    pub protocol: u32,
    /// The name on the command line and in commands.
    pub name: String,
    /// The product's name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Other names for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The events that its entries register.
    #[serde(default)]
    pub events: Vec<String>,
    /// Which of them come before a tool runs (5.1); absent: judged by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_tool: Option<Vec<String>>,
    /// How its presence is noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detect: Option<Detect>,
    /// What is written where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<Install>,
    /// What only a person can do after an install, per scope name (`user`, `repo`, `local`); one line each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<String, Vec<String>>,
    /// Files of other agents that this one also loads: agent name → scopes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub loads: BTreeMap<String, Vec<String>>,
    /// It trusts hooks by their position (Codex): taking an entry out or changing it moves the user's later ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub positional_trust: bool,
    /// It blocks every tool call when the hook's program is gone, instead of going on unguarded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks_when_missing: bool,
    /// How payloads are read and answers written (spec 4); parsed by the hook room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<Value>,
}

/// Signs that an agent is on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Detect {
    /// Programs on PATH.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Arguments that make them print their version.
    #[serde(default)]
    pub version_args: Vec<String>,
    /// Configuration directories under HOME (relocation variables apply).
    #[serde(default)]
    pub dirs: Vec<String>,
}

/// The `install` block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Install {
    /// The user's file, relative to HOME.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_file: Option<String>,
    /// The team's file, relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_file: Option<String>,
    /// The untracked per-clone file, relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_file: Option<String>,
    /// Variable → the leading directory of `user_file` and tree paths that it replaces; "" = HOME itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub home_env: BTreeMap<String, String>,
    /// The files' dialect.
    #[serde(default)]
    pub format: Format,
    /// Where the events live in the file; `[]` = top level.
    #[serde(default = "hooks_root")]
    pub root: Vec<String>,
    /// What is added.
    #[serde(default)]
    pub entries: Entries,
    /// A top-level key set to 1 when gitvow creates the file.
    #[serde(default)]
    pub version_key: Option<String>,
    /// Files that get an event instead of the default one where they already have it (Droid).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// Where an older gitvow put entries that do nothing there: `--adopt` takes them out (Droid).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legacy: Vec<Alternative>,
    /// Files that are wholly ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeSpec>,
    /// The guarded command of repository scope; absent: repository scope is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_command: Option<RepoCommand>,
    /// What the vendor's reader accepts and needs, from which "inert" is judged; absent: what `format` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Reads>,
}

impl Install {
    /// What the vendor's reader accepts: as said, else as `format` means it (5.1). `json` is strict but for a BOM.
    pub fn reader(&self) -> Reads {
        self.reads.clone().unwrap_or_else(|| Reads {
            bom: true,
            comments: self.format != Format::Json,
            trailing_commas: self.format != Format::Json,
            top_keys: None,
            requires: BTreeMap::new(),
            entry_keys: None,
            switches: Vec::new(),
        })
    }
}

/// The default of [`Install::root`]: the protocol's top-level `hooks` key.
pub fn hooks_root() -> Vec<String> {
    vec!["hooks".to_owned()]
}

/// Entries per event, or a plain list appended at the root (Kimi's array of tables).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "Value")]
pub enum Entries {
    /// Event → the entries appended to its array.
    Events(Map<String, Value>),
    /// Entries appended to the list that `root` names.
    List(Vec<Value>),
}

// Not `untagged` both ways: that reads each entry twice.
impl TryFrom<Value> for Entries {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::Object(events) => Ok(Self::Events(events)),
            Value::Array(list) => Ok(Self::List(list)),
            _ => Err("entries are an object of events or a list"),
        }
    }
}

impl Default for Entries {
    fn default() -> Self {
        Self::Events(Map::new())
    }
}

/// A second file of the same agent: one that takes over an event it already has, or one that an older gitvow used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Relative to HOME.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_file: Option<String>,
    /// Relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_file: Option<String>,
    /// Relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_file: Option<String>,
    /// Where the events live in that file.
    #[serde(default)]
    pub root: Vec<String>,
}

/// Files that gitvow creates and owns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeSpec {
    /// The directory, relative to HOME (relocation variables apply); absent: none at user scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The directory, relative to the repository; absent: none at repository scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_path: Option<String>,
    /// Relative file name → its text, or a JSON value that is printed.
    pub files: Map<String, Value>,
    /// How the first line of a file begins that an older gitvow put there: `--adopt` takes it over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legacy: Vec<String>,
    /// What to say when the tree's directory is new (OpenCode fetches a dependency then).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_dir_note: Option<String>,
    /// Permission bits in octal, less the umask; `0644` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// The parts of the guarded command that repository scope writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct RepoCommand {
    /// Shell text that this agent reads as "go on" when gitvow isn't there.
    pub allow: String,
    /// Shell text that this agent reads as a denial (`--on-missing block`).
    pub block: String,
    /// Per event, where its forms differ from the two above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub events: BTreeMap<String, RepoAnswer>,
}

/// One event's own forms of [`RepoCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct RepoAnswer {
    /// As [`RepoCommand::allow`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
    /// As [`RepoCommand::block`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
}

/// What the vendor's reader accepts and needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reads {
    /// A byte order mark is read.
    #[serde(default = "yes")]
    pub bom: bool,
    /// Comments are read.
    #[serde(default)]
    pub comments: bool,
    /// Trailing commas are read.
    #[serde(default)]
    pub trailing_commas: bool,
    /// The only top-level keys allowed; `None`: any.
    #[serde(default)]
    pub top_keys: Option<Vec<String>>,
    /// The only keys that an entry may have: another one in anybody's entry voids all of them (Kimi); `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_keys: Option<Vec<String>>,
    /// Top-level keys that must be there, with their JSON type (`number`).
    #[serde(default)]
    pub requires: BTreeMap<String, String>,
    /// Settings of the vendor that switch hooks off.
    #[serde(default)]
    pub switches: Vec<Switch>,
}

fn yes() -> bool {
    true
}

/// One setting that switches hooks off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// The file, relative like `user_file`; in repository scope relative to the repository. Absent: the target itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in it; TOML when the file ends in `.toml`.
    pub path: Vec<String>,
    /// The value that means "off".
    pub off: Value,
}
