//! The policy: which rules are in force, and what they say of a call. Reads policy files, settings that it
//! protects and links; writes nothing but the note that a policy's patterns have been checked.

#[cfg(test)]
mod agree;
mod index;
mod judge;
mod load;
mod mcp;
mod once;
mod paths;
mod pattern;
mod protect;
mod provider;
mod remembered;
mod rules;
mod settings;

pub use judge::{Ruling, Verdict};
pub use load::Policy;

use super::call::Call;
use super::dialect::patch;
use super::shell;
use crate::sys::{FileKind, Stat, Sys};
use judge::Facts;
use load::Place;
use paths::Target;
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The policy that holds where the user has none.
pub const DEFAULT: &str = include_str!("default.json");
/// Its [`index`], so that only those of its rules are parsed that may match; a test compares them.
const DEFAULT_INDEX: &str = include_str!("default.index");

/// The largest policy file that is read, in bytes.
const CAP: u64 = 16 << 20;

/// Where a call happens.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The state home, absolute.
    pub state: PathBuf,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The git top of the working directory.
    pub top: Option<PathBuf>,
    /// The calling agent.
    pub agent: String,
    /// When providers must have answered, as [`crate::sys::Clock::now`].
    pub until: Duration,
}

/// The texts of the policies in force.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// The user's policy, or the built-in one.
    pub user: Source,
    /// The repository's, which only tightens.
    pub repo: Option<Source>,
}

/// One policy.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The file; `None` for the built-in policy.
    pub path: Option<PathBuf>,
    /// The file behind links.
    real: PathBuf,
    /// How long it is.
    len: Option<u64>,
    /// What is known of it from an earlier check; `None`: its patterns must be compiled once.
    known: Option<remembered::Known>,
    /// Its bytes, where they had to be read already.
    text: Option<Vec<u8>>,
    /// It has just been checked, as the file then was, and that isn't noted yet.
    unnoted: Option<Stat>,
}

impl Source {
    fn name(&self) -> String {
        self.path.as_ref().map_or_else(
            || "the built-in policy".to_owned(),
            |p| format!("`{}`", p.display()),
        )
    }

    /// Its bytes. The sentence names the file.
    pub fn text(&self, sys: &Sys<'_>) -> Result<Cow<'_, [u8]>, String> {
        match (&self.text, &self.path) {
            (Some(text), _) => Ok(Cow::Borrowed(text)),
            (None, None) => Ok(Cow::Borrowed(DEFAULT.as_bytes())),
            (None, Some(path)) => sys
                .disk
                .read(&self.real, CAP)
                .map(Cow::Owned)
                .map_err(|e| format!("the policy `{}` can't be read: {e}", path.display())),
        }
    }

    /// Parses its bytes and, where that isn't known yet, checks every pattern. The sentence names the file.
    pub fn policy<'t>(&self, text: &'t [u8]) -> Result<Policy<'t>, String> {
        let fault = |e: String| format!("the policy {} can't be used: {e}", self.name());
        let policy = Policy::parse(text).map_err(fault)?;
        if self.known.is_none() {
            policy.check_patterns().map_err(fault)?;
        }
        Ok(policy)
    }

    /// Reads, parses and checks it: the parts of it that mean nothing here. The sentence names the file.
    pub fn check(&self, sys: &Sys<'_>) -> Result<Vec<String>, String> {
        Ok(self.policy(&self.text(sys)?)?.ignored)
    }

    /// Notes a check that has just been made.
    fn remember(&self, state: &Path, sys: &Sys<'_>) {
        if let (Some(stat), Some(known)) = (&self.unnoted, &self.known) {
            remembered::note(state, &self.real, stat, known, sys);
        }
    }

    /// Which of its rules may be about these calls; `None`: all of them.
    fn places(&self, all: &[Facts<'_>]) -> Option<Vec<Place>> {
        let index = self.known.as_ref()?.index.as_deref()?;
        let mut places = Vec::new();
        for facts in all {
            places.append(&mut index::candidates(index, facts)?);
        }
        places.sort();
        places.dedup();
        Some(places)
    }

    /// What of it these calls need.
    fn part(&self, all: &[Facts<'_>], sys: &Sys<'_>) -> Result<Part<'_>, String> {
        let places = self.places(all);
        let text = match &places {
            Some(none) if none.is_empty() => Cow::Borrowed(&b""[..]),
            _ => self.text(sys)?,
        };
        Ok(Part { places, text })
    }

    fn read<'t>(&self, part: &'t Part<'_>) -> Result<Policy<'t>, String> {
        // A file that was changed since it was looked at is read whole: its rules stand elsewhere.
        let as_indexed = |text: &[u8]| self.len.is_none_or(|len| len == text.len() as u64);
        match &part.places {
            Some(none) if none.is_empty() => Ok(Policy::default()),
            Some(places) if as_indexed(&part.text) => {
                Policy::only(&part.text, places).map_or_else(|| self.policy(&part.text), Ok)
            }
            _ => self.policy(&part.text),
        }
    }
}

