//! The pages that are remembered of a host.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use dehusk_documents::store::{StoreError, StoreErrorKind};
use dehusk_extract::site::{HASH_BITS, HostTexts, MOST_PAGES, TextHash, shown};

use super::entry::{Entry, EntryPage};
use super::layouts::{self, Layout};
use super::sketch::{HALF_LIFE, PageSketch, TEXTS};

/// This many beginnings of texts are kept for each page of a host, and of each host.
const BEGINS_OF_PAGE: usize = 4;
const MOST_BEGINS: usize = 48;

/// The pages that are remembered of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPages {
    pages: Vec<PageSketch>,
    /// How some texts begin that several pages of a store hold.
    begins: BTreeMap<TextHash, Box<str>>,
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
            // The same capture. Pages of a store do not know how their texts begin.
            Some(known) if known.version() == page.version() => {
                if known.begins.is_empty() || !page.begins.is_empty() && page.begins < known.begins {
                    known.begins = page.begins;
                }
            }
            Some(known) if known.version() > page.version() => {}
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
        for (text, begin) in other.begins {
            let known = self.begins.entry(text).or_insert_with(|| begin.clone());
            if begin < *known {
                *known = begin;
            }
        }
    }

    /// Keeps the pages of the highest ranks, in the order of their ranks.
    pub(super) fn settle(&mut self) {
        self.pages.sort_by_cached_key(PageSketch::order);
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

    /// The texts that at least two pages hold, most repeated first, as far as it is known how they begin.
    pub fn repeated(&self) -> Vec<RepeatedText> {
        let held = self.held();
        let begins = self.begins(&held, usize::MAX);
        let repeated = begins.into_iter().map(|(at, begin)| RepeatedText {
            begin,
            pages: held[at].1.count_ones(),
        });
        let mut repeated: Vec<_> = repeated.collect();
        repeated.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.begin.cmp(&b.begin)));
        repeated
    }

    /// How many texts at least two pages hold.
    pub fn repeated_count(&self) -> usize {
        self.held().iter().filter(|(_, pages)| pages.count_ones() > 1).count()
    }

    /// The layouts of the pages, those of most pages first.
    pub fn layouts(&self) -> Vec<Layout> {
        let shapes: Vec<_> = self.pages.iter().map(|page| page.shape).collect();
        layouts::of(&shapes, &self.held())
    }

    /// The texts with the pages that hold each, a bit each, in the order of the hashes.
    fn held(&self) -> Vec<(TextHash, u32)> {
        let pages = || self.pages.iter().take(MOST_PAGES);
        let mut held = Vec::with_capacity(pages().map(|page| page.texts.len()).sum());
        for (number, page) in pages().enumerate() {
            held.extend(page.texts.iter().map(|text| (*text, 1u32 << number)));
        }
        if self.pages.len() > 1 {
            held.sort_unstable_by_key(|(text, _)| *text);
            held.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 |= if is_same { next.1 } else { 0 };
                is_same
            });
        }
        held
    }

    /// How texts begin that several pages hold, by their places in `held`, in order: of as many texts as are asked for,
    /// most repeated first, and as far as it is known.
    fn begins(&self, held: &[(TextHash, u32)], most: usize) -> Vec<(usize, String)> {
        let place = |text: TextHash| {
            let found = held.binary_search_by_key(&text, |(text, _)| *text).ok();
            found.filter(|at| held[*at].1.count_ones() > 1)
        };
        let mut sources: Vec<Option<&str>> = vec![None; held.len()];
        for (text, source) in self.pages.iter().flat_map(PageSketch::begins) {
            if let Some(at) = place(text) {
                let known = sources[at].get_or_insert(source);
                *known = source.min(*known);
            }
        }
        let known = self
            .begins
            .iter()
            .filter_map(|(text, begin)| Some((place(*text)?, &**begin)));
        let stored: Vec<(usize, &str)> = known.collect();
        let begins = |at: usize| sources[at].is_some() || stored.binary_search_by_key(&at, |(at, _)| *at).is_ok();
        let mut chosen: Vec<usize> = (0..held.len()).filter(|at| begins(*at)).collect();
        if chosen.len() > most {
            // The most repeated texts stay.
            chosen.sort_by_key(|at| Reverse(held[*at].1.count_ones()));
            chosen.truncate(most);
            chosen.sort_unstable();
        }
        let begin = |at: usize| {
            let found = stored.binary_search_by_key(&at, |(at, _)| *at).ok();
            let found = found.map(|found| stored[found].1.to_owned());
            let begin = sources[at].map(shown).into_iter().chain(found).min();
            (at, begin.unwrap_or_default())
        };
        chosen.into_iter().map(begin).collect()
    }

    /// The entry of the store.
    pub(super) fn encode(&mut self) -> Vec<u8> {
        self.settle();
        let page = |page: &PageSketch| EntryPage {
            url: page.url,
            day: page.day,
            shape: page.shape,
        };
        let mut entry = Entry {
            pages: self.pages.iter().map(page).collect(),
            texts: self.held(),
            begins: Vec::new(),
        };
        if self.pages.len() > 1 {
            let most = MOST_BEGINS.min(BEGINS_OF_PAGE * self.pages.len());
            entry.begins = self.begins(&entry.texts, most);
        }
        entry.write()
    }

    /// Reads an entry of the store; `None` if it is no entry.
    pub(super) fn decode(entry: &[u8]) -> Option<Self> {
        let entry = Entry::read(entry)?;
        let page = |(number, page): (usize, &EntryPage)| {
            let own = entry.texts.iter().filter(|(_, pages)| pages >> number & 1 == 1);
            PageSketch {
                url: page.url,
                day: page.day,
                shape: page.shape,
                texts: own.map(|(text, _)| *text).collect(),
                begins: Box::default(),
            }
        };
        let begins = entry
            .begins
            .iter()
            .map(|(at, begin)| (entry.texts[*at].0, begin.as_str().into()));
        Some(Self {
            pages: entry.pages.iter().enumerate().map(page).collect(),
            begins: begins.collect(),
        })
    }
}

