//! Asking the agents themselves (`doctor --probe`): "the file is written" is not "the agent registered it". It
//! runs their programs, each within 20 s, with little more of the environment than HOME and PATH; what they say
//! is read by parsers that are tested on captured output.

use super::output::Client;
use super::session::Session;
use crate::ledger::Record;
use crate::plan::agent::quoted;
use crate::plan::health::codes::{CLIENT_MISSING, CLIENT_TOO_OLD, UNTRUSTED, VENDOR_CANNOT_READ};
use crate::plan::health::{self, Found, Trust};
use crate::spec::evidence::{Evidence, Reason, triple, version_in};
use crate::spec::{AgentSpec, Scope};
use crate::sys::{Child, Ended};
use answers::Said;
use std::path::Path;
use std::time::Duration;

pub mod answers;

/// How long a client may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The most that is taken of what it prints.
const CAP: usize = 4 << 20;

/// This platform as evidence rows name it.
pub const PLATFORM: &str = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    "linux-x64"
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    "linux-arm64"
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    "darwin-arm64"
} else if cfg!(target_os = "macos") {
    "darwin-x64"
} else if cfg!(target_os = "windows") {
    "win32-x64"
} else {
    "other"
};

/// What a client said.
#[derive(Debug, Default)]
pub struct Asked {
    /// Of its trust in our hooks.
    pub trust: Option<Trust>,
    /// What follows from it.
    pub findings: Vec<Found>,
}

/// Asks one agent for its version and, where it can be asked without a login, for the hooks that it has
/// registered.
pub fn ask(
    session: &Session<'_>,
    spec: &AgentSpec,
    scope: Scope,
    records: &[&Record],
    client: &mut Client,
) -> Asked {
    let mut asked = Asked::default();
    let (Some(program), Some(detect)) = (client.path.clone(), &spec.detect) else {
        return asked;
    };
    match run(session, spec, &program, &detect.version_args, b"") {
        Ok(ended) => {
            client.version =
                version_in(&text(&ended.stdout)).or_else(|| version_in(&text(&ended.stderr)));
            if client.version.is_none() {
                asked
                    .findings
                    .push(silent(&program, "it did not say its version"));
            }
        }
        Err(why) => {
            asked.findings.push(silent(&program, &why));
            return asked;
        }
    }
    match hooks(session, spec, &program) {
        None => {}
        Some(Ok(said)) => judge(spec, scope, records, session, said, &mut asked),
        Some(Err(why)) => asked.findings.push(silent(&program, &why)),
    }
    asked
}

/// What the agent says of its hooks; `None`: it can't be asked.
fn hooks(session: &Session<'_>, spec: &AgentSpec, program: &Path) -> Option<Result<Said, String>> {
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let ask = |args: &[&str]| run(session, spec, program, &words(args), b"");
    let nonsense = || "its answer can't be read: it may be another version's".to_owned();
    Some(match spec.name.as_str() {
        "claude" => ask(&["doctor"]).map(|e| answers::claude(&text(&e.stdout))),
        "grok" => ask(&["inspect", "--json"])
            .and_then(|e| answers::grok(&text(&e.stdout)).ok_or_else(nonsense)),
        "kimi" => ask(&["doctor"]).map(|e| {
            let all = format!("{}\n{}", text(&e.stdout), text(&e.stderr));
            answers::kimi(&all)
        }),
        "codex" => app_server(session, spec, program)
            .and_then(|e| answers::codex(&text(&e.stdout)).ok_or_else(nonsense)),
        // Never captured: only whether our command is named can be told.
        "antigravity" => ask(&["-p", "/hooks"]).and_then(|e| {
            if text(&e.stdout).contains("gitvow hook") {
                Ok(Said::default())
            } else {
                Err("its answer to `/hooks` names no hook of gitvow's".to_owned())
            }
        }),
        _ => return None,
    })
}

/// Codex's app-server ends with its input, and answers after a while: the input is kept open for some seconds.
fn app_server(session: &Session<'_>, spec: &AgentSpec, program: &Path) -> Result<Ended, String> {
    let cwd = session.repo.as_ref().unwrap_or(&session.home);
    let hello = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"clientInfo": {"name": "gitvow", "version": env!("CARGO_PKG_VERSION")}}});
    let ready = serde_json::json!({"jsonrpc": "2.0", "method": "initialized", "params": {}});
    let list = serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list",
        "params": {"cwds": [cwd.to_string_lossy()]}});
    let input = format!("{hello}\n{ready}\n{list}\n");
    let script = "{ cat; sleep 4; } | \"$0\" app-server";
    let args = ["-c", script, &program.to_string_lossy()].map(str::to_owned);
    run(session, spec, Path::new("/bin/sh"), &args, input.as_bytes())
}

