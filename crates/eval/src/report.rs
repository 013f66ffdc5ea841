//! Figures from counts: the measures of every page, their means over groups of pages, the worst pages.

use std::collections::BTreeMap;

use super::columns::{Column, Source, Unit, columns};
use super::form::{EDITS, FormCounts};
use super::join::{Evaluation, TruthOutcome};
use super::measure::{ENTIRE, Judgement, Prf, harmonic, score};
use super::page::{Measurement, PageCounts};
use super::structure::{KINDS, PartsOfKind};
use super::truth::{Truth, TruthLine};
use dehusk_archive::redact::redacted;
use dehusk_engine::page::Dropped;

/// The name of the group of pages for which the truth has no value.
const UNKNOWN: &str = "(unknown)";

/// How pages are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// All pages.
    All,
    /// The truth file.
    Truth,
    /// The truth's language.
    Language,
    /// The truth's type of page.
    PageType,
    /// The host, without `www.`.
    Site,
}

impl GroupBy {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::All => "all",
            GroupBy::Truth => "truth",
            GroupBy::Language => "language",
            GroupBy::PageType => "page_type",
            GroupBy::Site => "site",
        }
    }

    fn group(self, line: &TruthLine, truth: &Truth) -> String {
        let name = match self {
            GroupBy::All => return "all".to_owned(),
            GroupBy::Truth => redacted(&truth.files[line.file]).to_string_lossy().into_owned(),
            GroupBy::Language => line.lang.clone(),
            GroupBy::PageType => line.page_type.clone(),
            GroupBy::Site => line.site(),
        };
        if name.is_empty() { UNKNOWN.to_owned() } else { name }
    }
}

/// Number of figures of a page: one for each of all [`columns`] that are means.
const FIGURES: usize = FORM + 3 + EDITS + 3 * KINDS;

/// The place of the first figure that a page may lack: times, parts, steps.
const LACKING: usize = 17;

/// The place of the first figure of the form.
const FORM: usize = 26;

/// The figures of one extraction. Times, steps and the whole page's share are `None` without a measurement, and parts
/// where the truth does not name them.
fn figures(counts: &PageCounts, measured: Option<&Measurement>) -> [Option<f64>; FIGURES] {
    let none = Measurement {
        form: counts.form,
        ..Measurement::default()
    };
    let m = measured.unwrap_or(&none);
    let truth = counts.words;
    let bag = Prf::new(m.common, m.words, truth);
    let lcs = Prf::new(m.lcs, m.words, truth);
    // If no node of the page is an answer, extracting nothing is not correct.
    let nothing = counts.nodes.answers == 0 && truth > 0;
    let unless_nothing = |prf| if nothing { Prf::default() } else { prf };
    let nodes = unless_nothing(Prf::new(m.nodes.answers, m.nodes.nodes, counts.nodes.answers));
    let text = unless_nothing(Prf::new(m.nodes.answer_words, m.nodes.words, counts.nodes.answer_words));
    let verdict = Judgement::new(m.lcs, m.words, truth);
    let is = |v: bool| if v { 1.0 } else { 0.0 };
    let three = |prf: Prf| [prf.precision, prf.recall, prf.f1];
    let verdicts = [Judgement::Correct, Judgement::Wrong, Judgement::Missed].map(|v| is(v == verdict));
    let shares = three(bag)
        .into_iter()
        .chain(three(lcs))
        .chain([score(m.lcs, m.words, truth)])
        .chain([nodes, text].into_iter().flat_map(three))
        .chain(verdicts)
        .chain([is(m.words == 0)]);
    let mut all = [None; FIGURES];
    all.iter_mut()
        .zip(shares)
        .for_each(|(place, share)| *place = Some(share));
    let share = |part: u32, of: u32| (of > 0).then(|| f64::from(part) / f64::from(of));
    let (parts, found) = (counts.parts, m.parts);
    let lacking = [
        measured.map(|m| m.own.as_secs_f64() * 1e3),
        measured.map(|m| m.whole.as_secs_f64() * 1e3),
        share(found.title, parts.title),
        share(found.titles, parts.titles),
        share(found.authors, parts.authors),
        share(parts.comments - found.comments, parts.comments),
        (truth > 0).then(|| is(bag.recall < ENTIRE)),
        measured.map(|_| Prf::new(counts.body.1, counts.body.0, truth).precision),
        measured.and_then(|m| m.steps).map(f64::from),
    ];
    all[LACKING..FORM].copy_from_slice(&lacking);
    let places = all[FORM..].iter_mut();
    places
        .zip(form_figures(&m.form))
        .for_each(|(place, figure)| *place = figure);
    all
}

