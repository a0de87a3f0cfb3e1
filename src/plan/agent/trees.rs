//! Install of the files that are wholly ours. Pure.

use super::super::reconcile::Finding;
use super::super::{admit, paths, print_of, tree, world::World};
use super::put::{command, push_dir};
use super::{Action, AgentPlan, Context, FilePlan, Kept, Placed, Subject, saved_name};
use crate::error::{Error, Result};
use crate::ledger::{Body, Record, SCHEMA, State, TreeFile};
use crate::plan::steps::{Content, Step, Write};
use crate::spec::command::tree_texts;
use crate::spec::{Install, Scope};
use std::path::Path;

/// Plans the tree files of an install.
pub(super) fn plan(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    install: &Install,
    targets: &paths::Targets,
    world: &World,
    plan: &mut AgentPlan,
) -> Result<()> {
    let command = command(ctx, install, subject.owner.scope);
    let texts: Vec<_> = install
        .trees
        .iter()
        .map(|t| tree_texts(t, &command))
        .collect();
    for target in &targets.trees {
        let wanted = texts
            .get(target.tree)
            .and_then(|t| t.iter().find(|t| t.name == target.name));
        let Some(wanted) = wanted else {
            return Err(Error::bug("a tree file without a text").at(&target.path));
        };
        let legacy = install.trees.get(target.tree);
        let legacy = legacy.map_or(&[][..], |t| t.legacy.as_slice());
        let path = &target.path;
        let actual = world.at(path);
        let admitted = admit::writable(path, &actual, &ctx.bounds)?;
        let record = ctx.record(path, Some(&admitted.real));
        let tree = match record.map(|r| &r.body) {
            Some(Body::Tree(tree)) => Some(tree),
            Some(Body::Merge(_)) => return Err(taken(path, false)),
            None => None,
        };
        let after = print_of(std::iter::once(wanted.text.as_str()));
        let before = admitted.text.map(|t| print_of(std::iter::once(t)));
        let in_repository = subject.owner.scope == Scope::Repo;
        let judged = admitted.text.map(|t| tree::judged(t, in_repository));
        let there = judged.as_ref().zip(admitted.text);
        let decision = tree::put(
            there,
            tree,
            &after,
            wanted.json,
            legacy,
            ctx.force,
            ctx.adopt,
        );
        let mut planned = FilePlan {
            tree: true,
            path: path.clone(),
            real: admitted.real.clone(),
            action: Action::Unchanged,
            before: before.clone(),
            after: before.clone(),
            content: None,
        };
        let save = match decision {
            tree::Put::Nothing => {
                let same = |t: &TreeFile| {
                    t.owner.as_ref() == Some(subject.owner)
                        && t.adapter.as_ref() == subject.adapter
                        && t.state.is_active()
                };
                !tree.is_some_and(same)
            }
            tree::Put::Record => true,
            tree::Put::Write | tree::Put::Adopt => {
                if decision == tree::Put::Adopt {
                    plan.findings.push(adopted(path, subject));
                }
                if let Some(print) = &judged
                    && tree.is_none_or(|t| t.print != *print)
                {
                    let name = format!("{}.{}", saved_name(path), &print.sha256[..8]);
                    plan.transaction
                        .keep_copies
                        .push((name, admitted.real.clone()));
                }
                for missing in admitted.missing {
                    push_dir(plan, missing);
                }
                let content = Content::Text {
                    text: wanted.text.clone(),
                };
                plan.transaction.steps.push(Step::Write(Write {
                    path: admitted.real.clone(),
                    expect: before.clone(),
                    after: after.clone(),
                    content: content.clone(),
                    mode: target.mode,
                    in_place: admitted.in_place,
                }));
                planned.action = if before.is_some() {
                    Action::Edit
                } else {
                    Action::Create
                };
                planned.after = Some(after.clone());
                planned.content = Some(content);
                true
            }
            tree::Put::Edited => {
                planned.action = Action::Keep;
                plan.unfinished = true;
                plan.kept.push(Kept {
                    path: path.clone(),
                    reason: "it was edited after install".to_owned(),
                });
                false
            }
            tree::Put::Taken => return Err(taken(path, false)),
            tree::Put::Adoptable => return Err(taken(path, true)),
        };
        if save {
            plan.transaction.save.push(Record {
                schema: SCHEMA,
                path: record.map_or_else(|| path.clone(), |r| r.path.clone()),
                real: admitted.real.clone(),
                dirs: ctx.dirs_for(&admitted.real, admitted.missing, record),
                gitvow: ctx.version.to_owned(),
                body: Body::Tree(TreeFile {
                    print: after,
                    mode: target.mode,
                    owner: Some(subject.owner.clone()),
                    json: wanted.json.then(|| wanted.text.clone()),
                    adapter: subject.adapter.cloned(),
                    block: ctx.block,
                    launcher: None,
                    state: State::Active,
                }),
            });
        }
        plan.files.push(planned);
    }
    Ok(())
}

fn adopted(path: &Path, subject: &Subject<'_>) -> Placed {
    let detail =
        "another gitvow's file is replaced by today's; a copy is in gitvow's state, under saved/";
    Placed {
        path: path.to_path_buf(),
        position: None,
        finding: Finding {
            code: "adopted",
            owner: subject.owner.clone(),
            keys: Vec::new(),
            at: None,
            detail: detail.to_owned(),
        },
    }
}

fn taken(path: &Path, adoptable: bool) -> Error {
    let error = Error::refused(
        "path-taken",
        format!("`{}` is there already and is not gitvow's", path.display()),
    )
    .at(path);
    if adoptable {
        error.help("another gitvow wrote it: `--adopt` takes it over, and keeps a copy in gitvow's state, under saved/")
    } else {
        // The ending stays: the agent loads it there as it does now (Copilot and Grok read every `*.json`).
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push("-moved");
        if let Some(ending) = path.extension() {
            name.push(".");
            name.push(ending);
        }
        error.help(format!(
            "give it another name: mv {} {}",
            admit::quoted(path),
            admit::quoted(&path.with_file_name(name))
        ))
    }
}
