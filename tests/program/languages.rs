//! The source of a document's language: the list of offsets, the record's header, a model, or the built-in detector.

use serde_json::{Value, json};

use crate::program::{Place, make};

const ENGLISH: &str =
    "We went out early in the morning, up the hill behind the village, and it rained until we were home.";
const MODEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/crates/metadata/tests/data/fasttext/softmax.ftz"
);

/// An archive with one page for each header of languages, and a line of CDXJ for each language that it gives.
fn archive(place: &Place, pages: &[(&str, Option<&str>)]) {
    let (mut bytes, mut lines) = (Vec::new(), String::new());
    for (i, (header, in_list)) in pages.iter().enumerate() {
        let url = format!("https://p{i}.example/");
        let field = match *header {
            "" => String::new(),
            languages => format!("WARC-Identified-Content-Language: {languages}\r\n"),
        };
        let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{ENGLISH}");
        let fields = format!("{field}Content-Type: application/http\r\n");
        let member = make::gzip(&make::record("response", &url, &fields, body.as_bytes()));
        let mut line = json!({"filename": "a.warc.gz", "offset": bytes.len().to_string(),
            "length": member.len().to_string()});
        if let Some(languages) = in_list {
            line["languages"] = (*languages).into();
        }
        lines += &format!("example,p{i})/ 20240506070809 {line}\n");
        bytes.extend(member);
    }
    place.write("a.warc.gz", bytes);
    place.write("list.cdxj", lines);
}

fn from(sources: &str) -> [String; 2] {
    ["--set".to_owned(), format!("extract.language_from={sources}")]
}

/// Language, score and flags of each document.
fn languages(documents: &[Value]) -> Vec<(String, f64, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |document: &Value| {
        let metadata = &document["metadata"];
        let score = metadata["language_score"].as_f64().unwrap();
        (text(&metadata["language"]), score, text(&metadata["flags"]))
    };
    documents.iter().map(of).collect()
}

#[test]
fn the_first_source_that_knows_the_language_gives_it_and_a_flag_names_it() {
    let place = Place::new();
    archive(
        &place,
        &[
            ("isl,eng", Some("glg")),
            ("swa", None),
            ("", Some("und")),
            ("x-none", Some("zho")),
        ],
    );
    let run = |folder: &str, sources: &str| {
        let [set, value] = from(sources);
        place
            .run_to(folder, &["--offsets", "list.cdxj", &set, &value])
            .ends_with(0)
    };
    let both = run("both", r#"["index", "header", "text"]"#);
    let found = languages(&both.documents());
    let expected = [
        ("gl", "language_index"),
        ("sw", "language_header"),
        ("en", ""),
        ("zh", "language_index"),
    ];
    for ((language, _, flags), expected) in found.iter().zip(expected) {
        assert_eq!((language.as_str(), flags.as_str()), expected);
    }
    assert_eq!(found[0].1, 1.0);
    assert_eq!(both.total("notes.language_index"), 2);
    assert_eq!(both.total("notes.language_header"), 1);
    let header = run("header", r#"["header"]"#).documents();
    let tags: Vec<String> = languages(&header).into_iter().map(|(tag, ..)| tag).collect();
    assert_eq!(tags, ["is", "sw", "", ""]);
    // A label may have a code that the built-in detector lacks, and can be chosen by it.
    archive(&place, &[("bxr", None), ("eng", None)]);
    let chosen = [
        &from(r#"["header"]"#)[..],
        &["--languages".to_owned(), "bxr".to_owned()],
    ]
    .concat();
    let chosen: Vec<&str> = [
        &["a.warc.gz"][..],
        &chosen.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat();
    let run = place.run_to("chosen", &chosen).ends_with(0);
    assert_eq!(languages(&run.documents())[0].0, "bxr");
    assert_eq!(run.total("filtered.language"), 1);
}

#[test]
fn another_list_of_languages_reads_the_archive_again() {
    let place = Place::new();
    archive(&place, &[("", Some("isl"))]);
    let [set, value] = from(r#"["index", "text"]"#);
    let arguments = ["--offsets", "list.cdxj", &set, &value];
    let first = place.run(&arguments).ends_with(0);
    assert_eq!(languages(&first.documents())[0].0, "is");
    archive(&place, &[("", Some("glg"))]);
    let again = place.run(&[&arguments[..], &["--changed"]].concat()).ends_with(0);
    assert_eq!(languages(&again.documents())[0].0, "gl");
}

#[test]
fn a_model_of_fasttext_gives_the_language() {
    let place = Place::new();
    let page = |name: &str, text: &str| make::page(&format!("https://{name}.example/"), text);
    let pages = [
        page("a", "Watoto walicheza karibu na mto siku nzima."),
        page("b", "Hún skrifaði bréf til bróður síns en hann svaraði ekki."),
    ];
    place.write("a.warc", pages.concat());
    let [set, value] = from(r#"["model", "text"]"#);
    let model = format!("extract.language_model={MODEL}");
    let run = place.run(&["a.warc", &set, &value, "--set", &model]).ends_with(0);
    let found = languages(&run.documents());
    assert_eq!((&*found[0].0, &*found[0].2), ("sw", "language_model"));
    assert_eq!((&*found[1].0, &*found[1].2), ("is", "language_model"));
    assert_eq!(run.total("notes.language_model"), 2);
    // The content of the file counts in the hash, not its name.
    place.write("copy.ftz", std::fs::read(MODEL).unwrap());
    let copy = place
        .run_to(
            "copy",
            &["a.warc", &set, &value, "--set", "extract.language_model=copy.ftz"],
        )
        .ends_with(0);
    assert_eq!(copy.report["config_hash"], run.report["config_hash"]);
    let plain = place.run_to("plain", &["a.warc"]).ends_with(0);
    let [set, value] = from(r#"["text"]"#);
    let text = place.run_to("text", &["a.warc", &set, &value]).ends_with(0);
    assert_ne!(plain.report["config_hash"], run.report["config_hash"]);
    assert_eq!(plain.report["config_hash"], text.report["config_hash"]);
}

#[test]
fn a_mistake_in_the_sources_is_named_with_its_remedy() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", ENGLISH));
    place.write("cut.ftz", &std::fs::read(MODEL).unwrap()[..3000]);
    place.write("page.ftz", "<html>not found</html>");
    let model = |name: &str| format!("extract.language_model={name}");
    let asks = r#"extract.language_from=["model"]"#;
    let refused = |sets: &[&str], says: &str| {
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
        let ended = place.dehusk(&[&["run", "a.warc", "-o", "no"][..], &sets].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{says}: {}", ended.stderr);
    };
    refused(
        &["extract.language_from=[]"],
        "names no source; the built-in detector is",
    );
    refused(&[r#"extract.language_from=["modell"]"#], "modell");
    refused(
        &[asks],
        "name its file, a .bin or .ftz of fastText, as “extract.language_model”",
    );
    refused(&[&model("cut.ftz")], "is asked only if “extract.language_from” has");
    refused(
        &[asks, &model("cut.ftz")],
        "cut.ftz: ends early; copy or download it again",
    );
    refused(
        &[asks, &model("page.ftz")],
        "page.ftz: is no model of fastText (.bin or .ftz)",
    );
    refused(&[asks, &model("absent.ftz")], "absent.ftz: No such file");
    refused(&[asks, &model("https://a.example/lid.ftz")], "extract.language_model");
}
