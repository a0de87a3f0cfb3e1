//! What the commands share: where things are, what is recorded, what stands on the disk. It reads; the only
//! things it writes are the lock and what recovery completes.

use super::args::Place;
use crate::apply::{self, Overlay};
use crate::error::{Error, Result};
use crate::ledger::{Record, StateHome, store};
use crate::plan::admit::Bounds;
use crate::plan::agent::Context;
use crate::plan::paths::Ground;
use crate::plan::steps::{Content, Step, Transaction};
use crate::plan::world::{Actual, File, MAX_FILE, World};
use crate::spec::Scope;
use crate::sys::resolve::{Resolved, resolve, resolve_seeing};
use crate::sys::{FileKind, Lock, Stat, Sys};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file written so recently may be half written still.
const FRESH: Duration = Duration::from_secs(2);

/// Reads one environment variable.
type Variables<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

/// The world of one call.
pub struct Session<'a> {
    /// The machine.
    pub sys: &'a Sys<'a>,
    /// The user's home.
    pub home: PathBuf,
    /// The state home.
    pub state: StateHome,
    /// The state home, links followed.
    pub state_real: PathBuf,
    /// The repository, as found.
    pub repo: Option<PathBuf>,
    /// The repository, links followed.
    pub repo_real: Option<PathBuf>,
    /// Every record.
    pub records: Vec<Record>,
    /// An interrupted run that recovery will settle (dry run and doctor plan as if it had).
    pub overlay: Option<Overlay>,
    /// The launcher as commands name it.
    pub launcher: String,
    /// We are root over somebody else's home.
    pub foreign_home: bool,
    /// What recovery had to say.
    pub recovered: Vec<String>,
    /// What could not be read of our own state ([`Mode::Examine`]).
    pub troubles: Vec<Error>,
    var: Variables<'a>,
    lock: Option<Box<dyn Lock>>,
}

/// What a command is going to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Look only: no lock, nothing written.
    Look,
    /// As `Look`, and what can't be read of our own state is kept in `troubles` instead of ending the call.
    Examine,
    /// Write: take the lock, recover first.
    Write,
}

impl<'a> Session<'a> {
    /// Opens the world. `scope` repo or local needs a repository; user scope takes none.
    pub fn open(sys: &'a Sys<'a>, place: &Place, scope: Option<Scope>, mode: Mode) -> Result<Self> {
        let home = sys.env.home().ok_or_else(|| {
            Error::failed("no-home", "it isn't known where your home directory is")
                .help("set HOME and try again")
        })?;
        let state_root = state_home(sys, &home)?;
        let state_real = real(sys, &state_root);
        let repo = match scope {
            Some(Scope::User) => None,
            Some(_) => Some(repository(sys, place.repo.as_deref())?),
            None => repository(sys, place.repo.as_deref()).ok(),
        };
        if scope == Some(Scope::Repo) && state_real != real(sys, &home.join(".gitvow")) {
            return Err(Error::refused(
                "state-home",
                "repository scope needs gitvow's state in ~/.gitvow: a committed command can't name another place",
            )
            .help("unset GITVOW_HOME and try again"));
        }
        let launcher = StateHome::new(&state_root).launcher();
        let launcher = launcher.to_str().map(str::to_owned).ok_or_else(|| {
            Error::refused(
                "encoding",
                "the path of gitvow's state is not UTF-8, so no settings file can name it",
            )
            .at(&state_root)
            .help("set GITVOW_HOME to a path that is")
        })?;
        let foreign_home = foreign_home(sys, &home);
        let repo_real = repo.as_deref().map(|r| real(sys, r));
        let mut session = Self {
            sys,
            home,
            state: StateHome::new(state_root),
            state_real,
            repo,
            repo_real,
            records: Vec::new(),
            overlay: None,
            launcher,
            foreign_home,
            recovered: Vec::new(),
            troubles: Vec::new(),
            var: Box::new(|name| sys.env.var(name)),
            lock: None,
        };
        match mode {
            Mode::Look => session.look()?,
            Mode::Examine => session.examine(),
            Mode::Write => session.take_lock()?,
        }
        Ok(session)
    }

