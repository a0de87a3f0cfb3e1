//! Tests of the real disk.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_new_file_is_like_the_old_one() {
    let d = dir();
    let (old, new) = (d.path().join("old"), d.path().join("new"));
    fs_err::write(&old, "x").unwrap();
    fs_err::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let attributes = rustix::fs::setxattr(&old, "user.gitvow", b"kept", flags).is_ok();
    RealDisk.create(&new, b"y", Like::File(&old)).unwrap();
    assert_eq!(RealDisk.stat(&new).unwrap().mode, 0o640);
    assert_eq!(RealDisk.read(&new, 9).unwrap(), b"y");
    if attributes {
        let mut value = [0u8; 16];
        let n = rustix::fs::getxattr(&new, "user.gitvow", &mut value[..]).unwrap();
        assert_eq!(&value[..n], b"kept");
    }
    let again = RealDisk.create(&new, b"z", Like::Mode(0o600)).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::AlreadyExists);
    assert_eq!(RealDisk.read(&new, 9).unwrap(), b"y");
}

#[test]
fn what_root_makes_in_anothers_directory_is_the_others() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let d = dir();
    std::os::unix::fs::chown(d.path(), Some(1234), Some(4321)).unwrap();
    let at = |name: &str| d.path().join(name);
    fs_err::write(at("program"), "x").unwrap();
    RealDisk
        .create(&at("new"), b"y", Like::Mode(0o600))
        .unwrap();
    RealDisk
        .copy_new(&at("program"), &at("copy"), 0o755)
        .unwrap();
    RealDisk.make_dir(&at("dir"), 0o700).unwrap();
    RealDisk.append(&at("log"), b"line", 0o600).unwrap();
    drop(RealDisk.lock(&at("lock"), Duration::ZERO).unwrap());
    RealDisk
        .create(&at("dir/inner"), b"y", Like::Umasked(0o666))
        .unwrap();
    for name in ["new", "copy", "dir", "log", "lock", "dir/inner"] {
        let stat = RealDisk.stat(&at(name)).unwrap();
        assert_eq!((stat.uid, stat.gid), (1234, 4321), "{name}");
    }
    // A file that is like another one has that one's owner.
    RealDisk
        .create(&at("like"), b"y", Like::File(&at("program")))
        .unwrap();
    assert_eq!(RealDisk.stat(&at("like")).unwrap().uid, 0);
}

#[test]
fn owner_and_access_list_are_kept() {
    let d = dir();
    let (old, new) = (d.path().join("old"), d.path().join("new"));
    fs_err::write(&old, "x").unwrap();
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(&old, Some(1234), Some(4321)).unwrap();
    }
    // Version 2; user rw, user 65534 r, group r, mask r, others nothing.
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, may, id) in [
        (1, 6, !0),
        (2, 4, 65534),
        (4, 4, !0),
        (16, 4, !0),
        (32, 0, !0),
    ] {
        list.extend([u16::to_le_bytes(tag), u16::to_le_bytes(may)].concat());
        list.extend(u32::to_le_bytes(id));
    }
    let (name, flags) = ("system.posix_acl_access", rustix::fs::XattrFlags::empty());
    let listed = rustix::fs::setxattr(&old, name, &list, flags).is_ok();
    RealDisk.create(&new, b"y", Like::File(&old)).unwrap();
    let (was, is) = (RealDisk.stat(&old).unwrap(), RealDisk.stat(&new).unwrap());
    assert_eq!((is.uid, is.gid, is.mode), (was.uid, was.gid, was.mode));
    assert_eq!(root, is.uid == 1234);
    if listed {
        let mut value = [0u8; 256];
        let n = rustix::fs::getxattr(&new, name, &mut value[..]).unwrap();
        assert_eq!(&value[..n], list);
    }
}

#[test]
fn a_failed_create_leaves_nothing() {
    let d = dir();
    let new = d.path().join("new");
    let gone = d.path().join("gone");
    RealDisk.create(&new, b"y", Like::File(&gone)).unwrap_err();
    assert!(RealDisk.list(d.path()).unwrap().is_empty());
    RealDisk.create(&new, b"", Like::Mode(0o666)).unwrap();
    assert_eq!(RealDisk.stat(&new).unwrap().mode, 0o666);
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "macOS has no `mknodat` for a test to call"
)]
fn only_regular_files_of_the_allowed_size_are_read() {
    let d = dir();
    let fifo = d.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    assert_eq!(
        RealDisk.read(&fifo, 9).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    assert!(RealDisk.hash(&fifo).is_err());
    assert!(RealDisk.overwrite(&fifo, b"x").is_err());
    assert!(RealDisk.append(&fifo, b"x", 0o600).is_err());
    let zero = RealDisk.read(Path::new("/dev/zero"), 9).unwrap_err();
    assert_eq!(zero.kind(), ErrorKind::InvalidInput);
    assert_eq!(
        RealDisk.read(d.path(), 9).unwrap_err().kind(),
        ErrorKind::IsADirectory
    );
    let file = d.path().join("f");
    fs_err::write(&file, "0123456789").unwrap();
    assert_eq!(RealDisk.read(&file, 10).unwrap(), b"0123456789");
    assert_eq!(
        RealDisk.read(&file, 9).unwrap_err().kind(),
        ErrorKind::FileTooLarge
    );
}

#[test]
fn renames_and_exchanges() {
    let d = dir();
    let (a, b) = (d.path().join("a"), d.path().join("b"));
    fs_err::write(&a, "a").unwrap();
    fs_err::write(&b, "b").unwrap();
    let taken = RealDisk.rename(&a, &b, false).unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
    match RealDisk.exchange(&a, &b) {
        Ok(()) => assert_eq!(RealDisk.read(&a, 1).unwrap(), b"b"),
        Err(e) => assert_eq!(e.kind(), ErrorKind::Unsupported),
    }
    RealDisk.rename(&a, &b, true).unwrap();
    assert_eq!(RealDisk.list(d.path()).unwrap(), [PathBuf::from("b")]);
}

#[test]
fn appending_and_overwriting_follow_no_link() {
    let d = dir();
    let (file, link) = (d.path().join("f"), d.path().join("l"));
    RealDisk.append(&file, b"one\n", 0o600).unwrap();
    RealDisk.append(&file, b"two\n", 0o600).unwrap();
    symlink(&file, &link).unwrap();
    assert!(RealDisk.append(&link, b"three\n", 0o600).is_err());
    assert!(RealDisk.overwrite(&link, b"three\n").is_err());
    assert_eq!(RealDisk.read(&file, 99).unwrap(), b"one\ntwo\n");
    RealDisk.overwrite(&file, b"1").unwrap();
    assert_eq!(RealDisk.read(&file, 99).unwrap(), b"1");
    let of_one = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
    assert_eq!(RealDisk.hash(&file).unwrap(), of_one);
}

#[test]
fn a_copy_can_be_run() {
    let d = dir();
    let copy = d.path().join("true");
    RealDisk
        .copy_new(Path::new("/bin/true"), &copy, 0o755)
        .unwrap();
    assert_eq!(RealDisk.stat(&copy).unwrap().mode & 0o700, 0o700);
    assert_eq!(
        RealDisk.hash(&copy).unwrap(),
        RealDisk.hash(Path::new("/bin/true")).unwrap()
    );
}
