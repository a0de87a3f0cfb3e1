//! Time in one hook run: 10 s a call, 12 s together, 2 s less than the agent waits; with a clock of its own.

use crate::support::Scratch;
use gitvow::external::{Conversation, Ready};
use gitvow::hook::{outside, request};
use gitvow::sys::{Child, Clock, Ended, Runner, Sys};
use serde_json::json;
use std::cell::RefCell;
use std::io;
use std::time::Duration;

/// Every call takes its time, or its limit when that is shorter.
struct Slow {
    now: RefCell<Duration>,
    takes: Duration,
    limits: RefCell<Vec<f64>>,
    says: &'static str,
}

impl Slow {
    fn new(takes: f64, says: &'static str) -> Self {
        Self {
            now: RefCell::new(Duration::from_secs(1_000)),
            takes: Duration::from_secs_f64(takes),
            limits: RefCell::default(),
            says,
        }
    }
}

impl Clock for Slow {
    fn now(&self) -> Duration {
        *self.now.borrow()
    }
    fn sleep(&self, _: Duration) {}
}

impl Runner for Slow {
    fn run(&self, child: &Child<'_>) -> io::Result<Ended> {
        self.limits.borrow_mut().push(child.limit.as_secs_f64());
        *self.now.borrow_mut() += self.takes.min(child.limit);
        let timed_out = self.takes > child.limit;
        Ok(Ended {
            code: (!timed_out).then_some(0),
            timed_out,
            overflowed: false,
            stdout: if timed_out {
                Vec::new()
            } else {
                self.says.into()
            },
            stderr: Vec::new(),
        })
    }
}

const CALLS: &str = r#"{"calls":[]}"#;

fn ready(s: &Scratch, limits: serde_json::Value) -> Ready {
    serde_json::from_value(
        json!({"schema": 1, "name": "x", "path": s.adapter("x", ""), "sha256": "",
        "events": ["preTool"], "limits": limits}),
    )
    .unwrap()
}

/// The limits that up to three calls got, and what they took together.
fn spent(takes: f64, limits: serde_json::Value) -> (Vec<f64>, f64) {
    let s = Scratch::new();
    let slow = Slow::new(takes, CALLS);
    let begun = slow.now();
    s.with(|sys| {
        let sys = Sys {
            runner: &slow,
            clock: &slow,
            ..*sys
        };
        let (state, ready) = (s.state(), ready(&s, limits));
        let talk = Conversation::begin(
            &sys,
            &ready,
            &state,
            &s.path("work"),
            ready.budget("preTool"),
        );
        for _ in 0..3 {
            let _ = talk.normalize("preTool", &json!({}));
        }
    });
    let took = slow.now() - begun;
    (slow.limits.take(), took.as_secs_f64())
}

#[test]
fn a_call_has_ten_seconds_and_all_have_twelve() {
    assert_eq!(spent(0.5, json!({})), (vec![10.0, 10.0, 10.0], 1.5));
    assert_eq!(spent(60.0, json!({})), (vec![10.0, 2.0], 12.0));
    assert_eq!(spent(7.0, json!({})), (vec![10.0, 5.0], 12.0));
    assert_eq!(spent(1.5, json!({})), (vec![10.0, 10.0, 9.0], 4.5));
}

#[test]
fn an_entrys_own_limit_counts_less_two_seconds() {
    assert_eq!(spent(60.0, json!({"preTool": 8_000})), (vec![6.0], 6.0));
    assert_eq!(
        spent(60.0, json!({"preTool": 60_000})),
        (vec![10.0, 2.0], 12.0)
    );
    assert_eq!(spent(60.0, json!({"preTool": 1_000})), (vec![1.0], 1.0));
    assert_eq!(
        spent(60.0, json!({"other": 5_000})),
        (vec![10.0, 2.0], 12.0)
    );
}

/// What a whole run does when `waited` seconds went by before the payload was there.
fn run(waited: f64, limits: serde_json::Value) -> (Vec<f64>, gitvow::hook::Outcome) {
    let s = Scratch::new();
    fs_err::create_dir_all(s.state().join("adapters")).unwrap();
    let text = serde_json::to_string(&ready(&s, limits)).unwrap();
    fs_err::write(s.state().join("adapters/x.json"), text).unwrap();
    let slow = Slow::new(60.0, CALLS);
    let outcome = s.with(|sys| {
        let sys = Sys {
            runner: &slow,
            clock: &slow,
            ..*sys
        };
        let args = ["--agent", "x", "preTool"].map(std::ffi::OsString::from);
        let mut place = gitvow::hook::Place::begin(s.state(), "x", &sys);
        *slow.now.borrow_mut() += Duration::from_secs_f64(waited);
        outside::answer(&request::parse(&args), Ok(b"{}"), &mut place, &sys)
    });
    (slow.limits.take(), outcome)
}

#[test]
fn what_was_waited_for_the_payload_is_gone() {
    for (waited, limits, expected) in [
        (0.0, json!({}), &[10.0, 2.0][..]),
        (4.0, json!({}), &[8.0]),
        (0.0, json!({"preTool": 8_000}), &[6.0]),
        (4.0, json!({"preTool": 8_000}), &[2.0]),
        (9.0, json!({"preTool": 8_000}), &[]),
        (13.5, json!({}), &[]),
    ] {
        let (calls, outcome) = run(waited, limits.clone());
        assert_eq!(calls, expected, "{waited} {limits}");
        assert_eq!(outcome.answer.exit, 2, "{outcome:?}");
        assert!(outcome.answer.stderr.starts_with("BLOCKED"), "{outcome:?}");
        assert_eq!(outcome.noted[0].kind, "adapter_failed");
    }
}
