//! The types and keys of a planner, as one table. May not judge what a value says, only what it is.

use super::parse::{Bad, Source, Step};
use serde_json::{Map, Value};

/// Refuses the first value of the wrong type, the first missing key and, in a built-in, the first unknown one.
pub fn check(planner: &Value, source: Source) -> Result<(), Bad> {
    check_at(planner, &PLANNER, source, &mut Vec::new())
}

/// What may stand somewhere in a planner.
enum Shape {
    Any,
    Text,
    Word(&'static [&'static str]),
    Bool,
    Count,
    NullOr(&'static Shape),
    List(&'static Shape),
    Map(&'static Shape),
    Object(&'static [(&'static str, Shape)]),
    /// Event → list, or a plain list; entries themselves have the vendor's keys.
    Entries,
}

const TYPES: [&str; 5] = ["number", "string", "boolean", "object", "array"];
const TEXTS: Shape = Shape::List(&Shape::Text);
const ANSWER: Shape = Shape::Object(&[("allow", Shape::Text), ("block", Shape::Text)]);

const PLANNER: Shape = Shape::Object(&[
    ("protocol", Shape::Count),
    ("name", Shape::Text),
    ("title", Shape::Text),
    ("aliases", TEXTS),
    ("events", TEXTS),
    ("before_tool", TEXTS),
    (
        "detect",
        Shape::Object(&[
            ("commands", TEXTS),
            ("version_args", TEXTS),
            ("dirs", TEXTS),
        ]),
    ),
    ("install", INSTALL),
    ("steps", Shape::Map(&TEXTS)),
    ("loads", Shape::Map(&TEXTS)),
    ("positional_trust", Shape::Bool),
    ("blocks_when_missing", Shape::Bool),
    ("hook", Shape::Any),
]);

const FILES: Shape = Shape::List(&Shape::Object(&[
    ("user_file", Shape::Text),
    ("repo_file", Shape::Text),
    ("local_file", Shape::Text),
    ("root", TEXTS),
]));

const INSTALL: Shape = Shape::Object(&[
    ("user_file", Shape::NullOr(&Shape::Text)),
    ("repo_file", Shape::NullOr(&Shape::Text)),
    ("local_file", Shape::NullOr(&Shape::Text)),
    ("home_env", Shape::Map(&Shape::Text)),
    ("format", Shape::Word(&["json", "jsonc", "toml"])),
    ("root", TEXTS),
    ("entries", Shape::Entries),
    ("version_key", Shape::NullOr(&Shape::Text)),
    ("alternatives", FILES),
    ("legacy", FILES),
    (
        "trees",
        Shape::List(&Shape::Object(&[
            ("path", Shape::Text),
            ("repo_path", Shape::Text),
            ("files", Shape::Map(&Shape::Any)),
            ("legacy", TEXTS),
            ("new_dir_note", Shape::Text),
            ("mode", Shape::Text),
        ])),
    ),
    (
        "repo_command",
        Shape::Object(&[
            ("allow", Shape::Text),
            ("block", Shape::Text),
            ("events", Shape::Map(&ANSWER)),
        ]),
    ),
    (
        "reads",
        Shape::Object(&[
            ("bom", Shape::Bool),
            ("comments", Shape::Bool),
            ("trailing_commas", Shape::Bool),
            ("top_keys", Shape::NullOr(&TEXTS)),
            ("entry_keys", Shape::NullOr(&TEXTS)),
            ("requires", Shape::Map(&Shape::Word(&TYPES))),
            (
                "switches",
                Shape::List(&Shape::Object(&[
                    ("file", Shape::Text),
                    ("path", TEXTS),
                    ("off", Shape::Any),
                ])),
            ),
        ]),
    ),
]);

/// Keys that an object of the table can't do without.
const NEEDED: [(&str, &[&str]); 4] = [
    ("", &["protocol", "name"]),
    ("repo_command", &["allow", "block"]),
    ("trees", &["files"]),
    ("switches", &["path", "off"]),
];

