//! Groupings: which document is in which group.
//!
//! A file is plain, gzip or zstd, and has a document in each line:
//!
//! - **JSON lines**, as `dehusk cluster` and `dehusk topics` write them: objects with `id`, and `cluster` or `topic`.
//!   `language` is read if it is there. Other keys are ignored.
//! - **A table**: the id, then the group, with a tab or a comma between them. If the first line begins with the field
//!   `id`, it names the columns. A field with a comma can be in quotes, as in RFC 4180.
//!
//! A document whose group is empty or null is in no group.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use crate::truth::open;
use dehusk_archive::escape;
use dehusk_documents::bounded;

/// Longest line, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// The number of a document that is in no group.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// The columns and keys that name a group, the first that is there.
const GROUP: [&str; 2] = ["cluster", "topic"];

/// A mistake in a file of groups, with its place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", escape::path(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has no document.
    #[error("{}: has no document; each line has an id and a group", escape::path(.path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a document with its group.
    #[error("{}:{number}: {message}", escape::path(.path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        number: u64,
        /// The mistake.
        message: String,
    },
    /// No document of a grouping is in the known one.
    #[error(
        "{}: has no document of {}; are both of the same documents? The first ids are “{found_id}” and “{truth_id}”",
        escape::path(.found), escape::path(.truth)
    )]
    Apart {
        /// The known grouping.
        truth: PathBuf,
        /// The other.
        found: PathBuf,
        /// The first id of the known grouping, safe to print.
        truth_id: String,
        /// The first id of the other, safe to print.
        found_id: String,
    },
}

/// A line of a file: a document and its group.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: String,
    /// `""` if it is in none.
    pub(super) group: String,
    /// `""` if the file does not say.
    pub(super) language: String,
}

/// A known grouping, joined with others by [`score`](super::score).
#[derive(Debug)]
pub struct Labels {
    pub(super) path: PathBuf,
    /// The number of each document, by the hash of its id.
    pub(super) numbers: HashMap<u128, u32>,
    /// In the order of the file.
    pub(super) documents: Vec<Known>,
    /// By number.
    pub(super) languages: Vec<String>,
    /// Lines that say again what an earlier line said.
    pub(super) repeated: u64,
    pub(super) first_id: String,
}

/// A document of a known grouping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The number of its group, or [`NO_GROUP`].
    pub(super) group: u32,
    pub(super) language: u16,
    /// The number of its line, from 1.
    pub(super) line: u64,
}

impl Labels {
    /// Reads a known grouping.
    ///
    /// # Errors
    /// The file cannot be read, has no document, has a line of another shape, or has an id in two groups.
    pub fn read(path: &Path) -> Result<Self, LabelsError> {
        let mut labels = Self {
            path: path.to_path_buf(),
            numbers: HashMap::new(),
            documents: Vec::new(),
            languages: Vec::new(),
            repeated: 0,
            first_id: String::new(),
        };
        let mut groups = Numbers::default();
        for_each_line(path, |line, number| labels.add(&line, number, &mut groups))?;
        if labels.documents.is_empty() {
            return Err(LabelsError::Empty {
                path: path.to_path_buf(),
            });
        }
        Ok(labels)
    }

    /// How many documents it has.
    pub fn documents(&self) -> u64 {
        self.documents.len() as u64
    }

    fn add(&mut self, line: &Line, number: u64, groups: &mut Numbers) -> Result<(), String> {
        let language = self.language(&line.language)?;
        let group = groups.number(&line.group)?;
        let next = u32::try_from(self.documents.len()).map_err(|_| "is one document too many: 2^32".to_owned())?;
        let known = *self.numbers.entry(hash(&line.id)).or_insert(next);
        match self.documents.get(known as usize) {
            None => {
                if next == 0 {
                    self.first_id.clone_from(&line.id);
                }
                self.documents.push(Known {
                    group,
                    language,
                    line: number,
                });
            }
            Some(earlier) if (earlier.group, earlier.language) == (group, language) => self.repeated += 1,
            Some(earlier) => return Err(in_two_groups(&line.id, Some(earlier.line))),
        }
        Ok(())
    }

    fn language(&mut self, language: &str) -> Result<u16, String> {
        let place = self.languages.iter().position(|known| known == language);
        let place = place.unwrap_or_else(|| {
            self.languages.push(language.to_owned());
            self.languages.len() - 1
        });
        u16::try_from(place).map_err(|_| "has one language too many: 65,536".to_owned())
    }
}

