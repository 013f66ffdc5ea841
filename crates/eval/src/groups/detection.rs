//! The detection cost of topics, as in topic detection and tracking (TDT).
//!
//! Fiscus and Doddington, "Topic detection and tracking evaluation overview", 2002. A known topic is compared with the
//! found topic that costs least, or with none. For a known topic of `t` stories and a found one of `f`, which have `n` in
//! common, among `N` documents of the topic's language:
//!
//! - P_miss = 1 - n / t, and P_fa = (f - n) / (N - t).
//! - C_det = C_miss · P_miss · P_target + C_fa · P_fa · (1 - P_target), with C_miss = 1, C_fa = 0.1 and P_target = 0.02.
//! - Normalised, C_det is divided by min(C_miss · P_target, C_fa · (1 - P_target)): the cost of the better of two systems
//!   that do not look, one that always answers no and one that always answers yes. That makes it P_miss + 4.9 · P_fa.
//!
//! Topic-weighted, it is the mean over the known topics of at least two documents. Story-weighted, misses and false
//! alarms are summed over these topics first. Documents that the truth has in no topic are among the `N`.

use std::collections::{BTreeMap, HashMap};

use super::labels::NO_GROUP;

/// C_miss, C_fa and P_target.
pub const MISS: f64 = 1.0;
/// The cost of a false alarm.
pub const FALSE_ALARM: f64 = 0.1;
/// The prior probability of a story on the topic.
pub const TARGET: f64 = 0.02;

/// A normalised cost with its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The normalised detection cost: 0 is perfect, 1 is what a system that finds nothing has.
    pub normalised: f64,
    /// The share of stories that were missed.
    pub missed: f64,
    /// The share of the other documents that were taken for stories.
    pub false_alarms: f64,
}

impl Cost {
    fn new(missed: f64, false_alarms: f64) -> Self {
        let cost = MISS * missed * TARGET + FALSE_ALARM * false_alarms * (1.0 - TARGET);
        Self {
            normalised: cost / (MISS * TARGET).min(FALSE_ALARM * (1.0 - TARGET)),
            missed,
            false_alarms,
        }
    }
}

/// The cost of the topics of one language, or of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionScore {
    /// The number of the language; `None` for all.
    pub(super) language: Option<u16>,
    /// Known topics of at least two documents.
    pub topics: u64,
    /// Their documents.
    pub stories: u64,
    /// The mean over topics.
    pub by_topic: Cost,
    /// The cost of the sums over topics.
    pub by_story: Cost,
}

/// A document: its language, its known topic and its found topic.
pub(super) type Labelled = (u16, u32, u32);

/// The counts of some topics.
#[derive(Default)]
struct Sums {
    topics: u64,
    stories: u64,
    costs: Cost,
    missed: u64,
    false_alarms: u64,
    others: u64,
}

/// Scores the topics of all documents, and of each language if there are several.
pub(super) fn score(documents: impl Iterator<Item = Labelled>) -> Vec<DetectionScore> {
    let mut languages: HashMap<u16, u64> = HashMap::new();
    let mut found: HashMap<(u16, u32), u64> = HashMap::new();
    let mut known: BTreeMap<(u16, u32), (u64, HashMap<u32, u64>)> = BTreeMap::new();
    for (language, t, f) in documents {
        *languages.entry(language).or_default() += 1;
        if f != NO_GROUP {
            *found.entry((language, f)).or_default() += 1;
        }
        if t != NO_GROUP {
            let topic = known.entry((language, t)).or_default();
            topic.0 += 1;
            if f != NO_GROUP {
                *topic.1.entry(f).or_default() += 1;
            }
        }
    }
    let mut sums: BTreeMap<Option<u16>, Sums> = BTreeMap::new();
    for ((language, _), (stories, cells)) in known.iter().filter(|(_, (stories, _))| *stories > 1) {
        let others = languages.get(language).map_or(0, |n| n - stories);
        let with = |n: u64, size: u64| {
            let (missed, false_alarms) = (stories - n, size - n);
            let cost = Cost::new(
                missed as f64 / *stories as f64,
                false_alarms as f64 / others.max(1) as f64,
            );
            (cost, missed, false_alarms)
        };
        let sizes = |f: &u32| found.get(&(*language, *f)).copied().unwrap_or_default();
        let best = cells
            .iter()
            .map(|(f, n)| with(*n, sizes(f)))
            .chain([with(0, 0)])
            .min_by(|a, b| a.0.normalised.total_cmp(&b.0.normalised).then(a.1.cmp(&b.1)));
        let Some((cost, missed, false_alarms)) = best else {
            continue;
        };
        let of_language = (languages.len() > 1).then_some(Some(*language));
        for key in [None].into_iter().chain(of_language) {
            let sums = sums.entry(key).or_default();
            sums.topics += 1;
            sums.stories += stories;
            sums.costs.normalised += cost.normalised;
            sums.costs.missed += cost.missed;
            sums.costs.false_alarms += cost.false_alarms;
            sums.missed += missed;
            sums.false_alarms += false_alarms;
            sums.others += others;
        }
    }
    sums.into_iter().map(|(language, sums)| sums.score(language)).collect()
}

