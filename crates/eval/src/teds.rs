//! TEDS: the similarity of tables by the edit distance of their trees (Zhong et al. 2020, section 4).
//!
//! Here the tables of a page are one tree, so that a table that is missing shifts no other. A head cell is a cell, and
//! merged cells are what the Markdown made of them.

use super::edit;

/// Most pairs of nodes that are compared. They take about half a second.
pub(super) const MAX_PAIRS: usize = 1 << 22;

/// A node of the tree, in post-order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Page,
    Table,
    Row,
    /// A cell, with its text.
    Cell(Vec<char>),
}

/// The tables of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// All nodes in post-order, without that of the page.
    nodes: Vec<Node>,
    /// The place of each node's leftmost leaf.
    leftmost: Vec<usize>,
    /// Characters in all cells.
    characters: usize,
}

impl Tables {
    /// Adds a table with the texts of its cells.
    pub fn push(&mut self, rows: Vec<Vec<Vec<char>>>) {
        let table = self.nodes.len();
        for cells in rows {
            let row = self.nodes.len();
            for cell in cells {
                self.characters += cell.len();
                self.add(Node::Cell(cell), self.nodes.len());
            }
            self.add(Node::Row, row);
        }
        self.add(Node::Table, table);
    }

    fn add(&mut self, node: Node, leftmost: usize) {
        self.nodes.push(node);
        self.leftmost.push(leftmost);
    }

    /// Similarity of the tables of two pages, 0 to 1. `None` where neither has a table, or they are too large: more
    /// than [`MAX_PAIRS`] pairs of nodes, or more than [`edit::MAX_STEPS`] for the texts of the cells.
    pub fn similarity(&self, other: &Tables) -> Option<f64> {
        let most = self.nodes.len().max(other.nodes.len());
        let is_large =
            self.nodes.len().saturating_mul(other.nodes.len()) > MAX_PAIRS || self.steps(other) > edit::MAX_STEPS;
        if most == 0 || is_large {
            return None;
        }
        Some(1.0 - distance(&self.page(), &other.page()) / most as f64)
    }

    /// Steps that it takes to compare all cells at most. Each comparison takes a step for each character of the longer
    /// text, however short the other is.
    fn steps(&self, other: &Tables) -> usize {
        let of_short = |cells: &Tables, texts: &Tables| cells.nodes.len().saturating_mul(texts.characters);
        edit::steps(self.characters, other.characters)
            .saturating_add(of_short(self, other))
            .saturating_add(of_short(other, self))
    }

    /// The tables under the node of the page.
    fn page(&self) -> Tables {
        let mut page = self.clone();
        page.add(Node::Page, 0);
        page
    }

    /// The nodes that have a sibling on their left, and the root: the last of all nodes with each leftmost leaf.
    fn key_roots(&self) -> Vec<usize> {
        let mut last = vec![usize::MAX; self.nodes.len()];
        self.leftmost
            .iter()
            .enumerate()
            .for_each(|(node, leaf)| last[*leaf] = node);
        let mut roots: Vec<usize> = last.into_iter().filter(|node| *node != usize::MAX).collect();
        roots.sort_unstable();
        roots
    }
}

/// The cost of making one node the other: 1, or for cells the share of their text that differs.
fn replacement(a: &Node, b: &Node) -> f64 {
    match (a, b) {
        (Node::Cell(a), Node::Cell(b)) if a == b => 0.0,
        (Node::Cell(a), Node::Cell(b)) => edit::distance(a, b) as f64 / a.len().max(b.len()) as f64,
        (a, b) => f64::from(u8::from(a != b)),
    }
}

/// The edit distance of two trees (Zhang and Shasha 1989).
fn distance(a: &Tables, b: &Tables) -> f64 {
    let (rows, columns) = (a.nodes.len(), b.nodes.len());
    let mut trees = vec![0.0f64; rows * columns];
    let mut forests = vec![0.0f64; (rows + 1) * (columns + 1)];
    let width = columns + 1;
    let other_roots = b.key_roots();
    for i in a.key_roots() {
        for &j in &other_roots {
            let (from_i, from_j) = (a.leftmost[i], b.leftmost[j]);
            let (height, length) = (i - from_i + 1, j - from_j + 1);
            (0..=height).for_each(|x| forests[x * width] = x as f64);
            (0..=length).for_each(|y| forests[y] = y as f64);
            for x in 1..=height {
                for y in 1..=length {
                    let (node, other) = (from_i + x - 1, from_j + y - 1);
                    let (leaf, other_leaf) = (a.leftmost[node], b.leftmost[other]);
                    let edited = (forests[(x - 1) * width + y] + 1.0).min(forests[x * width + y - 1] + 1.0);
                    let are_trees = leaf == from_i && other_leaf == from_j;
                    let matched = if are_trees {
                        forests[(x - 1) * width + y - 1] + replacement(&a.nodes[node], &b.nodes[other])
                    } else {
                        forests[(leaf - from_i) * width + other_leaf - from_j] + trees[node * columns + other]
                    };
                    forests[x * width + y] = edited.min(matched);
                    if are_trees {
                        trees[node * columns + other] = forests[x * width + y];
                    }
                }
            }
        }
    }
    trees[rows * columns - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(tables: &[&[&[&str]]]) -> Tables {
        let mut all = Tables::default();
        for rows in tables {
            let cells = |row: &&[&str]| row.iter().map(|cell| cell.chars().collect()).collect();
            all.push(rows.iter().map(cells).collect());
        }
        all
    }

    #[test]
    fn similarity_is_worked_out_by_hand() {
        let table: &[&[&str]] = &[&["ab", "b"], &["c", "d"]];
        let one = tables(&[table]);
        assert_eq!(one.similarity(&one), Some(1.0));
        // Of the 7 nodes, half of one cell's text differs.
        let changed = tables(&[&[&["ax", "b"], &["c", "d"]]]);
        assert_eq!(one.similarity(&changed), Some(1.0 - 0.5 / 7.0));
        // A row of 3 nodes is missing.
        assert_eq!(one.similarity(&tables(&[&[&["ab", "b"]]])), Some(1.0 - 3.0 / 7.0));
        // A table of 3 nodes before it is missing; the other is not shifted.
        let two = tables(&[&[&["x"]], table]);
        assert_eq!(two.similarity(&one), Some(0.7));
        let none = Tables::default();
        assert_eq!((none.similarity(&none), one.similarity(&none)), (None, Some(0.0)));
    }

    #[test]
    fn tables_beyond_the_bound_are_not_compared() {
        let row = vec![vec!['x']; 20];
        let mut large = Tables::default();
        large.push(vec![row; 100]);
        assert_eq!(large.similarity(&large), None);
        let mut small = Tables::default();
        small.push(vec![vec![vec!['x']; 10]; 100]);
        assert_eq!(small.similarity(&small), Some(1.0));
    }
}
