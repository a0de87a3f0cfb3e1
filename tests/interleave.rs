//! Another program acts between any two operations of ours, each place tried: what it wrote last is what
//! stands in the file in the end, and nothing half-made is left.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "common/transactions.rs"]
#[allow(dead_code, reason = "shared with the other tests of the writer")]
mod transactions;

use gitvow::apply::{CHANGED, apply, recover};
use gitvow::plan::steps::Transaction;
use gitvow::sys::real::RealDisk;
use gitvow::sys::{Disk, Like, Lock, Stat};
use std::cell::{Cell, RefCell};
use std::io::{self, Seek, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use transactions::{OLD, World, installed, sys, temps};

/// Calls `act` with the number of each operation before it is done.
struct Between<'a> {
    act: &'a dyn Fn(u64),
    count: Cell<u64>,
}

impl<'a> Between<'a> {
    fn new(act: &'a dyn Fn(u64)) -> Self {
        let count = Cell::new(0);
        Self { act, count }
    }

    fn disk(&self) -> RealDisk {
        let n = self.count.get();
        self.count.set(n + 1);
        (self.act)(n);
        RealDisk
    }
}

impl Disk for Between<'_> {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.disk().stat(path)
    }
    fn read(&self, path: &Path, cap: u64) -> io::Result<Vec<u8>> {
        self.disk().read(path, cap)
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk().read_link(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.disk().list(path)
    }
    fn may_write_dir(&self, path: &Path) -> bool {
        self.disk().may_write_dir(path)
    }
    fn may_write_file(&self, path: &Path) -> bool {
        self.disk().may_write_file(path)
    }
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.disk().make_dir(path, mode)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().remove_dir(path)
    }
    fn create(&self, path: &Path, bytes: &[u8], like: Like<'_>) -> io::Result<()> {
        self.disk().create(path, bytes, like)
    }
    fn copy_new(&self, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
        self.disk().copy_new(from, to, mode)
    }
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.disk().exchange(a, b)
    }
    fn rename(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()> {
        self.disk().rename(from, to, replace)
    }
    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.disk().overwrite(path, bytes)
    }
    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.disk().unlink(path)
    }
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.disk().set_mode(path, mode)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().sync_dir(path)
    }
    fn hash(&self, path: &Path) -> io::Result<String> {
        self.disk().hash(path)
    }
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<Box<dyn Lock>> {
        self.disk().lock(path, wait)
    }
    fn append(&self, path: &Path, line: &[u8], mode: u32) -> io::Result<()> {
        self.disk().append(path, line, mode)
    }
}

/// Of the same length as what stands there, so that only a hash can tell.
fn vendor_text(n: u64, like: &str) -> String {
    let text = like.replace("\"x\"", &format!("\"{n}\""));
    assert_eq!(text.len(), like.len());
    text
}

fn by_rename(path: &Path, text: &str) {
    let temp = path.with_extension("vendor");
    fs_err::write(&temp, text).unwrap();
    fs_err::rename(&temp, path).unwrap();
}

fn in_place(path: &Path, text: &str) {
    fs_err::write(path, text).unwrap();
}

/// A world, a transaction on its settings file, and that file's text before and after.
type Case = fn() -> (World, Transaction, String);

fn install() -> (World, Transaction, String) {
    let world = World::new();
    let transaction = world.install();
    (world, transaction, OLD.to_owned())
}

fn uninstall() -> (World, Transaction, String) {
    let world = World::new();
    apply(&sys(&RealDisk), &world.home, &world.install()).unwrap();
    let transaction = world.uninstall();
    (world, transaction, installed(OLD))
}

/// Runs the transaction with `act` between its operations; afterwards nothing half-made is there.
#[track_caller]
fn run(world: &World, transaction: &Transaction, act: &dyn Fn(u64)) -> (bool, u64) {
    let disk = Between::new(act);
    let result = apply(&sys(&disk), &world.home, transaction);
    let done = match result {
        Ok(_) => true,
        Err(e) if e.code == CHANGED => false,
        Err(e) => panic!("{e}"),
    };
    assert!(temps(&world.tree()).is_empty());
    assert!(!world.home.journal().exists());
    (done, disk.count.get())
}

#[track_caller]
fn the_last_word_stands(case: Case, writes: fn(&Path, &str)) {
    let (mut refused, mut done) = (0, 0);
    // Two updates, the second at any distance from the first.
    for first in (0..).step_by(2) {
        let (world, transaction, _) = case();
        let (_, operations) = run(&world, &transaction, &|_| {});
        if first >= operations {
            break;
        }
        for second in (first..operations).step_by(5) {
            let (world, transaction, before) = case();
            let path = world.settings();
            let last = RefCell::new(String::new());
            let act = |n| {
                for (number, at) in [(1, first), (2, second)] {
                    if n == at {
                        let text = vendor_text(number, &before);
                        writes(&path, &text);
                        last.replace(text);
                    }
                }
            };
            match run(&world, &transaction, &act).0 {
                true => done += 1,
                false => refused += 1,
            }
            let found = fs_err::read_to_string(&path).unwrap();
            assert_eq!(found, *last.borrow(), "updates at {first} and {second}");
        }
    }
    assert!(done > 5 && refused > 20, "{done} done, {refused} refused");
}

