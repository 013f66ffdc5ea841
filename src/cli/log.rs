//! What `run` says on standard error: lines for people, or one JSON object a line.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::output::say;

/// The form of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object on each line
    Json,
}

/// Writes an event as JSON: its time, its level, its name, and what belongs to it.
pub(super) fn event(level: &str, name: &str, fields: Value) {
    let mut line = Map::new();
    line.insert("time".into(), now().into());
    line.insert("level".into(), level.into());
    line.insert("event".into(), name.into());
    if let Value::Object(fields) = fields {
        line.extend(fields);
    }
    say(Value::Object(line));
}

/// The time in UTC, such as `2026-11-22T20:33:05Z`.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    dehusk_archive::calendar::iso_date(since.map_or(0, |since| since.as_secs()))
}
