//! From simple commands to the programs that really run: prefixes are stepped over, and commands given
//! as text (`sh -c`, `eval`, heredocs of a shell) are read in turn. May not run or look up anything.

use super::lex::{Simple, split};
use super::pipes;
use super::vars::{Var, assignment};
use super::wrappers::{self, Prefix};

/// The deepest nesting of commands given as text.
const DEPTH: usize = 12;
/// The most commands that are read of one line: text in text can stand for exponentially many.
const MOST: usize = 4096;
/// The most words that they may have together.
const MOST_WORDS: usize = 1 << 18;

/// A program with its arguments. Prefixes (`sudo`, `xargs`, …) are commands of their own before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The base name (`/usr/bin/git` is `git`); empty when there are only redirections.
    pub program: String,
    /// Everything behind it, quotes taken off.
    pub args: Vec<String>,
    /// Programs that run this one's output: `sh` in `curl … | sh` and in `sh -c "$(curl …)"`.
    pub feeds: Vec<String>,
    /// Files that its redirections write.
    pub writes: Vec<String>,
    /// Its heredocs and here-strings.
    pub here: Vec<String>,
}

/// What could be read of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The commands, in the order in which they stand.
    pub commands: Vec<Command>,
    /// A part of it can't be tokenised.
    pub unreadable: bool,
}

/// Reads a line.
pub fn read(text: &str) -> Reading {
    let mut reader = Reader::default();
    reader.text(text, 0);
    reader.out.unreadable |= reader.full;
    reader.out
}

/// `/usr/bin/git`, `git.exe` and zsh's `=git` are `git`.
pub fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_prefix('=').unwrap_or(name);
    let bare = name
        .strip_suffix(".exe")
        .or_else(|| name.strip_suffix(".EXE"));
    bare.unwrap_or(name)
}

/// A reading under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    pub(super) out: Reading,
    /// There is more in it than is read.
    full: bool,
    /// The words of its commands, those of prefixes counted again.
    held: usize,
    /// What the line has set so far.
    pub(super) vars: Vec<Var>,
    /// Aliases of git that the line has set so far.
    pub(super) aliases: Vec<(String, String)>,
}

/// What a simple command turned out to be.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) program: String,
    /// Indices of its commands in the reading.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Runs what comes on standard input, what stands in its words, the files that they name.
    pub(super) runs_stdin: bool,
    pub(super) runs_words: bool,
    pub(super) runs_files: bool,
    /// Runs these words with what comes on standard input behind them, or in the place of a word (`xargs`).
    pub(super) takes: Option<(Vec<String>, Option<String>)>,
}

impl Seen {
    /// Something that it runs runs what comes on standard input.
    pub(super) fn runs(&mut self, runner: Option<String>) {
        if let Some(program) = runner {
            self.runs_stdin = true;
            self.program = program;
        }
    }
}

impl Reader {
    /// Reads a text as a shell would run it. Which program in it runs what comes on standard input?
    pub(super) fn text(&mut self, text: &str, depth: usize) -> Option<String> {
        if depth > DEPTH || self.out.commands.len() >= MOST || self.full {
            self.full = true;
            return None;
        }
        let simples = match split(text, &mut self.vars) {
            Ok(simples) if simples.len() <= MOST => simples,
            _ => {
                self.out.unreadable = true;
                return None;
            }
        };
        let seen: Vec<Seen> = simples.iter().map(|s| self.simple(s, depth)).collect();
        for (simple, me) in simples.iter().zip(&seen) {
            let mut feeds = Vec::new();
            for (other, their) in simples.iter().zip(&seen) {
                // `iex (iwr …)`: PowerShell's parentheses.
                let behind = other.pipeline == simple.pipeline
                    && (other.id > simple.id || (other.id < simple.id && their.program == "iex"));
                let around = simple.inside.iter().any(|(parent, file)| {
                    *parent == other.id
                        && (their.runs_words
                            || (*file && their.runs_files)
                            || (their.runs_stdin && !other.here.is_empty()))
                });
                if (behind && their.runs_stdin) || around {
                    feeds.push(their.program.clone());
                    for text in pipes::printed(me, simple, &self.out) {
                        if !wrappers::interprets(&their.program) {
                            self.text(&text, depth + 1);
                        }
                    }
                }
                if let Some((words, place)) = their.takes.as_ref().filter(|_| behind) {
                    for text in pipes::printed(me, simple, &self.out) {
                        self.taken(words, place.as_deref(), &text, depth);
                    }
                }
            }
            for command in self
                .out
                .commands
                .get_mut(me.from..me.to)
                .unwrap_or_default()
            {
                command.feeds.extend(feeds.iter().cloned());
            }
        }
        let runner = seen.into_iter().find(|s| s.runs_stdin);
        runner.map(|s| s.program)
    }

