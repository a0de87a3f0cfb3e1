//! What is worth saying after a plan, in sentences. It looks at git where a local file could be committed.

use super::session::Session;
use crate::plan::agent::{AgentPlan, quoted};
use crate::spec::{AgentSpec, Scope, builtin};
use crate::sys::Child;
use std::path::Path;
use std::time::Duration;

/// After an install (or in its dry run).
pub fn after_install(
    session: &Session<'_>,
    spec: &AgentSpec,
    scope: Scope,
    plan: &AgentPlan,
) -> Vec<String> {
    let mut notes: Vec<String> = plan
        .inert
        .iter()
        .map(|e| format!("written with --force, but inert: {}", e.sentence()))
        .collect();
    notes.extend(found(plan, "install"));
    notes.extend(shifted(spec, plan));
    for (other, title) in readers(session, &spec.name, scope) {
        if other != spec.name && plan.files.iter().any(|f| !f.tree) {
            notes.push(format!("{title} also loads this file: one of its calls may reach gitvow twice, and is judged each time"));
        }
    }
    for (loaded, scopes) in &spec.loads {
        let installed = session.records.iter().any(|r| {
            r.body
                .owners()
                .iter()
                .any(|o| o.agent == *loaded && scopes.iter().any(|s| s == o.scope.name()))
        });
        if installed {
            notes.push(format!("it also loads {loaded}'s entries: a call may reach gitvow twice, and is judged each time"));
        }
    }
    if scope == Scope::Local {
        for file in &plan.files {
            notes.extend(git_status(session, &file.path));
        }
    }
    if let Some(install) = &spec.install {
        for tree in &install.trees {
            let new = plan.new_dirs.iter().any(|d| {
                plan.files
                    .iter()
                    .any(|f| f.tree && f.real.parent() == Some(d))
            });
            if let (Some(note), true) = (&tree.new_dir_note, new) {
                notes.push(note.clone());
            }
        }
    }
    notes
}

/// What was found in the files, for `install` or `uninstall`.
pub fn found(plan: &AgentPlan, direction: &str) -> Vec<String> {
    let mut notes = Vec::new();
    for placed in &plan.findings {
        let finding = &placed.finding;
        let at = placed
            .position
            .map_or_else(String::new, |(l, c)| format!(":{l}:{c}"));
        let place = format!("{}{at}", placed.path.display());
        let event = finding.event();
        let text = match (finding.code, direction) {
            ("entry-edited", _) if plan.unfinished => continue,
            ("entry-edited", "install") => format!(
                "{place}: the edited entry for `{event}` was replaced; a copy of the file is in gitvow's state, under saved/"
            ),
            ("entry-edited", _) => format!(
                "{place}: the edited entry for `{event}` was taken out; a copy of the file is in gitvow's state, under saved/"
            ),
            ("entry-missing", "install") => {
                format!("{place}: the entry for `{event}` was gone and is added again")
            }
            ("entry-missing", _) => format!("{place}: the entry for `{event}` was gone already"),
            ("entry-outdated", _) => format!(
                "{place}: the entry for `{event}` was out of date ({})",
                finding.detail
            ),
            ("entry-moved", _) => format!(
                "{place}: our entry for `{event}` was moved ({}); it is left there",
                finding.detail
            ),
            ("entry-duplicated", "uninstall") => format!(
                "{place}: the entry for `{event}` stood there more than once; every copy is taken out"
            ),
            ("entry-duplicated", _) => format!(
                "{place}: the entry for `{event}` stands there more than once; the other is not touched"
            ),
            ("entry-shared", _) => format!("{place}: {}", finding.detail),
            ("adopted", _) => format!("{place}: {}", finding.detail),
            ("file-missing", _) => format!("{place}: the file was gone already"),
            ("unrecorded-entry", "install") => format!(
                "{place}: an entry for `{event}` is left alone: {}; `gitvow install --adopt` takes it in",
                finding.detail
            ),
            ("unrecorded-entry", _) => format!(
                "{place}: an entry for `{event}` is left alone: {}; `gitvow install --adopt` takes it in, and then uninstall takes it out",
                finding.detail
            ),
            _ => format!("{place}: {}", finding.detail),
        };
        notes.push(text);
    }
    notes
}

/// Codex trusts hooks by their position.
pub fn shifted(spec: &AgentSpec, plan: &AgentPlan) -> Vec<String> {
    if !spec.positional_trust || plan.shifted.is_empty() {
        return Vec::new();
    }
    let mut events = plan.shifted.clone();
    events.dedup();
    let title = spec.title.as_deref().unwrap_or(&spec.name);
    vec![format!(
        "your own later hooks for {} move up by one: {title} trusts hooks by position, so approve them again with /hooks",
        events.join(", ")
    )]
}

/// Built-ins on this machine that also load the files of `agent` in `scope`.
fn readers(session: &Session<'_>, agent: &str, scope: Scope) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let detected = super::agents::detected(session.sys, &session.ground(), &session.records)
        .unwrap_or_default();
    let recorded = |b: &&builtin::Builtin| {
        let owners = session.records.iter().flat_map(|r| r.body.owners());
        owners.into_iter().any(|o| o.agent == b.name)
    };
    // Where we made an agent's directory ourselves it isn't detected, and reads our entries there all the same.
    let present = |b: &&builtin::Builtin| detected.iter().any(|d| d.name == b.name) || recorded(b);
    for builtin in builtin::ALL.iter().filter(present) {
        let Ok(spec) = builtin.spec() else { continue };
        if spec
            .loads
            .get(agent)
            .is_some_and(|s| s.iter().any(|s| s == scope.name()))
        {
            out.push((spec.name.clone(), spec.title.clone().unwrap_or(spec.name)));
        }
    }
    out
}

/// A local file holds an absolute path of this machine: it should not end up in a commit.
fn git_status(session: &Session<'_>, path: &Path) -> Option<String> {
    let top = session.repo.as_deref()?;
    let git = super::agents::on_path(session.sys, "git")?;
    let ask = |args: &[&str]| -> Option<i32> {
        let child = Child {
            program: git.clone(),
            args: args
                .iter()
                .map(|a| (*a).to_owned())
                .chain([path.to_string_lossy().into_owned()])
                .collect(),
            env: vec![(
                "HOME".to_owned(),
                session.home.to_string_lossy().into_owned(),
            )],
            cwd: top.to_path_buf(),
            stdin: b"",
            limit: Duration::from_secs(5),
            stdout_cap: 1 << 16,
        };
        session.sys.runner.run(&child).ok()?.code
    };
    if ask(&["ls-files", "--error-unmatch", "--"]) == Some(0) {
        return Some(format!(
            "git tracks {}, and our entries name a path of this machine; take it out: git rm --cached {}",
            path.display(),
            quoted(path)
        ));
    }
    if ask(&["check-ignore", "-q", "--"]) == Some(1) {
        return Some(format!(
            "git doesn't ignore {}, and our entries name a path of this machine; add it to .gitignore",
            path.display()
        ));
    }
    None
}
