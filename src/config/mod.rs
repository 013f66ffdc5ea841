//! The configuration: what `pipeline.toml` may say, its defaults, and the hash of what can change a document.
//!
//! Two stages: a file (and `--set` flags) are read as a table and checked against the defaults, key by key, so that an
//! unknown key or value is named together with the nearest valid one; then the table becomes a [`Config`], and a
//! `Config` becomes [`Rules`] with its patterns compiled and its presets built. Workers see only the latter.

mod rules;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use crate::encode::Format;
pub use rules::{Rules, Statuses};
pub(crate) use table::{nearest, preset_parameters};

use crate::archive::{DICTIONARY_LIMIT, DigestPolicy, RECORD_LIMIT, ReadOptions, WINDOW_LIMIT};
use crate::encode::Compression;
use crate::extract::{DEFAULT_PRESET, Preset};
use dehusk_html::MAX_DEPTH;

/// Everything that can be configured. `pipeline.toml` at the top of the repository is this, with comments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// How archives are read.
    pub input: InputConfig,
    /// Which records become pages, and which pages documents.
    pub select: Select,
    /// Sizes beyond which a record or page fails instead of filling memory.
    pub limits: Limits,
    /// How pages are parsed.
    pub dom: DomConfig,
    /// Which extractors run.
    pub extract: ExtractConfig,
    /// What is written.
    pub output: OutputConfig,
    /// How the work is done; changes no document.
    pub run: RunConfig,
    /// Presets of one's own: a built-in one under another name with other values.
    pub presets: BTreeMap<String, toml::Table>,
}

/// How archives are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputConfig {
    /// Whether every block is checked against the digest that its record states.
    pub verify_digests: bool,
    /// What a wrong digest does.
    pub digest_mismatch: Mismatch,
    /// What a wrong checksum of a member or frame does where no block digest proves the data good.
    pub checksum_mismatch: Mismatch,
}

/// What a wrong digest or checksum does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mismatch {
    /// The record fails.
    #[default]
    Fail,
    /// The document bears a note.
    Note,
}

/// Which records become pages, and which pages documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Select {
    /// Record types that are looked at.
    pub record_types: Vec<String>,
    /// HTTP statuses that are: a number, or a class such as `2xx`.
    pub statuses: Vec<String>,
    /// MIME types that are.
    pub mime_types: Vec<String>,
    /// Regular expressions of which the URL must match one; none means any URL.
    pub url_include: Vec<String>,
    /// Regular expressions of which the URL must match none.
    pub url_exclude: Vec<String>,
    /// Least size of a decoded page, in bytes.
    pub min_bytes: u64,
    /// Largest size of a decoded page, in bytes; 0 for any.
    pub max_bytes: u64,
    /// Fewest words of a document's text.
    pub min_words: u32,
}

impl Default for Select {
    fn default() -> Self {
        let list = |items: &[&str]| items.iter().map(|s| (*s).to_owned()).collect();
        Self {
            record_types: list(&["response", "resource"]),
            statuses: list(&["200"]),
            mime_types: list(&["text/html", "application/xhtml+xml"]),
            url_include: Vec::new(),
            url_exclude: Vec::new(),
            min_bytes: 0,
            max_bytes: 0,
            min_words: 0,
        }
    }
}

/// Sizes and amounts of work beyond which a record or page fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Largest block of a record; larger ones are streamed past.
    pub record_bytes: u64,
    /// Largest window of a zstd frame.
    pub window_bytes: u64,
    /// Largest zstd dictionary, stored or decoded.
    pub dictionary_bytes: u64,
    /// Largest decoded page, whatever coding it came in.
    pub page_bytes: u64,
    /// Most decoded bytes of a body for each stored one, where it decodes to more than a mebibyte.
    pub page_expansion: u64,
    /// Most nodes of a page's tree.
    pub page_nodes: u64,
    /// Deepest nesting of elements; deeper ones become leaves.
    pub page_depth: u64,
    /// Most steps that a page's parsing may take.
    pub page_work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: RECORD_LIMIT,
            window_bytes: WINDOW_LIMIT,
            dictionary_bytes: DICTIONARY_LIMIT,
            page_bytes: RECORD_LIMIT,
            page_expansion: 1000,
            page_nodes: dehusk_html::Limits::default().nodes as u64,
            page_depth: MAX_DEPTH as u64,
            page_work: dehusk_html::Limits::default().work,
        }
    }
}

impl Limits {
    /// Beyond this size an expansion is worth a look, in decoded bytes: short pages of one letter compress well.
    const EXPANDED: u64 = 1 << 20;

    /// What a page's tree may take.
    pub fn of_tree(&self) -> dehusk_html::Limits {
        let size = |n| usize::try_from(n).unwrap_or(usize::MAX);
        dehusk_html::Limits::default()
            .with_nodes(size(self.page_nodes))
            .with_depth(size(self.page_depth).clamp(1, MAX_DEPTH))
            .with_work(self.page_work)
    }

