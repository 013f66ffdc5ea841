//! `dehusk extract`: one page, in every format.

use crate::program::Place;

const PAGE: &str = "<!doctype html><html lang=en><title>A walk | Blog</title><nav><a href=/>Home</a> <a href=/b>All \
    walks</a></nav>\
    <article><h1>A walk</h1><p>We went out early, and it rained &amp; rained.</p><p>Then the <em>sun</em> came out, \
    and we walked on to the sea.</p></article><footer><a href=/c>Imprint</a></footer></html>";

const TEXT: &str =
    "A walk\n\nWe went out early, and it rained & rained.\n\nThen the sun came out, and we walked on to the sea.\n";

fn place() -> Place {
    let place = Place::new();
    place.write("page.html", PAGE);
    place
}

#[test]
fn text_is_the_default() {
    let place = place();
    let ended = place.dehusk(&["extract", "page.html"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), TEXT);
}

#[test]
fn text_may_be_markdown() {
    let place = place();
    let ended = place.dehusk(&["extract", "page.html", "--text", "markdown"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let markdown = format!("# {}", TEXT.replace("sun", "*sun*"));
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), markdown);
    let page = PAGE.replace("the <em>sun</em>", "<a href=sun>the sun</a>");
    let arguments = [
        "--text",
        "markdown",
        "--set",
        "output.links=true",
        "--url",
        "https://blog.example/walk",
        "-e",
        "fusion",
    ];
    let ended = place.dehusk_fed(&[&["extract", "-"], &arguments[..]].concat(), page.as_bytes());
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(
        text.contains("Then [the sun](https://blog.example/sun) came out"),
        "{text}"
    );
    let ended = place.dehusk(&["extract", "page.html", "--text", "markdwn"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("did you mean “markdown”?"), "{}", ended.stderr);
}

#[test]
fn standard_input_is_a_page() {
    let place = place();
    let ended = place.dehusk_fed(&["extract", "-"], PAGE.as_bytes());
    assert_eq!(ended.status, 0);
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), TEXT);
}

