//! What users do to a JSON file with our entries in it, as replacements in the text.

use super::engine::{File, Splices};
use super::json_text::Rng;
use super::tree::{Kind, Token, json_tokens};
use std::ops::Range;

/// One edit.
#[derive(Debug, Clone)]
pub struct Edit {
    pub kind: &'static str,
    pub splices: Splices,
    /// It touches neither our bytes nor the separators adjoining them: the undo must be byte-exact.
    pub exact: bool,
}

/// A member or element: first and last token, the comma behind it.
#[derive(Debug, Clone)]
pub struct Item {
    first: usize,
    last: usize,
    comma: Option<usize>,
}

#[derive(Debug, Clone)]
struct Container {
    object: bool,
    open: usize,
    close: usize,
    items: Vec<Item>,
}

/// A text taken apart for editing.
pub struct Page<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    containers: Vec<Container>,
    ours: &'a [Range<usize>],
    /// The texts of our entries.
    entries: Vec<&'a str>,
    /// Our ranges with the white space and commas around them.
    zone: Vec<Range<usize>>,
    newline: &'static str,
    strict: bool,
}

impl<'a> Page<'a> {
    pub fn new(file: &'a File, strict: bool) -> Self {
        let text = file.str();
        let tokens = json_tokens(text);
        let containers = containers(&tokens);
        let soft = |c: char| " \t\r\n,".contains(c);
        let zone = file.ours.iter().map(|r| {
            let start = text[..r.start].trim_end_matches(soft).len();
            let end = text.len() - text[r.end..].trim_start_matches(soft).len();
            start..end
        });
        Self {
            text,
            containers,
            zone: zone.collect(),
            ours: &file.ours,
            entries: file
                .record
                .iter()
                .flat_map(|r| &r.entries)
                .map(|e| e.text.as_str())
                .collect(),
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            strict,
            tokens,
        }
    }

    /// Does a range touch our bytes or the separators adjoining them?
    fn near(&self, range: &Range<usize>) -> bool {
        self.zone
            .iter()
            .any(|z| range.start <= z.end && z.start <= range.end)
    }

    fn overlaps(&self, range: &Range<usize>) -> bool {
        self.ours
            .iter()
            .any(|z| range.start < z.end && z.start < range.end)
    }

    /// Offsets at which white space or a comment may stand.
    fn gaps(&self) -> Vec<usize> {
        let mut at: Vec<usize> = self.tokens.iter().map(|t| t.range.start).collect();
        let line = |t: &&Token| t.kind != Kind::LineComment;
        at.extend(self.tokens.iter().filter(line).map(|t| t.range.end));
        at.sort_unstable();
        at.dedup();
        at
    }

