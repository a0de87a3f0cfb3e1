//! Codes about files of gitvow's own.

use super::home::{Home, TREES, changed, codes, edit, only};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn everywhere(each: &mut dyn FnMut(&Home, &str, &str, &Path)) {
    let home = Home::installed();
    for (agent, file) in TREES {
        each(&home, agent, "user", &home.file(file));
    }
    let home = Home::in_repo();
    for (agent, file) in [
        ("copilot", ".github/hooks/gitvow.json"),
        ("grok", ".grok/hooks/gitvow.json"),
        ("opencode", ".opencode/plugins/gitvow.js"),
    ] {
        each(&home, agent, "repo", &home.repo(file));
    }
}

fn provoke(code: &str, state: &str, change: &dyn Fn(&Path)) {
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        assert_eq!(before["state"], "ok", "{before:#}");
        changed(file, change, || {
            let found = only(code, state, &before, &home.agent(agent, scope));
            assert_eq!(found[0]["path"], file.to_str().unwrap());
        });
    });
}

#[test]
fn edited() {
    provoke("tree-file-edited", "drifted", &|path| {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, text.replacen("30", "31", 1)).unwrap();
    });
    let home = Home::installed();
    let before = home.agent("copilot", "user");
    let file = home.file(".copilot/hooks/gitvow.json");
    type Change<'a> = &'a dyn Fn(&mut Value);
    let changes: [(Change<'_>, &str); 2] =
        [(&|v| v["version"] = json!(2), "version"), (&|_| {}, "")];
    for (change, word) in changes {
        changed(
            &file,
            |path| {
                edit(path, change);
                let text = std::fs::read_to_string(path).unwrap();
                std::fs::write(path, format!("{text}\n")).unwrap();
            },
            || {
                let found = only(
                    "tree-file-edited",
                    "drifted",
                    &before,
                    &home.agent("copilot", "user"),
                );
                assert!(
                    found[0]["message"].as_str().unwrap().contains(word),
                    "{found:?}"
                );
            },
        );
    }
}

#[test]
fn gone() {
    provoke("tree-file-missing", "drifted", &|path| {
        std::fs::remove_file(path).unwrap();
    });
}

#[test]
fn replaced() {
    provoke("file-replaced", "drifted", &|path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
}

#[test]
fn other_permissions() {
    for mode in [0o755, 0o700] {
        provoke("mode-changed", "drifted", &|path| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        });
    }
}

#[test]
fn every_bit_counts_but_in_a_repository() {
    let home = Home::installed();
    for (agent, file) in TREES {
        let before = home.agent(agent, "user");
        let file = home.file(file);
        for mode in [0o600, 0o640, 0o666, 0o444, 0o4644] {
            let change = |path: &Path| {
                std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
            };
            changed(&file, change, || {
                let found = only(
                    "mode-changed",
                    "drifted",
                    &before,
                    &home.agent(agent, "user"),
                );
                assert_eq!(
                    found[0]["help"],
                    format!("chmod 0644 {}", file.display()),
                    "{mode:o}"
                );
            });
        }
    }
    // There git keeps the x bit alone, and a checkout's umask is anybody's.
    let home = Home::in_repo();
    for file in [".github/hooks/gitvow.json", ".opencode/plugins/gitvow.js"] {
        std::fs::set_permissions(home.repo(file), PermissionsExt::from_mode(0o600)).unwrap();
    }
    for agent in ["copilot", "opencode"] {
        let now = home.agent(agent, "repo");
        assert_eq!(now["state"], "ok", "{now:#}");
    }
}

#[test]
fn permissions_are_what_the_umask_left_of_them() {
    let home = Home::new();
    let bin = env!("CARGO_BIN_EXE_gitvow");
    let line = format!("umask 077; exec '{bin}' install --all");
    let status = std::process::Command::new("/bin/sh")
        .args(["-c", &line])
        .env_clear()
        .env("HOME", home.home())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    assert!(status.unwrap().success());
    for (agent, file) in TREES {
        let file = home.file(file);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let before = home.agent(agent, "user");
        assert_eq!(before["state"], "ok", "{before:#}");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let found = only(
            "mode-changed",
            "drifted",
            &before,
            &home.agent(agent, "user"),
        );
        assert_eq!(found[0]["help"], format!("chmod 0600 {}", file.display()));
    }
}

/// What install names and refuses without `--adopt`: the Python gitvow's file, and one whose record is lost.
#[test]
fn a_file_of_gitvow_s_that_nobody_recorded() {
    let places = [
        ("user", TREES),
        (
            "repo",
            [
                ("copilot", ".github/hooks/gitvow.json"),
                ("grok", ".grok/hooks/gitvow.json"),
                ("opencode", ".opencode/plugins/gitvow.js"),
            ],
        ),
    ];
    for (scope, trees) in places {
        let home = if scope == "user" {
            Home::installed()
        } else {
            Home::in_repo()
        };
        for (agent, file) in trees {
            let file = if scope == "user" {
                home.file(file)
            } else {
                home.repo(file)
            };
            std::fs::remove_file(home.record(&file)).unwrap();
            let ours = std::fs::read_to_string(&file).unwrap();
            let older = if agent == "opencode" {
                "// gitvow: installed by `gitvow install --agent opencode`\nexport const Gitvow = 1;\n".to_owned()
            } else {
                r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "/opt/venv/bin/gitvow hook --agent copilot preToolUse"}]}}"#.to_owned()
            };
            for text in [&ours, &older] {
                std::fs::write(&file, text).unwrap();
                let now = home.agent(agent, scope);
                assert_eq!(
                    (now["state"].as_str(), codes(&now)),
                    (Some("not-installed"), vec!["unrecorded-entry".to_owned()]),
                    "{agent} {scope}: {now:#}"
                );
                let found = &now["findings"][0];
                assert_eq!(found["path"], file.to_str().unwrap());
                let help = found["help"].as_str().unwrap();
                assert!(help.contains("--adopt"), "{help}");
                // The help helps.
                let args: Vec<&str> = help.split(' ').skip(1).collect();
                assert_eq!(home.gitvow(&args).status.code(), Some(0), "{help}");
                assert_eq!(home.agent(agent, scope)["state"], "ok");
                std::fs::remove_file(home.record(&file)).unwrap();
            }
            // Somebody's own file there is none of gitvow's.
            std::fs::write(&file, "mine").unwrap();
            assert!(codes(&home.agent(agent, scope)).is_empty());
        }
    }
}

