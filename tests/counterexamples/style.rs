//! The style traps of the bug log: install in the file's own style, bytes back on uninstall. Every case is exact,
//! before and after.

use crate::common::engine::{File, one, owner};
use gitvow::spec::Format;
use serde_json::json;

/// Put into each expected text for our entry.
const E: &str = r#"{"command": "/b/gitvow hook PreToolUse"}"#;

fn check(name: &str, before: &str, after: &str) {
    let wish = one(
        &["hooks", "PreToolUse"],
        json!({"command": "/b/gitvow hook PreToolUse"}),
    );
    for shortcut in [true, false] {
        let mut file = File::new(Format::Jsonc, Some(before));
        file.shortcut = shortcut;
        file.put(&wish, false, false)
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(
            file.bytes(),
            Some(after.as_bytes()),
            "{name}\n--- want\n{after}\n--- got\n{}",
            file.str()
        );
        file.take(&owner("claude"), None, false).unwrap();
        assert_eq!(file.bytes(), Some(before.as_bytes()), "{name} undone");
    }
}

#[test]
fn entries_are_written_in_the_files_own_style() {
    let lines = |nl: &str, unit: &str| {
        format!(
            "{nl}{unit}{unit}\"PreToolUse\": [{nl}{unit}{unit}{unit}{{{nl}{unit}{unit}{unit}{unit}\"command\": \"/b/gitvow hook PreToolUse\"{nl}{unit}{unit}{unit}}}{nl}{unit}{unit}]"
        )
    };
    for (name, nl, unit, bom, end) in [
        ("two spaces, LF", "\n", "  ", "", "\n"),
        ("four spaces", "\n", "    ", "", "\n"),
        ("tabs", "\n", "\t", "", "\n"),
        ("CRLF", "\r\n", "  ", "", "\r\n"),
        ("a lone CR", "\r", "  ", "", "\r"),
        ("a byte order mark", "\n", "  ", "\u{feff}", "\n"),
        ("no final newline", "\n", "  ", "", ""),
    ] {
        let before = format!("{bom}{{{nl}{unit}\"a\": 1{nl}}}{end}");
        let ours = format!(",{nl}{unit}\"hooks\": {{{}{nl}{unit}}}", lines(nl, unit));
        check(
            name,
            &before,
            &before.replace("\"a\": 1", &format!("\"a\": 1{ours}")),
        );
        let before = format!("{bom}{{{nl}{unit}\"hooks\": {{}}{nl}}}{end}");
        let ours = format!("{{{}{nl}{unit}}}", lines(nl, unit));
        check(
            &format!("{name}, an empty object"),
            &before,
            &before.replace("{}", &ours),
        );
    }
}

