//! Transactions like those of an install and an uninstall, built by hand, and a comparison of whole trees.

use gitvow::doc::Splice;
use gitvow::ledger::{Body, Origin, Owner, OwnerState, Print, Record, State, StateHome, TreeFile};
use gitvow::plan::steps::{Content, Step, Transaction, Write};
use gitvow::spec::{Format, Scope};
use gitvow::sys::real::{RealClock, RealEnv, RealRunner};
use gitvow::sys::{Disk, Sys};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub const OLD: &str = "{\n  \"model\": \"x\"\n}\n";
pub const ENTRY: &str = ",\n  \"hooks\": {\"Stop\": [\"gitvow hook\"]}";

pub fn sys<'a>(disk: &'a dyn Disk) -> Sys<'a> {
    Sys {
        disk,
        env: &RealEnv,
        runner: &RealRunner,
        clock: &RealClock,
    }
}

/// A user's directory with a settings file of mode 0640, and a state home with one stranger's file.
pub struct World {
    pub dir: tempfile::TempDir,
    pub home: StateHome,
}

impl World {
    pub fn new() -> Self {
        // A file system in memory makes fsync free; what is tested is the order of things.
        let shm = Path::new("/dev/shm");
        let dir = match shm.is_dir() {
            true => tempfile::tempdir_in(shm),
            false => tempfile::tempdir(),
        };
        let dir = dir.unwrap();
        let home = StateHome::new(dir.path().join("state"));
        let world = Self { dir, home };
        fs_err::create_dir(world.path("agent")).unwrap();
        fs_err::write(world.settings(), OLD).unwrap();
        set_mode(&world.settings(), 0o640);
        fs_err::write(world.path("agent/other"), "untouched").unwrap();
        fs_err::write(world.path("program"), "#!/bin/sh\n").unwrap();
        fs_err::create_dir(world.home.root()).unwrap();
        set_mode(world.home.root(), 0o700);
        fs_err::write(world.home.policy(), "{}").unwrap();
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn settings(&self) -> PathBuf {
        self.path("agent/settings.json")
    }

    fn new_file(&self) -> PathBuf {
        self.path("agent/hooks/deep/gitvow.json")
    }

    /// Makes two directories, edits a file, creates one, copies the launcher, saves records.
    pub fn install(&self) -> Transaction {
        let after = installed(OLD);
        let edit = Step::Write(Write {
            path: self.settings(),
            expect: Some(Print::of(OLD.as_bytes())),
            after: Print::of(after.as_bytes()),
            content: Content::Splices {
                splices: vec![Splice {
                    range: at(OLD)..at(OLD),
                    text: ENTRY.into(),
                }],
            },
            mode: 0o644,
            in_place: false,
        });
        let create = Step::Write(Write {
            path: self.new_file(),
            expect: None,
            after: Print::of(b"ours\n"),
            content: Content::Text {
                text: "ours\n".into(),
            },
            mode: 0o644,
            in_place: false,
        });
        let launcher = Step::Write(Write {
            path: self.home.launcher(),
            expect: None,
            after: Print::of(b"#!/bin/sh\n"),
            content: Content::Copy {
                source: self.path("program"),
            },
            mode: 0o755,
            in_place: false,
        });
        Transaction {
            steps: vec![
                make_dir(self.home.bin(), 0o700),
                launcher,
                edit,
                make_dir(self.path("agent/hooks"), 0o755),
                make_dir(self.path("agent/hooks/deep"), 0o755),
                create,
            ],
            save: vec![
                self.merge_record(&after),
                self.tree_record(self.new_file(), b"ours\n"),
                self.tree_record(self.home.launcher(), b"#!/bin/sh\n"),
            ],
            state_files: vec![("adapters/x.json".into(), "{}".into())],
            ..Transaction::default()
        }
    }

    /// The exact opposite.
    pub fn uninstall(&self) -> Transaction {
        let now = installed(OLD);
        let edit = Step::Write(Write {
            path: self.settings(),
            expect: Some(Print::of(now.as_bytes())),
            after: Print::of(OLD.as_bytes()),
            content: Content::Splices {
                splices: vec![Splice {
                    range: at(OLD)..at(OLD) + ENTRY.len(),
                    text: String::new(),
                }],
            },
            mode: 0o644,
            in_place: false,
        });
        let remove = |path: PathBuf, bytes: &[u8]| Step::Remove {
            path,
            expect: Print::of(bytes),
        };
        let remove_dir = |path| Step::RemoveDir { path };
        Transaction {
            steps: vec![
                edit,
                remove(self.new_file(), b"ours\n"),
                remove_dir(self.path("agent/hooks/deep")),
                remove_dir(self.path("agent/hooks")),
                remove(self.home.launcher(), b"#!/bin/sh\n"),
                remove_dir(self.home.bin()),
            ],
            forget: vec![self.settings(), self.new_file(), self.home.launcher()],
            drop_state_files: vec!["adapters/x.json".into()],
            ..Transaction::default()
        }
    }

    /// A forced edit of a hard-linked file: overwritten in place, a copy kept.
    pub fn overwrite(&self) -> Transaction {
        let mut transaction = self.install();
        transaction
            .steps
            .retain(|s| matches!(s, Step::Write(w) if w.path == self.settings()));
        if let Some(Step::Write(write)) = transaction.steps.first_mut() {
            write.in_place = true;
        }
        transaction.save.truncate(1);
        transaction.state_files.clear();
        transaction.keep_copies = vec![("settings.json".into(), self.settings())];
        transaction
    }

    pub fn merge_record(&self, after: &str) -> Record {
        let owner = Owner {
            agent: "claude".into(),
            scope: Scope::User,
        };
        let at = at(OLD) as u64;
        self.record(
            self.settings(),
            Body::Merge(gitvow::ledger::Merge {
                format: Format::Json,
                origin: Origin {
                    existed: true,
                    print: Print::of(OLD.as_bytes()),
                },
                after: Print::of(after.as_bytes()),
                inserted: vec![(at, ENTRY.len() as u64)],
                owners: vec![OwnerState {
                    owner,
                    root: vec!["hooks".into()],
                    list: false,
                    block: false,
                    adapter: None,
                }],
                entries: Vec::new(),
                containers: Vec::new(),
                version: None,
                layout: None,
            }),
        )
    }

    fn tree_record(&self, path: PathBuf, bytes: &[u8]) -> Record {
        self.record(
            path,
            Body::Tree(TreeFile {
                print: Print::of(bytes),
                mode: 0o644,
                owner: None,
                json: None,
                adapter: None,
                block: false,
                launcher: None,
                state: State::Active,
            }),
        )
    }

    fn record(&self, path: PathBuf, body: Body) -> Record {
        Record {
            schema: gitvow::ledger::SCHEMA,
            real: path.clone(),
            path,
            dirs: Vec::new(),
            gitvow: "0.1.0".into(),
            body,
        }
    }

    /// Every name under the directory: what it is, its mode, its bytes. The lock and the empty directories of
    /// the state home are left out.
    pub fn tree(&self) -> Tree {
        let mut tree = tree_of(self.dir.path());
        tree.remove(Path::new("state/lock"));
        for name in ["state/records", "state/adapters", "state/saved"] {
            let used = |p: &&PathBuf| p.parent() == Some(Path::new(name));
            if tree.keys().find(used).is_none() {
                tree.remove(Path::new(name));
            }
        }
        tree
    }
}

pub type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

/// Everything under a directory, by relative path.
pub fn tree_of(dir: &Path) -> Tree {
    let mut tree = Tree::new();
    walk(dir, dir, &mut tree);
    tree
}

/// A settings file with our entry in it.
pub fn installed(text: &str) -> String {
    let mut text = text.to_owned();
    text.insert_str(at(&text), ENTRY);
    text
}

/// Only what stands in the user's directory.
pub fn of_user(tree: &Tree) -> Tree {
    let users = tree.iter().filter(|(p, _)| p.starts_with("agent"));
    users.map(|(p, v)| (p.clone(), v.clone())).collect()
}

/// Names of half-made files, wherever they are.
pub fn temps(tree: &Tree) -> Vec<PathBuf> {
    let temp = |p: &&PathBuf| p.to_string_lossy().contains("/.gitvow-");
    tree.keys().filter(temp).cloned().collect()
}

pub fn set_mode(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn at(text: &str) -> usize {
    text.len() - "\n}\n".len()
}

fn make_dir(path: PathBuf, mode: u32) -> Step {
    Step::MakeDir { path, mode }
}

fn walk(root: &Path, dir: &Path, tree: &mut Tree) {
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let facts = path.symlink_metadata().unwrap();
        let bytes = facts.is_file().then(|| fs_err::read(&path).unwrap());
        let name = path.strip_prefix(root).unwrap().to_path_buf();
        tree.insert(name, (facts.permissions().mode() & 0o7777, bytes));
        if facts.is_dir() {
            walk(root, &path, tree);
        }
    }
}
