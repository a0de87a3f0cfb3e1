//! A scratch home with the real program, and what the tests do to the files in it.

use crate::program::program;
use crate::schema;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Agents whose user's file takes entries, and that file.
pub const MERGES: [(&str, &str); 8] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("factory", ".factory/settings.json"),
    ("antigravity", ".gemini/config/hooks.json"),
    ("qwen", ".qwen/settings.json"),
    ("kimi", ".kimi-code/config.toml"),
];

/// Agents with a file of gitvow's own.
pub const TREES: [(&str, &str); 3] = [
    ("copilot", ".copilot/hooks/gitvow.json"),
    ("grok", ".grok/hooks/gitvow.json"),
    ("opencode", ".config/opencode/plugins/gitvow.js"),
];

/// Scope, agents and files in a repository.
pub const IN_REPO: [(&str, &str, &str); 11] = [
    ("repo", "claude", ".claude/settings.json"),
    ("repo", "codex", ".codex/hooks.json"),
    ("repo", "gemini", ".gemini/settings.json"),
    ("repo", "cursor", ".cursor/hooks.json"),
    ("repo", "factory", ".factory/settings.json"),
    ("repo", "antigravity", ".agents/hooks.json"),
    ("repo", "qwen", ".qwen/settings.json"),
    ("local", "claude", ".claude/settings.local.json"),
    ("local", "factory", ".factory/settings.local.json"),
    ("repo", "copilot", ".github/hooks/gitvow.json"),
    ("repo", "grok", ".grok/hooks/gitvow.json"),
];

/// Programs that the agents are looked for by.
const CLIENTS: [&str; 11] = [
    "claude",
    "codex",
    "gemini",
    "cursor-agent",
    "copilot",
    "droid",
    "agy",
    "grok",
    "kimi",
    "opencode",
    "qwen",
];

/// A home of its own.
pub struct Home {
    /// Goes with it.
    pub dir: tempfile::TempDir,
    /// For GITVOW_HOME, where a test moves the state.
    pub state: Option<PathBuf>,
}

impl Home {
    /// An empty home beside an empty repository, with every client on PATH (they are never run by a plain doctor).
    pub fn new() -> Self {
        let home = Self {
            dir: tempfile::tempdir().unwrap(),
            state: None,
        };
        for dir in ["home", "bin", "repo/.git"] {
            std::fs::create_dir_all(home.dir.path().join(dir)).unwrap();
        }
        for client in CLIENTS {
            home.client(client, "#!/bin/sh\necho ran >> \"$HOME/../ran\"\n");
        }
        home
    }

    /// Everything installed for the user.
    pub fn installed() -> Self {
        let home = Self::new();
        home.gitvow(&["install", "--all", "--json"]);
        home.approve("home/.codex/hooks.json");
        home
    }

    /// Everything that a repository can hold.
    pub fn in_repo() -> Self {
        let home = Self::new();
        home.gitvow(&["install", "--all", "--scope", "repo", "--json"]);
        home.gitvow(&[
            "install", "--agent", "claude", "--agent", "factory", "--scope", "local", "--json",
        ]);
        home.approve("repo/.codex/hooks.json");
        home
    }

    /// Puts a program on PATH.
    pub fn client(&self, name: &str, text: &str) {
        let path = self.dir.path().join("bin").join(name);
        program(&path, text);
    }

    /// What Codex writes when the hooks of a file are approved.
    pub fn approve(&self, file: &str) {
        let file = self.dir.path().join(file);
        let value: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let mut text = String::new();
        for (event, list) in value["hooks"].as_object().unwrap() {
            for group in 0..list.as_array().unwrap().len() {
                let key = gitvow::plan::health::trust_key(&file, event, group, 0);
                text.push_str(&format!(
                    "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"\n"
                ));
            }
        }
        let top = self.dir.path().join("repo");
        text.push_str(&format!(
            "[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
            top.display()
        ));
        let config = self.home().join(".codex/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(config, text).unwrap();
    }

    /// The home.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    /// A file of the repository.
    pub fn repo(&self, name: &str) -> PathBuf {
        self.dir.path().join("repo").join(name)
    }

    /// Runs gitvow in the repository.
    pub fn gitvow(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gitvow"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", self.dir.path().join("bin"))
            .current_dir(self.dir.path().join("repo"))
            .stdin(Stdio::null());
        if let Some(state) = &self.state {
            command.env("GITVOW_HOME", state);
        }
        command.output().unwrap()
    }

