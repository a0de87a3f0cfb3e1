//! One file under gitvow: reconcile, apply, and after each step every invariant of the record. Beside it stands
//! its shadow, the user's own text to which each of their edits is applied as well.

use super::tree::{Tree, json_comments, json_tree, toml_comments, toml_tree};
use gitvow::doc::{Addition, Fault};
use gitvow::ledger::{Body, Entry, Merge, Owner, OwnerState, Print, Record};
use gitvow::plan::reconcile::{Goal, Known, Outcome, Wish, reconcile};
use gitvow::spec::{Format, Scope};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Replacements in a text: ascending, not overlapping.
pub type Splices = Vec<(Range<usize>, String)>;

#[derive(Debug, Clone)]
pub struct File {
    pub format: Format,
    pub text: Option<String>,
    pub record: Option<Merge>,
    pub shortcut: bool,
    /// Which bytes of `text` are ours, as the last record said and edits moved them.
    pub ours: Vec<Range<usize>>,
    /// This user edits our entries as well: a recorded one may be gone.
    pub edits_ours: bool,
    /// The user's text, and whether it exists at all.
    pub shadow: Option<String>,
}

impl File {
    pub fn new(format: Format, text: Option<&str>) -> Self {
        Self {
            format,
            text: text.map(str::to_owned),
            record: None,
            shortcut: true,
            ours: Vec::new(),
            edits_ours: false,
            shadow: text.map(str::to_owned),
        }
    }

    pub fn put(&mut self, wish: &Wish, force: bool, adopt: bool) -> Result<Outcome, Fault> {
        let out = self.run(&Goal::Put { wish, force, adopt })?;
        self.settle(&out);
        Ok(out)
    }

    pub fn take(
        &mut self,
        owner: &Owner,
        wish: Option<&Wish>,
        force: bool,
    ) -> Result<Outcome, Fault> {
        let out = self.run(&Goal::Take { owner, wish, force })?;
        self.settle(&out);
        Ok(out)
    }

    pub fn run(&self, goal: &Goal<'_>) -> Result<Outcome, Fault> {
        let known = Known {
            text: self.text.as_deref(),
            record: self.record.as_ref(),
            format: self.format,
            shortcut: self.shortcut,
        };
        reconcile(&known, goal)
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        self.text.as_deref().map(str::as_bytes)
    }

