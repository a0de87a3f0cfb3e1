//! The state home: what stands where in it. It may not know what its files say.

use super::store;
use crate::error::{Error, Result};
use crate::sys::Disk;
use std::path::{Component, Path, PathBuf};

/// Where gitvow keeps what it knows (spec 1.6): directories 0700, files 0600.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHome {
    root: PathBuf,
}

impl StateHome {
    /// At this absolute path.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `records/`.
    pub fn records(&self) -> PathBuf {
        self.root.join("records")
    }

    /// The record of the file planned at `path`.
    pub fn record(&self, path: &Path) -> PathBuf {
        self.records().join(store::record_name(path))
    }

    /// What an interrupted run meant to do.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.json")
    }

    /// The lock.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// `bin/`.
    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The copy of gitvow that written commands name.
    pub fn launcher(&self) -> PathBuf {
        self.bin().join("gitvow")
    }

    /// External adapters that the user put there.
    pub fn agents(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// What `hook` needs of installed externals.
    pub fn adapters(&self) -> PathBuf {
        self.root.join("adapters")
    }

    /// The same for one of them.
    pub fn adapter(&self, name: &str) -> PathBuf {
        self.adapters().join(format!("{name}.json"))
    }

    /// The user's policy.
    pub fn policy(&self) -> PathBuf {
        self.root.join("policy.json")
    }

    /// The user's settings.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.json")
    }

    /// Copies made before `--force` replaced something.
    pub fn saved(&self) -> PathBuf {
        self.root.join("saved")
    }

    /// What `hook` noted.
    pub fn hooks_log(&self) -> PathBuf {
        self.root.join("hooks.log")
    }

    /// A file in here by its relative name; `None` when the name leads elsewhere.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let name = Path::new(name);
        let plain = name.components().all(|c| matches!(c, Component::Normal(_)));
        (plain && name.file_name().is_some()).then(|| self.root.join(name))
    }

    /// Makes the directory and its missing parents. One that is there keeps its mode: other tools share it.
    pub fn ensure(&self, disk: &dyn Disk) -> Result<()> {
        store::ensure_dir(disk, &self.root)
    }

    /// The refusal of a file in here that a newer gitvow wrote. `what`: its name for people; `known`: the highest
    /// schema that is read.
    pub fn newer(
        &self,
        code: &'static str,
        path: &Path,
        what: &str,
        schema: u64,
        known: u32,
    ) -> Error {
        let text =
            format!("{what} comes from a newer gitvow (schema {schema}, this one knows {known})");
        // Whoever wrote it has most likely left its launcher, too.
        Error::refused(code, text).at(path).help(format!(
            "run the newer gitvow, which can undo its own work: '{}' doctor",
            self.launcher().display()
        ))
    }
}
