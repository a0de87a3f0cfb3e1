//! Uninstall of one agent: from its records, and from its planner for what nobody recorded. Pure.

use super::super::reconcile::{Goal, Known, Wish, reconcile};
use super::super::world::{Actual, World};
use super::super::{admit, paths, print_of, tree};
use super::put::wishes;
use super::strays;
use super::{
    Action, AgentPlan, Context, FilePlan, Kept, Placed, Subject, merge_record, saved_name,
    write_step,
};
use crate::error::Result;
use crate::ledger::{Body, Merge, Record, State, TreeFile};
use crate::plan::reconcile::Finding;
use crate::plan::steps::{Content, Step};
use crate::spec::Scope;
use std::path::{Path, PathBuf};

/// The planned paths that an uninstall has to look at, besides those of the records.
pub fn planned_paths(ctx: &Context<'_>, subject: &Subject<'_>) -> Vec<PathBuf> {
    let Some(targets) = subject
        .spec
        .and_then(|s| paths::targets(s, subject.owner.scope, &ctx.ground).ok())
    else {
        return Vec::new();
    };
    let trees = targets.trees.into_iter().map(|t| t.path);
    let merge = targets.merge.map_or_else(Vec::new, |m| m.paths());
    merge.into_iter().chain(trees).collect()
}

/// The records of an owner that this call means: all of them at user scope, those of the repository otherwise.
pub fn records<'r>(ctx: &Context<'r>, subject: &Subject<'_>) -> Vec<&'r Record> {
    let within = |r: &&Record| {
        subject.owner.scope == Scope::User
            || ctx.bounds.repo.is_none_or(|top| r.real.starts_with(top))
            || ctx.ground.repo.is_some_and(|top| r.path.starts_with(top))
    };
    ctx.records
        .iter()
        .filter(|r| r.body.owners().contains(&subject.owner))
        .filter(within)
        .collect()
}

/// The plan that takes an agent out.
pub fn plan(ctx: &Context<'_>, subject: &Subject<'_>, world: &World) -> Result<AgentPlan> {
    let mut plan = AgentPlan::default();
    let recorded = records(ctx, subject);
    for record in &recorded {
        match &record.body {
            Body::Merge(merge) => {
                let wish = wish_for(ctx, subject, &record.path, world);
                merge_file(
                    ctx,
                    subject,
                    &record.path,
                    Some((record, merge)),
                    wish.as_ref(),
                    world,
                    &mut plan,
                )?;
            }
            Body::Tree(tree) => tree_file(ctx, record, tree, world, &mut plan)?,
        }
    }
    for path in planned_paths(ctx, subject) {
        if recorded.iter().any(|r| r.path == path) {
            continue;
        }
        unrecorded(ctx, subject, &path, world, &mut plan)?;
    }
    if let Some(spec) = subject.spec
        && let Some(install) = &spec.install
        && let Ok(targets) = paths::targets(spec, subject.owner.scope, &ctx.ground)
    {
        for target in &targets.trees {
            strays::plan(ctx, subject, install, target, world, &mut plan)?;
        }
    }
    plan.unknown = recorded.is_empty() && !plan.changes();
    ctx.dirs_to_drop(&mut plan.transaction);
    Ok(plan)
}

/// What today's planner would write into this file.
fn wish_for(ctx: &Context<'_>, subject: &Subject<'_>, path: &Path, world: &World) -> Option<Wish> {
    let spec = subject.spec?;
    let install = spec.install.as_ref()?;
    let merge = paths::targets(spec, subject.owner.scope, &ctx.ground)
        .ok()?
        .merge?;
    wishes(ctx, subject, spec, install, &merge, world)
        .into_iter()
        .find(|(p, _)| p == path)
        .map(|(_, w)| w)
}

/// A file with no record of this owner: an entry equal to what we would write goes, others are named. What can't
/// be read is said, and is no error: nothing of ours is known to be in it.
fn unrecorded(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    path: &Path,
    world: &World,
    plan: &mut AgentPlan,
) -> Result<()> {
    let actual = world.at(path);
    let Ok(admitted) = admit::readable(path, &actual) else {
        return Ok(());
    };
    let holds = |t: &str| t.contains("gitvow") || t.contains("\\u");
    if !admitted.text.is_some_and(holds) {
        return Ok(());
    }
    let record = ctx.record(path, Some(&admitted.real));
    let merge = match record.map(|r| (r, &r.body)) {
        Some((r, Body::Merge(m))) if m.owners.iter().any(|o| o.owner == *subject.owner) => {
            // The same file under another name: done already, or not within this call.
            let _ = r;
            return Ok(());
        }
        Some((r, Body::Merge(m))) => Some((r, m)),
        Some((_, Body::Tree(_))) => return Ok(()),
        None => None,
    };
    let Some(wish) = wish_for(ctx, subject, path, world) else {
        return Ok(());
    };
    match merge_file(ctx, subject, path, merge, Some(&wish), world, plan) {
        Err(e) if e.code == "unparseable" => {
            plan.findings.push(Placed {
                path: path.to_path_buf(),
                position: e.place.as_ref().and_then(|p| p.position),
                finding: Finding {
                    code: "file-unparseable",
                    owner: subject.owner.clone(),
                    keys: Vec::new(),
                    at: None,
                    detail: "it can't be read, so it isn't known whether an unrecorded entry stands in it".to_owned(),
                },
            });
            Ok(())
        }
        other => other,
    }
}

