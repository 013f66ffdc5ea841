//! Models as plain data: written as a file, and scored without any tricks.
//!
//! The benchmark and the seeds of fuzzing are made with it too.

use super::{Matrix, Rule};

/// The bound of a mixed logit.
const LARGEST_LOGIT: i64 = 1 << 24;

pub const RULE: Rule = Rule {
    least_words: 20,
    least_probability: 13_000,
    copy_words: 8,
    spread: 4096,
};
pub const KNOTS: [(u16, u16); 3] = [(20_000, 10_000), (40_000, 40_000), (60_000, 50_000)];

#[derive(Clone, Debug)]
pub struct TestModel {
    pub trees: Option<(i32, Vec<TestTree>)>,
    pub networks: Vec<TestNetwork>,
    pub weights: Vec<i16>,
    pub bias: i32,
}

#[derive(Clone, Debug)]
pub struct TestTree {
    pub nodes: Vec<TestNode>,
    pub leaves: Vec<i16>,
}

#[derive(Clone, Debug)]
pub struct TestNode {
    pub column: u16,
    pub threshold: i16,
    pub mask: u16,
}

#[derive(Clone, Debug)]
pub struct TestNetwork {
    pub width: usize,
    pub normed: bool,
    pub inputs: Vec<(u16, i16, u16)>,
    pub first: (Vec<i16>, Vec<i32>),
    pub layers: Vec<TestLayer>,
    pub last: (Vec<i16>, Vec<i32>),
    pub logit: Vec<i16>,
    pub logit_bias: i32,
}

#[derive(Clone, Debug)]
pub struct TestLayer {
    pub taps: Vec<i16>,
    pub biases: Vec<i32>,
    pub page: Vec<i16>,
    pub back: Vec<i16>,
}

impl TestTree {
    /// A tree of sixteen leaves.
    fn random(features: usize, random: &mut Random) -> Self {
        let mut nodes = Vec::new();
        let mut open = vec![(0, 16)];
        while let Some((first, end)) = open.pop() {
            if end - first > 1 {
                let middle = first + 1 + random.next() % (end - first - 1);
                nodes.push(TestNode {
                    column: (random.next() % features as u64) as u16,
                    threshold: random.within(1000) as i16,
                    mask: (first..middle).fold(0, |mask, leaf| mask | 1 << leaf),
                });
                open.extend([(first, middle), (middle, end)]);
            }
        }
        let leaves = (0..16).map(|_| random.within(300) as i16).collect();
        Self { nodes, leaves }
    }
}

/// Fills a matrix with numbers that look random.
pub fn fill(matrix: &mut Matrix, blocks: usize, features: usize) {
    let mut random = Random(5);
    matrix.reset(blocks, features);
    for feature in 0..features {
        matrix.column_mut(feature)[..blocks].fill_with(|| random.within(1200) as i16);
    }
}

/// Writes the length and the checksum of a file as they have to be.
pub fn seal(bytes: &mut Vec<u8>) {
    let length = bytes.len();
    if length >= 32 {
        bytes[20..24].copy_from_slice(&(length as u32).to_le_bytes());
        bytes.truncate(length - 8);
        let checksum = xxhash_rust::xxh3::xxh3_64(bytes);
        bytes.extend(checksum.to_le_bytes());
    }
}

/// A row of numbers.
struct Row(Vec<u8>);

impl Row {
    fn i16s<'n>(&mut self, numbers: impl IntoIterator<Item = &'n i16>) {
        self.0.extend(numbers.into_iter().flat_map(|n| n.to_le_bytes()));
    }

    fn i32s<'n>(&mut self, numbers: impl IntoIterator<Item = &'n i32>) {
        self.0.extend(numbers.into_iter().flat_map(|n| n.to_le_bytes()));
    }
}

