//! CETD on small pages whose densities, sums, thresholds and selections were worked out by hand from the paper's
//! formulas. A comment beside each page gives the arithmetic; `C/T` is characters over tags.

use crate::support::outcome::run;
use dehusk_extract::cetd::{Density, LinkTags, TextRuns, Threshold, WithoutLinks, Zeros};
use dehusk_extract::strip::Forms;
use dehusk_extract::{Cetd, Extractor, PageContext};
use dehusk_html::{Buffers, NodeId, parse};

/// The text that is kept, its paragraphs by their first letters.
fn kept(page: &str, cetd: Cetd) -> String {
    run(page, cetd)
        .text
        .split("\n\n")
        .filter_map(|p| p.chars().find(|c| c.is_alphabetic()))
        .collect()
}

/// Density and DensitySum of the element with the class, or of the first of that name.
fn measured(page: &str, cetd: Cetd, which: &str) -> (f64, f64) {
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let view = page.view(&cetd.strip());
    let found = |id: &NodeId| dom.name(*id) == which || dom.attribute(*id, "class").is_some_and(|c| c == which);
    let id = (0..dom.len()).find(found).unwrap();
    (cetd.densities(&view).density(id), cetd.density_sums(&view).sum(id))
}

fn threshold(page: &str, cetd: Cetd) -> f64 {
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let view = page.view(&cetd.strip());
    let sums = cetd.density_sums(&view);
    cetd.densities(&view).threshold(&sums, cetd.threshold)
}

