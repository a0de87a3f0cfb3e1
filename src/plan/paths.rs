//! Which files an agent's planner means, here: relocation variables and the repository's directory applied. Pure: it may
//! not look whether a file is there, nor follow a link; both are asked of the disk later.

use crate::error::{Error, Result};
use crate::spec::{self, AgentSpec, Format, Install, Scope, TreeSpec};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The surroundings that decide where a path leads. All directories are absolute.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The state home.
    pub state: &'a Path,
    /// The top of the repository that repository and local scope mean.
    pub repo: Option<&'a Path>,
    /// An environment variable, when set and not empty.
    pub var: &'a dyn Fn(&str) -> Option<String>,
}

/// What an install of one agent in one scope concerns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Targets {
    /// The user's file that entries are merged into.
    pub merge: Option<MergeTarget>,
    /// Files that are wholly gitvow's, in the order of the planner.
    pub trees: Vec<TreeTarget>,
    /// Settings that may switch hooks off.
    pub switches: Vec<SwitchTarget>,
}

/// A file of the user's.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeTarget {
    /// Absolute, as planned; links not followed.
    pub path: PathBuf,
    /// Its dialect.
    pub format: Format,
    /// Where the events live in it.
    pub root: Vec<String>,
    /// Files that take an event over where they already have it, in this order.
    pub alternatives: Vec<Alternative>,
    /// Where an older gitvow put entries that do nothing there.
    pub legacy: Vec<Alternative>,
}

impl MergeTarget {
    /// Every file that entries may stand in.
    pub fn paths(&self) -> Vec<PathBuf> {
        let others = self.alternatives.iter().chain(&self.legacy);
        let mut out = vec![self.path.clone()];
        for other in others {
            if !out.contains(&other.path) {
                out.push(other.path.clone());
            }
        }
        out
    }

    /// The roots in a file under which an older gitvow put entries.
    pub fn legacy_roots(&self, path: &Path) -> Vec<Vec<String>> {
        let here = self.legacy.iter().filter(|l| l.path == path);
        here.map(|l| l.root.clone()).collect()
    }
}

/// A second file of the same agent and format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Absolute, as planned.
    pub path: PathBuf,
    /// Where the events live in it.
    pub root: Vec<String>,
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeTarget {
    /// Absolute, as planned.
    pub path: PathBuf,
    /// Which tree of the planner, and which of its files: keys for [`crate::spec::command::tree_texts`].
    pub tree: usize,
    /// The file's name in the planner.
    pub name: String,
    /// Permission bits, less the umask.
    pub mode: u32,
}

/// A setting of the vendor that may switch hooks off.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchTarget {
    /// Absolute; `None`: the file that the entries go to.
    pub path: Option<PathBuf>,
    /// That file's dialect.
    pub format: Format,
    /// Where in it.
    pub keys: Vec<String>,
    /// The value that means "off".
    pub off: Value,
}

/// The files of `spec` in `scope`.
///
/// Errors: `no-scope` where the agent has no such file or no guarded command; `relative-variable` where a
/// relocation variable holds no absolute path; `state-home` where a path leads into the state home;
/// `no-repository` where the scope needs one and there is none.
pub fn targets(spec: &AgentSpec, scope: Scope, ground: &Ground<'_>) -> Result<Targets> {
    if let Some(refusal) = lacks(spec, scope) {
        return Err(refusal);
    }
    let Some(install) = &spec.install else {
        return Err(nothing_to_install(spec));
    };
    let base = Base::of(spec, install, scope, ground)?;
    let merge = match file(install, scope) {
        Some(file) => Some(MergeTarget {
            path: base.path(file)?,
            format: install.format,
            root: install.root.clone(),
            alternatives: others(&install.alternatives, scope, &base)?,
            legacy: others(&install.legacy, scope, &base)?,
        }),
        None => None,
    };
    let mut trees = Vec::new();
    for (index, tree) in install.trees.iter().enumerate() {
        let Some(dir) = tree_dir(tree, scope) else {
            continue;
        };
        for name in tree.files.keys() {
            trees.push(TreeTarget {
                path: base.path(&format!("{dir}/{name}"))?,
                tree: index,
                name: name.clone(),
                mode: mode(tree),
            });
        }
    }
    let mut switches = Vec::new();
    for switch in install.reads.iter().flat_map(|reads| &reads.switches) {
        let path = switch.file.as_deref().map(|f| base.path(f)).transpose()?;
        let toml = switch.file.as_deref().is_some_and(|f| f.ends_with(".toml"));
        switches.push(SwitchTarget {
            path,
            format: match (&switch.file, toml) {
                (Some(_), true) => Format::Toml,
                (Some(_), false) => Format::Jsonc,
                (None, _) => install.format,
            },
            keys: switch.path.clone(),
            off: switch.off.clone(),
        });
    }
    Ok(Targets {
        merge,
        trees,
        switches,
    })
}

/// Why an agent can't be installed in a scope; `None` when it can.
pub fn lacks(spec: &AgentSpec, scope: Scope) -> Option<Error> {
    let Some(install) = &spec.install else {
        return Some(nothing_to_install(spec));
    };
    let name = &spec.name;
    if !has_file(install, scope) {
        let what = match scope {
            Scope::User => "no file of the user's own",
            Scope::Repo => "no file that a repository could commit",
            Scope::Local => "no untracked file of its own in a repository",
        };
        return Some(no_scope(spec, format!("{name} has {what}"), scope));
    }
    if scope == Scope::Repo && install.repo_command.is_none() {
        let why = format!(
            "{name} has no `install.repo_command`, which says what its committed command does where gitvow isn't installed"
        );
        let add = r#"add `"repo_command": {"allow": "exit 0", "block": "exit 2"}` to its `install`, with the shell text that this agent takes for "go on" and for a denial"#;
        return Some(no_scope(spec, why, scope).help(add));
    }
    None
}

