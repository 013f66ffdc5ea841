//! The configuration: its keys, their defaults, and the hash of what can change a document.
//!
//! A [`Config`] is plain data. Files and settings are layers over it (`layer`); [`Rules`] are what workers see of it, with
//! patterns compiled and presets built.

mod builder;
mod choice;
mod error;
mod layer;
mod preset;
mod remote;
pub(crate) mod rules;
mod url_pattern;
mod value;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use crate::encode::OutputFormat;
pub use builder::ConfigBuilder;
pub(crate) use error::nearest;
pub use error::{ConfigError, ConfigErrorKind};
#[cfg(feature = "cli")]
pub(crate) use error::{nearest_word, not_built_in};
pub use preset::PresetConfig;
pub use remote::RemoteConfig;
#[cfg(feature = "cli")]
pub(crate) use rules::MOST_THREADS;
pub(crate) use rules::{Rules, unknown_extractor};
pub use value::ConfigValue;

use crate::bounded;
use crate::encode::Compression;
use choice::choice;
use dehusk_archive::{DICTIONARY_LIMIT, DigestPolicy, RECORD_LIMIT, ReadOptions, WINDOW_LIMIT};
use dehusk_extract::{DEFAULT_PRESET, Parameters, Preset, Value, registry};

/// Largest configuration file, in bytes.
const FILE_LIMIT: u64 = 16 << 20;
use dehusk_html::{MAX_DEPTH, TextForm};

/// Everything that can be configured. `pipeline.toml` holds the same keys with their defaults.
///
/// ```
/// let mut config = dehusk::Config::default();
/// config.select.min_words = 50;
/// config.extract.extractors = vec!["coreex".into()];
/// ```
///
/// [`Config::builder`] does the same in one expression. [`Config::from_file`] reads a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Config {
    /// How archives are read.
    pub input: InputConfig,
    /// Which records become pages, and which pages become documents.
    pub select: Select,
    /// Limits beyond which a record or page fails.
    pub limits: Limits,
    /// How pages are parsed.
    pub dom: DomConfig,
    /// Which extractors run.
    pub extract: ExtractConfig,
    /// What is written.
    pub output: OutputConfig,
    /// How the work is done. It changes no document.
    pub run: RunConfig,
    /// How archives behind a network are asked for. It changes no document, so the hash does not cover it.
    #[serde(skip_serializing_if = "RemoteConfig::is_left_out")]
    pub remote: RemoteConfig,
    /// Your own presets, by name.
    pub presets: BTreeMap<String, PresetConfig>,
}

/// How archives are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InputConfig {
    /// Check every block against the digest in its record's header.
    pub verify_digests: bool,
    /// What to do when a digest is wrong.
    pub digest_mismatch: Mismatch,
    /// What to do when the checksum of a gzip member or zstd frame is wrong and no block digest proves the data good.
    pub checksum_mismatch: Mismatch,
    /// The URL and the date of a page in a tar file or a directory: a regular expression over its path, with the groups `url`
    /// and `date`. Without it, the path is the URL.
    pub url_pattern: String,
}

impl Default for InputConfig {
    fn default() -> Self {
        Self {
            verify_digests: false,
            digest_mismatch: Mismatch::Fail,
            checksum_mismatch: Mismatch::Fail,
            url_pattern: String::new(),
        }
    }
}

choice! {
    /// What to do when a digest or checksum is wrong.
    Mismatch {
        /// Fail the record.
        Fail = "fail",
        /// Keep the record, and put a note on its document.
        Note = "note",
    }
}

