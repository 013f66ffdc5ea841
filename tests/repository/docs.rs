//! The documentation against the code: reasons, configuration keys, document keys, examples, links.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dehusk::Config;
use dehusk::report::{Failed, Filtered, Note};
use dehusk::schema::{FIELDS, Field};
use dehusk_archive::check::{Rule, Severity};
use dehusk_engine::config::Rules;
use dehusk_extract::CoreEx;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The part of a page under a heading, up to the next heading of the same or a higher rank.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let start = page
        .find(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no heading “{heading}”"))
        + heading.len()
        + 2;
    let rank = heading.chars().take_while(|c| *c == '#').count();
    let is_next = |line: &str| {
        let hashes = line.chars().take_while(|c| *c == '#').count();
        (1..=rank).contains(&hashes) && line[hashes..].starts_with(' ')
    };
    let mut end = start;
    for line in page[start..].split_inclusive('\n') {
        if is_next(line) {
            break;
        }
        end += line.len();
    }
    &page[start..end]
}

/// The cells of the table rows whose first cell is code, with that code as the first cell.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"))
        .map(|line| {
            let (name, rest) = line.split_once('`').expect("a closed code span");
            let cells = rest.trim_start_matches(" | ").split(" | ");
            std::iter::once(name).chain(cells).map(str::to_owned).collect()
        })
        .collect()
}

fn assert_reasons(heading: &str, reasons: &[(&str, &str)]) {
    let ledger = page("docs/ledger.md");
    let rows = rows(section(&ledger, heading));
    assert_eq!(rows.len(), reasons.len(), "{heading} has other reasons than the code");
    for (row, (name, sentence)) in rows.iter().zip(reasons) {
        assert_eq!((row[0].as_str(), row[1].as_str()), (*name, *sentence), "{heading}");
    }
}

#[test]
fn every_reason_is_in_the_ledger_page_with_its_sentence() {
    assert_reasons(
        "### Filtered",
        &Vec::from_iter(Filtered::ALL.iter().map(|r| (r.name(), r.sentence()))),
    );
    assert_reasons(
        "### Failed",
        &Vec::from_iter(Failed::all().map(|r| (r.name(), r.sentence()))),
    );
    assert_reasons(
        "### Notes",
        &Vec::from_iter(Note::all().map(|r| (r.name(), r.sentence()))),
    );
}

#[test]
fn every_rule_of_check_is_in_its_page_with_its_severity_and_section() {
    let text = page("docs/check.md");
    for severity in Severity::ALL {
        let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
        for rule in Rule::ALL.iter().filter(|rule| rule.severity() == severity) {
            let section = rule.section().trim_start_matches("ISO 28500, ");
            match sections.iter_mut().find(|(known, _)| *known == section) {
                Some((_, rules)) => rules.push(rule.name()),
                None => sections.push((section, vec![rule.name()])),
            }
        }
        let listed = sections
            .iter()
            .map(|(section, rules)| format!("`{}` ({section})", rules.join("` `")));
        let cell = listed.collect::<Vec<_>>().join("; ");
        let row = text.lines().find(|line| line.starts_with(&format!("| {severity} | ")));
        assert!(row.expect("a row").ends_with(&format!(" | {cell} |")), "{cell}");
    }
}

#[test]
fn every_configuration_key_is_in_its_page_with_its_default() {
    let text = page("docs/configuration.md");
    let documented = rows(section(&text, "## Keys"));
    let mut known = BTreeSet::new();
    for (section, keys) in toml::Table::try_from(Config::default()).expect("a table") {
        for (key, default) in keys.as_table().expect("a section") {
            let key = format!("{section}.{key}");
            let row = documented.iter().find(|row| row[0] == key);
            let row = row.unwrap_or_else(|| panic!("“{key}” is not documented"));
            assert_eq!(row[2], format!("`{default}`"), "default of “{key}”");
            known.insert(key);
        }
    }
    for row in &documented {
        assert!(known.contains(&row[0]), "“{}” is documented and no key", row[0]);
    }
}

