//! The one lock. May not be taken on a target itself: after a rename the new file is unlocked (measured).

use super::disk::{fits, open, regular};
use super::meta;
use crate::sys::Lock;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

struct Held(File);

impl Lock for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // Nobody holds it now: a later reader must not name us.
        let _ = self.0.set_len(0);
        let _ = self.0.unlock();
    }
}

/// Tries every 20 ms until `wait` is over.
pub(super) fn take(path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>> {
    let start = Instant::now();
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW;
        let mut file = open(path, flags, 0o600)?;
        let own = regular(&file)?;
        if own.len() == 0 {
            meta::give(&file, path);
        }
        match file.try_lock() {
            // Somebody may have removed the file meanwhile; a lock on a nameless file excludes nobody.
            Ok(()) => match path.symlink_metadata() {
                Ok(named) if (named.dev(), named.ino()) == (own.dev(), own.ino()) => {
                    file.set_len(0)?;
                    let pid = format!("{}\n", std::process::id());
                    fits(pid.len())?;
                    file.write_all(pid.as_bytes())?;
                    return Ok(Box::new(Held(file)));
                }
                Ok(_) => continue,
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            },
            Err(TryLockError::Error(e)) => return Err(e),
            Err(TryLockError::WouldBlock) => {}
        }
        if start.elapsed() >= wait {
            return Err(io::Error::new(
                ErrorKind::TimedOut,
                held_by(&mut file, wait),
            ));
        }
        std::thread::sleep(Duration::from_millis(20).min(wait));
    }
}

fn held_by(file: &mut File, wait: Duration) -> String {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.take(32).read_to_string(&mut text);
    let seconds = wait.as_secs_f32();
    match text.trim().parse::<u32>() {
        Ok(pid) => format!("process {pid} has held the lock for the {seconds} s that we waited"),
        Err(_) => format!("another process has held the lock for the {seconds} s that we waited"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_and_names_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = take(&path, Duration::ZERO).unwrap();
        let error = take(&path, Duration::from_millis(60)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let pid = std::process::id().to_string();
        assert!(error.to_string().contains(&pid), "{error}");
        drop(first);
        let again = take(&path, Duration::ZERO).unwrap();
        assert_eq!(path.symlink_metadata().unwrap().mode() & 0o777, 0o600);
        // Removed while held: the next one makes a new file and locks that.
        fs_err::remove_file(&path).unwrap();
        let other = take(&path, Duration::ZERO).unwrap();
        drop((again, other));
    }
}
