//! What `gitvow doctor` costs over eleven healthy agents, beside `/bin/true` in the same run:
//! `cargo bench --bench doctor`.
//!
//! The binary is `GITVOW_BENCH_BIN`, else the static release build where there is one (spec 8.2b), else cargo's
//! own. The home is empty but for the agents' folders, an install of every agent and Codex's approval of its
//! hooks. Runs are interleaved, so that a busy machine is busy for all; medians and minima of wall time, then CPU
//! and memory.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench, not the product"
)]

#[path = "beside/mod.rs"]
mod beside;

use beside::Row;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 200;

/// What an agent's presence looks like, in the order of the documents.
const FOLDERS: [&str; 11] = [
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".copilot",
    ".factory",
    ".gemini/antigravity-cli",
    ".grok",
    ".kimi-code",
    ".config/opencode",
    ".qwen",
];

struct Subject<'a> {
    name: &'static str,
    program: &'a Path,
    args: &'static [&'static str],
    home: &'a Path,
    times: Vec<Duration>,
}

fn main() {
    let root = std::env::temp_dir().join(format!("gitvow-doctor-{}", std::process::id()));
    let bin = beside::binary();
    for folder in FOLDERS {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let subject = |name, program, args| Subject {
        name,
        program,
        args,
        home: &root,
        times: Vec::new(),
    };
    let installed = subject("install", &bin, &["install", "--all"]).start(Stdio::null());
    assert!(installed.wait_with_output().unwrap().status.success());
    approve(&root);
    let mut subjects = [
        subject("true", Path::new("/bin/true"), &[]),
        subject("version", &bin, &["--version"]),
        subject("doctor", &bin, &["doctor"]),
        subject("doctor json", &bin, &["doctor", "--json"]),
    ];
    for s in &subjects {
        // Once unmeasured: page cache. And every agent has to be healthy, or something else is measured.
        let ended = s.start(Stdio::null()).wait_with_output().unwrap();
        assert!(
            ended.status.success(),
            "{} ended with {}",
            s.name,
            ended.status
        );
    }
    for _ in 0..RUNS {
        for s in &mut subjects {
            let begun = Instant::now();
            s.start(Stdio::null()).wait().unwrap();
            s.times.push(begun.elapsed());
        }
    }
    let rows = subjects.iter().map(|s| Row {
        name: s.name,
        times: s.times.clone(),
        cpu: beside::cpu(RUNS, || {
            s.start(Stdio::null()).wait().unwrap();
        }),
        peak: s.peak(),
    });
    beside::table(&rows.collect::<Vec<_>>());
    let _ = fs::remove_dir_all(&root);
}

impl Subject<'_> {
    fn start(&self, stdout: Stdio) -> std::process::Child {
        Command::new(self.program)
            .args(self.args)
            .env_clear()
            .env("HOME", self.home)
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The peak of resident memory, read while the process waits at the end to print into a pipe that is full.
    fn peak(&self) -> Option<u64> {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut full = writer.try_clone().unwrap();
        let filler = std::thread::spawn(move || while full.write_all(&[0; 4096]).is_ok() {});
        std::thread::sleep(Duration::from_millis(50));
        writer.flush().unwrap();
        let mut child = self.start(writer.into());
        std::thread::sleep(Duration::from_millis(100));
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let peak = status.ok().and_then(|text| beside::peak(&text));
        drop(reader);
        child.wait().unwrap();
        filler.join().unwrap();
        peak
    }
}

/// What Codex writes when a user approves the hooks of a file, one table a handler.
fn approve(home: &Path) {
    let file = home.join(".codex/hooks.json");
    let hooks: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let mut text = String::new();
    for event in hooks["hooks"].as_object().unwrap().keys() {
        let key = gitvow::plan::health::trust_key(&file, event, 0, 0);
        text.push_str(&format!(
            "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"\n\n"
        ));
    }
    fs::write(home.join(".codex/config.toml"), text).unwrap();
}
