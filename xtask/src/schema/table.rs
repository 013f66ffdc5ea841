//! The table of fields in `docs/documents.md`.

use std::error::Error;
use std::fmt::Write;

use dehusk::schema::FIELDS;

/// Words in the meaning of a field that are a link in the page: the field, the words, the target.
const LINKS: &[(&str, &str, &str)] = &[
    (
        "version",
        "hash of the configuration",
        "configuration.md#the-configuration-hash",
    ),
    ("version", "number of the schema", "#stability"),
    ("file_path", "written as `\\xNN`", "ledger.md#names"),
    ("score", "mean something else", "extractors.md#what-a-score-means"),
    ("flags", "notes", "ledger.md#notes"),
];

/// The table, without a line end.
pub fn table() -> Result<String, Box<dyn Error>> {
    let mut table = String::from("| key | type | null | only with | meaning |\n|---|---|---|---|---|\n");
    for field in FIELDS {
        let unit = field.unit().map(|unit| format!(", {unit}")).unwrap_or_default();
        let mut meaning = field.meaning().to_owned();
        for (_, words, target) in LINKS.iter().filter(|(name, ..)| *name == field.name()) {
            let start = meaning.find(words).ok_or_else(|| {
                format!(
                    "the meaning of {} does not say “{words}”, which is a link",
                    field.name()
                )
            })?;
            meaning.replace_range(start..start + words.len(), &format!("[{words}]({target})"));
        }
        let group = field
            .group()
            .map(|group| format!("`{}`", group.setting().replace(" and ", "` and `")));
        writeln!(
            table,
            "| `{}` | {}{unit} | {} | {} | {} |",
            field.key(),
            field.field_type().name(),
            if field.is_nullable() { "yes" } else { "" },
            group.unwrap_or_default(),
            cell(&meaning)
        )?;
    }
    table.push_str(
        "| `text_NAME` | string | | several extractors | The text that preset `NAME` selected: one key for each \
         preset after the first, sorted by name, after `metadata`. May be empty. |",
    );
    Ok(table)
}

/// Text that does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