/// The figures of the form. Parts are counted, and only where the truth has the kind.
fn form_figures(form: &FormCounts) -> impl Iterator<Item = Option<f64>> {
    let rouge = |figure: fn(Prf) -> f64| form.rouge.map(figure);
    let counts = |kind: PartsOfKind| {
        let counts = [kind.common, kind.extracted, kind.truth];
        counts.map(|n| (kind.truth > 0).then_some(f64::from(n)))
    };
    [rouge(|r| r.precision), rouge(|r| r.recall), rouge(|r| r.f1)]
        .into_iter()
        .chain(form.edits)
        .chain(form.kinds.into_iter().flat_map(counts))
}

/// Figures of one group of pages, or of one page, under one extractor.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The kind of group: the name of a [`GroupBy`], or `page`, or `worst`.
    pub by: &'static str,
    /// The group's name; a page's record id.
    pub group: String,
    /// The extractor.
    pub extractor: String,
    /// Number of pages.
    pub pages: usize,
    /// The value of each column of the report over the pages that have it, in order; `None` where no page has.
    pub figures: Vec<Option<f64>>,
    /// A page's URL.
    pub url: String,
    /// A page's place: `ARCHIVE@OFFSET`.
    pub place: String,
}

/// The options of a report.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions {
    /// How pages are grouped. Empty for the default: all pages, the language and the type of page, and the truth file
    /// if there are several.
    pub by: Vec<GroupBy>,
    /// Whether every page gets rows of its own.
    pub per_page: bool,
    /// Number of the worst pages that are listed for each extractor.
    pub worst: usize,
    /// Whether truth without a page is ignored. Otherwise it counts as a page without output.
    pub joined_only: bool,
}

/// How truth and archives match: numbers, and lists of what does not match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Lines of truth.
    pub truth: usize,
    /// Lines of truth whose page was measured.
    pub joined: usize,
    /// Lines of truth without a page: record id and reason.
    pub without_page: Vec<(String, String)>,
    /// Pages without truth: record id and place.
    pub without_truth: Vec<(String, String)>,
    /// Records with the id of an earlier one: record id and place.
    pub repeated: Vec<(String, String)>,
    /// Pages on which an extractor panicked: record id and extractor.
    pub panicked: Vec<(String, String)>,
    /// Extractions that are too long for a comparison with the truth: record id and extractor.
    pub too_long: Vec<(String, String)>,
    /// Number of failed records and skipped ranges.
    pub damaged: u64,
    /// Archives that could not be read to their end.
    pub unread: Vec<String>,
}

/// All figures of an evaluation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The extractors, in order.
    pub extractors: Vec<String>,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// Groups in order, with the extractors in order under each.
    pub groups: Vec<Row>,
    /// Pages in the order of the truth, if asked for.
    pub pages: Vec<Row>,
    /// Each extractor's worst pages, the worst first, if asked for.
    pub worst: Vec<Row>,
    /// How truth and archives match.
    pub fit: Fit,
}

