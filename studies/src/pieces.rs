//! Selects the lines of a truth whose pages have their content in pieces, or little of it.
//!
//!     cargo study pieces inline ARCHIVE TRUTH > pieces.jsonl
//!     cargo study pieces apart ARCHIVE TRUTH > pieces.jsonl
//!     cargo study pieces short ARCHIVE TRUTH > short.jsonl
//!
//! ECON's pieces-pages are those whose content is "broken into many small pieces by some links or special fonts and so
//! on". Its authors selected them by eye. Here the content of a page is the text nodes that the evaluation labels as
//! answers, and a paragraph is the text between the starts and ends of blocks:
//!
//! - `inline`: at least a quarter of the content's words are in paragraphs of three or more answers, separated by
//!   links, fonts and emphasis.
//! - `apart`: the blocks around the content's paragraphs have three or more different parents, each of which has at
//!   least a tenth of the content's words.
//!
//! ECON's short-pages are those whose "text of the content of news is so short" that it fails; in its example it is one
//! sentence. `short` selects pages whose truth has at most 100 words.

use std::collections::{HashMap, HashSet};
use std::process::ExitCode;

use crate::shared::{Outcome, pages};

use dehusk_eval::Truth;
use dehusk_eval::nodes::Labels;
use dehusk_html::{Buffers, Dom, NodeId, parse};
use dehusk_similarity::lexicon::Lexicon;

/// The innermost block around a node, or the body.
fn block(dom: &Dom<'_>, id: NodeId) -> NodeId {
    let mut at = dom.node(id).parent;
    while at > dom.body() && !dom.node(at).tag.is_block() && !dom.node(at).tag.is_spaced() {
        at = dom.node(at).parent;
    }
    at
}

/// The criteria by which a page is one in pieces.
#[derive(Clone, Copy)]
enum Criterion {
    Inline,
    Apart,
    Short,
}

/// Most words of a short page: some sentences.
const SHORT: usize = 100;

/// Whether the content is in pieces by a criterion.
fn in_pieces(criterion: Criterion, dom: &Dom<'_>, labels: &Labels) -> bool {
    let answers: Vec<NodeId> = (0..dom.len()).filter(|id| labels.is_answer(*id)).collect();
    let words = |id: NodeId| dom.counts()[id as usize].words;
    let all: u32 = answers.iter().map(|id| words(*id)).sum();
    // The number of answers and of words of each block, and the words of each parent.
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
        Criterion::Inline => {
            let broken: u32 = blocks.values().filter(|(n, _)| *n >= 3).map(|(_, words)| words).sum();
            all > 0 && 4 * broken >= all
        }
        // Looks at the truth alone.
        Criterion::Short => false,
        Criterion::Apart => parents.values().filter(|words| 10 * **words >= all.max(1)).count() >= 3,
    }
}

pub fn main(arguments: &[String]) -> Outcome {
    let (criterion, archive, truth) = match arguments {
        [criterion, archive, truth] if criterion == "inline" => (Criterion::Inline, archive, truth),
        [criterion, archive, truth] if criterion == "apart" => (Criterion::Apart, archive, truth),
        [criterion, archive, truth] if criterion == "short" => (Criterion::Short, archive, truth),
        _ => return Err("pieces needs `inline`, `apart` or `short`, an archive and its truth".into()),
    };
    let truth = Truth::read(&[truth.into()])?;
    let (mut lexicon, mut seen) = (Lexicon::default(), HashSet::new());
    pages::for_each(archive, |id, page| {
        let Some(line) = truth.find(&id).map(|at| &truth.lines[at]) else {
            return;
        };
        lexicon.clear();
        let mut wanted = Vec::new();
        lexicon.read(&line.text, &mut wanted);
        let dom = parse(&page.html, Buffers::default());
        let labels = Labels::new(&dom, &mut lexicon, &wanted);
        let chosen = match criterion {
            Criterion::Short => wanted.len() <= SHORT,
            _ => in_pieces(criterion, &dom, &labels),
        };
        if chosen && seen.insert(id.clone()) {
            let line = serde_json::json!({
                "record_id": id, "text": line.text, "url": line.url, "lang": line.lang, "page_type": line.page_type
            });
            println!("{line}");
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
