//! Patterns, compiled only when they can match. May not read anything.
//!
//! Most rules carry a literal word. A pattern whose word doesn't stand in the text can't match, so it
//! isn't compiled: 2,000 rules cost a search each and not a compilation each (spec 4.6).

use regex_lite::Regex;
use std::borrow::Cow;

/// Does the pattern match somewhere in the text? `insensitive` can't be asked for from outside: `(?i)` in the pattern does it.
/// An error is the sentence that names the pattern.
pub fn search(pattern: &str, text: &str) -> Result<bool, String> {
    if !may_match(pattern, text) {
        return Ok(false);
    }
    Ok(compile(pattern)?.is_match(text))
}

/// Does the pattern match the whole text?
pub fn full(pattern: &str, text: &str) -> Result<bool, String> {
    if !may_match(pattern, text) {
        return Ok(false);
    }
    let whole = format!(r"\A(?:{pattern})\z");
    match compile(&whole) {
        Ok(regex) => Ok(regex.is_match(text)),
        Err(_) => Err(bad(pattern, "it can't be anchored")),
    }
}

/// Does one of the patterns match at the start of the text, up to a word boundary? (`verbs` of a rule.)
pub fn verb(pattern: &str, text: &str) -> Result<bool, String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if pattern.chars().all(|c| word(c) || matches!(c, '-' | ' ')) {
        return Ok(text.strip_prefix(pattern).is_some_and(|rest| {
            !(rest.starts_with(word) && pattern.ends_with(word)) || rest.is_empty()
        }));
    }
    if !may_match(pattern, text) {
        return Ok(false);
    }
    let anchored = format!(r"\A(?:{pattern})(?:\b|\z)");
    match compile(&anchored) {
        Ok(regex) => Ok(regex.is_match(text)),
        Err(_) => Err(bad(pattern, "it can't be anchored")),
    }
}

/// Compiles a pattern; the error quotes it.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    if let Some(why) = differs(pattern) {
        return Err(bad(pattern, why));
    }
    Regex::new(&translated(pattern)).map_err(|e| bad(pattern, &e.to_string()))
}

/// Would it silently mean less than in Python? Letters beyond ASCII have no case and no word here.
fn differs(pattern: &str) -> Option<&'static str> {
    if pattern.is_ascii() {
        return None;
    }
    let mut flags = pattern.split("(?").skip(1);
    let insensitive = flags.any(|f| {
        let set = f
            .split([':', ')', '-', '<', 'P'])
            .next()
            .unwrap_or_default();
        set.contains('i')
    });
    let (mut word, mut escaped) = (false, false);
    for c in pattern.chars() {
        word |= escaped && matches!(c, 'b' | 'B');
        escaped = c == '\\' && !escaped;
    }
    (insensitive || word).then_some("`(?i)` and `\\b` know ASCII letters only, and it holds others")
}

fn bad(pattern: &str, why: &str) -> String {
    format!("the pattern `{pattern}` can't be used: {why}")
}

/// Python's `\Z` (policy files of the Python gitvow) is `\z` here; all else is the same or an error.
fn translated(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(r"\Z") {
        return Cow::Borrowed(pattern);
    }
    let (mut out, mut escaped) = (String::with_capacity(pattern.len()), false);
    for c in pattern.chars() {
        out.push(if escaped && c == 'Z' { 'z' } else { c });
        escaped = c == '\\' && !escaped;
    }
    Cow::Owned(out)
}

fn may_match(pattern: &str, text: &str) -> bool {
    literal(pattern).is_none_or(|l| text.contains(&l))
}

/// A text that every match of the pattern contains. `None` when none is sure.
pub fn literal(pattern: &str) -> Option<String> {
    let bytes = pattern.as_bytes();
    let (mut best, mut run) = (String::new(), String::new());
    let mut at = 0;
    let close = |run: &mut String, best: &mut String| {
        if run.len() > best.len() {
            std::mem::swap(run, best);
        }
        run.clear();
    };
    while let Some(c) = pattern.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        match c {
            '|' => return None,
            '(' | '[' => {
                close(&mut run, &mut best);
                at = match c {
                    '(' => group_end(bytes, at - 1)?,
                    _ => class_end(bytes, at - 1)?,
                };
            }
            '?' | '*' | '{' => {
                // What stands before may be absent.
                run.pop();
                close(&mut run, &mut best);
                if c == '{' {
                    at += bytes.get(at..)?.iter().position(|b| *b == b'}')? + 1;
                }
            }
            // `b+*`, `b+??`: what is repeated may be absent after all.
            '+' => {
                if matches!(bytes.get(at), Some(b'?' | b'*' | b'+' | b'{')) {
                    run.pop();
                }
                close(&mut run, &mut best);
            }
            '\\' => match pattern.get(at..)?.chars().next()? {
                // The edges of a word, and no brackets.
                '<' | '>' => {
                    close(&mut run, &mut best);
                    at += 1;
                }
                punctuation if punctuation.is_ascii_punctuation() => {
                    run.push(punctuation);
                    at += 1;
                }
                // `\x41`, `\p{…}`: what follows is no plain text.
                'x' | 'u' | 'U' | 'p' | 'P' => return None,
                class => {
                    close(&mut run, &mut best);
                    at += class.len_utf8();
                }
            },
            '.' | '^' | '$' | ')' => close(&mut run, &mut best),
            plain => run.push(plain),
        }
    }
    close(&mut run, &mut best);
    (!best.is_empty()).then_some(best)
}

