//! Rules found by a policy's index say the same as the whole policy does, over generated policies and calls.

use super::judge::{Facts, judge};
use super::load::Policy;
use super::{Target, index};
use crate::hook::shell;
use crate::sys::memory::MemoryDisk;
use std::path::Path;

const WORDS: [&str; 14] = [
    "git",
    "push",
    "rm",
    "-rf",
    "--force",
    "main",
    "terraform",
    "é",
    "a.b",
    "x/y",
    "sh",
    "curl",
    "~",
    "secret",
];
const PATTERNS: [&str; 16] = [
    r"\brm\b",
    r"\<git\>",
    "(?i)SECRET",
    "a|b",
    "git +push",
    "^rm",
    "x/y$",
    "pu?sh",
    "(ma|x)in",
    "é+",
    r"\.b",
    "[^a]b",
    "terra.*",
    "",
    "s{0}h",
    r"\u0065",
];
const JOINS: [&str; 9] = [" ", " ", " ", " && ", " | ", ";", "\n", "''", " \\\n"];

/// A small generator; its seed is the case.
struct Seed(u64);

impl Seed {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// A JSON string in some spelling.
    fn text(&mut self, text: &str) -> String {
        if self.below(3) > 0 {
            return serde_json::to_string(text).unwrap();
        }
        let units = text.encode_utf16().map(|u| format!("\\u{u:04x}"));
        format!("\"{}\"", units.collect::<String>())
    }

    fn space(&mut self) -> &'static str {
        self.of(&["", "", " ", "\n", "\r\n\t"])
    }

    fn rule(&mut self, bash: bool) -> String {
        let mut members = vec![format!("\"reason\":{}", self.text("because"))];
        if bash && self.below(2) > 0 {
            let (one, two) = (self.of(&WORDS), self.of(&WORDS));
            let (one, two) = (self.text(one), self.text(two));
            members.push(match self.below(2) {
                0 => format!("\"program\":{one}"),
                _ => format!("\"pro\\u0067ram\":[{one},{two}]"),
            });
            for key in ["verbs", "flags", "operands", "line", "pipes_to"] {
                if self.below(5) == 0 {
                    let word = self.of(&WORDS);
                    members.push(format!("\"{key}\":{}", self.text(word)));
                }
            }
        } else {
            let pattern = self.of(&PATTERNS);
            members.push(format!("\"pattern\":{}", self.text(pattern)));
        }
        if self.below(4) == 0 {
            members.push("\"when\":\"observe\"".to_owned());
        }
        if self.below(2) > 0 {
            members.reverse();
        }
        let space = self.space();
        format!("{space}{{{space}{}{space}}}{space}", members.join(","))
    }

    fn policy(&mut self) -> String {
        let mut lists = Vec::new();
        for key in ["path_confirm", "bash_deny", "path_deny", "bash_confirm"] {
            if self.below(3) > 0 {
                let count = self.below(5);
                let rules: Vec<_> = (0..count)
                    .map(|_| self.rule(key.starts_with('b')))
                    .collect();
                lists.push(format!("{}:[{}]", self.text(key), rules.join(",")));
            }
        }
        for key in ["mcp_deny", "mcp_allow"] {
            if self.below(4) == 0 {
                let pattern = self.of(&["mcp__a__.*", "mcp__b__c", ".*secret"]);
                lists.push(format!("\"{key}\":[{}]", self.text(pattern)));
            }
        }
        let (mark, space) = (self.of(&["", "", "\u{feff}"]), self.space());
        format!("{mark}{space}{{{}}}{space}", lists.join(","))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        for _ in 0..1 + self.below(6) {
            line.push_str(self.of(&WORDS));
            line.push_str(self.of(&JOINS));
        }
        match self.below(12) {
            0 => format!("sh -c '{}'", line.replace('\'', "")),
            1 => format!("{line} 'open"),
            2 => format!("echo $({line})"),
            _ => line,
        }
    }
}

#[test]
fn an_index_changes_no_verdict() {
    let disk = MemoryDisk::default();
    let env = crate::sys::real::RealEnv;
    let mut stopped = 0;
    for seed in 0..6_000 {
        let mut seed = Seed(seed);
        let text = seed.policy();
        let policy = Policy::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        let Ok(()) = policy.check_patterns() else {
            continue;
        };
        let index = index::of(&policy).unwrap();
        for _ in 0..4 {
            let (line, mut facts) = (seed.line(), Facts::default());
            match seed.below(4) {
                0 => facts.mcp = Some(seed.of(&["mcp__a__b", "mcp__b__c", "mcp__x__secret"])),
                1 => {
                    let path = line.replace(['\n', '\0'], "");
                    let target = Target::new(&path, Path::new("/w"), &[], false, &disk, &env);
                    let spellings = target.spellings(Some(Path::new("/w")));
                    facts.targets.push((target, spellings));
                }
                _ => {
                    facts.line = Some(&line);
                    facts.reading = shell::read(&line);
                    "/home/u".clone_into(&mut facts.home);
                }
            }
            let whole = judge(&policy, &facts);
            let part = match index::candidates(&index, &facts) {
                None => continue,
                Some(mut places) => {
                    places.sort();
                    places.dedup();
                    Policy::only(text.as_bytes(), &places)
                }
            };
            let part = part.unwrap_or_else(|| panic!("{text}: rules don't stand where it says"));
            stopped += usize::from(whole.as_ref().is_ok_and(|r| r.rule.is_some()));
            assert_eq!(judge(&part, &facts), whole, "{text}\n{facts:?}");
        }
    }
    assert!(stopped > 3_000, "{stopped}");
}
