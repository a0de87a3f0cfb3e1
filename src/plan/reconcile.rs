//! The heart: what is there, what was recorded and what is wanted, to what shall be. The only place that decides.
//!
//! Pure. install, upgrade, uninstall, dry run and doctor are this module with another [`Goal`]; whoever calls
//! it reads before and writes (or doesn't) afterwards.

use super::matching::{Match, Unrecorded, match_entries, unrecorded};
use super::pieces::Pieces;
use crate::doc::{Addition, Container, CutRequest, Doc, Fault, Root, Shape, Splice};
use crate::ledger::{Entry, Merge, Owner, OwnerState, Print, VersionKey};
use crate::spec::Format;
use serde_json::Value;
use std::ops::Range;

mod look;
mod put;
mod take;

pub use look::{Look, Seen, Stand, look};

/// What one owner wants to have in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// Who, and where its lists live.
    pub owner: OwnerState,
    /// Its entries, commands filled in.
    pub entries: Vec<Addition>,
    /// The key that a file we create must have.
    pub version_key: Option<String>,
    /// Every name by which a command may call this agent, its own included.
    pub names: Vec<String>,
    /// Roots in this file under which an older gitvow put entries that do nothing there.
    pub legacy: Vec<Vec<String>>,
}

impl Wish {
    /// Every root of interest.
    fn roots(&self) -> impl Iterator<Item = Root> + '_ {
        let legacy = self.legacy.iter().map(|path| Root {
            path: path.clone(),
            shape: Shape::Events,
        });
        std::iter::once(root_of(&self.owner)).chain(legacy)
    }

    /// Is this list one of an older gitvow's, where nothing is read?
    fn is_dead(&self, keys: &[String]) -> bool {
        let parent = keys.split_last().map_or(keys, |(_, parent)| parent);
        parent != self.owner.root && self.legacy.iter().any(|root| root == parent)
    }

    /// What to say of an own-form entry that nobody recorded.
    fn stranger(&self, keys: &[String], path: &str) -> String {
        if self.is_dead(keys) {
            format!("it runs `{path}`, but stands where the agent doesn't read it")
        } else {
            format!("it runs `{path}`, which nobody recorded")
        }
    }
}

/// What shall be.
#[derive(Debug, Clone, Copy)]
pub enum Goal<'a> {
    /// The owner's entries stand in the file.
    Put {
        /// They.
        wish: &'a Wish,
        /// Put ours back where the user edited an entry.
        force: bool,
        /// Take unrecorded own-form entries in.
        adopt: bool,
    },
    /// The owner has no entry in the file.
    Take {
        /// Whose.
        owner: &'a Owner,
        /// What it would write today: an unrecorded entry equal to that goes too.
        wish: Option<&'a Wish>,
        /// Also what the user edited.
        force: bool,
    },
}

/// What is known of one file.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Its text; `None`: there is no file.
    pub text: Option<&'a str>,
    /// Its record.
    pub record: Option<&'a Merge>,
    /// Its dialect.
    pub format: Format,
    /// Undo by recorded ranges where the bytes are as we left them. Off only in tests: the structural way must
    /// give the same bytes.
    pub shortcut: bool,
}

/// What to do and what was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// From the text that is there to the text that shall be; ascending. Empty: nothing to write.
    pub splices: Vec<Splice>,
    /// The file shall go (it was created by us and nothing but ours was in it).
    pub remove: bool,
    /// Fingerprint of the bytes that are there; `None`: no file.
    pub before: Option<Print>,
    /// Fingerprint of the bytes that shall be; `None`: no file.
    pub after: Option<Print>,
    /// The record that holds then; `None`: none.
    pub record: Option<Merge>,
    /// What was found on the way, before anything is done about it.
    pub findings: Vec<Finding>,
    /// Lists in which something of somebody else's stood behind an element of ours that goes or changes (Codex).
    pub shifted: Vec<String>,
    /// After this, a hook command of ours that was recorded is still there although it should not be, or is not
    /// as it should be.
    pub unfinished: bool,
}

