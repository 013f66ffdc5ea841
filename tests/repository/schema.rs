//! The published schema, `docs/document.schema.json`, against the documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use dehusk::schema::{FIELDS, SCHEMA_VERSION};
use serde_json::Value;

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn schema() -> Value {
    serde_json::from_str(&file("docs/document.schema.json")).expect("JSON")
}

/// The faults of a value against a schema. Knows the few keywords that the schema has.
fn faults(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let is_of_type = match schema["type"].as_str().expect("a type") {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64(),
        "object" => value.is_object(),
        other => panic!("{path}: the type {other}"),
    };
    if !is_of_type {
        found.push(format!("{path}: {value} is no {}", schema["type"]));
    }
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    if let Some(number) = value.as_f64()
        && !(limit("minimum").is_none_or(|least| least <= number) && limit("maximum").is_none_or(|most| number <= most))
    {
        found.push(format!("{path}: {number} is out of range"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().expect("a name")).is_none() {
            found.push(format!("{path}: no {name}"));
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let text = &schema["patternProperties"]["^text_"];
        let property = match schema["properties"].get(name) {
            Some(property) => property,
            None if name.starts_with("text_") && text.is_object() => text,
            None => continue,
        };
        faults(property, value, &format!("{path}.{name}"), found);
    }
}

fn faults_of(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    faults(&schema(), document, "", &mut found);
    found
}

#[test]
fn the_published_schema_has_the_keys_of_documents() {
    let schema = schema();
    let title = schema["title"].as_str().expect("a title");
    assert!(title.ends_with(&format!("schema {SCHEMA_VERSION}")), "{title}");
    let keys = |object: &Value| -> BTreeSet<String> {
        let required = object["required"].as_array().expect("a list").iter();
        let required: BTreeSet<String> = required.map(|name| name.as_str().expect("a name").to_owned()).collect();
        let defined: BTreeSet<String> = object["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        assert!(required.is_subset(&defined));
        defined
    };
    let mut published = keys(&schema);
    assert!(published.remove("metadata"));
    let metadata = keys(&schema["properties"]["metadata"]);
    published.extend(metadata.into_iter().map(|key| format!("metadata.{key}")));
    assert_eq!(
        published,
        FIELDS.iter().map(|field| field.key()).collect::<BTreeSet<String>>()
    );
}

#[test]
fn the_documents_of_the_sample_are_valid_by_the_published_schema() {
    for line in file("tests/golden/sample.jsonl").lines() {
        let mut document: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(faults_of(&document), [""; 0]);
        document["text_cetd"] = "".into();
        assert_eq!(faults_of(&document), [""; 0]);
    }
}

#[test]
fn other_objects_are_not_valid_by_the_published_schema() {
    let golden = file("tests/golden/sample.jsonl");
    let document: Value = serde_json::from_str(golden.lines().next().expect("a line")).expect("JSON");
    for field in FIELDS {
        let mut other = document.clone();
        let parent = if field.is_in_metadata() {
            &mut other["metadata"]
        } else {
            &mut other
        };
        parent[field.name()] = Value::Null;
        assert_eq!(faults_of(&other).len(), 1, "{} may be null", field.name());
        let parent = if field.is_in_metadata() {
            &mut other["metadata"]
        } else {
            &mut other
        };
        parent.as_object_mut().expect("an object").remove(field.name());
        let faults = usize::from(field.group().is_none());
        assert_eq!(
            faults_of(&other).len(),
            faults,
            "whether {} may be absent",
            field.name()
        );
    }
    let mut other = document.clone();
    other["text_cetd"] = 1.into();
    other["metadata"]["http_status"] = 65536.into();
    other["metadata"]["score"] = 1.5.into();
    assert_eq!(faults_of(&other).len(), 3);
}
