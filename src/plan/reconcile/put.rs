//! An owner's entries shall stand in the file: install, upgrade, and doctor's question. Pure.

use super::{Finding, Known, Match, Matched, Outcome, Wish, cuts};
use crate::doc::{Addition, Comma, CutRequest, Doc, Element, Fault, Hang, Splice};
use crate::ledger::{Entry, Merge, Origin, Print, State, VersionKey};
use crate::plan::matching::{difference, handlers, same};
use crate::plan::pieces::Pieces;
use std::ops::Range;

pub(super) fn put(
    known: &Known<'_>,
    before: Option<&Print>,
    wish: &Wish,
    force: bool,
    adopt: bool,
) -> Result<Outcome, Fault> {
    // Over a file that is gone nothing of its record holds but who was in it.
    let m = Matched::new(known, before, Some(wish))?;
    let mut work = Work {
        m: &m,
        wish,
        force,
        entries: m.entries.iter().cloned().map(Some).collect(),
        adds: Vec::new(),
        replaced: Vec::new(),
        cut: Vec::new(),
        strangers: Vec::new(),
        found: Vec::new(),
        out: Outcome::default(),
    };
    work.over_records();
    work.over_strangers(adopt);
    m.overruled(&wish.owner.owner, &work.found)?;
    work.finish(known, before)
}

struct Work<'m, 'a> {
    m: &'m Matched<'a>,
    wish: &'m Wish,
    force: bool,
    /// Recorded entries, as they will be recorded; `None`: no more.
    entries: Vec<Option<Entry>>,
    /// Wanted entries to append: index into the wish, and the recorded entry that it renews.
    adds: Vec<(usize, Option<usize>)>,
    /// Elements to replace in place: element, recorded entry, new value's index in the wish.
    replaced: Vec<(usize, usize, usize)>,
    cut: Vec<CutRequest>,
    /// Whole elements that nobody recorded and that are taken in, those that are cut included.
    strangers: Vec<Range<usize>>,
    /// Those of them that stay where they are.
    found: Vec<CutRequest>,
    out: Outcome,
}

impl Work<'_, '_> {
    /// The table of 2.4: each wanted entry against its record, each surplus record away.
    fn over_records(&mut self) {
        let owner = &self.wish.owner.owner;
        let recorded = &self.m.entries;
        let mine: Vec<usize> = (0..recorded.len())
            .filter(|i| recorded[*i].owner == *owner)
            .collect();
        let mut paired = vec![false; recorded.len()];
        for (w, wanted) in self.wish.entries.iter().enumerate() {
            let equal = |i: &&usize| {
                !paired[**i]
                    && recorded[**i].path == wanted.path
                    && same(&recorded[**i].value, &wanted.value)
            };
            let any = |i: &&usize| !paired[**i] && recorded[**i].path == wanted.path;
            let Some(i) = mine
                .iter()
                .find(equal)
                .or_else(|| mine.iter().find(any))
                .copied()
            else {
                self.adds.push((w, None));
                continue;
            };
            paired[i] = true;
            self.renew(i, w, wanted);
        }
        for i in mine.into_iter().filter(|i| !paired[*i]) {
            if let Match::Same(n) = self.m.matches[i] {
                self.note_shift(n);
                let entry = &recorded[i];
                self.cut.push(self.m.request(n, entry));
                let detail = "today's planner no longer has it".to_owned();
                self.out.findings.push(self.m.finding(
                    "entry-outdated",
                    &entry.owner,
                    &entry.path,
                    Some(n),
                    detail,
                ));
                self.entries[i] = None;
            }
        }
        self.m.duplicates(owner, &mut self.out.findings);
    }

    fn renew(&mut self, i: usize, w: usize, wanted: &Addition) {
        let entry = &self.m.entries[i];
        let find =
            |code, n, detail: String| self.m.finding(code, &entry.owner, &entry.path, n, detail);
        match self.m.matches[i] {
            Match::Same(_) if same(&entry.value, &wanted.value) => {
                self.entries[i] = Some(Entry {
                    state: State::Active,
                    ..entry.clone()
                });
            }
            Match::Same(n) => {
                let detail = difference(&wanted.value, &entry.value)
                    .replace("gitvow wrote", "today's planner writes");
                self.out
                    .findings
                    .push(find("entry-outdated", Some(n), detail));
                self.note_shift(n);
                self.replaced.push((n, i, w));
            }
            Match::Edited(n) => {
                let detail = difference(&entry.value, &self.m.elements[n].value);
                self.out
                    .findings
                    .push(find("entry-edited", Some(n), detail));
                if self.force {
                    self.put_back(n, i, w);
                } else {
                    self.out.unfinished = true;
                }
            }
            Match::Moved(n) => {
                let detail = format!(
                    "it stands under `{}` now",
                    self.m.elements[n].path.join(".")
                );
                self.out.findings.push(find("entry-moved", Some(n), detail));
            }
            Match::Gone => {
                self.out.findings.push(find(
                    "entry-missing",
                    None,
                    "it is not in the file".to_owned(),
                ));
                self.adds.push((w, Some(i)));
            }
        }
    }

