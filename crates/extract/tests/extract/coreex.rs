//! CoreEx on small pages whose counts, scores and selections were worked out by hand from the paper's formulas.

use crate::support::outcome::{WORDLESS, run};
use dehusk_extract::CoreEx;
use dehusk_extract::coreex::{LinkNode, PageText, Scoring};
use dehusk_extract::strip::Forms;
use dehusk_extract::titles::TitleMatch;
use dehusk_html::Tag;

/// Two decimals more than the examples give.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The paper's values, the total text counted as the examples count it.
fn counted() -> CoreEx {
    CoreEx {
        page_text: PageText::Counted,
        ..CoreEx::paper()
    }
}

/// A paragraph with a link, a note, a list: the running example of figures 3 to 6.
const EXAMPLE: &str = "<body><p>A paragraph <a href=x>with a link</a></p><b>Note:</b>\
                       <ul><li>First item</li><li>Second item</li></ul>";

#[test]
fn basic_scores_are_the_ratio_of_text_to_links() {
    let basic = CoreEx {
        scoring: Scoring::Basic,
        subset: false,
        ..counted()
    };
    let seen = run(EXAMPLE, basic);
    assert!(near(seen.score(Tag::P).unwrap(), 2.0 / 3.0));
    assert!(near(seen.score(Tag::Body).unwrap(), 0.875));
    assert!(near(seen.score(Tag::B).unwrap(), 1.0));
    assert!(near(seen.score(Tag::Ul).unwrap(), 1.0));
}

#[test]
fn weighted_scores_prefer_the_list() {
    let seen = run(
        EXAMPLE,
        CoreEx {
            subset: false,
            ..counted()
        },
    );
    assert!(near(seen.score(Tag::Ul).unwrap(), 0.995));
    assert!(near(seen.score(Tag::B).unwrap(), 0.99125));
    assert!(near(seen.score(Tag::Body).unwrap(), 0.87625));
    assert_eq!(seen.winner(), Some(Tag::Ul));
    assert_eq!(seen.text, "- First item\n- Second item");
}

#[test]
fn subset_selection_takes_the_children_above_the_threshold() {
    let seen = run(EXAMPLE, counted());
    assert_eq!(seen.winner(), Some(Tag::Body));
    assert_eq!(seen.text, "Note:\n\n- First item\n- Second item");
    // S = {b, ul}: 5 of 8, no links.
    assert!(near(seen.score(Tag::Body).unwrap(), 0.99 + 0.01 * 5.0 / 8.0));
    assert!(near(seen.selection.score, seen.score(Tag::Body).unwrap()));
}

#[test]
fn all_words_of_the_body_are_the_papers_total() {
    let seen = run(
        EXAMPLE,
        CoreEx {
            subset: false,
            ..CoreEx::paper()
        },
    );
    // 2 + 3 + 1 + 4 words.
    assert!(near(seen.score(Tag::Ul).unwrap(), 0.99 + 0.01 * 4.0 / 10.0));
}

/// Text, advertisement, text, advertisement, text under one element: figure 7.
fn figure_7() -> String {
    let words = |from: usize| (from..from + 20).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
    let ad = "<div class=ad><a href=1>buy</a><a href=2>now</a></div>";
    format!("<div>{}{ad}{}{ad}{}</div>", words(0), words(20), words(40))
}

#[test]
fn without_subsets_content_around_advertisements_is_lost() {
    let page = figure_7();
    let seen = run(
        &page,
        CoreEx {
            subset: false,
            ..counted()
        },
    );
    assert_eq!(seen.winner(), Some(Tag::Text));
    assert!(seen.text.starts_with("w0 ") && seen.text.ends_with(" w19"));
}

#[test]
fn subsets_leave_the_advertisements_out() {
    let page = figure_7();
    let seen = run(&page, counted());
    assert_eq!(seen.selection.ranges.len(), 3);
    assert!(seen.text.starts_with("w0 ") && seen.text.ends_with(" w59") && !seen.text.contains("buy"));
}

#[test]
fn the_threshold_must_be_exceeded() {
    // 9 words and a link: 9/10 is not above .9; 10 words and a link are.
    let below = "<p>a b c d e f g h i <a href=x>link</a></p>";
    let above = "<p>a b c d e f g h i j <a href=x>link</a></p>".repeat(3);
    let links = "<a href=1>1</a>".repeat(6);
    let page = format!("<div>{below}{above}{links}</div>");
    let seen = run(
        &page,
        CoreEx {
            weight_ratio: 0.5,
            ..counted()
        },
    );
    assert_eq!(seen.text, ["a b c d e f g h i j link"; 3].join("\n\n"));
}

#[test]
fn of_equal_scores_the_higher_node_wins_then_the_first() {
    let basic = CoreEx {
        scoring: Scoring::Basic,
        subset: false,
        ..counted()
    };
    let seen = run("<body><div><p>one two</p></div><div><p>three four</p></div>", basic);
    assert_eq!(seen.winner(), Some(Tag::Body));
    let seen = run(
        "<body><a href=x>link</a><div><p>one two</p></div><div><p>three four</p></div>",
        basic,
    );
    assert_eq!((seen.winner(), seen.text.as_str()), (Some(Tag::Div), "one two"));
}

