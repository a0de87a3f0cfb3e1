//! P5: several owners come, change and go in any order, and the user edits in between.

use crate::common::engine::{File, JSON_AGENTS, owner, wish};
use crate::common::json_edits::Page;
use crate::undo::{is_fair, json_files};
use gitvow::spec::Format;

#[test]
fn p5_any_history_ends_in_the_users_bytes() {
    json_files("p5", |seed, rng, mut file| {
        let strict = file.format == Format::Json;
        let mut fresh = 0;
        let mut here: Vec<&str> = Vec::new();
        let mut log: Vec<String> = vec![format!("start {:?}", file.text)];
        for _ in 0..=rng.below(10) {
            if rng.chance(20) {
                file.shortcut = !file.shortcut;
            }
            match rng.below(10) {
                0..=3 => {
                    let agent = rng.pick(&JSON_AGENTS);
                    let version = rng.below(3);
                    match file.put(&wish(agent, version), false, false) {
                        Ok(_) if here.contains(&agent) => {}
                        Ok(_) => here.push(agent),
                        Err(fault) => assert!(is_fair(&file, &fault), "seed {seed}"),
                    }
                    log.push(format!("put {agent} {version}: {:?}", file.text));
                }
                4 | 5 if !here.is_empty() => {
                    let agent = here.remove(rng.below(here.len()));
                    remove(seed, &mut file, agent, &log);
                    log.push(format!("take {agent}: {:?}", file.text));
                }
                6 if file.text.is_some() => {
                    let newline = rng.pick(&["\n", "\r\n", "\r"]);
                    file.convert(newline);
                    log.push(format!("convert {newline:?}: {:?}", file.text));
                }
                7.. if file.text.is_some() => {
                    let page = Page::new(&file, strict);
                    let edit = if rng.chance(25) {
                        page.append(rng, &mut fresh)
                    } else {
                        page.disjoint(rng, &mut fresh)
                    };
                    if let Some(edit) = edit.filter(|e| e.exact) {
                        file.edit(&edit.splices);
                        log.push(format!("{}: {:?}", edit.kind, file.text));
                    }
                }
                _ => {}
            }
        }
        while !here.is_empty() {
            let agent = here.remove(rng.below(here.len()));
            remove(seed, &mut file, agent, &log);
            log.push(format!("take {agent}: {:?}", file.text));
        }
        assert_eq!(file.text, file.shadow, "seed {seed}\n{}", log.join("\n"));
        assert!(file.record.is_none(), "seed {seed}");
    });
}

fn remove(seed: u64, file: &mut File, agent: &str, log: &[String]) {
    let out = file
        .take(&owner(agent), None, false)
        .unwrap_or_else(|e| panic!("seed {seed} taking {agent}: {e:?}\n{}", log.join("\n")));
    assert!(
        !out.unfinished && out.findings.is_empty(),
        "seed {seed} {:?}\n{}",
        out.findings,
        log.join("\n")
    );
}

#[test]
fn p5_both_orders_of_every_pair() {
    json_files("p5-pairs", |seed, rng, file| {
        let (a, b) = (rng.pick(&JSON_AGENTS), rng.pick(&JSON_AGENTS));
        if a == b {
            return;
        }
        for (first, second) in [(a, b), (b, a)] {
            let mut file = file.clone();
            for agent in [a, b] {
                if file.put(&wish(agent, 0), false, false).is_err() {
                    return;
                }
            }
            let both = file.str().to_owned();
            file.take(&owner(first), None, false).unwrap();
            let mid = file.str().to_owned();
            file.take(&owner(second), None, false).unwrap();
            assert_eq!(
                file.text, file.shadow,
                "seed {seed} {first} first\n--- both\n{both}\n--- one\n{mid}"
            );
        }
    });
}

#[test]
fn p5_taking_nobody_out_changes_nothing() {
    json_files("p5-nobody", |seed, rng, mut file| {
        let agent = rng.pick(&JSON_AGENTS);
        if file.put(&wish(agent, 0), false, false).is_err() {
            return;
        }
        let (text, record) = (file.text.clone(), file.record.clone());
        let out = file.take(&owner("nobody"), None, false).unwrap();
        assert!(out.splices.is_empty() && !out.remove, "seed {seed}");
        assert_eq!((file.text, file.record), (text, record), "seed {seed}");
    });
}
