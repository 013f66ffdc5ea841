//! ContentEx on small pages whose counts, scores and deletions were worked out by hand from the paper's figure 3.

use std::time::{Duration, Instant};

use crate::support::contentex::{climbing, links, near, run};
use crate::support::documented;
use dehusk_extract::contentex::{Extend, Filter, Parameters};
use dehusk_html::{NodeId, Tag};

/// The example of the notes: a list of links, running text with a link, a row of related links.
const EXAMPLE: &str = "<body><ul><li><a href=1>First</a><li><a href=2>Second</a></ul>\
    <p>Five words with a link <a href=3>in it</a></p><p>Related: <a href=4>one</a><a href=5>two</a></p>\
    <p>a b c d e f g h</p>";

#[test]
fn scores_are_the_share_of_words_outside_links() {
    let seen = run(EXAMPLE, links());
    // 0 of 2; 5 of 6; 1 of 3; 8 of 8; the body has 5 + 1 + 8 words and 2 + 1 + 2 links.
    near(&seen.scores(Tag::Ul), &[0.0]);
    near(&seen.scores(Tag::P), &[5.0 / 6.0, 1.0 / 3.0, 1.0]);
    near(&seen.scores(Tag::Body), &[14.0 / 19.0]);
    // A link node is one word and one link.
    near(&seen.scores(Tag::A), &[0.0; 5]);
    assert_eq!(seen.text, "Five words with a link in it\n\na b c d e f g h");
    // 13 of the 14 that are left are outside of the link.
    near(&[seen.selection.score], &[13.0 / 14.0]);
}

#[test]
fn a_table_with_a_score_of_0_never_climbs() {
    let each = [
        (Filter::LinkTable, "- First"),
        (Filter::LinkTable, "- Second"),
        (Filter::LinkTable, "Related: onetwo"),
    ];
    assert_eq!(run(EXAMPLE, links()).removed(), each);
    // Climbing while below the threshold takes the whole list: li 0, ul 0, body 14/19.
    let whole = [
        (Filter::LinkTable, "- First\n- Second"),
        (Filter::LinkTable, "Related: onetwo"),
    ];
    assert_eq!(run(EXAMPLE, climbing()).removed(), whole);
}

#[test]
fn a_table_climbs_while_the_score_falls() {
    // p 1/3, div 1/6, body 13/18.
    let page = "<body><div><p>w <a href=x>1</a><a href=x>2</a></p><a href=x>3</a><a href=x>4</a><a \
        href=x>5</a></div><p>a b c d e f g h i j k l</p>";
    let seen = run(page, links());
    near(&seen.scores(Tag::Div), &[1.0 / 6.0]);
    near(&seen.scores(Tag::Body), &[13.0 / 18.0]);
    assert_eq!(seen.removed().len(), 1);
    assert_eq!(seen.text, "a b c d e f g h i j k l");
}

#[test]
fn a_table_stops_climbing_where_the_score_rises() {
    // p 1/3, div 4/6: only p goes, whichever way it climbs.
    let page = "<body><div><p>w <a href=x>1</a><a href=x>2</a></p><p>three more words</p></div>";
    assert_eq!(run(page, links()).text, "three more words");
    assert_eq!(run(page, climbing()).text, "three more words");
    // p 1/3, div 2/5 is still below one half: the figure stops, the other climbs.
    let page = "<body><div><p>w <a href=x>1</a><a href=x>2</a></p>more <a href=x>3</a></div><p>a b c d e f g h</p>";
    let falling = run(page, links());
    near(&falling.scores(Tag::Div), &[2.0 / 5.0]);
    // The link beside is a child of div itself, and div's parent has 10/13: the whole div goes after all.
    assert_eq!(falling.text, "a b c d e f g h");
    assert_eq!(run(page, climbing()).text, "a b c d e f g h");
    let page =
        "<body><div><p>w <a href=x>1</a><a href=x>2</a></p><p>more <a href=x>3</a></p></div><p>a b c d e f g h</p>";
    // Now that link's parent has 1/2, which is not below.
    assert_eq!(run(page, links()).text, "more 3\n\na b c d e f g h");
    assert_eq!(run(page, climbing()).text, "a b c d e f g h");
}

