//! Codes about the command that the entries run.

use super::home::{Home, IN_REPO, MERGES, TREES, changed, only};
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

/// Breaks the launcher and looks at every agent that runs it.
fn provoke(code: &str, state: &str, change: &dyn Fn(&std::path::Path)) {
    for (home, agents) in [
        (
            Home::installed(),
            MERGES
                .into_iter()
                .chain(TREES)
                .map(|(agent, _)| ("user", agent))
                .collect::<Vec<_>>(),
        ),
        (
            Home::in_repo(),
            IN_REPO
                .into_iter()
                .map(|(scope, agent, _)| (scope, agent))
                .chain([("repo", "opencode")])
                // The launcher of repository scope is looked at where the team's file has it: in HOME.
                .collect(),
        ),
    ] {
        let before: Vec<_> = agents
            .iter()
            .map(|(scope, agent)| home.agent(agent, scope))
            .collect();
        change(&home.file(".gitvow/bin/gitvow"));
        for ((scope, agent), before) in agents.iter().zip(&before) {
            let found = only(code, state, before, &home.agent(agent, scope));
            assert_eq!(found.len(), 1, "{agent} {scope}");
            assert!(found[0]["help"].is_string());
        }
    }
}

#[test]
fn it_is_gone() {
    provoke("command-not-found", "broken", &|path| {
        std::fs::remove_file(path).unwrap();
    });
}

#[test]
fn it_cannot_be_run() {
    provoke("command-not-executable", "broken", &|path| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o644)).unwrap();
    });
}

#[test]
fn it_is_a_link_to_nothing() {
    provoke("launcher-dangling", "broken", &|path| {
        std::fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink("/nowhere/gitvow", path).unwrap();
    });
}

#[test]
fn it_is_another_build() {
    provoke("launcher-other-build", "ok", &|path| {
        std::fs::OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"x")
            .unwrap();
    });
}

/// Found 2026-11-30: emptied, cut off or replaced by another program it was "another build", and all was ok; a shell runs an
/// empty file without a word, and the gate lets everything through.
#[test]
fn it_is_no_gitvow_at_all() {
    type Damage = fn(&std::path::Path);
    let damages: [Damage; 4] = [
        |path| std::fs::write(path, "").unwrap(),
        |path| std::fs::write(path, "#!/bin/sh\nexit 0\n").unwrap(),
        |path| {
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(path, &bytes[..bytes.len() / 16]).unwrap();
        },
        |path| {
            std::fs::copy("/bin/true", path).unwrap();
        },
    ];
    for damage in damages {
        provoke("command-not-executable", "broken", &damage);
    }
    let home = Home::installed();
    let path = home.file(".gitvow/bin/gitvow");
    // What it says to do mends it.
    std::fs::write(&path, "").unwrap();
    home.gitvow(&["install", "--agent", "claude"]);
    assert_eq!(home.agent("claude", "user")["state"], "ok");
}

#[test]
fn a_touched_launcher_is_the_same_build() {
    let home = Home::installed();
    let before = home.agent("claude", "user");
    let path = home.file(".gitvow/bin/gitvow");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(before, home.agent("claude", "user"));
}

#[test]
fn it_is_another_gitvow_s() {
    let mut home = Home::installed();
    let moved = home.dir.path().join("state");
    let mut before = Vec::new();
    for (agent, _) in MERGES.into_iter().chain(TREES) {
        before.push((agent, home.agent(agent, "user")));
    }
    // The state was copied elsewhere; the entries still name the launcher at its old place.
    let copied = std::process::Command::new("cp")
        .arg("-Rp")
        .args([home.file(".gitvow"), moved.clone()])
        .status();
    assert!(copied.unwrap().success());
    home.state = Some(moved);
    for (agent, before) in &before {
        only(
            "command-stale",
            "drifted",
            before,
            &home.agent(agent, "user"),
        );
    }
}

