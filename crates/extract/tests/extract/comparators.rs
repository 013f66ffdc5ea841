//! The methods that the papers compare with, on small pages that were worked out by hand.

use crate::support::outcome::{WORDLESS, run};
use dehusk_extract::comparators::tag_ratios::Lines;
use dehusk_extract::comparators::{Bte, Ccb, Cetr, Dsc, FeatureExtractor, LinkQuota};
use dehusk_extract::{COMPARATORS, Extractor, PRESETS, PageContext, Preset, registry};
use dehusk_html::{Buffers, parse};

fn text(page: &str, extractor: impl Extractor) -> String {
    run(page, extractor).text
}

/// A menu, an article of two paragraphs, and a footer.
const PAGE: &str = "<body><ul><li><a href=1>Home</a></li><li><a href=2>News</a></li></ul><div><p>The ferry was late \
                    again \
                    today.</p><p>It came at noon and left at one.</p></div><p><a href=3>Contact us</a></p></body>";

#[test]
fn they_are_out_of_the_list_of_presets() {
    let names = ["bte", "dsc", "lqf", "crunch-links", "fe", "kfe", "ccb", "cetr"];
    assert_eq!(COMPARATORS, names);
    assert!(COMPARATORS.iter().all(|name| !PRESETS.contains(name)));
    for name in names {
        let preset = registry::preset(name).unwrap();
        assert_eq!((preset.name.as_str(), preset.base()), (name, Some(name)));
    }
}

#[test]
fn nothing_is_kept_where_there_are_no_words() {
    for page in WORDLESS {
        for name in COMPARATORS {
            let extractor = registry::preset(name).unwrap().extractor;
            let dom = parse(page, Buffers::default());
            let selection = extractor.extract(&PageContext::new(&dom, ""));
            assert_eq!((selection.ranges.len(), selection.score), (0, 0.0), "{name}: {page}");
        }
    }
}

#[test]
fn bte_keeps_one_region() {
    // The paragraphs are worth 6 words, less 2 tags, and 8 words more. Before them is a word less 5 tags, after them
    // are 2 words less 4 tags.
    assert_eq!(
        text(PAGE, Bte::default()),
        "The ferry was late again today.\n\nIt came at noon and left at one."
    );
    // The part between two long texts is kept with them, and a third after many tags is not.
    let page = format!(
        "<p>one two three four<ul><li>menu</ul>five six seven eight nine{}ten eleven",
        "<br>".repeat(9)
    );
    assert_eq!(
        text(&page, Bte::default()),
        "one two three four\n\n- menu\n\nfive six seven eight nine"
    );
}

#[test]
fn bte_scores_by_the_share_of_words() {
    assert_eq!(run(PAGE, Bte::default()).selection.score, 14.0 / 18.0);
}

#[test]
fn dsc_keeps_several_regions() {
    let long = "word ".repeat(30);
    let menu = "<ul><li>a<li>b<li>c<li>d<li>e<li>f<li>g<li>h</ul>".repeat(2);
    let page = format!("<body><p>{long}</p>{menu}<p>{long}</p>");
    let dsc = Dsc {
        window_tokens: 10,
        ..Dsc::default()
    };
    let kept = [long.trim(), long.trim()].join("\n\n");
    assert_eq!(text(&page, dsc), kept);
    // Three windows in succession have no tags, four do not.
    assert_eq!(
        text(
            &page,
            Dsc {
                least_windows: 2,
                ..dsc
            }
        ),
        kept
    );
    assert_eq!(
        text(
            &page,
            Dsc {
                least_windows: 4,
                ..dsc
            }
        ),
        ""
    );
}

#[test]
fn lqf_removes_blocks_of_links_from_the_outside_in() {
    // 8 of 8, and 10 of 10 characters are linked.
    assert_eq!(
        text(PAGE, LinkQuota::lqf()),
        "The ferry was late again today.\n\nIt came at noon and left at one."
    );
    // Half is not more than half.
    assert_eq!(text("<p><a>four</a>five</p>", LinkQuota::lqf()), "fourfive");
    assert_eq!(text("<p><a>four5</a>five</p>", LinkQuota::lqf()), "");
    // An element in the text is none of structure.
    assert_eq!(
        text("<p>some text <span><a>link</a></span></p>", LinkQuota::lqf()),
        "some text link"
    );
}

