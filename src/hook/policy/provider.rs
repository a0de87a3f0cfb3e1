//! One program of the user's that is asked about a call (`providers`). Its failure is a question to the
//! person, never an allow. A repository's providers never come here.

use super::Ground;
use super::judge::{Ruling, Verdict};
use super::load::Provider;
use crate::escape;
use crate::hook::call::Call;
use crate::hook::json::Json;
use crate::sys::{Child, Sys};
use std::time::Duration;

/// Asks it.
pub fn ask(provider: &Provider<'_>, call: &Call<'_>, ground: &Ground, sys: &Sys<'_>) -> Ruling {
    let name = provider.command.first().map_or("", |c| c.as_ref());
    match answer(provider, call, ground, sys) {
        Ok((Verdict::Allow, _)) => Ruling::allow(),
        Ok((verdict, reason)) => Ruling::new(verdict, reason, format!("provider {name}")),
        Err(why) => Ruling::new(
            Verdict::Ask,
            format!("the provider `{name}` failed: {why}"),
            format!("provider {name}"),
        ),
    }
}

fn answer(
    provider: &Provider<'_>,
    call: &Call<'_>,
    ground: &Ground,
    sys: &Sys<'_>,
) -> Result<(Verdict, String), String> {
    let left = ground.until.saturating_sub(sys.clock.now());
    let wanted = Duration::try_from_secs_f64(provider.timeout).unwrap_or(left);
    let limit = left.min(wanted);
    if limit.is_zero() {
        return Err("no time is left".to_owned());
    }
    let stdin = call.to_json().to_string();
    let mut words = provider.command.iter();
    let handed = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER"];
    let child = Child {
        program: words.next().map(|c| c.as_ref().into()).unwrap_or_default(),
        args: words.map(|w| w.clone().into_owned()).collect(),
        env: handed
            .iter()
            .filter_map(|v| Some(((*v).to_owned(), sys.env.var(v)?)))
            .collect(),
        cwd: ground.cwd.clone(),
        stdin: stdin.as_bytes(),
        limit,
        stdout_cap: 1 << 20,
    };
    let ended = sys.runner.run(&child).map_err(|e| e.to_string())?;
    if ended.timed_out {
        return Err(format!("no answer within {:.1} s", limit.as_secs_f64()));
    }
    if ended.overflowed {
        return Err("it printed more than 1 MiB".to_owned());
    }
    if ended.code != Some(0) {
        let said = String::from_utf8_lossy(&ended.stderr);
        let code = ended
            .code
            .map_or("a signal".to_owned(), |c| format!("exit {c}"));
        return Err(format!("{code} {}", escape::line(said.trim())));
    }
    let json = Json::parse(&ended.stdout).map_err(|e| format!("its answer is not JSON ({e})"))?;
    let verdict = match json.get("decision").and_then(Json::str) {
        Some("allow") => Verdict::Allow,
        Some("ask") => Verdict::Ask,
        Some("deny") => Verdict::Deny,
        _ => return Err("its answer has no `decision` of allow, ask or deny".to_owned()),
    };
    let reason = json
        .get("reason")
        .and_then(Json::str)
        .unwrap_or("no reason given");
    Ok((verdict, escape::line(reason).to_string()))
}
