//! Doing the steps of one transaction. May not touch a file whose bytes aren't the planned ones.

use super::content::{build, is, is_absence, is_absent, planned};
use super::journal::{Journal, dir_of};
use super::{Applied, CHANGED};
use crate::error::{Error, Result};
use crate::ledger::{Body, Print, Record, StateHome, store};
use crate::plan::steps::{Content, Step, Transaction, Write};
use crate::sys::{Disk, FileKind, Like, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// One run through a journal.
pub(super) struct Run<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) home: &'a StateHome,
    pub(super) journal: &'a Journal,
    pub(super) done: Vec<Did>,
    /// State files as they were, in the order in which they were changed.
    pub(super) ledger: Vec<(PathBuf, Option<Vec<u8>>)>,
    /// Per step: what `lstat` said of the target before it was read, and of the new file.
    seen: BTreeMap<usize, (Option<Stat>, Stat)>,
    /// Directories whose names have changed and aren't durable yet.
    pub(super) dirs: BTreeSet<PathBuf>,
}

/// What was done; the numbers are those of the steps.
pub(super) enum Did {
    MadeDir(PathBuf),
    SavedCopy(PathBuf),
    /// The temporary file may be there.
    Staged(usize),
    Exchanged(usize),
    Created(usize),
    /// Renamed over, where files can't be exchanged; the old bytes.
    Replaced(usize, Vec<u8>),
    /// In place; the old bytes.
    Overwritten(usize, Vec<u8>),
    Removed(usize),
}

impl<'a> Run<'a> {
    pub(super) fn new(disk: &'a dyn Disk, home: &'a StateHome, journal: &'a Journal) -> Self {
        Self {
            disk,
            home,
            journal,
            done: Vec::new(),
            ledger: Vec::new(),
            seen: BTreeMap::new(),
            dirs: BTreeSet::new(),
        }
    }

    /// Does the chosen steps up to the swaps: everything is staged before the first target changes.
    pub(super) fn forward(&mut self, chosen: impl Fn(usize) -> bool) -> Result<()> {
        for (i, step) in self.journal.steps().filter(|(i, _)| chosen(*i)) {
            match step {
                Step::MakeDir { path, mode } => self.make_dir(path, *mode)?,
                Step::Write(write) => self.stage(i, write)?,
                Step::Remove { .. } | Step::RemoveDir { .. } => {}
            }
        }
        for (name, path) in &self.journal.transaction.keep_copies {
            // In a recovery, a step that is done says that all copies were made before it.
            let settled = self.journal.steps().any(|(i, step)| match step {
                Step::Write(Write { path: of, .. }) | Step::Remove { path: of, .. } => {
                    of == path && !chosen(i)
                }
                Step::MakeDir { .. } | Step::RemoveDir { .. } => false,
            });
            if !settled {
                self.keep_copy(name, path)?;
            }
        }
        for (i, step) in self.journal.steps().filter(|(i, _)| chosen(*i)) {
            match step {
                Step::Write(write) if write.in_place && write.expect.is_some() => {
                    self.overwrite(i, write)?;
                }
                Step::Write(write) => self.swap(i, write)?,
                Step::Remove { path, expect } => self.displace(i, path, expect)?,
                Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
            }
        }
        self.sync()
    }

    /// Saves and forgets records and state files.
    pub(super) fn write_ledger(&mut self, transaction: &Transaction) -> Result<()> {
        for path in &transaction.forget {
            self.state(&self.home.record(path), None)?;
        }
        for name in &transaction.drop_state_files {
            self.state(&self.state_path(name)?, None)?;
        }
        for (name, text) in &transaction.state_files {
            self.state(&self.state_path(name)?, Some(text.as_bytes()))?;
        }
        for record in &transaction.save {
            let path = self.home.record(&record.path);
            let old = store::read_file(self.disk, &path)?;
            self.ledger.push((path, old));
            store::save(self.disk, self.home, &as_it_stands(self.disk, record))?;
        }
        Ok(())
    }

