//! The pages that are remembered of a host, and their form in the store.
//!
//! An entry of the store is, with numbers of 7 bits a byte where no size is given:
//!
//! ```text
//! number of pages, then of each: hash of the URL (8 bytes), day
//! number of texts, then of each in the order of the hashes:
//!     difference of its hash from the one before
//!     the number of the one page that holds it,
//!     or 32, the pages that hold it (4 bytes, a bit each), and how it begins (a length of one byte, and the bytes)
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use dehusk_documents::store::{StoreError, StoreErrorKind};
use dehusk_extract::site::{HostTexts, MOST_PAGES, TextHash};

use super::sketch::{HALF_LIFE, PageSketch, TEXTS};

/// Stands for several pages in an entry.
const SEVERAL: u8 = MOST_PAGES as u8;

/// The pages that are remembered of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPages {
    pages: Vec<PageSketch>,
}

/// A text that several pages of a host hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedText {
    /// How it begins, with one 0 for each run of digits.
    pub begin: String,
    /// How many of the remembered pages hold it.
    pub pages: u32,
}

impl HostPages {
    /// Adds a page. Of two captures of one URL the newer one is kept.
    pub(crate) fn add(&mut self, page: PageSketch) {
        match self.pages.iter_mut().find(|known| known.url == page.url) {
            // The same capture. Pages of a store do not know how the texts begin that they alone hold.
            Some(known) if (known.day, known.digest()) == (page.day, page.digest()) => {
                for ((_, begin), (_, other)) in known.texts.iter_mut().zip(page.texts) {
                    if begin.is_empty() {
                        *begin = other;
                    }
                }
            }
            Some(known) if (known.day, known.digest()) > (page.day, page.digest()) => {}
            Some(known) => *known = page,
            None => self.pages.push(page),
        }
        if self.pages.len() >= 2 * MOST_PAGES {
            self.settle();
        }
    }

    /// Adds the pages of another store for the same host.
    pub(super) fn merge(&mut self, other: Self) {
        other.pages.into_iter().for_each(|page| self.add(page));
    }

    /// Keeps the pages of the highest ranks, in the order of their ranks.
    pub(super) fn settle(&mut self) {
        self.pages
            .sort_by_key(|page| (std::cmp::Reverse(page.rank()), page.url));
        self.pages.truncate(MOST_PAGES);
    }

    /// How many pages are remembered.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// About how much memory they take, in bytes.
    pub(super) fn size(&self) -> usize {
        self.pages.iter().map(PageSketch::size).sum()
    }

    pub(super) fn pages(&self) -> &[PageSketch] {
        &self.pages
    }

    /// The texts that at least two pages hold, most repeated first.
    pub fn repeated(&self) -> Vec<RepeatedText> {
        let held = self.held();
        let repeated = held.into_values().filter(|(pages, _)| pages.count_ones() > 1);
        let mut repeated: Vec<_> = repeated
            .map(|(pages, begin)| RepeatedText {
                begin: begin.to_owned(),
                pages: pages.count_ones(),
            })
            .collect();
        repeated.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.begin.cmp(&b.begin)));
        repeated
    }

    /// The texts with the pages that hold each, a bit each, and how each begins.
    fn held(&self) -> BTreeMap<TextHash, (u32, &str)> {
        let mut held: BTreeMap<TextHash, (u32, &str)> = BTreeMap::new();
        for (number, page) in self.pages.iter().enumerate() {
            for (hash, begin) in &page.texts {
                let (pages, known) = held.entry(*hash).or_default();
                *pages |= 1 << number;
                if known.is_empty() || !begin.is_empty() && **begin < **known {
                    *known = begin;
                }
            }
        }
        held
    }

    /// The entry of the store.
    pub(super) fn encode(&mut self) -> Vec<u8> {
        self.settle();
        let mut out = Vec::new();
        put(&mut out, self.pages.len() as u64);
        for page in &self.pages {
            out.extend(page.url.to_le_bytes());
            put(&mut out, page.day.into());
        }
        let held = self.held();
        put(&mut out, held.len() as u64);
        let mut before = 0;
        for (hash, (pages, begin)) in held {
            put(&mut out, u64::from(hash - before));
            before = hash;
            if pages.count_ones() == 1 {
                out.push(pages.trailing_zeros() as u8);
                continue;
            }
            out.push(SEVERAL);
            out.extend(pages.to_le_bytes());
            out.push(begin.len() as u8);
            out.extend(begin.as_bytes());
        }
        out
    }

    /// Reads an entry of the store; `None` if it is no entry.
    pub(super) fn decode(entry: &[u8]) -> Option<Self> {
        let mut pages = Vec::new();
        let mut texts = Vec::new();
        read(
            entry,
            |url, day| pages.push((url, day)),
            |hash, pages, begin| texts.push((hash, pages, begin)),
        )?;
        let page = |(number, (url, day)): (usize, (u64, u32))| {
            let own = texts.iter().filter(|(_, pages, _)| pages >> number & 1 == 1);
            let texts = own.map(|(hash, _, begin)| (*hash, (*begin).into())).collect();
            PageSketch { url, day, texts }
        };
        let pages = pages.into_iter().enumerate().map(page).collect();
        Some(Self { pages })
    }
}

