//! Searches the documents of runs: by the full-text index of a shard where it has one, else by reading them.
//!
//! - `query`: what is searched for, and where a text has it
//! - `snippet`: the part of a text that shows it
//!
//! An index only finds the documents that may have the words. Each is read and searched in any case, so that an index
//! adds no hit. It misses some, where its words are others than those of a query: a Latin word between Chinese
//! characters in an index of words, a run of Chinese with a space in it in one of trigrams, and letters whose case it
//! folds in another way, as of Georgian and Cherokee, and İ.

mod query;
mod snippet;

use std::collections::VecDeque;
use std::path::PathBuf;

use dehusk_documents::document::Document;
use dehusk_documents::encode::ShardReader;
#[cfg(feature = "sqlite")]
use dehusk_documents::encode::{TextIndex, Tokenizer};

use super::readback::{Account, Condition, RunShard};

pub use query::Query;
pub use snippet::Piece;

/// Which documents are found, beside the words.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Filter {
    /// Hosts, of which one must be the document's, or a domain above it. Empty for all.
    pub hosts: Vec<String>,
    /// Languages, of which one must be the document's: `zh-Hans`, or `zh` for all of its scripts. Empty for all.
    pub languages: Vec<String>,
    /// The days of the crawl, of which one must be the document's: `2024-05-06`, or the start of such. Empty for all.
    pub days: Vec<String>,
    /// All of them must hold.
    pub conditions: Vec<Condition>,
}

/// A document that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hit {
    /// The number of its run.
    pub run: usize,
    /// Its archive, as the run's account names it.
    pub archive: String,
    /// The document, without its texts: many hits may be held.
    pub document: Document,
    /// How well it fits by its index (BM25, the title counts four times): the higher the better. `None` without an
    /// index.
    pub rank: Option<f64>,
    /// The part of its text that shows the words.
    pub snippet: Vec<Piece>,
}

/// Progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Documents that were read.
    pub read: u64,
    /// Shards that are done.
    pub shards: usize,
    /// Shards that failed.
    pub failed: usize,
    /// All shards.
    pub all_shards: usize,
}

/// A step of a search.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// A document was found.
    Hit(Box<Hit>),
    /// A document was read that is none.
    Read,
    /// A shard cannot be read, or not to its end.
    Failed(String),
}

/// A search under way. It reads a document at a time.
pub struct Search {
    query: Query,
    filter: Filter,
    shards: VecDeque<(usize, String, RunShard)>,
    open: Option<OpenShard>,
    /// Most hits of a shard that has an index. They are its best.
    most: usize,
    progress: Progress,
}

/// The shard that is read.
struct OpenShard {
    run: usize,
    archive: String,
    documents: Documents,
    hits: usize,
}

enum Documents {
    Scanned(ShardReader),
    #[cfg(feature = "sqlite")]
    Indexed(Box<TextIndex>, std::vec::IntoIter<(i64, f64)>),
}