#[test]
fn crunch_removes_table_cells_with_many_links() {
    let page =
        "<ul><li><a>a</a></ul><table><tr><td><a>b</a> one two three</td><td><a>c</a> one two three four</td></table>";
    // 1 link for 3 words is more than a quarter, 1 for 4 is not.
    assert_eq!(text(page, LinkQuota::crunch()), "- a\n\nc one two three four");
}

#[test]
fn fe_keeps_the_block_that_is_most_like_text() {
    // The first paragraph has a link, so that its p is less than 1. Of the others the longer one wins.
    let page =
        "<p>A long text with many words, and with <a>a link</a> at its end</p><p>four words in it</p><p>two words</p>";
    assert_eq!(text(page, FeatureExtractor::fe()), "four words in it");
}

#[test]
fn kfe_keeps_the_cluster_with_the_longest_texts() {
    let long =
        ["one two three four five six seven", "one two three four five six"].map(|text| format!("<p>{text}</p>"));
    let page = format!("<p><a>x</a></p>{}<p><a>y</a></p>", long.concat());
    // (1, 1) and (.86, 1) are together; (.14, .13) twice is the other cluster.
    assert_eq!(
        text(&page, FeatureExtractor::kfe()),
        "one two three four five six seven\n\none two three four five six"
    );
}

#[test]
fn there_may_be_more_clusters_than_blocks() {
    let kfe = FeatureExtractor {
        clusters: 9,
        ..FeatureExtractor::kfe()
    };
    assert_eq!(text("<p>one block", kfe), "one block");
}

#[test]
fn ccb_keeps_texts_in_surroundings_of_words() {
    let ccb = Ccb {
        radius: 3,
        ..Ccb::default()
    };
    let long = "one two three four five six seven eight nine ten";
    let menu = "<li>a</li>".repeat(5);
    assert_eq!(text(&format!("<ul>{menu}</ul><p>{long}</p>"), ccb), long);
    // The adapted variant does not see the tags of links. The first and the last word are beside those of the body.
    let linked = format!("<p>{}</p>", "<a>word</a> ".repeat(9));
    assert_eq!(text(&linked, ccb), "");
    let adapted = Ccb { anchors: false, ..ccb };
    assert_eq!(text(&linked, adapted), ["word"; 7].join(" "));
}

#[test]
fn cetr_keeps_lines_with_much_text_for_each_tag() {
    let menu = "<li><a href=x>menu</a></li>\n".repeat(8);
    let long = "The ferry was late again today, it came at noon and left at one.\n".repeat(4);
    let page = format!("<body>\n<ul>\n{menu}</ul>\n<p>\n{long}</p>\n<ul>\n{menu}</ul>\n</body>");
    for lines in [Lines::Clusters, Lines::Threshold] {
        let cetr = Cetr {
            lines,
            ..Cetr::default()
        };
        assert_eq!(text(&page, cetr), long.trim().replace('\n', " "), "{lines:?}");
    }
}

#[test]
fn cetr_cuts_the_lines_of_a_page_that_has_few() {
    let menu = "<li><a href=x>menu</a></li>".repeat(30);
    let long = "The ferry was late again today, it came at noon and left at one. ".repeat(6);
    let page = format!("<body><ul>{menu}</ul><p>{long}</p><ul>{menu}</ul></body>");
    let kept = text(&page, Cetr::default());
    assert!(kept.contains(long.trim()), "{kept}");
    // Of 60 entries those of the lines beside the text, which are smoothed with it.
    assert_eq!(kept.matches("menu").count(), 24);
}

