//! The record of one file. Pure data; holds none of the user's bytes, so that no secret enters the state.

mod read;

use crate::doc::layout::Layout;
use crate::doc::{Container, Hang};
use crate::spec::{Format, Scope};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The schema written today.
pub const SCHEMA: u32 = 1;

/// sha256 (lower-case hex) and length of a file's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// Lower-case hex.
    pub sha256: String,
    /// Bytes.
    pub len: u64,
}

impl Print {
    /// The print of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_parts(std::iter::once(bytes))
    }

    /// The print of bytes that are given in parts.
    pub fn of_parts<'p>(parts: impl Iterator<Item = &'p [u8]>) -> Self {
        let (mut hash, mut len) = (Sha256::new(), 0);
        for part in parts {
            hash.update(part);
            len += part.len() as u64;
        }
        // Digit by digit: the formatter costs more than hashing a small file.
        let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'a' + n - 10 });
        let mut sha256 = String::with_capacity(64);
        for byte in hash.finalize() {
            sha256.extend([digit(byte >> 4), digit(byte & 15)]);
        }
        Self { sha256, len }
    }
}

/// Who an entry belongs to: one agent in one scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Owner {
    /// The agent's name.
    pub agent: String,
    /// Its scope.
    pub scope: Scope,
}

/// One record: `records/<sha256 of the planned path>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "read::Record")]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The path as planned.
    pub path: PathBuf,
    /// The path behind all links.
    pub real: PathBuf,
    /// Directories of ours that this file uses, outermost first; shared with other records (2.2).
    pub dirs: Vec<PathBuf>,
    /// Version of the gitvow that wrote it.
    pub gitvow: String,
    /// A merge into a user's file, or a file of ours.
    #[serde(flatten)]
    pub body: Body,
}

/// The two kinds of artifact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Body {
    /// Entries in a file that the user owns.
    Merge(Merge),
    /// One file that gitvow created and owns.
    Tree(TreeFile),
}

impl Body {
    /// Who has something in the file; nobody: the launcher.
    pub fn owners(&self) -> Vec<&Owner> {
        match self {
            Self::Merge(merge) => merge.owners.iter().map(|o| &o.owner).collect(),
            Self::Tree(tree) => tree.owner.iter().collect(),
        }
    }

    /// The external adapter that an owner's entries came from.
    pub fn adapter(&self, owner: &Owner) -> Option<&Adapter> {
        match self {
            Self::Merge(m) => m
                .owners
                .iter()
                .find(|o| o.owner == *owner)?
                .adapter
                .as_ref(),
            Self::Tree(t) => t
                .adapter
                .as_ref()
                .filter(|_| t.owner.as_ref() == Some(owner)),
        }
    }
}

/// Our part of a user's file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Merge {
    /// Its dialect.
    pub format: Format,
    /// What was there before us; re-based whenever we write over a user's edit.
    pub origin: Origin,
    /// What we left there.
    pub after: Print,
    /// Our bytes in `after`: offset and length, ascending. Taking them out of `after` gives the origin.
    pub inserted: Vec<(u64, u64)>,
    /// Who has entries here.
    pub owners: Vec<OwnerState>,
    /// The entries, in the order in which they came.
    pub entries: Vec<Entry>,
    /// Containers that we created or filled.
    pub containers: Vec<Container>,
    /// The version key, when we set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionKey>,
    /// How the user's part was laid out in `after`; for a note only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

/// The state before us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Was there a file?
    pub existed: bool,
    /// Its bytes; for a file that wasn't there, of the empty text.
    pub print: Print,
}

/// One owner and what it needs to be checked and re-planned without its planner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "read::OwnerState")]
pub struct OwnerState {
    /// Who.
    #[serde(flatten)]
    pub owner: Owner,
    /// Where its lists live.
    pub root: Vec<String>,
    /// `root` names a list itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub list: bool,
    /// Installed with `--on-missing block`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub block: bool,
    /// The external adapter it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<Adapter>,
}

/// The executable of an external adapter at install time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// Absolute path.
    pub path: PathBuf,
    /// sha256 of its bytes.
    pub sha256: String,
}

/// One entry of ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "read::Entry")]
pub struct Entry {
    /// Whose.
    #[serde(flatten)]
    pub owner: Owner,
    /// Keys from the root to its list.
    pub path: Vec<String>,
    /// What it says.
    pub value: Value,
    /// Its bytes as we wrote them.
    pub text: String,
    /// How it hangs.
    pub hang: Hang,
    /// `kept`: the user has edited it; uninstall left it and names it each time.
    #[serde(skip_serializing_if = "State::is_active")]
    pub state: State,
}

/// Is a recorded thing still wholly ours?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Ours, and wanted.
    #[default]
    Active,
    /// Its owner was uninstalled, but the user's edit in it stays.
    Kept,
}

impl State {
    /// Is it [`State::Active`]?
    pub fn is_active(&self) -> bool {
        *self == Self::Active
    }
}

/// The version key that we set in a file that we created or filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionKey {
    /// The key.
    pub key: String,
    /// How it hangs.
    pub hang: Hang,
}

/// A file of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeFile {
    /// What we wrote.
    pub print: Print,
    /// Its permission bits after the umask.
    pub mode: u32,
    /// Whose (several scopes never share a tree file); `None`: the launcher.
    pub owner: Option<Owner>,
    /// The text that we wrote, when it is JSON: of an edited file our entries are cut and the user's stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Adapter and `--on-missing`, as for merges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<Adapter>,
    /// Installed with `--on-missing block`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub block: bool,
    /// Version of the copied gitvow, for the launcher; with size and mtime, so that it is hashed only when they moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Launcher>,
    /// Kept because the user edited it.
    #[serde(skip_serializing_if = "State::is_active")]
    pub state: State,
}

/// What is known of the launcher's copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launcher {
    /// The copied gitvow's version.
    pub version: String,
    /// The copy's modification time in nanoseconds; 0: not known.
    pub mtime_ns: i64,
    /// The program it was copied from: path and modification time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<(PathBuf, i64)>,
}
