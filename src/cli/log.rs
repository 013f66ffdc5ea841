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
    time_of(since.map_or(0, |since| since.as_secs()))
}

/// The time so many seconds after 1970.
fn time_of(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years are counted from March, so that a leap day is the last day of a year; 400 years have 146,097 days.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        era * 400 + year + next,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, time) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_164_799, "2024-02-28T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(time_of(seconds), time);
        }
    }
}
