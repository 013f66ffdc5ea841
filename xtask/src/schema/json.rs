//! `document.schema.json`: the schema as JSON Schema 2020-12.

use dehusk::schema::{FIELDS, Field, FieldType, SCHEMA_VERSION};
use serde_json::{Map, Value, json};

/// The schema, with a line end.
pub fn schema() -> String {
    let (metadata, document): (Vec<&Field>, Vec<&Field>) = FIELDS.iter().partition(|field| field.is_in_metadata());
    let mut all = object(&document);
    all["properties"]["metadata"] = object(&metadata);
    all["properties"]["metadata"]["description"] = "What else is known about the page.".into();
    if let Some(required) = all["required"].as_array_mut() {
        required.push("metadata".into());
    }
    all["patternProperties"] = json!({
        "^text_": {"type": "string", "description": "The text that a further preset selected: `text_NAME`. May be empty."},
    });
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A document of dehusk, schema {SCHEMA_VERSION}"),
        "description": "One line of a JSONL shard. Every required key is in every line; the others are in every line \
            of a run whose configuration asks for them. A reader must ignore keys that it does not know.",
    });
    if let (Some(schema), Value::Object(all)) = (schema.as_object_mut(), all) {
        schema.extend(all);
    }
    format!("{schema:#}\n")
}

fn object(fields: &[&Field]) -> Value {
    let always = fields.iter().filter(|field| field.group().is_none());
    let names: Vec<&str> = always.map(|field| field.name()).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name().to_owned(), property(field)))
        .collect();
    json!({"type": "object", "required": names, "properties": properties})
}

fn property(field: &Field) -> Value {
    let whole = |most: u64| json!({"type": "integer", "minimum": 0, "maximum": most});
    let mut property = match field.field_type() {
        FieldType::Text => json!({"type": "string"}),
        // Unknown is `""`, which is no date.
        FieldType::Instant => {
            json!({"type": "string", "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$"})
        }
        FieldType::U16 => whole(u16::MAX.into()),
        FieldType::U32 => whole(u32::MAX.into()),
        FieldType::U64 => whole(u64::MAX),
        FieldType::Boolean => json!({"type": "boolean"}),
        // `F64`, and what may come.
        _ => json!({"type": "number"}),
    };
    match field.unit() {
        Some("0 to 1") => {
            property["minimum"] = 0.into();
            property["maximum"] = 1.into();
        }
        // An annotation, which validators ignore.
        Some(unit) => property["unit"] = unit.into(),
        None => {}
    }
    property["description"] = match field.group() {
        Some(group) => format!("{} Only with {}.", field.meaning(), group.setting()).into(),
        None => field.meaning().into(),
    };
    property
}
