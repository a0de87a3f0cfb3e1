//! Install and uninstall of adapters: exact bytes, in every order, with the adapter gone or broken.

use crate::home::Home;
use serde_json::{Value, json};

/// The `install` block as the protocol document prints it.
fn seed_block() -> Value {
    json!({
        "user_file": ".myagent/hooks.json",
        "repo_file": ".myagent/hooks.json",
        "format": "json",
        "entries": {"beforeTool": [{"command": "__GITVOW__ hook --agent myagent beforeTool"}]},
        "version_key": null
    })
}

/// A file that no printer would give back.
const ODD: &str = "{\r\n\t\"b\" : 1e5,  \"a\":\"\\u00E9\\/\",\r\n\t\"hooks\": { \"other\" : [ ] ,\"beforeTool\":[ {\"command\":\"mine\"} ] } }\r\n\r\n";

#[test]
fn the_seeds_example_comes_and_goes_without_a_trace() {
    let h = Home::new();
    h.info_only("myagent", &seed_block());
    let before = h.files();
    let dry = h.ok(&["install", "--agent", "myagent", "--dry-run"]);
    assert!(dry.out.contains("beforeTool"), "{dry:?}");
    assert_eq!(h.files(), before);
    h.ok(&["install", "--agent", "myagent"]);
    let written: Value = serde_json::from_str(&h.read(".myagent/hooks.json")).unwrap();
    let launcher = h.path(".gitvow/bin/gitvow");
    assert_eq!(
        written,
        json!({"hooks": {"beforeTool": [{"command": format!("{} hook --agent myagent beforeTool", launcher.display())}]}})
    );
    assert!(launcher.is_file());
    let state: Value = serde_json::from_str(&h.read(".gitvow/adapters/myagent.json")).unwrap();
    assert_eq!(
        state["path"],
        json!(h.path(".gitvow/agents/gitvow-agent-myagent"))
    );
    let again = h.files();
    h.ok(&["install", "--agent", "myagent"]);
    assert_eq!(h.files(), again, "a second install changes nothing");
    h.ok(&["uninstall", "--agent", "myagent"]);
    assert_eq!(h.files(), before);
    assert!(!h.path(".gitvow/adapters/myagent.json").exists());
    assert!(!launcher.exists());
}

#[test]
fn a_users_file_keeps_every_byte() {
    let h = Home::new();
    h.info_only("myagent", &seed_block());
    h.write(".myagent/hooks.json", ODD);
    let before = h.files();
    h.ok(&["install", "--agent", "myagent"]);
    let now: Value = serde_json::from_str(&h.read(".myagent/hooks.json")).unwrap();
    assert_eq!(now["hooks"]["beforeTool"].as_array().unwrap().len(), 2);
    h.ok(&["uninstall", "--agent", "myagent"]);
    assert_eq!(h.files(), before);
}

#[test]
fn the_version_key_is_set_when_the_file_is_made_and_only_then() {
    let mut block = seed_block();
    block["version_key"] = json!("schema");
    let h = Home::new();
    h.info_only("myagent", &block);
    let empty = h.files();
    h.ok(&["install", "--agent", "myagent"]);
    let now: Value = serde_json::from_str(&h.read(".myagent/hooks.json")).unwrap();
    assert_eq!(now["schema"], 1);
    h.ok(&["uninstall", "--agent", "myagent"]);
    assert_eq!(h.files(), empty);
    h.write(".myagent/hooks.json", "{\"a\": 1}");
    h.ok(&["install", "--agent", "myagent"]);
    let now: Value = serde_json::from_str(&h.read(".myagent/hooks.json")).unwrap();
    assert_eq!(now.get("schema"), None);
    h.ok(&["uninstall", "--agent", "myagent"]);
    assert_eq!(h.read(".myagent/hooks.json"), "{\"a\": 1}");
}

