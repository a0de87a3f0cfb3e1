//! Codes for entries that are there and that the agent would not run.

use super::home::{Home, IN_REPO, changed, edit, lists, only};
use serde_json::json;
use std::path::Path;

fn put(path: &Path, change: impl Fn(&str) -> String) {
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, change(&text)).unwrap();
}

#[test]
fn what_a_vendor_s_reader_does_not_take() {
    let home = Home::installed();
    let bom = |text: &str| format!("\u{feff}{text}");
    let comment = |text: &str| text.replacen('{', "{ // mine", 1);
    let comma = |text: &str| {
        let at = text.rfind('}').unwrap();
        format!("{},}}\n", text[..at].trim_end())
    };
    let key = |text: &str| text.replacen('{', "{\"$schema\": \"x\",", 1);
    let no_version = |text: &str| text.replacen("\"version\"", "\"veersion\"", 1);
    type Change<'a> = &'a dyn Fn(&str) -> String;
    let cases: &[(&str, &str, &[Change<'_>])] = &[
        ("claude", ".claude/settings.json", &[&comment, &comma]),
        (
            "codex",
            ".codex/hooks.json",
            &[&bom, &comment, &comma, &key],
        ),
        ("gemini", ".gemini/settings.json", &[&bom, &comma]),
        (
            "cursor",
            ".cursor/hooks.json",
            &[&bom, &comment, &comma, &no_version],
        ),
        ("factory", ".factory/settings.json", &[&bom, &comma]),
        (
            "antigravity",
            ".gemini/config/hooks.json",
            &[&bom, &comment, &comma],
        ),
        ("qwen", ".qwen/settings.json", &[&comma]),
    ];
    for (agent, file, changes) in cases {
        let before = home.agent(agent, "user");
        assert_eq!(before["state"], "ok", "{before:#}");
        for change in *changes {
            changed(
                &home.file(file),
                |path| put(path, change),
                || {
                    let found = only(
                        "vendor-cannot-read",
                        "broken",
                        &before,
                        &home.agent(agent, "user"),
                    );
                    assert!(
                        found[0]["line"].is_u64() && found[0]["column"].is_u64(),
                        "{found:?}"
                    );
                    let help = found[0]["help"].as_str().unwrap();
                    assert!(!help.contains("--force"), "{help}");
                },
            );
        }
    }
    // In a repository too.
    let home = Home::in_repo();
    for (scope, agent, file) in IN_REPO
        .into_iter()
        .filter(|e| !e.2.ends_with("gitvow.json"))
    {
        let before = home.agent(agent, scope);
        changed(
            &home.repo(file),
            |path| put(path, comma),
            || {
                only(
                    "vendor-cannot-read",
                    "broken",
                    &before,
                    &home.agent(agent, scope),
                );
            },
        );
    }
}

#[test]
fn a_key_that_voids_every_hook_of_kimi() {
    let home = Home::installed();
    let before = home.agent("kimi", "user");
    let file = home.file(".kimi-code/config.toml");
    let foreign = "\n[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\ncolour = \"red\"\n";
    changed(
        &file,
        |path| put(path, |t| format!("{t}{foreign}")),
        || {
            let found = only(
                "vendor-cannot-read",
                "broken",
                &before,
                &home.agent("kimi", "user"),
            );
            assert!(
                found[0]["message"].as_str().unwrap().contains("colour"),
                "{found:?}"
            );
            assert!(found[0]["line"].as_u64().unwrap() > 10);
        },
    );
}

#[test]
fn a_vendor_s_own_switch() {
    let home = Home::installed();
    let cases: &[(&str, &str, &[&str], bool)] = &[
        (
            "claude",
            ".claude/settings.json",
            &["disableAllHooks"],
            true,
        ),
        (
            "gemini",
            ".gemini/settings.json",
            &["hooksConfig", "enabled"],
            false,
        ),
        (
            "factory",
            ".factory/settings.json",
            &["hooks", "hooksDisabled"],
            true,
        ),
        (
            "antigravity",
            ".gemini/config/hooks.json",
            &["gitvow", "enabled"],
            false,
        ),
        ("qwen", ".qwen/settings.json", &["disableAllHooks"], true),
    ];
    for (agent, file, keys, off) in cases {
        let before = home.agent(agent, "user");
        let change = |path: &Path| {
            edit(path, |value| {
                let mut at = value;
                for key in *keys {
                    at = &mut at[*key];
                }
                *at = json!(off);
            });
            // The layout is not what this is about.
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, text).unwrap();
        };
        changed(&home.file(file), change, || {
            let found = only(
                "hooks-disabled",
                "broken",
                &before,
                &home.agent(agent, "user"),
            );
            let message = found[0]["message"].as_str().unwrap();
            assert!(message.contains(keys[keys.len() - 1]), "{message}");
            assert_eq!(found[0]["path"], home.file(file).to_str().unwrap());
        });
    }
    let before = home.agent("codex", "user");
    let config = home.file(".codex/config.toml");
    for feature in ["hooks", "codex_hooks"] {
        let off = format!("[features]\n{feature} = false\n");
        changed(
            &config,
            |path| put(path, |t| format!("{t}{off}")),
            || {
                let found = only(
                    "hooks-disabled",
                    "broken",
                    &before,
                    &home.agent("codex", "user"),
                );
                assert_eq!(found[0]["path"], config.to_str().unwrap());
            },
        );
    }
    let one = |t: &str| t.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1);
    changed(
        &config,
        |path| put(path, one),
        || {
            only(
                "hooks-disabled",
                "broken",
                &before,
                &home.agent("codex", "user"),
            );
        },
    );
    let before = home.agent("factory", "user");
    std::fs::write(
        home.file(".factory/hooks.json"),
        "{\"hooksDisabled\": true}\n",
    )
    .unwrap();
    only(
        "hooks-disabled",
        "broken",
        &before,
        &home.agent("factory", "user"),
    );
}

