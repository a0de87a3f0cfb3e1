//! The scanner's words: white space, comments, strings, numbers. It may not know what they mean.

use super::{Scanner, comment_end};
use crate::doc::Fault;

impl Scanner<'_, '_> {
    pub(super) fn trivia(&mut self) -> Result<(), Fault> {
        while let Some(c) = self.b.get(self.at) {
            match c {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' => {
                    let Some(end) = comment_end(self.b, self.at) else {
                        return Err(self.fault("this comment is not closed, or is no comment"));
                    };
                    self.found.extras.comment.get_or_insert(self.at);
                    self.at = end;
                }
                _ => break,
            }
        }
        Ok(())
    }

    pub(super) fn scalar(&mut self) -> Result<(), Fault> {
        match self.b[self.at] {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                let word = ["true", "false", "null"]
                    .iter()
                    .find(|w| self.b[self.at..].starts_with(w.as_bytes()));
                match word {
                    Some(word) if !self.b.get(self.at + word.len()).is_some_and(is_word) => {
                        self.at += word.len();
                        Ok(())
                    }
                    _ => Err(self.fault("expected a value")),
                }
            }
        }
    }

    pub(super) fn number(&mut self) -> Result<(), Fault> {
        if self.b[self.at] == b'-' {
            self.at += 1;
        }
        let whole = self.digits();
        if whole == 0 || (whole > 1 && self.b[self.at - whole] == b'0') {
            return Err(self.fault("a number is not spelt as JSON asks"));
        }
        if self.b.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("a number is not spelt as JSON asks"));
            }
        }
        if matches!(self.b.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.b.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.fault("a number is not spelt as JSON asks"));
            }
        }
        if self.b.get(self.at).is_some_and(is_word) {
            return Err(self.fault("a number is not spelt as JSON asks"));
        }
        Ok(())
    }

    pub(super) fn digits(&mut self) -> usize {
        let start = self.at;
        while self.b.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    pub(super) fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.b.get(self.at) {
                None => return Err(Fault::at("unparseable", start, "this string is not closed")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(c) if *c < 0x20 => {
                    return Err(self.fault("a control character stands unescaped in a string"));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    pub(super) fn escape(&mut self) -> Result<(), Fault> {
        match self.b.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u')
                if self.b.len() >= self.at + 6
                    && self.b[self.at + 2..self.at + 6]
                        .iter()
                        .all(u8::is_ascii_hexdigit) =>
            {
                self.at += 6;
            }
            _ => return Err(self.fault("this escape is not one of JSON's")),
        }
        Ok(())
    }

    pub(super) fn fault(&self, message: &str) -> Fault {
        Fault::at("unparseable", self.at, message)
    }

    pub(super) fn fault_end(&self) -> Fault {
        Fault::at("unparseable", self.b.len(), "the document ends too early")
    }
}

fn is_word(c: &u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'+' | b'-' | b'$')
}

/// The text of a key in quotes; `None` for lone surrogates, which no key of ours has.
pub(in crate::doc::json) fn decode_key(quoted: &str) -> Option<String> {
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    if inner.contains('\\') {
        serde_json::from_str(quoted).ok()
    } else {
        Some(inner.to_owned())
    }
}
