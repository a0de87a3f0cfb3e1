//! Documents by hand: the nine counterexamples of facts/engine.md 2.1 by name, the style traps, and the user's own
//! edits to our entries. Bytes are compared as bytes.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

#[path = "common/properties.rs"]
mod common;
#[path = "counterexamples/later.rs"]
mod later;
#[path = "counterexamples/nine.rs"]
mod nine;
#[path = "counterexamples/own.rs"]
mod own;
#[path = "counterexamples/style.rs"]
mod style;
#[path = "counterexamples/toml.rs"]
mod toml;
