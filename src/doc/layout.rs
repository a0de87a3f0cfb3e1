//! How a document is laid out, as facts that can be kept: no text of it, no value, not even a key. Pure.
//!
//! Vendors print their settings anew when they save them: other indentation, other line ends, keys sorted, comments
//! gone. Where our own entries look the same all the while, only the rest of the file shows it. Of a sample of its
//! members the place is noted and the white space around them; what they say is not, so that changing a value,
//! adding or taking away is no other layout.

use super::{json, text, toml};
use crate::spec::Format;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// How many members are noted: a rewrite touches them all.
const NOTED: usize = 64;

/// How many are looked at later, when others may stand before them.
const LOOKED_AT: usize = 4096;

/// The layout of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// How its lines end; empty when it has only one.
    pub line_end: String,
    /// The white space at its end; empty in TOML, where whatever is added stands there.
    #[serde(default)]
    pub end: String,
    /// It begins with a byte order mark.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bom: bool,
    /// A comment stands among its first members.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments: bool,
    /// For each of its first members, in their order: eight hex digits that stand for its keys, four for the white
    /// space around it.
    pub members: String,
}

/// One member: what stands for its keys, what for its white space, and where it is.
pub(super) struct Member {
    keys: u32,
    space: u16,
    at: usize,
}

impl Layout {
    /// The layout of a text, less what stands in the ranges of `ours`; `None` when it can't be read.
    pub fn of(format: Format, text: &str, ours: &[Range<usize>]) -> Option<Self> {
        let (all, comments) = read(format, text)?;
        let theirs = |m: &&Member| !ours.iter().any(|r| r.contains(&m.at));
        let mut members = String::new();
        for member in all.iter().filter(theirs).take(NOTED) {
            members.push_str(&format!("{:08x}{:04x}", member.keys, member.space));
        }
        Some(Self {
            line_end: line_end(text).to_owned(),
            end: end(format, text),
            bom: text::bom_len(text) > 0,
            comments,
            members,
        })
    }

    /// What is laid out otherwise in this text, each as a phrase; nothing, too, when it can't be read.
    pub fn differs(&self, format: Format, text: &str) -> Vec<&'static str> {
        let mut out = Vec::new();
        let now = line_end(text);
        if !self.line_end.is_empty() && !now.is_empty() && self.line_end != now {
            out.push(LINE_ENDS);
        }
        if self.bom != (text::bom_len(text) > 0) {
            out.push("its byte order mark");
        }
        let Some((members, comments)) = read(format, text) else {
            return out;
        };
        if self.comments && !comments {
            out.push("its comments are gone");
        }
        let places: HashMap<u32, (usize, u16)> = members
            .iter()
            .enumerate()
            .rev()
            .map(|(n, m)| (m.keys, (n, m.space)))
            .collect();
        let noted = self.noted();
        let still = noted.iter().filter_map(|(k, s)| Some((places.get(k)?, s)));
        let still: Vec<(&(usize, u16), &u16)> = still.collect();
        if !still.is_sorted_by_key(|((at, _), _)| *at) {
            out.push("the order of its keys");
        }
        if still.iter().any(|((_, now), then)| now != *then) {
            out.push("its indentation or spaces");
        }
        if self.end != end(format, text) {
            out.push("its last line's end");
        }
        out
    }

    fn noted(&self) -> Vec<(u32, u16)> {
        let hex = |at: usize, len: usize| {
            let digits = self.members.get(at..at + len);
            digits.and_then(|d| u32::from_str_radix(d, 16).ok())
        };
        (0..self.members.len() / 12)
            .filter_map(|n| {
                let space = u16::try_from(hex(n * 12 + 8, 4)?).ok()?;
                Some((hex(n * 12, 8)?, space))
            })
            .collect()
    }
}

/// Other line ends: what git, too, does to a file of a repository.
pub const LINE_ENDS: &str = "its line ends";

/// Its first members, and whether a comment stands among them.
fn read(format: Format, text: &str) -> Option<(Vec<Member>, bool)> {
    match format {
        Format::Json | Format::Jsonc => json::members(text, LOOKED_AT),
        Format::Toml => toml::members(text, LOOKED_AT),
    }
}

fn line_end(text: &str) -> &'static str {
    if text.contains(['\n', '\r']) {
        text::newline(text)
    } else {
        ""
    }
}

/// Line ends are told by themselves.
fn end(format: Format, text: &str) -> String {
    if format == Format::Toml {
        return String::new();
    }
    let end = &text[text.trim_end().len()..];
    end.chars().filter(|c| *c != '\r').take(16).collect()
}

impl Member {
    /// `keys`: from [`below`]; `space`: the white space around it, in the order of the text.
    pub(super) fn new(keys: u64, space: &[&str], at: usize) -> Self {
        let mut hash = SEED;
        for part in space {
            // Line ends are told by themselves.
            let plain = part.bytes().filter(|b| *b != b'\r' || !part.contains('\n'));
            hash = fold(fold(hash, plain), [0xff].into_iter());
        }
        Self {
            keys: (keys ^ (keys >> 32)) as u32,
            space: (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) as u16,
            at,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }
}

/// Of white space with comments in between the part that is there without them too: up to the first comment on a line of
/// its own, else behind the last one.
pub(super) fn piece<'a>(pieces: &[&'a str]) -> &'a str {
    let own_line = pieces.iter().find(|p| p.contains(['\n', '\r']));
    own_line.or(pieces.last()).copied().unwrap_or_default()
}

