//! Searches a preset's values by cross-validation over sites.
//!
//!     cargo run --release --example search -- [--type TYPE] --corpus ARCHIVE TRUTH [--corpus …] PRESET KEY=VALUE,… …
//!
//! Every `KEY` is a parameter of the preset; several values are searched, a single one is set. The measure is the F1 of
//! bags of words, averaged over the pages of a corpus (of those whose `page_type` is TYPE), then over the corpora. The
//! search goes from key to key, takes the best value of each while the others stand still, and ends when a round changes
//! nothing. Pages are dealt to five folds by the registered domain of their URL, so that no site is on both sides; pages
//! without a known address are each their own. For each fold the values are found on the other four and measured on it:
//! those are the held-out figures. The last line is the search over all pages, whose values are the ones to take.
//!
//! Truth is JSON, one object a line, gzipped, with `record_id`, `url`, `page_type` and `text`.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::Read;

use dehusk::archive::Archive;
use dehusk::config::{Config, Rules};
use dehusk::extract::{PageContext, Parameters, Value, registry};
use dehusk_html::internal::is_cjk;
use dehusk_html::{Buffers, parse};
use dehusk::http::Scratch;
use dehusk::page::Page;
use xxhash_rust::xxh3::xxh3_64;

const FOLDS: u64 = 5;
/// Rounds over all keys; searches end sooner.
const ROUNDS: usize = 4;

type Bag = HashMap<u64, u32>;

/// A page with its true text.
struct Sample {
    html: String,
    bag: Bag,
    fold: u64,
    corpus: usize,
}

/// Words as the truth is scored by: runs of word characters in lower case, a Chinese or Japanese character being one.
fn bag(text: &str) -> Bag {
    let mut bag = Bag::new();
    let mut word = String::new();
    for c in text.to_lowercase().chars().chain([' ']) {
        if !is_cjk(c) && (c.is_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            *bag.entry(xxh3_64(word.as_bytes())).or_default() += 1;
            word.clear();
        }
        if is_cjk(c) {
            *bag.entry(u64::from(u32::from(c))).or_default() += 1;
        }
    }
    bag
}

fn f1(found: &Bag, truth: &Bag) -> f64 {
    let size = |bag: &Bag| bag.values().sum::<u32>();
    let common: u32 = found.iter().map(|(w, n)| *n.min(truth.get(w).unwrap_or(&0))).sum();
    match size(found) + size(truth) {
        0 => 1.0,
        all => 2.0 * f64::from(common) / f64::from(all),
    }
}

/// The last two labels of a host, or three where the second of them is no name, as in `.co.uk`.
fn registered_domain(host: &str) -> &str {
    let labels: Vec<&str> = host.rsplit('.').collect();
    let country = labels.len() > 2
        && labels[0].len() == 2
        && ["ac", "co", "com", "edu", "gov", "net", "org"].contains(&labels[1]);
    let kept: usize = labels
        .iter()
        .take(if country { 3 } else { 2 })
        .map(|l| l.len() + 1)
        .sum();
    &host[host.len().saturating_sub(kept.saturating_sub(1))..]
}

/// Reads a corpus into `samples`.
fn read(corpus: usize, archive: &str, truth: &str, of_type: Option<&str>, samples: &mut Vec<Sample>) {
    let mut text = String::new();
    let file = std::fs::File::open(truth).unwrap();
    flate2::read::MultiGzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let truths: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let id = |id: &str| id.trim_matches(['<', '>']).to_owned();
    let mut truths: HashMap<String, &serde_json::Value> = truths
        .iter()
        .filter(|t| of_type.is_none_or(|wanted| t["page_type"] == wanted))
        .map(|t| (id(t["record_id"].as_str().unwrap()), t))
        .collect();
    let rules = Rules::new(&Config::default()).unwrap();
    let archive = Archive::open(archive).unwrap();
    let (mut records, mut scratch) = (archive.records(), Scratch::default());
    while let Some(record) = records.next_record() {
        let id = id(&record.header.id());
        let Ok(page) = Page::from_record(&record, &rules, &mut scratch, dehusk::provenance::ArchiveName::default()) else {
            continue;
        };
        let Some(truth) = truths.remove(&id) else { continue };
        let host = dehusk::metadata::hostname(truth["url"].as_str().unwrap_or_default());
        let site = match registered_domain(&host) {
            "" => id.as_str(),
            domain if domain.ends_with("invalid") => id.as_str(),
            domain => domain,
        };
        samples.push(Sample {
            html: page.html.into_owned(),
            bag: bag(truth["text"].as_str().unwrap()),
            fold: xxh3_64(site.as_bytes()) % FOLDS,
            corpus,
        });
    }
    if !truths.is_empty() {
        eprintln!("{} pages of {} have no record", truths.len(), corpus);
    }
}

/// The samples, and what was measured of them already.
struct Bench {
    samples: Vec<Sample>,
    corpora: usize,
    known: HashMap<String, Vec<f64>>,
    /// F1 by selection: most values change the selection of few pages.
    selections: Vec<HashMap<u64, f64>>,
}

