//! Programs that run others, and how they name them. Data and its readers; pure.

use super::vars::assignment;

/// How a shell was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use<'a> {
    /// `-c`: this text, with these words as `$0`, `$1`, ….
    Text(&'a str, &'a [String]),
    /// A script; its first word.
    Script(&'a str),
    /// It runs what comes on standard input.
    Stdin,
}

const SHELLS: [&str; 9] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash",
];

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// What a shell's arguments mean.
pub(super) fn shell_use(args: &[String]) -> Use<'_> {
    let (mut text, mut at) = (false, 0);
    let mut options = true;
    while let Some(arg) = args.get(at) {
        at += 1;
        let rest = args.get(at..).unwrap_or_default();
        match arg.as_str() {
            "--" if options => options = false,
            "-" | "/dev/stdin" if !text => return Use::Stdin,
            "--rcfile" | "--init-file" if options => at += 1,
            "--command" if options => text = true,
            "-s" if options && !text => return Use::Stdin,
            a if options && a.len() > 1 && a.starts_with(['-', '+']) => {
                if let Some(line) = a.strip_prefix("--command=") {
                    return Use::Text(line, rest);
                }
                if !a.starts_with("--") {
                    text |= a.starts_with('-') && a.contains('c');
                    // `-o pipefail`, `-eo pipefail`, `-O extglob`: the word behind is the option's.
                    at += usize::from(a.ends_with(['o', 'O']));
                }
            }
            a if text => return Use::Text(a, rest),
            a => return Use::Script(a),
        }
    }
    Use::Stdin
}

/// Does it run programs in a language of its own?
pub(super) fn interprets(program: &str) -> bool {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    [
        "python", "perl", "ruby", "node", "php", "lua", "deno", "bun",
    ]
    .contains(&name)
}

/// Does an interpreter run its standard input, its words, the files that they name?
pub(super) fn interpreter(args: &[String]) -> (bool, bool, bool) {
    let text = args
        .iter()
        .any(|a| matches!(a.as_str(), "-c" | "-e" | "--eval" | "-r" | "-p"));
    let script = args.iter().find(|a| a.len() > 1 && !a.starts_with('-'));
    let module = args
        .iter()
        .any(|a| a.starts_with("-m") || a.starts_with("-n") || a == "-pe");
    let stdin = !text && !module && script.is_none();
    (
        stdin,
        text,
        script.is_some_and(|s| s.starts_with("/dev/fd/")),
    )
}

/// The line that `powershell` and `cmd` are told to run.
pub(super) fn windows(program: &str, args: &[String]) -> Option<String> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let lower = arg.to_ascii_lowercase();
        if program == "cmd" {
            // `//c` is how MSYS spells it.
            if matches!(lower.trim_start_matches('/'), "c" | "k" | "r") && lower.starts_with('/') {
                break;
            }
        } else if let Some(option) = lower.strip_prefix('-') {
            if !option.is_empty() && "command".starts_with(option) {
                break;
            }
            if "file".starts_with(option) {
                return None;
            }
            let alone = ["nop", "nol", "noe", "noni", "sta", "mta", "i"];
            at += usize::from(!alone.iter().any(|a| option.starts_with(a)));
        } else if program == "powershell" {
            at -= 1;
            break;
        } else {
            return None;
        }
    }
    let words = args.get(at..).unwrap_or_default();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A program that runs the rest of its line.
pub(super) struct Prefix {
    pub(super) name: &'static str,
    /// Short options that take the next word.
    short: &'static str,
    /// Long options that take the next word.
    long: &'static [&'static str],
    /// Operands of its own before the program.
    operands: usize,
    /// Options whose value is a whole command line.
    text: &'static [&'static str],
    /// A shell gets the rest as one line.
    pub(super) joined: bool,
}

const fn prefix(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        short,
        long,
        operands,
        text: &[],
        joined: false,
    }
}