    /// `--force`: ours as it should be. A group in which somebody else's handler stands is theirs by now: it stays,
    /// less our handlers, and ours comes anew; so it does where the edited one stands in another list.
    fn put_back(&mut self, n: usize, i: usize, w: usize) {
        let (element, entry) = (&self.m.elements[n], &self.m.entries[i]);
        let found = handlers(&self.m.doc, element, entry);
        self.note_shift(n);
        let spans = match found.filter(|found| found.foreign > 0) {
            Some(found) => {
                let ours = found.ours.into_iter().chain(found.edited);
                ours.map(|handler| handler.span).collect()
            }
            None if element.path == entry.path => {
                self.replaced.push((n, i, w));
                return;
            }
            None => vec![element.span.clone()],
        };
        let whole = |span| CutRequest { span, hang: None };
        self.cut.extend(spans.into_iter().map(whole));
        self.adds.push((w, Some(i)));
    }

    /// Own-form entries that nobody recorded: equal to what we would write → recorded; others only with `--adopt`.
    fn over_strangers(&mut self, adopt: bool) {
        let owner = self.wish.owner.owner.clone();
        for stranger in self.m.unrecorded(&self.wish.names) {
            let element = &stranger.element;
            let equal = self.adds.iter().position(|(w, _)| {
                let wanted = &self.wish.entries[*w];
                wanted.path == element.path
                    && !element.comments
                    && same(&wanted.value, &element.value)
            });
            if let Some(at) = equal {
                let (w, old) = self.adds.remove(at);
                let entry = self.recorded(element, &self.wish.entries[w]);
                self.strangers.push(element.span.clone());
                self.found.push(CutRequest {
                    span: element.span.clone(),
                    hang: Some(entry.hang.clone()),
                });
                match old {
                    Some(i) => self.entries[i] = Some(entry),
                    None => self.entries.push(Some(entry)),
                }
            } else if self.m.is_named(element, &self.out.findings) {
                // Already, as a duplicate.
            } else if adopt {
                self.adopt(element, stranger.whole);
            } else {
                self.out.findings.push(Finding {
                    code: "unrecorded-entry",
                    owner: owner.clone(),
                    keys: element.path.clone(),
                    at: Some(element.span.start),
                    detail: self.wish.stranger(&element.path, &stranger.form.path),
                });
            }
        }
    }

    /// Takes the old handler out; its group too if it held nothing else.
    fn adopt(&mut self, element: &Element, whole: bool) {
        let handlers = self.m.doc.handlers(element, "hooks");
        let is_ours = |h: &Element| {
            let all = crate::spec::command::commands(&h.value);
            !all.is_empty()
                && all
                    .iter()
                    .all(|c| crate::spec::command::own_form(c).is_some())
        };
        if whole && !element.comments && handlers.iter().all(is_ours) {
            self.strangers.push(element.span.clone());
            self.cut.push(CutRequest {
                span: element.span.clone(),
                hang: None,
            });
        } else {
            let ours = handlers.into_iter().filter(is_ours);
            self.cut.extend(ours.map(|h| CutRequest {
                span: h.span,
                hang: None,
            }));
        }
        if element.behind > 0 {
            self.out
                .shifted
                .push(element.path.last().cloned().unwrap_or_default());
        }
        self.out.findings.push(Finding {
            code: "adopted",
            owner: self.wish.owner.owner.clone(),
            keys: element.path.clone(),
            at: Some(element.span.start),
            detail: if self.wish.is_dead(&element.path) {
                "an entry that another gitvow wrote, where the agent doesn't read it, is taken out"
            } else {
                "an entry that another gitvow wrote is replaced by today's"
            }
            .to_owned(),
        });
    }

    /// An entry for an element that is there already; how it hangs can only be read off the text.
    fn recorded(&self, element: &Element, wanted: &Addition) -> Entry {
        let text = self.m.text;
        let head = &text[..element.span.start];
        let run = &head[head.trim_end_matches([' ', '\t', '\n', '\r']).len()..];
        let line = run.rfind(['\n', '\r']).map_or(0, |i| {
            if run[..=i].ends_with("\r\n") {
                i - 1
            } else {
                i
            }
        });
        let comma = if element.index == 0 {
            Comma::First
        } else {
            Comma::Before
        };
        Entry {
            owner: self.wish.owner.owner.clone(),
            path: wanted.path.clone(),
            value: wanted.value.clone(),
            text: text[element.span.clone()].to_owned(),
            hang: Hang {
                lead: run[line..].to_owned(),
                comma,
            },
            state: State::Active,
        }
    }

