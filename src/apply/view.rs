//! What recovery would leave, for commands that write nothing. May not write a file or a record.

use super::content::{CAP, build, planned};
use super::journal::Journal;
use super::recover::{Look, completes, foreign, ledger_part, look, torn};
use super::run::as_it_stands;
use crate::error::{Error, Result};
use crate::ledger::{Record, StateHome, store};
use crate::plan::steps::{Content, Step, Write};
use crate::sys::{Disk, Sys};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The world as it will be once the interrupted run is settled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlay {
    /// It will be completed (else dropped).
    pub completes: bool,
    /// Files that recovery will write or remove, by real path: their bytes, or `None` for "not there".
    /// All others are as they are.
    pub files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// Directories that it will make.
    pub new_dirs: Vec<PathBuf>,
    /// Directories that it will remove if they are empty then.
    pub gone_dirs: Vec<PathBuf>,
    /// All records.
    pub records: Vec<Record>,
    /// Files that somebody has changed since.
    pub left: Vec<PathBuf>,
}

/// The view after recovery; `None` when no run was interrupted. A run that is still at work isn't
/// interrupted: it is waited for a little, by its lock, which is the only thing touched.
pub fn pending(sys: &Sys<'_>, home: &StateHome) -> Result<Option<Overlay>> {
    let disk = sys.disk;
    if Journal::load(disk, home)?.is_none() {
        return Ok(None);
    }
    // On a read-only home the lock can't be had; nobody can be at work there either.
    let lock = disk.lock(&home.lock(), Duration::from_secs(5));
    let Some(journal) = Journal::load(disk, home)? else {
        return Ok(None);
    };
    let looks = look(disk, &journal)?;
    let mut overlay = Overlay {
        completes: completes(&looks),
        left: foreign(&journal, &looks),
        records: store::load_all(disk, home)?,
        ..Overlay::default()
    };
    for ((i, step), look) in journal.steps().zip(&looks) {
        match (step, look) {
            (Step::Write(Write { path, .. }) | Step::Remove { path, .. }, Look::Displaced) => {
                let bytes = read(disk, journal.temp(i))?;
                overlay.files.insert(path.clone(), Some(bytes));
            }
            (Step::Write(write), Look::Before | Look::Torn) if overlay.completes => {
                let bytes = written(disk, write, journal.temp(i))?;
                overlay.files.insert(write.path.clone(), Some(bytes));
            }
            (Step::Remove { path, .. }, Look::Before) if overlay.completes => {
                overlay.files.insert(path.clone(), None);
            }
            (Step::MakeDir { path, .. }, _) if journal.is_new_dir(i) => {
                let dirs = match overlay.completes {
                    true => &mut overlay.new_dirs,
                    false => &mut overlay.gone_dirs,
                };
                dirs.push(path.clone());
            }
            (Step::RemoveDir { path }, _) if overlay.completes => {
                overlay.gone_dirs.push(path.clone());
            }
            _ => {}
        }
    }
    if overlay.completes {
        let part = ledger_part(&journal, &looks, &overlay.records);
        let records = &mut overlay.records;
        let replaced = |r: &Record| {
            part.forget.contains(&r.path) || part.save.iter().any(|s| s.path == r.path)
        };
        records.retain(|r| !replaced(r));
        records.extend(part.save.iter().map(|r| as_it_stands(disk, r)));
        records.sort_by(|a, b| a.path.cmp(&b.path));
    }
    drop(lock);
    Ok(Some(overlay))
}

fn written(disk: &dyn Disk, write: &Write, copy: &Path) -> Result<Vec<u8>> {
    if let Content::Copy { source } = &write.content {
        return read(disk, source);
    }
    if write.in_place
        && let Some(after) = torn(disk, write, copy)?
    {
        return Ok(after);
    }
    let before = match &write.expect {
        Some(expect) => planned(disk, &write.path, expect)?.unwrap_or_default(),
        None => Vec::new(),
    };
    build(write, &before)?.ok_or_else(|| Error::bug("a write without content").at(&write.path))
}

fn read(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>> {
    disk.read(path, CAP)
        .map_err(|e| Error::io("read", path, &e))
}
