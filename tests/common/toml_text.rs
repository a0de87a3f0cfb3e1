//! Random TOML *text*, trivia included: the properties of the engine are about bytes, so documents aren't printed from trees.

use serde_json::Value;
use std::fmt::Write as _;

/// A seeded source of choices (splitmix64).
pub struct Gen {
    state: u64,
    names: usize,
}

/// Which lists a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// None at all.
    Absent,
    /// `[[hooks]]`, `[[hooks.PreToolUse]]`.
    Blocks,
    /// `hooks = […]`, `hooks.PreToolUse = […]` or below `[hooks]`.
    Array,
}

/// A document and what is known of it.
#[derive(Debug, Clone)]
pub struct Sample {
    pub text: String,
    pub newline: &'static str,
    pub lists: Lists,
    /// Offsets where a line of one's own may be typed: line starts outside every value.
    pub gaps: Vec<usize>,
}

const TRAPS: [&str; 8] = [
    "'[[hooks]]'",
    "\"# no \\\" comment ]]\"",
    "'''NL[[hooks]]NLevent = \"x\" # no commentNL'''",
    "\"\"\"NL[[hooks.PreToolUse]]NL\\\"\"\" hooks = [ ]NL\"\"\"\"\"",
    "{ a = \"}\", b.c = [1, { d = 2 }] }",
    "[NL  1, # oneNL  [ '#', \"]\" ],NL]",
    "1979-05-27 07:32:00Z",
    "[]",
];
const PLAIN: [&str; 6] = ["1", "true", "\"a b\"", "-0.5e3", "0xff", "inf"];
const COMMENTS: [&str; 5] = ["#", "# plain", "# [[hooks]]", "#\thooks = [", "# \"\"\" é"];

