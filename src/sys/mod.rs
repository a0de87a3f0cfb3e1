//! The only room that touches the machine, behind four traits so that tests can stand in.
//!
//! Nothing here decides anything about agents or documents.

pub mod faulty;
pub mod lastword;
pub mod looking;
pub mod memory;
pub mod real;
pub mod resolve;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What stands at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Other,
}

/// The facts of `lstat` that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Permission bits (07777).
    pub mode: u32,
    /// Size in bytes.
    pub len: u64,
    /// Number of hard links.
    pub links: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Modification time in nanoseconds since the epoch.
    pub mtime_ns: i128,
    /// When the file system last changed anything of it: unlike the modification time nobody can set it back.
    pub ctime_ns: i128,
    /// Device and inode.
    pub id: (u64, u64),
}

/// Where the metadata of a new file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like<'a> {
    /// Exactly these permission bits.
    Mode(u32),
    /// These permission bits less the process's umask.
    Umasked(u32),
    /// Mode, owner, group and extended attributes of this file.
    File(&'a Path),
}

/// An exclusive lock; dropping it releases it.
pub trait Lock {}

/// The file system. Every method is one operation that can fail by itself; none retries.
pub trait Disk {
    /// `lstat`. `NotFound` when nothing is there.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// Reads a whole regular file of at most `cap` bytes; never opens anything else, never blocks on a FIFO.
    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>>;
    /// The text of a link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// The names in a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>>;
    /// May this process create and replace files in that directory?
    fn may_write_dir(&self, path: &Path) -> bool;
    /// May this process write that file in place?
    fn may_write_file(&self, path: &Path) -> bool;
    /// Creates one directory (not its parents) with exactly `mode` less the umask.
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a new file (`O_EXCL`, first 0600; for [`Like::Umasked`] with those bits at once), writes, takes over the metadata, fsyncs. Leaves no file behind on failure where it can.
    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()>;
    /// Copies an executable's bytes into a new file (`O_EXCL`, `mode` less the umask, but always the owner's bits), fsynced,
    /// without holding it in memory.
    fn copy_new(&self, from: &Path, to: &Path, mode: u32) -> io::Result<()>;
    /// Swaps two files atomically. `Unsupported` where the file system can't.
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()>;
    /// Renames; with `replace` false an existing target is an error (`AlreadyExists`).
    fn rename(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()>;
    /// Overwrites a file in place (hard-linked targets under `--force`), fsynced.
    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Removes a file or link.
    fn unlink(&self, path: &Path) -> io::Result<()>;
    /// Sets the permission bits.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// fsync of a directory.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// sha256 of a file's bytes as lower-case hex, streamed.
    fn hash(&self, path: &Path) -> io::Result<String>;
    /// Takes the lock at `path` (created 0600 when absent), waiting up to `wait`; writes our pid into it.
    /// On time-out the error's text names the pid that holds it.
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>>;
    /// Appends `line` with one write, `O_APPEND|O_NOFOLLOW|O_NONBLOCK`, creating the file with `mode`; only to a regular file.
    fn append(&self, path: &Path, line: &[u8], mode: u32) -> io::Result<()>;
}

/// The process's surroundings.
pub trait Env {
    /// An environment variable, when set and not empty.
    fn var(&self, name: &str) -> Option<String>;
    /// The user's home directory, absolute.
    fn home(&self) -> Option<PathBuf>;
    /// The working directory.
    fn cwd(&self) -> io::Result<PathBuf>;
    /// The path of the running executable, links resolved.
    fn exe(&self) -> io::Result<PathBuf>;
    /// Effective user id.
    fn uid(&self) -> u32;
    /// Is that standard stream (0, 1, 2) a terminal?
    fn is_terminal(&self, stream: u8) -> bool;
}

/// A child process to run. Nothing is inherited but what is named here.
#[derive(Debug, Clone, Default)]
pub struct Child<'a> {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// What it reads.
    pub stdin: &'a [u8],
    /// When its whole process group is killed.
    pub limit: Duration,
    /// At most so many bytes of standard output are taken; more is an error.
    pub stdout_cap: usize,
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code; `None` when a signal or the limit ended it.
    pub code: Option<i32>,
    /// It ran into the limit.
    pub timed_out: bool,
    /// It printed more than the cap.
    pub overflowed: bool,
    /// Standard output, at most the cap.
    pub stdout: Vec<u8>,
    /// The last 4 KiB of standard error.
    pub stderr: Vec<u8>,
}

/// Starts children in their own process group, kills the whole group at the limit and once the child has exited.
pub trait Runner {
    /// Runs to the end.
    fn run(&self, child: &Child<'_>) -> io::Result<Ended>;
}

/// Time.
pub trait Clock {
    /// Time since the epoch.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The four together; what a command is handed.
pub struct Sys<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// The surroundings.
    pub env: &'a dyn Env,
    /// Child processes.
    pub runner: &'a dyn Runner,
    /// Time.
    pub clock: &'a dyn Clock,
}
