//! Whom doctor looks at. It reads planners and records, and judges nothing.

use crate::cli::session::{Session, Wishes};
use crate::cli::{agents, args};
use crate::error::Result;
use crate::ledger::Owner;
use crate::plan::agent::{Subject, take};
use crate::plan::paths;
use crate::spec::builtin::{self, Builtin};
use crate::spec::{AgentSpec, Scope};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One agent in one scope.
pub(super) struct Chosen {
    pub(super) owner: Owner,
    pub(super) spec: Option<Rc<AgentSpec>>,
    /// Named, or the first scope of one named: it is shown although nothing is installed.
    pub(super) shown: bool,
}

/// Planners that were read: each once in a call.
#[derive(Default)]
pub(super) struct Planners(RefCell<BTreeMap<&'static str, Rc<AgentSpec>>>);

impl Planners {
    pub(super) fn of(&self, builtin: &Builtin) -> Result<Rc<AgentSpec>> {
        let known = self.0.borrow().get(builtin.name).cloned();
        match known {
            Some(spec) => Ok(spec),
            None => {
                let spec = Rc::new(builtin.spec()?);
                self.0.borrow_mut().insert(builtin.name, spec.clone());
                Ok(spec)
            }
        }
    }
}

/// Whom to look at, in which scopes; `notes`: who is left out.
pub(super) fn choose(
    args: &args::Doctor,
    session: &Session<'_>,
    planners: &Planners,
    notes: &mut Vec<String>,
) -> Result<Vec<Chosen>> {
    let scope = args.choice.place.scope;
    let scopes: Vec<Scope> = match (scope, &session.repo) {
        (Some(scope), _) => vec![scope],
        (None, Some(_)) => vec![Scope::User, Scope::Repo, Scope::Local],
        (None, None) => vec![Scope::User],
    };
    let mut out: Vec<Chosen> = Vec::new();
    let mut add = |agent: &str, spec: Option<Rc<AgentSpec>>, shown: bool| {
        let recorded: Vec<Scope> = scopes
            .iter()
            .copied()
            .filter(|s| is_recorded(session, agent, *s))
            .collect();
        let possible = |s: &Scope| {
            spec.as_ref()
                .is_none_or(|spec| paths::lacks(spec, *s).is_none())
        };
        let mut first = true;
        for scope in scopes
            .iter()
            .filter(|s| recorded.contains(s) || possible(s))
        {
            let owner = Owner {
                agent: agent.to_owned(),
                scope: *scope,
            };
            if out.iter().any(|c| c.owner == owner) {
                continue;
            }
            out.push(Chosen {
                owner,
                spec: spec.clone(),
                shown: recorded.contains(scope) || shown && recorded.is_empty() && first,
            });
            first = false;
        }
    };
    for name in &args.choice.agents {
        let found = builtin::by_name(name);
        let agent = found.map_or(name.as_str(), |b| b.name);
        let spec = found.map(|b| planners.of(b)).transpose()?;
        let known = session
            .records
            .iter()
            .any(|r| r.body.owners().iter().any(|o| o.agent == agent));
        if let (Some(spec), Some(scope)) = (&spec, scope)
            && let Some(lacks) = paths::lacks(spec, scope)
        {
            return Err(lacks);
        }
        if spec.is_none() && !known {
            // Found or not: a wrong name is told as install tells it, and nothing is run.
            crate::external::discover(session.sys, session.state.root(), name)?;
        }
        add(agent, spec, true);
    }
    if !args.choice.agents.is_empty() {
        return Ok(out);
    }
    let detected = if session.records.is_empty() {
        agents::detected(session.sys, &session.ground(), &session.records)?
    } else {
        Vec::new()
    };
    for builtin in builtin::ALL {
        let recorded = scopes
            .iter()
            .any(|s| is_recorded(session, builtin.name, *s));
        let shown = args.all || recorded || detected.contains(&builtin);
        // Those that aren't installed may have entries that nobody recorded. With a damaged ledger that says nothing.
        if !shown && !session.troubles.is_empty() {
            continue;
        }
        let spec = planners.of(builtin)?;
        if let (true, Some(scope)) = (args.all, scope) {
            notes.extend(paths::lacks(&spec, scope).map(|e| e.sentence()));
        }
        add(builtin.name, Some(spec), args.all || shown && !recorded);
    }
    let mut others: Vec<&str> = session
        .records
        .iter()
        .flat_map(|r| r.body.owners())
        .map(|o| o.agent.as_str())
        .filter(|a| builtin::by_name(a).is_none())
        .collect();
    others.sort_unstable();
    others.dedup();
    for agent in others {
        add(agent, None, false);
    }
    Ok(out)
}

fn is_recorded(session: &Session<'_>, agent: &str, scope: Scope) -> bool {
    let owner = Owner {
        agent: agent.to_owned(),
        scope,
    };
    let subject = Subject {
        spec: None,
        owner: &owner,
        adapter: None,
    };
    !take::records(&session.context(scope, Wishes::default()), &subject).is_empty()
}