#[test]
fn a_table_takes_back_the_smaller_ones_in_it() {
    // li 0, li 0, then a link in ul itself: 0 + 0 + 1 words to 3 links.
    let page = "<body><ul><li><a href=x>1</a><li><a href=x>2</a><li>w</li><a href=x>3</a></ul><p>a b c d e f g h</p>";
    assert_eq!(run(page, links()).removed(), [(Filter::LinkTable, "- 1\n- 2\n- w\n3")]);
}

#[test]
fn a_score_at_the_threshold_is_not_below_it() {
    let page = "<body><p>word <a href=x>1</a></p><p><a href=x>2</a></p>";
    assert_eq!(run(page, links()).text, "word 1");
    let above = Parameters {
        threshold: 0.51,
        ..links()
    };
    // Now p (1/2) goes, and so would the body (1/3) of the second p's parent, were there a fall: 0 never falls. But
    // from 1/2 to 1/3 it does, and the whole page goes.
    assert_eq!(run(page, above.clone()).text, "");
    // The other climb stops below the body.
    assert_eq!(
        run(
            page,
            Parameters {
                extend: Extend::Below,
                ..above
            }
        )
        .removed(),
        [(Filter::LinkTable, "word 1"), (Filter::LinkTable, "2")]
    );
}

#[test]
fn a_link_directly_in_the_body_selects_the_page_in_the_figure() {
    // 2 of 5.
    let page = "<body><a href=x>1</a><a href=x>2</a><a href=x>3</a><p>two words</p>";
    assert_eq!(run(page, links()).text, "");
    assert_eq!(run(page, climbing()).text, "two words");
}

#[test]
fn a_link_counts_once_whatever_it_holds() {
    // 3 of 4, though the link has ten words; 2 of 3 with an image in the link; an image outside is nothing.
    let page = "<body><p>one two three <a href=x>a b c d e f g h i j</a></p><p>one two <a href=x><img src=x></a><img \
        src=y></p>";
    let seen = run(page, links());
    near(&seen.scores(Tag::P), &[3.0 / 4.0, 2.0 / 3.0]);
    assert_eq!(seen.text, "one two three a b c d e f g h i j\n\none two");
    // Of what is in a link, only the link has a score; of what is empty, nothing.
    near(&seen.scores(Tag::Img), &[]);
}

#[test]
fn a_table_may_hold_no_more_than_its_share_of_the_words() {
    // The wrapper has 8/17 and all of the page's 8 words; the first p 2/6 and a quarter of them.
    let page = "<body><div><p>two words <a href=x>1</a><a href=x>2</a><a href=x>3</a><a href=x>4</a></p>\
                <ul><li><a href=x>5</a><li><a href=x>6</a><li><a href=x>7</a><li><a href=x>8</a><li><a \
                href=x>9</a></ul><p>a b c d e f</p></div>";
    let share = |table_share| {
        run(
            page,
            Parameters {
                table_share,
                ..climbing()
            },
        )
        .text
    };
    assert_eq!(share(1.0), "");
    assert_eq!(share(0.99), "a b c d e f");
    assert_eq!(share(0.25), "a b c d e f");
    // Where even the parent holds more, the links alone go.
    assert_eq!(share(0.24), "two words\n\na b c d e f");
}

/// A thread as boards write it.
const THREAD: &str = "<title>A leaking boat</title><body>\
    <ul><li><a href=/>Board</a><li><a href=/boats>Boats</a></ul>\
    <table><tr><td><a href=/u/1>ann</a><br>Posts: 12<td>2010-5-1 12:30 <p>My boat leaks, and I know not where the \
    water comes in. Any help?</p><a href=/q/1>Quote</a></table>\
    <table><tr><td><a href=/u/2>bob</a><br>Posts: 99<td>2010-5-1 14:02 <p>Look at the <a href=/k>keel</a> first, then \
    at the planks beside it.</p>IP: 10.0.*.*<a href=/q/2>Quote</a></table>\
    <p>You may not post new threads</p><p>Copyright © 2010 The Harbour</p>";

