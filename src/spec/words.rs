//! Splitting one command line into words as a POSIX shell does, without running or expanding anything.
//! It may not guess: whatever is more than plain words (a pipe, a comment, an expansion) is no list of words.

use std::borrow::Cow;

/// The words of a simple command; `None` when a shell would do more than split: an operator, a redirection, a
/// comment, a glob, a substitution, an open quote, a second line. `$HOME` alone is kept as it stands.
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_matches(BLANK);
    while !rest.is_empty() {
        let (word, behind) = first(rest)?;
        words.push(word);
        let next = behind.trim_start_matches(BLANK);
        if next.len() == behind.len() && !next.is_empty() {
            return None;
        }
        rest = next;
    }
    Some(words)
}

/// A word as a POSIX shell reads it back: as it stands where that is one plain word, else in single quotes.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

const BLANK: [char; 2] = [' ', '\t'];

/// The first word of `line` and what stands behind it, its blank included.
pub fn first(line: &str) -> Option<(String, &str)> {
    // Most words are nothing but themselves.
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+:@%=,".contains(b);
    let (head, rest) = line.split_at(line.bytes().take_while(plain).count());
    if rest.is_empty() || rest.starts_with([' ', '\t', ';']) {
        return Some((head.to_owned(), rest));
    }
    let mut word = String::new();
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' | ';' => return Some((word, &line[at..])),
            '\'' => loop {
                match chars.next()?.1 {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '\\' => match chars.next()?.1 {
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        '\n' => {}
                        c => word.extend(['\\', c]),
                    },
                    '`' => return None,
                    '$' => home(&mut chars, &mut word)?,
                    c => word.push(c),
                }
            },
            '\\' => word.push(chars.next().filter(|(_, c)| *c != '\n')?.1),
            '$' => home(&mut chars, &mut word)?,
            '#' | '~' if at == 0 => return None,
            '\n' | '\r' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '*' | '?' | '[' | ']' | '{'
            | '}' | '!' => return None,
            c => word.push(c),
        }
    }
    Some((word, ""))
}

/// Behind a `$`: the name `HOME` and nothing that would make it another name.
fn home(chars: &mut std::str::CharIndices<'_>, word: &mut String) -> Option<()> {
    let rest = chars.as_str().strip_prefix("HOME")?;
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    chars.nth(3);
    word.push_str("$HOME");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Vec<String>> {
        split(line)
    }

    #[test]
    fn quotes_and_backslashes_go() {
        assert_eq!(
            words(r#"  '/home/o'\''brien/x y'/gitvow	hook "a\"b\c" "#),
            Some(vec![
                "/home/o'brien/x y/gitvow".into(),
                "hook".into(),
                r#"a"b\c"#.into()
            ])
        );
        assert_eq!(words("''"), Some(vec![String::new()]));
        assert_eq!(
            words("\"$HOME\"/x $HOME/y"),
            Some(vec!["$HOME/x".into(), "$HOME/y".into()])
        );
    }

    #[test]
    fn what_a_shell_would_do_more_than_split_is_none() {
        for line in [
            "a; b",
            "a;",
            "a && b",
            "a & ",
            "a | b",
            "a > f",
            "a < f",
            "a # c",
            "# c",
            "a $(b)",
            "a `b`",
            "a \"`b`\"",
            "a \"$(b)\"",
            "a $X",
            "a ${HOME}",
            "a $HOMES",
            "a *",
            "a ?",
            "a [b]",
            "{ a; }",
            "(a)",
            "! a",
            "~/a",
            "a\nb",
            "a 'b",
            "a \"b",
            "a \\",
            "a\\\nb",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
        assert_eq!(words("a b#c"), Some(vec!["a".into(), "b#c".into()]));
    }
}
