//! Values that a Python program of thirty lines computed by the documentation, with the package `xxhash`.

use dehusk_similarity::{MinHash, Tokens, shingles, simhash};
use xxhash_rust::xxh3::xxh3_64;

const TEXT: &str = "The council agreed on Monday to repair the old bridge over the river. 東京で Überfall 2024!";

#[test]
fn another_program_computes_the_same_values() {
    let tokens = Tokens::of(TEXT);
    let set = shingles(&tokens);
    assert_eq!((tokens.len(), set.len(), set[0]), (18, 14, 0x2b39_6bd0_d3fa_bad9));
    assert_eq!(simhash(&tokens), 0x0ffc_9061_9580_b076);
    let minhash = MinHash::of(&set);
    let bytes: Vec<u8> = minhash.minima().iter().flat_map(|least| least.to_le_bytes()).collect();
    assert_eq!(xxh3_64(&bytes), 0xfd36_dcbb_a24d_5867);
    assert!(
        minhash
            .to_base64()
            .starts_with("vedRIJEhkBAd8IkI4ed5FLZZ+QLhePRC3MLUCwZuawnGncwCrLypM0HWIRFzNAIB")
    );
}
