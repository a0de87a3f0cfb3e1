//! The command line that entries carry: writing it, and knowing one's own again. Pure text; it may not look
//! whether anything it names exists.
//!
//! Substitution happens inside parsed strings, never in serialised text: a quote or backslash in a path can't
//! break the document around it.

use super::names::{is_agent_name, is_event_name};
use super::{Entries, Install, PLACEHOLDER, RepoCommand, TreeSpec, words};
use serde_json::{Map, Value};

/// In tree texts (JavaScript): the JSON string `"allow"` or `"block"`, what to do when gitvow isn't there.
pub const ON_MISSING: &str = "__GITVOW_ON_MISSING__";

/// The launcher as repository scope writes it; the quotes are the shell's.
pub const PORTABLE: &str = "\"$HOME\"/.gitvow/bin/gitvow";

/// How gitvow is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Command<'a> {
    form: Form<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    Absolute(&'a str),
    Guarded(Guard<'a>),
}

/// The parts of repository scope's command.
#[derive(Debug, Clone, Copy)]
pub struct Guard<'a> {
    /// The agent's forms.
    pub forms: &'a RepoCommand,
    /// `--on-missing block`: deny where gitvow isn't installed.
    pub block: bool,
}

impl<'a> Command<'a> {
    /// User and local scope: the launcher's absolute path.
    pub fn absolute(launcher: &'a str) -> Self {
        Self {
            form: Form::Absolute(launcher),
        }
    }

    /// Repository scope: the launcher below whatever HOME is when the hook runs, and a way on without it.
    pub fn guarded(guard: Guard<'a>) -> Self {
        Self {
            form: Form::Guarded(guard),
        }
    }
}

/// `value` with every [`PLACEHOLDER`] in its strings replaced, quoted for the shell that the key means:
/// `powershell` for PowerShell, every other key for a POSIX shell.
pub fn render(value: &Value, command: &Command<'_>) -> Value {
    render_at("", value, command)
}

/// Does `value` say what [`render`] makes of `template`? Key order aside and numbers by value, as entries are compared.
pub fn says(value: &Value, template: &Value, command: &Command<'_>) -> bool {
    says_at("", value, template, command)
}

/// The entries of an install block with their placeholders, and the event whose list each goes to; no event: the list
/// that `root` names.
pub fn templates(install: &Install) -> Vec<(Option<&str>, &Value)> {
    match &install.entries {
        Entries::List(list) => list.iter().map(|entry| (None, entry)).collect(),
        Entries::Events(events) => events
            .iter()
            .flat_map(|(event, list)| {
                let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
                list.iter().map(|entry| (Some(event.as_str()), entry))
            })
            .collect(),
    }
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeText {
    /// Relative to the tree's directory, with `/`.
    pub name: String,
    /// All of it; ends with a newline where the planner's text does, always for JSON.
    pub text: String,
    /// It is JSON.
    pub json: bool,
}

/// The files of a tree as they are to be written. In a text the placeholder is a string literal of JSON, which
/// JavaScript reads as well; repository scope puts `$HOME/.gitvow/bin/gitvow` there, for the program to expand.
pub fn tree_texts(tree: &TreeSpec, command: &Command<'_>) -> Vec<TreeText> {
    let file = |(name, content): (&String, &Value)| {
        let (text, json) = match content {
            Value::String(text) => (script(text, command), name.ends_with(".json")),
            other => (format!("{:#}\n", render(other, command)), true),
        };
        TreeText {
            name: name.clone(),
            text,
            json,
        }
    };
    tree.files.iter().map(file).collect()
}

/// A command that gitvow may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnForm {
    /// The path it runs, quotes gone; `$HOME` and a `.exe` as they stand.
    pub path: String,
    /// What `--agent` says.
    pub agent: Option<String>,
    /// The event.
    pub event: String,
    /// The guarded form of repository scope.
    pub guarded: bool,
}

/// Is this command exactly `<path to gitvow> hook [--agent NAME] EVENT`, or that in our guard? A wrapper, a
/// comment, an `echo` that mentions it, another word, a redirection: `None`, it is the user's.
pub fn own_form(command: &str) -> Option<OwnForm> {
    let command = command.trim_matches([' ', '\t']);
    if let Some(rest) = command.strip_prefix("if [ -x ") {
        return guarded_form(rest);
    }
    if let Some(rest) = command.strip_prefix("if (Get-Command ") {
        return guarded_powershell(rest);
    }
    if let Some(rest) = command.strip_prefix("& ") {
        return powershell_form(rest);
    }
    plain_form(&words::split(command)?, false)
}

/// Every command string of an entry: under `command`, `bash`, `powershell`, `commandWindows`, `exec` and their like, an
/// argument vector as its words, and those of nested `hooks` lists. In the order of the text.
pub fn commands(entry: &Value) -> Vec<&str> {
    let mut out = Vec::new();
    collect(entry, &mut out);
    out
}

