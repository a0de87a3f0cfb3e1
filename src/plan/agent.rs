//! One agent in one scope: every file of it, as one transaction. Pure.
//!
//! Within one agent all files change or none does: the first refusal ends the plan.

use super::admit::{self, Bounds};
use super::reconcile::{Finding, Outcome};
use super::steps::{Content, Step, Transaction, Write};
use crate::doc::{Splice, text::position};
use crate::error::{Error, Result};
use crate::ledger::{Adapter, Body, Merge, Owner, Print, Record, SCHEMA};
use crate::spec::{AgentSpec, Scope};
use std::path::{Path, PathBuf};

pub mod put;
pub mod strays;
pub mod take;
mod trees;

/// What all plans of one call share.
pub struct Context<'a> {
    /// Every record.
    pub records: &'a [Record],
    /// Where files may be.
    pub bounds: Bounds<'a>,
    /// The directories that paths are relative to.
    pub ground: super::paths::Ground<'a>,
    /// The launcher's path, as commands name it.
    pub launcher: &'a str,
    /// `--force`.
    pub force: bool,
    /// `--adopt`.
    pub adopt: bool,
    /// `--on-missing block`.
    pub block: bool,
    /// `--keep`: planned or real paths.
    pub keep: &'a [PathBuf],
    /// The running gitvow's version, for the records.
    pub version: &'a str,
}

/// The agent that a plan is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its planner; `None`: only its records are known.
    pub spec: Option<&'a AgentSpec>,
    /// Name and scope.
    pub owner: &'a Owner,
    /// The executable it came from.
    pub adapter: Option<&'a Adapter>,
}

/// What happens to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It comes.
    Create,
    /// It changes.
    Edit,
    /// It goes.
    Remove,
    /// Something of ours that the user edited stays.
    Keep,
    /// Nothing.
    Unchanged,
}

/// One file of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePlan {
    /// A tree file (else a merge).
    pub tree: bool,
    /// As planned.
    pub path: PathBuf,
    /// Behind links.
    pub real: PathBuf,
    /// What happens to it.
    pub action: Action,
    /// Its bytes now; `None`: absent.
    pub before: Option<Print>,
    /// Its bytes then; `None`: absent.
    pub after: Option<Print>,
    /// How they come about; `None`: they don't change, or the file goes.
    pub content: Option<Content>,
}

/// Something that was kept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its file.
    pub path: PathBuf,
    /// What in it and why.
    pub reason: String,
}

/// A finding with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The file, as planned.
    pub path: PathBuf,
    /// Line and column, from 1.
    pub position: Option<(usize, usize)>,
    /// The finding.
    pub finding: Finding,
}

/// The plan of one agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentPlan {
    /// Its files.
    pub files: Vec<FilePlan>,
    /// What writes them.
    pub transaction: Transaction,
    /// What was kept.
    pub kept: Vec<Kept>,
    /// What was found.
    pub findings: Vec<Placed>,
    /// Events in whose list the user's later hooks move.
    pub shifted: Vec<String>,
    /// Directories that the plan makes.
    pub new_dirs: Vec<PathBuf>,
    /// Reasons why the entries are inert (`--force` wrote them all the same).
    pub inert: Vec<Error>,
    /// A hook command of ours stays live, or isn't as it should be.
    pub unfinished: bool,
    /// Nothing was recorded of it and nothing found.
    pub unknown: bool,
}

impl AgentPlan {
    /// Would any file change?
    pub fn changes(&self) -> bool {
        self.files
            .iter()
            .any(|f| matches!(f.action, Action::Create | Action::Edit | Action::Remove))
    }

    fn take_outcome(&mut self, path: &Path, text: &str, out: &Outcome) {
        for finding in &out.findings {
            if matches!(finding.code, "entry-edited") && out.unfinished {
                let event = finding.event();
                self.kept.push(Kept {
                    path: path.to_path_buf(),
                    reason: format!(
                        "the entry for `{event}` was edited after install: {}",
                        finding.detail
                    ),
                });
            }
            self.findings.push(Placed {
                path: path.to_path_buf(),
                position: finding.at.map(|at| position(text, at)),
                finding: finding.clone(),
            });
        }
        self.shifted.extend(out.shifted.iter().cloned());
        self.unfinished |= out.unfinished;
    }
}

