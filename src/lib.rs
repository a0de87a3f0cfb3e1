//! gitvow: wires a policy gate into coding agents and takes it out again, byte for byte.
//!
//! The rooms, and the way a command walks through them (spec 8):
//!
//! - [`cli`]: one command a file; gathers, calls the pure rooms, applies, renders.
//! - [`spec`]: what an agent is: its files, entries, events and answers, read from `planners/`.
//! - [`doc`]: locating and splicing text; every function is `&str -> splices`.
//! - [`plan`]: artifacts, paths and [`plan::reconcile`], the one place that decides.
//! - [`ledger`]: what was written, per file; loading is strict.
//! - [`apply`]: the only writer; journal and recovery.
//! - [`hook`]: what the installed entries run.
//! - [`external`]: agents that are not built in.
//! - [`sys`]: the disk, the environment, the clock and child processes; the only IO.

pub mod apply;
pub mod cli;
pub mod doc;
pub mod error;
pub mod escape;
pub mod external;
pub mod hook;
pub mod ledger;
pub mod plan;
pub mod spec;
pub mod sys;
