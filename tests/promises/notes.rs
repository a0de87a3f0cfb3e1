//! What an install must say (spec 1.4), and what git may do to a tree in a repository (spec 1.6).

use crate::home::Home;

#[test]
fn opencode_fetches_into_a_new_plugins_folder() {
    let home = Home::new();
    let note = "OpenCode's plugins folder is new";
    let did = home.ok(&["install", "--agent", "opencode"]);
    assert!(did.err.contains(note), "{did:?}");
    home.ok(&["uninstall"]);
    home.write(".config/opencode/plugins/mine.js", "");
    let did = home.ok(&["install", "--agent", "opencode"]);
    assert!(!did.err.contains(note), "{did:?}");
}

#[test]
fn an_agent_that_loads_anothers_file_is_named_in_both_orders() {
    for order in [["claude", "grok"], ["grok", "claude"]] {
        let home = Home::new();
        home.ok(&["install", "--agent", order[0]]);
        let did = home.ok(&["install", "--agent", order[1]]);
        assert!(did.err.contains("reach gitvow twice"), "{order:?}: {did:?}");
    }
}

#[test]
fn a_tree_whose_newlines_git_converted_is_as_installed() {
    let home = Home::new();
    fs_err::create_dir_all(home.work().join(".git")).unwrap();
    for (agent, file) in [
        ("copilot", ".github/hooks/gitvow.json"),
        ("opencode", ".opencode/plugins/gitvow.js"),
    ] {
        let args = ["install", "--agent", agent, "--scope", "repo"];
        home.ok(&args);
        let path = home.work().join(file);
        let converted = fs_err::read_to_string(&path).unwrap().replace('\n', "\r\n");
        fs_err::write(&path, &converted).unwrap();
        let did = home.ok(&args);
        assert!(did.out.contains("unchanged"), "{did:?}");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), converted);
        // Another text is written over it, as over the LF one.
        let block = [&args[..], &["--on-missing", "block"]].concat();
        home.ok(&block);
        let blocking = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, blocking.replace('\n', "\r\n")).unwrap();
        home.ok(&["uninstall", "--agent", agent, "--scope", "repo"]);
        assert!(!path.exists(), "{agent}");
        assert!(
            !home.path(".gitvow/saved").exists(),
            "{agent}: an edit was seen"
        );
    }
    let left: Vec<_> = fs_err::read_dir(home.work())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn at_user_scope_other_newlines_are_an_edit() {
    let home = Home::new();
    home.ok(&["install", "--agent", "opencode"]);
    let path = home.path(".config/opencode/plugins/gitvow.js");
    let text = fs_err::read_to_string(&path).unwrap();
    fs_err::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(home.gitvow(&["install", "--agent", "opencode"]).code, 1);
}
