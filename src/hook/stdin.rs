//! Reads exactly one JSON object from a stream that may never end. May not interpret it.
//!
//! Agents don't all close a hook's stdin (spec 7.2: "no EOF"), so the end of the value is found while
//! reading; garbage is noticed at its first wrong byte and not at the end of the stream.

use std::io::{ErrorKind, Read};

/// The most that is read: 16 MiB.
pub const CAP: usize = 16 << 20;
/// The deepest nesting.
pub const DEPTH: usize = 120;

/// Why there is no payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// Nothing came before the end.
    Empty,
    /// It isn't JSON, or ended too early: what was found.
    NotJson(String),
    /// Another kind of JSON value.
    NotObject,
    /// Larger than [`CAP`].
    TooBig,
    /// Nested deeper than [`DEPTH`].
    TooDeep,
    /// It didn't come in time.
    Slow,
    /// The stream can't be read.
    Io(String),
}

impl Broken {
    /// One sentence for people, lower case.
    pub fn sentence(&self) -> String {
        match self {
            Self::Empty => "the hook got no payload on its standard input".to_owned(),
            Self::NotJson(what) => format!("the payload is not valid JSON ({what})"),
            Self::NotObject => "the payload is not a JSON object".to_owned(),
            Self::TooBig => format!("the payload is larger than {} MiB", CAP >> 20),
            Self::TooDeep => format!("the payload is nested deeper than {DEPTH} levels"),
            Self::Slow => "the payload did not arrive in time".to_owned(),
            Self::Io(e) => format!("the payload cannot be read ({e})"),
        }
    }
}

