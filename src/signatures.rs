//! Fills in the signatures of a document's text. `docs/similarity.md` defines them.

use dehusk_similarity::{MinHash, SpotSigs, Tokens, WordRole, simhash, spotsigs};

use crate::config::Signature;
use crate::document::Document;
use crate::language::StopWords;

/// Fills in these signatures. The document's language is known.
pub fn fill(document: &mut Document, wanted: &[Signature]) {
    if wanted.is_empty() {
        return;
    }
    let tokens = Tokens::of(&document.text);
    if tokens.is_empty() {
        return;
    }
    let metadata = &mut document.metadata;
    for signature in wanted {
        match signature {
            Signature::Simhash => metadata.simhash = format!("{:016x}", simhash(&tokens)),
            Signature::Minhash => metadata.minhash = MinHash::of_text(&tokens).to_base64(),
            Signature::Spotsigs => metadata.spotsigs = spots(&tokens, &metadata.language).to_base64(),
        }
    }
}

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
