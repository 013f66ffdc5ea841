//! The parameters of a request, and the rules that follow from them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http::{Query, Refusal};
use dehusk_archive::escape::terminal;
use dehusk_documents::suggestion::nearest;
use dehusk_engine::config::{Config, ConfigError, Rules};
use dehusk_engine::page_format::PageFormat;

/// The names of the parameters.
pub(crate) const PARAMETERS: [&str; 5] = ["extractor", "format", "set", "text", "url"];

/// So many rules are kept for later requests. Building them takes longer than many a page.
const KEPT: usize = 32;

/// Most bytes of the settings of a request.
const MOST_BYTES: usize = 8 << 10;

/// Most parameters `set` of a request.
const MOST_SETTINGS: usize = 50;

/// Most characters of a page's URL.
pub(crate) const MOST_OF_URL: usize = 2000;

/// Sections whose keys a request may set. The others decide what the server may do, or which files it reads.
const SECTIONS: [&str; 4] = ["dom", "extract", "output", "select"];

/// Keys of these sections that name files or are of no use for a page.
const REFUSED: [&str; 18] = [
    "extract.language_from",
    "extract.language_model",
    "extract.model",
    "extract.sites",
    "output.compression",
    "output.format",
    "output.level",
    "output.quarantine",
    "output.records",
    "output.robots",
    "output.tokenizer",
    "select.drop_hosts_from",
    "select.hosts_from",
    "select.mime_types",
    "select.plain_text",
    "select.record_types",
    "select.resolve_revisits",
    "select.seen",
];

/// The settings of a request.
pub(crate) struct Settings {
    pub(crate) rules: Arc<Rules>,
    pub(crate) format: Option<PageFormat>,
    pub(crate) url: String,
}

/// The rules of the server, and of the settings of the last requests.
pub(crate) struct SettingsCache {
    own: Arc<Rules>,
    kept: Mutex<VecDeque<(String, Arc<Rules>)>>,
}

impl SettingsCache {
    pub(crate) fn new(own: Arc<Rules>) -> Self {
        Self {
            own,
            kept: Mutex::default(),
        }
    }

    /// The server's own rules.
    pub(crate) fn own(&self) -> &Arc<Rules> {
        &self.own
    }

    /// The rules of a request of the inspector, by its parameters `extractor` and `set` over those of a run, or over the
    /// server's own; with the parameter `with`, those of two extractors.
    pub(crate) fn rules_of_query(&self, query: &Query, run: Option<&RunRules>) -> Result<Arc<Rules>, Refusal> {
        let (base, name) = match run {
            Some(run) => (&run.rules, &*run.name),
            None => (&self.own, ""),
        };
        let mut settings = of_parameters(query)?;
        if let Some(right) = query.get("with")? {
            let left = match query.get("extractor")? {
                Some(left) => left,
                None => base.config.extractors().first().map_or("", String::as_str),
            };
            if left == right {
                let message = format!("“{}” is compared with itself; choose another", terminal(left));
                return Err(Refusal::bad_request("with", message));
            }
            settings.retain(|(key, _)| key != "extract.extractors");
            let pair = vec![left.to_owned(), right.to_owned()];
            settings.insert(0, ("extract.extractors".to_owned(), Setting::Words(pair)));
        }
        self.rules((base, name), &settings)
    }

    /// The rules of the server with all extractors, built-in and own.
    pub(crate) fn rules_of_all(&self) -> Result<Arc<Rules>, Refusal> {
        let own = &self.own.config;
        let built_in = dehusk_extract::registry::all().map(|name| -> &str { name });
        let names = built_in.chain(own.own_presets()).map(str::to_owned).collect();
        self.rules(
            (&self.own, ""),
            &[("extract.extractors".to_owned(), Setting::Words(names))],
        )
    }

    /// Reads the parameters of a request.
    pub(crate) fn of_query(&self, query: &Query) -> Result<Settings, Refusal> {
        let format = query.get("format")?.map(format).transpose()?;
        let mut settings = of_parameters(query)?;
        if format == Some(PageFormat::Xml) {
            settings.insert(0, ("output.format".to_owned(), Setting::Word("xml".to_owned())));
        }
        let url = query.get("url")?.unwrap_or_default();
        if url.chars().count() > MOST_OF_URL {
            let message = format!("the URL has more than {MOST_OF_URL} characters");
            return Err(Refusal::bad_request("url", message));
        }
        Ok(Settings {
            rules: self.rules((&self.own, ""), &settings)?,
            format,
            url: url.to_owned(),
        })
    }

