//! The launcher: gitvow's own copy that written commands name. Pure; the copying is a step like any other.

use super::steps::{Content, Step, Transaction, Write};
use crate::ledger::{Body, Launcher, Print, Record, SCHEMA, State, TreeFile};
use std::path::{Path, PathBuf};

/// Mode of `bin/gitvow`.
const MODE: u32 = 0o755;

/// What the running program and the launcher look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Where the launcher belongs.
    pub path: PathBuf,
    /// What stands there: its fingerprint; `None`: nothing. Equal to the record's when size and mtime are.
    pub there: Option<Print>,
    /// It may be run.
    pub runnable: bool,
    /// The running program.
    pub exe: PathBuf,
    /// Its fingerprint.
    pub exe_print: Print,
    /// The running program *is* the launcher.
    pub is_self: bool,
    /// The running gitvow's version.
    pub version: String,
    /// Directories to be made, outermost first.
    pub missing: Vec<PathBuf>,
}

/// What an install does about the launcher.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    /// `create`, `edit` or nothing.
    pub change: Change,
    /// The steps; empty when there is nothing to do.
    pub transaction: Transaction,
}

/// What happens to the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// It comes.
    Create,
    /// It is refreshed.
    Edit,
    /// It stays as it is.
    #[default]
    Unchanged,
    /// It goes.
    Remove,
}

/// An install wants the launcher there: never over itself, never an older one over a newer.
pub fn put(seen: &Seen, record: Option<&Record>) -> Planned {
    let idle = Planned {
        change: Change::Unchanged,
        transaction: Transaction::default(),
    };
    let recorded = record.and_then(|r| match &r.body {
        Body::Tree(tree) => Some(tree),
        Body::Merge(_) => None,
    });
    let as_recorded = recorded.is_some_and(|t| Some(&t.print) == seen.there.as_ref());
    let theirs = recorded
        .and_then(|t| t.launcher.as_ref())
        .map_or("", |l| l.version.as_str());
    if as_recorded && seen.runnable && newer(theirs, &seen.version) {
        return idle;
    }
    let same = seen.there.as_ref() == Some(&seen.exe_print);
    if (same || seen.is_self) && seen.runnable {
        if as_recorded {
            return idle;
        }
        // There, and nobody recorded it: a lost ledger.
        let save = vec![record_of(
            seen,
            seen.there.clone().unwrap_or_else(|| seen.exe_print.clone()),
        )];
        return Planned {
            change: Change::Unchanged,
            transaction: Transaction {
                save,
                ..Transaction::default()
            },
        };
    }
    let mut steps: Vec<Step> = seen
        .missing
        .iter()
        .map(|dir| Step::MakeDir {
            path: dir.clone(),
            mode: 0o700,
        })
        .collect();
    steps.push(Step::Write(Write {
        path: seen.path.clone(),
        expect: seen.there.clone(),
        after: seen.exe_print.clone(),
        content: Content::Copy {
            source: seen.exe.clone(),
        },
        mode: MODE,
        in_place: false,
    }));
    Planned {
        change: if seen.there.is_some() {
            Change::Edit
        } else {
            Change::Create
        },
        transaction: Transaction {
            steps,
            save: vec![record_of(seen, seen.exe_print.clone())],
            ..Transaction::default()
        },
    }
}

/// The last one out takes the launcher away.
pub fn take(path: &Path, there: Option<&Print>, record: Option<&Record>) -> Planned {
    let mut transaction = Transaction::default();
    if let Some(print) = there {
        transaction.steps.push(Step::Remove {
            path: path.to_path_buf(),
            expect: print.clone(),
        });
    }
    if let Some(record) = record {
        transaction.forget.push(record.path.clone());
    }
    if let Some(dir) = path.parent()
        && !transaction.is_empty()
    {
        transaction.steps.push(Step::RemoveDir {
            path: dir.to_path_buf(),
        });
    }
    let change = if there.is_some() {
        Change::Remove
    } else {
        Change::Unchanged
    };
    Planned {
        change,
        transaction,
    }
}

fn record_of(seen: &Seen, print: Print) -> Record {
    Record {
        schema: SCHEMA,
        path: seen.path.clone(),
        real: seen.path.clone(),
        dirs: Vec::new(),
        gitvow: seen.version.clone(),
        body: Body::Tree(TreeFile {
            print,
            mode: MODE,
            owner: None,
            json: None,
            adapter: None,
            block: false,
            launcher: Some(Launcher {
                version: seen.version.clone(),
                mtime_ns: 0,
                source: None,
            }),
            state: State::Active,
        }),
    }
}

/// Is version `a` newer than `b`? Release triples; what can't be read is never newer.
pub fn newer(a: &str, b: &str) -> bool {
    let triple = |v: &str| -> Option<[u64; 3]> {
        let core = v.split(['-', '+']).next()?;
        let mut parts = core.split('.').map(|p| p.parse::<u64>().ok());
        Some([parts.next()??, parts.next()??, parts.next()??])
    };
    match (triple(a), triple(b)) {
        (Some(a), Some(b)) => a > b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(there: Option<&str>, exe: &str, version: &str) -> Seen {
        let print = |s: &str| Print {
            sha256: s.to_owned(),
            len: 1,
        };
        Seen {
            path: "/h/.gitvow/bin/gitvow".into(),
            there: there.map(print),
            runnable: true,
            exe: "/opt/gitvow".into(),
            exe_print: print(exe),
            is_self: false,
            version: version.into(),
            missing: Vec::new(),
        }
    }

    #[test]
    fn it_is_copied_once_and_an_older_one_never_replaces_a_newer() {
        let first = put(&seen(None, "a", "0.2.0"), None);
        assert_eq!(first.change, Change::Create);
        let record = &first.transaction.save[0];
        assert!(
            put(&seen(Some("a"), "a", "0.2.0"), Some(record))
                .transaction
                .is_empty()
        );
        assert!(
            put(&seen(Some("a"), "b", "0.1.9"), Some(record))
                .transaction
                .is_empty()
        );
        assert_eq!(
            put(&seen(Some("a"), "b", "0.2.0"), Some(record)).change,
            Change::Edit
        );
        assert_eq!(
            put(&seen(Some("x"), "b", "0.1.9"), Some(record)).change,
            Change::Edit,
            "a damaged one is replaced"
        );
    }

    #[test]
    fn versions() {
        assert!(newer("0.10.0", "0.9.9") && !newer("0.9.9", "0.9.9") && !newer("", "0.1.0"));
    }
}
