//! Ensembles: several presets that vote as one.

use std::path::{Path, PathBuf};

use dehusk_extract::ensemble::Votes;
use dehusk_extract::{Parameters, Value, registry};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::values::{located, parameters};
use super::{Config, ConfigError};

/// The section that holds ensembles by name.
pub(super) const SECTION: &str = "extract.ensemble";

/// An ensemble: its members, and how they vote.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EnsembleConfig {
    /// The names of presets, or of other ensembles.
    pub(super) members: Vec<String>,
    /// How many votes a text needs.
    pub(super) votes: Votes,
    /// The weight of each member; empty if all have the same.
    pub(super) weights: Vec<f64>,
    /// The share of all weights that a text needs, with weighted votes.
    pub(super) threshold: f64,
    /// The configuration file that holds the ensemble. `None` if another layer has changed it.
    #[serde(skip)]
    pub(super) file: Option<PathBuf>,
}

impl PartialEq for EnsembleConfig {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl Default for EnsembleConfig {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            votes: Votes::Majority,
            weights: Vec::new(),
            threshold: 0.5,
            file: None,
        }
    }
}

impl EnsembleConfig {
    /// The values by their keys.
    pub(super) fn values(&self) -> Parameters {
        Parameters::of(self)
    }

    /// Puts the section `path` of a layer over this one. `file` is where the layer was read from.
    pub(super) fn set(&mut self, section: Table, path: &str, file: Option<&Path>) -> Result<(), ConfigError> {
        let mut below = self.values();
        if self.weights.is_empty() {
            // The kind of an empty list is not known, so errors would say something else.
            below.set("weights", [1.0]);
        }
        let changes = parameters(section, &below, path)?;
        match changes.get("weights") {
            Some(Value::List(weights)) if weights.is_empty() => below.set("weights", Vec::<f64>::new()),
            Some(_) => below.set("weights", [1.0]),
            None => below.set("weights", self.weights.clone()),
        }
        let is_new = *self == Self::default();
        let merged = below.overlaid(&changes).and_then(Parameters::into_fields);
        *self = merged.map_err(|error| located(error, path))?;
        self.file = file.filter(|_| is_new).map(Path::to_owned);
        Ok(())
    }
}

/// The key of an ensemble's section.
pub(super) fn path(name: &str) -> String {
    format!("{SECTION}.{name}")
}

