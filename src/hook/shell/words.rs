//! The words of a shell line: quotes, escapes and substitutions. May not run or expand anything.

use super::lex::{Lexer, Unreadable};
use super::vars;

impl Lexer<'_> {
    /// One word; `None` when there is none (an unquoted `$IFS` only).
    pub(super) fn word(&mut self, id: usize) -> Result<Option<String>, Unreadable> {
        let (mut word, mut there) = (String::new(), false);
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    if self.eat("\\\r\n") || self.eat("\\\n") {
                        continue;
                    }
                    self.skip(1);
                    word.push(vars::kept(self.rest.next().unwrap_or('\\')));
                }
                '\'' => {
                    self.skip(1);
                    self.single(&mut word)?;
                }
                '"' => {
                    self.skip(1);
                    self.double(&mut word, id)?;
                }
                '$' if self.eat("$'") => self.ansi(&mut word)?,
                '$' if self.starts("$\"") => {
                    self.skip(2);
                    self.double(&mut word, id)?;
                }
                '$' if self.eat("${IFS}") || self.field_separator() => {
                    if there {
                        break;
                    }
                    return Ok(None);
                }
                '$' | '`' => {
                    if !self.dollar_or_backquote(&mut word, id, false)? {
                        self.skip(1);
                        word.push(c);
                    }
                }
                _ => {
                    self.skip(1);
                    word.push(c);
                }
            }
            there = true;
        }
        Ok(there.then_some(word))
    }

    fn field_separator(&mut self) -> bool {
        let name = self.starts("$IFS")
            && !self
                .rest
                .as_str()
                .chars()
                .nth(4)
                .is_some_and(|c| c.is_alphanumeric() || c == '_');
        if name {
            self.skip(4);
            // `$IFS$9`: an empty parameter that only ends the name.
            if self.starts("$9") {
                self.skip(2);
            }
        }
        name
    }

    fn single(&mut self, word: &mut String) -> Result<(), Unreadable> {
        loop {
            match self.rest.next().ok_or(Unreadable)? {
                '\'' => return Ok(()),
                c => word.push(vars::kept(c)),
            }
        }
    }

    fn double(&mut self, word: &mut String, id: usize) -> Result<(), Unreadable> {
        loop {
            match self.peek().ok_or(Unreadable)? {
                '"' => {
                    self.skip(1);
                    return Ok(());
                }
                '\\' => {
                    self.skip(1);
                    match self.rest.next().ok_or(Unreadable)? {
                        '\n' => {}
                        c @ ('$' | '`' | '"' | '\\') => word.push(c),
                        c => word.extend(['\\', c]),
                    }
                }
                '$' | '`' if self.dollar_or_backquote(word, id, true)? => {}
                c => {
                    self.skip(1);
                    word.push(vars::kept(c));
                }
            }
        }
    }

    /// `$'…'`, with the escapes that can spell a word.
    fn ansi(&mut self, word: &mut String) -> Result<(), Unreadable> {
        loop {
            match self.rest.next().ok_or(Unreadable)? {
                '\'' => return Ok(()),
                '\\' => match self.rest.next().ok_or(Unreadable)? {
                    'n' => word.push('\n'),
                    't' => word.push('\t'),
                    'r' => word.push('\r'),
                    'x' => self.code(word, 16, 2),
                    'u' => self.code(word, 16, 4),
                    'U' => self.code(word, 16, 8),
                    c @ '0'..='7' => {
                        let mut value = c.to_digit(8).unwrap_or(0);
                        for _ in 0..2 {
                            let Some(d) = self.peek().and_then(|c| c.to_digit(8)) else {
                                break;
                            };
                            self.skip(1);
                            value = value * 8 + d;
                        }
                        word.extend(char::from_u32(value));
                    }
                    c => word.push(c),
                },
                c => word.push(vars::kept(c)),
            }
        }
    }

    fn code(&mut self, word: &mut String, radix: u32, most: usize) {
        let mut value = 0u32;
        for _ in 0..most {
            let Some(d) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.skip(1);
            value = value.wrapping_mul(radix).wrapping_add(d);
        }
        word.extend(char::from_u32(value));
    }

    /// A substitution or a variable at the current place. False when it's neither.
    pub(super) fn dollar_or_backquote(
        &mut self,
        word: &mut String,
        id: usize,
        quoted: bool,
    ) -> Result<bool, Unreadable> {
        if self.arithmetic("$((") {
            word.push('0');
        } else if self.eat("$(") {
            self.list(Some((id, false)))?;
            word.push_str("$()");
        } else if self.eat("${") {
            self.parameter(word, id, quoted)?;
        } else if let Some(name) =
            vars::name(self.rest.as_str().strip_prefix('$').unwrap_or_default())
            && let Some(value) = self.value(name, id, quoted)
        {
            self.skip(1 + name.len());
            word.push_str(&value);
        } else if self.eat("`") {
            let mut inner = String::new();
            loop {
                match self.rest.next().ok_or(Unreadable)? {
                    '`' => break,
                    '\\' => match self.rest.next().ok_or(Unreadable)? {
                        c @ ('`' | '\\' | '$') => inner.push(c),
                        c => inner.extend(['\\', c]),
                    },
                    c => inner.push(c),
                }
            }
            self.backquoted(&inner, id)?;
            word.push_str("$()");
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `${name}` and `${name:-word}`, from behind the brace on.
    fn parameter(&mut self, word: &mut String, id: usize, quoted: bool) -> Result<(), Unreadable> {
        let name = vars::name(self.rest.as_str())
            .unwrap_or_default()
            .to_owned();
        self.skip(name.len());
        let mut behind = String::new();
        loop {
            match self.peek().ok_or(Unreadable)? {
                '}' => {
                    self.skip(1);
                    break;
                }
                '\\' => self.skip(2),
                '\'' | '"' => self.skip(1),
                '$' | '`' if self.dollar_or_backquote(&mut behind, id, quoted)? => {}
                c => {
                    self.skip(1);
                    behind.push(c);
                }
            }
        }
        let known = self.value(&name, id, quoted);
        match vars::expanded(&name, &behind, known) {
            Some(value) if quoted => word.push_str(&value),
            Some(value) => word.push_str(&vars::split(&value)),
            None => word.extend(["${", &name, &behind, "}"]),
        }
        Ok(())
    }

    /// What a variable was set to on this line. What its value was made of is used here now.
    fn value(&mut self, name: &str, id: usize, quoted: bool) -> Option<String> {
        let var = self.vars.iter().rev().find(|v| v.name == name)?;
        let (owner, value) = (var.owner, var.value.clone());
        // Values of values grow without end.
        self.expanded += value.len();
        if self.expanded > vars::MOST_BYTES {
            return None;
        }
        if owner != 0 {
            for simple in &mut self.out {
                if simple.inside.iter().any(|(parent, _)| *parent == owner) {
                    simple.inside.push((id, false));
                }
            }
        }
        Some(match quoted {
            true => value.chars().map(vars::kept).collect(),
            false => vars::split(&value),
        })
    }

    /// Steps over `$((…))` or `((…))` when it can only be arithmetic.
    pub(super) fn arithmetic(&mut self, opening: &str) -> bool {
        if !self.starts(opening) {
            return false;
        }
        let mut ahead = self.rest.clone();
        for _ in 0..opening.len() {
            ahead.next();
        }
        let mut open = 2;
        while let Some(c) = ahead.next() {
            match c {
                '(' => open += 1,
                ')' if open == 2 => {
                    if ahead.next() != Some(')') {
                        return false;
                    }
                    self.rest = ahead;
                    return true;
                }
                ')' => open -= 1,
                '`' | '\'' | '"' | ';' | '\n' | '\\' => return false,
                '$' if ahead.as_str().starts_with('(') => return false,
                _ => {}
            }
        }
        false
    }
}
