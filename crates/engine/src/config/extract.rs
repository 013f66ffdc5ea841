//! The sections `dom` and `extract`: how pages are parsed, and which extractors run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use dehusk_extract::{DEFAULT_PRESET, Parameters, Value, registry};
use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::choice::choice;
use super::ensemble::EnsembleConfig;
use crate::languages::Languages;
use crate::sites::Sites;

/// How pages are parsed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DomConfig {
    /// Parse pages as the HTML specification says (the papers' "converting to XHTML").
    pub(crate) normalize: bool,
}

/// Which extractors run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ExtractConfig {
    /// Names of presets. The first fills `text` and decides which pages become documents; each further one adds a field
    /// `text_NAME`.
    pub(crate) extractors: Vec<String>,
    /// Path of a model file, or the name of a built-in model, for the extractors that are learned. Empty for the model
    /// of each preset.
    pub(crate) model: String,
    /// The treatment of readers' comments by extractors that distinguish them from the rest.
    pub(crate) comments: Comments,
    /// Names of presets that make `text`, in this order, if the score of the first extractor is too low.
    pub(crate) fallback: Vec<String>,
    /// The score below which the next preset is tried.
    pub(crate) fallback_score: f64,
    /// Names of presets that make `text`, in this order, if the rules leave out the page with the text of the first.
    pub(crate) union: Vec<String>,
    /// Path of a store of what the pages of sites share, as `dehusk sites` makes it. Empty for none.
    pub(crate) sites: String,
    /// Drop the blocks whose text at least so many other pages of the host hold, whatever the extractor; 0 for none.
    pub(crate) drop_repeated: u32,
    /// The sources of a document's language, in their order: the first that knows it counts.
    pub(crate) language_from: Vec<LanguageSource>,
    /// Path of a model of fastText for languages. Empty for none.
    pub(crate) language_model: String,
    /// Ensembles, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) ensemble: BTreeMap<String, EnsembleConfig>,
}

/// The score below which the next preset is tried, unless the configuration sets another.
const FALLBACK_SCORE: f64 = 0.5;

impl Default for ExtractConfig {
    fn default() -> Self {
        Self {
            extractors: vec![DEFAULT_PRESET.to_owned()],
            model: String::new(),
            comments: Comments::Auto,
            fallback: Vec::new(),
            fallback_score: FALLBACK_SCORE,
            union: Vec::new(),
            sites: String::new(),
            drop_repeated: 0,
            language_from: vec![LanguageSource::Text],
            language_model: String::new(),
            ensemble: BTreeMap::new(),
        }
    }
}

/// Whether a built-in preset has a parameter that takes such a value. NCE's `comments` is another one: true or false.
pub(super) fn takes(preset: &str, parameter: &str, value: &Value) -> bool {
    let parameters = registry::parameters(preset).unwrap_or_default();
    parameters.get(parameter).is_some_and(|own| own.kind() == value.kind())
}

choice! {
    /// The treatment of readers' comments.
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

choice! {
    /// A source of a document's language.
    LanguageSource {
        /// The list of offsets that names the record.
        Index = "index",
        /// `WARC-Identified-Content-Language` of the record.
        Header = "header",
        /// A model of fastText.
        Model = "model",
        /// The built-in detector, from the text and what the page claims.
        Text = "text",
    }
}

impl ExtractConfig {
    /// The section with what changes no document at its default: a score without presets that it is for.
    pub(super) fn relevant(&self) -> Self {
        let mut relevant = self.clone();
        if self.fallback.is_empty() {
            relevant.fallback_score = FALLBACK_SCORE;
        }
        if self.sites.is_empty() {
            relevant.drop_repeated = 0;
        }
        relevant
    }

    /// The keys that are set and that are parameters of extractors, with their values.
    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::new();
        if !self.model.is_empty() {
            parameters.set("model", self.model.as_str());
        }
        if self.comments != Comments::Auto {
            parameters.set("comments", self.comments);
        }
        parameters
    }

    /// The values that differ from those of the built-in preset `base`: `changes`, and the keys of this section where
    /// the base has such a parameter and `changes` does not set it.
    #[doc(hidden)]
    pub fn complete(&self, base: &str, changes: &Parameters) -> Parameters {
        let mut all = changes.clone();
        for (name, value) in self.parameters().iter() {
            if changes.get(name).is_none() && takes(base, name, value) {
                all.set(name, value.clone());
            }
        }
        all
    }

    /// Reads the sources of the languages of documents.
    ///
    /// # Errors
    /// No source is named, or the model is missing, not asked, or none.
    pub(super) fn read_languages(&self) -> Result<Languages, ConfigError> {
        Languages::read(&self.language_from, &self.language_model)
            .map_err(|(key, message)| ConfigError::invalid(key, message))
    }

    /// Opens the store of what the pages of sites share, if the configuration names one.
    ///
    /// # Errors
    /// It cannot be read, or is another store or none.
    pub(super) fn open_sites(&self) -> Result<Option<Arc<Sites>>, ConfigError> {
        let name = &self.sites;
        if name.is_empty() {
            return Ok(None);
        }
        let opened = Sites::open(Path::new(name));
        opened.map(|sites| Some(Arc::new(sites))).map_err(|e| {
            let is_absent = matches!(Path::new(name).try_exists(), Ok(false));
            let remedy = if is_absent {
                "; `dehusk sites ARCHIVE... -o FILE` makes such a store"
            } else {
                ""
            };
            let message = format!("“extract.sites”: {e}{remedy}");
            ConfigError::invalid("extract.sites", message)
        })
    }
}
