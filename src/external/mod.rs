//! Agents that aren't built in: executables called `gitvow-agent-<name>` (spec 5.1, docs/writing-an-adapter.md).
//!
//! Nothing here runs because a directory was scanned: only what the user named, or what is installed.
//! What an adapter says is data to be checked; it may not write, decide or reach a terminal unescaped.
//!
//! - [`mod@discover`]: which executable a name means, and whether others could have swapped it.
//! - [`protocol`]: one call of `info`, `normalize` or `respond`, limits and checks included.
//! - [`installed`]: `adapters/<name>.json`, what `hook` needs of an installed adapter.
//! - [`conversation`]: the calls of one hook run, within one budget of time.
//! - [`escape`]: text from outside, made safe to show.

pub mod conversation;
pub mod discover;
pub mod escape;
pub mod installed;
pub mod protocol;

pub use conversation::Conversation;
pub use discover::{Found, discover, list};
pub use installed::{Ready, ready, state_file};
pub use protocol::{Call, Reply, info};