#[test]
fn updates_by_rename_during_an_install() {
    the_last_word_stands(install, by_rename);
}

#[test]
fn updates_by_rename_during_an_uninstall() {
    the_last_word_stands(uninstall, by_rename);
}

#[test]
fn updates_in_place_during_an_install() {
    the_last_word_stands(install, in_place);
}

#[test]
fn updates_in_place_during_an_uninstall() {
    the_last_word_stands(uninstall, in_place);
}

#[test]
fn a_program_that_opens_early_and_writes_late() {
    let (mut lost, mut kept) = (0, 0);
    for opens in (0..).step_by(3) {
        let (world, transaction, _) = install();
        let (_, operations) = run(&world, &transaction, &|_| {});
        if opens >= operations {
            break;
        }
        for writes in opens..operations {
            let (world, transaction, before) = install();
            let path = world.settings();
            let file = RefCell::new(None);
            let text = vendor_text(1, &before);
            let act = |n| {
                if n == opens {
                    let opened = fs_err::OpenOptions::new().write(true).open(&path);
                    file.replace(Some(opened.unwrap()));
                }
                if n == writes
                    && let Some(file) = file.borrow_mut().as_mut()
                {
                    file.rewind().unwrap();
                    file.write_all(text.as_bytes()).unwrap();
                    file.set_len(text.len() as u64).unwrap();
                }
            };
            run(&world, &transaction, &act);
            match fs_err::read_to_string(&path).unwrap() == text {
                true => kept += 1,
                // Written into what we had looked at for the last time, or had removed.
                false => lost += 1,
            }
        }
    }
    // Only a descriptor held from before the swap until after the last look can lose: seven operations
    // at the end of more than eighty.
    assert!(lost * 3 < kept, "{lost} lost, {kept} kept");
}

#[test]
fn a_file_removed_meanwhile_stays_removed() {
    for at in 0.. {
        let (world, transaction, _) = install();
        let path = world.settings();
        let act = |n| {
            if n == at {
                let _ = fs_err::remove_file(&path);
            }
        };
        let (_, operations) = run(&world, &transaction, &act);
        assert!(at >= operations || !path.exists(), "removed at {at}");
        if at >= operations {
            break;
        }
    }
}

#[test]
fn a_file_that_appears_where_we_create_one_stays() {
    for at in 0.. {
        let (world, transaction, _) = install();
        let path = world.path("agent/hooks/deep/gitvow.json");
        let act = |n| {
            if n == at {
                fs_err::create_dir_all(path.parent().unwrap()).unwrap();
                by_rename(&path, "theirs");
            }
        };
        let (_, operations) = run(&world, &transaction, &act);
        if at >= operations {
            break;
        }
        assert_eq!(fs_err::read(&path).unwrap(), b"theirs", "at {at}");
    }
}

#[test]
fn an_edit_of_a_file_that_we_remove_survives() {
    for at in 0.. {
        let (world, transaction, _) = uninstall();
        let path = world.path("agent/hooks/deep/gitvow.json");
        let act = |n| {
            if n == at && path.exists() {
                by_rename(&path, "edited");
            }
        };
        let existed = Cell::new(false);
        let act = |n| {
            if n == at {
                existed.set(path.exists());
            }
            act(n);
        };
        let (_, operations) = run(&world, &transaction, &act);
        if at >= operations {
            break;
        }
        let found = fs_err::read_to_string(&path).ok();
        assert_eq!(
            found.as_deref(),
            existed.get().then_some("edited"),
            "at {at}"
        );
    }
}

#[test]
fn recovery_meets_a_program_as_well() {
    for kill in (0..).step_by(3) {
        let mut struck = false;
        for at in (0..90).step_by(4) {
            let (world, transaction, before) = install();
            let dying = gitvow::sys::faulty::FaultyDisk::new(
                &RealDisk,
                kill,
                gitvow::sys::faulty::Fault::Dies,
            );
            let _ = apply(&sys(&dying), &world.home, &transaction);
            struck = dying.struck();
            let path = world.settings();
            let text = vendor_text(7, &before);
            let wrote = Cell::new(false);
            let act = |n| {
                if n == at {
                    by_rename(&path, &text);
                    wrote.set(true);
                }
            };
            let disk = Between::new(&act);
            recover(&sys(&disk), &world.home).unwrap();
            assert!(
                temps(&world.tree()).is_empty(),
                "killed at {kill}, update at {at}"
            );
            assert!(!world.home.journal().exists());
            if wrote.get() {
                assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
            }
        }
        if !struck {
            break;
        }
    }
}