impl TestModel {
    /// Trees and networks, each by its width and number of layers, with weights that look random.
    pub fn random(trees: usize, networks: &[(usize, usize)], inputs: usize, features: usize) -> Self {
        let mut random = Random(7);
        let made = (0..trees).map(|_| TestTree::random(features, &mut random)).collect();
        let network = |&(width, layers)| TestNetwork::random(width, layers, inputs, true, 0, features, 3);
        Self {
            trees: (trees > 0).then_some((0, made)),
            networks: networks.iter().map(network).collect(),
            weights: vec![512; networks.len() + usize::from(trees > 0)],
            bias: 0,
        }
    }

    pub fn to_bytes(&self, hash: u64) -> Vec<u8> {
        let mut sections: Vec<(&[u8; 4], Row)> = Vec::new();
        if let Some((bias, trees)) = &self.trees {
            // A node with a larger one is meant to be wrong.
            let existing = trees
                .iter()
                .flat_map(|t| &t.nodes)
                .map(|n| n.column)
                .filter(|&c| c < 1000);
            let columns = existing.max().map_or(0, |c| c + 1);
            let mut row = Row(columns.to_le_bytes().into());
            row.0.extend((0..columns).flat_map(u16::to_le_bytes));
            row.0.extend((trees.len() as u16).to_le_bytes());
            row.i32s([bias]);
            for tree in trees {
                row.0.push(tree.nodes.len() as u8);
                for node in &tree.nodes {
                    row.0.extend(node.column.to_le_bytes());
                    row.i16s([&node.threshold]);
                    row.0.extend(node.mask.to_le_bytes());
                }
                row.0.push(tree.leaves.len() as u8);
                row.i16s(&tree.leaves);
            }
            sections.push((b"TREE", row));
        }
        sections.extend(self.networks.iter().map(|network| (b"NETW", network.row())));
        let mut row = Row(vec![self.weights.len() as u8]);
        row.i16s(&self.weights);
        row.i32s([&self.bias]);
        sections.push((b"MIXT", row));
        let mut row = Row(RULE.least_words.to_le_bytes().into());
        row.0.extend(
            [RULE.least_probability, RULE.copy_words, RULE.spread]
                .iter()
                .flat_map(|n| n.to_le_bytes()),
        );
        sections.push((b"RULE", row));
        let mut row = Row((KNOTS.len() as u16).to_le_bytes().into());
        row.0
            .extend(KNOTS.iter().flat_map(|&(r, c)| [r, c]).flat_map(u16::to_le_bytes));
        sections.push((b"CALI", row));
        let mut bytes = b"DHFUSION".to_vec();
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(hash.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend((sections.len() as u32).to_le_bytes());
        for (tag, row) in sections {
            bytes.extend(tag);
            bytes.extend((row.0.len() as u32).to_le_bytes());
            bytes.extend(row.0);
        }
        bytes.extend([0; 8]);
        seal(&mut bytes);
        bytes
    }

    pub fn score(&self, matrix: &Matrix, words: &[u32]) -> Vec<i32> {
        let logits: Vec<_> = (0..self.weights.len())
            .map(|s| self.score_with(s, matrix, words))
            .collect();
        let mixed = |block: usize| {
            let products = self
                .weights
                .iter()
                .zip(&logits)
                .map(|(&w, l)| i64::from(w) * i64::from(l[block]));
            let logit = (products.sum::<i64>() >> 10) + i64::from(self.bias);
            logit.clamp(-LARGEST_LOGIT, LARGEST_LOGIT) as i32
        };
        (0..matrix.blocks()).map(mixed).collect()
    }

    pub fn score_with(&self, scorer: usize, matrix: &Matrix, words: &[u32]) -> Vec<i32> {
        match (&self.trees, scorer) {
            (Some((bias, trees)), 0) => {
                let tree = |tree: &TestTree, block: usize| -> i32 {
                    let mut left = u16::MAX;
                    for node in &tree.nodes {
                        if matrix.column(node.column.into())[block] > node.threshold {
                            left &= !node.mask;
                        }
                    }
                    tree.leaves[left.trailing_zeros() as usize].into()
                };
                (0..matrix.blocks())
                    .map(|b| bias + trees.iter().map(|t| tree(t, b)).sum::<i32>())
                    .collect()
            }
            (Some(_), n) => self.networks[n - 1].score(matrix, words),
            (None, n) => self.networks[n].score(matrix, words),
        }
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 32);
        x.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
    }

