//! Reads TOML 1.0 keys and values and notes where each token stands. May not decode numbers or dates, nor know tables:
//! what it leaves unchecked inside a scalar, the strict reader (`strict`) checks.

use super::marks::{Mark, Marks};
use super::value;
use crate::doc::Fault;
use std::borrow::Cow;
use std::ops::Range;

/// Deeper values are refused; `toml_edit` 0.25 stops at the same depth.
const DEPTH: usize = 80;

/// A value as it stands in the text.
#[derive(Debug)]
pub(super) struct Val<'a> {
    /// Its bytes, brackets and quotes included.
    pub span: Range<usize>,
    /// What it is.
    pub form: Form<'a>,
}

/// The kinds of value that matter for locating.
#[derive(Debug)]
pub(super) enum Form<'a> {
    /// A string, number, boolean or date.
    Scalar,
    /// `[…]`.
    Array(Vec<Slot<'a>>),
    /// `{…}`: dotted key paths and their values.
    Table(Vec<(Vec<Cow<'a, str>>, Val<'a>)>),
}

/// An element of a value array.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    /// The element.
    pub val: Val<'a>,
    /// Offset of the comma behind it.
    pub comma: Option<usize>,
}

/// A place in the text, and what was seen on the way there.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Where it stands.
    pub at: usize,
    /// Comments passed, `#` to the end of the line's content.
    pub comments: Vec<Range<usize>>,
    /// Tokens passed.
    pub marks: Marks,
}

