//! Files and directories. May not retry and may not follow a link where the caller resolved the path.

use super::{lock, meta};
use crate::sys::{Disk, FileKind, Like, Lock, Stat};
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        Ok(stat_of(&path.symlink_metadata()?))
    }

    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>> {
        let (file, len) = open_regular(path)?;
        if len > cap {
            return Err(too_large(len, cap));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        file.take(cap.saturating_add(1)).read_to_end(&mut bytes)?;
        let got = bytes.len() as u64;
        // It grew while it was read.
        if got > cap {
            return Err(too_large(got, cap));
        }
        Ok(bytes)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        path.read_link()
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for entry in path.read_dir()? {
            names.push(PathBuf::from(entry?.file_name()));
        }
        names.sort();
        Ok(names)
    }

    fn may_write_dir(&self, path: &Path) -> bool {
        may(path, Access::WRITE_OK | Access::EXEC_OK)
    }

    fn may_write_file(&self, path: &Path) -> bool {
        may(path, Access::WRITE_OK)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        rustix::fs::mkdir(path, bits(mode))?;
        if let Ok(dir) = open(
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW,
            0,
        ) {
            meta::give(&dir, path);
        }
        Ok(())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        Ok(rustix::fs::rmdir(path)?)
    }

    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        fits(bytes.len())?;
        let mut file = open_new(path, first_mode(like))?;
        let done = (|| {
            file.write_all(bytes)?;
            meta::take_over(&file, like)?;
            file.sync_all()
        })();
        drop(file);
        clean_up(path, done)
    }

    fn copy_new(&self, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
        let (mut source, len) = open_regular(from)?;
        fits(usize::try_from(len).unwrap_or(usize::MAX))?;
        let mut file = open_new(to, mode)?;
        let done = (|| {
            io::copy(&mut source, &mut file)?;
            // A umask such as 0177 would make a launcher that its own user can't run.
            meta::add_owner_bits(&file, mode)?;
            file.sync_all()
        })();
        drop(file);
        clean_up(to, done)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        exchange(a, b)
    }

    fn rename(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()> {
        if replace {
            return Ok(rustix::fs::rename(from, to)?);
        }
        rename_new(from, to)
    }

    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fits(bytes.len())?;
        // Without O_TRUNC: a reader then sees the old length or the new text, never nothing.
        let mut file = open(path, OFlags::WRONLY | OFlags::NOFOLLOW, 0)?;
        regular(&file)?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        file.sync_all()
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        Ok(rustix::fs::unlink(path)?)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::chmod(path, bits(mode))?)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let dir = open(path, OFlags::RDONLY | OFlags::DIRECTORY, 0)?;
        match dir.sync_all() {
            // Some file systems (FUSE, some network ones) have no fsync for directories.
            Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                Ok(())
            }
            other => other,
        }
    }

    fn hash(&self, path: &Path) -> io::Result<String> {
        let (mut file, _) = open_regular(path)?;
        let mut hasher = Sha256::new();
        let mut block = vec![0; 64 * 1024];
        loop {
            let got = file.read(&mut block)?;
            let Some(part) = block.get(..got).filter(|p| !p.is_empty()) else {
                break;
            };
            hasher.update(part);
        }
        Ok(hex(&hasher.finalize()))
    }

    fn lock(&self, path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>> {
        lock::take(path, wait)
    }

    fn append(&self, path: &Path, line: &[u8], mode: u32) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
        let mut file = open(path, flags, mode)?;
        let there = regular(&file)?.len();
        if there == 0 {
            meta::give(&file, path);
        }
        fits(
            usize::try_from(there)
                .unwrap_or(usize::MAX)
                .saturating_add(line.len()),
        )?;
        if file.write(line)? == line.len() {
            Ok(())
        } else {
            Err(io::Error::from(ErrorKind::WriteZero))
        }
    }
}

/// May this process make a file so large? The kernel ends one that writes beyond its limit (SIGXFSZ, `ulimit -f`): a hook
/// would be gone before its answer, and most agents go on then.
pub(super) fn fits(len: usize) -> io::Result<()> {
    let most = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if most.is_some_and(|most| u64::try_from(len).unwrap_or(u64::MAX) > most) {
        return Err(rustix::io::Errno::FBIG.into());
    }
    Ok(())
}

