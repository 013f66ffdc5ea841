//! Metadata: what a page says of itself. The first line of the input is its address, the second the day of the crawl.
#![no_main]

use dehusk_html::{Buffers, parse};
use dehusk_metadata::{self as metadata, Evidence, PageFacts};

/// The longest of all values: 64 authors of 2,000 bytes each.
const LONGEST: usize = 64 * 2002;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (url, created, html) = (line(), line(), line());
    let dom = parse(html, Buffers::default());
    for content in [None, Some((0, dom.len())), Some((dom.len() / 2, dom.len() / 2))] {
        let found = metadata::read(
            &dom,
            PageFacts {
                url,
                created,
                content,
                ..PageFacts::default()
            },
        );
        let plain = [
            &found.title,
            &found.author,
            &found.sitename,
            &found.description,
            &found.keywords,
        ];
        for Evidence { value, from } in plain
            .into_iter()
            .chain([&found.image, &found.canonical_url, &found.kind])
        {
            assert_eq!(
                value.is_empty(),
                from.is_empty(),
                "a value has evidence: {value:?} {from:?}"
            );
            assert!(value.len() <= LONGEST && !value.contains(char::is_control));
            assert_eq!(value.trim(), value);
        }
        for date in [&found.published.value, &found.modified.value] {
            let is_day = |day: &str| {
                day.len() == 10
                    && day.bytes().enumerate().all(|(i, b)| match i {
                        4 | 7 => b == b'-',
                        _ => b.is_ascii_digit(),
                    })
            };
            let (day, time) = date.split_once('T').unwrap_or((date, ""));
            assert!(date.is_empty() || is_day(day), "{date}");
            assert!(
                time.is_empty() || time.len() == 9 && time.ends_with('Z') || time.len() == 14,
                "{date}"
            );
        }
    }
});
