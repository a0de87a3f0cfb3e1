//! P6 and P8: what can't be accepted is refused with a position, and nothing panics, hangs or overflows.

use crate::common::engine::{File, JSON_AGENTS, one, owner, seeds, wish};
use crate::common::json_text::{Rng, document};
use crate::common::tree::{Tree, json_tree};
use gitvow::plan::reconcile::Goal;
use gitvow::spec::Format;
use serde_json::json;

const FORMATS: [Format; 3] = [Format::Json, Format::Jsonc, Format::Toml];

#[test]
fn p6_a_document_cut_off_anywhere_is_refused_with_a_position() {
    let step = |len: usize| 1 + len / 200;
    for seed in seeds("p6-cut-off") {
        let text = document(seed, seed % 2 == 0);
        for at in (0..text.len())
            .step_by(step(text.len()))
            .filter(|at| text.is_char_boundary(*at))
        {
            let torn = &text[..at];
            let mut file = File::new(Format::Jsonc, Some(torn));
            let result = file.put(&wish("claude", 0), false, false);
            match (json_tree(torn), result) {
                (Err(_), Err(fault)) => {
                    assert_eq!(fault.code, "unparseable", "seed {seed}\n{torn}");
                    assert!(
                        fault.at.is_some_and(|at| at <= torn.len()),
                        "{fault:?}\n{torn}"
                    );
                }
                (Err(e), Ok(_)) => panic!("seed {seed}: accepted though {e}\n{torn}"),
                // Blank, or cut off behind the document's end.
                (Ok(_), Ok(_)) => {}
                (Ok(_), Err(fault)) => {
                    let path = ["wrong-kind", "duplicate-key", "not-an-object"];
                    assert!(path.contains(&fault.code), "seed {seed} {fault:?}\n{torn}");
                }
            }
        }
    }
}

