//! Layers: the defaults, the file over them, the settings over the file.
//!
//! A layer is a TOML table that holds only what it changes. Each of its sections is put over the same section of the
//! configuration below by `Parameters::overlaid`, as a preset's values are put over those of its base.

use std::path::Path;

use toml::{Table, Value};

use super::named::NamedSections;
use super::section::SECTIONS;
use super::unknown::{self, UnknownKey};
use super::values::{type_name, wrong_type};
use super::{Config, ConfigError, ConfigErrorKind};

/// Reads TOML text as a layer.
pub(super) fn parse(text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|e: toml::de::Error| {
        ConfigError::new(ConfigErrorKind::Syntax, e.to_string().trim_end()).with_source(e)
    })
}

/// Puts a setting such as `select.min_words=50` into a layer. A value that is not TOML is taken as a string.
pub(super) fn add_setting(layer: &mut Table, setting: &str) -> Result<(), ConfigError> {
    let (path, text) = setting.split_once('=').ok_or_else(|| {
        let message = format!("“{setting}” is not of the form key=value, such as select.min_words=50");
        ConfigError::new(ConfigErrorKind::Syntax, message)
    })?;
    let value = format!("v = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| Value::String(text.to_owned()));
    insert(layer, path.trim(), value)
}

/// Puts the value of a key such as `select.min_words` into a layer.
pub(super) fn insert(layer: &mut Table, path: &str, value: Value) -> Result<(), ConfigError> {
    let (sections, key) = match path.rsplit_once('.') {
        Some((sections, key)) => (Some(sections), key),
        None => (None, path),
    };
    let mut place = layer;
    for section in sections.into_iter().flat_map(|sections| sections.split('.')) {
        let inner = place.entry(section).or_insert_with(|| Value::Table(Table::new()));
        place = inner.as_table_mut().ok_or_else(|| {
            let message = format!("“{section}” in “{path}” is a value, not a section");
            ConfigError::new(ConfigErrorKind::WrongType, message).with_key(path)
        })?;
    }
    place.insert(key.to_owned(), value);
    Ok(())
}

/// The configuration with a layer over it; `file` is where the layer was read from.
pub(super) fn applied(mut config: Config, layer: Table, file: Option<&Path>) -> Result<Config, ConfigError> {
    apply(&mut config, layer, file)?;
    Ok(config)
}

/// Puts a layer over a configuration. After an error, sections before the wrong one have the layer's values.
pub(super) fn apply(config: &mut Config, mut layer: Table, file: Option<&Path>) -> Result<(), ConfigError> {
    if let Some(error) = unknown::error(unknown_keys(config, &layer)) {
        return Err(error);
    }
    let named = NamedSections::ALL.map(|named| (named, named.take(&mut layer)));
    // An overlay makes a section anew of its own values, and ensembles are none.
    let ensembles = std::mem::take(&mut config.extract.ensemble);
    let applied = layer
        .into_iter()
        .try_for_each(|(name, value)| apply_section(config, &name, value));
    config.extract.ensemble = ensembles;
    applied?;
    for (named, section) in named {
        section.map_or(Ok(()), |section| named.overlay(config, section, file))?;
    }
    Ok(())
}

fn apply_section(config: &mut Config, name: &str, value: Value) -> Result<(), ConfigError> {
    let Value::Table(section) = value else {
        return Err(wrong_type(name, "a section", type_name(&value)));
    };
    // There is none only for a key that was refused before.
    let below = config.section_mut(name);
    below.map_or(Ok(()), |below| below.overlay(name, section))
}

/// Returns the unknown keys of a layer, in order. A preset whose base is unknown may have any key.
fn unknown_keys(config: &Config, layer: &Table) -> Vec<UnknownKey> {
    let mut layer = layer.clone();
    let mut unknown = Vec::new();
    for named in NamedSections::ALL {
        let sections = named.take(&mut layer);
        for (name, section) in sections.as_ref().and_then(Value::as_table).into_iter().flatten() {
            let known = named.known_keys(config, name, section);
            add_unknown(
                &mut unknown,
                &format!("{}.{name}", named.path()),
                section,
                known.as_deref(),
            );
        }
    }
    for (name, value) in &layer {
        let Some(section) = config.section(name) else {
            let mut key = UnknownKey::new(name, name, SECTIONS);
            if let Some(full) = in_section(config, name) {
                key.hint = format!("; did you mean “{full}”?");
            }
            unknown.push(key);
            continue;
        };
        let values = section.values();
        let named = NamedSections::ALL.iter().filter_map(|named| named.key_in(name));
        let known: Vec<String> = values.names().chain(named).map(str::to_owned).collect();
        add_unknown(&mut unknown, name, value, Some(&known));
    }
    unknown.sort_by(|one, other| one.key.cmp(&other.key));
    unknown
}

/// The full name of a key that was given without its section, if exactly one section has it.
fn in_section(config: &Config, name: &str) -> Option<String> {
    let has_key = |section: &&&str| {
        let section = config.section(section);
        section.is_some_and(|section| section.values().get(name).is_some())
    };
    let mut sections = SECTIONS.iter().filter(has_key);
    let section = sections.next()?;
    sections.next().is_none().then(|| format!("{section}.{name}"))
}

/// Adds the keys of a section that are not among those that it could have.
fn add_unknown(unknown: &mut Vec<UnknownKey>, path: &str, section: &Value, known: Option<&[String]>) {
    let (Some(section), Some(known)) = (section.as_table(), known) else {
        return;
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for name in section.keys().filter(|name| !known.contains(&name.as_str())) {
        unknown.push(UnknownKey::new(&format!("{path}.{name}"), name, &known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, settings: &[&str]) -> ConfigError {
        let config = Config::from_toml(text).and_then(|config| config.with_settings(settings));
        config.expect_err("an error")
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
        let unknown = error("[select]\nmin_word = 3", &[]);
        assert_eq!(
            unknown.to_string(),
            "unknown key “select.min_word”; did you mean “min_words”?"
        );
        assert_eq!(
            (unknown.kind(), unknown.key()),
            (ConfigErrorKind::UnknownKey, Some("select.min_word"))
        );
        let message = |text: &str, settings: &[&str]| error(text, settings).to_string();
        assert_eq!(message("[slect]\n", &[]), "unknown key “slect”; did you mean “select”?");
        assert!(message("", &["output.compresion=gzip"]).contains("“compression”"));
        assert!(message("[presets.mine]\nbase = \"corex\"", &[]).contains("“coreex”"));
        assert!(message("[presets.mine]\nbase = \"coreex\"\nthreshhold = 1", &[]).contains("“threshold”"));
    }

    #[test]
    fn all_unknown_keys_of_a_layer_are_named_at_once() {
        let text = "[select]\nmin_word = 3\nstatus = []\nmin_bytes = 4\n[slect]\nmin_words = 3\n\
                    [presets.mine]\nbase = \"coreex\"\nthreshhold = 1\nsubset = 3\n[presets.mine.scroing]\n";
        let unknown = error(text, &[]);
        assert_eq!(
            unknown.to_string(),
            "5 unknown keys:\n\
             “presets.mine.scroing”; did you mean “scoring”?\n\
             “presets.mine.threshhold”; did you mean “threshold”?\n\
             “select.min_word”; did you mean “min_words”?\n\
             “select.status”; did you mean “statuses”?\n\
             “slect”; did you mean “select”?"
        );
        assert_eq!(
            (unknown.kind(), unknown.key()),
            (ConfigErrorKind::UnknownKey, Some("presets.mine.scroing"))
        );
        let settings = error("", &["select.min_word=3", "output.compresion=gzip"]).to_string();
        assert!(settings.starts_with("2 unknown keys:\n"), "{settings}");
    }

    #[test]
    fn invalid_values_name_the_key_and_the_nearest() {
        let wrong_type = error("[select]\nmin_words = \"many\"", &[]);
        assert_eq!(
            wrong_type.to_string(),
            "“select.min_words” takes a whole number, not a string"
        );
        assert_eq!(wrong_type.kind(), ConfigErrorKind::WrongType);
        let format = error("[output]\nsource = \"a\"\nformat = \"jsnl\"", &[]);
        assert_eq!(
            format.to_string(),
            format!(
                "“output.format” takes one of {}, not “jsnl”; did you mean “jsonl”?",
                super::super::OutputFormat::NAMES.join(", ")
            )
        );
        assert_eq!(format.key(), Some("output.format"));
        let negative = error("[limits]\npage_bytes = -1", &[]);
        assert_eq!(
            negative.to_string(),
            "“limits.page_bytes” takes a whole number, 0 or more, not -1"
        );
        assert_eq!(negative.key(), Some("limits.page_bytes"));
        let preset = error("[presets.mine]\nbase = \"coreex\"\nthreshold = 2", &[]);
        assert_eq!(
            preset.to_string(),
            "“presets.mine.threshold” must lie between 0 and 1, not be 2"
        );
        assert_eq!(preset.key(), Some("presets.mine.threshold"));
        let base = error("[presets.mine]\nbase = 3", &[]);
        assert_eq!(
            base.to_string(),
            "“presets.mine.base” takes a string, not a whole number"
        );
    }

    #[test]
    fn settings_beat_the_file() {
        let config = Config::from_toml("[select]\nmin_words = 3\nmin_bytes = 4").expect("a configuration");
        let settings = ["select.min_words=7", "output.source=my crawl"];
        let config = config.with_settings(settings).expect("a configuration");
        assert_eq!((config.select.min_words, config.select.min_bytes), (7, 4));
        assert_eq!(config.output.source, "my crawl");
    }

    #[test]
    fn a_setting_changes_a_preset_of_the_file() {
        let config = Config::from_toml("[presets.mine]\nbase = \"coreex\"\nsubset = false").expect("a configuration");
        let changed = config
            .clone()
            .with_settings(["presets.mine.threshold=1"])
            .expect("a configuration");
        assert_ne!(changed.presets, config.presets);
        assert_eq!(changed.presets["mine"].base(), "coreex");
    }
}
