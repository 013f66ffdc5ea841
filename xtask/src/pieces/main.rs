//! Writes the lines of a truth whose pages have their content in pieces.
//!
//!     cargo run --release --example pieces -- inline ARCHIVE TRUTH > pieces.jsonl
//!     cargo run --release --example pieces -- apart ARCHIVE TRUTH > pieces.jsonl
//!
//! ECON's pieces-pages are those whose content is “broken into many small pieces by some links or special fonts and so
//! on”; its authors picked them by looking. Here a page's content are the text nodes that the evaluation labels as
//! answers, and a paragraph is what stands between two borders of blocks:
//!
//! - `inline`: at least a quarter of the content's words are in paragraphs of three answers or more, which links, fonts
//!   and emphasis part;
//! - `apart`: the blocks right around the content's paragraphs have three or more different parents, each of which has at
//!   least a tenth of the content's words.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};

use dehusk::archive::Archive;
use dehusk::config::{Config, Rules};
use dehusk_html::{Buffers, Dom, NodeId, parse};
use dehusk::eval::Truth;
use dehusk::eval::nodes::Labels;
use dehusk::eval::words::Lexicon;
use dehusk::http::Scratch;
use dehusk::page::Page;

/// The block right around a node, or the body.
fn block(dom: &Dom<'_>, id: NodeId) -> NodeId {
    let mut at = dom.node(id).parent;
    while at > dom.body() && !dom.node(at).tag.is_block() && !dom.node(at).tag.is_spaced() {
        at = dom.node(at).parent;
    }
    at
}

/// Whether the content stands in pieces, by the criterion of that name.
fn in_pieces(criterion: &str, dom: &Dom<'_>, labels: &Labels) -> bool {
    let answers: Vec<NodeId> = (0..dom.len()).filter(|id| labels.is_answer(*id)).collect();
    let words = |id: NodeId| dom.counts()[id as usize].words;
    let all: u32 = answers.iter().map(|id| words(*id)).sum();
    // Answers and words of each block, by the block and by its parent.
    let mut blocks: HashMap<NodeId, (u32, u32)> = HashMap::new();
    let mut parents: HashMap<NodeId, u32> = HashMap::new();
    for id in answers {
        let block = block(dom, id);
        let (answers, sum) = blocks.entry(block).or_default();
        *answers += 1;
        *sum += words(id);
        *parents.entry(dom.node(block).parent).or_default() += words(id);
    }
    match criterion {
        "inline" => {
            let broken: u32 = blocks.values().filter(|(n, _)| *n >= 3).map(|(_, words)| words).sum();
            all > 0 && 4 * broken >= all
        }
        "apart" => parents.values().filter(|words| 10 * **words >= all.max(1)).count() >= 3,
        other => panic!("{other} is no criterion"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [criterion, archive, truth] = &arguments[..] else {
        eprintln!("usage: pieces inline|apart ARCHIVE TRUTH");
        std::process::exit(2);
    };
    let truth = Truth::read(&[truth.into()]).unwrap();
    let rules = Rules::new(&Config::default()).unwrap();
    let archive = Archive::open(archive).unwrap();
    let (mut records, mut scratch) = (archive.records(), Scratch::default());
    let (mut lexicon, mut seen) = (Lexicon::default(), HashSet::new());
    while let Some(record) = records.next_record() {
        let id = record.header.id().trim_matches(['<', '>']).to_owned();
        let Some(line) = truth.find(&id).map(|at| &truth.lines[at]) else {
            continue;
        };
        let Ok(page) = Page::from_record(&record, &rules, &mut scratch, dehusk::provenance::ArchiveName::default()) else {
            continue;
        };
        lexicon.clear();
        let mut wanted = Vec::new();
        lexicon.read(&line.text, &mut wanted);
        let dom = parse(&page.html, Buffers::default());
        let labels = Labels::new(&dom, &mut lexicon, &wanted);
        if in_pieces(criterion, &dom, &labels) && seen.insert(id.clone()) {
            let line = serde_json::json!({
                "record_id": id, "text": line.text, "url": line.url, "lang": line.lang, "page_type": line.page_type
            });
            println!("{line}");
        }
    }
}