fn merge_file(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    path: &Path,
    recorded: Option<(&Record, &Merge)>,
    wish: Option<&Wish>,
    world: &World,
    plan: &mut AgentPlan,
) -> Result<()> {
    let actual = world.at(path);
    if let (Actual::Absent { missing, .. }, Some((record, _))) = (&actual, recorded)
        && !missing.is_empty()
        && !missing.iter().all(|dir| record.dirs.contains(dir))
    {
        // An unmounted volume, a moved repository: what is recorded may come back.
        let reason = "its directory is not there, so the record stays".to_owned();
        plan.kept.push(Kept {
            path: path.to_path_buf(),
            reason,
        });
        return Ok(());
    }
    let readable = admit::readable(path, &actual)?;
    let merge = recorded.map(|(_, m)| m);
    let format = merge
        .map(|m| m.format)
        .or_else(|| subject.spec?.install.as_ref().map(|i| i.format));
    let known = Known {
        text: readable.text,
        record: merge,
        format: format.unwrap_or_default(),
        shortcut: true,
    };
    let text = readable.text.unwrap_or("");
    let mut planned = FilePlan {
        tree: false,
        path: path.to_path_buf(),
        real: readable.real.clone(),
        action: Action::Unchanged,
        before: None,
        after: None,
        content: None,
    };
    if ctx.is_kept(path, &readable.real) {
        planned.before = readable.text.map(|t| print_of(std::iter::once(t)));
        planned.after.clone_from(&planned.before);
        planned.action = Action::Keep;
        plan.files.push(planned);
        plan.unfinished = true;
        plan.kept.push(Kept {
            path: path.to_path_buf(),
            reason: "`--keep` names it".to_owned(),
        });
        return Ok(());
    }
    let goal = Goal::Take {
        owner: subject.owner,
        wish,
        force: ctx.force,
    };
    let out = reconcile(&known, &goal).map_err(|f| admit::fault(path, text, &f))?;
    plan.take_outcome(path, text, &out);
    let before = out.before.clone();
    planned.before.clone_from(&before);
    let writes = out.remove || !out.splices.is_empty();
    if writes {
        let admitted = admit::writable(path, &actual, &giving_back(ctx, recorded.is_some()))?;
        if let (Some(print), true) = (
            &before,
            ctx.force && out.findings.iter().any(|f| f.code == "entry-edited"),
        ) {
            let name = format!("{}.{}", saved_name(path), &print.sha256[..8]);
            plan.transaction
                .keep_copies
                .push((name, admitted.real.clone()));
        }
        if out.remove {
            if let Some(expect) = before.clone() {
                plan.transaction.steps.push(Step::Remove {
                    path: admitted.real.clone(),
                    expect,
                });
            }
        } else if let Some(after) = &out.after {
            let splices = out.splices.clone();
            let step = write_step(
                &admitted.real,
                before.clone(),
                after.clone(),
                splices,
                admitted.in_place,
            );
            plan.transaction.steps.push(step);
        }
    }
    planned.after = out.after.clone();
    planned.action = match (out.remove, writes, out.unfinished) {
        (true, ..) => Action::Remove,
        (_, true, _) => Action::Edit,
        (_, _, true) => Action::Keep,
        _ => Action::Unchanged,
    };
    planned.content = (writes && !out.remove).then(|| Content::Splices {
        splices: out.splices.clone(),
    });
    if let Some((record, merge)) = recorded {
        match out.record {
            Some(new) if new != *merge => {
                let dirs = record.dirs.clone();
                plan.transaction.save.push(merge_record(
                    ctx,
                    &record.path,
                    &readable.real,
                    dirs,
                    new,
                ));
            }
            Some(_) => {}
            None => plan.transaction.forget.push(record.path.clone()),
        }
    }
    plan.files.push(planned);
    Ok(())
}

/// What was installed must come out without more ado: a recorded file that has other names, since `--force` or since
/// later, is overwritten in place, so that all of them get their bytes back.
fn giving_back<'a>(ctx: &Context<'a>, recorded: bool) -> admit::Bounds<'a> {
    admit::Bounds {
        in_place: ctx.bounds.in_place || recorded,
        ..ctx.bounds
    }
}