impl Prefix {
    const fn text_in(mut self, options: &'static [&'static str]) -> Self {
        self.text = options;
        self
    }

    const fn joined(mut self) -> Self {
        self.joined = true;
        self
    }

    pub(super) fn of(program: &str) -> Option<&'static Self> {
        PREFIXES.iter().find(|p| p.name == program)
    }

    /// The words behind its own.
    pub(super) fn behind<'a>(&self, args: &'a [String]) -> &'a [String] {
        let (mut at, mut operands) = (0, self.operands);
        while let Some(arg) = args.get(at) {
            if arg == "--" {
                at += 1;
                break;
            }
            if let Some(long) = arg.strip_prefix("--") {
                at += 1 + usize::from(self.long.contains(&long));
            } else if arg.len() > 1 && arg.starts_with('-') {
                let cluster = arg.get(1..).unwrap_or_default();
                let value = cluster.find(|c| self.short.contains(c));
                at += 1 + usize::from(value.is_some_and(|v| v + 1 == cluster.len()));
            } else if (arg == "-" && self.name == "env")
                || (assignment(arg).is_some() && matches!(self.name, "env" | "sudo" | "doas"))
            {
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        args.get(at..).unwrap_or_default()
    }

    /// A command that it takes as one text: `env -S`, `su -c`, `flock f -c`.
    pub(super) fn text(&self, args: &[String]) -> Option<String> {
        args.iter().enumerate().find_map(|(at, arg)| {
            let rest = || args.get(at + 1..).unwrap_or_default().join(" ");
            self.text.iter().find_map(|option| {
                if arg == option {
                    return Some(rest());
                }
                if option.starts_with("--") {
                    let value = arg.strip_prefix(option)?.strip_prefix('=')?;
                    return Some(format!("{value} {}", rest()));
                }
                // `-vS 'x'`, `-Sx`, `-qc 'x'`.
                let letter = option.strip_prefix('-')?;
                let cluster = arg.strip_prefix('-').filter(|c| !c.starts_with('-'))?;
                let (flags, value) = cluster.split_once(letter)?;
                let alone = flags
                    .chars()
                    .all(|c| c.is_ascii_alphabetic() && !self.short.contains(c));
                alone.then(|| format!("{value} {}", rest()))
            })
        })
    }

    /// The value of an option, where it is there: `-I{}`, `-I {}`, `--replace=R`.
    pub(super) fn value(&self, args: &[String], short: &str, long: &str) -> Option<String> {
        args.iter().enumerate().find_map(|(at, arg)| {
            let next = || args.get(at + 1).cloned();
            if let Some(name) = arg.strip_prefix("--") {
                let value = name.strip_prefix(long)?;
                return Some(value.strip_prefix('=').unwrap_or("{}").to_owned());
            }
            let value = arg.strip_prefix('-')?.strip_prefix(short)?;
            if value.is_empty() {
                next()
            } else {
                Some(value.to_owned())
            }
        })
    }
}

const PREFIXES: [Prefix; 48] = [
    prefix(
        "sudo",
        "ughpCrtTUDR",
        &[
            "user",
            "group",
            "host",
            "prompt",
            "chdir",
            "role",
            "type",
            "other-user",
            "chroot",
        ],
        0,
    ),
    prefix("doas", "uC", &[], 0),
    prefix("pkexec", "", &["user"], 0),
    prefix("env", "uC", &["unset", "chdir"], 0).text_in(&["-S", "--split-string"]),
    prefix("time", "fo", &["format", "output"], 0),
    prefix("nohup", "", &[], 0),
    prefix("exec", "a", &[], 0),
    prefix("command", "", &[], 0),
    prefix("builtin", "", &[], 0),
    prefix("noglob", "", &[], 0),
    prefix("nocorrect", "", &[], 0),
    prefix("nice", "n", &["adjustment"], 0),
    prefix("ionice", "cnpPu", &["class", "classdata"], 0),
    prefix("timeout", "sk", &["signal", "kill-after"], 1),
    prefix("gtimeout", "sk", &["signal", "kill-after"], 1),
    prefix("stdbuf", "ioe", &["input", "output", "error"], 0),
    prefix("setsid", "", &[], 0),
    prefix(
        "xargs",
        "InPLdasE",
        &[
            "max-args",
            "max-procs",
            "max-lines",
            "delimiter",
            "arg-file",
            "max-chars",
        ],
        0,
    ),
    prefix("parallel", "jN", &["jobs"], 0).joined(),
    prefix("watch", "n", &["interval"], 0).joined(),
    prefix("ssh", "bcDEeFIiJLlmOopQRSWwB", &[], 1).joined(),
    prefix("mosh", "p", &[], 1).joined(),
    prefix("chrt", "TPD", &[], 1),
    prefix("taskset", "", &[], 1),
    prefix("strace", "oepsuE", &[], 0),
    prefix("ltrace", "oeplsu", &[], 0),
    prefix("chroot", "", &[], 1),
    prefix("flock", "wE", &["timeout", "wait"], 1).text_in(&["-c", "--command"]),
    prefix("runuser", "ugGs", &["user", "group", "shell"], 0).text_in(&["-c", "--command"]),
    prefix("su", "gGs", &["group", "shell"], 1).text_in(&["-c", "--command"]),
    prefix("sg", "", &[], 1).text_in(&["-c"]),
    prefix("script", "EImoT", &[], 1).text_in(&["-c", "--command"]),
    prefix("unshare", "", &[], 0),
    prefix("nsenter", "tSG", &["target"], 0),
    prefix("setpriv", "", &["reuid", "regid"], 0),
    prefix("gosu", "", &[], 1),
    prefix("su-exec", "", &[], 1),
    prefix("tini", "pe", &[], 0),
    prefix("dumb-init", "r", &["rewrite"], 0),
    prefix("fakeroot", "lsib", &[], 0),
    prefix("dbus-run-session", "", &["config-file"], 0),
    prefix("unbuffer", "", &[], 0),
    prefix("rlwrap", "Cf", &[], 0),
    prefix("busybox", "", &[], 0),
    prefix("caffeinate", "tw", &[], 0),
    prefix("npx", "p", &["package"], 0).text_in(&["-c", "--call"]),
    prefix("start", "", &[], 0),
    prefix("call", "", &[], 0),
];

