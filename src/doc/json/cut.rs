//! Taking our text out again. It only deletes, and only what was asked for and the separators that came with it.
//!
//! Each element offers several ways to go (which white space, which comma), recorded ones first; the first
//! that leaves its neighbours sound is taken, and the whole is proven by the second reader at the end.
//! The numbers in comments are the counterexamples of facts/engine.md 2.1.

use super::JsonDoc;
use super::scan::{Located, NONE, Trail, comment_end, scan};
use super::style::{has_newline, white_before};
use super::verify::{gap_is_sound, prove};
use crate::doc::{Comma, Container, Cut, CutRequest, Fault, Hang};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(super) fn cut(
    doc: &JsonDoc<'_>,
    requests: &[CutRequest],
    containers: &[Container],
) -> Result<Cut, Fault> {
    let mut knife = Knife {
        text: doc.text,
        located: doc.containers.iter().collect(),
        removed: BTreeSet::new(),
        commas_gone: BTreeSet::new(),
        ranges: Vec::new(),
        exact: true,
        inexact_in: BTreeSet::new(),
    };
    let nested = nested_lists(doc, requests);
    knife.located.extend(nested.iter());
    let mut places = Vec::with_capacity(requests.len());
    for request in requests {
        let place = knife.find(&request.span).ok_or_else(|| {
            Fault::at(
                "unproven",
                request.span.start,
                "an entry to take out is not where it was",
            )
        })?;
        places.push((place, request.hang.as_ref()));
    }
    places.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    for (place, hang) in places {
        knife.take(place, hang)?;
    }
    let (gone, kept) = knife.cascade(containers)?;
    let Knife {
        mut ranges, exact, ..
    } = knife;
    merge(&mut ranges);
    let spans: Vec<Range<usize>> = requests.iter().map(|r| r.span.clone()).collect();
    prove(
        doc.text,
        &ranges,
        &without(doc.text, 0..doc.text.len(), &ranges),
        Some(&spans),
    )?;
    Ok(Cut {
        ranges,
        gone,
        kept,
        exact,
    })
}

/// Lists inside elements (a group's handlers) that a request points into, with offsets of the whole text.
fn nested_lists(doc: &JsonDoc<'_>, requests: &[CutRequest]) -> Vec<Located> {
    let mut elements = BTreeMap::new();
    for list in doc.containers.iter().filter(|c| c.list) {
        for request in requests {
            let at = list
                .items
                .partition_point(|i| i.end() <= request.span.start);
            if let Some(item) = list.items.get(at)
                && item.start() <= request.span.start
                && item.span() != request.span
            {
                elements.insert(item.start(), item.span());
            }
        }
    }
    let mut lists: Vec<Located> = elements
        .into_values()
        .flat_map(|span| lists_within(doc.text, span))
        .collect();
    for list in &mut lists {
        // No recorded container has such a path: the cascade stays out of groups.
        list.path.insert(0, "\0".to_owned());
    }
    lists
}

/// The arrays directly inside one object, with offsets of the whole text.
pub(super) fn lists_within(text: &str, span: Range<usize>) -> Vec<Located> {
    let base = span.start;
    let shift = |n: u32| if n == NONE { NONE } else { n + base as u32 };
    let Ok(found) = scan(&text[span], &Trail::members()) else {
        return Vec::new();
    };
    let mut lists: Vec<Located> = found.containers.into_iter().filter(|c| c.list).collect();
    for list in &mut lists {
        list.open += base;
        list.close += base;
        list.parent = None;
        for item in &mut list.items {
            if item.key.1 > item.key.0 {
                item.key = (shift(item.key.0), shift(item.key.1));
            }
            item.value = (shift(item.value.0), shift(item.value.1));
            item.comma = shift(item.comma);
        }
    }
    lists
}

/// A container and one of its items.
type Place = (usize, usize);

struct Knife<'a> {
    text: &'a str,
    located: Vec<&'a Located>,
    removed: BTreeSet<Place>,
    /// Items whose comma behind them is cut.
    commas_gone: BTreeSet<Place>,
    ranges: Vec<Range<usize>>,
    exact: bool,
    /// Containers in which a separator was not as recorded.
    inexact_in: BTreeSet<usize>,
}