#[test]
fn jsonc_and_toml_keep_their_comments() {
    for (format, file, text) in [
        (
            "jsonc",
            ".myagent/h.jsonc",
            "// mine\n{\n  \"hooks\": {}, // here\n}\n",
        ),
        (
            "toml",
            ".myagent/h.toml",
            "# mine\na = 1 # one\n\n[hooks] # here\n",
        ),
    ] {
        let mut block = seed_block();
        block["format"] = json!(format);
        block["user_file"] = json!(file);
        let h = Home::new();
        h.info_only("myagent", &block);
        h.write(file, text);
        h.ok(&["install", "--agent", "myagent"]);
        let now = h.read(file);
        assert!(
            now.contains("hook --agent myagent beforeTool") && now.contains("mine"),
            "{now}"
        );
        h.ok(&["uninstall", "--agent", "myagent"]);
        assert_eq!(h.read(file), text);
    }
}

#[test]
fn uninstall_needs_no_adapter() {
    for spoil in ["remove", "change", "break", "unsafe"] {
        let h = Home::new();
        let path = h.info_only("myagent", &seed_block());
        h.write(".myagent/hooks.json", ODD);
        let before = h.files();
        h.ok(&["install", "--agent", "myagent"]);
        match spoil {
            "remove" => fs_err::remove_file(&path).unwrap(),
            "change" => {
                let mut other = seed_block();
                other["user_file"] = json!(".elsewhere/hooks.json");
                h.info_only("myagent", &other);
            }
            "break" => drop(h.adapter("myagent", "#!/bin/sh\nexit 3\n")),
            _ => drop(h.agent_runs(&format!("/bin/chmod 0777 {}", path.display()), "")),
        }
        h.ok(&["uninstall", "--agent", "myagent"]);
        assert_eq!(h.files(), before, "{spoil}");
    }
}

#[test]
fn a_changed_adapter_is_recorded_anew_though_its_entries_are_the_same() {
    let tree = json!({"trees": [{"path": ".myagent", "files": {"x.js": "run(__GITVOW__);"}}]});
    for block in [seed_block(), tree] {
        let h = Home::new();
        let path = h.info_only("myagent", &block);
        h.agent_runs("/bin/chmod 0700 ~/.gitvow ~/.gitvow/agents", "");
        h.ok(&["install", "--agent", "myagent"]);
        h.ok(&["doctor", "--agent", "myagent"]);
        let files = h.files();
        let text = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, format!("{text}# another line\n")).unwrap();
        let did = h.gitvow(&["doctor", "--agent", "myagent"]);
        assert!(did.out.contains("adapter-changed"), "{did:?}");
        h.ok(&["install", "--agent", "myagent"]);
        assert_eq!(h.files(), files);
        h.ok(&["doctor", "--agent", "myagent"]);
        h.ok(&["uninstall", "--agent", "myagent"]);
    }
}

/// Installs and uninstalls in the given order; the file is back afterwards, and in between it holds exactly
/// the entries of those that are in.
fn in_order(h: &Home, file: &str, ins: &[&str], outs: &[&str]) {
    let before = h.files();
    let mut inside: Vec<&str> = Vec::new();
    let check = |inside: &[&str]| {
        let text = if h.path(file).exists() {
            h.read(file)
        } else {
            String::new()
        };
        for name in ins {
            let there = text.contains(&format!("hook --agent {name} "));
            assert_eq!(
                there,
                inside.contains(name),
                "{ins:?} {outs:?} {name}: {text}"
            );
        }
    };
    for name in ins {
        h.ok(&["install", "--agent", name]);
        inside.push(name);
        check(&inside);
    }
    for name in outs {
        h.ok(&["uninstall", "--agent", name]);
        inside.retain(|n| n != name);
        check(&inside);
    }
    assert_eq!(h.files(), before, "{ins:?} {outs:?}");
}

