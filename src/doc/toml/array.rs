//! Taking elements out of one value array. Only deletes.
//!
//! Several ways are tried, the recorded one first; the array is read again after each, and the first that leaves
//! its other elements and all comments alone is taken.

use super::cursor::{Cursor, Form, Slot, Val};
use super::cut::merge;
use super::scan::Scan;
use crate::doc::{Comma, Fault, Hang};
use std::ops::Range;

/// A value array under the knife.
pub(super) struct Cutting<'s, 'a> {
    text: &'s str,
    scan: &'s Scan<'a>,
    open: usize,
    close: usize,
    slots: &'s [Slot<'a>],
    removed: Vec<bool>,
    /// The commas that still stand, by the element before them.
    commas: Vec<Option<usize>>,
    /// What goes.
    pub ranges: Vec<Range<usize>>,
    /// Everything was as recorded so far.
    pub exact: bool,
}

impl<'s, 'a> Cutting<'s, 'a> {
    /// An array of the scanned text, whole.
    pub fn new(scan: &'s Scan<'a>, span: &Range<usize>, slots: &'s [Slot<'a>]) -> Self {
        Self {
            text: scan.text,
            scan,
            open: span.start,
            close: span.end.saturating_sub(1),
            slots,
            removed: vec![false; slots.len()],
            commas: slots.iter().map(|s| s.comma).collect(),
            ranges: Vec::new(),
            exact: true,
        }
    }

    /// Does nothing stand in it any more?
    pub fn empty(&self) -> bool {
        self.removed.iter().all(|r| *r)
    }

    /// Takes one element out. Ask for the last ones first.
    pub fn take(&mut self, index: usize, hang: Option<&Hang>) -> Result<(), Fault> {
        let Some(slot) = self.slots.get(index) else {
            return Ok(());
        };
        let span = slot.val.span.clone();
        if let Some(removed) = self.removed.get_mut(index) {
            *removed = true;
        }
        let leads = self.leads(span.start, hang);
        let commas = self.commas(index, hang);
        for (c, comma) in commas.iter().enumerate() {
            for (lead, recorded) in &leads {
                let mut ranges = self.ranges.clone();
                ranges.push(*lead..span.end);
                if let Some((_, at)) = comma {
                    ranges.push(*at..at + 1);
                }
                merge(&mut ranges);
                if self.sound(&ranges) {
                    self.exact &= *recorded && c == 0;
                    self.ranges = ranges;
                    if let Some((slot, _)) = comma
                        && let Some(gone) = self.commas.get_mut(*slot)
                    {
                        *gone = None;
                    }
                    return Ok(());
                }
            }
        }
        Err(Fault::at(
            "unproven",
            span.start,
            "an entry can't be taken out without touching its neighbours",
        ))
    }

    /// Where a cut may begin, the recorded place first, and whether it is the recorded one.
    fn leads(&self, start: usize, hang: Option<&Hang>) -> Vec<(usize, bool)> {
        let before = self.text.get(self.open + 1..start).unwrap_or_default();
        let run = before.len() - before.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let run = before.get(before.len() - run..).unwrap_or_default();
        let mut leads = Vec::new();
        if let Some(len) = hang.and_then(|h| suffix(run, &h.lead)) {
            leads.push((start - len, true));
        }
        let line = run.rfind('\n').map_or(0, |at| {
            at - usize::from(run.get(..at).is_some_and(|r| r.ends_with('\r')))
        });
        leads.push((start - (run.len() - line), false));
        leads.push((start, false));
        leads
    }

    /// Which comma may go: the element before it and its place.
    fn commas(&self, index: usize, hang: Option<&Hang>) -> Vec<Option<(usize, usize)>> {
        let standing = |slot: usize| Some((slot, self.commas.get(slot).copied().flatten()?));
        let next = (index + 1..self.slots.len())
            .find(|n| self.removed.get(*n) == Some(&false))
            .unwrap_or(self.slots.len());
        let previous = (0..index)
            .rev()
            .find(|p| self.removed.get(*p) == Some(&false));
        let preceding = previous.and_then(|p| (p..index).rev().find_map(standing));
        let following = (index..next).find_map(standing);
        let start = self.slots.get(index).map_or(0, |s| s.val.span.start);
        let parted = preceding.is_some_and(|(_, at)| self.scan.comment_in(&(at..start)));
        let before = matches!(
            hang,
            Some(Hang {
                comma: Comma::Before | Comma::Apart,
                ..
            })
        );
        let order = if before && !(parted && following.is_some()) {
            [preceding, following]
        } else {
            [following, preceding]
        };
        let mut out: Vec<Option<(usize, usize)>> =
            order.into_iter().filter(Option::is_some).collect();
        out.push(None);
        out
    }

    /// Does the array, less the ranges, still hold what stays, and all comments outside the elements that go? It may have a trailing comma only
    /// where it had one.
    fn sound(&self, ranges: &[Range<usize>]) -> bool {
        let (mut text, mut at) = (String::new(), self.open);
        for range in ranges {
            text.push_str(self.text.get(at..range.start).unwrap_or_default());
            at = range.end;
        }
        text.push_str(self.text.get(at..=self.close).unwrap_or_default());
        let mut cursor = Cursor::new(&text, 0);
        let Ok(Val {
            form: Form::Array(slots),
            span,
        }) = cursor.value(0)
        else {
            return false;
        };
        let stay = self.slots.iter().zip(&self.removed).filter(|(_, r)| !**r);
        let left = stay.map(|(s, _)| self.text.get(s.val.span.clone()));
        let after = slots.iter().map(|s| text.get(s.val.span.clone()));
        let had = self.slots.last().is_some_and(|s| s.comma.is_some());
        let has = slots.last().is_some_and(|s| s.comma.is_some());
        let before = self
            .scan
            .comments
            .iter()
            .filter(|c| c.start > self.open && c.end <= self.close && !self.goes(c.start))
            .map(|c| self.text.get(c.clone()));
        let comments = cursor.comments.iter().map(|c| text.get(c.clone()));
        span.end == text.len() && (had || !has) && left.eq(after) && before.eq(comments)
    }

    /// Is the offset inside an element that goes?
    fn goes(&self, at: usize) -> bool {
        let mut gone = self.slots.iter().zip(&self.removed).filter(|(_, r)| **r);
        gone.any(|(s, _)| s.val.span.contains(&at))
    }

    /// Gives an array that was empty its interior back, if everything was as recorded.
    pub fn restore(&mut self, tail: &str) {
        let Some(last) = self.slots.last() else {
            return;
        };
        let end = last.comma.map_or(last.val.span.end, |c| c + 1);
        let rest = self.text.get(end..self.close).unwrap_or_default();
        let spelt = spellings(tail)
            .into_iter()
            .find(|form| rest.starts_with(form.as_str()));
        match spelt {
            Some(form) if self.exact => self.ranges.push(end..end + form.len()),
            _ => {
                self.exact = false;
                let inside = self.open + 1..self.close;
                let mut comments = self
                    .scan
                    .comments
                    .iter()
                    .filter(|c| inside.contains(&c.start));
                if comments.all(|c| self.goes(c.start)) {
                    self.ranges.push(self.open + 1..self.close);
                }
            }
        }
        merge(&mut self.ranges);
    }
}

/// The spellings of recorded white space, the longer one first (counterexample 1).
fn spellings(recorded: &str) -> [String; 2] {
    let plain = recorded.replace("\r\n", "\n");
    [plain.replace('\n', "\r\n"), plain]
}

/// Length of the recorded white space at the end of `run`, whatever its newlines are now.
fn suffix(run: &str, lead: &str) -> Option<usize> {
    if !lead.contains('\n') {
        // Counterexamples 3 and 6: without a newline it fits only a run without one, an empty one only an empty run.
        let fits =
            run.ends_with(lead) && !run.contains('\n') && (!lead.is_empty() || run.is_empty());
        return fits.then_some(lead.len());
    }
    spellings(lead)
        .into_iter()
        .find(|form| {
            run.strip_suffix(form.as_str())
                .is_some_and(|head| !(form.starts_with('\n') && head.ends_with('\r')))
        })
        .map(|form| form.len())
}