#[test]
fn p6_what_stands_in_the_way_is_refused_and_what_does_not_is_accepted() {
    let refused = [
        (r#"{"hooks": null}"#, "wrong-kind", 10),
        (r#"{"hooks": []}"#, "wrong-kind", 10),
        (r#"{"hooks": "x"}"#, "wrong-kind", 10),
        (r#"{"hooks": {"PreToolUse": {}}}"#, "wrong-kind", 25),
        (r#"{"hooks": {"PreToolUse": null}}"#, "wrong-kind", 25),
        (r#"{"hooks": {"PreToolUse": 1}}"#, "wrong-kind", 25),
        (r#"{"hooks": {}, "hooks": {}}"#, "duplicate-key", 14),
        (r#"{"hooks": {}, "h\u006foks": {}}"#, "duplicate-key", 14),
        (
            r#"{"hooks": {"PreToolUse": [], "PreToolUse": []}}"#,
            "duplicate-key",
            29,
        ),
        ("[]", "not-an-object", 0),
        ("null", "not-an-object", 0),
        ("  42", "not-an-object", 2),
        (r#"\u{feff}"x""#, "unparseable", 0),
        (r#"{"a": 01}"#, "unparseable", 7),
        (r#"{"a": 1 "b": 2}"#, "unparseable", 8),
        (r#"{'a': 1}"#, "unparseable", 1),
        (r#"{a: 1}"#, "unparseable", 1),
        (r#"{"a": .5}"#, "unparseable", 6),
        (r#"{"a": +1}"#, "unparseable", 6),
        (r#"{"a": NaN}"#, "unparseable", 6),
        (r#"{"a": 0x1}"#, "unparseable", 7),
        (r#"{"a": "\q"}"#, "unparseable", 7),
        (r#"{"a": [1,,2]}"#, "unparseable", 9),
        (r#"{,}"#, "unparseable", 1),
        ("{\"a\": \"\t\"}", "unparseable", 7),
        ("{\"a\":\u{a0}1}", "unparseable", 5),
        ("{} x", "unparseable", 3),
        ("{}{}", "unparseable", 2),
        ("{} # no", "unparseable", 3),
        ("{} /* open", "unparseable", 3),
        ("{\"a\": \"open", "unparseable", 6),
        ("{\"a\": [}", "unparseable", 7),
    ];
    for (text, code, at) in refused {
        let mut file = File::new(Format::Jsonc, Some(text));
        let fault = file.put(&wish("claude", 0), false, false).expect_err(text);
        assert_eq!(fault.code, code, "{text}: {fault:?}");
        let near = fault.at.is_some_and(|found| found.abs_diff(at) <= 1);
        assert!(near, "{text}: {fault:?}, expected at {at}");
        assert_eq!(file.str(), text);
        assert!(file.record.is_none());
    }
    let accepted = [
        r#"{"a": 1, "a": 2}"#,
        r#"{"hooks": {"Other": null, "Other": {}}}"#,
        r#"{"x": {"hooks": null}}"#,
        r#"{"a": "\ud800"}"#,
        r#"{"a": 1e400, "b": -0, "c": 123456789012345678901234567890}"#,
        "",
        "// only\n",
        "\u{feff}",
        "\u{feff}{}",
    ];
    for text in accepted {
        let mut file = File::new(Format::Jsonc, Some(text));
        file.put(&wish("claude", 0), false, false)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        file.take(&owner("claude"), None, false).unwrap();
        assert_eq!(file.bytes(), Some(text.as_bytes()));
    }
}

#[test]
fn p6_refusals_are_pure_and_an_uninstall_survives_the_same_document() {
    for seed in seeds("p6-pure") {
        let mut rng = Rng::new(seed);
        let mut file = File::new(Format::Jsonc, Some(&document(seed, false)));
        if file.put(&wish("claude", 0), false, false).is_err() {
            continue;
        }
        let whole = file.str().to_owned();
        let at = rng.below(whole.len());
        if !whole.is_char_boundary(at) {
            continue;
        }
        file.text = Some(whole[..at].to_owned());
        let before = file.clone();
        let mut again = file.clone();
        let torn = json_tree(&whole[..at]).is_err();
        if let Err(fault) = again.take(&owner("claude"), None, true) {
            assert!(torn && fault.at.is_some(), "seed {seed} {fault:?}");
        } else {
            assert!(!torn, "seed {seed}");
        }
        assert_eq!((&file.text, &file.record), (&before.text, &before.record));
    }
}

#[test]
fn p8_soup_never_panics() {
    const BITS: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\"hooks\"",
        "\"PreToolUse\"",
        "\\",
        "\\u",
        "/",
        "//",
        "/*",
        "*/",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        "0",
        "1e",
        "-",
        "true",
        "null",
        "\u{feff}",
        "é",
        "😀",
        "gitvow hook",
        "\"command\"",
        "=",
        "[[",
        "]]",
        "hooks",
        "'''",
        "\"\"\"",
        "#",
        ".",
        "hooks.PreToolUse",
        "\u{0}",
        "\u{1f}",
        "\u{a0}",
        "\u{2028}",
        "\\ud800",
        "{\"hooks\":{\"PreToolUse\":[",
        "]}}",
        "[[hooks.PreToolUse]]\n",
        "command = \"x\"\n",
        "1979-05-27",
    ];
    for seed in seeds("p8-soup") {
        let mut rng = Rng::new(seed ^ 0x5008);
        let parts = 1 + rng.below(40);
        let text: String = (0..parts).map(|_| rng.pick(BITS)).collect();
        for format in FORMATS {
            let mut file = File::new(format, Some(&text));
            let agent = if format == Format::Toml {
                rng.pick(&["codex", "kimi"])
            } else {
                rng.pick(&JSON_AGENTS)
            };
            if file
                .put(&wish(agent, 0), rng.chance(50), rng.chance(50))
                .is_ok()
            {
                file.take(&owner(agent), None, false)
                    .unwrap_or_else(|e| panic!("seed {seed} {format:?} {text:?} {e:?}"));
                assert_eq!(file.str(), text, "seed {seed} {format:?}");
            }
            let goal = Goal::Take {
                owner: &owner(agent),
                wish: Some(&wish(agent, 1)),
                force: true,
            };
            let _ = file.run(&goal);
        }
    }
}

#[test]
fn p8_soup_over_a_record_never_panics() {
    for seed in seeds("p8-record") {
        let mut rng = Rng::new(seed ^ 0x5EC0);
        let mut file = File::new(Format::Jsonc, Some(&document(seed, false)));
        if file.put(&wish("claude", 0), false, false).is_err() {
            continue;
        }
        // Bytes of the installed text go, come twice or change places.
        let mut chars: Vec<char> = file.str().chars().collect();
        for _ in 0..=rng.below(4) {
            let (a, b) = (rng.below(chars.len()), rng.below(chars.len()));
            match rng.below(3) {
                0 if chars.len() > 1 => {
                    chars.remove(a);
                }
                1 => chars.insert(a, chars[b]),
                _ => chars.swap(a, b),
            }
        }
        file.text = Some(chars.into_iter().collect());
        for force in [false, true] {
            let claude = owner("claude");
            let _ = file.run(&Goal::Take {
                owner: &claude,
                wish: Some(&wish("claude", 0)),
                force,
            });
            for version in [0, 2] {
                let _ = file.run(&Goal::Put {
                    wish: &wish("claude", version),
                    force,
                    adopt: force,
                });
            }
        }
    }
}

/// As small as a main thread anywhere (Windows: 1 MiB). `jsonc-parser` stops at 512 levels, which take about 0.6 MiB
/// unoptimised.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(f)
        .unwrap();
    thread.join().unwrap();
}

#[test]
fn p8_a_million_levels_work_or_are_refused() {
    on_a_small_stack(|| {
        const N: usize = 1_000_000;
        let (open, close) = ("[".repeat(N), "]".repeat(N));
        let objects = format!("{}1{}", r#"{"a":"#.repeat(N / 4), "}".repeat(N / 4));
        let texts = [
            format!(r#"{{"a": {open}{close}}}"#),
            format!(r#"{{"hooks": {{"PreToolUse": [{open}{close}]}}}}"#),
            format!(r#"{{"hooks": {{"PreToolUse": [{{"gitvow": {open}{close}}}]}}}}"#),
            format!(r#"{{"b": {objects}}}"#),
            objects.clone(),
        ];
        for text in texts {
            let mut file = File::new(Format::Jsonc, Some(&text));
            // The oracle's tree is recursive, so only bytes are compared here.
            let goal = wish("claude", 0);
            let out = file
                .run(&Goal::Put {
                    wish: &goal,
                    force: false,
                    adopt: false,
                })
                .unwrap();
            file.text = Some(gitvow::doc::apply(&text, &out.splices));
            file.record = out.record;
            for shortcut in [true, false] {
                file.shortcut = shortcut;
                let out = file
                    .run(&Goal::Take {
                        owner: &owner("claude"),
                        wish: None,
                        force: false,
                    })
                    .unwrap();
                assert!(gitvow::doc::apply(file.str(), &out.splices) == text);
            }
        }
        for text in [open, close, objects[..N].to_owned(), "/*".repeat(N)] {
            let goal = wish("claude", 0);
            let file = File::new(Format::Jsonc, Some(&text));
            let fault = file
                .run(&Goal::Put {
                    wish: &goal,
                    force: false,
                    adopt: false,
                })
                .expect_err("torn");
            assert_eq!(fault.code, "unparseable");
        }
    });
}

#[test]
fn p8_a_million_levels_of_toml_work_or_are_refused() {
    on_a_small_stack(|| {
        const N: usize = 1_000_000;
        let texts = [
            format!("a = {}{}", "[".repeat(N), "]".repeat(N)),
            format!("a = {}{}", "{ b = ".repeat(N), "}".repeat(N)),
            format!("[{}a]", "a.".repeat(N)),
            format!("{}a = 1", "a.".repeat(N)),
            "[[".repeat(N),
        ];
        for text in texts {
            let goal = wish("codex", 0);
            let file = File::new(Format::Toml, Some(&text));
            let _ = file.run(&Goal::Put {
                wish: &goal,
                force: false,
                adopt: false,
            });
        }
    });
}

#[test]
fn p6_numbers_and_strings_of_ours_are_never_mistaken_for_the_users() {
    // A user's element that only mentions gitvow is nobody's but theirs.
    let text = r#"{"hooks": {"Stop": [{"command": "echo gitvow hook --agent claude Stop"}, "gitvow hook docs"]}}"#;
    let mut file = File::new(Format::Json, Some(text));
    let wish = one(
        &["hooks", "Stop"],
        json!({"command": "/b/gitvow hook --agent claude Stop"}),
    );
    file.put(&wish, false, false).unwrap();
    let Some(Tree::List(list)) = file.tree().unwrap().at(&wish.entries[0].path).cloned() else {
        panic!()
    };
    assert_eq!(list.len(), 3);
    file.text = Some(file.str().replacen("hooks", "h\\u006foks", 1));
    file.take(&owner("claude"), Some(&wish), true).unwrap();
    assert_eq!(file.str(), text.replacen("hooks", "h\\u006foks", 1));
}
