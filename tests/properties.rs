//! The engine's promises (spec 2.6), each over generated text. `GITVOW_CASES` says how many cases, 256 otherwise;
//! seeds that once failed are kept in `fixtures/seeds/` and run first.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

#[path = "common/properties.rs"]
mod common;

#[path = "properties/edits.rs"]
mod edits;
#[path = "properties/history.rs"]
mod history;
#[path = "properties/hostile.rs"]
mod hostile;
#[path = "properties/released.rs"]
mod released;
#[path = "properties/rewrite.rs"]
mod rewrite;
#[path = "properties/toml.rs"]
mod toml;
#[path = "properties/undo.rs"]
mod undo;
