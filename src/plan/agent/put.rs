//! Install of one agent. Pure.

use super::super::reconcile::{Goal, Known, Wish, reconcile};
use super::super::{admit, inert, paths, world::World};
use super::{
    Action, AgentPlan, Context, FilePlan, Subject, merge_record, one_scope, saved_name, trees,
    write_step,
};
use crate::doc::{Addition, Doc, lookup};
use crate::error::{Error, Result};
use crate::ledger::{Body, Merge, OwnerState, Record};
use crate::plan::steps::{Content, Step};
use crate::spec::command::{Command, Guard, render, templates};
use crate::spec::{AgentSpec, Install, Scope};
use std::path::{Path, PathBuf};

/// The plan that puts an agent's entries and files where they belong.
pub fn plan(ctx: &Context<'_>, subject: &Subject<'_>, world: &World) -> Result<AgentPlan> {
    let (Some(spec), scope) = (subject.spec, subject.owner.scope) else {
        return Err(Error::bug("an install without a planner"));
    };
    let targets = paths::targets(spec, scope, &ctx.ground)?;
    let Some(install) = &spec.install else {
        return Err(Error::bug("targets without an install block"));
    };
    let mut plan = AgentPlan::default();
    let mut checks: Vec<inert::Inert> = Vec::new();
    if let Some(merge) = &targets.merge {
        alternatives(merge, world)?;
        let put = Put {
            ctx,
            subject,
            spec,
            install,
            world,
        };
        for (path, wish) in wishes(ctx, subject, spec, install, merge, world) {
            let recorded = ctx.record(&path, world.get(&path).and_then(|a| a.real()));
            let ours = recorded.is_some_and(|r| holds(r, subject));
            if wish.entries.is_empty() && !ours {
                put.leftovers(&path, &wish, &mut plan)?;
                continue;
            }
            put.file(&path, &wish, &mut plan, &mut checks)?;
        }
        checks.extend(inert::switches(
            title(spec),
            &merge.path,
            &targets.switches,
            world,
        ));
    }
    trees::plan(ctx, subject, install, &targets, world, &mut plan)?;
    if let Some(first) = targets.trees.first().filter(|_| targets.merge.is_none()) {
        checks.extend(inert::switches(
            title(spec),
            &first.path,
            &targets.switches,
            world,
        ));
    }
    if !ctx.force
        && let Some(first) = checks.first()
    {
        return Err(first.error.clone());
    }
    plan.inert = checks.into_iter().map(|c| c.error).collect();
    ctx.dirs_to_drop(&mut plan.transaction);
    Ok(plan)
}

/// A second file that can't be read: once mended it may have an event, and then switches off the entry that went to the
/// first file. Unsure means untouched.
fn alternatives(merge: &paths::MergeTarget, world: &World) -> Result<()> {
    for other in &merge.alternatives {
        let actual = world.at(&other.path);
        let text = admit::readable(&other.path, &actual)?.text.unwrap_or("");
        Doc::open(merge.format, text, &[]).map_err(|f| admit::fault(&other.path, text, &f))?;
    }
    Ok(())
}

/// The name for people.
pub fn title(spec: &AgentSpec) -> &str {
    spec.title.as_deref().unwrap_or(&spec.name)
}

fn holds(record: &Record, subject: &Subject<'_>) -> bool {
    match &record.body {
        Body::Merge(m) => m.owners.iter().any(|o| o.owner == *subject.owner),
        Body::Tree(t) => t.owner.as_ref() == Some(subject.owner),
    }
}

/// The command that entries of this scope carry.
pub fn command<'a>(ctx: &'a Context<'_>, install: &'a Install, scope: Scope) -> Command<'a> {
    match (&install.repo_command, scope) {
        (Some(forms), Scope::Repo) => Command::guarded(Guard {
            forms,
            block: ctx.block,
        }),
        _ => Command::absolute(ctx.launcher),
    }
}

