//! Would the vendor read this file? Entries that its reader never sees are a fiction of a gate. Pure.

use super::paths::SwitchTarget;
use super::world::World;
use crate::doc::{Doc, Root, Shape, lookup, text::position};
use crate::error::Error;
use crate::plan::admit::quoted;
use crate::spec::{Entries, Format, Install, Reads};
use std::path::Path;

/// A reason why entries would be inert.
#[derive(Debug, Clone, PartialEq)]
pub struct Inert {
    /// `vendor-cannot-read` or `hooks-disabled`.
    pub code: &'static str,
    /// What and where.
    pub error: Error,
}

/// Every reason in the text of one file, as `doc` read it. `ours_to_make`: the file is absent or blank, so that we
/// write what it requires.
pub fn in_text(
    title: &str,
    path: &Path,
    text: &str,
    doc: &Doc<'_>,
    reads: &Reads,
    ours_to_make: bool,
) -> Vec<Inert> {
    let mut out = Vec::new();
    let mut add = |at: usize, what: String, help: String| {
        let (line, column) = position(text, at);
        let message = format!("`{}`: {title} would not read it: {what}", path.display());
        let error = Error::refused("inert", message)
            .at(path)
            .position(line, column)
            .help(help);
        out.push(Inert {
            code: "vendor-cannot-read",
            error,
        });
    };
    let extras = doc.extras();
    let force = "or write all the same with `--force`";
    if extras.bom && !reads.bom {
        let help = format!(
            "take it off: sed -i '1s/^\\xef\\xbb\\xbf//' {}, {force}",
            quoted(path)
        );
        add(0, "it begins with a byte order mark".to_owned(), help);
    }
    if let Some(at) = extras.comment
        && !reads.comments
    {
        add(
            at,
            "a comment stands in it".to_owned(),
            format!("take the comment out, {force}"),
        );
    }
    if let Some(at) = extras.trailing_comma
        && !reads.trailing_commas
    {
        add(
            at,
            "a comma stands before a closing bracket".to_owned(),
            format!("take the comma out, {force}"),
        );
    }
    if let Some(allowed) = &reads.top_keys {
        for (key, at) in doc.top_level() {
            if !allowed.contains(&key) {
                let help = format!("take `{key}` out, {force}");
                add(
                    at,
                    format!(
                        "the top-level key `{key}` is not one of {}",
                        allowed.join(", ")
                    ),
                    help,
                );
            }
        }
    }
    if !ours_to_make {
        let format = match doc {
            Doc::Json(_) => Format::Jsonc,
            Doc::Toml(_) => Format::Toml,
        };
        for (key, kind) in &reads.requires {
            let found = doc.member(key);
            let fits = found.as_ref().is_some_and(|(_, v)| match kind.as_str() {
                "number" => v.is_number(),
                "string" => v.is_string(),
                "boolean" => v.is_boolean(),
                _ => true,
            });
            if !fits {
                let at = lookup(format, text, std::slice::from_ref(key)).map_or(0, |(at, _)| at);
                let help = format!("add `\"{key}\": 1` at its top level, {force}");
                add(
                    at,
                    format!("it has no top-level `{key}` that is a {kind}"),
                    help,
                );
            }
        }
    }
    out
}

/// Keys in anybody's entry that void all of them.
pub fn entry_keys(title: &str, path: &Path, install: &Install, text: &str) -> Vec<Inert> {
    let Some(allowed) = install.reads.as_ref().and_then(|r| r.entry_keys.as_ref()) else {
        return Vec::new();
    };
    let root = Root {
        path: install.root.clone(),
        shape: match install.entries {
            Entries::List(_) => Shape::List,
            Entries::Events(_) => Shape::Events,
        },
    };
    let Ok(doc) = Doc::open(install.format, text, &[root]) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for element in doc.elements() {
        let keys = element.value.as_object().into_iter().flatten();
        for (key, _) in keys.filter(|(key, _)| !allowed.contains(key)) {
            let (line, column) = position(text, element.span.start);
            let message = format!(
                "`{}`: {title} would run no hook at all: `{key}` in this entry is not one of {}",
                path.display(),
                allowed.join(", ")
            );
            let error = Error::refused("inert", message)
                .at(path)
                .position(line, column)
                .help(format!(
                    "take `{key}` out, or write all the same with `--force`"
                ));
            out.push(Inert {
                code: "vendor-cannot-read",
                error,
            });
        }
    }
    out
}

/// Every vendor setting that switches hooks off.
pub fn switches(
    title: &str,
    target: &Path,
    switches: &[SwitchTarget],
    world: &World,
) -> Vec<Inert> {
    let mut out = Vec::new();
    for switch in switches {
        let path = switch.path.as_deref().unwrap_or(target);
        let bytes = world.get(path).and_then(|a| a.bytes());
        let Some(text) = bytes.and_then(|b| std::str::from_utf8(b).ok()) else {
            continue;
        };
        let format = if switch.format == Format::Toml {
            Format::Toml
        } else {
            Format::Jsonc
        };
        if let Some((at, value)) = lookup(format, text, &switch.keys)
            && super::matching::same(&value, &switch.off)
        {
            let (line, column) = position(text, at);
            let keys = switch.keys.join(".");
            let message = format!(
                "`{}`: `{keys}` is {value}: {title} runs no hooks",
                path.display()
            );
            let error = Error::refused("hooks-disabled", message)
                .at(path)
                .position(line, column)
                .help(format!(
                    "change `{keys}` there, or write all the same with `--force`"
                ));
            out.push(Inert {
                code: "hooks-disabled",
                error,
            });
        }
    }
    out
}
