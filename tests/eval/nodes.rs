//! `dehusk eval`: how nodes are labelled and counted, and figures on whole corpora.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::program::Place;
use crate::program::eval::stdout;
use dehusk::eval::Truth;
use dehusk::eval::measure::{Bag, Prf};
use dehusk::eval::nodes::{Labels, NodeCounts};
use dehusk::eval::words::Lexicon;
use dehusk::extract::Selection;
use dehusk::extract::view::ViewBuffers;
use dehusk::strip::{Forms, Strip};
use dehusk_html::{Buffers, Dom, parse, render_text, text_of};

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
fn nodes_are_labelled_by_the_runs_that_they_share_with_the_truth() {
    // A link of one word inside a sentence is an answer, the same word in the menu is not.
    assert_eq!(
        labelled(
            "<nav><a href=/>Home</a></nav><p>They went <a href=/h>home</a> in the rain.</p>",
            "They went home in the rain."
        ),
        "Home [They went] [home] [in the rain.]"
    );
    // What stands twice in the page and once in the truth is an answer once: where the longer run is.
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
    let strip = |forms| Strip {
        forms,
        scripts: true,
        hidden: false,
        statements: None,
    };
    let (kept, ignored) = (strip(Forms::Keep), strip(Forms::Ignore));
    let whole = Selection {
        ranges: vec![dom.subtree(dom.body())],
        ..Selection::default()
    };
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

/// Where the script of the corpora lies that scores bags of words, if it is there.
fn script() -> Option<String> {
    let path = format!("{}/../bench/score.py", crate::corpus::folder());
    let there = Path::new(&path).is_file() && Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: {path} or python3 is absent");
    }
    there.then_some(path)
}

#[test]
fn bags_of_words_are_those_of_the_corpora_s_own_script() {
    let Some(script) = script() else { return };
    for corpus in ["daniel-dev", "wcxb-dev"] {
        let file = |ending: &str| format!("{}/{corpus}.{ending}", crate::corpus::folder());
        let (archive, truth) = (file("warc.gz"), file("truth.jsonl.gz"));
        if !Path::new(&archive).is_file() {
            eprintln!("skipped: {archive} is absent");
            continue;
        }
        let place = Place::new();
        place.run(&[&archive, "--extractor", "coreex-modern"]);
        let documents = place.path("out/documents");
        let scored = Command::new("python3")
            .arg(&script)
            .arg(&truth)
            .arg(&documents)
            .output()
            .unwrap();
        let scored = String::from_utf8(scored.stdout).unwrap();
        let arguments = [
            "eval",
            "--truth",
            &truth,
            &archive,
            "--metrics",
            "bag",
            "-e",
            "coreex-modern",
            "--format=csv",
        ];
        let ended = place.dehusk(&arguments);
        let mut figures = BTreeMap::new();
        for line in stdout(&ended).lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let shares: Vec<f64> = cells[3..7].iter().map(|cell| cell.parse().unwrap()).collect();
            figures.insert((cells[0].to_owned(), cells[1].to_owned()), shares);
        }
        // The script groups by language, or by type of page where there is none.
        let by = if corpus.starts_with("daniel") {
            "language"
        } else {
            "page_type"
        };
        let mut compared = 0;
        for line in scored.lines().skip(1) {
            let (group, rest) = line.split_once(" n=").unwrap();
            let group = group.trim();
            let kind = if group == "all" { "all" } else { by };
            let numbers = rest.split(['=', ' ']).filter_map(|n| n.parse::<f64>().ok());
            let ours = &figures[&(kind.to_owned(), group.to_owned())];
            let pairs: Vec<(f64, f64)> = ours.iter().copied().zip(numbers).collect();
            // The script rounds to four digits, and we to six.
            let agree = pairs.len() == 4 && pairs.iter().all(|(a, b)| (a - b).abs() < 0.000_051);
            assert!(agree, "{corpus} {group}: {pairs:?}");
            compared += 1;
        }
        assert!(compared > 5, "{scored}");
    }
}

#[test]
fn answers_hold_what_the_truth_of_a_corpus_says() {
    let Some(pages) = crate::corpus::corpus("wcxb-dev") else {
        return;
    };
    let path = format!("{}/wcxb-dev.truth.jsonl.gz", crate::corpus::folder());
    let truth = Truth::read(&[path.into()]).unwrap();
    let mut lexicon = Lexicon::default();
    let mut sum = [0.0; 3];
    for page in &pages {
        let line = &truth.lines[truth.find(&page.id).unwrap()];
        lexicon.clear();
        let (mut wanted, mut answered) = (Vec::new(), Vec::new());
        lexicon.read(&line.text, &mut wanted);
        let dom = parse(&page.html, Buffers::default());
        let labels = Labels::new(&dom, &mut lexicon, &wanted);
        let answers = (0..dom.len()).filter(|id| labels.is_answer(*id));
        let ranges: Vec<_> = answers.map(|id| id..id + 1).collect();
        let mut text = String::new();
        render_text(&dom, &ranges, &[], &mut text);
        lexicon.read(&text, &mut answered);
        let common = Bag::new(&wanted).common(&answered);
        let prf = Prf::of(common, answered.len() as u32, wanted.len() as u32);
        sum = [sum[0] + prf.precision, sum[1] + prf.recall, sum[2] + prf.f1];
    }
    let means = sum.map(|s| s / pages.len() as f64);
    eprintln!("the answers' text against the truth: P, R, F1 {means:?}");
    assert!(means[2] > 0.9, "{means:?}");
}
