//! The language and the signals of quality of any text, with any claim.
#![no_main]

use dehusk_documents::quality;
use dehusk_metadata::language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (text, claimed) = input;
    let found = language::detect(text, claimed);
    assert!((0.0..=1.0).contains(&found.score), "{found:?}");
    assert_eq!(found.tag.is_empty(), found.score == 0.0, "{found:?}");
    if let Some(normalized) = language::normalized(&found.tag) {
        assert!(language::is_among(&found.tag, &[normalized]));
    }
    let signals = quality::measure(text, &found.tag);
    for share in [
        signals.stop_word_share,
        signals.symbol_share,
        signals.alphabetic_share,
        signals.punctuated_line_share,
        signals.short_line_share,
        signals.ellipsis_line_share,
        signals.bullet_line_share,
        signals.duplicate_line_share,
        signals.duplicate_line_character_share,
        signals.top_2gram_share,
        signals.duplicate_5gram_share,
    ] {
        assert!((0.0..=1.0).contains(&share), "{signals:?}");
    }
    let _ = quality::parse(text);
});
