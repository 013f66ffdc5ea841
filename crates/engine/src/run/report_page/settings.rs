//! The settings of a run, on its page.

use serde_json::Value;

use super::super::report::Report;
use crate::config::Config;
use dehusk_web::{escape, table};

/// The settings that are not the defaults, and all of them to be unfolded.
pub(super) fn settings(report: &Report, body: &mut String) {
    let (mut settings, mut defaults) = (Vec::new(), Vec::new());
    // A configuration always has a form in JSON.
    let of = |config: &Config| serde_json::to_value(config).unwrap_or_default();
    flatten(String::new(), &of(&report.config), &mut settings);
    flatten(String::new(), &of(&Config::default()), &mut defaults);
    let default = |key: &str| defaults.iter().find(|(known, _)| known == key).map(|(_, value)| value);
    let changed: Vec<Vec<String>> = settings
        .iter()
        .filter(|(key, value)| default(key) != Some(value))
        .map(|(key, value)| {
            let default = default(key).map_or("", String::as_str);
            vec![escape(key), code(value), code(default)]
        })
        .collect();
    body.push_str("<h2>Settings</h2>\n");
    if changed.is_empty() {
        body.push_str("<p>All settings are the defaults.</p>\n")
    } else {
        body.push_str(&table(&["setting", "value", "default"], &changed))
    }
    let all: Vec<Vec<String>> = settings
        .iter()
        .map(|(key, value)| vec![escape(key), code(value)])
        .collect();
    body.push_str(&format!(
        "<details><summary>All settings</summary>\n{}</details>\n",
        table(&["setting", "value"], &all)
    ));
}

fn code(value: &str) -> String {
    format!("<code>{}</code>", escape(value))
}

/// Adds the keys of a configuration with their values, such as `select.min_words` and `5`.
fn flatten(key: String, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, value) in map {
                let key = match key.as_str() {
                    "" => name.clone(),
                    section => format!("{section}.{name}"),
                };
                flatten(key, value, out);
            }
        }
        value => out.push((key, value.to_string())),
    }
}