#[test]
fn what_no_parameter_takes_is_refused() {
    let error = |extractor: &dyn Extractor| extractor.check().unwrap_err().to_string();
    let dsc = |window, share| Dsc {
        window_tokens: window,
        share,
        least_windows: 1,
    };
    assert_eq!(
        error(&dsc(0, 0.5)),
        "“window_tokens” must lie between 1 and 4294967295, not be 0"
    );
    assert_eq!(error(&dsc(1, 1.5)), "“share” must lie between 0 and 1, not be 1.5");
    let ccb = Ccb {
        radius: 1_001,
        ..Ccb::default()
    };
    assert_eq!(error(&ccb), "“radius” must be at most 1000, not 1001");
    let cetr = Cetr {
        clusters: 1,
        ..Cetr::default()
    };
    assert_eq!(error(&cetr), "“clusters” must lie between 2 and 100, not be 1");
}

/// Their extractors, by name.
fn comparators() -> impl Iterator<Item = (&'static str, Preset)> {
    COMPARATORS.iter().map(|name| (*name, registry::preset(name).unwrap()))
}

fn text_of(page: &str, preset: &Preset) -> String {
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let mut text = String::new();
    let selection = preset.extractor.extract(&page);
    selection.render_text(&page.view(&preset.extractor.strip()), &mut text);
    text
}

const SENTENCE: &str = "The ferry was late again today, it came at noon and left at one.";

#[test]
fn a_page_without_any_tag_is_kept() {
    for (name, preset) in comparators() {
        assert_eq!(text_of(SENTENCE, &preset), SENTENCE, "{name}");
    }
    let long = Dsc {
        window_tokens: 3,
        least_windows: 9,
        ..Dsc::default()
    };
    assert_eq!(text(SENTENCE, long), SENTENCE);
}

#[test]
fn a_page_of_one_block_is_kept_by_all_but_dsc() {
    for (name, preset) in comparators() {
        // One window has the slope of the page, so that it is not flat.
        let expected = if name == "dsc" { "" } else { SENTENCE };
        assert_eq!(text_of(&format!("<p>{SENTENCE}</p>"), &preset), expected, "{name}");
    }
}

#[test]
fn what_has_marks_but_no_words_is_dropped() {
    for page in ["<p>... --- !!!</p>", "... --- !!!"] {
        for (name, preset) in comparators() {
            assert_eq!(text_of(page, &preset), "", "{name}: {page}");
        }
    }
}

#[test]
fn cetr_may_have_fewer_lines_than_clusters() {
    let cetr = Cetr {
        clusters: 100,
        ..Cetr::default()
    };
    assert_eq!(text(SENTENCE, cetr), SENTENCE);
    assert_eq!(text("", cetr), "");
}

#[test]
fn cetr_ends_lines_at_every_kind_of_line_end() {
    let menu = "<li><a href=x>menu</a></li>\n".repeat(8);
    let long = format!("{SENTENCE}\n").repeat(4);
    let page = format!("<body>\n<ul\n>\n{menu}</ul>\n<p>\n{long}</p>\n<ul>\n{menu}</ul>\n</body>");
    let expected = text(&page, Cetr::default());
    assert_eq!(expected, long.trim().replace('\n', " "));
    for end in ["\r", "\r\n"] {
        assert_eq!(text(&page.replace('\n', end), Cetr::default()), expected, "{end:?}");
    }
}

#[test]
fn a_million_tokens_are_read_to_the_end() {
    // 5 tokens for each entry and 62 for each paragraph.
    let menu = "<li><a href=x>menu</a></li>\n".repeat(21_000);
    let paragraph = format!("<p>{}</p>\n", ["word"; 60].join(" "));
    let page = format!("<ul>{menu}</ul>{}", paragraph.repeat(14_500));
    for name in ["bte", "dsc", "lqf", "kfe", "ccb", "cetr"] {
        let kept = text_of(&page, &registry::preset(name).unwrap());
        // The first paragraph has the menu beside it.
        let words = kept.matches("word").count();
        assert!(words >= 60 * 14_499, "{name} keeps {words} words");
    }
}
