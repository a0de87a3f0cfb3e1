//! The JSON engine alone, over random text: insert, cut, both orders, newline conversion.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::explicit_auto_deref,
    reason = "helpers of tests are tests too"
)]

mod common {
    pub mod json_text;
}

use common::json_text::{cases, document};
use gitvow::doc::{Addition, Container, CutRequest, Doc, Hang, Root, Shape, apply};
use gitvow::spec::Format;
use serde_json::json;

fn roots() -> Vec<Root> {
    vec![Root {
        path: vec!["hooks".into()],
        shape: Shape::Events,
    }]
}

fn additions(agent: &str) -> Vec<Addition> {
    let group = |event: &str| {
        json!({"matcher": "Bash|Edit", "hooks": [{"type": "command", "timeout": 30,
            "command": format!("/home/u/.gitvow/bin/gitvow hook --agent {agent} {event}")}]})
    };
    ["PreToolUse", "Stop", "SessionStart"]
        .iter()
        .map(|e| Addition {
            path: vec!["hooks".into(), (*e).into()],
            value: group(e),
        })
        .collect()
}

struct Installed {
    additions: Vec<Addition>,
    hangs: Vec<Hang>,
}

fn install(
    text: &str,
    agent: &str,
    containers: &mut Vec<Container>,
) -> Option<(String, Installed)> {
    let additions = additions(agent);
    let doc = Doc::open(Format::Jsonc, text, &roots()).unwrap();
    let insertion = match doc.insert(&additions, None) {
        Ok(i) => i,
        Err(e) => {
            assert!(
                ["wrong-kind", "duplicate-key"].contains(&e.code),
                "{e:?}\n{text}"
            );
            return None;
        }
    };
    for container in insertion.containers.clone() {
        containers.retain(|c| c.path != container.path);
        containers.push(container);
    }
    Some((
        apply(text, &insertion.splices),
        Installed {
            additions,
            hangs: insertion.hangs,
        },
    ))
}

fn uninstall(text: &str, installed: &Installed, containers: &mut Vec<Container>) -> (String, bool) {
    let doc = Doc::open(Format::Jsonc, text, &roots()).unwrap();
    let elements = doc.elements();
    let requests: Vec<CutRequest> = installed
        .additions
        .iter()
        .zip(&installed.hangs)
        .filter_map(|(a, hang)| {
            let found = elements
                .iter()
                .rfind(|e| e.path == a.path && e.value == a.value)?;
            Some(CutRequest {
                span: found.span.clone(),
                hang: Some(hang.clone()),
            })
        })
        .collect();
    let cut = doc
        .cut(&requests, containers)
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    containers.retain(|c| !cut.gone.contains(&c.path));
    let mut out = text.to_owned();
    for range in cut.ranges.iter().rev() {
        out.replace_range(range.clone(), "");
    }
    (out, cut.exact)
}

fn each(f: impl Fn(u64, String)) {
    for seed in 0..cases() {
        f(seed, document(seed, seed % 2 == 0));
    }
}

#[test]
fn p2_uninstall_after_install_gives_the_bytes_back() {
    each(|seed, text| {
        let mut containers = Vec::new();
        if let Some((new, installed)) = install(&text, "claude", &mut containers) {
            let (back, exact) = uninstall(&new, &installed, &mut containers);
            assert_eq!(text, back, "seed {seed}\n--- installed\n{new}");
            assert!(exact, "seed {seed}\n{text}\n---\n{new}");
        }
    });
}

#[test]
fn p5_two_owners_in_both_orders() {
    each(|seed, text| {
        for first_out in [0, 1] {
            let mut containers = Vec::new();
            let Some((one, a)) = install(&text, "claude", &mut containers) else {
                return;
            };
            let (two, b) = install(&one, "qwen", &mut containers).unwrap();
            let (x, y) = if first_out == 0 { (a, b) } else { (b, a) };
            let (mid, _) = uninstall(&two, &x, &mut containers);
            let (back, _) = uninstall(&mid, &y, &mut containers);
            assert_eq!(
                text, back,
                "seed {seed} first out {first_out}\n--- both\n{two}\n--- one\n{mid}"
            );
        }
    });
}

#[test]
fn newline_conversion_commutes() {
    each(|seed, text| {
        if text.contains('\r') {
            return;
        }
        let mut containers = Vec::new();
        if let Some((new, installed)) = install(&text, "claude", &mut containers) {
            let (back, _) = uninstall(&new.replace('\n', "\r\n"), &installed, &mut containers);
            assert_eq!(text.replace('\n', "\r\n"), back, "seed {seed}\n{new}");
        }
    });
}

#[test]
fn strict_json_stays_strict_json() {
    each(|seed, text| {
        let plain = text.trim_start_matches('\u{feff}');
        if serde_json::from_str::<serde::de::IgnoredAny>(plain).is_err() {
            return;
        }
        let mut containers = Vec::new();
        if let Some((new, _)) = install(&text, "claude", &mut containers) {
            let plain = new.trim_start_matches('\u{feff}');
            serde_json::from_str::<serde::de::IgnoredAny>(plain)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{new}"));
        }
    });
}
