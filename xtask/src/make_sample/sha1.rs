//! SHA-1 and base32, as WARC digests are written (RFC 3174, RFC 4648).

/// `sha1:` and the digest in base32.
pub fn labelled(bytes: &[u8]) -> String {
    format!("sha1:{}", base32(&sha1(bytes)))
}

fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() < bytes.len() + 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let length_at = padded.len() - 8;
    padded[length_at..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());

    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.into_iter().enumerate() {
            let (mixed, constant) = match at / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = [mixed, e, constant, word]
                .into_iter()
                .fold(a.rotate_left(5), u32::wrapping_add);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }

    let mut digest = [0; 20];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// Base32 of whole groups of five bytes, which a SHA-1 digest is: no padding.
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
