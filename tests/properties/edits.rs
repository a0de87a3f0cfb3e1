//! P3 and P4: the user edits between install and uninstall.

use crate::common::engine::{File, JSON_AGENTS, converted, owner, pruned, tidy, tree, wish};
use crate::common::json_edits::Page;
use crate::common::tree::{Kind, json_tokens};
use crate::undo::json_files;
use gitvow::spec::Format;

#[test]
fn p3_disjoint_edits_commute_byte_for_byte() {
    json_files("p3-disjoint", |seed, rng, mut file| {
        let agent = rng.pick(&JSON_AGENTS);
        if file.put(&wish(agent, 0), false, false).is_err() {
            return;
        }
        let strict = file.format == Format::Json;
        let mut fresh = 0;
        let mut kinds = Vec::new();
        let installed = file.str().to_owned();
        for _ in 0..=rng.below(3) {
            let page = Page::new(&file, strict);
            let edit = if rng.chance(20) {
                page.append(rng, &mut fresh)
            } else {
                page.disjoint(rng, &mut fresh)
            };
            if let Some(edit) = edit
                && edit.exact
            {
                kinds.push(edit.kind);
                file.edit(&edit.splices);
            }
        }
        let edited = file.str().to_owned();
        let out = file
            .take(&owner(agent), None, false)
            .unwrap_or_else(|e| panic!("seed {seed} {e:?}\n{edited}"));
        let want = file.shadow.as_deref();
        // A created file in which nothing was typed goes.
        assert_eq!(
            file.text.as_deref(),
            want,
            "seed {seed} {kinds:?}\n--- installed\n{installed}\n--- edited\n{edited}"
        );
        assert!(!out.unfinished);
    });
}

#[test]
fn p3_newline_conversion_commutes_byte_for_byte() {
    json_files("p3-newlines", |seed, rng, file| {
        let agent = rng.pick(&JSON_AGENTS);
        for newline in ["\r\n", "\n", "\r"] {
            let mut file = file.clone();
            if file.put(&wish(agent, 0), false, false).is_err() {
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

#[test]
fn p3_adjoining_edits_keep_tree_and_comments() {
    let (mut all, mut exact) = (0, 0);
    json_files("p3-adjoining", |seed, rng, mut file| {
        let agent = rng.pick(&JSON_AGENTS);
        if file.put(&wish(agent, 0), false, false).is_err() {
            return;
        }
        let strict = file.format == Format::Json;
        let mut fresh = 0;
        let page = Page::new(&file, strict);
        let edit = if rng.chance(25) {
            page.append(rng, &mut fresh)
        } else {
            page.adjoining(rng, &mut fresh)
        };
        let Some(edit) = edit else { return };
        let record = file.record.clone().unwrap();
        file.edit(&edit.splices);
        let edited = file.clone();
        let Some(before) = edited.tree() else {
            panic!("seed {seed} {edit:?}: not an edit\n{}", edited.str())
        };
        file.take(&owner(agent), None, false)
            .unwrap_or_else(|e| panic!("seed {seed} {edit:?} {e:?}\n{}", edited.str()));
        let after = file
            .tree()
            .unwrap_or_else(|| panic!("seed {seed}: broken\n{}", file.str()));
        let context = || {
            format!(
                "seed {seed} {edit:?}\n--- edited\n{}\n--- undone\n{}",
                edited.str(),
                file.str()
            )
        };
        assert_eq!(
            tidy(after, &record),
            pruned(before, &record),
            "{}",
            context()
        );
        assert_eq!(file.comments(), edited.comments(), "{}", context());
        assert!(kept_in_order(&edited, file.str()), "{}", context());
        all += 1;
        exact += usize::from(file.text == file.shadow);
    });
    println!("adjoining edits: {exact} of {all} byte-exact all the same");
}

/// The user's tokens, commas aside, stand in `result` in their order.
fn kept_in_order(edited: &File, result: &str) -> bool {
    let text = edited.str();
    let ours = |at: usize| edited.ours.iter().any(|o| o.start <= at && at < o.end);
    let theirs = json_tokens(text)
        .into_iter()
        .filter(|t| t.kind != Kind::Comma && !ours(t.range.start));
    let mut found = json_tokens(result).into_iter();
    theirs
        .into_iter()
        .all(|t| found.any(|f| result[f.range] == text[t.range.clone()]))
}

#[test]
fn p3_conversion_of_a_created_file_still_removes_it() {
    for newline in ["\r\n", "\r"] {
        for agent in JSON_AGENTS {
            let mut file = File::new(Format::Json, None);
            file.put(&wish(agent, 0), false, false).unwrap();
            file.text = Some(converted(file.str(), newline));
            let out = file.take(&owner(agent), None, false).unwrap();
            assert!(out.remove, "{agent} {newline:?}: {:?}", file.text);
        }
    }
}

#[test]
fn p4_what_the_user_typed_into_a_created_file_stays() {
    for agent in JSON_AGENTS {
        let mut file = File::new(Format::Jsonc, None);
        file.put(&wish(agent, 0), false, false).unwrap();
        let text = file
            .str()
            .replacen('{', "{ \"mine\": [1, 2], // and this", 1);
        file.text = Some(text);
        let record = file.record.clone().unwrap();
        let out = file.take(&owner(agent), None, false).unwrap();
        assert!(!out.remove && file.record.is_none());
        let left = tidy(tree(file.format, file.str()).unwrap(), &record);
        let mine = left.at(&["mine".to_owned()]).is_some();
        assert!(
            mine && file.comments() == ["// and this"],
            "{agent}\n{}",
            file.str()
        );
        assert!(!file.str().contains("gitvow"));
        let version = file.str().contains("\"version\": 1");
        assert_eq!(
            version,
            agent == "cursor",
            "the version key stays for the user's own\n{}",
            file.str()
        );
    }
}
