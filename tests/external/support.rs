//! A scratch home with adapters in it, and a `Sys` that knows nothing else.

use crate::program::program;
use gitvow::error::{Error, Result};
use gitvow::external::{Call, Found, discover};
use gitvow::sys::real::{RealClock, RealDisk, RealRunner};
use gitvow::sys::{Env, Sys};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Scratch {
    dir: tempfile::TempDir,
    pub vars: BTreeMap<String, String>,
    pub uid: u32,
}

impl Scratch {
    /// `home/`, `state/agents/`, `bin/` on PATH.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for sub in ["home", "state/agents", "bin", "work"] {
            fs_err::create_dir_all(dir.path().join(sub)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", dir.path().join("bin").display());
        Self {
            dir,
            vars: BTreeMap::from([("PATH".to_owned(), path)]),
            uid: rustix::process::geteuid().as_raw(),
        }
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().join(rel)
    }

    pub fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// An adapter `name` in `bin/`: an sh script.
    pub fn adapter(&self, name: &str, body: &str) -> PathBuf {
        let rel = format!("bin/gitvow-agent-{name}");
        self.script(&rel, body, 0o755)
    }

    pub fn script(&self, rel: &str, body: &str, mode: u32) -> PathBuf {
        let path = self.path(rel);
        program(&path, &format!("#!/bin/sh\n{body}\n"));
        chmod(&path, mode);
        path
    }

    /// A copy of `fixtures/python-0.42.0/<tree>` (only the named paths in it) as `home/`.
    pub fn python_home(&self, tree: &str, only: &[&str]) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/python-0.42.0")
            .join(tree);
        let home = self.path("home").display().to_string();
        for path in only {
            self.copy(&from.join(path), &self.path("home").join(path), &home);
        }
    }

    fn copy(&self, from: &Path, to: &Path, home: &str) {
        if from.is_dir() {
            fs_err::create_dir_all(to).unwrap();
            for entry in fs_err::read_dir(from).unwrap() {
                let name = entry.unwrap().file_name();
                self.copy(&from.join(&name), &to.join(&name), home);
            }
            return;
        }
        fs_err::create_dir_all(to.parent().unwrap()).unwrap();
        let text = fs_err::read_to_string(from)
            .unwrap()
            .replace("@HOME@", home)
            .replace("@GITVOW@", "/opt/venv/bin/gitvow")
            .replace("@REPO@", "/src/repo");
        fs_err::write(to, text).unwrap();
        chmod(to, from.metadata().unwrap().permissions().mode() & 0o777);
    }

    pub fn with<T>(&self, f: impl FnOnce(&Sys<'_>) -> T) -> T {
        f(&Sys {
            disk: &RealDisk,
            env: self,
            runner: &RealRunner,
            clock: &RealClock,
        })
    }

    pub fn find(&self, name: &str) -> Result<Found> {
        self.with(|sys| discover(sys, &self.state(), name))
    }

    pub fn call<T>(
        &self,
        path: &Path,
        limit_ms: u64,
        f: impl FnOnce(&Sys<'_>, &Call<'_>) -> T,
    ) -> T {
        let (cwd, state) = (self.path("work"), self.state());
        let call = Call {
            path,
            cwd: &cwd,
            state: &state,
            limit: Duration::from_millis(limit_ms),
        };
        self.with(|sys| f(sys, &call))
    }
}

impl Env for Scratch {
    fn var(&self, name: &str) -> Option<String> {
        self.vars.get(name).cloned()
    }
    fn home(&self) -> Option<PathBuf> {
        Some(self.path("home"))
    }
    fn cwd(&self) -> std::io::Result<PathBuf> {
        Ok(self.path("work"))
    }
    fn exe(&self) -> std::io::Result<PathBuf> {
        Ok(PathBuf::from(env!("CARGO_BIN_EXE_gitvow")))
    }
    fn uid(&self) -> u32 {
        self.uid
    }
    fn is_terminal(&self, _: u8) -> bool {
        false
    }
}

pub fn chmod(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// An adapter that prints this, whatever is asked.
pub fn says(text: &str) -> String {
    format!("cat <<'EOT'\n{text}\nEOT")
}

/// It failed as an adapter, with `part` in its message, which names the adapter and can't drive a terminal.
#[track_caller]
pub fn fails<T: std::fmt::Debug>(result: Result<T>, part: &str) -> Error {
    let e = result.unwrap_err();
    assert_eq!(e.code, "adapter-failed", "{e}");
    assert!(
        e.message.contains(part),
        "wanted `{part}` in: {}",
        e.message
    );
    assert!(
        e.message.contains("gitvow-agent-x`"),
        "the adapter is named: {}",
        e.message
    );
    assert!(
        !e.sentence().chars().any(char::is_control),
        "{:?}",
        e.sentence()
    );
    e
}
