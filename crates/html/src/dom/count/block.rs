//! Counts sixteen ASCII bytes at a time: each class of bytes becomes a mask of one bit per byte.

use fearless_simd::{Bytes, Level, Simd, SimdBase, SimdMask, dispatch, i8x16, mask8x16, u8x16};

/// The number of bytes in a block.
pub(super) const BLOCK: usize = 16;

/// The state that one block passes on to the next. Both fields are 0 or 1.
#[derive(Clone, Copy)]
pub(super) struct WordState {
    /// 1 if the current word has a letter or digit already, and so is counted.
    pub in_word: u32,
    /// 1 if the previous character is white space, or if there is none.
    pub after_space: u32,
}

/// The counts of a block, up to the first byte that is not counted here.
pub(super) struct BlockCounts {
    /// The number of bytes counted: all, or those before the first `&`, NUL or byte outside ASCII.
    pub length: usize,
    pub words: u32,
    pub marks: u32,
    /// White space after white space.
    pub doubled: u32,
    /// Whether there is white space that must become a space.
    pub odd: bool,
    /// Whether there are digits.
    pub digits: bool,
}

/// Counts up to `most` bytes of a block.
#[inline]
pub(super) fn count(block: [u8; BLOCK], most: usize, state: &mut WordState) -> BlockCounts {
    // Wider instructions would not help with sixteen bytes, so nothing is chosen while the program runs.
    dispatch!(Level::baseline(), simd => count_with(simd, block, most, state))
}

/// The number of bytes of white space that a block starts with.
#[inline]
pub(super) fn spaces(block: [u8; BLOCK]) -> usize {
    dispatch!(Level::baseline(), simd => spaces_with(simd, block))
}

#[inline(always)]
fn spaces_with<S: Simd>(simd: S, block: [u8; BLOCK]) -> usize {
    let bytes = u8x16::from_slice(simd, &block);
    let above = bytes - b'\t';
    let spaces = above.simd_eq(above.min(b'\r' - b'\t')) | bytes.simd_eq(b' ');
    (!spaces.to_bitmask()).trailing_zeros() as usize
}

#[inline(always)]
fn count_with<S: Simd>(simd: S, block: [u8; BLOCK], most: usize, state: &mut WordState) -> BlockCounts {
    let bytes = u8x16::from_slice(simd, &block);
    let is = |byte: u8| bytes.simd_eq(byte);
    // The comparison is unsigned: a byte less than `first` wraps around and becomes too large.
    let within = |bytes: u8x16<S>, first: u8, last: u8| {
        let above = bytes - first;
        above.simd_eq(above.min(last - first))
    };
    let bits = |mask: mask8x16<S>| mask.to_bitmask() as u32;
    let beyond_ascii = bytes.bitcast::<i8x16<S>>().simd_lt(0);
    let other = bits(beyond_ascii | is(b'&') | is(0));
    let length = (other.trailing_zeros() as usize).min(most);
    let valid = (1u32 << length) - 1;
    let odd = within(bytes, b'\t', b'\r');
    let letters = within(bytes | 0x20, b'a', b'z');
    let digits = bits(within(bytes, b'0', b'9')) & valid;
    let alnum = bits(letters) & valid | digits;
    let space = bits(odd | is(b' ')) & valid;
    let marks = bits(is(b'.') | is(b',')) & valid;
    // The bytes from a word's first letter or digit to its end. The word may have begun in the previous block. Adding a
    // bit at each letter or digit carries through to the end of the word and clears the bits on its way, except those
    // that were added.
    let filled = valid & !space;
    let seeds = alnum | (state.in_word & filled);
    let in_words = filled & (!(filled + seeds) | seeds);
    let counts = BlockCounts {
        length,
        words: (alnum & !(in_words << 1 | state.in_word)).count_ones(),
        marks: marks.count_ones(),
        doubled: (space & (space << 1 | state.after_space)).count_ones(),
        odd: bits(odd) & valid != 0,
        digits: digits != 0,
    };
    if length > 0 {
        state.in_word = in_words >> (length - 1) & 1;
        state.after_space = space >> (length - 1) & 1;
    }
    counts
}
