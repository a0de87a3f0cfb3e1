//! The arguments of `hook`: `[--agent NAME] EVENT`. Pure; never ends the process.

use std::ffi::OsString;

/// What the entry asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The agent's name; `claude` when none is given (the Python gitvow's entries for Claude name none).
    pub agent: String,
    /// The vendor's event; empty when it is missing.
    pub event: String,
    /// What is wrong with the arguments.
    pub fault: Option<String>,
    /// Only the usage is wanted.
    pub help: bool,
}

/// Reads what stands behind `hook`.
pub fn parse(args: &[OsString]) -> Request {
    let mut request = Request::default();
    let mut agent = None;
    let mut fault = |what: String| {
        request.fault.get_or_insert(what);
    };
    let mut words = args.iter().map(|a| a.to_string_lossy());
    while let Some(word) = words.next() {
        if word == "--agent" {
            match words.next() {
                Some(name) => agent = Some(name.into_owned()),
                None => fault("`--agent` needs a name".to_owned()),
            }
        } else if let Some(name) = word.strip_prefix("--agent=") {
            agent = Some(name.to_owned());
        } else if word.starts_with('-') {
            fault(format!("unknown option `{word}`"));
        } else if request.event.is_empty() {
            request.event = word.into_owned();
        } else {
            fault(format!("one event is expected, and `{word}` is a second"));
        }
    }
    if request.event.is_empty() {
        fault("the EVENT is missing".to_owned());
    }
    request.help = args.len() == 1 && args.iter().any(|a| a == "--help" || a == "-h");
    request.agent = agent.unwrap_or_else(|| "claude".to_owned());
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Request {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(&words)
    }

    #[test]
    fn every_form_that_was_ever_written_is_read() {
        let r = read("--agent grok PreToolUse");
        assert_eq!(
            (r.agent.as_str(), r.event.as_str(), r.fault),
            ("grok", "PreToolUse", None)
        );
        let r = read("PreToolUse");
        assert_eq!((r.agent.as_str(), r.fault), ("claude", None));
        assert_eq!(read("--agent=codex Stop").agent, "codex");
        assert_eq!(read("Stop --agent codex").agent, "codex");
    }

    #[test]
    fn faults_are_kept_beside_what_could_be_read() {
        let r = read("--agent codex --nonsense PreToolUse");
        assert_eq!(
            (r.agent.as_str(), r.event.as_str()),
            ("codex", "PreToolUse")
        );
        assert!(r.fault.unwrap().contains("--nonsense"));
        assert!(read("--agent").fault.is_some());
        assert!(read("").fault.unwrap().contains("EVENT"));
        assert!(read("A B").fault.is_some());
    }
}
