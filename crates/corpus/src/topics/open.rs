//! The topics that stories can still join, and the search for the nearest one.
//!
//! Candidates come from an inverted index: for each of a story's heaviest terms, the topics that have it. The terms of
//! each candidate add up in a slot of its own, so the search takes a few nanoseconds for each entry of the index that
//! it reads, and the most entries that it reads are fixed. Stories that have nothing in common cost no more, the more
//! there are of them.

use std::collections::{BTreeSet, HashMap};

use super::vector::{Sieve, Vector};

/// The open topics of a language. Where there are more, the one whose last story is the oldest is closed.
const MOST_OPEN: usize = 50_000;

/// The terms of a topic; at twice as many, the lightest are dropped.
const TERMS: usize = 128;

/// The heaviest terms of a story, by which candidates are found.
const SEARCHED: usize = 24;

/// The entries of the index that are read for a story. Of terms that have more together, the most common are left out,
/// as they distinguish the least. Of real texts, fewer than these are read as long as some 50,000 topics are open.
const MOST_READ: usize = 1 << 14;

/// The candidates that are compared: those that have the most of the searched terms, by weight.
const CANDIDATES: usize = 64;

/// A topic that stories can join.
struct OpenTopic {
    /// The sum of the vectors of its stories.
    sum: Vector,
    /// The length of `sum`.
    norm: f32,
    /// The day of its last story.
    last: i64,
}

/// The topics of a language by number. The first one has the number `first`.
struct Slots {
    first: u32,
    /// `None` if it is closed.
    topics: Vec<Option<Box<OpenTopic>>>,
    /// The weight of the searched terms that each topic has. It is 0 between searches. These are apart from the topics,
    /// so that a search stays in the processor's cache.
    shared: Vec<f32>,
}

/// The open topics of a language.
pub(super) struct OpenTopics {
    slots: Slots,
    /// The open topics, by the day of the last story.
    by_day: BTreeSet<(i64, u32)>,
    /// The topics that have each term. Some of them may be closed.
    by_term: HashMap<u64, Vec<u32>>,
    /// Topics that were closed since `by_term` was cleaned.
    closed: usize,
    /// The entries of `by_term` that searches have read.
    pub(super) read: u64,
}

impl OpenTopics {
    /// No topics. `first` is the number that the first one will have.
    pub(super) fn new(first: u32) -> Self {
        Self {
            slots: Slots {
                first,
                topics: Vec::new(),
                shared: Vec::new(),
            },
            by_day: BTreeSet::new(),
            by_term: HashMap::new(),
            closed: 0,
            read: 0,
        }
    }

    /// The topics that an earlier pass left open, each with the day of its last story. They get the numbers from 0 on.
    pub(super) fn load(topics: impl IntoIterator<Item = (Vector, i64)>) -> Self {
        let mut open = Self::new(0);
        for (number, (sum, last)) in (0..).zip(topics) {
            for key in sum.keys() {
                open.by_term.entry(key).or_default().push(number);
            }
            open.by_day.insert((last, number));
            let norm = sum.norm();
            open.slots.push(OpenTopic { sum, norm, last });
        }
        open
    }

    /// The topics that are open, in the order of their numbers, each with the day of its last story.
    pub(super) fn topics(&self) -> impl Iterator<Item = (u32, &Vector, i64)> {
        let numbered = (self.slots.first..).zip(&self.slots.topics);
        numbered.filter_map(|(number, topic)| topic.as_ref().map(|topic| (number, &topic.sum, topic.last)))
    }

    /// The sum of the vectors of a topic's stories, if it is open.
    pub(super) fn sum(&self, number: u32) -> Option<&Vector> {
        self.slots.get(number).map(|topic| &topic.sum)
    }

