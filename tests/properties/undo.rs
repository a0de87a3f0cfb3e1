//! P1, P2, P4, P7: nothing happens between install and uninstall.

use crate::common::engine::{File, JSON_AGENTS, comments, owner, pruned, seeds, tree, wish};
use crate::common::json_text::{Rng, document};
use crate::common::tree::Tree;
use gitvow::spec::Format;

/// Random JSON documents: strict for even seeds, and now and then no file at all.
pub fn json_files(property: &str, mut f: impl FnMut(u64, &mut Rng, File)) {
    for seed in seeds(property) {
        let mut rng = Rng::new(seed ^ 0xA5A5_5A5A);
        let strict = seed % 2 == 0;
        let format = if strict { Format::Json } else { Format::Jsonc };
        let text = (!rng.chance(4)).then(|| document(seed, strict));
        let mut file = File::new(format, text.as_deref());
        file.shortcut = rng.chance(50);
        f(seed, &mut rng, file);
    }
}

/// Faults that an accepted document may meet on the path.
pub fn is_fair(file: &File, fault: &gitvow::doc::Fault) -> bool {
    let stands_in_the_way =
        ["wrong-kind", "duplicate-key", "not-an-object", "conflict"].contains(&fault.code);
    assert!(
        stands_in_the_way && fault.at.is_some(),
        "{fault:?}\n{}",
        file.str()
    );
    true
}

#[test]
fn p1_a_second_install_writes_nothing() {
    json_files("p1", |seed, rng, mut file| {
        let wish = wish(rng.pick(&JSON_AGENTS), 0);
        if let Err(fault) = file.put(&wish, false, false) {
            assert!(is_fair(&file, &fault));
            return;
        }
        let record = file.record.clone();
        for shortcut in [true, false] {
            file.shortcut = shortcut;
            let out = file.put(&wish, false, false).unwrap();
            assert!(
                out.splices.is_empty() && !out.remove && !out.unfinished,
                "seed {seed}\n{}",
                file.str()
            );
            assert!(
                out.findings.is_empty(),
                "seed {seed} {:?}\n{}",
                out.findings,
                file.str()
            );
            assert_eq!(file.record, record, "seed {seed}");
        }
    });
}

#[test]
fn p2_uninstall_gives_bytes_and_absence_back() {
    json_files("p2", |seed, rng, file| {
        let agent = rng.pick(&JSON_AGENTS);
        for shortcut in [true, false] {
            let mut file = file.clone();
            file.shortcut = shortcut;
            if let Err(fault) = file.put(&wish(agent, 0), false, false) {
                assert!(is_fair(&file, &fault));
                return;
            }
            let installed = file.str().to_owned();
            let out = file.take(&owner(agent), None, false).unwrap();
            assert_eq!(
                file.text, file.shadow,
                "seed {seed} shortcut {shortcut}\n--- installed\n{installed}"
            );
            assert!(file.record.is_none() && !out.unfinished && out.findings.is_empty());
        }
    });
}

#[test]
fn p4_an_install_adds_and_changes_nothing() {
    json_files("p4", |seed, rng, mut file| {
        let wish = wish(rng.pick(&JSON_AGENTS), 0);
        let (before, notes) = (file.str().to_owned(), file.comments());
        if file.put(&wish, false, false).is_err() {
            return;
        }
        let new = file.str();
        assert_eq!(comments(file.format, new), notes, "seed {seed}");
        let record = file.record.clone().unwrap();
        let (Some(old_tree), Some(new_tree)) = (tree(file.format, &before), tree(file.format, new))
        else {
            return;
        };
        assert_eq!(
            pruned(new_tree.clone(), &record),
            old_tree,
            "seed {seed}\n{new}"
        );
        for entry in &wish.entries {
            let Some(Tree::List(list)) = new_tree.at(&entry.path) else {
                panic!("seed {seed}: no list\n{new}")
            };
            assert_eq!(
                list.last(),
                Some(&Tree::of(&entry.value)),
                "seed {seed}: last in its list\n{new}"
            );
        }
        if file.format == Format::Json {
            let plain = new.trim_start_matches('\u{feff}');
            assert!(
                serde_json::from_str::<serde::de::IgnoredAny>(plain).is_ok()
                    || serde_json::from_str::<serde::de::IgnoredAny>(
                        before.trim_start_matches('\u{feff}')
                    )
                    .is_err(),
                "seed {seed}: strict JSON stays strict\n{new}"
            );
        }
    });
}

#[test]
fn an_upgrade_stands_in_the_old_ones_place_and_is_undone() {
    json_files("upgrade", |seed, rng, mut file| {
        let agent = rng.pick(&JSON_AGENTS);
        if file.put(&wish(agent, 0), false, false).is_err() {
            return;
        }
        for version in [1, 2, 0] {
            file.put(&wish(agent, version), false, false)
                .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{}", file.str()));
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
