//! A home of its own for a rehearsal, with copies of the user's files; it goes when the rehearsal ends, whichever way.

use crate::cli::session::{Session, real};
use crate::error::{Error, Result};
use crate::ledger::Body;
use crate::plan::paths::{self, Ground, Targets};
use crate::spec::{AgentSpec, Scope};
use crate::sys::{Child, Disk, Ended, FileKind, Like, Sys};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that a step may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The largest file that is copied.
const CAP: u64 = 512 << 20;

/// The scratch directory.
pub(super) struct Scratch<'a> {
    sys: &'a Sys<'a>,
    root: PathBuf,
    /// HOME of the rehearsal.
    pub(super) home: PathBuf,
    /// Its repository.
    pub(super) repo: PathBuf,
    /// PATH of gitvow's own runs: the directory of an external adapter, and the system's.
    path: String,
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        remove(self.sys.disk, &self.root);
    }
}

impl<'a> Scratch<'a> {
    /// Makes it below TMPDIR.
    pub(super) fn new(sys: &'a Sys<'a>, adapter: Option<&Path>) -> Result<Self> {
        let temp = sys
            .env
            .var("TMPDIR")
            .map(PathBuf::from)
            .filter(|t| t.is_absolute());
        let temp = real(sys, &temp.unwrap_or_else(|| PathBuf::from("/tmp")));
        let stamp = sys.clock.now().as_nanos();
        let mut root = PathBuf::new();
        for n in 0..100_u32 {
            root = temp.join(format!("gitvow-selftest-{stamp}-{n}"));
            match sys.disk.make_dir(&root, 0o700) {
                Ok(()) => break,
                Err(e) if e.kind() == ErrorKind::AlreadyExists && n < 99 => {}
                Err(e) => return Err(Error::io("make the directory", &root, &e)),
            }
        }
        let adapters = adapter
            .and_then(Path::parent)
            .map(|d| format!("{}:", d.display()));
        let scratch = Self {
            sys,
            home: root.join("home"),
            repo: root.join("repo"),
            root,
            path: format!("{}/usr/bin:/bin", adapters.unwrap_or_default()),
        };
        for dir in [&scratch.home, &scratch.repo, &scratch.repo.join(".git")] {
            sys.disk
                .make_dir(dir, 0o755)
                .map_err(|e| Error::io("make the directory", dir, &e))?;
        }
        Ok(scratch)
    }

    /// The machine.
    pub(super) fn sys(&self) -> &'a Sys<'a> {
        self.sys
    }

    /// The launcher that the rehearsal's entries must name.
    pub(super) fn launcher(&self) -> PathBuf {
        self.state().join("bin/gitvow")
    }

    /// Its state home.
    pub(super) fn state(&self) -> PathBuf {
        self.home.join(".gitvow")
    }

    /// Is this path inside?
    pub(super) fn holds(&self, path: &str) -> bool {
        Path::new(path).starts_with(&self.root)
    }

    /// The agent's files here.
    pub(super) fn targets(&self, spec: &AgentSpec, scope: Scope) -> Result<Targets> {
        let state = self.state();
        let ground = Ground {
            home: &self.home,
            state: &state,
            repo: Some(&self.repo),
            var: &|_| None,
        };
        paths::targets(spec, scope, &ground)
    }

    /// Copies the agent's files, all but those that the ledger says are gitvow's own. How many.
    pub(super) fn copy(
        &self,
        session: &Session<'_>,
        spec: &AgentSpec,
        scope: Scope,
    ) -> Result<usize> {
        let theirs = files(&paths::targets(spec, scope, &session.ground())?);
        let ours = files(&self.targets(spec, scope)?);
        let mut copied = 0;
        for (from, to) in theirs.iter().zip(&ours) {
            let tree =
                |r: &crate::ledger::Record| r.path == *from && matches!(r.body, Body::Tree(_));
            if session.records.iter().any(tree) {
                continue;
            }
            let from = real(self.sys, from);
            let bytes = match self.sys.disk.read(&from, CAP) {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(Error::io("copy", &from, &e)),
            };
            let mode = self.sys.disk.stat(&from).map_or(0o600, |s| s.mode & 0o777);
            self.write(to, &bytes, mode)?;
            copied += 1;
        }
        Ok(copied)
    }

