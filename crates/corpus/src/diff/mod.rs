//! Two runs, or two sets of runs, compared: which documents came, went and changed, and by how much.
//!
//! - `pairs`: which archives of the two runs belong together
//! - `join`: the documents of an archive in both runs, joined by their ids
//! - `change`: the words that two texts have in common
//! - `compare`: goes through both runs
//! - `comparison`: the result, in numbers and examples
//! - `text`, `html`: the result for people

mod change;
mod compare;
mod comparison;
mod html;
mod join;
mod pairs;
mod text;

pub use compare::compare;
pub use comparison::Comparison;
pub use html::html;
pub use text::text;
