//! Splits a shell line into simple commands, as a POSIX shell would. May not run or expand anything.
//!
//! Commands inside `$(…)`, backquotes and process substitutions become commands of the same list. What
//! can't be read (an open quote, a heredoc without its end) is an error: the caller must not guess.

use super::commands::is_keyword;
use super::heredoc::Heredoc;
use super::vars::{self, Var};
use std::str::Chars;

/// The deepest nesting of substitutions.
const DEPTH: usize = 24;

/// One simple command before any prefix is stepped over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// Its number; a substitution's parent is named by it.
    pub id: usize,
    /// The commands whose words this one's output stands in, and whether as `<(…)`: one, and those that use a
    /// variable which was set to it.
    pub inside: Vec<(usize, bool)>,
    /// Commands of one pipeline share a number.
    pub pipeline: usize,
    /// The words, quotes taken off.
    pub words: Vec<String>,
    /// Files that redirections write.
    pub writes: Vec<String>,
    /// What it reads from heredocs and here-strings.
    pub here: Vec<String>,
}

/// The line can't be tokenised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// The simple commands of a line, in their order (a substitution's come before the command they stand in). `vars` are
/// known already; those that the line sets are added.
pub fn split(text: &str, vars: &mut Vec<Var>) -> Result<Vec<Simple>, Unreadable> {
    let mut lexer = Lexer {
        rest: text.chars(),
        out: Vec::new(),
        ids: 0,
        pipelines: 0,
        heredocs: Vec::new(),
        depth: 0,
        vars: std::mem::take(vars),
        expanded: 0,
    };
    // Numbers of commands mean nothing beyond their own text.
    lexer.vars.iter_mut().for_each(|v| v.owner = 0);
    let done = lexer.list(None).and_then(|()| lexer.bodies());
    *vars = std::mem::take(&mut lexer.vars);
    done?;
    if lexer.expanded > vars::MOST_BYTES {
        return Err(Unreadable);
    }
    let mut out = lexer.out;
    for (id, body) in std::mem::take(&mut lexer.heredocs)
        .into_iter()
        .filter_map(|h| h.body.map(|b| (h.id, b)))
    {
        if let Some(simple) = out.iter_mut().find(|s| s.id == id) {
            simple.here.push(body);
        }
    }
    Ok(out)
}

pub(super) struct Lexer<'a> {
    pub(super) rest: Chars<'a>,
    pub(super) out: Vec<Simple>,
    ids: usize,
    pipelines: usize,
    pub(super) heredocs: Vec<Heredoc>,
    pub(super) depth: usize,
    pub(super) vars: Vec<Var>,
    /// What variables have added so far, in bytes.
    pub(super) expanded: usize,
}

