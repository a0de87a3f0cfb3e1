//! Self-protection, always on: no tool call may write the state home, change an agent's settings without
//! being asked, or run `gitvow uninstall` (spec 4.4). May read the settings files it is about, nothing else.

use super::judge::{Facts, Ruling, Verdict, mentions};
use super::paths::{Target, lexical, real, touches};
use crate::spec::builtin;
use crate::sys::Sys;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const RULE: &str = "self-protection";

/// Programs that can write a file which only their text argument names.
const INTERPRETERS: [&str; 13] = [
    "python", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "awk", "gawk",
    "sqlite3", "vim",
];

/// Where to look: the state home, the repository, the agent that is calling.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The state home, absolute.
    pub state: &'a Path,
    /// The git top of the working directory.
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
    if let Some(ruling) = named_in_text(facts, &places) {
        return ruling;
    }
    for (target, _) in &facts.targets {
        if let Some(agent) = settings_of(target, around, sys) {
            let reason = format!(
                "`{}` holds the settings of {agent}, where gitvow is wired in",
                target.word
            );
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

/// An interpreter, or a line that can't be read, that names the state home: nobody can say what it does.
fn named_in_text(facts: &Facts<'_>, places: &[PathBuf; 2]) -> Option<Ruling> {
    let line = facts.line?;
    let named = {
        let paths = places.iter().map(|p| p.to_string_lossy());
        paths.into_iter().any(|p| line.contains(p.as_ref()))
            || ["~/.gitvow", "HOME/.gitvow", "HOME}/.gitvow"]
                .iter()
                .any(|p| line.contains(p))
    } || line.contains("GITVOW_HOME");
    let opaque = || {
        facts.reading.unreadable
            || facts.reading.commands.iter().any(|c| {
                let name = c
                    .program
                    .trim_end_matches(|d: char| d.is_ascii_digit() || d == '.');
                INTERPRETERS.contains(&c.program.as_str()) || INTERPRETERS.contains(&name)
            })
    };
    (named && opaque()).then(|| {
        let reason = "it names gitvow's own state, and what it does there can't be read";
        Ruling::new(Verdict::Ask, reason, RULE)
    })
}

/// The parts of a planner that name files.
#[derive(Deserialize)]
struct Planner {
    install: Option<Install>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Install {
    user_file: Option<String>,
    repo_file: Option<String>,
    local_file: Option<String>,
    home_env: BTreeMap<String, String>,
    alternatives: Vec<Other>,
    trees: Vec<Tree>,
    reads: Option<Reads>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Other {
    user_file: Option<String>,
    repo_file: Option<String>,
    local_file: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tree {
    path: Option<String>,
    repo_path: Option<String>,
    files: BTreeMap<String, serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Reads {
    switches: Vec<Switch>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Switch {
    file: Option<String>,
}

/// The agent whose settings that file is: of the caller any settings file counts (another one can switch
/// hooks off), of other agents only one that names gitvow. Planners are parsed only when they name the
/// file's last part at all.
fn settings_of(target: &Target, around: &Around<'_>, sys: &Sys<'_>) -> Option<&'static str> {
    let names: Vec<_> = [&target.lexical, &target.real]
        .into_iter()
        .filter_map(|p| p.file_name()?.to_str())
        .collect();
    builtin::ALL
        .iter()
        .filter(|b| target.removes || names.iter().any(|n| b.text.contains(*n)))
        .find(|b| {
            let Some(planner) = read(b.text) else {
                return true;
            };
            files(&planner.install.unwrap_or_default(), around.top, sys)
                .iter()
                .any(|file| {
                    let hit = touches(&target.lexical, file, target.removes)
                        || touches(&target.real, &real(sys.disk, file), target.removes);
                    hit && (b.name == around.agent || holds_ours(file, sys))
                })
        })
        .map(|b| b.name)
}

fn read(text: &str) -> Option<Planner> {
    serde_json::from_str(&crate::hook::agent::plain_json(text)).ok()
}

fn holds_ours(file: &Path, sys: &Sys<'_>) -> bool {
    // Read through links: a settings file is often one into a dotfiles repository.
    let file = real(sys.disk, file);
    sys.disk
        .read(&file, 4 << 20)
        .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("gitvow"))
}

fn files(install: &Install, top: Option<&Path>, sys: &Sys<'_>) -> Vec<PathBuf> {
    let mut user: Vec<String> = Vec::new();
    let mut repo: Vec<String> = Vec::new();
    user.extend(install.user_file.clone());
    repo.extend(install.repo_file.iter().chain(&install.local_file).cloned());
    for other in &install.alternatives {
        user.extend(other.user_file.clone());
        repo.extend(other.repo_file.iter().chain(&other.local_file).cloned());
    }
    for tree in &install.trees {
        let under = |dir: &Option<String>, out: &mut Vec<String>| {
            if let Some(dir) = dir {
                out.extend(tree.files.keys().map(|f| format!("{dir}/{f}")));
            }
        };
        under(&tree.path, &mut user);
        under(&tree.repo_path, &mut repo);
    }
    for switch in install.reads.iter().flat_map(|r| &r.switches) {
        user.extend(switch.file.clone());
        repo.extend(switch.file.clone());
    }
    let mut out = Vec::new();
    if let Some(home) = sys.env.home() {
        for file in &user {
            out.push(home.join(file));
            for (variable, dir) in &install.home_env {
                let rest = if dir.is_empty() {
                    Some(file.as_str())
                } else {
                    file.strip_prefix(dir.as_str())
                        .and_then(|r| r.strip_prefix('/'))
                };
                if let (Some(rest), Some(moved)) = (rest, sys.env.var(variable)) {
                    out.push(lexical(&Path::new(&moved).join(rest)));
                }
            }
        }
    }
    if let Some(top) = top {
        out.extend(repo.iter().map(|file| top.join(file)));
    }
    out
}
