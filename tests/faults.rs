//! Every operation of an install, an uninstall, a forced overwriting and of recovery itself fails or is the
//! last before a kill: afterwards each file is before or after, recovery settles the rest, nothing is left.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "common/transactions.rs"]
#[allow(dead_code, reason = "shared with the other tests of the writer")]
mod transactions;

use gitvow::apply::{Outcome, apply, pending, recover};
use gitvow::ledger::{Record, store};
use gitvow::plan::steps::{Step, Transaction};
use gitvow::sys::faulty::{Fault, FaultyDisk};
use gitvow::sys::memory::MemoryDisk;
use gitvow::sys::real::RealDisk;
use std::path::Path;
use transactions::{OLD, Tree, World, installed, of_user, set_mode, sys, temps};

const ERRORS: [Fault; 5] = [
    Fault::Fails(13),
    Fault::Fails(28),
    Fault::Fails(5),
    Fault::Fails(30),
    Fault::Short(28),
];

/// A world before a transaction, and that.
type Case = fn() -> (World, Transaction);

fn install() -> (World, Transaction) {
    let world = World::new();
    let transaction = world.install();
    (world, transaction)
}

fn uninstall() -> (World, Transaction) {
    let world = World::new();
    apply(&sys(&RealDisk), &world.home, &world.install()).unwrap();
    let transaction = world.uninstall();
    (world, transaction)
}

fn overwriting() -> (World, Transaction) {
    let world = World::new();
    fs_err::hard_link(world.settings(), world.path("agent/second-name")).unwrap();
    let transaction = world.overwrite();
    (world, transaction)
}

/// The trees before and after, and the records after, from runs in which nothing fails.
fn both(case: Case) -> (Tree, Tree, usize) {
    let (world, transaction) = case();
    let before = world.tree();
    apply(&sys(&RealDisk), &world.home, &transaction).unwrap();
    let after = world.tree();
    assert_ne!(before, after);
    let records = store::load_all(&RealDisk, &world.home).unwrap().len();
    (before, after, records)
}

/// Records name absolute paths, and each world has its own: only the user's files are compared by their bytes.
#[track_caller]
fn each_file_before_or_after(world: &World, before: &Tree, after: &Tree) {
    let torn_allowed = world.path("agent/second-name").exists();
    for (path, found) in of_user(&world.tree()) {
        if path.to_string_lossy().contains("/.gitvow-") || torn_allowed {
            continue;
        }
        let found = Some(&found);
        assert!(
            found == before.get(&path) || found == after.get(&path),
            "{path:?} is neither before nor after: {found:?}"
        );
    }
}

#[track_caller]
fn wholly(world: &World, before: &Tree, after: &Tree, records: usize, note: &str) -> bool {
    let now = world.tree();
    assert_eq!(temps(&now), Vec::<std::path::PathBuf>::new(), "{note}");
    assert!(!world.home.journal().exists(), "{note}");
    let names = |t: &Tree| {
        t.keys()
            .filter(|p| !is_record(p))
            .cloned()
            .collect::<Vec<_>>()
    };
    let is_after = of_user(&now) == of_user(after);
    let expected = if is_after { after } else { before };
    assert_eq!(of_user(&now), of_user(expected), "{note}");
    let left = |p: &&std::path::PathBuf| !names(expected).contains(p) && !is_copy(p);
    let now_names = names(&now);
    assert_eq!(now_names.iter().find(left), None, "{note}");
    let ledger = store::load_all(&RealDisk, &world.home).unwrap().len();
    let expected = if is_after {
        records
    } else {
        count_records(before)
    };
    assert_eq!(ledger, expected, "{note}");
    is_after
}

fn is_record(path: &Path) -> bool {
    path.starts_with("state/records/")
}

/// A copy kept for a run that was then undone may stay: it is the user's bytes.
fn is_copy(path: &Path) -> bool {
    path.starts_with("state/saved")
}

fn count_records(tree: &Tree) -> usize {
    tree.keys()
        .filter(|p| p.parent() == Some(Path::new("state/records")))
        .count()
}