impl Knife<'_> {
    fn find(&self, span: &Range<usize>) -> Option<Place> {
        self.located.iter().enumerate().find_map(|(c, located)| {
            let at = located.items.partition_point(|i| i.start() < span.start);
            (located.items.get(at)?.span() == *span).then_some((c, at))
        })
    }

    /// Takes one item out, with its separators.
    fn take(&mut self, place: Place, hang: Option<&Hang>) -> Result<(), Fault> {
        let (c, i) = place;
        let container = self.located[c];
        let span = container.items[i].span();
        let prev = (0..i).rev().find(|p| !self.removed.contains(&(c, *p)));
        let next = (i + 1..container.items.len()).find(|n| !self.removed.contains(&(c, *n)));
        let gap_start = prev.map_or(container.open + 1, |p| container.items[p].end());
        let gap_end = next.map_or(container.close, |n| container.items[n].start());
        let comma_in = |mut range: Box<dyn Iterator<Item = usize>>| {
            range
                .find(|n| container.items[*n].comma != NONE && !self.commas_gone.contains(&(c, *n)))
        };
        let preceding = prev.and_then(|p| comma_in(Box::new((p..i).rev())));
        let following = comma_in(Box::new(i..next.unwrap_or(container.items.len())));
        let before = format!(
            "{} {}",
            without(self.text, gap_start..span.start, &self.ranges),
            without(self.text, span.end..gap_end, &self.ranges)
        );
        let leads = self.leads(gap_start, span.start, hang);
        let commas = self.commas(c, span.start, preceding, following, hang);
        for (n_comma, comma) in commas.iter().enumerate() {
            for (lead, as_recorded) in &leads {
                let mut ranges = self.ranges.clone();
                ranges.push(*lead..span.end);
                if let Some(n) = comma {
                    let at = container.items[*n].comma as usize;
                    ranges.push(at..at + 1);
                }
                merge(&mut ranges);
                let after = without(self.text, gap_start..gap_end, &ranges);
                if gap_is_sound(&before, &after, prev.is_some(), next.is_some()) {
                    if !as_recorded || n_comma > 0 {
                        self.exact = false;
                        self.inexact_in.insert(c);
                    }
                    self.removed.insert(place);
                    if let Some(n) = comma {
                        self.commas_gone.insert((c, *n));
                    }
                    self.ranges = ranges;
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

    /// Where the white space that goes with an item may begin, recorded form first, and whether it is the recorded one.
    fn leads(&self, floor: usize, start: usize, hang: Option<&Hang>) -> Vec<(usize, bool)> {
        let run = white_before(self.text, floor, start);
        let mut leads = Vec::new();
        if let Some(len) = hang.and_then(|h| suffix_modulo_newline(run, &h.lead)) {
            leads.push((start - len, true));
        }
        let line = run.rfind(['\n', '\r']).map_or(0, |at| {
            if run[..=at].ends_with("\r\n") {
                at - 1
            } else {
                at
            }
        });
        leads.push((start - (run.len() - line), false));
        leads.push((start, false));
        leads
    }

    /// Which comma goes: candidates in order.
    fn commas(
        &self,
        c: usize,
        start: usize,
        preceding: Option<usize>,
        following: Option<usize>,
        hang: Option<&Hang>,
    ) -> Vec<Option<usize>> {
        // 5: a comma that a comment parts from us is not ours to take while another will do.
        let parted = preceding.is_some_and(|n| {
            let from = self.located[c].items[n].comma as usize + 1;
            without(self.text, from..start, &self.ranges).contains('/')
        });
        let ours_before = matches!(
            hang,
            Some(Hang {
                comma: Comma::Before | Comma::Apart,
                ..
            })
        );
        let order = if ours_before && !parted {
            [preceding, following]
        } else {
            [following, preceding]
        };
        let mut out: Vec<Option<usize>> = Vec::new();
        for comma in order {
            if comma.is_some() && !out.contains(&comma) {
                out.push(comma);
            }
        }
        out.push(None);
        if preceding.is_none() && following.is_none() {
            out = vec![None];
        }
        out
    }

    /// Takes away or restores the recorded containers that this cut emptied (8: only those), deepest first.
    #[allow(clippy::type_complexity, reason = "taken apart at once")]
    fn cascade(
        &mut self,
        containers: &[Container],
    ) -> Result<(Vec<Vec<String>>, Vec<Vec<String>>), Fault> {
        let (mut gone, mut kept) = (Vec::new(), Vec::new());
        let mut order: Vec<&Container> = containers.iter().collect();
        // Deepest first, then from the end of the text: as with elements, what stands behind must be gone before
        // it can be said whether what stands before it leaves a clean gap.
        order.sort_by_cached_key(|c| {
            let open = self
                .located
                .iter()
                .find(|l| l.path == c.path)
                .map(|l| l.open);
            std::cmp::Reverse((c.path.len(), open))
        });
        for recorded in order {
            let Some(c) = self.located.iter().position(|l| l.path == recorded.path) else {
                continue;
            };
            let emptied = self.removed.iter().filter(|(r, _)| *r == c).count();
            let located = self.located[c];
            if emptied == 0 {
                continue;
            }
            if emptied < located.items.len() {
                kept.push(recorded.path.clone());
                continue;
            }
            match &recorded.created {
                None => {
                    self.restore(c, recorded);
                    gone.push(recorded.path.clone());
                }
                // Between its key and its bracket, too.
                Some(_) if self.has_comment(self.behind_key(located)..located.close) => {
                    kept.push(recorded.path.clone());
                }
                Some(hang) => {
                    match located.parent {
                        Some(place) => self.take(place, Some(hang))?,
                        None => self.unroot(located, recorded, hang),
                    }
                    gone.push(recorded.path.clone());
                }
            }
        }
        Ok((gone, kept))
    }

    fn behind_key(&self, located: &Located) -> usize {
        let key = located
            .parent
            .map(|(c, i)| self.located[c].items[i].key.1 as usize);
        key.unwrap_or(located.open + 1)
    }

    fn has_comment(&self, range: Range<usize>) -> bool {
        let rest = without(self.text, range, &self.ranges);
        let b = rest.as_bytes();
        (0..b.len()).any(|i| b[i] == b'/' && comment_end(b, i).is_some())
    }

    /// Gives a container that was there and empty its old interior back; if its layout is no longer the
    /// recorded one, leaves it empty (4).
    fn restore(&mut self, c: usize, recorded: &Container) {
        let located = self.located[c];
        let end = located.items.last().map_or(located.open + 1, |last| {
            if last.comma != NONE {
                last.comma as usize + 1
            } else {
                last.end()
            }
        });
        let rest = &self.text[end..located.close];
        let tail = prefix_modulo_newline(rest, &recorded.tail);
        match tail {
            Some(len) if !self.inexact_in.contains(&c) => self.ranges.push(end..end + len),
            _ => {
                self.exact = false;
                let inside = without(self.text, located.open + 1..located.close, &self.ranges);
                if inside.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
                    self.ranges.push(located.open + 1..located.close);
                }
            }
        }
        merge(&mut self.ranges);
    }

    /// Takes the root object away that a blank file was given.
    fn unroot(&mut self, located: &Located, recorded: &Container, hang: &Hang) {
        let before = &self.text[..located.open];
        let lead = if hang.lead.is_empty() {
            Some(0)
        } else {
            suffix_modulo_newline(before, &hang.lead)
        };
        let close = located.close + 1;
        let behind = prefix_modulo_newline(&self.text[close..], &recorded.behind);
        self.exact &= lead.is_some() && behind.is_some();
        self.ranges
            .push(located.open - lead.unwrap_or(0)..close + behind.unwrap_or(0));
        merge(&mut self.ranges);
    }
}

/// The three spellings of a separator's newlines, the longest first (1).
fn spellings(text: &str) -> Vec<String> {
    let plain = text.replace("\r\n", "\n").replace('\r', "\n");
    ["\r\n", "\n", "\r"]
        .iter()
        .map(|nl| plain.replace('\n', nl))
        .collect()
}

/// Length of the recorded white space at the end of `run`, whatever its newlines are now.
fn suffix_modulo_newline(run: &str, lead: &str) -> Option<usize> {
    if !has_newline(lead) {
        // 3 and 6: without a newline it fits only a run without one, and an empty one only an empty run.
        let fits = run.ends_with(lead) && !has_newline(run) && (!lead.is_empty() || run.is_empty());
        return fits.then_some(lead.len());
    }
    spellings(lead)
        .into_iter()
        .find(|form| {
            let Some(head) = run.strip_suffix(form.as_str()) else {
                return false;
            };
            // 1: a `\n` that is the second half of `\r\n` is no newline of its own.
            !(form.starts_with('\n') && head.ends_with('\r'))
        })
        .map(|form| form.len())
}

/// Length of the recorded white space at the start of `rest`, whatever its newlines are now.
fn prefix_modulo_newline(rest: &str, tail: &str) -> Option<usize> {
    spellings(tail)
        .into_iter()
        .find(|form| {
            rest.starts_with(form.as_str())
                && !(form.ends_with('\r') && rest[form.len()..].starts_with('\n'))
        })
        .map(|form| form.len())
}

/// A stretch of the text less the ranges.
pub(super) fn without(text: &str, stretch: Range<usize>, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(stretch.len());
    let mut at = stretch.start;
    for range in ranges {
        if range.end <= at {
            continue;
        }
        if range.start >= stretch.end {
            break;
        }
        if range.start > at {
            out.push_str(&text[at..range.start]);
        }
        at = range.end;
    }
    if at < stretch.end {
        out.push_str(&text[at..stretch.end]);
    }
    out
}

/// Sorts and joins ranges.
fn merge(ranges: &mut Vec<Range<usize>>) {
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
