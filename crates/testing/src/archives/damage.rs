//! Damage to stored bytes.

use std::ops::Range;

pub fn flip(bytes: &[u8], at: usize, mask: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= mask;
    bytes
}

pub fn cut(bytes: &[u8], at: usize) -> Vec<u8> {
    bytes[..at].to_vec()
}

pub fn insert(bytes: &[u8], at: usize, what: &[u8]) -> Vec<u8> {
    [&bytes[..at], what, &bytes[at..]].concat()
}

pub fn delete(bytes: &[u8], range: Range<usize>) -> Vec<u8> {
    [&bytes[..range.start], &bytes[range.end..]].concat()
}

pub fn zero(bytes: &[u8], range: Range<usize>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[range].fill(0);
    bytes
}
