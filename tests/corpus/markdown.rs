//! The Markdown of real pages is read again.

use dehusk_html::{Buffers, parse};
use dehusk_testing::checks::markdown::check;

use crate::corpus::pages;

/// A CommonMark parser reads the words and the structure of the plain text, of each page as a whole.
pub fn is_read_again(corpus: &str) {
    for page in &pages(corpus) {
        let dom = parse(&page.html, Buffers::default());
        check(&dom, &[dom.subtree(dom.body())], &[]);
    }
}
