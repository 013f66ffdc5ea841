//! Ten records to damage, and what must be left of them.

use super::make::{self, Entry};
use super::read::All;

pub const N: usize = 10;

pub fn entries() -> Vec<Entry> {
    make::warcs(N, 1500, 21)
}

/// The good records are these of [`entries`], unharmed.
pub fn assert_good(all: &All, numbers: impl IntoIterator<Item = usize>) {
    let entries = entries();
    let expected: Vec<(String, &[u8])> = numbers
        .into_iter()
        .map(|i| (format!("urn:test:r{i}"), &entries[i].block[..]))
        .collect();
    let got: Vec<(String, &[u8])> = all.good().iter().map(|r| (r.id.clone(), &r.block[..])).collect();
    let names = |list: &[(String, &[u8])]| {
        list.iter()
            .map(|(id, b)| format!("{id} {}", b.len()))
            .collect::<Vec<_>>()
    };
    assert!(
        got == expected,
        "{:?} instead of {:?}; {all:?}",
        names(&got),
        names(&expected)
    );
}

pub fn all_but(lost: usize) -> impl Iterator<Item = usize> {
    (0..N).filter(move |i| *i != lost)
}

pub fn sha1_base32(data: &[u8]) -> String {
    use sha1::Digest;
    let mut bits = String::new();
    for byte in sha1::Sha1::digest(data) {
        bits += &format!("{byte:08b}");
    }
    let letters = |five: &[u8]| {
        let value = usize::from_str_radix(std::str::from_utf8(five).unwrap(), 2).unwrap();
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[value] as char
    };
    format!("sha1:{}", bits.as_bytes().chunks(5).map(letters).collect::<String>())
}
