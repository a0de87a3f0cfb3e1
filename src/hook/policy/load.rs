//! A policy's text becomes rules. May not read files; a fault is one sentence that names the place.

use super::once::Once;
use super::pattern;
use crate::hook::json::{self, Json};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The lists of rules, in the order in which they are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Shell lines that don't run.
    BashDeny,
    /// Files that aren't written.
    PathDeny,
    /// Shell lines that are asked about.
    BashConfirm,
    /// Files that are asked about.
    PathConfirm,
}

impl List {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::BashDeny,
        Self::PathDeny,
        Self::BashConfirm,
        Self::PathConfirm,
    ];

    /// Its key in the file.
    pub fn key(self) -> &'static str {
        match self {
            Self::BashDeny => "bash_deny",
            Self::PathDeny => "path_deny",
            Self::BashConfirm => "bash_confirm",
            Self::PathConfirm => "path_confirm",
        }
    }

    /// Are its rules about shell lines?
    pub fn is_bash(self) -> bool {
        matches!(self, Self::BashDeny | Self::BashConfirm)
    }
}

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its list.
    pub list: List,
    /// Its number there, from 0.
    pub at: usize,
    /// Its bytes in the file: first, and one behind the last.
    pub span: (usize, usize),
}

impl Place {
    /// As people and the log see it: `bash_deny[3]`.
    pub fn name(&self) -> String {
        format!("{}[{}]", self.list.key(), self.at)
    }
}

/// What a matching confirm rule leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The person is asked.
    Immediate,
    /// It goes on and is logged (`commit`, `observe`: the Python gitvow asks at the commit).
    Observe,
}

/// What a rule looks at.
#[derive(Debug, Clone, PartialEq)]
pub enum Test<'a> {
    /// A pattern over the whole line or path.
    Pattern(Cow<'a, str>),
    /// A program in command position.
    Program(Box<Program<'a>>),
}

/// A rule of `program` form; an empty list asks for nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Program<'a> {
    /// Base names; at least one.
    pub programs: Vec<Cow<'a, str>>,
    /// Patterns at the start of what follows the program and its own options.
    pub verbs: Vec<Cow<'a, str>>,
    /// One of these options must be there.
    pub flags: Vec<Cow<'a, str>>,
    /// One operand must match one of these patterns as a whole.
    pub operands: Vec<Cow<'a, str>>,
    /// A pattern that the whole line must match too.
    pub line: Option<Cow<'a, str>>,
    /// Its output must be run by one of these programs.
    pub pipes_to: Vec<Cow<'a, str>>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule<'a> {
    /// What it looks at.
    pub test: Test<'a>,
    /// Why; shown to the person and the model.
    pub reason: Cow<'a, str>,
    /// For confirm rules.
    pub when: When,
    /// Where it stands.
    pub place: Place,
}

/// A program that is asked about each call.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider<'a> {
    /// Program and arguments.
    pub command: Vec<Cow<'a, str>>,
    /// Seconds.
    pub timeout: f64,
}

/// The rules of one file, or those of them that may be about a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy<'a> {
    /// The rules, list by list in the order of [`List::ALL`], each in its file's order.
    rules: [Vec<Rule<'a>>; 4],
    /// MCP tools that don't run.
    pub mcp_deny: Vec<Cow<'a, str>>,
    /// When not empty: the only MCP tools that run unasked.
    pub mcp_allow: Vec<Cow<'a, str>>,
    /// Programs to ask.
    pub providers: Vec<Provider<'a>>,
    /// Keys and rule parts that mean something to the Python gitvow only; `doctor` names them.
    pub ignored: Vec<String>,
}

impl<'a> Policy<'a> {
    /// Reads a policy from JSON text. Patterns are not compiled: [`Policy::check_patterns`] does that.
    pub fn parse(text: &'a [u8]) -> Result<Self, String> {
        let bare = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let members = json::members(bare).map_err(|e| format!("it is not valid JSON: {e}"))?;
        let members = members.ok_or("it is not a JSON object")?;
        let mut policy = Self::default();
        let mut once = Once::default();
        for (key, raw) in members {
            let key = key.as_ref();
            once.seen(key, || key.to_owned())?;
            if let Some(list) = List::ALL.into_iter().find(|l| l.key() == key) {
                let mut rules = Vec::new();
                for (at, raw) in items(key, raw)?.into_iter().enumerate() {
                    let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
                    let place = Place {
                        list,
                        at,
                        span: (start, start + raw.get().len()),
                    };
                    rules.push(rule(place, raw.get(), &mut policy.ignored)?);
                }
                *policy.list(list) = rules;
                continue;
            }
            match key {
                "mcp_deny" => policy.mcp_deny = texts(key, value(key, raw)?)?,
                "mcp_allow" => policy.mcp_allow = texts(key, value(key, raw)?)?,
                "providers" => {
                    policy.providers = providers(value(key, raw)?, &mut policy.ignored)?;
                }
                _ if key == "$schema" || key.starts_with('_') => {}
                _ => policy.ignored.push(key.to_owned()),
            }
        }
        Ok(policy)
    }

