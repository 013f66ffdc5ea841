//! Removing scripts (CoreEx 3.2, variant 2).
//!
//! The paper removes scripts with a regular expression before it builds the tree. The parser here knows where a script
//! ends, so masking the element has the same effect. `noscript` is kept: it is what a reader without scripts sees.

/// Whether a `script` element is masked.
pub(super) fn masks(remove_scripts: bool) -> bool {
    remove_scripts
}
