//! What one command hands to another: text that `echo` prints, words that `xargs` adds, files that `find` names. Pure.

use super::commands::{Reading, Seen};
use super::lex::Simple;

/// The texts that a command prints, as far as its words tell.
pub(super) fn printed(seen: &Seen, simple: &Simple, out: &Reading) -> Vec<String> {
    let last = out.commands.get(seen.from..seen.to).and_then(<[_]>::last);
    let Some(command) = last else {
        return Vec::new();
    };
    let args = &command.args;
    match command.program.as_str() {
        "echo" | "yes" => {
            let words = args
                .iter()
                .skip_while(|a| matches!(a.as_str(), "-e" | "-n" | "-E" | "-en" | "-ne"));
            let words: Vec<_> = words.map(String::as_str).collect();
            vec![words.join(" ").replace("\\n", "\n")]
        }
        "printf" => vec![formatted(args)],
        "cat" => simple.here.clone(),
        "find" => start(args).map_or_else(Vec::new, |dirs| vec![dirs.join(" ")]),
        "ls" => vec![
            args.iter()
                .filter(|a| !a.starts_with('-'))
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
        ],
        _ => Vec::new(),
    }
}

/// What `printf` makes of its format and operands.
fn formatted(args: &[String]) -> String {
    let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
    let Some((format, mut operands)) = args.split_first() else {
        return String::new();
    };
    let mut out = String::new();
    loop {
        let before = operands.len();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('%', Some('%')) => drop(chars.next()),
                ('%', _) => {
                    // Flags and widths, up to the letter.
                    while chars.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
                    if let Some((first, rest)) = operands.split_first() {
                        out.push_str(first);
                        operands = rest;
                    }
                }
                ('\\', Some('n')) => {
                    chars.next();
                    out.push('\n');
                }
                (c, _) => out.push(c),
            }
        }
        // The format is used again while there are operands.
        if operands.is_empty() || operands.len() == before || out.len() > 64 << 10 {
            return out;
        }
    }
}

/// The words of `xargs` with a text behind them, or in the place of a word.
pub(super) fn taken(words: &[String], place: Option<&str>, text: &str) -> Vec<String> {
    match place {
        Some(place) if words.iter().any(|w| w.contains(place)) => {
            words.iter().map(|w| w.replace(place, text)).collect()
        }
        _ => {
            let more = text.split_whitespace().map(str::to_owned);
            words.iter().cloned().chain(more).collect()
        }
    }
}

/// The command of `parallel`, and the values behind `:::`.
pub(super) fn parallel(args: &[String]) -> (&[String], &[String]) {
    let at = args.iter().position(|a| a == ":::").unwrap_or(args.len());
    let (words, values) = args.split_at(at);
    (words, values.get(1..).unwrap_or_default())
}

/// Where `find` starts, if nothing narrows what it finds.
fn start(args: &[String]) -> Option<Vec<String>> {
    let own = args.iter().take_while(|a| !a.starts_with(['-', '(', '!']));
    let dirs: Vec<String> = own.cloned().collect();
    let wide = [
        "-print",
        "-print0",
        "-type",
        "-mindepth",
        "-maxdepth",
        "-delete",
        "-depth",
        "-xdev",
    ];
    let ends = ["-exec", "-execdir", "-ok", "-okdir"];
    let tests = args
        .iter()
        .skip(dirs.len())
        .take_while(|a| !ends.contains(&a.as_str()));
    let all = tests
        .filter(|a| a.starts_with('-'))
        .all(|a| wide.contains(&a.as_str()));
    (all && !dirs.is_empty()).then_some(dirs)
}

/// What `find` and `fd` run for what they find, and the directories where all is found: in the place of `{}`.
pub(super) fn executed<'a>(program: &str, args: &'a [String]) -> Vec<(&'a [String], Vec<String>)> {
    let options: &[&str] = match program {
        "find" => &["-exec", "-execdir", "-ok", "-okdir"],
        _ => &["-x", "--exec", "-X", "--exec-batch"],
    };
    let dirs = if program == "find" { start(args) } else { None };
    let mut out = Vec::new();
    let mut rest = args;
    while let Some(at) = rest.iter().position(|a| options.contains(&a.as_str())) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|a| a == ";" || a == "+")
            .unwrap_or(rest.len());
        let (inner, behind) = rest.split_at(end);
        out.push((inner, dirs.clone().unwrap_or_default()));
        rest = behind;
    }
    out
}

/// `find DIR -delete` removes all below.
pub(super) fn removed(args: &[String]) -> Option<Vec<String>> {
    let dirs = start(args).filter(|_| args.iter().any(|a| a == "-delete"))?;
    let removal = ["rm", "-r"].map(str::to_owned).into_iter();
    Some(removal.chain(dirs).collect())
}
