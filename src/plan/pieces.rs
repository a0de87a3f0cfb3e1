//! A text that is being changed, and which of its bytes are ours. Pure.
//!
//! However many rounds of cuts, replacements and insertions there are, the result is one list of splices
//! from the text that was read to the text that will be written, plus our ranges in the latter. The rest
//! is, by definition, the origin.

use crate::doc::Splice;
use crate::doc::layout::Layout;
use crate::doc::text::BOM;
use crate::ledger::Print;
use crate::spec::Format;
use std::ops::Range;

#[derive(Debug, Clone)]
enum Piece {
    /// Bytes of the base.
    Base { range: Range<usize>, ours: bool },
    /// Bytes that come; always ours.
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Base { range, .. } => range.len(),
            Self::New(text) => text.len(),
        }
    }

    /// The first `at` bytes and the rest.
    fn split(self, at: usize) -> (Self, Self) {
        match self {
            Self::Base { range, ours } => {
                let mid = range.start + at;
                (
                    Self::Base {
                        range: range.start..mid,
                        ours,
                    },
                    Self::Base {
                        range: mid..range.end,
                        ours,
                    },
                )
            }
            Self::New(mut text) => {
                let rest = text.split_off(at);
                (Self::New(text), Self::New(rest))
            }
        }
    }
}

/// The text under change.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'a> {
    base: &'a str,
    pieces: Vec<Piece>,
}

impl<'a> Pieces<'a> {
    /// `ours`: our ranges in the base, ascending.
    pub(super) fn new(base: &'a str, ours: &[Range<usize>]) -> Self {
        let mut pieces = Vec::with_capacity(ours.len() * 2 + 1);
        let mut at = 0;
        for range in ours {
            if range.start > at {
                pieces.push(Piece::Base {
                    range: at..range.start,
                    ours: false,
                });
            }
            pieces.push(Piece::Base {
                range: range.clone(),
                ours: true,
            });
            at = range.end;
        }
        pieces.push(Piece::Base {
            range: at..base.len(),
            ours: false,
        });
        Self { base, pieces }
    }

    /// Applies splices given in the current text's offsets; ascending.
    pub(super) fn splice(&mut self, splices: &[Splice]) {
        let mut out: Vec<Piece> = Vec::with_capacity(self.pieces.len() + splices.len() * 2);
        let mut pieces = std::mem::take(&mut self.pieces).into_iter();
        let mut current = pieces.next();
        let mut at = 0;
        for splice in splices {
            while let Some(piece) = current.take() {
                if at + piece.len() > splice.range.start {
                    let (head, tail) = piece.split(splice.range.start - at);
                    at = splice.range.start;
                    out.push(head);
                    current = Some(tail);
                    break;
                }
                at += piece.len();
                out.push(piece);
                current = pieces.next();
            }
            out.push(Piece::New(splice.text.clone()));
            while at < splice.range.end {
                let Some(piece) = current.take().or_else(|| pieces.next()) else {
                    break;
                };
                let cut = piece.len().min(splice.range.end - at);
                at += cut;
                let rest = piece.split(cut).1;
                current = if rest.len() > 0 {
                    Some(rest)
                } else {
                    pieces.next()
                };
            }
        }
        out.extend(current);
        out.extend(pieces);
        out.retain(|p| p.len() > 0);
        self.pieces = out;
    }

    /// The current text.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|p| self.bytes(p)).collect()
    }

    fn bytes<'p>(&'p self, piece: &'p Piece) -> &'p str {
        match piece {
            Piece::Base { range, .. } => &self.base[range.clone()],
            Piece::New(text) => text,
        }
    }

    /// Changes from the base to the current text; ascending.
    pub(super) fn splices(&self) -> Vec<Splice> {
        let mut out: Vec<Splice> = Vec::new();
        let mut at = 0;
        let mut text = String::new();
        let mut flush = |at: usize, to: usize, text: &mut String| {
            if to > at || !text.is_empty() {
                out.push(Splice {
                    range: at..to,
                    text: std::mem::take(text),
                });
            }
        };
        for piece in &self.pieces {
            match piece {
                Piece::New(new) => text.push_str(new),
                Piece::Base { range, .. } => {
                    flush(at, range.start, &mut text);
                    at = range.end;
                }
            }
        }
        flush(at, self.base.len(), &mut text);
        out
    }

    /// Our ranges in the current text: offset and length, joined.
    pub(super) fn ours(&self) -> Vec<(u64, u64)> {
        let mut out: Vec<(u64, u64)> = Vec::new();
        let mut at = 0;
        for piece in &self.pieces {
            let len = piece.len() as u64;
            if !matches!(piece, Piece::Base { ours: false, .. }) && len > 0 {
                match out.last_mut() {
                    Some((start, n)) if *start + *n == at => *n += len,
                    _ => out.push((at, len)),
                }
            }
            at += len;
        }
        out
    }

    /// Fingerprint of what isn't ours. `base`: that of the base, which it is where nothing of it was ours or goes.
    pub(super) fn origin(&self, base: Option<&Print>) -> Print {
        let theirs = || {
            let theirs = |p: &&Piece| matches!(p, Piece::Base { ours: false, .. });
            self.pieces.iter().filter(theirs)
        };
        match base {
            Some(print) if theirs().map(Piece::len).sum::<usize>() == self.base.len() => {
                print.clone()
            }
            _ => print_of(theirs().map(|p| self.bytes(p))),
        }
    }

    /// Is nothing but white space in the current text? A byte order mark counts as such.
    pub(super) fn is_blank(&self) -> bool {
        let plain = |p: &Piece| self.bytes(p).trim_start_matches(BOM).trim().is_empty();
        self.pieces.iter().all(plain)
    }

    /// How what isn't ours is laid out in the current text.
    pub(super) fn layout(&self, format: Format) -> Option<Layout> {
        let ours = self.ours().into_iter();
        let ours: Vec<Range<usize>> = ours
            .map(|(at, len)| at as usize..(at + len) as usize)
            .collect();
        Layout::of(format, &self.text(), &ours)
    }

    /// Fingerprint of the current text.
    pub(super) fn print(&self) -> Print {
        print_of(self.pieces.iter().map(|p| self.bytes(p)))
    }
}

/// The fingerprint of a text given in parts.
pub fn print_of<'p>(parts: impl Iterator<Item = &'p str>) -> Print {
    Print::of_parts(parts.map(str::as_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(range: Range<usize>, text: &str) -> Splice {
        Splice {
            range,
            text: text.to_owned(),
        }
    }

    #[test]
    fn rounds_of_splices_are_one_list_from_the_base() {
        let mut p = Pieces::new("abcdef", std::slice::from_ref(&(1..2)));
        p.splice(&[splice(0..0, "<"), splice(3..4, "XY")]);
        assert_eq!(p.text(), "<abcXYef");
        p.splice(&[splice(1..5, ""), splice(8..8, ">")]);
        assert_eq!(p.text(), "<Yef>");
        assert_eq!(crate::doc::apply("abcdef", &p.splices()), "<Yef>");
        assert_eq!(p.ours(), [(0, 2), (4, 1)]);
        assert_eq!(p.origin(None), print_of(["ef"].into_iter()));
    }
}
