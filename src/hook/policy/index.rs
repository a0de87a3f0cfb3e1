//! Which rules of a policy may be about a call, and where they stand in its text: so that of 2,000 rules only
//! those are parsed whose word occurs (spec 4.6). Pure.
//!
//! An index is text: `m` or `-` (are there rules about MCP tools?), then an entry for each word of a rule: the word's
//! length (two hex digits), the word, the list (`B` `b` `P` `p`), how the word is looked for (`s` anywhere, `p` as a
//! program), and the rule's number, first byte and length in six hex digits each. Fixed widths, so that what doesn't
//! occur is stepped over.

use super::judge::Facts;
use super::load::{List, Place, Policy, Test};
use super::pattern;

/// Characters behind a word.
const TAIL: usize = 2 + 3 * 6 + 1;

/// The index of a policy. `None`: it has to be parsed whole each time.
pub fn of(policy: &Policy<'_>) -> Option<String> {
    if !policy.providers.is_empty() {
        return None;
    }
    let mcp = !policy.mcp_deny.is_empty() || !policy.mcp_allow.is_empty();
    let mut out = if mcp { "m\n" } else { "-\n" }.to_owned();
    for list in List::ALL {
        for rule in policy.rules(list) {
            match &rule.test {
                Test::Pattern(p) => {
                    let word = pattern::literal(p).unwrap_or_default();
                    // A part of a word occurs wherever the word does.
                    let cut = (0..=word.len().min(0xff)).rfind(|at| word.is_char_boundary(*at));
                    entry(&mut out, word.get(..cut?)?, 's', &rule.place)?;
                }
                Test::Program(program) => program
                    .programs
                    .iter()
                    .try_for_each(|word| entry(&mut out, word, 'p', &rule.place))?,
            }
        }
    }
    Some(out)
}

fn entry(out: &mut String, word: &str, how: char, place: &Place) -> Option<()> {
    let Place { list, at, span } = place;
    let fits = word.len() <= 0xff && span.1 <= 0xff_ffff && *at <= 0xff_ffff;
    let entry = format!(
        "{:02x}{word}{}{how}{at:06x}{:06x}{:06x}\n",
        word.len(),
        letter(*list),
        span.0,
        span.1 - span.0
    );
    fits.then(|| out.push_str(&entry))
}

fn letter(list: List) -> char {
    match list {
        List::BashDeny => 'B',
        List::BashConfirm => 'b',
        List::PathDeny => 'P',
        List::PathConfirm => 'p',
    }
}

/// The places of the rules that may be about a call. `None`: the index can't say, all of them may be.
pub fn candidates(index: &str, facts: &Facts<'_>) -> Option<Vec<Place>> {
    let (head, mut rest) = index.split_once('\n')?;
    // What a line that can't be read hides is not known.
    if facts.reading.unreadable || (facts.mcp.is_some() && head != "-") {
        return None;
    }
    let spellings = || facts.targets.iter().flat_map(|(_, spellings)| spellings);
    let mut pairs = Pairs::default();
    facts.line.iter().for_each(|t| pairs.add(t));
    spellings().for_each(|t| pairs.add(t));
    let mut found = Vec::new();
    while !rest.is_empty() {
        let len = usize::from_str_radix(rest.get(..2)?, 16).ok()?;
        let word = rest.get(2..2 + len)?;
        let tail = rest.get(2 + len..2 + len + TAIL)?;
        rest = rest.get(2 + len + TAIL..)?;
        let (list, how) = match tail.as_bytes() {
            [list, how, ..] => (
                List::ALL
                    .into_iter()
                    .find(|l| letter(*l) == char::from(*list))?,
                *how,
            ),
            _ => return None,
        };
        let occurs = match list {
            _ if how == b'p' => facts.reading.commands.iter().any(|c| c.program == word),
            _ if !pairs.may_hold(word) => false,
            List::BashDeny | List::BashConfirm => facts.line.is_some_and(|l| l.contains(word)),
            List::PathDeny | List::PathConfirm => spellings().any(|s| s.contains(word)),
        };
        if occurs {
            let number = |at: usize| usize::from_str_radix(tail.get(at..at + 6)?, 16).ok();
            let (at, start, len) = (number(2)?, number(8)?, number(14)?);
            found.push(Place {
                list,
                at,
                span: (start, start + len),
            });
        }
    }
    Some(found)
}