#[test]
fn every_parameter_of_coreex_is_in_the_configuration_page_with_its_values() {
    let text = page("docs/configuration.md");
    let documented = rows(section(&text, "### Parameters of CoreEx"));
    let paper = toml::Table::try_from(CoreEx::paper()).expect("a table");
    let modern = toml::Table::try_from(CoreEx::modern()).expect("a table");
    assert_eq!(documented.len(), paper.len());
    for (key, value) in &paper {
        let row = documented.iter().find(|row| row[0] == *key);
        let row = row.unwrap_or_else(|| panic!("“{key}” is not documented"));
        assert_eq!(row[2], format!("`{value}`"), "“{key}” in coreex");
        assert_eq!(row[3], format!("`{}`", modern[key]), "“{key}” in coreex-modern");
    }
}

#[test]
fn every_example_of_a_configuration_is_valid() {
    let mut examples = 0;
    let mut pages = Vec::new();
    pages_in(&root().join("docs"), &mut pages);
    for path in pages {
        let (name, text) = (path.display(), fs::read_to_string(&path).expect("a page"));
        for example in text.split("```toml\n").skip(1) {
            let example = example.split("```").next().unwrap_or_default();
            let config = Config::from_toml(example).unwrap_or_else(|e| panic!("{name}: {e}\n{example}"));
            Rules::new(&config).unwrap_or_else(|e| panic!("{name}: {e}\n{example}"));
            examples += 1;
        }
    }
    assert!(examples >= 3, "only {examples} examples were found");
}

#[test]
fn pipeline_toml_holds_the_defaults() {
    let config = Config::from_file(&root().join("pipeline.toml")).expect("a configuration");
    assert_eq!(config, Config::default());
}

/// Markdown without the targets of its links.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (label_start, target_end) = (before.rfind('[').expect("a label"), after.find(')').expect("a target"));
        plain.push_str(&before[..label_start]);
        plain.push_str(&before[label_start + 1..]);
        rest = &after[target_end + 1..];
    }
    plain + rest
}

#[test]
fn the_table_of_document_fields_is_the_schema() {
    let text = page("docs/documents.md");
    let mut documented = rows(section(&text, "## Fields"));
    let more_texts = documented.pop().expect("a row");
    assert_eq!(more_texts[0], "text_NAME");
    let documented: Vec<[String; 5]> = documented
        .into_iter()
        .map(|row| {
            let meaning = without_links(&row[4]);
            let with = row[3].replace('`', "");
            [row[0].clone(), row[1].clone(), row[2].clone(), with, meaning]
        })
        .collect();
    let type_of = |field: &Field| match field.unit() {
        Some(unit) => format!("{}, {unit}", field.field_type().name()),
        None => field.field_type().name().to_owned(),
    };
    let null = |field: &Field| if field.is_nullable() { "yes" } else { "" }.to_owned();
    let group = |field: &Field| {
        field
            .group()
            .map(|group| group.setting())
            .unwrap_or_default()
            .to_owned()
    };
    let schema: Vec<[String; 5]> = FIELDS
        .iter()
        .map(|field| {
            [
                field.key(),
                type_of(field),
                null(field),
                group(field),
                field.meaning().to_owned(),
            ]
        })
        .collect();
    assert_eq!(documented, schema);
}

#[test]
fn every_key_of_the_account_is_in_the_ledger_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let archive = root().join("docs/sample/sample.warc.gz").to_string_lossy().into_owned();
    let missing = directory.path().join("missing.warc.gz").to_string_lossy().into_owned();
    let out = directory.path().join("out");
    dehusk::run(&Config::default(), [archive, missing], &out).expect("a run");
    let ledger = page("docs/ledger.md");
    let documented: BTreeSet<String> = rows(section(&ledger, "## run.json"))
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let text = fs::read_to_string(out.join("run.json")).expect("run.json");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut keys: Vec<String> = report.as_object().expect("an object").keys().cloned().collect();
    for archive in report["archives"].as_array().expect("a list") {
        let archive = archive.as_object().expect("an object");
        keys.extend(archive.keys().map(|key| format!("archives[].{key}")));
    }
    for part in ["totals", "timing"] {
        let part_keys = report[part].as_object().expect("an object").keys();
        keys.extend(part_keys.map(|key| format!("{part}.{key}")));
    }
    for key in keys {
        // Sums have the names of what they add up.
        let summand = key.replace("totals.", "archives[].");
        assert!(
            documented.contains(&key) || documented.contains(&summand),
            "“{key}” is not documented"
        );
    }
    let documented: Vec<String> = rows(section(&ledger, "## failed.jsonl"))
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let text = fs::read_to_string(out.join("failed.jsonl")).expect("failed.jsonl");
    let line: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    for key in line.as_object().expect("an object").keys() {
        assert!(documented.contains(key), "“{key}” is not documented");
    }
}