/// The scopes in which an agent can be installed.
pub fn scopes(spec: &AgentSpec) -> Vec<Scope> {
    let Some(install) = &spec.install else {
        return Vec::new();
    };
    [Scope::User, Scope::Repo, Scope::Local]
        .into_iter()
        .filter(|scope| has_file(install, *scope))
        .filter(|scope| *scope != Scope::Repo || install.repo_command.is_some())
        .collect()
}

/// A path relative to HOME (`.claude/x`) with the relocation variables of `install` applied: of those set, the one
/// that replaces the longest leading part counts. Error: that variable's value is not absolute.
pub fn in_home(install: Option<&Install>, file: &str, ground: &Ground<'_>) -> Result<PathBuf> {
    let mut best: Option<(usize, &str, String, &str)> = None;
    for (variable, dir) in install.iter().flat_map(|i| &i.home_env) {
        let Some(rest) = below(file, dir) else {
            continue;
        };
        let Some(value) = (ground.var)(variable) else {
            continue;
        };
        if best.as_ref().is_none_or(|(len, ..)| dir.len() >= *len) {
            best = Some((dir.len(), variable, value, rest));
        }
    }
    let Some((_, variable, value, rest)) = best else {
        return Ok(ground.home.join(file));
    };
    let moved = Path::new(&value);
    if !moved.is_absolute() {
        return Err(Error::refused(
            "relative-variable",
            format!(
                "{variable} is `{}`, which is no absolute path, so it isn't clear which file `{}` is",
                value.escape_debug(),
                moved.join(rest).display().to_string().escape_debug()
            ),
        )
        .help(format!("unset {variable}, or set it to an absolute path")));
    }
    Ok(if rest.is_empty() {
        moved.to_owned()
    } else {
        moved.join(rest)
    })
}

/// What of `path` lies below `dir`, by whole components; all of it for the empty `dir`.
fn below<'a>(path: &'a str, dir: &str) -> Option<&'a str> {
    if dir.is_empty() {
        return Some(path);
    }
    match path.strip_prefix(dir)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

fn has_file(install: &Install, scope: Scope) -> bool {
    let tree = |tree: &TreeSpec| tree_dir(tree, scope).is_some();
    file(install, scope).is_some() || install.trees.iter().any(tree)
}

fn file(install: &Install, scope: Scope) -> Option<&str> {
    match scope {
        Scope::User => install.user_file.as_deref(),
        Scope::Repo => install.repo_file.as_deref(),
        Scope::Local => install.local_file.as_deref(),
    }
}

fn tree_dir(tree: &TreeSpec, scope: Scope) -> Option<&str> {
    match scope {
        Scope::User => tree.path.as_deref(),
        Scope::Repo => tree.repo_path.as_deref(),
        Scope::Local => None,
    }
}

fn mode(tree: &TreeSpec) -> u32 {
    let bits = tree.mode.as_deref().unwrap_or("0644");
    u32::from_str_radix(bits, 8).unwrap_or(0o644)
}

fn others(list: &[spec::Alternative], scope: Scope, base: &Base<'_>) -> Result<Vec<Alternative>> {
    let mut out = Vec::new();
    for other in list {
        let file = match scope {
            Scope::User => &other.user_file,
            Scope::Repo => &other.repo_file,
            Scope::Local => &other.local_file,
        };
        if let Some(file) = file {
            out.push(Alternative {
                path: base.path(file)?,
                root: other.root.clone(),
            });
        }
    }
    Ok(out)
}

/// What a scope's paths are relative to.
struct Base<'a> {
    spec: &'a AgentSpec,
    install: &'a Install,
    repo: Option<&'a Path>,
    ground: &'a Ground<'a>,
}

impl<'a> Base<'a> {
    fn of(
        spec: &'a AgentSpec,
        install: &'a Install,
        scope: Scope,
        ground: &'a Ground<'a>,
    ) -> Result<Self> {
        let repo = match (scope, ground.repo) {
            (Scope::User, _) => None,
            (_, Some(repo)) => Some(repo),
            (_, None) => {
                return Err(Error::refused(
                    "no-repository",
                    format!("--scope {} needs a git repository", scope.name()),
                )
                .help("run it inside a repository, or name one with --repo DIR"));
            }
        };
        Ok(Self {
            spec,
            install,
            repo,
            ground,
        })
    }

    fn path(&self, file: &str) -> Result<PathBuf> {
        let path = match self.repo {
            Some(repo) => repo.join(file),
            None => in_home(Some(self.install), file, self.ground)?,
        };
        if path.starts_with(self.ground.state) {
            return Err(Error::refused(
                "state-home",
                format!(
                    "{}'s file would lie in gitvow's own directory `{}`",
                    self.spec.name,
                    self.ground.state.display()
                ),
            )
            .at(path)
            .help("set GITVOW_HOME to a directory that no agent uses"));
        }
        Ok(path)
    }
}

fn no_scope(spec: &AgentSpec, why: String, scope: Scope) -> Error {
    let other = scopes(spec).first().map_or("user", |s| s.name());
    Error::refused("no-scope", format!("{why}: no --scope {}", scope.name())).help(format!(
        "gitvow install --agent {} --scope {other}",
        spec.name
    ))
}

fn nothing_to_install(spec: &AgentSpec) -> Error {
    Error::refused(
        "nothing-to-install",
        format!("{} says nothing about what to install", spec.name),
    )
    .help("gitvow generate schema planner")
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