/// Which neighbours occur in some texts, hashed to 2,048 bits: by it most of 2,000 words are told from a call's line
/// without a search.
#[derive(Default)]
struct Pairs([u64; 32]);

impl Pairs {
    fn add(&mut self, text: &str) {
        for (a, b) in text.bytes().zip(text.bytes().skip(1)) {
            let (word, bit) = Self::place(a, b);
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    /// False: the word occurs nowhere.
    fn may_hold(&self, word: &str) -> bool {
        word.bytes().zip(word.bytes().skip(1)).all(|(a, b)| {
            let (word, bit) = Self::place(a, b);
            self.0.get(word).is_some_and(|w| w & bit != 0)
        })
    }

    fn place(a: u8, b: u8) -> (usize, u64) {
        let at = (usize::from(a) * 31 + usize::from(b)) & 2047;
        (at >> 6, 1 << (at & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::shell;

    fn found(policy: &str, facts: &Facts<'_>) -> Option<Vec<(List, usize)>> {
        let policy = Policy::parse(policy.as_bytes()).unwrap();
        let index = of(&policy).unwrap();
        let places = candidates(&index, facts)?;
        Some(places.into_iter().map(|p| (p.list, p.at)).collect())
    }

    fn shell_line(line: &str) -> Facts<'_> {
        Facts {
            line: Some(line),
            reading: shell::read(line),
            ..Facts::default()
        }
    }

    #[test]
    fn rules_are_found_where_they_could_match_and_only_there() {
        let policy = r#"{"bash_deny":[{"program":["git","hg"],"verbs":["push"]},{"pattern":"terra\\w+\\s"},{"pattern":"\u00e9t\u00e9"}],
            "path_deny":[{"pattern":"secret"}],"mcp_deny":["mcp__bad__.*"],"mcp_allow":["x","y"]}"#;
        let on = |line| found(policy, &shell_line(line)).unwrap();
        assert_eq!(on("ls -la"), []);
        assert_eq!(on("echo git"), []);
        assert_eq!(on("cat secret"), []);
        assert_eq!(on("g''it status"), [(List::BashDeny, 0)]);
        assert_eq!(on("sudo sh -c 'hg x'"), [(List::BashDeny, 0)]);
        assert_eq!(on("terraform x"), [(List::BashDeny, 1)]);
        assert_eq!(on("echo été"), [(List::BashDeny, 2)]);
        assert_eq!(found(policy, &shell_line("echo 'open")), None);
        let mcp = Facts {
            mcp: Some("mcp__a__b"),
            ..Facts::default()
        };
        assert_eq!(found(policy, &mcp), None);
        assert_eq!(found(r#"{"bash_deny":[]}"#, &mcp).unwrap(), []);
    }

    #[test]
    fn a_rule_without_a_sure_word_is_always_found() {
        let policy = r#"{"bash_deny":[{"pattern":"a|b"}],"path_deny":[{"pattern":"a|b"}]}"#;
        assert_eq!(
            found(policy, &shell_line("ls")).unwrap(),
            [(List::BashDeny, 0)]
        );
        let long = format!(r#"{{"bash_deny":[{{"pattern":"{}"}}]}}"#, "é".repeat(300));
        let line = "é".repeat(400);
        assert_eq!(
            found(&long, &shell_line(&line)).unwrap(),
            [(List::BashDeny, 0)]
        );
        assert_eq!(found(&long, &shell_line("é")).unwrap(), []);
        let providers = Policy::parse(br#"{"providers":[{"command":["/x"]}]}"#).unwrap();
        assert_eq!(of(&providers), None);
    }

    #[test]
    fn a_damaged_index_says_nothing() {
        let policy = Policy::parse(br#"{"bash_deny":[{"pattern":"word"}]}"#).unwrap();
        let index = of(&policy).unwrap();
        for cut in (0..index.len()).filter(|cut| *cut != 2) {
            assert_eq!(
                candidates(&index[..cut], &shell_line("a word")),
                None,
                "{cut}"
            );
        }
        assert_eq!(
            candidates(&index.replace("Bs", "Xs"), &shell_line("a word")),
            None
        );
    }
}
