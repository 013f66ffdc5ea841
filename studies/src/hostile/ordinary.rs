//! Ordinary pages made long: the bodies of the sample's pages repeated, and many small parts.

use std::collections::HashMap;
use std::error::Error;

use super::kinds::{Kind, counted};
use crate::shared::{pages, root};

/// The name of a kind, and the page of the sample that it repeats.
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

pub fn kinds() -> Result<Vec<Kind>, Box<dyn Error>> {
    let mut pages = sample()?;
    let article = pages.get(REPEATED[0].1).cloned().unwrap_or_default();
    let mut kinds: Vec<Kind> = vec![
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
    for (name, url) in REPEATED {
        let page = pages
            .remove(url)
            .ok_or_else(|| format!("the sample has no page {url}"))?;
        kinds.push((name, Box::new(move |size| repeated(&page, "<body", "</body", size))));
    }
    Ok(kinds)
}

/// The pages of the sample, by URL.
fn sample() -> Result<HashMap<String, String>, Box<dyn Error>> {
    let mut found = HashMap::new();
    pages::for_each(root().join("docs/sample/sample.warc.gz"), |_, page| {
        found.insert(page.url.to_string(), page.html.to_string());
    })?;
    Ok(found)
}

/// Repeats the part of a page between the first tag that starts with `open` and the last `close`, or the end of the
/// page.
fn repeated(page: &str, open: &str, close: &str, size: usize) -> String {
    let lower = page.to_ascii_lowercase();
    let at = lower.find(open).unwrap_or(0);
    let from = at + lower[at..].find('>').map_or(0, |end| end + 1);
    let to = lower.rfind(close).unwrap_or(page.len());
    let times = (size - (page.len() - (to - from))) / (to - from);
    format!("{}{}{}", &page[..from], page[from..to].repeat(times), &page[to..])
}