    fn note_shift(&mut self, element: usize) {
        let element = &self.m.elements[element];
        if element.behind > 0 {
            self.out
                .shifted
                .push(element.path.last().cloned().unwrap_or_default());
        }
    }

    fn finish(mut self, known: &Known<'_>, before: Option<&Print>) -> Result<Outcome, Fault> {
        let m = self.m;
        let as_recorded = self.entries.iter().flatten().eq(m.entries.iter());
        let idle =
            self.cut.is_empty() && self.replaced.is_empty() && self.adds.is_empty() && as_recorded;
        if let (true, Some(record)) = (idle, known.record) {
            self.out.after = before.cloned();
            // Its adapter may be another by now.
            let mut record = record.clone();
            let wanted = &self.wish.owner;
            let mine = record.owners.iter_mut();
            mine.filter(|o| o.owner == wanted.owner)
                .for_each(|o| o.clone_from(wanted));
            self.out.record = Some(record);
            return Ok(self.out);
        }
        // Lists that only gitvow's entries are in were made by a gitvow: they go with what is cut, and are ours where
        // something stays in them.
        let mut containers = m.containers.clone();
        containers.extend(m.shells(&self.strangers));
        // What `--force` puts back is ours again, separators included.
        let edited = |(_, i, _): &&(usize, usize, usize)| matches!(m.matches[*i], Match::Edited(_));
        let forced = self.replaced.iter().filter(edited);
        let mut more: Vec<CutRequest> = forced
            .map(|(n, i, _)| m.request(*n, &m.entries[*i]))
            .collect();
        let mut pieces = if self.strangers.is_empty() && more.is_empty() {
            m.pieces()?
        } else {
            if !self.strangers.is_empty() {
                more.extend(self.found.iter().chain(&self.cut).cloned());
            }
            Pieces::new(m.text, &m.ranges_with(&more, &containers)?)
        };
        let mut splices: Vec<Splice> = Vec::new();
        if !self.cut.is_empty() {
            let cut = m.doc.cut(&self.cut, &containers)?;
            containers.retain(|c| !cut.gone.contains(&c.path));
            splices = cuts(&cut.ranges);
        }
        for (n, i, w) in &self.replaced {
            let value = &self.wish.entries[*w].value;
            let splice = m.doc.replace(&m.elements[*n], value)?;
            self.entries[*i] = Some(Entry {
                value: value.clone(),
                text: splice.text.clone(),
                state: State::Active,
                ..m.entries[*i].clone()
            });
            splices.push(splice);
        }
        splices.sort_by_key(|s| s.range.start);
        pieces.splice(&splices);
        let mut version = m.version.clone();
        if !self.adds.is_empty() {
            let text = pieces.text();
            let roots = [super::root_of(&self.wish.owner)];
            let doc = Doc::open(known.format, &text, &roots)?;
            let additions: Vec<Addition> = self
                .adds
                .iter()
                .map(|(w, _)| self.wish.entries[*w].clone())
                .collect();
            let insertion = doc.insert(&additions, self.wish.version_key.as_deref())?;
            pieces.splice(&insertion.splices);
            for container in insertion.containers {
                containers.retain(|c| c.path != container.path);
                containers.push(container);
            }
            if let (Some(hang), Some(key)) = (insertion.version, &self.wish.version_key) {
                version = Some(VersionKey {
                    key: key.clone(),
                    hang,
                });
            }
            let written = insertion.hangs.into_iter().zip(insertion.texts);
            for ((addition, (_, old)), (hang, text)) in
                additions.into_iter().zip(&self.adds).zip(written)
            {
                let entry = Entry {
                    owner: self.wish.owner.owner.clone(),
                    path: addition.path,
                    value: addition.value,
                    text,
                    hang,
                    state: State::Active,
                };
                match old {
                    Some(i) => self.entries[*i] = Some(entry),
                    None => self.entries.push(Some(entry)),
                }
            }
        }
        let mut owners = known.record.map_or_else(Vec::new, |r| r.owners.clone());
        owners.retain(|o| o.owner != self.wish.owner.owner);
        let entries: Vec<Entry> = self.entries.into_iter().flatten().collect();
        if entries.iter().any(|e| e.owner == self.wish.owner.owner) {
            owners.push(self.wish.owner.clone());
        }
        let existed = match known.record {
            Some(record) if known.text.is_some() => record.origin.existed,
            _ => known.text.is_some(),
        };
        let after = pieces.print();
        self.out.splices = pieces.splices();
        self.out.after = Some(after.clone());
        let merge = Merge {
            format: known.format,
            origin: Origin {
                existed,
                print: pieces.origin(before),
            },
            after,
            inserted: pieces.ours(),
            layout: pieces.layout(known.format),
            owners,
            entries,
            containers,
            version,
        };
        self.out.record = (!merge.owners.is_empty()).then_some(merge);
        Ok(self.out)
    }
}
