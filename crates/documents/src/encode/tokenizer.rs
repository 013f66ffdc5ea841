//! How a full-text index cuts texts.

/// The way in which the full-text index of a database cuts texts, which decides what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tokenizer {
    /// Words: runs of letters and digits, whatever their accents (`unicode61` of SQLite's FTS5).
    #[default]
    Words,
    /// Everything of three and more characters, also inside of words (`trigram`): for Chinese and Japanese, which put no
    /// spaces between words.
    Trigram,
}
