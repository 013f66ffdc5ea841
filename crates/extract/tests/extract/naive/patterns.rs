//! The built-in patterns, each tried on each text.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use toml::{Table, Value};

/// The patterns by kind.
pub struct Patterns {
    pub statement: Vec<Regex>,
    pub time: Regex,
    pub ip: Regex,
    pub colon: Vec<Regex>,
    pub copyright: Vec<Regex>,
}

pub static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let file: Table = include_str!("../../../src/strip/patterns.toml").parse().unwrap();
    let each = |kind: &str| {
        let mut all = Vec::new();
        strings(&file[kind], &mut all);
        all
    };
    // A time may have parts that are times themselves, so all are one pattern, and the first that fits counts.
    let any = |kind: &str| {
        compiled(
            &each(kind)
                .iter()
                .map(|p| format!("(?:{p})"))
                .collect::<Vec<_>>()
                .join("|"),
        )
    };
    Patterns {
        statement: statements(&file),
        time: any("time"),
        ip: any("ip"),
        colon: each("colon").iter().map(|pattern| compiled(pattern)).collect(),
        copyright: each("copyright").iter().map(|pattern| compiled(pattern)).collect(),
    }
});

fn statements(file: &Table) -> Vec<Regex> {
    let mut all = Vec::new();
    strings(&file["statement"], &mut all);
    all.iter().map(|pattern| compiled(pattern)).collect()
}

/// All strings in a value, in the order of the names around them.
fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(string) => all.push(string.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, all)),
        Value::Table(table) => table.values().for_each(|value| strings(value, all)),
        other => panic!("{other}"),
    }
}

/// Letter case does not matter, and a border is that of ASCII letters and digits.
fn compiled(pattern: &str) -> Regex {
    let pattern = pattern.replace(r"\b", r"(?-u:\b)");
    RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap()
}
