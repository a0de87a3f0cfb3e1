//! What an agent's own name of an MCP tool says: which server, which tool. Pure.
//!
//! Policies name MCP tools `mcp__server__tool`, as Claude Code does. Other agents join the two with one character
//! that may stand in either, cut long names short, or name no server: then there are several readings, and
//! a rule must not be dodged, nor satisfied, by the wrong one.

use super::json::Json;
use serde::Deserialize;

/// How an agent spells the names of MCP tools (`hook.mcp` of a planner). The first that fits counts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spelling {
    /// Only for payloads with this top-level key.
    #[serde(default)]
    pub when: Option<String>,
    /// The one name of the tool that calls all others; instead of `prefix`.
    #[serde(default)]
    pub name: Option<String>,
    /// Where that tool's payload has the name of the one that is called, to be taken apart.
    #[serde(default)]
    pub whole: Option<String>,
    /// What the name begins with; empty where nothing marks an MCP tool but the separator.
    #[serde(default)]
    pub prefix: String,
    /// What stands between server and tool; absent: the rest is the tool alone.
    #[serde(default)]
    pub separator: Option<String>,
    /// The agent's own tools that look like one.
    #[serde(default)]
    pub own: Vec<String>,
    /// Where the server's name stands in the payload.
    #[serde(default)]
    pub server: Option<String>,
    /// Where the tool's bare name stands in the payload.
    #[serde(default)]
    pub tool: Option<String>,
    /// A server's name of this many characters may have been cut.
    #[serde(default)]
    pub cut: Option<usize>,
}

/// An MCP tool whose name can be read in more than one way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doubt {
    /// The name as the agent spells it.
    pub own: String,
    /// Every reading.
    pub readings: Vec<Reading>,
}

/// One reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The server.
    pub server: Server,
    /// The tool; `None` when nothing names it.
    pub tool: Option<String>,
}

/// What is known of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// Its name.
    Is(String),
    /// Its name begins so.
    Begins(String),
    /// Nothing names it.
    Unknown,
}

/// The most readings of one name; beyond, nothing is known of it.
const MOST: usize = 32;

impl Reading {
    fn unknown(tool: Option<&str>) -> Self {
        Self {
            server: Server::Unknown,
            tool: tool.filter(|t| !t.is_empty()).map(str::to_owned),
        }
    }

    /// `mcp__server__tool`, with those words where a name is missing.
    pub fn name(&self) -> String {
        let server = match &self.server {
            Server::Is(name) | Server::Begins(name) => name,
            Server::Unknown => "server",
        };
        format!("mcp__{server}__{}", self.tool.as_deref().unwrap_or("tool"))
    }
}

/// The canonical name of the tool that the agent calls `own`, and the doubt about it; `None` when it is no MCP tool.
pub fn read(
    spellings: &[Spelling],
    payload: &Json<'_>,
    own: &str,
) -> Option<(String, Option<Box<Doubt>>)> {
    let there = |key: &String| payload.get(key).is_some();
    let (spelling, rest) = spellings
        .iter()
        .filter(|s| s.when.as_ref().is_none_or(there))
        .find_map(|s| Some((s, s.rest(own, payload)?)))?;
    let named = |path: &Option<String>| {
        payload
            .at(path.as_deref()?)?
            .str()
            .filter(|n| !n.is_empty())
    };
    if let Some(server) = named(&spelling.server) {
        let behind = || {
            let separator = spelling.separator.as_deref()?;
            rest.strip_prefix(server)?.strip_prefix(separator)
        };
        let tool = named(&spelling.tool).or_else(behind).unwrap_or(rest);
        let server = Server::Is(server.to_owned());
        let tool = (!tool.is_empty()).then(|| tool.to_owned());
        let reading = Reading { server, tool };
        let sure = reading.tool.is_some();
        return Some((reading.name(), doubt(own, vec![reading], sure)));
    }
    let readings = spelling.splits(rest, named(&spelling.tool));
    let sure = matches!(
        readings.as_slice(),
        [Reading {
            server: Server::Is(_),
            ..
        }]
    );
    let name = readings.first().map(Reading::name)?;
    Some((name, doubt(own, readings, sure)))
}

fn doubt(own: &str, readings: Vec<Reading>, sure: bool) -> Option<Box<Doubt>> {
    let own = own.to_owned();
    (!sure).then(|| Box::new(Doubt { own, readings }))
}