    fn look(&mut self) -> Result<()> {
        self.overlay = apply::pending(self.sys, &self.state)?;
        self.records = match &self.overlay {
            Some(overlay) => overlay.records.clone(),
            None => store::load_all(self.sys.disk, &self.state)?,
        };
        if self.overlay.is_some() {
            self.recovered.push(
                "an interrupted run is waiting: this is how things stand once it is settled"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn examine(&mut self) {
        match apply::pending(self.sys, &self.state) {
            Ok(overlay) => self.overlay = overlay,
            Err(e) => self.troubles.push(e),
        }
        match (&self.overlay, store::load_each(self.sys.disk, &self.state)) {
            (Some(overlay), _) => self.records.clone_from(&overlay.records),
            (None, Ok((records, faults))) => {
                self.records = records;
                self.troubles.extend(faults);
            }
            (None, Err(e)) => self.troubles.push(e),
        }
    }

    /// Takes the lock, settles an interrupted run, and reads the ledger (again).
    pub fn take_lock(&mut self) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(apply::lock(self.sys, &self.state)?);
            let recovered = apply::recover(self.sys, &self.state)?;
            match recovered.outcome {
                apply::Outcome::Nothing => {}
                apply::Outcome::Completed => {
                    self.recovered
                        .push("an interrupted run was completed".to_owned());
                }
                apply::Outcome::Undone => {
                    self.recovered
                        .push("an interrupted run had changed nothing and was dropped".to_owned());
                }
            }
            for path in recovered.left {
                let text = format!(
                    "{} was changed since the interrupted run: left as it is",
                    path.display()
                );
                self.recovered.push(text);
            }
        }
        self.overlay = None;
        self.reload()
    }

    /// Reads the ledger again.
    pub fn reload(&mut self) -> Result<()> {
        self.records = store::load_all(self.sys.disk, &self.state)?;
        Ok(())
    }

    /// Goes on as if this had been done: in a dry run an agent is planned upon what those before it would leave.
    pub fn pretend(&mut self, done: &Transaction) {
        let mut files = Vec::new();
        for step in &done.steps {
            match step {
                Step::Write(write) => {
                    let bytes = match &write.content {
                        Content::Text { text } => text.clone().into_bytes(),
                        Content::Splices { splices } => {
                            let now = self.actual(&write.path);
                            let now = now.bytes().and_then(|b| std::str::from_utf8(b).ok());
                            crate::doc::apply(now.unwrap_or_default(), splices).into_bytes()
                        }
                        Content::Copy { .. } => continue,
                    };
                    files.push((write.path.clone(), Some(bytes)));
                }
                Step::Remove { path, .. } => files.push((path.clone(), None)),
                Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
            }
        }
        let overlay = self.overlay.get_or_insert_default();
        overlay.files.extend(files);
        self.records.retain(|r| {
            !done.forget.contains(&r.path) && !done.save.iter().any(|s| s.path == r.path)
        });
        self.records.extend(done.save.iter().cloned());
        self.records.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The directories that paths are relative to.
    pub fn ground(&self) -> Ground<'_> {
        Ground {
            home: &self.home,
            state: self.state.root(),
            repo: self.repo.as_deref(),
            var: &*self.var,
        }
    }

    /// What plans need; `scope` decides how far a path may lead.
    pub fn context(&self, scope: Scope, wishes: Wishes<'a>) -> Context<'_> {
        Context {
            records: &self.records,
            bounds: Bounds {
                scope,
                repo: self.repo_real.as_deref(),
                state: &self.state_real,
                force: wishes.force,
                in_place: wishes.force,
                foreign_home: self.foreign_home,
            },
            ground: self.ground(),
            launcher: &self.launcher,
            force: wishes.force,
            adopt: wishes.adopt,
            block: wishes.block,
            keep: wishes.keep,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Reads everything at these planned paths.
    pub fn world(&self, paths: impl IntoIterator<Item = PathBuf>) -> World {
        let mut world = World::default();
        for path in paths {
            let actual = self.actual(&path);
            world.files.insert(path, actual);
        }
        world
    }

    fn actual(&self, path: &Path) -> Actual {
        let mut last = None;
        match resolve_seeing(self.sys.disk, path, &mut |_, stat| last = Some(*stat)) {
            Ok(Resolved::Found(real)) => match last {
                Some(stat) => self.found(real, &stat),
                None => Actual::Other("a directory", real),
            },
            Ok(Resolved::Absent(real)) => match self.overlaid(&real) {
                Some(Some(bytes)) => self.file(real, bytes, None),
                _ => self.absent(real),
            },
            Ok(Resolved::Dangling(link, target)) => Actual::Dangling(link, target),
            Ok(Resolved::Loop) => Actual::Loop,
            Ok(Resolved::NotADirectory(part)) => Actual::NotADirectory(part),
            Err(e) => Actual::Unreadable(e.to_string()),
        }
    }

    fn overlaid(&self, real: &Path) -> Option<Option<Vec<u8>>> {
        self.overlay.as_ref()?.files.get(real).cloned()
    }

    fn absent(&self, real: PathBuf) -> Actual {
        let mut missing = Vec::new();
        let mut dir = real.parent();
        while let Some(d) = dir {
            if self.sys.disk.stat(d).is_ok() {
                break;
            }
            missing.push(d.to_path_buf());
            dir = d.parent();
        }
        missing.reverse();
        let writable = self.may_write_below(&real);
        Actual::Absent {
            real,
            missing,
            writable,
        }
    }

    /// May the nearest directory that is there be written to?
    fn may_write_below(&self, real: &Path) -> bool {
        let disk = self.sys.disk;
        let mut above = real.ancestors().skip(1);
        above
            .find(|d| disk.stat(d).is_ok())
            .is_some_and(|d| disk.may_write_dir(d))
    }

    fn found(&self, real: PathBuf, stat: &Stat) -> Actual {
        let disk = self.sys.disk;
        match stat.kind {
            FileKind::Dir => return Actual::Other("a directory", real),
            FileKind::Link | FileKind::Other => {
                return Actual::Other("a FIFO, socket or device", real);
            }
            FileKind::File => {}
        }
        if stat.len > MAX_FILE {
            return self.file(real, Vec::new(), Some(stat));
        }
        match self.overlaid(&real) {
            Some(Some(bytes)) => return self.file(real, bytes, Some(stat)),
            Some(None) => return self.absent(real),
            None => {}
        }
        match disk.read(&real, MAX_FILE) {
            Ok(bytes) => self.file(real, bytes, Some(stat)),
            Err(e) if e.kind() == ErrorKind::NotFound => self.absent(real),
            Err(e) => Actual::Unreadable(e.to_string()),
        }
    }

    fn file(&self, real: PathBuf, bytes: Vec<u8>, stat: Option<&Stat>) -> Actual {
        let disk = self.sys.disk;
        let writable =
            self.may_write_below(&real) && (stat.is_none() || disk.may_write_file(&real));
        let now = self.sys.clock.now().as_nanos() as i128;
        let age = stat.map_or(i128::MAX, |s| now - s.mtime_ns);
        Actual::File(File {
            len: if bytes.is_empty() {
                stat.map_or(0, |s| s.len)
            } else {
                bytes.len() as u64
            },
            real,
            bytes,
            mode: stat.map_or(0o644, |s| s.mode),
            links: stat.map_or(1, |s| s.links),
            writable,
            fresh: age < FRESH.as_nanos() as i128,
        })
    }
}

/// What the options ask of a plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wishes<'a> {
    /// `--force`.
    pub force: bool,
    /// `--adopt`.
    pub adopt: bool,
    /// `--on-missing block`.
    pub block: bool,
    /// `--keep`, absolute.
    pub keep: &'a [PathBuf],
}

/// Where gitvow's state is: its own home when it runs as the launcher, else `$GITVOW_HOME`, else `~/.gitvow`.
pub fn state_home(sys: &Sys<'_>, home: &Path) -> Result<PathBuf> {
    if let Some(dir) = sys.env.var("GITVOW_HOME") {
        let path = PathBuf::from(dir);
        return if path.is_absolute() {
            Ok(path)
        } else {
            Err(Error::usage("GITVOW_HOME is not an absolute path")
                .help("set it to one, or unset it"))
        };
    }
    let own = sys.env.exe().ok().and_then(|exe| {
        let state = StateHome::new(exe.parent()?.parent()?);
        (state.launcher() == exe && sys.disk.stat(&state.records()).is_ok())
            .then(|| state.root().to_path_buf())
    });
    Ok(own.unwrap_or_else(|| home.join(".gitvow")))
}

/// Are we root, and the home somebody else's?
pub fn foreign_home(sys: &Sys<'_>, home: &Path) -> bool {
    sys.env.uid() == 0 && sys.disk.stat(home).is_ok_and(|s| s.uid != 0)
}

/// The top of the repository that `dir` (or the working directory) is in; linked worktrees have a `.git` file.
fn repository(sys: &Sys<'_>, dir: Option<&Path>) -> Result<PathBuf> {
    let cwd = sys
        .env
        .cwd()
        .map_err(|e| Error::failed("io", "it isn't known where we are").because(e.to_string()))?;
    let start = dir.map_or_else(|| cwd.clone(), |d| cwd.join(d));
    let top = start
        .ancestors()
        .find(|d| sys.disk.stat(&d.join(".git")).is_ok());
    top.map(Path::to_path_buf).ok_or_else(|| {
        Error::failed(
            "no-repository",
            format!("`{}` is in no git repository", start.display()),
        )
        .at(&start)
        .help("go into one, or name it with `--repo DIR`")
    })
}

/// What stands at a path, links followed; `None`: nothing that can be seen.
pub fn facts(sys: &Sys<'_>, path: &Path) -> Option<Stat> {
    let mut last = None;
    match resolve_seeing(sys.disk, path, &mut |_, stat| last = Some(*stat)) {
        // Of a path that ends in `..` the last that was seen is another directory.
        Ok(Resolved::Found(real)) => last
            .filter(|s| s.kind == FileKind::File)
            .or_else(|| sys.disk.stat(&real).ok()),
        _ => None,
    }
}

/// A path with its links followed, as far as it exists.
pub fn real(sys: &Sys<'_>, path: &Path) -> PathBuf {
    match resolve(sys.disk, path) {
        Ok(Resolved::Found(real) | Resolved::Absent(real) | Resolved::Dangling(_, real)) => real,
        _ => path.to_path_buf(),
    }
}
