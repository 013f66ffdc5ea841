//! Flags → configuration. The file beats the defaults, `--set` beats the file, and a flag of its own beats both.

use super::args::{ConfigArgs, EvalArgs, ExtractorArgs, FileArgs, PageArgs, RunArgs};
use dehusk_engine::config::{Config, ConfigError};
use dehusk_extract::PRESETS;

/// The name that stands for all presets in `eval`.
const EVERY: &str = "all";

impl FileArgs {
    /// The file, then the settings.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let config = match &self.config {
            Some(path) => Config::from_file(path)?,
            None => Config::default(),
        };
        config.with_settings(&self.settings)
    }
}

impl ExtractorArgs {
    /// Puts the flags over the configuration.
    pub(super) fn apply(&self, config: &mut Config) {
        if let Some(model) = &self.model {
            config.extract.model.clone_from(model);
        }
        config.extract.comments = self.comments.unwrap_or(config.extract.comments);
    }
}

impl ConfigArgs {
    /// The file and the settings, then these flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        replace(&mut config.extract.extractors, &self.extractor);
        self.extractors.apply(&mut config);
        self.pages.apply(&mut config);
        config.select.min_words = self.min_words.unwrap_or(config.select.min_words);
        replace(&mut config.select.languages, &self.languages);
        replace(&mut config.select.quality, &self.quality);
        Ok(config)
    }
}

impl PageArgs {
    /// Puts the flags over the configuration.
    fn apply(&self, config: &mut Config) {
        let select = &mut config.select;
        replace(&mut select.record_types, &self.record_type);
        replace(&mut select.statuses, &self.status);
        replace(&mut select.mime_types, &self.mime);
        replace(&mut select.url_include, &self.url_include);
        replace(&mut select.url_exclude, &self.url_exclude);
        config.dom.normalize |= self.normalize;
    }
}

impl EvalArgs {
    /// The file and the settings, then the flags. If there are sweeps, only extractors that a flag names run beside them.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        self.extractors.apply(&mut config);
        self.pages.apply(&mut config);
        config.run.threads = self.threads.unwrap_or(config.run.threads);
        let names = &mut config.extract.extractors;
        match self.extractor.is_empty() && !self.sweep.is_empty() {
            true => names.clear(),
            false => replace(names, &self.extractor),
        }
        if names.iter().any(|name| name == EVERY) {
            let own = config.presets.keys().cloned();
            *names = PRESETS.iter().map(|p| (*p).to_owned()).chain(own).collect();
        }
        Ok(config)
    }
}

impl RunArgs {
    /// The file and the settings, then the flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.config.resolve()?;
        let output = &mut config.output;
        output.format = self.format.unwrap_or(output.format);
        output.text = self.text.unwrap_or(output.text);
        output.title = self.title.unwrap_or(output.title);
        output.compression = self.compression.unwrap_or(output.compression);
        output.level = self.level.unwrap_or(output.level);
        if let Some(source) = &self.source {
            output.source.clone_from(source);
        }
        if !self.signatures.is_empty() {
            output.signatures.clone_from(&self.signatures);
        }
        output.quarantine |= self.quarantine;
        if let Some(seen) = &self.seen {
            config.select.seen.clone_from(seen);
        }
        config.select.resolve_revisits |= self.resolve_revisits;
        config.run.threads = self.threads.unwrap_or(config.run.threads);
        Ok(config)
    }
}

/// A list given by flags replaces the whole list before it.
fn replace(list: &mut Vec<String>, flags: &[String]) {
    if !flags.is_empty() {
        *list = flags.to_vec();
    }
}
