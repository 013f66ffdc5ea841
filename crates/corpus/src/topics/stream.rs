//! The pass: each story joins the nearest open topic or begins one.

use std::collections::HashMap;

use super::collect::Stories;
use super::error::TopicsError;
use super::frequencies::{AHEAD, Frequencies};
use super::moment;
use super::open::OpenTopics;
use super::options::Options;
use super::vector::Vector;

/// The terms of a topic that are kept when it is closed.
pub(super) const PROFILE: usize = 32;

/// The topics, and where each document belongs.
pub(super) struct Detection {
    pub(super) topics: Vec<DetectedTopic>,
    /// By document; `None` if it is too short.
    pub(super) places: Vec<Option<Place>>,
    /// The entries of the index of terms that the search for candidates has read.
    pub(super) read: u64,
}

/// A topic, by its number.
pub(super) struct DetectedTopic {
    /// The document that began it.
    pub(super) first: usize,
    pub(super) stories: u32,
    /// Stories and their near-duplicates.
    pub(super) documents: u32,
    /// Its heaviest terms, once it is closed and if it is listed.
    pub(super) profile: Vector,
}

/// Where a document belongs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) topic: u32,
    /// How similar it was to the topic when it joined; 1 if it began it.
    pub(super) similarity: f32,
    /// Whether it is a story, and not the near-duplicate of one.
    pub(super) is_story: bool,
}

pub(super) fn detect(stories: &Stories, options: &Options) -> Result<Detection, TopicsError> {
    let mut detection = Detection {
        topics: Vec::new(),
        places: vec![None; stories.documents.len()],
        read: 0,
    };
    for stream in stories.streams() {
        Pass {
            stories,
            options,
            open: OpenTopics::new(detection.topics.len() as u32),
            detection: &mut detection,
        }
        .run(&stream)?;
    }
    Ok(detection)
}

/// The pass over a language.
struct Pass<'s> {
    stories: &'s Stories,
    options: &'s Options,
    detection: &'s mut Detection,
    open: OpenTopics,
}

impl Pass<'_> {
    fn run(mut self, stream: &[usize]) -> Result<(), TopicsError> {
        let leaders = leaders(self.stories, stream);
        let mut frequencies = Frequencies::default();
        let is_story = |document: &&usize| self.stories.documents[**document].is_story(**document, &leaders);
        let mut ahead = stream.iter().filter(is_story);
        for document in ahead.by_ref().take(AHEAD) {
            frequencies.add(&self.stories.story(*document)?.terms);
        }
        // Documents without a date follow the last one that has one, so that no topic is closed for them.
        let mut day = 0;
        for document in stream {
            let entry = &self.stories.documents[*document];
            day = entry.moment.map_or(day, moment::day);
            while let Some(closed) = self.open.close_before(day - i64::from(self.options.window)) {
                self.detection.close(closed, self.options);
            }
            if entry.is_story(*document, &leaders) {
                if let Some(next) = ahead.next() {
                    frequencies.add(&self.stories.story(*next)?.terms);
                }
                let vector = Vector::weigh(&self.stories.story(*document)?.terms, &frequencies);
                self.place(*document, &vector, day);
            } else if let Some(leader) = entry.leader(&leaders) {
                self.follow(*document, leader, day);
            }
        }
        // Too short for a story, and before the near-duplicate that is long enough for one.
        for document in stream {
            if self.detection.places[*document].is_none()
                && let Some(leader) = self.stories.documents[*document].leader(&leaders)
            {
                self.follow(*document, leader, day);
            }
        }
        while let Some(closed) = self.open.close_first() {
            self.detection.close(closed, self.options);
        }
        self.detection.read += self.open.read;
        Ok(())
    }

    /// Puts a story into the nearest topic, or into one of its own.
    fn place(&mut self, document: usize, vector: &Vector, day: i64) {
        let nearest = self.open.nearest(vector, day, self.options.window);
        let (topic, similarity) = match nearest {
            Some((topic, similarity)) if f64::from(similarity) >= self.options.threshold => {
                self.open.join(topic, vector, day);
                (topic, similarity.min(1.0))
            }
            _ => {
                let topic = self.detection.topics.len() as u32;
                self.detection.topics.push(DetectedTopic {
                    first: document,
                    stories: 0,
                    documents: 0,
                    profile: Vector::default(),
                });
                if let Some(closed) = self.open.begin(topic, vector, day) {
                    self.detection.close(closed, self.options);
                }
                (topic, 1.0)
            }
        };
        self.detection.topics[topic as usize].stories += 1;
        self.detection.add(
            document,
            Place {
                topic,
                similarity,
                is_story: true,
            },
        );
    }

    /// Puts a near-duplicate where its story is.
    fn follow(&mut self, document: usize, leader: usize, day: i64) {
        if let Some(place) = self.detection.places[leader] {
            self.open.touch(place.topic, day);
            self.detection.add(
                document,
                Place {
                    is_story: false,
                    ..place
                },
            );
        }
    }
}

impl Detection {
    fn add(&mut self, document: usize, place: Place) {
        self.topics[place.topic as usize].documents += 1;
        self.places[document] = Some(place);
    }

    fn close(&mut self, (number, mut sum): (u32, Vector), options: &Options) {
        let topic = &mut self.topics[number as usize];
        if topic.stories >= options.stories {
            sum.prune(PROFILE);
            topic.profile = sum;
        }
    }
}

/// The first document of each cluster of near-duplicates that is not too short.
fn leaders(stories: &Stories, stream: &[usize]) -> HashMap<u64, usize> {
    let mut leaders = HashMap::new();
    for document in stream {
        let entry = &stories.documents[*document];
        if let (false, Some(cluster @ 1..)) = (entry.is_short(), entry.cluster) {
            leaders.entry(cluster).or_insert(*document);
        }
    }
    leaders
}

impl super::collect::Entry {
    /// The story that a document is, or is a near-duplicate of.
    fn leader(&self, leaders: &HashMap<u64, usize>) -> Option<usize> {
        leaders.get(&self.cluster?).copied()
    }

    /// Whether a document is a story: long enough, and no near-duplicate of an earlier one.
    fn is_story(&self, document: usize, leaders: &HashMap<u64, usize>) -> bool {
        !self.is_short() && self.leader(leaders).is_none_or(|leader| leader == document)
    }
}