/// The text of a policy, and which of its rules are needed.
struct Part<'a> {
    places: Option<Vec<Place>>,
    text: Cow<'a, [u8]>,
}

/// Finds the policies in force, and writes nothing. The sentence names the file that can't be read.
pub fn texts(state: &Path, top: Option<&Path>, sys: &Sys<'_>) -> Result<Texts, String> {
    let own = state.join("policy.json");
    let user = source(&own, state, sys)?.unwrap_or_else(|| Source {
        known: Some(remembered::Known {
            index: Some(Cow::Borrowed(DEFAULT_INDEX)),
        }),
        ..Source::default()
    });
    let repo = match top
        .map(|t| t.join(".gitvow/policy.json"))
        .filter(|p| *p != own)
    {
        Some(path) => source(&path, state, sys)?,
        None => None,
    };
    Ok(Texts { user, repo })
}

fn source(path: &Path, state: &Path, sys: &Sys<'_>) -> Result<Option<Source>, String> {
    let failed = |e: std::io::Error| format!("the policy `{}` can't be read: {e}", path.display());
    let now = sys.clock.now();
    let mut stat = match sys.disk.stat(path) {
        Ok(stat) => stat,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(failed(e)),
    };
    let mut real = path.to_path_buf();
    if stat.kind == FileKind::Link {
        real = paths::real(sys.disk, path);
        stat = sys.disk.stat(&real).map_err(failed)?;
    }
    let mut source = Source {
        path: Some(path.to_path_buf()),
        known: remembered::knows(state, &real, &stat, sys),
        real,
        len: Some(stat.len),
        text: None,
        unnoted: None,
    };
    if source.known.is_none() {
        let text = source.text(sys)?.into_owned();
        if let Ok(policy) = source.policy(&text) {
            let index = index::of(&policy).map(Cow::Owned);
            source.known = Some(remembered::Known { index });
            source.unnoted = Some(stat).filter(|s| remembered::may_be_noted(s, now));
        }
        source.text = Some(text);
    }
    Ok(Some(source))
}