fn check_at(value: &Value, shape: &Shape, source: Source, path: &mut Vec<Step>) -> Result<(), Bad> {
    match (shape, value) {
        (Shape::Any, _)
        | (Shape::Text, Value::String(_))
        | (Shape::Bool, Value::Bool(_))
        | (Shape::NullOr(_), Value::Null) => Ok(()),
        (Shape::Count, Value::Number(n)) if n.as_u64().is_some_and(|n| n <= u32::MAX.into()) => {
            Ok(())
        }
        (Shape::Word(known), Value::String(word)) if known.contains(&word.as_str()) => Ok(()),
        (Shape::Word(known), Value::String(word)) => Err(Bad {
            path: path.clone(),
            message: format!("is `{}`; known: {}", word.escape_debug(), known.join(", ")),
        }),
        (Shape::NullOr(inner), _) => check_at(value, inner, source, path),
        (Shape::List(inner), Value::Array(list)) => each(list, inner, source, path),
        (Shape::Entries, Value::Array(list)) => entries(list, source, path),
        (Shape::Entries, Value::Object(events)) => {
            for (event, list) in events {
                path.push(Step::Key(event.clone()));
                match list {
                    Value::Array(list) => entries(list, source, path)?,
                    other => return Err(wrong(path, "a list of entries", other)),
                }
                path.pop();
            }
            Ok(())
        }
        (Shape::Map(inner), Value::Object(map)) => {
            for (key, value) in map {
                path.push(Step::Key(key.clone()));
                check_at(value, inner, source, path)?;
                path.pop();
            }
            Ok(())
        }
        (Shape::Object(fields), Value::Object(map)) => object(map, fields, source, path),
        _ => Err(wrong(path, name_of(shape), value)),
    }
}

fn each(list: &[Value], shape: &Shape, source: Source, path: &mut Vec<Step>) -> Result<(), Bad> {
    for (i, value) in list.iter().enumerate() {
        path.push(Step::Index(i));
        check_at(value, shape, source, path)?;
        path.pop();
    }
    Ok(())
}

fn object(
    map: &Map<String, Value>,
    fields: &[(&str, Shape)],
    source: Source,
    path: &mut Vec<Step>,
) -> Result<(), Bad> {
    for (key, value) in map {
        path.push(Step::Key(key.clone()));
        match fields.iter().find(|(name, _)| name == key) {
            Some((_, shape)) => check_at(value, shape, source, path)?,
            None if source == Source::External => {}
            None => {
                let known: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
                return Err(Bad {
                    path: path.clone(),
                    message: format!("is unknown; known here: {}", known.join(", ")),
                });
            }
        }
        path.pop();
    }
    let own = path.iter().rev().find_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Index(_) => None,
    });
    for (_, needed) in NEEDED.iter().filter(|(name, _)| *name == own.unwrap_or("")) {
        if let Some(missing) = needed.iter().find(|key| !map.contains_key(**key)) {
            path.push(Step::Key((*missing).to_owned()));
            return Err(Bad {
                path: path.clone(),
                message: "is missing".to_owned(),
            });
        }
    }
    Ok(())
}

/// Entries are the vendor's, so any key may stand there; the few that gitvow itself understands must have
/// their type, in built-ins the time limits too.
fn entries(list: &[Value], source: Source, path: &mut Vec<Step>) -> Result<(), Bad> {
    for (i, value) in list.iter().enumerate() {
        path.push(Step::Index(i));
        let Value::Object(entry) = value else {
            return Err(wrong(path, "an object", value));
        };
        for (key, value) in entry {
            path.push(Step::Key(key.clone()));
            match (key.as_str(), value) {
                ("hooks", Value::Array(inner)) => entries(inner, source, path)?,
                ("hooks", other) => return Err(wrong(path, "a list of entries", other)),
                ("command" | "bash" | "powershell" | "matcher", other) if !other.is_string() => {
                    return Err(wrong(path, "a string", other));
                }
                ("timeout" | "timeoutSec", other)
                    if source == Source::BuiltIn && !other.is_u64() =>
                {
                    return Err(wrong(path, "a whole number", other));
                }
                _ => {}
            }
            path.pop();
        }
        path.pop();
    }
    Ok(())
}

fn wrong(path: &[Step], expected: &str, found: &Value) -> Bad {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Bad {
        path: path.to_vec(),
        message: format!("must be {expected}, not {found}"),
    }
}

fn name_of(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "anything",
        Shape::Text | Shape::Word(_) => "a string",
        Shape::Bool => "true or false",
        Shape::Count => "a small whole number",
        Shape::NullOr(inner) => name_of(inner),
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Object(_) => "an object",
        Shape::Entries => "an object of events or a list of entries",
    }
}
