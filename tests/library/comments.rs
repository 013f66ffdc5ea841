//! Comments that an extractor keeps apart from the main content get a field of their own.

use std::sync::Arc;

use dehusk::{Config, Document, Processor};
use dehusk_engine::config::Rules;
use dehusk_extract::strip::{Forms, Strip};
use dehusk_extract::{Extractor, PageContext, Preset, Selection};
use dehusk_html::Tag;

const PAGE: &str = "<p>The news of the day.</p><div><p>First!</p><p>I do not agree.</p></div>";

/// Selects the first paragraph, and keeps what the `div` holds apart as comments.
#[derive(Debug)]
struct Separate;

impl Extractor for Separate {
    fn strip(&self) -> Strip {
        Strip::new(Forms::Keep)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let dom = page.dom();
        let subtree = |tag: Tag| {
            let node = (0..dom.len()).find(|id| dom.node(*id).tag == tag);
            dom.subtree(node.unwrap())
        };
        let mut selection = Selection::new(vec![subtree(Tag::P)]);
        selection.comments = vec![subtree(Tag::Div)];
        selection
    }
}

fn document(names: &[&str]) -> Document {
    let mut rules = Rules::new(&Config::default()).unwrap();
    let preset = |name: &&str| match dehusk_extract::registry::preset(name) {
        Some(preset) => preset,
        None => Preset::new(*name, Arc::new(Separate)),
    };
    rules.presets = names.iter().map(preset).collect();
    let mut processor = Processor::with_rules(Arc::new(rules));
    processor.page(PAGE.as_bytes(), "").unwrap()
}

#[test]
fn comments_kept_apart_are_no_part_of_the_text() {
    let document = document(&["separate"]);
    assert_eq!(document.text, "The news of the day.");
    assert_eq!(document.comments, "First!\n\nI do not agree.");
    assert_eq!(document.metadata.words, 5);
}

#[test]
fn only_the_first_extractor_s_comments_are_written() {
    let document = document(&["coreex", "separate"]);
    assert_eq!(document.comments, "");
    assert_eq!(document.more_texts[0].text, "The news of the day.");
}
