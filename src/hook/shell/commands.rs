//! From simple commands to the programs that really run: prefixes are stepped over, and commands given
//! as text (`sh -c`, `eval`, heredocs of a shell) are read in turn. May not run or look up anything.

use super::lex::{Simple, split};
use crate::hook::effort;

/// The deepest nesting of commands given as text.
const DEPTH: usize = 12;
/// The most commands that are read of one line: text in text can stand for exponentially many.
const MOST: usize = 4096;

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
    let mut out = Reading::default();
    text_into(text, 0, &mut out);
    out
}

/// `/usr/bin/git` and `git.exe` are `git`.
pub fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// How a shell was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use<'a> {
    /// `-c`: this text.
    Text(&'a str),
    /// A script; its first word.
    Script(&'a str),
    /// It runs what comes on standard input.
    Stdin,
}

/// What a simple command turned out to be.
#[derive(Default)]
struct Seen {
    program: String,
    /// Indices of its commands in the reading.
    from: usize,
    to: usize,
    runs_stdin: bool,
    runs_words: bool,
    runs_files: bool,
}

fn text_into(text: &str, depth: usize, out: &mut Reading) {
    effort::spend(text.len().saturating_mul(8));
    let simples = match split(text) {
        Ok(simples) if depth <= DEPTH && simples.len() <= MOST => simples,
        _ => {
            out.unreadable = true;
            return;
        }
    };
    effort::spend(simples.len() * simples.len());
    let seen: Vec<Seen> = simples.iter().map(|s| simple_into(s, depth, out)).collect();
    for (at, simple) in simples.iter().enumerate() {
        let Some(me) = seen.get(at) else { continue };
        let mut feeds = Vec::new();
        for (other, their) in simples.iter().zip(&seen) {
            let behind = other.id > simple.id && other.pipeline == simple.pipeline;
            let around = match simple.inside {
                Some((parent, file)) if parent == other.id => {
                    their.runs_words || (file && their.runs_files)
                }
                _ => false,
            };
            if (behind && their.runs_stdin) || around {
                feeds.push(their.program.clone());
                piped_text(simple, me, depth, out);
            }
        }
        for command in out.commands.get_mut(me.from..me.to).unwrap_or_default() {
            command.feeds.extend(feeds.iter().cloned());
        }
    }
}

/// `echo "…" | sh` runs what echo prints, `cat <<E | sh` what the heredoc says.
fn piped_text(simple: &Simple, seen: &Seen, depth: usize, out: &mut Reading) {
    match seen.program.as_str() {
        "echo" | "printf" => {
            let words = simple.words.iter().skip(1).map(String::as_str);
            let text = words.collect::<Vec<_>>().join(" ").replace("\\n", "\n");
            text_into(&text, depth + 1, out);
        }
        "cat" => {
            for text in &simple.here {
                text_into(text, depth + 1, out);
            }
        }
        _ => {}
    }
}

fn simple_into(simple: &Simple, depth: usize, out: &mut Reading) -> Seen {
    let from = out.commands.len();
    let mut seen = words_into(&simple.words, &simple.here, depth, out);
    (seen.from, seen.to) = (from, out.commands.len());
    if out.commands.len() == from && (!simple.writes.is_empty() || !simple.here.is_empty()) {
        out.commands.push(Command::default());
        seen.to += 1;
    }
    if let Some(first) = out.commands.get_mut(from) {
        first.writes.clone_from(&simple.writes);
        first.here.clone_from(&simple.here);
    }
    seen
}

fn words_into(words: &[String], here: &[String], depth: usize, out: &mut Reading) -> Seen {
    let mut words = words;
    let mut seen = Seen::default();
    // A prefix takes at least itself away, so this ends.
    while let Some((first, args)) = words.split_first() {
        if out.commands.len() >= MOST {
            out.unreadable = true;
            break;
        }
        if is_assignment(first) || KEYWORDS.contains(&first.as_str()) {
            words = args;
            continue;
        }
        if first == "function" {
            words = args.get(1..).unwrap_or_default();
            continue;
        }
        let program = base_name(first);
        seen.program = program.to_owned();
        out.commands.push(Command {
            program: program.to_owned(),
            args: args.to_vec(),
            ..Command::default()
        });
        if let Some(prefix) = PREFIXES.iter().find(|p| p.name == program) {
            if let Some(text) = prefix.text(args) {
                text_into(&text, depth + 1, out);
            }
            words = prefix.behind(args);
            continue;
        }
        match program {
            _ if SHELLS.contains(&program) => match shell_use(args) {
                Use::Text(text) => {
                    seen.runs_words = true;
                    text_into(text, depth + 1, out);
                }
                Use::Stdin => {
                    seen.runs_stdin = true;
                    for text in here {
                        text_into(text, depth + 1, out);
                    }
                }
                Use::Script(script) => seen.runs_files = script.starts_with("/dev/fd/"),
            },
            "eval" => {
                seen.runs_words = true;
                text_into(&args.join(" "), depth + 1, out);
            }
            "source" | "." => seen.runs_files = true,
            "trap" => {
                if let Some(text) = args.iter().find(|a| !a.starts_with('-')) {
                    text_into(text, depth + 1, out);
                }
            }
            "find" => {
                for (at, arg) in args.iter().enumerate() {
                    if matches!(arg.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                        let rest = args.get(at + 1..).unwrap_or_default();
                        let end = rest.iter().position(|a| a == ";" || a == "+");
                        let inner = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                        if depth < DEPTH {
                            words_into(inner, &[], depth + 1, out);
                        }
                    }
                }
            }
            "git" => git_into(args, depth, out),
            _ => {}
        }
        break;
    }
    seen
}

/// Git runs text too: aliases given on the line, `rebase --exec`, `submodule foreach`, `bisect run`.
fn git_into(args: &[String], depth: usize, out: &mut Reading) {
    for (at, arg) in args.iter().enumerate() {
        let next = args.get(at + 1).map(String::as_str);
        let rest = || args.get(at + 1..).unwrap_or_default().join(" ");
        match arg.as_str() {
            "-c" => {
                let alias = next.and_then(|n| n.strip_prefix("alias.")?.split_once('='));
                let Some((name, text)) = alias else { continue };
                let Some(used) = args.iter().skip(at + 2).position(|a| a == name) else {
                    continue;
                };
                let behind = args.get(at + 3 + used..).unwrap_or_default().join(" ");
                let line = match text.strip_prefix('!') {
                    Some(shell) => format!("{shell} {behind}"),
                    None => format!("git {text} {behind}"),
                };
                text_into(&line, depth + 1, out);
            }
            "--exec" | "-x" => {
                if let Some(text) = next {
                    text_into(text, depth + 1, out);
                }
            }
            "foreach" | "run" => text_into(&rest(), depth + 1, out),
            _ => {
                if let Some(text) = arg.strip_prefix("--exec=") {
                    text_into(text, depth + 1, out);
                }
            }
        }
    }
}

fn shell_use(args: &[String]) -> Use<'_> {
    let (mut text, mut at) = (false, 0);
    let mut options = true;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_str() {
            "--" if options => options = false,
            "-" | "/dev/stdin" if !text => return Use::Stdin,
            "--rcfile" | "--init-file" if options => at += 1,
            "-s" if options && !text => return Use::Stdin,
            a if options && a.len() > 1 && a.starts_with(['-', '+']) => {
                if !a.starts_with("--") {
                    text |= a.starts_with('-') && a.contains('c');
                    // `-o pipefail`, `-eo pipefail`, `-O extglob`: the word behind is the option's.
                    at += usize::from(a.ends_with(['o', 'O']));
                }
            }
            a if text => return Use::Text(a),
            a => return Use::Script(a),
        }
    }
    Use::Stdin
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split_once('[').map_or(name, |(n, _)| n);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

