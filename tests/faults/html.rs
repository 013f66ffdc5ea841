//! Hostile and odd pages: each test is one fault. All go through the program, with both parsers, and after each comes
//! a good page, which must not suffer.

use crate::archives::make::response;
use crate::program::{Run, run_one_with};

const NEXT: &str = "The next page is as good as ever.";

/// Runs pages, named by their places, through both parsers, and looks at each run.
fn survive(pages: &[&str], check: impl Fn(&Run)) {
    let bytes: Vec<&[u8]> = pages.iter().map(|p| p.as_bytes()).collect();
    survive_bytes(&bytes, check);
}

fn survive_bytes(pages: &[&[u8]], check: impl Fn(&Run)) {
    let mut records = Vec::new();
    for (i, page) in pages.iter().enumerate() {
        records.extend(response(
            &i.to_string(),
            "Content-Type: text/html; charset=utf-8\r\n",
            page,
        ));
    }
    records.extend(response(
        "next",
        "Content-Type: text/html\r\n",
        format!("<p>{NEXT}</p>").as_bytes(),
    ));
    for normalize in ["false", "true"] {
        // One worker, so that the next page meets what the hostile one left.
        let setting = format!("dom.normalize={normalize}");
        let run = run_one_with("h.warc", &records, &["--threads", "1", "--set", &setting]);
        assert!(matches!(run.ended.status, 0 | 3), "{}", run.ended.stderr);
        assert_eq!(run.document("next")["text"], NEXT);
        assert_eq!(run.total("failed.panic"), 0);
        check(&run);
    }
}

/// No page is lost to anything but the limit of work.
fn costly_at_most(run: &Run) {
    let failed = run.report["totals"]["failed"].as_object().unwrap();
    assert!(failed.keys().all(|reason| reason == "too_costly"), "{failed:?}");
}

#[test]
fn a_deeply_nested_page_is_flat_beyond_the_limit() {
    let list = "<ul><li>".repeat(64_000);
    let text = format!("{}<p>Words at the bottom.", "<div>".repeat(30_000));
    survive(&[&list, &text], costly_at_most);
    let fast = run_one_with(
        "h.warc",
        &response("0", "Content-Type: text/html\r\n", text.as_bytes()),
        &[],
    );
    fast.ends_with(0).gives("0", "Words at the bottom.", "");
}

#[test]
fn the_work_limit_of_a_page_can_be_set() {
    let page = format!("<p>{}", "<b>x</b> ".repeat(2000));
    let record = response("0", "Content-Type: text/html\r\n", page.as_bytes());
    for (setting, status) in [
        ("limits.page_nodes=7000", 0),
        ("limits.page_nodes=3000", 3),
        ("limits.page_work=1000000", 0),
        ("limits.page_work=10000", 3),
    ] {
        for normalize in ["false", "true"] {
            let normalize = format!("dom.normalize={normalize}");
            // The strict parser counts other steps.
            if normalize.ends_with("true") && setting.contains("work=10000") {
                continue;
            }
            let run = run_one_with("h.warc", &record, &["--set", setting, "--set", &normalize]).ends_with(status);
            assert_eq!(run.total("failed.too_costly"), u64::from(status == 3), "{setting}");
        }
    }
    let nested = format!("{}Deep words.", "<div>".repeat(40));
    let record = response("0", "Content-Type: text/html\r\n", nested.as_bytes());
    let run = run_one_with("h.warc", &record, &["--set", "limits.page_depth=10"]).ends_with(0);
    run.gives("0", "Deep words.", "");
}

#[test]
fn misnested_formatting_is_bounded() {
    let page = format!(
        "{}{}{}",
        "<a>".repeat(40_000),
        "<i>".repeat(40_000),
        "</a>".repeat(40_000)
    );
    survive(&[&page], costly_at_most);
}

#[test]
fn many_and_long_attributes_are_passed_over() {
    let many = format!(
        "<p{}>Many attributes.",
        (0..100_000).map(|i| format!(" a{i}=1")).collect::<String>()
    );
    let long = format!("<p title=\"{}\">A long one.", "y>".repeat(5_000_000));
    survive(&[&many, &long], |run| {
        costly_at_most(run);
        assert!(run.texts().contains(&"A long one.".to_owned()));
    });
}

