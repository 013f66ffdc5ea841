//! Each deliberate departure from a paper, so that none becomes an accident. The methods' pages (docs/extractors)
//! declare them.

use crate::support::contentex::only;
use crate::support::nce::{letters, p, small};
use crate::support::outcome::run;
use dehusk_extract::contentex::Parameters;
use dehusk_extract::strip::Links;
use dehusk_extract::{Cetd, ContentEx, CoreEx, Econ, Nce};
use dehusk_html::Tag;

#[test]
fn coreex_has_no_candidate_of_links_alone() {
    // By 2.2.1 the list would score its share of the text, .01 · 2/2. The paper says nothing of pages without other
    // text.
    let links = "<body><ul><li><a href=1>one</a><li><a href=2>two</a></ul>";
    let seen = run(links, CoreEx::paper());
    assert_eq!((seen.winner(), seen.text.as_str()), (None, ""));
}

#[test]
fn coreex_counts_linked_pictures_only_if_they_are_img() {
    let ratio = |picture: &str| {
        let page = format!("<body><p>one two <a href=x>{picture}</a></p><p>three</p>");
        let whole = CoreEx {
            subset: false,
            ..CoreEx::paper()
        };
        run(&page, whole).score(Tag::P).unwrap()
    };
    let none = ratio("");
    assert!(ratio("<img src=x>") < none);
    for picture in [
        "<svg><path></path></svg>",
        "<canvas></canvas>",
        "<video></video>",
        "<object></object>",
    ] {
        assert_eq!(ratio(picture), none, "{picture}");
    }
}

#[test]
fn of_equal_siblings_the_first_wins_in_coreex() {
    let page = "<body><div>one two</div><ul><li><a href=x>x</a></ul><div>six ten</div>";
    let paper = CoreEx {
        subset: false,
        ..CoreEx::paper()
    };
    assert_eq!(run(page, paper).text, "one two");
}

#[test]
fn style_and_template_are_masked_in_all_methods() {
    let page = "<body><p>Text, it is.</p><style>a, b { c: d. }</style><template>none, at all.</template>";
    assert_eq!(run(page, CoreEx::paper()).text, "Text, it is.");
    assert_eq!(run(page, ContentEx::paper()).text, "Text, it is.");
    assert_eq!(run(page, Nce::paper()).text, "Text, it is.");
    assert_eq!(run(page, Econ::paper()).text, "Text, it is.");
    assert_eq!(run(page, Cetd::cectd_ds()).text, "Text, it is.");
}

#[test]
fn a_link_has_an_href_except_in_nce_and_cetd() {
    // The paper of NCE counts "tags of type a", and Example 1 of CETD has a link without href. The anchor below is
    // never closed, so the text is in it.
    let page = format!(
        "<body><div>{}<div><a name=top>{}</a></div></div>",
        p('a', 40),
        letters('b', 40)
    );
    let nce = |links| run(&page, Nce { links, ..small() }).text;
    assert_eq!(nce(Links::Anchors), letters('a', 40));
    assert!(nce(Links::Targets).ends_with('b'));
    assert_eq!(Nce::paper().links, Links::Anchors);
    assert_eq!(Nce::modern().links, Links::Targets);
    let anchored = "<body><a name=top><p>one two three four</p><ul><li><a href=x>five</a></ul>";
    let bare = anchored.replace("<a name=top>", "");
    assert_eq!(
        run(anchored, CoreEx::paper()).score(Tag::P),
        run(&bare, CoreEx::paper()).score(Tag::P)
    );
    assert_eq!(
        run(anchored, ContentEx::paper()).text,
        run(&bare, ContentEx::paper()).text
    );
    // All text of the paragraph is in a hyperlink, or none of it.
    assert_eq!(run(anchored, Cetd::cectd_ds()).score(Tag::P), Some(0.0));
    assert_eq!(
        run(anchored, Cetd::cectd_ds().modern()).score(Tag::P),
        run(&bare, Cetd::cectd_ds().modern()).score(Tag::P)
    );
}

#[test]
fn the_first_comment_goes_with_the_rest_in_nce() {
    // "It discards all content that appear after the first of these blocks": the block itself goes as well.
    let comment = |i: u32| format!("<div><span>3.12.201{i}</span> {}</div>", letters('c', 12));
    let page = format!(
        "<body><div>{}{}{}{}</div>",
        p('a', 80),
        comment(1),
        comment(2),
        comment(3)
    );
    let nce = Nce {
        comments: true,
        ..small()
    };
    assert_eq!(run(&page, nce).text, letters('a', 80));
}

