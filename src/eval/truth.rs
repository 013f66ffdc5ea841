//! Truth files: what the main content of pages is, one JSON object a line.
//!
//! | key | |
//! |---|---|
//! | `record_id` | `WARC-Record-ID` of the page, with or without its brackets; demanded |
//! | `text` | the main content, paragraphs parted by blank lines; demanded, may be empty |
//! | `url`, `lang`, `page_type`, `title`, `author`, `published`, `id` | strings or null; may be absent |
//!
//! Other keys are passed over; none may stand in a line twice. Files may be plain, gzip or zstd, which their first bytes say.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::config::nearest;
use crate::metadata;

/// Keys that must be there.
const DEMANDED: [&str; 2] = ["record_id", "text"];

/// Keys that may be there.
const KNOWN: [&str; 7] = ["id", "url", "lang", "page_type", "title", "author", "published"];

/// What is known of one page. What the file does not tell is `""`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Which of the truth files it stands in.
    pub file: usize,
    /// The page's `WARC-Record-ID`, without brackets.
    pub record_id: String,
    /// Its URL.
    pub url: String,
    /// Its language, as the file calls it.
    pub lang: String,
    /// What kind of page it is, as the file calls it.
    pub page_type: String,
    /// Its main content.
    pub text: String,
}

impl Line {
    /// The host of the page's URL, without `www.`.
    pub fn site(&self) -> String {
        let host = metadata::hostname(&self.url);
        host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
    }
}

/// The lines of one or more truth files.
#[derive(Debug, Default)]
pub struct Truth {
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// Their lines, in order.
    pub lines: Vec<Line>,
    by_id: HashMap<String, usize>,
}

/// What is wrong with a truth file: the file, the line and the key, in words.
#[derive(Debug)]
pub struct TruthError(pub String);

impl std::fmt::Display for TruthError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TruthError {}

impl Truth {
    /// Reads truth files.
    ///
    /// # Errors
    /// A file cannot be read, holds no line, or a line has not the shape of truth.
    pub fn read(paths: &[PathBuf]) -> Result<Self, TruthError> {
        let mut truth = Self::default();
        for path in paths {
            let name = crate::escape::path(path);
            let unreadable = |e| TruthError(format!("{name}: cannot be read: {e}"));
            let before = truth.lines.len();
            let reader = open(path).map_err(unreadable)?;
            truth.files.push(path.clone());
            for (number, line) in (1..).zip(reader.split(b'\n')) {
                let line = line.map_err(unreadable)?;
                truth
                    .add(&line)
                    .map_err(|what| TruthError(format!("{name}:{number}: {what}")))?;
            }
            if truth.lines.len() == before {
                return Err(TruthError(format!("{name}: holds no line of truth")));
            }
        }
        Ok(truth)
    }

    /// The line of a record, by its id without brackets.
    pub fn find(&self, record_id: &str) -> Option<usize> {
        self.by_id.get(record_id).copied()
    }

    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let mut object = object(line)?;
        let mut line = Line {
            file: self.files.len().saturating_sub(1),
            record_id: demanded(&mut object, DEMANDED[0])?,
            text: demanded(&mut object, DEMANDED[1])?,
            ..Line::default()
        };
        line.record_id = line.record_id.trim_matches(['<', '>']).to_owned();
        if line.record_id.is_empty() {
            return Err("“record_id” is empty".to_owned());
        }
        for key in KNOWN {
            let value = match object.remove(key) {
                None | Some(Value::Null) => continue,
                Some(Value::String(value)) => value,
                Some(other) => return Err(format!("“{key}” takes a string or null, not {}", kind(&other))),
            };
            match key {
                "url" => line.url = value,
                "lang" => line.lang = value,
                "page_type" => line.page_type = value,
                // Known to the format; no measure asks for it.
                _ => {}
            }
        }
        if self.by_id.insert(line.record_id.clone(), self.lines.len()).is_some() {
            return Err(format!("“record_id” {} stands in an earlier line too", line.record_id));
        }
        self.lines.push(line);
        Ok(())
    }
}

/// The keys of an object. JSON leaves open which of two equal ones counts, so none may stand there twice.
fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    let no_json = |e: serde_json::Error| format!("is no JSON: {e}");
    if line.first() != Some(&b'{') {
        let value: Value = serde_json::from_slice(line).map_err(no_json)?;
        return Err(format!("is {}, not an object", kind(&value)));
    }
    let Keys { object, repeated } = serde_json::from_slice(line).map_err(no_json)?;
    match repeated {
        Some(key) => Err(format!("“{}” stands there twice", crate::escape::terminal(&key))),
        None => Ok(object),
    }
}

/// An object as it is written.
struct Keys {
    object: Map<String, Value>,
    /// A key that stands there twice.
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
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
        deserializer.deserialize_map(Reader)
    }
}

fn demanded(object: &mut Map<String, Value>, key: &str) -> Result<String, String> {
    match object.remove(key) {
        Some(Value::String(value)) => Ok(value),
        Some(other) => Err(format!("“{key}” takes a string, not {}", kind(&other))),
        None => {
            let unknown = |k: &&str| !DEMANDED.contains(k) && !KNOWN.contains(k);
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
fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
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
