//! NCE's second and third phase on small pages worked out by hand: comments off, a title on.
//!
//! As in `nce.rs`, texts are runs of one letter, and sizes are small.

use crate::support::nce::{letters, p, small};
use crate::support::outcome::run;
use dehusk_extract::Nce;
use dehusk_extract::nce::Similar;
use dehusk_extract::titles::TitleMatch;

/// Phases 1 and 2. Comments begin after half of the text, with at most 50 characters from one to the next.
fn with_comments() -> Nce {
    Nce {
        comments: true,
        block_chars: 20,
        near_chars: 50,
        comments_after: 0.5,
        ..small()
    }
}

/// A comment of 3 + 5 + 10 characters: who, when, what.
fn comment(minute: usize) -> String {
    format!("<div><b>Ann</b><i>10:0{minute}</i>{}</div>", p('c', 10))
}

/// An article of 60 characters with so many comments after it.
fn article(comments: usize) -> String {
    let comments: String = (0..comments).map(comment).collect();
    format!("<body><div>{}{comments}</div>", p('a', 60))
}

#[test]
fn three_blocks_that_look_alike_begin_the_comments() {
    // U is the children of the outer div: 60 + 3 · 18 = 114 characters. The times are at 63, 81 and 99, after 57.
    // The first one's block is its div, at 60.
    assert_eq!(run(&article(3), with_comments()).text, letters('a', 60));
    // Nine times from 63 on, of 60 + 9 · 18 = 222 characters: the first after 111 is at 117, in the fourth div.
    let page = article(9);
    let seen = run(&page, with_comments());
    assert!(seen.text.contains("10:02") && !seen.text.contains("10:03"));
}

#[test]
fn two_blocks_are_no_comments() {
    assert!(run(&article(2), with_comments()).text.contains("10:01"));
    let pairs = Nce {
        component: 2,
        ..with_comments()
    };
    assert_eq!(run(&article(2), pairs).text, letters('a', 60));
}

#[test]
fn phase_2_can_be_switched_off() {
    let without = Nce {
        comments: false,
        ..with_comments()
    };
    assert!(run(&article(3), without).text.contains("10:02"));
}

#[test]
fn blocks_must_be_near_each_other() {
    // From one time to the next there are 5 + 10 + 3 = 18 characters.
    let near = |near_chars| Nce {
        near_chars,
        ..with_comments()
    };
    assert_eq!(run(&article(3), near(18)).text, letters('a', 60));
    assert!(run(&article(3), near(17)).text.contains("10:02"));
}

#[test]
fn blocks_before_the_given_share_are_no_comments() {
    // .55 · 114 = 62.7 ≤ 63, .56 · 114 = 63.84 > 63: of three times two are left.
    let after = |comments_after| Nce {
        comments_after,
        ..with_comments()
    };
    // At .55 the block of the first time cannot be its div, which begins at 60: it is the i.
    assert_eq!(
        run(&article(3), after(0.55)).text,
        format!("{}\n\nAnn", letters('a', 60))
    );
    assert!(run(&article(3), after(0.56)).text.contains("10:02"));
}

#[test]
fn a_block_ends_before_the_next_one_and_leaves_the_article() {
    // The first time is in the article's own div, at 60 of 60 + 5 + 2 · 15 = 95 characters. That div begins at 0,
    // before 47.5, so the block is the i alone.
    let block = |text: String, time| format!("<div>{text}<i>10:0{time}</i></div>");
    let page = format!(
        "<body><div>{}{}{}</div>",
        block(p('a', 60), 1),
        block(p('b', 10), 2),
        block(p('c', 10), 3)
    );
    assert_eq!(run(&page, with_comments()).text, letters('a', 60));
    // All in one div: the blocks are the i themselves, since the div ends after the next one.
    let page = format!(
        "<body><div>{}<div>{}<i>10:01</i><i>10:02</i><i>10:03</i></div></div>",
        p('a', 60),
        p('b', 10)
    );
    assert_eq!(
        run(&page, with_comments()).text,
        format!("{}\n\n{}", letters('a', 60), letters('b', 10))
    );
}

#[test]
fn leaves_in_other_elements_are_not_similar() {
    // i, b, i: the class of i has two.
    let page = article(3).replacen("<i>10:01</i>", "<b>10:01</b>", 1);
    assert!(run(&page, with_comments()).text.contains("10:02"));
}

#[test]
fn long_leaves_are_no_blocks() {
    // Now a time has 28 + 5 characters. .3 · (60 + 3 · 46) = 59.4, and from one to the next there are 46.
    let page = article(3).replace("10:0", "a long text with its end at 10:0");
    let longest = |block_chars| Nce {
        block_chars,
        comments_after: 0.3,
        ..with_comments()
    };
    assert!(run(&page, longest(32)).text.contains("10:02"));
    assert_eq!(run(&page, longest(33)).text, letters('a', 60));
}

