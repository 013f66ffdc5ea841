//! Counting sixteen ASCII bytes at a time: a bit a byte for each class, and arithmetic on the bits.

use wide::u8x16;

/// Bytes of a block.
pub(super) const BLOCK: usize = 16;

/// What goes from one block to the next: 0 or 1.
#[derive(Clone, Copy)]
pub(super) struct State {
    /// The current word holds a letter or digit already (so it is counted).
    pub in_word: u32,
    /// The character before was white space, or there is none yet.
    pub after_space: u32,
}

/// What a block, or the part of it before a byte that is not counted here, holds.
pub(super) struct Held {
    /// Bytes that were counted: all, or those before one that is not ASCII, `&` or NUL.
    pub length: usize,
    pub words: u32,
    pub marks: u32,
    /// White space behind white space.
    pub doubled: u32,
    /// White space that must be replaced by a space.
    pub odd: bool,
    /// Digits.
    pub digits: bool,
}

/// Counts the first `most` bytes of a block.
#[inline]
pub(super) fn count(block: [u8; BLOCK], most: usize, state: &mut State) -> Held {
    let bytes = u8x16::new(block);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    // Unsigned comparisons: a byte less than the first wraps around and is too large.
    let within = |bytes: u8x16, first: u8, last: u8| {
        let above = bytes - u8x16::splat(first);
        above.simd_eq(above.min(u8x16::splat(last - first)))
    };
    let other = (bytes.to_bitmask() | (is(b'&') | is(0)).to_bitmask()) & 0xFFFF;
    let length = (other.trailing_zeros() as usize).min(most);
    let valid = (1u32 << length) - 1;
    let odd = within(bytes, b'\t', b'\r');
    let letters = within(bytes | u8x16::splat(0x20), b'a', b'z');
    let digits = within(bytes, b'0', b'9').to_bitmask() & valid;
    let alnum = letters.to_bitmask() & valid | digits;
    let space = (odd | is(b' ')).to_bitmask() & valid;
    let marks = (is(b'.') | is(b',')).to_bitmask() & valid;
    // What is in a word with a letter or digit, which may have begun in the block before: adding one at each of these
    // carries through to the word's end, and leaves no bit behind it but those that were added.
    let filled = valid & !space;
    let seeds = alnum | (state.in_word & filled);
    let in_words = filled & (!(filled + seeds) | seeds);
    let held = Held {
        length,
        words: (alnum & !(in_words << 1 | state.in_word)).count_ones(),
        marks: marks.count_ones(),
        doubled: (space & (space << 1 | state.after_space)).count_ones(),
        odd: odd.to_bitmask() & valid != 0,
        digits: digits != 0,
    };
    if length > 0 {
        state.in_word = in_words >> (length - 1) & 1;
        state.after_space = space >> (length - 1) & 1;
    }
    held
}
