//! Signals of a text's quality, and rules over them.
//!
//! - `signals`: the signals, one pass over the words of a text
//! - `rules`: bounds of signals, alone or as presets
//!
//! `docs/documents.md` defines each signal and each preset, with its source.

mod rules;
mod signals;

pub use rules::{QualityRule, RuleError, parse};
pub use rules::{numbers, presets};
pub use signals::{Signals, measure};

#[cfg(test)]
mod tests;
