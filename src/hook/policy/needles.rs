//! What must occur in a call for any rule of a policy to match. Pure.
//!
//! Kept beside the note that a policy was checked, so that a policy of 2,000 rules need not even be parsed
//! for a call that none of them can be about (spec 4.6).

use super::judge::Facts;
use super::load::{Policy, Test};
use super::pattern;

/// Between needles in a note; a needle that holds it, or a line break, makes the list useless.
const BETWEEN: char = '\u{1f}';

/// The needles of a policy as one line of text. `None`: some rule may match anything.
pub fn of(policy: &Policy<'_>) -> Option<String> {
    let mut needles: Vec<String> = Vec::new();
    if !policy.providers.is_empty() {
        return None;
    }
    let rules = [
        &policy.bash_deny,
        &policy.bash_confirm,
        &policy.path_deny,
        &policy.path_confirm,
    ];
    for rule in rules.into_iter().flatten() {
        match &rule.test {
            Test::Pattern(p) => needles.push(format!("s{}", pattern::literal(p)?)),
            Test::Program(program) => {
                needles.extend(program.programs.iter().map(|p| format!("p{p}")));
            }
        }
    }
    for p in &policy.mcp_deny {
        needles.push(format!("s{}", pattern::literal(p)?));
    }
    if !policy.mcp_allow.is_empty() {
        needles.push("m".to_owned());
    }
    needles.sort();
    needles.dedup();
    let usable = needles.iter().all(|n| !n.contains([BETWEEN, '\n', '\r']));
    usable.then(|| needles.join("\u{1f}"))
}

/// Can none of the rules behind these needles match?
pub fn none_in(needles: &str, facts: &Facts<'_>) -> bool {
    // What a line that can't be read hides is not known, nor what a doubtful name means.
    !facts.reading.unreadable
        && facts.doubt.is_none()
        && needles.split(BETWEEN).all(|needle| {
            if let Some(program) = needle.strip_prefix('p') {
                return !facts.reading.commands.iter().any(|c| c.program == program);
            }
            if let Some(text) = needle.strip_prefix('s') {
                return !facts.line.is_some_and(|l| l.contains(text))
                    && !facts.mcp.is_some_and(|m| m.contains(text))
                    && !facts
                        .targets
                        .iter()
                        .any(|(_, spellings)| spellings.iter().any(|s| s.contains(text)));
            }
            needle.is_empty() || facts.mcp.is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::shell;

    #[test]
    fn needles_are_found_where_a_rule_could_match_and_only_there() {
        let text = br#"{"bash_deny":[{"program":["git","hg"],"verbs":["push"]},{"pattern":"terra\\w+\\s"}],"mcp_allow":["x"]}"#;
        let needles = of(&Policy::parse(text).unwrap()).unwrap();
        let none = |line| {
            let facts = Facts {
                line: Some(line),
                reading: shell::read(line),
                ..Facts::default()
            };
            none_in(&needles, &facts)
        };
        assert!(none("ls -la"));
        assert!(none("echo git"));
        assert!(!none("g''it status"));
        assert!(!none("sudo sh -c 'hg x'"));
        assert!(!none("terraform x"));
        assert!(!none("echo 'open"));
        let facts = Facts {
            mcp: Some("mcp__a__b"),
            ..Facts::default()
        };
        assert!(!none_in(&needles, &facts));
        for always in [
            r#"{"bash_deny":[{"pattern":"a|b"}]}"#,
            r#"{"providers":[{"command":["/x"]}]}"#,
        ] {
            assert_eq!(of(&Policy::parse(always.as_bytes()).unwrap()), None);
        }
    }
}
