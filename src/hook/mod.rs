//! What the installed entries run: `gitvow hook [--agent NAME] EVENT`, a payload on stdin, one answer.
//!
//! It stands in front of every tool call, so it takes no lock, touches no ledger and no network, and
//! whatever goes wrong before a tool is a denial (spec 4.3). It answers first and writes its log after.
//!
//! - [`stdin`], [`json`]: one JSON value from a stream that may never end.
//! - [`agent`], [`normalize`], [`arguments`], [`reach`], [`call`], [`mcp`], [`dialect`]: the planner's data and the calls
//!   it makes of a payload.
//! - [`caller`]: whose form is answered. [`policy`], [`shell`]: the verdict. [`answer`], [`message`]: its form.
//! - [`gate`], [`outside`]: one call of a built-in and of an external agent. [`log`]: one line after it.

pub mod agent;
pub mod answer;
pub mod arguments;
pub mod call;
pub mod caller;
pub mod dialect;
pub mod gate;
pub mod json;
pub mod log;
pub mod mcp;
pub mod message;
pub mod normalize;
pub mod outside;
pub mod policy;
pub mod reach;
pub mod request;
pub mod shell;
pub mod stdin;

use crate::spec::builtin;
use crate::sys::real::{RealClock, RealDisk, RealEnv, RealRunner};
use crate::sys::{Sys, lastword};
use answer::Answer;
use call::Call;
use json::Json;
use policy::{Ground, Ruling};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that any answer takes. Every entry that we write has a limit of at least 2 s more (a test says so).
pub const LIMIT: Duration = Duration::from_secs(15);
/// How long a payload is waited for.
const STDIN_LIMIT: Duration = Duration::from_secs(10);
/// How long a stream that stays open is read on after the answer.
const STDIN_TAIL: Duration = Duration::from_millis(10);
/// How long policies, providers and adapters may take together.
const WORK_LIMIT: Duration = Duration::from_secs(13);

/// What is answered and noted.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// Lines for the log.
    pub noted: Vec<Noted>,
    /// It stops something: where its words can't be delivered the exit code says it.
    pub stops: bool,
}

impl Outcome {
    /// Something failed: the denial where one is due, else silence; either way a line in the log.
    fn fault(denial: Option<Answer>, kind: &'static str, what: String) -> Self {
        Self {
            stops: denial.is_some(),
            answer: denial.unwrap_or_default(),
            noted: vec![Noted::fault(kind, what)],
        }
    }
}

/// One line of the log, less what all lines share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noted {
    /// The kind of line.
    pub kind: &'static str,
    /// The session.
    pub session_id: String,
    /// The tool.
    pub tool: String,
    /// Why.
    pub reason: String,
    /// What it was about.
    pub detail: String,
}

impl Noted {
    fn fault(kind: &'static str, reason: String) -> Self {
        Self {
            kind,
            reason,
            ..Self::default()
        }
    }

    fn of(calls: &[Call<'_>], ruling: &Ruling) -> Self {
        let call = calls.first();
        let tool = call.and_then(|c| c.tool.as_ref());
        let mut reason = ruling.reason.clone();
        for observed in &ruling.observed {
            if !reason.is_empty() {
                reason.push_str("; ");
            }
            reason.push_str("observed: ");
            reason.push_str(observed);
        }
        Self {
            kind: "allowed",
            session_id: call
                .and_then(|c| c.session_id.as_deref())
                .unwrap_or_default()
                .to_owned(),
            tool: tool.map_or_else(String::new, |t| t.name.to_string()),
            reason,
            detail: tool.map_or_else(String::new, |t| t.detail().chars().take(400).collect()),
        }
    }
}

/// Where this run stands.
#[derive(Debug, Clone)]
pub struct Place {
    /// The state home.
    pub state: PathBuf,
    /// The working directory: the payload's, else the process's.
    pub cwd: PathBuf,
    /// The agent that is answered.
    pub agent: String,
    /// The git top of the working directory, and its `.git`.
    pub git: Option<(PathBuf, PathBuf)>,
    settled: bool,
    until: Duration,
}

impl Place {
    /// Where the process is, and now: all work must end `WORK_LIMIT` later.
    pub fn begin(state: PathBuf, agent: &str, sys: &Sys<'_>) -> Self {
        Self {
            state,
            cwd: sys.env.cwd().unwrap_or_else(|_| PathBuf::from("/")),
            agent: agent.to_owned(),
            git: None,
            settled: false,
            until: sys.clock.now() + WORK_LIMIT,
        }
    }

    /// Takes the payload's directory, else its workspace root, else stays where the process is.
    fn settle(&mut self, cwd: Option<&str>, payload: &Json<'_>, sys: &Sys<'_>) {
        let roots = ["workspace_roots.0", "workspacePaths.0", "workspaceRoot"];
        let named = cwd.filter(|c| c.starts_with('/')).or_else(|| {
            roots
                .iter()
                .find_map(|r| payload.at(r)?.str().filter(|c| c.starts_with('/')))
        });
        if let Some(dir) = named {
            self.cwd = PathBuf::from(dir);
        }
        self.git = policy::git_top(&self.cwd, sys);
        self.settled = true;
    }