#[track_caller]
fn every_error(case: Case) {
    let (before, after, records) = both(case);
    for fault in ERRORS {
        for at in 0.. {
            let (world, transaction) = case();
            let disk = FaultyDisk::new(&RealDisk, at, fault);
            let result = apply(&sys(&disk), &world.home, &transaction);
            let struck = disk.struck();
            let note = format!("{fault:?} at {at}: {result:?}");
            each_file_before_or_after(&world, &before, &after);
            match &result {
                Ok(applied) if applied.left_dirs.is_empty() => {
                    assert!(wholly(&world, &before, &after, records, &note), "{note}");
                }
                Ok(_) => {}
                // An error that speaks of nothing left has left nothing.
                Err(e) if !world.home.journal().exists() => {
                    assert!(!e.sentence().contains("undone"), "{note}");
                    let swept = recover(&sys(&RealDisk), &world.home).unwrap();
                    assert_eq!(swept.outcome, Outcome::Nothing);
                    let done = wholly(&world, &before, &after, records, &note);
                    assert!(
                        !done || e.sentence().contains("everything is written"),
                        "{note}"
                    );
                }
                Err(_) => {
                    recover(&sys(&RealDisk), &world.home).unwrap();
                    wholly(&world, &before, &after, records, &note);
                }
            }
            if !struck {
                assert!(at > 20, "only {at} operations were seen");
                break;
            }
        }
    }
}

/// `step`: how many operations of recovery lie between two kills of it.
#[track_caller]
fn every_kill(case: Case, step: usize) {
    let (before, after, records) = both(case);
    let (mut undone, mut completed) = (0, 0);
    for at in 0.. {
        let mut again = 0;
        loop {
            let (world, transaction) = case();
            let disk = FaultyDisk::new(&RealDisk, at, Fault::Dies);
            let result = apply(&sys(&disk), &world.home, &transaction);
            let note = format!("killed at {at}, recovery at {again}: {result:?}");
            if !disk.struck() {
                assert!(
                    undone > 5 && completed > 5,
                    "{undone} undone, {completed} completed"
                );
                return;
            }
            assert!(result.is_err(), "{note}");
            each_file_before_or_after(&world, &before, &after);
            let recovery = FaultyDisk::new(&RealDisk, again, Fault::Dies);
            let first = recover(&sys(&recovery), &world.home);
            each_file_before_or_after(&world, &before, &after);
            let seen = pending(&sys(&RealDisk), &world.home).unwrap();
            let second = recover(&sys(&RealDisk), &world.home).unwrap();
            if let Some(overlay) = seen {
                assert_eq!(
                    overlay.completes,
                    second.outcome == Outcome::Completed,
                    "{note}"
                );
                for (path, bytes) in overlay.files {
                    assert_eq!(fs_err::read(&path).ok(), bytes, "{note}: {path:?}");
                }
                let ledger = store::load_all(&RealDisk, &world.home).unwrap();
                assert_eq!(overlay.records, ledger, "{note}");
            }
            match wholly(&world, &before, &after, records, &note) {
                true => completed += 1,
                false => undone += 1,
            }
            if !recovery.struck() {
                assert!(first.is_ok(), "{note}: {first:?}");
                break;
            }
            again += step as u64;
        }
    }
}

#[test]
fn every_error_of_an_install() {
    every_error(install);
}

#[test]
fn every_error_of_an_uninstall() {
    every_error(uninstall);
}

#[test]
fn every_error_of_an_overwriting() {
    every_error(overwriting);
}

#[test]
fn every_kill_of_an_install() {
    every_kill(install, 5);
}

#[test]
fn every_kill_of_an_uninstall() {
    every_kill(uninstall, 5);
}

#[test]
fn every_kill_of_an_overwriting() {
    every_kill(overwriting, 1);
}

