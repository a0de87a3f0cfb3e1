//! Files that hold our entries, whoever's they are and wherever they lie: a call that writes one is asked about.

use crate::run::{command, home, run};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Runs gitvow as a person would, with these variables beside the test's home.
fn gitvow(home: &Path, cwd: &Path, vars: &[(&str, &Path)], args: &[&str]) {
    let mut command = command(home, args);
    command.current_dir(cwd).env("PATH", "/usr/bin:/bin");
    command.envs(vars.iter().copied());
    let said = run(command, b"");
    assert_eq!(said.exit, 0, "{args:?}: {said:?}");
}

/// What Claude's hook says of a tool's call, with an empty policy.
fn judged(
    home: &Path,
    cwd: &Path,
    vars: &[(&str, &Path)],
    tool: &str,
    input: serde_json::Value,
) -> &'static str {
    let payload = json!({"session_id": "s", "cwd": cwd, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
    let mut hook = command(home, &["hook", "PreToolUse"]);
    hook.envs(vars.iter().copied());
    let said = run(hook, payload.to_string().as_bytes());
    match said.stdout.as_str() {
        "" => "allow",
        text if text.contains("\"ask\"") => "ask",
        text if text.contains("\"deny\"") => "deny",
        _ => panic!("{said:?}"),
    }
}

fn edit(home: &Path, cwd: &Path, file: &Path) -> &'static str {
    judged(
        home,
        cwd,
        &[],
        "Edit",
        json!({"file_path": file, "old_string": "a", "new_string": "b"}),
    )
}

fn line(home: &Path, cwd: &Path, line: &str) -> &'static str {
    judged(home, cwd, &[], "Bash", json!({"command": line}))
}

fn repo(home: &Path, name: &str) -> std::path::PathBuf {
    let repo = home.join(name);
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join("deep/er")).unwrap();
    repo
}