    pub fn str(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// P7 and the record's invariants; then the outcome is the state.
    fn settle(&mut self, out: &Outcome) {
        let old = self.str().to_owned();
        let mut new = String::new();
        let mut at = 0;
        for splice in &out.splices {
            assert!(
                splice.range.start >= at && splice.range.end <= old.len(),
                "{:?}",
                out.splices
            );
            new.push_str(&old[at..splice.range.start]);
            new.push_str(&splice.text);
            at = splice.range.end;
        }
        new.push_str(&old[at..]);
        if out.remove {
            assert!(out.after.is_none());
            self.text = None;
        } else if self.text.is_some() || !out.splices.is_empty() {
            assert_eq!(
                out.after.as_ref(),
                Some(&print(new.as_bytes())),
                "P7: the splices give `after`"
            );
            self.text = Some(new);
        }
        let wrote = out.remove || !out.splices.is_empty();
        if let Some(record) = &out.record {
            let whole = Record {
                schema: gitvow::ledger::SCHEMA,
                path: "/f".into(),
                real: "/f".into(),
                dirs: Vec::new(),
                gitvow: "0".to_owned(),
                body: Body::Merge(record.clone()),
            };
            let json = serde_json::to_string_pretty(&whole).expect("a record is JSON");
            let again: Record = serde_json::from_str(&json).expect("a record can be read");
            assert_eq!(whole, again);
            if wrote || self.record.is_none() {
                self.check(record);
                self.ours = ranges(record);
            }
        } else {
            self.ours = Vec::new();
        }
        self.record = out.record.clone();
    }

    fn check(&self, record: &Merge) {
        let text = self.str();
        assert_eq!(
            record.after,
            print(text.as_bytes()),
            "`after` is the print of the text"
        );
        let ours = ranges(record);
        assert!(ours.windows(2).all(|w| w[0].end < w[1].start), "{ours:?}");
        let rest = without(text, &ours);
        assert_eq!(
            record.origin.print,
            print(rest.as_bytes()),
            "`inserted` out gives the origin\n{text}"
        );
        assert!(
            record
                .owners
                .iter()
                .all(|o| record.entries.iter().any(|e| e.owner == o.owner))
        );
        let Some(tree) = self.tree() else { return };
        for entry in record.entries.iter().filter(|e| e.state.is_active()) {
            let twins = |e: &&Entry| e.path == entry.path && e.value == entry.value;
            let recorded = record.entries.iter().filter(twins).count();
            let found = tree.count(&entry.path, &Tree::of(&entry.value));
            assert!(
                found >= recorded || self.edits_ours,
                "{:?} is recorded {recorded} times and stands there {found} times\n{text}",
                entry.path
            );
        }
    }

    pub fn tree(&self) -> Option<Tree> {
        tree(self.format, self.str())
    }

    pub fn comments(&self) -> Vec<String> {
        comments(self.format, self.str())
    }

    /// A user's edit, in the text and at the mapped place in the shadow.
    pub fn edit(&mut self, splices: &Splices) {
        let shadow = splices
            .iter()
            .map(|(r, t)| (self.mapped(r.start)..self.mapped(r.end), t.clone()))
            .collect();
        self.shadow = self.shadow.as_deref().map(|s| spliced(s, &shadow));
        self.text = Some(spliced(self.str(), splices));
        let moved = |at: usize, is_end: bool| {
            splices.iter().fold(at as isize, |new, (r, t)| {
                let more = t.len() as isize - r.len() as isize;
                match r.end < at || (r.end == at && !is_end) {
                    true => new + more,
                    // Inside what goes: to its start.
                    false if r.start < at => new - (at - r.start) as isize,
                    false => new,
                }
            }) as usize
        };
        self.ours = self
            .ours
            .iter()
            .map(|r| moved(r.start, false)..moved(r.end, true))
            .filter(|r| r.start < r.end)
            .collect();
    }

    /// Where an offset of the text stands in the shadow.
    fn mapped(&self, at: usize) -> usize {
        let before = self.ours.iter().filter(|r| r.start < at);
        at - before.map(|r| r.end.min(at) - r.start).sum::<usize>()
    }

    /// The whole file in another kind of newline.
    pub fn convert(&mut self, newline: &str) {
        let text = self.str().to_owned();
        self.ours = self
            .ours
            .iter()
            .map(|r| {
                converted(&text[..r.start], newline).len()..converted(&text[..r.end], newline).len()
            })
            .collect();
        self.text = Some(converted(&text, newline));
        self.shadow = self.shadow.as_deref().map(|s| converted(s, newline));
    }
}

pub fn ranges(record: &Merge) -> Vec<Range<usize>> {
    record
        .inserted
        .iter()
        .map(|(at, len)| *at as usize..(at + len) as usize)
        .collect()
}

pub fn without(text: &str, ranges: &[Range<usize>]) -> String {
    spliced(
        text,
        &ranges.iter().map(|r| (r.clone(), String::new())).collect(),
    )
}

pub fn spliced(text: &str, splices: &Splices) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (range, new) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

pub fn converted(text: &str, newline: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\n', newline)
}

pub fn print(bytes: &[u8]) -> Print {
    let sha256 = Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    Print {
        sha256,
        len: bytes.len() as u64,
    }
}

/// What a text says; a text without a value is an empty map.
pub fn tree(format: Format, text: &str) -> Option<Tree> {
    let tree = if format == Format::Toml {
        toml_tree(text)
    } else {
        json_tree(text)
    };
    tree.ok().map(|t| t.unwrap_or(Tree::Map(Vec::new())))
}

pub fn comments(format: Format, text: &str) -> Vec<String> {
    if format == Format::Toml {
        toml_comments(text)
    } else {
        json_comments(text)
    }
}

/// `value` less the recorded entries and the containers that this empties.
pub fn pruned(mut value: Tree, record: &Merge) -> Tree {
    for entry in &record.entries {
        value.remove(&entry.path, &Tree::of(&entry.value));
    }
    tidy(value, record)
}

/// `value` less the empty containers that we created, and less the version key where nothing else is left.
pub fn tidy(mut value: Tree, record: &Merge) -> Tree {
    let mut created: Vec<&Vec<String>> = record
        .containers
        .iter()
        .filter(|c| c.created.is_some())
        .map(|c| &c.path)
        .collect();
    created.sort_by_key(|p| std::cmp::Reverse(p.len()));
    for path in created {
        value.drop_empty(path);
    }
    if let (Tree::Map(m), Some(version)) = (&mut value, &record.version)
        && *m == [(version.key.clone(), Tree::Number("1".to_owned()))]
    {
        m.clear();
    }
    value
}

pub fn owner(agent: &str) -> Owner {
    Owner {
        agent: agent.to_owned(),
        scope: Scope::User,
    }
}

/// The agents that share a JSON file, with roots of three kinds, groups and flat entries, one version key.
pub const JSON_AGENTS: [&str; 5] = ["claude", "qwen", "cursor", "antigravity", "factory"];
/// TOML: two of Codex's kind, or two of Kimi's; the last one can stand beside either.
pub const TOML_AGENTS: [[&str; 3]; 2] = [["codex", "codex2", "other"], ["kimi", "kimi2", "other"]];

/// What an agent wants. Versions: other paths in the command, and from 2 on an event less and an event more.
pub fn wish(agent: &str, version: usize) -> Wish {
    let bin = match version {
        0 => "/home/u/.gitvow/bin/gitvow".to_owned(),
        n => format!("'/home/a user/v{n}/bin'/gitvow"),
    };
    let command = |event: &str| format!("{bin} hook --agent {agent} {event}");
    let flat = |event: &str| json!({"command": command(event), "type": "command", "timeout": 30});
    let group = |event: &str| json!({"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": command(event), "timeout": 30 + version}]});
    let last = if version < 2 { "Stop" } else { "SessionStart" };
    let (root, list, version_key): (&[&str], bool, Option<&str>) = match agent {
        "antigravity" | "other" => (&["gitvow"], false, None),
        "factory" => (&[], false, None),
        "kimi" | "kimi2" => (&["hooks"], true, None),
        "cursor" => (&["hooks"], false, Some("version")),
        _ => (&["hooks"], false, None),
    };
    let root: Vec<String> = root.iter().map(|k| (*k).to_owned()).collect();
    let entry = |event: &str| -> Addition {
        let mut path = root.clone();
        let value = match agent {
            "kimi" | "kimi2" => {
                json!({"event": event, "matcher": "Bash", "command": command(event), "timeout": 30})
            }
            "cursor" => flat(event),
            "antigravity" if event == "Stop" => flat(event),
            _ => group(event),
        };
        if !list {
            path.push(event.to_owned());
        }
        Addition { path, value }
    };
    Wish {
        owner: OwnerState {
            owner: owner(agent),
            root: root.clone(),
            list,
            block: false,
            adapter: None,
        },
        entries: ["PreToolUse", last].iter().map(|e| entry(e)).collect(),
        version_key: version_key.map(str::to_owned),
        names: vec![agent.to_owned()],
        legacy: Vec::new(),
    }
}

/// A wish with one entry, for documents by hand.
pub fn one(path: &[&str], value: Value) -> Wish {
    let path: Vec<String> = path.iter().map(|k| (*k).to_owned()).collect();
    Wish {
        owner: OwnerState {
            owner: owner("claude"),
            root: path[..path.len() - 1].to_vec(),
            list: false,
            block: false,
            adapter: None,
        },
        entries: vec![Addition { path, value }],
        version_key: None,
        names: vec!["claude".to_owned()],
        legacy: Vec::new(),
    }
}

/// Seeds that once failed, first; then as many as `GITVOW_CASES` says.
pub fn seeds(property: &str) -> Vec<u64> {
    let path = format!(
        "{}/fixtures/seeds/{property}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let kept = text
        .lines()
        .filter_map(|l| l.split('#').next()?.trim().parse().ok());
    kept.chain(0..super::json_text::cases()).collect()
}
