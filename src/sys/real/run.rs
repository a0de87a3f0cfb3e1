//! Child processes. May not inherit anything but what the caller names, nor outlive the call.

use crate::sys::{Child, Ended, Runner};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, Timespec};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts real processes.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealRunner;

const STDERR_KEPT: usize = 4096;
/// How often we look whether the child is gone although somebody still holds its pipes.
const TICK: Duration = Duration::from_millis(10);

impl Runner for RealRunner {
    fn run(&self, child: &Child<'_>) -> io::Result<Ended> {
        if !child.program.is_absolute() {
            let text = "a program is started by its absolute path only";
            return Err(io::Error::new(ErrorKind::InvalidInput, text));
        }
        let start = Instant::now();
        let mut process = Group(spawn(child)?);
        let mut stdin = process.0.stdin.take();
        let mut stdout = process.0.stdout.take();
        let mut stderr = process.0.stderr.take();
        nonblocking(stdin.as_ref())?;
        nonblocking(stdout.as_ref())?;
        nonblocking(stderr.as_ref())?;
        let mut to_write = child.stdin;
        let mut ended = Ended {
            code: None,
            timed_out: false,
            overflowed: false,
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        loop {
            let exited = process.has_exited()?;
            feed(&mut stdin, &mut to_write);
            drain(&mut stdout, &mut ended.stdout);
            drain(&mut stderr, &mut ended.stderr);
            let surplus = ended.stderr.len().saturating_sub(STDERR_KEPT);
            ended.stderr.drain(..surplus);
            ended.overflowed = ended.stdout.len() > child.stdout_cap;
            // Whatever it wrote before it ended stood in the pipe when it was drained just now.
            if exited || ended.overflowed {
                break;
            }
            let left = child.limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                ended.timed_out = true;
                break;
            }
            wait_for_news(&stdin, &stdout, &stderr, left.min(TICK))?;
        }
        ended.stdout.truncate(child.stdout_cap);
        let status = process.end()?;
        if !ended.timed_out && !ended.overflowed {
            ended.code = status.code();
        }
        Ok(ended)
    }
}

/// A child that leads its own process group; the group goes when this goes.
struct Group(std::process::Child);

