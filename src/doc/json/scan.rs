//! The locating reader: one pass, no tree, no recursion. It may not decode, print or change anything.
//!
//! Accepts JSON with comments and trailing commas and nothing looser (`jsonc-parser`'s defaults accept a
//! missing comma, which would let damage pass for health). Records the members and elements of the
//! containers that a [`Trail`] leads through and steps over everything else, so that its cost is one walk
//! over the bytes and its memory that of the lists asked for. Depth is bounded by memory alone.

use crate::doc::{Extras, Fault, Root, Shape, text::bom_len};
use std::ops::Range;

mod lex;

pub(super) use lex::decode_key;

/// No offset.
pub(super) const NONE: u32 = u32::MAX;

/// The largest text that 32-bit offsets reach; the product refuses far earlier (512 MiB).
const MAX_LEN: usize = u32::MAX as usize - 16;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Scalar,
}

/// A member or element of a located container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The key with its quotes; empty in arrays.
    pub(super) key: (u32, u32),
    /// The value.
    pub(super) value: (u32, u32),
    /// The comma behind it, or [`NONE`].
    pub(super) comma: u32,
    /// Index of its own located container, or [`NONE`].
    pub(super) inner: u32,
    pub(super) kind: Kind,
}

impl Item {
    /// Where it begins: at its key, in an object.
    pub(super) fn start(&self) -> usize {
        (if self.key.1 > self.key.0 {
            self.key.0
        } else {
            self.value.0
        }) as usize
    }

    /// Where its value ends.
    pub(super) fn end(&self) -> usize {
        self.value.1 as usize
    }

    /// Key (if any) to value.
    pub(super) fn span(&self) -> Range<usize> {
        self.start()..self.end()
    }
}

/// A container with its children.
#[derive(Debug, Clone)]
pub(super) struct Located {
    /// Keys from the top.
    pub(super) path: Vec<String>,
    pub(super) array: bool,
    /// Offset of the opening bracket.
    pub(super) open: usize,
    /// Offset of the closing bracket.
    pub(super) close: usize,
    pub(super) items: Vec<Item>,
    /// The container and item that hold it; `None` for the root.
    pub(super) parent: Option<(usize, usize)>,
    /// It is a list that entries may stand in.
    pub(super) list: bool,
}

/// Which containers to record.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    kids: Vec<(String, Trail)>,
    /// Every array directly below is a list.
    star: bool,
    /// This is a list itself.
    list: bool,
}

impl Trail {
    /// The trail through all roots.
    pub(super) fn new(roots: &[Root]) -> Self {
        let mut trail = Self::default();
        for root in roots {
            let end = root.path.iter().fold(&mut trail, |at, key| at.kid(key));
            match root.shape {
                Shape::Events => end.star = true,
                Shape::List => end.list = true,
            }
        }
        trail
    }

    /// Every array that is a member of the root object.
    pub(super) fn members() -> Self {
        Self {
            star: true,
            ..Self::default()
        }
    }

    fn kid(&mut self, key: &str) -> &mut Self {
        let at = self
            .kids
            .iter()
            .position(|(k, _)| k == key)
            .unwrap_or_else(|| {
                self.kids.push((key.to_owned(), Self::default()));
                self.kids.len() - 1
            });
        &mut self.kids[at].1
    }

    fn find(&self, key: &str) -> Option<&Self> {
        self.kids.iter().find(|(k, _)| k == key).map(|(_, t)| t)
    }
}

/// What a scan finds.
#[derive(Debug)]
pub(super) struct Found {
    /// Located containers, parents first. Empty when the root isn't an object or there is none.
    pub(super) containers: Vec<Located>,
    /// The root value; `None` for a text without one.
    pub(super) root: Option<(Range<usize>, Kind)>,
    /// What strict JSON forbids.
    pub(super) extras: Extras,
}

/// Scans a text.
pub(super) fn scan(text: &str, trail: &Trail) -> Result<Found, Fault> {
    if text.len() > MAX_LEN {
        return Err(Fault::whole("too-large", "the file is larger than 4 GiB"));
    }
    let bom = bom_len(text);
    let extras = Extras {
        bom: bom > 0,
        ..Extras::default()
    };
    let mut scanner = Scanner {
        b: text.as_bytes(),
        text,
        at: bom,
        kinds: Vec::new(),
        tracked: Vec::new(),
        found: Found {
            containers: Vec::new(),
            root: None,
            extras,
        },
        root_start: 0,
    };
    scanner.run(trail)?;
    Ok(scanner.found)
}

