//! The agents that gitvow brings along: the folders of `planners/`, embedded. It may not know anything about
//! an agent that its folder doesn't say.

use super::AgentSpec;
use super::parse::{self, Source};
use crate::error::Error;

/// One folder of `planners/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// The folder's and the agent's name.
    pub name: &'static str,
    /// Its other names, as in its planner: kept here too so that looking one up reads no planner.
    pub aliases: &'static [&'static str],
    /// `planner.jsonc`, as it stands.
    pub text: &'static str,
    /// The same without comments and `hook`, compact (`build.rs`).
    plain: &'static str,
    /// Its `hook` part, likewise: all that a hook call reads.
    pub hook: &'static str,
}

macro_rules! planner {
    ($name:literal, $aliases:expr) => {
        Builtin {
            name: $name,
            aliases: &$aliases,
            text: include_str!(concat!("../../planners/", $name, "/planner.jsonc")),
            plain: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")),
            hook: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".hook.json")),
        }
    };
}

/// Every built-in, in the order of the documents.
pub const ALL: &[Builtin] = &[
    planner!("claude", ["claude-code"]),
    planner!("codex", []),
    planner!("gemini", ["gemini-cli"]),
    planner!("cursor", []),
    planner!("copilot", ["copilot-cli"]),
    planner!("factory", ["droid", "factory-droid"]),
    planner!("antigravity", ["antigravity-cli", "agy"]),
    planner!("grok", ["grok-cli"]),
    planner!("kimi", ["kimi-code"]),
    planner!("opencode", []),
    planner!("qwen", ["qwen-code"]),
];

impl Builtin {
    /// Its planner, less the `hook` part, which only a hook call reads ([`Self::hook`]). An error is a fault of this
    /// build.
    pub fn spec(&self) -> Result<AgentSpec, Error> {
        // What is embedded has passed [`Self::strict`] in the tests: checking it again is most of the work (doctor
        // reads eleven).
        serde_json::from_str(self.plain).or_else(|_| self.strict())
    }

    /// The whole planner, with every check.
    pub fn strict(&self) -> Result<AgentSpec, Error> {
        parse::parse(self.text, Source::BuiltIn)
            .map_err(|e| e.at(format!("planners/{}/planner.jsonc", self.name)))
    }
}

/// The built-in of that name or alias.
pub fn by_name(name: &str) -> Option<&'static Builtin> {
    ALL.iter()
        .find(|b| b.name == name || b.aliases.contains(&name))
}

/// Every built-in's name, without aliases.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|b| b.name).collect()
}

/// The built-in name or alias that somebody who typed `name` most likely meant; `None` when nothing is near.
pub fn nearest(name: &str) -> Option<&'static str> {
    let typed = name.to_ascii_lowercase();
    ALL.iter()
        .flat_map(|b| std::iter::once(b.name).chain(b.aliases.iter().copied()))
        .map(|known| (distance(&typed, known), known))
        .filter(|(far, known)| *far <= known.len().max(typed.len()) / 3 + 1 && *far < known.len())
        .min_by_key(|(far, _)| *far)
        .map(|(_, known)| known)
}

/// Exit 2: nobody knows that agent. Names the nearest one, else all.
pub fn unknown(name: &str) -> Error {
    let error = Error::usage(format!("there is no agent `{}`", name.escape_debug()));
    match nearest(name) {
        Some(near) => error.help(format!("did you mean `--agent {near}`?")),
        None => error.help(format!("known agents: {}", names().join(", "))),
    }
}

/// A spec as an external adapter's `info` would print it; read back it is the same spec.
pub fn as_info(spec: &AgentSpec) -> serde_json::Value {
    // Only a map with keys that aren't text could fail here, and a spec has none.
    serde_json::to_value(spec).unwrap_or_default()
}

/// How many letters must be added, dropped, changed or swapped with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&row, j + 1) + 1)
                .min(at(&next, j) + 1)
                .min(at(&row, j) + usize::from(x != y));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planner_is_read_and_its_names_are_the_tables() {
        for builtin in ALL {
            let spec = builtin
                .strict()
                .unwrap_or_else(|e| panic!("{}: {e} {:?}", builtin.name, e.place));
            let quick: AgentSpec = serde_json::from_str(builtin.plain).unwrap();
            let hook = spec.hook.clone().unwrap();
            assert_eq!(builtin.hook, hook.to_string(), "{}", builtin.name);
            assert_eq!(
                AgentSpec {
                    hook: Some(hook),
                    ..quick
                },
                spec
            );
            assert_eq!(spec.name, builtin.name);
            assert_eq!(spec.aliases, builtin.aliases, "{}", builtin.name);
        }
    }

    #[test]
    fn no_name_means_two_agents() {
        let mut all: Vec<&str> = ALL
            .iter()
            .flat_map(|b| std::iter::once(b.name).chain(b.aliases.iter().copied()))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn the_list_is_the_folders_on_disk() {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("planners");
        let mut folders: Vec<String> = std::fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let mut listed = names();
        listed.sort_unstable();
        assert_eq!(folders, listed);
    }

    #[test]
    fn a_built_in_printed_as_info_is_the_same_spec() {
        for builtin in ALL {
            let spec = builtin.strict().unwrap();
            let text = as_info(&spec).to_string();
            let again = parse::parse(&text, Source::External).unwrap();
            assert_eq!(again, spec, "{}", builtin.name);
            assert_eq!(parse::parse(&text, Source::BuiltIn).unwrap(), spec);
        }
    }

    #[test]
    fn a_typo_finds_its_agent_and_nonsense_none() {
        assert_eq!(nearest("cluade"), Some("claude"));
        assert_eq!(nearest("Claude"), Some("claude"));
        assert_eq!(nearest("zzzzzz"), None);
        assert_eq!(by_name("claude-code").map(|b| b.name), Some("claude"));
        assert!(by_name("Claude").is_none());
        let error = unknown("claud");
        assert_eq!(error.kind.exit_code(), 2);
        assert!(error.help.unwrap().contains("--agent claude"));
    }
}