/// Which records become pages, and which pages become documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Select {
    /// Keep only records of these types.
    pub record_types: Vec<String>,
    /// Keep only these HTTP statuses: numbers, or classes such as `2xx`.
    pub statuses: Vec<String>,
    /// Keep only these MIME types.
    pub mime_types: Vec<String>,
    /// Keep only URLs that match one of these regular expressions. An empty list keeps all.
    pub url_include: Vec<String>,
    /// Drop URLs that match one of these regular expressions.
    pub url_exclude: Vec<String>,
    /// Smallest decoded page to keep, in bytes.
    pub min_bytes: u64,
    /// Largest decoded page to keep, in bytes; 0 for no limit.
    pub max_bytes: u64,
    /// Keep only documents with at least this many words of text.
    pub min_words: u32,
    /// Keep only documents whose text is in one of these languages. An empty list keeps all.
    pub languages: Vec<String>,
    /// Keep only documents that keep to these rules of quality: presets (`gopher`, `c4`, `fineweb`), or bounds such as
    /// `quality_sentences >= 3`.
    pub quality: Vec<String>,
    /// A file that knows the payloads of earlier runs. What they emitted is left out, and what this run emits is added when it
    /// is complete. Empty for none.
    pub seen: String,
    /// Make documents of `revisit` records whose original the run reads, too.
    pub resolve_revisits: bool,
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
            languages: Vec::new(),
            quality: Vec::new(),
            seen: String::new(),
            resolve_revisits: false,
        }
    }
}

/// Limits beyond which a record or page fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Limits {
    /// Largest block of a record, in bytes. Larger blocks are skipped without being held in memory.
    pub record_bytes: u64,
    /// Largest window of a zstd frame, in bytes.
    pub window_bytes: u64,
    /// Largest zstd dictionary, in bytes, compressed or not.
    pub dictionary_bytes: u64,
    /// Largest decoded page, in bytes, after each coding.
    pub page_bytes: u64,
    /// Most decoded bytes for each stored byte of a body. Bodies that decode to less than 1 MiB are not checked.
    pub page_expansion: u64,
    /// Most nodes in a page's tree.
    pub page_nodes: u64,
    /// Deepest nesting of elements. Deeper elements become leaves.
    pub page_depth: u64,
    /// Most steps that parsing a page may take.
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
    /// Bodies that decode to less than this many bytes are not checked for expansion: short repetitive pages compress well.
    const EXPANSION_CHECKED_FROM: u64 = 1 << 20;

    /// The limits of a page's tree.
    pub(crate) fn of_tree(&self) -> dehusk_html::Limits {
        let size = |n| usize::try_from(n).unwrap_or(usize::MAX);
        dehusk_html::Limits::default()
            .with_nodes(size(self.page_nodes))
            .with_depth(size(self.page_depth).clamp(1, MAX_DEPTH))
            .with_work(self.page_work)
    }

    /// The most bytes to which a body may decode that is stored in `stored` bytes.
    pub(crate) fn of_body(&self, stored: usize) -> usize {
        let expanded = (stored as u64).saturating_mul(self.page_expansion);
        let limit = self.page_bytes.min(expanded.max(Self::EXPANSION_CHECKED_FROM));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// How pages are parsed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DomConfig {
    /// Parse pages as the HTML specification says (the papers' "converting to XHTML").
    pub normalize: bool,
}

/// Which extractors run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ExtractConfig {
    /// Names of presets. The first fills `text` and decides which pages become documents; each further one adds a field
    /// `text_NAME`.
    pub extractors: Vec<String>,
    /// Path of a model file, or the name of a built-in model, for the extractors that are learned. Empty for the model
    /// of each preset.
    pub model: String,
    /// What the extractors that tell readers' comments from the rest do with them.
    pub comments: Comments,
}

impl Default for ExtractConfig {
    fn default() -> Self {
        Self {
            extractors: vec![DEFAULT_PRESET.to_owned()],
            model: String::new(),
            comments: Comments::Auto,
        }
    }
}

/// Whether a built-in preset has a parameter that takes such a value. NCE's `comments` is another one: true or false.
fn takes(preset: &str, parameter: &str, value: &Value) -> bool {
    let parameters = registry::parameters(preset).unwrap_or_default();
    parameters.get(parameter).is_some_and(|own| own.kind() == value.kind())
}

choice! {
    /// What becomes of readers' comments.
    Comments {
        /// Keep them on pages whose content they are, such as forums.
        Auto = "auto",
        /// Keep them in the text.
        Keep = "keep",
        /// Leave them out.
        Drop = "drop",
        /// Keep them in a field of their own, `comments`.
        Separate = "separate",
    }
}

