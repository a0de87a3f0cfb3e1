use super::*;
use crate::ledger::{Owner, Print, SCHEMA as RECORD_SCHEMA, State, TreeFile};
use crate::sys::Env;
use crate::sys::real::{RealClock, RealDisk, RealRunner};
use std::os::unix::fs::PermissionsExt;
use std::{fs, io};

struct Surroundings(String);

impl Env for Surroundings {
    fn var(&self, name: &str) -> Option<String> {
        (name == "PATH").then(|| self.0.clone())
    }
    fn home(&self) -> Option<PathBuf> {
        None
    }
    fn cwd(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn exe(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn uid(&self) -> u32 {
        0
    }
    fn is_terminal(&self, _: u8) -> bool {
        false
    }
}

struct Scratch {
    dir: tempfile::TempDir,
    env: Surroundings,
}

impl Scratch {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        let env = Surroundings(format!("relative:{}/bin", dir.path().display()));
        Self { dir, env }
    }

    fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().join(rel)
    }

    fn program(&self, name: &str, mode: u32) {
        let path = self.path("bin").join(name);
        fs::File::create(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn list(&self, repo: Option<&Path>, records: &[Record]) -> (AgentList, Vec<&'static str>) {
        let sys = Sys {
            disk: &RealDisk,
            env: &self.env,
            runner: &RealRunner,
            clock: &RealClock,
        };
        let state = self.path(".gitvow");
        let ground = Ground {
            home: self.dir.path(),
            state: &state,
            repo,
            var: &|_| None,
        };
        let names = detected(&sys, &ground, records).unwrap();
        (
            list(&sys, &ground, records).unwrap(),
            names.iter().map(|b| b.name).collect(),
        )
    }
}

fn record(path: PathBuf, dirs: Vec<PathBuf>, agent: &str, scope: Scope) -> Record {
    Record {
        schema: RECORD_SCHEMA,
        real: path.clone(),
        path,
        dirs,
        gitvow: "0.1.0".into(),
        body: Body::Tree(TreeFile {
            print: Print {
                sha256: String::new(),
                len: 0,
            },
            mode: 0o644,
            owner: Some(Owner {
                agent: agent.into(),
                scope,
            }),
            json: None,
            adapter: None,
            block: false,
            launcher: None,
            state: State::Active,
        }),
    }
}

fn of<'a>(list: &'a AgentList, name: &str) -> &'a KnownAgent {
    list.agents.iter().find(|a| a.agent == name).unwrap()
}

#[test]
fn an_empty_machine_has_no_agent_and_lists_all_eleven() {
    let scratch = Scratch::new();
    let (list, names) = scratch.list(None, &[]);
    assert!(names.is_empty());
    assert_eq!(list.agents.len(), 11);
    let claude = of(&list, "claude");
    assert_eq!(claude.title, "Claude Code");
    let files: Vec<_> = claude
        .files
        .iter()
        .map(|f| (f.scope, f.path.clone()))
        .collect();
    assert_eq!(
        files,
        [
            (Scope::User, scratch.path(".claude/settings.json")),
            (Scope::Repo, PathBuf::from(".claude/settings.json")),
            (Scope::Local, PathBuf::from(".claude/settings.local.json")),
        ]
    );
    assert_eq!(of(&list, "kimi").files.len(), 1);
}

#[test]
fn a_program_must_be_an_executable_file_on_an_absolute_part_of_path() {
    let scratch = Scratch::new();
    scratch.program("droid", 0o755);
    scratch.program("codex", 0o644);
    fs::create_dir(scratch.path("bin/grok")).unwrap();
    std::os::unix::fs::symlink("droid", scratch.path("bin/kimi")).unwrap();
    std::os::unix::fs::symlink("nothing", scratch.path("bin/qwen")).unwrap();
    let (list, names) = scratch.list(None, &[]);
    assert_eq!(names, ["factory", "kimi"]);
    assert_eq!(
        of(&list, "factory").detected_by,
        Some(scratch.path("bin/droid"))
    );
}

#[test]
fn a_directory_counts_unless_we_made_it() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path(".grok/hooks")).unwrap();
    fs::create_dir_all(scratch.path("dotfiles/claude")).unwrap();
    std::os::unix::fs::symlink("dotfiles/claude", scratch.path(".claude")).unwrap();
    fs::File::create(scratch.path(".qwen")).unwrap();
    assert_eq!(scratch.list(None, &[]).1, ["claude", "grok"]);
    let real = fs::canonicalize(scratch.dir.path()).unwrap();
    let ours = record(
        real.join(".grok/hooks/gitvow.json"),
        vec![real.join(".grok"), real.join(".grok/hooks")],
        "grok",
        Scope::User,
    );
    let (list, names) = scratch.list(None, &[ours]);
    assert_eq!(names, ["claude"]);
    assert_eq!(of(&list, "grok").installed, [Scope::User]);
}

#[test]
fn installed_scopes_are_the_users_and_this_repositorys() {
    let scratch = Scratch::new();
    let repo = scratch.path("work/r");
    let records = [
        record(
            repo.join(".grok/hooks/gitvow.json"),
            vec![],
            "grok",
            Scope::Repo,
        ),
        record(
            scratch.path("work/other/.opencode/plugins/gitvow.js"),
            vec![],
            "opencode",
            Scope::Repo,
        ),
        record(scratch.path("x.json"), vec![], "myagent", Scope::User),
    ];
    let (list, _) = scratch.list(Some(&repo), &records);
    assert_eq!(of(&list, "grok").installed, [Scope::Repo]);
    assert!(of(&list, "opencode").installed.is_empty());
    assert_eq!(of(&list, "myagent").installed, [Scope::User]);
    assert!(
        of(&list, "claude")
            .files
            .iter()
            .any(|f| f.path == repo.join(".claude/settings.json"))
    );
    let mut kept = records;
    if let Body::Tree(tree) = &mut kept[0].body {
        tree.state = State::Kept;
    }
    assert!(
        of(&scratch.list(Some(&repo), &kept).0, "grok")
            .installed
            .is_empty()
    );
}

#[test]
fn the_table_shortens_home_and_lines_up() {
    let scratch = Scratch::new();
    scratch.program("claude", 0o755);
    let (list, _) = scratch.list(None, &[]);
    let text = table(&list, scratch.dir.path());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "claude       ~/bin/claude  not installed  user: ~/.claude/settings.json"
    );
    assert_eq!(lines[1].trim_start(), "repo: .claude/settings.json");
    assert_eq!(lines[0].find("user:"), lines[1].find("repo:"));
    assert!(
        text.contains("\ncodex        not found     not installed  user: ~/.codex/hooks.json\n")
    );
}
