//! A configuration in one expression.

use std::path::Path;

use dehusk_extract::Value;

use super::{CompressionKind, Config, ConfigError, OutputFormat, PresetConfig, Rules, Signature, TextKind};

/// Builds a [`Config`] step by step. Of two steps that set the same key, the later one counts.
///
/// ```
/// let config = dehusk::Config::builder().extractors(["coreex"]).min_words(50).build()?;
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
///
/// [`ConfigBuilder::set`] reaches the keys that have no method of their own. The first mistake ends the steps:
/// [`ConfigBuilder::build`] returns it.
#[derive(Clone, Debug)]
#[must_use]
pub struct ConfigBuilder {
    config: Result<Config, ConfigError>,
}

impl Default for ConfigBuilder {
    fn default() -> Self {
        Self {
            config: Ok(Config::default()),
        }
    }
}

impl From<Config> for ConfigBuilder {
    fn from(config: Config) -> Self {
        Self { config: Ok(config) }
    }
}

impl ConfigBuilder {
    fn change(mut self, change: impl FnOnce(&mut Config)) -> Self {
        if let Ok(config) = &mut self.config {
            change(config);
        }
        self
    }

    /// Takes over the keys of a configuration file.
    pub fn file(self, path: &Path) -> Self {
        Self {
            config: self.config.and_then(|config| config.with_file(path)),
        }
    }

    /// Sets any key: `.set("limits.page_bytes", 1_000_000)`. `docs/configuration.md` lists the keys.
    pub fn set(self, key: &str, value: impl Into<Value>) -> Self {
        let set = |mut config: Config| config.set(key, value).map(|()| config);
        Self {
            config: self.config.and_then(set),
        }
    }

    /// Names the presets that run. The first fills `text`; each further one adds a field `text_NAME`.
    pub fn extractors(self, names: impl IntoIterator<Item: Into<String>>) -> Self {
        self.change(|config| config.extract.extractors = names.into_iter().map(Into::into).collect())
    }

    /// Adds a preset of your own. [`ConfigBuilder::extractors`] has to name it.
    pub fn preset(self, name: impl Into<String>, preset: PresetConfig) -> Self {
        self.change(|config| {
            config.presets.insert(name.into(), preset);
        })
    }

    /// Keeps only these HTTP statuses: numbers, or classes such as `2xx`.
    pub fn statuses(self, statuses: impl IntoIterator<Item: Into<String>>) -> Self {
        self.change(|config| config.select.statuses = statuses.into_iter().map(Into::into).collect())
    }

    /// Keeps only documents with at least this many words.
    pub fn min_words(self, words: u32) -> Self {
        self.change(|config| config.select.min_words = words)
    }

    /// Parses pages as the HTML specification says.
    pub fn normalize(self, normalize: bool) -> Self {
        self.change(|config| config.dom.normalize = normalize)
    }

    /// Sets the format of the output files.
    pub fn format(self, format: OutputFormat) -> Self {
        self.change(|config| config.output.format = format)
    }

    /// Sets what the text of a document holds.
    pub fn text(self, text: TextKind) -> Self {
        self.change(|config| config.output.text = text)
    }

    /// Sets the signatures that documents have.
    pub fn signatures(self, signatures: impl IntoIterator<Item = Signature>) -> Self {
        self.change(|config| config.output.signatures = signatures.into_iter().collect())
    }

    /// Sets the compression of the output files.
    pub fn compression(self, compression: CompressionKind) -> Self {
        self.change(|config| config.output.compression = compression)
    }

    /// Names the corpus.
    pub fn source(self, name: impl Into<String>) -> Self {
        self.change(|config| config.output.source = name.into())
    }

    /// Sets how many threads do heavy work at the same time; 0 for the number of cores.
    pub fn threads(self, threads: usize) -> Self {
        self.change(|config| config.run.threads = threads)
    }

    /// The configuration, checked.
    ///
    /// # Errors
    /// The first mistake: a file that cannot be read, an unknown key or preset, an invalid value.
    pub fn build(self) -> Result<Config, ConfigError> {
        let config = self.config?;
        Rules::new(&config)?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ConfigErrorKind;
    use super::*;

    #[test]
    fn the_last_step_counts() {
        let built = Config::builder()
            .min_words(3)
            .set("select.min_words", 5)
            .threads(2)
            .build();
        let config = built.expect("a configuration");
        assert_eq!((config.select.min_words, config.run.threads), (5, 2));
    }

    #[test]
    fn the_first_mistake_is_returned() {
        let built = Config::builder().set("select.min_wrods", 5).set("nothing", 1).build();
        let error = built.expect_err("a mistake");
        assert_eq!(error.key(), Some("select.min_wrods"));
        let error = Config::builder()
            .extractors(["coreex-modren"])
            .build()
            .expect_err("a mistake");
        assert_eq!(error.kind(), ConfigErrorKind::InvalidValue);
        assert!(error.to_string().contains("did you mean “coreex-modern”?"));
    }

    #[test]
    fn a_preset_of_ones_own_is_checked() {
        let build = |threshold: f64| {
            let preset = PresetConfig::new("coreex").with("threshold", threshold);
            Config::builder().preset("mine", preset).extractors(["mine"]).build()
        };
        assert!(build(0.5).is_ok());
        assert_eq!(build(2.0).expect_err("a mistake").key(), Some("presets.mine.threshold"));
    }
}
