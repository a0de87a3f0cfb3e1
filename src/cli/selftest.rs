//! `gitvow selftest`: would it work here? A rehearsal in a scratch home, on copies of the user's own files, with the
//! real program: plan, install, install again, the written commands as they stand in the files, doctor, uninstall. It
//! never touches the real files, and stops at the first lie.
//!
//! Hook commands that existed nowhere have shipped elsewhere, with every test green.

use super::output::{Rehearsal, RehearsalStep, SCHEMA, Selftest, document};
use super::session::{Mode, Session};
use super::{Console, agents, args, escape};
use crate::error::{Error, Result};
use crate::external::{self, Call, Found, protocol};
use crate::hook::policy;
use crate::plan::paths;
use crate::spec::{AgentSpec, Scope, builtin};
use crate::sys::{Ended, Sys};
use scratch::Scratch;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

mod commands;
mod judge;
mod launcher;
mod samples;
mod scratch;

/// One agent of the call.
struct Chosen {
    name: String,
    spec: Result<AgentSpec>,
    found: Option<Found>,
}

/// Runs the command.
pub fn run(args: &args::Selftest, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let scope = args.choice.place.scope.unwrap_or(Scope::User);
    let session = Session::open(sys, &args.choice.place, Some(scope), Mode::Examine)?;
    let mut report = Selftest {
        schema: SCHEMA,
        ok: true,
        agents: Vec::new(),
    };
    for chosen in choose(args, scope, &session)? {
        report.agents.push(rehearse(&session, scope, &chosen));
    }
    report.ok = report.agents.iter().all(|a| a.ok);
    if args.json.json {
        console.print(&document(&report)?)?;
    } else {
        console.print(&text(&report))?;
    }
    Ok(u8::from(!report.ok))
}

fn text(report: &Selftest) -> String {
    let mut out = String::new();
    for agent in &report.agents {
        for step in &agent.steps {
            let mark = if step.ok { "ok  " } else { "FAIL" };
            let message = escape::line(&step.message);
            let _ = writeln!(out, "{mark} {}: {}: {message}", agent.agent, step.name);
        }
    }
    out
}

/// Those named, else those detected that have the scope.
fn choose(args: &args::Selftest, scope: Scope, session: &Session<'_>) -> Result<Vec<Chosen>> {
    let state = session.state.root();
    let mut out: Vec<Chosen> = Vec::new();
    for name in &args.choice.agents {
        let chosen = match builtin::by_name(name) {
            Some(builtin) => Chosen {
                name: builtin.name.to_owned(),
                spec: builtin.spec(),
                found: None,
            },
            None => {
                let found = external::discover(session.sys, state, name)?;
                Chosen {
                    name: name.clone(),
                    spec: external::info(session.sys, state, &found),
                    found: Some(found),
                }
            }
        };
        if let Ok(spec) = &chosen.spec
            && let Some(lacks) = paths::lacks(spec, scope)
        {
            return Err(lacks);
        }
        if !out.iter().any(|c| c.name == chosen.name) {
            out.push(chosen);
        }
    }
    if !args.choice.agents.is_empty() {
        return Ok(out);
    }
    for builtin in agents::detected(session.sys, &session.ground(), &session.records)? {
        let spec = builtin.spec()?;
        if paths::lacks(&spec, scope).is_none() {
            out.push(Chosen {
                name: spec.name.clone(),
                spec: Ok(spec),
                found: None,
            });
        }
    }
    if out.is_empty() {
        return Err(
            Error::failed("nothing-detected", "no agent was found on this machine").help(format!(
                "name one: gitvow selftest --agent NAME, with one of {}",
                builtin::names().join(", ")
            )),
        );
    }
    Ok(out)
}

fn rehearse(session: &Session<'_>, scope: Scope, chosen: &Chosen) -> Rehearsal {
    let mut steps = Steps::default();
    let ok = play(session, scope, chosen, &mut steps).is_some();
    Rehearsal {
        agent: chosen.name.clone(),
        ok,
        steps: steps.list,
    }
}

/// The steps so far. `None` ends a rehearsal: its last step says why.
#[derive(Default)]
pub(crate) struct Steps {
    list: Vec<RehearsalStep>,
}

impl Steps {
    /// One step that held or didn't.
    fn step(&mut self, name: &str, outcome: Result<String, String>) -> Option<()> {
        let ok = outcome.is_ok();
        let (Ok(message) | Err(message)) = outcome;
        self.list.push(RehearsalStep {
            name: name.to_owned(),
            ok,
            message,
        });
        ok.then_some(())
    }
}

