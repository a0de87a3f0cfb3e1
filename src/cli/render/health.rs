//! What `doctor` says. May not look at anything but the document.

use super::{BOLD, CYAN, GREEN, Look, RED, YELLOW, help_line, place};
use crate::cli::output::{AgentHealth, Capability, Doctor, Finding, Health, Severity};
use crate::escape;
use std::cmp::Reverse;

/// The whole report: gitvow's own state first, then each agent, the worst first, each with its gravest
/// findings first.
pub fn doctor(document: &Doctor, look: Look) -> String {
    let mut out = String::new();
    if !document.findings.is_empty() {
        out.push_str(&format!("{}\n", look.paint(BOLD, "gitvow's own state")));
        out.push_str(&findings(&document.findings, look));
    }
    let mut agents: Vec<&AgentHealth> = document.agents.iter().collect();
    agents.sort_by_key(|a| Reverse(weight(a.state)));
    for agent in agents {
        out.push_str(&headline(agent, look));
        out.push_str(&findings(&agent.findings, look));
        if agent.state != Health::NotInstalled {
            out.push_str(&capabilities(&agent.capabilities));
        }
    }
    for note in &document.notes {
        let label = look.paint(CYAN, "note:");
        out.push_str(&format!("{label} {}\n", escape::line(note)));
    }
    out
}

fn weight(state: Health) -> u8 {
    match state {
        Health::NotInstalled => 0,
        Health::Ok => 1,
        Health::Unknown => 2,
        Health::Drifted => 3,
        Health::Broken => 4,
    }
}

fn headline(agent: &AgentHealth, look: Look) -> String {
    let style = match agent.state {
        Health::Ok => GREEN,
        Health::NotInstalled => BOLD,
        Health::Unknown | Health::Drifted => YELLOW,
        Health::Broken => RED,
    };
    let name = escape::line(&agent.agent);
    let version = match &agent.client.version {
        Some(version) => format!(" [{}]", escape::line(version)),
        None => String::new(),
    };
    format!(
        "{name} ({}): {}{version}\n",
        agent.scope.name(),
        look.paint(style, agent.state.name())
    )
}

fn findings(findings: &[Finding], look: Look) -> String {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| Reverse(f.severity));
    sorted.into_iter().map(|f| finding(f, look)).collect()
}

fn finding(finding: &Finding, look: Look) -> String {
    let (label, style) = match finding.severity {
        Severity::Error => ("error", RED),
        Severity::Warning => ("warning", YELLOW),
        Severity::Note => ("note", CYAN),
    };
    let label = look.paint(style, &format!("{label}[{}]:", escape::line(&finding.code)));
    let mut out = format!("  {label} {}\n", escape::line(&finding.message));
    out.push_str(&place(
        "    ",
        finding.path.as_deref(),
        finding.line,
        finding.column,
        look,
    ));
    if let Some(help) = &finding.help {
        out.push_str(&help_line("    ", help, look));
    }
    out
}

/// Two lines at most: what is proven for this client, and what isn't and why.
fn capabilities(all: &[Capability]) -> String {
    let on: Vec<_> = all
        .iter()
        .filter(|c| c.on)
        .map(|c| escape::line(&c.name))
        .collect();
    let off: Vec<_> = all
        .iter()
        .filter(|c| !c.on)
        .map(|c| {
            let why = c.reason.as_deref().unwrap_or("no reason given");
            format!("{} ({})", escape::line(&c.name), escape::line(why))
        })
        .collect();
    let mut out = String::new();
    if !on.is_empty() {
        out.push_str(&format!("  proven: {}\n", on.join(", ")));
    }
    if !off.is_empty() {
        out.push_str(&format!("  not proven: {}\n", off.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::{Client, SCHEMA};
    use crate::spec::Scope;

    fn agent(name: &str, state: Health, findings: Vec<Finding>) -> AgentHealth {
        AgentHealth {
            agent: name.into(),
            scope: Scope::User,
            state,
            client: Client::default(),
            findings,
            capabilities: Vec::new(),
        }
    }

    fn found(code: &str, severity: Severity) -> Finding {
        Finding {
            code: code.into(),
            severity,
            path: Some("/f".into()),
            line: Some(3),
            column: None,
            event: Some("Stop".into()),
            message: format!("about {code}"),
            help: Some("run `gitvow install`".into()),
        }
    }

    #[test]
    fn the_worst_comes_first() {
        let mut bad = agent(
            "codex",
            Health::Broken,
            vec![
                found("double-load", Severity::Note),
                found("entry-missing", Severity::Error),
            ],
        );
        bad.capabilities.push(Capability {
            name: "guards.beforeShell".into(),
            on: false,
            reason: Some("unobserved".into()),
            version: None,
        });
        let document = Doctor {
            schema: SCHEMA,
            ok: false,
            agents: vec![agent("claude", Health::Ok, Vec::new()), bad],
            findings: vec![found("journal-pending", Severity::Error)],
            notes: vec!["kimi has\x1b no such file".to_owned()],
        };
        let expected = "\
gitvow's own state
  error[journal-pending]: about journal-pending
    --> /f:3
    help: run `gitvow install`
codex (user): broken
  error[entry-missing]: about entry-missing
    --> /f:3
    help: run `gitvow install`
  note[double-load]: about double-load
    --> /f:3
    help: run `gitvow install`
  not proven: guards.beforeShell (unobserved)
claude (user): ok
note: kimi has\\x1b no such file
";
        assert_eq!(doctor(&document, Look::default()), expected);
    }
}
