//! The documents of the runs: what the pass needs of each is in memory, terms and titles are in a temporary file.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::TopicsError;
use super::moment::{self, Moment};
use super::near::Clusters;
use super::terms::{Term, Terms};
use crate::cluster::Scratch;
use crate::readback::Account;

/// A document with fewer terms is too short to belong anywhere.
const LEAST_TERMS: usize = 10;

/// The longest title that is kept, in characters.
const TITLE: usize = 300;

/// Runs name fewer than a hundred. A damaged one that names more has its last ones together.
const MOST_LANGUAGES: usize = 1000;

/// A language without a name: the documents whose language is unknown.
pub(super) const UNKNOWN_LANGUAGE: &str = "und";

/// The documents of the runs.
pub(super) struct Stories {
    /// In the order of the runs.
    pub(super) documents: Vec<Entry>,
    /// By number.
    pub(super) languages: Vec<String>,
    /// How many documents each shard has.
    pub(super) shards: Vec<usize>,
    /// The last day that is believed; later ones are those of wrong clocks.
    pub(super) last_day: Option<i64>,
    scratch: Scratch,
}

/// The facts about a document that are kept in memory.
pub(super) struct Entry {
    pub(super) id: Box<str>,
    pub(super) moment: Option<Moment>,
    /// Number of the language.
    pub(super) language: u16,
    /// Number of the cluster of near-duplicates; 0 if the document is alone, `None` if nothing is known.
    pub(super) cluster: Option<u64>,
    /// Where its terms are in the file. The length is 0 if it has too few.
    start: u64,
    length: u32,
}

/// The facts about a document that are in the temporary file.
pub(super) struct Story {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) host: String,
    pub(super) terms: Vec<Term>,
}

impl Story {
    /// Its bytes in the file. Numbers are little-endian, and each text has its length before it.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let add = |text: &str, bytes: &mut Vec<u8>| {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        };
        for text in [&self.title, &self.url, &self.host] {
            add(text, &mut bytes);
        }
        for term in &self.terms {
            bytes.extend(term.key.to_le_bytes());
            bytes.extend(term.count.to_le_bytes());
            add(&term.name, &mut bytes);
        }
        bytes
    }

    /// Reads what [`Story::to_bytes`] wrote. `None` if it is anything else.
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        fn text(bytes: &mut &[u8]) -> Option<String> {
            let length = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?);
            let text = bytes.split_off(..length as usize)?;
            Some(std::str::from_utf8(text).ok()?.to_owned())
        }
        let rest = &mut bytes;
        let (title, url, host) = (text(rest)?, text(rest)?, text(rest)?);
        let mut terms = Vec::new();
        while !rest.is_empty() {
            terms.push(Term {
                key: u64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?),
                count: u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?),
                name: text(rest)?,
            });
        }
        Some(Self {
            title,
            url,
            host,
            terms,
        })
    }
}

impl Entry {
    /// Whether the document has too few terms.
    pub(super) fn is_short(&self) -> bool {
        self.length == 0
    }
}

impl Stories {
    /// The day of a document, if it has a date that is not [ahead](Self::is_ahead).
    pub(super) fn day(&self, document: usize) -> Option<i64> {
        let day = self.documents[document].moment.map(moment::day)?;
        self.last_day.is_none_or(|last| day <= last).then_some(day)
    }

    /// Whether a document is dated after the last day of the night.
    pub(super) fn is_ahead(&self, document: usize) -> bool {
        self.documents[document].moment.is_some() && self.day(document).is_none()
    }

    /// Reads the story of a document that is not too short.
    pub(super) fn story(&self, document: usize) -> io::Result<Story> {
        let entry = &self.documents[document];
        let bytes = self.scratch.bytes(entry.start, entry.length as usize)?;
        Story::from_bytes(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The documents of each language in the order of the stream: by date, then by id. Documents without a date come
    /// last.
    pub(super) fn streams(&self) -> Vec<Vec<usize>> {
        let mut streams: Vec<Vec<usize>> = vec![Vec::new(); self.languages.len()];
        for (number, entry) in self.documents.iter().enumerate() {
            streams[usize::from(entry.language)].push(number);
        }
        for stream in &mut streams {
            stream.sort_by_key(|number| {
                let entry = &self.documents[*number];
                (entry.moment.unwrap_or(Moment::MAX), &entry.id)
            });
        }
        streams
    }
}

/// Reads the documents of runs.
pub(super) fn collect(runs: &[Account], directory: &Path, near: &Clusters) -> Result<Stories, TopicsError> {
    let mut scratch = BufWriter::with_capacity(1 << 18, Scratch::create(directory, "terms")?);
    let mut documents = Vec::new();
    let mut languages: Vec<String> = Vec::new();
    let mut terms = Terms::new();
    let (mut shards, mut days) = (Vec::new(), Vec::new());
    let mut start = 0;
    for shard in runs.iter().flat_map(Account::all_shards) {
        let before = documents.len();
        for document in shard.read()? {
            let document = document?;
            if documents.len() >= u32::MAX as usize {
                return Err(TopicsError::TooMany);
            }
            let metadata = &document.metadata;
            let story = Story {
                title: metadata.title.chars().take(TITLE).collect(),
                url: metadata.url.clone(),
                host: metadata.hostname.clone(),
                terms: terms.count(&metadata.title, &document.text, &metadata.language),
            };
            let mut length = 0;
            if story.terms.len() >= LEAST_TERMS {
                let bytes = story.to_bytes();
                scratch.write_all(&bytes)?;
                length = bytes.len() as u32;
            }
            days.extend(moment::night_of(&document));
            documents.push(Entry {
                cluster: near.cluster_of(&document.id),
                moment: moment::of_story(&document),
                language: number_of(&mut languages, &metadata.language),
                start,
                length,
                id: document.id.into(),
            });
            start += u64::from(length);
        }
        shards.push(documents.len() - before);
    }
    Ok(Stories {
        documents,
        languages,
        shards,
        last_day: moment::last_day(days),
        scratch: scratch.into_inner().map_err(io::IntoInnerError::into_error)?,
    })
}

/// The number of a language, which is a new one if need be.
fn number_of(languages: &mut Vec<String>, language: &str) -> u16 {
    let language = if language.is_empty() {
        UNKNOWN_LANGUAGE
    } else {
        language
    };
    let place = languages.iter().position(|known| known == language);
    let place = place.unwrap_or_else(|| {
        if languages.len() < MOST_LANGUAGES {
            languages.push(language.to_owned());
        }
        languages.len() - 1
    });
    place as u16
}
