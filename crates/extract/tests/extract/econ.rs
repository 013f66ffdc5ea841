//! ECON on small pages whose punctuation and selections were counted by hand.

use crate::support::documented;
use crate::support::outcome::{WORDLESS, run};
use dehusk_extract::Econ;
use dehusk_extract::econ::{BareText, Marks};
use dehusk_extract::strip::Forms;
use dehusk_html::Tag;

fn paper(page: &str) -> String {
    run(page, Econ::paper()).text
}

/// An article's paragraphs among noise without periods or commas.
const TRAIL: &str = "<body><div><table><tr><td><a href=1>Home</a></table><p>Short piece one</p><p>Short, two.</p>\
                     <div><img src=x></div><p>First sentence, with comma. Second.</p></div>\
                     <div><a href=2>Copyright</a></div>";

#[test]
fn backtracking_ends_where_no_mark_is_added() {
    // Sets under the first div: {p, p} with 2 marks and 15 + 11 characters, {p} with 3 marks and 35 characters. The
    // latter is the longest: 3 → div 5 → body 5, distances 2 and 0, so the div is the summary-node. The a in the table
    // and the one below are sets without marks, and pruned.
    let seen = run(TRAIL, Econ::paper());
    assert_eq!(seen.winner(), Some(Tag::Div));
    assert_eq!(
        seen.text,
        "Short piece one\n\nShort, two.\n\nFirst sentence, with comma. Second."
    );
    // Scores are shares of the page's 5 marks.
    assert_eq!(seen.selection.score, 1.0);
    assert_eq!(seen.score(Tag::P), Some(0.0));
    assert_eq!(seen.score(Tag::A), Some(0.0));
}

#[test]
fn joint_para_merges_neighbours_and_prunes_noise() {
    // ul, p, p, ul: from either p the text-para is both. Without a mark both are pruned, and so are the li.
    let page = |second: &str| {
        format!(
            "<body><section><ul><li>x</ul><p>Follow us</p><p>{second}</p><ul><li>y</ul></section>\
             <article><p>Long enough, it would seem.</p></article>"
        )
    };
    // article: p 2 marks → article 2: distance 0. The p is the summary-node.
    assert_eq!(paper(&page("on our pages")), "Long enough, it would seem.");
    // With a mark they are kept. Longest: {p} of 27 against 9 + 17 = 26. But p 2 → article 2 still ends it.
    assert_eq!(paper(&page("on our own pages.")), "Long enough, it would seem.");
    // 9 + 19 = 28 > 27: the pair has the longest text-para. From its first p: 0 → section 1 → body 3.
    assert_eq!(
        paper(&page("on our other pages.")),
        "Follow us\n\non our other pages.\n\nLong enough, it would seem."
    );
}

#[test]
fn a_headline_beside_the_text_is_in_its_set() {
    let page = "<body><div><h1>A headline</h1><p>Some text, and more.</p></div><p>Next page</p>";
    // Set {h1, p}: 2 marks. From h1: 0 → div 2 → body 2. The last p is beside a div that is no big-node: a set of
    // its own without marks.
    assert_eq!(paper(page), "A headline\n\nSome text, and more.");
    // A div with a text of its own is a big-node like any other.
    let page = "<body><div>A headline</div><div>Some text, and more.</div><ul><li>Next page</ul>";
    assert_eq!(paper(page), "A headline\n\nSome text, and more.");
}

#[test]
fn a_wrapper_ends_the_backtracking_unless_it_is_skipped() {
    let page = "<body><section><div><p>The first sentence, rather long.</p></div></section>\
                <section><div><p>The second, short.</p></div></section>";
    // p 2 → div 2.
    let seen = run(page, Econ::paper());
    assert_eq!(
        (seen.winner(), seen.text.as_str()),
        (Some(Tag::P), "The first sentence, rather long.")
    );
    assert_eq!(seen.selection.score, 0.5);
    // div and section add no text; body adds 2 marks.
    let skipping = Econ {
        skip_wrappers: true,
        ..Econ::paper()
    };
    assert_eq!(run(page, skipping).winner(), Some(Tag::Body));
    // A father that adds text without marks ends it all the same, although that text is pruned.
    let noise = page.replacen("</div>", "</div><b>Share</b>", 1);
    assert_eq!(run(&noise, skipping).text, "The first sentence, rather long.");
}

