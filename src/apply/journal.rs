//! What a run means to do, written down before it does anything. May not hold a user's bytes: the new text
//! is the splices upon what is there.

use super::content::is_absent;
use crate::error::{Error, Result};
use crate::ledger::{StateHome, store};
use crate::plan::steps::{Step, Transaction};
use crate::sys::Disk;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

const SCHEMA: u32 = 1;

/// The journal: `journal.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Journal {
    schema: u32,
    gitvow: String,
    pub(super) transaction: Transaction,
    /// One per step.
    marks: Vec<Mark>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Mark {
    /// Beside a file to write or remove: first its new bytes, then what they displaced. For a file that is
    /// overwritten in place: in the state home, its old bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temp: Option<PathBuf>,
    /// The directory to make isn't there yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    new_dir: bool,
}

impl Journal {
    pub(super) fn new(disk: &dyn Disk, home: &StateHome, transaction: Transaction) -> Result<Self> {
        let mut marks = Vec::with_capacity(transaction.steps.len());
        for step in &transaction.steps {
            marks.push(match step {
                Step::MakeDir { path, .. } => Mark {
                    temp: None,
                    new_dir: is_absent(disk, path)?,
                },
                Step::Write(write) if write.in_place => mark_in(home.root()),
                Step::Write(write) => mark_in(dir_of(&write.path)),
                Step::Remove { path, .. } => mark_in(dir_of(path)),
                Step::RemoveDir { .. } => Mark::default(),
            });
        }
        Ok(Self {
            schema: SCHEMA,
            gitvow: env!("CARGO_PKG_VERSION").to_owned(),
            transaction,
            marks,
        })
    }

    /// The interrupted run's, if there is one.
    pub(super) fn load(disk: &dyn Disk, home: &StateHome) -> Result<Option<Self>> {
        let path = home.journal();
        let Some(bytes) = store::read_file(disk, &path)? else {
            return Ok(None);
        };
        let corrupt = |reason: String| {
            Error::refused(
                "journal-corrupt",
                "the journal of an interrupted run can't be used",
            )
            .at(&path)
            .because(reason)
            .help(format!(
                "keep it for a bug report and give up what it holds: mv '{0}' '{0}.bad'",
                path.display()
            ))
        };
        if let Some(schema) = store::schema_of(&bytes).filter(|n| *n > u64::from(SCHEMA)) {
            let what = "the journal of an interrupted run";
            return Err(home.newer("journal-corrupt", &path, what, schema, SCHEMA));
        }
        let journal: Self = serde_json::from_slice(&bytes).map_err(|e| corrupt(e.to_string()))?;
        if journal.schema != SCHEMA {
            return Err(corrupt(format!("its schema is {}", journal.schema)));
        }
        if journal.marks.len() != journal.transaction.steps.len() {
            return Err(corrupt("its parts don't match".into()));
        }
        Ok(Some(journal))
    }

    pub(super) fn store(&self, disk: &dyn Disk, home: &StateHome) -> Result<()> {
        let text = serde_json::to_vec(self)
            .map_err(|e| Error::bug("a journal can't be written").because(e.to_string()))?;
        store::write_file(disk, &home.journal(), &text)
    }

    pub(super) fn drop(disk: &dyn Disk, home: &StateHome) -> Result<()> {
        store::drop_file(disk, &home.journal())
    }

    /// The steps with their numbers.
    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = (usize, &Step)> {
        self.transaction.steps.iter().enumerate()
    }

    /// The temporary file of a step; empty for one that has none.
    pub(super) fn temp(&self, step: usize) -> &Path {
        let temp = self.marks.get(step).and_then(|m| m.temp.as_deref());
        temp.unwrap_or(Path::new(""))
    }

    /// A second name, for bringing old bytes back where files can't be exchanged.
    pub(super) fn second_temp(&self, step: usize) -> PathBuf {
        let mut name = self.temp(step).as_os_str().to_owned();
        name.push("-back");
        name.into()
    }

    /// Was that directory missing?
    pub(super) fn is_new_dir(&self, step: usize) -> bool {
        self.marks.get(step).is_some_and(|m| m.new_dir)
    }
}

/// The directory in which a file stands.
pub(super) fn dir_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn mark_in(dir: &Path) -> Mark {
    // Seeded by the system for each use; what matters is only that nobody else has the name.
    let random = RandomState::new().build_hasher().finish();
    Mark {
        temp: Some(dir.join(format!("{}{random:016x}", store::TEMP_PREFIX))),
        new_dir: false,
    }
}
