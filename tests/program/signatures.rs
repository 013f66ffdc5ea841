//! The signatures in documents.

use dehusk_similarity::{MinHash, SpotSigs};

use crate::program::{Place, make};

const WALK: &str =
    "We went out early in the morning, up the hill behind the village, and it rained until we were home.";
const WALK_AGAIN: &str =
    "We went out early in the morning, up the hill behind the town, and it rained until we were home.";
const OTHER: &str = "The council agreed on Monday to repair the old bridge over the river before the winter comes.";

fn walks() -> Place {
    let place = Place::new();
    let pages = [WALK, WALK_AGAIN, OTHER].map(|text| make::page("https://a.example/", text));
    place.write("a.warc", pages.concat());
    place
}

#[test]
fn similar_texts_have_similar_signatures() {
    let place = walks();
    let run = place
        .run(&["a.warc", "--signatures", "minhash,simhash,spotsigs"])
        .ends_with(0);
    let documents = run.documents();
    let of = |key: &str| -> Vec<String> {
        let values = documents
            .iter()
            .map(|d| d["metadata"][key].as_str().unwrap().to_owned());
        values.collect()
    };
    let minhash: Vec<MinHash> = of("minhash")
        .iter()
        .map(|text| MinHash::from_base64(text).unwrap())
        .collect();
    assert!(minhash[0].similarity(&minhash[1]) > 0.4);
    assert!(minhash[0].similarity(&minhash[2]) < 0.1);
    let simhash: Vec<u64> = of("simhash")
        .iter()
        .map(|hex| u64::from_str_radix(hex, 16).unwrap())
        .collect();
    assert!((simhash[0] ^ simhash[1]).count_ones() < (simhash[0] ^ simhash[2]).count_ones());
    let spotsigs: Vec<SpotSigs> = of("spotsigs")
        .iter()
        .map(|text| SpotSigs::from_base64(text).unwrap())
        .collect();
    assert!(spotsigs[0].similarity(&spotsigs[1]) > spotsigs[0].similarity(&spotsigs[2]));
}

#[test]
fn only_the_signatures_that_are_named_are_filled_in() {
    let place = walks();
    let run = place.run(&["a.warc", "--signatures", "simhash"]).ends_with(0);
    let metadata = &run.documents()[0]["metadata"];
    assert_eq!(metadata["simhash"].as_str().unwrap().len(), 16);
    assert_eq!((metadata.get("minhash"), metadata.get("spotsigs")), (None, None));
}

#[test]
fn the_order_of_their_names_does_not_change_the_configuration() {
    let place = walks();
    let hash = |out: &str, names: &str| {
        let run = place.run_to(out, &["a.warc", "--signatures", names]).ends_with(0);
        run.report["config_hash"].clone()
    };
    let both = hash("x", "simhash,minhash");
    assert_eq!(both, hash("y", "minhash,simhash"));
    assert_ne!(both, hash("z", "minhash"));
}

#[test]
fn an_unknown_signature_is_named_with_the_nearest() {
    let place = walks();
    let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--signatures", "minhsh"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("minhash"), "{}", ended.stderr);
    let ended = place.dehusk(&["run", "a.warc", "-o", "out", "--set", "output.signatures=[\"minhsh\"]"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("output.signatures"), "{}", ended.stderr);
}
