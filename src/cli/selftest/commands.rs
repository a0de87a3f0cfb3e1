//! The written commands: read back from the files and executed as the agent would, with an empty environment. It
//! trusts nothing that install said but the files' paths.

use super::judge::{self, Effect, Said};
use super::samples::{Wanted, payload, provokes};
use super::scratch::Scratch;
use super::{Steps, told};
use crate::doc::{Doc, lookup};
use crate::plan::paths::Targets;
use crate::spec::command::{OwnForm, commands, is_entry, own_form};
use crate::spec::{AgentSpec, Format, Scope};
use crate::sys::Sys;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One command as it stands in a file.
struct Written {
    file: PathBuf,
    line: String,
    form: OwnForm,
    /// A shell runs it; else the plugin starts the program itself.
    shell: bool,
}

/// Runs every command with a sample of each event. `external`: an adapter's, whose payloads nobody here knows.
pub(super) fn run(
    scratch: &Scratch<'_>,
    spec: &AgentSpec,
    scope: Scope,
    external: bool,
    files: &[PathBuf],
    steps: &mut Steps,
) -> Option<()> {
    let mut all = Vec::new();
    let mut outcome = Ok(());
    match scratch.targets(spec, scope) {
        Ok(targets) => {
            for file in files {
                outcome = outcome.and_then(|()| read(scratch, spec, &targets, file, &mut all));
            }
        }
        Err(e) => outcome = Err(told(&e)),
    }
    let missing = spec
        .events
        .iter()
        .find(|event| !all.iter().any(|w: &Written| w.form.event == **event));
    let found = outcome.and_then(|()| match (all.first(), missing) {
        (None, _) => Err("no command of this install stands in the files".to_owned()),
        (_, Some(event)) if !external => Err(format!(
            "{}: no command for `{event}`",
            files
                .first()
                .map_or_else(String::new, |f| f.display().to_string())
        )),
        _ => Ok(format!("{} read back from the files", all.len())),
    });
    steps.step("commands", found)?;
    for written in &all {
        let before = spec.before_tool.as_ref().map_or_else(
            || crate::hook::gate::may_be_gate(&written.form.event),
            |list| list.contains(&written.form.event),
        );
        for wanted in provokes(&written.form.event, before && !external) {
            let name = format!("{} {}", written.form.event, wanted.name());
            let outcome = one(scratch, spec, scope, external, written, *wanted, before);
            steps.step(
                &name,
                outcome.map_err(|why| format!("{}: {why}", written.file.display())),
            )?;
        }
    }
    Some(())
}

/// The commands of one file that this install wrote.
fn read(
    scratch: &Scratch<'_>,
    spec: &AgentSpec,
    targets: &Targets,
    file: &Path,
    out: &mut Vec<Written>,
) -> Result<(), String> {
    let text = scratch.text(file)?;
    let launcher = scratch.launcher();
    let ours = |form: &OwnForm| {
        let path = match form.path.strip_prefix("$HOME/") {
            Some(rest) => scratch.home.join(rest),
            None => PathBuf::from(&form.path),
        };
        path == launcher && form.agent.as_ref().is_some_and(|a| *a == spec.name)
    };
    let merge = targets.merge.as_ref().map(|m| m.format);
    let tree = targets.trees.iter().any(|t| t.path == file);
    let format = match merge {
        Some(format) if !tree => format,
        _ if file.extension().is_some_and(|e| e == "json") => Format::Json,
        _ => return plugin(scratch, spec, file, &text, out),
    };
    let roots: Vec<Vec<String>> = match format {
        // A document in TOML is only read by its tables.
        Format::Toml => targets.merge.iter().map(|m| m.root.clone()).collect(),
        _ => match Doc::open(format, &text, &[]) {
            Ok(doc) => doc
                .top_level()
                .into_iter()
                .map(|(key, _)| vec![key])
                .collect(),
            Err(fault) => return Err(format!("{}: {}", file.display(), fault.message)),
        },
    };
    for root in roots {
        let value = lookup(format, &text, &root)
            .map(|(_, value)| value)
            .unwrap_or_default();
        walk(&value, &mut |entry| {
            for line in posix(entry) {
                if let Some(form) = own_form(&line).filter(ours) {
                    out.push(Written {
                        file: file.to_path_buf(),
                        line,
                        form,
                        shell: true,
                    });
                }
            }
        });
    }
    Ok(())
}

fn walk(value: &Value, found: &mut dyn FnMut(&Value)) {
    match value {
        Value::Object(map) if is_entry(map) => found(value),
        Value::Object(map) => map.values().for_each(|v| walk(v, found)),
        Value::Array(list) => list.iter().for_each(|v| walk(v, found)),
        _ => {}
    }
}

