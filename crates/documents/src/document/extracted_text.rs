//! The texts of the second and further extractors.

use super::form::Form;

/// The text that a further extractor selected on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractedText {
    /// Name of the extractor (of its preset).
    pub extractor: String,
    /// The text, in the form of [`Document::text`](super::Document::text). May be empty.
    pub text: String,
    /// The form of the text, if the output's format asks for it.
    #[doc(hidden)]
    pub form: Form,
}

impl ExtractedText {
    /// The prefix of the extractor's name in a key.
    pub(crate) const PREFIX: &str = "text_";

    /// Creates the text of an extractor.
    pub fn new(extractor: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            extractor: extractor.into(),
            text: text.into(),
            form: Form::default(),
        }
    }
}