impl Filter {
    /// Whether a document passes.
    pub fn passes(&self, document: &Document) -> bool {
        let metadata = &document.metadata;
        let is_below = |host: &String| {
            let own = metadata.hostname.to_lowercase();
            let host = host.trim_end_matches('.').to_lowercase();
            own == host || own.strip_suffix(&host).is_some_and(|before| before.ends_with('.'))
        };
        let is_in = |language: &String| {
            let rest = metadata.language.strip_prefix(language.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        (self.hosts.is_empty() || self.hosts.iter().any(is_below))
            && (self.languages.is_empty() || self.languages.iter().any(is_in))
            && (self.days.is_empty() || self.days.iter().any(|day| document.created.starts_with(day.as_str())))
            && self.conditions.iter().all(|condition| condition.holds(document))
    }
}

impl Search {
    /// A search in runs, in their order. Of a shard with an index, no more than its best `most` hits are given.
    pub fn new(accounts: &[Account], query: Query, filter: Filter, most: usize) -> Self {
        let mut shards = VecDeque::new();
        for (run, account) in accounts.iter().enumerate() {
            for archive in &account.archives {
                shards.extend(account.shards(archive).map(|shard| (run, archive.path.clone(), shard)));
            }
        }
        Self {
            query,
            filter,
            progress: Progress {
                all_shards: shards.len(),
                ..Progress::default()
            },
            shards,
            open: None,
            most,
        }
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Leaves out all that is still to be read without an index.
    pub fn only_ranked(&mut self) {
        if self.open.as_ref().is_some_and(|open| !open.documents.is_indexed()) {
            self.close();
        }
        #[cfg(feature = "sqlite")]
        self.shards.retain(|(_, _, shard)| TextIndex::may_be_in(&shard.path));
        #[cfg(not(feature = "sqlite"))]
        self.shards.clear();
    }

    /// Searches the next document. `None` at the end.
    pub fn step(&mut self) -> Option<Step> {
        loop {
            let Some(open) = &mut self.open else {
                let (run, archive, shard) = self.shards.pop_front()?;
                match open_shard(&shard, &self.query) {
                    Ok(documents) => {
                        self.open = Some(OpenShard {
                            run,
                            archive,
                            documents,
                            hits: 0,
                        });
                        continue;
                    }
                    Err(message) => return Some(self.failed(message)),
                }
            };
            if open.hits >= self.most && open.documents.is_indexed() {
                self.close();
                continue;
            }
            let (document, rank) = match open.documents.next() {
                None => {
                    self.close();
                    continue;
                }
                Some(Err(message)) => return Some(self.failed(message)),
                Some(Ok(found)) => found,
            };
            self.progress.read += 1;
            return Some(match self.found(document, rank) {
                Some(hit) => Step::Hit(Box::new(hit)),
                None => Step::Read,
            });
        }
    }

    fn close(&mut self) {
        self.open = None;
        self.progress.shards += 1;
    }

    fn failed(&mut self, message: String) -> Step {
        self.close();
        self.progress.failed += 1;
        Step::Failed(message)
    }

    /// The hit that a document of the open shard is, if it is one.
    fn found(&mut self, mut document: Document, rank: Option<f64>) -> Option<Hit> {
        let open = self.open.as_mut()?;
        if !self.filter.passes(&document) {
            return None;
        }
        let title = self.query.find(&document.metadata.title);
        let text = self.query.find(&document.text);
        if !self.query.is_all(title.found | text.found) {
            return None;
        }
        open.hits += 1;
        let snippet = snippet::snippet(&document.text, &text);
        document.text = String::new();
        document.comments = String::new();
        document.html = String::new();
        document.more_texts = Vec::new();
        Some(Hit {
            run: open.run,
            archive: open.archive.clone(),
            snippet,
            document,
            rank,
        })
    }
}

impl Documents {
    fn is_indexed(&self) -> bool {
        match self {
            Self::Scanned(_) => false,
            #[cfg(feature = "sqlite")]
            Self::Indexed(..) => true,
        }
    }

    /// The next document, with its rank if there is an index.
    fn next(&mut self) -> Option<Result<(Document, Option<f64>), String>> {
        match self {
            Self::Scanned(documents) => {
                let document = documents.next()?;
                Some(document.map(|document| (document, None)).map_err(|e| e.to_string()))
            }
            #[cfg(feature = "sqlite")]
            Self::Indexed(index, found) => {
                let (number, rank) = found.next()?;
                let document = index.document(number).map_err(|e| e.to_string());
                Some(document.map(|document| (document, Some(rank))))
            }
        }
    }
}

/// Opens a shard, by its index if it has one that knows a part of the query.
fn open_shard(shard: &RunShard, query: &Query) -> Result<Documents, String> {
    #[cfg(feature = "sqlite")]
    if let Some(index) = TextIndex::open(&shard.path).map_err(|e| e.to_string())? {
        let wanted = match index.tokenizer() {
            Tokenizer::Words => query.for_words(),
            Tokenizer::Trigram => query.for_trigrams(),
            _ => None,
        };
        if let Some(wanted) = wanted {
            let found = index.find(&wanted).map_err(|e| e.to_string())?;
            return Ok(Documents::Indexed(Box::new(index), found.into_iter()));
        }
    }
    #[cfg(not(feature = "sqlite"))]
    let _ = query;
    shard.read().map(Documents::Scanned).map_err(|e| e.to_string())
}

/// The accounts of the runs that paths name: run directories, and folders with runs in them. Of those that cannot be
/// read there is a message.
pub fn accounts(paths: &[PathBuf]) -> (Vec<Account>, Vec<String>) {
    let (mut accounts, mut failed) = (Vec::new(), Vec::new());
    for account in paths.iter().flat_map(|path| Account::read_all(path)) {
        match account {
            Ok(account) => accounts.push(account),
            Err(error) => failed.push(error.to_string()),
        }
    }
    (accounts, failed)
}