impl Spelling {
    /// What stands behind the prefix of a name that is spelled so.
    fn rest<'a>(&self, own: &'a str, payload: &'a Json<'_>) -> Option<&'a str> {
        if let Some(name) = &self.name {
            let whole = self
                .whole
                .as_deref()
                .and_then(|path| payload.at(path)?.str());
            return (name == own).then(|| whole.unwrap_or_default());
        }
        let rest = own.strip_prefix(self.prefix.as_str())?;
        let marked = match (&self.separator, self.prefix.is_empty()) {
            (Some(separator), true) => rest.contains(separator.as_str()),
            (_, empty) => !empty,
        };
        (marked && !self.own.iter().any(|o| o == own)).then_some(rest)
    }

    /// Every way to take the rest apart.
    fn splits(&self, rest: &str, tool: Option<&str>) -> Vec<Reading> {
        let Some(separator) = self.separator.as_deref().filter(|s| !s.is_empty()) else {
            return vec![Reading::unknown(tool.or(Some(rest)))];
        };
        let mut readings = Vec::new();
        for at in 1..rest.len() {
            let Some((server, behind)) = rest.split_at_checked(at) else {
                continue;
            };
            let Some(bare) = behind.strip_prefix(separator).filter(|b| !b.is_empty()) else {
                continue;
            };
            if tool.is_some_and(|t| t != bare) {
                continue;
            }
            let cut = self.cut.is_some_and(|most| server.chars().count() >= most);
            let server = server.to_owned();
            readings.push(Reading {
                server: if cut {
                    Server::Begins(server)
                } else {
                    Server::Is(server)
                },
                tool: Some(bare.to_owned()),
            });
        }
        match readings.len() {
            0 => vec![Reading::unknown(tool.or(Some(rest)))],
            n if n > MOST => vec![Reading::unknown(None)],
            _ => readings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(spelling: &str, payload: &str, own: &str) -> Option<(String, Vec<String>)> {
        let spelling: Spelling = serde_json::from_str(spelling).unwrap();
        let payload = Json::parse(payload.as_bytes()).unwrap();
        let (name, doubt) = read(&[spelling], &payload, own)?;
        let readings =
            doubt.map_or_else(Vec::new, |d| d.readings.iter().map(Reading::name).collect());
        Some((name, readings))
    }

    #[test]
    fn names_are_taken_apart_in_every_way_and_no_other() {
        let joined = r#"{"prefix":"mcp_","separator":"_","server":"at.server","tool":"at.tool"}"#;
        let bare = r#"{"separator":"-"}"#;
        for (spelling, payload, own, expected) in [
            (
                joined,
                "{}",
                "mcp_docs_search",
                Some(("mcp__docs__search", &[][..])),
            ),
            (
                joined,
                "{}",
                "mcp_my_db_drop",
                Some((
                    "mcp__my__db_drop",
                    &["mcp__my__db_drop", "mcp__my_db__drop"],
                )),
            ),
            (
                joined,
                r#"{"at":{"server":"my_db"}}"#,
                "mcp_my_db_drop",
                Some(("mcp__my_db__drop", &[])),
            ),
            (
                joined,
                r#"{"at":{"tool":"drop"}}"#,
                "mcp_my_db_drop",
                Some(("mcp__my_db__drop", &[])),
            ),
            (
                joined,
                "{}",
                "mcp_alone",
                Some(("mcp__server__alone", &["mcp__server__alone"])),
            ),
            (joined, "{}", "other_tool", None),
            (bare, "{}", "view", None),
            (bare, "{}", "docs-search", Some(("mcp__docs__search", &[]))),
            (
                r#"{"separator":"_","own":["plan_exit"]}"#,
                "{}",
                "plan_exit",
                None,
            ),
            (
                r#"{"prefix":"MCP:"}"#,
                "{}",
                "MCP:search",
                Some(("mcp__server__search", &["mcp__server__search"])),
            ),
            (
                r#"{"name":"call","server":"s","tool":"t"}"#,
                r#"{"s":"a","t":"b"}"#,
                "call",
                Some(("mcp__a__b", &[])),
            ),
            (
                r#"{"name":"call","server":"s"}"#,
                r#"{"s":"a"}"#,
                "call",
                Some(("mcp__a__tool", &["mcp__a__tool"])),
            ),
            (
                r#"{"name":"call","whole":"i.t","separator":"__"}"#,
                r#"{"i":{"t":"a__b"}}"#,
                "call",
                Some(("mcp__a__b", &[])),
            ),
            (
                r#"{"prefix":"MCP:","server":"s"}"#,
                r#"{"s":"a"}"#,
                "MCP:a-b",
                Some(("mcp__a__a-b", &[])),
            ),
            (r#"{"name":"call"}"#, "{}", "caller", None),
            (
                r#"{"prefix":"mcp_","separator":"_","when":"x"}"#,
                "{}",
                "mcp_a_b",
                None,
            ),
        ] {
            let expected = expected.map(|(name, readings)| {
                (
                    name.to_owned(),
                    readings.iter().map(|r| (*r).to_owned()).collect(),
                )
            });
            assert_eq!(names(spelling, payload, own), expected, "{spelling} {own}");
        }
    }

    #[test]
    fn a_cut_server_and_a_name_with_too_many_readings_are_in_doubt() {
        let spelling: Spelling =
            serde_json::from_str(r#"{"prefix":"mcp_","separator":"_","cut":5}"#).unwrap();
        let payload = Json::parse(b"{}").unwrap();
        let of = |own: &str| {
            read(std::slice::from_ref(&spelling), &payload, own)
                .unwrap()
                .1
                .unwrap()
                .readings
        };
        assert_eq!(
            of("mcp_azure_go")[0].server,
            Server::Begins("azure".to_owned())
        );
        assert_eq!(
            of(&format!("mcp_{}", "a_".repeat(60))),
            [Reading::unknown(None)]
        );
    }
}
