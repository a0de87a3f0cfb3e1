//! From wishes to steps. Pure: everything that was read comes in as data, everything to do goes out as data.

pub mod admit;
pub mod agent;
pub mod detect;
pub mod health;
pub mod inert;
pub mod launcher;
pub mod matching;
pub mod paths;
mod pieces;
pub mod reconcile;
pub mod steps;
pub mod tree;
pub mod world;

pub use pieces::print_of;
