//! Which fields a document has: [`FieldSet`], and the [groups](FieldGroup) that a configuration asks for.

use std::fmt;

use super::field::Field;
use super::schema::{Document, FIELDS, Place};

/// Fields that a document has only if the configuration asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldGroup {
    /// The readers' comments.
    Comments,
    /// What else a page says of itself.
    Details,
    /// The evidence for what a page says of itself.
    Evidence,
    /// The evidence for the details.
    DetailsEvidence,
    /// The signals of quality.
    Quality,
    /// The SimHash.
    Simhash,
    /// The MinHash.
    Minhash,
    /// The spot signatures.
    Spotsigs,
}

impl FieldGroup {
    /// Returns what the configuration says to have these fields, such as `output.quality = true`.
    pub fn setting(self) -> &'static str {
        match self {
            FieldGroup::Comments => "extract.comments = \"separate\"",
            FieldGroup::Details => "output.details = true",
            FieldGroup::Evidence => "output.evidence = true",
            FieldGroup::DetailsEvidence => "output.details = true and output.evidence = true",
            FieldGroup::Quality => "output.quality = true",
            FieldGroup::Simhash => "output.signatures = [\"simhash\"]",
            FieldGroup::Minhash => "output.signatures = [\"minhash\"]",
            FieldGroup::Spotsigs => "output.signatures = [\"spotsigs\"]",
        }
    }
}

/// A set of fields.
///
/// ```
/// # let page = b"<html lang=en><title>A walk</title>\
/// #     <p>We went out early in the morning, up the hill behind the village, and it rained until we were home.\
/// #     <p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.</html>";
/// let document = dehusk::Processor::new(&dehusk::Config::default())?.page(page, "https://blog.example/walk").expect("a document");
/// let words = dehusk::FIELDS.iter().find(|field| field.name() == "words").expect("a field");
/// let simhash = dehusk::FIELDS.iter().find(|field| field.name() == "simhash").expect("a field");
/// assert!(document.fields().contains(words) && !document.fields().contains(simhash));
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FieldSet(u128);

impl FieldSet {
    /// No field.
    pub const NONE: FieldSet = FieldSet(0);

    /// Every field.
    pub const ALL: FieldSet = FieldSet((1 << FIELDS.len()) - 1);

    /// The fields that documents have if the configuration asks for these groups.
    pub fn with_groups(groups: &[FieldGroup]) -> Self {
        let is_asked = |field: &&Field| field.group().is_none_or(|group| groups.contains(&group));
        FIELDS.iter().filter(is_asked).collect()
    }

    /// Returns whether a field is in the set.
    pub fn contains(self, field: &Field) -> bool {
        self.0 & (1 << field.place) != 0
    }

    /// Returns the fields in the order of the schema.
    pub fn iter(self) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| self.contains(field))
    }

    /// Adds a field.
    pub fn insert(&mut self, field: &Field) {
        self.0 |= 1 << field.place;
    }

    /// Takes a field out.
    pub fn remove(&mut self, field: &Field) {
        self.0 &= !(1 << field.place);
    }

    /// Returns the fields that are in one of the two sets.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the fields that are in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn has(self, place: Place) -> bool {
        self.0 & (1 << place as u8) != 0
    }

    pub(super) const fn add(&mut self, place: Place) {
        self.0 |= 1 << place as u8;
    }
}

/// Every field, as in [`Document::default`].
impl Default for FieldSet {
    fn default() -> Self {
        Self::ALL
    }
}

impl<'f> FromIterator<&'f Field> for FieldSet {
    fn from_iter<I: IntoIterator<Item = &'f Field>>(fields: I) -> Self {
        let mut set = Self::NONE;
        fields.into_iter().for_each(|field| set.insert(field));
        set
    }
}

impl fmt::Debug for FieldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Field::name)).finish()
    }
}

impl Document {
    /// Returns the fields that the document has. One that was read from a shard has those of the run that wrote it.
    pub fn fields(&self) -> FieldSet {
        self.fields
    }

    /// Says which fields the document has.
    pub fn set_fields(&mut self, fields: FieldSet) {
        self.fields = fields;
    }
}

// The bits of a set.
const _: () = assert!(FIELDS.len() < u128::BITS as usize);
