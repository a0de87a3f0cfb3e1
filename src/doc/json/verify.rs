//! The second reader. It shares no code with the scanner, so that a fault of one can't hide in the other.
//!
//! It streams: the tokens of the longer text, less those inside the changed ranges, must be the tokens of
//! the shorter one, comments included, and both texts must be grammatical. That is stronger than comparing
//! trees (spelling of numbers and strings, order and duplicates count) and needs none.

use crate::doc::{Fault, text::bom_len};
use std::ops::Range;

/// A token or comment; white space is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Open(u8),
    Close(u8),
    Colon,
    Comma,
    String,
    /// A number or one of the three words.
    Word,
    Comment {
        line: bool,
    },
    Wrong,
}

/// Tokens with their bytes.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: bom_len(text),
        }
    }

    fn end_of_string(&self) -> Option<usize> {
        let mut i = self.at + 1;
        loop {
            match self.bytes.get(i)? {
                b'"' => return Some(i + 1),
                0x00..=0x1f => return None,
                b'\\' => {
                    let n = match self.bytes.get(i + 1)? {
                        b'u' => {
                            let hex = self.bytes.get(i + 2..i + 6)?;
                            hex.iter().all(u8::is_ascii_hexdigit).then_some(6)?
                        }
                        c => b"\"\\/bfnrt".contains(c).then_some(2)?,
                    };
                    i += n;
                }
                _ => i += 1,
            }
        }
    }

    fn end_of_word(&self) -> usize {
        let stop = |c: &u8| b" \t\r\n,:[]{}\"/".contains(c);
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(stop).unwrap_or(rest.len())
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        let start = self.at;
        let c = *self.bytes.get(start)?;
        let (token, end) = match c {
            b'{' | b'[' => (Token::Open(c), start + 1),
            b'}' | b']' => (Token::Close(c), start + 1),
            b':' => (Token::Colon, start + 1),
            b',' => (Token::Comma, start + 1),
            b'"' => match self.end_of_string() {
                Some(end) => (Token::String, end),
                None => (Token::Wrong, self.bytes.len()),
            },
            b'/' => match self.bytes.get(start + 1) {
                Some(b'/') => {
                    let rest = &self.bytes[start..];
                    let len = rest.iter().position(|c| *c == b'\n' || *c == b'\r');
                    (
                        Token::Comment { line: true },
                        start + len.unwrap_or(rest.len()),
                    )
                }
                Some(b'*') => {
                    let mut i = start + 2;
                    loop {
                        match self.bytes.get(i) {
                            None => break (Token::Wrong, self.bytes.len()),
                            Some(b'*') if self.bytes.get(i + 1) == Some(&b'/') => {
                                break (Token::Comment { line: false }, i + 2);
                            }
                            Some(_) => i += 1,
                        }
                    }
                }
                _ => (Token::Wrong, self.bytes.len()),
            },
            _ => {
                let end = self.end_of_word();
                let good = end > start && good_word(&self.bytes[start..end]);
                (
                    if good { Token::Word } else { Token::Wrong },
                    end.max(start + 1),
                )
            }
        };
        self.at = end;
        Some((token, start..end))
    }
}

/// A number as RFC 8259 spells it, or `true`, `false`, `null`.
fn good_word(word: &[u8]) -> bool {
    if matches!(word, b"true" | b"false" | b"null") {
        return true;
    }
    let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    let mut rest = word.strip_prefix(b"-").unwrap_or(word);
    let n = digits(rest);
    if n == 0 || (n > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[n..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', e @ ..] => e,
            e => e,
        };
        let n = digits(exponent);
        return n > 0 && n == exponent.len();
    }
    rest.is_empty()
}

