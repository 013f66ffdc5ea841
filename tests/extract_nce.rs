//! NCE on small pages whose counts and selections were worked out by hand.
//!
//! Texts are runs of one letter, so that a text's length is its number of characters: `letters('a', 20)` is 20
//! characters and one word. Sizes are small (a leaf of 10, a separator of 30, siblings of 10), ratios .4.

#![allow(clippy::unwrap_used)]

use dehusk::dom::parse::parse;
use dehusk::dom::view::ViewBuffers;
use dehusk::dom::{Buffers, Dom, NodeId, Tag};
use dehusk::extract::nce::Similar;
use dehusk::extract::titles::TitleMatch;
use dehusk::extract::{Extractor, Nce, Selection};
use dehusk::strip::Forms;

/// What an extractor makes of a page.
struct Outcome<'p> {
    dom: Dom<'p>,
    selection: Selection,
    text: String,
}

impl Outcome<'_> {
    fn winner(&self) -> Option<Tag> {
        self.selection.winner.map(|id| self.dom.node(id).tag)
    }

    fn score(&self, tag: Tag) -> Option<f64> {
        let id: NodeId = (0..self.dom.len()).find(|id| self.dom.node(*id).tag == tag).unwrap();
        self.selection.score_of(id)
    }
}

fn run<'p>(page: &'p str, nce: Nce) -> Outcome<'p> {
    let dom = parse(page, Buffers::default());
    let view = nce.strip().view(&dom, ViewBuffers::default());
    let selection = nce.extract(&view);
    let mut text = String::new();
    selection.render_text(&view, &mut text);
    Outcome {
        selection,
        text,
        dom: parse(page, Buffers::default()),
    }
}

/// Phase 1 alone, with small sizes.
fn small() -> Nce {
    Nce {
        leaf_chars: 10,
        text_chars: 30,
        sibling_chars: 10,
        sibling_density: 0.4,
        density: 0.4,
        comments: false,
        title: false,
        ..Nce::paper()
    }
}

fn letters(letter: char, length: usize) -> String {
    letter.to_string().repeat(length)
}

/// `<p>` with a text of that length.
fn p(letter: char, length: usize) -> String {
    format!("<p>{}</p>", letters(letter, length))
}

fn link(letter: char, length: usize) -> String {
    format!("<a href=x>{}</a>", letters(letter, length))
}

#[test]
fn the_separators_children_with_many_links_are_dropped() {
    // Leaf a: 20 ≥ 10. p is a paragraph; div has 20 + 15 + 8 = 43 ≥ 30, and one sibling of 5 < 10.
    // Link densities of its children: 0, 0, 8/8.
    let page = format!(
        "<body><div>{}{}<ul><li>{}</ul></div><h6>foot.</h6>",
        p('a', 20),
        p('b', 15),
        link('c', 8)
    );
    let seen = run(&page, small());
    assert_eq!(seen.winner(), Some(Tag::Div));
    assert_eq!(seen.text, format!("{}\n\n{}", letters('a', 20), letters('b', 15)));
    assert_eq!(seen.score(Tag::Ul), Some(0.0));
    assert_eq!(seen.score(Tag::P), Some(1.0));
    assert_eq!(seen.score(Tag::Div), Some(1.0 - 8.0 / 43.0));
    // Never looked at.
    assert_eq!(seen.score(Tag::H6), None);
    assert_eq!(seen.selection.score, 1.0);
}

#[test]
fn a_paragraph_is_no_separator() {
    // The leaf's p has 40 ≥ 30 characters, but it is a p; body has 45.
    let page = format!("<body>{}{}", p('a', 40), p('b', 5));
    let seen = run(&page, small());
    assert_eq!(seen.winner(), Some(Tag::Body));
    assert_eq!(seen.text, format!("{}\n\nbbbbb", letters('a', 40)));
    // A div of the same size is one: its sibling's 5 characters do not count.
    let page = format!("<body><div>{}</div>{}", letters('a', 40), p('b', 5));
    assert_eq!(run(&page, small()).text, letters('a', 40));
}

#[test]
fn a_separator_must_have_enough_text() {
    // Inner div: 12 < 30. section: 12 + 18 = 30 ≥ 30.
    let page = |b| {
        format!(
            "<body><section><div>{}</div>{}</section>{}",
            letters('a', 12),
            p('b', b),
            p('c', 9)
        )
    };
    assert_eq!(run(&page(18), small()).winner(), Some(Tag::Section));
    // 12 + 17 = 29 < 30; body has 38.
    assert_eq!(run(&page(17), small()).winner(), Some(Tag::Body));
}

#[test]
fn the_closest_ancestor_is_the_separator() {
    // article 40 and main 40 + 9 would both do.
    let page = format!(
        "<body><main><article>{}</article>{}</main>",
        letters('a', 40),
        p('b', 9)
    );
    assert_eq!(run(&page, small()).winner(), Some(Tag::Article));
}