/// The message for an id that is in two groups.
pub(super) fn in_two_groups(id: &str, earlier: Option<u64>) -> String {
    let id = escape::terminal(id);
    let place = earlier.map_or_else(|| "an earlier line".to_owned(), |line| format!("line {line}"));
    format!("the id “{id}” is in {place} with another group; a document is in one group, so remove one of the lines")
}

/// The hash by which ids and names of groups are known.
pub(super) fn hash(text: &str) -> u128 {
    xxh3_128(text.as_bytes())
}

/// Numbers for the names of groups.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashMap<u128, u32>);

impl Numbers {
    /// The number of a group. [`NO_GROUP`] for `""`.
    pub(super) fn number(&mut self, group: &str) -> Result<u32, String> {
        if group.is_empty() {
            return Ok(NO_GROUP);
        }
        let next = u32::try_from(self.0.len()).unwrap_or(NO_GROUP);
        match *self.0.entry(hash(group)).or_insert(next) {
            NO_GROUP => Err("has one group too many: 2^32 - 1".to_owned()),
            number => Ok(number),
        }
    }
}

/// Visits the documents of a file with the numbers of their lines, from 1. A message of `visit` becomes an error with
/// its place.
pub(super) fn for_each_line(
    path: &Path,
    mut visit: impl FnMut(Line, u64) -> Result<(), String>,
) -> Result<(), LabelsError> {
    let unreadable = |source| LabelsError::Read {
        path: path.to_path_buf(),
        source,
    };
    let reader: Box<dyn BufRead> = open(path).map_err(unreadable)?;
    let mut shape = None;
    for (number, line) in (1..).zip(bounded::lines(reader, LINE_LIMIT)) {
        let line = line.map_err(unreadable)?;
        read_line(&line, &mut shape)
            .and_then(|line| line.map_or(Ok(()), |line| visit(line, number)))
            .map_err(|message| LabelsError::Line {
                path: path.to_path_buf(),
                number,
                message,
            })?;
    }
    Ok(())
}

/// The form of a file's lines.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Json,
    Table(Columns),
}

/// The places of the columns of a table.
#[derive(Clone, Copy, Debug)]
struct Columns {
    separator: char,
    id: usize,
    group: usize,
    language: Option<usize>,
}

/// Reads a line. `None` if it is blank, or the head of a table. The first line that is not blank decides the shape.
fn read_line(line: &[u8], shape: &mut Option<Shape>) -> Result<Option<Line>, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.trim().is_empty() {
        return Ok(None);
    }
    let read = match *shape {
        Some(Shape::Json) => json(line),
        Some(Shape::Table(columns)) => columns.read(line),
        None if line.trim_start().starts_with('{') => {
            *shape = Some(Shape::Json);
            json(line)
        }
        None => {
            let (columns, is_head) = Columns::of(line)?;
            *shape = Some(Shape::Table(columns));
            if is_head {
                return Ok(None);
            }
            columns.read(line)
        }
    };
    let mut read = read?;
    read.id = read.id.trim_matches(['<', '>']).to_owned();
    if read.id.is_empty() {
        return Err("has no id".to_owned());
    }
    Ok(Some(read))
}

/// The keys of an object that are read.
#[derive(Deserialize)]
struct Object {
    id: Option<String>,
    #[serde(default)]
    cluster: Field,
    #[serde(default)]
    topic: Field,
    language: Option<String>,
}

/// A value that may be null, or not be there.
#[derive(Default)]
enum Field {
    #[default]
    Absent,
    Present(Value),
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Field::Present)
    }
}

fn json(line: &str) -> Result<Line, String> {
    let object: Object =
        serde_json::from_str(line).map_err(|e| format!("is not an object with “id”, and “cluster” or “topic”: {e}"))?;
    let id = object.id.ok_or("has no key “id”")?;
    let group = match (object.cluster, object.topic) {
        (Field::Present(group), _) | (Field::Absent, Field::Present(group)) => group,
        (Field::Absent, Field::Absent) => return Err("has neither a key “cluster” nor a key “topic”".to_owned()),
    };
    let group = match group {
        Value::Null => String::new(),
        Value::String(group) => group,
        Value::Number(group) => group.to_string(),
        _ => return Err("its group is neither a string nor a number".to_owned()),
    };
    Ok(Line {
        id,
        group,
        language: object.language.unwrap_or_default(),
    })
}

