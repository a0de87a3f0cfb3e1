//! OpenCode's plugin under a real `node`, against stand-ins for gitvow.

use crate::program::program;
use gitvow::spec::builtin;
use gitvow::spec::command::{Command as Written, Guard, tree_texts};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What calls the plugin as OpenCode does: prints `went on` or the error's text.
const DRIVER: &str = r#"
const plugins = Object.values(await import(process.argv[2]));
if (plugins.length !== 1) throw new Error("exactly one plugin must be exported");
const hooks = await plugins[0]({ directory: "/w/r", worktree: "/w/r" });
const what = process.argv[3];
try {
  if (what === "before") await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s1", callID: "c1" }, { args: { command: "ls" } });
  if (what === "after") await hooks["tool.execute.after"]({ tool: "edit", sessionID: "s1", callID: "c1", args: { filePath: "/w/r/a", oldString: "x", newString: "y" } }, { output: "" });
  if (what === "prompt") await hooks["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "hello" }, { type: "file" }, { type: "text", text: "you" }] });
  if (what === "start") await hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } });
  if (what === "idle") await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } });
  if (what === "other") await hooks.event({ event: { type: "message.updated", properties: {} } });
  console.log("went on");
} catch (e) {
  console.log("threw " + e.message);
}
"#;

struct Stage {
    dir: tempfile::TempDir,
    node: PathBuf,
}

impl Stage {
    /// `None` where there is no `node`.
    fn new() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let node = std::env::split_paths(&path)
            .map(|d| d.join("node"))
            .find(|p| p.is_file());
        let Some(node) = node else {
            eprintln!("skipped: no node on PATH");
            return None;
        };
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("driver.mjs"), DRIVER).unwrap();
        fs::write(dir.path().join("package.json"), "{\"type\": \"module\"}").unwrap();
        Some(Self { dir, node })
    }

    fn launcher(&self) -> PathBuf {
        self.dir.path().join("o'b \"q\"/.gitvow/bin/gitvow")
    }

    fn gitvow(&self, script: &str) {
        let path = self.launcher();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        program(&path, &format!("#!/bin/sh\n{script}\n"));
    }

    fn plugin(&self, command: &Written<'_>, tweak: impl Fn(String) -> String) {
        let spec = builtin::by_name("opencode").unwrap().spec().unwrap();
        let text = tree_texts(&spec.install.unwrap().trees[0], command)
            .remove(0)
            .text;
        fs::write(self.dir.path().join("gitvow.js"), tweak(text)).unwrap();
    }

    fn user_scope(&self) {
        let launcher = self.launcher();
        self.plugin(&Written::absolute(launcher.to_str().unwrap()), |text| text);
    }

    fn repo_scope(&self, block: bool) {
        let spec = builtin::by_name("opencode").unwrap().spec().unwrap();
        let forms = spec.install.unwrap().repo_command.unwrap();
        self.plugin(
            &Written::guarded(Guard {
                forms: &forms,
                block,
            }),
            |text| {
                assert!(!text.contains(self.dir.path().to_str().unwrap()));
                text
            },
        );
    }

    fn run(&self, what: &str) -> String {
        let home = self.launcher();
        let home = home.ancestors().nth(3).unwrap();
        let out = Command::new(&self.node)
            .args([self.path("driver.mjs"), self.path("gitvow.js")])
            .arg(what)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap().trim_end().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

#[test]
fn a_user_plugin_goes_on_denies_and_fails_closed() {
    let Some(stage) = Stage::new() else { return };
    stage.user_scope();
    assert!(
        stage
            .run("before")
            .starts_with("threw BLOCKED: gitvow could not be asked")
    );
    stage.gitvow("cat >/dev/null; exit 0");
    assert_eq!(stage.run("before"), "went on");
    stage.gitvow("cat >/dev/null; echo 'BLOCKED by policy (no).' >&2; exit 2");
    assert_eq!(stage.run("before"), "threw BLOCKED by policy (no).");
    // It answers without reading what it is sent.
    stage.gitvow("exit 2");
    assert_eq!(stage.run("before"), "threw BLOCKED by gitvow");
    for broken in ["exit 1", "exit 127", "kill -9 $$", "exit 3"] {
        stage.gitvow(&format!("cat >/dev/null; {broken}"));
        assert!(
            stage
                .run("before")
                .starts_with("threw BLOCKED: gitvow could not be asked"),
            "{broken}"
        );
    }
    let path = stage.launcher();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(
        stage
            .run("before")
            .starts_with("threw BLOCKED: gitvow could not be asked")
    );
}

#[test]
fn a_gitvow_that_hangs_is_a_denial() {
    let Some(stage) = Stage::new() else { return };
    let launcher = stage.launcher();
    stage.plugin(&Written::absolute(launcher.to_str().unwrap()), |text| {
        assert!(text.contains("const LIMIT_MS = 30_000;"));
        text.replace("const LIMIT_MS = 30_000;", "const LIMIT_MS = 200;")
    });
    stage.gitvow("exec sleep 5");
    let said = stage.run("before");
    assert!(said.contains("no answer within 0.2 s"), "{said}");
}

#[test]
fn a_repository_plugin_goes_on_without_a_launcher_or_denies_if_told_so() {
    let Some(stage) = Stage::new() else { return };
    stage.repo_scope(false);
    assert_eq!(stage.run("before"), "went on");
    stage.repo_scope(true);
    assert!(stage.run("before").starts_with("threw BLOCKED"));
    stage.gitvow("cat >/dev/null; echo 'BLOCKED x' >&2; exit 2");
    for block in [false, true] {
        stage.repo_scope(block);
        assert_eq!(stage.run("before"), "threw BLOCKED x");
    }
    stage.gitvow("cat >/dev/null; exit 9");
    stage.repo_scope(false);
    assert!(stage.run("before").starts_with("threw BLOCKED"));
}

#[test]
fn every_event_is_sent_in_claudes_shape() {
    let Some(stage) = Stage::new() else { return };
    stage.user_scope();
    let log = stage.path("sent.json");
    stage.gitvow(&format!(
        "printf '%s ' \"$@\" >'{0}'; cat >>'{0}'; exit 2",
        log.display()
    ));
    let base = json!({"session_id": "s1", "cwd": "/w/r"});
    for (what, event, extra) in [
        (
            "before",
            "PreToolUse",
            json!({"tool_name": "bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1"}),
        ),
        (
            "after",
            "PostToolUse",
            json!({"tool_name": "edit", "tool_use_id": "c1",
            "tool_input": {"filePath": "/w/r/a", "oldString": "x", "newString": "y"}}),
        ),
        (
            "prompt",
            "UserPromptSubmit",
            json!({"prompt": "hello\nyou"}),
        ),
        ("start", "SessionStart", json!({"source": "startup"})),
        ("idle", "Stop", json!({})),
    ] {
        // Only the gate throws, whatever gitvow answers elsewhere.
        let said = stage.run(what);
        assert_eq!(said == "went on", event != "PreToolUse", "{said}");
        let sent = read(&log);
        let (args, payload) = sent.split_once('{').unwrap();
        assert_eq!(args, format!("hook --agent opencode {event} "));
        let mut expected = base.clone();
        for part in [extra, json!({"hook_event_name": event})] {
            for (key, value) in part.as_object().unwrap() {
                expected[key] = value.clone();
            }
        }
        let payload: Value = serde_json::from_str(&format!("{{{payload}")).unwrap();
        assert_eq!(payload, expected);
        fs::remove_file(&log).unwrap();
    }
    assert_eq!(stage.run("other"), "went on");
    assert!(!log.exists());
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
