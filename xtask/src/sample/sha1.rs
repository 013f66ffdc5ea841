//! Digests as in WARC headers: SHA-1 in base32 (RFC 3174, RFC 4648).

use sha1::Digest;

/// `sha1:` and the digest in base32.
pub fn labelled(bytes: &[u8]) -> String {
    format!("sha1:{}", base32(&sha1::Sha1::digest(bytes)))
}

/// Base32 of groups of five bytes, which need no padding. A SHA-1 digest is four groups.
fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let groups = bytes
        .chunks_exact(5)
        .map(|group| group.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)));
    groups
        .flat_map(|group| {
            (0..8)
                .rev()
                .map(move |at| char::from(LETTERS[(group >> (5 * at) & 31) as usize]))
        })
        .collect()
}
