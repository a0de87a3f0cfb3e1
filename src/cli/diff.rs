//! A unified diff of one file, as `diff -u` prints it and `patch` reads it. Touches no file, knows no colours.
//!
//! A line ends at LF and nowhere else: a CR is content, so that a diff of a CRLF file applies byte for byte.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// The diff between two states of a file; `None` is "no file there" and makes its header `/dev/null`.
///
/// The headers name absolute paths, quoted as GNU diff does where a name needs it. Equal states give an
/// empty text; a file that comes or goes without content gives the two headers alone. Bytes that are not
/// UTF-8 are replaced, which only a diff of something gitvow would refuse to write can meet.
pub fn unified(
    old_header: &str,
    new_header: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> String {
    if before == after {
        return String::new();
    }
    let old = lines(before.unwrap_or_default());
    let new = lines(after.unwrap_or_default());
    let mut out = Vec::new();
    header(&mut out, b"--- ", before.map(|_| old_header));
    header(&mut out, b"+++ ", after.map(|_| new_header));
    for group in group_diff_ops(operations(&old, &new), CONTEXT) {
        hunk(&mut out, &old, &new, &group);
    }
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Each line with its LF.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|b| *b == b'\n').collect()
}

/// Myers over what is left when equal lines at both ends are set aside: an insertion into a file of 8 MB
/// leaves next to nothing, so that its preview costs one pass over the lines.
fn operations(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (
        old.get(head..).unwrap_or_default(),
        new.get(head..).unwrap_or_default(),
    );
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = old_rest.get(..old_rest.len() - tail).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - tail).unwrap_or_default();

    let mut ops = vec![DiffOp::Equal {
        old_index: 0,
        new_index: 0,
        len: head,
    }];
    ops.extend(
        capture_diff_slices(Algorithm::Myers, old_middle, new_middle)
            .into_iter()
            .map(|op| shifted(op, head)),
    );
    ops.push(DiffOp::Equal {
        old_index: old.len() - tail,
        new_index: new.len() - tail,
        len: tail,
    });
    ops.retain(|op| !op.old_range().is_empty() || !op.new_range().is_empty());
    ops
}

fn shifted(op: DiffOp, by: usize) -> DiffOp {
    match op {
        DiffOp::Equal {
            old_index,
            new_index,
            len,
        } => DiffOp::Equal {
            old_index: old_index + by,
            new_index: new_index + by,
            len,
        },
        DiffOp::Delete {
            old_index,
            old_len,
            new_index,
        } => DiffOp::Delete {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
        },
        DiffOp::Insert {
            old_index,
            new_index,
            new_len,
        } => DiffOp::Insert {
            old_index: old_index + by,
            new_index: new_index + by,
            new_len,
        },
        DiffOp::Replace {
            old_index,
            old_len,
            new_index,
            new_len,
        } => DiffOp::Replace {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
            new_len,
        },
    }
}

fn hunk(out: &mut Vec<u8>, old: &[&[u8]], new: &[&[u8]], group: &[DiffOp]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    let at = format!("@@ -{} +{} @@\n", place(old_range), place(new_range));
    out.extend_from_slice(at.as_bytes());
    for op in group {
        let gone = old.get(op.old_range()).unwrap_or_default();
        let come = new.get(op.new_range()).unwrap_or_default();
        if matches!(op, DiffOp::Equal { .. }) {
            marked(out, b' ', gone);
        } else {
            marked(out, b'-', gone);
            marked(out, b'+', come);
        }
    }
}

/// `start,length` as `diff -u` counts: from 1, but the line before when the length is 0, and no length of 1.
fn place(range: std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        n => format!("{},{n}", range.start + 1),
    }
}

fn marked(out: &mut Vec<u8>, mark: u8, lines: &[&[u8]]) {
    for line in lines {
        out.push(mark);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// `--- NAME`. GNU patch 2.7 takes a name up to its first blank unless a tab follows it, and reads a name
/// in double quotes as a C string; git writes the same two forms. A blank at the end it loses (2.7.6).
fn header(out: &mut Vec<u8>, mark: &[u8], name: Option<&str>) {
    out.extend_from_slice(mark);
    match name {
        None => out.extend_from_slice(b"/dev/null"),
        Some(name) if name.ends_with(' ') || name.chars().any(needs_quotes) => quoted(out, name),
        Some(name) => {
            out.extend_from_slice(name.as_bytes());
            if name.contains(' ') {
                out.push(b'\t');
            }
        }
    }
    out.push(b'\n');
}

fn needs_quotes(c: char) -> bool {
    c.is_control() || c == '"' || c == '\\'
}

fn quoted(out: &mut Vec<u8>, name: &str) {
    out.push(b'"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 | 0x7f.. => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &str, after: &str) -> String {
        unified("/f", "/f", Some(before.as_bytes()), Some(after.as_bytes()))
    }

    #[test]
    fn equal_states_have_no_diff() {
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(unified("/f", "/f", None, None), "");
    }

    #[test]
    fn an_insertion_shows_three_lines_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nnew\n5\n6\n7\n8\n";
        assert_eq!(
            diff(before, after),
            "--- /f\n+++ /f\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n"
        );
    }

    #[test]
    fn what_comes_and_goes_has_dev_null_on_the_other_side() {
        let made = unified("/a", "/a", None, Some(b"x\n"));
        assert_eq!(made, "--- /dev/null\n+++ /a\n@@ -0,0 +1 @@\n+x\n");
        let gone = unified("/a", "/a", Some(b"x\n"), None);
        assert_eq!(gone, "--- /a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        let empty = unified("/a", "/a", None, Some(b""));
        assert_eq!(empty, "--- /dev/null\n+++ /a\n");
    }

    #[test]
    fn a_missing_final_newline_is_marked_on_its_side() {
        assert_eq!(
            diff("a", "a\nb\n"),
            "--- /f\n+++ /f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n"
        );
    }

    #[test]
    fn a_carriage_return_is_content() {
        assert!(diff("a\r\n", "a\n").contains("\n-a\r\n+a\n"));
    }

    #[test]
    fn odd_names_are_quoted_as_patch_reads_them() {
        let text = unified("/a b", "/tab\there \"q\"\n\u{7f}ü", Some(b""), Some(b"x\n"));
        assert!(text.starts_with("--- /a b\t\n+++ \"/tab\\there \\\"q\\\"\\n\\177\\303\\274\"\n"));
    }

    #[test]
    fn bytes_that_are_not_text_do_no_harm() {
        let text = unified("/f", "/f", Some(b"\xff\n"), Some(b"\xfe\n"));
        assert!(text.contains("-\u{fffd}\n+\u{fffd}\n"));
    }
}
