//! Random JSON *text*, trivia included: comments, newline kinds, byte order marks, odd spacing, trailing
//! commas, empty containers, tricky strings. Reproducible by seed.

#![allow(dead_code)]

/// xorshift64*.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The look of one document.
pub struct Look {
    pub strict: bool,
    newline: &'static str,
    mixed: bool,
    unit: &'static str,
    space: usize,
    break_lines: usize,
    comments: usize,
    trailing: bool,
}

impl Look {
    pub fn random(rng: &mut Rng, strict: bool) -> Self {
        Self {
            strict,
            newline: rng.pick(&["\n", "\n", "\r\n", "\r"]),
            mixed: rng.chance(10),
            unit: rng.pick(&["  ", "  ", "    ", "\t", " ", ""]),
            space: rng.pick(&[0, 10, 90, 100]),
            break_lines: rng.pick(&[0, 30, 80, 100, 100]),
            comments: if strict { 0 } else { rng.pick(&[0, 5, 25]) },
            trailing: !strict && rng.chance(25),
        }
    }
    fn nl(&self, rng: &mut Rng) -> &'static str {
        if self.mixed {
            rng.pick(&["\n", "\r\n", "\r"])
        } else {
            self.newline
        }
    }
}

const STRINGS: &[&str] = &[
    r#""a""#,
    r#""""#,
    r#""// no comment""#,
    r#""/* nor this */""#,
    r#""}},]""#,
    r#""\", ""#,
    r#""\\""#,
    r#""caf\u00e9 \/ \ud83d\ude00""#,
    r#""naïve ünïcode""#,
    r#""gitvow hook docs""#,
    r#""\ud800""#,
    r#""echo \"gitvow hook x\"""#,
];
const SCALARS: &[&str] = &[
    "1",
    "0",
    "-0",
    "1.0",
    "1e5",
    "0.10",
    "9007199254740993",
    "1E+400",
    "true",
    "false",
    "null",
];
const KEYS: &[&str] = &[
    r#""model""#,
    r#""env""#,
    r#""hook""#,
    r#""Hooks""#,
    r#""a\u0062c""#,
    r#""permissions""#,
    r#""$schema""#,
    r#""x y""#,
    r#""""#,
    r#""été""#,
];

pub struct Writer<'r> {
    pub rng: &'r mut Rng,
    pub look: Look,
    pub out: String,
}

