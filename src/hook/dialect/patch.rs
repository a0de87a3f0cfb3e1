//! The patch text of Codex, Copilot and Droid, and unified diffs. Pure.
//!
//! One patch can touch several files, so it becomes several calls. Codex 0.171.0 sends the text in
//! `tool_input.command`; Copilot 1.0.102 sends bare text, `{input}` or `{patch}`; Droid sends `{input}`.

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The path as the patch spells it.
    pub path: String,
    /// It is a new file: `after` is its content.
    pub adds: bool,
    /// Lines taken away.
    pub before: String,
    /// Lines added.
    pub after: String,
}

/// The changes of a patch in their order; a move is a change of both names.
/// The error says what is wrong with a text that names no file.
pub fn read(text: &str) -> Result<Vec<Change>, String> {
    let mut changes: Vec<Change> = Vec::new();
    let marked = text
        .lines()
        .map(str::trim_start)
        .any(|l| l.starts_with("*** Begin Patch") || header(l).is_some());
    for line in text.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mark = line.trim_start();
        if let Some((verb, path)) = marked.then(|| header(mark)).flatten() {
            changes.push(Change {
                path: path.to_owned(),
                adds: verb == "*** Add File:",
                ..Change::default()
            });
        } else if marked && mark.starts_with("*** ") {
            // `*** Begin Patch`, `*** End Patch`, `*** End of File`.
        } else if let Some(path) = (!marked).then(|| unified(line)).flatten() {
            if path != "/dev/null" && changes.last().is_none_or(|c| c.path != path) {
                changes.push(Change {
                    path: path.to_owned(),
                    ..Change::default()
                });
            }
        } else if let Some(change) = changes.last_mut() {
            if let Some(added) = line.strip_prefix('+') {
                change.after.push_str(added);
                change.after.push('\n');
            } else if let Some(taken) = line.strip_prefix('-') {
                change.before.push_str(taken);
                change.before.push('\n');
            }
        }
    }
    if changes.is_empty() {
        return Err("the patch names no file".to_owned());
    }
    match changes.iter().find(|c| c.path.is_empty()) {
        Some(_) => Err("the patch has a file without a name".to_owned()),
        None => Ok(changes),
    }
}

/// The file that a line of a unified diff names, a move or a deletion without lines included.
fn unified(line: &str) -> Option<&str> {
    let starts = ["--- ", "+++ ", "rename from ", "rename to ", "copy to "];
    let path = match line.strip_prefix("diff --git ") {
        Some(both) => both.rsplit_once(" b/").map_or(both, |(_, new)| new),
        None => starts.iter().find_map(|start| line.strip_prefix(start))?,
    };
    let path = path.split('\t').next().unwrap_or_default().trim();
    let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    Some(bare.unwrap_or(path))
}

fn header(line: &str) -> Option<(&'static str, &str)> {
    [
        "*** Add File:",
        "*** Update File:",
        "*** Delete File:",
        "*** Move to:",
        "*** Move File To:",
    ]
    .into_iter()
    .find_map(|verb| Some((verb, line.strip_prefix(verb)?.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_named() {
        let changes = read(
            "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.txt\n*** Move to: c/d.txt\n@@\n-old\n+new\n keep\n*** Delete File: e.txt\n*** End Patch\n",
        )
        .unwrap();
        let paths: Vec<_> = changes.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(paths, ["a.txt", "b.txt", "c/d.txt", "e.txt"]);
        assert!(changes[0].adds && changes[0].after == "one\ntwo\n");
        assert_eq!(
            (changes[2].before.as_str(), changes[2].after.as_str()),
            ("old\n", "new\n")
        );
    }

    #[test]
    fn unified_diffs_are_read_and_text_without_files_is_refused() {
        let changes = read("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].path, "x.rs");
        let text = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\ndiff --git a/gone b/gone\ndeleted file mode 100644\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n *** text\n-a\n+b\n";
        let paths: Vec<_> = read(text).unwrap().into_iter().map(|c| c.path).collect();
        assert_eq!(paths, ["new", "old", "new", "gone", "x"]);
        assert!(read("*** Begin Patch\n*** End Patch").is_err());
        assert!(read("").is_err());
    }
}
