//! What the property tests and the counterexamples share.

#![allow(dead_code, reason = "each test program uses its own part")]

pub mod engine;
pub mod json_edits;
pub mod json_text;
pub mod toml_text;
pub mod tree;
