//! The members of a TOML text and the white space around them, for [`crate::doc::layout`]. It decides nothing.

use super::cursor::Form;
use super::scan::{Kind, Origin, ROOT, Scan};
use crate::doc::layout::{Member, SEED, below, piece};

/// The first members, in the order of the text; those of arrays of tables are left out. Of an array that isn't empty
/// the white space before its first element is told as well, by how many it has: an edit of the list is no other
/// layout.
pub(super) fn members(scan: &Scan<'_>, limit: usize) -> Vec<Member> {
    let mut out = Vec::new();
    let mut tables = vec![(ROOT, SEED)];
    while let Some((table, keys)) = tables.pop() {
        let Kind::Table { children, .. } = scan.kind(table) else {
            continue;
        };
        for child in children {
            let keys = below(keys, scan.key(*child));
            match scan.kind(*child) {
                Kind::Table { origin, .. } => {
                    if *origin == Origin::Header {
                        let head = scan.text.get(..scan.at(*child)).unwrap_or_default();
                        let start = head.trim_end_matches(['[', ' ', '\t']).len();
                        // The white space on the header's own line is trimmed with it.
                        let line = head.get(start..).unwrap_or_default();
                        out.push(Member::new(keys, &[before(scan, start), line], start));
                    }
                    tables.push((*child, keys));
                }
                Kind::Value { line, val } => {
                    let middle = scan.text.get(line.start..val.start).unwrap_or_default();
                    let named = middle.trim_end_matches([' ', '\t', '=']).len();
                    let equals = middle.get(named..).unwrap_or_default();
                    let space = [before(scan, line.start), equals];
                    out.push(Member::new(keys, &space, line.start));
                    array(scan, keys, val.start, &mut out);
                }
                Kind::Tables(_) => {}
            }
        }
        if out.len() >= limit {
            break;
        }
    }
    out.sort_by_key(|m| m.at());
    out
}

fn array(scan: &Scan<'_>, keys: u64, at: usize, out: &mut Vec<Member>) {
    if scan.text.as_bytes().get(at) != Some(&b'[') {
        return;
    }
    let Some(Form::Array(slots)) = scan.value_at(at).map(|v| v.form) else {
        return;
    };
    if let Some(first) = slots.first() {
        let start = first.val.span.start;
        let space = scan.text.get(at + 1..start).unwrap_or_default();
        let keys = below(keys, &format!("[{}]", slots.len()));
        out.push(Member::new(keys, &[space], start));
    }
}

/// The white space before an offset, comments aside.
fn before<'a>(scan: &Scan<'a>, at: usize) -> &'a str {
    let mut pieces = Vec::new();
    let mut end = at;
    loop {
        let head = scan.text.get(..end).unwrap_or_default();
        let start = head.trim_end().len();
        pieces.push(head.get(start..).unwrap_or_default());
        let next = scan.comments.partition_point(|c| c.end < start);
        match scan.comments.get(next) {
            Some(comment) if comment.end == start && start > 0 => end = comment.start,
            // The start of the text is the start of a line; white space there is a blank line.
            _ if start == 0 => {
                let blank = pieces.last().is_some_and(|p| !p.is_empty());
                pieces.push(if blank { "\n\n" } else { "\n" });
                break;
            }
            _ => break,
        }
    }
    pieces.reverse();
    piece(&pieces)
}
