//! The members of a JSON text and the white space around them, for [`crate::doc::layout`]. It decides nothing.

use super::verify::{Token, Tokens};
use crate::doc::layout::{Member, SEED, below, piece};

/// A container that is open.
struct Frame {
    /// What stands for the keys that lead here; `None`: an array is among them, whose elements have no names.
    keys: Option<u64>,
    /// The member whose value comes next.
    key: Option<u64>,
    object: bool,
    /// An array's elements so far, and the white space before the first.
    elements: usize,
    first: (usize, String),
}

/// The first members, in the order of the text; those in arrays are left out. Of an array that isn't empty the white
/// space before its first element is told as well, by how many it has: an edit of the list is no other layout.
/// Says whether a comment stands among them. `None`: it isn't grammatical.
pub(super) fn members(text: &str, limit: usize) -> Option<(Vec<Member>, bool)> {
    let mut out: Vec<Member> = Vec::new();
    let mut open: Vec<Frame> = Vec::new();
    // The white space since the last token that is no comment, in pieces.
    let mut gap: Vec<&str> = Vec::new();
    let mut end = crate::doc::text::bom_len(text);
    let mut comments = false;
    let mut key: Option<(u64, usize, Vec<String>)> = None;
    for (token, range) in Tokens::new(text) {
        gap.push(text.get(end..range.start)?);
        end = range.end;
        if matches!(token, Token::Comment { .. }) {
            comments = true;
            continue;
        }
        let space = piece(&gap);
        let before = (range.start, space.to_owned());
        match token {
            Token::Wrong => return None,
            Token::String
                if key.is_none() && open.last().is_some_and(|f| f.object && f.key.is_none()) =>
            {
                let frame = open.last_mut()?;
                let name = text.get(range.clone())?;
                let keys = below(frame.keys.unwrap_or(SEED), name);
                frame.key = Some(keys);
                if frame.keys.is_some() {
                    key = Some((keys, range.start, vec![space.to_owned()]));
                }
            }
            Token::Colon => {
                if let Some((_, _, spaces)) = &mut key {
                    spaces.push(space.to_owned());
                }
            }
            Token::Comma | Token::Close(_) => {
                if let Token::Close(_) = token {
                    let frame = open.pop()?;
                    if let (Some(keys), false, n @ 1..) = (frame.keys, frame.object, frame.elements)
                    {
                        let keys = below(keys, &format!("[{n}]"));
                        out.push(Member::new(keys, &[&frame.first.1], frame.first.0));
                    }
                }
                if let Some(frame) = open.last_mut().filter(|_| token == Token::Comma) {
                    frame.key = None;
                }
            }
            Token::Open(_) | Token::String | Token::Word => {
                let mut inner = Some(SEED).filter(|_| open.is_empty());
                if let Some(frame) = open.last_mut() {
                    if frame.object {
                        inner = frame.key.filter(|_| frame.keys.is_some());
                    } else {
                        frame.elements += 1;
                        if frame.elements == 1 {
                            frame.first = before;
                        }
                    }
                }
                if let Some((keys, at, mut spaces)) = key.take() {
                    spaces.push(space.to_owned());
                    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
                    out.push(Member::new(keys, &spaces, at));
                    if out.len() >= limit {
                        break;
                    }
                }
                if let Token::Open(bracket) = token {
                    open.push(Frame {
                        keys: inner,
                        key: None,
                        object: bracket == b'{',
                        elements: 0,
                        first: (0, String::new()),
                    });
                }
            }
            Token::Comment { .. } => {}
        }
        gap.clear();
    }
    out.sort_by_key(|m| m.at());
    Some((out, comments))
}
