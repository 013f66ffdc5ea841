//! A document as serde writes and reads it: the fields that it has, `metadata` as an object of its own, and `text_NAME`
//! for the text of each further extractor.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::extracted_text::ExtractedText;
use super::schema::{Document, FIELDS};

/// The key of the fields in the metadata.
const METADATA: &str = "metadata";

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write_fields(&mut map)?;
        map.serialize_entry(METADATA, &MetadataOf(self))?;
        for more in &self.more_texts {
            map.serialize_entry(&format!("{}{}", ExtractedText::PREFIX, more.extractor), &more.text)?;
        }
        map.end()
    }
}

struct MetadataOf<'d>(&'d Document);

impl Serialize for MetadataOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write_metadata(&mut map)?;
        map.end()
    }
}

/// The document has the fields whose keys are there. Keys that are no fields are ignored.
impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut document = Document::without_fields();
        let mut has_metadata = false;
        let mut key = String::new();
        while map.next_key_seed(Key(&mut key))?.is_some() {
            if key == METADATA {
                map.next_value_seed(MetadataSeed(&mut document))?;
                has_metadata = true;
            } else if document.read_field(&key, &mut map)?.is_some() {
            } else if let Some(extractor) = key.strip_prefix(ExtractedText::PREFIX) {
                let text: String = map.next_value()?;
                document.more_texts.push(ExtractedText::new(extractor, text));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let is_needed = |field: &&super::Field| !field.is_in_metadata() && field.group().is_none();
        if let Some(field) = FIELDS
            .iter()
            .filter(is_needed)
            .find(|field| !document.fields.contains(field))
        {
            return Err(A::Error::missing_field(field.name()));
        }
        if has_metadata {
            Ok(document)
        } else {
            Err(A::Error::missing_field(METADATA))
        }
    }
}

struct MetadataSeed<'d>(&'d mut Document);

impl<'de> DeserializeSeed<'de> for MetadataSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MetadataSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the metadata of a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut key = String::new();
        while map.next_key_seed(Key(&mut key))?.is_some() {
            if self.0.read_metadata(&key, &mut map)?.is_none() {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads a key into a buffer that is there already.
struct Key<'k>(&'k mut String);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.0.clear();
        self.0.push_str(key);
        Ok(())
    }
}
