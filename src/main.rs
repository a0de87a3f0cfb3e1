//! Dispatches `hook` before anything else, then parses, runs, prints the error and exits.

use gitvow::cli::{self, Console, Stream, args, escape, render};
use gitvow::sys::real::{RealClock, RealDisk, RealEnv, RealRunner};
use gitvow::sys::{Env, Sys};
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// musl's allocator asks the kernel for each few pages and gives them back at once: 312 calls in a `doctor` over eleven
/// agents, a third of its time.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    if let [_, command, rest @ ..] = words.as_slice()
        && command == "hook"
        && !asks_for_help(rest)
    {
        return ExitCode::from(gitvow::hook::main(rest));
    }
    report_panics();
    let cli = match args::parse(words) {
        Ok(cli) => cli,
        Err(e) => {
            // clap prints help and the version to stdout (0), wrong usage to stderr (2).
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let sys = Sys {
        disk: &RealDisk,
        env: &RealEnv,
        runner: &RealRunner,
        clock: &RealClock,
    };
    let (mut out, mut err) = (stdout(), stderr());
    let no_color = RealEnv.var("NO_COLOR").is_some();
    let mut console = Console::new(
        Stream::new(&mut out, RealEnv.is_terminal(1), cli.color, no_color),
        Stream::new(&mut err, RealEnv.is_terminal(2), cli.color, no_color),
    );
    match cli::run(&cli, &sys, &mut console) {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            let look = console.look_err();
            console.say(&render::error(&e, look));
            ExitCode::from(e.kind.exit_code())
        }
    }
}

/// `gitvow hook --help` as a person types it; no entry was ever written like that.
fn asks_for_help(rest: &[std::ffi::OsString]) -> bool {
    matches!(rest, [word] if word == "--help" || word == "-h")
}

/// A panic is a bug of gitvow: exit 70 with a request to report it, in release builds (`panic = "abort"`) too.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, |l| format!(" at {l}"));
        let payload = panic.payload();
        let what = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let _ = writeln!(
            stderr(),
            "error: a bug in gitvow {}{place}: {}\nhelp: please report it with the command you ran; \
             `gitvow doctor` shows whether anything was left half done",
            env!("CARGO_PKG_VERSION"),
            escape::line(what),
        );
        #[allow(
            clippy::disallowed_methods,
            reason = "aborting would end with a signal instead"
        )]
        std::process::exit(70);
    }));
}
