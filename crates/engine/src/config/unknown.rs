//! Keys that there are not. All those of a layer are reported at once, each with the nearest valid one.

use toml::{Table, Value};

use super::named::NamedSections;
use super::{Config, ConfigError, ConfigErrorKind};
use dehusk_documents::suggestion::nearest;

/// The sections of a configuration.
pub(super) const SECTIONS: &[&str] = &[
    "input", "select", "limits", "dom", "extract", "output", "run", "remote", "presets",
];

/// A key that there is not.
pub(super) struct UnknownKey {
    key: String,
    /// “; did you mean …?”
    hint: String,
}

impl UnknownKey {
    /// `name` is the last part of the key, `known` are those that could be in its place.
    pub(super) fn new(key: &str, name: &str, known: &[&str]) -> Self {
        Self {
            key: key.to_owned(),
            hint: nearest(name, known.iter().copied()),
        }
    }
}

impl From<UnknownKey> for ConfigError {
    fn from(UnknownKey { key, hint }: UnknownKey) -> Self {
        ConfigError::new(ConfigErrorKind::UnknownKey, format!("unknown key “{key}”{hint}")).with_key(&key)
    }
}

/// All these keys as one error, which has the first as its key.
pub(super) fn error(mut keys: Vec<UnknownKey>) -> Option<ConfigError> {
    if keys.len() <= 1 {
        return keys.pop().map(ConfigError::from);
    }
    let lines: String = keys.iter().map(|k| format!("\n“{}”{}", k.key, k.hint)).collect();
    let message = format!("{} unknown keys:{lines}", keys.len());
    Some(ConfigError::new(ConfigErrorKind::UnknownKey, message).with_key(&keys[0].key))
}

/// The keys of a layer that there are not, in order. What a preset of an unknown base could have is not known.
pub(super) fn keys(config: &Config, layer: &Table) -> Vec<UnknownKey> {
    let mut layer = layer.clone();
    let mut unknown = Vec::new();
    for named in NamedSections::ALL {
        let sections = named.take(&mut layer);
        for (name, section) in sections.as_ref().and_then(Value::as_table).into_iter().flatten() {
            let known = named.known_keys(config, name, section);
            add(
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
        add(&mut unknown, name, value, Some(&known));
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
fn add(unknown: &mut Vec<UnknownKey>, path: &str, section: &Value, known: Option<&[String]>) {
    let (Some(section), Some(known)) = (section.as_table(), known) else {
        return;
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for name in section.keys().filter(|name| !known.contains(&name.as_str())) {
        unknown.push(UnknownKey::new(&format!("{path}.{name}"), name, &known));
    }
}
