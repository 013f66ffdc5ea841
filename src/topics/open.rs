//! The topics that stories can still join, and the search for the nearest one.

use std::collections::{BTreeSet, HashMap};

use super::vector::Vector;

/// The open topics of a language. Where there are more, the one whose last story is the oldest is closed.
const MOST_OPEN: usize = 50_000;

/// The terms of a topic; at twice as many, the lightest are dropped.
const TERMS: usize = 128;

/// The heaviest terms of a story, by which candidates are found.
const SEARCHED: usize = 24;

/// The candidates that are compared: those that have the most of the searched terms, by weight.
const CANDIDATES: usize = 64;

/// A topic that stories can join.
pub(super) struct Topic {
    /// The sum of the vectors of its stories.
    pub(super) sum: Vector,
    /// The day of its last story.
    last: i64,
}

/// The open topics of a language, by number.
#[derive(Default)]
pub(super) struct OpenTopics {
    topics: HashMap<u32, Topic>,
    /// The same, by the day of the last story.
    by_day: BTreeSet<(i64, u32)>,
    /// The topics that have each term. Some of them may be closed.
    by_term: HashMap<u64, Vec<u32>>,
    /// Topics that were closed since `by_term` was cleaned.
    closed: usize,
}

impl OpenTopics {
    /// The topic that is the most similar to a story of a day, and how similar. The older the topic's last story, the less.
    pub(super) fn nearest(&mut self, story: &Vector, day: i64, window: u32) -> Option<(u32, f32)> {
        let mut shared: HashMap<u32, f32> = HashMap::new();
        for (key, weight) in story.heaviest(SEARCHED) {
            for topic in self.by_term.get(&key).into_iter().flatten() {
                *shared.entry(*topic).or_default() += weight;
            }
        }
        let mut candidates: Vec<(u32, f32)> = shared
            .into_iter()
            .filter(|(n, _)| self.topics.contains_key(n))
            .collect();
        candidates.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        candidates.truncate(CANDIDATES);
        let similarity = |(number, _): (u32, f32)| {
            let topic = self.topics.get(&number)?;
            let age = (day - topic.last).max(0) as f32 / (window as f32 + 1.0);
            Some((number, story.dot(&topic.sum) / topic.sum.norm() * (1.0 - age / 2.0)))
        };
        let similarities = candidates.into_iter().filter_map(similarity);
        similarities.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Begins a topic with a story. Gives back a topic that had to be closed for it.
    pub(super) fn begin(&mut self, number: u32, story: &Vector, day: i64) -> Option<(u32, Vector)> {
        for key in story.keys() {
            self.by_term.entry(key).or_default().push(number);
        }
        let topic = Topic {
            sum: story.clone(),
            last: day,
        };
        self.topics.insert(number, topic);
        self.by_day.insert((day, number));
        if self.topics.len() <= MOST_OPEN {
            return None;
        }
        self.close_first()
    }

    /// Adds a story to an open topic.
    pub(super) fn join(&mut self, number: u32, story: &Vector, day: i64) {
        let Some(topic) = self.topics.get_mut(&number) else {
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
        self.touch(number, day);
    }

    /// Keeps a topic open, if it is, because a story of it has come back.
    pub(super) fn touch(&mut self, number: u32, day: i64) {
        if let Some(topic) = self.topics.get_mut(&number) {
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
        let topic = self.topics.remove(&number)?;
        self.closed += 1;
        if self.closed > self.topics.len() {
            let topics = &self.topics;
            self.by_term.retain(|_, numbers| {
                numbers.retain(|number| topics.contains_key(number));
                !numbers.is_empty()
            });
            self.closed = 0;
        }
        Some((number, topic.sum))
    }
}
