//! The measures of Markdown: ROUGE-5, edit similarities, TEDS, and the structure.

use crate::program::eval::{SAMPLE_TRUTH, figure, near, object, page, rows, stdout, truth};
use crate::program::{Place, SAMPLE, make};
use serde_json::{Value, json};

const PAGE: &str = "<div><h2>Tea and water</h2><p>Take some water, and make it boil for a minute or two.</p>\
                    <pre>a = 1\nb = 2</pre><table><tr><th>Kind<th>Minutes<tr><td>Green<td>2</table>\
                    <p>Then wait until it is no longer too hot for the leaves.</p></div>";

/// Evaluates a preset that keeps everything on one page.
fn evaluated(html: &str, line: &Value) -> Value {
    let place = Place::new();
    let url = "http://a.test/1";
    place.write("a.warc", make::response(url, "200 OK", "text/html", html.as_bytes()));
    place.write("all.toml", "[presets.everything]\nbase = \"cetd-ds\"\nlambda = 0\n");
    let mut truth = json!({"record_id": format!("<urn:test:response:{url}>"), "text": "Tea"});
    truth
        .as_object_mut()
        .unwrap()
        .append(&mut line.as_object().unwrap().clone());
    place.write("t.jsonl", truth.to_string());
    let common = [
        "eval",
        "--truth=t.jsonl",
        "a.warc",
        "--config",
        "all.toml",
        "-e",
        "everything",
    ];
    object(&place.dehusk(&[&common[..], &["--metrics=rouge,structure", "--format=json"]].concat()))
}

#[test]
fn content_that_is_kept_whole_has_all_its_form() {
    for line in [json!({"html": PAGE}), json!({"html": PAGE, "markdown": null})] {
        let report = evaluated(PAGE, &line);
        for key in [
            "rouge_precision",
            "rouge_recall",
            "rouge_f1",
            "code_edit",
            "table_edit",
            "table_teds",
        ] {
            assert!(near(figure(&report, key), 1.0), "{key}: {report}");
        }
        for kind in ["headings", "paragraphs", "code", "cells"] {
            assert!(near(figure(&report, &format!("{kind}_f1")), 1.0), "{kind}: {report}");
        }
        // Figures of parts that neither has are not averaged.
        let all = rows(&report, "all")[0];
        assert!(all["formula_edit"].is_null() && all["quotes_f1"].is_null(), "{all}");
    }
}

#[test]
fn form_that_is_lost_or_added_is_worked_out_by_hand() {
    let markdown = "# Tea and water\n\n```\na = 1\nb = 3\n```\n\n| Kind | Minutes |\n|---|---|\n| Green | 2 |\n| Black | 4 |\n\n\
                    Then wait until it is no longer too hot for the leaves.\n";
    let report = evaluated(PAGE, &json!({"markdown": markdown}));
    let expected = [
        // One character of 11.
        ("code_edit", 10.0 / 11.0),
        // “\nBlack\t4” is missing, 8 of 28 characters.
        ("table_edit", 1.0 - 8.0 / 28.0),
        // A row with two cells, 3 of 10 nodes, is missing.
        ("table_teds", 0.7),
        // The heading is one level deeper throughout.
        ("headings_f1", 1.0),
        ("paragraphs_precision", 0.5),
        ("paragraphs_recall", 1.0),
        ("code_f1", 0.0),
        ("cells_precision", 1.0),
        ("cells_recall", 4.0 / 6.0),
    ];
    for (key, value) in expected {
        assert!(
            near(figure(&report, key), value),
            "{key}: {} is not {value}",
            figure(&report, key)
        );
    }
}

/// Whether it is a page that is missing or an extractor that keeps nothing: the truth's parts count.
#[test]
fn a_page_without_output_has_lost_its_form() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/other", &["Some words here."]));
    place.write(
        "t.jsonl",
        json!({"record_id": "x", "text": "A b", "markdown": "# A\n\nb"}).to_string(),
    );
    let common = [
        "eval",
        "--truth=t.jsonl",
        "a.warc",
        "--format=json",
        "--metrics=rouge,structure",
    ];
    let ended = place.dehusk(&common);
    assert_eq!(ended.status, 1, "nothing joins");
    place.write(
        "a.warc",
        make::response("http://a.test/1", "200 OK", "text/html", b"<p>Nothing of it at all."),
    );
    let line = json!({"record_id": "<urn:test:response:http://a.test/1>", "text": "A b", "markdown": "# A\n\nb"});
    let absent = json!({"record_id": "absent", "text": "A b", "markdown": "# A\n\nc"});
    place.write("t.jsonl", format!("{line}\n{absent}"));
    let report = object(&place.dehusk(&common));
    assert_eq!(
        (figure(&report, "headings_recall"), figure(&report, "rouge_f1")),
        (0.0, 0.0)
    );
}

#[test]
fn measures_that_cannot_be_taken_name_the_remedy() {
    let place = Place::new();
    place.write("a.warc", page("http://a.test/1", &["Some words here."]));
    place.write("t.jsonl", truth("http://a.test/1", "Some words here."));
    let with = |metrics: &str| place.dehusk(&["eval", "--truth=t.jsonl", "a.warc", "--metrics", metrics]);
    let without_form = with("bag,structure");
    assert_eq!(without_form.status, 1);
    for part in ["“structure”", "“html”", "“markdown”", "--metrics"] {
        assert!(without_form.stderr.contains(part), "{part}: {}", without_form.stderr);
    }
    let unknown = with("structur");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("structure"), "{}", unknown.stderr);
}

#[test]
fn tables_are_no_wider_than_a_terminal() {
    let place = Place::new();
    let told = stdout(&place.dehusk(&["eval", "--truth", SAMPLE_TRUTH, SAMPLE, "-e", "coreex,coreex-modern"]));
    let wide = told
        .lines()
        .skip_while(|line| *line != "All pages")
        .find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "{told}");
}
