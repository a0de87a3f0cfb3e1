//! `gitvow uninstall`. Chooses whose entries go, runs their plans, and takes the launcher away behind the last one.

use super::install::finish;
use super::output::{self, AgentChange, Changes, Direction, SCHEMA, Status};
use super::run::{self, Show};
use super::session::{Mode, Session, Wishes};
use super::{Console, args, notes, purge};
use crate::apply;
use crate::error::{Error, Result};
use crate::external;
use crate::ledger::Owner;
use crate::plan::agent::{self, AgentPlan, Subject};
use crate::plan::launcher::Change;
use crate::plan::paths;
use crate::spec::builtin;
use crate::spec::{AgentSpec, Scope};
use crate::sys::{FileKind, Sys};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One agent in one scope.
struct Chosen {
    owner: Owner,
    /// Its planner, where there is one: an adapter may be gone, its records are enough.
    spec: Option<AgentSpec>,
    /// Something is recorded of it.
    recorded: bool,
    /// It was named, or is recorded; else it is told only where something of gitvow's is found.
    asked: bool,
}

/// Runs the command.
pub fn run(args: &args::Uninstall, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let scope = if args.everywhere {
        None
    } else {
        Some(args.choice.place.scope.unwrap_or(Scope::User))
    };
    let mut session = Session::open(
        sys,
        &args.choice.place,
        Some(scope.unwrap_or(Scope::User)),
        Mode::Look,
    )?;
    // Where nothing was ever written there is nothing to lock, and no state home to make.
    // Root is refused over another user's home; a lock of root's would shut that user out as well.
    let refused = session.foreign_home && !args.force;
    if !args.dry_run && !refused && sys.disk.stat(session.state.root()).is_ok() {
        session.take_lock()?;
    }
    let keep = kept_paths(args, sys);
    let show = Show {
        dry_run: args.dry_run,
        diffs: !args.json.no_diff && (args.dry_run || args.json.json),
    };
    let chosen = choose(args, scope, &session)?;
    let logs = purge::repository_logs(&session);
    let mut document = Changes {
        schema: SCHEMA,
        command: Direction::Uninstall,
        dry_run: args.dry_run,
        scope,
        ok: true,
        changed: false,
        launcher: None,
        agents: Vec::new(),
    };
    for chosen in &chosen {
        let change = one(args, show, &keep, chosen, &mut session);
        let found = change.status == Status::Removed || !change.notes.is_empty();
        if chosen.asked || (found && change.error.is_none()) {
            document.agents.push(change);
        }
    }
    let all_done = document
        .agents
        .iter()
        .all(|a| a.error.is_none() && a.status != Status::Kept);
    // Whoever purges by force means it: what is away is gone for good.
    if args.purge && args.force && all_done {
        let launcher = session.state.launcher();
        session.records.retain(|r| r.path == launcher);
    }
    // What was recorded of a directory that is away may come back with it.
    let away = args.purge
        && !refused
        && session
            .records
            .iter()
            .any(|r| r.path != session.state.launcher());
    let (launcher, left) = if refused {
        (run::Planned::default(), None)
    } else {
        launcher(&mut session, args.dry_run, &keep)?
    };
    if launcher.change == Change::Remove {
        let restart =
            "restart agents that are open: they may still run the command that is gone now";
        if let Some(last) = document.agents.last_mut() {
            last.steps.push(restart.to_owned());
        } else {
            console.say(&format!("note: {restart}\n"));
        }
    }
    if let Some(why) = left
        && document.agents.iter().any(|a| a.status == Status::Removed)
        && let Some(last) = document.agents.last_mut()
    {
        last.notes.push(format!("gitvow's own copy stays: {why}"));
    }
    document.launcher = Some(run::launcher_output(
        &session.state.launcher(),
        launcher.change,
    ));
    document.changed = document
        .agents
        .iter()
        .any(|a| a.artifacts.iter().any(|f| f.action.writes()))
        || launcher.change == Change::Remove;
    document.ok = all_done && !away;
    for line in &session.recovered {
        console.say(&format!("note: {}\n", super::escape::line(line)));
    }
    for path in kept_nothing(args, &session, &document) {
        let shown = super::escape::path(path);
        console.say(&format!(
            "note: `--keep {shown}` names no file of this call\n"
        ));
    }
    if args.purge && document.ok {
        purge::run(&mut session, args.dry_run, &logs, console)?;
    } else if args.purge {
        console.say("note: gitvow's own state stays as long as something of the above does\n");
        if away && all_done {
            console.say(
                "note: if it is gone for good: gitvow uninstall --everywhere --purge --force\n",
            );
        }
    }
    if document.agents.is_empty() && !document.changed && !args.json.json {
        console.say("nothing is installed\n");
        return Ok(0);
    }
    finish(&document, args.json.json, console)
}

