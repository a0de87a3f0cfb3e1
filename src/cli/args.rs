//! The command line: shapes. Nothing here acts, reads or prints.

mod help;
mod parse;

pub use parse::parse;

use crate::spec::Scope;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Wires a policy gate into every coding agent on a machine, and takes it out again without a trace.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "gitvow",
    version,
    about,
    after_long_help = help::GITVOW,
    disable_help_subcommand = false,
    propagate_version = false,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colour. NO_COLOR is honoured
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// One command each.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Write gitvow's entries into agents' settings files
    #[command(after_long_help = help::INSTALL)]
    Install(Install),
    /// Take gitvow's entries out again
    #[command(after_long_help = help::UNINSTALL)]
    Uninstall(Uninstall),
    /// Check that everything is still as gitvow left it, and works
    #[command(after_long_help = help::DOCTOR)]
    Doctor(Doctor),
    /// Rehearse install, the written commands and uninstall on copies of your files
    #[command(after_long_help = help::SELFTEST)]
    Selftest(Selftest),
    /// What the installed entries run: judge one call, payload on standard input
    #[command(after_long_help = help::HOOK)]
    Hook(Hook),
    /// List every agent gitvow knows, its files, and whether it is installed
    #[command(after_long_help = help::AGENTS)]
    Agents(Agents),
    /// Ask what the policy says of a shell command
    #[command(after_long_help = help::CHECK)]
    Check(Check),
    /// Print a man page, shell completions or a JSON Schema
    #[command(after_long_help = help::GENERATE)]
    Generate(Generate),
}

/// Which agents, in which files. Shared by the commands that work on installations.
#[derive(Debug, Clone, Default, Args)]
pub struct Choice {
    /// An agent by name or alias; may be repeated
    #[arg(long = "agent", value_name = "NAME")]
    pub agents: Vec<String>,
    #[command(flatten)]
    /// Where.
    pub place: Place,
}

/// The file's scope and repository.
#[derive(Debug, Clone, Default, Args)]
pub struct Place {
    /// Whose file: your own, the one the team commits, or the untracked one of this clone
    #[arg(long, value_enum)]
    pub scope: Option<Scope>,
    /// The repository (default: the git top level of the working directory)
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Json {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// As [`Json`], for commands that can show diffs.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct JsonDiff {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Leave the diffs out of the JSON document: their context may hold secrets
    #[arg(long, requires = "json")]
    pub no_diff: bool,
}

/// `gitvow install`.
#[derive(Debug, Clone, Default, Args)]
pub struct Install {
    #[command(flatten)]
    /// Which.
    pub choice: Choice,
    /// Every built-in agent (default: those detected on this machine)
    #[arg(long)]
    pub all: bool,
    /// Show the diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    /// How.
    pub json: JsonDiff,
    /// Write into a file its agent would not read, over an edited entry, or to a hard-linked file
    #[arg(long)]
    pub force: bool,
    /// Take over entries that another gitvow wrote and nobody recorded
    #[arg(long)]
    pub adopt: bool,
    /// In repository scope: what a call gets where gitvow isn't installed (default: allow)
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub on_missing: Option<OnMissing>,
}

/// What the guarded command of repository scope answers when gitvow isn't there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnMissing {
    /// The call goes on.
    #[default]
    Allow,
    /// The call is denied.
    Block,
}

/// `gitvow uninstall`.
#[derive(Debug, Clone, Default, Args)]
pub struct Uninstall {
    #[command(flatten)]
    /// Which.
    pub choice: Choice,
    /// Everything in that scope that is recorded or to the byte what this gitvow would write (the default as well)
    #[arg(long)]
    pub all: bool,
    /// Every record of every agent, scope and repository
    #[arg(long, conflicts_with_all = ["agents", "all", "scope", "repo"])]
    pub everywhere: bool,
    /// With --everywhere: remove gitvow's own state too
    #[arg(long, requires = "everywhere")]
    pub purge: bool,
    /// Show the diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    /// How.
    pub json: JsonDiff,
    /// Also remove entries and files that were edited; a copy goes to gitvow's state first
    #[arg(long)]
    pub force: bool,
    /// Leave this file as it is; may be repeated
    #[arg(long, value_name = "PATH")]
    pub keep: Vec<PathBuf>,
}

/// `gitvow doctor`.
#[derive(Debug, Clone, Default, Args)]
pub struct Doctor {
    #[command(flatten)]
    /// Which.
    pub choice: Choice,
    /// Every built-in agent, and everything recorded
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    /// How.
    pub json: Json,
    /// Also ask the agents themselves, where that needs no login (starts their programs)
    #[arg(long)]
    pub probe: bool,
}

/// `gitvow selftest`.
#[derive(Debug, Clone, Default, Args)]
pub struct Selftest {
    #[command(flatten)]
    /// Which.
    pub choice: Choice,
    #[command(flatten)]
    /// How.
    pub json: Json,
}

/// `gitvow hook`: for its help only. Real calls are dispatched before this parser exists, since a usage
/// error's exit code 2 would mean "block" to most agents.
#[derive(Debug, Clone, Default, Args)]
pub struct Hook {
    /// Whose form to read and to answer in (default: claude)
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The agent's name for the event
    #[arg(value_name = "EVENT")]
    pub event: String,
}

/// `gitvow agents`.
#[derive(Debug, Clone, Default, Args)]
pub struct Agents {
    #[command(flatten)]
    /// How.
    pub json: Json,
}

/// `gitvow check`.
#[derive(Debug, Clone, Default, Args)]
pub struct Check {
    #[command(flatten)]
    /// How.
    pub json: Json,
    /// Print the policy in force instead
    #[arg(long, conflicts_with = "command")]
    pub policy: bool,
    /// One argument is a shell line as it stands; several are a command and its arguments
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present = "policy"
    )]
    pub command: Vec<String>,
}

/// `gitvow generate`.
#[derive(Debug, Clone, Args)]
pub struct Generate {
    /// What.
    #[command(subcommand)]
    pub what: What,
}

/// What `generate` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum What {
    /// The man page, in troff
    Man,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for PowerShell
    Powershell,
    /// A JSON Schema
    Schema {
        /// Of the documents that --json prints, or of a planner file
        #[arg(value_enum, default_value_t = SchemaOf::Output)]
        of: SchemaOf,
    },
}

/// Which JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SchemaOf {
    /// The documents that --json prints.
    #[default]
    Output,
    /// A planner file.
    Planner,
}

impl ValueEnum for Scope {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::User, Self::Repo, Self::Local]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

impl Command {
    /// Its word on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Install(_) => "install",
            Self::Uninstall(_) => "uninstall",
            Self::Doctor(_) => "doctor",
            Self::Selftest(_) => "selftest",
            Self::Hook(_) => "hook",
            Self::Agents(_) => "agents",
            Self::Check(_) => "check",
            Self::Generate(_) => "generate",
        }
    }

    /// Does it print JSON?
    pub fn json(&self) -> bool {
        match self {
            Self::Install(a) => a.json.json,
            Self::Uninstall(a) => a.json.json,
            Self::Doctor(a) => a.json.json,
            Self::Selftest(a) => a.json.json,
            Self::Agents(a) => a.json.json,
            Self::Check(a) => a.json.json,
            Self::Hook(_) | Self::Generate(_) => false,
        }
    }
}
