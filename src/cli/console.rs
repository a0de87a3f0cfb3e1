//! Standard output and standard error as a command sees them. Decides nothing about content.
//!
//! Results and diffs go to the one, talk to the other. A reader that has gone away (`gitvow … | head`) ends
//! the output quietly and never a command's work.

use super::args::Color;
use super::escape;
use super::render::Look;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::io::{ErrorKind, Write};

/// Both streams, and whether each takes colour.
pub struct Console<'a> {
    out: Stream<'a>,
    err: Stream<'a>,
}

/// One of the two.
pub struct Stream<'a> {
    /// Where it goes.
    pub to: &'a mut dyn Write,
    /// Is it a terminal?
    pub terminal: bool,
    /// Does it take colour?
    pub colour: bool,
}

impl<'a> Stream<'a> {
    /// A stream whose colour follows `--color` and `NO_COLOR`.
    pub fn new(to: &'a mut dyn Write, terminal: bool, wish: Color, no_color: bool) -> Self {
        let colour = match wish {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !no_color,
        };
        Self {
            to,
            terminal,
            colour,
        }
    }

    fn look(&self) -> Look {
        Look {
            colour: self.colour,
            terminal: self.terminal,
        }
    }
}

impl<'a> Console<'a> {
    /// From the two streams.
    pub fn new(out: Stream<'a>, err: Stream<'a>) -> Self {
        Self { out, err }
    }

    /// What standard output can do.
    pub fn look(&self) -> Look {
        self.out.look()
    }

    /// What standard error can do.
    pub fn look_err(&self) -> Look {
        self.err.look()
    }

    /// Prints a result as it stands: JSON, and text that the renderer has made.
    pub fn print(&mut self, text: &str) -> Result<()> {
        match self
            .out
            .to
            .write_all(text.as_bytes())
            .and_then(|()| self.out.to.flush())
        {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                Err(Error::failed("output", "cannot write to standard output")
                    .because(e.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Text from files, such as a diff: as it stands for a file or a pipe, escaped for a terminal.
    pub fn foreign<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.out.terminal {
            escape::text(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Says something on standard error. A closed one is nobody's fault.
    pub fn say(&mut self, text: &str) {
        let _ = self.err.to.write_all(text.as_bytes());
        let _ = self.err.to.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails each write with one kind of error.
    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn printed(kind: ErrorKind) -> Result<()> {
        let (mut out, mut err) = (Broken(kind), Vec::new());
        Console::new(
            Stream::new(&mut out, false, Color::Auto, false),
            Stream::new(&mut err, false, Color::Auto, false),
        )
        .print("x\n")
    }

    #[test]
    fn a_reader_that_left_is_no_failure_but_a_full_disk_is() {
        assert_eq!(printed(ErrorKind::BrokenPipe), Ok(()));
        assert!(printed(ErrorKind::StorageFull).is_err());
    }

    #[test]
    fn colour_follows_the_wish_then_the_terminal() {
        let cases = [
            (Color::Auto, true, false, true),
            (Color::Auto, true, true, false),
            (Color::Auto, false, false, false),
            (Color::Always, false, true, true),
            (Color::Never, true, false, false),
        ];
        for (wish, terminal, no_color, expected) in cases {
            let mut sink = Vec::new();
            let stream = Stream::new(&mut sink, terminal, wish, no_color);
            assert_eq!(stream.colour, expected, "{wish:?} {terminal} {no_color}");
        }
    }

    #[test]
    fn only_a_terminal_is_protected_from_a_file_s_text() {
        for (terminal, expected) in [(true, "\\x1b[0m\n"), (false, "\u{1b}[0m\n")] {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let console = Console::new(
                Stream::new(&mut out, terminal, Color::Auto, false),
                Stream::new(&mut err, false, Color::Auto, false),
            );
            assert_eq!(console.foreign("\u{1b}[0m\n"), expected);
        }
    }
}
