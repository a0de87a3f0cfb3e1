//! Each built-in, printed as `info` by a real executable, writes what the built-in writes (issue 4).

use crate::home::Home;
use gitvow::spec::builtin;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The built-in as an adapter: under another name, in its commands too, and without its aliases.
fn as_adapter(h: &Home, name: &str) -> String {
    let other = format!("x{name}");
    let spec = builtin::by_name(name).unwrap().strict().unwrap();
    let mut info = builtin::as_info(&spec);
    info["name"] = Value::from(other.clone());
    info.as_object_mut().unwrap().remove("aliases");
    let text = info
        .to_string()
        .replace(&format!("--agent {name} "), &format!("--agent {other} "))
        .replace(
            &format!("\\\"--agent\\\", \\\"{name}\\\""),
            &format!("\\\"--agent\\\", \\\"{other}\\\""),
        );
    h.adapter(&other, &format!("#!/bin/sh\ncat <<'EOT'\n{text}\nEOT\n"));
    other
}

/// Every file of the agent in home and repository, with the names of home and agent taken out.
fn written(h: &Home, name: &str) -> BTreeMap<String, String> {
    let home = h.path("").display().to_string();
    let home = home.trim_end_matches('/').to_owned();
    let mut all = h.files();
    all.extend(h.work_files());
    let neutral = |text: &str| {
        text.replace(&home, "@HOME@")
            .replace(&h.work().display().to_string(), "@REPO@")
            .replace(&format!("--agent {name} "), "--agent NAME ")
            .replace(&format!("\"--agent\", \"{name}\""), "\"--agent\", \"NAME\"")
    };
    let shown = |path: &Path| neutral(&path.display().to_string());
    all.iter()
        .map(|(path, bytes)| (shown(path), neutral(&String::from_utf8_lossy(bytes))))
        .collect()
}

#[test]
fn every_built_in_fed_back_as_an_adapter_writes_the_same_files() {
    let mut repos = 0;
    for builtin in builtin::ALL {
        for scope in ["user", "repo", "local"] {
            let done = ["", "x"].map(|prefix| {
                let h = Home::new();
                h.agent_runs("PATH=/usr/bin:/bin; export PATH; git init -q .", "");
                let name = if prefix.is_empty() {
                    builtin.name.to_owned()
                } else {
                    as_adapter(&h, builtin.name)
                };
                let before = written(&h, &name);
                let did = h.gitvow(&["install", "--agent", &name, "--scope", scope]);
                let files = written(&h, &name);
                assert_eq!(files == before, did.code != 0, "{name} {scope}: {did:?}");
                if did.code == 0 {
                    h.ok(&["uninstall", "--agent", &name, "--scope", scope]);
                    assert_eq!(written(&h, &name), before, "{name} {scope}");
                }
                (did.code, files)
            });
            assert_eq!(done[0], done[1], "{} {scope}", builtin.name);
            assert!(scope != "user" || done[0].0 == 0, "{}", builtin.name);
            repos += usize::from(scope == "repo" && done[0].0 == 0);
        }
    }
    assert!(repos >= 6, "{repos}");
}
