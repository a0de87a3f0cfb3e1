//! A diff of lines too long to read, shortened for people. May not look at anything but the diff.
//!
//! A settings file of megabytes in one line would be printed three times over by its own preview. `--json` keeps the
//! whole diff; what is shown here can't be applied any more, and says so.

use std::borrow::Cow;

/// A diff up to this size is shown as it is.
const SMALL: usize = 16 * 1024;
/// A line up to this size is never shortened.
const LINE: usize = 4 * 1024;
/// What is shown of a long line around its change, each side.
const AROUND: usize = 80;

/// The diff as it is, or with its long lines cut down to what changes in them.
pub(super) fn shortened(diff: &str) -> Cow<'_, str> {
    if diff.len() <= SMALL || !diff.lines().any(|l| l.len() > LINE) {
        return Cow::Borrowed(diff);
    }
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let mut out = String::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let gone = run(&lines, at, '-');
        let come = run(&lines, at + gone, '+');
        if gone == 0 || come == 0 || line.starts_with("--- ") {
            out.push_str(&cut(line, 0, 0));
            at += 1;
            continue;
        }
        let (old, new) = (
            lines.get(at..at + gone).unwrap_or_default(),
            lines.get(at + gone..at + gone + come).unwrap_or_default(),
        );
        let shared = |a: Option<&&str>, b: Option<&&str>| match (a, b) {
            (Some(a), Some(b)) => common(a, b),
            _ => (0, 0),
        };
        for (n, line) in old.iter().enumerate() {
            let (head, tail) = shared(Some(line), new.get(n));
            out.push_str(&cut(line, head, tail));
        }
        for (n, line) in new.iter().enumerate() {
            let (head, tail) = shared(Some(line), old.get(n));
            out.push_str(&cut(line, head, tail));
        }
        at += gone + come;
    }
    out.push_str(
        "# long lines are cut to what changes in them: `--json` has the diff that can be applied\n",
    );
    Cow::Owned(out)
}

/// How many lines from `at` on begin with `mark`.
fn run(lines: &[&str], at: usize, mark: char) -> usize {
    let rest = lines.get(at..).unwrap_or_default();
    rest.iter().take_while(|l| l.starts_with(mark)).count()
}

/// Bytes that two lines share at their beginning (the mark aside) and their end.
fn common(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (a.get(1..).unwrap_or(""), b.get(1..).unwrap_or(""));
    let same = |(x, y): &(u8, u8)| x == y;
    let head = a.bytes().zip(b.bytes()).take_while(same).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.bytes().rev().zip(b.bytes().rev()).take(most);
    (head, tail.take_while(same).count())
}

/// `line` with all but [`AROUND`] bytes of its shared beginning and end left out; a line that shares nothing is cut
/// behind its beginning.
fn cut(line: &str, head: usize, tail: usize) -> Cow<'_, str> {
    if line.len() <= LINE {
        return Cow::Borrowed(line);
    }
    let body = line.trim_end_matches('\n');
    let mark = usize::from(body.starts_with(['-', '+', ' ']));
    let from = mark + head.saturating_sub(AROUND);
    let to = (line.len() - tail + AROUND).min(body.len());
    let from = (0..=from)
        .rev()
        .find(|n| body.is_char_boundary(*n))
        .unwrap_or(0);
    let last = from + LINE;
    let to = (0..=to.min(last))
        .rev()
        .find(|n| body.is_char_boundary(*n))
        .unwrap_or(0)
        .max(from);
    let shown = body.get(from..to).unwrap_or("");
    let dots = |more: bool| if more { "…" } else { "" };
    Cow::Owned(format!(
        "{}{}{shown}{}\n",
        body.get(..mark).unwrap_or(""),
        dots(from > mark),
        dots(to < body.len())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_stays_as_it_is() {
        let small = format!(
            "--- /f\n+++ /f\n@@ -1 +1 @@\n-{0}\n+{0}x\n",
            "a".repeat(5000)
        );
        assert_eq!(shortened(&small), small);
        let many = format!(
            "--- /f\n+++ /f\n@@ -1,9 +1,9 @@\n{}",
            "+line\n".repeat(9000)
        );
        assert_eq!(shortened(&many), many);
    }

    #[test]
    fn a_long_line_is_cut_to_what_changes_in_it() {
        let (front, end) = ("ü".repeat(50_000), "é".repeat(50_000));
        let diff = format!(
            "--- /f\n+++ /f\n@@ -1,2 +1,2 @@\n-{{{front}\"hooks\":{{}}{end}\n+{{{front}\"hooks\":{{\"a\":1}}{end}\n {front}\n\\ No newline at end of file\n"
        );
        let text = shortened(&diff);
        assert!(text.len() < LINE + 1500, "{} bytes", text.len());
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(&rows[..3], ["--- /f", "+++ /f", "@@ -1,2 +1,2 @@"]);
        assert!(
            rows[3].starts_with("-…ü") && rows[3].ends_with("é…"),
            "{}",
            rows[3]
        );
        assert!(rows[3].contains("ü\"hooks\":{}é"));
        assert!(rows[4].starts_with("+…ü") && rows[4].contains("ü\"hooks\":{\"a\":1}é"));
        assert!(rows[5].starts_with(" ü"));
        assert!(rows[5].len() <= LINE + 8);
        assert_eq!(rows[6], "\\ No newline at end of file");
        assert!(rows[7].starts_with("# ") && rows.len() == 8);
    }

    #[test]
    fn a_long_line_that_is_all_new_is_cut_behind_its_beginning() {
        let diff = format!(
            "--- /dev/null\n+++ /f\n@@ -0,0 +1 @@\n+{}\n",
            "x".repeat(100_000)
        );
        let text = shortened(&diff);
        assert!(text.len() < LINE + 300 && text.contains("x…\n"));
    }
}