/// A located container that is still open.
struct Frame<'t> {
    container: usize,
    trail: Option<&'t Trail>,
    key: (u32, u32),
    start: u32,
    inner: u32,
}

struct Scanner<'a, 't> {
    b: &'a [u8],
    text: &'a str,
    at: usize,
    /// One byte per open container: 1 for an object.
    kinds: Vec<u8>,
    /// The located ones among them; they are always the outermost.
    tracked: Vec<Frame<'t>>,
    found: Found,
    root_start: usize,
}

#[derive(PartialEq, Clone, Copy)]
enum Expect {
    /// A value; in an array also `]` when the flag is set.
    Value { or_close: bool },
    /// A key or `}`.
    Key,
    /// `,` or a closing bracket, or the end.
    After,
}

impl<'a, 't> Scanner<'a, 't> {
    fn run(&mut self, trail: &'t Trail) -> Result<(), Fault> {
        self.trivia()?;
        if self.at == self.b.len() {
            return Ok(());
        }
        self.root_start = self.at;
        let mut expect = Expect::Value { or_close: false };
        loop {
            self.trivia()?;
            let Some(&c) = self.b.get(self.at) else {
                if self.kinds.is_empty() && expect == Expect::After {
                    return Ok(());
                }
                return Err(self.fault_end());
            };
            expect = match (expect, c) {
                (Expect::Value { .. }, b'{' | b'[') => self.open(c == b'{', trail),
                (Expect::Value { or_close: true }, b']') | (Expect::Key, b'}') => self.close(c)?,
                (Expect::Value { .. }, _) => {
                    let start = self.at;
                    self.scalar()?;
                    self.item(start, Kind::Scalar);
                    Expect::After
                }
                (Expect::Key, b'"') => self.key()?,
                (Expect::Key, _) => {
                    return Err(self.fault("expected a property name in double quotes"));
                }
                (Expect::After, b',') if !self.kinds.is_empty() => self.comma(),
                (Expect::After, b'}' | b']') if !self.kinds.is_empty() => self.close(c)?,
                (Expect::After, _) if self.kinds.is_empty() => {
                    return Err(self.fault("unexpected text after the end of the document"));
                }
                (Expect::After, _) => {
                    return Err(self.fault("expected a comma or a closing bracket"));
                }
            };
        }
    }

