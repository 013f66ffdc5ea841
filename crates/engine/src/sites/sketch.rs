//! Sketches of pages: the texts of a page, and the rank that decides how long it is remembered.

use dehusk_archive::calendar;
use dehusk_extract::site::{PageTexts, TextHash};
use dehusk_html::Dom;
use xxhash_rust::xxh3::xxh3_64;

/// After so many days a page counts half as much as one of today when it is chosen which pages are remembered.
pub(super) const HALF_LIFE: u64 = 90;

/// The form of the texts that are hashed. It changes with how pages are cut into blocks and how texts are masked.
pub(super) const TEXTS: u32 = 1;

/// Most bytes of a text that are kept to be shown.
const SHOWN: usize = 40;

/// Most texts of a page that are remembered. No template is larger.
const MOST_TEXTS: usize = 4096;

/// The sketch of a page: its address, its day and its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageSketch {
    /// A hash of its URL, without scheme and fragment.
    pub(super) url: u64,
    /// The day of its capture, counted from 1970; 0 if it is unknown.
    pub(super) day: u32,
    /// Its texts by hash, without copies, and how each begins. The latter is empty where it is not known.
    pub(super) texts: Vec<(TextHash, Box<str>)>,
}

impl PageSketch {
    /// Its rank among the pages of its host: those of the highest ranks are remembered.
    ///
    /// This is a weighted sample without replacement (P. Efraimidis, P. Spirakis: *Weighted random sampling with a
    /// reservoir*, 2006) whose weights double every [`HALF_LIFE`] days (forward decay, G. Cormode and others, 2009).
    /// The hash of the URL is the random number, so the same pages are remembered in whatever order they come. All
    /// numbers are integers, so that ranks are the same on every machine.
    pub(super) fn rank(&self) -> i64 {
        // −log2 of a number between 0 and 1, and the logarithm of that, in units of 2^-16.
        let exponential = (64 << 16) - log2(self.url | 1);
        let aged = (u64::from(self.day) << 16) / HALF_LIFE;
        aged as i64 - log2(exponential.max(1) as u64)
    }

    /// A number that tells captures of one URL and day apart.
    pub(super) fn digest(&self) -> u64 {
        self.texts
            .iter()
            .fold(0, |sum: u64, (hash, _)| sum.wrapping_add(xxh3_64(&hash.to_le_bytes())))
    }

    /// About how much memory it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        let texts: usize = self.texts.iter().map(|(_, begin)| 40 + begin.len()).sum();
        64 + texts
    }
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

/// A hash of the URL as far as it tells the pages of a host apart: without scheme, user, usual port and fragment, the
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
    xxh3_64(format!("{}:{port}{root}{path}", host_of(url)).as_bytes())
}

/// Makes sketches of pages, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Sketcher(PageTexts);

impl Sketcher {
    /// The sketch of a page that was captured at a time (`YYYY-MM-DDThh:mm:ssZ`, or `""`).
    pub(crate) fn sketch(&mut self, dom: &Dom<'_>, url: &str, created: &str) -> PageSketch {
        let mut texts: Vec<(TextHash, Box<str>)> = Vec::new();
        self.0.read(dom, |hash, text| {
            let shown = &text[..text.floor_char_boundary(SHOWN)];
            texts.push((hash, shown.into()));
        });
        texts.sort_by_key(|(hash, _)| *hash);
        texts.dedup_by_key(|(hash, _)| *hash);
        texts.truncate(MOST_TEXTS);
        // A page of many equal texts would keep the memory of all.
        texts.shrink_to_fit();
        PageSketch {
            url: url_hash(url),
            day: day(created).unwrap_or_default(),
            texts,
        }
    }
}

/// The day of a time, counted from 1970.
fn day(created: &str) -> Option<u32> {
    let part = |range: std::ops::Range<usize>| created.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date {
        return None;
    }
    u32::try_from(calendar::day_of(year, month, day)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: u64, day: u32) -> PageSketch {
        PageSketch {
            url,
            day,
            texts: Vec::new(),
        }
    }

    #[test]
    fn newer_pages_and_larger_hashes_have_higher_ranks() {
        assert!(page(7 << 40, 200).rank() > page(7 << 40, 100).rank());
        assert!(page(u64::MAX - 9, 100).rank() > page(1 << 40, 100).rank());
        // One half-life weighs as much as half the exponential number.
        let (old, new) = (page(u64::MAX / 2, 100), page(u64::MAX / 4, 190));
        assert!(
            (new.rank() - old.rank()).abs() < 1 << 13,
            "{} {}",
            new.rank(),
            old.rank()
        );
    }

    #[test]
    fn spellings_do_not_tell_urls_apart() {
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
