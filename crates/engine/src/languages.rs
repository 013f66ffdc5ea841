//! The language of a document, by the sources of `extract.language_from` in their order.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::config::LanguageSource;
use crate::reason::PageNote;
use dehusk_documents::local;
use dehusk_metadata::language::{self, Language, Model};

/// The sources of a configuration. Copies share the model.
#[derive(Clone, Debug)]
pub struct Languages {
    order: Vec<LanguageSource>,
    model: Option<Arc<LoadedModel>>,
}

/// A model with a hash of its file.
#[derive(Debug)]
struct LoadedModel {
    model: Model,
    digest: u64,
}

/// The labels that a record has from elsewhere; `""` for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageLabels<'a> {
    /// That of the list of offsets.
    pub index: &'a str,
    /// That of the record's header.
    pub header: Cow<'a, str>,
}

impl Languages {
    /// Reads the model, if one is named.
    ///
    /// # Errors
    /// The key, and what is wrong with it.
    pub(crate) fn read(order: &[LanguageSource], model: &str) -> Result<Self, (&'static str, String)> {
        const FROM: &str = "extract.language_from";
        const MODEL: &str = "extract.language_model";
        if order.is_empty() {
            return Err((
                FROM,
                format!("“{FROM}” names no source; the built-in detector is \"text\""),
            ));
        }
        let asks_model = order.contains(&LanguageSource::Model);
        match (asks_model, model) {
            (true, "") => {
                let message = format!("“{FROM}” asks a model; name its file, a .bin or .ftz of fastText, as “{MODEL}”");
                Err((MODEL, message))
            }
            (false, "") => Ok(None),
            (false, _) => {
                let message = format!("“{MODEL}” is asked only if “{FROM}” has \"model\", as in [\"model\", \"text\"]");
                Err((MODEL, message))
            }
            (true, name) => {
                let loaded = LoadedModel::read(Path::new(name));
                let loaded = loaded.map_err(|problem| (MODEL, format!("“{MODEL}”: {name}: {problem}")))?;
                Ok(Some(Arc::new(loaded)))
            }
        }
        .map(|model| Self {
            order: order.to_vec(),
            model,
        })
    }

    /// Whether a source is asked.
    pub(crate) fn ask(&self, source: LanguageSource) -> bool {
        self.order.contains(&source)
    }

    /// Whether other sources than the text and its page are asked, which may know other languages.
    pub(crate) fn have_labels(&self) -> bool {
        self.order.iter().any(|source| *source != LanguageSource::Text)
    }

    /// A hash of the model's file; `""` without one.
    pub(crate) fn model_digest(&self) -> String {
        let digest = |loaded: &Arc<LoadedModel>| format!("{:016x}", loaded.digest);
        self.model.as_ref().map_or_else(String::new, digest)
    }

    /// The language of a text by the first source that knows it, and a note on that source, if it is not the text.
    pub(crate) fn detect(
        &self,
        text: &str,
        claimed: &str,
        labels: &LanguageLabels<'_>,
    ) -> (Language, Option<PageNote>) {
        for source in &self.order {
            let (found, note) = match source {
                LanguageSource::Text => (Some(language::detect(text, claimed)), None),
                LanguageSource::Index => (
                    language::labelled(text, labels.index, 1.0),
                    Some(PageNote::LanguageIndex),
                ),
                LanguageSource::Header => {
                    let found = language::labelled(text, &labels.header, 1.0);
                    (found, Some(PageNote::LanguageHeader))
                }
                LanguageSource::Model => {
                    let found = self.model.as_ref().and_then(|loaded| loaded.model.detect(text));
                    (found, Some(PageNote::LanguageModel))
                }
            };
            if let Some(found) = found.filter(|found| !found.tag.is_empty()) {
                return (found, note);
            }
        }
        (Language::default(), None)
    }
}

impl LoadedModel {
    fn read(path: &Path) -> Result<Self, String> {
        if let Some(remedy) = local::remedy(path) {
            return Err(remedy.to_string());
        }
        let file = File::open(path).map_err(|e| e.to_string())?;
        let mut hashing = Hashing {
            file,
            hasher: Xxh3::new(),
        };
        let model = Model::read(&mut hashing).map_err(|e| e.to_string())?;
        Ok(Self {
            model,
            digest: hashing.hasher.digest(),
        })
    }
}

/// Hashes what is read.
struct Hashing {
    file: File,
    hasher: Xxh3,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        Ok(read)
    }
}