#[test]
fn one_line_stays_one_line() {
    let compact = E.replace(": ", ":");
    let table = [
        (
            "minified",
            r#"{"a":1}"#.to_owned(),
            format!(r#"{{"a":1,"hooks":{{"PreToolUse":[{compact}]}}}}"#),
        ),
        (
            "spaced",
            r#"{ "a": 1 }"#.to_owned(),
            format!(r#"{{ "a": 1, "hooks": {{"PreToolUse": [{E}]}} }}"#),
        ),
        (
            "a one-line array",
            r#"{"hooks": {"PreToolUse": [{"c": 1}]}}"#.to_owned(),
            format!(r#"{{"hooks": {{"PreToolUse": [{{"c": 1}}, {E}]}}}}"#),
        ),
        (
            "a one-line array in a file of lines (Cursor's everyday shape)",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [{\"c\": 1}]\n  }\n}\n".to_owned(),
            format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [{{\"c\": 1}}, {E}]\n  }}\n}}\n"),
        ),
        (
            "an empty array on one line",
            r#"{"hooks":{"PreToolUse":[]}}"#.to_owned(),
            format!(r#"{{"hooks":{{"PreToolUse":[{compact}]}}}}"#),
        ),
        (
            "an empty array with a space in it",
            r#"{"hooks": {"PreToolUse": [ ]}}"#.to_owned(),
            format!(r#"{{"hooks": {{"PreToolUse": [{E} ]}}}}"#),
        ),
    ];
    for (name, before, after) in &table {
        check(name, before, after);
    }
}

#[test]
fn commas_and_comments_stay_where_they_are() {
    let table = [
        (
            "a trailing comma",
            r#"{"hooks": {"PreToolUse": [{"c": 1},]}}"#.to_owned(),
            format!(r#"{{"hooks": {{"PreToolUse": [{{"c": 1}}, {E},]}}}}"#),
        ),
        (
            "a comment behind the last element: the comma before it, ours behind it",
            "{\"hooks\": {\"PreToolUse\": [\n  1 // one\n]}}".to_owned(),
            "{\"hooks\": {\"PreToolUse\": [\n  1, // one\n  {\n  \"command\": \"/b/gitvow hook PreToolUse\"\n  }\n]}}".replace("\n  \"command\"", "\n    \"command\""),
        ),
        (
            "a comment in an empty list",
            "{\"hooks\": {\"PreToolUse\": [/* none */]}}".to_owned(),
            format!("{{\"hooks\": {{\"PreToolUse\": [/* none */{E}]}}}}"),
        ),
        (
            "a trailing comma and a comment behind it",
            "{\"hooks\": {\"PreToolUse\": [1, /* one */]}}".to_owned(),
            format!("{{\"hooks\": {{\"PreToolUse\": [1, /* one */ {E},]}}}}"),
        ),
    ];
    for (name, before, after) in &table {
        check(name, before, after);
    }
}

#[test]
fn what_stands_elsewhere_is_not_even_looked_at() {
    let texts = [
        r#"{"a": "caf\u00e9 \/ \ud83d\ude00 \ud800", "hooks": {}}"#,
        r#"{"a": [1.0, 1e5, 0.10, -0, 1E+400, 9007199254740993, 18446744073709551616], "hooks": {}}"#,
        r#"{"a": 1, "a": 2, "b": {"hooks": null, "hooks": 1}, "hooks": {}}"#,
        "{\r\n\"a\": 1,\n\t\"b\" : [ ],\r\"hooks\": {} }\n\n",
        "// first\n{ // open\n\"a\" /* key */ : /* value */ 1 // last\n, \"hooks\" : { } /* end */ } // done",
        "{\"}},]\": \"// no /* comment */ \\\" , ]\", \"hooks\": {}}",
        "\u{feff}{\"hooks\":{\"PreToolUse\":[]}}\n",
        "{\"hooks\": {\n\n}\n}",
        "{\n}",
        "{ }",
        "{}",
        "{\"hooks\":{\"Stop\":[1],},}",
        "{\"h\\u006foks\": {\"PreToolUse\": [1]}}",
    ];
    let wish = one(
        &["hooks", "PreToolUse"],
        json!({"command": "/b/gitvow hook PreToolUse"}),
    );
    for text in texts {
        for shortcut in [true, false] {
            let mut file = File::new(Format::Jsonc, Some(text));
            file.shortcut = shortcut;
            file.put(&wish, false, false)
                .unwrap_or_else(|e| panic!("{text}: {e:?}"));
            let record = file.record.as_ref().unwrap();
            assert_eq!(crate::common::engine::without(file.str(), &file.ours), text);
            assert_eq!(record.entries.len(), 1);
            file.take(&owner("claude"), None, false).unwrap();
            assert_eq!(file.bytes(), Some(text.as_bytes()));
        }
    }
}

#[test]
fn blank_files_come_back_blank_and_absent_ones_absent() {
    for agent in ["claude", "cursor"] {
        let wish = crate::common::engine::wish(agent, 0);
        for text in [
            "",
            " ",
            "\n",
            "\r\n\r\n",
            "\u{feff}",
            "\u{feff}\n",
            "// only\n",
            "/* a */ // b",
            "// no newline",
            "\t// x\r\n\t",
        ] {
            for shortcut in [true, false] {
                let mut file = File::new(Format::Jsonc, Some(text));
                file.shortcut = shortcut;
                file.put(&wish, false, false).unwrap();
                assert!(file.tree().is_some(), "{text:?}\n{}", file.str());
                assert_eq!(file.str().contains("\"version\": 1"), agent == "cursor");
                let out = file.take(&owner(agent), None, false).unwrap();
                assert!(!out.remove);
                assert_eq!(file.bytes(), Some(text.as_bytes()), "{agent} {text:?}");
            }
        }
        let mut file = File::new(Format::Json, None);
        file.put(&wish, false, false).unwrap();
        assert!(
            file.str().ends_with("}\n")
                && !file.str().contains('\r')
                && !file.str().starts_with('\u{feff}')
        );
        assert!(serde_json::from_str::<serde_json::Value>(file.str()).is_ok());
        let out = file.take(&owner(agent), None, false).unwrap();
        assert!(out.remove && file.text.is_none());
    }
}

#[test]
fn the_version_key_is_set_only_in_files_of_ours() {
    let wish = crate::common::engine::wish("cursor", 0);
    let mut file = File::new(Format::Json, Some("{\n  \"hooks\": {}\n}\n"));
    file.put(&wish, false, false).unwrap();
    assert!(!file.str().contains("version"));
    let mut file = File::new(Format::Json, None);
    file.put(&wish, false, false).unwrap();
    // The user's own hook needs it from now on.
    file.text = Some(
        file.str()
            .replacen("\"preToolUse\"", "\"mine\": [1], \"preToolUse\"", 1)
            .replacen("\"PreToolUse\"", "\"mine\": [1], \"PreToolUse\"", 1),
    );
    let out = file.take(&owner("cursor"), None, false).unwrap();
    assert!(!out.remove);
    assert!(
        file.str().contains("\"version\": 1") && file.str().contains("\"mine\": [1]"),
        "{}",
        file.str()
    );
    assert!(!file.str().contains("gitvow"));
}

#[test]
fn a_comment_in_the_version_member_stays_and_the_member_with_it() {
    let wish = crate::common::engine::wish("cursor", 0);
    for text in [None, Some(""), Some("// mine\n")] {
        let mut file = File::new(Format::Jsonc, text);
        file.put(&wish, false, false).unwrap();
        file.text = Some(
            file.str()
                .replacen("\"version\":", "\"version\":/* ours? */", 1),
        );
        let out = file.take(&owner("cursor"), None, false).unwrap();
        assert!(!out.remove);
        assert!(
            file.comments().contains(&"/* ours? */".to_owned()),
            "{}",
            file.str()
        );
        assert!(file.str().contains("\"version\":/* ours? */ 1") && !file.str().contains("gitvow"));
    }
}

#[test]
fn a_comment_between_our_key_and_its_bracket_keeps_the_container() {
    let wish = one(
        &["hooks", "Stop"],
        json!({"command": "/b/gitvow hook Stop"}),
    );
    for (from, to) in [
        ("\"hooks\":", "\"hooks\": /* c */"),
        ("\"hooks\":", "\"hooks\"/* c */:"),
        ("\"Stop\":", "\"Stop\": /* c */"),
        ("\"Stop\":", "/* c */ \"Stop\":"),
    ] {
        let mut file = File::new(Format::Jsonc, Some(r#"{"a": 1}"#));
        file.put(&wish, false, false).unwrap();
        file.text = Some(file.str().replacen(from, to, 1));
        file.take(&owner("claude"), None, false).unwrap();
        assert_eq!(file.comments(), ["/* c */"], "{from}\n{}", file.str());
        assert!(file.tree().is_some() && !file.str().contains("gitvow"));
    }
}