/// Behind a group; `None` for one that never closes or that sets flags, itself or within: `(?i)` makes letters match
/// others, and in a comment under `(?x)` parentheses are none.
fn group_end(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0);
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            b'[' => at = class_end(bytes, at)? - 1,
            b'(' => {
                if bytes.get(at + 1) == Some(&b'?')
                    && !matches!(bytes.get(at + 2), Some(b':' | b'P' | b'<'))
                {
                    return None;
                }
                depth += 1;
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn class_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    if bytes.get(at) == Some(&b'^') {
        at += 1;
    }
    // A `]` that comes first is a member.
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            // `[[:alpha:]]`: nothing sure is said about nested classes.
            b'[' => return None,
            b']' => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_taken_only_where_every_match_has_it() {
        for (pattern, expected) in [
            (r"git\s+push", Some("push")),
            (r"\bmkfs", Some("mkfs")),
            ("a|b", None),
            ("(?i)drop", None),
            ("(a|b)shared", Some("shared")),
            ("colou?r", Some("colo")),
            ("ab*cd{2}e", Some("a")),
            ("[abc]xyz", Some("xyz")),
            ("[]a]xy", Some("xy")),
            (r"\x41bc", None),
            ("é?x", Some("x")),
            ("", None),
            (r"\.env$", Some(".env")),
            (r"a\{bcd", Some("a{bcd")),
            (r"\(\)\s*\{x", Some("()")),
            (r"\<rm\>", Some("rm")),
            ("ab+*c", Some("a")),
            ("ab+c", Some("ab")),
            ("(?:(?ix) a # )\n b)cd", None),
        ] {
            assert_eq!(literal(pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn searching_is_as_with_the_compiled_pattern() {
        let texts = [
            "git push --force",
            "GIT PUSH",
            "rm -rf /",
            "colr colour",
            "x",
            "",
            "axyz",
            "cd abcddde",
        ];
        for pattern in [
            r"git\s+push",
            "(?i)git",
            "a|b",
            "colou?r",
            "ab*cd{2}e",
            "[abc]xyz",
            "^$",
            r"r(?:m|x)\s",
            "é?x",
        ] {
            let regex = Regex::new(pattern).unwrap();
            for text in texts {
                assert_eq!(
                    search(pattern, text).unwrap(),
                    regex.is_match(text),
                    "{pattern} {text}"
                );
            }
        }
    }

    /// Rules that never fired, found 2026-11-30: `\<rm\>` was looked for with its brackets, `b+*` needed a `b`.
    #[test]
    fn no_pattern_is_kept_from_a_text_that_it_matches() {
        const PARTS: [&str; 40] = [
            "a",
            "b",
            "ab",
            "c",
            "é",
            " ",
            "#",
            "\n",
            r"\<",
            r"\>",
            r"\b",
            r"\b{start}",
            r"\B",
            ".",
            "^",
            "$",
            "+",
            "*",
            "?",
            "+?",
            "+*",
            "{0}",
            "{0,1}",
            "{2}",
            "|",
            "(",
            "(?:",
            "(?P<n>",
            "(?i)",
            "(?x)",
            "(?ix:",
            ")",
            "[ab]",
            "[^a]",
            "[]a]",
            r"\x61",
            r"\.",
            r"\(",
            r"\w",
            r"\Z",
        ];
        const TEXTS: [&str; 6] = ["a", "b", "c", "é", " ", "."];
        let mut state = 1_u64;
        let mut below = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % n
        };
        let (mut compiled, mut matched) = (0, 0);
        for _ in 0..40_000 {
            let parts = 1 + below(8);
            let mut pattern: String = (0..parts).map(|_| PARTS[below(PARTS.len())]).collect();
            let open = pattern.matches('(').count() - pattern.matches(r"\(").count();
            let close = pattern.matches(')').count();
            pattern.push_str(&")".repeat(open.saturating_sub(close)));
            let Ok(regex) = compile(&pattern) else {
                continue;
            };
            compiled += 1;
            for _ in 0..8 {
                let text: String = (0..below(5)).map(|_| TEXTS[below(TEXTS.len())]).collect();
                matched += usize::from(regex.is_match(&text));
                let said = search(&pattern, &text).unwrap();
                assert_eq!(said, regex.is_match(&text), "{pattern:?} {text:?}");
            }
        }
        assert!(compiled > 9_000 && matched > 9_000, "{compiled} {matched}");
    }

    #[test]
    fn an_unusable_pattern_is_quoted() {
        let e = compile("(?=x)y").unwrap_err();
        assert!(e.contains("`(?=x)y`"), "{e}");
        assert!(compile(r"end\Z").unwrap().is_match("the end"));
    }

    #[test]
    fn verbs_end_at_a_word_boundary() {
        assert!(verb("push", "push -f").unwrap());
        assert!(verb("push", "push").unwrap());
        assert!(!verb("push", "pushed").unwrap());
        assert!(verb(r"reset\s+--hard", "reset --hard HEAD").unwrap());
        assert!(!verb("delete", "get delete").unwrap());
    }
}
