//! hook

pub mod gate;