    fn within(&mut self, bound: i64) -> i64 {
        (self.next() % (2 * bound as u64 + 1)) as i64 - bound
    }

    /// A matrix and its biases. The larger the size, the closer to overflow, up to the very edge.
    fn dense(&mut self, outputs: usize, inputs: usize, bound: i64, size: u32) -> (Vec<i16>, Vec<i32>) {
        let most = (i64::from(i32::MAX) - 2048) / bound;
        let each = most / inputs as i64;
        let largest = match size {
            0 => 200.min(each),
            1 => 1500.min(each),
            _ => each.min(i16::MAX.into()),
        };
        let weights = (0..outputs * inputs).map(|_| match size {
            3 => [largest, -largest][(self.next() % 2) as usize] as i16,
            _ => self.within(largest) as i16,
        });
        let weights: Vec<i16> = weights.collect();
        let rest = i64::from(i32::MAX) - 2048 - largest * inputs as i64 * bound;
        let biases = (0..outputs).map(|_| self.within(rest.min(if size < 2 { 1 << 20 } else { rest })) as i32);
        (weights, biases.collect())
    }
}

impl TestNetwork {
    pub fn random(
        width: usize,
        layers: usize,
        inputs: usize,
        normed: bool,
        size: u32,
        features: usize,
        seed: u64,
    ) -> Self {
        let mut random = Random(seed);
        let z = if normed { 2304 } else { 8191 };
        let input = |random: &mut Random| {
            let feature = random.next() % features as u64;
            (
                feature as u16,
                random.within(400) as i16,
                (random.next() % [3000, 65536][(size > 1) as usize]) as u16,
            )
        };
        let inputs: Vec<_> = (0..inputs).map(|_| input(&mut random)).collect();
        let first = random.dense(width, inputs.len(), 1024, size);
        let layers = (0..layers).map(|_| {
            let (both, biases) = random.dense(2 * width, 5 * width, z, size);
            let taps = both
                .chunks(5 * width)
                .flat_map(|row| &row[..3 * width])
                .copied()
                .collect();
            let page = both
                .chunks(5 * width)
                .flat_map(|row| &row[3 * width..])
                .copied()
                .collect();
            let (back, _) = random.dense(width, width, 8191, size);
            TestLayer {
                taps,
                biases,
                page,
                back,
            }
        });
        let layers = layers.collect();
        let last = random.dense(width, 2 * width, 8191, size);
        let (logit, logit_bias) = random.dense(1, width, 8191, size);
        Self {
            width,
            normed,
            inputs,
            first,
            layers,
            last,
            logit,
            logit_bias: logit_bias[0],
        }
    }

    fn row(&self) -> Row {
        let mut row = Row(vec![self.width as u8, self.layers.len() as u8]);
        row.0.extend((self.inputs.len() as u16).to_le_bytes());
        row.0.push(self.normed.into());
        for &(feature, mean, scale) in &self.inputs {
            row.0.extend(feature.to_le_bytes());
            row.i16s([&mean]);
            row.0.extend(scale.to_le_bytes());
        }
        row.i16s(&self.first.0);
        row.i32s(&self.first.1);
        for layer in &self.layers {
            row.i16s(&layer.taps);
            row.i32s(&layer.biases);
            row.i16s(&layer.page);
            row.i16s(&layer.back);
        }
        row.i16s(&self.last.0);
        row.i32s(&self.last.1);
        row.i16s(&self.logit);
        row.i32s([&self.logit_bias]);
        row
    }

