//! What was read, as data. Pure: the reading is done by whoever builds a [`World`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest file that is taken on.
pub const MAX_FILE: u64 = 512 << 20;

/// What stands at a planned path, links followed.
#[derive(Debug, Clone, PartialEq)]
pub enum Actual {
    /// Nothing, and nothing in the way.
    Absent {
        /// The path it would have behind links of its parents.
        real: PathBuf,
        /// Directories to be made for it, outermost first.
        missing: Vec<PathBuf>,
        /// The innermost directory that is there may be written to.
        writable: bool,
    },
    /// A regular file.
    File(File),
    /// Something that a file can't be read from or written to: what, and where it stands.
    Other(&'static str, PathBuf),
    /// A link to nothing: the link, and where it leads.
    Dangling(PathBuf, PathBuf),
    /// Links in a circle.
    Loop,
    /// A part of the path is no directory: that part.
    NotADirectory(PathBuf),
    /// It can't be read: why.
    Unreadable(String),
}

/// A regular file.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// The path behind all links.
    pub real: PathBuf,
    /// Its bytes; empty when it is larger than [`MAX_FILE`].
    pub bytes: Vec<u8>,
    /// Its size.
    pub len: u64,
    /// Permission bits.
    pub mode: u32,
    /// Hard links.
    pub links: u64,
    /// It and its directory may be written to.
    pub writable: bool,
    /// It was written within the last two seconds: somebody may be writing still.
    pub fresh: bool,
}

impl Actual {
    /// The path behind links, where there is one.
    pub fn real(&self) -> Option<&Path> {
        match self {
            Self::Absent { real, .. } => Some(real),
            Self::File(file) => Some(&file.real),
            Self::Other(_, real) => Some(real),
            _ => None,
        }
    }

    /// Its bytes, if it is a file.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File(file) => Some(&file.bytes),
            _ => None,
        }
    }
}

/// Everything that was read for one agent, by planned path.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The files.
    pub files: BTreeMap<PathBuf, Actual>,
}

impl World {
    /// What stands at a planned path; what nobody read counts as unreadable, never as absent.
    pub fn at(&self, path: &Path) -> Actual {
        let unread = || Actual::Unreadable("it was not looked at".to_owned());
        self.files.get(path).cloned().unwrap_or_else(unread)
    }

    /// As [`Self::at`], without a copy.
    pub fn get(&self, path: &Path) -> Option<&Actual> {
        self.files.get(path)
    }

    /// Is something that was read so young that it may be half written, and not whole as it stands?
    pub fn may_be_torn(&self) -> bool {
        self.files
            .values()
            .any(|a| matches!(a, Actual::File(f) if f.fresh))
    }
}
