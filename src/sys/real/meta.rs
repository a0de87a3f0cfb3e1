//! Owner, mode and extended attributes of a file being made. May not touch its bytes.

use super::disk::open;
use crate::sys::Like;
use rustix::fs::{Gid, Mode, OFlags, Uid};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Gives `file` what `like` asks for; the mode comes last, so that nothing is readable too early.
pub(super) fn take_over(file: &File, like: Like<'_>) -> io::Result<()> {
    match like {
        Like::Umasked(_) => Ok(()),
        Like::Mode(mode) => set_mode(file, mode),
        Like::File(path) => {
            let source = open(path, OFlags::RDONLY | OFlags::NOFOLLOW, 0)?;
            let facts = source.metadata()?;
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (facts.uid(), facts.gid()) {
                let uid = Some(Uid::from_raw(facts.uid())).filter(|_| own.uid() != facts.uid());
                let gid = Some(Gid::from_raw(facts.gid())).filter(|_| own.gid() != facts.gid());
                rustix::fs::fchown(file, uid, gid)
                    .map_err(|e| keep("owner and group", e.into()))?;
            }
            copy_attributes(&source, file)?;
            set_mode(file, facts.mode())
        }
    }
}

/// What root makes in another's directory belongs to that directory's owner: a settings file or a state home of root's in a
/// user's home locks the user out (`sudo`, or a rollout with `HOME` set). Where it can't be given, it stays as it is.
pub(super) fn give(file: &File, path: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let owner = path.parent().and_then(|dir| dir.metadata().ok());
    if let Some(owner) = owner.filter(|o| o.uid() != 0) {
        let (uid, gid) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
        let _ = rustix::fs::fchown(file, Some(uid), Some(gid));
    }
}

/// Adds the owner's bits of `mode`, whatever the umask took.
pub(super) fn add_owner_bits(file: &File, mode: u32) -> io::Result<()> {
    let now = file.metadata()?.mode() & 0o7777;
    let wanted = now | (mode & 0o700);
    if wanted == now {
        return Ok(());
    }
    set_mode(file, wanted)
}

fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let bits = Mode::from_raw_mode(mode as rustix::fs::RawMode & 0o7777);
    Ok(rustix::fs::fchmod(file, bits)?)
}

fn keep(what: &str, e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("its {what} can't be kept: {e}"))
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_attributes(from: &File, to: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    use rustix::io::Errno;
    let mut names = Vec::new();
    match sized(&mut names, |buffer| flistxattr(from, buffer)) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        other => other?,
    }
    for name in names.split(|b| *b == 0).filter(|n| !n.is_empty()) {
        let mut value = Vec::new();
        match sized(&mut value, |buffer| fgetxattr(from, name, buffer)) {
            // Not ours to see (`trusted.*`), or removed meanwhile.
            Err(Errno::NOTSUP | Errno::PERM | Errno::ACCESS | Errno::NODATA) => continue,
            other => other?,
        }
        match fsetxattr(to, name, &value, XattrFlags::empty()) {
            Ok(()) | Err(Errno::NOTSUP) => {}
            // Labels that the system itself sets and ordinary users may not.
            Err(Errno::PERM | Errno::ACCESS) if name.starts_with(b"security.") => {}
            Err(e) => {
                let what = format!("attribute `{}`", String::from_utf8_lossy(name));
                return Err(keep(&what, e.into()));
            }
        }
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn sized(
    out: &mut Vec<u8>,
    call: impl Fn(&mut [u8]) -> rustix::io::Result<usize>,
) -> rustix::io::Result<()> {
    // Linux allows 64 KiB for a value and for the list of names.
    for size in [1 << 10, 1 << 16, 1 << 20] {
        out.resize(size, 0);
        match call(out) {
            Ok(size) => {
                out.truncate(size);
                return Ok(());
            }
            Err(rustix::io::Errno::RANGE) => {}
            Err(e) => return Err(e),
        }
    }
    Err(rustix::io::Errno::RANGE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn copy_attributes(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}
