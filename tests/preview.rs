//! Preview is the plan: what `--dry-run` prints, applied by GNU patch, gives exactly the files that the real
//! run writes, in both directions and over files in odd styles.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "helpers of tests are tests too"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Path below HOME → bytes, gitvow's state left out.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn read(home: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|n| n == ".gitvow") {
            continue;
        }
        if path.is_dir() {
            read(home, &path, files);
        } else {
            let below = path.strip_prefix(home).unwrap().to_owned();
            files.insert(below, std::fs::read(&path).unwrap());
        }
    }
}

fn files(home: &Path) -> Files {
    let mut found = Files::new();
    read(home, home, &mut found);
    found
}

/// Makes HOME hold exactly these files.
fn restore(home: &Path, wanted: &Files) {
    for path in files(home).keys() {
        std::fs::remove_file(home.join(path)).unwrap();
    }
    for (path, bytes) in wanted {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

fn gitvow(home: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gitvow"))
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn patch(diff: &str) {
    let mut child = Command::new("patch")
        .args(["--binary", "--silent", "--force", "--fuzz=0", "-p1"])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), diff.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}\n{diff}");
}

/// Previews `args`, applies the preview with `patch`, puts the files back, runs `args` for real, compares.
fn preview_is_what_happens(home: &Path, args: &[&str]) {
    let before = files(home);
    let diff = gitvow(home, &[args, &["--dry-run"]].concat());
    assert!(before == files(home), "{args:?}: the dry run wrote");
    patch(&diff);
    let previewed = files(home);
    assert!(previewed != before, "{args:?}: an empty preview");
    restore(home, &before);
    gitvow(home, args);
    let done = files(home);
    let names = |f: &Files| f.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&previewed), names(&done), "{args:?}");
    for (path, bytes) in &done {
        assert!(
            &previewed[path] == bytes,
            "{args:?}: {} differs",
            path.display()
        );
    }
}

fn have_patch() -> bool {
    let there = Command::new("patch")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    let there = there.is_ok_and(|s| s.success());
    assert!(
        there || std::env::var_os("CI").is_none(),
        "`patch` is missing"
    );
    if !there {
        eprintln!("skipped: `patch` is missing");
    }
    there
}

fn round_trip(home: &Path, start: &Files) {
    restore(home, start);
    preview_is_what_happens(home, &["install", "--all"]);
    preview_is_what_happens(home, &["uninstall", "--all"]);
    assert!(files(home) == *start, "not the bytes from before");
}

#[test]
fn in_an_empty_home() {
    if have_patch() {
        let home = tempfile::tempdir().unwrap();
        round_trip(home.path(), &Files::new());
    }
}

#[test]
fn over_files_in_odd_styles_and_in_a_home_with_an_odd_name() {
    if !have_patch() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("o'brien \"x\" y");
    std::fs::create_dir(&home).unwrap();
    let start: Files = [
        // A byte order mark, CRLF, no final newline.
        (
            ".claude/settings.json",
            "\u{feff}{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\"Stop\": [ ]}\r\n}",
        ),
        (
            ".codex/hooks.json",
            "{\"description\":\"mine\",\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}\n",
        ),
        (
            ".gemini/settings.json",
            "// mine\n{\n  \"a\": 1 // one\n  /* last */\n}\n\n",
        ),
        (".cursor/hooks.json", "{ \"version\": 1, \"hooks\": { } }"),
        (
            ".kimi-code/config.toml",
            "# mine\r\nmodel = \"x\"   # odd\r\n\r\n[other]\r\na.b = 1",
        ),
        (".qwen/settings.json", ""),
    ]
    .into_iter()
    .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()))
    .collect();
    round_trip(&home, &start);
}
