//! Agents that aren't built in: their adapter translates and answers, gitvow judges (spec 5.1).

use crate::program::program;
use crate::run::{Said, command, home, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn call(home: &Path, event: &str, line: &str) -> Said {
    let payload = format!(r#"{{"sid":"s","dir":"/","tool":"sh","args":{{"cmd":"{line}"}}}}"#);
    let mut hook = command(home, &["hook", "--agent", "example", event]);
    hook.env("PATH", "/usr/bin:/bin");
    run(hook, payload.as_bytes())
}

fn install(home: &Path, text: &str) {
    let agents = home.join(".gitvow/agents");
    fs::create_dir_all(&agents).unwrap();
    for dir in [home, &home.join(".gitvow"), &agents] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let file = agents.join("gitvow-agent-example");
    program(&file, text);
}

#[test]
fn the_adapter_says_it_in_its_agents_form() {
    let home = home(None);
    let adapter =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/agents/gitvow-agent-example");
    install(home.path(), &fs::read_to_string(adapter).unwrap());
    for (line, expected) in [
        ("ls", "\"allow\""),
        ("git push -f", "BLOCKED by policy"),
        ("git reset --hard", "CONFIRMATION REQUIRED"),
    ] {
        let said = call(home.path(), "beforeTool", line);
        assert!(
            said.exit == 0 && said.stdout.contains(expected),
            "{line}: {said:?}"
        );
    }
}

#[test]
fn an_adapter_that_fails_blocks_a_tool_and_loses_no_session() {
    for script in [
        "#!/bin/sh\nexit 3\n",
        "#!/bin/sh\necho nonsense\n",
        "#!/bin/sh\necho '{\"calls\":[{\"event\":\"PreToolUse\"}]}'\n",
    ] {
        let home = home(None);
        install(home.path(), script);
        let said = call(home.path(), "beforeTool", "ls");
        assert!(
            said.exit == 2 && said.stderr.starts_with("BLOCKED"),
            "{script}: {said:?}"
        );
        let said = call(home.path(), "start", "ls");
        assert_eq!((said.exit, said.stdout.as_str()), (0, ""), "{script}");
        let log = fs::read_to_string(home.path().join(".gitvow/hooks.log")).unwrap();
        assert_eq!(log.matches("adapter_failed").count(), 2, "{log}");
    }
}
