//! The formulas of the five papers, written down once more without any care for speed, against the extractors.
//!
//! Each method has a file. It works on a plain [tree] without what is [left out](masks), sums up by recursion, and
//! searches by trying everything. Every value of a parameter is written down, of the paper and of the `-modern`
//! presets. The pages are [random](pages): well nested ones, soup, and small hostile ones; and [real]. Scores must
//! agree to the last digit, and the kept texts exactly.

mod cetd;
mod comparators;
mod contentex;
mod coreex;
mod econ;
mod masks;
mod nce;
pub mod pages;
mod patterns;
mod real;
mod tag_ratios;
mod titles;
pub mod tree;