    /// Looks once more, shortly before the displaced files go: a program that had one open may have written
    /// into it since, and one may have written over ours. Then it is time to plan again.
    pub(super) fn recheck(&self) -> Result<()> {
        for did in &self.done {
            let (i, path, expect) = match did {
                Did::Exchanged(i) | Did::Removed(i) => match self.journal.transaction.steps.get(*i)
                {
                    Some(Step::Write(w)) => (*i, &w.path, w.expect.as_ref()),
                    Some(Step::Remove { path, expect }) => (*i, path, Some(expect)),
                    _ => continue,
                },
                _ => continue,
            };
            if let Some(expect) = expect
                && !is(self.disk, self.journal.temp(i), expect)?
            {
                return Err(changed(path));
            }
        }
        for (i, step) in self.journal.steps() {
            let new = self.seen.get(&i).map(|(_, new)| *new);
            if let Step::Write(write) = step
                && self.wrote(&write.path)
                && !self.is_unmoved(&write.path, new)
                && !is(self.disk, &write.path, &write.after)?
            {
                return Err(changed(&write.path));
            }
        }
        Ok(())
    }

    /// Removes what was displaced and the directories that became empty; returns those that can't be removed.
    pub(super) fn finish(&mut self) -> Result<Vec<PathBuf>> {
        for (i, step) in self.journal.steps() {
            if let Step::Write(Write { path, .. }) | Step::Remove { path, .. } = step {
                for temp in [
                    self.journal.temp(i).to_path_buf(),
                    self.journal.second_temp(i),
                ] {
                    self.remove(&temp)?;
                }
                self.dirs.insert(dir_of(path).to_path_buf());
            }
        }
        let mut left = Vec::new();
        for (_, step) in self.journal.steps() {
            let Step::RemoveDir { path } = step else {
                continue;
            };
            match self.remove_dir(path) {
                Ok(()) => {}
                Err(_) => left.push(path.clone()),
            }
        }
        self.sync()?;
        Ok(left)
    }

    /// What stands written and removed.
    pub(super) fn applied(&self) -> Applied {
        let mut applied = Applied::default();
        for (_, step) in self.journal.steps() {
            match step {
                Step::Write(write) => applied.written.push(write.path.clone()),
                Step::Remove { path, .. } => applied.removed.push(path.clone()),
                Step::MakeDir { .. } | Step::RemoveDir { .. } => {}
            }
        }
        applied
    }

