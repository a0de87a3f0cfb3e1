//! Taking entries out again. Only deletes; what can't be proven is refused.
//!
//! Several ways of cutting a block are tried, the recorded one first; the first that leaves whole lines is taken. Elements
//! of value arrays are `array`'s work. The whole is judged by `prove`.

use super::array::Cutting;
use super::cursor::{Form, Val};
use super::scan::{Kind, Origin, ROOT, Scan};
use super::{TomlDoc, prove};
use crate::doc::{Container, Cut, CutRequest, Fault, text};
use prove::{Removed, Step};
use std::collections::BTreeMap;
use std::ops::Range;

/// See [`crate::doc::Doc::cut`].
pub(super) fn cut(
    doc: &TomlDoc<'_>,
    requests: &[CutRequest],
    containers: &[Container],
) -> Result<Cut, Fault> {
    let mut knife = Knife {
        scan: &doc.scan,
        ranges: Vec::new(),
        exact: true,
        nodes: Vec::new(),
        gone: Vec::new(),
        kept: Vec::new(),
        spans: Vec::new(),
    };
    let mut lines: Vec<&CutRequest> = Vec::new();
    let mut arrays: BTreeMap<usize, Vec<(usize, &CutRequest)>> = BTreeMap::new();
    let mut found: BTreeMap<usize, Home<'_>> = BTreeMap::new();
    for request in requests {
        if knife.whole_line(&request.span)? {
            lines.push(request);
            continue;
        }
        let (home, index) = home(&doc.scan, &request.span).ok_or_else(|| {
            Fault::at(
                "unproven",
                request.span.start,
                "an entry to take out is not where it was",
            )
        })?;
        let key = home.val.span.start;
        arrays.entry(key).or_default().push((index, request));
        found.entry(key).or_insert(home);
    }
    lines.sort_by_key(|r| std::cmp::Reverse(r.span.start));
    for request in lines {
        knife.line(request);
    }
    for (key, mut wanted) in arrays {
        let Some(home) = found.get(&key) else {
            continue;
        };
        wanted.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        wanted.dedup_by_key(|(index, _)| *index);
        knife.array(home, &wanted, containers)?;
    }
    let mut spans: Vec<Range<usize>> = requests.iter().map(|r| r.span.clone()).collect();
    spans.append(&mut knife.spans);
    prove::removal(doc, &knife.ranges, &spans, knife.nodes)?;
    Ok(Cut {
        ranges: knife.ranges,
        gone: knife.gone,
        kept: knife.kept,
        exact: knife.exact,
    })
}

/// A value array and the way to it.
struct Home<'a> {
    val: Val<'a>,
    path: Vec<Step>,
}

/// The value array that holds exactly this span as an element, and its index.
fn home<'a>(scan: &Scan<'a>, span: &Range<usize>) -> Option<(Home<'a>, usize)> {
    let holds = |r: &Range<usize>| r.start <= span.start && span.end <= r.end;
    let (id, start) = scan.ids().find_map(|id| match scan.kind(id) {
        Kind::Value { val, .. } if holds(val) => Some((id, val.start)),
        _ => None,
    })?;
    let mut path = steps(scan, id);
    let mut val = scan.value_at(start)?;
    loop {
        val = match val.form {
            Form::Array(ref slots) => {
                let index = slots.iter().position(|s| holds(&s.val.span))?;
                if slots.get(index)?.val.span == *span {
                    return Some((Home { val, path }, index));
                }
                path.push(Step::Index(index));
                let Form::Array(slots) = val.form else {
                    return None;
                };
                slots.into_iter().nth(index)?.val
            }
            Form::Table(entries) => {
                let (keys, val) = entries.into_iter().find(|(_, v)| holds(&v.span))?;
                path.extend(keys.iter().map(|k| Step::Key(k.to_string())));
                val
            }
            Form::Scalar => return None,
        };
    }
}

/// The way to a node.
fn steps(scan: &Scan<'_>, mut id: u32) -> Vec<Step> {
    let mut path = Vec::new();
    while id != ROOT {
        let parent = scan.parent(id);
        path.push(match scan.kind(parent) {
            Kind::Tables(items) => {
                Step::Index(items.iter().position(|i| *i == id).unwrap_or_default())
            }
            _ => Step::Key(scan.key(id).to_owned()),
        });
        id = parent;
    }
    path.reverse();
    path
}

struct Knife<'s, 'a> {
    scan: &'s Scan<'a>,
    ranges: Vec<Range<usize>>,
    exact: bool,
    nodes: Vec<Removed>,
    gone: Vec<Vec<String>>,
    kept: Vec<Vec<String>>,
    /// What goes beside the requested elements.
    spans: Vec<Range<usize>>,
}

impl Knife<'_, '_> {
    /// Is the span a block or a `key = value` line? Then it is noted as going.
    fn whole_line(&mut self, span: &Range<usize>) -> Result<bool, Fault> {
        let scan = self.scan;
        if let Some(item) = scan.block_with(span) {
            if scan.block(item).is_some_and(|(_, block)| block.scattered) {
                return Err(Fault::at(
                    "unproven",
                    span.start,
                    "a part of the entry stands behind another table",
                ));
            }
            let mut implicit = 0;
            let mut above = scan.parent(scan.parent(item));
            while let Kind::Table {
                origin: Origin::Implicit,
                ..
            } = scan.kind(above)
            {
                implicit += 1;
                above = scan.parent(above);
            }
            self.nodes.push(Removed {
                path: steps(scan, item),
                prune: Some(implicit),
            });
            return Ok(true);
        }
        let line = scan
            .ids()
            .find(|id| matches!(scan.kind(*id), Kind::Value { line, .. } if line == span));
        if let Some(id) = line {
            self.nodes.push(Removed {
                path: steps(scan, id),
                prune: None,
            });
        }
        Ok(line.is_some())
    }

