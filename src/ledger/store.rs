//! The records in the state home. May not be lenient: a record that can't be read is an error,
//! never "nothing recorded", and may not hold a user's bytes.

use super::{Print, Record, SCHEMA, StateHome};
use crate::error::{Error, Result};
use crate::sys::resolve::{Resolved, resolve};
use crate::sys::{Disk, FileKind, Like};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names of half-made files begin so, in the state home and beside targets.
pub const TEMP_PREFIX: &str = ".gitvow-";

/// No record, journal or adapter file comes near this.
const CAP: u64 = 64 << 20;

/// All records, sorted by planned path. A missing directory means that there are none.
///
/// # Errors
/// `ledger-corrupt` for a record that can't be read whole, stands under another file's name or comes
/// from a newer schema; `io` when the directory can't be read.
pub fn load_all(disk: &dyn Disk, home: &StateHome) -> Result<Vec<Record>> {
    let (records, faults) = load_each(disk, home)?;
    match faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(records),
    }
}

/// All records that can be read, sorted by planned path, and what is the matter with each of the others: for
/// commands that only look.
pub fn load_each(disk: &dyn Disk, home: &StateHome) -> Result<(Vec<Record>, Vec<Error>)> {
    let dir = home.records();
    let names = match disk.list(&dir) {
        Ok(names) => names,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        Err(e) => return Err(Error::io("read", &dir, &e)),
    };
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|n| is_record_name(n)) {
        match load(disk, home, &dir.join(name), name) {
            Ok(record) => records.extend(record),
            Err(fault) => faults.push(fault),
        }
    }
    records.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((records, faults))
}

fn load(disk: &dyn Disk, home: &StateHome, path: &Path, name: &Path) -> Result<Option<Record>> {
    let bytes = match disk.read(path, CAP) {
        Ok(bytes) => bytes,
        // Another gitvow forgot it since the directory was read; only readers without the lock see that.
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("read", path, &e)),
    };
    let record = parse(home, path, &bytes)?;
    if Path::new(&record_name(&record.path)) != name {
        let reason = format!("it is about `{}`", record.path.display());
        return Err(corrupt(path, "stands under another file's name").because(reason));
    }
    Ok(Some(record))
}

/// The record of a file, by its planned or its real path; the planned one counts first.
pub fn find<'a>(records: &'a [Record], path: &Path) -> Option<&'a Record> {
    let planned = records.iter().find(|r| r.path == path);
    planned.or_else(|| records.iter().find(|r| r.real == path))
}

/// Writes a record, durably and as a whole.
pub fn save(disk: &dyn Disk, home: &StateHome, record: &Record) -> Result<()> {
    let mut text = serde_json::to_string_pretty(record)
        .map_err(|e| Error::bug("a record can't be written as JSON").because(e.to_string()))?;
    text.push('\n');
    write_file(disk, &home.record(&record.path), text.as_bytes())
}

/// Drops the record of the file planned at `path`; not an error when there is none.
pub fn forget(disk: &dyn Disk, home: &StateHome, path: &Path) -> Result<()> {
    drop_file(disk, &home.record(path))
}

/// Writes a file of the state home (0600), durably and as a whole, and its directory when missing.
pub fn write_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::bug("a state file without a directory").at(path));
    };
    ensure_dir(disk, dir)?;
    let mut temp = std::ffi::OsString::from(TEMP_PREFIX);
    temp.push(name);
    let temp = dir.join(temp);
    let io = |e| Error::io("write", path, &e);
    // Only the holder of the lock writes here, so an old one is a dead run's.
    remove_if_there(disk, &temp).map_err(io)?;
    let done = disk
        .create(&temp, bytes, Like::Mode(0o600))
        .and_then(|()| disk.rename(&temp, path, true));
    if let Err(e) = done {
        let _ = remove_if_there(disk, &temp);
        return Err(io(e));
    }
    disk.sync_dir(dir).map_err(io)
}

/// Removes a file of the state home durably; not an error when it is gone.
pub fn drop_file(disk: &dyn Disk, path: &Path) -> Result<()> {
    let io = |e| Error::io("remove", path, &e);
    if !remove_if_there(disk, path).map_err(io)? {
        return Ok(());
    }
    disk.sync_dir(path.parent().unwrap_or(path)).map_err(io)
}

