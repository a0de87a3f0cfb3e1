//! Promises of the command line that no other suite owns, through the real binary (spec 1.1 to 1.6): every JSON
//! document against its schema, `--keep`, `--purge`, root over another user's home, what a dry run says of the
//! launcher. Scratch homes and a clean environment throughout.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "promises/documents.rs"]
mod documents;
#[path = "external_cli/home.rs"]
mod home;
#[path = "promises/leaving.rs"]
mod leaving;
#[path = "promises/notes.rs"]
mod notes;
#[path = "common/program.rs"]
mod program;
#[path = "common/schema.rs"]
mod schema;
