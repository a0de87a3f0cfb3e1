//! Every folder `fixtures/<agent>/<sentence>/` is one test: preview, install, install again, the user's edit if
//! there is one, uninstall; on a disk in memory, compared byte by byte.
//!
//! ```text
//! case.jsonc   optional: scope, install and uninstall arguments, env, modes, links, dirs, expect = "refused"
//! before/      the tree of HOME, or of the repository; absent = nothing there
//! after/       the same after install
//! plan.txt     what install --dry-run prints (refused: what it says)
//! edited/      optional: files as the user left them after the install; removed ones are named in case.jsonc
//! undone/      optional: the tree after uninstall; absent = `before/`, byte for byte
//! ```
//! `UPDATE=1` rewrites plan.txt, after/ and, where there is an edited/, undone/. Read the diff before committing it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test program without cargo's harness, which clippy does not know for one"
)]

use gitvow::cli::{self, Console, Stream, args};
use gitvow::sys::memory::{MemoryDisk, Thing};
use gitvow::sys::{Child, Clock, Ended, Env, Runner, Sys};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HOME: &str = "/home/u";
const REPO: &str = "/home/u/work/repo";
const EXE: &str = "/opt/gitvow/gitvow";

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Case {
    scope: Option<String>,
    /// More arguments of install.
    install: Vec<String>,
    /// More arguments of uninstall.
    uninstall: Vec<String>,
    env: BTreeMap<String, String>,
    modes: BTreeMap<String, String>,
    links: BTreeMap<String, String>,
    dirs: Vec<String>,
    /// Files that the user's edit removes.
    removed: Vec<String>,
    /// `refused`: install refuses and writes nothing.
    expect: Option<String>,
    /// Uninstall's exit code.
    uninstall_exit: u8,
}

type Tree = BTreeMap<String, (Vec<u8>, u32)>;

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for agent in dirs(Path::new("fixtures")) {
        for case in dirs(&agent) {
            if !(case.join("plan.txt").exists()
                || case.join("case.jsonc").exists()
                || case.join("before").exists())
            {
                continue;
            }
            let name = format!("{}::{}", name(&agent), name(&case));
            let agent = name_of(&agent);
            trials.push(Trial::test(name, move || run(&agent, &case)));
        }
    }
    assert!(
        trials.len() > 50,
        "the golden cases are not found: {} of them",
        trials.len()
    );
    libtest_mimic::run(&args, trials).exit();
}

