//! Random models against a plain reference, and files that are broken in every way.

mod reference;

use std::sync::LazyLock;

use fearless_simd::Level;
use proptest::prelude::*;

use self::reference::{TestModel, TestNetwork, TestNode, TestTree};
use super::*;

const FEATURES: usize = 24;
const HASH: u64 = 0x0123_4567_89AB_CDEF;

/// Every kind of instructions that this machine has.
fn levels() -> Vec<Level> {
    let best = Level::new();
    #[allow(unused_mut)]
    let mut levels = vec![best, Level::baseline()];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
    }
    levels
}

/// A number that is extreme in one case of four.
fn value() -> impl Strategy<Value = i16> {
    prop_oneof![3 => -1500..=1500_i16, 1 => prop_oneof![Just(i16::MIN), Just(i16::MAX), Just(0), any::<i16>()]]
}

/// A tree over the leaves from `first` on, as its nodes with their masks.
fn nodes(leaves: usize) -> impl Strategy<Value = Vec<TestNode>> {
    let cuts = prop::collection::vec((any::<prop::sample::Index>(), 0..FEATURES as u16, value()), leaves - 1);
    (cuts, any::<prop::sample::Index>()).prop_map(move |(cuts, rotation)| {
        let mut nodes = Vec::new();
        let mut open = vec![(0, leaves)];
        let mut cuts = cuts.into_iter();
        while let Some((first, end)) = open.pop() {
            if end - first < 2 {
                continue;
            }
            let Some((index, column, threshold)) = cuts.next() else {
                break;
            };
            let middle = first + 1 + index.index(end - first - 1);
            let mask = (first..middle).fold(0, |mask, leaf| mask | 1 << leaf);
            nodes.push(TestNode {
                column,
                threshold,
                mask,
            });
            open.extend([(first, middle), (middle, end)]);
        }
        // Their order is free.
        if !nodes.is_empty() {
            let by = rotation.index(nodes.len());
            nodes.rotate_left(by);
        }
        nodes
    })
}

fn tree() -> impl Strategy<Value = TestTree> {
    (1..=16_usize).prop_flat_map(|leaves| {
        let leaf = prop_oneof![9 => -900..900_i16, 1 => value()];
        (nodes(leaves), prop::collection::vec(leaf, leaves)).prop_map(|(nodes, leaves)| TestTree { nodes, leaves })
    })
}

/// A network with weights that are as large as they may be, or as they are in training.
fn network() -> impl Strategy<Value = TestNetwork> {
    let shape = (1..=8_usize, 1..=6_usize, 1..=11_usize, any::<bool>(), 0..=3_u32);
    (shape, any::<u64>()).prop_map(|((width, layers, inputs, normed, size), seed)| {
        TestNetwork::random(8 * width, layers, inputs, normed, size, FEATURES, seed)
    })
}

fn model() -> impl Strategy<Value = TestModel> {
    let trees = prop::option::of((any::<i16>(), prop::collection::vec(tree(), 0..80)));
    let scorers = (trees, prop::collection::vec(network(), 0..=2));
    (scorers, prop::collection::vec(any::<i16>(), 3), any::<i16>())
        .prop_filter("a scorer", |((trees, networks), ..)| {
            trees.is_some() || !networks.is_empty()
        })
        .prop_map(|((trees, networks), mut weights, bias)| {
            weights.truncate(networks.len() + usize::from(trees.is_some()));
            TestModel {
                trees: trees.map(|(bias, trees)| (bias.into(), trees)),
                networks,
                weights,
                bias: bias.into(),
            }
        })
}

