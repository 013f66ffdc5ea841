//! Lists of records to process: tab-separated paths, offsets and lengths; CDX; CDXJ; JSONL; or an index in Parquet.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::{ArchiveInput, InputError, SelectedRecords, path_of};
use crate::config::{Config, LanguageSource, lacking};
use dehusk_archive::redact::redacted;
use dehusk_documents::bounded;
use dehusk_documents::condition::ColumnCondition;
use dehusk_documents::record_index::{self, IndexBytes};
use dehusk_documents::suggestion::nearest;
use dehusk_remote::{RemoteUrl, Settings, read_small};

/// Longest line of a list, in bytes. CDX lines hold URLs.
const LINE_LIMIT: u64 = 1 << 20;

/// Largest list on a server, in bytes.
const REMOTE_LIMIT: u64 = 1 << 30;

/// The columns of a CDX file without a first line that names them, by the number of columns.
const USUAL: [(usize, &str); 2] = [(11, "N b a m s k r M S V g"), (9, "N b a m s k r V g")];

/// The names of archive, offset and length in the objects of CDXJ and JSONL, by their writers: CDXJ, Common Crawl's
/// columnar index, and the documents of this program.
const KEYS: [[&str; 3]; 3] = [
    ["filename", "offset", "length"],
    ["warc_filename", "warc_record_offset", "warc_record_length"],
    ["file_path", "warc_offset", "warc_length"],
];

/// The keys of languages in the objects of CDXJ and JSONL: Common Crawl's columnar index, its CDXJ, and documents.
const LANGUAGE_KEYS: [&str; 3] = ["content_languages", "languages", "language"];

/// A list of records: where it is, and which of its records are wanted.
#[derive(Clone, Debug)]
pub struct RecordList<'l> {
    path: &'l Path,
    conditions: Vec<ColumnCondition>,
    base: Option<&'l str>,
}

impl<'l> RecordList<'l> {
    /// A list in a file, or on a server. `conditions` choose among its records by the columns of Parquet and the keys of
    /// CDXJ and JSONL, such as `fetch_mime_detected = application/pdf`; all of them must hold. `base` is the folder or
    /// the address that relative names of archives are below.
    ///
    /// # Errors
    /// A condition is none.
    pub fn new(path: &'l Path, conditions: &[String], base: Option<&'l str>) -> Result<Self, InputError> {
        let parsed = conditions.iter().map(|text| ColumnCondition::parse(text));
        let problem = |problem| InputError::Index {
            path: redacted(path).to_path_buf(),
            problem,
        };
        Ok(Self {
            path,
            conditions: parsed.collect::<Result<_, _>>().map_err(problem)?,
            base,
        })
    }

    fn problem(&self, problem: impl Into<String>) -> InputError {
        InputError::Index {
            path: redacted(self.path).to_path_buf(),
            problem: problem.into(),
        }
    }
}

/// The place of a record in an archive.
struct Place {
    archive: PathBuf,
    range: Range<u64>,
    /// The offset in the decoded member or frame; `None` for all records of it.
    inside: Option<u64>,
    /// The label of its language; `""` for none.
    language: String,
}

/// The records of one archive that a list names.
struct Selection {
    archive: PathBuf,
    records: SelectedRecords,
}

/// The columns of a CDX file with the place of a record.
struct Columns {
    delimiter: char,
    archive: usize,
    offset: usize,
    length: Option<usize>,
}

