//! `GET /inspector/compare`: what two extractors make of one page, and the truth where it is known.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::body::Incoming;
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::source::{PARAMETERS, Source};
use crate::http::{Answer, Query, Refusal, answer};
use crate::state::{App, Permit};
use crate::workers::Worker;
use dehusk_engine::analysis::Analysis;
use dehusk_engine::page::Dropped;
use dehusk_engine::provenance::record_id;
use dehusk_eval::Metric;
use dehusk_eval::measure::{Bag, Prf, score};
use dehusk_eval::page::Evaluator;
use dehusk_eval::truth::TruthLine;
use dehusk_extract::{ExplainedPage, NodeState};
use dehusk_html::NodeId;
use dehusk_similarity::lexicon::Lexicon;

/// Longest search for the shortest difference of two texts. After it, a longer one is shown.
const TIME: Duration = Duration::from_secs(1);

pub(crate) async fn compare(app: Arc<App>, permit: Permit, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let query = Query::parse(request.uri().query(), &PARAMETERS)?;
    if query.get("with")?.is_none() {
        let message = "“with” must name the extractor to compare with";
        return Err(Refusal::bad_request("with", message));
    }
    let rules = app.rules_of(&query)?;
    let source = Source::of_query(&app, &query)?;
    let shared = Arc::clone(&app);
    let work = move |worker: &mut Worker| {
        let shard = source.place().map(|(input, _)| shared.inputs.archive(input).shard());
        let compared = source.visit(&shared, worker, &rules, |record, analysis| {
            let id = record.zip(shard).map(|(record, shard)| record_id(record, shard));
            compared(analysis, id.and_then(|id| truth_of(&shared, &id)))
        })?;
        Ok(answer(200, "application/json", compared?.to_string()))
    };
    app.workers.run(permit, work).await?
}

/// The truth of a record: its marks, or else the line of the files of `--truth`.
fn truth_of(app: &App, record_id: &str) -> Option<TruthLine> {
    let marked = app.marks.as_ref().and_then(|marks| marks.truth(record_id));
    marked.or_else(|| {
        let truth = app.truth.as_ref()?;
        truth.lines.get(truth.find(record_id)?).cloned()
    })
}

fn compared(analysis: Result<Option<&Analysis<'_, '_>>, Dropped>, truth: Option<TruthLine>) -> Result<Value, Refusal> {
    let Some(analysis) = analysis? else {
        let message = "the record is text already, so there is nothing to compare";
        return Err(Refusal::new(422, "text", message));
    };
    let [left, right] = texts(analysis);
    let mut differences = vec![json!({"of": ["left", "right"], "pieces": difference(&left, &right)})];
    let mut measured = Value::Null;
    if let Some(line) = &truth {
        for (name, text) in [("left", &left), ("right", &right)] {
            differences.push(json!({"of": [name, "truth"], "pieces": difference(text, &line.text)}));
        }
        measured = measures(analysis, line);
    }
    let (common, words) = common_words(&left, &right);
    Ok(json!({
        "words": {"left": words[0], "right": words[1], "common": common},
        "agreement": Prf::new(common, words[0], words[1]).f1,
        "differences": differences,
        "measures": measured,
    }))
}

/// The measures of `eval` for each extractor of the rules.
pub(super) fn measures(analysis: &Analysis<'_, '_>, line: &TruthLine) -> Value {
    let metrics = [Metric::Bag, Metric::Lcs].into_iter().collect();
    let rules = analysis.rules();
    let measured = Evaluator::new(rules, metrics).page(analysis.page(), line, false);
    let Some(measured) = measured else { return Value::Null };
    let truth = measured.counts.words;
    let rows = rules.presets.iter().zip(&measured.extractions);
    rows.map(|(preset, of)| {
        let bag = Prf::new(of.common, of.words, truth);
        json!({
            "extractor": preset.name,
            "words": of.words,
            "truth": truth,
            "precision": bag.precision,
            "recall": bag.recall,
            "f1": bag.f1,
            "score": score(of.lcs, of.words, truth),
        })
    })
    .collect()
}

/// The texts of the first two extractors.
fn texts(analysis: &Analysis<'_, '_>) -> [String; 2] {
    let mut texts = [String::new(), String::new()];
    for (text, extraction) in texts.iter_mut().zip(analysis.extractions()) {
        extraction.selection.render_text(&extraction.view, text);
    }
    texts
}