#[test]
fn links_of_one_text_can_be_similar_blocks() {
    // A block has 8 + 5 characters, 5/13 = .38 of them links, so phase 1 keeps it. The links are at 68, 81 and 94,
    // after 49.5 of 99.
    let reply = format!("<div>{}<a href=x>Reply</a></div>", p('b', 8));
    let page = format!("<body><div>{}{}</div>", p('a', 60), reply.repeat(3));
    let by = |similar| Nce {
        similar,
        ..with_comments()
    };
    assert_eq!(run(&page, by(Similar::Links)).text, letters('a', 60));
    assert_eq!(run(&page, by(Similar::Either)).text, letters('a', 60));
    assert!(run(&page, by(Similar::Times)).text.contains("Reply"));
    let others = page.replacen("Reply", "Quote", 1);
    assert!(run(&others, by(Similar::Links)).text.contains("Reply"));
}

#[test]
fn a_time_in_a_link_is_a_time() {
    let block = |inner: &str| format!("<div>{}<a href=x>{inner}</a></div>", p('b', 8));
    let blocks = ["10:01", "10:02", "10:02"].map(block).concat();
    let page = format!("<body><div>{}{blocks}</div>", p('a', 60));
    let by = |similar| Nce {
        similar,
        ..with_comments()
    };
    // Two links have the same text, three hold a time.
    assert!(run(&page, by(Similar::Links)).text.contains("10:02"));
    assert_eq!(run(&page, by(Similar::Either)).text, letters('a', 60));
}

#[test]
fn a_gap_begins_a_new_component() {
    // Two times, 60 characters, three times: of 60 + 2 · 18 + 60 + 3 · 18 = 210 characters, at 63, 81, 159, 177, 195.
    let comments = |from: usize, to| (from..to).map(comment).collect::<String>();
    let page = format!(
        "<body><div>{}{}{}{}</div>",
        p('a', 60),
        comments(0, 2),
        p('d', 60),
        comments(2, 5)
    );
    let early = Nce {
        comments_after: 0.2,
        ..with_comments()
    };
    let seen = run(&page, early);
    assert!(seen.text.contains("10:01") && seen.text.ends_with(&letters('d', 60)));
}

/// Phases 1 and 3. The leaf must have 30 characters, so that headlines are none.
fn with_title() -> Nce {
    Nce {
        leaf_chars: 30,
        title: true,
        title_min_words: 3,
        title_max_words: 6,
        title_overlap: 0.5,
        ..small()
    }
}

/// 50 characters. Of the headline's words it has *storm*, *the* and *harbour*: 3 of 5.
const STORY: &str = "The storm came at night and the harbour was closed";

fn story(title: &str, before: &str) -> String {
    format!("<title>{title}</title><body>{before}<div><p>{STORY}</p></div>")
}

const HEADLINE: &str = "<h1>Storm hits the old harbour</h1>";

#[test]
fn the_node_with_the_most_text_is_the_title() {
    // The h1 has 26 characters, the title 34.
    let page = story("Storm hits the old harbour | A site", HEADLINE);
    assert_eq!(
        run(&page, with_title()).text,
        format!("Storm hits the old harbour | A site\n\n{STORY}")
    );
    // 5 < 26.
    let headline = format!("Storm hits the old harbour\n\n{STORY}");
    assert_eq!(run(&story("Storm", HEADLINE), with_title()).text, headline);
    assert_eq!(run(&story("", HEADLINE), with_title()).text, headline);
}

#[test]
fn phase_3_can_be_switched_off() {
    let without = Nce {
        title: false,
        ..with_title()
    };
    assert_eq!(run(&story("A storm", HEADLINE), without).text, STORY);
}

#[test]
fn a_title_shares_its_words_with_the_content() {
    let overlap = |title_overlap| Nce {
        title_overlap,
        ..with_title()
    };
    let found = |nce| run(&story("", HEADLINE), nce).text != STORY;
    assert!(found(overlap(0.6)));
    assert!(!found(overlap(0.61)));
}

#[test]
fn the_number_of_words_in_a_title_is_limited() {
    let found = |before: &str| run(&story("", before), with_title()).text != STORY;
    assert!(found("<h1>the storm came</h1>"));
    assert!(!found("<h1>the storm</h1>"));
    assert!(found("<h1>the storm came at night and</h1>"));
    assert!(!found("<h1>the storm at the and was the</h1>"));
}

#[test]
fn a_title_comes_before_the_content() {
    let page = format!("<body><div><p>{STORY}</p></div>{HEADLINE}");
    assert_eq!(run(&page, with_title()).text, STORY);
}

#[test]
fn the_repair_by_the_pages_title_can_take_the_place_of_phase_3() {
    let repair = Nce {
        title: false,
        title_match: TitleMatch::Part,
        ..with_title()
    };
    let page = story("Storm hits the old harbour | A site", HEADLINE);
    assert_eq!(
        run(&page, repair).text,
        format!("Storm hits the old harbour\n\n{STORY}")
    );
}
