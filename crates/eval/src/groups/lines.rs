//! The lines of a file of groups.
//!
//! A file is plain, gzip or zstd, and has a document in each line:
//!
//! - **JSON lines**, as `dehusk cluster` and `dehusk topics` write them: objects with `id`, and `cluster` or `topic`.
//!   `language` is read if it is there. Other keys are ignored.
//! - **A table**: the id, then the group, with a tab or a comma between them. The first line can name the columns, with
//!   one of the usual names for each. A field with a comma can be in quotes, as in RFC 4180.
//!
//! A file with both clusters and topics is read by what is measured.
//!
//! A document whose group is empty or null is in no group.

use std::io::BufRead;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::labels::LabelsError;
use super::score::Kind;
use crate::truth::open;
use dehusk_documents::bounded;

/// Longest line, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

/// The columns that name a document, and those that name a group.
const ID: [&str; 8] = [
    "id",
    "doc_id",
    "docid",
    "document_id",
    "document",
    "text_id",
    "record_id",
    "story_id",
];
const CLUSTER: [&str; 2] = ["cluster", "cluster_id"];
const TOPIC: [&str; 2] = ["topic", "topic_id"];

/// A line of a file: a document and its group.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: String,
    /// `""` if it is in none.
    pub(super) group: String,
    /// `""` if the file does not state it.
    pub(super) language: String,
}

/// Visits the documents of a file with their groups of a kind and the numbers of their lines, from 1. A message of `visit` becomes an error with
/// its place.
pub(super) fn for_each_line(
    path: &Path,
    kind: Kind,
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
        read_line(&line, kind, &mut shape)
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
fn read_line(line: &[u8], kind: Kind, shape: &mut Option<Shape>) -> Result<Option<Line>, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.trim().is_empty() {
        return Ok(None);
    }
    let read = match *shape {
        Some(Shape::Json) => json(line, kind),
        Some(Shape::Table(columns)) => columns.read(line),
        None if line.trim_start().starts_with('{') => {
            *shape = Some(Shape::Json);
            json(line, kind)
        }
        None => {
            let (columns, is_head) = Columns::of(line, kind)?;
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

fn json(line: &str, kind: Kind) -> Result<Line, String> {
    let object: Object =
        serde_json::from_str(line).map_err(|e| format!("is not an object with “id”, and “cluster” or “topic”: {e}"))?;
    let id = object.id.ok_or("has no key “id”")?;
    let groups = match kind {
        Kind::Clusters => (object.cluster, object.topic),
        Kind::Topics => (object.topic, object.cluster),
    };
    let group = match groups {
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
    fn of(line: &str, kind: Kind) -> Result<(Self, bool), String> {
        let separator = if line.contains('\t') { '\t' } else { ',' };
        let cells = cells(line, separator)?;
        let place = |name: &&str| cells.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let groups = match kind {
            Kind::Clusters => [CLUSTER, TOPIC].concat(),
            Kind::Topics => [TOPIC, CLUSTER].concat(),
        };
        let (id, group) = (ID.iter().find_map(place), groups.iter().find_map(place));
        let mut columns = Self {
            separator,
            id: 0,
            group: 1,
            language: None,
        };
        // Otherwise these words are what the first document and its group are called.
        let is_head = match (id, group) {
            (Some(id), Some(group)) => {
                (columns.id, columns.group) = (id, group);
                columns.language = place(&"language");
                true
            }
            (Some(0), None) if place(&"id") == Some(0) => {
                return Err("the head of the table names no column “cluster” or “topic”".to_owned());
            }
            (None, Some(1..)) => {
                return Err(format!(
                    "looks like a head that names no column of ids: name it “{}”, or delete the line",
                    ID[0]
                ));
            }
            _ => false,
        };
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
        read_as(Kind::Clusters, text)
    }

    fn read_as(kind: Kind, text: &str) -> Result<Vec<(String, String, String)>, String> {
        let mut shape = None;
        let mut lines = Vec::new();
        for line in text.split('\n') {
            if let Some(line) = read_line(line.as_bytes(), kind, &mut shape)? {
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
    fn a_head_can_have_other_usual_names_in_any_order() {
        for head in ["doc_id\tcluster", "Document\tcluster_id", "text_id\ttopic"] {
            assert_eq!(
                read(&format!("{head}\na\t1")).unwrap(),
                vec![line("a", "1", "")],
                "{head}"
            );
        }
        assert_eq!(read("cluster,doc_id\n1,a").unwrap(), vec![line("a", "1", "")]);
        // A document can be called so.
        assert_eq!(read("document\t1").unwrap(), vec![line("document", "1", "")]);
    }

    #[test]
    fn the_kind_decides_between_clusters_and_topics() {
        let table = "id,cluster,topic\na,1,2";
        let json = "{\"id\":\"a\",\"cluster\":1,\"topic\":2}";
        for text in [table, json] {
            assert_eq!(
                read_as(Kind::Clusters, text).unwrap(),
                vec![line("a", "1", "")],
                "{text}"
            );
            assert_eq!(read_as(Kind::Topics, text).unwrap(), vec![line("a", "2", "")], "{text}");
        }
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
            (
                "name\ttopic\na\t1",
                "looks like a head that names no column of ids: name it “id”, or delete the line",
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
            let _ = read_line(&line, Kind::Topics, &mut None);
        }

        #[test]
        fn quoted_cells_are_read_as_they_were_written(id in "[^\r\n\u{0}]{1,12}", group in "[^\r\n\u{0}]{0,12}") {
            let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
            let written = format!("{},{}", quoted(&id), quoted(&group));
            prop_assert_eq!(cells(&written, ',').unwrap(), vec![id, group]);
        }
    }
}
