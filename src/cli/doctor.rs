//! `gitvow doctor`. Looks at what [`crate::plan::health`] asks for and prints what it says; it decides nothing
//! and writes nothing. Without `--probe` it starts no other program.

use super::output::{
    AgentHealth, Capability, Client, Doctor, Finding, Health, SCHEMA, Severity, document,
};
use super::run::settled;
use super::session::{Mode, Session, Wishes, real};
use super::{Console, agents, args, probe, render};
use crate::error::{Error, Result};
use crate::ledger::{Body, Owner};
use crate::plan::agent::Subject;
use crate::plan::agent::take;
use crate::plan::health::codes::{self, Effect};
use crate::plan::health::{self, Found, Installation, Program, Sight};
use crate::plan::world::World;
use crate::spec::evidence::{Evidence, NEEDED};
use crate::spec::{AgentSpec, Scope, builtin};
use crate::sys::looking::LookingDisk;
use crate::sys::resolve::{Resolved, resolve_seeing};
use crate::sys::{FileKind, Sys};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

mod chosen;
mod launcher;
mod state;

use chosen::{Chosen, Planners, choose};

/// Runs the command.
pub fn run(args: &args::Doctor, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let disk = LookingDisk::new(sys.disk);
    let sys = &Sys {
        disk: &disk,
        ..*sys
    };
    let scope = args.choice.place.scope;
    let session = Session::open(sys, &args.choice.place, scope, Mode::Examine)?;
    let planners = Planners::default();
    let mut notes = Vec::new();
    let chosen = choose(args, &session, &planners, &mut notes)?;
    let mut report = Doctor {
        schema: SCHEMA,
        ok: true,
        agents: Vec::new(),
        findings: state::findings(&session),
        notes,
    };
    let launcher = launcher::look(&session);
    let loaders = loaders(&session, &planners);
    // Nearly every entry runs the same one.
    let programs = RefCell::new(BTreeMap::new());
    let program = |path: &Path| {
        let mut known = programs.borrow_mut();
        let look = || match program(sys, path) {
            Program::Runs if path == session.state.launcher() => launcher.program.clone(),
            other => other,
        };
        known.entry(path.to_path_buf()).or_insert_with(look).clone()
    };
    for chosen in &chosen {
        let other_build = launcher.other_build.as_deref();
        let health = one(args, &session, chosen, &loaders, other_build, &program);
        let idle = health.state == Health::NotInstalled && health.findings.is_empty();
        if chosen.shown || !idle {
            report.agents.push(health);
        }
    }
    report.ok = report
        .agents
        .iter()
        .all(|a| matches!(a.state, Health::Ok | Health::NotInstalled))
        && report
            .findings
            .iter()
            .all(|f| f.severity != Severity::Error);
    if args.json.json {
        console.print(&document(&report)?)?;
    } else {
        console.print(&render::doctor(&report, console.look()))?;
        if session.records.is_empty() && session.troubles.is_empty() {
            console.print(&welcome(&session)?)?;
        }
    }
    Ok(u8::from(!report.ok))
}

/// Nothing is recorded: what is here, and how to begin.
fn welcome(session: &Session<'_>) -> Result<String> {
    let found = agents::detected(session.sys, &session.ground(), &session.records)?;
    let names: Vec<&str> = found.iter().map(|b| b.name).collect();
    Ok(if names.is_empty() {
        "nothing is installed, and no agent was found on this machine\n\
         name one to install it all the same: gitvow install --agent NAME\n"
            .to_owned()
    } else {
        format!(
            "nothing is installed; found on this machine: {}\n\
             see what an install would write: gitvow install --dry-run\n",
            names.join(", ")
        )
    })
}

fn one(
    args: &args::Doctor,
    session: &Session<'_>,
    chosen: &Chosen,
    loaders: &[Rc<AgentSpec>],
    other_build: Option<&str>,
    program: &dyn Fn(&Path) -> Program,
) -> AgentHealth {
    let owner = &chosen.owner;
    let subject = Subject {
        spec: chosen.spec.as_deref(),
        owner,
        adapter: None,
    };
    let mut ctx = session.context(owner.scope, Wishes::default());
    ctx.block = take::records(&ctx, &subject)
        .iter()
        .any(|r| blocks(r, owner));
    let installation = Installation::new(&ctx, subject);
    let records = &installation.records;
    let recorded = !records.is_empty();
    let folders = installation
        .folders()
        .into_iter()
        .filter_map(|dir| {
            let names = session.sys.disk.list(&dir).ok()?;
            let names = names.iter().map(|n| n.to_string_lossy().into_owned());
            Some((dir, names.collect()))
        })
        .collect();
    let adapter_now = records
        .iter()
        .find_map(|r| r.body.adapter(owner))
        .and_then(|a| session.sys.disk.hash(&real(session.sys, &a.path)).ok());
    let readers = if recorded {
        readers(loaders, &owner.agent, owner.scope)
    } else {
        Vec::new()
    };
    let mut client = client(session, chosen.spec.as_deref());
    let mut asked = probe::Asked::default();
    if let (true, Some(spec)) = (args.probe && recorded, &chosen.spec) {
        asked = probe::ask(session, spec, owner.scope, records, &mut client);
    }
    let judge = |world: &World| {
        health::judge(&Sight {
            of: &installation,
            world,
            program,
            folders: &folders,
            other_build,
            adapter_now: adapter_now.as_deref(),
            readers: &readers,
            trust: asked.trust.as_ref(),
        })
    };
    // A file that was written a moment ago may be half written still: read again before it is called broken.
    let paths = installation.paths();
    let (_, mut found) = settled(session, &paths, &judge, &|f| health::unreadable(f));
    found.append(&mut asked.findings);
    if recorded && let Some(missing) = missing(&client, chosen.spec.as_deref()) {
        found.push(missing);
    }
    let evidence = Evidence::of(&owner.agent).and_then(Result::ok);
    if let Some(evidence) = &evidence {
        found.extend(probe::too_old(evidence, &client));
    }
    AgentHealth {
        agent: owner.agent.clone(),
        scope: owner.scope,
        state: if recorded {
            state_of(&found)
        } else {
            Health::NotInstalled
        },
        capabilities: capabilities(evidence.as_ref(), client.version.as_deref()),
        client,
        findings: found.iter().map(output).collect(),
    }
}

