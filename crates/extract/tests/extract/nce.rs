//! NCE on small pages whose counts and selections were worked out by hand.
//!
//! Texts are runs of one letter, so that a text's length is its number of characters: `letters('a', 20)` is 20
//! characters and one word. Sizes are small (a leaf of 10, a separator of 30, siblings of 10), ratios .4.

use crate::support::documented;
use crate::support::nce::{letters, link, p, small};
use crate::support::outcome::{WORDLESS, run};
use dehusk_extract::nce::Similar;
use dehusk_extract::strip::Forms;
use dehusk_extract::{Extractor, Nce};
use dehusk_html::Tag;

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
    assert_eq!(seen.text, format!("{}\n\n- {}", letters('a', 12), letters('b', 12)));
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
    assert_eq!(
        (seen.winner(), seen.text.as_str()),
        (None, "今天下雨我们回家\n\n- 首页")
    );
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

#[test]
fn odd_pages_have_defined_results() {
    let all = Nce {
        comments: true,
        title: true,
        ..small()
    };
    for nce in [Nce::paper(), Nce::modern(), small(), all] {
        for page in WORDLESS
            .into_iter()
            .chain(["<title>Only a title of some words</title>"])
        {
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
        assert!(wrong.check().unwrap_err().to_string().contains(name));
    }
}

#[test]
fn every_parameter_is_in_the_documentation_with_its_values() {
    let page = include_str!("../../../../docs/extractors/nce.md");
    documented::assert_parameters(page, "NCE", Nce::paper(), Nce::modern());
}