#[test]
fn a_chinese_character_counts_as_several_in_nce() {
    assert_eq!((Nce::paper().cjk_chars, Nce::modern().cjk_chars), (4, 6));
}

#[test]
fn econ_prunes_no_line_breaks() {
    let page = "<body><div>One, it is.<br><br>Two.</div>";
    assert_eq!(run(page, Econ::paper()).text, "One, it is.\n\nTwo.");
}

#[test]
fn econ_counts_the_arabic_comma_and_not_the_japanese_one() {
    let beside = |text: &str| {
        let page = format!("<body><div><p>{text}</p></div><div><p>A, b.</p></div>");
        run(&page, Econ::paper()).text
    };
    // Longer than the other, each of these is the content if it has a mark.
    for text in ["واحد، اثنان ثلاثة", "一，二三四五六七八九", "一二三四五六七八九。"]
    {
        assert_eq!(beside(text), text);
    }
    assert_eq!(beside("一、二三四五六七八九"), "A, b.");
}

#[test]
fn econ_counts_what_is_left_of_a_paragraph() {
    // The list has a text of its own, a comma and much linked text without a mark, which is pruned.
    let list = "<div>See, also: <ul><li><a href=1>A very long teaser of some other story</a><li><a href=2>And one more \
                of these long teasers</a></ul></div>";
    let page =
        format!("<body><section>{list}<img></section><section><p>The article itself, which is short.</p></section>");
    assert_eq!(run(&page, Econ::paper()).text, "The article itself, which is short.");
    let whole = Econ {
        para_text: dehusk_extract::econ::ParaText::Whole,
        ..Econ::paper()
    };
    assert!(run(&page, whole).text.contains("See, also:"));
}

#[test]
fn econ_starts_at_a_node_with_text() {
    // The set begins with a line break, which is a big-node by name and wraps nothing: from it the way up would go on.
    let page = "<body><section><br><p>One sentence, and so on.</p></section><p>Two, then.</p>";
    let seen = run(page, Econ::paper());
    assert_eq!((seen.winner(), seen.selection.steps), (Some(Tag::P), Some(0)));
}

/// Sentences that begin like a forum's clock.
#[test]
fn sentences_that_begin_like_a_clock_stay() {
    for sentence in [
        "It is currently believed that the talks will end at 12:30, officials said.",
        "The time now is ripe for talks, she said at 12:30 on arrival.",
        "All times are EST and so the fans in Berlin had to get up early.",
    ] {
        let page = format!("<body><p>{sentence}</p>");
        assert_eq!(
            run(&page, ContentEx::new(only(|p| p.time = true)).unwrap()).text,
            sentence
        );
    }
    let page = "<body><p>All times are GMT +1. The time now is 12:30 PM.</p><p>kept</p>";
    assert_eq!(run(page, ContentEx::new(only(|p| p.time = true)).unwrap()).text, "kept");
}

#[test]
fn contentex_keeps_sentences_with_a_time() {
    let page = "<body><p>She died two years ago</p><p>It is currently the best camera you can buy</p>\
                <p>It is currently Sunday, 8:30 pm</p><p>12:30</p>";
    assert_eq!(
        run(page, ContentEx::new(only(|p| p.time = true)).unwrap()).text,
        "She died two years ago\n\nIt is currently the best camera you can buy"
    );
    let modern = ContentEx::new(only(|p| (p.time, p.time_words) = (true, 4))).unwrap();
    assert_eq!(run(page, modern).text, "It is currently the best camera you can buy");
}

#[test]
fn contentex_masks_no_long_paragraph_for_one_statement() {
    let words = |count: usize| "word ".repeat(count);
    let page = |count| format!("<body><p>{}All rights reserved</p><p>kept</p>", words(count));
    let paper = Parameters::paper();
    assert_eq!(paper.statement_words, 60);
    let statements = only(|p| p.statements = true);
    let text = |count| run(&page(count), ContentEx::new(statements.clone()).unwrap()).text;
    assert_eq!(text(57), "kept");
    assert!(text(58).starts_with("word"));
}

#[test]
fn cetd_sets_zeros_to_1_in_denominators_only_and_counts_tags_from_1() {
    // LC stays 0 as a factor: ln(0 + 2/12 · 10 + e). T becomes 1, as in algorithm 1.
    let page = "<body><p>0123456789</p><a href=x>ab</a>";
    let base = (2.0 / 12.0 * 10.0 + std::f64::consts::E).ln();
    let by_hand = 10.0 * 10f64.ln() / base.ln();
    let seen = run(page, Cetd::cectd_ds()).score(Tag::P).unwrap();
    assert!((seen - by_hand).abs() < 1e-9, "{seen} {by_hand}");
}