/// Reads a file of the state home; `None` when it isn't there.
pub fn read_file(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    match disk.read(path, CAP) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("read", path, &e)),
    }
}

/// Removes what dead runs left half-made in the state home. Only under the lock.
pub fn sweep(disk: &dyn Disk, home: &StateHome) -> Result<()> {
    for dir in [
        home.root().to_path_buf(),
        home.records(),
        home.adapters(),
        home.saved(),
    ] {
        let Ok(names) = disk.list(&dir) else { continue };
        for name in names {
            if name
                .as_os_str()
                .as_bytes()
                .starts_with(TEMP_PREFIX.as_bytes())
            {
                drop_file(disk, &dir.join(name))?;
            }
        }
    }
    Ok(())
}

/// Removes a file; says whether there was one.
pub fn remove_if_there(disk: &dyn Disk, path: &Path) -> std::io::Result<bool> {
    match disk.unlink(path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

pub(super) fn ensure_dir(disk: &dyn Disk, path: &Path) -> Result<()> {
    let io = |e| Error::io("make the directory", path, &e);
    match resolve(disk, path).map_err(io)? {
        Resolved::Found(real) => match disk.stat(&real).map_err(io)?.kind {
            FileKind::Dir => Ok(()),
            _ => Err(not_a_directory(&real)),
        },
        Resolved::Absent(real) => {
            let missing: Vec<&Path> = real
                .ancestors()
                .take_while(|p| disk.stat(p).is_err())
                .collect();
            for dir in missing.into_iter().rev() {
                match disk.make_dir(dir, 0o700) {
                    Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(io(e)),
                    _ => disk.sync_dir(dir.parent().unwrap_or(dir)).map_err(io)?,
                }
            }
            Ok(())
        }
        Resolved::Dangling(link, to) => {
            let text = format!("the link `{}` leads to nothing", link.display());
            Err(Error::refused("dangling-link", text)
                .at(path)
                .help(format!("mkdir -p '{}'", to.display())))
        }
        Resolved::Loop => Err(Error::refused("link-loop", "links lead in a circle").at(path)),
        Resolved::NotADirectory(at) => Err(not_a_directory(&at)),
    }
}

fn not_a_directory(path: &Path) -> Error {
    let text = format!("`{}` is no directory", path.display());
    Error::refused("not-a-directory", text)
        .at(path)
        .help("set GITVOW_HOME to a directory of your own")
}

pub(super) fn record_name(path: &Path) -> String {
    format!("{}.json", Print::of(path.as_os_str().as_bytes()).sha256)
}

/// Is a file of this name a record? Others among them are left alone (spec 1.6).
pub fn is_record_name(name: &Path) -> bool {
    let name = name.as_os_str().as_bytes();
    name.strip_suffix(b".json").is_some_and(|stem| {
        stem.len() == 64 && stem.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// What every schema has.
#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    schema: Option<serde_json::Value>,
}

/// The schema number of a file of the state home, whatever else is in it; `None`: it is no JSON, or has none.
pub fn schema_of(bytes: &[u8]) -> Option<u64> {
    let head: Head = serde_json::from_slice(bytes).ok()?;
    head.schema?.as_u64()
}

fn parse(home: &StateHome, path: &Path, bytes: &[u8]) -> Result<Record> {
    let record = match serde_json::from_slice::<Record>(bytes) {
        Ok(record) if record.schema <= SCHEMA => return Ok(record),
        other => other,
    };
    let because = |e: serde_json::Error| corrupt(path, "can't be read").because(e.to_string());
    match (schema_of(bytes), record) {
        (Some(schema), _) if schema > u64::from(SCHEMA) => {
            let what = format!("the record `{}`", path.display());
            Err(home.newer("ledger-corrupt", path, &what, schema, SCHEMA))
        }
        (None, Err(e)) if !e.is_data() => Err(because(e)),
        (None, _) => Err(corrupt(path, "has no schema number")),
        (Some(_), record) => record.map_err(because),
    }
}

fn corrupt(path: &Path, what: &str) -> Error {
    let help = format!(
        "take it out of the ledger: mv '{0}' '{0}.bad' (gitvow then knows nothing of that file any more)",
        path.display()
    );
    Error::refused(
        "ledger-corrupt",
        format!("the record `{}` {what}", path.display()),
    )
    .at(path)
    .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Body, State, TreeFile};
    use crate::sys::memory::{MemoryDisk, Thing};

    fn home() -> StateHome {
        StateHome::new("/home/me/.gitvow")
    }

    fn record(path: &str) -> Record {
        Record {
            schema: SCHEMA,
            path: path.into(),
            real: format!("/real{path}").into(),
            dirs: Vec::new(),
            gitvow: "0.1.0".into(),
            body: Body::Tree(TreeFile {
                print: Print::of(b"x"),
                mode: 0o644,
                owner: None,
                json: None,
                adapter: None,
                block: false,
                launcher: None,
                state: State::Active,
            }),
        }
    }

    #[test]
    fn records_come_back_and_go() {
        let disk = MemoryDisk::default();
        assert!(load_all(&disk, &home()).unwrap().is_empty());
        let (b, a) = (record("/b"), record("/a"));
        save(&disk, &home(), &b).unwrap();
        save(&disk, &home(), &a).unwrap();
        save(&disk, &home(), &a).unwrap();
        // The Python gitvow's, a swap file, a half-made one of a dead run: not ours to read.
        for name in ["x.json", ".gitvow-x", "README"] {
            let path = home().records().join(name);
            disk.put(path, Thing::File(b"{".to_vec()), 0o600);
        }
        let all = load_all(&disk, &home()).unwrap();
        assert_eq!(all, [a.clone(), b.clone()]);
        assert_eq!(find(&all, Path::new("/real/b")), Some(&b));
        assert_eq!(find(&all, Path::new("/a")), Some(&a));
        assert_eq!(find(&all, Path::new("/c")), None);
        let mode = |p: &Path| disk.stat(p).unwrap().mode;
        assert_eq!(mode(&home().record(&a.path)), 0o600);
        assert_eq!(mode(&home().records()), 0o700);
        forget(&disk, &home(), &a.path).unwrap();
        forget(&disk, &home(), &a.path).unwrap();
        sweep(&disk, &home()).unwrap();
        assert_eq!(load_all(&disk, &home()).unwrap(), [b]);
        assert_eq!(disk.list(&home().records()).unwrap().len(), 3);
    }

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let disk = MemoryDisk::default();
        let path = home().record(Path::new("/a"));
        disk.put(&path, Thing::File(text.as_bytes().to_vec()), 0o600);
        let error = load_all(&disk, &home()).unwrap_err();
        assert_eq!(error.code, "ledger-corrupt");
        assert_eq!(error.place.as_ref().unwrap().path, path);
        assert!(error.sentence().contains(reason), "{error}");
        assert!(error.help.is_some());
    }

    #[test]
    fn a_record_that_cannot_be_trusted_is_an_error() {
        let good = serde_json::to_string(&record("/a")).unwrap();
        refused("", "can't be read");
        refused(&good[..good.len() / 2], "can't be read");
        refused("{}", "no schema");
        refused(
            &good.replace("\"schema\":1", "\"schema\":2"),
            "newer gitvow",
        );
        refused(
            &good.replace("\"schema\":1", "\"schema\":\"1\""),
            "no schema",
        );
        refused(&good.replace("\"/a\"", "\"/b\""), "it is about `/b`");
        refused(&good.replace("\"tree\"", "\"wood\""), "can't be read");
    }

    #[test]
    fn only_names_inside_the_home_are_state_files() {
        for name in ["", "/etc/x", "../x", "a/../x", "./x/.."] {
            assert_eq!(home().file(name), None, "{name}");
        }
        assert_eq!(home().file("adapters/x.json"), Some(home().adapter("x")));
    }

    #[test]
    fn a_home_that_is_no_directory_is_refused() {
        let disk = MemoryDisk::default();
        disk.put("/home/me/.gitvow", Thing::File(Vec::new()), 0o600);
        assert_eq!(home().ensure(&disk).unwrap_err().code, "not-a-directory");
        disk.put("/home/me/.gitvow", Thing::Link("/gone".into()), 0o777);
        assert_eq!(home().ensure(&disk).unwrap_err().code, "dangling-link");
        disk.put("/home/me/.gitvow", Thing::Link("/there".into()), 0o777);
        disk.put("/there", Thing::Dir, 0o755);
        home().ensure(&disk).unwrap();
        let deep = StateHome::new("/x/y/z");
        deep.ensure(&disk).unwrap();
        assert_eq!(disk.stat(Path::new("/x/y")).unwrap().mode, 0o700);
    }
}
