//! The metadata of documents: one test for each source of evidence, and for what decides between them.

mod authors;
mod dates;
mod days;
mod hostile;
mod sources;
mod titles;

use dehusk::{Config, Metadata, Page, Processor};
use dehusk_metadata::{self as metadata, PageFacts};

const TEXT: &str = "<p>The ferry left the harbour before dawn, with forty people on board, and nobody had slept a \
    minute.</p>\
    <p>By noon the fog had lifted, and the islands lay in front of them as if somebody had just put them there.</p>";

/// The metadata of a page, crawled on 4 May 2026.
fn of_page(url: &str, html: &str) -> Metadata {
    let mut page = Page::from_text(html, url);
    page.provenance.date = "2026-05-04T08:00:00Z".into();
    let mut config = Config::default();
    config.set("output.details", true).unwrap();
    config.set("output.evidence", true).unwrap();
    let document = Processor::new(&config).unwrap().document(&page);
    document.unwrap().metadata
}

/// The metadata of an article with this head and this body before its text.
fn of(head: &str, body: &str) -> Metadata {
    of_page(
        "https://news.example/2",
        &format!("<html lang=en><head>{head}</head><body>{body}{TEXT}</body></html>"),
    )
}

/// A script of JSON-LD.
fn script(json: &str) -> String {
    format!("<script type=\"application/ld+json\">{json}</script>")
}

/// A value and its evidence.
fn pair<'a>(value: &'a str, from: &'a str) -> (&'a str, &'a str) {
    (value, from)
}

/// The metadata of a page whose text nobody extracts: for pages that are too long to do so in every test.
fn read(html: &str) -> metadata::PageMetadata {
    let dom = dehusk_html::parse(html, dehusk_html::Buffers::default());
    metadata::read(
        &dom,
        PageFacts {
            url: "https://news.example/2",
            created: "2026-05-04T08:00:00Z",
            content: Some((0, dom.len())),
            ..PageFacts::default()
        },
    )
}
