//! A sample of our own bug-report cases (fixtures/cases) and all handed ones, through the runner beside this
//! repository. Where that isn't there, as in a clone, nothing is run, and a line says so.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

const SAMPLE: &str = "40";

#[test]
fn a_sample_of_the_bug_report_cases_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runner = root.join("../shared/cases/run");
    if !runner.is_file() {
        eprintln!("skipped: no {}", runner.display());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // Cases that need an ordinary user read their files as one.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(dir.path(), open).unwrap();
    let cases = dir.path().join("cases");
    let made = Command::new("python3")
        .arg("-B")
        .arg(root.join("fixtures/cases/make.py"))
        .arg(&cases)
        .args(["--sample", SAMPLE])
        .status()
        .unwrap();
    assert!(made.success());
    let run = Command::new("python3")
        .arg("-B")
        .arg(&runner)
        .args(["--bin", env!("CARGO_BIN_EXE_gitvow"), "--cases"])
        .arg(&cases)
        .arg(runner.with_file_name("handed"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    let bad: Vec<&str> = said.lines().filter(|l| l.starts_with("fail")).collect();
    assert!(run.status.success(), "{}", bad.join("\n"));
    assert!(said.contains(" passed, 0 failed"), "{said}");
}
