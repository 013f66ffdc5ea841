//! Explanations: every figure that decided can be computed again from the figures that are printed.

use std::f64::consts::E;

use crate::naive::pages::page;
use dehusk_extract::ensemble::Votes;
use dehusk_extract::{
    COMPARATORS, ExplainedNode, ExplainedPage, ExplainedSelection, Explanation, NodeState, PageContext, Preset,
    Verdict, registry,
};
use dehusk_html::{Buffers, parse};
use proptest::prelude::*;

/// A figure as it is printed.
fn printed(explanation: &Explanation, name: &str) -> String {
    let (_, figure) = explanation.figures.iter().find(|(of, _)| *of == name).unwrap();
    figure.to_string()
}

fn number(explanation: &Explanation, name: &str) -> f64 {
    printed(explanation, name).parse().unwrap()
}

/// Whether two numbers agree in the four digits that are printed, where `error` is that of the second.
fn assert_near(one: f64, other: f64, error: f64, explanation: &Explanation) {
    assert!(
        (one - other).abs() <= error + 1e-4,
        "{one} is not {other}: {explanation}"
    );
}

/// All explanations of a page, with the nodes that they are about.
fn explanations(page: &str, preset: &Preset) -> Vec<(ExplainedNode, Explanation)> {
    let dom = parse(page, Buffers::default());
    let context = PageContext::new(&dom, "");
    let explained = ExplainedSelection::new(&context, preset);
    let nodes = explained
        .chosen
        .into_iter()
        .chain(explained.kept)
        .chain(explained.left_out);
    let with_explanation = nodes.filter_map(|node| node.explanation.clone().map(|explanation| (node, explanation)));
    with_explanation.collect()
}

fn check_coreex(page: &str) {
    for (name, weight) in [("coreex", 0.99), ("coreex-modern", 0.95)] {
        for (_, explanation) in explanations(page, &registry::preset(name).unwrap()) {
            if !explanation.rule.name.starts_with("coreex.highest") {
                continue;
            }
            let of = |name| number(&explanation, name);
            let ratio = (of("setText") - of("setLinks")) / of("setText");
            assert_near(ratio, of("setRatio"), 0.0, &explanation);
            let score = weight * ratio + (1.0 - weight) * of("setText") / of("page");
            assert_near(score, of("score"), 0.0, &explanation);
        }
    }
}

/// The density of a tag, of its counts (CETD, definitions 1 and 2).
fn density(explanation: &Explanation, preset: &str) -> f64 {
    let of = |name| number(explanation, name);
    let (c, t) = (of("chars"), of("tags").max(1.0));
    if !preset.starts_with("cectd") {
        return c / t;
    }
    let (lc, lt) = (of("linkChars"), of("linkTags").max(1.0));
    let argument = c / lc.max(1.0) * t / lt;
    let base = (c / (c - lc).max(1.0) * lc + of("bodyLinkChars") / of("bodyChars") * c + E).ln();
    if argument <= 1.0 {
        0.0
    } else {
        c / t * argument.ln() / base.ln()
    }
}

fn check_cetd(page: &str) {
    for name in ["cetd-ds", "cectd-ds", "cectd-s"] {
        for (_, explanation) in explanations(page, &registry::preset(name).unwrap()) {
            match explanation.rule.name {
                "cetd.greatest-sum" => {
                    let terms = printed(&explanation, "terms");
                    let terms: Vec<f64> = terms
                        .split(" + ")
                        .map(|term| term.split(' ').next().unwrap().parse().unwrap())
                        .collect();
                    let error = 1e-4 * terms.len() as f64;
                    assert_near(terms.iter().sum(), number(&explanation, "sum"), error, &explanation);
                }
                "cetd.not-reached" | "cetd.sparse-body" => {}
                "cetd.dense" | "cetd.sparse" => {
                    let near = printed(&explanation, "neighbours");
                    let near: Vec<f64> = near.split(" and ").filter_map(|near| near.parse().ok()).collect();
                    let mean =
                        (2.0 * number(&explanation, "own") + near.iter().sum::<f64>()) / (2.0 + near.len() as f64);
                    assert_near(mean, number(&explanation, "density"), 1e-4, &explanation);
                    assert_near(
                        density(&explanation, name),
                        number(&explanation, "own"),
                        0.0,
                        &explanation,
                    );
                    continue;
                }
                _ => continue,
            }
            assert_near(
                density(&explanation, name),
                number(&explanation, "density"),
                0.0,
                &explanation,
            );
        }
    }
}