    fn ground(&self) -> Ground {
        Ground {
            state: self.state.clone(),
            cwd: self.cwd.clone(),
            top: self.git.as_ref().map(|g| g.0.clone()),
            agent: self.agent.clone(),
            until: self.until,
        }
    }
}

/// The process's entry: `args` is what stands behind `hook`. Returns the exit code.
pub fn main(args: &[OsString]) -> u8 {
    let env = RealEnv;
    let sys = Sys {
        disk: &RealDisk,
        env: &env,
        runner: &RealRunner,
        clock: &RealClock,
    };
    lastword::on_panic();
    // Always: a disk of the network that doesn't answer, an untrusted repository's policy and a hostile line can all
    // take longer than an agent waits, and agents take a hook that doesn't end for one that allows.
    lastword::after(LIMIT - Duration::from_secs(1));
    let mut stdin = lastword::Stdin::new(STDIN_LIMIT);
    let exit = run(
        args,
        &mut stdin,
        &mut std::io::stdout(),
        &mut std::io::stderr(),
        &sys,
    );
    stdin.drain(STDIN_TAIL);
    exit
}

/// Reads one payload, answers on `out` and `err`, logs; the exit code.
pub fn run(
    args: &[OsString],
    input: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
    sys: &Sys<'_>,
) -> u8 {
    let request = request::parse(args);
    if request.help {
        let _ = out.write_all(USAGE.as_bytes());
        return 0;
    }
    let mut place = Place::begin(state_home(sys), &request.agent, sys);
    let gate = request.event.is_empty() || agent::may_be_gate(&request.event);
    lay_down(&if gate {
        Answer::plain_denial(gate::LAST_WORD)
    } else {
        Answer::silence()
    });
    let text = stdin::read(input);
    let payload = text.as_ref().map_err(stdin::Broken::sentence);
    let outcome = match builtin::by_name(&request.agent) {
        Some(asked) => {
            let json = payload.and_then(|t| {
                Json::parse(t).map_err(|e| format!("the payload is not valid JSON ({e})"))
            });
            gate::answer(
                asked,
                &request,
                json.as_ref().map_err(Clone::clone),
                &mut place,
                sys,
            )
        }
        None => outside::answer(&request, payload.map(Vec::as_slice), &mut place, sys),
    };
    lastword::take_back();
    let said = out
        .write_all(outcome.answer.stdout.as_bytes())
        .and_then(|()| out.flush());
    let _ = err.write_all(outcome.answer.stderr.as_bytes());
    let mut exit = outcome.answer.exit;
    if let (Err(e), true, 0) = (said, outcome.stops, exit) {
        // Many forms stop by their words and exit with 0, which without them means "go on".
        exit = 2;
        let _ = writeln!(err, "BLOCKED: gitvow's answer could not be written ({e})");
    }
    let _ = err.flush();
    noted(&outcome, &request.event, &mut place, sys);
    exit
}

fn noted(outcome: &Outcome, event: &str, place: &mut Place, sys: &Sys<'_>) {
    if outcome.noted.is_empty() {
        return;
    }
    if !place.settled {
        place.git = policy::git_top(&place.cwd, sys);
    }
    let git = place.git.as_ref().map(|g| g.1.as_path());
    let file = log::place(git, &place.state, sys);
    for noted in &outcome.noted {
        let entry = log::Entry {
            kind: noted.kind,
            agent: &place.agent,
            event,
            session_id: &noted.session_id,
            tool: &noted.tool,
            reason: &noted.reason,
            detail: &noted.detail,
        };
        log::write(&entry, &file, &place.state, sys);
    }
}

/// The state home: of our own path where that is `<state home>/bin/gitvow`, else `$GITVOW_HOME`, else
/// `~/.gitvow` (spec 1.5: an agent started from a desktop has no such variable, and a repository could set one).
pub fn state_home(sys: &Sys<'_>) -> PathBuf {
    let env = sys.env;
    let own = env.exe().ok().and_then(|exe| {
        let bin = exe.parent()?;
        let state = bin.parent()?;
        let named = exe.file_name()? == "gitvow" && bin.file_name()? == "bin";
        // `/usr/bin/gitvow` and `~/.cargo/bin/gitvow` are no state homes: those have a launcher's company.
        (named && is_state_home(state, sys)).then(|| state.to_path_buf())
    });
    own.or_else(|| {
        env.var("GITVOW_HOME")
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    })
    .or_else(|| Some(env.home()?.join(".gitvow")))
    .unwrap_or_else(|| PathBuf::from("/nonexistent"))
}

fn is_state_home(dir: &Path, sys: &Sys<'_>) -> bool {
    dir.file_name().is_some_and(|n| n == ".gitvow")
        || sys
            .env
            .var("GITVOW_HOME")
            .is_some_and(|home| Path::new(&home) == dir)
        || sys.disk.stat(&dir.join("records")).is_ok()
}

fn lay_down(answer: &Answer) {
    lastword::lay_down((answer.exit, answer.stdout.clone(), answer.stderr.clone()));
}

const USAGE: &str =
    "usage: gitvow hook [--agent NAME] EVENT    (an agent's payload on standard input)\n";
