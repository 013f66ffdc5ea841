//! Node-based precision and recall, plain and weighted by text (CoreEx, section 3.3).
//!
//! In the paper, people marked the answers node by node. Here they are derived from the text of the truth:
//!
//! 1. The *nodes* are the page's text nodes with at least one word, in document order, except for those in the head or
//!    in hidden elements. Code in `script` makes nodes too. They are never answers, but are extracted where scripts are
//!    kept as text.
//! 2. *Tiles* cover the words of all nodes and the words of the truth. The first tile is the longest run of words that
//!    both contain; the next is the longest run among the uncovered words, and so on down to runs of [`SHORTEST`] words
//!    (or of the whole truth, if it is shorter). Of equally long runs the first in the page is taken, and it covers the
//!    first place in the truth. Runs extend across nodes: so a heading or a link of one word counts if its surroundings
//!    do, and text that occurs twice in the page but once in the truth is an answer once.
//! 3. A node is an *answer* if at least half of its words are covered.
//!
//! The weight of a node is its number of words. For the extracted nodes `E` and the answers `A`, precision is
//! |E ∩ A| / |E| and recall is |E ∩ A| / |A|, in nodes or in weights.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use dehusk_extract::Selection;
use dehusk_extract::view::View;
use dehusk_html::rendering::push_node;
use dehusk_html::{Dom, NodeId, Tag};
use dehusk_similarity::lexicon::Lexicon;

/// Fewest words of a tile. Shorter runs occur anywhere by chance.
pub const SHORTEST: usize = 3;

/// Most places in the truth that are tried for one place in the page, in each round. Only texts with repetitions have
/// more, and they make no difference there.
const PLACES: usize = 64;

/// Most rounds of tiling. A round leaves only words that two copies compete for, and seldom are three rounds needed.
const ROUNDS: usize = 8;

/// Numbers of nodes, and of their words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes.
    pub nodes: u32,
    /// Words in the nodes.
    pub words: u32,
    /// Nodes that are answers.
    pub answers: u32,
    /// Words in the answers.
    pub answer_words: u32,
}

impl NodeCounts {
    fn add(&mut self, words: u32, answer: bool) {
        self.nodes += 1;
        self.words += words;
        if answer {
            self.answers += 1;
            self.answer_words += words;
        }
    }

    fn plus(self, other: Self, earlier: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes - earlier.nodes,
            words: self.words + other.words - earlier.words,
            answers: self.answers + other.answers - earlier.answers,
            answer_words: self.answer_words + other.answer_words - earlier.answer_words,
        }
    }
}

/// A page's nodes with their labels, as prefix sums.
#[derive(Debug, Default)]
pub struct Labels {
    /// `sums[i]` counts the nodes before `i`.
    sums: Vec<NodeCounts>,
}

impl Labels {
    /// Labels the nodes of a page. `truth` is the words of the truth in the numbers of `lexicon`.
    pub fn new(dom: &Dom<'_>, lexicon: &mut Lexicon, truth: &[u32]) -> Self {
        let mut page = Vec::new();
        let mut nodes: Vec<(NodeId, Range<usize>)> = Vec::new();
        let mut code: Vec<(NodeId, u32)> = Vec::new();
        let mut decoded = String::new();
        let mut id = 0;
        while id < dom.len() {
            let node = dom.node(id);
            if node.tag == Tag::Text {
                let from = page.len();
                decoded.clear();
                push_node(dom.source(), node, &mut decoded);
                lexicon.read(&decoded, &mut page);
                if page.len() > from {
                    nodes.push((id, from..page.len()));
                }
            } else if node.tag == Tag::Script {
                let mut words = Vec::new();
                for inside in id + 1..node.end {
                    words.clear();
                    lexicon.read(dom.raw(inside), &mut words);
                    code.push((inside, words.len() as u32));
                }
                id = node.end;
                continue;
            } else if node.tag.is_hidden() {
                id = node.end;
                continue;
            }
            id += 1;
        }
        let covered = cover(&page, truth);
        let mut sums = Vec::with_capacity(dom.len() as usize + 1);
        let mut sum = NodeCounts::default();
        let (mut nodes, mut code) = (nodes.into_iter().peekable(), code.into_iter().peekable());
        for id in 0..dom.len() {
            sums.push(sum);
            if let Some((_, words)) = nodes.next_if(|(node, _)| *node == id) {
                let right = covered[words.clone()].iter().filter(|c| **c).count();
                sum.add(words.len() as u32, 2 * right >= words.len());
            } else if let Some((_, words)) = code.next_if(|(node, _)| *node == id)
                && words > 0
            {
                sum.add(words, false);
            }
        }
        sums.push(sum);
        Self { sums }
    }

    /// Counts of all nodes. `answers` are the nodes that should be extracted.
    pub fn all(&self) -> NodeCounts {
        self.sums.last().copied().unwrap_or_default()
    }

    /// Whether a node counts: whether it is a text with a word.
    pub fn is_node(&self, id: NodeId) -> bool {
        self.stretch(id..id + 1).nodes > 0
    }

    /// Whether a node is an answer.
    pub fn is_answer(&self, id: NodeId) -> bool {
        self.stretch(id..id + 1).answers > 0
    }

    /// Whether at least half of the words of a range are in answers. It has a word.
    pub fn is_mostly_answers(&self, range: Range<NodeId>) -> bool {
        let counts = self.stretch(range);
        counts.words > 0 && 2 * counts.answer_words >= counts.words
    }

