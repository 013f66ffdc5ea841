//! Descriptions of topics: terms, first story, most typical titles, and growth.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::collect::{Stories, Story};
use super::error::TopicsError;
use super::moment;
use super::options::Options;
use super::stream::{DetectedTopic, Detection};
use super::vector::Vector;
use crate::cluster::free_name;

/// The terms and the titles that are listed.
pub(super) const TERMS: usize = 10;
const TITLES: usize = 3;

/// A topic as it is written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Topic {
    /// The name: a hash of the first story's id.
    pub(super) topic: String,
    pub(super) language: String,
    pub(super) stories: u32,
    /// Stories and their near-duplicates.
    pub(super) documents: u32,
    /// Hosts of the documents.
    pub(super) sites: u64,
    /// Documents without a date, which are on no day.
    pub(super) undated: u32,
    pub(super) terms: Vec<WeightedTerm>,
    pub(super) first: StoryLine,
    /// The stories that have the most in common with the others, the best first.
    pub(super) titles: Vec<StoryLine>,
    pub(super) days: Vec<Day>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct WeightedTerm {
    pub(super) term: String,
    /// The share of the heaviest term's weight.
    pub(super) weight: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoryLine {
    pub(super) id: String,
    /// `""` if unknown.
    pub(super) date: String,
    pub(super) title: String,
    pub(super) url: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Day {
    /// The day, counted from 1970.
    #[serde(skip)]
    pub(super) number: i64,
    pub(super) day: String,
    pub(super) stories: u32,
    pub(super) documents: u32,
}

/// The data that a topic's description is made from. An index keeps it from night to night.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Gathered {
    sites: BTreeSet<u64>,
    undated: u32,
    first: StoryLine,
    /// With how much each has in common with the topic.
    titles: Vec<(f32, StoryLine)>,
    /// The form of each term that most stories have, and by how many more than other forms.
    names: BTreeMap<u64, (String, u32)>,
    days: BTreeMap<i64, (u32, u32)>,
}

/// The other facts of a topic's description.
pub(super) struct Facts<'t> {
    pub(super) name: u64,
    pub(super) language: &'t str,
    pub(super) stories: u32,
    pub(super) documents: u32,
    /// Its heaviest terms, the heaviest first.
    pub(super) terms: Vec<(u64, f32)>,
}

/// A document of a topic.
pub(super) struct Gathering<'s> {
    pub(super) stories: &'s Stories,
    pub(super) document: usize,
    pub(super) is_story: bool,
    /// Whether it began the topic.
    pub(super) is_first: bool,
    /// The topic's heaviest terms.
    pub(super) profile: &'s Vector,
}

/// Describes the topics that are listed, the largest first.
pub(super) fn describe(stories: &Stories, detection: &Detection, options: &Options) -> Result<Vec<Topic>, TopicsError> {
    let mut gathered: HashMap<u32, Gathered> = HashMap::new();
    for document in stories.streams().into_iter().flatten() {
        let Some(place) = detection.places[document] else {
            continue;
        };
        let topic = &detection.topics[place.topic as usize];
        if topic.stories >= options.stories {
            gathered.entry(place.topic).or_default().add(&Gathering {
                stories,
                document,
                is_story: place.is_story,
                is_first: topic.first == document,
                profile: &topic.profile,
            })?;
        }
    }
    let names = names(stories, detection);
    let topic = |(number, gathered): (u32, Gathered)| {
        let topic = &detection.topics[number as usize];
        let facts = Facts {
            name: names[number as usize],
            language: &stories.languages[usize::from(stories.documents[topic.first].language)],
            stories: topic.stories,
            documents: topic.documents,
            terms: topic.profile.heaviest(TERMS),
        };
        (number, gathered.finish(&facts))
    };
    let mut topics: Vec<(u32, Topic)> = gathered.into_iter().map(topic).collect();
    topics.sort_unstable_by_key(|(number, topic)| (std::cmp::Reverse((topic.stories, topic.documents)), *number));
    Ok(topics.into_iter().map(|(_, topic)| topic).collect())
}

