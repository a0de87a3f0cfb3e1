//! The Python gitvow 0.42.0, where it can be had.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Its program; `None`: the fixtures must do. Asked once a run, and said on standard error.
#[allow(clippy::disallowed_methods, reason = "a test's own switch")]
pub fn python() -> Option<&'static str> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let off = std::env::var("GITVOW_TEST_PYPI").is_ok_and(|v| v == "0" || v == "no");
            let found = if off {
                Err("GITVOW_TEST_PYPI says so".to_owned())
            } else {
                from_pypi()
            };
            let line = match &found {
                Ok(program) => format!("moving: set up by the Python gitvow itself, {program}\n"),
                Err(why) => format!("moving: set up from fixtures ({why})\n"),
            };
            // Not `eprintln!`, which the harness keeps to itself when all is well.
            let _ = std::io::stderr().write_all(line.as_bytes());
            found.ok()
        })
        .as_deref()
}

/// From an earlier run, or with pip into a virtual environment below `target/`.
fn from_pypi() -> Result<String, String> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-gitvow-0.42.0");
    let program = dir.join("bin/gitvow").display().to_string();
    let is_it = || run(Path::new(&program), &["--version"], 20).is_ok_and(|v| v.contains("0.42.0"));
    if is_it() {
        return Ok(program);
    }
    let _ = fs_err::remove_dir_all(&dir);
    let place = dir.display().to_string();
    run(&which("python3")?, &["-m", "venv", &place], 60)?;
    let quick = ["--no-deps", "--retries", "0", "--timeout", "5"];
    let args = [
        "install",
        "-q",
        "--disable-pip-version-check",
        "gitvow==0.42.0",
    ];
    run(&dir.join("bin/pip"), &[&args[..], &quick].concat(), 60)?;
    if is_it() {
        Ok(program)
    } else {
        Err("the installed program doesn't run".to_owned())
    }
}

fn which(name: &str) -> Result<PathBuf, String> {
    let dirs = ["/usr/local/bin", "/usr/bin", "/bin"];
    let found = dirs.iter().map(|d| Path::new(d).join(name));
    found
        .into_iter()
        .find(|p| p.exists())
        .ok_or_else(|| format!("no {name}"))
}

/// Runs a program to its end, at most for so many seconds.
#[allow(clippy::disallowed_methods, reason = "a test drives a real program")]
fn run(program: &Path, args: &[&str], seconds: u64) -> Result<String, String> {
    let shown = program.display();
    let failed = |why: String| format!("{shown}: {why}");
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let end = Instant::now() + Duration::from_secs(seconds);
    while child
        .try_wait()
        .map_err(|e| failed(e.to_string()))?
        .is_none()
    {
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(format!("not done within {seconds} s")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let out = child
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let last = said.lines().rev().find(|l| !l.trim().is_empty());
        return Err(failed(last.unwrap_or("it failed").to_owned()));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
