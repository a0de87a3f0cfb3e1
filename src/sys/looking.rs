//! A disk for commands that only look. It changes nothing whatever it is asked, and asks for each directory, link and
//! absence once: eleven agents' paths have most of their directories in common (472 calls of `lstat` became 130).
//!
//! A file is asked for each time: it may be read again because it was half written.

use super::{Disk, FileKind, Like, Lock, Stat};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Wraps a disk.
pub struct LookingDisk<'a> {
    inner: &'a dyn Disk,
    /// `None`: nothing is there. By its bytes: comparing paths part by part costs more than what is saved.
    seen: RefCell<HashMap<OsString, Option<Stat>>>,
}

impl<'a> LookingDisk<'a> {
    /// The same disk, for looking.
    pub fn new(inner: &'a dyn Disk) -> Self {
        Self {
            inner,
            seen: RefCell::default(),
        }
    }
}

fn no() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "this command only looks")
}

impl Disk for LookingDisk<'_> {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        if let Some(seen) = self.seen.borrow().get(path.as_os_str()) {
            return seen.ok_or_else(|| ErrorKind::NotFound.into());
        }
        let stat = self.inner.stat(path);
        let seen = match &stat {
            Ok(stat) if stat.kind == FileKind::File => return Ok(*stat),
            Ok(stat) => Some(*stat),
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(_) => return stat,
        };
        self.seen.borrow_mut().insert(path.into(), seen);
        stat
    }
    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>> {
        self.inner.read(path, cap)
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.read_link(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.inner.list(path)
    }
    fn may_write_dir(&self, _: &Path) -> bool {
        false
    }
    fn may_write_file(&self, _: &Path) -> bool {
        false
    }
    fn make_dir(&self, _: &Path, _: u32) -> io::Result<()> {
        Err(no())
    }
    fn remove_dir(&self, _: &Path) -> io::Result<()> {
        Err(no())
    }
    fn create(&self, _: &Path, _: &[u8], _: Like<'_>) -> io::Result<()> {
        Err(no())
    }
    fn copy_new(&self, _: &Path, _: &Path, _: u32) -> io::Result<()> {
        Err(no())
    }
    fn exchange(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(no())
    }
    fn rename(&self, _: &Path, _: &Path, _: bool) -> io::Result<()> {
        Err(no())
    }
    fn overwrite(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(no())
    }
    fn unlink(&self, _: &Path) -> io::Result<()> {
        Err(no())
    }
    fn set_mode(&self, _: &Path, _: u32) -> io::Result<()> {
        Err(no())
    }
    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        Err(no())
    }
    fn hash(&self, path: &Path) -> io::Result<String> {
        self.inner.hash(path)
    }
    // Beside a journal a reader waits for whoever is writing it.
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>> {
        self.inner.lock(path, wait)
    }
    fn append(&self, _: &Path, _: &[u8], _: u32) -> io::Result<()> {
        Err(no())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::memory::{MemoryDisk, Thing};

    #[test]
    fn directories_are_asked_for_once_files_each_time_and_nothing_changes() {
        let disk = MemoryDisk::default();
        let (dir, file, gone) = (Path::new("/d"), Path::new("/d/f"), Path::new("/d/g"));
        disk.put(file, Thing::File(b"one".to_vec()), 0o600);
        let looking = LookingDisk::new(&disk);
        assert_eq!(looking.stat(dir).unwrap().kind, FileKind::Dir);
        assert_eq!(looking.stat(file).unwrap().len, 3);
        assert_eq!(looking.stat(gone).unwrap_err().kind(), ErrorKind::NotFound);
        disk.put(file, Thing::File(b"longer".to_vec()), 0o600);
        disk.put(gone, Thing::File(Vec::new()), 0o600);
        assert_eq!(looking.stat(file).unwrap().len, 6);
        assert_eq!(looking.stat(gone).unwrap_err().kind(), ErrorKind::NotFound);
        looking
            .create(Path::new("/n"), b"", Like::Mode(0o600))
            .unwrap_err();
        looking.unlink(file).unwrap_err();
        assert_eq!(disk.read(file, 99).unwrap(), b"longer");
        assert!(disk.stat(Path::new("/n")).is_err());
    }
}
