//! Has the agent approved our hooks? Codex keeps its trust by position, in its own config.toml (measured 0.171.0):
//! `[hooks.state."<file>:<event>:<group>:<handler>"] trusted_hash = …`. Pure.
//!
//! Whether the hash fits only Codex can tell; it is asked under `--probe`.

use super::codes::{HOOKS_DISABLED, UNTRUSTED};
use super::{Found, Sight};
use crate::doc::{lookup, text::position, toml::TomlDoc};
use crate::ledger::Record;
use crate::plan::paths::{Ground, in_home};
use crate::plan::reconcile::{Seen, Stand};
use crate::spec::{AgentSpec, Format, Scope};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file in which Codex keeps it, relative to HOME.
const CONFIG: &str = ".codex/config.toml";

/// What the agent itself says of its hooks: key → status (`trusted`, `untrusted`, `modified`).
pub type Trust = BTreeMap<String, String>;

/// The file in which the agent keeps its trust; `None`: it asks for none.
pub fn config(spec: &AgentSpec, ground: &Ground<'_>) -> Option<PathBuf> {
    if !spec.positional_trust {
        return None;
    }
    in_home(spec.install.as_ref(), CONFIG, ground).ok()
}

/// Judges the entries of one file.
pub(super) fn judge(
    sight: &Sight<'_>,
    record: &Record,
    text: &str,
    seen: &[&Seen<'_>],
    out: &mut Vec<Found>,
) {
    let spec = sight.of.subject.spec;
    let Some(path) = spec.and_then(|s| config(s, &sight.of.ctx.ground)) else {
        return;
    };
    let bytes = sight.world.get(&path).and_then(|a| a.bytes());
    let config = bytes
        .and_then(|b| std::str::from_utf8(b).ok())
        .unwrap_or("");
    // One that can't be read trusts nothing.
    let read = TomlDoc::open(config, &[]).ok();
    let state = |key: &str, field: &str| state(read.as_ref()?, key, field);
    let title = sight.title();
    let mut untrusted: Vec<&Seen<'_>> = Vec::new();
    // What was moved or runs something else is told as that.
    let ours = |s: &&&Seen<'_>| matches!(s.stand, Stand::Same | Stand::Edited);
    for entry in seen.iter().filter(ours) {
        for handler in 0..handlers(&entry.value) {
            let Some(event) = entry.keys.last() else {
                continue;
            };
            let names = [&record.path, &record.real];
            let keys = names.map(|f| key(f, event, entry.index, handler));
            let trusted = match sight.trust {
                Some(said) => keys
                    .iter()
                    .any(|k| said.get(k).is_some_and(|s| s == "trusted")),
                None => keys.iter().any(|k| state(k, "trusted_hash").is_some()),
            };
            if !trusted {
                untrusted.push(entry);
            } else if let Some((at, _)) = keys
                .iter()
                .find_map(|k| state(k, "enabled").filter(|(_, v)| *v == Value::Bool(false)))
            {
                let mut found = Found::at(
                    HOOKS_DISABLED,
                    &path,
                    format!(
                        "the hook for `{event}` is switched off: `enabled` is false in `{}`",
                        path.display()
                    ),
                    format!("run `/hooks` in {title} and switch it on"),
                );
                found.position = Some(position(config, at));
                found.event = Some(event.clone());
                out.push(found);
            }
        }
    }
    if let Some(first) = untrusted.first() {
        let mut events: Vec<&str> = untrusted
            .iter()
            .filter_map(|s| s.keys.last().map(String::as_str))
            .collect();
        events.dedup();
        let mut found = Found::at(
            UNTRUSTED,
            &record.path,
            format!(
                "{title} has not approved the hooks for {}, and skips them without a word",
                events.join(", ")
            ),
            format!("run `/hooks` in {title} and approve gitvow's hooks"),
        );
        found.position = Some(position(text, first.at));
        out.push(found);
    }
    project(sight, config, &path, out);
}

/// In a repository Codex reads no hooks at all before the project is trusted.
fn project(sight: &Sight<'_>, config: &str, path: &Path, out: &mut Vec<Found>) {
    if sight.of.subject.owner.scope == Scope::User {
        return;
    }
    let tops = [sight.of.ctx.ground.repo, sight.of.ctx.bounds.repo];
    let trusted = tops.into_iter().flatten().any(|top| {
        let keys = ["projects", &top.to_string_lossy(), "trust_level"].map(str::to_owned);
        lookup(Format::Toml, config, &keys).is_some_and(|(_, v)| v == "trusted")
    });
    if let (false, Some(top)) = (trusted, sight.of.ctx.ground.repo) {
        let title = sight.title();
        out.push(Found::at(
            UNTRUSTED,
            path,
            format!(
                "{title} does not trust the project `{}`, and reads no hooks from it",
                top.display()
            ),
            format!("start {title} in it and trust the folder"),
        ));
    }
}

/// The key of one handler.
pub fn key(file: &Path, event: &str, group: usize, handler: usize) -> String {
    let mut snake = String::new();
    for (i, c) in event.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    format!("{}:{snake}:{group}:{handler}", file.display())
}

fn handlers(value: &Value) -> usize {
    value
        .get("hooks")
        .and_then(Value::as_array)
        .map_or(1, Vec::len)
}

fn state(config: &TomlDoc<'_>, key: &str, field: &str) -> Option<(usize, Value)> {
    config.lookup(&["hooks", "state", key, field].map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_codex_s() {
        let key = key(Path::new("/h/.codex/hooks.json"), "PreToolUse", 1, 0);
        assert_eq!(key, "/h/.codex/hooks.json:pre_tool_use:1:0");
        let config = format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:ab\"\n");
        let config = TomlDoc::open(&config, &[]).unwrap();
        assert!(state(&config, &key, "trusted_hash").is_some());
        assert!(state(&config, &key, "enabled").is_none());
    }
}
