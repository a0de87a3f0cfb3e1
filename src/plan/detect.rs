//! Is an agent on this machine? Pure: it says what has to be looked up and judges what was found.

use super::paths::{Ground, in_home};
use crate::spec::AgentSpec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What has to be looked up for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signs {
    /// Programs to look for on PATH.
    pub commands: Vec<String>,
    /// Directories, absolute, relocation variables applied.
    pub dirs: Vec<PathBuf>,
}

/// What was found on the machine, for any number of agents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Program → where PATH has it.
    pub commands: BTreeMap<String, PathBuf>,
    /// Directories that exist.
    pub dirs: BTreeSet<PathBuf>,
    /// Directories that gitvow itself made, by its records.
    pub ours: BTreeSet<PathBuf>,
}

/// The sign by which an agent was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// Its program, at this path.
    Command(PathBuf),
    /// Its configuration directory.
    Dir(PathBuf),
}

impl Sign {
    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Command(path) | Self::Dir(path) => path,
        }
    }
}

/// The signs of an agent. A directory whose relocation variable is no absolute path is left out: it can't be looked up,
/// and the install itself says what is wrong with it.
pub fn signs(spec: &AgentSpec, ground: &Ground<'_>) -> Signs {
    let Some(detect) = &spec.detect else {
        return Signs::default();
    };
    Signs {
        commands: detect.commands.clone(),
        dirs: detect
            .dirs
            .iter()
            .filter_map(|dir| in_home(spec.install.as_ref(), dir, ground).ok())
            .collect(),
    }
}

/// The first sign that was found: a program, else a directory that gitvow didn't make. In the order of the planner.
pub fn detect(signs: &Signs, found: &Found) -> Option<Sign> {
    let command = signs.commands.iter().find_map(|c| found.commands.get(c));
    if let Some(path) = command {
        return Some(Sign::Command(path.clone()));
    }
    signs
        .dirs
        .iter()
        .find(|dir| found.dirs.contains(*dir) && !found.ours.contains(*dir))
        .map(|dir| Sign::Dir(dir.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::builtin;
    use std::path::Path;

    fn signs_of(agent: &str, vars: &[(&str, &str)]) -> Signs {
        let spec = builtin::by_name(agent).unwrap().spec().unwrap();
        let var = |name: &str| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        };
        let ground = Ground {
            home: Path::new("/h"),
            state: Path::new("/h/.gitvow"),
            repo: None,
            var: &var,
        };
        signs(&spec, &ground)
    }

    #[test]
    fn a_program_on_path_comes_before_a_directory() {
        let signs = signs_of("claude", &[]);
        let mut found = Found::default();
        assert_eq!(detect(&signs, &found), None);
        found.dirs.insert("/h/.claude".into());
        assert_eq!(detect(&signs, &found), Some(Sign::Dir("/h/.claude".into())));
        found.commands.insert("claude".into(), "/bin/claude".into());
        assert_eq!(
            detect(&signs, &found),
            Some(Sign::Command("/bin/claude".into()))
        );
    }

    #[test]
    fn a_directory_that_we_made_is_no_sign() {
        let signs = signs_of("antigravity", &[]);
        let mut found = Found::default();
        for dir in ["/h/.gemini", "/h/.gemini/config"] {
            found.dirs.insert(dir.into());
            found.ours.insert(dir.into());
        }
        assert_eq!(detect(&signs, &found), None);
        assert_eq!(detect(&signs_of("gemini", &[]), &found), None);
        found.dirs.insert("/h/.gemini/antigravity-cli".into());
        assert_eq!(
            detect(&signs, &found).unwrap().path(),
            Path::new("/h/.gemini/antigravity-cli")
        );
    }

    #[test]
    fn relocation_moves_the_directory_and_nonsense_drops_it() {
        let dirs = |agent, vars: &[(&str, &str)]| signs_of(agent, vars).dirs;
        assert_eq!(dirs("codex", &[("CODEX_HOME", "/x")]), [Path::new("/x")]);
        assert_eq!(
            dirs("gemini", &[("GEMINI_CLI_HOME", "/x")]),
            [Path::new("/x/.gemini")]
        );
        assert_eq!(
            dirs("opencode", &[("XDG_CONFIG_HOME", "/x")]),
            [Path::new("/x/opencode")]
        );
        assert!(dirs("codex", &[("CODEX_HOME", "x")]).is_empty());
    }

    #[test]
    fn every_agent_can_be_detected() {
        for builtin in builtin::ALL {
            let signs = signs_of(builtin.name, &[]);
            assert!(
                !signs.commands.is_empty() && !signs.dirs.is_empty(),
                "{}",
                builtin.name
            );
        }
    }
}
