//! Sections that hold sections under names of your own: presets and ensembles.

use std::path::Path;

use dehusk_extract::Value as ParameterValue;
use toml::{Table, Value};

use super::ensemble::EnsembleConfig;
use super::values::{type_name, wrong_type};
use super::{Config, ConfigError, PresetConfig, ensemble, preset};

/// A section that holds sections under names of your own.
#[derive(Clone, Copy, Debug)]
pub(super) enum NamedSections {
    Ensembles,
    Presets,
}

impl NamedSections {
    /// All of them, in the order in which a layer is applied.
    pub(super) const ALL: [Self; 2] = [Self::Ensembles, Self::Presets];

    /// The key of the section.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Ensembles => ensemble::SECTION,
            Self::Presets => preset::SECTION,
        }
    }

    /// The key inside the section `outer`, if it is in that.
    pub(super) fn key_in(self, outer: &str) -> Option<&'static str> {
        let (section, key) = self.path().split_once('.')?;
        (section == outer).then_some(key)
    }

    /// Takes the section out of a layer.
    pub(super) fn take(self, layer: &mut Table) -> Option<Value> {
        match self.path().split_once('.') {
            Some((outer, key)) => layer.get_mut(outer)?.as_table_mut()?.remove(key),
            None => layer.remove(self.path()),
        }
    }

    /// The keys that the section of a name may have. `None` if they are not known.
    pub(super) fn known_keys(self, config: &Config, name: &str, section: &Value) -> Option<Vec<String>> {
        match self {
            Self::Presets => PresetConfig::known_keys(config.presets.get(name), section),
            Self::Ensembles => {
                let known = EnsembleConfig::default().values();
                Some(known.names().map(str::to_owned).collect())
            }
        }
    }

    /// Puts the section of a layer over a configuration; `file` is where the layer was read from.
    pub(super) fn overlay(self, config: &mut Config, section: Value, file: Option<&Path>) -> Result<(), ConfigError> {
        let path = self.path();
        let table = |key: &str, value| match value {
            Value::Table(table) => Ok(table),
            value => Err(wrong_type(key, "a section", type_name(&value))),
        };
        for (name, value) in table(path, section)? {
            let key = format!("{path}.{name}");
            let values = table(&key, value)?;
            match self {
                Self::Ensembles => {
                    preset::check_name(&key, &name)?;
                    let mut ensemble = config.extract.ensemble.get(&name).cloned().unwrap_or_default();
                    ensemble.set(values, &key, file)?;
                    config.extract.ensemble.insert(name, ensemble);
                }
                Self::Presets => {
                    let mut preset = config.presets.get(&name).cloned().unwrap_or_default();
                    preset.set(values, &key, file)?;
                    preset.check(&name)?;
                    config.presets.insert(name, preset);
                }
            }
        }
        Ok(())
    }

    /// The value of a key in the section of a name.
    pub(super) fn value(self, config: &Config, name: &str, key: &str) -> Option<ParameterValue> {
        match self {
            Self::Ensembles => config.extract.ensemble.get(name)?.values().get(key).cloned(),
            Self::Presets => config.presets.get(name)?.value(key),
        }
    }
}
