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
pub(super) fn read(text: &str) -> Result<Tokens, Fault> {
    let source = Source::new(text);
    let lexed = source.lex().into_vec();
    let mut fault: Option<ParseError> = None;
    let mut wrong: Option<ParseError> = None;
    let mut tokens = Tokens {
        list: Vec::with_capacity(lexed.len() / 2),
        marks: Marks::default(),
    };
    {
        let mut receive = |event: Event| {
            if let Some(mark) = mark_of(event.kind()) {
                let span = event.span();
                tokens.marks.push(mark, span.start(), span.end());
                tokens.list.push(Token {
                    mark,
                    start: u32::try_from(span.start()).unwrap_or(u32::MAX),
                    end: u32::try_from(span.end()).unwrap_or(u32::MAX),
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
        Some(error) => Err(refusal(&error)),
        None => Ok(tokens),
    }
}

fn refusal(error: &ParseError) -> Fault {
    let at = error.unexpected().or(error.context()).map(|s| s.start());
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
