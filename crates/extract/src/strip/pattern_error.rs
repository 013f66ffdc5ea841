//! Mistakes in a user's file of patterns.

use std::error::Error;
use std::fmt;

/// Most patterns of a kind. Patterns are numbered with 16 bits.
pub(super) const MOST_PATTERNS: usize = 10_000;

/// A mistake in a file of patterns.
#[derive(Debug)]
#[non_exhaustive]
pub enum PatternError {
    /// The file cannot be read.
    Read(std::io::Error),
    /// The text is not TOML, or has a section that a patterns file does not have.
    Form(Box<dyn Error + Send + Sync>),
    /// A pattern is no regular expression.
    Expression {
        /// The kind that lists it.
        kind: &'static str,
        /// The pattern.
        pattern: String,
        /// The mistake in it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A pattern matches every text.
    MatchesAll {
        /// The kind that lists it.
        kind: &'static str,
        /// The pattern.
        pattern: String,
    },
    /// A kind has more patterns than can be numbered.
    TooMany {
        /// The kind.
        kind: &'static str,
    },
    /// The patterns of a kind do not fit into one expression.
    TooLarge {
        /// The kind.
        kind: &'static str,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(e) => write!(f, "cannot be read: {e}"),
            Self::Form(e) => f.write_str(e.to_string().trim_end()),
            Self::Expression { kind, pattern, source } => {
                write!(f, "the {kind} pattern “{pattern}” is no regular expression: {source}")
            }
            Self::MatchesAll { kind, pattern } => {
                write!(f, "the {kind} pattern “{pattern}” matches every text")
            }
            Self::TooMany { kind } => write!(f, "there are more than {MOST_PATTERNS} {kind} patterns"),
            Self::TooLarge { kind } => write!(f, "the {kind} patterns are too many or too long together"),
        }
    }
}

impl Error for PatternError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read(e) => Some(e),
            Self::Form(e) | Self::Expression { source: e, .. } => Some(e.as_ref()),
            _ => None,
        }
    }
}
