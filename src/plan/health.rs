//! Is an installation still as it was left, and would it work? Pure: what was seen comes in as data, findings
//! go out. It plans nothing; what became of entries is asked of [`super::reconcile`], as install would.

use super::agent::{Context, Subject, put, take};
use super::paths::{self, MergeTarget, Targets, TreeTarget};
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

pub use command::{Program, recorded_commands};
pub use trust::{Trust, config as trust_config, key as trust_key};

/// One agent in one scope: what is recorded of it, and where its planner would have it.
pub struct Installation<'a> {
    /// What plans need.
    pub ctx: &'a Context<'a>,
    /// Whose.
    pub subject: Subject<'a>,
    /// Its records.
    pub records: Vec<&'a Record>,
    /// Its planner's files here; `None`: it has none in this scope, or their place can't be told.
    pub targets: Option<Targets>,
}

/// Everything that was seen of it.
pub struct Sight<'a> {
    /// What is looked at.
    pub of: &'a Installation<'a>,
    /// The files of [`Installation::paths`].
    pub world: &'a World,
    /// What stands where a command leads.
    pub program: &'a dyn Fn(&Path) -> Program,
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
    /// The text can't be read: it may be half written.
    pub torn: bool,
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
            torn: false,
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

impl<'a> Installation<'a> {
    /// Looks it up in the ledger and in its planner.
    pub fn new(ctx: &'a Context<'a>, subject: Subject<'a>) -> Self {
        let scope = subject.owner.scope;
        let targets = |spec| paths::targets(spec, scope, &ctx.ground).ok();
        Self {
            records: take::records(ctx, &subject),
            targets: subject.spec.and_then(targets),
            ctx,
            subject,
        }
    }

    /// The planned paths that have to be read to judge: targets, alternatives, settings that switch hooks off, the
    /// file in which trust is kept.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut out: Vec<PathBuf> = self.records.iter().map(|r| r.path.clone()).collect();
        if let Some(targets) = &self.targets {
            out.extend(targets.merge.iter().flat_map(MergeTarget::paths));
            out.extend(targets.trees.iter().map(|t| t.path.clone()));
            out.extend(targets.switches.iter().filter_map(|s| s.path.clone()));
        }
        let trust = |spec| trust::config(spec, &self.ctx.ground);
        out.extend(self.subject.spec.and_then(trust));
        out.sort();
        out.dedup();
        out
    }

    /// Directories of ours whose names are asked for: those that gitvow made for a tree file.
    pub fn folders(&self) -> Vec<PathBuf> {
        let trees = |r: &&&Record| matches!(r.body, Body::Tree(_));
        let made = |r: &&'a Record| {
            r.real
                .parent()
                .filter(|d| r.dirs.iter().any(|own| own == d))
        };
        let mut out: Vec<PathBuf> = self
            .records
            .iter()
            .filter(trees)
            .filter_map(made)
            .map(Path::to_path_buf)
            .collect();
        out.sort();
        out.dedup();
        out
    }
}

/// Everything there is to say of one agent in one scope, in the order of its files.
pub fn judge(sight: &Sight<'_>) -> Vec<Found> {
    let mut out = Vec::new();
    for record in &sight.of.records {
        match &record.body {
            Body::Merge(merge) => entries::judge(sight, record, merge, &mut out),
            Body::Tree(tree) => trees::judge(sight, record, tree, &mut out),
        }
    }
    entries::unrecorded(sight, &mut out);
    trees::unrecorded(sight, &mut out);
    if !sight.of.records.is_empty() {
        inert::switches(sight, &mut out);
        around::judge(sight, &mut out);
    }
    out
}

/// Can't something be read that may be half written still? Only where [`World::may_be_torn`] says that it may.
pub fn unreadable(found: &[Found]) -> bool {
    found.iter().any(|f| f.torn)
}

impl Sight<'_> {
    /// `gitvow VERB --agent NAME [--scope S]`.
    fn command(&self, verb: &str) -> String {
        let owner = self.of.subject.owner;
        let mut out = format!("gitvow {verb} --agent {}", owner.agent);
        if owner.scope != Scope::User {
            out.push_str(" --scope ");
            out.push_str(owner.scope.name());
        }
        out
    }

    fn install(&self) -> Option<&Install> {
        self.of.subject.spec?.install.as_ref()
    }

    /// The user's file that entries are merged into.
    fn target(&self) -> Option<&MergeTarget> {
        self.of.targets.as_ref()?.merge.as_ref()
    }

    /// The file of ours that its planner has there.
    fn target_of(&self, path: &Path) -> Option<&TreeTarget> {
        let mut trees = self.of.targets.iter().flat_map(|t| &t.trees);
        trees.find(|t| t.path == path)
    }

    /// The product's name.
    fn title(&self) -> &str {
        let subject = &self.of.subject;
        subject.spec.map_or(&subject.owner.agent, put::title)
    }

    /// The names by which commands may call the agent.
    fn names(&self) -> Vec<String> {
        let subject = &self.of.subject;
        match subject.spec {
            Some(spec) => std::iter::once(&spec.name)
                .chain(&spec.aliases)
                .cloned()
                .collect(),
            None => vec![subject.owner.agent.clone()],
        }
    }
}
