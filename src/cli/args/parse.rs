//! From words to [`Cli`]: clap's rules, and the few that clap can't say. Acts on nothing.

use super::{Cli, Command};
use crate::spec::Scope;
use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// Reads the command line; the program's name comes first. The error is clap's own and knows whether it
/// is help (exit 0, standard output) or wrong usage (exit 2).
pub fn parse<I, T>(args: I) -> Result<Cli, clap::Error>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let words: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let colour = spoken_colour(&words);
    let matches = Cli::command().color(colour).try_get_matches_from(words)?;
    let cli = Cli::from_arg_matches(&matches)?;
    match misuse(&cli.command) {
        Some((name, message)) => Err(misused(name, message, colour)),
        None => Ok(cli),
    }
}

/// `--color` as it stands on the command line, for clap's own messages: they come before it is parsed.
fn spoken_colour(words: &[OsString]) -> ColorChoice {
    let mut words = words
        .iter()
        .filter_map(|w| w.to_str())
        .take_while(|w| *w != "--");
    let mut choice = ColorChoice::Auto;
    while let Some(word) = words.next() {
        let wish = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => continue,
        };
        choice = match wish {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            _ => choice,
        };
    }
    choice
}

fn misused(name: &str, message: &str, colour: ColorChoice) -> clap::Error {
    let mut root = Cli::command().color(colour);
    root.build();
    let command = root.find_subcommand_mut(name);
    match command {
        Some(command) => command.error(ErrorKind::ArgumentConflict, message),
        None => root.error(ErrorKind::ArgumentConflict, message),
    }
}

/// What clap's own rules can't say: the subcommand's name and the fault.
fn misuse(command: &Command) -> Option<(&'static str, &'static str)> {
    let place = match command {
        Command::Install(a) => &a.choice.place,
        Command::Uninstall(a) => &a.choice.place,
        Command::Doctor(a) => &a.choice.place,
        Command::Selftest(a) => &a.choice.place,
        Command::Hook(_) | Command::Agents(_) | Command::Check(_) | Command::Generate(_) => {
            return None;
        }
    };
    let name = command.name();
    if place.repo.is_some() && !matches!(place.scope, Some(Scope::Repo | Scope::Local)) {
        return Some((name, "--repo needs --scope repo or --scope local"));
    }
    match command {
        Command::Install(a) if a.on_missing.is_some() && place.scope != Some(Scope::Repo) => {
            Some((name, "--on-missing needs --scope repo"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Cli, ErrorKind> {
        parse(line.split(' ')).map_err(|e| e.kind())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_form_of_the_reference_is_read() {
        for line in [
            "gitvow install --agent claude --agent codex --all --scope user --dry-run --json --no-diff --force --adopt",
            "gitvow install --scope repo --repo /r --on-missing block",
            "gitvow uninstall --agent claude --all --scope local --repo /r --dry-run --json --no-diff --force --keep /a --keep /b",
            "gitvow uninstall --everywhere --purge",
            "gitvow doctor --agent claude --all --scope repo --repo /r --json --probe",
            "gitvow selftest --agent claude --scope repo --repo /r --json",
            "gitvow hook --agent claude PreToolUse",
            "gitvow agents --json",
            "gitvow check --json -- git push --force",
            "gitvow check --policy",
            "gitvow generate man",
            "gitvow generate schema",
            "gitvow generate schema planner",
            "gitvow --color never doctor",
            "gitvow doctor --color always",
        ] {
            assert!(read(line).is_ok(), "{line}: {:?}", read(line).err());
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for line in [
            "gitvow",
            "gitvow nonsense",
            "gitvow install --repo /r",
            "gitvow doctor --repo /r --scope user",
            "gitvow install --no-diff",
            "gitvow install --keep /a",
            "gitvow install --on-missing block",
            "gitvow install --scope team",
            "gitvow uninstall --purge",
            "gitvow uninstall --adopt",
            "gitvow uninstall --everywhere --agent claude",
            "gitvow doctor --dry-run",
            "gitvow check",
            "gitvow check ls",
            "gitvow generate",
            "gitvow --color maybe doctor",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_check_takes_its_command_as_it_stands() {
        let Ok(Cli {
            command: Command::Check(check),
            ..
        }) = read("gitvow check -- git -C x --json push")
        else {
            panic!("not read");
        };
        assert_eq!(check.command, ["git", "-C", "x", "--json", "push"]);
        assert!(!check.json.json);
    }
}
