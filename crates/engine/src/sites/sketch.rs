//! Sketches of pages: the texts of a page, and the rank that decides how long it is remembered.

use std::cmp::Reverse;
use std::collections::HashMap;

use dehusk_archive::calendar;
use dehusk_extract::site::{Facts, MOST_PAGES, PageTexts, Shape, TextHash, fact_hash};
use dehusk_html::Dom;
use dehusk_metadata::SharedKind;
use xxhash_rust::xxh3::xxh3_64;

/// In the choice of the pages to remember, a page this many days old counts half as much as one of today.
pub(super) const HALF_LIFE: u64 = 90;

/// The form of the texts that are hashed. It changes with how pages are cut into blocks and how texts are masked.
pub(super) const TEXTS: u32 = 5;

/// The bits of a URL's hash that are kept. A host's pages are few.
const URL_BITS: u64 = !0 << 24;

/// The sketch of a page: its address, its day, its structure and its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageSketch {
    /// A hash of its URL, without scheme and fragment. Its lowest 24 bits are 0.
    pub(super) url: u64,
    /// The day of its capture, counted from 1970; 0 if it is unknown.
    pub(super) day: u16,
    pub(super) shape: Shape,
    /// Hashes of its texts and of the facts in its metadata, sorted and without copies.
    pub(super) texts: Box<[TextHash]>,
    /// How each of them begins: a byte with the length, and the bytes of the source. Empty where that is not known.
    pub(super) begins: Box<[u8]>,
}

impl PageSketch {
    /// A page without structure.
    #[cfg(test)]
    pub(super) fn new(url: u64, day: u16, texts: impl Iterator<Item = (TextHash, String)>) -> Self {
        let mut facts = Facts::default();
        texts.for_each(|(text, begin)| facts.add(text, "", &begin));
        Self::of(&mut facts, url & URL_BITS, day, Shape::default())
    }

    /// The page of these facts, which are taken.
    fn of(facts: &mut Facts, url: u64, day: u16, shape: Shape) -> Self {
        let (texts, begins) = facts.take();
        Self {
            url,
            day,
            shape,
            texts,
            begins,
        }
    }

    /// How the texts begin in the source, if that is known.
    pub(super) fn begins(&self) -> impl Iterator<Item = (TextHash, &str)> {
        let mut rest = &*self.begins;
        self.texts.iter().map_while(move |text| {
            let (length, after) = rest.split_first()?;
            let (begin, after) = after.split_at_checked(usize::from(*length))?;
            rest = after;
            Some((*text, std::str::from_utf8(begin).ok()?))
        })
    }

    /// The place among the pages of its host: those that come first are remembered.
    pub(super) fn order(&self) -> Order {
        order(self.url, self.day)
    }

    /// The version that distinguishes captures of one URL. The newest is the largest.
    pub(super) fn version(&self) -> (u16, u64, [u8; 16]) {
        let sum = |sum: u64, text: &TextHash| sum.wrapping_add(xxh3_64(&text.to_le_bytes()));
        (self.day, self.texts.iter().fold(0, sum), self.shape.to_bytes())
    }

    /// About how much memory it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        96 + size_of_val(&*self.texts) + self.begins.len()
    }
}

/// The place of a page among those of its host.
pub(super) type Order = (Reverse<i64>, u64);

fn order(url: u64, day: u16) -> Order {
    (Reverse(rank(url, day)), url)
}

/// The rank of a page among those of its host: those of the highest ranks are remembered.
///
/// This is a weighted sample without replacement (P. Efraimidis, P. Spirakis: *Weighted random sampling with a
/// reservoir*, 2006) whose weights double every [`HALF_LIFE`] days (forward decay, G. Cormode and others, 2009).
/// The hash of the URL is the random number, so the same pages are remembered in whatever order they come. All
/// numbers are integers, so that ranks are the same on every machine.
fn rank(url: u64, day: u16) -> i64 {
    // −log2 of a number between 0 and 1, and the logarithm of that, in units of 2^-16.
    let exponential = (64 << 16) - log2(url | 1);
    let aged = (u64::from(day) << 16) / HALF_LIFE;
    aged as i64 - log2(exponential.max(1) as u64)
}

/// The binary logarithm in units of 2^-16, linear between powers of two.
fn log2(number: u64) -> i64 {
    let power = number.ilog2();
    let rest = if power == 0 { 0 } else { number << (64 - power) >> 48 };
    (i64::from(power) << 16) + rest as i64
}

/// The host of a URL, in lower case, without user, port and final dot; `""` where there is none.
pub(crate) fn host_of(url: &str) -> String {
    let mut host = dehusk_metadata::hostname(url);
    host.truncate(host.trim_end_matches('.').len());
    host
}

/// A hash of the URL as far as it distinguishes the pages of a host: without scheme, user, usual port and fragment, the
/// host in one spelling.
pub(super) fn url_hash(url: &str) -> u64 {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?', '\\']).unwrap_or(rest.len()));
    let server = authority.rsplit('@').next().unwrap_or_default();
    let port = server.rsplit_once(':').map_or("", |(_, port)| port);
    let port = if matches!(port, "80" | "443") || port.contains(']') {
        ""
    } else {
        port
    };
    let root = if path.starts_with('/') { "" } else { "/" };
    xxh3_64(format!("{}:{port}{root}{path}", host_of(url)).as_bytes()) & URL_BITS
}

