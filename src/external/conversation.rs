//! The calls of one hook run, within one budget of time. It decides nothing: `hook` asks it to
//! translate, judges by itself, and asks it for the agent's form.

use crate::error::{Error, Result};
use crate::external::installed::Ready;
use crate::external::protocol::{CALL_LIMIT, Call, Normalized, Reply, normalize, respond};
use crate::sys::Sys;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An adapter during one hook run.
pub struct Conversation<'a> {
    sys: &'a Sys<'a>,
    ready: &'a Ready,
    state: &'a Path,
    cwd: PathBuf,
    until: Duration,
}

impl<'a> Conversation<'a> {
    /// Begins now; all calls together end within `total` (see [`Ready::budget`]; a caller that has less
    /// left passes less). `state` is the state home, `cwd` the payload's directory or the user's.
    pub fn begin(
        sys: &'a Sys<'a>,
        ready: &'a Ready,
        state: &'a Path,
        cwd: &Path,
        total: Duration,
    ) -> Self {
        Self {
            sys,
            ready,
            state,
            cwd: cwd.to_owned(),
            until: sys.clock.now() + total,
        }
    }

    /// [`normalize`], in what is left of the time.
    pub fn normalize(&self, event: &str, payload: &Value) -> Result<Vec<Normalized>> {
        normalize(self.sys, &self.call("normalize")?, event, payload)
    }

    /// [`respond`], in what is left of the time.
    pub fn respond(&self, code: u8, message: &str) -> Result<Reply> {
        respond(self.sys, &self.call("respond")?, code, message)
    }

    fn call(&self, subcommand: &str) -> Result<Call<'_>> {
        let left = self.until.saturating_sub(self.sys.clock.now());
        if left.is_zero() {
            return Err(Error::failed(
                "adapter-failed",
                format!(
                    "the adapter `{}` failed: no time is left for `{subcommand}`",
                    self.ready.path.display()
                ),
            )
            .at(&self.ready.path));
        }
        Ok(Call {
            path: &self.ready.path,
            cwd: &self.cwd,
            state: self.state,
            limit: left.min(CALL_LIMIT),
        })
    }
}
