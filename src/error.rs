//! One error type for every refusal and failure.
//!
//! An error is built where the fact is known: it carries the place, the reason and one command that
//! helps. It may not print, exit or read anything.

use std::fmt;
use std::path::{Path, PathBuf};

/// What kind of ending an error is; decides the exit code (spec 1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The command line is wrong, or names an agent that nobody knows. Exit 2.
    Usage,
    /// We could write but must not: bytes or somebody's tool would suffer. Exit 1.
    Refused,
    /// The outside world failed: a read, a write, a child process. Exit 1.
    Failed,
    /// A fault of gitvow itself. Exit 70.
    Bug,
}

impl Kind {
    /// The process exit code for an error of this kind.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Refused | Self::Failed => 1,
            Self::Bug => 70,
        }
    }
}

/// Where in which file the reason lies. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, as the user would name it (absolute).
    pub path: PathBuf,
    /// Line and column, when the reason has a position.
    pub position: Option<(usize, usize)>,
}

/// A refusal or failure with its place, its causes and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Decides the exit code.
    pub kind: Kind,
    /// A stable word for programs (`unparseable`, `wrong-kind`, `duplicate-key`, …): `error.kind` in JSON.
    pub code: &'static str,
    /// One sentence, lower case, no final stop. Never empty.
    pub message: String,
    /// The file and position it is about.
    pub place: Option<Place>,
    /// What led to it, outermost first.
    pub causes: Vec<String>,
    /// One exact command or action that helps.
    pub help: Option<String>,
}

/// The result of anything that can be refused.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: Kind, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            code,
            message: message.into(),
            place: None,
            causes: Vec::new(),
            help: None,
        }
    }

    /// A refusal: nothing was written, and nothing will be.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, code, message)
    }

    /// A failure of the outside world.
    pub fn failed(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, code, message)
    }

    /// Wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, "usage", message)
    }

    /// A fault of gitvow.
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Kind::Bug, "bug", message)
    }

    /// An IO failure at `path` while doing `what` (`read`, `replace`, …).
    pub fn io(what: &str, path: &Path, e: &std::io::Error) -> Self {
        Self::failed("io", format!("cannot {what} `{}`", path.display()))
            .at(path)
            .because(e.to_string())
    }

    /// Names the file.
    #[must_use]
    pub fn at(mut self, path: impl Into<PathBuf>) -> Self {
        let position = self.place.take().and_then(|p| p.position);
        self.place = Some(Place {
            path: path.into(),
            position,
        });
        self
    }

    /// Names line and column (from 1).
    #[must_use]
    pub fn position(mut self, line: usize, column: usize) -> Self {
        self.place.get_or_insert_with(Place::default).position = Some((line, column));
        self
    }

    /// Adds a cause.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Sets the one thing that helps.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message and its causes in one line.
    pub fn sentence(&self) -> String {
        let mut out = self.message.clone();
        for cause in &self.causes {
            out.push_str(": ");
            out.push_str(cause);
        }
        out
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for Error {}