impl Context<'_> {
    /// The record of a file, by planned or real path.
    fn record(&self, path: &Path, real: Option<&Path>) -> Option<&Record> {
        let planned = self.records.iter().find(|r| r.path == path);
        planned.or_else(|| self.records.iter().find(|r| Some(r.real.as_path()) == real))
    }

    /// Directories of ours that a file at `real` uses: those to be made and those that other records made.
    fn dirs_for(&self, real: &Path, missing: &[PathBuf], own: Option<&Record>) -> Vec<PathBuf> {
        let shared = self.records.iter().chain(own).flat_map(|r| &r.dirs);
        let mut dirs: Vec<PathBuf> = shared
            .filter(|d| real.starts_with(d))
            .chain(missing)
            .cloned()
            .collect();
        dirs.sort();
        dirs.dedup();
        dirs
    }

    fn is_kept(&self, path: &Path, real: &Path) -> bool {
        self.keep.iter().any(|k| k == path || k == real)
    }

    /// Directories of a record that nobody else uses once the forgotten records are gone.
    fn dirs_to_drop(&self, transaction: &mut Transaction) {
        let going = |r: &Record| transaction.forget.contains(&r.path);
        let mut dirs: Vec<PathBuf> = self
            .records
            .iter()
            .filter(|r| going(r))
            .flat_map(|r| r.dirs.clone())
            .collect();
        dirs.sort();
        dirs.dedup();
        dirs.retain(|d| !self.records.iter().any(|r| !going(r) && r.dirs.contains(d)));
        dirs.retain(|d| !transaction.save.iter().any(|r| r.dirs.contains(d)));
        let steps = dirs.into_iter().rev().map(|path| Step::RemoveDir { path });
        transaction.steps.extend(steps);
    }
}

/// The write of a merge file.
fn write_step(
    real: &Path,
    before: Option<Print>,
    after: Print,
    splices: Vec<Splice>,
    in_place: bool,
) -> Step {
    Step::Write(Write {
        path: real.to_path_buf(),
        expect: before,
        after,
        content: Content::Splices { splices },
        mode: 0o644,
        in_place,
    })
}

fn merge_record(
    ctx: &Context<'_>,
    path: &Path,
    real: &Path,
    dirs: Vec<PathBuf>,
    merge: Merge,
) -> Record {
    Record {
        schema: SCHEMA,
        path: path.to_path_buf(),
        real: real.to_path_buf(),
        dirs,
        gitvow: ctx.version.to_owned(),
        body: Body::Merge(merge),
    }
}

/// One agent may not stand in one file in two scopes (HOME is the repository, say): one of them could not be told
/// from the other.
fn one_scope(path: &Path, merge: Option<&Merge>, owner: &Owner) -> Result<()> {
    let other = merge.and_then(|m| {
        m.owners
            .iter()
            .find(|o| o.owner.agent == owner.agent && o.owner.scope != owner.scope)
    });
    match other {
        None => Ok(()),
        Some(other) => Err(Error::refused(
            "two-scopes",
            format!(
                "`{}` already holds {}'s entries of scope {}",
                path.display(),
                owner.agent,
                other.owner.scope.name()
            ),
        )
        .at(path)
        .help(format!(
            "gitvow uninstall --agent {} --scope {}",
            owner.agent,
            other.owner.scope.name()
        ))),
    }
}

fn saved_name(path: &Path) -> String {
    let name = path
        .file_name()
        .map_or_else(|| "file".into(), |n| n.to_string_lossy());
    let print = super::print_of(std::iter::once(path.to_string_lossy().as_ref()));
    format!("{name}.{}", &print.sha256[..8])
}

/// The events of an agent's scope that no person has yet been told about: its manual steps.
pub fn steps_for(spec: &AgentSpec, scope: Scope) -> Vec<String> {
    spec.steps.get(scope.name()).cloned().unwrap_or_default()
}

/// Does a command of gitvow's own form in this text run `launcher`?
pub fn names_command(text: &str, launcher: &Path) -> bool {
    let name = launcher.to_string_lossy();
    // A plugin's program text, or any JSON string in which an own-form command stands.
    text.contains(name.as_ref()) && text.contains("gitvow hook")
        || text.split('"').any(|piece| {
            crate::spec::command::own_form(piece)
                .is_some_and(|form| Path::new(&form.path) == launcher)
        })
}

pub use admit::quoted;
