//! Rules about MCP tools against a name that may have several readings. May not read anything.
//!
//! A deny rule holds when it matches any reading; an allow rule must match them all.

use super::pattern;
use crate::hook::mcp::{Doubt, Reading, Server};
use std::borrow::Cow;

/// What a rule says of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hit {
    /// It isn't about it.
    No,
    /// It names a server, and which one the tool belongs to isn't known.
    Maybe,
    /// It is about it.
    Yes,
}

/// A part of a name that only a pattern for any name matches.
const ANY: &str = "_\u{fffd}";

/// Is the tool denied by this pattern? An error is a pattern that can't be used.
pub fn denied(pattern: &str, name: &str, doubt: Option<&Doubt>) -> Result<Hit, String> {
    let Some(doubt) = doubt else {
        return Ok(sure(pattern::full(pattern, name)?));
    };
    let mut hit = sure(pattern::full(pattern, &doubt.own)?);
    for reading in &doubt.readings {
        hit = hit.max(by(pattern, reading)?);
    }
    Ok(hit)
}

/// Do these patterns allow the tool? No pattern allows all.
pub fn allowed(
    patterns: &[Cow<'_, str>],
    name: &str,
    doubt: Option<&Doubt>,
) -> Result<bool, String> {
    let any = |name: &str| -> Result<bool, String> {
        for pattern in patterns {
            if pattern::full(pattern, name)? {
                return Ok(true);
            }
        }
        Ok(patterns.is_empty())
    };
    let Some(doubt) = doubt else {
        return any(name);
    };
    // A rule in the agent's own spelling; a server can call itself `mcp__docs`, so our spelling proves nothing here.
    if !doubt.own.starts_with("mcp__") && any(&doubt.own)? {
        return Ok(true);
    }
    for reading in &doubt.readings {
        let tool = reading.tool.as_deref().unwrap_or(ANY);
        let servers = match &reading.server {
            Server::Is(name) => vec![name.clone()],
            Server::Begins(name) => vec![name.clone(), format!("{name}{ANY}")],
            Server::Unknown => vec![ANY.to_owned()],
        };
        for server in servers {
            if !any(&format!("mcp__{server}__{tool}"))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// VS Code writes servers' names in lower case. (Case is known of ASCII letters only.)
fn any_case(pattern: &str) -> Cow<'_, str> {
    match pattern.is_ascii() {
        true => Cow::Owned(format!("(?i:{pattern})")),
        false => Cow::Borrowed(pattern),
    }
}

fn sure(hit: bool) -> Hit {
    if hit { Hit::Yes } else { Hit::No }
}

fn by(pattern: &str, reading: &Reading) -> Result<Hit, String> {
    if pattern::full(&any_case(pattern), &reading.name())? {
        return Ok(if reading.tool.is_some() {
            Hit::Yes
        } else {
            Hit::Maybe
        });
    }
    let begins = match &reading.server {
        Server::Is(_) if reading.tool.is_some() => return Ok(Hit::No),
        Server::Is(_) | Server::Unknown => "",
        Server::Begins(name) => name,
    };
    let mut hit = Hit::No;
    for alternative in alternatives(pattern) {
        for (server, tool) in splits(alternative) {
            if !could_begin(server, begins) {
                continue;
            }
            hit = hit.max(match &reading.tool {
                None => Hit::Maybe,
                Some(name) => sure(pattern::full(&any_case(tool), name)?),
            });
        }
        // `mcp__github.*`: a server is named, and what follows can't be told from it.
        let named = alternative.strip_prefix("mcp__").unwrap_or_default();
        if splits(alternative).is_empty()
            && named.starts_with(|c: char| c.is_alphanumeric() || c == '(')
            && could_begin(named, begins)
        {
            hit = hit.max(Hit::Maybe);
        }
    }
    Ok(hit)
}

/// May the pattern of a server's name match one that begins so? Yes, unless its plain text says otherwise.
fn could_begin(pattern: &str, begins: &str) -> bool {
    let plain: String = pattern
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        .collect::<String>()
        .to_lowercase();
    let whole = plain.len() == pattern.len();
    let begins = begins.to_lowercase();
    plain.starts_with(&begins) || (!whole && begins.starts_with(&plain))
}

/// The parts of a pattern between `|` outside of groups and classes.
fn alternatives(pattern: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for at in outside(pattern) {
        if pattern.get(at..).is_some_and(|p| p.starts_with('|')) {
            out.extend(pattern.get(from..at));
            from = at + 1;
        }
    }
    out.extend(pattern.get(from..));
    out
}

/// Server and tool of a pattern, at each `__` behind the first that stands outside of groups and classes.
fn splits(pattern: &str) -> Vec<(&str, &str)> {
    let anchored = pattern.strip_prefix('^').unwrap_or(pattern);
    let pattern = anchored.strip_prefix("mcp__").unwrap_or(anchored);
    outside(pattern)
        .into_iter()
        .filter_map(|at| {
            let (server, behind) = pattern.split_at_checked(at)?;
            let tool = behind.strip_prefix("__")?;
            let whole = !tool.is_empty() && !tool.starts_with(['*', '+', '?', '{']);
            (whole && !server.is_empty()).then_some((server, tool))
        })
        .collect()
}

/// The offsets of characters outside of groups, classes and escapes.
fn outside(pattern: &str) -> Vec<usize> {
    let (mut out, mut depth, mut class, mut escaped) = (Vec::new(), 0usize, false, false);
    for (at, c) in pattern.char_indices() {
        let plain = !std::mem::take(&mut escaped);
        match c {
            '\\' if plain => escaped = true,
            ']' if plain => class = false,
            '[' if plain => class = true,
            '(' if plain && !class => depth += 1,
            ')' if plain && !class => depth = depth.saturating_sub(1),
            _ if plain && !class && depth == 0 => out.push(at),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(own: &str, readings: &[(Server, &str)]) -> Doubt {
        let reading = |(server, tool): &(Server, &str)| Reading {
            server: server.clone(),
            tool: (!tool.is_empty()).then(|| (*tool).to_owned()),
        };
        Doubt {
            own: own.to_owned(),
            readings: readings.iter().map(reading).collect(),
        }
    }

    #[test]
    fn any_reading_is_denied_and_all_must_be_allowed() {
        let is = |s: &str| Server::Is(s.to_owned());
        let joined = doubt(
            "my_db_drop_table",
            &[
                (is("my"), "db_drop_table"),
                (is("my_db"), "drop_table"),
                (is("my_db_drop"), "table"),
            ],
        );
        let unknown = doubt("MCP:drop_table", &[(Server::Unknown, "drop_table")]);
        let cut = doubt(
            "mcp_azure_go_x",
            &[(Server::Begins("azure_go".to_owned()), "x")],
        );
        let nothing = doubt("call_mcp_tool", &[(Server::Unknown, "")]);
        for (pattern, doubt, expected) in [
            ("mcp__my_db__drop_.*", &joined, Hit::Yes),
            ("mcp__MY_DB__drop_.*", &joined, Hit::Yes),
            ("mcp__.*__drop_table", &joined, Hit::Yes),
            ("my_db_drop.*", &joined, Hit::Yes),
            ("mcp__other__drop_table", &joined, Hit::No),
            ("mcp__(my|your)_db__.*", &joined, Hit::Yes),
            ("mcp__my_db__drop_.*", &unknown, Hit::Yes),
            ("mcp__(my|your)_db__drop_.*", &unknown, Hit::Yes),
            ("mcp__a__x|mcp__b__drop_table", &unknown, Hit::Yes),
            ("mcp__my_db__list", &unknown, Hit::No),
            (".*drop.*", &unknown, Hit::Yes),
            ("mcp__my_db.*", &unknown, Hit::Maybe),
            ("mcp__(a__x|b__y)", &unknown, Hit::Maybe),
            ("mcp__azure_gov_x__.*", &cut, Hit::Yes),
            ("mcp__azure_x__.*", &cut, Hit::No),
            ("mcp__az.*__x", &cut, Hit::Yes),
            ("mcp__a__b", &nothing, Hit::Maybe),
            (
                "mcp__é__drop_table|mcp__my_db__drop_table",
                &joined,
                Hit::Yes,
            ),
        ] {
            assert_eq!(
                denied(pattern, "", Some(doubt)).unwrap(),
                expected,
                "{pattern} {}",
                doubt.own
            );
        }
        for (pattern, doubt, expected) in [
            ("mcp__my_db__.*", &joined, false),
            ("mcp__my_.*", &joined, true),
            ("my_db_.*", &joined, true),
            ("mcp__my_db__.*", &unknown, false),
            ("mcp__.*__drop_table", &unknown, true),
            ("mcp__[a-z]+__drop_table", &unknown, false),
            ("mcp__azure_go__.*", &cut, false),
            ("mcp__azure_go.*", &cut, true),
            ("mcp__.*__x", &nothing, false),
            (".*", &nothing, true),
        ] {
            let patterns = [Cow::Borrowed(pattern)];
            assert_eq!(
                allowed(&patterns, "", Some(doubt)).unwrap(),
                expected,
                "{pattern} {}",
                doubt.own
            );
        }
        let disguised = doubt("mcp__docs__x", &[(is("mcp__docs"), "_x")]);
        assert!(!allowed(&[Cow::Borrowed("mcp__docs__.*")], "", Some(&disguised)).unwrap());
    }
}
