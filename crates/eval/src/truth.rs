//! Truth files: the main content of pages, one JSON object on each line.
//!
//! | key | |
//! |---|---|
//! | `record_id` | `WARC-Record-ID` of the page, with or without its brackets; required |
//! | `text` | the main content, paragraphs separated by blank lines; required, may be empty |
//! | `url`, `lang`, `page_type`, `title`, `author`, `comments`, `published`, `id` | strings or null; optional |
//! | `html`, `markdown` | the main content with its structure; strings or null; optional |
//!
//! Other keys are ignored. No key may occur twice in a line. Files are plain, gzip or zstd, by their first bytes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Metric, Metrics};
use dehusk_archive::escape;
use dehusk_documents::bounded;
use dehusk_documents::suggestion::nearest;

/// Longest line, in bytes.
const LINE_LIMIT: u64 = 64 << 20;

/// Required keys.
const REQUIRED: [&str; 2] = ["record_id", "text"];

/// Optional keys.
const OPTIONAL: [&str; 10] = [
    "id",
    "url",
    "lang",
    "page_type",
    "title",
    "author",
    "comments",
    "published",
    "html",
    "markdown",
];

/// One line of truth. An absent value is `""`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TruthLine {
    /// The number of its truth file.
    pub file: usize,
    /// The page's `WARC-Record-ID`, without brackets.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// Its language, as in the file.
    pub lang: String,
    /// The type of page, as in the file.
    pub page_type: String,
    /// Its title.
    pub title: String,
    /// Its author.
    pub author: String,
    /// The readers' comments on it.
    pub comments: String,
    /// Its main content.
    pub text: String,
    /// The same as HTML. Only [`Truth::read_for`] keeps it.
    pub html: String,
    /// The same as Markdown. Only [`Truth::read_for`] keeps it.
    pub markdown: String,
}

impl TruthLine {
    /// The host of the page's URL, without `www.`.
    pub fn site(&self) -> String {
        let host = dehusk_metadata::hostname(&self.url);
        host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
    }
}

/// The lines of one or more truth files.
#[derive(Debug, Default)]
pub struct Truth {
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// Their lines, in order.
    pub lines: Vec<TruthLine>,
    by_id: HashMap<String, usize>,
    /// Whether HTML and Markdown are kept.
    keeps_form: bool,
}

/// A mistake in a truth file, with its place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TruthError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", escape::path(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has no line of truth.
    #[error("{}: has no line of truth", escape::path(.path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line is no line of truth.
    #[error("{}:{number}: {message}", escape::path(.path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        number: usize,
        /// The mistake.
        message: String,
    },
    /// No line has the HTML or Markdown that a measure needs.
    #[error(
        "the measure “{metric}” needs the content's form, and no line of truth has a key “html” or “markdown”. \
         Add one of them to the lines, or leave “{metric}” out of --metrics"
    )]
    NoForm {
        /// The name of the measure.
        metric: &'static str,
    },
}

impl Truth {
    /// Reads truth files.
    ///
    /// # Errors
    /// A file cannot be read, has no line, or has a line that is no truth.
    pub fn read(paths: &[PathBuf]) -> Result<Self, TruthError> {
        Self::default().with(paths)
    }

    /// Reads truth files with what some measures need.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), and if no line has what a measure needs.
    pub fn read_for(paths: &[PathBuf], metrics: Metrics) -> Result<Self, TruthError> {
        let Some(metric) = [Metric::Rouge, Metric::Structure].into_iter().find(|m| metrics.has(*m)) else {
            return Self::read(paths);
        };
        let truth = Self {
            keeps_form: true,
            ..Self::default()
        };
        let truth = truth.with(paths)?;
        if truth
            .lines
            .iter()
            .all(|line| line.html.is_empty() && line.markdown.is_empty())
        {
            return Err(TruthError::NoForm { metric: metric.name() });
        }
        Ok(truth)
    }

    fn with(mut self, paths: &[PathBuf]) -> Result<Self, TruthError> {
        let truth = &mut self;
        for path in paths {
            let unreadable = |source| TruthError::Read {
                path: path.clone(),
                source,
            };
            let before = truth.lines.len();
            let reader = open(path).map_err(unreadable)?;
            truth.files.push(path.clone());
            for (number, line) in (1..).zip(bounded::lines(reader, LINE_LIMIT)) {
                let line = line.map_err(unreadable)?;
                truth.add(&line).map_err(|message| TruthError::Line {
                    path: path.clone(),
                    number,
                    message,
                })?;
            }
            if truth.lines.len() == before {
                return Err(TruthError::Empty { path: path.clone() });
            }
        }
        Ok(self)
    }

