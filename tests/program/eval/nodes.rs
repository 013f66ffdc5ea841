//! `dehusk eval`: how nodes are labelled and counted.

use dehusk_eval::nodes::{Labels, NodeCounts};
use dehusk_extract::Selection;
use dehusk_extract::strip::{Forms, Strip};
use dehusk_extract::view::ViewBuffers;
use dehusk_html::{Buffers, Dom, parse, text_of};
use dehusk_similarity::lexicon::Lexicon;

/// A page's nodes as text, answers between brackets.
fn labelled(page: &str, truth: &str) -> String {
    let dom = parse(page, Buffers::default());
    let labels = label(&dom, truth);
    let nodes = (0..dom.len()).filter(|id| dom.node(*id).tag.is_text() && labels.is_node(*id));
    let shown = nodes.map(|id| {
        let text = match text_of(&dom, id) {
            empty if empty.is_empty() => dom.raw(id).to_owned(),
            text => text,
        };
        if labels.is_answer(id) {
            format!("[{text}]")
        } else {
            text
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn label(dom: &Dom<'_>, truth: &str) -> Labels {
    let mut lexicon = Lexicon::default();
    let mut words = Vec::new();
    lexicon.read(truth, &mut words);
    Labels::new(dom, &mut lexicon, &words)
}

#[test]
fn nodes_are_labelled_by_the_word_runs_that_they_share_with_the_truth() {
    // A link of one word inside a sentence is an answer, the same word in the menu is not.
    assert_eq!(
        labelled(
            "<nav><a href=/>Home</a></nav><p>They went <a href=/h>home</a> in the rain.</p>",
            "They went home in the rain."
        ),
        "Home [They went] [home] [in the rain.]"
    );
    // Text that is twice in the page and once in the truth is an answer once: where the longer run is.
    assert_eq!(
        labelled(
            "<aside>A long walk home</aside><h1>A long walk home</h1><p>It rained.</p>",
            "A long walk home\n\nIt rained."
        ),
        "A long walk home [A long walk home] [It rained.]"
    );
    // At least half of a node's words: four of eight are enough, four of nine are not.
    assert_eq!(labelled("<p>a b c d e f g h</p>", "a b c d"), "[a b c d e f g h]");
    assert_eq!(labelled("<p>a b c d e f g h i</p>", "a b c d"), "a b c d e f g h i");
    // Two words are chance, unless the truth has no more.
    assert_eq!(
        labelled("<p>of the</p><p>one two three</p>", "of the x one two three"),
        "of the [one two three]"
    );
    assert_eq!(labelled("<p>Hello</p><p>you there</p>", "hello"), "[Hello] you there");
    // No words, no node; neither in the head nor in what is never shown; code is a node that is never an answer.
    assert_eq!(
        labelled(
            "<title>One two three</title><p>One two three</p><p>—</p><style>one two three</style>\
             <iframe>one two three</iframe><noscript>four five six</noscript><script>one(two, three)</script>",
            "One two three"
        ),
        "[One two three] four five six one(two, three)"
    );
    assert_eq!(
        labelled("<p>北京大学的桥</p><p>新闻</p>", "北京大学的桥"),
        "[北京大学的桥] 新闻"
    );
    assert_eq!(labelled("<p>One two three</p>", ""), "One two three");
    assert_eq!(labelled("", "One two three"), "");
}

#[test]
fn selections_are_counted_without_what_is_masked() {
    // Nodes: body > p (3 words, answer), form > p (2 words), p (3 words, answer).
    let page = "<body><p>one two three</p><form><p>x y</p></form><p>four five six</p></body>";
    let dom = parse(page, Buffers::default());
    let labels = label(&dom, "one two three z four five six");
    let (kept, ignored) = (Strip::new(Forms::Keep), Strip::new(Forms::Ignore));
    let whole = Selection::new(vec![dom.subtree(dom.body())]);
    let counts = |nodes, words, answers, answer_words| NodeCounts {
        nodes,
        words,
        answers,
        answer_words,
    };
    let view = kept.view(&dom, ViewBuffers::default());
    assert_eq!(labels.extracted(&view, &whole), counts(3, 8, 2, 6));
    assert_eq!(labels.extracted(&view, &Selection::default()), counts(0, 0, 0, 0));
    let view = ignored.view(&dom, ViewBuffers::default());
    assert_eq!(labels.extracted(&view, &whole), counts(2, 6, 2, 6));
    assert_eq!(labels.all(), counts(3, 8, 2, 6));
}
