//! What goes, what stays and what is said of it.

use crate::home::Home;
use std::path::Path;

fn claude(home: &Home) -> String {
    home.read(".claude/settings.json")
}

/// Every path under a home, `.gitvow/agents` of the scratch home aside.
fn paths(dir: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".gitvow/agents") {
            continue;
        }
        out.push(path.to_str().unwrap().to_owned());
        if path.is_dir() {
            out.extend(paths(&path));
        }
    }
    out
}

#[test]
fn keep_takes_any_way_to_the_file() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    std::os::unix::fs::symlink(home.path(".claude"), home.work().join("link")).unwrap();
    home.ok(&["install", "--agent", "claude"]);
    let installed = claude(&home);
    for spelled in [
        "../home/.claude/settings.json",
        "link/settings.json",
        "./../home/./.claude/settings.json",
    ] {
        let did = home.gitvow(&["uninstall", "--keep", spelled]);
        assert_eq!(did.code, 1, "{spelled}: {did:?}");
        assert!(!did.err.contains("names no file"), "{did:?}");
        assert_eq!(claude(&home), installed, "{spelled}");
    }
}

#[test]
fn keep_that_keeps_nothing_says_so() {
    let home = Home::new();
    home.ok(&["install", "--agent", "claude"]);
    let did = home.ok(&["uninstall", "--dry-run", "--keep", "settings.jsno"]);
    assert!(
        did.err
            .contains("`--keep settings.jsno` names no file of this call"),
        "{did:?}"
    );
}

#[test]
fn keep_holds_for_the_launcher_too() {
    let home = Home::new();
    home.ok(&["install", "--agent", "claude"]);
    let launcher = home.path(".gitvow/bin/gitvow");
    home.ok(&["uninstall", "--keep", launcher.to_str().unwrap()]);
    assert!(launcher.exists());
    home.ok(&["uninstall", "--everywhere"]);
    assert!(!launcher.exists());
}

#[test]
fn a_dry_run_says_of_the_launcher_what_happens_to_it() {
    let home = Home::new();
    home.ok(&["install", "--agent", "claude"]);
    let launcher = home.path(".gitvow/bin/gitvow");
    let said = |args: &[&str]| {
        let did = home.ok(args);
        let document: serde_json::Value = serde_json::from_str(&did.out).unwrap();
        document["launcher"]["action"].as_str().unwrap().to_owned()
    };
    let dry = ["uninstall", "--json", "--dry-run"];
    assert_eq!(said(&dry), "remove");
    // An entry that nobody recorded, in a file that we know, names it: it stays.
    let text = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"LAUNCHER hook --agent codex PreToolUse","timeout":9}]}]}}"#;
    let text = text.replace("LAUNCHER", launcher.to_str().unwrap());
    home.write(".codex/hooks.json", &text);
    assert_eq!(said(&dry), "unchanged");
    assert_eq!(said(&dry[..2]), "unchanged");
    assert!(launcher.exists());
}

#[test]
fn purge_names_the_logs_in_git_directories() {
    let home = Home::new();
    let (main, linked) = (
        home.work().join(".git"),
        home.work().join(".git/worktrees/w"),
    );
    fs_err::create_dir_all(&linked).unwrap();
    let tree = home.work().join("w");
    fs_err::create_dir_all(&tree).unwrap();
    fs_err::write(tree.join(".git"), format!("gitdir: {}\n", linked.display())).unwrap();
    home.ok(&["install", "--agent", "claude", "--scope", "repo"]);
    home.ok(&[
        "install", "--agent", "claude", "--scope", "repo", "--repo", "w",
    ]);
    let logs = [
        main.join("gitvow-hooks.log"),
        linked.join("gitvow-hooks.log"),
        main.join("gitvow-hooks.log.1"),
    ];
    for log in &logs {
        fs_err::write(log, "{}\n").unwrap();
    }
    let did = home.ok(&["uninstall", "--everywhere", "--purge"]);
    for log in &logs {
        assert!(
            did.err
                .contains(&format!("note: {} stays\n", log.display())),
            "{did:?}"
        );
        assert!(log.exists());
    }
}

#[test]
fn purge_leaves_what_others_put_among_the_records_and_doctor_says_nothing_of_it() {
    let home = Home::new();
    home.ok(&["install", "--agent", "claude"]);
    home.write(".gitvow/records/README", "mine");
    let did = home.gitvow(&["doctor", "--agent", "claude"]);
    assert!(!did.out.contains("README"), "{did:?}");
    let did = home.ok(&["uninstall", "--everywhere", "--purge"]);
    assert!(
        did.err.contains("records is not gitvow's to remove"),
        "{did:?}"
    );
    assert_eq!(home.read(".gitvow/records/README"), "mine");
}

