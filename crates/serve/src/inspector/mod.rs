//! The inspector: the pages in which people look at archives, and what these pages ask for.
//!
//! - `assets`: the pages themselves: HTML, style and scripts, which are inside the program
//! - `inputs`: what there is to choose from
//! - `report`: the report of a run, with links to its records
//! - `place`: where a record is in an archive
//! - `records`: lists the records of an archive, and searches them
//! - `search`: searches the documents of runs
//! - `described`: the description of a record
//! - `source`: the page that is shown: a record's, or a pasted one
//! - `page`: what became of it, node by node
//! - `levels`: the scores of a page as the levels of the slider
//! - `compare`: what two extractors make of it
//! - `blocks`: the blocks of a page, to mark them
//! - `marking`: what requests about the marks of a page have in common
//! - `marks`: what was marked, in a truth file
//! - `measure`: how each extractor does on what was marked
//! - `frame`: the page itself, as dehusk writes it

mod assets;
mod blocks;
mod compare;
mod described;
mod frame;
mod inputs;
mod levels;
mod marking;
mod marks;
mod measure;
mod page;
mod place;
mod records;
mod report;
mod search;
mod source;

pub(crate) use assets::asset;
pub(crate) use blocks::blocks;
pub(crate) use compare::compare;
pub(crate) use frame::frame;
pub(crate) use inputs::inputs;
pub(crate) use marks::{mark, marks, undo, unmark};
pub(crate) use measure::measure;
pub(crate) use page::page;
pub(crate) use records::records;
pub(crate) use report::report;
pub(crate) use search::search;
pub(crate) use source::paste;