    /// The line of a record, by the record's id without brackets.
    pub fn find(&self, record_id: &str) -> Option<usize> {
        self.by_id.get(record_id).copied()
    }

    /// Adds a line of a file. Returns whether it was more than white space.
    pub(super) fn add(&mut self, line: &[u8]) -> Result<bool, String> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Ok(false);
        }
        let mut object = object(line)?;
        let mut line = TruthLine {
            file: self.files.len().saturating_sub(1),
            record_id: required(&mut object, REQUIRED[0])?,
            text: required(&mut object, REQUIRED[1])?,
            ..TruthLine::default()
        };
        line.record_id = line.record_id.trim_matches(['<', '>']).to_owned();
        if line.record_id.is_empty() {
            return Err("“record_id” is empty".to_owned());
        }
        for key in OPTIONAL {
            let value = match object.remove(key) {
                None | Some(Value::Null) => continue,
                Some(Value::String(value)) => value,
                Some(other) => return Err(format!("“{key}” takes a string or null, not {}", kind(&other))),
            };
            match key {
                "url" => line.url = value,
                "lang" => line.lang = value,
                "page_type" => line.page_type = value,
                "title" => line.title = value,
                "author" => line.author = value,
                "comments" => line.comments = value,
                "html" if self.keeps_form => line.html = value,
                "markdown" if self.keeps_form => line.markdown = value,
                // No measure that was asked for uses it.
                _ => {}
            }
        }
        if self.by_id.insert(line.record_id.clone(), self.lines.len()).is_some() {
            return Err(format!("“record_id” {} is in an earlier line too", line.record_id));
        }
        self.lines.push(line);
        Ok(true)
    }
}

/// The object of a line. No key may occur twice, since JSON does not define which value counts.
fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    let no_json = |e: serde_json::Error| format!("is no JSON: {e}; a line is an object with “record_id” and “text”");
    if line.starts_with(b"WARC/") {
        return Err("is a record of an archive; --truth takes JSON lines with “record_id” and “text”".to_owned());
    }
    if line.first() != Some(&b'{') {
        let value: Value = serde_json::from_slice(line).map_err(no_json)?;
        return Err(format!("is {}, not an object", kind(&value)));
    }
    let Keys { object, repeated } = serde_json::from_slice(line).map_err(no_json)?;
    match repeated {
        Some(key) => Err(format!("“{}” occurs twice", escape::terminal(&key))),
        None => Ok(object),
    }
}

/// An object, with its first repeated key.
struct Keys {
    object: Map<String, Value>,
    /// A key that occurs twice.
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeysVisitor;
        impl<'de> Visitor<'de> for KeysVisitor {
            type Value = Keys;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Keys, A::Error> {
                let (mut object, mut repeated) = (Map::new(), None);
                while let Some((key, value)) = entries.next_entry::<String, Value>()? {
                    if object.contains_key(&key) {
                        repeated.get_or_insert(key);
                    } else {
                        object.insert(key, value);
                    }
                }
                Ok(Keys { object, repeated })
            }
        }
        deserializer.deserialize_map(KeysVisitor)
    }
}

fn required(object: &mut Map<String, Value>, key: &str) -> Result<String, String> {
    match object.remove(key) {
        Some(Value::String(value)) => Ok(value),
        Some(other) => Err(format!("“{key}” takes a string, not {}", kind(&other))),
        None => {
            let unknown = |k: &&str| !REQUIRED.contains(k) && !OPTIONAL.contains(k);
            let mut others = object.keys().map(String::as_str).filter(unknown).peekable();
            let hint = match others.peek() {
                Some(_) => nearest(key, others).replace("valid are", "there are"),
                None => String::new(),
            };
            Err(format!("“{key}” is missing{hint}"))
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Opens a file and undoes its compression.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut magic = Vec::with_capacity(4);
    file.by_ref().take(4).read_to_end(&mut magic)?;
    let whole = io::Cursor::new(magic.clone()).chain(file);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(whole))),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(BufReader::new(zstd::Decoder::with_buffer(whole)?)),
        _ => Box::new(whole),
    })
}
