//! Reads Rust source as text: comments, strings and tests blanked, paths expanded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One source file.
pub struct Source {
    /// Relative to the folder it was found in (`src/` for product files).
    path: PathBuf,
    /// As it stands.
    pub text: String,
}

/// Every product file under `src/`; files that are tests are left out.
pub fn product() -> Vec<Source> {
    let files = all(&["src"]);
    let tests: BTreeSet<PathBuf> = files.iter().flat_map(Source::test_modules).collect();
    assert!(files.len() > 30, "only {} files under src/", files.len());
    files
        .into_iter()
        .map(|f| Source {
            path: f.path.strip_prefix("src").unwrap().to_owned(),
            text: f.text,
        })
        .filter(|f| {
            !tests
                .iter()
                .any(|t| f.path.starts_with(t) || f.path == t.with_extension("rs"))
        })
        .collect()
}

/// Every `.rs` file under the folders, those that aren't there excepted.
pub fn all(folders: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for folder in folders {
        walk(Path::new(folder), &mut found);
    }
    found.sort();
    found
        .into_iter()
        .map(|path| Source {
            text: std::fs::read_to_string(&path).unwrap(),
            path,
        })
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.map(|e| e.unwrap().path()) {
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Does the path begin with one of these?
pub fn starts_with_any(path: &[String], prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| {
        let prefix: Vec<&str> = prefix.split("::").collect();
        path.len() >= prefix.len() && path.iter().zip(&prefix).all(|(a, b)| a == b)
    })
}

impl Source {
    /// A file of a product that doesn't exist.
    pub fn sample(path: &str, text: &str) -> Self {
        Self {
            path: path.into(),
            text: text.to_owned(),
        }
    }

    /// Its path.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The top-level module it belongs to.
    pub fn room(&self) -> String {
        let first = self.path.components().next().unwrap().as_os_str();
        Path::new(first)
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    }

    /// Is it that file, or in that folder or its module file?
    pub fn is_under(&self, prefix: &str) -> bool {
        self.path.starts_with(prefix) || self.path == Path::new(prefix).with_extension("rs")
    }

    /// Top-level modules of the crate that its code names.
    pub fn rooms_used(&self) -> BTreeSet<String> {
        let here = self.module();
        self.paths()
            .into_iter()
            .filter_map(|path| match path.first()?.as_str() {
                "crate" | "gitvow" => path.get(1).cloned(),
                "super" => {
                    let up = path.iter().take_while(|s| *s == "super").count();
                    let mut absolute = here.get(..here.len().checked_sub(up)?)?.to_vec();
                    absolute.extend(path.into_iter().skip(up));
                    absolute.first().cloned()
                }
                _ => None,
            })
            .collect()
    }

    fn module(&self) -> Vec<String> {
        let mut parts: Vec<String> = self
            .path
            .with_extension("")
            .iter()
            .map(|p| p.to_string_lossy().into_owned())
            .collect();
        if parts.last().is_some_and(|p| p == "mod") {
            parts.pop();
        }
        parts
    }

    /// Every path in its code that begins at a crate or at a module above, braces expanded.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let code = code(&self.text);
        let tokens = tokens(&code);
        let mut found = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let starts = matches!(
                tokens[at].as_str(),
                "crate" | "super" | "gitvow" | "std" | "core" | "fs_err" | "rustix"
            );
            if starts && (at == 0 || tokens[at - 1] != "::") {
                at = tree(&tokens, at, &[], &mut found);
            } else {
                at += 1;
            }
        }
        found
    }

    /// Paths (relative to `src/`, without extension) of modules declared behind `#[cfg(test)]`.
    fn test_modules(&self) -> Vec<PathBuf> {
        let path = self.path.strip_prefix("src").unwrap_or(&self.path);
        let folder = match path.file_stem().unwrap().to_str().unwrap() {
            "mod" | "lib" | "main" => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        let mut found = Vec::new();
        for part in self.text.split("#[cfg(test)]").skip(1) {
            let part = part.trim_start();
            let (file, declaration) = match part.strip_prefix("#[path = \"") {
                Some(rest) => match rest.split_once("\"]") {
                    Some((file, rest)) => (Some(file), rest.trim_start()),
                    None => continue,
                },
                None => (None, part),
            };
            let declaration = declaration.strip_prefix("pub ").unwrap_or(declaration);
            let name = declaration
                .strip_prefix("mod ")
                .and_then(|d| d.split_once(';'));
            match (file, name) {
                // A `#[path]` counts from the folder that the declaring file stands in.
                (Some(file), Some(_)) => {
                    found.push(path.parent().unwrap().join(file).with_extension(""));
                }
                (None, Some((name, _))) if !name.contains('{') => found.push(folder.join(name)),
                _ => {}
            }
        }
        found
    }
}

/// Reads the use tree or path that begins at `at`; where it ends.
fn tree(tokens: &[String], at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    let mut at = at;
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|t| t != "}") {
                    at = if tokens[at] == "," {
                        at + 1
                    } else {
                        tree(tokens, at, &path, found)
                    };
                }
                return at + 1;
            }
            Some("self") if !path.is_empty() => at += 1,
            Some(word) if is_word(word) || word == "*" => {
                path.push(word.to_owned());
                at += 1;
            }
            _ => return at + 1,
        }
        if tokens.get(at).is_some_and(|t| t == "::")
            && tokens
                .get(at + 1)
                .is_some_and(|t| t == "{" || t == "*" || is_word(t))
        {
            at += 1;
            continue;
        }
        found.push(path);
        // `as NAME` renames, and is no path of its own.
        return if tokens.get(at).is_some_and(|t| t == "as") {
            at + 2
        } else {
            at
        };
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(code: &str) -> Vec<String> {
    let chars: Vec<char> = code.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_alphanumeric() || c == '_' {
            let start = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            found.push(chars[start..at].iter().collect());
        } else if c == ':' && chars.get(at + 1) == Some(&':') {
            found.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
            at += 1;
        }
    }
    found
}

/// The code alone: comments, string and character literals blanked, an inline test module at the end cut off.
fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        let skipped = match rest {
            ['/', '/', ..] => rest.iter().take_while(|c| **c != '\n').count(),
            ['/', '*', ..] => block_comment(rest),
            ['r', '"', ..] | ['r', '#', ..] if !word_before(&chars, at) => raw_string(rest),
            ['"', ..] => quoted(rest, '"'),
            ['\'', '\\', ..] | ['\'', _, '\'', ..] => quoted(rest, '\''),
            _ => 0,
        };
        if skipped == 0 {
            out.push(chars[at]);
            at += 1;
        } else {
            out.push(' ');
            at += skipped;
        }
    }
    let tests = out.find("#[cfg(test)]").filter(|i| {
        let after = out[*i + "#[cfg(test)]".len()..].trim_start();
        after.starts_with("mod ")
    });
    tests.map_or(out.clone(), |i| out[..i].to_owned())
}

fn word_before(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let end: String = std::iter::once('"')
        .chain(std::iter::repeat_n('#', hashes))
        .collect();
    let body: String = rest[2 + hashes..].iter().collect();
    match body.find(&end) {
        Some(i) => 2 + hashes + body[..i].chars().count() + end.len(),
        None => rest.len(),
    }
}

fn block_comment(rest: &[char]) -> usize {
    let (mut at, mut depth) = (2, 1);
    while at < rest.len() && depth > 0 {
        match rest[at..] {
            ['/', '*', ..] => (at, depth) = (at + 2, depth + 1),
            ['*', '/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}
