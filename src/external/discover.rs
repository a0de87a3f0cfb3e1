//! Which executable `gitvow-agent-<name>` is. Looks, never runs: a name is resolved only because the
//! user gave it, and [`list`] reads names of files and nothing else.
//!
//! An adapter judges tool calls, so whoever can swap it owns the gate. Refused: an executable that
//! belongs to neither root nor us, and one that others may write (the o+w bit), by itself or through any
//! directory on the way, that of a link's target included. A sticky directory such as `/tmp` is safe:
//! others can't rename what is ours in it.

use crate::error::{Error, Result};
use crate::external::escape::shown;
use crate::spec::{builtin, names::is_agent_name, words};
use crate::sys::resolve::{Resolved, resolve_seeing};
use crate::sys::{FileKind, Stat, Sys};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What an adapter's file name begins with.
pub const PREFIX: &str = "gitvow-agent-";

const NOT_EXECUTABLE: &str = "it is not executable";
const STICKY: u32 = 0o1000;
const OTHERS_WRITE: u32 = 0o002;
const ANY_EXECUTE: u32 = 0o111;

/// An adapter's executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name asked for.
    pub name: String,
    /// Its absolute path as found, links not resolved: a package's stable link outlives an upgrade.
    pub path: PathBuf,
    /// sha256 of its bytes, lower-case hex.
    pub sha256: String,
}

/// Finds the adapter for `name`: PATH's absolute entries, then `<state>/agents`. The first executable
/// file counts, as in a shell; if it is unsafe that is the answer, not the next one.
///
/// `state` is the state home. Errors: a name that can't be one, a built-in's name, nothing found (all
/// usage errors, exit 2); an unsafe executable (refused).
pub fn discover(sys: &Sys<'_>, state: &Path, name: &str) -> Result<Found> {
    check_name(name)?;
    if is_builtin(name) {
        return Err(Error::usage(format!(
            "`{name}` is built in, so `{PREFIX}{name}` is never used"
        )));
    }
    let mut passed_over = None;
    for dir in places(sys, state) {
        let path = dir.join(format!("{PREFIX}{name}"));
        match look(sys, &path) {
            Look::Executable => {
                check_safe(sys, &path)?;
                let sha256 = sys
                    .disk
                    .hash(&path)
                    .map_err(|e| Error::io("read", &path, &e))?;
                return Ok(Found {
                    name: name.to_owned(),
                    path,
                    sha256,
                });
            }
            Look::Nothing => {}
            Look::No(why) => {
                passed_over.get_or_insert((path, why));
            }
        }
    }
    Err(not_found(state, name, passed_over))
}

/// The names of all adapters that can be found, sorted, without running or judging any. Names that a
/// built-in has are left out.
pub fn list(sys: &Sys<'_>, state: &Path) -> Vec<String> {
    let mut names = BTreeSet::new();
    for dir in places(sys, state) {
        for entry in sys.disk.list(&dir).unwrap_or_default() {
            let Some(file) = entry.file_name().and_then(|f| f.to_str()) else {
                continue;
            };
            let Some(name) = file.strip_prefix(PREFIX) else {
                continue;
            };
            if check_name(name).is_ok()
                && !is_builtin(name)
                && matches!(look(sys, &dir.join(file)), Look::Executable)
            {
                names.insert(name.to_owned());
            }
        }
    }
    names.into_iter().collect()
}

/// Is `path` an executable that nobody else can swap? Asked again before each run: rights change.
pub fn check_safe(sys: &Sys<'_>, path: &Path) -> Result<()> {
    if !path.is_absolute() {
        return Err(Error::refused(
            "unsafe-adapter",
            format!("the adapter's path `{}` is not absolute", show(path)),
        ));
    }
    let mut seen: Vec<(PathBuf, Stat)> = Vec::new();
    let root = sys
        .disk
        .stat(Path::new("/"))
        .map_err(|e| Error::io("read", Path::new("/"), &e))?;
    seen.push((PathBuf::from("/"), root));
    let real = resolve_seeing(sys.disk, path, &mut |p, s| seen.push((p.to_owned(), *s)))
        .map_err(|e| Error::io("read", path, &e))?;
    let Resolved::Found(_) = real else {
        return Err(gone(path));
    };
    for (at, stat) in &seen {
        judge(at, stat, path, sys.env.uid())?;
    }
    match seen.last() {
        Some((_, stat)) if stat.kind == FileKind::File && stat.mode & ANY_EXECUTE != 0 => Ok(()),
        Some((_, stat)) if stat.kind == FileKind::File => Err(Error::failed(
            "adapter-failed",
            format!("the adapter `{}` is not executable", show(path)),
        )
        .at(path)
        .help(format!("chmod +x {}", quoted(path)))),
        _ => Err(gone(path)),
    }
}

