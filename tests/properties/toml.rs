//! P1 to P5 and P9 for TOML, through reconcile: two owners of one kind of root, and one with a root of its own.

use crate::common::engine::{File, TOML_AGENTS, owner, pruned, seeds, tidy, tree, wish};
use crate::common::toml_text::Gen;
use crate::common::tree::{Tree, toml_tree};
use gitvow::ledger::Merge;
use gitvow::spec::Format;
use std::ops::Range;

fn toml_files(property: &str, mut f: impl FnMut(u64, &mut Gen, File, [&'static str; 3])) {
    for seed in seeds(property) {
        let mut rng = Gen::new(seed);
        let agents = TOML_AGENTS[(seed % 2) as usize];
        let event = (seed % 2 == 0).then_some("PreToolUse");
        let text = (!rng.one_in(25)).then(|| rng.document(event).text);
        let mut file = File::new(Format::Toml, text.as_deref());
        file.shortcut = rng.one_in(2);
        f(seed, &mut rng, file, agents);
    }
}

/// Less the empty lists and tables on our paths: an array of tables without a table is nothing in TOML.
fn bare(mut tree: Tree, record: &Merge) -> Tree {
    for entry in &record.entries {
        let filled = record
            .containers
            .iter()
            .any(|c| c.created.is_none() && c.path == entry.path);
        for len in (1..=entry.path.len()).rev().filter(|_| !filled) {
            tree.drop_empty(&entry.path[..len]);
        }
    }
    tidy(tree, record).sorted()
}

/// Accepted, or a refusal that says where.
fn put(seed: u64, file: &mut File, agent: &str, version: usize) -> bool {
    match file.put(&wish(agent, version), false, false) {
        Ok(_) => true,
        Err(fault) => {
            let fair = ["wrong-kind", "conflict", "duplicate-key"].contains(&fault.code);
            assert!(
                fair && fault.at.is_some(),
                "seed {seed} {agent} {fault:?}\n{}",
                file.str()
            );
            false
        }
    }
}

#[test]
fn p1_p2_p4_there_and_back() {
    toml_files("toml-p2", |seed, rng, file, agents| {
        let agent = rng.pick(&agents);
        for shortcut in [true, false] {
            let mut file = file.clone();
            file.shortcut = shortcut;
            let notes = file.comments();
            if !put(seed, &mut file, agent, 0) {
                return;
            }
            assert_eq!(file.comments(), notes, "seed {seed}\n{}", file.str());
            let record = file.record.clone().unwrap();
            let old = tree(Format::Toml, file.shadow.as_deref().unwrap_or("")).unwrap();
            assert_eq!(
                bare(pruned(file.tree().unwrap(), &record), &record),
                bare(old, &record),
                "seed {seed}\n{}",
                file.str()
            );
            let again = file.put(&wish(agent, 0), false, false).unwrap();
            assert!(
                again.splices.is_empty() && again.findings.is_empty(),
                "seed {seed} {:?}\n{}",
                again.findings,
                file.str()
            );
            assert_eq!(file.record.as_ref(), Some(&record));
            let installed = file.str().to_owned();
            file.take(&owner(agent), None, false).unwrap();
            assert_eq!(
                file.text, file.shadow,
                "seed {seed} shortcut {shortcut}\n--- installed\n{installed}"
            );
        }
    });
}

#[test]
fn an_upgrade_is_undone() {
    toml_files("toml-upgrade", |seed, rng, mut file, agents| {
        let agent = rng.pick(&agents);
        if !put(seed, &mut file, agent, 0) {
            return;
        }
        for version in [1, 2, 0] {
            file.put(&wish(agent, version), false, false)
                .unwrap_or_else(|e| panic!("seed {seed} to {version} {e:?}\n{}", file.str()));
            let again = file.put(&wish(agent, version), false, false).unwrap();
            assert!(
                again.splices.is_empty() && again.findings.is_empty(),
                "seed {seed} {:?}",
                again.findings
            );
        }
        let installed = file.str().to_owned();
        file.take(&owner(agent), None, false).unwrap();
        assert_eq!(
            file.text, file.shadow,
            "seed {seed}\n--- installed\n{installed}"
        );
    });
}

#[test]
fn p3_newline_conversion_commutes() {
    toml_files("toml-newlines", |seed, rng, file, agents| {
        let agent = rng.pick(&agents);
        // A lone CR is no newline of TOML's.
        for newline in ["\r\n", "\n"] {
            let mut file = file.clone();
            if !put(seed, &mut file, agent, 0) {
                return;
            }
            file.convert(newline);
            let edited = file.str().to_owned();
            file.take(&owner(agent), None, false).unwrap();
            assert_eq!(
                file.text, file.shadow,
                "seed {seed} to {newline:?}\n{edited}"
            );
        }
    });
}

/// A line typed, deleted or appended where it touches nothing of ours; says what was done.
fn edit(rng: &mut Gen, file: &mut File, fresh: &mut usize) -> Option<&'static str> {
    *fresh += 1;
    let text = file.str();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let soft = |c: char| " \t\r\n,".contains(c);
    let near = |range: &Range<usize>| {
        file.ours.iter().any(|o| {
            let start = text[..o.start].trim_end_matches(soft).len();
            let end = text.len() - text[o.end..].trim_start_matches(soft).len();
            range.start <= end && start <= range.end
        })
    };
    let mut starts: Vec<usize> = vec![if text.starts_with('\u{feff}') { 3 } else { 0 }];
    starts.extend(text.match_indices('\n').map(|(i, _)| i + 1));
    let (kind, splice) = match rng.below(5) {
        0 => {
            // Behind everything, a blank line first: adjoining only by the newline that was ours to end the line with.
            let ends = text.ends_with('\n');
            let section = format!("{newline}[typed{fresh}]{newline}q = 1 # typed{newline}");
            (
                "a section behind",
                ends.then_some((text.len()..text.len(), section))?,
            )
        }
        kind @ 1..=3 => {
            let at = rng.pick(&starts);
            let line = match kind {
                1 => format!("# typed {fresh} [[hooks]]{newline}"),
                2 => format!("typed{fresh} = '[[hooks]]' # typed{newline}"),
                _ => newline.to_owned(),
            };
            if near(&(at..at)) {
                return None;
            }
            ("a line typed", (at..at, line))
        }
        _ => {
            let n = rng.below(starts.len());
            let range = starts[n]..*starts.get(n + 1)?;
            if near(&range) {
                return None;
            }
            ("a line deleted", (range, String::new()))
        }
    };
    let mut edited = file.clone();
    edited.edit(&vec![splice]);
    let record = file.record.as_ref();
    // Only what leaves a file that is TOML with and without us, and our entries what they were.
    let with = toml_tree(edited.str()).ok()??;
    toml_tree(edited.shadow.as_deref().unwrap_or("")).ok()?;
    let whole = |e: &gitvow::ledger::Entry| with.count(&e.path, &Tree::of(&e.value)) > 0;
    if !record.is_none_or(|r| r.entries.iter().all(whole)) {
        return None;
    }
    *file = edited;
    Some(kind)
}

#[test]
fn p3_disjoint_edits_commute_byte_for_byte() {
    toml_files("toml-p3", |seed, rng, mut file, agents| {
        let agent = rng.pick(&agents);
        if file.text.is_none() || !put(seed, &mut file, agent, 0) {
            return;
        }
        let installed = file.str().to_owned();
        let mut kinds = Vec::new();
        let mut fresh = 0;
        for _ in 0..=rng.below(3) {
            kinds.extend(edit(rng, &mut file, &mut fresh));
        }
        let edited = file.str().to_owned();
        file.take(&owner(agent), None, false)
            .unwrap_or_else(|e| panic!("seed {seed} {kinds:?} {e:?}\n{edited}"));
        assert_eq!(
            file.text, file.shadow,
            "seed {seed} {kinds:?}\n--- installed\n{installed}\n--- edited\n{edited}"
        );
    });
}

#[test]
fn p5_any_history_ends_in_the_users_bytes() {
    toml_files("toml-p5", |seed, rng, mut file, agents| {
        let mut here: Vec<&str> = Vec::new();
        let mut fresh = 0;
        let mut log = vec![format!("start {:?}", file.text)];
        for _ in 0..=rng.below(10) {
            if rng.one_in(5) {
                file.shortcut = !file.shortcut;
            }
            match rng.below(10) {
                0..=3 => {
                    let (agent, version) = (rng.pick(&agents), rng.below(3));
                    log.push(format!("put {agent} {version}"));
                    if put(seed, &mut file, agent, version) && !here.contains(&agent) {
                        here.push(agent);
                    }
                }
                4 | 5 if !here.is_empty() => {
                    let agent = here.remove(rng.below(here.len()));
                    log.push(format!("take {agent}"));
                    remove(seed, &mut file, agent, &log);
                }
                6 if file.text.is_some() => {
                    let newline = rng.pick(&["\n", "\r\n"]);
                    log.push(format!("convert {newline:?}"));
                    file.convert(newline);
                }
                7.. if file.shadow.is_some() => {
                    if let Some(kind) = edit(rng, &mut file, &mut fresh) {
                        log.push(kind.to_owned());
                    }
                }
                _ => continue,
            }
            log.push(format!("    {:?}", file.text));
        }
        while !here.is_empty() {
            let agent = here.remove(rng.below(here.len()));
            log.push(format!("take {agent}"));
            remove(seed, &mut file, agent, &log);
            log.push(format!("    {:?}", file.text));
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
fn p9_after_a_reprint_nothing_of_ours_is_left() {
    toml_files("toml-p9", |seed, rng, mut file, agents| {
        let agents: Vec<&str> = agents.into_iter().filter(|_| rng.one_in(2)).collect();
        for agent in &agents {
            if !put(seed, &mut file, agent, 0) {
                return;
            }
        }
        let Some(record) = file.record.clone() else {
            return;
        };
        let document: toml_edit::DocumentMut = file.str().parse().unwrap();
        let text = document.to_string();
        file.text = Some(text.clone());
        let before = file.tree().unwrap();
        for agent in &agents {
            let out = file
                .take(&owner(agent), None, false)
                .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{text}"));
            assert!(
                !out.unfinished && out.findings.is_empty(),
                "seed {seed} {:?}\n{text}",
                out.findings
            );
        }
        let got = bare(file.tree().unwrap(), &record);
        assert_eq!(
            got,
            bare(pruned(before, &record), &record),
            "seed {seed}\n{text}\n---\n{}",
            file.str()
        );
        assert!(
            !file.str().contains("bin/gitvow hook"),
            "seed {seed}\n{}",
            file.str()
        );
    });
}
