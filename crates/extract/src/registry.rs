//! The table of built-in presets, and how a user's preset is made from one of them.

use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;

use crate::comparators::{Bte, Ccb, Cetr, Dsc, FeatureExtractor, LinkQuota};
use crate::ensemble::{Ensemble, Votes};
use crate::fusion::FusionParameters;
use crate::parameters::{ParameterError, Parameters};
use crate::strip::Strip;
use crate::{Cetd, ContentEx, CoreEx, Econ, Extractor, Fusion, Nce, contentex};

/// An extractor with the name that documents and the configuration use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// The extractor.
    pub extractor: Arc<dyn Extractor>,
    base: Option<&'static str>,
    strip: Strip,
    files: Vec<(&'static str, u64)>,
}

impl Preset {
    /// An extractor under a name.
    pub fn new(name: impl Into<String>, extractor: Arc<dyn Extractor>) -> Self {
        Self {
            name: name.into(),
            strip: extractor.strip(),
            extractor,
            base: None,
            files: Vec::new(),
        }
    }

    /// Several presets as one: an [`Ensemble`].
    ///
    /// # Errors
    /// Those of [`Ensemble::new`].
    pub fn ensemble(
        name: impl Into<String>,
        members: Vec<Preset>,
        weights: &[f64],
        votes: Votes,
        threshold: f64,
    ) -> Result<Self, ParameterError> {
        let files = members.iter().flat_map(|member| member.files.iter().copied()).collect();
        let ensemble = Ensemble::new(members, weights, votes, threshold)?;
        Ok(Self {
            files,
            ..Self::new(name, Arc::new(ensemble))
        })
    }

    /// The built-in preset that it is, or that it has the parameters of; `None` for an extractor of your own.
    pub fn base(&self) -> Option<&'static str> {
        self.base
    }

    /// The preprocessing that the extractor wants. It is the same for every page.
    pub fn strip(&self) -> &Strip {
        &self.strip
    }

    /// Parameters that name a file, each with a hash of what the file held when the preset was built. A document
    /// depends on the content of a file and not on its path.
    pub fn file_hashes(&self) -> &[(&'static str, u64)] {
        &self.files
    }
}

/// The preset that is used unless another is chosen.
pub const DEFAULT_PRESET: &str = "fusion";

/// A method: of a paper, learned, or one that the papers compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    CoreEx,
    ContentEx,
    Nce,
    Econ,
    Cetd,
    Fusion,
    Bte,
    Dsc,
    LinkQuota,
    FeatureExtractor,
    Ccb,
    Cetr,
}

impl Method {
    /// Checks the values of all parameters. Opens no file.
    fn check(self, parameters: Parameters) -> Result<(), ParameterError> {
        match self {
            Method::CoreEx => decode::<CoreEx>(parameters).map(drop),
            Method::ContentEx => parameters.into_fields::<contentex::Parameters>()?.check(),
            Method::Nce => decode::<Nce>(parameters).map(drop),
            Method::Econ => decode::<Econ>(parameters).map(drop),
            Method::Cetd => decode::<Cetd>(parameters).map(drop),
            Method::Fusion => parameters.into_fields::<FusionParameters>().map(drop),
            Method::Bte => decode::<Bte>(parameters).map(drop),
            Method::Dsc => decode::<Dsc>(parameters).map(drop),
            Method::LinkQuota => decode::<LinkQuota>(parameters).map(drop),
            Method::FeatureExtractor => decode::<FeatureExtractor>(parameters).map(drop),
            Method::Ccb => decode::<Ccb>(parameters).map(drop),
            Method::Cetr => decode::<Cetr>(parameters).map(drop),
        }
    }