impl Writer<'_> {
    fn trivia(&mut self, depth: usize, may_break: bool) {
        if may_break && self.rng.chance(self.look.break_lines) {
            let nl = self.look.nl(self.rng);
            self.out.push_str(nl);
            if self.rng.chance(4) {
                self.out.push_str(nl);
            }
            for _ in 0..depth {
                self.out.push_str(self.look.unit);
            }
        } else if self.rng.chance(self.look.space) {
            self.out
                .push_str(self.rng.pick(&[" ", " ", " ", "  ", "\t"]));
        }
        if self.rng.chance(self.look.comments) {
            self.comment(depth);
        }
    }

    fn comment(&mut self, depth: usize) {
        if self.rng.chance(50) {
            self.out.push_str(self.rng.pick(&[
                "/* c */",
                "/**/",
                "/* \"hooks\": [ */",
                "/* a\n b */",
            ]));
        } else {
            self.out.push_str(
                self.rng
                    .pick(&["// note", "//", "// } , ]", "// gitvow hook"]),
            );
            let nl = self.look.nl(self.rng);
            self.out.push_str(nl);
            for _ in 0..depth {
                self.out.push_str(self.look.unit);
            }
        }
    }

    fn children(
        &mut self,
        depth: usize,
        open: char,
        close: char,
        n: usize,
        child: &mut dyn FnMut(&mut Self, usize),
    ) {
        self.out.push(open);
        for i in 0..n {
            self.trivia(depth + 1, true);
            child(self, i);
            if i + 1 < n || self.look.trailing {
                if self.rng.chance(self.look.comments) {
                    self.comment(depth + 1);
                }
                self.out.push(',');
                if self.rng.chance(self.look.comments) {
                    self.comment(depth + 1);
                }
            }
        }
        self.trivia(depth, true);
        self.out.push(close);
    }

    pub fn value(&mut self, depth: usize) {
        match self.rng.below(if depth > 3 { 2 } else { 4 }) {
            0 => self.out.push_str(self.rng.pick(STRINGS)),
            1 => self.out.push_str(self.rng.pick(SCALARS)),
            2 => {
                let n = self.rng.below(3);
                self.children(depth, '[', ']', n, &mut |w, _| w.value(depth + 1));
            }
            _ => {
                let n = self.rng.below(3);
                self.children(depth, '{', '}', n, &mut |w, i| {
                    w.out.push_str(KEYS[(i + depth) % KEYS.len()]);
                    w.colon(depth);
                    w.value(depth + 1);
                });
            }
        }
    }

    fn colon(&mut self, depth: usize) {
        if self.rng.chance(10) {
            self.trivia(depth, false);
        }
        self.out.push(':');
        if self.rng.chance(self.look.space) {
            self.out.push(' ');
        }
        if self.rng.chance(self.look.comments) {
            self.comment(depth);
        }
    }

    fn group(&mut self, depth: usize) {
        if self.rng.chance(30) {
            return self.value(depth);
        }
        self.children(depth, '{', '}', 2, &mut |w, i| {
            if i == 0 {
                w.out.push_str("\"matcher\"");
                w.colon(depth);
                w.out.push_str("\"Bash\"");
            } else {
                w.out.push_str("\"hooks\"");
                w.colon(depth);
                let n = w.rng.below(3);
                w.children(depth + 1, '[', ']', n, &mut |w, i| {
                    w.children(depth + 2, '{', '}', 1, &mut |w, _| {
                        w.out.push_str("\"command\"");
                        w.colon(depth);
                        w.out.push_str(&format!("\"/home/u/bin/guard-{i}.sh\""));
                    });
                });
            }
        });
    }

    pub fn document(&mut self) {
        if self.rng.chance(8) {
            self.out.push('\u{feff}');
        }
        let shape = self.rng.below(20);
        if shape == 0 {
            // Blank or comments alone.
            self.trivia(0, true);
            if self.rng.chance(50) {
                let nl = self.look.nl(self.rng);
                self.out.push_str(nl);
            }
            return;
        }
        self.trivia(0, false);
        let others = self.rng.below(4);
        let hooks_at = if self.rng.chance(65) {
            self.rng.below(others + 1)
        } else {
            usize::MAX
        };
        let n = if hooks_at == usize::MAX {
            others
        } else {
            others + 1
        };
        self.children(0, '{', '}', n, &mut |w, i| {
            if i == hooks_at {
                w.out.push_str("\"hooks\"");
                w.colon(0);
                w.hooks();
            } else {
                w.out.push_str(KEYS[i % KEYS.len()]);
                w.colon(0);
                w.value(1);
            }
        });
        self.trivia(0, true);
        if self.rng.chance(70) {
            let nl = self.look.nl(self.rng);
            self.out.push_str(nl);
        }
    }

    fn hooks(&mut self) {
        let mut events: Vec<&str> = Vec::new();
        for event in ["PreToolUse", "Stop", "Other"] {
            if self.rng.chance(50) {
                events.push(event);
            }
        }
        self.children(1, '{', '}', events.len(), &mut |w, i| {
            w.out.push_str(&format!("\"{}\"", events[i]));
            w.colon(1);
            let n = w.rng.below(3);
            w.children(2, '[', ']', n, &mut |w, _| w.group(3));
        });
    }
}

/// A random document.
pub fn document(seed: u64, strict: bool) -> String {
    let mut rng = Rng::new(seed);
    let look = Look::random(&mut rng, strict);
    let mut writer = Writer {
        rng: &mut rng,
        look,
        out: String::new(),
    };
    writer.document();
    writer.out
}

/// How many cases to run: `GITVOW_CASES`, else 256.
#[allow(clippy::disallowed_methods, reason = "tests have no other environment")]
pub fn cases() -> u64 {
    std::env::var("GITVOW_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(256)
}