    /// Writes a file, with the directories it needs.
    pub(super) fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
        let io = |e: std::io::Error| Error::io("write", path, &e);
        let missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|d| self.sys.disk.stat(d).is_err())
            .collect();
        for dir in missing.into_iter().rev() {
            let mode = if dir.ends_with(".gitvow") {
                0o700
            } else {
                0o755
            };
            self.sys.disk.make_dir(dir, mode).map_err(io)?;
        }
        self.sys
            .disk
            .create(path, bytes, Like::Mode(mode))
            .map_err(io)
    }

    /// Runs gitvow itself here, never with the caller's environment: its state is the scratch one.
    pub(super) fn gitvow(&self, args: &[&str]) -> Result<Ended> {
        let program = self.sys.env.exe().map_err(|e| {
            Error::failed("io", "the running program can't be found").because(e.to_string())
        })?;
        let pair =
            |name: &str, value: &Path| (name.to_owned(), value.to_string_lossy().into_owned());
        let env = vec![
            pair("HOME", &self.home),
            pair("GITVOW_HOME", &self.state()),
            pair("TMPDIR", &self.root),
            ("PATH".to_owned(), self.path.clone()),
        ];
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        self.run(program, args, env, b"")
    }

    /// Runs a program with this environment and nothing else.
    pub(super) fn run(
        &self,
        program: PathBuf,
        args: Vec<String>,
        env: Vec<(String, String)>,
        stdin: &[u8],
    ) -> Result<Ended> {
        let shown = program.clone();
        let child = Child {
            program,
            args,
            env,
            cwd: self.repo.clone(),
            stdin,
            limit: LIMIT,
            stdout_cap: 64 << 20,
        };
        self.sys
            .runner
            .run(&child)
            .map_err(|e| Error::io("run", &shown, &e))
    }

    /// Everything in home and repository but gitvow's own state and git's (where `hook` logs): path → its bytes (`None`: a directory).
    pub(super) fn picture(&self) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>> {
        let mut out = BTreeMap::new();
        let mut open = vec![self.home.clone(), self.repo.clone()];
        let own = [self.state(), self.repo.join(".git")];
        let disk = self.sys.disk;
        while let Some(dir) = open.pop() {
            let names = disk.list(&dir).map_err(|e| Error::io("read", &dir, &e))?;
            for path in names
                .iter()
                .map(|n| dir.join(n))
                .filter(|p| !own.contains(p))
            {
                let stat = disk.stat(&path).map_err(|e| Error::io("read", &path, &e))?;
                if stat.kind == FileKind::Dir {
                    open.push(path.clone());
                    out.insert(path, None);
                } else {
                    let bytes = disk
                        .read(&path, CAP)
                        .map_err(|e| Error::io("read", &path, &e))?;
                    out.insert(path, Some(bytes));
                }
            }
        }
        Ok(out)
    }
}

/// Every file that an install concerns, always in the same order.
pub(super) fn files(targets: &Targets) -> Vec<PathBuf> {
    let mut out = Vec::new();
    if let Some(merge) = &targets.merge {
        out.push(merge.path.clone());
        out.extend(merge.alternatives.iter().map(|a| a.path.clone()));
    }
    out.extend(targets.trees.iter().map(|t| t.path.clone()));
    for path in targets.switches.iter().filter_map(|s| s.path.clone()) {
        if !out.contains(&path) {
            out.push(path);
        }
    }
    out
}

/// Away with it, as far as it goes.
fn remove(disk: &dyn Disk, dir: &Path) {
    for name in disk.list(dir).unwrap_or_default() {
        let path = dir.join(name);
        match disk.stat(&path) {
            Ok(stat) if stat.kind == FileKind::Dir => remove(disk, &path),
            _ => {
                let _ = disk.unlink(&path);
            }
        }
    }
    let _ = disk.remove_dir(dir);
}
