//! Fills in the signatures of a document's text. `docs/similar.md` defines them.

use dehusk_similarity::{MinHash, Tokens, simhash};

use crate::config::Signature;
use dehusk_documents::document::Document;
use dehusk_documents::signatures::spots;

/// Fills in these signatures. The document's language is known.
pub fn fill(document: &mut Document, wanted: &[Signature]) {
    if wanted.is_empty() {
        return;
    }
    let tokens = Tokens::new(&document.text);
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
