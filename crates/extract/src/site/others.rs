//! The known pages of a host, and those of them that are no copies of a page.

use std::sync::Arc;

use dehusk_html::NodeId;

use super::{BlockText, MOST_PAGES, MOST_TEXTS, Neighbours, Shape, TextHash};

/// A text of so many words is hardly the same on two pages unless it is template, or they are one page.
const LONG: u32 = 8;

/// Fewer pages of one layout are weaker evidence than all pages of the host.
const LEAST_ALIKE: u32 = 2;

/// Which texts the known pages of a host hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTexts {
    texts: Vec<(TextHash, u32)>,
    shapes: Vec<Shape>,
    /// The pages of which some texts are not remembered, each as a bit and the largest hash that is.
    cut: Vec<(u32, TextHash)>,
}

impl HostTexts {
    /// The texts of pages with these shapes, at most [`MOST_PAGES`]. Each text comes with the pages that hold it, a bit
    /// each.
    pub fn new(mut shapes: Vec<Shape>, mut texts: Vec<(TextHash, u32)>) -> Self {
        shapes.truncate(MOST_PAGES);
        texts.sort_unstable();
        let mut held = [(0, 0); MOST_PAGES];
        for (text, mut pages) in texts.iter().copied() {
            while pages != 0 {
                let (count, largest) = &mut held[pages.trailing_zeros() as usize];
                *count += 1;
                *largest = text;
                pages &= pages - 1;
            }
        }
        let held = held.into_iter().enumerate();
        let cut = held.filter(|(_, (count, _))| *count >= MOST_TEXTS);
        Self {
            cut: cut.map(|(page, (_, largest))| (1 << page, largest)).collect(),
            texts,
            shapes,
        }
    }

    /// How many pages are known.
    pub fn pages(&self) -> u32 {
        self.shapes.len() as u32
    }

    /// How many pages hold a text. The page of number `own` does not count.
    pub fn holding(&self, text: TextHash, own: Option<usize>) -> u32 {
        (self.pages_with(text) & !own.map_or(0, |own| 1 << own)).count_ones()
    }

    /// The pages of which it is not known whether they hold a text, a bit each.
    fn unknown(&self, text: TextHash) -> u32 {
        let unknown = self.cut.iter().filter(|(_, largest)| *largest < text);
        unknown.fold(0, |unknown, (page, _)| unknown | page)
    }

    /// The pages that hold a text, a bit each.
    fn pages_with(&self, text: TextHash) -> u32 {
        let texts = &self.texts;
        let found = texts.binary_search_by_key(&text, |(hash, _)| *hash);
        found.map_or(0, |at| texts[at].1)
    }
}

/// The known pages of a page's host, without the page itself and its copies, and what they hold of its texts.
#[derive(Clone, Debug)]
pub struct OtherPages {
    host: Arc<HostTexts>,
    /// A bit for each.
    pages: u32,
    /// Those of the page's layout, or all if they are too few.
    alike: u32,
    /// The pages of the host that hold each block of the page.
    blocks: Vec<u32>,
    /// The last text node of each block, and whether not all of its text is compared.
    ends: Vec<(NodeId, bool)>,
    /// How many of the other pages hold each block.
    counts: Vec<u32>,
}

impl OtherPages {
    /// The known pages of the host of a page with this shape, which is the page of number `own` if that is known. Its
    /// texts come in document order. `None` if there are no others.
    pub fn new(
        host: Arc<HostTexts>,
        own: Option<usize>,
        shape: Shape,
        texts: impl Iterator<Item = BlockText>,
    ) -> Option<Self> {
        let all = ((1u64 << host.pages()) - 1) as u32;
        let mut others = Self {
            pages: all & !own.map_or(0, |own| 1 << own),
            alike: 0,
            blocks: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            host,
        };
        if others.pages == 0 {
            return None;
        }
        others.pages &= !others.read(texts);
        if others.pages == 0 {
            return None;
        }
        others.counts = others
            .blocks
            .iter()
            .map(|block| (block & others.pages).count_ones())
            .collect();
        let shapes = others.host.shapes.iter().enumerate();
        let alike = shapes.filter(|(_, other)| shape.is_alike(**other));
        let alike = others.pages & alike.fold(0, |alike: u32, (page, _)| alike | 1 << page);
        others.alike = if alike.count_ones() < LEAST_ALIKE {
            others.pages
        } else {
            alike
        };
        Some(others)
    }

