//! What the property tests and the counterexamples share.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test program uses its own part; helpers of tests are tests too"
)]

pub mod engine;
pub mod json_edits;
pub mod json_text;
pub mod toml_text;
pub mod tree;
