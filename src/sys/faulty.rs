//! A disk on which one operation goes wrong: for tests of what happens then. May not add behaviour of its own.

use super::{Disk, Like, Lock, Stat};
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the chosen operation goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It isn't done and reports this error number; all others work.
    Fails(i32),
    /// A write gets half of its bytes onto the disk, leaves them there and reports this error number.
    /// Operations that write no bytes fail as with `Fails`.
    Short(i32),
    /// It and every later one fails, as after a kill; a write gets half of its bytes onto the disk.
    Dies,
}

/// Wraps a disk; its `at`-th operation (from 0) goes wrong.
pub struct FaultyDisk<'a> {
    inner: &'a dyn Disk,
    fault: Fault,
    at: u64,
    count: Cell<u64>,
}

impl<'a> FaultyDisk<'a> {
    /// A disk whose `at`-th operation goes wrong.
    pub fn new(inner: &'a dyn Disk, at: u64, fault: Fault) -> Self {
        Self {
            inner,
            fault,
            at,
            count: Cell::new(0),
        }
    }

    /// Did the fault strike yet?
    pub fn struck(&self) -> bool {
        self.count.get() > self.at
    }

    fn go(&self) -> io::Result<()> {
        let n = self.count.get();
        self.count.set(n + 1);
        match self.fault {
            Fault::Fails(code) | Fault::Short(code) if n == self.at => {
                Err(io::Error::from_raw_os_error(code))
            }
            Fault::Dies if n >= self.at => Err(io::Error::other("the process is dead")),
            _ => Ok(()),
        }
    }

    /// As `go`; says whether this very write leaves a half behind.
    fn go_writing(&self) -> Result<(), (io::Error, bool)> {
        let now = self.count.get() == self.at && !matches!(self.fault, Fault::Fails(_));
        self.go().map_err(|e| (e, now))
    }
}

impl Disk for FaultyDisk<'_> {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.go()?;
        self.inner.stat(path)
    }
    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>> {
        self.go()?;
        self.inner.read(path, cap)
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.go()?;
        self.inner.read_link(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.go()?;
        self.inner.list(path)
    }
    fn may_write_dir(&self, path: &Path) -> bool {
        self.inner.may_write_dir(path)
    }
    fn may_write_file(&self, path: &Path) -> bool {
        self.inner.may_write_file(path)
    }
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.go()?;
        self.inner.make_dir(path, mode)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.go()?;
        self.inner.remove_dir(path)
    }
    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        self.go_writing().map_err(|(e, half)| {
            if half {
                let _ = self.inner.create(path, half_of(bytes), Like::Mode(0o600));
            }
            e
        })?;
        self.inner.create(path, bytes, like)
    }
    fn copy_new(&self, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
        self.go_writing().map_err(|(e, half)| {
            if half && let Ok(bytes) = self.inner.read(from, u64::MAX) {
                let _ = self.inner.create(to, half_of(&bytes), Like::Mode(0o600));
            }
            e
        })?;
        self.inner.copy_new(from, to, mode)
    }
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.go()?;
        self.inner.exchange(a, b)
    }
    fn rename(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()> {
        self.go()?;
        self.inner.rename(from, to, replace)
    }
    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.go_writing().map_err(|(e, half)| {
            if half && let Ok(mut mixed) = self.inner.read(path, u64::MAX) {
                let half = half_of(bytes);
                let covered = half.len().min(mixed.len());
                mixed.splice(..covered, half.iter().copied());
                let _ = self.inner.overwrite(path, &mixed);
            }
            e
        })?;
        self.inner.overwrite(path, bytes)
    }
    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.go()?;
        self.inner.unlink(path)
    }
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.go()?;
        self.inner.set_mode(path, mode)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.go()?;
        self.inner.sync_dir(path)
    }
    fn hash(&self, path: &Path) -> io::Result<String> {
        self.go()?;
        self.inner.hash(path)
    }
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>> {
        self.go()?;
        self.inner.lock(path, wait)
    }
    fn append(&self, path: &Path, line: &[u8], mode: u32) -> io::Result<()> {
        self.go()?;
        self.inner.append(path, line, mode)
    }
}

fn half_of(bytes: &[u8]) -> &[u8] {
    bytes.get(..bytes.len() / 2).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::memory::{MemoryDisk, Thing};

    #[test]
    fn exactly_the_chosen_operation_goes_wrong() {
        let disk = MemoryDisk::default();
        disk.put("/a", Thing::File(b"0123456789".to_vec()), 0o600);
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        let faulty = FaultyDisk::new(&disk, 1, Fault::Fails(28));
        faulty.stat(a).unwrap();
        assert!(!faulty.struck());
        let error = faulty.create(b, b"text", Like::Mode(0o600)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(faulty.struck() && faulty.stat(b).is_err() && faulty.stat(a).is_ok());
        let faulty = FaultyDisk::new(&disk, 0, Fault::Short(5));
        faulty.overwrite(a, b"abcd").unwrap_err();
        assert_eq!(faulty.read(a, 99).unwrap(), b"ab23456789");
        let faulty = FaultyDisk::new(&disk, 0, Fault::Dies);
        faulty.create(b, b"text", Like::Mode(0o600)).unwrap_err();
        faulty.unlink(a).unwrap_err();
        assert_eq!(disk.read(b, 99).unwrap(), b"te");
    }
}
