//! ContentEx: filters the noise out of a page and keeps the rest.
//!
//! L. Song, X. Cheng, Y. Guo, Y. Liu, G. Ding: *ContentEx: A Framework for Automatic Content Extraction Programs*,
//! IEEE ISI 2009, sections II and III. The method was made for forum pages, whose content is in many places.
//!
//! The framework has three tiers:
//!
//! - The *explanation tier* is the strip: it ignores forms, removes scripts and removes statements. Its conversion to
//!   XHTML is `dom.normalize`.
//! - The *logic tier* is a sequence of filters over the tree. Each can be turned off. What they leave is the content.
//! - The *presentation tier* shows and stores results. Other packages do that: they render the selection as text,
//!   XHTML, XML or JSON Lines, write it to a database, and serve it over HTTP.
//!
//! **Link table filter** (III.A, figure 3). A text node counts its words. A link node (an `a` element with all its
//! content) counts as one word and one link. The counts of an inner node are the sums of its children's. So for a
//! subtree with `U` words outside links and `A` links:
//!
//! ```text
//! textCnt = U + A     linkCnt = A     Score(N) = (textCnt - linkCnt) / textCnt = U / (U + A)
//! for each link node N in document order, if Score(parent(N)) < Threshold:
//!     N = parent(N); while Score(parent(N)) < Score(N): N = parent(N); delete N
//! ```
//!
//! Score is never 0/0 where it is used: every ancestor of a link has a `textCnt` of at least 1.
//!
//! **Common pattern filters** (III.B) delete text nodes: texts of times alone, IP addresses with few other words, texts
//! that end in a colon, copyright notes, and short texts that occur several times on the page.
//!
//! | parameter | paper | `contentex-modern` | |
//! |---|---|---|---|
//! | `forms` | ignore | ignore-small | II.A; the exception is explained at [`Forms`] |
//! | `scripts` | true | true | II.A |
//! | `statements` | true | true | II.A; the rule is ours, see [`Statements`] |
//! | `statement_words` | *60* | 120 | most words of a statement |
//! | `link_table` | true | true | III.A |
//! | `links` | targets | targets | which `a` are links: [`Links`] |
//! | `threshold` | *0.5* | 0.85 | below it a node is a link table |
//! | `extend` | falling | below | how far up a link table reaches: [`Extend`] |
//! | `table_share` | 1 | 0.3 | largest share of the body's words outside links that a link table may hold |
//! | `time`, `time_words` | true, 0 | true, 4 | most words beside the time |
//! | `ip`, `ip_words` | true, *4* | true, 4 | most words beside the address |
//! | `colon`, `colon_words` | true, 0 | true, 4 | most words of such a text; 0 for any number |
//! | `copyright`, `copyright_words` | true, 0 | true, 120 | the same |
//! | `copyright_text` | string | patterns | the paper's string alone, or patterns of many languages |
//! | `repeated` | true | true | |
//! | `repeated_words`, `repeated_times` | *4*, *3* | 8, 2 | most words, and fewest times |
//! | `repeated_unit` | text | line | which texts are counted: [`Unit`] |
//! | `patterns` | | | a file of further patterns |
//!
//! Values in italics are ours: the paper says "a pre-defined threshold", "a few words", "short" and "repeated". One
//! half means "more links than words". The others, and those of the modern preset, were measured
//! (docs/extractors/contentex.md). `threshold` and `table_share` belong together: with a high threshold a paragraph
//! with some links is a link table too, and the share prevents that the climb takes the container of the content.
//!
//! # Readings of what the paper leaves open
//!
//! - The link node is the `a` element with an `href`. A link inside a link is a part of it. If it were the terminal
//!   under `a`, Score(parent) would be 0 and every link would be deleted, also in running text.
//! - The figure's loop and deletion belong to its `if`, as the prose says ("a link table is found when …"). Otherwise
//!   every link would be deleted.
//! - The figure has no bound. A link that is a child of the body can delete the whole page, if the page has more links
//!   than words.
//! - "All right reserved" is found with and without the missing s.
//! - "A few words" that match a time are at most sixteen, and all of them match.
//! - Scores are those of the whole page. Deletions do not change them.
//!
//! # Departure
//!
//! The patterns are our own, in more languages than the paper's. They come from a data file ([`Patterns`]).
//!
//! # Algorithm
//!
//! The naive equivalent sums counts over children. Here they are differences of prefix sums. Every climb ends in a
//! deletion that is skipped as a whole, so the pass is linear.

mod explain;
mod links;
mod noise;

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Explanation, Extractor, PageContext, ParameterError, Selection};
use crate::strip::{Forms, Links, PatternError, Patterns, Statements, Strip};
use crate::view::{Sums, View};
use dehusk_html::NodeId;

