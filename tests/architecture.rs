//! The rooms of the house and the walls between them. Reads the source as text,
//! so that a wall can't be passed by an import that the compiler is happy with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "architecture"]
mod architecture {
    pub mod source;
}

use architecture::source::{self, Source};
use std::collections::BTreeSet;

/// A room: its name, and the rooms that it may use beside itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("main", &["cli", "hook", "sys", "escape", "error"]),
    (
        "cli",
        &[
            "plan", "apply", "ledger", "hook", "external", "spec", "doc", "sys", "escape", "error",
        ],
    ),
    ("plan", &["ledger", "spec", "doc", "error"]),
    ("apply", &["plan", "ledger", "spec", "doc", "sys", "error"]),
    ("ledger", &["spec", "doc", "sys", "error"]),
    (
        "hook",
        &["external", "spec", "doc", "sys", "escape", "error"],
    ),
    ("external", &["spec", "doc", "sys", "escape", "error"]),
    ("spec", &["doc", "error"]),
    ("doc", &["spec", "error"]),
    ("sys", &["error"]),
    ("escape", &[]),
    ("error", &[]),
];

/// Rooms and files that never touch the machine: neither `sys` nor the standard library's ways to it.
const PURE: &[&str] = &[
    "plan",
    "spec",
    "doc",
    "escape",
    "error",
    "ledger/record.rs",
    "cli/args",
    "cli/diff.rs",
    "cli/output",
    "cli/render",
];

/// What no code outside `sys` may name, pure or not.
const MACHINE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::os::unix::fs",
    "std::os::unix::net",
    "std::time::SystemTime",
    "std::time::Instant",
    "fs_err",
    "rustix",
];

/// What a file may name all the same, with the reason.
const GRANTED: &[(&str, &str, &str)] = &[
    (
        "main.rs",
        "std::env::args_os",
        "the command line comes in here",
    ),
    (
        "main.rs",
        "std::process::ExitCode",
        "the exit code goes out here",
    ),
    (
        "external/discover.rs",
        "std::env::split_paths",
        "splits the text of PATH as the platform does, and reads nothing",
    ),
    (
        "main.rs",
        "std::process::exit",
        "a panic ends with exit code 70",
    ),
];

/// Doors in a wall: one file that may use one more room, with the reason.
const DOORS: &[(&str, &str, &str)] = &[
    (
        "external/installed.rs",
        "hook",
        "whether an event may be a gate is judged by its name, and by the hook's own rule",
    ),
    (
        "hook/policy/settings.rs",
        "ledger",
        "a call that writes a file is asked about when there is a record of it",
    ),
];

/// Longest file, in lines.
const LONGEST: usize = 450;

#[test]
fn every_room_of_the_table_stands_and_no_other() {
    let mut found: BTreeSet<String> = source::product().iter().map(|s| s.room()).collect();
    assert!(found.remove("lib"), "src/lib.rs is missing");
    let table: BTreeSet<String> = ROOMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        found, table,
        "the rooms under src/ (left) differ from the table (right)"
    );

    let lib = std::fs::read_to_string("src/lib.rs").unwrap();
    for (room, allowed) in ROOMS {
        assert!(
            *room == "main" || lib.contains(&format!("pub mod {room};")),
            "src/lib.rs lacks `pub mod {room};`"
        );
        for other in *allowed {
            assert!(
                table.contains(*other),
                "the table of `{room}` names `{other}`"
            );
        }
    }
}

