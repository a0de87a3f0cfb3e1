//! May this file be taken on at all? Every refusal that doesn't depend on what the text says. Pure.

use super::world::{Actual, File, MAX_FILE};
use crate::doc::{Fault, text};
use crate::error::{Error, Result};
use crate::spec::{Scope, words};
use std::path::{Path, PathBuf};

/// What decides whether a path may be written to.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// The scope asked for.
    pub scope: Scope,
    /// The repository's top, links followed; for repository and local scope.
    pub repo: Option<&'a Path>,
    /// The state home, links followed.
    pub state: &'a Path,
    /// `--force`.
    pub force: bool,
    /// A file with several names may be overwritten in place: `--force`, or what was installed is to be taken out.
    pub in_place: bool,
    /// We are root and HOME belongs to somebody else.
    pub foreign_home: bool,
}

/// A file that may be read and, if need be, written.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted<'a> {
    /// Behind links.
    pub real: PathBuf,
    /// Its text; `None`: there is no file.
    pub text: Option<&'a str>,
    /// Directories to be made for it.
    pub missing: &'a [PathBuf],
    /// It has other names: overwrite in place (`--force`).
    pub in_place: bool,
}

/// Admits a file for reading: the kind of thing it is, its size, its encoding.
pub fn readable<'a>(path: &Path, actual: &'a Actual) -> Result<Admitted<'a>> {
    let refuse = |code, message: String| Error::refused(code, message).at(path);
    let shown = path.display();
    match actual {
        Actual::Absent { real, missing, .. } => Ok(Admitted {
            real: real.clone(),
            text: None,
            missing,
            in_place: false,
        }),
        Actual::File(file) => Ok(Admitted {
            real: file.real.clone(),
            text: Some(text_of(path, file)?),
            missing: &[],
            in_place: false,
        }),
        Actual::Other(what, _) => {
            Err(
                refuse("not-a-file", format!("`{shown}` is {what}, not a file")).help(format!(
                    "move it away: mv {} {}.moved",
                    quoted(path),
                    quoted(path)
                )),
            )
        }
        Actual::Dangling(link, target) => Err(refuse(
            "dangling-link",
            format!(
                "`{}` is a link to `{}`, which is not there",
                link.display(),
                target.display()
            ),
        )
        .help(format!(
            "create its target, or remove the link: rm {}",
            quoted(link)
        ))),
        Actual::Loop => Err(
            refuse("link-loop", format!("`{shown}` is a circle of links"))
                .help(format!("look at it with: ls -l {}", quoted(path))),
        ),
        Actual::NotADirectory(part) => Err(refuse(
            "not-a-directory",
            format!(
                "`{}` is not a directory, so `{shown}` can't be in it",
                part.display()
            ),
        )
        // Not to be moved on our word: a variable may have named any file of the machine (`CODEX_HOME=/etc/passwd`).
        .help(format!("look at what it is: ls -l {}", quoted(part)))),
        Actual::Unreadable(why) => {
            Err(refuse("unreadable", format!("`{shown}` can't be read")).because(why.clone()))
        }
    }
}

/// Admits a file for writing as well.
pub fn writable<'a>(path: &Path, actual: &'a Actual, bounds: &Bounds<'_>) -> Result<Admitted<'a>> {
    inside(path, actual, bounds)?;
    let mut admitted = readable(path, actual)?;
    let refuse = |code, message: String| Error::refused(code, message).at(path);
    let shown = path.display();
    if admitted.real.starts_with("/nix/store") {
        return Err(refuse(
            "read-only",
            format!(
                "`{shown}` leads into the Nix store (`{}`), which is read-only",
                admitted.real.display()
            ),
        )
        .help(
            "add the entries where that file is declared; `gitvow install --dry-run` shows them",
        ));
    }
    let may = match actual {
        Actual::Absent { writable, .. } => *writable,
        Actual::File(file) => file.writable && file.mode & 0o222 != 0,
        _ => true,
    };
    if !may {
        let real = &admitted.real;
        let what = if admitted.text.is_some() {
            "it or its directory is read-only"
        } else {
            "its directory is read-only"
        };
        return Err(
            refuse("read-only", format!("`{shown}` can't be written: {what}"))
                .help(format!("make it writable: chmod u+w {}", quoted(real))),
        );
    }
    if let Actual::File(file) = actual
        && file.links > 1
    {
        if !bounds.in_place {
            return Err(refuse(
                "hard-link",
                format!("`{shown}` is a hard link: {} names share this file, and replacing it would part them", file.links),
            )
            .help("`--force` writes it in place, which a crash could leave half done"));
        }
        admitted.in_place = true;
    }
    if bounds.foreign_home && !bounds.force {
        return Err(foreign_home(path));
    }
    Ok(admitted)
}

