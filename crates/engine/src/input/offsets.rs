//! Lists of records to process: tab-separated paths, offsets and lengths; CDX; or CDXJ.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ArchiveInput, InputError, path_of};
use crate::config::Config;
use dehusk_archive::redact::redacted;
use dehusk_documents::bounded;
use dehusk_remote::{RemoteUrl, Settings, read_small};

/// Longest line of a list, in bytes. CDX lines hold URLs.
const LINE_LIMIT: u64 = 1 << 20;

/// Largest list on a server, in bytes.
const REMOTE_LIMIT: u64 = 1 << 30;

/// The columns of a CDX file without a first line that names them, by the number of columns.
const USUAL: [(usize, &str); 2] = [(11, "N b a m s k r M S V g"), (9, "N b a m s k r V g")];

/// The place of a record in an archive.
struct Place {
    archive: PathBuf,
    range: Range<u64>,
}

/// The records of one archive that a list names.
struct Selection {
    archive: PathBuf,
    ranges: Vec<Range<u64>>,
}

/// Which columns of a CDX file tell the place of a record.
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
/// - or a line of a CDX file, whose first line says which columns are the file name (`g`), the offset (`V`) and the
///   length (`S`). Without that, it has the usual 11 or 9 columns;
/// - or a line of a CDXJ file, with the keys `filename`, `offset` and `length`.
///
/// `archives` says where the files are: an archive belongs to a line if it has the same path or, as CDX files often
/// have no folders, the same file name. A line to which none belongs names the archive itself. However a path is
/// spelled, one file is one archive.
///
/// A list on a server is asked for as the section `remote` of the configuration says.
///
/// # Errors
/// The list cannot be read, or a line is of none of these forms.
pub fn from_offsets(config: &Config, list: &Path, archives: &[ArchiveInput]) -> Result<Vec<ArchiveInput>, InputError> {
    let selections = read_list(config, list)?;
    let by_label: HashMap<&Path, &ArchiveInput> = archives.iter().map(|input| (input.label(), input)).collect();
    // A name of several archives belongs to none.
    let mut by_name: HashMap<Option<&OsStr>, Option<&ArchiveInput>> = HashMap::new();
    for input in archives {
        let known = by_name.entry(input.label().file_name());
        known.and_modify(|unique| *unique = None).or_insert(Some(input));
    }
    let by_name = |path: &Path| by_name.get(&path.file_name()).copied().flatten();
    let mut inputs: Vec<(ArchiveInput, Vec<Range<u64>>)> = Vec::new();
    let mut known_files: HashMap<PathBuf, usize> = HashMap::new();
    for Selection { archive, ranges } in selections {
        let input = by_label.get(&*archive).copied().or_else(|| by_name(&archive)).cloned();
        let input = input.unwrap_or_else(|| named_in(list, archive));
        // A list may spell the path of one file in several ways.
        let file = input.path().and_then(|path| path.canonicalize().ok());
        let file = file.unwrap_or_else(|| input.label().to_owned());
        match known_files.get(&file) {
            Some(known) => inputs[*known].1.extend(ranges),
            None => {
                known_files.insert(file, inputs.len());
                inputs.push((input, ranges));
            }
        }
    }
    Ok(inputs
        .into_iter()
        .map(|(input, selected)| input.only(selected))
        .collect())
}

/// Reads a list: the archives in the order in which it names them first, each with its ranges.
///
/// # Errors
/// The list cannot be read, names no archive, or has a line of no known form.
fn read_list(config: &Config, list: &Path) -> Result<Vec<Selection>, InputError> {
    let shown = redacted(list);
    let cannot_read = |source| InputError::List {
        path: shown.to_path_buf(),
        source,
    };
    let file = open(config, list).map_err(cannot_read)?;
    let mut columns = None;
    let mut selections: Vec<Selection> = Vec::new();
    let mut indexes: HashMap<PathBuf, usize> = HashMap::new();
    for (index, line) in bounded::lines(file, LINE_LIMIT).enumerate() {
        let line = line.map_err(cannot_read)?;
        if index == 0 {
            columns = named_columns(&line);
        }
        let is_note = line.trim_ascii().is_empty() || line.starts_with(b"#") || line.starts_with(b"!");
        if is_note || index == 0 && columns.is_some() {
            continue;
        }
        let place = place(&line, columns.as_ref()).ok_or_else(|| InputError::Offsets {
            path: shown.to_path_buf(),
            line: index as u64 + 1,
        })?;
        let index = *indexes.entry(place.archive.clone()).or_insert_with(|| {
            selections.push(Selection {
                archive: place.archive,
                ranges: Vec::new(),
            });
            selections.len() - 1
        });
        selections[index].ranges.push(place.range);
    }
    if selections.is_empty() {
        return Err(InputError::NoArchive);
    }
    Ok(selections)
}

/// The archive of a path that a list names.
fn named_in(list: &Path, path: PathBuf) -> ArchiveInput {
    if let (Some(list), Some(url)) = (RemoteUrl::from_path(list), RemoteUrl::from_path(&path)) {
        return ArchiveInput::remote(url.listed_in(&list));
    }
    ArchiveInput::file(path)
}

/// Opens a list, which may be a remote file.
fn open(config: &Config, list: &Path) -> io::Result<Box<dyn BufRead>> {
    if let Some(url) = RemoteUrl::from_path(list) {
        let text = read_small(&url, REMOTE_LIMIT, &Settings::new(&config.remote, None))?;
        return Ok(Box::new(io::Cursor::new(text)));
    }
    Ok(Box::new(BufReader::new(File::open(list)?)))
}

/// The place that a line tells.
fn place(line: &[u8], columns: Option<&Columns>) -> Option<Place> {
    if let Some(columns) = columns {
        return columns.place(line);
    }
    if line.contains(&b'\t') {
        let mut fields = line.split(|b| *b == b'\t');
        let (archive, offset) = (fields.next()?, fields.next()?);
        return new_place(archive, offset, fields.next().unwrap_or_default());
    }
    if let Some(at) = line.iter().position(|b| *b == b'{') {
        let json: Value = serde_json::from_slice(&line[at..]).ok()?;
        let text = |key: &str| match &json[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        return new_place(
            text("filename").as_bytes(),
            text("offset").as_bytes(),
            text("length").as_bytes(),
        );
    }
    let count = line.split(|b| *b == b' ').count();
    let (_, letters) = USUAL.iter().find(|(columns, _)| *columns == count)?;
    columns_of(letters, ' ')?.place(line)
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
    (!archive.is_empty()).then(|| Place {
        archive: path_of(archive).into_owned(),
        range: start..start.saturating_add(length),
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