/// Keys under which agents keep what they run.
const COMMAND_KEYS: [&str; 9] = [
    "command",
    "bash",
    "powershell",
    "commandWindows",
    "command_windows",
    "exec",
    "windows",
    "linux",
    "osx",
];

/// Does this object hold a command itself, or a list of such under `hooks`?
pub fn is_entry(map: &Map<String, Value>) -> bool {
    map.iter().any(|(key, value)| match value {
        Value::String(_) => COMMAND_KEYS.contains(&key.as_str()),
        Value::Array(list) => {
            key == "hooks" && list.iter().any(|v| v.as_object().is_some_and(is_entry))
        }
        _ => false,
    })
}

fn collect<'a>(entry: &'a Value, out: &mut Vec<&'a str>) {
    let Value::Object(map) = entry else { return };
    for (key, value) in map {
        match value {
            Value::String(text)
                if COMMAND_KEYS.contains(&key.as_str()) || text.contains(PLACEHOLDER) =>
            {
                out.push(text);
            }
            Value::Array(list) if key == "hooks" => list.iter().for_each(|e| collect(e, out)),
            Value::Array(list) if COMMAND_KEYS.contains(&key.as_str()) => {
                out.extend(list.iter().filter_map(Value::as_str));
            }
            _ => {}
        }
    }
}

fn render_at(key: &str, value: &Value, command: &Command<'_>) -> Value {
    match value {
        Value::String(text) if text.contains(PLACEHOLDER) => {
            Value::String(filled(key, text, command))
        }
        Value::Array(list) => list.iter().map(|v| render_at(key, v, command)).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(k, v)| (k.clone(), render_at(k, v, command)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn says_at(key: &str, value: &Value, template: &Value, command: &Command<'_>) -> bool {
    match (value, template) {
        (Value::String(value), Value::String(text)) if text.contains(PLACEHOLDER) => {
            *value == filled(key, text, command)
        }
        (Value::Array(values), Value::Array(list)) => {
            let mut both = values.iter().zip(list);
            values.len() == list.len() && both.all(|(v, t)| says_at(key, v, t, command))
        }
        (Value::Object(values), Value::Object(map)) => {
            let member = |(k, t): (&String, &Value)| {
                values.get(k).is_some_and(|v| says_at(k, v, t, command))
            };
            values.len() == map.len() && map.iter().all(member)
        }
        (Value::Number(value), Value::Number(number)) => {
            value == number || value.as_f64() == number.as_f64()
        }
        _ => value == template,
    }
}

fn filled(key: &str, text: &str, command: &Command<'_>) -> String {
    if key == "powershell" {
        powershell(text, command)
    } else {
        posix(text, command)
    }
}

fn posix(text: &str, command: &Command<'_>) -> String {
    match &command.form {
        Form::Absolute(path) => text.replace(PLACEHOLDER, &quote_path(path)),
        Form::Guarded(guard) => format!(
            "if [ -x {PORTABLE} ]; then {}; else {}; fi",
            text.replace(PLACEHOLDER, PORTABLE),
            missing(text, guard)
        ),
    }
}

/// `Get-Command` and not `Test-Path`: it finds `gitvow.exe` by `gitvow`, as `&` does. Never run here: no Windows at hand.
fn powershell(text: &str, command: &Command<'_>) -> String {
    const PATH: &str = "\"$HOME/.gitvow/bin/gitvow\"";
    match &command.form {
        // A bare path needs no call operator, and a POSIX shell can then read the line as well.
        Form::Absolute(path) if path.starts_with('/') && bare(path) => {
            text.replace(PLACEHOLDER, path)
        }
        Form::Absolute(path) => {
            text.replace(PLACEHOLDER, &format!("& '{}'", path.replace('\'', "''")))
        }
        Form::Guarded(guard) => format!(
            "if (Get-Command {PATH} -ErrorAction SilentlyContinue) {{ {} }} else {{ {} }}",
            text.replace(PLACEHOLDER, &format!("& {PATH}")),
            missing(text, guard)
        ),
    }
}

/// What the agent is told when gitvow isn't there, for the event that stands in `text`.
fn missing<'a>(text: &str, guard: &Guard<'a>) -> &'a str {
    let event = text.rsplit([' ', '\t']).find(|word| !word.is_empty());
    let own = event.and_then(|event| guard.forms.events.get(event));
    if guard.block {
        own.and_then(|o| o.block.as_deref())
            .unwrap_or(&guard.forms.block)
    } else {
        own.and_then(|o| o.allow.as_deref())
            .unwrap_or(&guard.forms.allow)
    }
}

fn script(text: &str, command: &Command<'_>) -> String {
    let (path, on_missing) = match &command.form {
        Form::Absolute(path) => (*path, "block"),
        Form::Guarded(guard) => (
            "$HOME/.gitvow/bin/gitvow",
            if guard.block { "block" } else { "allow" },
        ),
    };
    let literal = |text: &str| Value::from(text).to_string();
    text.replace(PLACEHOLDER, &literal(path))
        .replace(ON_MISSING, &literal(on_missing))
}

/// Quotes the directory only, and only when a shell would read it otherwise, so that `gitvow hook ` stays readable.
fn quote_path(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", name)) => format!("/{}", words::quoted(name)),
        Some((dir, name)) => format!("{}/{}", words::quoted(dir), words::quoted(name)),
        None => words::quoted(path).into_owned(),
    }
}

