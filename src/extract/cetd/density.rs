//! The densities of a view's tags, their DensitySums, and the smoothing of them.

use std::f64::consts::E;

use super::{Cetd, Density, LinkTags, TextRuns, Threshold, Zeros};
use crate::dom::NodeId;
use crate::dom::view::{Sums, View};

/// What CETD knows of every node of the body, by index from [`Densities::first`] on.
#[derive(Clone, Debug, Default)]
pub struct Densities {
    /// The body.
    pub first: NodeId,
    /// Density of each tag; NaN for a node that is none or is masked.
    pub densities: Vec<f64>,
    /// DensitySum of each tag; 0 for other nodes.
    pub sums: Vec<f64>,
    /// For each tag, the one with the greatest DensitySum in its subtree, itself included.
    best: Vec<NodeId>,
}

/// What stands under a tag, zeros left as they are.
#[derive(Clone, Copy, Debug)]
struct Under {
    chars: u32,
    tags: u32,
    link_chars: u32,
    link_tags: u32,
}

/// No tag of a subtree is known yet.
const NONE: NodeId = NodeId::MAX;

impl Densities {
    pub(super) fn of(cetd: &Cetd, view: &View<'_>) -> Self {
        let dom = view.dom();
        if dom.is_empty() {
            return Self::default();
        }
        let body = dom.subtree(dom.body());
        let first = body.start;
        let mut this = Self {
            first,
            densities: vec![f64::NAN; body.len()],
            sums: vec![0.0; body.len()],
            best: vec![NONE; body.len()],
        };
        let formula = Formula::of(cetd, view.range(body.clone()));
        let mut links = Links::new(cetd.link_tags, body.len());
        // Characters of the text to the right of which a tag, or the end of the parent, was met last.
        let mut runs = vec![
            0u32;
            if cetd.text_runs == TextRuns::Ignored {
                0
            } else {
                body.len()
            }
        ];
        // Children stand behind their parent, so going backwards finds every sum complete.
        for id in body.clone().rev() {
            let node = dom.node(id);
            let (i, parent) = ((id - first) as usize, node.parent.saturating_sub(first) as usize);
            if node.tag.is_text() {
                if let Some(run) = runs.get_mut(parent) {
                    *run += view.range(id..id + 1).text.chars;
                }
                continue;
            }
            let own = view.range(id..id + 1);
            if own.tags == 0 {
                // Masked; it does not part the texts around it either.
                continue;
            }
            let inner = view.range(id + 1..node.end);
            let under = Under {
                chars: inner.text.chars,
                tags: inner.tags,
                link_chars: inner.control_chars,
                link_tags: links.under(i, inner),
            };
            let density = formula.density(under);
            this.densities[i] = density;
            if inner.tags == 0 {
                this.sums[i] = density;
            } else if let Some(run) = runs.get(i) {
                this.sums[i] += formula.run(*run);
            }
            // Of equal sums, the wider tag's.
            if this.best[i] == NONE || this.sums[i] >= this.sum(this.best[i]) {
                this.best[i] = id;
            }
            if id == first {
                break;
            }
            if let Some(run) = runs.get_mut(parent) {
                this.sums[parent] += formula.run(std::mem::take(run));
            }
            this.sums[parent] += density;
            // Of equal sums, the first tag's, which is met last.
            if this.best[parent] == NONE || this.sum(this.best[i]) >= this.sum(this.best[parent]) {
                this.best[parent] = this.best[i];
            }
            links.climb(i, parent, own, inner);
        }
        this
    }

    /// Density of a tag; NaN for another node.
    pub fn density(&self, id: NodeId) -> f64 {
        self.densities[(id - self.first) as usize]
    }

    /// DensitySum of a tag; 0 for another node.
    pub fn sum(&self, id: NodeId) -> f64 {
        self.sums[(id - self.first) as usize]
    }

    /// The tag with the greatest DensitySum in the subtree of a tag.
    pub fn best_under(&self, id: NodeId) -> NodeId {
        self.best[(id - self.first) as usize]
    }