impl Bench {
    /// The F1 of every page.
    fn scores(&mut self, preset: &str, values: &Parameters) -> Vec<f64> {
        let key = format!("{values:?}");
        if let Some(scores) = self.known.get(&key) {
            return scores.clone();
        }
        let preset = registry::build(preset, preset, values).unwrap();
        let each = |(sample, known): (&Sample, &mut HashMap<u64, f64>)| {
            let dom = parse(&sample.html, Buffers::default());
            let page = PageContext::new(&dom, "");
            let view = page.view(preset.strip());
            let selection = page.selection(&preset);
            let what = format!("{:?} {:?}", preset.strip(), selection.ranges);
            *known.entry(xxh3_64(what.as_bytes())).or_insert_with(|| {
                let mut text = String::new();
                selection.render_text(&view, &mut text);
                f1(&bag(&text), &sample.bag)
            })
        };
        let share = self
            .samples
            .len()
            .div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
        let parts = self.samples.chunks(share).zip(self.selections.chunks_mut(share));
        let scores: Vec<f64> = std::thread::scope(|scope| {
            let running: Vec<_> = parts
                .map(|(samples, known)| scope.spawn(|| samples.iter().zip(known).map(each).collect::<Vec<_>>()))
                .collect();
            running.into_iter().flat_map(|part| part.join().unwrap()).collect()
        });
        self.known.insert(key, scores.clone());
        scores
    }

    /// The mean over each corpus' pages in some folds.
    fn means(&self, scores: &[f64], folds: impl Fn(u64) -> bool) -> Vec<f64> {
        let mut sums = vec![(0.0, 0u32); self.corpora];
        for (sample, score) in self.samples.iter().zip(scores).filter(|(s, _)| folds(s.fold)) {
            sums[sample.corpus].0 += score;
            sums[sample.corpus].1 += 1;
        }
        sums.into_iter().map(|(sum, n)| sum / f64::from(n.max(1))).collect()
    }

    fn search(
        &mut self,
        preset: &str,
        start: &Parameters,
        grid: &[(String, Vec<Value>)],
        folds: impl Fn(u64) -> bool,
    ) -> Parameters {
        let mut measure = |values: &Parameters| -> f64 {
            let scores = self.scores(preset, values);
            self.means(&scores, &folds).iter().sum()
        };
        let mut best = (measure(start), start.clone());
        for _ in 0..ROUNDS {
            let before = best.1.clone();
            for (key, values) in grid {
                for value in values {
                    let mut other = best.1.clone();
                    other.set(key, value.clone());
                    let score = measure(&other);
                    if score > best.0 + 1e-9 {
                        best = (score, other);
                    }
                }
            }
            if best.1 == before {
                break;
            }
        }
        best.1
    }
}

/// A value of the kind that the parameter has.
fn value(old: &Value, text: &str) -> Value {
    match old {
        Value::Text(_) => Value::Text(text.to_owned()),
        Value::Float(_) => Value::Float(text.parse().unwrap()),
        Value::Integer(_) => Value::Integer(text.parse().unwrap()),
        _ => Value::Bool(text.parse().unwrap()),
    }
}

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let of_type = args.next_if_eq("--type").map(|_| args.next().unwrap());
    let (mut samples, mut corpora) = (Vec::new(), 0);
    while args.next_if_eq("--corpus").is_some() {
        let (archive, truth) = (args.next().unwrap(), args.next().unwrap());
        read(corpora, &archive, &truth, of_type.as_deref(), &mut samples);
        corpora += 1;
    }
    let preset = args.next().expect("a preset");
    let mut start = registry::parameters(&preset).expect("a known preset");
    let mut grid = Vec::new();
    for argument in args {
        let (key, values) = argument.split_once('=').expect("KEY=VALUE,…");
        let old = start.get(key).expect("a parameter of the preset").clone();
        let values: Vec<Value> = values.split(',').map(|text| value(&old, text)).collect();
        if let [one] = values.as_slice() {
            start.set(key, one.clone());
        } else {
            grid.push((key.to_owned(), values));
        }
    }
    let selections = samples.iter().map(|_| HashMap::new()).collect();
    let mut bench = Bench {
        samples,
        corpora,
        known: HashMap::new(),
        selections,
    };
    let print = |name: &str, means: Vec<f64>, values: Option<&Parameters>| {
        let means: Vec<String> = means.iter().map(|mean| format!("{:.2}", 100.0 * mean)).collect();
        let values: Vec<String> = values
            .iter()
            .flat_map(|values| grid.iter().map(|(key, _)| format!("{key}={:?}", values.get(key))))
            .collect();
        println!("{name}: {}  {}", means.join(" "), values.join(" "));
    };
    let scores = bench.scores(&preset, &start);
    print("start", bench.means(&scores, |_| true), Some(&start));
    if grid.is_empty() {
        return;
    }
    let mut held_out = scores;
    for fold in 0..FOLDS {
        let found = bench.search(&preset, &start, &grid, |other| other != fold);
        let scores = bench.scores(&preset, &found);
        print(
            &format!("fold {fold}"),
            bench.means(&scores, |other| other == fold),
            Some(&found),
        );
        for (i, _) in bench.samples.iter().enumerate().filter(|(_, s)| s.fold == fold) {
            held_out[i] = scores[i];
        }
    }
    print("held out", bench.means(&held_out, |_| true), None);
    let found = bench.search(&preset, &start, &grid, |_| true);
    let scores = bench.scores(&preset, &found);
    print("all pages", bench.means(&scores, |_| true), Some(&found));
}