    /// To how many bytes a body of this stored size may decode.
    pub fn of_body(&self, stored: usize) -> usize {
        let expanded = (stored as u64).saturating_mul(self.page_expansion).max(Self::EXPANDED);
        usize::try_from(self.page_bytes.min(expanded)).unwrap_or(usize::MAX)
    }
}

/// How pages are parsed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DomConfig {
    /// Whether pages are repaired to a strict tree first (the papers' "converting to XHTML").
    pub normalize: bool,
}

/// Which extractors run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtractConfig {
    /// Names of presets. The first fills `text` and decides the ledger; each further one adds `text_NAME`.
    pub extractors: Vec<String>,
}

impl Default for ExtractConfig {
    fn default() -> Self {
        Self {
            extractors: vec![DEFAULT_PRESET.to_owned()],
        }
    }
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutputConfig {
    /// The shards' format.
    pub format: Format,
    /// The shards' compression.
    pub compression: CompressionKind,
    /// Compression level; 0 for the default of the compression.
    pub level: u32,
    /// The corpus' name, which fills every document's `source`.
    pub source: String,
    /// Whether the stored bytes of what fails are kept.
    pub quarantine: bool,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            format: Format::default(),
            compression: CompressionKind::Zstd,
            level: 0,
            source: String::new(),
            quarantine: false,
        }
    }
}

/// A shard's compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompressionKind {
    /// Zstandard frames.
    Zstd,
    /// Gzip members.
    Gzip,
    /// None.
    None,
}

impl OutputConfig {
    /// The compression with its level.
    pub fn compression(&self) -> Compression {
        let level = |default| if self.level == 0 { default } else { self.level };
        match self.compression {
            CompressionKind::Zstd => Compression::Zstd(level(Compression::ZSTD_LEVEL as u32) as i32),
            CompressionKind::Gzip => Compression::Gzip(level(Compression::GZIP_LEVEL)),
            CompressionKind::None => Compression::None,
        }
    }
}

/// How the work is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConfig {
    /// Threads that do heavy work at a time; 0 for the number of cores.
    pub threads: usize,
}

/// What is wrong with a configuration, in words that name the key and the nearest valid one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub String);

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads a configuration file; keys that it does not have keep their defaults.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML, or has an unknown key or value.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Self::from_file_and(path, &[])
    }

    /// Reads a configuration file and then settings of the form `select.min_words=50`, which beat it.
    ///
    /// # Errors
    /// As [`Config::from_file`].
    pub fn from_file_and(path: &Path, settings: &[String]) -> Result<Self, ConfigError> {
        let name = crate::escape::path(path);
        let text = std::fs::read_to_string(path).map_err(|e| ConfigError(format!("{name}: cannot be read: {e}")))?;
        Self::parse(&text, settings).map_err(|e| ConfigError(format!("{name}: {e}")))
    }

    /// Reads a configuration from TOML text and then settings of the form `select.min_words=50`.
    ///
    /// # Errors
    /// The text is no TOML, or has an unknown key or value.
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, ConfigError> {
        table::read(text, settings)
    }

    /// Hash of all that can change a document, 8 hex digits.
    pub fn hash(&self) -> String {
        // A preset that cannot be built runs nowhere, so nothing depends on its hash.
        let used = self.extract.extractors.iter();
        let presets: Vec<Preset> = used.filter_map(|name| rules::preset(self, name).ok()).collect();
        self.hash_with(&presets)
    }

    /// The same where the presets are built already.
    fn hash_with(&self, built: &[Preset]) -> String {
        let relevant = Config {
            output: OutputConfig {
                source: self.output.source.clone(),
                format: match self.output.format {
                    format if format.changes_documents() => format,
                    _ => Format::default(),
                },
                ..OutputConfig::default()
            },
            run: RunConfig::default(),
            // Presets that do not run change nothing.
            presets: self
                .presets
                .iter()
                .filter(|(name, _)| self.extract.extractors.contains(name))
                .map(|(name, preset)| {
                    (
                        name.clone(),
                        table::by_content(preset, built.iter().find(|p| p.name == *name)),
                    )
                })
                .collect(),
            ..self.clone()
        };
        let json = serde_json::to_string(&relevant).unwrap_or_default();
        format!("{:08x}", xxhash_rust::xxh3::xxh3_64(json.as_bytes()) as u32)
    }

    /// How archives are to be read.
    pub fn read_options(&self) -> ReadOptions {
        let digests = match (self.input.verify_digests, self.input.digest_mismatch) {
            (false, _) => DigestPolicy::Ignore,
            (true, Mismatch::Fail) => DigestPolicy::Fail,
            (true, Mismatch::Note) => DigestPolicy::Note,
        };
        ReadOptions {
            record_limit: self.limits.record_bytes,
            window_limit: self.limits.window_bytes,
            dictionary_limit: self.limits.dictionary_bytes,
            unproven: self.input.checksum_mismatch == Mismatch::Note,
            digests,
        }
    }
}