#[test]
fn the_first_distance_of_0_is_the_last_step() {
    // p 2 → div 2, although the section would add 2 more.
    let page = "<body><section><div><ul><li>Menu</ul><p>One sentence, and so on.</p></div>\
                <div><p>Two, then.</p></div></section>";
    assert_eq!(paper(page), "One sentence, and so on.");
}

#[test]
fn a_link_in_a_sentence_is_pruned_or_stays_with_it() {
    let page = "<body><div><p>See <a href=x>the report</a> first, then read on.</p></div>";
    // {p} has 2 marks. Inside, {a} has none. p 2 → div 2.
    assert_eq!(paper(page), "See first, then read on.");
    let joined = Econ {
        bare_text: BareText::Joined,
        ..Econ::paper()
    };
    assert_eq!(run(page, joined).text, "See the report first, then read on.");
    // Where the whole sentence has no mark, the set is pruned, and with it the p.
    let page = "<body><div><p>See <a href=x>the report</a></p></div><div><p>Some text, here.</p></div>";
    assert_eq!(run(page, joined).text, "Some text, here.");
}

#[test]
fn texts_between_elements_do_not_split_a_set() {
    // <b>one</b> text <b>two.</b> text: {b, b} has 1 mark, so the first b is not pruned.
    let page = "<body><div><b>one</b> and <b>two.</b> and <i>three</i> then, <ul><li>four</ul><u>five</u></div>";
    // {u} has none. {li} has none. div: the father of a text, 2 marks.
    assert_eq!(paper(page), "one and two. and three then,");
}

#[test]
fn line_breaks_are_no_noise() {
    let page = "<body><div>First line, it is.<br><br>Second line.<br>Third line.</div>";
    assert_eq!(paper(page), "First line, it is.\n\nSecond line.\nThird line.");
}

#[test]
fn the_text_para_is_the_text_of_whole_subtrees() {
    // {td}: the cell has a text of its own, 6 characters, and holds the p: 6 + 12 > 15.
    let page = "<body><table><tr><td>Intro:<p>Short, it is</p></td></tr></table><div><p>This is longer.</p></div>";
    // td 1 → tr 1: distance 0.
    let seen = run(page, Econ::paper());
    assert_eq!(
        (seen.winner(), seen.text.as_str()),
        (Some(Tag::Td), "Intro:\n\nShort, it is")
    );
}

#[test]
fn of_equal_text_paras_the_first_counts() {
    let page = "<body><div><p>Same long, one.</p></div><div><p>Same long, two.</p></div>";
    assert_eq!(paper(page), "Same long, one.");
}

#[test]
fn marks_of_all_the_papers_languages_count() {
    // Each text is beside a longer one without a mark, which is pruned.
    for text in [
        "One, two.",
        "Eins, zwei.",
        "Un, deux.",
        "Uno, due.",
        "Um, dois.",
        "Uno, dos.",
        "Раз, два.",
        "一つ、二つ。",
        "一，二。",
        "واحد، اثنان.",
        "一つ二つ．",
    ] {
        let page = format!("<body><div><p>A long text of the navigation</p></div><div><p>{text}</p></div>");
        assert_eq!(paper(&page), text);
    }
    // Others do not.
    for text in ["One; two!", "一つ、二つ", "¿Uno? ¡Dos!", "Один – два"] {
        assert_eq!(paper(&format!("<p>{text}</p>")), "", "{text}");
    }
}

#[test]
fn closing_marks_are_those_with_no_letter_or_digit_after_them() {
    let page = "<body><div><p>Version 3.14 at example.com for 1,200 people</p></div><div><p>A text, of old.</p></div>";
    // All: 3 marks against 2, and the longer text.
    assert!(paper(page).starts_with("Version"));
    let closing = Econ {
        marks: Marks::Closing,
        ..Econ::paper()
    };
    assert_eq!(run(page, closing).text, "A text, of old.");
    // Before a quote, a bracket, a reference or the end they close.
    for text in [
        "He said “no.”",
        "(It is so.)",
        "So.&nbsp;Then",
        "And,",
        "日。本",
        "本.”",
    ] {
        assert_eq!(
            run(&format!("<p>{text}</p>"), closing).text,
            text.replace("&nbsp;", " ")
        );
    }
}

