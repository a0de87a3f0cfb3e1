//! Variables that a line sets itself. Pure; what the environment holds isn't known.

/// Stands in a word where the shell would split an unquoted variable's value.
pub(super) const BETWEEN: &str = "\u{e000}";

/// The most variables that are kept.
const MOST: usize = 256;
/// The most that variables may add to a line, in bytes: values of values grow without end.
pub(super) const MOST_BYTES: usize = 256 << 10;

/// One variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Var {
    /// Its name; of a positional parameter the number, `@` for all.
    pub name: String,
    /// Its value; several are parted by [`BETWEEN`].
    pub value: String,
    /// The simple command that set it; 0 when it stands in another text.
    pub owner: usize,
}

/// Programs that set the variables among their operands.
const SETTERS: [&str; 5] = ["export", "readonly", "declare", "typeset", "local"];

/// Notes what a simple command sets for those behind it. False when there is no room for more.
pub(super) fn note(vars: &mut Vec<Var>, words: &[String], owner: usize) -> bool {
    let mut set = |name: &str, value: String| {
        let name = name.trim_end_matches('+').to_owned();
        if vars.len() < MOST {
            vars.push(Var { name, value, owner });
        }
    };
    let keywords = words
        .iter()
        .take_while(|w| super::commands::is_keyword(w))
        .count();
    let words = words.get(keywords..).unwrap_or_default();
    match words {
        [kind, name, within, values @ ..]
            if matches!(kind.as_str(), "for" | "select") && within == "in" =>
        {
            set(name, values.join(BETWEEN));
        }
        [first, dashes, values @ ..] if first == "set" && dashes == "--" => {
            for (at, value) in values.iter().enumerate().take(9) {
                set(&(at + 1).to_string(), value.clone());
            }
            set("@", values.join(BETWEEN));
            set("*", values.join(" "));
        }
        [first, rest @ ..] if SETTERS.contains(&first.as_str()) => {
            for (name, value) in rest.iter().filter_map(|w| assignment(w)) {
                set(name, value.to_owned());
            }
        }
        _ if words.iter().all(|w| assignment(w).is_some()) => {
            for (name, value) in words.iter().filter_map(|w| assignment(w)) {
                set(name, value.to_owned());
            }
        }
        _ => {}
    }
    vars.len() < MOST
}

/// `NAME=value`, `NAME+=value`, `NAME[i]=value`.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (left, value) = word.split_once('=')?;
    let plain = left.strip_suffix('+').unwrap_or(left);
    let plain = plain.split_once('[').map_or(plain, |(n, _)| n);
    (name(plain) == Some(plain) && !plain.starts_with(|c: char| !is_start(c)))
        .then_some((left, value))
}

fn is_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The name of a variable at the start of a text: a word, one digit, `@` or `*`.
pub(super) fn name(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let len = match first {
        c if is_start(c) => text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len()),
        '0'..='9' | '@' | '*' => 1,
        _ => return None,
    };
    text.get(..len)
}

/// What `${name behind}` stands for; `None` where that isn't known.
pub(super) fn expanded(name: &str, behind: &str, known: Option<String>) -> Option<String> {
    // Rules know these by name.
    let kept = matches!(name, "HOME" | "PWD" | "GITVOW_HOME") && known.is_none();
    let operator = behind.trim_start_matches(':');
    let word = operator.get(1..).unwrap_or_default();
    match (operator.chars().next(), known) {
        (Some('+'), _) => Some(word.to_owned()),
        (_, Some(value)) => Some(value),
        (None | Some('?' | '-' | '='), None) if kept => Some(format!("${{{name}}}")),
        (Some('-' | '='), None) if !name.is_empty() => Some(word.to_owned()),
        _ => None,
    }
}

/// An unquoted value: the shell splits it at blanks.
pub(super) fn split(value: &str) -> String {
    let fields: Vec<_> = value
        .split([' ', '\t', '\n'])
        .filter(|f| !f.is_empty())
        .collect();
    fields.join(BETWEEN)
}

/// The words that one word with split values in it becomes.
pub(super) fn fields(word: &str) -> Vec<String> {
    match word.contains(BETWEEN) {
        true => word
            .split(BETWEEN)
            .filter(|f| !f.is_empty())
            .map(str::to_owned)
            .collect(),
        false => vec![word.to_owned()],
    }
}

/// What stands for a brace or comma that is quoted, so that it isn't expanded.
const KEPT: [(char, char); 3] = [('{', '\u{e001}'), ('}', '\u{e002}'), (',', '\u{e003}')];

/// A quoted character.
pub(super) fn kept(c: char) -> char {
    KEPT.iter()
        .find(|(plain, _)| *plain == c)
        .map_or(c, |(_, kept)| *kept)
}

/// A word with its quoted characters as they were.
pub(super) fn restored(word: String) -> String {
    match word.contains(['\u{e001}', '\u{e002}', '\u{e003}']) {
        true => KEPT.iter().fold(word, |w, (plain, kept)| {
            w.replace(*kept, plain.encode_utf8(&mut [0; 4]))
        }),
        false => word,
    }
}
