//! A policy's text becomes rules. May not read files; a fault is one sentence that names the place.

use super::pattern;
use crate::hook::json::Json;
use std::borrow::Cow;

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
}

/// A program that is asked about each call.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider<'a> {
    /// Program and arguments.
    pub command: Vec<Cow<'a, str>>,
    /// Seconds.
    pub timeout: f64,
}

/// The rules of one file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy<'a> {
    /// Shell lines that don't run.
    pub bash_deny: Vec<Rule<'a>>,
    /// Shell lines that are asked about.
    pub bash_confirm: Vec<Rule<'a>>,
    /// Files that aren't written.
    pub path_deny: Vec<Rule<'a>>,
    /// Files that are asked about.
    pub path_confirm: Vec<Rule<'a>>,
    /// MCP tools that don't run.
    pub mcp_deny: Vec<Cow<'a, str>>,
    /// When not empty: the only MCP tools that run unasked.
    pub mcp_allow: Vec<Cow<'a, str>>,
    /// Programs to ask.
    pub providers: Vec<Provider<'a>>,
    /// Keys and rule parts that mean something to the Python gitvow only; `doctor` names them.
    pub ignored: Vec<String>,
}

const KNOWN: [&str; 8] = [
    "bash_deny",
    "bash_confirm",
    "path_deny",
    "path_confirm",
    "mcp_deny",
    "mcp_allow",
    "providers",
    "$schema",
];

impl<'a> Policy<'a> {
    /// Reads a policy from JSON text. Patterns are not compiled: [`Policy::check_patterns`] does that.
    pub fn parse(text: &'a [u8]) -> Result<Self, String> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let Json::Object(members) =
            Json::parse(text).map_err(|e| format!("it is not valid JSON: {e}"))?
        else {
            return Err("it is not a JSON object".to_owned());
        };
        let mut policy = Self::default();
        for (key, value) in members {
            let key = key.as_ref();
            match key {
                "bash_deny" => policy.bash_deny = rules(key, value, &mut policy.ignored)?,
                "bash_confirm" => policy.bash_confirm = rules(key, value, &mut policy.ignored)?,
                "path_deny" => policy.path_deny = rules(key, value, &mut policy.ignored)?,
                "path_confirm" => policy.path_confirm = rules(key, value, &mut policy.ignored)?,
                "mcp_deny" => policy.mcp_deny = texts(key, value)?,
                "mcp_allow" => policy.mcp_allow = texts(key, value)?,
                "providers" => policy.providers = providers(value, &mut policy.ignored)?,
                _ if KNOWN.contains(&key) || key.starts_with('_') => {}
                _ => policy.ignored.push(key.to_owned()),
            }
        }
        Ok(policy)
    }

    /// Compiles every pattern once. The sentence quotes the first that can't be used and says where it stands.
    pub fn check_patterns(&self) -> Result<(), String> {
        let lists = [
            ("bash_deny", &self.bash_deny),
            ("bash_confirm", &self.bash_confirm),
            ("path_deny", &self.path_deny),
            ("path_confirm", &self.path_confirm),
        ];
        for (key, rules) in lists {
            for (at, rule) in rules.iter().enumerate() {
                let check = |p: &str| {
                    pattern::compile(p)
                        .map(drop)
                        .map_err(|e| format!("{key}[{at}]: {e}"))
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

fn rules<'a>(
    key: &str,
    value: Json<'a>,
    ignored: &mut Vec<String>,
) -> Result<Vec<Rule<'a>>, String> {
    let items = list(key, value)?;
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        let Json::Object(members) = item else {
            return Err(format!(
                "`{key}[{at}]` must be an object, not {}",
                item.kind()
            ));
        };
        out.push(rule(key, at, members, ignored)?);
    }
    Ok(out)
}

fn rule<'a>(
    key: &str,
    at: usize,
    members: Vec<(Cow<'a, str>, Json<'a>)>,
    ignored: &mut Vec<String>,
) -> Result<Rule<'a>, String> {
    let (mut found, mut program) = (None, Program::default());
    let (mut reason, mut when) = (Cow::Borrowed("no reason given"), When::Immediate);
    for (name, value) in members {
        let place = || format!("{key}[{at}].{name}");
        match (name.as_ref(), value) {
            ("pattern", Json::String(s)) => found = Some(s),
            ("reason", Json::String(s)) => reason = s,
            ("when", Json::String(s)) => {
                when = match s.as_ref() {
                    "immediate" => When::Immediate,
                    "commit" | "observe" => When::Observe,
                    _ => return Err(format!("`{}` is unknown: `{s}`", place())),
                };
            }
            ("line", Json::String(s)) => program.line = Some(s),
            ("pattern" | "reason" | "when" | "line", other) => {
                return Err(format!(
                    "`{}` must be a string, not {}",
                    place(),
                    other.kind()
                ));
            }
            ("program", value) => program.programs = one_or_more(&place(), value)?,
            ("verbs", value) => program.verbs = one_or_more(&place(), value)?,
            ("flags", value) => program.flags = one_or_more(&place(), value)?,
            ("operands", value) => program.operands = one_or_more(&place(), value)?,
            ("pipes_to", value) => program.pipes_to = one_or_more(&place(), value)?,
            _ => ignored.push(place()),
        }
    }
    let test = match found {
        Some(pattern) => Test::Pattern(pattern),
        None if key.starts_with("path") => {
            return Err(format!("`{key}[{at}]` needs a `pattern`"));
        }
        None if program.programs.is_empty() => {
            return Err(format!("`{key}[{at}]` needs a `pattern` or a `program`"));
        }
        None => Test::Program(Box::new(program)),
    };
    Ok(Rule { test, reason, when })
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
        let command = members.into_iter().rev().find(|(k, _)| k == "command");
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
        assert_eq!(policy.bash_confirm[0].when, When::Observe);
    }
}
