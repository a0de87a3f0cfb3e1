use super::*;

fn minimal(extra: &str) -> String {
    format!("{{\"protocol\": 1, \"name\": \"x\"{extra}}}")
}

fn says(text: &str, source: Source) -> String {
    parse(text, source).unwrap_err().message
}

#[test]
fn the_seed_documents_block_is_read_with_its_defaults() {
    let text = minimal(
        r#", "events": ["beforeTool"], "install": {"user_file": ".myagent/hooks.json", "repo_file": ".myagent/hooks.json",
        "format": "json", "entries": {"beforeTool": [{"command": "__GITVOW__ hook --agent myagent beforeTool"}]}, "version_key": null}"#,
    );
    let spec = parse(&text, Source::External).unwrap();
    let install = spec.install.unwrap();
    assert_eq!(install.root, ["hooks"]);
    assert_eq!(install.version_key, None);
    assert_eq!(install.local_file, None);
    assert!(install.repo_command.is_none() && install.reads.is_none());
}

#[test]
fn built_ins_take_comments_and_trailing_commas_externals_dont() {
    let text = "// a\n{\"protocol\": 1, /* b */ \"name\": \"x\",}";
    assert_eq!(parse(text, Source::BuiltIn).unwrap().name, "x");
    assert!(says(text, Source::External).starts_with("not JSON"));
    for loose in [
        "{'protocol': 1, \"name\": \"x\"}",
        "{protocol: 1, \"name\": \"x\"}",
        "{\"protocol\": 0x1}",
        "{\"protocol\": 1 \"name\": \"x\"}",
        "{\"protocol\": +1}",
        "",
        "[]",
        "1",
        "{\"protocol\": 1, \"name\": \"x\"} {}",
    ] {
        assert!(parse(loose, Source::BuiltIn).is_err(), "{loose}");
        assert!(parse(loose, Source::External).is_err(), "{loose}");
    }
}

#[test]
fn unknown_keys_are_refused_in_built_ins_at_every_level_and_ignored_in_externals() {
    for (extra, path) in [
        (", \"nonsense\": 1", "`nonsense`"),
        (", \"detect\": {\"nonsense\": 1}", "`detect.nonsense`"),
        (", \"install\": {\"nonsense\": 1}", "`install.nonsense`"),
        (
            ", \"install\": {\"reads\": {\"nonsense\": 1}}",
            "`install.reads.nonsense`",
        ),
        (
            ", \"install\": {\"reads\": {\"switches\": [{\"nonsense\": 1}]}}",
            "`install.reads.switches[0].nonsense`",
        ),
        (
            ", \"install\": {\"repo_command\": {\"events\": {\"a\": {\"nonsense\": 1}}}}",
            "`install.repo_command.events.a.nonsense`",
        ),
        (
            ", \"install\": {\"trees\": [{\"nonsense\": 1}]}",
            "`install.trees[0].nonsense`",
        ),
        (
            ", \"install\": {\"alternatives\": [{\"nonsense\": 1}]}",
            "`install.alternatives[0].nonsense`",
        ),
    ] {
        let message = says(&minimal(extra), Source::BuiltIn);
        assert!(
            message.starts_with(path) && message.contains("unknown"),
            "{message}"
        );
    }
    assert!(parse(&minimal(", \"nonsense\": {\"a\": [1]}"), Source::External).is_ok());
    assert!(
        parse(
            &minimal(", \"detect\": {\"nonsense\": 1}"),
            Source::External
        )
        .is_ok()
    );
}

