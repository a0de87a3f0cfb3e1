//! A disk in memory, for tests that need none: directories, links, hard links, modes. May not differ from
//! the real one in what an operation answers; owners, attributes and access checks it leaves out.

use super::{Disk, FileKind, Like, Lock, Stat};
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// What is put into a [`MemoryDisk`] by [`MemoryDisk::put`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A regular file.
    File(Vec<u8>),
    /// A directory.
    Dir,
    /// A link with this text.
    Link(PathBuf),
    /// A FIFO, socket or device.
    Other,
}

#[derive(Debug, Clone)]
struct Node {
    thing: Thing,
    mode: u32,
    mtime_ns: i128,
}

#[derive(Debug, Default)]
struct Inner {
    names: BTreeMap<PathBuf, u64>,
    nodes: BTreeMap<u64, Node>,
    next: u64,
    ticks: i128,
}

/// The disk. Its umask is 022, its root directory is there.
#[derive(Debug)]
pub struct MemoryDisk {
    inner: RefCell<Inner>,
    locked: Rc<Cell<bool>>,
}

impl Default for MemoryDisk {
    fn default() -> Self {
        let mut inner = Inner::default();
        inner.add(PathBuf::from("/"), Thing::Dir, 0o755);
        Self {
            inner: RefCell::new(inner),
            locked: Rc::default(),
        }
    }
}

impl MemoryDisk {
    /// Puts a thing there, missing parents too; what was there goes. No link on the way is followed.
    pub fn put(&self, path: impl AsRef<Path>, thing: Thing, mode: u32) {
        let mut inner = self.inner.borrow_mut();
        let parents: Vec<PathBuf> = path.as_ref().ancestors().skip(1).map(Into::into).collect();
        for parent in parents.into_iter().rev() {
            if !inner.names.contains_key(&parent) {
                inner.add(parent, Thing::Dir, 0o755);
            }
        }
        inner.add(path.as_ref().to_path_buf(), thing, mode);
    }

    /// Gives a file a second name.
    pub fn hard_link(&self, old: &Path, new: impl Into<PathBuf>) {
        let mut inner = self.inner.borrow_mut();
        if let Some(id) = inner.names.get(old).copied() {
            inner.names.insert(new.into(), id);
        }
    }

    /// Everything that is there, sorted by path, with permission bits.
    pub fn all(&self) -> Vec<(PathBuf, Thing, u32)> {
        let inner = self.inner.borrow();
        let node = |(path, id): (&PathBuf, &u64)| {
            let node = inner.nodes.get(id)?;
            Some((path.clone(), node.thing.clone(), node.mode))
        };
        inner.names.iter().filter_map(node).collect()
    }
}

const UMASK: u32 = 0o022;

