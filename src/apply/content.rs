//! What a file holds and shall hold. May not write.

use crate::error::{Error, Result};
use crate::ledger::Print;
use crate::plan::steps::{Content, Write};
use crate::sys::{Disk, FileKind};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Planning refuses larger files long before.
pub(super) const CAP: u64 = 1 << 30;

/// Is that file there with exactly these bytes?
pub(super) fn is(disk: &dyn Disk, path: &Path, print: &Print) -> Result<bool> {
    let looked =
        disk.stat(path).and_then(|stat| {
            Ok(stat.kind == FileKind::File
                && stat.len == print.len
                && disk.hash(path)? == print.sha256)
        });
    match looked {
        Err(e) if is_absence(&e) => Ok(false),
        other => other.map_err(|e| Error::io("read", path, &e)),
    }
}

/// Is nothing there at all?
pub(super) fn is_absent(disk: &dyn Disk, path: &Path) -> Result<bool> {
    match disk.stat(path) {
        Ok(_) => Ok(false),
        Err(e) if is_absence(&e) => Ok(true),
        Err(e) => Err(Error::io("look at", path, &e)),
    }
}

/// Does the error say that nothing is there?
pub(super) fn is_absence(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The bytes of a file, if they are the planned ones.
pub(super) fn planned(disk: &dyn Disk, path: &Path, print: &Print) -> Result<Option<Vec<u8>>> {
    match disk.read(path, CAP) {
        Ok(bytes) => Ok(Some(bytes).filter(|b| Print::of(b) == *print)),
        // Gone, grown or replaced by a directory or device.
        Err(e)
            if is_absence(&e)
                || matches!(
                    e.kind(),
                    ErrorKind::FileTooLarge | ErrorKind::InvalidInput | ErrorKind::IsADirectory
                ) =>
        {
            Ok(None)
        }
        Err(e) => Err(Error::io("read", path, &e)),
    }
}

/// The new bytes of a write upon the old ones; `None` for a copy, which goes from file to file.
/// They are proven to be the planned ones.
pub(super) fn build(write: &Write, before: &[u8]) -> Result<Option<Vec<u8>>> {
    let bytes = match &write.content {
        Content::Copy { .. } => return Ok(None),
        Content::Text { text } => Some(text.clone().into_bytes()),
        Content::Splices { splices } => {
            let mut out = Vec::with_capacity(usize::try_from(write.after.len).unwrap_or(0));
            let mut at = 0;
            let fits = splices.iter().all(|s| {
                let kept = before.get(at..s.range.start);
                out.extend_from_slice(kept.unwrap_or_default());
                out.extend_from_slice(s.text.as_bytes());
                at = s.range.end;
                kept.is_some()
            });
            let rest = before.get(at..).filter(|_| fits);
            out.extend_from_slice(rest.unwrap_or_default());
            rest.map(|_| out)
        }
    };
    match bytes.filter(|b| Print::of(b) == write.after) {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(
            Error::bug("the planned text doesn't come out of the planned steps").at(&write.path),
        ),
    }
}

/// Is that what an overwriting that was cut short leaves: the new text so far, the old one behind it?
pub(super) fn is_torn(found: &[u8], before: &[u8], after: &[u8]) -> bool {
    let same = found.iter().zip(after).take_while(|(a, b)| a == b).count();
    found.get(same..) == Some(before.get(same..).unwrap_or_default())
}
