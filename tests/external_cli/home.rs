//! A scratch home in which the real binary runs.

use crate::program::program;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Home {
    dir: tempfile::TempDir,
    /// More of the environment.
    pub vars: BTreeMap<String, String>,
}

/// What a process did.
#[derive(Debug)]
pub struct Did {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for sub in ["home/.gitvow/agents", "work"] {
            fs_err::create_dir_all(dir.path().join(sub)).unwrap();
        }
        Self {
            dir,
            vars: BTreeMap::new(),
        }
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().join("home").join(rel)
    }

    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// An adapter in `~/.gitvow/agents`.
    pub fn adapter(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(&format!(".gitvow/agents/gitvow-agent-{name}"));
        program(&path, text);
        path
    }

    /// One of `examples/agents`, under another agent's name if asked.
    pub fn example(&self, file: &str, name: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("examples/agents")
            .join(file);
        let own = file.trim_start_matches("gitvow-agent-");
        let text = fs_err::read_to_string(from).unwrap();
        let text = if own == name {
            text
        } else {
            text.replace("\"name\": \"example\"", &format!("\"name\": \"{name}\""))
                .replace("--agent example ", &format!("--agent {name} "))
                .replace(".example-agent/", &format!(".{name}/"))
        };
        self.adapter(name, &text)
    }

    /// An adapter that only knows `info`, with this `install` block.
    pub fn info_only(&self, name: &str, install: &serde_json::Value) -> PathBuf {
        let info = serde_json::json!({"protocol": 1, "name": name, "events": ["beforeTool"], "install": install});
        self.adapter(name, &format!("#!/bin/sh\ncat <<'EOT'\n{info}\nEOT\n"))
    }

    pub fn write(&self, rel: &str, text: &str) {
        let path = self.path(rel);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    pub fn read(&self, rel: &str) -> String {
        fs_err::read_to_string(self.path(rel)).unwrap()
    }

    pub fn gitvow(&self, args: &[&str]) -> Did {
        self.run(Path::new(env!("CARGO_BIN_EXE_gitvow")), args, "", true)
    }

    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> Did {
        let did = self.gitvow(args);
        assert_eq!(did.code, 0, "{args:?}: {did:?}");
        did
    }

    /// Runs a command line that stands in an agent's file, as an agent started from a desktop would: no PATH.
    pub fn agent_runs(&self, command: &str, payload: &str) -> Did {
        self.run(Path::new("/bin/sh"), &["-c", command], payload, false)
    }

    #[allow(clippy::disallowed_methods, reason = "a test drives the real binary")]
    fn run(&self, program: &Path, args: &[&str], stdin: &str, path: bool) -> Did {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path(""))
            .envs(&self.vars)
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if path {
            command.env("PATH", "/usr/bin:/bin");
        }
        let mut child = command.spawn().unwrap();
        // A program that doesn't read its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let out = child.wait_with_output().unwrap();
        Did {
            code: out.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&out.stdout).into_owned(),
            err: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    /// Every file below the home but gitvow's own folder: name → bytes.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(&self.path(""), &mut files);
        files.retain(|p, _| !p.starts_with(self.path(".gitvow")));
        files
    }

    /// Every file below the working directory but git's own.
    pub fn work_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(&self.work(), &mut files);
        files.retain(|p, _| !p.starts_with(self.work().join(".git")));
        files
    }
}

fn walk(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // An empty directory that stays would be a trace too.
            files.insert(path.clone(), Vec::new());
            walk(&path, files);
        } else {
            files.insert(path.clone(), fs_err::read(&path).unwrap());
        }
    }
}