/// What a POSIX shell would run of an entry: PowerShell's and Windows' commands can't be rehearsed here.
fn posix(entry: &Value) -> Vec<String> {
    let mut value = entry.clone();
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["powershell", "commandWindows", "command_windows", "windows"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    commands(&value).into_iter().map(str::to_owned).collect()
}

/// A plugin's text: the program that it names, started with the arguments that it gives.
fn plugin(
    scratch: &Scratch<'_>,
    spec: &AgentSpec,
    file: &Path,
    text: &str,
    out: &mut Vec<Written>,
) -> Result<(), String> {
    let launcher = scratch.launcher();
    let names = [
        Value::from(launcher.to_string_lossy()).to_string(),
        Value::from("$HOME/.gitvow/bin/gitvow").to_string(),
    ];
    if !names.iter().any(|name| text.contains(name.as_str())) {
        return Err(format!(
            "{}: it does not name `{}`",
            file.display(),
            launcher.display()
        ));
    }
    for event in &spec.events {
        if !text.contains(&Value::from(event.as_str()).to_string()) {
            return Err(format!("{}: it never asks for `{event}`", file.display()));
        }
        out.push(Written {
            file: file.to_path_buf(),
            line: String::new(),
            form: OwnForm {
                path: launcher.to_string_lossy().into_owned(),
                agent: Some(spec.name.clone()),
                event: event.clone(),
                guarded: false,
            },
            shell: false,
        });
    }
    Ok(())
}

fn one(
    scratch: &Scratch<'_>,
    spec: &AgentSpec,
    scope: Scope,
    external: bool,
    written: &Written,
    wanted: Wanted,
    before: bool,
) -> Result<String, String> {
    let event = &written.form.event;
    let cwd = scratch.repo.to_string_lossy();
    let text = payload(&spec.name, event, wanted, &cwd).to_string();
    let (program, args) = if written.shell {
        let shell = scratch.shell(&spec.name);
        (shell, vec!["-c".to_owned(), written.line.clone()])
    } else {
        let args = ["hook", "--agent", &spec.name, event].map(str::to_owned);
        (PathBuf::from(&written.form.path), args.to_vec())
    };
    // The guarded form is written for a HOME; the absolute one needs nothing at all.
    let env = if scope == Scope::Repo {
        vec![(
            "HOME".to_owned(),
            scratch.home.to_string_lossy().into_owned(),
        )]
    } else {
        Vec::new()
    };
    let ended = scratch
        .run(program, args, env, text.as_bytes())
        .map_err(|e| told(&e))?;
    let said = Said {
        exit: ended.code.unwrap_or(-1),
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
    };
    let line = if written.shell {
        written.line.as_str()
    } else {
        written.form.path.as_str()
    };
    let lie = |what: String| {
        let stderr = said.stderr.trim();
        let more = if stderr.is_empty() {
            String::new()
        } else {
            format!(" ({stderr})")
        };
        Err(format!("`{line}`: {what}{more}"))
    };
    if ended.timed_out {
        return lie("it did not end".to_owned());
    }
    if matches!(said.exit, -1 | 126 | 127) {
        return lie(format!("it can't be run (exit code {})", said.exit));
    }
    if external {
        return Ok("the command runs".to_owned());
    }
    if !before {
        return match judge::disturbs(&said) {
            None => Ok("the agent is left alone".to_owned()),
            Some(why) => lie(why),
        };
    }
    let effect = judge::gate(&spec.name, event, &said);
    let fits = match wanted {
        Wanted::Allow => effect == Effect::Runs,
        Wanted::Deny => effect == Effect::Blocks,
        // Where no person can be asked, it must not run.
        Wanted::Ask => effect != Effect::Runs,
    };
    if fits {
        Ok(effect.name().to_owned())
    } else {
        lie(format!("by {}'s own rules {}", spec.name, effect.name()))
    }
}

impl Scratch<'_> {
    fn text(&self, file: &Path) -> Result<String, String> {
        let bytes = self
            .sys()
            .disk
            .read(file, 512 << 20)
            .map_err(|e| format!("`{}` can't be read back: {e}", file.display()))?;
        String::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8", file.display()))
    }

    /// The shell that the agent runs commands with.
    fn shell(&self, agent: &str) -> PathBuf {
        let bash = PathBuf::from("/bin/bash");
        let there = |sys: &Sys<'_>| sys.disk.stat(&bash).is_ok();
        if agent == "copilot" && there(self.sys()) {
            bash
        } else {
            PathBuf::from("/bin/sh")
        }
    }
}
