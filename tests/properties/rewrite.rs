//! P9: a pretty-printer or the vendor itself wrote the file anew.

use crate::common::engine::{JSON_AGENTS, converted, owner, pruned, tidy, wish};
use crate::common::tree::Tree;
use crate::undo::json_files;

#[test]
fn p9_after_a_rewrite_nothing_of_ours_is_left_and_the_rest_is_equal() {
    json_files("p9", |seed, rng, mut file| {
        let agents: Vec<&str> = JSON_AGENTS
            .iter()
            .copied()
            .filter(|_| rng.chance(40))
            .collect();
        for agent in &agents {
            if file.put(&wish(agent, 0), false, false).is_err() {
                return;
            }
        }
        let Some(record) = file.record.clone() else {
            return;
        };
        let mut tree = file.tree().unwrap();
        if rng.chance(30) {
            tree = tree.sorted();
        }
        let mut text = String::new();
        tree.print(
            &mut text,
            rng.pick(&[None, Some(2), Some(4)]),
            0,
            rng.chance(50),
        );
        if rng.chance(50) {
            text.push('\n');
        }
        if rng.chance(30) {
            text = converted(&text, "\r\n");
        }
        file.text = Some(text.clone());
        let mut left = agents.clone();
        while !left.is_empty() {
            let agent = left.remove(rng.below(left.len()));
            let out = file
                .take(&owner(agent), None, false)
                .unwrap_or_else(|e| panic!("seed {seed} {agent} {e:?}\n{text}"));
            assert!(
                !out.unfinished && out.findings.is_empty(),
                "seed {seed} {:?}\n{text}",
                out.findings
            );
        }
        let want = pruned(tree, &record).sorted();
        let got = file.tree().unwrap().sorted();
        let got = tidy(got, &record);
        assert_eq!(
            got,
            want,
            "seed {seed} {agents:?}\n--- rewritten\n{text}\n--- undone\n{}",
            file.str()
        );
        assert!(
            !file.str().contains("bin/gitvow hook"),
            "seed {seed}\n{}",
            file.str()
        );
        if file.shadow.is_none() && want == Tree::Map(Vec::new()) {
            assert!(
                file.text.is_none() || file.str().trim().is_empty() || file.str().trim() == "{}",
                "seed {seed} {:?}",
                file.text
            );
        }
    });
}

#[test]
fn p9_a_rewrite_then_an_install_writes_nothing() {
    json_files("p9-idle", |seed, rng, mut file| {
        let wish = wish(rng.pick(&JSON_AGENTS), 0);
        if file.put(&wish, false, false).is_err() {
            return;
        }
        let mut text = String::new();
        file.tree()
            .unwrap()
            .sorted()
            .print(&mut text, Some(4), 0, true);
        file.text = Some(text.clone());
        let out = file.put(&wish, false, false).unwrap();
        assert!(
            out.splices.is_empty() && out.findings.is_empty(),
            "seed {seed} {:?}\n{text}",
            out.findings
        );
    });
}

#[test]
fn p9_a_rewrite_then_an_upgrade_is_undone() {
    json_files("p9-upgrade", |seed, rng, mut file| {
        let agent = rng.pick(&JSON_AGENTS);
        if file.put(&wish(agent, 0), false, false).is_err() {
            return;
        }
        let record = file.record.clone().unwrap();
        let tree = file.tree().unwrap();
        let mut text = String::new();
        tree.print(&mut text, rng.pick(&[None, Some(2)]), 0, false);
        file.text = Some(text.clone());
        file.put(&wish(agent, 1), false, false)
            .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{text}"));
        file.take(&owner(agent), None, false).unwrap();
        let got = tidy(file.tree().unwrap(), &record);
        assert_eq!(
            got,
            pruned(tree, &record),
            "seed {seed}\n{text}\n{}",
            file.str()
        );
    });
}