#[test]
fn a_stranger_in_a_directory_of_ours() {
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        let stranger = file.with_file_name("mine.json");
        std::fs::write(&stranger, "{}").unwrap();
        let found = only(
            "tree-file-foreign",
            "ok",
            &before,
            &home.agent(agent, scope),
        );
        assert_eq!(found[0]["path"], stranger.to_str().unwrap());
    });
    // In a directory that was there before, it is none of our business.
    let home = Home::new();
    std::fs::create_dir_all(home.file(".grok/hooks")).unwrap();
    std::fs::write(home.file(".grok/hooks/mine.json"), "{}").unwrap();
    home.gitvow(&["install", "--agent", "grok", "--json"]);
    assert!(codes(&home.agent("grok", "user")).is_empty());
}

#[test]
fn git_may_give_the_file_other_newlines_in_a_repository() {
    let home = Home::in_repo();
    for (agent, file) in [
        ("copilot", ".github/hooks/gitvow.json"),
        ("opencode", ".opencode/plugins/gitvow.js"),
    ] {
        let before = home.agent(agent, "repo");
        let file = home.repo(file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        assert_eq!(before, home.agent(agent, "repo"));
    }
}

#[test]
fn another_version_wrote_it() {
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        let text = std::fs::read_to_string(file).unwrap();
        let older = text.replacen("30", "29", 1);
        let as_recorded = |path: &Path| {
            edit(path, |v| {
                v["print"] =
                    serde_json::to_value(gitvow::ledger::Print::of(older.as_bytes())).unwrap();
                if v.get("json").is_some() {
                    v["json"] = json!(older);
                }
            });
        };
        changed(
            file,
            |path| std::fs::write(path, &older).unwrap(),
            || {
                changed(&home.record(file), as_recorded, || {
                    only("entry-outdated", "ok", &before, &home.agent(agent, scope));
                });
            },
        );
    });
}