    /// Builds the extractor from the values of all parameters. A file that a parameter names is read here, once.
    fn build(self, name: &str, parameters: Parameters) -> Result<Preset, ParameterError> {
        Ok(match self {
            Method::CoreEx => Preset::new(name, Arc::new(decode::<CoreEx>(parameters)?)),
            Method::Nce => Preset::new(name, Arc::new(decode::<Nce>(parameters)?)),
            Method::Econ => Preset::new(name, Arc::new(decode::<Econ>(parameters)?)),
            Method::Cetd => Preset::new(name, Arc::new(decode::<Cetd>(parameters)?)),
            Method::Bte => Preset::new(name, Arc::new(decode::<Bte>(parameters)?)),
            Method::Dsc => Preset::new(name, Arc::new(decode::<Dsc>(parameters)?)),
            Method::LinkQuota => Preset::new(name, Arc::new(decode::<LinkQuota>(parameters)?)),
            Method::FeatureExtractor => Preset::new(name, Arc::new(decode::<FeatureExtractor>(parameters)?)),
            Method::Ccb => Preset::new(name, Arc::new(decode::<Ccb>(parameters)?)),
            Method::Cetr => Preset::new(name, Arc::new(decode::<Cetr>(parameters)?)),
            Method::Fusion => {
                let fusion = Fusion::new(&parameters.into_fields()?)?;
                let files = fusion.file_digest().map(|digest| ("model", digest));
                Preset {
                    files: files.into_iter().collect(),
                    ..Preset::new(name, Arc::new(fusion))
                }
            }
            Method::ContentEx => {
                let contentex = ContentEx::new(parameters.into_fields()?)?;
                let files = contentex.patterns().hash().map(|hash| ("patterns", hash));
                Preset {
                    files: files.into_iter().collect(),
                    ..Preset::new(name, Arc::new(contentex))
                }
            }
        })
    }
}

fn decode<E: Extractor + DeserializeOwned>(parameters: Parameters) -> Result<E, ParameterError> {
    let extractor: E = parameters.into_fields()?;
    extractor.check()?;
    Ok(extractor)
}

/// A row of the table.
struct BuiltIn {
    name: &'static str,
    method: Method,
    parameters: fn() -> Parameters,
}

impl BuiltIn {
    /// Builds a preset with the values of this one, but those of `changes`.
    fn build(&self, name: &str, changes: &Parameters) -> Result<Preset, ParameterError> {
        let preset = self.method.build(name, (self.parameters)().overlaid(changes)?)?;
        Ok(Preset {
            base: Some(self.name),
            ..preset
        })
    }
}

/// The presets that the papers compare with come last.
const COMPARATORS_FROM: usize = 16;

/// The built-in presets.
static TABLE: [BuiltIn; 24] = {
    use Method::*;
    const fn row(name: &'static str, method: Method, parameters: fn() -> Parameters) -> BuiltIn {
        BuiltIn {
            name,
            method,
            parameters,
        }
    }
    [
        row("fusion", Fusion, || {
            Parameters::of(&FusionParameters::embedded("fusion"))
        }),
        row("fusion-quality", Fusion, || {
            Parameters::of(&FusionParameters::embedded("fusion-quality"))
        }),
        row("coreex", CoreEx, || Parameters::of(&super::CoreEx::paper())),
        row("coreex-modern", CoreEx, || Parameters::of(&super::CoreEx::modern())),
        row("contentex", ContentEx, || {
            Parameters::of(&contentex::Parameters::paper())
        }),
        row("contentex-modern", ContentEx, || {
            Parameters::of(&contentex::Parameters::modern())
        }),
        row("nce", Nce, || Parameters::of(&super::Nce::paper())),
        row("nce-modern", Nce, || Parameters::of(&super::Nce::modern())),
        row("econ", Econ, || Parameters::of(&super::Econ::paper())),
        row("econ-modern", Econ, || Parameters::of(&super::Econ::modern())),
        row("cetd-ds", Cetd, || Parameters::of(&super::Cetd::cetd_ds())),
        row("cetd-ds-modern", Cetd, || {
            Parameters::of(&super::Cetd::cetd_ds().modern())
        }),
        row("cectd-s", Cetd, || Parameters::of(&super::Cetd::cectd_s())),
        row("cectd-s-modern", Cetd, || {
            Parameters::of(&super::Cetd::cectd_s().modern())
        }),
        row("cectd-ds", Cetd, || Parameters::of(&super::Cetd::cectd_ds())),
        row("cectd-ds-modern", Cetd, || {
            Parameters::of(&super::Cetd::cectd_ds().modern())
        }),
        row("bte", Bte, || Parameters::of(&super::comparators::Bte::default())),
        row("dsc", Dsc, || Parameters::of(&super::comparators::Dsc::default())),
        row("lqf", LinkQuota, || {
            Parameters::of(&super::comparators::LinkQuota::lqf())
        }),
        row("crunch-links", LinkQuota, || {
            Parameters::of(&super::comparators::LinkQuota::crunch())
        }),
        row("fe", FeatureExtractor, || {
            Parameters::of(&super::comparators::FeatureExtractor::fe())
        }),
        row("kfe", FeatureExtractor, || {
            Parameters::of(&super::comparators::FeatureExtractor::kfe())
        }),
        row("ccb", Ccb, || Parameters::of(&super::comparators::Ccb::default())),
        row("cetr", Cetr, || Parameters::of(&super::comparators::Cetr::default())),
    ]
};

