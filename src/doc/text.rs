//! What can be seen in a text without parsing it: byte order mark, newlines, positions.

/// The UTF-8 byte order mark.
pub const BOM: &str = "\u{feff}";

/// Length of the byte order mark at the start, else 0.
pub fn bom_len(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len() } else { 0 }
}

/// The first newline of a text (`\r\n`, `\n` or a lone `\r`), or `\n` when it has none.
pub fn newline(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(i) if text[i..].starts_with("\r\n") => "\r\n",
        Some(i) if text[i..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Line and column (both from 1, columns in characters) of a byte offset. `\n`, `\r\n` and a lone `\r` end lines.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text[..at].trim_start_matches(BOM);
    let bytes = before.as_bytes();
    let mut line = 1;
    let mut start = 0;
    for (i, b) in bytes.iter().enumerate() {
        if *b == b'\n' || (*b == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
            line += 1;
            start = i + 1;
        }
    }
    (line, before[start..].chars().count() + 1)
}