    /// The rules of settings over those of this name, from the last requests if one had the same.
    fn rules(&self, (base, name): (&Arc<Rules>, &str), settings: &[(String, Setting)]) -> Result<Arc<Rules>, Refusal> {
        if settings.is_empty() {
            return Ok(Arc::clone(base));
        }
        let key = format!("{name}{settings:?}");
        if key.len() > MOST_BYTES + name.len() {
            let message = format!("the settings have more than {MOST_BYTES} bytes");
            return Err(Refusal::bad_request("setting", message));
        }
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept()
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, rules)| Arc::clone(rules));
        if let Some(rules) = known {
            return Ok(rules);
        }
        let rules = resolve(base, settings).map_err(|error| {
            let name = match error.key() {
                Some("extract.extractors") => "extractor",
                _ => "setting",
            };
            Refusal::bad_request(name, terminal(&error.to_string()))
        })?;
        let rules = Arc::new(rules);
        let mut kept = kept();
        kept.truncate(KEPT - 1);
        kept.push_front((key, Arc::clone(&rules)));
        Ok(rules)
    }
}

/// The rules of a run.
pub(crate) struct RunRules {
    /// A name that distinguishes it from other runs, and from the server: not empty.
    pub(crate) name: String,
    pub(crate) rules: Arc<Rules>,
}

/// A setting of a request.
#[derive(Debug)]
enum Setting {
    /// The value of a parameter.
    Word(String),
    /// A list.
    Words(Vec<String>),
    /// `key=value`.
    Text(String),
}

/// The settings of a request, those of `set` last.
fn of_parameters(query: &Query) -> Result<Vec<(String, Setting)>, Refusal> {
    let mut settings = Vec::new();
    for (parameter, key) in [("extractor", "extract.extractors"), ("text", "output.text")] {
        if let Some(value) = query.get(parameter)? {
            settings.push((key.to_owned(), Setting::Word(value.to_owned())));
        }
    }
    if query.all("set").count() > MOST_SETTINGS {
        let message = format!("the request has more than {MOST_SETTINGS} parameters “set”");
        return Err(Refusal::bad_request("setting", message));
    }
    for setting in query.all("set") {
        let key = allowed(setting)?;
        settings.push((key.to_owned(), Setting::Text(setting.to_owned())));
    }
    Ok(settings)
}

/// Rules with the settings of a request, none of which names a file.
fn resolve(base: &Rules, settings: &[(String, Setting)]) -> Result<Rules, ConfigError> {
    let mut config = base.config.clone();
    for (key, setting) in settings {
        match setting {
            Setting::Word(word) if key == "extract.extractors" => config.set(key, [word.as_str()])?,
            Setting::Words(words) => config.set(key, words.iter().map(String::as_str).collect::<Vec<_>>())?,
            Setting::Word(word) => config.set(key, word.as_str())?,
            Setting::Text(setting) => config = config.with_settings(std::slice::from_ref(setting))?,
        }
    }
    base.changed(&config)
}

fn format(name: &str) -> Result<PageFormat, Refusal> {
    let found = PageFormat::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        let hint = nearest(name, PageFormat::ALL.map(PageFormat::name));
        Refusal::bad_request("format", format!("unknown format “{}”{hint}", terminal(name)))
    })
}

/// The key of a setting, if a request may set it.
fn allowed(setting: &str) -> Result<&str, Refusal> {
    let refused = |message: String| Refusal::bad_request("setting", terminal(&message));
    let Some((key, _)) = setting.split_once('=') else {
        let message = format!("“{setting}” is not of the form key=value, such as select.min_words=50");
        return Err(refused(message));
    };
    let key = key.trim();
    let parts: Vec<&str> = key.split('.').collect();
    let is_allowed = match parts[..] {
        [section, _] => SECTIONS.contains(&section) && !REFUSED.contains(&key),
        // A preset or an ensemble of one's own. The key names one value, so none can be hidden in it.
        ["presets", _, parameter] => parameter != "model",
        ["extract", "ensemble", _, _] => true,
        _ => false,
    };
    if is_allowed {
        return Ok(key);
    }
    // The configuration knows the nearest key.
    let message = match Config::default().with_settings([setting]) {
        Ok(_) => format!("“{key}” is not for a request; the server has it by its own --config or --set"),
        Err(error) => error.to_string(),
    };
    Err(refused(message))
}
