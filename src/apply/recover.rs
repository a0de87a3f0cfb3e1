//! After a kill: completes the interrupted run, or undoes what little it did. May not lose the knowledge of
//! an entry that may stand in a file, nor touch a file that somebody has changed since.

use super::CHANGED;
use super::content::{build, is, is_absence, is_absent, is_torn, planned};
use super::journal::{Journal, dir_of};
use super::run::Run;
use crate::error::{Error, Result};
use crate::ledger::{Body, Record, StateHome, store};
use crate::plan::steps::{Step, Transaction, Write};
use crate::sys::{Disk, Sys};
use std::path::{Path, PathBuf};

/// How an interrupted run was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// There was none.
    #[default]
    Nothing,
    /// It had changed no file: dropped.
    Undone,
    /// It had changed a file: the rest was done.
    Completed,
}

/// What recovery did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// How it ended.
    pub outcome: Outcome,
    /// Files that somebody had changed since: left as they are.
    pub left: Vec<PathBuf>,
}

/// Settles an interrupted run, if there is one, and removes every temporary file. The caller holds the lock.
///
/// # Errors
/// `journal-corrupt`; `ledger-corrupt`; `io` when a step can't be completed: the journal then stays.
pub fn recover(sys: &Sys<'_>, home: &StateHome) -> Result<Recovered> {
    let disk = sys.disk;
    let Some(journal) = Journal::load(disk, home)? else {
        store::sweep(disk, home)?;
        return Ok(Recovered::default());
    };
    let mut tries = 0;
    let recovered = loop {
        match settle(disk, home, &journal) {
            // A program writes at this very moment: look again at what it left.
            Err(e) if e.code == CHANGED && tries < 3 => tries += 1,
            other => break other.map_err(|e| stuck(home, e))?,
        }
    };
    Journal::drop(disk, home)?;
    store::sweep(disk, home)?;
    Ok(recovered)
}

/// How a file of the journal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The step is about no file.
    None,
    /// Its step isn't done.
    Before,
    /// Its step is done.
    After,
    /// Its overwriting was cut short.
    Torn,
    /// Ours stands there, but what it displaced is somebody's newer text, which must come back.
    Displaced,
    /// Somebody has changed it, surely before our step.
    Foreign,
    /// Somebody has changed it, perhaps after our step.
    ForeignSince,
}

/// How each step's file stands.
pub(super) fn look(disk: &dyn Disk, journal: &Journal) -> Result<Vec<Look>> {
    let steps = journal.steps().map(|(i, step)| match step {
        // Its repository was deleted, its volume taken away.
        Step::Write(write) if !is_reachable(disk, journal, dir_of(&write.path))? => {
            Ok(Look::ForeignSince)
        }
        Step::Write(write) => look_at_write(disk, write, journal.temp(i)),
        Step::Remove { path, expect } => {
            let temp = journal.temp(i);
            if is_absent(disk, path)? {
                let ours = is_absent(disk, temp)? || is(disk, temp, expect)?;
                Ok(if ours { Look::After } else { Look::Displaced })
            } else if is(disk, path, expect)? {
                Ok(Look::Before)
            } else if is_absent(disk, temp)? {
                Ok(Look::Foreign)
            } else {
                Ok(Look::ForeignSince)
            }
        }
        Step::MakeDir { .. } | Step::RemoveDir { .. } => Ok(Look::None),
    });
    steps.collect()
}

/// Is the run to be completed? It is when a file shows its work, or when it is about no file at all.
pub(super) fn completes(looks: &[Look]) -> bool {
    let shows = |l: &Look| matches!(l, Look::After | Look::Torn | Look::ForeignSince);
    looks.iter().any(shows) || looks.iter().all(|l| *l == Look::None)
}

/// What to do to the ledger when the run is completed although some files had been changed by somebody:
/// of those an install's new record is saved, and an uninstall's old one stays.
pub(super) fn ledger_part(journal: &Journal, looks: &[Look], records: &[Record]) -> Transaction {
    let all = &journal.transaction;
    let foreign = foreign(journal, looks);
    let is_foreign = |record: &Record| foreign.contains(&record.real);
    let old = |path: &Path| records.iter().find(|r| r.path == path);
    let stays = |path: &Path| old(path).is_some_and(is_foreign);
    let save = all.save.iter().filter(|new| {
        let loses = old(&new.path).is_some_and(|old| loses_an_owner(old, new));
        !(is_foreign(new) && loses)
    });
    let save: Vec<Record> = save.cloned().collect();
    let forget = all.forget.iter().filter(|path| !stays(path));
    let forget: Vec<PathBuf> = forget.cloned().collect();
    let whole = save.len() == all.save.len() && forget.len() == all.forget.len();
    Transaction {
        save,
        forget,
        state_files: all.state_files.clone(),
        // The hook still needs them where an entry may still stand.
        drop_state_files: if whole {
            all.drop_state_files.clone()
        } else {
            Vec::new()
        },
        ..Transaction::default()
    }
}

/// The files that somebody has changed.
pub(super) fn foreign(journal: &Journal, looks: &[Look]) -> Vec<PathBuf> {
    let steps = journal.steps().zip(looks);
    let foreign = steps
        .filter(|(_, look)| matches!(look, Look::Foreign | Look::ForeignSince | Look::Displaced));
    let path = |((_, step), _): ((usize, &Step), &Look)| match step {
        Step::Write(write) => Some(write.path.clone()),
        Step::Remove { path, .. } => Some(path.clone()),
        Step::MakeDir { .. } | Step::RemoveDir { .. } => None,
    };
    foreign.filter_map(path).collect()
}

