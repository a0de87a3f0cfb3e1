//! Which executable a name means, and which are refused.

use crate::support::{Scratch, chmod};
use gitvow::error::Kind;
use gitvow::external::discover::check_safe;
use gitvow::external::list;
use std::os::unix::fs::{chown, symlink};

#[test]
fn path_comes_before_the_agents_directory() {
    let s = Scratch::new();
    s.script("state/agents/gitvow-agent-x", "exit 1", 0o755);
    assert_eq!(
        s.find("x").unwrap().path,
        s.path("state/agents/gitvow-agent-x")
    );
    let first = s.adapter("x", "exit 2");
    let found = s.find("x").unwrap();
    assert_eq!((found.name.as_str(), &found.path), ("x", &first));
    assert_eq!(found.sha256.len(), 64);
}

#[test]
fn relative_and_empty_entries_of_path_are_not_looked_at() {
    let mut s = Scratch::new();
    s.adapter("x", "exit 0");
    s.vars.insert("PATH".into(), ":bin:./bin:../bin".into());
    assert_eq!(s.find("x").unwrap_err().code, "unknown-agent");
    s.vars.remove("PATH");
    assert_eq!(s.find("x").unwrap_err().kind, Kind::Usage);
}

#[test]
fn a_builtin_and_its_aliases_win() {
    let s = Scratch::new();
    for name in ["claude", "claude-code", "codex", "droid", "agy"] {
        s.adapter(name, "exit 0");
        let e = s.find(name).unwrap_err();
        assert!(e.message.contains("is built in"), "{e}");
    }
    assert_eq!(s.with(|sys| list(sys, &s.state())), Vec::<String>::new());
}

#[test]
fn a_name_can_lead_nowhere_else() {
    let s = Scratch::new();
    for name in [
        "",
        "../x",
        "a/b",
        "a b",
        "a\nb",
        "ä",
        "x.sh",
        "-x",
        "\u{1b}[2J",
        &"x".repeat(300),
    ] {
        let e = s.find(name).unwrap_err();
        assert!(e.message.contains("can't be an agent's name"), "{e}");
        assert!(!e.message.contains('\u{1b}') && !e.message.contains('\n'));
    }
}

#[test]
fn listing_runs_nothing() {
    let s = Scratch::new();
    let mark = s.path("ran");
    s.adapter("one", &format!("touch {}", mark.display()));
    s.script(
        "state/agents/gitvow-agent-two",
        &format!("touch {}", mark.display()),
        0o755,
    );
    s.script("state/agents/gitvow-agent-one", "exit 0", 0o755);
    s.script("bin/gitvow-agent-plain", "exit 0", 0o644);
    s.script("bin/gitvow-agent-", "exit 0", 0o755);
    s.script("bin/gitvow-agent-a.b", "exit 0", 0o755);
    s.script("bin/other-agent-x", "exit 0", 0o755);
    fs_err::create_dir(s.path("bin/gitvow-agent-dir")).unwrap();
    assert_eq!(s.with(|sys| list(sys, &s.state())), ["one", "two"]);
    assert!(!mark.exists());
}

#[test]
fn what_a_shell_passes_over_is_passed_over_and_named() {
    let s = Scratch::new();
    let plain = s.script("bin/gitvow-agent-x", "exit 0", 0o644);
    let e = s.find("x").unwrap_err();
    assert!(
        e.sentence()
            .contains("was passed over: it is not executable"),
        "{}",
        e.sentence()
    );
    assert_eq!(e.help, Some(format!("chmod +x {}", plain.display())));
    let behind = s.script("state/agents/gitvow-agent-x", "exit 0", 0o755);
    assert_eq!(s.find("x").unwrap().path, behind);

    fs_err::create_dir(s.path("bin/gitvow-agent-d")).unwrap();
    assert!(
        s.find("d")
            .unwrap_err()
            .sentence()
            .contains("not a regular file")
    );
    symlink("nowhere", s.path("bin/gitvow-agent-l")).unwrap();
    assert!(
        s.find("l")
            .unwrap_err()
            .sentence()
            .contains("a link to nothing")
    );
    symlink("gitvow-agent-o", s.path("bin/gitvow-agent-o")).unwrap();
    assert!(s.find("o").unwrap_err().sentence().contains("in a circle"));
}

