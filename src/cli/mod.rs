//! The command line. One command a file; the commands gather, plan and apply, and decide nothing themselves.
//!
//! A command is `pub fn run(args: &args::X, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8>`: the
//! number is the exit code, an error is printed by `main` and brings its own.

pub mod agents;
pub mod args;
pub mod console;
pub mod diff;
pub mod generate;
pub mod install;
mod notes;
pub mod output;
mod purge;
pub mod render;
mod run;
pub mod session;
pub mod uninstall;

use crate::error::{Error, Result};
pub use crate::escape;
use crate::sys::Sys;
use args::{Cli, Command};
pub use console::{Console, Stream};

/// Runs one command; the exit code. Under `--json` an error that ends the command is a document as well,
/// so that there is always exactly one.
pub fn run(cli: &Cli, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let outcome = dispatch(cli, sys, console);
    if let (Err(e), true) = (&outcome, cli.command.json()) {
        let failure = output::Failure::new(cli.command.name(), e);
        console.print(&output::document(&failure)?)?;
    }
    outcome
}

fn dispatch(cli: &Cli, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    match &cli.command {
        Command::Install(a) => install::run(a, sys, console),
        Command::Uninstall(a) => uninstall::run(a, sys, console),
        Command::Doctor(_) => Err(not_built("doctor")),
        Command::Selftest(_) => Err(not_built("selftest")),
        Command::Hook(_) => Err(not_built("hook")),
        Command::Agents(_) => Err(not_built("agents")),
        Command::Check(_) => Err(not_built("check")),
        Command::Generate(a) => generate::run(a, console),
    }
}

fn not_built(command: &str) -> Error {
    Error::failed("not-built", format!("`gitvow {command}` is not built yet"))
}
