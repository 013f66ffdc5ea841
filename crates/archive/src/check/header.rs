//! The rules of a WARC header: its lines, and the fields that it has and lacks.

use super::fields::{FIELDS, Field, Form, MANDATORY, REPEATABLE, position};
use super::forms::{broken, is_of_token};
use super::rule::{Rule, Severity};
use crate::header::Header;
use crate::record_type::RecordType;

/// Most findings of a kind of line in one header. A header of 64 KiB can have as many lines.
const MOST_LINES: usize = 4;

/// Checks a header.
pub(super) fn check(header: &Header, found: &mut Vec<(Rule, String)>) {
    match header.version() {
        "1.0" | "1.1" => {}
        draft @ ("0.17" | "0.18") => found.push((Rule::DraftVersion, draft.to_owned())),
        version => found.push((Rule::Version, version.to_owned())),
    }
    lines(header.as_bytes(), found);
    fields(header, found);
}

/// Checks the lines of a header block.
fn lines(block: &[u8], found: &mut Vec<(Rule, String)>) {
    let mut add = |rule: Rule, line: &[u8]| {
        if found.iter().filter(|(known, _)| *known == rule).count() < MOST_LINES {
            found.push((rule, String::from_utf8_lossy(line).trim_end().to_owned()));
        }
    };
    for (number, line) in block.split_inclusive(|b| *b == b'\n').enumerate() {
        let Some(content) = line.strip_suffix(b"\r\n") else {
            add(Rule::HeaderLineEnd, line);
            continue;
        };
        if number > 0 && !content.is_empty() {
            line_of_field(content, &mut add);
        }
    }
    let bare = block.split_inclusive(|b| *b == b'\n').skip(1);
    for content in bare.filter_map(|line| line.strip_suffix(b"\n").filter(|line| !line.ends_with(b"\r"))) {
        if !content.is_empty() {
            line_of_field(content, &mut add);
        }
    }
}

/// Checks a line of a field, without its end.
fn line_of_field(line: &[u8], add: &mut impl FnMut(Rule, &[u8])) {
    let is_text = |value: &[u8]| {
        std::str::from_utf8(value).is_ok_and(|text| !text.contains(|c: char| c != '\t' && c.is_control()))
    };
    if matches!(line[0], b' ' | b'\t') {
        if !is_text(line) {
            add(Rule::HeaderEncoding, line);
        }
        return;
    }
    match memchr::memchr(b':', line) {
        None | Some(0) => add(Rule::HeaderLine, line),
        Some(colon) => {
            if !line[..colon].iter().all(|b| is_of_token(*b)) {
                add(Rule::HeaderName, line);
            }
            if !is_text(&line[colon + 1..]) {
                add(Rule::HeaderEncoding, line);
            }
        }
    }
}

/// Checks the fields that the standard defines.
fn fields(header: &Header, found: &mut Vec<(Rule, String)>) {
    let mut counts = [0_u32; FIELDS.len()];
    let mut values = [0_u32; FIELDS.len()];
    for (name, value) in header.fields() {
        let Some(at) = position(name.trim()) else { continue };
        let field = &FIELDS[at];
        counts[at] += 1;
        if counts[at] == 2 && field.name != REPEATABLE {
            found.push((Rule::DuplicateField, field.name.to_owned()));
        }
        let value = String::from_utf8_lossy(value);
        let value = value.trim();
        if value.is_empty() {
            if at >= MANDATORY && !field.is_required_in(&header.record_type) {
                found.push((Rule::EmptyField, field.name.to_owned()));
            }
            continue;
        }
        values[at] += 1;
        if let Some(rule) = broken(field.form, value, header.version(), &header.record_type) {
            found.push((rule, format!("{}: {value}", field.name)));
        }
        if counts[at] == 1 && field.is_forbidden_in(&header.record_type) {
            found.push((Rule::ForbiddenField, in_type(field, header)));
        }
    }
    for (at, field) in FIELDS.iter().enumerate().filter(|(at, _)| values[*at] == 0) {
        if at < MANDATORY {
            found.push((Rule::MissingField, field.name.to_owned()));
        } else if field.is_required_in(&header.record_type) {
            found.push((Rule::RequiredField, in_type(field, header)));
        }
    }
}

/// The rule of severity `error` that a field breaks, if it breaks one. `is_repeated` means that the header has it
/// already.
pub(crate) fn judged(name: &str, value: &str, header: &Header, is_repeated: bool) -> Option<Rule> {
    let field = &FIELDS[position(name)?];
    if is_repeated && field.name != REPEATABLE {
        return Some(Rule::DuplicateField);
    }
    if value.is_empty() {
        return Some(Rule::EmptyField);
    }
    if field.is_forbidden_in(&header.record_type) {
        return Some(Rule::ForbiddenField);
    }
    let rule = broken(field.form, value, header.version(), &header.record_type)?;
    (rule.severity() == Severity::Error).then_some(rule)
}

/// The fields with a URI that records of a type must have.
pub(crate) fn required_uris(record_type: &RecordType) -> impl Iterator<Item = &'static str> {
    let required = FIELDS.iter().filter(|field| field.is_required_in(record_type));
    required
        .filter(|field| matches!(field.form, Form::Uri | Form::Profile))
        .map(|field| field.name)
}

fn in_type(field: &Field, header: &Header) -> String {
    format!("{} in a record of type {}", field.name, header.record_type)
}
