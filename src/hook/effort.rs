//! What a judgement has cost so far, so that only one that may become long is watched: starting a thread costs time,
//! and most calls are judged in less.
//!
//! A repository's policy is untrusted, and so is a shell line: agents take a hook that doesn't end for one that allows.

use super::LIMIT;
use crate::sys::lastword;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Steps of a few nanoseconds that are free.
const FREE: u64 = 4 << 20;
/// The most that one step may count.
const MOST: u64 = 1 << 40;

static SPENT: AtomicU64 = AtomicU64::new(0);

/// Counts work that is about to be done. When it adds up, the last word is said in time.
pub fn spend(steps: usize) {
    let steps = u64::try_from(steps).unwrap_or(MOST).min(MOST);
    let before = SPENT.fetch_add(steps, Ordering::Relaxed);
    if before < FREE && before + steps >= FREE {
        lastword::after(LIMIT - Duration::from_secs(1));
    }
}
