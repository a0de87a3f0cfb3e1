//! The documents: links that lead somewhere, the README's shape, the glossary's words.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

use std::path::PathBuf;

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        .iter()
        .map(PathBuf::from)
        .collect();
    for folder in ["docs", "docs/design"] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 12, "{found:?}");
    found
}

/// Targets of `[text](target)` outside code blocks.
fn links(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for part in line.split("](").skip(1) {
            found.extend(part.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    found
}

#[test]
fn every_relative_link_leads_to_a_file() {
    let mut seen = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for link in links(&text).iter().filter(|l| !l.contains("://")) {
            let target = link.split('#').next().unwrap();
            let path = document.parent().unwrap().join(target);
            assert!(
                path.exists(),
                "{}: `{link}` leads nowhere",
                document.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 15, "only {seen} links seen");
}

#[test]
fn the_readme_is_short_and_begins_with_the_job_and_the_tests() {
    let text = std::fs::read_to_string("README.md").unwrap();
    assert!(text.lines().count() <= 150);
    let blocks: Vec<&str> = text
        .split("```sh\n")
        .skip(1)
        .map(|b| b.split("```").next().unwrap().trim())
        .collect();
    assert!(
        blocks[0].contains("install") && blocks[0].contains("--dry-run"),
        "{}",
        blocks[0]
    );
    assert_eq!(blocks[1], "cargo test");
    // The README names the built-in agents, each with its planner's folder.
    for entry in std::fs::read_dir("planners").unwrap() {
        let entry = entry.unwrap();
        if entry.path().join("planner.jsonc").exists() {
            let name = entry.file_name().into_string().unwrap();
            assert!(
                text.contains(&format!("| `{name}` ")),
                "README.md lacks the agent `{name}`"
            );
        }
    }
}

#[test]
fn the_glossary_defines_exactly_the_words_of_the_house() {
    let text = std::fs::read_to_string("docs/glossary.md").unwrap();
    let words: Vec<&str> = text
        .lines()
        .filter_map(|l| l.strip_prefix("| **"))
        .map(|l| l.split("**").next().unwrap())
        .collect();
    assert_eq!(
        words,
        [
            "artifact",
            "tree",
            "merge",
            "splice",
            "cut",
            "fingerprint",
            "ledger",
            "record",
            "origin",
            "re-basing",
            "keep",
            "drift",
            "finding",
            "planner",
            "dialect",
            "launcher",
            "own-form",
            "guarded form",
            "inert",
        ]
    );
}
