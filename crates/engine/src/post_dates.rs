//! Dates of posts, for formats that write posts as elements.

use dehusk_html::rendering::{Element, Mark};
use dehusk_metadata::{PageFacts, normalize_post_dates};

use crate::analysis::Analysis;

/// The marks of a text, with the dates of posts in ISO 8601 where they can be read.
pub(crate) fn with_dates(mut marks: Vec<Mark>, analysis: &Analysis<'_, '_>) -> Vec<Mark> {
    let mut dates: Vec<&mut String> = marks
        .iter_mut()
        .filter_map(|mark| match &mut mark.begins {
            Some(Element::Post { date, .. }) if !date.is_empty() => Some(date),
            _ => None,
        })
        .collect();
    let page = analysis.page();
    let facts = PageFacts {
        url: &page.url,
        created: &page.provenance.date,
        ..PageFacts::default()
    };
    normalize_post_dates(analysis.dom(), facts, &mut dates);
    marks
}
