use super::*;
use crate::document::Document;

const ENGLISH: &str =
    "The hill is high, and the path to it is long.\n\nWe went up early. It rained until we were home!";

#[track_caller]
fn assert_near(is: f64, expected: f64) {
    assert!((is - expected).abs() < 1e-9, "{is} instead of {expected}");
}

#[test]
fn the_words_of_a_text_are_measured() {
    let signals = measure(ENGLISH, "en");
    // the, is, and, to, it, we, up, were; "the", "is" and "it" twice, "we" twice.
    assert_eq!(
        (signals.stop_words, signals.sentences, signals.curly_brackets),
        (8, 3, 0)
    );
    assert_near(signals.stop_word_share, 12.0 / 21.0);
    assert_near(signals.alphabetic_share, 1.0);
    let characters = ENGLISH.chars().filter(|c| !c.is_whitespace()).count();
    assert_near(signals.mean_word_length, characters as f64 / 21.0);
    assert_near(signals.punctuated_line_share, 1.0);
    assert_near(measure("a # b … c... 12", "en").symbol_share, 3.0 / 6.0);
    assert_near(measure("a # b … c... 12", "en").alphabetic_share, 3.0 / 6.0);
    assert_eq!(measure("let a = {b: {}};", "en").curly_brackets, 4);
}

#[test]
fn stop_words_are_those_of_the_language() {
    assert_near(measure("der die das", "de").stop_word_share, 1.0);
    assert_near(measure("der die das", "fi").stop_word_share, 0.0);
    assert_near(measure("我們的狗", "zh-Hant").stop_word_share, 3.0 / 4.0);
    // A language without a list: the words of all lists count.
    assert_near(measure("der die qqq zzz", "xx").stop_word_share, 0.5);
}

#[test]
fn the_lines_of_a_text_are_measured() {
    let text = "One line that is certainly longer than thirty characters.\nshort\n\nshort\ngoes on ...\nand on …";
    let signals = measure(text, "en");
    assert_near(signals.short_line_share, 4.0 / 5.0);
    assert_near(signals.punctuated_line_share, 3.0 / 5.0);
    assert_near(signals.ellipsis_line_share, 2.0 / 5.0);
    assert_near(signals.duplicate_line_share, 1.0 / 5.0);
    let characters = text.chars().filter(|c| !c.is_whitespace()).count();
    assert_near(signals.duplicate_line_character_share, 5.0 / characters as f64);
}

#[test]
fn markers_are_no_words() {
    let plain = measure("Tea\nMilk and sugar\nA cup\nto have\nName tea", "en");
    let marked = measure(
        "# Tea\n  - Milk and sugar\n1. A cup\n> to have\nName | tea\n\n- \n| --- | :-: |\n```rust\n```",
        "en",
    );
    assert_eq!(
        Signals {
            bullet_line_share: 0.0,
            ..marked.clone()
        },
        plain
    );
    assert_near(marked.bullet_line_share, 1.0 / 5.0);
}

#[test]
fn repetitions_are_measured() {
    let signals = measure(&"buy now ".repeat(50), "en");
    assert_near(signals.top_2gram_share, 1.0);
    assert!(signals.duplicate_5gram_share > 0.9, "{signals:?}");
    assert_near(measure(ENGLISH, "en").duplicate_5gram_share, 0.0);
    // Of twelve words, the last five are a repetition.
    assert_near(
        measure("a b c d e f g a b c d e", "en").duplicate_5gram_share,
        5.0 / 12.0,
    );
    assert_near(measure("a b c d a b", "en").top_2gram_share, 4.0 / 6.0);
}

#[test]
fn any_text_has_signals_in_range() {
    let lines = "x\n".repeat(1 << 20);
    for text in [
        "",
        "\n\n",
        "- ",
        &"a".repeat(8 << 20),
        &".".repeat(1 << 20),
        &"a b ".repeat(1 << 20),
        &"- ".repeat(1 << 20),
        &"# ".repeat(1 << 20),
        &lines,
        &"\u{300}是".repeat(1 << 18),
    ] {
        let s = measure(text, "en");
        let shares = [
            s.stop_word_share,
            s.symbol_share,
            s.alphabetic_share,
            s.punctuated_line_share,
            s.short_line_share,
            s.ellipsis_line_share,
            s.bullet_line_share,
            s.duplicate_line_share,
            s.duplicate_line_character_share,
            s.top_2gram_share,
            s.duplicate_5gram_share,
        ];
        assert!(
            shares.iter().all(|share| (0.0..=1.0).contains(share)),
            "{text:.20}: {s:?}"
        );
        assert!(s.mean_word_length.is_finite());
    }
    assert!(measure(&lines, "en").duplicate_line_share > 0.99);
}

#[test]
fn rules_are_presets_or_bounds() {
    let mut document = Document::default();
    document.metadata.words = 49;
    let names = |item: &str| -> Vec<String> {
        let rules = parse(item).expect("rules");
        rules
            .iter()
            .filter(|rule| !rule.holds(&document))
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(names("gopher")[0], "gopher: words >= 50");
    assert_eq!(names("words>=49"), [""; 0]);
    assert_eq!(names(" words <= 48.5 "), ["words <= 48.5"]);
    assert_eq!(names("c4"), ["c4: quality_sentences >= 3"]);
    assert!(names("fineweb").len() == 1);
    for (item, error) in [
        ("gofer", RuleError::Form),
        ("words > 3", RuleError::Form),
        ("words >= many", RuleError::Form),
        ("words >= NaN", RuleError::Form),
        ("wrods >= 3", RuleError::Key),
        ("title >= 3", RuleError::Key),
    ] {
        assert_eq!(parse(item), Err(error), "{item}");
    }
}
