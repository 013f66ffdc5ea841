//! The presets by name, and how a preset of one's own is made of one.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::{Cetd, ContentEx, CoreEx, Econ, Extractor, Nce};

/// An extractor with the name that documents and the configuration know it by.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// The extractor.
    pub extractor: Arc<dyn Extractor>,
}

/// The names of all built-in presets.
pub const PRESETS: &[&str] = &[
    "coreex",
    "coreex-modern",
    "contentex",
    "contentex-modern",
    "nce",
    "nce-modern",
    "econ",
    "econ-modern",
    "cetd-ds",
    "cetd-ds-modern",
    "cectd-s",
    "cectd-s-modern",
    "cectd-ds",
    "cectd-ds-modern",
];

/// The preset that is used unless another is asked for.
pub const DEFAULT_PRESET: &str = "coreex-modern";

/// What is to be done with the parameters of a built-in preset.
trait Use {
    type Output;

    fn with<E: Extractor + Serialize + DeserializeOwned + 'static>(self, parameters: E) -> Self::Output;
}

/// The one table of presets: `None` for a name that is not in it.
fn find<U: Use>(name: &str, what: U) -> Option<U::Output> {
    Some(match name {
        "coreex" => what.with(CoreEx::paper()),
        "coreex-modern" => what.with(CoreEx::modern()),
        "cetd-ds" => what.with(Cetd::cetd_ds()),
        "cetd-ds-modern" => what.with(Cetd::cetd_ds().modern()),
        "cectd-s" => what.with(Cetd::cectd_s()),
        "cectd-s-modern" => what.with(Cetd::cectd_s().modern()),
        "cectd-ds" => what.with(Cetd::cectd_ds()),
        "cectd-ds-modern" => what.with(Cetd::cectd_ds().modern()),
        "contentex" => what.with(ContentEx::paper()),
        "contentex-modern" => what.with(ContentEx::modern()),
        "econ" => what.with(Econ::paper()),
        "econ-modern" => what.with(Econ::modern()),
        "nce" => what.with(Nce::paper()),
        "nce-modern" => what.with(Nce::modern()),
        _ => return None,
    })
}

/// The built-in preset of that name.
pub fn preset(name: &str) -> Option<Preset> {
    struct Build;

    impl Use for Build {
        type Output = Arc<dyn Extractor>;

        fn with<E: Extractor + Serialize + DeserializeOwned + 'static>(self, parameters: E) -> Self::Output {
            Arc::new(parameters)
        }
    }

    find(name, Build).map(|extractor| Preset {
        name: name.to_owned(),
        extractor,
    })
}

/// The parameters of a built-in preset with their values, as a section of the configuration would hold them.
pub fn parameters(name: &str) -> Option<Table> {
    struct Show;

    impl Use for Show {
        type Output = Table;

        fn with<E: Extractor + Serialize + DeserializeOwned + 'static>(self, parameters: E) -> Self::Output {
            // Parameters are plain values under names, which a table always holds.
            Table::try_from(parameters).unwrap_or_default()
        }
    }

    find(name, Show)
}

/// An extractor of the method of a built-in preset, with all of its parameters given; `None` where there is no such
/// preset.
///
/// # Errors
/// A value that the parameter does not take, in words.
pub fn build(base: &str, parameters: Table) -> Option<Result<Arc<dyn Extractor>, String>> {
    struct Rebuild(Table);

    impl Use for Rebuild {
        type Output = Result<Arc<dyn Extractor>, String>;

        fn with<E: Extractor + Serialize + DeserializeOwned + 'static>(self, _: E) -> Self::Output {
            let extractor: E = self
                .0
                .try_into()
                .map_err(|e: toml::de::Error| e.to_string().trim_end().to_owned())?;
            extractor.check()?;
            Ok(Arc::new(extractor))
        }
    }

    find(base, Rebuild(parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_preset_can_be_built_from_its_own_parameters() {
        for name in PRESETS {
            let table = parameters(name).expect("parameters");
            let built = build(name, table).expect("a preset").expect("valid parameters");
            assert_eq!(
                format!("{built:?}"),
                format!("{:?}", preset(name).expect("a preset").extractor)
            );
        }
        assert!(PRESETS.contains(&DEFAULT_PRESET));
        assert!(preset("nothing").is_none());
    }
}