const KEYWORDS: [&str; 14] = [
    "then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "fi", "done", "esac",
    "coproc",
];

const SHELLS: [&str; 9] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash",
];

/// A program that runs the rest of its line.
struct Prefix {
    name: &'static str,
    /// Short options that take the next word.
    short: &'static str,
    /// Long options that take the next word.
    long: &'static [&'static str],
    /// Operands of its own before the program.
    operands: usize,
}

const fn prefix(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        short,
        long,
        operands,
    }
}

const PREFIXES: [Prefix; 27] = [
    prefix(
        "sudo",
        "ughpCrtTUDR",
        &[
            "user",
            "group",
            "host",
            "prompt",
            "chdir",
            "role",
            "type",
            "other-user",
            "chroot",
        ],
        0,
    ),
    prefix("doas", "uC", &[], 0),
    prefix("env", "uC", &["unset", "chdir"], 0),
    prefix("time", "fo", &["format", "output"], 0),
    prefix("nohup", "", &[], 0),
    prefix("exec", "a", &[], 0),
    prefix("command", "", &[], 0),
    prefix("builtin", "", &[], 0),
    prefix("nice", "n", &["adjustment"], 0),
    prefix("ionice", "cnpPu", &["class", "classdata"], 0),
    prefix("timeout", "sk", &["signal", "kill-after"], 1),
    prefix("gtimeout", "sk", &["signal", "kill-after"], 1),
    prefix("stdbuf", "ioe", &["input", "output", "error"], 0),
    prefix("setsid", "", &[], 0),
    prefix(
        "xargs",
        "InPLdasE",
        &[
            "max-args",
            "max-procs",
            "max-lines",
            "delimiter",
            "arg-file",
            "max-chars",
        ],
        0,
    ),
    prefix("parallel", "jN", &["jobs"], 0),
    prefix("watch", "n", &["interval"], 0),
    prefix("chrt", "TPD", &[], 1),
    prefix("taskset", "", &[], 1),
    prefix("strace", "oepsuE", &[], 0),
    prefix("chroot", "", &[], 1),
    prefix("flock", "wE", &["timeout", "wait"], 1),
    prefix("runuser", "ugGs", &["user", "group", "shell"], 0),
    prefix("su", "gGs", &["group", "shell"], 1),
    prefix("unshare", "", &[], 0),
    prefix("busybox", "", &[], 0),
    prefix("caffeinate", "tw", &[], 0),
];

