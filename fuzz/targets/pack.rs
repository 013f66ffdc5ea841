//! Compressed archives out of fuzz input.

use std::borrow::Cow;

/// What parts the units of an archive to pack.
const BORDER: &[u8] = b"\n==\n";

/// The input without its first byte, as it is; or, where that byte is odd, packed and damaged: units are parted by
/// [`BORDER`], and the two bytes after the first say which stored byte is changed, and how (0: not at all).
pub fn packed(input: &[u8], pack: impl Fn(&[u8]) -> Vec<u8>) -> Cow<'_, [u8]> {
    let [kind, rest @ ..] = input else { return input.into() };
    let [place, change, units @ ..] = rest else {
        return rest.into();
    };
    if kind % 2 == 0 {
        return rest.into();
    }
    let mut archive = Vec::new();
    let mut from = 0;
    while let Some(at) = find(&units[from..], BORDER) {
        archive.extend(pack(&units[from..from + at]));
        from += at + BORDER.len();
    }
    archive.extend(pack(&units[from..]));
    let place = usize::from(*place) * archive.len() / 256;
    archive[place] ^= change;
    archive.into()
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|w| w == what)
}