#[test]
fn images_under_links_are_links_and_others_are_nothing() {
    let page = "<body><p>one two three <a href=x><img src=y><img src=z></a><img src=w></p>";
    let terminal = CoreEx {
        scoring: Scoring::Basic,
        subset: false,
        ..counted()
    };
    assert!(near(run(page, terminal).score(Tag::P).unwrap(), 3.0 / 5.0));
    let anchor = CoreEx {
        link_node: LinkNode::Anchor,
        ..terminal
    };
    assert!(near(run(page, anchor).score(Tag::P).unwrap(), 3.0 / 4.0));
}

#[test]
fn forms_are_ignored_kept_or_judged_by_size() {
    let page = "<body><form><p>one two three four five six</p><select><option>seven</select></form><p>eight nine</p>";
    let with = |forms| run(page, CoreEx { forms, ..counted() }).text;
    assert_eq!(with(Forms::Ignore), "eight nine");
    assert_eq!(with(Forms::Keep), "one two three four five six\n\nseven\n\neight nine");
    assert_eq!(with(Forms::IgnoreSmall), "one two three four five six\n\neight nine");
}

#[test]
fn kept_scripts_count_as_text() {
    let page = "<body><p>one two three</p><script>var a = b + c + d + e + f + g;</script>";
    let seen = run(
        page,
        CoreEx {
            scripts: false,
            ..counted()
        },
    );
    assert!(seen.text.contains("var a"), "{}", seen.text);
    assert_eq!(run(page, counted()).text, "one two three");
}

#[test]
fn the_first_header_before_the_selections_parent_is_included() {
    // The selected node is the div, its parent the section, whose siblings before are looked at.
    let page = "<body><h2>Far</h2><h1>Near title</h1><p><a href=1>x</a></p><section><div><p>one two three four five</p>\
                <p>six seven eight</p></div><ul><li><a href=1>x</a><li><a href=2>y</a></ul></section><h3>After</h3>";
    let with = CoreEx {
        sibling_header: true,
        subset: false,
        scoring: Scoring::Weighted,
        weight_ratio: 0.99,
        ..counted()
    };
    assert_eq!(
        run(page, with).text,
        "Near title\n\none two three four five\n\nsix seven eight"
    );
    let without = CoreEx {
        sibling_header: false,
        ..with
    };
    assert_eq!(run(page, without).text, "one two three four five\n\nsix seven eight");
}

/// The nearest header with text: an empty one means nothing, and neither does one whose text is masked.
#[test]
fn a_header_without_text_is_passed_over() {
    let page = "<body><h1>Near title</h1><h2> </h2><h2><form><b>Subscribe</b></form></h2><section><div><p>one two \
                three four \
                five</p><p>six seven eight</p></div><ul><li><a href=1>x</a><li><a href=2>y</a></ul></section>";
    let coreex = CoreEx {
        sibling_header: true,
        subset: false,
        scoring: Scoring::Weighted,
        weight_ratio: 0.99,
        ..counted()
    };
    let text = run(page, coreex).text;
    assert_eq!(text, "Near title\n\none two three four five\n\nsix seven eight");
}

/// Emphasis in a headline cuts its text into several.
#[test]
fn a_title_in_several_inline_elements_is_found() {
    let page = "<title>The real headline of today | Site</title><body><div><p>The <b>real</b> <i>headline</i> of \
        today</p><a                 href=1>Home</a></div><div><p>one two three four five six seven</p><p>eight nine \
        ten</p></div>";
    let coreex = CoreEx {
        title_match: TitleMatch::Part,
        subset: false,
        ..counted()
    };
    let text = run(page, coreex).text;
    assert_eq!(
        text,
        "The real headline of today\n\none two three four five six seven\n\neight nine ten"
    );
}

#[test]
fn a_node_with_the_titles_text_is_included() {
    let body = "<body><div><h1>A walk by the sea</h1><a href=1>Home</a></div><div><p>one two three four five six \
                seven</p><p>eight nine ten</p></div>";
    let page = |title: &str| format!("<title>{title}</title>{body}");
    let run = |title: &str, title_match| {
        let coreex = CoreEx {
            title_match,
            subset: false,
            ..counted()
        };
        run(&page(title), coreex).text.starts_with("A walk by the sea\n\none")
    };
    assert!(run("A walk by  the Sea", TitleMatch::Exact));
    assert!(!run("A walk by the sea | The Shore", TitleMatch::Exact));
    assert!(run("A walk by the sea | The Shore", TitleMatch::Part));
    assert!(run("The Shore » A walk by the sea", TitleMatch::Part));
    assert!(!run("A walk by the seaside", TitleMatch::Part));
    assert!(!run("A walk by the sea", TitleMatch::None));
}

#[test]
fn pages_without_words_or_with_only_links_have_defined_results() {
    for page in WORDLESS {
        for coreex in [CoreEx::paper(), CoreEx::modern()] {
            let seen = run(page, coreex);
            assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0), "{page}");
        }
    }
    let links = run("<ul><li><a href=1>one</a><li><a href=2>two</a></ul>", CoreEx::paper());
    assert!(
        links.selection.score.is_finite() && links.text.is_empty(),
        "{}",
        links.text
    );
    let one = run("alone", CoreEx::paper());
    assert_eq!((one.text.as_str(), one.selection.score), ("alone", 1.0));
}

#[test]
fn texts_in_templates_and_styles_are_never_content() {
    let page = "<body><template><p>never seen at all</p></template><style>p { color: red }</style><p>seen</p>";
    assert_eq!(
        run(
            page,
            CoreEx {
                scripts: false,
                forms: Forms::Keep,
                ..counted()
            }
        )
        .text,
        "seen"
    );
}
