//! What a planner may not say, whoever wrote it. Pure, and deliberately blind: what needs the disk (a path
//! that a link leads out of the repository) is refused later, where the disk is read.

use super::command::{self, Command, Guard};
use super::names::{MAX_NAME, is_agent_name, is_event_name, is_variable_name, path_fault};
use super::parse::{Bad, Step};
use super::{AgentSpec, Alternative, Entries, Install, PLACEHOLDER, RepoCommand, TreeSpec};
use serde_json::Value;

/// Most entries, tree files, events, aliases or other members of one list.
pub const MAX_LIST: usize = 256;
/// Refuses the first thing that is wrong, with its key.
pub fn check(spec: &AgentSpec) -> Result<(), Bad> {
    let top = At(Vec::new());
    if spec.protocol != 1 {
        return top
            .key("protocol")
            .bad(format!("is {}, and this gitvow speaks 1", spec.protocol));
    }
    agent_name(&spec.name, &top.key("name"))?;
    few(spec.aliases.len(), &top.key("aliases"))?;
    for (i, alias) in spec.aliases.iter().enumerate() {
        let at = top.key("aliases").index(i);
        agent_name(alias, &at)?;
        if *alias == spec.name || spec.aliases.iter().take(i).any(|a| a == alias) {
            return at.bad(format!("`{alias}` stands twice"));
        }
    }
    few(spec.events.len(), &top.key("events"))?;
    for (i, event) in spec.events.iter().enumerate() {
        let at = top.key("events").index(i);
        event_name(event, &at)?;
        if spec.events.iter().take(i).any(|e| e == event) {
            return at.bad(format!("`{event}` stands twice"));
        }
    }
    for (i, event) in spec.before_tool.iter().flatten().enumerate() {
        if !spec.events.contains(event) {
            return top
                .key("before_tool")
                .index(i)
                .bad(format!("`{event}` is not one of `events`"));
        }
    }
    if let Some(detect) = &spec.detect {
        let at = top.key("detect");
        few(detect.commands.len() + detect.dirs.len(), &at)?;
        for (i, name) in detect.commands.iter().enumerate() {
            if name.is_empty() || name.contains(['/', '\\']) || name.contains(char::is_control) {
                return at
                    .key("commands")
                    .index(i)
                    .bad("must be the name of a program, without a directory");
            }
        }
        for (i, dir) in detect.dirs.iter().enumerate() {
            path(dir, &at.key("dirs").index(i))?;
        }
    }
    for name in spec.steps.keys() {
        scope_name(name, &top.key("steps").key(name))?;
    }
    for (agent, scopes) in &spec.loads {
        let at = top.key("loads").key(agent);
        agent_name(agent, &at)?;
        for (i, scope) in scopes.iter().enumerate() {
            scope_name(scope, &at.index(i))?;
        }
    }
    match &spec.install {
        Some(install) => check_install(install, &top.key("install")),
        None => Ok(()),
    }
}

fn check_install(install: &Install, at: &At) -> Result<(), Bad> {
    let files = [
        ("user_file", &install.user_file),
        ("repo_file", &install.repo_file),
        ("local_file", &install.local_file),
    ];
    for (key, file) in files {
        if let Some(file) = file {
            path(file, &at.key(key))?;
        }
    }
    for (variable, dir) in &install.home_env {
        let at = at.key("home_env").key(variable);
        if !is_variable_name(variable) {
            return at.bad("is no name of an environment variable");
        }
        if !dir.is_empty() {
            path(dir, &at)?;
        }
    }
    others(install, "alternatives", &install.alternatives, at)?;
    others(install, "legacy", &install.legacy, at)?;
    root(&install.root, &at.key("root"))?;
    let empty = check_entries(install, at)?;
    let no_file = files.iter().all(|(_, file)| file.is_none());
    if !empty && no_file {
        return at
            .key("entries")
            .bad("has no file to go to: give `user_file`");
    }
    if empty && !no_file {
        return at.key("entries").bad("is missing or empty");
    }
    if empty && install.trees.is_empty() {
        return at.bad("writes nothing: it has neither `entries` nor `trees`");
    }
    check_trees(install, at)?;
    if let Some(forms) = &install.repo_command {
        check_repo_command(forms, &at.key("repo_command"))?;
    }
    check_version_key(install, at)?;
    let switches = install.reads.iter().flat_map(|r| &r.switches).enumerate();
    for (i, switch) in switches {
        let at = at.key("reads").key("switches").index(i);
        if let Some(file) = &switch.file {
            path(file, &at.key("file"))?;
        }
        if switch.path.is_empty() {
            return at.key("path").bad("is empty");
        }
        root(&switch.path, &at.key("path"))?;
    }
    Ok(())
}

