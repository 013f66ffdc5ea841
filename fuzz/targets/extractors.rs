//! Every preset over one page: selections are in order and in bounds, scores are finite, what is rendered is clean.
#![no_main]

use std::cell::RefCell;

use dehusk::extract::{Analysis, PRESETS, TextForm};
use dehusk::{Config, Page, Processor};
use dehusk_testing::checks;

thread_local! {
    /// One processor for all pages, as in a worker.
    static PROCESSOR: RefCell<Processor> = RefCell::new({
        let config = Config::builder().extractors(PRESETS.iter().copied()).build().unwrap();
        Processor::new(&config).unwrap()
    });
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let page = Page::from_text(String::from_utf8_lossy(bytes), "https://a.example/");
    PROCESSOR.with_borrow_mut(|processor| processor.analyze(&page, check).unwrap());
});

fn check(analysis: &Analysis<'_, '_>) {
    let dom = analysis.dom();
    for result in analysis.extractions() {
        let (name, selection) = (&result.preset.name, &result.selection);
        assert!(
            (0.0..=1.0).contains(&selection.score),
            "{name} scores {}",
            selection.score
        );
        assert!(
            selection.scores.iter().all(|s| !s.is_infinite()),
            "{name}: {:?}",
            selection.scores
        );
        let mut end = 0;
        for range in &selection.ranges {
            assert!(
                range.start >= end && range.end > range.start,
                "{name}: {:?}",
                selection.ranges
            );
            // The learned extractors keep blocks, which can be parts of an element.
            if !name.starts_with("fusion") {
                assert_eq!(dom.subtree(range.start), *range, "{name} keeps whole subtrees");
            }
            end = range.end;
        }
        assert!(end <= dom.len());
        assert!(selection.winner.is_none_or(|id| id < dom.len()));
        let (mut text, mut xhtml) = (String::new(), String::new());
        selection.render_text(&result.view, &mut text);
        let mut markdown = String::new();
        selection.render(&result.view, TextForm::markdown(), &mut markdown);
        checks::tree::check_text(&markdown);
        checks::tree::check_text(&text);
        selection.render_xhtml(&result.view, &mut xhtml);
        checks::xml::assert_fragment(&xhtml);
    }
}
