//! One JSON line for each answer, written after it was given. It may not change a verdict: whatever fails
//! here fails silently.

use super::json::Json;
use crate::sys::{FileKind, Sys};
use serde::Serialize;
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The log is set aside at this size.
const ROTATE: u64 = 10 << 20;
/// The longest `detail` and `reason`, in characters.
const DETAIL: usize = 160;

/// What is noted of one answer.
#[derive(Debug, Clone, Default)]
pub struct Entry<'a> {
    /// `allowed`, `blocked`, `confirm_required`, `session_start`, `payload_failed`, ….
    pub kind: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// The vendor's event.
    pub event: &'a str,
    /// The session.
    pub session_id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Why.
    pub reason: &'a str,
    /// What it was about.
    pub detail: &'a str,
}

/// Where the log is: in the git directory, outside a repository in the state home.
pub fn place(git: Option<&Path>, state: &Path, sys: &Sys<'_>) -> PathBuf {
    git.and_then(|git| git_dir(git, sys)).map_or_else(
        || state.join("hooks.log"),
        |dir| dir.join("gitvow-hooks.log"),
    )
}

/// Appends one line.
pub fn write(entry: &Entry<'_>, file: &Path, state: &Path, sys: &Sys<'_>) {
    let line = line(entry, sys.clock.now());
    match sys.disk.stat(file) {
        Ok(stat) if stat.kind != FileKind::File || stat.uid != sys.env.uid() => return,
        Ok(stat) if stat.len >= ROTATE => set_aside(file, sys),
        Ok(_) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {
            if file.parent() == Some(state) && sys.disk.stat(state).is_err() {
                let _ = sys.disk.make_dir(state, 0o700);
            }
        }
        Err(_) => return,
    }
    let _ = sys.disk.append(file, line.as_bytes(), 0o600);
}

/// Renames without replacing: the name carries the time, and an existing one stays.
fn set_aside(file: &Path, sys: &Sys<'_>) {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(
        ".{}",
        time(sys.clock.now()).replace([':', '-'], "")
    ));
    let _ = sys.disk.rename(file, Path::new(&name), false);
}

/// `.git` itself, or what a linked worktree's `.git` file names.
fn git_dir(git: &Path, sys: &Sys<'_>) -> Option<PathBuf> {
    match sys.disk.stat(git).ok()?.kind {
        FileKind::Dir => Some(git.to_path_buf()),
        FileKind::File => {
            let text = String::from_utf8(sys.disk.read(git, 4096).ok()?).ok()?;
            let named = text.lines().next()?.strip_prefix("gitdir:")?.trim();
            Some(git.parent()?.join(named))
        }
        FileKind::Link | FileKind::Other => None,
    }
}

fn line(entry: &Entry<'_>, now: Duration) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        ts: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        kind: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        agent: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        event: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        session_id: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        tool: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        reason: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        detail: &'a str,
    }
    let (reason, detail) = (redacted(entry.reason), redacted(entry.detail));
    let line = Line {
        ts: &time(now),
        kind: &short(entry.kind),
        agent: &short(entry.agent),
        event: &short(entry.event),
        session_id: &short(entry.session_id),
        tool: &short(entry.tool),
        reason: &short(&reason),
        detail: &short(&detail),
    };
    // Text is always JSON.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= DETAIL || text.chars().nth(DETAIL).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(DETAIL - 1).chain(['…']).collect())
}

/// RFC 3339 in UTC, to the second.
fn time(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days to a date: Howard Hinnant's `civil_from_days`, for dates from 1970 on.
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

/// Starts of well-known tokens.
const TOKENS: [&str; 22] = [
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "npm_",
    "pypi-",
    "xai-",
    "hf_",
    "dop_v1_",
    "SG.",
];
/// Names whose value is a secret, in any case, as a part of a longer name too.
const NAMES: [&str; 9] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
];

