//! Checks of ensembles before any is built.

use std::collections::{BTreeMap, BTreeSet};

use dehusk_documents::suggestion::nearest;
use dehusk_extract::ensemble::Ensemble;
use dehusk_extract::registry;

use super::ensemble::{self, EnsembleConfig, path};
use super::values::located;
use super::{Config, ConfigError};

/// Checks all ensembles of a configuration, also those that no extractor uses. Reads no model.
pub(super) fn check_all(config: &Config) -> Result<(), ConfigError> {
    let mut checks = Checks {
        config,
        depths: BTreeMap::new(),
        around: Vec::new(),
    };
    for (name, ensemble) in &config.extract.ensemble {
        checks.check(name, ensemble)?;
    }
    Ok(())
}

/// An ensemble in an ensemble, and so on, at most so deep.
const DEEPEST: usize = 8;

struct Checks<'c> {
    config: &'c Config,
    /// How deep each checked ensemble is nested; 1 if its members are presets.
    depths: BTreeMap<&'c str, usize>,
    /// The ensembles that are being checked, from the outside in.
    around: Vec<&'c str>,
}

impl<'c> Checks<'c> {
    /// Checks an ensemble and those that are its members. Returns how deep it is nested.
    fn check(&mut self, name: &'c str, ensemble: &'c EnsembleConfig) -> Result<usize, ConfigError> {
        if let Some(depth) = self.depths.get(name) {
            return Ok(*depth);
        }
        let key = format!("{}.members", path(name));
        let in_file = |error: ConfigError| match &ensemble.file {
            Some(file) => error.with_file(file),
            None => error,
        };
        let invalid = |key: &str, message| Err(in_file(ConfigError::invalid(key, message)));
        let too_deep = || format!("“{key}”: ensembles are nested more than {DEEPEST} deep");
        if self.around.contains(&name) {
            return invalid(&key, format!("“{key}”: the ensemble is a member of itself"));
        }
        if self.around.len() >= DEEPEST {
            return invalid(&key, too_deep());
        }
        if self.config.presets.contains_key(name) {
            let message = format!(
                "“{}” and “presets.{name}” have the same name; choose another",
                path(name)
            );
            return invalid(&path(name), message);
        }
        self.around.push(name);
        let mut depth = 1;
        for (number, member) in ensemble.members.iter().enumerate() {
            if ensemble.members[..number].contains(member) {
                return invalid(
                    &key,
                    format!("“{key}” names “{member}” twice; give it a weight instead"),
                );
            }
            if let Some(inner) = ensemble::ensemble(self.config, member) {
                depth = depth.max(1 + self.check(member, inner)?);
            } else if registry::built_in(member).is_none() && !self.config.presets.contains_key(member) {
                return invalid(&key, self.unknown(member, name, &key));
            }
        }
        if depth > DEEPEST {
            return invalid(&key, too_deep());
        }
        Ensemble::check(ensemble.members.len(), &ensemble.weights, ensemble.threshold)
            .map_err(|error| in_file(located(error, &path(name))))?;
        self.around.pop();
        self.depths.insert(name, depth);
        Ok(depth)
    }

    /// There is no preset or ensemble of this name, which the ensemble `of` has as a member.
    fn unknown(&self, member: &str, of: &str, key: &str) -> String {
        let around = self.that_hold(of);
        let own = self.config.own_presets().filter(|own| !around.contains(own));
        let known = registry::all().map(|name| -> &str { name }).chain(own);
        format!("“{key}”: unknown extractor “{member}”{}", nearest(member, known))
    }

    /// An ensemble and all in which it is a member. None of them can be a member of it.
    fn that_hold<'n>(&self, name: &'n str) -> BTreeSet<&'n str>
    where
        'c: 'n,
    {
        let mut all = BTreeSet::from([name]);
        loop {
            let known = all.len();
            for (outer, ensemble) in &self.config.extract.ensemble {
                if ensemble.members.iter().any(|member| all.contains(member.as_str())) {
                    all.insert(outer);
                }
            }
            if all.len() == known {
                return all;
            }
        }
    }
}