/// The names of all topics, by number. Where ids repeat, the later topic gets another name.
pub(super) fn names(stories: &Stories, detection: &Detection) -> Vec<u64> {
    let mut taken = HashSet::new();
    let name = |topic: &DetectedTopic| {
        let Ok(name) = free_name(&stories.documents[topic.first].id, |name| {
            Ok::<_, Infallible>(taken.insert(name))
        });
        name
    };
    detection.topics.iter().map(name).collect()
}

/// A topic's name as it is written.
pub(super) fn written(name: u64) -> String {
    format!("{name:016x}")
}

impl Gathered {
    pub(super) fn add(&mut self, of: &Gathering<'_>) -> Result<(), TopicsError> {
        let entry = &of.stories.documents[of.document];
        match entry.moment.map(moment::day) {
            Some(day) => {
                let day = self.days.entry(day).or_default();
                day.0 += u32::from(of.is_story);
                day.1 += 1;
            }
            None => self.undated += 1,
        }
        if entry.is_short() {
            return Ok(());
        }
        let story = of.stories.story(of.document)?;
        self.sites.insert(xxh3_64(story.host.as_bytes()));
        if !of.is_story {
            return Ok(());
        }
        let (mut common, mut all) = (0.0, 0.0_f32);
        for term in &story.terms {
            let weight = 1.0 + (term.count as f32).ln();
            all += weight * weight;
            if let Some(own) = of.profile.weight(term.key) {
                common += own * weight;
                self.vote(term.key, &term.name);
            }
        }
        let line = StoryLine::new(of.stories, of.document, story);
        if of.is_first {
            self.first = line.clone();
        }
        let is_new = self.titles.iter().all(|(_, known)| known.title != line.title);
        if !line.title.is_empty() && is_new {
            self.titles.push((common / all.sqrt(), line));
            // A stable sort: of equal ones, the earlier stays before the later.
            self.titles.sort_by(|a, b| b.0.total_cmp(&a.0));
            self.titles.truncate(TITLES);
        }
        Ok(())
    }

    /// Forgets the forms of terms that are not listed now. A term that is listed later has come again until then, and
    /// its form with it, because the weights of terms never fall.
    pub(super) fn keep_names(&mut self, terms: &[(u64, f32)]) {
        self.names
            .retain(|key, _| terms.iter().any(|(listed, _)| listed == key));
    }

    /// Counts a form of a term. The form that more than half of the stories have remains in any case.
    fn vote(&mut self, key: u64, name: &str) {
        let (known, votes) = self.names.entry(key).or_insert_with(|| (name.to_owned(), 0));
        if known == name {
            *votes += 1;
        } else if *votes == 0 {
            name.clone_into(known);
            *votes = 1;
        } else {
            *votes -= 1;
        }
    }

    pub(super) fn finish(self, facts: &Facts<'_>) -> Topic {
        let heaviest = facts.terms.first().map_or(1.0, |(_, weight)| *weight);
        let term = |(key, weight): &(u64, f32)| WeightedTerm {
            term: self.names.get(key).map_or_else(String::new, |(name, _)| name.clone()),
            weight: rounded(weight / heaviest),
        };
        let day = |(day, (stories, documents)): (&i64, &(u32, u32))| Day {
            number: *day,
            day: moment::date(*day),
            stories: *stories,
            documents: *documents,
        };
        Topic {
            topic: written(facts.name),
            language: facts.language.to_owned(),
            stories: facts.stories,
            documents: facts.documents,
            sites: self.sites.len() as u64,
            undated: self.undated,
            terms: facts.terms.iter().map(term).collect(),
            first: self.first,
            titles: self.titles.into_iter().map(|(_, line)| line).collect(),
            days: self.days.iter().map(day).collect(),
        }
    }
}

impl StoryLine {
    fn new(stories: &Stories, document: usize, story: Story) -> Self {
        let entry = &stories.documents[document];
        Self {
            id: entry.id.to_string(),
            date: entry.moment.map_or_else(String::new, |m| moment::date(moment::day(m))),
            title: story.title,
            url: story.url,
        }
    }
}

/// A number with four decimals.
pub(super) fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10_000.0).round() / 10_000.0
}