    /// Looks the texts up. Returns the copies: pages that hold every longer text of a page and nearly all of its texts
    /// are the page itself under other addresses. Texts of which it is not known whether a page holds them do not count.
    fn read(&mut self, texts: impl Iterator<Item = BlockText>) -> u32 {
        let (mut held, mut unknown, mut lacking) = ([0u32; MOST_PAGES], [0u32; MOST_PAGES], 0u32);
        let add = |mut pages: u32, counts: &mut [u32; MOST_PAGES]| {
            while pages != 0 {
                counts[pages.trailing_zeros() as usize] += 1;
                pages &= pages - 1;
            }
        };
        for BlockText {
            hash,
            words,
            is_cut,
            last,
        } in texts
        {
            let (pages, not_known) = (self.host.pages_with(hash), self.host.unknown(hash));
            self.blocks.push(pages);
            self.ends.push((last, is_cut));
            add(pages, &mut held);
            add(not_known, &mut unknown);
            if words >= LONG {
                lacking |= !(pages | not_known);
            }
        }
        let all = self.blocks.len() as u32;
        let is_copy = |page: &usize| {
            let known = all - unknown[*page];
            lacking >> page & 1 == 0 && 10 * held[*page] >= 9 * known && (known > 0 || all == 0)
        };
        let copies = (0..MOST_PAGES).filter(is_copy);
        copies.fold(0, |copies: u32, page| copies | 1 << page)
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.pages.count_ones()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// How many of them hold a text or another fact.
    pub fn holding(&self, text: TextHash) -> u32 {
        (self.host.pages_with(text) & self.pages).count_ones()
    }

    /// How many of them hold each block of the page.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How many of them hold the block that a node of the page is in, or that begins in it, where they also hold half of
    /// the blocks around it. None hold a block of which not all text is compared: it may have a name of the page's own.
    pub fn holding_at(&self, node: NodeId) -> u32 {
        let block = self.ends.partition_point(|(end, _)| *end < node);
        match self.ends.get(block) {
            Some((_, false)) if Neighbours::of(block, &self.counts).are_repeated() => self.counts[block],
            _ => 0,
        }
    }

    /// How many of them have the layout of the page. If that are too few, it is all of them.
    pub fn alike(&self) -> u32 {
        self.alike.count_ones()
    }

    /// How many of these hold each block of the page.
    pub fn counts_alike(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|block| (block & self.alike).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::super::HASHES;
    use super::*;

    fn host(pages: usize, texts: &[(TextHash, u32)]) -> Arc<HostTexts> {
        Arc::new(HostTexts::new(vec![Shape::default(); pages], texts.to_vec()))
    }

    /// Not all of a text with such a hash is compared.
    const CUT: TextHash = HASHES - 100;

    fn others(host: &Arc<HostTexts>, own: Option<usize>, texts: &[(TextHash, u32)]) -> Option<OtherPages> {
        let text = |(last, (hash, words)): (NodeId, &(TextHash, u32))| BlockText {
            hash: *hash,
            words: *words,
            is_cut: *hash >= CUT,
            last: 10 * last,
        };
        OtherPages::new(Arc::clone(host), own, Shape::default(), (1..).zip(texts).map(text))
    }

    #[test]
    fn a_page_does_not_count_for_itself() {
        let known = host(3, &[(9, 0b101), (4, 0b010)]);
        let page = [(9, 2), (4, 2), (5, 20)];
        let without = others(&known, Some(2), &page).expect("others");
        assert_eq!((without.len(), without.counts()), (2, &[1, 1, 0][..]));
        let all = others(&known, None, &page).expect("others");
        assert_eq!((all.len(), all.holding(9)), (3, 2));
        assert!(others(&host(1, &[(1, 1)]), Some(0), &page).is_none());
    }

    #[test]
    fn a_node_is_in_the_block_whose_last_text_comes_next() {
        let known = host(2, &[(9, 0b11), (4, 0b11), (CUT, 0b11)]);
        let held = |page: &[(TextHash, u32)], nodes: [NodeId; 5]| {
            let others = others(&known, None, page).expect("others");
            nodes.map(|node| others.holding_at(node))
        };
        assert_eq!(held(&[(9, 2), (4, 2), (5, 20)], [5, 10, 20, 21, 31]), [2, 2, 2, 0, 0]);
        // A line that others have, too, between texts of the page's own: a byline of a blog.
        assert_eq!(held(&[(6, 2), (9, 2), (5, 20), (7, 20)], [10, 15, 20, 30, 40]), [0; 5]);
        // A long line.
        assert_eq!(
            held(&[(9, 2), (CUT, 2), (4, 2), (5, 20)], [10, 15, 20, 30, 40]),
            [2, 0, 0, 2, 0]
        );
    }

    #[test]
    fn copies_under_other_addresses_do_not_count() {
        let known = host(2, &[(1, 0b11), (2, 0b01)]);
        let copied = others(&known, None, &[(1, 3), (2, 30)]).expect("others");
        assert_eq!((copied.len(), copied.counts()), (1, &[1, 0][..]));
    }

    #[test]
    fn a_copy_of_a_page_with_very_many_texts_does_not_count() {
        let all = |count: usize| (0..count as TextHash).map(|text| (2 * text, 9));
        let kept = all(MOST_TEXTS).map(|(text, _)| (text, if text == 8 { 0b11 } else { 0b01 }));
        let known = host(2, &kept.collect::<Vec<_>>());
        let copied = others(&known, None, &all(3 * MOST_TEXTS).collect::<Vec<_>>()).expect("others");
        assert_eq!((copied.len(), copied.holding(8)), (1, 1));
        // A page that has other texts, of hashes that would have been kept, is none; nor is one of which all is unknown.
        for other in [vec![(3, 9), (8, 9)], vec![(9000, 9)]] {
            assert_eq!(others(&known, None, &other).expect("others").len(), 2);
        }
    }
}