/// Where the authors' program and not the paper's words decide what a 0 becomes.
fn everywhere() -> Cetd {
    Cetd {
        zeros: Zeros::Everywhere,
        ..Cetd::cectd_ds()
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// That many characters, all of one letter, so that kept paragraphs can be distinguished.
fn text(letter: char, chars: usize) -> String {
    letter.to_string().repeat(chars)
}

fn p(letter: char, chars: usize) -> String {
    format!("<p>{}</p>", text(letter, chars))
}

/// Examples 1 and 2 of the paper.
const EXAMPLE: &str = "<body><div class=main><div class=article><div class=articleHeadline>South Korea to Hold \
                       Artillery \
                       Drills on Island</div><div class=articleBody>The announcement came as <a>Bill \
                       Richardson</a>\
                       </div></div></div></body>";

#[test]
fn example_2_to_the_digit() {
    let (text, composite) = (Cetd::cetd_ds(), everywhere());
    let expected = [
        ("body", 17.0, 44.55846161249275),
        ("main", 21.25, 51.981413775076305),
        ("article", 85.0 / 3.0, 62.91973530905892),
        ("articleHeadline", 46.0, 194.67392564051713),
        ("articleBody", 39.0, 29.573875241661945),
        ("a", 15.0, 0.0),
    ];
    for (which, td, ctd) in expected {
        assert!(near(measured(EXAMPLE, text, which).0, td), "{which}");
        let got = measured(EXAMPLE, composite, which).0;
        assert!(near(got, ctd), "{which}: {got}");
    }
    assert!(near(measured(EXAMPLE, text, "article").1, 85.0));
    assert!(near(measured(EXAMPLE, composite, "article").1, 224.24780088217906));
    // By the paper's words the factor LC stays 0 in the headline: 46 ln 46 / ln ln(15/85 · 46 + e). The others have
    // links.
    let headline = 46.0 * 46f64.ln() / (15.0 / 85.0 * 46.0 + std::f64::consts::E).ln().ln();
    assert!(near(measured(EXAMPLE, Cetd::cectd_ds(), "articleHeadline").0, headline));
    assert!(near(
        measured(EXAMPLE, Cetd::cectd_ds(), "article").0,
        62.91973530905892
    ));
    assert!(near(threshold(EXAMPLE, text), 17.0));
    assert!(near(threshold(EXAMPLE, composite), 44.55846161249275));
}

#[test]
fn the_article_of_example_1_is_marked_whole() {
    for cetd in [Cetd::cetd_ds(), Cetd::cectd_ds()] {
        let seen = run(EXAMPLE, cetd);
        // The body of the article stays, though its composite density is below the threshold.
        let ranges = &seen.selection.ranges;
        assert_eq!((ranges.len(), ranges[0].clone()), (1, 4..11));
        assert_eq!(seen.selection.winner, Some(4));
        assert!(seen.text.ends_with("The announcement came as Bill Richardson"));
        // 70 of 85 characters are outside the link.
        assert!(near(seen.selection.score, 70.0 / 85.0));
    }
}

/// Navigation, content, footer.
fn three_parts() -> String {
    format!(
        "<body><div class=nav><a href=x>nav</a><a href=x>two</a><a href=x>three</a></div><div class=main>{}{}</div>\
         <div class=foot>foot</div></body>",
        p('a', 40),
        p('b', 60)
    )
}

#[test]
fn the_tag_with_the_greatest_sum_is_content() {
    // TD: nav 11/3 = 3.67, main 100/2 = 50, foot 4/1, body 115/8 = 14.375.
    // Sums: nav 3 + 3 + 5 = 11, main 40 + 60 = 100, body 3.67 + 50 + 4 = 57.67. Threshold min(50, 14.375).
    let page = three_parts();
    assert!(near(measured(&page, Cetd::cetd_ds(), "nav").0, 11.0 / 3.0));
    assert!(near(measured(&page, Cetd::cetd_ds(), "main").1, 100.0));
    assert!(near(measured(&page, Cetd::cetd_ds(), "body").1, 54.0 + 11.0 / 3.0));
    assert!(near(threshold(&page, Cetd::cetd_ds()), 14.375));
    assert_eq!(kept(&page, Cetd::cetd_ds()), "ab");
    // A small text without any hyperlink: where LC stays 0 its base is small, so its density is above the body's.
    assert_eq!(kept(&page, Cetd::cectd_ds()), "abf");
    assert_eq!(kept(&page, everywhere()), "ab");
}

#[test]
fn lambda_moves_the_threshold() {
    // Thresholds 0, 3.594, 3.881, 14.375, 15.8: nav has 3.667, foot 4, the body 14.375.
    let with = |lambda| {
        let cetd = Cetd {
            lambda,
            ..Cetd::cetd_ds()
        };
        kept(&three_parts(), cetd)
    };
    assert_eq!(with(0.0), "nabf");
    assert_eq!(with(0.25), "nabf");
    assert_eq!(with(0.27), "abf");
    assert_eq!(with(1.0), "ab");
    // The body itself is below the threshold: the whole page is noise (5.5).
    assert_eq!(with(1.1), "");
}

#[test]
fn every_block_above_the_threshold_is_content() {
    // TD: a's div 100/2 = 50, the links 16/4 = 4, c's div 60/2 = 30, body 176/11 = 16.
    // Sums: 100, 16, 60, body 50 + 4 + 30 = 84.
    let links = "<a href=x>link</a>".repeat(4);
    let page = format!(
        "<body><div>{}{}</div><div>{links}</div><div>{}{}</div>",
        p('a', 40),
        p('b', 60),
        p('c', 30),
        p('d', 30)
    );
    assert_eq!(kept(&page, Cetd::cetd_ds()), "abcd");
    let least = |least_block| Cetd {
        least_block,
        ..Cetd::cetd_ds()
    };
    // 60 of 100.
    assert_eq!(kept(&page, least(0.6)), "abcd");
    assert_eq!(kept(&page, least(0.61)), "ab");
}

#[test]
fn the_path_lowers_the_threshold_below_the_bodys_density() {
    // TD: ul 20/20 = 1, main 300/3 = 100, second 50/1, w (20 + 300 + 50)/(21 + 4 + 2) = 13.7, body (370 + 60)/29 =
    // 14.83. Sums: main 300, w 1 + 100 + 50 = 151, body 13.7 + 60: the path is main, w, body, and its least 13.7.
    let list = format!("<ul>{}</ul>", "<li>l".repeat(20));
    let main = format!("<div class=main>{}{}{}</div>", p('a', 100), p('b', 100), p('c', 100));
    let page = format!(
        "<body><div class=w>{list}{main}<div>{}</div></div>{}",
        p('s', 50),
        p('t', 60)
    );
    assert!(near(threshold(&page, Cetd::cetd_ds()), 370.0 / 27.0));
    assert_eq!(kept(&page, Cetd::cetd_ds()), "abcst");
    // With the body's density, w is not reached; main is marked all the same, as the best tag under the body.
    let body = Cetd {
        threshold: Threshold::Body,
        ..Cetd::cetd_ds()
    };
    assert!(near(threshold(&page, body), 430.0 / 29.0));
    assert_eq!(kept(&page, body), "abct");
}

#[test]
fn kept_ancestors_keep_their_own_text() {
    // TD: main 100/2 = 50, body 111/3 = 37; sums 100 and 50.
    let page = format!("<body>Loose words<div>{}{}</div></body>", p('a', 40), p('b', 60));
    assert_eq!(kept(&page, Cetd::cetd_ds()), "Lab");
    let without = Cetd {
        ancestor_text: false,
        ..Cetd::cetd_ds()
    };
    assert_eq!(kept(&page, without), "ab");
}

#[test]
fn text_between_tags_may_count_for_the_sum() {
    // TD: text 120/2 = 60, other 40/2 = 20, body 160/6 = 26.67. Sums: text 0 for its two br, other 40, body 80.
    let lines = format!("{}<br>{}<br>{}", text('a', 40), text('a', 40), text('a', 40));
    let page = format!(
        "<body><div class=text>{lines}</div><div>{}{}</div>",
        p('b', 20),
        p('c', 20)
    );
    let paper = Cetd::cetd_ds();
    assert_eq!(measured(&page, paper, "text"), (60.0, 0.0));
    assert_eq!(kept(&page, paper), "abc");
    // Counted, the three runs make 120, and the other division is below 26.67.
    assert_eq!(measured(&page, paper.code(), "text"), (60.0, 120.0));
    assert_eq!(kept(&page, paper.code()), "a");
}

#[test]
fn runs_have_a_composite_density() {
    // r = 10/90. A run of 40: 40 ln 40 / ln ln(40 r + e) = 217.8032; as a tag, 1 more under the logarithm: 198.9321.
    let page = format!(
        "<body><div class=text>{}<br>{}</div><a href=x>0123456789</a>",
        text('x', 40),
        text('y', 40)
    );
    let with = |text_runs| Cetd {
        text_runs,
        ..everywhere()
    };
    assert!(near(measured(&page, with(TextRuns::Ignored), "text").1, 0.0));
    assert!(near(
        measured(&page, with(TextRuns::Code), "text").1,
        2.0 * 217.8031772661025
    ));
    assert!(near(
        measured(&page, with(TextRuns::Tag), "text").1,
        2.0 * 198.9320779045374
    ));
    // A script or a comment between two texts does not part them: one run of 80.
    let joined = page.replace("<br>", "<script>x</script><!-- x -->");
    let cetd = Cetd {
        text_runs: TextRuns::Code,
        ..Cetd::cetd_ds()
    };
    assert_eq!(measured(&joined, cetd, "body").1, 80.0 + 10.0);
}

#[test]
fn runs_of_one_character_and_pages_without_links_stay_finite() {
    let page = "<body><div>a<br>b<br>long enough</div>";
    for zeros in [Zeros::Everywhere, Zeros::Denominators] {
        let cetd = Cetd {
            zeros,
            without_links: WithoutLinks::Scored,
            ..Cetd::cectd_ds().code()
        };
        let (density, sum) = measured(page, cetd, "div");
        assert!(density.is_finite() && sum.is_finite(), "{density} {sum}");
        // The base is 1 where zero stays zero; the density is then that of the text, 13/2, and the run's 11.
        if zeros == Zeros::Denominators {
            assert!(near(density, 6.5) && near(sum, 1.0 * 0.0 + 11.0), "{density} {sum}");
        }
    }
}

#[test]
fn buttons_and_lists_are_hyperlinks() {
    // C 20, T 1, LC 10, LT 1, r = 1/2: base ln(20/10·10 + 10 + e) = 3.4879, argument 2: 20 ln 2 / ln 3.4879.
    for control in [
        "<button>0123456789</button>",
        "<a href=x>0123456789</a>",
        "<select>0123456789</select>",
    ] {
        let page = format!("<body><p>{}{control}</p>", text('x', 10));
        let (density, _) = measured(&page, Cetd::cectd_ds(), "p");
        assert!(near(density, 11.0964838448321), "{control}: {density}");
    }
    let page = format!("<body><p>{}<label>0123456789</label></p>", text('x', 10));
    // Without any hyperlink the base is 1, and the density that of the text.
    assert_eq!(measured(&page, Cetd::cectd_ds(), "p").0, 20.0);
    // An `input` has no text, but one that is a button is a hyperlink tag: LT 1 of T 2 (1 if it were none), LC 1.
    let density = |kind: &str| {
        let page = format!("<body><p>{}<input{kind}><b>y</b></p><a href=x>z</a>", text('x', 10));
        measured(&page, Cetd::cectd_ds(), "p").0
    };
    for button in [" type=submit", " type=reset", " type=BUTTON", " TYPE=' image '"] {
        assert!(
            density(button) > 0.0 && near(density(button), density(" type=submit")),
            "{button}"
        );
        assert_eq!(density(button), density(" type=submit"));
    }
    for field in ["", " type=text", " type=search"] {
        assert_eq!(density(field), density(" type=hidden"), "{field}");
    }
    let two = format!(
        "<body><p>{}<input type=submit><input type=submit><b>y</b></p><a href=x>z</a>",
        text('x', 10)
    );
    let none = two.replace("submit", "text");
    assert!(measured(&two, Cetd::cectd_ds(), "p").0 < measured(&none, Cetd::cectd_ds(), "p").0);
}

#[test]
fn containers_of_links_may_count_as_hyperlink_tags() {
    // ul: C = LC = 6, T 4, LT 2, r = 1: 6/4 · ln 2 / ln ln(6·6 + 6 + e) = 0.7788; with its li counted LT is 4, and log
    // 1 = 0.
    let page = "<body><ul><li><a href=x>one</a><li><a href=x>two</a></ul>";
    assert!(near(measured(page, Cetd::cectd_ds(), "ul").0, 0.7787577340136707));
    let containers = Cetd {
        link_tags: LinkTags::Containers,
        ..Cetd::cectd_ds()
    };
    assert_eq!(measured(page, containers, "ul").0, 0.0);
    // Anything inside a link counts as inside; a text of its own makes an item an item.
    let page = "<body><ul><li><a href=x><b>one</b></a><li>x <a href=x>two</a></ul>";
    let lt_1 = measured(page, containers, "ul").0;
    // C 7, LC 6, T 5, LT 3 (two links, the first item), r = 6/7.
    let base = (7.0 / 1.0 * 6.0 + 6.0 + std::f64::consts::E).ln();
    let by_hand = 7.0 / 5.0 * (7.0 / 6.0 * 5.0 / 3.0_f64).ln() / base.ln();
    assert!(near(lt_1, by_hand), "{lt_1} {by_hand}");
}

#[test]
fn smoothing_saves_a_short_paragraph() {
    // TD: 40, 4, 40, ul 6/6 = 1, body 90/10 = 9. Smoothed: (2·40 + 4)/3 = 28, (40 + 2·4 + 40)/4 = 22,
    // (4 + 2·40 + 1)/4 = 21.25, ul (40 + 2·1)/3 = 14; li and a have 2, below 9.
    let list = format!("<ul>{}</ul>", "<li><a href=x>ll</a>".repeat(3));
    let page = format!("<body>{}{}{}{list}", p('a', 40), p('b', 4), p('c', 40));
    let cetd = Cetd {
        density: Density::Text,
        ..Cetd::cectd_s()
    };
    let seen = run(&page, cetd);
    let expected = [(0, 9.0), (1, 28.0), (3, 22.0), (5, 21.25), (7, 14.0), (8, 2.0)];
    for (i, smoothed) in expected {
        assert_eq!(
            seen.selection.score_of(seen.selection.scored_from + i),
            Some(smoothed),
            "{i}"
        );
    }
    assert_eq!(kept(&page, cetd), "abc");
    assert_eq!(seen.selection.winner, None);
    // 2.44 times the body's 9 is 21.96, 3 times 27.
    assert_eq!(kept(&page, Cetd { lambda: 2.44, ..cetd }), "ab");
    assert_eq!(kept(&page, Cetd { lambda: 3.0, ..cetd }), "a");
    assert_eq!(kept(&page, Cetd { lambda: 0.0, ..cetd }), "abcl");
}

#[test]
fn a_page_without_links_has_no_noise() {
    // As any page, CECTD-DS leaves the foot out; but the paper gives a page without hyperlinks infinite density.
    let page = three_parts().replace("<a href=x>", "<b>").replace("</a>", "</b>");
    assert_eq!(kept(&page, Cetd::cectd_ds()), "nabf");
    assert_eq!(kept(&page, Cetd::cectd_s()), "nabf");
    let scored = Cetd {
        without_links: WithoutLinks::Scored,
        ..Cetd::cectd_ds()
    };
    assert_eq!(kept(&page, scored), "ab");
    // Text density knows of no hyperlinks.
    assert_eq!(kept(&page, Cetd::cetd_ds()), "ab");
    assert_eq!(run(&page, Cetd::cectd_ds()).selection.score, 1.0);
}

#[test]
fn hidden_elements_may_be_removed() {
    // TD: main 100/2 = 50, the disclaimer 200/1, body 302/5. The body has the greatest sum: 50 + 200 + 2.
    let page = format!(
        "<body><div>{}{}</div><div style='display: none'>{}</div><a href=x>go</a>",
        p('a', 40),
        p('b', 60),
        text('d', 200)
    );
    assert_eq!(kept(&page, Cetd::cetd_ds()), "abdg");
    // Without it: body 102/4 = 25.5, sums 52 and 100; the link has 2.
    let hidden = Cetd {
        hidden: true,
        ..Cetd::cetd_ds()
    };
    assert_eq!(kept(&page, hidden), "ab");
}

#[test]
fn fields_stay_unless_forms_are_ignored() {
    let page = format!("<body>{}<textarea>typed</textarea>", p('a', 40));
    let with = |forms| Cetd {
        forms,
        lambda: 0.0,
        ..Cetd::cetd_ds()
    };
    assert_eq!(run(&page, with(Forms::Keep)).text.split_whitespace().count(), 2);
    assert_eq!(kept(&page, with(Forms::Ignore)), "a");
}

#[test]
fn the_structure_of_what_is_kept_comes_out() {
    // TD: both items' div 40/1 = 40 and more, the links' 3/1; body 87/7; ul 87/6. Sums: body 14.5, ul 40 + 3 + 44,
    // so the list wins, whole.
    let item = |letter, chars| format!("<li>{}</li>", text(letter, chars));
    let page = format!(
        "<body><h1>T</h1><ul class=x onclick=y>{}<li><a href='/x'>one</a></li>{}</ul>",
        item('a', 40),
        item('b', 44)
    );
    let seen = run(&page, Cetd::cetd_ds());
    let (a, b) = (text('a', 40), text('b', 44));
    assert_eq!(
        seen.xhtml,
        format!("<ul class=\"x\"><li>{a}</li><li><a href=\"/x\">one</a></li><li>{b}</li></ul>")
    );
    // By density alone the link goes, and what is left is still one list. TD: li 40, 3, 44, ul 87/4 = 21.75, h1 1,
    // body 88/6 = 14.67. Smoothed: li (80 + 3)/3 = 27.67, (40 + 6 + 44)/4 = 22.5, (3 + 88)/3 = 30.33; a 3.
    let cetd = Cetd {
        density: Density::Text,
        ..Cetd::cectd_s()
    };
    assert_eq!(
        run(&format!("<body><div>{}</div>", &page[6..]), cetd).xhtml,
        format!("<div><ul class=\"x\"><li>{a}</li> <li>{b}</li></ul></div>")
    );
    // Pieces of two lists are pieces of two lists.
    let two = page.replace("<h1>T</h1>", &format!("<ol>{}</ol>", item('c', 40)));
    assert_eq!(
        run(&two, cetd).xhtml,
        format!(
            "<ol><li>{}</li></ol><ul class=\"x\"><li>{a}</li> <li>{b}</li></ul>",
            text('c', 40)
        )
    );
}
