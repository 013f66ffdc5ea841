//! CETR, Content Extraction via Tag Ratios: the lines of the source with much text for each tag.
//!
//! T. Weninger, W. H. Hsu, J. Han: *CETR: Content Extraction via Tag Ratios*, WWW 2010.
//!
//! Of each line i of the source, T(i) is the number of characters of text, divided by the number of tags (at least 1).
//! A Gaussian smooths them, and so the differences to the lines that follow, without their sign:
//!
//! ```text
//! k(j)  = exp(-j^2 / (2 r^2)), -r <= j <= r, divided by its sum
//! T'(i) = sum over j of k(j) * T(i - j)
//! G(i)  = (T'(i) + … + T'(i + a - 1)) / a - T'(i)
//! G'(i) = |sum over j of k(j) * G(i - j)|
//! CETR     k-means of (T', G') with one center fixed at the origin; the lines of all other clusters are content
//! CETR-TM  the lines with T' >= lambda * (standard deviation of T') are content
//! ```
//!
//! | parameter | `cetr` | |
//! |---|---|---|
//! | `lines` | clusters | how lines are chosen: clusters, or threshold (CETR-TM) |
//! | `clusters` | 3 | the number of clusters, with that at the origin; at least 2 |
//! | `lambda` | 1.0 | of the threshold |
//! | `radius` | 1 | r of the Gaussian |
//! | `ahead` | 3 | a: the lines that a difference looks at |
//! | `wrap` | 65 | on a page of few lines, a line with so many characters of text ends at the next tag or white space |
//!
//! # Readings and departures
//!
//! - A character reference has as many characters as the source, because lines are of the source.
//! - A line ends at LF, CR or CR LF. Empty lines do not count, nor what is in comments, `script` and `style`.
//! - White space is collapsed before characters are counted.
//! - At the ends of a page, the Gaussian and G are shortened to the lines that there are, and stay means.
//! - A page has few lines if they have more than 500 bytes on average, the head and scripts included. The paper gives
//!   no number.
//! - Texts without words, such as lines of dashes, are never content.
//! - Clusters begin on the line from (0, 0) to the largest T' and G', at equal distances.
//! - Of a text of several lines, the majority of its characters decides.

use serde::{Deserialize, Serialize};

use super::k_means::{self, Point, clusters};
use super::source_lines::{SourceLine, SourceLines, TextPart};
use super::tokens::{OfText, in_range, strip};
use crate::strip::Strip;
use crate::texts::select;
use crate::{Explanation, Extractor, Figure, PageContext, ParameterError, Rule, Selection};
use dehusk_html::NodeId;

/// How lines are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lines {
    /// By clusters of ratios and differences.
    Clusters,
    /// By a threshold of ratios.
    Threshold,
}

/// Content Extraction via Tag Ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cetr {
    /// How lines are chosen.
    pub lines: Lines,
    /// The number of clusters, with that at the origin. At least 2.
    pub clusters: u32,
    /// The factor of the threshold.
    pub lambda: f64,
    /// The radius of the Gaussian, in lines.
    pub radius: u32,
    /// The lines that a difference looks at.
    pub ahead: u32,
    /// On a page of few lines, a line with so many characters of text is cut.
    pub wrap: u32,
}

impl Default for Cetr {
    fn default() -> Self {
        Self {
            lines: Lines::Clusters,
            clusters: 3,
            lambda: 1.0,
            radius: 1,
            ahead: 3,
            wrap: 65,
        }
    }
}

/// The figures of each line.
struct Judged {
    /// T'.
    smooth: Vec<f64>,
    /// G'; empty where lines are chosen by a threshold.
    changes: Vec<f64>,
    /// The cluster of each line, or 1 if it reaches the threshold. 0 is not content.
    clusters: Vec<usize>,
    /// The least T' of content; 0 where lines are chosen by clusters.
    threshold: f64,
}

