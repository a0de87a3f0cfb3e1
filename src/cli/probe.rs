//! Asking the agents themselves (`doctor --probe`): "the file is written" is not "the agent registered it". It
//! runs their programs, each within 20 s, with little more of the environment than HOME and PATH; what they say
//! is read by parsers that are tested on captured output.

use super::output::Client;
use super::session::Session;
use crate::ledger::Record;
use crate::plan::health::codes::{CLIENT_MISSING, CLIENT_TOO_OLD};
use crate::plan::health::{Found, Trust};
use crate::spec::evidence::{Evidence, Reason, triple, version_in};
use crate::spec::{AgentSpec, Scope};
use crate::sys::{Child, Ended};
use std::path::Path;
use std::time::Duration;

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
    _scope: Scope,
    _records: &[&Record],
    client: &mut Client,
) -> Asked {
    let mut asked = Asked::default();
    let (Some(program), Some(detect)) = (client.path.clone(), &spec.detect) else {
        return asked;
    };
    match run(session, spec, &program, &detect.version_args, b"") {
        Ok(ended) => {
            let said = String::from_utf8_lossy(&ended.stdout).into_owned();
            let more = String::from_utf8_lossy(&ended.stderr).into_owned();
            client.version = version_in(&said).or_else(|| version_in(&more));
            if client.version.is_none() {
                asked
                    .findings
                    .push(silent(&program, "it did not say its version"));
            }
        }
        Err(why) => asked.findings.push(silent(&program, &why)),
    }
    asked
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