    /// Cuts whole lines: a block or a pair, the newlines before it as recorded, the newline behind it.
    fn line(&mut self, request: &CutRequest) {
        let text = self.scan.text;
        let bytes = text.as_bytes();
        let Range { start, end } = request.span.clone();
        let floor = text::bom_len(text);
        let blanks = |b: &&u8| matches!(**b, b' ' | b'\t');
        let before = bytes.get(floor..start).unwrap_or_default();
        let head = start - before.iter().rev().take_while(blanks).count();
        let rest = bytes.get(end..).unwrap_or_default();
        let spaces = rest.iter().take_while(blanks).count();
        let behind = end + spaces;
        let stop = behind + newline_at(bytes, behind);
        let recorded = request.hang.as_ref().map(|h| newlines(&h.lead));
        let wanted = recorded.unwrap_or(usize::from(blank_before(bytes, floor, head)));
        let (full, missing) = newlines_before(bytes, floor, head, wanted);
        let shorter = newlines_before(bytes, floor, head, (wanted - missing).saturating_sub(1)).0;
        let tidy = head == start && spaces == 0 && stop > behind && missing == 0;
        for (n, from) in [full, shorter, head].into_iter().enumerate() {
            let mut ranges = self.ranges.clone();
            ranges.push(from..stop);
            merge(&mut ranges);
            let Some(range) = ranges.iter().find(|r| r.contains(&start)) else {
                continue;
            };
            let line_start = range.start == floor || bytes.get(range.start - 1) == Some(&b'\n');
            let line_end = range.end == bytes.len() || newline_at(bytes, range.end) > 0;
            if line_start || line_end || n == 2 {
                self.exact &= tidy && n == 0 && recorded.is_some();
                self.ranges = ranges;
                return;
            }
        }
    }

    /// The line `key = value` of a value, when no comment stands in it.
    fn bare_line(&self, value: &Range<usize>) -> Option<Range<usize>> {
        let scan = self.scan;
        let line = scan.ids().find_map(|id| match scan.kind(id) {
            Kind::Value { line, val } if val == value => Some(line.clone()),
            _ => None,
        })?;
        (!scan.comment_in(&line)).then_some(line)
    }

    /// Cuts elements (last first) of one value array, and restores it when it was filled by us and is empty now.
    fn array(
        &mut self,
        home: &Home<'_>,
        wanted: &[(usize, &CutRequest)],
        containers: &[Container],
    ) -> Result<(), Fault> {
        let Form::Array(slots) = &home.val.form else {
            return Ok(());
        };
        let keys: Option<Vec<String>> = home
            .path
            .iter()
            .map(|s| match s {
                Step::Key(k) => Some(k.clone()),
                Step::Index(_) => None,
            })
            .collect();
        let recorded = keys.and_then(|keys| containers.iter().find(|c| c.path == keys));
        if let Some(recorded) = recorded.filter(|c| c.created.is_some())
            && wanted.len() == slots.len()
            && let Some(line) = self.bare_line(&home.val.span)
        {
            self.whole_line(&line)?;
            self.spans.push(line.clone());
            self.line(&CutRequest {
                span: line,
                hang: None,
            });
            self.gone.push(recorded.path.clone());
            return Ok(());
        }
        let mut list = Cutting::new(self.scan, &home.val.span, slots);
        for (index, request) in wanted {
            list.take(*index, request.hang.as_ref())?;
            let mut path = home.path.clone();
            path.push(Step::Index(*index));
            self.nodes.push(Removed { path, prune: None });
        }
        if let Some(recorded) = recorded {
            if list.empty() {
                list.restore(&recorded.tail);
                self.gone.push(recorded.path.clone());
            } else {
                self.kept.push(recorded.path.clone());
            }
        }
        self.exact &= list.exact;
        self.ranges.append(&mut list.ranges);
        merge(&mut self.ranges);
        Ok(())
    }
}

fn newlines(lead: &str) -> usize {
    lead.bytes().filter(|b| *b == b'\n').count()
}

/// Length of the newline at an offset, or 0.
fn newline_at(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\n'), _) => 1,
        (Some(b'\r'), Some(b'\n')) => 2,
        _ => 0,
    }
}

/// The offset `count` newlines (of either kind) before `at`, and how many of them were missing.
fn newlines_before(bytes: &[u8], floor: usize, mut at: usize, count: usize) -> (usize, usize) {
    for n in 0..count {
        if at <= floor || bytes.get(at - 1) != Some(&b'\n') {
            return (at, count - n);
        }
        at -= 1;
        if at > floor && bytes.get(at - 1) == Some(&b'\r') {
            at -= 1;
        }
    }
    (at, 0)
}

/// Is there a blank line right before an offset?
fn blank_before(bytes: &[u8], floor: usize, at: usize) -> bool {
    newlines_before(bytes, floor, at, 2).1 == 0
}

/// Sorts and joins ranges.
pub(super) fn merge(ranges: &mut Vec<Range<usize>>) {
    ranges.sort_by_key(|r| r.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..).filter(|r| !r.is_empty()) {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    *ranges = out;
}