fn play(session: &Session<'_>, scope: Scope, chosen: &Chosen, steps: &mut Steps) -> Option<()> {
    let spec = match &chosen.spec {
        Ok(spec) => spec,
        Err(e) => {
            steps.step("info", Err(told(e)))?;
            return None;
        }
    };
    if let Some(found) = &chosen.found {
        steps.step("respond", responds(session, found))?;
    }
    let adapter = chosen.found.as_ref().map(|f| f.path.as_path());
    let scratch = match Scratch::new(session.sys, adapter) {
        Ok(scratch) => scratch,
        Err(e) => {
            steps.step("copy", Err(told(&e)))?;
            return None;
        }
    };
    let copied = scratch
        .copy(session, spec, scope)
        .map(|n| format!("{n} of your files copied to a scratch home"));
    steps.step("copy", copied.map_err(|e| told(&e)))?;
    steps.step("policy", policies(session))?;
    let rules = scratch.write(
        &scratch.state().join("policy.json"),
        samples::policy().as_bytes(),
        0o600,
    );
    if let Err(e) = rules {
        steps.step("policy", Err(told(&e)))?;
    }
    if let Some(outcome) = launcher::judged(&scratch, session) {
        steps.step("launcher", outcome)?;
    }
    // Entries that an earlier install left in the file are not what is rehearsed.
    let gitvow = Gitvow {
        scratch: &scratch,
        agent: &chosen.name,
        scope,
    };
    let cleared = gitvow.run("uninstall", &[]).map(|_| String::new());
    if cleared.is_err() {
        steps.step("plan", cleared)?;
    }
    let before = scratch.picture().map_err(|e| told(&e));
    let before = match before {
        Ok(before) => before,
        Err(why) => {
            steps.step("plan", Err(why))?;
            return None;
        }
    };
    let same = |what: &str| -> Result<(), String> {
        let now = scratch.picture().map_err(|e| told(&e))?;
        let odd = now
            .iter()
            .find(|(path, bytes)| before.get(*path) != Some(bytes))
            .or_else(|| before.iter().find(|(path, _)| !now.contains_key(*path)));
        match odd {
            None => Ok(()),
            Some((path, _)) => Err(format!("{what}: `{}` is not as it was", path.display())),
        }
    };
    steps.step("plan", {
        gitvow.run("install", &["--dry-run"]).and_then(|plan| {
            gitvow.inside(&plan)?;
            same("a dry run wrote")?;
            Ok(format!("{} would change", writes(&plan)))
        })
    })?;
    let mut written = Vec::new();
    steps.step("install", {
        gitvow.run("install", &[]).map(|done| {
            written = artifacts(&done);
            format!("{} written", writes(&done))
        })
    })?;
    let installed = scratch.picture();
    steps.step("install again", {
        gitvow.run("install", &[]).and_then(|again| {
            if again["changed"] == true {
                return Err("a second install changed something".to_owned());
            }
            match (&installed, scratch.picture()) {
                (Ok(first), Ok(second)) if *first == second => Ok("nothing changed".to_owned()),
                _ => Err("the files are not the same after a second install".to_owned()),
            }
        })
    })?;
    commands::run(
        &scratch,
        spec,
        scope,
        chosen.found.is_some(),
        &written,
        steps,
    )?;
    steps.step("doctor", gitvow.doctor())?;
    steps.step("uninstall", {
        gitvow
            .run("uninstall", &[])
            .map(|done| format!("{} changed back", writes(&done)))
    })?;
    steps.step(
        "cmp",
        same("after the uninstall").map(|()| "every byte is as it was at the start".to_owned()),
    )
}

/// gitvow at work in the scratch home.
struct Gitvow<'a> {
    scratch: &'a Scratch<'a>,
    agent: &'a str,
    scope: Scope,
}

