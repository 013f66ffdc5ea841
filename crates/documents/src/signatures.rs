//! Signatures that need to know a text's language. `docs/similar.md` defines them.

use dehusk_metadata::language::StopWords;
use dehusk_similarity::{SpotSigs, Tokens, WordRole, spotsigs};

/// The spot signatures of a text in a language: its antecedents are the language's most frequent words.
pub fn spots(tokens: &Tokens, language: &str) -> SpotSigs {
    let words = StopWords::built_in();
    let language = words.language(language);
    spotsigs(tokens, |word| match words.is_word_of(word, language) {
        (false, _) => WordRole::Content,
        (true, false) => WordRole::StopWord,
        (true, true) => WordRole::Antecedent,
    })
}
