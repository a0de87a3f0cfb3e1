//! What the real clients did with an answer (`fixtures/<agent>/captures/<version>-{answers,denials,context}.jsonl`,
//! a line a run): the judge of these tests, the planners' forms and the rows of evidence are all held to it.

use crate::judge::{Effect, effect};
use crate::run::Said;
use gitvow::hook::agent::{Agent, EventData};
use gitvow::hook::answer::{self, Answer};
use gitvow::hook::json::Json;
use gitvow::hook::policy::Verdict;
use gitvow::spec::builtin;
use gitvow::spec::evidence::{Evidence, Outcome, TEXTS};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What the tried answers said.
const REASON: &str = "BLOCKED reason 5127";
const CONTEXT: &str = "CONTEXT-MARKER-7391";

/// One run.
struct Line {
    agent: &'static str,
    value: Value,
}

impl Line {
    fn text(&self, pointer: &str) -> &str {
        let text = self.value.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("{self}: no {pointer}"))
    }

    fn flag(&self, pointer: &str) -> bool {
        let flag = self.value.pointer(pointer).and_then(Value::as_bool);
        flag.unwrap_or_else(|| panic!("{self}: no {pointer}"))
    }

    fn payload(&self) -> Vec<u8> {
        self.value["payload"].to_string().into_bytes()
    }

    /// What was answered; `None` when nothing was in time.
    fn said(&self) -> Option<Said> {
        let answered = self.value["answered"].as_object()?;
        Some(Said {
            exit: i32::try_from(answered["exit"].as_i64().unwrap()).unwrap(),
            stdout: answered["stdout"].as_str().unwrap().to_owned(),
            stderr: answered["stderr"].as_str().unwrap().to_owned(),
        })
    }

    /// All that came back to the model.
    fn told(&self) -> String {
        let told = self.value.pointer("/then/model_was_told");
        let told = told.and_then(Value::as_array).unwrap();
        let texts: Vec<&str> = told.iter().map(|t| t.as_str().unwrap()).collect();
        texts.join("\n")
    }

    /// What gitvow's own form for this payload would be.
    fn own(&self, make: impl Fn(&gitvow::hook::agent::Answers) -> Option<Answer>) -> Option<Said> {
        let agent = Agent::load(builtin::by_name(self.agent).unwrap()).unwrap();
        let bytes = self.payload();
        let payload = Json::parse(&bytes).unwrap();
        let special = agent
            .event(self.text("/event"))
            .and_then(EventData::special)
            .and_then(|s| s.answers.as_ref());
        let forms = special.unwrap_or_else(|| answer::forms(&agent, Some(&payload)));
        make(forms).map(|a| Said {
            exit: i32::from(a.exit),
            stdout: a.stdout,
            stderr: a.stderr,
        })
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = ["answer", "call", "policy", "at", "form"];
        let named = words.iter().filter_map(|w| self.value[*w].as_str());
        write!(
            f,
            "{}: {}",
            self.agent,
            named.collect::<Vec<_>>().join(", ")
        )
    }
}

fn lines(kind: &str) -> Vec<Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut all = Vec::new();
    for (agent, _) in TEXTS {
        let Ok(files) = fs::read_dir(root.join(agent).join("captures")) else {
            continue;
        };
        for file in files.map(|f| f.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            if !name.ends_with(&format!("-{kind}.jsonl")) {
                continue;
            }
            for line in fs::read_to_string(&file).unwrap().lines() {
                let value = serde_json::from_str(line).unwrap();
                all.push(Line { agent, value });
            }
        }
    }
    all
}

/// The same answer: JSON by its meaning, text without its ends.
fn same(a: &Said, b: &Said) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let out = match (json(&a.stdout), json(&b.stdout)) {
        (Some(a), Some(b)) => a == b,
        _ => a.stdout.trim() == b.stdout.trim(),
    };
    out && a.exit == b.exit && a.stderr.trim() == b.stderr.trim()
}

