//! A [`Config`] as workers use it: patterns compiled, presets built.

use std::path::Path;
use std::sync::Arc;

use regex::bytes::RegexSet;

use super::preset_builder::NamedPresets;
use super::url_pattern::UrlPattern;
use super::{Comments, CompressionKind, Config, ConfigError, Signature, TitleKind, lacking};
use crate::host_lists::HostLists;
use crate::languages::Languages;
use crate::reason::Filtered;
use crate::records_out::RecordSets;
use crate::sites::Sites;
use dehusk_archive::RecordType;
use dehusk_documents::document::{FieldGroup, FieldSet, RunSchema, SCHEMA_VERSION};
use dehusk_documents::local;
use dehusk_documents::quality::{self, QualityRule, RuleError};
use dehusk_documents::suggestion::{nearest, nearest_word};
use dehusk_extract::Preset;
use dehusk_html::{MAX_DEPTH, Parse, parse_within, strict_parser};
use dehusk_metadata::language;
use dehusk_remote::OutOfBounds;

/// The mistake of a value in the section `remote`.
fn out_of_bounds(wrong: &OutOfBounds) -> ConfigError {
    let key = format!("remote.{}", wrong.key);
    let (least, most) = (wrong.bounds.start(), wrong.bounds.end());
    let message = format!("“{key}” must lie between {least} and {most}, not be {}", wrong.value);
    ConfigError::invalid(&key, message)
}

/// More threads than any machine has. A larger number is a typing error.
pub const MOST_THREADS: u64 = 1024;

/// A resolved configuration, as workers use it.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The configuration itself.
    pub config: Config,
    /// The hash of what can change a document.
    pub hash: String,
    /// Program version, hash and number of the schema: the field `version` of every document.
    pub version: String,
    /// Record types to keep.
    pub record_types: Vec<RecordType>,
    /// HTTP statuses to keep.
    pub statuses: Statuses,
    /// URLs to keep; `None` for all.
    pub url_include: Option<RegexSet>,
    /// URLs to drop.
    pub url_exclude: Option<RegexSet>,
    /// Hosts whose pages are kept or dropped.
    pub hosts: HostLists,
    /// The rules of quality.
    pub quality: Vec<QualityRule>,
    /// The fields that documents have.
    pub fields: FieldSet,
    /// The same as `run.json` names them.
    pub schema: RunSchema,
    /// Parses pages.
    pub parse: Parse,
    /// The URL and date of a page, from its path.
    pub url_pattern: Option<UrlPattern>,
    /// The extractors, in order. There is at least one.
    pub presets: Vec<Preset>,
    /// The extractors that make the text where the score of the first is too low, in order.
    pub fallback: Vec<Preset>,
    /// The extractors that make the text where the other rules leave out that of the first, in order.
    pub union: Vec<Preset>,
    /// The records that are written out beside the documents.
    pub records: RecordSets,
    /// The sources of the languages of documents.
    pub languages: Languages,
    /// The store of texts that the pages of sites share.
    pub sites: Option<Arc<Sites>>,
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
            [class @ b'1'..=b'5', b'x' | b'X', b'x' | b'X'] => {
                let first = u16::from(class - b'0') * 100;
                Ok(first..=first + 99)
            }
            _ => match item.parse::<u16>() {
                Ok(n @ 100..=599) => Ok(n..=n),
                _ => {
                    let message =
                        format!("“select.statuses” takes numbers from 100 to 599 or classes like 2xx, not “{item}”");
                    Err(ConfigError::invalid("select.statuses", message))
                }
            },
        };
        items.iter().map(one).collect::<Result<_, _>>().map(Self)
    }
}

