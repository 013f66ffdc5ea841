//! Code that the tests of ContentEx share.

use dehusk_extract::contentex::{Extend, Filter, Parameters};
use dehusk_extract::{ContentEx, Extractor, PageContext, Selection};
use dehusk_html::{Buffers, Dom, Tag, parse};

use super::outcome;

/// The outcome of the extractor on a page.
pub struct Outcome<'p> {
    pub dom: Dom<'p>,
    pub selection: Selection,
    pub text: String,
    pub xhtml: String,
    /// The text that each filter deletes.
    pub removed: Vec<(Filter, String)>,
}

impl Outcome<'_> {
    /// Scores of all elements of a kind, in order.
    pub fn scores(&self, tag: Tag) -> Vec<f64> {
        let nodes = (0..self.dom.len()).filter(|id| self.dom.node(*id).tag == tag);
        nodes.filter_map(|id| self.selection.score_of(id)).collect()
    }

    pub fn removed(&self) -> Vec<(Filter, &str)> {
        self.removed.iter().map(|(by, text)| (*by, text.as_str())).collect()
    }
}

pub fn run(page: &str, parameters: Parameters) -> Outcome<'_> {
    let contentex = ContentEx::new(parameters).unwrap();
    contentex.check().unwrap();
    let removed = removed(page, &contentex);
    let seen = outcome::run(page, contentex);
    Outcome {
        dom: seen.dom,
        selection: seen.selection,
        text: seen.text,
        xhtml: seen.xhtml,
        removed,
    }
}

fn removed(page: &str, contentex: &ContentEx) -> Vec<(Filter, String)> {
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let view = page.view(&contentex.strip());
    let removals = contentex.removals(&view).into_iter();
    let removed = removals.map(|r| {
        let mut text = String::new();
        Selection::new(vec![r.subtree]).render_text(&view, &mut text);
        (r.by, text)
    });
    removed.collect()
}

/// The paper's link table filter alone.
pub fn links() -> Parameters {
    Parameters {
        statements: false,
        time: false,
        ip: false,
        colon: false,
        copyright: false,
        repeated: false,
        ..Parameters::paper()
    }
}

/// The same, climbing as the modern preset does.
pub fn climbing() -> Parameters {
    Parameters {
        extend: Extend::Below,
        ..links()
    }
}

/// One of the paper's common pattern filters alone, or the statements.
pub fn only(set: impl Fn(&mut Parameters)) -> Parameters {
    let mut parameters = Parameters {
        link_table: false,
        ..links()
    };
    set(&mut parameters);
    parameters
}

pub fn near(a: &[f64], b: &[f64]) {
    assert!(
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12),
        "{a:?} are not {b:?}"
    );
}
