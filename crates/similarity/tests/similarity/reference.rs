//! Values that a Python program of thirty lines computed by the documentation, with the package `xxhash`.

use dehusk_similarity::{MinHash, Tokens, shingles, simhash};
use xxhash_rust::xxh3::xxh3_64;

const TEXT: &str = "The council agreed on Monday to repair the old bridge over the river. 東京で Überfall 2024!";

#[test]
fn another_program_computes_the_same_values() {
    let tokens = Tokens::new(TEXT);
    let set = shingles(&tokens);
    assert_eq!((tokens.len(), set.len(), set[0]), (18, 14, 0x1a3b_6b47_e8dc_08ec));
    assert_eq!(simhash(&tokens), 0x2492_4700_098f_9f80);
    let minhash = MinHash::new(&set);
    let bytes: Vec<u8> = minhash.minima().iter().flat_map(|least| least.to_le_bytes()).collect();
    assert_eq!(xxh3_64(&bytes), 0x385e_38b4_75c3_cac9);
    assert!(
        minhash
            .to_base64()
            .starts_with("obc5D3mHFQ75+UQD2+XYAVNCqAZsX7YVwAK2AFKblhRzlicOPDQAB7ajpBBk/E82")
    );
}
