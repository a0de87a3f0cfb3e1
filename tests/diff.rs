//! Diffs are fed to the real `patch`, which must yield exactly the bytes. Skipped, loudly, where there is no
//! `patch`; not under CI.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "helpers of tests are tests too"
)]

use gitvow::cli::diff::unified;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Pairs of states that tools which rewrite line ends, marks or final newlines get wrong.
const CASES: &[(&str, Option<&str>, Option<&str>)] = &[
    ("plain", Some("a\nb\nc\n"), Some("a\nb\nnew\nc\n")),
    ("crlf", Some("a\r\nb\r\n"), Some("a\r\nnew\r\nb\r\n")),
    (
        "mixed newlines",
        Some("a\r\nb\nc\r\n"),
        Some("a\r\nb\nnew\nc\r\n"),
    ),
    ("lone cr", Some("a\rb\rc"), Some("a\rb\rnew\rc")),
    (
        "lone cr beside lf",
        Some("a\rb\nc\n"),
        Some("a\rb\nnew\rx\nc\n"),
    ),
    ("bom", Some("\u{feff}a\nb\n"), Some("\u{feff}a\nnew\nb\n")),
    ("no final newline", Some("a\nb"), Some("a\nnew\nb")),
    ("final newline comes", Some("a\nb"), Some("a\nb\n")),
    ("final newline goes", Some("a\nb\n"), Some("a\nb")),
    ("last line changes", Some("a\nb"), Some("a\nc")),
    ("one line", Some("{}"), Some("{\"hooks\":{}}")),
    ("empty to content", Some(""), Some("a\n")),
    ("empty to a line without end", Some(""), Some("a")),
    ("content to empty", Some("a\nb"), Some("")),
    ("blank lines", Some("\n\n\n"), Some("\n\n\n\n")),
    (
        "lines that look like a diff",
        Some("--- a\n+++ b\n@@ -1 +1 @@\n"),
        Some("--- a\n+++ b\n-- x\n++ y\n@@ -1 +1 @@\n"),
    ),
    (
        "a line that looks like the mark",
        Some("\\ No newline at end of file\n"),
        Some("\\ No newline at end of file\nx"),
    ),
    (
        "two far edits",
        Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"),
        Some("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13"),
    ),
    ("created", None, Some("a\r\nb")),
    ("removed", Some("a\r\nb"), None),
    (
        "nul and escapes",
        Some("a\u{0}\u{1b}\n"),
        Some("a\u{0}\u{1b}\nx\n"),
    ),
];

#[test]
fn patch_yields_exactly_the_bytes_in_both_directions() {
    let Some(scratch) = scratch() else { return };
    for (name, before, after) in CASES {
        for (from, to) in [(before, after), (after, before)] {
            let file = scratch.path().join("target");
            round(
                &file,
                name,
                from.map(str::as_bytes),
                to.map(str::as_bytes),
                true,
            );
        }
    }
}

#[test]
fn patch_finds_the_file_by_its_name_in_the_header() {
    let Some(scratch) = scratch() else { return };
    for name in [
        "plain",
        "with space",
        "tab\there",
        "new\nline",
        "quo\"te",
        "back\\slash",
        "ünï",
        " lead",
        "trail ",
    ] {
        let file = scratch.path().join(name);
        for (from, to) in [
            (Some("a\n"), Some("a\nb\n")),
            (None, Some("a\nb\n")),
            (Some("a\nb\n"), None),
        ] {
            round(
                &file,
                name,
                from.map(str::as_bytes),
                to.map(str::as_bytes),
                false,
            );
        }
    }
}

/// Runs `patch` on `from` with the diff to `to`; `named`: the file is given as an argument, else `patch`
/// must find it through the header (`-p1` takes the leading slash off, since it refuses absolute names).
fn round(file: &Path, case: &str, from: Option<&[u8]>, to: Option<&[u8]>, named: bool) {
    // `patch` also removes directories that it emptied, and a second file keeps this one.
    std::fs::write(file.with_file_name("stays"), "").unwrap();
    let _ = std::fs::remove_file(file);
    if let Some(bytes) = from {
        std::fs::write(file, bytes).unwrap();
    }
    let header = file.to_str().unwrap();
    let diff = unified(header, header, from, to);
    let mut patch = Command::new("patch");
    patch.args([
        "--binary",
        "--silent",
        "--force",
        "--remove-empty-files",
        "-p1",
    ]);
    if to.is_some_and(<[u8]>::is_empty) {
        patch.arg("--no-backup-if-mismatch");
    }
    if named {
        patch.arg(file);
    }
    let mut child = patch
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), diff.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned()
        + &String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{case}: {said}\n{diff}");
    // `--remove-empty-files` also takes a file that a diff emptied.
    let found = std::fs::read(file).ok();
    assert_eq!(
        found.as_deref().unwrap_or_default(),
        to.unwrap_or_default(),
        "{case}: {said}\n{diff}"
    );
    assert!(to.is_some() || found.is_none(), "{case}: not removed");
}

fn scratch() -> Option<tempfile::TempDir> {
    let there = Command::new("patch")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "`patch` is missing");
        eprintln!("skipped: `patch` is missing");
        return None;
    }
    Some(tempfile::tempdir().unwrap())
}

/// 8 MB in 200,000 lines, five insertions far apart. The bound is generous for a slow machine and a build
/// without optimisation; a quadratic diff would need minutes.
#[test]
fn a_large_file_is_cheap() {
    let line = "    \"key\": \"a value of some forty characters\",\n";
    let lines: Vec<String> = (0..180_000)
        .map(|i| line.replace("key", &i.to_string()))
        .collect();
    let before = lines.concat();
    assert!(before.len() > 8 << 20);
    let mut after = String::new();
    for (i, line) in lines.iter().enumerate() {
        after.push_str(line);
        if i % 40_000 == 100 {
            after.push_str("    \"ours\": {\n        \"x\": 1\n    },\n");
        }
    }
    let start = Instant::now();
    let diff = unified("/f", "/f", Some(before.as_bytes()), Some(after.as_bytes()));
    let took = start.elapsed();
    assert_eq!(
        diff.matches("\n@@ ").count() + usize::from(diff.contains("+++ /f\n@@")),
        5 + 1
    );
    assert_eq!(
        diff.lines()
            .filter(|l| l.starts_with('+') && !l.starts_with("+++"))
            .count(),
        15
    );
    assert!(took.as_secs() < 20, "{took:?}");
    eprintln!("8 MB, five insertions: {took:?}");
}