    /// The density that a tag must reach, before the coefficient.
    pub fn threshold(&self, view: &View<'_>, rule: Threshold) -> f64 {
        let mut least = self.density(self.first);
        if rule == Threshold::Path {
            let mut id = self.best_under(self.first);
            while id > self.first {
                least = least.min(self.density(id));
                id = view.dom().node(id).parent;
            }
        }
        least
    }

    /// Replaces every density but the body's by its average with those of the neighbouring tags.
    pub(super) fn smooth(&mut self, view: &View<'_>) {
        let dom = view.dom();
        let body = dom.subtree(self.first);
        let sharp = self.densities.clone();
        let density = |id: NodeId| sharp[(id - self.first) as usize];
        for parent in body {
            let mut tags = dom.children(parent).filter(|id| !density(*id).is_nan());
            let (mut before, mut here) = (None, tags.next());
            while let Some(id) = here {
                let after = tags.next();
                let (mut sum, mut weights) = (2.0 * density(id), 2.0);
                for neighbour in [before, after].into_iter().flatten() {
                    sum += density(neighbour);
                    weights += 1.0;
                }
                self.densities[(id - self.first) as usize] = sum / weights;
                (before, here) = (here, after);
            }
        }
    }
}

/// The formula with what is the same for all tags of a page.
struct Formula {
    density: Density,
    zeros: Zeros,
    text_runs: TextRuns,
    /// `LC_b/C_b`.
    body_ratio: f64,
}

impl Formula {
    fn of(cetd: &Cetd, body: Sums) -> Self {
        Self {
            density: cetd.density,
            zeros: cetd.zeros,
            text_runs: cetd.text_runs,
            body_ratio: f64::from(body.control_chars) / f64::from(body.text.chars.max(1)),
        }
    }

    fn density(&self, under: Under) -> f64 {
        match self.density {
            Density::Text => f64::from(under.chars) / f64::from(under.tags.max(1)),
            Density::Composite => self.composite(under, self.zeros),
        }
    }

    fn composite(&self, under: Under, zeros: Zeros) -> f64 {
        let or_one = |count: u32| f64::from(count.max(1));
        let (chars, tags) = (f64::from(under.chars), or_one(under.tags));
        let argument = chars / or_one(under.link_chars) * tags / or_one(under.link_tags);
        if argument <= 1.0 {
            // Nothing but hyperlinks, or no text at all.
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

    /// What a run of text between two tags adds to the sum of the tag around it.
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
            // The program's term is the composite density of such a tag with no hyperlinks for a factor.
            (TextRuns::Code, Density::Composite) => self.composite(tag, Zeros::Denominators),
            (TextRuns::Tag, Density::Composite) => self.composite(tag, self.zeros),
        }
    }
}

/// Hyperlink tags by the rule that counts containers, which no prefix sum can hold: whether a container counts depends
/// on all that is in it.
struct Links {
    /// Hyperlink tags under each tag; empty where only elements count.
    tags: Vec<u32>,
    /// Tags under each tag that are hyperlink tags or stand in one.
    linked: Vec<u32>,
}

impl Links {
    fn new(rule: LinkTags, nodes: usize) -> Self {
        let nodes = if rule == LinkTags::Containers { nodes } else { 0 };
        Self {
            tags: vec![0; nodes],
            linked: vec![0; nodes],
        }
    }

    fn under(&self, i: usize, inner: Sums) -> u32 {
        self.tags.get(i).copied().unwrap_or(inner.controls)
    }

    /// Adds a tag, whose own counts and those of what is in it are given, to its parent.
    fn climb(&mut self, i: usize, parent: usize, own: Sums, inner: Sums) {
        if self.tags.is_empty() {
            return;
        }
        let all_linked = inner.tags > 0 && self.linked[i] == inner.tags && inner.control_chars == inner.text.chars;
        if own.controls == 1 || all_linked {
            self.tags[parent] += self.tags[i] + 1;
            self.linked[parent] += inner.tags + 1;
        } else {
            self.tags[parent] += self.tags[i];
            self.linked[parent] += self.linked[i];
        }
    }
}