    /// The topic that is the most similar to a story of a day, and how similar. The older the topic's last story, the
    /// less.
    pub(super) fn nearest(&mut self, story: &Vector, day: i64, window: u32) -> Option<(u32, f32)> {
        let candidates = self.candidates(story);
        let sieve = Sieve::new(story);
        let similarity = |(number, _): (u32, f32)| {
            let topic = self.slots.get(number)?;
            let age = (day - topic.last).max(0) as f32 / (window as f32 + 1.0);
            Some((number, sieve.dot(&topic.sum) / topic.norm * (1.0 - age / 2.0)))
        };
        let similarities = candidates.into_iter().filter_map(similarity);
        similarities.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// The open topics that have the most of a story's heaviest terms, in no order, each with the weight of these
    /// terms.
    fn candidates(&mut self, story: &Vector) -> Vec<(u32, f32)> {
        let Slots { first, topics, shared } = &mut self.slots;
        let mut touched: Vec<usize> = Vec::new();
        for (weight, numbers) in searched(&self.by_term, story) {
            self.read += numbers.len() as u64;
            for number in numbers {
                let place = (number - *first) as usize;
                if shared[place] == 0.0 {
                    touched.push(place);
                }
                shared[place] += weight;
            }
        }
        let mut best = Vec::with_capacity(2 * CANDIDATES);
        let mut least = 0.0;
        for place in touched {
            let shared = std::mem::take(&mut shared[place]);
            if shared < least || topics[place].is_none() {
                continue;
            }
            best.push((*first + place as u32, shared));
            if best.len() == 2 * CANDIDATES {
                least = keep_best(&mut best);
            }
        }
        if best.len() > CANDIDATES {
            keep_best(&mut best);
        }
        best
    }

    /// Begins the next topic with a story. Gives back a topic that had to be closed for it.
    pub(super) fn begin(&mut self, number: u32, story: &Vector, day: i64) -> Option<(u32, Vector)> {
        for key in story.keys() {
            self.by_term.entry(key).or_default().push(number);
        }
        self.slots.push(OpenTopic {
            sum: story.clone(),
            norm: story.norm(),
            last: day,
        });
        self.by_day.insert((day, number));
        if self.by_day.len() <= MOST_OPEN {
            return None;
        }
        self.close_first()
    }

    /// Adds a story to an open topic.
    pub(super) fn join(&mut self, number: u32, story: &Vector, day: i64) {
        let Some(topic) = self.slots.get_mut(number) else {
            return;
        };
        for key in story.keys().filter(|key| topic.sum.weight(*key).is_none()) {
            let topics = self.by_term.entry(key).or_default();
            if topics.last() != Some(&number) {
                topics.push(number);
            }
        }
        topic.sum.add(story);
        if topic.sum.len() > 2 * TERMS {
            topic.sum.prune(TERMS);
        }
        topic.norm = topic.sum.norm();
        self.touch(number, day);
    }

    /// Keeps a topic open, if it is, because a story of it has come back. One that comes late makes it no older.
    pub(super) fn touch(&mut self, number: u32, day: i64) {
        if let Some(topic) = self.slots.get_mut(number) {
            let day = day.max(topic.last);
            self.by_day.remove(&(topic.last, number));
            topic.last = day;
            self.by_day.insert((day, number));
        }
    }

    /// Closes the topic with the oldest last story if it is older than a day, and gives it back.
    pub(super) fn close_before(&mut self, day: i64) -> Option<(u32, Vector)> {
        match self.by_day.first() {
            Some((last, _)) if *last < day => self.close_first(),
            _ => None,
        }
    }

    /// Closes the topic with the oldest last story, and gives it back. `None` if no topic is open.
    pub(super) fn close_first(&mut self) -> Option<(u32, Vector)> {
        let (_, number) = self.by_day.pop_first()?;
        let topic = self.slots.take(number)?;
        self.closed += 1;
        if self.closed > self.by_day.len() {
            let slots = &self.slots;
            self.by_term.retain(|_, numbers| {
                numbers.retain(|number| slots.get(*number).is_some());
                !numbers.is_empty()
            });
            self.closed = 0;
        }
        Some((number, topic.sum))
    }
}

impl Slots {
    /// A topic, if it is open.
    fn get(&self, number: u32) -> Option<&OpenTopic> {
        self.topics[(number - self.first) as usize].as_deref()
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut OpenTopic> {
        self.topics[(number - self.first) as usize].as_deref_mut()
    }

    /// Closes a topic.
    fn take(&mut self, number: u32) -> Option<Box<OpenTopic>> {
        self.topics[(number - self.first) as usize].take()
    }

    /// Opens a topic after the ones before it.
    fn push(&mut self, topic: OpenTopic) {
        self.topics.push(Some(Box::new(topic)));
        self.shared.push(0.0);
    }
}

/// The topics that have each of a story's heaviest terms, with the term's weight, the heaviest first.
fn searched<'t>(by_term: &'t HashMap<u64, Vec<u32>>, story: &Vector) -> Vec<(f32, &'t [u32])> {
    let heaviest = story.heaviest(SEARCHED).into_iter();
    let mut terms: Vec<(f32, &[u32])> = heaviest
        .filter_map(|(key, weight)| Some((weight, by_term.get(&key)?.as_slice())))
        .collect();
    let mut entries: usize = terms.iter().map(|(_, topics)| topics.len()).sum();
    while entries > MOST_READ {
        let lengths = terms.iter().map(|(_, topics)| topics.len()).enumerate();
        let Some((longest, length)) = lengths.max_by_key(|(_, length)| *length) else {
            break;
        };
        terms.remove(longest);
        entries -= length;
    }
    terms
}

/// Keeps the candidates that share the most, of equal ones the earlier topics. Gives back what the last of them shares.
fn keep_best(candidates: &mut Vec<(u32, f32)>) -> f32 {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let (_, last, _) = candidates.select_nth_unstable_by(CANDIDATES - 1, order);
    let least = last.1;
    candidates.truncate(CANDIDATES);
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::frequencies::Frequencies;
    use crate::topics::terms::Term;

    const WINDOW: u32 = 14;

    /// A story with these terms. Their counts go from 1 up.
    fn story(keys: impl IntoIterator<Item = u64>) -> Vector {
        let term = |(key, count)| Term {
            key,
            name: String::new(),
            count,
        };
        let terms: Vec<Term> = keys.into_iter().zip(1..).map(term).collect();
        let mut frequencies = Frequencies::default();
        (0..100).for_each(|_| frequencies.add(&[]));
        Vector::weigh(&terms, &frequencies)
    }

    /// Different terms below a number, the same for each seed.
    fn some_terms(seed: u64, most: u64) -> Vec<u64> {
        let hash = |i: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed) % most;
        let mut seen = std::collections::HashSet::new();
        (0..40).map(hash).filter(|term| seen.insert(*term)).collect()
    }

