//! From wishes to steps. Pure: everything that was read comes in as data, everything to do goes out as data.

pub mod steps;
