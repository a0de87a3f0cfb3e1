//! What an MCP tool reaches besides its server: a shell line or files among its arguments, under the names that servers
//! give them. Pure.
//!
//! Nothing says what a server does with an argument, so this is a guess by names; rules about the tool's own name hold
//! beside it.

use super::arguments::every;
use super::call::Tool;
use super::json::Json;
use std::borrow::Cow;

/// Where the arguments themselves stand, when another tool carries them (Antigravity, Grok).
const CARRIED: [&str; 3] = ["Arguments", "arguments", "tool_input"];

const COMMANDS: [&str; 4] = ["command", "cmd", "command_line", "commandLine"];

const PATHS: [&str; 20] = [
    "path",
    "file_path",
    "filePath",
    "file",
    "filename",
    "target_file",
    "relative_path",
    "pathInProject",
    "uri",
    "source",
    "destination",
    "target",
    "old_path",
    "new_path",
    "paths.*",
    "files.*",
    "files.*.path",
    "edits.*.path",
    "edits.*.file_path",
    "edits.*.filePath",
];

/// What the name of a tool that writes begins a word with.
const WRITES: [&str; 18] = [
    "write", "edit", "create", "save", "append", "replace", "insert", "patch", "update", "move",
    "rename", "copy", "delete", "remove", "mkdir", "truncate", "upsert", "download",
];

/// The tool of that canonical name with what its arguments reach; one tool a file.
pub(super) fn tools<'b>(name: Cow<'static, str>, input: Option<&'b Json<'b>>) -> Vec<Tool<'b>> {
    let input = input.map(|i| {
        CARRIED
            .iter()
            .find_map(|n| i.get(n).filter(|v| v.is_object()))
            .unwrap_or(i)
    });
    let command = input.and_then(|i| COMMANDS.iter().find_map(|n| i.get(n)?.str()));
    let mut files = Vec::new();
    if let Some(input) = input
        && writes(&name)
    {
        PATHS
            .iter()
            .for_each(|path| every(input, input, path, &mut files));
    }
    let one = |file: Option<&'b str>| Tool {
        name: name.clone(),
        command: command.map(Cow::Borrowed),
        file_path: file.map(|f| Cow::Borrowed(f.strip_prefix("file://").unwrap_or(f))),
        ..Tool::default()
    };
    match files.is_empty() {
        true => vec![one(None)],
        false => files.into_iter().map(|(_, file)| one(Some(file))).collect(),
    }
}

/// Does the tool's name (behind the server's) speak of writing?
fn writes(name: &str) -> bool {
    let tool = name.splitn(3, "__").nth(2).unwrap_or(name);
    let mut words: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in tool.chars() {
        // `write_file`, `writeFile`.
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
        .iter()
        .any(|w| WRITES.iter().any(|known| w.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_writes() {
        for name in [
            "mcp__fs__write_file",
            "mcp__fs__writeFile",
            "mcp__fs__multi_edit",
            "mcp__a__b-delete-c",
            "mcp__x__DeleteFile",
        ] {
            assert!(writes(name), "{name}");
        }
        for name in [
            "mcp__editor__read_file",
            "mcp__fs__list",
            "mcp__fs__compute",
            "mcp__write__search",
            "mcp__a__credits",
        ] {
            assert!(!writes(name), "{name}");
        }
    }

    #[test]
    fn lines_and_files_are_found_among_the_arguments() {
        let of = |name: &'static str, input: &str| {
            let json = Json::parse(input.as_bytes()).unwrap();
            let tools = tools(Cow::Borrowed(name), Some(&json));
            let texts = tools.iter().map(|t| {
                (
                    t.command.clone().unwrap_or_default().into_owned(),
                    t.file_path.clone().unwrap_or_default().into_owned(),
                )
            });
            texts.collect::<Vec<_>>()
        };
        let owned = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of("mcp__sh__run", r#"{"command":"ls"}"#),
            owned(&[("ls", "")])
        );
        assert_eq!(
            of("mcp__fs__read_file", r#"{"path":"/a"}"#),
            owned(&[("", "")])
        );
        assert_eq!(
            of("mcp__fs__move", r#"{"source":"/a","destination":"/b"}"#),
            owned(&[("", "/a"), ("", "/b")])
        );
        assert_eq!(
            of("mcp__fs__write", r#"{"Arguments":{"uri":"file:///a"}}"#),
            owned(&[("", "/a")])
        );
        assert_eq!(
            of(
                "mcp__fs__edit",
                r#"{"edits":[{"path":"/a"},{"path":"/b"}]}"#
            ),
            owned(&[("", "/a"), ("", "/b")])
        );
        assert_eq!(
            of("mcp__db__run", r#"{"command":{"x":1}}"#),
            owned(&[("", "")])
        );
    }
}
