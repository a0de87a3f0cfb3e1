//! Codes about entries: in each agent's file, in each scope.

use super::home::{Home, IN_REPO, MERGES, changed, edit, lists, only};
use serde_json::{Value, json};
use std::path::Path;

/// Every merge of every scope: the home, agent, scope, file.
fn everywhere(each: &mut dyn FnMut(&Home, &str, &str, &Path)) {
    let home = Home::installed();
    for (agent, file) in MERGES {
        each(&home, agent, "user", &home.file(file));
    }
    let home = Home::in_repo();
    for (scope, agent, file) in IN_REPO
        .into_iter()
        .filter(|e| !e.2.ends_with("gitvow.json"))
    {
        each(&home, agent, scope, &home.repo(file));
    }
}

/// Provokes a code everywhere by a change of the JSON value, or of Kimi's text.
fn provoke(
    code: &str,
    state: &str,
    json: &dyn Fn(&mut Value),
    toml: &dyn Fn(&str) -> Option<String>,
    check: &dyn Fn(&[Value]),
) {
    let mut seen = 0;
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        assert_eq!(before["state"], "ok", "{before:#}");
        let text = std::fs::read_to_string(file).unwrap();
        if agent == "kimi" && toml(&text).is_none() {
            return;
        }
        let change = |path: &Path| {
            if agent == "kimi" {
                std::fs::write(path, toml(&text).unwrap()).unwrap();
            } else {
                edit(path, json);
            }
        };
        changed(file, change, || {
            let found = only(code, state, &before, &home.agent(agent, scope));
            assert_eq!(found[0]["path"], file.to_str().unwrap(), "{agent} {scope}");
            check(&found);
        });
        seen += 1;
    });
    assert!(seen >= 16, "{seen}");
}

fn first(map: &mut serde_json::Map<String, Value>) -> (String, &mut Vec<Value>) {
    let (name, list) = map.iter_mut().find(|(_, v)| v.is_array()).unwrap();
    (name.clone(), list.as_array_mut().unwrap())
}

/// The blocks of Kimi's file.
fn blocks(text: &str) -> Vec<String> {
    let mut parts = text.split("[[hooks]]");
    let head = parts.next().unwrap().to_owned();
    std::iter::once(head)
        .chain(parts.map(|p| format!("[[hooks]]{p}")))
        .collect()
}

#[test]
fn an_entry_that_is_gone() {
    provoke(
        "entry-missing",
        "drifted",
        &|value| {
            let map = lists(value);
            let (name, _) = first(map);
            map.remove(&name);
        },
        &|text| {
            let mut all = blocks(text);
            all.remove(2);
            Some(all.concat())
        },
        &|found| assert!(found.len() == 1 && found[0]["event"].is_string()),
    );
}

#[test]
fn an_entry_that_was_edited_says_what_differs() {
    provoke(
        "entry-edited",
        "drifted",
        &|value| {
            let (_, list) = first(lists(value));
            let entry = &mut list[0];
            let handler = if entry.get("hooks").is_some() {
                &mut entry["hooks"][0]
            } else {
                entry
            };
            let n = handler["timeout"].as_u64().unwrap();
            handler["timeout"] = json!(n + 1);
        },
        &|text| Some(text.replacen("timeout = 30", "timeout = 31", 1)),
        &|found| {
            let message = found[0]["message"].as_str().unwrap();
            assert!(
                message.contains("timeout") && message.contains("31") || message.contains("30001"),
                "{message}"
            );
            assert!(found[0]["line"].is_u64());
        },
    );
}

#[test]
fn an_entry_that_stands_there_twice() {
    provoke(
        "entry-duplicated",
        "drifted",
        &|value| {
            let (_, list) = first(lists(value));
            let twin = list[0].clone();
            list.push(twin);
        },
        &|text| {
            let all = blocks(text);
            Some(format!("{text}\n{}", all[1]))
        },
        &|found| assert!(found.len() == 1 && found[0]["line"].is_u64()),
    );
}

#[test]
fn an_entry_whose_event_was_renamed() {
    // Kimi's entries have one list and no name to rename.
    provoke(
        "entry-moved",
        "drifted",
        &|value| {
            let map = lists(value);
            let (name, _) = first(map);
            let list = map.remove(&name).unwrap();
            map.insert(format!("{name}d"), list);
        },
        &|_| None,
        &|found| assert!(found[0]["message"].as_str().unwrap().contains("d` now")),
    );
}

#[test]
fn a_container_that_was_emptied() {
    provoke(
        "container-emptied",
        "drifted",
        &|value| first(lists(value)).1.clear(),
        &|text| Some(format!("{}hooks = []\n", blocks(text)[0])),
        &|found| assert_eq!(found.len(), 1),
    );
    // All of them at once are one finding, null like empty.
    let home = Home::installed();
    for empty in [json!({}), json!(null)] {
        let file = home.file(".claude/settings.json");
        let before = home.agent("claude", "user");
        let change = |path: &Path| edit(path, |v| v["hooks"] = empty.clone());
        changed(&file, change, || {
            let now = home.agent("claude", "user");
            assert_eq!(only("container-emptied", "drifted", &before, &now).len(), 1);
        });
    }
}

#[test]
fn an_entry_that_another_version_wrote() {
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        let record = home.record(file);
        let (old, new) = if agent == "kimi" {
            ("timeout = 30", "timeout = 29")
        } else {
            ("\"timeout\": 30", "\"timeout\": 29")
        };
        changed(
            &record,
            |path| older(path, old, new),
            || {
                changed(
                    file,
                    |path| replace(path, old, new),
                    || {
                        let found =
                            only("entry-outdated", "ok", &before, &home.agent(agent, scope));
                        assert_eq!(found.len(), 1, "{agent} {scope}");
                    },
                );
            },
        );
    });
}

/// The first entry of a record as another version would have recorded it.
fn older(record: &Path, old: &str, new: &str) {
    edit(record, |value| {
        let entry = &mut value["entries"][0];
        let text = entry["text"].as_str().unwrap().replacen(old, new, 1);
        entry["text"] = json!(text);
        let value = entry["value"]
            .to_string()
            .replacen("\"timeout\":30", "\"timeout\":29", 1);
        entry["value"] = serde_json::from_str(&value).unwrap();
    });
}

fn replace(path: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(path, text.replacen(old, new, 1)).unwrap();
}

#[test]
fn an_edit_beside_ours_is_no_finding() {
    everywhere(&mut |home, agent, scope, file| {
        let before = home.agent(agent, scope);
        let text = std::fs::read_to_string(file).unwrap();
        let change = |path: &Path| match agent {
            "kimi" => std::fs::write(path, format!("# mine\nmodel = \"x\"\n{text}")).unwrap(),
            // A key of its own would make these agents drop the file.
            "codex" => {
                std::fs::write(path, text.replacen('{', "{\"description\": \"mine\",", 1)).unwrap();
            }
            _ => std::fs::write(path, text.replacen('{', "{\"mine\": {},", 1)).unwrap(),
        };
        changed(file, change, || {
            assert_eq!(before, home.agent(agent, scope));
        });
    });
}
