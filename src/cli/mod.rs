//! The command line. One command a file; the commands gather, plan and apply, and decide nothing themselves.
//!
//! A command is `pub fn run(args: &args::X, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8>`: the
//! number is the exit code, an error is printed by `main` and brings its own.

pub mod agents;
pub mod args;
pub mod check;
pub mod console;
pub mod diff;
pub mod doctor;
pub mod generate;
pub mod install;
mod notes;
pub mod output;
pub mod probe;
mod purge;
pub mod render;
mod run;
pub mod selftest;
pub mod session;
pub mod uninstall;

use crate::error::Result;
pub use crate::escape;
use crate::sys::Sys;
use args::{Cli, Command};
pub use console::{Console, Stream};
use std::ffi::OsString;

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
        Command::Doctor(a) => doctor::run(a, sys, console),
        Command::Selftest(a) => selftest::run(a, sys, console),
        Command::Hook(a) => Ok(hook(a)),
        Command::Agents(a) => agents::run(a, sys, console),
        Command::Check(a) => check::run(a, sys, console),
        Command::Generate(a) => generate::run(a, console),
    }
}

/// Only a call with an option before the word comes here (`gitvow --color never hook …`): `main` takes all others.
fn hook(args: &args::Hook) -> u8 {
    let mut words: Vec<OsString> = Vec::new();
    if let Some(agent) = &args.agent {
        words.extend(["--agent".into(), agent.into()]);
    }
    words.push(args.event.clone().into());
    crate::hook::main(&words)
}