    /// Directly inside a located container?
    fn here(&mut self) -> Option<&mut Frame<'t>> {
        if self.kinds.len() == self.tracked.len() {
            self.tracked.last_mut()
        } else {
            None
        }
    }

    fn open(&mut self, object: bool, root_trail: &'t Trail) -> Expect {
        let start = self.at;
        self.at += 1;
        let place = if self.kinds.is_empty() {
            object.then(|| (Some(root_trail), Vec::new(), None, false))
        } else {
            self.descend(object)
        };
        if let Some(frame) = self.here() {
            frame.start = start as u32;
            frame.inner = NONE;
        }
        if let Some((trail, path, parent, list)) = place {
            let index = self.found.containers.len();
            if let Some(frame) = self.here() {
                frame.inner = index as u32;
            }
            self.found.containers.push(Located {
                path,
                array: !object,
                open: start,
                close: start,
                items: Vec::new(),
                parent,
                list,
            });
            self.tracked.push(Frame {
                container: index,
                trail,
                key: (0, 0),
                start: 0,
                inner: NONE,
            });
        }
        self.kinds.push(u8::from(object));
        if object {
            Expect::Key
        } else {
            Expect::Value { or_close: true }
        }
    }

    /// Is the container that opens here to be recorded, and as what?
    #[allow(clippy::type_complexity, reason = "taken apart at once")]
    fn descend(
        &mut self,
        object: bool,
    ) -> Option<(Option<&'t Trail>, Vec<String>, Option<(usize, usize)>, bool)> {
        if self.kinds.len() != self.tracked.len() {
            return None;
        }
        let frame = self.tracked.last()?;
        let parent = &self.found.containers[frame.container];
        let trail = frame.trail?;
        if parent.array {
            return None;
        }
        let key = decode_key(&self.text[frame.key.0 as usize..frame.key.1 as usize])?;
        let next = trail.find(&key);
        let list = !object && (trail.star || next.is_some_and(|t| t.list));
        if !(list || (object && next.is_some())) {
            return None;
        }
        let mut path = parent.path.clone();
        path.push(key);
        let place = (frame.container, parent.items.len());
        Some((next, path, Some(place), list))
    }

    fn close(&mut self, c: u8) -> Result<Expect, Fault> {
        let object = self.kinds.last() == Some(&1);
        if object != (c == b'}') {
            return Err(self.fault(if object {
                "expected `}`"
            } else {
                "expected `]`"
            }));
        }
        if self.kinds.len() == self.tracked.len()
            && let Some(frame) = self.tracked.pop()
        {
            let container = &mut self.found.containers[frame.container];
            container.close = self.at;
            if let Some(last) = container.items.last()
                && last.comma != NONE
            {
                self.found
                    .extras
                    .trailing_comma
                    .get_or_insert(last.comma as usize);
            }
        }
        self.kinds.pop();
        self.at += 1;
        let kind = if object { Kind::Object } else { Kind::Array };
        let start = self.here().map_or(0, |f| f.start as usize);
        self.item(start, kind);
        Ok(Expect::After)
    }

    /// A value has ended at the cursor.
    fn item(&mut self, start: usize, kind: Kind) {
        let end = self.at;
        if self.kinds.is_empty() {
            self.found.root = Some((self.root_start..end, kind));
            return;
        }
        if let Some(frame) = self.here() {
            let inner = if kind == Kind::Scalar {
                NONE
            } else {
                frame.inner
            };
            let item = Item {
                key: frame.key,
                value: (start as u32, end as u32),
                comma: NONE,
                inner,
                kind,
            };
            let container = frame.container;
            frame.inner = NONE;
            self.found.containers[container].items.push(item);
        }
    }

    fn comma(&mut self) -> Expect {
        let at = self.at as u32;
        self.at += 1;
        if let Some(frame) = self.here() {
            let container = frame.container;
            frame.key = (0, 0);
            if let Some(item) = self.found.containers[container].items.last_mut() {
                item.comma = at;
            }
        } else if self.found.extras.trailing_comma.is_none() {
            self.note_trailing_comma(at as usize);
        }
        if self.kinds.last() == Some(&1) {
            Expect::Key
        } else {
            Expect::Value { or_close: true }
        }
    }

    /// Outside located containers: does a closing bracket follow the comma?
    fn note_trailing_comma(&mut self, comma: usize) {
        let mut i = comma + 1;
        while let Some(c) = self.b.get(i) {
            match c {
                b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                b'/' => match comment_end(self.b, i) {
                    Some(end) => i = end,
                    None => return,
                },
                b'}' | b']' => {
                    self.found.extras.trailing_comma = Some(comma);
                    return;
                }
                _ => return,
            }
        }
    }

    fn key(&mut self) -> Result<Expect, Fault> {
        let start = self.at;
        self.string()?;
        let end = self.at;
        if let Some(frame) = self.here() {
            frame.key = (start as u32, end as u32);
        }
        self.trivia()?;
        if self.b.get(self.at) != Some(&b':') {
            return Err(self.fault("expected a colon after the property name"));
        }
        self.at += 1;
        Ok(Expect::Value { or_close: false })
    }
}

/// The end of the comment that begins at `at` (a line comment ends before its newline), `None` if there is none.
pub(super) fn comment_end(b: &[u8], at: usize) -> Option<usize> {
    match b.get(at + 1)? {
        b'/' => {
            let len = b[at..].iter().position(|c| matches!(c, b'\n' | b'\r'));
            Some(len.map_or(b.len(), |n| at + n))
        }
        b'*' => b[at + 2..]
            .windows(2)
            .position(|w| w == b"*/")
            .map(|n| at + 2 + n + 2),
        _ => None,
    }
}