impl ExtractConfig {
    /// The keys that are set and that are parameters of extractors, with their values.
    fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::new();
        if !self.model.is_empty() {
            parameters.set("model", self.model.as_str().into());
        }
        if self.comments != Comments::Auto {
            parameters.set("comments", self.comments.name().into());
        }
        parameters
    }

    /// The values that differ from those of the built-in preset `base`: `changes`, and the keys of this section where the
    /// base has such a parameter and `changes` does not set it.
    pub(crate) fn complete(&self, base: &str, changes: &Parameters) -> Parameters {
        let mut all = changes.clone();
        for (name, value) in self.parameters().iter() {
            if changes.get(name).is_none() && takes(base, name, value) {
                all.set(name, value.clone());
            }
        }
        all
    }
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct OutputConfig {
    /// Format of the output files.
    pub format: OutputFormat,
    /// What `text` holds: plain text, or Markdown.
    pub text: TextKind,
    /// Keep links in Markdown.
    pub links: bool,
    /// Keep images in Markdown.
    pub images: bool,
    /// Compression of the output files.
    pub compression: CompressionKind,
    /// Compression level; 0 for the default: 3 for zstd, 4 for gzip.
    pub level: u32,
    /// The corpus' name. It fills the field `source` of every document.
    pub source: String,
    /// Fill in the signals of quality even if no rule needs them.
    pub quality: bool,
    /// Which signatures documents have, for near-duplicate detection.
    pub signatures: Vec<Signature>,
    /// Keep the stored bytes of records that fail.
    pub quarantine: bool,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            format: OutputFormat::default(),
            text: TextKind::Plain,
            links: false,
            images: false,
            compression: CompressionKind::Zstd,
            level: 0,
            source: String::new(),
            quality: false,
            signatures: Vec::new(),
            quarantine: false,
        }
    }
}

choice! {
    /// What the text of a document holds.
    TextKind {
        /// Plain text.
        Plain = "plain",
        /// Markdown: CommonMark with the tables of GFM.
        Markdown = "markdown",
    }
}

choice! {
    /// A signature of a text.
    Signature {
        /// 64 bits, of which those of similar texts differ in few.
        Simhash = "simhash",
        /// 128 minima, which estimate the Jaccard similarity of two texts.
        Minhash = "minhash",
        /// Hashes of the words behind stop words.
        Spotsigs = "spotsigs",
    }
}

choice! {
    /// The compression of the output files.
    CompressionKind {
        /// Zstandard frames.
        Zstd = "zstd",
        /// Gzip members.
        Gzip = "gzip",
        /// None.
        None = "none",
    }
}

impl OutputConfig {
    /// The form of the text of a page with this address.
    pub(crate) fn text_form<'u>(&self, url: &'u str) -> TextForm<'u> {
        match self.text {
            TextKind::Plain => TextForm::plain(),
            TextKind::Markdown => TextForm::markdown()
                .with_links(self.links)
                .with_images(self.images)
                .with_url(url),
        }
    }

    /// The signatures that documents have, each once and in a fixed order.
    pub(crate) fn signatures(&self) -> Vec<Signature> {
        let named = Signature::ALL.iter().filter(|known| self.signatures.contains(known));
        named.copied().collect()
    }

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
#[non_exhaustive]
pub struct RunConfig {
    /// How many threads do heavy work at the same time; 0 for the number of cores.
    pub threads: usize,
}

/// Keys that were added later count only if they are set, so that configurations without them keep their hashes. In a string of
/// the configuration, quotation marks are escaped, so it holds none of these.
const UNSET: [&str; 2] = [",\"seen\":\"\"", ",\"resolve_revisits\":false"];