/// The grammar as a pushdown machine over tokens.
#[derive(Default)]
struct Grammar {
    open: Vec<u8>,
    state: State,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum State {
    #[default]
    Start,
    /// After `{` or a comma in an object.
    KeyOrEnd,
    Colon,
    Value,
    /// After `[` or a comma in an array.
    ValueOrEnd,
    AfterValue,
    Done,
}

impl Grammar {
    fn feed(&mut self, token: Token) -> bool {
        use State::{AfterValue, Colon, Done, KeyOrEnd, Start, Value, ValueOrEnd};
        self.state = match (self.state, token) {
            (_, Token::Comment { .. }) => self.state,
            (Start | Value | ValueOrEnd, Token::Open(c)) => {
                self.open.push(c);
                if c == b'{' { KeyOrEnd } else { ValueOrEnd }
            }
            (Start | Value | ValueOrEnd, Token::String | Token::Word) => self.after(),
            (KeyOrEnd, Token::String) => Colon,
            (Colon, Token::Colon) => Value,
            (AfterValue, Token::Comma) => match self.open.last() {
                Some(b'{') => KeyOrEnd,
                _ => ValueOrEnd,
            },
            (KeyOrEnd | ValueOrEnd | AfterValue, Token::Close(c)) => {
                let fits = match self.open.pop() {
                    Some(b'{') => c == b'}' && self.state != ValueOrEnd,
                    Some(b'[') => c == b']' && self.state != KeyOrEnd,
                    _ => false,
                };
                if !fits {
                    return false;
                }
                self.after()
            }
            (Done, _) => return false,
            _ => return false,
        };
        true
    }

    fn after(&self) -> State {
        if self.open.is_empty() {
            State::Done
        } else {
            State::AfterValue
        }
    }

    /// Complete, or a text without any value.
    fn finished(&self) -> bool {
        matches!(self.state, State::Done | State::Start)
    }
}

/// Proves that `long`, less what stands in `ranges`, says what `short` says, and that both are grammatical.
/// With `only_within` a comment may stand in a range only where it is inside one of those (nobody's comment is
/// cut but with the element it stands in).
pub(super) fn prove(
    long: &str,
    ranges: &[Range<usize>],
    short: &str,
    only_within: Option<&[Range<usize>]>,
) -> Result<(), Fault> {
    let unproven =
        |what: &str| Fault::whole("unproven", format!("the result can't be proven: {what}"));
    let (mut grammar_long, mut grammar_short) = (Grammar::default(), Grammar::default());
    let mut short_tokens = Tokens::new(short);
    let mut next = 0;
    for (token, span) in Tokens::new(long) {
        if !grammar_long.feed(token) {
            return Err(unproven("the text with our entries isn't grammatical"));
        }
        while ranges.get(next).is_some_and(|r| r.end <= span.start) {
            next += 1;
        }
        if let Some(range) = ranges.get(next)
            && range.start < span.end
        {
            if range.start > span.start || range.end < span.end {
                return Err(unproven("a change would split a token"));
            }
            if matches!(token, Token::Comment { .. })
                && let Some(allowed) = only_within
                && !allowed
                    .iter()
                    .any(|r| r.start <= span.start && span.end <= r.end)
            {
                return Err(unproven("a comment would be lost"));
            }
            continue;
        }
        match short_tokens.next() {
            Some((t, s)) if t == token && short.as_bytes()[s.clone()] == long.as_bytes()[span] => {
                if !grammar_short.feed(t) {
                    return Err(unproven("the text without our entries isn't grammatical"));
                }
            }
            _ => return Err(unproven("something that isn't ours would change")),
        }
    }
    if short_tokens.next().is_some() || !grammar_long.finished() || !grammar_short.finished() {
        return Err(unproven("a part would be missing"));
    }
    Ok(())
}

/// Does the piece between two neighbours stay sound when `cuts` are taken out of it? It may hold only comments
/// and commas: between two neighbours exactly one comma, before the first none, behind the last one only if
/// `trailing` allows it; every comment stays, and a line comment must not swallow what follows.
pub(super) fn gap_is_sound(before: &str, after: &str, has_prev: bool, has_next: bool) -> bool {
    let comments = |text: &str| {
        Tokens::new(text)
            .filter(|(t, _)| matches!(t, Token::Comment { .. }))
            .map(|(_, s)| text[s].to_owned())
            .collect::<Vec<_>>()
    };
    let mut commas = 0;
    for (token, span) in Tokens::new(after) {
        match token {
            Token::Comma => commas += 1,
            Token::Comment { line } if !(line && span.end == after.len()) => {}
            _ => return false,
        }
    }
    let trailing_before = Tokens::new(before)
        .filter(|(t, _)| *t == Token::Comma)
        .count()
        > usize::from(has_prev);
    let commas_fit = match (has_prev, has_next) {
        (true, true) => commas == 1,
        (true, false) => commas == 0 || (commas == 1 && trailing_before),
        (false, _) => commas == 0,
    };
    commas_fit && comments(before) == comments(after)
}