#[test]
fn an_install_undone_by_an_uninstall_leaves_no_trace() {
    let world = World::new();
    let before = world.tree();
    let applied = apply(&sys(&RealDisk), &world.home, &world.install()).unwrap();
    assert_eq!((applied.written.len(), applied.removed.len()), (3, 0));
    let text = fs_err::read_to_string(world.settings()).unwrap();
    assert_eq!(text, installed(OLD));
    apply(&sys(&RealDisk), &world.home, &world.uninstall()).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn a_file_that_changed_since_the_plan_stops_everything() {
    for what in 0..4 {
        let world = World::new();
        let transaction = world.install();
        match what {
            0 => fs_err::write(world.settings(), OLD.replace('x', "y")).unwrap(),
            1 => fs_err::remove_file(world.settings()).unwrap(),
            2 => {
                fs_err::create_dir_all(world.path("agent/hooks/deep")).unwrap();
                fs_err::write(world.path("agent/hooks/deep/gitvow.json"), "theirs").unwrap();
            }
            _ => fs_err::write(world.path("program"), "another").unwrap(),
        }
        let before = world.tree();
        let error = apply(&sys(&RealDisk), &world.home, &transaction).unwrap_err();
        assert_eq!(error.code, gitvow::apply::CHANGED, "{error}");
        assert_eq!(world.tree(), before);
    }
}

#[test]
fn a_file_changed_after_a_kill_is_left_and_its_entry_stays_known() {
    // Killed when all files are written but nothing is in the ledger.
    let (world, at) = killed_when(install, |w| {
        w.path("agent/hooks/deep/gitvow.json").exists()
            && fs_err::read_to_string(w.settings()).unwrap() != OLD
    });
    let edited = installed(OLD).replace("\"x\"", "\"mine\"");
    fs_err::write(world.settings(), &edited).unwrap();
    let done = recover(&sys(&RealDisk), &world.home).unwrap();
    assert_eq!(done.outcome, Outcome::Completed, "{at}");
    assert_eq!(done.left, [world.settings()]);
    assert_eq!(fs_err::read_to_string(world.settings()).unwrap(), edited);
    assert!(record_of(&world, &world.settings()).is_some());
    // The same of an uninstall: the old record stays, and what `hook` needs with it.
    let (world, _) = killed_when(uninstall, |w| !w.home.launcher().exists());
    fs_err::write(world.settings(), &edited).unwrap();
    recover(&sys(&RealDisk), &world.home).unwrap();
    assert_eq!(fs_err::read_to_string(world.settings()).unwrap(), edited);
    assert!(record_of(&world, &world.settings()).is_some());
    assert!(record_of(&world, &world.home.launcher()).is_none());
    assert!(world.home.adapter("x").exists());
}

#[test]
fn a_deleted_repository_does_not_stop_recovery() {
    for at in 0.. {
        let (world, transaction) = install();
        let disk = FaultyDisk::new(&RealDisk, at, Fault::Dies);
        let _ = apply(&sys(&disk), &world.home, &transaction);
        if !disk.struck() {
            break;
        }
        fs_err::remove_dir_all(world.path("agent")).unwrap();
        recover(&sys(&RealDisk), &world.home).unwrap();
        assert!(!world.path("agent").exists() && !world.home.journal().exists());
        assert!(temps(&world.tree()).is_empty());
    }
}

#[test]
fn a_recovery_that_cannot_go_on_says_how() {
    let (world, _) = killed_when(uninstall, |w| {
        fs_err::read_to_string(w.settings()).unwrap() == OLD
    });
    let disk = FaultyDisk::new(&RealDisk, 12, Fault::Fails(30));
    let error = recover(&sys(&disk), &world.home).unwrap_err();
    assert!(error.sentence().contains("interrupted run"), "{error}");
    assert!(
        error.help.is_some_and(|h| h.contains("journal.json")),
        "no way out"
    );
    assert!(world.home.journal().exists());
}

#[test]
fn an_update_displaced_by_a_killed_swap_comes_back() {
    let (world, _) = killed_when(install, |w| {
        fs_err::read_to_string(w.settings()).unwrap() != OLD
    });
    let temp = temps(&world.tree())
        .into_iter()
        .find(|p| p.starts_with("agent"));
    let temp = world.dir.path().join(temp.unwrap());
    // As if a program had renamed its update to the target right before the exchange.
    assert_eq!(fs_err::read_to_string(&temp).unwrap(), OLD);
    fs_err::write(&temp, "{\"vendor\": 1}").unwrap();
    recover(&sys(&RealDisk), &world.home).unwrap();
    let text = fs_err::read_to_string(world.settings()).unwrap();
    assert_eq!(text, "{\"vendor\": 1}");
    assert!(temps(&world.tree()).is_empty());
}

#[test]
fn a_removed_file_that_is_not_the_planned_one_comes_back() {
    let world = World::new();
    apply(&sys(&RealDisk), &world.home, &world.install()).unwrap();
    let transaction = world.uninstall();
    let at = transaction
        .steps
        .iter()
        .position(|s| matches!(s, Step::Remove { .. }));
    let Some(Step::Remove { path, .. }) = at.and_then(|at| transaction.steps.get(at)) else {
        panic!("nothing is removed");
    };
    fs_err::write(path, "edited").unwrap();
    let before = world.tree();
    let error = apply(&sys(&RealDisk), &world.home, &transaction).unwrap_err();
    assert_eq!(error.code, gitvow::apply::CHANGED);
    assert_eq!(world.tree(), before);
}

#[test]
fn a_journal_that_cannot_be_read_is_an_error() {
    let world = World::new();
    fs_err::write(world.home.journal(), "{").unwrap();
    let error = recover(&sys(&RealDisk), &world.home).unwrap_err();
    assert_eq!(error.code, "journal-corrupt");
    let error = apply(&sys(&RealDisk), &world.home, &world.install()).unwrap_err();
    assert_eq!(error.code, "journal-corrupt");
}

#[test]
fn the_mode_of_a_private_file_stays() {
    let world = World::new();
    set_mode(&world.settings(), 0o600);
    apply(&sys(&RealDisk), &world.home, &world.install()).unwrap();
    assert_eq!(world.tree()[Path::new("agent/settings.json")].0, 0o600);
    assert_eq!(world.tree()[Path::new("state/bin/gitvow")].0 & 0o700, 0o700);
    assert!(world.tree().iter().all(|(path, (mode, bytes))| {
        let ours = path.starts_with("state/records") || path.starts_with("state/adapters");
        !ours || *mode == if bytes.is_some() { 0o600 } else { 0o700 }
    }));
}

#[test]
fn a_copy_never_replaces_an_older_one() {
    let (world, transaction) = overwriting();
    let saved = world.home.saved();
    fs_err::create_dir(&saved).unwrap();
    fs_err::write(saved.join("settings.json"), "older").unwrap();
    apply(&sys(&RealDisk), &world.home, &transaction).unwrap();
    assert_eq!(fs_err::read(saved.join("settings.json")).unwrap(), b"older");
    let copy = fs_err::read_to_string(saved.join("settings.json.1")).unwrap();
    assert_eq!(copy, OLD);
    let second = fs_err::read_to_string(world.path("agent/second-name")).unwrap();
    assert_eq!(second, installed(OLD));
}

#[test]
fn the_disk_in_memory_does_the_same() {
    let world = World::new();
    let disk = MemoryDisk::default();
    for (path, (mode, bytes)) in world.tree() {
        let thing = bytes.map_or(
            gitvow::sys::memory::Thing::Dir,
            gitvow::sys::memory::Thing::File,
        );
        disk.put(world.dir.path().join(path), thing, mode);
    }
    let before = disk.all();
    apply(&sys(&disk), &world.home, &world.install()).unwrap();
    assert_ne!(disk.all(), before);
    apply(&sys(&disk), &world.home, &world.uninstall()).unwrap();
    let empty = [world.home.records(), world.home.adapters()];
    let after: Vec<_> = disk
        .all()
        .into_iter()
        .filter(|(p, _, _)| !empty.contains(p))
        .collect();
    assert_eq!(after, before);
}

fn record_of(world: &World, path: &Path) -> Option<Record> {
    let records = store::load_all(&RealDisk, &world.home).unwrap();
    store::find(&records, path).cloned()
}

/// Kills the run at the first operation at which the world looks like that.
fn killed_when(case: Case, looks: impl Fn(&World) -> bool) -> (World, u64) {
    for at in 0..500 {
        let (world, transaction) = case();
        let disk = FaultyDisk::new(&RealDisk, at, Fault::Dies);
        apply(&sys(&disk), &world.home, &transaction).unwrap_err();
        if looks(&world) {
            return (world, at);
        }
    }
    panic!("never looks like that");
}