fn dirs(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    let mut out: Vec<_> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn name_of(path: &Path) -> String {
    name(path)
}

struct World {
    disk: MemoryDisk,
    env: BTreeMap<String, String>,
    now: Cell<u64>,
    cwd: PathBuf,
}

impl Env for World {
    fn var(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }
    fn home(&self) -> Option<PathBuf> {
        Some(HOME.into())
    }
    fn cwd(&self) -> std::io::Result<PathBuf> {
        Ok(self.cwd.clone())
    }
    fn exe(&self) -> std::io::Result<PathBuf> {
        Ok(EXE.into())
    }
    fn uid(&self) -> u32 {
        1000
    }
    fn is_terminal(&self, _: u8) -> bool {
        false
    }
}

impl Clock for World {
    fn now(&self) -> Duration {
        Duration::from_secs(1_800_000_000 + self.now.get())
    }
    fn sleep(&self, _: Duration) {
        self.now.set(self.now.get() + 1);
    }
}

impl Runner for World {
    fn run(&self, _: &Child<'_>) -> std::io::Result<Ended> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

impl World {
    fn call(&self, words: &[String]) -> (u8, String, String) {
        let cli =
            args::parse(std::iter::once("gitvow".to_owned()).chain(words.iter().cloned())).unwrap();
        let sys = Sys {
            disk: &self.disk,
            env: self,
            runner: self,
            clock: self,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = {
            let mut console = Console::new(
                Stream::new(&mut out, false, cli.color, true),
                Stream::new(&mut err, false, cli.color, true),
            );
            match cli::run(&cli, &sys, &mut console) {
                Ok(code) => code,
                Err(e) => {
                    console.say(&format!("error: {}\n", e.sentence()));
                    e.kind.exit_code()
                }
            }
        };
        (
            code,
            String::from_utf8(out).unwrap(),
            String::from_utf8(err).unwrap(),
        )
    }

    /// Files below `base` with modes; gitvow's own state and git's are nobody's settings.
    fn tree(&self, base: &str) -> Tree {
        let mut out = Tree::new();
        for (path, thing, mode) in self.disk.all() {
            let Ok(rel) = path.strip_prefix(base) else {
                continue;
            };
            if rel.starts_with(".gitvow")
                || rel.starts_with(".git")
                || rel.starts_with("work/repo/.git")
                || rel.as_os_str().is_empty()
            {
                continue;
            }
            let bytes = match thing {
                Thing::File(bytes) => bytes,
                Thing::Link(to) => format!("-> {}", to.display()).into_bytes(),
                Thing::Dir => b"directory".to_vec(),
                Thing::Other => b"other".to_vec(),
            };
            out.insert(rel.to_string_lossy().into_owned(), (bytes, mode));
        }
        out
    }
}

fn read_tree(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(at: &Path, base: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, base, out);
            } else {
                let rel = path
                    .strip_prefix(base)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                out.insert(rel, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(dir, dir, &mut out);
    out
}

fn run(agent: &str, dir: &Path) -> Result<(), Failed> {
    let update = std::env::var_os("UPDATE").is_some();
    let case: Case = match std::fs::read_to_string(dir.join("case.jsonc")) {
        Ok(text) => {
            jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default())
                .map_err(|e| format!("case.jsonc: {e}"))?
        }
        Err(_) => Case::default(),
    };
    let scope = case.scope.clone().unwrap_or_else(|| "user".to_owned());
    let base = if scope == "user" { HOME } else { REPO };
    let world = World {
        disk: MemoryDisk::default(),
        env: case.env.clone(),
        now: Cell::new(0),
        cwd: base.into(),
    };
    world.disk.put(HOME, Thing::Dir, 0o755);
    world
        .disk
        .put(EXE, Thing::File(b"gitvow itself".to_vec()), 0o755);
    if scope != "user" {
        world.disk.put(format!("{REPO}/.git"), Thing::Dir, 0o755);
    }
    for dir in &case.dirs {
        world.disk.put(format!("{base}/{dir}"), Thing::Dir, 0o755);
    }
    let put = |rel: &str, bytes: Vec<u8>| {
        let mode = case
            .modes
            .get(rel)
            .map_or(0o644, |m| u32::from_str_radix(m, 8).unwrap());
        world
            .disk
            .put(format!("{base}/{rel}"), Thing::File(bytes), mode);
    };
    for (rel, bytes) in read_tree(&dir.join("before")) {
        put(&rel, bytes);
    }
    for (link, target) in &case.links {
        world
            .disk
            .put(format!("{base}/{link}"), Thing::Link(target.into()), 0o777);
    }
    let before = world.tree(base);
    let words = |verb: &str, more: &[String], last: &[&str]| -> Vec<String> {
        let mut words: Vec<String> = [verb, "--agent", agent, "--scope", &scope]
            .map(str::to_owned)
            .to_vec();
        words.extend(more.iter().cloned());
        words.extend(last.iter().map(|w| (*w).to_owned()));
        words
    };

    let untouched = world.disk.all();
    let (code, out, err) = world.call(&words("install", &case.install, &["--dry-run"]));
    if world.disk.all() != untouched {
        return Err("the dry run wrote something".into());
    }
    let plan = if case.expect.is_some() {
        format!("{out}{err}")
    } else {
        out
    };
    compare_file(&dir.join("plan.txt"), plan.as_bytes(), update)?;
    if case.expect.as_deref() == Some("refused") {
        if code != 1 {
            return Err(format!("a refused dry run ends with 1, not {code}").into());
        }
        let (code, ..) = world.call(&words("install", &case.install, &[]));
        same_tree("a refusal must write nothing", &before, &world.tree(base))?;
        return if code == 1 {
            Ok(())
        } else {
            Err(format!("exit {code}").into())
        };
    }

    let (code, _, err) = world.call(&words("install", &case.install, &[]));
    if code != 0 {
        return Err(format!("install ended with {code}: {err}").into());
    }
    let after = world.tree(base);
    if update {
        write_tree(&dir.join("after"), &after);
    }
    same_files("after install", &read_tree(&dir.join("after")), &after)?;
    let installed = world.disk.all();
    let (code, _, err) = world.call(&words("install", &case.install, &[]));
    if code != 0 || world.disk.all() != installed {
        return Err(format!("a second install is no no-op ({code}): {err}").into());
    }

    let edited = dir.join("edited");
    if edited.exists() || !case.removed.is_empty() {
        for (rel, bytes) in read_tree(&edited) {
            put(&rel, bytes);
        }
        for rel in &case.removed {
            gitvow::sys::Disk::unlink(&world.disk, Path::new(&format!("{base}/{rel}"))).unwrap();
        }
    }
    let (code, _, err) = world.call(&words("uninstall", &case.uninstall, &[]));
    if code != case.uninstall_exit {
        return Err(format!("uninstall ended with {code}: {err}").into());
    }
    let undone = world.tree(base);
    if edited.exists() || !case.removed.is_empty() || dir.join("undone").exists() {
        if update {
            write_tree(&dir.join("undone"), &undone);
        }
        same_files("after uninstall", &read_tree(&dir.join("undone")), &undone)?;
    } else {
        same_tree("uninstall must give back what was", &before, &undone)?;
    }
    let settled = world.disk.all();
    let (code, ..) = world.call(&words("uninstall", &case.uninstall, &[]));
    if code != case.uninstall_exit || world.disk.all() != settled {
        return Err(format!("a second uninstall is no no-op ({code})").into());
    }
    Ok(())
}

fn compare_file(path: &Path, bytes: &[u8], update: bool) -> Result<(), Failed> {
    if update {
        std::fs::write(path, bytes).unwrap();
    }
    let wanted = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    differ(&path.display().to_string(), &wanted, bytes)
}

/// Our own comparator: no newline is normalised, and what differs is shown with its escapes.
fn differ(what: &str, wanted: &[u8], found: &[u8]) -> Result<(), Failed> {
    if wanted == found {
        return Ok(());
    }
    let at = wanted
        .iter()
        .zip(found)
        .position(|(a, b)| a != b)
        .unwrap_or(wanted.len().min(found.len()));
    let show = |b: &[u8]| {
        b[at.saturating_sub(30)..b.len().min(at + 50)]
            .escape_ascii()
            .to_string()
    };
    Err(format!(
        "{what}: differs at byte {at} of {} and {}\n  wanted: {}\n  found:  {}",
        wanted.len(),
        found.len(),
        show(wanted),
        show(found)
    )
    .into())
}

fn same_tree(what: &str, wanted: &Tree, found: &Tree) -> Result<(), Failed> {
    for name in wanted.keys().chain(found.keys()) {
        match (wanted.get(name), found.get(name)) {
            (Some((a, m)), Some((b, n))) => {
                differ(&format!("{what}: {name}"), a, b)?;
                if m != n {
                    return Err(format!("{what}: {name}: mode {m:o} became {n:o}").into());
                }
            }
            (Some(_), None) => return Err(format!("{what}: {name} is gone").into()),
            _ => return Err(format!("{what}: {name} is left").into()),
        }
    }
    Ok(())
}

/// Files alone: folders of fixtures hold no empty directories and no modes.
fn same_files(what: &str, wanted: &BTreeMap<String, Vec<u8>>, found: &Tree) -> Result<(), Failed> {
    let found: BTreeMap<_, _> = found
        .iter()
        .filter(|(_, (b, _))| b != b"directory" && !b.starts_with(b"-> "))
        .collect();
    for name in wanted.keys().chain(found.keys().copied()) {
        match (wanted.get(name), found.get(name)) {
            (Some(a), Some((b, _))) => differ(&format!("{what}: {name}"), a, b)?,
            (Some(_), None) => return Err(format!("{what}: {name} is missing").into()),
            _ => return Err(format!("{what}: {name} is unexpected").into()),
        }
    }
    Ok(())
}

fn write_tree(dir: &Path, tree: &Tree) {
    let _ = std::fs::remove_dir_all(dir);
    for (name, (bytes, _)) in tree {
        if bytes == b"directory" || bytes.starts_with(b"-> ") {
            continue;
        }
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}