    /// What doctor says, checked against the schema and against its promises: it changes nothing, its exit code
    /// is `ok`'s, every error has a help.
    pub fn doctor(&self, args: &[&str]) -> Value {
        let before = self.snapshot();
        let args = [&["doctor", "--json"], args].concat();
        let output = self.gitvow(&args);
        let after = self.snapshot();
        let changed: Vec<_> = after
            .iter()
            .filter(|(p, s)| before.get(*p) != Some(s))
            .collect();
        assert!(
            changed.is_empty() && before.len() == after.len(),
            "doctor changed {changed:?}"
        );
        let text = String::from_utf8(output.stdout).unwrap();
        let document = schema::valid("doctor", &text);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(i32::from(document["ok"] != true)),
            "{text}{said}"
        );
        for finding in findings(&document) {
            if finding["severity"] == "error" {
                assert!(finding["help"].is_string(), "{finding}");
            }
        }
        document
    }

    /// One agent's part.
    pub fn agent(&self, agent: &str, scope: &str) -> Value {
        self.agent_with(agent, scope, &[])
    }

    /// One agent's part, with more arguments.
    pub fn agent_with(&self, agent: &str, scope: &str, more: &[&str]) -> Value {
        let args = [&["--agent", agent, "--scope", scope], more].concat();
        self.doctor(&args)["agents"][0].clone()
    }

    fn snapshot(&self) -> BTreeMap<PathBuf, (u32, u64, i64)> {
        let mut out = BTreeMap::new();
        let mut open = vec![self.home(), self.repo("")];
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                // With a journal there, a reader waits for the lock, and the holder's pid is noted in it.
                if path.ends_with(".gitvow/lock") {
                    continue;
                }
                let meta = std::fs::symlink_metadata(&path).unwrap();
                if meta.is_dir() {
                    open.push(path.clone());
                }
                out.insert(
                    path,
                    (
                        meta.mode(),
                        meta.len(),
                        meta.mtime_nsec() + meta.mtime() * 1_000_000_000,
                    ),
                );
            }
        }
        out
    }

    /// The record of a file.
    pub fn record(&self, file: &Path) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        let name = gitvow::ledger::Print::of(file.as_os_str().as_bytes()).sha256;
        self.home()
            .join(".gitvow/records")
            .join(format!("{name}.json"))
    }
}

fn findings(document: &Value) -> Vec<&Value> {
    let agents = document["agents"].as_array().unwrap();
    let own = agents
        .iter()
        .flat_map(|a| a["findings"].as_array().unwrap());
    own.chain(document["findings"].as_array().unwrap())
        .collect()
}

/// The codes of one agent's findings.
pub fn codes(agent: &Value) -> Vec<String> {
    let list = agent["findings"].as_array().unwrap();
    let mut out: Vec<String> = list
        .iter()
        .map(|f| f["code"].as_str().unwrap().to_owned())
        .collect();
    out.sort();
    out.dedup();
    out
}

/// This code is all the news there is, with that state; the findings with it.
pub fn only(code: &str, state: &str, before: &Value, now: &Value) -> Vec<Value> {
    let old = codes(before);
    let news: Vec<String> = codes(now)
        .into_iter()
        .filter(|c| !old.contains(c))
        .collect();
    assert_eq!(news, [code], "{now:#}");
    assert_eq!(now["state"], state, "{now:#}");
    let known = gitvow::plan::health::codes::by_name(code).unwrap();
    let list = now["findings"].as_array().unwrap();
    let found: Vec<Value> = list.iter().filter(|f| f["code"] == code).cloned().collect();
    for finding in &found {
        assert_eq!(
            finding["severity"],
            format!("{:?}", known.severity).to_lowercase()
        );
        assert!(!finding["message"].as_str().unwrap().contains('\n'));
    }
    found
}

/// Changes a JSON file by its value; it is printed anew.
pub fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    change(&mut value);
    std::fs::write(path, format!("{value:#}\n")).unwrap();
}

/// The object that holds our lists.
pub fn lists(value: &mut Value) -> &mut serde_json::Map<String, Value> {
    let root = ["hooks", "gitvow"]
        .into_iter()
        .find(|k| value.get(*k).is_some())
        .unwrap();
    value[root].as_object_mut().unwrap()
}

/// Runs with a file as it will be after `change`, and puts it back.
pub fn changed(path: &Path, change: impl FnOnce(&Path), then: impl FnOnce()) {
    let before = std::fs::read(path).unwrap();
    let mode = std::fs::metadata(path).unwrap().permissions();
    change(path);
    then();
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path).unwrap(),
        Ok(_) => std::fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
    std::fs::write(path, before).unwrap();
    std::fs::set_permissions(path, mode).unwrap();
}
