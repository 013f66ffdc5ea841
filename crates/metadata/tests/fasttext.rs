//! Models of fastText: their results for texts are those of fastText, and damaged files are refused.

use std::path::PathBuf;

use dehusk_metadata::language::{Model, ModelError};
use proptest::prelude::*;

const MODELS: [&str; 3] = ["softmax.ftz", "hs.ftz", "ova.bin"];

fn bytes(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/fasttext");
    std::fs::read(folder.join(name)).expect("a model")
}

fn model(name: &str) -> Model {
    Model::read(&*bytes(name)).expect("a whole model")
}

#[test]
fn labels_and_scores_are_those_of_fasttext() {
    let lines = String::from_utf8(bytes("labels.tsv")).expect("text");
    let mut count = 0;
    for line in lines.lines() {
        let [name, text, label, score] = Vec::from_iter(line.split('\t'))[..] else {
            panic!("{line}");
        };
        let model = model(name);
        let (found, found_score) = model.best_label(text).unwrap_or_default();
        assert_eq!(found, label, "{line}");
        let expected: f64 = score.parse().expect("a number");
        // fastText looks sigmoids up in a table.
        let tolerance = if name == "ova.bin" { 0.01 } else { 0.000_1 };
        assert!((found_score - expected).abs() < tolerance, "{line}: {found_score}");
        count += 1;
    }
    assert_eq!(count, 27);
}

#[test]
fn labels_become_languages_of_documents() {
    let language = |name, text| model(name).detect(text).map(|language| language.tag);
    for name in MODELS {
        let found = [
            language(name, "Hún skrifaði bréf um veðrið"),
            language(name, "Ela escribiu\npola mañá"),
            language(name, "Watoto walicheza na mashua"),
        ];
        assert_eq!(found, ["is", "gl", "sw"].map(|tag| Some(tag.to_owned())), "{name}");
        assert_eq!(Vec::from_iter(model(name).labels()).len(), 3);
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    for name in MODELS {
        let whole = bytes(name);
        for length in 0..whole.len() {
            let error = Model::read(&whole[..length]).expect_err("a part of a model");
            let is_expected = match length {
                0..4 => matches!(error, ModelError::NoModel),
                _ => matches!(error, ModelError::EndsEarly),
            };
            assert!(is_expected, "{name} cut at {length}: {error}");
        }
        let longer = [&whole[..], b"\0"].concat();
        assert!(matches!(Model::read(&*longer), Err(ModelError::Invalid(_))), "{name}");
    }
}

#[test]
fn files_that_are_no_models_of_labels_have_their_own_errors() {
    let refused = |bytes: &[u8]| Model::read(bytes).expect_err("no model").to_string();
    assert_eq!(
        refused(b"<html>not found</html>"),
        "is no model of fastText (.bin or .ftz)"
    );
    let mut words = bytes("ova.bin");
    // The ninth number of the head is the kind: 1 is a model of words by their context.
    words[36..40].copy_from_slice(&1_i32.to_le_bytes());
    assert!(refused(&words).starts_with("is a fastText model of words"));
    let mut later = bytes("ova.bin");
    later[4..8].copy_from_slice(&13_i32.to_le_bytes());
    assert!(refused(&later).ends_with("its version is neither 11 nor 12"));
}

proptest! {
    #[test]
    fn a_damaged_model_is_refused_or_answers(
        name in prop::sample::select(&MODELS[..]),
        changes in prop::collection::vec((0_usize..9000, any::<u8>()), 1..8),
        text in ".{0,60}",
    ) {
        let mut damaged = bytes(name);
        for (place, byte) in changes {
            let place = place % damaged.len();
            damaged[place] = byte;
        }
        if let Ok(model) = Model::read(&*damaged) {
            let (_, score) = model.best_label(&text).unwrap_or_default();
            prop_assert!((0.0..=1.0).contains(&score));
        }
    }

    #[test]
    fn a_damaged_head_is_refused_or_answers(
        name in prop::sample::select(&MODELS[..]),
        changes in prop::collection::vec((8_usize..120, prop::sample::select(&[0_u8, 1, 0x7F, 0x80, 0xFF][..])), 1..8),
    ) {
        let mut damaged = bytes(name);
        for (place, byte) in changes {
            damaged[place] = byte;
        }
        if let Ok(model) = Model::read(&*damaged) {
            let (_, score) = model.best_label("Hún skrifaði bréf").unwrap_or_default();
            prop_assert!((0.0..=1.0).contains(&score));
        }
    }
}