    /// A random edit that touches nothing of ours.
    pub fn disjoint(&self, rng: &mut Rng, fresh: &mut usize) -> Option<Edit> {
        *fresh += 1;
        let free = |at: &&usize| !self.near(&(**at..**at));
        let (kind, splices): (_, Splices) = match rng.below(8) {
            0 | 1 => {
                let scalars: Vec<&Token> = self
                    .tokens
                    .iter()
                    .enumerate()
                    .filter(|(i, t)| {
                        matches!(t.kind, Kind::Text | Kind::Word)
                            && !self.overlaps(&t.range)
                            && self.tokens[i + 1..]
                                .iter()
                                .find(|n| !comment(n))
                                .is_none_or(|n| n.kind != Kind::Colon)
                    })
                    .map(|(_, t)| t)
                    .collect();
                let token = scalars.get(rng.below(scalars.len()))?;
                let new = rng.pick(&["42", "\"edited\"", "null", "\"}, ]\"", "-1.5e3"]);
                ("scalar", vec![(token.range.clone(), new.to_owned())])
            }
            2 if !self.strict => {
                let gaps = self.gaps();
                let gaps: Vec<&usize> = gaps.iter().filter(free).collect();
                let at = **gaps.get(rng.below(gaps.len()))?;
                let comment = if rng.chance(50) {
                    format!("// mine {fresh}{}", self.newline)
                } else {
                    format!("/* mine {fresh} */")
                };
                ("comment", vec![(at..at, comment)])
            }
            3 => {
                let gaps = self.gaps();
                let gaps: Vec<&usize> = gaps.iter().filter(free).collect();
                let at = **gaps.get(rng.below(gaps.len()))?;
                let white = rng.pick(&[" ", "\t", "   ", "\n", "\r\n", "\n\n    "]);
                // Between the halves of nothing: a lone CR before an LF would become one newline of two.
                let split = self.text[..at].ends_with('\r') || self.text[at..].starts_with('\n');
                (!split).then_some(("white space in", vec![(at..at, white.to_owned())]))?
            }
            4 => {
                let runs: Vec<Range<usize>> = self
                    .tokens
                    .windows(2)
                    .filter(|w| w[0].kind != Kind::LineComment && w[0].range.end < w[1].range.start)
                    .map(|w| w[0].range.end..w[1].range.start)
                    .filter(|r| !self.near(r))
                    .collect();
                let run = runs.get(rng.below(runs.len()))?;
                ("white space out", vec![(run.clone(), String::new())])
            }
            5 | 6 => {
                let open: Vec<&Container> = self
                    .containers
                    .iter()
                    .filter(|c| {
                        let at = self.tokens[c.open].range.end;
                        // Before an entry of ours the new comma would adjoin it, comments between or not.
                        let first = c
                            .items
                            .first()
                            .is_none_or(|i| !self.overlaps(&self.tokens[i.first].range));
                        first && !self.near(&(at..at))
                    })
                    .collect();
                let container = open.get(rng.below(open.len()))?;
                let at = self.tokens[container.open].range.end;
                let comma = if container.items.is_empty() { "" } else { "," };
                let key = if container.object {
                    format!("\"new{fresh}\": ")
                } else {
                    String::new()
                };
                let value = rng.pick(&["1", "{\"a\": []}", "\"x\"", "[[ ]]"]);
                ("element in", vec![(at..at, format!("{key}{value}{comma}"))])
            }
            _ => {
                let items: Vec<Range<usize>> = self
                    .containers
                    .iter()
                    .flat_map(|c| c.items.windows(2))
                    .filter_map(|w| {
                        w[0].comma
                            .map(|c| self.tokens[w[0].first].range.start..self.tokens[c].range.end)
                    })
                    .filter(|r| !self.near(r))
                    .collect();
                let item = items.get(rng.below(items.len()))?;
                ("element out", vec![(item.clone(), String::new())])
            }
        };
        Some(Edit {
            kind,
            splices,
            exact: true,
        })
    }

    /// Lists in which the last element is ours, with it.
    fn ours_last(&self) -> Vec<(&Container, &Item)> {
        let ours = |item: &Item| {
            let range = self.tokens[item.first].range.start..self.tokens[item.last].range.end;
            self.ours
                .iter()
                .any(|o| o.start <= range.start && range.end <= o.end)
        };
        self.containers
            .iter()
            .filter(|c| !c.object)
            .filter_map(|c| c.items.last().map(|i| (c, i)))
            .filter(|(_, i)| ours(i))
            .filter(|(_, i)| {
                self.entries.iter().any(|e| {
                    **e == self.text
                        [self.tokens[i.first].range.start..self.tokens[i.last].range.end]
                })
            })
            .collect()
    }

    /// An element typed behind ours, where the list held one of the user's before us.
    pub fn append(&self, rng: &mut Rng, fresh: &mut usize) -> Option<Edit> {
        *fresh += 1;
        let lists = self.ours_last();
        let (list, item) = lists.get(rng.below(lists.len()))?;
        let space = rng.pick(&["", " ", "\n    "]);
        let (at, text) = match item.comma {
            Some(c) => (self.tokens[c].range.end, format!("{space}\"mine{fresh}\",")),
            None => (
                self.tokens[item.last].range.end,
                format!(",{space}\"mine{fresh}\""),
            ),
        };
        // Byte-exact only where our bytes end right there, and one of the user's elements stands before them.
        let ends = self.ours.iter().any(|o| o.end == at);
        let users = list
            .items
            .iter()
            .any(|i| !self.overlaps(&self.tokens[i.first].range));
        // A comma of ours that comments part from our entry (`1, /* c */ ours`) looks like the user's own.
        let whole = self.ours.iter().any(|o| {
            o.end == at && (item.comma.is_some() || self.text[o.start..].starts_with(','))
        });
        // Behind a user's line comment it would, without us, stand in that comment.
        let start = self
            .ours
            .iter()
            .find(|o| o.end == at)
            .map_or(at, |o| o.start);
        let before = self.tokens.iter().rfind(|t| t.range.end <= start);
        let swallowed =
            before.is_some_and(|t| t.kind == Kind::LineComment) && !text.starts_with('\n');
        Some(Edit {
            kind: "element behind ours",
            splices: vec![(at..at, text)],
            exact: ends && users && whole && !swallowed,
        })
    }

