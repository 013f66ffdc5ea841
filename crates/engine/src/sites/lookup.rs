//! The other pages of a page's host, for extractors.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dehusk_documents::store::{SiteStore, StoreError, StoreErrorKind};
use dehusk_extract::site::{BlockText, HostTexts, OtherPages, PageTexts, Shape, fact_hash, text_hash};
use dehusk_html::{Dom, NodeId};
use dehusk_metadata::SharedKind;

use super::host::{HostPages, lookup, no_entry, parameters};
use super::sketch::{host_of, url_hash};

/// A store of what the pages of sites share.
#[derive(Debug)]
pub struct Sites {
    store: SiteStore,
    /// Why it could not be read, when that happened.
    failure: Mutex<Option<StoreError>>,
}

impl Sites {
    /// Opens a store that `dehusk sites` has made.
    ///
    /// # Errors
    /// The file is not there or cannot be read, or it is another store or none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            store: SiteStore::open(path, &parameters())?,
            failure: Mutex::default(),
        })
    }

    /// A digest of all that it holds.
    pub fn digest(&self) -> u64 {
        self.store.digest()
    }

    /// The pages that are remembered of a host; `None` if there are none.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn host(&self, host: &str) -> Result<Option<HostPages>, StoreError> {
        self.entry(host, HostPages::decode)
    }

    /// The entry of a host, read by `decode`; `None` if there is none.
    fn entry<T>(&self, host: &str, decode: impl FnOnce(&[u8]) -> Option<T>) -> Result<Option<T>, StoreError> {
        let Some(entry) = self.store.get(host)? else {
            return Ok(None);
        };
        let decoded = decode(&entry);
        decoded.map(Some).ok_or_else(|| no_entry(self.store.path()))
    }

    /// Of a document of a page: how many other pages of its host are known, how many words the document has, and how
    /// many of these are in lines that at least `least` of the other pages hold. `None` if no other pages are known.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn repeated_words(&self, url: &str, text: &str, least: u32) -> Result<Option<RepeatedWords>, StoreError> {
        let host = host_of(url);
        let Some((texts, urls)) = self.entry(&host, lookup)? else {
            return Ok(None);
        };
        let url = url_hash(url);
        let own = urls.iter().position(|known| *known == url);
        let mut counted = RepeatedWords {
            known: texts.pages() - u32::from(own.is_some()),
            ..RepeatedWords::default()
        };
        if counted.known == 0 {
            return Ok(None);
        }
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            // The mark of an item is none of its text.
            let pages = texts.holding(text_hash(line.strip_prefix("- ").unwrap_or(line)), own);
            let words = dehusk_html::counting::count_literal(line).counts.words;
            counted.words += words;
            counted.repeated += if pages >= least { words } else { 0 };
        }
        Ok(Some(counted))
    }

    /// Why it could not be read, if that ever happened. Documents that were made since cannot be used.
    pub(crate) fn failure(&self) -> Option<StoreError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(again)
    }

    fn known(&self, host: &str) -> Option<Arc<KnownHost>> {
        let (texts, urls) = self.entry(host, lookup).unwrap_or_else(|error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            *failure = Some(error);
            None
        })?;
        let texts = Arc::new(texts);
        Some(Arc::new(KnownHost { texts, urls }))
    }
}

/// The same error, for each chunk of documents that cannot be used.
fn again(error: &StoreError) -> StoreError {
    let kind = match &error.kind {
        StoreErrorKind::Io { source } => StoreErrorKind::Io {
            source: io::Error::new(source.kind(), source.to_string()),
        },
        StoreErrorKind::Corrupt { source } => StoreErrorKind::Corrupt {
            source: source.to_string().into(),
        },
        other => StoreErrorKind::Io {
            source: io::Error::other(other.to_string()),
        },
    };
    StoreError::new(&error.path, kind)
}

/// The words of a document that other pages of its host hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedWords {
    /// Other pages that are known of the host.
    pub known: u32,
    /// Words of the document.
    pub words: u32,
    /// Those that other pages hold.
    pub repeated: u32,
}

/// The texts and pages that are known of a host.
#[derive(Debug)]
struct KnownHost {
    texts: Arc<HostTexts>,
    /// The hashes of the pages' URLs.
    urls: Vec<u64>,
}

/// This many hosts are kept. Neighbours in an archive often have the same one.
const KEPT: usize = 64;

/// The hosts that a worker looked up last.
#[derive(Debug, Default)]
pub(crate) struct HostCache {
    hosts: HashMap<String, Option<Arc<KnownHost>>>,
    texts: PageTexts,
    of_page: Vec<BlockText>,
}

impl HostCache {
    /// The other known pages of a page's host; `None` if there are none.
    pub(crate) fn others(&mut self, sites: &Sites, dom: &Dom<'_>, url: &str) -> Option<OtherPages> {
        let host = host_of(url);
        if host.is_empty() {
            return None;
        }
        if self.hosts.len() >= KEPT && !self.hosts.contains_key(&host) {
            self.hosts.clear();
        }
        let known = self.hosts.entry(host).or_insert_with_key(|host| sites.known(host));
        let known = known.as_ref()?;
        let url = url_hash(url);
        let own = known.urls.iter().position(|known| *known == url);
        if own.is_some() && known.urls.len() == 1 {
            return None;
        }
        self.of_page.clear();
        self.texts.read(dom, |text| self.of_page.push(text));
        let texts = self.of_page.iter().copied();
        OtherPages::new(Arc::clone(&known.texts), own, Shape::new(dom), texts)
    }
}

/// The metadata of the other pages of a host.
#[derive(Debug)]
pub(crate) struct SharedMetadata<'o>(pub(crate) &'o OtherPages);

impl dehusk_metadata::OtherPages for SharedMetadata<'_> {
    fn known(&self) -> u32 {
        self.0.len()
    }

    fn holding(&self, kind: SharedKind, value: &str) -> u32 {
        self.0.holding(fact_hash(kind as u8, value))
    }

    fn holding_text(&self, node: NodeId) -> u32 {
        self.0.holding_at(node)
    }
}
