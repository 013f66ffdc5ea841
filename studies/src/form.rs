//! Measures how much of the pages' form is in the texts of their documents.
//!
//!     cargo study form ARCHIVE TRUTH [PRESET]
//!
//! - Of the `pre` elements of at least three lines whose words are in the truth and in the selection, how many are in
//!   the text verbatim: every space and line, without the blank lines at both ends.
//! - Of the headings (`h1` to `h6`) whose words are in both, how many are on a line of their own.
//!
//! The `pre` elements are read from the page's bytes, not by the renderer that is measured.

use std::process::ExitCode;

use crate::shared::{Outcome, pages};

use dehusk::extract::Analysis;
use dehusk::{Config, Processor};
use dehusk_eval::Truth;
use dehusk_html::references::decode_references;
use dehusk_html::{Buffers, Dom, NodeId, Tag, parse, text_of};
use dehusk_similarity::lexicon::each_word;

/// How many of some elements have their form.
#[derive(Default)]
struct Share {
    all: usize,
    good: usize,
}

impl Share {
    fn count(&mut self, is_good: bool) {
        self.all += 1;
        self.good += usize::from(is_good);
    }

    fn print(&self, what: &str) {
        let share = 100.0 * self.good as f64 / self.all.max(1) as f64;
        println!("{what}: {} of {}, {share:.1} %", self.good, self.all);
    }
}

pub fn main(arguments: &[String]) -> Outcome {
    let (archive, truth, preset) = match arguments {
        [archive, truth] => (archive, truth, "fusion"),
        [archive, truth, preset] => (archive, truth, preset.as_str()),
        _ => return Err("form needs an archive and its truth".into()),
    };
    let truth = Truth::read(&[truth.into()])?;
    let mut processor = Processor::new(&Config::builder().extractors([preset]).build()?)?;
    let (mut code, mut headings) = (Share::default(), Share::default());
    pages::for_each(archive, |id, page| {
        let Some(known) = truth.find(&id).map(|at| words(&truth.lines[at].text)) else {
            return;
        };
        let Ok(Some((text, selected))) = processor.analyze(&page, selected_texts) else {
            return;
        };
        let lines: Vec<String> = text.lines().map(words).collect();
        let dom = parse(&page.html, Buffers::default());
        let is_in_both = |element: NodeId, words: &str| {
            let mut with_words = dom.subtree(element).filter(|id| dom.counts()[*id as usize].words > 0);
            words != " " && known.contains(words) && with_words.all(|id| selected[id as usize])
        };
        for element in 0..dom.len() {
            let tag = dom.node(element).tag;
            if tag == Tag::Pre {
                let source = verbatim(&dom, element);
                if source.lines().count() >= 3 && is_in_both(element, &words(&source)) {
                    let is_good = text.contains(&source);
                    if !is_good {
                        eprintln!("{}: {source:?}", page.url);
                    }
                    code.count(is_good);
                }
            } else if tag.is_heading() {
                let heading = words(&text_of(&dom, element));
                if is_in_both(element, &heading) {
                    let is_good = lines.contains(&heading);
                    if !is_good {
                        eprintln!("{}: heading{heading}", page.url);
                    }
                    headings.count(is_good);
                }
            }
        }
    })?;
    code.print("code, verbatim");
    headings.print("headings, on a line of their own");
    Ok(ExitCode::SUCCESS)
}

/// The text of a page, and which of its nodes are in it.
fn selected_texts(analysis: &Analysis<'_, '_>) -> Option<(String, Vec<bool>)> {
    let first = analysis.extractions().next()?;
    let mut text = String::new();
    first.selection.render_text(&first.view, &mut text);
    let mut selected: Vec<bool> = (0..analysis.dom().len())
        .map(|id| first.selection.contains(id))
        .collect();
    for masked in first.view.masked() {
        selected[masked.start as usize..masked.end as usize].fill(false);
    }
    Some((text, selected))
}

/// The words of a text between spaces.
fn words(text: &str) -> String {
    let mut words = String::from(" ");
    each_word(text, |word| {
        words.push_str(word);
        words.push(' ');
    });
    words
}

/// The text of an element in the page's bytes: without tags and comments, with references decoded and `br` as a line
/// end. The blank lines at both ends and the white space after the last line are left out.
fn verbatim(dom: &Dom<'_>, element: NodeId) -> String {
    let source = &dom.source()[dom.node(element).to as usize + 1..];
    let end = source.to_ascii_lowercase().find("</pre").unwrap_or(source.len());
    let (mut text, mut rest) = (String::new(), &source[..end]);
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let close = if rest.starts_with("<!--") { "-->" } else { ">" };
        match rest.find(close) {
            Some(found) if is_tag => {
                if rest[1..].to_ascii_lowercase().starts_with("br") {
                    text.push('\n');
                }
                rest = &rest[found + close.len()..];
            }
            _ => {
                text.push('<');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    let text = decode_references(&text).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_end();
    let blank: usize = text
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum();
    text[blank..].to_owned()
}
