//! What a path and a name may look like. Text only; it may not look whether anything is there.

/// Longest path, in bytes.
pub const MAX_PATH: usize = 1024;
/// Longest name of an agent or event, in bytes.
pub const MAX_NAME: usize = 64;

/// A path inside HOME or a repository, written with `/`. The reason why not, as a clause: `is an absolute path`.
pub fn path_fault(path: &str) -> Option<String> {
    if path.is_empty() {
        return Some("is an empty path".to_owned());
    }
    if path.len() > MAX_PATH {
        return Some(format!("is longer than {MAX_PATH} bytes"));
    }
    if path.contains('\0') {
        return Some("holds a NUL".to_owned());
    }
    if path.contains(char::is_control) {
        return Some("holds a control character".to_owned());
    }
    if path.contains('\\') {
        return Some("holds a backslash: write `/` between directories".to_owned());
    }
    let drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if path.starts_with('/') || drive {
        return Some("is an absolute path".to_owned());
    }
    for (i, part) in path.split('/').enumerate() {
        match part {
            "" => return Some("has an empty part (`//`, or a `/` at its end)".to_owned()),
            "." => return Some("has the part `.`".to_owned()),
            ".." => return Some("has the part `..`".to_owned()),
            "~" if i == 0 => {
                return Some("begins with `~`: it is relative to HOME already".to_owned());
            }
            part if part.len() > 255 => {
                return Some("has a part longer than 255 bytes".to_owned());
            }
            // Compared as a file system without cases would: `.GIT` is `.git` on macOS and Windows.
            part if part.eq_ignore_ascii_case(".git") => {
                return Some("leads into a `.git` directory".to_owned());
            }
            part if i == 0 && part.eq_ignore_ascii_case(".gitvow") => {
                return Some("leads into gitvow's own directory".to_owned());
            }
            _ => {}
        }
    }
    None
}

/// `[A-Za-z0-9_-]+`, not an option, not absurdly long.
pub fn is_agent_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && !name.starts_with('-')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// A word that any shell leaves alone, and no option.
pub fn is_event_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && !name.starts_with('-')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/'))
}

/// `[A-Za-z_][A-Za-z0-9_]*`, and not one whose meaning is fixed.
pub fn is_variable_name(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !matches!(name, "HOME" | "GITVOW_HOME")
}
