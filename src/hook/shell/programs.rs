//! What a program that isn't a mere prefix runs of its words: shells, `eval`, `find`, containers, …. Pure.

use super::commands::{Reader, Seen, base_name};
use super::vars::{BETWEEN, Var, assignment};
use super::{git, pipes, wrappers};

impl Reader {
    /// A program that isn't a prefix: what of its words is run?
    pub(super) fn program(
        &mut self,
        program: &str,
        args: &[String],
        here: &[String],
        depth: usize,
        seen: &mut Seen,
    ) {
        match program {
            _ if wrappers::is_shell(program) => match wrappers::shell_use(args) {
                wrappers::Use::Text(text, rest) => {
                    seen.runs_words = true;
                    self.positional(text, rest, depth, seen);
                }
                wrappers::Use::Stdin => {
                    seen.runs_stdin = true;
                    for text in here {
                        self.text(text, depth + 1);
                    }
                }
                wrappers::Use::Script(script) => seen.runs_files = script.starts_with("/dev/fd/"),
            },
            "$()" => seen.runs_words = true,
            "eval" | "iex" | "Invoke-Expression" => {
                seen.program = if program == "eval" { "eval" } else { "iex" }.to_owned();
                seen.runs_words = true;
                seen.runs_stdin = program != "eval" && args.is_empty();
                let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
                self.text(&args.join(" "), depth + 1);
            }
            "at" | "batch" => {
                seen.runs_stdin = true;
                for text in here {
                    self.text(text, depth + 1);
                }
            }
            "source" | "." => {
                seen.runs_files = true;
                if args.first().is_some_and(|a| a == "/dev/stdin") {
                    seen.runs_stdin = true;
                    for text in here {
                        self.text(text, depth + 1);
                    }
                }
            }
            "trap" => {
                if let Some(text) = args.iter().find(|a| !a.starts_with('-')) {
                    self.text(text, depth + 1);
                }
            }
            "find" | "fd" | "fdfind" => {
                for (inner, dirs) in pipes::executed(program, args) {
                    if dirs.is_empty() || !inner.iter().any(|w| w == "{}") {
                        self.words(inner, &[], depth + 1);
                    }
                    for dir in dirs {
                        self.taken(inner, Some("{}"), &dir, depth);
                    }
                }
                if let Some(removal) = pipes::removed(args).filter(|_| program == "find") {
                    self.words(&removal, &[], depth + 1);
                }
            }
            "git" => self.git(args, depth),
            "powershell" | "pwsh" | "cmd" => {
                if let Some(text) = wrappers::windows(program, args) {
                    seen.runs_words = true;
                    seen.runs(self.text(&text, depth + 1));
                }
            }
            _ if wrappers::interprets(program) => {
                (seen.runs_stdin, seen.runs_words, seen.runs_files) = wrappers::interpreter(args);
            }
            _ => {
                if let Some(args) = git::relative(program, args) {
                    self.words(&args, &[], depth + 1);
                } else if let Some(wrapper) = wrappers::Wrapper::of(program) {
                    self.wrapper(wrapper, args, depth, seen);
                }
            }
        }
    }

    /// `sh -c 'text' name args…`: the text sees them.
    fn positional(&mut self, text: &str, rest: &[String], depth: usize, seen: &mut Seen) {
        let before = self.vars.len();
        let names = (0..rest.len().min(10)).map(|n| n.to_string());
        let all = rest.get(1..).unwrap_or_default().join(BETWEEN);
        let values = names.zip(rest.iter().cloned());
        for (name, value) in values.chain([("@".to_owned(), all.clone()), ("*".to_owned(), all)]) {
            self.vars.push(Var {
                name,
                value,
                owner: 0,
            });
        }
        seen.runs(self.text(text, depth + 1));
        self.vars.truncate(before);
    }

    /// A program that runs another somewhere among its words: every place where one may stand is read.
    fn wrapper(
        &mut self,
        wrapper: &wrappers::Wrapper,
        args: &[String],
        depth: usize,
        seen: &mut Seen,
    ) {
        let mut rest = wrapper.from(args);
        if let Some(at) = rest.iter().position(|w| w == "--") {
            let behind = rest.get(at + 1..).unwrap_or_default();
            if !behind.iter().any(|w| wrapper.texts && w.contains(' ')) {
                let inner = self.words(behind, &[], depth + 1);
                seen.runs(inner.runs_stdin.then_some(inner.program));
                return;
            }
        }
        for text in rest
            .iter()
            .filter(|w| wrapper.texts && w.contains([' ', '\n', '\t']))
        {
            let value = text.split_once('=').filter(|_| text.starts_with('-'));
            seen.runs(self.perhaps(value.map_or(text, |(_, t)| t), depth + 1));
        }
        let mut most = 64;
        while let Some((word, behind)) = rest.split_first().filter(|_| most > 0) {
            most -= 1;
            if !word.starts_with('-') && !word.contains(' ') && assignment(word).is_none() {
                let name = base_name(word);
                if wrappers::reads_on(name) {
                    let inner = self.words(rest, &[], depth + 1);
                    seen.runs(inner.runs_stdin.then_some(inner.program));
                    return;
                }
                self.push(name, behind);
            }
            rest = behind;
        }
    }

    /// Variables whose values programs run: set before a command, or for all behind it.
    pub(super) fn set(&mut self, set: &[(String, String)], words: &[String], depth: usize) {
        let exported = match words {
            [first, rest @ ..] if first == "export" => rest,
            _ => &[],
        };
        let exported = exported.iter().filter_map(|w| assignment(w));
        let set = set.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        for (name, value) in set.clone().chain(exported) {
            if RUN_BY_NAME.contains(&name) && value.contains(' ') {
                self.perhaps(value, depth + 1);
            }
        }
        let pairs: Vec<_> = set.collect();
        if words.first().is_some_and(|w| base_name(w) == "git") && !pairs.is_empty() {
            self.git_by_environment(&pairs, words.get(1..).unwrap_or_default(), depth);
        }
    }
}

/// Variables that hold a command line.
const RUN_BY_NAME: [&str; 14] = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "PROMPT_COMMAND",
];