/// Judges the calls of one payload: the strictest verdict counts, the policies' and our own protection.
/// An error is a policy that can't be used; before a tool that is a denial.
pub fn decide(calls: &[Call<'_>], ground: &Ground, sys: &Sys<'_>) -> Result<Ruling, String> {
    let texts = texts(&ground.state, ground.top.as_deref(), sys)?;
    for source in std::iter::once(&texts.user).chain(&texts.repo) {
        source.remember(&ground.state, sys);
    }
    let all: Vec<Facts<'_>> = calls.iter().map(|call| facts(call, ground, sys)).collect();
    let user = texts.user.part(&all, sys)?;
    let user = texts.user.read(&user)?;
    let theirs = match &texts.repo {
        Some(source) => Some((source, source.part(&all, sys)?)),
        None => None,
    };
    let repo = match &theirs {
        Some((source, part)) => Some(source.read(part)?),
        None => None,
    };
    let mut worst = Ruling::allow();
    for (call, facts) in calls.iter().zip(&all) {
        let mut ruling = one(call, facts, &user, repo.as_ref(), ground, sys)?;
        if calls.len() > 1
            && ruling.verdict > Verdict::Allow
            && let Some(file) = call.tool.as_ref().and_then(|t| t.file_path.as_deref())
        {
            ruling.reason.push_str(&format!(" [file: {file}]"));
        }
        worst = worst.stricter(ruling);
    }
    Ok(worst)
}

fn one(
    call: &Call<'_>,
    facts: &Facts<'_>,
    user: &Policy<'_>,
    repo: Option<&Policy<'_>>,
    ground: &Ground,
    sys: &Sys<'_>,
) -> Result<Ruling, String> {
    let around = protect::Around {
        state: &ground.state,
        cwd: &ground.cwd,
        top: ground.top.as_deref(),
        agent: &ground.agent,
    };
    let mut ruling = protect::protect(facts, &around, sys);
    ruling = ruling.stricter(judge::judge(user, facts)?);
    if let Some(repo) = repo {
        let mut theirs = judge::judge(repo, facts)?;
        theirs.rule = theirs.rule.map(|r| format!("repository: {r}"));
        ruling = ruling.stricter(theirs);
    }
    for provider in &user.providers {
        if ruling.verdict == Verdict::Deny {
            break;
        }
        ruling = ruling.stricter(provider::ask(provider, call, ground, sys));
    }
    Ok(ruling)
}

/// What rules see of a call.
fn facts<'c>(call: &'c Call<'_>, ground: &'c Ground, sys: &Sys<'_>) -> Facts<'c> {
    let mut facts = Facts::default();
    let Some(tool) = &call.tool else {
        return facts;
    };
    facts.mcp = tool.mcp();
    facts.doubt = tool.doubt.as_deref();
    let mut targets = Vec::new();
    let target = |word: &str, dirs: &[String], removes: bool| {
        Target::new(word, &ground.cwd, dirs, removes, sys.disk, sys.env)
    };
    if let Some(line) = tool
        .command
        .as_deref()
        .filter(|_| tool.is_shell() || facts.mcp.is_some())
    {
        facts.line = Some(line);
        facts.cwd = Some(&ground.cwd);
        facts.reading = shell::read(line);
        let writes = shell::writes(&facts.reading);
        targets.extend(writes.iter().map(|w| target(&w.path, &w.dirs, w.removes)));
        // A patch given to the shell (`apply_patch <<EOF`) is read even where the line can't be.
        if facts.reading.unreadable && line.contains("*** ") {
            let changes = patch::read(line).unwrap_or_default();
            targets.extend(changes.iter().map(|c| target(&c.path, &[], false)));
        }
        if !facts.reading.commands.is_empty() {
            let home = sys.env.home().unwrap_or_default();
            facts.home = home.to_string_lossy().into_owned();
        }
    }
    if let Some(path) = tool
        .file_path
        .as_deref()
        .filter(|_| tool.is_edit() || facts.mcp.is_some())
    {
        targets.push(target(path, &[], false));
    }
    facts.targets = targets
        .into_iter()
        .map(|t| {
            let spellings = t.spellings(ground.top.as_deref());
            (t, spellings)
        })
        .collect();
    facts
}

/// The git top of a directory: the nearest one upwards that has a `.git`, and that `.git`.
pub fn git_top(from: &Path, sys: &Sys<'_>) -> Option<(PathBuf, PathBuf)> {
    paths::lexical(from).ancestors().find_map(|dir| {
        let git = dir.join(".git");
        let there = sys.disk.stat(&git).is_ok();
        there.then(|| (dir.to_path_buf(), git))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "UPDATE=1 writes what this test expects"
    )]
    fn the_built_in_policy_is_sound() {
        let policy = Policy::parse(DEFAULT.as_bytes()).unwrap();
        policy.check_patterns().unwrap();
        assert_eq!(policy.ignored, Vec::<String>::new());
        let index = index::of(&policy).unwrap();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write("src/hook/policy/default.index", &index).unwrap();
        }
        assert_eq!(index, DEFAULT_INDEX, "UPDATE=1 writes it");
    }
}