/// A page: its matrix and its words.
fn page(blocks: impl Strategy<Value = usize>) -> impl Strategy<Value = (Matrix, Vec<u32>)> {
    blocks.prop_flat_map(|blocks| {
        let word = prop_oneof![8 => 0..200_u32, 1 => any::<u32>()];
        let values = prop::collection::vec(value(), blocks * FEATURES);
        (values, prop::collection::vec(word, blocks)).prop_map(move |(values, words)| {
            let mut matrix = Matrix::default();
            matrix.reset(blocks, FEATURES);
            for f in 0..FEATURES {
                matrix.column_mut(f)[..blocks].copy_from_slice(&values[f * blocks..][..blocks]);
            }
            (matrix, words)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_those_of_the_reference((matrix, words) in page(0..150_usize), model in model()) {
        let read = Model::from_bytes(&model.to_bytes(HASH), HASH, FEATURES).unwrap();
        // One scratch for all, as in a worker.
        let (mut scratch, mut logits) = (Scratch::default(), vec![7]);
        for level in levels() {
            for scorer in 0..read.scorers() {
                read.scorer_at(level, scorer, &matrix, &words, &mut scratch, &mut logits);
                let expected = model.score_with(scorer, &matrix, &words);
                prop_assert_eq!(&logits, &expected, "scorer {} at {:?}", scorer, level);
            }
            read.score_at(level, &matrix, &words, &mut scratch, &mut logits);
            prop_assert_eq!(&logits, &model.score(&matrix, &words), "mixed at {:?}", level);
        }
    }

    #[test]
    fn contributions_add_up_to_the_logit((matrix, words) in page(1..70_usize), model in model()) {
        let read = Model::from_bytes(&model.to_bytes(HASH), HASH, FEATURES).unwrap();
        prop_assert_eq!(read.contributions(&matrix, 0).is_some(), model.trees.is_some());
        if model.trees.is_some() {
            let logits = model.score_with(0, &matrix, &words);
            for (block, logit) in logits.into_iter().enumerate() {
                let found = read.contributions(&matrix, block).unwrap();
                prop_assert_eq!(found.base + found.features.iter().map(|f| f.1).sum::<i32>(), logit);
                prop_assert!(found.features.is_sorted_by(|a, b| a.1.abs() >= b.1.abs()));
            }
        }
    }

    /// As a fuzzer would: whatever passes the checksum scores or is refused.
    #[test]
    fn a_broken_model_is_refused_or_scores(
        model in model(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        (matrix, words) in page(0..40_usize),
    ) {
        let mut bytes = model.to_bytes(HASH);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let whole = bytes == model.to_bytes(HASH);
        prop_assert_eq!(Model::from_bytes(&bytes, HASH, FEATURES).is_ok(), whole);
        reference::seal(&mut bytes);
        if let Ok(model) = Model::from_bytes(&bytes, HASH, FEATURES) {
            let (mut scratch, mut logits) = (Scratch::default(), Vec::new());
            for level in levels() {
                model.score_at(level, &matrix, &words, &mut scratch, &mut logits);
                prop_assert_eq!(logits.len(), words.len());
            }
        }
    }
}

/// Some model with trees and two networks.
static SOME: LazyLock<TestModel> = LazyLock::new(|| TestModel {
    trees: Some((100, vec![some_tree(); 3])),
    networks: vec![
        TestNetwork::random(8, 1, 3, false, 1, FEATURES, 1),
        TestNetwork::random(16, 2, 4, true, 1, FEATURES, 2),
    ],
    weights: vec![512, 256, 256],
    bias: -10,
});

fn some_tree() -> TestTree {
    let node = |column, threshold, mask| TestNode {
        column,
        threshold,
        mask,
    };
    TestTree {
        nodes: vec![node(0, 5, 0b011), node(3, -7, 0b001)],
        leaves: vec![-300, 20, 400],
    }
}

#[test]
fn contributions_of_huge_leaves_do_not_overflow() {
    // Every node cuts off one leaf more. So the mean of the leaves that are left goes up and down.
    let node = |leaf: u16| TestNode {
        column: leaf % 2,
        threshold: -1,
        mask: 1 << leaf,
    };
    let tree = TestTree {
        nodes: (0..15).map(node).collect(),
        leaves: [i16::MIN + 1, i16::MAX].repeat(8),
    };
    let model = TestModel {
        trees: Some((0, vec![tree; 1 << 15])),
        networks: Vec::new(),
        weights: vec![1024],
        bias: 0,
    };
    let model = read(&model.to_bytes(HASH)).unwrap();
    let mut matrix = Matrix::default();
    matrix.reset(1, FEATURES);
    assert_eq!(model.contributions(&matrix, 0).unwrap().features[0], (0, i32::MAX));
}

fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    Model::from_bytes(bytes, HASH, FEATURES)
}

/// Reads what a change makes of the bytes of a model, with its length and checksum mended.
fn mended(change: impl FnOnce(&mut TestModel)) -> Result<Model, ModelError> {
    let mut model = SOME.clone();
    change(&mut model);
    read(&model.to_bytes(HASH))
}

#[test]
fn every_cut_is_refused() {
    let bytes = SOME.to_bytes(HASH);
    assert!(read(&bytes).is_ok());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end} bytes");
        let mut cut = bytes[..end].to_vec();
        reference::seal(&mut cut);
        assert!(read(&cut).is_err(), "{end} bytes with a right checksum");
    }
    assert_eq!(read(b"").unwrap_err(), ModelError::Foreign);
    assert_eq!(read(b"PK").unwrap_err(), ModelError::Foreign);
    assert_eq!(read(b"DHFUSION").unwrap_err(), ModelError::OtherLength);
    let longer = [&bytes[..], b"x"].concat();
    assert_eq!(read(&longer).unwrap_err(), ModelError::OtherLength);
}

#[test]
fn every_changed_byte_is_refused() {
    let bytes = SOME.to_bytes(HASH);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(read(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn refused_models_have_a_reason() {
    let bytes = SOME.to_bytes(HASH);
    assert_eq!(
        Model::from_bytes(&bytes, HASH + 1, FEATURES).unwrap_err(),
        ModelError::OtherFeatures
    );
    let mut other = bytes.clone();
    other[8] = 2;
    assert_eq!(read(&other).unwrap_err(), ModelError::OtherVersion(2));
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    assert_eq!(read(&damaged).unwrap_err(), ModelError::Damaged);
    assert_eq!(
        ModelError::Malformed {
            section: "TREE",
            problem: "is too long"
        }
        .to_string(),
        "the model's section TREE is too long"
    );
    let problem = |result: Result<Model, ModelError>| match result.unwrap_err() {
        ModelError::Malformed { problem, .. } => problem,
        other => panic!("{other:?}"),
    };
    let tree = |change: fn(&mut TestTree)| problem(mended(|m| change(&mut m.trees.as_mut().unwrap().1[1])));
    assert_eq!(
        tree(|t| t.nodes[0].mask = 0b101),
        "has a mask that is not a run of leaves"
    );
    assert_eq!(tree(|t| t.nodes[0].mask = 0), "has a mask that is not a run of leaves");
    assert_eq!(tree(|t| t.nodes[0].mask = 0b001), "has masks that make no tree");
    assert_eq!(tree(|t| t.nodes[0].mask = 0b111), "has masks that make no tree");
    assert_eq!(tree(|t| t.nodes[0].column = 1000), "names a column that does not exist");
    assert_eq!(
        tree(|t| t.leaves.push(1)),
        "has a tree whose leaves are not one more than its nodes"
    );
    assert_eq!(
        tree(|t| t.nodes = vec![t.nodes[0].clone(); 16]),
        "has a tree with too many nodes"
    );
    assert_eq!(
        problem(mended(|m| m.trees.as_mut().unwrap().0 = i32::MIN)),
        "has sums that are too large"
    );
    assert_eq!(
        problem(Model::from_bytes(&bytes, HASH, 2)),
        "names a feature that does not exist"
    );
    let network = |change: fn(&mut TestNetwork)| problem(mended(|m| change(&mut m.networks[1])));
    assert_eq!(network(|n| n.width = 12), "has a width other than 8, 16 … 64");
    assert_eq!(network(|n| n.inputs.clear()), "has no inputs");
    assert_eq!(network(|n| n.inputs[0].0 = 24), "names a feature that does not exist");
    assert_eq!(
        network(|n| n.layers.clear()),
        "has a number of layers other than 1 to 6"
    );
    assert_eq!(
        network(|n| n.logit_bias = i32::MAX),
        "has weights whose sums could be too large"
    );
    assert_eq!(
        network(|n| n.layers[0].taps[..48].fill(i16::MAX)),
        "has weights whose sums could be too large"
    );
    assert_eq!(
        problem(mended(|m| m.weights.truncate(2))),
        "has not a weight for each scorer"
    );
    for text in ["TREE", "NETW", "MIXT", "RULE", "CALI"] {
        let at = bytes.windows(4).position(|w| w == text.as_bytes()).unwrap();
        let mut unknown = bytes.clone();
        unknown[at] = b'X';
        reference::seal(&mut unknown);
        assert_eq!(read(&unknown).unwrap_err(), ModelError::Sections, "{text}");
    }
}

#[test]
fn confidence_goes_in_straight_lines_between_knots() {
    let model = read(&SOME.to_bytes(HASH)).unwrap();
    let knots = reference::KNOTS;
    assert_eq!(model.confidence(0), knots[0].1);
    assert_eq!(model.confidence(u16::MAX), knots[2].1);
    for (ratio, confidence) in knots {
        assert_eq!(model.confidence(ratio), confidence);
    }
    assert_eq!(model.confidence(30_000), 25_000);
    assert!((0..=u16::MAX).map(|r| model.confidence(r)).is_sorted());
    assert_eq!(model.rule(), reference::RULE);
    assert_eq!(model.digest(), xxh3_64(&SOME.to_bytes(HASH)));
}

#[test]
fn features_differ_by_names_and_order() {
    assert_eq!(hash_features([]), 0xCBF2_9CE4_8422_2325);
    assert_eq!(hash_features(["a"]), 0xAF63_DC4C_8601_EC8C);
    assert_ne!(hash_features(["a", "b"]), hash_features(["b", "a"]));
    assert_ne!(hash_features(["a", "b"]), hash_features(["ab"]));
}

/// Lengths and counts that claim gigabytes are refused before anything is allocated for them.
#[test]
fn stated_sizes_allocate_nothing() {
    let bytes = SOME.to_bytes(HASH);
    for at in 24..bytes.len() - 11 {
        let mut hostile = bytes.clone();
        hostile[at..at + 3].fill(0xFF);
        reference::seal(&mut hostile);
        _ = read(&hostile);
    }
}

/// Sums of means are split up where 32 bits might overflow.
#[test]
fn long_pages_of_many_words_do_not_overflow() {
    let mut matrix = Matrix::default();
    reference::fill(&mut matrix, 3000, FEATURES);
    let words = [u32::MAX; 3000];
    for normed in [false, true] {
        let network = TestNetwork::random(16, 3, 9, normed, 3, FEATURES, 5);
        let model = TestModel {
            trees: None,
            networks: vec![network],
            weights: vec![1024],
            bias: 0,
        };
        let read = read(&model.to_bytes(HASH)).unwrap();
        let mut logits = Vec::new();
        read.score(&matrix, &words, &mut Scratch::default(), &mut logits);
        assert_eq!(logits, model.score(&matrix, &words));
    }
}

#[test]
fn a_model_of_the_usual_size_scores_as_the_reference() {
    let model = TestModel::random(100, &[(32, 3)], 60, FEATURES);
    let read = read(&model.to_bytes(HASH)).unwrap();
    let (mut matrix, mut scratch, mut logits) = (Matrix::default(), Scratch::default(), Vec::new());
    for blocks in [292, 17, 64, 1] {
        reference::fill(&mut matrix, blocks, FEATURES);
        let words: Vec<u32> = (0..blocks as u32).map(|block| block % 40).collect();
        read.score(&matrix, &words, &mut scratch, &mut logits);
        assert_eq!(logits, model.score(&matrix, &words), "{blocks} blocks");
    }
}
