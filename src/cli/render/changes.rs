//! What `install` and `uninstall` say. May not look at anything but the document.

use super::long::shortened;
use super::{BOLD, CYAN, GREEN, Look, RED, Rendered, YELLOW, fault, place};
use crate::cli::output::{Action, AgentChange, Changes, Direction, Status};
use crate::escape;
use crate::spec::Scope;
use std::path::Path;

/// The result of `install` or `uninstall`: in a dry run the diffs, else a line per file.
///
/// `out` goes to standard output (`out_look`), `err` to standard error (`err_look`). The output of a dry run
/// holds nothing but diffs, so that `patch` can read it.
pub fn changes(document: &Changes, out_look: Look, err_look: Look) -> Rendered {
    let mut text = Rendered::default();
    let mut lines = Vec::new();
    for agent in &document.agents {
        for artifact in &agent.artifacts {
            if let Some(diff) = artifact.diff.as_ref().filter(|_| document.dry_run) {
                text.out.push_str(&shown_diff(&shortened(diff), out_look));
            }
            let behind = (artifact.real_path != artifact.path).then_some(&*artifact.real_path);
            lines.push((artifact.action, named(&artifact.path, behind, &who(agent))));
        }
    }
    // First to come and last to go.
    if let Some(launcher) = document.launcher.as_ref().filter(|l| l.action.writes()) {
        let at = match document.command {
            Direction::Install => 0,
            Direction::Uninstall => lines.len(),
        };
        let line = named(&launcher.path, None, "gitvow itself");
        lines.insert(at, (launcher.action, line));
    }
    let (to, look) = if document.dry_run {
        (&mut text.err, err_look)
    } else {
        (&mut text.out, out_look)
    };
    for (action, file) in lines {
        let (verb, style) = verb(action, document.dry_run);
        to.push_str(&format!("{} {file}\n", look.paint(style, verb)));
    }
    for agent in document.agents.iter().filter(|a| a.artifacts.is_empty()) {
        if agent.error.is_none() {
            to.push_str(&format!("{}: {}\n", who(agent), agent.status.name()));
        }
    }
    for agent in &document.agents {
        talk(&mut text.err, agent, err_look);
    }
    text.err.push_str(&closing(document, err_look));
    text
}

fn verb(action: Action, dry: bool) -> (&'static str, &'static str) {
    match (action, dry) {
        (Action::Create, false) => ("created", GREEN),
        (Action::Create, true) => ("would create", GREEN),
        (Action::Edit, false) => ("edited", GREEN),
        (Action::Edit, true) => ("would edit", GREEN),
        (Action::Remove, false) => ("removed", GREEN),
        (Action::Remove, true) => ("would remove", GREEN),
        (Action::Keep, false) => ("kept", YELLOW),
        (Action::Keep, true) => ("would keep", YELLOW),
        (Action::Unchanged, _) => ("unchanged", BOLD),
        (Action::Refuse, _) => ("refused", RED),
    }
}

/// `/path -> /behind/links (claude, repo)`.
fn named(path: &Path, behind: Option<&Path>, who: &str) -> String {
    let mut line = escape::path(path);
    if let Some(behind) = behind {
        line.push_str(&format!(" -> {}", escape::path(behind)));
    }
    format!("{line} ({who})")
}

/// `claude`, or `claude, repo` outside the user's own files.
fn who(agent: &AgentChange) -> String {
    let name = escape::line(&agent.agent);
    match agent.scope {
        Scope::User => name.into_owned(),
        scope => format!("{name}, {}", scope.name()),
    }
}

fn talk(to: &mut String, agent: &AgentChange, look: Look) {
    let who = who(agent);
    for kept in &agent.kept {
        let label = look.paint(YELLOW, "kept:");
        to.push_str(&format!("{label} {who}: {}\n", escape::line(&kept.reason)));
        to.push_str(&place("  ", Some(&kept.path), None, None, look));
    }
    for note in &agent.notes {
        let label = look.paint(CYAN, "note:");
        to.push_str(&format!("{label} {who}: {}\n", escape::line(note)));
    }
    if let Some(e) = &agent.error {
        to.push_str(&fault(e, look));
        to.push_str(&format!("  = agent: {who}\n"));
    }
    for step in &agent.steps {
        let label = look.paint(YELLOW, "to do:");
        to.push_str(&format!("{label} {who}: {}\n", escape::line(step)));
    }
}

