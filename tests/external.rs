//! Agents that aren't built in (spec 5.1): discovery, hostile adapters, the two examples.
//! Real processes in scratch directories; the machine's HOME and PATH are never looked at.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

#[path = "external/budget.rs"]
mod budget;
#[path = "external/discovery.rs"]
mod discovery;
#[path = "external/docs.rs"]
mod docs;
#[path = "external/examples.rs"]
mod examples;
#[path = "external/hostile.rs"]
mod hostile;
#[path = "external/hostile_info.rs"]
mod hostile_info;
#[path = "common/program.rs"]
mod program;
#[path = "external/support.rs"]
mod support;
