//! Following symbolic links by hand, over any [`Disk`]: fully, relative links against their own directory.

use super::{Disk, FileKind, Stat};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Where a path leads once every link on the way is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Something is there; the path has no links in it any more.
    Found(PathBuf),
    /// Nothing is there, and no link says that something should be: the path it would have.
    Absent(PathBuf),
    /// A link leads to nothing: the link, and where it points.
    Dangling(PathBuf, PathBuf),
    /// Links lead in a circle.
    Loop,
    /// A component on the way is no directory: that component.
    NotADirectory(PathBuf),
}

/// Resolves an absolute path. At most 40 links are followed, as Linux does.
pub fn resolve(disk: &dyn Disk, path: &Path) -> io::Result<Resolved> {
    resolve_seeing(disk, path, &mut |_, _| {})
}

/// As [`resolve`], and shows everything that is stepped on, in order: each directory (of a link's target
/// too), each link, and what stands at the end. `/` itself isn't shown.
pub fn resolve_seeing(
    disk: &dyn Disk,
    path: &Path,
    see: &mut dyn FnMut(&Path, &Stat),
) -> io::Result<Resolved> {
    let mut todo: Vec<Cow<'_, OsStr>> = Vec::new();
    push_reversed(&mut todo, path, Cow::Borrowed);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    // Links under way: the link, and how many components stood behind it. A component that is missing
    // while its link's own target is still being walked makes that link dangling.
    let mut under_way: Vec<(PathBuf, usize)> = Vec::new();
    while let Some(name) = todo.pop() {
        while under_way
            .last()
            .is_some_and(|(_, behind)| todo.len() < *behind)
        {
            under_way.pop();
        }
        if *name == *".." {
            at.pop();
            continue;
        }
        at.push(&name);
        let stat = match disk.stat(&at) {
            Ok(stat) => stat,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let behind = under_way.last().map_or(0, |(_, behind)| *behind);
                let rest = walk_blindly(at, todo.iter().skip(behind).rev());
                return Ok(match under_way.pop() {
                    Some((link, _)) => Resolved::Dangling(link, rest),
                    None => Resolved::Absent(rest),
                });
            }
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
                at.pop();
                return Ok(Resolved::NotADirectory(at));
            }
            Err(e) => return Err(e),
        };
        see(&at, &stat);
        match stat.kind {
            FileKind::Link => {
                links += 1;
                if links > 40 {
                    return Ok(Resolved::Loop);
                }
                let target = disk.read_link(&at)?;
                let link = at.clone();
                at.pop();
                under_way.push((link, todo.len()));
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                push_reversed(&mut todo, &target, |n| Cow::Owned(n.to_owned()));
            }
            FileKind::Dir => {}
            FileKind::File | FileKind::Other if todo.is_empty() => {}
            FileKind::File | FileKind::Other => return Ok(Resolved::NotADirectory(at)),
        }
    }
    Ok(Resolved::Found(at))
}

/// Where nothing is there are no links, so `..` may be taken by the letter; left in, it could lead a path
/// that seems to lie inside a directory out of it.
fn walk_blindly<'a>(mut at: PathBuf, names: impl Iterator<Item = &'a Cow<'a, OsStr>>) -> PathBuf {
    for name in names {
        if **name == *".." {
            at.pop();
        } else {
            at.push(name);
        }
    }
    at
}

fn push_reversed<'p, 't>(
    todo: &mut Vec<Cow<'t, OsStr>>,
    path: &'p Path,
    keep: impl Fn(&'p OsStr) -> Cow<'t, OsStr>,
) {
    let parts = path.components().rev().filter_map(|c| match c {
        Component::Normal(n) => Some(keep(n)),
        Component::ParentDir => Some(keep(OsStr::new(".."))),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    todo.extend(parts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::memory::{MemoryDisk, Thing};

    fn disk() -> MemoryDisk {
        let disk = MemoryDisk::default();
        let link = |at: &str, to: &str| disk.put(at, Thing::Link(to.into()), 0o777);
        disk.put("/home/me/real/file", Thing::File(Vec::new()), 0o644);
        link("/home/me/absolute", "/home/me/real/file");
        link("/home/me/relative", "real/file");
        link("/home/me/twice", "relative");
        link("/home/me/dir", "real");
        link("/home/me/up", "real/../../me/real/./file");
        link("/home/me/dangling", "gone/file");
        link("/home/me/to-dangling", "dangling");
        link("/home/me/gone-dir", "/mnt/gone");
        link("/home/me/out", "gone/../../other");
        link("/home/me/self", "self");
        link("/home/me/a", "b");
        link("/home/me/b", "a");
        link("/home/me/root", "/");
        link("/home/me/above", "../../../..");
        for n in 0..41 {
            link(&format!("/chain/{n}"), &format!("{}", n + 1));
        }
        disk.put("/chain/41", Thing::Dir, 0o755);
        disk
    }

    #[track_caller]
    fn check(path: &str, expected: &Resolved) {
        let disk = disk();
        assert_eq!(&resolve(&disk, Path::new(path)).unwrap(), expected);
        // The kernel agrees on what is there.
        let found = matches!(expected, Resolved::Found(_));
        let opens = disk.list(Path::new(path)).is_ok() || disk.read(Path::new(path), 9).is_ok();
        assert_eq!(found, opens, "{path}");
    }

    fn found(path: &str) -> Resolved {
        Resolved::Found(path.into())
    }

    #[test]
    fn links_of_every_kind_lead_to_the_file() {
        let file = found("/home/me/real/file");
        for name in [
            "real/file",
            "absolute",
            "relative",
            "twice",
            "dir/file",
            "up",
        ] {
            check(&format!("/home/me/{name}"), &file);
        }
        check("/home/me/root/home/me/dir/file", &file);
        check("/home/me/root", &found("/"));
        check("/home/me/above/home/me/twice", &file);
        check("/home/me/dir/../real", &found("/home/me/real"));
    }

    #[test]
    fn what_is_not_there_is_absent_only_without_a_link_that_says_otherwise() {
        let absent = |p: &str| Resolved::Absent(p.into());
        check("/home/me/new", &absent("/home/me/new"));
        check("/home/me/dir/new/er", &absent("/home/me/real/new/er"));
        check("/home/me/no/../../../etc/x", &absent("/etc/x"));
        let dangling = |link: &str, to: &str| Resolved::Dangling(link.into(), to.into());
        let to = "/home/me/gone/file";
        check("/home/me/dangling", &dangling("/home/me/dangling", to));
        check("/home/me/to-dangling", &dangling("/home/me/dangling", to));
        check(
            "/home/me/gone-dir/x/y",
            &dangling("/home/me/gone-dir", "/mnt/gone"),
        );
        check("/home/me/out", &dangling("/home/me/out", "/home/other"));
    }

    #[test]
    fn circles_and_files_as_directories() {
        for name in ["self", "a", "b/x"] {
            check(&format!("/home/me/{name}"), &Resolved::Loop);
        }
        check("/chain/0", &Resolved::Loop);
        check("/chain/1", &found("/chain/41"));
        let file = Resolved::NotADirectory("/home/me/real/file".into());
        check("/home/me/twice/x", &file);
        check("/home/me/real/file/..", &file);
    }
}
