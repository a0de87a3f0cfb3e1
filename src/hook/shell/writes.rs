//! The files that a shell line writes, as far as its words tell. May not look at the disk.

use super::commands::{Command, Reading};
use crate::hook::dialect::patch;

/// One file that is written, made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// The word as it stands; `~` and variables not expanded.
    pub path: String,
    /// The directories entered before it by `cd`, to be joined in this order.
    pub dirs: Vec<String>,
    /// It, and all that lies below it, may go away.
    pub removes: bool,
}

/// Every write that the words show. Reading a file is none.
pub fn writes(reading: &Reading) -> Vec<Write> {
    let mut out = Vec::new();
    let mut dirs: Vec<String> = Vec::new();
    for command in &reading.commands {
        for (path, removes) in targets(command) {
            out.push(Write {
                path,
                dirs: dirs.clone(),
                removes,
            });
        }
        if enters(&command.program) && dirs.len() < 32 {
            dirs.push(operands(&command.args).next().unwrap_or("~").to_owned());
        }
    }
    // Each is looked up on the disk.
    if out.len() > 64 {
        out.sort();
        out.dedup();
    }
    out
}

/// Does it change the directory for what comes behind it?
pub fn enters(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "chdir")
}

fn targets(command: &Command) -> Vec<(String, bool)> {
    let mut out: Vec<(String, bool)> = command.writes.iter().map(|w| (w.clone(), false)).collect();
    let args = &command.args;
    let mut all = |removes: bool, words: &mut dyn Iterator<Item = &str>| {
        out.extend(words.map(|w| (w.to_owned(), removes)));
    };
    match command.program.as_str() {
        "tee" | "touch" | "truncate" | "mkdir" | "chmod" | "chown" | "chgrp" | "chattr"
        | "setfacl" | "setfattr" | "chflags" | "fallocate" | "mkfifo" | "mknod" | "patch"
        | "sponge" | "sudoedit" | "ed" | "ex" | "vi" | "vim" | "nvim" | "nano" | "emacs"
        | "dos2unix" | "unix2dos" | "gzip" | "gunzip" | "bzip2" | "xz" => {
            all(false, &mut operands(args));
        }
        // Only a recursive removal reaches what lies below.
        "rm" => all(
            short_or_long(args, &['r', 'R'], "--recursive"),
            &mut operands(args),
        ),
        "unlink" | "shred" | "rmdir" => all(false, &mut operands(args)),
        "sed" | "gsed" | "perl" | "ruby" if in_place(args) => all(false, &mut operands(args)),
        "yq" if in_place(args) => all(false, &mut operands(args)),
        "awk" | "gawk" if args.iter().any(|a| a == "inplace") => all(false, &mut operands(args)),
        "prettier" | "gofmt" | "clang-format" if has(args, &["--write", "-w", "-i"]) => {
            all(false, &mut operands(args));
        }
        "black" | "rustfmt" if !has(args, &["--check", "--diff"]) => {
            all(false, &mut operands(args));
        }
        "sort" | "gpg" | "openssl" | "iconv" | "pandoc" | "jq" => all(
            false,
            &mut values(args, &["-o", "--output", "-out"]).into_iter(),
        ),
        // PowerShell and cmd.
        "Set-Content" | "Add-Content" | "Clear-Content" | "Out-File" | "New-Item"
        | "Tee-Object" => {
            all(false, &mut operands(args));
        }
        "Remove-Item" | "ri" | "rd" | "del" | "erase" => all(true, &mut operands(args)),
        "Move-Item" | "move" | "Copy-Item" | "copy" | "xcopy" | "robocopy" => {
            all(
                command.program.to_ascii_lowercase().starts_with("move"),
                &mut operands(args),
            );
        }
        "dd" => all(
            false,
            &mut args.iter().filter_map(|a| a.strip_prefix("of=")),
        ),
        "cp" | "install" | "ln" | "rsync" => {
            let wipes = args.iter().any(|a| a.starts_with("--delete"));
            all(wipes, &mut copies(args).1.iter().map(String::as_str));
        }
        "mv" => {
            let (sources, into) = copies(args);
            all(true, &mut sources.iter().copied());
            all(false, &mut into.iter().map(String::as_str));
        }
        "find" if args.iter().any(|a| a == "-delete") => {
            all(
                true,
                &mut args
                    .iter()
                    .map(String::as_str)
                    .take_while(|a| !a.starts_with('-')),
            );
        }
        "find" => all(
            false,
            &mut values(args, &["-fprint", "-fprint0", "-fls", "-fprintf"]).into_iter(),
        ),
        "curl" => all(
            false,
            &mut values(args, &["-o", "--output", "--output-dir"]).into_iter(),
        ),
        "wget" => all(
            false,
            &mut values(
                args,
                &["-O", "--output-document", "-P", "--directory-prefix"],
            )
            .into_iter(),
        ),
        "tar" => all(false, &mut values(args, &["-C", "--directory"]).into_iter()),
        "unzip" => all(false, &mut values(args, &["-d"]).into_iter()),
        "git" => git(args, &mut all),
        "apply_patch" => {
            let texts = command.here.iter().chain(args);
            for change in texts.filter_map(|t| patch::read(t).ok()).flatten() {
                all(false, &mut std::iter::once(change.path.as_str()));
            }
        }
        _ => {}
    }
    out
}

