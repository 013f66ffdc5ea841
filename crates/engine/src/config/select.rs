//! The section `select`: which records become pages, and which pages become documents.

use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::choice::choice;
use crate::host_lists::HostLists;
use dehusk_metadata::Rights;

/// Which records become pages, and which pages become documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Select {
    /// Keep only records of these types.
    pub(crate) record_types: Vec<String>,
    /// Keep only these HTTP statuses: numbers, or classes such as `2xx`.
    pub(crate) statuses: Vec<String>,
    /// Keep only these MIME types.
    pub(crate) mime_types: Vec<String>,
    /// Make documents of `text/plain`, too: of responses, and of the texts that Browsertrix writes beside pages.
    pub(crate) plain_text: bool,
    /// Keep only URLs that match one of these regular expressions. An empty list keeps all.
    pub(crate) url_include: Vec<String>,
    /// Drop URLs that match one of these regular expressions.
    pub(crate) url_exclude: Vec<String>,
    /// Files of hosts: only pages of these hosts and domains are kept. An empty list keeps all.
    pub(crate) hosts_from: Vec<String>,
    /// Files of hosts whose pages are dropped.
    pub(crate) drop_hosts_from: Vec<String>,
    /// Smallest decoded page to keep, in bytes.
    pub(crate) min_bytes: u64,
    /// Largest decoded page to keep, in bytes; 0 for no limit.
    pub(crate) max_bytes: u64,
    /// Keep only documents with at least this many words of text.
    pub(crate) min_words: u32,
    /// Keep only documents whose text is in one of these languages. An empty list keeps all.
    pub(crate) languages: Vec<String>,
    /// Keep only documents that keep to these rules of quality: presets (`gopher`, `c4`, `fineweb`), or bounds such as
    /// `quality_sentences >= 3`.
    pub(crate) quality: Vec<String>,
    /// Drop pages that ask for one of these, or whose server does.
    pub(crate) respect: Vec<Wish>,
    /// Names of agents. What is asked of them is respected as if it were asked of all.
    pub(crate) respect_agents: Vec<String>,
    /// A file that knows the payloads of earlier runs. What they emitted is left out, and what this run emits is added
    /// when it is complete. Empty for none.
    pub(crate) seen: String,
    /// Make documents of `revisit` records whose original the run reads, too.
    pub(crate) resolve_revisits: bool,
}

choice! {
    /// A wish of a page or its server.
    Wish {
        /// Not to be in an index: `noindex` or `none`.
        NoIndex = "noindex",
        /// Not to be kept as a copy: `noarchive` or `nocache`.
        NoArchive = "noarchive",
        /// Not to be shown in parts: `nosnippet`.
        NoSnippet = "nosnippet",
        /// Not to be used for artificial intelligence: `noai`.
        NoAi = "noai",
        /// The same for its images: `noimageai`.
        NoImageAi = "noimageai",
        /// Rights to text and data mining are reserved (TDMRep).
        Tdm = "tdm",
    }
}

impl Wish {
    /// Whether a page and its server ask this of all, or of one of these agents.
    pub(crate) fn is_asked(self, rights: &Rights, agents: &[String]) -> bool {
        let directives: &[&str] = match self {
            Wish::Tdm => return rights.tdm_reservation == "1",
            Wish::NoIndex => &["noindex", "none"],
            Wish::NoArchive => &["noarchive", "nocache"],
            Wish::NoSnippet | Wish::NoAi | Wish::NoImageAi => &[self.name()],
        };
        rights.has_directive(directives, agents)
    }
}

impl Default for Select {
    fn default() -> Self {
        let list = |items: &[&str]| items.iter().map(|s| (*s).to_owned()).collect();
        Self {
            record_types: list(&["response", "resource"]),
            statuses: list(&["200"]),
            mime_types: list(&["text/html", "application/xhtml+xml"]),
            plain_text: false,
            url_include: Vec::new(),
            url_exclude: Vec::new(),
            hosts_from: Vec::new(),
            drop_hosts_from: Vec::new(),
            min_bytes: 0,
            max_bytes: 0,
            min_words: 0,
            languages: Vec::new(),
            quality: Vec::new(),
            respect: Vec::new(),
            respect_agents: Vec::new(),
            seen: String::new(),
            resolve_revisits: false,
        }
    }
}

impl Select {
    /// Reads the lists of hosts.
    ///
    /// # Errors
    /// A file cannot be read, or has something else than hosts.
    pub(super) fn read_host_lists(&self) -> Result<HostLists, ConfigError> {
        HostLists::read(&self.hosts_from, &self.drop_hosts_from)
            .map_err(|(key, e)| ConfigError::invalid(key, format!("“{key}”: {e}")))
    }
}
