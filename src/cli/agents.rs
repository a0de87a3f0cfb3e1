//! What `gitvow agents` tells, and which agents an install without `--agent` means. It looks and lists; it never
//! runs anything, and what makes an agent "detected" is decided in [`crate::plan::detect`].

use super::output::{self, AgentList, ArtifactKind, KnownAgent, KnownFile, SCHEMA};
use super::session::{Mode, Session};
use super::{Console, args};
use crate::error::Result;
use crate::escape;
use crate::external::discover;
use crate::ledger::{Body, Record};
use crate::plan::detect::{self, Found, Sign, Signs};
use crate::plan::paths::{self, Ground};
use crate::spec::builtin::{self, Builtin};
use crate::spec::{AgentSpec, Scope};
use crate::sys::resolve::{Resolved, resolve, resolve_seeing};
use crate::sys::{FileKind, Sys};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &args::Agents, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let session = Session::open(sys, &args::Place::default(), None, Mode::Look)?;
    let list = list(sys, &session.ground(), &session.records)?;
    let text = if args.json.json {
        output::document(&list)?
    } else {
        table(&list, &session.home)
    };
    console.print(&text)?;
    Ok(0)
}

/// Every built-in in its order, then the external adapters that can be found or are recorded, by name. `records`:
/// the whole ledger; of other repositories than `ground.repo` nothing is told.
pub fn list(sys: &Sys<'_>, ground: &Ground<'_>, records: &[Record]) -> Result<AgentList> {
    let mut agents = Vec::new();
    for (builtin, spec, sign) in look(sys, ground, records)? {
        agents.push(KnownAgent {
            agent: spec.name.clone(),
            title: spec.title.clone().unwrap_or_else(|| spec.name.clone()),
            aliases: spec.aliases.clone(),
            detected: sign.is_some(),
            detected_by: sign.map(|sign| sign.path().to_owned()),
            files: files(&spec, ground),
            installed: installed(builtin.name, ground, records),
        });
    }
    let mut others = discover::list(sys, ground.state);
    others.extend(records.iter().flat_map(owners).map(|(agent, _)| agent));
    others.retain(|name| builtin::by_name(name).is_none());
    others.sort();
    others.dedup();
    agents.extend(others.into_iter().map(|name| KnownAgent {
        title: "external adapter".to_owned(),
        aliases: Vec::new(),
        detected: false,
        detected_by: None,
        files: Vec::new(),
        installed: installed(&name, ground, records),
        agent: name,
    }));
    Ok(AgentList {
        schema: SCHEMA,
        agents,
    })
}

/// The built-ins that an install without `--agent` means, in their order.
pub fn detected(
    sys: &Sys<'_>,
    ground: &Ground<'_>,
    records: &[Record],
) -> Result<Vec<&'static Builtin>> {
    Ok(look(sys, ground, records)?
        .into_iter()
        .filter(|(_, _, sign)| sign.is_some())
        .map(|(builtin, _, _)| builtin)
        .collect())
}

