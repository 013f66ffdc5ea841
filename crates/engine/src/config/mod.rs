//! The configuration: its keys, their defaults, and the hash of what can change a document.
//!
//! A [`Config`] is plain data, with a file for each section: `input`, `select`, `limits`, `extract`, `output`, `remote`
//! and `preset`. Files and settings are layers over it (`layer`); [`Rules`] are what workers see of it, with patterns
//! compiled and presets built.

mod builder;
mod choice;
mod ensemble;
mod ensemble_check;
mod error;
mod extract;
mod hash;
mod input;
mod keys;
mod layer;
mod limits;
mod named;
mod output;
mod preset;
mod preset_builder;
#[doc(hidden)]
pub mod rules;
mod section;
mod select;
mod unknown;
mod url_pattern;
mod values;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use builder::ConfigBuilder;
#[doc(hidden)]
pub use choice::output_format;
pub use dehusk_documents::encode::OutputFormat;
pub use error::{ConfigError, ConfigErrorKind};
#[doc(hidden)]
pub use error::{lacking, not_built_in};
pub use extract::{Comments, LanguageSource};
pub use input::Mismatch;
pub use output::{CompressionKind, Signature, TextKind, TitleKind, TokenizerKind};
pub use preset::{EVERY_PRESET, PresetConfig};
#[doc(hidden)]
pub use preset_builder::unknown_extractor;
#[doc(hidden)]
pub use rules::{MOST_THREADS, Rules};
pub use select::Wish;

use dehusk_remote::RemoteConfig;
use extract::{DomConfig, ExtractConfig};
use input::InputConfig;
use limits::Limits;
pub(crate) use output::OutputConfig;
use select::Select;

use dehusk_archive::{DigestPolicy, ReadOptions};
use dehusk_documents::bounded;
use dehusk_extract::{Parameters, registry};

/// Largest configuration file, in bytes.
const FILE_LIMIT: u64 = 16 << 20;

/// Everything that can be configured. `pipeline.toml` holds the same keys with their defaults.
///
/// ```
/// let mut config = dehusk::Config::default();
/// config.set("select.min_words", 50)?;
/// config.set("extract.extractors", ["coreex"])?;
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
///
/// [`Config::builder`] does the same in one expression. [`Config::from_file`] reads a file. `docs/configuration.md` has
/// all keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Config {
    /// How archives are read.
    pub(crate) input: InputConfig,
    /// Which records become pages, and which pages become documents.
    pub(crate) select: Select,
    /// Limits beyond which a record or page fails.
    pub(crate) limits: Limits,
    /// How pages are parsed.
    pub(crate) dom: DomConfig,
    /// Which extractors run.
    pub(crate) extract: ExtractConfig,
    /// The content and form of the output.
    pub(crate) output: OutputConfig,
    /// How the work is done. It changes no document.
    pub(crate) run: RunConfig,
    /// How archives on a network are requested. It changes no document, so the hash does not cover it.
    #[serde(skip_serializing_if = "RemoteConfig::is_left_out")]
    pub(crate) remote: RemoteConfig,
    /// Your own presets, by name.
    pub(crate) presets: BTreeMap<String, PresetConfig>,
}

/// How the work is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunConfig {
    /// How many threads do heavy work at the same time; 0 for the number of cores.
    pub(crate) threads: usize,
}

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
            .and_then(|layer| layer::applied(self, layer, Some(path)))
            .map_err(|e| e.with_file(path))
    }

    /// Reads a configuration from TOML text. Keys that it does not hold keep their defaults.
    ///
    /// # Errors
    /// The text is not TOML, or has an unknown key or an invalid value.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        layer::applied(Self::default(), layer::parse(text)?, None)
    }

    /// Returns the names of the presets that run.
    pub fn extractors(&self) -> &[String] {
        &self.extract.extractors
    }

    /// Returns the names of your own presets and ensembles.
    pub fn own_presets(&self) -> impl Iterator<Item = &str> {
        let ensembles = self.extract.ensemble.keys();
        self.presets.keys().chain(ensembles).map(String::as_str)
    }

    /// Returns the built-in preset that the preset `name` is made from, with the values that differ from it here.
    /// Returns `None` if there is no such preset.
    #[doc(hidden)]
    pub fn resolved_preset(&self, name: &str) -> Option<(&str, Parameters)> {
        let none = Parameters::new();
        let (base, changes) = match self.presets.get_key_value(name) {
            Some((_, own)) if registry::built_in(name).is_none() => (own.base(), own.changes()),
            _ => (registry::built_in(name)?, &none),
        };
        Some((base, self.extract.complete(base, changes)))
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