/// Makes inputs of the records that a list names. Each line is
///
/// - a path, an offset and a length in bytes, separated by tabs; without a length, the record that starts at the
///   offset;
/// - or a line of a CDX file, whose first line states which columns are the file name (`g`), the offset (`V`) and the
///   length (`S`). Without that, it has the usual 11 or 9 columns;
/// - or a line of a CDXJ or JSONL file, with the keys `filename`, `offset` and `length`, or those that Common Crawl's
///   columnar index or documents of this program have;
/// - or a row of a Parquet file, as in Common Crawl's columnar index.
///
/// `archives` has the places of the files: an archive belongs to a line if it has the same path or, as CDX files often
/// have no folders, the same file name. A line to which none belongs names the archive itself. However a path is
/// spelled, one file is one archive.
///
/// A list on a server is asked for as configured in the section `remote`.
///
/// # Errors
/// The list cannot be read, or a line is of none of these forms.
pub fn from_offsets(
    config: &Config,
    list: &RecordList<'_>,
    archives: &[ArchiveInput],
) -> Result<Vec<ArchiveInput>, InputError> {
    let selections = read_list(config, list)?;
    let by_label: HashMap<&Path, &ArchiveInput> = archives.iter().map(|input| (input.label(), input)).collect();
    // A name of several archives belongs to none.
    let mut by_name: HashMap<Option<&OsStr>, Option<&ArchiveInput>> = HashMap::new();
    for input in archives {
        let known = by_name.entry(input.label().file_name());
        known.and_modify(|unique| *unique = None).or_insert(Some(input));
    }
    let by_name = |path: &Path| by_name.get(&path.file_name()).copied().flatten();
    let mut inputs: Vec<(ArchiveInput, SelectedRecords)> = Vec::new();
    let mut known_files: HashMap<PathBuf, usize> = HashMap::new();
    for Selection { archive, records } in selections {
        let input = by_label.get(&*archive).copied().or_else(|| by_name(&archive)).cloned();
        let input = input.unwrap_or_else(|| named_in(list, archive));
        // A list may spell the path of one file in several ways.
        let file = input.path().and_then(|path| path.canonicalize().ok());
        let file = file.unwrap_or_else(|| input.label().to_owned());
        match known_files.get(&file) {
            Some(known) => inputs[*known].1.extend(records),
            None => {
                known_files.insert(file, inputs.len());
                inputs.push((input, records));
            }
        }
    }
    Ok(inputs
        .into_iter()
        .map(|(input, selected)| input.only_records(selected))
        .collect())
}

/// Reads a list: the archives in the order in which it names them first, each with its ranges.
///
/// # Errors
/// The list cannot be read, names no archive, or has a line of no known form.
fn read_list(config: &Config, list: &RecordList<'_>) -> Result<Vec<Selection>, InputError> {
    let mut selections = Selections {
        keeps_languages: config.extract.language_from.contains(&LanguageSource::Index),
        ..Selections::default()
    };
    match open(config, list.path).map_err(|e| cannot_read(list, e))? {
        Opened::Lines(lines) => read_lines(list, lines, &mut selections)?,
        Opened::Parquet(_) if !record_index::IS_BUILT_IN => {
            return Err(list.problem(format!("is Parquet, and {}", lacking("parquet"))));
        }
        Opened::Parquet(bytes) => {
            let with_languages = selections.keeps_languages;
            let mut take = |record: record_index::IndexedRecord| {
                if let Some(mut place) = place_of(record.archive.as_bytes(), record.offset, record.length) {
                    place.language = record.language;
                    selections.add(place);
                }
            };
            record_index::read(bytes, &list.conditions, with_languages, &mut take).map_err(|e| list.problem(e))?;
        }
    }
    if selections.list.is_empty() && !list.conditions.is_empty() {
        return Err(list.problem("no record of it meets the conditions"));
    }
    if selections.list.is_empty() {
        return Err(list.problem("it names no record"));
    }
    Ok(selections.list)
}

fn cannot_read(list: &RecordList<'_>, source: io::Error) -> InputError {
    InputError::List {
        path: redacted(list.path).to_path_buf(),
        source,
    }
}

/// Archives with their ranges, in the order in which they were named first.
#[derive(Default)]
struct Selections {
    list: Vec<Selection>,
    indexes: HashMap<PathBuf, usize>,
    /// Whether the languages of records are asked for.
    keeps_languages: bool,
    /// Every label once.
    labels: HashSet<Arc<str>>,
}

impl Selections {
    fn add(&mut self, place: Place) {
        let list = &mut self.list;
        let index = *self.indexes.entry(place.archive.clone()).or_insert_with(|| {
            list.push(Selection {
                archive: place.archive,
                records: SelectedRecords::default(),
            });
            list.len() - 1
        });
        let records = &mut list[index].records;
        if self.keeps_languages && !place.language.is_empty() {
            let label = match self.labels.get(&*place.language) {
                Some(known) => Arc::clone(known),
                None => {
                    let label: Arc<str> = place.language.into();
                    self.labels.insert(Arc::clone(&label));
                    label
                }
            };
            records
                .languages
                .entry((place.range.start, place.inside))
                .or_insert(label);
        }
        records.add(place.range, place.inside);
    }
}

