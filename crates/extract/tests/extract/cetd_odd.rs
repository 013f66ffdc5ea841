//! CETD on pages without words, without links and of links alone, on pages made to be slow, and with senseless
//! parameters.

use crate::support::outcome::{WORDLESS, run};
use dehusk_extract::cetd::Method;
use dehusk_extract::{Cetd, Extractor, PageContext};
use dehusk_html::{Buffers, parse};

fn presets() -> [Cetd; 9] {
    let plain = [Cetd::cetd_ds(), Cetd::cectd_s(), Cetd::cectd_ds()];
    let [a, b, c] = plain;
    [
        a,
        b,
        c,
        a.code(),
        b.code(),
        c.code(),
        a.modern(),
        b.modern(),
        c.modern(),
    ]
}

#[test]
fn pages_without_words_have_defined_results() {
    for page in WORDLESS.into_iter().chain(["<a href=x><img></a>"]) {
        for cetd in presets() {
            let seen = run(page, cetd);
            assert_eq!((seen.text.as_str(), seen.selection.score), ("", 0.0), "{page}");
        }
    }
}

#[test]
fn a_page_of_one_text_is_content() {
    let huge = "word ".repeat(400_000);
    for page in ["alone", huge.as_str()] {
        for cetd in presets() {
            let seen = run(page, cetd);
            assert_eq!((seen.text.as_str(), seen.selection.score), (page.trim(), 1.0));
        }
    }
}

#[test]
fn a_page_of_links_alone_is_kept_by_sums_and_lost_by_smoothing() {
    let page = "<body><ul><li><a href=1>one</a><li><a href=2>two</a></ul>";
    for cetd in presets() {
        let seen = run(page, cetd);
        assert!(seen.selection.scores.iter().all(|s| !s.is_infinite()));
        assert_eq!(seen.selection.score, 0.0);
        if cetd.method == Method::DensitySum {
            // No block is prominent: the body's own sum is the greatest (or all are 0), and it is kept.
            assert_eq!(seen.text, "- one\n- two", "{cetd:?}");
        }
    }
    // The links have density 0, the body a little, by its two tags to a link.
    assert_eq!(run(page, Cetd::cectd_s()).text, "");
}

#[test]
fn senseless_parameters_are_refused() {
    for lambda in [-0.1, f64::NAN, f64::INFINITY] {
        let cetd = Cetd {
            lambda,
            ..Cetd::cetd_ds()
        };
        assert!(cetd.check().unwrap_err().to_string().contains("lambda"));
    }
    for least_block in [-0.1, 1.1, f64::NAN] {
        let cetd = Cetd {
            least_block,
            ..Cetd::cetd_ds()
        };
        assert!(cetd.check().unwrap_err().to_string().contains("least_block"));
    }
    assert!(presets().iter().all(|cetd| cetd.check().is_ok()));
}

#[test]
fn hostile_pages_are_fast() {
    // Searching every reached tag's subtree would take 10^10 steps and more on each of these.
    let pages = [
        format!("{}x{}", "<div>".repeat(500), "<p>a <a href=x>b</a></p>".repeat(200_000)),
        format!("{}{}", "<div>x".repeat(500), "<div>y".repeat(300_000)),
        "<b>word</b> text ".repeat(300_000),
    ];
    for page in &pages {
        for cetd in presets() {
            let dom = parse(page, Buffers::default());
            let page = PageContext::new(&dom, "");
            let selection = cetd.extract(&page);
            assert!(selection.ranges.is_sorted_by(|a, b| a.end <= b.start));
            assert!(selection.ranges.iter().all(|r| !r.is_empty()));
        }
    }
}