/// Makes sketches of pages, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Sketcher {
    texts: PageTexts,
    facts: Facts,
    /// Of hosts: the first pages in order that were sketched.
    first: HashMap<String, Vec<Order>>,
}

/// This many hosts are known by their first pages.
const KNOWN: usize = 1 << 14;

impl Sketcher {
    /// The sketch of a page that was captured at a time (`YYYY-MM-DDThh:mm:ssZ`, or `""`). The tree is only asked for if
    /// the page may be remembered: `None` if so many better pages of the host were sketched that it cannot be.
    ///
    /// # Errors
    /// The error of `sketch`, which is called with a function that makes a sketch of a tree.
    pub(crate) fn sketch<E>(
        &mut self,
        host: &str,
        url: &str,
        created: &str,
        sketch: impl FnOnce(&mut dyn FnMut(&Dom<'_>) -> PageSketch) -> Result<PageSketch, E>,
    ) -> Result<Option<PageSketch>, E> {
        let (hash, day) = (url_hash(url), day(created).unwrap_or_default());
        let own = order(hash, day);
        let first = self.first.get(host);
        if first.is_some_and(|first| first.len() == MOST_PAGES && first.last() < Some(&own)) {
            return Ok(None);
        }
        let Self { texts, facts, .. } = self;
        let made = sketch(&mut |dom| {
            texts.collect(dom, facts);
            dehusk_metadata::shared_values(dom, |kind, value| {
                facts.add(fact_hash(kind as u8, value), label(kind), value);
            });
            PageSketch::of(facts, hash, day, Shape::new(dom))
        })?;
        self.remember(host, own);
        Ok(Some(made))
    }

    /// Remembers a page that was sketched. Of captures of one URL it knows the newest one.
    fn remember(&mut self, host: &str, own: Order) {
        let first = match self.first.get_mut(host) {
            Some(first) => first,
            None => {
                if self.first.len() == KNOWN {
                    self.first.clear();
                }
                self.first.entry(host.to_owned()).or_default()
            }
        };
        if let Some(at) = first.iter().position(|(_, url)| *url == own.1) {
            if first[at] <= own {
                return;
            }
            first.remove(at);
        }
        let at = first.partition_point(|other| *other < own);
        first.insert(at, own);
        first.truncate(MOST_PAGES);
    }
}

/// The label of a fact that is no text, in a listing.
fn label(kind: SharedKind) -> &'static str {
    match kind {
        SharedKind::Title => "title: ",
        SharedKind::Image => "image: ",
    }
}

/// The day of a time, counted from 1970.
fn day(created: &str) -> Option<u16> {
    let part = |range: std::ops::Range<usize>| created.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date {
        return None;
    }
    u16::try_from(calendar::day_of(year, month, day)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_pages_and_larger_hashes_have_higher_ranks() {
        assert!(rank(7 << 40, 200) > rank(7 << 40, 100));
        assert!(rank(u64::MAX - 9, 100) > rank(1 << 40, 100));
        // One half-life weighs as much as half the exponential number.
        let (old, new) = (rank(u64::MAX / 2, 100), rank(u64::MAX / 4, 190));
        assert!((new - old).abs() < 1 << 13, "{new} {old}");
    }

    #[test]
    fn pages_that_cannot_be_remembered_are_not_sketched() {
        let mut sketcher = Sketcher::default();
        let dom = dehusk_html::parse("<p>text", dehusk_html::Buffers::default());
        let mut sketch = |number: u32, day: u32| {
            let (url, created) = (
                format!("http://a.example/{number}"),
                format!("2024-05-{day:02}T00:00:00Z"),
            );
            let made = sketcher.sketch("a.example", &url, &created, |sketch| Ok::<_, ()>(sketch(&dom)));
            made.expect("a sketch")
        };
        let sketched: Vec<PageSketch> = (0..2000).filter_map(|number| sketch(number, 3)).collect();
        assert!((MOST_PAGES..400).contains(&sketched.len()), "{}", sketched.len());
        // All pages together leave the same.
        let mut all: Vec<Order> = (0..2000)
            .map(|n| order(url_hash(&format!("http://a.example/{n}")), 19846))
            .collect();
        let mut left: Vec<Order> = sketched.iter().map(PageSketch::order).collect();
        all.sort_unstable();
        left.sort_unstable();
        assert_eq!(all[..MOST_PAGES], left[..MOST_PAGES]);
        // A newer capture of a page that is remembered is wanted.
        let best = (0..2000).find(|n| url_hash(&format!("http://a.example/{n}")) == all[0].1);
        assert!(sketch(best.expect("a page"), 28).is_some());
    }

    #[test]
    fn urls_with_other_spellings_are_the_same() {
        for same in [
            "http://a.example/x#y",
            "https://A.example:443/x",
            "https://u:p@a.example./x",
        ] {
            assert_eq!(url_hash(same), url_hash("https://a.example/x"), "{same}");
        }
        assert_eq!(url_hash("http://a.example?q"), url_hash("http://a.example/?q"));
        assert_ne!(url_hash("http://a.example/x?y"), url_hash("https://a.example/x"));
    }
}