    /// The sum of the products of the weights of common terms.
    fn dot(story: &Vector, sum: &Vector) -> f32 {
        let product = |(key, weight): (u64, f32)| Some(weight * sum.weight(key)?);
        story.terms().filter_map(product).sum()
    }

    /// The nearest topic, found by a search without an index.
    fn scan(open: &OpenTopics, story: &Vector, day: i64) -> Option<(u32, f32)> {
        let heaviest = story.heaviest(SEARCHED);
        let mut shared: Vec<(u32, f32)> = Vec::new();
        for (number, topic) in (open.slots.first..).zip(&open.slots.topics) {
            let Some(topic) = topic else { continue };
            let terms = heaviest.iter().filter(|(key, _)| topic.sum.weight(*key).is_some());
            let weight = terms.fold(0.0, |sum, (_, weight)| sum + weight);
            shared.push((number, weight));
        }
        shared.retain(|(_, weight)| *weight > 0.0);
        shared.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shared.truncate(CANDIDATES);
        let similarity = |(number, _): (u32, f32)| {
            let topic = open.slots.get(number).unwrap();
            let age = (day - topic.last) as f32 / (WINDOW as f32 + 1.0);
            (number, dot(story, &topic.sum) / topic.sum.norm() * (1.0 - age / 2.0))
        };
        let similarities = shared.into_iter().map(similarity);
        similarities.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    #[test]
    fn the_index_finds_what_a_scan_finds() {
        let mut open = OpenTopics::new(7);
        for number in 7..607 {
            let (seed, day) = (u64::from(number), i64::from(number) / 50);
            open.begin(number, &story(some_terms(seed, 300)), day);
            if number % 3 == 0 {
                open.join(number - 2, &story(some_terms(seed + 10_000, 300)), day);
            }
            if number % 4 == 0 {
                open.close_first();
            }
        }
        for seed in 20_000..20_200 {
            let story = story(some_terms(seed, 300));
            let expected = scan(&open, &story, 12);
            assert!(expected.is_some());
            assert_eq!(open.nearest(&story, 12, WINDOW), expected, "seed {seed}");
        }
    }
}
