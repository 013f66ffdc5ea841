//! Unknown keys. All those of a layer are reported at once, each with the nearest valid one.

use super::{ConfigError, ConfigErrorKind};
use dehusk_documents::suggestion::nearest;

/// A key that no section has.
pub(super) struct UnknownKey {
    pub(super) key: String,
    /// “; did you mean …?”
    pub(super) hint: String,
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