    /// Removes a temporary file; not an error when it is gone.
    pub(super) fn remove(&mut self, temp: &Path) -> Result<()> {
        match store::remove_if_there(self.disk, temp) {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.dirs.insert(dir_of(temp).to_path_buf());
                Ok(())
            }
            Err(e) if is_absence(&e) => Ok(()),
            Err(e) => Err(Error::io("remove", temp, &e)),
        }
    }

    /// Removes an empty directory through no link; not an error when it is gone or holds something.
    pub(super) fn remove_dir(&mut self, path: &Path) -> io::Result<()> {
        match self.disk.stat(path) {
            Ok(stat) if stat.kind == FileKind::Dir => {}
            Ok(_) => return Ok(()),
            Err(e) if is_absence(&e) => return Ok(()),
            Err(e) => return Err(e),
        }
        match self.disk.remove_dir(path) {
            Ok(()) => {
                self.dirs.remove(path);
                self.dirs.insert(dir_of(path).to_path_buf());
                Ok(())
            }
            Err(e) if is_absence(&e) || e.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Makes the names in all directories touched so far durable.
    pub(super) fn sync(&mut self) -> Result<()> {
        for dir in std::mem::take(&mut self.dirs) {
            match self.disk.sync_dir(&dir) {
                Err(e) if !is_absence(&e) => return Err(Error::io("write", &dir, &e)),
                _ => {}
            }
        }
        Ok(())
    }

    fn make_dir(&mut self, path: &Path, mode: u32) -> Result<()> {
        match self.disk.make_dir(path, mode) {
            Ok(()) => {
                self.done.push(Did::MadeDir(path.to_path_buf()));
                self.dirs.insert(dir_of(path).to_path_buf());
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => match self.disk.stat(path) {
                Ok(stat) if stat.kind == FileKind::Dir => Ok(()),
                Ok(_) => Err(changed(path)),
                Err(e) => Err(Error::io("make the directory", path, &e)),
            },
            Err(e) => Err(Error::io("make the directory", path, &e)),
        }
    }

    fn stage(&mut self, i: usize, write: &Write) -> Result<()> {
        let (path, temp) = (&write.path, self.journal.temp(i));
        let seen = self.disk.stat(path).ok();
        let before = match &write.expect {
            None if !is_absent(self.disk, path)? => return Err(changed(path)),
            None => Vec::new(),
            Some(print) => planned(self.disk, path, print)?.ok_or_else(|| changed(path))?,
        };
        let after = build(write, &before)?;
        self.done.push(Did::Staged(i));
        self.dirs.insert(dir_of(temp).to_path_buf());
        let staged = match (&write.content, after, &write.expect) {
            (_, Some(_), Some(_)) if write.in_place => {
                self.disk.create(temp, &before, Like::Mode(0o600))
            }
            (Content::Copy { source }, _, _) => self.disk.copy_new(source, temp, write.mode),
            (_, Some(after), Some(_)) => self.disk.create(temp, &after, Like::File(path)),
            (_, Some(after), None) => self.disk.create(temp, &after, Like::Umasked(write.mode)),
            (_, None, _) => return Err(Error::bug("a write without content").at(path)),
        };
        staged.map_err(|e| {
            // What `create` copies owner and attributes from may just have gone.
            let gone = write.expect.is_some() && is_absence(&e);
            if gone && is_absent(self.disk, path).unwrap_or(false) {
                return changed(path);
            }
            let error = Error::io("write beside", path, &e);
            match e.kind() {
                ErrorKind::PermissionDenied => error.help(format!(
                    "make its directory writable: chmod u+w '{}'",
                    dir_of(path).display()
                )),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => error.help(format!(
                    "make room on its disk: df -h '{}'",
                    dir_of(path).display()
                )),
                _ => error,
            }
        })?;
        let new = self.disk.stat(temp);
        let new = new.map_err(|e| Error::io("write beside", path, &e))?;
        self.seen.insert(i, (seen, new));
        if let Content::Copy { source } = &write.content
            && !is(self.disk, temp, &write.after)?
        {
            return Err(changed(source));
        }
        Ok(())
    }

    fn keep_copy(&mut self, name: &str, path: &Path) -> Result<()> {
        let bytes = self
            .disk
            .read(path, super::content::CAP)
            .map_err(|e| Error::io("read", path, &e))?;
        let expected = self.journal.transaction.steps.iter().find_map(|s| match s {
            Step::Write(w) if w.path == path => w.expect.as_ref(),
            Step::Remove { path: p, expect } if p == path => Some(expect),
            _ => None,
        });
        if expected.is_some_and(|print| Print::of(&bytes) != *print) {
            return Err(changed(path));
        }
        let bad = || Error::bug(format!("`{name}` is no name for a copy"));
        let mut copy = self.home.file(&format!("saved/{name}")).ok_or_else(bad)?;
        for n in 1.. {
            match store::read_file(self.disk, &copy)? {
                Some(old) if old == bytes => return Ok(()),
                // An older copy is somebody's bytes as well.
                Some(_) => {
                    copy = self
                        .home
                        .file(&format!("saved/{name}.{n}"))
                        .ok_or_else(bad)?;
                }
                None => break,
            }
        }
        self.done.push(Did::SavedCopy(copy.clone()));
        store::write_file(self.disk, &copy, &bytes)
    }

    fn swap(&mut self, i: usize, write: &Write) -> Result<()> {
        let (path, temp) = (&write.path, self.journal.temp(i));
        let io = |e: io::Error| Error::io("replace", path, &e);
        self.dirs.insert(dir_of(path).to_path_buf());
        let Some(expect) = &write.expect else {
            return match self.disk.rename(temp, path, false) {
                Ok(()) => {
                    self.done.push(Did::Created(i));
                    Ok(())
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(changed(path)),
                Err(e) => Err(io(e)),
            };
        };
        let seen = self.seen.get(&i).and_then(|(old, _)| *old);
        if !self.is_unmoved(path, seen) && !is(self.disk, path, expect)? {
            return Err(changed(path));
        }
        match self.disk.exchange(path, temp) {
            Ok(()) => {
                self.done.push(Did::Exchanged(i));
                match is(self.disk, temp, expect)? {
                    true => Ok(()),
                    false => Err(changed(path)),
                }
            }
            Err(e) if is_absence(&e) && is_absent(self.disk, path)? => Err(changed(path)),
            Err(e) if e.kind() == ErrorKind::Unsupported => {
                let old = planned(self.disk, path, expect)?.ok_or_else(|| changed(path))?;
                self.disk.rename(temp, path, true).map_err(io)?;
                self.done.push(Did::Replaced(i, old));
                Ok(())
            }
            Err(e) => Err(io(e)),
        }
    }

    fn overwrite(&mut self, i: usize, write: &Write) -> Result<()> {
        let path = &write.path;
        let expect = write.expect.as_ref();
        let before = expect.map(|p| planned(self.disk, path, p)).transpose()?;
        let before = before.flatten().ok_or_else(|| changed(path))?;
        let after = build(write, &before)?
            .ok_or_else(|| Error::bug("an executable is never overwritten in place").at(path))?;
        self.done.push(Did::Overwritten(i, before));
        self.disk
            .overwrite(path, &after)
            .map_err(|e| Error::io("overwrite", path, &e))
    }

    fn displace(&mut self, i: usize, path: &Path, expect: &Print) -> Result<()> {
        let temp = self.journal.temp(i);
        if !is(self.disk, path, expect)? {
            return Err(changed(path));
        }
        self.dirs.insert(dir_of(path).to_path_buf());
        match self.disk.rename(path, temp, false) {
            Ok(()) => self.done.push(Did::Removed(i)),
            Err(e) if is_absence(&e) => return Err(changed(path)),
            Err(e) => return Err(Error::io("remove", path, &e)),
        }
        match is(self.disk, temp, expect)? {
            true => Ok(()),
            false => Err(changed(path)),
        }
    }

    fn state(&mut self, path: &Path, bytes: Option<&[u8]>) -> Result<()> {
        let old = store::read_file(self.disk, path)?;
        self.ledger.push((path.to_path_buf(), old));
        match bytes {
            Some(bytes) => store::write_file(self.disk, path, bytes),
            None => store::drop_file(self.disk, path),
        }
    }

    fn state_path(&self, name: &str) -> Result<PathBuf> {
        let path = self.home.file(name);
        path.ok_or_else(|| Error::bug(format!("`{name}` is no file of the state home")))
    }

    /// Is that still the same file, by `lstat`? It spares reading a large one; who writes within one tick of
    /// the clock is found out when the displaced file is hashed, or is as one who writes right after us.
    fn is_unmoved(&self, path: &Path, seen: Option<Stat>) -> bool {
        let facts = |s: Stat| (s.kind, s.id, s.len, s.mtime_ns);
        let now = self.disk.stat(path).ok();
        seen.is_some() && now.map(facts) == seen.map(facts)
    }

    fn wrote(&self, path: &Path) -> bool {
        self.done.iter().any(|did| {
            let (Did::Exchanged(i)
            | Did::Created(i)
            | Did::Replaced(i, _)
            | Did::Overwritten(i, _)) = did
            else {
                return false;
            };
            matches!(self.journal.transaction.steps.get(*i), Some(Step::Write(w)) if w.path == path)
        })
    }
}

/// A file of ours is recorded with the permissions that it has: only the disk knows what the umask has left.
pub(super) fn as_it_stands(disk: &dyn Disk, record: &Record) -> Record {
    let mut record = record.clone();
    if let Body::Tree(tree) = &mut record.body
        && let Ok(stat) = disk.stat(&record.real)
    {
        tree.mode = stat.mode;
    }
    record
}

fn changed(path: &Path) -> Error {
    let text = format!("`{}` changed while we were at work", path.display());
    Error::failed(CHANGED, text)
        .at(path)
        .help("close the program that writes it, and run the same command again")
}
