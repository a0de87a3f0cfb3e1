//! The whole vocabulary of change: four steps. A plan is data, printable, and run by [`crate::apply`] alone.

use crate::doc::Splice;
use crate::ledger::{Print, Record};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One primitive change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// Make one directory, less the umask. Not an error when a directory is there.
    MakeDir {
        /// Absolute, links resolved.
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// Write a file, if it is still what was planned upon.
    Write(Write),
    /// Remove a file, if it is still what was planned upon.
    Remove {
        /// Absolute, links resolved.
        path: PathBuf,
        /// Its bytes.
        expect: Print,
    },
    /// Remove a directory if it is empty; not an error when it isn't or is gone.
    RemoveDir {
        /// Absolute, links resolved.
        path: PathBuf,
    },
}

/// A compare-and-swap of a whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Write {
    /// Absolute, links resolved: temporary files go beside it.
    pub path: PathBuf,
    /// Its bytes now; `None`: nothing is there.
    pub expect: Option<Print>,
    /// Its bytes then.
    pub after: Print,
    /// How they come about.
    pub content: Content,
    /// Permission bits for a new file, less the umask. A file that is there keeps mode, owner and attributes.
    pub mode: u32,
    /// Overwrite in place instead of swapping (`--force` on a hard-linked file).
    #[serde(default)]
    pub in_place: bool,
}

/// Where a file's new bytes come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Content {
    /// Splices applied to the bytes that are there (to the empty text for a new file). Ascending.
    Splices {
        /// They.
        splices: Vec<Splice>,
    },
    /// This text.
    Text {
        /// It.
        text: String,
    },
    /// A copy of this executable (the launcher).
    Copy {
        /// Absolute path.
        source: PathBuf,
    },
}

/// One transaction: what `apply` does or undoes as a whole (one agent in one scope, or the launcher).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transaction {
    /// In this order.
    pub steps: Vec<Step>,
    /// Records that hold afterwards.
    pub save: Vec<Record>,
    /// Records that go, by planned path.
    pub forget: Vec<PathBuf>,
    /// Copies to put into `saved/` first: file name there, and which file's bytes (`--force`).
    pub keep_copies: Vec<(String, PathBuf)>,
    /// Files in the state home to write (0600) with the records, relative name → text (`adapters/<name>.json`).
    pub state_files: Vec<(String, String)>,
    /// Files in the state home to remove with the records, relative names.
    pub drop_state_files: Vec<String>,
}

impl Transaction {
    /// Nothing to do at all?
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
            && self.save.is_empty()
            && self.forget.is_empty()
            && self.state_files.is_empty()
            && self.drop_state_files.is_empty()
    }
}