impl Cetr {
    fn judge(&self, lines: &[SourceLine]) -> Judged {
        let ratio = |line: &SourceLine| f64::from(line.chars) / f64::from(line.tags.max(1));
        let ratios: Vec<f64> = lines.iter().map(ratio).collect();
        let kernel = Kernel::new(self.radius);
        let smooth = kernel.smooth(&ratios);
        match self.lines {
            Lines::Threshold => {
                let count = smooth.len().max(1) as f64;
                let mean = smooth.iter().sum::<f64>() / count;
                let variance = smooth.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / count;
                let threshold = self.lambda * variance.sqrt();
                let is_content = |ratio: &f64| usize::from(*ratio > 0.0 && *ratio >= threshold);
                Judged {
                    clusters: smooth.iter().map(is_content).collect(),
                    changes: Vec::new(),
                    smooth,
                    threshold,
                }
            }
            Lines::Clusters => {
                let differences = kernel.smooth(&self.differences(&smooth));
                let changes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
                let points: Vec<Point> = smooth
                    .iter()
                    .zip(&changes)
                    .map(|(ratio, change)| [*ratio, *change])
                    .collect();
                let largest = |axis: usize| points.iter().map(|point| point[axis]).fold(0.0, f64::max);
                let corner = [largest(0), largest(1)];
                let mut centers = k_means::centers(self.clusters, corner);
                Judged {
                    clusters: clusters(&points, &mut centers, true),
                    changes,
                    smooth,
                    threshold: 0.0,
                }
            }
        }
    }

    /// The mean of each line and those that follow, less the line itself.
    fn differences(&self, smooth: &[f64]) -> Vec<f64> {
        let ahead = self.ahead as usize;
        let whole = (smooth.len() + 1).saturating_sub(ahead);
        let mut sums = vec![0.0; smooth.len()];
        for distance in 0..ahead.min(smooth.len()) {
            for (sum, value) in sums[..whole].iter_mut().zip(&smooth[distance..]) {
                *sum += value;
            }
        }
        for (sum, value) in sums[..whole].iter_mut().zip(smooth) {
            *sum = *sum / ahead as f64 - value;
        }
        for at in whole..smooth.len() {
            let next = &smooth[at..];
            sums[at] = next.iter().sum::<f64>() / next.len() as f64 - smooth[at];
        }
        sums
    }
}

/// A Gaussian over lines.
struct Kernel {
    weights: Vec<f64>,
    radius: usize,
}

impl Kernel {
    fn new(radius: u32) -> Self {
        let r = f64::from(radius);
        let distances = (0..=2 * radius).map(|j| f64::from(j) - r);
        let weights = distances.map(|j| {
            if radius == 0 {
                1.0
            } else {
                (-j * j / (2.0 * r * r)).exp()
            }
        });
        Self {
            weights: weights.collect(),
            radius: radius as usize,
        }
    }

    /// The weighted means. At the ends, they are of the lines that there are.
    fn smooth(&self, values: &[f64]) -> Vec<f64> {
        let mut smooth = vec![0.0; values.len()];
        let last = values.len().saturating_sub(self.radius);
        let first = self.radius.min(last);
        // One weight after the other over all lines: the compiler makes vectors of that.
        for (weight, start) in self.weights.iter().zip(0..) {
            for (sum, value) in smooth[first..last].iter_mut().zip(values.iter().skip(start)) {
                *sum += value * weight;
            }
        }
        let all = self.weights.iter().sum::<f64>();
        smooth[first..last].iter_mut().for_each(|sum| *sum /= all);
        for at in (0..first).chain(last..values.len()) {
            smooth[at] = self.at_end(values, at);
        }
        smooth
    }

    fn at_end(&self, values: &[f64], at: usize) -> f64 {
        let start = at.saturating_sub(self.radius);
        let near = &values[start..(at + self.radius + 1).min(values.len())];
        let weights = &self.weights[start + self.radius - at..][..near.len()];
        let sum: f64 = near.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        sum / weights.iter().sum::<f64>()
    }
}

/// No radius and no look ahead is larger, so that the cost of a line is bounded.
const LARGEST_REACH: u32 = 1_000;

