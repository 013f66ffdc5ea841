//! The log of `run` on standard error: lines for people, or one JSON object a line.

use serde_json::{Map, Value};

use super::output::say;
use dehusk_documents::clock::now;

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