fn settle(disk: &dyn Disk, home: &StateHome, journal: &Journal) -> Result<Recovered> {
    let mut run = Run::new(disk, home, journal);
    let mut looks = look(disk, journal)?;
    for ((i, step), look) in journal.steps().zip(&mut looks) {
        if *look != Look::Displaced {
            continue;
        }
        match step {
            Step::Write(write) => run.put_back(&write.path, journal.temp(i), &write.after)?,
            Step::Remove { path, .. } => run.return_removed(path, journal.temp(i))?,
            Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
        }
        *look = Look::Foreign;
    }
    let left = foreign(journal, &looks);
    if !completes(&looks) {
        discard(&mut run, journal)?;
        let outcome = Outcome::Undone;
        return Ok(Recovered { outcome, left });
    }
    for ((i, step), look) in journal.steps().zip(&looks) {
        match (step, look) {
            (Step::Write(write), Look::Torn) => finish_overwriting(disk, write, journal.temp(i))?,
            // Half-made or whole, it is made again.
            (_, Look::Before) => run.remove(journal.temp(i))?,
            _ => {}
        }
    }
    let mut chosen = vec![false; looks.len()];
    for (((_, step), look), chosen) in journal.steps().zip(&looks).zip(&mut chosen) {
        *chosen = match step {
            Step::MakeDir { path, .. } => is_reachable(disk, journal, path)?,
            _ => *look == Look::Before,
        };
    }
    run.forward(|i| chosen.get(i) == Some(&true))?;
    let records = store::load_all(disk, home)?;
    run.write_ledger(&ledger_part(journal, &looks, &records))?;
    run.recheck()?;
    run.finish()?;
    let outcome = Outcome::Completed;
    Ok(Recovered { outcome, left })
}

/// Is the directory there, or can this run make it?
fn is_reachable(disk: &dyn Disk, journal: &Journal, dir: &Path) -> Result<bool> {
    for dir in dir.ancestors() {
        if !is_absent(disk, dir)? {
            return Ok(true);
        }
        let makes =
            |(_, step): (usize, &Step)| matches!(step, Step::MakeDir { path, .. } if path == dir);
        if !journal.steps().any(makes) {
            return Ok(false);
        }
    }
    Ok(false)
}

fn stuck(home: &StateHome, e: Error) -> Error {
    let help = format!(
        "remove the cause and run the same command again, or give the interrupted run up: mv '{0}' '{0}.bad'",
        home.journal().display()
    );
    let mut error = Error::failed(e.code, "an interrupted run can't be completed")
        .because(e.sentence())
        .help(e.help.unwrap_or(help));
    error.place = e.place;
    error
}

fn discard(run: &mut Run<'_>, journal: &Journal) -> Result<()> {
    for (i, step) in journal.steps().rev() {
        match step {
            Step::Write(_) | Step::Remove { .. } => {
                run.remove(journal.temp(i))?;
                run.remove(&journal.second_temp(i))?;
            }
            Step::MakeDir { path, .. } if journal.is_new_dir(i) => run
                .remove_dir(path)
                .map_err(|e| Error::io("remove the directory", path, &e))?,
            Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
        }
    }
    run.sync()
}

fn look_at_write(disk: &dyn Disk, write: &Write, temp: &Path) -> Result<Look> {
    let (path, after) = (&write.path, &write.after);
    let overwrites = write.in_place && write.expect.is_some();
    if is(disk, path, after)? {
        let Some(expect) = write.expect.as_ref().filter(|_| !overwrites) else {
            return Ok(Look::After);
        };
        let ours = is_absent(disk, temp)? || is(disk, temp, expect)? || is(disk, temp, after)?;
        return Ok(if ours { Look::After } else { Look::Displaced });
    }
    let before = match &write.expect {
        Some(expect) => is(disk, path, expect)?,
        None => is_absent(disk, path)?,
    };
    if before {
        return Ok(Look::Before);
    }
    if overwrites {
        return Ok(match torn(disk, write, temp)? {
            Some(_) => Look::Torn,
            None => Look::ForeignSince,
        });
    }
    Ok(if is(disk, temp, after)? {
        Look::Foreign
    } else {
        Look::ForeignSince
    })
}

/// The new text of a file whose overwriting was cut short.
pub(super) fn torn(disk: &dyn Disk, write: &Write, copy: &Path) -> Result<Option<Vec<u8>>> {
    let Some(expect) = &write.expect else {
        return Ok(None);
    };
    let Some(before) = planned(disk, copy, expect)? else {
        return Ok(None);
    };
    let found = match disk.read(&write.path, super::content::CAP) {
        Ok(found) => found,
        Err(e) if is_absence(&e) => return Ok(None),
        Err(e) => return Err(Error::io("read", &write.path, &e)),
    };
    let after = build(write, &before)?;
    Ok(after.filter(|after| is_torn(&found, &before, after)))
}

fn finish_overwriting(disk: &dyn Disk, write: &Write, copy: &Path) -> Result<()> {
    match torn(disk, write, copy)? {
        Some(after) => disk
            .overwrite(&write.path, &after)
            .map_err(|e| Error::io("overwrite", &write.path, &e)),
        None => Ok(()),
    }
}

fn loses_an_owner(old: &Record, new: &Record) -> bool {
    match (&old.body, &new.body) {
        (Body::Merge(old), Body::Merge(new)) => old.owners.iter().any(|o| {
            let same = |n: &&crate::ledger::OwnerState| n.owner == o.owner;
            !new.owners.iter().any(|n| same(&n))
        }),
        _ => false,
    }
}
