//! external