    /// Only the rules at these places of a text that [`Policy::parse`] has read. `None`: they don't stand there.
    pub fn only(text: &'a [u8], places: &[Place]) -> Option<Self> {
        let mut policy = Self::default();
        for place in places {
            let (from, to) = place.span;
            let raw = std::str::from_utf8(text.get(from..to)?).ok()?;
            let rule = rule(place.clone(), raw, &mut policy.ignored).ok()?;
            policy.list(place.list).push(rule);
        }
        Some(policy)
    }

    /// The rules of a list.
    pub fn rules(&self, list: List) -> &[Rule<'a>] {
        let [bash_deny, path_deny, bash_confirm, path_confirm] = &self.rules;
        match list {
            List::BashDeny => bash_deny,
            List::PathDeny => path_deny,
            List::BashConfirm => bash_confirm,
            List::PathConfirm => path_confirm,
        }
    }

    fn list(&mut self, list: List) -> &mut Vec<Rule<'a>> {
        let [bash_deny, path_deny, bash_confirm, path_confirm] = &mut self.rules;
        match list {
            List::BashDeny => bash_deny,
            List::PathDeny => path_deny,
            List::BashConfirm => bash_confirm,
            List::PathConfirm => path_confirm,
        }
    }

    /// Compiles every pattern once. The sentence quotes the first that can't be used and says where it stands.
    pub fn check_patterns(&self) -> Result<(), String> {
        for rule in self.rules.iter().flatten() {
            let check = |p: &str| {
                pattern::compile(p)
                    .map(drop)
                    .map_err(|e| format!("{}: {e}", rule.place.name()))
            };
            match &rule.test {
                Test::Pattern(p) => check(p)?,
                Test::Program(program) => program
                    .verbs
                    .iter()
                    .chain(&program.operands)
                    .chain(&program.line)
                    .try_for_each(|p| check(p))?,
            }
        }
        for (key, patterns) in [("mcp_deny", &self.mcp_deny), ("mcp_allow", &self.mcp_allow)] {
            for (at, p) in patterns.iter().enumerate() {
                pattern::compile(p).map_err(|e| format!("{key}[{at}]: {e}"))?;
            }
        }
        Ok(())
    }
}

fn list<'a>(place: &str, value: Json<'a>) -> Result<Vec<Json<'a>>, String> {
    match value {
        Json::Array(items) => Ok(items),
        other => Err(format!("`{place}` must be a list, not {}", other.kind())),
    }
}

fn texts<'a>(place: &str, value: Json<'a>) -> Result<Vec<Cow<'a, str>>, String> {
    list(place, value)?
        .into_iter()
        .map(|item| match item {
            Json::String(s) => Ok(s),
            other => Err(format!("`{place}` must hold strings, not {}", other.kind())),
        })
        .collect()
}

/// A string or a list of strings.
fn one_or_more<'a>(place: &str, value: Json<'a>) -> Result<Vec<Cow<'a, str>>, String> {
    match value {
        Json::String(s) => Ok(vec![s]),
        other => texts(place, other),
    }
}

/// The items of a list, unread.
fn items<'a>(place: &str, raw: &'a RawValue) -> Result<Vec<&'a RawValue>, String> {
    serde_json::from_str(raw.get()).map_err(|_| match value(place, raw) {
        Ok(value) => format!("`{place}` must be a list, not {}", value.kind()),
        Err(e) => e,
    })
}

fn value<'a>(place: &str, raw: &'a RawValue) -> Result<Json<'a>, String> {
    Json::parse(raw.get().as_bytes()).map_err(|e| format!("`{place}` is not valid JSON: {e}"))
}

fn rule<'a>(place: Place, raw: &'a str, ignored: &mut Vec<String>) -> Result<Rule<'a>, String> {
    let fault = |e: String| format!("`{}` is not valid JSON: {e}", place.name());
    let members = match Json::parse(raw.as_bytes()).map_err(fault)? {
        Json::Object(members) => members,
        other => {
            return Err(format!(
                "`{}` must be an object, not {}",
                place.name(),
                other.kind()
            ));
        }
    };
    let (mut found, mut program) = (None, Program::default());
    let (mut reason, mut when) = (Cow::Borrowed("no reason given"), When::Immediate);
    let mut once = Once::default();
    for (name, value) in members {
        let part = || format!("{}.{name}", place.name());
        once.seen(&name, part)?;
        match (name.as_ref(), value) {
            ("pattern", Json::String(s)) => found = Some(s),
            ("reason", Json::String(s)) => reason = s,
            ("when", Json::String(s)) => {
                when = match s.as_ref() {
                    "immediate" => When::Immediate,
                    "commit" | "observe" => When::Observe,
                    _ => return Err(format!("`{}` is unknown: `{s}`", part())),
                };
            }
            ("line", Json::String(s)) => program.line = Some(s),
            ("pattern" | "reason" | "when" | "line", other) => {
                return Err(format!(
                    "`{}` must be a string, not {}",
                    part(),
                    other.kind()
                ));
            }
            ("program", value) => program.programs = one_or_more(&part(), value)?,
            ("verbs", value) => program.verbs = one_or_more(&part(), value)?,
            ("flags", value) => program.flags = one_or_more(&part(), value)?,
            ("operands", value) => program.operands = one_or_more(&part(), value)?,
            ("pipes_to", value) => program.pipes_to = one_or_more(&part(), value)?,
            _ => ignored.push(part()),
        }
    }
    let test = match found {
        Some(pattern) => Test::Pattern(pattern),
        None if !place.list.is_bash() => {
            return Err(format!("`{}` needs a `pattern`", place.name()));
        }
        None if program.programs.is_empty() => {
            return Err(format!(
                "`{}` needs a `pattern` or a `program`",
                place.name()
            ));
        }
        None if program.programs.iter().any(|p| p.is_empty()) => {
            return Err(format!("`{}.program` is empty", place.name()));
        }
        None => Test::Program(Box::new(program)),
    };
    Ok(Rule {
        test,
        reason,
        when,
        place,
    })
}

