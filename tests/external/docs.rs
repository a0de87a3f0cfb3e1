//! What the two documents tell people to type does what they say.

use crate::support::Scratch;
use gitvow::spec::parse::{Source, parse};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// The text of a document's fenced blocks of that language, indentation of a list item taken off.
fn blocks(doc: &str, language: &str) -> Vec<String> {
    let text = fs_err::read_to_string(root().join("docs").join(doc)).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines().map(str::trim_start) {
        match &mut open {
            Some(_) if line.starts_with("```") => blocks.extend(open.take()),
            Some(block) => *block += &format!("{line}\n"),
            None if line == format!("```{language}") => open = Some(String::new()),
            None => {}
        }
    }
    blocks
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs shell text in the checkout with nothing but a scratch HOME.
fn sh(s: &Scratch, text: &str) -> Output {
    let out = shell(s, text);
    assert!(
        out.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

#[allow(
    clippy::disallowed_methods,
    reason = "a test types what a person would"
)]
fn shell(s: &Scratch, text: &str) -> Output {
    Command::new("/bin/sh")
        .args(["-ec", text])
        .env_clear()
        .env("HOME", s.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .current_dir(root())
        .output()
        .unwrap()
}

#[test]
fn the_five_minutes_and_the_pieces() {
    let s = Scratch::new();
    let sh_blocks = blocks("writing-an-adapter.md", "sh");
    sh(&s, &sh_blocks[0]);
    let adapter = s.path("home/.gitvow/agents/gitvow-agent-myagent");
    assert_eq!(
        adapter.metadata().unwrap().permissions().mode() & 0o777,
        0o755
    );
    let state = s.path("home/.gitvow").metadata().unwrap();
    assert_eq!(state.permissions().mode() & 0o777, 0o700);
    let binary = Path::new(env!("CARGO_BIN_EXE_gitvow")).parent().unwrap();
    let path = format!("PATH={}:$PATH; export PATH\n", binary.display());
    let said = String::from_utf8(sh(&s, &(path + &sh_blocks[1])).stdout).unwrap();
    assert!(said.contains("+++ "), "{said}");
    assert!(!s.path("home/.myagent").exists());
    let documents: Vec<serde_json::Value> = said
        .lines()
        .filter(|l| l.starts_with("{\""))
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(documents.len(), 4, "{said}");
    assert_eq!(documents[0]["install"]["user_file"], ".myagent/hooks.json");
    assert_eq!(documents[3]["verdict"], "deny");
    assert_eq!(documents[0]["name"], "myagent");
    assert_eq!(
        documents[1]["calls"][0]["payload"]["tool_input"]["command"],
        "ls"
    );
    assert!(documents[2]["stdout"].as_str().unwrap().contains("deny"));
    let state = s.path("home/.gitvow");
    let found = s
        .with(|sys| gitvow::external::discover(sys, &state, "myagent"))
        .unwrap();
    s.with(|sys| gitvow::external::info(sys, &state, &found))
        .unwrap();
}

#[test]
fn the_printed_info_is_a_good_one() {
    let json = blocks("writing-an-adapter.md", "json");
    let spec = parse(&json[0], Source::External).unwrap();
    assert_eq!(spec.before_tool, Some(vec!["beforeTool".to_owned()]));
}

#[test]
fn the_git_part_of_the_python_gitvow_comes_out() {
    let s = Scratch::new();
    s.python_home("home", &[".gitconfig", ".gitvow"]);
    sh(&s, "git config --global user.name me");
    let before = sh(&s, "git config --global --get core.hooksPath").stdout;
    assert!(String::from_utf8_lossy(&before).ends_with("/.gitvow/git-hooks\n"));
    sh(&s, &blocks("moving-from-python.md", "sh")[0]);
    let left = fs_err::read_to_string(s.path("home/.gitconfig")).unwrap();
    assert_eq!(left, "[user]\n\tname = me\n");
    assert!(!s.path("home/.gitvow/git-hooks").exists());
    assert!(s.path("home/.gitvow/policy.json").exists());
}
