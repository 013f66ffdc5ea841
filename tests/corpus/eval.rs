//! `dehusk eval` on a whole corpus.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::corpus::{archive, folder, pages};
use crate::program::Place;
use crate::program::eval::stdout;
use dehusk::{Config, Page, Processor};
use dehusk_archive::Archive;
use dehusk_archive::http::Scratch;
use dehusk_engine::config::Rules;
use dehusk_engine::provenance::ArchiveName;
use dehusk_eval::Truth;
use dehusk_eval::measure::{Bag, Prf};
use dehusk_eval::nodes::Labels;
use dehusk_html::rendering::render_words;
use dehusk_html::{Buffers, parse};
use dehusk_similarity::lexicon::Lexicon;

/// The script of the corpora that scores bags of words.
fn script() -> PathBuf {
    folder().join("../bench/score.py")
}

pub fn has_script() -> bool {
    script().is_file() && Command::new("python3").arg("--version").output().is_ok()
}

fn truth(corpus: &str) -> PathBuf {
    folder().join(format!("{corpus}.truth.jsonl.gz"))
}

/// Writes the texts that `eval` compares, which are those of the documents without markers, and the truth without soft
/// hyphens.
fn write_words(place: &Place, corpus: &str) {
    let config = Config::builder().extractors(["coreex-modern"]).build().unwrap();
    let rules = Rules::new(&config).unwrap();
    let mut processor = Processor::new(&config).unwrap();
    let archive = Archive::open(archive(corpus)).unwrap();
    let (mut records, mut scratch) = (archive.records(), Scratch::default());
    let mut words = String::new();
    while let Some(record) = records.next_record() {
        let Ok(page) = Page::from_record(&record, &rules, &mut scratch, ArchiveName::default()) else {
            continue;
        };
        let text = processor.analyze(&page, |analysis| {
            let mut text = String::new();
            let first = analysis.extractions().next().unwrap();
            first.selection.render_words(&first.view, &mut text);
            text
        });
        let line = serde_json::json!({"id": record.header.id(), "text": text.unwrap_or_default()});
        words.push_str(&format!("{line}\n"));
    }
    place.write("words.jsonl", words);
    let truth = Truth::read(&[truth(corpus)]).unwrap();
    let lines = truth.lines.iter().map(|line| {
        let text = line.text.replace('\u{AD}', "");
        let own = serde_json::json!({
            "record_id": line.record_id, "text": text, "lang": line.lang, "page_type": line.page_type
        });
        format!("{own}\n")
    });
    place.write("truth.jsonl", lines.collect::<String>());
}

pub fn bags_of_words_agree(corpus: &str) {
    let place = Place::new();
    write_words(&place, corpus);
    let (archive, truth) = (archive(corpus), truth(corpus));
    let (archive, truth) = (archive.to_str().unwrap(), truth.to_str().unwrap());
    let scored = Command::new("python3")
        .arg(script())
        .arg(place.path("truth.jsonl"))
        .arg(place.path("words.jsonl"))
        .output()
        .unwrap();
    let scored = String::from_utf8(scored.stdout).unwrap();
    let arguments = [
        "eval",
        "--truth",
        truth,
        archive,
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

/// The nodes that are labelled as answers hold the text that the truth has.
pub fn answers_hold_the_values_of_the_truth(corpus: &str) {
    let pages = pages(corpus);
    let truth = Truth::read(&[truth(corpus)]).unwrap();
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
        render_words(&dom, &ranges, &[], false, &mut text);
        lexicon.read(&text, &mut answered);
        let common = Bag::new(&wanted).common(&answered);
        let prf = Prf::new(common, answered.len() as u32, wanted.len() as u32);
        sum = [sum[0] + prf.precision, sum[1] + prf.recall, sum[2] + prf.f1];
    }
    let means = sum.map(|s| s / pages.len() as f64);
    eprintln!("the answers' text against the truth: P, R, F1 {means:?}");
    assert!(means[2] > 0.9, "{means:?}");
}
