//! What the planners' data can't say about payloads: text formats inside an argument. Pure.

pub mod patch;