impl Disk for MemoryDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let inner = self.inner.borrow();
        let id = inner.id(&inner.locate(path, false)?)?;
        let node = inner.node(id)?;
        let (kind, len) = match &node.thing {
            Thing::File(bytes) => (FileKind::File, bytes.len()),
            Thing::Dir => (FileKind::Dir, 0),
            Thing::Link(text) => (FileKind::Link, text.as_os_str().len()),
            Thing::Other => (FileKind::Other, 0),
        };
        Ok(Stat {
            kind,
            mode: node.mode,
            len: len as u64,
            links: inner.names.values().filter(|n| **n == id).count() as u64,
            uid: 0,
            gid: 0,
            mtime_ns: node.mtime_ns,
            ctime_ns: node.mtime_ns,
            id: (1, id),
        })
    }

    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>> {
        let inner = self.inner.borrow();
        let bytes = inner.bytes(&inner.locate(path, true)?)?;
        if bytes.len() as u64 > cap {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(bytes.clone())
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let inner = self.inner.borrow();
        match &inner.node(inner.id(&inner.locate(path, false)?)?)?.thing {
            Thing::Link(text) => Ok(text.clone()),
            _ => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let inner = self.inner.borrow();
        let dir = inner.dir(path)?;
        Ok(inner.children(&dir))
    }

    fn may_write_dir(&self, path: &Path) -> bool {
        self.inner.borrow().dir(path).is_ok()
    }

    fn may_write_file(&self, path: &Path) -> bool {
        self.read(path, u64::MAX).is_ok()
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.inner
            .borrow_mut()
            .add_new(path, Thing::Dir, mode & !UMASK)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let path = inner.locate(path, false)?;
        match inner.node(inner.id(&path)?)?.thing {
            Thing::Dir if inner.children(&path).is_empty() => inner.remove(&path),
            Thing::Dir => Err(ErrorKind::DirectoryNotEmpty.into()),
            _ => Err(ErrorKind::NotADirectory.into()),
        }
    }

    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        let mode = match like {
            Like::Mode(mode) => mode,
            Like::Umasked(mode) => mode & !UMASK,
            Like::File(model) => self.stat(model)?.mode,
        };
        self.inner
            .borrow_mut()
            .add_new(path, Thing::File(bytes.to_vec()), mode)
    }

    fn copy_new(&self, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
        let bytes = self.read(from, u64::MAX)?;
        self.create(to, &bytes, Like::Umasked(mode))
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let (a, b) = (inner.locate(a, false)?, inner.locate(b, false)?);
        let (first, second) = (inner.id(&a)?, inner.id(&b)?);
        inner.names.insert(a, second);
        inner.names.insert(b, first);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let (from, to) = (inner.locate(from, false)?, inner.locate(to, false)?);
        let id = inner.id(&from)?;
        if inner.names.contains_key(&to) && !replace {
            return Err(ErrorKind::AlreadyExists.into());
        }
        inner.names.remove(&from);
        inner.names.insert(to, id);
        Ok(())
    }

    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let path = inner.locate(path, false)?;
        inner.write(&path, bytes.to_vec())
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let path = inner.locate(path, false)?;
        match inner.node(inner.id(&path)?)?.thing {
            Thing::Dir => Err(ErrorKind::IsADirectory.into()),
            _ => inner.remove(&path),
        }
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let id = inner.id(&inner.locate(path, true)?)?;
        inner.node_mut(id)?.mode = mode & 0o7777;
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.inner.borrow().dir(path).map(|_| ())
    }

    fn hash(&self, path: &Path) -> io::Result<String> {
        let inner = self.inner.borrow();
        let digest = Sha256::digest(inner.bytes(&inner.locate(path, true)?)?);
        Ok(digest.iter().map(|b| format!("{b:02x}")).collect())
    }

    fn lock(&self, path: &Path, _wait: Duration) -> io::Result<Box<dyn Lock>> {
        if self.locked.replace(true) {
            return Err(io::Error::new(ErrorKind::TimedOut, "process 1 holds it"));
        }
        if self.stat(path).is_err() {
            self.create(path, b"1\n", Like::Mode(0o600))?;
        }
        Ok(Box::new(Held(self.locked.clone())))
    }

    fn append(&self, path: &Path, line: &[u8], mode: u32) -> io::Result<()> {
        let mut inner = self.inner.borrow_mut();
        let path = inner.locate(path, false)?;
        if !inner.names.contains_key(&path) {
            inner.add_new(&path, Thing::File(Vec::new()), mode & !UMASK)?;
        }
        let mut bytes = inner.bytes(&path)?.clone();
        bytes.extend_from_slice(line);
        inner.write(&path, bytes)
    }
}

struct Held(Rc<Cell<bool>>);

impl Lock for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Inner {
    fn add(&mut self, path: PathBuf, thing: Thing, mode: u32) {
        self.next += 1;
        self.ticks += 1;
        let node = Node {
            thing,
            mode,
            mtime_ns: self.ticks,
        };
        self.nodes.insert(self.next, node);
        self.names.insert(path, self.next);
    }