/// What `--keep` names, absolute: as it is spelled and with its links followed.
fn kept_paths(args: &args::Uninstall, sys: &Sys<'_>) -> Vec<PathBuf> {
    let cwd = sys.env.cwd().unwrap_or_default();
    let spelled = args.keep.iter().map(|k| cwd.join(k));
    spelled
        .flat_map(|k| [super::session::real(sys, &k), k])
        .collect()
}

/// The names given to `--keep` that kept nothing: a slip of the pen there would cost what was to be kept.
fn kept_nothing<'a>(
    args: &'a args::Uninstall,
    session: &Session<'_>,
    document: &Changes,
) -> Vec<&'a PathBuf> {
    let sys = session.sys;
    let cwd = sys.env.cwd().unwrap_or_default();
    let files = document.agents.iter().flat_map(|a| &a.kept);
    let mut kept: Vec<PathBuf> = files.map(|k| super::session::real(sys, &k.path)).collect();
    kept.push(super::session::real(sys, &session.state.launcher()));
    let idle = |k: &&PathBuf| !kept.contains(&super::session::real(sys, &cwd.join(k)));
    args.keep.iter().filter(idle).collect()
}

/// Whose entries go: those named, else everyone recorded in the scope (with `--everywhere`, in every scope), and every
/// built-in of which something stands there that this gitvow would write (a lost ledger, a team-mate's install).
fn choose(
    args: &args::Uninstall,
    scope: Option<Scope>,
    session: &Session<'_>,
) -> Result<Vec<Chosen>> {
    let mut out = Vec::new();
    if args.choice.agents.is_empty() {
        for owner in recorded(session, scope) {
            let spec = builtin::by_name(&owner.agent)
                .map(builtin::Builtin::spec)
                .transpose()?;
            out.push(Chosen {
                owner,
                spec,
                recorded: true,
                asked: true,
            });
        }
        let scope = scope.unwrap_or(Scope::User);
        for builtin in builtin::ALL {
            let owner = Owner {
                agent: builtin.name.to_owned(),
                scope,
            };
            let spec = builtin.spec()?;
            if paths::lacks(&spec, scope).is_none() && out.iter().all(|c| c.owner != owner) {
                out.push(Chosen {
                    owner,
                    spec: Some(spec),
                    recorded: false,
                    asked: false,
                });
            }
        }
        return Ok(out);
    }
    let scope = scope.unwrap_or(Scope::User);
    for name in &args.choice.agents {
        let builtin = builtin::by_name(name);
        let agent = builtin.map_or(name.as_str(), |b| b.name).to_owned();
        if out.iter().any(|c: &Chosen| c.owner.agent == agent) {
            continue;
        }
        let owner = Owner { agent, scope };
        let known = session
            .records
            .iter()
            .any(|r| r.body.owners().iter().any(|o| o.agent == owner.agent));
        let spec = match builtin {
            Some(builtin) => Some(builtin.spec()?),
            // Works from the record alone: the adapter may be gone, changed or broken by now.
            None if known => None,
            None => {
                let state = session.state.root();
                let found = external::discover(session.sys, state, name)?;
                external::protocol::info(session.sys, state, &found).ok()
            }
        };
        if let Some(spec) = &spec
            && let Some(lacks) = paths::lacks(spec, scope)
            && !known
        {
            return Err(lacks);
        }
        out.push(Chosen {
            owner,
            spec,
            recorded: known,
            asked: true,
        });
    }
    Ok(out)
}

/// Everyone recorded in a scope; in repository and local scope only those of this repository.
fn recorded(session: &Session<'_>, scope: Option<Scope>) -> BTreeSet<Owner> {
    let mut out = BTreeSet::new();
    for record in &session.records {
        for owner in record.body.owners() {
            let here = match scope {
                None => true,
                Some(Scope::User) => owner.scope == Scope::User,
                Some(scope) => {
                    owner.scope == scope
                        && (session
                            .repo_real
                            .as_ref()
                            .is_some_and(|top| record.real.starts_with(top))
                            || session
                                .repo
                                .as_ref()
                                .is_some_and(|top| record.path.starts_with(top)))
                }
            };
            if here {
                out.insert(owner.clone());
            }
        }
    }
    out
}