/// The parameters that the entries of a store are made by.
pub(super) fn parameters() -> String {
    format!("{MOST_PAGES} pages a host, half-life {HALF_LIFE} days, texts of form {TEXTS}")
}

/// The error of a store with an entry that is none.
pub(super) fn no_entry(path: &Path) -> StoreError {
    let source = "an entry is no list of pages".into();
    StoreError::new(path, StoreErrorKind::Corrupt { source })
}

/// Reads of an entry what extractors ask: the texts, and the hashes of the pages' URLs in the order of the bits. `None`
/// if it is no entry.
pub(super) fn lookup(entry: &[u8]) -> Option<(HostTexts, Vec<u64>)> {
    let (mut urls, mut texts) = (Vec::new(), Vec::new());
    read(
        entry,
        |url, _| urls.push(url),
        |hash, pages, _| texts.push((hash, pages)),
    )?;
    Some((HostTexts::new(urls.len(), texts), urls))
}

/// Reads an entry of the store: the URL and the day of each page, then the hash of each text with the pages that hold
/// it and its beginning, if that is known. `None` if it is no entry.
fn read<'e>(
    entry: &'e [u8],
    mut page: impl FnMut(u64, u32),
    mut text: impl FnMut(TextHash, u32, &'e str),
) -> Option<()> {
    let mut rest = Input(entry);
    let pages = usize::try_from(rest.number()?).ok()?;
    if pages > MOST_PAGES {
        return None;
    }
    for _ in 0..pages {
        let url = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
        page(url, u32::try_from(rest.number()?).ok()?);
    }
    let mut hash: TextHash = 0;
    for _ in 0..rest.number()? {
        hash = hash.checked_add(TextHash::try_from(rest.number()?).ok()?)?;
        let holder = rest.take(1)?[0];
        if usize::from(holder) < pages {
            text(hash, 1 << holder, "");
            continue;
        }
        if holder != SEVERAL {
            return None;
        }
        let holders = u32::from_le_bytes(*rest.take(4)?.first_chunk()?);
        let length = usize::from(rest.take(1)?[0]);
        text(hash, holders, std::str::from_utf8(rest.take(length)?).ok()?);
    }
    rest.0.is_empty().then_some(())
}

/// Appends a number, 7 bits a byte, the lowest first.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Bytes that are still to be read.
pub(super) struct Input<'i>(pub(super) &'i [u8]);

impl<'i> Input<'i> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'i [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7F).checked_shl(7 * place)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pages() -> impl Strategy<Value = Vec<PageSketch>> {
        let texts = prop::collection::btree_set(0u32..60, 0..12);
        let page = (0u64..70, 0u32..4000, texts).prop_map(|(url, day, texts)| PageSketch {
            url: url.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            day,
            texts: texts
                .into_iter()
                .map(|hash| (hash, format!("text {hash}").into()))
                .collect(),
        });
        prop::collection::vec(page, 0..150)
    }

    fn host(pages: &[PageSketch]) -> HostPages {
        let mut host = HostPages::default();
        pages.iter().cloned().for_each(|page| host.add(page));
        host
    }

    proptest! {
        #[test]
        fn the_order_of_pages_does_not_matter(pages in pages().prop_shuffle(), split in 0usize..150) {
            let entry = host(&pages).encode();
            let backwards: Vec<_> = pages.iter().rev().cloned().collect();
            prop_assert_eq!(&host(&backwards).encode(), &entry);
            // Nor does it if some come from a store.
            let (first, second) = pages.split_at(split.min(pages.len()));
            let mut merged = HostPages::decode(&host(first).encode()).expect("an entry");
            merged.merge(host(second));
            prop_assert_eq!(&merged.encode(), &entry);
        }

        #[test]
        fn an_entry_is_read_as_it_was_written(pages in pages()) {
            let mut host = host(&pages);
            let entry = host.encode();
            let mut read = HostPages::decode(&entry).expect("an entry");
            prop_assert_eq!(lookup(&entry).expect("an entry").1.len(), host.len());
            prop_assert_eq!(read.repeated(), host.repeated());
            prop_assert_eq!(read.encode(), entry);
        }

        #[test]
        fn any_bytes_are_an_entry_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(HostPages::decode(&bytes).is_some(), lookup(&bytes).is_some());
        }
    }
}