impl Group {
    /// Leaves the dead child in the table, so that its group's number can't belong to anybody else yet.
    fn has_exited(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(self.pid()?), options)?.is_some())
    }

    fn end(mut self) -> io::Result<std::process::ExitStatus> {
        self.kill();
        self.0.wait()
    }

    fn kill(&self) {
        if let Ok(pid) = self.pid() {
            // Fails only when nobody is left.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
    }

    fn pid(&self) -> io::Result<Pid> {
        let id = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        id.ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Only on an error of ours: `end` has waited already, and then the number may be somebody else's.
        if let Ok(None) = self.0.try_wait() {
            self.kill();
            let _ = self.0.wait();
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "the one place that starts processes: absolute path, own environment, own process group"
)]
fn spawn(child: &Child<'_>) -> io::Result<std::process::Child> {
    let mut tries = 0;
    loop {
        let started = Command::new(&child.program)
            .args(&child.args)
            .env_clear()
            .envs(child.env.iter().map(|(k, v)| (k, v)))
            .current_dir(&child.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn();
        match started {
            // A file just written counts as busy while any other thread stands between fork and exec.
            Err(e) if e.kind() == ErrorKind::ExecutableFileBusy && tries < 10 => {
                tries += 1;
                std::thread::sleep(TICK);
            }
            other => return other,
        }
    }
}

fn nonblocking(stream: Option<&impl AsFd>) -> io::Result<()> {
    if let Some(stream) = stream {
        let flags = rustix::fs::fcntl_getfl(stream)?;
        rustix::fs::fcntl_setfl(stream, flags | OFlags::NONBLOCK)?;
    }
    Ok(())
}

/// Writes what the pipe takes; closes it at the end, or when nobody reads.
fn feed(stdin: &mut Option<ChildStdin>, rest: &mut &[u8]) {
    while let Some(pipe) = stdin {
        if rest.is_empty() {
            *stdin = None;
            return;
        }
        match pipe.write(rest) {
            Ok(n) => *rest = rest.get(n..).unwrap_or_default(),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => return,
            Err(_) => *stdin = None,
        }
    }
}

/// Reads what is there, at most a megabyte in one go so that endless output can't starve the limit.
fn drain<R: Read>(stream: &mut Option<R>, out: &mut Vec<u8>) {
    let mut block = [0; 16 * 1024];
    for _ in 0..64 {
        let Some(pipe) = stream else { return };
        match pipe.read(&mut block) {
            Ok(0) => *stream = None,
            Ok(n) => out.extend_from_slice(block.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => return,
            Err(_) => *stream = None,
        }
    }
}

fn wait_for_news(
    stdin: &Option<ChildStdin>,
    stdout: &Option<impl AsFd>,
    stderr: &Option<impl AsFd>,
    time: Duration,
) -> io::Result<()> {
    let mut fds = Vec::with_capacity(3);
    fds.extend(stdin.iter().map(|s| PollFd::new(s, PollFlags::OUT)));
    fds.extend(stdout.iter().map(|s| PollFd::new(s, PollFlags::IN)));
    fds.extend(stderr.iter().map(|s| PollFd::new(s, PollFlags::IN)));
    // With both outputs closed the child is about to end: look again soon.
    let time = if stdout.is_none() && stderr.is_none() {
        time.min(Duration::from_millis(1))
    } else {
        time
    };
    let time = Timespec {
        tv_sec: 0,
        tv_nsec: time.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, stdin: &[u8], limit_ms: u64, cap: usize) -> Ended {
        let child = Child {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![("ONLY".into(), "this".into())],
            cwd: "/".into(),
            stdin,
            limit: Duration::from_millis(limit_ms),
            stdout_cap: cap,
        };
        RealRunner.run(&child).unwrap()
    }

    #[test]
    fn input_output_code_and_environment() {
        let big = vec![b'x'; 300_000];
        let e = sh("cat; echo oops >&2; exit 3", &big, 10_000, 1 << 20);
        assert_eq!((e.code, e.stdout.len()), (Some(3), 300_000));
        assert_eq!(e.stderr, b"oops\n");
        let e = sh("echo $ONLY-$HOME-$USER; pwd", b"", 10_000, 1 << 20);
        assert_eq!(e.stdout, b"this--\n/\n");
    }

    #[test]
    fn a_child_that_reads_nothing_is_no_error() {
        let big = vec![b'x'; 300_000];
        let e = sh("exit 0", &big, 10_000, 100);
        assert_eq!(e.code, Some(0));
    }

    #[test]
    fn the_limit_ends_the_whole_group() {
        let start = Instant::now();
        let e = sh("sleep 30 & echo $!; sleep 30", b"", 200, 1 << 20);
        assert!(e.timed_out && e.code.is_none());
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(is_gone(&e.stdout), "the grandchild lives");
    }

    #[test]
    fn a_grandchild_that_holds_the_pipe_delays_nothing_and_ends_too() {
        let start = Instant::now();
        let e = sh("sleep 30 & echo $!; exit 5", b"", 20_000, 1 << 20);
        assert_eq!(e.code, Some(5));
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(is_gone(&e.stdout), "the grandchild lives");
    }

    #[test]
    fn endless_output_is_cut() {
        let e = sh("yes", b"", 20_000, 1000);
        assert!(e.overflowed && !e.timed_out);
        assert_eq!(e.stdout.len(), 1000);
        let e = sh("yes >&2", b"", 300, 1000);
        assert!(e.timed_out);
        assert_eq!(e.stderr.len(), STDERR_KEPT);
    }

    #[test]
    fn a_relative_program_is_refused() {
        let child = Child {
            program: "sh".into(),
            cwd: "/".into(),
            limit: TICK,
            ..Child::default()
        };
        assert!(RealRunner.run(&child).is_err());
    }

    fn is_gone(pid: &[u8]) -> bool {
        let pid: i32 = String::from_utf8_lossy(pid).trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        (0..100).any(|_| {
            let stat = fs_err::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            let dead = stat.map_or(true, |s| s.contains(") Z "));
            std::thread::sleep(Duration::from_millis(if dead { 0 } else { 20 }));
            dead
        })
    }
}
