//! Checks NCE's assumption 1 on pages with truth: that some node's children, without those of links, are the content.
//!
//!     cargo study separator ARCHIVE TRUTH
//!
//! For every node u of the body, F(u, 0.4) is its children with a link density of at most 0.4. A page has a separator
//! node if the words of some F(u, 0.4) have an F1 above 0.9 as bags (NCE, section 2, where 137 of 141 pages have one).

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::ExitCode;

use crate::shared::{Outcome, pages};

use dehusk_eval::Truth;
use dehusk_eval::measure::{Bag, Prf};
use dehusk_extract::PageContext;
use dehusk_extract::strip::{Forms, Strip};
use dehusk_extract::view::View;
use dehusk_html::{Buffers, NodeId, Tag, parse, text_of};
use dehusk_similarity::lexicon::Lexicon;

/// The paper's example of a highest link density.
const DENSITY: f64 = 0.4;

/// The paper's F1.
const F1: f64 = 0.9;

/// The words of a page's texts, one text after the other.
struct Words {
    all: Vec<u32>,
    /// Where those of each node begin.
    starts: Vec<usize>,
}

impl Words {
    fn of(view: &View<'_>, lexicon: &mut Lexicon) -> Self {
        let dom = view.dom();
        let (mut all, mut starts) = (Vec::new(), Vec::new());
        for id in 0..dom.len() {
            starts.push(all.len());
            if dom.node(id).tag == Tag::Text && !view.is_masked(id) {
                lexicon.read(&text_of(dom, id), &mut all);
            }
        }
        starts.push(all.len());
        Self { all, starts }
    }

    fn inside(&self, nodes: Range<NodeId>) -> &[u32] {
        &self.all[self.starts[nodes.start as usize]..self.starts[nodes.end as usize]]
    }
}

/// Whether some node of the body separates the content.
fn has_separator(view: &View<'_>, words: &Words, truth: &[u32]) -> bool {
    let dom = view.dom();
    let mut bag = Bag::new(truth);
    dom.subtree(dom.body()).any(|u| {
        let kept = |child: &NodeId| {
            let sums = view.subtree(*child);
            f64::from(sums.linked_chars) <= DENSITY * f64::from(sums.text.chars)
        };
        let children: Vec<NodeId> = dom.children(u).filter(kept).collect();
        let amount: usize = children
            .iter()
            .map(|child| words.inside(dom.subtree(*child)).len())
            .sum();
        // No F1 is above that of a text all of whose words are common.
        if Prf::new(amount.min(truth.len()) as u32, amount as u32, truth.len() as u32).f1 <= F1 {
            return false;
        }
        let forest: Vec<u32> = children
            .iter()
            .flat_map(|child| words.inside(dom.subtree(*child)))
            .copied()
            .collect();
        Prf::new(bag.common(&forest), amount as u32, truth.len() as u32).f1 > F1
    })
}

pub fn main(arguments: &[String]) -> Outcome {
    let [archive, truth] = arguments else {
        return Err("separator needs an archive and its truth".into());
    };
    let truth = Truth::read(&[truth.into()])?;
    let mut lexicon = Lexicon::default();
    // Pages, and those with a separator node, by language and by type.
    let mut groups: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    pages::for_each(archive, |id, page| {
        let Some(line) = truth.find(&id).map(|at| &truth.lines[at]) else {
            return;
        };
        lexicon.clear();
        let mut wanted = Vec::new();
        lexicon.read(&line.text, &mut wanted);
        let dom = parse(&page.html, Buffers::default());
        let page = PageContext::new(&dom, "");
        let view = page.view(&Strip::new(Forms::Keep));
        let words = Words::of(&view, &mut lexicon);
        let found = !dom.is_empty() && has_separator(&view, &words, &wanted);
        for group in ["all", line.lang.as_str(), line.page_type.as_str()] {
            let (pages, with) = groups.entry(group.to_owned()).or_default();
            *pages += 1;
            *with += u32::from(found);
        }
    })?;
    for (group, (pages, with)) in groups.iter().filter(|(group, _)| !group.is_empty()) {
        println!(
            "{group}: {with} of {pages} pages, {:.1} %",
            f64::from(*with) / f64::from(*pages) * 100.0
        );
    }
    Ok(ExitCode::SUCCESS)
}