fn one(
    args: &args::Uninstall,
    show: Show,
    keep: &[PathBuf],
    chosen: &Chosen,
    session: &mut Session<'_>,
) -> AgentChange {
    let scope = chosen.owner.scope;
    let mut change = AgentChange::new(&chosen.owner.agent, scope);
    let subject = Subject {
        spec: chosen.spec.as_ref(),
        owner: &chosen.owner,
        adapter: None,
    };
    let wishes = Wishes {
        force: args.force,
        ..Wishes::default()
    };
    let paths = {
        let ctx = session.context(scope, wishes);
        let mut paths = agent::take::planned_paths(&ctx, &subject);
        paths.extend(
            agent::take::records(&ctx, &subject)
                .iter()
                .map(|r| r.path.clone()),
        );
        paths
    };
    let plan = |session: &Session<'_>, world: &crate::plan::world::World| -> Result<AgentPlan> {
        let mut ctx = session.context(scope, wishes);
        ctx.keep = keep;
        let mut plan = agent::take::plan(&ctx, &subject, world)?;
        drop_adapter(session, &chosen.owner, &mut plan);
        Ok(plan)
    };
    let mut lock = |session: &mut Session<'_>| {
        if session.foreign_home && !args.force {
            return Err(crate::plan::admit::foreign_home(session.state.root()));
        }
        session.take_lock()
    };
    if let Some(plan) = run::carry_out(session, &paths, show, &plan, &mut lock, &mut change) {
        change.status = if plan.unfinished {
            Status::Kept
        } else if plan.changes() || !plan.transaction.is_empty() {
            Status::Removed
        } else if chosen.recorded && !plan.kept.is_empty() {
            Status::Unchanged
        } else {
            Status::NotInstalled
        };
        if plan.unknown {
            change.artifacts.clear();
        }
        change.kept.extend(plan.kept.iter().map(|k| output::Kept {
            path: k.path.clone(),
            reason: k.reason.clone(),
        }));
        change.notes = notes::found(&plan, "uninstall");
        if let Some(spec) = &chosen.spec {
            change.notes.extend(notes::shifted(spec, &plan));
        }
    }
    change
}

/// What `hook` was left for an external agent goes with its last record.
fn drop_adapter(session: &Session<'_>, owner: &Owner, plan: &mut AgentPlan) {
    if builtin::by_name(&owner.agent).is_some() || plan.transaction.is_empty() {
        return;
    }
    let gone = |path: &PathBuf| plan.transaction.forget.contains(path);
    let elsewhere = session.records.iter().any(|r| {
        let mine =
            |o: &&Owner| o.agent == owner.agent && (o.scope != owner.scope || !gone(&r.path));
        let stays = plan
            .transaction
            .save
            .iter()
            .find(|s| s.path == r.path)
            .unwrap_or(r);
        stays.body.owners().iter().any(mine)
    });
    if !elsewhere {
        plan.transaction
            .drop_state_files
            .push(external::installed::file_name(&owner.agent));
    }
}

/// Removes a launcher that nothing needs.
pub(super) fn take_unused_launcher(session: &mut Session<'_>) -> Result<()> {
    launcher(session, false, &[]).map(|_| ())
}

/// The launcher goes when nothing recorded is left and no known file names it. Says why it stays.
fn launcher(
    session: &mut Session<'_>,
    dry_run: bool,
    keep: &[PathBuf],
) -> Result<(run::Planned, Option<String>)> {
    let path = session.state.launcher();
    let idle = run::Planned::default();
    let Ok(stat) = session.sys.disk.stat(&path) else {
        return Ok((idle, None));
    };
    let in_use = |r: &&crate::ledger::Record| r.path != path;
    if session.records.iter().any(|r| in_use(&r)) {
        return Ok((idle, None));
    }
    if keep
        .iter()
        .any(|k| super::session::real(session.sys, k) == super::session::real(session.sys, &path))
    {
        return Ok((idle, Some("`--keep` names it".to_owned())));
    }
    if let Some(file) = names_launcher(session) {
        return Ok((idle, Some(format!("{} still names it", file.display()))));
    }
    let record = session.records.iter().find(|r| r.path == path).cloned();
    // A link or a folder there is somebody's, and so is what it leads to.
    let ours = stat.kind == FileKind::File;
    let print = ours.then(|| session.sys.disk.hash(&path)).transpose();
    let print = print
        .map_err(|e| Error::io("read", &path, &e))?
        .map(|sha256| crate::ledger::Print {
            sha256,
            len: stat.len,
        });
    let planned = run::take_launcher(&path, print.as_ref(), record.as_ref());
    let left = (!ours).then(|| format!("{} is no file of gitvow's", path.display()));
    if !dry_run {
        session.take_lock()?;
        apply::apply(session.sys, &session.state, &planned.transaction)?;
        session.reload()?;
    }
    Ok((planned, left))
}

/// A known user file in which our launcher is still named.
fn names_launcher(session: &Session<'_>) -> Option<PathBuf> {
    let needle = session.state.launcher();
    for builtin in builtin::ALL {
        let Ok(spec) = builtin.spec() else { continue };
        let Ok(paths) = super::install::planned_paths(session, &spec, Scope::User) else {
            continue;
        };
        let world = session.world(paths);
        for (path, actual) in &world.files {
            let text = actual.bytes().and_then(|b| std::str::from_utf8(b).ok());
            if text.is_some_and(|t| agent::names_command(t, &needle)) {
                return Some(path.clone());
            }
        }
    }
    None
}