/// What stands for the keys of the root.
pub(super) const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// What stands for a key below others.
pub(super) fn below(keys: u64, key: &str) -> u64 {
    fold(fold(keys, key.bytes()), [0xff].into_iter())
}

/// FNV-1a: these are facts to be compared, no seals.
fn fold(hash: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "{\n  // mine\n  \"z\": 1,\n  \"list\": [\"a\", \"b\"],\n  \"deep\": {\n    \"b\": true,\n    \"a\": {}\n  },\n  \"line\": {\"x\": 1}\n}\n";
    const TOML: &str =
        "# mine\nmodel = \"x\"\nlist = [\"a\", \"b\"]\n\n[b]\n  deep = 1\n\n[a]\nx = 2\n";

    fn differs(format: Format, old: &str, new: &str) -> Vec<&'static str> {
        Layout::of(format, old, &[]).unwrap().differs(format, new)
    }

    #[test]
    fn values_that_change_come_and_go_are_no_other_layout() {
        for (from, to) in [
            ("1,", "\"one\","),
            ("true", "false"),
            ("  \"z\": 1,\n", ""),
            ("\"b\"]", "\"b\", \"c\"]"),
            ("[\"a\", \"b\"]", "[]"),
            ("{}", "{\"new\": 1}"),
            ("  \"deep\"", "  \"new\": {\"x\": [ 1 ]},\n  \"deep\""),
            ("// mine", "// ours"),
        ] {
            let new = JSON.replacen(from, to, 1);
            assert_ne!(new, JSON);
            assert_eq!(differs(Format::Jsonc, JSON, &new), [""; 0], "{from} {to}");
        }
        for (from, to) in [
            ("\"x\"", "3"),
            ("x = 2\n", "x = 2\ny = 3\n"),
            ("\"b\"]", "\"b\", \"c\"]"),
            ("[a]", "[c]\nx = 1\n\n[a]"),
            ("model = \"x\"\n", ""),
        ] {
            let new = TOML.replacen(from, to, 1);
            assert_ne!(new, TOML);
            assert_eq!(differs(Format::Toml, TOML, &new), [""; 0], "{from} {to}");
        }
    }

    #[test]
    fn what_printing_anew_does_is_told() {
        for (new, what) in [
            (JSON.replace('\n', "\r\n"), LINE_ENDS),
            (JSON.replace("  // mine\n", ""), "its comments are gone"),
            (
                JSON.replace(
                    "    \"b\": true,\n    \"a\": {}",
                    "    \"a\": {},\n    \"b\": true",
                ),
                "the order of its keys",
            ),
            (JSON.replace("\n  ", "\n\t"), "its indentation or spaces"),
            (
                JSON.replace("{\"x\": 1}", "{\n    \"x\": 1\n  }"),
                "its indentation or spaces",
            ),
            (
                JSON.replace("[\"a\", \"b\"]", "[\n    \"a\",\n    \"b\"\n  ]"),
                "its indentation or spaces",
            ),
            (JSON.replace("\": ", "\":"), "its indentation or spaces"),
            (JSON.trim_end().to_owned(), "its last line's end"),
            (format!("\u{feff}{JSON}"), "its byte order mark"),
        ] {
            assert_eq!(differs(Format::Jsonc, JSON, &new), [what], "{new}");
        }
        for (new, what) in [
            (TOML.replace('\n', "\r\n"), LINE_ENDS),
            (TOML.replace("# mine\n", ""), "its comments are gone"),
            (
                "# mine\nlist = [\"a\", \"b\"]\nmodel = \"x\"\n\n[b]\n  deep = 1\n\n[a]\nx = 2\n"
                    .to_owned(),
                "the order of its keys",
            ),
            (TOML.replace("  deep", "deep"), "its indentation or spaces"),
            (TOML.replace(" = ", "="), "its indentation or spaces"),
            (
                TOML.replace("[\"a\"", "[ \"a\""),
                "its indentation or spaces",
            ),
        ] {
            assert_eq!(differs(Format::Toml, TOML, &new), [what], "{new}");
        }
    }

    #[test]
    fn ours_is_left_out_and_nothing_of_the_text_is_kept() {
        let at = JSON.find("\"deep\"").unwrap();
        let ours = at..JSON.find("\"line\"").unwrap();
        let layout = Layout::of(Format::Jsonc, JSON, &[ours]).unwrap();
        assert_eq!(layout.members.len() % 12, 0);
        let new = JSON.replace("    \"b\"", "\"b\"");
        assert_eq!(layout.differs(Format::Jsonc, &new), [""; 0]);
        let kept = serde_json::to_string(&layout).unwrap();
        for word in ["mine", "list", "deep", "line\":{"] {
            assert!(!kept.replace("line_end", "").contains(word), "{kept}");
        }
        let many: String = (0..500).map(|n| format!("\"k{n}\":{n},")).collect();
        let many = format!("{{{}}}", many.trim_end_matches(','));
        let layout = Layout::of(Format::Json, &many, &[]).unwrap();
        assert_eq!(layout.members.len(), 12 * NOTED);
    }
}