fn git(args: &[String], all: &mut dyn FnMut(bool, &mut dyn Iterator<Item = &str>)) {
    let (verb, rest) = match args
        .iter()
        .position(|a| matches!(a.as_str(), "restore" | "rm" | "mv" | "checkout"))
    {
        Some(at) => (
            args.get(at).map_or("", String::as_str),
            args.get(at + 1..).unwrap_or_default(),
        ),
        None => return,
    };
    match verb {
        "restore" => all(false, &mut operands(rest)),
        "rm" => all(
            short_or_long(rest, &['r'], "--recursive"),
            &mut operands(rest),
        ),
        "mv" => all(true, &mut operands(rest)),
        "checkout" => {
            let paths = rest.iter().skip_while(|a| *a != "--").skip(1);
            all(false, &mut paths.map(String::as_str));
        }
        _ => {}
    }
}

/// What isn't an option; behind `--` everything.
fn operands(args: &[String]) -> impl Iterator<Item = &str> {
    let mut options = true;
    args.iter().map(String::as_str).filter(move |a| {
        if options && *a == "--" {
            options = false;
            return false;
        }
        !(options && a.len() > 1 && a.starts_with('-'))
    })
}

/// The values of options that name files: `-o f`, `-of`, `--output=f`.
fn values<'a>(args: &'a [String], options: &[&str]) -> Vec<&'a str> {
    let mut out = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        for option in options {
            if arg == option {
                out.extend(args.get(at + 1).map(String::as_str));
            } else if let Some(value) = arg.strip_prefix(option) {
                let long = option.starts_with("--");
                match value.strip_prefix('=') {
                    Some(value) => out.push(value),
                    None if !long => out.push(value),
                    None => {}
                }
            }
        }
    }
    out
}

/// Sources, and where they go: the target itself and, were it a directory, the names inside it.
fn copies(args: &[String]) -> (Vec<&str>, Vec<String>) {
    let dir = values(args, &["-t", "--target-directory"]);
    let mut sources: Vec<&str> = operands(args).collect();
    let target = match dir.first() {
        Some(dir) => Some(*dir),
        None => sources.pop(),
    };
    let Some(target) = target else {
        return (sources, Vec::new());
    };
    let mut into = vec![target.to_owned()];
    for source in &sources {
        let name = source
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or("");
        into.push(format!("{}/{name}", target.trim_end_matches('/')));
    }
    (sources, into)
}

/// Is one of these letters in a cluster, or the long option (cut short or not) there?
fn short_or_long(args: &[String], letters: &[char], long: &str) -> bool {
    args.iter()
        .take_while(|a| *a != "--")
        .any(|a| match a.strip_prefix("--") {
            Some(name) => !name.is_empty() && long.starts_with(a.as_str()),
            None => a
                .strip_prefix('-')
                .is_some_and(|cluster| cluster.contains(letters)),
        })
}

fn has(args: &[String], options: &[&str]) -> bool {
    args.iter().any(|a| options.contains(&a.as_str()))
}

fn in_place(args: &[String]) -> bool {
    args.iter().any(|a| {
        a.starts_with("--in-place")
            || (a.starts_with('-')
                && !a.starts_with("--")
                && a.get(1..).is_some_and(|c| {
                    c.split(['e', 'f'])
                        .next()
                        .is_some_and(|flags| flags.contains('i'))
                }))
    })
}