impl Gitvow<'_> {
    /// Runs a command and gives its document; what it says went wrong otherwise.
    fn run(&self, verb: &str, more: &[&str]) -> Result<Value, String> {
        let (document, ended) = self.ask(verb, more)?;
        if ended.code == Some(0) {
            return Ok(document);
        }
        let agent = &document["agents"][0];
        let error = [&agent["error"], &document["error"]]
            .into_iter()
            .find(|e| e.is_object());
        let why = error.and_then(|e| e["message"].as_str()).map(str::to_owned);
        let kept = agent["kept"][0]["reason"].as_str();
        let why = why.or_else(|| {
            kept.map(|k| {
                format!(
                    "{}: {k}",
                    agent["kept"][0]["path"].as_str().unwrap_or_default()
                )
            })
        });
        Err(why.unwrap_or_else(|| format!("`gitvow {verb}` ended with {:?}", ended.code)))
    }

    fn ask(&self, verb: &str, more: &[&str]) -> Result<(Value, Ended), String> {
        let mut args = vec![
            verb,
            "--json",
            "--agent",
            self.agent,
            "--scope",
            self.scope.name(),
        ];
        args.extend(more);
        let ended = self.scratch.gitvow(&args).map_err(|e| told(&e))?;
        let document = serde_json::from_slice(&ended.stdout).map_err(|e| {
            let said = String::from_utf8_lossy(&ended.stderr);
            format!("`gitvow {verb}` printed no document ({e}): {}", said.trim())
        })?;
        Ok((document, ended))
    }

    /// Nothing outside the scratch home is planned.
    fn inside(&self, plan: &Value) -> Result<(), String> {
        let paths = artifacts(plan);
        let outside = paths
            .iter()
            .find(|p| !self.scratch.holds(&p.to_string_lossy()));
        match outside {
            None => Ok(()),
            Some(path) => Err(format!(
                "`{}` lies outside the scratch home",
                path.display()
            )),
        }
    }

    /// In order, but for what only a person can do in the agent itself.
    fn doctor(&self) -> Result<String, String> {
        let (document, _) = self.ask("doctor", &[])?;
        let agent = &document["agents"][0];
        let all = agent["findings"].as_array().into_iter().flatten();
        let errors = all.chain(document["findings"].as_array().into_iter().flatten());
        let mut errors = errors.filter(|f| f["severity"] == "error" && f["code"] != "untrusted");
        match errors.next() {
            None if agent["state"] == "not-installed" => {
                Err("it finds nothing installed".to_owned())
            }
            None => Ok("in order".to_owned()),
            Some(finding) => Err(format!(
                "{}: {}",
                finding["code"].as_str().unwrap_or_default(),
                finding["message"].as_str().unwrap_or_default()
            )),
        }
    }
}

fn artifacts(document: &Value) -> Vec<PathBuf> {
    let all = document["agents"][0]["artifacts"]
        .as_array()
        .into_iter()
        .flatten();
    all.filter_map(|a| a["real_path"].as_str())
        .map(PathBuf::from)
        .collect()
}

fn writes(document: &Value) -> String {
    let all = document["agents"][0]["artifacts"]
        .as_array()
        .into_iter()
        .flatten();
    let wrote = |a: &&Value| matches!(a["action"].as_str(), Some("create" | "edit" | "remove"));
    match all.filter(wrote).count() {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    }
}

/// The policies that will judge here can be used.
fn policies(session: &Session<'_>) -> Result<String, String> {
    let top = session.repo.as_deref();
    let texts = policy::texts(session.state.root(), top, session.sys)?;
    for source in std::iter::once(&texts.user).chain(&texts.repo) {
        source.check(session.sys)?;
    }
    Ok(match &texts.user.path {
        Some(path) => format!("`{}` loads", path.display()),
        None => "you have none: the built-in one holds".to_owned(),
    })
}

/// An adapter must answer a denial otherwise than an allowance.
fn responds(session: &Session<'_>, found: &Found) -> Result<String, String> {
    let cwd = session.sys.env.cwd().unwrap_or_else(|_| PathBuf::from("/"));
    let ask = |code| {
        let call = Call {
            path: &found.path,
            cwd: &cwd,
            state: session.state.root(),
            limit: protocol::CALL_LIMIT,
        };
        protocol::respond(session.sys, &call, code, "selftest").map_err(|e| told(&e))
    };
    if ask(0)? == ask(2)? {
        return Err(format!(
            "`{}` gives the same answer for allow and for deny",
            found.path.display()
        ));
    }
    Ok("allow and deny differ".to_owned())
}

fn told(e: &Error) -> String {
    let text = e.sentence();
    match &e.place {
        Some(place) if !text.contains(&*place.path.to_string_lossy()) => {
            format!("`{}`: {text}", place.path.display())
        }
        _ => text,
    }
}
