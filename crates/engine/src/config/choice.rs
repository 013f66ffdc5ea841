//! Values that are one of a few words.

/// Declares an enum whose members the configuration and the command line write as words.
macro_rules! choice {
    ($(#[$doc:meta])* $kind:ident { $(#[doc = $sentence:literal] $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $kind {
            $(#[doc = $sentence] #[serde(rename = $name)] $variant,)+
        }

        impl $kind {
            /// Every member.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)+];

            /// The word for it in the configuration.
            pub fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl From<$kind> for dehusk_extract::Value {
            fn from(choice: $kind) -> Self {
                choice.name().into()
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::config::ConfigError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($name => Ok($kind::$variant),)+
                    _ => Err($crate::config::choice::unknown(word, &[$($name,)+])),
                }
            }
        }
    };
}

pub(crate) use choice;

use dehusk_documents::suggestion::nearest;

use super::error::not_built_in;
use super::{ConfigError, ConfigErrorKind, OutputFormat};

/// Finds an output format by its name.
///
/// # Errors
/// This build has no format of this name.
#[doc(hidden)]
pub fn output_format(name: &str) -> Result<OutputFormat, ConfigError> {
    OutputFormat::from_name(name).ok_or_else(|| unknown(name, OutputFormat::NAMES))
}

pub(crate) fn unknown(word: &str, choices: &[&str]) -> ConfigError {
    let hint = not_built_in(word).unwrap_or_else(|| nearest(word, choices.iter().copied()));
    ConfigError::new(
        ConfigErrorKind::InvalidValue,
        format!("“{word}” is not one of {}{hint}", choices.join(", ")),
    )
}