#[test]
fn text_before_an_element_without_an_end_is_kept() {
    let pages: Vec<String> = ["<script>", "<!--", "<title>", "<textarea>", "<plaintext>", "<style>"]
        .iter()
        .map(|open| format!("<p>Text that stands before it.</p>{open} x < y"))
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    survive(&pages, |run| {
        for (i, page) in pages.iter().enumerate() {
            let text = run.document(&i.to_string())["text"].as_str().unwrap().to_owned();
            assert!(text.starts_with("Text that stands before it."), "{page}: {text}");
        }
    });
}

#[test]
fn nul_characters_are_survived() {
    let flood = format!("<p>A few{}</p>", "\0".repeat(1_000_000));
    survive(&["<p>One\0 two</p>", "<p ti\0tle=x>Three</p>", &flood], |run| {
        costly_at_most(run);
        let text = run.document("0")["text"]
            .as_str()
            .unwrap()
            .replace(['\0', '\u{fffd}'], "");
        assert_eq!(text, "One two");
    });
}

#[test]
fn a_line_of_ten_megabytes_is_read() {
    let page = format!("<p>{}</p>", "word ".repeat(2_000_000));
    survive(&[&page], |run| {
        assert_eq!(run.document("0")["metadata"]["words"], 2_000_000)
    });
}

#[test]
fn floods_of_character_references_and_impossible_ones_are_read() {
    let flood = format!("<p>{}", "&amp;&#x110000;&#1&nosuch;".repeat(100_000));
    survive(&["<p>A&#x110000;B &#xD800; &lt;i>", &flood], |run| {
        costly_at_most(run);
        run.gives("0", "A\u{fffd}B \u{fffd} <i>", "");
    });
}

#[test]
fn a_span_of_nine_quadrillion_columns_is_only_a_number() {
    let page = "<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>A wide cell of words.</table>";
    survive(&[page], |run| run.gives("0", "A wide cell of words.", ""));
}

#[test]
fn nested_tables_and_forms_keep_their_text() {
    let nested = format!("{}In the middle.", "<table><tr><td>".repeat(3000));
    let forms = format!("{}<p>Among forms.</p>", "<form><div>".repeat(3000));
    let foster = "<table>Fostered words<tr><td>and those of a cell.</table>";
    survive(&[&nested, &forms, foster], |run| {
        costly_at_most(run);
        let text = run.document("2")["text"].as_str().unwrap().to_owned();
        assert!(
            text.contains("Fostered words") && text.contains("and those of a cell."),
            "{text}"
        );
    });
}

#[test]
fn the_title_of_an_image_is_not_the_title_of_the_page() {
    let page = "<body><svg><title>An image</title></svg><p>Words of a page.</p>";
    let titled = "<title>A page</title><svg><title>An image</title></svg><p>Words of a page.</p>";
    survive(&[page, titled], |run| {
        assert_eq!(run.document("0")["metadata"]["title"], "");
        assert_eq!(run.document("1")["metadata"]["title"], "A page");
    });
}

#[test]
fn template_and_noscript_do_not_swallow_the_page() {
    let page = "<template><p>Not shown.</p></template><noscript><p>A thread for those without scripts.</p></noscript>";
    survive(
        &[page, "<template><p>Never closed", "<noscript><p>Never closed"],
        |run| {
            let text = run.document("0")["text"].as_str().unwrap().to_owned();
            assert!(text.contains("A thread for those without scripts."), "{text}");
        },
    );
}

#[test]
fn a_frameset_or_an_empty_body_is_filtered_as_empty() {
    let frames = "<html><frameset cols=*><frame src=a><frame src=b></frameset></html>";
    survive(&[frames, "<html><body></body></html>", "   "], |run| {
        assert_eq!((run.total("filtered.empty"), run.total("emitted")), (3, 1));
    });
}

#[test]
fn binary_data_labelled_html_is_filtered() {
    let png = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
        &crate::archives::Random(4).bytes(3000),
    ]
    .concat();
    let pdf = [
        &b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"[..],
        &crate::archives::Random(5).bytes(3000),
    ]
    .concat();
    survive_bytes(&[&png, &pdf], |run| {
        assert_eq!((run.total("filtered.binary"), run.total("emitted")), (2, 1));
    });
}