/// No character of it means anything to PowerShell.
fn bare(path: &str) -> bool {
    let safe = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    path.bytes().all(safe)
}

fn plain_form(words: &[String], guarded: bool) -> Option<OwnForm> {
    let (path, agent, event) = match words {
        [path, hook, event] if hook == "hook" => (path, None, event),
        [path, hook, option, agent, event] if hook == "hook" && option == "--agent" => {
            (path, Some(agent), event)
        }
        _ => return None,
    };
    let name_ok = agent.is_none_or(|name| {
        is_agent_name(name) || name.strip_prefix("entire:").is_some_and(is_agent_name)
    });
    (is_gitvow(path) && name_ok && is_event_name(event)).then(|| OwnForm {
        path: path.clone(),
        agent: agent.cloned(),
        event: event.clone(),
        guarded,
    })
}

fn is_gitvow(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name == "gitvow" || name.eq_ignore_ascii_case("gitvow.exe")
}

/// Behind `if [ -x `: `P ]; then P hook --agent NAME EVENT; else …; fi`, P the same both times.
fn guarded_form(rest: &str) -> Option<OwnForm> {
    let (tested, behind) = words::first(rest)?;
    let mut rest = behind.strip_prefix(" ]; then ")?;
    let mut line = Vec::new();
    loop {
        let (word, behind) = words::first(rest)?;
        line.push(word);
        match behind.strip_prefix(' ') {
            Some(next) => rest = next,
            None => {
                let other = behind.strip_prefix("; else ")?.strip_suffix("; fi")?;
                let own = plain_form(&line, true)?;
                return (own.path == tested && one_branch(other)).then_some(own);
            }
        }
    }
}

/// Is this shell text a branch of its own, with no `fi` that would end the guard early?
fn one_branch(text: &str) -> bool {
    let mut quote = None;
    let mut start = true;
    let mut word = String::new();
    for c in text.chars().chain([';']) {
        match (quote, c) {
            (_, '\n' | '\r' | '`' | '#') if quote.is_none() => return false,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.push('x');
            }
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, ' ' | '\t' | ';' | '&' | '|') => {
                if start && matches!(word.as_str(), "fi" | "if" | "else" | "elif" | "then") {
                    return false;
                }
                start = !matches!(c, ' ' | '\t') || (start && word.is_empty());
                word.clear();
            }
            (None, _) => word.push(c),
        }
    }
    quote.is_none() && !text.trim().is_empty()
}

/// Behind `& `: `'…gitvow.exe' hook --agent NAME EVENT`.
fn powershell_form(rest: &str) -> Option<OwnForm> {
    let (path, behind) = powershell_word(rest)?;
    let mut line = vec![path];
    line.extend(words::split(behind.strip_prefix(' ')?)?);
    plain_form(&line, false)
}

fn guarded_powershell(rest: &str) -> Option<OwnForm> {
    let (tested, behind) = powershell_word(rest)?;
    let inner = behind.strip_prefix(" -ErrorAction SilentlyContinue) { & ")?;
    let (inner, other) = inner.split_once(" } else { ")?;
    let own = powershell_form(inner)?;
    let other = other.strip_suffix(" }")?;
    (own.path == tested && one_branch(other)).then_some(OwnForm {
        guarded: true,
        ..own
    })
}

/// A quoted string of PowerShell and what stands behind it; in double quotes only `$HOME` may be expanded.
fn powershell_word(text: &str) -> Option<(String, &str)> {
    if let Some(text) = text.strip_prefix('"') {
        let (word, behind) = text.split_once('"')?;
        let fine = !word.replacen("$HOME", "", 1).contains(['$', '`']);
        return fine.then(|| (word.to_owned(), behind));
    }
    let mut rest = text.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let (part, behind) = rest.split_once('\'')?;
        word.push_str(part);
        match behind.strip_prefix('\'') {
            Some(next) => {
                word.push('\'');
                rest = next;
            }
            None => return Some((word, behind)),
        }
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
