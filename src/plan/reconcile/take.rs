//! An owner shall have no entry in the file: uninstall. Pure; the table of spec 2.5 from top to bottom.

use super::{Finding, Known, Match, Matched, Outcome, Wish, cuts};
use crate::doc::{CutRequest, Fault};
use crate::ledger::{Entry, Merge, Origin, Owner, Print, State};
use crate::plan::matching::{difference, handlers, same};
use crate::plan::pieces::Pieces;
use std::ops::Range;

pub(super) fn take(
    known: &Known<'_>,
    before: Option<&Print>,
    owner: &Owner,
    wish: Option<&Wish>,
    force: bool,
) -> Result<Outcome, Fault> {
    if known.text.is_none() {
        return Ok(missing(known, owner));
    }
    if known.record.is_none() && wish.is_none() {
        return Ok(Outcome {
            after: before.cloned(),
            ..Outcome::default()
        });
    }
    let m = Matched::new(known, before, wish)?;
    let last = known
        .record
        .is_none_or(|r| r.owners.iter().all(|o| o.owner == *owner));
    if let Some(record) = known.record
        && m.untouched
        && last
        && m.matches
            .iter()
            .all(|found| matches!(found, Match::Same(_)))
        && record.entries.iter().all(|e| e.state.is_active())
        && m.copies(owner).is_empty()
        && let Some(out) = undo(known, record, &m)
    {
        return Ok(out);
    }
    let mut work = Work {
        m: &m,
        owner,
        force,
        requests: Vec::new(),
        strangers: Vec::new(),
        keep: Vec::new(),
        out: Outcome::default(),
    };
    for (i, entry) in m.entries.iter().enumerate() {
        if entry.owner == *owner {
            work.entry(i, entry);
        } else {
            work.keep.push(entry.clone());
        }
    }
    work.copies();
    if let Some(wish) = wish {
        work.strangers(wish);
    }
    work.finish(known, before, last)
}

/// The file is gone: so is what was recorded of this owner.
fn missing(known: &Known<'_>, owner: &Owner) -> Outcome {
    let mut out = Outcome::default();
    if let Some(record) = known.record {
        let mut rest = record.clone();
        rest.owners.retain(|o| o.owner != *owner);
        rest.entries.retain(|e| e.owner != *owner);
        out.record = (!rest.owners.is_empty()).then_some(rest);
        out.findings.push(Finding {
            code: "file-missing",
            owner: owner.clone(),
            keys: Vec::new(),
            at: None,
            detail: "the file is not there any more".to_owned(),
        });
    }
    out
}

/// The bytes are as we left them and nobody else is in the file: take all insertions out. `None` unless the
/// result is the origin.
fn undo(known: &Known<'_>, record: &Merge, m: &Matched<'_>) -> Option<Outcome> {
    // An entry that was found there and recorded is not among the bytes that we inserted.
    let inserted = |n: usize| {
        let span = &m.elements[n].span;
        let covers = |r: &Range<usize>| r.start <= span.start && span.end <= r.end;
        m.recorded_ranges.iter().any(covers)
    };
    if !m.matches.iter().all(|f| f.element().is_none_or(inserted)) {
        return None;
    }
    let mut pieces = Pieces::new(m.text, &m.recorded_ranges);
    pieces.splice(&cuts(&m.recorded_ranges));
    let after = pieces.print();
    if after != record.origin.print {
        return None;
    }
    let mut out = Outcome::default();
    for (entry, found) in m.entries.iter().zip(&m.matches) {
        if let Some(n) = found.element() {
            note_shift(m, n, entry, &mut out);
        }
    }
    out.splices = pieces.splices();
    out.remove = !record.origin.existed && known.text.is_some();
    out.after = (!out.remove).then_some(after);
    Some(out)
}

fn note_shift(m: &Matched<'_>, element: usize, entry: &Entry, out: &mut Outcome) {
    if m.elements[element].behind > 0 {
        out.shifted
            .push(entry.path.last().cloned().unwrap_or_default());
    }
}

struct Work<'m, 'a> {
    m: &'m Matched<'a>,
    owner: &'m Owner,
    force: bool,
    requests: Vec<CutRequest>,
    /// Elements among them that nobody recorded.
    strangers: Vec<Range<usize>>,
    /// Entries that stay recorded.
    keep: Vec<Entry>,
    out: Outcome,
}

impl Work<'_, '_> {
    fn entry(&mut self, i: usize, entry: &Entry) {
        let m = self.m;
        match m.matches[i] {
            Match::Gone => {
                let detail = "it was not in the file any more".to_owned();
                self.find("entry-missing", entry, None, detail);
            }
            Match::Same(n) => {
                note_shift(m, n, entry, &mut self.out);
                self.requests.push(m.request(n, entry));
            }
            Match::Moved(n) => {
                // What it says is ours to the letter; where it stands is no reason to leave a live hook behind.
                self.requests.push(CutRequest {
                    span: m.elements[n].span.clone(),
                    hang: None,
                });
            }
            Match::Edited(n) => self.edited(n, entry),
        }
    }

