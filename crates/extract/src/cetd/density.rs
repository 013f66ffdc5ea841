//! The densities of a view's tags, their smoothing, and their DensitySums.

use std::f64::consts::E;
use std::rc::Rc;

use super::tags::{Runs, TagRow, Tags};
use super::{Cetd, Density, TextRuns, Threshold, Zeros};
use crate::view::{Sums, View};
use dehusk_html::NodeId;

/// The densities of all tags of the body.
#[derive(Clone, Debug)]
pub struct Densities {
    pub(super) tags: Rc<Tags>,
    /// Density of each tag.
    pub(super) densities: Rc<Vec<f64>>,
}

/// The DensitySums of all tags of the body.
#[derive(Clone, Debug)]
pub struct DensitySums {
    tags: Rc<Tags>,
    /// DensitySum of each tag.
    pub(super) sums: Vec<f64>,
    /// For each tag, the one with the greatest DensitySum in its subtree, itself included.
    pub(super) best: Vec<u32>,
}

/// The counts under a tag, with zeros as they are.
#[derive(Clone, Copy, Debug)]
struct Under {
    chars: u32,
    tags: u32,
    link_chars: u32,
    link_tags: u32,
}

impl From<&TagRow> for Under {
    fn from(row: &TagRow) -> Self {
        Self {
            chars: row.chars,
            tags: row.tags,
            link_chars: row.link_chars,
            link_tags: row.link_tags,
        }
    }
}

/// No tag.
const NONE: u32 = u32::MAX;

impl Densities {
    /// The densities of a view's tags. Presets with the same density share them.
    pub(super) fn new(cetd: &Cetd, view: &View<'_>) -> Self {
        let tags = view.shared(cetd.link_tags, || Tags::new(view, cetd.link_tags));
        let key = (cetd.link_tags, cetd.density, cetd.zeros);
        let densities = view.shared(key, || {
            let formula = Formula::new(cetd, view);
            tags.rows.iter().map(|row| formula.density(row)).collect()
        });
        Self { tags, densities }
    }

    /// Density of a tag; NaN for another node.
    pub fn density(&self, id: NodeId) -> f64 {
        self.tags.place(id).map_or(f64::NAN, |at| self.densities[at])
    }

    /// The densities of the tags before and after a tag in its parent, in words.
    pub(super) fn neighbours(&self, id: NodeId) -> String {
        let Some(at) = self.tags.place(id).filter(|at| *at > 0) else {
            return "none".to_owned();
        };
        let rows = &self.tags.rows;
        let is_sibling = |other: &usize| rows.get(*other).is_some_and(|row| row.parent == rows[at].parent);
        let first = rows[at].parent as usize + 1;
        let before = std::iter::successors(Some(first), |other| Some(self.tags.after(*other)));
        let before = before.take_while(|other| *other < at).last();
        let after = Some(self.tags.after(at)).filter(is_sibling);
        let near = [before, after]
            .into_iter()
            .flatten()
            .map(|other| format!("{:.4}", self.densities[other]));
        match near.collect::<Vec<String>>().as_slice() {
            [] => "none".to_owned(),
            near => near.join(" and "),
        }
    }

    /// The density that a tag must reach, before the coefficient.
    pub fn threshold(&self, sums: &DensitySums, rule: Threshold) -> f64 {
        let mut least = self.densities.first().copied().unwrap_or(f64::NAN);
        if rule == Threshold::Path {
            let mut at = sums.best.first().map_or(0, |best| *best as usize);
            while at > 0 {
                least = least.min(self.densities[at]);
                at = self.tags.rows[at].parent as usize;
            }
        }
        least
    }

    /// Replaces every density except the body's by its average with those of the neighbouring tags.
    pub(super) fn smooth(&mut self) {
        let rows = &self.tags.rows;
        let sharp = &self.densities;
        let mut smooth = Vec::with_capacity(rows.len());
        smooth.extend(sharp.first());
        // The latest child of each tag.
        let mut latest = vec![0; rows.len()];
        for (at, row) in rows.iter().enumerate().skip(1) {
            let parent = row.parent as usize;
            let before = std::mem::replace(&mut latest[parent], at);
            let (mut sum, mut weights) = (2.0 * sharp[at], 2.0);
            if before > 0 {
                sum += sharp[before];
                weights += 1.0;
            }
            let after = self.tags.after(at);
            if rows.get(after).is_some_and(|after| after.parent == row.parent) {
                sum += sharp[after];
                weights += 1.0;
            }
            smooth.push(sum / weights);
        }
        self.densities = Rc::new(smooth);
    }
}

