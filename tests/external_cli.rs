//! Agents that aren't built in, through the real `gitvow`: install, hook, uninstall (spec 5.1), and
//! homes that the Python gitvow left. Scratch homes and a clean environment throughout.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

#[path = "external_cli/come_and_go.rs"]
mod come_and_go;
#[path = "external_cli/home.rs"]
mod home;
#[path = "external_cli/hooks.rs"]
mod hooks;
#[path = "external_cli/moving.rs"]
mod moving;
#[path = "common/program.rs"]
mod program;
#[path = "external_cli/python.rs"]
mod python;
#[path = "external_cli/refed.rs"]
mod refed;
#[path = "external_cli/refusals.rs"]
mod refusals;