/// What it says, against what is recorded.
fn judge(
    spec: &AgentSpec,
    scope: Scope,
    records: &[&Record],
    session: &Session<'_>,
    said: Said,
    asked: &mut Asked,
) {
    let title = crate::plan::agent::put::title(spec);
    for record in records {
        let about = |file: &str| {
            let file = Path::new(file);
            file == record.path || file == record.real
        };
        for (_, what) in said.complaints.iter().filter(|(file, _)| about(file)) {
            asked.findings.push(Found::at(
                VENDOR_CANNOT_READ,
                &record.path,
                format!("{title} says: {}", crate::escape::line(what)),
                format!("${{EDITOR:-vi}} {}", quoted(&record.path)),
            ));
        }
        let Some(registered) = &said.registered else {
            continue;
        };
        let lost: Vec<String> = health::recorded_commands(record, &spec.name, scope)
            .into_iter()
            .filter(|c| !registered.contains(c))
            .collect();
        let complained = said.complaints.iter().any(|(file, _)| about(file));
        // Of a project that it doesn't trust Codex lists nothing: that is told by its trust.
        let told = complained || said.trust.is_some() && scope != Scope::User;
        if lost.is_empty() || told {
            continue;
        }
        let (code, why) = if scope != Scope::User && said.untrusted_folder {
            (UNTRUSTED, "it doesn't trust this folder")
        } else {
            (
                VENDOR_CANNOT_READ,
                "the file is there, and it has not taken them up",
            )
        };
        asked.findings.push(Found::at(
            code,
            &record.path,
            format!(
                "{} of gitvow's hooks are not among those that {title} lists: {why}",
                lost.len()
            ),
            if code == UNTRUSTED {
                format!(
                    "trust `{}` in {title}",
                    session.repo.as_deref().unwrap_or(&session.home).display()
                )
            } else {
                format!("gitvow install --agent {}", spec.name)
            },
        ));
    }
    asked.trust = said.trust;
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The client is older than every version whose denial was captured.
pub fn too_old(evidence: &Evidence, client: &Client) -> Option<Found> {
    let version = client.version.as_deref()?;
    let verdict = evidence.verdict("guards.beforeShell", Some(version), PLATFORM);
    if verdict.reason != Some(Reason::OlderThanEvidence) {
        return None;
    }
    let floor = evidence.floor("guards.beforeShell")?;
    debug_assert!(triple(version) < triple(floor));
    let mut found = Found::new(
        CLIENT_TOO_OLD,
        format!(
            "version {version} is older than {floor}, the oldest of which it is known that a denial is obeyed"
        ),
        format!("upgrade it to {floor} or later"),
    );
    found.path.clone_from(&client.path);
    Some(found)
}

fn silent(program: &Path, why: &str) -> Found {
    Found::at(
        CLIENT_MISSING,
        program,
        format!("`{}` could not be asked: {why}", program.display()),
        "run it by hand to see",
    )
}

fn run(
    session: &Session<'_>,
    spec: &AgentSpec,
    program: &Path,
    args: &[String],
    stdin: &[u8],
) -> Result<Ended, String> {
    let relocation = spec.install.iter().flat_map(|i| i.home_env.keys());
    let names = ["PATH", "HOME", "TMPDIR", "LANG", "USER", "LOGNAME"];
    let env = names
        .into_iter()
        .chain(relocation.map(String::as_str))
        .filter_map(|name| Some((name.to_owned(), session.sys.env.var(name)?)))
        .chain([("TERM".to_owned(), "dumb".to_owned())])
        .collect();
    let child = Child {
        program: program.to_path_buf(),
        args: args.to_vec(),
        env,
        cwd: session.repo.clone().unwrap_or_else(|| session.home.clone()),
        stdin,
        limit: LIMIT,
        stdout_cap: CAP,
    };
    let ended = session.sys.runner.run(&child).map_err(|e| e.to_string())?;
    match (ended.timed_out, ended.overflowed) {
        (true, _) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        (_, true) => Err("it printed too much".to_owned()),
        _ => Ok(ended),
    }
}
