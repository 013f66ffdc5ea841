//! Sets of fields by their places in the schema: [`FieldSet`], and the [groups](FieldGroup) that a configuration asks
//! for.

/// Fields that a document has only if the configuration asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldGroup {
    /// The readers' comments.
    Comments,
    /// Further facts that a page states about itself.
    Details,
    /// The evidence for the page's own metadata.
    Evidence,
    /// The evidence for the details.
    DetailsEvidence,
    /// The demands of the page and its server on those who use it.
    Rights,
    /// The page's HTML.
    Html,
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
    /// Returns the setting of the configuration that adds these fields, such as `output.quality = true`.
    pub fn setting(self) -> &'static str {
        match self {
            FieldGroup::Comments => "extract.comments = \"separate\"",
            FieldGroup::Details => "output.details = true",
            FieldGroup::Evidence => "output.evidence = true",
            FieldGroup::DetailsEvidence => "output.details = true and output.evidence = true",
            FieldGroup::Rights => "output.rights = true",
            FieldGroup::Html => "output.html = true",
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
/// let mut processor = dehusk::Processor::new(&dehusk::Config::default())?;
/// let document = processor.page(page, "https://blog.example/walk").expect("a document");
/// let words = dehusk::schema::FIELDS.iter().find(|field| field.name() == "words").expect("a field");
/// let simhash = dehusk::schema::FIELDS.iter().find(|field| field.name() == "simhash").expect("a field");
/// assert!(document.fields().contains(words) && !document.fields().contains(simhash));
/// # Ok::<(), dehusk::ConfigError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FieldSet(u128);

impl FieldSet {
    /// No field.
    pub const NONE: FieldSet = FieldSet(0);

    /// The fields at the first places of the schema.
    pub(super) const fn first(count: usize) -> Self {
        Self((1 << count) - 1)
    }

    /// Returns the fields that are in one of the two sets.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the fields that are in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the field at this place of the schema is in the set.
    pub(super) const fn has(self, place: u8) -> bool {
        self.0 & (1 << place) != 0
    }

    /// Adds the field at this place of the schema.
    pub(super) const fn add(&mut self, place: u8) {
        self.0 |= 1 << place;
    }

    /// Removes the field at this place of the schema.
    pub(super) const fn clear(&mut self, place: u8) {
        self.0 &= !(1 << place);
    }
}