/// The parameters that the entries of a store are made by.
pub(super) fn parameters() -> String {
    format!("{MOST_PAGES} pages a host, half-life {HALF_LIFE} days, texts of form {TEXTS} in {HASH_BITS} bits")
}

/// The error of a store with an entry that is none.
pub(super) fn no_entry(path: &Path) -> StoreError {
    let source = "an entry is no list of pages".into();
    StoreError::new(path, StoreErrorKind::Corrupt { source })
}

/// Reads of an entry what extractors ask: the texts, and the hashes of the pages' URLs in the order of the bits. `None`
/// if it is no entry.
pub(super) fn lookup(entry: &[u8]) -> Option<(HostTexts, Vec<u64>)> {
    let Entry { pages, texts, .. } = Entry::read(entry)?;
    let shapes = pages.iter().map(|page| page.shape).collect();
    Some((
        HostTexts::new(shapes, texts),
        pages.iter().map(|page| page.url).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pages() -> impl Strategy<Value = Vec<PageSketch>> {
        let texts = prop::collection::btree_set(0u32..60, 0..12);
        let page = (0u64..70, 0u16..4000, texts).prop_map(|(url, day, texts)| {
            // Hashes at both ends of their range.
            let hash = |text: u32| if text < 30 { text } else { (1 << HASH_BITS) - 100 + text };
            let texts = texts.into_iter().map(|text| (hash(text), format!("text {text}")));
            PageSketch::new(url.wrapping_mul(0x9E37_79B9_7F4A_7C15), day, texts)
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
            // Nor does it if some come from a store. Only fewer beginnings are known then.
            let (first, second) = pages.split_at(split.min(pages.len()));
            let mut merged = HostPages::decode(&host(first).encode()).expect("an entry");
            merged.merge(host(second));
            prop_assert_eq!(lookup(&merged.encode()), lookup(&entry));
        }

        #[test]
        fn an_entry_is_read_as_it_was_written(pages in pages()) {
            let mut host = host(&pages);
            let entry = host.encode();
            let mut read = HostPages::decode(&entry).expect("an entry");
            prop_assert_eq!(lookup(&entry).expect("an entry").1.len(), host.len());
            prop_assert_eq!(read.repeated_count(), host.repeated_count());
            prop_assert_eq!(read.layouts(), host.layouts());
            prop_assert_eq!(read.encode(), entry);
        }

        #[test]
        fn any_bytes_are_an_entry_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(HostPages::decode(&bytes).is_some(), lookup(&bytes).is_some());
        }

        #[test]
        fn an_entry_that_is_cut_is_none(pages in pages(), cut in 0usize..1000) {
            let entry = host(&pages).encode();
            let cut = cut % entry.len();
            prop_assert!(HostPages::decode(&entry[..cut]).is_none(), "cut to {} of {}", cut, entry.len());
        }
    }

    #[test]
    fn a_page_alone_takes_two_bytes_a_text_and_little_else() {
        let texts = (0..140u32).map(|text| (text.wrapping_mul(2_654_435_761) >> (32 - HASH_BITS), String::new()));
        let mut host = HostPages::default();
        host.add(PageSketch::new(1 << 40, 20_000, texts));
        assert!(host.encode().len() < 330, "{}", host.encode().len());
    }
}