fn private(dir: &Path) {
    fs::create_dir_all(dir).unwrap();
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn an_external_agents_file_is_known_by_its_record() {
    let home = home(Some("{}"));
    let home = home.path();
    let agents = home.join(".gitvow/agents");
    for dir in [home, &home.join(".gitvow"), &agents] {
        private(dir);
    }
    let adapter =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/agents/gitvow-agent-example");
    let program = agents.join("gitvow-agent-example");
    crate::program::program(&program, &fs::read_to_string(adapter).unwrap());
    let file = home.join(".example-agent/hooks.json");
    assert_eq!(edit(home, home, &file), "allow", "nothing of ours is there");
    gitvow(home, home, &[], &["install", "--agent", "example"]);
    assert!(file.is_file());
    assert_eq!(edit(home, home, &file), "ask");
    for asks in [
        "echo x > ~/.example-agent/hooks.json",
        "rm ~/.example-agent/hooks.json",
        "rm -rf ~/.example-agent",
        "mv ~/.example-agent /elsewhere",
        "rm ~/.example-agent/*.json",
        "sed -i s/a/b/ ~/.ex*/hooks.json",
        "cd ~/.example-agent && truncate -s0 hooks.json",
        "cp x ~/.example-agent/hooks.json",
        "sudo tee ~/.example-agent/hooks.json",
    ] {
        assert_eq!(line(home, home, asks), "ask", "{asks}");
    }
    for allowed in [
        "cat ~/.example-agent/hooks.json",
        "rm ~/.example-agent/other.json",
        "rm -rf ~/.example-agent/cache",
        "rm ~/.example-agent",
        "echo x > ~/.example-agent/notes",
    ] {
        assert_eq!(line(home, home, allowed), "allow", "{allowed}");
    }
    // Behind a link it is the same file, and from a dotfiles repository too.
    let dotfiles = home.join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    fs::rename(&file, dotfiles.join("example.json")).unwrap();
    symlink(dotfiles.join("example.json"), &file).unwrap();
    assert_eq!(edit(home, home, &file), "ask");
    gitvow(home, home, &[], &["uninstall", "--agent", "example"]);
    fs::write(dotfiles.join("example.json"), "{}\n").unwrap();
    gitvow(home, home, &[], &["install", "--agent", "example"]);
    assert_eq!(
        edit(home, home, &dotfiles.join("example.json")),
        "ask",
        "the real file, by its own name"
    );
    fs::write(dotfiles.join("other.json"), "{\"about\": \"gitvow\"}").unwrap();
    assert_eq!(
        edit(home, home, &dotfiles.join("other.json")),
        "allow",
        "a mention is no entry"
    );
    gitvow(home, home, &[], &["uninstall", "--agent", "example"]);
    assert_eq!(edit(home, home, &file), "allow");
}

#[test]
fn repository_and_local_files_are_known_in_every_repository() {
    let home = home(Some("{}"));
    let home = home.path();
    let (here, there) = (repo(home, "here"), repo(home, "there"));
    gitvow(
        home,
        &there,
        &[],
        &["install", "--agent", "codex", "--scope", "repo"],
    );
    gitvow(
        home,
        &there,
        &[],
        &["install", "--agent", "claude", "--scope", "local"],
    );
    gitvow(
        home,
        &there,
        &[],
        &["install", "--agent", "opencode", "--scope", "repo"],
    );
    for file in [
        ".codex/hooks.json",
        ".claude/settings.local.json",
        ".opencode/plugins/gitvow.js",
    ] {
        for cwd in [&there, &there.join("deep/er"), &here] {
            assert_eq!(
                edit(home, cwd, &there.join(file)),
                "ask",
                "{file} from {}",
                cwd.display()
            );
        }
    }
    // The caller's own settings count without an entry too, from the top down to where it works; others' don't.
    let deep = here.join("deep/er");
    for (cwd, file, expected) in [
        (&here, ".claude/settings.json", "ask"),
        (&here, ".claude/settings.local.json", "ask"),
        (&deep, "deep/.claude/settings.json", "ask"),
        (&deep, ".claude/settings.json", "ask"),
        (&here, ".codex/hooks.json", "allow"),
        (&here, "fixtures/.claude/settings.json", "allow"),
        (&here, "settings.json", "allow"),
    ] {
        assert_eq!(edit(home, cwd, &here.join(file)), expected, "{file}");
    }
    // A team's file that came with the clone has no record here, but it names us.
    let clone = repo(home, "clone");
    fs::create_dir(clone.join(".cursor")).unwrap();
    fs::copy(
        there.join(".codex/hooks.json"),
        clone.join(".cursor/hooks.json"),
    )
    .unwrap();
    assert_eq!(edit(home, &here, &clone.join(".cursor/hooks.json")), "ask");
    assert_eq!(line(home, &clone, "rm -r .cursor"), "ask");
    assert_eq!(line(home, &here, "git -C x status; rm -rf target"), "allow");
}

#[test]
fn relocated_files_are_known_with_and_without_their_variable() {
    let home = home(Some("{}"));
    let home = home.path();
    for (agent, variable, file) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("kimi", "KIMI_CODE_HOME", "config.toml"),
        ("copilot", "COPILOT_HOME", "hooks/gitvow.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ] {
        let moved = home.join(format!("moved-{agent}"));
        fs::create_dir(&moved).unwrap();
        let vars = [(variable, moved.as_path())];
        gitvow(home, home, &vars, &["install", "--agent", agent]);
        let file = moved.join(file);
        assert!(file.is_file(), "{agent}");
        assert_eq!(edit(home, home, &file), "ask", "{agent}");
        let removal = json!({"command": format!("rm -rf {}", moved.display())});
        for vars in [&vars[..], &[]] {
            assert_eq!(
                judged(home, home, vars, "Bash", removal.clone()),
                "ask",
                "{agent}"
            );
        }
    }
    // Before anything is installed only the variable tells.
    let fresh = home.join("fresh");
    let vars = [("CLAUDE_CONFIG_DIR", fresh.as_path())];
    let input =
        json!({"file_path": fresh.join("settings.json"), "old_string": "a", "new_string": "b"});
    assert_eq!(judged(home, home, &vars, "Edit", input.clone()), "ask");
    assert_eq!(judged(home, home, &[], "Edit", input), "allow");
}

/// Every way to write a file that a line's words show. `@` stands for the file.
const WRITERS: &[&str] = &[
    "echo x > @",
    "echo x >> @",
    "echo x >| @",
    "echo x &> @",
    ">@",
    "cat x 2> @",
    "ls | tee @",
    "ls | tee -a other @",
    "ls | sponge @",
    "cp x @",
    "cp -t @ x",
    "mv x @",
    "mv @ x",
    "ln -sf x @",
    "install -m 644 x @",
    "rsync x @",
    "rm @",
    "rm -f -- @",
    "unlink @",
    "shred -u @",
    "truncate -s 0 @",
    "touch @",
    "chmod 777 @",
    "chown me @",
    "dd if=x of=@",
    "sed -i s/a/b/ @",
    "sed -i.bak -e s/a/b/ @",
    "sed --in-place s/a/b/ @",
    "perl -pi -e s/a/b/ @",
    "ruby -i -pe x @",
    "gawk -i inplace x @",
    "yq -i .a=1 @",
    "vim -c wq @",
    "nano @",
    "ed @ <<E\nw\nE",
    "curl -o @ x",
    "curl --output=@ x",
    "wget -O @ x",
    "sort -o @ x",
    "openssl enc -out @",
    "gpg --output @ -d x",
    "prettier --write @",
    "git restore @",
    "git checkout HEAD -- @",
    "git rm @",
    "git mv x @",
    "patch @ < x",
    "cd / && echo x > @",
    "sudo tee @ < x",
    "sh -c 'echo x > @'",
    "find . -exec cp {} @ \\;",
    "echo x | xargs cp y @",
    "f=@; echo x > $f",
    "cat <<E > @\nx\nE",
    "pwsh -c 'Set-Content @ x'",
    "pwsh -c 'Remove-Item -Force @'",
    "cmd /c del @",
    "docker run -v /:/h img tee @",
    "find . -fprint @",
    "sudoedit @",
];

/// Ways to read it.
const READERS: &[&str] = &[
    "cat @",
    "less @",
    "grep x @",
    "cp @ x",
    "cp @ /tmp/",
    "diff @ x",
    "sed -n 1p @",
    "prettier --check @",
    "gofmt -l @",
    "black --check @",
    "jq . @",
    "yq . @",
    "head -1 < @",
    "wc -l @",
    "git diff @",
    "git log -- @",
    "git add @",
    "echo @",
    "test -f @ && echo there",
    "ls -l @",
    "stat @",
    "sha256sum @",
    "tar cf x.tar @",
    "curl -d @ http://x",
    "rsync @ x",
    "sort @ > x",
    "echo '> @'",
    "grep -r '@' .",
];

#[test]
fn writers_are_known_and_readers_are_let_through() {
    let home = home(Some("{}"));
    let home = home.path();
    fs::write(home.join(".gitvow/records"), "").unwrap();
    let settings = home.join(".claude/settings.json");
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(&settings, "{}").unwrap();
    let state = home.join(".gitvow/policy.json");
    let mut wrong = Vec::new();
    for (lines, of_state, of_settings) in [(WRITERS, "deny", "ask"), (READERS, "allow", "allow")] {
        for text in lines {
            for (file, expected) in [(&state, of_state), (&settings, of_settings)] {
                let command = text.replace('@', &file.display().to_string());
                let said = line(home, home, &command);
                if said != expected {
                    wrong.push(format!("{command}: {said}, not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What a program does with a name in its text can't be read.
    for text in [
        "python3 -c \"open('@', 'w')\"",
        "node -e \"fs.writeFileSync('@')\"",
        "python3 - <<E\nopen('@','w')\nE",
    ] {
        for file in ["~/.gitvow/policy.json", ".claude/settings.json"] {
            assert_eq!(
                line(home, home, &text.replace('@', file)),
                "ask",
                "{text} {file}"
            );
        }
        assert_eq!(
            line(home, home, &text.replace('@', "x.json")),
            "allow",
            "{text}"
        );
    }
}