/// Opens anything without waiting for anybody at the other end of a FIFO, and without gaining a terminal.
pub(super) fn open(path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
    let always = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags | always, bits(mode))?.into())
}

/// The file's facts, if it is a regular file.
pub(super) fn regular(file: &File) -> io::Result<Metadata> {
    let facts = file.metadata()?;
    if facts.is_file() {
        return Ok(facts);
    }
    Err(not_regular(&facts))
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    // Looked at before it is opened: opening alone has effects on some devices.
    let facts = path.metadata()?;
    if !facts.is_file() {
        return Err(not_regular(&facts));
    }
    let file = open(path, OFlags::RDONLY, 0)?;
    let len = regular(&file)?.len();
    Ok((file, len))
}

/// Only the kernel knows the umask and a directory's default access list, so a file that is to have
/// "these bits less the umask" is made with them at once; any other starts as 0600.
fn first_mode(like: Like<'_>) -> u32 {
    match like {
        Like::Umasked(mode) => mode,
        Like::Mode(_) | Like::File(_) => 0o600,
    }
}

fn open_new(path: &Path, mode: u32) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let file = open(path, flags, mode)?;
    meta::give(&file, path);
    Ok(file)
}

fn clean_up(path: &Path, done: io::Result<()>) -> io::Result<()> {
    if done.is_err() {
        // The first error is the one to report; recovery removes what can't be removed now.
        let _ = rustix::fs::unlink(path);
    }
    done
}

fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rename_noreplace(from, to) {
        Err(e) if e.kind() == ErrorKind::Unsupported => {}
        other => return other,
    }
    // A hard link fails by itself when the name is taken.
    match rustix::fs::link(from, to) {
        Ok(()) => {
            return rustix::fs::unlink(from).map_err(|e| {
                let _ = rustix::fs::unlink(to);
                e.into()
            });
        }
        Err(rustix::io::Errno::EXIST) => return Err(ErrorKind::AlreadyExists.into()),
        Err(_) => {}
    }
    match to.symlink_metadata() {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(rustix::fs::rename(from, to)?),
        Err(e) => Err(e),
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_with(from: &Path, to: &Path, flags: rustix::fs::RenameFlags) -> io::Result<()> {
    use rustix::io::Errno;
    match rustix::fs::renameat_with(CWD, from, CWD, to, flags) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(ErrorKind::Unsupported.into()),
        other => Ok(other?),
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    rename_with(a, b, rustix::fs::RenameFlags::EXCHANGE)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_noreplace(from: &Path, to: &Path) -> io::Result<()> {
    rename_with(from, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_noreplace(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn may(path: &Path, access: Access) -> bool {
    rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
}

fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as rustix::fs::RawMode & 0o7777)
}

fn stat_of(facts: &Metadata) -> Stat {
    let kind = facts.file_type();
    Stat {
        kind: if kind.is_file() {
            FileKind::File
        } else if kind.is_dir() {
            FileKind::Dir
        } else if kind.is_symlink() {
            FileKind::Link
        } else {
            FileKind::Other
        },
        mode: facts.mode() & 0o7777,
        len: facts.len(),
        links: facts.nlink(),
        uid: facts.uid(),
        gid: facts.gid(),
        mtime_ns: i128::from(facts.mtime()) * 1_000_000_000 + i128::from(facts.mtime_nsec()),
        ctime_ns: i128::from(facts.ctime()) * 1_000_000_000 + i128::from(facts.ctime_nsec()),
        id: (facts.dev(), facts.ino()),
    }
}

fn not_regular(facts: &Metadata) -> io::Error {
    let kind = facts.file_type();
    if kind.is_dir() {
        return ErrorKind::IsADirectory.into();
    }
    let what = if kind.is_fifo() {
        "it is a FIFO, not a regular file"
    } else if kind.is_socket() {
        "it is a socket, not a regular file"
    } else {
        "it is a device, not a regular file"
    };
    io::Error::new(ErrorKind::InvalidInput, what)
}

fn too_large(len: u64, cap: u64) -> io::Error {
    let text = format!("it holds {len} bytes, more than the {cap} that are read");
    io::Error::new(ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
