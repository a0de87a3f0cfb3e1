//! Codes about the files that hold entries.

use super::home::{Home, IN_REPO, MERGES, changed, codes, edit, only};
use serde_json::Value;
use std::path::Path;

fn each(home: &Home, then: &mut dyn FnMut(&str, &Path, &Value)) {
    for (agent, file) in MERGES {
        let before = home.agent(agent, "user");
        then(agent, &home.file(file), &before);
    }
}

#[test]
fn a_file_that_is_gone() {
    let home = Home::installed();
    each(&home, &mut |agent, file, before| {
        changed(
            file,
            |path| std::fs::remove_file(path).unwrap(),
            || {
                only(
                    "file-missing",
                    "drifted",
                    before,
                    &home.agent(agent, "user"),
                );
            },
        );
    });
    let home = Home::in_repo();
    for (scope, agent, file) in IN_REPO
        .into_iter()
        .filter(|e| !e.2.ends_with("gitvow.json"))
    {
        let before = home.agent(agent, scope);
        changed(
            &home.repo(file),
            |path| std::fs::remove_file(path).unwrap(),
            || {
                only(
                    "file-missing",
                    "drifted",
                    &before,
                    &home.agent(agent, scope),
                );
            },
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_has_its_line() {
    let home = Home::installed();
    each(&home, &mut |agent, file, before| {
        let text = std::fs::read_to_string(file).unwrap();
        let half = &text[..text.len() / 2];
        for broken in [half.as_bytes(), b"\xff\xfe{\0}\0", b"{\"a\": \"\xff\"}"] {
            changed(
                file,
                |path| std::fs::write(path, broken).unwrap(),
                || {
                    let found = only(
                        "file-unparseable",
                        "broken",
                        before,
                        &home.agent(agent, "user"),
                    );
                    assert!(found[0]["line"].is_u64(), "{found:?}");
                },
            );
        }
    });
}

#[test]
fn a_file_that_somebody_laid_out_anew() {
    let home = Home::new();
    // A file of the user's own, so that there is something to give back.
    for (_, file) in MERGES {
        let path = home.file(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let own = match file {
            ".codex/hooks.json" => "{\n  \"description\": \"mine\"\n}\n",
            ".cursor/hooks.json" => "{\n  \"version\": 1\n}\n",
            _ if file.ends_with("toml") => "model = \"x\"\n",
            _ => "{\n  \"mine\": [1, 2]\n}\n",
        };
        std::fs::write(path, own).unwrap();
    }
    home.gitvow(&["install", "--all", "--json"]);
    home.approve("home/.codex/hooks.json");
    each(&home, &mut |agent, file, before| {
        assert_eq!(before["state"], "ok", "{before:#}");
        let text = std::fs::read_to_string(file).unwrap();
        let anew: String = if agent == "kimi" {
            // The tables as one array of values.
            let tables = text.split("[[hooks]]\n").skip(1).map(|block| {
                let pairs: Vec<&str> = block.lines().filter(|l| !l.is_empty()).collect();
                format!("{{{}}}", pairs.join(", "))
            });
            let tables: Vec<String> = tables.collect();
            format!("model=\"x\"\nhooks = [{}]\n", tables.join(", "))
        } else {
            serde_json::from_str::<Value>(&text).unwrap().to_string()
        };
        changed(
            file,
            |path| std::fs::write(path, anew).unwrap(),
            || {
                only("file-reformatted", "ok", before, &home.agent(agent, "user"));
            },
        );
        changed(
            file,
            |path| std::fs::write(path, text.replace('\n', "\r\n")).unwrap(),
            || {
                let now = home.agent(agent, "user");
                let found = only("file-reformatted", "ok", before, &now);
                assert!(said(&found[0], "line ends"), "{found:?}");
            },
        );
    });
}

fn said(finding: &Value, words: &str) -> bool {
    finding["message"].as_str().unwrap().contains(words)
}

/// Our entries look the same after each of these; only the rest of the file shows it.
#[test]
fn a_rewrite_that_leaves_our_entries_as_they_are_is_told() {
    const JSON: &str = "{\n  // mine\n  \"z\": 1,\n  \"env\": {\"B\": \"1\", \"A\": \"2\"},\n  \"allow\": [\"x\", \"y\"]\n}\n";
    const TOML: &str = "# mine\nz = 1\nallow = [\"x\", \"y\"]\n\n[env]\nB = \"1\"\nA = \"2\"\n";
    type Change<'a> = (&'a str, &'a str, &'a str);
    let json: [Change<'_>; 8] = [
        (
            "{\"B\": \"1\", \"A\": \"2\"}",
            "{\n    \"B\": \"1\",\n    \"A\": \"2\"\n  }",
            "spaces",
        ),
        ("[\"x\", \"y\"]", "[\n    \"x\",\n    \"y\"\n  ]", "spaces"),
        (
            "{\"B\": \"1\", \"A\": \"2\"}",
            "{\"A\": \"2\", \"B\": \"1\"}",
            "order",
        ),
        ("  // mine\n", "", "comments"),
        ("\"z\": 1", "\"z\": 2", ""),
        ("  \"z\": 1,\n", "", ""),
        (
            "  \"z\": 1,\n",
            "  \"z\": 1,\n  \"new\": { \"a\" : [] },\n",
            "",
        ),
        (
            "[\"x\", \"y\"]",
            "[\n    \"x\",\n    \"y\",\n    \"z\"\n  ]",
            "",
        ),
    ];
    let toml: [Change<'_>; 7] = [
        ("z = 1", "z=1", "spaces"),
        ("[\"x\", \"y\"]", "[ \"x\", \"y\" ]", "spaces"),
        ("B = \"1\"\nA = \"2\"", "A = \"2\"\nB = \"1\"", "order"),
        ("# mine\n", "", "comments"),
        ("z = 1", "z = \"one\"", ""),
        ("z = 1\n", "", ""),
        ("[env]", "[new]\nx=1\n\n[env]", ""),
    ];
    for (agent, file) in MERGES {
        // Codex and Cursor take no keys and no comments of anybody's in theirs.
        if agent == "codex" || agent == "cursor" {
            continue;
        }
        let home = Home::new();
        let file = home.file(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let strict = agent == "claude" || agent == "antigravity" || agent == "factory";
        let own = match agent {
            "kimi" => TOML.to_owned(),
            _ if strict => JSON.replace("  // mine\n", ""),
            _ => JSON.to_owned(),
        };
        std::fs::write(&file, own).unwrap();
        home.gitvow(&["install", "--agent", agent, "--json"]);
        let before = home.agent(agent, "user");
        assert_eq!(before["state"], "ok", "{before:#}");
        let text = std::fs::read_to_string(&file).unwrap();
        let changes = if agent == "kimi" {
            &toml[..]
        } else {
            &json[..]
        };
        let known = |c: &&Change<'_>| !strict || c.2 != "comments";
        for (from, to, what) in changes.iter().filter(known) {
            let new = text.replacen(from, to, 1);
            assert_ne!(new, text, "{agent}: {from}");
            changed(
                &file,
                |path| std::fs::write(path, &new).unwrap(),
                || {
                    let now = home.agent(agent, "user");
                    if what.is_empty() {
                        assert_eq!(codes(&before), codes(&now), "{agent}: {from} to {to}");
                    } else {
                        let found = only("file-reformatted", "ok", &before, &now);
                        assert!(said(&found[0], what), "{agent}: {found:?}");
                    }
                },
            );
        }
    }
}

/// Every way in which a vendor may print the file: told whenever an uninstall doesn't give the user's bytes back, and then
/// only; what it gives back means what the user's file meant.
#[test]
fn printed_in_every_way_it_is_told_and_undone() {
    let sorted = |value: &Value| -> String {
        fn sort(value: &Value) -> Value {
            match value {
                Value::Object(map) => {
                    let sorted: std::collections::BTreeMap<_, _> = map.iter().collect();
                    sorted
                        .into_iter()
                        .map(|(k, v)| (k.clone(), sort(v)))
                        .collect()
                }
                Value::Array(list) => list.iter().map(sort).collect(),
                other => other.clone(),
            }
        }
        format!("{:#}", sort(value))
    };
    let own = |agent: &str| match agent {
        "codex" => Some("{\n  \"description\": \"mine\"\n}\n"),
        "cursor" => Some("{\n  \"version\": 1\n}\n"),
        "kimi" => Some("model = \"x\"\n"),
        _ => Some("{\n  \"z\": 1,\n  \"a\": [\"\u{e9}\", {\"k\": 2}]\n}\n"),
    };
    for (agent, file) in MERGES {
        for own in [own(agent), None] {
            let home = Home::new();
            let file = home.file(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let install = || {
                match own {
                    Some(text) => std::fs::write(&file, text).unwrap(),
                    None => assert!(!file.exists(), "{agent}"),
                }
                home.gitvow(&["install", "--agent", agent, "--json"]);
                std::fs::read_to_string(&file).unwrap()
            };
            let text = install();
            let before = home.agent(agent, "user");
            let mut prints = vec![text.replace('\n', "\r\n")];
            if agent == "kimi" {
                let tables = text.split("[[hooks]]\n").skip(1).map(|block| {
                    let pairs: Vec<&str> = block.lines().filter(|l| !l.is_empty()).collect();
                    format!("{{{}}}", pairs.join(", "))
                });
                let tables: Vec<String> = tables.collect();
                let head = own.unwrap_or_default();
                prints.push(format!("{head}hooks = [{}]\n", tables.join(", ")));
                prints.push(format!("{head}hooks = [\n  {},\n]\n", tables.join(",\n  ")));
                prints.push(format!("\n{text}"));
            } else {
                let value: Value = serde_json::from_str(&text).unwrap();
                prints.extend([value.to_string(), format!("{value:#}"), sorted(&value)]);
                prints.push(sorted(&value).replace('\n', "\r\n"));
                prints.push(format!("{}\n\n", text.trim_end()));
            }
            for print in prints {
                std::fs::write(&file, &print).unwrap();
                let now = home.agent(agent, "user");
                let told = codes(&now).contains(&"file-reformatted".to_owned());
                assert_eq!(now["state"], before["state"], "{now:#}");
                let done = home.gitvow(&["uninstall", "--agent", agent, "--json"]);
                assert_eq!(done.status.code(), Some(0), "{agent} {print}");
                let left = std::fs::read_to_string(&file).ok();
                assert_eq!(told, left.as_deref() != own, "{agent} {print}: {left:?}");
                let meaning = |text: &str| -> Value {
                    match agent {
                        "kimi" => {
                            let table: toml_edit::DocumentMut = text.parse().unwrap();
                            assert!(table.get("hooks").is_none(), "{text}");
                            table.get("model").and_then(|m| m.as_str()).into()
                        }
                        _ => serde_json::from_str(text).unwrap(),
                    }
                };
                assert_eq!(
                    left.as_deref().map(meaning),
                    own.map(meaning),
                    "{agent} {print}"
                );
                if own.is_none() {
                    let _ = std::fs::remove_file(&file);
                }
                install();
            }
        }
    }
}

/// git gives a repository's files other line ends where it is told to: nobody laid them out.
#[test]
fn line_ends_that_git_converted_are_no_news() {
    let home = Home::in_repo();
    for (scope, agent, file) in IN_REPO.into_iter().filter(|e| e.0 == "repo") {
        let before = home.agent(agent, scope);
        let file = home.repo(file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        assert_eq!(before, home.agent(agent, scope));
    }
}

#[test]
fn a_file_that_something_else_took_the_place_of() {
    let home = Home::installed();
    each(&home, &mut |agent, file, before| {
        let elsewhere = home.file("elsewhere");
        std::fs::write(&elsewhere, std::fs::read(file).unwrap()).unwrap();
        let gone = |path: &Path| std::fs::remove_file(path).unwrap();
        let kinds: [&dyn Fn(&Path); 3] = [
            &|path| {
                gone(path);
                std::fs::create_dir(path).unwrap();
            },
            &|path| {
                gone(path);
                std::os::unix::fs::symlink("nowhere", path).unwrap();
            },
            &|path| {
                gone(path);
                std::os::unix::fs::symlink(&elsewhere, path).unwrap();
            },
        ];
        for kind in kinds {
            changed(file, kind, || {
                only(
                    "file-replaced",
                    "drifted",
                    before,
                    &home.agent(agent, "user"),
                );
            });
        }
    });
}

/// What vendors do to the file when they save their own settings: keys re-ordered and unescaped, comments gone, two
/// spaces, LF. Doctor says whether the gate still stands, and an uninstall takes out exactly ours.
#[test]
fn a_vendor_s_own_rewrite_is_told_and_undone() {
    let home = Home::new();
    let file = home.file(".gemini/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let own = "{\r\n\t// mine\r\n\t\"z\": \"\\u00e9\",\r\n\t\"a\": {\"deep\": true}\r\n}\r\n";
    std::fs::write(&file, own).unwrap();
    home.gitvow(&["install", "--agent", "gemini", "--json"]);
    let before = home.agent("gemini", "user");
    let text = std::fs::read_to_string(&file).unwrap();
    let plain = text.replace("// mine", "");
    let value: Value = serde_json::from_str(&plain).unwrap();
    let mut keys: Vec<_> = value.as_object().unwrap().clone().into_iter().collect();
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    let sorted: serde_json::Map<String, Value> = keys.into_iter().collect();
    std::fs::write(&file, serde_json::to_string_pretty(&sorted).unwrap()).unwrap();
    only(
        "file-reformatted",
        "ok",
        &before,
        &home.agent("gemini", "user"),
    );
    let done = home.gitvow(&["uninstall", "--agent", "gemini", "--json"]);
    assert_eq!(done.status.code(), Some(0));
    let left: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"a": {"deep": true}, "z": "é"}));
    // The same with an entry that the rewrite changed: that is told as well.
    home.gitvow(&["install", "--agent", "gemini", "--json"]);
    edit(&file, |v| {
        v["hooks"]["BeforeTool"][0]["matcher"] = serde_json::json!("read_file");
    });
    only(
        "entry-edited",
        "drifted",
        &before,
        &home.agent("gemini", "user"),
    );
}