/// The ensemble of a name.
pub(super) fn ensemble<'c>(config: &'c Config, name: &str) -> Option<&'c EnsembleConfig> {
    let own = config.extract.ensemble.get(name)?;
    registry::built_in(name).is_none().then_some(own)
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::super::preset_builder::NamedPresets;
    use super::*;
    use crate::processor::Processor;

    fn config(text: &str) -> Config {
        Config::from_toml(text).expect("a configuration")
    }

    fn mistake(text: &str) -> (String, String) {
        let made = Config::from_toml(text).and_then(|config| Processor::new(&config).map(drop));
        let error = made.expect_err("a mistake");
        (error.key().unwrap_or_default().to_owned(), error.to_string())
    }

    const VOTE: &str = "[extract]\nextractors = [\"vote\"]\n[extract.ensemble.vote]\nmembers = [\"econ\", \"lqf\"]\n";

    #[test]
    fn keys_are_set_and_read() {
        let config = config(VOTE);
        assert_eq!(
            config.get("extract.ensemble.vote.members"),
            Some(["econ", "lqf"].into())
        );
        assert_eq!(config.get("extract.ensemble.vote.votes"), Some("majority".into()));
        let settings = [
            "extract.ensemble.vote.votes=union",
            "extract.ensemble.vote.weights=[1, 0.5]",
        ];
        let config = config.with_settings(settings).expect("settings");
        assert_eq!(config.get("extract.ensemble.vote.votes"), Some("union".into()));
        assert_eq!(config.get("extract.ensemble.vote.weights"), Some([1.0, 0.5].into()));
        assert_eq!(
            config.get("extract.ensemble.vote.members"),
            Some(["econ", "lqf"].into())
        );
        assert!(config.own_presets().eq(["vote"]));
        let back = config
            .clone()
            .with_settings(["extract.ensemble.vote.weights=[]", "extract.comments=drop"]);
        let back = back.expect("settings");
        assert_eq!(back.get("extract.ensemble.vote.weights"), Some(Value::List(Vec::new())));
        assert_eq!(back.get("extract.ensemble.vote.votes"), Some("union".into()));
    }

    #[test]
    fn an_ensemble_may_be_a_member() {
        let text = format!(
            "{VOTE}[extract.ensemble.outer]\nmembers = [\"vote\", \"mine\"]\n[presets.mine]\nbase = \"coreex\"\n"
        );
        let config = config(&text)
            .with_settings(["extract.extractors=[\"outer\"]"])
            .expect("settings");
        Processor::new(&config).expect("a processor");
    }

    #[test]
    fn mistakes_name_the_key() {
        let vote = |rest: &str| mistake(&format!("{VOTE}{rest}"));
        let expected = |key: &str, message: &str| (key.to_owned(), message.to_owned());
        assert_eq!(
            mistake("[extract]\nextractors = [\"vote\"]\n[extract.ensemble.vote]\nmembers = [\"ecom\"]"),
            expected(
                "extract.ensemble.vote.members",
                "“extract.ensemble.vote.members”: unknown extractor “ecom”; did you mean “econ”?"
            )
        );
        assert_eq!(
            mistake("[extract]\nextractors = [\"vote\"]\n[extract.ensemble.vote]"),
            expected(
                "extract.ensemble.vote.members",
                "“extract.ensemble.vote.members” must name at least one preset"
            )
        );
        assert_eq!(
            vote("weights = [1]"),
            expected(
                "extract.ensemble.vote.weights",
                "“extract.ensemble.vote.weights” must have a weight for each of the 2 members"
            )
        );
        assert_eq!(
            vote("weights = [\"one\", \"two\"]"),
            expected(
                "extract.ensemble.vote.weights",
                "“extract.ensemble.vote.weights” takes a list of numbers, not a list of strings"
            )
        );
        assert_eq!(
            vote("votes = \"most\""),
            expected(
                "extract.ensemble.vote.votes",
                "“extract.ensemble.vote.votes” takes one of union, intersection, majority, weighted, not “most”; valid are \
                 union, intersection, majority, weighted"
            )
        );
        assert_eq!(
            vote("vote = 1"),
            expected(
                "extract.ensemble.vote.vote",
                "unknown key “extract.ensemble.vote.vote”; did you mean “votes”?"
            )
        );
        assert_eq!(
            vote("[extract.ensemble.bte]\nmembers = [\"econ\"]"),
            expected(
                "extract.ensemble.bte",
                "“extract.ensemble.bte” has the name of a built-in preset; choose another"
            )
        );
        assert_eq!(
            vote("[extract.ensemble.all]\nmembers = [\"econ\"]"),
            expected(
                "extract.ensemble.all",
                "“extract.ensemble.all” has the name that means all presets; choose another"
            )
        );
        assert_eq!(
            vote("[presets.all]\nbase = \"econ\"").1,
            "“presets.all” has the name that means all presets; choose another"
        );
        assert_eq!(
            vote("[presets.vote]\nbase = \"econ\""),
            expected(
                "extract.ensemble.vote",
                "“extract.ensemble.vote” and “presets.vote” have the same name; choose another"
            )
        );
    }

    #[test]
    fn no_ensemble_is_a_member_of_itself() {
        let text = "[extract]\nextractors = [\"a\"]\n[extract.ensemble.a]\nmembers = [\"b\"]\n\
                    [extract.ensemble.b]\nmembers = [\"a\"]\n";
        assert_eq!(
            mistake(text).1,
            "“extract.ensemble.a.members”: the ensemble is a member of itself"
        );
        assert!(config(text).hash().is_err());
        let own = text.replace("\"b\"", "\"a\"");
        assert_eq!(
            mistake(&own).1,
            "“extract.ensemble.a.members”: the ensemble is a member of itself"
        );
    }

    #[test]
    fn an_unknown_member_is_not_answered_with_the_ensemble_itself() {
        let text = "[extract]\nextractors = [\"outer\"]\n[extract.ensemble.outer]\nmembers = [\"inner\"]\n\
                    [extract.ensemble.inner]\nmembers = [\"zzzzzz\"]\n[extract.ensemble.other]\nmembers = [\"econ\"]\n";
        let (key, message) = mistake(text);
        assert_eq!(key, "extract.ensemble.inner.members");
        assert!(
            message.starts_with("“extract.ensemble.inner.members”: unknown extractor “zzzzzz”; valid are "),
            "{message}"
        );
        let offered: Vec<&str> = message.split([' ', ',']).collect();
        assert!(
            offered.contains(&"other") && !offered.contains(&"inner") && !offered.contains(&"outer"),
            "{message}"
        );
    }

    #[test]
    fn a_mistake_names_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("vote.toml");
        std::fs::write(&file, VOTE.replace("econ", "ecom")).expect("a file");
        let config = Config::from_file(&file).expect("a configuration");
        let error = Processor::new(&config).map(drop).expect_err("a mistake");
        assert_eq!(error.file(), Some(file.as_path()));
        let config = config
            .with_settings(["extract.ensemble.vote.votes=union"])
            .expect("settings");
        let error = Processor::new(&config).map(drop).expect_err("a mistake");
        assert_eq!(error.file(), None);
    }

    #[test]
    fn an_ensemble_is_checked_even_if_no_extractor_uses_it() {
        for (mistaken, key) in [
            ("members = [\"ecom\"]", "members"),
            ("members = []", "members"),
            ("members = [\"unused\"]", "members"),
            ("members = [\"econ\", \"econ\"]", "members"),
            ("members = [\"econ\"]\nweights = [0]", "weights"),
        ] {
            let text = format!("[extract.ensemble.unused]\n{mistaken}");
            assert_eq!(mistake(&text).0, format!("extract.ensemble.unused.{key}"), "{mistaken}");
        }
    }

    #[test]
    fn a_member_is_named_once() {
        let twice = VOTE.replace("\"lqf\"", "\"econ\"");
        assert_eq!(
            mistake(&twice).1,
            "“extract.ensemble.vote.members” names “econ” twice; give it a weight instead"
        );
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        assert_eq!(
            mistake(&format!("{VOTE}weights = [1, nan]")).1,
            "“extract.ensemble.vote.weights” must be numbers of 0 or more with a finite sum above 0"
        );
        assert_eq!(
            mistake(&format!("{VOTE}votes = \"weighted\"\nthreshold = nan")).1,
            "“extract.ensemble.vote.threshold” must lie between 0 and 1, not be NaN"
        );
    }

    #[test]
    fn nested_ensembles_are_built_once_and_not_too_deep() {
        // Each level names both of the level below, so that the number of mentions doubles.
        let nested = |levels: usize| {
            let mut text = "[extract]\nextractors = [\"a0\"]\n".to_owned();
            for level in 0..levels {
                let below = if level + 1 == levels {
                    "\"econ\", \"lqf\"".to_owned()
                } else {
                    format!("\"a{0}\", \"b{0}\"", level + 1)
                };
                for name in ["a", "b"] {
                    text += &format!("[extract.ensemble.{name}{level}]\nmembers = [{below}]\n");
                }
            }
            text
        };
        // Here the innermost is checked first.
        let chain = (1..=8).fold(
            String::from("[extract.ensemble.e0]\nmembers = [\"econ\"]\n"),
            |text, level| text + &format!("[extract.ensemble.e{level}]\nmembers = [\"e{}\"]\n", level - 1),
        );
        assert_eq!(
            mistake(&chain).1,
            "“extract.ensemble.e8.members”: ensembles are nested more than 8 deep"
        );
        let config = config(&nested(8));
        let presets = NamedPresets::build(&config, Vec::new()).expect("presets");
        assert_eq!(presets.all.len(), 1 + 2 * 7 + 2);
        assert_eq!(
            mistake(&nested(9)).1,
            "“extract.ensemble.a8.members”: ensembles are nested more than 8 deep"
        );
    }

    #[test]
    fn the_hash_covers_what_votes() {
        let hash = |text: &str| config(text).hash().expect("a hash");
        let mine = |threshold: &str| {
            format!(
                "{VOTE}weights = [1, 2]\n[extract.ensemble.other]\nmembers = [\"vote\"]\n[presets.mine]\nbase = \"coreex\"\n\
                 threshold = {threshold}\n"
            )
        };
        assert_ne!(hash(VOTE), hash(&mine("0.5")));
        // Neither the other ensemble nor the preset runs.
        assert_eq!(hash(&format!("{VOTE}weights = [1, 2]\n")), hash(&mine("0.5")));
        let member = |threshold: &str| mine(threshold).replace("\"lqf\"", "\"mine\"");
        assert_ne!(hash(&member("0.5")), hash(&member("0.6")));
    }

    #[test]
    fn comments_are_apart_if_a_member_keeps_them_apart() {
        let vote = VOTE
            .replace("\"econ\", \"lqf\"", "\"fusion\"")
            .replace("[extract]", "[extract]\ncomments = \"separate\"");
        let page = "<title>The night ferry</title><h1>The night ferry</h1><p>The ferry left the harbour before dawn, with forty \
                    people on board, and nobody had slept a minute. By noon the fog had lifted.</p><div id=comments><h2>2 \
                    comments</h2><div class=comment>Ann<p>I was on board, and it was a long and dark night for all of \
                    us.</div><div class=comment>Ben<p>So was I, and I have never been as glad to see an island as \
                    then.</div></div>";
        let comments = |extractor: &str| {
            let config = config(&vote).with_settings([format!("extract.extractors=[\"{extractor}\"]")]);
            let config = config
                .expect("settings")
                .with_settings(["extract.ensemble.vote.votes=union"]);
            let mut processor = Processor::new(&config.expect("settings")).expect("a processor");
            processor
                .document(&crate::page::Page::from_text(page, "https://news.example/2"))
                .expect("a document")
                .comments
        };
        assert_eq!(comments("vote"), comments("fusion"));
    }
}
