//! The settings by which the records of a run are shown: those of the run, as its account holds them.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::App;
use super::settings::RunRules;
use crate::http::{Query, Refusal};
use dehusk_archive::escape::{self, terminal};
use dehusk_corpus::readback::Account;
use dehusk_engine::config::{Config, Rules};

/// The settings of a run, which are resolved when they are first asked for.
#[derive(Default)]
pub(crate) struct RunSettings(OnceLock<Result<Resolved, String>>);

struct Resolved {
    rules: RunRules,
    /// Why records may be shown otherwise than the run has them.
    note: Option<String>,
}

impl RunSettings {
    fn resolved(&self, account: &Account, number: usize, own: &Config) -> Result<&Resolved, Refusal> {
        let resolved = self.0.get_or_init(|| resolve(account, number, own));
        resolved.as_ref().map_err(|message| {
            let run = escape::path(&account.directory);
            let message = format!(
                "the settings of the run {run} cannot be used: {}; choose those of the server",
                terminal(message)
            );
            Refusal::new(409, "run_settings", message)
        })
    }
}

/// The rules of a run. How the network is used is up to the server.
fn resolve(account: &Account, number: usize, own: &Config) -> Result<Resolved, String> {
    let mut config = account.config.clone();
    let Some(keys) = config.as_object_mut() else {
        return Err("its run.json has no configuration".to_owned());
    };
    let own = serde_json::to_value(own).map_err(|e| e.to_string())?;
    for section in ["remote", "run"] {
        keys.remove(section);
        if let Some(value) = own.get(section) {
            keys.insert(section.to_owned(), value.clone());
        }
    }
    let config: Config = serde_json::from_value(Value::take(&mut config)).map_err(|e| e.to_string())?;
    let rules = Rules::new(&config).map_err(|e| e.to_string())?;
    let differs = rules.hash != account.config_hash;
    let note = differs.then(|| {
        let run = escape::path(&account.directory);
        format!(
            "the settings of the run {run} mean something else now: files that they name, or the program, have changed"
        )
    });
    Ok(Resolved {
        rules: RunRules {
            name: format!("run {number}"),
            rules: Arc::new(rules),
        },
        note,
    })
}

impl App {
    /// The rules by which a record or a page is shown: those of the run that the parameter `run` numbers; without it,
    /// of the first run that has the archive; otherwise, and with `server`, those of the server.
    pub(crate) fn rules_of(&self, query: &Query) -> Result<Arc<Rules>, Refusal> {
        let resolved = self.run_of(query)?;
        self.settings
            .rules_of_query(query, resolved.map(|resolved| &resolved.rules))
    }

    /// The note that users should see about these rules.
    pub(crate) fn note_of(&self, query: &Query) -> Result<Option<String>, Refusal> {
        Ok(self.run_of(query)?.and_then(|resolved| resolved.note.clone()))
    }

    fn run_of(&self, query: &Query) -> Result<Option<&Resolved>, Refusal> {
        let number = match query.get("run")? {
            Some("server") => None,
            Some(number) => Some(self.inputs.run_number(number)?),
            None if query.get("pasted")?.is_some() => None,
            None => self.inputs.first_run_of(self.inputs.number(query)?),
        };
        let Some(number) = number else { return Ok(None) };
        let (settings, account) = self.inputs.settings_of(number);
        let own = &self.settings.own().config;
        settings.resolved(account, number, own).map(Some)
    }
}
