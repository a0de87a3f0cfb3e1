//! Reads a shell line as far as a policy needs it: which programs run, and which files are written.
//!
//! May not run or look up anything; only variables that the line itself sets are expanded.

mod commands;
mod git;
mod heredoc;
mod lex;
mod pipes;
mod programs;
mod vars;
mod words;
mod wrappers;
mod writes;

pub use commands::{Command, Reading, base_name, read};
pub use writes::{Write, enters, writes};
