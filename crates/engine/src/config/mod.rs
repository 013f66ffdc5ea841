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
mod input;
mod keys;
mod layer;
mod limits;
mod named;
mod output;
mod preset;
#[doc(hidden)]
pub mod rules;
mod select;
mod unknown;
mod url_pattern;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use builder::ConfigBuilder;
#[doc(hidden)]
pub use choice::output_format;
pub use dehusk_documents::encode::OutputFormat;
pub use error::{ConfigError, ConfigErrorKind};
#[doc(hidden)]
pub use error::{how_to_build, not_built_in};
pub use extract::Comments;
pub use input::Mismatch;
pub use output::{CompressionKind, Signature, TextKind, TitleKind};
pub use preset::{EVERY_PRESET, PresetConfig};
#[doc(hidden)]
pub use rules::MOST_THREADS;
#[doc(hidden)]
pub use rules::{Rules, unknown_extractor};

use dehusk_remote::RemoteConfig;
use extract::{DomConfig, ExtractConfig};
use input::InputConfig;
use limits::Limits;
pub(crate) use output::OutputConfig;
use select::Select;

use crate::sites::Sites;
use dehusk_archive::{DigestPolicy, ReadOptions};
use dehusk_documents::bounded;
use dehusk_extract::{Parameters, Preset, registry};

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
    /// What is written.
    pub(crate) output: OutputConfig,
    /// How the work is done. It changes no document.
    pub(crate) run: RunConfig,
    /// How archives behind a network are asked for. It changes no document, so the hash does not cover it.
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

/// Keys that were added later count only if they are set, so that configurations without them keep their hashes. In a
/// string of the configuration, quotation marks are escaped, so it holds none of these.
const UNSET: [&str; 10] = [
    ",\"seen\":\"\"",
    ",\"resolve_revisits\":false",
    ",\"details\":false",
    ",\"evidence\":false",
    ",\"title\":\"as found\"",
    ",\"fallback\":[]",
    ",\"fallback_score\":0.5",
    ",\"union\":[]",
    ",\"sites\":\"\"",
    ",\"drop_repeated\":0",
];

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

    /// A hash of all that can change a document: 8 hexadecimal digits.
    pub fn hash(&self) -> String {
        // A configuration that cannot be resolved does not run, so its hash does not matter.
        let sites = rules::sites(self).ok().flatten();
        self.hash_of(&rules::all_presets(self).unwrap_or_default(), sites.as_deref())
    }

    /// The hash, if these presets run, members of ensembles included, with what this store says of sites. Of a file
    /// that is named, the content counts that was read.
    fn hash_of(&self, running: &[Preset], sites: Option<&Sites>) -> String {
        let sets_model = |own: &PresetConfig| own.changes().get("model").is_some();
        // An ensemble has the files of its members, which are here too.
        let is_ensemble = |preset: &Preset| self.extract.ensemble.contains_key(&preset.name);
        let model = running
            .iter()
            .filter(|preset| !is_ensemble(preset) && !self.presets.get(&preset.name).is_some_and(sets_model))
            .flat_map(Preset::file_hashes)
            .find(|(key, _)| *key == "model");
        let presets = running.iter().filter_map(|preset| {
            let own = self.presets.get(&preset.name)?;
            Some((preset.name.clone(), own.by_content(preset)))
        });
        let ensembles = running.iter().filter_map(|preset| {
            let ensemble = self.extract.ensemble.get(&preset.name)?;
            Some((preset.name.clone(), ensemble.clone()))
        });
        let relevant = Config {
            extract: ExtractConfig {
                // The name of a built-in model stays.
                model: model.map_or_else(|| self.extract.model.clone(), |(_, hash)| format!("{hash:016x}")),
                ensemble: ensembles.collect(),
                sites: sites.map_or_else(String::new, |sites| format!("{:016x}", sites.digest())),
                ..self.extract.relevant()
            },
            output: OutputConfig {
                source: self.output.source.clone(),
                text: self.output.text,
                // Plain text has neither.
                links: self.output.links && self.output.text == TextKind::Markdown,
                images: self.output.images && self.output.text == TextKind::Markdown,
                // With rules, the signals are filled in anyway.
                quality: self.output.quality && self.select.quality.is_empty(),
                title: self.output.title,
                details: self.output.details,
                evidence: self.output.evidence,
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
