//! The lines of a truth file, and changes of them.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{MARKED, Marked, MarkedPage, Truth};

#[derive(Debug)]
pub(super) struct Line {
    /// Its bytes, without the line break.
    pub(super) bytes: Vec<u8>,
    /// `None` for a line without an object.
    pub(super) page: Option<MarkedPage>,
}

/// A change of the lines. Places count from 0.
#[derive(Debug)]
pub(super) enum Change {
    Insert(usize, Line),
    Replace(usize, Line),
    Remove(usize),
}

impl Change {
    /// The bytes of the file after the change of its lines.
    pub(super) fn bytes_after<'l>(&'l self, lines: &'l [Line]) -> impl Iterator<Item = &'l [u8]> {
        let (at, line, removed) = match self {
            Self::Insert(at, line) => (*at, Some(line), 0),
            Self::Replace(at, line) => (*at, Some(line), 1),
            Self::Remove(at) => (*at, None, 1),
        };
        let after = lines[..at].iter().chain(line).chain(&lines[at + removed..]);
        after.flat_map(|line| [line.bytes.as_slice(), b"\n"])
    }

    /// Makes the change. Returns the one that undoes it.
    pub(super) fn make(self, lines: &mut Vec<Line>) -> Self {
        match self {
            Self::Insert(at, line) => {
                lines.insert(at, line);
                Self::Remove(at)
            }
            Self::Replace(at, line) => Self::Replace(at, std::mem::replace(&mut lines[at], line)),
            Self::Remove(at) => Self::Insert(at, lines.remove(at)),
        }
    }

    /// Makes the change of lines of which only the ids are known. Returns whether it is possible: its place is there,
    /// and no id is there twice.
    pub(super) fn make_of_ids(&self, ids: &mut Vec<Option<String>>) -> bool {
        let place = match self {
            Self::Insert(at, _) if *at <= ids.len() => *at..*at,
            Self::Replace(at, _) | Self::Remove(at) if *at < ids.len() => *at..*at + 1,
            _ => return false,
        };
        let id = match self {
            Self::Insert(_, line) | Self::Replace(_, line) => Some(line.id().map(str::to_owned)),
            Self::Remove(_) => None,
        };
        ids.splice(place, id.clone());
        let is_same = |other: &&Option<String>| other.is_some() && id.as_ref() == Some(other);
        ids.iter().filter(is_same).count() <= 1
    }

    /// The number of bytes that it holds.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Insert(_, line) | Self::Replace(_, line) => {
                line.bytes.len() + line.page.as_ref().map_or(0, |page| page.text.len())
            }
            Self::Remove(_) => 0,
        }
    }
}

impl Line {
    /// Reads a line, of which `truth` has those before.
    pub(super) fn read(bytes: &[u8], truth: &mut Truth) -> Result<Self, String> {
        let is_page = truth.add(bytes)?;
        let page = is_page.then(|| truth.lines.pop()).flatten().map(|line| MarkedPage {
            marked: marked(bytes),
            record_id: line.record_id,
            url: line.url,
            lang: line.lang,
            text: line.text,
        });
        let bytes = bytes.to_vec();
        Ok(Self { bytes, page })
    }

    /// The line of a page. The keys of an earlier line of the page stay, except its content.
    pub(super) fn new(page: MarkedPage, before: Option<&Line>) -> Self {
        let before =
            before.and_then(|line| serde_json::from_slice::<Map<String, Value>>(without_mark(&line.bytes)).ok());
        let mut object = before.unwrap_or_default();
        // They would be the form of another content.
        object.remove("html");
        object.remove("markdown");
        for (key, value) in [
            ("record_id", &page.record_id),
            ("url", &page.url),
            ("lang", &page.lang),
            ("text", &page.text),
        ] {
            let is_known = !value.is_empty() || matches!(key, "record_id" | "text");
            if is_known {
                object.insert(key.to_owned(), json!(value));
            }
        }
        object.insert(MARKED.to_owned(), json!(page.marked));
        Self {
            bytes: Value::Object(object).to_string().into_bytes(),
            page: Some(page),
        }
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.page.as_ref().map(|page| &*page.record_id)
    }
}

/// A line without the byte order mark that the first one may begin with.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// How the page of a line was marked, if it was.
fn marked(line: &[u8]) -> Option<Marked> {
    #[derive(Deserialize)]
    struct Partial {
        marked: Option<Marked>,
    }
    serde_json::from_slice::<Partial>(without_mark(line)).ok()?.marked
}