impl Gen {
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed,
            names: 0,
        }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        let n = self.names;
        match self.below(6) {
            0 => format!("\"q {n}\""),
            1 => format!("'l.{n}'"),
            2 => format!("d{n}.x"),
            3 => format!("d{n} . 'y z'"),
            _ => format!("k-{n}"),
        }
    }

    fn comment(&mut self) -> String {
        self.pick(&COMMENTS).to_owned()
    }

    fn value(&mut self) -> String {
        if self.one_in(3) {
            self.pick(&TRAPS).to_owned()
        } else {
            self.pick(&PLAIN).to_owned()
        }
    }

    fn space(&mut self) -> &'static str {
        self.pick(&["", " ", " ", " ", "\t", "  "])
    }

    /// A user's element of a list, on one line.
    fn element(&mut self) -> String {
        let n = self.below(9);
        match self.below(4) {
            0 => format!("{{event='u{n}'}}"),
            1 => format!("{{ event = \"u{n}\", \"x y\" = [ 1,2 ] }}"),
            2 => "{}".to_owned(),
            _ => format!("{{ matcher = \"]\", hooks = [{{ command = 'c{n}' }}] }}"),
        }
    }

    /// A value array of any style.
    fn array(&mut self) -> String {
        let count = self.below(4);
        if count == 0 {
            let empty = [
                "[]",
                "[ ]",
                "[\t ]",
                "[NL]",
                "[NL\t]",
                "[ # cNL]",
                "[NL  # cNL  # dNL]",
                "[NLNL]",
            ];
            return self.pick(&empty).to_owned();
        }
        let mut out = "[".to_owned();
        if self.one_in(2) {
            let (open, comma) = (self.space(), self.pick(&[",", ", ", " , ", ",  "]));
            out.push_str(open);
            for i in 0..count {
                if i > 0 {
                    out.push_str(comma);
                }
                out.push_str(&self.element());
            }
            out.push_str(self.pick(&["", "", "", ",", " ,", ", "]));
            out.push_str(self.space());
            if self.one_in(6) {
                let _ = write!(out, "{}NL", self.comment());
            }
        } else {
            let indent = self.pick(&["  ", "\t", "    ", ""]);
            let trailing = self.one_in(2);
            for i in 0..count {
                out.push_str("NL");
                if self.one_in(5) {
                    let _ = write!(out, "{indent}{}NL", self.comment());
                }
                out.push_str(indent);
                out.push_str(&self.element());
                if i + 1 < count || trailing {
                    if self.one_in(8) {
                        let _ = write!(out, " {}NL{indent}", self.comment());
                    }
                    out.push(',');
                }
                if self.one_in(4) {
                    let _ = write!(out, "{}{}", self.space(), self.comment());
                }
            }
            out.push_str("NL");
            if self.one_in(5) {
                let _ = write!(out, "{indent}{}NL", self.comment());
            }
        }
        out.push(']');
        out
    }

    /// One line (or one value over several) of a table.
    fn pair(&mut self, lines: &mut Vec<String>) {
        let mut line = String::new();
        if self.one_in(8) {
            line.push_str(self.space());
        }
        let _ = write!(line, "{}{}={}", self.name(), self.space(), self.space());
        line.push_str(&self.value());
        if self.one_in(5) {
            let _ = write!(line, "{}{}", self.space(), self.comment());
        } else if self.one_in(10) {
            line.push_str(" \t");
        }
        lines.push(line);
    }

    fn trivia(&mut self, lines: &mut Vec<String>) {
        while self.one_in(3) {
            let line = match self.below(4) {
                0 | 1 => String::new(),
                2 => self.comment(),
                _ => format!("  {}", self.comment()),
            };
            lines.push(line);
        }
    }

    fn pairs(&mut self, lines: &mut Vec<String>) {
        for _ in 0..self.below(3) {
            self.trivia(lines);
            self.pair(lines);
        }
    }

    fn block(&mut self, event: Option<&str>, lines: &mut Vec<String>) {
        let header = match (event, self.below(3)) {
            (None, 0) => "[[ hooks ]]".to_owned(),
            (None, 1) => "[[\"hooks\"]]".to_owned(),
            (None, _) => "[[hooks]]".to_owned(),
            (Some(e), 0) => format!("[[ hooks . {e} ]]"),
            (Some(e), 1) => format!("  [['hooks'.\"{e}\"]]"),
            (Some(e), _) => format!("[[hooks.{e}]]"),
        };
        lines.push(header);
        self.pairs(lines);
        if self.one_in(5) {
            self.names += 1;
            let under = event.map_or("hooks".to_owned(), |e| format!("hooks.{e}"));
            lines.push(format!("[{under}.sub{}]", self.names));
            self.pairs(lines);
        }
    }

    /// A document whose lists live under `hooks`; `event` names the one below it, or `hooks` is the list itself.
    pub fn document(&mut self, event: Option<&str>) -> Sample {
        let lists = self.pick(&[Lists::Absent, Lists::Blocks, Lists::Array, Lists::Array]);
        let mut lines: Vec<String> = Vec::new();
        let blank = lists == Lists::Absent && self.one_in(4);
        let table = event.is_some() && self.one_in(2);
        self.trivia(&mut lines);
        if !blank {
            self.pairs(&mut lines);
            let array = self.array();
            if lists == Lists::Array && !table {
                let key = match event {
                    None => "hooks".to_owned(),
                    Some(e) => format!("hooks{}.{}{e}", self.space(), self.space()),
                };
                lines.push(format!("{key}{}={}{array}", self.space(), self.space()));
            }
            self.pairs(&mut lines);
            let sections = self.below(4);
            let at = self.below(sections + 1);
            for i in 0..=sections {
                self.trivia(&mut lines);
                if i == at && lists == Lists::Array && table {
                    lines.push("[hooks]".to_owned());
                    lines.push("Other = [ ] # c".to_owned());
                    lines.push(format!("{} = {array}", event.unwrap_or_default()));
                }
                if lists == Lists::Blocks && (i == at || self.one_in(3)) {
                    self.block(event, &mut lines);
                }
                if i < sections {
                    self.names += 1;
                    let n = self.names;
                    let header =
                        self.pick(&["[t#]", "[[a#]]", "[t#.sub]", "[ \"t #\" ]", "[hooks-#]"]);
                    lines.push(header.replace('#', &n.to_string()));
                    self.pairs(&mut lines);
                }
            }
            self.trivia(&mut lines);
        }
        self.join(&lines, lists)
    }

    fn join(&mut self, lines: &[String], lists: Lists) -> Sample {
        let newline = self.pick(&["\n", "\n", "\r\n"]);
        let mut text = if self.one_in(8) { "\u{feff}" } else { "" }.to_owned();
        let mut gaps = Vec::new();
        for line in lines {
            gaps.push(text.len());
            let mixed = self.one_in(40);
            let newline = if mixed { "\n" } else { newline };
            text.push_str(&line.replace("NL", newline));
            text.push_str(newline);
        }
        if self.one_in(4) {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
            if self.one_in(4) {
                text.push_str(self.pick(&[" ", "\t"]));
            }
        }
        gaps.retain(|g| *g < text.len());
        Sample {
            text,
            newline,
            lists,
            gaps,
        }
    }
}

/// What `toml_edit` reads, as JSON; `Err` is its message.
pub fn tree(text: &str) -> Result<Value, String> {
    let doc = toml_edit::Document::parse(text).map_err(|e| e.message().to_owned())?;
    Ok(table(doc.as_table()))
}

fn table(table: &toml_edit::Table) -> Value {
    let members = table.iter().map(|(k, v)| (k.to_owned(), item(v)));
    Value::Object(members.collect())
}

fn item(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::None => Value::Null,
        toml_edit::Item::Value(v) => value(v),
        toml_edit::Item::Table(t) => table(t),
        toml_edit::Item::ArrayOfTables(items) => items.iter().map(table).collect(),
    }
}

fn value(v: &toml_edit::Value) -> Value {
    match v {
        toml_edit::Value::String(s) => Value::String(s.value().clone()),
        toml_edit::Value::Array(items) => items.iter().map(value).collect(),
        toml_edit::Value::InlineTable(t) => {
            Value::Object(t.iter().map(|(k, v)| (k.to_owned(), value(v))).collect())
        }
        other => Value::String(format!("{}", other.clone().decorated("", ""))),
    }
}
