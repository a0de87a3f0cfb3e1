//! `gitvow selftest`: the rehearsal passes for every agent and scope, on files of every kind; every lie is told at the
//! step that finds it; the user's own files stay as they are and nothing is left in TMPDIR.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "common/program.rs"]
mod program;
#[path = "common/schema.rs"]
mod schema;

use gitvow::plan::paths;
use gitvow::spec::{Scope, builtin};
use program::program;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "tmp", "repo/.git"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        Self { dir }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn gitvow(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_gitvow"))
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path().join("home"))
            .env("TMPDIR", self.dir.path().join("tmp"))
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.dir.path().join("repo"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The report of these agents; checked: the schema, the exit code, nothing changed and nothing left.
    fn selftest(&self, scope: &str, agents: &[&str]) -> Value {
        let before = picture(self.dir.path());
        let mut args = vec!["selftest", "--json", "--scope", scope];
        for agent in agents {
            args.extend(["--agent", agent]);
        }
        let output = self.gitvow(&args);
        let text = String::from_utf8(output.stdout).unwrap();
        let report = schema::valid("selftest", &text);
        assert_eq!(
            output.status.code(),
            Some(i32::from(report["ok"] != true)),
            "{text}"
        );
        assert!(
            before == picture(self.dir.path()),
            "something changed or was left"
        );
        report
    }

    /// The step at which the only agent fails, and what it says.
    fn lie(&self, scope: &str, agent: &str) -> (String, String) {
        let report = self.selftest(scope, &[agent]);
        assert_eq!(report["ok"], false, "{report:#}");
        let steps = report["agents"][0]["steps"].as_array().unwrap();
        let (last, held) = steps.split_last().unwrap();
        assert!(
            held.iter().all(|s| s["ok"] == true) && last["ok"] == false,
            "{report:#}"
        );
        let text = |key: &str| last[key].as_str().unwrap().to_owned();
        (text("name"), text("message"))
    }
}

fn picture(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(picture(&path));
            out.insert(path, Vec::new());
        } else {
            let bytes = std::fs::read(&path).unwrap();
            out.insert(path, bytes);
        }
    }
    out
}

fn steps(report: &Value, agent: &str) -> Vec<String> {
    let agents = report["agents"].as_array().unwrap();
    let agent = agents.iter().find(|a| a["agent"] == agent).unwrap();
    let list = agent["steps"].as_array().unwrap();
    list.iter()
        .map(|s| s["name"].as_str().unwrap().to_owned())
        .collect()
}

fn agents(scope: Scope) -> Vec<&'static str> {
    let has = |name: &&str| {
        paths::lacks(&builtin::by_name(name).unwrap().spec().unwrap(), scope).is_none()
    };
    builtin::names().into_iter().filter(has).collect()
}

#[test]
fn every_agent_passes_in_every_scope() {
    for scope in [Scope::User, Scope::Repo, Scope::Local] {
        let place = Place::new();
        let all = agents(scope);
        let report = place.selftest(scope.name(), &all);
        assert_eq!(report["ok"], true, "{report:#}");
        assert_eq!(report["agents"].as_array().unwrap().len(), all.len());
        for name in all {
            let spec = builtin::by_name(name).unwrap().spec().unwrap();
            let steps = steps(&report, name);
            for step in [
                "copy",
                "policy",
                "plan",
                "install",
                "install again",
                "commands",
                "doctor",
                "uninstall",
                "cmp",
            ] {
                assert!(steps.iter().any(|s| s == step), "{name}: no {step}");
            }
            for event in &spec.events {
                assert!(
                    steps.contains(&format!("{event} allow")),
                    "{name}: {event} was not run"
                );
            }
            for event in spec.before_tool.iter().flatten() {
                assert!(
                    steps.contains(&format!("{event} deny")),
                    "{name}: {event} was not denied"
                );
            }
        }
    }
}

#[test]
fn on_the_users_own_files_installed_or_not() {
    let place = Place::new();
    place.file(
        "home/.claude/settings.json",
        "{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {}\r\n}",
    );
    place.file("home/.gemini/settings.json", "{ // mine\n}\n");
    place.file("home/.codex/config.toml", "model = \"x\"\n");
    place.file(
        "home/.kimi-code/config.toml",
        "# mine\nhooks = [ {event = \"Stop\", command = \"x\"} ]\n",
    );
    place.file("home/.factory/hooks.json", "{\"Stop\": []}\n");
    place.file("home/.copilot/hooks/mine.json", "{}\n");
    let all = ["claude", "gemini", "codex", "kimi", "factory", "copilot"];
    // Without names: those that are here.
    let found = place.gitvow(&["selftest", "--json"]);
    let found = schema::valid("selftest", &String::from_utf8(found.stdout).unwrap());
    assert_eq!(
        (&found["ok"], found["agents"].as_array().unwrap().len()),
        (&Value::Bool(true), all.len()),
        "{found:#}"
    );
    assert!(place.gitvow(&["install", "--json"]).status.success());
    let report = place.selftest("user", &all);
    assert_eq!(report["ok"], true, "{report:#}");
    let text = String::from_utf8(place.gitvow(&["selftest", "--agent", "claude"]).stdout).unwrap();
    assert!(
        text.lines().all(|l| l.starts_with("ok   claude: ")) && text.contains("PreToolUse deny"),
        "{text}"
    );
}

