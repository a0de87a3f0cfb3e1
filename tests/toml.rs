//! TOML: locating, inserting, cutting. Named traps first, then properties over generated text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "toml/cutting.rs"]
mod cutting;
#[path = "toml/inserting.rs"]
mod inserting;
#[path = "toml/properties.rs"]
mod properties;
#[path = "common/toml_text.rs"]
mod toml_text;

use gitvow::doc::{Addition, Comma, Container, Cut, CutRequest, Doc, Hang, Insertion, Root, Shape};
use gitvow::doc::{apply, lookup};
use gitvow::spec::Format;
use serde_json::{Value, json};

fn keys(path: &[&str]) -> Vec<String> {
    path.iter().map(|k| (*k).to_owned()).collect()
}

fn kimi() -> Vec<Root> {
    vec![Root {
        path: keys(&["hooks"]),
        shape: Shape::List,
    }]
}

fn events() -> Vec<Root> {
    vec![Root {
        path: keys(&["hooks"]),
        shape: Shape::Events,
    }]
}

fn entry(event: &str) -> Value {
    json!({"event": event, "matcher": "Bash|Edit", "command": format!("/h/gitvow hook --agent kimi {event}"), "timeout": 30})
}

fn group(name: &str) -> Value {
    json!({"matcher": "Bash", "hooks": [{"type": "command", "command": format!("gitvow hook {name}"), "timeout": 30}]})
}

fn add(path: &[&str], value: Value) -> Addition {
    Addition {
        path: keys(path),
        value,
    }
}

fn open<'a>(text: &'a str, roots: &[Root]) -> Doc<'a> {
    Doc::open(Format::Toml, text, roots).unwrap_or_else(|f| panic!("{f:?} in {text:?}"))
}

fn install(
    text: &str,
    roots: &[Root],
    additions: &[Addition],
    version: Option<&str>,
) -> (String, Insertion) {
    let done = open(text, roots)
        .insert(additions, version)
        .unwrap_or_else(|f| panic!("{f:?} in {text:?}"));
    (apply(text, &done.splices), done)
}

/// Cuts the last equal element for each value, as the reconciler does.
fn uninstall(
    text: &str,
    roots: &[Root],
    ours: &[(Addition, Hang)],
    containers: &[Container],
) -> Result<(String, Cut), String> {
    let doc = Doc::open(Format::Toml, text, roots).map_err(|f| format!("{f:?}"))?;
    let elements = doc.elements();
    let mut requests: Vec<CutRequest> = Vec::new();
    for (addition, hang) in ours {
        let found = elements.iter().rev().find(|e| {
            e.path == addition.path
                && e.value == addition.value
                && !e.comments
                && requests.iter().all(|r| r.span != e.span)
        });
        let found = found.ok_or_else(|| format!("not found: {:?}", addition.value))?;
        requests.push(CutRequest {
            span: found.span.clone(),
            hang: Some(hang.clone()),
        });
    }
    let cut = doc
        .cut(&requests, containers)
        .map_err(|f| format!("{f:?}"))?;
    Ok((less(text, &cut), cut))
}

fn less(text: &str, cut: &Cut) -> String {
    let mut out = String::new();
    let mut at = 0;
    for range in &cut.ranges {
        assert!(range.start >= at, "ranges overlap or don't ascend");
        out.push_str(&text[at..range.start]);
        at = range.end;
    }
    out + &text[at..]
}

fn pairs(additions: &[Addition], done: &Insertion) -> Vec<(Addition, Hang)> {
    additions
        .iter()
        .cloned()
        .zip(done.hangs.iter().cloned())
        .collect()
}

fn refusal(text: &str, roots: &[Root], additions: &[Addition]) -> &'static str {
    match Doc::open(Format::Toml, text, roots) {
        Err(fault) => fault.code,
        Ok(doc) => doc.insert(additions, None).expect_err(text).code,
    }
}

const BLOCK: &str = "[[hooks]]\nevent = \"Stop\"\ntimeout = 5\n";