#[test]
fn a_separator_has_at_most_one_sibling_with_text_of_its_own() {
    let page = |third: &str| {
        format!(
            "<body><div>{}</div><div>{}</div><div>{third}</div>",
            letters('a', 40),
            letters('b', 12)
        )
    };
    // Siblings of the first div: 12 and 10 characters count, so body is next.
    assert_eq!(run(&page(&letters('c', 10)), small()).winner(), Some(Tag::Body));
    // 9 characters do not.
    assert_eq!(run(&page(&letters('c', 9)), small()).winner(), Some(Tag::Div));
    // Nor do 10 of which 4 are links: 4/10 is not below .4. With 3 of 10 it is.
    let linked = |own, linked| format!("{}{}", letters('c', own), link('d', linked));
    assert_eq!(run(&page(&linked(6, 4)), small()).winner(), Some(Tag::Div));
    assert_eq!(run(&page(&linked(7, 3)), small()).winner(), Some(Tag::Body));
}

#[test]
fn the_first_leaf_decides_and_not_the_longest() {
    // header: 30 ≥ 30, one sibling with text (the 200).
    let page = format!(
        "<body><header>{}</header><div>{}</div>",
        letters('a', 30),
        letters('b', 200)
    );
    let seen = run(&page, small());
    assert_eq!((seen.winner(), seen.text), (Some(Tag::Header), letters('a', 30)));
    // A leaf of 9 is none.
    let page = format!(
        "<body><header>{}<br>{}<br>{}<br>{}</header><div>{}</div>",
        letters('a', 9),
        letters('a', 9),
        letters('a', 9),
        letters('a', 9),
        letters('b', 200)
    );
    assert_eq!(run(&page, small()).winner(), Some(Tag::Div));
}

#[test]
fn without_a_separator_the_whole_tree_is_returned() {
    // body has 12 + 12 = 24 < 30 characters, so both leaves fail. The links stay.
    let page = format!("<body>{}<ul><li>{}</ul>", p('a', 12), link('b', 12));
    let seen = run(&page, small());
    assert_eq!(seen.winner(), None);
    assert_eq!(seen.text, format!("{}\n\n{}", letters('a', 12), letters('b', 12)));
    assert_eq!(seen.selection.score, 0.5);
    // Halved once, a leaf has 5 and a separator 15 characters: body, less its list of links.
    let seen = run(&page, Nce { halvings: 1, ..small() });
    assert_eq!((seen.winner(), seen.text), (Some(Tag::Body), letters('a', 12)));
}

#[test]
fn without_a_long_leaf_the_whole_tree_is_returned() {
    let page = format!("<body><div>{}</div>", p('a', 9).repeat(5));
    let seen = run(&page, small());
    assert_eq!(seen.winner(), None);
    assert_eq!(seen.text, vec![letters('a', 9); 5].join("\n\n"));
}

#[test]
fn the_density_itself_is_kept() {
    let child = |own, linked| format!("<p>{}{}</p>", letters('b', own), link('c', linked));
    // 4/10 = .4 stays, 5/10 goes.
    let page = format!("<body>{}{}{}", p('a', 30), child(6, 4), child(5, 5));
    assert_eq!(run(&page, small()).text, format!("{}\n\nbbbbbbcccc", letters('a', 30)));
    let all = Nce {
        density: 1.0,
        ..small()
    };
    assert!(run(&page, all).text.ends_with("bbbbbccccc"));
}

#[test]
fn a_chinese_character_counts_as_several() {
    let page = "<body><div>今天下雨我们回家</div><ul><li><a href=x>首页</a></ul>";
    // 8 characters count as 32: a leaf, and a separator. The list's 2 count as 8 < 10, and all are links besides.
    let seen = run(page, small());
    assert_eq!(
        (seen.winner(), seen.text.as_str()),
        (Some(Tag::Div), "今天下雨我们回家")
    );
    // Counted as one each they are no leaf.
    let seen = run(
        page,
        Nce {
            cjk_chars: 1,
            ..small()
        },
    );
    assert_eq!((seen.winner(), seen.text.as_str()), (None, "今天下雨我们回家\n\n首页"));
}

#[test]
fn masked_forms_are_neither_text_nor_selected() {
    let page = format!("<body><div>{}<form>{}</form></div>", p('a', 30), p('b', 10));
    assert!(run(&page, small()).text.ends_with('b'));
    let ignoring = Nce {
        forms: Forms::Ignore,
        ..small()
    };
    assert_eq!(run(&page, ignoring).text, letters('a', 30));
}

/// Phases 1 and 2. Comments stand behind half of the text, with at most 50 characters from one to the next.
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

/// An article of 60 characters with so many comments behind it.
fn article(comments: usize) -> String {
    let comments: String = (0..comments).map(comment).collect();
    format!("<body><div>{}{comments}</div>", p('a', 60))
}

