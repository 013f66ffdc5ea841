//! Ordinary pages grown long: the bodies of the sample's pages over and over, and many small parts.

use std::collections::HashMap;

use dehusk::archive::Archive;
use dehusk::config::{Config, Rules};
use dehusk::http::Scratch;
use dehusk::page::Page;

use super::kinds::{Make, counted};

/// A kind's name, and the sample's page that it repeats.
const REPEATED: [(&str, &str); 9] = [
    (
        "ordinary: an article in elements of HTML 5",
        "https://www.selwick-herald.example/2024/03/night-ferry-returns",
    ),
    (
        "ordinary: an article in tables",
        "http://www.foerdebote.example/artikel.php?id=2117",
    ),
    (
        "ordinary: a Chinese article in divisions",
        "http://news.qingjiang.example/local/20221016/8841.shtml",
    ),
    (
        "ordinary: an article in one form",
        "http://www.valedown.example.com/article.aspx?id=4417",
    ),
    (
        "ordinary: a thread in tables",
        "http://forum.paddlers.example.org/viewtopic.php?t=88",
    ),
    (
        "ordinary: a thread in divisions",
        "https://www.radlertreff.example/themen/4471-lampe-flackert",
    ),
    (
        "ordinary: a listing",
        "https://www.footpath-almanac.example/walks/under-five-miles",
    ),
    ("ordinary: a shop", "https://www.halvern-lamps.example/reading-lamps"),
    (
        "ordinary: a manual",
        "https://docs.larkspur.example.org/3.2/configuration.html",
    ),
];

pub fn kinds() -> Vec<(&'static str, Make)> {
    let mut pages = sample();
    let article = pages[REPEATED[0].1].clone();
    let mut kinds: Vec<(&'static str, Make)> = vec![
        (
            "ordinary: one long article",
            Box::new(move |size| {
                repeated(
                    &article,
                    "<div itemprop=\"articlebody\">",
                    "</div>\n<footer class=\"tags\">",
                    size,
                )
            }),
        ),
        (
            "ordinary: small sections",
            counted(|i| {
                format!(
                    "<section id=s{i}><h2>Section {i}</h2><p>Some words of section {i}, and <a href=/{i}>a link</a> to \
                     it.</p><ul><li>One, <b>two</b></li><li>three</li></ul></section>\n"
                )
            }),
        ),
    ];
    kinds.extend(REPEATED.map(|(name, url)| {
        let page = pages
            .remove(url)
            .unwrap_or_else(|| panic!("the sample has no page {url}"));
        let make: Make = Box::new(move |size| repeated(&page, "<body", "</body", size));
        (name, make)
    }));
    kinds
}

/// The sample's pages, by URL.
fn sample() -> HashMap<String, String> {
    let archive = Archive::open(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz")).unwrap();
    let rules = Rules::new(&Config::default()).unwrap();
    let (mut records, mut scratch) = (archive.records(), Scratch::default());
    let mut pages = HashMap::new();
    while let Some(record) = records.next_record() {
        if let Ok(page) = Page::from_record(&record, &rules, &mut scratch, dehusk::provenance::ArchiveName::default()) {
            pages.insert(page.url.to_string(), page.html.to_string());
        }
    }
    pages
}

/// A page in which what stands between the first tag that starts so and the last that ends it, or the page's end, comes
/// again and again.
fn repeated(page: &str, open: &str, close: &str, size: usize) -> String {
    let lower = page.to_ascii_lowercase();
    let at = lower.find(open).unwrap();
    let from = at + lower[at..].find('>').unwrap() + 1;
    let to = lower.rfind(close).unwrap_or(page.len());
    let times = (size - (page.len() - (to - from))) / (to - from);
    format!("{}{}{}", &page[..from], page[from..to].repeat(times), &page[to..])
}
