//! The nine counterexamples of facts/engine.md 2.1.

use crate::common::engine::{File, one, owner, wish};
use gitvow::spec::Format;
use serde_json::json;

fn put(text: &str) -> File {
    let mut file = File::new(Format::Jsonc, Some(text));
    file.edits_ours = true;
    file.put(&ours(), false, false).unwrap();
    file
}

fn ours() -> gitvow::plan::reconcile::Wish {
    one(
        &["hooks", "Stop"],
        json!({"command": "/b/gitvow hook Stop", "timeout": 3}),
    )
}

fn taken(mut file: File, text: String) -> String {
    file.text = Some(text);
    file.take(&owner("claude"), None, false).unwrap();
    file.str().to_owned()
}

#[test]
fn counterexample_1_crlf_leaves_no_cr() {
    for text in [
        "{\n  \"a\": 1\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}\n",
        "{\n}\n",
        "{\"hooks\": {\n}}",
    ] {
        for newline in ["\r\n", "\r"] {
            let file = put(text);
            let converted = file.str().replace('\n', newline);
            assert_eq!(taken(file, converted), text.replace('\n', newline));
        }
        // And back.
        let text = text.replace('\n', "\r\n");
        let file = put(&text);
        let converted = file.str().replace("\r\n", "\n");
        assert_eq!(taken(file, converted), text.replace("\r\n", "\n"));
    }
}

#[test]
fn counterexample_2_the_closing_white_space_belongs_to_the_container() {
    for text in [
        "{\"hooks\": {\n  \"Stop\": [/* c */]\n}}",
        "{\"hooks\": {\n  \"Stop\": [/* c */\n]\n}}",
        "{\"hooks\": {\n  \"Stop\": []\n}}",
    ] {
        for shortcut in [true, false] {
            let mut file = put(text);
            file.shortcut = shortcut;
            let other = wish("qwen", 0);
            file.put(&other, false, false).unwrap();
            file.take(&owner("claude"), None, false).unwrap();
            file.take(&owner("qwen"), None, false).unwrap();
            assert_eq!(file.str(), text);
        }
    }
}

#[test]
fn counterexample_3_a_separator_without_newline_fits_only_a_run_without_one() {
    // Written on one line, reflowed by an editor: the indent must go with us.
    let file = put("{\"hooks\": {\"Stop\": [1]}}");
    let reflowed = file
        .str()
        .replace("[1, {", "[\n    1,\n    {")
        .replace("3}]", "3}\n  ]");
    assert!(reflowed.contains("1,\n    {"));
    assert_eq!(
        taken(file, reflowed),
        "{\"hooks\": {\"Stop\": [\n    1\n  ]}}"
    );
}

#[test]
fn counterexample_4_an_old_odd_interior_is_not_forced_on_a_reflowed_container() {
    let file = put("{\"hooks\": {\"Stop\": [   ]}}");
    let mut pretty = String::new();
    file.tree().unwrap().print(&mut pretty, Some(2), 0, false);
    assert_eq!(
        taken(file, pretty),
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}"
    );
}

#[test]
fn counterexample_5_the_users_comma_does_not_jump_over_a_comment() {
    // The user comments behind our comma, then adds an element behind ours.
    let file = put("{\"hooks\": {\"Stop\": [\n  1\n]}}");
    let edited = file.str().replacen("1,", "1, // mine", 1);
    let end = edited.rfind("\n]").unwrap();
    let edited = format!("{},\n  2{}", &edited[..end], &edited[end..]);
    assert_eq!(
        taken(file, edited),
        "{\"hooks\": {\"Stop\": [\n  1, // mine\n  2\n]}}"
    );
}

#[test]
fn counterexample_6_an_empty_separator_is_exact_in_an_empty_run() {
    for text in [
        "{\"hooks\": {\"Stop\": [ ]}}",
        "{\"hooks\": { }}",
        "{ }",
        "{\"hooks\":{\"Stop\":[\t]}}",
    ] {
        for shortcut in [true, false] {
            let mut file = put(text);
            file.shortcut = shortcut;
            file.take(&owner("claude"), None, false).unwrap();
            assert_eq!(file.str(), text);
        }
    }
}

#[test]
fn counterexample_8_only_a_container_that_this_cut_emptied_goes() {
    // The user empties and recreates our container: it is theirs now.
    let file = put("{\"a\": 1}");
    for text in [
        "{\"a\": 1, \"hooks\": {}}",
        "{\"a\": 1, \"hooks\": {\"Stop\": []}}",
        "{\"hooks\": {\"Stop\": [ ] }}",
    ] {
        assert_eq!(taken(file.clone(), text.to_owned()), text);
    }
    // Also when another install has refilled it.
    let mut file = put("{\"a\": 1}");
    file.text = Some("{\"a\": 1, \"hooks\": {\"Stop\": []}}".to_owned());
    file.put(&ours(), false, false).unwrap();
    file.take(&owner("claude"), None, false).unwrap();
    assert_eq!(file.str(), "{\"a\": 1, \"hooks\": {\"Stop\": []}}");
}

#[test]
fn counterexample_9_a_missing_comma_is_no_health() {
    let file = put("{\"hooks\": {\"Stop\": [1]}}");
    let torn = file.str().replacen("1, {", "1 {", 1);
    assert_ne!(torn, file.str());
    let mut file = file;
    file.text = Some(torn.clone());
    let fault = file.take(&owner("claude"), None, true).unwrap_err();
    assert_eq!((fault.code, file.str()), ("unparseable", torn.as_str()));
    assert_eq!(
        file.put(&ours(), false, false).unwrap_err().code,
        "unparseable"
    );
}
