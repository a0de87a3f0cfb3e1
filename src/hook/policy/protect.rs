//! Self-protection, always on: no tool call may write the state home, change an agent's settings without
//! being asked, or run `gitvow uninstall` (spec 4.4). May read nothing itself.

use super::judge::{Facts, Ruling, Verdict, mentions};
use super::paths::{lexical, real, touches};
use super::settings;
use crate::sys::Sys;
use std::path::{Path, PathBuf};

const RULE: &str = "self-protection";

/// Programs that can write a file which only their text argument names.
const INTERPRETERS: [&str; 13] = [
    "python", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "awk", "gawk",
    "sqlite3", "vim",
];
/// Those of them that run whole programs.
const LANGUAGES: [&str; 8] = [
    "python", "perl", "ruby", "node", "deno", "bun", "php", "lua",
];

/// Where to look: the state home, the working directory and its repository, the agent that is calling.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The state home, absolute.
    pub state: &'a Path,
    /// The working directory, absolute.
    pub cwd: &'a Path,
    /// Its git top.
    pub top: Option<&'a Path>,
    /// The calling agent's name.
    pub agent: &'a str,
}

/// What stands against the call, whatever the policies say.
pub fn protect(facts: &Facts<'_>, around: &Around<'_>, sys: &Sys<'_>) -> Ruling {
    let uninstalls = facts.reading.commands.iter().any(|c| {
        c.program == "gitvow"
            && c.args.iter().any(|a| a == "uninstall")
            && c.args
                .iter()
                .find(|a| !a.starts_with('-'))
                .is_none_or(|a| a != "check")
    });
    let hidden = facts.reading.unreadable
        && facts
            .line
            .is_some_and(|l| mentions(l, "gitvow") && mentions(l, "uninstall"));
    if uninstalls || hidden {
        return Ruling::new(Verdict::Deny, "only a person takes gitvow out", RULE);
    }
    if facts.targets.is_empty() && !facts.line.is_some_and(names_state) {
        return Ruling::allow();
    }
    let state = lexical(around.state);
    let places = [real(sys.disk, &state), state];
    for (target, _) in &facts.targets {
        let hit = places.iter().any(|place| {
            touches(&target.lexical, place, target.removes)
                || touches(&target.real, place, target.removes)
        });
        if hit {
            let reason = format!("`{}` is gitvow's own state", target.word);
            return Ruling::new(Verdict::Deny, reason, RULE);
        }
    }
    if let Some(ruling) = named_in_text(facts, &places, around.agent) {
        return ruling;
    }
    for (target, _) in &facts.targets {
        if let Some(what) = settings::wired(target, around, sys) {
            let reason = format!("`{}` {what}", target.word);
            return Ruling::new(Verdict::Ask, reason, RULE);
        }
    }
    Ruling::allow()
}

/// Cheap and never false where [`named_in_text`] may be true, whatever the state home's name.
fn names_state(line: &str) -> bool {
    INTERPRETERS.iter().any(|i| line.contains(i))
        || line.contains("itvow")
        || line.contains("GITVOW_HOME")
}

/// An interpreter, or a line that can't be read, that names the state home or the caller's settings: nobody can say what
/// it does.
fn named_in_text(facts: &Facts<'_>, places: &[PathBuf; 2], agent: &str) -> Option<Ruling> {
    let line = facts.line?;
    let named = {
        let paths = places.iter().map(|p| p.to_string_lossy());
        paths.into_iter().any(|p| line.contains(p.as_ref()))
            || ["~/.gitvow", "HOME/.gitvow", "HOME}/.gitvow"]
                .iter()
                .any(|p| line.contains(p))
    } || line.contains("GITVOW_HOME");
    let runs = |programs: &[&str]| {
        facts.reading.commands.iter().any(|c| {
            let bare = |d: char| d.is_ascii_digit() || d == '.';
            let name = c.program.trim_end_matches(bare);
            programs.contains(&c.program.as_str()) || programs.contains(&name)
        })
    };
    if named && (facts.reading.unreadable || runs(&INTERPRETERS)) {
        let reason = "it names gitvow's own state, and what it does there can't be read";
        return Some(Ruling::new(Verdict::Ask, reason, RULE));
    }
    // `awk` and an editor in a pipe mostly read: what they write of these is seen by its operand.
    let settings = settings::named(line, agent).filter(|_| runs(&LANGUAGES))?;
    let reason = format!(
        "it names the settings of {agent}, `{settings}`, and what it does there can't be read"
    );
    Some(Ruling::new(Verdict::Ask, reason, RULE))
}