#[test]
fn a_threads_posts_are_kept_and_the_rest_is_not() {
    // The links under td: "Posts: 12" and a link, 2/3; the post, two words of time and a link, 15/16: neither is below
    // one half, so names stay in the figure; at .85 the first cells go.
    let paper = run(THREAD, Parameters::paper());
    for part in ["My boat leaks", "Look at the keel first"] {
        assert!(paper.text.contains(part), "{}", paper.text);
    }
    for noise in ["Board", "2010", "10.0", "threads", "Harbour"] {
        assert!(!paper.text.contains(noise), "{noise}: {}", paper.text);
    }
    assert!(paper.text.contains("ann"));
    let modern = run(THREAD, Parameters::modern());
    assert_eq!(
        modern.text,
        "My boat leaks, and I know not where the water comes in. Any help?\n\n\
         Look at the keel first, then at the planks beside it."
    );
    assert_eq!(
        modern.xhtml,
        "<table><tbody><tr><td> <p>My boat leaks, and I know not where the water comes in. Any \
            help?</p></td></tr></tbody>\
         </table> <table><tbody><tr><td> <p>Look at the <a href=\"/k\">keel</a> first, then at the planks beside \
         it.</p>\
         </td></tr></tbody></table>"
    );
}

#[test]
fn pages_without_words_or_links_have_defined_results() {
    for parameters in [Parameters::paper(), Parameters::modern()] {
        for page in [
            "",
            "<body></body>",
            "<img src=x>",
            "<p> </p>",
            "<a href=x><img src=y></a>",
            "<frameset><frame>",
        ] {
            let seen = run(page, parameters.clone());
            assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0), "{page}");
            assert!(seen.selection.ranges.is_empty(), "{page}");
        }
        let links = run(
            "<ul><li><a href=1>one</a><li><a href=2>two</a></ul>",
            parameters.clone(),
        );
        assert_eq!((links.text.as_str(), links.selection.score), ("", 0.0));
        let one = run("alone", parameters.clone());
        assert_eq!((one.text.as_str(), one.selection.score), ("alone", 1.0));
        let none = run("<p>one two</p><p>three</p>", parameters.clone());
        assert_eq!((none.text.as_str(), none.selection.score), ("one two\n\nthree", 1.0));
        // The words of a link alone under a body that is kept: nothing is outside of it.
        let bare = run(
            "<body><a href=x>only a link</a>",
            Parameters {
                link_table: false,
                ..parameters
            },
        );
        assert_eq!((bare.text.as_str(), bare.selection.score), ("only a link", 0.0));
    }
}

#[test]
fn hostile_pages_take_linear_time() {
    let huge = "word and then some, 12:30 ".repeat(400_000);
    let nested = format!("{}w <a href=x>1</a>", "<div><a href=x>x</a>".repeat(500));
    let pages = [
        huge,
        "<p>w <a href=x>1</a><a href=x>2</a></p>".repeat(100_000),
        "<i></i>".repeat(300_000) + &"© 2011<b></b>".repeat(100_000),
        nested.repeat(200),
        "<p>12:30<br>IP: 10.0.0.1<p>Reply:".repeat(100_000),
    ];
    for page in &pages {
        for parameters in [Parameters::paper(), Parameters::modern()] {
            let start = Instant::now();
            let seen = run(page, parameters);
            assert!(seen.selection.score.is_finite());
            // Quadratic time would be hours; a busy machine needs some room.
            let limit = Duration::from_secs(300);
            assert!(start.elapsed() < limit, "{}: {:?}", &page[..40], start.elapsed());
        }
    }
}

#[test]
fn kept_ranges_are_whole_subtrees_in_order() {
    for page in [EXAMPLE, THREAD] {
        for parameters in [Parameters::paper(), Parameters::modern()] {
            let seen = run(page, parameters);
            let mut before: NodeId = 0;
            for range in &seen.selection.ranges {
                assert!(range.start >= before && seen.dom.node(range.start).end == range.end);
                before = range.end;
            }
        }
    }
}

#[test]
fn a_users_patterns_are_added_to_the_built_in_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(
        &path,
        "[statement.posting]\nen = ['^be kind']\n[time]\nen = ['a while ago']",
    )
    .unwrap();
    let parameters = Parameters {
        patterns: path.display().to_string(),
        ..Parameters::paper()
    };
    let page = "<p>Be kind to each other</p><p>a while ago</p><p>12:30</p><p>kept</p>";
    assert_eq!(run(page, parameters).text, "kept");
}

#[test]
fn every_parameter_is_in_the_documentation_with_its_values() {
    let page = include_str!("../../../../docs/extractors/contentex.md");
    documented::assert_parameters(page, "ContentEx", Parameters::paper(), Parameters::modern());
}