/// The agreement of the texts of both extractors: the F1 of their words, in any order.
pub(super) fn agreement(analysis: &Analysis<'_, '_>) -> f64 {
    let [left, right] = texts(analysis);
    let (common, words) = common_words(&left, &right);
    Prf::new(common, words[0], words[1]).f1
}

/// The number of words in common, in any order, and those of both texts.
fn common_words(left: &str, right: &str) -> (u32, [u32; 2]) {
    let mut lexicon = Lexicon::default();
    let [mut one, mut other] = [Vec::new(), Vec::new()];
    lexicon.read(left, &mut one);
    lexicon.read(right, &mut other);
    (Bag::new(&one).common(&other), [one.len() as u32, other.len() as u32])
}

/// Pieces of both texts, in order: each has its text and where it is: 0 in both, 1 in the first, 2 in the second.
fn difference(one: &str, other: &str) -> Value {
    let (one, other) = (tokens(one), tokens(other));
    let mut pieces: Vec<(u8, String)> = Vec::new();
    let mut push = |side: u8, tokens: &[&str]| match pieces.last_mut() {
        Some((last, text)) if *last == side => text.extend(tokens.iter().copied()),
        _ if tokens.is_empty() => {}
        _ => pieces.push((side, tokens.concat())),
    };
    let operations = capture_diff_slices_deadline(Algorithm::Myers, &one, &other, Some(Instant::now() + TIME));
    for operation in operations {
        if let DiffOp::Equal { .. } = operation {
            push(0, &one[operation.old_range()]);
            continue;
        }
        push(1, &one[operation.old_range()]);
        push(2, &other[operation.new_range()]);
    }
    json!(pieces)
}

/// A text in words, and everything between them character by character. Where no spaces are between words, each
/// character is one.
fn tokens(text: &str) -> Vec<&str> {
    let is_joined = |c: char| c.is_alphanumeric() && !('\u{2e80}'..='\u{d7ff}').contains(&c);
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_joined(first) {
            true => rest.find(|c| !is_joined(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// The verdicts of two extractors on each node of one page.
pub(super) struct Pair {
    pub(super) left: ExplainedPage,
    pub(super) right: ExplainedPage,
}

impl Pair {
    /// Explains the page by the first two extractors of the rules.
    pub(super) fn of(analysis: &Analysis<'_, '_>) -> Option<Self> {
        let mut presets = analysis.extractions().map(|extraction| extraction.preset);
        let mut explained = || Some(ExplainedPage::new(analysis.context(), presets.next()?));
        Some(Self {
            left: explained()?,
            right: explained()?,
        })
    }

    fn class_of(&self, id: NodeId) -> &'static str {
        let states = [&self.left, &self.right].map(|page| page.nodes[id as usize].state);
        match states {
            [NodeState::Around, _] | [_, NodeState::Around] => "",
            [NodeState::Kept, NodeState::Kept] => "k",
            [NodeState::Kept, _] => "one",
            [_, NodeState::Kept] => "other",
            [NodeState::Stripped, NodeState::Stripped] => "x",
            _ => "l",
        }
    }

    /// The class of a node, if it is another than its parent's: `k` for what both keep, `one` and `other` for what one
    /// of them keeps, `l` for what both leave out, `x` for what both strip.
    pub(super) fn class(&self, id: NodeId) -> &'static str {
        let class = self.class_of(id);
        let parent = self.left.nodes[id as usize].parent;
        if parent != id && self.class_of(parent) == class {
            return "";
        }
        class
    }

    /// The explanations of both for a node.
    pub(super) fn note(&self, id: NodeId) -> String {
        let notes = [&self.left, &self.right].map(|page| (page.extractor.as_str(), page.note(id)));
        let said = notes.into_iter().filter(|(_, note)| !note.is_empty());
        let lines: Vec<String> = said.map(|(name, note)| format!("{name}: {note}")).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_of_words() {
        let pieces = difference("The red tea, hot.", "The green tea, very hot.");
        let expected = json!([
            [0, "The "],
            [1, "red"],
            [2, "green"],
            [0, " tea, "],
            [2, "very "],
            [0, "hot."]
        ]);
        assert_eq!(pieces, expected);
        assert_eq!(
            difference("青石镇", "青木镇"),
            json!([[0, "青"], [1, "石"], [2, "木"], [0, "镇"]])
        );
        assert_eq!(difference("", ""), json!([]));
    }
}
