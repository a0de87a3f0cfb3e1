//! `gitvow install`. Chooses the agents, runs their plans and says what happened; it decides nothing about files.

use super::args::{self, OnMissing};
use super::output::{self, AgentChange, Changes, Direction, Fault, SCHEMA, Status};
use super::run::{self, Show};
use super::session::{Mode, Session, Wishes};
use super::{Console, agents, notes, render};
use crate::error::{Error, Result};
use crate::external;
use crate::ledger::{Adapter, Owner};
use crate::plan::agent::{self, AgentPlan, Subject};
use crate::plan::paths;
use crate::spec::builtin;
use crate::spec::{AgentSpec, Scope};
use crate::sys::Sys;
use std::path::PathBuf;

/// One agent of the call.
struct Chosen {
    name: String,
    /// Its planner, or why there is none.
    spec: Result<AgentSpec>,
    /// Where it came from, for an external one.
    found: Option<external::Found>,
    /// It wasn't named: what it can't do is no error.
    implied: bool,
}

/// Runs the command.
pub fn run(args: &args::Install, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let scope = args.choice.place.scope.unwrap_or(Scope::User);
    let home = sys.env.home();
    // Root is refused over another user's home, file by file; a lock of root's would shut that user out as well.
    let refused = !args.force
        && home
            .as_deref()
            .is_some_and(|h| super::session::foreign_home(sys, h));
    let mode = if args.dry_run || refused {
        Mode::Look
    } else {
        Mode::Write
    };
    // Names are judged before anything is touched.
    let state = home
        .map(|h| super::session::state_home(sys, &h))
        .transpose()?;
    let named = named(args, sys, &state.unwrap_or_default())?;
    let mut session = Session::open(sys, &args.choice.place, Some(scope), mode)?;
    let chosen = if named.is_empty() {
        implied(args, &session)?
    } else {
        named
    };
    let show = Show {
        dry_run: args.dry_run,
        diffs: !args.json.no_diff && (args.dry_run || args.json.json),
    };
    let mut document = Changes {
        schema: SCHEMA,
        command: Direction::Install,
        dry_run: args.dry_run,
        scope: Some(scope),
        ok: true,
        changed: false,
        launcher: None,
        agents: Vec::new(),
    };
    let seen = run::launcher_seen(&session)?;
    let record = session
        .records
        .iter()
        .find(|r| r.path == seen.path)
        .cloned();
    let launcher = run::put_launcher(&seen, record.as_ref());
    let mut launcher_due = mode == Mode::Write;
    let mut wanted = false;
    for agent in &chosen {
        let change = one(args, scope, show, agent, &mut session, &mut |session| {
            if launcher_due {
                run::write_launcher(session, &launcher, &seen)?;
                launcher_due = false;
            }
            Ok(())
        });
        wanted |= matches!(
            change.status,
            Status::Installed | Status::Unchanged | Status::Kept
        ) && change.error.is_none()
            && !change.artifacts.is_empty();
        document.agents.push(change);
    }
    if wanted && launcher_due {
        run::write_launcher(&mut session, &launcher, &seen)?;
    }
    let placed = !args.dry_run && !launcher_due;
    if placed && !wanted && launcher.change == crate::plan::launcher::Change::Create {
        // Every agent failed after it was put there (a full disk): it goes again, unless it is needed.
        if let Err(e) = super::uninstall::take_unused_launcher(&mut session) {
            console.say(&format!("note: {}\n", super::escape::line(&e.sentence())));
        }
    }
    let change = if wanted {
        launcher.change
    } else {
        crate::plan::launcher::Change::Unchanged
    };
    document.launcher = Some(run::launcher_output(&seen.path, change));
    let writes = |a: &AgentChange| a.artifacts.iter().any(|f| f.action.writes());
    document.changed = document.agents.iter().any(writes)
        || document
            .launcher
            .as_ref()
            .is_some_and(|l| l.action.writes());
    document.ok = document
        .agents
        .iter()
        .all(|a| a.error.is_none() && a.status != Status::Kept);
    for line in &session.recovered {
        console.say(&format!("note: {}\n", super::escape::line(line)));
    }
    finish(&document, args.json.json, console)
}

/// Prints the document and gives the exit code.
pub(super) fn finish(document: &Changes, json: bool, console: &mut Console<'_>) -> Result<u8> {
    if json {
        console.print(&output::document(document)?)?;
    } else {
        let text = render::changes(document, console.look(), console.look_err());
        console.print(&text.out)?;
        console.say(&text.err);
    }
    Ok(u8::from(!document.ok))
}

/// The agents that `--agent` names, in its order, each once. An unknown name ends the call.
fn named(args: &args::Install, sys: &Sys<'_>, state: &std::path::Path) -> Result<Vec<Chosen>> {
    let mut out: Vec<Chosen> = Vec::new();
    for name in &args.choice.agents {
        let chosen = choose(name, sys, state)?;
        if !out.iter().any(|c| c.name == chosen.name) {
            out.push(chosen);
        }
    }
    Ok(out)
}