/// We are root, and this is somebody else's.
pub fn foreign_home(path: &Path) -> Error {
    let shown = path.display();
    Error::refused(
        "foreign-home",
        format!("running as root over another user's home: `{shown}` would be written as root and given to its directory's owner"),
    )
    .at(path)
    .help("run it as that user, or add `--force`")
}

/// Repository and local scope stay inside the repository and out of `.git`; nothing goes into the state home.
fn inside(path: &Path, actual: &Actual, bounds: &Bounds<'_>) -> Result<()> {
    let real = match actual {
        Actual::Dangling(_, target) => target.as_path(),
        other => match other.real() {
            Some(real) => real,
            None => return Ok(()),
        },
    };
    if bounds.scope != Scope::User
        && let Some(repo) = bounds.repo
    {
        let Ok(below) = real.strip_prefix(repo) else {
            return Err(Error::refused(
                "outside-repository",
                format!(
                    "`{}` leads out of the repository, to `{}`",
                    path.display(),
                    real.display()
                ),
            )
            .at(path)
            .help(format!(
                "look where the link comes from: ls -l {}",
                quoted(path)
            )));
        };
        if below.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(Error::refused(
                "inside-git",
                format!("`{}` leads into `.git`", path.display()),
            )
            .at(path)
            .help(format!(
                "look where the link comes from: ls -l {}",
                quoted(path)
            )));
        }
    }
    if real.starts_with(bounds.state) {
        return Err(Error::refused(
            "state-home",
            format!("`{}` leads into gitvow's own state", path.display()),
        )
        .at(path));
    }
    Ok(())
}

fn text_of<'a>(path: &Path, file: &'a File) -> Result<&'a str> {
    let shown = path.display();
    let refuse = |code, message: String| Error::refused(code, message).at(path);
    if file.len > MAX_FILE {
        return Err(refuse(
            "too-large",
            format!(
                "`{shown}` has {} bytes; more than {MAX_FILE} are not taken on",
                file.len
            ),
        ));
    }
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = file.bytes.as_slice() {
        return Err(
            refuse("encoding", format!("`{shown}` is UTF-16, not UTF-8"))
                .position(1, 1)
                .help(format!(
                    "convert it: iconv -f UTF-16 -t UTF-8 {} > converted",
                    quoted(path)
                )),
        );
    }
    std::str::from_utf8(&file.bytes).map_err(|e| {
        let good = file.bytes.get(..e.valid_up_to()).unwrap_or_default();
        let good = std::str::from_utf8(good).unwrap_or_default();
        let (line, column) = text::position(good, good.len());
        refuse(
            "encoding",
            format!("`{shown}` is not UTF-8 (byte {})", e.valid_up_to()),
        )
        .position(line, column)
        .help(format!(
            "look at the bytes: xxd -s {} -l 16 {}",
            e.valid_up_to(),
            quoted(path)
        ))
    })
}

/// A fault of a text as an error about its file.
pub fn fault(path: &Path, text: &str, fault: &Fault) -> Error {
    let shown = path.display();
    let message = match fault.code {
        "unparseable" => format!("`{shown}` can't be read: {}", fault.message),
        "unproven" => format!("`{shown}` would not come out right"),
        _ => format!("`{shown}`: {}", fault.message),
    };
    let mut error = Error::refused(fault.code, message).at(path);
    if fault.code == "unproven" {
        error = error.because(fault.message.clone());
    }
    if let Some(at) = fault.at {
        let (line, column) = text::position(text, at);
        error = error.position(line, column);
    }
    error.help(match fault.code {
        "unparseable" => {
            "mend the file there and run the command again; nothing was written".to_owned()
        }
        "duplicate-key" => {
            "keep one of the two and run the command again; nothing was written".to_owned()
        }
        "unproven" => "nothing was written; please report it with the file's shape".to_owned(),
        _ => "change it there and run the command again; nothing was written".to_owned(),
    })
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    words::quoted(&path.to_string_lossy()).into_owned()
}
