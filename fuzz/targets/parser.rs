//! The parsers: any page gives a tree, which is rendered to clean text and well-formed XHTML.
#![no_main]

use dehusk_html::{Buffers, parse, parse_strict};
use dehusk_testing::checks::tree;

/// html5ever is slow on what nests, and has a fuzzer of its own; here only its sink is of interest.
const STRICT: usize = 4 << 10;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let page = String::from_utf8_lossy(bytes);
    let dom = parse(&page, Buffers::default());
    tree::check(&dom);
    tree::check_rendered(&dom);
    let first = format!("{dom:?}");
    let again = parse(&page, dom.into_buffers());
    assert_eq!(first, format!("{again:?}"), "used buffers do not matter");
    if page.len() <= STRICT
        && let Ok(dom) = parse_strict(&page, Buffers::default())
    {
        tree::check(&dom);
        tree::check_rendered(&dom);
    }
});