fn read_lines(list: &RecordList<'_>, lines: Box<dyn BufRead>, selections: &mut Selections) -> Result<(), InputError> {
    let mut columns = None;
    for (index, line) in bounded::lines(lines, LINE_LIMIT).enumerate() {
        let line = line.map_err(|e| cannot_read(list, e))?;
        if index == 0 {
            columns = named_columns(&line);
        }
        let is_note = line.trim_ascii().is_empty() || line.starts_with(b"#") || line.starts_with(b"!");
        if is_note || index == 0 && columns.is_some() {
            continue;
        }
        let no_form = || InputError::Offsets {
            path: redacted(list.path).to_path_buf(),
            line: index as u64 + 1,
        };
        let object = object_of(&line);
        if !list.conditions.is_empty() {
            let Some(object) = &object else {
                return Err(list.problem(format!(
                    "line {}: has no names, so no condition can choose it; CDXJ, JSONL and Parquet have them",
                    index + 1
                )));
            };
            if !list.conditions.iter().all(|condition| holds(condition, object)) {
                continue;
            }
        }
        let place = match &object {
            Some(object) => {
                place_in(object).ok_or_else(|| list.problem(format!("line {}: {}", index + 1, mistake_in(object))))?
            }
            None => place(&line, columns.as_ref()).ok_or_else(no_form)?,
        };
        selections.add(place);
    }
    Ok(())
}

/// Whether a condition holds for the value of its key, of the object itself or of its metadata. It does not for a key
/// that is not there.
fn holds(condition: &ColumnCondition, object: &Value) -> bool {
    let inside = || object.get("metadata")?.get(condition.column());
    match object.get(condition.column()).or_else(inside) {
        Some(Value::String(text)) => condition.holds_for_text(text),
        Some(Value::Number(number)) => condition.holds_for_text(&number.to_string()),
        Some(Value::Bool(value)) => condition.holds_for_text(&value.to_string()),
        _ => false,
    }
}

/// The archive of a path that a list names.
fn named_in(list: &RecordList<'_>, path: PathBuf) -> ArchiveInput {
    if let Some(url) = RemoteUrl::from_path(&path) {
        return ArchiveInput::remote(match RemoteUrl::from_path(list.path) {
            Some(own) => url.listed_in(&own),
            None => url,
        });
    }
    match list.base {
        // The command line names the base, so it is trusted.
        Some(base) if path.is_relative() => {
            let name = path.to_string_lossy();
            ArchiveInput::file(format!("{}/{name}", base.trim_end_matches('/')))
        }
        _ => ArchiveInput::file(path),
    }
}

/// An opened list.
enum Opened {
    Lines(Box<dyn BufRead>),
    Parquet(IndexBytes),
}

/// Opens a list, which may be a remote file.
fn open(config: &Config, list: &Path) -> io::Result<Opened> {
    if let Some(url) = RemoteUrl::from_path(list) {
        let text = read_small(&url, REMOTE_LIMIT, &Settings::new(&config.remote, None))?;
        return Ok(if record_index::is_parquet(&text) {
            Opened::Parquet(IndexBytes::Memory(text))
        } else {
            Opened::Lines(Box::new(io::Cursor::new(text)))
        });
    }
    let mut lines = BufReader::new(File::open(list)?);
    if !record_index::is_parquet(lines.fill_buf()?) {
        return Ok(Opened::Lines(Box::new(lines)));
    }
    let mut file = lines.into_inner();
    file.rewind()?;
    Ok(Opened::Parquet(IndexBytes::File(file)))
}

/// The place in a line.
fn place(line: &[u8], columns: Option<&Columns>) -> Option<Place> {
    if let Some(columns) = columns {
        return columns.place(line);
    }
    if line.contains(&b'\t') {
        let mut fields = line.split(|b| *b == b'\t');
        let (archive, offset) = (fields.next()?, fields.next()?);
        return new_place(archive, offset, fields.next().unwrap_or_default());
    }
    let count = line.split(|b| *b == b' ').count();
    let (_, letters) = USUAL.iter().find(|(columns, _)| *columns == count)?;
    columns_of(letters, ' ')?.place(line)
}

/// The object of a line of CDXJ or JSONL: after the key and the time, which spaces end. Keys and paths can have braces.
fn object_of(line: &[u8]) -> Option<Value> {
    let is_start = |at: &usize| line[*at] == b'{' && line[..*at].last().is_none_or(u8::is_ascii_whitespace);
    let mut starts = (0..line.len()).take_while(|at| line[*at] != b'\t').filter(is_start);
    starts.find_map(|start| serde_json::from_slice(&line[start..]).ok())
}