/// How far up a link table reaches from the parent of its first link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extend {
    /// While the parent scores lower than the node, as in figure 3. It never climbs from a node that scores 0.
    Falling,
    /// While the parent scores below the threshold, and never to the body. Of a link directly in the body only the link
    /// is deleted.
    Below,
}

/// The unit of the repeated short text filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Each text node, as in the paper.
    Text,
    /// A text node that is alone on its line: between two borders of blocks or cells, or line breaks. So names, numbers
    /// and code in running text are kept. Nodes that the strip or an earlier filter deleted are on no line: once the
    /// time is deleted from “Reply 12:30”, the rest is alone on its line.
    Line,
}

/// The texts that the copyright filter looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyrightText {
    /// The paper's string, "all right reserved", in any case, or the same with the s that it lacks.
    String,
    /// Texts that the copyright patterns match, in many languages.
    Patterns,
}

/// ContentEx's parameters, as the configuration holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// How form elements are treated.
    pub forms: Forms,
    /// Whether scripts are removed.
    pub scripts: bool,
    /// Whether statements are removed.
    pub statements: bool,
    /// Most words of a statement.
    pub statement_words: u32,
    /// Whether link tables are removed.
    pub link_table: bool,
    /// Which elements are links.
    pub links: Links,
    /// Score below which a node is a link table, 0 to 1.
    pub threshold: f64,
    /// How far up a link table reaches.
    pub extend: Extend,
    /// Largest share of the body's words outside links that a link table may hold, 0 to 1.
    pub table_share: f64,
    /// Whether texts are removed that are a time, with at most `time_words` other words.
    pub time: bool,
    /// Most words beside the time. At 0 all words of the text match.
    pub time_words: u32,
    /// Whether texts with an IP address and few other words are removed.
    pub ip: bool,
    /// Most words beside the address.
    pub ip_words: u32,
    /// Whether texts that end in a colon are removed.
    pub colon: bool,
    /// Most words of such a text; 0 for any number.
    pub colon_words: u32,
    /// Whether texts that say "all rights reserved" are removed.
    pub copyright: bool,
    /// The texts that are looked for in them.
    pub copyright_text: CopyrightText,
    /// Most words of such a text; 0 for any number.
    pub copyright_words: u32,
    /// Whether short texts that occur several times on the page are removed.
    pub repeated: bool,
    /// Most words of a short text.
    pub repeated_words: u32,
    /// Fewest occurrences on the page.
    pub repeated_times: u32,
    /// The unit that is counted.
    pub repeated_unit: Unit,
    /// Path of a file of further patterns; empty for none.
    pub patterns: String,
}

impl Parameters {
    /// The paper's method. The table above names the values that the paper leaves open.
    pub fn paper() -> Self {
        Self {
            forms: Forms::Ignore,
            scripts: true,
            statements: true,
            statement_words: 60,
            link_table: true,
            links: Links::Targets,
            threshold: 0.5,
            extend: Extend::Falling,
            table_share: 1.0,
            time: true,
            time_words: 0,
            ip: true,
            ip_words: 4,
            colon: true,
            colon_words: 0,
            copyright: true,
            copyright_text: CopyrightText::String,
            copyright_words: 0,
            repeated: true,
            repeated_words: 4,
            repeated_times: 3,
            repeated_unit: Unit::Text,
            patterns: String::new(),
        }
    }

    /// Readings and values that do better on pages of today.
    pub fn modern() -> Self {
        Self {
            forms: Forms::IgnoreSmall,
            statement_words: 120,
            threshold: 0.85,
            extend: Extend::Below,
            table_share: 0.3,
            time_words: 4,
            colon_words: 4,
            copyright_text: CopyrightText::Patterns,
            copyright_words: 120,
            repeated_words: 8,
            repeated_times: 2,
            repeated_unit: Unit::Line,
            ..Self::paper()
        }
    }

    /// Checks the values. Does not look at the file of patterns.
    ///
    /// # Errors
    /// A parameter has a value that it does not take.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_share("threshold", self.threshold)?;
        ParameterError::check_share("table_share", self.table_share)?;
        if self.repeated_times < 2 {
            let requirement = "must be at least 2: every text is on its page once";
            return Err(ParameterError::invalid("repeated_times", requirement));
        }
        Ok(())
    }
}

/// ContentEx with its parameters and patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentEx {
    parameters: Parameters,
    patterns: Arc<Patterns>,
}

/// Largest file of patterns, in bytes.
const PATTERNS_LIMIT: u64 = 16 << 20;