#[test]
fn marks_in_links_may_be_left_out() {
    let page = "<body><div><p>A text, of old.</p></div><ul><li><a href=x>A teaser, long and with marks.</a></ul>";
    assert_eq!(paper(page), "- A teaser, long and with marks.");
    for marks in [Marks::All, Marks::Closing] {
        let unlinked = Econ {
            linked_marks: false,
            marks,
            ..Econ::paper()
        };
        assert_eq!(run(page, unlinked).text, "A text, of old.");
    }
}

#[test]
fn what_is_masked_is_not_there() {
    // The script between the two p parts no set, and its commas are none.
    let page =
        "<body><div><p>Some words</p><script>f(a, b, c).d(e, f).g(h, i)</script><p>and, then.</p></div><ul></ul>";
    assert_eq!(paper(page), "Some words\n\nand, then.");
    let page = "<body><div><p>Some text, here.</p></div><form><p>A long sentence, in a form, it is.</p></form>";
    assert_eq!(paper(page), "A long sentence, in a form, it is.");
    let ignoring = Econ {
        forms: Forms::Ignore,
        ..Econ::paper()
    };
    assert_eq!(run(page, ignoring).text, "Some text, here.");
}

#[test]
fn what_is_left_around_pruned_nodes_keeps_its_order_and_gaps() {
    let page = "<body><div><p>One, two.</p><div><span><b>Share</b></span></div><p>Three <i>four</i> five,<em>six</em>\
                seven.</p><div><ul><li>More<li>Less</ul></div><p>Eight.</p></div>";
    // Pruned: b; i and em, one set with no mark; the li. All p are in sets with marks; the div adds to each.
    assert_eq!(paper(page), "One, two.\n\nThree five, seven.\n\nEight.");
}

#[test]
fn odd_pages_have_defined_results() {
    let econs = [Econ::paper(), Econ::modern()];
    for econ in econs {
        for page in WORDLESS.into_iter().chain(["<title>A title, it is.</title>"]) {
            let seen = run(page, econ);
            assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0), "{page}");
        }
        // A mark alone is a text-para without a word.
        assert_eq!(run(".", econ).text, ".");
        let one = run("alone.", econ);
        assert_eq!((one.text.as_str(), one.selection.score), ("alone.", 1.0));
        let huge = "word, ".repeat(400_000);
        let seen = run(&huge, econ);
        assert_eq!((seen.text.len(), seen.selection.score), (huge.len() - 1, 1.0));
    }
    // Without a mark there is no snippet-node: nothing, or the whole page, and in both cases no score.
    let links = "<ul><li><a href=1>one</a><li><a href=2>two</a></ul>";
    for (page, whole) in [("alone", "alone"), (links, "- one\n- two")] {
        let seen = run(page, Econ::paper());
        assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0));
        let seen = run(page, Econ::modern());
        assert_eq!((seen.text.as_str(), seen.selection.score), (whole, 0.0));
        assert!(seen.selection.scores.iter().all(|score| score.is_nan()));
    }
}

#[test]
fn pages_made_to_cost_much_are_linear() {
    // Not timed: of a size that something quadratic would not finish.
    let flat = "<p>a, b</p><b>c</b><ul></ul>".repeat(60_000);
    let deep = format!(
        "{}{}",
        "<div>x".repeat(500),
        "<i>a.</i><b>b</b><u><s>c</s></u>".repeat(60_000)
    );
    for page in [flat.clone(), deep.clone(), format!("{flat}{deep}{flat}")] {
        for econ in [Econ::paper(), Econ::modern()] {
            let seen = run(&page, econ);
            assert!(seen.selection.ranges.is_sorted_by(|a, b| a.end <= b.start));
        }
    }
}

#[test]
fn every_parameter_is_in_the_documentation_with_its_values() {
    let page = include_str!("../../../../docs/extractors/econ.md");
    documented::assert_parameters(page, "ECON", Econ::paper(), Econ::modern());
}
