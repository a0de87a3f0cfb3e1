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
        Ok(rustix::fs::mkdir(path, bits(mode))?)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        Ok(rustix::fs::rmdir(path)?)
    }

    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
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
        let (mut source, _) = open_regular(from)?;
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
        regular(&file)?;
        if file.write(line)? == line.len() {
            Ok(())
        } else {
            Err(io::Error::from(ErrorKind::WriteZero))
        }
    }
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
    open(path, flags, mode)
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
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn dir() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_new_file_is_like_the_old_one() {
        let d = dir();
        let (old, new) = (d.path().join("old"), d.path().join("new"));
        fs_err::write(&old, "x").unwrap();
        fs_err::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).unwrap();
        let flags = rustix::fs::XattrFlags::empty();
        let attributes = rustix::fs::setxattr(&old, "user.gitvow", b"kept", flags).is_ok();
        RealDisk.create(&new, b"y", Like::File(&old)).unwrap();
        assert_eq!(RealDisk.stat(&new).unwrap().mode, 0o640);
        assert_eq!(RealDisk.read(&new, 9).unwrap(), b"y");
        if attributes {
            let mut value = [0u8; 16];
            let n = rustix::fs::getxattr(&new, "user.gitvow", &mut value[..]).unwrap();
            assert_eq!(&value[..n], b"kept");
        }
        let again = RealDisk.create(&new, b"z", Like::Mode(0o600)).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
        assert_eq!(RealDisk.read(&new, 9).unwrap(), b"y");
    }

    #[test]
    fn a_failed_create_leaves_nothing() {
        let d = dir();
        let new = d.path().join("new");
        let gone = d.path().join("gone");
        RealDisk.create(&new, b"y", Like::File(&gone)).unwrap_err();
        assert!(RealDisk.list(d.path()).unwrap().is_empty());
        RealDisk.create(&new, b"", Like::Mode(0o666)).unwrap();
        assert_eq!(RealDisk.stat(&new).unwrap().mode, 0o666);
    }

    #[test]
    fn only_regular_files_of_the_allowed_size_are_read() {
        let d = dir();
        let fifo = d.path().join("fifo");
        rustix::fs::mknodat(
            CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert_eq!(
            RealDisk.read(&fifo, 9).unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
        assert!(RealDisk.hash(&fifo).is_err());
        assert!(RealDisk.overwrite(&fifo, b"x").is_err());
        assert!(RealDisk.append(&fifo, b"x", 0o600).is_err());
        let zero = RealDisk.read(Path::new("/dev/zero"), 9).unwrap_err();
        assert_eq!(zero.kind(), ErrorKind::InvalidInput);
        assert_eq!(
            RealDisk.read(d.path(), 9).unwrap_err().kind(),
            ErrorKind::IsADirectory
        );
        let file = d.path().join("f");
        fs_err::write(&file, "0123456789").unwrap();
        assert_eq!(RealDisk.read(&file, 10).unwrap(), b"0123456789");
        assert_eq!(
            RealDisk.read(&file, 9).unwrap_err().kind(),
            ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn renames_and_exchanges() {
        let d = dir();
        let (a, b) = (d.path().join("a"), d.path().join("b"));
        fs_err::write(&a, "a").unwrap();
        fs_err::write(&b, "b").unwrap();
        let taken = RealDisk.rename(&a, &b, false).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        match RealDisk.exchange(&a, &b) {
            Ok(()) => assert_eq!(RealDisk.read(&a, 1).unwrap(), b"b"),
            Err(e) => assert_eq!(e.kind(), ErrorKind::Unsupported),
        }
        RealDisk.rename(&a, &b, true).unwrap();
        assert_eq!(RealDisk.list(d.path()).unwrap(), [PathBuf::from("b")]);
    }

    #[test]
    fn appending_and_overwriting_follow_no_link() {
        let d = dir();
        let (file, link) = (d.path().join("f"), d.path().join("l"));
        RealDisk.append(&file, b"one\n", 0o600).unwrap();
        RealDisk.append(&file, b"two\n", 0o600).unwrap();
        symlink(&file, &link).unwrap();
        assert!(RealDisk.append(&link, b"three\n", 0o600).is_err());
        assert!(RealDisk.overwrite(&link, b"three\n").is_err());
        assert_eq!(RealDisk.read(&file, 99).unwrap(), b"one\ntwo\n");
        RealDisk.overwrite(&file, b"1").unwrap();
        assert_eq!(RealDisk.read(&file, 99).unwrap(), b"1");
        let of_one = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
        assert_eq!(RealDisk.hash(&file).unwrap(), of_one);
    }

    #[test]
    fn a_copy_can_be_run() {
        let d = dir();
        let copy = d.path().join("true");
        RealDisk
            .copy_new(Path::new("/bin/true"), &copy, 0o755)
            .unwrap();
        assert_eq!(RealDisk.stat(&copy).unwrap().mode & 0o700, 0o700);
        assert_eq!(
            RealDisk.hash(&copy).unwrap(),
            RealDisk.hash(Path::new("/bin/true")).unwrap()
        );
    }
}