impl Rules {
    /// Resolves a configuration.
    ///
    /// # Errors
    /// A pattern is not a regular expression, a status is not one, a number is too large, a file cannot be read, a
    /// record type or an extractor is unknown, an ensemble is not valid.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with_presets(config, Vec::new())
    }

    /// Resolves a configuration and adds presets after those that it names.
    ///
    /// # Errors
    /// Those of [`Rules::new`].
    pub fn with_presets(config: &Config, further: Vec<Preset>) -> Result<Self, ConfigError> {
        let sites = config.extract.open_sites()?;
        let hosts = config.select.read_host_lists()?;
        let languages = config.extract.read_languages()?;
        Self::resolve(config, further, sites, hosts, languages)
    }

    /// Resolves a configuration that differs from that of these rules, but not in the store of sites, the lists of hosts
    /// and the sources of languages. These are shared, and not read again.
    ///
    /// # Errors
    /// Those of [`Rules::new`].
    pub fn changed(&self, config: &Config) -> Result<Self, ConfigError> {
        Self::resolve(
            config,
            Vec::new(),
            self.sites.clone(),
            self.hosts.clone(),
            self.languages.clone(),
        )
    }

    fn resolve(
        config: &Config,
        further: Vec<Preset>,
        sites: Option<Arc<Sites>>,
        hosts: HostLists,
        languages: Languages,
    ) -> Result<Self, ConfigError> {
        let select = &config.select;
        let record_types = select.record_types.iter().map(|name| record_type(name));
        let presets = NamedPresets::build(config, further)?;
        let hash = config.hash_of(&presets.all, sites.as_deref(), &hosts, &languages);
        let mut rules = Self {
            version: format!("{}+cfg{hash}.schema{SCHEMA_VERSION}", env!("CARGO_PKG_VERSION")),
            hash,
            record_types: record_types.collect::<Result<_, _>>()?,
            statuses: Statuses::parse(&select.statuses)?,
            url_include: patterns("select.url_include", &select.url_include)?,
            url_exclude: patterns("select.url_exclude", &select.url_exclude)?,
            hosts,
            quality: quality_rules(&select.quality)?,
            parse: parser(config.dom.normalize)?,
            url_pattern: url_pattern(&config.input.url_pattern)?,
            fields: FieldSet::NONE,
            schema: RunSchema::default(),
            presets: presets.extractors,
            fallback: presets.fallback,
            union: presets.union,
            records: RecordSets::default(),
            languages,
            sites,
            config: config.clone(),
        };
        rules.fields = FieldSet::with_groups(&rules.groups());
        let named = |reason| match reason {
            Filtered::Host => rules.hosts.rules().map(|rule| rule.to_string()).collect(),
            Filtered::Quality => rules.quality.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        rules.records = RecordSets::parse(&config.output.records, rules.fields, &named)
            .map_err(|e| ConfigError::invalid("output.records", format!("“output.records”: {e}")))?;
        rules.schema = RunSchema::new(rules.fields, &rules.further_extractors());
        rules.config.select.languages = selected_languages(&select.languages, rules.languages.have_labels())?;
        at_most("limits.page_depth", config.limits.page_depth, MAX_DEPTH as u64)?;
        at_most("run.threads", config.run.threads as u64, MOST_THREADS)?;
        if let Some(wrong) = config.remote.out_of_bounds() {
            return Err(out_of_bounds(&wrong));
        }
        if let Some(remedy) = local::remedy(Path::new(&select.seen)) {
            return Err(ConfigError::invalid("select.seen", format!("“select.seen” {remedy}")));
        }
        let highest_level = match config.output.compression {
            CompressionKind::Gzip => 9,
            CompressionKind::Zstd | CompressionKind::None => 22,
        };
        at_most("output.level", config.output.level.into(), highest_level)?;
        for agent in &mut rules.config.select.respect_agents {
            *agent = agent.trim().to_ascii_lowercase();
        }
        for name in &mut rules.config.select.mime_types {
            if !name.contains('/') {
                let message = format!("“select.mime_types” takes types such as text/html, not “{name}”");
                return Err(ConfigError::invalid("select.mime_types", message));
            }
            name.make_ascii_lowercase();
        }
        Ok(rules)
    }
}

/// The parser of pages.
fn parser(normalize: bool) -> Result<Parse, ConfigError> {
    if !normalize {
        return Ok(parse_within);
    }
    let unavailable = || {
        let message = format!("“dom.normalize”: {}", lacking("normalize"));
        ConfigError::invalid("dom.normalize", message)
    };
    strict_parser().ok_or_else(unavailable)
}

impl Rules {
    /// The names of the second and further presets. Each adds a text to every document.
    pub fn further_extractors(&self) -> Vec<String> {
        self.presets.iter().skip(1).map(|preset| preset.name.clone()).collect()
    }

    /// Where a page's title is, besides the field `title`.
    pub fn title(&self) -> TitleKind {
        self.config.output.title
    }

    /// The groups of fields that documents have.
    fn groups(&self) -> Vec<FieldGroup> {
        let output = &self.config.output;
        let signature = |kind| output.signatures.contains(&kind);
        let groups = [
            (FieldGroup::Comments, self.separates_comments()),
            (FieldGroup::Details, output.details),
            (FieldGroup::Evidence, output.evidence),
            (FieldGroup::DetailsEvidence, output.details && output.evidence),
            (FieldGroup::Rights, output.rights),
            (FieldGroup::Html, output.html),
            (FieldGroup::Quality, self.wants_quality()),
            (FieldGroup::Simhash, signature(Signature::Simhash)),
            (FieldGroup::Minhash, signature(Signature::Minhash)),
            (FieldGroup::Spotsigs, signature(Signature::Spotsigs)),
        ];
        groups
            .into_iter()
            .filter_map(|(group, is_asked)| is_asked.then_some(group))
            .collect()
    }