impl Report {
    /// Averages over groups of pages.
    pub fn new(evaluation: &Evaluation, truth: &Truth, options: &ReportOptions) -> Self {
        let sample = Sample::new(evaluation, truth, options.joined_only);
        let mut report = Self {
            extractors: evaluation.extractors.clone(),
            columns: columns(evaluation.metrics),
            groups: Vec::new(),
            pages: Vec::new(),
            worst: Vec::new(),
            fit: fit(evaluation, truth),
        };
        for by in chosen(options, truth) {
            let groups = sample.groups(by);
            if by == GroupBy::All || options.by.contains(&by) || groups.iter().any(|(name, _)| name != UNKNOWN) {
                report.add_groups(by, groups, &sample);
            }
        }
        if options.per_page {
            report.pages = (0..sample.lines.len())
                .flat_map(|at| (0..report.extractors.len()).map(move |extractor| (at, extractor)))
                .map(|(at, extractor)| report.page_row("page", &sample, at, extractor))
                .collect();
        }
        if let Some(rank) = report.rank().filter(|_| options.worst > 0) {
            for extractor in 0..report.extractors.len() {
                let value = |at: usize| report.rank_value(rank, &sample.figures[at][extractor]);
                let mut order: Vec<usize> = (0..sample.lines.len()).collect();
                order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
                let worst = order.into_iter().take(options.worst);
                let rows: Vec<Row> = worst
                    .map(|at| report.page_row("worst", &sample, at, extractor))
                    .collect();
                report.worst.extend(rows);
            }
        }
        report
    }

    /// Adds the rows of groups: one for each group and extractor.
    fn add_groups(&mut self, by: GroupBy, groups: Vec<(String, Vec<usize>)>, sample: &Sample<'_>) {
        for (group, members) in groups {
            for (extractor, name) in self.extractors.iter().enumerate() {
                self.groups.push(Row {
                    by: by.name(),
                    group: group.clone(),
                    extractor: name.clone(),
                    pages: members.len(),
                    figures: self.means(members.iter().map(|at| &sample.figures[*at][extractor])),
                    url: String::new(),
                    place: String::new(),
                });
            }
        }
    }

    /// The row of one page under one extractor.
    fn page_row(&self, by: &'static str, sample: &Sample<'_>, at: usize, extractor: usize) -> Row {
        let (line, outcome) = sample.lines[at];
        let place = match outcome {
            TruthOutcome::Page { place, .. } | TruthOutcome::Dropped { place, .. } => place.clone(),
            TruthOutcome::Absent { .. } => String::new(),
        };
        Row {
            by,
            group: line.record_id.clone(),
            extractor: self.extractors[extractor].clone(),
            pages: 1,
            figures: self.means(std::iter::once(&sample.figures[at][extractor])),
            url: line.url.clone(),
            place,
        }
    }

    /// The figure that ranks pages and is drawn as a curve: the first F1.
    pub fn leading(&self) -> Option<&Column> {
        self.columns.iter().find(|c| c.heading == "F1")
    }

    /// The number of that column. Without an F1 it is the first share.
    fn rank(&self) -> Option<usize> {
        let first_share = || self.columns.iter().position(|c| c.unit == Unit::Share);
        self.columns.iter().position(|c| c.heading == "F1").or_else(first_share)
    }

    /// The value of a column for a page. A page that lacks it is never among the worst.
    fn rank_value(&self, column: usize, page: &[Option<f64>; FIGURES]) -> f64 {
        self.means(std::iter::once(page))[column].unwrap_or(f64::INFINITY)
    }

