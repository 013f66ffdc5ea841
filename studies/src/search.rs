//! Searches the parameters of a preset by cross-validation over sites.
//!
//!     cargo study search [--type TYPE] --corpus ARCHIVE TRUTH [--corpus ...] PRESET KEY=VALUE,... ...
//!
//! Each `KEY` is a parameter of the preset. Several values are searched; a single value is set.
//!
//! - The measure is the F1 of bags of words, averaged over the pages of a corpus (those whose `page_type` is TYPE),
//!   then over the corpora.
//! - The search goes through the keys and takes the best value of each while the others stay the same. It ends when a
//!   round changes nothing.
//! - Pages are assigned to five folds by the registered domain of their URL, so that no site is in two folds. A page
//!   without a known address counts as a site.
//! - For each fold, the values are found on the other four folds and measured on this one. These are the held-out
//!   figures.
//! - The last line is the search over all pages. Take its values.
//!
//! The truth is gzipped JSON, one object per line, with `record_id`, `url`, `page_type` and `text`.

use std::collections::HashMap;
use std::error::Error;
use std::io::Read;
use std::process::ExitCode;

use crate::shared::{Outcome, pages};
use dehusk_extract::{PageContext, Parameters, Value, registry};
use dehusk_html::counting::is_cjk;
use dehusk_html::{Buffers, parse};
use xxhash_rust::xxh3::xxh3_64;

const FOLDS: u64 = 5;
/// The maximum number of rounds over all keys. Searches end sooner.
const ROUNDS: usize = 4;

type Bag = HashMap<u64, u32>;

/// A page with its true text.
struct Sample {
    html: String,
    bag: Bag,
    fold: u64,
    corpus: usize,
}

/// The words of a text: runs of word characters in lower case. A Chinese or Japanese character is a word.
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

/// The last two labels of a host, or the last three if the second is no name, as in `.co.uk`.
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
fn read(
    corpus: usize,
    archive: &str,
    truth: &str,
    of_type: Option<&str>,
    samples: &mut Vec<Sample>,
) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(truth)?).read_to_string(&mut text)?;
    let mut truths = HashMap::new();
    for line in text.lines() {
        let truth: serde_json::Value = serde_json::from_str(line)?;
        if of_type.is_none_or(|wanted| truth["page_type"] == wanted) {
            let id = truth["record_id"]
                .as_str()
                .ok_or("a line of the truth has no record_id")?;
            truths.insert(id.trim_matches(['<', '>']).to_owned(), truth);
        }
    }
    pages::for_each(archive, |id, page| {
        let Some(truth) = truths.remove(&id) else { return };
        let host = dehusk_metadata::hostname(truth["url"].as_str().unwrap_or_default());
        let site = match registered_domain(&host) {
            "" => id.as_str(),
            domain if domain.ends_with("invalid") => id.as_str(),
            domain => domain,
        };
        samples.push(Sample {
            html: page.html.into_owned(),
            bag: bag(truth["text"].as_str().unwrap_or_default()),
            fold: xxh3_64(site.as_bytes()) % FOLDS,
            corpus,
        });
    })?;
    if !truths.is_empty() {
        eprintln!("{} pages of {archive} have no record", truths.len());
    }
    Ok(())
}

/// The samples, and the scores measured so far.
struct Bench {
    samples: Vec<Sample>,
    corpora: usize,
    known: HashMap<String, Vec<f64>>,
    /// The F1 of each selection of a page. Most values change the selection of few pages.
    selections: Vec<HashMap<u64, f64>>,
}

impl Bench {
    /// The F1 of each page.
    fn scores(&mut self, preset: &str, values: &Parameters) -> Result<Vec<f64>, Box<dyn Error>> {
        let key = format!("{values:?}");
        if let Some(scores) = self.known.get(&key) {
            return Ok(scores.clone());
        }
        let preset = registry::build(preset, preset, values)?;
        let each = |(sample, known): (&Sample, &mut HashMap<u64, f64>)| {
            let dom = parse(&sample.html, Buffers::default());
            let page = PageContext::new(&dom, "");
            let view = page.view(preset.strip());
            let selection = page.selection(&preset);
            let what = format!("{:?} {:?}", preset.strip(), selection.ranges);
            *known.entry(xxh3_64(what.as_bytes())).or_insert_with(|| {
                let mut text = String::new();
                selection.render_words(&view, &mut text);
                f1(&bag(&text), &sample.bag)
            })
        };
        let share = self
            .samples
            .len()
            .div_ceil(std::thread::available_parallelism().map_or(1, usize::from))
            .max(1);
        let parts = self.samples.chunks(share).zip(self.selections.chunks_mut(share));
        let scores: Vec<f64> = std::thread::scope(|scope| {
            let running: Vec<_> = parts
                .map(|(samples, known)| scope.spawn(|| samples.iter().zip(known).map(each).collect::<Vec<_>>()))
                .collect();
            running
                .into_iter()
                .flat_map(|part| part.join().unwrap_or_default())
                .collect()
        });
        self.known.insert(key, scores.clone());
        Ok(scores)
    }

