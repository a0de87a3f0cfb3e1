//! The second reader: `toml_parser`, which `toml_edit` stands on. May not locate anything; it says whether a text is TOML and
//! gives its tokens, so that the scan can be checked and an edit proven without building trees.

use super::marks::{Mark, Marks};
use crate::doc::Fault;
use std::borrow::Cow;
use toml_edit::Datetime;
use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::parser::{Event, EventKind, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, ParseError, Raw, Source};

/// A token of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub mark: Mark,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
}

/// The tokens of a text, white space and newlines left out.
#[derive(Debug)]
pub(super) struct Tokens {
    /// In the order of the text.
    pub list: Vec<Token>,
    /// Their digest.
    pub marks: Marks,
}

/// Reads a text strictly. Tables defined twice are not its business.
///
/// `cuts` are ascending starts of lines at which expressions begin: what stands between two is read by itself, since
/// `toml_parser` first lists every lexeme (24 bytes each, 80 MB for a text of 8 MB). A cut in the wrong place makes the
/// pieces unreadable, or their tokens others than the scan's.
pub(super) fn read(text: &str, cuts: &[usize]) -> Result<Tokens, Fault> {
    let mut tokens = Tokens {
        list: Vec::new(),
        marks: Marks::default(),
    };
    let ends = cuts.iter().copied().chain([text.len()]);
    let mut start = 0;
    for end in ends {
        let piece = text.get(start..end).unwrap_or_default();
        read_piece(piece, start, &mut tokens).map_err(|e| refusal(&e, start))?;
        start = end;
    }
    Ok(tokens)
}

fn read_piece(text: &str, base: usize, tokens: &mut Tokens) -> Result<(), ParseError> {
    let source = Source::new(text);
    let lexed = source.lex().into_vec();
    let mut fault: Option<ParseError> = None;
    let mut wrong: Option<ParseError> = None;
    {
        let mut receive = |event: Event| {
            if let Some(mark) = mark_of(event.kind()) {
                let (start, end) = (base + event.span().start(), base + event.span().end());
                tokens.marks.push(mark, start, end);
                tokens.list.push(Token {
                    mark,
                    start: u32::try_from(start).unwrap_or(u32::MAX),
                    end: u32::try_from(end).unwrap_or(u32::MAX),
                });
                if wrong.is_none() {
                    content(source, event, mark, &mut wrong);
                }
            }
        };
        let mut spaces = ValidateWhitespace::new(&mut receive, source);
        let mut guard = RecursionGuard::new(&mut spaces, 80);
        parse_document(&lexed, &mut guard, &mut fault);
    }
    match fault.or(wrong) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

fn refusal(error: &ParseError, base: usize) -> Fault {
    let at = error.unexpected().or(error.context());
    let at = at.map(|s| base + s.start());
    let message = error.description().to_owned();
    let code = if message.contains("recurs") {
        "too-deep"
    } else {
        "unparseable"
    };
    Fault { code, message, at }
}

fn mark_of(kind: EventKind) -> Option<Mark> {
    Some(match kind {
        EventKind::StdTableOpen | EventKind::ArrayTableOpen => Mark::Header,
        EventKind::StdTableClose | EventKind::ArrayTableClose => Mark::HeaderEnd,
        EventKind::InlineTableOpen | EventKind::ArrayOpen => Mark::Open,
        EventKind::InlineTableClose | EventKind::ArrayClose => Mark::Close,
        EventKind::SimpleKey => Mark::Key,
        EventKind::KeySep => Mark::Dot,
        EventKind::KeyValSep => Mark::Equals,
        EventKind::Scalar => Mark::Scalar,
        EventKind::ValueSep => Mark::Comma,
        EventKind::Comment => Mark::Comment,
        EventKind::Whitespace | EventKind::Newline | EventKind::Error => return None,
    })
}

/// Checks what a key or scalar says.
fn content(source: Source<'_>, event: Event, mark: Mark, wrong: &mut Option<ParseError>) {
    let text = source
        .input()
        .get(event.span().start()..event.span().end())
        .unwrap_or_default();
    let raw = Raw::new_unchecked(text, event.encoding(), event.span());
    match mark {
        Mark::Key | Mark::Scalar if plain(text, event.encoding()) => {}
        Mark::Key => raw.decode_key(&mut (), wrong),
        Mark::Scalar if number(text) => {}
        Mark::Scalar => {
            let mut out = Cow::Borrowed("");
            let kind = raw.decode_scalar(&mut out, wrong);
            let sound = match kind {
                ScalarKind::Integer(radix) => i64::from_str_radix(&out, radix.value()).is_ok(),
                ScalarKind::Float => out.parse::<f64>().is_ok(),
                ScalarKind::DateTime => out.parse::<Datetime>().is_ok(),
                ScalarKind::String | ScalarKind::Boolean(_) => true,
            };
            if !sound {
                wrong.report_error(
                    ParseError::new(kind.invalid_description()).with_unexpected(event.span()),
                );
            }
        }
        _ => {}
    }
}

/// A string of printable ASCII without escapes needs no decoding.
fn plain(text: &str, encoding: Option<Encoding>) -> bool {
    matches!(
        encoding,
        Some(Encoding::BasicString | Encoding::LiteralString)
    ) && text.len() >= 2
        && text
            .bytes()
            .all(|b| (b' '..=b'~').contains(&b) && b != b'\\')
}

/// Nor does a small number.
fn number(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() < 18
        && bytes.iter().all(u8::is_ascii_digit)
        && (bytes.first() != Some(&b'0') || bytes.len() == 1)
        && !bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::scan::Scan;
    use super::*;

    #[test]
    fn in_pieces_a_text_has_the_same_tokens() {
        let mut text = "\u{feff}first = 1\r\n".to_owned();
        for n in 0..4000 {
            text += &match n % 5 {
                0 => format!("[t{n}] # {{ [\nk = \"\\u00e9 [x]\"\n"),
                1 => format!("list{n} = [\n  1, # ]\n  \"\"\"\n[no{n}]\nk = 1\n\"\"\",\n]\n"),
                2 => format!("text{n} = '''\nk{n} = 1\n[[x]]\n'''\n\n"),
                3 => "[[a.b]]\nc = { d = [1, 2], e.f = 1979-05-27T07:32:00Z }\r\n".to_owned(),
                _ => format!("  q{n}.\"r s\" = 0x1F\n"),
            };
        }
        let scan = Scan::new(&text).unwrap();
        assert!(scan.cuts.len() > 3, "{:?}", scan.cuts);
        let (whole, pieces) = (read(&text, &[]).unwrap(), read(&text, &scan.cuts).unwrap());
        assert_eq!(pieces.list, whole.list);
        assert_eq!(pieces.marks, whole.marks);
        assert_eq!(pieces.marks, scan.marks);
        // A cut within a value is noticed.
        let within = text.find("[no").unwrap();
        assert_ne!(
            read(&text, &[within]).ok().map(|t| t.marks),
            Some(whole.marks)
        );
        // A fault in a later piece has its own place.
        let broken = format!("{text}k k = 1\n");
        let fault = read(&broken, &scan.cuts).unwrap_err();
        assert!(fault.at.unwrap() >= text.len(), "{fault:?}");
    }
}
