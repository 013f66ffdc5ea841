//! Addresses as places for output: no folder is made of their names.

use crate::program::{Place, SAMPLE};

#[test]
fn an_address_is_no_place_for_output() {
    let place = Place::new();
    place.run(&[SAMPLE]).ends_with(3);
    let before = place.names("");
    let all: [&[&str]; 13] = [
        &["run", SAMPLE, "-o", "ADDRESS"],
        &["run", SAMPLE, "-o", "new", "--metrics", "ADDRESS"],
        &["run", SAMPLE, "-o", "new", "--seen", "ADDRESS"],
        &["run", SAMPLE, "-o", "new", "--set", "select.seen=ADDRESS"],
        &["cluster", "out", "-o", "ADDRESS"],
        &["cluster", "out", "-o", "new", "--index", "ADDRESS"],
        &["cluster", "out", "-o", "new", "--deduplicated", "ADDRESS"],
        &["topics", "out", "-o", "ADDRESS"],
        &["diff", "out", "out", "-o", "ADDRESS"],
        &["eval", "--truth", "x", SAMPLE, "-o", "ADDRESS"],
        &[
            "eval",
            "--truth",
            "x",
            SAMPLE,
            "--sweep",
            "coreex.min_words=1",
            "--svg",
            "ADDRESS",
        ],
        &["features", "--truth", "x", SAMPLE, "-o", "ADDRESS"],
        &["run", SAMPLE, "-o", "ADDRESS", "--log-format", "json"],
    ];
    for (address, remedy) in [
        ("s3://bucket/out", "aws s3 cp --recursive DIR s3://BUCKET/FOLDER"),
        ("http:/user:HUSH@host/out", "then copy it"),
        ("x-other://user:HU/HUSH@host/out", "then copy it"),
    ] {
        for arguments in all {
            let arguments: Vec<String> = arguments.iter().map(|a| a.replace("ADDRESS", address)).collect();
            let ended = place.dehusk(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(ended.status, 2, "{arguments:?}: {said}");
            let why = "is an address, and output is written to local files only: name a local directory or file";
            assert!(said.contains(why) && said.contains(remedy), "{arguments:?}: {said}");
            assert!(!said.contains("HUSH"), "{said}");
        }
    }
    assert_eq!(place.names(""), before, "nothing was made");
    // A folder that is called so can still be named.
    place.run_to("./s3:/bucket", &[SAMPLE]).ends_with(3);
}

#[test]
fn a_library_call_writes_to_no_address() {
    let error = dehusk::run(&dehusk::Config::default(), [SAMPLE], "s3://bucket/out").unwrap_err();
    assert!(error.to_string().contains("aws s3 cp --recursive"), "{error}");
    assert!(!std::path::Path::new("s3:").exists());
}