/// One observation about one entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Of doctor's list (6.1).
    pub code: &'static str,
    /// Whose entry; for unrecorded ones the owner asked about.
    pub owner: Owner,
    /// Keys from the root to the list.
    pub keys: Vec<String>,
    /// Byte offset in the text.
    pub at: Option<usize>,
    /// What is the matter, as a phrase.
    pub detail: String,
}

impl Finding {
    /// The event's name, when the list is one.
    pub fn event(&self) -> &str {
        self.keys.last().map_or("", String::as_str)
    }
}

/// Decides for one file. A fault refuses: nothing is to be written.
pub fn reconcile(known: &Known<'_>, goal: &Goal<'_>) -> Result<Outcome, Fault> {
    let before = known
        .text
        .map(|t| super::pieces::print_of(std::iter::once(t)));
    let print = before.as_ref();
    let mut out = match goal {
        Goal::Put { wish, force, adopt } => put::put(known, print, wish, *force, *adopt),
        Goal::Take { owner, wish, force } => take::take(known, print, owner, *wish, *force),
    }?;
    out.before = before;
    Ok(out)
}

/// A document with its record matched against it.
struct Matched<'a> {
    text: &'a str,
    doc: Doc<'a>,
    elements: Vec<crate::doc::Element>,
    entries: &'a [Entry],
    matches: Vec<Match>,
    containers: Vec<Container>,
    version: Option<VersionKey>,
    /// The bytes are those that we left.
    untouched: bool,
    recorded_ranges: Vec<Range<usize>>,
}

impl<'a> Matched<'a> {
    fn new(known: &Known<'a>, before: Option<&Print>, more: Option<&Wish>) -> Result<Self, Fault> {
        let text = known.text.unwrap_or("");
        let owners = known.record.map_or(&[][..], |r| &r.owners);
        let roots: Vec<Root> = owners
            .iter()
            .map(root_of)
            .chain(more.into_iter().flat_map(Wish::roots))
            .collect();
        let doc = Doc::open(known.format, text, &roots)?;
        let entries = known.record.map_or(&[][..], |r| &r.entries);
        let written: Vec<(&str, &Value)> = entries.iter().map(|e| (&*e.text, &e.value)).collect();
        let elements = doc.elements_knowing(&written);
        let matches = match_entries(text, &elements, entries);
        // A container counts as made by us only while something recorded stands in it (counterexample 8).
        let alive = |c: &&Container| {
            entries
                .iter()
                .zip(&matches)
                .any(|(e, m)| *m != Match::Gone && e.path.starts_with(&c.path))
        };
        let mut containers: Vec<Container> = known.record.map_or_else(Vec::new, |r| {
            r.containers.iter().filter(alive).cloned().collect()
        });
        for list in arrays_of_blocks(text, &elements, entries, &matches) {
            if !containers.iter().any(|c| c.path == list.path) {
                containers.push(list);
            }
        }
        let untouched = known.shortcut && known.record.is_some_and(|r| Some(&r.after) == before);
        let ranges = |r: &Merge| {
            let range = |(at, len): &(u64, u64)| *at as usize..(*at + *len) as usize;
            r.inserted.iter().map(range).collect()
        };
        let recorded_ranges = match known.record {
            Some(r) if untouched => ranges(r),
            _ => Vec::new(),
        };
        Ok(Self {
            text,
            doc,
            elements,
            entries,
            matches,
            containers,
            version: known.record.and_then(|r| r.version.clone()),
            untouched,
            recorded_ranges,
        })
    }

    /// Our ranges in the text: as recorded where the bytes are ours, else found structurally.
    fn our_ranges(&self) -> Result<Vec<Range<usize>>, Fault> {
        if self.untouched {
            return Ok(self.recorded_ranges.clone());
        }
        self.ranges_with(&[], &self.containers)
    }

