//! The tree of a hierarchical softmax: Huffman's, by how often each label was seen.

/// A node that has no children is a label.
struct Node {
    count: i64,
    children: Option<[usize; 2]>,
}

/// The labels are the first nodes, the root is the last one.
pub(super) struct Tree {
    nodes: Vec<Node>,
    labels: usize,
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Tree {
    /// The tree of labels that were seen so often, the most frequent one first.
    pub(super) fn new(counts: &[i64]) -> Self {
        let leaf = |count: &i64| Node {
            count: *count,
            children: None,
        };
        let mut nodes: Vec<Node> = counts.iter().map(leaf).collect();
        // Leaves are taken from the end, which is the rarest, inner nodes in the order in which they were made.
        let (mut leaves, mut inner) = (counts.len(), counts.len());
        for _ in 1..counts.len() {
            let mut rarest = || {
                let takes_leaf = match (leaves.checked_sub(1), nodes.get(inner)) {
                    (Some(leaf), Some(node)) => nodes[leaf].count < node.count,
                    (leaf, _) => leaf.is_some(),
                };
                if takes_leaf {
                    leaves -= 1;
                    return leaves;
                }
                inner += 1;
                inner - 1
            };
            let children = [rarest(), rarest()];
            nodes.push(Node {
                count: nodes[children[0]].count.saturating_add(nodes[children[1]].count),
                children: Some(children),
            });
        }
        Self {
            nodes,
            labels: counts.len(),
        }
    }

    /// The best label and its score. `row` is the product of an inner node's row and the text's vector.
    pub(super) fn best(&self, row: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
        let mut best = None;
        let mut open = vec![(self.nodes.len().checked_sub(1)?, 1.0)];
        while let Some((node, score)) = open.pop() {
            // No label below it is more probable than the node.
            if best.is_some_and(|(_, most)| score <= most) {
                continue;
            }
            match self.nodes[node].children {
                None => best = Some((node, score)),
                Some([left, right]) => {
                    let share = sigmoid(row(node - self.labels));
                    open.push((right, score * share));
                    open.push((left, score * (1.0 - share)));
                }
            }
        }
        best
    }
}
