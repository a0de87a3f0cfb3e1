//! What two readers compare: the sequence of tokens with their places. May not know what the tokens mean.

/// A kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mark {
    /// `[` or `[[` of a header.
    Header = 1,
    /// `]` or `]]` of a header.
    HeaderEnd,
    /// A part of a key.
    Key,
    /// `.` in a key.
    Dot,
    /// `=`.
    Equals,
    /// A scalar.
    Scalar,
    /// `[` or `{` of a value.
    Open,
    /// `]` or `}` of a value.
    Close,
    /// `,`.
    Comma,
    /// A comment.
    Comment,
}

/// A digest of a token sequence. Two readers that saw the same tokens at the same places have equal ones; it guards against a fault in
/// either, not against malice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks {
    digest: u64,
    count: u64,
}

impl Marks {
    /// Adds a token.
    pub fn push(&mut self, mark: Mark, start: usize, end: usize) {
        let word = ((mark as u64) << 56) ^ ((start as u64) << 26) ^ end as u64;
        self.digest = (self.digest.rotate_left(7) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.count += 1;
    }
}
