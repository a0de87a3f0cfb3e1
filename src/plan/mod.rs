//! From wishes to steps. Pure: everything that was read comes in as data, everything to do goes out as data.

pub mod detect;
pub mod matching;
pub mod paths;
mod pieces;
pub mod reconcile;
pub mod steps;

pub use pieces::print_of;
