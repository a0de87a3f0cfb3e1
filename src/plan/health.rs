//! Is an installation still as it was left, and would it work? Pure: what was seen comes in as data, findings
//! go out. It plans nothing; what became of entries is asked of [`super::reconcile`], as install would.

use super::agent::{Context, Subject, put, take};
use super::world::World;
use crate::ledger::{Body, Record};
use crate::spec::{Install, Scope};
use codes::{Code, Effect};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

mod around;
pub mod codes;
mod command;
mod entries;
mod inert;
mod today;
mod trees;
mod trust;

pub use command::{Program, programs, recorded_commands};
pub use trust::{Trust, config as trust_config, key as trust_key};

/// Everything that was seen of one agent in one scope.
pub struct Sight<'a> {
    /// What plans need.
    pub ctx: &'a Context<'a>,
    /// Whose.
    pub subject: Subject<'a>,
    /// The files, those of [`paths`] and of the records.
    pub world: &'a World,
    /// What stands at the paths that [`programs`] names.
    pub programs: &'a BTreeMap<PathBuf, Program>,
    /// Names in directories that gitvow made, by path.
    pub folders: &'a BTreeMap<PathBuf, Vec<String>>,
    /// The launcher isn't the recorded copy, or is older than the running gitvow: a phrase.
    pub other_build: Option<&'a str>,
    /// The executable of an external adapter now; `None`: it is gone, or there is none.
    pub adapter_now: Option<&'a str>,
    /// Titles of other agents on this machine that load this agent's files of this scope.
    pub readers: &'a [String],
    /// What the agent says itself of its trust in our hooks (`--probe`).
    pub trust: Option<&'a Trust>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What.
    pub code: &'static Code,
    /// Where.
    pub path: Option<PathBuf>,
    /// Line and column, from 1.
    pub position: Option<(usize, usize)>,
    /// The agent's event.
    pub event: Option<String>,
    /// One sentence.
    pub message: String,
    /// One command or action that helps.
    pub help: String,
    /// What it makes of the state, where that isn't the code's own.
    pub effect: Effect,
}

impl Found {
    /// A finding about a file.
    pub fn at(
        code: &'static Code,
        path: &Path,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            path: Some(path.to_path_buf()),
            ..Self::new(code, message, help)
        }
    }

    /// A finding without a place.
    pub fn new(code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            path: None,
            position: None,
            event: None,
            message: message.into(),
            help: help.into(),
            effect: code.effect,
        }
    }
}

/// The state that findings make of an installation: the gravest effect.
pub fn effect(findings: &[Found]) -> Effect {
    findings
        .iter()
        .map(|f| f.effect)
        .max()
        .unwrap_or(Effect::None)
}

/// The planned paths that have to be read to judge: targets, alternatives, settings that switch hooks off, the
/// file in which trust is kept.
pub fn paths(ctx: &Context<'_>, subject: &Subject<'_>) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = take::records(ctx, subject)
        .iter()
        .map(|r| r.path.clone())
        .collect();
    out.extend(take::planned_paths(ctx, subject));
    if let Some(spec) = subject.spec {
        let targets = super::paths::targets(spec, subject.owner.scope, &ctx.ground);
        if let Ok(targets) = targets {
            out.extend(targets.trees.into_iter().map(|t| t.path));
            out.extend(targets.switches.into_iter().filter_map(|s| s.path));
        }
        out.extend(trust::config(spec, &ctx.ground));
    }
    out.sort();
    out.dedup();
    out
}

/// Directories of ours whose names are asked for: those that gitvow made for a tree file.
pub fn folders(ctx: &Context<'_>, subject: &Subject<'_>) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = take::records(ctx, subject)
        .iter()
        .filter(|r| matches!(r.body, Body::Tree(_)))
        .filter_map(|r| {
            r.real
                .parent()
                .filter(|d| r.dirs.iter().any(|own| own == d))
        })
        .map(Path::to_path_buf)
        .collect();
    out.sort();
    out.dedup();
    out
}

/// Everything there is to say of one agent in one scope, in the order of its files.
pub fn judge(sight: &Sight<'_>) -> Vec<Found> {
    let mut out = Vec::new();
    let records = take::records(sight.ctx, &sight.subject);
    for record in &records {
        match &record.body {
            Body::Merge(merge) => entries::judge(sight, record, merge, &mut out),
            Body::Tree(tree) => trees::judge(sight, record, tree, &mut out),
        }
    }
    entries::unrecorded(sight, &records, &mut out);
    if !records.is_empty() {
        inert::switches(sight, &records, &mut out);
        around::judge(sight, &records, &mut out);
    }
    out
}

impl Sight<'_> {
    /// `gitvow VERB --agent NAME [--scope S]`.
    fn command(&self, verb: &str) -> String {
        let owner = self.subject.owner;
        let mut out = format!("gitvow {verb} --agent {}", owner.agent);
        if owner.scope != Scope::User {
            out.push_str(" --scope ");
            out.push_str(owner.scope.name());
        }
        out
    }

    fn install(&self) -> Option<&Install> {
        self.subject.spec?.install.as_ref()
    }

    /// The product's name.
    fn title(&self) -> &str {
        self.subject
            .spec
            .map_or(self.subject.owner.agent.as_str(), put::title)
    }

    /// The names by which commands may call the agent.
    fn names(&self) -> Vec<String> {
        match self.subject.spec {
            Some(spec) => std::iter::once(&spec.name)
                .chain(&spec.aliases)
                .cloned()
                .collect(),
            None => vec![self.subject.owner.agent.clone()],
        }
    }

    fn record_of<'r>(&self, records: &[&'r Record], path: &Path) -> Option<&'r Record> {
        records.iter().find(|r| r.path == path).copied()
    }
}