fn choose(name: &str, sys: &Sys<'_>, state: &std::path::Path) -> Result<Chosen> {
    if let Some(builtin) = builtin::by_name(name) {
        return Ok(Chosen {
            name: builtin.name.to_owned(),
            spec: builtin.spec(),
            found: None,
            implied: false,
        });
    }
    let found = external::discover(sys, state, name)?;
    let spec = external::protocol::info(sys, state, &found);
    Ok(Chosen {
        name: name.to_owned(),
        spec,
        found: Some(found),
        implied: false,
    })
}

/// Without names: every built-in with `--all`, else those detected.
fn implied(args: &args::Install, session: &Session<'_>) -> Result<Vec<Chosen>> {
    let list = if args.all {
        builtin::ALL.iter().collect()
    } else {
        agents::detected(session.sys, &session.ground(), &session.records)?
    };
    if list.is_empty() {
        return Err(
            Error::failed("nothing-detected", "no agent was found on this machine").help(format!(
                "name one: gitvow install --agent NAME, with one of {}",
                builtin::names().join(", ")
            )),
        );
    }
    let chosen = |b: &builtin::Builtin| Chosen {
        name: b.name.to_owned(),
        spec: b.spec(),
        found: None,
        implied: true,
    };
    Ok(list.into_iter().map(chosen).collect())
}

fn one<'a>(
    args: &'a args::Install,
    scope: Scope,
    show: Show,
    chosen: &Chosen,
    session: &mut Session<'a>,
    before: &mut dyn FnMut(&mut Session<'_>) -> Result<()>,
) -> AgentChange {
    let mut change = AgentChange::new(&chosen.name, scope);
    let spec = match &chosen.spec {
        Ok(spec) => spec,
        Err(e) => return failed(change, e),
    };
    if let Some(e) = paths::lacks(spec, scope) {
        if chosen.implied {
            change.status = Status::NotInstalled;
            change.notes.push(format!("skipped: {}", e.sentence()));
            return change;
        }
        return failed(change, &e);
    }
    let owner = Owner {
        agent: spec.name.clone(),
        scope,
    };
    let adapter = chosen.found.as_ref().map(|f| Adapter {
        path: f.path.clone(),
        sha256: f.sha256.clone(),
    });
    let subject = Subject {
        spec: Some(spec),
        owner: &owner,
        adapter: adapter.as_ref(),
    };
    let wishes = Wishes {
        force: args.force,
        adopt: args.adopt,
        block: args.on_missing == Some(OnMissing::Block),
        keep: &[],
    };
    let paths = match planned_paths(session, spec, scope) {
        Ok(paths) => paths,
        Err(e) => return failed(change, &e),
    };
    let state_file = chosen
        .found
        .as_ref()
        .map(|found| external::installed::state_file(spec, found));
    let plan = |session: &Session<'_>, world: &crate::plan::world::World| {
        let mut plan = agent::put::plan(&session.context(scope, wishes), &subject, world)?;
        if let Some((name, text)) = &state_file
            && session.state.file(name).is_none_or(|f| {
                session.sys.disk.read(&f, 1 << 20).ok().as_deref() != Some(text.as_bytes())
            })
        {
            plan.transaction
                .state_files
                .push((name.clone(), text.clone()));
        }
        Ok(plan)
    };
    if let Some(plan) = run::carry_out(session, &paths, show, &plan, before, &mut change) {
        change.status = status(&plan);
        change.kept.extend(plan.kept.iter().map(|k| output::Kept {
            path: k.path.clone(),
            reason: k.reason.clone(),
        }));
        change.notes = notes::after_install(session, spec, scope, &plan);
        change.steps = agent::steps_for(spec, scope);
    }
    change
}

fn status(plan: &AgentPlan) -> Status {
    if plan.unfinished {
        Status::Kept
    } else if plan.changes() || !plan.transaction.save.is_empty() {
        Status::Installed
    } else {
        Status::Unchanged
    }
}

fn failed(mut change: AgentChange, e: &Error) -> AgentChange {
    change.status = Status::after(e);
    change.error = Some(Fault::from(e));
    change
}

/// Every file that a plan of this agent looks at.
pub(super) fn planned_paths(
    session: &Session<'_>,
    spec: &AgentSpec,
    scope: Scope,
) -> Result<Vec<PathBuf>> {
    let targets = paths::targets(spec, scope, &session.ground())?;
    let mut out = Vec::new();
    if let Some(merge) = targets.merge {
        out.extend(merge.paths());
    }
    out.extend(targets.trees.into_iter().map(|t| t.path));
    out.extend(targets.switches.into_iter().filter_map(|s| s.path));
    out.dedup();
    Ok(out)
}