    /// Whether the first extractor keeps the readers' comments apart. What one of a program's own does is not known.
    fn separates_comments(&self) -> bool {
        let Some((first, base)) = self.presets.first().map(|first| (first, first.base())) else {
            return false;
        };
        let is_ensemble = self.config.extract.ensemble.contains_key(&first.name);
        (base.is_none() && !is_ensemble) || self.separates(&first.name)
    }

    /// Whether a preset, or a member of an ensemble, keeps comments apart.
    fn separates(&self, name: &str) -> bool {
        if let Some(ensemble) = self.config.extract.ensemble.get(name) {
            return ensemble.members.iter().any(|member| self.separates(member));
        }
        let separate = Comments::Separate.name().into();
        let resolved = self.config.resolved_preset(name);
        resolved.is_some_and(|(_, values)| values.get("comments") == Some(&separate))
    }

    /// Whether pages are read for what they and their servers ask.
    pub fn wants_rights(&self) -> bool {
        self.config.output.rights || !self.config.select.respect.is_empty()
    }

    /// Whether documents have the signals of quality.
    pub fn wants_quality(&self) -> bool {
        self.config.output.quality || !self.quality.is_empty()
    }
}

fn url_pattern(text: &str) -> Result<Option<UrlPattern>, ConfigError> {
    let invalid = |e| ConfigError::invalid("input.url_pattern", format!("“input.url_pattern”: {e}"));
    UrlPattern::parse(text).map_err(invalid)
}

fn at_most(key: &str, value: u64, most: u64) -> Result<(), ConfigError> {
    if value <= most {
        return Ok(());
    }
    Err(ConfigError::invalid(
        key,
        format!("“{key}” must be at most {most}, not {value}"),
    ))
}

fn record_type(name: &str) -> Result<RecordType, ConfigError> {
    const KEY: &str = "select.record_types";
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
        RecordType::Unknown(_) => {
            let hint = nearest(name, KNOWN.iter().copied());
            let message = format!("unknown record type “{name}” in “{KEY}”{hint}");
            Err(ConfigError::invalid(KEY, message))
        }
        known => Ok(known),
    }
}

/// The rules of quality, in order.
fn quality_rules(items: &[String]) -> Result<Vec<QualityRule>, ConfigError> {
    const KEY: &str = "select.quality";
    let mut rules = Vec::new();
    for item in items {
        rules.extend(quality::parse(item).map_err(|error| {
            let key = item.split(['<', '>', '=']).next().unwrap_or_default().trim();
            let (presets, numbers) = (Vec::from_iter(quality::presets()), Vec::from_iter(quality::numbers()));
            let near = nearest_word(key, presets.iter().chain(&numbers).copied()).filter(|near| *near != key);
            let hint = near.map(|near| format!("; did you mean “{near}”?")).unwrap_or_default();
            let wrong = match error {
                RuleError::Form => {
                    format!("“{KEY}” takes presets, and bounds with >= or <= such as words >= 50, not “{item}”{hint}")
                }
                RuleError::Key => format!("“{KEY}”: documents have no number “{key}”{hint}"),
            };
            let (presets, numbers) = (presets.join(", "), numbers.join(", "));
            let message = format!("{wrong}\nThe presets are {presets}. The numbers are {numbers}.");
            ConfigError::invalid(KEY, message)
        })?);
    }
    Ok(rules)
}

/// The languages that are kept, as documents name them. Labels of other detectors may have any code.
fn selected_languages(names: &[String], have_labels: bool) -> Result<Vec<String>, ConfigError> {
    const KEY: &str = "select.languages";
    let one = |name: &String| {
        let code = || language::unlisted(name).filter(|code| have_labels && code.len() == name.len());
        language::normalized(name).or_else(code).ok_or_else(|| {
            let message = format!("“{KEY}” takes languages such as en, or zh-Hant with its script, not “{name}”");
            ConfigError::invalid(KEY, message)
        })
    };
    names.iter().map(one).collect()
}

fn patterns(key: &str, patterns: &[String]) -> Result<Option<RegexSet>, ConfigError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let set = RegexSet::new(patterns);
    set.map(Some).map_err(|e| {
        let message = format!("“{key}”: {e}\nIt takes regular expressions such as \\.pdf$, no globs");
        ConfigError::invalid(key, message).with_source(e)
    })
}
