//! The process's last word: what is said when it can't finish, by a panic or for want of time. It decides
//! nothing; what is said has been laid down before.
//!
//! Needed because agents read most exit codes as "go on": a panic with `panic = "abort"` ends with a
//! signal, and an agent's own time limit counts as allow (facts 13).

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Exit code, standard output, standard error.
pub type Words = (u8, String, String);

static LAID_DOWN: Mutex<Option<Words>> = Mutex::new(None);

/// They are being said: the process is about to end.
static SAID: AtomicBool = AtomicBool::new(false);
/// When the first words were laid down.
static BEGUN: OnceLock<Instant> = OnceLock::new();

/// Lays down what is to be said; replaces what was.
pub fn lay_down(words: Words) {
    BEGUN.get_or_init(Instant::now);
    if let Ok(mut slot) = LAID_DOWN.lock() {
        *slot = Some(words);
    }
}

/// Takes it away before the real answer is written. Doesn't return when it is being said: two answers are none.
pub fn take_back() {
    if let Ok(mut slot) = LAID_DOWN.lock() {
        slot.take();
    }
    while SAID.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// From now on a panic says the laid-down words and exits; without any it exits 0, for the answer was given.
pub fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        // `try_lock`: the panic may have come while the words were being changed.
        let words = LAID_DOWN.try_lock().ok().and_then(|mut slot| slot.take());
        let place = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        say(words.map(|(exit, out, err)| (exit, out, format!("{err}gitvow: a bug at {place}\n"))));
    }));
}

/// Says the laid-down words and exits if they are still there `limit` after the first were laid down.
pub fn after(limit: Duration) {
    let until = *BEGUN.get_or_init(Instant::now) + limit;
    // Without a thread to be had there is no such limit, and still an answer.
    let watch = std::thread::Builder::new().stack_size(64 << 10);
    let _ = watch.spawn(move || {
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        let words = LAID_DOWN.lock().ok().and_then(|mut slot| {
            let words = slot.take();
            SAID.store(words.is_some(), Ordering::Release);
            words
        });
        if words.is_some() {
            say(words);
        }
    });
}

fn say(words: Option<Words>) {
    let (mut exit, out, err) = words.unwrap_or_default();
    let mut stdout = io::stdout();
    let said = stdout
        .write_all(out.as_bytes())
        .and_then(|()| stdout.flush());
    // Words with text are denials, but for the form that Cursor's prompt must have; where they can't be delivered the exit
    // code is left.
    if said.is_err() && !out.is_empty() {
        exit = 2;
    }
    let _ = io::stderr().write_all(err.as_bytes());
    #[allow(
        clippy::disallowed_methods,
        reason = "a panic or a stuck thread can't return to main"
    )]
    std::process::exit(i32::from(exit));
}

/// Standard input that gives up (`TimedOut`) at a time, for a stream that stays open without a word.
#[derive(Debug)]
pub struct Stdin {
    until: Instant,
}

impl Stdin {
    /// Gives up `limit` from now.
    pub fn new(limit: Duration) -> Self {
        Self {
            until: Instant::now() + limit,
        }
    }

    /// Takes what still comes, to the end or for `limit`: a caller that writes a newline behind its payload
    /// must not meet a closed pipe (seen with Python callers that write unbuffered).
    pub fn drain(mut self, limit: Duration) {
        self.until = Instant::now() + limit;
        let mut buf = [0; 4096];
        let mut most = 256;
        while most > 0 && self.read(&mut buf).is_ok_and(|n| n > 0) {
            most -= 1;
        }
    }
}

impl Read for Stdin {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let limit = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        if poll(&mut fds, Some(&limit))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(rustix::io::read(stdin, buf)?)
    }
}
