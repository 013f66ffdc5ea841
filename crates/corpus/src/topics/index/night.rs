//! The pass over a night: that of `stream`, after what earlier nights left open.
//!
//! Frequencies have the stories of all nights up to this one, and this one's from the start.

use std::collections::{BTreeMap, HashMap};

use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::tables::{CLUSTERS, FREQUENCIES, OPEN, Place, Record, TOPICS};
use super::{Placed, StoreFailure};
use crate::cluster::free_name;
use crate::topics::collect::{Entry, Stories};
use crate::topics::describe::{Gathered, Gathering, TERMS};
use crate::topics::error::TopicsError;
use crate::topics::frequencies::Frequencies;
use crate::topics::open::OpenTopics;
use crate::topics::options::Options;
use crate::topics::stream::PROFILE;
use crate::topics::vector::Vector;

/// The pass over a night.
pub(super) struct Night<'t> {
    stories: &'t Stories,
    options: &'t Options,
    clusters: Table<'t, (&'static str, u64), (u64, u32)>,
    topics: Table<'t, u64, &'static [u8]>,
    places: Vec<Placed>,
    /// The topics that have documents of the night, by name.
    records: HashMap<u64, Record>,
    /// The documents that began a topic tonight, by its name.
    first: HashMap<u64, usize>,
    /// The topics so far.
    count: u64,
}

/// A language of the night.
struct Language<'n> {
    name: &'n str,
    open: OpenTopics,
    /// The names of the open topics, by number, and their numbers.
    names: Vec<u64>,
    numbers: HashMap<u64, u32>,
    /// Topics that were closed tonight, by name.
    closed: BTreeMap<u64, Vector>,
    /// The first long document of each cluster tonight, if no earlier night has one.
    leaders: HashMap<u64, usize>,
    /// The places of the clusters' first stories of earlier nights.
    earlier: HashMap<u64, Place>,
}

impl<'t> Night<'t> {
    /// Places the new documents of a night, and writes what lasts.
    pub(super) fn run(
        transaction: &'t WriteTransaction,
        stories: &'t Stories,
        is_new: &[bool],
        options: &'t Options,
    ) -> Result<Vec<Placed>, StoreFailure> {
        let topics = transaction.open_table(TOPICS)?;
        let mut night = Self {
            stories,
            options,
            clusters: transaction.open_table(CLUSTERS)?,
            count: topics.len()?,
            topics,
            places: vec![None; stories.documents.len()],
            records: HashMap::new(),
            first: HashMap::new(),
        };
        let mut streams: Vec<(&str, Vec<usize>)> = Vec::new();
        for (name, stream) in stories.languages.iter().zip(stories.streams()) {
            streams.push((name, stream.into_iter().filter(|document| is_new[*document]).collect()));
        }
        // Runs name languages in the order of their documents, which means nothing.
        streams.sort_unstable();
        for (name, stream) in streams.iter().filter(|(_, stream)| !stream.is_empty()) {
            night.language(transaction, name, stream)?;
        }
        for (name, record) in &night.records {
            let bytes = record.to_bytes().map_err(caller)?;
            night.topics.insert(name, &*bytes)?;
        }
        Ok(night.places)
    }

    fn language(&mut self, transaction: &WriteTransaction, name: &str, stream: &[usize]) -> Result<(), StoreFailure> {
        let mut table = transaction.open_table(FREQUENCIES)?;
        let (mut day, mut frequencies) = match table.get(name)? {
            None => (0, Frequencies::default()),
            Some(known) => {
                let (day, bytes) = known.value();
                let frequencies = Frequencies::from_bytes(bytes);
                (
                    day,
                    frequencies.ok_or_else(|| caller("the frequencies of terms are damaged"))?,
                )
            }
        };
        let mut language = self.load(transaction, name, stream)?;
        for document in stream
            .iter()
            .filter(|document| language.is_story(self.entry(**document), **document))
        {
            frequencies.add(&self.stories.story(*document).map_err(caller)?.terms);
        }
        for document in stream {
            // Documents without a date, or with a wrong one, follow the last one that has one.
            day = self.stories.day(*document).unwrap_or(day);
            while let Some((number, sum)) = language.open.close_before(day - i64::from(self.options.window)) {
                language.close(number, sum);
            }
            if language.is_story(self.entry(*document), *document) {
                let terms = self.stories.story(*document).map_err(caller)?.terms;
                self.place(&mut language, *document, &Vector::weigh(&terms, &frequencies), day)?;
            } else if let Some(place) = self.leading(&language, *document) {
                self.follow(&mut language, *document, place, day)?;
            }
        }
        // Too short for a story, and before the near-duplicate that is long enough for one.
        for document in stream {
            if self.places[*document].is_none()
                && let Some(place) = self.leading(&language, *document)
            {
                self.follow(&mut language, *document, place, day)?;
            }
        }
        self.describe(&language, stream).map_err(caller)?;
        self.save(transaction, &language)?;
        table.insert(name, (day, &*frequencies.to_bytes()))?;
        Ok(())
    }