#[test]
fn purge_waits_for_what_was_kept() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    home.ok(&["install", "--agent", "claude"]);
    home.write(
        ".claude/settings.json",
        &claude(&home).replacen("\"timeout\": 30", "\"timeout\": 31", 1),
    );
    let did = home.gitvow(&["uninstall", "--everywhere", "--purge"]);
    assert_eq!(did.code, 1);
    assert!(did.err.contains("gitvow's own state stays"), "{did:?}");
    assert!(home.path(".gitvow/records").exists());
}

#[test]
fn root_leaves_nothing_in_another_users_home() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    for path in ["", ".gitvow", ".claude", ".claude/settings.json"] {
        std::os::unix::fs::chown(home.path(path), Some(1234), Some(1234)).unwrap();
    }
    let before = paths(&home.path(""));
    for args in [
        &["install", "--agent", "claude"][..],
        &["install", "--agent", "claude", "--dry-run"],
        &["uninstall"],
        &["uninstall", "--everywhere", "--purge"],
        &["doctor"],
    ] {
        home.gitvow(args);
        // A lock or a record of root's would shut the user out of gitvow.
        assert_eq!(paths(&home.path("")), before, "{args:?}");
    }
    assert_eq!(home.gitvow(&["install", "--agent", "claude"]).code, 1);
    home.ok(&["install", "--agent", "claude", "--force"]);
    let installed = paths(&home.path(""));
    let did = home.gitvow(&["uninstall"]);
    assert!(
        did.code == 1 && did.err.contains("running as root"),
        "{did:?}"
    );
    assert_eq!(paths(&home.path("")), installed);
    home.ok(&["uninstall", "--force"]);
    assert_eq!(claude(&home), "{}");
}

/// Two agents in one file, in one call: the second is shown upon what the first leaves, as it is then written.
#[test]
fn a_dry_run_of_two_agents_in_one_file_says_what_the_run_does() {
    let home = Home::new();
    let names = ["yed", "zed"];
    for name in names {
        let command = format!("__GITVOW__ hook --agent {name} beforeTool");
        let install = serde_json::json!({"user_file": ".shared/s.json", "root": ["hooks"], "entries": {"beforeTool": [{"command": command}]}});
        home.info_only(name, &install);
    }
    let said = |args: &[&str]| {
        let mut document: serde_json::Value = serde_json::from_str(&home.ok(args).out).unwrap();
        document["dry_run"].take();
        document
    };
    let install = [
        "install", "--agent", names[0], "--agent", names[1], "--json",
    ];
    let uninstall = ["uninstall", "--json"];
    for start in [None, Some("{\"mine\": 1}\n")] {
        if let Some(text) = start {
            home.write(".shared/s.json", text);
        }
        for args in [&install[..], &uninstall] {
            let dry = said(&[args, &["--dry-run"]].concat());
            assert_eq!(dry, said(args), "{args:?}");
        }
        assert_eq!(home.path(".shared").exists(), start.is_some());
    }
    assert_eq!(home.read(".shared/s.json"), "{\"mine\": 1}\n");
}

/// Found 2026-11-30: it said "the record stays" and removed the record; what came back couldn't be given back any more.
#[test]
fn purge_waits_for_a_directory_that_is_away() {
    let home = Home::new();
    let repo = home.work().join("away");
    fs_err::create_dir_all(repo.join(".git")).unwrap();
    fs_err::create_dir_all(repo.join(".claude")).unwrap();
    let settings = repo.join(".claude/settings.json");
    fs_err::write(&settings, "{\"hooks\": {}}").unwrap();
    let install = [
        "install", "--agent", "claude", "--scope", "repo", "--repo", "away",
    ];
    home.ok(&install);
    let records = paths(&home.path(".gitvow/records"));
    let unmounted = home.work().join("elsewhere");
    fs_err::rename(&repo, &unmounted).unwrap();
    let purge = ["uninstall", "--everywhere", "--purge"];
    for dry in [&["--dry-run"][..], &[]] {
        let did = home.gitvow(&[&purge, dry].concat());
        assert_eq!(did.code, 1, "{did:?}");
        for said in ["the record stays", "gitvow's own state stays", "--force"] {
            assert!(did.err.contains(said), "{said}: {did:?}");
        }
        assert_eq!(paths(&home.path(".gitvow/records")), records);
        assert!(home.path(".gitvow/bin/gitvow").exists());
    }
    fs_err::rename(&unmounted, &repo).unwrap();
    home.ok(&purge);
    assert_eq!(
        fs_err::read_to_string(&settings).unwrap(),
        "{\"hooks\": {}}"
    );
    assert!(!home.path(".gitvow/records").exists());
    // Gone for good: then the person says so.
    home.ok(&install);
    fs_err::remove_dir_all(&repo).unwrap();
    home.ok(&[&purge[..], &["--force", "--dry-run"]].concat());
    assert!(home.path(".gitvow/bin/gitvow").exists());
    home.ok(&[&purge[..], &["--force"]].concat());
    assert!(!home.path(".gitvow/records").exists() && !home.path(".gitvow/bin").exists());
}

