//! Nothing of the content is missing, and nothing else is kept: the learned presets on small pages of every kind.
//!
//! Each file of `tests/pages` is a page. Comments in it mark what a reader wants of it:
//!
//! | marks | what is between them |
//! |---|---|
//! | `<!--content-->`, `<!--/content-->` | must be kept, word by word and in order |
//! | `<!--either-->`, `<!--/either-->` | may be kept or left out, as a whole |
//! | none | must be left out |
//! | `<!--NAME loses-->`, `<!--/loses-->` | content that the preset `NAME` is known to lose |
//! | `<!--NAME keeps-->`, `<!--/keeps-->` | what the preset `NAME` is known to keep though it is no content |
//!
//! A known fault that is mended fails the test too, so that the marks stay true.

use std::fs;
use std::path::Path;

use dehusk_extract::{PageContext, registry};
use dehusk_html::{Buffers, parse, render_text};

/// A stretch of a page between two marks.
struct Stretch {
    words: Vec<String>,
    may_be_left_out: bool,
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The text of a piece of HTML.
fn text_of(html: &str) -> String {
    let dom = parse(html, Buffers::default());
    let mut text = String::new();
    let range = dom.subtree(dom.body());
    render_text(&dom, &[range], &[], &mut text);
    text
}

/// The stretches of a page that must be kept.
fn stretches(page: &str, preset: &str) -> Vec<Stretch> {
    let (loses, keeps) = (format!("{preset} loses"), format!("{preset} keeps"));
    let (mut in_content, mut in_either, mut is_lost, mut is_kept) = (false, false, false, false);
    let mut all = Vec::new();
    let mut push = |html: &str, may_be_left_out| {
        let words = words(&text_of(html));
        all.push(Stretch { words, may_be_left_out });
    };
    let mut rest = page;
    while let Some(start) = rest.find("<!--") {
        let end = start + rest[start..].find("-->").unwrap();
        if in_either || is_kept || (in_content && !is_lost) {
            push(&rest[..start], in_either);
        }
        match &rest[start + 4..end] {
            "content" => in_content = true,
            "/content" => in_content = false,
            "either" => in_either = true,
            "/either" => in_either = false,
            "/loses" => is_lost = false,
            "/keeps" => is_kept = false,
            mark => {
                is_lost |= mark == loses;
                is_kept |= mark == keeps;
            }
        }
        rest = &rest[end + 3..];
    }
    assert!(
        !in_content && !in_either && !is_lost && !is_kept,
        "a mark is not closed"
    );
    all
}

/// How the kept words differ from what is wanted, if they do.
fn difference(kept: &[String], wanted: &[Stretch]) -> Option<String> {
    let mut at = 0;
    for stretch in wanted {
        if kept[at..].starts_with(&stretch.words) {
            at += stretch.words.len();
        } else if !stretch.may_be_left_out {
            let same = kept[at..]
                .iter()
                .zip(&stretch.words)
                .take_while(|(a, b)| a == b)
                .count();
            let some = |words: &[String]| words[..words.len().min(6)].join(" ");
            let (wanted, kept) = (some(&stretch.words[same..]), some(&kept[at + same..]));
            return Some(format!("“{wanted}” is wanted, and “{kept}” kept"));
        }
    }
    (at < kept.len()).then(|| format!("“{}” is kept and not wanted", kept[at..].join(" ")))
}

#[test]
fn small_pages_are_kept_whole_and_without_husk() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 80, "{} pages", files.len());
    let mut failures = Vec::new();
    for file in &files {
        let page = fs::read_to_string(file).unwrap();
        for name in ["fusion", "fusion-quality"] {
            let dom = parse(&page, Buffers::default());
            let context = PageContext::new(&dom, "");
            let preset = registry::preset(name).unwrap();
            let selection = context.selection(&preset);
            let mut text = String::new();
            selection.render_text(&context.view(&preset.extractor.strip()), &mut text);
            let page_name = file.file_stem().unwrap().display();
            if let Some(difference) = difference(&words(&text), &stretches(&page, name)) {
                failures.push(format!("{page_name}, {name}: {difference}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