/// Says whether there are none.
fn check_entries(install: &Install, at: &At) -> Result<bool, Bad> {
    let at = at.key("entries");
    match &install.entries {
        Entries::Events(events) => {
            few(events.len(), &at)?;
            for (event, list) in events {
                let at = at.key(event);
                event_name(event, &at)?;
                match list {
                    Value::Array(list) => entry_list(list, &at)?,
                    _ => return at.bad("must be a list of entries"),
                }
            }
            Ok(events.is_empty())
        }
        Entries::List(list) => {
            if install.root.is_empty() {
                return at.bad("is a list, so `root` must name the list it goes to");
            }
            entry_list(list, &at)?;
            Ok(false)
        }
    }
}

fn entry_list(list: &[Value], at: &At) -> Result<(), Bad> {
    if list.is_empty() {
        return at.bad("is an empty list");
    }
    few(list.len(), at)?;
    for (i, entry) in list.iter().enumerate() {
        let at = at.index(i);
        if !entry.is_object() {
            return at.bad("must be an object");
        }
        carries(entry, &at)?;
    }
    Ok(())
}

/// Every command of an entry must run gitvow, or the entry isn't ours to write.
fn carries(entry: &Value, at: &At) -> Result<(), Bad> {
    let commands = command::commands(entry);
    if commands.is_empty() {
        return at.bad(format!("has no command that carries `{PLACEHOLDER}`"));
    }
    if let Some(other) = commands.iter().find(|c| !c.contains(PLACEHOLDER)) {
        return at.bad(format!(
            "has a command that doesn't carry `{PLACEHOLDER}`: {}",
            Value::from(*other)
        ));
    }
    // An argument vector has no shell to guard or quote for; no agent here needs one.
    if commands.iter().any(|c| c.trim() == PLACEHOLDER) {
        return at.bad("gives arguments apart from its command: write one shell line");
    }
    Ok(())
}

/// Second files of the agent: each stands for one of the block's own. Only an older gitvow's place may be in the same
/// file, under another root.
fn others(install: &Install, name: &str, list: &[Alternative], at: &At) -> Result<(), Bad> {
    few(list.len(), &at.key(name))?;
    for (i, other) in list.iter().enumerate() {
        let at = at.key(name).index(i);
        let files = [
            ("user_file", &other.user_file, &install.user_file),
            ("repo_file", &other.repo_file, &install.repo_file),
            ("local_file", &other.local_file, &install.local_file),
        ];
        for (key, file, main) in files {
            let Some(file) = file else { continue };
            path(file, &at.key(key))?;
            if main.is_none() {
                return at
                    .key(key)
                    .bad(format!("has no `install.{key}` to stand for"));
            }
            let elsewhere = name == "legacy" && other.root != install.root;
            if Some(file) == main.as_ref() && !elsewhere {
                return at.key(key).bad(format!("is `install.{key}` itself"));
            }
        }
        root(&other.root, &at.key("root"))?;
    }
    Ok(())
}

fn check_trees(install: &Install, at: &At) -> Result<(), Bad> {
    few(install.trees.len(), &at.key("trees"))?;
    for (i, tree) in install.trees.iter().enumerate() {
        let at = at.key("trees").index(i);
        if tree.path.is_none() && tree.repo_path.is_none() {
            return at.bad("has neither `path` nor `repo_path`");
        }
        for (key, dir) in [("path", &tree.path), ("repo_path", &tree.repo_path)] {
            if let Some(dir) = dir {
                path(dir, &at.key(key))?;
            }
        }
        if let Some(mode) = &tree.mode {
            tree_mode(mode, &at.key("mode"))?;
        }
        for (i, line) in tree.legacy.iter().enumerate() {
            if !line.contains("gitvow") || line.contains(char::is_control) {
                return at
                    .key("legacy")
                    .index(i)
                    .bad("must be the beginning of a line that names gitvow");
            }
        }
        tree_files(tree, &at.key("files"))?;
    }
    Ok(())
}

fn tree_files(tree: &TreeSpec, at: &At) -> Result<(), Bad> {
    if tree.files.is_empty() {
        return at.bad("is empty");
    }
    few(tree.files.len(), at)?;
    let mut runs_gitvow = false;
    for (name, content) in &tree.files {
        let at = at.key(name);
        path(name, &at)?;
        match content {
            Value::String(text) => runs_gitvow |= text.contains(PLACEHOLDER),
            Value::Object(_) | Value::Array(_) => {
                for entry in tree_entries(content) {
                    carries(entry, &at)?;
                    runs_gitvow = true;
                }
            }
            _ => return at.bad("must be a text, an object or a list"),
        }
    }
    if runs_gitvow {
        Ok(())
    } else {
        at.bad(format!("has no file that carries `{PLACEHOLDER}`"))
    }
}

/// The entries in a JSON tree file: the outermost objects that hold a command somewhere but no further lists
/// of such objects under other keys than `hooks`.
fn tree_entries(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(map) if command::is_entry(map) => vec![value],
        Value::Object(map) => map.values().flat_map(tree_entries).collect(),
        Value::Array(list) => list.iter().flat_map(tree_entries).collect(),
        _ => Vec::new(),
    }
}

