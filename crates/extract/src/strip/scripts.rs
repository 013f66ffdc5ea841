//! Removing scripts (CoreEx 3.2, variant 2).
//!
//! The paper removes them with a regular expression before the tree is built; the parser here knows where a script
//! ends, so masking the element is the same. `noscript` is no script: with scripts gone, it is what a reader would see.

/// Whether a `script` element is masked.
pub(super) fn masks(remove_scripts: bool) -> bool {
    remove_scripts
}
