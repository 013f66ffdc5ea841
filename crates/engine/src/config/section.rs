//! The sections of a configuration by their names.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::values::{located, parameters};
use super::{Config, ConfigError};
use dehusk_extract::Parameters;

/// The sections of a configuration.
pub(super) const SECTIONS: &[&str] = &[
    "input", "select", "limits", "dom", "extract", "output", "run", "remote", "presets",
];

/// A section of the configuration, seen as values by their keys.
pub(super) trait Section {
    /// The values of all keys.
    fn values(&self) -> Parameters;

    /// Puts a section of a layer over this one.
    fn overlay(&mut self, name: &str, section: Table) -> Result<(), ConfigError>;
}

impl<T: Serialize + DeserializeOwned> Section for T {
    fn values(&self) -> Parameters {
        Parameters::of(self)
    }

    fn overlay(&mut self, name: &str, section: Table) -> Result<(), ConfigError> {
        let below = self.values();
        let changes = parameters(section, &below, name)?;
        let merged = below.overlaid(&changes).and_then(Parameters::into_fields);
        *self = merged.map_err(|error| located(error, name))?;
        Ok(())
    }
}

impl Config {
    /// The section of this name, except `presets`.
    pub(super) fn section(&self, name: &str) -> Option<&dyn Section> {
        Some(match name {
            "input" => &self.input,
            "select" => &self.select,
            "limits" => &self.limits,
            "dom" => &self.dom,
            "extract" => &self.extract,
            "output" => &self.output,
            "run" => &self.run,
            "remote" => &self.remote,
            _ => return None,
        })
    }

    /// The section of this name, except `presets`.
    pub(super) fn section_mut(&mut self, name: &str) -> Option<&mut dyn Section> {
        Some(match name {
            "input" => &mut self.input,
            "select" => &mut self.select,
            "limits" => &mut self.limits,
            "dom" => &mut self.dom,
            "extract" => &mut self.extract,
            "output" => &mut self.output,
            "run" => &mut self.run,
            "remote" => &mut self.remote,
            _ => return None,
        })
    }
}