fn blocks(record: &crate::ledger::Record, owner: &Owner) -> bool {
    match &record.body {
        Body::Merge(m) => m.owners.iter().any(|o| o.owner == *owner && o.block),
        Body::Tree(t) => t.owner.as_ref() == Some(owner) && t.block,
    }
}

fn state_of(found: &[Found]) -> Health {
    match health::effect(found) {
        Effect::None => Health::Ok,
        Effect::Unknown => Health::Unknown,
        Effect::Drifted => Health::Drifted,
        Effect::Broken => Health::Broken,
    }
}

/// A finding as it is printed.
fn output(found: &Found) -> Finding {
    Finding {
        code: found.code.name.to_owned(),
        severity: match found.code.severity {
            codes::Severity::Note => Severity::Note,
            codes::Severity::Warning => Severity::Warning,
            codes::Severity::Error => Severity::Error,
        },
        path: found.path.clone(),
        line: found.position.map(|p| p.0),
        column: found.position.map(|p| p.1),
        event: found.event.clone(),
        message: found.message.clone(),
        help: Some(found.help.clone()).filter(|h| !h.is_empty()),
    }
}

fn capabilities(evidence: Option<&Evidence>, version: Option<&str>) -> Vec<Capability> {
    let verdict = |name: &&'static str| {
        let verdict = match evidence {
            Some(evidence) => evidence.verdict(name, version, probe::PLATFORM),
            None => crate::spec::evidence::resolve(false, &[], "", name, version, probe::PLATFORM),
        };
        Capability {
            name: (*name).to_owned(),
            on: verdict.on,
            reason: verdict.reason.map(|r| r.name().to_owned()),
            version: verdict.version,
        }
    };
    NEEDED.iter().map(verdict).collect()
}

/// What stands where a command leads, links followed.
fn program(sys: &Sys<'_>, path: &Path) -> Program {
    let mut last = None;
    match resolve_seeing(sys.disk, path, &mut |_, stat| last = Some(*stat)) {
        Ok(Resolved::Found(_)) => match last {
            Some(stat) if stat.kind == FileKind::File && stat.mode & 0o111 != 0 => Program::Runs,
            _ => Program::NotExecutable,
        },
        Ok(Resolved::Dangling(_, to)) => Program::Dangling(to),
        Ok(Resolved::Loop) => Program::Dangling(path.to_path_buf()),
        _ => Program::Missing,
    }
}

/// Agents that also load files of others, and that are installed here or present on this machine.
fn loaders(session: &Session<'_>, planners: &Planners) -> Vec<Rc<AgentSpec>> {
    let reads_others = builtin::ALL.iter().filter(|b| b.text.contains("\"loads\""));
    let mut out: Vec<Rc<AgentSpec>> = reads_others.filter_map(|b| planners.of(b).ok()).collect();
    out.retain(|spec| {
        let recorded = session
            .records
            .iter()
            .any(|r| r.body.owners().iter().any(|o| o.agent == spec.name));
        recorded || client(session, Some(spec)).path.is_some()
    });
    out
}

/// Titles of those that load this agent's file.
fn readers(loaders: &[Rc<AgentSpec>], agent: &str, scope: Scope) -> Vec<String> {
    let loads = |spec: &&Rc<AgentSpec>| {
        let scopes = spec.loads.get(agent).filter(|_| spec.name != agent);
        scopes.is_some_and(|all| all.iter().any(|s| s == scope.name()))
    };
    let titled = loaders.iter().filter(loads);
    titled
        .map(|spec| spec.title.clone().unwrap_or_else(|| spec.name.clone()))
        .collect()
}

fn client(session: &Session<'_>, spec: Option<&AgentSpec>) -> Client {
    let commands = spec
        .and_then(|s| s.detect.as_ref())
        .map_or(&[][..], |d| &d.commands);
    let found = commands
        .iter()
        .find_map(|c| Some((c, agents::on_path(session.sys, c)?)));
    Client {
        command: found
            .as_ref()
            .map(|(c, _)| (*c).clone())
            .or_else(|| commands.first().cloned()),
        path: found.map(|(_, path)| path),
        version: None,
    }
}

fn missing(client: &Client, spec: Option<&AgentSpec>) -> Option<Found> {
    let command = client.command.as_ref()?;
    if client.path.is_some() {
        return None;
    }
    let title = spec.map_or(command.as_str(), crate::plan::agent::put::title);
    Some(Found::new(
        codes::CLIENT_MISSING,
        format!("{title}'s program `{command}` is not on PATH"),
        "nothing has to be done if it is started another way",
    ))
}

/// An error about our own state as a finding.
fn from_error(code: &'static codes::Code, e: &Error) -> Found {
    let mut found = Found::new(code, e.sentence(), e.help.clone().unwrap_or_default());
    if let Some(place) = &e.place {
        found.path = Some(place.path.clone());
        found.position = place.position;
    }
    found
}
