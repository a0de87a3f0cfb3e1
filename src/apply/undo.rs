//! Bringing back what a run did. May not overwrite what anybody has written since.

use super::content::{CAP, build, is, is_absence, is_absent, is_torn};
use super::journal::dir_of;
use super::run::{Did, Run};
use crate::error::{Error, Result};
use crate::ledger::{Print, store};
use crate::plan::steps::Step;
use crate::sys::Like;
use std::io::{self, ErrorKind};
use std::path::Path;

impl Run<'_> {
    /// Brings everything back that this run did. The ledger first: as long as it isn't back, the files stay
    /// as they are, so that recovery completes instead.
    pub(super) fn undo(&mut self) -> Result<()> {
        while let Some((path, old)) = self.ledger.pop() {
            match old {
                Some(bytes) => store::write_file(self.disk, &path, &bytes)?,
                None => store::drop_file(self.disk, &path)?,
            }
        }
        let mut first = Ok(());
        for did in std::mem::take(&mut self.done).into_iter().rev() {
            let undone = self.undo_one(did);
            if first.is_ok() {
                first = undone;
            }
        }
        first.and_then(|()| self.sync())
    }

    /// Brings a displaced file back to its place, ours away; also what anybody puts there meanwhile.
    pub(super) fn put_back(&self, path: &Path, temp: &Path, ours: &Print) -> Result<()> {
        // What the temporary name must show after an exchange: that which stood at the target before it.
        let mut expected = ours.clone();
        for _ in 0..8 {
            let coming = self.print(temp)?;
            match self.disk.exchange(path, temp) {
                Ok(()) => {}
                // Somebody removed the target since: that is the last word.
                Err(e) if is_absence(&e) && is_absent(self.disk, path)? => return Ok(()),
                Err(e) => return Err(Error::io("put back", path, &e)),
            }
            if is(self.disk, temp, &expected)? {
                return Ok(());
            }
            match coming {
                Some(print) => expected = print,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn undo_one(&mut self, did: Did) -> Result<()> {
        let step = |i: usize| match self.journal.transaction.steps.get(i) {
            Some(Step::Write(write)) => Ok(write),
            _ => Err(Error::bug("a write that isn't in the journal")),
        };
        match did {
            Did::MadeDir(path) => self
                .remove_dir(&path)
                .map_err(|e| Error::io("remove the directory", &path, &e)),
            Did::SavedCopy(path) => store::drop_file(self.disk, &path),
            Did::Staged(i) => {
                let temp = self.journal.temp(i).to_path_buf();
                self.remove(&temp)
            }
            Did::Exchanged(i) => {
                let write = step(i)?;
                self.dirs.insert(dir_of(&write.path).to_path_buf());
                match is(self.disk, &write.path, &write.after)? {
                    true => self.put_back(&write.path, self.journal.temp(i), &write.after),
                    // Somebody has written there since; what was displaced is older than that.
                    false => Ok(()),
                }
            }
            Did::Created(i) => {
                let write = step(i)?;
                self.dirs.insert(dir_of(&write.path).to_path_buf());
                self.take_away(&write.path, self.journal.temp(i), &write.after)
            }
            Did::Replaced(i, bytes) => {
                let (write, temp) = (step(i)?, self.journal.second_temp(i));
                self.dirs.insert(dir_of(&write.path).to_path_buf());
                if !is(self.disk, &write.path, &write.after)? {
                    return Ok(());
                }
                self.disk
                    .create(&temp, &bytes, Like::File(&write.path))
                    .and_then(|()| self.disk.rename(&temp, &write.path, true))
                    .map_err(|e| Error::io("put back", &write.path, &e))
            }
            Did::Overwritten(i, before) => {
                let write = step(i)?;
                let found = self.disk.read(&write.path, CAP);
                let found = found.map_err(|e| Error::io("read", &write.path, &e))?;
                match build(write, &before)? {
                    Some(after) if is_torn(&found, &before, &after) => self
                        .disk
                        .overwrite(&write.path, &before)
                        .map_err(|e| Error::io("put back", &write.path, &e)),
                    _ => Ok(()),
                }
            }
            Did::Removed(i) => match self.journal.transaction.steps.get(i) {
                Some(Step::Remove { path, .. }) => {
                    let temp = self.journal.temp(i).to_path_buf();
                    self.return_removed(path, &temp)
                }
                _ => Err(Error::bug("a removal that isn't in the journal")),
            },
        }
    }

    /// Gives a removed file its name again, unless somebody has taken that meanwhile.
    pub(super) fn return_removed(&mut self, path: &Path, temp: &Path) -> Result<()> {
        self.dirs.insert(dir_of(path).to_path_buf());
        match self.disk.rename(temp, path, false) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => self.remove(temp),
            Err(e) => Err(Error::io("put back", path, &e)),
        }
    }

    /// Removes a file that we created, if it is still ours.
    fn take_away(&self, path: &Path, temp: &Path, ours: &Print) -> Result<()> {
        if !is(self.disk, path, ours)? {
            return Ok(());
        }
        let io = |e: io::Error| Error::io("remove", path, &e);
        self.disk.rename(path, temp, false).map_err(io)?;
        if is(self.disk, temp, ours)? {
            return store::remove_if_there(self.disk, temp)
                .map(|_| ())
                .map_err(io);
        }
        self.disk.rename(temp, path, false).map_err(io)
    }

    fn print(&self, path: &Path) -> Result<Option<Print>> {
        match self.disk.stat(path) {
            Ok(stat) => {
                let sha256 = self.disk.hash(path);
                let sha256 = sha256.map_err(|e| Error::io("read", path, &e))?;
                let len = stat.len;
                Ok(Some(Print { sha256, len }))
            }
            Err(e) if is_absence(&e) => Ok(None),
            Err(e) => Err(Error::io("read", path, &e)),
        }
    }
}