    /// The mean score of each corpus, over the pages in some folds.
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
    ) -> Result<Parameters, Box<dyn Error>> {
        let mut measure = |values: &Parameters| -> Result<f64, Box<dyn Error>> {
            let scores = self.scores(preset, values)?;
            Ok(self.means(&scores, &folds).iter().sum())
        };
        let mut best = (measure(start)?, start.clone());
        for _ in 0..ROUNDS {
            let before = best.1.clone();
            for (key, values) in grid {
                for value in values {
                    let mut other = best.1.clone();
                    other.set(key.clone(), value.clone());
                    let score = measure(&other)?;
                    if score > best.0 + 1e-9 {
                        best = (score, other);
                    }
                }
            }
            if best.1 == before {
                break;
            }
        }
        Ok(best.1)
    }
}

/// Parses a value of the same type as the parameter's.
fn value(old: &Value, text: &str) -> Result<Value, Box<dyn Error>> {
    Ok(match old {
        Value::Boolean(_) => Value::Boolean(text.parse()?),
        Value::Integer(_) => Value::Integer(text.parse()?),
        Value::Float(_) => Value::Float(text.parse()?),
        Value::Text(_) => Value::Text(text.to_owned()),
        other => return Err(format!("{} cannot be searched", other.kind()).into()),
    })
}

/// A value as `KEY=VALUE` has it.
fn show(value: Option<&Value>) -> String {
    match value {
        Some(Value::Boolean(value)) => value.to_string(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Float(value)) => value.to_string(),
        Some(Value::Text(value)) => value.clone(),
        _ => String::new(),
    }
}

pub fn main(arguments: &[String]) -> Outcome {
    let mut args = arguments.iter().peekable();
    let mut of_type = None;
    if args.next_if(|arg| *arg == "--type").is_some() {
        of_type = args.next().map(String::as_str);
    }
    let (mut samples, mut corpora) = (Vec::new(), 0);
    while args.next_if(|arg| *arg == "--corpus").is_some() {
        let (Some(archive), Some(truth)) = (args.next(), args.next()) else {
            return Err("--corpus needs an archive and its truth".into());
        };
        read(corpora, archive, truth, of_type, &mut samples)?;
        corpora += 1;
    }
    let preset = args.next().ok_or("search needs a preset")?;
    let mut start = registry::parameters(preset).ok_or_else(|| format!("{preset} is no preset"))?;
    let mut grid = Vec::new();
    for argument in args {
        let (key, values) = argument.split_once('=').ok_or("a parameter is KEY=VALUE,...")?;
        let old = start.get(key).ok_or_else(|| format!("{preset} has no {key}"))?.clone();
        let values = values.split(',').map(|text| value(&old, text));
        let values = values.collect::<Result<Vec<Value>, _>>()?;
        if let [one] = values.as_slice() {
            start.set(key.to_owned(), one.clone());
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
            .flat_map(|values| grid.iter().map(|(key, _)| format!("{key}={}", show(values.get(key)))))
            .collect();
        println!("{name}: {}  {}", means.join(" "), values.join(" "));
    };
    let scores = bench.scores(preset, &start)?;
    print("start", bench.means(&scores, |_| true), Some(&start));
    if grid.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut held_out = scores;
    for fold in 0..FOLDS {
        let found = bench.search(preset, &start, &grid, |other| other != fold)?;
        let scores = bench.scores(preset, &found)?;
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
    let found = bench.search(preset, &start, &grid, |_| true)?;
    let scores = bench.scores(preset, &found)?;
    print("all pages", bench.means(&scores, |_| true), Some(&found));
    Ok(ExitCode::SUCCESS)
}
