//! Mistakes in a configuration, with their places.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dehusk_documents::encode::OutputFormat;

/// A mistake in a configuration. Its text names the file, the key, and the nearest valid key or value.
#[derive(Clone, Debug)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    file: Option<PathBuf>,
    key: Option<String>,
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The kinds of [`ConfigError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// A file cannot be read; [`Error::source`] is the I/O error.
    Unreadable,
    /// A file is not TOML, or a setting is not of the form `key=value`.
    Syntax,
    /// There is no such key.
    UnknownKey,
    /// The key takes a value of another type.
    WrongType,
    /// The value has the right type, but is not valid: out of range, not a regular expression, an unknown name.
    InvalidValue,
}

impl ConfigError {
    /// A mistake that no file and no key is named for yet.
    #[doc(hidden)]
    pub fn new(kind: ConfigErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            file: None,
            key: None,
            message: message.into(),
            source: None,
        }
    }

    /// An invalid value of a key. The message has to name the key.
    #[doc(hidden)]
    pub fn invalid(key: &str, message: impl Into<String>) -> Self {
        Self::new(ConfigErrorKind::InvalidValue, message).with_key(key)
    }

    pub(crate) fn with_key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(crate) fn with_file(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    pub(crate) fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The kind of the mistake.
    pub fn kind(&self) -> ConfigErrorKind {
        self.kind
    }

    /// The file that holds the mistake; `None` where it was not read from a file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The key, with its sections: `select.min_words`; `None` where the mistake is not in one key.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", dehusk_archive::escape::path(file))?;
        }
        f.write_str(&self.message)
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

/// How to get a value that this build lacks.
#[doc(hidden)]
pub fn not_built_in(value: &str) -> Option<String> {
    let feature = ["parquet", "sqlite"].into_iter().find(|name| *name == value)?;
    if OutputFormat::from_name(feature).is_some() {
        return None;
    }
    Some(format!("; {}", lacking(feature)))
}

/// The message that this build lacks a feature, with the way to get a program that has it. No package of this name is
/// published.
#[doc(hidden)]
pub fn lacking(feature: &str) -> String {
    format!(
        "this build lacks the feature “{feature}”: in the folder of its sources, run `cargo install --locked --path . \
         --features {feature}`"
    )
}