/// Secrets give way to `[redacted]`: tokens, keys, passwords, `Authorization`, the user part of a URL.
pub fn redacted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut hide_next = 0;
    for piece in text.split_inclusive([' ', '\t', '\n', '"', '\'', ',', ';', '&', '|']) {
        let word = piece.trim_end_matches([' ', '\t', '\n', '"', '\'', ',', ';', '&', '|']);
        let tail = piece.get(word.len()..).unwrap_or_default();
        let lower = word.to_ascii_lowercase();
        if hide_next > 0 && !word.is_empty() {
            hide_next -= 1;
            // `Authorization: Bearer x`: the scheme isn't the secret.
            if matches!(lower.as_str(), "bearer" | "basic" | "token" | "digest") {
                out.push_str(piece);
                hide_next = 1;
            } else {
                out.push_str("[redacted]");
                out.push_str(tail);
            }
            continue;
        }
        if lower.starts_with("authorization:") || lower == "authorization" || lower == "bearer" {
            let value = word.get("authorization:".len()..).unwrap_or_default();
            if value.is_empty() {
                out.push_str(piece);
                hide_next = 1;
            } else {
                out.push_str("Authorization:[redacted]");
                out.push_str(tail);
            }
            continue;
        }
        let named = NAMES.iter().any(|n| lower.contains(n));
        match word.find(['=', ':']) {
            Some(at)
                if named
                    && NAMES
                        .iter()
                        .any(|n| lower.get(..at).is_some_and(|k| k.contains(n))) =>
            {
                let (key, value) = word.split_at(at + 1);
                out.push_str(key);
                if value.is_empty() {
                    hide_next = 1;
                } else {
                    out.push_str("[redacted]");
                }
            }
            None if named && word.starts_with("--") => {
                out.push_str(word);
                hide_next = 1;
            }
            _ => out.push_str(&tokens(word)),
        }
        out.push_str(tail);
    }
    out
}

fn tokens(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://")
        && let Some((user, host)) = rest.split_once('@')
        && !user.contains('/')
    {
        return format!("{scheme}://[redacted]@{host}");
    }
    match token_start(word).and_then(|at| word.get(..at)) {
        Some(before) => format!("{before}[redacted]"),
        None => word.to_owned(),
    }
}

/// Where the first well-known token of a word starts: not within a name, and with something behind its start.
fn token_start(word: &str) -> Option<usize> {
    let mut inside = false;
    word.char_indices().find_map(|(at, c)| {
        let was_inside = std::mem::replace(&mut inside, c.is_alphanumeric());
        let rest = word.get(at..).unwrap_or_default();
        let starts = |t: &&str| rest.starts_with(*t) && rest.len() >= t.len() + 8;
        (!was_inside && TOKENS.iter().any(starts)).then_some(at)
    })
}

/// The payload's session, whatever its spelling; for lines about payloads that can't be normalised.
pub fn session(payload: &Json<'_>) -> String {
    [
        "session_id",
        "sessionId",
        "conversation_id",
        "conversationId",
    ]
    .iter()
    .find_map(|k| payload.get(k)?.str())
    .unwrap_or_default()
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn secrets_are_redacted_and_words_stay() {
        for (text, expected) in [
            (
                "curl -H 'Authorization: Bearer abc123' x",
                "curl -H 'Authorization: Bearer [redacted]' x",
            ),
            (
                "export API_TOKEN=abc run",
                "export API_TOKEN=[redacted] run",
            ),
            (
                "mysql --password hunter2 db",
                "mysql --password [redacted] db",
            ),
            (
                "git clone https://me:pw@host/x.git",
                "git clone https://[redacted]@host/x.git",
            ),
            ("echo sk-abcdefghijklm", "echo [redacted]"),
            ("echo ghp_0123456789abcdef;ls", "echo [redacted];ls"),
            ("task-list of desk-lamps", "task-list of desk-lamps"),
            ("ls -la", "ls -la"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }

    #[test]
    fn lines_are_short_json_with_utc_times() {
        assert_eq!(
            time(Duration::from_secs(951_827_696)),
            "2000-02-29T12:34:56Z"
        );
        assert_eq!(
            time(Duration::from_secs(1_796_000_000)),
            "2026-11-30T00:53:20Z"
        );
        let entry = Entry {
            kind: "allowed",
            detail: &"é".repeat(500),
            ..Entry::default()
        };
        let line = line(&entry, Duration::ZERO);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["detail"].as_str().unwrap().chars().count(), DETAIL);
        assert_eq!(value["ts"], "1970-01-01T00:00:00Z");
    }
}