impl DensitySums {
    pub(super) fn new(cetd: &Cetd, view: &View<'_>, measured: &Densities) -> Self {
        let tags = Rc::clone(&measured.tags);
        let formula = Formula::new(cetd, view);
        let runs = (cetd.text_runs != TextRuns::Ignored).then(|| Runs::new(view, &tags));
        let mut sums = vec![0.0; tags.rows.len()];
        let mut best = vec![NONE; tags.rows.len()];
        // Tags come after the tag around them, so a backward pass finds every sum complete.
        for (at, row) in tags.rows.iter().enumerate().rev() {
            let density = measured.densities[at];
            if row.tags == 0 {
                sums[at] = density;
            } else if let Some(runs) = &runs {
                sums[at] += formula.run(runs.leading[at]);
            }
            let sum: f64 = sums[at];
            // Of equal sums the outer tag wins.
            if best[at] == NONE || sum >= sums[best[at] as usize] {
                best[at] = at as u32;
            }
            if at == 0 {
                break;
            }
            let parent = row.parent as usize;
            if let Some(runs) = &runs {
                sums[parent] += formula.run(runs.trailing[at]);
            }
            sums[parent] += density;
            // Of equal sums the first tag wins, which comes last here.
            if best[parent] == NONE || sums[best[at] as usize] >= sums[best[parent] as usize] {
                best[parent] = best[at];
            }
        }
        Self { tags, sums, best }
    }

    /// DensitySum of a tag; 0 for another node.
    pub fn sum(&self, id: NodeId) -> f64 {
        self.tags.place(id).map_or(0.0, |at| self.sums[at])
    }

    /// The tag with the greatest DensitySum in the subtree of a tag; `None` for another node.
    pub fn best_under(&self, id: NodeId) -> Option<NodeId> {
        let at = self.tags.place(id)?;
        Some(self.tags.rows[self.best[at] as usize].id)
    }
}

/// The formula with the values that are the same for all tags of a page.
struct Formula {
    density: Density,
    zeros: Zeros,
    text_runs: TextRuns,
    /// `LC_b/C_b`.
    body_ratio: f64,
}

impl Formula {
    fn new(cetd: &Cetd, view: &View<'_>) -> Self {
        let dom = view.dom();
        let body = if dom.is_empty() {
            Sums::default()
        } else {
            view.subtree(dom.body())
        };
        Self {
            density: cetd.density,
            zeros: cetd.zeros,
            text_runs: cetd.text_runs,
            body_ratio: f64::from(body.control_chars) / f64::from(body.text.chars.max(1)),
        }
    }

    fn density(&self, under: &TagRow) -> f64 {
        match self.density {
            Density::Text => f64::from(under.chars) / f64::from(under.tags.max(1)),
            Density::Composite => self.composite(under.into(), self.zeros),
        }
    }

    fn composite(&self, under: Under, zeros: Zeros) -> f64 {
        if under.chars == 0 {
            return 0.0;
        }
        let or_one = |count: u32| f64::from(count.max(1));
        let (chars, tags) = (f64::from(under.chars), or_one(under.tags));
        let argument = chars / or_one(under.link_chars) * tags / or_one(under.link_tags);
        if argument <= 1.0 {
            // Nothing but hyperlinks.
            return 0.0;
        }
        let factor = match zeros {
            Zeros::Everywhere => or_one(under.link_chars),
            Zeros::Denominators => f64::from(under.link_chars),
        };
        let other = or_one(under.chars - under.link_chars);
        let base = (chars / other * factor + self.body_ratio * chars + E).ln();
        let text = chars / tags;
        if base > 1.0 {
            text * argument.ln() / base.ln()
        } else {
            text
        }
    }

    /// The part of a run of text between two tags in the DensitySum of the tag around it.
    fn run(&self, chars: u32) -> f64 {
        let tag = Under {
            chars,
            tags: 0,
            link_chars: 0,
            link_tags: 0,
        };
        match (self.text_runs, self.density) {
            (TextRuns::Ignored, _) => 0.0,
            (_, Density::Text) => f64::from(chars),
            // The term of the authors' program is the composite density of such a tag without the hyperlinks as a
            // factor.
            (TextRuns::Code, Density::Composite) => self.composite(tag, Zeros::Denominators),
            (TextRuns::Tag, Density::Composite) => self.composite(tag, self.zeros),
        }
    }
}
