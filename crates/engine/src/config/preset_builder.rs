//! The presets that a configuration names, built and checked.

use std::collections::BTreeMap;

use dehusk_documents::suggestion::nearest;
use dehusk_extract::{Parameters, Preset, registry};

use super::ensemble::{EnsembleConfig, ensemble, path};
use super::ensemble_check::check_all;
use super::extract::takes;
use super::values::located;
use super::{Config, ConfigError};

/// The keys that name the presets that run.
const EXTRACTORS: &str = "extract.extractors";
const FALLBACK: &str = "extract.fallback";
const FALLBACK_SCORE: &str = "extract.fallback_score";
const UNION: &str = "extract.union";

/// The presets that a configuration names, by their role.
pub(super) struct NamedPresets {
    /// The extractors, in order. There is at least one.
    pub(super) extractors: Vec<Preset>,
    /// The presets that make the text where the score of the first extractor is too low, in order.
    pub(super) fallback: Vec<Preset>,
    /// The presets that make the text where the other rules leave out that of the first extractor, in order.
    pub(super) union: Vec<Preset>,
    /// All of these, and the members of ensembles.
    pub(super) all: Vec<Preset>,
}

impl NamedPresets {
    /// Builds the presets, with `further` extractors after those that the configuration names.
    pub(super) fn build(config: &Config, further: Vec<Preset>) -> Result<Self, ConfigError> {
        let mut builder = PresetBuilder::new(config)?;
        let mut extractors = presets(&mut builder, EXTRACTORS, &config.extract.extractors)?;
        extractors.extend(further);
        let fallback = presets_beside(&mut builder, &extractors, FALLBACK, &config.extract.fallback)?;
        let union = presets_beside(&mut builder, &extractors, UNION, &config.extract.union)?;
        let all = builder.with_members(
            [&extractors, &fallback, &union]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
        );
        check_presets(config, &extractors, &all)?;
        Ok(Self {
            extractors,
            fallback,
            union,
            all,
        })
    }
}

/// The presets of a key that run in the place of the extractor. There must be one extractor, and none of them may be
/// it.
fn presets_beside<'c>(
    builder: &mut PresetBuilder<'c>,
    extractors: &[Preset],
    key: &str,
    names: &'c [String],
) -> Result<Vec<Preset>, ConfigError> {
    let presets = presets(builder, key, names)?;
    if let [_, _, ..] = extractors
        && !presets.is_empty()
    {
        let message = format!(
            "“{key}” chooses one text for a page, so “{EXTRACTORS}” must name one preset, not {}",
            extractors.len()
        );
        return Err(ConfigError::invalid(key, message));
    }
    let first = extractors.first().map(|first| &first.name);
    match presets.iter().find(|preset| Some(&preset.name) == first) {
        Some(preset) => {
            let message = format!("“{key}” names “{}”, which is the extractor already", preset.name);
            Err(ConfigError::invalid(key, message))
        }
        None => Ok(presets),
    }
}

/// The presets that a key of the configuration names, in order.
fn presets<'c>(builder: &mut PresetBuilder<'c>, key: &str, names: &'c [String]) -> Result<Vec<Preset>, ConfigError> {
    let mut presets: Vec<Preset> = Vec::new();
    for name in names {
        if presets.iter().any(|preset| preset.name == *name) {
            let message = match key {
                EXTRACTORS => format!("extractor “{name}” is named twice"),
                _ => format!("“{key}” names extractor “{name}” twice"),
            };
            return Err(ConfigError::invalid(key, message));
        }
        presets.push(builder.preset(name, key)?);
    }
    Ok(presets)
}

/// The preset of a name, which the key `named_by` holds.
fn preset(config: &Config, name: &str, named_by: &str) -> Result<Preset, ConfigError> {
    if let Some(built_in) = registry::preset(name) {
        let changes = config.extract.complete(name, &Parameters::new());
        return match changes.names().next() {
            Some(_) => registry::build(name, name, &changes).map_err(|e| located(e, "extract")),
            None => Ok(built_in),
        };
    }
    match config.presets.get(name) {
        Some(own) => own.build(name, &config.extract),
        None => Err(unknown_extractor(name, config, named_by)),
    }
}

/// Checks that there is an extractor, that each key of `extract` is a parameter of one of `all` that run, and the
/// score.
fn check_presets(config: &Config, extractors: &[Preset], all: &[Preset]) -> Result<(), ConfigError> {
    let least = config.extract.fallback_score;
    if !(0.0..=1.0).contains(&least) {
        let message = format!("“{FALLBACK_SCORE}” must lie between 0 and 1, not be {least}");
        return Err(ConfigError::invalid(FALLBACK_SCORE, message));
    }
    if extractors.is_empty() {
        let message = format!("“{EXTRACTORS}” is empty; name at least one");
        return Err(ConfigError::invalid(EXTRACTORS, message));
    }
    for (name, value) in config.extract.parameters().iter() {
        if all.iter().filter_map(Preset::base).any(|base| takes(base, name, value)) {
            continue;
        }
        let takers = registry::all().filter(|preset| takes(preset, name, value));
        let takers: Vec<String> = takers.map(|preset| format!("“{preset}”")).collect();
        let key = format!("extract.{name}");
        let message = format!(
            "“{key}” is set, but no extractor in “{EXTRACTORS}” takes it; {} do",
            takers.join(" and ")
        );
        return Err(ConfigError::invalid(&key, message));
    }
    Ok(())
}

/// There is no preset of this name, neither built in nor in the configuration.
pub fn unknown_extractor(name: &str, config: &Config, named_by: &str) -> ConfigError {
    let own = config.own_presets();
    let known = registry::all().map(|name| -> &str { name }).chain(own);
    let message = format!("unknown extractor “{name}”{}", nearest(name, known));
    ConfigError::invalid(named_by, message)
}

/// Builds the presets and ensembles of a configuration, each once.
struct PresetBuilder<'c> {
    config: &'c Config,
    built: BTreeMap<&'c str, Preset>,
}

impl<'c> PresetBuilder<'c> {
    /// # Errors
    /// An ensemble is not valid, whether an extractor uses it or not.
    fn new(config: &'c Config) -> Result<Self, ConfigError> {
        check_all(config)?;
        Ok(Self {
            config,
            built: BTreeMap::new(),
        })
    }

    /// These presets, then all others that were built: the members of ensembles.
    fn with_members(self, running: Vec<Preset>) -> Vec<Preset> {
        let mut all = running;
        for member in self.built.into_values() {
            if all.iter().all(|known| known.name != member.name) {
                all.push(member);
            }
        }
        all
    }

    /// The preset or ensemble of a name, which the key `named_by` holds.
    fn preset(&mut self, name: &'c str, named_by: &str) -> Result<Preset, ConfigError> {
        if let Some(built) = self.built.get(name) {
            return Ok(built.clone());
        }
        let preset = match ensemble(self.config, name) {
            Some(ensemble) => self.ensemble(name, ensemble)?,
            None => preset(self.config, name, named_by)?,
        };
        self.built.insert(name, preset.clone());
        Ok(preset)
    }

    /// Builds an ensemble, which is checked.
    fn ensemble(&mut self, name: &'c str, ensemble: &'c EnsembleConfig) -> Result<Preset, ConfigError> {
        let key = format!("{}.members", path(name));
        let members = ensemble.members.iter().map(|member| self.preset(member, &key));
        let members = members.collect::<Result<_, _>>()?;
        Preset::ensemble(name, members, &ensemble.weights, ensemble.votes, ensemble.threshold)
            .map_err(|error| located(error, &path(name)))
    }
}
