//! The other pages of a page's host, for extractors.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dehusk_documents::store::{SiteStore, StoreError, StoreErrorKind};
use dehusk_extract::site::{HostTexts, OtherPages};

use super::host::{HostPages, lookup, no_entry, parameters};
use super::sketch::{host_of, url_hash};

/// A store of what the pages of sites share.
#[derive(Debug)]
pub struct Sites {
    store: SiteStore,
    /// Why it could not be read, when that happened.
    failure: Mutex<Option<String>>,
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

    /// Why it could not be read, if that ever happened. Documents that were made since cannot be used.
    pub(crate) fn failure(&self) -> Option<StoreError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let source = failure.clone()?.into();
        Some(StoreError::new(self.store.path(), StoreErrorKind::Corrupt { source }))
    }

    fn known(&self, host: &str) -> Option<Arc<KnownHost>> {
        let (texts, urls) = self.entry(host, lookup).unwrap_or_else(|error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            *failure = Some(error.kind.to_string());
            None
        })?;
        let texts = Arc::new(texts);
        Some(Arc::new(KnownHost { texts, urls }))
    }
}

/// The texts and pages that are known of a host.
#[derive(Debug)]
struct KnownHost {
    texts: Arc<HostTexts>,
    /// The hashes of the pages' URLs.
    urls: Vec<u64>,
}

/// So many hosts are kept. Neighbours in an archive often have the same one.
const KEPT: usize = 64;

/// The hosts that a worker looked up last.
#[derive(Debug, Default)]
pub(crate) struct HostCache(HashMap<String, Option<Arc<KnownHost>>>);

impl HostCache {
    /// The other known pages of a page's host; `None` if there are none.
    pub(crate) fn others(&mut self, sites: &Sites, url: &str) -> Option<OtherPages> {
        let host = host_of(url);
        if host.is_empty() {
            return None;
        }
        if self.0.len() >= KEPT && !self.0.contains_key(&host) {
            self.0.clear();
        }
        let known = self.0.entry(host).or_insert_with_key(|host| sites.known(host));
        let known = known.as_ref()?;
        let url = url_hash(url);
        let own = known.urls.iter().position(|known| *known == url);
        OtherPages::new(Arc::clone(&known.texts), own)
    }
}