/// Reads a file of patterns. Its path may lead to a device that never ends.
fn read_patterns(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(PATTERNS_LIMIT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > PATTERNS_LIMIT {
        Err(io::Error::other(format!("it has more than {PATTERNS_LIMIT} bytes")))
    } else {
        Ok(text)
    }
}

impl ContentEx {
    /// ContentEx with these parameters. Reads the file of patterns that they name.
    ///
    /// # Errors
    /// A parameter has a value that it does not take, or the file of patterns cannot be used.
    pub fn new(parameters: Parameters) -> Result<Self, ParameterError> {
        parameters.check()?;
        let path = &parameters.patterns;
        let patterns = if path.is_empty() {
            Patterns::built_in()
        } else {
            let read = read_patterns(Path::new(path)).map_err(PatternError::Read);
            let patterns = read.and_then(|text| Patterns::extended(&text));
            Arc::new(patterns.map_err(|source| ParameterError::Patterns {
                path: path.clone(),
                source,
            })?)
        };
        Ok(Self { parameters, patterns })
    }

    /// The patterns that it works with.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The paper's method.
    pub fn paper() -> Self {
        Self {
            parameters: Parameters::paper(),
            patterns: Patterns::built_in(),
        }
    }

    /// Readings and values that do better on pages of today.
    pub fn modern() -> Self {
        Self {
            parameters: Parameters::modern(),
            patterns: Patterns::built_in(),
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The deletions of the filters from a view, in order and disjoint, each with its filter.
    pub fn removals(&self, view: &View<'_>) -> Vec<Removal> {
        let tables = links::tables(view, &self.parameters);
        noise::filtered(view, &self.parameters, &self.patterns, tables)
    }
}

/// A filter of the logic tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Link table filter (III.A).
    LinkTable,
    /// Time pattern (III.B, as all that follow).
    Time,
    /// IP pattern.
    Ip,
    /// Colon pattern.
    Colon,
    /// Copyright pattern.
    Copyright,
    /// Repeated short text pattern.
    Repeated,
}

/// A subtree that a filter deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The subtree.
    pub subtree: Range<NodeId>,
    /// The filter.
    pub by: Filter,
}

/// Score of figure 3; NaN without words and links.
#[inline]
fn score(sums: Sums) -> f64 {
    let outside = sums.text.words - sums.linked_words;
    f64::from(outside) / f64::from(outside + sums.anchors)
}

impl Extractor for ContentEx {
    fn strip(&self) -> Strip {
        let of = &self.parameters;
        Strip {
            forms: of.forms,
            controls: false,
            scripts: of.scripts,
            statements: of.statements.then(|| Statements {
                patterns: Arc::clone(&self.patterns),
                words: of.statement_words,
            }),
            hidden: false,
            links: of.links,
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.parameters.check()
    }

    fn describe(&self) -> String {
        explain::describe(&self.parameters)
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        explain::explain(self, &page.view(&self.strip()), selection, nodes)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&self.strip());
        let dom = view.dom();
        let body = dom.subtree(dom.body());
        if body.is_empty() {
            return Selection::default();
        }
        let mut selection = Selection {
            ranges: remainder(view, &self.removals(view)),
            scores: body.clone().map(|id| score(view.subtree(id))).collect(),
            scored_from: body.start,
            ..Selection::default()
        };
        let (mut words, mut outside, mut anchors) = (0, 0, 0);
        for range in &selection.ranges {
            let sums = view.range(range.clone());
            words += sums.text.words;
            outside += sums.text.words - sums.linked_words;
            anchors += sums.anchors;
        }
        if words == 0 {
            selection.ranges.clear();
        } else if outside > 0 {
            selection.score = f64::from(outside) / f64::from(outside + anchors);
        }
        selection
    }
}

/// The largest subtrees of the body that contain nothing deleted, without masked ones.
fn remainder(view: &View<'_>, removals: &[Removal]) -> Vec<Range<NodeId>> {
    let dom = view.dom();
    let body = dom.subtree(dom.body());
    let mut ranges = Vec::new();
    let mut removals = removals.iter().map(|r| &r.subtree).peekable();
    let mut masked = view.masked().iter().peekable();
    let mut id = body.start;
    while id < body.end {
        while removals.next_if(|r| r.end <= id).is_some() {}
        while masked.next_if(|m| m.end <= id).is_some() {}
        let end = dom.node(id).end;
        match (removals.peek(), masked.peek()) {
            (Some(removed), _) if removed.start <= id => id = removed.end,
            (_, Some(mask)) if mask.start <= id => id = mask.end,
            // Something deeper inside is deleted.
            (Some(removed), _) if removed.start < end => id += 1,
            _ => {
                ranges.push(id..end);
                id = end;
            }
        }
    }
    ranges
}
