//! Flags → configuration. The file beats the defaults, `--set` beats the file, and a flag of its own beats both.

use super::args::{ConfigArgs, EvalArgs, ExtractorArgs, FileArgs, PageArgs, RunArgs, SitesArgs};
use dehusk_engine::config::{Config, ConfigError, EVERY_PRESET};
use dehusk_eval::papers;
use dehusk_extract::{PRESETS, Value, registry};

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
    pub(super) fn apply(&self, config: &mut Config) -> Result<(), ConfigError> {
        set_given(config, "extract.model", self.model.as_deref())?;
        set_given(config, "extract.comments", self.comments)
    }
}

impl ConfigArgs {
    /// The file and the settings, then these flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        set_given(&mut config, "extract.extractors", list(&self.extractor))?;
        self.extractors.apply(&mut config)?;
        self.pages.apply(&mut config)?;
        set_given(&mut config, "select.min_words", self.min_words)?;
        set_given(&mut config, "select.languages", list(&self.languages))?;
        let respect = Some(self.respect.clone()).filter(|wishes| !wishes.is_empty());
        set_given(&mut config, "select.respect", respect)?;
        set_given(&mut config, "select.quality", list(&self.quality))?;
        Ok(config)
    }
}

impl PageArgs {
    /// Puts the flags over the configuration.
    fn apply(&self, config: &mut Config) -> Result<(), ConfigError> {
        set_given(config, "select.record_types", list(&self.record_type))?;
        set_given(config, "select.statuses", list(&self.status))?;
        set_given(config, "select.mime_types", list(&self.mime))?;
        set_given(config, "select.url_include", list(&self.url_include))?;
        set_given(config, "select.url_exclude", list(&self.url_exclude))?;
        set_given(config, "select.hosts_from", list(&self.hosts_from))?;
        set_given(config, "select.drop_hosts_from", list(&self.drop_hosts_from))?;
        set_given(config, "dom.normalize", flag(self.normalize))
    }
}

impl EvalArgs {
    /// The file and the settings, then the flags. If there are sweeps, only extractors that a flag names run beside
    /// them. Each preset is measured by itself, so none takes the place of another.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        config.set("extract.fallback", Vec::<String>::new())?;
        config.set("extract.union", Vec::<String>::new())?;
        self.extractors.apply(&mut config)?;
        self.pages.apply(&mut config)?;
        set_given(&mut config, "run.threads", self.threads)?;
        if !self.sweep.is_empty() {
            config.set("extract.extractors", Vec::<String>::new())?;
        }
        set_given(&mut config, "extract.extractors", list(&self.extractor))?;
        if config.extractors().iter().any(|name| name == EVERY_PRESET) {
            let all = PRESETS.iter().copied().chain(config.own_presets());
            let all: Vec<String> = all.map(str::to_owned).collect();
            config.set("extract.extractors", all)?;
        }
        if !self.tables.is_empty() {
            let systems = papers::extractors(&self.papers()).into_iter();
            let mut names: Vec<String> = systems
                .filter(|name| registry::built_in(name).is_some())
                .map(str::to_owned)
                .collect();
            let given = (!self.extractor.is_empty()).then(|| config.extractors());
            for name in given.into_iter().flatten() {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            config.set("extract.extractors", names)?;
        }
        Ok(config)
    }

    /// The papers whose tables are asked for.
    pub(super) fn papers(&self) -> Vec<&str> {
        self.tables.iter().map(String::as_str).collect()
    }
}

impl SitesArgs {
    /// The file and the settings, then the flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.file.resolve()?;
        set_given(&mut config, "run.threads", self.threads)?;
        Ok(config)
    }
}

impl RunArgs {
    /// The file and the settings, then the flags.
    pub(super) fn resolve(&self) -> Result<Config, ConfigError> {
        let mut config = self.config.resolve()?;
        set_given(&mut config, "output.format", self.format.map(|format| format.name()))?;
        set_given(&mut config, "output.text", self.text)?;
        set_given(&mut config, "output.title", self.title)?;
        set_given(&mut config, "output.compression", self.compression)?;
        set_given(&mut config, "output.level", self.level)?;
        set_given(&mut config, "output.source", self.source.as_deref())?;
        let signatures = Some(self.signatures.clone()).filter(|signatures| !signatures.is_empty());
        set_given(&mut config, "output.signatures", signatures)?;
        set_given(&mut config, "output.records", list(&self.records_out))?;
        set_given(&mut config, "output.quarantine", flag(self.quarantine))?;
        set_given(&mut config, "select.seen", self.seen.as_deref())?;
        set_given(&mut config, "extract.sites", self.sites.as_deref())?;
        set_given(&mut config, "select.resolve_revisits", flag(self.resolve_revisits))?;
        set_given(&mut config, "run.threads", self.threads)?;
        Ok(config)
    }
}

/// Sets a key if a flag gives its value.
pub(super) fn set_given(config: &mut Config, key: &str, value: Option<impl Into<Value>>) -> Result<(), ConfigError> {
    value.map_or(Ok(()), |value| config.set(key, value))
}

/// A list given by flags replaces the whole list before it.
fn list(flags: &[String]) -> Option<Vec<&str>> {
    (!flags.is_empty()).then(|| flags.iter().map(String::as_str).collect())
}

/// A flag without a value sets its key to true.
pub(super) fn flag(given: bool) -> Option<bool> {
    given.then_some(true)
}