#[test]
fn three_blocks_that_look_alike_begin_the_comments() {
    // U is the children of the outer div: 60 + 3 · 18 = 114 characters. The times stand at 63, 81 and 99, behind 57.
    // The first one's block is its div, at 60.
    assert_eq!(run(&article(3), with_comments()).text, letters('a', 60));
    // Nine times from 63 on, of 60 + 9 · 18 = 222 characters: the first behind 111 stands at 117, in the fourth div.
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
fn what_stands_before_the_share_is_no_comment() {
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
fn a_block_ends_before_the_next_one_and_spares_the_article() {
    // The first time stands in the article's own div, at 60 of 60 + 5 + 2 · 15 = 95 characters. That div begins at 0,
    // before 47.5, so the block is the i alone.
    let block = |text: String, time| format!("<div>{text}<i>10:0{time}</i></div>");
    let page = format!(
        "<body><div>{}{}{}</div>",
        block(p('a', 60), 1),
        block(p('b', 10), 2),
        block(p('c', 10), 3)
    );
    assert_eq!(run(&page, with_comments()).text, letters('a', 60));
    // All in one div: the blocks are the i themselves, since the div ends behind the next one.
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
fn links_of_one_text_can_be_what_is_similar() {
    // A block has 8 + 5 characters, 5/13 = .38 of them links, so phase 1 keeps it. The links stand at 68, 81 and 94,
    // behind 49.5 of 99.
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
fn a_chain_of_similar_leaves_is_one_component_in_both_classes() {
    // Times at blocks 1 and 2, links at blocks 2 and 3, each class with two: but the leaf of block 2 is a link that
    // holds a time, so it joins both to a component of three.
    let block = |inner: &str| format!("<div>{}<a href=x>{inner}</a></div>", p('b', 8));
    let page = format!(
        "<body><div>{}{}{}{}</div>",
        p('a', 60),
        block("10:01"),
        block("10:02"),
        block("10:02")
    );
    // Three times already with Similar::Times; the links alone have two of one text.
    let by = |similar| Nce {
        similar,
        ..with_comments()
    };
    assert!(run(&page, by(Similar::Links)).text.contains("10:02"));
    assert_eq!(run(&page, by(Similar::Either)).text, letters('a', 60));
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
fn a_title_has_neither_few_nor_many_words() {
    let found = |before: &str| run(&story("", before), with_title()).text != STORY;
    assert!(found("<h1>the storm came</h1>"));
    assert!(!found("<h1>the storm</h1>"));
    assert!(found("<h1>the storm came at night and</h1>"));
    assert!(!found("<h1>the storm at the and was the</h1>"));
}

#[test]
fn a_title_stands_before_the_content() {
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

#[test]
fn odd_pages_have_defined_results() {
    for nce in [Nce::paper(), Nce::modern(), small(), with_title(), with_comments()] {
        for page in [
            "",
            "<body></body>",
            "<img src=x>",
            "<p> </p>",
            "<frameset><frame src=x></frameset>",
            "<title>Only a title of some words</title>",
        ] {
            let seen = run(page, nce);
            assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0), "{page}");
        }
        // One short text is the whole tree.
        let one = run("alone", nce);
        assert_eq!((one.text.as_str(), one.selection.score), ("alone", 1.0));
        // So are links, none of which is content.
        let links = run("<ul><li><a href=1>one</a><li><a href=2>two</a></ul>", nce);
        assert_eq!(links.selection.score, 0.0);
        // One huge text is its own separator's only child.
        let huge = "word ".repeat(400_000);
        let seen = run(&huge, nce);
        assert_eq!((seen.text.len(), seen.selection.score), (huge.len() - 1, 1.0));
        // No links at all.
        let page = format!("<body><div>{}</div>", p('a', 2000));
        let seen = run(&page, nce);
        assert_eq!((seen.text.len(), seen.selection.score), (2000, 1.0));
        for score in seen.selection.scores.iter().filter(|score| !score.is_nan()) {
            assert!((0.0..=1.0).contains(score));
        }
    }
}

#[test]
fn pages_made_to_cost_much_are_linear() {
    // Not timed: of a size that something quadratic would not finish.
    let leaves = format!("<div><i>10:01</i>{}</div>", link('b', 300)).repeat(20_000);
    let nested = format!("{}{}", "<div>".repeat(500), p('a', 300).repeat(20_000));
    let titles = "<b>one two three four".repeat(100) + &"<u>five six seven eight</u>".repeat(20_000);
    for page in [
        leaves.clone(),
        nested.clone(),
        format!("{nested}{leaves}"),
        format!("{titles}<div>{}</div>", p('a', 2000)),
    ] {
        for similar in [Similar::Times, Similar::Either] {
            let nce = Nce {
                similar,
                comments_after: 0.0,
                component: u32::MAX,
                text_chars: u32::MAX,
                halvings: 8,
                ..Nce::paper()
            };
            run(&page, nce);
            run(
                &page,
                Nce {
                    text_chars: 1000,
                    ..nce
                },
            );
        }
    }
}

#[test]
fn values_are_checked() {
    assert!(Nce::paper().check().is_ok() && Nce::modern().check().is_ok());
    for (wrong, name) in [
        (
            Nce {
                density: 1.5,
                ..small()
            },
            "density",
        ),
        (
            Nce {
                comments_after: f64::NAN,
                ..small()
            },
            "comments_after",
        ),
        (
            Nce {
                component: 1,
                ..small()
            },
            "component",
        ),
    ] {
        assert!(wrong.check().unwrap_err().contains(name));
    }
}