#[test]
fn two_adapters_and_a_builtin_share_one_file_in_every_order() {
    const FILE: &str = ".claude/settings.json";
    let block = |name: &str, event: &str| {
        json!({"user_file": FILE, "format": "json",
               "entries": {event: [{"hooks": [{"type": "command", "command": format!("__GITVOW__ hook --agent {name} {event}")}]}]}})
    };
    let names = ["one", "two", "claude"];
    let orders: Vec<Vec<&str>> = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ]
    .iter()
    .map(|o| o.iter().map(|i| names[*i]).collect())
    .collect();
    for text in [
        None,
        Some(ODD),
        Some("{}"),
        Some("{\"hooks\":{\"PreToolUse\":[]}}"),
    ] {
        let h = Home::new();
        h.info_only("one", &block("one", "PreToolUse"));
        h.info_only("two", &block("two", "beforeTool"));
        // Holds the launcher, so that it isn't copied anew for each order.
        h.info_only("myagent", &seed_block());
        h.ok(&["install", "--agent", "myagent"]);
        if let Some(text) = text {
            h.write(FILE, text);
        }
        // Every pair of orders over one text; over the others each order once.
        for (i, ins) in orders.iter().enumerate() {
            for (o, outs) in orders.iter().enumerate() {
                if text == Some(ODD) || (i + 1) % orders.len() == o {
                    in_order(&h, FILE, ins, outs);
                }
            }
        }
    }
}

/// Adds to a file: text, what it is merged into, and who shares it.
struct Shared {
    file: &'static str,
    names: [&'static str; 3],
    blocks: [Value; 2],
    texts: &'static [Option<&'static str>],
}

fn every_order(shared: &Shared) {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for (n, text) in shared.texts.iter().enumerate() {
        let h = Home::new();
        for (name, block) in shared.names.iter().zip(&shared.blocks) {
            h.info_only(name, block);
        }
        h.info_only("myagent", &seed_block());
        h.ok(&["install", "--agent", "myagent"]);
        if let Some(text) = text {
            h.write(shared.file, text);
        }
        for (i, ins) in orders.iter().enumerate() {
            // Another pairing of orders for each text.
            let outs = orders[(i + n + 1) % orders.len()];
            let named = |order: &[usize; 3]| order.map(|k| shared.names[k]);
            in_order(&h, shared.file, &named(ins), &named(&outs));
        }
    }
}

#[test]
fn in_jsonc_they_come_and_go_around_the_comments() {
    let file = ".factory/settings.json";
    let block = |name: &str, event: &str| {
        json!({"user_file": file, "format": "jsonc",
               "entries": {event: [{"hooks": [{"type": "command", "command": format!("__GITVOW__ hook --agent {name} {event}")}]}]}})
    };
    every_order(&Shared {
        file,
        names: ["one", "two", "factory"],
        blocks: [block("one", "PreToolUse"), block("two", "beforeTool")],
        texts: &[
            None,
            Some(
                "// mine\n{\n\t\"hooks\": { // here\n\t\t\"PreToolUse\": [ /* none */ ]\n\t} // end\n}\n",
            ),
            Some(
                "{\r\n  /* a */ \"a\": 1, // one\r\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": []} /* last */]}\r\n}",
            ),
            Some("// only a comment\n"),
        ],
    });
}

#[test]
fn in_toml_they_come_and_go_in_blocks_and_arrays() {
    let file = ".kimi-code/config.toml";
    let tables = json!({"user_file": file, "format": "toml", "root": ["gates", "x"],
        "entries": {"beforeTool": [{"command": "__GITVOW__ hook --agent one beforeTool", "timeout": 30}]}});
    // In Kimi's own list.
    let list = json!({"user_file": file, "format": "toml", "root": ["hooks"],
        "entries": [{"event": "PreToolUse", "command": "__GITVOW__ hook --agent two PreToolUse"}]});
    every_order(&Shared {
        file,
        names: ["one", "two", "kimi"],
        blocks: [tables, list],
        texts: &[
            None,
            Some("# mine\na = 1 # one\n\n[other]\nb = 2"),
            Some(
                "a = \"x\"\r\n\r\n[[hooks]] # mine\r\nevent = \"Stop\"\r\ncommand = \"/u/x\"\r\n\r\n\r\n[z]\r\n",
            ),
            Some(
                "hooks = [\n  { event = \"Stop\", command = \"/u/x\" }, # mine\n]\n[gates.x]\nbeforeTool = [ ] # none\n",
            ),
            Some("# only a comment\n\n"),
        ],
    });
}