impl Columns {
    /// The columns of a table with this first line, and whether the line is their head.
    fn of(line: &str) -> Result<(Self, bool), String> {
        let separator = if line.contains('\t') { '\t' } else { ',' };
        let cells = cells(line, separator)?;
        let place = |name: &str| cells.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let mut columns = Self {
            separator,
            id: 0,
            group: 1,
            language: None,
        };
        let is_head = place("id") == Some(0);
        if is_head {
            let group = GROUP.iter().find_map(|name| place(name));
            columns.group = group.ok_or("the head of the table names no column “cluster” or “topic”")?;
            columns.language = place("language");
        }
        Ok((columns, is_head))
    }

    fn read(self, line: &str) -> Result<Line, String> {
        let mut cells = cells(line, self.separator)?;
        if cells.len() <= self.id.max(self.group) {
            let separator = if self.separator == '\t' { "tab" } else { "comma" };
            return Err(format!("has no {separator} between an id and a group"));
        }
        let mut cell = |at: usize| cells.get_mut(at).map(std::mem::take).unwrap_or_default();
        Ok(Line {
            id: cell(self.id),
            group: cell(self.group),
            language: self.language.map(cell).unwrap_or_default(),
        })
    }
}

/// The cells of a line. Only those between commas can be in quotes.
fn cells(line: &str, separator: char) -> Result<Vec<String>, String> {
    if separator == '\t' {
        return Ok(line.split('\t').map(str::to_owned).collect());
    }
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    let mut is_quoted = false;
    while let Some(c) = characters.next() {
        let last = cells.len() - 1;
        match c {
            '"' if is_quoted => {
                is_quoted = characters.next_if_eq(&'"').is_some();
                if is_quoted {
                    cells[last].push('"');
                }
            }
            '"' if cells[last].is_empty() => is_quoted = true,
            c if c == separator && !is_quoted => cells.push(String::new()),
            c => cells[last].push(c),
        }
    }
    if is_quoted {
        return Err("a quoted field does not end".to_owned());
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String, String)>, String> {
        let mut shape = None;
        let mut lines = Vec::new();
        for line in text.split('\n') {
            if let Some(line) = read_line(line.as_bytes(), &mut shape)? {
                lines.push((line.id, line.group, line.language));
            }
        }
        Ok(lines)
    }

    fn line(id: &str, group: &str, language: &str) -> (String, String, String) {
        (id.to_owned(), group.to_owned(), language.to_owned())
    }

    #[test]
    fn tables_with_and_without_a_head_are_read() {
        let expected = vec![line("a", "1", ""), line("b", "", "")];
        assert_eq!(read("a\t1\r\n\nb\t\n").unwrap(), expected);
        assert_eq!(read("a,1\nb,").unwrap(), expected);
        assert_eq!(
            read("ID\tlanguage\ttopic\n<a>\ten\t7\n").unwrap(),
            vec![line("a", "7", "en")]
        );
        assert_eq!(
            read("\"http://x/?a,b\"\"c\",1").unwrap(),
            vec![line("http://x/?a,b\"c", "1", "")]
        );
    }

    #[test]
    fn json_lines_of_clusters_and_topics_are_read() {
        let text = "{\"id\":\"a\",\"cluster\":\"1f\",\"size\":2}\n{\"id\":\"b\",\"topic\":7,\"language\":\"en\"}\n\
                    {\"id\":\"c\",\"topic\":null}";
        let expected = vec![line("a", "1f", ""), line("b", "7", "en"), line("c", "", "")];
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn lines_of_another_shape_are_named() {
        let cases = [
            ("one", "has no comma between an id and a group"),
            ("a\t1\nb", "has no tab between an id and a group"),
            (
                "id,label\na,1",
                "the head of the table names no column “cluster” or “topic”",
            ),
            ("\t1", "has no id"),
            ("\"a,1", "a quoted field does not end"),
            ("{\"id\":\"a\"}", "has neither a key “cluster” nor a key “topic”"),
            ("{\"cluster\":\"a\"}", "has no key “id”"),
            (
                "{\"id\":\"a\",\"topic\":[1]}",
                "its group is neither a string nor a number",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_line_or_a_message(line in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = read_line(&line, &mut None);
        }

        #[test]
        fn quoted_cells_are_read_as_they_were_written(id in "[^\r\n\u{0}]{1,12}", group in "[^\r\n\u{0}]{0,12}") {
            let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
            let written = format!("{},{}", quoted(&id), quoted(&group));
            prop_assert_eq!(cells(&written, ',').unwrap(), vec![id, group]);
        }
    }
}