    /// Keeps the user's part: of a group that holds somebody else's handler only our unedited ones go; an entry
    /// that is only ours but edited stays whole.
    fn edited(&mut self, n: usize, entry: &Entry) {
        let m = self.m;
        let element = &m.elements[n];
        let detail = difference(&entry.value, &element.value);
        if let Some(found) = handlers(&m.doc, element, entry)
            && found.foreign > 0
        {
            let goes = found.edited.is_empty() || self.force;
            let edited = found.edited.into_iter().filter(|_| self.force);
            for handler in found.ours.into_iter().chain(edited) {
                if handler.behind > 0 {
                    self.out
                        .shifted
                        .push(entry.path.last().cloned().unwrap_or_default());
                }
                self.requests.push(CutRequest {
                    span: handler.span,
                    hang: None,
                });
            }
            if goes {
                let detail =
                    "another handler stands in it now: that one and its group stay".to_owned();
                self.find("entry-shared", entry, Some(n), detail);
                return;
            }
        } else if self.force {
            let hang = (element.path == entry.path).then(|| entry.hang.clone());
            self.requests.push(CutRequest {
                span: element.span.clone(),
                hang,
            });
            self.find("entry-edited", entry, Some(n), detail);
            return;
        }
        self.find("entry-edited", entry, Some(n), detail);
        self.out.unfinished = true;
        self.keep.push(Entry {
            state: State::Kept,
            ..entry.clone()
        });
    }

    /// Further copies of our entries that the user made: without their command they would only be dead hooks, and
    /// a second uninstall would take them for unrecorded ones.
    fn copies(&mut self) {
        for (n, entry) in self.m.copies(self.owner) {
            note_shift(self.m, n, entry, &mut self.out);
            self.requests.push(CutRequest {
                span: self.m.elements[n].span.clone(),
                hang: None,
            });
            let detail = "it stood there more than once".to_owned();
            self.find("entry-duplicated", entry, Some(n), detail);
        }
    }

    /// Own-form entries that nobody recorded: equal to what we would write → cut; others are named.
    fn strangers(&mut self, wish: &Wish) {
        for stranger in self.m.unrecorded(&wish.names) {
            let element = &stranger.element;
            if self.requests.iter().any(|r| r.span == element.span) {
                continue;
            }
            let equal = wish.entries.iter().any(|w| {
                w.path == element.path && !element.comments && same(&w.value, &element.value)
            });
            let recorded = self.m.entries.iter().any(|e| e.owner == *self.owner);
            if self.m.is_named(element, &self.out.findings) {
                continue;
            }
            if equal && !recorded {
                if element.behind > 0 {
                    self.out
                        .shifted
                        .push(element.path.last().cloned().unwrap_or_default());
                }
                self.strangers.push(element.span.clone());
                self.requests.push(CutRequest {
                    span: element.span.clone(),
                    hang: None,
                });
            } else {
                let detail = wish.stranger(&element.path, &stranger.form.path);
                self.out.findings.push(Finding {
                    code: "unrecorded-entry",
                    owner: self.owner.clone(),
                    keys: element.path.clone(),
                    at: Some(element.span.start),
                    detail,
                });
            }
        }
    }

    fn find(&mut self, code: &'static str, entry: &Entry, n: Option<usize>, detail: String) {
        self.out
            .findings
            .push(self.m.finding(code, &entry.owner, &entry.path, n, detail));
    }

    fn finish(
        mut self,
        known: &Known<'_>,
        before: Option<&Print>,
        last: bool,
    ) -> Result<Outcome, Fault> {
        let m = self.m;
        let kept = self.keep.iter().any(|e| e.owner == *self.owner);
        let mut containers = m.containers.clone();
        containers.extend(m.shells(&self.strangers));
        let requests = std::mem::take(&mut self.requests);
        let cut = m.cut_with_version(requests, &containers, last && !kept)?;
        let mut pieces = if last && !kept {
            Pieces::new(m.text, &[])
        } else {
            m.pieces()?
        };
        let mut version = m.version.clone();
        if let Some((cut, version_gone)) = &cut {
            pieces.splice(&cuts(&cut.ranges));
            containers.retain(|c| !cut.gone.contains(&c.path));
            if *version_gone {
                version = None;
            }
        }
        self.out.splices = pieces.splices();
        let after = pieces.print();
        if let Some(record) = known.record {
            let mut owners = record.owners.clone();
            owners.retain(|o| kept || o.owner != *self.owner);
            if last && !kept {
                // A vendor that printed the file anew may have left white space that nobody typed.
                self.out.remove =
                    !record.origin.existed && pieces.is_blank() && !self.out.splices.is_empty();
            } else if self.out.splices.is_empty() {
                let rest = Merge {
                    owners,
                    entries: self.keep,
                    ..record.clone()
                };
                self.out.record = Some(rest);
            } else {
                self.out.record = Some(Merge {
                    format: record.format,
                    origin: Origin {
                        existed: record.origin.existed,
                        print: pieces.origin(before),
                    },
                    after: after.clone(),
                    inserted: pieces.ours(),
                    layout: pieces.layout(record.format),
                    owners,
                    entries: self.keep,
                    containers,
                    version,
                });
            }
        }
        self.out.after = (!self.out.remove).then_some(after);
        Ok(self.out)
    }
}