/// Letters, digits, `_` and `-`, and not like an option.
pub fn check_name(name: &str) -> Result<()> {
    if is_agent_name(name) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "`{}` can't be an agent's name: it has letters, digits, `_` and `-` only, and no `-` in front",
        shown(name, 60)
    )))
}

/// PATH's absolute entries in their order, then `<state>/agents`. A relative entry would mean whatever
/// repository one stands in.
fn places(sys: &Sys<'_>, state: &Path) -> Vec<PathBuf> {
    let path = sys.env.var("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|p| p.is_absolute())
        .collect();
    places.push(state.join("agents"));
    places
}

enum Look {
    Executable,
    Nothing,
    /// Something is there that a shell would pass over, and why.
    No(&'static str),
}

fn look(sys: &Sys<'_>, path: &Path) -> Look {
    let mut last = None;
    match resolve_seeing(sys.disk, path, &mut |_, s| last = Some(*s)) {
        Ok(Resolved::Found(_)) => match last {
            Some(s) if s.kind == FileKind::File && s.mode & ANY_EXECUTE != 0 => Look::Executable,
            Some(s) if s.kind == FileKind::File => Look::No(NOT_EXECUTABLE),
            _ => Look::No("it is not a regular file"),
        },
        Ok(Resolved::Dangling(..)) => Look::No("it is a link to nothing"),
        Ok(Resolved::Loop) => Look::No("its links lead in a circle"),
        Ok(Resolved::Absent(_) | Resolved::NotADirectory(_)) | Err(_) => Look::Nothing,
    }
}

fn judge(at: &Path, stat: &Stat, adapter: &Path, uid: u32) -> Result<()> {
    let open = stat.mode & OTHERS_WRITE != 0;
    let what = match stat.kind {
        // A link has no rights of its own; its directory's count.
        FileKind::Link => return Ok(()),
        FileKind::Dir if open && stat.mode & STICKY == 0 => "a directory on the way to it",
        FileKind::Dir => return Ok(()),
        FileKind::File | FileKind::Other if open => "it",
        FileKind::File | FileKind::Other if stat.uid != 0 && stat.uid != uid => {
            return Err(Error::refused(
                "unsafe-adapter",
                format!(
                    "the adapter `{}` belongs to user {}, neither to root nor to you (user {uid})",
                    show(adapter),
                    stat.uid
                ),
            )
            .at(at)
            .help(format!(
                "look at it, then put a copy of your own into $GITVOW_HOME/agents/: install -m 0755 {} ~/.gitvow/agents/",
                quoted(at)
            )));
        }
        FileKind::File | FileKind::Other => return Ok(()),
    };
    Err(Error::refused(
        "unsafe-adapter",
        format!(
            "the adapter `{}` is not safe to run: others may write to {what}{}",
            show(adapter),
            if stat.kind == FileKind::Dir {
                format!(", `{}`", show(at))
            } else {
                String::new()
            }
        ),
    )
    .at(at)
    .help(format!("chmod o-w {}", quoted(at))))
}

fn gone(path: &Path) -> Error {
    Error::failed(
        "adapter-missing",
        format!("the adapter `{}` is not there any more", show(path)),
    )
    .at(path)
}

fn not_found(state: &Path, name: &str, passed_over: Option<(PathBuf, &'static str)>) -> Error {
    let mut error = Error::usage(format!(
        "no agent is called `{name}`: it isn't built in, and there is no `{PREFIX}{name}` on PATH or in `{}`",
        show(&state.join("agents"))
    ));
    error.code = "unknown-agent";
    error.help = Some(match builtin::nearest(name) {
        Some(near) => format!("did you mean `--agent {near}`? all names: gitvow agents"),
        None => "gitvow agents".to_owned(),
    });
    let Some((path, why)) = passed_over else {
        return error;
    };
    if why == NOT_EXECUTABLE {
        error.help = Some(format!("chmod +x {}", quoted(&path)));
    }
    error.because(format!("`{}` was passed over: {why}", show(&path)))
}

fn is_builtin(name: &str) -> bool {
    builtin::by_name(name).is_some()
}

fn show(path: &Path) -> String {
    shown(&path.to_string_lossy(), 400)
}

/// A path for a command line that is to be pasted.
fn quoted(path: &Path) -> String {
    words::quoted(&show(path)).into_owned()
}
