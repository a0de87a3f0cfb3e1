use super::*;
use crate::spec::builtin;
use std::collections::BTreeMap;

struct World {
    vars: BTreeMap<&'static str, &'static str>,
    repo: Option<&'static str>,
}

fn world(vars: &[(&'static str, &'static str)]) -> World {
    World {
        vars: vars.iter().copied().collect(),
        repo: Some("/w/r"),
    }
}

fn plan(agent: &str, scope: Scope, world: &World) -> Result<Targets> {
    let spec = builtin::by_name(agent).unwrap().spec().unwrap();
    targets_of(&spec, scope, world)
}

fn targets_of(spec: &AgentSpec, scope: Scope, world: &World) -> Result<Targets> {
    let var = |name: &str| world.vars.get(name).map(|v| (*v).to_owned());
    targets(
        spec,
        scope,
        &Ground {
            home: Path::new("/h"),
            state: Path::new("/h/.gitvow"),
            repo: world.repo.map(Path::new),
            var: &var,
        },
    )
}

fn path(agent: &str, scope: Scope, vars: &[(&'static str, &'static str)]) -> String {
    let targets = plan(agent, scope, &world(vars)).unwrap();
    let first = targets
        .merge
        .map(|m| m.path)
        .or_else(|| targets.trees.first().map(|t| t.path.clone()));
    first.unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_agent_has_its_user_file_where_the_vendor_reads_it() {
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot", ".copilot/hooks/gitvow.json"),
        ("factory", ".factory/settings.json"),
        ("antigravity", ".gemini/config/hooks.json"),
        ("grok", ".grok/hooks/gitvow.json"),
        ("kimi", ".kimi-code/config.toml"),
        ("qwen", ".qwen/settings.json"),
        ("opencode", ".config/opencode/plugins/gitvow.js"),
    ] {
        assert_eq!(path(agent, Scope::User, &[]), format!("/h/{file}"));
    }
}

#[test]
fn repository_files_and_who_has_none() {
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot", ".github/hooks/gitvow.json"),
        ("factory", ".factory/settings.json"),
        ("antigravity", ".agents/hooks.json"),
        ("grok", ".grok/hooks/gitvow.json"),
        ("qwen", ".qwen/settings.json"),
        ("opencode", ".opencode/plugins/gitvow.js"),
    ] {
        assert_eq!(
            path(agent, Scope::Repo, &[("CODEX_HOME", "/x")]),
            format!("/w/r/{file}")
        );
    }
    let error = plan("kimi", Scope::Repo, &world(&[])).unwrap_err();
    assert_eq!(error.code, "no-scope");
    assert_eq!(
        error.message,
        "kimi has no file that a repository could commit: no --scope repo"
    );
    assert_eq!(
        error.help.unwrap(),
        "gitvow install --agent kimi --scope user"
    );
    assert_eq!(
        path("claude", Scope::Local, &[]),
        "/w/r/.claude/settings.local.json"
    );
    assert_eq!(
        path("factory", Scope::Local, &[]),
        "/w/r/.factory/settings.local.json"
    );
    for agent in [
        "codex",
        "gemini",
        "cursor",
        "copilot",
        "antigravity",
        "grok",
        "kimi",
        "qwen",
        "opencode",
    ] {
        let error = plan(agent, Scope::Local, &world(&[])).unwrap_err();
        assert_eq!(
            error.message,
            format!("{agent} has no untracked file of its own in a repository: no --scope local")
        );
    }
}

