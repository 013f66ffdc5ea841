//! One page under all extractors: one parse, one view for each strip, and every measure of what each extractor kept.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::densities::Densities;
use super::form::{Form, FormCounts};
use super::measure::Bag;
use super::nodes::{Labels, NodeCounts};
use super::parts::{PartCounts, Parts};
use super::truth::TruthLine;
use super::{Metric, Metrics};
use dehusk_engine::analysis::{Analysis, Analyzer};
use dehusk_engine::config::Rules;
use dehusk_engine::config::TitleKind;
use dehusk_engine::page::Page;
use dehusk_engine::title;
use dehusk_extract::strip::{Forms, Strip};
use dehusk_extract::view::View;
use dehusk_extract::{PageContext, Selection};
use dehusk_html::{NodeId, TextForm};
use dehusk_similarity::lcs::Reference;
use dehusk_similarity::lexicon::Lexicon;

/// Counts of the page itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PageCounts {
    /// Words of the truth.
    pub words: u32,
    /// Nodes of the page; its answers are those of the truth.
    pub nodes: NodeCounts,
    /// The parts that the truth names.
    pub parts: PartCounts,
    /// Words of all of the body's text, and those that it has in common with the truth.
    pub body: (u32, u32),
    /// The form of a page without output.
    pub form: FormCounts,
}

/// All that is measured of a page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeasuredPage {
    /// Counts of the page itself.
    pub counts: PageCounts,
    /// The measurement of each extraction, in the order of the extractors.
    pub extractions: Vec<Measurement>,
    /// The densities of its tags, if they are to be drawn.
    pub densities: Option<Densities>,
}

/// Measures of one extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// Words of the extracted text.
    pub words: u32,
    /// Words that it has in common with the truth, as bags.
    pub common: u32,
    /// Length of their longest common subsequence, in words.
    pub lcs: u32,
    /// Nodes extracted; the answers among them are those extracted rightly.
    pub nodes: NodeCounts,
    /// The parts of the page that it holds.
    pub parts: PartCounts,
    /// How well it keeps the form of the content.
    pub form: FormCounts,
    /// Steps of backtracking, where the extractor backtracks.
    pub steps: Option<u32>,
    /// The time of the extractor alone.
    pub own: Duration,
    /// The time of the page with this extractor alone: parsing, the view, extracting, rendering the text.
    pub whole: Duration,
    /// Whether the extractor panicked on the page. The page then counts as without output.
    pub panicked: bool,
    /// Whether the extracted text is too long to be compared with the truth, word for word in order. The page then
    /// counts as without output.
    pub too_long: bool,
}

/// Most steps of one comparison ([`Reference::steps`]). They take some seconds.
pub const MAX_LCS_STEPS: u64 = 1 << 32;

/// Measures the extractors of some rules on pages, one page after the other.
#[derive(Debug)]
pub struct Evaluator<'r> {
    rules: &'r Rules,
    /// The presets, ordered by strip. So one view is held at a time, however many presets a sweep asks for.
    order: Vec<usize>,
    metrics: Metrics,
    analyzer: Analyzer,
    lexicon: Lexicon,
    scratch: Scratch,
}

/// Buffers that are kept from page to page.
#[derive(Debug, Default)]
struct Scratch {
    truth: Vec<u32>,
    text: String,
    words: Vec<u32>,
}

impl<'r> Evaluator<'r> {
    /// An evaluator of the extractors of `rules`, which parses pages as a run with these rules does.
    pub fn new(rules: &'r Rules, metrics: Metrics) -> Self {
        let strips: Vec<_> = rules.presets.iter().map(|preset| preset.strip()).collect();
        let mut order: Vec<usize> = (0..strips.len()).collect();
        order.sort_by_cached_key(|i| strips.iter().position(|strip| *strip == strips[*i]));
        Self {
            rules,
            order,
            metrics,
            analyzer: Analyzer::default(),
            lexicon: Lexicon::default(),
            scratch: Scratch::default(),
        }
    }

    /// Counts of a truth whose page is missing.
    pub fn missing(&mut self, line: &TruthLine) -> PageCounts {
        PageCounts {
            words: self.words(&line.text),
            parts: PartCounts::named_by(line),
            form: Form::new(line, self.metrics).compare(""),
            ..PageCounts::default()
        }
    }

    /// Reads the words of a truth and returns their number.
    fn words(&mut self, truth: &str) -> u32 {
        let words = &mut self.scratch.truth;
        words.clear();
        self.lexicon.clear();
        self.lexicon.read(truth, words);
        words.len() as u32
    }

    /// Measures every extractor on a page, in the order of the rules; `None` where the page is beyond their limits. If
    /// `drawn`, the densities of its tags are measured, too.
    pub fn page(&mut self, page: &Page<'_>, line: &TruthLine, drawn: bool) -> Option<MeasuredPage> {
        self.words(&line.text);
        let Self {
            rules,
            order,
            metrics,
            analyzer,
            lexicon,
            scratch,
        } = self;
        let Scratch { truth, text, words } = scratch;
        let measured = analyzer.analyze(rules, page, |analysis| {
            let labels = if drawn || metrics.has(Metric::Nodes) || metrics.has(Metric::Text) {
                Labels::new(analysis.dom(), lexicon, truth)
            } else {
                Labels::default()
            };
            let parts = if metrics.has(Metric::Parts) {
                Parts::new(line, truth, lexicon)
            } else {
                Parts::default()
            };
            let mut comparison = Comparison {
                metrics: *metrics,
                parts,
                form: Form::new(line, *metrics),
                bag: Bag::new(truth),
                reference: Reference::new(truth),
                labels,
                title: match rules.title() {
                    TitleKind::AsFound => (String::new(), TitleKind::AsFound),
                    kind => (analysis.metadata().title.value, kind),
                },
                lexicon,
                text,
                words,
            };
            let extractions = measure_all(analysis, order, &mut comparison);
            let counts = PageCounts {
                words: truth.len() as u32,
                nodes: comparison.labels.all(),
                parts: comparison.parts.all(),
                body: if metrics.has(Metric::Parts) {
                    comparison.body(analysis.context())
                } else {
                    (0, 0)
                },
                form: comparison.form.compare(""),
            };
            MeasuredPage {
                counts,
                extractions,
                densities: drawn.then(|| Densities::new(analysis.context(), &comparison.labels)),
            }
        });
        measured.ok()
    }
}

