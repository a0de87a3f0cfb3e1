//! What install and uninstall cost by the size of the user's file, beside `sha256sum` of the same file in the
//! same run: `cargo bench --bench size`.
//!
//! The binary is `GITVOW_BENCH_BIN`, else the static one where it was built, else cargo's own. CPU is the kernel's sum over waited children (clock ticks,
//! averaged over the runs), peak memory what `/proc` says while the child lives. `GITVOW_BENCH_MB` limits the
//! largest file (default 100).

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench, not the product"
)]

#[path = "beside/mod.rs"]
mod beside;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn main() {
    let root = std::env::temp_dir().join(format!("gitvow-size-{}", std::process::id()));
    let bin = beside::binary();
    let most = std::env::var("GITVOW_BENCH_MB")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100usize);
    println!(
        "{:<12} {:>10} {:>11} {:>24} {:>24} {:>24} {:>6}",
        "file", "bytes", "sha256sum", "install", "install again", "uninstall", "exact"
    );
    for (name, agent, file, size, runs) in [
        (
            "json 2 KB",
            "claude",
            ".claude/settings.json",
            2 << 10,
            20u32,
        ),
        ("json 8 MB", "claude", ".claude/settings.json", 8 << 20, 5),
        (
            "json 100 MB",
            "claude",
            ".claude/settings.json",
            100 << 20,
            1,
        ),
        ("toml 8 MB", "kimi", ".kimi-code/config.toml", 8 << 20, 3),
    ] {
        if size > most << 20 {
            continue;
        }
        let text = if agent == "kimi" {
            toml(size)
        } else {
            json(size)
        };
        let home = root.join(name.replace(' ', "-"));
        let path = home.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
        // The launcher is copied once, whatever the file's size.
        run(&bin, &home, &["install", "--agent", "cursor"]);
        let mut sum = Figure::default();
        let mut figures = [Figure::default(); 3];
        let mut exact = true;
        for _ in 0..runs {
            sum.add(measure(|| {
                run(
                    Path::new("/usr/bin/sha256sum"),
                    &home,
                    &[path.to_str().unwrap()],
                )
            }));
            for (figure, word) in figures.iter_mut().zip(["install", "install", "uninstall"]) {
                figure.add(measure(|| run(&bin, &home, &[word, "--agent", agent])));
            }
            exact &= fs::read(&path).unwrap() == text.as_bytes();
        }
        let base = sum.cpu.as_secs_f64().max(1e-3);
        let mut line = format!(
            "{name:<12} {:>10} {:>8.1} ms",
            text.len(),
            base * 1e3 / f64::from(runs)
        );
        for figure in &figures {
            let cpu = figure.cpu.as_secs_f64();
            let _ = write!(
                line,
                " {:>8.1} ms {:>4} MB {:>4.1}×",
                cpu * 1e3 / f64::from(runs),
                figure.peak >> 10,
                cpu / base,
            );
        }
        println!("{line} {exact:>6}");
    }
    let _ = fs::remove_dir_all(&root);
}

/// CPU time and the peak of resident memory in KiB.
#[derive(Clone, Copy, Default)]
struct Figure {
    cpu: Duration,
    peak: u64,
}

impl Figure {
    fn add(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.peak = self.peak.max(other.peak);
    }
}

fn measure(run: impl Fn() -> u64) -> Figure {
    let peak = std::cell::Cell::new(0);
    let cpu = beside::cpu(1, || peak.set(run()));
    Figure {
        cpu,
        peak: peak.get(),
    }
}

/// Runs one child to its end; its peak of resident memory in KiB.
fn run(program: &Path, home: &Path, args: &[&str]) -> u64 {
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        peak = peak.max(beside::peak(&text).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(
                status.success(),
                "{} {args:?} ended with {status}",
                program.display()
            );
            return peak;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// A settings file as long-lived installations have them: a few keys, many projects, hooks of one's own at the end.
fn json(size: usize) -> String {
    let mut text = String::from("{\n  \"model\": \"opus\",\n  \"projects\": {");
    let mut n = 0;
    while text.len() < size {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n    \"/home/u/project-{n}\": {{\n      \"allowedTools\": [\"Bash(ls:*)\", \"Edit\"],\n      \"history\": [\n        {{ \"display\": \"say \\\"hello\\\" to {n}\", \"pasted\": {{}} }}\n      ],\n      \"trusted\": true,\n      \"cost\": 1.25e-3\n    }}"
        );
        n += 1;
    }
    text.push_str("\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }] }\n    ]\n  }\n}\n");
    text
}

fn toml(size: usize) -> String {
    let mut text = String::from("default_model = \"k2\"\n");
    let mut n = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "\n[projects.p{n}]\ntrusted = true # yes\ntools = [ \"ls\", \"edit\" ]\nnote = \"say \\\"hello\\\"\"\n"
        );
        n += 1;
    }
    text
}
