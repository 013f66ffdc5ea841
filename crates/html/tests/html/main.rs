//! The package through its public surface.
#![allow(clippy::unwrap_used)]

#[path = "../../../../tests/support/checks/mod.rs"]
mod checks;

mod charset;
<<<<<<< HEAD
mod encodings;
=======
mod form;
>>>>>>> 97e059c (Keep the form of the page in the text: lines, lists, data tables, code, by one walk that any writer can follow)
mod hostile;
mod properties;
mod tree_rules;