    /// The report's columns over the pages that have them.
    fn means<'p>(&self, pages: impl Iterator<Item = &'p [Option<f64>; FIGURES]>) -> Vec<Option<f64>> {
        let mut sums = [(0.0, 0u32); FIGURES];
        for page in pages {
            for (sum, value) in sums.iter_mut().zip(page) {
                if let Some(value) = value {
                    *sum = (sum.0 + value, sum.1 + 1);
                }
            }
        }
        let mean = |at: usize| match sums[at] {
            (_, 0) => None,
            (sum, n) => Some(sum / f64::from(n)),
        };
        let value = |column: &Column| match column.source {
            Source::Mean(at) => mean(at),
            Source::OfMeans(at) => Some(harmonic(mean(at)?, mean(at + 1)?)),
            Source::Counts(at, share) => Some(share(mean(at)?, mean(at + 1)?, mean(at + 2)?)),
        };
        self.columns.iter().map(value).collect()
    }
}

/// The lines of truth that count, with their outcomes and figures.
struct Sample<'e> {
    truth: &'e Truth,
    lines: Vec<(&'e TruthLine, &'e TruthOutcome)>,
    /// The figures of each line, one set for each extractor.
    figures: Vec<Vec<[Option<f64>; FIGURES]>>,
}

impl<'e> Sample<'e> {
    fn new(evaluation: &'e Evaluation, truth: &'e Truth, joined_only: bool) -> Self {
        let is_counted = |outcome: &TruthOutcome| !joined_only || matches!(outcome, TruthOutcome::Page { .. });
        let lines = truth.lines.iter().zip(&evaluation.lines);
        let lines: Vec<_> = lines.filter(|(_, outcome)| is_counted(outcome)).collect();
        let figures_of = |(_, outcome): &(&TruthLine, &TruthOutcome)| match outcome {
            TruthOutcome::Page { counts, measured, .. } => measured.iter().map(|m| figures(counts, Some(m))).collect(),
            TruthOutcome::Dropped { counts, .. } | TruthOutcome::Absent { counts } => {
                vec![figures(counts, None); evaluation.extractors.len()]
            }
        };
        Self {
            truth,
            figures: lines.iter().map(figures_of).collect(),
            lines,
        }
    }

    /// The names of groups and the places of their lines, the largest group first.
    fn groups(&self, by: GroupBy) -> Vec<(String, Vec<usize>)> {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (line, _)) in self.lines.iter().enumerate() {
            groups.entry(by.group(line, self.truth)).or_default().push(at);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        groups
    }
}

fn chosen(options: &ReportOptions, truth: &Truth) -> Vec<GroupBy> {
    if !options.by.is_empty() {
        return options.by.clone();
    }
    let mut by = vec![GroupBy::All];
    by.extend((truth.files.len() > 1).then_some(GroupBy::Truth));
    by.extend([GroupBy::Language, GroupBy::PageType]);
    by
}

/// The reason why a record is no page.
fn reason(why: Dropped) -> String {
    let rule = why.rule().map(|rule| format!(": {rule}")).unwrap_or_default();
    format!("{} as {}{rule}", why.outcome(), why.reason())
}

fn fit(evaluation: &Evaluation, truth: &Truth) -> Fit {
    let join = &evaluation.join;
    let named = |pages: &[super::UnmatchedPage]| pages.iter().map(|s| (s.record_id.clone(), s.place.clone())).collect();
    let mut fit = Fit {
        truth: truth.lines.len(),
        without_truth: named(&join.unmatched),
        repeated: named(&join.repeated),
        damaged: join.damaged,
        unread: join.unread.clone(),
        ..Fit::default()
    };
    for (line, outcome) in truth.lines.iter().zip(&evaluation.lines) {
        let id = || line.record_id.clone();
        match outcome {
            TruthOutcome::Page { measured, .. } => {
                fit.joined += 1;
                for (name, m) in evaluation.extractors.iter().zip(measured) {
                    fit.panicked.extend(m.panicked.then(|| (id(), name.clone())));
                    fit.too_long.extend(m.too_long.then(|| (id(), name.clone())));
                }
            }
            TruthOutcome::Dropped { why, .. } => fit.without_page.push((id(), reason(*why))),
            TruthOutcome::Absent { .. } => fit.without_page.push((id(), "not in the archives".to_owned())),
        }
    }
    fit
}