/// All Markdown files in a directory and below it.
pub fn pages_in(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// A reader's time is limited. New text replaces something, or goes to the page of a package.
#[test]
fn the_documentation_has_at_most_280_000_bytes() {
    let mut pages = Vec::new();
    pages_in(&root().join("docs"), &mut pages);
    let bytes: u64 = pages.iter().map(|page| fs::metadata(page).expect("a page").len()).sum();
    assert!(bytes <= 280_000, "{bytes} bytes of Markdown in docs");
}

#[test]
fn every_page_of_the_documentation_is_in_the_navigation_of_the_site() {
    let navigation = page("docs/site/mkdocs.yml");
    let mut pages = Vec::new();
    pages_in(&root().join("docs"), &mut pages);
    for path in pages {
        let name = path.strip_prefix(root()).expect("a page of the repository").display();
        assert!(navigation.contains(&format!(": {name}\n")), "{name}");
    }
}

#[test]
fn the_readme_has_at_most_70_lines() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 70, "{lines} lines");
}

/// All Rust sources of the packages that users get, by their paths.
pub fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().join("src"), root().join("crates")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    sources
}

#[test]
fn every_constant_that_bounds_memory_is_in_the_file_that_its_table_names() {
    let architecture = page("docs/architecture.md");
    let sources = sources();
    let mut checked = 0;
    for line in section(&architecture, "## Memory").lines() {
        let mut names = Vec::new();
        // Of the code in a row, the names of constants come before the file that they are in.
        for code in line.split('`').skip(1).step_by(2) {
            if !code.ends_with(".rs") {
                names.extend(code.chars().all(|c| c.is_ascii_uppercase() || c == '_').then_some(code));
                continue;
            }
            for name in names.drain(..) {
                let mut texts = sources.iter().filter(|(path, _)| path.ends_with(code));
                let is_there = texts.any(|(_, text)| text.contains(&format!("const {name}:")));
                assert!(is_there, "{name} in {code}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 8, "only {checked} constants were found");
}

/// The anchors of a page's headings, by the rule of GitHub and of the site.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if in_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = without_links(heading.trim())
            .to_lowercase()
            .chars()
            .filter(kept)
            .collect();
        let anchor = anchor.replace(' ', "-");
        let free = (1..).map(|n| format!("{anchor}-{n}"));
        let mut names = std::iter::once(anchor.clone()).chain(free);
        let name = names.find(|name| !anchors.contains(name)).expect("a name");
        anchors.insert(name);
    }
    anchors
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut pages: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name))
        .into();
    for folder in ["docs", "crates", "fuzz", "python", "training"] {
        pages_in(&root().join(folder), &mut pages);
    }
    let link = regex::Regex::new(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)").expect("a pattern");
    for path in pages {
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for link in link.captures_iter(&text) {
            let (target, anchor) = (&link[1], link.get(2).map(|anchor| anchor.as_str()));
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let file = if target.is_empty() {
                path.clone()
            } else {
                path.with_file_name(target)
            };
            assert!(file.exists(), "{}: the link to {target} leads nowhere", path.display());
            if let Some(anchor) = anchor.filter(|_| file.extension().is_some_and(|e| e == "md")) {
                let headings = anchors(&fs::read_to_string(&file).expect("a page"));
                let shown = path.display();
                assert!(headings.contains(anchor), "{shown}: {target} has no heading #{anchor}");
            }
        }
    }
}
