//! Two runs, or two sets of runs, compared: which documents came, went and changed, and by how much.
//!
//! - `pairs`: which archives of the two runs belong together
//! - `join`: the documents of an archive in both runs, joined by their ids
//! - `change`: the words that two texts have in common
//! - `compare`: goes through both runs
//! - `comparison`: the result, in numbers and examples
//! - `text`, `html`: the result for people
//! - `drift`: the same question for nights of different pages, answered by their distributions

mod change;
mod compare;
mod comparison;
mod drift;
mod html;
mod join;
mod pairs;
mod text;

pub use compare::compare;
pub use comparison::Comparison;
pub use drift::{Drift, HostDrift, HostFigures, Night, Sign, drift};
pub use html::html;
pub use text::text;