#[test]
fn a_home_with_odd_characters() {
    let mut place = Place::new();
    let odd = place.dir.path().join("o'brien x\\y \"z\" $HOME");
    std::fs::create_dir_all(odd.join("tmp")).unwrap();
    std::fs::create_dir_all(odd.join("home")).unwrap();
    std::fs::create_dir_all(odd.join("repo/.git")).unwrap();
    let inner = tempfile::TempDir::new_in(&odd).unwrap();
    for name in ["home", "tmp", "repo/.git"] {
        std::fs::create_dir_all(inner.path().join(name)).unwrap();
    }
    let outer = std::mem::replace(&mut place.dir, inner);
    let report = place.selftest("user", &agents(Scope::User));
    assert_eq!(report["ok"], true, "{report:#}");
    drop(place);
    drop(outer);
}

#[test]
fn a_file_that_the_agent_would_not_read_is_named() {
    let place = Place::new();
    let file = place.file("home/.claude/settings.json", "{ // mine\n}\n");
    let (step, message) = place.lie("user", "claude");
    assert!(
        step == "plan"
            && message.contains("settings.json")
            && !message.contains(file.to_str().unwrap()),
        "{message}"
    );
    place.file("home/.claude/settings.json", "{");
    let (_, message) = place.lie("user", "claude");
    assert!(message.contains(".claude/settings.json"), "{message}");
    place.file("home/.grok/hooks/gitvow.json", "{\"mine\": true}\n");
    assert_eq!(place.lie("user", "grok").0, "plan");
}

#[test]
fn a_policy_that_does_not_load_is_a_lie() {
    let place = Place::new();
    let policy = place.file(
        "home/.gitvow/policy.json",
        "{\"bash_deny\": [{\"pattern\": \"(\", \"reason\": \"x\"}]}",
    );
    let (step, message) = place.lie("user", "claude");
    assert!(
        step == "policy" && message.contains(policy.to_str().unwrap()),
        "{message}"
    );
    place.file("home/.gitvow/policy.json", "{}");
    let policy = place.file("repo/.gitvow/policy.json", "[]");
    let (step, message) = place.lie("repo", "claude");
    assert!(
        step == "policy" && message.contains(policy.to_str().unwrap()),
        "{message}"
    );
}

/// An adapter in the state home that gives these two answers.
fn adapter(place: &Place, allow: &str, deny: &str) {
    let info = r#"{"protocol": 1, "name": "toy", "events": ["PreToolUse"], "install": {"user_file": ".toy/hooks.json",
      "entries": {"PreToolUse": [{"command": "__GITVOW__ hook --agent toy PreToolUse"}]}}}"#;
    let text = format!(
        "#!/bin/sh\ncase $1 in\n info) cat <<'X'\n{info}\nX\n;;\n normalize) cat >/dev/null; echo '{{\"calls\": []}}';;\n \
         respond) case $(cat) in *'\"code\":2'*) echo '{deny}';; *) echo '{allow}';; esac;;\nesac\n"
    );
    let path = place.file("home/.gitvow/agents/gitvow-agent-toy", "");
    program(path.as_ref(), &text);
}

#[test]
fn an_external_agent_answers_both_ways_and_is_named() {
    let place = Place::new();
    adapter(
        &place,
        r#"{"stdout": "{}"}"#,
        r#"{"stdout": "{\"deny\": 1}"}"#,
    );
    let report = place.selftest("user", &["toy"]);
    assert_eq!(report["ok"], true, "{report:#}");
    let steps = steps(&report, "toy");
    assert!(
        steps[0] == "respond" && steps.contains(&"PreToolUse allow".to_owned()),
        "{steps:?}"
    );
    adapter(&place, r#"{"exit_code": 0}"#, r#"{"exit_code": 0}"#);
    let (step, message) = place.lie("user", "toy");
    assert!(
        step == "respond" && message.contains("gitvow-agent-toy"),
        "{message}"
    );
}

#[test]
fn usage() {
    let place = Place::new();
    for (args, code) in [
        (&["selftest", "--agent", "nobody"][..], 2),
        (&["selftest", "--agent", "kimi", "--scope", "repo"], 1),
        (&["selftest"], 1),
    ] {
        assert_eq!(place.gitvow(args).status.code(), Some(code), "{args:?}");
    }
}

/// The rehearsal's own commands run a copy of this program; what the user's entries run is another file.
#[test]
fn the_installed_launcher_is_asked_itself() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    assert!(
        place
            .gitvow(&["install", "--agent", "claude"])
            .status
            .success()
    );
    assert_eq!(place.selftest("user", &["claude"])["ok"], true);
    let launcher = place.dir.path().join("home/.gitvow/bin/gitvow");
    let whole = std::fs::read(&launcher).unwrap();
    let mode = |bits| std::fs::set_permissions(&launcher, PermissionsExt::from_mode(bits)).unwrap();
    for script in ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 2\n", "nothing"] {
        std::fs::write(&launcher, script).unwrap();
        let (step, message) = place.lie("user", "claude");
        assert_eq!(step, "launcher");
        assert!(message.contains(launcher.to_str().unwrap()), "{message}");
    }
    // Another build that works is no lie.
    std::fs::write(&launcher, [&whole[..], b"other"].concat()).unwrap();
    assert_eq!(place.selftest("user", &["claude"])["ok"], true);
    mode(0o644);
    assert_eq!(place.lie("user", "claude").0, "launcher");
    std::fs::remove_file(&launcher).unwrap();
    assert_eq!(place.lie("user", "claude").0, "launcher");
}