    /// Reads a text that may be none for a shell: if it can't be read, that says nothing.
    pub(super) fn perhaps(&mut self, text: &str, depth: usize) -> Option<String> {
        let before = self.out.unreadable;
        let stdin = self.text(text, depth);
        self.out.unreadable = before;
        stdin
    }

    fn simple(&mut self, simple: &Simple, depth: usize) -> Seen {
        let from = self.out.commands.len();
        let mut seen = self.words(&simple.words, &simple.here, depth);
        (seen.from, seen.to) = (from, self.out.commands.len());
        if seen.to == from && (!simple.writes.is_empty() || !simple.here.is_empty()) {
            self.out.commands.push(Command::default());
            seen.to += 1;
        }
        if let Some(first) = self.out.commands.get_mut(from) {
            first.writes.clone_from(&simple.writes);
            first.here.clone_from(&simple.here);
        }
        seen
    }

    /// A command with a text behind it, or in the place of a word.
    pub(super) fn taken(
        &mut self,
        words: &[String],
        place: Option<&str>,
        text: &str,
        depth: usize,
    ) {
        if !self.full {
            self.words(&pipes::taken(words, place, text), &[], depth + 1);
        }
    }

    pub(super) fn push(&mut self, program: &str, args: &[String]) {
        self.held += 1 + args.len();
        if self.held > MOST_WORDS {
            self.full = true;
            return;
        }
        self.out.commands.push(Command {
            program: program.to_owned(),
            args: args.to_vec(),
            ..Command::default()
        });
    }

    /// Reads the words of one command.
    pub(super) fn words(&mut self, words: &[String], here: &[String], depth: usize) -> Seen {
        let mut words = words;
        let mut seen = Seen::default();
        let mut set: Vec<(String, String)> = Vec::new();
        // A prefix takes at least itself away, so this ends.
        while let Some((first, args)) = words.split_first() {
            if self.out.commands.len() >= MOST || depth > DEPTH || self.full {
                self.full = true;
                break;
            }
            if let Some((name, value)) = assignment(first) {
                set.push((name.to_owned(), value.to_owned()));
                words = args;
                continue;
            }
            if is_keyword(first) {
                // `coproc NAME { …; }`
                let named = first == "coproc" && args.get(1).is_some_and(|w| w == "{");
                words = args.get(usize::from(named)..).unwrap_or_default();
                continue;
            }
            if first == "function" {
                words = args.get(1..).unwrap_or_default();
                continue;
            }
            let program = base_name(first);
            program.clone_into(&mut seen.program);
            self.push(program, args);
            if let Some(prefix) = Prefix::of(program) {
                match self.prefix(prefix, args, depth, &mut seen) {
                    Some(behind) => words = behind,
                    None => break,
                }
                continue;
            }
            self.program(program, args, here, depth, &mut seen);
            break;
        }
        self.set(&set, words, depth);
        seen
    }

    /// A program that runs the rest of its line: the words behind its own, if they are to be read as they stand.
    fn prefix<'w>(
        &mut self,
        prefix: &Prefix,
        args: &'w [String],
        depth: usize,
        seen: &mut Seen,
    ) -> Option<&'w [String]> {
        if let Some(text) = prefix.text(args) {
            seen.runs(self.text(&text, depth + 1));
            seen.runs_words = true;
        }
        let behind = prefix.behind(args);
        if prefix.joined {
            let own = behind.iter().take_while(|w| *w != ":::");
            let text = own.map(String::as_str).collect::<Vec<_>>().join(" ");
            seen.runs(self.text(&text, depth + 1));
            seen.runs_words = true;
        }
        match prefix.name {
            "xargs" => {
                let place = prefix.value(args, "I", "replace");
                // `xargs -I{} sh -c {}`
                let whole = |w: &String| place.as_deref() == Some(w.trim());
                seen.runs_stdin = behind.iter().skip(1).any(whole)
                    && behind
                        .first()
                        .is_some_and(|w| wrappers::is_shell(base_name(w)));
                seen.takes = Some((behind.to_vec(), place));
            }
            "parallel" => {
                let (words, values) = pipes::parallel(behind);
                for value in values {
                    self.taken(words, Some("{}"), value, depth);
                }
                seen.takes = Some((words.to_vec(), Some("{}".to_owned())));
            }
            _ => {}
        }
        (!prefix.joined).then_some(behind)
    }
}

/// Does it stand before a command without being one?
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The last four are fish's.
const KEYWORDS: [&str; 18] = [
    "then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "fi", "done", "esac",
    "coproc", "and", "or", "not", "begin",
];