impl Sums {
    fn score(&self, language: Option<u16>) -> DetectionScore {
        let mean = |sum: f64| sum / self.topics.max(1) as f64;
        DetectionScore {
            language,
            topics: self.topics,
            stories: self.stories,
            by_topic: Cost {
                normalised: mean(self.costs.normalised),
                missed: mean(self.costs.missed),
                false_alarms: mean(self.costs.false_alarms),
            },
            by_story: Cost::new(
                self.missed as f64 / self.stories.max(1) as f64,
                self.false_alarms as f64 / self.others.max(1) as f64,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents of one language: how many of each known and found topic.
    fn documents(counts: &[(u32, u32, usize)]) -> Vec<Labelled> {
        let of = |(t, f, n): &(u32, u32, usize)| std::iter::repeat_n((0, *t, *f), *n);
        counts.iter().flat_map(of).collect()
    }

    #[test]
    fn a_topic_is_compared_with_the_one_that_costs_least() {
        // Topic 0 has 4 stories: 3 in found topic 7, with 2 others, and 1 in found topic 8. There are 100 documents.
        let scores = score(documents(&[(0, 7, 3), (0, 8, 1), (NO_GROUP, 7, 2), (NO_GROUP, NO_GROUP, 94)]).into_iter());
        assert_eq!(scores.len(), 1);
        let all = scores[0];
        assert_eq!((all.topics, all.stories, all.language), (1, 4, None));
        assert_eq!((all.by_topic.missed, all.by_topic.false_alarms), (0.25, 2.0 / 96.0));
        assert!((all.by_topic.normalised - (0.25 + 4.9 * 2.0 / 96.0)).abs() < 1e-12);
        assert_eq!(all.by_topic, all.by_story);
    }

    #[test]
    fn a_system_that_finds_nothing_costs_one_and_a_perfect_one_nothing() {
        let cost = |counts: &[(u32, u32, usize)]| score(documents(counts).into_iter())[0].by_topic.normalised;
        assert_eq!(
            cost(&[(0, NO_GROUP, 3), (1, NO_GROUP, 2), (NO_GROUP, NO_GROUP, 9)]),
            1.0
        );
        assert_eq!(cost(&[(0, 5, 3), (1, 6, 2), (NO_GROUP, NO_GROUP, 9)]), 0.0);
        // One that puts all in one topic costs no more than nothing does.
        assert_eq!(cost(&[(0, 5, 2), (NO_GROUP, 5, 98)]), 1.0);
    }

    #[test]
    fn topics_and_stories_weigh_differently_and_languages_are_apart() {
        let documents = [
            (0, 0, 1),
            (0, 0, 1),
            (0, 1, NO_GROUP),
            (0, 1, NO_GROUP),
            (0, 1, NO_GROUP),
            (1, 2, 1),
            (1, 2, 1),
        ];
        let scores = score(documents.into_iter());
        let languages: Vec<_> = scores.iter().map(|s| (s.language, s.topics)).collect();
        assert_eq!(languages, [(None, 3), (Some(0), 2), (Some(1), 1)]);
        // Found topic 1 has documents of both languages; only those of the topic's language count.
        assert_eq!(scores[2].by_topic.normalised, 0.0);
        assert_eq!(scores[1].by_topic.missed, 0.5);
        assert_eq!(scores[1].by_story.missed, 3.0 / 5.0);
    }
}