#[test]
fn the_judge_says_what_the_clients_did() {
    let all = lines("answers");
    let mut wrong = Vec::new();
    for line in &all {
        let (ran, told) = (line.flag("/then/ran"), line.told());
        let Some(said) = line.said() else {
            let spec = builtin::by_name(line.agent).unwrap().spec().unwrap();
            // The limit ran out (OpenCode's is our plugin's own), or the program wasn't there.
            let goes_on = match line.text("/answer") {
                "timeout" => line.agent != "opencode",
                "program missing" => !spec.blocks_when_missing,
                other => panic!("{line}: {other}"),
            };
            assert_eq!(ran, goes_on, "{line}");
            continue;
        };
        let judged = effect(line.agent, line.text("/event"), &line.payload(), &said);
        let right = match &judged {
            Effect::Runs => ran,
            // Nobody is there in a headless run: it is stopped.
            Effect::Asks(_) => !ran,
            Effect::Blocks(reason) => !ran && reason.contains(REASON) == told.contains(REASON),
        };
        if !right {
            wrong.push(format!("{line}: {judged:?}, but ran: {ran}, told: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all.len() > 120, "only {}", all.len());
}

#[test]
fn gitvow_gives_no_answer_that_was_ignored() {
    let mut ignored = 0;
    for line in lines("answers") {
        let (true, Some(said)) = (line.flag("/then/ran"), line.said()) else {
            continue;
        };
        ignored += 1;
        for verdict in [Verdict::Deny, Verdict::Ask] {
            let event = line.text("/event");
            let ours = line.own(|forms| {
                let there = verdict == Verdict::Deny || forms.ask.is_some();
                there.then(|| answer::stop(forms, verdict, REASON, event))
            });
            assert!(
                !ours.is_some_and(|o| same(&o, &said)),
                "{line}: {verdict:?}"
            );
        }
    }
    assert!(ignored > 60, "only {ignored}");
}

#[test]
fn every_answer_that_was_ignored_is_a_row_and_every_row_a_run() {
    let all = lines("answers");
    for (agent, text) in TEXTS {
        let rows = Evidence::parse(agent, text).unwrap().answers;
        let mine = all.iter().filter(|l| l.agent == *agent);
        for line in mine.filter(|l| l.flag("/then/ran")) {
            let named = |r: &&gitvow::spec::evidence::Row| {
                r.answer.as_deref() == Some(line.text("/answer")) && r.result == Outcome::Fail
            };
            assert!(rows.iter().any(|r| named(&r)), "{line}");
        }
        for row in rows {
            let run = all
                .iter()
                .find(|l| l.agent == *agent && row.answer.as_deref() == l.value["answer"].as_str());
            let ran = run.unwrap_or_else(|| panic!("{row:?}")).flag("/then/ran");
            assert_eq!(row.result == Outcome::Fail, ran, "{row:?}");
            assert!(row.fixture.ends_with("-answers.jsonl"), "{row:?}");
        }
    }
}

/// gitvow itself answered these: the tool didn't run, the model was told why, and the answer is still the same.
#[test]
fn a_denial_is_still_the_one_that_stopped_the_tool() {
    let all = lines("denials");
    for (agent, text) in TEXTS {
        let driven = !Evidence::parse(agent, text).unwrap().evidence.is_empty();
        for call in ["shell", "write", "read", "mcp", "a subagent's shell"] {
            let there = |l: &&Line| l.agent == *agent && l.value["call"] == call;
            // Droid 0.225.2 starts its subagents by a daemon, which a run without a login doesn't reach.
            let seen = driven && (*agent, call) != ("factory", "a subagent's shell");
            assert_eq!(all.iter().any(|l| there(&l)), seen, "{agent}: {call}");
        }
    }
    for line in &all {
        assert!(!line.flag("/then/done"), "{line}");
        let said = line.said().unwrap();
        let event = line.text("/event");
        let (verdict, reason) = match effect(line.agent, event, &line.payload(), &said) {
            Effect::Blocks(reason) => (Verdict::Deny, reason),
            Effect::Asks(reason) => (Verdict::Ask, reason),
            Effect::Runs => panic!("{line}: the judge lets it run"),
        };
        assert!(line.told().contains(&reason), "{line}: {}", line.told());
        let ours = line.own(|forms| Some(answer::stop(forms, verdict, &reason, event)));
        assert!(same(&ours.unwrap(), &said), "{line}");
    }
}

/// Text for the model: declared where gitvow has an entry and a form for it, and on where that form was read.
#[test]
fn context_is_on_where_the_planners_own_form_reached_the_model() {
    let all = lines("context");
    for (agent, text) in TEXTS {
        let evidence = Evidence::parse(agent, text).unwrap();
        let spec = builtin::by_name(agent).unwrap().spec().unwrap();
        for (capability, at) in [
            ("context.startupInjection", "session's start"),
            ("context.beforeTurnInjection", "prompt"),
            ("context.safePointInjection", "after a tool"),
        ] {
            let on = evidence.verdict(capability, None, "linux-x64").on;
            let mut method = false;
            for line in all
                .iter()
                .filter(|l| l.agent == *agent && l.value["at"] == at)
            {
                let event = line.text("/event");
                let ours = line.own(|f| Some(answer::filled(f.context.as_ref()?, CONTEXT, event)));
                // Nothing was said where the event never came.
                let tried = |ours| line.said().is_none_or(|said| same(&ours, &said));
                let form = ours.is_some_and(tried);
                if form || line.value["form"] == "gitvow's own" {
                    // In Claude's file as in its own.
                    assert_eq!(line.flag("/then/reached_the_model"), on, "{line}, {event}");
                }
                method |= form && spec.events.iter().any(|e| e == event);
            }
            let declared = evidence.methods.contains_key(capability);
            assert_eq!(declared, method, "{agent}: {capability}");
        }
    }
    assert!(all.len() > 100, "only {}", all.len());
}

#[test]
fn a_sessions_start_and_end_are_proven_by_the_events_that_came() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seen = 0;
    for (agent, text) in TEXTS {
        let rows = Evidence::parse(agent, text).unwrap().evidence;
        let Some(version) = rows.first().map(|r| r.version.clone()) else {
            continue;
        };
        let file = root.join(format!("{agent}/captures/{version}-events.json"));
        let turn: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let among = |list: &str, event: &str| {
            let names = turn[list].as_array().unwrap().iter();
            names
                .filter_map(Value::as_str)
                .any(|n| n.eq_ignore_ascii_case(event))
        };
        for (capability, event) in [
            ("lifecycle.sessionStart", "SessionStart"),
            ("lifecycle.sessionEnd", "SessionEnd"),
        ] {
            let row = rows.iter().find(|r| r.capability == capability);
            assert_eq!(row.is_some(), among("entries", event), "{agent}: {event}");
            if let Some(row) = row {
                let came = among("came", event);
                assert_eq!(row.result == Outcome::Pass, came, "{agent}: {event}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 17, "only {seen}");
}
