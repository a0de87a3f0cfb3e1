//! What clients print when they are asked for their hooks, read. It may not run anything; each reader was made from
//! captured output (`fixtures/<agent>/captures`, version in the name).

use crate::plan::health::Trust;
use serde_json::Value;

/// What a client says of its hooks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// The commands that it has registered; `None`: it doesn't list them.
    pub registered: Option<Vec<String>>,
    /// Its trust in each hook, by key.
    pub trust: Option<Trust>,
    /// What it has against files: the file, and its sentence.
    pub complaints: Vec<(String, String)>,
    /// It doesn't trust the folder that it was asked in.
    pub untrusted_folder: bool,
}

/// `claude doctor` (2.1.332): under `Invalid settings` a line per complaint, `- FILE › KEY: SENTENCE`. Of complaints
/// about a key only those about hooks matter: the rest of the file still applies.
pub fn claude(text: &str) -> Said {
    let mut said = Said::default();
    let section = text
        .lines()
        .skip_while(|l| l.trim() != "Invalid settings")
        .skip(1)
        .take_while(|l| !l.trim().is_empty());
    for line in section {
        let Some(line) = line.trim().strip_prefix("- ") else {
            continue;
        };
        let (file, what) = match line.split_once(" › ") {
            Some((file, what)) if what.starts_with("hooks") => (file, what),
            Some(_) => continue,
            None => match line.split_once(": ") {
                Some(parts) => parts,
                None => continue,
            },
        };
        // It lists every event that there is behind a wrong one.
        let what = what.split(" Valid events:").next().unwrap_or(what);
        said.complaints.push((file.to_owned(), what.to_owned()));
    }
    said
}

/// Codex's app-server (0.171.0), one JSON message a line: the answer to `hooks/list`, which was asked with id 2.
/// `None`: it isn't there.
pub fn codex(text: &str) -> Option<Said> {
    let answer = text
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find(|v| v["id"] == 2)?;
    let mut said = Said::default();
    let mut trust = Trust::new();
    let mut commands = Vec::new();
    for layer in answer["result"]["data"].as_array()? {
        for hook in layer["hooks"].as_array().into_iter().flatten() {
            let text = |key: &str| hook[key].as_str().unwrap_or_default().to_owned();
            trust.insert(text("key"), text("trustStatus"));
            commands.push(text("command"));
        }
        let lists = [&layer["warnings"], &layer["errors"]];
        for what in lists.into_iter().filter_map(Value::as_array).flatten() {
            let what = what
                .as_str()
                .map_or_else(|| what.to_string(), str::to_owned);
            // `failed to parse hooks config FILE: …`
            let file = what
                .split_whitespace()
                .map(|w| w.trim_end_matches(':'))
                .find(|w| w.starts_with('/'));
            said.complaints
                .push((file.unwrap_or_default().to_owned(), what.clone()));
        }
    }
    said.trust = Some(trust);
    said.registered = Some(commands);
    Some(said)
}

/// `grok inspect --json` (1.0.41): a file that it can't read is missing among the hooks, without a word.
pub fn grok(text: &str) -> Option<Said> {
    let value: Value = serde_json::from_str(text.get(text.find('{')?..)?).ok()?;
    let hooks = value["hooks"].as_array()?;
    let target = |h: &Value| h["target"].as_str().map(str::to_owned);
    Some(Said {
        registered: Some(hooks.iter().filter_map(target).collect()),
        untrusted_folder: value["projectTrusted"] == false,
        ..Said::default()
    })
}

/// `kimi doctor` (2.1.0): `ERROR NAME  FILE`, then indented lines.
pub fn kimi(text: &str) -> Said {
    let mut said = Said::default();
    let mut open = false;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("ERROR ") {
            let file = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest);
            said.complaints
                .push((file.trim().to_owned(), String::new()));
            open = true;
        } else if !line.starts_with(' ') {
            open = false;
        } else if open && let Some((_, what)) = said.complaints.last_mut() {
            if !what.is_empty() {
                what.push(' ');
            }
            what.push_str(line.trim());
        }
    }
    said
}
