//! What `gitvow hook` costs, beside `/bin/true` in the same run: `cargo bench --bench hook`.
//!
//! The binary is `GITVOW_BENCH_BIN`, else the static release build where there is one (spec 8.2b), else
//! cargo's own. The Python gitvow is measured too when `GITVOW_BENCH_PYTHON` names it. Runs are
//! interleaved, so that a busy machine is busy for all; medians and minima of wall time, then CPU and memory.

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
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 300;
const PAYLOAD: &str = r#"{"session_id":"s","transcript_path":"/t","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test --all"},"tool_use_id":"u"}"#;

struct Subject {
    name: &'static str,
    program: PathBuf,
    args: &'static [&'static str],
    home: PathBuf,
    runs: usize,
    times: Vec<Duration>,
}

fn main() {
    let root = std::env::temp_dir().join(format!("gitvow-bench-{}", std::process::id()));
    let bin = beside::binary();
    let three = r#"{"bash_deny":[{"program":"git","verbs":["push"],"flags":["--force","-f"],"reason":"a"},{"pattern":"\\bmkfs\\b","reason":"b"}],"bash_confirm":[{"pattern":"terraform\\s+destroy","reason":"c"}]}"#;
    let many: Vec<String> = (0..2000)
        .map(|n| format!(r#"{{"pattern":"\\bcommand{n}\\s+(?:--danger|-d{n})\\b","reason":"rule number {n}"}}"#))
        .collect();
    let many = format!(r#"{{"bash_deny":[{}]}}"#, many.join(","));
    // As many, and in two of them the words of the call occur.
    let hit = many.replace("command17", "cargo test");
    let hook: &[&str] = &["hook", "--agent", "claude", "PreToolUse"];
    let subject = |name, program: &Path, args, policy: Option<&str>, runs| {
        let home = root.join(name);
        fs::create_dir_all(home.join(".gitvow")).unwrap();
        if let Some(policy) = policy {
            fs::write(home.join(".gitvow/policy.json"), policy).unwrap();
        }
        Subject {
            name,
            program: program.to_path_buf(),
            args,
            home,
            runs,
            times: Vec::new(),
        }
    };
    let mut subjects = vec![
        subject("true", Path::new("/bin/true"), &[], None, RUNS),
        subject("3 rules", &bin, hook, Some(three), RUNS),
        subject("default", &bin, hook, None, RUNS),
        subject("2000 rules", &bin, hook, Some(&many), RUNS),
        subject("2000, a hit", &bin, hook, Some(&hit), RUNS),
    ];
    if let Some(python) = std::env::var_os("GITVOW_BENCH_PYTHON") {
        subjects.push(subject(
            "python",
            Path::new(&python),
            &["hook", "PreToolUse"],
            None,
            15,
        ));
    }
    for s in &subjects {
        // Once unmeasured: page cache, and the note that the policy's patterns have been checked.
        s.start(Stdio::null()).wait().unwrap();
    }
    for round in 0..RUNS {
        for s in &mut subjects {
            if round < s.runs {
                let time = s.run();
                s.times.push(time);
            }
        }
    }
    let rows = subjects.iter().map(|s| Row {
        name: s.name,
        times: s.times.clone(),
        cpu: beside::cpu(s.runs.min(200), || {
            s.run();
        }),
        peak: s.peak(),
    });
    beside::table(&rows.collect::<Vec<_>>());
    let _ = fs::remove_dir_all(&root);
}

impl Subject {
    fn start(&self, stdin: Stdio) -> Child {
        Command::new(&self.program)
            .args(self.args)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// One run as an agent does it: start, write, wait. `/bin/true` gets the payload too and ignores it.
    fn run(&self) -> Duration {
        let begun = Instant::now();
        let mut child = self.start(Stdio::piped());
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(PAYLOAD.as_bytes());
        drop(stdin);
        child.wait().unwrap();
        begun.elapsed()
    }

    /// The peak of resident memory, read while the process waits for what follows its payload.
    fn peak(&self) -> Option<u64> {
        let name = self.program.file_name()?.to_str()?.to_owned();
        let mut child = self.start(Stdio::piped());
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(PAYLOAD.as_bytes());
        let status = format!("/proc/{}/status", child.id());
        let (mut peak, begun) = (None, Instant::now());
        // The Python gitvow waits for the end of its input.
        while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_millis(500) {
            let text = fs::read_to_string(&status).unwrap_or_default();
            // Before `exec` the process is still a copy of this one.
            if text.lines().next().is_some_and(|l| l.ends_with(&name)) {
                peak = beside::peak(&text).or(peak);
            }
        }
        drop(stdin);
        child.wait().unwrap();
        peak
    }
}
