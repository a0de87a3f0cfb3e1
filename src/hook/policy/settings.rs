//! Is a file that a call writes one where gitvow is wired in? May read that file, links and records, and only when
//! a call writes files.
//!
//! Two sources: the places that the built-in planners name (in `settings.list`, so that no planner is parsed), and the
//! records of what was installed, which know external agents, relocated files and other repositories too.

use super::paths::{Target, lexical, real};
use super::protect::Around;
use crate::ledger::StateHome;
use crate::ledger::store::load_each;
use crate::sys::Sys;
use std::path::{Path, PathBuf};

/// `agent scope path` for each file, `agent env VARIABLE directory` for each variable that moves one. A test holds it to
/// the planners.
const LIST: &str = include_str!("settings.list");

/// The largest file that is looked into, in bytes.
const CAP: u64 = 4 << 20;

/// Kinds of files that agents keep settings in: only these may hold our entries behind a link from elsewhere.
const KINDS: [&str; 9] = [
    "json", "jsonc", "toml", "yaml", "yml", "js", "mjs", "cjs", "ts",
];

/// What the file is to us, to be said behind its name; `None`: nothing.
pub fn wired(target: &Target, around: &Around<'_>, sys: &Sys<'_>) -> Option<String> {
    if let Some(agent) = settings_of(target, around, sys) {
        return Some(format!(
            "holds the settings of {agent}, where gitvow is wired in"
        ));
    }
    recorded(target, around, sys).then(|| "holds entries of gitvow".to_owned())
}

/// A file of that agent's settings which a text names.
pub fn named(text: &str, agent: &str) -> Option<&'static str> {
    LIST.lines().find_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        let (scope, path) = rest.split_once(' ')?;
        (name == agent && scope != "env" && text.contains(path)).then_some(path)
    })
}

/// The agent whose settings that file is: of the caller any settings file counts (another one can switch
/// hooks off), of other agents only one that names gitvow.
fn settings_of(target: &Target, around: &Around<'_>, sys: &Sys<'_>) -> Option<&'static str> {
    let names: Vec<_> = [&target.lexical, &target.real]
        .into_iter()
        .filter_map(|p| p.file_name())
        .collect();
    let lines = LIST.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.next()?, words.next()?))
    });
    for (agent, scope, path) in lines {
        let path = Path::new(path);
        let named = path.file_name().is_some_and(|n| names.contains(&n));
        if scope == "env" || !(named || target.is_wide()) {
            continue;
        }
        let hit = places(agent, scope, path, around, sys)
            .iter()
            .any(|file| target.means(file, &real(sys.disk, file)));
        // In any other directory, which may be a project's or a relocated one.
        let elsewhere = || target.lexical.ends_with(path) || target.real.ends_with(path);
        if (hit && agent == around.agent) || ((hit || elsewhere()) && names_us(target, sys)) {
            return Some(agent);
        }
        let files =
            |file: &PathBuf| target.means(file, &real(sys.disk, file)) && holds_us(file, sys);
        if target.is_wide() && places(agent, scope, path, around, sys).iter().any(files) {
            return Some(agent);
        }
    }
    None
}

/// Where that file would be read: in the home and where a variable moves it, or in every directory from the
/// repository's top down to the working directory.
fn places(
    agent: &str,
    scope: &str,
    path: &Path,
    around: &Around<'_>,
    sys: &Sys<'_>,
) -> Vec<PathBuf> {
    if scope == "repo" {
        let top = around.top.unwrap_or(around.cwd);
        let within = around.cwd.ancestors().take_while(|d| d.starts_with(top));
        return within.map(|dir| dir.join(path)).collect();
    }
    let Some(home) = sys.env.home() else {
        return Vec::new();
    };
    let moved = LIST.lines().filter_map(|line| {
        let rest = line.strip_prefix(agent)?.strip_prefix(" env ")?;
        let (variable, dir) = rest.split_once(' ')?;
        let inside = path.strip_prefix(dir).ok()?;
        Some(lexical(&Path::new(&sys.env.var(variable)?).join(inside)))
    });
    std::iter::once(home.join(path)).chain(moved).collect()
}

fn names_us(target: &Target, sys: &Sys<'_>) -> bool {
    holds_us(&target.real, sys)
}

/// Read through links: a settings file is often one into a dotfiles repository.
fn holds_us(file: &Path, sys: &Sys<'_>) -> bool {
    let file = real(sys.disk, file);
    sys.disk
        .read(&file, CAP)
        .is_ok_and(|bytes| contains(&bytes, b"gitvow"))
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|w| w == word)
}

/// Is there a record of it? Of one file its record's name tells; all records are read only where the call may mean many
/// files, or the file is of a kind that holds settings and names gitvow.
fn recorded(target: &Target, around: &Around<'_>, sys: &Sys<'_>) -> bool {
    let home = StateHome::new(around.state);
    let known = |path: &Path| sys.disk.stat(&home.record(path)).is_ok();
    if known(&target.lexical) || (target.real != target.lexical && known(&target.real)) {
        return true;
    }
    let kind = target.real.extension().and_then(|e| e.to_str());
    let may_be_linked = || kind.is_some_and(|k| KINDS.contains(&k)) && names_us(target, sys);
    if !(target.is_wide() || may_be_linked()) {
        return false;
    }
    // What a record that can't be read is about isn't known; `doctor` and `install` say so.
    let records = load_each(sys.disk, &home).map_or_else(|_| Vec::new(), |(records, _)| records);
    records.iter().any(|r| target.means(&r.path, &r.real))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::builtin;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn collect(agent: &str, value: &Value, out: &mut BTreeSet<String>) {
        let mut add = |scope: &str, value: &Value| {
            if let Some(path) = value.as_str() {
                out.insert(format!("{agent} {scope} {path}"));
            }
        };
        add("user", &value["user_file"]);
        add("repo", &value["repo_file"]);
        add("repo", &value["local_file"]);
        for tree in value["trees"].as_array().into_iter().flatten() {
            for name in tree["files"].as_object().unwrap().keys() {
                for (scope, key) in [("user", "path"), ("repo", "repo_path")] {
                    if let Some(dir) = tree[key].as_str() {
                        add(scope, &format!("{dir}/{name}").into());
                    }
                }
            }
        }
        for switch in value["reads"]["switches"].as_array().into_iter().flatten() {
            add("user", &switch["file"]);
            add("repo", &switch["file"]);
        }
    }

    #[test]
    fn the_list_is_the_planners() {
        let mut lines = String::new();
        for builtin in builtin::ALL {
            let planner: Value =
                jsonc_parser::parse_to_serde_value(builtin.text, &Default::default()).unwrap();
            let install = &planner["install"];
            let mut files = BTreeSet::new();
            collect(builtin.name, install, &mut files);
            for key in ["alternatives", "legacy"] {
                for other in install[key].as_array().into_iter().flatten() {
                    collect(builtin.name, other, &mut files);
                }
            }
            for (variable, dir) in install["home_env"].as_object().into_iter().flatten() {
                files.insert(format!(
                    "{} env {variable} {}",
                    builtin.name,
                    dir.as_str().unwrap()
                ));
            }
            files
                .iter()
                .for_each(|line| lines.push_str(&format!("{line}\n")));
        }
        assert_eq!(lines, LIST, "write the left to settings.list");
    }
}