    /// Counts of the nodes of a selection. `answers` are the correctly selected nodes.
    pub fn extracted(&self, view: &View<'_>, selection: &Selection) -> NodeCounts {
        let mut counts = NodeCounts::default();
        for range in &selection.ranges {
            counts = counts.plus(self.stretch(range.clone()), NodeCounts::default());
            let masked = view.masked();
            let first = masked.partition_point(|m| m.end <= range.start);
            for mask in masked[first..].iter().take_while(|m| m.start < range.end) {
                let left_out = mask.start.max(range.start)..mask.end.min(range.end);
                counts = counts.plus(NodeCounts::default(), self.stretch(left_out));
            }
        }
        counts
    }

    fn stretch(&self, range: Range<NodeId>) -> NodeCounts {
        let at = |id: NodeId| self.sums.get(id as usize).copied().unwrap_or_default();
        at(range.end).plus(NodeCounts::default(), at(range.start))
    }
}

/// A run of words in both texts. The greatest is taken first.
type Run = (usize, Reverse<usize>, Reverse<usize>);

/// The words of the page that tiles cover.
fn cover(page: &[u32], truth: &[u32]) -> Vec<bool> {
    let mut covered = vec![false; page.len()];
    let shortest = SHORTEST.min(truth.len());
    if shortest == 0 {
        return covered;
    }
    let mut taken = vec![false; truth.len()];
    for _ in 0..ROUNDS {
        let mut runs = shared_runs(page, &covered, truth, &taken, shortest);
        if runs.is_empty() {
            break;
        }
        while let Some((length, Reverse(at), Reverse(from))) = runs.pop() {
            // Longer tiles may cover a part of it by now.
            let mut free = 0;
            for i in 0..=length {
                if i < length && !covered[at + i] && !taken[from + i] {
                    free += 1;
                    continue;
                }
                if free == length {
                    covered[at..at + length].fill(true);
                    taken[from..from + length].fill(true);
                } else if free >= shortest {
                    runs.push((free, Reverse(at + i - free), Reverse(from + i - free)));
                }
                free = 0;
            }
        }
    }
    covered
}

/// For every uncovered place in the page, the longest run that begins there and occurs in the truth, unless it is
/// inside the run before.
fn shared_runs(page: &[u32], covered: &[bool], truth: &[u32], taken: &[bool], shortest: usize) -> BinaryHeap<Run> {
    let is_free = |marks: &[bool], at: usize| !marks[at..at + shortest].contains(&true);
    // The first place of every few words in the truth, and for each place the next one with the same words.
    let mut first: HashMap<&[u32], usize> = HashMap::new();
    let mut next = vec![usize::MAX; truth.len()];
    for at in (0..=truth.len() - shortest).rev().filter(|at| is_free(taken, *at)) {
        if let Some(later) = first.insert(&truth[at..at + shortest], at) {
            next[at] = later;
        }
    }
    let mut runs = BinaryHeap::new();
    let mut at = 0;
    while at + shortest <= page.len() {
        let mut place = match first.get(&page[at..at + shortest]) {
            Some(place) if is_free(covered, at) => *place,
            _ => {
                at += 1;
                continue;
            }
        };
        let mut best = (0, Reverse(at), Reverse(0));
        for _ in 0..PLACES {
            let both = page[at..].iter().zip(covered[at..].iter());
            let same = both
                .zip(truth[place..].iter().zip(taken[place..].iter()))
                .take_while(|((a, covered), (b, taken))| a == b && !**covered && !**taken)
                .count();
            best = best.max((same, Reverse(at), Reverse(place)));
            place = next[place];
            if place == usize::MAX {
                break;
            }
        }
        runs.push(best);
        // The last words of this run may begin a longer one.
        at += best.0 + 1 - shortest;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covered words of a text, as its words between brackets.
    fn tiles(page: &str, truth: &str) -> String {
        let mut lexicon = Lexicon::default();
        let (mut t, mut p) = (Vec::new(), Vec::new());
        lexicon.read(truth, &mut t);
        lexicon.read(page, &mut p);
        let covered = cover(&p, &t);
        let words = page.split(' ').zip(&covered);
        words
            .map(|(w, c)| if *c { format!("[{w}]") } else { w.to_owned() })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn longer_runs_come_first() {
        // “a b c” comes early, but the run of five covers the truth's only one.
        assert_eq!(tiles("a b c x a b c d e", "a b c d e"), "a b c x [a] [b] [c] [d] [e]");
        // Of two equal runs, the first.
        assert_eq!(tiles("a b c x a b c", "a b c"), "[a] [b] [c] x a b c");
        // Both, where the truth has both: the second round.
        assert_eq!(tiles("a b c x a b c", "a b c y a b c"), "[a] [b] [c] x [a] [b] [c]");
    }

    #[test]
    fn runs_shorter_than_three_are_chance() {
        assert_eq!(tiles("a b x c d e", "a b c d e"), "a b x [c] [d] [e]");
        assert_eq!(tiles("x b y", "b"), "x [b] y");
        assert_eq!(tiles("x y", ""), "x y");
    }

    #[test]
    fn what_longer_tiles_leave_of_a_run_is_a_tile() {
        // Seven words d…j are the longest; of “a b c d e” they leave a b c.
        assert_eq!(
            tiles("d e f g h i j x a b c d e", "a b c d e f g h i j"),
            "[d] [e] [f] [g] [h] [i] [j] x [a] [b] [c] d e"
        );
    }

    #[test]
    fn order_does_not_matter() {
        assert_eq!(tiles("d e f x a b c", "a b c d e f"), "[d] [e] [f] x [a] [b] [c]");
    }
}