#[test]
fn a_wrong_type_is_named_by_its_path_and_in_built_ins_by_its_position() {
    let text = "{\n  \"protocol\": 1, \"name\": \"x\",\n  \"install\": {\"user_file\": \"a\", \"entries\": {\n    \"PreToolUse\": [{\"command\": \"__GITVOW__ hook x\",\n     \"timeout\": \"30\"}]}}\n}";
    let error = parse(text, Source::BuiltIn).unwrap_err();
    assert_eq!(
        error.message,
        "`install.entries.PreToolUse[0].timeout` must be a whole number, not a string"
    );
    assert_eq!(error.place.unwrap().position, Some((5, 6)));
    assert_eq!(error.code, "planner");

    for (extra, message) in [
        (
            ", \"aliases\": \"a\"",
            "`aliases` must be a list, not a string",
        ),
        (
            ", \"aliases\": [1]",
            "`aliases[0]` must be a string, not a number",
        ),
        (
            ", \"install\": []",
            "`install` must be an object, not a list",
        ),
        (
            ", \"install\": {\"user_file\": 1}",
            "`install.user_file` must be a string, not a number",
        ),
        (
            ", \"install\": {\"root\": \"hooks\"}",
            "`install.root` must be a list, not a string",
        ),
        (
            ", \"install\": {\"entries\": 1}",
            "`install.entries` must be an object of events or a list of entries, not a number",
        ),
        (
            ", \"install\": {\"entries\": {\"a b\": {}}}",
            "`install.entries[\"a b\"]` must be a list of entries, not an object",
        ),
        (
            ", \"install\": {\"entries\": {\"a\": [[]]}}",
            "`install.entries.a[0]` must be an object, not a list",
        ),
        (
            ", \"install\": {\"entries\": {\"a\": [{\"hooks\": [{\"command\": 1}]}]}}",
            "`install.entries.a[0].hooks[0].command` must be a string, not a number",
        ),
        (
            ", \"install\": {\"entries\": {\"a\": [{\"hooks\": {}}]}}",
            "`install.entries.a[0].hooks` must be a list of entries, not an object",
        ),
        (
            ", \"install\": {\"trees\": [{\"path\": \"a\"}]}",
            "`install.trees[0].files` is missing",
        ),
        (
            ", \"install\": {\"repo_command\": {\"allow\": \"exit 0\"}}",
            "`install.repo_command.block` is missing",
        ),
        (
            ", \"install\": {\"reads\": {\"bom\": 1}}",
            "`install.reads.bom` must be true or false, not a number",
        ),
        (
            ", \"hook\": 1e999",
            "`hook` is no number that can be kept: 1e999",
        ),
    ] {
        assert_eq!(says(&minimal(extra), Source::BuiltIn), message);
        if !extra.contains("1e999") {
            assert_eq!(says(&minimal(extra), Source::External), message);
        }
    }
    assert_eq!(
        says("{\"name\": \"x\"}", Source::External),
        "`protocol` is missing"
    );
    assert_eq!(
        says("{\"protocol\": -1, \"name\": \"x\"}", Source::External),
        "`protocol` must be a small whole number, not a number"
    );
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let text = "{\"protocol\": 1, \"name\": \"x\",\n \"name\": \"y\"}";
    let error = parse(text, Source::BuiltIn).unwrap_err();
    assert_eq!(error.message, "`name` stands twice");
    assert_eq!(error.place.unwrap().position, Some((2, 2)));
    assert_eq!(says(text, Source::External), "`name` stands twice");
}

#[test]
fn an_unknown_format_is_named() {
    let message = says(
        &minimal(", \"install\": {\"format\": \"yaml\"}"),
        Source::BuiltIn,
    );
    assert_eq!(
        message,
        "`install.format` is `yaml`; known: json, jsonc, toml"
    );
}

#[test]
fn absurd_texts_are_refused_without_a_panic() {
    let deep = minimal(&format!(
        ", \"hook\": {}1{}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    ));
    assert!(parse(&deep, Source::BuiltIn).is_err());
    assert!(parse(&deep, Source::External).is_err());
    let long = minimal(&format!(", \"title\": \"{}\"", "x".repeat(MAX_TEXT)));
    assert!(says(&long, Source::External).contains("bytes long"));
}
