//! Text from outside, made safe to show. Pure; never used on bytes that an agent is to read.

use std::fmt::Write;

/// Shows `text` on one line: control characters (C0, DEL, C1), line and paragraph separators and the
/// marks that turn the direction of text become `\n`, `\t` or `\u{…}`. Everything else stays as it is.
/// At most `cap` characters of `text` are shown; `…` stands for the rest.
pub fn shown(text: &str, cap: usize) -> String {
    let mut out = String::with_capacity(text.len().min(cap));
    for (at, c) in text.chars().enumerate() {
        if at == cap {
            out.push('…');
            break;
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if hidden(c) => {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// As [`shown`], for bytes that need not be UTF-8.
pub fn shown_bytes(bytes: &[u8], cap: usize) -> String {
    shown(String::from_utf8_lossy(bytes).trim(), cap)
}

fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn escape_sequences_lose_their_power() {
        assert_eq!(shown("\x1b[2Jred\x07", 99), "\\u{1b}[2Jred\\u{7}");
        assert_eq!(shown("a\nb\tc\r\u{9b}1m", 99), "a\\nb\\tc\\r\\u{9b}1m");
        assert_eq!(shown("abc\u{202e}def", 99), "abc\\u{202e}def");
    }

    #[test]
    fn ordinary_text_stays() {
        assert_eq!(shown("größer: `x\\y` 日本", 99), "größer: `x\\y` 日本");
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        assert_eq!(shown("äöüß", 2), "äö…");
        assert_eq!(shown("äö", 2), "äö");
    }
}