/// The list for people: one agent a line, its further files below its first.
pub fn table(list: &AgentList, home: &Path) -> String {
    let rows: Vec<[String; 4]> = list.agents.iter().flat_map(|a| rows(a, home)).collect();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let (name, sign, scopes) = (width(0), width(1), width(2));
    let mut out = String::new();
    for [a, b, c, d] in &rows {
        let line = format!("{a:name$}  {b:sign$}  {c:scopes$}  {d}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn rows(agent: &KnownAgent, home: &Path) -> Vec<[String; 4]> {
    let scopes: Vec<&str> = agent.installed.iter().map(|s| s.name()).collect();
    let installed = match scopes.as_slice() {
        [] => "not installed".to_owned(),
        some => format!("installed: {}", some.join(", ")),
    };
    let found = agent
        .detected_by
        .as_deref()
        .map_or("not found".to_owned(), |path| short(path, home));
    let file = |f: &KnownFile| format!("{}: {}", f.scope.name(), short(&f.path, home));
    let mut files = agent.files.iter().map(file);
    let first = files.next().unwrap_or_default();
    let mut rows = vec![[agent.agent.clone(), found, installed, first]];
    rows.extend(files.map(|file| [String::new(), String::new(), String::new(), file]));
    rows
}

fn short(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", escape::path(rest)),
        _ => escape::path(path),
    }
}

type Looked = (&'static Builtin, AgentSpec, Option<Sign>);

fn look(sys: &Sys<'_>, ground: &Ground<'_>, records: &[Record]) -> Result<Vec<Looked>> {
    let mut agents = Vec::new();
    for builtin in builtin::ALL {
        let spec = builtin.spec()?;
        let signs = detect::signs(&spec, ground);
        let sign = detect::detect(&signs, &gather(sys, &signs, records));
        agents.push((builtin, spec, sign));
    }
    Ok(agents)
}

fn gather(sys: &Sys<'_>, signs: &Signs, records: &[Record]) -> Found {
    let mut found = Found::default();
    for command in &signs.commands {
        if let Some(path) = on_path(sys, command) {
            found.commands.insert(command.clone(), path);
        }
    }
    for dir in &signs.dirs {
        // Records name directories behind their links; the same directory may be asked for through one.
        let Some(real) = directory(sys, dir) else {
            continue;
        };
        found.dirs.insert(dir.clone());
        if records.iter().any(|record| record.dirs.contains(&real)) {
            found.ours.insert(dir.clone());
        }
    }
    found
}

/// Where a shell would find the program: PATH's absolute directories, the first executable file.
pub fn on_path(sys: &Sys<'_>, program: &str) -> Option<PathBuf> {
    let path = sys.env.var("PATH")?;
    path.split(':')
        .map(Path::new)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(program))
        .find(|file| {
            let mut last = None;
            let end = resolve_seeing(sys.disk, file, &mut |_, stat| last = Some(*stat));
            let runs = last.is_some_and(|s| s.kind == FileKind::File && s.mode & 0o111 != 0);
            matches!(end, Ok(Resolved::Found(_))) && runs
        })
}

/// The directory behind a path's links, when one is there.
fn directory(sys: &Sys<'_>, path: &Path) -> Option<PathBuf> {
    let Ok(Resolved::Found(real)) = resolve(sys.disk, path) else {
        return None;
    };
    let stat = sys.disk.stat(&real).ok()?;
    (stat.kind == FileKind::Dir).then_some(real)
}

/// Its files in every scope it has. Outside a repository those of a repository are relative; a scope whose path can't be
/// told (a relocation variable that isn't absolute) is left out here and refused by the install itself.
fn files(spec: &AgentSpec, ground: &Ground<'_>) -> Vec<KnownFile> {
    let ground = Ground {
        repo: Some(ground.repo.unwrap_or(Path::new(""))),
        ..*ground
    };
    let mut out = Vec::new();
    for scope in paths::scopes(spec) {
        let Ok(targets) = paths::targets(spec, scope, &ground) else {
            continue;
        };
        let merges = targets
            .merge
            .into_iter()
            .map(|m| (ArtifactKind::Merge, m.path));
        let trees = targets
            .trees
            .into_iter()
            .map(|t| (ArtifactKind::Tree, t.path));
        out.extend(
            merges
                .chain(trees)
                .map(|(kind, path)| KnownFile { scope, kind, path }),
        );
    }
    out
}

/// The scopes in which the ledger has something of the agent's that is wholly ours.
fn installed(agent: &str, ground: &Ground<'_>, records: &[Record]) -> Vec<Scope> {
    let here = |record: &Record, scope: Scope| {
        scope == Scope::User
            || ground
                .repo
                .is_some_and(|repo| record.path.starts_with(repo))
    };
    let mut scopes: Vec<Scope> = records
        .iter()
        .flat_map(|record| owners(record).into_iter().map(move |owner| (record, owner)))
        .filter(|(record, (name, scope))| name == agent && here(record, *scope))
        .map(|(_, (_, scope))| scope)
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

fn owners(record: &Record) -> Vec<(String, Scope)> {
    match &record.body {
        Body::Merge(merge) => merge
            .entries
            .iter()
            .filter(|entry| entry.state.is_active())
            .map(|entry| (entry.owner.agent.clone(), entry.owner.scope))
            .collect(),
        Body::Tree(tree) => tree
            .owner
            .iter()
            .filter(|_| tree.state.is_active())
            .map(|owner| (owner.agent.clone(), owner.scope))
            .collect(),
    }
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
