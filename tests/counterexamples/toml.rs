//! The counterexamples and style traps once more in TOML, through reconcile.

use crate::common::engine::{File, Splices, one, owner, spliced, wish};
use gitvow::plan::reconcile::Wish;
use gitvow::spec::Format;
use serde_json::json;

fn ours() -> Wish {
    one(
        &["hooks", "Stop"],
        json!({"command": "/b/gitvow hook Stop", "timeout": 3}),
    )
}

fn put(text: &str) -> File {
    let mut file = File::new(Format::Toml, Some(text));
    file.edits_ours = true;
    file.put(&ours(), false, false)
        .unwrap_or_else(|e| panic!("{text:?} {e:?}"));
    file
}

fn taken(mut file: File, text: String) -> String {
    file.text = Some(text);
    file.take(&owner("claude"), None, false).unwrap();
    file.str().to_owned()
}

const TEXTS: [&str; 9] = [
    "a = 1\n",
    "a = 1",
    "# only\n",
    "\n",
    "[[hooks.Stop]]\ncommand = '/u/x'\n\n[z]\nq = '''\n[[hooks.Stop]]\n'''\n",
    "hooks.Stop = [\n  { command = 'x' }, # mine\n]\n",
    "[hooks]\nStop = []\n",
    "[hooks]\nStop = [ ] # none\n[other]",
    "\u{feff}hooks.Stop = [1]\n",
];

#[test]
fn bytes_come_back() {
    for text in TEXTS {
        for shortcut in [true, false] {
            let mut file = put(text);
            file.shortcut = shortcut;
            file.take(&owner("claude"), None, false).unwrap();
            assert_eq!(file.bytes(), Some(text.as_bytes()));
        }
    }
    let mut file = File::new(Format::Toml, None);
    file.put(&ours(), false, false).unwrap();
    assert!(
        file.str().ends_with('\n') && !file.str().starts_with('\n'),
        "{:?}",
        file.str()
    );
    assert!(file.take(&owner("claude"), None, false).unwrap().remove);
}

#[test]
fn counterexample_1_crlf_leaves_no_cr() {
    for text in TEXTS {
        let file = put(text);
        let converted = file.str().replace('\n', "\r\n");
        assert_eq!(taken(file, converted), text.replace('\n', "\r\n"));
        let text = text.replace('\n', "\r\n");
        let file = put(&text);
        let converted = file.str().replace("\r\n", "\n");
        assert_eq!(taken(file, converted), text.replace("\r\n", "\n"));
    }
}

#[test]
fn counterexample_2_the_closing_white_space_belongs_to_the_container() {
    for text in [
        "hooks.Stop = [ # c\n]\n",
        "hooks.Stop = []\n",
        "[hooks]\nStop = [ ]\n",
    ] {
        for order in [["claude", "codex"], ["codex", "claude"]] {
            let mut file = put(text);
            file.shortcut = false;
            file.put(&wish("codex", 0), false, false)
                .unwrap_or_else(|e| panic!("{text:?} {e:?}"));
            for agent in order {
                file.take(&owner(agent), None, false).unwrap();
            }
            assert_eq!(file.str(), text);
        }
    }
}

#[test]
fn counterexample_7_a_section_right_behind_a_block_at_a_missing_newline() {
    for text in ["a = 1", "[t]\na = 1", "# c"] {
        let file = put(text);
        let edited = format!("{}[z]\nb = 2\n", file.str());
        let undone = taken(file, edited);
        // The newline that ended the user's line was ours; without it their section would stand on that line.
        assert_eq!(undone, format!("{text}\n[z]\nb = 2\n"));
    }
}

#[test]
fn counterexample_8_only_a_container_that_this_cut_emptied_goes() {
    for text in ["a = 1\nhooks.Stop = []\n", "a = 1\n[hooks]\n"] {
        assert_eq!(taken(put("a = 1\n"), text.to_owned()), text);
    }
}

#[test]
fn edits_to_our_entries_are_kept_until_force() {
    let claude = owner("claude");
    let edits: [(&str, &str, &str); 4] = [
        ("the timeout changed", "timeout = 3", "timeout = 9"),
        ("the command wrapped", "\"/b/gitvow", "\"nice /b/gitvow"),
        (
            "a comment typed inside",
            "timeout = 3",
            "# why\ntimeout = 3",
        ),
        ("a key added", "timeout = 3", "timeout = 3\nnote = 1"),
    ];
    for (name, from, to) in edits {
        let mut file = put("a = 1\n");
        let at = file
            .str()
            .find(from)
            .unwrap_or_else(|| panic!("{name}\n{}", file.str()));
        let splices: Splices = vec![(at..at + from.len(), to.to_owned())];
        let edited = spliced(file.str(), &splices);
        file.text = Some(edited.clone());
        let mut forced = file.clone();
        for _ in 0..2 {
            let out = file.put(&ours(), false, false).unwrap();
            assert!(out.unfinished && out.splices.is_empty(), "{name}");
            let out = file.take(&claude, Some(&ours()), false).unwrap();
            assert!(
                out.unfinished && file.str() == edited,
                "{name}\n{}",
                file.str()
            );
            assert_eq!(
                out.findings.iter().map(|f| f.code).collect::<Vec<_>>(),
                ["entry-edited"]
            );
        }
        file.take(&claude, Some(&ours()), true).unwrap();
        assert_eq!(file.str(), "a = 1\n", "{name}");
        let out = forced.put(&ours(), true, false).unwrap();
        assert!(!out.unfinished);
        forced.take(&claude, None, false).unwrap();
        assert_eq!(forced.str(), "a = 1\n", "{name}");
    }
}

#[test]
fn a_handler_in_our_group_stays() {
    let text = "a = 1\n";
    let group = wish("codex", 0);
    for force in [false, true] {
        let mut file = File::new(Format::Toml, Some(text));
        file.edits_ours = true;
        file.put(&group, false, false).unwrap();
        let edited =
            file.str()
                .replacen("hooks = [{", "hooks = [{ command = \"/u/own.sh\" }, {", 1);
        assert_ne!(edited, file.str());
        file.text = Some(edited);
        let mut again = file.clone();
        let out = file.take(&owner("codex"), Some(&group), force).unwrap();
        assert!(!out.unfinished, "{:?}", out.findings);
        assert!(
            file.str().contains("/u/own.sh") && !file.str().contains("gitvow"),
            "{}",
            file.str()
        );
        again.put(&group, true, false).unwrap();
        assert!(again.str().contains("/u/own.sh"), "{}", again.str());
        assert_eq!(again.str().matches("gitvow hook").count(), 2);
        again.take(&owner("codex"), Some(&group), force).unwrap();
        assert!(
            again.str().contains("/u/own.sh") && !again.str().contains("gitvow"),
            "{}",
            again.str()
        );
    }
}

#[test]
fn what_stands_in_the_way_is_refused_with_its_place() {
    let texts = [
        "hooks = 1\n",
        "hooks = []\n",
        "hooks = {}\n",
        "[hooks.Stop]\na = 1\n",
        "hooks.Stop = 'x'\n",
        "a = 1\na = 2\n",
        "a = \n",
        "[a\n",
        "a = 1\r b = 2\n",
        "a = 01\n",
        "a = '''\n",
        "a = 1 b = 2\n",
    ];
    for text in texts {
        let mut file = File::new(Format::Toml, Some(text));
        file.edits_ours = true;
        let fault = file.put(&ours(), false, false).expect_err(text);
        assert!(fault.at.is_some(), "{text:?} {fault:?}");
        assert!(file.str() == text && file.record.is_none());
    }
}
