//! Dispatches `hook` before anything else, then parses, runs, prints the error and exits.

use gitvow::cli::args::{self, Color};
use gitvow::cli::{self, Console, Stream, escape};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    report_panics();
    let cli = match args::parse(words) {
        Ok(cli) => cli,
        Err(e) => {
            // clap prints help and the version to stdout (0), wrong usage to stderr (2).
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let (mut out, mut err) = (stdout(), stderr());
    let (out_terminal, err_terminal) = (out.is_terminal(), err.is_terminal());
    let no_color = cli.color == Color::Never;
    let mut console = Console::new(
        Stream::new(&mut out, out_terminal, cli.color, no_color),
        Stream::new(&mut err, err_terminal, cli.color, no_color),
    );
    match cli::run(&cli, &mut console) {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            console.say(&format!("error: {}\n", escape::line(&e.sentence())));
            ExitCode::from(e.kind.exit_code())
        }
    }
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
