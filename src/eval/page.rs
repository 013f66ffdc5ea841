//! One page under all extractors: one parse, one view a strip, and every measure of what each of them kept.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::lcs::Reference;
use super::measure::Bag;
use super::nodes::{Labels, NodeCounts};
use super::words::Lexicon;
use super::{Metric, Metrics};
use crate::config::{DomConfig, Rules};
use crate::extract::Preset;
use crate::extract::view::{View, ViewBuffers};
use crate::strip::Strip;
use dehusk_html::{Buffers, Limits, NodeId};

/// What is counted of the page itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Words of the truth.
    pub words: u32,
    /// Nodes of the page; its answers are those of the truth.
    pub nodes: NodeCounts,
}

/// What is counted of one extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Words of the extracted text.
    pub words: u32,
    /// Words that it has in common with the truth, as bags.
    pub common: u32,
    /// Length of their longest common subsequence, in words.
    pub lcs: u32,
    /// Nodes extracted; the answers among them are those extracted rightly.
    pub nodes: NodeCounts,
    /// What the extractor alone took.
    pub own: Duration,
    /// What the page would have taken with this extractor alone: parsing, the view, extracting, rendering the text.
    pub whole: Duration,
    /// Whether the extractor panicked on the page, which is then without output.
    pub panicked: bool,
    /// Whether the extracted text is too long to be compared with the truth, word for word in order; it then counts as no
    /// output.
    pub too_long: bool,
}

/// Most steps of one comparison ([`Reference::steps`]): some seconds.
pub const COMPARED: u64 = 1 << 32;

/// Measures pages, one after the other.
#[derive(Debug)]
pub struct Judge<'r> {
    presets: &'r [Preset],
    dom: &'r DomConfig,
    limits: Limits,
    strips: Vec<Strip>,
    /// The presets, those of one strip behind each other, so that one view has to be held, however many a sweep asks for.
    order: Vec<usize>,
    metrics: Metrics,
    lexicon: Lexicon,
    buffers: Buffers,
    views: Vec<ViewBuffers>,
    text: String,
    words: Vec<u32>,
}

impl<'r> Judge<'r> {
    /// A judge of the extractors of `rules`, which parses pages as a run with these rules does.
    pub fn new(rules: &'r Rules, metrics: Metrics) -> Self {
        let presets = &rules.presets;
        let strips: Vec<Strip> = presets.iter().map(|preset| preset.extractor.strip()).collect();
        let mut order: Vec<usize> = (0..strips.len()).collect();
        order.sort_by_cached_key(|i| strips.iter().position(|strip| *strip == strips[*i]));
        Self {
            presets,
            dom: &rules.config.dom,
            limits: rules.config.limits.of_tree(),
            strips,
            order,
            metrics,
            lexicon: Lexicon::default(),
            buffers: Buffers::default(),
            views: Vec::new(),
            text: String::new(),
            words: Vec::new(),
        }
    }

    /// Number of words of a truth whose page is not to be had.
    pub fn words(&mut self, truth: &str) -> u32 {
        self.words.clear();
        self.lexicon.clear();
        self.lexicon.read(truth, &mut self.words);
        self.words.len() as u32
    }

    /// Measures every extractor on a page; `None` where the page is beyond the limits of the rules.
    pub fn page(&mut self, html: &str, truth: &str) -> Option<(Wanted, Vec<Measured>)> {
        self.words(truth);
        let truth = std::mem::take(&mut self.words);
        let mut bag = Bag::new(&truth);
        let reference = Reference::new(&truth);
        let buffers = std::mem::take(&mut self.buffers);
        let mut pool = std::mem::take(&mut self.views);
        let started = Instant::now();
        let dom = match self.dom.normalize {
            true => dehusk_html::parse_strict_within(html, buffers, self.limits),
            false => dehusk_html::parse_within(html, buffers, self.limits),
        };
        let dom = dom.ok()?;
        let parsing = started.elapsed();
        let labels = match self.metrics.has(Metric::Nodes) || self.metrics.has(Metric::Text) {
            true => Labels::new(&dom, &mut self.lexicon, &truth),
            false => Labels::default(),
        };
        let mut seen: Option<(&Strip, View<'_>, Duration)> = None;
        let mut found: Vec<(usize, Vec<Range<NodeId>>)> = Vec::new();
        let mut measured = vec![Measured::default(); self.presets.len()];
        for &at in &self.order {
            let preset = &self.presets[at];
            if seen.as_ref().is_none_or(|(of, ..)| **of != self.strips[at]) {
                found.clear();
                pool.extend(seen.take().map(|(_, view, _)| view.into_buffers()));
                let started = Instant::now();
                let view = self.strips[at].view(&dom, pool.pop().unwrap_or_default());
                seen = Some((&self.strips[at], view, started.elapsed()));
            }
            let Some((_, view, viewing)) = &seen else {
                continue;
            };
            let started = Instant::now();
            let selection = catch_unwind(AssertUnwindSafe(|| preset.extractor.extract(view)));
            let own = started.elapsed();
            let panicked = selection.is_err();
            let selection = selection.unwrap_or_default();
            // Extractors that agree, as many do in a sweep, need be measured once.
            let same = found.iter().find(|(_, ranges)| *ranges == selection.ranges);
            let mut counts = match same {
                Some((same, _)) => measured[*same],
                None => {
                    let started = Instant::now();
                    self.text.clear();
                    selection.render_text(view, &mut self.text);
                    let rendering = started.elapsed();
                    self.words.clear();
                    self.lexicon.read(&self.text, &mut self.words);
                    let whole = parsing + *viewing + rendering;
                    let in_order = self.metrics.has(Metric::Lcs) || self.metrics.has(Metric::Verdict);
                    if in_order && reference.steps(&self.words) > COMPARED {
                        Measured {
                            too_long: true,
                            whole,
                            ..Measured::default()
                        }
                    } else {
                        Measured {
                            words: self.words.len() as u32,
                            common: match self.metrics.has(Metric::Bag) {
                                true => bag.common(&self.words),
                                false => 0,
                            },
                            lcs: match in_order {
                                true => reference.common(&self.words) as u32,
                                false => 0,
                            },
                            nodes: labels.extracted(view, &selection),
                            whole,
                            ..Measured::default()
                        }
                    }
                }
            };
            if same.is_some() {
                counts.whole -= counts.own;
            }
            counts.own = own;
            counts.whole += own;
            counts.panicked = panicked;
            let is_new = same.is_none();
            measured[at] = counts;
            if is_new {
                found.push((at, selection.ranges));
            }
        }
        let wanted = Wanted {
            words: truth.len() as u32,
            nodes: labels.all(),
        };
        pool.extend(seen.map(|(_, view, _)| view.into_buffers()));
        self.views = pool;
        self.buffers = dom.into_buffers();
        self.words = truth;
        Some((wanted, measured))
    }
}