const NAMES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].name;
        at += 1;
    }
    names
};

/// The names of the built-in presets: the learned extractor, and the methods of the five papers.
pub static PRESETS: &[&str] = NAMES.split_at(COMPARATORS_FROM).0;

/// The names of the built-in presets that the papers were measured against: [`comparators`](crate::comparators).
pub static COMPARATORS: &[&str] = NAMES.split_at(COMPARATORS_FROM).1;

/// The names of all built-in presets.
pub fn all() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter()
}

/// The name of a built-in preset, if there is one of that name.
pub fn built_in(name: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|known| *known == name)
}

fn find(name: &str) -> Result<&'static BuiltIn, ParameterError> {
    let unknown = || ParameterError::UnknownPreset { name: name.to_owned() };
    TABLE.iter().find(|row| row.name == name).ok_or_else(unknown)
}

/// The built-in preset of that name. All presets of a name share one extractor.
pub fn preset(name: &str) -> Option<Preset> {
    static BUILT: [OnceLock<Option<Preset>>; TABLE.len()] = [const { OnceLock::new() }; TABLE.len()];
    let at = NAMES.iter().position(|known| *known == name)?;
    let build = || TABLE[at].build(name, &Parameters::new()).ok();
    BUILT[at].get_or_init(build).clone()
}

/// The parameters of a built-in preset with their values; `None` for an unknown name.
pub fn parameters(name: &str) -> Option<Parameters> {
    Some((find(name).ok()?.parameters)())
}

/// Checks a preset that has the values of the built-in preset `base`, but those of `changes`. Opens no file.
///
/// # Errors
/// There is no such base, or a change has an unknown name or a value that the parameter does not take.
pub fn check(base: &str, changes: &Parameters) -> Result<(), ParameterError> {
    let row = find(base)?;
    row.method.check((row.parameters)().overlaid(changes)?)
}

/// Builds the preset `name`, which has the values of the built-in preset `base`, but those of `changes`. A file that a
/// parameter names is read here and nowhere else.
///
/// # Errors
/// Those of [`check`]; or a file cannot be used.
pub fn build(name: &str, base: &str, changes: &Parameters) -> Result<Preset, ParameterError> {
    find(base)?.build(name, changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_preset_can_be_built_from_its_own_parameters() {
        for name in PRESETS.iter().chain(COMPARATORS) {
            let parameters = parameters(name).expect("parameters");
            let built = build(name, name, &parameters).expect("valid parameters");
            let preset = preset(name).expect("a preset");
            assert_eq!(format!("{built:?}"), format!("{preset:?}"));
        }
        assert!(PRESETS.contains(&DEFAULT_PRESET));
        assert!(preset("nothing").is_none());
    }

    #[test]
    fn presets_of_a_name_share_an_extractor() {
        let [one, two] = [0, 1].map(|_| preset(DEFAULT_PRESET).expect("a preset"));
        assert!(Arc::ptr_eq(&one.extractor, &two.extractor));
    }
}