#[test]
fn codex_s_trust() {
    for (home, scope, top) in [
        (Home::installed(), "user", "home"),
        (Home::in_repo(), "repo", "repo"),
    ] {
        let before = home.agent("codex", scope);
        assert_eq!(before["state"], "ok", "{before:#}");
        let config = home.file(".codex/config.toml");
        // No approval at all, and one that is gone.
        changed(
            &config,
            |path| std::fs::remove_file(path).unwrap(),
            || {
                only("untrusted", "broken", &before, &home.agent("codex", scope));
            },
        );
        let one_less = |t: &str| t.replacen("pre_tool_use:0:0", "pre_tool_use:7:0", 1);
        changed(
            &config,
            |path| put(path, one_less),
            || {
                let found = only("untrusted", "broken", &before, &home.agent("codex", scope));
                let message = found[0]["message"].as_str().unwrap();
                assert!(
                    message.contains("PreToolUse") && !message.contains("Stop"),
                    "{message}"
                );
            },
        );
        // A hook of the user's before ours moves ours to a position that nobody approved.
        let file = home.dir.path().join(top).join(".codex/hooks.json");
        let before_ours = |path: &Path| {
            edit(path, |value| {
                let mine = json!({"hooks": [{"type": "command", "command": "mine"}]});
                value["hooks"]["Stop"]
                    .as_array_mut()
                    .unwrap()
                    .insert(0, mine);
            });
        };
        changed(&file, before_ours, || {
            let now = home.agent("codex", scope);
            let found: Vec<_> = super::home::codes(&now);
            assert!(found.contains(&"untrusted".to_owned()), "{now:#}");
        });
    }
    let home = Home::in_repo();
    let before = home.agent("codex", "repo");
    let config = home.file(".codex/config.toml");
    changed(
        &config,
        |path| put(path, |t| t.replace("[projects.", "[other.")),
        || {
            let found = only("untrusted", "broken", &before, &home.agent("codex", "repo"));
            assert!(found[0]["message"].as_str().unwrap().contains("project"));
        },
    );
}

#[test]
fn a_fresh_install_of_codex_waits_for_its_approval() {
    let home = Home::new();
    home.gitvow(&["install", "--agent", "codex", "--json"]);
    let now = home.agent("codex", "user");
    assert_eq!(
        (now["state"].as_str(), super::home::codes(&now)),
        (Some("broken"), vec!["untrusted".to_owned()])
    );
    home.approve("home/.codex/hooks.json");
    let now = home.agent("codex", "user");
    assert_eq!(
        (now["state"].as_str(), super::home::codes(&now)),
        (Some("ok"), Vec::new())
    );
}

#[test]
fn droid_s_other_file() {
    for (home, scope, top) in [
        (Home::installed(), "user", "home"),
        (Home::in_repo(), "repo", "repo"),
    ] {
        let before = home.agent("factory", scope);
        let other = home.dir.path().join(top).join(".factory/hooks.json");
        std::fs::write(&other, "{\"PreToolUse\": []}\n").unwrap();
        let found = only("shadowed", "broken", &before, &home.agent("factory", scope));
        assert_eq!((found.len(), &found[0]["event"]), (1, &json!("PreToolUse")));
        assert!(
            found[0]["message"]
                .as_str()
                .unwrap()
                .contains(other.to_str().unwrap())
        );
        // What it says to do mends it.
        for verb in ["uninstall", "install"] {
            home.gitvow(&[verb, "--agent", "factory", "--scope", scope, "--json"]);
        }
        assert_eq!(home.agent("factory", scope)["state"], "ok");
    }
}

#[test]
fn a_timeout_in_another_unit() {
    let home = Home::installed();
    for (agent, file) in super::home::MERGES {
        let before = home.agent(agent, "user");
        let wrong = if agent == "gemini" { 30 } else { 30_000 };
        let change = |path: &Path| {
            if agent == "kimi" {
                put(path, |t| t.replacen("timeout = 30", "timeout = 30000", 1));
                return;
            }
            edit(path, |value| {
                let list = lists(value).values_mut().find(|v| v.is_array()).unwrap();
                let entry = &mut list[0];
                let handler = if entry.get("hooks").is_some() {
                    &mut entry["hooks"][0]
                } else {
                    entry
                };
                handler["timeout"] = json!(wrong);
            });
        };
        changed(&home.file(file), change, || {
            let found = only(
                "timeout-unit",
                "broken",
                &before,
                &home.agent(agent, "user"),
            );
            assert!(found.len() == 1 && found[0]["line"].is_u64(), "{found:?}");
        });
    }
}