impl Prefix {
    /// The words behind its own.
    fn behind<'a>(&self, args: &'a [String]) -> &'a [String] {
        let (mut at, mut operands) = (0, self.operands);
        while let Some(arg) = args.get(at) {
            if arg == "--" {
                at += 1;
                break;
            }
            if let Some(long) = arg.strip_prefix("--") {
                at += 1 + usize::from(self.long.contains(&long));
            } else if arg.len() > 1 && arg.starts_with('-') {
                let cluster = arg.get(1..).unwrap_or_default();
                let value = cluster.find(|c| self.short.contains(c));
                at += 1 + usize::from(value.is_some_and(|v| v + 1 == cluster.len()));
            } else if is_assignment(arg) && matches!(self.name, "env" | "sudo" | "doas") {
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        args.get(at..).unwrap_or_default()
    }

    /// A command that it takes as one text: `env -S`, `su -c`, `flock f -c`, `watch '…'`.
    fn text(&self, args: &[String]) -> Option<String> {
        let options: &[&str] = match self.name {
            "env" => &["-S", "--split-string"],
            "su" | "flock" | "runuser" => &["-c", "--command"],
            "watch" | "parallel" => return self.behind(args).first().cloned(),
            _ => return None,
        };
        args.iter().enumerate().find_map(|(at, arg)| {
            options.iter().find_map(|option| {
                let rest = || args.get(at + 1..).unwrap_or_default().join(" ");
                if arg == option {
                    return Some(rest());
                }
                let attached = arg.strip_prefix(option)?;
                let value = attached.strip_prefix('=').unwrap_or(attached);
                (option.len() == 2 || attached.starts_with('='))
                    .then(|| format!("{value} {}", rest()))
            })
        })
    }
}
