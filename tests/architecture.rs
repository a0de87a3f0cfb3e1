//! Placeholder until the rooms stand.
#[test]
fn builds() {}