/// A program that runs another which stands somewhere among its words.
pub(super) struct Wrapper {
    name: &'static str,
    /// It does so behind one of these words only; empty: always.
    verbs: &'static [&'static str],
    /// Words with blanks are lines for a shell.
    pub(super) texts: bool,
}

const fn wrapper(name: &'static str, verbs: &'static [&'static str], texts: bool) -> Wrapper {
    Wrapper { name, verbs, texts }
}

const WRAPPERS: [Wrapper; 43] = [
    wrapper("docker", &["exec", "run"], false),
    wrapper("podman", &["exec", "run"], false),
    wrapper("nerdctl", &["exec", "run"], false),
    wrapper("docker-compose", &["exec", "run"], false),
    wrapper("kubectl", &["exec", "run", "debug"], false),
    wrapper("oc", &["exec", "run", "debug", "rsh"], false),
    wrapper("ip", &["exec"], false),
    wrapper("firejail", &[], false),
    wrapper("bwrap", &[], false),
    wrapper("systemd-run", &[], false),
    wrapper("systemd-inhibit", &[], false),
    wrapper("proxychains", &[], false),
    wrapper("proxychains4", &[], false),
    wrapper("torsocks", &[], false),
    wrapper("xvfb-run", &[], false),
    wrapper("entr", &[], true),
    wrapper("vagrant", &["ssh"], true),
    wrapper("wsl", &[], true),
    wrapper(
        "tmux",
        &[
            "new",
            "new-session",
            "neww",
            "new-window",
            "splitw",
            "split-window",
            "send",
            "send-keys",
            "respawn-pane",
            "run",
            "run-shell",
            "popup",
            "display-popup",
        ],
        true,
    ),
    wrapper("screen", &[], true),
    wrapper("hyperfine", &[], true),
    wrapper("concurrently", &[], true),
    wrapper("nodemon", &[], true),
    wrapper("watchexec", &[], true),
    wrapper("nix-shell", &[], true),
    wrapper("nix", &["develop", "shell", "run"], true),
    wrapper("devbox", &["run"], true),
    wrapper("direnv", &["exec"], false),
    wrapper("poetry", &["run"], false),
    wrapper("pipenv", &["run"], false),
    wrapper("pdm", &["run"], false),
    wrapper("rye", &["run"], false),
    wrapper("uv", &["run"], false),
    wrapper("npm", &["exec", "x"], true),
    wrapper("pnpm", &["exec", "dlx"], false),
    wrapper("bundle", &["exec"], false),
    wrapper("conda", &["run"], false),
    wrapper("mise", &["exec", "x"], false),
    wrapper("asdf", &["exec"], false),
    wrapper("op", &["run"], false),
    wrapper("doppler", &["run"], false),
    wrapper("aws-vault", &["exec"], false),
    wrapper("dotenv", &["run"], false),
];

/// Programs that only read or print what stands behind them.
const MILD: [&str; 12] = [
    "echo", "printf", "cat", "grep", "rg", "ls", "sleep", "true", "false", "test", "make", "npm",
];

impl Wrapper {
    pub(super) fn of(program: &str) -> Option<&'static Self> {
        WRAPPERS.iter().find(|w| w.name == program)
    }

    /// The words among which the program stands.
    pub(super) fn from<'a>(&self, args: &'a [String]) -> &'a [String] {
        let at = match self.verbs {
            [] => Some(0),
            verbs => args
                .iter()
                .position(|a| verbs.contains(&a.as_str()))
                .map(|at| at + 1),
        };
        at.and_then(|at| args.get(at..)).unwrap_or_default()
    }
}

/// Is there more to be read of a program than its name and arguments? Then what stands behind it is its own.
pub(super) fn reads_on(program: &str) -> bool {
    is_shell(program)
        || interprets(program)
        || MILD.contains(&program)
        || Prefix::of(program).is_some()
        || Wrapper::of(program).is_some()
        || ["git", "eval", "find", "powershell", "pwsh", "cmd"].contains(&program)
}
