//! Each signature against a naive reading of its definition, on random texts.

use std::collections::BTreeSet;

use dehusk_similarity::{
    MinHash, PERMUTATIONS, SpotSigs, Tokens, WordRole, for_each_word, jaccard, shingles, simhash, spotsigs, word_hash,
};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// Texts of few different words, so that shingles come again.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[a-cÄß]{1,2}", "[0-9]", "[东京あ]", "the", "of", "[.,!–\u{301}]"];
    let space = prop_oneof![Just(" "), Just(""), Just("\n"), Just("-")];
    prop::collection::vec((word, space), 0..60)
        .prop_map(|parts| parts.into_iter().map(|(word, space)| word + space).collect())
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn words(text: &str) -> Vec<String> {
    let apart: String = text
        .chars()
        .flat_map(|c| match c {
            c if is_cjk(c) => vec![' ', c, ' '],
            '\u{964}' | '\u{965}' | '\u{970}' => vec![' '],
            'ς' => vec!['σ'],
            c if c.is_alphanumeric() || matches!(u32::from(c), 0x300..=0x36F | 0x900..=0xDFF) => {
                c.to_lowercase().collect()
            }
            _ => vec![' '],
        })
        .collect();
    apart
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn row_hash(words: &[impl AsRef<str>]) -> u64 {
    let mut row = 0_u64;
    for word in words {
        row = row
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(xxh3_64(word.as_ref().as_bytes()));
    }
    row ^= row >> 37;
    row = row.wrapping_mul(0x1656_6791_9E37_79F9);
    row ^ (row >> 32)
}

fn windows(words: &[String], length: usize) -> Vec<u64> {
    match words.len() {
        0 => Vec::new(),
        count => words.windows(length.min(count)).map(row_hash).collect(),
    }
}

proptest! {
    #[test]
    fn tokens_are_words_and_ideographs(start in "[a-zA-Z ,.é]{0,200}", text in "\\PC*", times in 1..4_usize) {
        let text = format!("{start}{text}").repeat(times);
        let words = words(&text);
        let mut found = Vec::new();
        for_each_word(&text, |word| found.push(word));
        let lower: Vec<String> = found.iter().map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
        prop_assert_eq!(lower.iter().map(|word| word.replace('ς', "σ")).collect::<Vec<_>>(), words.clone());
        let hashes: Vec<u64> = words.iter().map(|word| xxh3_64(word.as_bytes())).collect();
        prop_assert_eq!(found.into_iter().map(word_hash).collect::<Vec<_>>(), hashes.clone());
        let tokens = Tokens::new(&text);
        prop_assert_eq!(tokens.hashes(), hashes);
        prop_assert_eq!(tokens.len(), words.len());
    }

    #[test]
    fn shingles_are_five_tokens_in_a_row(text in text()) {
        let expected: BTreeSet<u64> = windows(&words(&text), 5).into_iter().collect();
        let tokens = Tokens::new(&text);
        prop_assert_eq!(shingles(&tokens), expected.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(MinHash::of_text(&tokens), MinHash::new(&shingles(&tokens)));
    }

    #[test]
    fn jaccard_is_the_common_share(
        a in prop::collection::btree_set(0..20_u64, 0..15),
        b in prop::collection::btree_set(0..20_u64, 0..15),
    ) {
        let expected = match a.union(&b).count() {
            0 => 0.0,
            all => a.intersection(&b).count() as f64 / all as f64,
        };
        let sorted = |set: BTreeSet<u64>| set.into_iter().collect::<Vec<_>>();
        prop_assert_eq!(jaccard(&sorted(a), &sorted(b)), expected);
    }

    #[test]
    fn simhash_takes_the_majority_of_three_tokens_in_a_row(text in text(), times in 1..30_usize) {
        let text = text.repeat(times);
        let features = windows(&words(&text), 3);
        let set = |bit: u32| features.iter().filter(|hash| **hash >> bit & 1 == 1).count();
        let expected = (0..64).filter(|bit| 2 * set(*bit) > features.len()).fold(0, |all, bit| all | 1_u64 << bit);
        prop_assert_eq!(simhash(&Tokens::new(&text)), expected);
    }

    #[test]
    fn spot_signatures_are_the_words_after_antecedents(text in text()) {
        let (is_antecedent, is_stop_word) = (|word: &str| word == "the", |word: &str| matches!(word, "the" | "of"));
        let words = words(&text);
        let mut expected = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| is_antecedent(word)) {
            let chain = words[at..].iter().map(String::as_str).filter(|word| !is_stop_word(word));
            let chain: Vec<&str> = chain.take(2).collect();
            if let [first, second] = chain[..] {
                expected.push(row_hash(&[word, first, second]) as u32);
            }
        }
        expected.sort_unstable();
        let found = spotsigs(&Tokens::new(&text), |word| match word {
            _ if word == word_hash("the") => WordRole::Antecedent,
            _ if word == word_hash("of") => WordRole::StopWord,
            _ => WordRole::Content,
        });
        prop_assert_eq!(found.hashes(), &expected);
        prop_assert_eq!(SpotSigs::from_base64(&found.to_base64()), Some(found));
    }

    #[test]
    fn minima_are_those_of_the_hash_functions(set in prop::collection::btree_set(any::<u64>(), 0..40)) {
        let set: Vec<u64> = set.into_iter().collect();
        let mixed = |x: u64| {
            let x = (x ^ (x >> 16)) * 0x85EB_CA6B % (1 << 32);
            let x = (x ^ (x >> 13)) * 0xC2B2_AE35 % (1 << 32);
            x ^ (x >> 16)
        };
        let found = MinHash::new(&set);
        for i in 0..PERMUTATIONS {
            let hash = |x: &u64| ((x % (1 << 32) + i as u64 * mixed(x % (1 << 32))) % (1 << 32)) as u32;
            prop_assert_eq!(found.minima()[i], set.iter().map(hash).min().unwrap_or(u32::MAX));
        }
        prop_assert_eq!(MinHash::from_base64(&found.to_base64()), Some(found));
    }

    #[test]
    fn minima_estimate_the_similarity(common in 0..200_u64, apart in 1..200_u64) {
        let hash = |x: u64| xxh3_64(&x.to_le_bytes());
        let mut a: Vec<u64> = (0..common + apart).map(hash).collect();
        let mut b: Vec<u64> = (0..common).chain(1000..1000 + apart).map(hash).collect();
        a.sort_unstable();
        b.sort_unstable();
        let error = MinHash::new(&a).similarity(&MinHash::new(&b)) - jaccard(&a, &b);
        // Five standard errors.
        prop_assert!(error.abs() < 0.23, "{error}");
    }
}

#[test]
fn what_is_no_signature_is_refused() {
    assert_eq!(MinHash::from_base64(""), None);
    assert_eq!(MinHash::from_base64("AAAA"), None);
    assert_eq!(SpotSigs::from_base64("AAAA"), None);
    assert_eq!(SpotSigs::from_base64("AgAAAAEAAAA="), None, "not sorted");
    assert_eq!(SpotSigs::from_base64(""), Some(SpotSigs::default()));
}