#[test]
fn relocation_variables_replace_their_directory() {
    for (agent, variable, at) in [
        ("claude", "CLAUDE_CONFIG_DIR", "/x/settings.json"),
        ("codex", "CODEX_HOME", "/x/hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", "/x/.gemini/settings.json"),
        ("copilot", "COPILOT_HOME", "/x/hooks/gitvow.json"),
        (
            "factory",
            "FACTORY_HOME_OVERRIDE",
            "/x/.factory/settings.json",
        ),
        ("grok", "GROK_HOME", "/x/hooks/gitvow.json"),
        ("kimi", "KIMI_CODE_HOME", "/x/config.toml"),
        (
            "opencode",
            "XDG_CONFIG_HOME",
            "/x/opencode/plugins/gitvow.js",
        ),
    ] {
        assert_eq!(path(agent, Scope::User, &[(variable, "/x/")]), at);
        let error = plan(agent, Scope::User, &world(&[(variable, "x")])).unwrap_err();
        assert_eq!(error.code, "relative-variable");
        assert!(error.message.contains(variable) && error.help.is_some());
    }
    // Another agent's variable moves nothing.
    assert_eq!(
        path("claude", Scope::User, &[("CODEX_HOME", "/x")]),
        "/h/.claude/settings.json"
    );
}

#[test]
fn the_most_exact_variable_counts_and_only_whole_parts() {
    let install: Install = serde_json::from_value(serde_json::json!({
        "home_env": {"A": "", "B": ".config", "C": ".config/app", "D": ".conf"}
    }))
    .unwrap();
    let at = |vars: &[(&'static str, &'static str)], file: &str| {
        let world = world(vars);
        let var = |name: &str| world.vars.get(name).map(|v| (*v).to_owned());
        let ground = Ground {
            home: Path::new("/h"),
            state: Path::new("/s"),
            repo: None,
            var: &var,
        };
        in_home(Some(&install), file, &ground)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        at(&[("A", "/a"), ("B", "/b"), ("C", "/c")], ".config/app/x"),
        "/c/x"
    );
    assert_eq!(at(&[("A", "/a"), ("B", "/b")], ".config/app/x"), "/b/app/x");
    assert_eq!(at(&[("A", "/a")], ".config/app/x"), "/a/.config/app/x");
    assert_eq!(at(&[("D", "/d")], ".config/app/x"), "/h/.config/app/x");
    assert_eq!(at(&[("C", "/c")], ".config/app"), "/c");
}

#[test]
fn droid_names_its_other_file_and_switches_their_own() {
    let targets = plan(
        "factory",
        Scope::User,
        &world(&[("FACTORY_HOME_OVERRIDE", "/x")]),
    )
    .unwrap();
    let merge = targets.merge.unwrap();
    assert_eq!(
        merge.alternatives,
        [Alternative {
            path: "/x/.factory/hooks.json".into(),
            root: vec![]
        }]
    );
    assert_eq!(
        targets.switches[0].path.as_deref(),
        Some(Path::new("/x/.factory/hooks.json"))
    );
    assert_eq!(targets.switches[1].path, None);
    let local = plan("factory", Scope::Local, &world(&[])).unwrap();
    assert!(local.merge.unwrap().alternatives.is_empty());
    let codex = plan("codex", Scope::User, &world(&[("CODEX_HOME", "/x")])).unwrap();
    assert_eq!(
        codex.switches[0].path.as_deref(),
        Some(Path::new("/x/config.toml"))
    );
    assert_eq!(codex.switches[0].format, Format::Toml);
}

#[test]
fn repository_scope_wants_a_repository_and_a_known_shell() {
    let mut nowhere = world(&[]);
    nowhere.repo = None;
    assert_eq!(
        plan("claude", Scope::Repo, &nowhere).unwrap_err().code,
        "no-repository"
    );
    let mut spec = builtin::by_name("claude").unwrap().spec().unwrap();
    spec.install.as_mut().unwrap().repo_command = None;
    let error = targets_of(&spec, Scope::Repo, &world(&[])).unwrap_err();
    assert_eq!(error.code, "no-scope");
    assert!(error.message.contains("no `install.repo_command`"));
    assert_eq!(scopes(&spec), [Scope::User, Scope::Local]);
    spec.install = None;
    assert_eq!(
        targets_of(&spec, Scope::User, &world(&[]))
            .unwrap_err()
            .code,
        "nothing-to-install"
    );
}

#[test]
fn no_file_lies_in_the_state_home() {
    let error = plan(
        "claude",
        Scope::User,
        &world(&[("CLAUDE_CONFIG_DIR", "/h/.gitvow")]),
    )
    .unwrap_err();
    assert_eq!(error.code, "state-home");
}