impl Lexer<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest.as_str().starts_with(text)
    }

    pub(super) fn skip(&mut self, n: usize) {
        for _ in 0..n {
            self.rest.next();
        }
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.skip(text.chars().count());
        }
        found
    }

    fn fresh(&mut self, inside: Option<(usize, bool)>, pipeline: Option<usize>) -> Simple {
        self.ids += 1;
        self.pipelines += usize::from(pipeline.is_none());
        Simple {
            id: self.ids,
            inside: inside.into_iter().collect(),
            pipeline: pipeline.unwrap_or(self.pipelines),
            ..Simple::default()
        }
    }

    fn push(&mut self, simple: Simple) {
        if !vars::note(&mut self.vars, &simple.words, simple.id) {
            self.expanded = vars::MOST_BYTES + 1;
        }
        let empty = simple.words.is_empty() && simple.writes.is_empty() && simple.here.is_empty();
        if !empty || self.heredocs.iter().any(|h| h.id == simple.id) {
            self.out.push(simple);
        }
    }

    /// Reads commands to the end of the text, or, inside a substitution, to its closing parenthesis.
    pub(super) fn list(&mut self, inside: Option<(usize, bool)>) -> Result<(), Unreadable> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Unreadable);
        }
        let (mut open, mut cases) = (0usize, 0usize);
        let mut now = self.fresh(inside, None);
        loop {
            let Some(c) = self.peek() else {
                self.push(now);
                self.depth -= 1;
                return if inside.is_some() || open > 0 {
                    Err(Unreadable)
                } else {
                    Ok(())
                };
            };
            let mut end = None;
            match c {
                ' ' | '\t' | '\r' => self.skip(1),
                '\\' if self.eat("\\\r\n") || self.eat("\\\n") => {}
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.skip(1);
                    }
                }
                '\n' => {
                    self.skip(1);
                    self.bodies()?;
                    end = Some(false);
                }
                ';' => {
                    self.skip(1);
                    end = Some(false);
                }
                '&' if self.eat("&>>") || self.eat("&>") => self.target(&mut now, true)?,
                '&' => {
                    self.skip(if self.starts("&&") { 2 } else { 1 });
                    end = Some(false);
                }
                '|' => {
                    let piped = !self.starts("||");
                    self.skip(if self.starts("||") || self.starts("|&") {
                        2
                    } else {
                        1
                    });
                    end = Some(piped);
                }
                '(' if now.words.is_empty() && self.arithmetic("((") => {}
                '(' => {
                    self.skip(1);
                    open += 1;
                    end = Some(true);
                }
                ')' => {
                    self.skip(1);
                    if open > 0 {
                        open -= 1;
                    } else if inside.is_some() && cases == 0 {
                        self.push(now);
                        self.depth -= 1;
                        return Ok(());
                    }
                    // A group is a member of the pipeline it stands in: `(curl x) | sh`.
                    end = Some(true);
                }
                '<' | '>' => self.redirect(&mut now)?,
                _ => {
                    if let Some(word) = self.word(now.id)? {
                        if now.words.len() < 16 && now.words.iter().all(|w| is_keyword(w)) {
                            match word.as_str() {
                                "case" => cases += 1,
                                "esac" => cases = cases.saturating_sub(1),
                                "}" | "done" | "fi" => {
                                    // `{ curl x; } | sh`: what was inside feeds what comes behind.
                                    let last = self.out.last().map(|s| s.pipeline);
                                    now.pipeline = last.unwrap_or(now.pipeline);
                                }
                                _ => {}
                            }
                        }
                        // `2>x`, `{fd}>x`.
                        let bare = word.trim_start_matches('{').trim_end_matches('}');
                        let fd = (word.chars().all(|c| c.is_ascii_digit())
                            || (bare.len() + 2 == word.len() && !bare.contains(['{', ','])))
                            && matches!(self.peek(), Some('<' | '>'));
                        if word.ends_with('=')
                            && vars::assignment(&word).is_some()
                            && self.starts("(")
                        {
                            now.words.push(self.array(word, now.id)?);
                        } else if !fd {
                            let words = braces(word).into_iter();
                            now.words
                                .extend(words.flat_map(|w| vars::fields(&vars::restored(w))));
                        }
                    }
                }
            }
            if let Some(piped) = end {
                let next = self.fresh(inside, piped.then_some(now.pipeline));
                self.push(std::mem::replace(&mut now, next));
            }
        }
    }

    /// The values of `name=(…)`, from the parenthesis on; the whole as one assignment.
    fn array(&mut self, mut word: String, id: usize) -> Result<String, Unreadable> {
        self.skip(1);
        loop {
            match self.peek().ok_or(Unreadable)? {
                ')' => {
                    self.skip(1);
                    return Ok(word);
                }
                ' ' | '\t' | '\r' | '\n' => self.skip(1),
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.skip(1);
                    }
                }
                ';' | '&' | '|' | '(' | '<' | '>' => return Err(Unreadable),
                _ => {
                    if let Some(value) = self.word(id)? {
                        if !word.ends_with('=') {
                            word.push_str(vars::BETWEEN);
                        }
                        word.push_str(&vars::restored(value));
                    }
                }
            }
        }
    }

    fn redirect(&mut self, now: &mut Simple) -> Result<(), Unreadable> {
        if self.starts("<(") || self.starts(">(") {
            self.skip(2);
            self.list(Some((now.id, true)))?;
            now.words.push("/dev/fd/63".to_owned());
        } else if self.eat("<<<") {
            let text = self.operand(now.id)?;
            now.here.push(text);
        } else if self.starts("<<") {
            let strip = self.eat("<<-");
            if !strip {
                self.skip(2);
            }
            self.blanks();
            let before = self.rest.as_str();
            let end = self.operand(now.id)?;
            let taken = before.len() - self.rest.as_str().len();
            let raw = before.get(..taken).unwrap_or_default();
            self.heredocs.push(Heredoc {
                id: now.id,
                end,
                strip,
                quoted: raw.contains(['\'', '"', '\\']),
                body: None,
            });
        } else if ["<>", ">>", ">|", ">&", ">"].iter().any(|op| self.eat(op)) {
            self.target(now, true)?;
        } else {
            self.skip(if self.starts("<&") { 2 } else { 1 });
            self.target(now, false)?;
        }
        Ok(())
    }

    /// The operand of a redirection; descriptors (`2>&1`, `>&-`) are no files.
    fn target(&mut self, now: &mut Simple, writes: bool) -> Result<(), Unreadable> {
        self.blanks();
        if self.starts("<(") || self.starts(">(") {
            return self.redirect(now);
        }
        let word = self.operand(now.id)?;
        let descriptor = word
            .trim_end_matches('-')
            .chars()
            .all(|c| c.is_ascii_digit());
        if writes && !descriptor {
            now.writes.push(word);
        }
        Ok(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) || self.starts("\\\n") {
            let two = self.starts("\\\n");
            self.skip(if two { 2 } else { 1 });
        }
    }

    fn operand(&mut self, id: usize) -> Result<String, Unreadable> {
        self.blanks();
        let word = self.word(id)?.ok_or(Unreadable)?;
        Ok(vars::restored(word.replace(vars::BETWEEN, " ")))
    }

    /// Reads the substitutions of a text that is otherwise data; what can't be read there runs nothing.
    pub(super) fn within_text(&mut self, text: &str, id: usize) {
        let mut inner = Lexer {
            rest: text.chars(),
            out: Vec::new(),
            ids: self.ids,
            pipelines: self.pipelines,
            heredocs: Vec::new(),
            depth: self.depth,
            vars: self.vars.clone(),
            expanded: self.expanded,
        };
        let mut sink = String::new();
        while let Some(c) = inner.peek() {
            if c == '\\' {
                inner.skip(2);
            } else if !matches!(inner.dollar_or_backquote(&mut sink, id, true), Ok(true)) {
                inner.skip(1);
            }
        }
        (self.ids, self.pipelines, self.expanded) = (inner.ids, inner.pipelines, inner.expanded);
        self.out.append(&mut inner.out);
        self.heredocs.append(&mut inner.heredocs);
    }

    /// The commands between backquotes, their escapes taken off.
    pub(super) fn backquoted(&mut self, text: &str, id: usize) -> Result<(), Unreadable> {
        let closed = format!("{text}\n)");
        let mut inner = Lexer {
            rest: closed.chars(),
            out: Vec::new(),
            ids: self.ids,
            pipelines: self.pipelines,
            heredocs: Vec::new(),
            depth: self.depth,
            vars: self.vars.clone(),
            expanded: self.expanded,
        };
        inner.list(Some((id, false)))?;
        (self.ids, self.pipelines, self.expanded) = (inner.ids, inner.pipelines, inner.expanded);
        self.out.append(&mut inner.out);
        self.heredocs.append(&mut inner.heredocs);
        Ok(())
    }
}

/// `a{b,c}d` as the shell expands it, one level; anything else stays one word.
fn braces(word: String) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(before, rest)| {
        let (inner, after) = rest.split_once('}')?;
        (inner.contains(',') && !before.ends_with('$') && !inner.contains(['{', ' ', '\n']))
            .then_some((before, inner, after))
    });
    match parts {
        Some((before, inner, after)) => inner
            .split(',')
            .map(|part| format!("{before}{part}{after}"))
            .filter(|w| !w.is_empty())
            .collect(),
        None => vec![word],
    }
}