fn check_comparators(page: &str) {
    for name in COMPARATORS {
        for (node, explanation) in explanations(page, &registry::preset(name).unwrap()) {
            let of = |name| number(&explanation, name);
            let is_kept = explanation.verdict != Verdict::LeftOut;
            let is_text = node.path.last().is_some_and(|last| last == "text");
            match explanation.rule.name {
                "bte.inside" | "bte.outside" => {
                    assert_eq!(of("words") + of("tags"), of("end") - of("start") + 1.0, "{explanation}");
                    let is_inside = of("from") >= of("start") && of("to") <= of("end");
                    assert_eq!(is_inside, is_kept, "{explanation}");
                }
                "dsc.slopes" if is_text => assert_eq!(2.0 * of("flat") > of("words"), is_kept, "{explanation}"),
                "dsc.slopes" | "cetr.wordless" => {}
                "dsc.no-tags" => assert!(is_kept || of("words") == 0.0, "{explanation}"),
                "link-quota.kept" => assert!(is_kept, "{explanation}"),
                "link-quota.removed" | "link-quota.all-removed" => {
                    assert!(!is_kept && of("part") > of("quota") * of("whole"), "{explanation}");
                }
                "ccb.content" => assert!(is_kept && of("ratio") >= of("threshold"), "{explanation}"),
                "ccb.code" => assert!(!is_kept && of("ratio") <= of("threshold"), "{explanation}"),
                "cetr.clusters" if is_text => assert_eq!(2.0 * of("kept") > of("all"), is_kept, "{explanation}"),
                "cetr.clusters" => assert!(explanation.to_string().contains("line "), "{explanation}"),
                "fe.share" => assert!(of("p") <= of("best"), "{explanation}"),
                "kfe.distances" => {
                    let distances = printed(&explanation, "distances");
                    let distances: Vec<f64> = distances
                        .split(", ")
                        .map(|distance| distance.parse().unwrap())
                        .collect();
                    let own = distances[of("cluster") as usize - 1];
                    assert!(distances.iter().all(|distance| *distance >= own), "{explanation}");
                }
                rule => panic!("{rule} is unknown"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_decided_can_be_computed_from_what_is_printed(page in page()) {
        check_coreex(&page);
        check_cetd(&page);
        check_comparators(&page);
    }
}

#[test]
fn what_the_preprocessing_removed_is_listed() {
    let page = "<p>The ferry was late again today, it came at noon.</p><form>Search here <input></form><script>x()</script>\
                <p>Copyright 2010 by the harbour. All rights reserved.</p>";
    let removed = |name: &str| {
        let dom = parse(page, Buffers::default());
        let context = PageContext::new(&dom, "");
        let explained = ExplainedSelection::new(&context, &registry::preset(name).unwrap());
        let texts: Vec<String> = explained.removed.iter().map(|node| node.excerpt.clone()).collect();
        (
            texts,
            explained.removed.iter().map(|node| node.words).sum::<u32>(),
            explained.all_removed,
        )
    };
    assert_eq!(removed("coreex"), (vec!["Search here".to_owned()], 2, 2));
    let statement = "Copyright 2010 by the harbour. All rights reserved.".to_owned();
    assert_eq!(removed("contentex"), (vec![statement, "Search here".to_owned()], 10, 3));
    assert_eq!(removed("cetd-ds"), (Vec::new(), 0, 1));
}

#[test]
fn weights_of_votes_are_shown() {
    let members = ["econ", "lqf", "crunch-links"].map(|name| registry::preset(name).unwrap());
    let vote = Preset::ensemble("vote", members.to_vec(), &[1.0, 2.0, 0.5], Votes::Weighted, 0.6).unwrap();
    let page = "<ul><li><a href=1>Home</a></ul><p>The ferry was late again today, it came at noon.</p>";
    let explained = explanations(page, &vote);
    let texts: Vec<String> = explained
        .iter()
        .map(|(_, explanation)| explanation.to_string())
        .collect();
    let expected = [
        "votes for all of its texts: econ (1), lqf (2), crunch-links (0.5); for some: none; for none: none; the weights for \
         all of them are 3.5 of 3.5, and a share of 0.6 is kept",
        "votes for all of its texts: crunch-links (0.5); for some: none; for none: econ (1), lqf (2); the weights for all of \
         them are 0.5 of 3.5, and a share of 0.6 is kept",
    ];
    assert_eq!(texts, expected);
}

/// Checks every node of a page against the selection, and the words about it against its explanation.
fn check_nodes(page: &str, preset: &Preset) {
    let dom = parse(page, Buffers::default());
    let context = PageContext::new(&dom, "");
    let explained = ExplainedPage::new(&context, preset);
    let (selection, view) = (context.selection(preset), context.view(preset.strip()));
    assert_eq!(explained.nodes.len(), dom.nodes().len());
    for (id, node) in (0..).zip(&explained.nodes) {
        let name = &preset.name;
        assert_eq!((node.node, node.end), (id, dom.node(id).end), "{name}");
        let inside = (id..node.end).any(|id| selection.contains(id));
        let state = match () {
            () if view.is_masked(id) => NodeState::Stripped,
            () if selection.contains(id) => NodeState::Kept,
            () if inside => NodeState::Around,
            () => NodeState::LeftOut,
        };
        assert_eq!(node.state, state, "#{id} by {name} of {page}");
        assert_eq!(node.words, view.subtree(id).text.words, "#{id} by {name} of {page}");
        let note = explained.note(id);
        if let Some(explanation) = &node.explanation {
            assert_eq!(explanation.node, id);
            assert!(note.starts_with(&format!("#{id} ")), "{note}");
            assert!(note.ends_with(&format!("because {explanation}")), "{note}");
        }
    }
    if let Some(winner) = explained.winner {
        let verdict = explained.nodes[winner as usize].explanation.as_ref().map(|e| e.verdict);
        assert!(verdict.is_none_or(|verdict| verdict == Verdict::Chosen), "{verdict:?}");
    }
}

proptest! {
    #[test]
    fn every_node_of_any_page_is_explained(page in page()) {
        for preset in dehusk_extract::PRESETS.iter().chain(COMPARATORS) {
            check_nodes(&page, &registry::preset(preset).unwrap());
        }
    }
}

#[test]
fn the_words_about_a_node_are_those_of_the_explanation() {
    let page = "<div id=nav><a href=/>Home</a> <a href=/b>More</a></div><div class='story lead'><p>The kernel of the page, \
        which is a sentence.<p>And another one.</div>";
    let dom = parse(page, Buffers::default());
    let context = PageContext::new(&dom, "");
    let explained = ExplainedPage::new(&context, &registry::preset("coreex").unwrap());
    let find = |name: &str| explained.nodes.iter().find(|node| node.name == name).unwrap().node;
    let story = explained.note(find("div.story"));
    assert!(
        story.contains("div.story score 0.") && story.contains(" 12 words\nkept because it is in"),
        "{story}"
    );
    let nav = explained.note(find("div#nav"));
    assert!(
        nav.contains("2 words, 2 in links\nleft out because its ratio is not above"),
        "{nav}"
    );
}
