//! What git runs besides its own commands: aliases, editors, hooks of rebase and bisect. Pure.

use super::commands::Reader;
use crate::spec::words::quoted;

/// Configuration whose value is a command line.
const RUN: [&str; 7] = [
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.askpass",
    "sequence.editor",
    "diff.external",
    "credential.helper",
];

/// `git-push -f` and `hub push -f` as git's own arguments.
pub(super) fn relative(program: &str, args: &[String]) -> Option<Vec<String>> {
    let verb = program.strip_prefix("git-");
    if verb.is_none() && program != "hub" {
        return None;
    }
    let words = std::iter::once("git").chain(verb).map(str::to_owned);
    Some(words.chain(args.iter().cloned()).collect())
}

impl Reader {
    /// Reads the arguments of git.
    pub(super) fn git(&mut self, args: &[String], depth: usize) {
        let mut at = 0;
        // Git's own options; `-c` gives configuration.
        while let Some(arg) = args.get(at).filter(|a| a.starts_with('-')) {
            if arg == "-c"
                && let Some((key, value)) = args.get(at + 1).and_then(|pair| pair.split_once('='))
            {
                self.configured(key, value, args.get(at + 2..).unwrap_or_default(), depth);
            }
            let two = [
                "-C",
                "-c",
                "--git-dir",
                "--work-tree",
                "--namespace",
                "--exec-path",
            ];
            at += 1 + usize::from(two.contains(&arg.as_str()));
        }
        let Some((verb, rest)) = args.get(at..).and_then(<[String]>::split_first) else {
            return;
        };
        let aliases = self.aliases.clone();
        for (name, text) in aliases.iter().filter(|(name, _)| name == verb) {
            self.alias(name, text, args.get(at..).unwrap_or_default(), depth);
        }
        match verb.as_str() {
            "config" => {
                let operands: Vec<_> = rest.iter().filter(|a| !a.starts_with('-')).collect();
                if let [.., key, value] = operands.as_slice()
                    && let Some(name) = key.strip_prefix("alias.")
                {
                    self.aliases.push((name.to_owned(), (*value).clone()));
                }
            }
            "submodule" => self.behind("foreach", rest, depth),
            "bisect" => self.behind("run", rest, depth),
            "rebase" => self.options(rest, &["--exec", "-x"], depth),
            "difftool" => self.options(rest, &["--extcmd", "-x"], depth),
            "filter-branch" => {
                for (filter, text) in rest.iter().zip(rest.iter().skip(1)) {
                    if filter.ends_with("-filter") {
                        self.perhaps(text, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// One text is a line for a shell, several words are a command.
    fn behind(&mut self, word: &str, args: &[String], depth: usize) {
        let Some(at) = args.iter().position(|a| a == word) else {
            return;
        };
        let rest = args.get(at + 1..).unwrap_or_default();
        let options = rest.iter().take_while(|a| a.starts_with('-')).count();
        match rest.get(options..).unwrap_or_default() {
            [text] => drop(self.text(text, depth + 1)),
            words => drop(self.words(words, &[], depth + 1)),
        }
    }

    fn options(&mut self, args: &[String], options: &[&str], depth: usize) {
        for (at, arg) in args.iter().enumerate() {
            for option in options {
                let attached = arg.strip_prefix(option).and_then(|v| v.strip_prefix('='));
                let next = args
                    .get(at + 1)
                    .filter(|_| arg == option)
                    .map(String::as_str);
                if let Some(text) = attached.or(next) {
                    self.text(text, depth + 1);
                }
            }
        }
    }

    /// What one piece of configuration does to a command.
    fn configured(&mut self, key: &str, value: &str, args: &[String], depth: usize) {
        if let Some(name) = key.strip_prefix("alias.") {
            self.alias(name, value, args, depth);
        } else if RUN.contains(&key.to_ascii_lowercase().as_str()) {
            self.perhaps(value.trim_start_matches('!'), depth + 1);
        } else if let Some(remote) = key
            .strip_prefix("remote.")
            .and_then(|k| k.strip_suffix(".push"))
            && args.iter().any(|a| a == "push")
        {
            // What is pushed when the line names nothing.
            let args = ["push", remote, value].map(str::to_owned);
            self.push("git", &args);
        }
    }

    fn alias(&mut self, name: &str, text: &str, args: &[String], depth: usize) {
        let Some(used) = args.iter().position(|a| a == name) else {
            return;
        };
        let behind = args.get(used + 1..).unwrap_or_default();
        let behind: Vec<_> = behind.iter().map(|w| quoted(w)).collect();
        let line = match text.strip_prefix('!') {
            Some(shell) => format!("{shell} {}", behind.join(" ")),
            None => format!("git {text} {}", behind.join(" ")),
        };
        // An alias of its own name would never end.
        let aliases = std::mem::take(&mut self.aliases);
        self.text(&line, depth + 1);
        self.aliases = aliases;
    }

    /// `GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push -f' git p`, and `GIT_CONFIG_PARAMETERS`.
    pub(super) fn git_by_environment(
        &mut self,
        set: &[(&str, &str)],
        args: &[String],
        depth: usize,
    ) {
        for (name, key) in set {
            if let Some(number) = name.strip_prefix("GIT_CONFIG_KEY_") {
                let wanted = format!("GIT_CONFIG_VALUE_{number}");
                if let Some((_, value)) = set.iter().find(|(n, _)| *n == wanted) {
                    self.configured(key, value, args, depth);
                }
            }
            if *name == "GIT_CONFIG_PARAMETERS" {
                // `'key'='value' 'key=value'`
                for pair in key.split("' '") {
                    let pair = pair.trim_matches('\'').replacen("'='", "=", 1);
                    if let Some((key, value)) = pair.split_once('=') {
                        self.configured(key, value, args, depth);
                    }
                }
            }
        }
    }
}
