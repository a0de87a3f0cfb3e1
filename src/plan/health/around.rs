//! What stands around an installation: other scopes, other agents, the adapter it came from. Pure.

use super::codes::{ADAPTER_CHANGED, AGENT_BRICKED, DOUBLE_LOAD, TWO_SCOPES};
use super::{Found, Sight};
use crate::ledger::{Body, Record};
use crate::plan::admit::quoted;
use crate::spec::Scope;

pub(super) fn judge(sight: &Sight<'_>, out: &mut Vec<Found>) {
    let records = &sight.of.records;
    let owner = sight.of.subject.owner;
    for record in records.iter().filter(|r| matches!(r.body, Body::Merge(_))) {
        for reader in sight.readers {
            out.push(Found::at(
                DOUBLE_LOAD,
                &record.path,
                format!("{reader} also loads this file: one of its calls may reach gitvow twice, and is judged each time"),
                "nothing has to be done",
            ));
        }
    }
    if let Some((scope, first)) = other_scope(sight) {
        out.push(Found::at(
            TWO_SCOPES,
            &first.path,
            format!(
                "the entries of scope {} and of scope {scope} both run",
                owner.scope.name()
            ),
            format!("gitvow uninstall --agent {} --scope {scope}", owner.agent),
        ));
    }
    adapter(sight, records, out);
    if owner.scope != Scope::Repo && sight.of.subject.spec.is_some_and(|s| s.blocks_when_missing) {
        out.push(Found::new(
            AGENT_BRICKED,
            format!(
                "{} blocks every tool call when gitvow's program is gone: uninstall first, then remove gitvow",
                sight.title()
            ),
            sight.command("uninstall"),
        ));
    }
}

/// An earlier scope (user before repo before local) in which the agent is installed too.
fn other_scope<'r>(sight: &'r Sight<'_>) -> Option<(&'static str, &'r Record)> {
    let owner = sight.of.subject.owner;
    let here = |r: &Record, scope: Scope| {
        let tops = [sight.of.ctx.ground.repo, sight.of.ctx.bounds.repo];
        scope == Scope::User
            || tops
                .into_iter()
                .flatten()
                .any(|top| r.path.starts_with(top) || r.real.starts_with(top))
    };
    [Scope::User, Scope::Repo]
        .into_iter()
        .filter(|scope| *scope < owner.scope)
        .find_map(|scope| {
            let record = sight.of.ctx.records.iter().find(|r| {
                let owns = r
                    .body
                    .owners()
                    .iter()
                    .any(|o| o.agent == owner.agent && o.scope == scope);
                owns && here(r, scope)
            })?;
            Some((scope.name(), record))
        })
}

fn adapter(sight: &Sight<'_>, records: &[&Record], out: &mut Vec<Found>) {
    let Some(adapter) = records
        .iter()
        .find_map(|r| r.body.adapter(sight.of.subject.owner))
    else {
        return;
    };
    let shown = adapter.path.display();
    let (message, help) = match sight.adapter_now {
        Some(now) if now == adapter.sha256 => return,
        Some(_) => (
            format!("the adapter `{shown}` is not the program that was installed"),
            format!("look at it, then: {}", sight.command("install")),
        ),
        None => (
            format!("the adapter `{shown}` is gone or can't be read"),
            format!("ls -l {}", quoted(&adapter.path)),
        ),
    };
    out.push(Found::at(ADAPTER_CHANGED, &adapter.path, message, help));
}
