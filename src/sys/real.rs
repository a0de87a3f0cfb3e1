//! The real machine. May not decide anything: each method is one operation and reports how it went.
//!
//! The files beside this one: `disk` (files and directories), `meta` (owner, mode and attributes of a
//! new file), `lock`, `run` (child processes).

mod disk;
mod lock;
mod meta;
mod run;

use super::{Clock, Env};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use disk::RealDisk;
pub use run::RealRunner;

/// The environment of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealEnv;

impl Env for RealEnv {
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|v| !v.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        // The variable first: the hook asks on every call, and only without it the user database has to be read.
        let told = self.var("HOME").map(PathBuf::from);
        let home = told.or_else(|| Some(directories::BaseDirs::new()?.home_dir().to_path_buf()));
        home.filter(|h| h.is_absolute())
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the working directory"
    )]
    fn cwd(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn exe(&self) -> io::Result<PathBuf> {
        let exe = std::env::current_exe()?;
        // Linux says where the program really is, links followed; every hook call asks.
        if cfg!(target_os = "linux") {
            return Ok(exe);
        }
        fs_err::canonicalize(exe)
    }

    fn uid(&self) -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn is_terminal(&self, stream: u8) -> bool {
        match stream {
            0 => io::stdin().is_terminal(),
            1 => io::stdout().is_terminal(),
            2 => io::stderr().is_terminal(),
            _ => false,
        }
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealClock;

impl Clock for RealClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the clock"
    )]
    fn now(&self) -> Duration {
        // A clock before 1970 counts as 1970: times are only shown and compared, never subtracted.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