/// The place in an object or in its metadata.
fn place_in(object: &Value) -> Option<Place> {
    let objects = [Some(object), object.get("metadata")];
    let mut all = objects.into_iter().flatten();
    all.find_map(|object| {
        let text = |key: &str| match &object[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let found = KEYS.iter().find_map(|[archive, offset, length]| {
            new_place(
                text(archive).as_bytes(),
                text(offset).as_bytes(),
                text(length).as_bytes(),
            )
        });
        let language = LANGUAGE_KEYS.iter().find_map(|key| object[key].as_str());
        found.map(|place| Place {
            inside: object["offset_in_member"].as_u64(),
            language: language.unwrap_or_default().to_owned(),
            ..place
        })
    })
}

/// Why an object has no place: the key that is missing or has another value than it must.
fn mistake_in(object: &Value) -> String {
    let objects = [Some(object), object.get("metadata")];
    for object in objects.into_iter().flatten() {
        let found = KEYS.iter().find(|[archive, ..]| object.get(archive).is_some());
        let Some([archive, offset, length]) = found else {
            continue;
        };
        if object[archive].as_str().is_none_or(str::is_empty) {
            return format!("“{archive}” is {}; it takes the name of an archive", object[archive]);
        }
        let own = || {
            object
                .as_object()
                .into_iter()
                .flat_map(|own| own.keys().map(String::as_str))
        };
        return match (object.get(offset), object.get(length)) {
            (None, _) => format!("“{offset}” is missing{}", nearest(offset, own())),
            (Some(value), _) if !is_number(value) => {
                format!("“{offset}” is {value}; it takes whole numbers from 0 on")
            }
            (_, value) => {
                let value = value.unwrap_or(&Value::Null);
                format!("“{length}” is {value}; it takes whole numbers from 0 on, or nothing")
            }
        };
    }
    let known = KEYS.map(|[archive, ..]| archive);
    let own = object.as_object().into_iter().flat_map(|own| own.keys());
    let hint = own.map(|own| nearest(own, known)).find(|hint| !hint.is_empty());
    let hint = hint.unwrap_or_default();
    format!("none of the keys “{}” names the archive{hint}", known.join("”, “"))
}

/// Whether a value is an offset, as a number or as text.
fn is_number(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().parse::<u64>().is_ok(),
        value => value.as_u64().is_some(),
    }
}

impl Columns {
    fn place(&self, line: &[u8]) -> Option<Place> {
        let fields: Vec<&[u8]> = line.split(|b| char::from(*b) == self.delimiter).collect();
        let length = self.length.and_then(|column| fields.get(column)).copied();
        new_place(
            fields.get(self.archive)?,
            fields.get(self.offset)?,
            length.unwrap_or_default(),
        )
    }
}

fn new_place(archive: &[u8], offset: &[u8], length: &[u8]) -> Option<Place> {
    let number = |bytes: &[u8]| std::str::from_utf8(bytes.trim_ascii()).ok()?.parse::<u64>().ok();
    let start = number(offset)?;
    let length = match length.trim_ascii() {
        b"" | b"-" => 1,
        length => number(length)?.max(1),
    };
    place_of(archive, start, length)
}

fn place_of(archive: &[u8], start: u64, length: u64) -> Option<Place> {
    (!archive.is_empty()).then(|| Place {
        archive: path_of(archive).into_owned(),
        range: start..start.saturating_add(length.max(1)),
        inside: None,
        language: String::new(),
    })
}

/// The columns that the first line of a CDX file names. It begins with what parts them.
fn named_columns(line: &[u8]) -> Option<Columns> {
    let line = std::str::from_utf8(line).ok()?;
    let delimiter = line.chars().next().filter(char::is_ascii)?;
    let letters = line[1..].strip_prefix("CDX")?.strip_prefix(delimiter)?;
    columns_of(letters.trim_end(), delimiter)
}

fn columns_of(letters: &str, delimiter: char) -> Option<Columns> {
    let column = |letter: &str| letters.split(delimiter).position(|name| name == letter);
    Some(Columns {
        delimiter,
        archive: column("g")?,
        offset: column("V")?,
        length: column("S"),
    })
}
