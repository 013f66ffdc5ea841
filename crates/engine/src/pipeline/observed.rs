//! Observations of workers about pages, for the report that people read. No document and no account depends on it.

use std::collections::HashMap;
use std::time::Duration;

use dehusk_documents::document::Document;

/// How many of the slowest pages are kept.
const SLOWEST: usize = 10;

/// Groups of sizes: group n holds numbers of n binary digits.
const GROUPS: usize = 33;

/// Most hosts that are counted. Beyond that, those that were met least are forgotten.
const HOSTS: usize = 20_000;

/// Observations about the pages of a batch, or of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// The slowest pages, the slowest first.
    pub slowest: Vec<SlowPage>,
    /// Documents by their number of words.
    pub words: Sizes,
    /// Documents by the size of their pages, in bytes.
    pub page_bytes: Sizes,
    /// Documents by language.
    pub languages: HashMap<String, u64>,
    /// Documents by host.
    pub hosts: HashMap<String, u64>,
    /// Whether hosts were forgotten.
    pub(crate) hosts_cut: bool,
}

/// A page that took long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlowPage {
    pub time: Duration,
    pub url: String,
    /// Where its record is, as `dehusk inspect` takes it.
    pub place: String,
}

/// How many numbers have how many binary digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes([u64; GROUPS]);

impl Default for Sizes {
    fn default() -> Self {
        Self([0; GROUPS])
    }
}

impl Sizes {
    fn count(&mut self, n: u64) {
        let digits = (u64::BITS - n.leading_zeros()) as usize;
        self.0[digits.min(GROUPS - 1)] += 1;
    }

    /// The groups from the first that holds anything to the last, each with its least number.
    pub fn groups(&self) -> impl Iterator<Item = (u64, u64)> {
        let first = self.0.iter().position(|n| *n > 0).unwrap_or(GROUPS);
        let end = self.0.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1);
        let least = |digits: usize| if digits == 0 { 0 } else { 1 << (digits - 1) };
        (first..end).map(move |digits| (least(digits), self.0[digits]))
    }
}

impl Observed {
    /// Whether a page took long enough to be kept.
    pub(super) fn is_slow(&self, time: Duration) -> bool {
        self.slowest.len() < SLOWEST || self.slowest.last().is_some_and(|page| page.time < time)
    }

    /// Keeps a slow page.
    pub(super) fn slow(&mut self, page: SlowPage) {
        let at = self.slowest.partition_point(|other| other.time >= page.time);
        self.slowest.insert(at, page);
        self.slowest.truncate(SLOWEST);
    }

    /// Counts a document.
    pub(super) fn document(&mut self, document: &Document, page_bytes: usize) {
        let m = &document.metadata;
        self.words.count(m.words.into());
        self.page_bytes.count(page_bytes as u64);
        count(&mut self.languages, &m.language, 1);
        count(&mut self.hosts, &m.hostname, 1);
    }

    /// Adds what was noticed elsewhere.
    pub fn add(&mut self, other: Observed) {
        for page in other.slowest {
            if self.is_slow(page.time) {
                self.slow(page);
            }
        }
        for (sum, n) in self.words.0.iter_mut().zip(other.words.0) {
            *sum += n;
        }
        for (sum, n) in self.page_bytes.0.iter_mut().zip(other.page_bytes.0) {
            *sum += n;
        }
        other
            .languages
            .iter()
            .for_each(|(name, n)| count(&mut self.languages, name, *n));
        other
            .hosts
            .iter()
            .for_each(|(name, n)| count(&mut self.hosts, name, *n));
        self.hosts_cut |= other.hosts_cut;
        let mut least = 1;
        while self.hosts.len() > HOSTS {
            self.hosts_cut = true;
            self.hosts.retain(|_, n| *n > least);
            least *= 2;
        }
    }
}

fn count(counts: &mut HashMap<String, u64>, name: &str, n: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum += n,
        None => drop(counts.insert(name.to_owned(), n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(millis: u64) -> SlowPage {
        SlowPage {
            time: Duration::from_millis(millis),
            url: String::new(),
            place: millis.to_string(),
        }
    }

    #[test]
    fn the_slowest_pages_of_all_batches_are_kept() {
        let mut all = Observed::default();
        for batch in 0..4 {
            let mut observed = Observed::default();
            (0..20)
                .map(|n| page(n * 4 + batch))
                .for_each(|page| observed.slow(page));
            all.add(observed);
        }
        let kept: Vec<u64> = all.slowest.iter().map(|page| page.time.as_millis() as u64).collect();
        assert_eq!(kept, [79, 78, 77, 76, 75, 74, 73, 72, 71, 70]);
    }

    #[test]
    fn hosts_are_bounded_and_the_largest_stay() {
        let mut all = Observed::default();
        for batch in 0..5 {
            let mut observed = Observed::default();
            count(&mut observed.hosts, "large.example", 10);
            (0..HOSTS).for_each(|n| count(&mut observed.hosts, &format!("{batch}-{n}.example"), 1));
            all.add(observed);
        }
        assert!(all.hosts.len() <= HOSTS && all.hosts_cut);
        assert_eq!(all.hosts["large.example"], 50);
    }

    #[test]
    fn sizes_are_grouped_by_powers_of_two() {
        let mut sizes = Sizes::default();
        [0, 1, 5, 7, 8].into_iter().for_each(|n| sizes.count(n));
        assert_eq!(Vec::from_iter(sizes.groups()), [(0, 1), (1, 1), (2, 0), (4, 2), (8, 1)]);
    }
}