/// A diff for a terminal is escaped line by line and coloured; anywhere else it stays what it is.
fn shown_diff(diff: &str, look: Look) -> String {
    if !look.terminal && !look.colour {
        return diff.to_owned();
    }
    let mut out = String::with_capacity(diff.len() + diff.len() / 8);
    for line in diff.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body = if look.terminal {
            escape::text(body)
        } else {
            body.into()
        };
        let style = match body.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Some(BOLD),
            [b'@', b'@', ..] => Some(CYAN),
            [b'+', ..] => Some(GREEN),
            [b'-', ..] => Some(RED),
            _ => None,
        };
        match style {
            Some(style) => out.push_str(&look.paint(style, &body)),
            None => out.push_str(&body),
        }
        out.push('\n');
    }
    out
}

/// One sentence that says how it ended.
fn closing(document: &Changes, look: Look) -> String {
    let bad = |s: Status| matches!(s, Status::Refused | Status::Failed);
    let left: Vec<String> = document
        .agents
        .iter()
        .filter(|a| bad(a.status))
        .map(who)
        .collect();
    let command = document.command.name();
    if !left.is_empty() {
        let names = left.join(", ");
        let label = look.paint(RED, "error:");
        return format!("{label} {command} left these agents as they were: {names}\n");
    }
    let sentence = match (document.changed, document.dry_run) {
        (false, _) => match document.command {
            Direction::Install => "nothing to change: everything is as wanted",
            Direction::Uninstall => "nothing to change",
        },
        (true, true) => "dry run: nothing was written",
        (true, false) => return String::new(),
    };
    format!("{sentence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::{Artifact, ArtifactKind, Fault, Kept, Launcher, SCHEMA, State};
    use crate::error::Error;

    fn sample(dry_run: bool) -> Changes {
        let mut claude = AgentChange::new("claude", Scope::User);
        claude.status = Status::Installed;
        claude.artifacts.push(Artifact {
            kind: ArtifactKind::Merge,
            path: "/home/a/.claude/settings.json".into(),
            real_path: "/home/a/dotfiles/claude.json".into(),
            action: Action::Edit,
            before: State::Sha256("0".repeat(64)),
            after: State::Sha256("1".repeat(64)),
            diff: Some("--- /f\n+++ /f\n@@ -1 +1,2 @@\n a\r\n+b\u{1b}[0m\n".into()),
        });
        claude.notes.push("claude also runs other hooks".into());
        claude.steps.push("restart Claude Code".into());
        let mut codex = AgentChange::new("codex", Scope::Repo);
        codex.status = Status::Refused;
        codex.error = Some(Fault::from(
            &Error::refused("unparseable", "`/r/x` is not valid JSON")
                .at("/r/x")
                .position(1, 2),
        ));
        Changes {
            schema: SCHEMA,
            command: Direction::Install,
            dry_run,
            scope: Some(Scope::User),
            ok: false,
            changed: true,
            launcher: Some(Launcher {
                path: "/home/a/.gitvow/bin/gitvow".into(),
                action: Action::Create,
            }),
            agents: vec![claude, codex],
        }
    }

    #[test]
    fn a_real_run_prints_a_line_per_file_and_talks_on_the_other_stream() {
        let text = changes(&sample(false), Look::default(), Look::default());
        assert_eq!(
            text.out,
            "created /home/a/.gitvow/bin/gitvow (gitvow itself)\n\
             edited /home/a/.claude/settings.json -> /home/a/dotfiles/claude.json (claude)\n"
        );
        assert_eq!(
            text.err,
            "note: claude: claude also runs other hooks\n\
             to do: claude: restart Claude Code\n\
             error: `/r/x` is not valid JSON\n  --> /r/x:1:2\n  = agent: codex, repo\n\
             error: install left these agents as they were: codex, repo\n"
        );
    }

    #[test]
    fn a_dry_run_prints_diffs_and_nothing_else() {
        let document = sample(true);
        let text = changes(&document, Look::default(), Look::default());
        assert_eq!(
            Some(&text.out),
            document.agents[0].artifacts[0].diff.as_ref()
        );
        assert!(
            text.err
                .contains("would edit /home/a/.claude/settings.json")
        );
    }

    #[test]
    fn a_diff_is_escaped_for_a_terminal_only() {
        let look = Look {
            colour: false,
            terminal: true,
        };
        let text = changes(&sample(true), look, Look::default());
        assert!(text.out.ends_with(" a\\r\n+b\\x1b[0m\n"));
    }

    #[test]
    fn what_is_kept_is_named_with_its_reason() {
        let mut document = sample(false);
        document.command = Direction::Uninstall;
        document.agents.truncate(1);
        document.agents[0].kept.push(Kept {
            path: "/home/a/.claude/settings.json".into(),
            reason: "the entry for `Stop` was edited after install".into(),
        });
        let text = changes(&document, Look::default(), Look::default());
        assert!(text.err.starts_with(
            "kept: claude: the entry for `Stop` was edited after install\n  --> /home/a/"
        ));
    }
}
