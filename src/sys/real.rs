//! The real machine (in work).