/// What is wanted in each file: an event goes to the first alternative that already has it, else to the default.
pub fn wishes(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    spec: &AgentSpec,
    install: &Install,
    merge: &paths::MergeTarget,
    world: &World,
) -> Vec<(PathBuf, Wish)> {
    let state = |root: &[String], list: bool| OwnerState {
        owner: subject.owner.clone(),
        root: root.to_vec(),
        list,
        block: ctx.block && subject.owner.scope == Scope::Repo,
        adapter: subject.adapter.cloned(),
    };
    let names: Vec<String> = std::iter::once(&spec.name)
        .chain(&spec.aliases)
        .cloned()
        .collect();
    let list = matches!(install.entries, crate::spec::Entries::List(_));
    let wish = |path: &Path, root: &[String], list: bool, version_key| Wish {
        owner: state(root, list),
        entries: Vec::new(),
        version_key,
        names: names.clone(),
        legacy: merge.legacy_roots(path),
    };
    let mut out: Vec<(PathBuf, Wish)> = vec![(
        merge.path.clone(),
        wish(&merge.path, &merge.root, list, install.version_key.clone()),
    )];
    for other in &merge.alternatives {
        out.push((
            other.path.clone(),
            wish(&other.path, &other.root, list, None),
        ));
    }
    for old in &merge.legacy {
        if !out.iter().any(|(path, _)| *path == old.path) {
            out.push((old.path.clone(), wish(&old.path, &old.root, false, None)));
        }
    }
    let command = command(ctx, install, subject.owner.scope);
    for (event, template) in templates(install) {
        if let Some((_, wish)) = out.get_mut(destination(merge, event, world)) {
            let root = wish.owner.root.iter().cloned();
            wish.entries.push(Addition {
                path: root.chain(event.map(str::to_owned)).collect(),
                value: render(template, &command),
            });
        }
    }
    out
}

/// Which file an event's entries go to: the first alternative that has the event already (from 1), else the default one.
pub fn destination(merge: &paths::MergeTarget, event: Option<&str>, world: &World) -> usize {
    let Some(event) = event else { return 0 };
    let has = |other: &paths::Alternative| {
        let bytes = world.get(&other.path).and_then(|a| a.bytes());
        let text = bytes.and_then(|b| std::str::from_utf8(b).ok());
        let mut keys = other.root.clone();
        keys.push(event.to_owned());
        text.is_some_and(|t| lookup(merge.format, t, &keys).is_some())
    };
    merge.alternatives.iter().position(has).map_or(0, |n| n + 1)
}

/// An install under way: what deciding about each of its files needs.
struct Put<'a> {
    ctx: &'a Context<'a>,
    subject: &'a Subject<'a>,
    spec: &'a AgentSpec,
    install: &'a Install,
    world: &'a World,
}