    /// The formulas in the head of `network/mod.rs`, block by block.
    fn score(&self, matrix: &Matrix, words: &[u32]) -> Vec<i32> {
        let (blocks, width) = (matrix.blocks(), self.width);
        let relu = |x: Vec<i64>| x.into_iter().map(|x| x.max(0)).collect::<Vec<_>>();
        let input = |block: usize, &(feature, mean, scale): &(u16, i16, u16)| {
            let difference = matrix.column(feature.into())[block].saturating_sub(mean);
            ((i64::from(difference) * i64::from(scale) + 128) >> 8).clamp(-1024, 1024)
        };
        let h0: Vec<Vec<i64>> = (0..blocks)
            .map(|block| {
                let x: Vec<i64> = self.inputs.iter().map(|i| input(block, i)).collect();
                relu(dense(&self.first.0, &self.first.1, &x))
            })
            .collect();
        let mut h = h0.clone();
        for (l, layer) in self.layers.iter().enumerate() {
            let distance = 1 << l;
            let z: Vec<Vec<i64>> = h.iter().map(|h| self.norm(h)).collect();
            let weights = words
                .iter()
                .map(|&w| ((u128::from(w) + 1) << 8).isqrt().min(32767) as i64);
            let weights: Vec<i64> = weights.collect();
            let total: i64 = weights.iter().sum();
            let mean = |c: usize| {
                let sum: i64 = weights.iter().zip(&z).map(|(w, z)| w * z[c]).sum();
                (2 * sum + total).div_euclid(2 * total)
            };
            let most = |c: usize| z.iter().map(|z| z[c]).max().unwrap();
            let page: Vec<i64> = match blocks {
                0 => vec![0; 2 * width],
                _ => (0..width).map(mean).chain((0..width).map(most)).collect(),
            };
            let rows = layer.taps.chunks(3 * width).zip(layer.page.chunks(2 * width));
            let matrix: Vec<i16> = rows.flat_map(|(taps, page)| [taps, page].concat()).collect();
            for block in 0..blocks {
                let nothing = vec![0; width];
                let before = block.checked_sub(distance).map_or(&nothing, |b| &z[b]);
                let after = z.get(block + distance).unwrap_or(&nothing);
                let seen = [before, &z[block], after, &page].map(|s| s.as_slice()).concat();
                let y = dense(&matrix, &layer.biases, &seen);
                let gate = |(u, v): (&i64, &i64)| (u * (128 + (v >> 2)).clamp(0, 256)) >> 8;
                let a: Vec<i64> = y[..width].iter().zip(&y[width..]).map(gate).collect();
                for (h, row) in h[block].iter_mut().zip(layer.back.chunks(width)) {
                    let sum: i64 = row.iter().zip(&a).map(|(&w, a)| i64::from(w) * a).sum();
                    *h = (*h + ((sum + 2048) >> 12)).clamp(-8191, 8191);
                }
            }
        }
        let logit = |(h, h0): (&Vec<i64>, &Vec<i64>)| {
            let o = relu(dense(&self.last.0, &self.last.1, &[h.as_slice(), h0].concat()));
            let sum: i64 = self.logit.iter().zip(&o).map(|(&w, o)| i64::from(w) * o).sum();
            ((sum + i64::from(self.logit_bias)) >> 8) as i32
        };
        h.iter().zip(&h0).map(logit).collect()
    }

    fn norm(&self, h: &[i64]) -> Vec<i64> {
        if !self.normed {
            return h.to_vec();
        }
        let squares: i64 = h.iter().map(|h| h * h).sum();
        let root = ((squares << 16) / self.width as i64 + 65536).isqrt();
        let factor = (1_i64 << 32) / root;
        let z: Vec<i64> = h.iter().map(|h| (h * factor + 32768) >> 16).collect();
        assert!(z.iter().all(|z| z.abs() <= 2304));
        z
    }
}

fn dense(weights: &[i16], biases: &[i32], x: &[i64]) -> Vec<i64> {
    let row = |(weights, &bias): (&[i16], &i32)| {
        let sum: i64 = weights.iter().zip(x).map(|(&w, x)| i64::from(w) * x).sum();
        assert!((sum + i64::from(bias) + 2048).abs() <= i32::MAX.into());
        ((sum + i64::from(bias) + 2048) >> 12).clamp(-8191, 8191)
    };
    weights.chunks(x.len()).zip(biases).map(row).collect()
}