/// Reads up to the end of the first JSON object; bytes behind it are ignored.
pub fn read(input: &mut dyn Read) -> Result<Vec<u8>, Broken> {
    let mut text = Vec::with_capacity(8 << 10);
    let mut chunk = vec![0; 8 << 10];
    let mut scan = Scan::default();
    loop {
        let got = match input.read(&mut chunk) {
            Ok(0) => return Err(scan.ended()),
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) if e.kind() == ErrorKind::TimedOut => return Err(Broken::Slow),
            Err(e) => return Err(Broken::Io(e.to_string())),
        };
        let new = chunk.get(..got).unwrap_or_default();
        let end = scan.feed(new)?;
        text.extend_from_slice(new.get(..end.unwrap_or(got)).unwrap_or_default());
        if text.len() > CAP {
            return Err(Broken::TooBig);
        }
        if end.is_some() {
            if text.starts_with(b"\xef\xbb\xbf") {
                text.drain(..3);
            }
            return Ok(text);
        }
        if got == chunk.len() && chunk.len() < 1 << 20 {
            chunk.resize(chunk.len() * 4, 0);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Start,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Text,
    Escape,
    Word,
    /// What is missing of a `true`, `false` or `null` that is the whole payload.
    Literal(&'static [u8]),
}

/// Where we are in the value; the grammar up to words and numbers, which the parser checks.
#[derive(Debug, Default)]
struct Scan {
    state: State,
    /// One a level: is it an object?
    open: Vec<bool>,
    /// The string under way is a key.
    key: bool,
    seen: usize,
}

impl Scan {
    /// Goes on; the offset in `bytes` behind the value, once it has ended.
    fn feed(&mut self, bytes: &[u8]) -> Result<Option<usize>, Broken> {
        for (i, &b) in bytes.iter().enumerate() {
            self.seen += 1;
            if let State::Literal(rest) = self.state {
                self.literal(rest, b, bytes.get(i + 1))?;
            } else if self.step(b)? {
                return Ok(Some(i + 1));
            }
        }
        Ok(None)
    }

    fn step(&mut self, b: u8) -> Result<bool, Broken> {
        match self.state {
            State::Text => match b {
                b'"' if self.key => self.state = State::Colon,
                b'"' => self.state = State::CommaOrEnd,
                b'\\' => self.state = State::Escape,
                0..=0x1f => return Err(self.wrong("a raw control character in a string")),
                _ => {}
            },
            State::Escape => self.state = State::Text,
            State::Word if b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.') => {}
            State::Word => {
                self.state = State::CommaOrEnd;
                return self.step(b);
            }
            _ if matches!(b, b' ' | b'\t' | b'\r' | b'\n') => {}
            // Its bytes don't come here.
            State::Literal(_) => {}
            State::Start => return self.start(b).map(|()| false),
            State::Value | State::ValueOrEnd => return self.value(b),
            State::Key | State::KeyOrEnd => match b {
                b'"' => (self.state, self.key) = (State::Text, true),
                b'}' if self.state == State::KeyOrEnd => return self.close(true),
                _ => return Err(self.wrong("no key where one must stand")),
            },
            State::Colon if b == b':' => self.state = State::Value,
            State::Colon => return Err(self.wrong("no colon after a key")),
            State::CommaOrEnd => match (b, self.open.last()) {
                (b',', Some(true)) => self.state = State::Key,
                (b',', _) => self.state = State::Value,
                (b'}', _) => return self.close(true),
                (b']', _) => return self.close(false),
                _ => return Err(self.wrong("neither comma nor end after a value")),
            },
        }
        Ok(false)
    }

    fn start(&mut self, b: u8) -> Result<(), Broken> {
        match b {
            // A byte order mark.
            0xef if self.seen == 1 => Ok(()),
            0xbb if self.seen == 2 => Ok(()),
            0xbf if self.seen == 3 => Ok(()),
            b'{' => self.descend(true),
            b'[' | b'"' | b'-' | b'0'..=b'9' => Err(Broken::NotObject),
            b't' => self.expect(b"rue"),
            b'f' => self.expect(b"alse"),
            b'n' => self.expect(b"ull"),
            _ => Err(self.wrong("it does not begin with `{`")),
        }
    }

    fn expect(&mut self, rest: &'static [u8]) -> Result<(), Broken> {
        self.state = State::Literal(rest);
        Ok(())
    }

    /// The next byte of a literal; `after` is the one behind it, where that has come too.
    fn literal(&mut self, rest: &'static [u8], b: u8, after: Option<&u8>) -> Result<(), Broken> {
        match rest.split_first() {
            Some((expected, [])) if *expected == b => match after {
                Some(more) if !more.is_ascii_whitespace() => {
                    Err(self.wrong("it does not begin with `{`"))
                }
                _ => Err(Broken::NotObject),
            },
            Some((expected, rest)) if *expected == b => self.expect(rest),
            _ => Err(self.wrong("it does not begin with `{`")),
        }
    }

    fn value(&mut self, b: u8) -> Result<bool, Broken> {
        match b {
            b'{' => self.descend(true)?,
            b'[' => self.descend(false)?,
            b'"' => (self.state, self.key) = (State::Text, false),
            b']' if self.state == State::ValueOrEnd => return self.close(false),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => self.state = State::Word,
            _ => return Err(self.wrong("no value where one must stand")),
        }
        Ok(false)
    }

    fn descend(&mut self, object: bool) -> Result<(), Broken> {
        if self.open.len() >= DEPTH {
            return Err(Broken::TooDeep);
        }
        self.open.push(object);
        self.state = if object {
            State::KeyOrEnd
        } else {
            State::ValueOrEnd
        };
        Ok(())
    }

    fn close(&mut self, object: bool) -> Result<bool, Broken> {
        if self.open.pop() != Some(object) {
            return Err(self.wrong("a bracket of the wrong kind"));
        }
        self.state = State::CommaOrEnd;
        Ok(self.open.is_empty())
    }

    fn ended(&self) -> Broken {
        if self.state == State::Start {
            return Broken::Empty;
        }
        self.wrong("it ends in the middle")
    }

    fn wrong(&self, what: &str) -> Broken {
        Broken::NotJson(format!("{what}, byte {}", self.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that never ends: after its bytes, reading fails the test.
    struct Open<'a>(&'a [u8]);

    impl Read for Open<'_> {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            assert!(!self.0.is_empty(), "read beyond what decides");
            self.0.read(buf)
        }
    }

    fn open(text: &[u8]) -> Result<Vec<u8>, Broken> {
        read(&mut Open(text))
    }

    #[test]
    fn the_end_of_the_value_ends_the_reading() {
        for text in [
            r#"{}"#,
            r#"{"a":[1,-2.5e3,true,null,{"b":"}]\""}],"c":{}}"#,
            " \n{ \"a\" : [ ] , \"b\" : \"\u{e9}\\u00e9\" }",
        ] {
            let got = open(text.as_bytes()).unwrap();
            assert_eq!(got, text.as_bytes(), "{text}");
            serde_json::from_slice::<serde_json::Value>(&got).unwrap();
        }
        assert_eq!(open(b"{} trailing").unwrap(), b"{}");
        assert_eq!(open(b"\xef\xbb\xbf{\"a\":1}").unwrap(), b"{\"a\":1}");
    }

    #[test]
    fn garbage_is_noticed_while_the_stream_is_open() {
        for text in [
            "hello",
            "{a",
            "{\"a\" 1",
            "{\"a\":}",
            "{\"a\":1]",
            "{,",
            "{\"a\":\"x\n",
        ] {
            assert!(
                matches!(open(text.as_bytes()), Err(Broken::NotJson(_))),
                "{text}"
            );
        }
        for text in [
            "nullx",
            "truefalse",
            "nul",
            "nil",
            "falsy",
            "None",
            "NaN",
            "true,",
        ] {
            let got = read(&mut text.as_bytes());
            assert!(matches!(got, Err(Broken::NotJson(_))), "{text}: {got:?}");
        }
        let other = [
            "[1]",
            "[",
            "42",
            "-1",
            "\"x\"",
            "null",
            "true",
            "false",
            " \n null\n",
            "\u{feff}true",
        ];
        for text in other {
            assert_eq!(open(text.as_bytes()), Err(Broken::NotObject), "{text}");
        }
        // Byte by byte it is the same.
        for text in ["null", "[1]", "42", "false"] {
            let mut slow = Scan::default();
            let mut bytes = text.bytes().map(|b| slow.feed(&[b]));
            assert!(bytes.any(|r| r == Err(Broken::NotObject)), "{text}");
        }
    }

    #[test]
    fn empty_short_deep_and_huge_streams_are_told_apart() {
        assert_eq!(read(&mut &b""[..]), Err(Broken::Empty));
        assert_eq!(read(&mut &b" \n"[..]), Err(Broken::Empty));
        assert!(matches!(
            read(&mut &b"{\"a\":"[..]),
            Err(Broken::NotJson(_))
        ));
        let deep = format!("{{\"a\":{}", "[".repeat(1000));
        assert_eq!(open(deep.as_bytes()), Err(Broken::TooDeep));
        let huge = format!("{{\"a\":\"{}", "x".repeat(CAP + 1));
        assert_eq!(open(huge.as_bytes()), Err(Broken::TooBig));
    }
}
