//! The only writer: runs transactions, keeps the journal, recovers.