fn providers<'a>(value: Json<'a>, ignored: &mut Vec<String>) -> Result<Vec<Provider<'a>>, String> {
    let mut out = Vec::new();
    for (at, item) in list("providers", value)?.into_iter().enumerate() {
        // The Python gitvow's providers answer `questions` about files in another form.
        if item.get("questions").is_some() {
            ignored.push(format!("providers[{at}]"));
            continue;
        }
        let timeout = match item.get("timeout") {
            None => 5.0,
            Some(Json::Number(n)) if *n > 0.0 => *n,
            Some(_) => {
                return Err(format!(
                    "`providers[{at}].timeout` must be a number of seconds"
                ));
            }
        };
        let Json::Object(members) = item else {
            return Err(format!(
                "`providers[{at}]` must be an object, not {}",
                item.kind()
            ));
        };
        let mut once = Once::default();
        for (name, _) in &members {
            once.seen(name, || format!("providers[{at}].{name}"))?;
        }
        let command = members.into_iter().find(|(k, _)| k == "command");
        let Some((_, command)) = command else {
            return Err(format!("`providers[{at}]` needs a `command`"));
        };
        let command = texts(&format!("providers[{at}].command"), command)?;
        if command.first().is_none_or(|c| !c.starts_with('/')) {
            return Err(format!(
                "`providers[{at}].command` must begin with an absolute path"
            ));
        }
        out.push(Provider { command, timeout });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_their_place() {
        for (text, expected) in [
            ("[]", "not a JSON object"),
            ("{", "not valid JSON"),
            (
                r#"{"bash_deny":{}}"#,
                "`bash_deny` must be a list, not an object",
            ),
            (r#"{"bash_deny":[1]}"#, "`bash_deny[0]`"),
            (
                r#"{"bash_deny":[{"reason":"x"}]}"#,
                "needs a `pattern` or a `program`",
            ),
            (r#"{"path_deny":[{"program":"x"}]}"#, "needs a `pattern`"),
            (r#"{"mcp_allow":[1]}"#, "`mcp_allow` must hold strings"),
            (
                r#"{"bash_confirm":[{"pattern":"x","when":"later"}]}"#,
                "`later`",
            ),
            (r#"{"providers":[{"command":["x"]}]}"#, "absolute"),
            // Of two only one would count: rules that somebody wrote would be silently off.
            (
                r#"{"bash_deny":[{"pattern":"a"}],"_x":1,"_x":2,"bash\u005fdeny":[]}"#,
                "`bash_deny` stands twice",
            ),
            (
                r#"{"mcp_deny":["a"],"mcp_deny":["b"]}"#,
                "`mcp_deny` stands twice",
            ),
            (
                r#"{"path_deny":[{"pattern":"a"},{"pattern":"a","pattern":"b"}]}"#,
                "`path_deny[1].pattern` stands twice",
            ),
            (
                r#"{"bash_deny":[{"program":"a","verbs":"b","verbs":"c"}]}"#,
                "`bash_deny[0].verbs` stands twice",
            ),
            (
                r#"{"providers":[{"command":["/a"],"command":["/b"]}]}"#,
                "`providers[0].command` stands twice",
            ),
        ] {
            let e = Policy::parse(text.as_bytes()).unwrap_err();
            assert!(e.contains(expected), "{text}: {e}");
        }
        let text = br#"{"bash_deny":[{"pattern":"ok"},{"pattern":"(?<=x)"}]}"#;
        let e = Policy::parse(text).unwrap().check_patterns().unwrap_err();
        assert!(e.contains("bash_deny[1]") && e.contains("`(?<=x)`"), "{e}");
    }

    #[test]
    fn what_only_the_python_gitvow_knows_is_ignored_and_named() {
        let text = br#"{"_from_default":"x","decisions":{},"bash_confirm":[{"program":"git","verbs":["push"],"target":"main","when":"observe"}]}"#;
        let policy = Policy::parse(text).unwrap();
        assert_eq!(policy.ignored, ["decisions", "bash_confirm[0].target"]);
        assert_eq!(policy.rules(List::BashConfirm)[0].when, When::Observe);
    }
}
