//! The command line as a program: help, usage, exit codes, streams, what `generate` prints and `docs/cli.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

mod common {
    pub mod schema;
}

use clap::CommandFactory;
use common::schema;
use gitvow::cli::args::Cli;
use std::io::Write;
use std::process::{Command, Output, Stdio};

const COMMANDS: &[&str] = &[
    "install",
    "uninstall",
    "doctor",
    "selftest",
    "hook",
    "agents",
    "check",
    "generate",
];

/// gitvow in a home of its own, with nothing of the caller's environment.
fn gitvow(home: &tempfile::TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gitvow"));
    command
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home.path())
        .stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let output = gitvow(&home, args).output().unwrap();
    let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().collect();
    assert!(left.is_empty(), "{args:?} left {left:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_and_version_go_to_stdout_and_end_well() {
    for command in COMMANDS {
        for args in [[*command, "--help"], [*command, "-h"], ["help", *command]] {
            let output = run(&args);
            assert_eq!(output.status.code(), Some(0), "{args:?}");
            assert!(
                text(&output.stdout).contains(&format!("Usage: gitvow {command}")),
                "{args:?}"
            );
            assert_eq!(text(&output.stderr), "", "{args:?}");
        }
        let long = text(&run(&[command, "--help"]).stdout);
        assert!(long.contains("Example"), "{command} has no examples");
    }
    assert_eq!(text(&run(&["--version"]).stdout), "gitvow 0.1.0\n");
}

/// The runtime answers before the parser exists, so that no usage error becomes a "block" (or, for a gate,
/// becomes anything but one): a missing event is harmless, an unreadable call before a tool is denied.
#[test]
fn hook_is_no_matter_of_the_parser() {
    let home = tempfile::tempdir().unwrap();
    let hook = |args: &[&str]| gitvow(&home, args).output().unwrap();
    let harmless = hook(&[
        "hook",
        "--agent",
        "claude",
        "SessionStart",
        "--no-such-option",
    ]);
    assert_eq!(harmless.status.code(), Some(0));
    let denied = hook(&["hook", "--agent", "claude", "PreToolUse"]);
    assert!(text(&denied.stdout).contains("BLOCKED"));
    let spelt = hook(&[
        "--color",
        "never",
        "hook",
        "--agent",
        "claude",
        "PreToolUse",
    ]);
    assert_eq!((spelt.status, spelt.stdout), (denied.status, denied.stdout));
}

#[test]
fn wrong_usage_is_two_and_says_so_on_stderr() {
    for args in [
        &["nonsense"][..],
        &["install", "--repo", "/r"],
        &["install", "--no-diff"],
        &["install", "--keep", "/a"],
        &["uninstall", "--everywhere", "--all"],
        &["doctor", "--fix"],
        &[],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert!(text(&output.stderr).contains("Usage:"), "{args:?}");
    }
}

#[test]
fn a_misspelt_command_or_option_gets_the_nearest() {
    assert!(text(&run(&["instal"]).stderr).contains("'install'"));
    assert!(text(&run(&["install", "--dryrun"]).stderr).contains("--dry-run"));
}

#[test]
fn colour_comes_only_when_told() {
    let plain = run(&["install", "--agent", "no-such-agent"]);
    assert!(!text(&plain.stderr).contains('\u{1b}'));
    let painted = run(&["install", "--agent", "no-such-agent", "--color", "always"]);
    assert!(text(&painted.stderr).contains("\u{1b}[1;31merror:\u{1b}[0m"));
    // clap's own messages as well, those of rules that clap doesn't know included.
    for args in [&["nonsense"][..], &["install", "--repo", "/r"]] {
        assert!(!text(&run(args).stderr).contains('\u{1b}'), "{args:?}");
        let painted = run(&[args, &["--color=always"]].concat());
        assert!(text(&painted.stderr).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn an_error_before_any_agent_is_one_json_document_all_the_same() {
    for command in ["install", "uninstall", "doctor"] {
        let output = run(&[command, "--agent", "no-such-agent", "--json"]);
        assert_ne!(output.status.code(), Some(0), "{command}");
        let document = schema::valid("failure", &text(&output.stdout));
        assert_eq!(document["command"], command);
    }
}

#[test]
fn a_reader_that_leaves_ends_the_output_quietly() {
    let home = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = gitvow(&home, &["generate", "man"])
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_stdout_is_a_failure_with_a_reason() {
    let home = tempfile::tempdir().unwrap();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = gitvow(&home, &["generate", "man"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("error: cannot write to standard output: "),
        "{said}"
    );
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = text(&run(&["generate", shell]).stdout);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: no `{command}`");
        }
    }
}

#[test]
fn the_bash_completion_is_read_by_bash_and_completes() {
    let script = run(&["generate", "bash"]).stdout;
    let ask = b"\nCOMP_WORDS=(gitvow inst) COMP_CWORD=1; _gitvow gitvow inst gitvow; echo \"${COMPREPLY[@]}\"\n";
    let mut bash = match Command::new("bash")
        .args(["--norc", "--noprofile", "-s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Ok(bash) => bash,
        Err(e) => {
            assert!(std::env::var_os("CI").is_none(), "bash: {e}");
            return;
        }
    };
    let mut stdin = bash.stdin.take().unwrap();
    stdin.write_all(&script).unwrap();
    stdin.write_all(ask).unwrap();
    drop(stdin);
    let output = bash.wait_with_output().unwrap();
    assert_eq!(
        text(&output.stdout),
        "install\n",
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_man_page_has_a_section_for_every_command() {
    let page = text(&run(&["generate", "man"]).stdout);
    assert!(page.contains(".TH gitvow 1"));
    for command in COMMANDS {
        assert!(
            page.contains(&format!(".SH GITVOW {}\n", command.to_uppercase())),
            "{command}"
        );
    }
    assert!(page.contains("  gitvow install \\-\\-dry\\-run"));
}

#[test]
fn schemas_are_printed_as_they_stand_in_docs() {
    let output = text(&run(&["generate", "schema", "output"]).stdout);
    assert_eq!(output, include_str!("../docs/schema/output.json"));
    assert_eq!(output, text(&run(&["generate", "schema"]).stdout));
}

/// `docs/cli.md` is the help texts, one after the other; `UPDATE=1` writes it anew.
#[test]
fn the_reference_in_docs_is_what_help_says() {
    let mut page = String::from(
        "# The command line\n\nMade from the program's own help by \
         `UPDATE=1 cargo test --test cli`; edit `src/cli/args.rs` instead.\n",
    );
    let mut root = Cli::command();
    root.build();
    let help = |command: &mut clap::Command| {
        let lines: Vec<String> = command
            .render_long_help()
            .to_string()
            .lines()
            .map(|l| l.trim_end().to_owned())
            .collect();
        lines.join("\n")
    };
    page.push_str(&format!(
        "\n## gitvow\n\n```text\n{}\n```\n",
        help(&mut root.clone())
    ));
    for name in COMMANDS {
        let command = root.find_subcommand_mut(name).unwrap();
        page.push_str(&format!(
            "\n## gitvow {name}\n\n```text\n{}\n```\n",
            help(command)
        ));
    }
    let path = "docs/cli.md";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/cli.md differs from the help texts; run `UPDATE=1 cargo test --test cli` and read the diff"
    );
}