impl Extractor for Cetr {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        let lines = match self.lines {
            Lines::Clusters => format!(
                "whose smoothed ratio of text to tags, and its change, are in one of {} clusters, but not in that at \
                 the origin",
                self.clusters
            ),
            Lines::Threshold => format!(
                "whose smoothed ratio of text to tags is at least {} standard deviations",
                self.lambda
            ),
        };
        format!("keep the lines of the source {lines}; score = share of the page's words")
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_at_most("radius", self.radius, LARGEST_REACH)?;
        if !(0.0..=f64::MAX).contains(&self.lambda) {
            let requirement = format!("must be a number of 0 or more, not {}", self.lambda);
            return Err(ParameterError::invalid("lambda", requirement));
        }
        ParameterError::check_count("ahead", self.ahead, LARGEST_REACH)?;
        let most = k_means::MOST_CLUSTERS;
        if !(2..=most).contains(&self.clusters) {
            let requirement = format!("must lie between 2 and {most}, not be {}", self.clusters);
            return Err(ParameterError::invalid("clusters", requirement));
        }
        ParameterError::check_count("wrap", self.wrap, u32::MAX)
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = &*page.view(&strip());
        let source = SourceLines::read(view, self.wrap);
        let judged = self.judge(&source.lines);
        let mut parts = source.texts.as_slice();
        let mut selection = select(view, |id| {
            let first = parts.iter().take_while(|(node, _)| *node < id).count();
            let own = parts[first..].iter().take_while(|(node, _)| *node == id).count();
            let (kept, all) = judged.chars(&parts[first..first + own]);
            parts = &parts[first + own..];
            2 * kept > all
        });
        // A line of punctuation has characters, but no words.
        selection.ranges.retain(|range| view.words(range.clone()) > 0);
        selection
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let view = &*page.view(&strip());
        let source = SourceLines::read(view, self.wrap);
        let judged = self.judge(&source.lines);
        let explain = |id: &NodeId| {
            let subtree = view.dom().subtree(*id);
            if view.words(subtree.clone()) == 0 {
                return Explanation::new(*id, selection, &WORDLESS);
            }
            let parts = in_range(&source.texts, subtree);
            let (kept, all) = judged.chars(parts);
            let lines = judged.describe(&source.lines, parts);
            Explanation::new(
                *id,
                selection,
                if self.lines == Lines::Clusters {
                    &CLUSTERS
                } else {
                    &THRESHOLD
                },
            )
            .count("kept", kept)
            .count("all", all)
            .measure("threshold", judged.threshold)
            .with("lines", Figure::Names(lines.join("; ")))
        };
        nodes.iter().map(explain).collect()
    }
}

static CLUSTERS: Rule = Rule::new(
    "cetr.clusters",
    "{kept} of its {all} characters are in lines that are not in cluster 0; {lines}",
);
static THRESHOLD: Rule = Rule::new(
    "cetr.threshold",
    "{kept} of its {all} characters are in lines with T' of {threshold} or more; {lines}",
);
static WORDLESS: Rule = Rule::new(
    "cetr.wordless",
    "it has no words, so it is kept only inside an element that has words and is kept",
);

/// Most lines that an explanation lists.
const MOST_LINES: usize = 8;

impl Judged {
    /// The characters of parts of texts: those in lines of content, and all.
    fn chars(&self, parts: &[OfText<TextPart>]) -> (u64, u64) {
        let is_content = |part: &TextPart| self.clusters[part.line as usize] > 0;
        parts.iter().fold((0, 0), |(kept, all), (_, part)| {
            let chars = u64::from(part.chars);
            (kept + if is_content(part) { chars } else { 0 }, all + chars)
        })
    }

    /// The first lines that these parts lie in, with their figures. Lines that are not empty are counted from 1.
    fn describe(&self, lines: &[SourceLine], parts: &[OfText<TextPart>]) -> Vec<String> {
        let mut numbers: Vec<usize> = parts.iter().map(|(_, part)| part.line as usize).collect();
        numbers.dedup();
        let more = numbers.len().saturating_sub(MOST_LINES);
        let describe = |number: &usize| {
            let (line, smooth) = (lines[*number], self.smooth[*number]);
            let change = self
                .changes
                .get(*number)
                .map(|change| format!(", G' {change:.4}, cluster {}", self.clusters[*number]));
            let number = number + 1;
            let (chars, tags) = (line.chars, line.tags);
            format!(
                "line {number}: {chars} characters, {tags} tags, T' {smooth:.4}{}",
                change.unwrap_or_default()
            )
        };
        let mut described: Vec<String> = numbers.iter().take(MOST_LINES).map(describe).collect();
        described.extend((more > 0).then(|| format!("and {more} more")));
        described
    }
}
