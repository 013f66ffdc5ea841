//! The tables of parameters in the documentation against the presets' own values.

use serde::Serialize;

/// Checks that the section of a system's parameters has a row for each of them, with the values of both presets, and no
/// row more.
pub fn assert_parameters(page: &str, system: &str, paper: impl Serialize, modern: impl Serialize) {
    let section = page
        .split(&format!("## Parameters of {system}\n"))
        .nth(1)
        .and_then(|rest| rest.split("\n##").next())
        .unwrap();
    let (paper, modern) = (
        toml::Table::try_from(paper).unwrap(),
        toml::Table::try_from(modern).unwrap(),
    );
    for (key, value) in &paper {
        let row = section.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("“{key}” is not documented"));
        let values = format!("| `{value}` | `{}` |", modern[key]);
        assert!(row.contains(&values), "{row} does not hold {values}");
    }
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    assert_eq!(rows.count(), paper.len());
}
