//! Following symbolic links by hand, over any [`Disk`]: fully, relative links against their own directory.

use super::{Disk, FileKind, Stat};
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
    let mut todo: Vec<std::ffi::OsString> = Vec::new();
    push_reversed(&mut todo, path);
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
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        let stat = match disk.stat(&next) {
            Ok(stat) => stat,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let mut rest = next;
                rest.extend(todo.iter().rev());
                return Ok(match under_way.pop() {
                    Some((link, _)) => Resolved::Dangling(link, rest),
                    None => Resolved::Absent(rest),
                });
            }
            Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
                return Ok(Resolved::NotADirectory(at));
            }
            Err(e) => return Err(e),
        };
        see(&next, &stat);
        match stat.kind {
            FileKind::Link => {
                links += 1;
                if links > 40 {
                    return Ok(Resolved::Loop);
                }
                let target = disk.read_link(&next)?;
                under_way.push((next, todo.len()));
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                push_reversed(&mut todo, &target);
            }
            FileKind::Dir => at = next,
            FileKind::File | FileKind::Other if todo.is_empty() => at = next,
            FileKind::File | FileKind::Other => return Ok(Resolved::NotADirectory(next)),
        }
    }
    Ok(Resolved::Found(at))
}

fn push_reversed(todo: &mut Vec<std::ffi::OsString>, path: &Path) {
    let parts: Vec<_> = path
        .components()
        .filter_map(|c| match c {
            Component::Normal(n) => Some(n.to_os_string()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect();
    todo.extend(parts.into_iter().rev());
}
