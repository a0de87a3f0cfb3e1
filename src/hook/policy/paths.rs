//! Which file a word means: lexically, and behind links. May read links and nothing else.

use crate::sys::resolve::{Resolved, resolve};
use crate::sys::{Disk, Env};
use std::path::{Component, Path, PathBuf};

/// One file that a call writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The word as the call spells it.
    pub word: String,
    /// Absolute, `.` and `..` taken out.
    pub lexical: PathBuf,
    /// Where it leads once links are followed; the lexical one when that can't be said.
    pub real: PathBuf,
    /// It, and all below it, may go away.
    pub removes: bool,
}

impl Target {
    /// Reads a word as a path: from `dir` when it is relative, after `dirs` were entered one by one.
    pub fn new(
        word: &str,
        dir: &Path,
        dirs: &[String],
        removes: bool,
        disk: &dyn Disk,
        env: &dyn Env,
    ) -> Self {
        let mut base = dir.to_path_buf();
        for step in dirs {
            base = base.join(expanded(step, &base, env));
        }
        let lexical = lexical(&base.join(expanded(word, &base, env)));
        let real = real(disk, &lexical);
        Self {
            word: word.to_owned(),
            lexical,
            real,
            removes,
        }
    }

    /// Can more than the one file of its name be meant: a tree that goes away, or a pattern of the shell?
    pub fn is_wide(&self) -> bool {
        self.removes || self.word.contains(['*', '?', '[', '{'])
    }

    /// Could it mean this file, whose real path is `behind`?
    pub fn means(&self, file: &Path, behind: &Path) -> bool {
        touches(&self.lexical, file, self.removes) || touches(&self.real, behind, self.removes)
    }

    /// Every spelling that a path rule sees: as written, absolute, real, and relative to the repository.
    pub fn spellings(&self, top: Option<&Path>) -> Vec<String> {
        let mut out = vec![self.word.clone()];
        for path in [&self.lexical, &self.real] {
            out.push(path.to_string_lossy().into_owned());
            if let Some(rest) = top.and_then(|t| path.strip_prefix(t).ok()) {
                out.push(rest.to_string_lossy().into_owned());
            }
        }
        out.sort();
        out.dedup();
        out
    }
}

/// Takes `.` and `..` out of an absolute path without looking at the disk.
pub fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// Where an absolute path leads; the path itself when links lead nowhere.
pub fn real(disk: &dyn Disk, path: &Path) -> PathBuf {
    match resolve(disk, path) {
        Ok(Resolved::Found(p) | Resolved::Absent(p) | Resolved::Dangling(_, p)) => p,
        _ => path.to_path_buf(),
    }
}

/// `~`, `$HOME`, `$PWD` and `$GITVOW_HOME` at the start of a word; other variables stay as they stand.
fn expanded(word: &str, dir: &Path, env: &dyn Env) -> PathBuf {
    let home = || env.home().unwrap_or_else(|| PathBuf::from("/"));
    if word == "~" {
        return home();
    }
    let known: [(&str, &dyn Fn() -> Option<PathBuf>); 7] = [
        ("~/", &|| Some(home())),
        ("$HOME", &|| Some(home())),
        ("${HOME}", &|| Some(home())),
        ("$PWD", &|| Some(dir.to_path_buf())),
        ("${PWD}", &|| Some(dir.to_path_buf())),
        ("$GITVOW_HOME", &|| {
            env.var("GITVOW_HOME").map(PathBuf::from)
        }),
        ("${GITVOW_HOME}", &|| {
            env.var("GITVOW_HOME").map(PathBuf::from)
        }),
    ];
    for (start, path) in known {
        let Some(rest) = word.strip_prefix(start) else {
            continue;
        };
        if start.starts_with("$") && !(rest.is_empty() || rest.starts_with('/')) {
            continue;
        }
        if let Some(base) = path() {
            return base.join(rest.trim_start_matches('/'));
        }
    }
    PathBuf::from(word)
}

/// Could the words of `target` (`*`, `?` and `[` stand for anything in a name) mean `path`, something in
/// it, or, where `above` is set, a directory it lies in?
pub fn touches(target: &Path, path: &Path, above: bool) -> bool {
    let (mut a, mut b) = (target.components(), path.components());
    loop {
        match (a.next(), b.next()) {
            (_, None) => return true,
            (None, Some(_)) => return above,
            (Some(x), Some(y)) => {
                let (x, y) = (
                    x.as_os_str().to_string_lossy(),
                    y.as_os_str().to_string_lossy(),
                );
                // A pattern doesn't match the dot that a name begins with.
                let hidden = y.starts_with('.') && x.starts_with(['*', '?', '[']);
                if hidden || !glob(x.as_bytes(), y.as_bytes()) {
                    return false;
                }
            }
        }
    }
}

/// A name against a pattern of the shell; a class matches any one character.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len().min(64))
            .any(|n| rest.len() <= 64 && name.get(n..).is_some_and(|tail| glob(rest, tail))),
        Some((b'?', rest)) => name.split_first().is_some_and(|(_, tail)| glob(rest, tail)),
        Some((b'[', rest)) => match rest.iter().skip(1).position(|b| *b == b']') {
            Some(end) => name
                .split_first()
                .is_some_and(|(_, tail)| glob(rest.get(end + 2..).unwrap_or_default(), tail)),
            None => name
                .split_first()
                .is_some_and(|(c, tail)| *c == b'[' && glob(rest, tail)),
        },
        Some((p, rest)) => name
            .split_first()
            .is_some_and(|(c, tail)| c == p && glob(rest, tail)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_globs_reach_a_directory() {
        let state = Path::new("/h/u/.gitvow");
        for (target, above, expected) in [
            ("/h/u/.gitvow", false, true),
            ("/h/u/.gitvow/policy.json", false, true),
            ("/h/u/.gitv*", false, true),
            ("/h/u/.gitv?w/x", false, true),
            ("/h/u/.[gx]itvow", false, true),
            ("/h/u", false, false),
            ("/h/u", true, true),
            ("/h/*/.git*", false, true),
            ("/h/u/.gitvow2", true, false),
            ("/h/u/x*", true, false),
        ] {
            assert_eq!(
                touches(Path::new(target), state, above),
                expected,
                "{target}"
            );
        }
        assert_eq!(lexical(Path::new("/a/./b/../../../c")), Path::new("/c"));
    }
}
