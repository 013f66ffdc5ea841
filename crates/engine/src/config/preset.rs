//! Presets of the user's own: a built-in one with other values.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::values::{located, parameters, type_name, wrong_type};
use super::{ConfigError, ExtractConfig};
use dehusk_documents::suggestion::nearest;
use dehusk_extract::{self as extract, Parameters, Preset, registry};

/// The section that holds presets by name.
pub(super) const SECTION: &str = "presets";

/// The name that means all presets on the command line.
#[doc(hidden)]
pub const EVERY_PRESET: &str = "all";

/// The key that names the built-in preset.
const BASE: &str = "base";

/// A preset of your own: a built-in one, with other values for some of its parameters.
///
/// ```
/// use dehusk::config::PresetConfig;
///
/// let preset = PresetConfig::new("coreex-modern").with("threshold", 0.8).with("subset", false);
/// let config = dehusk::Config::builder().preset("forum", preset).extractors(["forum"]).build()?;
/// # dehusk::Processor::new(&config)?;
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresetConfig {
    base: String,
    /// The values that differ from the base's.
    #[serde(flatten)]
    changes: Parameters,
    /// The configuration file that holds the preset. `None` if another layer has changed it.
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Built when it is first needed. It may read a file, and all uses must see the same.
    #[serde(skip)]
    built: OnceLock<Preset>,
}

impl PartialEq for PresetConfig {
    fn eq(&self, other: &Self) -> bool {
        (&self.base, &self.changes) == (&other.base, &other.changes)
    }
}

impl PresetConfig {
    /// The built-in preset of this name.
    pub fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            ..Self::default()
        }
    }

    /// The preset with another value of a parameter: a number, a `bool` or a string. Whether there is such a parameter,
    /// and whether it takes this value, is checked when the configuration is used.
    pub fn with(mut self, parameter: &str, value: impl Into<extract::Value>) -> Self {
        self.changes.set(parameter, value);
        self.file = None;
        self.built = OnceLock::new();
        self
    }

    /// The name of the built-in preset.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The values that differ from those of the built-in preset.
    pub fn changes(&self) -> &Parameters {
        &self.changes
    }

    /// The value of a key of the preset's section.
    pub(super) fn value(&self, key: &str) -> Option<extract::Value> {
        if key == BASE {
            return Some(self.base.as_str().into());
        }
        let all = registry::parameters(&self.base)?.overlaid(&self.changes).ok()?;
        all.get(key).cloned()
    }

    /// The keys that the section of a preset may have in a layer over `below`. `None` if its base is unknown.
    pub(super) fn known_keys(below: Option<&PresetConfig>, section: &Value) -> Option<Vec<String>> {
        let base = match section.get(BASE) {
            Some(base) => base.as_str()?,
            None => below?.base(),
        };
        let known = registry::parameters(base)?;
        Some(known.names().chain([BASE]).map(str::to_owned).collect())
    }

    /// Sets what the section `path` of a layer holds: the base, and values. `file` is where the layer was read from.
    pub(super) fn set(&mut self, mut section: Table, path: &str, file: Option<&Path>) -> Result<(), ConfigError> {
        let is_new = self.base.is_empty();
        self.file = file.filter(|_| is_new).map(Path::to_owned);
        self.built = OnceLock::new();
        match section.remove(BASE) {
            Some(Value::String(base)) => self.base = base,
            Some(other) => return Err(wrong_type(&format!("{path}.{BASE}"), "a string", type_name(&other))),
            None => {}
        }
        let known = registry::parameters(&self.base).ok_or_else(|| unknown_base(&self.base, path))?;
        for (name, value) in parameters(section, &known, path)?.iter() {
            self.changes.set(name, value.clone());
        }
        Ok(())
    }

    /// Checks the name, the base and the values. Reads no file.
    pub(super) fn check(&self, name: &str) -> Result<(), ConfigError> {
        let key = format!("{SECTION}.{name}");
        check_name(&key, name)?;
        registry::check(&self.base, &self.changes).map_err(|error| self.located(error, &key))
    }

    /// The preset, with the values that `extract` has for it. It is built once, unless there are such values.
    pub(super) fn build(&self, name: &str, extract: &ExtractConfig) -> Result<Preset, ConfigError> {
        let changes = extract.complete(&self.base, &self.changes);
        let is_complete = changes == self.changes;
        if let Some(built) = self.built.get().filter(|_| is_complete) {
            let mut preset = built.clone();
            // A copy of this may be under another name.
            name.clone_into(&mut preset.name);
            return Ok(preset);
        }
        self.check(name)?;
        let built = registry::build(name, &self.base, &changes).map_err(|error| {
            if let extract::ParameterError::Invalid { name, .. } = &error
                && !is_complete
                && self.changes.get(name).is_none()
            {
                return located(error, "extract");
            }
            let error = self.located(error, &format!("{SECTION}.{name}"));
            match &self.file {
                Some(file) => error.with_file(file),
                None => error,
            }
        })?;
        Ok(if is_complete {
            self.built.get_or_init(|| built).clone()
        } else {
            built
        })
    }

    fn located(&self, error: extract::ParameterError, path: &str) -> ConfigError {
        match error {
            extract::ParameterError::UnknownPreset { name } => unknown_base(&name, path),
            other => located(other, path),
        }
    }

    /// The preset with hashes of the files that it names in place of their paths. `built` is the preset that runs.
    pub(super) fn by_content(&self, built: &Preset) -> Self {
        let mut preset = Self::new(&self.base);
        preset.changes = self.changes.clone();
        for (key, hash) in built.file_hashes() {
            preset.changes.set(*key, format!("{hash:016x}"));
        }
        preset
    }
}

/// Checks the name of a preset or an ensemble, which has the section `key`.
pub(super) fn check_name(key: &str, name: &str) -> Result<(), ConfigError> {
    if registry::built_in(name).is_some() {
        let message = format!("“{key}” has the name of a built-in preset; choose another");
        return Err(ConfigError::invalid(key, message));
    }
    if name == EVERY_PRESET {
        let message = format!("“{key}” has the name that means all presets; choose another");
        return Err(ConfigError::invalid(key, message));
    }
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if name.is_empty() || !name.bytes().all(allowed) {
        let message = format!("“{key}”: a name has letters, digits, - and _ only");
        return Err(ConfigError::invalid(key, message));
    }
    Ok(())
}

fn unknown_base(base: &str, path: &str) -> ConfigError {
    let key = format!("{path}.{BASE}");
    let hint = nearest(base, registry::all());
    ConfigError::invalid(&key, format!("“{key}” must name a built-in preset, not “{base}”{hint}"))
}
