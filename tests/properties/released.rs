//! P10: a record written by any released version is undone by every later one. `fixtures/ledger/v1-<name>.json` is the
//! record, `.after` the file it was written for, `.before` what must come back; no `.before`: no file. These files
//! stay as they are for ever.

use crate::common::engine::{File, one, owner, print, wish};
use gitvow::ledger::{Body, Merge, Record, SCHEMA, TreeFile};
use gitvow::spec::Format;
use serde_json::json;
use std::path::{Path, PathBuf};

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ledger")
}

fn read(name: &str, kind: &str) -> Option<String> {
    std::fs::read_to_string(dir().join(format!("{name}.{kind}"))).ok()
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(dir())
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files
        .filter_map(|f| f.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    names
}

#[test]
fn p10_every_released_record_is_undone() {
    let names = names();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let record: Record = serde_json::from_str(&read(&name, "json").unwrap())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(record.schema <= SCHEMA, "{name}");
        let after = read(&name, "after").unwrap_or_else(|| panic!("{name} has no .after"));
        match &record.body {
            Body::Tree(tree) => {
                assert_eq!(tree.print, print(after.as_bytes()), "{name}");
                assert!(read(&name, "before").is_none());
            }
            Body::Merge(merge) => undo(&name, merge, &after),
        }
        // Nothing is lost by reading and writing it.
        let again: Record = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        assert_eq!(again, record, "{name}");
    }
}

fn undo(name: &str, merge: &Merge, after: &str) {
    let kept = merge.entries.iter().any(|e| !e.state.is_active());
    for shortcut in [true, false] {
        let mut file = File::new(merge.format, Some(after));
        file.shortcut = shortcut;
        file.edits_ours = kept;
        file.record = Some(merge.clone());
        for state in &merge.owners {
            file.take(&state.owner, None, kept)
                .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        }
        assert_eq!(
            file.text,
            read(name, "before"),
            "{name} shortcut {shortcut}"
        );
        assert!(file.record.is_none(), "{name}");
    }
}

/// Writes the fixtures of this version where they don't exist yet:
/// `cargo test --test properties write_ledger_fixtures -- --ignored`.
#[test]
#[ignore = "writes fixtures that are missing"]
#[allow(clippy::type_complexity)]
fn write_ledger_fixtures() {
    let lines = "{\n  \"model\": \"opus\", // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Edit\", \"hooks\": [{ \"command\": \"/u/guard.sh\" }] }\n    ]\n  }\n}\n";
    let toml = "# mine\nmodel = \"k2\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"/u/done.sh\"\n";
    let merges: [(&str, Format, Option<&str>, &[(&str, usize)]); 12] = [
        ("single-owner", Format::Jsonc, Some(lines), &[("claude", 0)]),
        (
            "three-owners",
            Format::Jsonc,
            Some(lines),
            &[("claude", 0), ("qwen", 0), ("factory", 1)],
        ),
        (
            "upgraded",
            Format::Jsonc,
            Some(lines),
            &[("claude", 0), ("qwen", 0), ("claude", 1), ("claude", 2)],
        ),
        (
            "crlf-bom",
            Format::Json,
            Some("\u{feff}{\r\n\t\"a\": [ ],\r\n\t\"hooks\": { }\r\n}"),
            &[("claude", 0)],
        ),
        (
            "minified",
            Format::Json,
            Some("{\"a\":1}"),
            &[("antigravity", 0)],
        ),
        (
            "trailing-commas",
            Format::Jsonc,
            Some("{\n  \"hooks\": {\n    \"Stop\": [\n      1, // one\n    ],\n  },\n}\n"),
            &[("claude", 0)],
        ),
        ("created-file", Format::Json, None, &[("claude", 0)]),
        (
            "created-file-version-key",
            Format::Json,
            None,
            &[("cursor", 0), ("factory", 0)],
        ),
        (
            "blank-file-comment",
            Format::Jsonc,
            Some("// mine\n"),
            &[("cursor", 0)],
        ),
        (
            "toml-blocks",
            Format::Toml,
            Some(toml),
            &[("kimi", 0), ("other", 0)],
        ),
        (
            "toml-no-final-newline",
            Format::Toml,
            Some("a = 1"),
            &[("codex", 0), ("codex2", 0)],
        ),
        (
            "toml-value-array",
            Format::Toml,
            Some("hooks = [\r\n  { event = \"Stop\" }, # mine\r\n]\r\n"),
            &[("kimi", 0)],
        ),
    ];
    for (name, format, before, steps) in merges {
        let mut file = File::new(format, before);
        for (agent, version) in steps {
            file.put(&wish(agent, *version), false, false)
                .unwrap_or_else(|e| panic!("{name} {e:?}"));
        }
        write(
            name,
            Body::Merge(file.record.clone().unwrap()),
            file.str(),
            before,
        );
    }
    // Kept: the user raised the timeout, uninstall left the entry, `--force` takes it.
    let before = "{\"hooks\": {\"Stop\": [1]}}";
    let wish = one(
        &["hooks", "Stop"],
        json!({"command": "/b/gitvow hook --agent claude Stop", "timeout": 30}),
    );
    let mut file = File::new(Format::Json, Some(before));
    file.edits_ours = true;
    file.put(&wish, false, false).unwrap();
    file.text = Some(file.str().replace("30", "90"));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    write(
        "kept-entry",
        Body::Merge(file.record.clone().unwrap()),
        file.str(),
        Some(before),
    );
    let text = "{\"hooks\": {}}\n";
    let tree = TreeFile {
        print: print(text.as_bytes()),
        mode: 0o644,
        owner: Some(owner("copilot")),
        json: Some(text.to_owned()),
        adapter: None,
        block: false,
        launcher: None,
        state: gitvow::ledger::State::Active,
    };
    write("tree-file", Body::Tree(tree.clone()), text, None);
    let text = "#!/bin/sh\n# stands for the copied executable\n";
    // As JSON, so that this needn't know how the time is typed.
    let launcher = json!({"version": "0.1.0", "mtime_ns": 1_790_000_000_123_456_789_u64});
    let launcher = TreeFile {
        print: print(text.as_bytes()),
        mode: 0o755,
        owner: None,
        json: None,
        launcher: Some(serde_json::from_value(launcher).unwrap()),
        ..tree
    };
    write("launcher", Body::Tree(launcher), text, None);
}

#[allow(
    clippy::disallowed_methods,
    reason = "writes into the tree, once a version"
)]
fn write(name: &str, body: Body, after: &str, before: Option<&str>) {
    let record = Record {
        schema: SCHEMA,
        path: PathBuf::from("/home/u/.agent/settings"),
        real: PathBuf::from("/home/u/.agent/settings"),
        dirs: vec![PathBuf::from("/home/u/.agent")],
        gitvow: "0.1.0".to_owned(),
        body,
    };
    let json = serde_json::to_string_pretty(&record).unwrap();
    let files = [
        ("json", Some(json.as_str())),
        ("after", Some(after)),
        ("before", before),
    ];
    for (kind, text) in files {
        let path = dir().join(format!("v1-{name}.{kind}"));
        if let Some(text) = text.filter(|_| !path.exists()) {
            std::fs::write(path, text).unwrap();
        }
    }
}
