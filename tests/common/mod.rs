//! Helpers that several test programs share. Each includes what it needs with `mod common;`.

#![allow(dead_code, reason = "each test program uses its own part")]

pub mod schema;
