//! One rule against one command. May not read anything.

use super::load::Program;
use super::paths::lexical;
use super::pattern;
use crate::hook::shell::{self, Command, Reading};
use std::path::{Path, PathBuf};

/// Where a command stands.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    /// The whole line.
    pub line: &'a str,
    /// What could be read of it, and the command's number in that.
    pub reading: &'a Reading,
    /// See [`Self::reading`].
    pub at: usize,
    /// The home directory.
    pub home: &'a str,
    /// The directory in which the line begins.
    pub cwd: &'a Path,
}

/// Does the rule apply to this command? An error is a pattern that can't be used.
pub fn program(rule: &Program<'_>, command: &Command, spot: &Spot<'_>) -> Result<bool, String> {
    if !rule.programs.iter().any(|p| *p == command.program) {
        return Ok(false);
    }
    if !rule.pipes_to.is_empty()
        && !command
            .feeds
            .iter()
            .any(|f| rule.pipes_to.iter().any(|p| p == f))
    {
        return Ok(false);
    }
    let git = command.program == "git";
    let args = &command.args;
    let from = if git { git_verb(args) } else { 0 };
    let behind = args.get(from..).unwrap_or_default();
    if !rule.verbs.is_empty() && !verbs(rule, behind, git)? {
        return Ok(false);
    }
    if !rule.flags.is_empty() && !flags(rule, behind, git) {
        return Ok(false);
    }
    if let Some(pattern) = &rule.line
        && !pattern::search(pattern, spot.line)?
    {
        return Ok(false);
    }
    if rule.operands.is_empty() {
        return Ok(true);
    }
    let dir = spot.dir();
    for operand in operands(behind) {
        let absolute = dir.as_deref().and_then(|dir| spot.step(dir, operand));
        let absolute = absolute.map(|path| path.to_string_lossy().into_owned());
        for spelling in std::iter::once(operand).chain(absolute.as_deref()) {
            for pattern in &rule.operands {
                if pattern::full(pattern, spelling)?
                    || pattern::full(pattern, &at_home(spelling, spot.home))?
                {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

impl Spot<'_> {
    /// The directory in which the command runs, as far as the words of `cd` tell.
    fn dir(&self) -> Option<PathBuf> {
        let before = self.reading.commands.get(..self.at).unwrap_or_default();
        let enters: Vec<_> = before
            .iter()
            .filter(|c| shell::enters(&c.program))
            .collect();
        if enters.len() > 32 {
            return None;
        }
        enters
            .into_iter()
            .try_fold(self.cwd.to_path_buf(), |dir, c| {
                self.step(&dir, operands(&c.args).next().unwrap_or("~"))
            })
    }

    /// A path from a directory on, without `.` and `..`; `None` where a variable or a command stands in it.
    fn step(&self, dir: &Path, word: &str) -> Option<PathBuf> {
        let home = ["~", "$HOME", "${HOME}"]
            .iter()
            .find_map(|h| word.strip_prefix(h));
        let path = match home.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(rest) => Path::new(self.home).join(rest.trim_start_matches('/')),
            None if word.contains('$') || word == "-" => return None,
            None => dir.join(word),
        };
        Some(lexical(&path))
    }
}

/// The user's home directory written out is `~`, so that one rule sees both.
fn at_home(operand: &str, home: &str) -> String {
    match operand.strip_prefix(home) {
        Some(rest) if home.len() > 1 && (rest.is_empty() || rest.starts_with('/')) => {
            format!("~{rest}")
        }
        _ => operand.to_owned(),
    }
}

/// Where git's verb stands: its own options before it (`-C DIR`, `-c k=v`) are stepped over.
fn git_verb(args: &[String]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|a| a.starts_with('-')) {
        at += match arg.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix"
            | "--config-env" | "--attr-source" | "--exec-path" => 2,
            _ => 1,
        };
    }
    at.min(args.len())
}

/// Verbs are patterns over the line from the verb on. Behind an option the next word may be its value or
/// the verb itself (`kubectl -n prod delete`, `kubectl -v delete`): both readings count.
fn verbs(rule: &Program<'_>, args: &[String], git: bool) -> Result<bool, String> {
    let mut behind_option = false;
    for (at, arg) in args.iter().enumerate() {
        if arg.starts_with('-') && arg.len() > 1 {
            behind_option = !arg.contains('=') && arg != "--";
            continue;
        }
        let line = args.get(at..).unwrap_or_default().join(" ");
        for verb in &rule.verbs {
            if pattern::verb(verb, &line)? {
                return Ok(true);
            }
        }
        if git || !behind_option {
            return Ok(false);
        }
        behind_option = false;
    }
    Ok(false)
}

fn flags(rule: &Program<'_>, args: &[String], git: bool) -> bool {
    let options = args.iter().take_while(|a| *a != "--");
    let named = options
        .clone()
        .any(|word| rule.flags.iter().any(|flag| is_flag(word, flag, git)));
    let has = |long: &str, short: &str| rule.flags.iter().any(|f| f == long || f == short);
    let push = git && args.first().is_some_and(|v| v == "push");
    // `+ref` forces and `:ref` deletes without any option.
    named
        || (push
            && operands(args).skip(1).any(|operand| {
                (has("--force", "-f") && operand.len() > 1 && operand.starts_with('+'))
                    || (has("--delete", "-d") && operand.len() > 1 && operand.starts_with(':'))
            }))
}

/// `--flag`, `--flag=value`, `-f` in a cluster (`-fu`); git also takes a long option cut short.
fn is_flag(word: &str, flag: &str, git: bool) -> bool {
    if word == flag {
        return true;
    }
    if flag.starts_with("--") {
        let name = word.split('=').next().unwrap_or(word);
        return name == flag
            || (git && name.len() >= 5 && name.starts_with("--") && flag.starts_with(name));
    }
    let mut letters = flag.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some(letter), None) if !word.starts_with("--") => {
            word.strip_prefix('-').is_some_and(|cluster| {
                cluster
                    .chars()
                    .take_while(char::is_ascii_alphanumeric)
                    .any(|c| c == letter)
            })
        }
        _ => word
            .strip_prefix(flag)
            .is_some_and(|rest| rest.starts_with('=')),
    }
}

fn operands(args: &[String]) -> impl Iterator<Item = &str> {
    let mut options = true;
    args.iter().map(String::as_str).filter(move |a| {
        if options && *a == "--" {
            options = false;
            return false;
        }
        !(options && a.len() > 1 && a.starts_with('-'))
    })
}