impl<'a> Cursor<'a> {
    /// A cursor at an offset.
    pub fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            comments: Vec::new(),
            marks: Marks::default(),
        }
    }

    /// The byte under the cursor.
    pub fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn starts(&self, what: &str) -> bool {
        self.text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Notes a token from `start` to here.
    pub fn mark(&mut self, mark: Mark, start: usize) {
        self.marks.push(mark, start, self.at);
    }

    /// A fault at the cursor.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::at("unparseable", self.at, message)
    }

    /// Passes spaces and tabs.
    pub fn ws(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes one newline, if there is one.
    pub fn newline(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b'\n') => self.at += 1,
            Some(b'\r') if self.byte(self.at + 1) == Some(b'\n') => self.at += 2,
            Some(b'\r') => return Err(self.fault("a carriage return without a line feed")),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Passes one comment, if there is one.
    pub fn comment(&mut self) -> bool {
        if self.peek() != Some(b'#') {
            return false;
        }
        let start = self.at;
        while let Some(b) = self.peek() {
            if b == b'\n' || (b == b'\r' && self.byte(self.at + 1) == Some(b'\n')) {
                break;
            }
            self.at += 1;
        }
        self.comments.push(start..self.at);
        self.mark(Mark::Comment, start);
        true
    }

    /// Passes whitespace, newlines and comments inside an array.
    fn trivia(&mut self) -> Result<(), Fault> {
        loop {
            self.ws();
            if !self.comment() && !self.newline()? {
                return Ok(());
            }
        }
    }

    /// Passes one byte that must stand here.
    pub fn expect(&mut self, byte: u8, mark: Mark) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.fault(format!("expected `{}`", char::from(byte))));
        }
        self.at += 1;
        self.mark(mark, self.at - 1);
        Ok(())
    }

    /// A dotted key, whitespace around its dots included; its parts are put into `path`.
    pub fn key(&mut self, path: &mut Vec<Cow<'a, str>>) -> Result<(), Fault> {
        path.clear();
        loop {
            self.ws();
            path.push(self.simple_key()?);
            if path.len() >= DEPTH {
                return Err(Fault::at(
                    "too-deep",
                    self.at,
                    "a key of more than 80 parts",
                ));
            }
            self.ws();
            if self.peek() != Some(b'.') {
                return Ok(());
            }
            self.at += 1;
            self.mark(Mark::Dot, self.at - 1);
        }
    }

    fn simple_key(&mut self) -> Result<Cow<'a, str>, Fault> {
        let start = self.at;
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            if self.starts("\"\"\"") || self.starts("'''") {
                return Err(self.fault("a multi-line string as a key"));
            }
            self.string()?;
            self.mark(Mark::Key, start);
            return Ok(value::key(self.slice(start..self.at)));
        }
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fault("expected a key"));
        }
        self.mark(Mark::Key, start);
        Ok(Cow::Borrowed(self.slice(start..self.at)))
    }

    /// A value.
    pub fn value(&mut self, depth: usize) -> Result<Val<'a>, Fault> {
        if depth > DEPTH {
            return Err(Fault::at("too-deep", self.at, "nested more than 80 deep"));
        }
        let start = self.at;
        let form = match self.peek() {
            Some(b'[') => self.array(depth)?,
            Some(b'{') => self.table(depth)?,
            Some(b'"' | b'\'') => {
                self.string()?;
                self.mark(Mark::Scalar, start);
                Form::Scalar
            }
            _ => {
                self.bare()?;
                self.mark(Mark::Scalar, start);
                Form::Scalar
            }
        };
        Ok(Val {
            span: start..self.at,
            form,
        })
    }

    fn array(&mut self, depth: usize) -> Result<Form<'a>, Fault> {
        self.expect(b'[', Mark::Open)?;
        let mut slots = Vec::new();
        loop {
            self.trivia()?;
            if self.peek() == Some(b']') {
                break;
            }
            let val = self.value(depth + 1)?;
            self.trivia()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            slots.push(Slot { val, comma });
            if comma.is_none() {
                break;
            }
            self.expect(b',', Mark::Comma)?;
        }
        self.expect(b']', Mark::Close)?;
        Ok(Form::Array(slots))
    }

    fn table(&mut self, depth: usize) -> Result<Form<'a>, Fault> {
        let start = self.at;
        self.expect(b'{', Mark::Open)?;
        let mut entries = Vec::new();
        self.ws();
        while self.peek() != Some(b'}') {
            self.same_line()?;
            let mut key = Vec::with_capacity(1);
            self.key(&mut key)
                .or_else(|fault| self.same_line().and(Err(fault)))?;
            self.same_line()?;
            self.expect(b'=', Mark::Equals)?;
            self.ws();
            self.same_line()?;
            let val = self.value(depth + 1)?;
            entries.push((key, val));
            self.ws();
            self.same_line()?;
            if self.peek() != Some(b',') {
                break;
            }
            self.expect(b',', Mark::Comma)?;
            self.ws();
            if self.peek() == Some(b'}') {
                return Err(self.fault("a trailing comma in an inline table needs TOML 1.1"));
            }
        }
        self.expect(b'}', Mark::Close)?;
        if twice(&entries) {
            return Err(Fault::at(
                "duplicate-key",
                start,
                "an inline table has a key twice",
            ));
        }
        Ok(Form::Table(entries))
    }

    fn same_line(&self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'\n' | b'\r' | b'#') => {
                Err(self.fault("an inline table over several lines needs TOML 1.1"))
            }
            _ => Ok(()),
        }
    }

    /// Passes a string of any of the four kinds.
    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let quote = self.peek().unwrap_or(b'"');
        let long = self.starts("\"\"\"") || self.starts("'''");
        self.at += if long { 3 } else { 1 };
        loop {
            match self.peek() {
                None => return Err(Fault::at("unparseable", start, "a string without an end")),
                Some(b'\n' | b'\r') if !long => {
                    return Err(self.fault("a newline in a single-line string"));
                }
                Some(b'\\') if quote == b'"' => {
                    if matches!(self.byte(self.at + 1), Some(b'e' | b'x')) {
                        return Err(self.fault("the escapes `\\e` and `\\x` need TOML 1.1"));
                    }
                    self.at += 2;
                }
                Some(b) if b == quote && !long => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b) if b == quote && self.thrice(quote) => {
                    self.at += 3;
                    // Up to two more quotes belong to the content: `"""a"""""`.
                    for _ in 0..2 {
                        if self.peek() == Some(quote) {
                            self.at += 1;
                        }
                    }
                    return Ok(());
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn thrice(&self, quote: u8) -> bool {
        self.byte(self.at + 1) == Some(quote) && self.byte(self.at + 2) == Some(quote)
    }

    /// Passes a number, boolean or date.
    fn bare(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let inside =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.' | b':');
        loop {
            while self.peek().is_some_and(inside) {
                self.at += 1;
            }
            // `1979-05-27 07:32:00` is one value.
            let date = self.at - start == 10 && self.byte(start + 4) == Some(b'-');
            if date
                && self.peek() == Some(b' ')
                && self.byte(self.at + 1).is_some_and(|b| b.is_ascii_digit())
            {
                self.at += 1;
                continue;
            }
            break;
        }
        if self.at == start {
            return Err(self.fault("expected a value"));
        }
        Ok(())
    }
}

/// Does one key path of an inline table equal another one or run through it? Sorted, such a pair stands side by side.
fn twice(entries: &[(Vec<Cow<'_, str>>, Val<'_>)]) -> bool {
    let mut paths: Vec<&[Cow<'_, str>]> = entries.iter().map(|(k, _)| k.as_slice()).collect();
    paths.sort_unstable();
    paths
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if b.starts_with(a)))
}
