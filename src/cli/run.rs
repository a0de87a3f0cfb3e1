//! Running plans: shared by install and uninstall. It gathers, asks the pure rooms and applies; it decides nothing.

use super::diff;
use super::output::{self, AgentChange, Artifact, ArtifactKind, Fault, State, Status};
use super::session::Session;
use crate::apply;
use crate::doc;
use crate::error::{Error, Result};
use crate::ledger::{Print, Record, StateHome, store};
use crate::plan::admit::quoted;
use crate::plan::agent::{Action, AgentPlan, FilePlan};
use crate::plan::launcher::{Change, Seen};
use crate::plan::steps::Content;
use crate::plan::world::{Actual, World};
use crate::sys::{FileKind, Stat, Sys};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a plan is made anew because a file changed under it.
const REPLANS: usize = 3;

/// How often something that may be half written is read again, and how long to wait in between: about a second.
const REREADS: u32 = 5;
const REREAD_PAUSE: Duration = Duration::from_millis(200);

/// How results are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Show {
    /// Write nothing.
    pub dry_run: bool,
    /// Put diffs into the artifacts.
    pub diffs: bool,
}

/// A plan with the world it was made in.
pub struct Made {
    /// The world.
    pub world: World,
    /// The plan, or why there is none.
    pub plan: Result<AgentPlan>,
}

/// Gathers and plans; reads again what may be half written before it believes that it can't be read or is empty.
pub fn make(
    session: &Session<'_>,
    paths: &[PathBuf],
    plan: &dyn Fn(&World) -> Result<AgentPlan>,
) -> Made {
    let unreadable = |plan: &Result<AgentPlan>| {
        let code = plan.as_ref().err().map(|e| e.code);
        matches!(code, Some("unparseable" | "encoding" | "not-an-object"))
    };
    let (world, plan) = settled(session, paths, plan, &unreadable);
    Made { world, plan }
}

/// Reads what stands at these paths and looks at it: again where what was seen is `unreadable`, or a file is empty,
/// and it may be half written.
pub fn settled<T>(
    session: &Session<'_>,
    paths: &[PathBuf],
    look: &dyn Fn(&World) -> T,
    unreadable: &dyn Fn(&T) -> bool,
) -> (World, T) {
    let mut tries = 0;
    loop {
        let world = session.world(paths.iter().cloned());
        let seen = look(&world);
        let blank = |a: &Actual| matches!(a, Actual::File(f) if f.fresh && f.len == 0);
        let torn = world.may_be_torn() && (unreadable(&seen) || world.files.values().any(blank));
        if !torn || tries == REREADS {
            return (world, seen);
        }
        tries += 1;
        session.sys.clock.sleep(REREAD_PAUSE);
    }
}

