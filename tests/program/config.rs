//! The configuration: its defaults, what beats what, what is refused, and what its hash covers.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::{Place, SAMPLE, make};
use dehusk::Config;

fn default_file() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/pipeline.toml"))
}

#[test]
fn the_file_in_the_repository_is_the_default() {
    assert_eq!(Config::from_file(default_file()).unwrap(), Config::default());
}

#[test]
fn the_file_explains_every_key() {
    let text = std::fs::read_to_string(default_file()).unwrap();
    let (mut section, mut explained) = (String::new(), false);
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            explained |= !comment.trim().is_empty();
        } else if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
            explained = false;
        } else if let Some((key, _)) = line.split_once(" = ") {
            assert!(explained, "{section}.{key} has no comment");
            found.insert(format!("{section}.{key}"));
            explained = false;
        }
    }
    let defaults = toml::Table::try_from(Config::default()).unwrap();
    let mut known = BTreeSet::new();
    for (section, table) in defaults.iter().filter(|(name, _)| *name != "presets") {
        known.extend(table.as_table().unwrap().keys().map(|key| format!("{section}.{key}")));
    }
    assert_eq!(found, known);
}

#[cfg(not(any(feature = "parquet", feature = "sqlite")))]
#[test]
fn the_message_about_a_format_that_is_not_built_in_has_the_remedy() {
    let place = Place::new();
    for format in ["parquet", "sqlite"] {
        for flags in [["--format", format], ["--set", &format!("output.format={format}")]] {
            let ended = place.dehusk(&[&["run", SAMPLE, "-o", "out"][..], &flags].concat());
            assert_eq!(ended.status, 2, "{}", ended.stderr);
            let how = format!("cargo install --locked --path . --features {format}");
            assert!(ended.stderr.contains(&how), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_flag_beats_the_file_and_the_file_beats_the_default() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "Some words are here."));
    place.write(
        "my.toml",
        "[output]\nformat = \"xml\"\nsource = \"file\"\n[select]\nmin_words = 2\nstatuses = [\"2xx\"]\n[run]\nthreads \
            = 1\n",
    );
    let from_file = ["a.warc", "--config", "my.toml"];
    let config = |folder: &str, flags: &[&str]| {
        place.run_to(folder, &[&from_file, flags].concat()).ends_with(0).report["config"].clone()
    };
    let file = config("file", &[]);
    assert_eq!(
        (&file["output"]["format"], &file["output"]["source"]),
        (&"xml".into(), &"file".into())
    );
    assert_eq!(file["output"]["compression"], "zstd");
    assert_eq!(
        (&file["select"]["min_words"], &file["run"]["threads"]),
        (&2.into(), &1.into())
    );
    let flags = [
        "--format",
        "jsonl",
        "--source",
        "the \"flag\"",
        "--min-words",
        "3",
        "--threads",
        "2",
        "--status",
        "200,203",
    ];
    let flags = config("flags", &flags);
    assert_eq!(
        (&flags["output"]["format"], &flags["output"]["source"]),
        (&"jsonl".into(), &"the \"flag\"".into())
    );
    assert_eq!(
        (&flags["select"]["min_words"], &flags["run"]["threads"]),
        (&3.into(), &2.into())
    );
    assert_eq!(flags["select"]["statuses"], serde_json::json!(["200", "203"]));
    let set = [
        "--set",
        "output.format=jsonl",
        "--set",
        "limits.page_bytes=9000",
        "--set",
        "select.url_include=[\"a\"]",
    ];
    let set = config("set", &set);
    assert_eq!(set["output"]["format"], "jsonl");
    assert_eq!(set["limits"]["page_bytes"], 9000);
    assert_eq!(set["select"]["url_include"], serde_json::json!(["a"]));
}

#[test]
fn unknown_keys_and_values_are_named_with_the_nearest_valid_one() {
    let place = Place::new();
    place.write("key.toml", "[select]\nmin_wrods = 3\n");
    place.write("section.toml", "[selct]\n");
    place.write(
        "keys.toml",
        "[select]\nmin_wrods = 3\n[selct]\n[output]\nformt = \"xml\"\n",
    );
    place.write("value.toml", "[output]\ncompression = \"gzp\"\n");
    place.write("kind.toml", "[select]\nmin_words = \"three\"\n");
    place.write("negative.toml", "[select]\nmin_words = -1\n");
    place.write("broken.toml", "[select\n");
    place.write(
        "patterns.toml",
        "[extract]\nextractors = [\"mine\"]\n[presets.mine]\nbase = \"contentex\"\npatterns = \"no-such.toml\"\n",
    );
    place.write(
        "preset.toml",
        "[extract]\nextractors = [\"mine\"]\n[presets.mine]\nbase = \"coreex\"\nweigth_ratio = 0.5\n",
    );
    for (arguments, words) in [
        (
            &["--config", "key.toml"][..],
            &["key.toml", "select.min_wrods", "“min_words”"][..],
        ),
        (&["--config", "section.toml"], &["selct", "“select”"]),
        (
            &["--config", "keys.toml"],
            &[
                "keys.toml: 3 unknown keys:\n",
                "“select.min_wrods”; did you mean “min_words”?\n",
                "“selct”; did you mean “select”?\n",
                "“output.formt”; did you mean “format”?\n",
            ],
        ),
        (&["--config", "value.toml"], &["gzp", "compression", "“gzip”"]),
        (
            &["--config", "kind.toml"],
            &["select.min_words", "a whole number, not a string"],
        ),
        (
            &["--config", "negative.toml"],
            &["negative.toml: “select.min_words” takes a whole number, 0 or more, not -1"],
        ),
        (
            &["--config", "patterns.toml"],
            &["patterns.toml: presets.mine: patterns file no-such.toml: cannot be read"],
        ),
        (&["--config", "broken.toml"], &["broken.toml", "line 1"]),
        (
            &["--config", "preset.toml"],
            &["presets.mine.weigth_ratio", "“weight_ratio”"],
        ),
        (&["--config", "missing.toml"], &["missing.toml: cannot be read"]),
        (&["--extractor", "coreex-modren"], &["coreex-modren", "“coreex-modern”"]),
        (&["--extractor", "coreex,coreex"], &["“coreex” is named twice"]),
        (&["--format", "jsnl"], &["jsnl", "“jsonl”"]),
        (&["--compression", "zst"], &["zst", "“zstd”"]),
        (&["--status", "ok"], &["select.statuses", "“ok”"]),
        (&["--record-type", "respnse"], &["respnse", "“response”"]),
        (&["--url-include", "("], &["select.url_include"]),
        (&["--set", "limits.page_byts=3"], &["limits.page_byts", "“page_bytes”"]),
        (&["--set", "limits"], &["“limits” is not of the form key=value"]),
        (&["--frmat", "xml"], &["--frmat", "--format"]),
        (&["--level", "99"], &["output.level", "at most 22"]),
    ] {
        let ended = place.dehusk(&[&["run", SAMPLE, "-o", "out"], arguments].concat());
        assert_eq!(ended.status, 2, "{arguments:?}: {}", ended.stderr);
        for word in words {
            assert!(
                ended.stderr.contains(word),
                "{arguments:?} should name {word}: {}",
                ended.stderr
            );
        }
        assert!(!place.path("out").exists());
    }
}

#[test]
fn a_misspelt_flag_is_an_error_in_every_command() {
    let place = Place::new();
    for arguments in [
        ["extract", "x.html", "--extractor", "corex"],
        ["extract", "x.html", "--set", "dom.normalise=true"],
        ["inspect", "x.warc", "--extractor", "corex"],
        ["inspect", "x.warc", "--set", "dom.normalise=true"],
    ] {
        let ended = place.dehusk(&arguments);
        assert_eq!(ended.status, 2);
        assert!(ended.stderr.contains("did you mean"), "{}", ended.stderr);
    }
}

#[test]
fn a_misspelt_command_gets_a_suggestion() {
    let place = Place::new();
    for (wrong, right) in [("rnu", "run"), ("inpsect", "inspect"), ("extrcat", "extract")] {
        let ended = place.dehusk(&[wrong]);
        assert_eq!(ended.status, 2);
        assert!(ended.stderr.contains(&format!("'{right}'")), "{}", ended.stderr);
    }
}

#[test]
fn standard_output_is_no_directory() {
    let place = Place::new();
    let ended = place.dehusk(&["run", crate::program::SAMPLE, "-o", "-"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("not standard output"), "{}", ended.stderr);
    assert!(!place.path("-").exists());
}

/// The rows of Table 1, as presets of one's own.
const TABLE_1: &str = r#"
[presets.r1]
base = "coreex"
scoring = "basic"
subset = false
forms = "keep"
scripts = false
[presets.r2]
base = "coreex"
subset = false
forms = "keep"
scripts = false
[presets.r3]
base = "coreex"
forms = "keep"
scripts = false
[presets.r4]
base = "coreex"
scripts = false
[presets.r5]
base = "coreex"
"#;

#[test]
fn every_row_of_table_1_of_the_paper_can_be_configured() {
    let place = Place::new();
    place.write("table.toml", TABLE_1);
    let mut words = Vec::new();
    let mut hashes = BTreeSet::new();
    for (row, preset, more) in [
        ("R1", "r1", &[][..]),
        ("R2", "r2", &[]),
        ("R3", "r3", &[]),
        ("R4", "r4", &[]),
        ("R5", "r5", &[]),
        ("R6", "r5", &["--normalize"]),
    ] {
        let arguments = [&[SAMPLE, "--config", "table.toml", "--extractor", preset], more].concat();
        let run = place.run_to(row, &arguments).ends_with(3);
        let documents = run.documents();
        assert!(documents.iter().all(|d| d["metadata"]["extractor"] == preset));
        let sum: u64 = documents.iter().map(|d| d["metadata"]["words"].as_u64().unwrap()).sum();
        words.push((row, sum, documents.len()));
        hashes.insert(run.report["config_hash"].as_str().unwrap().to_owned());
        if row == "R5" {
            let paper = place.run_to("paper", &[SAMPLE, "--extractor", "coreex"]).ends_with(3);
            assert_eq!(paper.texts(), run.texts(), "R5 is the paper's best row, and its preset");
        }
    }
    println!("{words:?}");
    assert_eq!(hashes.len(), 6);
    // The basic score prefers one paragraph without links; the weighted one whole articles.
    assert!(words[0].1 * 2 < words[1].1, "{words:?}");
    assert!(
        words[1].1 < words[2].1,
        "a subset takes in what stands beside: {words:?}"
    );
}

#[test]
fn users_presets_run_beside_the_built_in_ones() {
    let place = Place::new();
    place.write(
        "mine.toml",
        "[extract]\nextractors = [\"mine\", \"coreex\"]\n[presets.mine]\nbase \
        = \"coreex\"\nthreshold = 0.5\nweight_ratio = 1\n",
    );
    let run = place.run(&[SAMPLE, "--config", "mine.toml"]).ends_with(3);
    assert!(
        run.documents()
            .iter()
            .all(|d| d["metadata"]["extractor"] == "mine" && d["text_coreex"].is_string())
    );
}

#[test]
fn the_hash_covers_what_can_change_a_document() {
    let hash = |text: &str| Config::from_toml(text).unwrap().hash().unwrap();
    let default = hash("");
    let mine = "[presets.mine]\nbase = \"coreex\"\n";
    for same in [
        "[run]\nthreads = 7",
        "[output]\ncompression = \"gzip\"",
        "[output]\nlevel = 9",
        // Plain text has none.
        "[output]\nlinks = true",
        // It does not run.
        mine,
        "[select]\nmin_words = 0",
    ] {
        assert_eq!(hash(same), default, "{same}");
    }
    let mut seen = BTreeSet::from([default]);
    let chosen = format!("[extract]\nextractors = [\"mine\"]\n{mine}");
    let other = format!("{chosen}threshold = 0.8\n");
    for other in [
        // XML's documents may bear a note of their own.
        "[output]\nformat = \"xml\"",
        "[select]\nmin_words = 1",
        "[select]\nmax_bytes = 1",
        "[select]\nstatuses = [\"2xx\"]",
        "[select]\nurl_exclude = [\"x\"]",
        "[limits]\npage_bytes = 1000",
        "[limits]\nrecord_bytes = 1000",
        "[input]\nverify_digests = true",
        "[dom]\nnormalize = true",
        "[extract]\nextractors = [\"coreex\"]",
        "[extract]\nextractors = [\"coreex-modern\", \"coreex\"]",
        "[extract]\nextractors = [\"coreex\", \"coreex-modern\"]",
        "[output]\nsource = \"a corpus\"",
        "[output]\ntext = \"markdown\"",
        "[output]\ntext = \"markdown\"\nlinks = true",
        "[output]\ntext = \"markdown\"\nimages = true",
        &chosen,
        &other,
    ] {
        assert!(seen.insert(hash(other)), "{other}");
    }
    assert!(
        seen.iter()
            .all(|h| h.len() == 8 && h.bytes().all(|b| b.is_ascii_hexdigit()))
    );
}

#[test]
fn paths_and_threads_change_no_hash_of_a_run() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "Some words are here."));
    place.write(
        "folder/b.warc",
        make::page("https://a.example/", "Some words are here."),
    );
    let hash =
        |folder: &str, arguments: &[&str]| place.run_to(folder, arguments).ends_with(0).report["config_hash"].clone();
    assert_eq!(
        hash("one", &["a.warc"]),
        hash(
            "two",
            &["folder/b.warc", "--threads", "2", "-v", "--compression", "none"]
        )
    );
}