    /// A random edit right beside our bytes.
    pub fn adjoining(&self, rng: &mut Rng, fresh: &mut usize) -> Option<Edit> {
        *fresh += 1;
        let lists = self.ours_last();
        let gap_edit = |rng: &mut Rng, text: String, kind| {
            let inside_entry = |at: usize| {
                self.containers.iter().flat_map(|c| &c.items).any(|i| {
                    let r = self.tokens[i.first].range.start..self.tokens[i.last].range.end;
                    r.start < at
                        && at < r.end
                        && self.entries.iter().any(|e| **e == self.text[r.clone()])
                })
            };
            let gaps: Vec<usize> = self
                .gaps()
                .into_iter()
                .filter(|at| self.near(&(*at..*at)) && !inside_entry(*at))
                .collect();
            let at = *gaps.get(rng.below(gaps.len()))?;
            let split = self.text[..at].ends_with('\r') || self.text[at..].starts_with('\n');
            (!split).then_some((kind, vec![(at..at, text)]))
        };
        let (kind, splices): (_, Splices) = match rng.below(6) {
            0 if !self.strict => gap_edit(
                rng,
                format!("// beside {fresh}{}", self.newline),
                "comment beside ours",
            )?,
            1 if !self.strict => {
                gap_edit(rng, format!("/* beside {fresh} */"), "comment beside ours")?
            }
            2 => gap_edit(rng, "\n  ".to_owned(), "white space beside ours")?,
            3 => {
                let (_, item) = lists.get(rng.below(lists.len()))?;
                let at = self.tokens[item.first].range.start;
                (
                    "element before ours",
                    vec![(at..at, format!("\"mine{fresh}\", "))],
                )
            }
            4 if !self.strict => {
                let (_, item) = lists.get(rng.below(lists.len()))?;
                match item.comma {
                    Some(c) => (
                        "comma out",
                        vec![(self.tokens[c].range.clone(), String::new())],
                    ),
                    None => {
                        let at = self.tokens[item.last].range.end;
                        ("comma in", vec![(at..at, ",".to_owned())])
                    }
                }
            }
            _ => {
                // The element before ours goes, with the comma between.
                let (list, item) = lists.get(rng.below(lists.len()))?;
                let prev = list.items.len().checked_sub(2).map(|i| &list.items[i])?;
                let start = self.tokens[prev.first].range.start;
                let end = self.tokens[prev.comma?].range.end;
                if self.overlaps(&(start..self.tokens[prev.last].range.end))
                    || end > self.tokens[item.first].range.start
                {
                    return None;
                }
                ("element before ours out", vec![(start..end, String::new())])
            }
        };
        Some(Edit {
            kind,
            splices,
            exact: false,
        })
    }
}

fn comment(token: &&Token) -> bool {
    matches!(token.kind, Kind::LineComment | Kind::BlockComment)
}

fn containers(tokens: &[Token]) -> Vec<Container> {
    let mut open: Vec<Container> = Vec::new();
    let mut out = Vec::new();
    let mut key = None;
    let mut keys = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open(c) => {
                keys.push(key.take().unwrap_or(i));
                open.push(Container {
                    object: c == b'{',
                    open: i,
                    close: i,
                    items: Vec::new(),
                });
            }
            Kind::Close => {
                let mut done = open.pop().expect("an open container");
                done.close = i;
                out.push(done);
                let first = keys.pop().expect("its first token");
                if let Some(parent) = open.last_mut() {
                    parent.items.push(Item {
                        first,
                        last: i,
                        comma: None,
                    });
                }
            }
            Kind::Text | Kind::Word => {
                let is_key = tokens[i + 1..]
                    .iter()
                    .find(|t| !comment(t))
                    .is_some_and(|t| t.kind == Kind::Colon);
                if is_key {
                    key = Some(i);
                } else if let Some(parent) = open.last_mut() {
                    parent.items.push(Item {
                        first: key.take().unwrap_or(i),
                        last: i,
                        comma: None,
                    });
                }
            }
            Kind::Comma => {
                if let Some(item) = open.last_mut().and_then(|c| c.items.last_mut()) {
                    item.comma = Some(i);
                }
            }
            Kind::Colon | Kind::LineComment | Kind::BlockComment => {}
        }
    }
    out
}
