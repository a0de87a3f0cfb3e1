//! Uninstall of files that are wholly ours and that nobody recorded: a lost ledger, a team-mate's install. Pure.

use super::super::{admit, paths::TreeTarget, print_of, tree, world::World};
use super::{AgentPlan, Context, Placed, Subject, put, take};
use crate::error::Result;
use crate::ledger::{Body, Record, SCHEMA, State, TreeFile};
use crate::plan::reconcile::Finding;
use crate::spec::command::{Command, Guard, TreeText, tree_texts};
use crate::spec::{Install, Scope};

/// What today's planner would write there; `block`: a repository's answer where gitvow isn't installed.
pub fn wanted(
    ctx: &Context<'_>,
    install: &Install,
    scope: Scope,
    target: &TreeTarget,
    block: bool,
) -> Option<TreeText> {
    let command = match (&install.repo_command, scope) {
        (Some(forms), Scope::Repo) => Command::guarded(Guard { forms, block }),
        _ => put::command(ctx, install, scope),
    };
    let texts = tree_texts(install.trees.get(target.tree)?, &command);
    texts.into_iter().find(|t| t.name == target.name)
}

/// A file to the byte as this gitvow writes it goes; another gitvow's is named.
pub(super) fn plan(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    install: &Install,
    target: &TreeTarget,
    world: &World,
    plan: &mut AgentPlan,
) -> Result<()> {
    let path = &target.path;
    let actual = world.at(path);
    let Ok(admitted) = admit::readable(path, &actual) else {
        return Ok(());
    };
    let Some(text) = admitted.text else {
        return Ok(());
    };
    if ctx.record(path, Some(&admitted.real)).is_some() {
        return Ok(());
    }
    let scope = subject.owner.scope;
    let print = tree::judged(text, scope == Scope::Repo);
    for block in [false, true] {
        let Some(wanted) = wanted(ctx, install, scope, target, block) else {
            continue;
        };
        let after = print_of(std::iter::once(wanted.text.as_str()));
        if after != print {
            continue;
        }
        // As if it had been recorded; of its directories nobody knows any more who made them.
        let tree = TreeFile {
            print: after,
            mode: target.mode,
            owner: Some(subject.owner.clone()),
            json: wanted.json.then(|| wanted.text.clone()),
            adapter: None,
            block,
            launcher: None,
            state: State::Kept,
        };
        let record = Record {
            schema: SCHEMA,
            path: path.clone(),
            real: admitted.real.clone(),
            dirs: Vec::new(),
            gitvow: ctx.version.to_owned(),
            body: Body::Tree(tree.clone()),
        };
        take::tree_file(ctx, &record, &tree, world, plan)?;
        plan.transaction.forget.retain(|p| p != path);
        return Ok(());
    }
    let legacy = install.trees.get(target.tree);
    let legacy = legacy.map_or(&[][..], |t| t.legacy.as_slice());
    let json = wanted(ctx, install, scope, target, false).is_some_and(|w| w.json);
    let there = Some((&print, text));
    let other = print_of(std::iter::empty());
    if tree::put(there, None, &other, json, legacy, false, false) == tree::Put::Adoptable {
        plan.findings.push(Placed {
            path: path.clone(),
            position: None,
            finding: Finding {
                code: "unrecorded-file",
                owner: subject.owner.clone(),
                keys: Vec::new(),
                at: None,
                detail: "another gitvow wrote it, and nobody recorded that; `gitvow install --adopt` takes it over, and then uninstall takes it out".to_owned(),
            },
        });
    }
    Ok(())
}
