//! `gitvow check`: what the policy says of a shell line, judged as `gitvow hook` judges it. It may not run it.

use super::args::Check;
use super::console::Console;
use super::escape;
use super::output::{self, Checked, SCHEMA};
use crate::error::{Error, Result};
use crate::hook::agent::Event;
use crate::hook::call::{Call, Tool};
use crate::hook::policy::{self, Ground, Ruling, Source, Verdict};
use crate::hook::state_home;
use crate::spec::words::quoted;
use crate::sys::Sys;
use serde_json::json;
use std::borrow::Cow;
use std::time::Duration;

/// Exit code 0 for allow, 1 for ask and deny.
pub fn run(args: &Check, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let cwd = sys.env.cwd().map_err(|e| {
        Error::failed("io", "the working directory can't be read").because(e.to_string())
    })?;
    let ground = Ground {
        state: state_home(sys),
        top: policy::git_top(&cwd, sys).map(|(top, _)| top),
        cwd,
        agent: String::new(),
        until: sys.clock.now() + Duration::from_secs(12),
    };
    if args.policy {
        return in_force(args.json.json, &ground, sys, console);
    }
    let line = match args.command.as_slice() {
        [line] => line.clone(),
        words => words
            .iter()
            .map(|w| quoted(w))
            .collect::<Vec<_>>()
            .join(" "),
    };
    let ruling = policy::decide(&[call(&line)], &ground, sys)
        .unwrap_or_else(|fault| Ruling::new(Verdict::Deny, fault, "policy"));
    let verdict = ruling.verdict.name().to_owned();
    let exit = u8::from(ruling.verdict != Verdict::Allow);
    let reason = Some(ruling.reason).filter(|r| !r.is_empty());
    if args.json.json {
        let checked = Checked {
            schema: SCHEMA,
            verdict,
            reason,
            rule: ruling.rule,
        };
        console.print(&output::document(&checked)?)?;
        return Ok(exit);
    }
    let mut text = verdict;
    if let Some(reason) = &reason {
        text.push_str(": ");
        text.push_str(&escape::line(reason));
    }
    if let Some(rule) = &ruling.rule {
        text.push_str(&format!(" [{}]", escape::line(rule)));
    }
    for observed in &ruling.observed {
        text.push_str(&format!("\nobserved: {}", escape::line(observed)));
    }
    text.push('\n');
    console.print(&text)?;
    Ok(exit)
}

fn call(line: &str) -> Call<'_> {
    Call {
        session_id: None,
        transcript_path: None,
        cwd: None,
        event: Event::PreToolUse,
        agent: String::new(),
        tool: Some(Tool {
            name: Cow::Borrowed("Bash"),
            command: Some(Cow::Borrowed(line)),
            ..Tool::default()
        }),
        permission_mode: None,
        prompt: None,
        end_reason: None,
    }
}

/// Prints the policies whose stricter verdict counts, the user's (or the built-in one) first.
fn in_force(json: bool, ground: &Ground, sys: &Sys<'_>, console: &mut Console<'_>) -> Result<u8> {
    let fault = |e: String| {
        Error::refused("policy", e).help("repair that file; until then every tool call is denied")
    };
    let texts = policy::texts(&ground.state, ground.top.as_deref(), sys).map_err(fault)?;
    let mut documents = Vec::new();
    for source in std::iter::once(&texts.user).chain(&texts.repo) {
        let text = source.text(sys).map_err(fault)?;
        let ignored = source.policy(&text).map_err(fault)?.ignored;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let name = named(source);
        if json {
            let value: serde_json::Value =
                serde_json::from_slice(text).map_err(|e| fault(e.to_string()))?;
            documents.push(json!({"path": source.path, "policy": value, "ignored": ignored}));
            continue;
        }
        console.say(&format!("{name}:\n"));
        for key in &ignored {
            console.say(&format!(
                "note: `{}` means nothing here and is ignored\n",
                escape::line(key)
            ));
        }
        console.print(&escape::text(&String::from_utf8_lossy(text)))?;
        if !text.ends_with(b"\n") {
            console.print("\n")?;
        }
    }
    if json {
        let document = json!({"schema": SCHEMA, "policies": documents});
        console.print(&output::document(&document)?)?;
    }
    Ok(0)
}

fn named(source: &Source) -> String {
    match &source.path {
        None => "the built-in policy (no policy.json in the state home)".to_owned(),
        Some(path) => escape::path(path),
    }
}