    fn entry(&self, document: usize) -> &'t Entry {
        &self.stories.documents[document]
    }

    /// State of a language after earlier nights.
    fn load<'n>(
        &self,
        transaction: &WriteTransaction,
        name: &'n str,
        stream: &[usize],
    ) -> Result<Language<'n>, StoreFailure> {
        let table = transaction.open_table(OPEN)?;
        let (mut names, mut topics) = (Vec::new(), Vec::new());
        for row in table.range((name, 0)..=(name, u32::MAX))? {
            let (_, row) = row?;
            let (topic, last, sum) = row.value();
            names.push(topic);
            topics.push((Vector::from_bytes(sum), last));
        }
        let (mut leaders, mut earlier) = (HashMap::new(), HashMap::new());
        for document in stream {
            let entry = self.entry(*document);
            let Some(cluster @ 1..) = entry.cluster else {
                continue;
            };
            if let Some(known) = self.clusters.get((name, cluster))? {
                let (topic, similarity) = known.value();
                let place = Place {
                    topic,
                    similarity: f32::from_bits(similarity),
                    is_story: false,
                };
                earlier.insert(cluster, place);
            } else if !entry.is_short() {
                leaders.entry(cluster).or_insert(*document);
            }
        }
        Ok(Language {
            name,
            open: OpenTopics::load(topics),
            numbers: names.iter().copied().zip(0..).collect(),
            names,
            closed: BTreeMap::new(),
            leaders,
            earlier,
        })
    }

    /// Puts a story into the nearest topic, or into one of its own.
    fn place(
        &mut self,
        language: &mut Language<'_>,
        document: usize,
        vector: &Vector,
        day: i64,
    ) -> Result<(), StoreFailure> {
        let nearest = language.open.nearest(vector, day, self.options.window);
        let place = match nearest {
            Some((number, similarity)) if f64::from(similarity) >= self.options.threshold => {
                language.open.join(number, vector, day);
                Place {
                    topic: language.names[number as usize],
                    similarity: similarity.min(1.0),
                    is_story: true,
                }
            }
            _ => {
                let topic = self.begin(language, document)?;
                let number = language.names.len() as u32;
                language.names.push(topic);
                language.numbers.insert(topic, number);
                if let Some((number, sum)) = language.open.begin(number, vector, day) {
                    language.close(number, sum);
                }
                Place {
                    topic,
                    similarity: 1.0,
                    is_story: true,
                }
            }
        };
        if let Some(cluster @ 1..) = self.entry(document).cluster {
            let similarity = place.similarity.to_bits();
            self.clusters
                .insert((language.name, cluster), (place.topic, similarity))?;
        }
        self.add(document, place)
    }

    /// Begins a topic, whose name no topic has, open or closed.
    fn begin(&mut self, language: &Language<'_>, document: usize) -> Result<u64, StoreFailure> {
        let (topics, records) = (&self.topics, &self.records);
        let name = free_name(&self.entry(document).id, |name| {
            Ok::<_, StoreFailure>(!records.contains_key(&name) && topics.get(name)?.is_none())
        })?;
        let record = Record {
            number: self.count,
            language: language.name.to_owned(),
            stories: 0,
            documents: 0,
            terms: Vec::new(),
            gathered: Gathered::default(),
        };
        self.count += 1;
        self.records.insert(name, record);
        self.first.insert(name, document);
        Ok(name)
    }

    /// The place of the story that a document is a near-duplicate of.
    fn leading(&self, language: &Language<'_>, document: usize) -> Option<Place> {
        let cluster = self.entry(document).cluster.filter(|cluster| *cluster > 0)?;
        let tonight = || self.places[*language.leaders.get(&cluster)?];
        let place = language.earlier.get(&cluster).copied().or_else(tonight)?;
        Some(Place {
            is_story: false,
            ..place
        })
    }

    /// Puts a near-duplicate where its story is, be that topic closed.
    fn follow(
        &mut self,
        language: &mut Language<'_>,
        document: usize,
        place: Place,
        day: i64,
    ) -> Result<(), StoreFailure> {
        if let Some(number) = language.numbers.get(&place.topic) {
            language.open.touch(*number, day);
        }
        self.add(document, place)
    }

    fn add(&mut self, document: usize, place: Place) -> Result<(), StoreFailure> {
        if !self.records.contains_key(&place.topic)
            && let Some(bytes) = self.topics.get(place.topic)?
        {
            let record = Record::from_bytes(bytes.value());
            let record = record.ok_or_else(|| caller("the description of a topic is damaged"))?;
            self.records.insert(place.topic, record);
        }
        if let Some(record) = self.records.get_mut(&place.topic) {
            record.documents += 1;
            record.stories += u32::from(place.is_story);
        }
        self.places[document] = Some(place);
        Ok(())
    }

    /// Describes the topics that have documents of the night.
    fn describe(&mut self, language: &Language<'_>, stream: &[usize]) -> Result<(), TopicsError> {
        let mut profiles: HashMap<u64, Vector> = HashMap::new();
        for document in stream {
            let Some(place) = self.places[*document] else {
                continue;
            };
            let Some(record) = self.records.get_mut(&place.topic) else {
                continue;
            };
            let profile = profiles
                .entry(place.topic)
                .or_insert_with(|| language.profile(place.topic));
            record.gathered.add(&Gathering {
                stories: self.stories,
                document: *document,
                is_story: place.is_story,
                is_first: self.first.get(&place.topic) == Some(document),
                profile,
            })?;
        }
        for (name, profile) in profiles {
            if let Some(record) = self.records.get_mut(&name)
                && profile.len() > 0
            {
                record.terms = profile.heaviest(TERMS);
                record.gathered.keep_names(&record.terms);
            }
        }
        Ok(())
    }

    /// Writes the topics that are open after the night.
    fn save(&self, transaction: &WriteTransaction, language: &Language<'_>) -> Result<(), StoreFailure> {
        let mut table = transaction.open_table(OPEN)?;
        table.retain_in((language.name, 0)..=(language.name, u32::MAX), |_, _| false)?;
        for (place, (number, sum, last)) in (0..).zip(language.open.topics()) {
            let name = language.names[number as usize];
            table.insert((language.name, place), (name, last, &*sum.to_bytes()))?;
        }
        Ok(())
    }
}

impl Language<'_> {
    /// Whether a document is a story: long enough, and no near-duplicate of an earlier one.
    fn is_story(&self, entry: &Entry, document: usize) -> bool {
        let is_first = |cluster| self.leaders.get(&cluster).is_none_or(|leader| *leader == document);
        let is_new = |cluster| !self.earlier.contains_key(&cluster) && is_first(cluster);
        !entry.is_short() && entry.cluster.filter(|cluster| *cluster > 0).is_none_or(is_new)
    }

    fn close(&mut self, number: u32, sum: Vector) {
        let name = self.names[number as usize];
        self.numbers.remove(&name);
        self.closed.insert(name, sum);
    }

    /// The heaviest terms of a topic. None if an earlier night closed it.
    fn profile(&self, name: u64) -> Vector {
        let open = || {
            let number = self.numbers.get(&name)?;
            self.open.sum(*number).cloned()
        };
        let mut profile = self.closed.get(&name).cloned().or_else(open).unwrap_or_default();
        profile.prune(PROFILE);
        profile
    }
}

fn caller(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreFailure {
    StoreFailure::Caller(error.into())
}
