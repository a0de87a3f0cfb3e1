//! Makes what a terminal would act upon visible. Text from files, paths and adapters passes here before it
//! is shown to a person; it never passes here on its way into a file, a diff for `patch` or JSON.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Text of several lines: line feeds and tabs stay, everything else that has no picture becomes `\r`,
/// `\x1b`, `\u{202e}` and the like.
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |c| acts(c) && c != '\n' && c != '\t')
}

/// Text of one line, such as a name or a message: line feeds and tabs are made visible too.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, acts)
}

/// A path, as [`line()`]; bytes that are not UTF-8 become the replacement character.
pub fn path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

fn escape(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            push(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn push(out: &mut String, c: char) {
    let code = u32::from(c);
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        _ if code < 0x100 => {
            let _ = write!(out, "\\x{code:02x}");
        }
        _ => {
            let _ = write!(out, "\\u{{{code:x}}}");
        }
    }
}

/// Control characters (C0, DEL, C1), line and paragraph separators, direction marks and overrides
/// (CVE-2021-42574), zero-width characters, the byte order mark and the invisible tag block.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(text("a\n\tß 漢 é"), Cow::Borrowed(_)));
        assert!(matches!(line("a b"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_a_terminal_acts_upon_is_made_visible() {
        assert_eq!(text("\u{1b}[31mred\r\n"), "\\x1b[31mred\\r\n");
        assert_eq!(text("a\u{202e}b\u{2066}c"), "a\\u{202e}b\\u{2066}c");
        assert_eq!(
            text("\u{9b}2J\u{7f}\u{0}\u{feff}"),
            "\\x9b2J\\x7f\\x00\\u{feff}"
        );
        assert_eq!(text("\u{e0041}"), "\\u{e0041}");
    }

    #[test]
    fn a_name_cannot_break_its_line() {
        assert_eq!(line("a\nb\tc"), "a\\nb\\tc");
        assert_eq!(path(Path::new("/x\ny")), "/x\\ny");
    }
}