impl Put<'_> {
    /// A file into which nothing of ours goes: what an older gitvow left there goes with `--adopt` and is named without.
    /// Then nothing about the file is a reason to refuse.
    fn leftovers(&self, path: &Path, wish: &Wish, plan: &mut AgentPlan) -> Result<()> {
        let bytes = self.world.get(path).and_then(|a| a.bytes());
        let text = bytes.and_then(|b| std::str::from_utf8(b).ok());
        let mentions = |t: &str| t.contains("gitvow") || t.contains("\\u");
        if wish.legacy.is_empty() || !text.is_some_and(mentions) {
            return Ok(());
        }
        let done = self.file(path, wish, plan, &mut Vec::new());
        if !self.ctx.adopt {
            plan.files
                .retain(|f| f.path != path || f.action != Action::Unchanged);
            return Ok(());
        }
        done
    }

    fn file(
        &self,
        path: &Path,
        wish: &Wish,
        plan: &mut AgentPlan,
        checks: &mut Vec<inert::Inert>,
    ) -> Result<()> {
        let Self {
            ctx,
            subject,
            spec,
            install,
            world,
        } = *self;
        let actual = world.at(path);
        let admitted = admit::writable(path, &actual, &ctx.bounds)?;
        let record = ctx.record(path, Some(&admitted.real));
        let merge = merge_of(path, record)?;
        one_scope(path, merge, subject.owner)?;
        let known = Known {
            text: admitted.text,
            record: merge,
            format: install.format,
            shortcut: true,
        };
        let ours = record.is_some_and(|r| holds(r, subject));
        let goal = if wish.entries.is_empty() && ours {
            Goal::Take {
                owner: subject.owner,
                wish: None,
                force: ctx.force,
            }
        } else {
            Goal::Put {
                wish,
                force: ctx.force,
                adopt: ctx.adopt,
            }
        };
        let text = admitted.text.unwrap_or("");
        let out = reconcile(&known, &goal).map_err(|f| admit::fault(path, text, &f))?;
        plan.take_outcome(path, text, &out);
        if !wish.entries.is_empty() {
            let blank = text
                .trim_start_matches(crate::doc::text::BOM)
                .trim()
                .is_empty();
            let ours_to_make = blank || merge.is_some_and(|m| m.version.is_some());
            checks.extend(inert::entry_keys(title(spec), path, install, text));
            if let Ok(doc) = Doc::open(install.format, text, &[]) {
                let reader = install.reader();
                let reasons = inert::in_text(title(spec), path, text, &doc, &reader, ours_to_make);
                checks.extend(reasons);
            }
        }
        let before = out.before.clone();
        let action = match (&before, out.splices.is_empty(), out.remove) {
            (_, _, true) => Action::Remove,
            (_, true, _) if out.unfinished => Action::Keep,
            (_, true, _) => Action::Unchanged,
            (None, ..) => Action::Create,
            (Some(_), ..) => Action::Edit,
        };
        for missing in admitted.missing.iter().filter(|_| action == Action::Create) {
            push_dir(plan, missing);
        }
        if let (Some(print), true) = (
            &before,
            ctx.force && out.findings.iter().any(|f| f.code == "entry-edited"),
        ) {
            let name = format!("{}.{}", saved_name(path), &print.sha256[..8]);
            plan.transaction
                .keep_copies
                .push((name, admitted.real.clone()));
        }
        let planned = record.map_or(path, |r| &r.path);
        let mut content = None;
        if out.remove {
            if let Some(expect) = before.clone() {
                plan.transaction.steps.push(Step::Remove {
                    path: admitted.real.clone(),
                    expect,
                });
            }
        } else if let (Some(after), false) = (&out.after, out.splices.is_empty()) {
            let step = write_step(
                &admitted.real,
                before.clone(),
                after.clone(),
                out.splices.clone(),
                admitted.in_place,
            );
            plan.transaction.steps.push(step);
            content = Some(Content::Splices {
                splices: out.splices,
            });
        }
        match out.record {
            Some(new) if merge != Some(&new) => {
                let dirs = ctx.dirs_for(&admitted.real, admitted.missing, record);
                let new = merge_record(ctx, planned, &admitted.real, dirs, new);
                plan.transaction.save.push(new);
            }
            Some(_) => {}
            None if merge.is_some() => plan.transaction.forget.push(planned.to_path_buf()),
            None => {}
        }
        plan.files.push(FilePlan {
            tree: false,
            path: path.to_path_buf(),
            real: admitted.real,
            action,
            before,
            after: out.after,
            content,
        });
        Ok(())
    }
}

pub(super) fn push_dir(plan: &mut AgentPlan, dir: &Path) {
    if !plan.new_dirs.iter().any(|d| d == dir) {
        plan.new_dirs.push(dir.to_path_buf());
        plan.transaction.steps.push(Step::MakeDir {
            path: dir.to_path_buf(),
            mode: 0o755,
        });
    }
}

fn merge_of<'r>(path: &Path, record: Option<&'r Record>) -> Result<Option<&'r Merge>> {
    match record.map(|r| &r.body) {
        Some(Body::Merge(merge)) => Ok(Some(merge)),
        Some(Body::Tree(_)) => Err(Error::refused(
            "path-taken",
            format!(
                "`{}` is a file of gitvow's own, so nothing can be merged into it",
                path.display()
            ),
        )
        .at(path)),
        None => Ok(None),
    }
}