pub(super) fn tree_file(
    ctx: &Context<'_>,
    record: &Record,
    tree: &TreeFile,
    world: &World,
    plan: &mut AgentPlan,
) -> Result<()> {
    let path = &record.path;
    let actual = world.at(path);
    let admitted = admit::readable(path, &actual)?;
    let text = admitted.text.unwrap_or("");
    let before = admitted.text.map(|t| print_of(std::iter::once(t)));
    let mut planned = FilePlan {
        tree: true,
        path: path.clone(),
        real: admitted.real.clone(),
        action: Action::Unchanged,
        before: before.clone(),
        after: before.clone(),
        content: None,
    };
    let in_repository = tree.owner.as_ref().is_some_and(|o| o.scope == Scope::Repo);
    let judged = admitted.text.map(|t| tree::judged(t, in_repository));
    let there = judged.as_ref().zip(admitted.text);
    let keep = if ctx.is_kept(path, &admitted.real) {
        Some("`--keep` names it")
    } else {
        None
    };
    let decision = match keep {
        Some(_) => tree::Take::Keep,
        None => tree::take(there, tree, ctx.force).map_err(|f| admit::fault(path, text, &f))?,
    };
    let remove = |plan: &mut AgentPlan, planned: &mut FilePlan| -> Result<()> {
        let admitted = admit::writable(path, &actual, &giving_back(ctx, true))?;
        if let Some(expect) = &before {
            if judged.as_ref() != Some(&tree.print) {
                let name = format!("{}.{}", saved_name(path), &expect.sha256[..8]);
                plan.transaction
                    .keep_copies
                    .push((name, admitted.real.clone()));
            }
            plan.transaction.steps.push(Step::Remove {
                path: admitted.real,
                expect: expect.clone(),
            });
        }
        plan.transaction.forget.push(path.clone());
        planned.action = Action::Remove;
        planned.after = None;
        Ok(())
    };
    match decision {
        tree::Take::Gone => plan.transaction.forget.push(path.clone()),
        tree::Take::Remove => remove(plan, &mut planned)?,
        tree::Take::Keep => {
            planned.action = Action::Keep;
            let reason = keep.unwrap_or("it was edited after install").to_owned();
            plan.kept.push(Kept {
                path: path.clone(),
                reason,
            });
            plan.unfinished = true;
            if tree.state.is_active() && keep.is_none() {
                let mut kept = record.clone();
                kept.body = Body::Tree(TreeFile {
                    state: State::Kept,
                    ..tree.clone()
                });
                plan.transaction.save.push(kept);
            }
        }
        tree::Take::Cut(out) => {
            let left = crate::doc::apply(text, &out.splices);
            if !out.unfinished
                && tree
                    .json
                    .as_deref()
                    .is_some_and(|ours| tree::only_skeleton(&left, ours))
            {
                remove(plan, &mut planned)?;
            } else {
                cut_tree(
                    ctx,
                    record,
                    tree,
                    &actual,
                    &before,
                    &out,
                    plan,
                    &mut planned,
                )?;
            }
        }
    }
    plan.files.push(planned);
    Ok(())
}

/// Our entries leave an edited JSON tree file; what is left is the user's.
#[allow(
    clippy::too_many_arguments,
    reason = "each is one thing that the file depends on"
)]
fn cut_tree(
    ctx: &Context<'_>,
    record: &Record,
    tree: &TreeFile,
    actual: &Actual,
    before: &Option<crate::ledger::Print>,
    out: &crate::plan::reconcile::Outcome,
    plan: &mut AgentPlan,
    planned: &mut FilePlan,
) -> Result<()> {
    let path = &record.path;
    let admitted = admit::writable(path, actual, &giving_back(ctx, true))?;
    let text = admitted.text.unwrap_or("");
    plan.take_outcome(path, text, out);
    if let (Some(after), false) = (&out.after, out.splices.is_empty()) {
        let splices = out.splices.clone();
        plan.transaction.steps.push(write_step(
            &admitted.real,
            before.clone(),
            after.clone(),
            splices,
            admitted.in_place,
        ));
        planned.action = Action::Edit;
        planned.after = Some(after.clone());
        planned.content = Some(Content::Splices {
            splices: out.splices.clone(),
        });
    } else {
        planned.action = Action::Keep;
    }
    if out.unfinished {
        let mut kept = record.clone();
        kept.body = Body::Tree(TreeFile {
            state: State::Kept,
            ..tree.clone()
        });
        plan.transaction.save.push(kept);
    } else {
        plan.kept.push(Kept {
            path: path.clone(),
            reason: "what the user added to it stays".to_owned(),
        });
        plan.transaction.forget.push(path.clone());
    }
    Ok(())
}
