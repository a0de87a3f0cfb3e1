//! The documents of [`super::output`] as text for people. Pure: takes data, gives text; the same data makes
//! the JSON, so the two can't disagree. Every word that comes from elsewhere is escaped here.

mod changes;
mod health;
mod long;

pub use changes::changes;
pub use health::doctor;

use super::output::Fault;
use crate::error::Error;
use crate::escape;

/// Characters of a source line that are shown around a fault.
const WINDOW: usize = 100;

/// What the reader's end can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Takes colour.
    pub colour: bool,
    /// Is a terminal: a diff's text is escaped too, which a file or a pipe gets as it stands.
    pub terminal: bool,
}

/// Text for the two streams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Diffs and results.
    pub out: String,
    /// Talk: notes, steps, errors.
    pub err: String,
}

/// An error as [`fault`] shows it.
pub fn error(e: &Error, look: Look) -> String {
    fault(&Fault::from(e), look)
}

/// An error in cargo's style: headline, place, source line with a caret where known, and what helps.
pub fn fault(fault: &Fault, look: Look) -> String {
    let mut out = format!(
        "{} {}\n",
        look.paint(RED, "error:"),
        escape::line(&fault.message)
    );
    out.push_str(&place(
        "  ",
        fault.path.as_deref(),
        fault.line,
        fault.column,
        look,
    ));
    if let (Some(line), Some(source)) = (fault.line, &fault.source) {
        out.push_str(&excerpt(line, fault.column, source, look));
    }
    if let Some(help) = &fault.help {
        out.push_str(&help_line("", help, look));
    }
    out
}

/// `--> path:line:column`, or nothing when there is no path.
fn place(
    indent: &str,
    path: Option<&std::path::Path>,
    line: Option<usize>,
    column: Option<usize>,
    look: Look,
) -> String {
    let Some(path) = path else {
        return String::new();
    };
    let mut at = escape::path(path);
    for number in [line, column.filter(|_| line.is_some())]
        .into_iter()
        .flatten()
    {
        at.push_str(&format!(":{number}"));
    }
    format!("{indent}{} {at}\n", look.paint(BLUE, "-->"))
}

fn help_line(indent: &str, help: &str, look: Look) -> String {
    let label = look.paint(CYAN, "help:");
    let lines: Vec<_> = help.lines().map(escape::line).collect();
    format!(
        "{indent}{label} {}\n",
        lines.join(&format!("\n{indent}      "))
    )
}

/// The source line between two rules of its number's width; a long line is cut down to what stands around
/// the column, for a minified file is one line of megabytes.
fn excerpt(line: usize, column: Option<usize>, source: &str, look: Look) -> String {
    let at = column.unwrap_or(1).saturating_sub(1);
    let start = at.saturating_sub(WINDOW / 2);
    let mut rest = source.chars().skip(start);
    let before: String = rest.by_ref().take(at - start).collect();
    let behind: String = rest.by_ref().take(WINDOW - (at - start)).collect();
    let more = rest.next().is_some();
    let before = format!("{}{}", if start > 0 { "…" } else { "" }, shown(&before));
    let behind = format!("{}{}", shown(&behind), if more { "…" } else { "" });

    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let bar = look.paint(BLUE, "|");
    let mut out = format!(
        "{margin} {bar}\n{} {bar} {before}{behind}\n",
        look.paint(BLUE, &number)
    );
    if column.is_some() {
        let gap = " ".repeat(before.chars().count());
        out.push_str(&format!("{margin} {bar} {gap}{}\n", look.paint(RED, "^")));
    }
    out
}

fn shown(text: &str) -> String {
    escape::line(&text.replace('\t', "    ")).into_owned()
}

const RED: &str = "1;31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const BLUE: &str = "34";
const CYAN: &str = "36";
const BOLD: &str = "1";

impl Look {
    fn paint(self, style: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Fault {
        Fault::from(
            &Error::refused(
                "unparseable",
                "`/home/a/.claude/settings.json` is not valid JSON",
            )
            .at("/home/a/.claude/settings.json")
            .position(2, 13)
            .help("fix the file, then run `gitvow install --agent claude`"),
        )
        .with_source("{\n\t\"hooks\": {,\n}")
    }

    #[test]
    fn an_error_reads_like_cargo_s() {
        let expected = "\
error: `/home/a/.claude/settings.json` is not valid JSON
  --> /home/a/.claude/settings.json:2:13
  |
2 |     \"hooks\": {,
  |                ^
help: fix the file, then run `gitvow install --agent claude`
";
        assert_eq!(fault(&broken(), Look::default()), expected);
    }

    #[test]
    fn colour_comes_only_when_told_and_changes_no_word() {
        let look = Look {
            colour: true,
            terminal: true,
        };
        let painted = fault(&broken(), look);
        assert!(painted.contains("\u{1b}[1;31merror:\u{1b}[0m"));
        let mut plain = painted;
        for style in [RED, BLUE, CYAN, "0"] {
            plain = plain.replace(&format!("\u{1b}[{style}m"), "");
        }
        assert_eq!(plain, fault(&broken(), Look::default()));
    }

    #[test]
    fn a_line_of_megabytes_is_cut_down_to_its_fault() {
        let text = format!("{}!{}", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let e = Error::refused("unparseable", "x")
            .at("/f")
            .position(1, (1 << 20) + 1);
        let shown = fault(&Fault::from(&e).with_source(&text), Look::default());
        assert!(shown.len() < 500, "{}", shown.len());
        assert!(shown.contains("aaa!bbb") && shown.contains('…'));
    }

    #[test]
    fn nothing_in_a_message_path_or_source_reaches_the_terminal_raw() {
        let e = Error::refused("x", "bad \u{1b}[2J\nname")
            .at("/a\u{1b}b")
            .position(1, 1)
            .help("do \u{9b}this");
        let shown = fault(
            &Fault::from(&e).with_source("\u{1b}]0;x\u{7}"),
            Look::default(),
        );
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'));
        assert!(shown.starts_with("error: bad \\x1b[2J\\nname\n"));
    }
}