#[test]
fn an_executable_that_others_may_write_is_refused() {
    let s = Scratch::new();
    let path = s.adapter("x", "exit 0");
    chmod(&path, 0o757);
    let e = s.find("x").unwrap_err();
    assert_eq!((e.kind, e.code), (Kind::Refused, "unsafe-adapter"));
    assert!(e.message.ends_with("others may write to it"), "{e}");
    assert_eq!(e.help, Some(format!("chmod o-w {}", path.display())));
}

#[test]
fn an_unsafe_one_is_not_stepped_over_for_the_next() {
    let s = Scratch::new();
    s.script("state/agents/gitvow-agent-x", "exit 0", 0o755);
    s.script("bin/gitvow-agent-x", "exit 0", 0o777);
    assert_eq!(s.find("x").unwrap_err().code, "unsafe-adapter");
}

#[test]
fn a_directory_on_the_way_that_others_may_write_is_refused_unless_sticky() {
    let s = Scratch::new();
    fs_err::create_dir_all(s.path("open/bin")).unwrap();
    s.script("open/bin/gitvow-agent-x", "exit 0", 0o755);
    let mut s = s;
    let bin = s.path("open/bin").display().to_string();
    s.vars.insert("PATH".into(), bin);
    s.find("x").unwrap();
    chmod(&s.path("open"), 0o777);
    let e = s.find("x").unwrap_err();
    assert!(
        e.message.contains("a directory on the way to it") && e.message.contains("/open`"),
        "{e}"
    );
    chmod(&s.path("open"), 0o1777);
    s.find("x").unwrap();
}

#[test]
fn the_way_behind_a_link_is_judged_as_well() {
    let s = Scratch::new();
    fs_err::create_dir_all(s.path("open/real")).unwrap();
    s.script("open/real/tool", "exit 0", 0o755);
    symlink("../open/hop", s.path("bin/gitvow-agent-x")).unwrap();
    symlink("real/tool", s.path("open/hop")).unwrap();
    let found = s.find("x").unwrap();
    assert_eq!(
        found.path,
        s.path("bin/gitvow-agent-x"),
        "the link is what is kept"
    );
    chmod(&s.path("open"), 0o777);
    assert_eq!(s.find("x").unwrap_err().code, "unsafe-adapter");
    chmod(&s.path("open"), 0o755);
    chmod(&s.path("open/real/tool"), 0o757);
    assert_eq!(s.find("x").unwrap_err().code, "unsafe-adapter");
}

#[test]
fn another_users_executable_is_refused() {
    let mut s = Scratch::new();
    let path = s.adapter("x", "exit 0");
    if s.uid == 0 {
        chown(&path, Some(54_321), None).unwrap();
    } else {
        s.uid += 1;
    }
    let e = s.find("x").unwrap_err();
    assert!(e.message.contains("neither to root nor to you"), "{e}");
}

#[test]
fn safety_is_asked_again_before_each_run() {
    let s = Scratch::new();
    let path = s.adapter("x", "echo '{\"calls\":[]}'");
    let run = || {
        s.call(&path, 5000, |sys, call| {
            gitvow::external::protocol::normalize(sys, call, "e", &serde_json::json!({}))
        })
    };
    assert_eq!(run().unwrap(), []);
    chmod(&s.path("bin"), 0o777);
    assert_eq!(run().unwrap_err().code, "unsafe-adapter");
    chmod(&s.path("bin"), 0o755);
    chmod(&path, 0o644);
    assert!(run().unwrap_err().message.contains("not executable"));
    fs_err::remove_file(&path).unwrap();
    assert_eq!(run().unwrap_err().code, "adapter-missing");
    assert!(s.with(|sys| check_safe(sys, "bin/x".as_ref())).is_err());
}
