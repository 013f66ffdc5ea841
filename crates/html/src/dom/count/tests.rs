use super::*;

fn counts(text: &str) -> (u32, u32, u32, u32) {
    let c = count(text).counts;
    (c.words, c.chars, c.cjk, c.punctuation)
}

#[test]
fn ascii() {
    assert_eq!(counts(""), (0, 0, 0, 0));
    assert_eq!(counts(" \n\t "), (0, 0, 0, 0));
    assert_eq!(counts("One, two - three."), (3, 17, 0, 2));
    assert_eq!(counts("  a  \n b  "), (2, 3, 0, 0));
    assert_eq!(counts("don't e-mail 3.14 --"), (3, 20, 0, 1));
}

#[test]
fn references_and_odd_spaces() {
    assert_eq!(counts("AT&amp;T &amp; co"), (2, 9, 0, 0));
    assert_eq!(counts("&nbsp; a&nbsp;&nbsp;b &nbsp;"), (2, 3, 0, 0));
    assert_eq!(counts("a\u{A0}\u{3000}b"), (2, 3, 0, 0));
    assert_eq!(counts("&nbsp;"), (0, 0, 0, 0));
    assert_eq!(count_literal("&amp;").counts.chars, 5);
    assert_eq!(counts("a\0b\0"), (1, 2, 0, 0));
}

#[test]
fn scripts() {
    assert_eq!(counts("日本語のテキスト。"), (8, 9, 8, 1));
    assert_eq!(counts("abc中文def"), (4, 8, 2, 0));
    assert_eq!(counts("Привет, мир"), (2, 11, 0, 1));
    assert_eq!(counts("안녕 세계"), (2, 5, 0, 0));
    assert_eq!(counts("𠀀𠀁"), (2, 2, 2, 0));
    assert_eq!(counts("،．，。、"), (0, 5, 0, 4));
}

#[test]
fn texts_have_the_same_letters_whatever_their_marks_and_capitals() {
    for (a, b) in [
        ("", " -"),
        ("It's 5 o'clock", "its 5 O CLOCK"),
        ("Über – uns", "über uns"),
        ("é", "é."),
    ] {
        assert!(have_same_letters(a, b) && have_same_letters(b, a), "{a} {b}");
    }
    for (a, b) in [("a", ""), ("ab", "a"), ("a1", "a2"), ("a", "á"), ("Ü", "u")] {
        assert!(!have_same_letters(a, b) && !have_same_letters(b, a), "{a} {b}");
    }
}

#[test]
fn shortcuts_agree_with_unicode() {
    for c in '\u{80}'..=char::MAX {
        assert_eq!(is_letter_or_digit(c), c.is_alphanumeric(), "{:x}", c as u32);
    }
}

#[test]
fn range_and_flags() {
    let part = |text: &'static str| {
        let c = count(text);
        (
            &text[c.from..c.to],
            c.flags & (NodeFlags::UNCOLLAPSED | NodeFlags::ENTITIES),
        )
    };
    assert_eq!(part(" a b "), ("a b", 0));
    assert_eq!(part("a  b"), ("a  b", NodeFlags::UNCOLLAPSED));
    assert_eq!(part("a\nb"), ("a\nb", NodeFlags::UNCOLLAPSED));
    assert_eq!(
        part("\u{A0} a b &nbsp; \u{A0}"),
        ("a b", NodeFlags::UNCOLLAPSED | NodeFlags::ENTITIES)
    );
    assert_eq!(part("&nbsp; AT&T"), ("AT&T", 0));
    assert_eq!(part("a &lt; b").1, NodeFlags::ENTITIES);
    assert_eq!(
        part("a\u{A0} &nbsp;"),
        ("a", NodeFlags::UNCOLLAPSED | NodeFlags::ENTITIES)
    );
}

#[test]
fn flags_mark_what_a_text_may_have() {
    let flags = |text: &str| count(text).flags;
    for (text, has) in [
        ("a 1", NodeFlags::DIGITS),
        ("a b c d e f g h i j 1", NodeFlags::DIGITS),
        ("é", NodeFlags::NON_ASCII),
    ] {
        assert_eq!(flags(text), has, "{text}");
    }
    assert_eq!(flags("a, b - c"), 0);
    // A reference may be any character.
    assert_eq!(
        flags("a &lt; b"),
        NodeFlags::ENTITIES | NodeFlags::DIGITS | NodeFlags::NON_ASCII
    );
}