#[test]
fn no_room_uses_one_that_it_may_not() {
    let mut seen = 0;
    let mut doors = BTreeSet::new();
    let mut faults = Vec::new();
    for file in source::product().iter().filter(|f| f.room() != "lib") {
        let room = file.room();
        let allowed = ROOMS.iter().find(|r| r.0 == room).map_or(&[][..], |r| r.1);
        for used in file.rooms_used() {
            seen += 1;
            if let Some(door) = DOORS.iter().find(|d| d.0 == file.name() && d.1 == used) {
                doors.insert(door.0);
            } else if used != room && !allowed.contains(&used.as_str()) {
                faults.push(format!("{}: `{room}` uses `{used}`", file.name()));
            }
        }
    }
    assert!(
        seen > 60,
        "only {seen} uses seen: the reader of `use` lines is blind"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for door in DOORS {
        assert!(doors.contains(door.0), "nobody uses the door {door:?}");
    }
}

#[test]
fn pure_rooms_never_touch_the_machine() {
    let mut faults = Vec::new();
    for prefix in PURE {
        let files: Vec<_> = source::product()
            .into_iter()
            .filter(|f| f.is_under(prefix))
            .collect();
        assert!(!files.is_empty(), "nothing stands at src/{prefix}");
        for file in files {
            if file.rooms_used().contains("sys") {
                faults.push(format!("{}: uses `sys`", file.name()));
            }
            for path in file.paths() {
                if source::starts_with_any(&path, MACHINE)
                    || source::starts_with_any(&path, &["std::time"])
                {
                    faults.push(format!("{}: {}", file.name(), path.join("::")));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn only_sys_names_the_machine() {
    let mut in_sys = 0;
    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut faults = Vec::new();
    for file in source::product() {
        for path in file
            .paths()
            .iter()
            .filter(|p| source::starts_with_any(p, MACHINE))
        {
            let text = path.join("::");
            let grant = GRANTED.iter().find(|g| file.name() == g.0 && text == g.1);
            match grant {
                _ if file.room() == "sys" => in_sys += 1,
                Some(grant) => {
                    used.insert((grant.0, grant.1));
                }
                None => faults.push(format!("{}: {text}", file.name())),
            }
        }
    }
    assert!(
        in_sys > 5,
        "only {in_sys} seen in src/sys: the reader of paths is blind"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for grant in GRANTED {
        assert!(
            used.contains(&(grant.0, grant.1)),
            "an unused grant: {grant:?}"
        );
    }
}

#[test]
fn every_file_says_first_what_it_is() {
    for file in source::product() {
        let first = file
            .text
            .lines()
            .find(|l| !l.trim().is_empty())
            .unwrap_or_default();
        assert!(
            first.starts_with("//! ") && first.len() > 6,
            "{}: no module doc at its top",
            file.name()
        );
    }
}

#[test]
fn no_file_is_longer_than_its_subject_deserves() {
    let files = source::all(&["src", "tests", "benches", "examples"]);
    assert!(files.len() > 40, "only {} files seen", files.len());
    let long: Vec<String> = files
        .iter()
        .map(|f| (f.name(), f.text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(name, lines)| format!("{name}: {lines} lines, more than {LONGEST}"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The reader itself: what it must see, and what it must not.
#[test]
fn the_reader_sees_every_spelling_of_a_use() {
    let file = Source::sample(
        "plan/heart/inner.rs",
        r##"
        //! crate::comment
        use crate::{cli::{args, diff}, error::Error};
        use super::super::super::apply as a;
        use super::sibling;
        /* crate::block /* crate::nested */ */
        const S: &str = "crate::text \" crate::more";
        const R: &str = r#"crate::raw "# ;
        fn f<'a>(c: char) -> bool { c == '"' && crate::hook::x() && gitvow::ledger::y() }
        use std::{io, fs::{self, File}};
        #[cfg(test)]
        mod tests { use crate::external::z; use std::env; }
        "##,
    );
    let rooms: Vec<String> = file.rooms_used().into_iter().collect();
    assert_eq!(rooms, ["apply", "cli", "error", "hook", "ledger", "plan"]);
    let machine: Vec<String> = file
        .paths()
        .iter()
        .filter(|p| source::starts_with_any(p, MACHINE))
        .map(|p| p.join("::"))
        .collect();
    assert_eq!(machine, ["std::fs", "std::fs::File"]);
}