/// Runs all presets in an order that has those of one strip side by side, and measures each.
fn measure_all(analysis: &Analysis<'_, '_>, order: &[usize], comparison: &mut Comparison<'_>) -> Vec<Measurement> {
    let (page, presets) = (analysis.context(), &analysis.rules().presets);
    let mut strip = None;
    let mut viewing = Duration::ZERO;
    // Selections under this strip that are measured already, by preset.
    let mut known: Vec<(usize, Vec<Range<NodeId>>)> = Vec::new();
    let mut measured = vec![Measurement::default(); presets.len()];
    for &at in order {
        let preset = &presets[at];
        if strip != Some(preset.strip()) {
            strip = Some(preset.strip());
            known.clear();
            page.drop_views();
            viewing = timed(|| page.view(preset.strip())).1;
        }
        let view = page.view(preset.strip());
        // Each preset pays for all that it asks for, and a sweep holds one selection at a time.
        page.drop_selections();
        let (selection, own) = timed(|| catch_unwind(AssertUnwindSafe(|| page.selection(preset))));
        let panicked = selection.is_err();
        let selection = selection.unwrap_or_default();
        // Presets that agree, as many do in a sweep, are measured once.
        let same = known.iter().find(|(_, ranges)| *ranges == selection.ranges);
        let same = same.map(|(same, _)| *same);
        let mut measurement = match same {
            Some(same) => {
                let other = measured[same];
                Measurement {
                    whole: other.whole - other.own,
                    ..other
                }
            }
            None => {
                known.push((at, selection.ranges.clone()));
                let mut new = comparison.measure(&view, &selection);
                new.whole += analysis.parsing() + viewing;
                new
            }
        };
        measurement.own = own;
        // Selections that agree may have been reached in different ways.
        measurement.steps = selection.steps;
        measurement.whole += own;
        measurement.panicked = panicked;
        measured[at] = measurement;
    }
    measured
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed())
}

/// The truth of a page, ready for comparisons.
struct Comparison<'c> {
    metrics: Metrics,
    parts: Parts,
    form: Form,
    bag: Bag,
    reference: Reference,
    labels: Labels,
    /// The page's title, and where in the text it belongs.
    title: (String, TitleKind),
    lexicon: &'c mut Lexicon,
    text: &'c mut String,
    words: &'c mut Vec<u32>,
}

impl Comparison<'_> {
    /// Words of all of the body's visible text, and those that it has in common with the truth.
    fn body(&mut self, page: &PageContext<'_>) -> (u32, u32) {
        let view = page.view(&Strip::new(Forms::Keep));
        let dom = view.dom();
        let body = if dom.is_empty() { 0..0 } else { dom.subtree(dom.body()) };
        self.text.clear();
        Selection::new(Some(body).filter(|body| !body.is_empty()).into_iter().collect()).render_words(&view, self.text);
        self.words.clear();
        self.lexicon.read(self.text, self.words);
        (self.words.len() as u32, self.bag.common(self.words))
    }

    /// Compares the Markdown of a selection with the truth.
    fn form(&mut self, view: &View<'_>, selection: &Selection) -> FormCounts {
        self.text.clear();
        if self.form.is_measured() {
            selection.render(view, TextForm::markdown(), self.text);
        }
        self.form.compare(self.text)
    }

    /// Compares the text and the nodes of a selection with the truth. Of the times, only rendering is measured.
    fn measure(&mut self, view: &View<'_>, selection: &Selection) -> Measurement {
        self.text.clear();
        // The markers of lists and tables are no words of the page.
        let ((), whole) = timed(|| {
            selection.render_words(view, self.text);
            title::settle_words(self.text, &self.title.0, self.title.1);
        });
        self.words.clear();
        self.lexicon.read(self.text, self.words);
        let in_order = self.metrics.has(Metric::Lcs) || self.metrics.has(Metric::Verdict);
        if in_order && self.reference.steps(self.words) > MAX_LCS_STEPS {
            return Measurement {
                too_long: true,
                whole,
                form: self.form.compare(""),
                ..Measurement::default()
            };
        }
        Measurement {
            words: self.words.len() as u32,
            common: if self.metrics.has(Metric::Bag) || self.metrics.has(Metric::Parts) {
                self.bag.common(self.words)
            } else {
                0
            },
            lcs: if in_order {
                self.reference.common(self.words) as u32
            } else {
                0
            },
            nodes: self.labels.extracted(view, selection),
            parts: if self.metrics.has(Metric::Parts) {
                self.parts.found(self.words)
            } else {
                PartCounts::default()
            },
            form: self.form(view, selection),
            whole,
            ..Measurement::default()
        }
    }
}
