//! Reads a shell line as far as a policy needs it: which programs run, and which files are written.
//!
//! May not run, expand or look up anything; variables are left as they stand.

mod commands;
mod lex;
mod words;
mod writes;

pub use commands::{Command, Reading, base_name, read};
pub use writes::{Write, writes};
