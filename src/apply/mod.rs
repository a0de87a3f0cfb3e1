//! The only writer: runs transactions, keeps the journal, recovers. May not decide what is to be written,
//! and may not touch a file that isn't the planned one any more.
//!
//! The order (spec 7.1): journal → new files beside their targets → swaps → ledger → displaced files away →
//! journal away. Until the last but one step everything can be undone; a kill at any instant leaves each
//! file either before or after, and [`recover`] completes or undoes the rest.

mod content;
mod journal;
mod recover;
mod run;
mod undo;
mod view;

use crate::error::{Error, Result};
use crate::ledger::StateHome;
use crate::plan::steps::Transaction;
use crate::sys::{Lock, Sys};
use journal::Journal;
use run::Run;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

pub use recover::{Outcome, Recovered, recover};
pub use view::{Overlay, pending};

/// The error code that asks the caller to gather and plan again, at most three times.
pub const CHANGED: &str = "changed-meanwhile";

/// Outlasts eight queued installs.
const WAIT: Duration = Duration::from_secs(30);

/// What a transaction did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Files written.
    pub written: Vec<PathBuf>,
    /// Files removed.
    pub removed: Vec<PathBuf>,
    /// Empty directories of ours that the system wouldn't let us remove.
    pub left_dirs: Vec<PathBuf>,
}

/// Makes the state home and takes its lock, for everything from recovery to the end of the last transaction.
///
/// # Errors
/// `locked` when another gitvow holds it for 30 s; the message names its process.
pub fn lock(sys: &Sys<'_>, home: &StateHome) -> Result<Box<dyn Lock>> {
    home.ensure(sys.disk)?;
    let path = home.lock();
    sys.disk.lock(&path, WAIT).map_err(|e| match e.kind() {
        ErrorKind::TimedOut => Error::failed("locked", "another gitvow is at work")
            .at(&path)
            .because(e.to_string())
            .help("try again when it has ended"),
        _ => Error::io("lock", &path, &e),
    })
}

/// Runs one transaction as a whole: all of its files, or none. The caller holds the lock and has recovered.
///
/// # Errors
/// [`CHANGED`] when a file isn't the planned one any more (nothing is left of the transaction; plan again);
/// `io` and others when a step failed. Unless the message says that something was left for recovery,
/// everything is as before.
pub fn apply(sys: &Sys<'_>, home: &StateHome, transaction: &Transaction) -> Result<Applied> {
    if transaction.is_empty() {
        return Ok(Applied::default());
    }
    let disk = sys.disk;
    home.ensure(disk)?;
    if Journal::load(disk, home)?.is_some() {
        return Err(Error::failed(
            "interrupted-run",
            "an interrupted run must be completed first",
        )
        .at(home.journal())
        .help("run the same command again"));
    }
    let journal = Journal::new(disk, home, transaction.clone())?;
    let mut run = Run::new(disk, home, &journal);
    let done = journal
        .store(disk, home)
        .and_then(|()| run.forward(|_| true))
        .and_then(|()| run.write_ledger(transaction))
        .and_then(|()| run.recheck());
    if let Err(error) = done {
        return Err(match run.undo().and_then(|()| Journal::drop(disk, home)) {
            Ok(()) => error,
            Err(e) => left_for_recovery(&error, &e),
        });
    }
    let left_dirs = run
        .finish()
        .and_then(|left| Journal::drop(disk, home).map(|()| left))
        .map_err(|e| {
            Error::failed(e.code, "everything is written, but not tidied up")
                .at(home.journal())
                .because(e.sentence())
                .help("run the same command again: it tidies up first")
        })?;
    Ok(Applied {
        left_dirs,
        ..run.applied()
    })
}

fn left_for_recovery(error: &Error, undoing: &Error) -> Error {
    let mut left = error.clone();
    // Planning again wouldn't help before the recovery.
    left.code = "interrupted-run";
    left.because(format!(
        "and what was done so far could not be undone: {}",
        undoing.sentence()
    ))
    .help("run the same command again: it first completes or undoes this one")
}
