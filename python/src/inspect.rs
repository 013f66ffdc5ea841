//! `inspect()`: the records of an archive, and what a run makes of them.

use std::path::PathBuf;
use std::sync::Arc;

use dehusk::archive::Event;
use dehusk::extract::explain;
use dehusk::input::open_at;
use dehusk::{Processor, Record};
use dehusk_archive::http;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::reader::to_python;
use crate::rows::Rows;
use crate::{config, error, input};

/// List the records of an archive, and what a run makes of them.
///
/// Parameters
/// ----------
/// archive : path, bytes, memoryview or file
///     One archive, as for ``read``.
/// config : mapping or path, optional
///     As for ``read``.
/// offset : int, optional
///     Only the record at this stored offset, with its header and with the reason why each part of its page is kept or
///     not.
/// offset_in_member : int
///     The record's offset in its decoded member or frame.
/// verdicts : bool
///     Whether to process each record as a run does, and report the outcome.
///
/// Returns
/// -------
/// Rows
///     An iterator over dicts, one for each record and each range of skipped bytes. Only the latter have the key
///     ``skipped``.
#[pyfunction]
#[pyo3(signature = (archive, config=None, *, offset=None, offset_in_member=0, verdicts=false))]
pub fn inspect(
    py: Python<'_>,
    archive: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
    offset: Option<u64>,
    offset_in_member: u64,
    verdicts: bool,
) -> PyResult<Rows> {
    let config = config::config(config, None)?;
    let mut inputs = input::archives(&config, archive)?.inputs;
    let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
        return Err(PyValueError::new_err("inspect takes one archive"));
    };
    let name = input.display_name();
    let mut inspector = Inspector {
        processor: Processor::new(&config).map_err(|e| error::config(py, &e))?,
        archive: input.label().to_path_buf(),
        verdicts: verdicts || offset.is_some(),
        in_full: offset.is_some(),
    };
    Rows::start(py, move |rows| {
        let failed = |message: String| {
            let name = name.clone();
            rows.send(move |py| Err(error::archives(py, vec![(name, message)])));
        };
        let opened = match open_at(input, &config, offset) {
            Ok(opened) => opened,
            Err(e) => return failed(e.to_string()),
        };
        let mut records = opened.records();
        let mut is_found = false;
        while let Some(event) = records.next_event() {
            let row = match &event {
                Event::Record(record) if offset.is_some_and(|offset| record.offset > offset) => break,
                Event::Record(record) => {
                    let place = (record.offset, record.offset_in_member);
                    if offset.is_some_and(|offset| place != (offset, offset_in_member)) {
                        continue;
                    }
                    inspector.row(record)
                }
                Event::Skipped(skipped) => {
                    if offset.is_some_and(|offset| skipped.offset != offset || skipped.is_inside()) {
                        continue;
                    }
                    let reason = skipped.reason;
                    json!({
                        "offset": skipped.offset, "length": skipped.length(),
                        "skipped": reason.name(), "reason": reason.sentence(),
                    })
                }
            };
            is_found = true;
            let row = Arc::new(row);
            if !rows.send(move |py| to_python(py, &*row)) || offset.is_some() {
                return;
            }
        }
        if let Some(e) = records.take_error() {
            failed(format!("{name}: cannot be read on: {e}"));
        } else if let (Some(offset), false) = (offset, is_found) {
            failed(format!(
                "{name}: no record starts at offset {offset}+{offset_in_member}"
            ));
        }
    })
}

/// Makes rows of records.
struct Inspector {
    processor: Processor,
    archive: PathBuf,
    /// Whether records are processed.
    verdicts: bool,
    /// Whether rows have headers, documents and explanations.
    in_full: bool,
}

impl Inspector {
    fn row(&mut self, record: &Record<'_>) -> Value {
        let head = http::parse_head(&record.block);
        let mut row = Map::new();
        let header = &record.header;
        let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
        put("offset", record.offset.into());
        put("offset_in_member", record.offset_in_member.into());
        put("length", record.stored_length.into());
        put("type", header.record_type.to_string().into());
        put("id", header.id().into());
        put("date", header.date().into());
        put("url", header.url().into());
        put("status", head.as_ref().map(|(head, _)| head.status()).into());
        let mime = head.as_ref().and_then(|(head, _)| head.mime());
        put(
            "mime",
            mime.unwrap_or_else(|| header.content_type().into_owned()).into(),
        );
        put("notes", record.notes.iter().map(|note| note.name()).collect());
        put("failure", record.failure.map(|fault| fault.name()).into());
        if !self.verdicts {
            return row.into();
        }
        let document = self.processor.record(record, &self.archive);
        let (outcome, reason, rule) = match &document {
            Ok(_) => ("emitted", None, None),
            Err(dropped) => (dropped.outcome(), Some(dropped.reason()), dropped.rule()),
        };
        put("outcome", outcome.into());
        put("reason", reason.into());
        put("rule", rule.into());
        if self.in_full {
            put("header", String::from_utf8_lossy(header.as_bytes()).into());
            put(
                "http_header",
                head.map(|(_, body)| String::from_utf8_lossy(&record.block[..body]))
                    .into(),
            );
            let explained = self.processor.analyze_record(record, &self.archive, explain::json);
            let lines = explained.ok().flatten().unwrap_or_default();
            let lines = lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap_or(Value::Null));
            put("explanation", lines.collect());
            put("document", serde_json::to_value(document.ok()).unwrap_or(Value::Null));
        }
        row.into()
    }
}