    /// As [`Self::our_ranges`], with elements that become ours now, and containers that only they were in.
    fn ranges_with(
        &self,
        more: &[CutRequest],
        containers: &[Container],
    ) -> Result<Vec<Range<usize>>, Fault> {
        let mut requests: Vec<CutRequest> = self.standing().collect();
        for request in more {
            if requests.iter().all(|r| r.span != request.span) {
                requests.push(request.clone());
            }
        }
        self.cut_with_version(requests, containers, true)
            .map(|cut| cut.map_or_else(Vec::new, |(cut, _)| cut.ranges))
    }

    /// What is recorded and stands as recorded.
    fn standing(&self) -> impl Iterator<Item = CutRequest> + '_ {
        let both = self.entries.iter().zip(&self.matches);
        both.filter_map(|(entry, m)| match m {
            Match::Same(n) => Some(self.request(*n, entry)),
            _ => None,
        })
    }

    /// Containers that hold nothing but `taken`, elements that nobody recorded, and what is ours already.
    fn shells(&self, taken: &[Range<usize>]) -> Vec<Container> {
        let also: Vec<Range<usize>> = self.standing().map(|r| r.span).collect();
        self.doc.shells(taken, &also, &self.containers)
    }

    fn request(&self, element: usize, entry: &Entry) -> CutRequest {
        CutRequest {
            span: self.elements[element].span.clone(),
            hang: Some(entry.hang.clone()),
        }
    }

    /// Cuts, and with them the version key where nothing of the user's needs it: in a file that we created or
    /// filled, when what then remains is blank. Says whether the key went.
    fn cut_with_version(
        &self,
        requests: Vec<CutRequest>,
        containers: &[Container],
        version: bool,
    ) -> Result<Option<(crate::doc::Cut, bool)>, Fault> {
        if requests.is_empty() {
            return Ok(None);
        }
        let key = self.version.as_ref().filter(|_| version);
        if let Some(key) = key
            && let Some((span, value)) = self.doc.member(&key.key)
            && value == 1
            && is_bare(&self.text[span.clone()], &key.key)
        {
            let mut all = requests.clone();
            all.push(CutRequest {
                span,
                hang: Some(key.hang.clone()),
            });
            if let Ok(cut) = self.doc.cut(&all, containers)
                && cut.gone.iter().any(Vec::is_empty)
            {
                return Ok(Some((cut, true)));
            }
        }
        self.doc
            .cut(&requests, containers)
            .map(|cut| Some((cut, false)))
    }

    fn finding(
        &self,
        code: &'static str,
        owner: &Owner,
        keys: &[String],
        element: Option<usize>,
        detail: String,
    ) -> Finding {
        let at = element.map(|n| self.elements[n].span.start);
        Finding {
            code,
            owner: owner.clone(),
            keys: keys.to_vec(),
            at,
            detail,
        }
    }

    /// Entries of this owner, or among `found`, under a key that stands again behind them: the agent reads the last
    /// one, and to say that all is as wanted would be a lie.
    fn overruled(&self, owner: &Owner, found: &[CutRequest]) -> Result<(), Fault> {
        if self.untouched {
            return Ok(());
        }
        let mine = self.entries.iter().zip(&self.matches);
        let mine = mine.filter(|(e, _)| e.owner == *owner);
        let mine = mine.filter_map(|(_, m)| Some(&self.elements[m.element()?]));
        let others = self.elements.iter();
        let others = others.filter(|e| found.iter().any(|f| f.span == e.span));
        for element in mine.chain(others) {
            if let Some((at, key)) = self.doc.overruled(&element.path, element.span.start) {
                let message = format!(
                    "the key `{key}` stands here a second time, and the agent reads this one only: gitvow's entries stand in the other"
                );
                return Err(Fault::at("duplicate-key", at, message));
            }
        }
        Ok(())
    }

    /// Elements that nobody has recorded and that are of gitvow's form, for one agent's names.
    fn unrecorded(&self, names: &[String]) -> Vec<Unrecorded> {
        let mut all = self.unrecorded_of_all();
        all.retain(|u| u.is_for(names));
        all
    }

    /// As [`Self::unrecorded`], whatever agent they call.
    fn unrecorded_of_all(&self) -> Vec<Unrecorded> {
        let mut claimed = vec![false; self.elements.len()];
        for n in self.matches.iter().filter_map(Match::element) {
            claimed[n] = true;
        }
        unrecorded(&self.elements, &claimed)
    }

    /// Unclaimed elements that say exactly what a recorded entry of this owner says, with that entry.
    fn copies(&self, owner: &Owner) -> Vec<(usize, &Entry)> {
        let claimed = |n: usize| self.matches.iter().any(|m| m.element() == Some(n));
        let twin = |(n, element): (usize, &crate::doc::Element)| {
            let entry = self.entries.iter().find(|e| {
                e.owner == *owner
                    && e.path == element.path
                    && super::matching::same(&e.value, &element.value)
            })?;
            (!claimed(n) && !element.comments).then_some((n, entry))
        };
        self.elements.iter().enumerate().filter_map(twin).collect()
    }

    /// Names the copies.
    fn duplicates(&self, owner: &Owner, findings: &mut Vec<Finding>) {
        for (n, entry) in self.copies(owner) {
            let detail = "it stands there more than once; gitvow wrote one of them".to_owned();
            let path = &entry.path;
            findings.push(self.finding("entry-duplicated", &entry.owner, path, Some(n), detail));
        }
    }

    /// Has this element been named as a duplicate?
    fn is_named(&self, element: &crate::doc::Element, findings: &[Finding]) -> bool {
        findings
            .iter()
            .any(|f| f.code == "entry-duplicated" && f.at == Some(element.span.start))
    }

    fn pieces(&self) -> Result<Pieces<'a>, Fault> {
        Ok(Pieces::new(self.text, &self.our_ranges()?))
    }
}