#[test]
fn a_command_that_was_edited_is_told_with_what_it_runs_now() {
    let home = Home::installed();
    let file = home.file(".claude/settings.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let launcher = home.file(".gitvow/bin/gitvow");
    let launcher = launcher.to_str().unwrap();
    // Another path, a quote that never ends, another event.
    for (now, codes) in [
        (
            text.replacen(launcher, "/nowhere/gitvow", 1),
            "command-not-found",
        ),
        (
            text.replacen(launcher, &format!("'{launcher}"), 1),
            "entry-edited",
        ),
        (
            text.replacen("claude PreToolUse", "claude PostToolUse", 1),
            "entry-edited",
        ),
    ] {
        std::fs::write(&file, now).unwrap();
        let now = home.agent("claude", "user");
        let found: Vec<_> = super::home::codes(&now)
            .into_iter()
            .filter(|c| c != "double-load")
            .collect();
        assert_eq!(found, [codes]);
        let line = |f: &Value| f["line"].as_u64();
        let lines: Vec<_> = now["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(line)
            .collect();
        assert!(
            !lines.is_empty() && lines.iter().all(|l| *l > 1),
            "{lines:?}"
        );
    }
}

/// Ways in which a hand breaks one line of a command: a quote too many, a wrapper, another word, another path.
const BREAKS: [(&str, &str); 5] = [
    ("gitvow hook", "gitvow' hook"),
    ("gitvow hook", "gitvow hook;"),
    ("gitvow hook", "gitvow hok"),
    ("/bin/gitvow hook", "/b in/gitvow hook"),
    (".gitvow/bin/gitvow hook", ".gitvow/bin/gitvo hook"),
];

#[test]
fn a_command_that_was_broken_by_hand_is_told_at_its_line_and_mended() {
    for (agent, file) in MERGES {
        let home = Home::installed();
        let file = home.file(file);
        let text = std::fs::read_to_string(&file).unwrap();
        let before = home.agent(agent, "user");
        for (from, to) in BREAKS {
            let broken = text.replacen(from, to, 1);
            std::fs::write(&file, &broken).unwrap();
            let now = home.agent(agent, "user");
            let found = only("entry-edited", "drifted", &before, &now);
            assert_eq!(found.len(), 1, "{now:#}");
            let line = broken.lines().take_while(|l| !l.contains(to)).count() + 1;
            assert_eq!(found[0]["line"], line, "{agent} {to}: {found:?}");
            assert!(found[0]["event"].is_string());
            // An uninstall leaves no broken command behind without a word.
            let removed = home.gitvow(&["uninstall", "--agent", agent, "--json", "--dry-run"]);
            let removed: Value = serde_json::from_slice(&removed.stdout).unwrap();
            let kept = removed["agents"][0]["kept"].as_array().unwrap();
            assert_eq!(kept.len(), 1, "{removed:#}");
            // The help helps: in its place, and nothing else moves.
            let help = found[0]["help"].as_str().unwrap();
            let args: Vec<&str> = help.split(' ').skip(1).collect();
            assert!(home.gitvow(&args).status.success(), "{help}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
    }
}

/// Whose it is then can't be told, so it is nobody's to mend but a person's.
#[test]
fn a_command_that_was_made_to_call_another_agent() {
    for (agent, file) in MERGES {
        let home = Home::installed();
        let file = home.file(file);
        let text = std::fs::read_to_string(&file).unwrap();
        let before = home.agent(agent, "user");
        let called = text.replacen("hook --agent ", "hook --agent x", 1);
        std::fs::write(&file, called).unwrap();
        let found = only(
            "entry-edited",
            "drifted",
            &before,
            &home.agent(agent, "user"),
        );
        assert!(found.len() == 1 && found[0]["line"].is_u64(), "{found:?}");
        assert!(
            found[0]["help"]
                .as_str()
                .unwrap()
                .contains(file.to_str().unwrap())
        );
    }
}

#[test]
fn a_file_of_ours_is_told_at_the_line_that_was_changed() {
    let places = TREES.map(|(agent, file)| (agent, "user", file));
    let in_repo = [
        ("copilot", "repo", ".github/hooks/gitvow.json"),
        ("grok", "repo", ".grok/hooks/gitvow.json"),
        ("opencode", "repo", ".opencode/plugins/gitvow.js"),
    ];
    let (user, repo) = (Home::installed(), Home::in_repo());
    for (agent, scope, name) in places.into_iter().chain(in_repo) {
        let (home, file) = if scope == "user" {
            (&user, user.file(name))
        } else {
            (&repo, repo.repo(name))
        };
        let before = home.agent(agent, scope);
        let text = std::fs::read_to_string(&file).unwrap();
        let breaks: &[(&str, &str)] = if agent == "opencode" {
            &[
                ("const GITVOW = \"", "const GITVOW = "),
                ("\"tool.execute.before\"", "\"tool.execute.befor\""),
            ]
        } else {
            &BREAKS
        };
        for (from, to) in breaks {
            let broken = text.replacen(from, to, 1);
            if broken == text {
                continue;
            }
            let line =
                |a: &str, b: &str| a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count() + 1;
            changed(
                &file,
                |path| std::fs::write(path, &broken).unwrap(),
                || {
                    let now = home.agent(agent, scope);
                    let found = only("tree-file-edited", "drifted", &before, &now);
                    assert_eq!(found[0]["line"], line(&text, &broken), "{agent}: {now:#}");
                },
            );
        }
        // What the program is called is told at its line, too.
        let launcher = home.file(".gitvow/bin/gitvow");
        changed(
            &launcher,
            |path| std::fs::remove_file(path).unwrap(),
            || {
                let found = only(
                    "command-not-found",
                    "broken",
                    &before,
                    &home.agent(agent, scope),
                );
                let line = text
                    .lines()
                    .take_while(|l| !l.contains("bin/gitvow"))
                    .count()
                    + 1;
                assert_eq!(found[0]["line"], line, "{found:?}");
            },
        );
    }
}