fn tree_mode(mode: &str, at: &At) -> Result<(), Bad> {
    let bits = u32::from_str_radix(mode, 8)
        .ok()
        .filter(|bits| mode.len() <= 4 && *bits <= 0o777);
    match bits {
        None => at.bad("must be permission bits in octal, such as `0644`"),
        Some(bits) if bits & 0o600 != 0o600 => at.bad("must let its owner read and write"),
        Some(bits) if bits & 0o022 != 0 => at.bad("lets others write a file that an agent runs"),
        Some(_) => Ok(()),
    }
}

/// Each form must make a command that is known again as ours, or a teammate's copy could never be recognised.
fn check_repo_command(forms: &RepoCommand, at: &At) -> Result<(), Bad> {
    let mut texts = vec![
        (at.key("allow"), &forms.allow),
        (at.key("block"), &forms.block),
    ];
    for (event, own) in &forms.events {
        let at = at.key("events").key(event);
        event_name(event, &at)?;
        texts.extend(own.allow.as_ref().map(|text| (at.key("allow"), text)));
        texts.extend(own.block.as_ref().map(|text| (at.key("block"), text)));
    }
    for (at, text) in texts {
        let one = RepoCommand {
            allow: text.clone(),
            ..RepoCommand::default()
        };
        let guard = Guard {
            forms: &one,
            block: false,
        };
        let line = command::render(
            &Value::from(format!("{PLACEHOLDER} hook --agent x y")),
            &Command::guarded(guard),
        );
        let known = line.as_str().and_then(command::own_form);
        if text.trim().is_empty() || !known.is_some_and(|own| own.guarded) {
            return at.bad("must be a simple shell command on one line, such as `exit 0`");
        }
    }
    Ok(())
}

fn check_version_key(install: &Install, at: &At) -> Result<(), Bad> {
    let allowed = install.reads.as_ref().and_then(|r| r.top_keys.as_ref());
    if let (Some(allowed), Some(first)) = (allowed, install.root.first())
        && !allowed.contains(first)
    {
        return at
            .key("root")
            .index(0)
            .bad(format!("`{first}` is not one of `reads.top_keys`"));
    }
    let Some(key) = &install.version_key else {
        return Ok(());
    };
    let at = at.key("version_key");
    key_name(key, &at)?;
    if allowed.is_some_and(|allowed| !allowed.contains(key)) {
        return at.bad(format!(
            "`{key}` is not one of `reads.top_keys`: this agent refuses a file that has it"
        ));
    }
    let clash = match &install.entries {
        Entries::Events(events) if install.root.is_empty() => events.contains_key(key),
        _ => install.root.first() == Some(key),
    };
    if clash {
        return at.bad(format!("`{key}` is where the entries go"));
    }
    Ok(())
}

fn root(names: &[String], at: &At) -> Result<(), Bad> {
    if names.len() > 8 {
        return at.bad("is deeper than 8 keys");
    }
    for (i, name) in names.iter().enumerate() {
        key_name(name, &at.index(i))?;
    }
    Ok(())
}

fn key_name(name: &str, at: &At) -> Result<(), Bad> {
    if name.is_empty() {
        return at.bad("is an empty key");
    }
    if name.len() > 255 || name.contains(char::is_control) {
        return at.bad("is no key that a settings file could have");
    }
    Ok(())
}

fn path(text: &str, at: &At) -> Result<(), Bad> {
    let shown = text.chars().take(200).flat_map(char::escape_debug);
    match path_fault(text) {
        None => Ok(()),
        Some(fault) if text.is_empty() => at.bad(fault),
        Some(fault) => at.bad(format!("{fault}: `{}`", String::from_iter(shown))),
    }
}

fn agent_name(name: &str, at: &At) -> Result<(), Bad> {
    if is_agent_name(name) {
        return Ok(());
    }
    at.bad(format!(
        "must be a name of letters, digits, `_` and `-`, at most {MAX_NAME} long"
    ))
}

/// Events stand in shell commands unquoted.
fn event_name(name: &str, at: &At) -> Result<(), Bad> {
    if is_event_name(name) {
        return Ok(());
    }
    at.bad(format!(
        "must be a name of letters, digits, `_`, `-`, `.`, `:` and `/`, at most {MAX_NAME} long"
    ))
}

fn scope_name(name: &str, at: &At) -> Result<(), Bad> {
    if matches!(name, "user" | "repo" | "local") {
        return Ok(());
    }
    at.bad("must be `user`, `repo` or `local`")
}

fn few(count: usize, at: &At) -> Result<(), Bad> {
    if count > MAX_LIST {
        return at.bad(format!("has {count} members, more than {MAX_LIST}"));
    }
    Ok(())
}

/// A place in a planner, from its top.
struct At(Vec<Step>);

impl At {
    fn key(&self, key: &str) -> Self {
        let mut path = self.0.clone();
        path.push(Step::Key(key.to_owned()));
        Self(path)
    }

    fn index(&self, index: usize) -> Self {
        let mut path = self.0.clone();
        path.push(Step::Index(index));
        Self(path)
    }

    fn bad<T>(&self, message: impl Into<String>) -> Result<T, Bad> {
        Err(Bad {
            path: self.0.clone(),
            message: message.into(),
        })
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
