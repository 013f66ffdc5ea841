//! The words that a block has in common with the title and with the description of the page.

use dehusk_html::{Dom, Tag};

use super::super::blocks::hash;
use super::super::fixed::{share, signed_log};
use super::super::looks;
use super::page::PageSums;
use super::{Columns, flag};

/// Words of the title that count.
const TITLE_WORDS: usize = 64;

/// Words of the description that count.
const DESCRIPTION_WORDS: usize = 200;

/// The arrays that are reused from page to page.
#[derive(Debug, Default)]
pub(super) struct TitleBuffers {
    /// For each block the words of the title that it has, and how many of its own first words these are.
    shares: Vec<(i16, i16)>,
    described: Vec<i16>,
    heading: usize,
}

impl TitleBuffers {
    /// The heading that is most like the title.
    pub(super) fn heading(&self) -> usize {
        self.heading
    }
}

pub(super) fn fill(page: &PageSums<'_>, buffers: &mut TitleBuffers, columns: &mut Columns<'_>) {
    let TitleBuffers {
        shares,
        described,
        heading,
    } = buffers;
    let (title, description) = title_and_description(page.dom);
    let title = looks::of_text(&title, TITLE_WORDS);
    let mut filter = Filter::default();
    title.iter().for_each(|word| filter.add((*word).into()));
    shares.clear();
    for hashes in page.hashes {
        let own = hashes.as_slice();
        let mut found = 0u64;
        let mut words = 0;
        for word in own.iter().filter(|word| filter.may_have((**word).into())) {
            // Of two equal words of the title the first counts.
            if let Some(place) = title.iter().position(|of_title| of_title == word) {
                words += u32::from(found >> place & 1 == 0);
                found |= 1 << place;
            }
        }
        shares.push((share(words, title.len() as u32), share(words, own.len() as u32)));
    }
    let mut best = 0;
    *heading = 0;
    let mut first = None;
    for (i, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.heading > 0) {
        let (of_title, of_block) = shares[i];
        let mut likeness = i32::from(of_title) * i32::from(of_block);
        if block.heading == 1 {
            first.get_or_insert(i);
            likeness += 1 << 18;
        }
        if likeness > best {
            (best, *heading) = (likeness, i);
        }
    }
    describe(page, &description, described);
    let title = *heading;
    columns.column("from_title", |i| signed_log(i as i64 - title as i64));
    columns.column("words_from_title", |i| {
        signed_log(i64::from(page.before(i).words) - i64::from(page.before(title).words))
    });
    columns.column("has_title", |i| shares[i].0);
    columns.column("is_title", |i| shares[i].1);
    columns.column("title_found", |_| (best >> 11) as i16);
    columns.column("is_title_heading", |i| flag(best > 0 && i == title));
    columns.column("from_first_h1", |i| {
        first.map_or(2048, |first| signed_log(i as i64 - first as i64))
    });
    columns.column("described", |i| described[i]);
}

/// The share of each block's first word triples that the description has.
fn describe(page: &PageSums<'_>, description: &str, described: &mut Vec<i16>) {
    let words = looks::of_text(description, DESCRIPTION_WORDS);
    let mut filter = Filter::default();
    let mut triples: Vec<u64> = words.windows(3).map(triple).collect();
    triples.iter().for_each(|triple| filter.add(*triple));
    triples.sort_unstable();
    described.clear();
    described.extend(page.hashes.iter().map(|hashes| {
        let own = hashes.as_slice().windows(3);
        if triples.is_empty() || own.len() == 0 {
            return 0;
        }
        let all = own.len() as u32;
        let is_described = |triple: &u64| filter.may_have(*triple) && triples.binary_search(triple).is_ok();
        share(own.map(triple).filter(is_described).count() as u32, all)
    }));
}

/// A hash of three words.
fn triple(words: &[u32]) -> u64 {
    words.iter().fold(0, |all, word| hash(all, (*word).into()))
}

/// A set of hashes that may seem to have more than it has. Most words of a page are in no title, and are passed over quickly.
#[derive(Default)]
struct Filter([u64; 8]);

impl Filter {
    #[inline]
    fn add(&mut self, hash: u64) {
        self.0[(hash >> 6) as usize % 8] |= 1 << (hash % 64);
    }

    #[inline]
    fn may_have(&self, hash: u64) -> bool {
        self.0[(hash >> 6) as usize % 8] >> (hash % 64) & 1 == 1
    }
}

/// The title, and what the head says of the page's content.
fn title_and_description(dom: &Dom<'_>) -> (String, String) {
    let mut description = String::new();
    let head = 0..if dom.body() > 0 { dom.body() } else { dom.len() };
    for id in head.filter(|id| dom.node(*id).tag == Tag::Meta) {
        let name = dom.attribute(id, "name").or_else(|| dom.attribute(id, "property"));
        let is_description =
            |name: &str| name.eq_ignore_ascii_case("description") || name.eq_ignore_ascii_case("og:description");
        if name.is_some_and(|name| is_description(&name))
            && let Some(content) = dom.attribute(id, "content")
        {
            description.push_str(&content);
            description.push_str(" \u{2029} ");
        }
    }
    (dom.title().unwrap_or_default(), description)
}
