//! A model of random bytes, with the length and the checksum that they ought to have: it is refused, or it scores.
#![no_main]

#[path = "../../crates/extract/src/fusion/model/tests/reference.rs"]
#[allow(dead_code)]
mod reference;

use std::cell::RefCell;

use dehusk_extract::fusion::Model;
use dehusk_extract::fusion::training::{Matrix, Rule, Scratch, probability};

/// As many as the seeds have.
const FEATURES: usize = 24;
const BLOCKS: usize = 83;

thread_local! {
    /// One scratch for all models.
    static SCRATCH: RefCell<(Matrix, Scratch)> = RefCell::new({
        let mut matrix = Matrix::default();
        reference::fill(&mut matrix, BLOCKS, FEATURES);
        (matrix, Scratch::default())
    });
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    reference::seal(&mut bytes);
    let hash = bytes
        .get(12..20)
        .and_then(|hash| hash.try_into().ok())
        .map_or(0, u64::from_le_bytes);
    let Ok(model) = Model::from_bytes(&bytes, hash, FEATURES) else {
        return;
    };
    let words: Vec<u32> = (0..BLOCKS as u32).map(|block| block * block).collect();
    SCRATCH.with_borrow_mut(|(matrix, scratch)| {
        let (mut mixed, mut own) = (Vec::new(), Vec::new());
        model.score(matrix, &words, scratch, &mut mixed);
        assert_eq!(mixed.len(), BLOCKS);
        assert!(mixed.iter().all(|logit| logit.abs() <= 1 << 24));
        assert!(mixed.iter().all(|&logit| (probability(logit) < 32768) == (logit < 0)));
        for scorer in 0..model.scorers() {
            model.score_with(scorer, matrix, &words, scratch, &mut own);
            assert_eq!(own.len(), BLOCKS);
        }
        model.score_with(0, matrix, &words, scratch, &mut own);
        if let Some(found) = model.contributions(matrix, 0) {
            assert_eq!(found.base + found.features.iter().map(|f| f.1).sum::<i32>(), own[0]);
        }
    });
    assert!(model.confidence(0) <= model.confidence(u16::MAX));
    _ = model.rule();
});
