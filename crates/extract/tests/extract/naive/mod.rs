//! The formulas of the five papers, written down once more without any care for speed, against the extractors.
//!
//! Each method has a file. It works on a plain [tree], sums up by recursion, and searches by trying everything. The
//! pages are [random](pages): well nested ones, soup, and small hostile ones. Scores must agree to the last digit, and
//! the kept texts exactly.

mod cetd;
mod comparators;
mod contentex;
mod coreex;
mod econ;
mod nce;
pub mod pages;
mod tag_ratios;
pub mod tree;