#[test]
fn json_is_a_document() {
    let place = place();
    let ended = place.dehusk(&[
        "extract",
        "page.html",
        "--format",
        "json",
        "--url",
        "https://blog.example/walk",
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout.iter().filter(|&&b| b == b'\n').count(), 1);
    let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(document["text"], TEXT.trim_end());
    assert_eq!(document["metadata"]["url"], "https://blog.example/walk");
    assert_eq!(document["metadata"]["hostname"], "blog.example");
    assert_eq!(document["metadata"]["language"], "en");
    assert_eq!(document["metadata"]["extractor"], "coreex-modern");
    assert_eq!(document["metadata"]["file_path"], "page.html");
}

#[test]
fn xml_is_well_formed() {
    let place = place();
    let ended = place.dehusk(&["extract", "page.html", "--format", "xml"]);
    assert_eq!(ended.status, 0);
    assert_eq!(crate::program::xml_flags(&ended.stdout), [""]);
    let xml = String::from_utf8(ended.stdout).unwrap();
    assert!(
        xml.starts_with("<?xml ") && xml.contains("it rained &amp; rained"),
        "{xml}"
    );
}

#[test]
fn html_keeps_the_structure() {
    let place = place();
    let ended = place.dehusk(&["extract", "page.html", "--format", "html"]);
    assert_eq!(ended.status, 0);
    let html = String::from_utf8(ended.stdout).unwrap();
    assert!(html.contains("<em>sun</em>") && !html.contains("Imprint"), "{html}");
    // One document with one root, however many pieces were kept.
    let elements = elements(&html);
    assert_eq!(elements.iter().filter(|(name, _)| name == "body").count(), 1);
    assert_eq!(elements[0].0, "html");
}

/// Every element of a document by name with the text right inside of it, checked to be well-formed on the way.
fn elements(html: &str) -> Vec<(String, String)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(html);
    let (mut open, mut all): (Vec<usize>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(e) => {
                open.push(all.len());
                all.push((e.name().as_ref().to_owned(), String::new()));
            }
            Event::End(_) => {
                open.pop().unwrap();
            }
            Event::Text(e) if open.is_empty() => assert_eq!(e.trim(), "", "text outside of the root"),
            Event::Text(e) => all[*open.last().unwrap()].1.push_str(e.as_ref()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    all
}

/// Text that a browser shows only if it knows no frames, and the titles of drawings, are not the page's text.
#[test]
fn parts_that_are_never_shown_do_not_decide() {
    let place = Place::new();
    let words = "This is the article, which has words. ".repeat(12);
    for hidden in [
        format!(
            "<iframe src=x>{}</iframe>",
            "Your browser does not support frames, sorry. ".repeat(30)
        ),
        format!(
            "<svg><title>{}</title></svg>",
            "A chart of sales, by year and country. ".repeat(30)
        ),
        format!("<noframes>{}</noframes>", "No frames here, sorry. ".repeat(30)),
    ] {
        let page = format!(
            "<body><div><a href=1>menu</a> <a href=2>more</a></div><div><p>{words}</p></div><div>{hidden}</div>"
        );
        place.write("page.html", page);
        for extractor in dehusk_extract::PRESETS {
            let ended = place.dehusk(&["extract", "page.html", "--format", "json", "-e", extractor]);
            assert_eq!(ended.status, 0, "{extractor} {hidden}: {}", ended.stderr);
            let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
            let text = document["text"].as_str().unwrap();
            assert!(text.contains(words.trim()), "{extractor}: {text}");
            let count = text.split_whitespace().count();
            assert_eq!(document["metadata"]["words"], count, "{extractor}: {text}");
        }
    }
}

/// Pruning splits the lists, a paragraph and a row; what is left of each stays one, and nothing is there twice.
#[test]
fn html_that_pruning_splits_keeps_its_structure_once() {
    let place = Place::new();
    let page = "<title>Harbour works begin today at last</title><ul><li><a href=/>Home</a></li><li><a \
        href=/n>News</a></li></ul>\
        <article><h1>Harbour works begin today at last</h1><p>Dredging of the <b>old harbour</b> began on Monday, \
        after two \
        years of delay. The council says that it <a href=/x>will take</a> until spring.</p><h2>What to \
        expect</h2><ul><li>Boats \
        are moved to the north quay, and fishing goes on.</li><li><a href=/ad>Buy boats</a></li><li>Noise is kept low, \
        after \
        eight. Nobody works on Sundays.</li></ul><ol><li>First, the basin.<ol><li>Then, the inner one.</li><li><a \
        href=/ad>Buy \
        more boats</a></li></ol></li></ol><table><tr><td>Depth, before.</td><td><a href=/t>link</a></td></tr></table>\
        <blockquote><p>It was time, said the <a href=/m>mayor</a>.</p></blockquote><p>Related: <a href=/1>One</a> \
        <a href=/2>Two</a> <a href=/3>Three</a></p></article><div><p>12:30</p><a href=/c>Contact</a></div>";
    place.write("page.html", page);
    for extractor in dehusk_extract::PRESETS {
        let ended = place.dehusk(&["extract", "page.html", "--format", "html", "-e", extractor]);
        assert_eq!(ended.status, 0, "{extractor}: {}", ended.stderr);
        let html = String::from_utf8(ended.stdout).unwrap();
        let elements = elements(&html);
        for (text, inside) in [
            ("Dredging of the", "p"),
            ("What to expect", "h2"),
            ("Boats are moved", "li"),
            ("Noise is kept low", "li"),
            ("First, the basin.", "li"),
            ("Then, the inner one.", "li"),
            ("Depth, before.", "td"),
            ("It was time", "p"),
        ] {
            let around: Vec<&str> = elements
                .iter()
                .filter(|(name, own)| name != "title" && own.contains(text))
                .map(|(name, _)| name.as_str())
                .collect();
            // Not every extractor keeps all of it.
            assert!(
                around.is_empty() || around == [inside],
                "{extractor}: “{text}” in {around:?} of\n{html}"
            );
        }
        let lists = elements.iter().filter(|(name, _)| name == "ol").count();
        assert!(lists <= 2, "{extractor}: {html}");
    }
    // A text that is all of a paragraph, and an item that is all of a list.
    for (page, html) in [
        (
            "<div><p>One two three four five.</p><p><a href=/>x</a></p></div>",
            "<div><p>One two three four five.</p></div>\n",
        ),
        (
            "<div><ul><li>One two three four five.</li><li><a href=/>x</a></li></ul></div>",
            "<div><ul><li>One two three four five.</li></ul></div>\n",
        ),
    ] {
        place.write("page.html", page);
        let ended = place.dehusk(&["extract", "page.html", "--format", "html", "-e", "econ"]);
        let whole = String::from_utf8(ended.stdout).unwrap();
        let body = whole.split_once("<body>\n").unwrap().1;
        assert_eq!(body.strip_suffix("\n</body></html>\n").unwrap(), html.trim_end());
    }
}

#[test]
fn the_default_extractor_is_the_documented_one() {
    let place = place();
    let paragraph = "<p>A sentence of a text that is long enough for every extractor, with a comma or two in it.</p>";
    place.write(
        "page.html",
        format!("<article><h1>A title</h1>{}</article>", paragraph.repeat(9)),
    );
    let mut command = place.command();
    command.args(["extract", "page.html", "--format", "json"]);
    let ended = place.spawn(command, std::process::Stdio::null()).end();
    let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(document["metadata"]["extractor"], dehusk::extract::DEFAULT_PRESET);
}

#[test]
fn another_extractor_can_be_asked_for() {
    let place = place();
    for more in [
        &["--extractor", "coreex"][..],
        &["--normalize"],
        &["--set", "dom.normalize=true"],
    ] {
        let ended = place.dehusk(&[&["extract", "page.html", "--format", "json"], more].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        let name = if more[0] == "--extractor" {
            "coreex"
        } else {
            "coreex-modern"
        };
        assert_eq!(document["metadata"]["extractor"], name);
    }
}

#[test]
fn broken_pages_are_read_as_far_as_they_go() {
    let place = Place::new();
    for (page, text) in [
        ("<p>Never <b>closed, <i>at all", "Never closed, at all"),
        ("just words", "just words"),
        ("<p>cut in a ta", "cut in a ta"),
        ("<p>before</p><!-- never closed", "before"),
        (
            "</div></p><p>after strays</p></body></html><p>and more</p>",
            "after strays\n\nand more",
        ),
        ("\u{feff}<p>marked", "marked"),
        ("<p>caf\u{e9}", "caf\u{e9}"),
    ] {
        let ended = place.dehusk_fed(&["extract", "-"], page.as_bytes());
        assert_eq!(ended.status, 0, "{page}: {}", ended.stderr);
        assert_eq!(String::from_utf8(ended.stdout).unwrap().trim_end(), text, "{page}");
    }
    let deep = "<div>".repeat(100_000) + "<p>The bottom of it.";
    let ended = place.dehusk_fed(&["extract", "-"], deep.as_bytes());
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "The bottom of it.\n");
}

#[test]
fn a_page_without_text_is_an_error_in_every_format() {
    let place = Place::new();
    place.write("empty.html", "<html><script>let x = 1;</script><title>t</title></html>");
    for format in ["text", "html", "json", "xml"] {
        let ended = place.dehusk(&["extract", "empty.html", "--format", format]);
        assert_eq!(ended.status, 1, "{format}");
        assert!(ended.stdout.is_empty(), "{format}");
        assert!(
            ended.stderr.starts_with("dehusk: empty.html: filtered as empty: "),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn an_input_that_is_no_page_is_an_error_that_names_the_file() {
    let place = Place::new();
    place.write(
        "picture.html",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
    );
    for (arguments, message) in [
        (["extract", "missing.html"], "missing.html: cannot be read"),
        (
            ["extract", "https://a.example/"],
            "; fetch it first: curl -s URL | dehusk extract -",
        ),
        (["extract", "picture.html"], "picture.html: filtered as binary"),
    ] {
        let ended = place.dehusk(&arguments);
        assert_eq!(ended.status, 1);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    assert_eq!(place.dehusk(&["extract", "x.html", "--format", "pdf"]).status, 2);
    assert_eq!(place.dehusk(&["extract"]).status, 2);
}

#[test]
fn completions_are_written_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = place.dehusk(&["completions", shell]);
        assert_eq!(ended.status, 0);
        assert!(
            String::from_utf8(ended.stdout).unwrap().contains("overwrite"),
            "{shell}"
        );
    }
}

#[test]
fn help_shows_examples() {
    let place = Place::new();
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["extract", "--help"],
        &["inspect", "--help"],
    ] {
        let ended = place.dehusk(arguments);
        assert_eq!(ended.status, 0);
        let help = String::from_utf8(ended.stdout).unwrap();
        assert!(help.contains("Examples:\n  dehusk "), "{help}");
    }
    for arguments in [&["help"][..], &["help", "run"]] {
        let help = String::from_utf8(place.dehusk(arguments).stdout).unwrap();
        assert!(help.contains("Examples:\n  dehusk run "), "{help}");
    }
}

#[test]
fn the_version_lists_the_features_of_the_build() {
    let place = Place::new();
    let features: String = [
        // Tests are built with it.
        ("normalize", true),
        ("parquet", cfg!(feature = "parquet")),
        ("remote", cfg!(feature = "remote")),
        ("serve", cfg!(feature = "serve")),
        ("sqlite", cfg!(feature = "sqlite")),
        ("topics", cfg!(feature = "topics")),
    ]
    .map(|(name, is_built_in)| format!(" {}{name}", if is_built_in { '+' } else { '-' }))
    .concat();
    let version = concat!("dehusk ", env!("CARGO_PKG_VERSION"), "\n");
    for (flag, expected) in [
        ("-V", version.to_owned()),
        ("--version", format!("{version}features:{features}\n")),
    ] {
        assert_eq!(String::from_utf8(place.dehusk(&[flag]).stdout).unwrap(), expected);
    }
}

#[test]
fn the_flags_of_run_are_in_groups_and_the_short_help_fits_a_screen() {
    let place = Place::new();
    let short = place
        .command()
        .env("COLUMNS", "80")
        .args(["run", "-h"])
        .output()
        .unwrap();
    let short = String::from_utf8(short.stdout).unwrap();
    assert!(short.lines().count() <= 60, "{short}");
    assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
    assert!(!short.contains("--signatures"), "{short}");
    let long = String::from_utf8(place.dehusk(&["run", "--help"]).stdout).unwrap();
    assert!(long.contains("--signatures"), "{long}");
    for group in [
        "Input",
        "Extraction",
        "Selection",
        "Output",
        "Earlier runs",
        "Threads and messages",
        "Configuration",
    ] {
        for help in [&short, &long] {
            assert!(help.contains(&format!("\n\n{group}:\n")), "{group}: {help}");
        }
    }
    // Only what every command has is in no group.
    let (_, rest) = short.split_once("\n\nOptions:\n").unwrap();
    let (rest, _) = rest.split_once("\n\n").unwrap();
    assert_eq!(rest.matches(" --").count(), 1, "{rest}");
}

#[test]
fn an_email_address_does_not_hide_the_name_of_the_author() {
    let place = Place::new();
    let page = "<meta property='article:author' content='https://social.example/jane'><meta name='parsely-author' \
                content='Jane Doe'><p>Some words, enough of them.</p>";
    place.write("page.html", page);
    let ended = place.dehusk(&["extract", "page.html", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(document["metadata"]["author"], "Jane Doe");
}

/// Quadratic work on such a page would take minutes.
#[test]
fn a_title_of_many_parts_over_many_headers_takes_linear_time() {
    let place = Place::new();
    let page = format!(
        "<title>{}</title>{}<p>one two three",
        "abc def ghi - ".repeat(20_000),
        "<h1>abc def ghi jkl</h1>".repeat(100_000)
    );
    place.write("page.html", page);
    assert_eq!(place.dehusk(&["extract", "page.html"]).status, 0);
}
