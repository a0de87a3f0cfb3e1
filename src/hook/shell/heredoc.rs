//! Bodies of heredocs. May not run or expand anything.

use super::lex::{Lexer, Unreadable};

/// One that was announced.
pub(super) struct Heredoc {
    pub(super) id: usize,
    pub(super) end: String,
    pub(super) strip: bool,
    pub(super) quoted: bool,
    pub(super) body: Option<String>,
}

impl Lexer<'_> {
    /// The bodies of the heredocs announced so far. `$(…)` in an unquoted one runs, so it is read.
    pub(super) fn bodies(&mut self) -> Result<(), Unreadable> {
        for at in 0..self.heredocs.len() {
            let Some(doc) = self.heredocs.get(at).filter(|h| h.body.is_none()) else {
                continue;
            };
            let (id, end, strip, quoted) = (doc.id, doc.end.clone(), doc.strip, doc.quoted);
            let mut body = String::new();
            loop {
                let rest = self.rest.as_str();
                if rest.is_empty() {
                    return Err(Unreadable);
                }
                let (raw, tail) = rest.split_once('\n').unwrap_or((rest, ""));
                let line = raw.strip_suffix('\r').unwrap_or(raw);
                let text = if strip {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                // Inside a substitution the end may carry its closing parenthesis: `EOF)`.
                let behind = text.strip_prefix(end.as_str());
                let closes =
                    behind.is_some_and(|b| self.depth > 1 && b.trim_start().starts_with(')'));
                if closes {
                    let at = line.len() - behind.map_or(0, str::len);
                    self.rest = rest.get(at..).unwrap_or_default().chars();
                    break;
                }
                self.rest = tail.chars();
                if behind == Some("") {
                    break;
                }
                let line = text;
                body.push_str(line);
                body.push('\n');
            }
            if !quoted {
                self.within_text(&body, id);
                body = unescaped(&body);
            }
            if let Some(doc) = self.heredocs.get_mut(at) {
                doc.body = Some(body);
            }
        }
        Ok(())
    }
}

/// The body of an unquoted heredoc as another program reads it: escapes are gone, and `$IFS` stands there expanded.
fn unescaped(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find(['\\', '$']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let separator = ["${IFS}", "$IFS"]
            .iter()
            .find_map(|s| found.strip_prefix(s));
        let mut behind = found.chars();
        rest = match (behind.next(), behind.next()) {
            (Some('\\'), Some('\n')) => behind.as_str(),
            (Some('\\'), Some(c @ ('\\' | '$' | '`'))) => {
                out.push(c);
                behind.as_str()
            }
            _ if separator.is_some() => {
                out.push_str(" \t\n");
                separator.unwrap_or_default()
            }
            (first, _) => {
                out.extend(first);
                found.get(1..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    out
}
