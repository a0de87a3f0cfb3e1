//! What an adapter said, made safe to show in a sentence. Pure; never used on bytes that an agent is to read.

use crate::escape;

/// Shows `text` on one line, escaped; at most `cap` of its characters, `…` stands for the rest.
pub fn shown(text: &str, cap: usize) -> String {
    match text.char_indices().nth(cap) {
        Some((end, _)) => format!("{}…", escape::line(text.get(..end).unwrap_or_default())),
        None => escape::line(text).into_owned(),
    }
}

/// As [`shown`], for bytes that need not be UTF-8, without the blanks around them.
pub fn shown_bytes(bytes: &[u8], cap: usize) -> String {
    shown(String::from_utf8_lossy(bytes).trim(), cap)
}

#[cfg(test)]
mod tests {
    use super::{shown, shown_bytes};

    #[test]
    fn escape_sequences_lose_their_power() {
        assert_eq!(
            shown_bytes(b" \x1b[2Jred\x07\xff\n", 99),
            "\\x1b[2Jred\\x07\u{fffd}"
        );
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        assert_eq!(shown("äöüß", 2), "äö…");
        assert_eq!(shown("äö", 2), "äö");
    }
}