/// Makes a plan and, unless it is a dry run, applies it; `before` runs once before the first write. Fills in
/// everything but status and notes.
pub fn carry_out(
    session: &mut Session<'_>,
    paths: &[PathBuf],
    show: Show,
    plan: &dyn Fn(&Session<'_>, &World) -> Result<AgentPlan>,
    before: &mut dyn FnMut(&mut Session<'_>) -> Result<()>,
    change: &mut AgentChange,
) -> Option<AgentPlan> {
    for round in 0..=REPLANS {
        let made = make(session, paths, &|world| plan(session, world));
        let planned = match made.plan {
            Ok(planned) => planned,
            Err(e) => {
                refuse(session, change, &e, &made.world);
                return None;
            }
        };
        change.artifacts = planned
            .files
            .iter()
            .map(|f| artifact(f, &made.world, show.diffs))
            .collect();
        if show.dry_run {
            session.pretend(&planned.transaction);
        }
        if show.dry_run || planned.transaction.is_empty() {
            return Some(planned);
        }
        let done = before(session)
            .and_then(|()| apply::apply(session.sys, &session.state, &planned.transaction))
            .and_then(|_| session.reload());
        match done {
            Ok(()) => return Some(planned),
            Err(e) if e.code == apply::CHANGED && round < REPLANS => {}
            Err(e) => {
                refuse(session, change, &e, &made.world);
                // Settled before the next agent of the call begins (7.1); where that fails too, its error says so.
                let _ = apply::recover(session.sys, &session.state).and_then(|_| session.reload());
                return None;
            }
        }
    }
    None
}

/// An agent that was refused or failed: its error, and the file it is about.
fn refuse(session: &Session<'_>, change: &mut AgentChange, e: &Error, world: &World) {
    let mut fault = Fault::from(e);
    let path = e
        .place
        .as_ref()
        .map(|p| p.path.clone())
        .filter(|p| p.is_absolute());
    change.artifacts.clear();
    if let Some(path) = path {
        let actual = world.get(&path);
        let bytes = actual.and_then(|a| a.bytes());
        if let Some(text) = bytes.and_then(|b| std::str::from_utf8(b).ok())
            // What stands outside the repository is not shown (bug-log B172).
            && e.code != "outside-repository"
        {
            fault = fault.with_source(text);
        }
        if world.files.contains_key(&path) {
            let state = bytes.map_or(State::Absent, |b| State::Sha256(Print::of(b).sha256));
            change.artifacts.push(Artifact {
                kind: ArtifactKind::Merge,
                real_path: super::session::real(session.sys, &path),
                path,
                action: output::Action::Refuse,
                before: state.clone(),
                after: state,
                diff: None,
            });
        }
    }
    change.status = Status::after(e);
    change.error = Some(fault);
}

fn artifact(file: &FilePlan, world: &World, diffs: bool) -> Artifact {
    let state = |print: &Option<Print>| {
        print
            .as_ref()
            .map_or(State::Absent, |p| State::Sha256(p.sha256.clone()))
    };
    let action = match file.action {
        Action::Create => output::Action::Create,
        Action::Edit => output::Action::Edit,
        Action::Remove => output::Action::Remove,
        Action::Keep => output::Action::Keep,
        Action::Unchanged => output::Action::Unchanged,
    };
    let diff = (diffs && action.writes()).then(|| {
        let before = world.get(&file.path).and_then(|a| a.bytes());
        let text = before
            .and_then(|b| std::str::from_utf8(b).ok())
            .unwrap_or("");
        let after = match &file.content {
            Some(Content::Splices { splices }) => Some(doc::apply(text, splices)),
            Some(Content::Text { text }) => Some(text.clone()),
            _ => None,
        };
        let header = file.path.to_string_lossy();
        diff::unified(
            &header,
            &header,
            before,
            after.as_deref().map(str::as_bytes),
        )
    });
    Artifact {
        kind: if file.tree {
            ArtifactKind::Tree
        } else {
            ArtifactKind::Merge
        },
        path: file.path.clone(),
        real_path: file.real.clone(),
        action,
        before: state(&file.before),
        after: state(&file.after),
        diff,
    }
}

/// What stands at the launcher's place, and the running program.
pub fn launcher_seen(session: &Session<'_>) -> Result<Seen> {
    let sys = session.sys;
    let path = session.state.launcher();
    let exe = sys.env.exe().map_err(|e| {
        Error::failed("io", "the running program can't be found").because(e.to_string())
    })?;
    let record = session.records.iter().find(|r| r.path == path);
    let known = record.and_then(|r| match &r.body {
        crate::ledger::Body::Tree(t) => t.launcher.as_ref().map(|l| (t, l)),
        crate::ledger::Body::Merge(_) => None,
    });
    let print = |at: &Path, mtime: Option<i64>| -> Result<Option<Print>> {
        let stat = match sys.disk.stat(at) {
            Ok(stat) => stat,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("read", at, &e)),
        };
        if let (Some((tree, _)), Some(mtime)) = (known, mtime)
            && mtime != 0
            && i128::from(mtime) == stat.mtime_ns
            && stat.len == tree.print.len
        {
            return Ok(Some(tree.print.clone()));
        }
        let sha256 = sys.disk.hash(at).map_err(|e| {
            Error::io("read", at, &e).help(format!("look at it: ls -ld {}", quoted(at)))
        })?;
        Ok(Some(Print {
            sha256,
            len: stat.len,
        }))
    };
    let there = print(&path, known.map(|(_, l)| l.mtime_ns))?;
    let source = known
        .and_then(|(_, l)| l.source.as_ref())
        .filter(|(from, _)| *from == exe);
    let exe_print = print(&exe, source.map(|(_, mtime)| *mtime))?
        .ok_or_else(|| Error::failed("io", "the running program is gone").at(&exe))?;
    let is_link = sys.disk.stat(&path).is_ok_and(|s| s.kind == FileKind::Link);
    if is_link && there.as_ref() != Some(&exe_print) && super::session::real(sys, &path) != exe {
        let what = format!(
            "`{}` is a link to another program, and gitvow's own copy has to stand there",
            path.display()
        );
        return Err(Error::refused("launcher", what)
            .at(&path)
            .help(format!("take the link away: rm {}", quoted(&path))));
    }
    let bin = session.state.bin();
    let missing = if sys.disk.stat(&bin).is_ok() {
        Vec::new()
    } else {
        vec![bin]
    };
    let runnable = sys.disk.stat(&path).is_ok_and(|s| s.mode & 0o111 == 0o111);
    Ok(Seen {
        is_self: super::session::real(sys, &path) == exe,
        path,
        there,
        runnable,
        exe,
        exe_print,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        missing,
    })
}

/// Writes the launcher, if there is anything to write, and notes its time, so that it need not be hashed again.
pub fn write_launcher(session: &mut Session<'_>, planned: &Planned, seen: &Seen) -> Result<()> {
    if planned.transaction.is_empty() {
        return Ok(());
    }
    apply::apply(session.sys, &session.state, &planned.transaction)?;
    for record in &planned.transaction.save {
        note_times(session.sys, &session.state, record, seen)?;
    }
    session.reload()
}

fn note_times(sys: &Sys<'_>, state: &StateHome, record: &Record, seen: &Seen) -> Result<()> {
    let mtime = |stat: &Stat| i64::try_from(stat.mtime_ns).ok();
    let mut record = record.clone();
    if let crate::ledger::Body::Tree(tree) = &mut record.body
        && let Some(noted) = &mut tree.launcher
        && let (Ok(copy), Ok(exe)) = (sys.disk.stat(&seen.path), sys.disk.stat(&seen.exe))
        && let (Some(copied), Some(source)) = (mtime(&copy), mtime(&exe))
    {
        tree.mode = copy.mode;
        noted.mtime_ns = copied;
        // Only the program that was copied: a launcher found in place came from who knows where.
        noted.source = (tree.print == seen.exe_print).then(|| (seen.exe.clone(), source));
    }
    store::save(sys.disk, state, &record)
}

/// As JSON says it.
pub fn launcher_output(path: &Path, change: Change) -> output::Launcher {
    let action = match change {
        Change::Create => output::Action::Create,
        Change::Edit => output::Action::Edit,
        Change::Unchanged => output::Action::Unchanged,
        Change::Remove => output::Action::Remove,
    };
    output::Launcher {
        path: path.to_path_buf(),
        action,
    }
}

pub use crate::plan::launcher::{Planned, put as put_launcher, take as take_launcher};