impl Config {
    /// A builder that starts from the defaults.
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// Reads a configuration file. Keys that it does not hold keep their defaults.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or has an unknown key or an invalid value.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Self::default().with_file(path)
    }

    /// The configuration with the values of a file over it.
    pub(crate) fn with_file(self, path: &Path) -> Result<Self, ConfigError> {
        let text = bounded::read_text(path, FILE_LIMIT).map_err(|e| {
            let error = ConfigError::new(ConfigErrorKind::Unreadable, format!("cannot be read: {e}"));
            error.with_source(e).with_file(path)
        })?;
        let layer = layer::parse(&text);
        layer
            .and_then(|layer| layer::apply(self, layer, Some(path)))
            .map_err(|e| e.with_file(path))
    }

    /// Reads a configuration from TOML text. Keys that it does not hold keep their defaults.
    ///
    /// # Errors
    /// The text is not TOML, or has an unknown key or an invalid value.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        layer::apply(Self::default(), layer::parse(text)?, None)
    }

    /// The configuration with other values for some keys, in text such as `select.min_words=50`. The value is TOML; what
    /// is not TOML is taken as a string.
    ///
    /// # Errors
    /// A setting has another form, or has an unknown key or an invalid value.
    pub fn with_settings(self, settings: impl IntoIterator<Item: AsRef<str>>) -> Result<Self, ConfigError> {
        let mut layer = toml::Table::new();
        for setting in settings {
            layer::add_setting(&mut layer, setting.as_ref())?;
        }
        layer::apply(self, layer, None)
    }

    /// A hash of all that can change a document: 8 hexadecimal digits.
    pub fn hash(&self) -> String {
        // A configuration that cannot be resolved does not run, so its hash does not matter.
        self.hash_of(&rules::presets(self).unwrap_or_default())
    }

    /// The hash, if these presets run. Of a file that a preset names, the content counts that the preset was built from.
    fn hash_of(&self, running: &[Preset]) -> String {
        let sets_model = |own: &PresetConfig| own.changes().get("model").is_some();
        let model = running
            .iter()
            .filter(|preset| !self.presets.get(&preset.name).is_some_and(sets_model))
            .flat_map(Preset::file_hashes)
            .find(|(key, _)| *key == "model");
        let presets = running.iter().filter_map(|preset| {
            let own = self.presets.get(&preset.name)?;
            Some((preset.name.clone(), own.by_content(preset)))
        });
        let relevant = Config {
            extract: ExtractConfig {
                // The name of a built-in model stays.
                model: model.map_or_else(|| self.extract.model.clone(), |(_, hash)| format!("{hash:016x}")),
                ..self.extract.clone()
            },
            output: OutputConfig {
                source: self.output.source.clone(),
                text: self.output.text,
                // Plain text has neither.
                links: self.output.links && self.output.text == TextKind::Markdown,
                images: self.output.images && self.output.text == TextKind::Markdown,
                // With rules, the signals are filled in anyway.
                quality: self.output.quality && self.select.quality.is_empty(),
                signatures: self.output.signatures(),
                format: match self.output.format {
                    format if format.changes_documents() => format,
                    _ => OutputFormat::default(),
                },
                ..OutputConfig::default()
            },
            select: Select {
                // Of the store, it counts that there is one. Its path says nothing.
                seen: if self.select.seen.is_empty() { "" } else { "set" }.to_owned(),
                ..self.select.clone()
            },
            run: RunConfig::default(),
            remote: RemoteConfig::LEFT_OUT,
            // Presets that do not run change nothing.
            presets: presets.collect(),
            ..self.clone()
        };
        let mut json = serde_json::to_string(&relevant).unwrap_or_default();
        for unset in UNSET {
            json = json.replace(unset, "");
        }
        format!("{:08x}", xxhash_rust::xxh3::xxh3_64(json.as_bytes()) as u32)
    }

    /// How archives are to be read.
    pub(crate) fn read_options(&self) -> ReadOptions {
        let digests = match (self.input.verify_digests, self.input.digest_mismatch) {
            (false, _) => DigestPolicy::Ignore,
            (true, Mismatch::Fail) => DigestPolicy::Fail,
            (true, Mismatch::Note) => DigestPolicy::Note,
        };
        let mut options = ReadOptions::new();
        options.record_limit = self.limits.record_bytes;
        options.window_limit = self.limits.window_bytes;
        options.dictionary_limit = self.limits.dictionary_bytes;
        options.unproven = self.input.checksum_mismatch == Mismatch::Note;
        options.digests = digests;
        options
    }
}
