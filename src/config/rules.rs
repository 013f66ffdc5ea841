//! A [`Config`] made ready for the workers: patterns compiled, names resolved.

use regex::bytes::RegexSet;

use super::table::{build_preset, nearest};
use super::{CompressionKind, Config, ConfigError};
use crate::archive::RecordType;
use crate::extract::{PRESETS, Preset, registry};
use dehusk_html::MAX_DEPTH;

/// More threads than any machine has; beyond that it is a slip of the hand.
const MOST_THREADS: u64 = 1024;

/// What workers need of the configuration.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The configuration itself.
    pub config: Config,
    /// Program version and configuration hash, as documents bear it.
    pub version: String,
    /// Record types that are looked at.
    pub record_types: Vec<RecordType>,
    /// HTTP statuses that are.
    pub statuses: Statuses,
    /// URLs that are; `None` for all.
    pub url_include: Option<RegexSet>,
    /// URLs that are not.
    pub url_exclude: Option<RegexSet>,
    /// The extractors, in order; never empty.
    pub presets: Vec<Preset>,
}

/// A set of HTTP statuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statuses(Vec<std::ops::RangeInclusive<u16>>);

impl Statuses {
    /// Whether a status is in the set.
    pub fn contains(&self, status: u16) -> bool {
        self.0.iter().any(|range| range.contains(&status))
    }

    fn parse(items: &[String]) -> Result<Self, ConfigError> {
        let one = |item: &String| match item.as_bytes() {
            [class @ b'1'..=b'9', b'x' | b'X', b'x' | b'X'] => {
                let first = u16::from(class - b'0') * 100;
                Ok(first..=first + 99)
            }
            _ => item.parse::<u16>().map(|n| n..=n).map_err(|_| {
                ConfigError(format!(
                    "“select.statuses” takes numbers or classes like 2xx, not “{item}”"
                ))
            }),
        };
        items.iter().map(one).collect::<Result<_, _>>().map(Self)
    }
}

impl Rules {
    /// Resolves a configuration.
    ///
    /// # Errors
    /// A pattern that is no regular expression, a status that is none, an unknown record type or extractor.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with_presets(config, Vec::new())
    }

    /// Resolves a configuration and adds `further` presets behind those that it names.
    ///
    /// # Errors
    /// As [`Rules::new`].
    pub fn with_presets(config: &Config, further: Vec<Preset>) -> Result<Self, ConfigError> {
        let select = &config.select;
        let mut presets: Vec<Preset> = Vec::new();
        for name in &config.extract.extractors {
            if presets.iter().any(|p| p.name == *name) {
                return Err(ConfigError(format!("extractor “{name}” is named twice")));
            }
            presets.push(preset(config, name)?);
        }
        presets.extend(further);
        if presets.is_empty() {
            return Err(ConfigError(
                "“extract.extractors” names none; at least one is needed".into(),
            ));
        }
        let mut rules = Self {
            version: format!("{}+cfg{}", env!("CARGO_PKG_VERSION"), config.hash_with(&presets)),
            record_types: select
                .record_types
                .iter()
                .map(|t| record_type(t))
                .collect::<Result<_, _>>()?,
            statuses: Statuses::parse(&select.statuses)?,
            url_include: patterns("url_include", &select.url_include)?,
            url_exclude: patterns("url_exclude", &select.url_exclude)?,
            presets,
            config: config.clone(),
        };
        within("limits.page_depth", config.limits.page_depth, MAX_DEPTH as u64)?;
        within("run.threads", config.run.threads as u64, MOST_THREADS)?;
        let levels = if config.output.compression == CompressionKind::Gzip {
            9
        } else {
            22
        };
        within("output.level", config.output.level.into(), levels)?;
        for name in &mut rules.config.select.mime_types {
            name.make_ascii_lowercase();
        }
        Ok(rules)
    }
}

/// Checks a number against the largest that makes sense.
fn within(key: &str, value: u64, most: u64) -> Result<(), ConfigError> {
    if value <= most {
        return Ok(());
    }
    Err(ConfigError(format!("“{key}” must be at most {most}, not {value}")))
}

pub(super) fn preset(config: &Config, name: &str) -> Result<Preset, ConfigError> {
    if let Some(preset) = registry::preset(name) {
        return Ok(preset);
    }
    match config.presets.get(name) {
        Some(table) => build_preset(name, table),
        None => {
            let known = PRESETS.iter().copied().chain(config.presets.keys().map(String::as_str));
            Err(ConfigError(format!(
                "unknown extractor “{name}”{}",
                nearest(name, known)
            )))
        }
    }
}

fn record_type(name: &str) -> Result<RecordType, ConfigError> {
    const KNOWN: &[&str] = &[
        "response",
        "resource",
        "conversion",
        "request",
        "metadata",
        "warcinfo",
        "revisit",
        "continuation",
    ];
    match RecordType::from(name) {
        RecordType::Unknown(_) => Err(ConfigError(format!(
            "unknown record type “{name}” in “select.record_types”{}",
            nearest(name, KNOWN.iter().copied())
        ))),
        known => Ok(known),
    }
}

fn patterns(key: &str, patterns: &[String]) -> Result<Option<RegexSet>, ConfigError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    RegexSet::new(patterns)
        .map(Some)
        .map_err(|e| ConfigError(format!("“select.{key}”: {e}")))
}