    fn add_new(&mut self, path: &Path, thing: Thing, mode: u32) -> io::Result<()> {
        let path = self.locate(path, false)?;
        if self.names.contains_key(&path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.add(path, thing, mode);
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.names.remove(path);
        Ok(())
    }

    fn write(&mut self, path: &Path, bytes: Vec<u8>) -> io::Result<()> {
        self.bytes(path)?;
        self.ticks += 1;
        let (id, ticks) = (self.id(path)?, self.ticks);
        let node = self.node_mut(id)?;
        node.thing = Thing::File(bytes);
        node.mtime_ns = ticks;
        Ok(())
    }

    fn id(&self, path: &Path) -> io::Result<u64> {
        let id = self.names.get(path).copied();
        id.ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn node(&self, id: u64) -> io::Result<&Node> {
        self.nodes
            .get(&id)
            .ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn node_mut(&mut self, id: u64) -> io::Result<&mut Node> {
        let node = self.nodes.get_mut(&id);
        node.ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn bytes(&self, path: &Path) -> io::Result<&Vec<u8>> {
        match &self.node(self.id(path)?)?.thing {
            Thing::File(bytes) => Ok(bytes),
            Thing::Dir => Err(ErrorKind::IsADirectory.into()),
            Thing::Link(_) => Err(rustix::io::Errno::LOOP.into()),
            Thing::Other => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn dir(&self, path: &Path) -> io::Result<PathBuf> {
        let path = self.locate(path, true)?;
        match self.node(self.id(&path)?)?.thing {
            Thing::Dir => Ok(path),
            _ => Err(ErrorKind::NotADirectory.into()),
        }
    }

    fn children(&self, dir: &Path) -> Vec<PathBuf> {
        let of_dir = |path: &&PathBuf| path.parent() == Some(dir);
        let names = self.names.keys().filter(of_dir);
        names
            .filter_map(|p| p.file_name().map(Into::into))
            .collect()
    }

    /// The path under which the tables know it: links on the way followed, the last one if asked for.
    fn locate(&self, path: &Path, last_too: bool) -> io::Result<PathBuf> {
        let mut todo: Vec<PathBuf> = parts(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = todo.pop() {
            match self.node(self.id(&at)?)?.thing {
                Thing::Dir => {}
                _ => return Err(ErrorKind::NotADirectory.into()),
            }
            if name.as_os_str() == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&name);
            let node = self.names.get(&next).and_then(|id| self.nodes.get(id));
            if let Some(Node {
                thing: Thing::Link(text),
                ..
            }) = node
                && (last_too || !todo.is_empty())
            {
                links += 1;
                if links > 40 {
                    return Err(rustix::io::Errno::LOOP.into());
                }
                if text.is_absolute() {
                    at = PathBuf::from("/");
                }
                todo.extend(parts(text));
                continue;
            }
            if node.is_none() && !todo.is_empty() {
                return Err(ErrorKind::NotFound.into());
            }
            at = next;
        }
        Ok(at)
    }
}

fn parts(path: &Path) -> Vec<PathBuf> {
    let normal = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::ParentDir => Some(PathBuf::from("..")),
        _ => None,
    });
    let mut parts: Vec<PathBuf> = normal.collect();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_links_and_exchange_are_about_files_not_names() {
        let disk = MemoryDisk::default();
        let (a, b, c) = (Path::new("/a"), Path::new("/b"), Path::new("/c"));
        disk.put(a, Thing::File(b"a".to_vec()), 0o640);
        disk.put(c, Thing::File(b"c".to_vec()), 0o600);
        disk.hard_link(a, b);
        assert_eq!(disk.stat(a).unwrap().links, 2);
        disk.overwrite(b, b"new").unwrap();
        disk.exchange(a, c).unwrap();
        assert_eq!(disk.read(c, 9).unwrap(), b"new");
        assert_eq!(disk.stat(c).unwrap().mode, 0o640);
        assert_eq!(disk.read(a, 9).unwrap(), b"c");
        assert!(disk.remove_dir(a).is_err() && disk.make_dir(a, 0o755).is_err());
    }
}