/// Found 2026-11-30: without its records an uninstall that named nobody said "nothing is installed", in front of eleven
/// agents that ran a command that was gone.
#[test]
fn what_nobody_recorded_goes_without_being_named() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"x\": 1\n}\n");
    home.write(".kimi-code/config.toml", "a = 1\n");
    let before = paths(&home.path(""));
    for (lose, args) in [
        (true, &["uninstall"][..]),
        (true, &["uninstall", "--all"]),
        (true, &["uninstall", "--everywhere", "--purge"]),
        (false, &["uninstall", "--everywhere", "--purge"]),
    ] {
        home.ok(&["install", "--all"]);
        if lose {
            fs_err::remove_dir_all(home.path(".gitvow/records")).unwrap();
            fs_err::remove_dir_all(home.path(".gitvow/bin")).unwrap();
        }
        let dry = home.ok(&[args, &["--dry-run"]].concat());
        let did = home.ok(args);
        assert!(
            dry.err.contains("would edit") && did.out.contains("edited"),
            "{did:?}"
        );
        assert!(!did.err.contains("nothing is installed"), "{did:?}");
        assert_eq!(claude(&home), "{\n  \"x\": 1\n}\n");
        assert_eq!(home.read(".kimi-code/config.toml"), "a = 1\n");
        let mut left = paths(&home.path(""));
        left.retain(|p| !p.contains("/.gitvow") && !before.contains(p));
        // Folders and a file that hold nothing: nobody knows any more who made them.
        left.retain(|p| Path::new(p).is_file());
        for file in &left {
            let text = fs_err::read_to_string(file).unwrap();
            assert!(!text.contains("gitvow"), "{file}: {text}");
        }
        let did = home.ok(args);
        assert!(did.err.contains("nothing is installed"), "{did:?}");
    }
}

#[test]
fn what_a_team_mate_recorded_goes_from_a_clone() {
    let home = Home::new();
    fs_err::create_dir_all(home.work().join(".git")).unwrap();
    let install = ["install", "--all", "--scope", "repo", "--json"];
    home.gitvow(&install);
    fs_err::remove_dir_all(home.path(".gitvow/records")).unwrap();
    home.ok(&["uninstall", "--scope", "repo"]);
    let mut left = paths(&home.work());
    left.retain(|p| Path::new(p).is_file());
    for file in &left {
        let text = fs_err::read_to_string(file).unwrap_or_default();
        assert!(!text.contains("gitvow hook"), "{file}: {text}");
    }
}

/// Somebody linked the launcher to a gitvow of theirs: found 2026-11-30 that no uninstall could end ("changed while we were
/// at work"), and that install said the same where the link led to another program.
#[test]
fn a_launcher_that_is_somebody_s_link_stays_and_holds_nothing_up() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    let launcher = home.path(".gitvow/bin/gitvow");
    for before in [true, false] {
        if !before {
            home.ok(&["install", "--agent", "claude"]);
            fs_err::remove_file(&launcher).unwrap();
        }
        fs_err::create_dir_all(launcher.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gitvow"), &launcher).unwrap();
        home.ok(&["install", "--agent", "claude"]);
        let dry = home.ok(&["uninstall", "--dry-run"]);
        let did = home.ok(&["uninstall"]);
        for said in [&dry, &did] {
            assert!(said.err.contains("is no file of gitvow's"), "{said:?}");
        }
        assert_eq!(claude(&home), "{}");
        assert!(launcher.is_symlink());
        let did = home.ok(&["uninstall"]);
        assert!(did.err.contains("nothing is installed"), "{did:?}");
        fs_err::remove_file(&launcher).unwrap();
        let _ = fs_err::remove_dir(launcher.parent().unwrap());
    }
    home.write(".gitvow/mine", "#!/bin/sh\n");
    fs_err::create_dir_all(launcher.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../mine", &launcher).unwrap();
    let did = home.gitvow(&["install", "--agent", "claude"]);
    assert_eq!(did.code, 1);
    assert!(
        did.err.contains("is a link") && did.err.contains("rm "),
        "{did:?}"
    );
    assert_eq!(home.read(".gitvow/mine"), "#!/bin/sh\n");
    fs_err::remove_file(&launcher).unwrap();
    fs_err::create_dir(&launcher).unwrap();
    let did = home.gitvow(&["install", "--agent", "claude"]);
    assert!(
        did.code == 1 && did.err.contains("is a directory") && did.err.contains("help:"),
        "{did:?}"
    );
    let did = home.ok(&["uninstall"]);
    assert!(did.err.contains("nothing is installed"), "{did:?}");
}
