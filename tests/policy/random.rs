//! The shell reader against a real shell: lines are made at random, bash runs them with a `git` that only notes its
//! arguments, and where it was a forced push the policy must have said so.

use crate::run::{command, home, run};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// Numbers from a seed (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }

    /// A word in another spelling.
    fn word(&mut self, word: &str) -> String {
        let one = |c: char, dice: &mut Self| match dice.roll(32) {
            0 | 1 => format!("'{c}'"),
            2 | 3 => format!("\"{c}\""),
            4 | 5 => format!("\\{c}"),
            6 => format!("$'\\x{:02x}'", u32::from(c)),
            7 => format!("''{c}"),
            8 => format!("\\\n{c}"),
            _ => c.to_string(),
        };
        word.chars().map(|c| one(c, self)).collect()
    }

    fn name(&mut self) -> String {
        format!("v{}", self.roll(1_000_000))
    }

    fn words(&mut self, words: &[&str]) -> String {
        let plain = words.iter().all(|w| !w.contains(' '));
        let spelled: Vec<_> = words.iter().map(|w| self.word(w)).collect();
        match self.roll(10) {
            0 if plain => format!("{{{}}}", spelled.join(",")),
            1 => format!("set -- {}; \"$@\"", spelled.join(" ")),
            2 => {
                let x = self.name();
                format!("{x}=({}); \"${{{x}[@]}}\"", spelled.join(" "))
            }
            3 | 4 => {
                let (mut before, mut line) = (String::new(), Vec::new());
                for word in spelled {
                    let x = self.name();
                    let how = self.one(&["", "export ", "declare ", "readonly "]);
                    before.push_str(&format!("{how}{x}={word}; "));
                    line.push(
                        self.one(&["\"$@\"", "\"${@}\"", "\"${@:-zz}\""])
                            .replace('@', &x),
                    );
                }
                before + &line.join(" ")
            }
            _ => {
                let between = self.one(&[" ", "  ", "\t", " \\\n", "${IFS}"]);
                spelled.join(between)
            }
        }
    }

    fn quoted(&mut self, text: &str) -> String {
        if self.roll(2) == 0 {
            return format!("'{}'", text.replace('\'', r"'\''"));
        }
        let escaped = text.chars().map(|c| match c {
            '\\' | '"' | '$' | '`' => format!("\\{c}"),
            c => c.to_string(),
        });
        format!("\"{}\"", escaped.collect::<String>())
    }

    /// The line, to be run in a roundabout way. `#` stands for it, `@` for it quoted, `%` for a name.
    fn wrapped(&mut self, line: &str) -> String {
        let form = self.one(&[
            "sh -c @",
            "bash -c @",
            "eval @",
            "( #\n)",
            "{ #\n}",
            "echo $(#\n)",
            "echo \"$(#\n)\"",
            "true && #",
            "false || #",
            "true; #",
            "true\n#",
            "if true; then #\nfi",
            "for i in 1; do #\ndone",
            "while true; do #\nbreak; done",
            "case x in x) #\n;; esac",
            "! #",
            "bash <<%\n#\n%\n",
            "bash <<'%'\n#\n%\n",
            "bash <<< @",
            "printf '%s\\n' @ | sh",
            "%=@; eval \"$%\"",
            "%=@; bash -c \"$%\"",
            "%() { #\n}; %",
            "env bash -c @",
            "nice sh -c @",
            "timeout 5 sh -c @",
            "cat <(#\n)",
            "cat <<%\n$(#\n)\n%\n",
            "x=$(#\n)",
            "a=($(#\n))",
            "echo a | xargs -I{} sh -c @",
            "find . -maxdepth 0 -exec sh -c @ \\;",
            "bash -c 'eval \"$1\"' _ @",
            ". <(printf %s @)",
            "source /dev/stdin <<< @",
            "trap @ EXIT",
            "printf %s @ | bash -s",
            "cat <<'%' | sh\n#\n%\n",
            "command eval @",
            "exec bash -c @",
            "set -- @; eval \"$1\"",
            "for % in @; do eval \"$%\"; done",
            "tee >(#\n) </dev/null",
        ]);
        let name = self.name();
        let quoted = self.quoted(line);
        // The placeholders of `printf` aren't ours.
        let form = form
            .replace("%s", "\u{1}")
            .replace('%', &name)
            .replace('\u{1}', "%s");
        form.replace('@', "\u{2}")
            .replace('#', line)
            .replace('\u{2}', &quoted)
    }
}

const BASES: [&[&str]; 9] = [
    &["git", "push", "-f"],
    &["git", "push", "--force"],
    &["git", "push", "origin", "+main"],
    &["git", "-C", "d", "push", "-f"],
    &["git", "push", "--tags"],
    &["git", "push", "origin", "main"],
    &["git", "commit", "-m", "git push -f"],
    &["git", "log", "--grep", "push -f"],
    &["echo", "git push -f"],
];

/// Was one of the noted calls a forced push?
fn forced(log: &str) -> bool {
    log.lines().any(|call| {
        let words: Vec<_> = call.split('\u{1f}').collect();
        let words = if words.first() == Some(&"-C") {
            &words[2..]
        } else {
            &words[..]
        };
        words.first() == Some(&"push")
            && words
                .iter()
                .any(|w| matches!(*w, "-f" | "--force") || w.starts_with('+'))
    })
}

#[test]
fn what_bash_would_run_is_seen() {
    let home = home(None);
    let (bin, project) = (home.path().join("bin"), home.path().join("project"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&project).unwrap();
    let log = home.path().join("log");
    for (name, text) in [
        (
            "git",
            "#!/bin/bash\n{ printf '%s\\x1f' \"$@\"; echo; } >> \"$LOG\"\n",
        ),
        ("sh", "#!/bin/bash\nexec /bin/bash \"$@\"\n"),
    ] {
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut dice = Dice(0x5eed_2026_1130_0001);
    let (mut missed, mut hasty, mut counts) = (Vec::new(), Vec::new(), [0, 0]);
    for _ in 0..400 {
        let words = dice.one(&BASES);
        let mut line = dice.words(words);
        for _ in 0..dice.roll(4) {
            line = dice.wrapped(&line);
        }
        fs::write(&log, "").unwrap();
        let mut bash = Command::new("timeout");
        bash.args(["10", "bash", "-c", &line])
            .env_clear()
            .env("LOG", &log)
            .env("HOME", home.path());
        bash.env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .current_dir(&project);
        bash.stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        bash.status().unwrap();
        let real = forced(&fs::read_to_string(&log).unwrap());
        let mut check = command(home.path(), &["check", "--json", "--", &line]);
        check.current_dir(&project);
        let said: Value = serde_json::from_str(&run(check, b"").stdout).unwrap();
        let stopped = said["verdict"] != "allow";
        counts[usize::from(real)] += 1;
        match (real, stopped) {
            (true, false) => missed.push(line),
            (false, true) => hasty.push(line),
            _ => {}
        }
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
    assert!(
        missed.is_empty(),
        "run, and not stopped:\n{}",
        missed.join("\n---\n")
    );
    // What bash never gets to, or what it spells differently in a heredoc: a few may be stopped too.
    assert!(
        hasty.len() <= 12,
        "stopped, and not run:\n{}",
        hasty.join("\n---\n")
    );
}