/// Lists of blocks of ours (TOML) that a vendor has printed as value arrays since. Where gitvow writes blocks there was
/// no array, so the vendor has made it of our blocks, and it goes with them.
fn arrays_of_blocks(
    text: &str,
    elements: &[crate::doc::Element],
    entries: &[Entry],
    matches: &[Match],
) -> Vec<Container> {
    let block = |text: &str| text.starts_with("[[");
    let mut out: Vec<Container> = Vec::new();
    for (entry, m) in entries.iter().zip(matches) {
        let element = m.element().and_then(|n| elements.get(n));
        let now = element.and_then(|e| text.get(e.span.clone()));
        let printed = block(&entry.text) && now.is_some_and(|t| !block(t));
        if printed && !out.iter().any(|c| c.path == entry.path) {
            out.push(Container {
                path: entry.path.clone(),
                created: Some(crate::doc::Hang {
                    lead: String::new(),
                    comma: crate::doc::Comma::First,
                }),
                tail: String::new(),
                behind: String::new(),
            });
        }
    }
    out
}

/// Does this member hold its key and a 1, and no comment?
fn is_bare(member: &str, key: &str) -> bool {
    let plain = |c: char| c.is_ascii_whitespace() || "\"':=1".contains(c);
    member.replacen(key, "", 1).chars().all(plain)
}

fn root_of(owner: &OwnerState) -> Root {
    Root {
        path: owner.root.clone(),
        shape: if owner.list {
            Shape::List
        } else {
            Shape::Events
        },
    }
}

/// Removals as splices.
fn cuts(ranges: &[Range<usize>]) -> Vec<Splice> {
    ranges
        .iter()
        .map(|r| Splice {
            range: r.clone(),
            text: String::new(),
        })
        .collect()
}
